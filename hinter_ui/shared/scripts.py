"""Functions of ``assets/js`` for the page, named by file and function.

``batch.opened`` is the function ``opened`` of ``batch.js``. A file holds the functions of one tab,
``page.js`` those of several. Each begins in the first column, ends with a brace there, and calls
none of the others, since it is put on the page alone. No text of a visitor becomes part of a
script. ``annotate.js`` is the exception: the whole page of an annotator.
"""

import json
import re
from functools import cache

from hinter_core.storage import ASSETS

_FOLDER = ASSETS / "js"
_FUNCTION = re.compile(r"^(?:async )?function (\w+)\(.*?^}$", re.DOTALL | re.MULTILINE)


def on_load(*names: str) -> str:
    """Write code for ``gr.HTML(js_on_load=...)``: calls with its element, trigger and server."""
    return "\n".join(f"({_source(name)})(element, trigger, server);" for name in names)


def after_event(name: str, *first: str) -> str:
    """Write code for the ``js`` of an event: a call with ``first`` and the inputs' values."""
    if not first:
        return _source(name)
    return f"(...values) => ({_source(name)})({', '.join(map(json.dumps, first))}, ...values)"


@cache
def whole(file: str) -> str:
    """Return a whole file of ``assets/js``."""
    return (_FOLDER / f"{file}.js").read_text(encoding="utf-8")


def _source(name: str) -> str:
    file, _, function = name.partition(".")
    return {found[1]: found[0] for found in _FUNCTION.finditer(whole(file))}[function]
