"""Write a report as one HTML file that needs no network: light or dark, on screen or on paper.

All text is escaped once. Charts are embedded as JSON beside a table with the same numbers, so the
page is readable without scripts.
"""

import json
from html import escape

from hinter_core.report.figures import (
    Figure,
    bars,
    error_pies,
    flow,
    heat_maps,
    kept_pies,
    positive_bars,
    venns,
)
from hinter_core.report.model import ModelReport, Report
from hinter_core.report.section import Section
from hinter_core.report.sections import line_in_words, sections
from hinter_core.statistics.format import percent
from hinter_core.storage import ASSETS

STYLE = ASSETS / "css" / "report.css"
_SCRIPT = ASSETS / "js" / "report.js"
_FOLDED = {"every-group", "truth", "words", "directions", "coverage"}  # tables opened by a click
_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style></head><body><main>
{body}
</main><script>{plotly}</script><script>{draw}</script></body></html>
"""


def to_html(report: Report) -> str:
    """Return the report as an HTML page."""
    from plotly.offline import get_plotlyjs

    title = f"HInter report: {report.campaign.title}"
    by_model: dict[str, list[Section]] = {}
    for section in sections(report):
        by_model.setdefault(section.model, []).append(section)
    overview, main, *rest = by_model.pop("")
    about = overview.sentences[: 2 + bool(report.labels)]  # the rest is on the cards
    body = [
        f"<header><h1>{escape(title)}</h1>{_sentences(about)}</header>",
        _cards(report),
        _section(main, _main_charts(report)),
        *(_section(section) for section in rest if section.key == "by-model"),
        *(_model(model, by_model[model.model]) for model in report.models),
        *(_section(section) for section in rest if section.key != "by-model"),
    ]
    return _PAGE.format(
        title=escape(title),
        style=STYLE.read_text(encoding="utf-8"),
        body="\n".join(body),
        plotly=get_plotlyjs(),
        draw=_SCRIPT.read_text(encoding="utf-8"),
    )


def _cards(report: Report) -> str:
    cards = []
    for model in report.models:
        line = model.intersectional
        share, _, interval = percent(line.errors).partition(" [")
        cards.append(
            f'<article class="card"><h2>{escape(model.model)}</h2>'
            f'<p class="big">{escape(share)}</p>'
            f'<p class="quiet">{escape("[" + interval if interval else "no interval")} '
            "intersectional error rate</p>"
            f"<p>{escape(line_in_words(line))}</p></article>"
        )
    return f'<div class="cards">{"".join(cards)}</div>' if cards else "<p>No model was tested.</p>"


def _model(model: ModelReport, found: list[Section]) -> str:
    parts = [f'<section class="model"><h2 class="name">{escape(model.model)}</h2>']
    parts += [_section(section, _charts(section.key, model), level=3) for section in found]
    return "".join([*parts, "</section>"])


def _main_charts(report: Report) -> str:
    return _chart(bars(report), "Error rates with their intervals") + _chart(
        bars(report, "sources"), "Original texts with an error, with intervals"
    )


def _charts(key: str, model: ModelReport) -> str:
    if key == "flow":
        return _chart(flow(model), "From mutants to verdicts")
    if key == "invariant":
        kept = _chart(kept_pies(model), "Mutants kept and discarded")
        return kept + _chart(positive_bars(model), "True and false positives")
    if key == "pies":
        return _chart(error_pies(model), "Errors by what the other kind shows")
    if key == "groups":
        note = ": error rate, %, by the groups a text was turned into"
        return _maps([(name, note, figure) for name, figure in heat_maps(model)])
    if key == "overlap":
        return _maps([(name, ": original texts", figure) for name, figure in venns(model)])
    return ""


def _maps(figures: list[tuple[str, str, Figure]]) -> str:
    maps = "".join(
        f"<div><h4>{escape(name + note)}</h4>{_chart(figure, f'Chart of {name}{note}')}</div>"
        for name, note, figure in figures
    )
    return f'<div class="maps">{maps}</div>' if maps else ""


def _section(section: Section, charts: str = "", level: int = 2) -> str:
    table = _table(section)
    if section.key in _FOLDED and table:
        summary = f"Table ({len(section.rows):,} rows)"
        table = f"<details><summary>{summary}</summary>{table}</details>"
    return (
        f'<section class="{section.key}"><h{level}>{escape(section.title)}</h{level}>'
        f"{charts}{_sentences(section.sentences)}{table}</section>"
    )


def _sentences(sentences: list[str]) -> str:
    if len(sentences) < 4:
        return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f"<details class='words'><summary>In words</summary><ul>{items}</ul></details>"


def _table(section: Section) -> str:
    if not section.rows:
        return ""
    # Names of models are long: each has a separate line above its rows.
    grouped = section.columns[0] == "Model"
    columns = section.columns[grouped:]
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    rows, last = [], ""
    for row in section.rows:
        if grouped and row[0] != last:
            last = row[0]
            span = f'scope="rowgroup" colspan="{len(columns)}"'
            rows.append(f"<tr><th {span}>{escape(last)}</th></tr>")
        cells = "".join(
            f'<td data-label="{escape(column)}">{escape(cell)}</td>'
            for column, cell in zip(columns, row[grouped:], strict=True)
        )
        rows.append(f"<tr>{cells}</tr>")
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(section.title)}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _chart(figure: Figure | None, name: str) -> str:
    if figure is None:
        return ""
    # Without "<", JSON cannot end the script element.
    values = json.dumps(figure, ensure_ascii=False).replace("<", "\\u003c")
    return (
        f'<div class="chart" role="img" aria-label="{escape(name)}">'
        f'<script type="application/json">{values}</script></div>'
    )
