"""Two models, or two versions of one, on the same mutants: what is better, what is worse.

Where both sides have answers to the same mutants, these alone are compared, so that no difference
of data or settings is taken for one of models. Where they share none, their rates stand side by
side as those of different texts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hinter_core.campaign.pairing import Side, mutants_of, paired
from hinter_core.campaign.reader import VERDICTS, Attributes, Codebook, blocks, distinct, is_placebo
from hinter_core.campaign.store import read_table
from hinter_core.errors import InputError
from hinter_core.report.aggregate import are_cases, codes_of, count
from hinter_core.report.section import Section, joined, ordered
from hinter_core.report.sections import example_row
from hinter_core.statistics.format import (
    difference_in_words,
    p_in_words,
    percent,
    points,
    rate_in_words,
)
from hinter_core.statistics.rates import (
    Difference,
    Rate,
    cluster_rate,
    mcnemar,
    paired_difference,
    two_sample_difference,
)
from hinter_core.types import Verdict

if TYPE_CHECKING:
    import numpy


FIXED, NEW = "fixed", "newly biased"
_EXAMPLES = 12  # of either kind
_HIDDEN = 2  # place in VERDICTS

Told = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Contrast:
    """One set of attributes on both sides; a difference is the second rate minus the first.

    ``errors``: of cases. ``hidden``: of cases too, not of errors, so that both sides divide by the
    same number; None for atomic mutants. The counts and tests of disagreement are None where the
    sides share no mutant: ``fixed`` mutants are errors of the first side only, ``broken`` of the
    second only (exact McNemar test, which takes mutants for independent; the intervals do not).
    ``texts_fixed`` and ``texts_broken``: texts with an error on one side only.
    """

    name: str
    attributes: Attributes
    errors: tuple[Rate, Rate]
    difference: Difference
    hidden: tuple[Rate, Rate] | None
    hidden_difference: Difference | None
    fixed: int | None = None
    broken: int | None = None
    p_value: float | None = None
    texts_fixed: int | None = None
    texts_broken: int | None = None
    texts_p_value: float | None = None


@dataclass(frozen=True)
class Comparison:
    """Two sides compared, each by a name that tells them apart, and by its model.

    ``paired``: whether they share mutants. ``shared``: mutants that both have, of ``mutants`` of
    either; ``cases``: those kept and answered on both sides. ``verdicts``: by first and second
    verdict, shared mutants without placebo. ``changes``: some mutants of each kind of change.
    """

    first: str
    second: str
    models: tuple[str, str]
    paired: bool
    shared: int
    mutants: tuple[int, int]
    cases: int
    lines: list[Contrast]
    verdicts: dict[tuple[str, str], int]
    changes: list[dict[str, Any]]


@dataclass
class _Sums:
    """Sums over shared mutants; a text's numbers: cases, errors and hidden of either side."""

    book: Codebook = field(default_factory=Codebook)
    texts: dict[Attributes, dict[int, numpy.ndarray]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    flips: dict[Attributes, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    verdicts: Counter[tuple[str, str]] = field(default_factory=Counter)
    shared: int = 0
    changes: list[dict[str, Any]] = field(default_factory=list)
    _shown: set[tuple[str, int, Attributes]] = field(default_factory=set)

    def add(self, piece: Any, told: Told) -> None:
        """Add shared mutants; ``told`` is given each that changed."""
        import numpy

        first, second = codes_of(piece["verdict-0"]), codes_of(piece["verdict-1"])
        self.shared += int(((first >= 0) & (second >= 0)).sum())
        both = are_cases(first) & are_cases(second)
        errors = numpy.stack([both & (first > 0), both & (second > 0)])
        for block in blocks(piece, self.book):
            at = block.at
            numbers = numpy.stack(
                [both, *errors, both & (first == _HIDDEN), both & (second == _HIDDEN)], axis=1
            )[at]
            self._count(block.sets, block.rows, block.set_names, numbers)
            real = numpy.array([not is_placebo(name) for name in block.set_names])[block.sets]
            self._cross(first[at][real], second[at][real])
        self._change(piece, errors, told)

    def _count(
        self,
        sets: numpy.ndarray,
        rows: numpy.ndarray,
        names: Sequence[Attributes],
        numbers: numpy.ndarray,
    ) -> None:
        import numpy

        codes, lines = distinct(numpy.stack([sets, rows], axis=1))
        sums = numpy.zeros((len(lines), numbers.shape[1]), dtype=numpy.int64)
        numpy.add.at(sums, codes, numbers)
        for (number, row), own in zip(lines.tolist(), sums, strict=True):
            held = self.texts[names[number]]
            held[row] = held[row] + own if row in held else own
        for number, name in enumerate(names):
            own = numbers[sets == number]
            self.flips[name][FIXED] += int((own[:, 1] & ~own[:, 2]).sum())
            self.flips[name][NEW] += int((own[:, 2] & ~own[:, 1]).sum())

    def _cross(self, first: numpy.ndarray, second: numpy.ndarray) -> None:
        import numpy

        known = (first >= 0) & (second >= 0)
        codes, counts = numpy.unique(
            first[known] * len(VERDICTS) + second[known], return_counts=True
        )
        for code, many in zip(codes.tolist(), counts.tolist(), strict=True):
            a, b = divmod(code, len(VERDICTS))
            self.verdicts[VERDICTS[a].value, VERDICTS[b].value] += many

    def _change(self, piece: Any, errors: numpy.ndarray, told: Told) -> None:
        import numpy

        for at in numpy.flatnonzero(errors[0] != errors[1]).tolist():
            edits = piece["edits"][at].as_py()
            attributes = tuple(edit["attribute"] for edit in edits)
            if is_placebo(attributes):
                continue
            change = {
                "change": FIXED if errors[0][at] else NEW,
                "attributes": attributes,
                "edits": edits,
                "mutant": piece["text"][at].as_py(),
                "shard": piece["shard"][at].as_py(),
                "row": piece["row"][at].as_py(),
                "shard-1": piece["shard-1"][at].as_py(),
                "row-1": piece["row-1"][at].as_py(),
                "verdicts": [piece[f"verdict-{place}"][at].as_py() for place in (0, 1)],
                "labels": [piece[f"labels-{place}"][at].as_py() for place in (0, 1)],
            }
            told(change)
            key = (change["change"], change["row"], attributes)
            many = sum(other["change"] == change["change"] for other in self.changes)
            if many < _EXAMPLES and key not in self._shown:
                self._shown.add(key)
                self.changes.append(change)


def compare(first: Side, second: Side, told: Told = lambda _: None) -> Comparison:
    """Compare two sides; ``told`` is given every mutant that changed, one after another.

    Raises:
        InputError: they have nothing in common.
        StoreError: a table that cannot be read, or tables that do not fit together.
    """
    if first.place == second.place:
        raise InputError("That is the same model of the same campaign twice; name another.")
    sums = _Sums()
    for piece in paired(first, second):
        sums.add(piece, told)
    mutants = (mutants_of(first.store), mutants_of(second.store))
    cases = sum(int(numbers[0]) for texts in sums.texts.values() for numbers in texts.values())
    names = (*_names(first, second), (first.model, second.model))
    if not cases:
        lines = _apart(first, second)
        return Comparison(*names, False, 0, mutants, 0, lines, {}, [])
    for change in sums.changes:
        _complete(change, first, second)
    verdicts, lines = dict(sums.verdicts), _lines(sums)
    return Comparison(*names, True, sums.shared, mutants, cases, lines, verdicts, sums.changes)


def _names(first: Side, second: Side) -> tuple[str, str]:
    if first.model != second.model:
        return first.model, second.model
    folders = [side.store.folder.resolve() for side in (first, second)]
    same = folders[0].name == folders[1].name
    told = [str(f) if same else f.name for f in folders]
    return f"{first.model} in {told[0]}", f"{second.model} in {told[1]}"


def _sets(every: Iterable[Attributes]) -> list[tuple[str, Attributes, list[Attributes]]]:
    """Lines by name: each set of attributes, their sums, placebo by order."""
    known = ordered(every)
    real = [a for a in known if not is_placebo(a)]
    pure = [a for a in known if all(is_placebo((attribute,)) for attribute in a)]
    found = [(joined(a), a, [a]) for a in real]
    found.append(("atomic", (), [a for a in real if len(a) == 1]))
    found.append(("intersectional", (), [a for a in real if len(a) > 1]))
    found += [
        (f"placebo, order {order}", (), [a for a in pure if len(a) == order])
        for order in sorted({len(a) for a in pure})
    ]
    return [line for line in found if line[2]]


def _lines(sums: _Sums) -> list[Contrast]:
    lines = []
    for name, attributes, parts in _sets(sums.texts):
        texts: dict[int, Any] = {}
        for part in parts:
            for row, own in sums.texts[part].items():
                texts[row] = texts[row] + own if row in texts else own
        numbers = [tuple(own.tolist()) for own in texts.values() if own[0]]
        if not numbers:
            continue
        flips = {kind: sum(sums.flips[part][kind] for part in parts) for kind in (FIXED, NEW)}
        atomic = all(len(part) == 1 for part in parts)
        lines.append(_line(name, attributes, numbers, flips, atomic=atomic))
    return lines


def _line(
    name: str,
    attributes: Attributes,
    numbers: Sequence[tuple[int, ...]],
    flips: Mapping[str, int],
    *,
    atomic: bool,
) -> Contrast:
    fixed = sum(a > 0 and not b for _, a, b, _, _ in numbers)
    broken = sum(b > 0 and not a for _, a, b, _, _ in numbers)
    errors, difference = _both(numbers, 1)
    hidden, hidden_difference = (None, None) if atomic else _both(numbers, 3)
    return Contrast(
        name, attributes, errors, difference, hidden, hidden_difference,
        flips[FIXED], flips[NEW], mcnemar(flips[FIXED], flips[NEW]),
        fixed, broken, mcnemar(fixed, broken),
    )  # fmt: skip


def _both(numbers: Sequence[tuple[int, ...]], place: int) -> tuple[tuple[Rate, Rate], Difference]:
    rates = tuple(cluster_rate((own[place + i], own[0]) for own in numbers) for i in (0, 1))
    # The same texts are drawn anew for both sides at once.
    found = paired_difference((own[place + 1], own[0], own[place], own[0]) for own in numbers)
    return (rates[0], rates[1]), found


def _apart(first: Side, second: Side) -> list[Contrast]:
    """Rates of different mutants, by the attributes that both sides changed."""
    tallies = [count(side.store).models.get(side.model) for side in (first, second)]
    of = [tally.sources if tally else {} for tally in tallies]
    lines = []
    for name, attributes, parts in _sets(of[0].keys() & of[1].keys()):
        sources = [_summed(parts, by) for by in of]
        errors = [[(e, n) for e, n, _ in side] for side in sources]
        hidden = [[(h, n) for _, n, h in side] for side in sources]
        atomic = all(len(part) == 1 for part in parts)
        lines.append(
            Contrast(
                name,
                attributes,
                (cluster_rate(errors[0]), cluster_rate(errors[1])),
                two_sample_difference(errors[1], errors[0]),
                None if atomic else (cluster_rate(hidden[0]), cluster_rate(hidden[1])),
                None if atomic else two_sample_difference(hidden[1], hidden[0]),
            )
        )
    if not lines:
        raise InputError(
            "These two have nothing to compare: no mutant is in both with an answer, and no "
            "attributes were changed in both. Run both on the same data or with the same "
            "attributes."
        )
    return lines


def _summed(
    parts: Sequence[Attributes], by: Mapping[Attributes, Mapping[int, Any]]
) -> list[tuple[int, int, int]]:
    sources: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
    for part in parts:
        for row, c in by[part].items():
            own = sources[row]
            own[0], own[1], own[2] = own[0] + c.errors, own[1] + c.cases, own[2] + c.hidden
    return [(e, n, h) for e, n, h in sources.values()]


def _complete(change: dict[str, Any], first: Side, second: Side) -> None:
    """Add the text, its id and what either side says of it unchanged."""
    import pyarrow.compute as pc

    texts = read_table(first.store.texts(change["shard"]))
    (text,) = texts.filter(pc.equal(texts["row"], change["row"])).to_pylist()
    originals = []
    for side, shard, row in (
        (first, change["shard"], change["row"]),
        (second, change["shard-1"], change["row-1"]),
    ):
        answers = read_table(side.store.answers(shard, side.identity), "row", "mutant", "labels")
        wanted = pc.and_(pc.equal(answers["row"], row), pc.equal(answers["mutant"], -1))
        originals.append(answers.filter(wanted)["labels"][0].as_py())
    change |= {"id": text["id"], "text": text["text"], "originals": originals}


_DASH = "\u2013"
_WHAT = {
    FIXED: "Errors of the first that the second does not make.",
    NEW: "Errors of the second that the first does not make.",
}


def comparison_sections(found: Comparison) -> list[Section]:
    """All sections, in the order in which they are read."""
    sections = [_overview(found), _main(found)]
    if found.paired:
        sections.append(_verdicts(found))
    for kind in (FIXED, NEW):
        rows = [change for change in found.changes if change["change"] == kind]
        if rows:
            sections.append(_changes(kind, rows))
    return sections


def _overview(found: Comparison) -> Section:
    sentences = [f"First: {found.first}. Second: {found.second}."]
    if found.paired:
        sentences.append(
            f"Both have {found.shared:,} mutants in common, of {found.mutants[0]:,} of the first "
            f"and {found.mutants[1]:,} of the second; {found.cases:,} of these were kept and "
            "answered on both sides. Only these are compared."
        )
    else:
        sentences.append(
            "No mutant is in both with an answer, so rates of different texts stand side by side; "
            "a difference may come from the texts as well as from the models."
        )
    both = {line.name: line for line in found.lines}
    sentences += [contrast_in_words(both[n]) for n in ("intersectional", "atomic") if n in both]
    return Section("overview", "Comparison", sentences)


def contrast_in_words(line: Contrast) -> str:
    """What one line shows, in sentences."""
    first, second = line.errors
    words = (
        f"{line.name}: {rate_in_words(first)} changed the first's answer and "
        f"{rate_in_words(second)} the "
        f"second's: {_second_is(line.difference)}."
    )
    if line.fixed is not None and line.p_value is not None and line.texts_p_value is not None:
        words += (
            f" {line.fixed:,} mutants are fixed and {line.broken:,} newly biased (exact McNemar "
            f"test, p {p_in_words(line.p_value)}); by texts, {line.texts_fixed:,} are rid of every "
            f"error and {line.texts_broken:,} have one where they had none "
            f"(p {p_in_words(line.texts_p_value)})."
        )
    if line.hidden and line.hidden_difference:
        words += (
            f" Hidden are {rate_in_words(line.hidden[0])} and "
            f"{rate_in_words(line.hidden[1])} of cases: "
            f"{_second_is(line.hidden_difference)}."
        )
    return words


def _second_is(difference: Difference) -> str:
    if difference.value == 0:
        words = difference_in_words(difference).removeprefix("0.0 points higher")
        return "no difference" + words
    return f"the second is {difference_in_words(difference)}"


def _main(found: Comparison) -> Section:
    columns = ["Attributes", "Cases", "First", "Second", "Difference", "Hidden, first",
               "Hidden, second", "Difference of hidden"]  # fmt: skip
    if found.paired:
        columns += ["Fixed", "Newly biased", "p, mutants", "p, texts"]
    rows, sentences = [], []
    for line in found.lines:
        hidden = line.hidden or (None, None)
        cases = sorted({rate.of for rate in line.errors})
        row = [
            line.name,
            " / ".join(f"{many:,}" for many in cases),
            *map(percent, line.errors),
            points(line.difference),
            *(percent(rate) if rate else "" for rate in hidden),
            points(line.hidden_difference) if line.hidden_difference else "",
        ]
        if found.paired:
            row += [f"{line.fixed:,}", f"{line.broken:,}", _p(line.p_value), _p(line.texts_p_value)]
        rows.append(row)
        if line.name not in ("intersectional", "atomic"):
            sentences.append(contrast_in_words(line))
    note = (
        "A difference is the second's rate minus the first's, in points of a hundred. Intervals "
        "are of 95 % and draw whole texts anew. Hidden is counted of all cases here."
    )
    if found.paired:
        note += (
            " McNemar's test over mutants takes those of one text for independent; the one over "
            "texts does not need to."
        )
    return Section("main", "Error rates side by side", [note, *sentences], columns, rows)


def _p(value: float | None) -> str:
    return _DASH if value is None else p_in_words(value).removeprefix("= ")


def _verdicts(found: Comparison) -> Section:
    names = [verdict.value for verdict in Verdict]
    rows = [
        [first, *(f"{found.verdicts.get((first, second), 0):,}" for second in names)]
        for first in names
    ]
    same = sum(many for (a, b), many in found.verdicts.items() if a == b)
    total = sum(found.verdicts.values())
    words = f"{same:,} of {total:,} shared mutants, placebo left out, have the same verdict twice."
    columns = ["First \u2193 second \u2192", *names]
    return Section("verdicts", "Verdicts against verdicts", [words], columns, rows)


def _changes(kind: str, changes: list[dict[str, Any]]) -> Section:
    rows = [list(change_row(change).values()) for change in changes]
    columns = [name.capitalize() for name in change_row(changes[0])]
    words = f"{_WHAT[kind]} At most one of each text and attributes is shown."
    title = "Fixed" if kind == FIXED else "Newly biased"
    return Section(kind.replace(" ", "-"), title, [words], columns, rows)


def change_row(change: dict[str, Any]) -> dict[str, str]:
    """A changed mutant as text."""
    whole = {"original": change["originals"][0], "labels": change["labels"][0], **_base(change)}
    first = example_row(whole)
    second = example_row(
        {**whole, "original": change["originals"][1], "labels": change["labels"][1]}
    )
    return {
        "row": first["row"],
        "change": first["change"],
        "first": first["answer"],
        "second": second["answer"],
        "text": first["text"],
        "mutant": first["mutant"],
    }


def _base(change: dict[str, Any]) -> dict[str, Any]:
    return {name: change[name] for name in ("text", "edits", "mutant", "row")}
