"""Notices, progress and what cannot be tested: said in the page, not only in a toast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hinter_core.models.budget import Cost, cost_in_words
from hinter_core.types import RejectedOccurrence, Verdict
from hinter_ui.html.glossary import sentence
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.wording import Words
from hinter_ui.html.words import SEVERITY, SIGNS, name_of, spoken


def error(message: str, title: str | None = None, say: Words | None = None) -> Markup:
    """What is wrong and what to do, announced at once; without a title: no check was possible."""
    title = spoken(say)("notices.unchecked") if title is None else title
    lines = [isolated(line) for line in message.splitlines() if line.strip()]
    head = tag("strong", f"{title} ")
    body = lines[0] if len(lines) == 1 else tag("ul", *(tag("li", line) for line in lines))
    return tag("div", head, body, role="alert", class_="notice error")


def info(messages: Sequence[str]) -> Markup:
    """Remarks that do not stop a check; nothing where there are none."""
    if not messages:
        return Markup("")
    return tag("div", *(tag("p", m) for m in messages), role="status", class_="notice info")


def costs(estimates: Mapping[str, Cost], say: Words | None = None) -> Markup:
    """What a scan would ask at most, model by model; nothing where nothing costs."""
    say = spoken(say)
    lines = [
        tag("p", sentence(say, "notices.cost", model=name,
                          cost=tag("strong", cost_in_words(cost))))
        for name, cost in estimates.items()
    ]  # fmt: skip
    return tag("div", *lines, class_="quiet costs") if lines else Markup("")


def progress(
    done: int,
    planned: int,
    counts: Mapping[str, Mapping[str, int]],
    state: str,
    say: Words | None = None,
) -> Markup:
    """How many mutants are judged, with a bar and the verdicts so far, model by model."""
    say = spoken(say)
    words = say.count("notices.progress", planned, done=done)
    text = tag("span", words, f" \u00b7 {state}" if state else "", class_="progress-words")
    bar = tag("progress", value=done, max=max(planned, 1), aria_label=words)
    rows = [_counts(model, tally, say, named=len(counts) > 1) for model, tally in counts.items()]
    return tag("div", tag("div", text, bar), *rows, role="status", class_="progress")


def _counts(model: str, tally: Mapping[str, int], say: Words, *, named: bool) -> Markup:
    chips = [
        tag("li", f"{SIGNS[v]} {tally.get(v.value, 0):,} ", say(f"verdicts.{v.value}"),
            class_=_count_class(v, tally))
        for v in SEVERITY
        if tally.get(v.value, 0) or v is Verdict.HIDDEN
    ]  # fmt: skip
    head = tag("li", model, class_="count model") if named else None
    return tag("ul", head, *chips, class_="counts", aria_label=say("notices.counts", model=model))


def _count_class(verdict: Verdict, tally: Mapping[str, int]) -> str:
    return f"count {verdict.value}" if tally.get(verdict.value) else "count"


def rejected_list(
    rejected: Sequence[RejectedOccurrence], most: int = 12, say: Words | None = None
) -> Markup:
    """Terms that do not count, each with its reason as text."""
    if not rejected:
        return Markup("")
    say = spoken(say)
    items = [
        tag(
            "li",
            tag("s", isolated(r.occurrence.surface)),
            tag("span", f" {name_of(r.occurrence.attribute, say)}", class_="quiet"),
            ": ",
            _reason(r),
        )
        for r in rejected[:most]
    ]
    if len(rejected) > most:
        items.append(tag("li", say("terms.more", n=len(rejected) - most)))
    return tag("ul", join(items), class_="rejected-list", aria_label=say("terms.rejected"))


def _reason(rejected: RejectedOccurrence) -> str:
    surface = f"\u201c{rejected.occurrence.surface}\u201d"
    reason = rejected.reason
    return reason if surface in reason else f"{surface} {reason}"


def copy_button(say: Words | None = None) -> Markup:
    """The button that copies the link beside it (``page.copyLink``)."""
    say = spoken(say)
    return tag(
        "button",
        say("notices.copy"),
        type="button",
        class_="copy-link",
        data_copied=say("notices.copied"),
        data_uncopied=say("notices.uncopied"),
    )


def working(words: str, seconds: int) -> Markup:
    """A line that says what is under way, and for how long."""
    dot = tag("span", class_="pulse", aria_hidden="true")
    since = tag("span", f" {seconds} s", aria_hidden="true", class_="quiet-inline")
    return tag("p", dot, isolated(words), since if seconds else None, role="status",
               class_="working")  # fmt: skip
