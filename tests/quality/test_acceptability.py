"""The embedded acceptability classifier: its published figures, and pairs of our own sentences."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hinter_core.validity.checkers import FOLDER, load_checker

PAIRS = Path(__file__).with_name("acceptability_pairs.csv")
CARD = (FOLDER / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def metrics() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((FOLDER / "metrics.json").read_text(encoding="utf-8"))
    return loaded


def test_every_file_is_below_ten_mebibytes() -> None:
    assert [p for p in FOLDER.iterdir() if p.stat().st_size >= 10 * 2**20] == []


def test_published_figures(metrics: dict[str, Any]) -> None:
    """Weak on linguists' sentences, good at the errors that a replaced word makes."""
    assert metrics["cola_in_domain_dev"]["mcc"] > 0.12
    assert metrics["cola_out_of_domain_dev"]["mcc"] > 0.12
    rules = metrics["gold_test_sentences_broken_by_rule"]
    for name in ("object pronoun", "subject pronoun", "possessive pronoun"):
        assert rules[name]["accuracy"] > 0.85
        assert rules[name]["bad_accepted"] < 0.1
    assert min(rule["accuracy"] for rule in rules.values()) > 0.75


def test_the_card_says_what_was_measured(metrics: dict[str, Any]) -> None:
    for part in ("cola_in_domain_dev", "cola_out_of_domain_dev"):
        assert f"{metrics[part]['mcc']:.3f}" in CARD
        assert f"{100 * metrics[part]['accuracy']:.1f} %" in CARD
    for name, rule in metrics["gold_test_sentences_broken_by_rule"].items():
        assert f"| {name} | {rule['pairs']} | {100 * rule['accuracy']:.1f} % |" in CARD


def test_pairs_of_our_own_sentences() -> None:
    """No pair was used to train or tune: 62 good sentences, each with one broken word or two."""
    with PAIRS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 62
    checker = load_checker("acceptability")
    good = checker.check([row["good"] for row in rows])
    bad = checker.check([row["bad"] for row in rows])
    assert sum(one.acceptable is True for one in good) >= 58
    assert sum(one.acceptable is False for one in bad) >= 53
    assert sum((a.score or 0) > (b.score or 0) for a, b in zip(good, bad, strict=True)) >= 57
    missed = Counter(
        row["kind"] for row, one in zip(rows, bad, strict=True) if one.acceptable is not False
    )
    assert missed["pronoun"] == missed["form"] == missed["order"] == 0
