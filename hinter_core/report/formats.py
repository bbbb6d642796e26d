"""A report to read in a terminal, and as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any, TextIO
from xml.etree import ElementTree

from hinter_core.errors import InputError
from hinter_core.report.model import ModelReport, Report, ReportRow
from hinter_core.report.section import Section, joined
from hinter_core.report.sections import lines_of, sections
from hinter_core.statistics.format import rate_in_words
from hinter_core.statistics.rates import Rate

_LONG = {"every-group"}  # left to the page and to JSON
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#~])")
_WIDE = 140  # columns where no terminal says how wide it is


def to_markdown(report: Report) -> str:
    """The report as Markdown (tables as GitHub reads them); what users wrote is escaped."""
    return markdown_of("HInter report", sections(report))


def markdown_of(title: str, written: Iterable[Section]) -> str:
    """Sections as Markdown, under a title."""
    lines = [f"# {_escape(title)}", ""]
    for section in written:
        lines += [f"## {_escape(_heading(section))}", ""]
        if len(section.sentences) > 1:
            lines += [f"- {_escape(sentence)}" for sentence in section.sentences]
        else:
            lines += map(_escape, section.sentences)
        lines.append("")
        if section.rows:
            lines += [_line(section.columns), _line(["---"] * len(section.columns), bare=True)]
            lines += [_line(row) for row in section.rows]
            lines.append("")
    return "\n".join(lines)


def print_report(report: Report, stream: TextIO) -> None:
    """The report as tables in a terminal, a sentence in words beside each number."""
    print_sections((s for s in sections(report) if s.key not in _LONG), stream)


def print_sections(written: Iterable[Section], stream: TextIO) -> None:
    """Sections as tables in a terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    width = None if stream.isatty() else _WIDE
    console = Console(file=stream, width=width, highlight=False)
    for section in written:
        console.print(Text(_heading(section), style="bold"))
        if section.rows:
            table = Table(show_edge=False, pad_edge=False, header_style="bold")
            for place, column in enumerate(section.columns):
                numbers = all(_is_number(row[place]) for row in section.rows)
                table.add_column(
                    Text(column), overflow="fold", justify="right" if numbers else "left"
                )
            for row in section.rows:
                table.add_row(*(Text(_safe(cell)) for cell in row))
            console.print(table)
        for sentence in section.sentences:
            console.print(Text(_safe(sentence)))
        console.print()


def _heading(section: Section) -> str:
    return f"{section.title}: {section.model}" if section.model else section.title


def _escape(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def _line(cells: list[str], *, bare: bool = False) -> str:
    return f"| {' | '.join(cell if bare else _escape(cell) for cell in cells)} |"


def _is_number(cell: str) -> bool:
    return not cell or cell[0].isdigit() or cell == "\u2013"


def _safe(text: str) -> str:
    """Without control characters: a text of a data set must not steer the terminal."""
    return "".join(c if c.isprintable() else " " for c in text)


def flat_rows(report: Report) -> list[dict[str, Any]]:
    """The main lines, one flat row each, for a spreadsheet."""
    rows = []
    for model in report.models:
        for line in lines_of(model):
            row: dict[str, Any] = {"model": model.model, "attributes": line.name}
            row |= {"order": line.order, "mutants": line.mutants, **line.verdicts}
            for name in ("errors", "hidden", "discarded", "sources", "hidden_sources"):
                rate = getattr(line, name) or Rate(0, 0)
                row[f"{name} hits"] = rate.hits if rate.of else None
                row[f"{name} of"] = rate.of or None
                row |= {f"{name} share": rate.share, f"{name} low": rate.low}
                row[f"{name} high"] = rate.high
            row |= _positive_columns(model, line.name)
            rows.append(row | _people_columns(report, model.model, line.name))
    return rows


def _positive_columns(model: ModelReport, name: str) -> dict[str, Any]:
    """True and false positives; empty where no discarded mutant was asked."""
    found = next((p for p in model.positives if p.name == name and p.asked), None)
    return {
        "discarded asked": found.false.of if found else None,
        "true positives": found.true.hits if found else None,
        "false positives": found.false.hits if found else None,
        "false share": found.fake.share if found else None,
    }


def _people_columns(report: Report, model: str, name: str) -> dict[str, Any]:
    """What people say, in columns of their own; none where no project was given."""
    if report.people is None:
        return {}
    lines = report.people.lines
    found = next((line for line in lines if (line.model, line.name) == (model, name)), None)
    row: dict[str, Any] = {}
    for title, rate in (
        ("judged valid", found.valid if found else None),
        ("restricted errors", found.restricted_errors if found else None),
        ("restricted hidden", found.restricted_hidden if found else None),
    ):
        row[f"{title} hits"] = rate.hits if rate and rate.of else None
        row[f"{title} of"] = rate.of if rate and rate.of else None
    for title, one in (
        ("corrected errors", found.corrected_errors if found else None),
        ("corrected hidden", found.corrected_hidden if found else None),
    ):
        row[f"{title} share"] = one.value if one else None
        row |= {
            f"{title} low": one.low if one else None,
            f"{title} high": one.high if one else None,
        }
    return row


def plain(value: Any) -> Any:
    """A report, or a part of it, as what JSON can hold.

    Rates get their ``share``; keys that are no text are joined with ``" × "``, True as ``1``.
    """
    if isinstance(value, Rate):
        return {**asdict(value), "share": value.share}
    if is_dataclass(value):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, Mapping):
        return {_key(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value


def _key(key: Any) -> str:
    if isinstance(key, tuple):
        return joined(tuple(str(int(k)) if isinstance(k, bool) else str(k) for k in key))
    return str(key)


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


def _fault(line: ReportRow, share: float) -> str:
    if not line.errors.of:
        return "no intersectional mutant was kept and answered, so nothing was measured."
    assert line.errors.share is not None
    if line.errors.share <= share:
        return ""
    return (
        f"intersectional errors {rate_in_words(line.errors)}, more than {100 * share:g} % allowed."
    )


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
        said.text = f"errors: {rate_in_words(line.errors)}"


def _outcome(line: ReportRow, total: bool, share: float | None) -> tuple[str, str]:
    gated = share is not None and line.order != 1
    if not line.errors.of and not (gated and total):
        return "skipped", "no mutant was kept and answered"
    fault = _fault(line, share) if gated and share is not None else ""
    return ("failure", fault) if fault else ("", "")


def _plain(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)
