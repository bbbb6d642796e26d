"""``hinter annotate agreement``: how far annotators agree, and what follows from it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from hinter_core.annotation.evaluation.evaluation import evaluate, evaluation_sections
from hinter_core.annotation.project.store import opened
from hinter_core.errors import InputError
from hinter_core.report.formats import markdown_of, plain, print_sections


def agreement(
    project: Annotated[Path, typer.Argument(help="A project's file (PROJECT.sqlite).")],
    question: Annotated[
        str, typer.Option(help="Only this question, as if nothing else had been asked.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Everything, as plain values.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Tables in Markdown.")] = False,
) -> None:
    """Say how far annotators agree, and how the invariant fares against them."""
    if as_json and markdown:
        raise InputError("Choose one of --json and --markdown.")
    with opened(project) as store:
        found = evaluate(store, question)
    if as_json:
        typer.echo(json.dumps(plain(found), ensure_ascii=False, indent=1))
    elif markdown:
        title = f"Judgements of {found.project}"
        typer.echo(markdown_of(title, evaluation_sections(found)), nl=False)
    else:
        print_sections(evaluation_sections(found), sys.stdout)
