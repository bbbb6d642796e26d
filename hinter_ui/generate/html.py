"""The HTML of the Generate tab: what a grammar makes."""

from hinter_core.generators.grammars.answers import usual_model
from hinter_ui.generate.actions import DrawnSentences, say
from hinter_ui.html.marked import changed
from hinter_ui.html.markup import Markup, isolated, table, tag
from hinter_ui.html.sentences import sentence
from hinter_ui.html.wording import name_of


def drawn(found: DrawnSentences) -> Markup:
    """Show the size of a grammar, sentences, and variants of the first of them."""
    rules, terminals = found.grammar.size
    facts = (
        say("size", rules=rules, terminals=terminals),
        say("task", task=say(f"tasks.{found.grammar.task}"), model=usual_model(found.grammar)),
    )
    count = tag("strong", say.count("sentences", found.count))
    head = tag("p", count, *(f" \u00b7 {fact}" for fact in facts))
    about = tag("p", isolated(found.grammar.about), class_="quiet") if found.grammar.about else None
    rows = [
        tag(
            "tr",
            tag("td", sentence(row, found.grammar)),
            tag("td", isolated(row.label), class_="row-label"),
        )
        for row in found.rows
    ]
    grid = table(say("drawn"), [say("columns.sentence"), say("columns.label")], rows)
    first = found.rows[0].text
    items = [
        tag("li", tag("span", name_of(edit.attribute), " ", class_="quiet-inline"),
            changed(first, (edit,)))
        for edit in found.variants
    ]  # fmt: skip
    variants = tag("ul", *items, class_="plain") if items else tag("p", say("none"))
    return tag(
        "div", head, about, tag("div", grid, class_="rows-table"), tag("h3", say("variants")),
        variants, class_="data-preview", role="status",
    )  # fmt: skip
