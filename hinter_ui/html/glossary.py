"""The glossary, and words that lead to it with a short definition beside them.

The link works without a script; ``glossary.js`` shows the definition on hover, focus and first tap.
"""

import re
from collections.abc import Mapping
from string import Formatter
from typing import Any

from hinter_ui.html.markup import Markup, escape, join, tag
from hinter_ui.html.wording import DEFAULT, Words, address, formatted

say = Words("glossary")
NEW_TAB = "new-tab"  # the id of the words that a link opens a new tab, in the page's heading
# [[key]] or [[key|shown]], and *emphasis*
_SPECIAL = re.compile(r"\[\[([a-z-]+)(?:\|([^\]]+))?\]\]|\*([^*]+)\*")


def entries() -> Mapping[str, Any]:
    """Return all entries by key, each with ``name``, ``short``, ``long`` and perhaps ``see``."""
    terms: Mapping[str, Any] = say.branch("terms")
    return terms


def query(key: str) -> str:
    """Return the address of an entry within the app."""
    return address(f"glossary={key}")


def link(key: str, text: str = "") -> Markup:
    """Link a word to its entry; without ``text`` it is the entry's name."""
    entry = entries()[key]
    return tag("a", text or entry["name"], class_="gloss", href=query(key), target="_blank",
               rel="noopener", aria_describedby=NEW_TAB, data_tip=entry["short"],
               data_more=say("ui.more"))  # fmt: skip


def head(title: str, keys: Mapping[str, str], key: str = "") -> Markup:
    """Write a column's head, linked to the entry that ``keys`` names for ``key`` or the title."""
    entry = keys.get(key or title.casefold())
    return link(entry, title) if entry else escape(title)


def linked(text: str, **parts: object) -> Markup:
    """Write a text of ours as HTML: ``[[key]]`` and ``[[key|shown]]`` are links, ``*so*`` stressed.

    ``{name}`` is one of ``parts``: escaped, unless it is markup already.
    """
    pieces: list[Markup] = []
    end = 0
    for match in _SPECIAL.finditer(text):
        pieces.append(_filled(text[end : match.start()], parts))
        key, shown, stressed = match.groups()
        if stressed:
            pieces.append(tag("em", _filled(stressed, parts)))
        else:
            name = entries()[key]["name"]
            name = name.lower() if say.language == DEFAULT else name  # German nouns have capitals
            pieces.append(link(key, _filled(shown or name, parts)))
        end = match.end()
    return join([*pieces, _filled(text[end:], parts)])


def _filled(text: str, parts: Mapping[str, object]) -> Markup:
    pieces: list[object] = []
    for literal, name, form, _ in Formatter().parse(text):
        pieces.append(literal)
        if name is not None:
            pieces.append(formatted(parts[name], form) if form else parts[name])
    return join(pieces)


def sentence(words: Words, key: str, **parts: object) -> Markup:
    """Write the text under a key as :func:`linked` does."""
    return linked(str(words.branch(key)), **parts)


def glossary(chosen: str = "") -> Markup:
    """Write the whole glossary in the order of its names, with a box to search it."""
    known = entries()
    box = tag("input", type="search", class_="gloss-search", autocomplete="off")
    ordered = sorted(known, key=lambda key: known[key]["name"].casefold())
    return tag(
        "section",
        tag("h2", say("ui.title"), tabindex="-1"),
        tag("p", say("ui.intro"), class_="lead"),
        tag("label", tag("span", say("ui.search")), box, class_="gloss-box"),
        tag("p", say("ui.count", number=len(known)), class_="quiet gloss-count", role="status",
            data_none=say("ui.none"), data_count=say("ui.count", number="#")),
        tag("dl", *(_entry(key, known, key == chosen) for key in ordered), class_="gloss-list"),
        lang=say.language,
    )  # fmt: skip


def _entry(key: str, known: Mapping[str, Any], chosen: bool) -> Markup:
    entry = known[key]
    also = [
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
