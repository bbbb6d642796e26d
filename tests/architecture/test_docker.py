"""The Dockerfile, without an engine: what it copies is there, and what it runs is in the wheel."""

from __future__ import annotations

import json
import re
import tomllib
from fnmatch import fnmatch

from hinter_core.storage import ROOT

LINES = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text(encoding="utf-8")).splitlines()
STEPS = [line.split(" ", 1) for line in LINES if line and not line.startswith("#")]
LET_IN = [
    line[1:]
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    if line.startswith("!")
]


def steps(name: str) -> list[str]:
    return [rest for step, rest in STEPS if step == name]


def test_what_it_copies_is_let_in_and_there() -> None:
    for copied in steps("COPY"):
        *sources, _ = copied.split()
        for source in sources:
            if not source.startswith("--from") and source not in (".", "/opt/hinter"):
                assert (ROOT / source).is_file()
                assert any(fnmatch(source, pattern) for pattern in LET_IN)
    assert all(list(ROOT.glob(pattern)) for pattern in LET_IN)


def test_the_wheel_has_all_it_needs_of_what_is_let_in() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = [*wheel["packages"], *wheel["force-include"], project["project"]["readme"]]
    needed += [*project["project"]["license-files"]]
    hook = project["tool"]["hatch"]["metadata"]["hooks"]["requirements_txt"]
    needed += hook["files"]
    needed += [name for names in hook["optional-dependencies"].values() for name in names]
    assert [name for name in needed if not any(fnmatch(name, one) for one in LET_IN)] == []


def test_it_runs_the_app_without_rights_on_pinned_packages() -> None:
    (user,), (started,) = steps("USER"), steps("CMD")
    assert user == "1000"
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    assert json.loads(started)[0] in scripts
    installs = [part for run in steps("RUN") for part in run.split("&&") if "pip install" in part]
    assert all("-c constraints.txt" in part or "--no-deps" in part for part in installs)
    environment = " ".join(steps("ENV"))
    assert "HINTER_DATA=/data" in environment
    assert "GRADIO_SERVER_PORT=7860" in environment
    (check,) = steps("HEALTHCHECK")
    assert "127.0.0.1:7860/readyz" in check
    space = (ROOT / "space.yaml").read_text(encoding="utf-8")
    (python,) = {
        image.removeprefix("python:")[:4] for image in (s.split()[0] for s in steps("FROM"))
    }
    assert f'python_version: "{python}' in space
