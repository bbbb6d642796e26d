"""Write a report as Markdown, terminal tables, HTML, flat rows and plain values."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any, Literal, TextIO

from hinter_core.data.tables import rows_to_csv, to_json
from hinter_core.errors import InputError
from hinter_core.language.clean import printable
from hinter_core.report.figures import (
    Figure,
    bars,
    error_pies,
    flow,
    heat_maps,
    kept_pies,
    positive_bars,
    priority_figure,
)
from hinter_core.report.metrics.lattice import circles, overlap_kinds
from hinter_core.report.model import ModelReport, Report
from hinter_core.report.mutants.validity import CorrectedRow
from hinter_core.report.section import Section, joined
from hinter_core.report.sections import (
    card_of,
    lines_of,
    prioritised,
    sections,
    with_short_names,
)
from hinter_core.report.tables import tables_of, to_latex
from hinter_core.statistics.rates import Estimate, Rate
from hinter_core.storage import ASSETS

_LONG = {"every-group"}  # only on the page and in JSON
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#~])")
_WIDE = 140  # columns if the output is no terminal


def write_report(report: Report, form: str, *, in_words: bool = True) -> str:
    """Return the report as ``markdown``, ``csv``, ``json``, ``html`` or ``latex``.

    ``in_words``: whether Markdown and HTML repeat tables as sentences.

    Raises:
        InputError: an unknown format.
    """
    if form not in FORMS:
        raise InputError(f"There is no report as '{form}'; use {', '.join(FORMS)}.")
    return FORMS[form](report, in_words)


def to_markdown(report: Report, *, in_words: bool = True) -> str:
    """Return the report as GitHub-flavoured Markdown; text from users is escaped."""
    return markdown_of("HInter report", sections(report, in_words=in_words))


def markdown_of(title: str, written: Iterable[Section]) -> str:
    """Return sections as Markdown under a title."""
    lines = [f"# {_escape(title)}", ""]
    for section in written:
        lines += [f"## {_escape(_heading(section))}", ""]
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
        console.print(Text(printable(_heading(section)), style="bold"))
        if section.rows:
            table = Table(show_edge=False, pad_edge=False, header_style="bold")
            for place, column in enumerate(section.columns):
                numbers = all(_is_number(row[place]) for row in section.rows)
                side: Literal["left", "right"] = "right" if numbers else "left"
                table.add_column(Text(printable(column)), overflow="fold", justify=side)
            for row in section.rows:
                table.add_row(*(Text(printable(cell)) for cell in row))
            console.print(table)
        for sentence in section.every_sentence:
            console.print(Text(printable(sentence)))
        console.print()


def _heading(section: Section) -> str:
    return f"{section.title}: {section.model}" if section.model else section.title


def _escape(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(map(_escape, cells))} |"


def _is_number(cell: str) -> bool:
    return not cell or cell[0].isdigit() or cell == "\u2013"


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
                rate = getattr(line, name)
                row |= _hits(name, rate) | _bounds(name, rate, rate.share if rate else None)
            positives = by_name.get(line.name)  # empty cells if no discarded mutant was tested
            row |= {
                "discarded asked": positives.false.of if positives else None,
                "true positives": positives.true.hits if positives else None,
                "false positives": positives.false.hits if positives else None,
                "false share": positives.fake.share if positives else None,
            }
            if report.people is not None:
                row |= _people_columns(people.get((model.model, line.name)))
            rows.append(row)
    return rows


def _hits(name: str, rate: Rate | None) -> dict[str, Any]:
    measured = rate if rate and rate.of else None
    return {
        f"{name} hits": measured.hits if measured else None,
        f"{name} of": measured.of if measured else None,
    }


def _bounds(name: str, rate: Rate | Estimate | None, share: float | None) -> dict[str, Any]:
    low, high = (rate.low, rate.high) if rate else (None, None)
    return {f"{name} share": share, f"{name} low": low, f"{name} high": high}


def _people_columns(line: CorrectedRow | None) -> dict[str, Any]:
    row = _hits("judged valid", line.valid if line else None)
    row |= _hits("restricted errors", line.restricted_errors if line else None)
    row |= _hits("restricted hidden", line.restricted_hidden if line else None)
    for name in ("errors", "hidden"):
        estimate: Estimate | None = getattr(line, f"corrected_{name}", None)
        row |= _bounds(f"corrected {name}", estimate, estimate.value if estimate else None)
    return row


def plain(value: Any) -> Any:
    """Convert a report, or a part of it, to values that JSON can hold.

    Rates include their ``share``. Tuples as keys are joined with ``" × "``, with True as ``1``.
    """
    if isinstance(value, Rate):
        return {**asdict(value), "share": value.share}
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


_STYLES = (ASSETS / "css" / "report.css", ASSETS / "css" / "venn.css")
_SCRIPT = ASSETS / "js" / "report.js"
_PAGES = ASSETS / "html"
# Tables that are opened by a click.
_FOLDED = {"every-group", "truth", "words", "directions", "coverage", "discards"}
_BEFORE_MODELS = ("models", "by-model", "accuracy")
_Charts = Sequence[tuple[str, Figure | None]]  # with the name of each


def to_html(report: Report, *, in_words: bool = True) -> str:
    """Return the report as one HTML file that needs no network: light or dark, screen or paper.

    All text is escaped once. Charts are embedded as JSON beside a table with the same numbers, so
    the page is readable without scripts.
    """
    report = with_short_names(report)
    by_model: dict[str, list[Section]] = {}
    for section in sections(report, in_words=in_words):
        by_model.setdefault(section.model, []).append(section)
    overview, *rest = by_model.pop("")
    return _whole_page(
        **_opening(report, overview),
        first=[s for s in rest if s.key in ("main", *_BEFORE_MODELS)],
        last=[s for s in rest if s.key not in ("main", *_BEFORE_MODELS)],
        by_model=by_model,
    )


def first_screen(report: Report) -> str:
    """Return the begin of the page as HTML: what was tested, a card for each model, all rates."""
    report = with_short_names(report)
    overview, main, *_ = sections(report, in_words=False)
    values = _opening(report, overview) | {"charts": lambda _: ((), (), ())}
    return _rendered(first=[main], only_opening=True, **values)


def page_of(title: str, written: Iterable[Section], charts: Mapping[str, _Charts]) -> str:
    """Return sections as one HTML file that needs no network; ``charts`` with names, by section."""
    return _whole_page(
        title=title,
        first=list(written),
        charts=lambda section: (charts.get(section.key, ()), (), ()),
    )


def style() -> str:
    """Return the style sheet of the report page."""
    return "\n".join(path.read_text(encoding="utf-8") for path in _STYLES)


def _whole_page(**values: Any) -> str:
    from plotly.offline import get_plotlyjs

    draw = _SCRIPT.read_text(encoding="utf-8")
    return _rendered(style=style(), draw=draw, plotly=get_plotlyjs(), **values)


def _rendered(**values: Any) -> str:
    from jinja2 import Environment, FileSystemLoader

    page = Environment(autoescape=True, loader=FileSystemLoader(_PAGES))
    page.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
    page.globals |= {"card_of": card_of, "folded": _FOLDED}
    return page.get_template("report.html").render(values)


def _opening(report: Report, overview: Section) -> dict[str, Any]:
    more = bool(report.labels) + bool(report.only) + prioritised(report)
    models = {model.model: model for model in report.models}
    return {
        "title": f"HInter report: {report.campaign.title}",
        "about": overview.sentences[: 2 + more],  # more on the cards
        "models": report.models,
        "charts": lambda section: (
            _charts(section, report, models),
            _maps(section, models),
            _venns(section, models),
        ),
    }


def _charts(section: Section, report: Report, models: Mapping[str, ModelReport]) -> _Charts:
    if section.key == "main":
        return [
            ("Error rates with their intervals", bars(report)),
            ("Original texts with an error, with intervals", bars(report, "sources")),
        ]
    model = models.get(section.model)
    if model is None:
        return ()
    if section.key == "priority" and model.priority is not None:
        figure = priority_figure({model.model: model.priority})
        return [("Changed answers found by cases asked", figure)]
    if section.key == "flow":
        return [("From mutants to verdicts", flow(model))]
    if section.key == "invariant":
        positives = ("True and false positives", positive_bars(model))
        return [("Mutants kept and discarded", kept_pies(model)), positives]
    if section.key == "pies":
        return [("Errors by what the other kind shows", error_pies(model))]
    return ()


def _maps(section: Section, models: Mapping[str, ModelReport]) -> _Charts:
    """Return the charts that stand side by side, each under its name."""
    model = models.get(section.model)
    if model is not None and section.key == "groups":
        note = ": error rate, %, by the groups a text was turned into"
        return [(name + note, figure) for name, figure in heat_maps(model)]
    return ()


def _venns(section: Section, models: Mapping[str, ModelReport]) -> list[tuple[Any, ...]]:
    """Return the circles of texts, each with its name, number of texts, words and legend."""
    venns = []
    for one in models[section.model].overlaps if section.key == "overlap" else ():
        kinds = overlap_kinds(one)
        total = sum(number for _, number, _ in kinds)
        texts = f"{total:,} text{'s' * (total != 1)}"
        venns.append((circles(one), joined(one.attributes), texts, "Circles of these texts", kinds))
    return venns


FORMS: dict[str, Callable[[Report, bool], str]] = {
    "markdown": lambda report, words: to_markdown(report, in_words=words),
    "csv": lambda report, _: rows_to_csv(flat_rows(report)),
    "json": lambda report, _: to_json(plain(report), 1) + "\n",
    "html": lambda report, words: to_html(report, in_words=words),
    "latex": lambda report, _: to_latex(tables_of(sections(report))),
}
