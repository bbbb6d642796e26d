"""What the app uses of gradio beside its public names; a new version may lack any of it.

All of it is imported from here, and checked when the page is built.
"""

from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import gradio as gr
from gradio.blocks import Block, BlocksConfig, convert_component_dict_to_list
from gradio.context import Context
from gradio.events import api
from gradio.processing_utils import add_root_url
from gradio.queueing import Event, EventQueue, Queue
from gradio.utils import get_upload_folder

from hinter_core.errors import InputError

__all__ = [
    "Block", "BlocksConfig", "Context", "Event", "EventQueue", "Queue", "add_root_url",
    "api", "convert_component_dict_to_list", "get_upload_folder", "require",
]  # fmt: skip

# Methods that are overridden, and attributes that are read or set.
_OF_CLASSES = {
    gr.Blocks: (
        "queue",
        "preprocess_data",
        "postprocess_data",
        "process_api",
        "expects_oauth",
    ),
    BlocksConfig: ("__copy__", "config_for_block"),
    Queue: ("push", "get_events"),
    Context: ("block", "root_block"),
}
_OF_A_PAGE = ("default_config", "blocks", "_queue")
_OF_ITS_QUEUE = ("event_queue_per_concurrency_id", "active_jobs", "sleep_when_free")


def require(page: gr.Blocks) -> None:
    """Refuse a version of gradio that lacks a name.

    Raises:
        InputError: it does; the message names it.
    """
    if gone := list(_gone(page)):
        raise InputError(
            f"gradio {version('gradio')} has no {', '.join(gone)}, which HInter needs; install the "
            "version of requirements.txt."
        )


def _gone(page: gr.Blocks) -> Iterator[str]:
    wanted: list[tuple[Any, str, tuple[str, ...]]] = [
        *((kind, kind.__name__, names) for kind, names in _OF_CLASSES.items()),
        (page, "Blocks", _OF_A_PAGE),
        (getattr(page, "_queue", None), "Queue", _OF_ITS_QUEUE),
    ]
    for owner, name, attributes in wanted:
        yield from (f"{name}.{one}" for one in attributes if not hasattr(owner, one))
