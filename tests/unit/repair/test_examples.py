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
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.settings import Settings
from hinter_core.repair.examples import (
    Variants,
    drawn_edits,
    from_grammar,
    from_texts,
    split_words,
    widened,
    words_of,
)
from hinter_core.repair.texts import folded, matcher
from hinter_core.terms.dictionary import Dictionary, load_shipped

ONE = Variants()


def asked(first: str = "negative", other: str = "positive") -> PredictionStore:
    """A model with two labels in this order, which calls a woman's sentence the first."""
    return PredictionStore(load_model(f"scripted:{first} if gender=female; {other} otherwise"))


def test_values_are_divided_within_their_concept_and_small_ones_stay_whole() -> None:
    tree = yaml.safe_load(grammar_file("feelings").read_text(encoding="utf-8"))
    seen, unseen = (half["sensitive"] for half in split_words(tree, 0))
    whole = tree["sensitive"]
    assert sorted(seen["race"] + unseen["race"]) == sorted(whole["race"])
    assert abs(len(seen["race"]) - len(unseen["race"])) <= 1
    assert seen["gender"] == unseen["gender"] == whole["gender"]  # father and mother
    assert split_words(tree, 0) != split_words(tree, 1)
    # Of an attribute that is divided, nothing stands in both halves.
    tree["sensitive"]["name"] = [
        {"group": "g", "concept": concept, "name": f"{concept}{number}"}
        for concept, values in (("a", 4), ("b", 2))
        for number in range(values)
    ]
    seen, unseen = (half["sensitive"]["name"] for half in split_words(tree, 0))
    assert ([len(seen), len(unseen)], {one["concept"] for one in unseen}) == ([4, 2], {"a"})
    tree["sensitive"] = {"gender": whole["gender"]}
    with pytest.raises(InputError, match="No attribute of the grammar has 4 values or more"):
        split_words(tree, 0)


def test_sentences_of_a_grammar_are_balanced_and_have_variants_of_their_label() -> None:
    examples = from_grammar(load_grammar("feelings"), asked(), 60, {}, 3, ONE, {})
    targets = Counter(example.targets for example in examples)
    assert targets[1.0, 0.0] == targets[0.0, 1.0] == 20
    assert all(len({example.text, *example.variants}) == 2 for example in examples)
    assert len({example.text for example in examples}) == 60
    assert from_grammar(load_grammar("feelings"), asked(), 60, {}, 3, ONE, {}) == examples
    # The labels come in the model's order.
    turned = asked("positive", "negative")
    others = from_grammar(load_grammar("feelings"), turned, 60, {}, 3, ONE, {})
    labelled = [example.targets for example in examples if max(example.targets) == 1]
    assert [e.targets[::-1] for e in others if max(e.targets) == 1] == labelled


def test_a_sentence_whose_label_the_model_lacks_gets_its_own_answers_averaged() -> None:
    model = asked()
    examples = from_grammar(load_grammar("feelings"), model, 60, {}, 3, Variants(3), {})
    neutral = [example for example in examples if max(example.targets) < 1]
    assert len(neutral) > 5
    for example in neutral:
        texts = [example.text, *example.variants]
        shares = [answer.scores["negative"] for answer in model.predict(texts).values()]
        assert example.targets[0] == pytest.approx(sum(shares) / len(shares))
        assert sum(example.targets) == pytest.approx(1)


def test_weights_draw_the_words_that_change_answers() -> None:
    only = from_grammar(load_grammar("feelings"), asked(), 20, {"race": {"Black": 1.0}}, 3, ONE, {})
    plain = from_grammar(load_grammar("feelings"), asked(), 20, {}, 3, ONE, {})
    assert sum("Black" in example.text for example in only) > 10
    assert sum("Black" in example.text for example in plain) < 10


def test_variants_have_words_of_the_dictionaries_and_none_that_is_kept_for_the_test() -> None:
    grammar = load_grammar("feelings")
    unseen = {"kenyan", "korean", "engineer", "plumber", "african"}
    wide = widened(grammar, load_shipped(), matcher(unseen))
    added = words_of(wide) - words_of(grammar)
    assert {"chinese", "mexican american", "electrician"} <= added
    assert not added & unseen
    assert not any(word.startswith("african") for word in added)  # a compound of a kept word
    assert not added & {
        "asians",
        "men",
        "nurses",
        "woman",
    }  # other forms, and words that go together
    assert wide.sensitive["gender"] == grammar.sensitive["gender"]
    drawn = from_grammar(grammar, asked(), 60, {}, 3, Variants(3, matcher(unseen)), load_shipped())
    assert sum(len(example.variants) for example in drawn) > 120
    said = " ".join(variant.lower() for example in drawn for variant in example.variants)
    assert any(word in said for word in added)
    changed = [
        set(v.lower().split()) - set(e.text.lower().split()) for e in drawn for v in e.variants
    ]
    assert not any(words & unseen for words in changed)
    # Nor is a text of the test learnt from, as a sentence or as a variant.
    tested = frozenset(folded(text) for one in drawn[:9] for text in (one.text, *one.variants))
    variants = Variants(3, matcher(unseen), tested)
    others = from_grammar(grammar, asked(), 60, {}, 3, variants, load_shipped())
    assert not tested & {folded(text) for one in others for text in (one.text, *one.variants)}


@pytest.mark.parametrize(
    ("grammar", "labels", "said"),
    [
        ("feelings", ("LABEL_0", "LABEL_1"), "and the model has the labels LABEL_0, LABEL_1"),
        (
            "masked-pronouns",
            ("negative", "positive"),
            "gives no labels, and the model has the labels negative",
        ),
    ],
)
def test_labels_that_do_not_fit_are_refused(
    grammar: str, labels: tuple[str, ...], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        from_grammar(load_grammar(grammar), asked(*labels), 10, {}, 0, ONE, {})


def test_a_text_keeps_its_label_or_the_answer_of_the_model(
    race: Dictionary, gender: Dictionary, parses: ParseStore
) -> None:
    model = load_model("vader")
    rows = [
        Row(1, "1", "The black man was kind.", "positive"),
        Row(2, "2", "The soup was cold.", "negative"),
        Row(3, "3", "The white woman left early.", "benefits"),
    ]
    found = list(from_texts(rows, PredictionStore(model), [race, gender], parses, 0, ONE))
    labels = model.capabilities.labels
    assert found[0].targets == tuple(float(name == "positive") for name in labels)
    assert len({rows[0].text, *found[0].variants}) == 2
    assert (found[1].targets, found[1].variants) == (
        tuple(float(name == "negative") for name in labels), (),
    )  # fmt: skip
    answer = model.predict([rows[2].text])[0]
    assert found[2].targets == tuple(answer.scores.get(name, 0.0) for name in labels)


def test_a_text_without_an_edit_has_no_variant() -> None:
    assert drawn_edits(Plan.of_text("Nobody came.", Settings()), Random(0)) == ()
