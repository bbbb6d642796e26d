"""Reading a large campaign: a report and pages of findings over synthetic mutants.

The tables are written as a campaign writes them, in shards of its usual size, with random verdicts;
only texts and words are made up. Each figure is taken in a process of its own, so that the peak of
memory is its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy
import pyarrow
import pyarrow.parquet

from hinter_core.campaign.running.run import shard_size
from hinter_core.campaign.spec import VERSION, Campaign
from hinter_core.campaign.store import TESTED, CampaignStore
from hinter_core.campaign.tables import answer_schema, mutant_schema, text_schema
from hinter_core.models.base import CLASSIFICATION

MODEL = "vader"
_ATTRIBUTES = {"race": (24, 1200, 24), "gender": (9, 400, 6), "placebo-1": (6, 200, 10)}
_SPANS = {"race": [8, 13], "gender": [14, 17], "placebo-1": [22, 26]}
_VERDICTS = numpy.array(["benign", "biased", "hidden", "discarded", "unanswered"])
_SHARES = ((0.78, 0.08, 0.0, 0.13, 0.01), (0.7, 0.07, 0.02, 0.2, 0.01))  # atomic, of two edits
_SHARE_OF_HIDDEN = 2
_TIMED = """
import io, json, resource, sys, time
from pathlib import Path
from hinter_core.campaign.findings import FindingFilter, Side, findings_of, group_findings
from hinter_core.campaign.store import CampaignStore
from hinter_core.report.formats import plain, print_report, to_html
from hinter_core.report.model import make_report
store = CampaignStore(Path(sys.argv[1]))
taken = {}
begun, worked = time.perf_counter(), time.process_time()

def note(name):
    global begun, worked
    taken[name] = time.perf_counter() - begun, time.process_time() - worked
    begun, worked = time.perf_counter(), time.process_time()

report = make_report(store)
note("report")
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
assert make_report(store) == report
note("report, kept")
print_report(report, io.StringIO())
json.dumps(plain(report))
to_html(report)
note("text, JSON and page")
(name,) = store.read()["models"]
side = Side(store, name)
for words in ("", "race 101"):
    wanted = FindingFilter(("hidden", "biased"), ("race", "gender"), words)
    total = 0
    for place in ("first", "late"):
        groups, total, _ = group_findings(side, wanted, start=max(0, total - 10))
        assert findings_of(side, groups, 4)
        note(f"findings{', searched' if words else ''}, {place} page")
print(json.dumps({"taken": taken, "peak": peak}))
"""


def make(folder: Path, mutants: int, seed: int = 0) -> CampaignStore:
    """Write a campaign of about that many mutants, most of them of two edits."""
    rng = numpy.random.default_rng(seed)
    store = CampaignStore(folder)
    store.shards.mkdir(parents=True)
    own = _layout()
    texts = max(1, mutants // len(own["order"]))
    size = shard_size(texts)
    campaign = Campaign(data="sample", attributes=tuple(_ATTRIBUTES), models=(MODEL,), shard=size)
    shards = -(-texts // size)
    for shard in range(shards):
        rows = numpy.arange(shard * size, min(texts, (shard + 1) * size))
        _write_shard(store, shard, rows, own, rng)
    scope = {name: (pairs, groups) for name, (_, pairs, groups) in _ATTRIBUTES.items()}
    spec = {
        "version": VERSION, "identity": "synthetic", "campaign": asdict(campaign),
        "models": {
            MODEL: {"identity": MODEL, "labels": ["negative", "positive"], "task": CLASSIFICATION}
        },
        "size": {"texts": texts, "shards": shards}, "scope": scope,
    }  # fmt: skip
    store.write_spec(spec)
    return store


def _layout() -> dict[str, Any]:
    """The mutants of any text, as numbers of its edits: parts before wholes."""
    sizes = [size for size, _, _ in _ATTRIBUTES.values()]
    starts = numpy.cumsum([0, *sizes])
    alone = [(edit,) for edit in range(starts[-1])]
    pairs = [(a, b) for a in range(sizes[0]) for b in range(starts[1], starts[2])]
    every = [*alone, *pairs]
    order = numpy.array([len(edits) for edits in every])
    return {"order": order, "edits": numpy.concatenate([numpy.array(e) for e in every])}


def _write_shard(
    store: CampaignStore, shard: int, rows: Any, own: dict[str, Any], rng: numpy.random.Generator
) -> None:
    many, texts = len(own["order"]), len(rows)
    pairs = [
        _pairs(name, rng.choice(held, size, replace=False))
        for _ in rows
        for name, (size, held, _) in _ATTRIBUTES.items()
    ]
    of_text = sum(size for size, _, _ in _ATTRIBUTES.values())
    words = pyarrow.concat_arrays(pairs)
    at = (numpy.arange(texts)[:, None] * of_text + own["edits"]).ravel()
    orders = numpy.tile(own["order"], texts)
    offsets = pyarrow.array(numpy.concatenate([[0], numpy.cumsum(orders)]), pyarrow.int32())
    verdicts = numpy.where(
        orders == 1, *(rng.choice(5, texts * many, p=shares) for shares in _SHARES)
    )
    # Texts differ in how easily they turn, so that their mutants resemble each other.
    calm = rng.random(texts) < 0.4
    verdicts[numpy.repeat(calm, many) & ((verdicts == 1) | (verdicts == _SHARE_OF_HIDDEN))] = 0
    kept = verdicts != 3
    row_of = numpy.repeat(rows + 1, many)
    length = len(row_of)
    mutants = {
        "row": row_of, "order": orders.astype("int8"),
        "edits": pyarrow.ListArray.from_arrays(offsets, words.take(pyarrow.array(at))),
        "kept": kept, "layer": _where(~kept, "part of speech"),
        "sentence": numpy.zeros(length, int),
        "reason": _where(~kept, "word 7 is NN where the source has JJ"),
        "text": pyarrow.nulls(length, pyarrow.string()), "ask": numpy.zeros(length, bool),
    }  # fmt: skip
    _write(store.mutants(shard), mutants, mutant_schema())
    _write(store.answers(shard, MODEL), _answers(rows, verdicts, many, rng), answer_schema())
    _write(
        store.texts(shard),
        {
            "row": rows + 1, "id": [f"t{row}" for row in rows],
            "label": [("negative", "positive")[row % 2] for row in rows],
            "text": [f"The old black man had soup with his wife on day {row}." for row in rows],
            "outcome": [TESTED] * texts, "detail": [""] * texts,
            "possible": [[many * 2]] * texts, "mutants": [many] * texts,
        },
        text_schema(),
    )  # fmt: skip


def _pairs(attribute: str, numbers: Any) -> Any:
    """Edits that change a word of a text into others, as a campaign's tables have them."""
    groups = _ATTRIBUTES[attribute][2]
    kind = mutant_schema().field("edits").type.value_type
    return pyarrow.array(
        [
            {
                "attribute": attribute, "source": f"{attribute} {n % 37}",
                "target": f"{attribute} {n}", "source_group": f"group {n % 37 % groups}",
                "target_group": f"group {n % groups}", "form": "adj", "spans": _SPANS[attribute],
            }
            for n in numbers.tolist()
        ],
        kind,
    )  # fmt: skip


def _answers(rows: Any, verdicts: Any, many: int, rng: numpy.random.Generator) -> dict[str, Any]:
    """The original's answer before those to its mutants."""
    texts = len(rows)
    mutant = numpy.concatenate(
        [numpy.full((texts, 1), -1), numpy.arange(texts * many).reshape(texts, many)], axis=1
    ).ravel()
    first = numpy.arange(texts) * (many + 1)
    own = numpy.delete(numpy.arange(len(mutant)), first)
    verdict = numpy.full(len(mutant), -1)
    verdict[own] = verdicts
    asked = verdict != 3
    turned = (verdict == 1) | (verdict == _SHARE_OF_HIDDEN)
    lost = verdict == 4
    labels = pyarrow.array([["positive"], ["negative"], []]).take(
        pyarrow.array(numpy.where(~asked | lost, 2, turned))
    )
    score = rng.random(len(mutant)).astype("float32")
    offsets = numpy.arange(len(mutant) + 1) * 2
    maps = pyarrow.MapArray.from_arrays(
        pyarrow.array(offsets, pyarrow.int32()),
        pyarrow.array(["negative", "positive"] * len(mutant)),
        pyarrow.array(numpy.stack([score, 1 - score], axis=1).ravel()),
    )
    missing = (verdict == -1) | ~asked | lost
    numbers = pyarrow.array(score, mask=missing)
    return {
        "row": numpy.repeat(rows + 1, many + 1), "mutant": mutant,
        "verdict": pyarrow.array(_VERDICTS[verdict].astype(object), mask=verdict == -1),
        "changed": pyarrow.array(turned, mask=missing), "labels": labels, "scores": maps,
        "shift": numbers, "margin": numbers, "interaction": numbers,
        "failure": _where(lost, "no label"), "detail": _where(lost, "The answer names no label."),
        "reply": pyarrow.nulls(len(mutant), pyarrow.string()),
    }  # fmt: skip


def _where(chosen: Any, words: str) -> Any:
    return pyarrow.array([words if one else None for one in chosen], pyarrow.string())


def _write(path: Path, columns: dict[str, Any], schema: Any) -> None:
    given = pyarrow.table(columns)
    for field in schema:  # of later versions
        if field.name not in columns:
            given = given.append_column(field, pyarrow.nulls(len(given), field.type))
    table = given.select(schema.names).cast(schema)
    pyarrow.parquet.write_table(table, path, compression="zstd", write_page_checksum=True)


def table(mutants: Sequence[int]) -> None:
    """Print seconds, ratios to the first report, and peak memory of a report and of findings."""
    print(f"{'mutants':>12} {'':<32} {'s':>8} {'CPU s':>8} {'of first':>9} {'peak MiB':>9}")
    for number in mutants:
        with tempfile.TemporaryDirectory() as folder:
            store = make(Path(folder) / "campaign", number)
            command = [sys.executable, "-c", _TIMED, str(store.folder)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        found = json.loads(done.stdout.splitlines()[-1])
        first = found["taken"]["report"][1]
        for name, (wall, worked) in found["taken"].items():
            peak = f"{found['peak']:9.0f}" if name == "report" else ""
            figures = f"{wall:8.2f} {worked:8.2f} {worked / first:9.3f}"
            print(f"{number:>12,} {name:<32} {figures} {peak}", flush=True)
