"""Algorithms 3 and 4: what is kept, what is discarded, and the reasons given."""

from __future__ import annotations

import pytest

from hinter_core.language.sentences import split_sentences
from hinter_core.relations.invariant import check, tolerant_compare
from hinter_core.types import Layer, Parse


def parse(words: str, tags: str, labels: str) -> Parse:
    split = tuple(words.split())
    spans, at = [], 0
    for word in split:
        spans.append((at, at + len(word)))
        at += len(word) + 1
    zeros = (0,) * len(split)
    return Parse(
        split, tuple(tags.split()), tuple(labels.split()), zeros, tuple(spans), ("",) * len(split)
    )


@pytest.mark.parametrize(
    ("first", "second", "similar", "differing"),
    [
        ("", "", True, []),
        ("a b c", "a b c", True, []),
        ("a b c", "a x c", False, [(1, 1)]),
        # One more word on either side is tolerated, and the rest is aligned again.
        ("a b c", "a x b c", True, [(1, 1)]),
        ("a x b c", "a b c", True, [(1, 1)]),
        ("a b", "a b c", True, [(-1, 2)]),
        ("a b c", "a b", True, [(2, -1)]),
        ("a b c", "a x y c", True, [(1, 1)]),
        ("a b c", "x y z c", False, [(0, 0), (1, 2)]),
        ("", "a b", True, [(-1, 0), (-1, 1)]),
        # The shift is spent at the first difference, right or not.
        ("a b c d", "x a b c d", True, [(0, 0)]),
        ("a b c d", "a b c d x", True, [(-1, 4)]),
        ("a b", "x y z", False, [(0, 0), (1, 2)]),
        # Line 20 as published: a shift past the end gives one error back.
        ("a b", "a x c", True, [(1, 1)]),
        ("a", "x", False, [(0, 0)]),
        ("a b c", "x", True, [(0, 0), (2, -1)]),
    ],
)
def test_tolerant_compare(
    first: str, second: str, similar: bool, differing: list[tuple[int, int]]
) -> None:
    assert tolerant_compare(first.split(), second.split()) == (similar, differing)


SOURCE = split_sentences("The old man left. She stayed.")


def test_equal_texts_are_kept_without_a_parse() -> None:
    assert check(SOURCE, SOURCE, {}).kept


def test_only_changed_sentences_are_looked_up() -> None:
    mutant = split_sentences("The old woman left. She stayed.")
    parses = {
        "The old man left.": parse("The old man left .", "DT JJ NN VBD .", "d a n r p"),
        "The old woman left.": parse("The old woman left .", "DT JJ NN VBD .", "d a n r p"),
    }
    assert check(SOURCE, mutant, parses).kept


def test_sentence_count_breaks_first() -> None:
    answer = check(SOURCE, split_sentences("The old. Man left. She stayed."), {})
    assert (answer.kept, answer.layer, answer.sentence) == (False, Layer.SENTENCES, -1)
    assert answer.reason == "it has 3 sentences where the source has 2 sentences"
    single = check(SOURCE, split_sentences("The old man left"), {})
    assert single.reason == "it has 1 sentence where the source has 2 sentences"


def test_part_of_speech_breaks_before_the_relation() -> None:
    mutant = split_sentences("The polish man left. She stayed.")
    parses = {
        SOURCE[0].text: parse("The old man left .", "DT JJ NN VBD .", "det amod nsubj root punct"),
        mutant[0].text: parse("The polish man left .", "DT NN NN VBD .",
                              "det compound nsubj root punct"),
    }  # fmt: skip
    answer = check(SOURCE, mutant, parses)
    assert (answer.kept, answer.layer, answer.sentence) == (False, Layer.POS, 0)
    assert [(m.layer, m.source_index, m.mutant_index) for m in answer.mismatches] == [
        (Layer.POS, 1, 1), (Layer.DEPENDENCY, 1, 1),
    ]  # fmt: skip
    assert answer.reason == (
        "word 2 \u201cpolish\u201d is NN where the source has JJ; "
        "word 2 \u201cpolish\u201d has relation compound where the source has amod"
    )


def test_the_relation_alone_breaks_it_too() -> None:
    mutant = split_sentences("The new man left. She stayed.")
    parses = {
        SOURCE[0].text: parse("The old man left .", "DT JJ NN VBD .", "det amod nsubj root punct"),
        mutant[0].text: parse("The new man left .", "DT JJ NN VBD .", "det dep obj root punct"),
    }
    answer = check(SOURCE, mutant, parses)
    assert answer.layer is Layer.DEPENDENCY
    assert len(answer.mismatches) == 2
    assert "relation dep where the source has amod" in answer.reason


def test_a_long_list_of_differences_is_cut_short_in_words_only() -> None:
    mutant = split_sentences("Up to you now. She stayed.")
    parses = {
        SOURCE[0].text: parse("The old man left .", "DT JJ NN VBD .", "a b c d e"),
        mutant[0].text: parse("Up to you now .", "RB TO PRP RB .", "a b c d e"),
    }
    answer = check(SOURCE, mutant, parses)
    assert len(answer.mismatches) == 4
    assert answer.reason.endswith("2 more differ")


def test_the_second_sentence_is_named_when_it_breaks() -> None:
    mutant = split_sentences("The old man left. They stayed.")
    parses = {
        "She stayed.": parse("She stayed .", "PRP VBD .", "nsubj root punct"),
        "They stayed.": parse("They stayed .", "PRP VBP .", "nsubj root punct"),
    }
    assert check(SOURCE, mutant, parses).sentence == 1
