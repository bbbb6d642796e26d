"""The lesson's frame: its steps, what a step says and asks, its menus, and the way on."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from urllib.parse import urlencode

from hinter_core.mutation.plan import Plan
from hinter_core.types import Outcome, Prediction, Splice, Verdict
from hinter_ui.html import trees
from hinter_ui.html.charts import log_odds, probability
from hinter_ui.html.glossary import linked
from hinter_ui.html.highlight import marked
from hinter_ui.html.markup import Markup, isolated, join, table, tag
from hinter_ui.html.square import original as original_card
from hinter_ui.html.square import square
from hinter_ui.html.wording import DEFAULT, Words, languages, words_of
from hinter_ui.html.words import (
    SIGNS,
    answer_of,
    badge,
    capital,
    hue,
    in_order,
    name_of,
    product,
    signed,
    term,
)
from hinter_ui.learn.actions import LessonActions, Trying
from hinter_ui.learn.lesson import Menu, Scene, Step

SECTIONS = ("lesson", "glossary", "teach")


def head(section: str, say: Words) -> Markup:
    """The parts of the tab, and the choice of a language."""
    buttons = [
        tag("button", say(f"ui.{name}"), type="button", class_="learn-part", data_act="section",
            data_section=name, aria_current="page" if name == section else None)
        for name in SECTIONS
    ]  # fmt: skip
    options = [
        tag("option", name, value=code, lang=code, selected=code == say.language)
        for code, name in languages("learn").items()
    ]
    choice = tag(
        "label",
        tag("span", say("ui.language")),
        tag("select", *options, data_act="language", class_="learn-language"),
    )
    parts = tag("nav", *buttons, aria_label=say("ui.sections"))
    return tag("div", parts, choice, class_="learn-head", lang=say.language)


def steps(lesson: Sequence[Step], current: int, done: Collection[str], say: Words) -> Markup:
    """How far one is, and a button for every step."""
    items = []
    for number, step in enumerate(lesson):
        mark = "\u2713" if step.key in done else str(number + 1)
        spoken = tag("span", f", {say('ui.guessed')}", class_="sr-only")
        button = tag(
            "button",
            tag("span", mark, class_="dot", aria_hidden="true"),
            tag("span", say(f"steps.{step.key}.name"), class_="step-name"),
            spoken if step.key in done else None,
            type="button",
            data_act="step",
            data_step=step.key,
            title=say(f"steps.{step.key}.name"),
            aria_current="step" if number == current else None,
        )
        items.append(tag("li", button, class_="done" if step.key in done else None))
    return tag(
        "nav",
        tag("ol", *items),
        class_="lesson-steps",
        aria_label=say("ui.steps"),
        lang=say.language,
    )


def opening(step: Step, number: int, total: int, evidence: Markup, asked: Markup,
            say: Words) -> Markup:  # fmt: skip
    """A step up to its question: heading, a few sentences, what is known, what is asked."""
    told = [tag("p", linked(text, say.language)) for text in say.branch(f"steps.{step.key}.lead")]
    return tag(
        "section",
        tag("p", say("ui.step", number=number + 1, total=total), class_="step-count"),
        tag("h2", say(f"steps.{step.key}.title"), tabindex="-1"),
        _note(say) if number == 0 else None,
        tag("div", *told[:1], evidence if step.key == "attribute" else None, *told[1:],
            class_="lead"),
        evidence if step.key != "attribute" else None,
        asked,
        lang=say.language,
        class_="step",
    )  # fmt: skip


def _note(say: Words) -> Markup:
    summary = tag("summary", say("note.title"))
    return tag("details", summary, tag("p", say("note.text")), class_="content-note", open=True)


def question(step: Step, guess: str, code: str, say: Words) -> Markup:
    """A guess to be made before anything is shown; ``code`` is that of the class joined."""
    if not step.choices:
        return Markup("")
    key = f"steps.{step.key}"
    buttons = [
        tag("button", say(f"{key}.choices.{choice}"), type="button", class_="choice",
            data_act="guess", data_question=step.key, data_choice=choice, data_code=code or None,
            data_lang=say.language, aria_pressed="true" if choice == guess else "false")
        for choice in step.choices
    ]  # fmt: skip
    told = None
    if code:
        told = tag("p", class_="class-told quiet", role="status", data_failed=say("join.unsent"))
    return tag(
        "fieldset",
        tag("legend", say(f"{key}.question")),
        tag("p", say("ui.before"), class_="quiet"),
        tag("div", *buttons, class_="choices"),
        told,
        class_="guess",
    )


def reply(step: Step, guess: str, say: Words) -> Markup:
    """What is said to a guess."""
    key = f"steps.{step.key}"
    right = guess == step.right
    sign = tag("span", "\u2713 " if right else "\u2192 ", aria_hidden="true", class_="sign")
    yours = say("ui.your_guess", guess=say(f"{key}.choices.{guess}"))
    words = tag("span", linked(say(f"{key}.replies.{guess}"), say.language))
    return tag("p", sign, tag("strong", f"{yours}. "), words,
               class_="reply-to right" if right else "reply-to")  # fmt: skip


def after(step: Step, say: Words) -> Markup:
    """What a step says in the end."""
    told = [tag("p", linked(text, say.language)) for text in say.branch(f"steps.{step.key}.after")]
    return tag("div", *told, class_="lead after")


def foot(lesson: Sequence[Step], current: int, query: str, say: Words) -> Markup:
    """The way back and on, and a link to the step."""

    def turn(name: str, to: int, kind: str) -> Markup:
        there = lesson[to % len(lesson)]
        shown = tag("span", say(f"ui.{name}"))
        where = tag("span", say(f"steps.{there.key}.name"), class_="where")
        return tag("button", shown, where, type="button", class_=f"turn {kind}", data_act="step",
                   data_step=there.key)  # fmt: skip

    last = current == len(lesson) - 1
    back = turn("back", current - 1, "back") if current else tag("span")
    on = turn("again", 0, "again") if last else turn("next", current + 1, "next")
    link = tag("a", say("ui.link"), href=query, class_="share")
    copy = tag("button", say("ui.copy"), type="button", class_="copy-link",
               data_copied=say("ui.copied"), data_uncopied=say("ui.uncopied"))  # fmt: skip
    return tag(
        "div",
        tag("div", back, on, class_="turns"),
        tag("p", link, copy, class_="share-line"),
        class_="lesson-foot",
        lang=say.language,
    )


def query_of(step: Step, language: str, code: str = "") -> str:
    """The address of a step within the app."""
    items = {"lesson": step.key}
    if language != DEFAULT:
        items["lang"] = language
    if code:
        items["class"] = code
    return f"?{urlencode(items)}"


def sentence(scene: Scene, words: Sequence[str], place: int, say: Words) -> Markup:
    """A text with a menu in place of each word that can be chosen."""
    check = words_of(say.language, "check")
    parts: list[object] = []
    rest = scene.text
    spots = sorted(
        (found.start(), found.end(), menu, word)
        for menu, word in zip(scene.menus, words, strict=True)
        if (found := re.search(rf"\b{re.escape(menu.source)}\b", scene.text))
    )
    end = 0
    for start, stop, menu, word in spots:
        parts += [rest[end:start], _menu(menu, word, place, say, check)]
        end = stop
    parts.append(rest[end:])
    return tag("p", join(parts), class_="sentence", lang="en")


def _menu(menu: Menu, word: str, place: int, say: Words, check: Words) -> Markup:
    options = [tag("option", w, value=w, selected=w == word) for w in menu.words]
    label = say("ui.words", attribute=name_of(menu.attribute, check))
    return tag("select", *options, class_="word-menu", data_act="word", data_place=place,
               aria_label=label, style=f"--h:{hue(menu.attribute)}")  # fmt: skip


def case(key: str, menus: Markup, say: Words) -> Markup:
    """A sentence of the hunt with what it is, and a hint."""
    hint = tag("details", tag("summary", say("steps.hunt.hint")),
               tag("p", say(f"steps.hunt.hints.{key}")), class_="hint")  # fmt: skip
    told = linked(say(f"steps.hunt.{key}"), say.language)
    return tag("div", tag("p", told, class_="quiet"), menus, hint, lang=say.language)


def joining(code: str, told: str, say: Words) -> Markup:
    """A place to join a class, or word of the class one is in; ``told`` is what went wrong."""
    wrong = tag("p", told, class_="notice error", role="alert") if told else None
    if code:
        words = tag("p", say("join.joined", code=code))
        leave = tag("button", say("join.leave"), type="button", class_="act", data_act="leave")
        return tag("div", wrong, words, leave, class_="join joined", lang=say.language)
    box = tag("input", type="text", class_="join-code", maxlength=9, autocomplete="off",
              autocapitalize="characters", spellcheck="false")  # fmt: skip
    label = tag("label", tag("span", say("join.label")), box)
    button = tag("button", say("join.button"), type="button", class_="act", data_act="join")
    summary = tag("summary", say("join.title"))
    fold = tag("details", summary, tag("div", label, button), open=bool(told))
    return tag("div", wrong, fold, class_="join", lang=say.language)


def quoted(*texts: Markup | str) -> Markup:
    """Texts under test, which are English in every language of the lesson."""
    return tag("div", *(tag("blockquote", text, lang="en") for text in texts), class_="quotes")


def found_words(plans: Sequence[Plan], say: Words) -> Markup:
    """The texts with the words that count marked."""
    texts = quoted(*(marked(plan, say) for plan in plans))
    return join([tag("p", say("steps.attribute.marked")), texts])


def cards(trying: Trying, say: Words) -> Markup:
    """The square of what was chosen, with its verdict in a sentence."""
    check = words_of(say.language, "check")
    judged = trying.judged()
    if judged is None:
        hint = tag("p", say("ui.unchanged"), class_="quiet")
        return join([hint, original_card(trying.check, trying.model, check)])
    shown = square(trying.check, judged, trying.model, check)
    return join([_headed(trying, judged, say), shown])


def verdict(trying: Trying, say: Words, *, found: bool) -> Markup:
    """The verdict of the whole in a sentence, and its parts; ``found`` marks a case of the hunt."""
    check = words_of(say.language, "check")
    judged = trying.judged()
    words = f"\u2713 {say('steps.hunt.found')}"
    mark = tag("p", tag("span", words, class_="badge found")) if found else Markup("")
    if judged is None:
        told = tag("span", answer_of(trying.original), class_="answer", lang="en")
        title = tag("strong", check("square.original"))
        return join([mark, tag("p", title, ": ", told, class_="verdict")])
    head = _headed(trying, judged, say)
    parts = trying.parts()[:-1]
    if not parts:
        return join([mark, head])
    items = [tag("li", _part(trying, part, say)) for part in parts]
    return join([mark, head, tag("ul", *items, class_="verdict-parts")])


def judgements(trying: Trying, say: Words) -> Markup:
    """What each model's answers come to."""
    items = []
    for place, model in enumerate(trying.scene.models):
        judged = trying.judged(model)
        assert judged is not None
        name = tag("strong", say("ui.model", letter="ABCDEF"[place]))
        items.append(tag("li", name, " ", _headed(trying, judged, say, model)))
    return tag("ul", *items, class_="judgements")


def _headed(trying: Trying, judged: Outcome, say: Words, model: str = "") -> Markup:
    check = words_of(say.language, "check")
    told = told_of(trying, judged, say, model)
    return tag("p", badge(judged.verdict, check), " ", told, class_="verdict")


def _part(trying: Trying, judged: Outcome, say: Words) -> Markup:
    check = words_of(say.language, "check")
    names = _names(trying, judged, check)
    title = check("square.only", name=names) if judged.mutant.order == 1 else names
    if judged.prediction is None:
        return join([title, ": ", check(f"verdicts.{judged.verdict.value}")])
    words = say("told.part", names=title, answer=answer_of(judged.prediction),
                probability=f"{_score(judged.prediction):.2f}")  # fmt: skip
    return tag("span", words)


def told_of(trying: Trying, judged: Outcome, say: Words, model: str = "") -> str:
    """What came of a mutant, in a sentence."""
    before = trying.check.originals[model or trying.model]
    key = judged.verdict.value
    if judged.verdict is Verdict.BIASED and judged.mutant.order == 1:
        key = "biased_alone"
    label = before.labels[0] if before.labels else ""
    after = judged.prediction.scores.get(label, 0.0) if judged.prediction else 0.0
    if judged.verdict is Verdict.BENIGN and after == before.scores.get(label):
        key = "same"
    return say(
        f"told.{key}",
        original=answer_of(before),
        answer=answer_of(judged.prediction),
        before=f"{before.scores.get(label, 0.0):.2f}",
        after=f"{after:.2f}",
    )


def answers(trying: Trying, say: Words, *, revealed: bool, alone: bool = False) -> Markup:
    """A table of the answers to the original, its parts and the whole.

    Unless ``revealed``, the whole's answers are not shown; ``alone`` shows nothing but them.
    """
    check = words_of(say.language, "check")
    models = trying.scene.models
    names = [say("ui.model", letter="ABCDEF"[i]) for i in range(len(models))]
    columns = [say("ui.text"), *(names if len(models) > 1 else [say("ui.answer")])]
    originals = {model: trying.check.originals[model] for model in models}
    rows = [_row(trying.scene.text, say("ui.original"), list(originals.values()), columns)]
    parts = trying.parts()
    for judged in parts:
        known = revealed or judged is not parts[-1]
        told = say("ui.changed", names=_names(trying, judged, check))
        text = mutant(trying.scene.text, judged.mutant.splices, check)
        if known:
            found = [trying.check.find(m, judged.mutant.edits) for m in models]
            said = [one.prediction if one else None for one in found]
        else:
            said = []
        rows.append(_row(text, told, said, columns, list(originals.values()), say("ui.unknown")))
    shown = rows[-1:] if alone else rows
    return table(say("ui.answers"), columns, shown, class_="answers-table")


def _row(
    text: Markup | str,
    told: str,
    said: Sequence[Prediction | None],
    columns: Sequence[str],
    originals: Sequence[Prediction] = (),
    unknown: str = "",
) -> Markup:
    cells = []
    for i, name in enumerate(columns[1:]):
        if i >= len(said):
            cells.append(tag("td", tag("span", unknown, class_="open-answer"), data_column=name))
            continue
        answer = said[i]
        turned = bool(originals and answer and answer.labels != originals[i].labels)
        score = f" {_score(answer):.2f}" if answer and answer.scores else ""
        sign = f"{SIGNS[Verdict.BIASED]} " if turned else ""
        word = tag("span", sign, isolated(answer_of(answer)), lang="en",
                   class_="answer flipped" if turned else "answer")  # fmt: skip
        cells.append(tag("td", word, tag("span", score, class_="quiet-inline"), data_column=name))
    title = tag("th", tag("span", told, class_="quiet-inline"), tag("span", text, lang="en"),
                scope="row")  # fmt: skip
    return tag("tr", title, *cells)


def mutant(text: str, splices: Sequence[Splice], check: Words) -> Markup:
    """A mutant with its new words marked."""
    parts: list[object] = []
    position = 0
    for splice in splices:
        parts.append(text[position : splice.start])
        if splice.attribute:
            parts.append(term(splice.new, splice.attribute, element="ins", say=check))
        else:
            parts.append(splice.new)
        position = splice.end
    return join([*parts, text[position:]])


def broken(trying: Trying, say: Words, actions: LessonActions) -> Markup:
    """The trees of a sentence and of its broken mutant."""
    judged = trying.judged()
    assert judged is not None
    shown = [
        trees.pair(judged, actions.parses(trying), sides, words_of(say.language, "check"))
        for sides in trees.changed_sentences(trying.check, judged)[:1]
    ]
    return join([_headed(trying, judged, say), *shown])


def sums(trying: Trying, say: Words) -> Markup:
    """The figures behind the plot of an interaction."""
    judged = trying.judged()
    assert judged is not None
    assert judged.effect is not None
    check = words_of(say.language, "check")
    label = judged.effect.label
    one, two, both = (part.prediction for part in trying.parts())
    assert one is not None
    assert two is not None
    assert both is not None
    origin, first, second = (p.scores[label] for p in (trying.original, one, two))
    added = probability(log_odds(first) + log_odds(second) - log_odds(origin))
    names = [name_of(edit.attribute, check) for edit in trying.edits]
    words = say(
        "steps.plot.told",
        original=f"{origin:.2f}", first=names[0], one=f"{first:.2f}", second=names[1],
        two=f"{second:.2f}", added=f"{added:.2f}", both=f"{both.scores[label]:.2f}",
        interaction=signed(judged.effect.interaction),
    )  # fmt: skip
    return tag("p", words, class_="sums")


def swaps(tried: Sequence[Trying], say: Words) -> Markup:
    """Neutral swaps one under the other, and how many of them turn the answer."""
    check = words_of(say.language, "check")
    first = tried[0]
    columns = [say("ui.text"), say("ui.answer")]
    rows, flips = [_row(first.scene.text, say("ui.original"), [first.original], columns)], 0
    for one in tried:
        judged = one.judged()
        if judged is None:
            continue
        flips += judged.verdict is Verdict.BIASED
        text = mutant(one.scene.text, judged.mutant.splices, check)
        rows.append(_row(text, "", [judged.prediction], columns, [one.original]))
    answered = table(say("ui.answers"), columns, rows, class_="answers-table")
    words = say("steps.limits.placebo_told", flips=flips, total=len(rows) - 1,
                before=f"{_score(first.original):.2f}")  # fmt: skip
    intro = tag("p", say("steps.limits.placebo"), class_="lead")
    return join([intro, answered, tag("p", tag("strong", words), class_="sums")])


def tally(found: int, step: Step, say: Words) -> Markup:
    """How many cases of a hunt were found."""
    total = len(step.scenes)
    words = say("steps.hunt.count", found=found, total=total)
    bar = tag("progress", value=found, max=total, aria_label=words)
    end = tag("p", say("steps.hunt.all"), class_="reply-to right") if found == total else None
    return join([tag("p", tag("strong", words), bar, class_="hunt-count"), end or Markup("")])


def _names(trying: Trying, judged: Outcome, check: Words) -> str:
    edits = in_order(judged.mutant.edits, trying.scene.attributes)
    return capital(product([name_of(edit.attribute, check) for edit in edits]))


def _score(prediction: Prediction) -> float:
    """The probability of the answer given."""
    return prediction.scores.get(prediction.labels[0], 0.0) if prediction.labels else 0.0
