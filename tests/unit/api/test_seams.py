"""The decorators: models, relations, metrics and sources that a script adds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import unescape
from itertools import count
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import hinter_core as hinter
from hinter_core import extensions
from hinter_core.campaign.listing import COMPLETE, campaigns_in
from hinter_core.campaign.running.run import plan_run
from hinter_core.relations import family, registry
from hinter_core.report.model import make_report

from .conftest import TEXTS, planted

pytestmark = pytest.mark.usefixtures("clean_seams")


def test_a_model_has_a_name_and_an_identity(words: list[str], tmp_path: Any) -> None:
    @hinter.model(identity="mine-1")
    def mine(texts: list[str]) -> list[str]:
        return planted(texts)

    assert mine(["x"]) == ["good"]  # it stays what it is
    by_name = hinter.check(TEXTS[0], "mine", (), dictionaries=words)
    by_value = hinter.check(TEXTS[0], mine, (), dictionaries=words)
    assert by_name.report() == by_value.report()
    for _ in range(2):
        hinter.run(TEXTS, "mine", (), dictionaries=words, limit=2, out=tmp_path, resume=True)


def test_objects_are_models_too(words: list[str]) -> None:
    class Scores:
        def predict_proba(self, texts: list[str]) -> list[list[float]]:
            return [[0.9, 0.1] if "black" in text else [0.2, 0.8] for text in texts]

    hinter.model(Scores(), name="scores", labels=["bad", "good"])
    found = hinter.run(TEXTS, ["scores", planted], (), dictionaries=words, limit=2)
    assert found.models == ["scores", "planted"]
    biased = found.findings(model="scores")
    assert biased["mutant"].str.contains("black").all()
    assert list(biased["shift"].round(1).unique()) == [-0.7]


def test_a_model_of_several_labels_has_a_threshold(words: list[str]) -> None:
    def toxic(texts: list[str]) -> list[dict[str, float]]:
        return [{"toxicity": 0.4, "insult": 0.1} for _ in texts]

    hinter.model(toxic, multi=True, labels=["toxicity", "insult"], threshold=0.3)
    assert hinter.check(TEXTS[0], "toxic", (), dictionaries=words).answer == ("toxicity",)
    assert hinter.check(TEXTS[0], toxic, (), dictionaries=words).answer == ("toxicity",)
    labels = {"labels": ["toxicity", "insult"], "dictionaries": words}
    alone = hinter.check(TEXTS[0], toxic, (), multi=True, threshold=0.45, **labels)
    assert alone.answer == ()
    with pytest.raises(hinter.HinterError, match=r"add up to 0\.5, not 1; .*multi=True"):
        hinter.check(TEXTS[0], toxic.__call__, (), **labels)
    with pytest.raises(hinter.HinterError, match="threshold is a number from 0 to 1, not 7"):
        hinter.check(TEXTS[0], toxic, (), multi=True, threshold=7, **labels)


def test_the_last_of_a_name_counts(words: list[str]) -> None:
    for answer in ("first", "second"):
        hinter.model(lambda texts, answer=answer: [answer for _ in texts], name="again")
        assert hinter.check(TEXTS[0], "again", (), dictionaries=words).answer == (answer,)


def test_a_relation_says_what_gets_the_same_answer(words: list[str]) -> None:
    @hinter.relation
    def politely(text: str) -> Iterator[str]:
        """Be polite."""
        yield text.replace("thanked", "kindly thanked")

    def rude(texts: list[str]) -> list[str]:
        return ["bad" if "kindly" in text and "woman" in text else "good" for text in texts]

    found = hinter.check(
        TEXTS[0], rude, (), dictionaries=words, relations=["substitute", "politely"]
    )
    hidden = found.findings("hidden")
    assert "The old woman kindly thanked the nurse." in set(hidden["mutant"])
    assert set(hidden["politely_to"]) == {"changed"}
    alone = hinter.mutants(TEXTS[0], (), dictionaries=words, relations="politely", order=1)
    assert list(alone["mutant"]) == ["The old man kindly thanked the nurse."]


def test_a_relation_may_be_said_anew(words: list[str]) -> None:
    for word in ("kindly", "warmly"):

        @hinter.relation(name="politely")
        def how(text: str, word: str = word) -> list[str]:
            return [text.replace("thanked", f"{word} thanked")]

        made = hinter.mutants(TEXTS[0], (), dictionaries=words, relations="politely", order=1)
        assert list(made["mutant"]) == [f"The old man {word} thanked the nurse."]


def test_results_are_read_without_the_relation_that_made_them(
    words: list[str], tmp_path: Path
) -> None:
    @hinter.relation
    def politely(text: str) -> list[str]:
        return [f"{text} Thank you."]

    given: dict[str, Any] = {"dictionaries": words, "relations": "substitute,politely"}
    found = hinter.run(TEXTS, planted, (), out=tmp_path, identity="1", **given)
    tables = found.rates, found.mutants(), found.report("markdown")
    for known in (extensions.RELATIONS._added, registry.RELATIONS, family.FAMILY):
        del known["politely"]
    loaded = hinter.load(tmp_path)
    pd.testing.assert_frame_equal(loaded.rates, tables[0])
    pd.testing.assert_frame_equal(loaded.mutants(), tables[1])
    make_report(loaded.store, attributes=("hue", "sex"))
    assert loaded.report("markdown") == tables[2]
    assert [one.state for one in campaigns_in(tmp_path)] == [COMPLETE]
    says = "no relation 'politely'; .* once hinter.relation has added it, or its package is inst"
    with pytest.raises(hinter.HinterError, match=says):
        hinter.run(TEXTS, planted, (), out=tmp_path, identity="1", resume=True, **given)
    with pytest.raises(hinter.HinterError, match=says):
        plan_run(loaded.store.campaign(), loaded.store)


def test_other_processes_do_not_know_a_relation_of_this_one(words: list[str]) -> None:
    hinter.relation(lambda text: [f"{text} Thank you."], name="politely")
    with pytest.raises(hinter.HinterError, match="relation 'politely' is in this process alone"):
        hinter.run(TEXTS, "vader", (), dictionaries=words, relations="politely", workers=2)


def test_a_relation_that_fails_ends_no_run(words: list[str]) -> None:
    @hinter.relation
    def picky(text: str) -> list[str]:
        if "white" in text:
            raise ValueError("too white")
        return [f"{text} So it was."]

    found = hinter.run(TEXTS, planted, (), dictionaries=words, relations="substitute,picky")
    assert set(found.mutants()["row"]) == {1, 3}
    assert "The relation 'picky' failed on this text (ValueError: too white)" in found.report(
        "markdown"
    ).replace("\\", "")
    one = "1 of 3 texts: unusable, most often because: The relation 'picky' failed on this text"
    assert one in repr(found)
    assert "No text was tested" not in repr(found)


def test_a_relation_that_is_none_is_refused(words: list[str]) -> None:
    for add in (hinter.model, hinter.relation, hinter.metric, hinter.source):
        with pytest.raises(hinter.HinterError, match=rf"5 is no {add.__name__}; give a function"):
            add(5, name="five")
    hinter.relation(lambda text: text.upper(), name="loud")
    with pytest.raises(hinter.HinterError, match="'loud' returns one text, not several; write yie"):
        hinter.mutants(TEXTS[0], (), dictionaries=words, relations="loud", order=1)
    hinter.relation(lambda text: (f"{text} {n}" for n in count()), name="endless")
    with pytest.raises(hinter.HinterError, match="'endless' gives more than 10,000 texts"):
        hinter.mutants(TEXTS[0], (), dictionaries=words, relations="endless", order=1)


def test_a_relation_that_fails_on_all_texts_leaves_no_clean_result(words: list[str]) -> None:
    @hinter.relation
    def broken(text: str) -> list[str]:
        raise KeyError(text[:3])

    found = hinter.run(TEXTS[1:], planted, (), dictionaries=words, relations="broken")
    why = "2 of 2 texts: unusable, most often because: The relation 'broken' failed on this text"
    for shown in (repr(found), unescape(unescape(found._repr_html_()))):
        assert why in shown
        assert "No text was tested, so nothing is known of any model." in shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.25, "0.250"),
        ({"flips": 3, "texts": 2}, "flips"),
        (pd.Series({("black", 2): 5}), "black, 2"),
        (pd.Series([7, 8]).to_numpy(), "no Series or table of pandas"),
        (pd.DataFrame({"word": ["black"], "share": [0.5]}), "black"),
        (None, "\u2013"),
    ],
)
def test_a_metric_is_part_of_every_report(words: list[str], value: Any, shown: str) -> None:
    seen: list[Any] = []

    @hinter.metric(title="My own metric")
    def own(mutants: Any) -> Any:
        """What it says."""
        seen.append(mutants)
        return value

    found = hinter.run(TEXTS, planted, (), dictionaries=words)
    written = found.report("markdown")
    assert "My own metric: planted" in written
    assert "What it says." in written
    assert shown in written.partition("My own metric")[2]
    assert "My own metric" in found.report("html")
    pd.testing.assert_frame_equal(seen[0], found.mutants())
    make_report(found.store, attributes=("hue", "sex"))
    pd.testing.assert_frame_equal(seen[-1], seen[0])


def test_the_index_of_a_metric_s_table_is_part_of_it(words: list[str]) -> None:
    named = pd.DataFrame({"n": [1, 2]}, index=pd.Index(["hue", "sex"], name="attributes"))
    pairs = [("hue", 1), ("sex", 2)]
    for table, columns, rows in (
        (named, ["attributes", "n"], [["hue", 1], ["sex", 2]]),
        (named.rename_axis(None), ["", "n"], [["hue", 1], ["sex", 2]]),
        (named.reset_index()[1:], ["attributes", "n"], [["sex", 2]]),
        (named.set_index("n"), ["n"], [[1], [2]]),
        (
            pd.DataFrame({("n", "sum"): [3, 4]}, index=pd.MultiIndex.from_tuples(pairs)),
            ["", "", "n, sum"],
            [["hue", 1, 3], ["sex", 2, 4]],
        ),
    ):
        hinter.metric(lambda mutants, table=table: table, name="own")
        found = hinter.run(TEXTS, planted, (), dictionaries=words)
        (section,) = found.content.added
        assert (section.columns, section.cells) == (columns, rows)


def test_a_metric_is_in_the_next_report_of_a_result_that_is_open(words: list[str]) -> None:
    found = hinter.run(TEXTS, planted, (), dictionaries=words)
    rates = found.rates
    assert "Later" not in found.report("markdown")
    for value in (0.25, 0.75):
        hinter.metric(lambda mutants, value=value: value, name="later")
        assert f"{value:.3f}" in found.report("markdown").partition("Later: planted")[2]
    assert found.rates is rates


def test_a_metric_that_fails_ends_no_report(words: list[str]) -> None:
    @hinter.metric
    def broken(mutants: Any) -> float:
        return float(mutants["no such column"].mean())

    written = hinter.run(TEXTS, planted, (), dictionaries=words).report("markdown")
    assert "could not be computed (KeyError: 'no such column')." in written.replace("\\", "")


@pytest.mark.parametrize("value", ["high", [1, 2]])
def test_a_metric_that_returns_no_value_is_refused(words: list[str], value: Any) -> None:
    hinter.metric(lambda mutants: value, name="odd")
    written = hinter.run(TEXTS, planted, (), dictionaries=words).report("json")
    (section,) = [one for one in json.loads(written)["added"] if one["key"] == "added-odd"]
    assert section["sentences"] == [
        f"It returned {value!r}, which is no number, no mapping from names to numbers, and no "
        "Series or table of pandas."
    ]


def test_a_source_gives_texts(words: list[str]) -> None:
    @hinter.source
    def notes(number: str = "3") -> Iterator[tuple[str, str]]:
        yield from ((text, "good") for text in TEXTS[: int(number)])

    assert set(hinter.run("notes", planted, (), dictionaries=words).mutants()["row"]) == {1, 2}
    one = hinter.run("notes:1", planted, (), dictionaries=words).mutants()
    assert set(one["row"]) == {1}
    assert set(one["label"]) == {"good"}
    with pytest.raises(hinter.HinterError, match=r"The source 'notes:x' failed \(ValueError"):
        hinter.run("notes:x", planted, (), dictionaries=words)
    for wrong, says in (("note:1", "did you mean 'notes'"), ("odd", "sources that were added are")):
        with pytest.raises(hinter.HinterError, match=f"There is no file {wrong}; {says}"):
            hinter.run(wrong, planted, (), dictionaries=words)


@pytest.mark.parametrize(
    ("add", "name", "says"),
    [
        (hinter.model, "vader", "HInter has a model 'vader'"),
        (hinter.relation, "substitute", "HInter has a relation 'substitute'"),
        (hinter.source, "sample", "HInter has a source 'sample'"),
        (hinter.metric, "my metric", "'my metric' is no name of a metric"),
        (hinter.model, "a:b", "'a:b' is no name of a model"),
    ],
)
def test_names_are_free_and_plain(add: Any, name: str, says: str) -> None:
    with pytest.raises(hinter.HinterError, match=says):
        add(planted, name=name)
