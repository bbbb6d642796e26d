"""Files of other people's making: columns found and mapped, rows told apart, faults by row."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import uuid4

import pytest

from hinter_core.annotation.files.columns import ColumnMapping
from hinter_core.annotation.files.importing import Imported, import_file
from hinter_core.annotation.files.rows import fix_encoding
from hinter_core.annotation.project.questions import default_questions, read_questions
from hinter_core.annotation.project.store import AnnotationStore
from hinter_core.annotation.project.types import (
    AnnotationError,
    AnnotationItem,
    GoneError,
    Project,
    Status,
)
from hinter_core.errors import InputError
from hinter_core.files.columns import pairs_of as pairs
from tests.conformance.hub import LocalHub, ask_there, parquet

QUESTIONS = read_questions(
    """
questions:
  - id: sense
    ask: Does it make sense?
    answers: [{value: yes, label: Yes}, {value: no, label: No}, {value: unsure, label: Not sure}]
  - id: same
    ask: Does it mean the same?
    pair: true
    answers: [{value: yes, label: Yes}, {value: no, label: No}]
  - id: mood
    ask: Which mood has it?
    answers: [{value: good}, {value: bad}]
""",
    "these questions",
)[1]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[AnnotationStore]:
    made, _ = AnnotationStore.create(tmp_path / "p.sqlite", Project("Trial", QUESTIONS))
    yield made
    made.close()


def write(folder: Path, rows: Sequence[Sequence[str]], name: str = "") -> str:
    path = folder / (name or f"{uuid4().hex}.csv")
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return str(path)


def bring(store: AnnotationStore, file: str, mapped: str = "", values: str = "",
          **more: object) -> Imported:  # fmt: skip
    reading = ColumnMapping(
        pairs([mapped] if mapped else [], "--map"), pairs([values] if values else [], "--values"),
        **more,  # type: ignore[arg-type]
    )  # fmt: skip
    return import_file(store, file, reading)


TRIPLES = [
    ["triple", "kind", "text", "mood felt", "makes_sense", "comment"],
    ["0", "original", "He was a fine waiter.", "Good", "Yes", ""],
    ["0", "mutant", "She was a fine waiter.", "Good", "Yes", "=1+1"],
    ["0", "mutant", "They was a fine waiter.", "bad", "No", "<b>bad</b> grammar"],
    ["1", "mutant", "She slept.", "Good", "Perhaps", ""],
    ["1", "original", "He slept.", "Mixed", "Not sure", ""],
]


def test_two_annotators_files_of_triples(store: AnnotationStore, tmp_path: Path) -> None:
    mapped = "group=triple,sense=makes_sense,mood=mood felt"
    done = bring(store, write(tmp_path, TRIPLES), mapped, annotator="Ann", attributes=("gender",))
    assert (done.rows, done.items, done.judgements, done.people) == (5, 5, 5, ["Ann"])
    assert [row for row, _ in done.problems] == [4, 5]
    assert "'Perhaps' is no answer to 'sense'" in done.problems[0][1]
    second = [[*row[:3], "Bad", "No", ""] for row in TRIPLES[1:]]
    done = bring(store, write(tmp_path, [TRIPLES[0], *second]), mapped, annotator="Bo")
    assert (done.items, done.items_known, done.judgements, done.problems) == (0, 5, 5, [])
    items = {item.mutant: item for item in store.items()}
    assert items["He slept."].source == ""
    assert items["She slept."].source == "He slept."
    assert items["She slept."].group == "1"
    assert items["They was a fine waiter."].attributes == ("gender",)
    assert items["He slept."].attributes == ()
    said = {(j.annotator, j.item): j for j in store.judgements()}
    of_ann = said["Ann", items["They was a fine waiter."].id]
    assert (of_ann.answers, of_ann.comment) == (
        {"sense": "no", "mood": "bad"}, "<b>bad</b> grammar",
    )  # fmt: skip
    assert said["Ann", items["She slept."].id].answers == {"mood": "good"}
    assert said["Bo", items["She slept."].id].answers == {"sense": "no", "mood": "bad"}


def test_the_same_file_twice_adds_nothing_and_another_answer_corrects(
    store: AnnotationStore, tmp_path: Path
) -> None:
    rows = [["text", "annotator", "sense"], ["One.", "Ann", "yes"], ["Two.", "Bo", "no"]]
    file = write(tmp_path, rows)
    assert bring(store, file).judgements == 2
    again = bring(store, file)
    assert (again.items, again.judgements, again.judgements_known) == (0, 0, 2)
    rows[1][2] = "no"
    assert bring(store, write(tmp_path, rows)).judgements == 1
    assert [j.answers["sense"] for j in store.judgements()] == ["no", "no"]
    assert len(list(store.judgements(history=True))) == 3
    assert bring(store, file).judgements == 0
    with store.read() as connection:
        assert connection.execute("SELECT COUNT(*) FROM assignments").fetchone()[0] == 2


@pytest.mark.parametrize(
    ("header", "mapped", "more", "why"),
    [
        ("a,b", "", {}, r"no column of texts to judge; it has a, b.*--map mutant=COLUMN"),
        ("text,sense", "", {}, r"no column of annotators; give --annotator NAME"),
        ("text,b", "", {"annotator": "Ann"}, r"no column of answers.*--map answer.sense=COLUMN"),
        ("text,b", "mutant=c", {}, r"has no column 'c'; it has text, b"),
        ("text,b", "colour=b", {}, r"no part 'colour'; a column can be item"),
        ("text,kind", "role=kind", {}, r"no column of their groups.*--map group=COLUMN"),
    ],
)
def test_other_columns_are_named(
    store: AnnotationStore, tmp_path: Path, header: str, mapped: str, more: dict[str, object],
    why: str,
) -> None:  # fmt: skip
    file = write(tmp_path, [header.split(","), ["x1", "x2"]])
    with pytest.raises(InputError, match=why):
        bring(store, file, mapped, **more)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ("Fine=perhaps", "no answer is 'perhaps'; use yes, no, unsure, good, bad"),
        ("mood:Fine=yes", "no answer is 'yes'; use good, bad"),
        ("size:Fine=yes", "no question 'size'; the project asks sense, same, mood"),
    ],
)
def test_values_that_no_answer_has(
    store: AnnotationStore, tmp_path: Path, values: str, why: str
) -> None:
    file = write(tmp_path, [["text", "annotator", "sense"], ["One.", "Ann", "Fine"]])
    with pytest.raises(InputError, match=why):
        bring(store, file, values=values)
    with pytest.raises(InputError, match="write NAME=VALUE"):
        pairs(["Fine"], "--values")


def test_a_column_with_a_comma_in_its_name() -> None:
    assert pairs(["mutant=text, clean,sense=ok", "item="], "--map") == {
        "mutant": "text, clean", "sense": "ok", "item": "",
    }  # fmt: skip


def test_values_are_mapped_for_all_or_one_question(store: AnnotationStore, tmp_path: Path) -> None:
    rows = [["text", "annotator", "sense", "mood"], ["One.", "Ann", "Fine", "Fine"],
            ["Two.", "Ann", "n/a", "bad"]]  # fmt: skip
    done = bring(store, write(tmp_path, rows), values="Fine=yes,mood:fine=good,n/a=")
    assert done.problems == []
    assert [j.answers for j in store.judgements()] == [
        {"sense": "yes", "mood": "good"}, {"mood": "bad"},
    ]  # fmt: skip


FAULTS = [
    ("", "Ann", "yes", "there is no text to judge"),
    ("x" * 100_001, "Ann", "yes", "more than 100,000 characters"),
    ("Long name.", "A" * 41, "yes", "is no name"),
    ("Nobody.", "", "yes", "but no annotator"),
    ("First.", "Ann", "no", "contradicts row 1"),
    ("First.", "ann", "yes", "repeats row 1"),
    ("Compared.", "Ann", "yes,yes", "has 4 cells where the header has 3"),
]


def test_bad_rows_are_listed_and_good_ones_kept(store: AnnotationStore, tmp_path: Path) -> None:
    lines = ["text,annotator,sense", "First.,Ann,yes"]
    lines += [",".join(fault[:3]) for fault in FAULTS]
    lines += ["Last.,Bo,no"]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    done = bring(store, str(path))
    assert [row for row, _ in done.problems] == list(range(2, 2 + len(FAULTS)))
    for (_, told), (*_, why) in zip(done.problems, FAULTS, strict=True):
        assert why in told
    assert {(j.annotator, j.answers["sense"]) for j in store.judgements()} == {
        ("Ann", "yes"), ("Bo", "no"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ({"showing": "3"}, "once or twice"),
        ({"status": "lost"}, "status 'lost' is unknown"),
        ({"seconds": "long"}, "'long' is no number"),
        ({"at": "yesterday"}, "is no time"),
        ({"kept": "maybe"}, "kept is yes or no"),
        ({"edits": "[1]"}, "edits cannot be read"),
        ({"edits": "black to white"}, "write race: black -> white"),
        ({"verdicts": "biased"}, "no JSON"),
        ({"answer.sense": ""}, "its status is judged, but it has no answers"),
        ({"answer.same": "yes", "answer.sense": ""}, "compares with a source"),
        ({"comment": "x" * 5000}, "more than 4,000"),
    ],
)
def test_what_is_wrong_with_a_row(
    store: AnnotationStore, tmp_path: Path, cells: dict[str, str], why: str
) -> None:
    row = {"mutant": "A text.", "annotator": "Ann", "status": "judged", "answer.sense": "yes"}
    path = tmp_path / "rows.jsonl"
    lines = [row | cells, row | {"mutant": "Another."}]
    path.write_text("\n".join(json.dumps(line) for line in lines))
    done = bring(store, str(path))
    assert why in "; ".join(told for _, told in done.problems)
    assert {number for number, _ in done.problems} == {1}
    assert done.judgements == 1


def test_edits_as_a_person_writes_them(store: AnnotationStore, tmp_path: Path) -> None:
    rows = [["source", "mutant", "edits", "kept"], ["He ate.", "She ate.", "gender: he -> she",
            "no"]]  # fmt: skip
    bring(store, write(tmp_path, rows))
    (item,) = store.items()
    assert [(e.attribute, e.target.text) for e in item.edits] == [("gender", "she")]
    assert item.kept is False


def test_items_by_id_that_the_project_has(store: AnnotationStore, tmp_path: Path) -> None:
    store.add(
        [AnnotationItem("a", "One."), AnnotationItem("b", "Two."), AnnotationItem("gone", "Three.")]
    )
    store.remove("gone")
    rows = [["id", "annotator", "sense"], ["a", "Ann", "yes"], ["gone", "Ann", "yes"],
            ["new", "Ann", "yes"], ["b", "Ann", "no"]]  # fmt: skip
    done = bring(store, write(tmp_path, rows))
    assert [(row, why.partition(",")[0]) for row, why in done.problems] == [
        (2, "the item 'gone' was removed"), (3, "the item 'new' is not in the project"),
    ]  # fmt: skip
    assert [j.item for j in store.judgements()] == ["a", "b"]
    rows = [["id", "text"], ["a", "Quite another."], ["c", "Two."], ["gone", "Three."],
            ["d", "New."], ["d", "New."]]  # fmt: skip
    done = bring(store, write(tmp_path, rows))
    told = dict(done.problems)
    assert "has other texts here" in told[1]
    assert "was removed" in told[3]
    assert "repeats the item of row 4" in told[5]
    assert 2 not in told  # the same text under another id is the same item
    assert [item.id for item in store.items()] == ["a", "b", "d"]


def test_a_closed_project_takes_nothing(store: AnnotationStore, tmp_path: Path) -> None:
    store.change(closed=True)
    with pytest.raises(GoneError, match="hinter annotate reopen"):
        bring(store, write(tmp_path, [["text"], ["One."]]))
    assert list(store.items()) == []


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("empty.csv", b"", "holds no row"),
        ("header.csv", b"text\n", "holds no row"),
        ("broken.json", b"[{", "is no JSON file"),
        ("half.csv.gz", gzip.compress(b"text\n" + b"A text.\n" * 999, mtime=0)[:20], "is it whole"),
        ("not.parquet", b"text", "is no Parquet file"),
        ("table.xlsx", b"PK", "is no workbook"),
        ("folder", None, "holds no data set"),
        ("missing.csv", None, "There is no file"),
    ],
)
def test_files_that_cannot_be_read(
    store: AnnotationStore, tmp_path: Path, name: str, content: bytes | None, why: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    elif name == "folder":
        (tmp_path / name).mkdir()
    with pytest.raises(InputError, match=why):
        bring(store, str(tmp_path / name))


def test_a_name_of_a_person_who_joined_is_theirs(store: AnnotationStore, tmp_path: Path) -> None:
    store.join("Ann", "correct horse")
    bring(store, write(tmp_path, [["text", "annotator", "sense"], ["One.", " ann ", "yes"],
                                  ["One.", "Bo", "yes"]]))  # fmt: skip
    assert [person.name for person in store.annotators()] == ["Ann", "Bo"]
    assert [j.annotator for j in store.judgements()] == ["Ann", "Bo"]
    with pytest.raises(AnnotationError, match="taken"):
        store.join("Bo", "correct horse")  # nobody can take over what was brought along


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Zo\u00c3\u00aftsa sang", "Zo\u00eftsa sang"),
        ("\u00d0\u0153\u00d0\u00b0\u00d0\u00bc", "\u041c\u0430\u043c"),
        ("it\u00e2\u20ac\u2122s", "it\u2019s"),
        ("\u00f0\u0178\u2122\u201a", "\U0001f642"),
        ("Zo\u00eftsa, \u00c3 la carte, 20 \u20ac", "Zo\u00eftsa, \u00c3 la carte, 20 \u20ac"),
    ],
)
def test_letters_encoded_twice(text: str, meant: str) -> None:
    assert fix_encoding(text) == meant


def test_letters_encoded_twice_are_told_and_mended(store: AnnotationStore, tmp_path: Path) -> None:
    good = write(tmp_path, [["text"], ["Zo\u00eftsa sang."]])
    twice = write(tmp_path, [["text"], ["Zo\u00c3\u00aftsa sang."]])
    assert bring(store, good).items == 1
    done = bring(store, twice, mend=True)
    assert (done.items, done.items_known) == (0, 1)
    done = bring(store, twice)
    assert done.items == 1
    assert "1 texts look as if they were encoded twice" in " ".join(done.notes)


LABEL_STUDIO = [
    {
        "id": 12,
        "data": {"text": "She was kind.", "source": "He was kind."},
        "annotations": [
            {"id": 1, "completed_by": {"id": 3, "email": "ann@example.org", "first_name": "Ann",
                                       "last_name": "Lee"},
             "result": [{"from_name": "makes_sense", "to_name": "t", "type": "choices",
                         "value": {"choices": ["Yes"]}},
                        {"from_name": "mood", "to_name": "t", "type": "choices",
                         "value": {"choices": ["good"]}}],
             "lead_time": 4.5, "created_at": "2024-05-01T10:00:00.5Z", "was_cancelled": False},
            {"id": 2, "completed_by": 7, "result": [], "was_cancelled": True},
            {"id": 3, "completed_by": 8,
             "result": [{"from_name": "mood", "type": "choices",
                         "value": {"choices": ["good", "bad"]}}]},
        ],
    },
    {"id": 13, "data": {"text": "It rained."}, "annotations": []},
]  # fmt: skip


def test_an_export_of_label_studio(store: AnnotationStore, tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps(LABEL_STUDIO))
    done = bring(store, str(path), "sense=makes_sense")
    assert done.problems == [(3, "'mood' has 2 answers; one is needed")]
    first, skipped = store.judgements()
    assert (first.annotator, first.answers, first.seconds, first.at) == (
        "Ann Lee", {"sense": "yes", "mood": "good"}, 4.5, "2024-05-01T10:00:00.500+00:00",
    )  # fmt: skip
    assert (skipped.annotator, skipped.status) == ("user 7", Status.SKIPPED)
    assert [(i.mutant, i.source) for i in store.items()] == [
        ("She was kind.", "He was kind."), ("It rained.", ""),
    ]  # fmt: skip
    small = tmp_path / "small.json"  # as JSON-MIN has it
    small.write_text(json.dumps([{"text": "It rained.", "mood": "bad", "annotator": 9,
                                  "lead_time": 2}]))  # fmt: skip
    assert bring(store, str(small)).judgements == 1


ARGILLA = [
    {
        "id": "r1", "status": "completed", "fields": {"text": "She was kind."},
        "metadata": {"source": "He was kind."}, "suggestions": {}, "vectors": {},
        "responses": {
            "sense": [{"value": "yes", "user_id": "u-1"}, {"value": "no", "user_id": "u-2"}],
            "mood": [{"value": ["good"], "user_id": "u-1"}],
        },
    },
    {
        "id": "r2", "text": "It rained.", "status": "completed", "mood.responses": ["bad", "good"],
        "mood.responses.users": ["u-1", "u-2"], "mood.responses.status": ["submitted", "discarded"],
        "mood.suggestion": "bad", "mood.suggestion.score": 0.9,
    },
]  # fmt: skip


def test_records_of_argilla_nested_and_flat(store: AnnotationStore, tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in ARGILLA))
    assert bring(store, str(path)).problems == []
    said = {(j.item, j.annotator): (j.status, j.answers) for j in store.judgements()}
    assert said == {
        ("r1", "u-1"): (Status.JUDGED, {"sense": "yes", "mood": "good"}),
        ("r1", "u-2"): (Status.JUDGED, {"sense": "no"}),
        ("r2", "u-1"): (Status.JUDGED, {"mood": "bad"}),
        ("r2", "u-2"): (Status.SKIPPED, {}),
    }
    assert {item.id: item.source for item in store.items()} == {"r1": "He was kind.", "r2": ""}


@pytest.mark.slow
def test_data_sets_in_a_folder_and_on_the_hub(
    store: AnnotationStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datasets

    hub = LocalHub()
    ask_there(hub.address, monkeypatch, str(tmp_path / "cache"))
    columns: dict[str, list[object]] = {
        "text": ["One.", "Two."], "annotator": ["Ann", "Bo"], "mood": ["good", "bad"],
    }  # fmt: skip
    hub.commit("some/words", {"data/train-0.parquet": parquet(**columns)})
    try:
        assert bring(store, "hf:some/words").judgements == 2
    finally:
        hub.close()
    names = datasets.ClassLabel(names=["good", "bad"])
    features = datasets.Features(
        {"text": datasets.Value("string"), "annotator": datasets.Value("string"), "mood": names}
    )
    numbers = datasets.Dataset.from_dict({**columns, "mood": [1, 0]}, features)
    numbers.save_to_disk(str(tmp_path / "saved"))
    done = bring(store, str(tmp_path / "saved"))
    assert (done.items, done.judgements) == (0, 2)
    assert [j.answers["mood"] for j in store.judgements()] == ["bad", "good"]


def test_default_questions_take_their_words(tmp_path: Path) -> None:
    project = Project("Probe", default_questions("de", ["gut", "schlecht"])[1])
    store, _ = AnnotationStore.create(tmp_path / "de.sqlite", project)
    labels = [answer.label for answer in project.questions[0].answers]
    rows = [["text", "annotator", "sense"], *([f"Satz {n}.", "Ann", label.upper()]
            for n, label in enumerate(labels))]  # fmt: skip
    bring(store, write(tmp_path, rows))
    assert [j.answers["sense"] for j in store.judgements()] == ["yes", "no", "unsure"]
    store.close()


def test_what_is_left_out_is_counted_as_what_it_is(store: AnnotationStore, tmp_path: Path) -> None:
    file = write(tmp_path, [
        ["id", "text", "annotator", "sense", "mood", "seconds"],
        ["a", "One.", "Ann", "yes", "odd", ""],  # an answer
        ["b", "Two.", "Ann", "maybe", "odd", ""],  # a judgement, whatever its answers
        ["c", "Three.", "", "yes", "good", ""],  # a judgement of nobody, and so its row
        ["a", "Other.", "Ann", "yes", "good", ""],  # a row
        ["e", "Five.", "Bo", "yes", "good", ""],
    ])  # fmt: skip
    done = bring(store, file)
    assert (done.rows, done.items, done.judgements) == (5, 4, 2)
    assert done.left_out == {"answers": 1, "judgements": 2, "rows": 1}
    assert len(done.problems) == 5


def test_a_text_without_its_partner_is_named(store: AnnotationStore, tmp_path: Path) -> None:
    """Two people judged the same twelve texts; in one file, one letter of one text is another."""
    texts = [f"The waiter number {n} left." for n in range(12)]
    first = bring(store, write(tmp_path, [["text", "annotator", "sense"],
                                          *([text, "Ann", "yes"] for text in texts)]))  # fmt: skip
    assert not [note for note in first.notes if "only one person" in note]  # nobody else yet
    texts[7] = texts[7].replace("waiter", "w\u0430iter")  # a Cyrillic a
    rows = [["text", "annotator", "sense"], *([text, "Bo", "yes"] for text in texts)]
    done = bring(store, write(tmp_path, rows))
    assert (done.items, done.judgements) == (1, 12)
    (note,) = (note for note in done.notes if "only one person" in note)
    assert note.startswith(
        "Texts that only one person judged: 2 of 13, in this file those of row 8."
    )


def test_texts_shared_out_between_people_are_no_exception(
    store: AnnotationStore, tmp_path: Path
) -> None:
    rows = [[f"Text {n}.", "Ann" if n % 2 else "Bo", "yes"] for n in range(10)]
    rows += [["Text 0.", "Ann", "yes"]]
    done = bring(store, write(tmp_path, [["text", "annotator", "sense"], *rows]))
    assert not [note for note in done.notes if "only one person" in note]
