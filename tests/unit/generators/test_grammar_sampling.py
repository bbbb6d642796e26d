"""Sentences are counted exactly, drawn once each, and as often as their rules say."""

from __future__ import annotations

from collections import Counter
from itertools import islice, product
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinter_core.errors import InputError
from hinter_core.generators.grammars.cases import fill
from hinter_core.generators.grammars.grammar import Grammar, Reference
from hinter_core.generators.grammars.reading import read_grammar
from hinter_core.generators.grammars.sampling import Derivation, Permutation, Sentences

SENSITIVE = "sensitive: {job: [nurse, pilot], sex: [{group: m, he: he}, {group: f, he: she}]}\n"
GRAMMAR = read_grammar(
    "start: s\nrules:\n"
    "  s: ['<Who> met <who> and <he> <did>.', 'Rain.', '<extra> <job>!']\n"
    "  who: [the <animal>, nobody]\n"
    "  animal: [cat, dog, hen]\n"
    "  did: [sang, ran]\n"
    "  extra: [one, two]\n" + SENSITIVE
)


def text_of(grammar: Grammar, derivation: Derivation) -> str:
    return fill(derivation, derivation.values, grammar.attribute_of).text


def texts(grammar: Grammar) -> set[str]:
    """All sentences, by writing every choice out."""

    def of(name: str, values: dict[str, str]) -> list[str]:
        if name in values:
            return [values[name]]
        found = []
        for one in grammar.rules[name]:
            parts = [
                [p[:1].upper() + p[1:] if piece.capital else p for p in of(piece.name, values)]
                if isinstance(piece, Reference) else [piece]
                for piece in one
            ]  # fmt: skip
            found += ["".join(chosen) for chosen in product(*parts)]
        return found

    found: set[str] = set()
    for combined in product(*grammar.sensitive.values()):
        found |= set(of(grammar.start, {k: v for one in combined for k, v in one.words.items()}))
    return found


def test_all_sentences_are_drawn_once_each() -> None:
    sentences = Sentences(GRAMMAR)
    drawn = [text_of(GRAMMAR, one) for one in sentences.draw(7)]
    same = {
        t
        for t in texts(GRAMMAR)
        if any(t.lower().count(f"the {a}") > 1 for a in ("cat", "dog", "hen"))
    }
    assert len(same) == 3 * 2 * 2  # one list gives two different words
    assert sorted(drawn) == sorted(texts(GRAMMAR) - same)
    assert sentences.count == len(drawn)
    assert drawn == [text_of(GRAMMAR, one) for one in sentences.draw(7)]
    assert drawn != [text_of(GRAMMAR, one) for one in sentences.draw(8)]


@given(st.integers(1, 3_000), st.integers(0, 2**64))
def test_a_permutation_has_each_number_once(count: int, seed: int) -> None:
    order = Permutation(count, seed)
    assert sorted(order[i] for i in range(count)) == list(range(count))
    assert len(order) == count
    with pytest.raises(IndexError):
        order[count]


def test_a_permutation_of_more_numbers_than_fit_into_memory() -> None:
    count = 10**30
    order = Permutation(count, 3)
    first = [order[i] for i in range(1_000)]
    assert len(set(first)) == 1_000
    assert all(0 <= number < count for number in first)
    middle = sum(first) / 1_000 / count
    assert abs(middle - 0.5) < 5 * sqrt(1 / 12 / 1_000)


@pytest.mark.parametrize("weights", [{}, {"job": {"nurse": 3.0, "pilot": 1.0}}])
def test_the_first_draw_follows_the_rules_and_weights(weights: dict[str, dict[str, float]]) -> None:
    counted: Counter[str] = Counter()
    sentences, draws = Sentences(GRAMMAR, weights), 3_000
    for seed in range(draws):
        one = next(sentences.draw(seed))
        counted["rain"] += not one.structure.choices
        counted["job"] += "job" in one.values
        counted["nurse"] += "job" in one.values and one.values["job"].title == "nurse"
        counted["nobody twice"] += text_of(GRAMMAR, one).startswith("Nobody met nobody")
    nurse = 0.75 if weights else 0.5
    expected = {"rain": 1 / 3, "job": 1 / 3, "nurse": nurse / 3, "nobody twice": 1 / 12}
    for name, share in expected.items():
        assert abs(counted[name] / draws - share) < 5 * sqrt(share * (1 - share) / draws), name


def test_a_second_draw_never_repeats_the_first_and_follows_what_is_left() -> None:
    # "Rain." is a third of the first draws and none of the second after it.
    seconds: Counter[bool] = Counter()
    sentences, draws = Sentences(GRAMMAR), 3_000
    for seed in range(draws):
        first, second = islice(sentences.draw(seed), 2)
        if first.structure.choices and "job" not in first.values:
            seconds[not second.structure.choices] += 1
    # Of the others' third, one of many sentences is gone.
    count = sum(seconds.values())
    whole = next(s.count for s in sentences.structures if "animal" in s.rules)
    rest = 1 / 3 - 1 / 3 / 4 / whole  # at most this much of the third is gone
    assert abs(seconds[True] / count - 1 / 3 / (2 / 3 + rest)) < 5 * sqrt(2 / 9 / count)


def test_a_word_of_weight_0_is_not_drawn() -> None:
    drawn = list(Sentences(GRAMMAR, {"job": {"nurse": 1.0, "pilot": 0.0}}).draw(0))
    jobs = {one.values["job"].title for one in drawn if "job" in one.values}
    assert jobs == {"nurse"}
    assert len(drawn) == Sentences(GRAMMAR).count - 2


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"sex": {"he": 0.0}}, "No word of 'sex' has a weight above 0"),
        ({"job": {"cook": 1.0}}, "A weight of 1.0 for 'cook' of 'job' is of no use"),
        ({"job": {"nurse": -1.0}}, "0 or more"),
        ({"job": {"nurse": float("nan")}}, "0 or more"),
        ({"who": {"nobody": 1.0}}, "'who' is no list of words and no attribute"),
    ],
)
def test_weights_that_are_of_no_use(weights: dict[str, dict[str, float]], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Sentences(GRAMMAR, weights)


def test_too_many_structures_and_too_few_words_are_told() -> None:
    rules = "start: s\nrules:\n  s: ['<w> and <w> for <job> <he>']\n  w: [one]\n"
    with pytest.raises(InputError, match="needs more different words"):
        Sentences(read_grammar(rules + SENSITIVE))
    many = "".join(f"  r{i}: [<r{i + 1}> x, y <r{i + 1}>]\n" for i in range(20))
    deep = f"start: r0\nrules:\n{many}  r20: [<job> <he>]\n"
    with pytest.raises(InputError, match="1,048,576 sentences before words are chosen"):
        Sentences(read_grammar(deep + SENSITIVE))


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("[<r{0}><r{0}>, x <r{0}>]", "countless sentences before words are chosen"),
        ("[<r{0}><r{0}>]", "makes sentences of 40,000 parts"),
    ],
)
def test_rules_that_double_are_refused_before_they_are_made(rule: str, said: str) -> None:
    doubling = "".join(f"  r{i}: {rule.format(i + 1)}\n" for i in range(60))
    with pytest.raises(InputError, match=said):
        Sentences(read_grammar(f"start: r0\nrules:\n{doubling}  r60: [<job> <he>]\n{SENSITIVE}"))


def test_more_sentences_than_floats_can_count_are_drawn() -> None:
    words = "".join(f"  w{i}: [{', '.join(f'word{n}' for n in range(100))}]\n" for i in range(190))
    names = " ".join(f"<w{i}>" for i in range(190))
    rules = f"start: s\nrules:\n  s: [The <job> <he> {names}, The <job> <he> saw]\n{words}"
    found = Sentences(read_grammar(rules + SENSITIVE))
    assert found.count > 10**380
    assert len(list(islice(found.draw(0), 5))) == 5


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("The <job> saw the <other>.", r"lacks one of the pronouns \(he\)"),
        ("The <job> said that <he> saw it.", r"lacks two of the antecedents \(job, other\)"),
        ("The <job>, the <other> and the <other> said <he> did.", "<other> twice, which are two"),
    ],
)
def test_a_sentence_in_which_nothing_can_be_answered_is_refused(sentence: str, said: str) -> None:
    grammar = read_grammar(
        f"""
start: s
task: coreference
pronouns: [he]
antecedents: [job, other]
rules:
  s: [The <job> met the <other> before <he> left., {sentence}]
  other: [cook, clerk]
sensitive:
  job: [nurse, pilot]
  gender:
    - {{group: male, he: he}}
    - {{group: female, he: she}}
""".replace(sentence, f"'{sentence}'")
    )
    with pytest.raises(InputError, match=said):
        Sentences(grammar)


def test_each_sentence_of_masked_words_needs_a_mask() -> None:
    grammar = read_grammar("""
start: s
task: masked
answers: {male: [his], female: [her]}
rules: {s: [The <job> lost <mask> keys., The <job> slept.]}
sensitive: {job: [nurse, pilot]}
""")
    with pytest.raises(InputError, match=r"'The <job> slept.' of grammar lacks <mask>"):
        Sentences(grammar)
