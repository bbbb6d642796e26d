"""Handwritten mutants: written to a file, changed there, and tested exactly as they stand."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from hinter_core.campaign import findings
from hinter_core.campaign.findings import ExportFilter, Side, choose_sides, write_mutants
from hinter_core.campaign.parquet import StoreError, read_table
from hinter_core.campaign.preview import forecast
from hinter_core.campaign.running.run import plan_run, run_campaign
from hinter_core.campaign.spec import Campaign, load_campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.data.handwritten import HANDWRITTEN, open_handwritten, read_edits, write_edits
from hinter_core.errors import InputError
from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.edits import difference
from hinter_core.report.compared.comparison import compare
from hinter_core.report.compared.sections import change_row
from hinter_core.report.metrics.examples import example_row
from hinter_core.report.model import make_report
from hinter_core.report.sections import sections
from hinter_core.types import Verdict
from tests.examples import within
from tests.findings import many, matching
from tests.unit.campaign.pickled import pickled

Make = Callable[..., CampaignStore]
Line = tuple[tuple[str, ...], bool, str, list[str]]  # words brought in, kept, verdict, labels
WOMEN = "scripted:bad if race=white and gender=female; good otherwise"
EVEN = 'scripted:bad if "unicorn"; good otherwise'
SYRIANS = "scripted:bad if race=middle-eastern; good otherwise"
TEXTS = [
    "The black man was kind.",
    "A white woman paid for the soup.",
    "The old black man left.",
    "=SUM(A1) said the white man.",
    "It rained.",
]


def cells(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def save(path: Path, rows: Sequence[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        names = list(dict.fromkeys(name for row in rows for name in row))
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)
    return path


def run_handwritten(path: Path, *models: str, **settings: Any) -> CampaignStore:
    """Run a file of mutants."""
    store = CampaignStore(path.parent / f"{path.stem}-{len(models)}-out")
    run_campaign(Campaign(mutants=str(path), models=models, shard=2, **settings), store)
    assert store.verify() == []
    return store


def verdicts(store: CampaignStore, model: str) -> list[Line]:
    """Every mutant, in an order that does not depend on that of the tables."""
    identity = store.read()["models"][model]["identity"]
    every = []
    for shard in store.known():
        mutants = read_table(store.mutants(shard)).to_pylist()
        for answer in read_table(store.answers(shard, identity)).to_pylist():
            if answer["mutant"] >= 0:
                mutant = mutants[answer["mutant"]]
                words = tuple(edit["target"] for edit in mutant["edits"])
                every.append((words, mutant["kept"], answer["verdict"], answer["labels"]))
    return sorted(every)


@pytest.fixture(scope="module")
def original(make: Make) -> CampaignStore:
    return make(TEXTS, ["race", "gender", "age"], 3, WOMEN, SYRIANS)


@pytest.mark.parametrize("name", ["m.csv", "m.tsv", "m.csv.gz", "m.jsonl", "m.parquet"])
def test_untouched_they_end_in_the_same_verdicts_whatever_the_file(
    original: CampaignStore, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    written = write_mutants(original, path, ExportFilter())
    again = run_handwritten(path, WOMEN, SYRIANS)
    for model in (WOMEN, SYRIANS):
        before = verdicts(original, model)
        assert len(before) == written > 20
        assert verdicts(again, model) == before
    assert Counter(line[2] for line in verdicts(again, WOMEN))["hidden"] > 0
    sources = [t for n in again.known() for t in read_table(again.texts(n))["text"].to_pylist()]
    assert sources == TEXTS[:4]


def test_cells_that_look_like_formulas_are_neutral_in_the_file_and_whole_again_after(
    original: CampaignStore, tmp_path: Path
) -> None:
    write_mutants(original, tmp_path / "m.csv", ExportFilter())
    rows = cells(tmp_path / "m.csv")
    assert any(row["source"] == "'=SUM(A1) said the white man." for row in rows)
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())
    texts = [row.text for row in open_handwritten(tmp_path / "m.csv").rows()]
    assert texts == TEXTS[:4]


def test_only_what_is_wanted_is_written_with_its_parts(
    original: CampaignStore, tmp_path: Path
) -> None:
    hidden = [line for line in verdicts(original, WOMEN) if line[2] == "hidden"]
    wanted = ExportFilter((Verdict.HIDDEN,), models=(WOMEN,))
    write_mutants(original, tmp_path / "parts.csv", wanted)
    parts = cells(tmp_path / "parts.csv")
    assert sum(row[f"verdict: {WOMEN}"] == "hidden" for row in parts) == len(hidden) > 0
    assert f"verdict: {SYRIANS}" not in parts[0]
    again = verdicts(run_handwritten(tmp_path / "parts.csv", WOMEN), WOMEN)
    assert sum(line[2] == "hidden" for line in again) == len(hidden)
    alone = ExportFilter((Verdict.HIDDEN,), models=(WOMEN,), parts=False)
    assert write_mutants(original, tmp_path / "alone.csv", alone) == len(hidden)
    again = verdicts(run_handwritten(tmp_path / "alone.csv", WOMEN), WOMEN)
    assert {line[2] for line in again} == {"biased"}  # no part is there that could be benign
    pairs = ExportFilter(attributes=("gender", "race"), limit=3, parts=False)
    assert write_mutants(original, tmp_path / "pairs.jsonl", pairs) == 3
    assert write_mutants(original, tmp_path / "limit.csv", ExportFilter(limit=4, parts=False)) == 4


def test_what_cannot_be_written_is_refused(original: CampaignStore, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("work of a day")
    with pytest.raises(InputError, match="already exists and may hold edits by hand"):
        write_mutants(original, tmp_path / "mine.csv", ExportFilter())
    with pytest.raises(InputError, match="no known format"):
        write_mutants(original, tmp_path / "m.docx", ExportFilter())
    with pytest.raises(InputError, match=r"use \.csv"):
        write_mutants(original, tmp_path / "m.txt", ExportFilter())
    with pytest.raises(InputError, match="'vader' was not tested"):
        write_mutants(original, tmp_path / "m.csv", ExportFilter(models=("vader",)))
    with pytest.raises(StoreError, match="Cannot write"):
        write_mutants(original, tmp_path / "none" / "m.csv", ExportFilter())
    with pytest.raises(StoreError, match="is no campaign"):
        write_mutants(CampaignStore(tmp_path), tmp_path / "m.csv", ExportFilter())
    assert [path.name for path in tmp_path.iterdir()] == ["mine.csv"]


SOURCE = "The black man was kind."
BY_ROW = [
    {"source": SOURCE, "mutant": "The white man was kind.", "edits": "race: black -> white"},
    {"source": SOURCE, "mutant": "The black woman was kind.", "edits": "gender: man -> woman"},
    {"source": SOURCE, "mutant": "The white woman was kind. So it was.",
     "edits": "gender: man -> woman; race: black -> white"},
]  # fmt: skip
KIND = "scripted:bad if race=white and gender=female; good otherwise"


def test_a_text_changed_by_hand_is_asked_as_it_stands(tmp_path: Path) -> None:
    model = "scripted:bad if race=white and gender=female; good otherwise"
    store = run_handwritten(save(tmp_path / "a.csv", BY_ROW), model)
    (text,) = read_table(store.texts(0)).to_pylist()
    assert (text["text"], text["outcome"], text["mutants"]) == (SOURCE, "tested", 3)
    mutants = read_table(store.mutants(0)).to_pylist()
    assert [m["text"] for m in mutants] == [row["mutant"] for row in BY_ROW]
    # A sentence more breaks the invariant, and the model is not asked.
    assert [m["kept"] for m in mutants] == [True, True, False]
    assert [line[2] for line in verdicts(store, model)] == ["benign", "benign", "discarded"]
    asked = [*BY_ROW[:2], {**BY_ROW[2], "ask": "yes"}]
    store = run_handwritten(save(tmp_path / "b.csv", asked), model)
    assert [m["kept"] for m in read_table(store.mutants(0)).to_pylist()] == [True, True, False]
    assert {line[0]: line[2] for line in verdicts(store, model)} == {
        ("white",): "benign", ("woman",): "benign", ("woman", "white"): "hidden",
    }  # fmt: skip
    examples = next(s for s in sections(make_report(store)) if s.key == "examples")
    assert examples.rows[0][-1] == "The white woman was kind. So it was."
    again = tmp_path / "again.csv"
    write_mutants(store, again, ExportFilter())
    assert [row["mutant"] for row in cells(again)] == [row["mutant"] for row in asked]
    assert [row["ask"] for row in cells(again)] == ["", "", "yes"]


def test_a_text_by_hand_is_shown_as_it_stands_wherever_mutants_are(tmp_path: Path) -> None:
    """Two mutants share their edits, and only the text tells them apart."""
    source, edits = "The black man was kind.", "race: black -> white; gender: man -> woman"
    rows = [
        {"source": source, "mutant": mutant, "edits": edits}
        for mutant in ("The white woman was kind.", "The pale lady was kind.")
    ]
    rows.append({"source": source, "mutant": "The white man was kind.", "edits": edits[:20]})
    rows.append({"source": source, "mutant": "The black woman was kind.", "edits": edits[22:]})
    rules = 'scripted:bad if "lady"; good otherwise'
    store = run_handwritten(save(tmp_path / "m.csv", rows), rules, EVEN)
    side, other = (Side(store, m) for m in (rules, EVEN))
    lady = rows[1]["mutant"]

    (example,) = make_report(store).models[0].examples
    assert example["mutant"] == lady
    assert example_row(example)["mutant"] == lady

    wanted = findings.FindingFilter()
    found = matching(side, wanted)
    assert Counter(f.mutant for f in found) == Counter(row["mutant"] for row in rows)
    assert [f.mutant for f in found if f.verdict == "hidden"] == [lady]
    assert many(side, findings.FindingFilter(search="pale LADY")) == 1
    stream = StringIO()
    findings.write_findings(side, wanted, stream)
    assert sorted(line["mutant"] for line in csv.DictReader(StringIO(stream.getvalue()))) == sorted(
        row["mutant"] for row in rows
    )

    out = tmp_path / "again.csv"
    write_mutants(store, out, ExportFilter())
    assert {line["mutant"] for line in cells(out)} == {row["mutant"] for row in rows}

    (seen,) = compare(side, other).changes
    assert change_row(seen)["mutant"] == lady


def test_mutants_by_hand_are_the_same_where_their_texts_are(tmp_path: Path) -> None:
    source, edits = "The black man was kind.", "race: black -> white"
    rules, stores = 'scripted:bad if "pale"; good otherwise', []
    for name, word in (("first", "white"), ("second", "pale")):
        rows = [
            {"source": source, "mutant": f"The {w} man was kind.", "edits": edits}
            for w in ("fair", word)
        ]
        stores.append(run_handwritten(save(tmp_path / f"{name}.csv", rows), rules))
    found = compare(*choose_sides(*stores))
    assert (found.shared, found.mutants, found.changes) == (1, (2, 2), [])


def test_of_two_texts_for_one_part_both_must_be_benign(tmp_path: Path) -> None:
    whole = {**BY_ROW[2], "mutant": "The white woman was kind."}
    other = {**BY_ROW[0], "mutant": "The white girl was kind."}  # biased, under the same edit
    for order, name in (([other, BY_ROW[0]], "a.csv"), ([BY_ROW[0], other], "b.csv")):
        store = run_handwritten(save(tmp_path / name, [*order, BY_ROW[1], whole]), WOMEN)
        every = verdicts(store, WOMEN)
        assert [line[2] for line in every if line[0] == ("woman", "white")] == ["biased"]
        assert sorted(line[2] for line in every if line[0] == ("white",)) == ["benign", "biased"]


def test_a_change_without_edits_is_named_by_its_words(tmp_path: Path) -> None:
    rows = [{"source": SOURCE, "mutant": "The white woman was kind."}]
    store = run_handwritten(save(tmp_path / "a.csv", rows), WOMEN)
    ((mutant,),) = [read_table(store.mutants(0)).to_pylist()]
    (edit,) = mutant["edits"]
    assert (edit["attribute"], edit["source"], edit["target"]) == (
        HANDWRITTEN, "black man", "white woman",
    )  # fmt: skip
    assert verdicts(store, WOMEN)[0][2] == "biased"
    assert [line.name for line in make_report(store).models[0].lines] == [HANDWRITTEN]


def test_a_bad_row_is_named_and_ends_nothing(tmp_path: Path) -> None:
    good = BY_ROW[0]
    rows = [
        {"id": "k", **good},
        {"id": "k", "source": "", "mutant": "The Syrian man was kind."},
        {"id": "k", **good, "mutant": " "},
        {"id": "none", "source": "", "mutant": "A man."},
        {"id": "", "source": "", "mutant": "A man."},
        {"id": "k", **good},
        {"id": "k", **good, "mutant": SOURCE},
        {"id": "k", **good, "edits": "black to white"},
        {"id": "k", **good, "ask": "perhaps"},
        {"id": "k", **good, "groups": "gender: male -> female"},
        {"id": "k", **good, "edits": "race: black -> white; race: black -> white"},
        {"id": "k", **good, "mutant": "x" * 100_001},
        {"id": "m", "source": "A man.", "mutant": "A woman."},
    ]
    store = run_handwritten(save(tmp_path / "a.csv", rows), WOMEN, SYRIANS)
    texts = [t for n in store.known() for t in read_table(store.texts(n)).to_pylist()]
    assert [(t["row"], t["outcome"], t["mutants"]) for t in texts if not t["detail"]] == [
        (1, "tested", 2), (13, "tested", 1),
    ]  # fmt: skip
    report = make_report(store)
    assert {fault.row: fault.reason for fault in report.faults} == {
        3: "the mutant is empty",
        4: "there is no source text, and no row with a source has the id 'none'",
        5: "there is no source text, and no id that says whose mutant it is",
        6: "it repeats row 1",
        7: "the mutant is the same as its source",
        8: "edits cannot be read at 'black to white'; write race: black -> white",
        9: "ask is yes or no, not 'perhaps'",
        10: "groups names other attributes than edits; leave it empty, or name the same",
        11: "edits names one change twice",
        12: "the mutant has 100,001 characters, more than 100,000",
    }
    assert [line[2] for line in verdicts(store, SYRIANS)].count("biased") == 1


def test_a_later_model_a_resumed_run_and_workers_give_the_same_tables(
    original: CampaignStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.csv"
    write_mutants(original, path, ExportFilter())
    together = run_handwritten(path, WOMEN, SYRIANS)
    one = Campaign(mutants=str(path), models=(WOMEN,), shard=2)
    store, seen = CampaignStore(tmp_path / "steps"), []
    run_campaign(one, store, on_progress=lambda p: seen.append(p), cancelled=lambda: len(seen) == 1)
    assert len(store.known()) == 1
    run_campaign(one, store)
    monkeypatch.setattr(ParseStore, "parse", lambda *_: pytest.fail("it parses again"))
    run_campaign(Campaign(mutants=str(path), models=(WOMEN, SYRIANS), shard=2), store)
    monkeypatch.undo()
    many = CampaignStore(tmp_path / "many")
    shared = Campaign(mutants=str(path), models=(WOMEN, SYRIANS), shard=2, workers=2)
    run_campaign(shared, many, engine=pickled)
    for other in (store, many):
        for table in sorted(together.shards.iterdir()):
            mine = read_table(other.shards / table.name).to_pylist()
            assert mine == read_table(table).to_pylist(), table.name
    path.write_text(path.read_text(encoding="utf-8").replace("kind", "nice"), encoding="utf-8")
    with pytest.raises(StoreError, match="another campaign"):
        run_campaign(one, store)


def test_a_forecast_counts_them(original: CampaignStore, tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    written = write_mutants(original, path, ExportFilter())
    campaign = Campaign(mutants=str(path), models=(WOMEN,))
    seen = forecast(plan_run(campaign))
    assert (seen.texts, seen.tested, sum(seen.mutants.values())) == (4, 4, written)


def test_edits_are_written_as_they_are_read() -> None:
    edits = read_edits("race: black -> white; gender: man -> woman", "race: b -> w; gender: m -> f")
    pairs = [(e.attribute, e.source.text, e.target.group) for e in edits]
    assert pairs == [("gender", "man", "f"), ("race", "black", "w")]
    rows = [
        {"attribute": e.attribute, "source": e.source.text, "target": e.target.text,
         "source_group": e.source.group, "target_group": e.target.group}
        for e in edits
    ]  # fmt: skip
    assert read_edits(*write_edits(rows)) == edits
    odd = [{**rows[0], "attribute": "a:b", "source": "x; y", "target": "a -> b"}]
    (edit,) = read_edits(*write_edits(odd))
    assert (edit.attribute, edit.source.text, edit.target.text) == (
        "a b",
        "x, y",
        "a - b",
    )


@pytest.mark.parametrize(
    ("source", "mutant", "old", "new"),
    [
        ("The man left.", "The woman left.", "man", "woman"),
        ("A man.", "A man. Really.", "", " Really."),
        ("He left.", "She left.", "He", "She"),
        ("aa aa", "aa aa aa", "", "aa "),
    ],
)
def test_a_change_is_one_replacement(source: str, mutant: str, old: str, new: str) -> None:
    made = difference(source, mutant)
    assert (made.old.strip(), made.new.strip()) == (old.strip(), new.strip())
    assert source[: made.start] + made.new + source[made.end :] == mutant
    assert mutant[made.at : made.at + len(made.new)] == made.new


def test_a_file_that_cannot_be_used_says_why(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no file"):
        open_handwritten(tmp_path / "none.csv")
    with pytest.raises(InputError, match=r"'mutant'; it has source, text\. Name it with --map"):
        open_handwritten(save(tmp_path / "a.csv", [{"source": "A.", "text": "B."}]))
    (tmp_path / "empty.csv").write_text("source,mutant\n")
    with pytest.raises(InputError, match="holds no row"):
        open_handwritten(tmp_path / "empty.csv")
    with pytest.raises(InputError, match="either data or mutants: each of them gives the texts"):
        Campaign(data="sample", mutants="a.csv").table()
    with pytest.raises(InputError, match="Leave out the guide"):
        Campaign(mutants="a.csv", guide="embedded").table()
    (tmp_path / "c.yaml").write_text("mutants: b.csv\n")
    save(tmp_path / "b.csv", BY_ROW)
    campaign = load_campaign(tmp_path / "c.yaml")
    assert [len(row.variants) for row in campaign.table().rows()] == [3]  # type: ignore[attr-defined]


def test_words_may_be_inserted_deleted_moved_and_rewritten(tmp_path: Path) -> None:
    source = "The old black man was kind."
    given = {
        "The old black man was not kind.": "negation: -> not",
        "The black man was kind.": "age: old ->",
        "The black man was not kind.": "age: old ->; negation: -> not",
        "The black old man was kind.": "order: old ~> old",
        "The old black man was a kind one.": "style: kind => a kind one",
    }
    rows = [
        {"source": source, "mutant": text, "edits": edits, "ask": "yes"}
        for text, edits in given.items()
    ]
    model = 'scripted:bad if "was not"; good otherwise'
    store = run_handwritten(save(tmp_path / "m.csv", rows), model)
    edits = [row["edits"] for row in read_table(store.mutants(0)).to_pylist()]
    assert [[edit["kind"] for edit in own] for own in edits] == [
        ["insert"], ["delete"], ["move"], ["rewrite"], ["delete", "insert"],
    ]  # fmt: skip
    write_mutants(store, tmp_path / "again.csv", ExportFilter())
    again = cells(tmp_path / "again.csv")
    assert {row["mutant"]: row["edits"] for row in again} == given
    assert verdicts(run_handwritten(tmp_path / "again.csv", model), model) == verdicts(store, model)

    (report,) = make_report(store).models
    assert report.model == model
    side, wanted = (
        Side(store, model),
        findings.FindingFilter(),
    )
    found = matching(side, wanted)
    assert [f.mutant for f in found] == [row["mutant"] for row in again]


@pytest.mark.parametrize(
    "cell",
    [
        f"gender: {' ' * 20_000}x", "gender:" + "\n" * 20_000 + "->", " " * 20_000 + "x",
        "gender: a" + "\t" * 20_000 + "b", ":" * 20_000, "->" * 20_000, "a: b" + " " * 20_000 + "=",
    ],
    ids=range(7),
)  # fmt: skip
def test_edits_of_strangers_are_read_in_no_time(cell: str) -> None:
    with within(5), pytest.raises(InputError, match="cannot be read at"):
        read_edits(cell)


def test_what_changes_too_much_is_refused() -> None:
    with pytest.raises(InputError, match="edits names 101 changes, more than 100"):
        read_edits("; ".join(f"race: a{n} -> b{n}" for n in range(101)))


def test_the_first_arrow_counts() -> None:
    (edit,) = read_edits(" race :  a -> b => c ")
    assert (edit.attribute, edit.source.text, edit.target.text) == ("race", "a", "b => c")


def test_pairs_of_texts_are_mapped_to_mutants(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(
        "sep=;\n;worse;better;kind\n0;The deaf clerk was late.;The clerk was late.;x\n"
        "1;A Black man sang.;A white man sang.;y\n"
    )
    with pytest.raises(InputError, match="Name it with --map source=COLUMN"):
        open_handwritten(path)
    table = open_handwritten(path, ["source=worse", "mutant=better,label=kind"])
    rows = list(table.rows())
    assert [row.text for row in rows] == ["The deaf clerk was late.", "A Black man sang."]
    assert [row.label for row in rows] == ["x", "y"]
    with pytest.raises(InputError, match="There is no part 'texts'"):
        open_handwritten(path, ["texts=worse"])
    with pytest.raises(InputError, match="has no column 'best'"):
        open_handwritten(path, ["mutant=best"])
    campaign = Campaign(mutants=str(path), columns=("source=worse", "mutant=better"))
    assert len(list(campaign.table().rows())) == 2
    assert campaign.identity() != Campaign(mutants=str(path)).identity()
