"""``hinter models`` and ``hinter predict``: what can be tested, and one answer of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from hinter_core.cli.text import read_text
from hinter_core.export import prediction_to_json
from hinter_core.models.prompts import shipped_prompts
from hinter_core.models.registry import BACKENDS, open_store
from hinter_core.models.scripted import shipped_rules
from hinter_core.planning import clean


def models(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the kinds of models, how each is named, and the shipped rules and prompts."""
    kinds = [{"kind": k, "name": b.usage(k), "label": b.label} for k, b in BACKENDS.items()]
    rules, prompts = shipped_rules(), shipped_prompts()
    if as_json:
        values = {"kinds": kinds, "rules": rules, "prompts": prompts}
        typer.echo(json.dumps(values, ensure_ascii=False, indent=2))
        return
    width = max(len(kind["name"]) for kind in kinds)
    for kind in kinds:
        typer.echo(f"{kind['name']:<{width}}  {kind['label']}")
    typer.echo(f"rules: {', '.join(rules)}")
    typer.echo(f"prompts: {', '.join(prompts)}")


def predict(
    model: Annotated[str, typer.Option(help="Model under test.")] = "embedded",
    text: Annotated[str | None, typer.Option(help="The text.")] = None,
    file: Annotated[
        Path | None, typer.Option(help="A UTF-8 file with the text; - for standard input.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Ask one model for its answer to one text; exit 1 when it gives none."""
    source, notices = clean(read_text(text, file))
    store = open_store(model, trusted=True)
    answer = store.predict([source])[source]
    if as_json:
        values = {"text": source, "model": store.model.name, **prediction_to_json(answer)}
        typer.echo(json.dumps(values, ensure_ascii=False, indent=2))
        return
    for notice in notices:
        typer.echo(f"Note: {notice}")
    if answer.failure:
        typer.echo(f"No answer: {answer.failure} ({answer.detail})", err=True)
        raise typer.Exit(1)
    typer.echo(", ".join(answer.labels) or "no label")
    for label, score in sorted(answer.scores.items(), key=lambda item: -item[1]):
        typer.echo(f"  {label}: {score:.3f}")
