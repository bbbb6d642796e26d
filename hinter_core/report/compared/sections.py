"""Describe a comparison in sentences and tables."""

from typing import Any

from hinter_core.report.compared.comparison import (
    BOTH,
    NEITHER,
    ONLY_FIRST,
    ONLY_SECOND,
    Comparison,
    Contrast,
)
from hinter_core.report.metrics.examples import example_row, table_of
from hinter_core.report.section import Cell, PValue, Rows, Section
from hinter_core.statistics.format import (
    NO_SIDE,
    counted,
    difference_in_words,
    p_in_words,
    rate_in_words,
)
from hinter_core.statistics.rates import Difference
from hinter_core.types import Verdict

_WHAT = {
    ONLY_FIRST: "Errors of model A that model B does not make.",
    ONLY_SECOND: "Errors of model B that model A does not make.",
}

# Which model is the better one is known of a model and its repair, not of any two.
_TITLES = {ONLY_FIRST: "Errors of model A alone", ONLY_SECOND: "Errors of model B alone"}
_OF_VERSIONS = {ONLY_FIRST: "Fixed in model B", ONLY_SECOND: "Newly biased in model B"}


def comparison_sections(comparison: Comparison) -> list[Section]:
    """Return all sections in reading order."""
    sections = [_overview(comparison), _main(comparison)]
    if comparison.paired:
        sections += [_cells(comparison), _verdicts(comparison)]
    for kind in (ONLY_FIRST, ONLY_SECOND):
        rows = [change for change in comparison.changes if change["change"] == kind]
        if rows:
            title = (_OF_VERSIONS if comparison.versions else _TITLES)[kind]
            every = counted(comparison.cells[kind], "mutant")
            words = (
                f"{_WHAT[kind]} One example is shown per text and set of attributes, hidden ones "
                f"first: {len(rows):,} of {every}. hinter compare --changes writes all."
            )
            table = table_of(map(change_row, rows))
            sections.append(Section(kind.replace(" ", "-"), title, [words], *table))
    return sections


def _overview(pair: Comparison) -> Section:
    sentences = [f"Model A: {pair.first}. Model B: {pair.second}."]
    sentences += [*pair.missing, *pair.settings]
    if pair.paired:
        sentences.append(
            f"They share {pair.shared:,} mutants, of {pair.mutants[0]:,} of model A and "
            f"{pair.mutants[1]:,} of model B. Only the {pair.cases:,} that were kept, and "
            "answered by both, are compared."
        )
        alone = [tested - pair.cases for tested in pair.tested]
        if any(alone):
            sentences.append(
                f"Tested mutants of one side alone, in no figure below: {alone[0]:,} of model A, "
                f"{alone[1]:,} of model B."
            )
    else:
        few = f"only {pair.shared:,} of {min(pair.mutants):,} mutants"
        sentences.append(
            f"They share {few if pair.shared else 'no answered mutant'}, so the rates are those of "
            "different mutants: a difference may come from the texts as well as from the models. "
            "Only attributes that both changed are compared."
        )
    both = {line.name: line for line in pair.lines}
    sentences += [contrast_in_words(both[n]) for n in ("intersectional", "atomic") if n in both]
    return Section("overview", "Comparison", sentences)


def contrast_in_words(line: Contrast) -> str:
    """Describe one row in sentences."""
    first, second = line.errors
    words = (
        f"{line.name}: {rate_in_words(first)} changed the answer of model A and "
        f"{rate_in_words(second)} that of model B: {_second_is(line.difference)}."
    )
    if line.fixed is not None and line.p_value is not None:
        are = "is an error" if line.fixed == 1 else "are errors"
        words += (
            f" {counted(line.fixed, 'mutant')} {are} of model A alone and {line.broken:,} of model "
            f"B alone. Texts with an error of model A alone: {line.texts_fixed:,}; of model B "
            f"alone: {line.texts_broken:,} (exact McNemar test of texts, p "
            f"{p_in_words(line.p_value)})."
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
        words = difference_in_words(difference).removeprefix(NO_SIDE)
        return "no difference" + words
    return f"model B is {difference_in_words(difference)}"


def _main(pair: Comparison) -> Section:
    columns = ["Attributes", "Cases", "Model A", "Model B", "Difference", "Hidden, A",
               "Hidden, B", "Difference of hidden"]  # fmt: skip
    if pair.paired:
        columns += ["A alone", "B alone", "p", "Adjusted p"]
    rows: Rows = []
    sentences = []
    for line in pair.lines:
        hidden = line.hidden or (None, None)
        cases = dict.fromkeys(rate.of for rate in line.errors)  # model A's first
        row: list[Cell] = [
            line.name,
            " / ".join(f"{number:,}" for number in cases),
            *line.errors,
            line.difference,
            *(rate or "" for rate in hidden),
            line.hidden_difference or "",
        ]
        if pair.paired:
            ps = line.p_value, line.adjusted_p_value
            row += [line.fixed, line.broken, *(None if p is None else PValue(p) for p in ps)]
        rows.append(row)
        if line.name not in ("intersectional", "atomic"):
            sentences.append(contrast_in_words(line))
    note = (
        "A difference is the rate of model B minus that of model A, in percentage points. "
        "95 % intervals, computed over texts. Hidden errors are given as a share of all cases."
    )
    if pair.paired:
        note += (
            " p is that of an exact McNemar test of the texts with an error in one model only. It "
            "counts texts, and the interval counts mutants: they may disagree where few texts have "
            "many errors. Adjusted p is for the number of rows (Holm): among many rows, a low p "
            "alone may be chance."
        )
    return Section("main", "Error rates side by side", [note], columns, rows, in_words=sentences)


def _cells(pair: Comparison) -> Section:
    """Report which side errs, as a table of two by two."""
    cells = pair.cells
    rows: Rows = [
        ["model A errs", cells[BOTH], cells[ONLY_FIRST]],
        ["model A does not", cells[ONLY_SECOND], cells[NEITHER]],
    ]
    words = f"Compared mutants without placebo: {sum(cells.values()):,}."
    columns = ["", "model B errs", "model B does not"]
    return Section("two-by-two", "Which model errs", [words], columns, rows)


def _verdicts(pair: Comparison) -> Section:
    names = [verdict.value for verdict in Verdict]
    rows: Rows = [
        [first, *(pair.verdicts.get((first, second), 0) for second in names)] for first in names
    ]
    same = sum(number for (a, b), number in pair.verdicts.items() if a == b)
    total = sum(pair.verdicts.values())
    words = [
        f"{same:,} of {total:,} shared mutants (without placebo) have the same verdict in both."
    ]
    new, both = pair.newly_hidden
    if new:
        words.append(
            f"Hidden bias of model B alone: {counted(new, 'mutant')}. On {both:,} of these the "
            "answer of model A flips, too, but smaller changes show it."
        )
    columns = ["A \u2193 B \u2192", *names]
    return Section("verdicts", "Verdicts of both models", words, columns, rows)


def change_row(change: dict[str, Any]) -> dict[str, str]:
    """Return a changed mutant as text."""
    first, second = (
        example_row({**change, "original": original, "labels": labels, "shift": shift})
        for original, labels, shift in zip(
            change["originals"], change["labels"], change["shifts"], strict=True
        )
    )
    return {
        "row": first["row"],
        "change": first["change"],
        "model A": first["answer"],
        "model B": second["answer"],
        "text": first["text"],
        "mutant": first["mutant"],
    }
