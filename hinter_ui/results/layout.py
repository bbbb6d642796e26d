"""The widgets of the Results tab: what stands where, and nothing of what it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from hinter_core.types import Verdict
from hinter_ui.html import glossary
from hinter_ui.html.markup import Markup, tag
from hinter_ui.html.wording import Words
from hinter_ui.html.words import spoken
from hinter_ui.results.html import ROOM
from hinter_ui.results.open_report import FIRST
from hinter_ui.shared.services import Services
from hinter_ui.shared.widgets import Labels, html

MAPS = 3  # heat maps shown at once
_EMPTY: dict[str, Any] = {"choices": [], "value": None}  # until a campaign is open
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
    labels, widgets = Labels(ROOM), dict[str, Any]()
    services.labels.append(labels)
    _title(labels, "results-choose")
    with gr.Row(elem_classes="results-choice"):
        widgets["campaign"] = labels.make(gr.Dropdown, "results-campaign", min_width=260, **_EMPTY)
        widgets["path"] = _path(labels, "results-path", services, 260)
        widgets["open"] = labels.make(gr.Button, "results-open", variant="primary", min_width=130)
    widgets["notice"] = html("results-notice")
    with gr.Column(visible=False, elem_classes="results", elem_id="results-page") as page:
        _page(labels, widgets, services)
    return ResultsLayout(page=page, **widgets)


def _page(labels: Labels, widgets: dict[str, Any], services: Services) -> None:
    widgets["head"] = html("results-head")
    widgets["cards"] = html("results-cards")
    _title(labels, "results-rates")
    widgets["bars"] = _plot("results-bars")
    widgets["rates"] = html("results-main")
    _title(labels, "results-one")
    with gr.Row(elem_classes="filters"):
        widgets["model"] = labels.make(gr.Dropdown, "results-model", min_width=200, **_EMPTY)
        widgets["attributes"] = _filter(labels, "results-attributes", "all", 200)
    widgets["flow"] = _plot("results-flow")
    widgets["flow_words"] = html("results-flow-words")
    widgets["overlaps"] = html("results-overlaps")
    _maps(widgets)
    widgets["groups"] = html("results-groups")
    widgets["sections"] = html("results-sections")
    _title(labels, "results-hidden")
    widgets["examples"] = html("results-examples", script="page.findings")
    _findings(labels, widgets)
    _comparison(labels, widgets, services)
    _title(labels, "results-end")
    widgets["ending"] = html("results-ending")


def _maps(widgets: dict[str, Any]) -> None:
    widgets |= {"map_boxes": [], "map_titles": [], "maps": []}
    with gr.Row(elem_classes="results-maps"):
        for number in range(MAPS):
            with gr.Column(visible=False, min_width=0) as box:
                widgets["map_titles"].append(html(f"results-map-title-{number}"))
                widgets["maps"].append(_plot(f"results-map-{number}"))
            widgets["map_boxes"].append(box)


def _findings(labels: Labels, widgets: dict[str, Any]) -> None:
    _title(labels, "results-findings-title")
    with gr.Row(elem_classes="filters"):
        widgets["verdicts"] = labels.write(
            gr.Dropdown, _verdicts, value=list(FIRST.verdicts), multiselect=True,
            elem_id="results-verdicts", min_width=200,
        )  # fmt: skip
        widgets["which"] = _filter(labels, "results-which", "as_above", 160)
        widgets["search"] = labels.make(gr.Textbox, "results-search", max_lines=1, min_width=160)
    widgets["findings"] = html("results-findings", script="page.findings")
    with gr.Row(elem_classes="downloads"):
        labels.html(
            "results-download-label", lambda say: tag("span", say("download"), class_="quiet")
        )
        widgets["downloads"] = {
            kind: labels.make(gr.Button, f"results-{kind}", size="sm", min_width=120)
            for kind in DOWNLOADS
        }
        widgets["hand_over"] = labels.make(gr.Button, "results-hand-over", size="sm", min_width=180)
    widgets["place"] = gr.Textbox(elem_classes="offstage", show_label=False)


def _verdicts(say: Words) -> dict[str, Any]:
    choices = [(spoken(say)(f"verdicts.{verdict.value}"), verdict.value) for verdict in Verdict]
    return {"choices": choices, **say.branch("widgets.results-verdicts")}


def _comparison(labels: Labels, widgets: dict[str, Any], services: Services) -> None:
    _title(labels, "results-compare-title")
    with gr.Row(elem_classes="filters"):
        widgets["other"] = _filter(labels, "results-other", "this_campaign", 220)
        widgets["other_path"] = _path(labels, "results-other-path", services, 180)
        for name in ("first", "second"):
            widgets[name] = labels.make(gr.Dropdown, f"results-{name}", min_width=180, **_EMPTY)
    widgets["compare"] = labels.make(gr.Button, "results-compare", min_width=140)
    widgets["comparison"] = html("results-comparison", script="page.findings")


def _filter(labels: Labels, elem_id: str, first: str, width: int) -> gr.Dropdown:
    """A choice that events fill; ``first`` stands for the empty value."""
    choices = [(labels.say(f"choices.{first}"), "")]
    return labels.make(gr.Dropdown, elem_id, choices=choices, value="", min_width=width)


def _path(labels: Labels, elem_id: str, services: Services, width: int) -> gr.Textbox:
    """The directory of a campaign, on the visitor's machine only."""
    local = services.access.local
    return labels.make(gr.Textbox, elem_id, max_lines=1, visible=local, min_width=width)


def _plot(elem_id: str) -> gr.Plot:
    return gr.Plot(show_label=False, container=False, elem_id=elem_id, elem_classes="report-plot")


def _title(labels: Labels, elem_id: str) -> None:
    def write(say: Words) -> Markup:
        found = say.branch(f"headings.{elem_id}")
        title, remark = (glossary.linked(found[part], say.language) for part in ("title", "remark"))
        return tag("h2", title, " ", tag("span", remark, class_="quiet"))

    labels.html(elem_id, write)
