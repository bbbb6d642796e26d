"""The texts whose words were read, by the names that the files of labels have for them.

Passages of some 130 words are made of the sentences of treebanks and of the novels of LitBank. A
third of the novels, chosen by a hash of their names, is left out: nothing may be learned from them.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from hinter_core.data.rows import open_table
from hinter_core.errors import InputError
from hinter_core.language.clean import clean

_LONGEST = 130  # words of a passage; its last sentence ends after them
_FEWEST = 6  # words of a passage
_EWT = ("answers", "email", "newsgroup", "reviews", "weblog")


def add_sources(parser: argparse.ArgumentParser) -> None:
    """Add the options that name the files of all data."""
    parser.add_argument("--treebanks", type=Path, required=True, help="folder of UD EWT and GUM")
    parser.add_argument("--litbank", type=Path, required=True, help="entities of LitBank")
    parser.add_argument("--uner", type=Path, required=True, help="Universal NER of EWT, dev part")
    parser.add_argument("--wikipedia", type=Path, required=True, help="texts about people")
    parser.add_argument(
        "--fiction", type=Path, required=True, help="passages of fiction, in two halves"
    )
    parser.add_argument("--reviews", type=Path, required=True, help="IMDB training reviews")
    parser.add_argument("--excerpts", type=Path, required=True, help="excerpts of court opinions")
    parser.add_argument("--summaries", type=Path, required=True, help="summaries of opinions")


def texts_of(options: argparse.Namespace) -> dict[str, list[str]]:
    """Return all texts with words that were read, cleaned, by name."""
    found: dict[str, list[str]] = defaultdict(list)
    for part in ("train", "dev", "test"):
        for name, sentences in _documents(options.treebanks / f"ewt-{part}.conllu.gz"):
            if (kind := name.split("-")[0]) in _EWT:
                found[f"ewt-{kind}"] += passages(sentences)
    for name, sentences in _documents(options.treebanks / "gum-train.conllu.gz"):
        found[f"gum-{name.split('_')[1]}"] += passages(sentences)
    for _, sentences in _documents(options.treebanks / "gum-dev.conllu.gz"):
        found["gum-dev"] += passages(sentences)
    for _, novel in novels(options.litbank):
        found["litbank"] += passages([joined([w for w, *_ in s]) for s in novel])
    found["wikipedia"] = _column(options.wikipedia)
    fiction = _column(options.fiction)
    half = len(fiction) // 2
    found["fiction"], found["fiction-2"] = fiction[:half], fiction[half:]
    texts = {
        name: [_cleaned(text) for text in rows if len(text.split()) >= _FEWEST]
        for name, rows in found.items()
    }
    for name in ("reviews", "excerpts", "summaries"):
        texts[name] = [_cleaned(row.text) for row in open_table(getattr(options, name)).rows()
                       if row.text]  # fmt: skip
    return texts


def _cleaned(text: str) -> str:
    try:
        return clean(text)[0]
    except InputError:  # too long; the places of the others stay
        return ""


def _column(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [row["text"] for row in csv.DictReader(lines)]


def passages(sentences: Iterable[str]) -> list[str]:
    """Join sentences to passages."""
    found: list[str] = []
    now: list[str] = []
    for sentence in sentences:
        now.append(sentence)
        if sum(len(s.split()) for s in now) >= _LONGEST:
            found.append(" ".join(now))
            now = []
    return [*found, " ".join(now)] if now else found


def _documents(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield name and sentences of the documents of a treebank."""
    found: dict[str, list[str]] = {}
    name = ""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("# newdoc id"):
                name = line.split("=", 1)[1].strip()
            elif line.startswith("# text ="):
                found.setdefault(name, []).append(line.split("=", 1)[1].strip())
    yield from found.items()


def novels(path: Path) -> Iterator[tuple[str, list[list[list[str]]]]]:
    """Yield name and sentences of the novels to learn from: a row of columns for each word."""
    found: dict[str, list[list[list[str]]]] = {}
    sentences: list[list[list[str]]] = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for raw in lines:
            line = raw.rstrip("\n")
            if line.startswith("# doc"):
                sentences = found.setdefault(line[6:].strip(), [[]])
            elif not line.strip():
                sentences += [[]] if sentences[-1] else []
            else:
                sentences[-1].append(line.split("\t"))
    for name, rows in found.items():
        if hashlib.sha1(name.encode(), usedforsecurity=False).digest()[0] % 3:
            yield name, [row for row in rows if row]


def joined(tokens: Sequence[str]) -> str:
    """Write tokens as a text with the usual spaces and quotation marks."""
    text = " ".join(tokens)
    clitics = r"n't|'(?:s|d|ll|re|ve|m)\b|’(?:s|d|ll|re|ve|m)\b"
    text = re.sub(rf"\s+([.,;:!?)\]}}%]|{clitics})", r"\1", text)
    text = re.sub(r"([(\[{$])\s+", r"\1", text)
    text = re.sub(r"``\s*|\s*''", '"', text)
    text = re.sub(r"“\s+", "“", text)
    text = re.sub(r"\s+”", "”", text)
    written: list[str] = []
    inside = False
    for part in re.split(r'(")', text):
        if part != '"':
            written.append(part.lstrip() if inside else part)
            continue
        if inside:
            written[-1] = written[-1].rstrip()
        written.append('"')
        inside = not inside
    return "".join(written)
