"""Parts that commands share: campaign settings, texts, groups and output files."""

import inspect
import io
import os
import shlex
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, TextIO, cast

import typer
from typer.core import TyperCommand, TyperGroup

from hinter_core.data.tables import encoding_of, to_json
from hinter_core.errors import InputError
from hinter_core.files.source import ENDINGS, ending_of
from hinter_core.language.clean import MAX_CHARACTERS, OBEYED, printable
from hinter_core.options import Option
from hinter_core.places import place_of
from hinter_core.storage import write_whole

Validity = Annotated[
    float,
    typer.Option(
        min=0.0,
        max=1.0,
        help="Only mutants with at least this validity score: how probably people call a mutant a "
        "fair test.",
    ),
]
Folder = Annotated[Path, typer.Argument(parser=place_of, help="A campaign's directory.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
TextFile = Annotated[
    Path | None, typer.Option(help="UTF-8 file with the text; - for standard input.")
]
OneModel = Annotated[str, typer.Option(help="The model.  [default: the first of the campaign]")]
_SECTIONS = {"data": "Data", "mutants": "Mutants", "run": "Models"}


class CommandWithSections(TyperCommand):
    """A command whose ``--help`` has one section per panel of options."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then the sections by their first option."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        for param in self.get_params(ctx):
            if record := param.get_help_record(ctx):
                kind = "Arguments" if param.param_type_name == "argument" else "Options"
                panel = getattr(param, "rich_help_panel", None)
                sections.setdefault(panel or kind, []).append(record)
        for title, records in filter(itemgetter(1), sections.items()):
            with formatter.section(title):
                formatter.write_dl(records)


class WholeHelp(TyperGroup):
    """A group of commands whose ``--help`` cuts no line at "..."."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each command with the whole first sentence of its help."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, self.commands[name].get_short_help_str(1_000))
                    for name in self.list_commands(ctx)
                ]
            )


def with_options(
    options: Collection[Option],
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Replace the parameter ``settings`` of a command with one option per setting.

    The command receives the settings that the user gave, by name.
    """
    # Who repeats such an option means all its values.
    with_commas = {o.name for o in options if o.type is tuple and not getattr(o, "each", "")}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        parameters = [item for name, item in signature.parameters.items() if name != "settings"]
        basic, advanced = (
            [_parameter(option) for option in options if option.advanced is wanted]
            for wanted in (False, True)
        )

        def call(**given: Any) -> None:
            settings = {option.name: given.pop(option.name) for option in options}
            set_ = {name: value for name, value in settings.items() if value is not None}
            for name in set_.keys() & with_commas:
                set_[name] = ",".join(set_[name])
            command(settings=set_, **given)

        call.__doc__ = command.__doc__
        vars(call)["__signature__"] = signature.replace(parameters=[*basic, *parameters, *advanced])
        return call

    return decorate


def _parameter(option: Option) -> inspect.Parameter:
    each = getattr(option, "each", "")
    flag = (each or option.name).replace("_", "-")
    kind: Any = list[str] if option.type is tuple else option.type
    words = f"{option.help} Can be repeated." if each else option.help
    default = default_in_words(option)
    part = "data" if option.name == "sample" else getattr(option, "part", "")  # texts, in the form
    basic = _SECTIONS.get(part)
    info = typer.Option(
        f"--{flag}/--no-{flag}" if kind is bool else f"--{flag}",
        help=f"{words}  [default: {default}]" if default else words,
        rich_help_panel="Advanced settings" if option.advanced else basic,
    )
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind | None, info],
    )


def default_in_words(option: Option) -> str:
    """Describe the default of a setting."""
    value = option.default
    if value in (None, "", ()):
        return getattr(option, "unset", "")
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def read_text(text: Sequence[str] | None, file: Path | None, words: str | None = None) -> str:
    """Return ``text``, ``words`` or the contents of ``file`` (``-``: standard input).

    Raises:
        InputError: not one of them given, or the file is missing, too large or not UTF-8.
    """
    given = [one for one in (*(text or ()), words, file) if one is not None]
    if len(given) != 1:
        why = "The text is given twice" if given else "No text is given"
        raise InputError(f"{why}: give it once, as TEXT, with --text or with --file.")
    if file is None:
        return str(given[0])
    try:
        if str(file) == "-":
            raw = sys.stdin.buffer.read()
        else:
            if file.stat().st_size > 4 * MAX_CHARACTERS:
                raise InputError(
                    f"{file} is larger than a text of {MAX_CHARACTERS:,} characters; "
                    "check a part of it."
                )
            raw = file.read_bytes()
            if (ending := ending_of(file.name).lower()) in ENDINGS and ending != ".txt":
                say(
                    f"Note: {file} was read as one text, though its name is that of a table. To "
                    f"test each of its rows: hinter run --data {shlex.quote(str(file))}",
                    err=True,
                )
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"Cannot read {file}: {error.strerror}. Check the path.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not UTF-8 text; convert it first.") from error


_LINES = "\n\t"


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print to the terminal; no word of others controls it."""
    typer.echo(printable(text, keep=_LINES), err=err, nl=nl)


def exit_for(faults: Sequence[str]) -> None:
    """Exit 1 if there are faults, and print them."""
    for fault in faults:
        say(f"hinter: {fault}", err=True)
    if faults:
        raise typer.Exit(1)


class _Screen(io.TextIOBase):
    """Standard output for documents that are written piece by piece; see :func:`say`."""

    def write(self, text: str) -> int:
        return sys.stdout.write("\r\n".join(OBEYED.sub(" ", t) for t in text.split("\r\n")))


@contextmanager
def output(path: Path | None, *, styled: bool = False) -> Iterator[TextIO]:
    """Yield a stream to a file, or standard output without a path.

    An older file is replaced only if the block succeeds; a device or a link is written directly.

    ``styled``: the writer sets styles for a terminal and makes words of others printable itself.

    Raises:
        InputError: the file cannot be written.
    """
    if path is None:
        yield sys.stdout if styled else cast("TextIO", _Screen())
        return
    direct = path.is_symlink() or (path.exists() and not path.is_file())
    try:
        with (
            nullcontext(path) if direct else write_whole(path) as place,
            place.open(
                "w", encoding=encoding_of(path.name), newline="", errors="replace"
            ) as stream,
        ):
            yield stream
    except OSError as error:
        raise InputError(f"Cannot write {path}: {error.strerror}. Check the path.") from error


def require_writable(*paths: Path | None) -> None:
    """Refuse files that cannot be written, before the work whose results they take.

    Raises:
        InputError: one is a folder, or its folder is missing or cannot be written.
    """
    for path in filter(None, paths):
        if path.is_dir() or not os.access(path.parent, os.W_OK):
            raise InputError(f"Cannot write {path}. Check the path: its folder must exist.")


def print_json(values: Any, indent: int = 2, file: TextIO | None = None) -> None:
    """Print values as JSON to standard output or a file."""
    typer.echo(to_json(values, indent), file=file)


def command_group(about: str) -> typer.Typer:
    """Return a group of commands that prints its help when called without one."""
    group = typer.Typer(help=about, invoke_without_command=True, cls=WholeHelp)

    @group.callback()
    def show_help(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    return group
