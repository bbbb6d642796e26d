"""What the Results tab shows: from an open campaign to updates of the widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import gradio as gr

from hinter_core.campaign.findings import ONLY_PLACEBO
from hinter_core.campaign.views import Attributes
from hinter_core.report.figures import Figure, bars, flow, heat_maps
from hinter_core.report.section import joined
from hinter_ui.html.markup import Markup, tag
from hinter_ui.html.wording import Words
from hinter_ui.results import html as present
from hinter_ui.results.actions import PAGE, ResultsActions
from hinter_ui.results.layout import MAPS, ResultsLayout
from hinter_ui.results.open_report import FIRST, OpenReport
from hinter_ui.shared.events import Updates

_JOINED = "\n"  # between the attributes of a choice
_HIGHEST = 900  # pixels of a chart


class ResultsUpdates:
    """Updates of the tab's widgets, by widget."""

    def __init__(self, ui: ResultsLayout, actions: ResultsActions) -> None:
        self.ui = ui
        self.actions = actions

    def opened(
        self, reading: OpenReport, choices: Sequence[tuple[str, str]], say: Words
    ) -> Updates:
        """A campaign that has just been opened, or opened again."""
        ui, report = self.ui, reading.report
        models = [model.model for model in report.models]
        there = bool(models)
        rest = [model for model in models if model != reading.model]
        known = {name for _, name in choices}
        others = [(words, name) for words, name in choices if name != reading.name]
        updates: Updates = {
            ui.campaign: gr.update(
                choices=list(choices), value=reading.name if reading.name in known else None
            ),
            ui.page: gr.update(visible=True),
            ui.head: present.head(report, reading.state),
            ui.cards: present.cards(report, say),
            ui.bars: _drawn(bars(report)),
            ui.rates: present.rates(report, say) if there else "",
            ui.model: gr.update(choices=models, value=reading.model or None),
            ui.ending: present.ending(report, say),
            ui.other: gr.update(choices=[(say("choices.this_campaign"), ""), *others], value=""),
            ui.first: gr.update(choices=models, value=reading.model or None),
            ui.second: gr.update(choices=models, value=next(iter(rest), None)),
            ui.comparison: "",
        }
        return updates | self.filters(reading, say) | self.of_model(reading, say)

    def filters(self, reading: OpenReport, say: Words) -> Updates:
        """The filters, offering what the campaign holds."""
        ui = self.ui
        sets = _sets(reading)
        offered = [(joined(names), _JOINED.join(names)) for names in sets]
        together = [choice for choice, names in zip(offered, sets, strict=True) if len(names) > 1]
        placebo = [(say("choices.placebo"), ONLY_PLACEBO[0])] if _has_placebo(reading) else []
        shown = _JOINED.join(reading.attributes)
        return {
            ui.attributes: gr.update(choices=[(say("choices.all"), ""), *together], value=shown),
            ui.verdicts: gr.update(value=list(reading.wanted.verdicts)),
            ui.which: gr.update(choices=[(say("choices.as_above"), ""), *offered, *placebo],
                                value=_JOINED.join(reading.wanted.attributes)),
            ui.search: gr.update(value=reading.wanted.search),
        }  # fmt: skip

    def of_model(self, reading: OpenReport, say: Words) -> Updates:
        """All that follows from the model and the attributes shown."""
        ui, model = self.ui, reading.chosen
        if model is None:
            plots = dict.fromkeys((ui.flow, *ui.maps), gr.update(value=None, visible=False))
            blank = (ui.flow_words, ui.overlaps, ui.groups, ui.sections, ui.examples, ui.findings)
            boxes = dict.fromkeys(ui.map_boxes, gr.update(visible=False))
            return plots | boxes | dict.fromkeys(blank, "") | dict.fromkeys(ui.map_titles, "")
        maps = heat_maps(model)
        updates: Updates = {
            ui.flow: _drawn(flow(model)),
            ui.flow_words: present.beside_chart(reading.report, model, "flow", say),
            ui.overlaps: present.overlaps(model, say),
            ui.groups: present.beside_chart(reading.report, model, "groups", say),
            ui.sections: present.of_model(reading.report, model, say),
            ui.examples: present.examples(model, say),
            ui.findings: self.table(reading, say),
        }
        for place in range(MAPS):
            there = place < len(maps)
            name, figure = maps[place] if there else ("", None)
            updates[ui.map_boxes[place]] = gr.update(visible=there)
            updates[ui.map_titles[place]] = _map_title(name, say) if there else ""
            updates[ui.maps[place]] = _drawn(figure)
        return updates

    def table(self, reading: OpenReport, say: Words) -> Markup:
        """The page of findings."""
        total, page = self.actions.findings(reading)
        return present.findings(reading.shown, total, page, PAGE, say)


def wanted_of(verdicts: Any, which: Any, search: Any) -> Any:
    """The filter that the widgets say, whatever a browser sent."""
    return replace(
        FIRST,
        verdicts=tuple(str(verdict) for verdict in verdicts or ()),
        attributes=attributes_of(which),
        search=str(search or "").strip()[:200],
    )


def attributes_of(choice: Any) -> Attributes:
    """The attributes of a choice; empty for all."""
    return tuple(name for name in str(choice or "").split(_JOINED) if name)


def _sets(reading: OpenReport) -> list[Attributes]:
    for model in reading.report.models:
        if model.model == reading.model:
            return [line.attributes for line in model.lines]
    return []


def _has_placebo(reading: OpenReport) -> bool:
    return any(m.placebo for m in reading.report.models if m.model == reading.model)


def _map_title(name: str, say: Words) -> Markup:
    remark = tag("span", say("map"), class_="quiet-inline")
    return tag("h3", f"{name} ", remark, class_="map-title")


def _drawn(figure: Figure | None) -> Any:
    """A figure as gradio draws it; hidden where there is none."""
    from plotly import graph_objects as go

    if figure is None:
        return gr.update(value=None, visible=False)
    layout = {**figure["layout"], "height": min(_HIGHEST, figure["layout"]["height"])}
    return gr.update(value=go.Figure(data=figure["data"], layout=layout), visible=True)
