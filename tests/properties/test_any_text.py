"""Matching and person sense over markup, code, tables, emoji and control characters: none fails."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hinter_core.data.rows import Row
from hinter_core.errors import InputError, ParserError
from hinter_core.generators.base import plans_of
from hinter_core.language.parsing import ParseStore
from hinter_core.models.registry import load_model
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.plan import Plan, make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline import case as cases
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.matching import matcher_for
from hinter_core.types import Verdict
from tests.conftest import undo
from tests.examples import examples

words = st.sampled_from(
    [
        "black",
        "White",
        "WOMAN",
        "man",
        "her",
        "He",
        "Mr.",
        "deaf",
        "Muslim",
        "old",
        "brother",
        "to a man",
        "African-American",
        "s/he",
        "bitch",
        "lion",
        "King",
        "the",
        "and",
        "is",
        "was kind.",
    ]
)
markup = st.sampled_from(
    [
        '<p style="color: black">',
        "</p>",
        '<a title="old man. She left.">',
        "<script>",
        "</script>",
        "<!--",
        "-->",
        "<br/>",
        "<",
        ">",
        "&lt;",
        "&#39;",
        "&amp;#39;s",
        "&nbsp;",
        "&#xD800;",
        "&#1114112;",
        "&",
        "```py",
        "if x == 'man':",
        "| a | b |",
        "|---|",
        "#black",
        "@woman",
        "https://x.y/man?she=1",
        "\\begin{old}",
        "$x^2$",
        "{'her': null}",
        "[man](http://a.b)",
    ]
)
odd = st.sampled_from(
    [
        "\u2764\ufe0f",
        "\U0001f468\u200d\U0001f469",
        "\u200d",
        "\u200b",
        "\u202e",
        "\x00",
        "\x1b[31m",
        "\x85",
        "\r\n",
        "\n\n",
        "\ud800",
        "\udfff",
        "\ufeff",
        "e\u0301\u0301",
        "\U0001d4ea",
        "\uff21",
        "\u00b4",
        "`",
        "\u2019",
        "\u0130",
        "\u1e9e",
        "...",
    ]
)
pieces = words | markup | odd | st.text(max_size=5)
anything = st.lists(pieces, max_size=14).flatmap(
    lambda found: st.sampled_from(["", " "]).map(lambda joint: joint.join(found))
)


@examples(250, settings(suppress_health_check=[HealthCheck.function_scoped_fixture]))
@given(text=anything, coherent=st.booleans())
def test_no_text_fails(
    text: str, coherent: bool, shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    dictionaries = [shipped[a] for a in ("race", "gender", "religion", "occupation")]
    chosen = Settings(order=2, limit=4, coherent=coherent)
    pipeline = Pipeline(dictionaries, parses, [PredictionStore(load_model("vader"))], chosen)
    try:
        plan = pipeline.plan(text)
        check = pipeline.check(text)
    except InputError:
        return
    plan.text.encode("utf-8")
    for one in [*plan.occurrences, *(r.occurrence for r in plan.rejected)]:
        assert plan.text[slice(*one.span)] == one.surface != ""
    for judged in check.outcomes["vader"]:
        assert undo(judged.mutant) == plan.text
        assert judged.verdict is not Verdict.UNANSWERED


def _rows(*texts: str) -> Iterable[Row]:
    return [Row(n, str(n), text) for n, text in enumerate(texts, 1)]


def test_a_row_that_fails_is_a_named_outcome(
    shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    dictionaries = [shipped["gender"]]

    def plan_of(row: Row) -> Plan:
        if "boom" in row.text:
            raise IndexError("list index out of range")
        return make_plan(
            row.text, dictionaries, Settings(order=1), parses, matcher=matcher_for(dictionaries)
        )

    found = list(plans_of(_rows("A man left.", "boom", "A nun left."), plan_of, lambda *_: None))
    assert [plan is not None for _, plan, _ in found] == [True, False, True]
    assert "IndexError" in found[1][2]
    assert "list index" in found[1][2]


@pytest.mark.parametrize("error", [ParserError("gone"), MemoryError(), OSError("disk")])
def test_what_is_no_fault_of_a_row_still_ends_the_run(error: Exception) -> None:
    def plan_of(row: Row) -> Plan:
        raise error

    with pytest.raises(type(error)):
        list(plans_of(_rows("A man left."), plan_of, lambda *_: None))


def test_a_mutant_that_cannot_be_compared_is_discarded_alone(
    shipped: dict[str, Dictionary], parses: ParseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline = Pipeline(
        [shipped["gender"]], parses, [PredictionStore(load_model("vader"))], Settings(order=1)
    )
    compare = cases._compared

    def broken(batch: list[cases.FollowUp], store: ParseStore) -> object:
        if any("woman" in one.mutant.text for one in batch):
            raise RecursionError
        return compare(batch, store)

    monkeypatch.setattr(cases, "_compared", broken)
    check = pipeline.check("A man left.")
    kept = {o.mutant.text: o.conformance for o in check.outcomes["vader"]}
    assert "RecursionError" in kept["A woman left."].reason
    assert any(one.kept for one in kept.values())
