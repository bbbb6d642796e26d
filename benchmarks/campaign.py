"""Time a campaign against the published way of working, and against the least it could take.

*Plain* takes one text after another and one pair after another, as the published scripts do: it
makes both parts and the whole, parses every changed sentence and its source by itself, and asks the
model one text at a time. *Campaign* is ``hinter run``, tables and all. The *floor* parses the
distinct sentences and predicts the distinct texts in best batches, and does nothing else. Same
parser, same model, same mutants; the verdicts must be equal.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from hinter_core.campaign.running.run import plan_run, rows_of, run_campaign
from hinter_core.campaign.running.worker import load_parts
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore, read_table
from hinter_core.language.parsing import Parser, load_parser
from hinter_core.language.sentences import split_sentences
from hinter_core.models.base import ModelUnderTest
from hinter_core.models.registry import load_model
from hinter_core.mutation.lattice import EditSet, subsets
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.settings import EVEN_HANDED, PUBLISHED
from hinter_core.relations import invariant
from hinter_core.relations.family import SubstitutionRelation
from hinter_core.relations.oracles import LabelOracle
from hinter_core.types import Conformance, Mutant, Prediction, Verdict


@dataclass
class Plain:
    """The published way, counting and remembering what had to be parsed and asked."""

    parser: Parser
    model: ModelUnderTest
    parses: int = 0
    predictions: int = 0
    sentences: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)

    def verdicts(self, plan: Plan) -> list[Verdict]:
        """Verdicts of the chosen mutants of one text."""
        original = self._ask(plan.text)
        relation, oracle, found = SubstitutionRelation(), LabelOracle(), []
        for edits in plan.chosen():
            local: dict[EditSet, Verdict] = {}
            for part in subsets(edits):
                mutant = plan.mutant(part)
                kept = self._conforms(plan, mutant)
                answer = self._ask(mutant.text) if kept.kept else None
                same = None if answer is None else oracle.same_answer(original, answer)
                local[frozenset(part)] = relation.local_verdict(kept, same)
            found.append(relation.verdict(plan.mutant(edits), local))
        return found

    def _ask(self, text: str) -> Prediction:
        self.predictions += 1
        self.texts.add(text)
        return self.model.predict([text])[0]

    def _conforms(self, plan: Plan, mutant: Mutant) -> Conformance:
        split = split_sentences(mutant.text)
        parses = {}
        if len(split) == len(plan.sentences):
            for left, right in zip(plan.sentences, split, strict=True):
                if left.text != right.text:
                    for sentence in (left.text, right.text):
                        self.parses += 1
                        self.sentences.add(sentence)
                        (parses[sentence],) = self.parser.parse([sentence])
        return invariant.check(plan.sentences, split, parses)


def table(data: str, texts: int, limit: int, name: str, workers: Iterable[int]) -> None:
    """Print one table; the texts are the first ones that have an intersection."""
    campaign = Campaign(
        data=data, attributes=("race", "gender", "body"), limit=limit, models=(name,),
        atomic=False, placebo=False, invariant=PUBLISHED,
    )  # fmt: skip
    generator = load_parts(campaign).generator
    rows = rows_of(plan_run(campaign))
    planned = ((row, plan) for row, plan, why in generator.plans(rows) if plan and not why)
    chosen = list(islice(planned, texts))
    plain = Plain(load_parser(campaign.parser), load_model(name, trusted=True))
    plain.parser.parse(["Warm."])
    plain.model.predict(["Warm."])
    started = time.perf_counter()
    expected = [verdict.value for _, plan in chosen for verdict in plain.verdicts(plan)]
    published = time.perf_counter() - started
    floor = _floor(plain)
    print(f"{len(chosen)} texts, {len(expected)} intersectional mutants, model {name}")
    print(f"  plain       {published:8.1f} s  {plain.parses} parses, {plain.predictions} asked")
    print(f"  floor       {floor:8.1f} s  {len(plain.sentences)} and {len(plain.texts)} distinct")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "texts.jsonl"
        _write(file, [plan.text for _, plan in chosen])
        # Nobody's imports are timed, but for those of workers, which start anew each time.
        warm = replace(campaign, data=str(file), sample=1, limit=1)
        run_campaign(warm, CampaignStore(Path(folder) / "warm"))
        for number in workers:
            same = replace(campaign, data=str(file), workers=number, shard=2)
            store = CampaignStore(Path(folder) / f"campaign-{number}")
            started = time.perf_counter()
            run_campaign(same, store)
            took = time.perf_counter() - started
            assert _verdicts(store) == expected, "the campaign says something else"
            print(
                f"  {number} worker(s) {took:8.1f} s  {published / took:.1f}x plain, "
                f"{took / floor:.2f}x the floor; verdicts equal",
                flush=True,
            )
        even = replace(campaign, data=str(file), shard=2, invariant=EVEN_HANDED)
        store = CampaignStore(Path(folder) / "even-handed")
        started = time.perf_counter()
        done = run_campaign(even, store)
        took = time.perf_counter() - started
        print(
            f"  even-handed {took:8.1f} s  {published / took:.1f}x plain; {done.parses} parses and "
            f"{done.predictions} asked for {done.mutants} mutants with their parts",
            flush=True,
        )
    print(f"  floor again {_floor(plain):8.1f} s", flush=True)


def _floor(plain: Plain) -> float:
    sentences = sorted(plain.sentences)
    texts = sorted(plain.texts, key=len)
    started = time.perf_counter()
    plain.parser.parse(sentences)
    plain.model.predict(texts)
    return time.perf_counter() - started


def _write(path: Path, texts: Iterable[str]) -> None:
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")


def _verdicts(store: CampaignStore) -> list[str]:
    """Verdicts of the intersectional mutants in their order."""
    (model,) = store.read()["models"].values()
    found: list[str] = []
    for shard in store.known():
        orders = read_table(store.mutants(shard))["order"].to_pylist()
        table = read_table(store.answers(shard, model["identity"]))
        answers = [row for row in table.to_pylist() if row["mutant"] >= 0]
        found += [a["verdict"] for a, order in zip(answers, orders, strict=True) if order > 1]
    return found
