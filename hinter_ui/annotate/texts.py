"""An owner's look through all texts of a project, and texts that are typed into it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hinter_core.annotation.evaluation.answers import Answers, answers_of
from hinter_core.annotation.project.store import LONGEST_TEXT, AnnotationStore
from hinter_core.annotation.project.types import AnnotationError, AnnotationItem, Question
from hinter_core.language.clean import whole
from hinter_ui.html.wording import Words

say = Words("projects")

PAGE = 10  # texts shown at once
_MOST = 500  # texts typed at once


@dataclass(frozen=True)
class Found:
    """Texts of a project that hold a ``query``: those of one ``page``, and the answers to them.

    ``number``: of all that are found; ``of``: of all texts. ``questions`` of the project.
    """

    query: str
    page: int
    items: list[AnnotationItem]
    number: int
    of: int
    answers: Answers
    questions: tuple[Question, ...]


def search(store: AnnotationStore, query: str = "", page: int = 0) -> Found:
    """Find the texts that hold ``query`` in a text or in their id, whatever the case."""
    every, wanted = list(store.items()), query.strip().casefold()
    matching = [
        one for one in every
        if any(wanted in part.casefold() for part in (one.id, one.mutant, one.source))
    ]  # fmt: skip
    page = max(0, min(page, (len(matching) - 1) // PAGE))
    shown = matching[page * PAGE : (page + 1) * PAGE]
    named = {one.id for one in shown}
    answers = answers_of(one for one in store.judgements() if one.item in named)
    found = len(matching), len(every)
    return Found(query.strip(), page, shown, *found, answers, store.project().questions)


def add_typed(store: AnnotationStore, lines: str) -> tuple[int, int]:
    """Add a text for each line; return how many are new, and how many were there.

    A line is a text, or an original and a changed text with a tab or ``=>`` between them.

    Raises:
        AnnotationError: no text, too many, or one that is too long.
    """
    items = list(_typed(whole(lines)))
    if not 0 < len(items) <= _MOST:
        raise AnnotationError(say("errors.typed", most=_MOST))
    known = store.add(items)
    return len(items) - len(known), len(known)


def _typed(lines: str) -> Iterator[AnnotationItem]:
    for number, line in enumerate(lines.splitlines(), start=1):
        if not line.strip():
            continue
        parts = [part.strip() for part in line.replace("=>", "\t", 1).split("\t", 1)]
        source, mutant = ("", *parts)[-2:]
        if not mutant or max(len(source), len(mutant)) > LONGEST_TEXT:
            raise AnnotationError(say("errors.typed_line", line=number, most=LONGEST_TEXT))
        item = AnnotationItem("", mutant, source)
        yield replace(item, id=f"typed-{item.fingerprint[:12]}")
