"""Scripted models: the rule language, its scores, and its errors."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from hinter_core.errors import ModelError
from hinter_core.models import scripted
from hinter_core.models.registry import build_model, parse_name
from hinter_core.models.scripted import ScriptedModel, shipped_rules
from tests.examples import within
from tests.hostile import corpus


def load(rules: str) -> Any:
    return build_model(parse_name(f"scripted:{rules}"))


def labels(rules: str, *texts: str) -> list[str]:
    return [p.labels[0] for p in ScriptedModel("s", rules).predict(texts)]


def test_the_first_rule_that_holds_answers() -> None:
    rules = """
    # women of one group
    negative 0.62 if race=middle-eastern and gender=female
    neutral if race=middle-eastern
    positive 0.81 otherwise
    """
    texts = ["A Syrian woman.", "A Syrian man.", "A woman.", "Nobody."]
    assert labels(rules, *texts) == ["negative", "neutral", "positive", "positive"]


def test_conditions() -> None:
    assert labels("a if race; b otherwise", "A black man", "A man") == ["a", "b"]
    assert labels("a if not gender=female; b otherwise", "A man", "A woman") == ["a", "b"]
    assert labels('a if "late fee"; b otherwise', "A Late Fee.", "late fees") == ["a", "b"]
    assert labels("a if 'x' and not 'y'; b otherwise", "x", "x y") == ["a", "b"]


def test_scores_are_the_rule_s_and_the_rest_is_shared() -> None:
    model = ScriptedModel("s", "a 0.7 if gender=female; b if race; c otherwise")
    (answer,) = model.predict(["A woman"])
    assert answer.scores == pytest.approx({"a": 0.7, "b": 0.15, "c": 0.15})
    (answer,) = model.predict(["Nobody"])
    assert answer.scores["c"] == 0.9
    assert model.capabilities.labels == ("a", "b", "c")


def test_one_label_gets_a_counterpart() -> None:
    model = ScriptedModel("s", "good otherwise")
    assert model.capabilities.labels == ("good", "other")


def test_identity_follows_the_rules_not_the_name() -> None:
    first, second = ScriptedModel("x", "a otherwise"), ScriptedModel("y", "a otherwise")
    assert first.identity == second.identity
    assert ScriptedModel("x", "b otherwise").identity != first.identity


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("negative if gender=female", "must end with 'LABEL otherwise'"),
        ("", "must end with 'LABEL otherwise'"),
        ("negative when gender=female; positive otherwise", "is not 'LABEL"),
        ("a if colour; b otherwise", "unknown attribute 'colour'; use one of race"),
        ("a if gender=femal; b otherwise", "unknown group 'femal' of gender; use one of male"),
        ("a 0.4 if gender; b otherwise", "another label would score higher"),
        ("a 1.5 if gender; b otherwise", "between 0 and 1"),
    ],
)
def test_errors_say_what_is_wrong(rules: str, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        ScriptedModel("s", rules)
    assert message in str(caught.value)


def test_rules_are_given_inline_by_file_or_by_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.rules"
    path.write_text("a if gender=female\nb otherwise\n", encoding="utf-8")
    by_file = load(str(path))
    inline = load("a if gender=female; b otherwise")
    for model in (by_file, inline):
        assert [p.labels[0] for p in model.predict(["A woman", "A man"])] == ["a", "b"]
    assert by_file.name == f"scripted:{path}"
    for name in shipped_rules():
        assert load(name).name == f"scripted:{name}"


@pytest.mark.parametrize(
    ("argument", "message"),
    [("", "No rules named ''"), ("nothing", "No rules named 'nothing'"),
     ("nowhere.rules", "Cannot read the rules in nowhere.rules; check the path")],
)  # fmt: skip
def test_missing_rules(argument: str, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        load(argument)
    assert message in str(caught.value)


def test_a_comment_may_hold_what_separates_rules() -> None:
    model = load("negative if 'bad'\n# first; then\npositive otherwise")
    assert [p.labels for p in model.predict(["bad", "good"])] == [("negative",), ("positive",)]


@pytest.mark.parametrize(
    "rule",
    [
        f"a if 'x'{' ' * 50}y; b otherwise", "if if 'x'", "0.9 if 'x'; b otherwise", "a if",
        "a 0.7 if 'x' and\tnot 'y'; b otherwise", "a if 'b' otherwise; c otherwise",
        "very good 0.75 otherwise", "a 2 otherwise", "a 0.8 0.9 otherwise; b if 'x'",
        "a   0.8   if   'two  words'   and   gender=female; b   otherwise", "otherwise",
        "a 1.5 if x",
        "a otherwise if 'x'; b otherwise", "1 0.8 if 'x'; 0 otherwise", "a if and 'x'; b otherwise",
    ],
)  # fmt: skip
def test_rules_are_read_as_the_pattern_says(rule: str) -> None:
    """The pattern that rules were read with before; it takes hours for long runs of blanks."""
    pattern = re.compile(r"(.+?)(?:\s+([01]?\.\d+|1|0))?\s+(if\s+.+|otherwise)")
    for line in filter(None, map(str.strip, rule.split(";"))):
        match = pattern.fullmatch(line)
        try:
            read = scripted._parse_rule(line)
        except ModelError:
            assert match is None or "unknown attribute" in refused(line), line
            continue
        assert match is not None
        assert (read.label, read.score) == (match[1], float(match[2] or 0.9))
        assert bool(read.conditions) is (match[3] != "otherwise")


def refused(line: str) -> str:
    with pytest.raises(ModelError) as caught:
        scripted._parse_rule(line)
    return str(caught.value)


@pytest.mark.parametrize("case", corpus.rules())
def test_rules_of_strangers_are_read_in_no_time(case: str) -> None:
    with within(5), suppress(ModelError):
        ScriptedModel("s", corpus.rules()[case]).predict(["x " * 5_000])
