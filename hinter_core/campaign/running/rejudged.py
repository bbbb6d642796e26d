"""Judge the stored answers of a campaign again, to see whether its tables say what follows."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hinter_core.campaign.parquet import read_table
from hinter_core.campaign.running.rows import answer_from_row, plan_from_row, stored_follow_up
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import TESTED, CampaignStore
from hinter_core.models.base import CLASSIFICATION, Capabilities
from hinter_core.pipeline.case import FollowUp, TestCase
from hinter_core.relations.base import Oracle
from hinter_core.relations.oracles import ScoreOracle
from hinter_core.relations.registry import relation_of
from hinter_core.types import Failure, Prediction

_ROUNDED = 2e-6  # by which tables, in single precision, may move a probability to a tolerance
_READ = 4_096  # rows at a time


def contradictions(store: CampaignStore) -> Iterator[str]:
    """Yield the mutants whose ``changed`` or ``verdict`` does not follow from the stored answers.

    Both are judged as in the run: ``changed`` by the answers to mutant and unchanged text, and the
    verdict by it, by ``kept``, and by the verdicts on the mutant's parts. The tables must fit
    together (:meth:`CampaignStore.verify`). Answers themselves cannot be checked without the model.

    Raises:
        StoreError: a table is missing or damaged.
    """
    campaign, written, models = store.campaign(), store.written(), store.read()["models"]
    for shard in written.shards:
        texts = [row for row in _rows(written.texts(shard)) if row["outcome"] == TESTED]
        for model in models.values():
            if path := written.answers(shard, model["identity"]):
                plans = (plan_from_row(t, campaign.settings, *campaign.attributes) for t in texts)
                cases = {
                    text["row"]: TestCase(plan, number=text["row"])
                    for text, plan in zip(texts, plans, strict=True)
                }
                follow_ups = (
                    stored_follow_up(row, cases[row["row"]])
                    for row in _rows(written.mutants(shard))
                )
                yield from _of_table(path, cases, follow_ups, campaign, model)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for batch in read_table(path).to_batches(max_chunksize=_READ):
        yield from batch.to_pylist()


def _of_table(
    path: Path,
    cases: Mapping[int, TestCase],
    follow_ups: Iterable[FollowUp],
    campaign: Campaign,
    model: Mapping[str, Any],
) -> Iterator[str]:
    able = Capabilities(model.get("task") or CLASSIFICATION, tuple(model["labels"]))
    oracles, name, waiting = _oracles(campaign, able.task), path.name, enumerate(follow_ups)
    for row in _rows(path):
        answer = answer_from_row(row)
        if row["mutant"] < 0:
            failure = Failure(row["failure"]) if row["failure"] else None
            original = answer or Prediction(failure=failure)
            cases[row["row"]].take_original(name, able, original)
            continue
        place, one = next(waiting)
        if (row["mutant"], row["row"]) != (place, one.case.number):
            yield f"{name} has its answers in another order than their mutants"
            return
        if answer is None and row["verdict"] is None and campaign.prioritised:
            continue  # it was not asked
        may = _changes(one, name, answer, oracles)
        changed = row["changed"] if row["changed"] in may else may[0]
        verdict = one.case.verdict(one, name, None if changed is None else not changed)
        if (row["verdict"], row["changed"]) != (verdict.value, changed):
            yield (
                f"{name}: mutant {place} (row {row['row']}) is {row['verdict']}, changed: "
                f"{row['changed']}; its answers make it {verdict.value}, changed: {changed}"
            )


def _oracles(campaign: Campaign, task: str) -> list[Oracle]:
    """Return the oracle of the run; where probabilities decide, all that it may have been.

    Tables round them, and do not say whether a model gives several labels.
    """
    settings = campaign.settings
    relation, near = relation_of(settings.relations), (-_ROUNDED, _ROUNDED)
    least, *more = (relation.oracle(task, settings.tolerance + by) for by in near)
    if settings.score_tolerance is None:
        return [least, *more]
    return [
        ScoreOracle(least, settings.score_tolerance + by, several)
        for by in near
        for several in (False, True)
    ]


def _changes(
    one: FollowUp, name: str, answer: Prediction | None, oracles: Iterable[Oracle]
) -> list[bool | None]:
    """Return what ``changed`` may be of a mutant and the answer to it."""
    original = one.case.originals[name]
    if answer is None or not answer.answered or not original.answered:
        return [None]
    return [not oracle.same_answer(original, answer, one.mutant) for oracle in oracles]
