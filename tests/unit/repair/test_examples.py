"""What a repaired model learns from: balanced, labelled, and never what is measured."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
import yaml

from hinter_core.data.rows import Row
from hinter_core.errors import InputError
from hinter_core.generators.grammars.reading import grammar_file, load_grammar
from hinter_core.language.parsing import ParseStore
from hinter_core.models.registry import load_model
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.plan import Plan, Settings
from hinter_core.repair.examples import drawn_edits, from_grammar, from_texts, split_words
from hinter_core.terms.dictionary import Dictionary

LABELS = ("negative", "positive")


def test_values_are_divided_within_their_concept_and_small_ones_stay_whole() -> None:
    tree = yaml.safe_load(grammar_file("feelings").read_text(encoding="utf-8"))
    seen, unseen = (half["sensitive"] for half in split_words(tree, 0))
    whole = tree["sensitive"]
    assert sorted(seen["race"] + unseen["race"]) == sorted(whole["race"])
    assert abs(len(seen["race"]) - len(unseen["race"])) <= 1
    assert seen["gender"] == unseen["gender"] == whole["gender"]  # father and mother
    assert split_words(tree, 0) != split_words(tree, 1)
    tree["sensitive"] = {"gender": whole["gender"]}
    with pytest.raises(InputError, match="No attribute of the grammar has 4 values or more"):
        split_words(tree, 0)


def test_sentences_of_a_grammar_are_balanced_and_have_variants_of_their_label() -> None:
    examples = from_grammar(load_grammar("feelings"), LABELS, 60, {}, 3)
    assert Counter(example.targets for example in examples) == {(1.0, 0.0): 30, (0.0, 1.0): 30}
    assert all(example.variant not in ("", example.text) for example in examples)
    assert len({example.text for example in examples}) == 60
    assert from_grammar(load_grammar("feelings"), LABELS, 60, {}, 3) == examples
    # The labels come in the model's order.
    turned = from_grammar(load_grammar("feelings"), LABELS[::-1], 60, {}, 3)
    assert [example.targets[::-1] for example in turned] == [e.targets for e in examples]


def test_weights_draw_the_words_that_change_answers() -> None:
    only = from_grammar(load_grammar("feelings"), LABELS, 20, {"race": {"Black": 1.0}}, 3)
    plain = from_grammar(load_grammar("feelings"), LABELS, 20, {}, 3)
    assert sum("Black" in example.text for example in only) > 10
    assert sum("Black" in example.text for example in plain) < 10


@pytest.mark.parametrize(
    ("grammar", "labels", "said"),
    [
        ("feelings", ("LABEL_0", "LABEL_1"), "and the model has the labels LABEL_0, LABEL_1"),
        ("masked-pronouns", LABELS, "gives no labels, and the model has the labels negative"),
    ],
)
def test_labels_that_do_not_fit_are_refused(
    grammar: str, labels: tuple[str, ...], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        from_grammar(load_grammar(grammar), labels, 10, {}, 0)


def test_a_text_keeps_its_label_or_the_answer_of_the_model(
    race: Dictionary, gender: Dictionary, parses: ParseStore
) -> None:
    model = load_model("vader")
    rows = [
        Row(1, "1", "The black man was kind.", "positive"),
        Row(2, "2", "The soup was cold.", "negative"),
        Row(3, "3", "The white woman left early.", "benefits"),
    ]
    found = list(from_texts(rows, PredictionStore(model), [race, gender], parses, 0))
    labels = model.capabilities.labels
    assert found[0].targets == tuple(float(name == "positive") for name in labels)
    assert found[0].variant not in ("", rows[0].text)
    assert (found[1].targets, found[1].variant) == (
        tuple(float(name == "negative") for name in labels), "",
    )  # fmt: skip
    answer = model.predict([rows[2].text])[0]
    assert found[2].targets == tuple(answer.scores.get(name, 0.0) for name in labels)


def test_a_text_without_an_edit_has_no_variant() -> None:
    assert drawn_edits(Plan.of_text("Nobody came.", Settings()), Random(0)) == ()
