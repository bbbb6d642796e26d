"""Sentences of a grammar with their edits: articles, agreement, concepts, other people's words."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from hinter_core.campaign.tables import is_placebo
from hinter_core.errors import InputError
from hinter_core.generators.grammars.cases import (
    GrammarRow,
    GrammarTable,
    label_of,
    load_weights,
    plan_of,
    question_of,
)
from hinter_core.generators.grammars.generator import GrammarMutants
from hinter_core.generators.grammars.reading import load_grammar, read_grammar, shipped_grammars
from hinter_core.generators.grammars.sampling import Sentences
from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.settings import Settings
from hinter_core.terms.dictionary import neutral_words
from hinter_core.terms.names import name_usage
from hinter_core.types import MASKED_PLACE, OriginKind

GRAMMAR = read_grammar("""
start: s
rules:
  s: ['<A> <job> told <a> <other> that <he> lost <his> <thing>; <he> was <mood>.']
  other: [cook, actor]
  thing: [hat]
  mood: [<bad>, <good>]
  bad: [angry]
  good: [pleased]
sensitive:
  job: [actor, pilot, umpire]
  gender:
    - {group: male, he: he, his: his}
    - {group: female, he: she, his: her}
labels: {bad: negative, good: positive}
""")


def variants(start: str) -> dict[str, list[str]]:
    """By attribute, what a sentence that begins so becomes."""
    rows = GrammarTable(GRAMMAR, Sentences(GRAMMAR).count).rows()
    row = next(row for row in rows if row.text.startswith(start))
    assert isinstance(row, GrammarRow)
    plan = plan_of(GRAMMAR, row.derivation, Settings(), ("job", "gender"))
    assert plan.origin.kind is OriginKind.GRAMMAR
    assert {plan.text[slice(*slot.span)] for slot in plan.slots if slot.name == "thing"} == {"hat"}
    return {
        name: [plan.mutant((edit,)).text for edit in edits] for name, edits in plan.edits.items()
    }


def test_a_value_is_exchanged_in_all_its_places_with_its_articles() -> None:
    found = variants("A pilot told a cook that he lost his hat; he was angry.")
    assert found == {
        "job": [
            "An actor told a cook that he lost his hat; he was angry.",
            "An umpire told a cook that he lost his hat; he was angry.",
        ],
        "gender": ["A pilot told a cook that she lost her hat; she was angry."],
    }


def test_a_word_that_stands_for_somebody_else_takes_no_place() -> None:
    found = variants("A pilot told an actor that she lost her hat; she was pleased.")
    assert found["job"] == ["An umpire told an actor that she lost her hat; she was pleased."]


def test_combinations_are_exact_and_undone_by_their_lattice() -> None:
    for row in GrammarTable(GRAMMAR, Sentences(GRAMMAR).count).rows():
        assert isinstance(row, GrammarRow)
        plan = plan_of(GRAMMAR, row.derivation, Settings(), ("job", "gender"))
        texts = {frozenset(edits): plan.mutant(edits).text for edits in plan.each()}
        assert len(set(texts.values())) == len(texts) == plan.total
        assert all(" a a" not in text and " an c" not in text for text in texts.values())


def test_labels_follow_from_the_words_used() -> None:
    for one in Sentences(GRAMMAR).draw(0):
        bad = "angry" in one.words
        assert label_of(GRAMMAR, one) == ("negative" if bad else "positive")


def test_concepts_keep_values_apart() -> None:
    kin = read_grammar("""
start: s
rules: {s: ['My <kin> slept.']}
sensitive:
  gender:
    - {group: male, concept: parent, kin: father}
    - {group: female, concept: parent, kin: mother}
    - {group: male, concept: sibling, kin: brother}
    - {group: female, concept: sibling, kin: sister}
""")
    for one in Sentences(kin).draw(0):
        (edit,) = plan_of(kin, one, Settings(order=1), ("gender",)).edits["gender"]
        assert {edit.source.concept} == {edit.target.concept}
        assert edit.source.group != edit.target.group


def test_there_are_no_more_sentences_than_the_grammar_has() -> None:
    table = GrammarTable(GRAMMAR, 25)
    assert table.count == len(list(table.rows())) == 24


def test_weights_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    path.write_text('{"job": {"pilot": 1}}')
    table = GrammarTable(GRAMMAR, 4, weights=load_weights(path))
    assert all(row.text.startswith("A pilot") for row in table.rows())
    for text in ("[]", '{"job": 1}', '{"job": {"pilot": true}}', "{", "[" * 9_000):
        path.write_text(text)
        with pytest.raises(InputError, match=r"holds no weights|is no JSON"):
            load_weights(path)
    with pytest.raises(InputError, match="Cannot read"):
        load_weights(tmp_path)


def test_mutants_of_all_orders_and_their_placebo(parses: ParseStore) -> None:
    grammar = load_grammar("feelings")
    generator = GrammarMutants(
        grammar, Settings(limit=10), tuple(grammar.sensitive), parses, placebo=[]
    )
    planned = list(generator.plans(GrammarTable(grammar, 6).rows()))
    cases = generator.test_cases(planned)
    orders = {follow_up.mutant.order for follow_up in generator.follow_ups(cases.values())}
    assert orders == {1, 2}
    for row, plan, why in planned:
        assert plan is not None
        assert bool(why) is (sum(bool(edits) for edits in plan.edits.values()) < 2)
        assert plan.text == row.text


def test_names_in_slots_have_names_as_their_placebo(parses: ParseStore) -> None:
    """Without a neutral word, there was no placebo, however many sentences were drawn."""
    grammar = read_grammar("""
start: s
rules:
  s: ["<Name> said that <he> was ill."]
sensitive:
  race: [{group: x, name: Matthew}, {group: y, name: Jamal Hill}]
  gender: [{group: male, he: he}, {group: female, he: she}]
""")
    generator = GrammarMutants(
        grammar, Settings(2), tuple(grammar.sensitive), parses, placebo=neutral_words(), names=True
    )
    cases = generator.test_cases(generator.plans(GrammarTable(grammar, 4).rows()))
    made = [one.mutant for one in generator.follow_ups(cases.values())]
    neutral = [one for one in made if is_placebo(tuple(e.attribute for e in one.edits))]
    assert {one.order for one in neutral} == {1, 2}
    for one in neutral:
        ((old, new),) = [(splice.old, splice.new) for splice in one.splices if splice.attribute]
        alike = name_usage().alike(old.split()[0], "male")
        assert (new.split()[0] in alike, new.split()[1:]) == (True, old.split()[1:])


@pytest.mark.parametrize("name", shipped_grammars())
def test_shipped_grammars_say_each_sentence_in_one_way(name: str) -> None:
    grammar = load_grammar(name)
    source = Sentences(grammar)
    drawn = list(islice(GrammarTable(grammar, min(3_000, source.count)).rows(), 3_000))
    assert len({row.text for row in drawn}) == len(drawn)
    assert all(row.text[0].isupper() and row.text.rstrip()[-1] in ".!?" for row in drawn)
    assert not any("  " in row.text or " ." in row.text for row in drawn)


def test_the_question_of_coreference_is_asked_about_the_slots() -> None:
    grammar = load_grammar("coreference-unambiguous")
    for row in GrammarTable(grammar, 500).rows():
        assert isinstance(row, GrammarRow)
        question = question_of(grammar, plan_of(grammar, row.derivation, Settings(), ()).slots)
        (pronoun,) = (row.text[slice(*span)].lower() for span in question.pronouns)
        assert pronoun in ("he", "him", "himself", "she", "her", "herself")
        assert set(question.antecedents) == {"occupation", "colleague"}
        ((start, end),) = question.antecedents["occupation"]
        worker = row.derivation.values["occupation"].title
        assert row.text[start:end] == worker
        # The label is the link that is meant, in the order of the sentence.
        assert pronoun in row.label.split(" = ")
        meant = "occupation" if worker in row.label else "colleague"
        assert label_of(grammar, row.derivation) == meant


def test_a_mask_has_its_place_among_the_slots() -> None:
    grammar = load_grammar("masked-pronouns")
    for row in GrammarTable(grammar, 500).rows():
        assert isinstance(row, GrammarRow)
        slots = plan_of(grammar, row.derivation, Settings(), ()).slots
        (mask,) = (slot.span for slot in slots if slot.name == "mask")
        assert row.text[slice(*mask)] == MASKED_PLACE
