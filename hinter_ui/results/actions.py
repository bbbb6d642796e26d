"""What the Results tab does, without its widgets: find, open, filter, compare, write files.

Faults that a visitor can mend are raised as :class:`hinter_core.errors.HinterError`. On a public
host no message names a folder of this machine.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import urlencode
from zipfile import ZIP_DEFLATED, ZipFile

from hinter_core.campaign.findings import (
    AND,
    OR,
    FindingFilter,
    FindingGroup,
    Side,
    choose_sides,
    find,
    findings_of,
    group_findings,
    write_findings,
)
from hinter_core.campaign.findings import ExportFilter as Mutants
from hinter_core.campaign.reader import CampaignReader, MutantRecord
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.settings import SAMPLE
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import SPEC, CampaignStore
from hinter_core.campaign.tables import Attributes, edit_from_row
from hinter_core.data.tables import encoding_of
from hinter_core.errors import InputError
from hinter_core.report.compared.comparison import Comparison, compare
from hinter_core.report.formats import ENDINGS, write_report
from hinter_core.report.gate import LIMIT
from hinter_core.report.metrics.diagnosis import WordRate, diagnose
from hinter_core.report.metrics.examples import example
from hinter_core.report.metrics.interactions import Interactions, interactions
from hinter_core.report.model import ModelReport, Report, make_report
from hinter_core.report.page.opening import (
    SHOWN,
    Opening,
    hidden_in_texts,
    leading,
    most_telling,
    opening,
)
from hinter_core.report.section import short_names
from hinter_core.report.sections import sections, with_short_names
from hinter_core.report.tables import table_files
from hinter_core.types import Edit, Verdict
from hinter_ui.html.wording import Words
from hinter_ui.results.html import PER_GROUP, page_in_language
from hinter_ui.shared.library import discreet, write_for
from hinter_ui.shared.links import DEFAULT_MODEL, ExploreForm, explore_form
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session

say = Words("results")

PAGE = 10  # texts with findings
FOLDS = ("rates", "findings", "groups", "words", "compare", "details", "rest", "files")
# A campaign of a few seconds, for those who have none.
EXAMPLE = Campaign(data=SAMPLE, sample=24, limit=30, models=(DEFAULT_MODEL,))
FIRST = FindingFilter(("hidden", "biased"))
_EXAMPLES = Lock()  # one run of the example at a time
_FILES = {"tables": "hinter-tables.zip", "findings-csv": "hinter-findings.csv"}


@dataclass
class OpenReport:
    """An open campaign; ``name`` is its name in the app, empty if it was opened by its path.

    ``stamp`` tells which tables were counted, so that a running campaign is counted again only when
    it has more. ``state`` says what is still missing. ``attributes`` limits what is shown; empty
    for all. ``unfolded``: keys of sections. ``whole``: the group of findings shown in full.
    ``diagnosis`` and ``pairs`` of words are those of the model shown, once they are asked for.
    """

    store: CampaignStore
    name: str
    report: Report
    stamp: object
    state: str = ""
    model: str = ""
    attributes: Attributes = ()
    limit: float = LIMIT
    unfolded: set[str] = field(default_factory=set)
    wanted: FindingFilter = FIRST
    order: str = "hidden"
    page: int = 0
    whole: tuple[int, int, Attributes] | None = None
    comparison: Comparison | None = None
    diagnosis: list[WordRate] = field(default_factory=list)
    pairs: list[Interactions] = field(default_factory=list)

    @property
    def address(self) -> str:
        """The query that opens it again; of a path, that of the tab."""
        return f"?{urlencode({'results': self.name} if self.name else {'tab': 'results'})}"

    @property
    def short(self) -> dict[str, str]:
        """Short names of the models, by their full ones."""
        return short_names(self.models)

    @property
    def models(self) -> list[str]:
        """The names of the models."""
        return [model.model for model in self.report.models]

    @property
    def of_model(self) -> ModelReport | None:
        """The report of the model shown."""
        return next((model for model in self.report.models if model.model == self.model), None)

    @property
    def chosen(self) -> ModelReport | None:
        """The report of the model shown, on the attributes shown."""
        model = self.of_model
        return only(model, self.attributes) if model else None

    @property
    def sets(self) -> list[Attributes]:
        """The attributes that mutants change together."""
        return [line.attributes for line in self.of_model.lines] if self.of_model else []

    @property
    def side(self) -> Side:
        """The answers of the model shown."""
        return Side(self.store, self.model)

    @property
    def filter(self) -> FindingFilter:
        """The filter of the table, on the attributes shown unless it names others."""
        return replace(self.wanted, attributes=self.wanted.attributes or self.attributes)


@dataclass
class ResultsState:
    """State of the Results tab for a page: the open campaign, and the listed campaigns.

    ``looked``: whether the tab was selected already; ``drawn``: the campaign, and its state, that
    the tab shows; ``opening``: held while one is opened.
    """

    looked: bool = False
    reading: OpenReport | None = None
    drawn: tuple[OpenReport, str] | None = None
    offered: list[tuple[str, str]] = field(default_factory=list)
    opening: Lock = field(default_factory=Lock)


def only(model: ModelReport, attributes: Attributes) -> ModelReport:
    """Keep what a model's report says about these attributes; sums over all stay."""
    if not attributes:
        return model
    parts = [(attribute,) for attribute in attributes]

    def own(items: list) -> list:  # type: ignore[type-arg]
        return [item for item in items if item.attributes in (attributes, *parts)]

    return replace(model, lines=own(model.lines)).with_metrics(
        truths=own(model.truths),
        overlaps=own(model.overlaps),
        groups=own(model.groups),
        words=[turn for turn in model.words if turn.attribute in attributes],
        directions=[turn for turn in model.directions if turn.attribute in attributes],
        examples=[e for e in model.examples if tuple(e["attributes"]) == attributes],
    )


class ResultsActions:
    """The actions of the Results tab."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def find(self, name: str, path: str = "") -> tuple[CampaignStore, str]:
        """Find a campaign by its name, or by the path of its directory."""
        path = path.strip()
        if not (path or name):
            raise InputError(say("errors.none_chosen"))
        return self._services.campaigns.store(name, path), "" if path else name

    def open(
        self,
        session: Session,
        name: str,
        path: str = "",
        overtaken: Callable[[], bool] = lambda: False,
    ) -> OpenReport:
        """Count a campaign, if there is more of it than before, and keep it open.

        If this was ``overtaken``, return what is open instead.

        Raises:
            HinterError: no campaign, or a damaged one; the last one stays open.
        """
        store, name = self.find(name, path)
        state = session.of(ResultsState)
        # Two events may ask for it at a time, as a page does and its tab, or for others.
        with self._discreet(store), state.opening:
            stamp, reading = _stamp(store), state.reading
            if reading is not None and overtaken():
                return reading
            if reading is not None and reading.store == store and reading.stamp == stamp:
                reading.state = _state(store, reading.report)
            else:
                reading = state.reading = self._counted(store, name, stamp, reading)
            if name:
                session.campaign = name
            return reading

    def _counted(
        self, store: CampaignStore, name: str, stamp: object, before: OpenReport | None
    ) -> OpenReport:
        """Count a campaign; keep what was chosen in the one shown before, if it is the same."""
        report = make_report(store)
        reading = OpenReport(store, name, report, stamp, _state(store, report))
        telling = most_telling(report)
        reading.model = telling.model if telling else ""
        if before is not None:
            reading.limit = before.limit
        if before is not None and before.store == store:
            reading.model = before.model if before.model in reading.models else reading.model
            reading.attributes, reading.wanted = before.attributes, before.wanted
            reading.order, reading.unfolded = before.order, before.unfolded
        return reading

    def example(self) -> str:
        """Run the example campaign, unless that was done; return its name.

        It is the same for all visitors: of shipped texts, by a shipped model.

        Raises:
            HinterError: its folder cannot be written.
        """
        name = f"example-{EXAMPLE.identity()}"
        store = self._services.campaigns.made(name).store
        with self._discreet(store), _EXAMPLES:
            if not _finished(store):
                run_campaign(EXAMPLE, store)
        return name

    def first_view(self, reading: OpenReport) -> Opening:
        """Return what stands above the folded sections, for the model shown."""
        folder = str(reading.store.folder) if self._services.access.local else "FOLDER"
        report, short = with_short_names(reading.report), reading.short
        first = opening(report, reading.limit, folder, short.get(reading.model, ""))
        chosen = reading.chosen
        if not chosen or not reading.attributes:
            return first
        shown = chosen.with_metrics(examples=self._examples(reading))
        hidden = hidden_in_texts(shown, reading.attributes)
        return replace(first, clusters=leading(shown), hidden=hidden)

    def _examples(self, reading: OpenReport) -> list[dict[str, Any]]:
        """Return the hidden examples on the attributes shown; the report has some of each model."""
        chosen = reading.chosen
        if chosen is None or not reading.attributes:
            return list(chosen.examples) if chosen else []
        wanted = replace(FIRST, verdicts=(Verdict.HIDDEN.value,), attributes=reading.attributes)
        with self._discreet(reading.store):
            groups, _, _ = group_findings(reading.side, wanted, "hidden", 0, SHOWN)
            records = findings_of(reading.side, groups, 1)
        return [
            example(reading.model, first, group.hidden)
            for group, (first, *_) in zip(groups, records, strict=True)
        ]

    def findings(
        self, reading: OpenReport
    ) -> tuple[list[tuple[FindingGroup, list[MutantRecord]]], int, int]:
        """Return a page of findings by text, and the numbers of texts and of all findings."""
        if not reading.model:
            return [], 0, 0
        side, wanted = reading.side, reading.filter
        with self._discreet(reading.store):
            groups, total, mutants = group_findings(
                side, wanted, reading.order, reading.page * PAGE, PAGE
            )
            if not groups and reading.page:  # fewer than before
                reading.page = 0
                return self.findings(reading)
            whole = [(one.shard, one.row, one.attributes) == reading.whole for one in groups]
            first, full = findings_of(side, groups, PER_GROUP), {}
            for place in (n for n, shown in enumerate(whole) if shown):
                (full[place],) = findings_of(side, [groups[place]], len(groups[place].places))
        listed = [(one, full.get(n, first[n])) for n, one in enumerate(groups)]
        return listed, total, mutants

    def diagnose(self, reading: OpenReport) -> None:
        """Diagnose the open campaign: which words change answers of the model shown."""
        if reading.model and not reading.diagnosis:
            with self._discreet(reading.store), CampaignReader(reading.store) as reader:
                reading.diagnosis = diagnose(reader, reading.model)
                reading.pairs = interactions(reader, reading.model)

    def show_word(self, session: Session, number: int) -> OpenReport:
        """Filter the findings by a word of the diagnosis."""
        reading = opened(session)
        if not 0 <= number < len(reading.diagnosis):
            raise InputError(say("errors.gone"))
        one = reading.diagnosis[number]
        return self._searched(reading, OR.join(one.spellings or (one.word,)), (one.attribute,))

    def show_pair(self, session: Session, number: int) -> OpenReport:
        """Filter the findings by a pair of new words of the diagnosis."""
        reading = opened(session)
        pairs = [(pair, table.attributes) for table in reading.pairs for pair in table.pairs]
        if not 0 <= number < len(pairs):
            raise InputError(say("errors.gone"))
        pair, attributes = pairs[number]
        words = (OR.join(of) for of in pair.spellings)
        return self._searched(reading, AND.join(words), attributes)

    def _searched(self, reading: OpenReport, search: str, wanted: Attributes) -> OpenReport:
        """Filter by words, and by their attributes if mutants of these alone were tested."""
        alike = (names for names in reading.sets if sorted(names) == sorted(wanted))
        attributes = next(alike, ())
        reading.wanted = replace(FIRST, search=search, attributes=attributes)
        reading.page, reading.whole = 0, None
        reading.unfolded.add("findings")
        return reading

    def form_of_finding(self, session: Session, shard: int, place: int) -> ExploreForm:
        """Return the Explore form that shows one mutant."""
        reading = opened(session)
        with self._discreet(reading.store):
            record = find(reading.side, shard, place)
        if record is None:
            raise InputError(say("errors.gone"))
        return self._form(session, record.row, record.text, record.edits, reading.model)

    def form_of_example(self, session: Session, number: int) -> ExploreForm:
        """Return the Explore form that shows one of the hidden examples."""
        reading = opened(session)
        return self._form_of_row(session, self._examples(reading), number, reading.model)

    def form_of_change(self, session: Session, number: int) -> ExploreForm:
        """Return the Explore form that shows one changed verdict, for both models."""
        comparison = opened(session).comparison
        changes = [*comparison.changes, *comparison.alike] if comparison else []
        models = comparison.models if comparison else ()
        return self._form_of_row(session, changes, number, *dict.fromkeys(models))

    def _form_of_row(
        self, session: Session, rows: Sequence[Mapping[str, Any]], number: int, *models: str
    ) -> ExploreForm:
        if not 0 <= number < len(rows):
            raise InputError(say("errors.gone"))
        row = rows[number]
        edits = tuple(map(edit_from_row, row["edits"]))
        return self._form(session, row["row"], row["text"], edits, *models)

    def _form(
        self, session: Session, row: int, text: str, edits: tuple[Edit, ...], *models: str
    ) -> ExploreForm:
        reading, known = opened(session), self._services.dictionaries(session)
        with self._discreet(reading.store):
            return explore_form(reading.report.campaign, known, row, text, edits, *models)

    def compare(self, session: Session, name: str, path: str, models: Sequence[str]) -> Comparison:
        """Compare the open campaign with another, or two of its models."""
        reading = opened(session)
        reading.comparison = None
        other = self.find(name, path)[0] if name or path.strip() else None
        with self._discreet(reading.store, *([other] if other else [])):
            names = [model for model in models if model]
            if len(names) < 2 or (other is None and names[0] == names[1]):
                raise InputError(say("errors.sides"))
            made = compare(*choose_sides(reading.store, other, names))
        short = short_names(made.models)
        sides = zip((made.first, made.second), made.models, strict=True)
        first, second = (side.replace(model, short[model]) for side, model in sides)
        made = replace(made, first=first, second=second)
        if made.models[0] == made.models[1] and not path.strip():  # nobody chose the folders' names
            first, second = (say(f"comparison.{which}", model=short[made.models[0]])
                             for which in ("open", "other"))  # fmt: skip
            made = replace(made, first=first, second=second)
        reading.comparison = made
        return made

    def models_of(self, name: str, path: str) -> list[str]:
        """Return the models that a campaign has asked."""
        store, _ = self.find(name, path)
        with self._discreet(store):
            return list(store.read()["models"])

    def write(self, session: Session, kind: str, folder: Path) -> Path:
        """Write the report (``html``, ``md``, ``csv``, ``json``), its ``tables`` or findings."""
        reading = opened(session)
        new_folder = session.new_folder(folder)
        path = new_folder / _FILES.get(kind, f"hinter-report.{kind}")
        try:
            new_folder.mkdir(parents=True)
            if kind == "tables":
                with ZipFile(path, "w", ZIP_DEFLATED) as zipped:
                    for name, text in table_files(sections(reading.report)).items():
                        zipped.writestr(name, text.encode(encoding_of(name)))
                return path
            with (
                path.open("w", encoding=encoding_of(path.name), newline="") as file,
                self._discreet(reading.store),
            ):
                if kind == "html":
                    file.write(page_in_language(reading.report, reading.limit))
                elif form := ENDINGS.get(f".{kind}"):
                    file.write(write_report(reading.report, form, limit=reading.limit))
                else:
                    write_findings(reading.side, reading.filter, file)
        except OSError as error:
            raise InputError(say("errors.not_written", reason=error.strerror)) from error
        return path

    def hand_over(self, session: Session, folder: Path) -> Path:
        """Write the mutants that pass the filter, with their parts, for Batch to run."""
        reading = opened(session)
        wanted = reading.filter
        verdicts = tuple(v for v in Verdict if v.value in wanted.verdicts)
        models = (reading.model,) if reading.model else ()
        chosen = Mutants(verdicts=verdicts, attributes=wanted.attributes, models=models)
        return write_for(session, reading.store, chosen, folder)

    def hand_to_repair(self, session: Session) -> None:
        """Hand the model shown, and the grammar of its campaign, over to Repair."""
        reading = opened(session)
        session.models, session.grammar = (reading.model,), reading.report.campaign.grammar

    def _discreet(self, *stores: CampaignStore) -> AbstractContextManager[None]:
        """Keep the folders of this machine out of errors on a public host."""

        def hide(words: str) -> str:
            for store in () if self._services.access.local else stores:
                words = words.replace(str(store.folder), say("errors.this"))
            return words

        return discreet(hide)


def can_be_repaired(reading: OpenReport) -> bool:
    """Whether the campaign is of a grammar, and its model of a kind that can learn from it."""
    kind = reading.model.partition(":")[0]
    return bool(reading.report.campaign.grammar) and kind in ("embedded", "hf")


def opened(session: Session) -> OpenReport:
    """Return the open campaign.

    Raises:
        InputError: none is open.
    """
    reading = session.of(ResultsState).reading
    if reading is None:
        raise InputError(say("errors.none_open"))
    return reading


def _finished(store: CampaignStore) -> bool:
    return (store.folder / SPEC).exists() and "finished" in (store.read().get("runs") or [{}])[-1]


def _stamp(store: CampaignStore) -> object:
    """Identify the tables that there are, and when each was written."""
    shards = sorted(store.shards.glob("*.parquet")) if store.shards.is_dir() else []
    return (store.read()["identity"], *((p.name, p.stat().st_mtime_ns) for p in shards))


def _state(store: CampaignStore, report: Report) -> str:
    """Say what is still missing, as far as is known; empty where nothing is."""
    spec = store.read()
    written, texts = store.written(), report.texts.total()
    done = written.shards
    size = spec.get("size")
    whole = size.get("texts") if isinstance(size, dict) else report.campaign.sample
    behind = [
        name
        for name, model in spec["models"].items()
        if not all(written.has(shard, [model["identity"]]) for shard in done)
    ]
    missing = []
    if isinstance(whole, int) and texts < whole:
        missing.append(say.count("state.partial", texts, all=whole))
    elif not done:
        missing.append(say("state.nothing"))
    if behind:
        missing.append(say("state.behind", models=", ".join(short_names(behind).values())))
    if store.running():
        return " ".join([say("state.running"), *(missing or [say("state.so_far")])])
    return " ".join([*missing, say("state.incomplete")]) if missing else ""
