"""Measure the grammatical validity of originals, kept and discarded mutants.

Source: HInter, RQ2 and RQ3.3 (Figures 6 and 9; metric 3), which give mean scores of one commercial
checker. Here it is the share of valid ones, which any checker gives, and the mean score beside it.
"""

from __future__ import annotations

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

    ``originals``: distinct sources (changed sentences only) that are valid; ``kept`` and
    ``discarded``: mutants whose changed sentences are. ``scores``: mean scores of these three, None
    for a checker without scores. ``kept_change`` and ``discarded_change``: mutants against their
    own sources, paired by text; ``between``: discarded against kept mutants. ``unjudged``: mutants
    of the sample without a judgement; they are in no rate. ``by_answer``: for each model, valid
    ones of the kept mutants that changed its answer, and of those that did not (RQ2).
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
    changed: list[bool] = []
    same: list[bool] = []
    for row in kept:
        verdict = verdicts.get((row["shard"], row["mutant"]))
        if verdict in (Verdict.BIASED.value, Verdict.HIDDEN.value):
            changed.append(row["valid"])
        elif verdict == Verdict.BENIGN.value:
            same.append(row["valid"])
    return wilson(sum(changed), len(changed)), wilson(sum(same), len(same))


def _validity(note: dict[str, Any], rows: Sequence[dict[str, Any]], verdicts: Verdicts) -> Validity:
    judged = [r for r in rows if r["valid"] is not None and r["source_valid"] is not None]
    sources = {(r["row"], tuple(r["source_sentences"])): r for r in judged}.values()
    kept = [r for r in judged if r["kept"]]
    lost = [r for r in judged if not r["kept"]]
    rates = [
        wilson(sum(r[name] for r in of), len(of))
        for of, name in ((sources, "source_valid"), (kept, "valid"), (lost, "valid"))
    ]
    return Validity(
        note["checker"],
        note["sample"],
        note["seed"],
        rates[0],
        rates[1],
        rates[2],
        {
            "originals": _mean(r["source_score"] for r in sources),
            "kept": _mean(r["score"] for r in kept),
            "discarded": _mean(r["score"] for r in lost),
        },
        _change(kept),
        _change(lost),
        newcombe_difference(rates[2], rates[1]),
        len(rows) - len(judged),
        {name: _by_answer(kept, own) for name, own in verdicts.items()},
    )


def _mean(scores: Iterable[float | None]) -> float | None:
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if known else None


def _change(rows: Sequence[dict[str, Any]]) -> Difference:
    """Compare mutants with their sources; each source counts once per mutant."""
    of: dict[int, list[int]] = {}
    for row in rows:
        own = of.setdefault(row["row"], [0, 0, 0, 0])
        for place, value in enumerate((row["valid"], 1, row["source_valid"], 1)):
            own[place] += int(value)
    return paired_difference((a, n, b, m) for a, n, b, m in of.values())


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
