"""Describe a report in sections of sentences and tables, for terminal, Markdown and the page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import NOTHING, TESTED, UNUSABLE
from hinter_core.campaign.tables import edit_from_row
from hinter_core.mutation.edits import mutant_of
from hinter_core.report.aggregate import NO_PART_ERRS, WHOLE_ERRS
from hinter_core.report.discards import discards_sections
from hinter_core.report.excess import excess_section
from hinter_core.report.model import (
    ALPHA,
    Coverage,
    GroupRate,
    ModelReport,
    Pie,
    Positives,
    Reach,
    Report,
    ReportRow,
    WordEffect,
)
from hinter_core.report.section import Section, joined
from hinter_core.report.validity import people_sections, validity_sections
from hinter_core.statistics.format import (
    p_in_short,
    percent,
    rate_in_words,
)
from hinter_core.statistics.rates import Rate
from hinter_core.types import HiddenGrade, Verdict


def _reach(campaign: Campaign, lines: Sequence[Reach]) -> Section:
    words = ["Share of the possible intersectional mutants that were tested."]
    if campaign.limit is not None:
        each = "per text and order" if campaign.guide else "per text"
        words.append(f"Maximum {campaign.limit:,} {each}, drawn with seed {campaign.seed}.")
    if campaign.guide:
        words.append(
            f"Order 3 and higher: the answers of {campaign.guide} to smaller changes predict which "
            "mutants lie closest to another answer, and only these were tested. Their rates are "
            "not those of all mutants; placebo mutants were chosen in the same way."
        )
    rows = [
        [str(r.order), f"{r.tested:,}", f"{r.possible:,}", f"{r.tested / r.possible:.2%}"]
        for r in lines
    ]
    columns = ["Order", "Tested", "Possible", "Share"]
    return Section("reach", "Tested share of the possible mutants", words, columns, rows)


def _coverage(lines: Sequence[Coverage]) -> Section:
    rows = []
    for line in lines:
        met, possible = line.groups
        for attribute, (made, kept, held) in line.pairs.items():
            rows.append(
                [joined(line.attributes), attribute, f"{made:,} of {held:,}",
                 f"{100 * made / held:.1f} %" if held else "\u2013", f"{kept:,}",
                 f"{met:,} of {possible:,}"]
            )  # fmt: skip
    if not lines:
        none = (
            "No dictionary to cover: handwritten mutants use none, and an older campaign "
            "records its dictionaries when it is resumed."
        )
        return Section("coverage", "Coverage", [none])
    columns = ["Attributes", "Dictionary", "Word pairs used", "Share", "Kept at least once",
               "Groups used"]  # fmt: skip
    words = (
        "Word pairs of the dictionaries that at least one mutant used, and combinations of groups "
        "that texts were changed to."
    )
    return Section("coverage", "Coverage", [words], columns, rows)


_AROUND = 90  # characters of a long text shown on either side of a change
_NAMED = 20  # rows named one by one
_DOTS = "\u2026"
_ARROW = " \u2192 "


def sections(report: Report) -> list[Section]:
    """Return all sections in reading order."""
    makers = (
        _flow, invariant, _excess, pies, _truth, _overlap, _groups, _turns, _examples, _failures,
    )  # fmt: skip
    return [
        _overview(report),
        _main(report),
        *by_model(report),
        *(
            replace(section, model=model.model)
            for model in report.models
            for make in makers
            for section in make(model)
            if section.rows
        ),
        *people_sections(report.people),
        *validity_sections(report.validity),
        _reach(report.campaign, report.reach),
        _coverage(report.coverage),
        *discards_sections(report.discards),
        _unused(report),
    ]


def _overview(report: Report) -> Section:
    campaign, texts = report.campaign, report.texts
    sample = f"a sample of {campaign.sample:,} texts" if campaign.sample else "all texts"
    limit = f", maximum {campaign.limit:,} mutants per text" if campaign.limit else ""
    what = f"{', '.join(campaign.attributes)}, up to order {campaign.order}{limit}"
    if campaign.mutants:
        what = "handwritten mutants"
    sentences = [
        f"Data: {campaign.title}, {sample}, {what}, seed {campaign.seed}, "
        f"parser {campaign.parser}, campaign {report.identity}.",
        f"Of {texts.total():,} texts, {texts[TESTED]:,} were tested, {texts[NOTHING]:,} had "
        f"nothing to test and {texts[UNUSABLE]:,} could not be used."
        if texts
        else "No text has been tested yet: run or resume the campaign.",
    ]
    if report.labels:
        several = f"{report.labels:,} different labels" if report.labels > 1 else "one label"
        sentences.append(f"The texts have {several}.")
    if not report.models:
        sentences.append("No model has been tested yet.")
    sentences += [f"{m.model}: {line_in_words(m.intersectional)}" for m in report.models]
    return Section("overview", "Overview", sentences)


def line_in_words(line: ReportRow) -> str:
    """Describe one row of the main table in sentences."""
    errors, texts = line.errors, line.sources
    words = f"{rate_in_words(errors)} {line.name} mutants flipped the answer"
    if not errors.of:
        words = f"No {line.name} mutant was kept and answered"
    elif line.hidden and line.hidden.of:
        words += (
            f"; of these, {rate_in_words(line.hidden)} are hidden: no smaller change reveals them"
        )
        if line.grades:
            words += f" ({grades_in_words(line.grades)})"
    if texts.of:
        words += f". {rate_in_words(texts)} original texts have an error"
    if line.discarded.of:
        words += f". {rate_in_words(line.discarded)} mutants were discarded"
    lost = line.verdicts[Verdict.UNANSWERED.value]
    if lost:
        words += f", {lost:,} had no answer"
    return words + "."


def grades_in_words(grades: Mapping[str, int]) -> str:
    """Format ``12 more than the sum, 3 at the threshold``."""
    named = [(str(grade), grades.get(grade, 0)) for grade in HiddenGrade]
    named.append(("without scores to tell", grades.get("", 0)))
    return ", ".join(f"{number:,} {name}" for name, number in named if number)


def _main(report: Report) -> Section:
    columns = ["Model", "Attributes", "Mutants", "Cases", "Error rate", "Hidden, of errors",
               "Discarded", "Texts with errors"]  # fmt: skip
    rows, sentences = [], []
    for model in report.models:
        for line in lines_of(model):
            rows.append(
                [
                    model.model,
                    line.name,
                    f"{line.mutants:,}",
                    f"{line.errors.of:,}",
                    percent(line.errors),
                    percent(line.hidden) if line.hidden else "",
                    percent(line.discarded),
                    f"{line.sources.hits:,} of {line.sources.of:,}, {percent(line.sources)}",
                ]
            )
            sentences.append(f"{model.model}, {line.name}: {line_in_words(line)}")
    note = (
        "A case is a mutant that the invariant kept and the model answered. Intervals are 95 % "
        "intervals. Those of mutants count texts, as mutants of one text are not independent."
    )
    return Section("main", "Error rates", [note, *sentences], columns, rows)


def lines_of(model: ModelReport) -> list[ReportRow]:
    """Return all rows of the main table: sets of attributes, their sums, placebo."""
    return [*model.lines, model.atomic, model.intersectional, *model.placebo]


def _flow(model: ModelReport) -> Iterable[Section]:
    names = [verdict.value for verdict in Verdict]
    both = (model.atomic, model.intersectional)
    rows = [[line.name, *(f"{line.verdicts[n]:,}" for n in names)] for line in both]
    total = model.atomic.mutants + model.intersectional.mutants
    lost = sum(line.verdicts[Verdict.DISCARDED.value] for line in both)
    hidden = model.intersectional.verdicts[Verdict.HIDDEN.value]
    words = (
        f"Of {total:,} mutants, {lost:,} were discarded because a sentence parses differently "
        f"after the change; {hidden:,} show bias that appears only when several attributes change."
    )
    columns = ["Mutants", *(name.capitalize() for name in names)]
    yield Section("flow", "Verdicts of the mutants", [words], columns, rows)


def _excess(model: ModelReport) -> Iterable[Section]:
    yield excess_section(model.excess)


def _truth(model: ModelReport) -> Iterable[Section]:
    rows, sentences = [], []
    for truth in model.truths:
        total = sum(truth.rows.values())
        name = joined(truth.attributes)
        for whole, first, second in product((False, True), repeat=3):
            number = truth.rows.get((whole, first, second), 0)
            cells = ["bias" if flips else "\u2013" for flips in (whole, first, second)]
            rows.append([name, *cells, f"{number:,}", f"{100 * number / total:.2f} %"])
        sentences.append(
            f"{name}: {truth.only_whole:,} of {total:,} mutants flip the answer although neither "
            f"part does; {truth.only_part:,} do not although a part does."
        )
    columns = ["Attributes", "Together", "First alone", "Second alone", "Mutants", "Share"]
    yield Section("truth", "Truth table: together and alone", sentences, columns, rows)


def _overlap(model: ModelReport) -> Iterable[Section]:
    columns = ["Attributes", "Only alone", "Both", "Only together", "Neither"]
    rows = [
        [joined(o.attributes), *(f"{n:,}" for n in (o.only_atomic, o.both, o.only_together,
                                                  o.neither))]
        for o in model.overlaps
    ]  # fmt: skip
    sentences = [
        f"{joined(o.attributes)}: of {o.only_atomic + o.both + o.only_together + o.neither:,} "
        f"texts, {o.only_together:,} show bias only when the attributes change together, "
        f"{o.only_atomic:,} only when one changes, {o.both:,} in both cases."
        for o in model.overlaps
    ]
    title = "Texts with errors: one change or several"
    yield Section("overlap", title, sentences, columns, rows)


def _groups(model: ModelReport) -> Iterable[Section]:
    rows, sentences = [], []
    for attributes, groups in by_attributes(model.groups).items():
        above = [g for g in groups if g.above]
        sure = [g for g in above if g.p_value < ALPHA]
        names = ", ".join(joined(g.groups) for g in sorted(sure, key=lambda g: g.p_value)[:12])
        strict = [g for g in groups if g.hidden_p_value is not None and g.hidden_p_value < ALPHA]
        hidden = ", ".join(joined(g.groups) for g in strict[:12])
        rows.append(
            [joined(attributes), f"{100 * groups[0].mean:.1f}\u00a0%",
             f"{len(above)}/{len(groups)}", f"{len(sure)}/{len(groups)}", names or "\u2013",
             (hidden or "\u2013") if len(attributes) > 1 else ""]
        )  # fmt: skip
        sentences.append(
            f"{joined(attributes)}: {len(above)} of {len(groups)} groups lie above their mean of "
            f"{100 * groups[0].mean:.1f} %, {len(sure)} of them significantly."
        )
        if strict:
            sentences.append(
                f"{joined(attributes)}: hidden bias, which no part explains, is significantly "
                f"more frequent than the mean in {len(strict)}: {hidden}."
            )
    sentences.append(
        "Above the mean is the published criterion (GAB for one attribute, GIB for several). "
        f"Significant: p below {ALPHA} in a one-sided test against the mean, adjusted for all "
        "groups (Benjamini and Hochberg) and for the similarity of mutants of one text (Rao and "
        "Scott). A group with a single text has p = 1. Hidden bias is tested likewise."
    )
    columns = ["Attributes", "Mean", "Above it", "Significant", "Significant groups",
               "Significant, hidden"]  # fmt: skip
    yield Section("groups", "Groups", sentences, columns, rows)
    every = [
        [joined(g.attributes), joined(g.groups), f"{g.errors.hits:,}", f"{g.errors.of:,}",
         f"{g.texts:,}", percent(g.errors), "yes" if g.above else "no",
         p_in_short(g.p_value),
         f"{g.hidden.hits:,}" if g.hidden else "",
         "" if g.hidden_p_value is None else p_in_short(g.hidden_p_value)]
        for g in model.groups
    ]  # fmt: skip
    columns = ["Attributes", "Changed to", "Errors", "Cases", "Texts", "Error rate",
               "Above", "Adjusted p", "Hidden", "Adjusted p, hidden"]  # fmt: skip
    yield Section("every-group", "Every group", [], columns, every)


def by_attributes(groups: Iterable[GroupRate]) -> dict[tuple[str, ...], list[GroupRate]]:
    """Sort the rates of groups by the attributes that change."""
    found: dict[tuple[str, ...], list[GroupRate]] = {}
    for group in groups:
        found.setdefault(group.attributes, []).append(group)
    return found


def _turns(model: ModelReport) -> Iterable[Section]:
    for key, title, turns in (
        ("words", "Word pairs with the highest error rates", model.words),
        ("directions", "Group pairs with the highest error rates", model.directions),
    ):
        rows = [
            [t.attribute, t.source + _ARROW + t.target, str(t.errors.hits), str(t.errors.of),
             percent(t.errors)]
            for t in turns
        ]  # fmt: skip
        columns = ["Attribute", "Change", "Errors", "Cases", "Error rate"]
        yield Section(key, title, list(map(_worst, turns[:1])), columns, rows)


def _worst(turn: WordEffect) -> str:
    return (
        f"{turn.source}{_ARROW}{turn.target}, alone, flipped the answer in "
        f"{rate_in_words(turn.errors)} cases. Listed by the lower end of the interval."
    )


def _examples(model: ModelReport) -> Iterable[Section]:
    words = [
        "In each, no smaller change turns the answer, and the whole change does.",
        f"{str(HiddenGrade.MORE).capitalize()}: the changes together move the score further than "
        f"the sum of each alone. {str(HiddenGrade.THRESHOLD).capitalize()}: the parts add up, and "
        "their sum just crosses the threshold.",
    ]
    columns, rows = table_of(map(example_row, model.examples))
    yield Section("examples", "Hidden bias", words, columns, rows)


def table_of(rows: Iterable[dict[str, str]]) -> tuple[list[str], list[list[str]]]:
    """Return columns and cells of rows that have the same keys."""
    found = list(rows)
    return [name.capitalize() for row in found[:1] for name in row], [[*r.values()] for r in found]


def example_row(example: Mapping[str, Any]) -> dict[str, str]:
    """Return a hidden mutant as text; long texts are cut around the change."""
    text = example["text"]
    edits = [edit_from_row(row) for row in example["edits"]]
    mutant = mutant_of(text, edits, example["mutant"])
    first, last = mutant.splices[0], mutant.splices[-1]
    return {
        "row": str(example["row"]),
        "change": ", ".join(e.in_words for e in edits),
        "answer": _labels(example["original"]) + _ARROW + _labels(example["labels"]),
        **({"hidden": example["grade"] or "\u2013"} if "grade" in example else {}),
        "text": _cut(text, first.start, last.end),
        "mutant": _cut(mutant.text, first.at, last.at + len(last.new)),
    }


def _labels(labels: Sequence[str] | None) -> str:
    return ", ".join(labels or ()) or "no label"


def _cut(text: str, start: int, end: int) -> str:
    begin, stop = max(0, start - _AROUND), end + _AROUND
    cut = text[begin:stop]
    if len(cut) > 6 * _AROUND:  # changes far apart
        cut = text[begin : start + _AROUND] + _DOTS + text[end - _AROUND : stop]
    return (_DOTS * (begin > 0) + cut + _DOTS * (stop < len(text))).replace("\n", " ")


def _failures(model: ModelReport) -> Iterable[Section]:
    rows = [[name, f"{number:,}"] for name, number in model.failures.most_common()]
    words = f"{model.failures.total():,} mutants had no usable answer; they count in no rate."
    yield Section("failures", "No answer", [words], ["Reason", "Mutants"], rows)


def _unused(report: Report) -> Section:
    number = report.texts[UNUSABLE]
    words = f"{number:,} rows could not be used." if number else "Every row could be used."
    if not report.texts:
        words = "No row has been read yet."
    if number > _NAMED:
        words += f" The first {_NAMED} are:"
    rows = [[str(f.row), f.id, f.reason] for f in report.faults[:_NAMED]]
    sentences = [words, _repeated(report.repeated)] if report.repeated else [words]
    return Section("unused", "Rows", sentences, ["Row", "Id", "Reason"], rows)


def _repeated(ids: Mapping[str, int]) -> str:
    named = ", ".join(f"{ident} ({number:,} times)" for ident, number in list(ids.items())[:_NAMED])
    more = f" and {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else ""
    what = "One id is" if len(ids) == 1 else f"{len(ids):,} ids are"
    return f"{what} not unique: {named}{more}. All these rows count, each by its row number."


_ASK = (
    "Discarded mutants were not put to the models. A campaign with discarded: true (--discarded) "
    "does so and counts the false positives that the invariant avoids."
)
_NOTE = (
    "A false positive is a flipped answer to a mutant that the invariant discarded. This is the "
    "paper's definition; no person judged these mutants."
)


def by_model(report: Report) -> Iterable[Section]:
    """Report errors (I) and hidden errors (H), a column per model and one for all models."""
    if len(report.models) < 2:
        return
    first, nothing, rows = report.models[0], Rate(0, 0), []
    lines = [{line.name: line for line in lines_of(model)} for model in report.models]
    for name in (*(line.name for line in first.lines if line.order != 1), "intersectional"):
        own = [by_name.get(name) for by_name in lines]
        for metric, rates in (
            ("I", [line.errors if line else nothing for line in own]),
            ("H", [line.hidden or nothing if line else nothing for line in own]),
        ):
            total = Rate(sum(r.hits for r in rates), sum(r.of for r in rates))
            rows.append([name, metric, *map(percent, rates), percent(total)])
    words = [
        "I: errors, of cases. H: hidden errors, of errors. All models: their cases added up, "
        "without an interval, as the models answer the same texts."
    ]
    columns = ["Attributes", "Metric", *(model.model for model in report.models), "All models"]
    yield Section("by-model", "Models side by side", words, columns, rows)


def invariant(model: ModelReport) -> Iterable[Section]:
    """Report kept and discarded mutants, and true and false positives where both were tested."""
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
    sentences = [_positives_in_words(found) for found in model.positives]
    sentences.append(_NOTE if asked else _ASK)
    yield Section("invariant", "With and without the invariant", sentences, columns, rows)


def _positives_in_words(found: Positives) -> str:
    total = found.kept + found.discarded
    words = f"{found.name}: of {total:,} mutants the invariant kept {found.kept:,} and discarded "
    words += f"{found.discarded:,}."
    if not found.asked:
        return words
    words += f" Kept ones show {found.true.hits:,} errors, discarded ones {found.false.hits:,}"
    if not found.fake.of:
        return words + "."
    words += f": without the invariant {rate_in_words(found.fake)} errors would be false"
    if found.true.hits and found.false.hits:
        words += f", {found.false.hits / found.true.hits:.1f} for each true one"
    return words + "."


def pies(model: ModelReport) -> Iterable[Section]:
    """Report which errors of single changes recur in combinations, and the reverse."""
    rows = [
        [pie.name, slice_, f"{number:,}", percent(Rate(number, sum(pie.slices.values())))]
        for pie in model.pies
        for slice_, number in sorted(pie.slices.items(), key=lambda item: -item[1])
    ]
    sentences = [_pie_in_words(pie) for pie in model.pies if not pie.attributes]
    columns = ["Errors of", "Mutants of the other kind", "Errors", "Share"]
    yield Section("pies", "Errors of single and combined changes", sentences, columns, rows)


def _pie_in_words(pie: Pie) -> str:
    total = sum(pie.slices.values())
    if pie.kind == "intersectional":
        rate = Rate(pie.slices.get(NO_PART_ERRS, 0), total)
        return (
            f"{rate_in_words(rate)} intersectional errors have only benign parts: a test of one "
            "attribute at a time misses them."
        )
    rate = Rate(pie.slices.get(WHOLE_ERRS, 0), total)
    return (
        f"{rate_in_words(rate)} atomic errors recur when more attributes change with them: a test "
        "of combinations alone finds these as well."
    )
