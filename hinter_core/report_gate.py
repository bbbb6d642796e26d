"""A report as a gate: may this model pass? In words, and as JUnit XML for a build server."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from hinter_core.errors import InputError
from hinter_core.report import Line, ModelReport, Report
from hinter_core.statistics import in_words

# XML 1.0 has no way to write these.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def gate(report: Report, share: float) -> list[str]:
    """Why models do not pass: their intersectional error rate is above ``share``.

    A model with no intersectional case does not pass either, nor a campaign without a model: what
    was not measured shows nothing.

    Raises:
        InputError: ``share`` is not between 0 and 1.
    """
    _require_share(share)
    if not report.models:
        return ["No model was asked, so nothing was measured."]
    found = ((model, _fault(model.intersectional, share)) for model in report.models)
    return [f"{model.model}: {fault}" for model, fault in found if fault]


def junit(report: Report, share: float | None = None) -> str:
    """JUnit XML: a suite for each model, a case for each set of attributes and for their sum.

    With ``share``, an intersectional case fails where its own error rate is above it; the case
    ``intersectional`` says what :func:`gate` says. Atomic cases never fail.

    Raises:
        InputError: ``share`` is not between 0 and 1.
    """
    if share is not None:
        _require_share(share)
    root = ElementTree.Element("testsuites", name="hinter")
    for model in report.models:
        _add_suite(root, model, share)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _require_share(share: float) -> None:
    if not 0 <= share <= 1:
        raise InputError(f"A share lies between 0 and 1, such as 0.05; {share:g} does not.")


def _fault(line: Line, share: float) -> str:
    if not line.errors.of:
        return "no intersectional mutant was kept and answered, so nothing was measured."
    assert line.errors.share is not None
    if line.errors.share <= share:
        return ""
    return f"intersectional errors {in_words(line.errors)}, more than {100 * share:g} % allowed."


def _add_suite(root: ElementTree.Element, model: ModelReport, share: float | None) -> None:
    lines = [*model.lines, model.intersectional]
    cases = [(line, _outcome(line, line is model.intersectional, share)) for line in lines]
    suite = ElementTree.SubElement(
        root,
        "testsuite",
        name=_plain(model.model),
        tests=str(len(cases)),
        failures=str(sum(kind == "failure" for _, (kind, _) in cases)),
        skipped=str(sum(kind == "skipped" for _, (kind, _) in cases)),
        errors="0",
    )
    for line, (kind, message) in cases:
        case = ElementTree.SubElement(
            suite, "testcase", classname=_plain(model.model), name=_plain(line.name), time="0"
        )
        if kind:
            ElementTree.SubElement(case, kind, message=message)
        said = ElementTree.SubElement(case, "system-out")
        said.text = f"errors: {in_words(line.errors)}"


def _outcome(line: Line, total: bool, share: float | None) -> tuple[str, str]:
    gated = share is not None and line.order != 1
    if not line.errors.of and not (gated and total):
        return "skipped", "no mutant was kept and answered"
    fault = _fault(line, share) if gated and share is not None else ""
    return ("failure", fault) if fault else ("", "")


def _plain(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)
