"""Word sense: how probably a word of a sentence is about a person, by a small embedded network.

A masked language model (four layers of width 128) that learned from ``training/person_sense``. It
is computed with numpy: no torch is loaded for it. It reads a sentence and knows no parser.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from threadpoolctl import ThreadpoolController

from hinter_core.storage import ASSETS, LRU
from hinter_core.types import Span

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FOLDER = ASSETS / "models" / "person-sense"
TOKENIZER = ASSETS / "models" / "masked-lm" / "tokenizer.json"
SHAPES = 9
WINDOW = 160  # pieces of a sentence around the word
_QUOTES = frozenset("\"'\u201c\u201d\u2018\u2019`")
_KEPT = 2_000_000  # characters of sentences whose answers are kept
_ALONE = threading.Lock()

Place = tuple[str, Span]  # a sentence and the characters of a word in it


def shape(text: str, span: Span) -> tuple[float, ...]:
    """Return what the letters around a word show, which the network reads in lower case."""
    start, end = span
    word = text[start:end]
    before, after = text[:start].rstrip(), text[end:].lstrip()
    words = [w for w in text.split() if w[:1].isalpha()]
    left = before.rsplit(None, 1)[-1] if before else ""
    right = after.split(None, 1)[0] if after else ""
    capitals = sum(w[:1].isupper() for w in words) / max(1, len(words))
    return (
        float(word[:1].isupper()),
        float(len(word) > 1 and word.isupper()),
        float(not before),
        float(left[:1].isupper()),
        float(right[:1].isupper()),
        float(bool(before) and before[-1] in _QUOTES),
        float(bool(after) and after[0] in _QUOTES),
        capitals,
        float(len(words) < 6),
    )


def pieces_at(
    tokenizer: Tokenizer, text: str, spans: Sequence[Span]
) -> list[tuple[list[int], list[int]]]:
    """Return for each word the pieces of its sentence, up to a window, and which are its own."""
    encoded = tokenizer.encode(text)
    ids, offsets = encoded.ids, encoded.offsets
    found = []
    for start, end in spans:
        own = [n for n, (a, b) in enumerate(offsets) if a < end and b > start and b > a] or [0]
        first = max(0, min(own[0] - WINDOW // 2, len(ids) - WINDOW))
        cut = ids[first : first + WINDOW]
        found.append((cut, [n - first for n in own if n - first < len(cut)] or [0]))
    return found


class WordSense:
    """The network; answers are kept by sentence and place."""

    def __init__(self) -> None:
        import numpy
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        self._weights = {
            name: values.astype(numpy.float32)
            for name, values in load_file(FOLDER / "model.safetensors").items()
        }
        settings = json.loads((FOLDER / "config.json").read_text(encoding="utf-8"))
        self._layers, self._heads = int(settings["layers"]), int(settings["heads"])
        self._base, self._epsilon = float(settings["rope_base"]), float(settings["epsilon"])
        self._tokenizer = Tokenizer.from_file(str(TOKENIZER))
        self._kept: LRU[Place, float] = LRU(_KEPT, lambda place: len(place[0]))
        self._threads = ThreadpoolController().select(user_api="blas")

    def probabilities(self, places: Iterable[Place]) -> dict[Place, float]:
        """Return how probably each word is about a person, from 0 to 1."""
        wanted = list(dict.fromkeys(places))
        with _ALONE:
            found = self._kept.found(wanted)
            missing: dict[str, list[Span]] = {}
            for text, span in wanted:
                if (text, span) not in found:
                    missing.setdefault(text, []).append(span)
            if missing:
                with self._threads.limit(limits=1):  # matrices are too small for a second thread
                    fresh = {
                        (text, span): value
                        for text, spans in missing.items()
                        for span, value in zip(spans, self._asked(text, spans), strict=True)
                    }
                self._kept.keep(fresh)
                found |= fresh
            return found

    def _asked(self, text: str, spans: Sequence[Span]) -> list[float]:
        """Compute the answers for words of one sentence; equal windows are computed once."""
        import numpy

        answers = []
        done: tuple[list[int], Any] | None = None
        places = pieces_at(self._tokenizer, text, spans)
        for span, (ids, own) in zip(spans, places, strict=True):
            if done is None or done[0] != ids:
                done = ids, self._states(ids)
            pooled = done[1][own].mean(axis=0)
            values = numpy.concatenate([pooled, numpy.array(shape(text, span), numpy.float32)])
            hidden = _gelu(self._weights["head.1.weight"] @ values + self._weights["head.1.bias"])
            logit = self._weights["head.4.weight"] @ hidden + self._weights["head.4.bias"]
            answers.append(float(1 / (1 + numpy.exp(-logit[0]))))
        return answers

    def _states(self, ids: Sequence[int]) -> Any:
        """Return the states of pieces, beside what goes in (ModernBERT with full attention)."""
        import numpy

        embedded = self._normed(
            self._weights["encoder.embeddings.tok_embeddings.weight"][list(ids)],
            "encoder.embeddings.norm",
        )
        states = embedded
        cosine, sine = self._rotation(len(ids), embedded.shape[1] // self._heads)
        for n in range(self._layers):
            name = f"encoder.layers.{n}."
            normed = states if n == 0 else self._normed(states, name + "attn_norm")
            states = states + self._attended(normed, name + "attn.", cosine, sine)
            normed = (
                self._normed(states, name + "mlp_norm") @ self._weights[name + "mlp.Wi.weight"].T
            )
            half = normed.shape[1] // 2
            gated = _gelu(normed[:, :half]) * normed[:, half:]
            states = states + gated @ self._weights[name + "mlp.Wo.weight"].T
        return numpy.concatenate([self._normed(states, "encoder.final_norm"), embedded], axis=1)

    def _attended(self, states: Any, name: str, cosine: Any, sine: Any) -> Any:
        import numpy

        length, width = states.shape
        size = width // self._heads
        mixed = (states @ self._weights[name + "Wqkv.weight"].T).reshape(
            length, 3, self._heads, size
        )
        query, key, value = mixed.transpose(1, 2, 0, 3)
        query, key = (_turned(x, cosine, sine) for x in (query, key))
        scores = query @ key.transpose(0, 2, 1) * size**-0.5
        scores = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        joined = (scores @ value).transpose(1, 0, 2).reshape(length, width)
        return joined @ self._weights[name + "Wo.weight"].T

    def _normed(self, states: Any, name: str) -> Any:
        import numpy

        centred = states - states.mean(axis=-1, keepdims=True)
        spread = numpy.sqrt((centred**2).mean(axis=-1, keepdims=True) + self._epsilon)
        return centred / spread * self._weights[name + ".weight"]

    def _rotation(self, length: int, size: int) -> tuple[Any, Any]:
        import numpy

        speeds = self._base ** (-numpy.arange(0, size, 2, dtype=numpy.float32) / size)
        angles = numpy.arange(length, dtype=numpy.float32)[:, None] * speeds
        angles = numpy.concatenate([angles, angles], axis=1)
        return numpy.cos(angles), numpy.sin(angles)


def _turned(values: Any, cosine: Any, sine: Any) -> Any:
    import numpy

    half = values.shape[-1] // 2
    swapped = numpy.concatenate([-values[..., half:], values[..., :half]], axis=-1)
    return values * cosine + swapped * sine


def _gelu(values: Any) -> Any:
    import numpy

    return 0.5 * values * (1 + numpy.tanh(0.7978845608 * (values + 0.044715 * values**3)))


@lru_cache(maxsize=1)
def load_word_sense() -> WordSense:
    """Load the network once per process, in a twentieth of a second."""
    return WordSense()
