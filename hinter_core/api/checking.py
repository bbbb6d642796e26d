"""Check one text: what can be changed in it, and which changes flip a model's answer."""

from __future__ import annotations

import reprlib
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any, TypeVar

from hinter_core.api.inputs import is_table
from hinter_core.api.models import named_models
from hinter_core.api.notebook import framed
from hinter_core.campaign.settings import CAMPAIGN_ATTRIBUTES, CAMPAIGN_OPTIONS
from hinter_core.campaign.spec import Campaign, from_mapping
from hinter_core.data.tables import to_json
from hinter_core.errors import InputError, IntersectionError
from hinter_core.language.clean import clean
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.models.budget import Budget, cost_in_words, total
from hinter_core.models.registry import DEFAULT_THRESHOLD, require_prices
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.settings import SETTINGS, require_testable
from hinter_core.pipeline.case import FollowUp, TestCase, TestResult, conform, follow_up_of
from hinter_core.pipeline.export import check_to_json
from hinter_core.pipeline.neutral import NEUTRAL, SWAPS, neutral_flips
from hinter_core.pipeline.pipeline import (
    Pipeline,
    build_pipeline,
    chunks,
    closure,
    estimate,
    plan_text,
)
from hinter_core.pipeline.words import check_in_words, reasons_unanswered
from hinter_core.relations.base import Relation
from hinter_core.relations.registry import relation_of
from hinter_core.storage import ASSETS
from hinter_core.types import Edit, Outcome, Verdict

if TYPE_CHECKING:
    import pandas
    from plotly.graph_objects import Figure

Names = str | Sequence[str]
# Settings that decide the mutants of a text, and those of a check.
MADE = (
    "attributes",
    *(name for name in SETTINGS if name not in ("repeat", "tolerance", "score_tolerance")),
    "dictionaries", "parser",
)  # fmt: skip
CHECKED = ("attributes", *SETTINGS, "dictionaries", "parser", "requests", "budget", "fresh")
_CHUNK = 512
WORST = (Verdict.HIDDEN, Verdict.BIASED, Verdict.BENIGN, Verdict.UNANSWERED, Verdict.DISCARDED)
_STYLES = [ASSETS / "css" / f"{name}.css" for name in ("base", "hinter")]
_PAGE = "body { margin: 0; font-family: system-ui, sans-serif; } "


@dataclass(frozen=True)
class PreparedCheck:
    """A text that is ready to be checked, before a model is asked; ``chosen``: what is changed."""

    pipeline: Pipeline
    plan: Plan
    chosen: list[tuple[Edit, ...]]

    @property
    def store(self) -> PredictionStore:
        """The model under test with its answers."""
        return self.pipeline.models[0]

    def cost_in_words(self, neutral: int) -> str:
        """Say what the check costs at most; ``neutral``: swaps of neutral words."""
        name, store = self.store.model.name, self.store
        swaps = [store.cost_of(self.plan.text)] * neutral
        cost = total([estimate(self.plan, [store], self.chosen)[name], *swaps])
        return f"{name}: at most {cost_in_words(cost)}."

    def judge(self, neutral: int = SWAPS) -> CheckResult:
        """Ask the model and judge all mutants; swap neutral words ``neutral`` times."""
        result = self.pipeline.judge(self.plan, self.chosen)
        if neutral and result.originals[self.store.model.name].answered:
            order = self.pipeline.settings.order
            result.neutral = neutral_flips(self.pipeline, self.plan, order, neutral)
        return CheckResult(result, self.store)


def prepare_check(
    text: str,
    model: str,
    campaign: Campaign,
    budget: Budget | None = None,
    *,
    alone: bool = False,
    atomic: bool = False,
) -> PreparedCheck:
    """Load the parser and the model, and find what can be changed in a text.

    ``alone``: where there is no intersection, test changes of one attribute, and say so.
    ``atomic``: test every change of one attribute, also those in no tested combination.

    Raises:
        HinterError: something named is unknown, or nothing in the text can be changed.
    """
    clean(text)  # before anything is loaded
    require_prices([model], campaign.budget)

    def prepared(campaign: Campaign) -> tuple[Pipeline, Plan]:
        pipeline = build_pipeline(
            campaign.vocabulary(), campaign.parser, [model], campaign.settings, budget,
            since=time.time() if campaign.fresh else 0.0,
        )  # fmt: skip
        plan = pipeline.plan(text)
        pipeline.relation.require_applicable(plan)
        return pipeline, plan

    pipeline, plan = _or_alone(prepared, campaign, alone or atomic)
    return PreparedCheck(pipeline, plan, _chosen(plan, atomic))


Prepared = TypeVar("Prepared", bound=tuple[Any, Plan])


def _or_alone(
    prepared: Callable[[Campaign], Prepared], campaign: Campaign, alone: bool
) -> Prepared:
    """Prepare a text; if there is no intersection, for changes of one attribute if ``alone``."""
    try:
        return prepared(campaign)
    except IntersectionError as none:
        if not alone:
            raise
        ready = prepared(replace(campaign, order=1))
        ready[1].notices.append(f"{none.why}. Changes of one attribute alone are tested.")
        return ready


def _chosen(plan: Plan, atomic: bool) -> list[tuple[Edit, ...]]:
    """Return the edit sets that are tested with their parts; ``atomic``: all single edits, too."""
    return plan.chosen() + list(plan.atomic() if atomic and plan.settings.order > 1 else ())


def check(
    text: str,
    model: Any = "embedded",
    attributes: Names = CAMPAIGN_ATTRIBUTES,
    *,
    labels: Sequence[str] = (),
    multi: bool = False,
    threshold: float = DEFAULT_THRESHOLD,
    neutral: int = SWAPS,
    atomic: bool = False,
    **settings: Any,
) -> CheckResult:
    """Change a text about people, and show which changes flip the model's answer.

    All combinations of changes are tested, or as many as ``limit`` says, and the single changes
    that are part of one. ``notices`` name words that can be in none.

    Args:
        text: One text, in English.
        model: A model's name (``embedded``, ``hf:ORG/NAME``, ``openai:MODEL``, ...), a function of
            a list of texts, a pipeline of scikit-learn or transformers, or anything with
            ``predict_proba`` or ``predict``.
        attributes: Sensitive attributes to change, such as ``["race", "gender"]``.
        labels: Labels in the order of the scores, if the model's answers do not name them.
        multi: Whether several labels may apply to one text.
        threshold: Score from which a label applies, with ``multi``.
        neutral: How often neutral words are swapped, to see how easily the answer flips: up to
            1,000 times, or 0.
        atomic: Whether every single change is tested, also one that is in no combination.
        settings: As of a campaign: ``order`` (by default 2; for a text without an intersection 1,
            also if an order is given with ``atomic``), ``limit``, ``seed``, ``relations``, ...

    Raises:
        HinterError: bad input; the message says what to do.
    """
    _require_text("hinter.check", text)
    campaign = settings_of("hinter.check", attributes, settings, CHECKED)
    neutral = NEUTRAL.read(neutral, "hinter.check: ")
    with named_models(model, labels=labels, multi=multi, threshold=threshold) as (name, *others):
        if others:
            raise InputError("hinter.check asks one model; call it once for each.")
        budget = Budget(campaign.requests, campaign.budget)
        alone = "order" not in settings
        ready = prepare_check(text, name, campaign, budget, alone=alone, atomic=atomic)
        return ready.judge(neutral)


def mutants(
    text: str, attributes: Names = CAMPAIGN_ATTRIBUTES, *, atomic: bool = False, **settings: Any
) -> pandas.DataFrame:
    """Return the mutants that a check of a text tests as a table, without asking a model.

    The columns are those of :meth:`CheckResult.mutants`, without the answers. ``atomic`` and
    ``settings``: as for :func:`hinter_core.check`.

    Raises:
        HinterError: bad input; the message says what to do.
    """
    from hinter_core.campaign.frames import mutants_alone

    _require_text("hinter.mutants", text)
    campaign = settings_of("hinter.mutants", attributes, settings, MADE)
    dictionaries, parses = campaign.vocabulary(), ParseStore(load_parser(campaign.parser))

    def prepared(campaign: Campaign) -> tuple[Relation, Plan]:
        require_testable(dictionaries, campaign.models, campaign.settings)
        plan = plan_text(text, dictionaries, campaign.settings, parses)
        relation = relation_of(campaign.relations)
        relation.require_applicable(plan)
        return relation, plan

    relation, plan = _or_alone(prepared, campaign, atomic or "order" not in settings)
    sets = _chosen(plan, atomic)
    case, follow_ups = TestCase(plan), list[FollowUp]()
    made = (follow_up_of(case, edits) for edits in (closure(sets) if relation.lattice else sets))
    for batch in chunks(made, _CHUNK):
        conform(batch, parses)
        follow_ups += batch
    return mutants_alone(follow_ups)


def _require_text(where: str, given: Any) -> None:
    if not isinstance(given, str):
        what = "a table" if is_table(given) else reprlib.repr(given)
        raise InputError(f"{where} takes one text, not {what}; hinter.run tests many.")


def settings_of(
    where: str,
    attributes: Names | None,
    settings: dict[str, Any],
    known: Iterable[str] = CAMPAIGN_OPTIONS,
) -> Campaign:
    """Return the settings that a caller gives by name, as a campaign; ``known``: those that apply.

    Raises:
        InputError: an unknown setting, or a wrong value.
    """
    given = settings if attributes is None else {"attributes": attributes, **settings}
    campaign = from_mapping(given, where, known=known)
    if campaign.replaced:
        warnings.warn(campaign.replaced, stacklevel=3)
    return campaign


class CheckResult:
    """A text with all its mutants, judged for one model.

    Attributes:
        model: Name of the model.
    """

    def __init__(self, result: TestResult, store: PredictionStore) -> None:
        self._result = result
        self._note = store.model.capabilities.note
        self.model = store.model.name

    @property
    def text(self) -> str:
        """The unchanged text."""
        return self._result.plan.text

    @property
    def answer(self) -> tuple[str, ...]:
        """The labels that the model gives to the unchanged text."""
        return self._result.originals[self.model].labels

    @property
    def scores(self) -> dict[str, float]:
        """The scores of the unchanged text by label; empty without any."""
        return dict(self._result.originals[self.model].scores)

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of mutants by verdict."""
        return self._result.counts(self.model)

    @property
    def unanswered(self) -> dict[str, int]:
        """Numbers of mutants without an answer by reason, the most common first."""
        return dict(reasons_unanswered(self._result, self.model).most_common())

    @property
    def kept(self) -> int:
        """Number of answers from earlier checks or runs, which were not asked for again."""
        return self._result.kept[self.model].number

    @property
    def notices(self) -> list[str]:
        """Remarks about the text, and the reasons of changes that are not made."""
        plan, judged = self._result.plan, len(self._result.mutants)
        early = [] if self._result.complete else [f"Only {judged} mutants were judged in time."]
        return [*early, *self._result.notices, *(refused.in_words for refused in plan.refused)]

    def mutants(self) -> pandas.DataFrame:
        """Return all mutants, a row each, with the columns of mutants."""
        from hinter_core.campaign.frames import mutants_of_check

        return mutants_of_check(self._result)

    def findings(self, verdict: Names = ("hidden", "biased")) -> pandas.DataFrame:
        """Return the mutants of one verdict, or of several."""
        every, wanted = self.mutants(), verdicts_of(verdict)
        return every[every["verdict"].isin(wanted)].reset_index(drop=True)

    def report(self, format: str = "text") -> str:
        """Return the result as ``text``, or as the ``json`` of ``hinter check --json``.

        Raises:
            InputError: an unknown format.
        """
        if format == "json":
            return to_json({**check_to_json(self._result, self.model), "note": self._note})
        if format != "text":
            raise InputError(f"There is no report of a check as '{format}'; use text or json.")
        return check_in_words(self._result, self.model, self._note)

    def figure(self) -> Figure | None:
        """Return the plot of the scores of the most telling mutant; None without scores."""
        from plotly.graph_objects import Figure

        from hinter_ui.html.square import chart

        telling = self._most_telling()
        drawn = telling and chart(self._result, telling, self.model)
        return Figure(drawn) if drawn else None

    def _most_telling(self) -> Outcome | None:
        """Return the mutant to show: the worst verdict, then the largest effect."""
        return min(
            self._result.outcomes[self.model],
            key=lambda one: (
                WORST.index(one.verdict),
                -one.mutant.order,
                -abs((one.effect and one.effect.shift) or 0.0),
            ),
            default=None,
        )

    def __repr__(self) -> str:
        return self.report()

    def _repr_html_(self) -> str:
        """Show the square of the most telling mutant in a notebook."""
        from hinter_ui.html.square import original, square

        telling = self._most_telling()
        body = (
            square(self._result, telling, self.model)
            if telling
            else original(self._result, self.model)
        )
        counts = ", ".join(f"{number} {verdict}" for verdict, number in self.counts.items())
        notes = escape(" ".join([f"Mutants: {counts}.", *self._result.notices]))
        style = _PAGE + "".join(one.read_text(encoding="utf-8") for one in _STYLES)
        return framed("Check", f"{body}<p class='quiet'>{notes}</p>", style, 420)


def verdicts_of(names: Names) -> tuple[str, ...]:
    """Return the names of verdicts; one or several.

    Raises:
        InputError: an unknown one.
    """
    wanted = (names,) if isinstance(names, str) else tuple(names)
    known = [verdict.value for verdict in Verdict]
    for name in wanted:
        if name not in known:
            raise InputError(f"There is no verdict '{name}'; use {', '.join(known)}.")
    return wanted
