"""Sources: each kind has rows, an identity and a title, and refuses what does not apply to it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hinter_core.campaign.settings import SAMPLE, SOURCES
from hinter_core.campaign.spec import Campaign
from hinter_core.errors import InputError

GRAMMAR = "start: s\nrules: {s: ['The <gender> left.']}\nsensitive: {gender: [man, woman]}\n"
FILES = {
    "data": ("reviews.csv", "text\nA man left.\n"),
    "mutants": ("hand.csv", "source,mutant\nA man left.,A woman left.\n"),
    "templates": ("t.jsonl", '{"text": "«name» smiled.", "gender": "male"}\n'),
    "grammar": ("mine.yaml", GRAMMAR),
}


@pytest.fixture(params=SOURCES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def campaign(kind: str, tmp_path: Path) -> Campaign:
    name, content = FILES[kind]
    (tmp_path / name).write_text(content, encoding="utf-8")
    settings: dict[str, Any] = {kind: str(tmp_path / name), "sentences": 1}
    return Campaign(**settings)


def test_a_source_has_rows_a_title_and_an_identity_of_its_content(
    campaign: Campaign, kind: str, tmp_path: Path
) -> None:
    source, path = campaign.source, tmp_path / FILES[kind][0]
    assert (source.kind, source.name, source.title) == (kind, str(path), path.name)
    (row,) = campaign.pinned().table().rows()
    assert row.text
    before = source.identity()
    moved = path.rename(tmp_path / f"moved{path.suffix}")
    assert replace(campaign, **{kind: str(moved)}).source.identity() == before
    moved.write_text(FILES[kind][1] + "\n# more\n", encoding="utf-8")
    assert replace(campaign, **{kind: str(moved)}).source.identity() != before


def test_files_are_named_otherwise_and_what_is_no_file_stays(campaign: Campaign, kind: str) -> None:
    moved = campaign.with_files(lambda setting, file: f"{setting}/{Path(file).name}")
    assert moved.files() == [f"{kind}/{FILES[kind][0]}"]
    for named in (
        Campaign(data=SAMPLE),
        Campaign(data="hf:org/name"),
        Campaign(grammar="feelings"),
    ):
        assert named.with_files(lambda _, file: f"x/{file}") == named
        assert named.files() == []


def test_two_sources_are_one_too_many(campaign: Campaign, kind: str) -> None:
    for other in SOURCES.keys() - {kind}:
        with pytest.raises(InputError, match=rf"Name either .*{other}.* each of them gives"):
            replace(campaign, **{other: "other.csv"}).table()


@pytest.mark.parametrize("kind", sorted(SOURCES.keys() - {"data"}), indirect=True)
def test_what_changes_texts_does_not_apply_to_other_sources(campaign: Campaign) -> None:
    for changed in ({"relations": ("add",)}, {"guide": "vader"}):
        settings: dict[str, Any] = changed
        with pytest.raises(InputError, match=r"[Ll]eave (out the guide|them out)"):
            replace(campaign, **settings).table()
