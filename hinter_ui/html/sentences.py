"""Sentences of a grammar, with the words marked that its rules chose."""

from hinter_core.data.rows import Row
from hinter_core.generators.grammars.cases import GrammarRow, fill
from hinter_core.generators.grammars.grammar import Grammar
from hinter_ui.html.markup import Markup, isolated, tag
from hinter_ui.html.wording import beside, hue, name_of


def sentence(row: Row, grammar: Grammar) -> Markup:
    """Mark the words of a sentence: those of sensitive attributes with their names."""
    derivation = row.derivation if isinstance(row, GrammarRow) else None
    if derivation is None:
        return isolated(row.text)
    attributes = grammar.attribute_of
    parts: list[object] = []
    at, last = 0, ""
    for slot in fill(derivation, derivation.values, attributes).slots:
        start, end = slot.span
        parts.append(row.text[at:start])
        attribute = attributes.get(slot.name)
        if attribute is None:
            parts.append(tag("mark", row.text[start:end], class_="slot", title=slot.name))
        else:
            label = beside(name_of(attribute))
            parts.append(
                tag("mark", row.text[start:end], label if attribute != last else None,
                    class_="term", style=f"--h:{hue(attribute)}")
            )  # fmt: skip
            last = attribute
        at = end
    return tag("p", *parts, row.text[at:], dir="auto")
