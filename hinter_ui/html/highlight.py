"""The text with its found terms on their attributes' colours, and what counts where."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hinter_core.mutation.plan import Plan
from hinter_core.types import Occurrence, RejectedOccurrence
from hinter_ui.html import glossary
from hinter_ui.html.markup import Markup, join, tag
from hinter_ui.html.notice import rejected_list
from hinter_ui.html.wording import DEFAULT, Words
from hinter_ui.html.words import hue, listed, name_of, spoken

_MOST_SHOWN = 4_000
_SCROLLS = 400  # characters from which the box may scroll


def preview(plan: Plan, say: Words | None = None) -> Markup:
    """Text with marks, a line of counts, the reasons for what does not count."""
    say = spoken(say)
    scrolls = len(plan.text) > _SCROLLS
    box = tag(
        "div",
        marked(plan, say),
        class_="marked",
        dir="auto",
        tabindex="0" if scrolls else None,
        role="region" if scrolls else None,
        aria_label=say("terms.marked") if scrolls else None,
    )
    summary = tag("p", _summary(plan, say), class_="quiet")
    return tag("div", box, summary, _missing(plan, say), rejected_list(plan.rejected, say=say),
               class_="card preview")  # fmt: skip


def marked(plan: Plan, say: Words | None = None) -> Markup:
    """The text, cut at every border of a term, so that overlapping terms show both attributes.

    The reasons for what does not count are English, and left out in other languages.
    """
    say = spoken(say)
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
        parts.append(_piece(text[start:end], end, here, no, say))
    if shown < len(text):
        parts.append(" " + say("terms.cut", n=len(text) - shown))
    return join(parts)


def _piece(
    text: str,
    end: int,
    found: list[Occurrence],
    refused: list[RejectedOccurrence],
    say: Words,
) -> Markup | str:
    if found:
        names = " + ".join(dict.fromkeys(name_of(o.attribute, say) for o in found))
        closes = any(o.span[1] == end for o in found)
        label = tag("span", names, class_="term-label") if closes else None
        return tag("mark", text, label, class_="term", style=f"--h:{hue(found[0].attribute)}")
    if refused:
        why = refused[0].reason if say.language == DEFAULT else None
        return tag("span", text, class_="rejected", title=why)
    return text


def _summary(plan: Plan, say: Words) -> Markup:
    terms = Counter(o.attribute for o in plan.occurrences)
    parts: list[Markup | str] = [
        say.count("terms.found", terms[a], name=name_of(a, say))
        for a in plan.attributes
        if terms[a]
    ]
    atomic = sum(len(edits) for edits in plan.edits.values())
    parts.append(glossary.sentence(say, "terms.possible", atomic=atomic, more=plan.total))
    return join([*parts, *plan.notices], " \u00b7 ")


def _missing(plan: Plan, say: Words) -> Markup | None:
    present = [name_of(a, say) for a in plan.attributes if plan.edits.get(a)]
    if len(present) >= 2:
        return None
    absent = listed([name_of(a, say) for a in plan.missing], say, "or")
    if present:
        why = say("terms.only", name=present[0], absent=absent)
    else:
        why = say("terms.none", absent=absent)
    return tag("p", tag("strong", say("terms.nothing")), " ", why, class_="loud")
