"""Errors by the groups a text was turned into, as sums over texts, counted piece by piece.

The cases of one text resemble each other, so what is summed are squares over texts as well. Of
single texts only the one in hand is remembered: memory depends on groups, not on mutants or texts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hinter_core.campaign.reader import (
    VERDICTS,
    Attributes,
    Codebook,
    ColumnBlock,
    Swap,
    blocks,
    distinct,
    is_placebo,
    pieces,
)
from hinter_core.campaign.store import NOTHING, UNUSABLE, CampaignStore, read_table
from hinter_core.report.aggregate_parts import LatticeCounts
from hinter_core.statistics.rates import Clusters

if TYPE_CHECKING:
    import numpy


if TYPE_CHECKING:
    import numpy


Groups = tuple[str, ...]


@dataclass
class GroupCounts:
    """Sums by attributes and, one of each attribute, the groups that a text was turned into."""

    sums: dict[Attributes, dict[Groups, Clusters]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(Clusters))
    )
    # By attributes, groups and row: errors and cases of texts that may go on.
    _open: dict[tuple[Attributes, Groups, int], tuple[int, int]] = field(
        default_factory=dict, compare=False, repr=False
    )

    def add(self, block: ColumnBlock, cases: numpy.ndarray, errors: numpy.ndarray) -> None:
        """Take in mutants of one order; ``cases`` are places, ``errors`` a flag for each."""
        import numpy

        texts, lines = distinct(numpy.stack([block.groups[cases], block.rows[cases]], axis=1))
        many = numpy.bincount(texts, minlength=len(lines))
        hits = numpy.bincount(texts[errors], minlength=len(lines))
        for (number, row), n, e in zip(lines.tolist(), many.tolist(), hits.tolist(), strict=True):
            key = (*block.group_names[number], row)
            before = self._open.get(key, (0, 0))
            self._open[key] = before[0] + e, before[1] + n

    def close(self, row: int | None = None) -> None:
        """Sum up all texts, or all but that of ``row``, and let go of them."""
        left = {}
        for key, (errors, cases) in self._open.items():
            attributes, groups, of = key
            if of == row:
                left[key] = errors, cases
            else:
                self.sums[attributes][groups].add(errors, cases)
        self._open = left


_BENIGN, _BIASED, _HIDDEN, _DISCARDED = range(4)  # places in VERDICTS
_EXAMPLES = 12
_LISTED = 1000  # rows that could not be used, named one by one


@dataclass(slots=True)
class ErrorCount:
    """Cases, errors among them, and hidden ones among these.

    A case is a mutant that was kept and answered.
    """

    errors: int = 0
    cases: int = 0
    hidden: int = 0

    def __iadd__(self, other: ErrorCount) -> ErrorCount:
        self.errors += other.errors
        self.cases += other.cases
        self.hidden += other.hidden
        return self


@dataclass
class ModelCounts:
    """The sums over all mutants of one model.

    ``verdicts``: by attributes, counts of verdicts. ``sources``: by attributes and row of the
    source text; ``discards`` alike, errors being the discarded and cases all mutants; ``fakes``
    alike of the discarded that were asked, errors being changed answers: false positives of a test
    without the invariant. ``parts``: mutants beside their edits alone. ``groups``: by attributes
    and the groups that a text was turned into. ``words``: by word pair, of atomic mutants.
    ``examples``: some hidden mutants, each of another text or other attributes.
    """

    verdicts: dict[Attributes, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    sources: dict[Attributes, dict[int, ErrorCount]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(ErrorCount))
    )
    discards: dict[Attributes, dict[int, ErrorCount]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(ErrorCount))
    )
    fakes: dict[Attributes, dict[int, ErrorCount]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(ErrorCount))
    )
    parts: LatticeCounts = field(default_factory=LatticeCounts)
    groups: GroupCounts = field(default_factory=GroupCounts)
    words: dict[Swap, ErrorCount] = field(default_factory=lambda: defaultdict(ErrorCount))
    failures: Counter[str] = field(default_factory=Counter)
    examples: list[dict[str, Any]] = field(default_factory=list)

    def add(self, piece: Any, place: int, parts: Sequence[ColumnBlock], book: Codebook) -> None:
        """Add a piece's mutants, as the model at ``place`` answered them."""
        import numpy

        verdicts = codes_of(piece[f"verdict-{place}"])
        self._fail(piece[f"failure-{place}"], verdicts)
        changed = _changes(piece[f"changed-{place}"])
        for block in parts:
            own = verdicts[block.at]
            self._count(block, own)
            self._fake(block, own, changed[block.at])
            if block.order == 1:
                cases = numpy.flatnonzero(are_cases(own))
                for number, counted in _sums(block.swaps[cases, 0], own[cases]):
                    self.words[book.swaps[number]] += counted
                flips = own[cases] != _BENIGN
                self.parts.remember(block.rows[cases], block.swaps[cases, 0], flips)
            else:
                found = are_cases(own)
                self.parts.compare(block, found, found & (own != _BENIGN))
        for at in numpy.flatnonzero(verdicts == _HIDDEN).tolist():
            if len(self.examples) == _EXAMPLES:
                break
            self._show(piece, place, at)
        # Parts come before wholes and texts one after another: only the last may go on.
        last = int(piece["row"][-1].as_py())
        self.parts.forget(book, last)
        self.groups.close(last)

    def _fail(self, failures: Any, verdicts: numpy.ndarray) -> None:
        """Why mutants are unanswered; a discarded one that was asked in vain is not."""
        import pyarrow

        lost = failures.filter(pyarrow.array(verdicts != _DISCARDED)).drop_null()
        self.failures.update(lost.to_pylist())

    def _fake(self, block: ColumnBlock, verdicts: numpy.ndarray, changed: numpy.ndarray) -> None:
        import numpy

        asked = numpy.flatnonzero((verdicts == _DISCARDED) & (changed >= 0))
        fake = numpy.where(changed[asked] == 1, _BIASED, _BENIGN)
        self._by_text(block, asked, fake, self.fakes)

    def _count(self, block: ColumnBlock, verdicts: numpy.ndarray) -> None:
        import numpy

        asked = verdicts >= 0
        pairs, lines = distinct(numpy.stack([block.sets[asked], verdicts[asked]], axis=1))
        for (number, verdict), many in zip(lines.tolist(), numpy.bincount(pairs), strict=True):
            self.verdicts[block.set_names[number]][VERDICTS[verdict].value] += int(many)
        cases = numpy.flatnonzero(are_cases(verdicts))
        own = verdicts[cases]
        self.groups.add(block, cases, own != _BENIGN)
        lost = numpy.where(verdicts == _DISCARDED, _BIASED, _BENIGN)
        for chosen, errors, into in (
            (cases, own, self.sources),
            (numpy.flatnonzero(asked), lost[asked], self.discards),
        ):
            self._by_text(block, chosen, errors, into)

    @staticmethod
    def _by_text(
        block: ColumnBlock,
        chosen: numpy.ndarray,
        errors: numpy.ndarray,
        into: dict[Attributes, dict[int, ErrorCount]],
    ) -> None:
        """Add some mutants of a block, by their attributes and source texts."""
        import numpy

        codes, texts = distinct(numpy.stack([block.sets[chosen], block.rows[chosen]], axis=1))
        for number, counted in _sums(codes, errors):
            of, row = texts[number].tolist()
            into[block.set_names[of]][row] += counted

    def _show(self, piece: Any, place: int, at: int) -> None:
        row, edits = piece["row"][at].as_py(), piece["edits"][at].as_py()
        attributes = tuple(edit["attribute"] for edit in edits)
        known = any((row, attributes) == (e["row"], e["attributes"]) for e in self.examples)
        if not known and not is_placebo(attributes):
            self.examples.append(
                {
                    "shard": piece["shard"][at].as_py(),
                    "row": row,
                    "attributes": attributes,
                    "edits": edits,
                    "mutant": piece["text"][at].as_py(),
                    "labels": piece[f"labels-{place}"][at].as_py(),
                }
            )


def by_source(
    parts: Iterable[Attributes], by: Mapping[Attributes, Mapping[int, ErrorCount]]
) -> dict[int, ErrorCount]:
    """The sums of some attributes by text; a text that errs in two of them is still one."""
    sources: dict[int, ErrorCount] = {}
    for part in parts:
        for row, counted in by.get(part, {}).items():
            sources.setdefault(row, ErrorCount())
            sources[row] += counted
    return sources


@dataclass(frozen=True, slots=True)
class UnusedRow:
    """A row that gave no mutants, and why."""

    row: int
    id: str
    reason: str


@dataclass
class CampaignCounts:
    """A whole campaign counted; ``models`` by name.

    ``texts``: by outcome. ``possible`` and ``tested``: intersectional mutants by order.
    ``faults``: rows that could not be used; ``idle``: texts with nothing to test; of each the first
    1,000. ``ids``: how many rows have each. ``labels``: different ones of the label column, the
    first 1,000. ``made`` and ``kept``: by attributes, the word pairs in mutants made, and in those
    that the invariant kept. ``met``: by attributes, the groups (one of each attribute) that mutants
    made were turned into.
    """

    texts: Counter[str] = field(default_factory=Counter)
    possible: Counter[int] = field(default_factory=Counter)
    tested: Counter[int] = field(default_factory=Counter)
    faults: list[UnusedRow] = field(default_factory=list)
    idle: list[UnusedRow] = field(default_factory=list)
    labels: set[str] = field(default_factory=set)
    ids: Counter[str] = field(default_factory=Counter)
    made: dict[Attributes, set[Swap]] = field(default_factory=lambda: defaultdict(set))
    kept: dict[Attributes, set[Swap]] = field(default_factory=lambda: defaultdict(set))
    met: dict[Attributes, set[tuple[str, ...]]] = field(default_factory=lambda: defaultdict(set))
    models: dict[str, ModelCounts] = field(default_factory=dict)


def count(store: CampaignStore) -> CampaignCounts:
    """Count all shards that are done.

    Raises:
        StoreError: no campaign, or tables that cannot be read or do not fit together.
    """
    models = {name: model["identity"] for name, model in store.read()["models"].items()}
    counts, book, shards = CampaignCounts(), Codebook(), store.known()
    for shard in shards:
        _add_texts(counts, read_table(store.texts(shard)))
    tallies = {name: ModelCounts() for name in models}
    for piece in pieces(store, shards, models):
        parts = list(blocks(piece, book))
        for block in parts:
            _add_coverage(counts, block, book)
        for place, tally in enumerate(tallies.values()):
            tally.add(piece, place, parts, book)
    for tally in tallies.values():
        tally.parts.forget(book)
        tally.groups.close()
    asked = {
        name
        for name, identity in models.items()
        if any(store.answers(shard, identity).exists() for shard in shards)
    }
    counts.models = {name: tally for name, tally in tallies.items() if name in asked}
    for name, tally in counts.models.items():
        for example in tally.examples:
            _complete(example, store, models[name])
    return counts


def _add_texts(counts: CampaignCounts, texts: Any) -> None:
    counts.texts.update(texts["outcome"].to_pylist())
    counts.ids.update(filter(None, texts["id"].to_pylist()))
    if len(counts.labels) < _LISTED:
        counts.labels.update(filter(None, texts["label"].unique().to_pylist()))
    for totals in texts["possible"].to_pylist():
        counts.possible.update(dict(enumerate(totals, start=2)))
    for outcome, listed in ((UNUSABLE, counts.faults), (NOTHING, counts.idle)):
        for text in texts.filter(_equal(texts["outcome"], outcome)).to_pylist():
            if len(listed) < _LISTED:
                listed.append(UnusedRow(text["row"], text["id"] or "", text["detail"]))


def _add_coverage(counts: CampaignCounts, block: ColumnBlock, book: Codebook) -> None:
    import numpy

    for number, attributes in enumerate(block.set_names):
        own = block.sets == number
        if block.order > 1 and not is_placebo(attributes):
            counts.tested[block.order] += int(own.sum())
        for mutants, found in ((own, counts.made), (own & block.kept, counts.kept)):
            numbers = numpy.unique(block.swaps[mutants])
            found[attributes].update(book.swaps[i] for i in numbers.tolist())
    for attributes, groups in block.group_names:
        counts.met[attributes].add(groups)


def _complete(example: dict[str, Any], store: CampaignStore, identity: str) -> None:
    """Add the text and the model's answer to it."""
    texts = read_table(store.texts(example["shard"]))
    answers = read_table(store.answers(example["shard"], identity))
    (text,) = texts.filter(_equal(texts["row"], example["row"])).to_pylist()
    own = answers.filter(_equal(answers["row"], example["row"]))
    (original,) = own.filter(_equal(own["mutant"], -1)).to_pylist()
    example |= {"id": text["id"], "text": text["text"], "original": original["labels"]}


def _equal(column: Any, value: Any) -> Any:
    import pyarrow.compute as pc

    return pc.equal(column, value)


def codes_of(verdicts: Any) -> numpy.ndarray:
    """Verdicts as places in ``VERDICTS``; -1 where there is none yet."""
    import pyarrow
    import pyarrow.compute as pc

    known = pyarrow.array([verdict.value for verdict in VERDICTS])
    found: numpy.ndarray = pc.fill_null(pc.index_in(verdicts, known), -1).to_numpy()
    return found


def _changes(changed: Any) -> numpy.ndarray:
    """1 where an answer differs from the original's, 0 where not, -1 where there is none."""
    import pyarrow
    import pyarrow.compute as pc

    found: numpy.ndarray = pc.fill_null(pc.cast(changed, pyarrow.int8()), -1).to_numpy()
    return found


def are_cases(verdicts: numpy.ndarray) -> numpy.ndarray:
    """Which mutants were kept and answered."""
    found: numpy.ndarray = (verdicts >= 0) & (verdicts <= _HIDDEN)
    return found


def _sums(codes: numpy.ndarray, verdicts: numpy.ndarray) -> Iterable[tuple[int, ErrorCount]]:
    """For each code that occurs, its cases counted."""
    import numpy

    hidden, biased = verdicts == _HIDDEN, verdicts == _BIASED
    cases = numpy.bincount(codes)
    errors = numpy.bincount(codes[hidden | biased], minlength=len(cases))
    hid = numpy.bincount(codes[hidden], minlength=len(cases))
    for number in numpy.flatnonzero(cases).tolist():
        yield number, ErrorCount(int(errors[number]), int(cases[number]), int(hid[number]))
