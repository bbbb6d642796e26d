"""Error rates by the groups that texts were changed to (MutaInt, Tables 3-5), and their answers.

Departure: the papers count changed answers. Which answer an error leads to says whom it favours.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple

from hinter_core.campaign.tables import Attributes, is_placebo
from hinter_core.errors import first_names
from hinter_core.models.base import COREFERENCE, MASKED
from hinter_core.report.counts import Groups, ModelCounts
from hinter_core.report.metric import metric
from hinter_core.report.metrics.examples import answer_in_words
from hinter_core.report.section import (
    ARROW,
    Counted,
    PValue,
    Rows,
    Section,
    gathered,
    joined,
    ordered,
)
from hinter_core.statistics.clustered import cluster_rate, one_sided_test, tested_number
from hinter_core.statistics.format import rate_in_words, share_in_words
from hinter_core.statistics.rates import Estimate, Rate, benjamini_hochberg

ALPHA = 0.05
FEWEST_TEXTS = 12  # of a group, below which it is not tested: see docs/measured/statistics.md
_NAMED = 3  # groups, or changes of answers, in a sentence
_TIED = 2  # answers that are named where they are as frequent
_CHANGES = 12  # of answers, in a table


@dataclass(frozen=True)
class GroupRate:
    """Error rate of mutants changed to one group (or one group per attribute).

    ``above``: above the mean over all groups of these attributes, as published (GAB, GIB).
    ``p_value``: of a one-sided test against that mean (:func:`one_sided_test`), adjusted over all
    groups (Benjamini-Hochberg). The test and the interval count ``texts``, not cases, as mutants of
    one text are not independent; the paper gives neither. With fewer than :data:`FEWEST_TEXTS`
    texts, p is 1.

    ``hidden``: hidden mutants, of cases, with ``hidden_p_value`` of the same test against the mean
    of hidden rates; None for one attribute. Departure: the published criterion also reports groups
    that err only because one of their parts does; hidden mutants are explained by no part.

    ``answers``: the answers that errors lead to, with their numbers, the most frequent first.
    ``explained``: errors that one of the parts makes alone, too. ``raw_p_value`` and
    ``hidden_raw_p_value``: before they are adjusted for the ``tested`` groups of a family, which
    those of all attributes are. ``effective``: independent cases that the test takes the cases for.
    ``hidden_mean``: mean of hidden rates.
    """

    attributes: Attributes
    groups: Groups
    errors: Rate
    texts: int
    mean: float
    above: bool
    p_value: float
    answers: tuple[tuple[str, int], ...] = ()
    hidden: Rate | None = None
    hidden_p_value: float | None = None
    explained: int = 0
    raw_p_value: float = 1.0
    hidden_raw_p_value: float | None = None
    tested: int = 0
    effective: float = 0.0
    hidden_mean: float | None = None

    @property
    def by_parts(self) -> bool:
        """Whether the errors that no part makes alone do not lie above the mean."""
        return self.errors.hits - self.explained <= self.mean * self.errors.of

    @property
    def mostly_to(self) -> str:
        """The answer that more than half of the errors lead to, or ""."""
        answer, number = self.answers[0] if self.answers else ("", 0)
        return answer if 2 * number > self.errors.hits else ""

    @property
    def to(self) -> str:
        """The most frequent answer that errors lead to: ``invite``, or ``invite 5/8``.

        In a tie all of them: ``invite, reject 4/8 each``; "" if more than two tie.
        """
        most = [answer for answer, number in self.answers if number == self.answers[0][1]]
        if not most or len(most) > _TIED:
            return ""
        if len(self.answers) == 1:
            return most[0]
        each = " each" * (len(most) > 1)
        return f"{', '.join(most)} {self.answers[0][1]:,}/{self.errors.hits:,}{each}"


def group_rates(tally: ModelCounts) -> list[GroupRate]:
    """Return the rate of each group, with a test against the mean of its attributes."""
    errors_of: _ByGroups = defaultdict(Counter)
    hidden_of: _ByGroups = defaultdict(Counter)
    for names, of_groups, errors, cases, hidden, texts in tally.sums(
        "SELECT attributes, groups, errors, cases, hidden, sum(texts)::BIGINT FROM clusters "
        "JOIN groups USING (key) JOIN sets USING (set)"
    ):
        errors_of[tuple(names), tuple(of_groups)][errors, cases] += texts
        if len(names) > 1:
            hidden_of[tuple(names), tuple(of_groups)][hidden, cases] += texts
    answers: dict[_Key, Counter[str]] = defaultdict(Counter)
    for names, of_groups, before, after, errors in tally.sums(
        "SELECT attributes, groups, b.names, a.names, sum(errors)::BIGINT FROM flips "
        "JOIN groups USING (key) JOIN sets USING (set) JOIN named_labels b ON b.labels = before "
        "JOIN named_labels a ON a.labels = after"
    ):
        answers[tuple(names), tuple(of_groups)][_led_to(before, after)] += errors
    explained = {
        (tuple(names), tuple(of_groups)): errors
        for names, of_groups, errors in tally.sums(
            "SELECT attributes, groups, sum(errors)::BIGINT FROM explained "
            "JOIN groups USING (key) JOIN sets USING (set)"
        )
    }
    every, of_hidden = _tested(errors_of), _tested(hidden_of)
    return [
        GroupRate(
            *key,
            test.rate,
            errors_of[key].total(),
            test.mean,
            (test.rate.share or 0.0) > test.mean,
            test.p_value,
            tuple(answers[key].most_common()),
            hidden=hidden.rate,
            hidden_p_value=hidden.p_value,
            explained=explained.get(key, 0),
            raw_p_value=test.raw_p_value,
            hidden_raw_p_value=hidden.raw_p_value,
            tested=len(every),
            effective=tested_number(errors_of[key]),
            hidden_mean=hidden.mean,
        )
        for key, test in every.items()
        for hidden in [of_hidden.get(key, _NOT_HIDDEN)]
    ]


_Key = tuple[Attributes, Groups]
_ByGroups = dict[_Key, Counter[tuple[int, ...]]]  # how many texts have so many hits and cases


class _Test(NamedTuple):
    """The test of a rate against a mean, before and after it is adjusted for all groups."""

    rate: Any
    mean: Any
    raw_p_value: Any
    p_value: Any


_NOT_HIDDEN = _Test(None, None, None, None)  # a change of one attribute


def _tested(tallied: _ByGroups) -> dict[_Key, _Test]:
    """Test the rate of each group against the mean of its attributes."""
    tested = {}
    real = sorted(key for key in tallied if not is_placebo(key[0]))
    by_attributes = gathered(real, lambda key: key[0])
    for attributes in ordered(by_attributes):
        rates = {key: cluster_rate(tallied[key]) for key in by_attributes[attributes]}
        mean = fmean(rate.share or 0.0 for rate in rates.values())
        for key, rate in rates.items():
            texts = tallied[key]
            p = one_sided_test(texts, mean) if texts.total() >= FEWEST_TEXTS else 1.0
            tested[key] = (rate, mean, p)
    p_values = benjamini_hochberg([p for *_, p in tested.values()])
    return {key: _Test(*test, p) for (key, test), p in zip(tested.items(), p_values, strict=True)}


def groups_sections(rates: Iterable[GroupRate]) -> Iterable[Section]:
    """Report the groups by attributes, and every group."""
    rates = list(rates)
    rows: Rows = []
    sentences = []
    for attributes, groups in gathered(rates, lambda g: g.attributes).items():
        above = [g for g in groups if g.above]
        sure = _significant(groups)
        names = ", ".join(joined(g.groups) for g in sure[:12])
        strict = _hidden(groups)
        hidden = ", ".join(joined(g.groups) for g in strict[:12])
        rows.append(
            [joined(attributes), Estimate(groups[0].mean), Counted(Rate(len(above), len(groups))),
             Counted(Rate(len(sure), len(groups))), names or None,
             (hidden or None) if len(attributes) > 1 else ""]
        )  # fmt: skip
        sentences.append(
            f"{joined(attributes)}: {len(above)} of {len(groups)} groups lie above their mean of "
            f"{share_in_words(groups[0].mean)}, {len(sure)} of them significantly."
        )
        if strict:
            sentences.append(
                f"{joined(attributes)}: hidden bias, which no part explains, is significantly "
                f"more frequent than the mean in {len(strict)}: {hidden}."
            )
    direction = (
        "An error counts for the group that a text was changed to, whichever way the answer flips, "
        "so a high rate may mean that the model treats the group of the original text worse."
    )
    note = (
        "Above the mean is the published criterion (GAB for one attribute, GIB for several). "
        f"Significant: p below {ALPHA} in a one-sided test against the mean, adjusted for all "
        "groups (Benjamini and Hochberg) and for the similarity of mutants of one text (Rao and "
        f"Scott). A group with fewer than {FEWEST_TEXTS} texts has p = 1. Hidden bias is tested "
        "likewise."
    )
    columns = ["Attributes", "Mean", "Above it", "Significant", "Significant groups",
               "Significant, hidden"]  # fmt: skip
    yield Section("groups", "Groups", [direction, note], columns, rows, in_words=sentences)
    every: Rows = [
        [joined(g.attributes), joined(g.groups), g.errors.hits, g.errors.of, g.texts, g.errors,
         "yes" if g.above else "no", PValue(g.p_value), g.hidden.hits if g.hidden else "",
         "" if g.hidden_p_value is None else PValue(g.hidden_p_value), g.to]
        for g in rates
    ]  # fmt: skip
    columns = ["Attributes", "Changed to", "Errors", "Cases", "Texts", "Error rate",
               "Above", "Adjusted p", "Hidden", "Adjusted p, hidden", "Most often to"]  # fmt: skip
    yield Section("every-group", "Every group", [], columns, every)


def _significant(groups: Iterable[GroupRate]) -> list[GroupRate]:
    """Return the groups that lie significantly above their mean, the clearest first."""
    return sorted((g for g in groups if g.above and g.p_value < ALPHA), key=lambda g: g.p_value)


def _hidden(groups: Iterable[GroupRate]) -> list[GroupRate]:
    """Return the groups with significantly more hidden mutants than their mean, clearest first."""
    tested = ((g.hidden_p_value, g) for g in groups if g.hidden_p_value is not None)
    return [g for p, g in sorted(tested, key=lambda pair: pair[0]) if p < ALPHA]


def found_groups(groups: Iterable[GroupRate]) -> tuple[list[GroupRate], list[GroupRate]]:
    """Return groups with significantly more hidden bias than their mean, and with more errors.

    The latter are groups of several attributes that no part explains, if there are any, and have
    not more hidden bias; the clearest are first.
    """
    groups = list(groups)
    hidden = _hidden(groups)
    sure = [g for g in _significant(groups) if not g.by_parts]
    sure = [g for g in sure if len(g.attributes) > 1] or sure
    return hidden, [g for g in sure if g not in hidden]


def significant_in_words(groups: Iterable[GroupRate]) -> str:
    """Name the groups of :func:`found_groups`, and those that a part explains; or ""."""
    groups = list(groups)
    hidden, others = found_groups(groups)
    errors = [(g, g.errors, f"{ARROW * bool(g.to)}{g.to}") for g in others]
    said = (
        _named([(g, g.hidden, "") for g in hidden], "show significantly more hidden bias"),
        _named(errors, "cause significantly more errors"),
        _explained([g for g in _significant(groups) if g.by_parts and g not in hidden]),
    )
    return " ".join(filter(None, said))


def _explained(groups: Sequence[GroupRate]) -> str:
    each = [f"{joined(g.groups)} ({g.errors.hits:,}/{g.errors.of:,})" for g in groups]
    return (
        f"Changes to {first_names(each, _NAMED)} cause significantly more errors because one of "
        "these changes alone does."
        if each
        else ""
    )


class Beyond(NamedTuple):
    """A group that lies far above the mean of all groups, and how far."""

    group: GroupRate
    in_words: str


def found_beyond(
    groups: Iterable[GroupRate], share: float, *, alone: bool = False
) -> Beyond | None:
    """Return a group of several attributes that lies above the others by more than a share.

    It is significant after correction, and so far is the lower end of its interval from the mean.
    No part explains it, unless ``alone``: groups of one attribute count then, too. A model that
    reacts to a few words, whatever their groups, has such groups.
    """
    groups = list(groups)
    hidden, others = found_groups(groups)
    rates = [(g, g.hidden, g.hidden_mean, "hidden bias") for g in hidden]
    chosen = _significant(groups) if alone else [g for g in others if len(g.attributes) > 1]
    rates += [(g, g.errors, g.mean, "errors") for g in chosen]
    for group, rate, mean, what in rates:
        if rate and rate.low is not None and mean is not None and rate.low - mean > share:
            return Beyond(
                group,
                f"{what} in {rate_in_words(rate)} changes to {joined(group.groups)}, while the "
                f"mean of all groups is {share_in_words(mean)}: more than {100 * share:g} points "
                "above it.",
            )
    return None


def _named(groups: Sequence[tuple[GroupRate, Rate | None, str]], what: str) -> str:
    """Name the first groups with a rate and an answer, and the fewest texts of one."""
    if not groups:
        return ""
    first = groups[:_NAMED]
    each = [
        f"{joined(g.groups)} ({share_in_words(rate.share if rate else None)}{to})"
        for g, rate, to in groups
    ]
    texts = f"{min(g.texts for g, *_ in first):,} texts"
    texts = f"at least {texts} each" if len(first) > 1 else texts
    return f"Changes to {first_names(each, _NAMED)} {what} than the mean of all groups ({texts})."


@dataclass(frozen=True)
class AnswerChange:
    """Errors that lead from one answer to another, by the number of changed attributes."""

    before: str
    after: str
    intersectional: int
    hidden: int
    atomic: int


def answer_changes(tally: ModelCounts) -> list[AnswerChange]:
    """Return from which answer to which the errors lead, the most frequent changes first.

    Of models that give labels: coreference links and words for a mask differ in every text.
    """
    if tally.noted.get("task") in (MASKED, COREFERENCE):
        return []
    sums: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for names, before, after, errors, hidden in tally.sums(
        "SELECT attributes, b.names, a.names, sum(errors)::BIGINT, sum(hidden)::BIGINT FROM flips "
        "JOIN groups USING (key) JOIN sets USING (set) JOIN named_labels b ON b.labels = before "
        "JOIN named_labels a ON a.labels = after"
    ):
        if not is_placebo(tuple(names)):
            counted = sums[answer_in_words(before), _led_to(before, after)]
            counted["intersectional" if len(names) > 1 else "atomic"] += errors
            counted["hidden"] += hidden
    changes = [
        AnswerChange(*answers, n["intersectional"], n["hidden"], n["atomic"])
        for answers, n in sums.items()
    ]
    return sorted(changes, key=lambda c: (-c.intersectional, -c.atomic, c.before, c.after))


def _led_to(before: Sequence[str], after: Sequence[str]) -> str:
    """Name the answer that an error leads to; where the label stays, its probability moved."""
    return f"{'still ' if before == after else ''}{answer_in_words(after)}"


def answers_in_words(changes: Sequence[AnswerChange]) -> str:
    """Say from which answer to which the errors of intersectional, else atomic mutants lead."""
    of, numbers = "", [(c, c.intersectional) for c in changes if c.intersectional]
    if not numbers:
        of, numbers = ", single changes", [(c, c.atomic) for c in changes if c.atomic]
    each = [f"{c.before}{ARROW}{c.after} {n:,}" for c, n in numbers]
    return f"From answer to answer{of}: {first_names(each, _NAMED)}." if numbers else ""


def answers_section(changes: Sequence[AnswerChange]) -> Section:
    """Report the changes of answers in a table."""
    words = ["An error alone does not say whom it favours. These are the answers before and after."]
    if len(changes) > _CHANGES:
        words.append(f"The {_CHANGES} most frequent of {len(changes):,} changes are listed.")
    columns = ["From answer", "To answer", "Intersectional errors", "Hidden errors",
               "Atomic errors"]  # fmt: skip
    rows: Rows = [
        [c.before, c.after, c.intersectional, c.hidden, c.atomic] for c in changes[:_CHANGES]
    ]
    said = list(filter(None, [answers_in_words(changes)]))
    return Section("answers", "Answers before and after", words, columns, rows, in_words=said)


GROUPS = metric("groups", 150, group_rates, groups_sections)
metric("answers", 5, answer_changes, answers_section)
