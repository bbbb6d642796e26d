"""What the Explore tab does, without its widgets: look, check, scan, choose, render.

Faults that a visitor can mend are raised as :class:`hinter_core.errors.HinterError`.
"""

import json
import math
import threading
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations
from operator import itemgetter
from pathlib import Path
from typing import Any

from hinter_core.data.tables import rows_to_csv
from hinter_core.errors import HinterError, InputError
from hinter_core.generators.templates.template import ATTRIBUTES as TEMPLATE_ATTRIBUTES
from hinter_core.language.clean import clean
from hinter_core.language.coreference import resolve
from hinter_core.models.budget import Budget, Cost
from hinter_core.models.process import ProcessModel
from hinter_core.models.registry import is_generative
from hinter_core.mutation.plan import Plan
from hinter_core.pipeline.case import TestResult
from hinter_core.pipeline.export import check_to_json, check_to_rows
from hinter_core.pipeline.neutral import neutral_flips
from hinter_core.pipeline.pipeline import Pipeline, estimate, plan_text
from hinter_core.storage import ASSETS
from hinter_core.terms.dictionary import Dictionary, choose
from hinter_core.types import Edit, Occurrence
from hinter_ui.explore.html import Filter, banner, originals, rows_for, say, table
from hinter_ui.html.markup import Markup, join, tag
from hinter_ui.html.people import people
from hinter_ui.html.square import figure, square
from hinter_ui.html.trees import changed_sentences, trees
from hinter_ui.html.wording import SEVERITY, Words, name_of, product
from hinter_ui.shared.access import MOST_DICTIONARIES, MOST_READ
from hinter_ui.shared.links import SEPARATOR, ExploreForm, edit_key, find_edits, first_offer, offers
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Result, Session
from hinter_ui.shared.templates import is_slotted, slotted_plan

shared = Words("shared")
EXAMPLES = ASSETS / "examples" / "examples.toml"
PAIR_SEPARATOR = "+"
_SCAN_CHUNK = 48
_SHARED_CHUNK = 12  # on a public host, where others wait for the parser and the models
_SHORT = 2_000  # characters of a text that is read at once there
_WAY = 0.5  # seconds that a scan stands back there before each chunk, while others check
_LONGEST_SCAN = 180  # seconds, on a public host


@dataclass
class ExploreState:
    """What Explore keeps of a page: what its controls say, and what of a result is looked at.

    ``controls`` may be more recent than the result; ``opened`` is what they said on the fresh page,
    if its address did not; ``coming`` is what they are about to say; ``awaited`` is the form of a
    scan that has found nothing yet. ``people_open``: whether the part with people is open;
    ``people_of``: the text and the parser that it shows them for.
    """

    controls: ExploreForm = field(default_factory=ExploreForm)
    opened: ExploreForm | None = None
    coming: ExploreForm | None = None
    awaited: ExploreForm | None = None
    shown_model: str = ""
    selected: int | None = None
    filter: Filter = field(default_factory=Filter)
    people_open: bool = False
    people_of: tuple[str, str, str] | None = None


@dataclass(frozen=True)
class Options:
    """What can be chosen for one check: sets of attributes, and replacements for each."""

    sets: list[tuple[str, str]]
    chosen: str
    slots: list[tuple[str, list[tuple[str, str]], str]]  # (attribute, choices, value)


@dataclass(frozen=True)
class Shown:
    """The rendered parts of one mutant."""

    banner: Markup
    square: Markup
    plot: Any | None
    trees: Markup


class ExploreActions:
    """The actions of the Explore tab."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._checks = 0  # at work now
        self._quiet = threading.Condition()
        self._long = threading.RLock()

    @contextmanager
    def _checking(self) -> Iterator[None]:
        with self._quiet:
            self._checks += 1
        try:
            yield
        finally:
            with self._quiet:
                self._checks -= 1
                if not self._checks:
                    self._quiet.notify_all()

    def _stand_back(self, pipeline: Pipeline) -> None:
        """Let checks of others go before the next chunk of a scan that works in this process."""
        apart = all(isinstance(store.model, ProcessModel) for store in pipeline.models)
        if not (apart or self._services.access.local):
            with self._quiet:
                self._quiet.wait_for(lambda: not self._checks, _WAY)

    def _in_turn(self, text: str) -> AbstractContextManager[object]:
        """Read one long text at a time on a public host, so that short ones need not wait."""
        short = self._services.access.local or len(text) <= _SHORT
        return nullcontext() if short else self._long

    def plan(self, session: Session, form: ExploreForm) -> Plan:
        """Return what the text offers; no model is loaded, but loaded ones limit what is seen."""
        self._services.access.admit_text(form.text, form.models)
        with self._in_turn(form.text):
            return self._plan(session, form)

    def _plan(self, session: Session, form: ExploreForm) -> Plan:
        if plan := _filled(form):
            return plan
        dictionaries = self._dictionaries(session, form)
        loaded = [self._services.loaded_model(name, session) for name in form.models]
        visible = [store.model.visible for store in loaded if store]
        parses = self._services.parses(form.parser)
        return plan_text(form.text, dictionaries, form.settings, parses, visible)

    def elsewhere(self, session: Session, form: ExploreForm, plan: Plan) -> list[Occurrence]:
        """Return words of attributes that are not chosen, where no chosen one changes them."""
        known = self._services.dictionaries(session).items()
        others = [name for name, one in known if name not in form.attributes and not one.placebo]
        if plan.slots or not others:
            return []
        with self._in_turn(form.text):
            found = self._plan(session, replace(form, attributes=tuple(others))).occurrences
        taken = [own.span for own in plan.occurrences]
        return [one for one in found if not any(_overlap(one.span, span) for span in taken)]

    def costs(self, session: Session, form: ExploreForm, plan: Plan) -> dict[str, Cost]:
        """Return the maximum cost of a scan for each loaded model that answers in words."""
        names = [name for name in form.models if is_generative(name)]
        loaded = [self._services.loaded_model(name, session) for name in names]
        stores = [store for store in loaded if store]
        return estimate(plan, stores) if stores else {}

    def people(self, session: Session, form: ExploreForm) -> Markup | None:
        """Show who is who in the text, while that part is open; None: what it shows stays."""
        state = session.of(ExploreState)
        wanted = (
            (form.text, form.template, form.parser)
            if state.people_open and form.text.strip()
            else None
        )
        if wanted == state.people_of:
            return None
        state.people_of = wanted
        with self._in_turn(form.text):
            return self._people(form) if wanted else Markup("")

    def _people(self, form: ExploreForm) -> Markup:
        try:
            self._services.access.admit_text(form.text)
            plan = _filled(form)
            text, _ = clean(plan.text if plan else form.text)
            read = text[:MOST_READ]
            if len(read) < len(text):
                read = read.rpartition(" ")[0] or read  # no word is cut in two
            entities = resolve(read, self._services.parses(form.parser))
            return people(read, entities, left=len(text) - len(read))
        except HinterError as error:
            return tag("p", str(error), class_="quiet")

    def options(self, plan: Plan, form: ExploreForm, chosen: str = "") -> Options:
        """Return the attribute sets of the form's order, and the replacements of the chosen set."""
        present = [a for a in plan.attributes if plan.edits.get(a)]
        sizes = range(min(plan.settings.order, len(present)), 0, -1)
        sets = [each for size in sizes for each in combinations(present, size)]
        if len(present) < min(plan.settings.order, 2):
            sets = []
        names = [(product([name_of(a) for a in s]), PAIR_SEPARATOR.join(s)) for s in sets]
        if not sets:
            return Options([], "", [])
        wanted = {key.partition("|")[0] for key in form.edits}
        first = next((s for s in sets if PAIR_SEPARATOR.join(s) == chosen), None)
        first = first or next((s for s in sets if set(s) == wanted), sets[0])
        keys = form.edits or tuple(map(edit_key, first_offer(plan, first)))
        slots = [_slot(plan, attribute, keys) for attribute in first]
        return Options(names, PAIR_SEPARATOR.join(first), slots)

    @contextmanager
    def coming(self, session: Session, form: ExploreForm) -> Iterator[ExploreForm]:
        """Take a form for what a page's controls say while it is on its way there."""
        state = session.of(ExploreState)
        state.coming = state.controls = form
        try:
            yield form
        finally:
            state.coming = None

    def check(self, session: Session, form: ExploreForm, *, strict: bool = True) -> TestResult:
        """Judge one combination of edits and its parts; the session keeps the result.

        Unless ``strict``, edits left over from a text that was typed over give way to others. A
        combination that a scan of the same has judged is shown among its variants. The result is
        not kept if another check or scan was asked for meanwhile, which will be shown.
        """
        session.interrupt()
        with self._in_turn(form.text), self._checking():
            return self._check(session, form, strict=strict)

    def _check(self, session: Session, form: ExploreForm, *, strict: bool) -> TestResult:
        turn = session.turn
        pipeline, plan = self._prepare(session, form)
        left_over = not strict and all(SEPARATOR in key for key in form.edits)
        if form.edits and not left_over:
            edits = find_edits(plan, form.edits)
        else:
            options = self.options(plan, form)
            edits = find_edits(plan, [slot[2] for slot in options.slots])
        if scan := self._scanned(session, form, edits):
            return scan
        result: TestResult | None = None
        for partial in pipeline.run(plan, chosen=[edits]):
            result = partial
        if result is None:
            raise InputError(say("errors.nothing"))
        self._add_neutral(pipeline, result, form)
        if session.turn == turn:
            self._keep(session, Result(result, form))
            session.of(ExploreState).selected = len(result.mutants) - 1
        return result

    def _scanned(
        self, session: Session, form: ExploreForm, edits: tuple[Edit, ...]
    ) -> TestResult | None:
        """Show a variant of the last scan, if that was of the same form and has these edits."""
        scan = session.scanned
        if scan is None or scan.form.source != form.source:
            return None
        wanted, mutants = frozenset(edits), scan.check.mutants
        index = next((i for i, m in enumerate(mutants) if frozenset(m.edits) == wanted), None)
        if index is None:
            return None
        self._keep(session, scan)
        session.of(ExploreState).selected = index
        return scan.check

    def show_scan(self, session: Session) -> None:
        """Show the last scan again, at its most telling variant."""
        if session.scanned:
            self._keep(session, session.scanned)
            session.of(ExploreState).selected = self.most_telling(session)

    def scan(self, session: Session, form: ExploreForm) -> Iterator[TestResult]:
        """Judge all combinations up to the limit, yielding the result so far.

        ``session.stop()`` ends it after the current chunk, and so does a public host when it takes
        too long; what was judged stays. So does another check or scan, which is shown instead.
        """
        stop = session.begin()
        longest = math.inf if self._services.access.local else _LONGEST_SCAN
        end, before = time.monotonic() + longest, session.scanned
        try:
            with self._in_turn(form.text):
                pipeline, plan = self._prepare(session, form, scan=True)
            chunk = _SCAN_CHUNK if self._services.access.local else _SHARED_CHUNK
            for partial in pipeline.run(plan, cancelled=stop.is_set, chunk=chunk):
                if partial.complete:
                    self._add_neutral(pipeline, partial, form)
                found = Result(partial, form)
                if session.running is not stop:
                    if session.running is None:
                        session.scanned = found
                    break
                if session.scanned is None or session.scanned.check is not partial:
                    session.of(ExploreState).selected = None
                session.scanned = found
                self._keep(session, found)
                if time.monotonic() > end:
                    stop.set()
                yield partial
                self._stand_back(pipeline)
        finally:
            if session.running is stop:
                session.running = None
            # Of two scans of the same that were stopped, the longer one is kept.
            if before and session.scanned and before.form == form == session.scanned.form:
                both = (before, session.scanned)
                session.scanned = max(both, key=lambda one: len(one.check.mutants))

    def _add_neutral(self, pipeline: Pipeline, check: TestResult, form: ExploreForm) -> None:
        """Swap neutral words, too, for the models whose answers cost nothing."""
        free = [store for store in pipeline.models if not store.model.capabilities.costs]
        check.neutral = neutral_flips(pipeline, check.plan.text, form.order, models=free)

    def _prepare(
        self, session: Session, form: ExploreForm, *, scan: bool = False
    ) -> tuple[Pipeline, Plan]:
        if not form.models:
            raise InputError(say("errors.models"))
        self._services.access.admit_text(form.text, form.models)
        dictionaries = self._dictionaries(session, form)
        pipeline = self._services.pipeline(
            dictionaries, form.parser, form.models, form.settings, session, scan=scan
        )
        for store in session.own.values():
            store.budget = Budget(requests=form.requests or None)
        plan = _filled(form) or pipeline.plan(form.text)
        pipeline.relation.require_applicable(plan)
        return pipeline, plan

    def _dictionaries(self, session: Session, form: ExploreForm) -> list[Dictionary]:
        # Those of slots are chosen by these; a pipeline wants two for an intersection.
        names = TEMPLATE_ATTRIBUTES[:2] if is_slotted(form.text, form.template) else form.attributes
        return choose(names, self._services.dictionaries(session))

    def _keep(self, session: Session, result: Result) -> None:
        state, session.result = session.of(ExploreState), result
        if state.shown_model not in result.models:  # of a finding, the model that it is of
            worst = [(SEVERITY.index(own[-1].verdict), name)
                     for name, own in result.check.outcomes.items() if own]  # fmt: skip
            state.shown_model = min(worst, key=itemgetter(0))[1] if worst else result.models[0]

    def most_telling(self, session: Session) -> int | None:
        """Return the mutant to show after a scan: the worst verdict, then the largest effect."""
        result = session.result
        if result is None or not result.check.mutants:
            return None
        return rows_for(result.check, result.models, Filter())[0]

    def show(self, session: Session) -> Shown | None:
        """Render the selected mutant for the model shown."""
        state, result = session.of(ExploreState), session.result
        index = state.selected
        if result is None or index is None or index >= len(result.check.mutants):
            return None
        check = result.check
        judged = {m: check.outcomes[m][index] for m in result.models}
        named = len(judged) > 1
        model = state.shown_model
        banners = [
            banner(check, result, name, named=named, note=able.note if able else "")
            for name, result in judged.items()
            for able in [self._services.capabilities(name, session)]
        ]
        if named:
            banners.insert(0, originals(check, result.models))
        changed = changed_sentences(check, judged[model])
        store = self._services.parses(result.form.parser)
        parses = store.parse(sentence.text for pair in changed for sentence in pair)
        return Shown(
            tag("div", join(banners), role="status", class_="banners"),
            square(check, judged[model], model),
            figure(check, judged[model], model),
            trees(check, judged[model], parses),
        )

    def table(self, session: Session) -> Markup:
        """Render the current page of the table."""
        state, result = session.of(ExploreState), session.result
        if result is None:
            return Markup("")
        rows = rows_for(result.check, result.models, state.filter)
        page, selected = state.filter.page, state.selected
        return table(result.check, result.models, rows, page, selected)

    def shown_form(self, session: Session) -> ExploreForm | None:
        """Return the form that makes the variant shown, or None."""
        selected, result = session.of(ExploreState).selected, session.result
        if result is None or selected is None or selected >= len(result.check.mutants):
            return None  # a row of a table that is older than the result
        edits = result.check.mutants[selected].edits
        return replace(result.form, edits=tuple(edit_key(e) for e in edits))

    def change(self, session: Session) -> str:
        """Name what the controls say that the result shown was not made from; empty: nothing.

        One of ``text``, ``settings`` and ``replacements``.
        """
        controls, result = session.of(ExploreState).controls, session.result
        if result is None:
            return ""
        if controls.text != result.form.text:
            return "text"
        if controls.source != result.form.source:
            return "settings"
        shown = self.shown_form(session)
        return "replacements" if shown and set(controls.edits) != set(shown.edits) else ""

    def link(self, session: Session) -> str:
        """Return the query that reopens what is shown; empty if too long or nothing is shown."""
        shown = self.shown_form(session)
        return shown.query() if shown else ""

    def address(self, session: Session) -> str:
        """Return the query that reopens the page as it is; empty for a fresh one."""
        state, shown = session.of(ExploreState), self.shown_form(session)
        if shown and not self.change(session):
            return _address(shown)
        if not shown and state.opened and state.controls.source == state.opened.source:
            return ""
        return _address(state.controls) if state.controls.text.strip() else ""

    def csv(self, session: Session) -> str:
        """Write all mutants as CSV."""
        return rows_to_csv(check_to_rows(session.check)) if session.check else ""

    def json(self, session: Session) -> str:
        """Write all mutants as JSON: an object, or a list with one for each model."""
        result = session.result
        if result is None:
            return ""
        values = [check_to_json(result.check, model) for model in result.models]
        return json.dumps(values[0] if len(values) == 1 else values, ensure_ascii=False, indent=1)

    def add_dictionary(self, session: Session, path: str) -> Dictionary:
        """Load a visitor's dictionary into the session under the name of its file."""
        dictionary = self._services.access.read_dictionary(Path(path))
        if dictionary.attribute in self._services.dictionaries():
            own = f"{dictionary.attribute}-own"
            dictionary = replace(dictionary, attribute=own, label=own)
        others = session.dictionaries.keys() - {dictionary.attribute}
        if len(others) >= MOST_DICTIONARIES:
            raise InputError(shared("access.dictionaries", most=MOST_DICTIONARIES))
        session.dictionaries[dictionary.attribute] = dictionary
        return dictionary


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _filled(form: ExploreForm) -> Plan | None:
    """Return the plan of a template, or of a sentence of a grammar; None for other texts."""
    if not is_slotted(form.text, form.template):
        return None
    return slotted_plan(form.text, form.template, form.settings)


def _address(form: ExploreForm) -> str:
    # In one order, so that the same is no other entry of the browser's history.
    return replace(form, edits=tuple(sorted(form.edits))).query(None)


def _slot(
    plan: Plan, attribute: str, keys: Sequence[str]
) -> tuple[str, list[tuple[str, str]], str]:
    choices = [(_described(e), edit_key(e)) for e in offers(plan, attribute)]
    known = [key for _, key in choices]
    kept = next((k for key in keys for k in known if k == key or k.startswith(key + "|")), known[0])
    return attribute, choices, kept


def _described(edit: Edit) -> str:
    key = "form.edit_places" if len(edit.spans) > 1 else "form.edit"
    group = name_of(edit.target.group)
    return say(key, change=edit.in_words, group=group, places=len(edit.spans))


@dataclass(frozen=True)
class ExampleText:
    """A text to try; ``shows`` is the verdict it promises, or empty."""

    title: str
    domain: str
    form: ExploreForm
    shows: str = ""


@cache
def load_examples() -> tuple[ExampleText, ...]:
    """Read all examples, in the file's order."""
    tables = tomllib.loads(EXAMPLES.read_text(encoding="utf-8"))["example"]
    examples = []
    for own in tables:
        title, domain, shows = own.pop("title"), own.pop("domain"), own.pop("shows", "")
        lists = {name: tuple(one) for name, one in own.items() if isinstance(one, list)}
        examples.append(ExampleText(title, domain, ExploreForm(**own | lists), shows))
    return tuple(examples)
