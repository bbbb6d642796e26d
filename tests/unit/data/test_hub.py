"""Data sets of a Hub: real files behind the Hub's HTTP API, read by its own client."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from hinter_core.campaign.parquet import StoreError, read_table
from hinter_core.campaign.preview import preview
from hinter_core.campaign.running.run import plan_run, run_campaign
from hinter_core.campaign.spec import Campaign, load_campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.data.hub import open_hub, read_hub_name
from hinter_core.errors import InputError
from hinter_core.files.columns import Columns
from tests.conformance.hub import Files, LocalHub, ask_there, parquet

RULES = "scripted:negative 0.7 if race=white and gender=female; positive otherwise"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[LocalHub]:
    local = LocalHub()
    ask_there(local.address, monkeypatch, str(tmp_path / "cache"))
    yield local
    local.close()


def classes(*names: str) -> dict[str, object]:
    return {"class_label": {"names": {str(i): name for i, name in enumerate(names)}}}


def law(*, promised: int = 3) -> Files:
    """Two configurations as LexGLUE has them, with a card that says what the columns are."""
    features: dict[str, list[dict[str, object]]] = {
        "ecthr_a": [
            {"name": "text", "sequence": "string"},
            {"name": "labels", "sequence": classes("2", "3", "P1-1")},
        ],
        "scotus": [
            {"name": "text", "dtype": "string"},
            {"name": "label", "dtype": classes("1", "2", "3")},
        ],
    }
    splits = {"ecthr_a": {"train": 1, "test": promised}, "scotus": {"test": 2}}
    card = {
        "dataset_info": [
            {
                "config_name": config,
                "features": features[config],
                "splits": [
                    {"name": name, "num_examples": many, "num_bytes": 1}
                    for name, many in splits[config].items()
                ],
            }
            for config in features
        ],
        "configs": [
            {
                "config_name": config,
                "data_files": [{"split": s, "path": f"{config}/{s}-*"} for s in splits[config]],
            }
            for config in features
        ],
    }
    paragraphs = [["The black man sued.", "He lost the case."], ["A woman won."], ["It rained."]]
    return {
        "README.md": f"---\n{yaml.safe_dump(card)}---\nCases.\n".encode(),
        "ecthr_a/train-0.parquet": parquet(text=[["Nobody came."]], labels=[[1]]),
        "ecthr_a/test-0.parquet": parquet(text=paragraphs, labels=[[0, 2], [1], []]),
        "scotus/test-0.parquet": parquet(text=["A white man pleaded.", "She left."], label=[1, -1]),
    }


REVIEWS = b'{"review": "The white man was kind.", "stars": 5}\n{"review": "", "stars": null}\n'


def test_a_preset_knows_columns_paragraphs_and_label_names(hub: LocalHub) -> None:
    sha = hub.commit("coastalcph/lex_glue", law())
    table = open_hub(read_hub_name("lex_glue/ecthr_a"))
    assert table.pinned == f"hf:coastalcph/lex_glue?config=ecthr_a&split=test&revision={sha}"
    assert (table.columns, table.count) == (Columns("text", "labels", ""), 3)
    first = list(table.rows())
    assert [row.text for row in first] == [
        "The black man sued.\nHe lost the case.", "A woman won.", "It rained.",
    ]  # fmt: skip
    assert [row.label for row in first] == ["Article 2, Protocol 1, Article 1", "Article 3", ""]
    assert list(table.rows()) == first
    scotus = open_hub(read_hub_name("lex_glue/scotus"))
    assert [row.label for row in scotus.rows()] == ["Civil Rights", ""]
    train = open_hub(read_hub_name("lex_glue/ecthr_a?split=train"))
    assert [row.text for row in train.rows()] == ["Nobody came."]


def test_files_without_a_card_have_columns_that_are_found_or_named(hub: LocalHub) -> None:
    hub.commit("some/reviews", {"data.jsonl": REVIEWS})
    table = open_hub(read_hub_name("hf:some/reviews"))
    assert "split=train" in table.pinned
    assert table.count is None
    assert [(r.text, r.fault) for r in table.rows()] == [
        ("The white man was kind.", ""), ("", "there is no text"),
    ]  # fmt: skip
    named = open_hub(read_hub_name("hf:some/reviews"), label="stars")
    assert [row.label for row in named.rows()] == ["5", ""]
    with pytest.raises(InputError, match="has no column 'body'; it has review, stars"):
        open_hub(read_hub_name("hf:some/reviews"), text="body")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("hf:", "Name the data set"),
        ("hf:some/missing", "There is no data set 'some/missing' that you may read"),
        ("hf:some/private", "hf auth login"),
        ("hf:a/b/c", "There is no data set 'a/b/c'"),
        ("hf:some/gated", "is gated: accept its terms"),
        ("hf:some/law", "has several parts; choose one of ecthr_a, scotus, as in hf:some/law?con"),
        ("hf:some/law?config=tax", "no configuration 'tax'; choose one of ecthr_a, scotus"),
        ("hf:some/law?config=scotus&split=dev", "has no split 'dev'; choose one of test"),
        ("hf:some/law?config=scotus&revision=old", "has no revision 'old'"),
        ("hf:some/law?colour=red", "Unknown setting colour"),
        ("hf:some/parts", "has several splits; choose one of left, right"),
        ("hf:some/script", "none that runs a script"),
        ("hf:some/empty", "cannot be read"),
    ],
)
def test_what_cannot_be_read_says_what_to_do(hub: LocalHub, data: str, words: str) -> None:
    hub.commit("some/law", law())
    hub.commit("some/private", law())
    hub.closed.add("some/private")
    hub.commit("some/gated", law())
    hub.gated.add("some/gated")
    split = "---\nconfigs:\n- config_name: default\n  data_files:\n" + "".join(
        f"  - split: {name}\n    path: {name}.jsonl\n" for name in ("left", "right")
    )
    hub.commit(
        "some/parts",
        {"README.md": f"{split}---\n".encode(), "left.jsonl": REVIEWS, "right.jsonl": REVIEWS},
    )
    hub.commit("some/script", {"script.py": b"print()"})
    hub.commit("some/empty", {"README.md": b"Nothing."})
    with pytest.raises(InputError) as caught:
        open_hub(read_hub_name(data))
    assert words in str(caught.value)


def test_a_folder_of_the_same_name_is_not_read_in_place_of_the_hubs(
    hub: LocalHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.commit("some/reviews", {"data.jsonl": REVIEWS})
    here = tmp_path / "some" / "reviews"
    here.mkdir(parents=True)
    (here / "data.jsonl").write_text('{"review": "Not the one that was named."}\n')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="'some/reviews' is on this machine, too"):
        Campaign(data="hf:some/reviews").pinned()
    monkeypatch.chdir(here)
    first = next(iter(open_hub(read_hub_name("hf:some/reviews")).rows()))
    assert first.text == "The white man was kind."


def test_without_network_it_says_so(hub: LocalHub, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        ask_there(f"http://127.0.0.1:{free.getsockname()[1]}", monkeypatch, "unused")
        with pytest.raises(InputError, match=r"cannot be reached.*or download the data set"):
            Campaign(data="imdb").table()


def test_a_card_that_promises_other_rows_is_no_silent_loss(hub: LocalHub) -> None:
    hub.commit("some/law", law(promised=7))
    table = open_hub(read_hub_name("hf:some/law?config=ecthr_a"))
    with pytest.raises(InputError, match="promises 7 rows and there are 3"):
        list(table.rows())


def test_a_damaged_file_breaks_off_with_its_row(hub: LocalHub) -> None:
    files = {"data-0.jsonl": REVIEWS * 40, "data-1.jsonl": b'{"review": \n'}
    hub.commit("some/reviews", {f"data/{name}": body for name, body in files.items()})
    table = open_hub(read_hub_name("hf:some/reviews"))
    with pytest.raises(InputError, match=r"breaks off after row 80 .*--resume"):
        list(table.rows())


def test_a_sample_reads_no_rows_to_be_drawn_and_is_the_same_as_of_a_file(
    hub: LocalHub, tmp_path: Path
) -> None:
    texts = [f"The man number {number} left." for number in range(40)]
    body = parquet(text=texts)
    (tmp_path / "a.parquet").write_bytes(body)
    hub.commit("some/men", {"data/train-0.parquet": body})
    mine = Campaign(data="hf:some/men", sample=5, seed=3)
    local = replace(mine, data=str(tmp_path / "a.parquet"))
    assert plan_run(mine).chosen == plan_run(local).chosen


def test_a_resumed_campaign_meets_the_rows_it_met_before(hub: LocalHub, tmp_path: Path) -> None:
    before = hub.commit("some/law", law())
    campaign = Campaign(
        data="hf:some/law?config=ecthr_a", limit=4, atomic=False, placebo=False, shard=1,
        models=(RULES,),
    )  # fmt: skip
    store = CampaignStore(tmp_path / "out")
    seen: list[int] = []
    run_campaign(
        campaign,
        store,
        on_progress=lambda p: seen.append(p.shards),
        cancelled=lambda: len(seen) == 1,
    )
    assert seen == [1]
    assert store.campaign().data.endswith(f"revision={before}")
    changed = law()
    changed["ecthr_a/test-0.parquet"] = parquet(text=[["Other."]] * 3, labels=[[]] * 3)
    after = hub.commit("some/law", changed)
    assert run_campaign(campaign, store).shards == 3
    texts = [read_table(store.texts(n))["text"][0].as_py() for n in store.known()]
    assert texts == ["The black man sued.\nHe lost the case.", "A woman won.", "It rained."]
    assert store.verify() == []
    named = replace(campaign, data=f"{campaign.data}&revision=main")
    with pytest.raises(
        StoreError, match=f"has changed since: it was at {before}.* now is at {after}"
    ):
        run_campaign(named, store)
    del hub.commits["some/law"][before]
    with pytest.raises(InputError, match=f"no revision '{before}' \\(any more\\)"):
        run_campaign(campaign, store)


def test_identity_is_of_the_commit(hub: LocalHub) -> None:
    sha = hub.commit("coastalcph/lex_glue", law())
    short = Campaign(data="lex_glue/scotus")
    full = Campaign(data=f"hf:coastalcph/lex_glue?config=scotus&split=test&revision={sha}")
    assert short.identity() == full.identity()
    hub.commit("coastalcph/lex_glue", {**law(), "more.txt": b""})
    assert short.identity() != full.identity()


def test_a_preview_shows_the_commit_and_the_names_of_labels(hub: LocalHub) -> None:
    sha = hub.commit("coastalcph/lex_glue", law())
    seen = preview(Campaign(data="lex_glue/ecthr_a"), rows=1)
    assert seen.source.endswith(f"revision={sha}")
    assert (seen.count, seen.complete, len(seen.rows)) == (3, True, 1)
    assert seen.labels == {"Article 2, Protocol 1, Article 1": 1, "Article 3": 1}
    assert seen.found == ("text", "labels")


def test_a_short_name_is_data_wherever_a_campaign_file_lies(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("data: lex_glue/scotus\n")
    assert load_campaign(tmp_path / "c.yaml").data == "lex_glue/scotus"
    (tmp_path / "c.yaml").write_text("data: hf:some/law?split=test\n")
    assert load_campaign(tmp_path / "c.yaml").data == "hf:some/law?split=test"
