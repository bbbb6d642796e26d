"""The same said in other words: of a sensitive attribute (MR3), or of what is around it (MR9).

Source: metamorphic-relation prioritisation, section V-B2. By rules: synonyms of a list, phrases
behind the noun (*of Hispanic descent*), contractions written out. Where no rule applies there is no
follow-up; a text that stayed as it was is never one.
"""

import random
import re
from collections.abc import Iterator

from hinter_core.language.trees import Word
from hinter_core.mutation.edits import carry_case
from hinter_core.relations.changes.phrases import SourceText, edit_of, exchange
from hinter_core.relations.changes.position import after_noun
from hinter_core.relations.changes.words import ContextWord, relation_words
from hinter_core.terms.matching import fold
from hinter_core.terms.senses.lexicon import capitalised
from hinter_core.types import Edit, EditKind, GrammaticalForm, Occurrence, Term

PARAPHRASE, CONTEXT = "paraphrase-attribute", "paraphrase-context"
CONTEXT_ATTRIBUTE = "context"  # stands where other edits name their attribute
_TWO_OR_PARTICLE = frozenset({"iobj", "compound:prt"})
_VERSIONS = 3  # paraphrases of the context of a text
_PHRASES = ("of {} descent", "of {} origin", "of the {} faith")
_ARTICLES = frozenset({"a", "an"})


def paraphrases(source: SourceText, attribute: str) -> Iterator[Edit]:
    """Yield edits that say each term of an attribute in other words."""
    synonyms = relation_words().synonyms.get(attribute, {})
    for term, places in source.occurrences(attribute).items():
        for other in synonyms.get(fold(term.text), ()):
            target = Term(other, term.group, term.form)
            splices = exchange(source, attribute, term, target, places)
            pieces = [(s.start, s.end, s.new) for s in splices if fold(s.old) not in _ARTICLES]
            yield edit_of(PARAPHRASE, EditKind.REWRITE, (attribute, term), target, pieces)
        if term.form is GrammaticalForm.ADJECTIVE:
            yield from _phrase(source, attribute, term, places)


def _phrase(
    source: SourceText, attribute: str, term: Term, places: list[Occurrence]
) -> Iterator[Edit]:
    """Yield the edit that says an adjective as a phrase that the dictionary has."""
    wanted = {fold(phrase.format(term.text)) for phrase in _PHRASES}
    phrases = (
        other
        for other in source.dictionaries[attribute].terms
        if other.form is GrammaticalForm.PREP_PHRASE
        and other.group == term.group
        and fold(other.text) in wanted
    )
    if (target := next(phrases, None)) is not None:
        pieces = after_noun(source, places, lambda *_: target.text)
        if pieces:
            yield edit_of(PARAPHRASE, EditKind.REWRITE, (attribute, term), target, pieces)


def contexts(source: SourceText, attribute: str) -> Iterator[Edit]:
    """Yield edits that say what stands around the terms in other words, not the terms.

    The first changes every word that can be; others change about half, drawn with the seed.
    """
    places = list(_places(source))
    rng = random.Random(source.plan.settings.seed)
    seen: set[tuple[tuple[int, int, str], ...]] = set()
    for version in range(_VERSIONS):
        chosen = [one for one in places if version == 0 or rng.random() < 1 / 2]
        if not chosen or tuple(chosen) in seen:
            continue
        seen.add(tuple(chosen))
        old = ", ".join(source.text[start:end] for start, end, _ in chosen)
        new = ", ".join(new for *_, new in chosen)
        before, after = Term(old, attribute), Term(new, "said otherwise")
        yield edit_of(CONTEXT, EditKind.REWRITE, (attribute, before), after, chosen)


def _places(source: SourceText) -> Iterator[tuple[int, int, str]]:
    taken = [occurrence.span for occurrence in source.plan.occurrences]
    taken += [rejected.occurrence.span for rejected in source.plan.rejected]
    for start, end, new in sorted((*_synonyms(source), *_contractions(source))):
        if not any(a < end and b > start for a, b in taken):
            taken.append((start, end))
            yield start, end, new


def _synonyms(source: SourceText) -> Iterator[tuple[int, int, str]]:
    lower = source.text.islower()
    for word in source.words():
        for other in relation_words().context.get(word.text.lower(), ()):
            if _in_frame(word, other) and not _in_name(word):
                first = word.token == 0
                new = carry_case(word.text, word.text.lower(), other.text, first, lower)
                yield (*word.span, new)
                break


def _in_frame(word: Word, other: ContextWord) -> bool:
    """Whether another word can stand here: what a verb has beside it decides.

    "They argued about it" is no contending, "he showed up" no demonstrating. The object of a
    passive is its subject, and that of a participle the noun before it.
    """
    beside = {dependent.label.removesuffix(":pass") for dependent in word.dependents()}
    verb, participle = word.tag.startswith("VB"), word.tag == "VBN"
    has = not other.needs or participle or not beside.isdisjoint(other.needs)
    bars = other.bars | _TWO_OR_PARTICLE if verb else other.bars
    return word.tag in other.tags and has and beside.isdisjoint(bars)


def _in_name(word: Word) -> bool:
    """Whether a capital inside the sentence shows that the word is part of a name."""
    return word.token > 0 and word.text[:1].isupper() and not word.sentence.text.isupper()


def _contractions(source: SourceText) -> Iterator[tuple[int, int, str]]:
    contractions = relation_words().contractions
    pattern = "|".join(re.escape(short).replace("'", "['\u2019]") for short in contractions)
    for match in re.finditer(rf"\b(?:{pattern})\b", source.text, re.IGNORECASE):
        short = match.group()
        new = contractions[fold(short)]
        inside = short[0].islower() and new.split()[0].casefold() not in capitalised() | {"i"}
        yield (*match.span(), new[0].lower() + new[1:] if inside else new[0].upper() + new[1:])
