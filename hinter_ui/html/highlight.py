"""A text with its terms marked in their attributes' colours, and which of them count."""

from collections import Counter
from itertools import pairwise

from hinter_core.mutation.plan import Plan
from hinter_core.types import Occurrence, RejectedOccurrence
from hinter_ui.html import glossary
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.wording import DEFAULT, Words, hue, listed, name_of

say = Words("check")

_MOST_SHOWN = 4_000
_SCROLLS = 400  # characters from which the box may scroll
_MOST_REJECTED = 12


def preview(plan: Plan) -> Markup:
    """Show the text with its terms marked, their counts, and why others do not count."""
    scrolls = len(plan.text) > _SCROLLS
    box = tag(
        "div",
        marked(plan),
        class_="marked",
        dir="auto",
        tabindex="0" if scrolls else None,
        role="region" if scrolls else None,
        aria_label=say("terms.marked") if scrolls else None,
    )
    summary = tag("p", _summary(plan), class_="quiet")
    return tag("div", box, summary, _missing(plan), _rejected(plan),
               class_="card preview")  # fmt: skip


def marked(plan: Plan) -> Markup:
    """Mark the terms of a text, cut at every border so that overlapping terms show both attributes.

    The reasons why terms do not count are English, and left out in other languages.
    """
    text = plan.text
    shown = min(len(text), _MOST_SHOWN)
    borders = {0, shown}
    for span in [o.span for o in plan.occurrences] + [r.occurrence.span for r in plan.rejected]:
        borders.update(x for x in span if x < shown)
    cuts = sorted(borders)
    found = sorted(plan.occurrences, key=lambda o: o.span)
    refused = plan.rejected
    parts: list[Markup | str] = []
    for start, end in pairwise(cuts):
        here = [o for o in found if o.span[0] <= start and end <= o.span[1]]
        no = [r for r in refused if r.occurrence.span[0] <= start and end <= r.occurrence.span[1]]
        parts.append(_piece(text[start:end], end, here, no))
    if shown < len(text):
        parts.append(" " + say("terms.cut", n=len(text) - shown))
    return join(parts)


def _piece(
    text: str, end: int, found: list[Occurrence], refused: list[RejectedOccurrence]
) -> Markup | str:
    if found:
        names = " + ".join(dict.fromkeys(name_of(o.attribute) for o in found))
        closes = any(o.span[1] == end for o in found)
        label = tag("span", names, class_="term-label") if closes else None
        return tag("mark", text, label, class_="term", style=f"--h:{hue(found[0].attribute)}")
    if refused:
        why = refused[0].reason if say.language == DEFAULT else None
        return tag("span", text, class_="rejected", title=why)
    return text


def _summary(plan: Plan) -> Markup:
    terms = Counter(o.attribute for o in plan.occurrences)
    parts: list[Markup | str] = [
        say.count("terms.found", terms[a], name=name_of(a)) for a in plan.attributes if terms[a]
    ]
    atomic = sum(len(edits) for edits in plan.edits.values())
    parts.append(glossary.sentence(say, "terms.possible", atomic=atomic, more=plan.total))
    return join([*parts, *plan.notices], " \u00b7 ")


def _missing(plan: Plan) -> Markup | None:
    present = [name_of(a) for a in plan.attributes if plan.edits.get(a)]
    if len(present) >= 2:
        return None
    absent = listed([name_of(a) for a in plan.missing], "or")
    key = "only" if present else "none"
    why = say(f"terms.{key}", absent=absent, name="".join(present))
    return tag("p", tag("strong", say("terms.nothing")), " ", why, class_="loud")


def _rejected(plan: Plan) -> Markup:
    """List the terms that do not count, each with its reason."""
    if not plan.rejected:
        return Markup("")
    items = []
    for rejected in plan.rejected[:_MOST_REJECTED]:
        term, reason = rejected.occurrence, rejected.reason
        quoted = f"\u201c{term.surface}\u201d"
        name = tag("span", f" {name_of(term.attribute)}", class_="quiet")
        why = reason if quoted in reason else f"{quoted} {reason}"
        items.append(tag("li", tag("s", isolated(term.surface)), name, ": ", why))
    if len(plan.rejected) > _MOST_REJECTED:
        items.append(tag("li", say("terms.more", n=len(plan.rejected) - _MOST_REJECTED)))
    return tag("ul", *items, class_="rejected-list", aria_label=say("terms.rejected"))
