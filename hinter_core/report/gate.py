"""Decide whether a model passes, for a build server: exit codes and JUnit XML."""

import re
from collections import Counter
from enum import StrEnum
from xml.etree import ElementTree

from hinter_core.errors import InputError
from hinter_core.report.compared.comparison import Comparison
from hinter_core.report.metrics.excess import FEWEST_PLACEBO
from hinter_core.report.model import ModelReport, Report
from hinter_core.statistics.format import difference_in_words, rate_in_words

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class GateOn(StrEnum):
    """Quantity that a gate compares with its limit."""

    EXCESS = "excess"
    RATE = "rate"


def gate(report: Report, share: float, on: GateOn = GateOn.EXCESS) -> list[str]:
    """Return the reason for each model that fails.

    A model fails if the lower end of its excess over placebo is above ``share`` for an order of
    intersectional mutants; or, on the plain rate, if the lower end of their error rate is. It fails
    too if that cannot be told: without an intersectional case, or with too few placebo cases. So
    does a campaign without a model.

    Raises:
        InputError: ``share`` is not between 0 and 1.
    """
    require_share(share)
    if not report.models:
        return ["No model was tested, so nothing was measured."]
    faults = ((model, _fault(model, share, on)) for model in report.models)
    return [f"{model.model}: {fault}" for model, fault in faults if fault]


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


def junit(report: Report, share: float | None = None, on: GateOn = GateOn.EXCESS) -> str:
    """Return JUnit XML: a suite per model, a case per set of attributes and for their sum.

    With ``share``, the case ``intersectional`` fails if :func:`gate` fails the model; the others
    never fail.

    Raises:
        InputError: ``share`` is not between 0 and 1.
    """
    if share is not None:
        require_share(share)
    root = ElementTree.Element("testsuites", name="hinter")
    for model in report.models:
        _add_suite(root, model, "" if share is None else _fault(model, share, on))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def require_share(share: float) -> None:
    """Raise InputError unless ``share`` is between 0 and 1."""
    if not 0 <= share <= 1:
        raise InputError(f"A share must lie between 0 and 1, such as 0.05; got {share:g}.")


def _fault(model: ModelReport, share: float, on: GateOn) -> str:
    errors = model.intersectional.errors
    if errors.share is None:
        return "no intersectional mutant was kept and answered, so nothing was measured."
    if on is GateOn.RATE:
        # One text has no interval: its own share decides.
        if (errors.share if errors.low is None else errors.low) <= share:
            return ""
        return (
            f"intersectional errors {rate_in_words(errors)}, more than {100 * share:g} % allowed."
        )
    orders = {excess.order: excess for excess in reversed(model.excess) if excess.order > 1}
    for order, excess in sorted(orders.items()):
        if excess.few:
            continue
        if excess.difference.low is None or excess.difference.low > share:
            return (
                f"errors of order {order} {difference_in_words(excess.difference)} than those of "
                f"placebo mutants, more than {100 * share:g} points allowed."
            )
    if all(excess.few for excess in orders.values()):
        cases = max((excess.placebo.of for excess in orders.values()), default=0)
        return (
            f"{cases:,} placebo cases are too few to tell bias from brittleness, "
            f"{FEWEST_PLACEBO} are needed. Test more texts with placebo mutants, or use "
            "--gate-on rate."
        )
    return ""


def _add_suite(root: ElementTree.Element, model: ModelReport, fault: str) -> None:
    name = _plain(model.model)
    suite = ElementTree.SubElement(root, "testsuite", name=name)
    kinds: Counter[str] = Counter()
    for line in (*model.lines, model.intersectional):
        case = ElementTree.SubElement(
            suite, "testcase", classname=name, name=_plain(line.name), time="0"
        )
        kind, message = "", fault if line is model.intersectional else ""
        if message:
            kind = "failure"
        elif not line.errors.of:
            kind, message = "skipped", "no mutant was kept and answered"
        kinds[kind] += 1
        if kind:
            ElementTree.SubElement(case, kind, message=message)
        ElementTree.SubElement(case, "system-out").text = f"errors: {rate_in_words(line.errors)}"
    suite.attrib |= {
        "tests": str(kinds.total()),
        "failures": str(kinds["failure"]),
        "skipped": str(kinds["skipped"]),
        "errors": "0",
    }


def _plain(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)
