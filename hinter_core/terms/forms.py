"""Grammatical forms of known words: those of the shipped dictionaries, and of common pronouns."""

import csv
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

from hinter_core.storage import DICTIONARIES
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.matching import fold
from hinter_core.types import GrammaticalForm

_FORM = GrammaticalForm
# The dictionaries have only pronouns that stand for one person; a user's may have these, too.
_PRONOUNS = {
    _FORM.PRONOUN_SUBJECT: "i you we they",
    _FORM.PRONOUN_OBJECT: "me you us them",
    _FORM.PRONOUN_POSSESSIVE: "my your our their its",
    _FORM.PRONOUN_POSSESSIVE_ABSOLUTE: "mine yours ours theirs",
    _FORM.PRONOUN_REFLEXIVE: "myself yourself yourselves ourselves themselves themself itself",
}
# Subjects whose verb in the present has no -s.
WITHOUT_S = frozenset(_PRONOUNS[_FORM.PRONOUN_SUBJECT].split())
_ADJECTIVES_IN_LY = frozenset(
    """
    beggarly brotherly bubbly burly bristly chilly comely costly courtly cowardly crinkly cuddly
    curly daily daughterly deadly deathly early elderly fatherly friendly frilly gangly
    gentlemanly ghastly ghostly gnarly godly grandfatherly grandmotherly grisly heavenly holy
    homely hourly jolly kindly kingly ladylike leisurely likely lively lonely lovely lowly manly
    matronly measly miserly monthly motherly neighborly neighbourly only orderly pearly pimply
    portly priestly prickly princely quarterly queenly saintly scholarly seemly shapely sickly
    silly sisterly sly soldierly sprightly squiggly stately steely surly timely ugly ungainly
    unfriendly unholy unlikely unruly unseemly unsightly untimely weekly wily wobbly womanly
    woolly worldly wrinkly yearly
    """.split()
)
_NO_FORMS: frozenset[GrammaticalForm] = frozenset()
_ADVERB = frozenset({_FORM.ADVERB})


def known_forms(text: str) -> frozenset[GrammaticalForm]:
    """Return the forms that a word may have; empty if it is unknown.

    ``any`` is the form of shipped terms that name no person, such as *mosque*. Unknown words in -ly
    are adverbs, but for a list of adjectives.
    """
    word = fold(text)
    found = _known().get(word, _NO_FORMS)
    if not found and text.islower() and len(word) > 4 and word.endswith("ly"):
        return _NO_FORMS if word in _ADJECTIVES_IN_LY else _ADVERB
    return found


@lru_cache(maxsize=1)
def _known() -> Mapping[str, frozenset[GrammaticalForm]]:
    forms: dict[str, set[GrammaticalForm]] = defaultdict(set)
    for dictionary in load_shipped().values():
        for term in dictionary.terms:
            forms[fold(term.text)].add(term.form)
    with (DICTIONARIES / "person_nouns.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            forms[fold(row["term"])].add(_FORM.NOUN_PL if row["number"] == "pl" else _FORM.NOUN_SG)
    for form, words in _PRONOUNS.items():
        for word in words.split():
            forms[word].add(form)
    return {word: frozenset(found) for word, found in forms.items()}
