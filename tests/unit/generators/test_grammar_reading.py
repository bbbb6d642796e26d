"""Grammars are read, and each fault is told with its line and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from hinter_core.errors import InputError
from hinter_core.generators.grammars.grammar import Reference, as_written
from hinter_core.generators.grammars.reading import load_grammar, read_grammar, shipped_grammars
from tests.examples import within

SMALL = """start: sentence
rules:
  sentence:
    - <A> <occupation> told me that <he> felt <feeling>.
  feeling: [furious, delighted]
sensitive:
  occupation: [nurse, pilot]
  gender:
    - {group: male, he: he}
    - {group: female, he: she}
labels: {furious: negative, delighted: positive}
"""

# What is put in place of a part of the grammar, and what the fault says.
FAULTS = {
    "rules and start": ("start: sentence", "begin: sentence", "line 1: unknown key 'begin'"),
    "no rule to start": ("start: sentence", "start: text", "line 1: start names 'text'"),
    "task": ("start: sentence", "start: sentence\ntask: parsing", "line 2: unknown task"),
    "undefined": ("<feeling>", "<mood>", "line 4: <mood> is defined nowhere"),
    "left recursion": ("[furious, delighted]", "[<sentence>]", "contains itself (sentence"),
    "recursion to itself": (
        "[furious,",
        "[very <feeling>,",
        "contains itself (feeling \u2192 feel",
    ),
    "unreachable": ("rules:", "rules:\n  other: [x]", "line 3: rule 'other' cannot be reached"),
    "empty list": ("[furious, delighted]", "[]", "line 5: rule 'feeling' has no alternatives"),
    "no list": ("[furious, delighted]", "furious", "line 5: rule 'feeling' has no alternatives"),
    "empty word": ("[furious,", "['',", "line 5: an alternative is a text that is not empty"),
    "word twice": ("[furious,", "[delighted,", "'delighted' stands twice in rule 'feeling'"),
    "rule twice": ("rules:", "rules:\n  feeling: [a, b]", "line 6: 'feeling' stands twice"),
    "alternative of an object": ("[furious,", "[{a: b},", "an alternative is a text"),
    "bracket": ("<feeling>.", "<feeling> < x.", "line 4: a < or > stands alone"),
    "no name": ("<feeling>.", "<a b>.", "line 4: '<a b>' holds no name"),
    "value twice": ("[nurse, pilot]", "[nurse, nurse]", "line 7: 'nurse' stands twice"),
    "one value": ("[nurse, pilot]", "[nurse]", "line 7: attribute 'occupation' has fewer than two"),
    "other names": ("he: she}", "she: she}", "line 10: this value of 'gender' has other names"),
    "no group": ("{group: female, he: she}", "{he: she}", "line 10: a value needs a group"),
    "no partner": ("{group: female,", "{group: female, concept: x,", "line 8: no other value"),
    "two things": ("rules:", "rules:\n  he: [x]", "'he' is the name of two things"),
    "unused attribute": ("<A> <occupation>", "Somebody", "line 7: no rule uses 'occupation'"),
    "unused name": (
        "{group: male, he: he}\n    - {group: female, he: she}",
        "{group: male, he: he, his: his}\n    - {group: female, he: she, his: her}",
        "line 8: no rule uses 'his' of 'gender'",
    ),
    "no sensitive": (SMALL[SMALL.index("sensitive:") :], "", "there is no sensitive attribute"),
    "mask": (
        "<feeling>.",
        "<feeling> <mask>.",
        "line 4: <mask> is for sentences of the task masked",
    ),
    "label of nothing": ("{furious:", "{angry:", "line 11: 'angry' is neither a rule nor a word"),
    "empty label": ("negative", "''", "the label of 'furious' is empty"),
    "not YAML": ("labels: {", "labels: [", "line 11: not YAML"),
    "not closed": ("male, he: he}", "male, he: he", "line 9: not YAML"),
    "no colon": ("  feeling: [", "feeling [", "line 5: not YAML"),
    "upper case": ("feeling: [", "Feeling: [", "line 5: 'Feeling' is no name of a rule"),
}

PEOPLE = """start: sentence
task: coreference
pronouns: [he]
antecedents: [worker, other]
rules:
  sentence: [<first>, <second>]
  first: [<The> told the <other> a story before <he> left.]
  second: [The <other> waited for <worker> until <he> came.]
  the: [the <worker>]
  other: [cook, clerk]
sensitive:
  worker: [nurse, pilot]
  gender:
    - {group: male, he: he}
    - {group: female, he: she}
labels: {first: worker, second: other}
"""
ASKED = [
    ("pronouns: [he]\n", "", "line 2: 'pronouns' is given if and only if"),
    ("task: coreference", "task: classification", "line 3: 'pronouns' is given if and"),
    ("[worker, other]", "[worker]", "line 4: antecedents is a list of 2 or more"),
    ("pronouns: [he]", "pronouns: he", "line 3: pronouns is a list of 1 or more"),
    ("[worker, other]", "[worker, the]", "line 4: 'the' is neither a list of words"),
    ("[worker, other]", "[worker, he]", "line 4: 'he' stands twice"),
    ("[worker, other]", "[worker, worker]", "line 4: 'worker' stands twice"),
    ("first: worker", "first: nurse", "line 16: 'nurse' is no answer; the labels of"),
    ("pronouns:", "answers: {a: [b], c: [d]}\npronouns:", "line 3: 'answers' is given"),
]
MASKED = """start: s
task: masked
answers: {male: [his], female: [her]}
rules: {s: [A <worker> lost <mask> keys.]}
sensitive: {worker: [nurse, pilot]}
"""
ANSWERS = [
    (
        "[A <worker> lost <mask> keys.]",
        "['A <worker> lost [MASK] keys.']",
        "line 4: no sentence has a <mask>; write <mask> where a word is missing, not",
    ),
    ("<mask>", "his", "line 2: no sentence has a <mask>; write <mask> where a word is missing, or"),
    ("answers: {male: [his], female: [her]}\n", "", "line 2: 'answers' is given if and"),
    (", female: [her]", "", "line 3: answers are two or more lists of words"),
    ("[her]", "[]", "line 3: the answer 'female' has no words"),
    ("[her]", "her", "line 3: the answer 'female' has no words"),
    ("[her]", "[his]", "line 3: 'his' is no word, or stands twice"),
    ("[her]", "['']", "line 3: '' is no word, or stands twice"),
]


def test_a_grammar_is_read() -> None:
    grammar = read_grammar(SMALL)
    (sentence,) = grammar.rules["sentence"]
    assert sentence[:3] == (Reference("a", True), " ", Reference("occupation"))
    assert as_written(sentence) == "<A> <occupation> told me that <he> felt <feeling>."
    assert [value.group for value in grammar.sensitive["occupation"]] == ["nurse", "pilot"]
    assert [value.words for value in grammar.sensitive["gender"]] == [{"he": "he"}, {"he": "she"}]
    assert grammar.attribute_of == {"occupation": "occupation", "he": "gender"}
    assert grammar.labels == {"furious": "negative", "delighted": "positive"}
    assert grammar.size == (4, 9)


def test_all_faults_are_told_at_once() -> None:
    parts = SMALL.replace("start: sentence", "start: text").replace("[furious,", "['',")
    with pytest.raises(InputError) as refused:
        read_grammar(parts.replace("[nurse, pilot]", "[nurse]"))
    assert [line.partition(":")[0] for line in str(refused.value).splitlines()] == [
        f"the grammar, line {number}" for number in (5, 7, 1)
    ]
    with pytest.raises(InputError) as refused:
        read_grammar(SMALL.replace("<feeling>", "<mood> <sentence>").replace("{furious:", "{sad:"))
    assert len(str(refused.value).splitlines()) == 3


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_with_its_line(fault: str) -> None:
    old, new, said = FAULTS[fault]
    assert SMALL.count(old) >= 1
    with pytest.raises(InputError) as refused:
        read_grammar(SMALL.replace(old, new, 1), place="small.yaml")
    assert str(refused.value).startswith("small.yaml")
    assert said in str(refused.value)


def test_what_is_asked_of_coreference_and_of_masks_is_read() -> None:
    people, masked = read_grammar(PEOPLE), read_grammar(MASKED)
    assert (people.pronouns, people.antecedents) == (("he",), ("worker", "other"))
    assert people.labels == {"first": "worker", "second": "other"}
    assert masked.answers == {"male": ("his",), "female": ("her",)}
    assert masked.pronouns == masked.antecedents == ()
    assert people.answers == {}


@pytest.mark.parametrize(
    ("text", "fault"), [*((PEOPLE, one) for one in ASKED), *((MASKED, one) for one in ANSWERS)]
)
def test_a_fault_of_what_is_asked_is_told_with_its_line(
    text: str, fault: tuple[str, str, str]
) -> None:
    old, new, said = fault
    assert text.count(old) == 1
    with pytest.raises(InputError) as refused:
        read_grammar(text.replace(old, new), place="people.yaml")
    assert f"people.yaml, {said}" in str(refused.value)


@pytest.mark.parametrize("text", ["", "- a\n- b", "42", "&a [*a]", "{" * 5_000, "a: b: c"])
def test_what_is_no_grammar_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"holds no rules|not YAML|an alias"):
        read_grammar(text)


def test_a_file_of_aliases_is_read_in_no_time() -> None:
    levels = [f"  r{i}: &r{i} [{', '.join([f'*r{i - 1}'] * 9)}]" for i in range(1, 40)]
    attribute = "sensitive: {job: [nurse, pilot]}"
    with pytest.raises(InputError, match=r"line 4: not YAML \(an alias \(\*\) repeats"):
        read_grammar("\n".join(["start: r0", "rules:", "  r0: &r0 [x, y]", *levels, attribute]))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no grammar 'nothing'; use one of"):
        load_grammar("nothing")
    (tmp_path / "latin.yaml").write_bytes(b"about: caf\xe9")
    with pytest.raises(InputError, match="is not UTF-8"):
        load_grammar(str(tmp_path / "latin.yaml"))
    (tmp_path / "large.yaml").write_text("#" * 1_000_001)
    with pytest.raises(InputError, match="a grammar is small"):
        load_grammar(str(tmp_path / "large.yaml"))


@pytest.mark.parametrize("name", shipped_grammars())
def test_shipped_grammars_are_sound(name: str) -> None:
    grammar = load_grammar(name)
    assert grammar.about
    assert grammar.name == name


@pytest.mark.parametrize("opened", ["[", "{a: ", "- ", "? ", "[{a: "])
def test_nesting_is_refused_at_once(opened: str) -> None:
    with within(5), pytest.raises(InputError, match=r"nested too deeply|not YAML"):
        read_grammar(opened * 20_000)


def test_half_a_character_is_refused() -> None:
    rules = 'start: s\nsensitive: {job: [nurse, pilot]}\nrules:\n  s: ["x \\uD800 <job>"]'
    with pytest.raises(InputError, match="not YAML"):
        read_grammar(rules)
    with pytest.raises(InputError, match=r"half a character|not YAML"):
        read_grammar(f"about: \ud800\n{rules}")
