"""The Learn tab as a student, a teacher and a class use it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from hinter_ui.html.wording import Words
from hinter_ui.learn.lesson import load_lesson, questions

LESSON = load_lesson()
HUNT = next(step for step in LESSON if step.key == "hunt")


class Learn:
    """The tab in one browser page."""

    def __init__(self, page: Page, url: str, language: str = "en") -> None:
        self.page = page
        self.url = url
        self.say = Words("learn", language)

    def open(self, query: str) -> Learn:
        self.page.goto(f"{self.url}/{query}")
        expect(self.page.locator("#learn")).to_be_visible()
        return self

    def __getattr__(self, name: str) -> Locator:
        """``learn.class_room`` is the widget with the id ``learn-class-room``."""
        return self.page.locator("#learn-" + name.replace("_", "-"))

    @property
    def heading(self) -> Locator:
        return self.step.get_by_role("heading", level=2)

    def at(self, key: str) -> None:
        """Wait until a step is shown."""
        expect(self.heading).to_have_text(self.say(f"steps.{key}.title"))

    def guess(self, key: str, choice: str) -> None:
        button = self.step.get_by_role(
            "button", name=self.say(f"steps.{key}.choices.{choice}"), exact=True
        )
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
        reply = self.say(f"steps.{key}.choices.{choice}")
        expect(self.reply).to_contain_text(reply)

    def next(self) -> None:
        self.foot.locator(".turn.next").click()

    def choose(self, place: int, *words: str) -> None:
        """Choose words on the menus of one sentence."""
        for number, word in enumerate(words):
            menu = self.page.locator(f"#learn-case-{place} select").nth(number)
            if menu.input_value() != word:
                menu.select_option(word)
            expect(menu).to_have_value(word)


@pytest.fixture
def learn(explore: Any) -> Learn:
    return Learn(explore.page, explore.url)


def test_a_student_goes_through_the_whole_lesson(learn: Learn) -> None:
    learn.open("?lesson=1").at("attribute")
    expect(learn.step).to_contain_text("Content note")
    expect(learn.result).to_be_hidden()
    learn.guess("attribute", "all")
    expect(learn.result.locator("mark")).to_have_text(
        ["British (race)", "waiter (gender)", "white (race)", "waiter (gender)"]
    )
    expect(learn.result.locator(".rejected")).to_have_text(["black", "old", "white"])
    learn.next()
    learn.at("atomic")
    expect(learn.heading).to_be_focused()
    expect(learn.page).to_have_url(re.compile(r"\?lesson=atomic$"))
    learn.choose(0, "waitress")
    expect(learn.result.locator("article .answer")).to_have_text(["positive", "positive"])
    expect(learn.result).to_contain_text("from 0.81 to 0.73")
    # Forward by keyboard: the guess comes before what it is about.
    learn.foot.locator(".turn.next").press("Enter")
    learn.at("guess")
    expect(learn.step.locator(".open-answer")).to_have_count(1)
    expect(learn.result).to_be_hidden()
    learn.guess("guess", "stays")
    expect(learn.result.locator(".answer")).to_contain_text("negative")
    learn.next()
    learn.at("square")
    expect(learn.result.locator("article .answer")).to_have_text(
        ["positive", "positive", "positive", "negative"]
    )
    learn.choose(0, "Mexican")
    expect(learn.result.locator("article .answer").nth(3)).to_have_text("positive")
    learn.next()
    learn.at("hidden")
    expect(learn.step.locator(".answers-table tbody tr")).to_have_count(4)
    expect(learn.step.locator(".open-answer")).to_have_count(3)  # nobody has answered yet
    learn.guess("hidden", "b")
    expect(learn.result.locator(".answers-table .answer.flipped")).to_have_count(2)
    badges = learn.result.locator(".badge")
    expect(badges).to_have_text([re.compile("benign"), re.compile("biased"), re.compile("hidden")])
    learn.next()
    learn.at("broken")
    learn.guess("broken", "no")
    expect(learn.result.locator("svg.tree")).to_have_count(1)
    expect(learn.result.locator(".pos.wrong")).to_have_text(["≠ PRP$", "≠ PRP"])
    learn.next()
    learn.at("plot")
    learn.guess("plot", "turns")
    expect(learn.plot.locator(".scatterlayer .trace")).to_have_count(3)
    expect(learn.result).to_contain_text("a probability of 0.55. The model is at")
    learn.next()
    learn.at("hunt")
    expect(learn.result).to_contain_text("0 of 3 found")
    for place, scene in enumerate(HUNT.scenes):
        learn.choose(place, *scene.solution)
        expect(learn.page.locator(f"#learn-verdict-{place} .verdict .badge")).to_contain_text(
            "hidden"
        )
        expect(learn.result).to_contain_text(f"{place + 1} of 3 found")
    # What was found stays found when one looks on.
    learn.choose(0, "young")
    expect(learn.page.locator("#learn-verdict-0 .verdict .badge")).to_contain_text("benign")
    expect(learn.result).to_contain_text("All three found")
    learn.next()
    learn.at("grammar")
    learn.guess("grammar", "all")
    expect(learn.result).to_contain_text("24 of 24 sentences")
    expect(learn.result.locator(".answer.flipped")).to_have_count(2)
    learn.next()
    learn.at("limits")
    learn.guess("limits", "few")
    expect(learn.result.locator("tbody tr")).to_have_count(7)
    expect(learn.result).to_contain_text("neutral swaps flip the answer")
    expect(learn.result.locator("tbody tr").first).to_contain_text("fixed the window on Sunday")
    expect(learn.steps.locator("li.done")).to_have_count(10)
    # Back, and what was guessed and chosen is still there.
    learn.foot.locator(".turn.back").click()
    learn.at("grammar")
    learn.foot.locator(".turn.back").click()
    learn.at("hunt")
    expect(learn.page.locator("#learn-case-2 select").first).to_have_value("poor")
    learn.steps.get_by_role("button", name="Guess").click()
    learn.at("guess")
    expect(learn.step.locator("[aria-pressed=true]")).to_have_text("It stays positive")
    expect(learn.result.locator(".answer")).to_contain_text("negative")


def test_a_step_opens_by_its_link_in_german(learn: Learn) -> None:
    german = Learn(learn.page, learn.url, "de").open("?lesson=hunt&lang=de")
    german.at("hunt")
    # The page around the tabs speaks German, too.
    expect(german.page.locator("#page-header")).to_contain_text("Kippt die Antwort erst")
    expect(german.page.locator("#page-footer")).to_contain_text(
        "Ein Kippen sagt etwas über ein Modell"
    )
    german.choose(0, *HUNT.scenes[0].solution)
    expect(german.page.locator("#learn-verdict-0 .verdict .badge")).to_contain_text("verborgen")
    expect(german.result).to_contain_text("1 von 3 gefunden")
    german.steps.get_by_role("button", name="Das Quadrat").click()
    german.at("square")
    expect(german.result.locator("article h3")).to_have_text(
        ["Original", "Nur Herkunft", "Nur Geschlecht", "Herkunft × Geschlecht"]
    )
    for word in ("same answer", "valid", "Interaction", "source text", "flips"):
        expect(german.result).not_to_contain_text(word)
    german.page.locator(".language[lang=en]").click()
    learn.at("square")
    expect(learn.result.locator("article h3").nth(1)).to_have_text("Race only")


def test_a_word_leads_to_the_glossary(learn: Learn) -> None:
    learn.open("?lesson=attribute").at("attribute")
    word = learn.step.get_by_role("link", name="sensitive attribute")
    tip = learn.page.locator("#gloss-tip")
    expect(tip).to_be_hidden()
    word.focus()
    expect(tip).to_contain_text("should not depend on")
    expect(word).to_have_attribute("aria-describedby", "gloss-tip new-tab")
    learn.page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    word.hover()
    expect(tip).to_be_visible()
    learn.open(word.get_attribute("href") or "")
    expect(learn.glossary.locator(".chosen dt")).to_be_focused()
    expect(learn.glossary.locator(".chosen dt")).to_have_text("Attribute")
    learn.glossary.get_by_role("searchbox").fill("log-odds beyond")
    expect(learn.glossary.locator(".gloss-entry:visible dt")).to_have_text(["Interaction"])
    learn.glossary.get_by_role("searchbox").fill("zebra")
    expect(learn.glossary.get_by_role("status")).to_have_text("No entry has these letters.")


def test_a_teacher_makes_links_and_takes_the_handout(learn: Learn) -> None:
    page = learn.page
    learn.open("?teach=")
    expect(learn.plan.locator("tbody tr:visible")).to_have_count(6)
    with page.expect_download() as got:
        learn.pdf.click()
    assert got.value.path().read_bytes().startswith(b"%PDF")
    page.locator("#learn-builder [name=step]").select_option("broken")
    page.locator("#learn-builder [name=language]").select_option("de")
    link = learn.made.locator("a.share")
    expect(link).to_have_text(f"{learn.url}/?lesson=broken&lang=de")
    page.locator("#learn-builder [name=opens]").select_option("check")
    expect(learn.made).to_contain_text("Write a text about people")
    text = 'The British waiter <b>who</b> said "remembered" & left.'
    page.locator("#learn-builder textarea").fill(text)
    page.get_by_label("Scripted: hidden review").check()
    page.get_by_label("Embedded sentiment").uncheck()
    # Alone: the link to both models comes first.
    expect(link).to_have_attribute("href", re.compile(r"&models=scripted%3Ahidden-review(&|$)"))
    page.goto(link.evaluate("a => a.href"))
    expect(page.get_by_role("textbox", name="Text about people")).to_have_value(text)
    expect(page.locator("#banner .banner")).to_be_visible()


@pytest.fixture
def student(browser: Any, app: Any) -> Iterator[Learn]:
    """Another device: a phone."""
    context = browser.new_context(viewport={"width": 360, "height": 780}, has_touch=True)
    yield Learn(context.new_page(), app.url)
    context.close()


def test_a_class_guesses_and_its_teacher_sees_the_chart(learn: Learn, student: Learn) -> None:
    learn.open("?teach=")
    page = learn.page
    page.get_by_role("button", name="Open a class").click()
    links = page.locator("#learn-class a.full")
    expect(links).to_have_count(2)
    # The teacher's key is shown once, to be kept; a class that looks on sees none in the address.
    expect(page).to_have_url(re.compile(r"\?teach=#[A-Z0-9]{6}$"))
    # The class looks on: its own link is there, that of the teacher is folded.
    expect(links.nth(1)).to_be_hidden()
    expect(page.locator("#learn-class")).to_contain_text("Only your own machine opens this link")
    code = page.locator(".class-code").inner_text()
    chart = page.locator("#learn-chart")
    expect(chart).to_contain_text("Devices that have guessed: 0")

    student.open(f"?lesson=guess&class={code}").at("guess")
    expect(student.join).to_contain_text(f"You are in class {code}")
    assert student.page.evaluate("document.documentElement.scrollWidth") <= 360
    student.guess("guess", "stays")
    told = student.step.locator(".class-told")
    expect(told).to_have_text("Your guess has been counted in the class.")
    bars = chart.locator("[data-question=guess] .bar-value [aria-hidden]")
    expect(bars).to_have_text(["1 (100\u00a0%)", "0 (0\u00a0%)", "0 (0\u00a0%)"])
    # Nobody sees the answer before the teacher shows it, and the first guess holds.
    reply = student.page.locator("#learn-reply")
    expect(reply).to_contain_text("as soon as your teacher shows it")
    expect(student.page.locator("#learn-result")).to_be_empty()
    # The next step would tell it.
    student.page.get_by_role("button", name="Next").click()
    student.at("square")
    expect(reply).to_contain_text("as soon as your teacher shows it")
    expect(student.page.locator("#learn-result")).to_be_empty()
    student.page.get_by_role("button", name="Back").click()
    student.at("guess")
    # So would the teacher's page, which a student may open.
    expect(page.locator("details.answers")).to_have_count(1)
    student.page.locator("[data-section=teach]").click()
    expect(student.page.locator("#learn-plan table").first).to_be_visible()
    expect(student.page.locator("details.answers")).to_have_count(0)
    student.page.locator("[data-section=lesson]").click()
    student.at("guess")
    student.guess("guess", "turns")
    expect(told).to_have_text(
        "Your first guess to this question is counted already; this one is not."
    )
    expect(bars).to_have_text(["1 (100\u00a0%)", "0 (0\u00a0%)", "0 (0\u00a0%)"])

    # One question on the whole screen: a second vote beside the first, then the answer.
    page.get_by_role("button", name="Present").click()
    presenting = page.locator(".presenting")
    expect(presenting).to_contain_text("Question 1 of 7")
    # No sentence of an earlier step stands under it.
    expect(presenting).to_contain_text("This black comedy")
    expect(presenting).not_to_contain_text("British waiter")
    page.get_by_role("button", name="Next").click()
    expect(presenting.locator("h3")).to_contain_text("The Iranian waitress")
    expect(page.get_by_role("button", name="Next")).to_be_focused()
    expect(page.locator("#learn-head")).to_be_hidden()
    # Who votes later does not see how others voted; what can be chosen, they do.
    expect(chart).to_contain_text("Votes: 1")
    expect(chart.get_by_role("listitem").first).to_have_text("It stays positive")
    expect(chart.locator(".bar-value")).to_have_count(0)
    page.get_by_role("button", name="Show the votes").click()
    # A press while another one is under way does not count.
    expect(chart.locator(".bar-value").first).to_be_visible()
    expect(page.get_by_role("button", name="Hide the votes")).to_be_visible()
    page.get_by_role("button", name="Vote a second time").click()
    expect(page.get_by_role("button", name="Vote a second time")).to_have_count(0)
    expect(reply).to_contain_text("second time")
    student.guess("guess", "turns")
    expect(told).to_have_text("Your guess has been counted in the class.")
    expect(reply).to_contain_text("Your second guess is in")
    values = chart.locator(".bar-value [aria-hidden]")
    expect(values).to_have_text(
        [
            *("1 (100\u00a0%)", "0 (0\u00a0%)", "0 (0\u00a0%)"),
            *("0 (0\u00a0%)", "1 (100\u00a0%)", "0 (0\u00a0%)"),
        ]
    )
    right = chart.locator(".right-choice")
    expect(right).to_have_count(0)
    page.get_by_role("button", name="Show the answer").click()
    expect(right).to_have_count(4)  # two choices are right, in both votes
    expect(right.first).to_contain_text("It flips")
    expect(reply).to_contain_text("So it is")
    expect(presenting.locator(".reply-to")).to_contain_text("It flips to negative.")
    expect(presenting.locator(".reply-to")).not_to_contain_text("suspect")
    expect(page.get_by_role("button", name="the votes")).to_have_count(0)
    expect(presenting.get_by_role("row").last).to_contain_text("negative")
    page.get_by_role("button", name="Next").click()
    expect(presenting).to_contain_text("Question 3 of 7")
    expect(chart.locator(".bar-value")).to_have_count(0)  # the votes are hidden again
    page.get_by_role("button", name="End").click()
    expect(presenting).to_have_count(0)

    # The same page later, after a reload and by the teacher's own link; nobody else has it.
    page.reload()
    expect(links.nth(1)).to_be_hidden()
    expect(chart.locator("[data-question=guess] .right-choice")).to_have_count(4)
    page.locator(".own-link summary").click()
    own = links.nth(1).inner_text()
    page.goto(own)
    expect(bars).to_have_count(6)
    page.get_by_role("button", name="Show all answers to the class").click()
    expect(right).to_have_count(10)
    page.get_by_role("button", name="Clear all guesses").click()
    page.get_by_role("button", name="Yes:").click()
    expect(chart).to_contain_text("Devices that have guessed: 0")
    page.get_by_role("button", name="Close the class").click()
    page.get_by_role("button", name="Yes:").click()
    expect(chart).to_contain_text("This class is closed")
    page.get_by_role("button", name="Open a new class").click()
    expect(page.locator(".class-code")).not_to_have_text(code)
    expect(chart).to_contain_text("Devices that have guessed: 0")
    student.guess("guess", "unknown")
    expect(told).to_contain_text("This class is closed")
    student.open(f"?class={code}")
    expect(student.join.get_by_role("alert")).to_contain_text("closed")
    student.page.locator(".join-code").fill("nope")
    student.page.locator(".join-code").press("Enter")
    expect(student.join.get_by_role("alert")).to_contain_text("no class of that code")
    page.goto(own[:-3])
    expect(page.locator("#learn-class")).to_contain_text("There is no class of this link")


OUTSIDE = """() => {
  const outside = one => {
    const box = one.getBoundingClientRect();
    return box.width && (box.bottom > innerHeight || box.right > innerWidth || box.top < 0);
  };
  const cut = one => one.scrollHeight > one.clientHeight + 1;
  const parts = '#teach :is(h3, li, tr, .reply-to, button)';
  return [...[...document.querySelectorAll(parts)].filter(outside),
          ...[...document.querySelectorAll('#teach, .present-evidence, #learn-chart')].filter(cut)]
    .map(one => one.outerHTML.slice(0, 80));
}"""


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_question_that_is_presented_fits_the_screen_of_a_projector(
    learn: Learn, language: str
) -> None:
    page = learn.page
    page.set_viewport_size({"width": 1280, "height": 720})
    learn.open(f"?teach=&lang={language}")
    page.locator("[data-act=open-class]").click()
    page.locator("[data-act=present]").click()
    heading, bars = page.locator(".presenting h3"), page.locator("#learn-chart .bars")
    for number in range(len(questions())):
        if number:
            before = heading.inner_text()
            page.locator("[data-way=following]").click()
            expect(heading).not_to_have_text(before)
        expect(bars).to_have_count(0)
        assert page.evaluate(OUTSIDE) == []
        for act, found in (("votes", bars.first), ("vote-again", bars.nth(1))):
            page.locator(f".presenting [data-act={act}]").click()
            expect(found).to_be_visible()
        page.locator(".presenting [data-act=reveal]").click()
        expect(page.locator(".presenting .reply-to")).to_be_visible()
        assert page.evaluate(OUTSIDE) == []


def test_back_goes_to_the_step_before(learn: Learn) -> None:
    page = learn.page
    page.goto(learn.url)
    page.get_by_role("tab", name="Learn").click()
    learn.at("attribute")
    for key in ("atomic", "guess", "square"):
        learn.next()
        learn.at(key)
        expect(page).to_have_url(re.compile(rf"lesson={key}$"))
    # Pressed once more, reloaded, or in another language, a step is no other entry.
    learn.steps.get_by_role("button", name="The square").click()
    expect(learn.step).to_contain_text("Step 4")
    page.reload()
    learn.at("square")
    page.locator(".language[lang=de]").click()
    Learn(page, learn.url, "de").at("square")
    expect(page).to_have_url(re.compile(r"lesson=square&lang=de$"))
    page.locator(".language[lang=en]").click()
    learn.at("square")
    expect(page).to_have_url(re.compile(r"\?lesson=square$"))
    for key in ("guess", "atomic", "attribute"):
        page.go_back()
        learn.at(key)
    page.go_back()
    expect(page.get_by_role("textbox", name="Text about people")).to_be_visible()
    page.go_forward()
    learn.at("attribute")
    for key in ("atomic", "guess", "square"):
        page.go_forward()
        learn.at(key)
    expect(page).to_have_url(re.compile(r"\?lesson=square$"))
    # Who is quick comes to the same.
    page.evaluate("history.back(); setTimeout(() => history.back(), 120)")
    learn.at("atomic")
    page.go_back()
    learn.at("attribute")
    learn.next()
    learn.at("atomic")
    expect(page).to_have_url(re.compile(r"lesson=atomic$"))
    page.locator("[data-section=glossary]").click()
    expect(learn.glossary.get_by_role("searchbox")).to_be_visible()
    expect(page).to_have_url(re.compile(r"glossary="))
    page.go_back()
    learn.at("atomic")


def test_back_from_the_lesson_comes_to_the_class_again(learn: Learn) -> None:
    page = learn.page
    learn.open("?teach=")
    page.get_by_role("button", name="Open a class").click()
    code = page.locator(".class-code")
    kept = code.inner_text()
    page.locator("[data-section=lesson]").click()
    learn.at("attribute")
    expect(page).to_have_url(re.compile(r"lesson=attribute$"))
    learn.next()
    learn.at("atomic")
    expect(page).to_have_url(re.compile(r"lesson=atomic$"))
    page.go_back()
    learn.at("attribute")
    page.go_back()
    expect(code).to_have_text(kept)
    page.go_forward()
    learn.at("attribute")
    # On another page of this browser, the class is one press away, as long as it is open.
    learn.open("?lesson=atomic").at("atomic")
    page.locator("[data-section=teach]").click()
    running = page.locator(".own-class")
    expect(running).to_contain_text(f"You have an open class {kept}")
    running.get_by_role("button").click()
    expect(code).to_have_text(kept)
    page.get_by_role("button", name="Close the class").click()
    page.get_by_role("button", name="Yes:").click()
    expect(page.get_by_role("button", name="Open a new class")).to_be_visible()
    learn.open("?lesson=atomic").at("atomic")
    page.locator("[data-section=teach]").click()
    expect(page.get_by_role("button", name="Open a class")).to_be_visible()
    expect(running).to_have_count(0)


def test_the_lesson_fits_a_narrow_page(learn: Learn) -> None:
    page = learn.page
    page.set_viewport_size({"width": 360, "height": 780})
    learn.open("?lesson=hidden&lang=de")
    for step, choice in (("hidden", "c"), ("broken", "no")):
        learn.step.locator(f"[data-choice={choice}]").click()
        expect(learn.after).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        learn.next()
        expect(learn.step.locator(f"[data-question={step}]")).to_have_count(0)
