"""The words of the relations: what is added, opposite, or says the same (``words.yaml``)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from hinter_core.storage import ASSETS
from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.matching import fold

WORDS = ASSETS / "relations" / "words.yaml"


class ContextWord(NamedTuple):
    """Another word of the context: where it stands by its Penn tags and the relations of a verb.

    ``needs``: it has one of these; ``bars``: it has none of these.
    """

    text: str
    tags: frozenset[str]
    needs: frozenset[str]
    bars: frozenset[str]


@dataclass(frozen=True)
class RelationWords:
    """``words.yaml``: lists by attribute, words case-folded.

    ``synonyms`` and ``context``: other words by word.
    """

    added: Mapping[str, frozenset[str]]
    attributive: frozenset[str]
    unadded: frozenset[str]
    opposites: Mapping[str, Mapping[str, str]]
    with_non: frozenset[str]
    synonyms: Mapping[str, Mapping[str, tuple[str, ...]]]
    context: Mapping[str, tuple[ContextWord, ...]]
    contractions: Mapping[str, str]
    adjectives: tuple[str, ...]
    sentences: tuple[str, ...]


@lru_cache(maxsize=1)
def relation_words() -> RelationWords:
    """Load ``words.yaml``."""
    import yaml

    read = yaml.safe_load(WORDS.read_text(encoding="utf-8"))
    context: dict[str, list[ContextWord]] = defaultdict(list)
    for first, second, tags, *more in read["context"]:
        frame = [_listed(more, "with "), _listed(more, "without ")]
        context[first].append(ContextWord(second, frozenset(tags.split()), *frame))
        if "one way" not in more:
            context[second].append(ContextWord(first, frozenset(tags.split()), *frame))
    opposites = {
        attribute: {a: b for pair in pairs for a, b in (pair, reversed(pair))}
        for attribute, pairs in read["opposites"].items()
    }
    return RelationWords(
        added={name: frozenset(concepts) for name, concepts in read["added"].items()},
        attributive=frozenset(map(fold, read["attributive"])),
        unadded=frozenset(map(fold, read["unadded"])),
        opposites=opposites,
        with_non=frozenset(read["with_non"]),
        synonyms={name: _others(lists) for name, lists in read["synonyms"].items()},
        context={word: tuple(others) for word, others in context.items()},
        contractions={fold(short): long for short, long in read["contractions"]},
        adjectives=tuple(read["neutral"]["adjectives"]),
        sentences=tuple(read["neutral"]["sentences"]),
    )


def _listed(more: Iterable[str], begins: str) -> frozenset[str]:
    """Return the relations behind a word: of "with obj ccomp" both."""
    given = (one.removeprefix(begins) for one in more if one.startswith(begins))
    return frozenset(next(given, "").split())


def opposite(dictionary: Dictionary, group: str) -> str:
    """Return the group that is the opposite of another; "" if there is none.

    Of a user's dictionary with two groups, each is the opposite of the other.
    """
    listed = relation_words().opposites.get(dictionary.attribute)
    if listed is not None:
        return listed.get(group, "")
    groups = {term.group for term in dictionary.terms}
    known = dictionary.attribute in relation_words().with_non
    return next(iter(groups - {group})) if len(groups) == 2 and not known else ""


def _others(lists: list[list[str]]) -> Mapping[str, tuple[str, ...]]:
    by_word: dict[str, list[str]] = defaultdict(list)
    for words in lists:
        for word in words:
            by_word[fold(word)] += [other for other in words if other != word]
    return {word: tuple(others) for word, others in by_word.items()}
