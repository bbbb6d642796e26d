"""``hinter annotate``: projects in which people judge mutants."""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from hinter_core.annotation.backup import lasting_warning
from hinter_core.annotation.evaluation.evaluation import evaluate, evaluation_sections
from hinter_core.annotation.items import OUTCOMES, sample_campaign
from hinter_core.annotation.project.judging import Judging
from hinter_core.annotation.project.questions import default_questions, load_questions
from hinter_core.annotation.project.store import AnnotationStore, opened
from hinter_core.annotation.project.types import Project, Status
from hinter_core.campaign.store import CampaignStore
from hinter_core.cli.annotate.files import ProjectFile, export, import_items, split_names
from hinter_core.errors import InputError
from hinter_core.report.formats import markdown_of, plain, print_sections

annotate = typer.Typer(help="Let people judge mutants.", invoke_without_command=True)


@annotate.callback()
def _root(context: typer.Context) -> None:
    """Let people judge mutants."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@annotate.command("create")
def create(
    project: ProjectFile,
    name: Annotated[str, typer.Option(help="Title for annotators; default: the file's.")] = "",
    campaign: Annotated[
        Path | None, typer.Option("--from", help="A campaign's directory to draw mutants from.")
    ] = None,
    many: Annotated[int, typer.Option(help="Maximum mutants to draw.")] = 200,
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
    language: Annotated[str, typer.Option(help="Language of the questions: en or de.")] = "en",
    share: Annotated[float, typer.Option(help="Share of items for all annotators.")] = 0.2,
    copies: Annotated[int, typer.Option(help="Annotators of each other item.")] = 1,
    repeats: Annotated[float, typer.Option(help="Share of items shown again unannounced.")] = 0.05,
    gap: Annotated[int, typer.Option(help="Judgements between an item and its repeat.")] = 10,
    blind: Annotated[
        bool, typer.Option("--blind/--not-blind", help="Hide verdicts of models and invariant.")
    ] = True,
) -> None:
    """Create a project, empty or with mutants of a campaign; the owner's key is shown once."""
    if many < 1 or copies < 1 or gap < 1:
        raise InputError("--many, --copies and --gap are at least 1.")
    if not (0 <= share <= 1 and 0 <= repeats <= 1):
        raise InputError("--share and --repeats are shares, from 0 to 1.")
    if language not in ("en", "de"):
        raise InputError(f"There are no questions in '{language}'; use en or de, or --questions.")
    for one in outcome or ():
        if one not in OUTCOMES:
            raise InputError(f"There is no outcome '{one}'; use {', '.join(OUTCOMES)}.")
    wanted = split_names(labels)
    if len(wanted) == 1:
        raise InputError("--labels takes at least two, as positive,negative.")
    instructions, asked = (
        load_questions(questions, wanted) if questions else default_questions(language, wanted)
    )
    items = []
    if campaign:
        sets = map(split_names, attributes or ())
        items = sample_campaign(CampaignStore(campaign), many, seed, outcome or (), sets)
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
    drawn = Counter(item.stratum for item in items)
    of = {item.stratum: item.weight * drawn[item.stratum] for item in items}
    for stratum, number in sorted(drawn.items()):
        typer.echo(f"  {stratum}: {number} of {of[stratum]:,.0f}")
    typer.echo(f"The owner's key, shown only now: {key}")
    _warn()


def _warn() -> None:
    if warning := lasting_warning():
        typer.echo(f"Warning: {warning}", err=True)


@annotate.command("status")
def status(project: ProjectFile) -> None:
    """Show the progress of each annotator, and whether the project is open."""
    with opened(project) as store:
        settings, standings = store.project(), Judging(store).standings()
        n_items = len(list(store.items()))
        judged = {one.item for one in store.judgements() if one.status is Status.JUDGED}
    state = "closed" if settings.closed else "open"
    typer.echo(f"{settings.name}: {state}, {n_items} items, {len(judged)} of them judged")
    for one in standings:
        typer.echo(
            f"  {one.annotator.name}: {one.judged} judged, {one.skipped} skipped, "
            f"at most {one.left} to come"
        )
    if not standings:
        typer.echo("  nobody has joined")
    _warn()


@annotate.command("close")
def close(project: ProjectFile) -> None:
    """Accept no more judgements."""
    with opened(project) as store:
        store.change(closed=True)
    typer.echo(f"{project} is closed; hinter annotate reopen opens it again.")


@annotate.command("reopen")
def reopen(project: ProjectFile) -> None:
    """Accept judgements again."""
    with opened(project) as store:
        store.change(closed=False)
    typer.echo(f"{project} is open.")


@annotate.command("remove")
def remove(
    project: ProjectFile, item: Annotated[str, typer.Argument(help="The item's id.")]
) -> None:
    """Remove an item; its judgements no longer count."""
    with opened(project) as store:
        store.remove(item)
    typer.echo(f"{item} is removed.")


annotate.command("import")(import_items)
annotate.command("export")(export)


@annotate.command("agreement")
def agreement(
    project: ProjectFile,
    question: Annotated[str, typer.Option(help="Evaluate only this question.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="All results, as JSON.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Tables in Markdown.")] = False,
) -> None:
    """Report the agreement of annotators, and the invariant's precision and recall."""
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
