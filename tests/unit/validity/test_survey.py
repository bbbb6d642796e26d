"""Grammatical validity: the sample, what is judged, what is said of it, and faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from hinter_core.campaign.parquet import StoreError, read_table
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import InputError
from hinter_core.report.formats import plain
from hinter_core.report.model import make_report
from hinter_core.report.mutants.validity import Validity, validities, validity_in_words
from hinter_core.report.section import short_names
from hinter_core.report.sections import sections
from hinter_core.validity.checkers import CHECKERS, Acceptability, CheckerError, load_checker
from hinter_core.validity.survey import changed, draw, faults, survey, surveys

NEVER = 'scripted:negative if "unicorn"; positive otherwise'
TEXTS = [
    "The man is very old. Nobody saw it.",
    "The woman was too old to drive.",
    "The man was young and kind. He paid for the soup.",
    "The old woman left early. She ate soup that evening.",
]

Make = Callable[..., CampaignStore]


class Rule:
    """Takes every sentence for acceptable in which none of some words stands."""

    name = "rule"

    def __init__(self, *words: str, mute: str = "") -> None:
        self.identity = f"rule-1-{' '.join(words)}-{mute}"
        self.words, self.mute = words, mute
        self.asked: list[str] = []

    def check(self, texts: Sequence[str]) -> list[Acceptability]:
        self.asked += texts
        return [self._judge(text) for text in texts]

    def _judge(self, text: str) -> Acceptability:
        if self.mute and self.mute in text:
            return Acceptability(None, reason="no opinion")
        bad = [word for word in self.words if word in text]
        return Acceptability(not bad, 0.0 if bad else 1.0, ", ".join(bad))


@pytest.fixture(scope="module")
def finished(make: Make) -> CampaignStore:
    return make(TEXTS, ["age", "gender"], 2, NEVER)


@pytest.fixture
def store(finished: CampaignStore) -> Iterator[CampaignStore]:
    yield finished
    for path in finished.folder.glob("validity-*"):
        path.unlink()


def mutants(store: CampaignStore) -> list[dict[str, Any]]:
    return [m for n in store.known() for m in read_table(store.mutants(n)).to_pylist()]


def only(store: CampaignStore) -> Validity:
    (found,) = validities(store)
    return found


def test_a_sample_is_seeded_balanced_and_whole_where_there_are_few(store: CampaignStore) -> None:
    every = mutants(store)
    many = Counter(mutant["kept"] for mutant in every)
    assert min(many.values()) >= 4
    whole = draw(store, 1000, 0)
    assert Counter(item.record.kept for item in whole) == many
    assert len({(item.record.shard, item.record.place) for item in whole}) == len(every)
    small = draw(store, 3, 5)
    assert draw(store, 3, 5) == small
    assert any(draw(store, 3, seed) != small for seed in range(6, 12))
    assert Counter(item.record.kept for item in small) == {True: 3, False: 3}
    # Three sets of attributes have kept mutants, so three mutants are one of each.
    assert len({item.record.attributes for item in small if item.record.kept}) == 3
    for item in whole:
        own = read_table(store.mutants(item.record.shard)).to_pylist()[item.record.place]
        assert (own["row"], own["kept"]) == (item.record.row, item.record.kept)
        assert item.record.attributes == tuple(edit["attribute"] for edit in own["edits"])


def test_placebo_mutants_are_left_out(make: Make) -> None:
    store = make(["The old man ate soup."], ["age", "gender", "placebo-1"], 2, NEVER)
    assert any(e["attribute"] == "placebo-1" for m in mutants(store) for e in m["edits"])
    assert {name for item in draw(store, 100, 0) for name in item.record.attributes} == {
        "age",
        "gender",
    }


def test_only_changed_sentences_are_judged_and_each_once(store: CampaignStore) -> None:
    rule = Rule()
    told: list[tuple[int, int]] = []
    survey(store, rule, 1000, 0, lambda done, of: told.append((done, of)))
    assert len(rule.asked) == len(set(rule.asked))
    assert told[-1] == (len(rule.asked), len(rule.asked))
    assert "Nobody saw it." not in rule.asked
    assert "The man is very old." in rule.asked  # an original
    assert "The man is very young." in rule.asked


def test_sentences_that_differ() -> None:
    assert changed(["A.", "B.", "C."], ["A.", "X.", "C."]) == (["B."], ["X."])
    assert changed(["A.", "B."], ["A.", "B x.", "y."]) == (["B."], ["B x.", "y."])
    assert changed(["A."], ["A."]) == ([], [])


def test_planted_faults_come_out_exactly(store: CampaignStore) -> None:
    """A rule that knows the word of the discarded mutants."""
    every = mutants(store)
    planted = Counter(
        mutant["kept"]
        for mutant in every
        if any(edit["target"] == "whom" for edit in mutant["edits"])
    )
    many = Counter(mutant["kept"] for mutant in every)
    assert planted[False]
    survey(store, Rule("whom"), 1000, 0)
    found = only(store)
    assert (found.kept.hits, found.kept.of) == (many[True] - planted[True], many[True])
    assert (found.discarded.hits, found.discarded.of) == (
        many[False] - planted[False],
        many[False],
    )
    # Of each text one sentence changes, and no other set of sentences.
    assert (found.originals.hits, found.originals.of) == (len(TEXTS), len(TEXTS))
    assert found.discarded_change.value == pytest.approx(-planted[False] / many[False])
    assert found.kept_change.value == pytest.approx(-planted[True] / many[True])
    assert found.between.value == pytest.approx(
        (many[False] - planted[False]) / many[False] - (many[True] - planted[True]) / many[True]
    )
    assert found.scores["discarded"] == pytest.approx(1 - planted[False] / many[False])
    assert (found.kept.low, found.kept.high) != (None, None)


def test_none_planted_none_found(store: CampaignStore) -> None:
    survey(store, Rule("unicorn"), 1000, 0)
    found = only(store)
    for rate in (found.originals, found.kept, found.discarded):
        assert rate.hits == rate.of > 0
    assert (found.kept_change.value, found.discarded_change.value) == (0, 0)
    assert found.between.value == 0


def test_what_has_no_judgement_is_in_no_rate(store: CampaignStore) -> None:
    survey(store, Rule(mute="drive"), 1000, 0)
    found = only(store)
    rows = [mutant for mutant in mutants(store) if mutant["row"] == 2]
    assert found.unjudged == len(rows) > 0
    assert found.originals.of == len(TEXTS) - 1
    assert f"{found.unjudged:,} of the sample had no judgement" in validity_in_words(found)


@pytest.mark.slow
def test_validity_beside_the_answers_of_a_model(make: Make) -> None:
    """A model that turns with *woman*, and a rule that holds *woman* for wrong."""
    woman = 'scripted:negative if "woman"; positive otherwise'
    store = make(["The old man was kind.", "A young man ate soup."], ["age", "gender"], 2, woman)
    survey(store, Rule("woman"), 1000, 0)
    kept = [m for m in mutants(store) if m["kept"]]
    turned = [m for m in kept if any(edit["target"] == "woman" for edit in m["edits"])]
    ((changed, same),) = only(store).by_answer.values()
    assert (changed.hits, changed.of) == (0, len(turned))
    assert (same.hits, same.of) == (len(kept) - len(turned), len(kept) - len(turned))
    by_verdict = {(one.order, one.errors): one for one in only(store).by_verdict}
    alone = by_verdict["atomic", True]  # man -> woman in each of the two texts
    assert (alone.valid.hits, alone.valid.of, alone.change.value) == (0, 2, -1)
    assert (alone.score, alone.source_score) == (0, 1)
    assert by_verdict["atomic", False].valid.hits == by_verdict["atomic", False].valid.of
    together = [own for (order, _), own in by_verdict.items() if order == "intersectional"]
    assert sum(own.valid.of for own in together) == sum(len(m["edits"]) == 2 for m in kept)
    found = {s.key: s for s in sections(make_report(store))}
    rows = found["validity-verdicts"].rows
    short = short_names([woman])[woman]
    assert rows[0][1:5] == [short, "atomic", "error", "0 of 2, 0.0\u00a0% [0.0,\u00a065.8]"]
    section = found["validity"]
    assert f"of the kept mutants that changed the answer of {short} 0 of" in section.sentences[1]


@pytest.mark.slow
def test_every_checker_has_a_file_and_a_report_shows_all(store: CampaignStore) -> None:
    before = [section.key for section in sections(make_report(store))]
    assert "validity" not in before
    first = survey(store, Rule("whom"), 6, 1)
    again = survey(store, Rule("whom"), 6, 1)
    other = survey(store, Rule("young"), 6, 1)
    assert first == again != other
    assert len(surveys(store)) == 2
    report = make_report(store)
    (section,) = [section for section in sections(report) if section.key == "validity"]
    assert len(section.rows) == 6
    assert section.sentences[0] == validity_in_words(report.validity[0])
    assert plain(report)["validity"][0]["sample"] == 6
    assert faults(store) == []


def test_a_table_of_judgements_that_does_not_fit_is_named(store: CampaignStore) -> None:
    path = survey(store, Rule(), 6, 0)
    table = read_table(path)
    place = table.schema.get_field_index("kept")
    turned = pyarrow.array([not kept for kept in table["kept"].to_pylist()])
    pyarrow.parquet.write_table(table.set_column(place, "kept", turned), path)
    assert faults(store) == ["Judgements of rule do not fit the mutants of shard 0"]
    pyarrow.parquet.write_table(table.replace_schema_metadata(None), path)
    (fault,) = faults(store)
    assert "no table of judgements" in fault
    path.write_bytes(b"broken")
    (fault,) = faults(store)
    assert "damaged" in fault
    with pytest.raises(StoreError):
        make_report(store)


def test_bad_input_says_what_to_do(store: CampaignStore, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at least 1"):
        survey(store, Rule(), 0, 0)
    with pytest.raises(StoreError, match="is no campaign"):
        survey(CampaignStore(tmp_path), Rule(), 5, 0)
    empty = CampaignStore(tmp_path / "empty")
    empty.open(store.campaign())
    with pytest.raises(InputError, match="run the campaign first"):
        survey(empty, Rule(), 5, 0)
    with pytest.raises(CheckerError, match="There is no checker 'grammarly'; use acceptability"):
        load_checker("grammarly")
    with pytest.raises(CheckerError, match="takes no address"):
        load_checker("acceptability:somewhere")
    assert set(CHECKERS) == {"acceptability", "languagetool", "link-grammar"}
