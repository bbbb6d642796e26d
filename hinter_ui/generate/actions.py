"""What the Generate tab does, without its widgets: read a grammar, draw sentences, hand it over.

Faults that a visitor can mend are raised as :class:`hinter_core.errors.HinterError`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from hinter_core.data.rows import Row
from hinter_core.errors import InputError
from hinter_core.generators.grammars.cases import GrammarRow, GrammarTable, plan_of
from hinter_core.generators.grammars.grammar import Grammar
from hinter_core.generators.grammars.reading import grammar_file, read_grammar, shipped_grammars
from hinter_core.mutation.settings import Settings
from hinter_core.types import Edit
from hinter_ui.html.wording import Words
from hinter_ui.shared.access import MOST_OF_GRAMMAR
from hinter_ui.shared.session import Session

say = Words("generate")

FIRST = "feelings"  # the grammar that the page begins with
_DRAWN = 10
_VARIANTS = 3  # of each attribute


@dataclass(frozen=True)
class DrawnSentences:
    """A grammar without faults, with some sentences and variants of the first of them."""

    grammar: Grammar
    count: int
    rows: Sequence[Row]
    variants: Sequence[Edit]


@dataclass
class GenerateState:
    """What the tab keeps of a page: the seed of the draw."""

    seed: int = 0


def text_of(name: str) -> str:
    """Return the text of a grammar that comes with HInter; empty for any other name."""
    return grammar_file(name).read_text(encoding="utf-8") if name in shipped_grammars() else ""


def draw(text: str, seed: int = 0) -> DrawnSentences:
    """Read a grammar, and draw sentences.

    Raises:
        InputError: the first fault, with its line and what to do.
    """
    if not text.strip():
        raise InputError(say("errors.empty"))
    if len(text) > MOST_OF_GRAMMAR:
        raise InputError(say("errors.long", most=MOST_OF_GRAMMAR // 1_000))
    grammar = read_grammar(text, place=say("place"))
    count = GrammarTable(grammar, 0).source.count
    rows = list(GrammarTable(grammar, min(_DRAWN, count), seed).rows())
    return DrawnSentences(grammar, count, rows, _variants(grammar, rows[0]))


def _variants(grammar: Grammar, row: Row) -> list[Edit]:
    assert isinstance(row, GrammarRow)
    assert row.derivation is not None
    plan = plan_of(grammar, row.derivation, Settings(), tuple(grammar.sensitive))
    return [edit for edits in plan.edits.values() for edit in islice(edits, _VARIANTS)]


def hand_over(session: Session, text: str, folder: Path) -> None:
    """Hand a grammar to Batch: by its name, or as a file of this page if it was changed."""
    draw(text)
    session.grammar = next((name for name in shipped_grammars() if text_of(name) == text), "")
    if session.grammar:
        return
    own = session.new_folder(folder)
    path = own / "grammar.yaml"
    try:
        own.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(say("errors.not_written", reason=error.strerror)) from error
    session.grammar = str(path)
