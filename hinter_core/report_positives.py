"""What the invariant spares a tester, and what testing one attribute at a time misses.

Source: HInter, RQ3.1 and RQ3.2 (Figures 7 and 8: kept and discarded mutants, true and false
positives) and RQ4.1 (Figure 10: bias-inducing mutants of one kind beside the other).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from hinter_core.statistics import Rate, clustered
from hinter_core.tally import Counted, Tally, by_source
from hinter_core.tally_columns import Attributes
from hinter_core.types import Verdict


@dataclass(frozen=True)
class Positives:
    """Errors of some mutants with and without the invariant.

    ``kept`` and ``discarded``: numbers of mutants (Figure 7). ``true``: changed answers of kept and
    answered mutants, true positives; ``false``: of discarded mutants that were asked and answered,
    false positives (metric 7). ``fake``: false positives of all errors that a test without the
    invariant reports (Figure 8). ``without``: the error rate that such a test would give.

    With the invariant, discarded mutants are no errors, so the paper's *true* and *false* are by
    definition of the invariant and not by a person's judgement.
    """

    name: str
    attributes: Attributes
    kept: int
    discarded: int
    true: Rate
    false: Rate
    fake: Rate
    without: Rate

    @property
    def asked(self) -> bool:
        """Whether any discarded mutant was put to the model and answered."""
        return self.false.of > 0


@dataclass(frozen=True)
class Pie:
    """Errors of one kind by what the other kind shows (Figure 10).

    ``kind``: ``intersectional`` (by what each attribute alone does) or ``atomic`` (by what the
    mutants do that hold this change and others). The paper has two slices; a third one here holds
    those whose counterparts have no verdict, so that they are not taken for missed.
    """

    name: str
    kind: str
    attributes: Attributes
    slices: dict[str, int]


def positives(
    name: str, attributes: Attributes, parts: Sequence[Attributes], tally: Tally
) -> Positives:
    """The errors of mutants of some sets of attributes together."""
    verdicts: Counter[str] = Counter()
    for part in parts:
        verdicts.update(tally.verdicts[part])
    discarded = verdicts[Verdict.DISCARDED.value]
    true, false = by_source(parts, tally.sources), by_source(parts, tally.fakes)
    none = Counted()
    both = [(true.get(row, none), false.get(row, none)) for row in sorted({*true, *false})]
    asked = bool(false)
    return Positives(
        name,
        attributes,
        verdicts.total() - discarded,
        discarded,
        clustered((t.errors, t.cases) for t in true.values()),
        clustered((f.errors, f.cases) for f in false.values()),
        clustered((f.errors, f.errors + t.errors) for t, f in both) if asked else Rate(0, 0),
        clustered((f.errors + t.errors, f.cases + t.cases) for t, f in both)
        if asked
        else Rate(0, 0),
    )


def pies(named: Sequence[tuple[str, Attributes]], tally: Tally) -> list[Pie]:
    """Both pies of all, then one for each set of attributes that has an error."""
    wholes: Counter[str] = Counter()
    atoms: Counter[str] = Counter()
    found = []
    for name, attributes in named:
        alone = len(attributes) == 1
        slices = (tally.parts.atoms if alone else tally.parts.wholes).get(attributes, Counter())
        (atoms if alone else wholes).update(slices)
        if slices:
            kind = "atomic" if alone else "intersectional"
            found.append(Pie(name, kind, attributes, dict(slices)))
    sums = (("intersectional", wholes), ("atomic", atoms))
    return [*(Pie(kind, kind, (), dict(slices)) for kind, slices in sums if slices), *found]
