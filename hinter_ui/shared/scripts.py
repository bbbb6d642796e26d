"""Scripts of the page: functions from ``assets/js``, named by file and function.

``batch.opened`` is the function ``opened`` of ``batch.js``. A file holds the functions of one tab,
``page.js`` those of several; each begins in the first column and ends with a brace there. It is put
on the page alone, so it calls none of the others. A function that runs once its widget is on the
page (:func:`on_load`) is called with gradio's ``element``, ``trigger`` and ``server``; one that
follows an event (:func:`after_event`) with the values of the event's inputs. No text of a visitor
becomes part of a script.

``annotate.js`` is no such file: it is the whole page of an annotator, run as it stands.
"""

from __future__ import annotations

import json
import re
from functools import cache

from hinter_core.storage import ASSETS

_FOLDER = ASSETS / "js"
_FUNCTION = re.compile(r"^(?:async )?function (\w+)\(.*?^}$", re.DOTALL | re.MULTILINE)


def on_load(*names: str) -> str:
    """Code for ``gr.HTML(js_on_load=...)`` that calls these functions."""
    return "\n".join(f"({_source(name)})(element, trigger, server);" for name in names)


def after_event(name: str, *first: str) -> str:
    """Code for the ``js`` of an event; ``first`` are handed over before the inputs' values."""
    if not first:
        return _source(name)
    return f"(...values) => ({_source(name)})({', '.join(map(json.dumps, first))}, ...values)"


@cache
def whole(file: str) -> str:
    """A file of ``assets/js`` as it stands."""
    return (_FOLDER / f"{file}.js").read_text(encoding="utf-8")


def _source(name: str) -> str:
    """One function.

    Raises:
        KeyError: there is none of that name; a mistake in the code.
    """
    file, _, function = name.partition(".")
    return {found[1]: found[0] for found in _FUNCTION.finditer(whole(file))}[function]
