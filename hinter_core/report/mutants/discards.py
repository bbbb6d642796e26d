"""Discard rates of the invariant by group."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.tables import TIMES, Attributes, is_placebo
from hinter_core.report.counts import CampaignCounts
from hinter_core.report.section import Rows, Section, gathered, joined, ordered
from hinter_core.statistics.rates import Rate
from hinter_core.types import Layer

_SELDOM = 0.05  # share of discarded mutants below which groups are not compared
_CHANCE = 0.01
_PARSED = "a sentence parses differently after the change"
_CONTRADICTED = "other words of the text contradict the change"
_INVALID = "their validity score is too low"
# Of a discarded mutant, by what discarded it.
_WHY: Mapping[str, str] = {
    Layer.SENTENCES: _PARSED,
    Layer.POS: _PARSED,
    Layer.DEPENDENCY: _PARSED,
    Layer.WORDING: "their words do not go together",
    Layer.SOFT: _CONTRADICTED,
    Layer.VALIDITY: _INVALID,
}
_KEEPS = {
    _CONTRADICTED: "soft mutants can be kept (--keep-soft)",
    _INVALID: "a lower least score keeps more (--validity)",
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
    """Attributes of which all mutants were discarded, for these ``reasons``.

    ``attribute``: one, or several that were never changed together, joined.
    """

    attribute: str
    reasons: Mapping[str, int]

    @property
    def mutants(self) -> int:
        """Number of mutants."""
        return sum(self.reasons.values())


def untested(reader: CampaignReader, counts: CampaignCounts) -> list[Untested]:
    """Return the attributes, and the sets of them, of which there are mutants and none was kept.

    A set is left out if a part of it is listed.
    """
    kept = {names: any(n for _, n in by.values()) for names, by in counts.pairs.items()}
    real = [names for names in kept if not is_placebo(names)]
    found: dict[Attributes, Untested] = {}
    for names in ordered({*real, *((name,) for whole in real for name in whole)}):
        own = set(names)
        if any(own.issuperset(one) for one in found):
            continue
        if any(lives for whole, lives in kept.items() if own.issubset(whole)):
            continue
        layers = reader.run(
            f"SELECT layer, count(*) FROM ({reader.tables().mutants}) WHERE "
            # Of several attributes, those alone, so that no mutant is of two sets.
            "list_has_all(attributes, $names) AND (len($names) = 1 OR len($names) = "
            "len(attributes)) GROUP BY 1 ORDER BY 1",
            names=list(names),
        )
        found[names] = Untested(joined(names), in_reasons(dict(layers)))
    return list(found.values())


def in_reasons(layers: Mapping[str, int]) -> Counter[str]:
    """Return numbers of discarded mutants by reason, in words, from those by layer."""
    reasons: Counter[str] = Counter()
    for layer, number in layers.items():
        reasons[_WHY.get(layer, "")] += number
    return reasons


def untested_in_words(found: Iterable[Untested]) -> Iterable[str]:
    """Say of each attribute that nothing was tested of it, and once which were never combined."""
    sets = []
    for one in found:
        if TIMES in one.attribute:
            sets.append(one)
            continue
        every = f"All {one.mutants:,} mutants were" if one.mutants > 1 else "The only mutant was"
        yield f"Not tested at all: {one.attribute}. {every} discarded{mostly(one.reasons)}."
    if sets:
        names = ", ".join(one.attribute for one in sets)
        number = sum(one.mutants for one in sets)
        every = f"All {number:,} mutants were" if number > 1 else "The only mutant was"
        reasons = sum((Counter(one.reasons) for one in sets), Counter())
        yield f"Never tested together: {names}. {every} discarded{mostly(reasons)}."


def mostly(reasons: Mapping[str, int]) -> str:
    """Say why most mutants were discarded, and with which setting more are kept."""
    why, most = max(reasons.items(), key=itemgetter(1), default=("", 0))
    keeps = f"; {_KEEPS[why]}" if why in _KEEPS else ""
    return f", {most:,} of them because {why}{keeps}" if why else ""


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
