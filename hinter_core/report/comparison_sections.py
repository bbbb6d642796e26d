"""A comparison in words and tables."""

from __future__ import annotations

from typing import Any

from hinter_core.report.comparison import FIXED, NEW, Comparison, Contrast
from hinter_core.report.section import Section
from hinter_core.report.sections import example_row
from hinter_core.statistics.format import (
    difference_in_words,
    p_in_words,
    percent,
    points,
    rate_in_words,
)
from hinter_core.statistics.rates import Difference
from hinter_core.types import Verdict

_DASH = "\u2013"
_WHAT = {
    FIXED: "Errors of the first that the second does not make.",
    NEW: "Errors of the second that the first does not make.",
}


def comparison_sections(found: Comparison) -> list[Section]:
    """All sections, in the order in which they are read."""
    sections = [_overview(found), _main(found)]
    if found.paired:
        sections.append(_verdicts(found))
    for kind in (FIXED, NEW):
        rows = [change for change in found.changes if change["change"] == kind]
        if rows:
            sections.append(_changes(kind, rows))
    return sections


def _overview(found: Comparison) -> Section:
    sentences = [f"First: {found.first}. Second: {found.second}."]
    if found.paired:
        sentences.append(
            f"Both have {found.shared:,} mutants in common, of {found.mutants[0]:,} of the first "
            f"and {found.mutants[1]:,} of the second; {found.cases:,} of these were kept and "
            "answered on both sides. Only these are compared."
        )
    else:
        sentences.append(
            "No mutant is in both with an answer, so rates of different texts stand side by side; "
            "a difference may come from the texts as well as from the models."
        )
    both = {line.name: line for line in found.lines}
    sentences += [contrast_in_words(both[n]) for n in ("intersectional", "atomic") if n in both]
    return Section("overview", "Comparison", sentences)


def contrast_in_words(line: Contrast) -> str:
    """What one line shows, in sentences."""
    first, second = line.errors
    words = (
        f"{line.name}: {rate_in_words(first)} changed the first's answer and "
        f"{rate_in_words(second)} the "
        f"second's: {_second_is(line.difference)}."
    )
    if line.fixed is not None and line.p_value is not None and line.texts_p_value is not None:
        words += (
            f" {line.fixed:,} mutants are fixed and {line.broken:,} newly biased (exact McNemar "
            f"test, p {p_in_words(line.p_value)}); by texts, {line.texts_fixed:,} are rid of every "
            f"error and {line.texts_broken:,} have one where they had none "
            f"(p {p_in_words(line.texts_p_value)})."
        )
    if line.hidden and line.hidden_difference:
        words += (
            f" Hidden are {rate_in_words(line.hidden[0])} and "
            f"{rate_in_words(line.hidden[1])} of cases: "
            f"{_second_is(line.hidden_difference)}."
        )
    return words


def _second_is(difference: Difference) -> str:
    if difference.value == 0:
        words = difference_in_words(difference).removeprefix("0.0 points higher")
        return "no difference" + words
    return f"the second is {difference_in_words(difference)}"


def _main(found: Comparison) -> Section:
    columns = ["Attributes", "Cases", "First", "Second", "Difference", "Hidden, first",
               "Hidden, second", "Difference of hidden"]  # fmt: skip
    if found.paired:
        columns += ["Fixed", "Newly biased", "p, mutants", "p, texts"]
    rows, sentences = [], []
    for line in found.lines:
        hidden = line.hidden or (None, None)
        cases = sorted({rate.of for rate in line.errors})
        row = [
            line.name,
            " / ".join(f"{many:,}" for many in cases),
            *map(percent, line.errors),
            points(line.difference),
            *(percent(rate) if rate else "" for rate in hidden),
            points(line.hidden_difference) if line.hidden_difference else "",
        ]
        if found.paired:
            row += [f"{line.fixed:,}", f"{line.broken:,}", _p(line.p_value), _p(line.texts_p_value)]
        rows.append(row)
        if line.name not in ("intersectional", "atomic"):
            sentences.append(contrast_in_words(line))
    note = (
        "A difference is the second's rate minus the first's, in points of a hundred. Intervals "
        "are of 95 % and draw whole texts anew. Hidden is counted of all cases here."
    )
    if found.paired:
        note += (
            " McNemar's test over mutants takes those of one text for independent; the one over "
            "texts does not need to."
        )
    return Section("main", "Error rates side by side", [note, *sentences], columns, rows)


def _p(value: float | None) -> str:
    return _DASH if value is None else p_in_words(value).removeprefix("= ")


def _verdicts(found: Comparison) -> Section:
    names = [verdict.value for verdict in Verdict]
    rows = [
        [first, *(f"{found.verdicts.get((first, second), 0):,}" for second in names)]
        for first in names
    ]
    same = sum(many for (a, b), many in found.verdicts.items() if a == b)
    total = sum(found.verdicts.values())
    words = f"{same:,} of {total:,} shared mutants, placebo left out, have the same verdict twice."
    columns = ["First \u2193 second \u2192", *names]
    return Section("verdicts", "Verdicts against verdicts", [words], columns, rows)


def _changes(kind: str, changes: list[dict[str, Any]]) -> Section:
    rows = [list(change_row(change).values()) for change in changes]
    columns = [name.capitalize() for name in change_row(changes[0])]
    words = f"{_WHAT[kind]} At most one of each text and attributes is shown."
    title = "Fixed" if kind == FIXED else "Newly biased"
    return Section(kind.replace(" ", "-"), title, [words], columns, rows)


def change_row(change: dict[str, Any]) -> dict[str, str]:
    """A changed mutant as text."""
    whole = {"original": change["originals"][0], "labels": change["labels"][0], **_base(change)}
    first = example_row(whole)
    second = example_row(
        {**whole, "original": change["originals"][1], "labels": change["labels"][1]}
    )
    return {
        "row": first["row"],
        "change": first["change"],
        "first": first["answer"],
        "second": second["answer"],
        "text": first["text"],
        "mutant": first["mutant"],
    }


def _base(change: dict[str, Any]) -> dict[str, Any]:
    return {name: change[name] for name in ("text", "edits", "mutant", "row")}
