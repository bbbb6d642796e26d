"""Replies of strangers are read in linear time, and their lengths are bounded."""

from __future__ import annotations

import time

import pytest

from tests.unit.models.replies.reader import FEELINGS, MOOD, NEGATIVE, NO_LABEL, POSITIVE, read

N = 30_000
LONG = {
    "blanks": " " * N,
    "lines": "\n" * N,
    "blank lines": "\n " * N,
    "tabs": "\t." * N,
    "braces": "{" * N,
    "brackets": "[" * N,
    "objects": '{"a":' * N,
    "thoughts": "<think>" * N,
    "ends": "</think>" * N,
    "answers": "<answer>" * N,
    "headings": "Answer: " * N,
    "is": "the sentiment is " * N,
    "denials": "not " * N,
    "stars": "*" * N,
    "bars": "<|" * N,
    "boxes": "\\boxed{" * N,
    "double": "[[" * N,
    "channels": "<|start|>" * N,
    "quotes": '"' * N,
    "pairs": '"label": ' * N,
    "low lines": "_" * N,
    "dashes": "- " * N,
    "digits": "1," * N,
    "refusals": "i cannot " * N,
    "doubts": "wait " * N,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_no_reply_takes_long(name: str) -> None:
    started = time.monotonic()
    for reply in (LONG[name], f"positive{LONG[name]}", f"{LONG[name]}positive"):
        for cut in (False, True):
            for labels, several in ((MOOD, False), (FEELINGS, True)):
                read(reply, labels, several=several, cut=cut)
    assert time.monotonic() - started < 20  # quadratic ones took 17 s each


def test_blanks_change_nothing() -> None:
    for blanks in (" " * N, "\n" * N, " \n" * N, "\u200b" * N):
        assert read(f"positive{blanks}") == POSITIVE
        assert read(f"{blanks}Answer:{blanks}negative") == NEGATIVE
    assert read("word " * N + "positive") == NO_LABEL
