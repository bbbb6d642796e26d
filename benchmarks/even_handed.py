"""How often the invariant discards each shipped term, and whether it still discards wrong pairs.

Run by ``python -m benchmarks --even-handed``. Every term of a sensitive attribute comes into
neutral sentences (``probes/frames.csv``) in place of up to 12 terms that it may replace; its share
is the median over these. The pairs of ``probes/wrong_pairs.csv`` break the grammar on purpose: as a
file of pairs has them, without forms (*plain*), and as a file has them that gives both words the
form of the first (*claimed*). *Not read*: in how many frames a term is not found as a source.

*Soft*: how many mutants of a term as a source are lost because the text also has a word that
``related.csv`` lists for it, with each of these in turn (*own word*), and because it has one of
another group (*other's word*). So no group loses more because more words are listed for it.
"""

from __future__ import annotations

import csv
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import mean, median

from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.language.sentences import split_sentences
from hinter_core.mutation.edits import apply_edits
from hinter_core.mutation.plan import make_plan
from hinter_core.mutation.settings import EVEN_HANDED, INVARIANTS, Settings
from hinter_core.relations.base import Compared
from hinter_core.relations.family import SubstitutionRelation
from hinter_core.relations.soft import why_soft
from hinter_core.storage import DICTIONARIES
from hinter_core.terms.dictionary import Dictionary, load_shipped
from hinter_core.terms.matching import Matcher
from hinter_core.terms.related import rows_of
from hinter_core.terms.senses.forms import known_forms
from hinter_core.types import Edit, GrammaticalForm, Pair, Term

PROBES = Path(__file__).with_name("probes")
SOURCES = 12
_BATCH = 512
_FEW = 4
_KINDS = ("places", "cities", "words")


@dataclass(frozen=True)
class WrongPair:
    """A sentence, a word of it, and a word that breaks the sentence in its place."""

    text: str
    source: str
    target: str
    kind: str


@cache
def frames() -> Mapping[str, tuple[str, ...]]:
    """Read the neutral sentences by form; ``{}`` is the place of the term."""
    found = defaultdict(list)
    with (PROBES / "frames.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            found[row["form"]].append(row["text"])
    return {form: tuple(texts) for form, texts in found.items()}


@cache
def wrong_pairs() -> tuple[WrongPair, ...]:
    """Read the pairs that are wrong on purpose."""
    with (PROBES / "wrong_pairs.csv").open(encoding="utf-8", newline="") as lines:
        return tuple(WrongPair(**row) for row in csv.DictReader(lines))


def filled(frame: str, term: str) -> tuple[str, tuple[int, int]]:
    """Return a frame with a term in its place, and the term's span."""
    start = frame.index("{}")
    if start == 0:
        term = term[:1].upper() + term[1:]
    if term[:1].lower() in "aeiou" and frame[:start].lower().endswith(" a "):
        frame, start = f"{frame[: start - 1]}n {frame[start:]}", start + 1
    return frame.replace("{}", term), (start, start + len(term))


def pairs_into(dictionary: Dictionary) -> dict[Term, list[Pair]]:
    """Return up to 12 pairs into each term, drawn with a fixed seed."""
    into: dict[Term, list[Pair]] = defaultdict(list)
    for pairs in dictionary.pairs_from.values():
        for pair in pairs:
            into[pair.target].append(pair)
    chance = random.Random(0)
    return {t: chance.sample(pairs, min(SOURCES, len(pairs))) for t, pairs in into.items()}


def _compared(text: str, pair: Pair, span: tuple[int, int], name: str) -> Compared:
    source = split_sentences(text)
    mutant = apply_edits(text, [Edit(pair, (span,))])
    split = split_sentences(mutant.text)
    return Compared(text, source, mutant, split, name != EVEN_HANDED)


def _kept(pairs: Sequence[Compared], parses: ParseStore) -> Iterator[bool]:
    relation = SubstitutionRelation()
    for start in range(0, len(pairs), _BATCH):
        for found in relation.conform(pairs[start : start + _BATCH], parses):
            yield found.kept


def term_shares(
    dictionary: Dictionary, name: str, parses: ParseStore, most: int
) -> dict[Term, float]:
    """Return each term's share of discarded mutants: the median over its sources."""
    shares = {}
    for term, pairs in pairs_into(dictionary).items():
        texts = frames().get(term.form, ())[:most]
        if not texts:
            continue
        made = [_compared(*_in(frame, pair), name) for pair in pairs for frame in texts]
        kept = list(_kept(made, parses))
        by_source = [kept[i : i + len(texts)] for i in range(0, len(kept), len(texts))]
        shares[term] = median(1 - mean(one) for one in by_source)
    return shares


def _in(frame: str, pair: Pair) -> tuple[str, Pair, tuple[int, int]]:
    text, span = filled(frame, pair.source.text)
    return text, pair, span


def read_shares(dictionary: Dictionary, parses: ParseStore, most: int) -> dict[Term, float]:
    """Return the share of frames in which each term is found as a source."""
    matcher = Matcher([dictionary])
    shares = {}
    for term in dictionary.pairs_from:
        hits = []
        for frame in frames().get(term.form, ())[:most]:
            text, span = filled(frame, term.text)
            plan = make_plan(text, [dictionary], Settings(order=1), parses, matcher=matcher)
            hits.append(any(o.span == span for o in plan.occurrences))
        if hits:
            shares[term] = mean(hits)
    return shares


@cache
def _related() -> tuple[Mapping[str, str], ...]:
    with (DICTIONARIES / "related.csv").open(encoding="utf-8", newline="") as lines:
        return tuple(csv.DictReader(lines))


def _words_of(attribute: str, rows: Iterable[int]) -> list[str]:
    """Return the words that rows list for an attribute."""
    of = attribute if attribute not in ("race", "nationality", "language") else "origin"
    own = [row for n in rows if (row := _related()[n])["attribute"] == of]
    found = (word for row in own for kind in _KINDS for word in row[kind].split(";"))
    return list(dict.fromkeys(filter(None, found)))


def soft_shares(dictionary: Dictionary) -> tuple[dict[Term, float], dict[Term, float]]:
    """Return for each source the share of soft mutants beside an own word, and another's."""
    chance, attribute = random.Random(0), dictionary.attribute
    rows = {t: rows_of(attribute, t.text, t.group) for t in dictionary.pairs_from}
    words: dict[Term, list[str]] = {}
    for term, found in rows.items():  # "American" says nothing of one American among others
        alike = [other for t, other in rows.items() if t.concept == term.concept]
        words[term] = _words_of(attribute, found - frozenset.intersection(*alike))
    own: dict[Term, float] = {}
    others: dict[Term, float] = {}
    for term, pairs in dictionary.pairs_from.items():
        strangers = [t for t in words if words[t] and rows[t].isdisjoint(rows[term])]
        if words[term] and strangers and term.form in frames():
            some = chance.sample(pairs, min(_FEW, len(pairs)))
            own[term] = _soft_share(words[term], some)
            others[term] = _soft_share(words[chance.choice(strangers)], some)
    return own, others


def _soft_share(words: Sequence[str], pairs: Sequence[Pair]) -> float:
    """Return the share of soft mutants of a neutral sentence that also has one of the words."""
    soft = []
    for pair in pairs:
        frame = frames()[pair.source.form][0]
        for word in words:
            text, span = filled(f"{frame.rstrip('.')}, beside a sign that said {word}.",
                                pair.source.text)  # fmt: skip
            mutant = apply_edits(text, [Edit(pair, (span,))])
            soft.append(bool(why_soft(text, mutant)))
    return mean(soft)


def wrong_discarded(name: str, parses: ParseStore, *, claimed: bool) -> dict[str, list[bool]]:
    """Return for each kind of wrong pairs which of them are discarded."""
    made, kinds = [], []
    for wrong in wrong_pairs():
        own = known_forms(wrong.source)
        form = min(own) if claimed and own else GrammaticalForm.ANY
        start = _place(wrong.text, wrong.source)
        source, target = (Term(word, word, form) for word in (wrong.source, wrong.target))
        span = (start, start + len(wrong.source))
        made.append(_compared(wrong.text, Pair("own", source, target), span, name))
        kinds.append(wrong.kind)
    found = defaultdict(list)
    for kind, kept in zip(kinds, _kept(made, parses), strict=True):
        found[kind].append(not kept)
    return found


def _place(text: str, word: str) -> int:
    found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text)
    assert found is not None, f"{word} is not in: {text}"
    return found.start()


def _by_group(shares: Mapping[Term, float]) -> dict[str, float]:
    groups = defaultdict(list)
    for term, share in shares.items():
        groups[term.group].append(share)
    return {group: mean(found) for group, found in sorted(groups.items())}


def _line(head: str, shares: Mapping[Term, float]) -> str:
    groups = _by_group(shares)
    worst = max(shares.values())
    over = sum(share > 0.1 for share in shares.values())
    return (
        f"{head:<34} {mean(shares.values()):6.1%}   groups {min(groups.values()):6.1%} to "
        f"{max(groups.values()):6.1%}   worst term {worst:6.1%}, {over} of {len(shares)} over 10 %"
    )


def report(attributes: Iterable[str], parser: str, most: int) -> Iterator[str]:
    """Yield the lines of the table."""
    parses = ParseStore(load_parser(parser))
    yield f"discarded, by term (median over sources; first {most} frames of a form)"
    for attribute, dictionary in load_shipped().items():
        if dictionary.placebo or (attributes and attribute not in attributes):
            continue
        for name in INVARIANTS:
            yield _line(f"{attribute}, {name}", term_shares(dictionary, name, parses, most))
        read = {t: 1 - s for t, s in read_shares(dictionary, parses, most).items()}
        yield _line(f"{attribute}, not read as source", read)
        for name, soft in zip(("own", "other's"), soft_shares(dictionary), strict=True):
            if soft:
                yield _line(f"{attribute}, soft beside {name} word", soft)
    yield "wrong pairs discarded"
    for name in INVARIANTS:
        for claimed in (False, True):
            found = wrong_discarded(name, parses, claimed=claimed)
            every = [one for some in found.values() for one in some]
            yield f"{name}, {'claimed' if claimed else 'plain'}: {mean(every):.1%} of {len(every)}"
            yield "   " + ", ".join(
                f"{kind} {mean(some):.0%}" for kind, some in found.items() if mean(some) < 1
            )
