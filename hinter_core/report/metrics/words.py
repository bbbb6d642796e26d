"""Word pairs, and pairs of groups, whose single change alters most answers."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from hinter_core.campaign.tables import is_placebo
from hinter_core.language.spelling import by_spelling
from hinter_core.report.counts import ModelCounts
from hinter_core.report.metric import metric
from hinter_core.report.section import ARROW, Rows, Section
from hinter_core.statistics.format import rate_in_words
from hinter_core.statistics.rates import Rate, wilson_ends

_MOST = 25  # listed
WORDS = ("source", "target")


@dataclass(frozen=True)
class WordEffect:
    """Error rate of atomic mutants that change one word, or a word of one group, to another."""

    attribute: str
    source: str
    target: str
    errors: Rate


def word_effects(source: str, target: str, tally: ModelCounts) -> list[WordEffect]:
    """Sort changes by the lower end of their intervals, so that one case of one does not lead.

    ``source`` and ``target``: fields of :class:`Swap` by which changes are told apart.
    """
    errors: Counter[tuple[str, str, str]] = Counter()
    cases: Counter[tuple[str, str, str]] = Counter()
    made: dict[tuple[str, str, str], set[tuple[str, str]]] = defaultdict(set)
    sums = tally.sums(
        "SELECT edit, sum(errors)::BIGINT, sum(cases)::BIGINT FROM words JOIN swaps USING (swap)"
    )
    spelled = _spelled(sums) if (source, target) == WORDS else {}
    for edit, hits, of in sums:
        attribute, old, new = edit["attribute"], edit[source], edit[target]
        key = (attribute, spelled.get((attribute, old), old), spelled.get((attribute, new), new))
        errors[key] += hits
        cases[key] += of
        made[key].add((old, new))
    effects = [
        WordEffect(*key, _rate(hits, cases[key], made[key]))
        for key, hits in errors.items()
        if hits and not is_placebo(key[:1])
    ]
    effects.sort(key=lambda e: (-(e.errors.low or 0), e.attribute, e.source, e.target))
    return effects[:_MOST]


def _spelled(sums: Sequence[tuple[dict[str, str], int, int]]) -> dict[tuple[str, str], str]:
    """Return the most frequent spelling of each word, by attribute."""
    uses: dict[str, Counter[str]] = defaultdict(Counter)
    for edit, _, of in sums:
        for field in WORDS:
            uses[edit["attribute"]][edit[field]] += of
    return {(a, t): words[0] for a, one in uses.items() for t, words in by_spelling(one).items()}


def _rate(hits: int, of: int, made: Iterable[tuple[str, str]]) -> Rate:
    """Return the rate of a change; spellings of a new word in the same texts are one case."""
    alike = max(Counter(old for old, _ in made).values())
    return Rate(hits, of, *wilson_ends(hits / alike, of / alike))


def words_section(key: str, title: str, effects: Sequence[WordEffect]) -> Section:
    """Report the changes with the highest rates."""
    rows: Rows = [
        [t.attribute, t.source + ARROW + t.target, t.errors.hits, t.errors.of, t.errors]
        for t in effects
    ]  # fmt: skip
    change = "Changed groups" if key == "directions" else "Change"
    columns = ["Attribute", change, "Errors", "Cases", "Error rate"]
    return Section(key, title, list(map(_in_words, effects[:1])), columns, rows)


def _in_words(first: WordEffect) -> str:
    return (
        f"{first.source}{ARROW}{first.target}, alone, changed the answer in "
        f"{rate_in_words(first.errors)} cases. Listed by the lower end of the interval."
    )


for _place, _name, _what, _fields in (
    (170, "words", "Word", WORDS),
    (180, "directions", "Group", ("source_group", "target_group")),
):
    _title = f"{_what} pairs with the highest error rates"
    metric(_name, _place, partial(word_effects, *_fields), partial(words_section, _name, _title))
