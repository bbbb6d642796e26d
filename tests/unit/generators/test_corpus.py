"""Mining a corpus: every row has an outcome, and a stopped run goes on where it stopped."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from hinter_core.data.rows import Table, open_table
from hinter_core.errors import InputError
from hinter_core.generators.templates.corpus import (
    MiningCounts,
    counts_of,
    log_of,
    mine_corpus,
    reasons_in_words,
)
from hinter_core.generators.templates.template import open_templates
from hinter_core.language.parsing import ParseStore

TEXTS = [
    "Paul lost his wallet.", "It rained.", "Ruth is a lawyer. She works a lot.", "",
    "Anna met Peter, and he smiled at her.", "An engineer fixed the lamp.", "She sang.",
]  # fmt: skip


class StopError(Exception):
    pass


@pytest.fixture
def corpus(tmp_path: Path) -> Table:
    path = tmp_path / "texts.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([["text"], *([text] for text in TEXTS)])
    return open_table(path)


def test_every_row_has_an_outcome_for_every_class(corpus: Table, parses: ParseStore) -> None:
    out = corpus.source.path.with_name("T.jsonl")
    counts = mine_corpus(corpus, "c", parses, out)
    assert counts.rows == len(TEXTS)
    assert all(own.total() == len(TEXTS) for own in counts.reasons.values())
    assert counts.taken("gender") == 3
    assert counts.taken("occupation") == 2
    assert [row.id for row in open_templates(out).rows()] == ["1", "3", "6-occupation", "7"]
    assert counts_of(out) == counts
    assert "gender: 3 of 7 texts; refused: " in next(reasons_in_words(counts))


@pytest.mark.parametrize("stop", range(1, len(TEXTS)))
@pytest.mark.parametrize("torn", ["", '{"text": "half', "log"])
def test_a_stopped_run_goes_on(stop: int, torn: str, corpus: Table, parses: ParseStore) -> None:
    whole, out = (corpus.source.path.with_name(name) for name in ("whole.jsonl", "T.jsonl"))
    mine_corpus(corpus, "c", parses, whole)

    def after(counts: MiningCounts) -> None:
        if counts.rows == stop:
            raise StopError

    with pytest.raises(StopError):
        mine_corpus(corpus, "c", parses, out, on_row=after)
    with (log_of(out) if torn == "log" else out).open("a") as file:
        file.write(torn)
    counts = mine_corpus(corpus, "c", parses, out)
    assert out.read_bytes() == whole.read_bytes()
    assert log_of(out).read_bytes() == log_of(whole).read_bytes()
    assert counts.rows == len(TEXTS)


def test_a_limit_can_be_raised(corpus: Table, parses: ParseStore) -> None:
    out = corpus.source.path.with_name("T.jsonl")
    assert mine_corpus(corpus, "c", parses, out, limit=2).rows == 2
    assert mine_corpus(corpus, "c", parses, out, limit=5).rows == 5


def test_a_file_of_something_else_is_not_continued(corpus: Table, parses: ParseStore) -> None:
    out = corpus.source.path.with_name("T.jsonl")
    mine_corpus(corpus, "c", parses, out)
    with pytest.raises(InputError, match="mined from another corpus"):
        mine_corpus(corpus, "other", parses, out)
    out = corpus.source.path.with_name("own.jsonl")
    out.write_text("{}\n")
    with pytest.raises(InputError, match="was not written by mining"):
        mine_corpus(corpus, "c", parses, out)
    assert out.read_text() == "{}\n"
