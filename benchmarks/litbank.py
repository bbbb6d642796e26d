"""Novels of LitBank with their mentions, and the third of them that nothing learns from.

LitBank (Bamman et al. 2020) marks people, places, organisations and vehicles, no other things.
Heads of words come from a parser, since LitBank has no trees.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.gum import GoldDocument, GoldMention, GoldWord
from hinter_core.language.people import people_words
from hinter_core.language.trees import ParsedSentence

_PARTS = re.compile(r"\((\d+)\)|\((\d+)|(\d+)\)")
_NO_GAP_BEFORE = re.compile(r"[.,;:!?)\]}%\u201d]|n't|['\u2019](?:s|d|ll|re|ve|m)$")


def is_held(name: str) -> bool:
    """Whether a novel is in the third that is kept apart."""
    return hashlib.sha1(name.encode(), usedforsecurity=False).digest()[0] % 3 == 0


def read_litbank(clusters: Path, entities: Path, held: bool) -> list[GoldDocument]:
    """Read the novels that are kept apart, or the others.

    ``clusters``: the coreference file. ``entities``: the file of entity types.
    """
    types = _types(entities)
    documents: list[GoldDocument] = []
    for name, sentences in _documents(clusters):
        if is_held(name) == held:
            documents.append(_document(name, sentences, types[name]))
    return documents


def add_heads(document: GoldDocument, sentences: Sequence[ParsedSentence]) -> None:
    """Give the words of a document the heads that a parser found."""
    starts = [word.span[0] for word in document.words]
    for one in sentences:
        spans = [(one.sentence.start + a, one.sentence.start + b) for a, b in one.parse.spans]
        words = [max(0, bisect_left(starts, b) - 1) for _, b in spans]
        heads = [words[head] for head in one.parse.heads]
        for token, head in enumerate(heads):
            if head != words[token]:
                document.words[words[token]].head = head
        _turn_titles(document, words)


def _turn_titles(document: GoldDocument, words: Sequence[int]) -> None:
    """Make a name the head of its title: a parser may take "Miss" for the head of "Miss Doe"."""
    titles = people_words().titles
    for number in words:
        word, after = document.words[number], document.words[number + 1 : number + 2]
        title = word.form.lower().rstrip(".") in titles and word.form[:1].isupper()
        if title and after and after[0].head == number and after[0].form[:1].isupper():
            after[0].head, word.head = word.head, number + 1


def _types(path: Path) -> dict[str, list[list[str]]]:
    """Return the columns of entity types of each word, by document."""
    types: dict[str, list[list[str]]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("# doc "):
                rows = types.setdefault(line[6:].strip(), [])
            elif line.strip():
                rows.append(line.rstrip("\n").split("\t")[1:])
    return types


def _documents(path: Path) -> Iterator[tuple[str, list[list[tuple[str, str]]]]]:
    """Yield the names of documents, and the words with their marks in sentences."""
    name = ""
    sentences: list[list[tuple[str, str]]] = [[]]
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            cells = line.rstrip("\n").split("\t")
            if line.startswith("#begin document"):
                name, sentences = line[line.index("(") + 1 : line.rindex(")")], [[]]
            elif line.startswith("#end"):
                yield name, sentences
            elif len(cells) > 12:
                sentences[-1].append((cells[3], cells[12]))
            elif sentences[-1]:
                sentences.append([])


def _document(
    name: str, sentences: list[list[tuple[str, str]]], types: list[list[str]]
) -> GoldDocument:
    document = GoldDocument(name)
    open_quote = False
    for sentence in sentences:
        opened: dict[str, list[int]] = {}
        for number, (form, marks) in enumerate(sentence):
            closing = form == "''" or (form == '"' and open_quote)
            if form in ("``", "''", '"'):
                open_quote, form = not closing, '"'
            if closing or (_NO_GAP_BEFORE.match(form) and number):
                document.text = document.text.rstrip()
            start = len(document.text)
            document.text += form
            document.words.append(GoldWord(form, (start, len(document.text))))
            if not (form in ("(", "[", "\u201c") or (form == '"' and open_quote)):
                document.text += " "
            _mark(document, marks, opened, types)
    document.text = document.text.rstrip()
    _type_pronouns(document)
    return document


def _type_pronouns(document: GoldDocument) -> None:
    """Give mentions without a type that of their entity; LitBank has none for pronouns."""
    forms: dict[str, set[str]] = {}
    for mention in document.mentions:
        if not mention.kind:
            form = document.words[mention.last].form.lower()
            forms.setdefault(mention.entity, set()).add(form)
    kinds = {m.entity: m.kind for m in document.mentions if m.kind}
    for mention in document.mentions:
        only_things = forms.get(mention.entity, set()) <= {"it", "its", "itself"}
        mention.kind = mention.kind or kinds.get(mention.entity, "" if only_things else "person")


def _mark(
    document: GoldDocument, marks: str, opened: dict[str, list[int]], types: list[list[str]]
) -> None:
    place = len(document.words) - 1
    for match in _PARTS.finditer(marks):
        whole, begins, ends = match.groups()
        if whole or begins:
            entity = whole or begins
            document.mentions.append(GoldMention(place, place, entity, ""))
            if begins:
                opened.setdefault(entity, []).append(len(document.mentions) - 1)
        elif opened.get(ends):
            document.mentions[opened[ends].pop()].last = place
    for mention in document.mentions[-8:]:
        if mention.last == place:
            mention.kind = _kind(types, mention)


def _kind(types: list[list[str]], mention: GoldMention) -> str:
    """Return the type of a mention: its column begins where it begins and ends where it ends."""
    for column, cell in enumerate(types[mention.first]):
        if not cell.startswith("B-"):
            continue
        last = mention.first
        while last + 1 < len(types) and types[last + 1][column : column + 1] == [f"I-{cell[2:]}"]:
            last += 1
        if last == mention.last:
            return "person" if cell[2:] == "PER" else cell[2:]
    return ""
