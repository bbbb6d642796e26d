"""Render the generated parts of README.md and of the pages under docs/.

They are the Space's front matter, the commands, the settings and the views of a campaign. ``python
scripts/render_readme.py`` writes them; with ``--check`` it only says (exit 1) which file is out of
date. A test runs the check, so the documents cannot drift.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import typer

from hinter_core.campaign.settings import CAMPAIGN_OPTIONS
from hinter_core.campaign.tables import VIEWS
from hinter_core.cli.main import cli
from hinter_core.cli.options import default_in_words

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
REFERENCE = ROOT / "docs" / "reference"
PAGES = tuple(REFERENCE / f"{name}.md" for name in ("commands", "settings", "directory"))
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


def front_matter() -> str:
    """``space.yaml`` without its comments, as front matter."""
    lines = (ROOT / "space.yaml").read_text(encoding="utf-8").splitlines()
    body = "\n".join(line for line in lines if not line.startswith("#"))
    return f"---\n{body}\n---\n"


def _leaves() -> dict[str, Any]:
    """Every command that does something, by its full name."""
    leaves: dict[str, Any] = {}
    for name, command in sorted(getattr(typer.main.get_command(cli), "commands", {}).items()):
        children = getattr(command, "commands", None)
        leaves |= {f"{name} {k}": v for k, v in children.items()} if children else {name: command}
    return leaves


def commands() -> str:
    """A table of all commands with their one-line help; each leads to its options."""
    rows = ["| command | what it does |", "| --- | --- |"]
    for path, leaf in _leaves().items():
        summary = (leaf.help or "").strip().splitlines()[0]
        rows.append(f"| [`hinter {path}`](#hinter-{path.replace(' ', '-')}) | {summary} |")
    return "\n".join(rows) + "\n"


def options() -> str:
    """The arguments and options of every command."""
    parts = []
    for path, leaf in _leaves().items():
        rows = ["| option | what it does |", "| --- | --- |"]
        context = typer.Context(leaf)
        for name, said in filter(None, (one.get_help_record(context) for one in leaf.params)):
            cell = " ".join(said.split()).replace("|", "\\|")
            rows.append(f"| `{name.replace('|', ' or ')}` | {cell} |")
        parts.append(f"\n## hinter {path}\n\n{(leaf.help or '').strip()}\n\n")
        parts.append("\n".join(rows) + "\n" if len(rows) > 2 else "It has no options.\n")
    return "".join(parts) + "\n"


def settings(*, identity: bool) -> str:
    """A table of the settings that decide the result, or of those that do not."""
    rows = ["| setting | a value is | default | what it says |", "| --- | --- | --- | --- |"]
    for name, option in CAMPAIGN_OPTIONS.items():
        if option.identity is identity:
            default = default_in_words(option)
            shown = default if default == option.unset else f"`{default}`"
            rows.append(f"| `{name}` | {option.range} | {shown} | {option.help} |")
    return "\n".join(rows) + "\n"


def views() -> str:
    """A table of the views of a campaign's tables."""
    rows = ["| view | a row is | columns |", "| --- | --- | --- |"]
    for name, view in VIEWS.items():
        columns = ", ".join(f"`{column}`" for column in view.columns)
        rows.append(f"| `{name}` | {view.row} | {columns} |")
    return "\n".join(rows) + "\n"


def between(text: str, mark: str, fresh: str) -> str:
    """The text with ``fresh`` between the comments that begin and end ``mark``."""
    pattern = re.compile(rf"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)", re.DOTALL)
    return pattern.sub(lambda match: match[1] + fresh + match[2], text)


def render(path: Path) -> str:
    """A document's text with its generated parts up to date."""
    text = path.read_text(encoding="utf-8")
    if path == README:
        return front_matter() + _FRONT.sub("", text)
    text = between(text, "commands", commands())
    text = between(text, "options", options())
    text = between(text, "identity", settings(identity=True))
    text = between(text, "runtime", settings(identity=False))
    return between(text, "views", views())


def main() -> int:
    """Write, or with ``--check`` compare; returns the exit code."""
    old = [path for path in (README, *PAGES) if render(path) != path.read_text(encoding="utf-8")]
    for path in old:
        if "--check" in sys.argv[1:]:
            words = "is out of date; run python scripts/render_readme.py"
            sys.stderr.write(f"{path.name} {words}\n")
        else:
            path.write_text(render(path), encoding="utf-8")
    return int(bool(old) and "--check" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
