"""The teacher's page: a plan, a builder of links, and a class with its chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hinter_ui.html.glossary import linked
from hinter_ui.html.markup import Markup, join, table, tag
from hinter_ui.html.wording import Words, languages, words_of
from hinter_ui.html.words import capital, name_of
from hinter_ui.learn.classroom import ClassCounts
from hinter_ui.learn.html import query_of
from hinter_ui.learn.lesson import load_lesson


def head(say: Words) -> Markup:
    """The title of the page."""
    title = tag("h2", say("title"), tabindex="-1")
    return tag("div", title, tag("p", say("intro"), class_="lead"), lang=say.language)


def plan(say: Words) -> Markup:
    """The lesson plan, each line with a link to its step."""
    lesson = words_of(say.language, "learn")
    steps = {step.key: step for step in load_lesson()}
    columns = say.branch("plan.columns")
    rows = []
    for row in say.branch("plan.rows"):
        step = steps[row["step"]]
        link = tag("a", lesson(f"steps.{step.key}.name"), href=query_of(step, say.language),
                   target="_blank", rel="noopener")  # fmt: skip
        cells = {"minutes": row["minutes"], "step": link, "does": row["does"], "asks": row["asks"]}
        rows.append(
            tag("tr", *(tag("td", cell, data_column=columns[key]) for key, cell in cells.items()))
        )
    lines = table(say("plan.title"), columns.values(), rows, class_="plan-table")
    points = [tag("li", linked(point, say.language)) for point in say.branch("care.points")]
    return tag(
        "section",
        tag("h3", say("plan.title")),
        lines,
        tag("p", say("plan.longer"), class_="quiet"),
        tag("h3", say("care.title")),
        tag("ul", *points, class_="care"),
        lang=say.language,
    )


def handouts(say: Words) -> Markup:
    """What stands over the buttons that download the handout."""
    words = (tag("h3", say("handouts.title")), tag("p", say("handouts.intro"), class_="quiet"))
    return tag("div", *words, lang=say.language)


def builder(
    say: Words,
    attributes: Sequence[str],
    models: Sequence[tuple[str, str]],
    chosen: tuple[tuple[str, ...], tuple[str, ...]],
) -> Markup:
    """A form whose link is made as it is filled in; ``chosen`` are attributes and models."""
    lesson, check = words_of(say.language, "learn"), words_of(say.language, "check")
    steps = [
        tag("option", f"{number}. {lesson(f'steps.{step.key}.name')}", value=step.key)
        for number, step in enumerate(load_lesson(), 1)
    ]
    tongues = [
        tag("option", name, value=code, selected=code == say.language)
        for code, name in languages("learn").items()
    ]
    boxes = [(capital(name_of(a, check)), a) for a in attributes]
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


def made(query: str, say: Words, told: str = "") -> Markup:
    """The link that was made, or why there is none."""
    if not query:
        return tag("p", told, class_="quiet", role="status", lang=say.language)
    words = words_of(say.language, "learn")
    return tag("p", tag("strong", say("links.made"), ": "), _link(query, words),
               tag("span", f" {told}", class_="quiet-inline") if told else None,
               class_="made", role="status", lang=say.language)  # fmt: skip


def _link(query: str, words: Words) -> Markup:
    link = tag("a", query, href=query, class_="share full", target="_blank", rel="noopener")
    copy = tag("button", words("ui.copy"), type="button", class_="copy-link",
               data_copied=words("ui.copied"), data_uncopied=words("ui.uncopied"))  # fmt: skip
    return tag("span", link, " ", copy, class_="link-line")


def invitation(say: Words) -> Markup:
    """Class mode before a class is open."""
    button = tag("button", say("class.open"), type="button", class_="big", data_act="open-class")
    return tag(
        "section", tag("h3", say("class.title")), tag("p", say("class.intro")), button,
        tag("p", say("class.kept"), class_="quiet"), lang=say.language, class_="class-room",
    )  # fmt: skip


def links(seen: ClassCounts, key: str, say: Words, sure: str = "", told: str = "") -> Markup:
    """The code and the links of a class, and what its teacher can do with it.

    ``sure`` is what waits to be pressed a second time, ``told`` what has been done.
    """
    words, code = words_of(say.language, "learn"), seen.code
    student = query_of(load_lesson()[0], say.language, code)
    rows = (
        (say("class.code"), tag("strong", code, class_="class-code")),
        (say("class.student"), _link(student, words)),
        (say("class.teacher"), _link(f"?teach={key}", words)),
    )
    items = [tag("div", tag("dt", name), tag("dd", value)) for name, value in rows]
    return tag(
        "section", tag("h3", say("class.title"), tabindex="-1"), tag("dl", *items),
        tag("p", say("class.keep"), " ", say("class.kept"), class_="quiet"),
        tag("div", *_acts(seen, say, sure), class_="class-acts"),
        tag("p", told, class_="notice info", role="status") if told else None,
        lang=say.language, class_="class-room",
    )  # fmt: skip


def chart(seen: ClassCounts, say: Words) -> Markup:
    """The guesses so far."""
    lesson = words_of(say.language, "learn")
    state = say("class.closed") if seen.closed else say("class.live")
    devices = say("class.devices", number=seen.devices)
    head = tag("p", tag("strong", devices), " ", tag("span", state, class_="quiet-inline"),
               role="status")  # fmt: skip
    none = None if seen.devices else tag("p", say("class.none"), class_="quiet")
    bodies = [_question(key, counts, lesson, say) for key, counts in seen.counts.items()]
    return tag(
        "section",
        head,
        none,
        tag("div", *bodies, class_="class-charts"),
        lang=say.language,
        class_="class-room",
    )


def _question(key: str, counts: Mapping[str, int], lesson: Words, say: Words) -> Markup:
    total = sum(counts.values())
    rows = []
    for choice, number in counts.items():
        width = 100 * number / total if total else 0
        fill = tag("span", class_="fill good", style=f"width:{width:.1f}%")
        rows.append(
            tag("li", tag("span", lesson(f"steps.{key}.choices.{choice}"), class_="bar-label"),
                tag("span", fill, class_="bar", aria_hidden="true"),
                tag("span", tag("span", number, aria_hidden="true"),
                    tag("span", say("class.count", number=number, total=total), class_="sr-only"),
                    class_="bar-value"))
        )  # fmt: skip
    question = lesson(f"steps.{key}.question")
    bars = tag("ul", *rows, class_="bars", aria_label=say("class.chart", question=question))
    name = tag("h4", lesson(f"steps.{key}.name"))
    return tag("article", name, tag("p", question), bars, class_="card", data_question=key)


def _acts(seen: ClassCounts, say: Words, sure: str) -> list[Markup]:
    offered = ["clear"] if seen.closed else ["clear", "close"]
    return [
        tag("button", say("class.sure") if sure == act else say(f"class.{act}"), type="button",
            class_="act", data_act=f"{act}-class")
        for act in offered
    ]  # fmt: skip


def gone(say: Words) -> Markup:
    """A link to a class that is not there."""
    alert = tag("p", say("class.unknown"), class_="notice error", role="alert", lang=say.language)
    return join([alert, invitation(say)])
