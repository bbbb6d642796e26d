"""What a page of results says first: a decision about each model, examples, caveats, method.

The HTML report and the app's Results show the same, by the macros of ``assets/html/parts.html``.
"""

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import NOTHING, UNUSABLE
from hinter_core.campaign.tables import Attributes
from hinter_core.report.figures import FEW, bar
from hinter_core.report.gate import LIMIT, Decision, GateOn, GateOutcome, decide
from hinter_core.report.metrics.excess import FEWEST_PLACEBO
from hinter_core.report.metrics.groups import answers_in_words, found_groups, significant_in_words
from hinter_core.report.metrics.lattice import people_apart_section
from hinter_core.report.metrics.priority import asked_in_words
from hinter_core.report.metrics.unanswered import contradicts_in_words
from hinter_core.report.model import ModelReport, Report
from hinter_core.report.mutants.coverage import limit_in_words
from hinter_core.report.mutants.discards import mostly, untested_in_words
from hinter_core.report.mutants.unusual import unusual_in_words
from hinter_core.report.papers.uncovering import names_in_words
from hinter_core.report.section import ARROW, joined
from hinter_core.report.sections import (
    alike_in_words,
    idle_in_words,
    kept_in_words,
    many_lost,
    same_in_words,
    unusable_in_words,
)
from hinter_core.statistics.format import counted, percent, points, share_in_words
from hinter_core.statistics.rates import Rate
from hinter_core.types import Verdict

SHOWN = 3  # clusters of hidden mutants, each of another text
# Words of the page that are no sentences; the app has them in the visitor's language.
LABELS = {
    "examples": "Examples",
    "caveats": "Before you rely on this",
    "method": "Method",
    "command": "The same decision on a build server (exit code 1 if a model fails "
    "or too little was tested; one that is not decided passes)",
    "limit": "limit",
    "beyond": "points beyond placebo",
    "alike": "one of {n:,} of its kind in the text",
    "one": "the only one of its kind in the text",
    "row": "row {n}",
    "row_id": "row {n}, id {id}",
    "none": "No model was tested.",
    "title": "HInter report: {title}",
    "in_words": "In words",
    "one_row": "1 row",
    "rows": "{n:,} rows",
    "other_models": "Hidden bias of other models",
    "print": "Print two pages",
    "print_all": "Print with the appendix",
    "appendix": "Appendix",
    "circles": "Circles of these texts",
}
_UNCHANGED = "No answer changed"
_HEADS = {GateOutcome.PASS: "Pass", GateOutcome.FAIL: "Fail", GateOutcome.FEW: "Too few to say"}
_BEYOND = (
    "lies significantly above the mean of all groups, with its whole interval beyond the limit "
    "from there."
)
_OF_ONE = (
    f"It also fails if one group of several attributes {_BEYOND} A group of one attribute does not "
    "count there, nor one whose errors a single change makes alone."
)
_EXCESS = (
    "A model fails if the whole 95 % interval of its excess over placebo mutants, within texts, "
    "lies above the limit, and passes if none of it does."
)
_RULES = {
    GateOn.EXCESS: f"{_EXCESS} {_OF_ONE}",
    GateOn.GROUP: f"{_EXCESS} It also fails if any group {_BEYOND}",
    GateOn.UPPER: "A model fails if any of the 95 % interval of its excess over placebo mutants, "
    f"within texts, lies above the limit. {_OF_ONE}",
    GateOn.RATE: "A model fails if the whole 95 % interval of its intersectional error rate lies "
    "above the limit. Placebo mutants are not compared.",
    GateOn.HIDDEN: "A model fails if more of its intersectional mutants are hidden findings than "
    "the limit allows. Placebo mutants are not compared.",
}
_MOST_OF_A_GROUP = 2 / 3  # share of the cases of a set of attributes, above which it is a caveat
_DIRECTION = (
    "An error counts for the group that a text was changed to. Where the new answer is the better "
    "one, the groups that were replaced are treated worse."
)
_LOST = 0.2  # share of mutants discarded, above which it is a caveat


@dataclass(frozen=True)
class Card:
    """A decision as a page shows it; ``key`` is its outcome as a name of a style.

    ``bars``: rates drawn with their intervals (:func:`hinter_core.report.figures.bar`).
    """

    model: str
    key: str
    head: str
    difference: str
    limit: str
    bars: list[dict[str, Any]]
    words: list[str]


@dataclass(frozen=True)
class Opening:
    """The first view: cards by model, clusters of hidden mutants of one of them, and the rest."""

    cards: list[Card]
    model: str
    clusters: list[Mapping[str, Any]]
    hidden: str
    caveats: list[str]
    method: list[str]
    command: str


def opening(
    report: Report,
    limit: float = LIMIT,
    folder: str = "FOLDER",
    model: str = "",
    on: GateOn = GateOn.EXCESS,
) -> Opening:
    """Return the first view of a report.

    ``model``: whose examples (default: see :func:`most_telling`).
    """
    decisions = [(one, decide(one, limit, on)) for one in report.models]
    every = [rate for pair in decisions for _, rate in _rates(*pair)]
    top = max([limit, *(rate.high or rate.share or 0.0 for rate in every)]) or 1.0  # alike for all
    chosen = next((one for one in report.models if one.model == model), None)
    chosen = chosen or most_telling(report)
    return Opening(
        [card(one, decision, limit, top, idle_in_words(report)) for one, decision in decisions],
        chosen.model if chosen else "",
        leading(chosen) if chosen else [],
        hidden_in_texts(chosen) if chosen else "",
        list(caveats(report, limit, decisions)),
        [*method(report), _RULES[on]],
        f"hinter report {shlex.quote(folder)} --fail-over {limit:g}"
        + (f" --gate-on {on}" if on is not GateOn.EXCESS else ""),
    )


def most_telling(report: Report) -> ModelReport | None:
    """Return the model with the best evidence of hidden bias; None if there is none.

    Of those with a hidden finding: a group that lies above the others, then an excess over placebo
    mutants, then the number of hidden findings and of errors, which may be noise.
    """

    def evidence(model: ModelReport) -> tuple[bool, bool, bool, int, int]:
        line = model.intersectional
        hidden = line.verdicts[Verdict.HIDDEN]
        beyond = any((e.difference.low or 0) > 0 for e in model.excess if e.order > 1 and not e.few)
        found = any(found_groups(model.groups))
        return hidden > 0, found, beyond, hidden, line.errors.hits

    return max(report.models, key=evidence, default=None)


def _rates(model: ModelReport, decision: Decision) -> list[tuple[str, Rate]]:
    """Return the rates that the card of a model draws: with placebo mutants if these are enough."""
    one = decision.excess
    if one is None or one.few:
        return [(f"{model.main.name} mutants", model.main.errors)]
    return [
        ("intersectional mutants, texts with placebo mutants", one.errors),
        ("placebo mutants, same texts", one.placebo),
    ]


def card(model: ModelReport, decision: Decision, limit: float, top: float, idle: str = "") -> Card:
    """Return the card of a model.

    ``top``: the rate at the right end of all bars. ``idle``: why there may be no mutants.
    """
    one, line, rates = decision.excess, model.main, _rates(model, decision)
    bars = [
        {**bar(name, "", rate, top), "written": percent(rate),
         "bad": not place and decision.outcome is GateOutcome.FAIL}
        for place, (name, rate) in enumerate(rates)
        if rate.of
    ]  # fmt: skip
    number, hidden = line.verdicts[Verdict.HIDDEN], ""
    if line.hidden and line.errors.hits:
        hidden = "; none of these is hidden"
    if number and line.hidden_sources:
        texts = line.hidden_sources
        hidden = f"; {number:,} of these hidden, in {texts.hits:,} ({percent(texts)})"
    why, head = [decision.why[:1].upper() + decision.why[1:]], _head(model, decision)
    if many_lost(line) and "have no answer" not in decision.why:
        lost = line.verdicts[Verdict.UNANSWERED]
        why.insert(0, f"{model.model} left {lost:,} of {line.mutants:,} mutants unanswered.")
    known = idle
    if line.mutants:
        known = (
            f"{line.errors.hits:,} of {line.errors.of:,} {line.name} mutants changed the answer, "
            f"in {line.sources.hits:,} of {line.sources.of:,} texts{hidden}."
        )
    asked = model.priority
    words = [
        # What is known comes before why nothing is decided.
        *([known, *why] if line.mutants and decision.without_placebo else [*why, known]),
        f"{head}, so there is nothing to decide." if head == _UNCHANGED else "",
        answers_in_words(model.answers),
        f"Rates are of the audit alone. {asked_in_words(asked)}" if asked else "",
        significant_in_words(model.groups),
        _DIRECTION if ARROW in head else "",
        decision.apart,
        *people_apart_section(model.by_people).in_words,
    ]
    return Card(
        model.model,
        decision.outcome.name.lower(),
        head,
        "" if one is None or one.few or one.difference.low is None else points(one.difference),
        f"{100 * limit:+g}",
        bars,
        list(filter(None, words)),
    )


def _head(model: ModelReport, decision: Decision) -> str:
    """Name the outcome; where nothing is decided, what is known nevertheless.

    The group that decides is named, else one of several attributes that lies above the others, else
    one beyond the limit that does not count; unless all of them fail.
    """
    every = chain(*found_groups(model.groups))
    found = next((group for group in every if len(group.attributes) > 1), None)
    if found is None or not decision.apart:
        found = decision.group or found
    if found and (decision.group or decision.outcome is not GateOutcome.FAIL):
        return f"Group found: {joined(found.groups)}{found.mostly_to and ARROW + found.mostly_to}"
    one = decision.excess
    known = decision.without_placebo or one is not None
    changed = model.intersectional.errors.hits + model.atomic.errors.hits
    changed += one.placebo.hits if one and not one.few else 0
    if decision.outcome is GateOutcome.FEW and known and not changed:
        return _UNCHANGED
    if decision.outcome is not GateOutcome.FEW or not decision.without_placebo:
        return _HEADS[decision.outcome]
    number = model.intersectional.verdicts[Verdict.HIDDEN]
    if number:
        return f"Not decided: {number:,} hidden"
    return f"Not decided: {share_in_words(model.main.errors.share)} changed"


def leading(model: ModelReport) -> list[Mapping[str, Any]]:
    """Return the first examples, each of another text."""
    texts = [example["text"] for example in model.examples]
    return [one for n, one in enumerate(model.examples[:SHOWN]) if one["text"] not in texts[:n]]


def hidden_in_texts(model: ModelReport, attributes: Attributes = ()) -> str:
    """Say how many mutants are hidden, above examples of them.

    ``attributes``: only mutants of these (default: of any).
    """
    if len(attributes) == 1:
        return "A change of one attribute is never hidden."
    by_set = {line.attributes: line for line in model.lines}
    line = by_set.get(attributes, model.intersectional)
    number, texts = line.verdicts[Verdict.HIDDEN], line.hidden_sources
    if not line.errors.of:
        return "No combined change was kept and answered, so nothing is known of hidden bias."
    if not number:
        return "No hidden bias was found: no combined change flips an answer that its parts leave."
    where = f", in {texts.hits:,} of {texts.of:,} texts" if texts else ""
    most = " Texts with most:" if not texts or texts.hits > 1 else ""
    return f"Hidden mutants: {number:,}{where}. {_by_chance(model)}{most}"


def _by_chance(model: ModelReport) -> str:
    placebo = next((one.hidden_placebo for one in model.excess if one.hidden and not one.few), None)
    said = "Chance makes hidden mutants, too"
    if placebo is None:
        return f"{said}; there are too few placebo mutants to say how many."
    return f"{said}: of the placebo mutants, {percent(placebo)} are hidden."


def _few_cases(report: Report) -> Iterable[str]:
    """Say how many groups hardly have a case, of the model that has fewest."""
    groups = [[g.errors.of for g in m.groups if len(g.attributes) > 1] for m in report.models]
    few = [(sum(of < FEW for of in cases), len(cases)) for cases in groups]
    number, every = max(few, default=(0, 0))
    if number:
        yield f"{number:,} of {every:,} combinations of groups have fewer than {FEW} cases."


def _mostly_one_group(report: Report) -> Iterable[str]:
    """Name the group that most changes of a set of attributes lead to, where no limit evens them.

    Of all sets, that with the largest share of one group.
    """
    if report.campaign.limit or not report.campaign.source.makes or not report.models:
        return
    cases: dict[tuple[Attributes, str], Counter[str]] = defaultdict(Counter)
    for one in report.models[0].groups:
        for attribute, group in zip(one.attributes, one.groups, strict=True):
            cases[one.attributes, attribute][group] += one.errors.of
    shares = [
        (number / by_group.total(), number, by_group.total(), joined(attributes), group)
        for (attributes, _), by_group in cases.items()
        if len(attributes) > 1 and len(by_group) > 2
        for group, number in by_group.most_common(1)
        if number
    ]
    share, number, every, name, group = max(shares, default=(0.0, 0, 0, "", ""))
    if share > _MOST_OF_A_GROUP and every >= FEWEST_PLACEBO:
        yield (
            f"{number:,} of {every:,} cases of {name} are changes to {group}, so their rates say "
            "little of other groups. With a limit per text, groups are drawn equally often."
        )


def _orders(campaign: Campaign) -> Iterable[str]:
    if campaign.source.makes and 1 < campaign.order < len(campaign.attributes):
        more = campaign.order + 1
        yield (
            f"At most {campaign.order} attributes were changed at once. A bias that only {more} "
            f"together show needs order {more}."
        )


def caveats(
    report: Report, limit: float, decisions: Iterable[tuple[ModelReport, Decision]]
) -> Iterable[str]:
    """Say what a reader should know before relying on the decision."""
    for model, one in decisions:
        if one.outcome is GateOutcome.PASS and significant_in_words(model.groups):
            yield (
                f"{one.model}: the decision is about all groups together. It does not rule out a "
                "bias about one group."
            )
        if one.without_placebo:  # the rate decides where no answer changed
            high = model.intersectional.errors.high
        else:
            high = one.excess.difference.high if one.excess else None
        if one.outcome is GateOutcome.FEW and not one.stopped and high is not None:
            yield (
                f"{one.model}: {100 * limit:g} points more are neither shown nor ruled out, as the "
                f"interval reaches {100 * high:+.1f}. A gate lets it pass: there, the lower end "
                "alone counts. Test more texts."
            )
        elif one.stopped and one.excess and one.excess.few:
            cases = counted(one.excess.placebo.of, "case")
            yield (
                f"{one.model}: {cases} of placebo mutants of order {one.excess.order} in texts "
                "that have other mutants of this order, too, of the "
                f"{FEWEST_PLACEBO} that are needed. Test more texts."
            )
    for model in report.models:
        if names := names_in_words(model.uncovering):
            yield f"{model.model}: {names}"
        if said := contradicts_in_words(model.repetitions):
            yield f"{model.model}: {said}"
    yield from kept_in_words(report)
    yield from untested_in_words(report.untested)
    of_limit = limit_in_words(report.campaign, report.reach)
    tested = (*_few_cases(report), *_mostly_one_group(report), *_orders(report.campaign))
    yield from filter(None, [of_limit, *tested, *_of_texts(report)])
    if any(model.priority for model in report.models):
        yield "Models were asked by priority: rates are of the audit, a random share of the cases."
    discarded = next((m.intersectional.discarded for m in report.models), None)
    if discarded and (discarded.share or 0) > _LOST:
        why = mostly(report.lost)
        yield f"{percent(discarded)} of intersectional mutants were discarded{why}."
    if report.people is None:
        yield "A program, not people, judged which mutants are natural."
    yield from _of_people(report.campaign)


def _of_people(campaign: Campaign) -> Iterable[str]:
    if not campaign.source.makes or campaign.source.slotted:
        return
    if campaign.literal:
        yield (
            "Every occurrence of a term was changed, so an intersection may be of two people, or "
            "of a thing."
        )
    elif not campaign.across_people:
        yield "Each combined change is of one person, as far as a program can tell."


def _of_texts(report: Report) -> Iterable[str]:
    texts = report.texts
    yield from (idle_in_words(report), same_in_words(report))
    yield from (unusable_in_words(texts[UNUSABLE]), alike_in_words(report.alike))
    if report.sampled and texts.total():
        yield f"The texts are a sample of {texts.total():,}."


def method(report: Report) -> list[str]:
    """Say how and when it was tested."""
    campaign, texts = report.campaign, report.texts
    what = f"Attributes: {', '.join(campaign.attributes)}, up to order {campaign.order}"
    most = f", maximum {campaign.limit:,} mutants per text" if campaign.limit else ""
    barren = f"{report.barren:,} with discarded mutants alone, " if report.barren else ""
    when = f"Tested on {report.date[:10]} with HInter {report.version}. " if report.date else ""
    content = report.content.rpartition("@")[2][:16]  # of the Hub, a commit
    made_with = f"Build of HInter: {', '.join(report.builds)}; content of the data: {content}."
    return [
        f"{when}Data: {campaign.title}; {report.tested:,} of {texts.total():,} texts tested, "
        f"{barren}{texts[NOTHING]:,} with nothing to change. "
        f"{what if campaign.source.makes else 'Handwritten mutants'}{most}; seed {campaign.seed}, "
        f"parser {campaign.parser}, campaign {report.identity}.",
        *unusual_in_words(campaign),
        *([made_with] if report.builds and report.content else []),
    ]
