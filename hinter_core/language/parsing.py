"""Parsers: the protocol, the spaCy back-end, and a store that parses each sentence once.

A parser's name is ``embedded`` (the pipeline in ``assets/models/parser``), the name of an installed
spaCy pipeline, or a path to one.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from sys import intern
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

from threadpoolctl import ThreadpoolController

from hinter_core.errors import ParserError, first_line
from hinter_core.language.encoder import load_encoder
from hinter_core.language.reading.capitals import calm
from hinter_core.language.reading.notes import spelled_out
from hinter_core.language.reading.view import reading, with_layer, without_runs
from hinter_core.storage import ASSETS, LRU
from hinter_core.types import Parse, Span

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


EMBEDDED = ASSETS / "models" / "parser"
_BATCH = 8_000  # characters
_NO_WORDS = "."  # in place of a sentence of nothing but tags or emoji
_ENTITIES, _PERSON = "ner", "PERSON"
# spaCy's pipelines are not thread-safe, and the limit on BLAS threads belongs to the process: if
# two limits overlap, the last to end restores the limit of the other for good.
_ALONE = threading.Lock()
IMPORTING = threading.Lock()  # held while torch is imported, or cannot be
_INFO = "spacy.cli.info"  # all that spaCy imports of its command line
_NEED_TORCH = ("spacy_transformers", "spacy_curated_transformers")
_UNUSED = ("lemmatizer", "senter", "morphologizer", "attribute_ruler", "entity_linker")


class Parser(Protocol):
    """Parses sentences for the invariant; ``identity`` names everything that determines a parse."""

    name: str
    identity: str

    def parse(self, sentences: Sequence[str], *, entities: bool = False) -> list[Parse]:
        """Return one :class:`Parse` per sentence, in order; named entities only on request."""


class SpacyParser:
    """A spaCy pipeline with a tagger and a dependency parser (and NER, if it has one)."""

    def __init__(self, name: str, nlp: Language) -> None:
        missing = {"tagger", "parser"} - set(nlp.pipe_names)
        if missing:
            raise ParserError(
                f"The spaCy pipeline '{name}' has no {' and no '.join(sorted(missing))}; "
                "choose one with both, such as en_core_web_sm or embedded."
            )
        self.name = name
        self._own = name == "embedded"
        meta = nlp.meta
        self.identity = f"{meta.get('lang')}_{meta.get('name')}-{meta.get('version')}"
        self._nlp = nlp
        # A second thread saves a sixth of the time on an idle machine; on a busy one, the threads
        # wait for each other and parsing takes four times as long. Processes use cores better.
        self._threads = ThreadpoolController().select(user_api="blas")
        # A later pipe may need the entities, for example to merge them into one token.
        self._optional = [_ENTITIES] if nlp.pipe_names[-1] == _ENTITIES else []

    def parse(self, sentences: Sequence[str], *, entities: bool = False) -> list[Parse]:
        """Parse each string as one sentence."""
        # The invariant uses tags and relations only, and entities take a third of the time.
        disable = [] if entities else self._optional
        plain = [_Plain(sentence) for sentence in sentences]
        with _ALONE, self._threads.limit(limits=1):
            docs = (
                doc
                for batch in _batches(one.text for one in plain)
                for doc in self._nlp.pipe(batch, batch_size=len(batch), disable=disable)
            )
            parses = [_to_parse(doc, entities, one) for doc, one in zip(docs, plain, strict=True)]
        if not (entities and self._own):
            return parses
        readings = load_encoder().read(sentences)  # which knows more names of people
        return [_with_names(p, readings[s].names) for p, s in zip(parses, sentences, strict=True)]


class _Plain:
    """A sentence as a parser is to read it, and the way back to the sentence as it stands."""

    def __init__(self, sentence: str) -> None:
        self._view = with_layer(without_runs(reading(sentence)), spelled_out)
        self._sentence = sentence
        self._whole = (0, len(sentence)) if not self._view.text.strip() else None
        self.text = calm(self._view.text) if self._whole is None else _NO_WORDS

    def span(self, start: int, end: int) -> Span:
        """Return the span of the sentence for a token of ``text``."""
        if self._whole is not None:
            return self._whole
        if self._view.layers:
            start, end = self._view.span(start, end)
            blank = self._sentence[start:end]  # before a word that stands for several
            start += (len(blank) - len(blank.lstrip())) * bool(blank.strip())
        return start, end


def _batches(sentences: Iterable[str]) -> Iterator[list[str]]:
    """Limit batches by characters: a batch of long sentences takes a gigabyte."""
    batch: list[str] = []
    for sentence in sentences:
        batch.append(sentence)
        if sum(map(len, batch)) > _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _to_parse(doc: Doc, entities: bool, plain: _Plain) -> Parse:
    # Stored parses share their strings, which spaCy creates anew for each token.
    return Parse(
        words=tuple(intern(t.text) for t in doc),
        tags=tuple(intern(t.tag_) for t in doc),
        labels=tuple(intern(t.dep_) for t in doc),
        heads=tuple(t.head.i for t in doc),
        spans=tuple(plain.span(t.idx, t.idx + len(t)) for t in doc),
        entities=tuple(intern(t.ent_type_) for t in doc) if entities else (),
    )


def _with_names(parse: Parse, names: Sequence[Span]) -> Parse:
    """Return a parse whose entities of people are the names that the encoder reads."""
    entities = ["" if entity == _PERSON else entity for entity in parse.entities]
    for start, end in names:
        for n, (a, b) in enumerate(parse.spans):
            if a < end and b > start:
                entities[n] = _PERSON
    return replace(parse, entities=tuple(entities))


def load_parser(name: str = "embedded") -> SpacyParser:
    """Load a parser by name; each name is loaded once per process.

    Raises:
        ParserError: unknown, missing or broken; the message says how to install it.
    """
    return _load(name)


@lru_cache(maxsize=4)
def _load(name: str) -> SpacyParser:
    spacy = _import_spacy()
    target: str | Path = EMBEDDED if name == "embedded" else name
    if not str(target).strip():
        raise ParserError("No parser named; use 'embedded' or a spaCy pipeline.")
    _require_pipeline(name)
    try:
        nlp = spacy.load(target, exclude=list(_UNUSED))
    except OSError as error:
        if name == "embedded" or Path(name).exists():
            raise ParserError(f"{target} is no spaCy pipeline; restore or retrain it.") from error
        hint = f"python -m spacy download {name}" if name.isidentifier() else "check the path"
        raise ParserError(
            f"Parser '{name}' is not installed; use 'embedded' or install it: {hint}"
        ) from error
    except (ValueError, ImportError, AttributeError, KeyError) as error:
        raise ParserError(f"Parser '{name}' cannot be loaded ({first_line(error)}).") from error
    _multiply_with_numpy(nlp)
    return SpacyParser(name, nlp)


def _import_spacy() -> Any:
    """Import spaCy without its command line, nor torch if no installed pipeline needs that.

    spaCy imports the command line for one function, which takes 0.3 s, and torch if it is there,
    which takes 2 s and 180 MB. Both can still be imported.
    """
    with IMPORTING:
        if "spacy" in sys.modules:
            return importlib.import_module("spacy")
        hidden: dict[str, Any] = {name: ModuleType(name) for name in ("spacy.cli", _INFO)}
        hidden[_INFO].info = _info
        if "torch" not in sys.modules and not any(map(importlib.util.find_spec, _NEED_TORCH)):
            hidden["torch"] = None  # an import of it fails
        sys.modules.update(hidden)
        try:
            return importlib.import_module("spacy")
        finally:
            for name in hidden:
                del sys.modules[name]


def _info(*arguments: Any, **named: Any) -> Any:
    """Do what :func:`spacy.info` does, which imports spaCy's command line."""
    return importlib.import_module(_INFO).info(*arguments, **named)


def _require_pipeline(name: str) -> None:
    """Refuse other packages and folders before spaCy imports them and calls what they have.

    Raises:
        ParserError: it is there, and no spaCy pipeline.
    """
    folder = Path(name) if name != "embedded" else EMBEDDED
    if name.isidentifier() and not folder.exists():
        spec = importlib.util.find_spec(name)  # imports nothing, as the name has no dot
        if spec is None:
            return  # not installed, which spaCy says
        folder = Path(spec.origin or "").parent
    if folder.exists() and not (folder / "meta.json").is_file():
        raise ParserError(
            f"'{name}' is no spaCy pipeline; use 'embedded', an installed pipeline such as "
            "en_core_web_sm, or the folder of one."
        )


def _multiply_with_numpy(nlp: Language) -> None:
    """Multiply the matrices of a CPU pipeline with numpy's OpenBLAS instead of BLIS.

    Parsing is 1.7 to 2 times as fast, with the same parses.
    """
    from thinc.api import Model, NumpyOps

    ops = NumpyOps(use_blis=False)
    for _, pipe in nlp.pipeline:
        model = getattr(pipe, "model", None)
        for node in model.walk() if isinstance(model, Model) else ():
            if type(node.ops) is NumpyOps:  # not Apple's own, nor a GPU's
                node.ops = ops


CHARACTERS = 4_000_000  # of sentences whose parses are kept: about 200 MB


class ParseStore:
    """LRU cache of parses, bounded by the ``characters`` of their sentences.

    A sentence stored without entities is parsed again if entities are requested. ``parsed`` counts
    sentences given to the parser, ``asked`` all sentences requested.
    """

    def __init__(self, parser: Parser, characters: int = CHARACTERS) -> None:
        self.parser = parser
        self.parsed = 0
        self.asked = 0
        self._kept: LRU[str, Parse] = LRU(characters, len)
        self._lock = threading.RLock()

    def parse(self, sentences: Iterable[str], *, entities: bool = False) -> dict[str, Parse]:
        """Return the parses by sentence; missing ones are parsed in one batch."""
        wanted = list(sentences)
        with self._lock:
            self.asked += len(wanted)
            parses = self._kept.found(dict.fromkeys(wanted))
            lacking = {s for s, p in parses.items() if entities and len(p.entities) < len(p.words)}
            missing = [s for s in dict.fromkeys(wanted) if s not in parses or s in lacking]
            if missing:
                self.parsed += len(missing)
                parsed = self.parser.parse(missing, entities=entities)
                fresh = dict(zip(missing, parsed, strict=True))
                parses |= fresh
                self._kept.keep(fresh)
            return parses
