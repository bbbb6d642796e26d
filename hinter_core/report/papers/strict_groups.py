"""Group bias that only tests of several attributes find, and the mutants that show it.

Source: MutaInt, Table 4, underlined: an intersectional group above the mean of its attributes (GIB)
of which no part, alone, lies above the mean of its own attribute (GAB). A part that was not tested
alone is not known to be below, so that such a group is not strict. Departure: only kept mutants
count, while the paper has no invariant.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hinter_core.campaign.tables import Attributes, lists
from hinter_core.report.counts import Groups, ModelCounts
from hinter_core.report.metric import metric
from hinter_core.report.metrics.groups import ALPHA, GROUPS, GroupRate
from hinter_core.report.section import Counted, Rows, Section, gathered, joined
from hinter_core.statistics.rates import Estimate, Rate

_WORDS = 3  # changes of a group in the table
_NAMED = 12  # groups in a sentence, texts in the table


@dataclass(frozen=True)
class GroupInstance:
    """A strict group: its errors, the words that make them, and the texts.

    ``mean``: of all groups of these attributes. ``parts``: rate and mean of each group alone.
    ``changes``: words by the errors with them. ``texts``: ids (or numbers) of rows with an error.
    ``tested``: how many groups of these attributes there are, ``above`` of them above the mean.
    ``p_value``: of the group's test against the mean (:class:`GroupRate`), which no paper has.
    """

    attributes: Attributes
    groups: Groups
    errors: Rate
    mean: float
    parts: tuple[tuple[float, float], ...]
    changes: list[tuple[str, int]]
    texts: list[str]
    tested: int
    above: int
    p_value: float


def strict_groups(tally: ModelCounts) -> list[GroupInstance]:
    """Return the strict groups of a model, with the words and texts of their errors."""
    every = GROUPS.of(tally)
    tested = gathered(every, lambda one: one.attributes)
    below = {
        (g.attributes[0], g.groups[0]): g for g in every if len(g.attributes) == 1 and not g.above
    }
    strict: list[tuple[GroupRate, list[GroupRate]]] = []
    for one in every:
        parts = list(zip(one.attributes, one.groups, strict=True))
        if len(parts) > 1 and one.above and below.keys() >= set(parts):
            strict.append((one, [below[part] for part in parts]))
    if not strict:
        return []
    changes, texts = _mutants(tally, [one for one, _ in strict])
    return [
        GroupInstance(
            *key,
            one.errors,
            one.mean,
            tuple((part.errors.share or 0.0, part.mean) for part in parts),
            changes[key],
            texts[key],
            len(tested[one.attributes]),
            sum(group.above for group in tested[one.attributes]),
            one.p_value,
        )
        for one, parts in strict
        for key in [(one.attributes, one.groups)]
    ]


_Key = tuple[Attributes, Groups]


def _mutants(
    tally: ModelCounts, wanted: Sequence[GroupRate]
) -> tuple[dict[_Key, list[tuple[str, int]]], dict[_Key, list[str]]]:
    """Return the changes to each group by their errors, and the texts with one."""
    width = sum(name.startswith("s") for (name, *_) in tally.reader.run("DESCRIBE erring"))
    joins = " ".join(f"LEFT JOIN swaps w{i} ON w{i}.swap = s{i}" for i in range(1, width + 1))
    words = ", ".join(
        f"w{i}.edit.source || ' \u2192 ' || w{i}.edit.target" for i in range(1, width + 1)
    )
    tally.reader.run(
        "CREATE OR REPLACE TEMP TABLE of_groups AS SELECT e.*, attributes, groups FROM erring e "
        f"JOIN groups USING (key) JOIN sets USING (set) WHERE model = {tally.number} AND "
        f"attributes IN {lists({one.attributes for one in wanted})} AND groups IN "
        f"{lists({one.groups for one in wanted})}"
    )
    changes: dict[_Key, list[tuple[str, int]]] = defaultdict(list)
    for attributes, to_groups, words_of, number in tally.reader.run(
        f"SELECT attributes, groups, concat_ws(', ', {words}) AS words, sum(number)::BIGINT FROM "
        "(SELECT * EXCLUDE (row), count(*) AS number FROM of_groups GROUP BY ALL) "
        f"{joins} GROUP BY ALL ORDER BY 4 DESC, 3"
    ):
        changes[tuple(attributes), tuple(to_groups)].append((words_of, number))
    texts: dict[_Key, list[str]] = defaultdict(list)
    for attributes, to_groups, text in tally.reader.run(
        "SELECT g.attributes, g.groups, coalesce(nullif(any_value(t.id), ''), row::VARCHAR) "
        "FROM of_groups g JOIN rows t USING (row) GROUP BY 1, 2, row ORDER BY row"
    ):
        texts[tuple(attributes), tuple(to_groups)].append(text)
    return changes, texts


def strict_section(instances: Iterable[GroupInstance]) -> Section:
    """Report the strict groups, by attributes; those that a test supports in a table."""
    by = gathered(instances, lambda one: one.attributes)
    sentences = [
        "As published (MutaInt, Table 4), above the mean is no test, so that chance alone puts "
        "groups here: those significantly above it are listed. Kept mutants alone count, where the "
        "paper has no invariant."
    ]
    sure = {a: [one for one in same if one.p_value < ALPHA] for a, same in by.items()}
    sentences += [
        f"{joined(attributes)}: of {same[0].tested} groups, {same[0].above} lie above their mean "
        f"(GIB), {len(same)} of them with no part above the mean of its own attribute (GAB), "
        f"{len(sure[attributes]) or 'none'} of these significantly."
        for attributes, same in by.items()
    ]
    rows: Rows = [
        [joined(one.attributes), joined(one.groups), one.errors, Estimate(one.mean),
         "; ".join(f"{100 * rate:.1f} of {100 * mean:.1f}\u00a0%" for rate, mean in one.parts),
         "; ".join(f"{words} ({number:,})" for words, number in one.changes[:_WORDS]),
         len(one.texts), _first(one.texts)]
        for same in sure.values() for one in same
    ]  # fmt: skip
    columns = ["Attributes", "Changed to", "Error rate", "Mean", "Parts alone, of their means",
               "Words with most errors", "Texts with errors", "Rows"]  # fmt: skip
    title = "Groups above the mean without a part above it"
    if not rows:
        columns = ["Attributes", "Mean", "Above it", "Without a part above", "Significant"]
        rows = [
            [joined(a), Estimate(same[0].mean), Counted(Rate(same[0].above, same[0].tested)),
             Counted(Rate(len(same), same[0].above)), Counted(Rate(0, len(same)))]
            for a, same in by.items()
        ]  # fmt: skip
    return Section("strict-groups", title, sentences, columns, rows)


def _first(names: list[str]) -> str:
    return ", ".join([*names[:_NAMED], *(["\u2026"] if len(names) > _NAMED else [])])


metric("strict_groups", 160, strict_groups, strict_section)
