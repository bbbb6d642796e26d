"""What people say of a campaign's mutants, and what follows for its error rates.

Two ways: rates *restricted* to the mutants that people judged valid, which are rates of that sample
and no more; and rates *corrected*, an estimate of what the campaign would say of valid mutants
alone, from the share of valid ones among those of each verdict (post-stratification: Cochran 1977,
section 5A.9; Holt and Smith 1979). :mod:`hinter_core.annotation.evaluation.correction` computes
both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hinter_core.report.section import Section
from hinter_core.statistics.format import (
    estimate_in_words,
    percent,
    rate_in_words,
)
from hinter_core.statistics.rates import Rate
from hinter_core.statistics.weighted import Estimate


@dataclass(frozen=True)
class CorrectedRow:
    """One line of a campaign's main table, seen by people.

    ``errors`` and ``hidden`` as the report has them. ``valid``: of the judged mutants that were
    kept and answered, those called valid. ``restricted_errors`` and ``restricted_hidden``: the same
    two rates of these only. ``corrected_errors`` and ``corrected_hidden``: estimates for all valid
    mutants of the line. ``hidden`` ones are None for atomic mutants.
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
    """What a project of annotators says of a campaign.

    ``items``: of this campaign. ``kept`` and ``discarded``: items decided on, and those of them
    called valid. ``undecided``: not judged, not sure or a tie. ``foreign``: items that are not of
    this campaign, left out. ``annotators``: how many judged something.
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
    """A table of all models, and each line in words; nothing where no project was given."""
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
    """What people's judgements do to one line of the main table."""
    words = f"{line.model}, {line.name}: {rate_in_words(line.errors)} mutants changed the answer"
    if not line.valid.of:
        return f"{words}; people judged none of them."
    words += f"; people call {rate_in_words(line.valid)} of the judged ones valid"
    if line.restricted_errors.of:
        words += f", and of these {rate_in_words(line.restricted_errors)} changed the answer"
    words += f". Corrected error rate of valid mutants: {estimate_in_words(line.corrected_errors)}"
    if line.corrected_hidden and line.corrected_hidden.value is not None:
        words += f"; of these errors, hidden: {estimate_in_words(line.corrected_hidden)}"
    return words + "."


def _who(found: People) -> str:
    who = "1 annotator" if found.annotators == 1 else f"{found.annotators:,} annotators"
    words = f"Project \u201c{found.project}\u201d: {who}, {found.items:,} mutants of this campaign"
    words += f". {rate_in_words(found.kept)} kept mutants are valid for people"
    if found.discarded.of:
        words += f", and {rate_in_words(found.discarded)} discarded ones"
    if found.undecided:
        words += f"; {found.undecided:,} are undecided (not judged, not sure, or a tie)"
    words += "."
    if found.foreign:
        words += f" {found.foreign:,} items of the project are not of this campaign: left out."
    return words


_METHOD = (
    "Two ways to look. \u201cOf valid, in sample\u201d is the error rate of the mutants that "
    "people judged valid. Where the sample was balanced over verdicts, it holds more errors than "
    "the campaign does: use it to look at cases, not as a rate of all. \u201cOf valid, "
    "corrected\u201d estimates the rate of all valid mutants: how many mutants have each verdict "
    "comes from the campaign, and the share of them that is valid from the sample "
    "(post-stratification). Its interval shows what judging a sample leaves open; that texts are a "
    "sample too is in the error rate's own interval.",
    "Limits: what most annotators say, or the owner decided, is taken for the truth; undecided "
    "mutants are taken to be as the others of their kind; valid mutants that the invariant "
    "discarded are in no rate, as no verdict counts for them. There is no corrected rate where "
    "none of a verdict that a line has was judged.",
)
