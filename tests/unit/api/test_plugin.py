"""A package of somebody else adds to HInter by its entry points, without a line of ours."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest

import hinter_core as hinter
from hinter_core import extensions
from hinter_core.cli.main import cli

PLUGIN = Path(__file__).resolve().parents[2] / "plugin"
MODULE = "hinter_plugin.additions"


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the example package is installed in, without a network."""
    folder = tmp_path_factory.mktemp("site")
    source = copytree(PLUGIN, folder / "source")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
         "--no-build-isolation", "--target", str(folder / "packages"), str(source)],
        check=True,
    )  # fmt: skip
    return folder / "packages"


@pytest.fixture
def installed(packages: Path, clean_seams: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The package is installed during a test alone."""
    monkeypatch.syspath_prepend(str(packages))
    extensions._entry_points.cache_clear()
    yield packages
    extensions._entry_points.cache_clear()
    for name in [name for name in sys.modules if name.startswith("hinter_plugin")]:
        del sys.modules[name]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command; return what it prints."""
    with pytest.raises(SystemExit) as ended:
        cli(list(arguments))
    assert not ended.value.code
    return capsys.readouterr().out


@pytest.mark.usefixtures("installed")
def test_what_is_installed_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert "shouting" in run(capsys, "models")
    assert MODULE not in sys.modules  # a list imports no package
    assert "please: Say please.\n" in run(capsys, "relations")
    named = json.loads(run(capsys, "models", "shouting:?", "--json"))[0]
    assert named["identity"].startswith("hinter-plugin 1.2 shouting:?")
    assert named["capabilities"]["labels"] == ["calm", "loud"]


@pytest.mark.usefixtures("installed")
def test_model_relation_metric_and_source_make_a_campaign(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dictionaries = [part for path in words for part in ("--dictionary", path)]
    command = (
        "run", "--data", "greetings:woman", "--model", "shouting", "--attributes", "",
        "--relations", "substitute,please", "--out", str(tmp_path), *dictionaries,
    )  # fmt: skip
    run(capsys, *command)
    run(capsys, *command, "--resume")  # its identity is the version of the package
    made = json.loads(run(capsys, "report", str(tmp_path), "--json"))
    (added,) = made["added"]
    assert (added["key"], added["title"]) == ("added-flips-per-text", "Flips per text")
    assert added["cells"][0][0] > 0
    mutants = hinter.load(tmp_path).mutants()["mutant"]
    assert {"The old woman said hello. Please!", "The old man said hello. Please!"} <= set(mutants)


def test_a_package_that_cannot_be_imported_is_one_sentence(
    installed: Path, words: list[str]
) -> None:
    found = hinter.check("The old man smiled.", "shouting:.", (), dictionaries=words, order=1)
    assert found.answer == ("loud",)
    sys.modules.pop(MODULE)
    extensions.MODELS._added.clear()
    (installed / "hinter_plugin" / "additions.py").write_text("import no_such_library\n")
    with pytest.raises(hinter.HinterError) as caught:
        hinter.check("The old man smiled.", "shouting", (), dictionaries=words, order=1)
    said = str(caught.value)
    assert "package hinter-plugin 1.2 cannot be imported (ModuleNotFoundError" in said
    assert "\n" not in said
