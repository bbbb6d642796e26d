"""Check that the sentences of a grammar differ, and that none has two labels."""

from hinter_core.errors import InputError
from hinter_core.generators.grammars.cases import GrammarTable, labels_of
from hinter_core.generators.grammars.grammar import Grammar

_LOOKED_AT = 20_000  # sentences that are drawn; of a smaller grammar all


def require_sound(grammar: Grammar, place: str = "") -> int:
    """Return how many sentences were looked at; ``place``: what faults name.

    Raises:
        InputError: a sentence is made in two ways, or has two labels; a line for each fault.
    """
    place = place or grammar.name
    seen, faults = set[str](), dict[str, str]()
    table = GrammarTable(grammar, _LOOKED_AT)
    for row in table.rows():
        if row.text in seen:
            faults.setdefault(
                "twice", f"{place}: two ways lead to the same sentence, so that counts are too "
                f"high: '{row.text}'. Remove one of them.",
            )  # fmt: skip
        seen.add(row.text)
        labels = labels_of(grammar, row.derivation)
        if len(labels) > 1:
            faults.setdefault(
                "labels", f"{place}: a sentence has the labels {' and '.join(labels)}, so that "
                f"none counts: '{row.text}'. Let one rule or list of it have a label.",
            )  # fmt: skip
    if faults:
        raise InputError("\n".join(faults.values()))
    return len(seen)
