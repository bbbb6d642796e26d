"""The trees of two texts side by side, without a word on what the invariant made of them."""

from __future__ import annotations

from hinter_core.annotation.values import Item
from hinter_core.parsing import ParseStore
from hinter_core.sentences import split_sentences
from hinter_core.types import Parse, Sentence
from hinter_ui.present import tree
from hinter_ui.present.difference import Piece, differences
from hinter_ui.present.markup import Markup, tag
from hinter_ui.wording import Words

_MOST = 4  # pairs of sentences
_LONGEST = 1_000  # characters of a sentence that is drawn
_HALF_PAGE = 520  # pixels
_NO_ATTRIBUTE = "changed"  # colours an edited word alike, whatever was changed


def pair_trees(item: Item, parses: ParseStore, words: Words) -> Markup:
    """The sentences of an item that differ, each with its tree.

    Raises:
        ParserError: they cannot be parsed.
    """
    pairs, told = _pairs(item)
    if told:
        return tag("p", words(f"screen.{told}"), class_="quiet")
    shown = pairs[:_MOST]
    texts = [sentence.text for pair in shown for sentence in pair]
    parsed = parses.parse(texts)
    old, new = (_changed(pieces) for pieces in differences(item.source, item.mutant, item.edits))
    rows = []
    for left, right in shown:
        wide = max(tree.width_of(parsed[s.text]) for s in (left, right)) > _HALF_PAGE
        cards = [
            _card(words, "tree_source", left, parsed[left.text], old),
            _card(words, "tree_mutant", right, parsed[right.text], new),
        ]
        rows.append(tag("div", *cards, class_="tree-row wide" if wide else "tree-row"))
    more = None
    if len(pairs) > _MOST:
        more = tag("p", words("screen.tree_more", n=len(pairs) - _MOST), class_="quiet")
    return tag("div", *rows, more, class_="trees")


def _pairs(item: Item) -> tuple[list[tuple[Sentence, Sentence]], str]:
    """Sentences that differ, or why there are none to show."""
    if not item.source:
        return [], "trees_none"
    old, new = split_sentences(item.source), split_sentences(item.mutant)
    if len(old) != len(new):
        return [], "trees_many"
    pairs = [
        (left, right)
        for left, right in zip(old, new, strict=True)
        if left.text != right.text and max(len(left.text), len(right.text)) <= _LONGEST
    ]
    return pairs, "" if pairs else "trees_none"


def _changed(pieces: list[Piece]) -> list[tuple[int, int]]:
    spans, at = [], 0
    for piece in pieces:
        if piece.changed:
            spans.append((at, at + len(piece.text)))
        at += len(piece.text)
    return spans


def _card(
    words: Words, side: str, sentence: Sentence, parse: Parse, spans: list[tuple[int, int]]
) -> Markup:
    inside = [
        (max(start, sentence.start) - sentence.start, end - sentence.start, _NO_ATTRIBUTE)
        for start, end in spans
        if start < sentence.end and end > sentence.start
    ]
    caption = words(f"screen.{side}")
    title = words("screen.tree_title", side=caption, sentence=sentence.text)
    drawing = tree.svg(parse, tree.marks_of(parse, inside, ()), title)
    scroll = tag("div", drawing, class_="tree-scroll", tabindex="0", role="region",
                 aria_label=caption)  # fmt: skip
    return tag(
        "figure", tag("figcaption", caption, class_="quiet"), scroll, class_="card tree-card"
    )
