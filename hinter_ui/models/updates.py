"""From the available models to updates of the Models tab's widgets."""

from typing import Any

import gradio as gr

from hinter_ui.html import notice
from hinter_ui.html.markup import Markup
from hinter_ui.models import html
from hinter_ui.models.actions import ModelsActions
from hinter_ui.models.html import say
from hinter_ui.models.layout import ModelsLayout
from hinter_ui.shared.events import Updates
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from hinter_ui.shared.wiring import Load


class ModelsUpdates:
    """Updates of the tab's widgets, by widget; ``pickers`` are other tabs' choices of models."""

    def __init__(
        self, services: Services, actions: ModelsActions, ui: ModelsLayout, pickers: list[Any]
    ) -> None:
        self.services = services
        self.actions = actions
        self.ui = ui
        self.pickers = pickers

    def table(self, session: Session) -> Markup:
        """Write the table of models."""
        return html.table(self.actions.known(session))

    def lists(self, session: Session, chosen: str = "") -> Updates:
        """Update all lists of models; what is chosen stays."""
        choices = self.services.model_choices(session)
        updates: Updates = {picker: gr.update(choices=choices) for picker in self.pickers}
        updates[self.ui.table] = self.table(session)
        updates[self.ui.model] = gr.update(choices=choices)
        if chosen:
            updates[self.ui.model] = gr.update(choices=choices, value=chosen)
            updates[self.ui.again_row] = self.again_row(session, chosen)
        return updates

    def again_row(self, session: Session, name: str) -> Any:
        """Show the way to ask again unless the model always answers the same."""
        return gr.update(visible=not self.actions.steady(session, name))

    def loaded(self, session: Session, name: str, work: Load) -> Updates:
        """Update the lists after a load; a model that is ready is chosen to be tried."""
        return self.lists(session, "" if work.error else name)


def loaded(name: str, work: Load) -> Markup:
    """Say whether a load succeeded."""
    if work.error:
        return notice.error(work.error, say("status.unloaded"))
    words = say("status.ready", name=name)
    return notice.info([words, work.remark] if work.remark else [words])
