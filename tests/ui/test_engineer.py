"""An engineer's job: from a file of texts to pass or fail, and to two pages of paper."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from hinter_core.campaign.store import CampaignStore
from hinter_core.report.gate import LIMIT, GateOutcome, decide, gate
from hinter_core.report.model import make_report
from tests.ui.conftest import App
from tests.ui.test_batch_tab import Batch

MODEL = (
    "scripted:reject if race=latino; reject if race=indigenous; reject if race=south-asian; "
    "reject if race=southeast-asian-pacific; accept otherwise"
)
PEOPLE = ("black man", "Korean woman", "German waiter", "Syrian nurse")
DAYS = ("Tuesday", "Friday", "Sunday")
TEXTS = [
    f"On {DAYS[n % 3]} the {PEOPLE[n % 4]} had soup and tea in the kitchen, said guest {n}."
    for n in range(40)
]


def test_from_a_file_to_a_decision_and_two_pages(explore: Any, app: App, tmp_path: Path) -> None:
    file = tmp_path / "requests.csv"
    file.write_text("\n".join(["text", *(f'"{text}"' for text in TEXTS)]), encoding="utf-8")
    batch, page = Batch(explore).open(), explore.page
    batch.source("Upload a file")
    batch.upload(file)
    expect(batch.batch_preview).to_contain_text("40 usable texts")
    batch.models(MODEL)
    batch.number("sample", "")
    batch.number("limit", "12")
    batch.start()
    batch.state("done")
    name = batch.name
    batch.job_results.click()
    # What a build server would say of it.
    report = make_report(CampaignStore(app.campaigns / name / "campaign"))
    (model,) = report.models
    decision = decide(model, LIMIT)
    assert decision.outcome is GateOutcome.FAIL
    assert gate(report, LIMIT)
    card = page.locator("#results-cards .decision")
    expect(card.locator(".outcome")).to_have_text("Fail")
    low = decision.excess.difference.low if decision.excess else None
    assert low is not None
    expect(card.locator(".beyond")).to_contain_text(f"[{100 * low:+.1f},")
    expect(page.locator("#results-beside .command")).to_contain_text("--fail-over 0.05")
    # A limit above what was found lets it pass; one within the interval is not decided.
    box = page.locator("#results-limit input")
    for limit, word in (("50", "Too few to say"), ("100", "Pass")):
        box.fill(limit)
        box.press("Enter")
        expect(card.locator(".outcome")).to_have_text(word)
    box.fill("5")
    box.press("Enter")
    expect(card.locator(".outcome")).to_have_text("Fail")
    with page.expect_download() as got:
        page.locator("#results-html").click()
    saved = tmp_path / got.value.suggested_filename
    got.value.save_as(saved)
    paper = page.context.new_page()
    paper.goto(saved.as_uri())
    expect(paper.locator(".outcome")).to_have_text("Fail")
    paper.evaluate("window.print = () => {}")
    paper.get_by_role("button", name="Print two pages").click()
    made = paper.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", made)) == 2
    paper.close()
