"""What the pipeline found, as a step of the lesson shows it: nothing here is known beforehand."""

from __future__ import annotations

from collections.abc import Sequence

from hinter_core.planning import Plan
from hinter_core.types import Judged, Prediction, Splice, Verdict
from hinter_ui.lesson import Step
from hinter_ui.lesson_desk import LessonDesk, Trying
from hinter_ui.present import trees
from hinter_ui.present.highlight import marked
from hinter_ui.present.markup import Markup, isolated, join, tag
from hinter_ui.present.plot import log_odds, probability
from hinter_ui.present.square import original as original_card
from hinter_ui.present.square import square
from hinter_ui.present.words import (
    SIGNS,
    answer_of,
    badge,
    capital,
    in_order,
    name_in,
    product,
    signed,
    term,
)
from hinter_ui.wording import Words, words_of


def quoted(*texts: Markup | str) -> Markup:
    """Texts under test, which are English in every language of the lesson."""
    return tag("div", *(tag("blockquote", text, lang="en") for text in texts), class_="quotes")


def found_words(plans: Sequence[Plan], say: Words) -> Markup:
    """The texts with the words that count marked."""
    names = words_of(say.language, "check").branch("attributes")
    texts = quoted(*(marked(plan, names) for plan in plans))
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


def _headed(trying: Trying, judged: Judged, say: Words, model: str = "") -> Markup:
    check = words_of(say.language, "check")
    told = told_of(trying, judged, say, model)
    return tag("p", badge(judged.verdict, check), " ", told, class_="verdict")


def _part(trying: Trying, judged: Judged, say: Words) -> Markup:
    check = words_of(say.language, "check")
    names = _names(trying, judged, check)
    title = check("square.only", name=names) if judged.mutant.order == 1 else names
    if judged.prediction is None:
        return join([title, ": ", check(f"verdicts.{judged.verdict.value}")])
    words = say("told.part", names=title, answer=answer_of(judged.prediction),
                probability=f"{_score(judged.prediction):.2f}")  # fmt: skip
    return tag("span", words)


def told_of(trying: Trying, judged: Judged, say: Words, model: str = "") -> str:
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
    header = tag("tr", *(tag("th", name, scope="col") for name in columns))
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
    body = tag("tbody", *(rows[-1:] if alone else rows))
    caption = tag("caption", say("ui.answers"), class_="sr-only")
    return tag("table", caption, tag("thead", header), body, class_="answers-table")


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


def broken(trying: Trying, say: Words, desk: LessonDesk) -> Markup:
    """The trees of a sentence and of its broken mutant."""
    judged = trying.judged()
    assert judged is not None
    shown = [
        trees.pair(judged, desk.parses(trying), sides, words_of(say.language, "check"))
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
    names = [name_in(edit.attribute, check) for edit in trying.edits]
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
    header = tag("tr", tag("th", say("ui.text"), scope="col"), tag("th", say("ui.answer"),
                                                                    scope="col"))  # fmt: skip
    columns = [say("ui.text"), say("ui.answer")]
    rows, flips = [_row(first.scene.text, say("ui.original"), [first.original], columns)], 0
    for one in tried:
        judged = one.judged()
        if judged is None:
            continue
        flips += judged.verdict is Verdict.BIASED
        text = mutant(one.scene.text, judged.mutant.splices, check)
        rows.append(_row(text, "", [judged.prediction], columns, [one.original]))
    caption = tag("caption", say("ui.answers"), class_="sr-only")
    body = tag("tbody", *rows)
    table = tag("table", caption, tag("thead", header), body, class_="answers-table")
    words = say("steps.limits.placebo_told", flips=flips, total=len(rows) - 1,
                before=f"{_score(first.original):.2f}")  # fmt: skip
    intro = tag("p", say("steps.limits.placebo"), class_="lead")
    return join([intro, table, tag("p", tag("strong", words), class_="sums")])


def tally(found: int, step: Step, say: Words) -> Markup:
    """How many cases of a hunt were found."""
    total = len(step.scenes)
    words = say("steps.hunt.count", found=found, total=total)
    bar = tag("progress", value=found, max=total, aria_label=words)
    end = tag("p", say("steps.hunt.all"), class_="reply-to right") if found == total else None
    return join([tag("p", tag("strong", words), bar, class_="hunt-count"), end or Markup("")])


def _names(trying: Trying, judged: Judged, check: Words) -> str:
    edits = in_order(judged.mutant.edits, trying.scene.attributes)
    return capital(product([name_in(edit.attribute, check) for edit in edits]))


def _score(prediction: Prediction) -> float:
    """The probability of the answer given."""
    return prediction.scores.get(prediction.labels[0], 0.0) if prediction.labels else 0.0
