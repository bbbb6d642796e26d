"""Commands around a test: models, single answers and their cache, data sets, dictionaries."""

import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

from hinter_core.campaign.preview import preview, preview_in_words
from hinter_core.campaign.settings import SAMPLE
from hinter_core.campaign.spec import Campaign
from hinter_core.cli.options import Json, TextFile, command_group, print_json, read_text, say
from hinter_core.data.hub import PRESETS
from hinter_core.errors import InputError
from hinter_core.extensions import MODELS, RELATIONS
from hinter_core.language.clean import clean
from hinter_core.models.cache import CacheError, PredictionCache, default_path
from hinter_core.models.prompting import shipped_prompts
from hinter_core.models.registry import BACKENDS, every_backend, load_model, open_store
from hinter_core.models.scripted import shipped_rules
from hinter_core.pipeline.export import prediction_to_json
from hinter_core.relations.registry import every_relation
from hinter_core.terms.dictionary import load_shipped, read_file
from hinter_core.terms.sbic import build_from_sbic

_SHOWN = 300  # characters of a text
cache = command_group("The prediction cache on disk.")
data = command_group("Named data sets, and previews of data.")
dictionary = command_group("Dictionaries of sensitive terms.")


def models(
    names: Annotated[
        list[str] | None, Argument(help="Load these models and describe them.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the kinds of models with their names and options, or describe some models."""
    # The list has no name of its own, but others give it one: "hinter data list".
    listed = not names or names == ["list"]
    values = _known() if listed else [_described(name) for name in names or ()]
    if as_json:
        print_json(values)
    elif isinstance(values, list):
        say("\n\n".join(map(_in_words, values)))
    else:
        say(_list_in_words(values))


def relations(as_json: Json = False) -> None:
    """List the metamorphic relations: what each does to a text, and what it needs."""
    rows = [
        {"name": name, "number": one.number, "does": one.title, "needs": one.needs}
        for name, one in every_relation().items()
    ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        number = f" ({row['number']})" if row["number"] else ""
        needs = "" if row["name"] in RELATIONS.names() else f"; needs {row['needs']}"
        say(f"{row['name']}{number}: {row['does']}{needs}.")
    say(
        "\nMR10 repeats MR8 in the paper. Name several with commas: hinter run --relations "
        "add,substitute; their changes combine."
    )


def _known() -> dict[str, Any]:
    kinds = [
        {
            "kind": kind,
            "name": backend.usage(kind),
            "label": backend.label,
            "about": backend.about
            + f" The extension '{kind}' is not used, as HInter has this model."
            * (kind in BACKENDS and kind in MODELS.names()),
            "command_line_only": backend.runs_code,
            "options": [asdict(option) for option in backend.options],
        }
        for kind, backend in every_backend().items()
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
        shown = _shown(value)
        if key == "scores" and value is None:
            shown = "requested; the first answer shows whether the server sends them"
        if shown and (key != "threshold" or able["multi_label"]):
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
    lines += [
        f"rules: {', '.join(values['rules'])}",
        f"prompts: {', '.join(values['prompts'])}",
        "To describe a model: hinter models NAME. Quote names that contain ? or &, which shells "
        "interpret.",
    ]
    return "\n".join(lines)


def predict(
    words: Annotated[
        str | None, Argument(metavar="TEXT", help="Text to classify, the same as --text.")
    ] = None,
    model: Annotated[str, Option(help="Model under test.")] = "embedded",
    text: Annotated[list[str] | None, Option(metavar="<str>", help="Text to classify.")] = None,
    file: TextFile = None,
    fresh: Annotated[
        bool, Option("--fresh", help="Ask anew, also if the answer is kept from before.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print a model's answer to one text; exit 1 if there is none."""
    source, notices = clean(read_text(text, file, words))
    started = time.time()
    store = open_store(model, trusted=True, since=started if fresh else 0.0)
    note = store.model.capabilities.note
    if (seen := store.model.visible(source)) < len(source):
        notices.append(f"the model sees the first {seen:,} of {len(source):,} characters.")
    answer = store.predict([source])[source]
    if (kept := store.kept([source], started)).number:
        notices.append(f"{kept.in_words}; --fresh asks it.")
    if as_json:
        values = {
            "text": source,
            "model": store.model.name,
            **prediction_to_json(answer),
            "note": note,
        }
        print_json(values)
        if answer.failure:
            raise typer.Exit(1)
        return
    if note:
        say(f"Note on the model: {note}.")
    for notice in notices:
        say(f"Note: {notice}")
    if answer.failure:
        say(f"No answer: {answer.failure} ({answer.detail})", err=True)
        raise typer.Exit(1)
    say(", ".join(answer.labels) or "no label")
    for label, score in sorted(answer.scores.items(), key=lambda item: -item[1]):
        say(f"  {label}: {score:.3f}")
    if answer.reply.strip() not in ("", *answer.labels):
        say(f"Reply: {answer.reply.strip()}")


_File = Annotated[
    Path | None, Option(help="Cache file; default: HINTER_CACHE or the user's cache.")
]


def _open(file: Path | None) -> PredictionCache:
    path = file or default_path()
    if not path.exists():
        raise InputError(f"There is no cache at {path}; no answer has been stored yet.")
    return PredictionCache(path)


@cache.command("stats")
def stats(file: _File = None) -> None:
    """Show the file size and the number of answers by model."""
    stats_read = _open(file).stats()
    say(f"{stats_read.path}: {sum(stats_read.answers.values())} answers, {stats_read.size:,} bytes")
    for model, number in stats_read.answers.items():
        say(f"  {number:>8}  {model}")


@cache.command("verify")
def verify(file: _File = None) -> None:
    """Check the file and every answer in it; exit 2 if something is damaged."""
    opened = _open(file)
    if faults := opened.verify():
        raise CacheError(f"{opened.path} is damaged: {'; '.join(faults[:5])}. Delete the file.")
    say(f"{opened.path}: no fault.")


@cache.command("prune")
def prune(
    file: _File = None,
    older_than: Annotated[
        float | None, Option(help="Delete answers older than this number of days.")
    ] = None,
    model: Annotated[str | None, Option(help="Delete answers of this identity.")] = None,
) -> None:
    """Delete old answers, or those of one model (see stats for its identity)."""
    if older_than is None and model is None:
        raise InputError("Choose what to delete: --older-than DAYS or --model IDENTITY.")
    if older_than is not None and not older_than >= 0:
        raise InputError("--older-than is a number of days, from 0 (all answers).")
    deleted = _open(file).prune(older_than_days=older_than, model=model)
    say(f"{deleted} answers deleted.")


@data.command("list")
def list_data() -> None:
    """List the data sets that have a short name."""
    say(f"{SAMPLE}: short texts about people that come with HInter")
    for name, preset in PRESETS.items():
        say(f"{name}: {preset.about} ({preset.of})")


@data.command("preview")
def preview_data(
    source: Annotated[str, Argument(metavar="DATA", help="A file, hf:ORG/NAME, or a name.")],
    text_column: Annotated[str, Option(help="Column of the texts.")] = "",
    label_column: Annotated[str, Option(help="Column of the labels.")] = "",
    rows: Annotated[int, Option(help="Number of rows to show.")] = 5,
) -> None:
    """Show the detected columns, the labels, unusable rows and the first rows of a data set."""
    if rows < 0:
        raise InputError("--rows must be 0 or more.")
    campaign = Campaign(data=source, text_column=text_column, label_column=label_column)
    seen = preview(campaign, rows)
    say("\n".join(preview_in_words(seen)))
    for row in seen.rows:
        label = f" [{row.label}]" if row.label else ""
        text = row.text if len(row.text) <= _SHOWN else f"{row.text[:_SHOWN]} \u2026"
        say(f"\n{row.number}{label} {text.strip() or '(no text)'}")


@dictionary.command("list")
def list_dictionaries() -> None:
    """List the shipped dictionaries: attribute, terms, groups, directed pairs."""
    for name, loaded in load_shipped().items():
        terms = len({term.text.casefold() for term in loaded.terms})
        groups = len({term.group for term in loaded.terms})
        say(f"{name}: {terms} terms, {groups} groups, {loaded.pair_count} pairs")


@dictionary.command("check")
def check_file(file: Annotated[Path, Argument(help="A dictionary.")]) -> None:
    """Validate a dictionary, count its pairs, and say how the file was read."""
    loaded, read = read_file(file)
    say("\n".join([f"read as: {read[0]}", *read[1:]]))
    say(f"{file}: {len(loaded.terms)} terms, {loaded.pair_count} directed pairs, no fault.")


@dictionary.command("from-sbic")
def from_sbic(
    file: Annotated[Path, Argument(help="An SBIC export (CSV with targetMinority).")],
    out: Annotated[Path, Option(help="Folder for the dictionaries.")] = Path(),
    min_count: Annotated[int, Option(help="Minimum mentions of a target.")] = 3,
) -> None:
    """Build one dictionary per category from an export of the Social Bias Inference Corpus."""
    built = build_from_sbic(file, out, min_count)
    for path, terms in built.files.items():
        say(f"{path}: {terms} terms")
    if built.skipped:
        say(f"{built.skipped} phrases were no plain words and were left out.")
    say("Read the files before use: phrases come from posts as they are.")
