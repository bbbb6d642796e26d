"""The shipped dictionaries: rich enough, paired by form, and the placebo apart from the rest."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from hinter_core.language.spelling import spelling
from hinter_core.storage import shipped_lists, shipped_rows, shipped_words
from hinter_core.terms.dictionary import Dictionary, load_shipped
from hinter_core.terms.senses.lexicon import person_nouns
from hinter_core.types import GrammaticalForm, Pair

SENSITIVE = (
    "race", "gender", "body", "age", "religion", "nationality", "disability", "sexual-orientation",
    "occupation", "socio-economic-status",
    "political-views", "migration", "marital-status", "language",
)  # fmt: skip
EVERY = (*SENSITIVE, "placebo")
AMERICAN = {
    "ised": "ized", "lyse": "lyze", "our": "or", "grey": "gray", "centre": "center",
    "counsell": "counsel", "ageing": "aging", "visor": "viser", "maths": "math",
}  # fmt: skip


def all_pairs(dictionary: Dictionary) -> list[Pair]:
    return [pair for pairs in dictionary.pairs_from.values() for pair in pairs]


def targets(dictionary: Dictionary, source: str, form: GrammaticalForm) -> set[str]:
    return {
        p.target.text
        for p in all_pairs(dictionary)
        if p.source.text == source and p.source.form is form
    }


def test_all_attributes_are_shipped() -> None:
    assert set(load_shipped()) == set(EVERY)


@pytest.mark.parametrize(
    ("attribute", "terms", "groups"), [("race", 116, 8), ("gender", 230, 4), ("body", 98, 6)]
)
def test_at_least_as_rich_as_the_paper(
    shipped: dict[str, Dictionary], attribute: str, terms: int, groups: int
) -> None:
    dictionary = shipped[attribute]
    sources = {t.text.casefold() for t in dictionary.pairs_from}
    assert len(sources) >= terms
    assert len({t.group for t in dictionary.pairs_from}) == groups == len(dictionary.groups or {})


@pytest.mark.parametrize("attribute", EVERY)
def test_a_word_is_put_into_texts_in_one_spelling(attribute: str) -> None:
    def american(word: str) -> str:
        return re.sub("|".join(AMERICAN), lambda found: AMERICAN[found[0]], spelling(word))

    slots = Counter(
        (american(term.text), term.form, term.concept, term.group)
        for term in load_shipped()[attribute].terms
        if not term.source_only and term.form is not GrammaticalForm.TITLE
    )
    assert [slot for slot, number in slots.items() if number > 1] == []


@pytest.mark.parametrize("attribute", EVERY)
def test_every_term_can_be_exchanged_and_every_group_is_used(attribute: str) -> None:
    dictionary = load_shipped()[attribute]
    pairless = [t.text for t in dictionary.terms if t not in dictionary.pairs_from]
    assert pairless == []
    assert {t.group for t in dictionary.terms} == set(dictionary.groups or {})
    assert dictionary.label
    assert dictionary.description


@pytest.mark.parametrize("attribute", EVERY)
def test_pairs_keep_the_form_change_the_group_and_go_both_ways(attribute: str) -> None:
    pairs = all_pairs(load_shipped()[attribute])
    both = {(p.source, p.target) for p in pairs}
    for pair in pairs:
        assert pair.source.form is pair.target.form
        assert pair.source.group != pair.target.group
        assert not pair.target.source_only
        assert pair.source.source_only or (pair.target, pair.source) in both
    assert len(both) == len(pairs)


def test_pronouns_are_paired_by_part_of_speech(shipped: dict[str, Dictionary]) -> None:
    gender = shipped["gender"]
    assert "she" in targets(gender, "he", GrammaticalForm.PRONOUN_SUBJECT)
    assert "her" in targets(gender, "him", GrammaticalForm.PRONOUN_OBJECT)
    assert "her" in targets(gender, "his", GrammaticalForm.PRONOUN_POSSESSIVE)
    assert "hers" in targets(gender, "his", GrammaticalForm.PRONOUN_POSSESSIVE_ABSOLUTE)
    assert "his" in targets(gender, "her", GrammaticalForm.PRONOUN_POSSESSIVE)
    assert "him" in targets(gender, "her", GrammaticalForm.PRONOUN_OBJECT)
    assert targets(gender, "herself", GrammaticalForm.PRONOUN_REFLEXIVE) & {
        "himself",
        "him",
        "he",
    } == {"himself"}
    for pair in all_pairs(gender):
        reflexive = [t.text.endswith(("self", "selves")) for t in (pair.source, pair.target)]
        assert reflexive[0] is reflexive[1], (pair.source.text, pair.target.text)


def test_a_word_that_says_more_than_its_gendered_words_is_no_neutral_one(
    shipped: dict[str, Dictionary],
) -> None:
    """A recent graduate is no alumna, and a blood donor no benefactor."""
    assert {t.text for t in shipped["gender"].terms}.isdisjoint({"graduate", "donor"})


def test_a_word_before_a_noun_meets_words_that_stand_there(shipped: dict[str, Dictionary]) -> None:
    migration = shipped["migration"]
    before = targets(migration, "immigrant", GrammaticalForm.ADJECTIVE)
    assert {"refugee", "undocumented", "local"} <= before
    assert "citizen" not in before
    assert "citizen" in targets(migration, "immigrant", GrammaticalForm.NOUN_SG)


@pytest.mark.parametrize("attribute", SENSITIVE)
def test_the_placebo_shares_no_word_with_a_sensitive_attribute(attribute: str) -> None:
    known = load_shipped()
    placebo = {t.text.casefold() for t in known["placebo"].terms}
    assert known["placebo"].placebo
    assert not known[attribute].placebo
    assert not placebo & {t.text.casefold() for t in known[attribute].terms}


def test_words_of_two_senses_change_in_neither(shipped: dict[str, Dictionary]) -> None:
    words = {term.text: term.group for term in shipped["gender"].terms}
    assert (words["host"], words["hostess"]) == ("neutral", "female")  # of a house and of a show
    assert "presenter" not in words
    assert "table" not in {term.text for term in shipped["placebo"].terms}  # of a restaurant


def test_the_placebo_names_nobody(shipped: dict[str, Dictionary]) -> None:
    named = {t.text.casefold() for t in shipped["placebo"].terms} & person_nouns()
    assert all(word.startswith(("every", "some", "any")) for word in named)  # whoever that may be


@pytest.mark.parametrize("attribute", EVERY)
def test_plural_forms_differ_from_singular_ones(attribute: str) -> None:
    """A noun is listed in both numbers where it has both, so that plural meets plural."""
    terms = load_shipped()[attribute].terms
    by_form = {
        form: {t.text.casefold() for t in terms if t.form is form}
        for form in (GrammaticalForm.NOUN_SG, GrammaticalForm.NOUN_PL)
    }
    both = by_form[GrammaticalForm.NOUN_SG] & by_form[GrammaticalForm.NOUN_PL]
    # "Chinese", "deaf", "police": a handful of words are the same in both numbers.
    assert len(both) <= len(terms) // 10, sorted(both)


def test_person_nouns_are_unique_and_lower_case() -> None:
    rows = [row["term"] for row in shipped_rows("person_nouns")]
    assert len(rows) > 500
    assert [t for t, n in Counter(rows).items() if n > 1] == []
    assert [t for t in rows if t != t.strip() or not t] == []


@pytest.mark.parametrize("name", ["abbreviations", "grammar", "small_words"])
def test_each_word_of_a_list_is_there_once_and_in_lower_case(name: str) -> None:
    for key, words in shipped_lists(name).items():
        counted = Counter(words.split())
        assert [word for word, times in counted.items() if times > 1 or word != word.lower()] == []
        assert shipped_words(name)[key] == set(counted)
