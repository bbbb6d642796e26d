"""The widgets of the Results tab: what stands where, and nothing of what it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from hinter_core.types import Verdict
from hinter_ui.html import glossary
from hinter_ui.html.markup import tag
from hinter_ui.html.wording import DEFAULT, words_of
from hinter_ui.results.open_report import FIRST
from hinter_ui.shared.services import Services
from hinter_ui.shared.widgets import html

say = words_of(DEFAULT, "results")
MAPS = 3  # heat maps shown at once
DOWNLOADS = ("html", "md", "csv", "json", "findings-csv")


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
    _title("results-choose", "choose")
    with gr.Row(elem_classes="results-choice"):
        widgets["campaign"] = _dropdown("campaign", value=None, min_width=260)
        widgets["path"] = _path("path", services, min_width=260)
        widgets["open"] = gr.Button(
            say("buttons.open"), variant="primary", elem_id="results-open", min_width=130
        )
    widgets["notice"] = html("results-notice")
    with gr.Column(visible=False, elem_classes="results", elem_id="results-page") as page:
        _page(widgets, services)
    return ResultsLayout(page=page, **widgets)


def _page(widgets: dict[str, Any], services: Services) -> None:
    widgets["head"] = html("results-head")
    widgets["cards"] = html("results-cards")
    _title("results-rates", "rates")
    widgets["bars"] = _plot("results-bars")
    widgets["rates"] = html("results-main")
    _title("results-one", "one")
    with gr.Row(elem_classes="filters"):
        widgets["model"] = _dropdown("model", min_width=200)
        widgets["attributes"] = _dropdown("attributes", "all", min_width=200)
    widgets["flow"] = _plot("results-flow")
    widgets["flow_words"] = html("results-flow-words")
    widgets["overlaps"] = html("results-overlaps")
    _maps(widgets)
    widgets["groups"] = html("results-groups")
    widgets["sections"] = html("results-sections")
    _title("results-hidden", "hidden")
    widgets["examples"] = html("results-examples", script="page.findings")
    _findings(widgets)
    _comparison(widgets, services)
    _title("results-end", "end")
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
    _title("results-findings-title", "findings")
    with gr.Row(elem_classes="filters"):
        widgets["verdicts"] = gr.Dropdown(
            [v.value for v in Verdict], value=list(FIRST.verdicts), multiselect=True,
            elem_id="results-verdicts", min_width=200, **say.branch("fields.verdicts"),
        )  # fmt: skip
        widgets["which"] = _dropdown("which", "as_above", min_width=160)
        widgets["search"] = gr.Textbox(
            max_lines=1, elem_id="results-search", min_width=160, **say.branch("fields.search")
        )
    widgets["findings"] = html("results-findings", script="page.findings")
    with gr.Row(elem_classes="downloads"):
        html("results-download-label", tag("span", say("downloads.title"), class_="quiet"))
        widgets["downloads"] = {
            kind: gr.Button(
                say(f"downloads.{kind}"), size="sm", elem_id=f"results-{kind}", min_width=120
            )
            for kind in DOWNLOADS
        }
        widgets["hand_over"] = gr.Button(
            say("buttons.hand_over"), size="sm", elem_id="results-hand-over", min_width=180
        )
    widgets["place"] = gr.Textbox(elem_classes="offstage", show_label=False)


def _comparison(widgets: dict[str, Any], services: Services) -> None:
    _title("results-compare-title", "compare")
    with gr.Row(elem_classes="filters"):
        widgets["other"] = _dropdown("other", "this_campaign", min_width=220)
        widgets["other_path"] = _path("other_path", services, min_width=180)
        widgets["first"] = _dropdown("first", min_width=180)
        widgets["second"] = _dropdown("second", min_width=180)
    widgets["compare"] = gr.Button(say("buttons.compare"), elem_id="results-compare", min_width=140)
    widgets["comparison"] = html("results-comparison", script="page.findings")


def _plot(elem_id: str) -> gr.Plot:
    return gr.Plot(show_label=False, container=False, elem_id=elem_id, elem_classes="report-plot")


def _dropdown(name: str, first: str = "", **options: Any) -> gr.Dropdown:
    """A choice of one, which events fill; ``first`` stands for the empty value."""
    if first:
        options |= {"choices": [(say(f"choices.{first}"), "")], "value": ""}
    return gr.Dropdown(elem_id=f"results-{name}", **say.branch(f"fields.{name}"), **options)


def _path(name: str, services: Services, min_width: int) -> gr.Textbox:
    """The directory of a campaign, on the visitor's machine only."""
    return gr.Textbox(
        max_lines=1,
        visible=services.access.local,
        elem_id=f"results-{name.replace('_', '-')}",
        min_width=min_width,
        **say.branch(f"fields.{name}"),
    )


def _title(elem_id: str, key: str) -> None:
    title, remark = (say.branch(f"headings.{key}").get(part, "") for part in ("title", "remark"))
    words = tag("span", glossary.linked(remark), class_="quiet")
    html(elem_id, tag("h2", glossary.linked(title), " ", words))
