"""Word pairs, and pairs of groups, whose single change alters most answers."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from hinter_core.campaign.tables import is_placebo
from hinter_core.language.spelling import by_attribute
from hinter_core.report.counts import ModelCounts
from hinter_core.report.metric import metric
from hinter_core.report.section import ARROW, Rows, Section
from hinter_core.statistics.clustered import cluster_rate
from hinter_core.statistics.format import rate_in_words
from hinter_core.statistics.rates import Rate

_MOST = 25  # listed
WORDS = ("source", "target")


@dataclass(frozen=True)
class WordEffect:
    """Error rate of atomic mutants that change one word, or a word of one group, to another."""

    attribute: str
    source: str
    target: str
    errors: Rate


def word_effects(source: str, target: str, tally: ModelCounts) -> list[WordEffect]:
    """Sort changes by the lower end of their intervals, so that one case of one does not lead.

    ``source`` and ``target``: fields of a word pair by which changes are told apart.
    """
    kind = "word" if (source, target) == WORDS else "direction"
    texts: dict[int, Counter[tuple[int, ...]]] = defaultdict(Counter)
    for change, errors, cases, number in tally.sums(
        "SELECT change, errors, cases, sum(texts)::BIGINT FROM changes SEMI JOIN (SELECT "
        f"{kind} AS change FROM swaps) USING (change)"
    ):
        texts[change][errors, cases] += number
    uses = tally.sums(f"SELECT edit, {kind}, sum(cases)::BIGINT FROM words JOIN swaps USING (swap)")
    words = ((e["attribute"], e[name], of) for e, _, of in uses for name in WORDS)
    spelled = by_attribute(words) if kind == "word" else {}
    named: dict[int, tuple[str, str, str]] = {}
    for edit, change, _ in uses:
        attribute, old, new = edit["attribute"], edit[source], edit[target]
        if not is_placebo((attribute,)) and any(errors for errors, _ in texts[change]):
            old, new = (spelled.get((attribute, word), (word,))[0] for word in (old, new))
            named[change] = (attribute, old, new)
    effects = [WordEffect(*name, cluster_rate(texts[change])) for change, name in named.items()]
    effects.sort(
        key=lambda e: (-(e.errors.low or 0), -e.errors.hits, e.attribute, e.source, e.target)
    )
    return effects[:_MOST]


def words_section(key: str, title: str, effects: Sequence[WordEffect]) -> Section:
    """Report the changes with the highest rates."""
    rows: Rows = [
        [t.attribute, t.source + ARROW + t.target, t.errors.hits, t.errors.of, t.errors]
        for t in effects
    ]  # fmt: skip
    change = "Changed groups" if key == "directions" else "Change"
    columns = ["Attribute", change, "Errors", "Cases", "Error rate"]
    return Section(key, title, list(map(_in_words, effects[:1])), columns, rows)


def _in_words(first: WordEffect) -> str:
    return (
        f"{first.source}{ARROW}{first.target}, alone, changed the answer in "
        f"{rate_in_words(first.errors)} cases. Listed by the lower end of the interval."
    )


for _place, _name, _what, _fields in (
    (170, "words", "Word", WORDS),
    (180, "directions", "Group", ("source_group", "target_group")),
):
    _title = f"{_what} pairs with the highest error rates"
    metric(_name, _place, partial(word_effects, *_fields), partial(words_section, _name, _title))
