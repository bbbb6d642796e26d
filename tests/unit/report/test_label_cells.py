"""Cells of labels are read by the labels of a model, in linear time."""

from __future__ import annotations

import pytest

from hinter_core.report.metrics.accuracy import label_reader


@pytest.mark.parametrize(
    ("cell", "known", "labels"),
    [
        ("anger#fear", ["anger", "fear"], {"anger", "fear"}),
        ("anger | Fear", ["anger", "fear"], {"anger", "fear"}),
        ('["anger", "fear"]', ["anger", "fear"], {"anger", "fear"}),
        ("['anger' 'fear']", ["anger", "fear"], {"anger", "fear"}),
        ("card, prepaid;mortgage", ["card, prepaid", "mortgage"], {"card, prepaid", "mortgage"}),
        ("a,b", ["a", "b", "a,b"], {"a,b"}),
        ("c#;c", ["c#", "c"], {"c#", "c"}),
        ("1.0", ["0", "1"], {"1"}),
        ("1", ["0.0", "1.0"], {"1"}),
        ("[0.0, 1.0]", ["0", "1"], {"0", "1"}),
        ("1.5", ["0", "1"], None),
        ("anger#odd", ["anger", "fear"], None),
        ("", ["a"], set()),
        ("[]", ["a"], set()),
    ],
)
def test_labels_of_a_cell(cell: str, known: list[str], labels: set[str] | None) -> None:
    assert label_reader(known)(cell) == labels


@pytest.mark.parametrize("end", ["", ",b", ",a,a"])
def test_a_long_cell_of_ambiguous_labels_is_read_at_once(end: str) -> None:
    read = label_reader(["a", "a,a", "a,a,a", "a,a,a,a"])
    found = read(",".join(["a"] * 20_001) + end)
    assert found is None if end == ",b" else found
