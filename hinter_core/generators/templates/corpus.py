"""Mine a corpus: templates and reasons are written row by row, so that a stopped run goes on.

Two files grow: the templates, and beside them a log with the outcome of every row. A row counts as
done when its line of the log is complete; what a killed run wrote of a later row is cut off. Memory
does not depend on the size of the corpus.
"""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from hinter_core.data.rows import Row, Rows
from hinter_core.errors import InputError
from hinter_core.generators.templates.mining import TAKEN, MinedText, Refusal, mine, refused
from hinter_core.generators.templates.template import ATTRIBUTES, template_line
from hinter_core.language.clean import clean
from hinter_core.language.coreference import Resolver, SieveResolver, parse_text
from hinter_core.language.parsing import ParseStore
from hinter_core.language.sentences import split_sentences

VERSION = 3  # of the rules; a log of another version is not continued
_BATCH = 32  # rows parsed at once


@dataclass
class MiningCounts:
    """Counts of a mined corpus: ``rows``, ``templates``, and by attribute reasons with numbers."""

    rows: int = 0
    templates: int = 0
    reasons: dict[str, Counter[str]] = field(
        default_factory=lambda: {name: Counter() for name in ATTRIBUTES}
    )

    def add(self, reasons: Mapping[str, str], templates: int) -> None:
        """Count the outcome of a row."""
        self.rows += 1
        self.templates += templates
        for name in ATTRIBUTES:
            self.reasons[name][reasons[name]] += 1

    def taken(self, attribute: str) -> int:
        """Return the number of templates of a class."""
        return self.reasons[attribute][TAKEN]


def log_of(out: Path) -> Path:
    """Return the place of the log beside a file of templates."""
    return out.with_name(f"{out.name}.log")


def mined_rows(
    rows: Iterator[Row], parses: ParseStore, resolver: Resolver | None = None
) -> Iterator[tuple[Row, MinedText]]:
    """Yield rows with their templates; sentences of several rows are parsed in one batch."""
    while batch := list(islice(rows, _BATCH)):
        usable = {row.number: clean(row.text)[0] for row in batch if not row.fault}
        split = (one.text for text in usable.values() for one in split_sentences(text))
        parses.parse(split, entities=True)  # all at once; the store has them then
        for row in batch:
            if row.fault:
                yield row, refused(Refusal.UNUSABLE)
                continue
            text = usable[row.number]
            yield row, mine(row.id, text, parse_text(text, parses), resolver, row.label)


def mine_corpus(
    table: Rows,
    corpus: str,
    parses: ParseStore,
    out: Path,
    *,
    resolver: Resolver | None = None,
    limit: int | None = None,
    on_row: Callable[[MiningCounts], None] = lambda _: None,
) -> MiningCounts:
    """Mine all rows of a corpus into ``out``, from where an earlier run stopped.

    ``corpus``: what identifies the corpus. ``limit``: number of rows, from the first.

    Raises:
        InputError: ``out`` is of another corpus, or a file cannot be read or written.
    """
    resolver = resolver or SieveResolver()
    head = {
        "corpus": corpus,
        "parser": parses.parser.identity,
        "resolver": resolver.identity,
        "version": VERSION,
    }
    try:
        counts = _resume(out, head)
        rows = islice(table.rows(), counts.rows, limit)
        with out.open("a", encoding="utf-8") as file, log_of(out).open("a") as log:
            for row, mined in mined_rows(rows, parses, resolver):
                for template in mined.templates:
                    file.write(template_line(template))
                file.flush()
                done = {"row": row.number, "end": file.tell(), "templates": len(mined.templates)}
                log.write(json.dumps(done | {"reasons": mined.reasons}) + "\n")
                log.flush()
                counts.add(mined.reasons, len(mined.templates))
                on_row(counts)
    except OSError as error:
        raise InputError(
            f"Cannot write {out}: {error.strerror or error}. Choose another place, or free some "
            "space and run the same command again; finished rows are kept."
        ) from error
    return counts


def _resume(out: Path, head: Mapping[str, Any]) -> MiningCounts:
    """Count what an earlier run has done, and cut off what it left incomplete."""
    counts, log = MiningCounts(), log_of(out)
    if not log.exists():
        if out.exists() and out.stat().st_size:
            raise InputError(f"{out} exists and was not written by mining; name another file.")
        log.write_text(json.dumps(head) + "\n", encoding="utf-8")
        return counts
    end = kept = 0
    with log.open("rb") as lines:
        first = lines.readline()
        if _read(first) != head:
            raise InputError(
                f"{out} was mined from another corpus, or with another parser or version; name "
                "another file, or delete it and its log."
            )
        kept = lines.tell()
        for line in lines:
            done = _read(line)
            if done is None or not line.endswith(b"\n"):
                break
            counts.add(done["reasons"], done["templates"])
            end, kept = done["end"], kept + len(line)
    for path, size in ((log, kept), (out, end)):
        if path.exists() and path.stat().st_size > size:
            os.truncate(path, size)
    return counts


def _read(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def counts_of(out: Path) -> MiningCounts | None:
    """Return the counts of a mined file from its log; None without a log."""
    log = log_of(out)
    return read_log(log) if log.exists() else None


def read_log(log: Path) -> MiningCounts:
    """Return the counts of a log of mining.

    Raises:
        InputError: the file cannot be read, or is no such log.
    """
    counts = MiningCounts()
    try:
        with log.open("rb") as lines:
            known = "corpus" in _read(next(lines, b"{}"))
            for line in lines:
                done = _read(line)
                if isinstance(done, dict) and "reasons" in done:
                    counts.add(done["reasons"], done["templates"])
    except OSError as error:
        raise InputError(f"Cannot read {log}: {error.strerror}. Check the path.") from error
    except (KeyError, TypeError, AttributeError, RecursionError):
        known = False
    if not known:
        raise InputError(
            f"{log} is no log of mining; hinter templates mine writes one beside the templates, "
            "with .log after their name."
        )
    return counts


def reasons_in_words(counts: MiningCounts) -> Iterator[str]:
    """Yield a line for each class: templates, and texts that were refused by reason."""
    for name in ATTRIBUTES:
        why = [
            f"{reason} {number:,}"
            for reason, number in counts.reasons[name].most_common()
            if reason != TAKEN
        ]
        refused_in_words = f"; refused: {', '.join(why)}" if why else ""
        yield f"{name}: {counts.taken(name):,} of {counts.rows:,} texts{refused_in_words}"
