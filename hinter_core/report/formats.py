"""Write a report as Markdown, terminal tables, HTML, flat rows and plain values."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any, Literal, TextIO

from hinter_core.campaign.spec import Campaign
from hinter_core.data.tables import rows_to_csv, to_json
from hinter_core.errors import InputError
from hinter_core.language.clean import printable
from hinter_core.report.gate import LIMIT, GateOn
from hinter_core.report.model import ModelReport, Report
from hinter_core.report.page.html import to_html
from hinter_core.report.section import Section, joined
from hinter_core.report.sections import lines_of, sections
from hinter_core.report.tables import tables_of, to_latex
from hinter_core.statistics.rates import Estimate, Rate

# By the ending of a file; those of text are as in a terminal.
_TEXT = ("", ".txt", ".log")
ENDINGS = {
    ".md": "markdown", ".csv": "csv", ".json": "json", ".html": "html", ".htm": "html",
    ".tex": "latex",
}  # fmt: skip
_LONG = {"every-group"}  # only on the page and in JSON
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#~])")
_WIDE = 140  # columns if the output is no terminal


def form_of(out: Path) -> str:
    """Return the form of a file by its ending; "" for text as in a terminal.

    Raises:
        InputError: a report is never written as such a file.
    """
    ending = out.suffix.lower()
    if ending not in ENDINGS and ending not in _TEXT:
        every = ", ".join([*ENDINGS, *_TEXT[1:]])
        raise InputError(
            f"A report cannot be written as {ending}; choose an ending of {every}. For a PDF, open "
            "the .html page in a browser and print it; .md and .html open in word processors."
        )
    return ENDINGS.get(ending, "")


def write_report(
    report: Report,
    form: str,
    *,
    in_words: bool = True,
    limit: float = LIMIT,
    on: GateOn = GateOn.EXCESS,
) -> str:
    """Return the report as ``markdown``, ``csv``, ``json``, ``html`` or ``latex``.

    ``in_words``: whether Markdown and HTML repeat tables as sentences. ``limit``, ``on``: of the
    decision that a page begins with.

    Raises:
        InputError: an unknown format.
    """
    if form not in FORMS:
        raise InputError(f"There is no report as '{form}'; use {', '.join(FORMS)}.")
    return FORMS[form](report, in_words, limit, on)


def to_markdown(report: Report, *, in_words: bool = True) -> str:
    """Return the report as GitHub-flavoured Markdown; text from users is escaped."""
    return markdown_of("HInter report", sections(report, in_words=in_words))


def markdown_of(title: str, written: Iterable[Section]) -> str:
    """Return sections as Markdown under a title."""
    lines = [f"# {_escape(title)}", ""]
    for section in written:
        lines += [f"## {_escape(section.heading)}", ""]
        sentences = list(map(_escape, section.every_sentence))
        lines += [f"- {one}" for one in sentences] if len(sentences) > 1 else sentences
        lines.append("")
        if section.rows:
            lines += [_line(section.columns), "|" + " --- |" * len(section.columns)]
            lines += [*map(_line, section.rows), ""]
    return "\n".join(lines)


def print_report(report: Report, stream: TextIO, *, in_words: bool = True) -> None:
    """Print the report to a terminal, without its longest table."""
    written = sections(report, in_words=in_words)
    print_sections((s for s in written if s.key not in _LONG), stream)


def print_sections(written: Iterable[Section], stream: TextIO) -> None:
    """Print sections as tables to a terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    width = None if stream.isatty() else _WIDE
    console = Console(file=stream, width=width, highlight=False)
    for section in written:
        console.print(Text(printable(section.heading), style="bold"))
        if section.rows:
            table = Table(show_edge=False, pad_edge=False, header_style="bold")
            for place, column in enumerate(section.columns):
                cells = [row[place] for row in section.rows]
                numbers = all(cell[:1].isdigit() or cell in ("", "\u2013") for cell in cells)
                side: Literal["left", "right"] = "right" if numbers else "left"
                table.add_column(Text(printable(column)), overflow="fold", justify=side)
            for row in section.rows:
                table.add_row(*(Text(printable(cell)) for cell in row))
            console.print(table)
        for sentence in section.every_sentence:
            console.print(Text(printable(sentence)))
        console.print()


def _escape(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(map(_escape, cells))} |"


def flat_rows(report: Report) -> list[dict[str, Any]]:
    """Return the main table as one flat row per line, for a spreadsheet."""
    people = (
        {(line.model, line.name): line for line in report.people.lines} if report.people else {}
    )
    rows = []
    for model in report.models:
        by_name = {p.name: p for p in model.positives if p.asked}
        for line in lines_of(model):
            row: dict[str, Any] = {"model": model.model, "attributes": line.name}
            row |= {"order": line.order, "mutants": line.mutants, **line.verdicts}
            row["replacements"] = line.replacements
            for name in ("errors", "hidden", "discarded", "sources", "hidden_sources"):
                row |= _columns(name, getattr(line, name), *_COUNTS, *_ENDS)
            positives = by_name.get(line.name)  # empty cells if no discarded mutant was tested
            row |= {
                "discarded asked": positives.false.of if positives else None,
                "true positives": positives.true.hits if positives else None,
                "false positives": positives.false.hits if positives else None,
                "false share": positives.fake.share if positives else None,
            }
            judged = people.get((model.model, line.name))
            for name, part_of_line, parts in _JUDGED if report.people else ():
                row |= _columns(name, getattr(judged, part_of_line, None), *parts)
            rows.append(row)
    return rows


_COUNTS, _ENDS = ("hits", "of"), ("share", "low", "high")
_JUDGED = (
    ("judged valid", "valid", _COUNTS),
    ("restricted errors", "restricted_errors", _COUNTS),
    ("restricted hidden", "restricted_hidden", _COUNTS),
    ("corrected errors", "corrected_errors", _ENDS),
    ("corrected hidden", "corrected_hidden", _ENDS),
)


def _columns(name: str, figure: Rate | Estimate | None, *parts: str) -> dict[str, Any]:
    """Return parts of a figure; None where there is none, or no case."""
    values = {}
    if isinstance(figure, Estimate):
        values = {"share": figure.value, "low": figure.low, "high": figure.high}
    elif figure and figure.of:
        values = plain(figure)
    return {f"{name} {part}": values.get(part) for part in parts}


def plain(value: Any) -> Any:
    """Convert a report, or a part of it, to values that JSON can hold.

    Rates include their ``share``; a campaign has the settings that took effect. Tuples as keys are
    joined with ``" × "``, with True as ``1``.
    """
    if isinstance(value, Rate):
        return {**asdict(value), "share": value.share}
    if isinstance(value, Campaign):
        value = value.applied
    if isinstance(value, ModelReport):
        value = {**vars(value), **value.metrics}
        del value["metrics"]
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


FORMS: dict[str, Callable[[Report, bool, float, GateOn], str]] = {
    "markdown": lambda report, words, *_: to_markdown(report, in_words=words),
    "csv": lambda report, *_: rows_to_csv(flat_rows(report)),
    "json": lambda report, *_: to_json(plain(report), 1) + "\n",
    "html": lambda report, words, limit, on: to_html(report, in_words=words, limit=limit, on=on),
    "latex": lambda report, *_: to_latex(tables_of(sections(report))),
}
