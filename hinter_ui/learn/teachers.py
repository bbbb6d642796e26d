"""The teacher's page: a plan, handouts, a builder of links, and a class with its chart."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from hinter_core.storage import ASSETS
from hinter_ui.html.glossary import linked
from hinter_ui.html.markup import Markup, join, table, tag
from hinter_ui.html.notice import copy_button
from hinter_ui.html.square import bar
from hinter_ui.html.wording import Words, capital, languages, name_of
from hinter_ui.learn.classroom import ClassCounts
from hinter_ui.learn.lesson import load_lesson, query_of
from hinter_ui.learn.lesson import say as lesson

say = Words("teach")

HANDOUTS = ASSETS / "handouts"


def head() -> Markup:
    """Write the title of the page."""
    title = tag("h2", say("title"), tabindex="-1")
    return tag("div", title, tag("p", say("intro"), class_="lead"), lang=say.language)


def plan() -> Markup:
    """Write the lesson plan, each line with a link to its step."""
    steps = {step.key: step for step in load_lesson()}
    columns = say.branch("plan.columns")
    rows = []
    for row in say.branch("plan.rows"):
        step = steps[row["step"]]
        link = tag("a", lesson(f"steps.{step.key}.name"), href=query_of(step),
                   target="_blank", rel="noopener")  # fmt: skip
        cells = {"minutes": row["minutes"], "step": link, "does": row["does"], "asks": row["asks"]}
        rows.append(
            tag("tr", *(tag("td", cell, data_column=columns[key]) for key, cell in cells.items()))
        )
    lines = table(say("plan.title"), columns.values(), rows, class_="plan-table")
    points = [tag("li", linked(point)) for point in say.branch("care.points")]
    return tag(
        "section",
        tag("h3", say("plan.title")),
        lines,
        tag("p", say("plan.longer"), class_="quiet"),
        tag("h3", say("care.title")),
        tag("ul", *points, class_="care"),
        lang=say.language,
    )


def handouts() -> Markup:
    """Introduce the buttons that download the handout."""
    intro = tag("p", say("handouts.intro"), class_="quiet")
    return tag("div", tag("h3", say("handouts.title")), intro, lang=say.language)


def path_of(language: str, ending: str) -> Path:
    """Return where a handout is; ``ending`` is ``md`` or ``pdf``."""
    return HANDOUTS / f"hinter-lesson-{language}.{ending}"


def builder(
    attributes: Sequence[str],
    models: Sequence[tuple[str, str]],
    chosen: tuple[tuple[str, ...], tuple[str, ...]],
) -> Markup:
    """Show a form whose link is made as it is filled in; ``chosen`` are attributes and models."""
    steps = [
        tag("option", f"{number}. {lesson(f'steps.{step.key}.name')}", value=step.key)
        for number, step in enumerate(load_lesson(), 1)
    ]
    tongues = [
        tag("option", name, value=code, selected=code == say.language)
        for code, name in languages("learn").items()
    ]
    boxes = [(capital(name_of(a)), a) for a in attributes]
    return tag(
        "section",
        tag("h3", say("links.title")),
        tag("p", say("links.intro"), class_="quiet"),
        _field(say("links.opens"), _select("opens", [
            tag("option", say("links.lesson"), value="lesson"),
            tag("option", say("links.check"), value="check"),
        ])),
        tag("div", _field(say("links.step"), _select("step", steps)),
            _field(say("links.language"), _select("language", tongues)), class_="of-lesson"),
        tag("div", _field(say("links.text"), tag("textarea", name="text", rows=3)),
            _boxes(say("links.attributes"), "attributes", boxes, chosen[0]),
            _boxes(say("links.models"), "models", models, chosen[1]), class_="of-check"),
        class_="link-form",
        lang=say.language,
    )  # fmt: skip


def _field(label: str, field: Markup) -> Markup:
    return tag("label", tag("span", label), field, class_="field")


def _select(name: str, options: Sequence[Markup]) -> Markup:
    return tag("select", *options, name=name)


def _boxes(
    title: str, name: str, choices: Sequence[tuple[str, str]], chosen: Sequence[str]
) -> Markup:
    items = [
        tag("label", tag("input", type="checkbox", name=name, value=value,
                         checked=value in chosen), " ", label)
        for label, value in choices
    ]  # fmt: skip
    return tag("fieldset", tag("legend", title), *items, class_="boxes")


def made(query: str, told: str = "") -> Markup:
    """Show the link that was made, or why there is none."""
    if not query:
        return tag("p", told, class_="quiet", role="status", lang=say.language)
    return tag("p", tag("strong", say("links.made"), ": "), _link(query),
               tag("span", f" {told}", class_="quiet-inline") if told else None,
               class_="made", role="status", lang=say.language)  # fmt: skip


def _link(query: str) -> Markup:
    link = tag("a", query, href=query, class_="share full", target="_blank", rel="noopener")
    return tag("span", link, " ", copy_button(), class_="link-line")


def invitation() -> Markup:
    """Offer to open a class."""
    button = tag("button", say("class.open"), type="button", class_="big", data_act="open-class")
    return _class_room(
        tag("h3", say("class.title")), tag("p", say("class.intro")), button,
        tag("p", say("class.kept"), class_="quiet"),
    )  # fmt: skip


def links(
    seen: ClassCounts, key: str, sure: str = "", told: str = "", *, answers: bool = False
) -> Markup:
    """Show the code and links of a class, and buttons to clear and close it.

    ``sure``: action that awaits confirmation; ``told``: result of the last action; ``answers``:
    whether the chart shows which choice is right.
    """
    code = seen.code
    student = query_of(load_lesson()[0], code)
    rows = (
        (say("class.code"), tag("strong", code, class_="class-code")),
        (say("class.student"), _link(student)),
        (say("class.teacher"), _link(f"?teach=#{key}")),
    )
    items = [tag("div", tag("dt", name), tag("dd", value)) for name, value in rows]
    shown = tag("button", say("class.answers"), type="button", class_="act",
                data_act="answers-class", aria_pressed="true" if answers else "false")  # fmt: skip
    acts = [
        tag("button", say("class.sure") if sure == act else say(f"class.{act}"), type="button",
            class_="act", data_act=f"{act}-class")
        for act in (["clear"] if seen.closed else ["clear", "close"])
    ]  # fmt: skip
    return _class_room(
        tag("h3", say("class.title"), tabindex="-1"),
        tag("dl", *items),
        tag("p", say("class.keep"), " ", say("class.kept"), class_="quiet"),
        tag("div", shown, *acts, class_="class-acts"),
        tag("p", told, class_="notice info", role="status") if told else None,
    )


def chart(seen: ClassCounts, *, answers: bool = False) -> Markup:
    """Chart the guesses so far; ``answers`` marks the choice that is right."""
    state = say("class.closed") if seen.closed else say("class.live")
    devices = say("class.devices", number=seen.devices)
    head = tag("p", tag("strong", devices), " ", tag("span", state, class_="quiet-inline"),
               role="status")  # fmt: skip
    none = None if seen.devices else tag("p", say("class.none"), class_="quiet")
    right = {step.key: step.right for step in load_lesson()} if answers else {}
    bodies = [_question(key, counts, right.get(key, "")) for key, counts in seen.counts.items()]
    return _class_room(head, none, tag("div", *bodies, class_="class-charts"))


def _class_room(*parts: Markup | None) -> Markup:
    return tag("section", *parts, lang=say.language, class_="class-room")


def _question(key: str, counts: Mapping[str, int], right: str) -> Markup:
    total = sum(counts.values())
    rows = []
    for choice, number in counts.items():
        spoken = tag("span", say("class.count", number=number, total=total), class_="sr-only")
        share = number / total if total else 0
        value = join(
            [tag("span", f"{number} ({100 * share:.0f}\u00a0%)", aria_hidden="true"), spoken]
        )
        name = tag("span", lesson(f"steps.{key}.choices.{choice}"))
        if choice == right:
            told = tag("span", f" ({say('class.right')})", class_="quiet-inline")
            name = tag("strong", "\u2713 ", name, told, class_="right-choice")
        rows.append(bar(name, share, value))
    question = lesson(f"steps.{key}.question")
    bars = tag("ul", *rows, class_="bars", aria_label=say("class.chart", question=question))
    name = tag("h4", lesson(f"steps.{key}.name"))
    return tag("article", name, tag("p", question), bars, class_="card", data_question=key)


def gone() -> Markup:
    """Say that the class of a link does not exist."""
    alert = tag("p", say("class.unknown"), class_="notice error", role="alert", lang=say.language)
    return join([alert, invitation()])
