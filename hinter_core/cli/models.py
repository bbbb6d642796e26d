"""``hinter models`` and ``hinter predict``: what can be tested, and one answer of it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from hinter_core.cli.options import read_text
from hinter_core.language.clean import clean
from hinter_core.models.prompting.prompts import shipped_prompts
from hinter_core.models.registry import BACKENDS, load_model, open_store
from hinter_core.models.scripted import shipped_rules
from hinter_core.pipeline.export import prediction_to_json


def models(
    names: Annotated[
        list[str] | None, typer.Argument(help="Load these and say what they can do.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the kinds of models, how each is named and what it can be told; or look at some."""
    values = [_described(name) for name in names] if names else _known()
    if as_json:
        typer.echo(json.dumps(values, ensure_ascii=False, indent=2))
    elif isinstance(values, list):
        typer.echo("\n\n".join(map(_in_words, values)))
    else:
        typer.echo(_list_in_words(values))


def _known() -> dict[str, Any]:
    kinds = [
        {
            "kind": kind,
            "name": backend.usage(kind),
            "label": backend.label,
            "about": backend.about,
            "command_line_only": backend.trusted_only and not backend.takes_key,
            "options": [asdict(option) for option in backend.options],
        }
        for kind, backend in BACKENDS.items()
    ]
    return {"kinds": kinds, "rules": shipped_rules(), "prompts": shipped_prompts()}


def _described(name: str) -> dict[str, Any]:
    model = load_model(name, trusted=True)
    return {
        "name": model.name,
        "identity": model.identity,
        "capabilities": asdict(model.capabilities),
    }


def _in_words(values: dict[str, Any]) -> str:
    lines = [values["name"], f"  identity: {values['identity']}"]
    able = values["capabilities"]
    for key, value in able.items():
        if key == "threshold" and not able["multi_label"]:
            continue
        shown = _shown(value)
        if shown:
            lines.append(f"  {key.replace('_', ' ')}: {shown}")
    return "\n".join(lines)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(value)
    return "" if value is None else str(value)


def _list_in_words(values: dict[str, Any]) -> str:
    lines = []
    for kind in values["kinds"]:
        lines += [kind["name"], f"    {kind['label']}. {kind['about']}"]
        for option in kind["options"]:
            default = option["default"]
            written = int(default) if isinstance(default, bool) else default
            lines.append(f"    {option['name'] + '=' + str(written):<20} {option['help']}")
    lines += [f"rules: {', '.join(values['rules'])}", f"prompts: {', '.join(values['prompts'])}"]
    lines += [
        "Say what one can do: hinter models NAME. Quote a name that holds ? or & (in a shell they "
        "mean other things)."
    ]
    return "\n".join(lines)


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
    note = store.model.capabilities.note
    if (seen := store.model.visible(source)) < len(source):
        notices.append(f"the model sees the first {seen:,} of {len(source):,} characters.")
    answer = store.predict([source])[source]
    if as_json:
        values = {
            "text": source,
            "model": store.model.name,
            **prediction_to_json(answer),
            "note": note,
        }
        typer.echo(json.dumps(values, ensure_ascii=False, indent=2))
        return
    if note:
        typer.echo(f"Note on the model: {note}.")
    for notice in notices:
        typer.echo(f"Note: {notice}")
    if answer.failure:
        typer.echo(f"No answer: {answer.failure} ({answer.detail})", err=True)
        raise typer.Exit(1)
    typer.echo(", ".join(answer.labels) or "no label")
    for label, score in sorted(answer.scores.items(), key=lambda item: -item[1]):
        typer.echo(f"  {label}: {score:.3f}")
    if answer.reply.strip() not in ("", *answer.labels):
        typer.echo(f"It said: {answer.reply.strip()}")
