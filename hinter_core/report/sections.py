"""Describe a report in sections of sentences and tables, for terminal, Markdown and the page."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from operator import itemgetter
from typing import Any

from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import NOTHING, UNUSABLE
from hinter_core.errors import first_names, listed
from hinter_core.mutation.settings import EVEN_HANDED
from hinter_core.report.metric import every_metric
from hinter_core.report.metrics.accuracy import accuracy_sections
from hinter_core.report.metrics.groups import significant_in_words
from hinter_core.report.model import ModelReport, Report, ReportRow
from hinter_core.report.mutants.coverage import coverage_section, limit_in_words, reach_section
from hinter_core.report.mutants.discards import discards_sections, untested_in_words
from hinter_core.report.mutants.unusual import unusual_in_words
from hinter_core.report.mutants.validity import people_sections, validity_sections
from hinter_core.report.section import (
    Counted,
    Rows,
    Section,
    names_section,
    short_names,
)
from hinter_core.statistics.format import hidden_in_words, rate_in_words
from hinter_core.statistics.rates import Rate
from hinter_core.types import HiddenGrade, Verdict

_NAMED = 20  # rows named one by one
_MANY_LOST = 0.05  # share of mutants without an answer
_FLOW = 20  # place of the table of verdicts among the metrics of a model


def with_short_names(report: Report) -> Report:
    """Return the report with short names of models (:func:`short_names`)."""
    short = short_names(model.model for model in report.models)
    names = {new: full for full, new in short.items() if new != full}
    if report.names or not names:
        return report

    def shortened(every: Iterable[Any]) -> list[Any]:
        return [replace(one, model=short.get(one.model, one.model)) for one in every]

    people = report.people
    validity = [
        replace(
            one,
            by_answer={short.get(name, name): answers for name, answers in one.by_answer.items()},
            by_verdict=shortened(one.by_verdict),
        )
        for one in report.validity
    ]
    return replace(
        report,
        names=names,
        models=shortened(report.models),
        added=shortened(report.added),
        validity=validity,
        people=people and replace(people, lines=shortened(people.lines)),
    )


def sections(report: Report, *, in_words: bool = True) -> list[Section]:
    """Return all sections in reading order; long names of models are shortened.

    ``in_words``: whether tables are repeated as sentences.
    """
    written = _sections(with_short_names(report))
    if in_words:
        return written
    brief = (replace(section, in_words=[]) for section in written)
    return [section for section in brief if section.sentences or section.cells]


def _sections(report: Report) -> list[Section]:
    return [
        _overview(report),
        _main(report),
        *names_section(report.names),
        *by_model(report),
        *accuracy_sections((model.model, model.accuracy) for model in report.models),
        *(
            replace(section, model=model.model)
            for model in report.models
            for section in _of_model(model, report.campaign.applied)
            if section.cells
        ),
        *people_sections(report.people),
        *validity_sections(report.validity),
        *report.added,
        *([] if report.only else [reach_section(report.campaign, report.reach)]),
        coverage_section(report.campaign, report.coverage),
        *discards_sections(report.discards),
        _unused(report),
    ]


def _of_model(model: ModelReport, applied: Campaign) -> Iterable[Section]:
    parts = [(one.place, one.sections(model.metrics[one.name])) for one in every_metric()]
    parts.append((_FLOW, [_flow(model, applied)]))
    return (section for _, part in sorted(parts, key=itemgetter(0)) for section in part)


def _overview(report: Report) -> Section:
    campaign, texts = report.campaign, report.texts
    sample = f"a sample of {campaign.sample:,} texts" if report.sampled else "all texts"
    limit = f", maximum {campaign.limit:,} mutants per text" if campaign.limit else ""
    what = f"{', '.join(campaign.attributes)}, up to order {campaign.order}{limit}"
    if not campaign.source.makes:
        what = "handwritten mutants"
    barren = f"{report.barren:,} had discarded mutants alone, " if report.barren else ""
    sentences = [
        f"Data: {campaign.title}, {sample}, {what}, seed {campaign.seed}, "
        f"parser {campaign.parser}, campaign {report.identity}.",
        *filter(None, [limit_in_words(campaign, report.reach)]),
        *unusual_in_words(campaign),
        f"Of {texts.total():,} texts, {report.tested:,} were tested, {barren}"
        f"{texts[NOTHING]:,} had nothing to test and {texts[UNUSABLE]:,} could not be used."
        if texts
        else "No text has been tested yet: run or resume the campaign.",
    ]
    gaps = {
        m.model: (any(map(many_lost, (m.intersectional, m.atomic))), _lost(m))
        for m in report.models
        if m.reasons
    }
    sentences += [words for many, words in gaps.values() if many]
    sentences += kept_in_words(report)
    sentences += untested_in_words(report.untested)
    said = [alike_in_words(report.alike), same_in_words(report), idle_in_words(report)]
    sentences += filter(None, [*said, report.missing])
    if any(model.priority for model in report.models):
        sentences.append(
            f"Models were asked by priority ({campaign.prioritise}). All rates are of the audit, a "
            "random share of the cases; see What was asked first."
        )
    if report.only:
        names = ", ".join(report.only)
        sentences.append(f"Only mutants that change no other attribute than {names} are counted.")
    if report.labels:
        several = f"{report.labels:,} different labels" if report.labels > 1 else "one label"
        sentences.append(f"The texts have {several}.")
    if not report.models:
        sentences.append("No model has been tested yet.")
    sentences += [
        f"{m.model}: {line_in_words(m.main)} {significant_in_words(m.groups)}".strip()
        for m in report.models
    ]
    sentences += [words for many, words in gaps.values() if not many]
    return Section("overview", "Overview", sentences)


def many_lost(line: ReportRow) -> bool:
    """Whether so many mutants have no answer that a reader has to know it first."""
    return line.verdicts[Verdict.UNANSWERED] > _MANY_LOST * line.mutants


def _lost(model: ModelReport) -> str:
    number = sum(one.mutants for one in model.reasons)
    counted = f"{number:,} mutants are" if number > 1 else "one mutant is"
    why = model.reasons[0].in_words
    return f"{model.model}: {counted} unanswered, most often because of: {why}."


def line_in_words(line: ReportRow) -> str:
    """Describe one row of the main table in sentences."""
    errors, texts = line.errors, line.sources
    kind, _, order = line.name.partition(", order ")
    of_order = f" of order {order}" * bool(order)
    words = f"{rate_in_words(errors)} {kind} mutants{of_order} changed the answer"
    if not errors.of:
        words = f"No {kind} mutant{of_order} was kept and answered"
    elif line.hidden and line.hidden.of:
        words += f"; {hidden_in_words(line.hidden)}"
        if line.hidden.hits:
            words += f": no smaller change reveals {'it' if line.hidden.of == 1 else 'them'}"
        if line.grades:
            words += f" ({grades_in_words(line.grades)})"
    if texts.of == 1 and errors.of > 1:
        words += ". They are all of one text"
    elif texts.of > 1:
        words += f". {rate_in_words(texts)} texts have a mutant that changed the answer"
    if line.discarded.of:
        words += f". {rate_in_words(line.discarded)} mutants were discarded"
    lost = line.verdicts[Verdict.UNANSWERED]
    if lost:
        words += f", {lost:,} had no answer"
    return words + "."


def grades_in_words(grades: Mapping[str, int]) -> str:
    """Format ``12 more than the sum, 3 at the threshold``."""
    named = [(str(grade), grades.get(grade, 0)) for grade in HiddenGrade]
    named.append(("of a grade that is unknown, as the model gives no scores", grades.get("", 0)))
    return ", ".join(f"{number:,} {name}" for name, number in named if number)


def _main(report: Report) -> Section:
    columns = ["Model", "Attributes", "Mutants", "Cases", "Error rate", "Hidden, of errors",
               "Discarded", "Texts with errors"]  # fmt: skip
    rows: Rows = []
    sentences = []
    for model in report.models:
        for line in lines_of(model):
            rows.append(
                [model.model, line.name, line.mutants, line.errors.of, line.errors,
                 line.hidden or "", line.discarded, Counted(line.sources, share=True)]
            )  # fmt: skip
            sentences.append(f"{model.model}, {line.name}: {line_in_words(line)}")
    note = (
        "A case is a mutant that the invariant kept and the model answered. Intervals are 95 % "
        "intervals. Those of mutants count texts, as mutants of one text are not independent."
    )
    return Section("main", "Error rates", [note], columns, rows, in_words=sentences)


def lines_of(model: ModelReport) -> list[ReportRow]:
    """Return all rows of the main table: sets of attributes, their sums, placebo."""
    return [*model.lines, model.atomic, model.intersectional, *model.placebo]


def _flow(model: ModelReport, applied: Campaign) -> Section:
    names = [verdict.value for verdict in Verdict]
    both = (model.atomic, model.intersectional)
    rows: Rows = [
        [line.name, *(line.verdicts[n] for n in names), line.replacements] for line in both
    ]
    total = model.atomic.mutants + model.intersectional.mutants
    lost = sum(line.verdicts[Verdict.DISCARDED] for line in both)
    hidden = model.intersectional.verdicts[Verdict.HIDDEN]
    *first, last = [
        "a sentence parses differently after the change",
        *(["its words do not go together"] if applied.invariant == EVEN_HANDED else []),
        *([] if applied.keep_soft else ["other words of the text contradict it"]),
        *([f"its validity score is below {applied.validity:g}"] if applied.validity else []),
    ]
    why = f": {', '.join(first)} or {last}" if first else f": {last}"
    left = f"{lost:,} were discarded{why}" if lost else "none was discarded"
    words = (
        f"Of {total:,} mutants, {left}. "
        f"{hidden:,} are hidden: only the whole change flips the answer, no part of it does. "
        f"The mutants have {sum(line.replacements for line in both):,} replacements, counted by "
        "place."
    )
    columns = ["Mutants", *(name.capitalize() for name in names), "Replacements"]
    return Section("flow", "Verdicts of the mutants", [words], columns, rows)


def unusable_in_words(number: int) -> str:
    """Say how many rows could not be used; or ""."""
    if not number:
        return ""
    return "One row could not be used." if number == 1 else f"{number:,} rows could not be used."


def _unused(report: Report) -> Section:
    number = report.texts[UNUSABLE]
    words = unusable_in_words(number) or "Every row could be used."
    if not report.texts:
        words = "No row has been read yet."
    if number > _NAMED:
        words += f" The first {_NAMED} are:"
    rows: Rows = [[f.row, f.id, f.reason] for f in report.faults[:_NAMED]]
    sentences = [words, _repeated(report.repeated)] if report.repeated else [words]
    return Section("unused", "Rows", sentences, ["Row", "Id", "Reason"], rows)


def kept_in_words(report: Report) -> list[str]:
    """Say which models did not answer anew."""
    every = ((one.model, one.metrics.get("kept_answers")) for one in report.models)
    return [f"{model}: {kept.in_words}." for model, kept in every if kept]


def alike_in_words(number: int) -> str:
    """Say that texts stand in the data more than once, and what that means for figures; or ""."""
    repeat = "1 text repeats" if number == 1 else f"{number:,} texts repeat"
    said = (
        f"{repeat} an earlier one word for word. Every copy counts in the rates. In intervals and "
        "among the texts with an error, equal texts count as one."
    )
    return said if number else ""


def same_in_words(report: Report) -> str:
    """Say that mutants have equal texts, and what that means for rates; or ""."""
    same, kept = report.same
    both = {"race", "nationality"} <= set(report.campaign.attributes)
    example = " (Polish: race and nationality)" * both
    said = (
        f"{same:,} of {kept:,} kept mutants {'has' if same == 1 else 'have'} the same text as "
        f"another one, since a word can belong to two attributes{example}. Each counts in the "
        "rates."
    )
    return said if same else ""


def idle_in_words(report: Report) -> str:
    """Name the chosen attributes of which no text has a word that can be changed, or ""."""
    campaign = report.campaign
    whole = campaign.source.makes and campaign.atomic and not (report.only or report.missing)
    if not whole or not report.coverage:
        return ""
    changed = {name for one in report.coverage if any(made for made, *_ in one.pairs.values())
               for name in one.attributes}  # fmt: skip
    names = listed([name for name in campaign.attributes if name not in changed])
    return f"No text has words of {names} that can be changed." if names else ""


def _repeated(ids: Mapping[str, int]) -> str:
    each = [f"{ident} ({number:,} times)" for ident, number in ids.items()]
    what = "One id is" if len(ids) == 1 else f"{len(ids):,} ids are"
    return (
        f"{what} not unique: {first_names(each, _NAMED)}. All these rows count, each by its row "
        "number."
    )


def by_model(report: Report) -> Iterable[Section]:
    """Report errors (I) and hidden errors (H), a column per model and one for all models."""
    if len(report.models) < 2:
        return
    first, nothing = report.models[0], Rate(0, 0)
    rows: Rows = []
    lines = [{line.name: line for line in lines_of(model)} for model in report.models]
    for name in (*(line.name for line in first.lines if line.order != 1), "intersectional"):
        row_of_model = [by_name.get(name) for by_name in lines]
        for metric, rates in (
            ("I", [line.errors if line else nothing for line in row_of_model]),
            ("H", [line.hidden or nothing if line else nothing for line in row_of_model]),
        ):
            total = Rate(sum(r.hits for r in rates), sum(r.of for r in rates))
            rows.append([name, metric, *rates, total])
    words = [
        "I: errors, of cases. H: hidden errors, of errors. All models: their cases added up, "
        "without an interval, as the models answer the same texts."
    ]
    columns = ["Attributes", "Metric", *(model.model for model in report.models), "All models"]
    yield Section("by-model", "Models side by side", words, columns, rows)
