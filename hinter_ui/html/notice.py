"""Notices, progress and what cannot be tested: said in the page, not only in a toast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hinter_core.models.budget import Cost, cost_in_words
from hinter_core.pipeline.case import TestResult
from hinter_core.types import Failure, RejectedOccurrence, Verdict
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.words import SEVERITY, SIGNS, name_of


def error(message: str, title: str = "This cannot be checked.") -> Markup:
    """What is wrong and what to do, announced at once."""
    lines = [isolated(line) for line in message.splitlines() if line.strip()]
    head = tag("strong", f"{title} ")
    body = lines[0] if len(lines) == 1 else tag("ul", *(tag("li", line) for line in lines))
    return tag("div", head, body, role="alert", class_="notice error")


def info(messages: Sequence[str]) -> Markup:
    """Remarks that do not stop a check; nothing where there are none."""
    if not messages:
        return Markup("")
    return tag("div", *(tag("p", m) for m in messages), role="status", class_="notice info")


def costs(estimates: Mapping[str, Cost]) -> Markup:
    """What a scan would ask at most, model by model; nothing where nothing costs."""
    lines = [
        tag("p", f"A scan asks {name} at most ", tag("strong", cost_in_words(cost)), ".")
        for name, cost in estimates.items()
    ]
    return tag("div", *lines, class_="quiet costs") if lines else Markup("")


def progress(
    done: int, planned: int, counts: Mapping[str, Mapping[str, int]], state: str
) -> Markup:
    """``n of m mutants`` with a bar and the verdicts so far, model by model."""
    words = f"{done:,} of {planned:,} mutants judged"
    text = tag("span", words, f" \u00b7 {state}" if state else "", class_="progress-words")
    bar = tag("progress", value=done, max=max(planned, 1), aria_label=words)
    rows = [_counts(model, tally, len(counts) > 1) for model, tally in counts.items()]
    return tag("div", tag("div", text, bar), *rows, role="status", class_="progress")


def over_budget(check: TestResult) -> str:
    """What a scan left out when its requests were used up; empty where it left out nothing."""
    answers = (j.prediction for judged in check.outcomes.values() for j in judged)
    left = sum(a is not None and a.failure is Failure.OVER_BUDGET for a in answers)
    if not left:
        return ""
    return (
        f"; the requests are used up, {left:,} mutants were not asked about: raise their number "
        "in More settings and scan again, what was answered is kept"
    )


def _counts(model: str, tally: Mapping[str, int], named: bool) -> Markup:
    chips = [
        tag("li", f"{SIGNS[v]} {tally.get(v.value, 0):,} {v.value}", class_=_count_class(v, tally))
        for v in SEVERITY
        if tally.get(v.value, 0) or v is Verdict.HIDDEN
    ]
    head = tag("li", model, class_="count model") if named else None
    return tag("ul", head, *chips, class_="counts", aria_label=f"Verdicts of {model}")


def _count_class(verdict: Verdict, tally: Mapping[str, int]) -> str:
    return f"count {verdict.value}" if tally.get(verdict.value) else "count"


def rejected_list(rejected: Sequence[RejectedOccurrence], most: int = 12) -> Markup:
    """Terms that do not count, each with its reason as text."""
    if not rejected:
        return Markup("")
    items = [
        tag(
            "li",
            tag("s", isolated(r.occurrence.surface)),
            tag("span", f" {name_of(r.occurrence.attribute)}", class_="quiet"),
            ": ",
            _reason(r),
        )
        for r in rejected[:most]
    ]
    if len(rejected) > most:
        items.append(tag("li", f"\u2026 and {len(rejected) - most} more"))
    return tag("ul", join(items), class_="rejected-list", aria_label="Terms that do not count")


def _reason(rejected: RejectedOccurrence) -> str:
    surface = f"\u201c{rejected.occurrence.surface}\u201d"
    reason = rejected.reason
    return reason if surface in reason else f"{surface} {reason}"


def working(words: str, seconds: int) -> Markup:
    """A line that says what is under way, and for how long."""
    dot = tag("span", class_="pulse", aria_hidden="true")
    since = tag("span", f" {seconds} s", aria_hidden="true", class_="quiet-inline")
    return tag("p", dot, isolated(words), since if seconds else None, role="status",
               class_="working")  # fmt: skip
