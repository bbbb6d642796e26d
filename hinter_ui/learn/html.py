"""The lesson's page: its steps, what a step says and asks, and what the pipeline answers."""

import re
from collections.abc import Sequence

from hinter_core.mutation.plan import Plan
from hinter_core.types import Outcome, Prediction, Splice, Verdict
from hinter_ui.html import trees
from hinter_ui.html.glossary import linked
from hinter_ui.html.marked import marked, spliced
from hinter_ui.html.markup import Markup, escape, join, table, tag
from hinter_ui.html.notice import share
from hinter_ui.html.pages import Macros, macros_of
from hinter_ui.html.square import log_odds, probability, square
from hinter_ui.html.square import original as original_card
from hinter_ui.html.wording import (
    SIGNS,
    Words,
    answer_of,
    badge,
    capital,
    decimals,
    hue,
    in_order,
    name_of,
    product,
    signed,
    term,
    verdict_name,
)
from hinter_ui.learn.actions import LessonActions, Trying, WordFlips
from hinter_ui.learn.lesson import SECTIONS, Scene, load_lesson, query_of, say

_CHECK = Words("check")


def page() -> Macros:
    """Return the parts of the lesson's page (``assets/html/lesson.html``)."""
    return macros_of(
        "lesson", say=say, linked=linked, share=share, hue=hue, decimals=decimals,
        name_of=name_of, query_of=query_of, lesson=load_lesson, sections=SECTIONS,
        flipped=SIGNS[Verdict.BIASED],
    )  # fmt: skip


def sentence(scene: Scene, words: Sequence[str], place: int) -> Markup:
    """Write a text with a menu in place of each word that can be chosen."""
    parts: list[object] = []
    rest = scene.text
    spots = sorted(
        (match.start(), match.end(), menu, word)
        for menu, word in zip(scene.menus, words, strict=True)
        if (match := re.search(rf"\b{re.escape(menu.source)}\b", scene.text))
    )
    end = 0
    for start, stop, menu, word in spots:
        parts += [rest[end:start], page().menu(menu, word, place)]
        end = stop
    parts.append(rest[end:])
    return tag("p", join(parts), class_="sentence", lang="en")


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
    if judged is None:
        answer = tag("span", answer_of(trying.original), class_="answer", lang="en")
        title = tag("strong", _CHECK("square.original"))
        return page().verdict(found, tag("p", title, ": ", answer, class_="verdict"), ())
    parts = [_part(trying, part) for part in trying.parts()[:-1]]
    return page().verdict(found, _headed(trying, judged), parts)


def judgements(trying: Trying) -> Markup:
    """Write the verdict for each model."""
    judged = [(model, trying.judged(model)) for model in trying.scene.models]
    verdicts = [_headed(trying, outcome, model) for model, outcome in judged if outcome]
    return page().judgements(verdicts)


def _headed(trying: Trying, judged: Outcome, model: str = "") -> Markup:
    words = told_of(trying, judged, model)
    return tag("p", badge(judged.verdict, judged.grade), " ", words, class_="verdict")


def _part(trying: Trying, judged: Outcome) -> Markup:
    names = _names(trying, judged)
    title = _CHECK("square.only", name=names) if judged.mutant.order == 1 else names
    if judged.prediction is None:
        return join([title, ": ", verdict_name(judged.verdict)])
    words = say("told.part", names=title, answer=answer_of(judged.prediction),
                probability=decimals(_score(judged.prediction)))  # fmt: skip
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
        before=decimals(before.scores.get(label, 0.0)),
        after=decimals(after),
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
        caption = say("ui.changed", names=_names(trying, judged))
        outcomes = [trying.check.find(m, judged.mutant.edits) for m in models]
        said = [one.prediction if one else None for one in outcomes]
        if judged is parts[-1] and not revealed:
            said = []
        text = mutant(trying.scene.text, judged)
        rows.append(_row(text, caption, said, columns, list(originals.values())))
    shown = rows[-1:] if alone else rows
    return table(say("ui.answers"), columns, shown, class_="answers-table")


def _row(
    text: Markup | str,
    label: str,
    said: Sequence[Prediction | None],
    columns: Sequence[str],
    originals: Sequence[Prediction] = (),
) -> Markup:
    answers = []
    for place, answer in enumerate(said):
        turned = bool(originals and answer and answer.labels != originals[place].labels)
        score = f" {decimals(_score(answer))}" if answer and answer.scores else ""
        sign = f"{SIGNS[Verdict.BIASED]} " if turned else ""
        answers.append((sign, answer_of(answer), score, turned))
    return page().row(label, text, columns[1:], answers)


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
    origin, first, second, _ = shown = [*map(decimals, scores)]
    start, *parts, end = (log_odds(score) for score in scores)
    by = [part - start for part in parts]
    total = start + sum(by)
    names = [name_of(edit.attribute) for edit in trying.edits]
    words = say(
        "steps.plot.told",
        original=origin, first=names[0], one=first, second=names[1], two=second, both=shown[-1],
        start=signed(start), by_one=signed(by[0]), by_two=signed(by[1]), sum=signed(total),
        added=decimals(probability(total)), end=signed(end),
        interaction=signed(judged.effect.interaction or 0.0),
    )  # fmt: skip
    return tag("p", words, class_="sums")


def thresholds(tried: Sequence[Trying]) -> Markup:
    """Set models side by side whose answers follow a threshold that is moved by hand.

    The scores are of the answer that the originals get.
    """
    first = tried[0]
    names = [say("ui.original")]
    names += [say("ui.changed", names=_names(first, part)) for part in first.parts()]
    columns = [say(f"steps.plot.{key}") for key in ("beyond", "adding")]
    label = first.original.labels[0]
    scores = []
    for one in tried:
        said = [one.original, *(part.prediction for part in one.parts())]
        scores.append([answer.scores[label] for answer in said if answer])
    rows = list(zip(names, zip(*scores, strict=True), strict=True))
    return page().thresholds(columns, rows)


def swaps(tried: Sequence[Trying], people: Sequence[Trying]) -> Markup:
    """List neutral swaps, and count those that flip the answer, beside swaps of ``people``."""
    judged = [outcome for one in tried if (outcome := one.judged())]
    flips = sum(outcome.verdict is Verdict.BIASED for outcome in judged)
    answered = _by_text(tried, say("ui.answers"))
    words = say("steps.limits.placebo_told", flips=flips, total=len(judged),
                before=decimals(_score(tried[0].original)))  # fmt: skip
    verdicts = [one.changed.verdict for one in people]
    flipped = sum(one in (Verdict.BIASED, Verdict.HIDDEN) for one in verdicts)
    of_people = say("steps.limits.people", total=len(verdicts), flips=flipped)
    return page().swaps(answered, words, of_people)


def _by_text(tried: Sequence[Trying], caption: str) -> Markup:
    """List the first model's answers to an original and to each of its mutants."""
    columns, first = [say("ui.text"), say("ui.answer")], tried[0]
    rows = [_row(first.scene.text, say("ui.original"), [first.original], columns)]
    for one in tried:
        if judged := one.judged():
            text = mutant(one.scene.text, judged)
            rows.append(_row(text, "", [judged.prediction], columns, [one.original]))
    return table(caption, columns, rows, class_="answers-table")


def by_word(tried: Sequence[Trying], words: Sequence[WordFlips]) -> Markup:
    """List a review with each word, then in how many sentences of a grammar each word flips."""
    columns = [say("ui.text"), say("ui.answer")]
    review = _by_text(tried, say("steps.grammar.review"))
    heads = [say("steps.grammar.word"), say("steps.grammar.flips")]
    counted = [page().word_row(one, heads) for one in words]
    grid = table(say("steps.grammar.flips"), heads, counted, class_="answers-table")
    example = None
    if words[0].example:
        judged, before, sentence_before = words[0].example
        said = [
            _row(sentence_before, say("ui.original"), [before], columns),
            _row(mutant(sentence_before, judged), "", [judged.prediction], columns, [before]),
        ]
        example = table(say("ui.answers"), columns, said, class_="answers-table")
    return page().by_word(review, grid, words[0].of, example)


def _names(trying: Trying, judged: Outcome) -> str:
    edits = in_order(judged.mutant.edits, trying.scene.attributes)
    return capital(product([name_of(edit.attribute) for edit in edits]))


def _score(prediction: Prediction) -> float:
    """The probability of the answer given."""
    return prediction.scores.get(prediction.labels[0], 0.0) if prediction.labels else 0.0
