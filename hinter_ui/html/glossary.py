"""Words that lead to the glossary, with a short definition beside them; and the glossary itself.

The link works without a script; with that of the page (``glossary.js``) its definition is shown on
hover and focus, and on the first tap.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter
from typing import Any

from hinter_ui.html.markup import Markup, escape, join, tag
from hinter_ui.html.wording import DEFAULT, Words, words_of

_ROOM = "glossary"
# [[key]] or [[key|shown]], and *emphasis*
_SPECIAL = re.compile(r"\[\[([a-z-]+)(?:\|([^\]]+))?\]\]|\*([^*]+)\*")


def entries(language: str = DEFAULT) -> Mapping[str, Any]:
    """All entries by key, each with ``name``, ``short``, ``long`` and perhaps ``see``."""
    found: Mapping[str, Any] = words_of(language, _ROOM).branch("terms")
    return found


def query(key: str, language: str = DEFAULT) -> str:
    """The address of an entry within the app."""
    return f"?glossary={key}" + ("" if language == DEFAULT else f"&lang={language}")


def link(key: str, text: str = "", language: str = DEFAULT) -> Markup:
    """A word that leads to its entry; ``text`` is what stands there, the entry's name unless given.

    Raises:
        KeyError: there is no such entry; a mistake in the code.
    """
    entry = entries(language)[key]
    return tag(
        "a",
        text or entry["name"],
        class_="gloss",
        href=query(key, language),
        target="_blank",
        rel="noopener",
        data_tip=entry["short"],
        data_more=words_of(language, _ROOM)("ui.more"),
    )


def head(title: str, keys: Mapping[str, str], key: str = "") -> Markup:
    """A column's head or a figure's title, a link where ``keys`` names the entry of ``key``.

    Without a ``key`` the title itself is looked up.
    """
    entry = keys.get(key or title.casefold())
    return link(entry, title) if entry else escape(title)


def linked(text: str, language: str = DEFAULT, **parts: object) -> Markup:
    """A text of ours as HTML: ``[[key]]`` and ``[[key|shown]]`` are links, ``*this*`` is stressed.

    ``{name}`` is one of ``parts``: escaped, unless it is markup already.
    """
    pieces: list[Markup] = []
    end = 0
    for found in _SPECIAL.finditer(text):
        pieces.append(_filled(text[end : found.start()], parts))
        key, shown, stressed = found.groups()
        if stressed:
            pieces.append(tag("em", _filled(stressed, parts)))
        else:
            shown = shown or entries(language)[key]["name"].lower()
            pieces.append(link(key, _filled(shown, parts), language))
        end = found.end()
    return join([*pieces, _filled(text[end:], parts)])


def _filled(text: str, parts: Mapping[str, object]) -> Markup:
    pieces: list[object] = []
    for literal, name, form, _ in Formatter().parse(text):
        pieces.append(literal)
        if name is not None:
            pieces.append(format(parts[name], form) if form else parts[name])
    return join(pieces)


def sentence(say: Words, key: str, **parts: object) -> Markup:
    """The text under a key as :func:`linked` writes it."""
    return linked(str(say.branch(key)), say.language, **parts)


def glossary(language: str, chosen: str = "") -> Markup:
    """The whole glossary in the order of its names, with a box to search it."""
    say = words_of(language, _ROOM)
    known = entries(language)
    search = tag(
        "label",
        tag("span", say("ui.search")),
        tag("input", type="search", class_="gloss-search", autocomplete="off"),
        class_="gloss-box",
    )
    ordered = sorted(known, key=lambda key: known[key]["name"].casefold())
    items = [_entry(key, known, say, key == chosen) for key in ordered]
    return tag(
        "section",
        tag("h2", say("ui.title"), tabindex="-1"),
        tag("p", say("ui.intro"), class_="lead"),
        search,
        tag("p", say("ui.count", number=len(known)), class_="quiet gloss-count", role="status",
            data_none=say("ui.none"), data_count=say("ui.count", number="#")),
        tag("dl", *items, class_="gloss-list"),
        lang=language,
    )  # fmt: skip


def _entry(key: str, known: Mapping[str, Any], say: Words, chosen: bool) -> Markup:
    entry = known[key]
    also: list[Markup] = [
        tag("a", known[other]["name"], href=f"#glossary-{other}", data_entry=other)
        for other in entry.get("see", ())
    ]
    see = tag("p", say("ui.see"), ": ", join(also, ", "), class_="quiet") if also else None
    return tag(
        "div",
        tag("dt", entry["name"], id=f"glossary-{key}", tabindex="-1"),
        tag("dd", tag("p", entry["short"]), tag("p", entry["long"], class_="quiet long"), see),
        class_="gloss-entry chosen" if chosen else "gloss-entry",
    )
