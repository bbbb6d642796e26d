"""How much of what was possible was tested: mutants by order, word pairs and groups.

Source of the coverage of pairs and groups: MutaInt (pairwise coverage).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from hinter_core.campaign import Campaign
from hinter_core.report_section import Section, joined, ordered
from hinter_core.tally import Counts
from hinter_core.tally_columns import Attributes, is_placebo


@dataclass(frozen=True)
class Reach:
    """How many of the possible mutants of an order were tested; the limit left out the others.

    Among the possible are combinations of changes that would touch the same words.
    """

    order: int
    tested: int
    possible: int


@dataclass(frozen=True)
class Coverage:
    """How much of the dictionaries mutants of these attributes met, whatever became of them.

    ``pairs``: by attribute, word pairs made, kept by the invariant, and held by its dictionary.
    ``groups``: target groups (one of each attribute) met, of those that the dictionaries allow.
    """

    attributes: Attributes
    pairs: dict[str, tuple[int, int, int]]
    groups: tuple[int, int]


def reach(counts: Counts) -> list[Reach]:
    """A line for each order that has possible mutants."""
    return [Reach(n, counts.tested[n], many) for n, many in sorted(counts.possible.items()) if many]


def coverage(counts: Counts, scope: Mapping[str, tuple[int, int]]) -> list[Coverage]:
    """A line for each set of attributes that mutants changed, and for each attribute alone.

    ``scope``: by attribute, how many word pairs and target groups its dictionary has.
    """
    alone: list[Attributes] = [(attribute,) for attribute in scope]
    return [
        Coverage(
            attributes,
            {
                attribute: (
                    sum(swap.attribute == attribute for swap in counts.made.get(attributes, ())),
                    sum(swap.attribute == attribute for swap in counts.kept.get(attributes, ())),
                    scope[attribute][0],
                )
                for attribute in attributes
            },
            (len(counts.met.get(attributes, ())), prod(scope[a][1] for a in attributes)),
        )
        for attributes in ordered({*alone, *counts.made})
        if all(attribute in scope for attribute in attributes) and not is_placebo(attributes)
    ]


def reach_section(campaign: Campaign, lines: Sequence[Reach]) -> Section:
    """How many mutants were tested, and how they were chosen where not all were."""
    words = ["How many of the possible intersectional mutants were tested."]
    if campaign.limit is not None:
        each = "of each order of a text" if campaign.guide else "of a text"
        words.append(f"At most {campaign.limit:,} {each}, drawn by seed {campaign.seed}.")
    if campaign.guide:
        words.append(
            "Of order 3 and higher, those were taken where the answers of "
            f"{campaign.guide} to smaller changes foretold another answer, or nearly so. Their "
            "rates are those of the likeliest mutants, not of all; placebo was searched alike."
        )
    rows = [
        [str(r.order), f"{r.tested:,}", f"{r.possible:,}", f"{r.tested / r.possible:.2%}"]
        for r in lines
    ]
    columns = ["Order", "Tested", "Possible", "Share"]
    return Section("reach", "Tested, of what is possible", words, columns, rows)


def coverage_section(lines: Sequence[Coverage]) -> Section:
    """Word pairs and groups that were met."""
    rows = []
    for line in lines:
        met, possible = line.groups
        for attribute, (made, kept, held) in line.pairs.items():
            rows.append(
                [joined(line.attributes), attribute, f"{made:,} of {held:,}",
                 f"{100 * made / held:.1f} %" if held else "\u2013", f"{kept:,}",
                 f"{met:,} of {possible:,}"]
            )  # fmt: skip
    if not lines:
        none = (
            "There is no dictionary to cover: mutants by hand use none, and a campaign notes its "
            "own when it is run or resumed."
        )
        return Section("coverage", "Coverage", [none])
    columns = ["Changed", "Dictionary", "Word pairs met", "Share", "Kept at least once",
               "Groups met"]  # fmt: skip
    words = (
        "How many of the word pairs of the dictionaries the texts gave occasion to try, and how "
        "many combinations of groups texts were turned into."
    )
    return Section("coverage", "Coverage", [words], columns, rows)
