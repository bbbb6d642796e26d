"""Texts with their changes marked, and with the terms that count."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from typing import Any

from hinter_core.errors import HinterError
from hinter_core.generators.grammars.grammar import MASK
from hinter_core.mutation.edits import common_ends, mutant_of
from hinter_core.mutation.plan import Plan
from hinter_core.pipeline.words import refused_alike
from hinter_core.types import (
    SUBSTITUTE,
    Edit,
    Occurrence,
    OriginKind,
    RejectedOccurrence,
    Splice,
)
from hinter_ui.html import glossary
from hinter_ui.html.markup import Markup, isolated, join, tag, with_marks
from hinter_ui.html.wording import (
    ARROW,
    Words,
    beside,
    hue,
    listed,
    name_of,
    quoted,
    signed,
    term,
    translated,
)

say = Words("check")

_WORD = re.compile(r"\s+|\w+(?:['\u2019]\w+)*|[^\w\s]")
_MOST = 800  # words that are compared one by one


@dataclass(frozen=True)
class Piece:
    """A part of a text, and whether the other version differs there."""

    text: str
    changed: bool = False


@lru_cache(maxsize=1024)  # many people look at the same texts
def differences(
    source: str, mutant: str, edits: tuple[Edit, ...] = ()
) -> tuple[list[Piece], list[Piece]]:
    """Cut both texts into pieces: by the edits where they make the mutant, else word by word."""
    splices = sorted(_splices(source, mutant, edits), key=lambda splice: splice.start)
    if splices:
        old = _cut(source, [(s.start, s.end) for s in splices])
        return old, _cut(mutant, [(s.at, s.at + len(s.new)) for s in splices])
    return _by_words(_WORD.findall(source), _WORD.findall(mutant))


def _splices(source: str, mutant: str, edits: Sequence[Edit]) -> Sequence[Splice]:
    try:
        made = mutant_of(source, edits) if edits else None
    except (HinterError, IndexError):
        return ()
    return made.splices if made and made.text == mutant else ()


def _cut(text: str, spans: Sequence[tuple[int, int]]) -> list[Piece]:
    pieces, at = [], 0
    for start, end in spans:
        pieces += [Piece(text[at:start]), Piece(text[start:end], changed=True)]
        at = end
    return [piece for piece in (*pieces, Piece(text[at:])) if piece.text]


def _by_words(old: Sequence[str], new: Sequence[str]) -> tuple[list[Piece], list[Piece]]:
    head, tail = common_ends(old, new)
    left, right = old[head : len(old) - tail], new[head : len(new) - tail]
    if max(len(left), len(right)) > _MOST:
        codes: Sequence[tuple[str, int, int, int, int]] = [("replace", 0, len(left), 0, len(right))]
    else:
        codes = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    first, last = "".join(old[:head]), "".join(old[len(old) - tail :])
    sides: tuple[list[Piece], list[Piece]] = ([Piece(first)], [Piece(first)])
    for kind, a, b, c, d in codes:
        sides[0].append(Piece("".join(left[a:b]), kind != "equal"))
        sides[1].append(Piece("".join(right[c:d]), kind != "equal"))
    for side in sides:
        side.append(Piece(last))
    return _joined(sides[0]), _joined(sides[1])


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Join changed words that have only blanks between them, and leave out empty pieces."""
    joined: list[Piece] = []
    for piece in pieces:
        if not piece.text:
            continue
        blank = len(joined) > 1 and not joined[-1].text.strip() and not joined[-1].changed
        if piece.changed and blank and joined[-2].changed:
            joined[-2:] = [Piece(joined[-2].text + joined[-1].text + piece.text, changed=True)]
        elif joined and joined[-1].changed == piece.changed:
            joined[-1] = Piece(joined[-1].text + piece.text, piece.changed)
        else:
            joined.append(piece)
    return joined


_AROUND = 70  # characters shown on either side of a change
_DOTS = "\u2026"


def changed(text: str, edits: Sequence[Edit], handwritten: str | None = None) -> Markup:
    """Mark the changes of a text, cut around them; ``handwritten`` is what a person made of it."""

    def mark(splice: Splice) -> Markup:
        old = tag("del", splice.old)
        if handwritten is not None:  # which attribute a person's change belongs to is not known
            return join([old, " ", tag("ins", splice.new)])
        if not splice.attribute:  # a mended article
            return tag("ins", splice.new, class_="article")
        return join([old, " ", term(splice.new, splice.attribute)])

    splices = mutant_of(text, edits, handwritten).splices
    return tag("span", cut_around(text, [(s.start, s.end, mark(s)) for s in splices]),
               class_="changed")  # fmt: skip


def cut_around(
    text: str, places: Sequence[tuple[int, int, Markup]], stop: int | None = None
) -> Markup:
    """Show marked places, in the order of the text, with some words around them.

    ``stop``: where a place begins that is changed, too, but not shown.
    """
    at = _word_before(text, places[0][0] - _AROUND) if places else 0
    parts: list[object] = [_DOTS + " "] if at else []
    for start, end, mark in places:
        between = text[at:start]
        if len(between) > 3 * _AROUND:
            first, last = (
                _word_after(between, _AROUND),
                _word_before(between, len(between) - _AROUND),
            )
            between = f"{between[:first]} {_DOTS} {between[last:]}"
        parts += [between, mark]
        at = end
    end = min(_word_after(text, at + _AROUND), len(text) if stop is None else stop)
    parts.append(text[at:end].rstrip() + f" {_DOTS}" if end < len(text) else text[at:])
    return tag("bdi", *parts)


def _word_before(text: str, place: int) -> int:
    """Return where the word at a place begins."""
    return max(0, text.rfind(" ", 0, place) + 1) if place > 0 else 0


def _word_after(text: str, place: int) -> int:
    """Return where the word at a place ends."""
    end = text.find(" ", place)
    return len(text) if end < 0 or place >= len(text) else end


def spliced(text: str, splices: Iterable[Splice], mark: Callable[[Splice], Markup]) -> Markup:
    """Write a text with every splice as ``mark``."""
    return with_marks(text, ((one.start, one.end, mark(one)) for one in splices))


def answers(
    before: Sequence[str], after: Sequence[str] | None, moved: float | None = None
) -> Markup:
    """Show the answer to the original and to the mutant.

    ``moved``: shift of a probability, which alone makes it another one.
    """
    none = say("answers.unlabelled")
    first = isolated(", ".join(before) or none)
    if after is None:
        return tag("span", say("answers.missing"), class_="quiet-inline")
    if moved is not None:
        return join([first, " ", tag("strong", say("answers.moved", shift=signed(moved)))])
    if tuple(before) == tuple(after):
        return join([first, " ", tag("span", say("answers.unchanged"), class_="quiet-inline")])
    return join([first, f" {ARROW} ", tag("strong", isolated(", ".join(after) or none))])


_MOST_SHOWN = 4_000
_SCROLLS = 400  # characters from which the box may scroll
_MOST_REJECTED = 12


def preview(plan: Plan, others: Sequence[Occurrence] = ()) -> Markup:
    """Show the text with its terms marked, their counts, and why others do not count.

    ``others``: words of attributes that are not chosen.
    """
    scrolls = len(plan.text) > _SCROLLS
    box = tag(
        "div",
        _slots(plan) if plan.slots else marked(plan),
        class_="marked",
        dir="auto",
        tabindex="0" if scrolls else None,
        role="region" if scrolls else None,
        aria_label=say("terms.marked") if scrolls else None,
    )
    summary = tag("p", _summary(plan), class_="quiet")
    return tag("div", box, summary, _missing(plan), _elsewhere(plan, others), _rejected(plan),
               class_="card preview")  # fmt: skip


def marked(plan: Plan) -> Markup:
    """Mark the terms of a text, cut at each border so that overlapping ones show both of theirs."""
    text = plan.text
    shown = min(len(text), _MOST_SHOWN)
    borders = {0, shown}
    occurrences, refused = plan.terms, plan.rejected
    for span in [o.span for o in occurrences] + [r.occurrence.span for r in refused]:
        borders.update(x for x in span if x < shown)
    cuts = sorted(borders)
    parts: list[Markup | str] = []
    for start, end in pairwise(cuts):
        here = [o for o in occurrences if o.span[0] <= start and end <= o.span[1]]
        no = [r for r in refused if r.occurrence.span[0] <= start and end <= r.occurrence.span[1]]
        parts.append(_piece(text[start:end], end, here, no))
    if shown < len(text):
        parts.append(" " + say("terms.cut", n=len(text) - shown))
    return join(parts)


def _slots(plan: Plan) -> Markup:
    """Mark the filled slots of a template or a sentence, each with its kind or attribute."""
    text, marks, at = plan.text, [], 0
    edits = [edit for of_attribute in plan.edits.values() for edit in of_attribute]
    said = {span: edit.attribute for edit in edits for span in edit.spans}
    for slot in plan.slots:
        start, end = slot.span
        if end > _MOST_SHOWN:
            break
        kind = slot.name.partition(":")[0].partition(" ")[0].lower()
        attribute = "occupation" if kind in ("occupation", "a") else "gender"
        if plan.origin.kind is OriginKind.GRAMMAR:
            attribute = said.get(slot.span, kind)
            kind = name_of(attribute)
        label, colour = beside(kind) if kind != "a" else None, f"--h:{hue(attribute)}"
        mark = tag("mark", text[start:end], label, class_="term slot", style=colour)
        marks.append((start, end, mark))
        at = end
    shown = max(at, min(len(text), _MOST_SHOWN))
    more = " " + say("terms.cut", n=len(text) - shown) if shown < len(text) else ""
    return join([with_marks(text[:shown], marks), more])


def _piece(
    text: str, end: int, occurrences: list[Occurrence], refused: list[RejectedOccurrence]
) -> Markup | str:
    if occurrences:
        names = " + ".join(dict.fromkeys(name_of(o.attribute) for o in occurrences))
        closes = any(o.span[1] == end for o in occurrences)
        label = beside(names) if closes else None
        return tag("mark", text, label, class_="term", style=f"--h:{hue(occurrences[0].attribute)}")
    if refused:
        return tag("span", text, class_="rejected", title=translated(refused[0].reason))
    return text


def _summary(plan: Plan) -> Markup:
    terms = Counter(o.attribute for o in plan.terms)
    parts: list[Markup | str] = [
        say.count("terms.found", terms[a], name=name_of(a)) for a in plan.attributes if terms[a]
    ]
    atomic = sum(len(edits) for edits in plan.edits.values())
    if plan.slots:
        key = "terms.sentence" if plan.origin.kind is OriginKind.GRAMMAR else "terms.slots"
        masks = sum(slot.name == MASK for slot in plan.slots)
        parts.append(say.count(key, len(plan.slots) - masks, name=plan.origin.name))
    parts.append(glossary.sentence(say, "terms.possible", atomic=atomic, more=plan.total))
    return join([*parts, *plan.notices], " \u00b7 ")


def _missing(plan: Plan) -> Markup | None:
    present = [name_of(a) for a in plan.attributes if plan.edits.get(a)]
    if len(present) >= 2 or plan.together:
        if plan.settings.order == 1 or plan.total or plan.together:
            return None
        apart = plan.only_across_people
        why = say("terms.apart" if apart else "terms.same", names=listed(present))
        return _loud(why, "across_people" if apart else "order")
    if plan.slots:
        return tag("p", say("terms.one_class", name="".join(present)), class_="quiet")
    if present and plan.settings.order == 1:  # each change is tested alone
        return None
    if present and not plan.missing:
        return _loud(say("terms.one", name="".join(present)), "order")
    absent = listed([name_of(a) for a in plan.missing], "or")
    key = "only" if present else "none"
    kind = "terms" if plan.settings.relations == (SUBSTITUTE,) else "terms.changes"
    why = say(f"{kind}.{key}", absent=absent, name="".join(present))
    offers = ["origin_names"] if plan.only_names_tell else []
    return _loud(why, *offers, *(["order"] if present else []))


# The settings that a button beside the text sets, with their values.
OFFERED: dict[str, Any] = {"origin_names": True, "across_people": True, "order": 1}
_FEW = 2  # words of another attribute
_SHORT_FOR = re.compile(r"\bAA(?=(?:[MF]\b| (?:fe)?male\b| (?:wo)?man\b| (?:patient|pt)\b))")


def _elsewhere(plan: Plan, others: Sequence[Occurrence]) -> Markup | None:
    """Offer attributes that are not chosen, and name short forms, and what may be no English."""
    named: dict[str, dict[str, None]] = {}
    for one in others:
        named.setdefault(one.attribute, {})[quoted(one.surface)] = None
    buttons = [
        tag("button", say("terms.add", name=name_of(attribute), words=listed([*words][:_FEW])),
            type="button", data_tick=attribute)
        for attribute, words in named.items()
    ]  # fmt: skip
    said: list[object] = [say("terms.elsewhere"), *buttons] if buttons else []
    if "race" in plan.missing and _SHORT_FOR.search(plan.text):
        said.append(say("terms.short"))
    if plan.perhaps_foreign:
        said.append(say("terms.foreign"))
    return tag("p", join(said, " "), class_="also") if said else None


def _loud(why: str, *offers: str) -> Markup:
    buttons = [
        tag("button", say(f"terms.set.{name}"), type="button", data_set=name) for name in offers
    ]
    said = join([tag("strong", say("terms.nothing")), why, *buttons], " ")
    return tag("p", said, class_="loud")


def _rejected(plan: Plan) -> Markup:
    """List the terms that do not count and the changes that are not made, each with its reason."""
    if not (plan.rejected or plan.refused):
        return Markup("")
    items = []
    for rejected in plan.rejected[:_MOST_REJECTED]:
        term = rejected.occurrence
        name = tag("span", f" {name_of(term.attribute)}", class_="quiet")
        items.append(
            tag("li", tag("s", isolated(term.surface)), name, ": ", translated(rejected.in_words))
        )
    refused = refused_alike(plan.refused)
    for one, changes in refused[:_MOST_REJECTED]:
        name = tag("span", f" {name_of(one.edit.attribute)}", class_="quiet")
        items.append(tag("li", tag("s", isolated(changes)), name, ": ", translated(one.reason)))
    left = (len(found) - _MOST_REJECTED for found in (plan.rejected, refused))
    if more := sum(max(0, n) for n in left):
        items.append(tag("li", say("terms.more", n=more)))
    return tag("ul", *items, class_="rejected-list", aria_label=say("terms.rejected"))
