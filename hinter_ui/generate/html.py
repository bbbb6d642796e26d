"""What the Generate tab shows of a grammar."""

from hinter_core.generators.grammars.generator import usual_model
from hinter_ui.generate.actions import DrawnSentences, say
from hinter_ui.html.marked import changed
from hinter_ui.html.markup import Markup, isolated, table, tag
from hinter_ui.html.sentences import sentence
from hinter_ui.html.wording import name_of


def drawn(sentences: DrawnSentences) -> Markup:
    """Show the size of a grammar, sentences, and variants of the first of them."""
    rules, terminals = sentences.grammar.size
    facts = (
        say("size", rules=rules, terminals=terminals),
        say(
            "task",
            task=say(f"tasks.{sentences.grammar.task}"),
            model=usual_model(sentences.grammar),
        ),
    )
    count = tag("strong", say.count("sentences", sentences.count))
    head = tag("p", count, *(f" \u00b7 {fact}" for fact in facts))
    about = (
        tag("p", isolated(sentences.grammar.about), class_="quiet")
        if sentences.grammar.about
        else None
    )
    labelled = any(row.label for row in sentences.rows)
    rows = [
        tag(
            "tr",
            tag("td", sentence(row, sentences.grammar)),
            tag("td", isolated(row.label), class_="row-label") if labelled else None,
        )
        for row in sentences.rows
    ]
    columns = ["sentence", "label"] if labelled else ["sentence"]
    grid = table(say("drawn"), [say(f"columns.{one}") for one in columns], rows)
    first = sentences.rows[0].text
    items = [
        tag("li", tag("span", name_of(edit.attribute), " ", class_="quiet-inline"),
            changed(first, (edit,)))
        for edit in sentences.variants
    ]  # fmt: skip
    variants = tag("ul", *items, class_="plain") if items else tag("p", say("none"))
    return tag(
        "div", head, about, tag("div", grid, class_="rows-table"), tag("h3", say("variants")),
        variants, class_="data-preview", role="status",
    )  # fmt: skip
