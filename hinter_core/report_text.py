"""A report to read in a terminal, and as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TextIO

from hinter_core.report import Report
from hinter_core.report_section import Section
from hinter_core.report_tables import sections

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
