"""Spellings of one word: "Mr." and "Mr", "Māori" and "Maori", "non-binary" and "nonbinary"."""

import unicodedata
from collections import defaultdict
from collections.abc import Mapping
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
