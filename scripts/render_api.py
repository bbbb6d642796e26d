"""Write docs/reference/api.md, the reference of the Python API, from signatures and docstrings.

``python scripts/render_api.py`` writes the page; with ``--check`` it only says (exit 1) whether the
page is out of date. A test runs the check. A docstring has its summary first, and may have the
sections ``Args``, ``Attributes``, ``Columns`` and ``Raises``, with a line ``name: text`` per entry.
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import hinter_core as hinter  # noqa: E402
from hinter_core.campaign.frames import COLUMNS  # noqa: E402

PAGE = ROOT / "docs" / "reference" / "api.md"
# What the page holds, in its order; a test compares it with ``hinter_core.__all__``.
GROUPS = {
    "Functions": ("check", "mutants", "run", "load", "compare", "export", "log_campaign"),
    "Results": ("CheckResult", "CampaignResult", "ComparisonResult"),
    "Your own parts": ("model", "relation", "metric", "source"),
    "Test suites": ("testing",),
    "Errors": ("HinterError",),
}
_HEADINGS = {
    "Args": ("argument", "meaning"), "Attributes": ("attribute", "meaning"),
    "Columns": ("column", "meaning"), "Raises": ("error", "when"),
}  # fmt: skip
_SECTION = re.compile(rf"^({'|'.join(_HEADINGS)}):$")
_ENTRY = re.compile(r"^ {4}([\w.*]+): (.*)$")
# Names of types as a reader knows them.
_TYPES = {
    "Names": "str | Sequence[str]",
    "Folder": "str | PathLike[str]",
    "OnProgress": "Callable[[RunProgress], None]",
}
_INTRO = """# Python API

This page lists what `import hinter_core as hinter` offers. It is generated from the docstrings by
`scripts/render_api.py`. [Test your own classifier](../tutorials/python.md) is the tutorial,
[Use HInter from Python](../howto/python.md) has an example of each task.

Everything else in the package is private and may change. `settings` are the
[settings of a campaign](settings.md), given by name. Catch errors as `hinter.HinterError`.
"""
_PATTERN = (
    "`NAME_*` stands for the columns of a rate: `NAME_hits` and `NAME_of` are its two numbers, "
    "`NAME_share` is their ratio, `NAME_low` and `NAME_high` are its 95 % interval.\n"
)
_MUTANTS = (
    "\n### Columns of mutants\n\nThe tables of `mutants` and `findings` have these columns. A "
    "check has no `row`, `id`, `label`, `audit` and `sequence`; `hinter.mutants` has no model's "
    "answers either.\n\n"
)
_OF_EACH = (
    "\nFor each attribute, `NAME_from` and `NAME_to` are the groups of the words removed and "
    "added. [Join other columns of your data](../howto/python.md#join-other-columns-of-your-data) "
    "by `id`.\n"
)


def in_markdown(text: str) -> str:
    """Return the text of a docstring with its reStructuredText roles as Markdown code."""
    text = re.sub(r":\w+:`([^`]+)`", r"`\1`", text)
    return text.replace("``", "`").replace("`hinter_core.", "`hinter.")


def sections(value: Any) -> dict[str, Any]:
    """Return the prose of a docstring under "", and a dict of entries for each section."""
    prose, parts, part = list[str](), dict[str, Any](), None
    for line in inspect.cleandoc(value.__doc__ or "").splitlines():
        if heading := _SECTION.match(line):
            part = parts.setdefault(heading[1], {})
        elif part is None:
            prose.append(line)
        elif entry := _ENTRY.match(line):
            part[entry[1]] = entry[2]
        elif line.strip():
            part[list(part)[-1]] += f" {line.strip()}"
    return {"": "\n".join(prose).strip(), **parts}


def table(section: str, entries: dict[str, str]) -> str:
    """Return the entries of a section as a table."""
    rows = [f"| {' | '.join(_HEADINGS[section])} |", "| --- | --- |"]
    for name, text in entries.items():
        cell = re.sub(r"(?<!\.)\.$", "", in_markdown(text)).replace("|", "\\|")
        rows.append(f"| `{name}` | {cell} |")
    return "\n".join(rows) + "\n"


def described(value: Any) -> str:
    """Return the docstring of a function, a class or a property as Markdown."""
    parts = sections(value)
    text = "\n" + in_markdown(parts.pop("")) + "\n"
    for name, entries in parts.items():
        text += "\n" + table(name, entries)
        if any(entry.endswith("_*") for entry in entries):
            text += "\n" + _PATTERN
    return text


def _type(annotation: Any) -> str:
    shown = inspect.formatannotation(annotation).strip("'")
    shown = re.sub(r"\b(?:collections\.abc|typing)\.", "", shown)
    return re.sub(r"\b\w+\b", lambda match: _TYPES.get(match[0], match[0]), shown)


def signature(name: str, value: Any) -> str:
    """Return how a function is called, an argument a line."""
    lines, named = list[str](), False
    found = inspect.signature(value)
    for one in found.parameters.values():
        if one.name == "self":
            continue
        if one.kind is one.KEYWORD_ONLY and not named:
            lines, named = [*lines, "*"], True
        default = "..." if callable(one.default) else repr(one.default)
        given = "" if one.default is one.empty else f" = {default}"
        stars = "**" if one.kind is one.VAR_KEYWORD else ""
        lines.append(f"{stars}{one.name}: {_type(one.annotation)}{given}")
    inside = "".join(f"    {line},\n" for line in lines)
    call = f"{name}(\n{inside})" if len(lines) > 1 else f"{name}({''.join(lines)})"
    return f"\n```python\n{call} -> {_type(found.return_annotation)}\n```\n"


def members(kind: Any) -> dict[str, Any]:
    """Return what a class or module defines, by name, without what is private."""
    return {name: value for name, value in vars(kind).items() if not name.startswith("_")}


def _of_class(name: str, kind: type) -> str:
    plain, longer = dict[str, str](), ""
    for member, value in members(kind).items():
        if inspect.isfunction(value):
            longer += f"\n#### {name}.{member}\n" + signature(member, value) + described(value)
        elif "Columns" in (parts := sections(value)):
            longer += f"\n#### {name}.{member}\n" + described(value)
        else:
            plain[member] = " ".join(parts[""].split())
    parts = sections(kind)
    plain = {**parts.get("Attributes", {}), **plain}
    text = f"\n### {name}\n\n{in_markdown(parts[''])}\n"
    return text + ("\n" + table("Attributes", plain) if plain else "") + longer


def _of_function(name: str, value: Any) -> str:
    return f"\n### hinter.{name}\n" + signature(f"hinter.{name}", value) + described(value)


def _of_module(name: str, module: Any) -> str:
    functions = {
        key: value
        for key, value in members(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__
    }
    return described(module) + "".join(_of_function(f"{name}.{k}", v) for k, v in functions.items())


def _of_errors(_: str, base: type) -> str:
    known = vars(inspect.getmodule(base)).values()
    every = [one for one in known if inspect.isclass(one) and issubclass(one, base)]
    lines = {one.__name__: inspect.cleandoc(one.__doc__ or "") for one in every}
    return described(inspect.getmodule(base)) + "\n" + table("Raises", lines)


def _of(name: str, value: Any) -> str:
    """Return the part of the page about one name."""
    if inspect.ismodule(value):
        return _of_module(name, value)
    if inspect.isclass(value):
        return (_of_errors if issubclass(value, Exception) else _of_class)(name, value)
    return _of_function(name, value)


def render() -> str:
    """Return the page."""
    text = _INTRO
    for title, names in GROUPS.items():
        text += f"\n## {title}\n"
        if title == "Your own parts":
            text += described(inspect.getmodule(hinter.model))
        text += "".join(_of(name, getattr(hinter, name)) for name in names)
        if title == "Results":
            text += _MUTANTS + table("Columns", COLUMNS) + _OF_EACH
    return text


def main() -> int:
    """Write, or with ``--check`` compare; returns the exit code."""
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == render():
        return 0
    if "--check" in sys.argv[1:]:
        sys.stderr.write(f"{PAGE.name} is out of date; run python scripts/render_api.py\n")
        return 1
    PAGE.write_text(render(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
