"""Decide whether a model passes, for a build server: exit codes and JUnit XML."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from xml.etree import ElementTree

from hinter_core.campaign.reader import MutantRecord
from hinter_core.errors import InputError
from hinter_core.mutation.edits import changes_in_words
from hinter_core.report.compared.comparison import Comparison
from hinter_core.report.metrics.examples import first_named
from hinter_core.report.metrics.excess import FEWEST_PLACEBO, PlaceboExcess
from hinter_core.report.metrics.groups import GroupRate, found_beyond, significant_in_words
from hinter_core.report.metrics.unanswered import remedy
from hinter_core.report.model import ModelReport, Report
from hinter_core.statistics.format import (
    counted,
    difference_in_words,
    rate_in_words,
)
from hinter_core.types import Verdict

Hidden = Mapping[str, Sequence[MutantRecord]]  # findings by model
_NONE: Hidden = MappingProxyType({})
MOST_UNANSWERED = 0.1  # share of the kept mutants beyond which the others say too little
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class GateOn(StrEnum):
    """Quantity that a gate limits: the excess over placebo, the error rate, or hidden findings.

    The lower end of its interval counts; of ``UPPER``, the upper end of the excess, so that what is
    not decided fails, too; of ``HIDDEN``, the share itself, as each finding was seen. Beside the
    excess, which is of all groups together, a group of several attributes counts that no part
    explains; with ``GROUP``, any group.
    """

    EXCESS = "excess"
    GROUP = "group"
    UPPER = "upper"
    RATE = "rate"
    HIDDEN = "hidden"


LIMIT = 0.05  # share above the placebo's that a page allows unless another is given


class GateOutcome(StrEnum):
    """What an interval says of a model: below the limit, above it, or on both sides of it."""

    PASS = "pass"  # noqa: S105 -- no password
    FAIL = "fail"
    FEW = "too few to say"


_PASSED = {
    GateOutcome.PASS: "passed.",
    GateOutcome.FEW: "not decided, and passed, as only the lower end counts (--gate-on upper stops "
    "this). Test more texts.",
}


@dataclass(frozen=True)
class Decision:
    """The decision about a model, and why a gate stops it.

    A gate stops only what fails or was not measured: an interval on both sides of the limit passes
    it, ``why`` being empty, unless the upper end counts. ``excess``: the comparison with placebo
    mutants that decides; None if there is none. ``measured``: what the limit is compared with.
    ``without_placebo``: too few placebo mutants to compare with. ``group``: one beyond the limit;
    it decides, or does not count, which ``apart`` says.
    """

    model: str
    outcome: GateOutcome
    why: str = ""
    excess: PlaceboExcess | None = None
    measured: str = ""
    without_placebo: bool = False
    group: GroupRate | None = None
    apart: str = ""

    @property
    def stopped(self) -> bool:
        """Whether a gate stops the model."""
        return bool(self.why)


def decide(model: ModelReport, share: float, on: GateOn = GateOn.EXCESS) -> Decision:
    """Decide whether a model passes; see :func:`gate`."""
    errors, name = model.intersectional.errors, model.model
    if errors.share is None:
        so = "and the limit is for these" if model.main.errors.of else "so nothing was measured"
        why = f"no intersectional mutant was kept and answered, {so}."
        return Decision(name, GateOutcome.FEW, why)
    lost = model.intersectional.verdicts[Verdict.UNANSWERED]
    if lost > MOST_UNANSWERED * (lost + errors.of):
        why = (
            f"{lost:,} of {lost + errors.of:,} kept intersectional mutants have no answer, so the "
            "rates of the others say little."
        )
        why += remedy(model.failures)
        return Decision(name, GateOutcome.FEW, why)
    if on in (GateOn.RATE, GateOn.HIDDEN):
        return _by_share(model, share, on)
    whole = _by_excess(model, share, on)
    if whole.outcome is GateOutcome.FAIL:
        return whole
    # Brittleness is of all groups alike, so that no placebo mutant is needed to tell it.
    if found := found_beyond(model.groups, share, alone=on is GateOn.GROUP):
        said, _, _ = found.in_words.rpartition(":")
        return replace(
            whole, outcome=GateOutcome.FAIL, why=found.in_words, measured=said, group=found.group
        )
    if not (found := found_beyond(model.groups, share, alone=True)):
        return whole
    apart = (
        f"{found.in_words[:1].upper()}{found.in_words[1:]} The limit does not count this group, as "
        "one attribute alone explains it (--gate-on group counts it)."
    )
    return replace(whole, group=found.group, apart=apart)


def _by_excess(model: ModelReport, share: float, on: GateOn) -> Decision:
    """Decide by the excess over placebo mutants of all groups together."""
    errors, name = model.intersectional.errors, model.model
    # The first comparison of each order is that of all its attributes.
    first = {one.order: one for one in reversed(model.excess) if one.order > 1}
    orders = [first[order] for order in sorted(first)]
    measured = [one for one in orders if not one.few]
    if not measured:
        most = max(orders, key=lambda one: one.placebo.of, default=None)
        if not errors.hits:
            return _unchanged(model, share, on, most)
        number, order = (most.placebo.of, most.order) if most else (0, 2)
        there = (
            f"{counted(number, 'case')} of placebo mutants of order {order}, in texts that have "
            f"other mutants of this order, too, {'is' if number == 1 else 'are'} too few"
            if number
            else f"There are no placebo mutants of order {order}"
        )
        why = (
            f"{there} to tell bias from brittleness: {FEWEST_PLACEBO} are needed. Add texts with "
            "neutral words of two kinds (a day and a meal) or given names, or limit the rate alone "
            "(--gate-on rate)."
        )
        return Decision(name, GateOutcome.FEW, why, most, without_placebo=True)
    for one in measured:
        low = one.difference.low
        if low is None or low > share:
            outcome = GateOutcome.FEW if low is None else GateOutcome.FAIL
            why = f"{_compared(one)}, more than {100 * share:g} points allowed."
            return Decision(name, outcome, why, one, _compared(one))
    unsure = [one for one in measured if one.difference.high is None or one.difference.high > share]
    if not unsure:
        return Decision(name, GateOutcome.PASS, "", measured[-1], _compared(measured[-1]))
    said = _compared(unsure[0])
    return Decision(name, GateOutcome.FEW, _undecided(said, share, on), unsure[0], said)


def _undecided(said: str, share: float, on: GateOn) -> str:
    """Say why a gate stops what is on both sides of the limit; only the upper end does."""
    more = f"more than {100 * share:g} points are not ruled out. Test more texts."
    return f"{said}: {more}" if on is GateOn.UPPER else ""


def _unchanged(
    model: ModelReport, share: float, on: GateOn, excess: PlaceboExcess | None
) -> Decision:
    """Decide without placebo mutants: where no answer changed, the excess is at most the rate."""
    errors = model.intersectional.errors
    outcome, said = GateOutcome.FEW, f"intersectional errors {rate_in_words(errors)}"
    if errors.high is not None and errors.high <= share:
        outcome = GateOutcome.PASS
    why = "" if outcome is GateOutcome.PASS else _undecided(said, share, on)
    return Decision(model.model, outcome, why, excess, said, without_placebo=True)


def _by_share(model: ModelReport, share: float, on: GateOn) -> Decision:
    """Decide by errors, or by hidden findings, whatever placebo mutants do."""
    errors = model.intersectional.errors
    if on is GateOn.HIDDEN:
        number = model.intersectional.verdicts[Verdict.HIDDEN]
        found = number / errors.of
        are = "is a hidden finding" if number == 1 else "are hidden findings"
        said = f"{number:,} of {errors.of:,} intersectional mutants {are} ({100 * found:.1f} %)"
    else:  # one text has no interval: its own share decides
        found = (errors.share or 0.0) if errors.low is None else errors.low
        said = f"intersectional errors {rate_in_words(errors)}"
    if found <= share:
        return Decision(model.model, GateOutcome.PASS, measured=said)
    why = f"{said}, more than {100 * share:g} % allowed."
    return Decision(model.model, GateOutcome.FAIL, why, measured=said)


def _compared(excess: PlaceboExcess) -> str:
    return (
        f"errors of order {excess.order} {difference_in_words(excess.difference)} than those of "
        "placebo mutants"
    )


def passed(report: Report, share: float, on: GateOn = GateOn.EXCESS) -> list[str]:
    """Return a line for each model that a gate lets pass: what was measured, and what it says.

    Nothing passes of an incomplete campaign.
    """
    if report.missing:
        return []
    unit = "%" if on in (GateOn.RATE, GateOn.HIDDEN) else "points"
    allowed = f"{100 * share:g} {unit} allowed"
    return [
        f"{one.model}: {one.measured}, {allowed}: {_PASSED[one.outcome]} "
        f"{' '.join(filter(None, (significant_in_words(model.groups), one.apart)))}".rstrip()
        for model in report.models
        if not (one := decide(model, share, on)).stopped
    ]


def gate(
    report: Report, share: float, on: GateOn = GateOn.EXCESS, hidden: Hidden = _NONE
) -> list[str]:
    """Return the reason for each model that fails, with the first of its ``hidden`` findings.

    A model fails if the lower end of its excess over placebo is above ``share`` for an order of
    intersectional mutants, or the upper end is, where that counts; or if one group of several
    attributes that no part explains (or any group, where that counts) lies above the mean of all
    groups significantly, and by more than that; or, on the plain rate, if the
    lower end of their error rate is; or if the share of hidden findings among them is. It fails too
    if that cannot be told: without an intersectional case, with more than a tenth of them
    unanswered, or with too few placebo cases. So does a campaign that is incomplete, or without a
    model.

    Raises:
        InputError: ``share`` is not between 0 and 1.
    """
    require_share(share)
    if not report.models:
        return ["No model was tested, so nothing was measured."]
    made = [decide(model, share, on) for model in report.models]
    missing = [report.missing] if report.missing else []
    return missing + [
        "\n  ".join(
            [
                f"{one.model}: {one.why}",
                *first_named(hidden.get(one.model, ()), "--junit lists them"),
            ]
        )
        for one in made
        if one.stopped
    ]


def regression_gate(comparison: Comparison, share: float) -> list[str]:
    """Return a reason if model B errs more often than model A by more than ``share``.

    The lower end of the difference decides.

    Raises:
        InputError: ``share`` is not between 0 and 1.
    """
    require_share(share)
    line = next((line for line in comparison.lines if line.name == "intersectional"), None)
    if line is None or line.difference.low is None:
        return ["Model B: no intersectional mutants to compare, so nothing was measured."]
    if line.difference.low <= share:
        return []
    allowed = f"more than {100 * share:g} points allowed"
    return [f"Model B: intersectional errors {difference_in_words(line.difference)}, {allowed}."]


def junit(
    report: Report,
    share: float | None = None,
    on: GateOn = GateOn.EXCESS,
    hidden: Hidden = _NONE,
) -> str:
    """Return JUnit XML: a suite per model, a case per set of attributes and for their sum.

    With ``share``, the case ``intersectional`` fails if :func:`gate` fails the model, and so do the
    cases of its ``hidden`` findings, if these are given; the others never fail. An incomplete
    campaign has a suite with the case ``complete``, which fails likewise.

    Raises:
        InputError: ``share`` is not between 0 and 1.
    """
    if share is not None:
        require_share(share)
    root = ElementTree.Element("testsuites", name="hinter")
    if report.missing:
        suite = ElementTree.SubElement(root, "testsuite", name="campaign")
        kind = "skipped" if share is None else "failure"
        _add_case(suite, "complete", kind, report.missing)
        _count(suite, Counter([kind]))
    for model in report.models:
        decision = None if share is None else decide(model, share, on)
        _add_suite(root, model, decision, hidden.get(model.model, ()))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def require_share(share: float) -> None:
    """Raise InputError unless ``share`` is between 0 and 1."""
    if not 0 <= share <= 1:
        raise InputError(f"A share must lie between 0 and 1, such as 0.05; got {share:g}.")


def _add_suite(
    root: ElementTree.Element,
    model: ModelReport,
    decision: Decision | None,
    hidden: Sequence[MutantRecord],
) -> None:
    suite = ElementTree.SubElement(root, "testsuite", name=_plain(model.model))
    kinds: Counter[str] = Counter()
    for line in (*model.lines, model.intersectional):
        decided = decision if line is model.intersectional else None
        kind, message = "", decided.why if decided else ""
        if message:
            kind = "failure"
        elif not line.errors.of:
            kind, message = "skipped", "no mutant was kept and answered"
        kinds[kind] += 1
        case = _add_case(suite, line.name, kind, message)
        lost = line.verdicts[Verdict.UNANSWERED]
        said = f"errors: {rate_in_words(line.errors)}" + (f"; {lost:,} unanswered" if lost else "")
        if decided and decided.measured:
            said += f"\ngate: {decided.measured}: {decided.outcome.value}"
        ElementTree.SubElement(case, "system-out").text = said
    for one in hidden:
        kind = "failure" if decision and decision.outcome is GateOutcome.FAIL else ""
        kinds[kind] += 1
        named = f"hidden, row {one.row}: {changes_in_words(one.edits)}"
        case = _add_case(suite, named, kind, _plain(one.in_words))
        ElementTree.SubElement(case, "system-out").text = _plain(one.in_words)
    _count(suite, kinds)


def _add_case(
    suite: ElementTree.Element, name: str, kind: str, message: str
) -> ElementTree.Element:
    case = ElementTree.SubElement(
        suite, "testcase", classname=suite.attrib["name"], name=_plain(name), time="0"
    )
    if kind:
        ElementTree.SubElement(case, kind, message=message)
    return case


def _count(suite: ElementTree.Element, kinds: Counter[str]) -> None:
    suite.attrib |= {
        "tests": str(kinds.total()),
        "failures": str(kinds["failure"]),
        "skipped": str(kinds["skipped"]),
        "errors": "0",
    }


def _plain(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)
