"""Dictionary files: what loads, what pairs follow, and how each fault is reported."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinter_core.errors import DictionaryError
from hinter_core.terms import dictionary
from hinter_core.terms.dictionary import Dictionary, choose, load_file, load_shipped, read_file
from hinter_core.terms.matching import Matcher
from hinter_core.types import GrammaticalForm, Pair, Sense, Term


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


GOOD = "term,group,form,concept,sense\nman,male,noun-sg,adult,\nwoman,female,noun-sg,adult,\n"


def test_terms_of_one_concept_and_form_pair_both_ways(tmp_path: Path) -> None:
    loaded = load_file(write(tmp_path / "gender.csv", GOOD))
    pairs = {(p.source.text, p.target.text) for pairs in loaded.pairs_from.values() for p in pairs}
    assert pairs == {("man", "woman"), ("woman", "man")}
    assert loaded.attribute == "gender"
    assert loaded.pair_count == 2


def test_form_concept_and_group_limit_pairs() -> None:
    terms = (
        Term("he", "male", GrammaticalForm.PRONOUN_SUBJECT, "p"),
        Term("she", "female", GrammaticalForm.PRONOUN_SUBJECT, "p"),
        Term("her", "female", GrammaticalForm.PRONOUN_OBJECT, "p"),
        Term("man", "male", GrammaticalForm.NOUN_SG, "adult"),
        Term("guy", "male", GrammaticalForm.NOUN_SG, "adult"),
        Term("nun", "female", GrammaticalForm.NOUN_SG, "cleric"),
    )
    made = Dictionary("gender", terms)
    pairs = {(p.source.text, p.target.text) for ps in made.pairs_from.values() for p in ps}
    assert pairs == {("he", "she"), ("she", "he")}


def test_a_term_is_never_paired_with_its_own_spelling() -> None:
    terms = (
        Term("Them", "a", GrammaticalForm.ANY, "x"),
        Term("them", "b", GrammaticalForm.ANY, "x"),
    )
    assert Dictionary("d", terms).pair_count == 0


def test_columns_may_be_left_out(tmp_path: Path) -> None:
    loaded = load_file(write(tmp_path / "mine.csv", "term,group\nrich,up\npoor,down\n"))
    assert [t.form for t in loaded.terms] == [GrammaticalForm.ANY, GrammaticalForm.ANY]
    assert loaded.pair_count == 2


def test_adjectives_ask_and_nouns_are_people_unless_said(tmp_path: Path) -> None:
    text = (
        "term,group,form,concept,sense\nblack,b,adj,r,\nwhite,w,adj,r,person\n"
        "cook,x,noun-sg,j,ask\nnurse,y,noun-sg,j,\n"
    )
    senses = [t.sense for t in load_file(write(tmp_path / "d.csv", text)).terms]
    assert senses == [Sense.ASK, Sense.PERSON, Sense.ASK, Sense.PERSON]


def test_pair_file_keeps_direction_and_groups(tmp_path: Path) -> None:
    text = "source,target,source_group,target_group\nman,woman,male,female\nboy,girl,,\n"
    loaded = load_file(write(tmp_path / "p.csv", text), attribute="gender")
    pairs = [p for ps in loaded.pairs_from.values() for p in ps]
    assert [(p.source.text, p.target.text) for p in pairs] == [("man", "woman"), ("boy", "girl")]
    assert (pairs[0].source.group, pairs[0].target.group) == ("male", "female")
    assert (pairs[1].source.group, pairs[1].target.group) == ("boy", "girl")
    assert {p.attribute for p in pairs} == {"gender"}


def test_byte_order_mark_and_blank_lines_are_taken(tmp_path: Path) -> None:
    text = b"\xef\xbb\xbfterm,group\r\n\r\nrich,up\r\n\r\npoor,down\r\n"
    assert load_file(write(tmp_path / "b.csv", text)).pair_count == 2


def test_what_is_for_sources_is_put_into_no_text(tmp_path: Path) -> None:
    text = "term,group,form,use\nchap,m,noun-sg,\ngal,f,noun-sg,\nchick,f,noun-sg,source\n"
    loaded = load_file(write(tmp_path / "d.csv", text))
    assert [(t.text, [p.target.text for p in ps]) for t, ps in loaded.pairs_from.items()] == [
        ("chap", ["gal"]), ("gal", ["chap"]), ("chick", ["chap"]),
    ]  # fmt: skip
    assert (loaded.pair_count, loaded.target_groups) == (3, {"m", "f"})
    with pytest.raises(DictionaryError, match="no two terms can be exchanged"):
        load_file(write(tmp_path / "e.csv", "term,group,use\na,x,source\nb,y,source\n"))


FAULTS = [
    ("duplicate", "term,group\nman,m\nwoman,f\nMan,m\n", 4, "duplicate 'Man'", "first on line 2"),
    ("empty term", "term,group\nman,m\n,f\n", 3, "empty term", "delete the line"),
    ("no group", "term,group\nman,m\nwoman,\n", 3, "'woman' has no group", "fill the cell"),
    ("regex", "term,group\nma[n],m\nwoman,f\n", 2, "contains [ ]", "plain words"),
    ("not NFC", "term,group\nmestic\u0327o,m\nwoman,f\n", 2, "not in Unicode NFC", "retype"),
    ("invisible", "term,group\nma\u200bn,m\nwoman,f\n", 2, "invisible character", "retype"),
    ("no letter", "term,group\n--,m\nwoman,f\n", 2, "no letter", "plain words"),
    ("number", "term,group\n17,m\nwoman,f\n", 2, "no letter", "plain words"),
    ("ragged", "term,group\nman,m,x,y\nwoman,f\n", 2, "4 cells where the header has 2", "quote"),
    ("form", "term,group,form\nman,m,nown\nwoman,f,noun-sg\n", 2, "form 'nown'", "use one of any"),
    ("sense", "term,group,sense\nman,m,perhaps\nwoman,f,\n", 2, "sense 'perhaps'", "leave it"),
    ("use", "term,group,use\nman,m,once\nwoman,f,\n", 2, "use 'once'", "'source' or leave it"),
    ("pair to itself", "source,target\nman,Man\nboy,girl\n", 2, "by itself", "delete the line"),
    ("pair twice", "source,target\nboy,girl\nboy,girl\n", 3, "duplicate pair", "first on line 2"),
    ("empty target", "source,target\nman,\nboy,girl\n", 2, "empty term", "delete the line"),
    ("ragged pair", "source,target\nman,woman,x\nboy,girl\n", 2, "3 cells", "quote"),
    ("header", "word,kind\nman,m\n", 1, "header must name", "'term,group' or 'source,target'"),
    ("quotes", 'term,group\n"man"x,m\nwoman,f\n', 2, "'", "quote the cell"),
]


@pytest.mark.parametrize(("name", "text", "line", "what", "cure"), FAULTS, ids=lambda v: v if
                         isinstance(v, str) and len(v) < 15 and "\n" not in v else "")  # fmt: skip
def test_fault_names_file_line_and_cure(
    tmp_path: Path, name: str, text: str, line: int, what: str, cure: str
) -> None:
    path = write(tmp_path / "broken.csv", text)
    with pytest.raises(DictionaryError) as caught:
        load_file(path)
    message = str(caught.value)
    assert message.startswith(f"{path}, line {line}: ")
    assert what in message
    assert cure in message


def test_unknown_group_lists_the_known_ones(tmp_path: Path) -> None:
    path = write(tmp_path / "g.csv", "term,group\nman,male\nwoman,femal\n")
    with pytest.raises(DictionaryError, match="line 3: unknown group 'femal'; use one of male, f"):
        load_file(path, groups={"male": "Male", "female": "Female"})


def test_all_faults_of_a_file_are_reported_at_once_up_to_ten(tmp_path: Path) -> None:
    path = write(tmp_path / "many.csv", "term,group\n" + "x(,g\n" * 13)
    with pytest.raises(DictionaryError) as caught:
        load_file(path)
    lines = str(caught.value).splitlines()
    assert len(lines) == 11
    assert lines[-1] == "... and 15 more."  # 13 faulty terms, 12 of them duplicates


def test_what_is_not_utf8_is_windows_1252_or_a_fault(tmp_path: Path) -> None:
    text = "term,group\nman,m\nmestiço,f\n"
    for encoding in ("latin-1", "utf-16", "utf-8-sig"):
        path = write(tmp_path / "latin.csv", text.encode(encoding))
        assert [term.text for term in load_file(path).terms] == ["man", "mestiço"]
    path = write(tmp_path / "broken.csv", b"term,group\nman,m\nme\x81o,f\n")
    with pytest.raises(DictionaryError, match="line 3: it is neither UTF-8 nor Windows-1252"):
        load_file(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "holds no row"),
        ("term,group\n", "no terms"),
        ("term,group\nman,m\nguy,m\n", "no two terms can be exchanged"),
    ],
)
def test_files_without_pairs_are_refused(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DictionaryError, match=message):
        load_file(write(tmp_path / "e.csv", content))


def test_missing_file_and_huge_file(tmp_path: Path) -> None:
    with pytest.raises(DictionaryError, match=r"nowhere\.csv; check the path"):
        load_file(tmp_path / "nowhere.csv")
    big = write(tmp_path / "big.csv", b"x" * 5_000_001)
    with pytest.raises(DictionaryError, match="larger than 5 MB"):
        load_file(big)


def test_choose_keeps_order_drops_repeats_and_names_the_known() -> None:
    known = load_shipped()
    assert [d.attribute for d in choose([" gender ", "race", "gender"])] == ["gender", "race"]
    with pytest.raises(DictionaryError, match="Unknown attribute 'colour'; choose from race"):
        choose(["colour"])
    with pytest.raises(DictionaryError, match="No attribute given"):
        choose(["", " "], known)


def test_a_broken_index_of_shipped_dictionaries_is_reported(tmp_path: Path) -> None:
    write(tmp_path / "attributes.toml", "[race\n")
    with pytest.raises(DictionaryError, match=r"attributes\.toml: .*Restore the file"):
        load_shipped(tmp_path)


def test_pairs_are_counted_without_being_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their number grows with the square of the terms: six million of a file of 38 kB."""
    path = tmp_path / "large.csv"
    path.write_text("term,group\n" + "".join(f"word{n},group{n}\n" for n in range(2500)))
    made: list[Pair] = []

    def pair(*parts: object) -> Pair:
        made.append(Pair(*parts))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr(dictionary, "Pair", pair)
    loaded = load_file(path)
    assert (loaded.is_useful, loaded.pair_count, len(loaded.target_groups)) == (
        True,
        6_247_500,
        2500,
    )
    assert made == []
    for term in loaded.terms[:200]:
        assert len(loaded.pairs_from[term]) == 2499
    assert len(made) == 200 * 2499
    assert loaded.pairs_from[loaded.terms[199]][0] is made[199 * 2499]  # kept
    assert loaded.pairs_from[loaded.terms[0]] == tuple(made[:2499])  # made anew


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abcABC"), st.sampled_from("xyz"), st.sampled_from("12"), st.booleans()
        ),
        max_size=20,
        unique=True,
    )
)
def test_derived_pairs_are_those_of_the_definition(
    entries: list[tuple[str, str, str, bool]],
) -> None:
    terms = tuple(
        Term(text, group, GrammaticalForm.ANY, concept, source_only=source_only)
        for text, group, concept, source_only in entries
    )
    expected = {
        term: found
        for term in terms
        if (
            found := tuple(
                Pair("own", term, other)
                for other in terms
                if other.concept == term.concept
                and not other.source_only
                and other.group != term.group
                and other.text.lower() != term.text.lower()
            )
        )
    }
    own = Dictionary("own", terms)
    assert dict(own.pairs_from) == expected
    assert len(own.pairs_from) == len(expected)
    assert own.pair_count == sum(map(len, expected.values()))
    assert own.is_useful == bool(expected)
    assert own.target_groups == {pair.target.group for found in expected.values() for pair in found}
    assert all((term in own.pairs_from) == (term in expected) for term in terms)
    assert dict(deepcopy(own).pairs_from) == expected


@pytest.mark.parametrize(
    "content",
    [
        "term;group\nman;m\nwoman;f\n",
        "Term\tGroup\nman\tm\nwoman\tf\n",
        "\ufeffTERM | GROUP\r\nman|m\r\nwoman|f\r\n",
        "sep=;\nterm;group\nman;m\nwoman;f\n",
        'term;"group"\n"man";m\n"woman";f\n',
    ],
)
def test_dictionaries_in_any_dialect(tmp_path: Path, content: str) -> None:
    loaded = load_file(write(tmp_path / "d.csv", content))
    assert [(term.text, term.group) for term in loaded.terms] == [("man", "m"), ("woman", "f")]


@pytest.mark.parametrize("head", ["", "source;target\n", "Original;Replacement\n", "word1;word2\n"])
@pytest.mark.parametrize("mark", [";", "\t", ","])
def test_published_pairs_are_read_as_they_are(tmp_path: Path, head: str, mark: str) -> None:
    content = (head + "her;him\nher;his\nshe;he\n").replace(";", mark)
    loaded = load_file(write(tmp_path / "p.csv", content), attribute="gender")
    pairs = [(p.source.text, p.target.text) for ps in loaded.pairs_from.values() for p in ps]
    assert pairs == [("her", "him"), ("her", "his"), ("she", "he")]
    assert loaded.pair_count == 3


def test_published_pairs_may_repeat(tmp_path: Path) -> None:
    loaded, said = read_file(write(tmp_path / "p.csv", "her;his\nher;his\nhe;he\nshe;he\n"))
    assert loaded.pair_count == 2
    assert [line.partition(":")[0] for line in said if "Left out" in line] == [
        "Left out, line 2", "Left out, line 3",
    ]  # fmt: skip


def test_marks_are_part_of_terms_and_hashtags_are_refused(tmp_path: Path) -> None:
    loaded = load_file(write(tmp_path / "d.csv", "term,group\nLGBTQ+,a\nC++ coder,b\n"))
    assert [term.text for term in loaded.terms] == ["LGBTQ+", "C++ coder"]
    (found,), _ = Matcher([loaded]).find("An LGBTQ+ group met.")
    assert found.span == (3, 9)
    assert Matcher([loaded]).find("An LGBTQ group met.")[0] == []
    with pytest.raises(DictionaryError, match="line 2: '#us' is a hashtag"):
        load_file(write(tmp_path / "h.csv", "term,group\n#us,a\n#them,b\n"))
