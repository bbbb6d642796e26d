"""The generated parts of README.md are up to date with space.yaml and the commands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_readme_is_rendered() -> None:
    script = ROOT / "scripts" / "render_readme.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_space_runs_the_gradio_that_is_tested() -> None:
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
    space = (ROOT / "space.yaml").read_text(encoding="utf-8")
    version = next(line.split(": ")[1] for line in space.splitlines() if "sdk_version" in line)
    assert f"gradio=={version}" in pins


def test_every_requirement_is_pinned_for_development() -> None:
    pinned = {
        line.partition("==")[0].lower().replace("_", "-")
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    }
    for name in ("requirements.txt", "requirements-dev.txt"):
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                assert re.split(r"[>\[]", line)[0].lower().replace("_", "-") in pinned
