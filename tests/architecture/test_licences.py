"""Licences of what is installed with HInter: permissive ones, and none of the GPL."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, distribution

import pytest
from packaging.requirements import Requirement

from hinter_core.storage import ROOT

COPYLEFT = re.compile(r"\b(A|L)?GPL|GNU (Affero |Lesser )?General Public", re.IGNORECASE)
PERMISSIVE = re.compile(
    r"\b(MIT|BSD|Apache|ISC|MPL|PSF|Python|Unlicense|Zlib|CC0)\b", re.IGNORECASE
)


def installed() -> dict[str, str]:
    """What says the licence of each package that HInter installs, by its name."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    stated = (line.partition("#")[0].strip() for line in lines)
    left = [Requirement(one) for one in stated if one]
    found: dict[str, str] = {}
    while left:
        wanted = left.pop()
        name = wanted.name.lower().replace("_", "-")
        if name in found:
            continue
        try:
            package = distribution(wanted.name)
        except PackageNotFoundError:
            continue
        told = package.metadata
        said = [told.get("License-Expression"), *(told.get("License") or "").splitlines()[:1]]
        said += [one for one in told.get_all("Classifier") or () if one.startswith("License")]
        found[name] = "; ".join(filter(None, said))
        for line in package.requires or ():
            needed = Requirement(line)
            extras = wanted.extras or {""}
            if needed.marker is None or any(needed.marker.evaluate({"extra": e}) for e in extras):
                left.append(needed)
    return found


@pytest.fixture(scope="module")
def licences() -> dict[str, str]:
    return installed()


def test_every_package_is_under_a_permissive_licence(licences: dict[str, str]) -> None:
    assert len(licences) > 60
    assert {name: said for name, said in licences.items() if not PERMISSIVE.search(said)} == {}
    assert {name: said for name, said in licences.items() if COPYLEFT.search(said)} == {}


def test_the_gpl_is_recognised_in_any_spelling() -> None:
    for said in ("GPL-3.0-only", "License :: OSI Approved :: GNU General Public License v3 (GPLv3)",
                 "AGPL-3.0-or-later", "GNU Affero General Public License", "LGPLv3"):  # fmt: skip
        assert COPYLEFT.search(said)
