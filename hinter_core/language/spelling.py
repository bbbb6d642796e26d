"""Spellings of one word: "Mr." and "Mr", "Māori" and "Maori", "non-binary" and "nonbinary"."""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache


@lru_cache(maxsize=65_536)
def spelling(word: str) -> str:
    """Return what all spellings of a word share: no capitals, accents, punctuation or spaces."""
    letters = (c for c in unicodedata.normalize("NFD", word.casefold()) if not _ignored(c))
    return "".join(letters) or word


def _ignored(character: str) -> bool:
    return unicodedata.combining(character) > 0 or unicodedata.category(character)[0] in "PZ"


def by_spelling(counts: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """Return all spellings of each word, the most frequent first; ``counts``: uses of each."""
    alike: dict[str, list[str]] = defaultdict(list)
    for word in sorted(counts, key=lambda word: (-counts[word], word)):
        alike[spelling(word)].append(word)
    return {word: tuple(words) for words in alike.values() for word in words}


def by_attribute(uses: Iterable[tuple[str, str, int]]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return all spellings of each word by its attribute and itself, the most frequent first.

    ``uses``: an attribute, a word, and how often it is used, as often as they occur.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for attribute, word, number in uses:
        counts[attribute][word] += number
    return {(a, word): words for a, of in counts.items() for word, words in by_spelling(of).items()}
