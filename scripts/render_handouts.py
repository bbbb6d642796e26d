"""Write the lesson's handouts from a template and the app's texts: Markdown, and PDF by Chromium.

``python scripts/render_handouts.py`` writes both to ``assets/handouts``. With ``--check`` nothing
is written: it fails where a file does not hold what the words say. A PDF names in its title which
Markdown it was printed from.
"""

from __future__ import annotations

import os
import shutil
import sys
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from hinter_ui.html.wording import Words, languages  # noqa: E402
from hinter_ui.learn.lesson import load_lesson  # noqa: E402
from hinter_ui.learn.teachers import path_of  # noqa: E402

_TEMPLATE = Path(__file__).with_name("handout.md.jinja")

_STYLE = """
@page { size: A4; margin: 13mm 17mm; }
body { font: 10pt/1.38 "DejaVu Sans", "Liberation Sans", Arial, sans-serif; color: #1c1d22; }
h1 { font-size: 18pt; margin: 0 0 5pt; color: #2e2787; }
h1:not(:first-child) { margin-top: 14pt; }
h2 { font-size: 11.5pt; margin: 10pt 0 2pt; break-after: avoid; }
p, ul { margin: 3pt 0; }
ul { padding-left: 14pt; }
li { margin: 1pt 0; }
blockquote { margin: 4pt 0; padding: 3pt 10pt; border-left: 3pt solid #4338ca; font-size: 11pt; }
table { width: 100%; border-collapse: collapse; margin: 4pt 0; break-inside: avoid; }
th, td { border: .6pt solid #8a8d98; padding: 4pt 6pt; text-align: left; vertical-align: top; }
th { background: #ececf6; font-size: 9pt; }
td:not(:first-child) { width: 27%; }
hr { border: 0; border-top: .6pt solid #8a8d98; margin: 9pt 0 3pt; }
hr + p { font-size: 8.5pt; color: #5c606d; }
"""


def markdown(language: str) -> str:
    """Return the handout as Markdown."""
    from jinja2 import Template

    lesson = load_lesson()
    scenes = {scene.key: scene for step in lesson for scene in step.scenes}
    text, menus = scenes["both"].text, scenes["both"].menus
    # The text, each change alone, and both; these texts need no mended article.
    first, second = ((menu.source, menu.start) for menu in menus)
    one, two = text.replace(*first), text.replace(*second)
    terms = Words("glossary", language).branch("terms")
    say = Words("teach", language).branch("handout")
    steps = (Words("learn", language).branch(f"steps.{step.key}") for step in lesson)
    source = _TEMPLATE.read_text(encoding="utf-8")
    rendered: str = Template(source, trim_blocks=True, keep_trailing_newline=True).render(
        say=say,
        scenes=scenes,
        variants=[text, one, two, one.replace(*second)],
        hunt=next(step for step in lesson if step.key == "hunt"),
        verdicts=[(terms[key]["name"], told) for key, told in say["verdicts"].items()],
        readings=[step["more"] for step in steps if "more" in step],
        line="\\_" * 88,
    )
    return rendered


def title_of(language: str) -> str:
    """The title of a PDF, which says what it was printed from."""
    digest = sha256((_STYLE + markdown(language)).encode()).hexdigest()[:12]
    return f"HInter lesson {language} {digest}"


def page_of(language: str) -> str:
    """The handout as a page to be printed."""
    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark").enable("table").render(markdown(language))
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
        f"<title>{title_of(language)}</title><style>{_STYLE}</style></head>"
        f"<body>{body}</body></html>"
    )


def write() -> None:
    """Write all files anew."""
    from playwright.sync_api import sync_playwright

    browser_path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=sandbox)
        for language in languages("teach"):
            text, pdf = path_of(language, "md"), path_of(language, "pdf")
            text.parent.mkdir(parents=True, exist_ok=True)
            text.write_text(markdown(language), encoding="utf-8")
            page = browser.new_page()
            page.set_content(page_of(language))
            page.pdf(path=pdf, prefer_css_page_size=True, print_background=True)
        browser.close()


def faults() -> list[str]:
    """What does not hold, file by file."""
    found = []
    for language in languages("teach"):
        text, pdf = path_of(language, "md"), path_of(language, "pdf")
        if not text.exists() or text.read_text(encoding="utf-8") != markdown(language):
            found.append(f"{text.name} is out of date")
        if not pdf.exists() or title_of(language).encode() not in pdf.read_bytes():
            found.append(f"{pdf.name} is out of date")
    return found


def main() -> int:
    """Write, or check with ``--check``."""
    if "--check" not in sys.argv:
        write()
        return 0
    found = faults()
    for fault in found:
        sys.stderr.write(f"{fault}: run python scripts/render_handouts.py\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
