"""The encoder: what kind of thing each word of a sentence is about, and which words are names.

A small BERT (``training/encoder``) that reads the sentences of sources, never those of mutants. For
every word it says which kind the phrase is that the word heads or modifies (``KINDS``), and whether
the word is part of a person's name. ONNX Runtime computes it: no torch is loaded for it.

Words for a race, a nationality or a religion are read as one fixed word of their form, so the
answer turns on the text and is the same for every people.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hinter_core.language.people import people_words
from hinter_core.language.reading.notes import spelled_out
from hinter_core.language.reading.view import Reading, Replaced, with_layer, with_pieces
from hinter_core.storage import ASSETS, LRU
from hinter_core.types import Span

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FOLDER = ASSETS / "models" / "encoder"
KINDS = (
    "person", "name", "organisation", "office", "work", "event", "language", "place", "thing",
    "animal", "time", "figure",
)  # fmt: skip
PERSON, NAME, ANIMAL = map(KINDS.index, ("person", "name", "animal"))
TAGS = ("O", "B", "I")  # of a person's name
STYLES = 6  # ways in which a word is written
WINDOW = 224  # pieces of a sentence that are read together
_KEPT = 300_000  # characters of sentences whose readings are kept: about 10 MB
_ALONE = threading.Lock()
_WORD = re.compile(r"\w+")
_OPENS = re.compile(r"(?:^|[.!?:\n\u201c\"])[\s\"'\u201c\u2018(\[*\u2014-]*$")
_LOWER, _OPENING = 1, 5  # of the styles
NEVER = -100.0  # of logits
_OUTSIDE = TAGS.index("O")
_NAMED = 0.6  # chance from which a word is part of a name; chosen on texts kept out of training
# Chance from which a word of no list is a name without the capital that opens its sentence. Two
# thirds of names of drugs in written notes have less, and 12 of the 80 of people that open one in
# two thirds of LitBank, where other sentences tell most of them.
_SURELY_NAMED = 0.95
# A word of a name: "O'Malley", "Bailey-Ross", "L'Enfant", but no "'s" and no address.
_NAME = re.compile(
    r"(?<![\w@/.])[^\W\d_]+(?:(?!['\u2019]s\b)['\u2019.\-\u2010][^\W\d_]+)*(?![\w@/]|\.\w)"
)
_LOOK = 12  # characters before a word that show whether it begins a sentence
# Full-width letters, and what people write for an apostrophe.
_PLAIN = {0xFEE0 + n: n for n in range(0x21, 0x7F)} | dict.fromkeys((0xB4, 0x2BC, 0x2032), 0x27)
_GAPS = frozenset({" ", "-", "\u2010", "\u2011"})
_LONGEST = 4  # words of a people


def fix_peoples(text: str, peoples: Mapping[str, str]) -> Replaced:
    """Put the fixed word of its form in the place of every word for a people."""
    return with_pieces(text, _in_place_of_peoples(text, peoples))


def _in_place_of_peoples(text: str, peoples: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Yield the words for peoples, the longest first ("African American"), with fixed words."""
    words = [(m.start(), m.end(), m.group().casefold()) for m in _WORD.finditer(text)]
    free = 0
    for at in range(len(words)):
        for n in range(_LONGEST if at >= free else 0, 0, -1):
            part = words[at : at + n]
            name = " ".join(word for *_, word in part)
            if name in peoples and all(text[a[1] : b[0]] in _GAPS for a, b in pairwise(part)):
                free = at + n
                yield part[0][0], part[-1][1], peoples[name]
                break


def styles(text: str, offsets: Iterable[Span]) -> list[int]:
    """Return how the word of each piece is written, which the pieces do not show.

    0: no letters; 1: lower case; 2: with a capital; 3: in capitals; 4: mixed; 5: with a capital at
    the beginning of a sentence.
    """
    words = [(*m.span(), _style(text, *m.span())) for m in _WORD.finditer(text)]
    result, at = [], 0
    for start, end in offsets:
        while at < len(words) and words[at][1] <= start:
            at += 1
        inside = end > start and at < len(words) and words[at][0] <= start
        result.append(words[at][2] if inside else 0)
    return result


def _style(text: str, start: int, end: int) -> int:
    word = text[start:end]
    if not any(map(str.isalpha, word)):
        return 0
    if word.islower():
        return 1
    if word[0].isupper() and (len(word) == 1 or word[1:].islower()):
        return 5 if _OPENS.search(text[max(0, start - _LOOK) : start]) else 2
    return 3 if word.isupper() else 4


@dataclass(frozen=True)
class SentenceReading:
    """What the encoder says of a sentence: logits of the kinds of each piece, and names of people.

    ``offsets``: the characters of each piece. ``openers``: words that may be names only for the
    capital that opens the sentence.
    """

    offsets: tuple[Span, ...]
    logits: Any
    names: tuple[Span, ...]
    openers: tuple[Span, ...] = ()

    def kinds(self, span: Span) -> dict[str, float]:
        """Return how probably a word is of each kind."""
        import numpy

        start, end = span
        pieces = [n for n, (a, b) in enumerate(self.offsets) if a < end and b > start]
        if not pieces:
            return dict.fromkeys(KINDS, 1 / len(KINDS))
        values = self.logits[pieces].mean(axis=0)
        values = numpy.exp(values - values.max())
        return dict(zip(KINDS, (values / values.sum()).tolist(), strict=True))

    def without(self, words: Iterable[Span]) -> SentenceReading:
        """Return the reading in which words are no names, and no person or animal."""
        words = [*words]
        logits = self.logits.copy()
        for n, (a, b) in enumerate(self.offsets):
            if any(a < end and b > start for start, end in words):
                logits[n, [PERSON, NAME, ANIMAL]] = NEVER
        names = tuple(one for one in self.names if one not in words)
        return replace(self, logits=logits, names=names)

    def person(self, span: Span) -> float:
        """Return how probably a word is about people, from 0 to 1."""
        return self.kinds(span)["person"]


class Encoder:
    """The network; readings are kept by their sentences."""

    def __init__(self) -> None:
        import onnxruntime
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._layers = onnxruntime.InferenceSession(
            FOLDER / "layers.onnx", options, providers=["CPUExecutionProvider"]
        )
        files = sorted(FOLDER.glob("pieces-*.safetensors"))
        self._pieces = [load_file(path) for path in files]
        self._peoples = json.loads((FOLDER / "peoples.json").read_text(encoding="utf-8"))
        self._tokenizer: Tokenizer = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
        self._marks: list[int] = self._tokenizer.encode("").ids  # before and after a sentence
        self._kept: LRU[str, SentenceReading] = LRU(_KEPT, len)

    def read(self, sentences: Iterable[str]) -> dict[str, SentenceReading]:
        """Return the readings by sentence; each is computed once while it is kept."""
        wanted = list(dict.fromkeys(sentences))
        with _ALONE:
            readings = self._kept.found(wanted)
            fresh = {
                sentence: self._read(sentence) for sentence in wanted if sentence not in readings
            }
            self._kept.keep(fresh)
        return readings | fresh

    def _read(self, sentence: str) -> SentenceReading:
        import numpy

        view = with_layer(Reading(sentence.translate(_PLAIN)), spelled_out)
        fixed = with_layer(view, partial(_in_place_of_peoples, peoples=self._peoples))
        pieces = self._tokenizer.encode(fixed.text)
        ids, offsets = pieces.ids[1:-1], pieces.offsets[1:-1]
        written = styles(fixed.text, offsets)
        logits = self.logits(ids, written)
        tags = numpy.exp(logits[:, len(KINDS) :])
        names = named(fixed.text, offsets, 1 - tags[:, _OUTSIDE] / tags.sum(axis=1))
        doubtful = [
            word
            for word, at in _openers(fixed.text, offsets, written)
            if not any(a <= word[0] < b and (a, b) != word for a, b in names)  # "Li Wei"
            and logits[at].mean(axis=0)[: len(KINDS)].argmax() == NAME
            and self._only_opens(ids, written, at)
        ]
        spans, name_spans, openers = (
            tuple(fixed.span(*one) for one in places) for places in (offsets, names, doubtful)
        )
        return SentenceReading(spans, logits[:, : len(KINDS)], name_spans, openers)

    def _only_opens(self, ids: Sequence[int], written: Sequence[int], at: Sequence[int]) -> bool:
        """Whether a word is no name without the capital that opens its sentence."""
        small = [_LOWER if n in at else style for n, style in enumerate(written)]
        offsets = tuple((n, n + 1) for n in range(len(ids)))
        kinds = SentenceReading(offsets, self.logits(ids, small)[:, : len(KINDS)], ()).kinds(
            (at[0], at[-1] + 1)
        )
        return kinds["person"] + kinds["name"] < _SURELY_NAMED

    def logits(self, ids: Sequence[int], written: Sequence[int]) -> Any:
        """Return the logits of the kinds and tags of each piece; long texts are read in windows."""
        import numpy

        parts = [numpy.zeros((0, len(KINDS) + len(TAGS)), numpy.float32)]
        for n in range(0, len(ids), WINDOW):
            pieces = self._embedded([self._marks[0], *ids[n : n + WINDOW], self._marks[1]])
            ways = numpy.array([[0, *written[n : n + WINDOW], 0]], numpy.int64)
            (outputs,) = self._layers.run(None, {"pieces": pieces, "styles": ways})
            parts.append(outputs[0, 1:-1])
        return numpy.concatenate(parts)

    def _embedded(self, ids: Sequence[int]) -> Any:
        """Return the embeddings of pieces, which are kept as whole numbers in several files."""
        import numpy

        size = len(self._pieces[0]["scales"])
        rows = [(self._pieces[piece // size], piece % size) for piece in ids]
        return numpy.array([[part["values"][n] * part["scales"][n] for part, n in rows]])


def _openers(
    text: str, offsets: Sequence[Span], written: Sequence[int]
) -> Iterator[tuple[Span, list[int]]]:
    """Yield the words of no list that open sentences with a capital, with their pieces."""
    for word in _NAME.finditer(text) if _OPENING in written else ():
        at = [n for n, (a, b) in enumerate(offsets) if a < word.end() and b > word.start()]
        opens = at and all(written[n] == _OPENING for n in at)
        opens = opens and not text[: word.start()].endswith(". ")  # "St. Aubert"
        if opens and word.group() not in people_words().names:
            yield word.span(), at


def named(text: str, offsets: Sequence[Span], chances: Sequence[float]) -> list[Span]:
    """Return the names in a text: neighbouring words whose pieces are mostly part of a name.

    A word in lower case is inside a name ("Anna von Hohenberg"), unless all of the text is written
    so.
    """
    runs: list[list[Span]] = []
    first = 0
    for word in _NAME.finditer(text):
        start, end = word.span()
        while first < len(offsets) and offsets[first][1] <= start:
            first += 1
        last = first
        while last < len(offsets) and offsets[last][0] < end:
            last += 1
        if sum(chances[first:last]) > _NAMED * (last - first):
            if runs and _joined(text, runs[-1], start):
                runs[-1].append((start, end))
            else:
                runs.append([(start, end)])
    plain = text.islower()
    names = []
    for run in runs:
        kept = [n for n, span in enumerate(run) if plain or not text[slice(*span)].islower()]
        names += [(run[kept[0]][0], run[kept[-1]][1])] if kept else []
    return names


def _joined(text: str, name: Sequence[Span], start: int) -> bool:
    """Whether a word goes on with the name before it, maybe behind an initial: "J. Smith"."""
    first, last = name[-1]
    gap = text[last:start]
    if gap.startswith(".") and (last - first == 1 or "." in text[first:last]):
        gap = gap[1:]
    return not gap.strip() and "\n" not in gap


@lru_cache(maxsize=1)
def load_encoder() -> Encoder:
    """Load the network once per process."""
    return Encoder()


def read_text(sentences: Iterable[str]) -> dict[str, SentenceReading]:
    """Return the readings of a text's sentences, in which the capital of a sentence names nobody.

    In "Metformin was stopped" it says nothing; that "Roe" is a name, "Jane Roe" says elsewhere, or
    two sentences that it does not open.
    """
    readings = load_encoder().read(sentences)
    within = [
        sentence[slice(*name)].split()
        for sentence, reading in readings.items()
        for name in reading.names
        if name not in reading.openers
    ]
    alone = Counter(words[0] for words in within)
    known = {word for words in within for word in words[1:]}
    known |= {word for word, number in alone.items() if number > 1}
    return {
        sentence: reading.without(
            one for one in reading.openers if sentence[slice(*one)] not in known
        )
        for sentence, reading in readings.items()
    }
