"""Notices, costs and progress, shown in the page and announced to screen readers."""

import re
from collections.abc import Collection, Mapping, Sequence

from hinter_core.annotation.invitation import Reached
from hinter_core.campaign.settings import CAMPAIGN_OPTIONS
from hinter_core.errors import HinterError, ModelError, ParserError
from hinter_core.models.budget import Cost, cost_in_words
from hinter_core.types import Verdict
from hinter_ui.html.glossary import sentence
from hinter_ui.html.markup import Markup, isolated, model_name, tag
from hinter_ui.html.wording import (
    SEVERITY,
    SIGNS,
    Words,
    numeral,
    translated,
    two_people,
    verdict_name,
)

say = Words("check")

# An option of the command line or of Python; in brackets, it repeats what stands before.
_OPTION = re.compile(
    r"(?P<again> \((?:(?:--[a-z-]+; )?in Python, [^()]+|--[a-z-]+|(?:order|Ordnung) 1)\))"
    r"|(?<![\w-])--(?P<name>[a-z]+(?:-[a-z]+)*)"
)

# Where an upload lies on the server says nothing to a visitor.
_UPLOADED = re.compile(r"(?:/[^\s/'\"]+)*/hinter-uploads-[^\s/'\"]+/(?:[^/'\"]+/)*(?=[^/\s])")


def error(fault: str | HinterError, title: str | None = None) -> Markup:
    """Announce what is wrong and what to do; without a title, what cannot be checked or used."""
    if title is None:
        kinds: dict[type, str] = {ModelError: "no_model", ParserError: "no_parser"}
        title = say(f"notices.{kinds.get(type(fault), 'unchecked')}")
    words = in_app_words(translated(str(fault)))
    lines = [isolated(line) for line in words.splitlines() if line.strip()]
    head = tag("strong", f"{title} ")
    body = lines[0] if len(lines) == 1 else tag("ul", *(tag("li", line) for line in lines))
    return tag("div", head, body, role="alert", class_="notice error")


def in_app_words(message: str) -> str:
    """Name settings as the app does, not options of the command line; leave out folders of ours."""

    def named(match: re.Match[str]) -> str:
        name = match["name"]
        if not name:
            return ""
        option = CAMPAIGN_OPTIONS.get(name.replace("-", "_"))
        if option is None:
            return say("notices.setting", name=name.replace("-", " "))
        kind = "more" if option.advanced else "setting"
        return say(f"notices.{kind}", name=translated(option.title))

    return _OPTION.sub(named, _UPLOADED.sub("", message))


def info(messages: Sequence[str]) -> Markup:
    """Show remarks that do not stop a check."""
    if not messages:
        return Markup("")
    return tag(
        "div",
        *(tag("p", in_app_words(translated(m))) for m in messages),
        role="status",
        class_="notice info",
    )


def offer(message: str, acts: Mapping[str, str], kind: str = "") -> Markup:
    """Say what is so, with a button for each of ``acts`` (their labels) that help."""
    buttons = [tag("button", label, type="button", data_act=act) for act, label in acts.items()]
    words = tag("span", message, " " if message else "")  # the page draws no box around none
    return tag("div", words, *buttons, role="status", class_=f"notice info offer {kind}".strip())


def costs(estimates: Mapping[str, Cost]) -> Markup:
    """Show the maximum cost of a scan by model."""
    lines = [
        tag("p", sentence(say, "notices.cost", model=model_name(name, estimates),
                          cost=tag("strong", cost_in_words(cost))))
        for name, cost in estimates.items()
    ]  # fmt: skip
    return tag("div", *lines, class_="quiet costs") if lines else Markup("")


def progress(
    done: int, planned: int, counts: Mapping[str, Sequence[Mapping[str, int]]], state: str
) -> Markup:
    """Show how many mutants are judged, with a bar and the verdicts so far by model.

    The verdicts of a model: on changes of one person, and on changes of two.
    """
    counted = say.count("notices.progress", planned, done=done) if planned else ""
    words = " \u00b7 ".join(filter(None, (counted, state)))
    text = tag("span", words, class_="progress-words")
    bar = tag("progress", value=done, max=max(planned, 1), aria_label=words)
    rows = [
        _counts(model, tally, counts, apart=tally is apart)
        for model, (whole, apart) in counts.items()
        for tally in (whole, apart)
        if tally is whole or any(apart.values())
    ]
    return tag("div", tag("div", text, bar), *rows, role="status", class_="progress")


def _counts(
    model: str, tally: Mapping[str, int], models: Collection[str], *, apart: bool
) -> Markup:
    chips = [
        tag("li", f"{SIGNS[v]} {numeral(tally.get(v.value, 0))} ", verdict_name(v),
            class_=f"count {v.value}" if tally.get(v.value) else "count")
        for v in SEVERITY
        if tally.get(v.value, 0) or v is Verdict.HIDDEN
    ]  # fmt: skip
    named = len(models) > 1
    head = tag("li", model_name(model, models), class_="count model") if named else None
    of = tag("li", two_people()) if apart else None
    return tag(
        "ul", head, of, *chips, class_="counts", aria_label=say("notices.counts", model=model)
    )


def copy_button(words: str = "") -> Markup:
    """Make the button that copies the link or the code beside it (``page.copyLink``)."""
    return tag("button", words or say("notices.copy"), type="button", class_="copy-link",
               data_copied=say("notices.copied"),
               data_uncopied=say("notices.uncopied"))  # fmt: skip


def share(words: str, query: str, there: Reached) -> Markup:
    """Link to a query of the app, with a button that copies the link as others reach it.

    The link itself stays where the visitor is: others may have another way, as into a container.
    """
    sent = there.address + query if there.address else None
    shown = tag("a", words, href=query, class_="share", data_link=sent)
    return tag("span", shown, " ", copy_button(), reached(there))


def reached(there: Reached) -> Markup:
    """Say of a link whether others can open it, if that depends on where they are."""
    key = "alone" if there.alone else "network" if there.network else ""
    return tag("span", " ", say(f"notices.{key}"), class_="quiet-inline") if key else Markup("")


def qr_code(address: str, title: str, scale: int = 4) -> Markup:
    """Draw an address as a QR code, dark on light also on a dark page, as cameras expect it.

    ``scale``: pixels of a dot; larger where it is read from across a room.
    """
    import segno

    code = segno.make(address, error="m")
    width, _ = code.symbol_size(scale, border=3)
    drawn = code.svg_inline(scale=scale, border=3, light="#fff", title=title, omitsize=True)
    # Sized like this, it shrinks with a narrow page.
    return Markup(drawn.replace("<svg ", f'<svg width="{width}" ', 1))


def working(words: str, seconds: int) -> Markup:
    """Show what is under way, and for how long."""
    dot = tag("span", class_="pulse", aria_hidden="true")
    since = tag("span", f" {seconds} s", aria_hidden="true", class_="quiet-inline")
    return tag("p", dot, isolated(words), since if seconds else None, role="status",
               class_="working")  # fmt: skip
