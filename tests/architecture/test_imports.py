"""Imports run strictly downwards; the table below is the one place that says so."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# A module may import those before it. ``models`` and ``cli`` are folders.
CORE = [
    "types", "errors", "places", "recent", "sentences", "dictionary", "sbic", "matching",
    "mutation", "lattice", "parsing", "invariant", "person", "models", "oracle", "noise",
    "planning", "soundness", "trial", "probe", "search", "export", "records", "rows", "hub",
    "hub_rows", "by_hand", "campaign", "preview", "shards", "table_writing", "testbed",
    "tables", "hand_bed", "work", "engine", "forecast", "statistics", "weighted",
    "tally_columns", "tally_groups", "tally_parts", "tally", "mutant_rows", "report_section",
    "report_positives", "report_reach", "validity", "report_validity", "report_people",
    "report", "report_gate", "report_positive_tables", "report_tables", "report_values",
    "report_text", "report_figures", "report_pies", "report_html", "pairing", "comparison",
    "comparison_tables", "findings", "annotation", "cli",
]  # fmt: skip
HEAVY = {
    "torch", "spacy", "transformers", "openai", "pandas", "numpy", "scipy", "ray", "datasets",
    "pyarrow", "statsmodels", "yaml",
    "krippendorff", "sklearn",
    "gradio", "plotly", "textblob", "nltk", "vaderSentiment", "huggingface_hub", "httpx",
}  # fmt: skip


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Dotted names imported by a file, and whether that happens when it is imported."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    late = {
        id(node)
        for outer in ast.walk(tree)
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef) or is_type_checking(outer)
        for node in ast.walk(outer)
    }
    for node in ast.walk(tree):
        early = id(node) not in late
        if isinstance(node, ast.Import):
            yield from ((alias.name, early) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            assert node.module
            yield from ((f"{node.module}.{alias.name}", early) for alias in node.names)


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def room(dotted: str) -> str:
    """``hinter_core.models.base.X`` is in room ``models``; the package itself in no room."""
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in CORE else ""


@pytest.mark.parametrize("path", modules("hinter_core"), ids=lambda p: str(p.relative_to(ROOT)))
def test_core_imports_run_downwards(path: Path) -> None:
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts == ("hinter_core", "__init__"):
        assert list(imports(path)) == []
        return
    here = parts[1]
    assert here in CORE, f"{here} is new: give it a place in the table"
    for name, _ in imports(path):
        if name.startswith("hinter_core."):
            there = room(name)
            low_enough = not there or there == here or CORE.index(there) < CORE.index(here)
            assert low_enough, f"{path} imports {name}"
        assert name.split(".")[0] not in ("hinter_ui", "gradio", "benchmarks", "training", "tests")


def test_the_table_names_what_there_is() -> None:
    there = {p.relative_to(ROOT / "hinter_core").parts[0].removesuffix(".py")
             for p in modules("hinter_core")}  # fmt: skip
    assert there - {"__init__"} == set(CORE)


def test_back_ends_are_loaded_by_name_only() -> None:
    """Nobody but the registry knows the back-ends, and it knows them as dotted paths."""
    shared = {
        "base", "cache", "answers", "prompts", "checkpoint", "huggingface", "scripted", "budget",
        "naming", "options", "reading", "store", "batching", "diagnosis", "hierarchical", "inputs",
        "pooling", "streaming", "endpoint",
    }  # fmt: skip
    for path in modules("hinter_core"):
        for name, _ in imports(path):
            if name.startswith("hinter_core.models."):
                # A judge is a model by name, so the reader of free answers asks the registry.
                outside = path.parts[-2] != "models" or path.stem == "reading"
                allowed = shared | ({"registry"} if outside else set())
                assert name.split(".")[2] in allowed, f"{path} imports {name}"


@pytest.mark.parametrize("path", modules("hinter_core"), ids=lambda p: str(p.relative_to(ROOT)))
def test_heavy_libraries_are_imported_where_they_are_needed(path: Path) -> None:
    early = {name.split(".")[0] for name, at_import in imports(path) if at_import}
    assert not early & HEAVY


def test_gradio_lives_in_the_user_interface_only() -> None:
    for package in ("hinter_core", "benchmarks", "training"):
        for path in modules(package):
            assert "gradio" not in {name.split(".")[0] for name, _ in imports(path)}, path


def loaded_by(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    return {name.split(".")[0] for name in done.stdout.split()}


def test_importing_the_core_loads_nothing_heavy() -> None:
    names = [
        ".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for p in modules("hinter_core")
    ]
    assert "hinter_core.probe" in names
    assert not loaded_by("import hinter_core") & HEAVY
    assert not loaded_by("; ".join(f"import {name}" for name in names)) & HEAVY


def test_asking_a_lexicon_model_loads_no_transformer() -> None:
    code = (
        "from hinter_core.models.registry import load_model\n"
        "assert load_model('vader').predict(['A good day.'])[0].labels == ('positive',)"
    )
    assert not loaded_by(code) & {"torch", "transformers", "spacy", "openai", "gradio"}
