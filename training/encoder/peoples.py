"""The fixed words that stand for peoples: ``python -m training.encoder.peoples`` writes them anew.

To be run after a change of the dictionaries of race, nationality or religion; the encoder need not
be trained again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from hinter_core.language.encoder import FOLDER
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.matching import fold
from hinter_core.types import GrammaticalForm

_FORM = GrammaticalForm
_FIXED = {_FORM.ADJECTIVE: "Italian", _FORM.NOUN_SG: "Italian", _FORM.NOUN_PL: "Italians"}
_OF_PEOPLES = ("race", "nationality", "religion")
_COLOURS = frozenset("black blacks brown white whites".split())


def peoples() -> dict[str, str]:
    """Return the fixed word for each name of a people; one that may be singular is singular.

    Colours are read as they are: *white* has senses that *Italian* has not. So are *Arab woman* and
    *Shia cleric*, by their words.
    """
    found: dict[str, str] = {}
    for name in _OF_PEOPLES:
        for term in load_shipped()[name].terms:
            key = " ".join(fold(term.text).replace("-", " ").split())
            word = _FIXED.get(term.form)
            if (
                word
                and key not in _COLOURS
                and not key.endswith((" woman", " women"))
                and not (term.source_only and term.concept == "clergy")
                and found.get(key) != "Italian"
            ):
                found[key] = word
    return dict(sorted(found.items()))


def write_peoples(found: Mapping[str, str], folder: Path) -> None:
    """Write the fixed words beside the weights."""
    lines = json.dumps(dict(found), indent=0, ensure_ascii=False)
    (folder / "peoples.json").write_text(lines + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_peoples(peoples(), FOLDER)
