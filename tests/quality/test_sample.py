"""The built-in sample: large enough, our own, and rich in intersections."""

from __future__ import annotations

import csv
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from hinter_core.campaign.settings import SAMPLE, SAMPLE_FILE
from hinter_core.campaign.spec import Campaign
from hinter_core.language.parsing import ParseStore
from hinter_core.language.sentences import split_sentences
from hinter_core.mutation.plan import Plan, make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.terms.dictionary import choose
from hinter_core.terms.matching import Matcher

LABELS = {
    "review": {"positive", "negative"},
    "court": {"privacy", "property", "liberty", "discrimination", "fair trial"},
    "contract": {"notice", "payment", "benefits", "conduct", "privacy"},
    "news": {"sport", "health", "work", "crime", "education", "culture"},
}
ATTRIBUTES = ("race", "gender", "body")
EXAMPLES = SAMPLE_FILE.parent.parent / "examples" / "examples.toml"


def rows() -> list[dict[str, str]]:
    with SAMPLE_FILE.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture(scope="module")
def plans(parses: ParseStore) -> list[Plan]:
    dictionaries = choose(ATTRIBUTES)
    # All at once: one text after another takes ten times as long.
    parses.parse([s.text for row in rows() for s in split_sentences(row["text"])], entities=True)
    matcher = Matcher(dictionaries)
    return [
        make_plan(row["text"], dictionaries, Settings(), parses, matcher=matcher) for row in rows()
    ]


def test_it_is_read_whole_with_ids_and_labels() -> None:
    read = list(Campaign(data=SAMPLE).table().rows())
    assert [(r.id, r.label, r.text) for r in read] == [
        (r["id"], r["label"], r["text"]) for r in rows()
    ]
    assert not [r for r in read if r.fault]
    assert b"\r" not in SAMPLE_FILE.read_bytes()


def test_ids_and_texts_are_unique_and_none_is_an_example() -> None:
    ids, texts = ([row[name] for row in rows()] for name in ("id", "text"))
    assert [i for i, n in Counter(ids).items() if n > 1] == []
    folded = [" ".join(text.casefold().split()) for text in texts]
    assert [t for t, n in Counter(folded).items() if n > 1] == []
    examples = tomllib.loads(EXAMPLES.read_text(encoding="utf-8"))["example"]
    assert not {" ".join(e["text"].casefold().split()) for e in examples} & set(folded)


def test_no_sentence_is_used_twice(plans: list[Plan]) -> None:
    sentences = Counter(s.text for plan in plans for s in plan.sentences)
    assert [s for s, n in sentences.items() if n > 1] == []


def test_four_domains_with_labels_of_their_own() -> None:
    assert len(rows()) >= 240
    domains = Counter(row["domain"] for row in rows())
    assert set(domains) == set(LABELS)
    assert min(domains.values()) >= 60
    for domain, labels in LABELS.items():
        used = Counter(row["label"] for row in rows() if row["domain"] == domain)
        assert set(used) == labels
        assert min(used.values()) >= 5


def test_texts_are_short_and_plain() -> None:
    for row in rows():
        assert 20 <= len(row["text"].split()) <= 120, row["id"]
        assert row["text"] == " ".join(row["text"].split()), row["id"]
        assert row["text"].endswith((".", "!", "?", '"')), row["id"]


def test_most_texts_have_an_intersection_and_some_have_none(plans: list[Plan]) -> None:
    present = [[a for a in ATTRIBUTES if plan.edits.get(a)] for plan in plans]
    crossed = sum(len(found) >= 2 for found in present)
    assert 0.7 * len(plans) <= crossed <= 0.95 * len(plans)
    assert sum(len(found) == 3 for found in present) >= 60


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_terms_are_spread_over_every_group(plans: list[Plan], attribute: str) -> None:
    found = [o for plan in plans for o in plan.occurrences if o.attribute == attribute]
    groups = Counter(o.terms[0].group for o in found)
    (dictionary,) = choose([attribute])
    assert set(groups) == set(dictionary.groups or {})
    assert min(groups.values()) >= 5
    assert len({o.surface.casefold() for o in found}) >= 60


def test_the_readme_gives_the_figures(plans: list[Plan]) -> None:
    text = (Path(SAMPLE_FILE.parent) / "README.md").read_text(encoding="utf-8")
    present = [[a for a in ATTRIBUTES if plan.edits.get(a)] for plan in plans]
    crossed = sum(len(found) >= 2 for found in present)
    assert f"| all | {len(plans)} | {crossed} |" in text
