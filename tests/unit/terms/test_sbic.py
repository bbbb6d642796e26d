"""Dictionaries built from an SBIC export load again and are sorted into known groups."""

from __future__ import annotations

from pathlib import Path

import pytest

from hinter_core.errors import DictionaryError
from hinter_core.terms.dictionary import load_file
from hinter_core.terms.sbic import build_from_sbic
from hinter_core.types import GrammaticalForm


def export(folder: Path, *rows: str, header: str = "post,targetMinority,targetCategory") -> Path:
    path = folder / "export.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


ROWS = (
    *["p,black folks,race"] * 4,
    *["p,asian folks,race"] * 3,
    *["p,white people,race"] * 3,
    *["p,once only,race"],
    *['p,"women, trans women",gender'] * 3,
    *["p,men,gender"] * 3,
    *['p,"[""nuns"", ""monks""]","[""gender""]"'] * 3,
    *["p,a+b,gender"] * 3,
    *["p,,gender"] * 3,
    *["p,lonely,body"] * 5,
)


def test_one_dictionary_a_category_and_it_loads(tmp_path: Path) -> None:
    built = build_from_sbic(export(tmp_path, *ROWS), tmp_path / "out")
    assert {path.name: terms for path, terms in built.files.items()} == {
        "gender.csv": 5,
        "race.csv": 3,
    }
    assert built.skipped == 1
    for path in built.files:
        assert load_file(path).pair_count > 0


def test_known_terms_bring_their_group(tmp_path: Path) -> None:
    build_from_sbic(export(tmp_path, *ROWS), tmp_path)
    race = {t.text: t for t in load_file(tmp_path / "race.csv").terms}
    assert race["Black folks"].group == "black"
    assert race["white people"].group == "white"
    assert {t.form for t in race.values()} == {GrammaticalForm.NOUN_PL}
    gender = {t.text: t.group for t in load_file(tmp_path / "gender.csv").terms}
    assert gender["women"] == "female"
    assert gender["men"] == "male"


def test_min_count_leaves_out_what_is_rare(tmp_path: Path) -> None:
    built = build_from_sbic(export(tmp_path, *ROWS), tmp_path, min_count=1)
    texts = {t.text for t in load_file(tmp_path / "race.csv").terms}
    assert "once only" in texts
    with pytest.raises(DictionaryError, match="lower --min-count"):
        build_from_sbic(export(tmp_path, *ROWS), tmp_path, min_count=50)
    assert built.files


def test_faults_of_an_export_are_named(tmp_path: Path) -> None:
    with pytest.raises(DictionaryError, match="line 1: no column targetCategory; is this an SBIC"):
        build_from_sbic(export(tmp_path, "p,x", header="post,targetMinority"), tmp_path)
    with pytest.raises(DictionaryError, match="check the path"):
        build_from_sbic(tmp_path / "nowhere.csv", tmp_path)
    path = tmp_path / "latin.csv"
    path.write_bytes("targetMinority,targetCategory\nmestiço,race\n".encode("latin-1"))
    with pytest.raises(DictionaryError, match="no category names two groups"):
        build_from_sbic(path, tmp_path)
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(DictionaryError, match="Choose another --out"):
        build_from_sbic(export(tmp_path, *ROWS), blocked)


def test_lists_of_one_length_go_together(tmp_path: Path) -> None:
    export = tmp_path / "export.csv"
    row = '"[""asian folks"", ""women"", ""men""]","[""race"", ""gender"", ""gender""]"\n'
    more = "black folks,race\n"
    export.write_text("targetMinority,targetCategory\n" + row * 2 + more * 2, encoding="utf-8")
    build_from_sbic(export, tmp_path, 2)
    assert "women" in (tmp_path / "gender.csv").read_text(encoding="utf-8")
    assert "women" not in (tmp_path / "race.csv").read_text(encoding="utf-8")
