"""Create, view, adjudicate, close, delete and download projects, for their owners."""

import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, Self
from zipfile import ZIP_DEFLATED, ZipFile

from cachetools import LRUCache

from hinter_core.annotation.evaluation.answers import Answers, answers_of
from hinter_core.annotation.evaluation.evaluation import Evaluation, evaluate
from hinter_core.annotation.files.archive import ARCHIVE, fill, settings_of
from hinter_core.annotation.files.exporting import FORMATS, Exported, export_file
from hinter_core.annotation.files.importing import Imported, import_file
from hinter_core.annotation.items import (
    OUTCOMES,
    fill_invariant,
    items_of_check,
    sample_campaign,
)
from hinter_core.annotation.project.judging import Judging
from hinter_core.annotation.project.people import (
    erase,
    exclude,
    include,
    merge,
    rename,
    reset_phrase,
)
from hinter_core.annotation.project.questions import (
    LONGEST,
    OPENING,
    default_questions,
    read_opening,
    read_questions,
)
from hinter_core.annotation.project.store import AnnotationStore
from hinter_core.annotation.project.types import (
    CONSENSUS,
    AnnotationError,
    AnnotationItem,
    AnnotatorProgress,
    Judgement,
    Project,
)
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import InputError
from hinter_ui.annotate.texts import Found, add_typed, search
from hinter_ui.html.wording import Words, chosen, numeral, translated
from hinter_ui.shared.library import Annotations, discreet
from hinter_ui.shared.links import DEFAULT_PARSER
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session

say = Words("projects")

# What an owner does to a person, with the values of the form.
MANAGED: Mapping[str, Callable[[AnnotationStore, str, Mapping[str, str]], object]] = {
    "exclude": lambda store, person, given: exclude(store, person, given.get("reason", "")),
    "include": lambda store, person, _: include(store, person),
    "merge": lambda store, person, given: merge(store, person, given.get("into", "")),
    "rename": lambda store, person, given: rename(store, person, given.get("new", "")),
    "reset": lambda store, person, _: reset_phrase(store, person),
    "erase": lambda store, person, _: erase(store, person),
    "anonymise": lambda store, person, _: erase(store, person, keep=True),
}
SOURCES = ("campaign", "directory", "file", "check")
HERE_ONLY = frozenset({"directory"})
KINDS = (*FORMATS, CONSENSUS)  # of downloads; the last one as CSV
_JOINED = "\n"  # between the attributes of a choice
_MOST, _MOST_COPIES = 5_000, 100
_LONGEST_NAME, _DIGITS = 120, 5
_COMMENTS, _DISPUTED, _DECIDED = 20, 100, 8  # shown
_REST = 4.0  # minimum time between two evaluations, in durations of the first
_KEPT = 16  # evaluations


@dataclass(frozen=True)
class ProjectForm:
    """Values of the form for a new project, in the order of its controls."""

    source: str = "campaign"
    campaign: str = ""
    directory: str = ""
    file: str = ""
    many: int = 200
    outcomes: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    validity: float = 0.0
    name: str = ""
    language: str = "en"
    labels: str = ""
    questions: str = ""
    share: float = 20.0
    copies: int = 1
    repeats: float = 5.0
    blind: bool = True

    @classmethod
    def of(cls, *values: Any) -> Self:
        """Validate the values of the widgets, which come in the order of the fields.

        Raises:
            AnnotationError: a number is missing or out of range.
        """
        raw = dict(zip(cls.__dataclass_fields__, values, strict=True))

        def number(name: str, least: float, most: float) -> float:
            try:
                value = float(raw[name])
            except (TypeError, ValueError):
                value = float("nan")
            if not least <= value <= most:
                label = say(f"fields.{name}.label")
                raise AnnotationError(say("errors.number", label=label, least=least, most=most))
            return value

        given: dict[str, Any] = {
            name: str(raw[name] or "").strip()
            for name in ("source", "campaign", "directory", "file", "name", "labels", "questions")
        }
        for name in ("outcomes", "attributes"):
            given[name] = tuple(str(one) for one in raw[name] or ())
        return cls(
            **given, language=chosen(raw["language"]), blind=bool(raw["blind"]),
            many=int(number("many", 1, _MOST)), share=number("share", 0, 100),
            copies=int(number("copies", 1, _MOST_COPIES)), repeats=number("repeats", 0, 100),
            validity=number("validity", 0, 1),
        )  # fmt: skip

    def project(self) -> Project:
        """Return the project's settings.

        Raises:
            AnnotationError: no name, or invalid questions.
        """
        if not self.name or len(self.name) > _LONGEST_NAME:
            raise AnnotationError(say("errors.name", most=_LONGEST_NAME))
        labels = [label.strip() for label in self.labels.split(",") if label.strip()]
        instructions, questions = default_questions(self.language, labels)
        opening: dict[str, Any] = {}
        if self.questions:
            given = self.questions, say("fields.questions.label")
            instructions, questions = read_questions(*given, labels)
            opening = read_opening(*given, questions)
        return Project(
            " ".join(self.name.split()), questions, instructions, self.language, self.blind,
            self.share / 100, self.copies, self.repeats / 100, **opening,
        )  # fmt: skip


def attribute_choices(store: CampaignStore) -> list[tuple[str, str]]:
    """Return (words, value) of the sets of attributes that a campaign changes.

    Raises:
        HinterError: no campaign.
    """
    campaign = store.campaign()
    names, orders = sorted(campaign.attributes), range(1, campaign.order + 1)
    sets = [names_together for order in orders for names_together in combinations(names, order)]
    return [
        (" \u00d7 ".join(names_together), _JOINED.join(names_together)) for names_together in sets
    ]


@dataclass(frozen=True)
class Made:
    """A new project: its name, its owner's key, and what was imported."""

    id: str
    key: str
    done: Imported


@dataclass(frozen=True)
class View:
    """State of a project for its owner.

    ``items``: by id, those in ``comments``, ``decisions`` and disputes. ``removed`` and
    ``decisions`` (item, question, value): the latest first. ``done``: texts that as many people
    judged as the project wants. ``answers`` to the items. ``texts`` that the owner looks through.
    """

    id: str
    key: str
    project: Project
    size: int
    people: list[AnnotatorProgress]
    comments: list[Judgement]
    found: Evaluation
    items: dict[str, AnnotationItem]
    removed: list[AnnotationItem]
    decisions: list[tuple[str, str, str]]
    done: int
    answers: Answers
    texts: Found


@dataclass(frozen=True)
class _Evaluated:
    stamp: tuple[int, ...]
    found: Evaluation
    made: float
    took: float

    @property
    def due(self) -> bool:
        """Whether enough time has passed to evaluate again."""
        return time.monotonic() - self.made > min(60.0, _REST * self.took)


class AnnotateActions:
    """The owner's side of all projects.

    Raises:
        HinterError: no such project or not its owner (all methods with a key), or what is given
            cannot be used.
    """

    def __init__(self, services: Services, projects: Annotations) -> None:
        self.services = services
        self.projects = projects
        self._evaluated: LRUCache[str, _Evaluated] = LRUCache(_KEPT)
        self._evaluating = threading.Lock()

    # -- making ---------------------------------------------------------------------------------

    def campaign(self, form: ProjectForm) -> CampaignStore | None:
        """Return the campaign that a form draws from, if it names one."""
        if form.source == "campaign" and form.campaign:
            return self.services.campaigns.store(form.campaign)
        if form.source == "directory" and form.directory:
            return self.services.campaigns.store("", form.directory)
        return None

    def make(self, session: Session, form: ProjectForm) -> Made:
        """Create a project with its items; if there are none, nothing is left of it."""
        with self._discreet(form.file):
            held = self._archived(form)
            project = held or form.project()
            items = self._items(session, form)
            name, key = self.projects.new(project)
            try:
                store = self.projects.judging(name).store
                if held:
                    done = Imported(items=fill(store, Path(form.file)))
                elif form.source == "file":
                    done = self._imported(store, form.file)
                else:
                    known = len(store.add(items))
                    done = Imported(items=len(items) - known, items_known=known)
                return Made(name, key, done)
            except BaseException:
                self.projects.delete(name, key)
                raise

    def _archived(self, form: ProjectForm) -> Project | None:
        """Return the settings of a whole project in the form's file, renamed as the form says."""
        path = Path(form.file)
        if form.source != "file" or path.suffix != ARCHIVE:
            return None
        held = settings_of(path)
        return replace(held, name=form.name) if held and form.name else held

    def _items(self, session: Session, form: ProjectForm) -> list[AnnotationItem]:
        if form.source == "file":
            if not form.file:
                raise AnnotationError(say("errors.no_file"))
            return []
        outcomes = [one for one in form.outcomes if one in OUTCOMES]
        if form.source == "check":
            if session.check is None or not session.check.mutants:
                raise AnnotationError(say("errors.no_check"))
            return items_of_check(
                session.check, form.many, outcomes=outcomes, validity=form.validity
            )
        store = self.campaign(form)
        if store is None:
            missing = "directory" if form.source == "directory" else "campaign"
            raise AnnotationError(say(f"errors.no_{missing}"))
        sets = [tuple(one.split(_JOINED)) for one in form.attributes]
        return sample_campaign(
            store, form.many, outcomes=outcomes, attributes=sets, validity=form.validity
        )

    def add(self, name: str, key: str, *, lines: str = "", file: str = "") -> Imported:
        """Add texts that are typed, or those of a file with its judgements."""
        store = self._owned(name, key).store
        with self._discreet(file):
            if file:
                return self._imported(store, file)
            items, known = add_typed(store, lines)
            fill_invariant(store, self.services.parses(DEFAULT_PARSER))
        return Imported(items=items, items_known=known)

    def _imported(self, store: AnnotationStore, file: str) -> Imported:
        done = import_file(store, file)
        if not done.items + done.items_known:
            why = say("errors.no_text")
            for row, fault in done.problems[:1]:
                why = say("errors.no_text_row", row=row, fault=translated(fault))
            raise AnnotationError(why)
        fill_invariant(store, self.services.parses(DEFAULT_PARSER))
        return done

    # -- looking --------------------------------------------------------------------------------

    def view(self, name: str, key: str, query: str = "", page: int = 0) -> View:
        """Return the current state of a project, with the texts that hold a query."""
        judging = self._owned(name, key)
        store = judging.store
        evaluation = self._evaluation(name, store)
        every_one = list(store.judgements())
        remarks = [one for one in every_one if one.comment.strip()]
        comments = sorted(remarks, key=lambda one: one.id, reverse=True)[:_COMMENTS]
        named = {one.item for one in comments}
        named |= {one.item for one in evaluation.disputed[:_DISPUTED]}
        decisions = [(*key, value) for key, value in store.adjudications().items()][::-1]
        named |= {item for item, _, _ in decisions[:_DECIDED]}
        items = {item.id: item for item in store.items() if item.id in named}
        people, (done, size) = judging.standings(), store.done()
        answers = answers_of(one for one in every_one if one.item in named)
        return View(
            name, key, store.project(), size, people, comments, evaluation, items,
            store.removed(), decisions[:_DECIDED], done, answers, search(store, query, page),
        )  # fmt: skip

    def stamp(self, name: str, key: str) -> str:
        """Return a text that changes when the view of a project may have changed."""
        store = self._owned(name, key).store
        marks = _stamp(store)
        kept = self._evaluated.get(name)
        late = kept is not None and kept.stamp != marks and kept.due
        return json.dumps([*marks, store.project().closed, late])

    def _evaluation(self, name: str, store: AnnotationStore) -> Evaluation:
        """Return the evaluation, computed anew after changes unless the last one is recent."""
        stamp = _stamp(store)
        with self._evaluating:
            kept = self._evaluated.get(name)
            if kept is not None and (kept.stamp == stamp or not kept.due):
                return kept.found
            begun = time.monotonic()
            evaluation = evaluate(store)
            now = time.monotonic()
            self._evaluated[name] = _Evaluated(stamp, evaluation, now, now - begun)
            return evaluation

    def _owned(self, name: str, key: str) -> Judging:
        with self._discreet():
            return self.projects.owned(name, key)

    # -- deciding -------------------------------------------------------------------------------

    def decide(self, name: str, key: str, item: str, question: str, value: str) -> None:
        """Store the owner's decision on a disagreement."""
        self._owned(name, key).store.adjudicate(item, question, value)
        self._evaluated.pop(name, None)

    def edit(self, name: str, key: str, given: Mapping[str, str]) -> None:
        """Change the given ones of what people read and how much one judges; not the questions.

        ``was-NAME``: what the page had for ``NAME`` before it was changed there.
        """
        store = self._owned(name, key).store
        project = store.project()
        texts = {part: given[part].strip() for part in (*OPENING, "instructions") if part in given}
        title = " ".join(given.get("name", project.name).split())
        if not title or len(title) > _LONGEST_NAME:
            raise AnnotationError(say("errors.name", most=_LONGEST_NAME))
        if any(len(text) > LONGEST for text in texts.values()):
            raise AnnotationError(say("errors.long", most=numeral(LONGEST)))
        quota = given.get("quota", str(project.quota)).strip() or "0"
        if not quota.isascii() or not quota.isdigit() or len(quota) > _DIGITS:
            label = say("edit.quota")
            raise AnnotationError(say("errors.number", label=label, least=0, most=10**_DIGITS - 1))
        for part in {*texts, "name", "quota"} & given.keys():
            now = str(getattr(project, part))
            if now.split() not in (given.get(f"was-{part}", now).split(), given[part].split()):
                raise AnnotationError(say("errors.changed", label=say(f"edit.{part}")))
        ticks = {"gold": given["gold"] == "yes"} if "gold" in given else {}
        if "together" in given:
            ticks["alone"] = given["together"] != "yes"
        store.change(**texts, **ticks, name=title, quota=int(quota))

    def manage(self, name: str, key: str, person: str, what: str, given: Mapping[str, str]) -> str:
        """Do to a person ``what`` :data:`MANAGED` names; return a new pass-phrase, if any."""
        if what not in MANAGED:
            raise InputError(f"There is nothing '{what}' to do; use {', '.join(MANAGED)}.")
        if what in ("erase", "anonymise") and given.get("confirm", "").strip() != person:
            raise AnnotationError(say("person.not_confirmed", name=person))
        done = MANAGED[what](self._owned(name, key).store, person, given)
        self._evaluated.pop(name, None)
        return done if isinstance(done, str) else ""

    def remove(self, name: str, key: str, item: str) -> None:
        """Remove an item."""
        self._owned(name, key).store.remove(item)
        self._evaluated.pop(name, None)

    def restore(self, name: str, key: str, item: str) -> None:
        """Restore a removed item."""
        self._owned(name, key).store.restore(item)
        self._evaluated.pop(name, None)

    def switch(self, name: str, key: str) -> None:
        """Close an open project, open a closed one."""
        store = self._owned(name, key).store
        store.change(closed=not store.project().closed)

    def delete(self, name: str, key: str) -> None:
        """Delete a project with all judgements."""
        with self._discreet():
            path = self.projects.delete(name, key)
        if self.services.backup:
            self.services.backup.forget(path)
        self._evaluated.pop(name, None)

    def write(self, session: Session, name: str, key: str, kind: str, folder: Path) -> Path:
        """Write the items with their judgements, or with the consensus, to a file to download.

        Formats of several files come as a ZIP.
        """
        if kind not in KINDS:
            raise InputError(f"There is no format '{kind}'; use {', '.join(KINDS)}.")
        store = self._owned(name, key).store
        export_folder = session.new_folder(folder)
        try:
            export_folder.mkdir(parents=True)
        except OSError as error:
            why = say("errors.not_written", reason=error.strerror)
            raise InputError(why) from error
        consensus = kind == CONSENSUS
        path = export_folder / _file_name(store.project().name, kind)
        export_file(Exported(store, consensus=consensus), path, "csv" if consensus else kind)
        return _as_one(path)

    def _discreet(self, file: str = "") -> AbstractContextManager[None]:
        """Keep folders of this machine out of errors, unless the visitor owns it."""

        def hide(words: str) -> str:
            words = words.replace(file, Path(file).name) if file else words
            if not self.services.access.local:
                campaigns = self.services.campaigns.folder
                for name, folder in (("projects", self.projects.folder), ("campaigns", campaigns)):
                    words = words.replace(str(folder), say(f"folders.{name}"))
            return words

        return discreet(hide)


def _file_name(title: str, kind: str) -> str:
    """Return the name of a download: the project's, and what the ending leaves open."""
    ending = ".csv" if kind == CONSENSUS else FORMATS[kind].ending
    plain = re.sub(r"[^\w-]+", "-", title).strip("-")[:60] or "annotations"
    return plain + ("" if ending == f".{kind}" else f"-{kind}") + ending


def _as_one(path: Path) -> Path:
    """Return a file that stands alone in its folder, or a ZIP of what else is there."""
    written = [one for one in sorted(path.parent.rglob("*")) if one.is_file()]
    if written == [path]:
        return path
    zipped = path.with_name(f"{path.name}.zip")
    with ZipFile(zipped, "w", ZIP_DEFLATED) as archive:
        for one in written:
            archive.write(one, one.relative_to(path.parent))
    return zipped


def _stamp(store: AnnotationStore) -> tuple[Any, ...]:
    """Return values that change with judgements, decisions, items and annotators."""
    with store.read() as connection:
        row = connection.execute(
            "SELECT (SELECT COALESCE(MAX(id), 0) FROM judgements), "
            "(SELECT COALESCE(MAX(id), 0) FROM adjudications), "
            "(SELECT COUNT(*) FROM items WHERE removed_at IS NULL), "
            "(SELECT group_concat(id || ' ' || name || ' ' || COALESCE(excluded, '')) "
            "FROM annotators)"
        ).fetchone()
    return tuple(row)
