"""The generated documents are up to date with the code, and the site holds together."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from hinter_core import __version__
from scripts.check_site import broken_links

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["render_readme.py", "render_api.py"])
def test_documents_are_rendered(name: str) -> None:
    script = ROOT / "scripts" / name
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
    for name in ("requirements.txt", "requirements-dev.txt", "requirements-docs.txt"):
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                assert re.split(r"[>\[]", line)[0].lower().replace("_", "-") in pinned


def test_versions_agree() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    headings = re.findall(r"^## (\d\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert citation["version"] == headings[0] == __version__


def _nav(part: object) -> list[str]:
    if isinstance(part, str):
        return [part]
    children = part.values() if isinstance(part, dict) else part
    return [page for child in children for page in _nav(child)]  # type: ignore[attr-defined]


def test_the_site_leads_to_every_page_of_the_four_kinds() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    docs, nav = ROOT / "docs", _nav(site["nav"])
    assert [page for page in nav if not (docs / page).is_file()] == []
    pages = {page.relative_to(docs).as_posix() for page in docs.glob("*/*.md")}
    assert pages - set(nav) == set()


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs"])
def test_links_between_files_lead_somewhere(page: str) -> None:
    root = ROOT / page
    for path in root.rglob("*.md") if root.is_dir() else [root]:
        for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text(encoding="utf-8")):
            if "://" not in link:
                assert (path.parent / link).exists(), f"{path.name}: {link}"


@pytest.mark.parametrize(
    ("body", "faults"),
    [
        ('<p id="a"><a href="#a">A</a><a href="other.html#b">B</a></p>', 0),
        ('<a href="https://example.org/nowhere">out</a>', 0),
        ('<a href="nowhere.html">A</a>', 1),
        ('<a href="other.html#nothing">A</a>', 1),
        ('<img src="none.png"><a href="../outside.html">A</a>', 2),
    ],
)
def test_broken_links_of_the_site_are_told(tmp_path: Path, body: str, faults: int) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (tmp_path / "outside.html").write_text("<p>outside</p>")
    (site / "index.html").write_text(body)
    (site / "other.html").write_text('<p id="b">B</p>')
    assert len(broken_links(site)) == faults
