"""A report as sections of sentences and tables of text.

Terminal, Markdown and the page show the same sections, so that they say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hinter_core.by_hand import mutant_of
from hinter_core.report import ALPHA, Group, Line, ModelReport, Report, Turn
from hinter_core.report_people import people_sections
from hinter_core.report_positive_tables import by_model, invariant, pies
from hinter_core.report_reach import coverage_section, reach_section
from hinter_core.report_section import Section, joined, percent
from hinter_core.report_validity import validity_sections
from hinter_core.shards import NOTHING, TESTED, UNUSABLE
from hinter_core.statistics import difference_in_words, in_words
from hinter_core.tables import edit_from_row
from hinter_core.types import Verdict

_AROUND = 90  # characters of a long text shown on either side of a change
_NAMED = 20  # rows named one by one
_DOTS = "\u2026"
_ARROW = " \u2192 "


def sections(report: Report) -> list[Section]:
    """All sections, in the order in which they are read."""
    found = [_overview(report), _main(report), *by_model(report)]
    for model in report.models:
        makers = (
            _flow,
            invariant,
            _excess,
            pies,
            _truth,
            _overlap,
            _groups,
            _turns,
            _examples,
            _failures,
        )
        found += [section for make in makers for section in make(model)]
    return [
        *found,
        *people_sections(report.people),
        *validity_sections(report.validity),
        reach_section(report.campaign, report.reach),
        coverage_section(report.coverage),
        _unused(report),
    ]


def _overview(report: Report) -> Section:
    campaign, texts = report.campaign, report.texts
    sample = f"a sample of {campaign.sample:,} texts" if campaign.sample else "all texts"
    limit = f", at most {campaign.limit:,} mutants a text" if campaign.limit else ""
    what = f"{', '.join(campaign.attributes)}, up to order {campaign.order}{limit}"
    if campaign.mutants:
        what = "mutants by hand"
    sentences = [
        f"Data: {campaign.title}, {sample}, {what}, seed {campaign.seed}, "
        f"parser {campaign.parser}, campaign {report.identity}.",
        f"Of {texts.total():,} texts, {texts[TESTED]:,} were tested, {texts[NOTHING]:,} had "
        f"nothing to test and {texts[UNUSABLE]:,} could not be used."
        if texts
        else "No text has been tested yet: run the campaign, or resume it.",
    ]
    if report.labels:
        several = f"{report.labels:,} different labels" if report.labels > 1 else "one label"
        sentences.append(f"The texts have {several}.")
    if not report.models:
        sentences.append("No model has been asked yet.")
    sentences += [f"{m.model}: {line_in_words(m.intersectional)}" for m in report.models]
    return Section("overview", "Overview", sentences)


def line_in_words(line: Line) -> str:
    """What one line shows, in sentences."""
    errors, texts = line.errors, line.sources
    words = f"{in_words(errors)} {line.name} mutants changed the answer"
    if not errors.of:
        words = f"No {line.name} mutant was kept and answered"
    elif line.hidden and line.hidden.of:
        words += f"; of these, {in_words(line.hidden)} are hidden: no smaller change shows them"
    if texts.of:
        words += f". {in_words(texts)} original texts are concerned"
    if line.discarded.of:
        words += f". {in_words(line.discarded)} mutants were discarded"
    lost = line.verdicts[Verdict.UNANSWERED.value]
    if lost:
        words += f", {lost:,} had no answer"
    return words + "."


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
        "A case is a mutant that the invariant kept and the model answered. Intervals are of 95 %; "
        "those over mutants draw whole texts anew, as mutants of one text are not independent."
    )
    return Section("main", "Error rates", [note, *sentences], columns, rows)


def lines_of(model: ModelReport) -> list[Line]:
    """All lines of the main table: sets of attributes, their sums, placebo."""
    return [*model.lines, model.atomic, model.intersectional, *model.placebo]


def _flow(model: ModelReport) -> Iterable[Section]:
    names = [verdict.value for verdict in Verdict]
    both = (model.atomic, model.intersectional)
    rows = [[line.name, *(f"{line.verdicts[n]:,}" for n in names)] for line in both]
    total = model.atomic.mutants + model.intersectional.mutants
    lost = sum(line.verdicts[Verdict.DISCARDED.value] for line in both)
    hidden = model.intersectional.verdicts[Verdict.HIDDEN.value]
    words = (
        f"Of {total:,} mutants {lost:,} were discarded, because a sentence parses differently "
        f"after the change; {hidden:,} show bias that only a change of several attributes shows."
    )
    columns = ["Mutants", *(name.capitalize() for name in names)]
    yield Section("flow", "What became of the mutants", [words], columns, rows, model.model)


def _excess(model: ModelReport) -> Iterable[Section]:
    if not model.excess:
        return
    sentences = [
        "Placebo changes are neutral; a model that turns on them is brittle, not biased."
    ] + [
        f"Order {e.order}: on the same texts {in_words(e.errors)} changed the answer, and "
        f"{in_words(e.placebo)} of placebo changes: {difference_in_words(e.difference)}."
        for e in model.excess
    ]
    rows = [
        [str(e.order), percent(e.errors), percent(e.placebo), difference_in_words(e.difference)]
        for e in model.excess
    ]
    columns = ["Order", "Error rate", "Placebo", "Excess"]
    yield Section("excess", "Beyond placebo", sentences, columns, rows, model.model)


def _truth(model: ModelReport) -> Iterable[Section]:
    if not model.truths:
        return
    rows, sentences = [], []
    for truth in model.truths:
        total = sum(truth.rows.values())
        name = joined(truth.attributes)
        for key in sorted({(w, a, b) for w in (0, 1) for a in (0, 1) for b in (0, 1)}):
            many = truth.rows.get((bool(key[0]), bool(key[1]), bool(key[2])), 0)
            cells = ["bias" if flag else "\u2013" for flag in key]
            rows.append([name, *cells, f"{many:,}", f"{100 * many / total:.2f} %"])
        sentences.append(
            f"{name}: {truth.only_whole:,} mutants of {total:,} change the answer where neither "
            f"part does; {truth.only_part:,} leave it where a part changes it (exact McNemar test, "
            f"p {p_in_words(truth.p_value)})."
        )
    columns = ["Attributes", "Together", "First alone", "Second alone", "Mutants", "Share"]
    title = "Together against alone"
    yield Section("truth", title, sentences, columns, rows, model.model)


def p_in_words(p: float) -> str:
    """``= 0.02`` or ``< 0.001``."""
    return "< 0.001" if p < 0.001 else f"= {p:.2g}"


def _overlap(model: ModelReport) -> Iterable[Section]:
    if not model.overlaps:
        return
    columns = ["Attributes", "Only alone", "Both", "Only together", "Neither"]
    rows = [
        [joined(o.attributes), *(f"{n:,}" for n in (o.only_atomic, o.both, o.only_together,
                                                  o.neither))]
        for o in model.overlaps
    ]  # fmt: skip
    sentences = [
        f"{joined(o.attributes)}: of {o.only_atomic + o.both + o.only_together + o.neither:,} "
        f"texts, {o.only_together:,} show bias only when attributes change together, "
        f"{o.only_atomic:,} only when one changes, {o.both:,} both ways."
        for o in model.overlaps
    ]
    yield Section("overlap", "Texts that show bias", sentences, columns, rows, model.model)


def _groups(model: ModelReport) -> Iterable[Section]:
    if not model.groups:
        return
    of: dict[tuple[str, ...], list[Group]] = {}
    for group in model.groups:
        of.setdefault(group.attributes, []).append(group)
    rows, sentences = [], []
    for attributes, groups in of.items():
        above = [g for g in groups if g.above]
        sure = [g for g in above if g.p_value < ALPHA]
        names = ", ".join(joined(g.groups) for g in sorted(sure, key=lambda g: g.p_value)[:12])
        rows.append(
            [joined(attributes), f"{100 * groups[0].mean:.1f}\u00a0%",
             f"{len(above)}/{len(groups)}", f"{len(sure)}/{len(groups)}", names or "\u2013"]
        )  # fmt: skip
        sentences.append(
            f"{joined(attributes)}: {len(above)} of {len(groups)} groups lie above their mean of "
            f"{100 * groups[0].mean:.1f} %; {len(sure)} of them beyond chance."
        )
    sentences.append(
        "Above the mean is what was published (GAB for one attribute, GIB for several). Beyond "
        f"chance: p below {ALPHA} in a one-sided test against the mean, adjusted over all groups "
        "after Benjamini and Hochberg. The more alike the answers to mutants of one text are, the "
        "less each of them counts (Rao and Scott). Where only one text was turned into a group, p "
        "is 1: one text is no evidence."
    )
    columns = ["Attributes", "Mean", "Above it", "Beyond chance", "Groups beyond chance"]
    yield Section("groups", "Groups", sentences, columns, rows, model.model)
    every = [group_row(group) for group in model.groups]
    columns = ["Attributes", "Turned into", "Errors", "Cases", "Texts", "Error rate",
               "Above", "Adjusted p"]  # fmt: skip
    yield Section("every-group", "Every group", [], columns, every, model.model)


def group_row(group: Group) -> list[str]:
    """One group as a line of text."""
    return [
        joined(group.attributes), joined(group.groups), f"{group.errors.hits:,}",
        f"{group.errors.of:,}", f"{group.texts:,}", percent(group.errors),
        "yes" if group.above else "no",
        p_in_words(group.p_value).removeprefix("= "),
    ]  # fmt: skip


def _turns(model: ModelReport) -> Iterable[Section]:
    if not model.words:
        return
    for key, title, turns in (
        ("words", "Worst words", model.words),
        ("directions", "Worst directions", model.directions),
    ):
        rows = [
            [t.attribute, t.source + _ARROW + t.target, str(t.errors.hits), str(t.errors.of),
             percent(t.errors)]
            for t in turns
        ]  # fmt: skip
        columns = ["Attribute", "Change", "Errors", "Cases", "Error rate"]
        yield Section(key, title, [_worst(turns[0])], columns, rows, model.model)


def _worst(turn: Turn) -> str:
    return (
        f"{turn.source}{_ARROW}{turn.target}, alone, changed the answer in {in_words(turn.errors)} "
        "cases. Listed by the lower end of the interval."
    )


def _examples(model: ModelReport) -> Iterable[Section]:
    if not model.examples:
        return
    rows = [list(example_row(example).values()) for example in model.examples]
    columns = [name.capitalize() for name in example_row(model.examples[0])]
    words = "In each, no smaller change turns the answer, and the whole change does."
    yield Section("examples", "Hidden bias", [words], columns, rows, model.model)


def example_row(example: Mapping[str, Any]) -> dict[str, str]:
    """A hidden mutant as text; long texts are cut around what changes."""
    text = example["text"]
    edits = [edit_from_row(row) for row in example["edits"]]
    mutant = mutant_of(text, edits, example["mutant"])
    first, last = mutant.splices[0], mutant.splices[-1]
    return {
        "row": str(example["row"]),
        "change": ", ".join(e.pair.source.text + _ARROW + e.pair.target.text for e in edits),
        "answer": _labels(example["original"]) + _ARROW + _labels(example["labels"]),
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
    if model.failures:
        rows = [[name, f"{many:,}"] for name, many in model.failures.most_common()]
        words = f"{model.failures.total():,} mutants had no usable answer; they are in no rate."
        yield Section("failures", "No answer", [words], ["Reason", "Mutants"], rows, model.model)


def _unused(report: Report) -> Section:
    many = report.texts[UNUSABLE]
    words = f"{many:,} rows could not be used." if many else "Every row could be used."
    if not report.texts:
        words = "No row has been read yet."
    if many > _NAMED:
        words += f" The first {_NAMED} are:"
    rows = [[str(f.row), f.id, f.reason] for f in report.faults[:_NAMED]]
    said = [words, _repeated(report.repeated)] if report.repeated else [words]
    return Section("unused", "Rows", said, ["Row", "Id", "Reason"], rows)


def _repeated(ids: Mapping[str, int]) -> str:
    named = ", ".join(f"{ident} ({many:,} times)" for ident, many in list(ids.items())[:_NAMED])
    more = f" and {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else ""
    what = "One id is" if len(ids) == 1 else f"{len(ids):,} ids are"
    return f"{what} not unique: {named}{more}. All these rows count; their numbers tell them apart."
