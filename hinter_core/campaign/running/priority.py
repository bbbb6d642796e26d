"""Ask a model about stored mutants in an order that learns from its answers, until a rule stops.

The mutants of all shards are made first. A random sequence of the cases, drawn before the first
answer, is the *audit*: a fifth of the choices follow it, the others follow the strategy. Rates are
of the audit alone, as far as it was gone through without a gap; neutral and discarded mutants count
in them in the same proportion, at random. Everything asked is stored, and every fault counts as
found. Parts are asked before wholes, so that a verdict *hidden* is as in any other run.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import asdict
from math import ceil
from typing import Any

from hinter_core.campaign.parquet import write_table
from hinter_core.campaign.record import PriorityState
from hinter_core.campaign.running.journal import Asked, Journal
from hinter_core.campaign.running.planned import PlannedMutants
from hinter_core.campaign.running.rows import not_asked_row, original_row, outcome_row
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.tables import answer_schema
from hinter_core.models.cache import KeptAnswers
from hinter_core.models.store import PredictionStore
from hinter_core.pipeline.case import UNSEEN, FollowUp, TestCase
from hinter_core.prioritisation.cases import FAULTS
from hinter_core.prioritisation.stopping import AuditedOrder, StopBelow
from hinter_core.prioritisation.strategies import strategy
from hinter_core.types import Failure, Outcome, Prediction, Verdict

_BATCH = 16  # cases between two looks at the rules; the same in a resumed run
_POINTS = 200  # of the curve
_EVERY = 2.0  # seconds between two notes of the state
# Rate near which the bounds are tightest. It is not that of ``stop_below``, which may change when a
# run is resumed: a prior that is chosen after the first answers voids the bounds.
_CENTRE = 0.02


def _limit(campaign: Campaign) -> str:
    """Name the limit of a run that has one, or the two that it has."""
    limits = [(campaign.requests, "number of requests"), (campaign.budget, "budget")]
    return f"The {' or the '.join(words for limit, words in limits if limit is not None)}"


class PriorityRun:
    """One model of a prioritised run; see the module."""

    def __init__(
        self,
        campaign: Campaign,
        store: CampaignStore,
        predictions: PredictionStore,
        planned: PlannedMutants,
        texts: Sequence[dict[int, TestCase]],
        began: float,
    ) -> None:
        import numpy

        self.kept = KeptAnswers()  # from before the campaign, which ``began`` then
        self._began = began
        self._campaign, self._store, self._asked = campaign, store, predictions
        self._planned, self._texts = planned, texts
        inner = strategy(campaign.prioritise, planned.cases, self._read_texts, campaign.seed)
        self._order = AuditedOrder(inner, len(planned.cases), campaign.seed, centre=_CENTRE)
        rng = numpy.random.default_rng([campaign.seed, 11])  # apart from the order's own draws
        self._neutral: list[int] = rng.permutation(planned.neutral).tolist()
        self._discarded: list[int] = rng.permutation(planned.discarded).tolist()
        self._case_at = {place: number for number, place in enumerate(planned.of_case)}
        self._outcomes: dict[int, Outcome] = {}
        self._neutral_asked = 0
        self._originals: set[int] = set()
        self._sequence: list[int] = []  # places with an answer, as they came
        self._curve: list[tuple[int, int]] = []
        self._faults = 0
        self._waiting = 0  # answers of a batch that the budget did not pay for to its end
        self._said: dict[str, Prediction] = {}  # by text, from an earlier run
        self._journal = Journal(store.journal(predictions.model.identity))

    def batches(self) -> Generator[PriorityState, None, None]:
        """Run batches until a stopping rule holds or no case is left; yield the state after each.

        The tables of answers are written at the end, also when the iterator is closed before.

        Raises:
            HinterError: the model fails as a whole, or the directory cannot be written.
        """
        reason, noted = "", time.monotonic()
        with self._journal:
            try:
                while not reason:
                    chosen = self._order.next(_BATCH)
                    if chosen or self._share(self._neutral) > self._neutral_asked:
                        reason = self._learn(chosen) or self._rules()
                    else:
                        reason = "All cases were asked."
                    if time.monotonic() - noted > _EVERY:
                        noted = time.monotonic()
                        self._note(reason)
                    yield self.state(reason)
            finally:
                self._note(reason)
                self._write()

    def state(self, reason: str = "") -> PriorityState:
        """Return how far the run is."""
        rate = self._order.rate
        low, high = rate.bounds()
        points = self._curve[:: max(1, ceil(len(self._curve) / _POINTS))]
        points = [*points, *self._curve[-1:]] if points[-1:] != self._curve[-1:] else points
        return PriorityState(
            self._campaign.prioritise, len(self._planned.cases), len(self._curve), self._faults,
            len(self._journal.known), rate.cases, rate.faults, low, high, tuple(points), reason,
        )  # fmt: skip

    def _read_texts(self) -> tuple[list[str], list[str]]:
        every = [self._planned.follow_up(place) for place in self._planned.of_case]
        return [one.case.plan.text for one in every], [one.mutant.text for one in every]

    def _rules(self) -> str:
        if self._campaign.stop_at_first and self._faults:
            return f"A first changed answer was found after {len(self._curve):,} cases."
        if self._campaign.stop_below is not None:
            return StopBelow(self._campaign.stop_below).stops(self._order)
        return ""

    def _learn(self, chosen: Sequence[int]) -> str:
        """Test cases with their parts, and a share of neutral mutants as large as the audit's.

        Returns the reason if the run must stop, or "".
        """
        places = [self._planned.of_case[number] for number in chosen]
        due = self._share(self._neutral)
        places += self._neutral[self._neutral_asked : due]
        wanted = dict.fromkeys(one for place in places for one in self._planned.with_parts(place))
        batch = [
            (place, self._planned.follow_up(place)) for place in wanted
            if place not in self._outcomes
        ]  # fmt: skip
        answers = self._answers(batch)
        if answers is None:
            words = f"{_limit(self._campaign)} is reached; resume to ask more."
            if self._waiting:
                words += f" Answers that count once their batch is complete: {self._waiting:,}."
            return words
        learnt, model = list[tuple[int, bool]](), self._asked.model
        for place, follow_up in batch:
            answer = answers.get(place)
            outcome = follow_up.case.judge(follow_up, model.name, model.capabilities, answer)
            self._outcomes[place] = outcome
            if follow_up.asked:
                self._sequence.append(place)
            number = self._case_at.get(place)
            if number is not None:
                fault = outcome.verdict.value in FAULTS
                self._faults += fault
                learnt.append((number, fault))
                self._curve.append((len(self._curve) + 1, self._faults))
        self._neutral_asked = due
        self._order.learn([number for number, _ in learnt], [fault for _, fault in learnt])
        return ""

    def _share(self, places: Sequence[int]) -> int:
        """Return how many of these belong to the audit so far."""
        cases = len(self._planned.cases)
        return ceil(len(places) * self._order.rate.cases / cases) if cases else len(places)

    def _answers(self, batch: Sequence[tuple[int, FollowUp]]) -> dict[int, Prediction] | None:
        """Return the answers by place, from the journal or the model; None: the budget is used."""
        rows = {follow_up.case.number: follow_up.case for _, follow_up in batch}
        unseen = {place for place, one in batch if not one.case.sees(one, self._asked)}
        self._waiting = 0
        originals = {
            Asked(False, number): case.plan.text
            for number, case in rows.items()
            if number not in self._originals
        }
        if not self._said_to(originals):
            return None
        for number in rows.keys() - self._originals:
            rows[number].answer_original(self._asked, self._journal.known[Asked(False, number)])
            self._originals.add(number)
        gaps = dict.fromkeys(unseen, UNSEEN)
        gaps |= {place: why for place, one in batch if (why := one.case.lost(self._asked))}
        mutants = {
            Asked(True, place): one.mutant.text
            for place, one in batch
            if one.asked and place not in gaps
        }
        if not self._said_to(mutants):
            return None
        return {
            place: gaps.get(place) or self._journal.known[Asked(True, place)]
            for place, one in batch
            if one.asked
        }

    def _said_to(self, wanted: Mapping[Asked, str]) -> bool:
        """Have the answers to texts in the journal; return whether the budget had room for all."""
        known = self._journal.known
        # What was answered before the run was interrupted stands for the same text elsewhere.
        self._said |= {
            text: known[key] for key, text in wanted.items() if key in known and known[key].answered
        }
        fresh = {key: text for key, text in wanted.items() if key not in known}
        predictions = self._asked.predict(text for text in fresh.values() if text not in self._said)
        self.kept += self._asked.kept(predictions, self._began)
        got = {key: self._said.get(text) or predictions[text] for key, text in fresh.items()}
        over = {a for a, answer in got.items() if answer.failure is Failure.OVER_BUDGET}
        self._journal.add((a, answer) for a, answer in got.items() if a not in over)
        self._waiting += sum(key in known for key in wanted)
        return not over

    def _note(self, reason: str) -> None:
        noted = self._store.read().get("priority", {})
        states = {self._asked.model.name: asdict(self.state(reason))}
        self._store.note(priority={**noted, **states})

    def _write(self) -> None:
        """Write the tables of answers of all shards."""
        audit = {self._planned.of_case[number] for number in self._order.audit}
        audit.update(self._neutral[: self._neutral_asked])
        audit.update(self._discarded[: self._share(self._discarded)])
        turns = {place: turn for turn, place in enumerate(self._sequence)}
        for shard, cases in enumerate(self._texts):
            path = self._store.answers(shard, self._asked.model.identity)
            originals = [
                original_row(case, self._asked) if number in self._originals
                else not_asked_row(number, -1) for number, case in cases.items()
            ]  # fmt: skip
            rows = [*originals, *self._rows(shard, audit, turns)]
            write_table(path, rows, answer_schema())

    def _rows(self, shard: int, audit: set[int], turns: dict[int, int]) -> Iterator[dict[str, Any]]:
        start, end = self._planned.starts[shard : shard + 2]
        discarded = set(self._planned.discarded)
        for place in range(start, end):
            outcome = self._outcomes.get(place)
            if outcome is not None:
                row = outcome_row(place - start, self._planned.follow_up(place), outcome)
            else:
                row = not_asked_row(self._planned.row_of(place), place - start)
                if place in discarded:
                    row |= {"verdict": Verdict.DISCARDED.value, "failure": None}
            yield {**row, "audit": place in audit, "sequence": turns.get(place)}
