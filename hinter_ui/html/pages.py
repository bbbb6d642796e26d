"""Pages of ``assets/html`` as jinja2 templates, in which each value is escaped as in a tag."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import markupsafe

from hinter_core.storage import ASSETS
from hinter_ui.html.markup import Markup, escape

_BREAK = re.compile(r"(?<=[>}])\n\s*")  # no blank of ours stands between two tags


class Macros:
    """The macros of a template by name; each writes its part of the page."""

    def __init__(self, macros: Mapping[str, Callable[..., str]]) -> None:
        self._macros = macros

    def __getattr__(self, name: str) -> Callable[..., Markup]:
        macro = self._macros[name]
        return lambda *values, **named: Markup(macro(*values, **named))


@cache
def macros_of(name: str, **values: Any) -> Macros:
    """Return the macros of ``assets/html/NAME.html``, which see the ``values``."""
    from jinja2 import Environment

    source = (ASSETS / "html" / f"{name}.html").read_text(encoding="utf-8")
    page = Environment(autoescape=True, finalize=_escaped)
    return Macros(vars(page.from_string(_BREAK.sub("", source), values).module))


def _escaped(value: object) -> markupsafe.Markup:
    return markupsafe.Markup(escape(value))  # noqa: S704 -- escaped
