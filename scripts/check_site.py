"""Check the built documentation: every link leads to a file, and every anchor to an element.

``make docs`` runs it on ``build/site`` after Zensical, which looks at links between pages only.
Addresses on the network are left alone, so nothing is requested.
"""

from __future__ import annotations

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """The links and the ids of one page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element links to, and its id."""
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            elif value and (name == "src" or (name == "href" and tag != "link")):
                self.links.append(value)


@cache
def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def _fault(site: Path, page: Path, link: str) -> str | None:
    """What is wrong with a link of a page, if anything is."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    path = unquote(parts.path)
    target = site / path.lstrip("/") if path.startswith("/") else page.parent / path
    target = (target if path else page).resolve()
    if target.is_dir():
        target = target / "index.html"
    if not target.is_file() or not target.is_relative_to(site):
        return "leads to no file of the site"
    anchor = unquote(parts.fragment)
    if anchor and target.suffix == ".html" and anchor not in _read(target).ids:
        return "leads to a heading that does not exist"
    return None


def broken_links(site: Path) -> list[str]:
    """One sentence for each broken link of a built site; the page of errors is left out."""
    site = site.resolve()
    return [
        f"{page.relative_to(site)}: {link} {fault}"
        for page in sorted(site.rglob("*.html"))
        if page != site / "404.html"
        for link in _read(page).links
        if (fault := _fault(site, page, link))
    ]


def main() -> int:
    """Check the folder that is given; returns the exit code."""
    site = Path(sys.argv[1])
    if not (site / "index.html").is_file():
        sys.stderr.write(f"{site} holds no index.html; build the site first\n")
        return 2
    faults = broken_links(site)
    sys.stderr.write("".join(f"{fault}\n" for fault in faults))
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
