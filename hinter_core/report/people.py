"""Compare a campaign's error rates with the judgements of annotators.

*Restricted* rates are those of the mutants that people judged valid, and hold for this sample only.
*Corrected* rates estimate those of all valid mutants from the share of valid ones per verdict
(post-stratification: Cochran 1977, section 5A.9; Holt and Smith 1979). Both are computed by
:mod:`hinter_core.annotation.evaluation.correction`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from hinter_core.report.section import Section
from hinter_core.statistics.format import estimate_in_words, percent, rate_in_words
from hinter_core.statistics.rates import Rate
from hinter_core.statistics.weighted import Estimate


@dataclass(frozen=True)
class CorrectedRow:
    """One row of the main table, restricted to and corrected for valid mutants.

    ``errors`` and ``hidden``: as in the report. ``valid``: share of valid mutants among the judged
    ones that were kept and answered; ``restricted_*``: rates among these valid mutants;
    ``corrected_*``: estimates for all valid mutants of the row. ``hidden`` rates of atomic mutants
    are None.
    """

    model: str
    name: str
    errors: Rate
    hidden: Rate | None
    valid: Rate
    restricted_errors: Rate
    restricted_hidden: Rate | None
    corrected_errors: Estimate
    corrected_hidden: Estimate | None


@dataclass(frozen=True)
class People:
    """Judgements of an annotation project on a campaign.

    ``items``: those of this campaign. ``kept`` and ``discarded``: shares of valid mutants among the
    decided items. ``undecided``: not judged, not sure, or a tie. ``foreign``: items of other
    campaigns, left out. ``annotators``: number of people who judged an item.
    """

    project: str
    annotators: int
    items: int
    kept: Rate
    discarded: Rate
    undecided: int
    foreign: int
    lines: list[CorrectedRow]


def people_sections(found: People | None) -> Iterable[Section]:
    """Report all models in one table, and each row in words; nothing without a project."""
    if found is None:
        return
    columns = ["Model", "Attributes", "Judged valid", "Error rate", "Of valid, in sample",
               "Of valid, corrected", "Hidden, of errors", "Hidden, corrected"]  # fmt: skip
    rows = [
        [
            line.model, line.name, f"{line.valid.hits:,} of {line.valid.of:,}",
            percent(line.errors), percent(line.restricted_errors),
            percent(line.corrected_errors),
            percent(line.hidden) if line.hidden else "",
            percent(line.corrected_hidden) if line.corrected_hidden else "",
        ]
        for line in found.lines
    ]  # fmt: skip
    # Few sentences, so that a page shows the method beside the table and does not fold it.
    yield Section("people", "Judged by people", [_who(found), *_METHOD], columns, rows)
    words = [line_of_people_in_words(line) for line in found.lines]
    yield Section("people-words", "Judged by people, line by line", words)


def line_of_people_in_words(line: CorrectedRow) -> str:
    """Describe one row of the main table after annotation."""
    words = f"{line.model}, {line.name}: {rate_in_words(line.errors)} mutants flipped the answer"
    if not line.valid.of:
        return f"{words}; annotators judged none of them."
    words += f"; annotators call {rate_in_words(line.valid)} judged ones valid"
    if line.restricted_errors.of:
        words += f", and of these {rate_in_words(line.restricted_errors)} flipped the answer"
    words += f". Corrected error rate of valid mutants: {estimate_in_words(line.corrected_errors)}"
    if line.corrected_hidden and line.corrected_hidden.value is not None:
        words += f"; of these errors, hidden: {estimate_in_words(line.corrected_hidden)}"
    return words + "."


def _who(found: People) -> str:
    who = "1 annotator" if found.annotators == 1 else f"{found.annotators:,} annotators"
    words = f"Project \u201c{found.project}\u201d: {who}, {found.items:,} mutants of this campaign"
    words += f". {rate_in_words(found.kept)} kept mutants are valid according to annotators"
    if found.discarded.of:
        words += f", and {rate_in_words(found.discarded)} discarded ones"
    if found.undecided:
        words += f"; {found.undecided:,} are undecided (not judged, not sure, or a tie)"
    words += "."
    if found.foreign:
        words += f" {found.foreign:,} items of the project are not of this campaign: left out."
    return words


_METHOD = (
    "\u201cOf valid, in sample\u201d is the error rate of the judged mutants that annotators call "
    "valid. A sample balanced over verdicts holds more errors than the campaign, so this is no "
    "estimate for all mutants. \u201cOf valid, corrected\u201d is: it estimates the rate of all "
    "valid mutants from the campaign's number of mutants by verdict and the sample's share of "
    "valid ones (post-stratification). Its interval covers the sampling of mutants; the interval "
    "of the error rate covers the sampling of texts.",
    "Limits: the majority of annotators, or the owner's decision, counts as the truth. Undecided "
    "mutants count like the others of their kind. Valid mutants that the invariant discarded "
    "count in no rate. There is no corrected rate if no mutant of a verdict was judged.",
)
