"""Annotators who sign in with the Hub, against a provider that speaks its protocol."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.ui.annotators import Judge, Made, pairs
from tests.ui.conftest import PATIENCE, App, serving
from tests.ui.identity_provider import IdentityProvider

# Annotators need no model.
WITHOUT_MODELS = """
from functools import partial
import app
from hinter_ui import shell
shell.serve = partial(shell.serve, warm=False)
app.main()
"""


@pytest.fixture(scope="module")
def provider() -> Iterator[IdentityProvider]:
    made = IdentityProvider("ann-hub", "Ann of the Hub")
    yield made
    made.close()


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory, provider: IdentityProvider) -> Iterator[App]:
    # That it is a Space is read as it is imported.
    command = (sys.executable, "-c", WITHOUT_MODELS)
    with serving(tmp_path_factory, command, **provider.environment) as app:
        yield app


def test_who_signs_in_joins_without_a_pass_phrase(
    page: Page, space: App, provider: IdentityProvider
) -> None:
    page.set_default_timeout(PATIENCE)
    made = Made(space.annotations, pairs(3))
    ann = Judge(page, space.url, PATIENCE).visit(made)
    expect(page.locator(".join-form")).to_be_visible()
    expect(page.locator("[data-act=login]")).to_have_count(0)
    page.goto(f"{page.url}&lang=de")
    page.get_by_role("button", name="Sign in with Hugging Face").click()
    page.get_by_role("link", name="Allow HInter to know your name").click()
    # Back at the same project, in the same language.
    page.wait_for_url(f"{space.url}/?annotate={made.id}&lang=de")
    page.locator("[data-act=login]").click()
    expect(ann.text).to_be_visible()
    expect(page.get_by_role("button", name="Sign out")).to_have_count(0)
    ann.judge("yyy")
    ann.all_saved()
    assert [one.answers["sense"] for one in made.judged()] == ["yes"]
    assert provider.exchanged == 1
    # Nobody else gets in under that name.
    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.context.clear_cookies()
    ann.visit(made)
    page.locator("[name=name]").focus()
    ann.type_in("Ann of the Hub", "a guess at a phrase")
    expect(ann.told).to_contain_text("taken")
