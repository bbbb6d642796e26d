"""The lesson's page: its steps, what a step says and asks, and what the pipeline answers."""

import re
from collections.abc import Sequence

from hinter_core.mutation.plan import Plan
from hinter_core.types import Outcome, Prediction, Splice, Verdict
from hinter_ui.html import trees
from hinter_ui.html.glossary import linked
from hinter_ui.html.marked import marked, spliced
from hinter_ui.html.markup import Markup, escape, isolated, join, table, tag
from hinter_ui.html.notice import copy_button
from hinter_ui.html.square import log_odds, probability, square
from hinter_ui.html.square import original as original_card
from hinter_ui.html.wording import (
    SIGNS,
    Words,
    answer_of,
    badge,
    capital,
    hue,
    in_order,
    languages,
    name_of,
    product,
    signed,
    term,
    verdict_name,
)
from hinter_ui.learn.actions import LessonActions, Trying, WordFlips
from hinter_ui.learn.lesson import SECTIONS, Journey, Menu, Scene, Step, load_lesson, query_of, say

_CHECK = Words("check")


def head(section: str) -> Markup:
    """Show the parts of the tab, and the choice of a language."""
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


def steps(journey: Journey) -> Markup:
    """Show how far one is, with a button for every step."""
    items = []
    for number, step in enumerate(load_lesson()):
        done, name = step.key in journey.done, say(f"steps.{step.key}.name")
        button = tag(
            "button",
            tag("span", "\u2713" if done else number + 1, class_="dot", aria_hidden="true"),
            tag("span", name, class_="step-name"),
            tag("span", f", {say('ui.guessed')}", class_="sr-only") if done else None,
            type="button",
            data_act="step",
            data_step=step.key,
            title=name,
            aria_current="step" if number == journey.number else None,
        )
        items.append(tag("li", button, class_="done" if done else None))
    return tag("nav", tag("ol", *items), class_="lesson-steps", aria_label=say("ui.steps"),
               lang=say.language)  # fmt: skip


def opening(journey: Journey, evidence: Markup) -> Markup:
    """Write a step up to its question; ``evidence`` is what is known before the guess."""
    step, number = journey.step, journey.number
    lead = [tag("p", linked(text)) for text in say.branch(f"steps.{step.key}.lead")]
    within = step.key == "attribute"
    return tag(
        "section",
        tag("p", say("ui.step", number=number + 1, total=len(load_lesson())), class_="step-count"),
        tag("h2", say(f"steps.{step.key}.title"), tabindex="-1"),
        _note() if number == 0 else None,
        tag("div", *lead[:1], evidence if within else None, *lead[1:], class_="lead"),
        None if within else evidence,
        _question(journey),
        lang=say.language,
        class_="step",
    )


def _note() -> Markup:
    summary = tag("summary", say("note.title"))
    return tag("details", summary, tag("p", say("note.text")), class_="content-note", open=True)


def _question(journey: Journey) -> Markup | None:
    """Ask for a guess before anything is shown."""
    step, key, code = journey.step, f"steps.{journey.step.key}", journey.code
    if not step.choices:
        return None
    buttons = [
        tag("button", say(f"{key}.choices.{choice}"), type="button", class_="choice",
            data_act="guess", data_question=step.key, data_choice=choice, data_code=code or None,
            data_lang=say.language,
            aria_pressed="true" if choice == journey.guess else "false")
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


def reply(step: Step, guess: str) -> Markup:
    """Answer a guess."""
    key = f"steps.{step.key}"
    right = guess == step.right
    sign = tag("span", "\u2713 " if right else "\u2192 ", aria_hidden="true", class_="sign")
    yours = say("ui.your_guess", guess=say(f"{key}.choices.{guess}"))
    words = tag("span", linked(say(f"{key}.replies.{guess}")))
    return tag("p", sign, tag("strong", f"{yours}. "), words,
               class_="reply-to right" if right else "reply-to")  # fmt: skip


def after(step: Step) -> Markup:
    """Write what a step says in the end."""
    told = [tag("p", linked(text)) for text in say.branch(f"steps.{step.key}.after")]
    return tag("div", *told, class_="lead after")


def foot(journey: Journey) -> Markup:
    """Show buttons to the previous and next step, and a link to this one."""
    lesson, current = load_lesson(), journey.number

    def turn(name: str, to: int, kind: str) -> Markup:
        there = lesson[to % len(lesson)]
        shown = tag("span", say(f"ui.{name}"))
        where = tag("span", say(f"steps.{there.key}.name"), class_="where")
        return tag("button", shown, where, type="button", class_=f"turn {kind}", data_act="step",
                   data_step=there.key)  # fmt: skip

    last = current == len(lesson) - 1
    back = turn("back", current - 1, "back") if current else tag("span")
    on = turn("again", 0, "again") if last else turn("next", current + 1, "next")
    link = tag("a", say("ui.link"), href=query_of(journey.step), class_="share")
    return tag(
        "div",
        tag("div", back, on, class_="turns"),
        tag("p", link, copy_button(), class_="share-line"),
        class_="lesson-foot",
        lang=say.language,
    )


def sentence(scene: Scene, words: Sequence[str], place: int) -> Markup:
    """Write a text with a menu in place of each word that can be chosen."""
    parts: list[object] = []
    rest = scene.text
    spots = sorted(
        (found.start(), found.end(), menu, word)
        for menu, word in zip(scene.menus, words, strict=True)
        if (found := re.search(rf"\b{re.escape(menu.source)}\b", scene.text))
    )
    end = 0
    for start, stop, menu, word in spots:
        parts += [rest[end:start], _menu(menu, word, place)]
        end = stop
    parts.append(rest[end:])
    return tag("p", join(parts), class_="sentence", lang="en")


def _menu(menu: Menu, word: str, place: int) -> Markup:
    options = [tag("option", w, value=w, selected=w == word) for w in menu.words]
    label = say("ui.words", attribute=name_of(menu.attribute))
    return tag("select", *options, class_="word-menu", data_act="word", data_place=place,
               aria_label=label, style=f"--h:{hue(menu.attribute)}")  # fmt: skip


def case(key: str, menus: Markup) -> Markup:
    """Introduce a sentence of the hunt, with a hint."""
    hint = tag("details", tag("summary", say("steps.hunt.hint")),
               tag("p", say(f"steps.hunt.hints.{key}")), class_="hint")  # fmt: skip
    told = linked(say(f"steps.hunt.{key}"))
    return tag("div", tag("p", told, class_="quiet"), menus, hint, lang=say.language)


def joining(journey: Journey) -> Markup:
    """Offer to join a class, or to leave the one that was joined."""
    told = journey.told
    wrong = tag("p", told, class_="notice error", role="alert") if told else None
    if journey.code:
        words = tag("p", say("join.joined", code=journey.code))
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
    """Quote texts under test, which are English in every language of the lesson."""
    return tag("div", *(tag("blockquote", text, lang="en") for text in texts), class_="quotes")


def found_words(plans: Sequence[Plan]) -> Markup:
    """Mark the words that count in the texts."""
    texts = quoted(*(marked(plan) for plan in plans))
    return join([tag("p", say("steps.attribute.marked")), texts])


def cards(trying: Trying) -> Markup:
    """Draw the square of what was chosen, with its verdict in a sentence."""
    judged = trying.judged()
    if judged is None:
        hint = tag("p", say("ui.unchanged"), class_="quiet")
        return join([hint, original_card(trying.check, trying.model)])
    shown = square(trying.check, judged, trying.model)
    return join([_headed(trying, judged), shown])


def verdict(trying: Trying, *, found: bool) -> Markup:
    """Write the verdicts of a mutant and its parts; ``found`` marks a solved case of the hunt."""
    judged = trying.judged()
    words = f"\u2713 {say('steps.hunt.found')}"
    mark = tag("p", tag("span", words, class_="badge found")) if found else Markup("")
    if judged is None:
        told = tag("span", answer_of(trying.original), class_="answer", lang="en")
        title = tag("strong", _CHECK("square.original"))
        return join([mark, tag("p", title, ": ", told, class_="verdict")])
    head = _headed(trying, judged)
    parts = trying.parts()[:-1]
    if not parts:
        return join([mark, head])
    items = [tag("li", _part(trying, part)) for part in parts]
    return join([mark, head, tag("ul", *items, class_="verdict-parts")])


def judgements(trying: Trying) -> Markup:
    """Write the verdict for each model."""
    items = []
    for place, model in enumerate(trying.scene.models):
        judged = trying.judged(model)
        assert judged is not None
        name = tag("strong", say("ui.model", letter="ABCDEF"[place]))
        items.append(tag("li", name, " ", _headed(trying, judged, model)))
    return tag("ul", *items, class_="judgements")


def _headed(trying: Trying, judged: Outcome, model: str = "") -> Markup:
    told = told_of(trying, judged, model)
    return tag("p", badge(judged.verdict, judged.grade), " ", told, class_="verdict")


def _part(trying: Trying, judged: Outcome) -> Markup:
    names = _names(trying, judged)
    title = _CHECK("square.only", name=names) if judged.mutant.order == 1 else names
    if judged.prediction is None:
        return join([title, ": ", verdict_name(judged.verdict)])
    words = say("told.part", names=title, answer=answer_of(judged.prediction),
                probability=f"{_score(judged.prediction):.2f}")  # fmt: skip
    return tag("span", words)


def told_of(trying: Trying, judged: Outcome, model: str = "") -> str:
    """Describe the verdict of a mutant in a sentence."""
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


def answers(trying: Trying, *, revealed: bool, alone: bool = False) -> Markup:
    """Write a table of the answers to the original, its parts and the whole.

    Unless ``revealed``, the whole's answers are not shown; ``alone`` shows nothing but them.
    """
    models = trying.scene.models
    names = [say("ui.model", letter="ABCDEF"[i]) for i in range(len(models))]
    columns = [say("ui.text"), *(names if len(models) > 1 else [say("ui.answer")])]
    originals = {model: trying.check.originals[model] for model in models}
    rows = [_row(trying.scene.text, say("ui.original"), list(originals.values()), columns)]
    parts = trying.parts()
    for judged in parts:
        known = revealed or judged is not parts[-1]
        told = say("ui.changed", names=_names(trying, judged))
        text = mutant(trying.scene.text, judged)
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


def mutant(text: str, judged: Outcome) -> Markup:
    """Write a mutant with its new words marked."""

    def mark(splice: Splice) -> Markup:
        if splice.attribute:
            return term(splice.new, splice.attribute, element="ins")
        return escape(splice.new)

    return spliced(text, judged.mutant.splices, mark)


def broken(trying: Trying, actions: LessonActions) -> Markup:
    """Draw the trees of a sentence and of its broken mutant."""
    judged = trying.changed
    shown = [
        trees.pair(judged, actions.parses(trying), sides)
        for sides in trees.changed_sentences(trying.check, judged)[:1]
    ]
    return join([_headed(trying, judged), *shown])


def sums(trying: Trying) -> Markup:
    """Write the figures behind the plot of an interaction."""
    judged = trying.changed
    assert judged.effect is not None
    label = judged.effect.label
    one, two, both = (part.prediction for part in trying.parts())
    assert one is not None
    assert two is not None
    assert both is not None
    scores = [p.scores[label] for p in (trying.original, one, two, both)]
    origin, first, second, _ = shown = [f"{score:.2f}" for score in scores]
    start, *parts, end = (log_odds(score) for score in scores)
    # What is printed adds up: each figure is rounded before the next is made of it.
    by = [round(part - start, 2) for part in parts]
    total = round(round(start, 2) + sum(by), 2)
    names = [name_of(edit.attribute) for edit in trying.edits]
    words = say(
        "steps.plot.told",
        original=origin, first=names[0], one=first, second=names[1], two=second, both=shown[-1],
        start=signed(start), by_one=signed(by[0]), by_two=signed(by[1]), sum=signed(total),
        added=f"{probability(total):.2f}", end=signed(end),
        interaction=signed(round(end, 2) - total),
    )  # fmt: skip
    return tag("p", words, class_="sums")


def swaps(tried: Sequence[Trying]) -> Markup:
    """List neutral swaps, and how many of them flip the answer."""
    first = tried[0]
    columns = [say("ui.text"), say("ui.answer")]
    rows, flips = [_row(first.scene.text, say("ui.original"), [first.original], columns)], 0
    for one in tried:
        judged = one.judged()
        if judged is None:
            continue
        flips += judged.verdict is Verdict.BIASED
        text = mutant(one.scene.text, judged)
        rows.append(_row(text, "", [judged.prediction], columns, [one.original]))
    answered = table(say("ui.answers"), columns, rows, class_="answers-table")
    words = say("steps.limits.placebo_told", flips=flips, total=len(rows) - 1,
                before=f"{_score(first.original):.2f}")  # fmt: skip
    intro = tag("p", say("steps.limits.placebo"), class_="lead")
    return join([intro, answered, tag("p", tag("strong", words), class_="sums")])


def by_word(tried: Sequence[Trying], words: Sequence[WordFlips]) -> Markup:
    """List a review with each word, then in how many sentences of a grammar each word flips."""
    first = tried[0]
    columns = [say("ui.text"), say("ui.answer")]
    rows = [_row(first.scene.text, say("ui.original"), [first.original], columns)]
    for one in tried:
        judged = one.judged()
        if judged is not None:
            text = mutant(one.scene.text, judged)
            rows.append(_row(text, "", [judged.prediction], columns, [one.original]))
    review = table(say("steps.grammar.review"), columns, rows, class_="answers-table")
    heads = [say("steps.grammar.word"), say("steps.grammar.flips")]
    counted = [_word_row(one, heads) for one in words]
    grid = table(say("steps.grammar.flips"), heads, counted, class_="answers-table")
    asked = tag("p", say("steps.grammar.sentences", n=words[0].of), class_="lead")
    parts = [tag("p", say("steps.grammar.review"), class_="lead"), review, asked, grid]
    if words[0].example:
        judged, before, sentence_before = words[0].example
        said = [
            _row(sentence_before, say("ui.original"), [before], columns),
            _row(mutant(sentence_before, judged), "", [judged.prediction], columns, [before]),
        ]
        parts.append(tag("p", say("steps.grammar.example"), class_="lead"))
        parts.append(table(say("ui.answers"), columns, said, class_="answers-table"))
    return join(parts)


def _word_row(one: WordFlips, heads: Sequence[str]) -> Markup:
    sign = f"{SIGNS[Verdict.BIASED]} " if one.flips else ""
    share = say("steps.grammar.share", n=one.flips, of=one.of)
    count = tag("span", sign, share, class_="answer flipped" if one.flips else "answer")
    word = tag("th", tag("span", one.word, lang="en"), scope="row", data_column=heads[0])
    return tag("tr", word, tag("td", count, data_column=heads[1]))


def tally(found: int, step: Step) -> Markup:
    """Show the number of solved cases of the hunt."""
    total = len(step.scenes)
    words = say("steps.hunt.count", found=found, total=total)
    bar = tag("progress", value=found, max=total, aria_label=words)
    end = tag("p", say("steps.hunt.all"), class_="reply-to right") if found == total else None
    return join([tag("p", tag("strong", words), bar, class_="hunt-count"), end or Markup("")])


def _names(trying: Trying, judged: Outcome) -> str:
    edits = in_order(judged.mutant.edits, trying.scene.attributes)
    return capital(product([name_of(edit.attribute) for edit in edits]))


def _score(prediction: Prediction) -> float:
    """The probability of the answer given."""
    return prediction.scores.get(prediction.labels[0], 0.0) if prediction.labels else 0.0
