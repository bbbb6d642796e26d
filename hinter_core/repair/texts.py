"""The texts of a repair: which are learnt from, and which are kept for the test."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

from hinter_core.campaign.settings import SAMPLE, SAMPLE_FILE
from hinter_core.data.rows import Row, open_table
from hinter_core.errors import InputError

_FEWEST = 40  # texts, so that some are left to test
_ENOUGH = 0.5  # of the texts, that are learnt from without words that are kept for the test


def folded(text: str) -> str:
    """Return a text as it is compared with others: without its case and spacing."""
    return " ".join(text.split()).casefold()


def matcher(words: Iterable[str]) -> re.Pattern[str]:
    """Return what finds these words in a text, also in compounds (*Arab-American*) and with *s*."""
    listed = "|".join(map(re.escape, sorted(words)))
    return re.compile(rf"(?<!\w)(?:{listed or '(?!)'})(?:e?s)?(?!\w)", re.IGNORECASE)


def usable_rows(data: str, labels: Sequence[str]) -> tuple[list[Row], int]:
    """Return the texts of a repair, and how many rows were left out that repeat a text.

    Raises:
        InputError: they are too few, or have less than two of the model's labels.
    """
    path = SAMPLE_FILE if data == SAMPLE else Path(data)
    every = [row for row in open_table(path).rows() if not row.fault]
    known = {row.label for row in every if row.label in labels}
    if len(known) < 2:
        said = ", ".join(sorted({row.label for row in every if row.label})[:5]) or "none"
        raise InputError(
            f"{path} has {len(known)} of the labels {', '.join(labels)} (it has {said}); to "
            "measure a repair it needs two or more of them."
        )
    first = {folded(row.text): row for row in reversed(every)}
    rows = sorted(first.values(), key=lambda row: row.number)
    if len(rows) < _FEWEST:
        raise InputError(
            f"{path} has {len(rows)} different texts, and a repair needs {_FEWEST} or more."
        )
    return rows, len(every) - len(rows)


def split_rows(rows: Sequence[Row], most: int, seed: int) -> tuple[list[Row], list[Row]]:
    """Draw texts to learn from, at most ``most``, and others for the test, at least a fifth."""
    mixed = Random(seed).sample(rows, len(rows))
    number = min(most, len(rows) * 4 // 5)
    return mixed[:number], mixed[number : number + max(most, _FEWEST)]


def without_kept(rows: Sequence[Row], kept: re.Pattern[str]) -> Sequence[Row]:
    """Leave out texts with words that are kept for the test, unless these are most of the texts."""
    others = [row for row in rows if not kept.search(row.text)]
    return others if len(others) >= _ENOUGH * len(rows) else rows
