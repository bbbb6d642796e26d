"""Draw words of texts for people to read: ``python -m training.person_sense.draw --help``.

Writes ``words.csv`` (data, row, start, end, excerpt with the word in double brackets; the column
``person`` is empty). Who has filled it with *yes* or *no* appends its lines, less the excerpt, to
``words_read.csv``.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections.abc import Iterator
from pathlib import Path

from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.language.sentences import sentence_at, split_sentences
from hinter_core.terms.matching import Matcher
from hinter_core.terms.senses.person_sense import read
from hinter_core.types import Span
from training.person_sense.corpus import LABELS, LONGEST, WORDS_READ, is_plain, people
from training.person_sense.texts import add_texts, texts_of

_AROUND = 110  # characters before and after the sentence
_OF_A_TEXT = 3  # words that the rules call people, and as many that they do not


def drawn(name: str, texts: list[str], most: int, chance: random.Random) -> Iterator[list[object]]:
    """Yield the lines of words that nobody read, of texts in random order."""
    known = set()
    for file in (LABELS, WORDS_READ):
        with file.open(encoding="utf-8", newline="") as lines:
            for line in csv.DictReader(lines):
                if line.get("data", "reviews") == name:
                    known.add((int(line["row"]), int(line["start"])))
    store, matcher = ParseStore(load_parser("embedded"), 500_000), Matcher(people())
    made = 0
    for row in chance.sample(range(len(texts)), len(texts)):
        text = texts[row]
        sentences = split_sentences(text)
        words: dict[bool, list[Span]] = {True: [], False: []}
        for occurrence in matcher.find(text)[0]:
            span = occurrence.span
            at = sentence_at(sentences, span[0])
            fresh = (row, span[0]) not in known and not all(map(is_plain, occurrence.terms))
            if fresh and at and span[1] <= at.end and len(at.text) <= LONGEST:
                parse = store.parse([at.text], entities=True)[at.text]
                inside = span[0] - at.start, span[1] - at.start
                words[bool(read(parse, inside, occurrence.terms).terms)].append(span)
        for found in words.values():
            for start, end in chance.sample(found, min(_OF_A_TEXT, len(found))):
                at = sentence_at(sentences, start)
                assert at is not None
                left, right = max(0, at.start - _AROUND), at.end + _AROUND
                yield [
                    name, row, start, end,
                    f"{text[left:start]}[[{text[start:end]}]]{text[end:right]}", "",
                ]  # fmt: skip
                made += 1
        if made >= most:
            return


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_texts(parser)
    parser.add_argument("--words", type=int, default=1_000, help="of each of the three")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="the table")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with options.out.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["data", "row", "start", "end", "excerpt", "person"])
        for name, texts in texts_of(options).items():
            table.writerows(drawn(name, texts, options.words, chance))


if __name__ == "__main__":
    main()
