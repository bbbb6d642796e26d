"""A chunk that is read once says what the records of its mutants say."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from hinter_core.campaign.parquet import StoreError, read_table
from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.store import CampaignStore
from hinter_core.report.mutants.narrow import Chunk, read_chunk

FIRST = 'scripted:negative if "woman" and "white"; positive otherwise'
SECOND = 'scripted:negative if "man"; positive otherwise'


@pytest.fixture(scope="module")
def store(make: Callable[..., CampaignStore]) -> CampaignStore:
    people = (
        "black man",
        "soup",
        "young white woman",
        "Syrian man",
        "old black woman",
        "white boy",
    )
    texts = [f"The {who} was kind that evening." for who in people]
    return make(texts, ["race", "gender", "age"], 3, FIRST, SECOND)


@pytest.fixture
def copy(store: CampaignStore, tmp_path: Path) -> CampaignStore:
    return CampaignStore(shutil.copytree(store.folder, tmp_path / "copy"))


def rewrite(path: Path, table: pyarrow.Table) -> None:
    pyarrow.parquet.write_table(table, path, row_group_size=7, write_page_checksum=True)


def known(table: pyarrow.Table, key: str) -> dict[int, dict[str, Any]]:
    return {row[key]: row for row in table.to_pylist()}


def in_words(chunk: Chunk, row: dict[str, Any]) -> tuple[Any, ...]:
    groups, swaps = known(chunk.groups, "key"), known(chunk.swaps, "swap")
    edits = [swaps[row[f"s{n}"]]["edit"] for n in range(1, row["order"] + 1)]
    assert {row[f"s{n}"] for n in range(row["order"] + 1, chunk.width + 1)} <= {None}
    group = groups[row["key"]]
    assert group["set"] == row["set"]
    assert group["groups"] == [edit["target_group"] for edit in edits]
    assert group["attributes"] == [edit["attribute"] for edit in edits]
    words = tuple((edit["attribute"], edit["source"], edit["target"]) for edit in edits)
    return row["shard"], row["place"], row["row"], words, row["kept"], row["places"]


def test_a_chunk_says_what_the_records_say(copy: CampaignStore) -> None:
    with CampaignReader(copy) as reader:
        records = list(reader.records())
        shards = reader.shards
        second = reader.models[SECOND]
    assert len(shards) > 1
    for shard in shards[1:]:  # in pieces and in another order, which an import may leave
        table = read_table(copy.answers(shard, second))
        rewrite(copy.answers(shard, second), table.take(list(reversed(range(len(table))))))
        rewrite(copy.mutants(shard), read_table(copy.mutants(shard)))
    copy.answers(shards[0], second).unlink()
    with CampaignReader(copy) as reader:
        chunk = read_chunk(reader, shards)
    expected = [
        (
            one.shard, one.place, one.row,
            tuple((edit.attribute, edit.source.text, edit.target.text) for edit in one.edits),
            one.kept, sum(len(edit.spans) for edit in one.edits),
        )
        for one in records
    ]  # fmt: skip
    assert [in_words(chunk, row) for row in chunk.mutants.to_pylist()] == expected
    labels = known(chunk.labels, "labels")
    for name, first in ((FIRST, shards[0]), (SECOND, shards[1])):
        rows = chunk.judged[name].to_pylist()
        answered = [one for one in records if one.shard >= first]
        assert [(row["shard"], row["place"]) for row in rows] == [
            (one.shard, one.place) for one in answered
        ]
        for row, one in zip(rows, answered, strict=True):
            assert row["verdict"] == one.answers[name].verdict
            assert tuple(labels[row["labels"]]["names"]) == one.answers[name].labels
        given = {
            row["row"]: tuple(labels[row["labels"]]["names"])
            for row in chunk.originals[name].to_pylist()
        }
        assert given == {one.row: one.answers[name].original for one in answered}


def test_groups_are_told_apart_by_all_of_their_names(copy: CampaignStore) -> None:
    path = copy.mutants(0)
    table = read_table(path)
    rows = [row for row in table.to_pylist() if len(row["edits"]) == 2][:1] * 144
    edits = [
        [
            edit | {"target_group": f"group {n}"}
            for edit, n in zip(row["edits"], numbers, strict=True)
        ]
        for row, numbers in zip(rows, product(range(24), range(6)), strict=True)
    ]
    kind = table.schema.field("edits").type
    rewrite(path, pyarrow.Table.from_pylist(rows, table.schema).set_column(
        table.schema.get_field_index("edits"), "edits", pyarrow.array(edits, kind)
    ))  # fmt: skip
    with CampaignReader(copy, []) as reader:
        chunk = read_chunk(reader, [0])
    assert len(set(chunk.groups["key"].to_pylist())) == len(rows)


def test_answers_of_another_shard_are_seen(copy: CampaignStore) -> None:
    with CampaignReader(copy) as reader:
        right, wrong = (copy.answers(shard, reader.models[FIRST]) for shard in (0, 1))
        wrong.write_bytes(right.read_bytes())
        with pytest.raises(StoreError, match="do not fit its shard"):
            read_chunk(reader, reader.shards)
        with pytest.raises(StoreError, match=r"do not fit"):
            reader.check(reader.shards)
    assert wrong in copy.unfit(ends=True)
    assert wrong in copy.unfit()
    assert any(fault.startswith(f"{wrong.name} ") for fault in copy.verify())


def test_answers_that_do_not_fit_are_refused(copy: CampaignStore) -> None:
    with CampaignReader(copy) as reader:
        path = copy.answers(1, reader.models[FIRST])
        rewrite(path, read_table(path).slice(0, 3))
        with pytest.raises(StoreError, match="do not fit"):
            read_chunk(reader, reader.shards)
