"""The handouts are those that the words give, and every letter of them can be printed."""

from __future__ import annotations

import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from hinter_ui.html.wording import languages
from hinter_ui.learn.teachers import path_of
from scripts.render_handouts import markdown

ROOT = Path(__file__).resolve().parents[2]
_STREAM = re.compile(rb"stream\r?\n(.*?)\r?\nendstream", re.S)
_CHARS = re.compile(rb"beginbfchar(.*?)endbfchar", re.S)
_RANGES = re.compile(rb"beginbfrange(.*?)endbfrange", re.S)


def test_handouts_are_rendered() -> None:
    script = ROOT / "scripts" / "render_handouts.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def letters(path: Path) -> set[str]:
    """The letters that a PDF's fonts say they draw (their ToUnicode maps)."""
    found: set[str] = set()
    for packed in _STREAM.findall(path.read_bytes()):
        try:
            text = zlib.decompress(packed)
        except zlib.error:
            continue
        for block in _CHARS.findall(text):
            codes = re.findall(rb"<[0-9A-F]+>\s*<([0-9A-F]+)>", block)
            found.update(bytes.fromhex(code.decode()).decode("utf-16-be") for code in codes)
        for block in _RANGES.findall(text):
            spans = re.findall(rb"<([0-9A-F]+)>\s*<([0-9A-F]+)>\s*<([0-9A-F]{4})>", block)
            for first, last, start in spans:
                length = int(last, 16) - int(first, 16) + 1
                found.update(chr(int(start, 16) + step) for step in range(length))
    return found


@pytest.mark.parametrize("language", list(languages("teach")))
def test_every_letter_is_drawn(language: str) -> None:
    drawn = letters(path_of(language, "pdf"))
    marks = set("#*>|-\\\n ")  # of Markdown
    assert not set(markdown(language)) - marks - drawn
    if language == "de":
        assert set("äöüÄß„“") <= drawn
