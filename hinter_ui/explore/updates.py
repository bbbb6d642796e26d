"""From a session to updates of the Explore tab's widgets."""

from typing import Any

import gradio as gr

from hinter_core.models.registry import is_generative
from hinter_core.pipeline.case import TestResult
from hinter_core.types import Failure
from hinter_ui.explore.actions import ExploreActions, ExploreState, Options
from hinter_ui.explore.html import Filter, groups_in, say
from hinter_ui.explore.layout import ExploreLayout
from hinter_ui.html import notice
from hinter_ui.html.markup import Markup, tag
from hinter_ui.html.wording import capital, name_of
from hinter_ui.shared.events import Updates
from hinter_ui.shared.links import ExploreForm
from hinter_ui.shared.session import Session


class ExploreUpdates:
    """Updates of the tab's widgets, by widget."""

    def __init__(self, ui: ExploreLayout, actions: ExploreActions) -> None:
        self.ui = ui
        self.actions = actions

    def controls(self, form: ExploreForm) -> Updates:
        """Fill in the controls from a form."""
        ui = self.ui
        return {
            ui.text: form.text,
            ui.attributes: gr.update(value=list(form.attributes)),
            ui.models: gr.update(value=list(form.models)),
            ui.order: max(2, form.order),
            ui.person_sense: not form.literal,
            ui.parser: form.parser,
            ui.repeat: form.repeat,
        }

    def looked(self, form: ExploreForm, seen: Markup, options: Options | None) -> Updates:
        """Show what follows from text and settings alone: what counts, what can be chosen."""
        asking = any(is_generative(name) for name in form.models)
        return self.options(options) | {
            self.ui.preview: seen,
            self.ui.asking: gr.update(visible=asking),
        }

    def options(self, options: Options | None) -> Updates:
        """Offer attributes and replacements."""
        ui = self.ui
        if options is None or not options.sets:
            empty = {slot: gr.update(choices=[], value=None) for slot in ui.slots}
            return {ui.pair: gr.update(choices=[], value=None, visible=False), **empty}
        several = len(options.sets) > 1
        updates: Updates = {
            ui.pair: gr.update(choices=options.sets, value=options.chosen, visible=several)
        }
        for i, slot in enumerate(ui.slots):
            if i < len(options.slots):
                attribute, choices, value = options.slots[i]
                label = capital(name_of(attribute))
                updates[slot] = gr.update(choices=choices, value=value, label=label, visible=True)
            else:
                updates[slot] = gr.update(choices=[], value=None, visible=False)
        return updates

    def refused(self, message: str) -> Updates:
        """Show a notice in place of the result, which belongs to another text."""
        return {
            self.ui.notice: notice.error(message),
            self.ui.progress: "",
            self.ui.results: gr.update(visible=False),
        }

    def remarks(self, messages: list[str]) -> Updates:
        """Show remarks that do not stop a check."""
        return {self.ui.notice: notice.info(messages)}

    def emptied(self, session: Session) -> Updates:
        """Empty the results before a scan has some."""
        ui = self.ui
        blank = dict.fromkeys((ui.banner, ui.square, ui.trees, ui.link), "")
        return {
            **blank,
            **self.fresh_filter(session),
            ui.results: gr.update(visible=True),
            ui.plot_box: gr.update(visible=False),
            ui.model_switch: gr.update(visible=False),
        }

    def partly(self, session: Session, check: TestResult, state: str) -> Updates:
        """Show progress, counts and the table so far."""
        counts = {m: check.counts(m) for m in session.of(ExploreState).models}
        done = len(check.mutants)
        bar = notice.progress(done, check.planned, counts, state)
        return {self.ui.progress: bar, self.ui.table: self.actions.table(session)}

    def finished(self, session: Session) -> Updates:
        """Show the most telling mutant after a scan, complete or stopped."""
        check = session.check
        if check is None or not check.mutants:
            words = tag("p", say("scan.nothing"), role="status")
            return {self.ui.progress: words, self.ui.results: gr.update(visible=False)}
        state = session.of(ExploreState)
        state.selected, limit = self.actions.most_telling(session), state.form.limit
        if not check.complete:
            outcome = say("scan.stopped")
        elif check.plan.total > limit:
            outcome = say("scan.sampled", sample=limit, all=check.plan.total)
        else:
            outcome = say("scan.complete")
        outcome = over_budget(check, outcome)
        fresh = self.fresh_filter(session)
        return fresh | self.shown(session) | self.partly(session, check, outcome)

    def shown(self, session: Session, *, with_table: bool = False) -> Updates:
        """Show everything about the selected mutant."""
        ui, parts, state = self.ui, self.actions.show(session), session.of(ExploreState)
        if parts is None:
            return {ui.results: gr.update(visible=False)}
        updates: Updates = {
            ui.results: gr.update(visible=True),
            ui.banner: parts.banner,
            ui.square: parts.square,
            ui.plot_box: gr.update(visible=parts.plot is not None),
            ui.trees: parts.trees,
            ui.link: _share(self.actions.link(session)),
            ui.model_switch: gr.update(
                choices=list(state.models), value=state.shown_model, visible=len(state.models) > 1
            ),
        }
        if parts.plot is not None:
            updates[ui.plot] = parts.plot
        if with_table:
            updates[ui.table] = self.actions.table(session)
        return updates

    def fresh_filter(self, session: Session) -> Updates:
        """Reset the filter, offering what the check holds."""
        ui, check = self.ui, session.check
        session.of(ExploreState).filter = Filter()
        present = [a for a in check.plan.attributes if check.plan.edits.get(a)] if check else []
        groups = groups_in(check) if check else []
        every = (say("form.any"), "")
        attributes = [every, *((name_of(a), a) for a in present)]
        return {
            ui.verdict_filter: gr.update(value=[]),
            ui.attribute_filter: gr.update(choices=attributes, value=""),
            ui.group_filter: gr.update(choices=[every, *((g, g) for g in groups)], value=""),
            ui.row_order: gr.update(value="verdict"),
        }


def over_budget(check: TestResult, state: str) -> str:
    """Add to a scan's state how much it left out when its requests were used up."""
    answers = (j.prediction for judged in check.outcomes.values() for j in judged)
    left = sum(a is not None and a.failure is Failure.OVER_BUDGET for a in answers)
    return say.count("scan.over_budget", left, state=state) if left else state


def cancel_button(*, running: bool) -> Any:
    """Show the button that stops a scan while one runs."""
    return gr.update(value=say("widgets.cancel.value"), visible=running, interactive=True)


def _share(query: str) -> Markup:
    if not query:
        return tag("span", say("link.long"), class_="quiet")
    link = tag("a", say("link.open"), href=f"?{query}", class_="share")
    return tag("span", link, " ", notice.copy_button())
