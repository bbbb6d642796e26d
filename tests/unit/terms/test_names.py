"""Lists of names: the shipped one, and what is wrong with one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from hinter_core.errors import DictionaryError
from hinter_core.language.people import people_words
from hinter_core.terms.names import ANYWHERE, BOTH, FAMILY, GENDERS, load_names, name_usage


def test_the_shipped_names_belong_to_one_gender_and_country() -> None:
    names = load_names()
    assert len(names.countries) == 29  # as the departures from BiasFinder say
    for country in names.countries:
        for gender in GENDERS:
            assert len(names.given[country, gender]) >= 20
        assert len(names.family[country]) >= 8
    assert all(len(names.given[ANYWHERE, gender]) >= 60 for gender in GENDERS)
    every = [name for own in (*names.given.values(), *names.family.values()) for name in own]
    assert len(every) == len({name.casefold() for name in every})
    assert all(name.isascii() and name[0].isupper() for name in every)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ("name,gender\nBen,male\nBen,female\n", "line 3: 'Ben' stands on line 2 already"),
        ("name,gender\nBen,male\nMax,male\n", "male given names only"),
        ("name,gender\nBen,neuter\n", "line 2: 'Ben' has gender 'neuter'"),
        ("name,part,gender\nBen,middle,male\n", "unknown part 'middle'"),
        ("name,gender\n,male\n", "line 2: no name"),
        ("word,group\nBen,male\n", "the header is name,part,gender,country"),
        ("name,gender,country\nBen,male,norway\nIda,female,chile\n", "no country has both"),
    ],
)
def test_a_wrong_list_says_what_to_do(lines: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    path.write_text(lines, encoding="utf-8")
    with pytest.raises(DictionaryError, match=why):
        load_names(path)


def test_a_short_list_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    path.write_text("name,gender\nBen,male\nIda,female\n", encoding="utf-8")
    names = load_names(path)
    assert names.given == {("", "male"): ("Ben",), ("", "female"): ("Ida",)}
    assert names.countries == ()


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    lines = ["name,part,gender,country", "Ann,given,female,Eire", "Bob,given,male,Eire",
             "Cleo,given,female,Peru", "Dan,given,male,Peru", "Poe,family,,Eire",
             "Roe,family,,Peru"]  # fmt: skip
    path.write_text("\n".join(lines), encoding="utf-8")
    assert load_names(path).countries == ("Eire", "Peru")
    path.write_text("\n".join(lines).replace("Peru", "Chad"), encoding="utf-8")
    assert load_names(path).countries == ("Chad", "Eire")
    assert load_names(path) is load_names(path)


@pytest.mark.parametrize(
    ("name", "origin"),
    [("Maria", "spanish"), ("Ahmed", "arabic"), ("Fatima", "arabic"), ("Ivan", "russian")],
)
def test_a_name_of_a_people_without_a_list_stays_among_its_own(name: str, origin: str) -> None:
    usage = name_usage()
    assert usage.country(name) == origin
    other = {"male": "female", "female": "male"}[usage.gender(name)]
    new = usage.instead(name, other, (), usage.country(name))
    assert (usage.country(new), usage.gender(new), new[0]) == (origin, other, name[0])


def test_a_name_of_unknown_origin_becomes_none_of_a_known_one() -> None:
    usage = name_usage()
    for name, gender in people_words().names.items():
        if name in usage.of or gender not in GENDERS:
            continue
        new = usage.instead(
            name, "male" if gender == "female" else "female", (), usage.country(name)
        )
        assert usage.country(new) == ANYWHERE, (name, new)


def test_an_accent_makes_no_other_name() -> None:
    usage = name_usage()
    for gender in GENDERS:
        given = {*usage.alike("Jos\u00e9", gender)}
        assert given
        assert "Jose" not in given
    assert usage.of["Jose"] == (usage.country("Jos\u00e9"), usage.gender("JOS\u00c9"))
    put_in = [*usage.given.values(), *usage.family.values()]
    assert all(name.isascii() for listed in put_in for name in listed)


def test_a_name_of_both_genders_is_of_the_old_ones_origin() -> None:
    usage = name_usage()
    both = {
        name for (_, gender), listed in usage.given.items() if gender == BOTH for name in listed
    }
    assert all(usage.gender(name) == BOTH for name in both)
    origins = {"Greg": ANYWHERE, "Yusuf": "arabic", "Priya": "india", "Minjun": "south-korea"}
    for name, origin in origins.items():
        assert usage.country(usage.instead(name, BOTH, (), origin)) == origin
    assert usage.instead("Dariush", BOTH, (), "iran") == ""


def test_names_of_famous_people_are_read_and_put_into_no_text() -> None:
    usage = name_usage()
    assert usage.country("LeBron") == "african-american"
    assert "LeBron" not in usage.given["african-american", "male"]
    assert usage.of_family("N\u01d4\u00f1ez") == frozenset()
    assert usage.of_family("GARC\u00cdA") == {"spanish"}
    assert usage.of_family("Lee") >= {ANYWHERE, "china", "south-korea"}
    assert "Lee" not in {usage.of_country("L", country, FAMILY, ()) for country in usage.family}
