"""Render the generated parts of README.md: the Space's front matter and the list of commands.

``python scripts/render_readme.py`` writes them; with ``--check`` it only says (exit 1) whether the
file is out of date. A test runs the check, so the README cannot drift.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import typer

from hinter_core.cli.main import cli

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_COMMANDS = re.compile(r"(<!-- commands -->\n).*?(<!-- /commands -->)", re.DOTALL)


def front_matter() -> str:
    """``space.yaml`` without its comments, as front matter."""
    lines = (ROOT / "space.yaml").read_text(encoding="utf-8").splitlines()
    body = "\n".join(line for line in lines if not line.startswith("#"))
    return f"---\n{body}\n---\n"


def commands() -> str:
    """A table of all commands with their one-line help."""
    rows = ["| command | what it does |", "| --- | --- |"]
    root = typer.main.get_command(cli)
    for name, command in sorted(getattr(root, "commands", {}).items()):
        children = getattr(command, "commands", None)
        named = {f"{name} {k}": v for k, v in children.items()} if children else {name: command}
        for path, leaf in named.items():
            summary = (leaf.help or "").strip().splitlines()[0]
            rows.append(f"| `hinter {path}` | {summary} |")
    return "\n".join(rows) + "\n"


def render(text: str) -> str:
    """README text with its generated parts up to date."""
    body = _FRONT.sub("", text)
    table = commands()
    body = _COMMANDS.sub(lambda match: match[1] + table + match[2], body)
    return front_matter() + body


def main() -> int:
    """Write, or with ``--check`` compare; returns the exit code."""
    text = README.read_text(encoding="utf-8")
    fresh = render(text)
    if "--check" in sys.argv[1:]:
        if fresh != text:
            sys.stderr.write("README.md is out of date; run python scripts/render_readme.py\n")
            return 1
        return 0
    README.write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
