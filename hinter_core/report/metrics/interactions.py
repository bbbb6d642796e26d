"""Interactions: pairs of new words that change answers together more than each does alone.

Of each pair of words of two attributes, the texts in which both were brought in, by the answer to
the unchanged text: what turns a positive answer is no reason against what turns a negative one. A
text counts for an interaction if the answer changed more often with both words than with the first
alone and with the second alone, taken together: the interaction contrast *both - first - second* of
changed answers. Where two causes only add up, or answers change by chance, it is about as often
negative as positive, or more often; the exact sign test over texts (Dixon and Mood 1946) says
whether it is positive more often. Pairs whose texts are too few for any result are not tested
(Tarone 1990), and p-values are adjusted for the number of those that are (Benjamini and Hochberg
1995). A pair *stands out* if its adjusted p-value is below 0.05 and the interval of its contrast,
which counts texts, is above 0.

Source: our own; Astraea (Algorithm 3) diagnoses words one by one. The contrast is that of changed
answers, so a model that merely adds up scores shows where only the sum of both turns the answer;
to people it is no other matter.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from hinter_core.campaign.reader import CampaignReader
from hinter_core.language.spelling import by_attribute
from hinter_core.statistics.clustered import cluster_rate
from hinter_core.statistics.rates import CONFIDENCE, Difference, Rate, benjamini_hochberg

MOST = 20  # pairs of two attributes that are returned, and more if more stand out
_LEVEL = 1 - CONFIDENCE
FEWEST_TEXTS = 5  # in which the contrast is not 0: with fewer, no result is below the level


@dataclass(frozen=True)
class WordPair:
    """Two new words: their rates of changed answers together and alone, of the same mutants.

    ``answer``: to the unchanged texts; "" of a model that answers with more than labels.
    ``contrast``: both less the first and the second, with its interval and adjusted p-value.
    ``spellings``: of each word, all that are counted as it.
    """

    words: tuple[str, str]
    answer: str
    texts: int
    both: Rate
    alone: tuple[Rate, Rate]
    contrast: Difference
    stands_out: bool
    spellings: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Interactions:
    """Word pairs of two attributes, clearest first; ``of``: their number, ``tested`` of them.

    A pair is tested if its texts are enough for a result. Those without a changed answer are left
    out.
    """

    attributes: tuple[str, str]
    of: int
    tested: int
    pairs: list[WordPair]


Sums = tuple[int, int, int, int]  # of a text: cases, and changed with both, first, second
_Attributes = tuple[str, str]
_Case = tuple[str, str, str]  # both words, and the answer to the unchanged texts

_KEY = "{{'a': {0}.attribute, 's': {0}.source, 't': {0}.target, 'p': {0}.spans}}"


def interactions(reader: CampaignReader, model: str) -> list[Interactions]:
    """Return the pairs of new words of a campaign's mutants of order 2, by attributes.

    Mutants count whose single changes have an answer, too.
    """
    tables = reader.tables(models=(model,))
    answered = (
        f"FROM {tables.judged} WHERE kept AND changed IS NOT NULL AND NOT "
        "starts_with(edits[1].attribute, 'placebo') AND n_edits = "
    )
    reader.run(
        f"CREATE OR REPLACE TEMP TABLE alone AS SELECT m.row, {_KEY.format('edits[1]')} AS e, "
        f"bool_or(changed)::INT AS changed {answered}1 GROUP BY ALL"
    )
    # x and y are the new words in alphabetical order of their attributes.
    spelled = _spelled(reader)
    reader.run(
        "CREATE OR REPLACE TEMP TABLE together AS WITH two AS "
        f"(SELECT m.row, {_KEY.format('edits[1]')} AS f, {_KEY.format('edits[2]')} AS g, "
        f"changed::INT AS joint {answered}2), parts AS "
        "(SELECT two.row, {'a': f.a, 't': s1.word} AS u, {'a': g.a, 't': s2.word} AS v, joint, "
        "p.changed AS p, q.changed AS q FROM two JOIN alone p ON p.row = two.row AND p.e = f "
        "JOIN alone q ON q.row = two.row AND q.e = g JOIN spelled s1 ON s1.a = f.a AND s1.t = f.t "
        "JOIN spelled s2 ON s2.a = g.a AND s2.t = g.t WHERE f.a <> g.a) "
        "SELECT least(u, v) AS x, greatest(u, v) AS y, row, "
        "coalesce(array_to_string(any_value(labels), ', '), '') AS answer, count(*) AS n, "
        "sum(joint) AS joint, sum(if(u < v, p, q)) AS one, sum(if(u < v, q, p)) AS two "
        f"FROM parts JOIN ({tables.originals}) USING (row) GROUP BY x, y, row"
    )
    rows = reader.run(
        "SELECT x.a, y.a, x.t, y.t, answer, count_if(joint > one + two), "
        "count_if(joint < one + two) FROM together GROUP BY ALL"
    )
    signs: dict[_Attributes, dict[_Case, tuple[int, int]]] = defaultdict(dict)
    for first, second, one, two, answer, more, less in rows:
        signs[first, second][one, two, answer] = more, less
    every = []
    for attributes in sorted(signs):
        pairs, tested = judged(signs[attributes], partial(_sums, reader, attributes))
        pairs = [
            replace(pair, spellings=(spelled[attributes[0], first], spelled[attributes[1], second]))
            for pair in pairs
            for first, second in [pair.words]
            if pair.both.hits
        ]
        every.append(Interactions(attributes, len(signs[attributes]), tested, pairs))
    return every


def _spelled(reader: CampaignReader) -> dict[tuple[str, str], tuple[str, ...]]:
    """Make the table ``spelled`` of the word that each new word counts as; return all spellings."""
    spelled = by_attribute(reader.run("SELECT e.a, e.t, count(*) FROM alone GROUP BY ALL"))
    reader.run("CREATE OR REPLACE TEMP TABLE spelled (a VARCHAR, t VARCHAR, word VARCHAR)")
    rows = [{"a": a, "t": t, "word": words[0]} for (a, t), words in spelled.items()]
    reader.run(
        "INSERT INTO spelled SELECT unnest($rows::STRUCT(a VARCHAR, t VARCHAR, word VARCHAR)[], "
        "recursive := true)",
        rows=rows,
    )
    return spelled


def judged(
    signs: Mapping[_Case, tuple[int, int]],
    sums_of: Callable[[list[_Case]], Mapping[_Case, list[Sums]]],
) -> tuple[list[WordPair], int]:
    """Judge pairs of words, clearest first; return those to show, and how many are tested.

    ``signs``: numbers of texts whose contrast is above and below 0. ``sums_of`` reads the texts of
    the pairs to show.
    """
    from scipy.stats import binom

    raw = {
        case: float(binom.sf(more - 1, more + less, 0.5))
        for case, (more, less) in signs.items()
        if more + less >= FEWEST_TEXTS
    }
    adjusted = dict(zip(raw, benjamini_hochberg(list(raw.values())), strict=True))

    def unclear(case: _Case) -> tuple[float, int, _Case]:
        return adjusted.get(case, 1.0), signs[case][1] - signs[case][0], case

    clear = sum(p < _LEVEL for p in adjusted.values())
    shown = sorted(signs, key=unclear)[: max(MOST, clear)]
    sums = sums_of(shown)
    return [_pair(case, sums[case], adjusted.get(case, 1.0)) for case in shown], len(adjusted)


def _sums(
    reader: CampaignReader, attributes: _Attributes, chosen: list[_Case]
) -> dict[_Case, list[Sums]]:
    """Read the sums by text of some pairs."""
    rows = reader.run(
        "SELECT x.t, y.t, answer, n, joint, one, two FROM together "
        "WHERE x.a = $first AND y.a = $second AND "
        "list_contains($cases, {'x': x.t, 'y': y.t, 'z': answer}"
        "::STRUCT(x VARCHAR, y VARCHAR, z VARCHAR))",
        first=attributes[0], second=attributes[1],
        cases=[dict(zip("xyz", case, strict=True)) for case in chosen],
    )  # fmt: skip
    sums: dict[_Case, list[Sums]] = defaultdict(list)
    for one, two, answer, *counts in rows:
        n, both, first, second = map(int, counts)
        sums[one, two, answer].append((n, both, first, second))
    return sums


def _pair(case: _Case, sums: list[Sums], p_value: float) -> WordPair:
    both, first, second = (
        cluster_rate([(one[place], one[0]) for one in sums]) for place in (1, 2, 3)
    )
    contrast = _contrast(sums, p_value)
    clear = p_value < _LEVEL and contrast.low is not None and contrast.low > 0
    return WordPair(case[:2], case[2], len(sums), both, (first, second), contrast, clear)


def _contrast(sums: list[Sums], p_value: float) -> Difference:
    """Compute the mean contrast of the texts, with an interval.

    The interval is Student's over texts, with half a text of contrast 1 and half a text of -1, and
    one without: so it does not vanish where all are alike (Agresti and Min 2005, for pairs).
    """
    from numpy import array, average, sqrt
    from scipy.stats import t

    contrasts = [(both - first - second) / n for n, both, first, second in sums]
    value = sum(contrasts) / len(contrasts)
    if len(contrasts) < 2:
        return Difference(value, p_value=p_value)
    values, weights = array([*contrasts, 1.0, -1.0, 0.0]), [1.0] * len(contrasts) + [0.5, 0.5, 1.0]
    middle, number = average(values, weights=weights), len(contrasts) + 2
    spread = average((values - middle) ** 2, weights=weights)
    reach = float(t.ppf(1 - _LEVEL / 2, len(contrasts) - 1) * sqrt(spread / number))
    low, high = min(float(middle) - reach, value), max(float(middle) + reach, value)
    return Difference(value, max(low, -2.0), min(high, 1.0), p_value)
