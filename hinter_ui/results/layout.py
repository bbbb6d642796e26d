"""The widgets of the Results tab: what stands where, and nothing of what it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from hinter_core.types import Verdict
from hinter_ui.html import glossary
from hinter_ui.html.markup import tag
from hinter_ui.results.open_report import FIRST
from hinter_ui.shared.services import Services
from hinter_ui.shared.widgets import html

MAPS = 3  # heat maps shown at once
_DOWNLOADS = {
    "html": "Page (HTML)",
    "md": "Markdown",
    "csv": "Rates (CSV)",
    "json": "Everything (JSON)",
    "findings-csv": "Findings (CSV)",
}


@dataclass(frozen=True)
class ResultsLayout:
    """Handles to all widgets that events touch."""

    campaign: gr.Dropdown
    path: gr.Textbox
    open: gr.Button
    notice: gr.HTML
    page: gr.Column
    head: gr.HTML
    cards: gr.HTML
    bars: gr.Plot
    rates: gr.HTML
    model: gr.Dropdown
    attributes: gr.Dropdown
    flow: gr.Plot
    flow_words: gr.HTML
    overlaps: gr.HTML
    map_boxes: list[gr.Column]
    map_titles: list[gr.HTML]
    maps: list[gr.Plot]
    groups: gr.HTML
    sections: gr.HTML
    examples: gr.HTML
    verdicts: gr.Dropdown
    which: gr.Dropdown
    search: gr.Textbox
    findings: gr.HTML
    downloads: dict[str, gr.Button]
    hand_over: gr.Button
    place: gr.Textbox
    other: gr.Dropdown
    other_path: gr.Textbox
    first: gr.Dropdown
    second: gr.Dropdown
    compare: gr.Button
    comparison: gr.HTML
    ending: gr.HTML

    @property
    def of_model(self) -> list[Any]:
        """What follows from the model and the attributes shown."""
        return [
            self.flow,
            self.flow_words,
            self.overlaps,
            *self.map_boxes,
            *self.map_titles,
            *self.maps,
            self.groups,
            self.sections,
            self.examples,
            self.findings,
        ]

    @property
    def everything(self) -> list[Any]:
        """What an opened campaign sets."""
        return [
            self.campaign, self.page, self.head, self.cards, self.bars, self.rates, self.model,
            self.attributes, self.verdicts, self.which, self.search, self.other, self.first,
            self.second, self.comparison, self.ending, *self.of_model,
        ]  # fmt: skip


def lay_out(services: Services) -> ResultsLayout:
    """Build the widgets inside the current tab."""
    widgets: dict[str, Any] = {}
    _title("results-choose", "Results of a campaign", "a data set, tested text by text")
    with gr.Row(elem_classes="results-choice"):
        widgets["campaign"] = gr.Dropdown(
            [], value=None, label="Campaign", elem_id="results-campaign", min_width=260
        )
        widgets["path"] = gr.Textbox(
            label="Or the path of a campaign\u2019s directory",
            placeholder="what hinter run wrote to with --out",
            max_lines=1,
            visible=services.access.local,
            elem_id="results-path",
            min_width=260,
        )
        widgets["open"] = gr.Button(
            "Show results", variant="primary", elem_id="results-open", min_width=130
        )
    widgets["notice"] = html("results-notice")
    with gr.Column(visible=False, elem_classes="results", elem_id="results-page") as page:
        _page(widgets, services)
    return ResultsLayout(page=page, **widgets)


def _page(widgets: dict[str, Any], services: Services) -> None:
    widgets["head"] = html("results-head")
    widgets["cards"] = html("results-cards")
    _title("results-rates", "How often a change turns the answer",
           glossary.linked("with 95 % [[confidence-interval|intervals]]"))  # fmt: skip
    widgets["bars"] = _plot("results-bars")
    widgets["rates"] = html("results-main")
    _title("results-one", "One model more closely", "choose the model and what was changed")
    with gr.Row(elem_classes="filters"):
        widgets["model"] = gr.Dropdown([], label="Model", elem_id="results-model", min_width=200)
        widgets["attributes"] = gr.Dropdown(
            [("all", "")], value="", label="Attributes changed", elem_id="results-attributes",
            min_width=200,
        )  # fmt: skip
    widgets["flow"] = _plot("results-flow")
    widgets["flow_words"] = html("results-flow-words")
    widgets["overlaps"] = html("results-overlaps")
    _maps(widgets)
    widgets["groups"] = html("results-groups")
    widgets["sections"] = html("results-sections")
    _title(
        "results-hidden",
        glossary.link("hidden", "Hidden bias"),
        "only the changes together turn the answer",
    )
    widgets["examples"] = html("results-examples", script="page.findings")
    _findings(widgets)
    _comparison(widgets, services)
    _title("results-end", "Coverage and unused rows", "")
    widgets["ending"] = html("results-ending")


def _maps(widgets: dict[str, Any]) -> None:
    widgets |= {"map_boxes": [], "map_titles": [], "maps": []}
    with gr.Row(elem_classes="results-maps"):
        for number in range(MAPS):
            with gr.Column(visible=False, min_width=0) as box:
                widgets["map_titles"].append(html(f"results-map-title-{number}"))
                widgets["maps"].append(_plot(f"results-map-{number}"))
            widgets["map_boxes"].append(box)


def _findings(widgets: dict[str, Any]) -> None:
    _title("results-findings-title", "All findings", "open one to see it beside its parts")
    with gr.Row(elem_classes="filters"):
        widgets["verdicts"] = gr.Dropdown(
            [v.value for v in Verdict], value=list(FIRST.verdicts), multiselect=True,
            label="Verdicts", elem_id="results-verdicts", min_width=200,
        )  # fmt: skip
        widgets["which"] = gr.Dropdown(
            [("as above", "")], value="", label="Attributes", elem_id="results-which",
            min_width=160,
        )  # fmt: skip
        widgets["search"] = gr.Textbox(
            label="Search", placeholder="a word, a group, a row \u2026", max_lines=1,
            elem_id="results-search", min_width=160,
        )  # fmt: skip
    widgets["findings"] = html("results-findings", script="page.findings")
    with gr.Row(elem_classes="downloads"):
        html("results-download-label", tag("span", "Download", class_="quiet"))
        widgets["downloads"] = {
            kind: gr.Button(words, size="sm", elem_id=f"results-{kind}", min_width=120)
            for kind, words in _DOWNLOADS.items()
        }
        widgets["hand_over"] = gr.Button(
            "Run these on other models", size="sm", elem_id="results-hand-over", min_width=180
        )
    widgets["place"] = gr.Textbox(elem_classes="offstage", show_label=False)


def _comparison(widgets: dict[str, Any], services: Services) -> None:
    _title("results-compare-title", "Compare", "two models here, or one with another campaign")
    with gr.Row(elem_classes="filters"):
        widgets["other"] = gr.Dropdown(
            [("this campaign", "")], value="", label="With", elem_id="results-other",
            min_width=220,
        )  # fmt: skip
        widgets["other_path"] = gr.Textbox(
            label="Or with the directory", placeholder="its path", max_lines=1,
            visible=services.access.local, elem_id="results-other-path", min_width=180,
        )  # fmt: skip
        widgets["first"] = gr.Dropdown(
            [], label="First model, here", elem_id="results-first", min_width=180
        )
        widgets["second"] = gr.Dropdown(
            [], label="Second model, there", elem_id="results-second", min_width=180
        )
    widgets["compare"] = gr.Button("Compare", elem_id="results-compare", min_width=140)
    widgets["comparison"] = html("results-comparison", script="page.findings")


def _plot(elem_id: str) -> gr.Plot:
    return gr.Plot(show_label=False, container=False, elem_id=elem_id, elem_classes="report-plot")


def _title(elem_id: str, title: str, remark: str) -> None:
    html(elem_id, tag("h2", title, " ", tag("span", remark, class_="quiet")))
