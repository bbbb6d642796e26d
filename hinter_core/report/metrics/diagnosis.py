"""Diagnosis: which words change answers more often than the others of their attribute.

Source: Astraea, Algorithm 3. Of each word, the rate of changed answers among the single changes
that it takes part in, as old or as new word; and its anomaly index, the distance from the median
rate in median absolute deviations. An index beyond 2 in size is an anomaly.

Departures: the deviation is scaled by 1.4826, as in the published code and not in the paper, so
that 2 means for a normal distribution what the paper says it does. Where it is 0, because at least
half of the words have the median rate, each word with another rate is an anomaly; its index is
infinite. And a word *stands out* only if it does so without the pairs of words that stand out
more: *baker* changes answers when it replaces *cleaner*, and is not the cause. It must do so in
five texts or more, and the interval of the difference to the rate of the others, which counts
texts, must lie above 0.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import copysign, inf
from statistics import median
from typing import NamedTuple

from hinter_core.campaign.reader import CampaignReader
from hinter_core.errors import HinterError
from hinter_core.generators.grammars.grammar import as_written
from hinter_core.generators.grammars.reading import load_grammar
from hinter_core.statistics.clustered import cluster_rate, two_sample_difference
from hinter_core.statistics.rates import Rate

ANOMALY = 2.0  # anomaly index, in size
_NO_WORDS: frozenset[str] = frozenset()
_FEWEST_TEXTS = 5  # of a word that stands out
_FEWEST_CHANGED = 2  # of them, with a changed answer


@dataclass(frozen=True)
class WordRate:
    """A word of an attribute, or of a list of a grammar.

    ``rate``: changed answers among the single changes with it; its interval counts texts.
    ``index``: the anomaly index. ``stands_out``: whether it changes answers more often than others,
    also without the pairs of words that do so still more. ``too_few``: it would stand out, but its
    texts are too few to say.
    """

    attribute: str
    word: str
    rate: Rate
    index: float
    stands_out: bool
    too_few: bool = False


def diagnose(reader: CampaignReader, model: str) -> list[WordRate]:
    """Return the words of a campaign by attribute, those that change answers most often first.

    The words of a grammar's lists count with all single changes of their sentences.
    """
    tables = reader.tables(models=(model,))
    reader.run(
        "CREATE OR REPLACE TEMP TABLE single AS SELECT m.row, edits[1] AS e, changed FROM "
        f"({tables.mutants}) m JOIN ({tables.answers}) a USING (shard, place) WHERE n_edits = 1 "
        "AND kept AND changed IS NOT NULL AND NOT starts_with(edits[1].attribute, 'placebo')"
    )
    # Slots that an edit changes say an attribute, and are counted with it.
    reader.run(
        "CREATE OR REPLACE TEMP TABLE slots AS SELECT row, slot.name AS name, slot.span AS span, "
        "substr(text, slot.span[1] + 1, slot.span[2] - slot.span[1]) AS word FROM (SELECT row, "
        f"text, unnest(slots) AS slot FROM ({tables.texts}) WHERE origin.kind = 'grammar')"
    )
    rows = reader.run(
        "SELECT e.attribute, e.source, e.target, row, count_if(changed), count(*) FROM single "
        "GROUP BY ALL UNION ALL "
        "SELECT name, word, '', row, count_if(changed), count(*) FROM (SELECT DISTINCT row, name, "
        "word FROM slots WHERE name NOT IN (SELECT name FROM slots JOIN single USING (row) WHERE "
        "list_contains(e.spans[1:-:2], span[1]))) JOIN single USING (row) GROUP BY ALL"
    )
    pairs: dict[str, list[_Pair]] = defaultdict(list)
    lists = _lists(reader)
    for attribute, source, target, row, changed, of in rows:
        listed = lists.get(attribute, _NO_WORDS)
        words = frozenset(_as_listed(word, listed) for word in (source, target)) - {""}
        pairs[attribute].append(_Pair(words, row, changed, of))
    return [one for name in sorted(pairs) for one in _of(name, pairs[name])]


def _lists(reader: CampaignReader) -> Mapping[str, frozenset[str]]:
    """Return the words of the lists of a campaign's grammar; none if its file is gone."""
    name = reader.store.campaign().grammar
    try:
        grammar = load_grammar(name) if name else None
    except HinterError:
        return {}
    if grammar is None:
        return {}
    return {
        rule: frozenset(map(as_written, alternatives))
        for rule, alternatives in grammar.rules.items()
        if grammar.is_words(rule)
    }


def _as_listed(word: str, listed: frozenset[str]) -> str:
    """Return a word as its list writes it, without the capital that began a sentence."""
    small = word[:1].lower() + word[1:]
    return small if word not in listed and small in listed else word


def weights_of(found: Iterable[WordRate], smooth: float = 0.0) -> dict[str, dict[str, float]]:
    """Return the rates of words as weights for a grammar, by attribute or list (PROB).

    ``smooth`` is added to the changed and to the unchanged answers of each word, so that none has a
    weight of 0. Attributes without a changed answer are left out.
    """
    rates: dict[str, dict[str, float]] = {}
    for one in found:
        share = (one.rate.hits + smooth) / (one.rate.of + 2 * smooth)
        rates.setdefault(one.attribute, {})[one.word] = share
    return {name: words for name, words in rates.items() if any(words.values())}


class _Pair(NamedTuple):
    words: frozenset[str]
    row: int
    changed: int
    of: int


def _of(attribute: str, pairs: list[_Pair]) -> list[WordRate]:
    shares = _shares(pairs)
    indices, (causes, too_few) = anomaly_indices(shares), _causes(pairs)
    rates = {
        word: cluster_rate(_texts(pair for pair in pairs if word in pair.words).values())
        for word in shares
    }
    return [
        WordRate(attribute, word, rates[word], indices[word], word in causes, word in too_few)
        for word in sorted(shares, key=lambda word: (-shares[word], word))
    ]


def _texts(pairs: Iterable[_Pair]) -> dict[int, tuple[int, int]]:
    """Return changed answers and cases by text."""
    texts: dict[int, tuple[int, int]] = {}
    for _, row, changed, of in pairs:
        before = texts.get(row, (0, 0))
        texts[row] = before[0] + changed, before[1] + of
    return texts


def _causes(pairs: list[_Pair]) -> tuple[set[str], set[str]]:
    """Return the words that stand out, each without the pairs of those before it.

    And those that would, if there were more texts.
    """
    causes: set[str] = set()
    while True:
        shares = _shares(pairs)
        indices = anomaly_indices(shares).items()
        above = sorted((-shares[word], word) for word, index in indices if index > ANOMALY)
        top = next((word for _, word in above if _is_shown(pairs, word)), None)
        if top is None:
            return causes, {word for _, word in above if shares[word]}
        causes.add(top)
        pairs = [pair for pair in pairs if top not in pair.words]


def _is_shown(pairs: list[_Pair], word: str) -> bool:
    """Whether a word's texts are enough to say that it changes answers more than the others."""
    texts = _texts(pair for pair in pairs if word in pair.words)
    changed = sum(hits > 0 for hits, _ in texts.values())
    if len(texts) < _FEWEST_TEXTS or changed < _FEWEST_CHANGED:
        return False
    others = _texts([pair for pair in pairs if word not in pair.words])
    more = two_sample_difference(texts.values(), others.values())
    return more.value is None or (more.low or 0.0) > 0


def _shares(pairs: list[_Pair]) -> dict[str, float]:
    changed: Counter[str] = Counter()
    cases: Counter[str] = Counter()
    for pair in pairs:
        for word in pair.words:
            changed[word] += pair.changed
            cases[word] += pair.of
    return {word: changed[word] / of for word, of in cases.items()}


def anomaly_indices(shares: dict[str, float]) -> dict[str, float]:
    """Return the distance of each share from the median, in scaled median absolute deviations."""
    from scipy.stats import median_abs_deviation

    if not shares:
        return {}
    values = list(shares.values())
    middle = median(values)
    spread = float(median_abs_deviation(values, scale="normal"))
    if spread > 0:
        return {word: (share - middle) / spread for word, share in shares.items()}
    return {
        word: copysign(inf, share - middle) if share != middle else 0.0
        for word, share in shares.items()
    }
