"""What the owner of an annotation project can do: make it, look at it, decide, close, delete."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from cachetools import LRUCache

from hinter_core.annotation.evaluation.evaluation import Evaluation, evaluate
from hinter_core.annotation.files.exporting import Exported, export_file
from hinter_core.annotation.files.importing import Imported, import_file
from hinter_core.annotation.items import fill_invariant, items_of_check, sample_campaign
from hinter_core.annotation.project.judging import Judging
from hinter_core.annotation.project.store import AnnotationStore
from hinter_core.annotation.project.types import (
    AnnotationError,
    AnnotationItem,
    AnnotatorProgress,
    Judgement,
    Project,
)
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import InputError
from hinter_ui.annotate.form import ROOM, ProjectForm
from hinter_ui.html.wording import Words
from hinter_ui.shared.downloads import discreet
from hinter_ui.shared.library import Annotations
from hinter_ui.shared.links import DEFAULT_PARSER
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session

KINDS = ("csv", "jsonl", "parquet", "consensus")  # the last one as CSV
_COMMENTS = 20  # shown
_DISPUTED = 8  # shown
_REST = 4.0  # an evaluation is made anew after so many times what it took
_KEPT = 16  # evaluations


@dataclass(frozen=True)
class Made:
    """A new project: where it is, its owner's key, and what came of its items."""

    id: str
    key: str
    items: int
    duplicates: int = 0
    problems: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class View:
    """What the owner sees of a project; ``items``: those that are named in what is shown."""

    id: str
    key: str
    project: Project
    size: int
    people: list[AnnotatorProgress]
    comments: list[Judgement]
    found: Evaluation
    items: dict[str, AnnotationItem]


@dataclass(frozen=True)
class _Evaluated:
    stamp: tuple[int, ...]
    found: Evaluation
    made: float
    took: float


class AnnotateActions:
    """The owner's side of all projects."""

    def __init__(self, services: Services, projects: Annotations) -> None:
        self.services = services
        self.projects = projects
        self._evaluated: LRUCache[str, _Evaluated] = LRUCache(_KEPT)
        self._evaluating = threading.Lock()

    # -- making ---------------------------------------------------------------------------------

    def campaigns(self, known: Iterable[str]) -> list[tuple[str, str]]:
        """(label, name) of the campaigns that a visitor may see and that have begun."""
        return self.services.campaigns.offered(known)

    def campaign(self, form: ProjectForm) -> CampaignStore | None:
        """The campaign that a form draws from, if it names one.

        Raises:
            HinterError: none of that name, or paths are not for this visitor.
        """
        if form.source == "campaign" and form.campaign:
            return self.services.campaigns.store(form.campaign)
        if form.source == "directory" and form.directory:
            return self.services.campaigns.store("", form.directory)
        return None

    def make(self, session: Session, form: ProjectForm) -> Made:
        """A new project with its items; nothing is left of one that has none.

        Raises:
            HinterError: a setting or the source of items cannot be used.
        """
        say = session.words(ROOM)
        project = form.project(say)
        with self._discreet(form.file):
            items = self._items(session, form, say)
            name, key = self.projects.new(project)
            try:
                store = self.projects.judging(name).store
                if form.source == "file":
                    return self._imported(store, form, name, key, say)
                duplicates = store.add(items)
                return Made(name, key, len(items) - len(duplicates), len(duplicates))
            except BaseException:
                self.projects.delete(name, key)
                raise

    def _items(self, session: Session, form: ProjectForm, say: Words) -> list[AnnotationItem]:
        if form.source == "file":
            if not form.file:
                raise AnnotationError(say("errors.no_file"))
            return []
        if form.source == "check":
            if session.check is None or not session.check.mutants:
                raise AnnotationError(say("errors.no_check"))
            return items_of_check(session.check, form.many, 0, form.draw().outcomes)
        store = self.campaign(form)
        if store is None:
            raise AnnotationError(say("errors.no_campaign"))
        return sample_campaign(store, form.draw())

    def _imported(
        self, store: AnnotationStore, form: ProjectForm, name: str, key: str, say: Words
    ) -> Made:
        done: Imported = import_file(store, form.file)
        if not done.items:
            why = say("errors.no_text")
            for row, fault in done.problems[:1]:
                why = say("errors.no_text_row", row=row, fault=fault)
            raise AnnotationError(why)
        fill_invariant(store, self.services.parses(DEFAULT_PARSER))
        return Made(name, key, done.items, done.items_known, tuple(done.problems))

    # -- looking --------------------------------------------------------------------------------

    def view(self, name: str, key: str) -> View:
        """A project as it stands now.

        Raises:
            AnnotationError: no such project, or not its owner.
        """
        judging = self._owned(name, key)
        store = judging.store
        found = self._evaluation(name, store)
        remarks = [one for one in store.judgements() if one.comment.strip()]
        comments = sorted(remarks, key=lambda one: one.id, reverse=True)[:_COMMENTS]
        disputed = found.disputed[:_DISPUTED]
        named = {one.item for one in comments} | {one.item for one in disputed}
        every = list(store.items())
        items = {item.id: item for item in every if item.id in named}
        people = judging.standings()
        return View(name, key, store.project(), len(every), people, comments, found, items)

    def stamp(self, name: str, key: str) -> str:
        """Changes when what is shown of a project may have changed.

        Raises:
            AnnotationError: no such project, or not its owner.
        """
        store = self._owned(name, key).store
        marks = _stamp(store)
        kept = self._evaluated.get(name)
        late = kept is not None and kept.stamp != marks
        return json.dumps([*marks, store.project().closed, late and self._due(name)])

    def _evaluation(self, name: str, store: AnnotationStore) -> Evaluation:
        """Made anew where something was said since, but not all the time."""
        stamp = _stamp(store)
        with self._evaluating:
            kept = self._evaluated.get(name)
            if kept is not None and (kept.stamp == stamp or not self._due(name)):
                return kept.found
            begun = time.monotonic()
            found = evaluate(store)
            now = time.monotonic()
            self._evaluated[name] = _Evaluated(stamp, found, now, now - begun)
            return found

    def _due(self, name: str) -> bool:
        kept = self._evaluated.get(name)
        return kept is None or time.monotonic() - kept.made > min(60.0, _REST * kept.took)

    def _owned(self, name: str, key: str) -> Judging:
        with self._discreet():
            return self.projects.owned(name, key)

    # -- deciding -------------------------------------------------------------------------------

    def decide(self, name: str, key: str, item: str, question: str, value: str) -> None:
        """Keep the owner's decision on a disagreement.

        Raises:
            AnnotationError: not the owner, or no such item, question or answer.
        """
        self._owned(name, key).store.adjudicate(item, question, value)
        self._evaluated.pop(name, None)

    def remove(self, name: str, key: str, item: str) -> None:
        """Take an item out.

        Raises:
            AnnotationError: not the owner, or no such item.
        """
        self._owned(name, key).store.remove(item.strip())
        self._evaluated.pop(name, None)

    def switch(self, name: str, key: str) -> None:
        """Close an open project, open a closed one.

        Raises:
            AnnotationError: not the owner.
        """
        store = self._owned(name, key).store
        store.change(closed=not store.project().closed)

    def delete(self, name: str, key: str) -> None:
        """Delete a project with all that was judged.

        Raises:
            HinterError: not the owner, or it cannot be removed.
        """
        with self._discreet():
            path = self.projects.delete(name, key)
        if self.services.backup:
            self.services.backup.forget(path)
        self._evaluated.pop(name, None)

    def write(self, session: Session, name: str, key: str, kind: str, folder: Path) -> Path:
        """Write all items with what was judged of them, or what stands, to a file to download.

        Raises:
            HinterError: not the owner, or the disk is full.
        """
        if kind not in KINDS:
            raise InputError(f"There is no format '{kind}'; use {', '.join(KINDS)}.")
        store = self._owned(name, key).store
        own = session.new_folder(folder)
        try:
            own.mkdir(parents=True)
        except OSError as error:
            raise InputError(
                session.words(ROOM)("errors.not_written", reason=error.strerror)
            ) from error
        if kind == "consensus":
            path = own / "hinter-consensus.csv"
            export_file(Exported(store, consensus=True), path)
        else:
            path = own / f"hinter-annotations.{kind}"
            export_file(Exported(store), path, kind)
        return path

    def _discreet(self, file: str = "") -> AbstractContextManager[None]:
        """Errors without the folders of this machine, where they are none of the visitor's."""

        def hide(words: str) -> str:
            words = words.replace(file, Path(file).name) if file else words
            if not self.services.access.local:
                words = words.replace(str(self.projects.folder), "the folder of projects")
                words = words.replace(
                    str(self.services.campaigns.folder), "the folder of campaigns"
                )
            return words

        return discreet(hide)


def _stamp(store: AnnotationStore) -> tuple[int, ...]:
    """Numbers that change with what was said, decided and taken out."""
    with store.read() as connection:
        row = connection.execute(
            "SELECT (SELECT COALESCE(MAX(id), 0) FROM judgements), "
            "(SELECT COALESCE(MAX(id), 0) FROM adjudications), "
            "(SELECT COUNT(*) FROM items WHERE removed_at IS NULL), "
            "(SELECT COUNT(*) FROM annotators)"
        ).fetchone()
    return tuple(row)
