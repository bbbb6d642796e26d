"""Group fairness: words whose scores lie apart from those of the other words of their attribute.

Source: Astraea, Algorithm 4, Equation 3 and Table VI (words apart by pronoun). Of each word, the
mean score of a label over all texts with it; words whose anomaly index
(:mod:`hinter_core.report.metrics.diagnosis`) is beyond 2 in size are violations. For a masked
pronoun the labels are the pronouns: *nurse* is apart from the other occupations if *her* is far
more probable.

Departures: the deviation of the index is scaled; scores are compared within texts, as the words
may stand in different ones; the words of one text are their text's only sample; and a violation
must show beyond the noise between texts, by a 95 % interval of the difference (t, over texts) that
excludes the median word. Labels that hardly ever have a score are left out, and of two labels the
one that mirrors the other.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, sqrt
from statistics import median

from hinter_core.report.counts import ModelCounts
from hinter_core.report.metric import metric
from hinter_core.report.metrics.diagnosis import ANOMALY, anomaly_indices
from hinter_core.report.section import Counted, Rows, Section, gathered
from hinter_core.statistics.rates import Difference, Estimate, Rate

_FEWEST_WORDS = 3
_RARE = 0.01  # mean score of a label that is left out
_MIRRORED = 0.999  # sum of the mean scores of two labels that mirror each other
_MOST = 12  # words of an attribute and label in the table


@dataclass(frozen=True)
class WordScore:
    """A word's mean score of a label; ``difference``: from the mean of its texts' words.

    ``index``: the anomaly index of the difference among the words of the attribute.
    """

    attribute: str
    label: str
    word: str
    texts: int
    score: float
    difference: Estimate
    index: float
    violation: bool


def word_scores(tally: ModelCounts) -> list[WordScore]:
    """Return the words of a campaign of a grammar that has scores, furthest apart first."""
    if tally.reader.store.campaign().source.kind != "grammar":
        return []
    by_group = {
        key: [row[2:] for row in rows]
        for key, rows in gathered(_rows(tally), lambda row: row[:2]).items()
    }
    means = {
        key: sum(score * texts for _, texts, score, *_ in words) / sum(word[1] for word in words)
        for key, words in by_group.items()
    }
    scores = []
    for (attribute, label), words in by_group.items():
        of_attribute = {key[1]: mean for key, mean in means.items() if key[0] == attribute}
        mirrored = (
            len(of_attribute) == 2
            and sum(of_attribute.values()) > _MIRRORED
            and label == min(of_attribute)
        )
        if len(words) >= _FEWEST_WORDS and of_attribute[label] >= _RARE and not mirrored:
            scores += judged(attribute, label, words)
    return scores


def _rows(tally: ModelCounts) -> list[tuple[str, str, str, int, float, float, float]]:
    """Return attribute, label, word, texts, mean score, and mean and deviation of differences."""
    tables = tally.tables
    tally.reader.run(
        "CREATE OR REPLACE TEMP TABLE scored AS SELECT m.row, edits[1] AS e, scores FROM "
        f"{tables.judged} WHERE n_edits = 1 "
        "AND kept AND failure IS NULL AND NOT starts_with(edits[1].attribute, 'placebo')"
    )
    return tally.reader.run(
        "WITH said AS (SELECT row, e.attribute AS attribute, e.target AS word, scores FROM scored "
        "UNION ALL SELECT row, attribute, word, scores FROM (SELECT DISTINCT row, e.attribute AS "
        f"attribute, e.source AS word FROM scored) JOIN ({tables.originals}) USING (row) "
        "WHERE failure IS NULL), "
        "each AS (SELECT row, attribute, word, entry.key AS label, avg(entry.value) AS score FROM "
        "(SELECT row, attribute, word, unnest(map_entries(scores)) AS entry FROM said) "
        "GROUP BY ALL), "
        "apart AS (SELECT *, score - avg(score) OVER (PARTITION BY row, attribute, label) AS "
        "difference FROM each) "
        "SELECT attribute, label, word, count(*), avg(score), avg(difference), "
        "coalesce(stddev_samp(difference), 0) FROM apart GROUP BY ALL ORDER BY ALL"
    )


def judged(
    attribute: str, label: str, words: list[tuple[str, int, float, float, float]]
) -> list[WordScore]:
    """Judge words by their texts, mean scores, and means and deviations of their differences."""
    from scipy.stats import t

    indices = anomaly_indices({word: apart for word, _, _, apart, _ in words})
    middle = median(apart for *_, apart, _ in words)
    scores = []
    for word, texts, score, apart, spread in words:
        wide = float(t.ppf(0.975, texts - 1)) * spread / sqrt(texts) if texts > 1 else inf
        index = indices[word]
        difference = Estimate(apart, apart - wide, apart + wide)
        scores.append(
            WordScore(attribute, label, word, texts, score, difference, index,
                      abs(index) > ANOMALY and abs(apart - middle) > wide)
        )  # fmt: skip
    return sorted(scores, key=lambda one: (-abs(one.difference.value or 0.0), one.word))


def group_fairness_section(scores: list[WordScore]) -> Section:
    """Report the words that lie apart, and the others after them."""
    sentences, rows = [], Rows()
    for (attribute, label), words in _by_label(scores).items():
        odd = [one.word for one in words if one.violation]
        named = ", ".join(odd) if odd else "none"
        sentences.append(
            f"{attribute}, {label}: of {len(words):,} words, these lie apart from the others: "
            f"{named}."
        )
        rows += [
            [one.attribute, one.label, one.word, one.texts, one.score, _in_points(one.difference),
             f"{one.index:.1f}".replace("inf", "\u221e"), "yes" if one.violation else ""]
            for one in words[:_MOST]
        ]  # fmt: skip
    sentences.append(
        "Lies apart (Astraea, Equation 3): the anomaly index is beyond 2, and the interval of the "
        "difference excludes the median word. The index is infinite where most words are alike."
    )
    columns = ["Attribute", "Label", "Word", "Texts", "Mean score",
               "Difference within texts, points", "Anomaly index", "Lies apart"]  # fmt: skip
    return Section("group-fairness", "Group fairness", sentences, columns, rows)


def _by_label(scores: Iterable[WordScore]) -> dict[tuple[str, str], list[WordScore]]:
    return gathered(scores, lambda one: (one.attribute, one.label))


def _in_points(difference: Estimate) -> Difference:
    return Difference(difference.value, difference.low, difference.high)


def apart_section(scores: Iterable[WordScore]) -> Section:
    """Report the number of outlying words by label (for a mask, by pronoun)."""
    rows: Rows = [
        [attribute, label, _share(sum(abs(one.index) > ANOMALY for one in each), each),
         sum(one.index > ANOMALY for one in each), sum(one.index < -ANOMALY for one in each),
         _share(sum(one.violation for one in each), each)]
        for (attribute, label), each in _by_label(scores).items()
    ]  # fmt: skip
    sentences = [
        "Words whose mean score of a label has an anomaly index beyond 2 (Astraea, Table VI; for a "
        "masked pronoun, each pronoun is a label), how many have a higher and a lower score than "
        "the others, and those that are apart beyond the noise between texts."
    ]
    columns = ["Attribute", "Label", "Violations, as published", "Higher", "Lower",
               "Violations beyond noise"]  # fmt: skip
    return Section("apart", "Words that lie apart, by label", sentences, columns, rows)


def _share(hits: int, words: list[WordScore]) -> Counted:
    return Counted(Rate(hits, len(words)), share=True)


metric("word_scores", 60, word_scores, apart_section, group_fairness_section)
