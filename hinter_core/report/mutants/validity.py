"""Report how many mutants are valid: according to grammar checkers, and to annotators.

Checkers: HInter, RQ2 and RQ3.3 (Figures 6 and 9; metric 3), which give mean scores of one
commercial checker. Here it is the share of valid texts, which every checker gives, beside the mean
score.

Annotators: *restricted* rates are those of the mutants that people judged valid, and hold for this
sample only. *Corrected* rates estimate those of all valid mutants from the share of valid ones per
verdict (post-stratification: Cochran 1977, section 5A.9; Holt and Smith 1979). Both are computed by
:mod:`hinter_core.annotation.evaluation.correction`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.tables import Attributes
from hinter_core.report.section import Counted, Rows, Section
from hinter_core.statistics.clustered import paired_difference
from hinter_core.statistics.format import (
    counted,
    difference_in_words,
    estimate_in_words,
    rate_in_words,
)
from hinter_core.statistics.rates import (
    Difference,
    Estimate,
    Rate,
    independent_difference,
    summed,
    wilson,
)
from hinter_core.types import Verdict
from hinter_core.validity.survey import surveys


@dataclass(frozen=True)
class VerdictValidity:
    """Validity of the kept mutants of the sample with one kind of answer (RQ2).

    ``errors``: whether they flipped the model's answer. ``change``: mutants minus their sources,
    paired by text. ``score`` and ``source_score``: mean scores, None without scores.
    """

    model: str
    order: str
    errors: bool
    valid: Rate
    change: Difference
    score: float | None
    source_score: float | None


@dataclass(frozen=True)
class Validity:
    """One checker's judgement of a sample.

    ``originals``: valid shares of distinct sources (changed sentences only); ``kept`` and
    ``discarded``: of mutants. ``scores``: mean scores of the three, None without scores.
    ``kept_change`` and ``discarded_change``: mutants minus their sources, paired by text;
    ``between``: discarded minus kept mutants. ``unjudged``: mutants of the sample without a
    judgement, excluded from all rates. ``by_answer``: per model, valid shares of the kept mutants
    that changed the answer and of those that did not (RQ2); ``by_verdict``: the same by order,
    with mean scores.
    """

    checker: str
    sample: int
    seed: int
    originals: Rate
    kept: Rate
    discarded: Rate
    scores: dict[str, float | None]
    kept_change: Difference
    discarded_change: Difference
    between: Difference
    unjudged: int
    by_answer: dict[str, tuple[Rate, Rate]]
    by_verdict: list[VerdictValidity]


def validities(
    store: CampaignStore, models: Sequence[str] | None = None, only: Attributes = ()
) -> list[Validity]:
    """Return the validity by every checker that judged the campaign.

    ``models``: only by the answers of these; ``only``: of mutants that change no other attributes.

    Raises:
        StoreError: a table of judgements that cannot be read.
    """
    by_survey = [
        (note, [row for row in rows if not only or set(row["attributes"]) <= set(only)])
        for note, rows in surveys(store)
    ]
    places = ((r["shard"], r["mutant"]) for _, rows in by_survey for r in rows)
    verdicts = verdicts_of(store, places, models)
    return [_validity(note, rows, verdicts) for note, rows in by_survey]


Verdicts = dict[str, dict[tuple[int, int], str]]  # by model, of mutants by shard and place


def verdicts_of(
    store: CampaignStore, places: Iterable[tuple[int, int]], models: Iterable[str] | None = None
) -> Verdicts:
    """Return the verdicts of each model on some mutants, where it was tested.

    Of a prioritised run these are the verdicts of the audit, which alone are a random sample.

    Raises:
        StoreError: a table that cannot be read.
    """
    with CampaignReader(store, models, rates=True) as reader:
        verdicts: Verdicts = {name: {} for name in reader.models}
        for record in reader.at(places):
            for name, answer in record.answers.items():
                if answer.verdict:
                    verdicts[name][record.shard, record.place] = answer.verdict
    return verdicts


_KINDS = ((True, Verdict.BIASED.value, Verdict.HIDDEN.value), (False, Verdict.BENIGN.value))
_Rows = Sequence[dict[str, Any]]


def _by_verdict(
    model: str, kept: _Rows, verdicts: dict[tuple[int, int], str]
) -> list[VerdictValidity]:
    """Split kept mutants by order and by answer; kinds without a mutant are left out."""
    by_verdict = []
    for order in ("atomic", "intersectional"):
        alike = [row for row in kept if (len(row["attributes"]) == 1) is (order == "atomic")]
        for errors, *named in _KINDS:
            rows = [r for r in alike if verdicts.get((r["shard"], r["mutant"])) in named]
            if rows:
                scores = (_mean(row[name] for row in rows) for name in ("score", "source_score"))
                valid = _share([row["valid"] for row in rows])
                by_verdict.append(
                    VerdictValidity(model, order, errors, valid, _change(rows), *scores)
                )
    return by_verdict


def _by_answer(every: Iterable[VerdictValidity], model: str, *, errors: bool) -> Rate:
    valid_rates = [one.valid for one in every if one.model == model and one.errors is errors]
    return wilson(sum(rate.hits for rate in valid_rates), sum(rate.of for rate in valid_rates))


def _share(valid: Sequence[bool]) -> Rate:
    return wilson(sum(valid), len(valid))


def _validity(note: dict[str, Any], rows: Sequence[dict[str, Any]], verdicts: Verdicts) -> Validity:
    judged = [r for r in rows if r["valid"] is not None and r["source_valid"] is not None]
    sources = {(r["row"], tuple(r["source_sentences"])): r for r in judged}.values()
    kept = [r for r in judged if r["kept"]]
    lost = [r for r in judged if not r["kept"]]
    split = [
        one for name, of_model in verdicts.items() for one in _by_verdict(name, kept, of_model)
    ]
    kept_rate, lost_rate = (_share([row["valid"] for row in some]) for some in (kept, lost))
    return Validity(
        note["checker"],
        note["sample"],
        note["seed"],
        _share([row["source_valid"] for row in sources]),
        kept_rate,
        lost_rate,
        {
            "originals": _mean(r["source_score"] for r in sources),
            "kept": _mean(r["score"] for r in kept),
            "discarded": _mean(r["score"] for r in lost),
        },
        _change(kept),
        _change(lost),
        independent_difference(lost_rate, kept_rate),
        len(rows) - len(judged),
        {
            name: (_by_answer(split, name, errors=True), _by_answer(split, name, errors=False))
            for name in verdicts
        },
        split,
    )


def _mean(scores: Iterable[float | None]) -> float | None:
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if known else None


def _change(rows: Sequence[dict[str, Any]]) -> Difference:
    """Compare mutants with their sources; each source counts once per mutant."""
    texts = summed((row["row"], row["valid"], 1, row["source_valid"], 1) for row in rows)
    return paired_difference(texts.values())


def validity_sections(every: Sequence[Validity]) -> Iterable[Section]:
    """Report all checkers in one table; nothing without one."""
    if not every:
        return
    rows: Rows = []
    sentences = []
    for one in every:
        for name, score in one.scores.items():
            rate: Rate = getattr(one, name)
            rows.append([one.checker, name, Counted(rate), rate, score])
        sentences.append(validity_in_words(one))
        for model, (changed, same) in one.by_answer.items():
            if changed.of and same.of:
                sentences.append(
                    f"{one.checker}: of the kept mutants that changed the answer of {model} "
                    f"{rate_in_words(changed)} are valid, of the others {rate_in_words(same)}."
                )
    sentences.append(
        "Only changed sentences are judged. The sample is balanced over sets of attributes, so "
        "its shares are not those of all mutants. Intervals of shares (Wilson) and of discarded "
        "against kept mutants (Newcombe) assume that mutants of one text are independent; those "
        "of mutants against their originals are computed over texts. Kept and discarded mutants "
        "come from different sentences and checkers make mistakes, so the comparison with the "
        "originals is the most reliable one."
    )
    columns = ["Checker", "Of", "Valid", "Share", "Mean score"]
    yield Section("validity", "Grammatical validity", sentences, columns, rows)
    yield from _verdict_sections(every)


def _verdict_sections(every: Sequence[Validity]) -> Iterable[Section]:
    rows: Rows = [
        [one.checker, line.model, line.order, "error" if line.errors else "benign",
         Counted(line.valid, share=True), line.change, line.score, line.source_score]
        for one in every
        for line in one.by_verdict
    ]  # fmt: skip
    if rows:
        words = (
            "Kept mutants of the sample by the model's answer. Errors that are less valid than "
            "benign mutants may be due to the wording. Change: share of valid mutants minus that "
            "of their originals, in percentage points."
        )
        columns = ["Checker", "Model", "Mutants", "Verdict", "Valid", "Change", "Score",
                   "Score of originals"]  # fmt: skip
        title = "Grammatical validity of errors and benign mutants"
        yield Section("validity-verdicts", title, [words], columns, rows)


def validity_in_words(one: Validity) -> str:
    """Describe one checker's judgement in sentences."""
    words = f"{one.checker}: {rate_in_words(one.originals)} originals are valid"
    if one.kept.of:
        words += f", and {rate_in_words(one.kept)} kept mutants: "
        words += f"{difference_in_words(one.kept_change)} than their originals"
    if one.discarded.of:
        words += f". Of discarded mutants {rate_in_words(one.discarded)} are valid: "
        words += f"{difference_in_words(one.discarded_change)} than their originals"
    if one.kept.of and one.discarded.of:
        words += f" and {difference_in_words(one.between)} than kept ones"
    if one.unjudged:
        words += f". {one.unjudged:,} of the sample had no judgement"
    return words + f". Sample: {one.sample:,} of each kind, seed {one.seed}."


@dataclass(frozen=True)
class CorrectedRow:
    """One row of the main table, restricted to and corrected for valid mutants.

    ``errors`` and ``hidden``: as in the report. ``valid``: share of valid mutants among the judged
    ones that were kept and answered; ``restricted_*``: rates among these valid mutants;
    ``corrected_*``: estimates for all valid mutants of the row. ``hidden`` rates of atomic mutants
    are None.
    """

    model: str
    name: str
    errors: Rate
    hidden: Rate | None
    valid: Rate
    restricted_errors: Rate
    restricted_hidden: Rate | None
    corrected_errors: Estimate
    corrected_hidden: Estimate | None


@dataclass(frozen=True)
class JudgedByPeople:
    """Judgements of an annotation project on a campaign.

    ``items``: those of this campaign. ``kept`` and ``discarded``: shares of valid mutants among the
    decided items. ``undecided``: not judged, not sure, or a tie. ``foreign``: items of other
    campaigns, left out. ``annotators``: number of people who judged an item. ``stood_for``: of the
    ``sampled`` kept mutants of the campaign, those of strata with a decided item.
    """

    project: str
    annotators: int
    items: int
    kept: Rate
    discarded: Rate
    undecided: int
    foreign: int
    stood_for: int
    sampled: int
    lines: list[CorrectedRow]


def people_sections(study: JudgedByPeople | None) -> Iterable[Section]:
    """Report all models in one table, and each row in words; nothing without a project."""
    if study is None:
        return
    columns = ["Model", "Attributes", "Judged valid", "Error rate", "Of valid, in sample",
               "Of valid, corrected", "Hidden, of errors", "Hidden, corrected"]  # fmt: skip
    rows: Rows = [
        [line.model, line.name, Counted(line.valid), line.errors, line.restricted_errors,
         line.corrected_errors, line.hidden or "", line.corrected_hidden or ""]
        for line in study.lines
    ]  # fmt: skip
    # Few sentences, so that a page shows the method beside the table and does not fold it.
    yield Section("people", "Judged by people", [_who(study), *_METHOD], columns, rows)
    words = [_line_in_words(line) for line in study.lines]
    yield Section("people-words", "Judged by people, line by line", in_words=words)


def _line_in_words(line: CorrectedRow) -> str:
    words = f"{line.model}, {line.name}: {rate_in_words(line.errors)} mutants changed the answer"
    if not line.valid.of:
        return f"{words}; annotators judged none of them."
    words += f"; annotators call {rate_in_words(line.valid)} judged ones valid"
    if line.restricted_errors.of:
        words += f", and of these {rate_in_words(line.restricted_errors)} changed the answer"
    words += f". Corrected error rate of valid mutants: {estimate_in_words(line.corrected_errors)}"
    if line.corrected_hidden and line.corrected_hidden.value is not None:
        words += f"; of these errors, hidden: {estimate_in_words(line.corrected_hidden)}"
    return words + "."


def _who(study: JudgedByPeople) -> str:
    who = counted(study.annotators, "annotator")
    words = f"Project \u201c{study.project}\u201d: {who}, {study.items:,} mutants of this campaign"
    words += f". {rate_in_words(study.kept)} kept mutants are valid according to annotators"
    if study.discarded.of:
        words += f", and {rate_in_words(study.discarded)} discarded ones"
    if study.undecided:
        words += f"; {study.undecided:,} are undecided (not judged, not sure, or a tie)"
    words += "."
    if study.stood_for < study.sampled:
        words += (
            f" The corrected rates rest on {study.stood_for:,} of {study.sampled:,} kept mutants: "
            "in the strata of the others nothing is decided."
        )
    if study.foreign:
        words += f" {study.foreign:,} items of the project are not of this campaign: left out."
    return words


_METHOD = (
    "\u201cOf valid, in sample\u201d is the error rate of the judged mutants that annotators call "
    "valid. A sample balanced over verdicts holds more errors than the campaign, so this is no "
    "estimate for all mutants. \u201cOf valid, corrected\u201d is: it estimates the rate of all "
    "valid mutants from the campaign's number of mutants by verdict and the sample's share of "
    "valid ones (post-stratification). Its interval covers the sampling of mutants; the interval "
    "of the error rate covers the sampling of texts.",
    "Limits: the majority of annotators, or the owner's decision, counts as the truth. Undecided "
    "mutants count like the others of their kind. Valid mutants that the invariant discarded "
    "count in no rate. There is no corrected rate if no mutant of a verdict was judged.",
)
