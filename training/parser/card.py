"""Write the model card from the figures: ``python -m training.parser.card MODEL``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

TEMPLATE = Path(__file__).with_name("card.md.in")
NAMES = {
    "ewt": "EWT",
    "gum": "GUM",
    "atis": "ATIS",
    "eslspok": "ESLSpok",
    "pronouns": "Pronouns",
}


def _percent(value: float | None) -> str:
    """Write a share as a percentage, or a dash."""
    return "–" if value is None else f"{100 * value:.1f}"


def _table(head: list[str], rows: list[list[str]]) -> str:
    """Write a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _treebanks(figures: dict[str, Any]) -> str:
    """Write the scores per treebank."""
    keys = ("dep_las", "dep_uas", "tag_acc", "pos_acc", "token_f")
    rows = [
        [name, f"{s['sentences']:,}", f"{s['words']:,}", *(_percent(s.get(key)) for key in keys)]
        for code, name in NAMES.items()
        if (s := figures["treebanks"].get(code))
    ]
    head = ["test part", "sentences", "words", "LAS", "UAS", "tag", "POS", "tokens"]
    return _table(head, rows)


def _entities(figures: dict[str, Any]) -> str:
    """Write precision, recall and F-score per label."""
    entities = figures["treebanks"]["gum"].get("entities", {})
    rows = [[label, *(_percent(s[key]) for key in "prf")] for label, s in entities.items()]
    return _table(["label", "precision", "recall", "F"], rows)


def _names(figures: dict[str, Any]) -> str:
    """Write how often people are found, per group of first names."""
    rows = [
        [group, str(s["sentences"]), _percent(s["alone"]), _percent(s["with_surname"])]
        for group, s in figures["name_recall"].items()
    ]
    return _table(["first names", "sentences", "alone", "with a surname"], rows)


def _templates(figures: dict[str, Any], before: dict[str, Any] | None) -> str:
    """Write the shares per group, beside those of the parser it is compared with."""
    rows = []
    for group, s in figures["bias_templates"].items():
        row = [group, str(s["sentences"]), _percent(s["tag_accuracy"]), _percent(s["usual_parse"])]
        if before:
            old = before["bias_templates"][group]
            row += [_percent(old["tag_accuracy"]), _percent(old["usual_parse"])]
        rows.append(row)
    head = ["form: group", "sentences", "tag", "usual parse"]
    return _table(head + (["tag, compared", "usual, compared"] if before else []), rows)


def _swaps(figures: dict[str, Any], before: dict[str, Any] | None) -> str:
    """Write how often swaps change the parse."""
    rows = []
    for kind, s in sorted(figures["bias_swaps"].items(), key=lambda item: -item[1]["swaps"]):
        row = [kind, str(s["swaps"]), _percent(s["tags_change"]), _percent(s["parse_changes"])]
        row.append(f"{_percent(s['las_before'])} → {_percent(s['las_after'])}")
        row.append(f"{_percent(s['tag_before'])} → {_percent(s['tag_after'])}")
        if before:
            row.append(_percent(before["bias_swaps"].get(kind, {}).get("parse_changes")))
        rows.append(row)
    head = ["kind", "swaps", "tags change", "parse changes", "LAS", "tag"]
    return _table(head + (["parse changes, compared"] if before else []), rows)


def card(figures: dict[str, Any]) -> str:
    """Return the text of the card."""
    before = figures.get("compared")
    parts = {
        "TREEBANKS": _treebanks(figures),
        "ENTITIES": _entities(figures),
        "NAMES": _names(figures),
        "SPEED": figures.get("speed_note", f"{figures['words_per_second']:,} words per second"),
        "TEMPLATES": _templates(figures, before),
        "SWAPS": _swaps(figures, before),
        "COMPARED": before["note"] if before else "",
    }
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def main() -> None:
    """Read ``metrics.json`` of a model and write its ``README.md``."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("model", type=Path)
    model: Path = arguments.parse_args().model
    figures = json.loads((model / "metrics.json").read_text(encoding="utf-8"))
    (model / "README.md").write_text(card(figures), encoding="utf-8")


if __name__ == "__main__":
    main()
