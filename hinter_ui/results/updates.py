"""From an open campaign to updates of the Results tab's widgets."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import gradio as gr

from hinter_core.campaign.findings import ONLY_PLACEBO
from hinter_core.campaign.tables import Attributes
from hinter_core.report.figures import bars, flow, heat_maps
from hinter_core.report.section import joined
from hinter_ui.html.markup import Markup, tag
from hinter_ui.results import html as present
from hinter_ui.results.actions import FIRST, PAGE, OpenReport, ResultsActions, can_be_repaired
from hinter_ui.results.diagnosis import diagnosis
from hinter_ui.results.html import say
from hinter_ui.results.layout import MAPS, ResultsLayout
from hinter_ui.shared.events import Updates
from hinter_ui.shared.widgets import drawn

_JOINED = "\n"  # between the attributes of a choice


class ResultsUpdates:
    """Updates of the tab's widgets, by widget."""

    def __init__(self, ui: ResultsLayout, actions: ResultsActions) -> None:
        self.ui = ui
        self.actions = actions

    def opened(self, reading: OpenReport, choices: Sequence[tuple[str, str]]) -> Updates:
        """Show a campaign that has just been opened, or opened again."""
        ui, report = self.ui, reading.report
        models = [model.model for model in report.models]
        rest = [model for model in models if model != reading.model]
        others = [(words, name) for words, name in choices if name != reading.name]
        name = reading.name if len(others) < len(choices) else None
        updates: Updates = {
            ui.campaign: gr.update(choices=list(choices), value=name),
            ui.address: reading.address,
            ui.path: "" if reading.name else str(reading.store.folder),
            ui.page: gr.update(visible=True),
            ui.head: present.head(report, reading.state),
            ui.cards: present.cards(report),
            ui.bars: drawn(bars(report)),
            ui.rates: present.rates(report) if models else "",
            ui.model: gr.update(choices=models, value=reading.model or None),
            ui.ending: present.ending(report),
            ui.other: gr.update(choices=[(say("choices.this_campaign"), ""), *others], value=""),
            ui.first: gr.update(choices=models, value=reading.model or None),
            ui.second: gr.update(choices=models, value=next(iter(rest), None)),
            ui.comparison: "",
        }
        return updates | self.filters(reading) | self.of_model(reading)

    def filters(self, reading: OpenReport) -> Updates:
        """Show the filters, offering what the campaign holds."""
        ui = self.ui
        model = next((m for m in reading.report.models if m.model == reading.model), None)
        sets = [line.attributes for line in model.lines] if model else []
        offered = [(joined(names), _JOINED.join(names)) for names in sets]
        together = [choice for choice, names in zip(offered, sets, strict=True) if len(names) > 1]
        has_placebo = model is not None and model.placebo
        placebo = [(say("choices.placebo"), ONLY_PLACEBO[0])] if has_placebo else []
        shown = _JOINED.join(reading.attributes)
        return {
            ui.attributes: gr.update(choices=[(say("choices.all"), ""), *together], value=shown),
            ui.verdicts: gr.update(value=list(reading.wanted.verdicts)),
            ui.which: gr.update(choices=[(say("choices.as_above"), ""), *offered, *placebo],
                                value=_JOINED.join(reading.wanted.attributes)),
            ui.search: gr.update(value=reading.wanted.search),
            ui.validity: gr.update(value=reading.wanted.validity),
        }  # fmt: skip

    def of_model(self, reading: OpenReport) -> Updates:
        """Show what follows from the model and the attributes chosen."""
        ui, model = self.ui, reading.chosen
        if model is None:
            plots = dict.fromkeys((ui.flow, *ui.maps), gr.update(value=None, visible=False))
            blank = (ui.flow_words, ui.overlaps, ui.groups, ui.sections, ui.diagnosis, ui.examples,
                     ui.findings)  # fmt: skip
            hidden: list[Any] = [*ui.map_boxes, ui.repair]
            boxes = dict.fromkeys(hidden, gr.update(visible=False))

            return plots | boxes | dict.fromkeys(blank, "") | dict.fromkeys(ui.map_titles, "")
        maps = heat_maps(model)
        updates: Updates = {
            ui.flow: drawn(flow(model)),
            ui.flow_words: present.beside_chart(reading.report, model, "flow"),
            ui.overlaps: present.overlaps(model),
            ui.groups: present.beside_chart(reading.report, model, "groups"),
            ui.sections: present.of_model(reading.report, model),
            ui.diagnosis: diagnosis(found, reading.pairs, reading.model)
            if (found := reading.diagnosis)
            else "",
            ui.repair: gr.update(visible=bool(reading.diagnosis) and can_be_repaired(reading)),
            ui.examples: present.examples(model),
            ui.findings: self.table(reading),
        }
        remark = tag("span", say("map"), class_="quiet-inline")
        for place in range(MAPS):
            name, figure = maps[place] if place < len(maps) else ("", None)
            title = tag("h3", f"{name} ", remark, class_="map-title") if figure else ""
            updates[ui.map_boxes[place]] = gr.update(visible=figure is not None)
            updates[ui.map_titles[place]] = title
            updates[ui.maps[place]] = drawn(figure)
        return updates

    def table(self, reading: OpenReport) -> Markup:
        """Write the page of findings."""
        total, page = self.actions.findings(reading)
        return present.findings(reading.shown, total, page, PAGE)


def wanted_of(verdicts: Any, which: Any, search: Any, validity: Any) -> Any:
    """Read the filter of findings, whatever a browser sent."""
    return replace(
        FIRST,
        verdicts=tuple(str(verdict) for verdict in verdicts or ()),
        attributes=attributes_of(which),
        search=str(search or "").strip()[:200],
        validity=validity if validity in present.VALIDITIES else 0.0,
    )


def attributes_of(choice: Any) -> Attributes:
    """Return the attributes of a choice; empty for all."""
    return tuple(name for name in str(choice or "").split(_JOINED) if name)
