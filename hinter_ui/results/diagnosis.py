"""The HTML of a diagnosis: a bar for each word and pair of words, and those that stand out."""

from collections.abc import Sequence
from itertools import accumulate, groupby

from hinter_core.report.metrics.diagnosis import WordRate
from hinter_core.report.metrics.interactions import Interactions, WordPair
from hinter_core.statistics.format import percent, points
from hinter_ui.html.markup import Markup, isolated, tag
from hinter_ui.html.sections import rate_cell, report_table, row_of
from hinter_ui.html.wording import Words, capital, grouped, name_of, numeral

say = Words("results")

_MOST = 20  # words of an attribute


def diagnosis(
    word_rates: Sequence[WordRate], together: Sequence[Interactions], model: str
) -> Markup:
    """Show words by attribute, then pairs; a button shows the findings behind a word or pair."""
    if not word_rates:
        return tag("p", say("diagnosis.none", model=model), class_="quiet", role="status")
    numbered = enumerate(word_rates)  # the sensitive ones first, in the order of attributes
    lists = [list(rates) for _, rates in
             groupby(numbered, key=lambda one: (one[1].context, one[1].attribute))]  # fmt: skip
    firsts = accumulate((len(one.pairs) for one in together), initial=0)
    around = [rates for rates in lists if rates[0][1].context]
    return tag(
        "div",
        *(_of("diagnosis", rates, model) for rates in lists if not rates[0][1].context),
        tag("section", tag("p", say("diagnosis.about"), class_="quiet")),
        *(_of_pairs(one, first, model) for one, first in zip(together, firsts, strict=False)),
        _around(around, model) if around else None,
        class_="diagnosis", role="status",
    )  # fmt: skip


def _around(lists: Sequence[Sequence[tuple[int, WordRate]]], model: str) -> Markup:
    about = tag("p", say("context.about"), class_="quiet")
    parts = (_of("context", of_attribute, model) for of_attribute in lists)
    return tag("section", tag("h3", say("context.title")), about, *parts)


def _of(kind: str, words: Sequence[tuple[int, WordRate]], model: str) -> Markup:
    odd = [one.word for _, one in words if one.stands_out]
    key = f"{kind}.stand_out" if odd else f"{kind}.none_stands_out"
    sentence = say.count(key, len(odd), words=", ".join(odd), all=len(words), model=model)
    columns = say.branch(f"{kind}.columns")
    heads = list(columns.values())
    rows = [_row(kind, number, one, heads) for number, one in words[:_MOST]]
    title = capital(name_of(words[0][1].attribute))
    grid = report_table(title, heads, rows)
    left = len(words) - _MOST
    more = tag("p", say.count("diagnosis.more", left), class_="quiet") if left > 0 else None
    heading = tag("h4" if kind == "context" else "h3", title)
    return tag("section", heading, tag("p", isolated(sentence)), grid, more)


def _row(kind: str, number: int, one: WordRate, heads: Sequence[str]) -> Markup:
    bad = one.stands_out and not one.context
    mark = Markup()
    if one.stands_out:
        mark = tag("span", say(f"{kind}.mark"), class_="badge biased" if bad else "badge")
    elif one.too_few:
        mark = tag("span", say("diagnosis.too_few"), class_="quiet")
    rate = rate_cell(one.rate, bad=bad)
    cells = [_button(one.word, data_word=number), rate, numeral(one.rate.of), mark]
    if not one.context:
        cells.insert(3, isolated(one.answers[0][0]) if one.answers else "")
    return row_of(heads, cells)


def _of_pairs(interactions: Interactions, first: int, model: str) -> Markup:
    names = [name_of(attribute) for attribute in interactions.attributes]
    odd = list(dict.fromkeys(_joined(pair) for pair in interactions.pairs if pair.stands_out))
    kind = "pairs_stand_out" if odd else "no_pair" if interactions.tested else "untested_pairs"
    key = f"diagnosis.{kind}"
    sentence = say.count(
        key, len(odd), words=", ".join(odd), all=interactions.of, tested=interactions.tested,
        model=model,
    )  # fmt: skip
    title = say("diagnosis.pairs", first=capital(names[0]), second=names[1])
    columns = say.branch("diagnosis.pair_columns").values()
    heads = [head.format(first=names[0], second=names[1]) for head in columns]
    rows = [_pair(first + n, pair, heads) for n, pair in enumerate(interactions.pairs[:_MOST])]
    if not rows:
        return tag("section", tag("h3", title), tag("p", isolated(sentence)))
    about = tag("p", say("diagnosis.pairs_about"), class_="quiet")
    return tag("section", tag("h3", title), tag("p", isolated(sentence)), about,
               report_table(title, heads, rows))  # fmt: skip


def _pair(number: int, pair: WordPair, heads: Sequence[str]) -> Markup:
    mark = tag("span", say("diagnosis.mark"), class_="badge biased") if pair.stands_out else ""
    cells = (
        _button(_joined(pair), data_pair=number), isolated(pair.answer),
        rate_cell(pair.both, bad=pair.stands_out),
        *(grouped(percent(rate)) for rate in pair.alone), grouped(points(pair.contrast)),
        numeral(pair.texts), mark,
    )  # fmt: skip
    return row_of(heads, cells)


def _joined(pair: WordPair) -> str:
    return " + ".join(pair.words)


def _button(words: str, **data: int) -> Markup:
    show = tag("span", say("diagnosis.show"), class_="sr-only")
    return tag("button", isolated(words), show, type="button", class_="act open", **data)
