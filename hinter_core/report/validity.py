"""Measure the grammatical validity of originals, kept and discarded mutants.

Source: HInter, RQ2 and RQ3.3 (Figures 6 and 9; metric 3), which give mean scores of one commercial
checker. Here it is the share of valid texts, which every checker gives, beside the mean score.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.store import CampaignStore
from hinter_core.report.section import Section
from hinter_core.statistics.format import difference_in_words, percent, rate_in_words
from hinter_core.statistics.rates import (
    Difference,
    Rate,
    newcombe_difference,
    paired_difference,
    wilson,
)
from hinter_core.types import Verdict
from hinter_core.validity.survey import surveys


@dataclass(frozen=True)
class Validity:
    """One checker's judgement of a sample.

    ``originals``: valid shares of distinct sources (changed sentences only); ``kept`` and
    ``discarded``: of mutants. ``scores``: mean scores of the three, None without scores.
    ``kept_change`` and ``discarded_change``: mutants minus their sources, paired by text;
    ``between``: discarded minus kept mutants. ``unjudged``: mutants of the sample without a
    judgement, excluded from all rates. ``by_answer``: per model, valid shares of the kept mutants
    that flipped the answer and of those that did not (RQ2).
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


def validities(store: CampaignStore) -> list[Validity]:
    """Return the validity by every checker that judged the campaign.

    Raises:
        StoreError: a table of judgements that cannot be read.
    """
    found = surveys(store)
    verdicts = verdicts_of(store, ((r["shard"], r["mutant"]) for _, rows in found for r in rows))
    return [_validity(note, rows, verdicts) for note, rows in found]


Verdicts = dict[str, dict[tuple[int, int], str]]  # by model, of mutants by shard and place


def verdicts_of(store: CampaignStore, places: Iterable[tuple[int, int]]) -> Verdicts:
    """Return the verdicts of each model on some mutants, where it was tested.

    Raises:
        StoreError: a table that cannot be read.
    """
    with CampaignReader(store) as reader:
        found: Verdicts = {name: {} for name in reader.models}
        for record in reader.at(places):
            for name, answer in record.answers.items():
                if answer.verdict:
                    found[name][record.shard, record.place] = answer.verdict
    return found


def _by_answer(
    kept: Sequence[dict[str, Any]], verdicts: dict[tuple[int, int], str]
) -> tuple[Rate, Rate]:
    valid: dict[str | None, list[bool]] = defaultdict(list)
    for row in kept:
        valid[verdicts.get((row["shard"], row["mutant"]))].append(row["valid"])
    changed = valid[Verdict.BIASED.value] + valid[Verdict.HIDDEN.value]
    return _share(changed), _share(valid[Verdict.BENIGN.value])


def _share(valid: Sequence[bool]) -> Rate:
    return wilson(sum(valid), len(valid))


def _validity(note: dict[str, Any], rows: Sequence[dict[str, Any]], verdicts: Verdicts) -> Validity:
    judged = [r for r in rows if r["valid"] is not None and r["source_valid"] is not None]
    sources = {(r["row"], tuple(r["source_sentences"])): r for r in judged}.values()
    kept = [r for r in judged if r["kept"]]
    lost = [r for r in judged if not r["kept"]]
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
        newcombe_difference(lost_rate, kept_rate),
        len(rows) - len(judged),
        {name: _by_answer(kept, own) for name, own in verdicts.items()},
    )


def _mean(scores: Iterable[float | None]) -> float | None:
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if known else None


def _change(rows: Sequence[dict[str, Any]]) -> Difference:
    """Compare mutants with their sources; each source counts once per mutant."""
    by_text: dict[int, list[tuple[bool, bool]]] = defaultdict(list)
    for row in rows:
        by_text[row["row"]].append((row["valid"], row["source_valid"]))
    sums = ((*map(sum, zip(*pairs, strict=True)), len(pairs)) for pairs in by_text.values())
    return paired_difference((mutants, n, sources, n) for mutants, sources, n in sums)


def validity_sections(found: Sequence[Validity]) -> Iterable[Section]:
    """Report all checkers in one table; nothing without one."""
    if not found:
        return
    rows, sentences = [], []
    for one in found:
        for name, rate in (
            ("originals", one.originals), ("kept", one.kept), ("discarded", one.discarded)
        ):  # fmt: skip
            score = one.scores[name]
            rows.append(
                [one.checker, name, f"{rate.hits:,} of {rate.of:,}", percent(rate),
                 "\u2013" if score is None else f"{score:.3f}"]
            )  # fmt: skip
        sentences.append(validity_in_words(one))
        for model, (changed, same) in one.by_answer.items():
            if changed.of and same.of:
                sentences.append(
                    f"{one.checker}: of the kept mutants that flipped the answer of {model} "
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
