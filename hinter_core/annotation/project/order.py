"""The random order in which an annotator meets items, those of one text apart from each other."""

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from hinter_core.annotation.project.types import AnnotationItem, Project


@dataclass(frozen=True)
class Order:
    """An annotator's order of all items, by ``numbers``, with the text that each is made from."""

    numbers: list[int]
    texts: Mapping[int, str]

    def apart(self, wanted: Iterable[int], shown: list[str]) -> Iterator[int]:
        """Yield the wanted items, the first one whose text was not ``shown`` lately in turn."""
        left = list(wanted)
        while left:
            most = max(Counter(self.texts[item] for item in left).values())
            near = shown[-max(1, len(left) // (2 * most)) :]
            last = {text: place for place, text in enumerate(near)}
            item = min(left, key=lambda one: last.get(self.texts[one], -1))
            left.remove(item)
            shown.append(self.texts[item])
            yield item


def ordered(connection: sqlite3.Connection, project: Project, person: int) -> Order:
    """Place the items of each text evenly, from a random place on; those for all come first."""
    rows = connection.execute("SELECT number, shared, content FROM items").fetchall()
    texts = {row["number"]: AnnotationItem.from_json(row["content"]).cluster for row in rows}
    chances = {number: chance(project.seed, "order", person, number) for number in texts}
    of_text, met, place = Counter(texts.values()), Counter[str](), dict[int, float]()
    for row in sorted(rows, key=lambda row: (not row["shared"], chances[row["number"]])):
        number, text = row["number"], texts[row["number"]]
        start = chance(project.seed, "text", person, text)
        place[number] = (met[text] + start) / of_text[text] * (0.5 if row["shared"] else 1.0)
        met[text] += 1
    return Order(sorted(place, key=place.__getitem__), texts)


def chance(*parts: object) -> float:
    """Hash the parts to a uniform number in [0, 1)."""
    digest = hashlib.sha256("|".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64
