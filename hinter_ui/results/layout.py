"""The widgets of the Results tab: where each stands, without what it does."""

from typing import Any

import gradio as gr

from hinter_core.report.gate import LIMIT
from hinter_ui.html import glossary
from hinter_ui.html.markup import Markup, tag
from hinter_ui.html.wording import verdict_choices
from hinter_ui.results.actions import FIRST, FOLDS
from hinter_ui.results.html import validity_choices
from hinter_ui.shared.services import Services
from hinter_ui.shared.widgets import html, offstage

_EMPTY: dict[str, Any] = {"choices": [], "value": None}  # until a campaign is open
# Sections that are filled as a whole.
_BOXES = {"rates": "results-main", "groups": "results-groups", "details": "results-sections",
          "rest": "results-ending"}  # fmt: skip
DOWNLOADS = ("html", "md", "csv", "json", "tables", "findings-csv")


class ResultsLayout:
    """Build the widgets inside the current tab and keep those that events use."""

    def __init__(self, services: Services) -> None:
        labels = self._labels = services.labels_of("results")
        self._local = services.access.local
        self._title("results-choose")
        labels.fold("results-choice-fold", "narrow.choice")
        with gr.Row(elem_classes="results-choice"):
            self.campaign = labels.make(gr.Dropdown, "results-campaign", min_width=260, **_EMPTY)
            self.path = self._path("results-path", 260)
            self.open = labels.make(gr.Button, "results-open", variant="primary", min_width=130)
        self.notice = html("results-notice")
        self.address = offstage("results-address")
        with gr.Column(elem_classes="results-empty", elem_id="results-empty") as self.empty:
            labels.html("results-nothing", lambda: tag("p", labels.say("empty")))
            self.sample = labels.make(gr.Button, "results-sample", min_width=200)
        self.filled: dict[str, gr.HTML] = {}
        with gr.Column(visible=False, elem_classes="results", elem_id="results-page") as self.page:
            self._first_view()
            with gr.Column(elem_classes="folds"):
                self.folds = {key: self._fold(key) for key in FOLDS}
        # What follows from the model and the attributes shown, less what is folded.
        self.of_model = [self.examples, self.repair]
        # What fills a section that is unfolded.
        self.filled |= {"findings": self.findings, "words": self.diagnosis}
        # What an opened campaign sets.
        self.everything = [
            self.campaign, self.path, self.address, self.empty, self.page, self.head, self.cards,
            self.beside, self.limit, self.model, self.attributes, self.verdicts, self.which,
            self.search, self.validity, self.other, self.first, self.second, self.comparison,
            *self.folds.values(), *self.filled.values(), *self.of_model,
        ]  # fmt: skip

    def _first_view(self) -> None:
        labels = self._labels
        self.head = html("results-head")
        self.cards = html("results-cards")
        labels.fold("results-filters-fold", "narrow.filters")
        with gr.Row(elem_classes="filters"):
            self.limit = labels.make(
                gr.Number, "results-limit", value=100 * LIMIT, minimum=0, maximum=100, min_width=120
            )
            self.model = labels.make(gr.Dropdown, "results-model", min_width=200, **_EMPTY)
            self.attributes = self._filter("results-attributes", "all", 180)
        self.examples = html("results-examples", script="page.findings")
        self.beside = html("results-beside")
        with gr.Row(elem_classes="downloads"):
            self.downloads = {"html": self._download("html", variant="primary")}
            self.copy = labels.make(gr.Button, "results-copy", size="sm", min_width=140)

    def _download(self, kind: str, **options: Any) -> gr.Button:
        return self._labels.make(gr.Button, f"results-{kind}", size="sm", min_width=120, **options)

    def _fold(self, key: str) -> gr.Accordion:
        """Make a section that a click or an address unfolds."""

        def texts() -> dict[str, Any]:
            return {"label": self._labels.say(f"folds.{key}")}

        fold = self._labels.write(
            gr.Accordion, texts, open=False, elem_id=f"results-fold-{key}", elem_classes="unfolds"
        )
        with fold:
            if key in _BOXES:
                self.filled[key] = html(_BOXES[key])
            else:
                getattr(self, f"_{key}")()
        return fold

    def _words(self) -> None:
        self.diagnosis = html("results-diagnosis", script="page.findings")
        self.repair = self._labels.make(
            gr.Button, "results-repair", size="sm", min_width=180, visible=False
        )

    def _findings(self) -> None:
        labels = self._labels
        with gr.Row(elem_classes="filters"):
            self.verdicts = labels.choice(
                gr.Dropdown, "results-verdicts", verdict_choices, value=list(FIRST.verdicts),
                multiselect=True, min_width=200,
            )  # fmt: skip
            self.which = self._filter("results-which", "as_above", 160)
            self.search = labels.make(gr.Textbox, "results-search", max_lines=1, min_width=160)
            self.validity = labels.choice(
                gr.Dropdown, "results-validity", validity_choices, value=0.0, min_width=120
            )
            self.order = labels.make(gr.Dropdown, "results-order", value="hidden", min_width=150)
        # Above what is filled late and changes its height: a press would miss what moves away.
        with gr.Row(elem_classes="downloads"):
            self.downloads["findings-csv"] = self._download("findings-csv")
            self.hand_over = labels.make(gr.Button, "results-hand-over", size="sm", min_width=180)
        self.findings = html("results-findings", script="page.findings results.groups")

    def _compare(self) -> None:
        labels = self._labels
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

    def _files(self) -> None:
        with gr.Row(elem_classes="downloads"):
            for kind in DOWNLOADS:
                if kind not in self.downloads:
                    self.downloads[kind] = self._download(kind)
        self.place = offstage()

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
            words = self._labels.say.branch(f"headings.{elem_id}")
            title, remark = (glossary.linked(words[part]) for part in ("title", "remark"))
            return tag("h2", title, " ", tag("span", remark, class_="quiet"))

        self._labels.html(elem_id, write)
