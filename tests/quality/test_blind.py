"""Blind rounds: what readers see and do not see, and how their labels are counted."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from benchmarks import blind
from hinter_core.mutation.edits import apply_edits
from hinter_core.types import Edit, Pair, Term

TEXTS = [
    "The Danish man thanked his doctor.",
    "A young Korean woman sold her house.",
    "An Irish waiter and his brother sang.",
    "Two Kurdish girls met a boy.",
    "Nobody came.",
]


def table(path: Path, texts: list[str]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows([["text"], *([text] for text in texts)])
    return path


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_domains_have_equal_shares_and_the_table_tells_no_secret(tmp_path: Path) -> None:
    one, two, three = (table(tmp_path / f"{n}.csv", TEXTS[n:]) for n in range(3))
    out = tmp_path / "round.csv"
    domains = [f"letters={one}", f"letters={two}", str(three)]
    said = list(blind.draw(out, domains, ["race,gender", "age,gender"], {True: 1, False: 0}, 7))
    assert [line.partition(":")[0] for line in said] == ["letters", "2"]
    shown, key = rows(out), rows(out.with_suffix(".key.csv"))
    assert list(shown[0]) == ["id", "before", "after", "changes", "label", "why"]
    assert [row["id"] for row in shown] == [row["id"] for row in key]
    assert sorted(row["domain"] for row in key) == ["2", "letters"]
    assert {row["kept"] for row in key} == {"yes"}
    assert all(0 < float(row["fair"]) < 1 for row in key)


@pytest.mark.parametrize("filler", ["", "Rain fell. " * 200])
def test_every_change_is_shown_in_brackets(filler: str) -> None:
    text = f"{filler}The old man left. {filler}Then the old man sang."
    places = [n for n in range(len(text)) if text.startswith("old", n)]
    pair = Pair("age", Term("old", "older"), Term("young", "young"))
    mutant = apply_edits(text, [Edit(pair, tuple((n, n + 3) for n in places))])
    before, after = blind._shown(text, mutant)
    assert (before.count("[old]"), after.count("[young]")) == (2, 2)
    assert before.count("[...]") == (2 if filler else 0)
    assert len(before) < 1500
    if not filler:
        assert before.replace("[", "").replace("]", "") == text
        assert after.replace("[", "").replace("]", "") == mutant.text


def test_count_says_shares_by_domain_and_what_the_score_tells(tmp_path: Path) -> None:
    key, one, two = (tmp_path / name for name in ("key.csv", "1.csv", "2.csv"))
    kept = [("a", "news", 0.9), ("b", "news", 0.2), ("c", "plays", 0.7), ("d", "plays", 0.8)]
    key.write_text(
        "id,domain,kept,fair\n" + "".join(f"{i},{d},yes,{p}\n" for i, d, p in kept) + "e,news,no,.3"
    )
    one.write_text("id,label\na,fair\nb,unfair\nc,soft\nd,fair\ne,unfair\n")
    two.write_text("id,label\na,Fair\nb,unfair\nc,soft\nd,soft\ne,unfair\n")
    said = "\n".join(blind.count(key, one, two))
    assert "kept, news, 2:\n  fair: 50.0%" in said
    assert "kept, all, 4:\n  fair: 50.0% [15.0%, 85.0%]  25.0%" in said
    assert "both 25.0% [4.6%, 69.9%], either 50.0%" in said
    assert "AUC of fair against unfair, kept (2): 1.00" in said
    assert "AUC of fair against soft, all (2): 1.00" in said
    assert "agreement on 5: alpha 0.7" in said


def test_what_is_joined_has_labels_and_features_and_no_text(tmp_path: Path) -> None:
    out, labels, joined = (tmp_path / name for name in ("round.csv", "said.csv", "joined.csv"))
    data = table(tmp_path / "letters.csv", TEXTS)
    list(blind.draw(out, [str(data)], ["race,gender"], {True: 3, False: 1}, 7))
    key = rows(out.with_suffix(".key.csv"))
    said = {row["id"]: label for row, label in zip(key, ("fair", "soft"), strict=False)}
    labels.write_text("id,label\n" + "".join(f"{i},{label}\n" for i, label in said.items()))
    blind.join(joined, out.with_suffix(".key.csv"), labels)
    found = rows(joined)
    assert {row["id"]: row["reader_1"] for row in found} == said
    assert not {"text", "edits", "reason"} & set(found[0])
    for row in found:
        drawn = next(one for one in key if one["id"] == row["id"])
        names = set(drawn) & set(row)
        assert {name: row[name] for name in names} == {name: drawn[name] for name in names}
