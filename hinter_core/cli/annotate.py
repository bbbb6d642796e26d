"""``hinter annotate``: projects in which people judge mutants, their files and agreement."""

import shlex
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from typer import Argument, Option

from hinter_core.annotation.backup import FOLDER, annotations_folder, lasting_warning, write_dataset
from hinter_core.annotation.evaluation.evaluation import evaluate, evaluation_sections
from hinter_core.annotation.files.archive import ARCHIVE, fill, settings_of
from hinter_core.annotation.files.columns import ColumnMapping
from hinter_core.annotation.files.exporting import FORMATS, Exported, export_file, folder_files
from hinter_core.annotation.files.importing import LEFT_OUT, Imported, import_file
from hinter_core.annotation.invitation import (
    PORT,
    is_loopback,
    is_served,
    link,
    machine_address,
    serve_from_here,
)
from hinter_core.annotation.items import OUTCOMES, fill_invariant, sample_campaign
from hinter_core.annotation.project.judging import Judging
from hinter_core.annotation.project.people import (
    erase,
    exclude,
    include,
    merge,
    rename,
    reset_phrase,
)
from hinter_core.annotation.project.questions import (
    default_questions,
    read_opening,
    read_questions,
    text_of,
)
from hinter_core.annotation.project.store import AnnotationStore, opened
from hinter_core.annotation.project.types import Project, Status
from hinter_core.campaign.store import CampaignStore
from hinter_core.cli.options import Validity, command_group, output, print_json, say
from hinter_core.data.tables import cell_writer
from hinter_core.errors import InputError, first_names
from hinter_core.files.columns import pairs_of
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.options import listed_names
from hinter_core.places import place_of
from hinter_core.report.formats import markdown_of, plain, print_sections

_REASONS, _ROWS = 10, 5  # shown
ProjectFile = Annotated[Path, Argument(metavar="PROJECT", help="A project's .sqlite file.")]
annotate = command_group("Let people judge mutants.")


@annotate.command("create")
def create(
    project: ProjectFile,
    name: Annotated[str, Option(help="Title for annotators; default: the file's.")] = "",
    campaign: Annotated[
        Path | None,
        Option(
            "--from",
            parser=place_of,
            help="A campaign's directory to draw mutants from; or a .hinter-project, Parquet file "
            "or data set of an export, whose settings and questions the project takes.",
        ),
    ] = None,
    many: Annotated[int, Option(help="Maximum mutants to draw.")] = 200,
    seed: Annotated[int, Option(help="Seed of the draw and of all orders.")] = 0,
    outcome: Annotated[
        list[str] | None, Option(help="Draw only these, as hidden or 'discarded: part of speech'.")
    ] = None,
    attributes: Annotated[
        list[str] | None,
        Option(help="Draw only changes of exactly these, as race,gender; may be repeated."),
    ] = None,
    questions: Annotated[
        Path | None, Option(help="Your own questions (YAML; see docs/howto/annotation.md).")
    ] = None,
    labels: Annotated[
        str, Option(help="Labels of the task, as positive,negative, to ask for one.")
    ] = "",
    language: Annotated[str, Option(help="Language of the questions: en or de.")] = "en",
    share: Annotated[float, Option(help="Share of items for all annotators.")] = 0.2,
    copies: Annotated[int, Option(help="Annotators of each other item.")] = 1,
    validity: Validity = 0.0,
    repeats: Annotated[float, Option(help="Share of items shown again unannounced.")] = 0.05,
    gap: Annotated[int, Option(help="Judgements between an item and its repeat.")] = 10,
    quota: Annotated[int, Option(help="Judgements of one person at most; 0: no limit.")] = 0,
    gold: Annotated[
        bool, Option("--gold", help="Give texts with your decision to everybody.")
    ] = False,
    blind: Annotated[
        bool, Option("--blind/--not-blind", help="Hide verdicts of models and invariant.")
    ] = True,
) -> None:
    """Create a project, empty or from a campaign or an export; the owner's key is shown once."""
    held = settings_of(campaign) if campaign else None
    if campaign and held:
        _create_again(project, replace(held, name=name or held.name), campaign)
        return
    if many < 1 or copies < 1 or gap < 1 or quota < 0:
        raise InputError("--many, --copies and --gap are at least 1, --quota at least 0.")
    if not (0 <= share <= 1 and 0 <= repeats <= 1):
        raise InputError("--share and --repeats are shares, from 0 to 1.")
    if language not in ("en", "de"):
        raise InputError(f"There are no questions in '{language}'; use en or de, or --questions.")
    for one in outcome or ():
        if one not in OUTCOMES:
            raise InputError(f"There is no outcome '{one}'; use {', '.join(OUTCOMES)}.")
    wanted = listed_names(labels)
    if len(wanted) == 1:
        raise InputError("--labels takes at least two, as positive,negative.")
    instructions, shown = default_questions(language, wanted)
    opening: dict[str, Any] = {}
    if questions:
        given = text_of(questions), str(questions)
        instructions, shown = read_questions(*given, wanted)
        opening = read_opening(*given, shown)
    items = []
    if campaign:
        sets = map(listed_names, attributes or ())
        items = sample_campaign(CampaignStore(campaign), many, seed, outcome or (), sets, validity)
    settings = Project(
        name or project.stem, shown, instructions, language, blind, share, copies, repeats, gap,
        seed, quota=quota, gold=gold, **opening,
    )  # fmt: skip
    store, key = AnnotationStore.create(project, settings)
    with closing(store):
        store.add(items)
    say(f"{project}: {len(items)} items, questions {', '.join(q.id for q in shown)}")
    drawn = Counter(item.stratum for item in items)
    of = {item.stratum: item.weight * drawn[item.stratum] for item in items}
    for stratum, number in sorted(drawn.items()):
        say(f"  {stratum}: {number} of {of[stratum]:,.0f}")
    say(f"Invite annotators: hinter annotate invite {shlex.quote(str(project))}")
    say(f"The owner's key, shown only now: {key}")
    _warn()


def _create_again(project: Path, settings: Project, export: Path) -> None:
    """Create a project with all that an export holds."""
    store, key = AnnotationStore.create(project, settings)
    try:
        with closing(store):
            if export.suffix == ARCHIVE:
                say(f"{project}: {fill(store, export):,} items, as in {export}")
            else:
                _report(import_file(store, str(export)))
    except BaseException:
        project.unlink()
        raise
    say(f"The owner's key, shown only now: {key}")
    _warn()


def _warn() -> None:
    if warning := lasting_warning():
        say(f"Warning: {warning}", err=True)


@annotate.command("invite")
def invite(
    project: ProjectFile,
    address: Annotated[
        str, Option(help="Address of the app; default: this machine's, port 7860.")
    ] = "",
    move: Annotated[
        bool, Option("--move", help="Move the project to the app's folder first.")
    ] = False,
) -> None:
    """Print the link for annotators; the app must run and show the project."""
    with opened(project) as store:
        closed = store.project().closed
    machine = machine_address()
    address = address or (f"http://{machine}:{PORT}" if machine else "")
    if not urlsplit(address).netloc:
        raise InputError(
            "Give the address at which others reach the app, as --address http://192.0.2.7:7860."
        )
    if move and not is_served(project):
        project = serve_from_here(project)
        say(f"Moved to {project}.")
    if not is_served(project):
        raise InputError(
            f"The app shows strangers only projects in {annotations_folder()} whose names cannot "
            f"be guessed ({FOLDER} names another folder). Add --move to move {project} there."
        )
    say(link(address, project.stem))
    say("It works while the app runs: hinter-app --host 0.0.0.0 in a network you trust.")
    if is_loopback(urlsplit(address).hostname or ""):
        say("Warning: this address leads back to the machine that opens it.", err=True)
    if closed:
        say(f"Warning: {project} is closed; hinter annotate reopen opens it.", err=True)
    _warn()


@annotate.command("status")
def status(project: ProjectFile) -> None:
    """Show the progress of each annotator, and whether the project is open."""
    with opened(project) as store:
        settings, standings = store.project(), Judging(store).standings()
        n_items = len(list(store.items()))
        judged = {one.item for one in store.judgements() if one.status is Status.JUDGED}
    state = "closed" if settings.closed else "open"
    say(f"{settings.name}: {state}, {n_items} items, {len(judged)} of them judged")
    for one in standings:
        say(
            f"  {one.annotator.name}: {one.judged} judged, {one.skipped} skipped, "
            f"at most {one.left} to come"
        )
    if not standings:
        say("  nobody has joined")
    _warn()


Item = Annotated[str, Argument(help="The item's id.")]
Person = Annotated[str, Argument(metavar="NAME", help="An annotator's name.")]


@annotate.command("exclude")
def exclude_person(
    project: ProjectFile,
    name: Person,
    reason: Annotated[str, Option(help="Why; reports state it.")],
) -> None:
    """Let an annotator's judgements no longer count; reports have figures with and without."""
    with opened(project) as store:
        exclude(store, name, reason)
    say(f"{name} is excluded; hinter annotate include lets the judgements count again.")


@annotate.command("include")
def include_person(project: ProjectFile, name: Person) -> None:
    """Let the judgements of an excluded annotator count again."""
    with opened(project) as store:
        include(store, name)
    say(f"The judgements of {name} count again.")


@annotate.command("erase")
def erase_person(
    project: ProjectFile,
    name: Person,
    keep: Annotated[
        bool, Option("--keep-answers", help="Keep the answers without the person.")
    ] = False,
) -> None:
    """Erase an annotator with all judgements, from the file and from copies on the Hub."""
    with opened(project) as store:
        number = erase(store, name, keep=keep)
    say(f"{number:,} judgements are {'anonymous' if keep else 'deleted'}, for good.")
    say("Files that you exported before may still name the person; delete them.")


@annotate.command("merge")
def merge_people(
    project: ProjectFile, name: Person, into: Annotated[str, Option(help="Name that stays.")]
) -> None:
    """Give all judgements of one name to another name of the same annotator."""
    with opened(project) as store:
        number = merge(store, name, into)
    say(f"{number:,} judgements of {name} are now of {into}.")


@annotate.command("rename")
def rename_person(
    project: ProjectFile, name: Person, to: Annotated[str, Option(help="The new name.")]
) -> None:
    """Give an annotator another name; the pass-phrase stays."""
    with opened(project) as store:
        rename(store, name, to)
    say(f"{name} is now {to}.")


@annotate.command("reset")
def reset_person(project: ProjectFile, name: Person) -> None:
    """Give an annotator a new pass-phrase, shown once."""
    with opened(project) as store:
        phrase = reset_phrase(store, name)
    say(f"The new pass-phrase of {name}, shown only now: {phrase}")


@annotate.command("decisions")
def decisions(project: ProjectFile) -> None:
    """List the owner's decisions: item, question and answer."""
    with opened(project) as store:
        for (item, question), value in store.adjudications().items():
            say(f"{item}\t{question}\t{value}")


@annotate.command("decide")
def decide(
    project: ProjectFile,
    item: Item,
    question: Annotated[str, Argument(help="The question's id.")],
    value: Annotated[str, Argument(help="The answer; none takes a decision back.")] = "",
) -> None:
    """Decide on a question about an item, change a decision, or take it back."""
    with opened(project) as store:
        store.adjudicate(item, question, value)
    say(f"{item}, {question}: {value or 'not decided any more'}")


@annotate.command("close")
def close(project: ProjectFile) -> None:
    """Accept no more judgements."""
    with opened(project) as store:
        store.change(closed=True)
    say(f"{project} is closed; hinter annotate reopen opens it again.")


@annotate.command("reopen")
def reopen(project: ProjectFile) -> None:
    """Accept judgements again."""
    with opened(project) as store:
        store.change(closed=False)
    say(f"{project} is open.")


@annotate.command("remove")
def remove(project: ProjectFile, item: Item) -> None:
    """Remove an item; its judgements no longer count."""
    with opened(project) as store:
        store.remove(item)
    say(f"{item} is removed; hinter annotate restore brings it back.")


@annotate.command("restore")
def restore(project: ProjectFile, item: Item) -> None:
    """Restore a removed item; its judgements count again."""
    with opened(project) as store:
        store.restore(item)
    say(f"{item} is restored, with its judgements.")


@annotate.command("import")
def import_items(
    project: ProjectFile,
    file: Annotated[
        str,
        Argument(
            metavar="FILE",
            help="CSV, TSV, JSONL, Parquet, Label Studio or Argilla JSON; a folder; hf:ORG/NAME.",
        ),
    ],
    columns: Annotated[
        list[str] | None, Option("--map", help="Columns, as mutant=text,answer.sense=makes_sense.")
    ] = None,
    values: Annotated[
        list[str] | None, Option(help="Answers, as Fine=yes, or sense:Fine=yes for one question.")
    ] = None,
    annotator: Annotated[str, Option(help="Annotator, if no column names one.")] = "",
    attributes: Annotated[str, Option(help="Attributes, if no column names them.")] = "",
    mend: Annotated[bool, Option("--mend", help="Repair letters that were encoded twice.")] = False,
    invariant: Annotated[
        bool, Option("--invariant", help="Run the invariant on pairs without verdict.")
    ] = False,
    parser: Annotated[str, Option(help="Parser for the invariant.")] = "embedded",
    errors: Annotated[
        Path | None, Option(help="New CSV file for the rows left out, with the reasons.")
    ] = None,
) -> None:
    """Add items and judgements from a file; those that the project has are not added twice."""
    if errors is not None and errors.exists():
        raise InputError(f"{errors} already exists; choose another name.")
    reading = ColumnMapping(
        pairs_of(columns or (), "--map"), pairs_of(values or (), "--values"), annotator,
        listed_names(attributes), mend,
    )  # fmt: skip
    with opened(project) as store:
        done = import_file(store, file, reading)
        _report(done)
        if errors is not None:
            _write(errors, done.problems)
        if invariant:
            begun = time.monotonic()
            kept, discarded = fill_invariant(store, ParseStore(load_parser(parser)))
            say(
                f"invariant: {kept:,} pairs kept, {discarded:,} discarded "
                f"({time.monotonic() - begun:.1f} s)"
            )
    if done.problems and not (done.judgements or done.judgements_known or done.items
                              or done.items_known):  # fmt: skip
        raise InputError(f"{file} has no row that can be used; see above.")


def _report(done: Imported) -> None:
    read = ", ".join(c if p == c else f"{p}={c}" for p, c in done.columns.items())
    say(f"columns read: {read}")
    for what, count in (
        ("rows", done.rows), ("items added", done.items), ("items known", done.items_known),
        ("judgements added", done.judgements), ("judgements known", done.judgements_known),
        ("decisions added", done.decisions),
        *((f"{what} left out", done.left_out[what]) for what in LEFT_OUT),
    ):  # fmt: skip
        say(f"{what:<19} {count:>8,}")
    if done.people:
        say(f"new annotators: {', '.join(done.people)}")
    for note in done.notes:
        say(note)
    rows: dict[str, list[int]] = {}  # by reason
    for row, why in done.problems:
        rows.setdefault(why, []).append(row)
    for why, numbers in list(rows.items())[:_REASONS]:
        named = first_names([*map(str, numbers)], _ROWS)
        say(f"row{'s' if len(numbers) > 1 else ''} {named}: {why}", err=True)
    if len(rows) > _REASONS:
        left = len(rows) - _REASONS
        say(f"... and {left:,} more reasons; --errors FILE writes them all.", err=True)


def _write(errors: Path, problems: Sequence[tuple[int, str]]) -> None:
    with output(errors) as out:
        write = cell_writer(out)
        write(("row", "left out because"))
        for problem in problems:
            write(problem)


@annotate.command("export")
def export(
    project: ProjectFile,
    file: Annotated[
        Path | None, Argument(metavar="[FILE]", help="New file, or folder for dataset.")
    ] = None,
    kind: Annotated[
        str, Option("--format", help=f"{', '.join(FORMATS)}; default: by the file's name.")
    ] = "",
    history: Annotated[
        bool, Option("--history", help="Include corrected and withdrawn judgements.")
    ] = False,
    items_only: Annotated[bool, Option("--items-only", help="Without judgements.")] = False,
    anonymous: Annotated[
        bool, Option("--anonymous", help="Numbers instead of annotators' names.")
    ] = False,
    consensus: Annotated[
        bool, Option("--consensus", help="One judgement per item: adjudicated or majority.")
    ] = False,
    out: Annotated[Path | None, Option(help="The file, in place of FILE.")] = None,
    push: Annotated[
        str, Option(help="Write to this data set of the Hub, as ORG/NAME, instead.")
    ] = "",
    public: Annotated[
        bool, Option("--public", help="Push even if everybody can read the data set.")
    ] = False,
) -> None:
    """Write items and judgements to a file, a folder or the Hub; import reads them again."""
    if file and out:
        raise InputError("Name the file once: as FILE, or with --out.")
    file = file or out
    if (file is None) == (not push):
        raise InputError("Name either a file, or a data set with --push ORG/NAME.")
    if push and kind not in ("", "dataset"):
        raise InputError("--push writes a data set; leave --format out.")
    with opened(project) as store:
        wanted = Exported(store, history, anonymous, items_only, consensus)
        if push:
            rows = list(wanted.rows())
            message = f"{wanted.project.name}: {len(rows)} rows"
            where = write_dataset(push, folder_files(wanted, rows), message, public=public)
            say(f"{push}: {len(rows):,} rows ({where})")
            return
        assert file is not None
        say(f"{file}: {export_file(wanted, file, kind):,} rows")


@annotate.command("agreement")
def agreement(
    project: ProjectFile,
    question: Annotated[str, Option(help="Evaluate only this question.")] = "",
    as_json: Annotated[bool, Option("--json", help="All results, as JSON.")] = False,
    markdown: Annotated[bool, Option("--markdown", help="Tables in Markdown.")] = False,
) -> None:
    """Report the agreement of annotators, and the invariant's precision and recall."""
    if as_json and markdown:
        raise InputError("Choose one of --json and --markdown.")
    with opened(project) as store:
        evaluation = evaluate(store, question)
    if as_json:
        print_json(plain(evaluation), indent=1)
    elif markdown:
        title = f"Judgements of {evaluation.project}"
        say(markdown_of(title, evaluation_sections(evaluation)), nl=False)
    else:
        print_sections(evaluation_sections(evaluation), sys.stdout)
