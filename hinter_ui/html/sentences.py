"""Sentences of a grammar, with the words marked that its rules chose."""

from hinter_core.data.rows import Row
from hinter_core.generators.grammars.cases import GrammarRow, fill
from hinter_core.generators.grammars.grammar import Grammar
from hinter_ui.html.markup import Markup, isolated, tag, with_marks
from hinter_ui.html.wording import beside, hue, name_of


def sentence(row: Row, grammar: Grammar) -> Markup:
    """Mark the words of a sentence: those of sensitive attributes with their names."""
    if not isinstance(row, GrammarRow):
        return isolated(row.text)
    attributes = grammar.attribute_of
    marks, last = [], ""
    for slot in fill(row.derivation, row.derivation.values, attributes).slots:
        words = row.text[slice(*slot.span)]
        attribute = attributes.get(slot.name)
        if attribute is None:
            mark = tag("mark", words, class_="slot", title=slot.name)
        else:
            label = beside(name_of(attribute)) if attribute != last else None
            mark = tag("mark", words, label, class_="term", style=f"--h:{hue(attribute)}")
            last = attribute
        marks.append((*slot.span, mark))
    return tag("p", with_marks(row.text, marks), dir="auto")
