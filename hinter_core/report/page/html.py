"""Write a report, or other sections, as one HTML file that needs no network."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hinter_core.report.figures import (
    Chart,
    Figure,
    bars,
    error_pies,
    flow,
    heat_maps,
    kept_pies,
    plot,
    positive_bars,
    priority_figure,
    titled,
    venn,
)
from hinter_core.report.gate import LIMIT, GateOn
from hinter_core.report.metrics.examples import around, example_row, mutant_in
from hinter_core.report.metrics.lattice import circles, overlap_kinds
from hinter_core.report.model import ModelReport, Report
from hinter_core.report.page.opening import LABELS, most_telling, opening
from hinter_core.report.section import Section, gathered, joined
from hinter_core.report.sections import sections, with_short_names
from hinter_core.statistics.format import counted
from hinter_core.storage import ASSETS

_STYLES = (ASSETS / "css" / "report.css", ASSETS / "css" / "drawing.css")
_SCRIPT = ASSETS / "js" / "report.js"
_PAGES = ASSETS / "html"
_LINES = 60  # of charts on a printed page
_BEFORE_MODELS = ("overview", "main", "models", "by-model", "accuracy")
Charts = Sequence[tuple[str, Chart]]  # with the title of each


def _as_it_is(part: Any, _names: Iterable[str] = ()) -> Any:
    return part


@dataclass(frozen=True)
class Wording:
    """How a page says what the report says; without one, as the report does, in English.

    ``say``: rewrites text, lists and sections, but no names of models. ``label``: rewrites the
    labels of a chart. ``labels``: the words of the page that are no sentences.
    """

    language: str = "en"
    say: Callable[..., Any] = _as_it_is
    label: Callable[[Chart], Chart] = _as_it_is
    labels: Mapping[str, str] = field(default_factory=lambda: LABELS)


ENGLISH = Wording()


def to_html(
    report: Report,
    *,
    in_words: bool = True,
    limit: float = LIMIT,
    on: GateOn = GateOn.EXCESS,
    wording: Wording = ENGLISH,
) -> str:
    """Return the report as one HTML file: light or dark, wide or narrow, on screen or paper.

    It begins with the decision by ``limit``, a limit of ``on``; every section follows, folded. All
    text is escaped once.
    """
    report = with_short_names(report)
    names = [model.model for model in report.models]
    said: Iterable[Section] = (
        wording.say(section, names) for section in sections(report, in_words=in_words)
    )
    by_model = gathered(said, lambda section: section.model)
    rest = by_model.pop("")
    view = _first_view(report, limit, on, wording)
    listed = [  # models with a list of hidden bias, and where it is
        (model, "examples" if number == 1 else f"examples-{number}")
        for number, (model, own) in enumerate(by_model.items(), 1)
        if any(section.key == "examples" for section in own)
    ]
    return _whole_page(
        **view,
        others=[one for one in listed if one[0] != view["first"].model],
        second=_second_page(report, wording),
        before=[s for s in rest if s.key in _BEFORE_MODELS],
        by_model=by_model,
        after=[s for s in rest if s.key not in _BEFORE_MODELS],
    )


def first_screen(report: Report) -> str:
    """Return the begin of the page as HTML: a decision about each model, and examples."""
    values = _first_view(with_short_names(report))
    return _rendered(only_opening=True, **values)


def page_of(title: str, written: Iterable[Section], charts: Mapping[str, Charts]) -> str:
    """Return sections as one HTML file; ``charts`` with names, by section."""
    return _whole_page(
        title=title,
        before=list(written),
        by_model={},
        charts=lambda section: (charts.get(section.key, ()), ()),
    )


def style() -> str:
    """Return the style sheet of the report page."""
    return "\n".join(path.read_text(encoding="utf-8") for path in _STYLES)


def _whole_page(**values: Any) -> str:
    return _rendered(style=style(), script=_SCRIPT.read_text(encoding="utf-8"), **values)


def _rendered(**values: Any) -> str:
    from jinja2 import Environment, FileSystemLoader

    page = Environment(autoescape=True, loader=FileSystemLoader(_PAGES))
    wording: Wording = values.get("wording", ENGLISH)
    page.globals |= {"words": wording.labels, "language": wording.language}
    page.globals |= {"change": example_row, "marked": marked}
    return page.get_template("report.html").render(values)


def _second_page(report: Report, wording: Wording) -> Charts:
    """Return the charts of the second page, as many as fit: rates, texts, and one heat map."""
    model = most_telling(report)
    if model is None:
        return []
    rates, maps = (_said(charts_of(k, report, model), wording) for k in ("main", "groups"))
    room, fitting = _LINES, []
    for name, made in (*rates, *((f"{model.model}, {name}", chart) for name, chart in maps[:1])):
        lines = 3 + sum(len(row[1]) if made["kind"] == "bars" else 3 for row in made["rows"])
        if lines <= room:
            fitting.append((name, made))
            room -= lines
    return fitting


def _first_view(
    report: Report,
    limit: float = LIMIT,
    on: GateOn = GateOn.EXCESS,
    wording: Wording = ENGLISH,
) -> dict[str, Any]:
    models = {model.model: model for model in report.models}
    first = opening(report, limit, on=on)
    said = wording.say(replace(first, clusters=[]), list(models))
    for card in said.cards:
        for drawn in card.bars:
            drawn |= {part: wording.say(drawn[part]) for part in ("name", "written")}
    return {
        "wording": wording,
        "title": wording.labels["title"].format(title=report.campaign.title),
        "missing": wording.say(report.missing),
        "first": replace(said, clusters=first.clusters),
        "charts": lambda section: (
            ()
            if section.key == "main"
            else _said(charts_of(section.key, report, models.get(section.model)), wording),
            _venns(section, models, wording),
        ),
    }


def _said(charts: Charts, wording: Wording) -> Charts:
    return [(wording.say(name), wording.label(chart)) for name, chart in charts]


# By section of a report: the name of each chart for plotly, its title on a page, and the chart.
_Named = Iterable[tuple[str, str, Chart | None]]
_OF_MODEL: dict[str, Callable[[ModelReport], _Named]] = {
    "flow": lambda model: [("verdicts", "From mutants to verdicts", flow(model))],
    "invariant": lambda model: [
        ("kept", "Mutants kept and discarded", kept_pies(model)),
        ("true and false positives", "True and false positives", positive_bars(model)),
    ],
    "pies": lambda model: [
        ("errors by parts", "Errors by what the other kind shows", error_pies(model))
    ],
    "groups": lambda model: [
        (
            f"groups of {name}",
            f"{name}: error rate, %, by the groups a text was turned into, and the most frequent "
            "answer of its errors",
            chart,
        )
        for name, chart in heat_maps(model)
    ],
    "priority": lambda model: [
        (
            "priority",
            "Changed answers found by cases asked",
            priority_figure({model.model: model.priority}) if model.priority else None,
        )
    ],
}


def _charts(key: str, report: Report, model: ModelReport | None) -> _Named:
    if key == "main":
        yield "errors", "Error rates with their intervals", bars(report)
        yield "texts with errors", "Texts with an error", bars(report, "sources")
    elif model is not None and key in _OF_MODEL:
        yield from _OF_MODEL[key](model)


def charts_of(key: str, report: Report, model: ModelReport | None) -> Charts:
    """Return the charts of a section, each with its title."""
    return [(title, chart) for _, title, chart in _charts(key, report, model) if chart is not None]


def every_figure(report: Report, model: ModelReport) -> dict[str, Figure]:
    """Return all charts that a report has of a model, and of all models, by name for plotly."""
    figures = {
        name: titled(plot(chart), title)
        for key in ("main", *_OF_MODEL)
        for name, title, chart in _charts(key, report, model)
        if chart is not None
    }
    for one in model.overlaps:
        name = joined(one.attributes)
        figures[f"errors by {name}"] = titled(venn(one), f"{name}: texts with an error")
    return figures


def _venns(
    section: Section, models: Mapping[str, ModelReport], wording: Wording
) -> list[tuple[Any, ...]]:
    """Return the circles of texts, each with its name, number of texts, words and legend."""
    venns = []
    every = models[section.model].overlaps if section.key == "overlap" else ()
    for one in (one for one in every if one.texts):
        kinds = [(kind, n, wording.say(what)) for kind, n, what in overlap_kinds(one)]
        texts = wording.say(counted(one.texts, "text"))
        name, words = joined(one.attributes), wording.labels["circles"]
        venns.append((circles(one), wording.say(name), texts, words, kinds))
    return venns


def marked(example: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return a hidden mutant as pieces around its changes: "", ``del`` or ``ins``, and a text."""
    text, splices = example["text"], mutant_in(example).splices
    start, end = around(text, splices[0].start, splices[-1].end)
    pieces, at = [("", "\u2026" * (start > 0))], start
    for one in splices:
        new, old = text[at : one.start], text[one.start : one.end]
        pieces += [("", new), ("del", old), ("ins", f" {one.new}" if old else one.new)]
        at = one.end
    return [*pieces, ("", text[at:end] + "\u2026" * (end < len(text)))]
