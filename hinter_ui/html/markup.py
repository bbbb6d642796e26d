"""The one place where text becomes HTML.

``tag`` escapes every child and attribute that is not :class:`Markup` already, so a text, a label
or an answer cannot reach the page as HTML unless somebody wraps it in ``Markup`` by hand.
"""

from collections.abc import Iterable
from html import escape as _html_escape

import markupsafe

from hinter_core.language.clean import whole
from hinter_core.report.section import short_names

# gr.HTML fills a template with the value; these must not look like one.
TEMPLATE = str.maketrans({"{": "&#123;", "}": "&#125;", "$": "&#36;", "`": "&#96;"})
_VOID = frozenset({"br", "hr", "img", "input", "line", "path", "rect", "circle"})


class Markup(str):
    """A string that is HTML already."""

    __slots__ = ()


def escape(value: object) -> Markup:
    """``value`` as HTML text; Markup stays as it is."""
    if isinstance(value, Markup):
        return value
    if isinstance(value, markupsafe.Markup):
        return Markup(value)  # a part of a template
    return Markup(_html_escape(whole(str(value)), quote=True).translate(TEMPLATE))


def join(parts: Iterable[object], separator: str = "") -> Markup:
    """Parts after each other, each escaped."""
    return Markup(escape(separator).join(escape(part) for part in parts))


def tag(name: str, /, *children: object, **attributes: object) -> Markup:
    """One element. ``class_`` is ``class``, ``aria_label`` is ``aria-label``.

    Children and attributes that are None or False are left out; True gives a bare attribute.
    """
    written = "".join(
        f" {_attribute_name(key)}" + ("" if value is True else f'="{escape(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Markup(f"<{name}{written}/>")
    inner = "".join(escape(c) for c in children if c is not None and c is not False)
    return Markup(f"<{name}{written}>{inner}</{name}>")


def with_marks(text: str, marks: Iterable[tuple[int, int, object]]) -> Markup:
    """Write a text with marks, each for its characters from the first up to the last.

    They come in the order of the text; where two overlap, the first stands.
    """
    parts, at = list[object](), 0
    for start, end, mark in marks:
        if start >= at:
            parts += [text[at:start], mark]
            at = end
    return join([*parts, text[at:]])


def _attribute_name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def table(
    caption: str, columns: Iterable[object], rows: Iterable[Markup], **attributes: object
) -> Markup:
    """A table; its caption is for those who hear it."""
    head = tag("tr", *(tag("th", column, scope="col") for column in columns))
    title = tag("caption", caption, class_="sr-only")
    return tag("table", title, tag("thead", head), tag("tbody", *rows), **attributes)


def isolated(text: str) -> Markup:
    """Foreign text on a line of ours: its writing direction stays its own."""
    return tag("bdi", text)


def model_choices(names: Iterable[str]) -> list[tuple[str, str]]:
    """Return the choices of a widget for models: the short name of each, and its full one."""
    return [(short, name) for name, short in short_names(names).items()]


def model_name(name: str, models: Iterable[str] = (), **attributes: object) -> Markup:
    """A model's short name among ``models``, with its full one as a title."""
    short = short_names([*models, name])[name]
    return tag("bdi", short, title=None if short == name else name, **attributes)
