"""What later tasks and generators fill comes back from the tables as it was."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet

from hinter_core.campaign.parquet import read_table, table_writer, write_table
from hinter_core.campaign.running.rows import original_row, plan_from_row, text_row
from hinter_core.campaign.tables import answer_schema, text_schema
from hinter_core.data.rows import Row
from hinter_core.models.registry import open_store
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.case import TestCase
from hinter_core.pipeline.export import origin_to_json, prediction_to_json
from hinter_core.types import ROW, Origin, OriginKind, Prediction, Slot

TEXT = "Jane Doe left."
MADE = Plan.of_text(
    TEXT,
    Settings(),
    origin=Origin(OriginKind.TEMPLATE, "farewell"),
    slots=(Slot("name", (0, 8)),),
)


def test_batches_of_a_table_are_stored_in_large_pieces(tmp_path: Path) -> None:
    """Pieces of a batch each took twice the room."""
    path, plan = tmp_path / "0.texts.parquet", Plan.of_text(TEXT, Settings())
    rows = [text_row(Row(i, str(i), TEXT), plan, "", 0, tested=True) for i in range(20_000)]
    with table_writer(path, text_schema()) as write:
        for start in range(0, len(rows), 500):
            write(rows[start : start + 500])
    assert pyarrow.parquet.read_metadata(path).num_row_groups == 2
    assert [row["row"] for row in read_table(path, "row").to_pylist()] == list(range(20_000))


def test_origin_and_slots_of_a_text_are_stored(tmp_path: Path) -> None:
    path = tmp_path / "0.texts.parquet"
    plain = Plan.of_text(TEXT, Settings())
    rows = [
        text_row(Row(i, str(i), TEXT), p, "", 0, tested=True) for i, p in ((1, MADE), (2, plain))
    ]
    write_table(path, rows, text_schema())
    made, of_row = read_table(path).to_pylist()
    assert (of_row["origin"], of_row["slots"]) == (None, None)
    assert plan_from_row(made, Settings()) == MADE
    assert plan_from_row(of_row, Settings()).origin == ROW
    old = {name: value for name, value in of_row.items() if name not in ("origin", "slots")}
    assert plan_from_row(old, Settings()) == plain
    assert origin_to_json(plain) == {}
    assert origin_to_json(MADE)["slots"] == [{"name": "name", "span": [0, 8]}]


def test_answers_of_other_tasks_are_stored_and_exported(tmp_path: Path) -> None:
    case, store = TestCase(MADE, number=1), open_store("vader")
    path = tmp_path / "0.answers-x.parquet"
    words = {"his": 0.5, "her": 0.25}
    case.originals["vader"] = Prediction(masks=(words,), clusters=(((0, 4), (5, 8)),))
    write_table(path, [{**original_row(case, store), "verdict": None}], answer_schema())
    (row,) = read_table(path).to_pylist()
    assert [dict(mask) for mask in row["masks"]] == [words]
    assert row["clusters"] == [[0, 4, 5, 8]]
    assert prediction_to_json(case.originals["vader"]) == {
        "labels": [], "scores": {}, "masks": [words], "clusters": [[[0, 4], [5, 8]]],
    }  # fmt: skip
