"""What the Explore tab does, without its widgets: look, check, scan, choose, render.

Every method takes values and gives values; the tab maps them to components. Faults a visitor can
mend are raised as :class:`hinter_core.errors.HinterError`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from hinter_core.data.tables import rows_to_csv
from hinter_core.errors import DictionaryError, InputError
from hinter_core.models.budget import Budget, Cost
from hinter_core.models.registry import is_generative
from hinter_core.mutation.plan import Plan, make_plan, require_mutable
from hinter_core.pipeline.case import TestResult
from hinter_core.pipeline.export import check_to_json, check_to_rows
from hinter_core.pipeline.pipeline import Pipeline, estimate
from hinter_core.terms.dictionary import Dictionary, choose, load_file
from hinter_core.types import Edit, Outcome
from hinter_ui.explore.html import ROOM, banner, originals
from hinter_ui.explore.table import Filter, rows_for, table
from hinter_ui.html import charts
from hinter_ui.html.markup import Markup, join, tag
from hinter_ui.html.square import square
from hinter_ui.html.trees import changed_sentences, trees
from hinter_ui.html.wording import Words
from hinter_ui.html.words import change_of, name_of, product
from hinter_ui.shared.links import SEPARATOR, ExploreForm, edit_key, find_edits
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session

PAIR_SEPARATOR = "+"
_SCAN_CHUNK = 48


@dataclass
class ExploreState:
    """What Explore keeps of a page: what its check was made from, and what of it is looked at."""

    form: ExploreForm = field(default_factory=ExploreForm)
    models: tuple[str, ...] = ()
    shown_model: str = ""
    selected: int | None = None
    filter: Filter = field(default_factory=Filter)


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

    def plan(self, session: Session, form: ExploreForm) -> Plan:
        """What the text offers, without loading a model (a loaded one tells its window)."""
        dictionaries = self._dictionaries(session, form)
        loaded = [self._services.loaded_model(name, session) for name in form.models]
        return make_plan(
            form.text,
            dictionaries,
            form.settings,
            self._services.parses(form.parser),
            matcher=self._services.matcher(dictionaries),
            visible=[store.model.visible for store in loaded if store],
        )

    def costs(self, session: Session, form: ExploreForm, plan: Plan) -> dict[str, Cost]:
        """What a scan asks at most of each chosen model that answers in words and is loaded."""
        names = [name for name in form.models if is_generative(name)]
        loaded = [self._services.loaded_model(name, session) for name in names]
        stores = [store for store in loaded if store]
        return estimate(plan, stores) if stores else {}

    def options(self, plan: Plan, form: ExploreForm, say: Words, chosen: str = "") -> Options:
        """Attribute sets of the form's order, and the replacements of the chosen set."""
        present = [a for a in plan.attributes if plan.edits.get(a)]
        sets = list(combinations(present, form.order))
        names = [(product([name_of(a, say) for a in s]), PAIR_SEPARATOR.join(s)) for s in sets]
        if not sets:
            return Options([], "", [])
        wanted = {key.partition("|")[0] for key in form.edits}
        first = next((s for s in sets if PAIR_SEPARATOR.join(s) == chosen), None)
        first = first or next((s for s in sets if set(s) == wanted), sets[0])
        slots = [_slot(plan, attribute, form.edits, say) for attribute in first]
        return Options(names, PAIR_SEPARATOR.join(first), slots)

    def check(self, session: Session, form: ExploreForm, *, strict: bool = True) -> TestResult:
        """Judge one combination of edits and its parts; the session keeps the result.

        Unless ``strict``, edits left over from a text that was typed over give way to others.

        Raises:
            HinterError: the input is at fault; the message says how.
        """
        pipeline, plan = self._prepare(session, form)
        left_over = not strict and all(SEPARATOR in key for key in form.edits)
        if form.edits and not left_over:
            edits = find_edits(plan, form.edits)
        else:
            options = self.options(plan, form, session.words(ROOM))
            edits = find_edits(plan, [slot[2] for slot in options.slots])
        result: TestResult | None = None
        for partial in pipeline.run(plan, chosen=[edits]):
            result = partial
        if result is None:
            raise InputError(session.words(ROOM)("errors.nothing"))
        self._keep(session, result, form)
        session.of(ExploreState).selected = len(result.mutants) - 1
        return result

    def scan(self, session: Session, form: ExploreForm) -> Iterator[TestResult]:
        """Judge all combinations up to the limit, yielding as they come.

        ``session.stop()`` ends it after the chunk at work; what was judged stays.

        Raises:
            HinterError: the input is at fault; the message says how.
        """
        session.stop()
        stop = session.running = threading.Event()
        try:
            pipeline, plan = self._prepare(session, form)
            session.of(ExploreState).selected = None
            for partial in pipeline.run(plan, cancelled=stop.is_set, chunk=_SCAN_CHUNK):
                self._keep(session, partial, form)
                yield partial
        finally:
            if session.running is stop:
                session.running = None

    def _prepare(self, session: Session, form: ExploreForm) -> tuple[Pipeline, Plan]:
        if not form.models:
            raise InputError(session.words(ROOM)("errors.models"))
        dictionaries = self._dictionaries(session, form)
        pipeline = self._services.pipeline(
            dictionaries, form.parser, form.models, form.settings, session
        )
        for store in session.own.values():
            store.budget = Budget(requests=form.requests or None)
        plan = pipeline.plan(form.text)
        require_mutable(plan)
        return pipeline, plan

    def _dictionaries(self, session: Session, form: ExploreForm) -> list[Dictionary]:
        return choose(form.attributes, self._services.dictionaries(session))

    def _keep(self, session: Session, check: TestResult, form: ExploreForm) -> None:
        state = session.of(ExploreState)
        session.check, state.form, state.models = check, form, tuple(check.outcomes)
        if state.shown_model not in state.models:
            state.shown_model = state.models[0]

    def most_telling(self, session: Session) -> int | None:
        """The mutant to show first after a scan: the worst verdict, then the largest effect."""
        if not session.check or not session.check.mutants:
            return None
        return rows_for(session.check, session.of(ExploreState).models, Filter())[0]

    def show(self, session: Session) -> Shown | None:
        """Render the selected mutant for the model shown."""
        state = session.of(ExploreState)
        check, index, say = session.check, state.selected, session.words(ROOM)
        if check is None or index is None or index >= len(check.mutants):
            return None
        judged = {m: check.outcomes[m][index] for m in state.models}
        named = len(judged) > 1
        model = state.shown_model
        banners = [
            banner(check, result, m, say, named=named, note=self._note(session, m))
            for m, result in judged.items()
        ]
        if named:
            banners.insert(0, originals(check, state.models, say))
        return Shown(
            tag("div", join(banners), role="status", class_="banners"),
            square(check, judged[model], model, say),
            charts.figure(check, judged[model], model, say),
            self._trees(check, judged[model], state.form.parser, say),
        )

    def _note(self, session: Session, model: str) -> str:
        able = self._services.capabilities(model, session)
        return able.note if able else ""

    def _trees(self, check: TestResult, judged: Outcome, parser: str, say: Words) -> Markup:
        pairs = changed_sentences(check, judged)
        store = self._services.parses(parser)
        return trees(check, judged, store.parse(s.text for pair in pairs for s in pair), say)

    def table(self, session: Session) -> Markup:
        """The current page of the session's table."""
        if session.check is None:
            return Markup("")
        state = session.of(ExploreState)
        rows = rows_for(session.check, state.models, state.filter)
        page, selected = state.filter.page, state.selected
        return table(session.check, state.models, rows, page, selected, session.words(ROOM))

    def link(self, session: Session) -> str:
        """The query string that reopens what is shown; empty when too long or nothing shown."""
        state = session.of(ExploreState)
        if session.check is None or state.selected is None:
            return ""
        edits = session.check.mutants[state.selected].edits
        return state.form.for_edits(tuple(edit_key(e) for e in edits)).query()

    def csv(self, session: Session) -> str:
        """All mutants as CSV."""
        return rows_to_csv(check_to_rows(session.check)) if session.check else ""

    def json(self, session: Session) -> str:
        """All mutants as JSON: one object, or a list of one per model."""
        if session.check is None:
            return ""
        values = [check_to_json(session.check, model) for model in session.of(ExploreState).models]
        return json.dumps(values[0] if len(values) == 1 else values, ensure_ascii=False, indent=1)

    def add_dictionary(self, session: Session, path: str) -> Dictionary:
        """Load a visitor's dictionary into the session; its name is the file's.

        Raises:
            DictionaryError: a fault in the file, without the path it was stored under.
        """
        file = Path(path)
        attribute = "-".join(file.stem.casefold().split())[:40] or "own"
        if attribute in self._services.dictionaries():
            attribute += "-own"
        try:
            dictionary = load_file(file, attribute=attribute)
        except DictionaryError as error:
            raise DictionaryError(str(error).replace(str(file), file.name)) from error
        session.dictionaries[attribute] = dictionary
        return dictionary


def _slot(
    plan: Plan, attribute: str, keys: Sequence[str], say: Words
) -> tuple[str, list[tuple[str, str]], str]:
    edits = sorted(plan.edits[attribute], key=lambda e: (e.spans, e.target.group))
    choices = [(_described(e, say), edit_key(e)) for e in edits]
    known = [key for _, key in choices]
    kept = next((k for key in keys for k in known if k == key or k.startswith(key + "|")), known[0])
    return attribute, choices, kept


def _described(edit: Edit, say: Words) -> str:
    key = "form.edit_places" if len(edit.spans) > 1 else "form.edit"
    group = name_of(edit.target.group, say)
    return say(key, change=change_of(edit), group=group, places=len(edit.spans))
