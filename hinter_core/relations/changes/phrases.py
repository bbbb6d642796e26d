"""A text as the relations see it: its words in their parses, and the noun phrases about people."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from hinter_core.language.parsing import ParseStore
from hinter_core.language.people import people_words
from hinter_core.language.sentences import sentence_at
from hinter_core.language.trees import Word, head_of, tokens_at
from hinter_core.mutation.edits import splices_of
from hinter_core.mutation.plan import Plan
from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.senses.forms import MODIFIER
from hinter_core.terms.senses.lexicon import NOUN_TAGS, lexicon
from hinter_core.terms.unlisted import is_number
from hinter_core.types import Change, Edit, EditKind, Occurrence, Pair, Parse, Span, Splice, Term

_COMMON_NOUNS = frozenset({"NN", "NNS"})
_BEFORE_MODIFIER = frozenset("DT PRP$ JJ JJR JJS CD IN VB VBD VBP VBZ VBG VBN TO WP$ PDT".split())
_DIVIDED = frozenset({"sex", "gender", "age"})  # "same sex": with the adjective before it
_DETERMINERS = frozenset("DT PRP$ CD WP$ WDT PDT".split())
_ADJECTIVES = frozenset("JJ JJR JJS VBN".split())
_INSIDE_PHRASE = NOUN_TAGS | frozenset("JJ HYPH VBN VBG".split())
_COMPOUND = frozenset({"compound", "nn"})
_FLAT = frozenset({"flat", "flat:name", "appos", "compound"})
# What may follow a noun that a clause is put behind: anything else would be read with the clause.
_FOLLOWS = frozenset({"VBD", "VBZ", "VBP", "MD", ".", ",", ":", "CC"})


Pieces = list[tuple[int, int, str]]  # start and end in the text, and what stands there then


class Modifier(NamedTuple):
    """A noun, and a word before it that can be taken away: its span, and that of its comma."""

    noun: Word
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class SourceText:
    """A text with its plan, its dictionaries by attribute, its parses, and the plan's exchanges."""

    plan: Plan
    dictionaries: Mapping[str, Dictionary]
    parses: ParseStore
    exchanges: Mapping[str, Sequence[Edit]] = field(default_factory=dict)

    @cached_property
    def _parsed(self) -> Mapping[str, Parse]:
        return self.parses.parse([s.text for s in self.plan.sentences], entities=True)

    @property
    def text(self) -> str:
        """The text."""
        return self.plan.text

    def words(self) -> Iterator[Word]:
        """Yield all words."""
        for sentence in self.plan.sentences:
            parse = self._parsed[sentence.text]
            for token in range(len(parse.words)):
                yield Word(parse, sentence, token)

    def words_at(self, span: Span) -> list[Word]:
        """Return the words that share a character with a span; none across sentences."""
        sentence = sentence_at(self.plan.sentences, span[0])
        if sentence is None or span[1] > sentence.end:
            return []
        parse = self._parsed[sentence.text]
        tokens = tokens_at(parse, (span[0] - sentence.start, span[1] - sentence.start))
        return [Word(parse, sentence, token) for token in tokens]

    def occurrences(self, attribute: str) -> dict[Term, list[Occurrence]]:
        """Return the occurrences of an attribute by their term, in its first reading.

        A number of years alone can only be exchanged.
        """
        by_term: dict[Term, list[Occurrence]] = {}
        for occurrence in self.plan.occurrences:
            term = next(iter(occurrence.terms), None)
            if occurrence.attribute == attribute and term and not is_number(term):
                by_term.setdefault(term, []).append(occurrence)
        return by_term

    def modified(self, occurrence: Occurrence) -> "Modifier | None":
        """Return the noun that a term modifies from before; None unless it can be taken away.

        Nothing may depend on the term (*very old man*) or be joined to it (*black and white men*).
        """
        words = self.words_at(occurrence.span)
        if not words or occurrence.span != (words[0].span[0], words[-1].span[1]):
            return None
        inside = {word.token for word in words}
        first = words[0]
        head = Word(first.parse, first.sentence, head_of(first.parse, sorted(inside)))
        noun = head.head
        if noun.token < words[-1].token or noun.tag not in NOUN_TAGS or head.label not in MODIFIER:
            return None
        hanging = (w for word in words for w in word.dependents() if w.token not in inside)
        if any(w.label in ("advmod", "conj", "cc", "obl", "det") for w in hanging):
            return None
        spans = self._with_gap(first, words[-1])
        return Modifier(noun, spans) if spans else None

    def _with_gap(self, first: Word, last: Word) -> tuple[Span, ...]:
        """Return the spans of a modifier and of the blank or comma that goes with it."""
        start, end = first.span[0], last.span[1]
        before, after = first.beside(-1), last.beside(1)
        listed = before is not None and before.text == ","
        if after is not None and after.text == ",":
            further = last.beside(2)
            inside = further is not None and further.tag in _ADJECTIVES
            fits = inside and self.text[end : end + 2] == ", "
            return ((start, end), (end, end + 2)) if fits else ()
        if after is None or after.tag not in _INSIDE_PHRASE or self.text[end : end + 1] != " ":
            return ()
        if listed:
            described = first.beside(-2)
            inside = described is not None and described.tag in _ADJECTIVES
            fits = inside and self.text[start - 2 : start] == ", "
            return ((start - 2, start), (start, end)) if fits else ()
        if before is None:
            return ((start, end + 1),)
        apart = before.tag in _BEFORE_MODIFIER and before.span[1] < start
        return ((start, end + 1),) if apart else ()

    def people(self) -> Iterator[Word]:
        """Yield nouns for people that an adjective can be put before: no names or parts of them."""
        for word in self.words():
            after = word.beside(1)
            if (
                word.tag in _COMMON_NOUNS
                and word.text.islower()
                and word.label not in _FLAT
                and people_words().person_noun(word.text)
                and not (after is not None and after.tag in ("NNP", "NNPS", "HYPH", "NN", "NNS"))
                and self._has_place(word)
            ):
                yield word

    def _has_place(self, noun: Word) -> bool:
        """Whether an adjective can stand before the phrase: *caught off guard* has no place.

        Nor have *a same-sex couple*, where one would divide what belongs together, names and
        animals (*a cat companion*).
        """
        first = leftmost(noun)
        before = first.beside(-1)
        compound = [Word(noun.parse, noun.sentence, i) for i in range(first.token, noun.token)]
        if any(
            not word.text.islower()
            or word.text in lexicon()["animals"] | _DIVIDED
            or any(word.dependents())
            for word in compound
        ):
            return False
        named = before is not None and before.tag != "JJ" and before.text[:1].isupper()
        if named and before is not None and before.token > 0:
            return False
        counted = noun.tag == "NNS" or any(
            word.tag in _DETERMINERS and word.token < noun.token for word in noun.dependents()
        )
        return counted and before is not None and before.tag in _BEFORE_MODIFIER

    def open_after(self, noun: Word) -> bool:
        """Whether a clause or phrase can follow a noun at once."""
        after, first = noun.beside(1), leftmost(noun)
        if after is not None and after.tag not in _FOLLOWS:
            return False
        before = [w.text.lower() for w in noun.dependents() if w.token < first.token]
        return (
            "such" not in before
            and noun.label not in _FLAT
            and not any(
                word.token > noun.token and word.label.startswith(("acl", "nmod", "appos", "conj"))
                for word in noun.dependents()
            )
        )


def leftmost(noun: Word) -> Word:
    """Return the first word of a noun with the nouns before it: *software engineer*."""
    first = noun
    while (before := first.beside(-1)) is not None and (
        before.label in _COMPOUND and before.head.token == noun.token and before.tag in NOUN_TAGS
    ):
        first = before
    return first


def exchange(
    source: SourceText, attribute: str, term: Term, target: Term, places: Sequence[Occurrence]
) -> tuple[Splice, ...]:
    """Return the splices that put a term in the place of another, with what has to follow."""
    edit = Edit(Pair(attribute, term, target), tuple(place.span for place in places))
    return splices_of(source.text, edit)


def edit_of(
    relation: str,
    kind: EditKind,
    source: tuple[str, Term],
    target: Term,
    splices: Pieces,
) -> Edit:
    """Make an edit of splices ``(start, end, new text)``; ``source``: its attribute and term."""
    ordered = sorted(splices)
    change = Change(
        kind, source[0], source[1], target, tuple(new for *_, new in ordered), relation=relation
    )
    return Edit(change, tuple((start, end) for start, end, _ in ordered))
