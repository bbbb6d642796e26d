"""What the Explore tab does, without its widgets: look, check, scan, choose, render.

Faults that a visitor can mend are raised as :class:`hinter_core.errors.HinterError`.
"""

import json
import math
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import Any

from hinter_core.annotation.invitation import Reached, reach
from hinter_core.data.tables import MARK, rows_to_csv
from hinter_core.errors import HinterError, InputError
from hinter_core.generators.templates.template import ATTRIBUTES as TEMPLATE_ATTRIBUTES
from hinter_core.language.clean import clean
from hinter_core.language.coreference import resolve
from hinter_core.language.reading.english import other_language
from hinter_core.models.budget import Budget, Cost
from hinter_core.models.registry import kind_of
from hinter_core.mutation.plan import Plan
from hinter_core.pipeline.case import TestResult
from hinter_core.pipeline.export import check_to_json, check_to_rows
from hinter_core.pipeline.neutral import neutral_flips
from hinter_core.pipeline.pipeline import Pipeline, estimate, plan_text
from hinter_core.pipeline.thresholds import deciding_label, judged_at
from hinter_core.terms.dictionary import Dictionary, choose
from hinter_core.types import Occurrence, Outcome
from hinter_ui.explore.examples import load_examples
from hinter_ui.explore.html import Filter, banner, originals, rows_for, say, table
from hinter_ui.explore.pairs import found, offered
from hinter_ui.explore.state import ExploreState, OfferedEdits, Shown
from hinter_ui.html.markup import Markup, join, model_choices, tag
from hinter_ui.html.people import people
from hinter_ui.html.square import figure, square
from hinter_ui.html.trees import changed_sentences, trees
from hinter_ui.html.wording import SEVERITY, Words, translated
from hinter_ui.shared.access import MOST_DICTIONARIES, MOST_READ
from hinter_ui.shared.links import SEPARATOR, ExploreForm, edit_key, find_edits
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Result, Session
from hinter_ui.shared.templates import is_slotted, slotted_plan

shared = Words("shared")
_SCAN_CHUNK = 48
_SHARED_CHUNK = 12  # on a public host, where others wait for the parser and the models
_SHORT = 2_000  # characters of a text that is read at once there
_WAY = 0.5  # seconds that a scan stands back there before each chunk, while others check
_LONGEST_SCAN = 180  # seconds, on a public host


class ExploreActions:
    """The actions of the Explore tab."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._examples: dict[ExploreForm, Result] = {}  # judged once for all visitors
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

    def _stand_back(self) -> None:
        """Let checks of others go before the next chunk of a scan."""
        if not self._services.access.local:
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
            others_there = self._plan(session, replace(form, attributes=tuple(others))).occurrences
        taken = [occurrence.span for occurrence in plan.occurrences]
        return [one for one in others_there if not any(_overlap(one.span, span) for span in taken)]

    def refusal(self, form: ExploreForm) -> str:
        """Say why a model may not be loaded here, or ""."""
        return self._services.access.refusal(form.models)

    def model_choices(self, session: Session, form: ExploreForm) -> list[tuple[str, str]]:
        """Return (label, name) of the models to choose from, and of those that a form names."""
        choices = self._services.model_choices(session)
        known = {name for _, name in choices}
        return [*choices, *model_choices(name for name in form.models if name not in known)]

    def offered(self, form: ExploreForm, plan: Plan) -> list[OfferedEdits]:
        """Return what a text offers of each attribute, and the pair that is chosen."""
        return offered(plan, form, self._services.parses(form.parser))

    def costs(self, session: Session, form: ExploreForm, plan: Plan) -> dict[str, Cost]:
        """Return the maximum cost of a scan for each loaded model that answers in words."""
        names = [name for name in form.models if kind_of(name).generative]
        loaded = [self._services.loaded_model(name, session) for name in names]
        stores = [store for store in loaded if store]
        return estimate(plan, stores) if stores else {}

    def people(self, session: Session, form: ExploreForm) -> Markup | None:
        """Show who is who in the text, while that part is open; None: what it shows stays."""
        state = session.of(ExploreState)
        wanted = (
            (form.text, form.template, form.parser)
            if "people" in state.open and form.text.strip()
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
            if other_language(text):
                return Markup("")  # what is chosen says so; the rules are for English
            read = text[:MOST_READ]
            if len(read) < len(text):
                read = read.rpartition(" ")[0] or read  # no word is cut in two
            entities = resolve(read, self._services.parses(form.parser))
            return people(read, entities, left=len(text) - len(read))
        except HinterError as error:
            return tag("p", translated(str(error)), class_="quiet")

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
        combination that is known from the last scan of the same is shown among its variants, for
        which nothing is read or asked. The result is not kept if another check or scan was asked
        for meanwhile, which will be shown.
        """
        if form.edits and self._known(session, form):
            assert session.result is not None
            return session.result.answered
        session.interrupt()
        if kept := self._examples.get(form):
            return self._keep(session, kept, len(kept.check.mutants) - 1).check
        with self._in_turn(form.text), self._checking():
            return self._check(session, form, strict=strict)

    def _check(self, session: Session, form: ExploreForm, *, strict: bool) -> TestResult:
        turn = session.turn
        pipeline, plan = self._prepare(session, form)
        left_over = not strict and all(SEPARATOR in key for key in form.edits)
        if form.edits and not left_over:
            edits = find_edits(plan, form.edits)
        else:
            edits = find_edits(plan, [one.chosen for one in self.offered(form, plan) if one.chosen])
        if not edits:
            raise InputError(say("errors.nothing"))
        result: TestResult | None = None
        for partial in pipeline.run(plan, chosen=[edits]):
            result = partial
        if result is None:
            raise InputError(say("errors.nothing"))
        self._add_neutral(pipeline, result, form)
        made = Result(result, replace(form, threshold=0.0))
        if form in (one.form for one in load_examples()):
            self._examples[form] = made
        if session.turn == turn:
            self._keep(session, made, len(result.mutants) - 1)
            if form.threshold:
                self.judge_at(session, form.threshold)
        return result

    def _known(self, session: Session, form: ExploreForm) -> bool:
        """Show a variant of the last scan, if that was of the same form and has these edits."""
        scan = session.scanned
        if scan is None or scan.form.source != form.source:
            return False
        try:
            place = scan.check.place(find_edits(scan.check.plan, form.edits))
        except HinterError:
            return False
        if place is None:
            return False
        shown = session.result
        same = shown is not None and shown.answered is scan.check  # at its threshold
        if session.running is None or not same:
            session.interrupt()
        self._keep(session, shown if same and shown else scan, place)
        return True

    def show_scan(self, session: Session) -> None:
        """Show the last scan again, at its most telling variant."""
        if session.scanned:
            self._keep(session, session.scanned, None)
            self.show_better(session)

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
                pipeline, plan = self._prepare(session, form)
            local, long = self._services.access.local, len(form.text) > _SHORT
            chunk = _SCAN_CHUNK if local and not long else _SHARED_CHUNK
            for partial in pipeline.run(plan, cancelled=stop.is_set, chunk=chunk):
                if partial.complete:
                    self._add_neutral(pipeline, partial, form)
                result = Result(partial, replace(form, threshold=0.0))
                if session.running is not stop:
                    if session.running is None:
                        session.scanned = result
                    break
                first = session.scanned is None or session.scanned.check is not partial
                session.scanned = result
                state = session.of(ExploreState)
                self._keep(session, result, None if first else state.selected, chosen=state.chosen)
                if time.monotonic() > end:
                    stop.set()
                yield partial
                self._stand_back()
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
        check.neutral = neutral_flips(pipeline, check.plan, form.order, models=free)

    def _prepare(self, session: Session, form: ExploreForm) -> tuple[Pipeline, Plan]:
        if not form.models:
            raise InputError(say("errors.models"))
        self._services.access.admit_text(form.text, form.models)
        dictionaries = self._dictionaries(session, form)
        pipeline = self._services.pipeline(
            dictionaries, form.parser, form.models, form.settings, session
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

    def _keep(
        self, session: Session, result: Result, place: int | None, *, chosen: bool = True
    ) -> Result:
        state, session.result = session.of(ExploreState), result
        state.selected, state.chosen = place, chosen and place is not None
        if state.shown_model not in result.models:  # of a finding, the model that it is of
            worst = [(SEVERITY.index(outcomes[-1].verdict), name)
                     for name, outcomes in result.check.outcomes.items() if outcomes]  # fmt: skip
            state.shown_model = min(worst, key=itemgetter(0))[1] if worst else result.models[0]
        return result

    def deciding(self, session: Session) -> str | None:
        """Name the label that the shown model answers from a threshold on ("" for each label).

        None where no threshold decides, or a scan is still at work.
        """
        result, model = session.result, session.of(ExploreState).shown_model
        if result is None or session.running or not result.check.mutants:
            return None
        return deciding_label(
            result.answered.originals[model], self._services.capabilities(model, session)
        )

    def threshold(self, session: Session) -> float:
        """Return the threshold of the shown model itself."""
        able = self._services.capabilities(session.of(ExploreState).shown_model, session)
        return able.threshold if able else 0.5

    def judge_at(self, session: Session, threshold: float) -> None:
        """Judge all that is shown at another threshold, by the scores that are known."""
        result = session.result
        if result is None or session.running:
            return
        known = {name: self._services.capabilities(name, session) for name in result.models}
        able = {name: one for name, one in known.items() if one}
        form = replace(result.form, threshold=threshold)
        judged = judged_at(result.answered, threshold, able)
        session.result = Result(judged, form, result.answered)

    def show_better(self, session: Session) -> bool:
        """Show the most telling mutant, unless somebody chose one; return whether it is another.

        The worst verdict, then the largest effect; a discarded one only if none was tested. While
        a scan goes on, one of the worst verdict stays.
        """
        state, result = session.of(ExploreState), session.result
        if result is None or not result.check.mutants or state.chosen:
            return False
        before = self.judged(session)
        if session.running and before and before.verdict is SEVERITY[0]:
            return False
        best = rows_for(result.check, result.models, Filter())[0]
        changed, state.selected = best != state.selected, best
        return changed

    def show(self, session: Session) -> Shown | None:
        """Render the selected mutant for the model shown."""
        judged, result = self.judged(session), session.result
        if judged is None or result is None:
            return None
        check, model = result.check, session.of(ExploreState).shown_model
        place = session.of(ExploreState).selected
        assert place is not None
        several = {m: check.outcomes[m][place] for m in result.models}
        banners = [
            banner(check, one, name, result.models, note=able.note if able else "")
            for name, one in several.items()
            for able in [self._services.capabilities(name, session)]
        ]
        if len(several) > 1:
            banners.insert(0, originals(check, result.models))
        return Shown(
            tag("div", join(banners), role="status", class_="banners"),
            square(check, judged, model),
        )

    def judged(self, session: Session) -> Outcome | None:
        """Return what the shown model made of the selected mutant."""
        state, result = session.of(ExploreState), session.result
        index = state.selected
        outcomes = result.check.outcomes.get(state.shown_model, ()) if result else ()
        # A row may be of a table that is older than the result.
        return outcomes[index] if index is not None and index < len(outcomes) else None

    def plot(self, session: Session) -> Any | None:
        """Draw the interaction of the selected mutant; None where it has no scores."""
        judged, check = self.judged(session), session.check
        if judged is None or check is None:
            return None
        return figure(check, judged, session.of(ExploreState).shown_model)

    def trees(self, session: Session) -> Markup:
        """Draw the changed sentences of the selected mutant."""
        judged, result = self.judged(session), session.result
        if judged is None or result is None:
            return Markup("")
        changed = changed_sentences(result.check, judged)
        store = self._services.parses(result.form.parser)
        parses = store.parse(sentence.text for pair in changed for sentence in pair)
        return trees(result.check, judged, parses)

    def found(self, session: Session) -> Markup:
        """List the hidden variants, and name the smallest change that flips the answer."""
        state, result = session.of(ExploreState), session.result
        if not (result and session.scanned and result.answered is session.scanned.check):
            return Markup("")  # one pair and its parts
        return found(result.check, result.models, state.shown_model, state.selected)

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
        judged, result = self.judged(session), session.result
        if judged is None or result is None:
            return None
        return replace(result.form, edits=tuple(edit_key(e) for e in judged.mutant.edits))

    def change(self, session: Session) -> str:
        """Name what the controls say that the result was not made from: ``text`` or ``settings``.

        Empty: nothing.
        """
        controls, result = session.of(ExploreState).controls, session.result
        if result is None or controls.source == result.form.source:
            return ""
        return "text" if controls.text != result.form.text else "settings"

    def link(self, session: Session) -> str:
        """Return the query that reopens what is shown; empty if too long or nothing is shown."""
        shown = self.shown_form(session)
        return shown.query() if shown else ""

    def reached(self, session: Session) -> Reached:
        """Return the address of the app for others than this visitor."""
        return reach(session.page, local=self._services.access.local)

    def address(self, session: Session) -> str:
        """Return the query that reopens the page as it is; empty for a fresh one."""
        state, shown = session.of(ExploreState), self.shown_form(session)
        form = shown if shown and not self.change(session) else state.controls
        opened = state.opened
        if opened and form.source == opened.source and set(form.edits) <= set(opened.edits):
            return ""
        return _address(form) if form.text.strip() else ""

    def csv(self, session: Session) -> str:
        """Write all mutants as CSV."""
        return MARK + rows_to_csv(check_to_rows(session.check)) if session.check else ""

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
            name = f"{dictionary.attribute}-own"
            dictionary = replace(dictionary, attribute=name, label=name)
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
