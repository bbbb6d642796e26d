"""What a browser fetches and is told of before the page can be used, as shares of the whole."""

import json
from collections.abc import Iterator
from gzip import compress
from typing import Any

from hinter_ui.frontend import Frontend
from hinter_ui.shared.access import Access
from hinter_ui.shared.services import Services
from hinter_ui.shell import build_app

_PARTS = (("widgets", "components"), ("events", "dependencies"))


def report() -> Iterator[str]:
    """Yield the lines of a table."""
    page = build_app(Services(Access.at(None)))
    first: Any = page.config
    whole: Any = page.whole()
    for name, part in _PARTS:
        told, there = len(first[part]), len(whole[part])
        yield f"{name:>24} {told:>7,} of {there:,} ({told / there:.0%})"
    sizes = [len(json.dumps(config, default=str)) / 1e3 for config in (first, whole)]
    yield f"{'kB that describe them':>24} {sizes[0]:>7,.0f} of {sizes[1]:,.0f}"
    kinds = {one["type"] for one in whole["components"]}
    for name, wanted in (("the first tab", page.kinds()), ("all tabs", kinds)):
        frontend = Frontend(wanted)
        size = len(compress(frontend.script().encode(), 5)) / 1e3
        yield f"{'modules of ' + name:>24} {len(frontend.files()):>7,} in 1 file of {size:,.0f} kB"
