"""Results in a notebook: a page of its own within the page, so that no style meets another."""

import re
from html import escape

_PAGE = '<!doctype html><html lang="en"><head><meta charset="utf-8"><style>{}</style></head>{}'
_FRAME = (
    '<iframe srcdoc="{page}" title="{title}" style="width:100%;border:0;height:{height}px" '
    "onload=\"this.style.height=this.contentDocument.documentElement.scrollHeight+'px'\"></iframe>"
)


_LIGHT = ":root { color-scheme: light; } body { background: #fff; } "
_GLOSSARY = re.compile(r'<a class="gloss"[^>]*>(.*?)</a>')  # links that only the app can follow


def framed(title: str, body: str, style: str, height: int) -> str:
    """Return a body of HTML with its style as a frame; ``height`` in pixels, until it is shown.

    It is light in every notebook: few tell a frame whether they are dark.
    """
    style = style.replace("(prefers-color-scheme: dark)", "not all") + _LIGHT
    body = _GLOSSARY.sub(r"\1", body)
    page = _PAGE.format(style, f"<body>{body}</body></html>")
    return _FRAME.format(page=escape(page), title=escape(title), height=height)
