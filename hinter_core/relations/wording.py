"""Wording: mutants whose words do not go together, though each of them has the right form.

*Mum and mum*, *she hurt himself*. Such a mutant is no fair test; the parses of most of them look
like those of their sources.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from hinter_core.language.parsing import ParseStore
from hinter_core.language.people import FEMALE, MALE, PRONOUNS, people_words
from hinter_core.language.sentences import sentence_at
from hinter_core.language.trees import dependent, tokens_at
from hinter_core.mutation.edits import own_places, texts_of
from hinter_core.relations.base import Compared
from hinter_core.relations.contrast import not_apart
from hinter_core.relations.names import nationalities
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.matching import fold
from hinter_core.terms.related import people_of
from hinter_core.terms.senses.forms import SUBJECT, known_forms
from hinter_core.terms.senses.lexicon import (
    NOUNS,
    before_names,
    expressions,
    is_expression,
    person_nouns,
)
from hinter_core.types import Edit, GrammaticalForm, Parse, Sentence, Splice

_BETWEEN = (
    r"(?:\s+|\s*,\s*|\s*/\s*|\s*,?\s+(?:and|or|nor|but|than|to|vs\.?|versus|and/or|&|as well as)"
    r"\s+(?:(?:the|a|an|his|her|their|my|other|any)\s+)?)"
)
_LIST = r"(?:\s*,\s+[\w-]+(?:\s[\w-]+)?){0,4}"  # "actor, comedian and actor"
_WINDOW = 60  # characters around a splice
_REFLEXIVES = {"himself": "male", "herself": "female"}
_PLURALS = {"man": "men", "woman": "women", "child": "children", "person": "people"}
_BINARY = ("female", "male")
_SAME_SUBJECT = ("xcomp", "advcl", "conj", "acl", "ccomp", "csubj", "parataxis")
_STEPS = 4
_ALL = frozenset("people persons individuals humans folks person individual human".split())
_SOME = r"(?:men|women|man|woman|boys|girls|ladies|gentlemen)"
_AND_SOME = re.compile(rf"\s+(?:and|or)\s+{_SOME}\b", re.IGNORECASE)
_SOME_AND = re.compile(rf"\b{_SOME}\s+(?:and|or)\s+$", re.IGNORECASE)
_CHILDREN = frozenset("child children kid kids baby babies infant infants toddler toddlers".split())
_NEXT = re.compile(r"\s+([^\W\d_]+)\b")
_OF_NATIONS = frozenset("citizen citizens citizenship national nationals passport embassy".split())
_NAME = re.compile(r"\s[A-Z][a-z]")
_JOINED = r"(?:\s+(?:and|or|&)\s+|\s*/\s*)"
_AFTER = re.compile(rf"({_JOINED})([^\W\d_]+)\b", re.IGNORECASE)
_BEFORE = re.compile(rf"\b([^\W\d_]+)({_JOINED})$", re.IGNORECASE)
_NON_NON = re.compile(r"\b(non-[\w'-]+),?(?:\s+(?!and\b|or\b)[\w'-]+)?\s+(non-[\w'-]+)")
_OF_PLACES = frozenset({"GPE", "NORP", "LOC", "ORG", "FAC"})
_TOKEN = re.compile(
    r"ol?['\u2019](?!\w)|[^\W_]+?(?=n['\u2019]t\b)|n?['\u2019][st]\b|[^\W_]+|[^\w\s]"
)
_COMPOUND = frozenset({"compound", "nmod:desc", "nn"})
# Words of several terms: "a middle-aged Middle Eastern man", "a working-class working mother".
_ALONE = frozenset({"middle", "working"})
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")


def wants_parse(pair: Compared) -> Iterator[Sentence]:
    """Yield the source sentences that :func:`broken` needs parsed; usually none."""
    for edit in pair.mutant.edits:
        for start, _ in edit.spans:
            sentence = sentence_at(pair.source, start)
            if sentence is not None and (
                _divides(edit) or (edit.attribute == "gender" and "self" in sentence.text)
            ):
                yield sentence


def reasons(pairs: Sequence[Compared], parses: ParseStore) -> list[str]:
    """Return of each mutant why its words do not go together, or ""; parse once for all."""
    parsed = parses.parse({sentence.text for pair in pairs for sentence in wants_parse(pair)})
    return [broken(pair, parsed) for pair in pairs]


def broken(pair: Compared, parses: Mapping[str, Parse]) -> str:
    """Return why the words of a mutant do not go together, or ""."""
    return (
        _repeated(pair)
        or _denied_twice(pair)
        or _of_two_sexes(pair)
        or _expression(pair)
        or _before_name(pair)
        or _beside_counterpart(pair)
        or not_apart(pair)
        or _of_a_couple(pair)
        or _beside_kind(pair)
        or _before_noun(pair)
        or _in_compound(pair, parses)
        or _reflexive(pair, parses)
    )


def _repeated(pair: Compared) -> str:
    """Return the word that an edit has put beside itself: "mum and mum"."""
    text = pair.mutant.text
    for splice in pair.mutant.splices:
        if not splice.attribute or not splice.new or fold(splice.old) == fold(splice.new):
            continue
        if fold(splice.new) in PRONOUNS:
            continue  # "cost him his job" becomes "cost her her job"
        bare = splice.new.rstrip(".") or splice.new  # "Mr and Mr." says it twice, too
        start, end, word = splice.at, splice.at + len(splice.new), re.escape(bare)
        after, before = text[end : end + _WINDOW], text[max(0, start - _WINDOW) : start]
        # A pattern is compiled for each word, so only where the word stands.
        new, left, right = bare.lower(), before.lower(), after.lower()
        places: list[int] = []
        if new in right and (match := re.match(rf"{_LIST}{_BETWEEN}{word}\b", after, re.I)):
            places.append(end + match.end() - 1)
        if new in left and (match := re.search(rf"\b{word}\.?{_LIST}{_BETWEEN}$", before, re.I)):
            places.append(start - len(before) + match.start())
        others = [s for s in pair.mutant.splices if s is not splice and _alike(s, splice)]
        if any(not any(s.at <= place < s.at + len(s.new) for s in others) for place in places):
            return f"\u201c{splice.new}\u201d stands beside itself"
        if any(abs(s.start - splice.start) < _WINDOW for s in others):
            continue  # so did the words before: "the Danes and a Danish man"
        if _of_some(splice.new, before, after):
            return f"\u201c{splice.new}\u201d stands beside others of them"
        half = _half_repeated(splice.new, before, after)
        if half:
            return f"\u201c{half}\u201d stands beside itself"
    return ""


def _denied_twice(pair: Compared) -> str:
    """Return the second "non-" before a noun: "the non-blind non-Jewish teacher"."""
    if sum(splice.new.startswith("non-") for splice in pair.mutant.splices) > 1 and (
        both := _NON_NON.search(pair.mutant.text)
    ):
        return f"\u201c{both[1]}\u201d stands beside \u201c{both[2]}\u201d"
    return ""


def _of_two_sexes(pair: Compared) -> str:
    """Return the word for a man that an edit puts beside one for a woman: "a lesbian man"."""
    nouns, text = people_words().nouns, pair.mutant.text
    for one, other in pairwise(sorted(pair.mutant.splices, key=lambda splice: splice.at)):
        said = {nouns.get(splice.new.lower().rpartition(" ")[2]) for splice in (one, other)}
        if said == {FEMALE, MALE} and text[one.at + len(one.new) : other.at].isspace():
            return f"\u201c{one.new}\u201d stands beside \u201c{other.new}\u201d"
    return ""


def _alike(one: Splice, other: Splice) -> bool:
    """Whether two edited words were of the same people."""
    return one.attribute == other.attribute and people_of(one.old) == people_of(other.old)


def _expression(pair: Compared) -> str:
    """Return the expression that an edit makes: "the first woman to fly", "the first lady ...".

    No term in an expression is changed, so nor is another term into one: both ways are alike.
    """
    for splice in pair.mutant.splices:
        phrases = _phrases_with(fold(splice.new)) if splice.attribute else ()
        if not phrases:
            continue
        text, end = pair.mutant.text, splice.at + len(splice.new)
        first = max(0, splice.at - _WINDOW)
        window = text[first : end + _WINDOW].replace("\u2019", "'").lower()
        near = [one for one in phrases if all(word in window for word in one[2])]
        if near:
            before = _TOKEN.findall(text[first : splice.at])
            words = [*before, *_TOKEN.findall(text[splice.at : end + _WINDOW])]
            for offset, place, phrase in near:
                if is_expression(phrase, words, len(before) + offset - place):
                    return f"\u201c{' '.join(phrase)}\u201d is an expression".replace(" '", "'")
    return ""


@lru_cache(maxsize=4096)
def _phrases_with(term: str) -> tuple[tuple[int, int, tuple[str, ...]], ...]:
    """Return the expressions that have a word of a term: its place in both, and the expression."""
    known = expressions()
    return tuple(
        (offset, place, phrase)
        for offset, word in enumerate(_TOKEN.findall(term))
        for place, phrase in known.get(word, ())
    )


def _of_some(new: str, before: str, after: str) -> bool:
    """Whether a word stands beside its own plural: "three men and a man"."""
    if "and" not in f"{before} {after}".lower():
        return False
    one = fold(new)
    several = _PLURALS.get(one, f"{one}s")
    return (
        re.search(rf"\b{re.escape(several)}\s+and\s+(?:a|an|one)\s+$", before, re.IGNORECASE)
        or re.match(rf"\s+and\s+\w+\s+{re.escape(several)}\b", after, re.IGNORECASE)
    ) is not None


def _before_name(pair: Compared) -> str:
    """Return what replaces a title before a name: "Nonbinary sibling Abena", "Parent Abena"."""
    titles = before_names()
    for edit in pair.mutant.edits:
        several = " " in edit.target.text and " " not in edit.source.text
        untitled = fold(edit.source.text) in titles and fold(edit.target.text) not in titles
        if not (several or untitled) or edit.source.form is not GrammaticalForm.NOUN_SG:
            continue
        for start, end in own_places(pair.text, edit):
            if pair.text[start].isupper() and _NAME.match(pair.text, end):
                return f"\u201c{edit.target.text}\u201d is no title of a name"
    return ""


def _beside_counterpart(pair: Compared) -> str:
    """Return the word for all that stands beside one for some of them: "people and women"."""
    text = pair.mutant.text
    for splice in pair.mutant.splices:
        start, end = splice.at, splice.at + len(splice.new)
        if fold(splice.new) in _ALL and (
            _AND_SOME.match(text, end) or _SOME_AND.search(text[max(0, start - _WINDOW) : start])
        ):
            return f"\u201c{splice.new}\u201d stands beside a part of them"
    return ""


def _of_a_couple(pair: Compared) -> str:
    """Return what stands beside a word for the other sex: "sibling and sister", "xe or she"."""
    text = pair.text
    for edit in pair.mutant.edits:
        pronoun = edit.source.form.is_pronoun
        if not pronoun and edit.target.group != "neutral":
            continue
        counterparts = _counterparts(fold(edit.source.text))
        for start, end in own_places(pair.text, edit):
            after = _AFTER.match(text, end)
            before = _BEFORE.search(text[max(0, start - _WINDOW) : start])
            for word, joined in (
                (after.group(2), after.group(1)) if after else ("", ""),
                before.groups() if before else ("", ""),
            ):
                both = pronoun and "and" in joined.lower()  # "he and she" are two people
                if fold(word) in counterparts and not both:
                    return f"\u201c{edit.target.text}\u201d stands beside \u201c{word}\u201d"
    return ""


@lru_cache(maxsize=1024)
def _counterparts(word: str) -> frozenset[str]:
    """Return the words of both sexes that say the same as a word, and it itself."""
    terms = [term for term in load_shipped()["gender"].terms if term.group in _BINARY]
    concepts = {(term.concept, term.form) for term in terms if fold(term.text) == word}
    return frozenset(fold(term.text) for term in terms if (term.concept, term.form) in concepts) - {
        word
    }


def _beside_kind(pair: Compared) -> str:
    """Return the reason if the next word is redundant ("a kid child"); else ""."""
    for splice in pair.mutant.splices:
        following = _NEXT.match(pair.mutant.text, splice.at + len(splice.new))
        if not splice.attribute or following is None:
            continue
        last, noun = fold(splice.new).rpartition(" ")[2], fold(following.group(1))
        person = last in _ALL - {"human"} and noun in person_nouns() - {"being"}
        if person or {last, noun} <= _CHILDREN:
            return f"\u201c{splice.new} {following.group(1)}\u201d says the same twice"
    return ""


def _before_noun(pair: Compared) -> str:
    """Return what its noun does not follow: "a Yoruba citizen", "a Latino woman".

    Only a nationality replaces another one before *citizen*, and women are Latina.
    """
    for splice in pair.mutant.splices:
        following = _NEXT.match(pair.mutant.text, splice.at + len(splice.new))
        noun = fold(following.group(1)) if following else ""
        old, new = fold(splice.old), fold(splice.new)
        of_nation = noun in _OF_NATIONS and old in nationalities()
        stranger = of_nation and new not in nationalities()
        if stranger or (new == "latino" and people_words().nouns.get(noun) == FEMALE):
            return f"\u201c{splice.new}\u201d does not go with \u201c{noun}\u201d"
    return ""


def _half_repeated(new: str, before: str, after: str) -> str:
    """Return a word of a longer term that stands beside it: "American Indian American"."""
    words = [word for word in map(fold, _WORD.findall(new)) if len(word) > 3]
    words = [word for word in words if word not in _ALONE]
    if not words or " " not in new.replace("-", " "):
        return ""
    left, right = re.search(r"([^\W\d_]+)[\s-]+$", before), re.match(r"[\s-]+([^\W\d_]+)", after)
    for match in (left, right):
        beside = match.group(1) if match else ""
        if fold(beside) in words or fold(beside).removesuffix("s") in words:
            return beside  # also "Latin American Americans"
    return ""


def _divides(edit: Edit) -> bool:
    """Whether a noun becomes one that seldom ends a compound.

    An adjective and a noun ("person" to "nonbinary person"), or a word for all people or children.
    """
    first, _, noun = edit.target.text.partition(" ")
    if " " in edit.source.text or edit.source.form not in NOUNS:
        return False
    described = bool(noun) and GrammaticalForm.ADJECTIVE in known_forms(first)
    return described or fold(edit.target.text) in _ALL | _CHILDREN


def _may_be_first(parse: Parse, token: int, edit: Edit) -> bool:
    """Whether a token may begin a compound: "hit man", and "Kostic brothers" of a family."""
    if parse.tags[token] == "NN":
        return parse.words[token].islower()
    several = " " in edit.target.text
    return several and parse.tags[token] == "NNP" and parse.entities[token] not in _OF_PLACES


def _in_compound(pair: Compared, parses: Mapping[str, Parse]) -> str:
    """Return the compound that an edit breaks: "makeup nonbinary person", "hit individual"."""
    for edit in filter(_divides, pair.mutant.edits):
        for start, end in own_places(pair.text, edit):
            sentence = sentence_at(pair.source, start)
            if sentence is None:
                continue
            parse = parses[sentence.text]
            tokens = tokens_at(parse, (start - sentence.start, end - sentence.start))
            before = tokens[0] - 1 if tokens else -1
            if before < 0 or not _may_be_first(parse, before, edit):
                continue
            if parse.words[before - 1 : before] == ("-",):
                continue  # "a working-class woman"
            if parse.labels[before] in _COMPOUND and parse.heads[before] == tokens[-1]:
                return f"\u201c{edit.target.text}\u201d divides a compound"
    return ""


def _reflexive(pair: Compared, parses: Mapping[str, Parse]) -> str:
    """Return the reflexive that no longer agrees with its subject: "she hurt himself"."""
    new = texts_of(one for one in pair.mutant.splices if one.attribute == "gender")
    for sentence in {sentence_at(pair.source, start) for start, _ in new}:
        if sentence is None or "self" not in sentence.text:
            continue
        parse = parses[sentence.text]
        for token, word in enumerate(parse.words):
            if fold(word) not in _REFLEXIVES:
                continue
            subject = _subject_of(parse, token)
            if subject is None:
                continue
            was = [_group(parse.words[i]) for i in (subject, token)]
            words = [_now(parse, i, sentence, new) for i in (subject, token)]
            now = [_group(one) for one in words]
            # A reflexive of neither gender does not follow "he" or "she".
            neither = now[1] is None and fold(words[1]) != fold(word) and now[0] is not None
            # Nor does "himself" follow "ze" or "they".
            subject_form = GrammaticalForm.PRONOUN_SUBJECT in known_forms(words[0])
            other = now[0] is None and now[1] is not None and subject_form
            if was[0] == was[1] and (neither or other or (None not in now and now[0] != now[1])):
                return f"\u201c{words[0]}\u201d and \u201c{words[1]}\u201d do not agree"
    return ""


def _subject_of(parse: Parse, token: int) -> int | None:
    """Return the subject of the clause of a reflexive, or of the one that it depends on."""
    verb = parse.heads[token]
    for _ in range(_STEPS):
        subject = dependent(parse, verb, SUBJECT)
        if subject is not None:
            return subject
        if parse.labels[verb] not in _SAME_SUBJECT:
            return None
        label, verb = parse.labels[verb], parse.heads[verb]
        found = dependent(parse, verb, ("obj", "iobj")) if label == "xcomp" else None
        if found is not None:
            return found  # "she found him talking to himself"
    return None


def _now(parse: Parse, token: int, sentence: Sentence, new: Mapping[tuple[int, int], str]) -> str:
    start, end = (sentence.start + x for x in parse.spans[token])
    return next(
        (word for (a, b), word in new.items() if a <= start and end <= b), parse.words[token]
    )


def _group(word: str) -> str | None:
    return _gendered().get(fold(word))


@lru_cache(maxsize=1)
def _gendered() -> Mapping[str, str]:
    """Return the words of the shipped dictionary that are of one gender only."""
    groups: dict[str, set[str]] = {}
    for term in load_shipped()["gender"].terms:
        groups.setdefault(fold(term.text), set()).add(term.group)
    return {
        word: group
        for word, word_groups in groups.items()
        for group in word_groups
        if len(word_groups) == 1 and group in _BINARY
    }
