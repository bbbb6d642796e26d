"""From an open campaign to updates of the Results tab's widgets."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import gradio as gr

from hinter_core.campaign.findings import ONLY_PLACEBO, ORDERS
from hinter_core.campaign.tables import Attributes
from hinter_core.report.section import joined
from hinter_ui.html.markup import Markup, model_choices
from hinter_ui.results import html as present
from hinter_ui.results.actions import (
    FIRST,
    PAGE,
    OpenReport,
    ResultsActions,
    can_be_repaired,
)
from hinter_ui.results.diagnosis import diagnosis
from hinter_ui.results.html import say
from hinter_ui.results.layout import ResultsLayout
from hinter_ui.shared.events import Updates

_JOINED = "\n"  # between the attributes of a choice


class ResultsUpdates:
    """Updates of the tab's widgets, by widget."""

    def __init__(self, ui: ResultsLayout, actions: ResultsActions) -> None:
        self.ui = ui
        self.actions = actions

    def opened(self, reading: OpenReport, choices: Sequence[tuple[str, str]]) -> Updates:
        """Show a campaign that has just been opened, or opened again."""
        ui, report = self.ui, reading.report
        models = reading.models
        others = [(words, name) for words, name in choices if name != reading.name]
        name = reading.name if len(others) < len(choices) else None
        updates: Updates = {
            ui.campaign: gr.update(choices=list(choices), value=name),
            ui.address: reading.address,
            ui.path: "" if reading.name else str(reading.store.folder),
            ui.empty: gr.update(visible=False),
            ui.page: gr.update(visible=True),
            ui.head: present.head(report, reading.state),
            ui.limit: gr.update(value=round(100 * reading.limit, 3)),
            ui.model: gr.update(choices=model_choices(models), value=reading.model or None),
            ui.other: gr.update(choices=[(say("choices.this_campaign"), ""), *others], value=""),
            ui.comparison: "",
        }
        updates |= self.sides(reading, models, models)
        return updates | self.filters(reading) | self.decided(reading) | self.of_model(reading)

    def sides(self, reading: OpenReport | None, mine: list[str], other: list[str]) -> Updates:
        """Offer the models of two campaigns, or of one, whose order they keep."""
        first = reading.model if reading else ""
        if mine is other:
            chosen = [first, *(model for model in mine if model != first)][:2]
            first, second = [*sorted(filter(None, chosen), key=mine.index), "", ""][:2]
        else:
            second = first if first in other else next(iter(other), "")
        return {
            self.ui.first: gr.update(choices=model_choices(mine), value=first or None),
            self.ui.second: gr.update(choices=model_choices(other), value=second or None),
        }

    def filters(self, reading: OpenReport) -> Updates:
        """Show the filters, offering what the campaign holds."""
        ui = self.ui
        offered = [(joined(names), _JOINED.join(names)) for names in reading.sets]
        together = [choice for choice in offered if _JOINED in choice[1]]
        model = reading.of_model
        placebo = [(say("choices.placebo"), ONLY_PLACEBO[0])] if model and model.placebo else []
        shown = _JOINED.join(reading.attributes)
        return {
            ui.attributes: gr.update(choices=[(say("choices.all"), ""), *together], value=shown),
            ui.verdicts: gr.update(value=list(reading.wanted.verdicts)),
            ui.which: gr.update(choices=[(say("choices.as_above"), ""), *offered, *placebo],
                                value=_JOINED.join(reading.wanted.attributes)),
            ui.search: gr.update(value=reading.wanted.search),
            ui.validity: gr.update(value=reading.wanted.validity),
        }  # fmt: skip

    def decided(self, reading: OpenReport) -> Updates:
        """Show what follows from the limit."""
        first = self.actions.first_view(reading)
        return {self.ui.cards: present.cards(first), self.ui.beside: present.beside(first)}

    def of_model(self, reading: OpenReport) -> Updates:
        """Show what follows from the model and the attributes chosen; empty what is folded."""
        ui = self.ui
        shown: Updates = {
            ui.examples: present.examples(self.actions.first_view(reading)),
            ui.repair: gr.update(visible=False),
        }
        for key, box in ui.filled.items():
            shown |= self.unfolded(reading, key) if key in reading.unfolded else {box: ""}
        return shown

    def unfolded(self, reading: OpenReport, key: str) -> Updates:
        """Fill a section that is unfolded."""
        report, model = reading.report, reading.chosen
        box = self.ui.filled.get(key)
        if box is None:  # it is filled by its own events
            return {}
        if key == "rates":
            return {box: present.rates(report) if report.models else ""}
        if key == "rest":
            return {box: present.ending(report)}
        if model is None:
            return {box: ""}
        if key == "groups":
            return {box: present.groups(report, model)}
        if key == "details":
            return {box: present.details(report, model)}
        return self.words(reading) if key == "words" else {box: self.table(reading)}

    def words(self, reading: OpenReport) -> Updates:
        """Show the words that change answers."""
        self.actions.diagnose(reading)
        shown = diagnosis(reading.diagnosis, reading.pairs, reading.short.get(reading.model, ""))
        able = gr.update(visible=bool(reading.diagnosis) and can_be_repaired(reading))
        return {self.ui.diagnosis: shown, self.ui.repair: able}

    def table(self, reading: OpenReport) -> Markup:
        """Write the page of findings."""
        groups, total, mutants = self.actions.findings(reading)
        return present.findings(groups, total, mutants, reading.page, PAGE)


def wanted_of(verdicts: Any, which: Any, search: Any, validity: Any) -> Any:
    """Read the filter of findings, whatever a browser sent."""
    return replace(
        FIRST,
        verdicts=tuple(str(verdict) for verdict in verdicts or ()),
        attributes=attributes_of(which),
        search=str(search or "").strip()[:200],
        validity=validity if validity in present.VALIDITIES else 0.0,
    )


def order_of(choice: Any) -> str:
    """Read the order of findings, whatever a browser sent."""
    return choice if choice in ORDERS else "hidden"


def attributes_of(choice: Any) -> Attributes:
    """Return the attributes of a choice; empty for all."""
    return tuple(name for name in str(choice or "").split(_JOINED) if name)
