"""Time a campaign each way it can be run, against the published way and the least it could take.

*Plain* takes one text after another and one pair after another, as the published scripts do: it
makes both parts and the whole, parses every changed sentence and its source by itself, and asks the
model one text at a time. The others are ``hinter run``, tables and all: with *one* worker, with
*two*, in four *parts* at a time, and with two workers on *Ray*, where it is installed. *API* asks a
server of known latency instead of the model, 8 or 64 requests at a time.

The *floor* parses the distinct sentences and predicts the distinct texts in best batches, and does
nothing else; of a server, it is the time of its answers alone. Same parser, same model, same
mutants; the verdicts must be equal. CPU and memory are of the processes of a way together; memory
that these share is counted for each. Imports are timed for processes that a way starts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import IO

import psutil

from benchmarks.api import LATENCY, serving
from hinter_core.campaign.parquet import read_table
from hinter_core.campaign.running.on_ray import ray_engine
from hinter_core.campaign.running.run import plan_run, rows_of, run_campaign
from hinter_core.campaign.running.worker import load_parts
from hinter_core.campaign.spec import Campaign, from_mapping
from hinter_core.campaign.store import CampaignStore
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

PLAIN, PARTS, RAY, EVEN = "plain", "parts", "ray", "even-handed"
AT_ONCE = {"api-8": 8, "api-64": 64}
WAYS = (PLAIN, "one", "two", PARTS, RAY, EVEN, *AT_ONCE)
_PARTS = 4
_MANY = 60  # texts, of which two workers get units of the usual size
_LOOK = 0.2  # seconds between two looks at processes


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


@dataclass(frozen=True)
class Timed:
    """What a way took: seconds, CPU seconds, MiB at its peak, and bytes of its tables."""

    seconds: float
    cpu: float
    memory: float = 0.0
    size: int = 0


def report(
    data: str,
    texts: int,
    limit: int,
    models: Sequence[str] | None,
    ways: Sequence[str] | None,
    repeat: int,
) -> Iterator[str]:
    """Yield a table for each model (VADER and the embedded one); the ways are run in turn."""
    for name in models or ("vader", "embedded"):
        yield from table(data, texts, limit, name, ways or WAYS, repeat)


def table(
    data: str, texts: int, limit: int, name: str, ways: Sequence[str], repeat: int
) -> Iterator[str]:
    """Yield a table; the texts are the first ones that have an intersection.

    Without ``plain`` among the ways there is no floor, and the first way tells the verdicts.
    """
    campaign = Campaign(
        data=data, attributes=("race", "gender", "body"), limit=limit, models=(name,),
        atomic=False, placebo=False, invariant=PUBLISHED,
    )  # fmt: skip
    generator = load_parts(campaign).generator
    planned = generator.plans(rows_of(plan_run(campaign)))
    chosen = list(islice((plan for _, plan, why in planned if plan and not why), texts))
    expected: dict[str, list[str]] = {}
    floor = 0.0
    yield f"{len(chosen)} texts, model {name}"
    yield "way            s  mutants/s  CPU ms a mutant  of floor  peak MiB  bytes  verdicts"
    if PLAIN in ways:
        plain = Plain(load_parser(campaign.parser), load_model(name, trusted=True))
        plain.parser.parse(["Warm."])
        plain.model.predict(["Warm."])
        begun, worked = time.perf_counter(), time.process_time()
        expected[name] = [verdict.value for plan in chosen for verdict in plain.verdicts(plan)]
        took = Timed(time.perf_counter() - begun, time.process_time() - worked)
        floor = _floor(plain)
        yield _row(PLAIN, took, len(expected[name]), floor, "")
    with tempfile.TemporaryDirectory() as folder, serving() as port:
        file = Path(folder) / "texts.jsonl"
        _write(file, [plan.text for plan in chosen])
        campaign = replace(campaign, data=str(file), shard=2 if texts < _MANY else 16)
        for turn in range(repeat):
            for way in ways:
                if way == PLAIN or (way == RAY and not find_spec("ray")):
                    continue
                same = _as_run(campaign, way, port)
                store = CampaignStore(Path(folder) / f"{way}-{turn}")
                took, asked = _timed(way, same, store.folder)
                found = _verdicts(store)
                least = floor
                if way in AT_ONCE:
                    least = asked * LATENCY / AT_ONCE[way]
                equal = ""
                if way != EVEN:
                    model = "api" if way in AT_ONCE else name
                    known = expected.setdefault(model, found)
                    assert known == found, "the campaign says something else"
                    equal = "first" if known is found else "equal"
                yield _row(way, took, len(found), least, equal)


def _as_run(campaign: Campaign, way: str, port: str) -> Campaign:
    if way in AT_ONCE:
        server = f"base_url=http://127.0.0.1:{port}/v1&concurrency={AT_ONCE[way]}&logprobs=0"
        return replace(campaign, models=(f"openai:tiny?{server}",), shard=16)
    if way == EVEN:
        return replace(campaign, invariant=EVEN_HANDED)
    return replace(campaign, workers=2 if way in ("two", RAY) else 1)


def _row(way: str, took: Timed, mutants: int, floor: float, verdicts: str) -> str:
    share = f"{floor / took.seconds:8.0%}" if floor else " " * 8
    size = f"{took.size / mutants:5.0f}" if took.size else " " * 5
    memory = f"{took.memory:8.0f}" if took.memory else " " * 8
    return (
        f"{way:<11} {took.seconds:7.1f}  {mutants / took.seconds:9.0f}  "
        f"{took.cpu / mutants * 1000:15.2f}  {share}  {memory}  {size}  {verdicts}"
    )


def _timed(way: str, campaign: Campaign, folder: Path) -> tuple[Timed, int]:
    """Run a campaign in a process of its own; return what it took, and its requests."""
    given = [sys.executable, "-m", "benchmarks.campaign", way, str(folder)]
    with subprocess.Popen(
        [*given, json.dumps(asdict(campaign))], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        process.stdout.readline()  # it is warm
        usage = _Usage(psutil.Process(process.pid))
        begun = time.perf_counter()
        told = _Line(process.stdout)
        while not told.is_there(_LOOK):
            usage.look()
        took = time.perf_counter() - begun
        usage.look()
    if process.returncode:
        raise SystemExit(f"{way} failed")
    size = sum(path.stat().st_size for path in CampaignStore(folder).shards.iterdir())
    return Timed(took, usage.cpu, usage.peak, size), int(told.text)


class _Line:
    """A line that a process will write."""

    def __init__(self, pipe: IO[str]) -> None:
        self.text = ""
        self._reading = threading.Thread(target=self._read, args=(pipe,), daemon=True)
        self._reading.start()

    def _read(self, pipe: IO[str]) -> None:
        self.text = pipe.readline()

    def is_there(self, seconds: float) -> bool:
        """Wait for so long; return whether it has come."""
        self._reading.join(seconds)
        return not self._reading.is_alive()


class _Usage:
    """CPU and memory of a process and all below it, since now."""

    def __init__(self, process: psutil.Process) -> None:
        self._process = process
        self._times: dict[psutil.Process, float] = {}
        self.peak = 0.0
        self.look()
        self._before = sum(self._times.values())

    def look(self) -> None:
        """Take note of what they have used up to now."""
        memory = 0
        for one in [self._process, *self._process.children(recursive=True)]:
            with suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
                times = one.cpu_times()
                self._times[one] = times.user + times.system
                memory += one.memory_info().rss
        self.peak = max(self.peak, memory / 2**20)

    @property
    def cpu(self) -> float:
        """Seconds since the start."""
        return sum(self._times.values()) - self._before


def _run(way: str, folder: Path, campaign: Campaign) -> int:
    """Run a campaign a way; return its requests."""
    with tempfile.TemporaryDirectory() as other:
        os.environ["HINTER_CACHE"] = f"{other}/answers.sqlite"
        if way != PARTS:  # whose processes are others
            warm = replace(campaign, sample=1, limit=1, seed=5, workers=1)
            run_campaign(warm, CampaignStore(Path(other) / "warm"))
        print("warm", flush=True)
        if way == PARTS:
            spec = Path(other) / "campaign.yaml"
            spec.write_text(json.dumps(asdict(campaign)), encoding="utf-8")  # which is YAML, too
            command = [sys.executable, "-m", "hinter_core.cli", "run", str(spec)]
            more = ["--out", str(folder), "--part"]
            parts = [
                subprocess.Popen([*command, *more, f"{n}/{_PARTS}"], stdout=subprocess.DEVNULL)
                for n in range(1, _PARTS + 1)
            ]
            ended = [part.wait() for part in parts]
            if any(ended):
                raise SystemExit(1)
            return 0
        engine = ray_engine() if way == RAY else None
        return run_campaign(campaign, CampaignStore(folder), engine=engine).predictions


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


if __name__ == "__main__":
    chosen_way, into, settings = sys.argv[1:]
    made = from_mapping(json.loads(settings), "the command", stored=True)
    print(_run(chosen_way, Path(into), made), flush=True)
