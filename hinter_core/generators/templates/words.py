"""The words of a parsed text by their place, for mining."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from hinter_core.generators.templates.template import SlotKind, TemplateSlot, case_of, gendered
from hinter_core.language.mentions import read_quotations
from hinter_core.language.people import people_words
from hinter_core.language.trees import ParsedSentence, Word, dependent
from hinter_core.types import Span

Placed = tuple[Span, TemplateSlot | None]  # a slot and its place; None: the words are left out
_ARTICLES = frozenset({"a", "an"})
_DETERMINERS = frozenset({"det", "nmod:poss", "nummod"})
_TOWARDS = frozenset({"to", "in", "from", "near", "across", "through"})
_PLACED = frozenset("in from at near across through of , 's new the".split())
_LONGEST = 3  # words before the head of a noun of several words
_HYPHENATED = re.compile(r"(?:-\w+)*")


class RefusedText(Exception):  # noqa: N818 -- an answer, not a fault
    """A text that is no template; the message is the reason."""


def is_role(word: Word) -> bool:
    """Whether a word is a title or a noun for a person."""
    known = people_words()
    return known.person_noun(word.lower) or word.lower.rstrip(".") in known.titles


def could_mean(pronoun: Word, name: Word) -> bool:
    """Whether a name stands before a pronoun, or is the subject of the clause around it."""
    same = name.parse is pronoun.parse
    if name.span < pronoun.span:
        return same or not pronoun.lower.endswith("self")
    above, seen = pronoun, set[int]()
    while same and name.label.startswith("nsubj") and above.token not in seen:
        if above.token == name.head.token:
            return True  # "When she came, Paul left."
        seen.add(above.token)
        above = above.head
    return False


class TextWords:
    """The tokens of a text in order."""

    def __init__(self, text: str, sentences: Sequence[ParsedSentence]) -> None:
        self.text = text
        self.tokens = [
            Word(one.parse, one.sentence, token)
            for one in sentences
            for token in range(len(one.parse.words))
        ]
        self._starts = [token.span[0] for token in self.tokens]
        self._titles = [quoted.span for quoted in read_quotations(text) if quoted.title]

    def at(self, place: int) -> Word:
        """Return the token that begins at or before a place."""
        return self.tokens[self.place_of(place)]

    def place_of(self, place: int) -> int:
        """Return the index of that token."""
        return max(0, bisect_right(self._starts, place) - 1)

    def in_title(self, place: int) -> bool:
        """Whether a place of the text is in a quoted title: "The Talented Mr. Keller"."""
        return any(start <= place < end for start, end in self._titles)

    def is_name_part(self, place: int, name: int) -> bool:
        """Whether a token belongs to the name that ends with another token."""
        if place < 0 or self.tokens[place].parse is not self.tokens[name].parse:
            return False
        token = self.tokens[place]
        named = token.parse.entities[token.token] == "PERSON"
        part = token.label in ("compound", "flat") and token.head.token == self.tokens[name].token
        return named and part and token.text[:1].isupper()

    def inside(self, span: Span) -> Iterator[Word]:
        """Yield the tokens that begin in a span."""
        first = bisect_right(self._starts, span[0] - 1)
        for token in self.tokens[first:]:
            if token.span[0] >= span[1]:
                return
            yield token

    def with_stop(self, token: Word) -> str:
        """Return a title with the stop behind it, if it is written with one."""
        end = token.span[1]
        return token.text + ("." if self.text[end : end + 1] == "." else "")

    def follows_a_name(self, token: Word) -> bool:
        """Whether a proper noun of the same sentence, or a person's name, precedes a token."""
        return any(
            (one.tag == "NNP" and one.parse is token.parse)
            or one.parse.entities[one.token] == "PERSON"
            for one in self.tokens[: self.place_of(token.span[0])]
        )

    def may_name(self, place: int) -> bool:
        """Whether a token may be a name of a person that the parser did not find."""
        token = self.tokens[place]
        known = people_words()
        if token.text.islower():
            name = token.text.capitalize()
            return token.tag == "NN" and name in known.names and name not in known.places
        if token.tag != "NNP" or is_role(token) or self.in_title(token.span[0]):
            return False
        named = token.parse.entities[token.token]
        before = self.tokens[place - 1].lower if token.token else ""
        # "Val keeps choosing such films" speaks of nobody's place.
        placed = before in _PLACED or self.is_place(token.span)
        return named in ("", "ORG") or (named == "GPE" and not placed)

    def is_place(self, name: Span) -> bool:
        """Whether a name is a place where it stands: "to Jordan"."""
        place = self.place_of(name[0])
        before = self.tokens[place - 1].lower if place else ""
        return self.text[slice(*name)] in people_words().places and before in _TOWARDS

    def after(self, token: Word) -> Word | None:
        """Return the next token of the same sentence."""
        place = self.place_of(token.span[0]) + 1
        same = place < len(self.tokens) and self.tokens[place].parse is token.parse
        return self.tokens[place] if same else None

    def around(self, span: Span) -> str:
        """Return the characters right before and after a span."""
        return self.text[max(0, span[0] - 1) : span[0]] + self.text[span[1] : span[1] + 1]

    def compound(self, token: Word) -> Span:
        """Return the span of the longest known noun that ends with a token, hyphens included."""
        start, end = token.span
        end = _match_end(self.text, end)
        while start and self.text[start - 1] == "-" and self.text[start - 2 : start - 1].isalnum():
            start -= 1
            while start and (self.text[start - 1].isalnum()):
                start -= 1
        place = self.place_of(start)
        for back in range(min(_LONGEST, place), 0, -1):
            earlier = self.tokens[place - back]
            if earlier.parse is not token.parse:
                continue
            words = " ".join(self.text[earlier.span[0] : end].split())
            if gendered(words, SlotKind.NOUN) is not None:
                return earlier.span[0], end
        return start, end

    def is_bare(self, token: Word, *, shared: bool = True) -> bool:
        """Whether a noun has no determiner, possessive or number; ``shared``: nor shares one."""
        labels, heads = token.parse.labels, token.parse.heads
        one, seen = token.token, set[int]()
        while one not in seen:
            seen.add(one)
            if dependent(token.parse, one, _DETERMINERS) is not None:
                return False
            if labels[one] != "conj" or not shared:
                return True
            one = heads[one]
        return True

    def after_capital(self, token: Word) -> bool:
        """Whether a capital word inside the sentence is a compound with a noun."""
        before = token.token - 1
        parse = token.parse
        return (
            before > 0
            and parse.words[before][:1].isupper()
            and parse.labels[before] == "compound"
            and parse.heads[before] == token.token
        )

    def article_before(self, start: int) -> Iterator[Placed]:
        """Yield the slot of *a* or *an* right before a place: "an actress"."""
        place = self.place_of(start)
        before = self.tokens[place - 1] if place else None
        if before and before.lower in _ARTICLES and before.parse is self.tokens[place].parse:
            case = case_of(before.text, before.lower)
            yield before.span, TemplateSlot(SlotKind.ARTICLE, "", case)


def _match_end(text: str, end: int) -> int:
    match = _HYPHENATED.match(text, end)
    return match.end() if match else end
