"""Sections of a report: errors by model, true and false positives, and what single changes miss.

Shapes of HInter, Table 9 (errors and hidden errors, a column for each model), Figures 7, 8 and 10.
"""

from __future__ import annotations

from collections.abc import Iterable

from hinter_core.report import Line, ModelReport, Report
from hinter_core.report_positives import Pie, Positives
from hinter_core.report_section import Section, percent
from hinter_core.statistics import Rate, in_words
from hinter_core.tally_parts import NO_PART_ERRS, WHOLE_ERRS

_ASK = (
    "No model was asked about discarded mutants. A campaign with discarded: true (--discarded) "
    "asks, and counts the false positives that the invariant spares."
)
_NOTE = (
    "A false positive is a changed answer to a mutant that the invariant discarded, as the paper "
    "counts them; nobody judged these mutants one by one."
)


def by_model(report: Report) -> Iterable[Section]:
    """Errors (I) and hidden errors (H) with a column for each model and one for all of them."""
    if len(report.models) < 2:
        return
    lines = [(line.name, line.attributes) for line in report.models[0].lines if line.order != 1]
    rows = []
    for name, attributes in [*lines, ("intersectional", ())]:
        own = [_line_of(model, name, attributes) for model in report.models]
        for metric, rates in (
            ("I", [line.errors for line in own]),
            ("H", [line.hidden or Rate(0, 0) for line in own]),
        ):
            total = Rate(sum(r.hits for r in rates), sum(r.of for r in rates))
            rows.append([name, metric, *(percent(rate) for rate in rates), percent(total)])
    words = [
        "I: errors, of cases. H: hidden ones, of errors. All models: the cases of all of them put "
        "together, without an interval, since models answer on the same texts.",
    ]
    columns = ["Attributes", "Metric", *(model.model for model in report.models), "All models"]
    yield Section("by-model", "Models side by side", words, columns, rows)


def _line_of(model: ModelReport, name: str, attributes: tuple[str, ...]) -> Line:
    for line in model.lines:
        if attributes and (line.name, line.attributes) == (name, attributes):
            return line
    return model.intersectional


def invariant(model: ModelReport) -> Iterable[Section]:
    """Kept and discarded mutants; true and false positives where discarded ones were asked."""
    if not any(found.kept + found.discarded for found in model.positives):
        return
    asked = any(found.asked for found in model.positives)
    columns = ["Mutants", "Kept", "Discarded", "Discarded, of all"]
    if asked:
        columns += ["True positives", "False positives", "False, of errors", "Error rate with it",
                    "Error rate without it"]  # fmt: skip
    rows = []
    for found in model.positives:
        total = found.kept + found.discarded
        row = [found.name, f"{found.kept:,}", f"{found.discarded:,}",
               percent(Rate(found.discarded, total))]  # fmt: skip
        if asked:
            row += [f"{found.true.hits:,} of {found.true.of:,}",
                    f"{found.false.hits:,} of {found.false.of:,}", percent(found.fake),
                    percent(found.true), percent(found.without)]  # fmt: skip
        rows.append(row)
    sentences = [positives_in_words(found) for found in model.positives]
    sentences.append(_NOTE if asked else _ASK)
    title = "With and without the invariant"
    yield Section("invariant", title, sentences, columns, rows, model.model)


def positives_in_words(found: Positives) -> str:
    """What the invariant spares, in one or two sentences."""
    total = found.kept + found.discarded
    words = f"{found.name}: of {total:,} mutants the invariant kept {found.kept:,} and discarded "
    words += f"{found.discarded:,}."
    if not found.asked:
        return words
    words += f" Kept ones show {found.true.hits:,} errors, discarded ones {found.false.hits:,}"
    if not found.fake.of:
        return words + "."
    words += f": without the invariant {in_words(found.fake)} errors would be false"
    if found.true.hits and found.false.hits:
        words += f", {found.false.hits / found.true.hits:.1f} for each true one"
    return words + "."


def pies(model: ModelReport) -> Iterable[Section]:
    """What errors of one kind have in common with those of the other."""
    if not model.pies:
        return
    rows = [
        [pie.name, slice_, f"{many:,}", percent(Rate(many, sum(pie.slices.values())))]
        for pie in model.pies
        for slice_, many in sorted(pie.slices.items(), key=lambda item: -item[1])
    ]
    sentences = [pie_in_words(pie) for pie in model.pies if not pie.attributes]
    columns = ["Errors of", "What the others show", "Errors", "Share"]
    title = "Errors of single and of combined changes"
    yield Section("pies", title, sentences, columns, rows, model.model)


def pie_in_words(pie: Pie) -> str:
    """What testing the other kind of mutants misses, or finds too."""
    total = sum(pie.slices.values())
    if pie.kind == "intersectional":
        rate = Rate(pie.slices.get(NO_PART_ERRS, 0), total)
        return (
            f"{in_words(rate)} intersectional errors have parts that are all benign: whoever "
            "changes one attribute at a time does not see them."
        )
    rate = Rate(pie.slices.get(WHOLE_ERRS, 0), total)
    return (
        f"{in_words(rate)} atomic errors come back when more attributes change with them: whoever "
        "tests combinations only sees these too."
    )
