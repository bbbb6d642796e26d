"""Rules for the source itself: short modules, no drawers, no pickles, no machine's own paths."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("hinter_core", "hinter_ui", "benchmarks", "training", "scripts")
SOURCES = sorted([ROOT / "app.py", *(p for d in PACKAGES for p in (ROOT / d).rglob("*.py"))])
MAX_LINES = 500


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_modules_are_of_bearable_length() -> None:
    lines = {name(p): len(p.read_text(encoding="utf-8").splitlines()) for p in SOURCES}
    assert {path: many for path, many in lines.items() if many > MAX_LINES} == {}


def test_modules_are_documented_and_safe() -> None:
    for path in SOURCES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert ast.get_docstring(tree), f"{name(path)}: say what the module is for"
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [alias.name for alias in node.names]
                module = getattr(node, "module", None) or names[0]
                assert "*" not in names, path
                first = module.split(".")[0]
                assert first not in ("pickle", "shelve", "marshal", "dill", "joblib"), path
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in ("eval", "exec", "os.system", "torch.load"), path
                keywords = {k.arg: ast.unparse(k.value) for k in node.keywords}
                assert keywords.get("trust_remote_code", "False") == "False", path
                assert keywords.get("shell", "False") == "False", path


def test_no_code_of_a_checkpoint_runs() -> None:
    """Where nothing is said, transformers asks on standard input whether it may run."""
    loads = re.compile(r"from_pretrained$|Auto\w+\.from_config$|transformers\.pipeline$")
    calls = [
        (path, node)
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and loads.search(ast.unparse(node.func))
    ]
    assert len(calls) > 5
    for path, call in calls:
        keywords = {k.arg: ast.unparse(k.value) for k in call.keywords}
        assert keywords.get("trust_remote_code") == "False", f"{name(path)}:{call.lineno}"
        if path.is_relative_to(ROOT / "hinter_core") or path.is_relative_to(ROOT / "hinter_ui"):
            assert path.parent.name == "huggingface", path


def test_no_drawer_for_everything() -> None:
    drawers = {"utils.py", "util.py", "helpers.py", "misc.py", "common.py"}
    assert [name(p) for p in SOURCES if p.name in drawers] == []


def test_a_page_that_scrolls_asks_whether_motion_is_welcome() -> None:
    asked = "behavior: calm ? 'auto' : 'smooth'"
    scripts = [*(ROOT / "assets" / "js").glob("*.js"), *(ROOT / "hinter_ui").rglob("*.py")]
    found = {p: p.read_text(encoding="utf-8") for p in scripts}
    lines = [line.strip() for text in found.values() for line in text.splitlines()]
    assert [line for line in lines if "smooth" in line and asked not in line] == []
    calm = "const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;"
    scrolling = [text for text in found.values() if asked in text]
    assert scrolling
    assert all(text.count(calm) >= text.count(asked) for text in scrolling)


def texts_of_the_project() -> list[Path]:
    suffixes = {".py", ".toml", ".md", ".csv", ".txt", ".yaml", ".json", ".rules", ".css", ".cfg"}
    folders = ("assets", "dictionaries", "docs", "tests", ".ci", *PACKAGES)
    found = [p for d in folders for p in (ROOT / d).rglob("*") if p.suffix in suffixes]
    # A model's vocabulary holds whatever its treebank held.
    found = [p for p in found if "vocab" not in p.parts and p.name != "tokenizer.json"]
    return [*found, *(p for p in ROOT.iterdir() if p.suffix in suffixes), ROOT / "Makefile"]


def test_no_path_of_a_machine_is_written_down() -> None:
    homes = tuple("/" + folder + "/" for folder in ("work", "root", "home", "Users"))
    found = [
        f"{name(path)}: {line.strip()[:80]}"
        for path in texts_of_the_project()
        if path.stat().st_size < 2_000_000
        for line in path.read_text(encoding="utf-8").splitlines()
        if any(home in line for home in homes)
    ]
    assert found == []


def test_every_line_of_data_ends_in_a_line_feed() -> None:
    for path in sorted((ROOT / "dictionaries").iterdir()):
        content = path.read_bytes()
        assert b"\r" not in content, path
        assert content.endswith(b"\n"), path


def test_styles_name_what_has_something() -> None:
    """A rule for any element with `:has()` makes the browser compute all styles at each change."""
    for path in sorted((ROOT / "assets" / "css").glob("*.css")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            unbound = re.search(r"(?:^|[\w)\]>+~] ?[> +~]):(?:not\(:)?has\(", line)
            assert not unbound, f"{path.name}:{number}: say of which element or class"
