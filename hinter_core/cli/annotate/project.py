"""``hinter annotate``: projects in which people judge mutants."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from hinter_core.annotation.backup import lasting_warning
from hinter_core.annotation.items.sampling import OUTCOMES, Draw, sample_campaign
from hinter_core.annotation.project.questions import default_questions, load_questions
from hinter_core.annotation.project.store import AnnotationStore, opened
from hinter_core.annotation.project.turns import still_open, to_come
from hinter_core.annotation.project.types import AnnotationItem, Project, Status
from hinter_core.campaign.store import CampaignStore
from hinter_core.cli.annotate.agreement import agreement
from hinter_core.cli.annotate.files import export, import_items
from hinter_core.errors import InputError

annotate = typer.Typer(help="Let people judge mutants.", invoke_without_command=True)
ProjectFile = Annotated[Path, typer.Argument(metavar="PROJECT", help="A project's .sqlite file.")]


@annotate.callback()
def _root(context: typer.Context) -> None:
    """Let people judge mutants."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@annotate.command("create")
def create(
    project: ProjectFile,
    name: Annotated[str, typer.Option(help="What annotators see; not given: the file's.")] = "",
    campaign: Annotated[
        Path | None, typer.Option("--from", help="A campaign's directory to draw mutants from.")
    ] = None,
    many: Annotated[int, typer.Option(help="Draw at most so many.")] = 200,
    seed: Annotated[int, typer.Option(help="Seed of the draw and of all orders.")] = 0,
    outcome: Annotated[
        list[str] | None,
        typer.Option(help="Draw only these, as hidden or 'discarded: part of speech'."),
    ] = None,
    attributes: Annotated[
        list[str] | None,
        typer.Option(help="Draw only changes of exactly these, as race,gender; may be repeated."),
    ] = None,
    questions: Annotated[
        Path | None, typer.Option(help="Your own questions (YAML; see docs/annotation.md).")
    ] = None,
    labels: Annotated[
        str, typer.Option(help="Labels of the task, as positive,negative, to ask for one.")
    ] = "",
    language: Annotated[str, typer.Option(help="Of the questions: en or de.")] = "en",
    share: Annotated[float, typer.Option(help="Share of items that everybody judges.")] = 0.2,
    copies: Annotated[int, typer.Option(help="Annotators of each other item.")] = 1,
    repeats: Annotated[float, typer.Option(help="Share of items that come again unseen.")] = 0.05,
    gap: Annotated[int, typer.Option(help="Judgements between an item and its repeat.")] = 10,
    blind: Annotated[
        bool, typer.Option("--blind/--not-blind", help="Hide verdicts and the invariant's word.")
    ] = True,
) -> None:
    """Make a project, empty or with mutants of a campaign; the owner's key is shown once."""
    _check(many, share, copies, repeats, gap, language, outcome or [])
    draw = Draw(many, seed, tuple(_split(names) for names in attributes or ()),
                tuple(outcome or ()))  # fmt: skip
    wanted = _split(labels)
    if len(wanted) == 1:
        raise InputError("--labels takes at least two, as positive,negative.")
    instructions, asked = (
        load_questions(questions, wanted) if questions else default_questions(language, wanted)
    )
    items = sample_campaign(CampaignStore(campaign), draw) if campaign else []
    settings = Project(
        name or project.stem, asked, instructions, language, blind, share, copies, repeats, gap,
        seed,
    )  # fmt: skip
    store, key = AnnotationStore.create(project, settings)
    try:
        store.add(items)
    finally:
        store.close()
    typer.echo(f"{project}: {len(items)} items, questions {', '.join(q.id for q in asked)}")
    _drawn(items)
    typer.echo(f"The owner's key, shown only now: {key}")
    _warn()


def _check(
    many: int, share: float, copies: int, repeats: float, gap: int, language: str,
    outcomes: list[str],
) -> None:  # fmt: skip
    if many < 1 or copies < 1 or gap < 1:
        raise InputError("--many, --copies and --gap are at least 1.")
    if not (0 <= share <= 1 and 0 <= repeats <= 1):
        raise InputError("--share and --repeats are shares, from 0 to 1.")
    if language not in ("en", "de"):
        raise InputError(f"There are no questions in '{language}'; use en or de, or --questions.")
    for name in outcomes:
        if name not in OUTCOMES:
            raise InputError(f"There is no outcome '{name}'; use {', '.join(OUTCOMES)}.")


def _split(names: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in names.split(",") if name.strip())


def _drawn(items: list[AnnotationItem]) -> None:
    many = Counter(item.stratum for item in items)
    of = {item.stratum: item.weight * many[item.stratum] for item in items}
    for stratum in sorted(many):
        typer.echo(f"  {stratum}: {many[stratum]} of {of[stratum]:,.0f}")


def _warn() -> None:
    if warning := lasting_warning():
        typer.echo(f"Warning: {warning}", err=True)


@annotate.command("status")
def status(project: ProjectFile) -> None:
    """Say who judged how much, and whether the project is open."""
    with opened(project) as store:
        settings, people = store.project(), store.annotators()
        items = list(store.items())
        judged: dict[str, Counter[Status]] = {person.name: Counter() for person in people}
        met = set()
        for judgement in store.judgements():
            judged[judgement.annotator][judgement.status] += 1
            if judgement.status is Status.JUDGED:
                met.add(judgement.item)
        with store.database.read() as connection:
            left = {
                person.name: len(still_open(connection, person.id))
                + to_come(connection, settings, person.id)
                for person in people
            }
    state = "closed" if settings.closed else "open"
    typer.echo(f"{settings.name}: {state}, {len(items)} items, {len(met)} of them judged")
    for name, counts in judged.items():
        typer.echo(
            f"  {name}: {counts[Status.JUDGED]} judged, {counts[Status.SKIPPED]} skipped, "
            f"at most {left[name]} to come"
        )
    if not people:
        typer.echo("  nobody has joined")
    _warn()


@annotate.command("close")
def close(project: ProjectFile) -> None:
    """Take no more judgements."""
    with opened(project) as store:
        store.change(closed=True)
    typer.echo(f"{project} is closed; hinter annotate reopen opens it again.")


@annotate.command("reopen")
def reopen(project: ProjectFile) -> None:
    """Take judgements again."""
    with opened(project) as store:
        store.change(closed=False)
    typer.echo(f"{project} is open.")


@annotate.command("remove")
def remove(
    project: ProjectFile, item: Annotated[str, typer.Argument(help="The item's id.")]
) -> None:
    """Take an item out; what was judged of it counts no longer."""
    with opened(project) as store:
        store.remove(item)
    typer.echo(f"{item} is taken out.")


annotate.command("import")(import_items)
annotate.command("export")(export)
annotate.command("agreement")(agreement)
