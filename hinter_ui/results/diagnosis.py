"""The HTML of a diagnosis: a bar for each word, with its interval, and those that stand out."""

from collections.abc import Sequence
from itertools import groupby

from hinter_core.report.metrics.diagnosis import WordRate
from hinter_core.statistics.format import percent
from hinter_ui.html.markup import Markup, isolated, tag
from hinter_ui.html.sections import report_table
from hinter_ui.html.wording import Words, capital, name_of

say = Words("results")

_MOST = 20  # words of an attribute


def diagnosis(found: Sequence[WordRate], model: str) -> Markup:
    """Show the words of each attribute; a button shows the findings behind a word."""
    if not found:
        return tag("p", say("diagnosis.none", model=model), class_="quiet", role="status")
    numbered = enumerate(found)  # in the order of attributes
    return tag(
        "div",
        *(_of(name, list(words), model)
          for name, words in groupby(numbered, key=lambda one: one[1].attribute)),
        class_="diagnosis", role="status",
    )  # fmt: skip


def _of(attribute: str, words: Sequence[tuple[int, WordRate]], model: str) -> Markup:
    odd = [one.word for _, one in words if one.stands_out]
    key = "diagnosis.stand_out" if odd else "diagnosis.none_stands_out"
    told = say.count(key, len(odd), words=", ".join(odd), all=len(words), model=model)
    columns = say.branch("diagnosis.columns")
    heads = list(columns.values())
    rows = [_row(number, one, heads) for number, one in words[:_MOST]]
    title = capital(name_of(attribute))
    grid = report_table(title, heads, rows)
    rest = say.count("diagnosis.more", len(words) - _MOST) if len(words) > _MOST else None
    more = tag("p", rest, class_="quiet") if rest else None
    return tag("section", tag("h3", title), tag("p", isolated(told)), grid, more)


def _row(number: int, one: WordRate, heads: Sequence[str]) -> Markup:
    share, low, high = one.rate.share or 0.0, one.rate.low, one.rate.high
    ends = (share if end is None else end for end in (low, high))
    first, last = (f"{100 * end:.1f}" for end in ends)
    kind = "fill bad" if one.stands_out else "fill"
    bar = tag(
        "span",
        tag("span", class_=kind, style=f"width:{100 * share:.1f}%"),
        tag("span", class_="whisker", style=f"left:{first}%;right:calc(100% - {last}%)"),
        class_="bar", aria_hidden="true",
    )  # fmt: skip
    label = tag("button", isolated(one.word), tag("span", say("diagnosis.show"), class_="sr-only"),
                type="button", class_="act open", data_word=number)  # fmt: skip
    mark = tag("span", say("diagnosis.mark"), class_="badge biased") if one.stands_out else ""
    cells = (label, bar, percent(one.rate), f"{one.rate.of:,}", mark)
    return tag("tr", *(tag("td", tag("div", cell), data_column=head)
                       for head, cell in zip(heads, cells, strict=True)))  # fmt: skip
