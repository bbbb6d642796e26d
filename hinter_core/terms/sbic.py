"""Dictionaries from an export of the Social Bias Inference Corpus (SBIC; Sap et al. 2020).

HInter takes its dictionary from SBIC (section 4, "Bias dictionary"). An export is a CSV with the
columns ``targetMinority`` (the target of a post) and ``targetCategory`` (race, gender, body, ...);
cells are lists in the aggregated release, else single phrases. Each category becomes a dictionary;
the group of a phrase is that of the shipped dictionaries, or the phrase itself.
"""

import csv
import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hinter_core.errors import DictionaryError, InputError
from hinter_core.files.columns import as_text, mended
from hinter_core.files.source import open_source
from hinter_core.terms.dictionary import load_shipped
from hinter_core.types import GrammaticalForm, Term

_PLAIN = re.compile(r"[^\W\d_]+(?:[ '\u2019-][^\W\d_]+)*")
_PLURALS = frozenset({"people", "folks", "folk", "women", "men", "children", "kids", "persons"})
_COLUMNS = ("targetMinority", "targetCategory")


@dataclass(frozen=True, slots=True)
class Built:
    """Number of terms by written file, and the number of phrases that are no plain words."""

    files: dict[Path, int]
    skipped: int


def build_from_sbic(export: Path, out: Path, min_count: int = 3) -> Built:
    """Write one dictionary CSV per target category of ``export`` into ``out``.

    Raises:
        DictionaryError: the export cannot be read, lacks a column, or no category has two groups
            with ``min_count`` posts.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    skipped: set[str] = set()
    for phrase, category in _targets(export):
        if _PLAIN.fullmatch(phrase):
            counts[category][phrase] += 1
        else:
            skipped.add(phrase)
    known = {
        term.text.casefold(): term
        for dictionary in load_shipped().values()
        if not dictionary.placebo
        for term in dictionary.terms
    }
    files = {}
    for category, phrases in sorted(counts.items()):
        terms = [_term(p, known) for p, n in phrases.most_common() if n >= min_count]
        if len({term.group for term in terms}) > 1:
            unique = {(term.text.casefold(), term.form): term for term in terms}
            path = out / f"{category}.csv"
            _write(path, category, unique.values())
            files[path] = len(unique)
    if not files:
        raise DictionaryError(
            f"{export}: no category names two groups at least {min_count} times; lower --min-count."
        )
    return Built(files, len(skipped))


def _targets(export: Path) -> Iterator[tuple[str, str]]:
    """Yield normalised phrase and category per target.

    Lists of equal length are paired; otherwise all targets get the first category.
    """
    try:
        source = open_source(export)
        missing = [c for c in _COLUMNS if c not in source.names]
        if missing:
            raise DictionaryError(
                f"{export}, line 1: no column {' and '.join(missing)}; is this an SBIC export?"
            )
        for values, _ in source.records():
            targets, categories = (_cells(mended(as_text(values.get(c)))[0]) for c in _COLUMNS)
            if len(categories) != len(targets):
                categories = categories[:1] * len(targets)
            for target, named in zip(targets, categories, strict=False):  # none without a category
                category = re.sub(r"\W+", "-", named.lower()).strip("-") or "other"
                for part in target.split(","):
                    if phrase := unicodedata.normalize("NFC", " ".join(part.split())).lower():
                        yield phrase, category
    except InputError as error:
        raise DictionaryError(f"{export}: {error}") from error


def _cells(value: str) -> list[str]:
    text = value.strip()
    if text.startswith("["):
        try:
            return [str(item) for item in json.loads(text)]
        except json.JSONDecodeError:
            return []
    return [text] if text else []


def _term(phrase: str, known: dict[str, Term]) -> Term:
    stem = re.sub(r"\s+(?:folks|folk|people|persons|individuals)$", "", phrase)
    exact, similar = known.get(phrase), known.get(stem)
    if exact:
        return Term(exact.text, exact.group, exact.form)
    last = phrase.split()[-1]
    plural = last in _PLURALS or (last.endswith("s") and not last.endswith(("ss", "us", "is")))
    group = similar.group if similar else re.sub(r"\W+", "-", stem)
    if similar and stem != phrase and similar.text[:1].isupper():
        phrase = similar.text + phrase[len(stem) :]
    return Term(phrase, group, GrammaticalForm.NOUN_PL if plural else GrammaticalForm.NOUN_SG)


def _write(path: Path, category: str, terms: Iterable[Term]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as handle:
            writer = csv.writer(handle, lineterminator="\n")
            writer.writerow(["term", "group", "form", "concept", "sense"])
            writer.writerows([t.text, t.group, t.form, category, ""] for t in terms)
    except OSError as error:
        raise DictionaryError(f"{path}: {error.strerror}. Choose another --out.") from error
