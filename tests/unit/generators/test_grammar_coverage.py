"""GrammarCoverage of a grammar, counted by hand."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from hinter_core.generators.grammars.reading import (
    load_grammar,
    read_grammar,
    shipped_grammars,
)
from hinter_core.generators.grammars.sampling import GrammarCoverage, Sentences, coverage_of

ROOT = Path(__file__).parents[3]
# Terminals: "the", "said", "is", ".", "and the", "are friends.", two moods, three plants, he, she
# and the two jobs: 15. Pairs: 2 moods x 2 jobs, 2 moods x 2 genders, 2 jobs x 2 genders,
# and 3 of plants.
GRAMMAR = read_grammar("""
start: s
rules:
  s: ['The <job> said <he> is <mood>.', 'The <plant> and the <plant> are friends.']
  mood: [late, early]
  plant: [rose, lily, fern]
sensitive:
  job: [nurse, pilot]
  gender: [{group: male, he: he}, {group: female, he: she}]
""")


def test_all_sentences_cover_all() -> None:
    source = Sentences(GRAMMAR)
    assert source.count == 8 + 6
    assert coverage_of(source, source.draw(0)) == GrammarCoverage(15, 15, 15, 15)
    assert coverage_of(source, ()) == GrammarCoverage(0, 15, 0, 15)


def test_a_sentence_covers_its_own_words_and_pairs() -> None:
    source = Sentences(GRAMMAR)
    for one in source.draw(3):
        found = coverage_of(source, [one, one])
        # "The", "said", "is", "." and three words; or "the", "and the", "are friends." and two.
        assert (found.terminals, found.pairs) in ((7, 3), (5, 1))


@pytest.mark.parametrize("seed", range(3))
def test_weights_cover_less_of_the_same_grammar(seed: int) -> None:
    plain = Sentences(GRAMMAR)
    weighted = Sentences(GRAMMAR, {"job": {"nurse": 1.0}, "plant": {"rose": 1.0}})
    drawn = list(islice(weighted.draw(seed), 100))
    found, all_found = coverage_of(weighted, drawn), coverage_of(plain, plain.draw(seed))
    assert "pilot" not in {one.values["job"].title for one in drawn if one.values}
    assert (found.all_terminals, found.all_pairs) == (15, 15)
    assert found.terminals == all_found.terminals - 1
    assert found.pairs == 15 - 4 - 1  # those of the pilot, and that of lily and fern


@pytest.mark.parametrize("name", shipped_grammars())
def test_shipped_grammars_use_all_that_they_hold(name: str) -> None:
    source = Sentences(load_grammar(name))
    found = coverage_of(source, islice(source.draw(1), 15_000))
    assert found.terminals == found.all_terminals
    assert found.pairs >= 0.95 * found.all_pairs


def test_the_documents_list_the_shipped_grammars_as_they_are() -> None:
    listed = (ROOT / "docs" / "howto" / "grammars.md").read_text(encoding="utf-8")
    for name in shipped_grammars():
        grammar = load_grammar(name)
        rules, terminals = grammar.size
        values = ", ".join(f"{each} ({len(of)})" for each, of in grammar.sensitive.items())
        row = f"| `{name}` | {values} | {rules} | {terminals} | {Sentences(grammar).count:,} |"
        assert row in listed
