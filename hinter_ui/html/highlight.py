"""The text with its found terms on their attributes' colours, and what counts where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

from hinter_core.mutation.plan import Plan
from hinter_core.types import Occurrence, RejectedOccurrence
from hinter_ui.html import glossary
from hinter_ui.html.markup import Markup, join, tag
from hinter_ui.html.notice import rejected_list
from hinter_ui.html.words import capital, hue, listed, name_of

_MOST_SHOWN = 4_000
_SCROLLS = 400  # characters from which the box may scroll


def preview(plan: Plan) -> Markup:
    """Text with marks, a line of counts, the reasons for what does not count."""
    return tag(
        "div",
        tag(
            "div",
            marked(plan),
            class_="marked",
            dir="auto",
            tabindex="0" if len(plan.text) > _SCROLLS else None,
            role="region" if len(plan.text) > _SCROLLS else None,
            aria_label="Text with its terms marked" if len(plan.text) > _SCROLLS else None,
        ),
        tag("p", _summary(plan), class_="quiet"),
        _missing(plan),
        rejected_list(plan.rejected),
        class_="card preview",
    )


def marked(plan: Plan, names: Mapping[str, str] | None = None) -> Markup:
    """The text, cut at every border of a term, so that overlapping terms show both attributes.

    ``names`` are those of the attributes in another language; the reasons for what does not count
    are English and left out then.
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
        parts.append(_piece(text[start:end], end, here, no, names))
    if shown < len(text):
        parts.append(f" \u2026 ({len(text) - shown:,} more characters)")
    return join(parts)


def _piece(
    text: str,
    end: int,
    found: list[Occurrence],
    refused: list[RejectedOccurrence],
    known: Mapping[str, str] | None,
) -> Markup | str:
    if found:
        called = ((known or {}).get(o.attribute) or name_of(o.attribute) for o in found)
        names = listed(list(dict.fromkeys(called)), "+")
        closes = any(o.span[1] == end for o in found)
        label = tag("span", names, class_="term-label") if closes else None
        return tag("mark", text, label, class_="term", style=f"--h:{hue(found[0].attribute)}")
    if refused:
        return tag("span", text, class_="rejected", title=None if known else refused[0].reason)
    return text


def _summary(plan: Plan) -> Markup:
    terms = Counter(o.attribute for o in plan.occurrences)
    parts: list[Markup | str] = [
        f"{name_of(a)} {terms[a]} term{'' if terms[a] == 1 else 's'}"
        for a in plan.attributes
        if terms[a]
    ]
    atomic = sum(len(edits) for edits in plan.edits.values())
    words = (
        f"{atomic:,} ", glossary.link("atomic", "atomic"), f" and {plan.total:,} ",
        glossary.link("intersectional", "intersectional"), " ",
        glossary.link("mutant", "mutants"), " possible",
    )  # fmt: skip
    parts.append(join(words))
    parts += plan.notices
    return join(parts, " \u00b7 ")


def _missing(plan: Plan) -> Markup | None:
    present = [a for a in plan.attributes if plan.edits.get(a)]
    if len(present) >= 2:
        return None
    absent = listed([name_of(a) for a in plan.missing], "or")
    if present:
        why = f"Only {name_of(present[0])} has a term here; {absent} has none that counts."
    else:
        why = f"No term of {absent} counts here."
    cure = "Name a person by another attribute, or choose other attributes."
    strong = tag("strong", "No intersection to test. ")
    return tag("p", strong, capital(why), " ", cure, class_="loud")
