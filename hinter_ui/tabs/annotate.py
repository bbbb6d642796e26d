"""The Annotate tab."""

from __future__ import annotations

import gradio as gr
from gradio.context import Context

from hinter_ui.annotate_counter import Counter
from hinter_ui.annotate_scripts import ROOM_JS
from hinter_ui.annotations import Annotations
from hinter_ui.services import Services


def build(services: Services) -> None:
    tab, page = Context.block, Context.root_block
    projects = Annotations.at_home(local=services.access.local)
    counter = Counter(services, projects)
    gr.HTML('<div class="annotate-room"></div>', elem_id="annotate-room", apply_default_css=False,
            js_on_load=ROOM_JS, server_functions=counter.functions())
    def go(request: gr.Request):
        return gr.Tabs(selected="annotate") if (request.query_params or {}).get("annotate") else gr.skip()
    page.load(go, None, [tab.parent], api_visibility="private", show_progress="hidden")
