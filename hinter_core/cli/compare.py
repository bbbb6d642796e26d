"""``hinter compare``: two campaigns, or two models of one, side by side."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from hinter_core.comparison import Comparison, Told
from hinter_core.comparison import compare as compare_sides
from hinter_core.comparison_tables import comparison_sections
from hinter_core.errors import InputError
from hinter_core.export import safe_cell
from hinter_core.pairing import Side, choose_sides
from hinter_core.report_text import markdown_of, print_sections
from hinter_core.report_values import plain
from hinter_core.shards import CampaignStore


def compare(
    first: Annotated[Path, typer.Argument(help="A campaign's directory.")],
    second: Annotated[
        Path | None, typer.Argument(help="Another one; without it, two models of the first.")
    ] = None,
    model: Annotated[
        list[str] | None, typer.Option(help="A model; once for both sides, or once for each.")
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Tables in Markdown.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Everything, as plain values.")] = False,
    changes: Annotated[
        Path | None, typer.Option(help="Write every mutant that changed to this CSV file.")
    ] = None,
) -> None:
    """Compare two campaigns, or two models of one: rates, differences, what changed."""
    if markdown and as_json:
        raise InputError("Choose one of --markdown and --json.")
    other = CampaignStore(second) if second is not None else None
    sides = choose_sides(CampaignStore(first), other, model or [])
    found = compare_sides(*sides) if changes is None else _with_changes(*sides, changes)
    if as_json:
        typer.echo(json.dumps(plain(found), ensure_ascii=False, indent=1))
    elif markdown:
        typer.echo(markdown_of("HInter comparison", comparison_sections(found)), nl=False)
    else:
        print_sections(comparison_sections(found), sys.stdout)


_COLUMNS = ("change", "row", "row of second", "mutant", "first", "second", "verdicts")


def _with_changes(first: Side, second: Side, path: Path) -> Comparison:
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(_COLUMNS)
            told: Told = lambda change: writer.writerow(_line(change))  # noqa: E731
            return compare_sides(first, second, told)
    except OSError as error:
        raise InputError(f"Cannot write {path}: {error.strerror}. Check the path.") from error


def _line(change: dict[str, Any]) -> list[Any]:
    edits = ", ".join(f"{edit['source']} \u2192 {edit['target']}" for edit in change["edits"])
    answers = [", ".join(labels or ()) or "no label" for labels in change["labels"]]
    values = [change["change"], change["row"], change["row-1"], edits, *answers,
              " \u2192 ".join(change["verdicts"])]  # fmt: skip
    return [safe_cell(value) for value in values]
