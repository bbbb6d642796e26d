"""Fixtures that several kinds of tests share: real parts, loaded once per session."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import settings

from hinter_core.language.parsing import EMBEDDED, ParseStore, load_parser
from hinter_core.models.registry import load_model
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.terms.dictionary import Dictionary, load_shipped
from hinter_core.types import GrammaticalForm, Mutant, Sense, Term
from tests.examples import DEEP
from tests.forked import Commands

settings.load_profile("deep" if DEEP else "quick")

# Read when torch is imported, here and in the processes that tests start. Several processes share
# the cores, and threads of one that wait for each other take what the others could use: a model of
# a few thousand weights was seen to need seven times the work.
os.environ.setdefault("OMP_NUM_THREADS", "1")

ROOT = Path(__file__).resolve().parent
# What runs campaigns, processes or trained models; `make check` leaves it out.
SLOW = ("conformance", "unit/models/huggingface", "unit/data/test_hub.py",
        "unit/data/test_handwritten.py", "unit/annotation/test_backup.py", "unit/api",
        "unit/campaign", "unit/report", "unit/cli/test_bad_campaigns.py",
        "unit/cli/test_report.py", "unit/cli/test_repair.py",
        "unit/generators/test_template_mutants.py")  # fmt: skip


def pytest_collection() -> None:
    gc.disable()  # modules and tests stay


def pytest_collection_finish() -> None:
    """Look for garbage among what tests make, and less often, as there is much that is none."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what would be deselected, so that nothing is imported for it."""
    slow = collection_path.relative_to(ROOT).as_posix().startswith(SLOW)
    return (slow and config.option.markexpr == "not slow") or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.relative_to(ROOT).as_posix().startswith(SLOW):
            item.add_marker(pytest.mark.slow)


def undo(mutant: Mutant) -> str:
    """The source text of a mutant, restored from the mutant alone."""
    pieces: list[str] = []
    position = 0
    for splice in mutant.splices:
        pieces += (mutant.text[position : splice.at], splice.old)
        position = splice.at + len(splice.new)
    return "".join([*pieces, mutant.text[position:]])


@pytest.fixture(scope="session")
def parses() -> ParseStore:
    """The embedded parser behind one store; what one test parsed, the next need not."""
    if not (EMBEDDED / "config.cfg").exists():
        pytest.fail(f"the embedded parser is missing from {EMBEDDED}")
    return ParseStore(load_parser("embedded"))


@pytest.fixture
def fresh_parses() -> ParseStore:
    """An empty store on the embedded parser, for tests that count."""
    return ParseStore(load_parser("embedded"))


@pytest.fixture(scope="session")
def shipped() -> dict[str, Dictionary]:
    return load_shipped()


@pytest.fixture(scope="session")
def race() -> Dictionary:
    words = {"black": "black", "white": "white", "Syrian": "syrian"}
    return Dictionary(
        "race",
        tuple(Term(w, g, GrammaticalForm.ADJECTIVE, "r", Sense.ASK) for w, g in words.items()),
    )


@pytest.fixture(scope="session")
def gender() -> Dictionary:
    rows = [("man", "male"), ("woman", "female"), ("person", "neutral")]
    return Dictionary("gender", tuple(Term(w, g, GrammaticalForm.NOUN_SG, "g") for w, g in rows))


@pytest.fixture(scope="session")
def age() -> Dictionary:
    rows = [("old", "older"), ("young", "young")]
    return Dictionary(
        "age", tuple(Term(w, g, GrammaticalForm.ADJECTIVE, "a", Sense.ASK) for w, g in rows)
    )


MakePipeline = Callable[..., Pipeline]


@pytest.fixture
def make_pipeline(fresh_parses: ParseStore) -> MakePipeline:
    """Build a pipeline from dictionaries, a model and settings; embedded parser unless given."""

    def make(
        dictionaries: Sequence[Dictionary],
        model: str,
        parses: ParseStore | None = None,
        **settings: object,
    ) -> Pipeline:
        store = PredictionStore(load_model(model))
        return Pipeline(dictionaries, parses or fresh_parses, [store], Settings(**settings))  # type: ignore[arg-type]

    return make


@pytest.fixture(scope="session")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    """The command line as processes of its own."""
    made = Commands(tmp_path_factory.mktemp("processes"))
    yield made
    made.close()
