"""`hinter space check`: what the platform would refuse, in sentences, with an exit code."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hinter_core.storage import ROOT

from .conftest import Run

FRONT = {
    "title": "HInter", "sdk": "gradio", "sdk_version": "6.31.0", "python_version": '"3.12.12"',
    "app_file": "app.py",
}  # fmt: skip


def repository(folder: Path, requirements: str = "gradio>=6.31,<6.32\n", **front: str) -> Path:
    lines = [f"{name}: {value}" for name, value in {**FRONT, **front}.items() if value]
    (folder / "README.md").write_text("---\n" + "\n".join(lines) + "\n---\n# HInter\n")
    (folder / "requirements.txt").write_text(requirements)
    (folder / "app.py").write_text("")
    return folder


def test_this_repository_can_be_a_space(run: Run) -> None:
    code, out, err = run("space", "check", str(ROOT))
    assert (code, err) == (0, "")
    assert out.startswith("A Space can be built of this repository.")


@pytest.mark.parametrize(
    ("front", "said"),
    [
        ({"python_version": '"3.10"'}, "python_version is 3.10; HInter needs 3.11 or newer."),
        ({"python_version": ""}, "has no python_version; add it"),
        ({"python_version": "latest"}, "python_version is latest"),
        ({"sdk": "docker"}, "asks for the SDK 'docker'"),
        ({"sdk_version": "6"}, "sdk_version is 6; write a whole version"),
        ({"app_file": "main.py"}, "app_file is main.py, which is not in the repository"),
        ({"colorFrom": "mauve"}, "colorFrom is mauve; the platform knows red"),
        ({"short_description": "x" * 61}, "has 61 characters; the platform takes 60"),
    ],
)
def test_each_fault_of_the_front_matter(
    run: Run, tmp_path: Path, front: dict[str, str], said: str
) -> None:
    code, out, err = run("space", "check", str(repository(tmp_path, **front)))
    assert (code, out) == (1, "")
    assert said in err
    assert "sdk_version" in front or len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("pydantic==2.14.3", "names pydantic, which the builder chooses"),
        ("spaces", "names spaces, which the builder chooses"),
        ("gradio==6.30.0", "asks for gradio==6.30.0, but sdk_version is 6.31.0"),
        ("torch>=2.8", "allows torch 2.14"),
        ("torch", "allows torch 2.14"),
        ("numpy >>= 2", "has a line that is no requirement: numpy >>= 2."),
    ],
)
def test_each_fault_of_the_requirements(run: Run, tmp_path: Path, line: str, said: str) -> None:
    code, _, err = run("space", "check", str(repository(tmp_path, f"# why\n{line}  # so\n")))
    assert code == 1
    assert said in err


def test_a_file_that_is_too_large_is_named(run: Run, tmp_path: Path) -> None:
    (repository(tmp_path) / "model.bin").write_bytes(bytes(10_000_001))
    code, _, err = run("space", "check", str(tmp_path))
    assert code == 1
    assert "model.bin has 10.0 MB" in err
    # What git does not know is not pushed.
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    subprocess.run(["git", "-C", tmp_path, "add", "app.py", "README.md"], check=True)
    assert run("space", "check", str(tmp_path))[0] == 0


def test_no_front_matter_and_no_repository(run: Run, tmp_path: Path) -> None:
    (repository(tmp_path) / "README.md").write_text("# HInter\n")
    assert "no front matter" in run("space", "check", str(tmp_path))[2]
    code, _, err = run("space", "check", str(tmp_path / "nowhere"))
    assert code == 2
    assert "name the folder of the repository" in err


def test_every_binary_file_is_marked_as_binary() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--eol"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    marked = [line.split("\t") for line in listed.stdout.splitlines()]
    binary = [name for said, name in marked if said.startswith("i/-text")]
    assert len(binary) > 30
    unmarked = [name for said, name in marked if "i/-text" in said and "attr/-text" not in said]
    assert unmarked == []
