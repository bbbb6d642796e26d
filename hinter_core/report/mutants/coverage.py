"""Coverage: shares of the possible mutants that were made, word pairs and groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.tables import Attributes, is_placebo
from hinter_core.report.counts import CampaignCounts
from hinter_core.report.section import Cell, Counted, Rows, Section, Share, joined, ordered
from hinter_core.statistics.format import share_in_words
from hinter_core.statistics.rates import Rate


@dataclass(frozen=True)
class Reach:
    """Number of mutants that were made, among the possible ones of an order.

    ``tested``: made, whether or not they were discarded then; JSON has this name. The possible ones
    include combinations of changes to the same words.
    """

    order: int
    tested: int
    possible: int


@dataclass(frozen=True)
class Coverage:
    """Share of the dictionaries that mutants of these attributes used, whatever their verdict.

    ``pairs``: by attribute, word pairs used, kept by the invariant, and in its dictionary.
    ``groups``: target groups (one per attribute) used, and possible. ``combinations``: the same of
    word pairs (one per attribute); None for one attribute.
    """

    attributes: Attributes
    pairs: dict[str, tuple[int, int, int]]
    groups: tuple[int, int]
    combinations: tuple[int, int] | None = None


def reach(counts: CampaignCounts) -> list[Reach]:
    """Return a row for each order that has possible mutants."""
    return [Reach(n, counts.made[n], of) for n, of in sorted(counts.possible.items()) if of]


def coverage(counts: CampaignCounts, scope: Mapping[str, tuple[int, int]]) -> list[Coverage]:
    """Return a row for each set of attributes of the mutants, and for each attribute alone.

    ``scope``: by attribute, numbers of word pairs and target groups in its dictionary.
    """
    alone: list[Attributes] = [(attribute,) for attribute in scope]
    return [
        Coverage(
            attributes,
            {
                a: (*counts.pairs.get(attributes, {}).get(a, (0, 0)), scope[a][0])
                for a in attributes
            },
            (counts.met.get(attributes, 0), prod(scope[a][1] for a in attributes)),
            (counts.combined.get(attributes, 0), prod(scope[a][0] for a in attributes))
            if len(attributes) > 1
            else None,
        )
        for attributes in ordered({*alone, *counts.pairs})
        if all(attribute in scope for attribute in attributes) and not is_placebo(attributes)
    ]


def reach_section(campaign: Campaign, lines: Sequence[Reach]) -> Section:
    """Report the share of the possible mutants that were made."""
    words = ["Share of the possible intersectional mutants that were made, discarded ones too."]
    if campaign.limit is not None:
        each = "per text and order" if campaign.guide else "per text"
        words.append(f"Maximum {campaign.limit:,} {each}, drawn with seed {campaign.seed}.")
    if campaign.guide:
        words.append(
            f"Order 3 and higher: the answers of {campaign.guide} to smaller changes predict which "
            "mutants lie closest to another answer, and only these were tested. Their rates are "
            "not those of all mutants; placebo mutants were chosen in the same way."
        )
    rows: Rows = [[r.order, r.tested, r.possible, Share(r.tested / r.possible)] for r in lines]
    columns = ["Order", "Made", "Possible", "Share"]
    return Section("reach", "Share of the possible mutants that were made", words, columns, rows)


def limit_in_words(campaign: Campaign, lines: Sequence[Reach]) -> str:
    """Say what share of the possible mutants was made within a limit, or ""."""
    made, possible = sum(r.tested for r in lines), sum(r.possible for r in lines)
    if not campaign.limit or made >= possible:
        return ""
    return (
        f"With at most {campaign.limit:,} per text, {made:,} of {possible:,} intersectional "
        f"mutants ({share_in_words(made / possible)}) were made."
    )


def coverage_section(campaign: Campaign, lines: Sequence[Coverage]) -> Section:
    """Report the share of the dictionaries that was used."""
    if not lines:
        why = "an older campaign records its dictionaries when it is resumed"
        if not campaign.source.makes:
            why = "handwritten mutants use none"
        elif campaign.source.slotted:
            why = "the words of templates and grammars come from their slots"
        return Section("coverage", "Coverage", [f"No dictionary to cover: {why}."])
    rows: Rows = []
    for line in lines:
        groups = Counted(Rate(*line.groups))
        combined: Cell = Counted(Rate(*line.combinations)) if line.combinations else ""
        for attribute, (made, kept, held) in line.pairs.items():
            pairs = Rate(made, held)
            rows.append(
                [joined(line.attributes), attribute, Counted(pairs), pairs, kept, groups, combined]
            )  # fmt: skip
    columns = ["Attributes", "Dictionary", "Word pairs used", "Share", "Kept at least once",
               "Groups used", "Combinations used"]  # fmt: skip
    words = (
        "Word pairs of the dictionaries that at least one mutant used, combinations of groups that "
        "texts were changed to, and combinations of word pairs, one of each attribute."
    )
    return Section("coverage", "Coverage", [words], columns, rows)
