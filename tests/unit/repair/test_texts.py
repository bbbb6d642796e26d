"""Which texts are learnt from and which are kept for the test: never one on both sides."""

from __future__ import annotations

from pathlib import Path

import pytest

from hinter_core.data.rows import Row
from hinter_core.repair.texts import folded, matcher, split_rows, usable_rows, without_kept


def test_a_text_that_is_repeated_is_used_once(tmp_path: Path) -> None:
    path, lines = tmp_path / "texts.csv", ["text,label"]
    for number in range(50):
        lines.append(f"Tenant {number} was {('rude.,bad', 'kind.,good')[number % 2]}")
    lines += [line.upper().replace(" WAS", "  was") for line in lines[1:11]] + lines[1:5]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows, repeats = usable_rows(str(path), ["good", "bad"])
    assert ([row.number for row in rows], repeats) == (list(range(1, 51)), 14)
    for seed in range(5):
        train, test = split_rows(rows, 2_000, seed)
        assert (len(train), len(test)) == (40, 10)
        assert not {folded(row.text) for row in train} & {folded(row.text) for row in test}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("An Arab lawyer called.", True),
        ("The Arab-American tenant", True),
        ("a white-skinned man", True),
        ("two LAWYERS", True),
        ("a middle eastern shop", True),
        ("the nurse's flat", True),
        ("The Arabian sea", False),
        ("She nursed a tea.", False),
        ("the middle of the eastern road", False),
    ],
)
def test_kept_words_are_found_in_compounds_and_plurals(text: str, found: bool) -> None:
    words = ["arab", "white", "lawyer", "nurse", "middle eastern"]
    assert bool(matcher(words).search(text)) == found
    assert not matcher([]).search(text)


def test_texts_with_kept_words_are_left_out_unless_most_have_one() -> None:
    def rows(kept: int, others: int) -> list[Row]:
        texts = ["A Black nurse."] * kept + ["A baker."] * others
        return [Row(number, str(number), text) for number, text in enumerate(texts, 1)]

    kept = matcher(["black"])
    assert [row.text for row in without_kept(rows(3, 4), kept)] == ["A baker."] * 4
    assert len(without_kept(rows(4, 3), kept)) == 7
