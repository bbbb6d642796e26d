"""Diagnosis: which words change answers more often than the others of their attribute.

Source: Astraea, Algorithm 3. Of each word, the rate of changed answers among the single changes
that it takes part in, as old or as new word; and its anomaly index, the distance from the median
rate in median absolute deviations. An index beyond 2 in size is an anomaly.

*Sensitive* words are exchanged by edits, so that a change of the answer is their doing. *Context*
words are those of a grammar's other lists. No edit touches them: answers may change more often
where one stands, and the change is that of another word.

Departures: the deviation is scaled by 1.4826, as in the published code and not in the paper, so
that 2 means for a normal distribution what the paper says it does. Where it is 0, because at least
half of the words have the median rate, each word with another rate is an anomaly; its index is
infinite. A sensitive word *stands out* if its *remaining* index is above 2: that without the pairs
of words that stand out more. *Baker* changes answers when it replaces *cleaner*, and is not the
cause. It must do so in five texts or more, and beyond chance: as a new word, against the other new
words of the same texts; as an old one, against texts with another. A context word stands out if
the texts with it have changed answers more often than those with another word of its list, without
the pairs of sensitive words that stand out. Tests are exact, and p-values adjusted for the number
of words.

What the index does not say: which side is treated badly. A word may lead to the good answer, and if
a model treats most words badly, the others differ from the median. So each word has the answer that
is given with it. A bias that changes no answer is not seen at all
(:mod:`hinter_core.report.papers.group_fairness` compares scores).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import copysign, inf
from statistics import median
from typing import NamedTuple

from hinter_core.campaign.reader import CampaignReader
from hinter_core.errors import HinterError
from hinter_core.generators.grammars.grammar import as_written
from hinter_core.generators.grammars.reading import load_grammar
from hinter_core.language.spelling import by_attribute
from hinter_core.report.section import gathered
from hinter_core.statistics.clustered import cluster_rate
from hinter_core.statistics.rates import (
    CONFIDENCE,
    Rate,
    benjamini_hochberg,
    higher_values,
    summed,
)

ANOMALY = 2.0  # anomaly index, in size
_NO_WORDS: frozenset[str] = frozenset()
_FEWEST_TEXTS = 5  # of a word that stands out
_FEWEST_CHANGED = 2  # of them, with a changed answer
_LEVEL = 1 - CONFIDENCE


@dataclass(frozen=True)
class WordRate:
    """A word of an attribute, or of a list of a grammar.

    ``rate``: changed answers among the single changes with it; its interval counts texts.
    ``index``: the anomaly index. ``remaining``: the same without the pairs of words that stand out
    more. ``stands_out``: whether that is beyond :data:`ANOMALY` and beyond chance. ``too_few``: it
    is beyond :data:`ANOMALY` but may be chance; more texts would tell. ``answers``: the answers
    with the word and their numbers where another word changed the answer, the most frequent first.
    ``context``: no edit exchanges the word. ``spellings``: all that are counted as this word.
    """

    attribute: str
    word: str
    rate: Rate
    index: float
    stands_out: bool
    too_few: bool = False
    context: bool = False
    remaining: float = 0.0
    answers: tuple[tuple[str, int], ...] = ()
    spellings: tuple[str, ...] = ()


class _Case(NamedTuple):
    """Single changes of a text, of one old word to one new word."""

    attribute: str
    old: str
    new: str
    row: int
    changed: int
    of: int

    @property
    def words(self) -> set[str]:
        """Both words."""
        return {self.old, self.new}


def diagnose(reader: CampaignReader, model: str) -> list[WordRate]:
    """Return the words of a campaign by attribute, those that change answers most often first.

    Sensitive words come first, then those of a grammar's other lists, which count with all single
    changes of their sentences.
    """
    tables = reader.tables(models=(model,))
    reader.run(
        "CREATE OR REPLACE TEMP TABLE single AS SELECT m.row, edits[1] AS e, a.changed, o.labels "
        f"AS before, a.labels AS after FROM {tables.judged} JOIN ({tables.originals}) o ON "
        "o.shard = m.shard AND o.row = m.row WHERE n_edits = 1 AND kept AND a.changed IS NOT NULL "
        "AND NOT starts_with(edits[1].attribute, 'placebo')"
    )
    lists = _lists(reader)

    def listed(attribute: str, word: str) -> str:
        """Return a word as its list writes it, without the capital that began a sentence."""
        known, small = lists.get(attribute, _NO_WORDS), word[:1].lower() + word[1:]
        return small if word not in known and small in known else word

    cases = [
        _Case(attribute, listed(attribute, old), listed(attribute, new), row, changed, of)
        for attribute, old, new, row, changed, of in reader.run(
            "SELECT e.attribute, e.source, e.target, row, count_if(changed), count(*) FROM single "
            "GROUP BY ALL ORDER BY ALL"
        )
    ]
    cases, spelled = _spelled_alike(cases, set(lists))

    def spellings(attribute: str, word: str) -> tuple[str, ...]:
        return spelled.get((attribute, word), (word,))

    answers: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for attribute, old, before, new, after, number in reader.run(
        "SELECT e.attribute, e.source, before, e.target, after, count(*) FROM single WHERE changed "
        "GROUP BY ALL ORDER BY ALL"
    ):
        for word, labels in ((old, before), (new, after)):
            name = spellings(attribute, listed(attribute, word))[0]
            answers[attribute, name][", ".join(labels)] += number
    words = [
        replace(
            one,
            answers=tuple(answers[one.attribute, one.word].most_common()),
            spellings=spellings(one.attribute, one.word),
        )
        for one in judged(cases)
    ]
    causes = {(one.attribute, one.word) for one in words if one.stands_out}
    return words + judged_context(_context(reader, tables.texts, listed), cases, causes)


def _spelled_alike(
    cases: Sequence[_Case], listed: Collection[str]
) -> tuple[list[_Case], dict[tuple[str, str], tuple[str, ...]]]:
    """Count spellings of one word together; return them by attribute and word, too.

    ``listed``: attributes that are left as they are; a grammar has a weight for each word.
    """
    spelled = by_attribute(
        (case.attribute, word, case.of)
        for case in cases
        if case.attribute not in listed
        for word in case.words
    )
    sums: dict[tuple[str, str, str, int], tuple[int, int]] = {}
    for attribute, old, new, row, changed, of in cases:
        old, new = (spelled.get((attribute, word), (word,))[0] for word in (old, new))
        before = sums.get((attribute, old, new, row), (0, 0))
        sums[attribute, old, new, row] = before[0] + changed, before[1] + of
    return [_Case(*key, *counts) for key, counts in sums.items()], spelled


def _context(
    reader: CampaignReader, texts: str, listed: Callable[[str, str], str]
) -> dict[str, dict[str, set[int]]]:
    """Return the rows of words by list; slots that an edit changes are no context."""
    reader.run(
        "CREATE OR REPLACE TEMP TABLE slots AS SELECT row, slot.name AS name, slot.span AS span, "
        "substr(text, slot.span[1] + 1, slot.span[2] - slot.span[1]) AS word FROM (SELECT row, "
        f"text, unnest(slots) AS slot FROM ({texts}) WHERE origin.kind = 'grammar')"
    )
    rows = reader.run(
        "SELECT DISTINCT name, word, row FROM slots WHERE row IN (SELECT row FROM single) AND name "
        "NOT IN (SELECT name FROM slots JOIN single USING (row) WHERE "
        "list_contains(e.spans[1:-:2], span[1]))"
    )
    rows_by_word: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for name, word, row in rows:
        rows_by_word[name][listed(name, word)].add(row)
    return rows_by_word


def _lists(reader: CampaignReader) -> Mapping[str, frozenset[str]]:
    """Return the words of the lists of a campaign's grammar; none if its file is gone."""
    name = reader.store.campaign().grammar
    if not name:
        return {}
    try:
        grammar = load_grammar(name)
    except HinterError:
        return {}
    return {
        rule: frozenset(map(as_written, alternatives))
        for rule, alternatives in grammar.rules.items()
        if grammar.is_words(rule)
    }


def weights_of(word_rates: Iterable[WordRate], smooth: float = 0.0) -> dict[str, dict[str, float]]:
    """Return the rates of words as weights for a grammar, by attribute or list (PROB).

    ``smooth`` is added to the changed and to the unchanged answers of each word, so that none has a
    weight of 0. Attributes without a changed answer are left out.
    """
    rates: dict[str, dict[str, float]] = {}
    for one in word_rates:
        share = (one.rate.hits + smooth) / (one.rate.of + 2 * smooth)
        rates.setdefault(one.attribute, {})[one.word] = share
    return {name: words for name, words in rates.items() if any(words.values())}


def judged(cases: Sequence[_Case]) -> list[WordRate]:
    """Judge sensitive words by the single changes that they take part in."""
    gathered_cases = gathered(cases, lambda case: case.attribute)
    words = sum(len(_shares(of_attribute)) for of_attribute in gathered_cases.values())
    word_rates = []
    for attribute, of_attribute in sorted(gathered_cases.items()):
        shares = _shares(of_attribute)
        indices = anomaly_indices(shares)
        causes, too_few, remaining = _causes(of_attribute, words)
        word_rates += [
            WordRate(
                attribute,
                word,
                cluster_rate(_texts(case for case in of_attribute if word in case.words).values()),
                indices[word],
                word in causes,
                word in too_few,
                remaining=remaining[word],
            )
            for word in sorted(shares, key=lambda word: (-shares[word], word))
        ]
    return word_rates


def _texts(cases: Iterable[_Case]) -> dict[int, tuple[int, ...]]:
    """Return changed answers and cases by text."""
    return summed((case.row, case.changed, case.of) for case in cases)


def _causes(cases: list[_Case], words: int) -> tuple[set[str], set[str], dict[str, float]]:
    """Return the words that stand out, each without the pairs of those before it.

    And those that may be chance, and the index of each word when it was judged last. ``words``:
    number of words that are judged.
    """
    causes: set[str] = set()
    remaining: dict[str, float] = {}
    while True:
        shares = _shares(cases)
        indices = anomaly_indices(shares)
        remaining |= indices
        above = sorted((-shares[word], word) for word, index in indices.items() if index > ANOMALY)
        p_values = [_chance(cases, word) for _, word in above]
        adjusted = benjamini_hochberg(p_values + [1.0] * (words - len(above)))
        clear = [one for one, p in zip(above, adjusted, strict=False) if p < _LEVEL]
        if not clear:
            return causes, {word for _, word in above if shares[word]}, remaining
        top = clear[0][1]
        causes.add(top)
        cases = [case for case in cases if top not in case.words]


def _chance(cases: list[_Case], word: str) -> float:
    """Return how probably a word changes answers as often if all words change them alike.

    As a new word it is compared with the other new words for the same word of the same text, and as
    an old word its texts are compared with the others; the p-value is that of the clearer of both.
    """
    from scipy.stats import poisson_binom

    with_word = [case for case in cases if word in case.words]
    texts = _texts(with_word)
    if len(texts) < _FEWEST_TEXTS or sum(n > 0 for n, _ in texts.values()) < _FEWEST_CHANGED:
        return 1.0
    places: dict[tuple[int, str], list[_Case]] = defaultdict(list)
    for case in cases:
        places[case.row, case.old].append(case)
    hits, chances = 0, []
    for place in places.values():
        mine = [case for case in place if case.new == word]
        if mine and len(mine) < len(place):
            hits += any(case.changed for case in mine)
            chances.append(sum(case.changed > 0 for case in place) / len(place))
    old = _texts(case for case in cases if case.old == word)
    others = _texts(case for case in cases if case.old != word and case.row not in old)
    as_new = float(poisson_binom.sf(hits - 1, chances)) if chances else 1.0
    return min(1.0, 2 * min(as_new, higher_values(_rates(old), _rates(others))))


def _rates(texts: Mapping[int, tuple[int, ...]]) -> list[float]:
    return [changed / of for changed, of in texts.values()]


def judged_context(
    lists: Mapping[str, Mapping[str, Iterable[int]]],
    cases: Sequence[_Case],
    causes: Iterable[tuple[str, str]],
) -> list[WordRate]:
    """Judge words that no edit exchanges; ``lists``: rows by word and list."""
    every = _texts(cases)
    without = set(causes)
    left = _texts(c for c in cases if not any((c.attribute, word) in without for word in c.words))
    p_values: dict[tuple[str, str], float] = {}
    for name, words in lists.items():
        every_row = {row for rows in words.values() for row in rows}
        for word, rows in words.items():
            with_words, others = (
                _rates({row: left[row] for row in some if row in left})
                for some in (rows, every_row.difference(rows))
            )
            p_values[name, word] = higher_values(with_words, others)
    adjusted = dict(zip(p_values, benjamini_hochberg(list(p_values.values())), strict=True))
    word_rates = []
    for name, words in sorted(lists.items()):
        rates = {word: cluster_rate([every[row] for row in rows]) for word, rows in words.items()}
        shares = {word: rate.share or 0.0 for word, rate in rates.items()}
        indices = anomaly_indices(shares)
        word_rates += [
            WordRate(name, word, rates[word], indices[word], adjusted[name, word] < _LEVEL,
                     context=True)
            for word in sorted(shares, key=lambda word: (-shares[word], word))
        ]  # fmt: skip
    return word_rates


def _shares(cases: Iterable[_Case]) -> dict[str, float]:
    changed: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for case in cases:
        for word in case.words:
            changed[word] += case.changed
            every[word] += case.of
    return {word: changed[word] / of for word, of in every.items()}


def anomaly_indices(shares: dict[str, float]) -> dict[str, float]:
    """Return the distance of each share from the median, in scaled median absolute deviations."""
    from scipy.stats import median_abs_deviation

    if not shares:
        return {}
    values = list(shares.values())
    middle = median(values)
    # Departure: the paper's deviation is not scaled, so its index is 1.4826 times as large.
    spread = float(median_abs_deviation(values, scale="normal"))
    if spread > 0:
        return {word: (share - middle) / spread for word, share in shares.items()}
    return {
        word: copysign(inf, share - middle) if share != middle else 0.0
        for word, share in shares.items()
    }
