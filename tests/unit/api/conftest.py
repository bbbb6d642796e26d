"""What tests of the API share: texts, a model with planted bias, and words to change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hinter_core import extensions

TEXTS = [
    "The old man thanked the nurse.",
    "A white woman sold the house.",
    "Nothing of people is in here.",
]


def planted(texts: list[str]) -> list[str]:
    """Give another answer to black women alone."""
    return ["bad" if "black" in text and "woman" in text else "good" for text in texts]


def leaning(texts: list[str]) -> list[dict[str, float]]:
    """Call black women alone worse by 0.35, without another label."""
    worse = [0.35 * (answer == "bad") for answer in planted(texts)]
    return [{"bad": 0.1 + more, "good": 0.9 - more} for more in worse]


@pytest.fixture(scope="session")
def words(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two small dictionaries, for the setting ``dictionaries``."""
    folder = tmp_path_factory.mktemp("words")
    lines = {
        "hue": "black,dark,adj\nwhite,light,adj\nold,light,adj",
        "sex": "man,male,noun-sg\nwoman,female,noun-sg",
    }
    paths = []
    for name, terms in lines.items():
        path = Path(folder / f"{name}.csv")
        path.write_text(f"term,group,form\n{terms}\n")
        paths.append(str(path))
    return paths


@pytest.fixture
def clean_seams(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget what a test adds."""
    from hinter_core.relations import family, registry

    seams = (extensions.MODELS, extensions.RELATIONS, extensions.METRICS, extensions.SOURCES)
    for seam in seams:
        monkeypatch.setattr(seam, "_added", dict(seam._added))
    kept = dict(family.FAMILY), dict(registry.RELATIONS)
    yield
    for known, before in zip((family.FAMILY, registry.RELATIONS), kept, strict=True):
        known.clear()
        known.update(before)
