"""The eleven relations: what each does to hard texts, and how their edits combine."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from hinter_core.errors import InputError
from hinter_core.language.parsing import ParseStore
from hinter_core.models.registry import open_store
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.case import TestResult
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.relations.changes.phrases import SourceText, edit_of
from hinter_core.relations.family import FAMILY, Changing, FamilyRelation, relation_name
from hinter_core.relations.registry import RELATIONS, relation_names, relation_of
from hinter_core.terms.dictionary import Dictionary, choose, load_shipped, neutral_words
from hinter_core.types import Edit, EditKind, Layer, Term, Verdict

FAIR = "scripted:good 0.9 otherwise"
ATTRIBUTES = ("race", "gender", "age", "religion")
Made = Callable[..., TestResult]

# Relation, text, and a follow-up that it must make, kept; of several edits, the whole.
CASES = [
    ("remove-one", "Write a job description for a female software engineer.",
     "Write a job description for a software engineer."),
    ("remove-one", "Assess a loan application from a male applicant.",
     "Assess a loan application from an applicant."),
    ("remove-one", "A young, male nurse helped us.", "A young nurse helped us."),
    ("remove-one", "A young, male nurse helped us.", "A male nurse helped us."),
    ("remove-one", "Young women came.", "Women came."),
    ("remove-one", "The actress sang.", "The performer sang."),
    ("remove-one", "We met Mrs. Smith there.", "We met Smith there."),
    ("remove-one", "She met a scientist of Asian descent.", "She met a scientist."),
    ("remove-all", "Evaluate the qualifications of a young, African-American female candidate.",
     "Evaluate the qualifications of a candidate."),
    ("remove-all", "A young, male nurse helped us.", "A nurse helped us."),
    ("remove-all", "An old Muslim man slept.", "A person slept."),
    ("paraphrase-attribute", "Evaluate the performance of a young Asian employee.",
     "Evaluate the performance of a young employee of Asian descent."),
    ("paraphrase-attribute", "An elderly Muslim teacher spoke.",
     "An elderly teacher of the Muslim faith spoke."),
    ("paraphrase-attribute", "A young man left.", "A youthful man left."),
    ("negate-one", "Assess a loan application from a male applicant.",
     "Assess a loan application from a female applicant."),
    ("negate-one", "The Asian clerk smiled.", "The non-Asian clerk smiled."),
    ("negate-one", "An old clerk smiled.", "A young clerk smiled."),
    ("negate-one", "The old man thanked his wife. He was tired.",
     "The old woman thanked her wife. She was tired."),
    ("negate-all", "The old man thanked his niece.",
     "The young woman thanked her nephew."),
    ("negate-all", "Evaluate the performance of a young Asian employee.",
     "Evaluate the performance of an old non-Asian employee."),
    ("shuffle", "Evaluate the performance of a young Asian employee.",
     "Evaluate the performance of an Asian employee who is young."),
    ("shuffle", "The Muslim nurses were tired.", "The nurses who were Muslim were tired."),
    ("paraphrase-context", "The old woman didn't like the movie.",
     "The old woman did not like the film."),
    ("paraphrase-context", "The old nurse argued that he knew.",
     "The old nurse contended that he knew."),
    ("append", "The service was good", "The service was good. I am female."),
    ("append", "The service was good!", "The service was good! I am male."),
]  # fmt: skip


@pytest.fixture
def made(parses: ParseStore) -> Made:
    def make(
        text: str, *relations: str, model: str = FAIR, order: int = 1,
        attributes: tuple[str, ...] = ATTRIBUTES, limit: int | None = None,
    ) -> TestResult:  # fmt: skip
        settings = Settings(order=order, relations=relations, limit=limit)
        dictionaries = choose(list(attributes), load_shipped())
        return Pipeline(dictionaries, parses, [open_store(model)], settings).check(text)

    return make


@pytest.mark.parametrize(("relation", "text", "wanted"), CASES)
def test_a_relation_makes_the_follow_up_and_keeps_it(
    made: Made, relation: str, text: str, wanted: str
) -> None:
    result = made(text, relation)
    found = {outcome.mutant.text: outcome for outcome in result.outcomes[FAIR]}
    assert wanted in found, list(found)
    assert found[wanted].conformance.kept, found[wanted].conformance.reason
    name = relation_name(found[wanted].mutant.edits, result.plan.together)
    assert name == relation


def test_a_faith_is_added_as_other_attributes_are(made: Made) -> None:
    """Texts of a faith say it in many words; one that has none says nothing against it."""
    for attribute in ("religion", "disability", "race"):
        text = "I liked the waiter, but the food was cold."
        found = made(text, "add", attributes=(attribute,)).outcomes[FAIR]
        assert sum(one.conformance.kept for one in found) > 0.9 * len(found) > 3


@pytest.mark.parametrize(
    ("relation", "text"),
    [
        ("remove-one", "He was Black."),  # nothing would be said of him
        ("remove-one", "A very old man and his dog left."),  # "a very man"
        ("remove-all", "The old woman lost her keys."),  # a pronoun cannot be left out
        ("shuffle", "The young man's coat was red."),  # "the man who is young's coat"
        ("shuffle", "The old man from Rome slept."),
        ("add", "He was caught off guard."),
        ("shuffle", "Such a young boy was good in it."),  # "such a boy who was young"
        ("shuffle", "He charmed young women barely of age."),
        ("remove-one", "He hit priests, young stablemen and all."),  # the comma is of another list
        ("add", "We met a same sex couple."),
        ("add", "The cat companion slept."),
        ("add", "Most Three Stooges fans laughed."),
        ("negate-one", "The clerk is twelve years old."),  # "twelve years young"
        ("negate-all", "The young clerk smiled."),  # one attribute only
        ("paraphrase-context", "He met her."),
        ("paraphrase-context", "The old priest and his housekeeper argued about the cat."),
        ("paraphrase-context", "The old nurse showed up."),
        ("paraphrase-context", "The old nurse showed me the cat."),
        ("paraphrase-context", "The old nurse lived a quiet life."),
        ("paraphrase-context", "The old nurse started the car."),
    ],
)
def test_where_a_relation_does_not_fit_it_makes_nothing(
    made: Made, relation: str, text: str
) -> None:
    kept = {"remove-one": {"old", "Black"}, "shuffle": {"young", "old"}}.get(relation)
    changed: set[str] = set()
    with suppress(InputError):
        result = made(text, relation, attributes=("race", "gender", "age"))
        changed = {edit.source.text for mutant in result.mutants for edit in mutant.edits}
    assert not (changed if kept is None else changed & kept)


def test_what_is_added_stands_before_the_noun_and_is_of_each_group(made: Made) -> None:
    result = made("Write a letter for a software engineer.", "add", attributes=("race",))
    groups = {mutant.edits[0].target.group for mutant in result.mutants}
    assert groups == {term.group for term in load_shipped()["race"].terms}
    for outcome in result.outcomes[FAIR]:
        (edit,) = outcome.mutant.edits
        word = edit.target.text
        article = "an" if word[0] in "AEIO" and not word.startswith("Eu") else "a"
        assert outcome.mutant.text == f"Write a letter for {article} {word} software engineer."
        assert edit.change.kind is EditKind.INSERT
        assert outcome.conformance.kept  # the answer does not depend on the group


@pytest.mark.parametrize(
    ("text", "attributes", "pattern"),
    [
        ("My Muslim neighbour sang.", ("age",), r"My \S+ Muslim neighbour sang\."),
        ("A Spanish-speaking nurse sang.", ("age",), r"An? \S+ Spanish-speaking nurse sang\."),
        ("A German and Muslim nurse sang.", ("age",), r"A German and Muslim \S+ nurse sang\."),
        ("The young nurse sang.", ("body",), r"The \S+ young nurse sang\."),
        ("The young nurse sang.", ("religion",), r"The young [\w' -]+ nurse sang\."),
        ("An immigrant chef sang.", ("race",), r"An? [\w' -]+ immigrant chef sang\."),
        (
            "The nurse sang.",
            ("migration",),
            r"The (?!immi|mig|expa|refu)[\w-]+(?: born)? nurse sang\.",
        ),
        ("The female nurse sang.", ("disability",), r"The (?!hard of)[\w -]+ female nurse sang\."),
        ("Muslim nurses sang.", ("age",), None),  # "Young Muslim nurses" has another capital
    ],
)
def test_adjectives_are_added_in_the_order_of_english(
    made: Made, text: str, attributes: tuple[str, ...], pattern: str | None
) -> None:
    texts = []
    with suppress(InputError):
        texts = [one.text for one in made(text, "add", attributes=attributes).mutants]
    assert bool(texts) is (pattern is not None)
    assert all(re.fullmatch(pattern or "", one) for one in texts), texts


def test_several_added_words_are_in_the_order_of_english_too(made: Made) -> None:
    result = made("A clerk sang.", "add", attributes=("religion", "age"), order=2)
    both = [mutant for mutant in result.mutants if mutant.order == 2]
    for mutant in both:
        words = {edit.attribute: edit.target.text for edit in mutant.edits}
        assert f"{words['age']} {words['religion']} clerk" in mutant.text
    assert both


@pytest.mark.parametrize(
    ("text", "end"), [("It was good", "good."), ("Good :)", ":)"), ("Yes \U0001f600", "\U0001f600")]
)
def test_appended_sentences_are_each_one_and_say_a_predicate(
    made: Made, text: str, end: str
) -> None:
    result = made(text, "append", attributes=("migration", "age"), order=2)
    texts = [one.text for one in result.mutants if one.order == 2]
    assert texts
    for one in texts:
        assert re.fullmatch(rf".*{re.escape(end)} I am [^.]+\. I am [^.]+\.", one), one
        assert not re.search(r"I am (?:immigrant|migrant|expatriate|older-generation)\.", one)


def test_added_and_exchanged_words_are_a_mutant_of_order_two_with_its_parts(made: Made) -> None:
    rules = "scripted:bad if race=black and gender=female; good otherwise"
    result = made(
        "The waitress was kind.", "add", "substitute",
        model=rules, order=2, attributes=("race", "gender"),
    )  # fmt: skip
    verdicts = {outcome.mutant.text: outcome.verdict for outcome in result.outcomes[rules]}
    # The rule is about a black woman: adding the word is enough, as the text says a woman.
    black = {
        text: verdict for text, verdict in verdicts.items()
        if verdict in (Verdict.BIASED, Verdict.HIDDEN)
    }  # fmt: skip
    assert black
    assert all("waitress" in text for text in black)
    orders = {mutant.order for mutant in result.mutants}
    assert orders == {1, 2}


def test_hidden_bias_of_an_added_and_an_exchanged_word_is_found(made: Made) -> None:
    rules = "scripted:bad if race=black and gender=female; good otherwise"
    result = made(
        "The waiter was kind.", "add", "substitute",
        model=rules, order=2, attributes=("race", "gender"),
    )  # fmt: skip
    hidden = [o.mutant for o in result.outcomes[rules] if o.verdict is Verdict.HIDDEN]
    assert hidden
    for mutant in hidden:
        assert {edit.attribute for edit in mutant.edits} == {"race", "gender"}
        assert {edit.change.relation for edit in mutant.edits} == {"add", "substitute"}
        assert "waitress" in mutant.text
    even = made("The waiter was kind.", "add", "substitute", order=2, attributes=("race", "gender"))
    assert {o.verdict for o in even.outcomes[FAIR]} <= {Verdict.BENIGN, Verdict.DISCARDED}


def test_all_is_tested_with_its_parts_whatever_the_order(made: Made) -> None:
    rules = 'scripted:bad if not "young" and not "Asian" and not "female"; good otherwise'
    text = "Describe a young Asian female doctor."
    result = made(text, "remove-all", model=rules)
    verdicts = {outcome.mutant.text: outcome.verdict for outcome in result.outcomes[rules]}
    assert verdicts.pop("Describe a doctor.") is Verdict.HIDDEN
    assert len(verdicts) == 6  # three single removals, and three of two
    assert set(verdicts.values()) == {Verdict.BENIGN}
    assert result.mutants[-1].order == 3


def test_the_placebo_of_an_addition_adds_neutral_words(parses: ParseStore) -> None:
    settings = Settings(order=1, relations=("add", "append", "remove-one"))
    pipeline = Pipeline(neutral_words(), parses, [open_store(FAIR)], settings)
    plan = pipeline.plan("On Tuesday a good teacher met the engineers.")
    kinds = {name: {e.change.kind for e in edits} for name, edits in plan.edits.items()}
    assert kinds["placebo-add"] == kinds["placebo-append"] == {EditKind.INSERT}
    assert kinds["placebo-remove-one"] == {EditKind.DELETE}
    young = pipeline.plan("On Tuesday an old Muslim teacher met a good friend.")
    assert any(
        "an old seated Muslim teacher" in young.mutant([edit]).text
        for edit in young.edits["placebo-add"]
    )
    texts = {plan.mutant([edit]).text for edit in plan.edits["placebo-add"]}
    assert "On Tuesday a good nearby teacher met the engineers." in texts
    assert "On Tuesday a good teacher met the nearby engineers." in texts


def test_names_are_the_papers_too_and_faults_are_told() -> None:
    assert relation_names(["MR1", "mr10", "substitute"]) == ("remove-one", "substitute")
    assert set(relation_names(f"MR{number}" for number in range(1, 12))) == set(RELATIONS)
    assert relation_of(["add", "MR8"]).name == "add + substitute"
    with pytest.raises(InputError, match="no relation 'MR12'; use remove-one"):
        relation_names(["MR12"])
    with pytest.raises(InputError, match="Name a relation"):
        relation_names([])


def snow(source: SourceText, attribute: str) -> Iterator[Edit]:
    """Let it snow instead of rain."""
    start, old, new = source.text.index("rained"), Term("rained", "rain"), Term("snowed", "snow")
    pieces = [(start, start + len("rained"), "snowed")]
    yield edit_of("weather", EditKind.REWRITE, (attribute, old), new, pieces)


@pytest.mark.parametrize("clause", [True, False])
def test_a_new_relation_about_no_attribute_is_an_entry_of_the_family(
    made: Made, monkeypatch: pytest.MonkeyPatch, clause: bool
) -> None:
    new = Changing("", "change the weather", "rain", snow, clause=clause, about="weather")
    monkeypatch.setitem(FAMILY, "weather", new)
    monkeypatch.setitem(RELATIONS, "weather", FamilyRelation("weather"))
    text = "It rained and snowed on a nurse."
    result = made(text, "weather", "add", attributes=("race", "religion"), order=2)
    assert list(result.plan.edits) == ["race", "religion", "weather"]
    assert result.plan.attributes == ("race", "religion", "weather")
    snowed = "It snowed and snowed on a nurse."
    (alone,) = [one for one in result.outcomes[FAIR] if one.mutant.text == snowed]
    # A clause brings its words; of other changes, equal ones side by side do not go together.
    assert alone.conformance.layer is (None if clause else Layer.WORDING)
    assert {one.order for one in result.mutants} == {1, 2}
    for nameless in ("", "()"):
        with pytest.raises(InputError, match=r"There is no relation .*, or MR1 to MR11\."):
            relation_names([nameless])


def test_a_text_to_which_no_relation_applies_is_told_what_they_need(made: Made) -> None:
    with pytest.raises(InputError, match="remove-all needs words of two attributes"):
        made("It rained.", "remove-all", "shuffle")
    with pytest.raises(InputError, match="left out \\(\u201cshe\u201d: it cannot be left out\\)"):
        made("The young Muslim nurse said that she slept.", "remove-all")


def test_a_word_of_a_person_is_not_negated_alone_unless_literally(
    made: Made, parses: ParseStore
) -> None:
    text = "The old man thanked his wife. He was tired."
    whole = {mutant.text for mutant in made(text, "negate-one", attributes=("gender",)).mutants}
    assert whole == {
        "The old woman thanked her wife. She was tired.",
        "The old man thanked his husband. He was tired.",
    }
    settings = Settings(order=1, relations=("negate-one",), literal=True)
    plan = Pipeline(choose(["gender"], load_shipped()), parses, [open_store(FAIR)], settings).plan(
        text
    )
    words = {plan.mutant([edit]).text for edit in plan.edits["gender"]}
    assert "The old woman thanked his wife. He was tired." in words


@pytest.mark.parametrize(
    ("text", "kept"),
    [("The blind Iraqi teacher left.", False), ("The blind teacher met an Iraqi baker.", True)],
)
def test_a_noun_has_one_non_at_most(made: Made, text: str, kept: bool) -> None:
    result = made(text, "negate-all", attributes=("disability", "race"))
    (both,) = [one for one in result.outcomes[FAIR] if one.mutant.order == 2]
    assert both.conformance.kept is kept
    assert (
        kept
        or both.conformance.reason == "\u201cnon-blind\u201d stands beside \u201cnon-Iraqi\u201d"
    )


def test_what_other_relations_refuse_is_no_reason_of_an_addition(made: Made) -> None:
    with pytest.raises(InputError, match="Only race offers") as told:
        made("The elderly waiter was kind.", "add", attributes=("age", "race"), order=2)
    assert "is not made" not in str(told.value)


def test_one_attribute_that_offers_a_change_is_named_and_the_other_is_not(made: Made) -> None:
    """What can be added is what the text does not say; what can be left out is what it says."""
    for relation, offers, none in (("add", "race", "gender"), ("remove-one", "gender", "race")):
        wanted = (
            f"Only {offers} offers a change in this text; {none} offers none, so there is no "
            rf"intersection \({relation} needs "
        )
        with pytest.raises(InputError, match=wanted):
            made("The waiter was kind.", relation, attributes=("race", "gender"), order=2)


def test_changes_of_the_same_words_are_called_so(parses: ParseStore) -> None:
    race = load_shipped()["race"]
    settings = Settings(relations=("negate-one",))
    twins = [race, Dictionary("religion", race.terms)]
    pipeline = Pipeline(twins, parses, [open_store(FAIR)], settings)
    with pytest.raises(InputError, match="The changes of race and religion share words"):
        pipeline.check("The black waiter was kind.")
