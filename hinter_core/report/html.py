"""A report as one page: a single file that needs no network, light or dark, on screen or paper.

Every text goes through ``escape`` once; charts lie in the page as JSON, beside a table that says
the same, so that the page can be read without a script too.
"""

from __future__ import annotations

import json
from html import escape
from typing import Any

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
_FOLDED = {"every-group", "truth", "words", "directions", "coverage"}  # tables opened by a click
_DRAW = """
for (const place of document.querySelectorAll('.chart')) {
  const figure = JSON.parse(place.querySelector('script').textContent);
  const drawn = document.createElement('div');
  place.append(drawn);
  Plotly.newPlot(drawn, figure.data, figure.layout, {responsive: true, displayModeBar: false});
}
// Paper is narrower than a window, and a chart is drawn for the width it had.
const fit = size => document.querySelectorAll('.js-plotly-plot').forEach(
  drawn => Plotly.relayout(drawn, size || {width: drawn.closest('.maps') ? 320 : 640}));
addEventListener('beforeprint', () => {
  document.querySelectorAll('details').forEach(d => { d.open = true; });
  fit();
});
addEventListener('afterprint', () => fit({width: null, autosize: true}));
"""


def to_html(report: Report) -> str:
    """The page.

    Raises:
        OSError: the style sheet is missing.
    """
    from plotly.offline import get_plotlyjs

    title = f"HInter report: {report.campaign.title}"
    by_model: dict[str, list[Section]] = {}
    for section in sections(report):
        by_model.setdefault(section.model, []).append(section)
    overview, main, *rest = by_model.pop("")
    said = overview.sentences[: 2 + bool(report.labels)]  # the rest is on the cards
    body = [
        f"<header><h1>{escape(title)}</h1>{_sentences(said)}</header>",
        _cards(report),
        _section(main, _main_charts(report)),
        *(_section(section) for section in rest if section.key == "by-model"),
        *(_model(model, by_model[model.model]) for model in report.models),
        *(_section(section) for section in rest if section.key != "by-model"),
    ]
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escape(title)}</title>",
            f"<style>{STYLE.read_text(encoding='utf-8')}</style></head><body><main>",
            *body,
            f"</main><script>{get_plotlyjs()}</script><script>{_DRAW}</script></body></html>\n",
        ]
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
    return f'<div class="cards">{"".join(cards)}</div>' if cards else "<p>No model was asked.</p>"


def _model(model: ModelReport, found: list[Section]) -> str:
    parts = [f'<section class="model"><h2 class="name">{escape(model.model)}</h2>']
    parts += [_section(section, _charts(section.key, model), level=3) for section in found]
    return "".join([*parts, "</section>"])


def _main_charts(report: Report) -> str:
    return _chart(bars(report), "Error rates with their intervals") + _chart(
        bars(report, "sources"), "Original texts with an error, with intervals"
    )


def _charts(key: str, model: ModelReport) -> str:
    """The charts of a section, if it has any."""
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
        many = f"{len(section.rows):,} lines"
        table = f"<details><summary>Table ({many})</summary>{table}</details>"
    return (
        f'<section class="{section.key}"><h{level}>{escape(section.title)}</h{level}>'
        f"{charts}{_sentences(section.sentences)}{table}</section>"
    )


def _sentences(sentences: list[str]) -> str:
    said = [escape(sentence) for sentence in sentences]
    if len(said) < 4:
        return "".join(f"<p>{sentence}</p>" for sentence in said)
    items = "".join(f"<li>{sentence}</li>" for sentence in said)
    return f"<details class='words'><summary>In words</summary><ul>{items}</ul></details>"


def _table(section: Section) -> str:
    if not section.rows:
        return ""
    # Names of models are long: each gets a line of its own above its rows.
    grouped = section.columns[0] == "Model"
    columns = section.columns[grouped:]
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    rows, last = [], ""
    for row in section.rows:
        if grouped and row[0] != last:
            last = row[0]
            span = f'<th scope="rowgroup" colspan="{len(columns)}">{escape(last)}</th>'
            rows.append(f"<tr>{span}</tr>")
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
    return (
        f'<div class="chart" role="img" aria-label="{escape(name)}">'
        f'<script type="application/json">{_json(figure)}</script></div>'
    )


def _json(value: Any) -> str:
    """JSON that cannot end the script element it lies in."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
