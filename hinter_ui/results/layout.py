"""The widgets of the Results tab: where each stands, without what it does."""

from typing import Any

import gradio as gr

from hinter_ui.html import glossary
from hinter_ui.html.markup import Markup, tag
from hinter_ui.html.wording import verdict_choices
from hinter_ui.results.actions import FIRST
from hinter_ui.results.html import validity_choices
from hinter_ui.shared.services import Services
from hinter_ui.shared.widgets import html, plot

MAPS = 3  # heat maps shown at once
_EMPTY: dict[str, Any] = {"choices": [], "value": None}  # until a campaign is open
DOWNLOADS = ("html", "md", "csv", "json", "tables", "findings-csv")


class ResultsLayout:
    """Build the widgets inside the current tab and keep those that events use."""

    def __init__(self, services: Services) -> None:
        labels = self._labels = services.labels_of("results")
        self._local = services.access.local
        self._title("results-choose")
        with gr.Row(elem_classes="results-choice"):
            self.campaign = labels.make(gr.Dropdown, "results-campaign", min_width=260, **_EMPTY)
            self.path = self._path("results-path", 260)
            self.open = labels.make(gr.Button, "results-open", variant="primary", min_width=130)
        self.notice = html("results-notice")
        self.address = gr.Textbox(
            elem_classes="offstage", elem_id="results-address", show_label=False
        )
        with gr.Column(visible=False, elem_classes="results", elem_id="results-page") as self.page:
            self._page()
        # What follows from the model and the attributes shown.
        self.of_model = [
            self.flow, self.flow_words, self.overlaps, *self.map_boxes, *self.map_titles,
            *self.maps, self.groups, self.sections, self.diagnosis, self.repair, self.examples,
            self.findings,
        ]  # fmt: skip
        # What an opened campaign sets.
        self.everything = [
            self.campaign, self.path, self.address, self.page, self.head, self.cards, self.bars,
            self.rates, self.model, self.attributes, self.verdicts, self.which, self.search,
            self.validity, self.other, self.first, self.second, self.comparison, self.ending,
            *self.of_model,
        ]  # fmt: skip

    def _page(self) -> None:
        labels = self._labels
        self.head = html("results-head")
        self.cards = html("results-cards")
        self._title("results-rates")
        self.bars = plot("results-bars")
        self.rates = html("results-main")
        self._title("results-one")
        with gr.Row(elem_classes="filters"):
            self.model = labels.make(gr.Dropdown, "results-model", min_width=200, **_EMPTY)
            self.attributes = self._filter("results-attributes", "all", 200)
        self.flow = plot("results-flow")
        self.flow_words = html("results-flow-words")
        self.overlaps = html("results-overlaps")
        self.map_boxes: list[gr.Column] = []
        self.map_titles: list[gr.HTML] = []
        self.maps: list[gr.Plot] = []
        with gr.Row(elem_classes="results-maps"):
            for number in range(MAPS):
                with gr.Column(visible=False, min_width=0) as box:
                    self.map_titles.append(html(f"results-map-title-{number}"))
                    self.maps.append(plot(f"results-map-{number}"))
                self.map_boxes.append(box)
        self.groups = html("results-groups")
        self.sections = html("results-sections")
        self._title("results-words")
        self.diagnose = labels.make(gr.Button, "results-diagnose", size="sm", min_width=180)
        self.diagnosis = html("results-diagnosis", script="page.findings")
        self.repair = labels.make(
            gr.Button, "results-repair", size="sm", min_width=180, visible=False
        )
        self._title("results-hidden")
        self.examples = html("results-examples", script="page.findings")
        self._findings()
        self._comparison()
        self._title("results-end")
        self.ending = html("results-ending")

    def _findings(self) -> None:
        labels = self._labels
        self._title("results-findings-title")
        with gr.Row(elem_classes="filters"):
            self.verdicts = labels.choice(
                gr.Dropdown, "results-verdicts", verdict_choices, value=list(FIRST.verdicts),
                multiselect=True, min_width=200,
            )  # fmt: skip
            self.which = self._filter("results-which", "as_above", 160)
            self.search = labels.make(gr.Textbox, "results-search", max_lines=1, min_width=160)
            self.validity = labels.choice(
                gr.Dropdown, "results-validity", validity_choices, value=0.0, min_width=140
            )
        self.findings = html("results-findings", script="page.findings")
        with gr.Row(elem_classes="downloads"):
            labels.html(
                "results-download-label",
                lambda: tag("span", labels.say("download"), class_="quiet"),
            )
            self.downloads = {
                kind: labels.make(gr.Button, f"results-{kind}", size="sm", min_width=120)
                for kind in DOWNLOADS
            }
            self.hand_over = labels.make(gr.Button, "results-hand-over", size="sm", min_width=180)
        self.place = gr.Textbox(elem_classes="offstage", show_label=False)

    def _comparison(self) -> None:
        labels = self._labels
        self._title("results-compare-title")
        with gr.Column(min_width=0, elem_classes="made-from"):
            with gr.Row(elem_classes="filters"):
                self.other = self._filter("results-other", "this_campaign", 220)
                self.other_path = self._path("results-other-path", 180)
                self.first = labels.make(gr.Dropdown, "results-first", min_width=180, **_EMPTY)
                self.second = labels.make(gr.Dropdown, "results-second", min_width=180, **_EMPTY)
            self.compare = labels.make(
                gr.Button, "results-compare", min_width=140, elem_classes="makes"
            )
            self.comparison = html("results-comparison", script="page.findings page.madeFrom")

    def _filter(self, elem_id: str, first: str, width: int) -> gr.Dropdown:
        """Make a choice that events fill; ``first`` stands for the empty value."""
        choices = [(self._labels.say(f"choices.{first}"), "")]
        return self._labels.make(gr.Dropdown, elem_id, choices=choices, value="", min_width=width)

    def _path(self, elem_id: str, width: int) -> gr.Textbox:
        """Ask for the directory of a campaign, on the visitor's own machine only."""
        return self._labels.make(
            gr.Textbox, elem_id, max_lines=1, visible=self._local, min_width=width
        )

    def _title(self, elem_id: str) -> None:
        def write() -> Markup:
            found = self._labels.say.branch(f"headings.{elem_id}")
            title, remark = (glossary.linked(found[part]) for part in ("title", "remark"))
            return tag("h2", title, " ", tag("span", remark, class_="quiet"))

        self._labels.html(elem_id, write)
