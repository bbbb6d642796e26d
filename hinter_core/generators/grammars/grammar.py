"""Grammars as data: rules that make sentences, and the values of sensitive attributes in them.

A grammar is a YAML file::

    about: Who feels what.
    start: sentence
    rules:
      sentence:
        - <A> <occupation> told me that <he> felt <feeling>.
      feeling: [furious, delighted]
    sensitive:
      occupation: [nurse, pilot]
      gender:
        - {group: male, he: he}
        - {group: female, he: she}
    labels: {furious: negative, delighted: positive}

- A rule has alternatives; ``<name>`` in one of them stands for an alternative of that rule.
- A sensitive attribute has values. Each gives a group and the words of some names (here ``<he>``);
  all names of an attribute say one value in a sentence. A value that is a word alone stands for
  ``<ATTRIBUTE>`` and is a group of its own. With ``concept``, only values of one concept replace
  each other (*father* and *mother*, but not *father* and *girlfriend*).
- ``<a>`` is the article *a* or *an*, ``<mask>`` the place of a masked word. A name with a capital
  (``<He>``) begins with one; in a value or word list, words stand as they are written.
- ``labels`` gives the label of a sentence that has a word, or uses a rule.
- A grammar of ``task: masked`` has a ``<mask>`` in each sentence, and says under ``answers`` whose
  probabilities are compared there: ``{male: [he, his], female: [she, her]}``.
- A grammar of ``task: coreference`` says with ``pronouns: [he, his]`` which names are the words
  asked about, and with ``antecedents: [worker, colleague]`` which names they may stand for. All
  pronouns of a sentence stand for one person. The label of a sentence is the antecedent who is
  meant; a sentence without a label is ambiguous.

Source: Astraea, section 6 a and Figure 3. Departures: no rule may contain itself, so that sentences
can be counted; and a list of words that stands twice in a sentence gives two different words (not
*the farmer told the farmer*).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

ARTICLE, MASK = "a", "mask"
TASKS = CLASSIFICATION, MASKED, COREFERENCE = ("classification", "masked", "coreference")


@dataclass(frozen=True, slots=True)
class Reference:
    """A name in an alternative; ``capital``: its words begin with a capital."""

    name: str
    capital: bool = False


Piece = str | Reference
Alternative = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a sensitive attribute: its group, its concept and its words by name."""

    group: str
    words: Mapping[str, str]
    concept: str = ""

    @property
    def name(self) -> str:
        """The first of the names."""
        return next(iter(self.words))

    @property
    def title(self) -> str:
        """The words that tell it from others: those of its first name."""
        return self.words[self.name]


@dataclass(frozen=True)
class Grammar:
    """Rules, the values of sensitive attributes, and labels.

    ``rules``: alternatives by name. ``sensitive``: values by attribute. ``labels``: by the name of
    a rule, or by an alternative of a word list. ``pronouns`` and ``antecedents``: names, of
    coreference only. ``answers``: the words that may stand for a mask by what they mean, of masked
    words only.
    """

    name: str
    about: str
    task: str
    start: str
    rules: Mapping[str, tuple[Alternative, ...]]
    sensitive: Mapping[str, tuple[Value, ...]]
    labels: Mapping[str, str]
    pronouns: tuple[str, ...] = ()
    antecedents: tuple[str, ...] = ()
    answers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def attribute_of(self) -> dict[str, str]:
        """The sensitive attribute by each of its names."""
        return {
            name: attribute
            for attribute, values in self.sensitive.items()
            for name in values[0].words
        }

    def is_words(self, name: str) -> bool:
        """Whether the alternatives of a rule are words, without a name in them."""
        return all(isinstance(piece, str) for one in self.rules[name] for piece in one)

    @property
    def terminals(self) -> frozenset[str]:
        """The words between names, of lists and of sensitive values; capitals do not count."""
        words = {
            piece
            for alternatives in self.rules.values()
            for one in alternatives
            for piece in one
            if isinstance(piece, str) and piece.strip()
        }
        said = {
            word
            for values in self.sensitive.values()
            for value in values
            for word in value.words.values()
        }
        return frozenset(word.lower() for word in words | said)

    @property
    def size(self) -> tuple[int, int]:
        """The numbers of production rules and of terminals, as the paper counts them."""
        return len(self.rules) + len(self.attribute_of), len(self.terminals)


def as_written(pieces: Sequence[Piece]) -> str:
    """Return an alternative as it is written in a file."""
    return "".join(
        piece
        if isinstance(piece, str)
        else f"<{piece.name.capitalize() if piece.capital else piece.name}>"
        for piece in pieces
    )
