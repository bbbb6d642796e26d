"""Discard rates of the invariant by group."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.tables import is_placebo
from hinter_core.report.counts import CampaignCounts
from hinter_core.report.section import Rows, Section, gathered
from hinter_core.statistics.rates import Rate
from hinter_core.types import Layer

_SELDOM = 0.05  # share of discarded mutants below which groups are not compared
_CHANCE = 0.01
_PARSED = "a sentence parses differently after the change"
# Of a discarded mutant, by what discarded it.
_WHY = {
    Layer.SENTENCES: _PARSED,
    Layer.POS: _PARSED,
    Layer.DEPENDENCY: _PARSED,
    Layer.WORDING: "their words do not go together",
    Layer.SOFT: "other words of the text contradict the change",
    Layer.VALIDITY: "their validity score is too low",
}


@dataclass(frozen=True)
class GroupDiscards:
    """Discarded atomic mutants among those that insert a group's words; ``soft`` among them."""

    attribute: str
    group: str
    made: int
    discarded: int
    soft: int = 0

    @property
    def share(self) -> float:
        """Share of the mutants that are discarded."""
        return self.discarded / self.made


def discards(counts: CampaignCounts) -> list[GroupDiscards]:
    """Return a row for each target group of each attribute."""
    return [
        GroupDiscards(attribute, group, *numbers)
        for attribute, groups in sorted(counts.discarded.items())
        for group, numbers in sorted(groups.items())
    ]


def uneven_discards(
    discards: Sequence[GroupDiscards],
) -> list[tuple[GroupDiscards, GroupDiscards]]:
    """Return for each attribute the most and the least discarded group if they are far apart.

    Far is more than twice as often, beyond chance (Fisher's exact test, one in a hundred), and more
    than one mutant in twenty.
    """
    from scipy.stats import fisher_exact

    uneven = []
    for groups in gathered(discards, lambda one: one.attribute).values():
        groups.sort(key=lambda one: one.share)
        least, most = groups[0], groups[-1]
        if most.share > max(2 * least.share, _SELDOM):
            table = [[one.discarded, one.made - one.discarded] for one in (most, least)]
            if fisher_exact(table).pvalue < _CHANCE:
                uneven.append((most, least))
    return uneven


@dataclass(frozen=True)
class Untested:
    """An attribute of which all ``mutants`` were discarded, ``most`` of them for one reason."""

    attribute: str
    mutants: int
    why: str
    most: int

    @property
    def in_words(self) -> str:
        """That nothing was tested of it, and why mostly."""
        why = f", {self.most:,} of them because {self.why}" if self.why else ""
        every = f"All {self.mutants:,} mutants were" if self.mutants > 1 else "The only mutant was"
        return f"Not tested at all: {self.attribute}. {every} discarded{why}."


def untested(reader: CampaignReader, counts: CampaignCounts) -> list[Untested]:
    """Return the attributes of which there are mutants and none was kept."""
    kept: Counter[str] = Counter()
    for of_set in counts.pairs.values():
        for attribute, (_, number) in of_set.items():
            kept[attribute] += number
    found = []
    for attribute in sorted(name for name, n in kept.items() if not n and not is_placebo((name,))):
        reasons: Counter[str] = Counter()
        for layer, number in reader.run(
            f"SELECT layer, count(*) FROM ({reader.tables().mutants}) WHERE "
            "list_contains(attributes, $name) GROUP BY 1 ORDER BY 1",
            name=attribute,
        ):
            reasons[_WHY.get(layer, "")] += number
        found.append(Untested(attribute, reasons.total(), *reasons.most_common(1)[0]))
    return found


def discards_sections(discards: Sequence[GroupDiscards]) -> list[Section]:
    """Report the shares of discarded mutants; nothing if none is discarded."""
    if not any(one.discarded for one in discards):
        return []
    words = [
        "Mutants of one change, by the group whose words they bring in, and how many of them were "
        "discarded. Soft are those that other words of their text contradict; they are counted "
        "among the discarded."
    ]
    words += [
        f"{most.attribute}: words of {most.group} are discarded in {100 * most.share:.0f}\u00a0% "
        f"of mutants, those of {least.group} in {100 * least.share:.0f}\u00a0%. The former are "
        "tested less, and on other texts; compare their rates with care."
        for most, least in uneven_discards(discards)
    ]
    rows: Rows = [
        [one.attribute, one.group, one.made, one.discarded, one.soft, Rate(one.discarded, one.made)]
        for one in discards
    ]
    columns = ["Attribute", "Group", "Mutants", "Discarded", "Soft", "Share"]
    return [Section("discards", "Discarded by group", words, columns, rows)]
