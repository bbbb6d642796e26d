"""Pairs of changes to press or choose: those that are hidden, and those that a text offers."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, count, groupby
from math import floor
from operator import itemgetter

from hinter_core.language.parsing import ParseStore
from hinter_core.language.people import people_words
from hinter_core.language.spelling import spelling
from hinter_core.mutation.edits import as_written
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.settings import LEAST_FAIR
from hinter_core.pipeline.case import TestResult
from hinter_core.pipeline.pipeline import first_kept
from hinter_core.pipeline.words import NO_TEST, layer_in_words
from hinter_core.types import Edit, Layer, Outcome, Verdict
from hinter_ui.explore.html import Filter, combined, headline, rows_for, say, untested
from hinter_ui.explore.state import OfferedEdits
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.wording import (
    TIMES,
    capital,
    group_name,
    hue,
    in_order,
    name_of,
    translated,
    two_people,
)
from hinter_ui.shared.links import ExploreForm, edit_key, first_offers, offers

_MOST_CHIPS = 8
_FEW = 20  # combinations enough for a first look, where all were discarded
_MOST_OFFERED = 400  # replacements of one attribute; the list of a scan has all of them
_WORTH = 0.05  # validity score from which a look is offered
_TRIED = 12  # pairs of two attributes, to offer one that is tested
_DRAWN = count()
_FLIPS = (Verdict.BIASED, Verdict.HIDDEN)


def offered(plan: Plan, form: ExploreForm, parses: ParseStore) -> list[OfferedEdits]:
    """Return what a text offers of each attribute; chosen is what the form says.

    Where the text does not offer all of that, a first pair is chosen: one that the invariant keeps,
    if a few pairs have one. Nothing is offered where the text has no intersection.
    """
    present = [a for a in plan.attributes if plan.edits.get(a)]
    if len(present) < min(plan.settings.order, 2):
        return []
    lists = [_offered(plan, attribute, form.edits) for attribute in present]
    if form.edits and sum(bool(one.chosen) for one in lists) == len(form.edits):
        return lists
    keys = tuple(map(edit_key, _first(plan, present, parses)))
    return [_offered(plan, attribute, keys) for attribute in present]


def _first(plan: Plan, present: Sequence[str], parses: ParseStore) -> tuple[Edit, ...]:
    for size in range(min(plan.settings.order, len(present)), 0, -1):
        every = [first_offers(plan, of, _TRIED) for of in combinations(present, size)]
        if some := [edits for of in every for edits in of]:
            return first_kept(plan, some, parses) or some[0]
    return ()


def _offered(plan: Plan, attribute: str, keys: Sequence[str]) -> OfferedEdits:
    options = [(edit_key(e), _described(e, plan), e) for e in offers(plan, attribute)]
    meant = (k for key in keys for k, *_ in options if k == key or k.startswith(key + "|"))
    chosen = next(meant, "")
    once: dict[object, tuple[str, str, str]] = {}
    for key, words, edit in options:
        new = edit.target
        place = edit.spans, edit.source, new.group, new.form, spelling(new.text)
        if place not in once or key == chosen:
            once[place] = key, words, group_name(edit.target.group)
    return OfferedEdits(attribute, [*once.values()], chosen)


def _described(edit: Edit, plan: Plan) -> str:
    key = "form.edit_places" if len(edit.spans) > 1 else "form.edit"
    group = group_name(edit.target.group)
    return say(key, change=_in_words(edit, plan), group=group, places=len(edit.spans))


def _in_words(edit: Edit, plan: Plan) -> str:
    """Name the change of a person's noun where that of a pronoun changes it, too."""
    if edit.source.form.is_pronoun:
        nouns = people_words().nouns
        for span, new in zip(edit.spans, edit.change.texts, strict=False):
            old = plan.text[slice(*span)]
            if old.lower() in nouns and old != new:
                return f"{old} \u2192 {new}, {edit.in_words}"
    return edit.in_words


def pairs(choices: Sequence[OfferedEdits], known: int) -> Markup:
    """Offer the replacements of each attribute in a list of its own; one choice judges them.

    Where the page has made a choice after the one of the number ``known``, that stays.
    """
    if not choices:
        return Markup("")
    lists = join((_list(one) for one in choices), f" {TIMES} ")
    button = tag("button", say("pairs.check"), type="button", data_act="check", class_="act")
    # gradio draws nothing that it was told last, though a list may have been turned by hand since.
    title = tag("span", say("pairs.title"), class_="quiet")
    return tag("div", title, lists, button, class_="pairs", role="group", data_drawn=next(_DRAWN),
               data_known=known, aria_label=say("pairs.title"))  # fmt: skip


def _list(choice: OfferedEdits) -> Markup:
    offered = choice.offered[:_MOST_OFFERED]
    offered += [one for one in choice.offered[_MOST_OFFERED:] if one[0] == choice.chosen]
    same = tag("option", say("pairs.unchanged"), value="", selected=not choice.chosen)
    every = [tag("optgroup", *(tag("option", words, value=key, selected=key == choice.chosen)
             for key, words, _ in of), label=group)
             for group, of in groupby(offered, key=itemgetter(2))]  # fmt: skip
    name = tag("span", capital(name_of(choice.attribute)), class_="pair-name")
    return tag("label", name, tag("select", same, *every), style=f"--h:{hue(choice.attribute)}")


def found(check: TestResult, models: Sequence[str], model: str, selected: int | None) -> Markup:
    """Show the hidden variants as chips, how sure they are, and the smallest change that flips."""
    rows = rows_for(check, models, Filter((Verdict.HIDDEN.value,)))
    chips = [tag("li", _chip(check, models, i, selected)) for i in rows[:_MOST_CHIPS]]
    if len(rows) > _MOST_CHIPS:
        every = tag("button", say("found.all", n=len(rows)), type="button", data_act="all",
                    class_="act")  # fmt: skip
        chips.append(tag("li", every))
    lines = [headline(check, one, models) for one in models]
    if not rows:
        lines.insert(0, tag("p", _none(check)))
    if check.plan.settings.least_fair < LEAST_FAIR and not check.plan.settings.published:
        lines.append(tag("p", say("found.unfair", least=LEAST_FAIR), class_="quiet"))
    listed = tag("ul", *chips, class_="found-chips", aria_label=say("found.title"))
    return tag("div", tag("div", *lines, class_="headline"), listed if chips else None,
               _smallest(check, model, selected), class_="found")  # fmt: skip


def _none(check: TestResult) -> str:
    """Say that nothing hidden was found, or that nothing was tested in which it could be."""
    if not check.complete:
        return say("found.yet")
    every = combined(check)
    if untested(check):
        n = len(every) // len(check.outcomes)
        if not n:
            return say("found.single")
        why, best = [say("found.untested", n=n), _mostly(every)], max(_scores(check), default=1.0)
        if best < _WORTH:
            why.append(say("found.unworthy", score=best, least=_WORTH))
        return " ".join(filter(None, why))
    tested = sum(one.verdict not in NO_TEST for one in every) // len(check.outcomes)
    return f"{say.count('found.none', tested)} {_mostly(every)}".strip()


def _mostly(every: Sequence[Outcome]) -> str:
    """Say why most of the discarded combinations were, or "" if none was."""
    layers = (one.conformance.layer for one in every if one.verdict is Verdict.DISCARDED)
    common = Counter(layer_in_words(layer) for layer in layers if layer).most_common(1)
    return say("found.mostly", why=translated(common[0][0])) if common else ""


def lower_score(check: TestResult) -> float | None:
    """Return the validity score from which the fairest discarded combinations are tested.

    None where a combination was tested, or where none that is discarded by its score alone is fair
    enough to be worth a test.
    """
    worth = [score for score in _scores(check) if score >= _WORTH]
    return worth[:_FEW][-1] if worth else None


def _scores(check: TestResult) -> list[float]:
    """Return the scores of the combinations that are discarded by them, if none was tested."""
    if not (check.complete and untested(check)):
        return []
    every = combined(check)
    judged = every[: len(every) // len(check.outcomes)]  # discarded alike for all models
    by_score = (one for one in judged if one.conformance.layer is Layer.VALIDITY)
    return sorted((floor(100 * one.validity.fair) / 100 for one in by_score), reverse=True)


def _chip(check: TestResult, models: Sequence[str], place: int, selected: int | None) -> Markup:
    by_model = [(m, check.outcomes[m][place]) for m in models]
    model, judged = next((one for one in by_model if one[1].verdict is Verdict.HIDDEN), by_model[0])
    edits = as_written(in_order(judged.mutant.edits, check.plan.attributes))
    words = join((_change(edit, check.plan) for edit in edits), f" {TIMES} ")
    apart = two_people() if check.plan.across_people(edits) else None
    return tag("button", words, apart, type="button", class_=f"pick chip {judged.verdict.value}",
               data_row=place, data_model=model, aria_pressed="true" if place == selected else
               "false", title="; ".join(edit.in_words for edit in edits))  # fmt: skip


def _change(edit: Edit, plan: Plan) -> Markup:
    """Name the new word; and the old one, where the text has several of the attribute."""
    several = len({one.source.text for one in plan.edits[edit.attribute]}) > 1
    several = several or not edit.target.text
    return isolated(_in_words(edit, plan) if several else edit.target.text)


def smallest_flip(judged: Sequence[Outcome]) -> int | None:
    """Return the place of the variant that flips the answer by the smallest change.

    Fewest attributes, then fewest words, then the highest validity.
    """

    def size(place: int) -> tuple[int, int, float]:
        one = judged[place]
        return one.mutant.order, len(one.mutant.splices), -one.validity.fair

    flips = (place for place, one in enumerate(judged) if one.verdict in _FLIPS)
    return min(flips, key=size, default=None)


def _smallest(check: TestResult, model: str, selected: int | None) -> Markup | None:
    judged = check.outcomes[model]
    place = smallest_flip(judged)
    if place is None:
        tested = any(one.verdict not in NO_TEST for one in judged)
        return tag("p", say("found.steady"), class_="quiet") if check.complete and tested else None
    words = say.count("found.words", len(judged[place].mutant.splices))
    return tag("p", say("found.smallest"), " ", _chip(check, [model], place, selected), " ",
               tag("span", words, class_="quiet"), class_="smallest")  # fmt: skip
