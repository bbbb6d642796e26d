"""Forms of a report: text, Markdown, spreadsheet, JSON and page, of one campaign."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from hinter_core.campaign.store import CampaignStore
from hinter_core.data.tables import rows_to_csv
from hinter_core.report.figures import (
    error_pies,
    flow,
    heat_maps,
    kept_pies,
    positive_bars,
)
from hinter_core.report.formats import (
    flat_rows,
    plain,
    print_report,
    to_html,
    to_markdown,
)
from hinter_core.report.metrics.examples import example_row
from hinter_core.report.model import Report, make_report
from hinter_core.report.sections import lines_of, sections, with_short_names

BAD = "<script>alert(1)</script>"
HIDDEN = f'scripted:negative if "white" and "woman"; {BAD} if "unicorn"; positive otherwise'
NEVER = 'scripted:negative if "unicorn"; positive otherwise'
TEXTS = [
    f"{BAD} | The tall black man was *kind* to `all`.\x1b[31m",
    "The black man was kind.",
    "The short white man was kind.",
    "",
]


@pytest.fixture(scope="module")
def report(make: Callable[..., CampaignStore]) -> Report:
    return make_report(make(TEXTS, ["race", "gender", "=size"], 2, HIDDEN, NEVER))


@pytest.fixture(scope="module")
def written(report: Report) -> str:
    return to_html(report)


class Reader(HTMLParser):
    """Tags and texts of a page, without what a script holds."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self._script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs)
        assert not any(name in ("src", "href") for name, _ in attrs), "it needs a network"
        if tag == "script":
            self._script = True

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._script = False

    def handle_data(self, data: str) -> None:
        if not self._script:
            self.text += data


def test_every_number_of_the_main_table_is_said_in_words(report: Report) -> None:
    report = with_short_names(report)
    main = sections(report)[1]
    lines = [(model, line) for model in report.models for line in lines_of(model)]
    assert len(main.rows) == len(lines)
    for (model, line), sentence in zip(lines, main.in_words, strict=True):
        assert sentence.startswith(f"{model.model}, {line.name}: ")
        assert f"{line.errors.hits:,} of {line.errors.of:,}" in sentence
        assert f"{line.discarded.hits:,} of {line.discarded.of:,}" in sentence


def test_the_terminal_shows_tables_and_is_not_steered(report: Report) -> None:
    stream = io.StringIO()
    print_report(report, stream)
    said = stream.getvalue()
    for heading in ("Error rates", "Truth table", "Coverage", "could not be used"):
        assert heading in said
    assert "there is no text" in said
    assert "\x1b" not in said
    assert max(map(len, said.splitlines())) <= 140


def test_markdown_is_sound_and_shows_texts_as_they_are(report: Report) -> None:
    text = to_markdown(report)
    blocks = [block for block in text.split("\n\n") if block.startswith("|")]
    assert len(blocks) >= 8
    for block in blocks:
        bars_of = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(bars_of) == 1, block
    assert "<script" not in re.sub(r"\\<", "", text)
    assert r"was \*kind\* to \`all\`" in text
    for heading in ("Error rates", "Truth table", "Groups", "Coverage", "Word pairs with the high"):
        assert f"## {heading}" in text


def test_a_spreadsheet_has_the_main_lines_and_runs_no_formula(report: Report) -> None:
    rows = list(csv.DictReader(io.StringIO(rows_to_csv(flat_rows(report)))))
    model = report.models[0]
    own = [row for row in rows if row["model"] == HIDDEN]
    assert [row["attributes"].removeprefix("'") for row in own] == [
        line.name for line in lines_of(model)
    ]
    assert {row["attributes"] for row in own} >= {"'=size", "'=size \u00d7 race"}
    total = own[-1]
    assert total["attributes"] == "intersectional"
    assert int(total["errors hits"]) == model.intersectional.errors.hits > 0
    assert float(total["errors share"]) == model.intersectional.errors.share
    kinds = ("benign", "biased", "hidden", "discarded", "unanswered")
    for row in rows:
        assert sum(int(row[kind]) for kind in kinds) == int(row["mutants"])


def test_json_holds_everything_as_plain_values(report: Report) -> None:
    values = json.loads(json.dumps(plain(report), allow_nan=False))
    assert set(values) == set(report.__dataclass_fields__)
    model = values["models"][0]
    first = report.models[0]
    assert set(model) == {*first.__dataclass_fields__, *first.metrics} - {"metrics"}
    assert model["intersectional"]["errors"]["hits"] == report.models[0].intersectional.errors.hits
    assert model["truths"][0]["rows"].keys() <= {
        f"{a} \u00d7 {b} \u00d7 {c}" for a in "01" for b in "01" for c in "01"
    }
    assert len(model["groups"]) == len(report.models[0].groups)
    assert values["campaign"]["attributes"] == ["race", "gender", "=size"]


def test_the_page_needs_no_network_and_runs_nothing_of_a_user(report: Report, written: str) -> None:
    reader = Reader()
    reader.feed(written)
    assert "plotly" not in written.lower()
    assert written.count("<script>") == 1
    assert len(written) < 400_000
    assert not {"link", "img", "iframe"} & set(reader.tags)
    assert BAD not in written
    assert BAD in reader.text  # shown as what it is
    assert "&lt;script&gt;" not in reader.text  # and escaped once
    assert "The tall black man was *kind* to `all`." in reader.text
    drawn = 0
    for model in report.models:
        drawn += sum(f is not None for f in (flow(model), kept_pies(model), error_pies(model)))
        assert positive_bars(model) is None  # no discarded mutant was asked
        drawn += len(heat_maps(model))
    first_pages = 3  # rates, texts, and a heat map
    assert written.count('<figure class="drawing') == drawn + first_pages


def test_a_model_without_a_set_of_attributes_has_no_rate_beside_the_others(report: Report) -> None:
    first, second = report.models
    short = replace(second, lines=[line for line in second.lines if line.order == 1])
    found = {section.key: section for section in sections(replace(report, models=[first, short]))}
    *sets, together = found["by-model"].rows[::2]
    assert [row[0] for row in sets] == [line.name for line in first.lines if line.order != 1]
    assert {row[3] for row in sets} == {"\u2013"}
    assert together[3] != "\u2013"


def test_an_example_shows_both_texts_around_the_change(report: Report) -> None:
    row = example_row(report.models[0].examples[0])
    assert row["change"] == "man \u2192 woman, black \u2192 white"
    assert row["answer"] == "positive \u2192 negative"
    assert "tall black man" in row["text"]
    assert "tall white woman" in row["mutant"]
    long = dict(report.models[0].examples[1])
    text = long["text"] + " It rained." * 200
    assert len(example_row(long | {"text": text})["mutant"]) < 250


def test_what_was_not_measured_has_every_form(make: Callable[..., CampaignStore]) -> None:
    atomic = make_report(make(["The black man was kind."], ["race", "gender"], 1, NEVER))
    nothing = make_report(make(["The soup was warm."], ["race", "gender"], 2, NEVER))
    for empty in (atomic, nothing):
        print_report(empty, io.StringIO())
        assert to_html(empty)
        assert to_markdown(empty)
        json.dumps(plain(empty), allow_nan=False)


def test_tables_are_repeated_in_words_only_where_wanted(report: Report) -> None:
    words = next(s for s in sections(report) if s.key == "overlap").in_words[0]
    brief = sections(report, in_words=False)
    assert not any(section.in_words for section in brief)
    assert [s.cells for s in brief if s.cells] == [s.cells for s in sections(report) if s.cells]
    for write in (to_markdown, to_html):
        assert words in write(report).replace("\\", "")
        assert words not in write(report, in_words=False).replace("\\", "")
