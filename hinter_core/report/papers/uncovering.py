"""Bias-uncovering test cases of templates: pairs of mutants with different answers.

Source: BiasFinder, Table 4. A pair is two mutants of one template that differ in class; it is a
bias-uncovering test case if their answers differ. The text with the base values and the names of
its class count as mutants of the base class, except where the class is no country: the paper has
one name of each country (section 5.2), and names of none would make most of the pairs. Beside it
stands what the paper does not give: pairs within a class, whose answers differ for a name alone.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from hinter_core.generators.templates.filling import SAME_CLASS, UNSTATED
from hinter_core.generators.templates.template import ATTRIBUTES, COUNTRY, GENDER, OCCUPATION
from hinter_core.report.counts import ModelCounts
from hinter_core.report.metric import metric
from hinter_core.report.section import Counted, Rows, Section
from hinter_core.statistics.clustered import cluster_rate
from hinter_core.statistics.format import percent, rate_in_words
from hinter_core.statistics.rates import Rate

# The class of a mutant; of occupations, each is one.
_CLASS = f"CASE WHEN e.attribute = '{OCCUPATION}' THEN e.{{0}} ELSE e.{{0}}_group END"
_ANSWER = "array_to_string(list_sort(labels), chr(31))"


@dataclass(frozen=True)
class UncoveringCases:
    """Pairs of mutants of one attribute.

    ``templates``: with an answered mutant; ``mutants``: answered ones, the base included if it is
    of a class.
    ``cases``: bias-uncovering test cases, of pairs of different classes; ``same``: pairs with
    different answers, of those of one class. ``sources``: templates with a bias-uncovering test
    case.
    """

    attribute: str
    templates: int
    mutants: int
    cases: Rate
    same: Rate
    sources: Rate


def uncovering_cases(tally: ModelCounts) -> list[UncoveringCases]:
    """Count the pairs of a campaign of templates, by attribute; none for other campaigns."""
    if tally.reader.store.campaign().source.kind != "templates":
        return []
    by_attribute: dict[str, dict[int, list[tuple[str, str, int]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for row, attribute, word_class, answer, number in _answers(tally):
        by_attribute[attribute][row].append((word_class, answer, number))
    return [
        _of(name, list(by_attribute[name].values())) for name in ATTRIBUTES if name in by_attribute
    ]


def _answers(tally: ModelCounts) -> list[tuple[int, str, str, str, int]]:
    """Return numbers of answers by template, attribute, class and answer."""
    tables = tally.tables
    both = ", ".join(f"'{name}'" for name in (GENDER, COUNTRY))
    names = ", ".join(f"'{name}'" for name in (*ATTRIBUTES, SAME_CLASS))
    tally.reader.run(
        "CREATE OR REPLACE TEMP TABLE single AS SELECT m.row, edits[1] AS e, labels FROM "
        f"{tables.judged} WHERE n_edits = 1 "
        f"AND kept AND failure IS NULL AND edits[1].attribute IN ({names})"
    )
    tally.reader.run(
        f"CREATE OR REPLACE TEMP TABLE base AS SELECT DISTINCT row, e.attribute AS attribute, "
        f"{_CLASS.format('source')} AS class FROM single WHERE e.attribute <> '{SAME_CLASS}'"
    )
    return tally.reader.run(
        "SELECT row, attribute, class, answer, count(*) FROM ("
        f"SELECT row, e.attribute AS attribute, {_CLASS.format('target')} AS class, {_ANSWER} AS "
        f"answer FROM single WHERE e.attribute <> '{SAME_CLASS}' UNION ALL "
        f"SELECT row, attribute, class, {_ANSWER} FROM base JOIN ({tables.originals}) USING (row) "
        "WHERE failure IS NULL UNION ALL "
        f"SELECT b.row, attribute, class, {_ANSWER} FROM base b JOIN single s ON s.row = b.row "
        f"AND s.e.attribute = '{SAME_CLASS}' WHERE attribute IN ({both})) GROUP BY ALL"
    )


def _of(attribute: str, templates: Sequence[Sequence[tuple[str, str, int]]]) -> UncoveringCases:
    stated = [[one for one in template if one[0] != UNSTATED] for template in templates]
    across = [_pairs(template)[:2] for template in stated]
    within = [_pairs(template)[2:] for template in templates]
    uncovered = sum(different > 0 for different, _ in across)
    return UncoveringCases(
        attribute,
        len(templates),
        sum(number for template in stated for *_, number in template),
        cluster_rate(across),
        cluster_rate(within),
        Rate(uncovered, len(templates)),
    )


def _pairs(counted: Sequence[tuple[str, str, int]]) -> tuple[int, int, int, int]:
    """Count pairs across classes that differ, all of them; and the same within classes."""
    classes, answers = Counter[str](), Counter[str]()
    for word_class, answer, number in counted:
        classes[word_class] += number
        answers[answer] += number
    total = classes.total()
    within = sum(n * n for n in classes.values())
    alike = sum(n * n for n in answers.values())
    both = sum(number * number for *_, number in counted)
    across = (total * total - within) // 2
    return across - (alike - both) // 2, across, (within - both) // 2, (within - total) // 2


def names_in_words(by_attribute: Sequence[UncoveringCases]) -> str:
    """Say what a change of gender and country rests on; "" without both."""
    found = {one.attribute: one for one in by_attribute}
    if not found.keys() >= {GENDER, COUNTRY} or not (alone := found[GENDER].same).of:
        return ""
    return (
        "gender and country together take a name that neither change alone has, so a hidden error "
        f"may be of this name. {percent(alone)} of pairs that differ in a name alone have "
        "different answers."
    )


def uncovering_section(by_attribute: Sequence[UncoveringCases]) -> Section:
    """Report the pairs by attribute, in the shape of the paper's Table 4."""
    sentences = [
        f"{one.attribute}: {one.templates:,} templates, {one.mutants:,} mutants; "
        f"{rate_in_words(one.cases)} pairs of different classes have different answers, from "
        f"{one.sources.hits:,} templates."
        + f" Of pairs of one class, {rate_in_words(one.same)} do: for another name alone."
        * bool(one.same.of)
        for one in by_attribute
    ]
    rows: Rows = [
        [one.attribute, one.templates, one.mutants, one.cases.hits, one.cases, Counted(one.sources),
         one.same if one.same.of else ""]
        for one in by_attribute
    ]  # fmt: skip
    if len(by_attribute) > 1:
        cases = sum(one.cases.hits for one in by_attribute)
        rows.append(["total", sum(one.templates for one in by_attribute),
                     sum(one.mutants for one in by_attribute), cases, "", "", ""])  # fmt: skip
    columns = ["Class of bias", "Templates", "Mutants", "Uncovering cases", "Of pairs",
               "Templates with one", "Pairs of one class"]  # fmt: skip
    return Section("uncovering", "Bias-uncovering test cases", [], columns, rows, "", sentences)


metric("uncovering", 30, uncovering_cases, uncovering_section)
