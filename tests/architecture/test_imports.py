"""Imports run strictly downwards; the tables below are the one place that says so."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from hinter_core.models.registry import BACKENDS

ROOT = Path(__file__).resolve().parents[2]

# Rooms of the core: a module may import its own room and those before it.
CORE = [
    "types", "errors", "extensions", "options", "places", "storage", "mirror", "statistics",
    "language", "files",
    "terms", "mutation", "models", "relations", "pipeline", "data", "generators",
    "prioritisation", "campaign", "validity", "report", "replays", "repair", "annotation", "api",
    "testing", "endpoints", "cli",
]  # fmt: skip
# Rooms of the app. Tabs know what they share and nothing of one another.
SHARED = ["inside", "html", "processes", "environment", "shared"]
TABS = {"explore", "batch", "results", "generate", "repair", "annotate", "models", "learn"}
TOP = ("endpoints", "frontend", "on_demand", "shell", "__main__")
EACH_TAB = {"events", "actions"}
LARGE_TAB = EACH_TAB | {"layout", "html"}  # with more lines than SMALL
SMALL = 400
MOST_MODULES = 12
HEAVY = {
    "torch", "spacy", "transformers", "aiohttp", "pandas", "numpy", "scipy", "ray", "datasets",
    "pyarrow", "statsmodels", "yaml", "duckdb",
    "sklearn", "onnxruntime",
    "gradio", "plotly", "textblob", "nltk", "vaderSentiment", "huggingface_hub", "httpx",
}  # fmt: skip
# Back-ends are loaded by the registry alone, by their dotted paths; the app lists scripted rules.
BACK_ENDS = {one.loader.partition(":")[0] for one in BACKENDS.values()} - {"scripted"}


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


PRODUCT = {dotted(path): path for path in (*modules("hinter_core"), *modules("hinter_ui"))}


@cache
def imports(path: Path) -> tuple[tuple[str, bool], ...]:
    """Dotted names imported by a file, and whether that happens when it is imported."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[tuple[str, bool]]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    todo: list[tuple[ast.AST, bool]] = [(tree, True)]
    while todo:
        node, early = todo.pop()
        function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        early = early and not (function or is_type_checking(node))
        todo += (
            (child, early)
            for child in ast.iter_child_nodes(node)
            if not isinstance(child, ast.expr)
        )
        if isinstance(node, ast.Import):
            yield from ((alias.name, early) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            assert node.module
            yield from ((f"{node.module}.{alias.name}", early) for alias in node.names)


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


def module_of(name: str) -> str:
    """The module of this project that an imported name is or lies in; empty for others."""
    parts = name.split(".")
    names = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
    return next((name for name in names if name in PRODUCT), "")


def room(name: str) -> str:
    """``hinter_core.models.base.X`` is in room ``models``; the package itself in no room."""
    return name.split(".")[1] if "." in name else ""


def own_imports(path: Path) -> set[str]:
    return {module_of(name) for name, _ in imports(path)} - {"", dotted(path)}


def test_core_imports_run_downwards() -> None:
    wrong = []
    for path in modules("hinter_core"):
        here = room(dotted(path))
        if not here:
            light = {"os", "typing.TYPE_CHECKING"}
            assert not any(early for name, early in imports(path) if name not in light)
            continue
        for name in own_imports(path):
            package, there = name.split(".")[0], room(name)
            if here == "api" and name.startswith("hinter_ui.html."):
                continue  # a notebook shows what the app shows
            if package != "hinter_core" or (there and CORE.index(there) > CORE.index(here)):
                wrong.append(f"{dotted(path)} imports {name}")
        outside = {name.split(".")[0] for name, _ in imports(path)}
        assert not outside & {"gradio", "benchmarks", "training", "tests"}, path
    assert wrong == []


def test_tabs_do_not_know_each_other() -> None:
    wrong = []
    for path in modules("hinter_ui"):
        here = room(dotted(path))
        if not here or here in TOP:
            continue
        low = SHARED[: SHARED.index(here) + 1] if here in SHARED else [*SHARED, here]
        for name in own_imports(path):
            if name.startswith("hinter_ui.") and room(name) not in low:
                wrong.append(f"{dotted(path)} imports {name}")
    assert wrong == []


def test_no_file_is_part_of_a_circle() -> None:
    graph = {name: own_imports(path) for name, path in PRODUCT.items()}
    # An empty package is imported with each of its modules; that is no circle.
    packages = {name for name, path in PRODUCT.items() if path.name == "__init__.py"}
    TopologicalSorter({name: low - packages for name, low in graph.items()}).prepare()


def test_the_tables_name_what_there_is() -> None:
    assert {room(name) for name in PRODUCT if name.startswith("hinter_core.")} == set(CORE)
    there = {room(name) for name in PRODUCT if name.startswith("hinter_ui.")}
    assert there == {*SHARED, *TABS, *TOP}


def test_every_tab_has_the_same_files() -> None:
    for tab in TABS:
        files = {path.stem: path.read_text("utf-8") for path in modules(f"hinter_ui/{tab}")}
        large = sum(text.count("\n") for text in files.values()) > SMALL
        needed = LARGE_TAB if large else EACH_TAB
        assert files.keys() >= needed, f"{tab} lacks {needed - files.keys()}"


def test_a_folder_is_a_subject_of_few_modules() -> None:
    counted = Counter(path.parent for path in PRODUCT.values() if path.name != "__init__.py")
    assert {str(p): n for p, n in counted.items() if n > MOST_MODULES} == {}


def test_no_public_class_name_stands_for_two() -> None:
    names = Counter(
        node.name
        for path in PRODUCT.values()
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, many in names.items() if many > 1] == []


def test_back_ends_are_loaded_by_name_only() -> None:
    """Nobody but the registry knows the back-ends, and it knows them as dotted paths."""
    back_ends = {f"hinter_core.models.{name}" for name in BACK_ENDS}
    assert back_ends <= set(PRODUCT)
    for path in modules("hinter_core"):
        # Kinds of checkpoints share what they are made of.
        own = {name for name in back_ends if f".{path.parent.name}." in name}
        assert not own_imports(path) & (back_ends - own), path


def test_heavy_libraries_are_imported_where_they_are_needed() -> None:
    for path in modules("hinter_core"):
        early = {name.split(".")[0] for name, at_import in imports(path) if at_import}
        assert not early & HEAVY, path


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
    names = [name for name in PRODUCT if name.startswith("hinter_core")]
    assert "hinter_core.pipeline.pipeline" in names
    assert not loaded_by("; ".join(f"import {name}" for name in names)) & HEAVY


def test_asking_a_lexicon_model_loads_no_transformer() -> None:
    code = (
        "from hinter_core.models.registry import load_model\n"
        "assert load_model('vader').predict(['A good day.'])[0].labels == ('positive',)"
    )
    assert not loaded_by(code) & {"torch", "transformers", "spacy", "aiohttp", "gradio"}


@pytest.mark.parametrize("name", ["html", "shared"])
def test_shared_rooms_of_the_app_hold_no_tab(name: str) -> None:
    assert not {path.stem for path in (ROOT / "hinter_ui" / name).glob("*.py")} & TABS
