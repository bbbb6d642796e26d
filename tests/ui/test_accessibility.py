"""Every tab, filled in, as people meet it who use a keyboard, a screen reader or a large type."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, expect

from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_ui.html.wording import Words
from hinter_ui.shell import TABS
from tests.ui.conftest import turn_to
from tests.ui.test_results_tab import ALONE, FOLDS, HIDDEN, TEXTS

TITLES = [Words("app", "en")(f"tabs.{address}") for address in TABS]
WIDE = {"width": 1240, "height": 900}
NARROW = {"width": 360, "height": 780}
ZOOMED = {"width": 640, "height": 450}  # 1280 by 900 at 200 %: the same number of CSS pixels
# An image of gradio's whose text is there twice, and the like, is minor; all rules.
MILD: Any = ["minor", []]
# What the colours of the page can break; the rest is the same in light and dark.
COLOURS: Any = ["minor", ["color-contrast", "link-in-text-block"]]

# All rules of WCAG 2 (A, AA) and the best practices. The line that gradio draws below the tabs with
# `::after` lies on no text; without this, axe leaves the contrast of the tabs open. Contrast takes
# most of its work, so of texts that are alike in their colours, size and what they lie in or on, as
# the rows of a table are, it is asked of three.
_AXE = """
async ([mild, rules]) => {
  const looks = new Map(), seen = new Map();
  const own = e => {
    const style = getComputedStyle(e), states = [...e.attributes].filter(
      ({name}) => /^(class|style|type|disabled|aria-[a-z]+ed|aria-current)$/.test(name));
    return [e.tagName, ...states.map(one => one.value), style.backgroundColor,
      style.backgroundImage, style.opacity, style.color, style.fontSize, style.fontWeight];
  };
  const placed = e => getComputedStyle(e).position !== 'static';
  const look = e => {
    if (!e) return '';
    if (!looks.has(e)) {
      const below = e.previousElementSibling;
      looks.set(e, [look(e.parentElement), ...own(e),
        ...(below && (placed(e) || placed(below)) ? own(below) : [])].join());
    }
    return looks.get(e);
  };
  const says = e => e.matches('input, select, textarea')
    || [...e.childNodes].some(one => one.nodeType === Node.TEXT_NODE && one.data.trim());
  const some = [...document.querySelectorAll('body *')].filter(e => {
    if (!says(e) || !e.checkVisibility()) return false;
    const kind = look(e), times = seen.get(kind) ?? 0;
    seen.set(kind, times + 1);
    return times < 3;
  });
  some.forEach(e => { e.dataset.contrast = ''; });
  axe.configure({rules: [{id: 'color-contrast', selector: '[data-contrast]'}]});
  const shut = [...document.querySelectorAll('.main-tabs > [role=tabpanel]')]
    .filter(tab => !tab.checkVisibility());  // looked at when they are open
  const open = {include: [document.documentElement], exclude: shut};
  const found = await axe.run(open, {resultTypes: ['violations'],
    ...(rules.length ? {runOnly: {type: 'rule', values: rules}} : {}),
    checks: {'color-contrast': {options: {ignorePseudo: true}}}});
  some.forEach(e => { delete e.dataset.contrast; });
  return found.violations.filter(v => v.impact !== mild).flatMap(v => v.nodes.map(node =>
    `${v.id} (${v.impact}): ${node.target} ${node.failureSummary}`));
}
"""
# axe as it is, but for what its private fields are kept in: maps from a million objects, which the
# browser is slow to fill and to clear, would take a third of its work.
_QUICK_AXE = (
    f"(WeakMap => {{{AXE_SCRIPT}"
    """
})(class {
  #key = Symbol();
  has(one) { return Object.hasOwn(one, this.#key); }
  get(one) { return this.has(one) ? one[this.#key] : undefined; }
  set(one, value) { one[this.#key] = value; return this; }
  delete(one) { return delete one[this.#key]; }
});
"""
)
# What is cut off: a box that hides a part of its text, or text beyond the edge of the window that
# nothing scrolls to.
_LOST = """
() => {
  const wide = document.documentElement.clientWidth, lost = [];
  if (document.documentElement.scrollWidth > wide)
    lost.push(`the page scrolls sideways: ${document.documentElement.scrollWidth}`);
  const told = e => `${e.tagName}#${e.id}.${e.className} "${e.textContent.trim().slice(0, 40)}"`;
  // Said by a screen reader alone, as the heads of tables are where each cell has its own.
  const unseen = e => e && (getComputedStyle(e).clipPath !== 'none' || unseen(e.parentElement));
  const scrolls = e => !e.matches('.main-tabs') && (
    (/(auto|scroll)/.test(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth)
    || scrolls(e.parentElement));
  for (const e of document.querySelectorAll('.main-tabs > [role=tabpanel] *')) {
    if (!e.offsetParent || !e.innerText?.trim()) continue;
    if (e.closest('.js-plotly-plot') || unseen(e)) continue;
    const style = getComputedStyle(e), box = e.getBoundingClientRect();
    if (/(hidden|clip)/.test(style.overflowX) && e.scrollWidth > e.clientWidth + 1)
      lost.push('cut: ' + told(e));
    if (!e.children.length && box.right > wide + 1 && !scrolls(e)) lost.push('outside: ' + told(e));
  }
  return lost;
}
"""
# Plots follow the width of the window a little later.
_PLOTS_FIT = """
() => [...document.querySelectorAll('.js-plotly-plot')].filter(e => e.checkVisibility()).every(
  e => [...e.querySelectorAll('.main-svg')].every(drawn =>
    Math.abs(drawn.getBoundingClientRect().width - e.getBoundingClientRect().width) <= 1))
"""
# Controls that look the same with the focus of a keyboard as without.
_BARE = """
() => {
  const look = e => [e, e.closest('label'), e.closest('.wrap, .container')].map(x => {
    const c = x && getComputedStyle(x);
    return c && (c.outlineStyle === 'none' ? '' : 'ring') + c.boxShadow + c.borderColor; }).join();
  const all = 'a[href], button, input, textarea, select, summary, [tabindex]';
  const controls = [...document.querySelectorAll(all)].filter(e =>
    e.tabIndex >= 0 && !e.disabled && e.type !== 'file' && e.checkVisibility());
  const bare = [];
  for (const e of controls) {
    e.blur();
    const before = look(e);
    e.focus({focusVisible: true, preventScroll: true});
    if (look(e) === before) bare.push(`${e.tagName}#${e.id}.${e.className} ${e.ariaLabel}`);
  }
  document.activeElement?.blur();
  return [controls.length, bare];
}
"""
# What a screen reader could not call by its name: groups of choices, bars, and what takes a choice
# away; and links that open a tab without a word.
_NAMELESS = """
() => {
  const text = id => document.getElementById(id)?.textContent.trim();
  const named = e => e.matches('fieldset')
    ? e.querySelector('legend') || text(e.getAttribute('aria-labelledby'))
    : e.matches('progress') ? e.ariaLabel
    : e.matches('a') ? text('new-tab') && /new-tab/.test(e.getAttribute('aria-describedby'))
    : !/ \\d+$/.test(e.title) && / /.test(e.title);
  return [...document.querySelectorAll('fieldset, progress, a[target=_blank], .token-remove')]
    .filter(e => e.checkVisibility() && !e.closest('#gloss-tip, .modebar') && !named(e))
    .map(e => e.outerHTML.slice(0, 200));
}
"""
# The control with the focus, if the buttons that keep to the edge of the window lie on it.
_COVERED = """
() => {
  const here = document.activeElement, row = document.querySelector('#room-batch .start-row');
  const [one, bar] = [here.closest('label') ?? here, row].map(e => e.getBoundingClientRect());
  return !row.contains(here) && one.bottom > bar.top + 1 && one.top < bar.bottom && here.outerHTML;
}
"""
# What moves although less motion is wished for.
_MOVING = """
() => [...document.body.querySelectorAll('*')].filter(e => {
  const style = getComputedStyle(e), seconds = style.transitionDuration + ', ' + (
    style.animationName === 'none' ? '0s' : style.animationDuration);
  return seconds.split(', ').some(one => parseFloat(one) > .001);
}).map(e => e.outerHTML.slice(0, 90))
"""


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("accessible")
    data = folder / "people.csv"
    data.write_text("\n".join(["text", *TEXTS]), encoding="utf-8")
    wanted = Campaign(data=str(data), limit=20, shard=4, models=(HIDDEN, ALONE))
    run_campaign(wanted, CampaignStore(folder / "out"))
    return folder / "out"


# What waits for an answer is pale; on a busy machine a fold may be filled before it is at rest.
_AT_REST = "() => [...document.querySelectorAll('.pending')].every(one => !one.checkVisibility())"


class Rooms:
    """The app in one window that stays open; each tab is filled in once, as a visitor leaves it."""

    def __init__(self, page: Page, campaign: Path) -> None:
        self.page = page
        self.campaign = campaign
        self._filled: set[str] = set()
        # A tab that is not named here is looked at as it opens.
        self._fill: dict[str, Callable[[], None]] = {
            "Explore": self._explore,
            "Batch": self._batch,
            "Results": self._results,
            "Models": self._models,
            "Learn": self._learn,
        }

    def enter(self, title: str, size: Any = WIDE) -> Page:
        page = self.page
        page.set_viewport_size(WIDE)
        # The tabs are drawn anew as the row gets room; a click between would press none of them.
        expect(page.locator(".main-tabs .overflow-menu > button").first).to_be_hidden()
        page.get_by_role("tab", name=title, exact=True).click()
        panel = page.locator(f"#room-{list(TABS)[TITLES.index(title)]}")
        expect(panel).to_be_visible()
        expect(panel).not_to_be_empty()
        if title not in self._filled:
            self._fill.get(title, lambda: None)()
            self._filled.add(title)
        self.fit(size)
        return page

    def fit(self, size: Any) -> None:
        """Give the window a size, and wait until the open tab has followed."""
        self.page.set_viewport_size(size)
        self.page.wait_for_function(_PLOTS_FIT)
        self.page.wait_for_function(_AT_REST)

    def _explore(self) -> None:
        page = self.page
        expect(page.get_by_role("textbox", name="Text about people")).not_to_have_value("")
        page.locator("#scan").click()
        expect(page.locator("#progress")).to_contain_text("complete")
        for fold in ("all", "how", "why", "people"):
            page.locator(f"#{fold} > button").click()
        expect(page.locator("#table tbody tr")).not_to_have_count(0)
        expect(page.locator("#plot .main-svg").first).to_be_visible()
        page.locator("#trees summary").click()
        expect(page.locator("#trees .tree-words")).to_be_visible()
        expect(page.locator("#who mark")).not_to_have_count(0)

    def _batch(self) -> None:
        expect(self.page.locator("#batch-preview")).to_contain_text("usable texts")
        self.page.locator("#batch-more button").first.click()
        expect(self.page.locator("#batch-more input").first).to_be_visible()

    def _results(self) -> None:
        page = self.page
        box = page.locator("#results-path").locator("input, textarea").first
        box.fill(str(self.campaign))
        box.press("Enter")
        expect(page.locator("#results-cards .decision").first).to_be_visible()
        for key, filled in FOLDS.items():
            page.locator(f"#results-fold-{key} .label-wrap").click()
            expect(page.locator(filled).first).to_be_visible()
        page.locator("#results-compare").press("Enter")  # plots above may still grow
        expect(page.locator("#results-comparison")).to_contain_text("McNemar")
        opened = "all => all.forEach(one => { one.open = true; })"
        page.locator("#results-page details").evaluate_all(opened)

    def _models(self) -> None:
        page = self.page
        expect(page.locator(".model-table tbody tr")).not_to_have_count(0)
        page.locator("#ask").click()
        expect(page.locator("#try-answer .card")).not_to_have_count(0)

    def _learn(self) -> None:
        page = self.page
        page.locator("#learn-steps [data-step=broken]").click()
        page.locator("#learn-step [data-choice=no]").click()
        expect(page.locator("#learn-result svg.tree")).to_have_count(1)


# Colours follow with a transition, however short.
_DRAWN = """
async () => {
  // A change of colours may begin some frames after its cause, on a busy machine.
  const moves = one => one.playState === 'running'
    && one.effect.getComputedTiming().endTime !== Infinity;
  for (let calm = 0; calm < 12; calm = document.getAnimations().some(moves) ? 0 : calm + 1)
    await new Promise(requestAnimationFrame);
}
"""


# Where less motion is wished for, each part has a transition, too short to be seen, of all that it
# inherits, which is seconds of work where a large page takes other colours.
_AT_ONCE = """
at_once => {
  const style = document.getElementById('at-once')
    ?? Object.assign(document.createElement('style'), {id: 'at-once'});
  style.textContent = at_once ? '*, *::before, *::after { transition: none !important; }' : '';
  document.head.append(style);
}
"""


def turn(page: Page, scheme: Literal["light", "dark"]) -> None:
    page.evaluate(_AT_ONCE, True)
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(
        "dark => document.body.classList.contains('dark') === dark", arg=scheme == "dark"
    )
    page.evaluate(_DRAWN)
    page.evaluate(_AT_ONCE, False)


def faults(page: Page) -> list[str]:
    """What axe finds in the light, and of the colours in the dark."""
    found = list(page.evaluate(_AXE, MILD))
    turn(page, "dark")
    found += page.evaluate(_AXE, COLOURS)
    turn(page, "light")
    return found


@pytest.fixture(scope="module")
def window(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport=WIDE)  # type: ignore[arg-type]
    yield context.new_page()
    context.close()


@pytest.fixture(scope="module")
def rooms(window: Page, app: Any, campaign: Path) -> Rooms:
    window.emulate_media(color_scheme="light", reduced_motion="reduce")
    window.goto(app.url)
    window.evaluate(_QUICK_AXE)
    return Rooms(window, campaign)


@pytest.mark.parametrize("title", TITLES)
def test_axe_finds_no_fault(rooms: Rooms, title: str) -> None:
    page = rooms.enter(title)
    assert faults(page) == []
    assert page.evaluate(_MOVING) == []


def test_axe_finds_the_text_that_alone_lies_on_a_dark_box(page: Page) -> None:
    row = "<p style='position: relative'><b style='{}'></b><span style='position: relative'>it</p>"
    dark = "position: absolute; inset: 0; background: #222"
    page.set_content(row.format("") * 5 + row.format(dark))
    page.evaluate(_QUICK_AXE)
    (found,) = page.evaluate(_AXE, ["minor", ["color-contrast"]])
    assert "p:nth-child(6)" in found


@pytest.mark.parametrize("title", TITLES)
def test_nothing_is_cut_off_on_a_phone_or_at_200_percent(rooms: Rooms, title: str) -> None:
    page = rooms.enter(title, NARROW)
    assert page.evaluate(_LOST) == []
    rooms.fit(ZOOMED)
    assert page.evaluate(_LOST) == []


def test_a_row_of_variants_is_a_card_on_a_phone(rooms: Rooms) -> None:
    """Where it stayed a row, its cells were one letter wide."""
    row = rooms.enter("Explore", NARROW).locator("#table tbody tr").first
    assert row.evaluate("row => getComputedStyle(row).display") == "grid"
    assert row.locator("td").first.evaluate("cell => cell.clientWidth") > 100


@pytest.mark.parametrize("title", ["Explore"])  # Results draws without plotly
def test_plots_fit_a_window_that_changed_in_front_of_another_tab(rooms: Rooms, title: str) -> None:
    page = rooms.enter(title)
    rooms.enter("Learn", NARROW)
    turn_to(page, title)
    expect(page.locator(".main-svg:visible").first).to_be_visible()
    page.wait_for_function(_PLOTS_FIT)
    assert page.evaluate(_LOST) == []


@pytest.mark.parametrize("title", TITLES)
def test_focus_shows_on_every_control(rooms: Rooms, title: str) -> None:
    many, bare = rooms.enter(title).evaluate(_BARE)
    assert many > len(TITLES)  # more than the tabs
    assert bare == []


@pytest.mark.parametrize("title", TITLES)
def test_groups_bars_and_links_have_names(rooms: Rooms, title: str) -> None:
    assert rooms.enter(title).evaluate(_NAMELESS) == []


def test_arrow_keys_go_through_a_group_and_nothing_lies_on_the_focus(rooms: Rooms) -> None:
    page = rooms.enter("Batch", ZOOMED)
    choices = page.locator("#batch-order input")
    choices.first.focus()
    for key, place in (("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1)):
        page.keyboard.press(key)
        expect(choices.nth(place)).to_be_checked()
    for _ in range(25):
        page.keyboard.press("Tab")
        assert not page.evaluate(_COVERED)


def test_a_card_of_results_has_no_line_without_a_value(rooms: Rooms) -> None:
    page = rooms.enter("Results", ZOOMED)
    cells = page.locator("#room-results .report-table td[data-column]")
    empty = "all => all.filter(e => e.checkVisibility() && !e.textContent.trim()).length"
    assert cells.count() > 20
    assert cells.evaluate_all(empty) == 0


def test_axe_finds_no_fault_in_the_parts_of_the_lesson(rooms: Rooms) -> None:
    page = rooms.enter("Learn")
    page.locator("#learn-steps [data-step=hunt]").click()
    expect(page.locator("#learn-case-2 select")).to_have_count(3)
    assert page.evaluate(_AXE, MILD) == []
    page.locator("#learn-head [data-section=glossary]").click()
    expect(page.locator("#learn-glossary dt").first).to_be_visible()
    assert page.evaluate(_AXE, MILD) == []
    page.locator("#learn-head [data-section=teach]").click()
    page.locator("#learn-class [data-act=open-class]").click()
    expect(page.locator("#learn-chart article")).to_have_count(7)
    assert page.evaluate(_AXE, MILD) == []


def test_axe_finds_no_fault_in_results_of_another_text(rooms: Rooms) -> None:
    page = rooms.enter("Explore")
    text = page.get_by_role("textbox", name="Text about people")
    text.fill("The young Nigerian actress met her brother.")
    expect(page.locator("#stale")).to_contain_text("These results are for the previous text")
    assert faults(page) == []
    page.get_by_role("button", name="Go back to these results").click()
    expect(page.locator("#stale .offer")).to_have_count(0)


def test_a_keyboard_skips_to_the_room_that_is_open(rooms: Rooms) -> None:
    page = rooms.enter("Models")
    skip = page.get_by_role("link", name="Skip to the content")
    page.evaluate("document.activeElement.blur()")
    skip.focus()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("#room-models")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("!!document.activeElement.closest('#room-models')")
