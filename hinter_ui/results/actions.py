"""What the Results tab does, without its widgets: find, open, filter, compare, write files.

Faults a visitor can mend are raised as :class:`hinter_core.errors.HinterError`. On a public host no
message names a folder of this machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from hinter_core.campaign.findings import (
    choose_sides,
    count_findings,
    find,
    page_of_findings,
    write_findings,
)
from hinter_core.campaign.mutants_file import ExportFilter as Mutants
from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.schema import edit_from_row
from hinter_core.campaign.store import CampaignStore
from hinter_core.data.tables import rows_to_csv
from hinter_core.errors import InputError
from hinter_core.report.aggregate import count
from hinter_core.report.comparison import Comparison, compare
from hinter_core.report.formats import flat_rows, plain, to_markdown
from hinter_core.report.html import to_html
from hinter_core.report.model import ModelReport, Report, report_of
from hinter_core.types import Edit, Verdict
from hinter_ui.html.wording import DEFAULT, words_of
from hinter_ui.results.open_report import OpenReport, ResultsState
from hinter_ui.shared.downloads import discreet, write_for
from hinter_ui.shared.links import ExploreForm, explore_form
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session

say = words_of(DEFAULT, "results")
PAGE = 20
_FORMS: dict[str, Callable[[Report], str]] = {
    "html": to_html,
    "md": to_markdown,
    "csv": lambda report: rows_to_csv(flat_rows(report)),
    "json": lambda report: json.dumps(plain(report), ensure_ascii=False, indent=1) + "\n",
}


class ResultsActions:
    """The actions of the Results tab."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def choices(self, known: Iterable[str]) -> list[tuple[str, str]]:
        """(label, name) of the campaigns that a visitor may see and that have begun."""
        return self._services.campaigns.offered(known)

    def find(self, name: str, path: str = "") -> tuple[CampaignStore, str]:
        """A campaign by its name, or by the path of its directory.

        Raises:
            InputError: there is none, or paths are not for this visitor.
        """
        path = path.strip()
        if not (path or name):
            raise InputError(say("errors.none_chosen"))
        return self._services.campaigns.store(name, path), "" if path else name

    def open(self, session: Session, name: str, path: str = "") -> OpenReport:
        """Count a campaign and keep it as the one that is read; again, if there is more of it.

        Raises:
            HinterError: no campaign, or a damaged one; what was open stays open.
        """
        store, name = self.find(name, path)
        with self._discreet(store):
            stamp, before = _stamp(store), session.of(ResultsState).reading
            same = before is not None and before.store == store
            if before is not None and same and before.stamp == stamp:
                before.state = _state(store, before.report)
                return before
            with CampaignReader(store) as reader:
                counts = count(reader)
                report = report_of(store, counts)
                by_shard = {model: own.by_shard() for model, own in counts.models.items()}
            reading = OpenReport(store, name, report, by_shard, stamp, _state(store, report))
        models = [model.model for model in report.models]
        reading.model = _most_telling(report)
        if before is not None and same:
            reading.model = before.model if before.model in models else reading.model
            reading.attributes, reading.wanted = before.attributes, before.wanted
        session.of(ResultsState).reading = reading
        if name:
            session.campaign = name
        return reading

    def findings(self, reading: OpenReport) -> tuple[int, int]:
        """Fill the page of findings; returns how many there are, and the page shown.

        Raises:
            HinterError: a table cannot be read.
        """
        if not reading.model:
            reading.shown = []
            return 0, 0
        with self._discreet(reading.store):
            side, wanted = reading.side, reading.filter
            if reading.counted is None:
                counted = reading.by_shard.get(reading.model)
                reading.counted = count_findings(side, wanted, counted)
            total = sum(many for _, many in reading.counted)
            last = max(0, (total - 1) // PAGE)
            reading.page = min(max(reading.page, 0), last)
            start = reading.page * PAGE
            reading.shown = page_of_findings(side, wanted, reading.counted, start, PAGE)
        return total, reading.page

    def form_of_finding(self, session: Session, shard: int, place: int) -> ExploreForm:
        """The Explore form that shows one mutant.

        Raises:
            HinterError: it is not there any more, or Explore cannot show it.
        """
        reading = _open(session)
        with self._discreet(reading.store):
            found = find(reading.side, shard, place)
        if found is None:
            raise InputError(say("errors.gone"))
        return self._form(session, found.text, found.edits, reading.model)

    def form_of_example(self, session: Session, number: int) -> ExploreForm:
        """The Explore form that shows one of the hidden examples.

        Raises:
            HinterError: see :meth:`form_of_finding`.
        """
        reading = _open(session)
        examples = reading.chosen.examples if reading.chosen else []
        return self._form_of_row(session, examples, number, reading.model)

    def form_of_change(self, session: Session, number: int) -> ExploreForm:
        """The Explore form that shows one mutant whose verdict changed, for both models.

        Raises:
            HinterError: see :meth:`form_of_finding`.
        """
        comparison = _open(session).comparison
        changes = comparison.changes if comparison else []
        models = comparison.models if comparison else ()
        return self._form_of_row(session, changes, number, *dict.fromkeys(models))

    def _form_of_row(
        self, session: Session, rows: Sequence[Mapping[str, Any]], number: int, *models: str
    ) -> ExploreForm:
        if not 0 <= number < len(rows):
            raise InputError(say("errors.gone"))
        row = rows[number]
        return self._form(session, row["text"], tuple(map(edit_from_row, row["edits"])), *models)

    def _form(
        self, session: Session, text: str, edits: tuple[Edit, ...], *models: str
    ) -> ExploreForm:
        known = self._services.dictionaries(session)
        return explore_form(_open(session).report.campaign, known, text, edits, *models)

    def compare(self, session: Session, name: str, path: str, models: Sequence[str]) -> Comparison:
        """Compare the open campaign with another, or two of its models.

        Raises:
            HinterError: there is nothing to compare, or a table cannot be read.
        """
        reading = _open(session)
        reading.comparison = None
        other = self.find(name, path)[0] if name or path.strip() else None
        with self._discreet(reading.store, *([other] if other else [])):
            names = [model for model in models if model]
            if len(names) < 2 or (other is None and names[0] == names[1]):
                raise InputError(say("errors.sides"))
            reading.comparison = compare(*choose_sides(reading.store, other, names))
        return reading.comparison

    def models_of(self, name: str, path: str) -> list[str]:
        """The models that a campaign has asked.

        Raises:
            HinterError: no campaign.
        """
        store, _ = self.find(name, path)
        with self._discreet(store):
            return list(store.read()["models"])

    def write(self, session: Session, kind: str, folder: Path) -> Path:
        """Write the report (``html``, ``md``, ``csv``, ``json``) or all ``findings`` to a file.

        Raises:
            HinterError: nothing is open, a table cannot be read, or the disk is full.
        """
        reading = _open(session)
        own = session.new_folder(folder)
        path = own / (f"hinter-report.{kind}" if kind in _FORMS else "hinter-findings.csv")
        try:
            own.mkdir(parents=True)
            with (
                path.open("w", encoding="utf-8", newline="") as file,
                self._discreet(reading.store),
            ):
                if kind in _FORMS:
                    file.write(_FORMS[kind](reading.report))
                else:
                    write_findings(reading.side, reading.filter, file)
        except OSError as error:
            raise InputError(say("errors.not_written", reason=error.strerror)) from error
        return path

    def hand_over(self, session: Session, folder: Path) -> Path:
        """Write the mutants that pass the filter, with their parts, for Batch to run.

        Raises:
            HinterError: nothing is open, nothing passes, or a table cannot be read.
        """
        reading = _open(session)
        wanted = reading.filter
        verdicts = tuple(v for v in Verdict if v.value in wanted.verdicts)
        models = (reading.model,) if reading.model else ()
        chosen = Mutants(verdicts=verdicts, attributes=wanted.attributes, models=models)
        return write_for(session, reading.store, chosen, folder)

    def _discreet(self, *stores: CampaignStore) -> AbstractContextManager[None]:
        """Errors without the folders of this machine, where they are none of the visitor's."""

        def hide(words: str) -> str:
            for store in () if self._services.access.local else stores:
                words = words.replace(str(store.folder), "this campaign")
            return words

        return discreet(hide)


def _open(session: Session) -> OpenReport:
    reading = session.of(ResultsState).reading
    if reading is None:
        raise InputError(say("errors.none_open"))
    return reading


def _most_telling(report: Report) -> str:
    """The model to show first: that with most hidden findings, then most errors; empty if none."""

    def finds(model: ModelReport) -> tuple[int, int]:
        line = model.intersectional
        return line.verdicts[Verdict.HIDDEN.value], line.errors.hits

    return max(report.models, key=finds).model if report.models else ""


def _stamp(store: CampaignStore) -> object:
    """Changes whenever a table is added or made anew."""
    found = sorted(store.shards.glob("*.parquet")) if store.shards.is_dir() else []
    return (store.read()["identity"], *((p.name, p.stat().st_mtime_ns) for p in found))


def _state(store: CampaignStore, report: Report) -> str:
    """What is still missing, in words; empty where all is there, as far as can be known."""
    spec = store.read()
    done, texts = store.known(), report.texts.total()
    size = spec.get("size")
    whole = size.get("texts") if isinstance(size, dict) else report.campaign.sample
    behind = [
        name
        for name, model in spec["models"].items()
        if not all(store.answers(shard, model["identity"]).exists() for shard in done)
    ]
    missing = []
    if isinstance(whole, int) and texts < whole:
        missing.append(say.count("state.partial", texts, all=whole))
    elif not done:
        missing.append(say("state.nothing"))
    if behind:
        missing.append(say("state.behind", models=", ".join(behind)))
    if store.running():
        return " ".join([say("state.running"), *(missing or [say("state.so_far")])])
    return " ".join([*missing, say("state.incomplete")]) if missing else ""
