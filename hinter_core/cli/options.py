"""Options that commands share: the settings of a campaign, a budget, a text."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from hinter_core.campaign.spec import CAMPAIGN_OPTIONS, CampaignOption
from hinter_core.errors import InputError
from hinter_core.language.clean import MAX_CHARACTERS
from hinter_core.models.budget import Budget
from hinter_core.models.registry import parse_name

_SECTIONS = {"data": "Data", "mutants": "Mutants", "run": "Models"}


class CommandWithSections(TyperCommand):
    """A command whose ``--help`` has a section for each panel of its options."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then the sections in the order of their first option."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        for param in self.get_params(ctx):
            if record := param.get_help_record(ctx):
                kind = "Arguments" if param.param_type_name == "argument" else "Options"
                panel = getattr(param, "rich_help_panel", None)
                sections.setdefault(panel or kind, []).append(record)
        for title, records in filter(itemgetter(1), sections.items()):
            with formatter.section(title):
                formatter.write_dl(records)


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Replace the parameter ``settings`` of a command by an option for each campaign setting.

    The command is given those that the user set, by name.
    """
    signature = inspect.signature(command, eval_str=True)
    own = [item for name, item in signature.parameters.items() if name != "settings"]
    made = [_parameter(option) for option in CAMPAIGN_OPTIONS.values()]
    basic = [item for item in made if not CAMPAIGN_OPTIONS[item.name].advanced]
    advanced = [item for item in made if CAMPAIGN_OPTIONS[item.name].advanced]

    def call(**given: Any) -> None:
        settings = {name: given.pop(name) for name in CAMPAIGN_OPTIONS}
        set_ = {name: value for name, value in settings.items() if value is not None}
        command(settings=set_, **given)

    call.__doc__ = command.__doc__
    vars(call)["__signature__"] = signature.replace(parameters=[*basic, *own, *advanced])
    return call


def _parameter(option: CampaignOption) -> inspect.Parameter:
    flag = (option.each or option.name).replace("_", "-")
    kind: Any = option.type
    if kind is tuple:
        kind = list[str] if option.each else str
    info = typer.Option(
        f"--{flag}/--no-{flag}" if kind is bool else f"--{flag}",
        help=_help(option),
        rich_help_panel="Advanced settings" if option.advanced else _SECTIONS[option.part],
    )
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind | None, info],
    )


def _help(option: CampaignOption) -> str:
    """What the setting does, and its default where that is no matter of course."""
    words = f"{option.help} May be given again." if option.each else option.help
    default = default_in_words(option)
    return f"{words}  [default: {default}]" if default else words


def default_in_words(option: CampaignOption) -> str:
    """The value that a setting has where it is not given, as one would write it."""
    value = option.default
    if value in (None, "", ()):
        return option.unset
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def budget_of(model: str, requests: int | None, money: float | None) -> Budget | None:
    """The budget that the options set; None where they set none.

    Raises:
        InputError: a budget below zero, or of money for a model without a price.
    """
    if requests is None and money is None:
        return None
    # Written so that what is no number ("nan") is refused, too.
    if (requests is not None and requests < 1) or (money is not None and not money > 0):
        raise InputError("A budget is above zero; leave it out for none.")
    if money is not None:
        settings = parse_name(model, trusted=True).settings
        if not settings.get("price_in") and not settings.get("price_out"):
            raise InputError(
                "A budget of money needs prices: add price_in=...&price_out=... (for a million "
                "tokens) to an openai: model, or set --requests."
            )
    return Budget(requests, money)


def read_text(text: str | None, file: Path | None) -> str:
    """``text``, or what ``file`` holds (``-``: standard input).

    Raises:
        InputError: both or neither given, or the file is missing, too large or not UTF-8.
    """
    if (text is None) == (file is None):
        raise InputError("Give the text either with --text or with --file.")
    if text is not None:
        return text
    assert file is not None
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
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"Cannot read {file}: {error.strerror}. Check the path.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not UTF-8 text; convert it first.") from error
