"""Relations that others add: other texts that should get the same answer.

A relation is a function of a text that yields such texts; what differs, word by word, is one edit,
which combines with other relations. Or it is an object of the protocol in ``relations/base.py``,
which judges by itself and does not combine.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from difflib import SequenceMatcher
from itertools import islice

from hinter_core.errors import InputError
from hinter_core.extensions import Extension
from hinter_core.relations.base import Relation
from hinter_core.relations.changes.phrases import SourceText, edit_of
from hinter_core.relations.family import FAMILY, Changing, FamilyRelation
from hinter_core.types import Edit, EditKind, Term

_WORDS = re.compile(r"\s*\S+|\s+\Z")
_SHOWN = 60  # characters of a change
_MOST = 10_000  # texts for one; a relation may never end

Rewording = Callable[[str], Iterable[str]]


def add_relation(added: Extension) -> Relation:
    """Return the relation that was added; one that is a function joins the family."""
    value = added.value
    if follows_protocol(value):
        relation: Relation = value
        return relation
    title = added.about.rstrip(".") or added.name.replace("_", " ")
    FAMILY[added.name] = Changing(
        "", title, "what this relation looks for", _changes(added.name, value), clause=True,
        about=added.name,
    )  # fmt: skip
    return FamilyRelation(added.name)


def follows_protocol(value: object) -> bool:
    """Whether a value is an object of the protocol of relations."""
    return all(hasattr(value, part) for part in ("prepare", "conform", "oracle", "verdict"))


def _changes(name: str, function: Rewording) -> Callable[[SourceText, str], Iterator[Edit]]:
    def changes(source: SourceText, about: str) -> Iterator[Edit]:
        try:
            given = function(source.text)
            listed = [] if isinstance(given, str) else list(islice(given, _MOST + 1))
            texts = list(dict.fromkeys(listed))
        except Exception as error:
            raise InputError(
                f"The relation '{name}' failed on this text ({type(error).__name__}: {error})."
            ) from error
        if isinstance(given, str):
            raise InputError(
                f"The relation '{name}' returns one text, not several; write yield in place of "
                "return, or return a list of texts."
            )
        if len(listed) > _MOST:
            raise InputError(f"The relation '{name}' gives more than {_MOST:,} texts for one.")
        for text in texts:
            if not isinstance(text, str):
                raise InputError(f"The relation '{name}' gives texts, not {text!r:.60}.")
            if pieces := list(_pieces(source.text, text)):
                old = ", ".join(source.text[start:end].strip() for start, end, _ in pieces)
                new = ", ".join(words.strip() for *_, words in pieces)
                before, after = Term(old[:_SHOWN], about), Term(new[:_SHOWN], "changed")
                yield edit_of(name, EditKind.REWRITE, (about, before), after, pieces)

    return changes


def _pieces(source: str, text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the words that differ: start and end in the source, and the new words."""
    first, second = _WORDS.findall(source), _WORDS.findall(text)
    places = [0]
    for word in first:
        places.append(places[-1] + len(word))
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    for kind, i, j, k, m in matcher.get_opcodes():
        if kind != "equal":
            yield places[i], places[j], "".join(second[k:m])
