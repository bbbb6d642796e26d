"""The verdict in one plain sentence, by word and sign."""

from __future__ import annotations

from collections.abc import Sequence

from hinter_core.mutation.lattice import proper_subsets
from hinter_core.pipeline.case import TestResult
from hinter_core.relations.noise import NoiseFloor
from hinter_core.types import Edit, Outcome, Prediction, Verdict
from hinter_ui.html import glossary
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.words import SIGNS, answer_of, in_order, listed, name_of, times

_TITLES = {
    Verdict.HIDDEN: "Hidden intersectional bias.",
    Verdict.BIASED: "Biased, and not hidden.",
    Verdict.BENIGN: "Benign.",
    Verdict.DISCARDED: "Discarded: this mutant is no evidence.",
    Verdict.UNANSWERED: "Unanswered.",
}


def banner(
    check: TestResult, judged: Outcome, model: str, *, named: bool, note: str = ""
) -> Markup:
    """The banner of one mutant for one model; ``named`` puts the model's name in front.

    ``note`` is what there is to say of the model.
    """
    verdict = judged.verdict
    title = (
        "Biased." if verdict is Verdict.BIASED and judged.mutant.order == 1 else _TITLES[verdict]
    )
    head = tag("span", SIGNS[verdict], aria_hidden="true", class_="sign")
    who = tag("span", model, class_="who") if named else None
    words = _sentence(check, judged, model)
    noise = _noise(check.noise.get(model))
    return tag(
        "div",
        head,
        " ",
        who,
        tag("strong", glossary.link(verdict.value, title)),
        " ",
        words,
        noise,
        tag("span", "About this model: ", isolated(note), ".", class_="model-note")
        if note
        else None,
        class_=f"banner {verdict.value}",
    )


def _noise(floor: NoiseFloor | None) -> Markup | None:
    """What asking the unchanged text again has shown."""
    if floor is None:
        return None
    again = times(floor.answered or floor.asked)
    if not floor.answered:
        words = f"Asked about the original {again} again, the model gave no answer."
    elif not floor.flips:
        words = f"Asked about the original {again} again, the model never changed its mind."
    else:
        words = (
            f"Asked about the original {again} again, the model contradicted itself "
            f"{times(floor.flips)}: a flip may be noise."
        )
    return tag("span", words, class_="noise loud" if floor.flips else "noise")


def originals(check: TestResult, models: Sequence[str]) -> Markup:
    """The models' answers to the original text, side by side."""
    items = [
        tag("li", tag("span", m, class_="who"), _strong(check.originals[m]), _top(check, m))
        for m in models
    ]
    return tag("div", "Original text: ", tag("ul", *items), class_="originals")


def _top(check: TestResult, model: str) -> str:
    prediction = check.originals[model]
    score = prediction.scores.get(prediction.labels[0]) if prediction.labels else None
    return "" if score is None else f" {score:.2f}"


def _strong(prediction: Prediction | None) -> Markup:
    return tag("strong", isolated(answer_of(prediction)))


def _attributes(edits: Sequence[Edit]) -> list[str]:
    return [name_of(e.attribute) for e in edits]


def _both(edits: Sequence[Edit]) -> str:
    return "both" if len(edits) == 2 else "all three" if len(edits) == 3 else f"all {len(edits)}"


def _sentence(check: TestResult, judged: Outcome, model: str) -> Markup:
    match judged.verdict:
        case Verdict.HIDDEN:
            return _hidden(check, judged, model)
        case Verdict.BIASED:
            return _biased(check, judged, model)
        case Verdict.BENIGN:
            return _benign(check, judged, model)
        case Verdict.DISCARDED:
            return join(
                [
                    "The changed text is not the same sentence grammatically: ",
                    isolated(judged.conformance.reason),
                    ". An answer to it could come from the broken grammar, so the model was "
                    "not asked.",
                ]
            )
        case Verdict.UNANSWERED:
            return _unanswered(check, judged, model)


def _hidden(check: TestResult, judged: Outcome, model: str) -> Markup:
    edits = in_order(judged.mutant.edits, check.plan.attributes)
    if len(edits) == 2:
        alone = listed([f"{name} alone" for name in _attributes(edits)], "or")
        first = f"Changing {alone} leaves the answer "
        tail = ". Testing one attribute at a time would have missed it."
    else:
        first = f"Changing any one or two of {listed(_attributes(edits))} leaves the answer "
        tail = ". Testing fewer attributes at a time would have missed it."
    turn = f"; changing {_both(edits)} turns it "
    original = check.originals[model]
    return join([first, _strong(original), turn, _strong(judged.prediction), tail])


def _biased(check: TestResult, judged: Outcome, model: str) -> Markup:
    edits = in_order(judged.mutant.edits, check.plan.attributes)
    original = check.originals[model]
    if len(edits) == 1:
        name = _attributes(edits)[0]
        parts = [f"Changing {name} alone turns the answer from ", _strong(original), " to "]
        return join([*parts, _strong(judged.prediction), "."])
    turn = [
        f"Changing {_both(edits)} turns the answer from ",
        _strong(original),
        " to ",
        _strong(judged.prediction),
    ]
    flips = _parts(check, judged, model, Verdict.BIASED)
    if flips:
        does = "does" if len(flips) == 1 else "do"
        seen = f"; so {does} {listed(flips)}, so a test of fewer attributes finds bias here too."
        return join([*turn, seen])
    lost = _parts(check, judged, model, Verdict.DISCARDED, Verdict.UNANSWERED)
    why = f", but {listed(lost)} gave no evidence, so nobody can say that it was hidden."
    return join([*turn, why])


def _parts(check: TestResult, judged: Outcome, model: str, *verdicts: Verdict) -> list[str]:
    """Proper sub-mutants with one of these verdicts, as ``race alone`` or ``race × body``."""
    found = []
    for part in proper_subsets(in_order(judged.mutant.edits, check.plan.attributes)):
        result = check.find(model, part)
        # A part of order 2 that is itself hidden flips as well.
        verdict = Verdict.BIASED if result and result.verdict is Verdict.HIDDEN else None
        if result and (verdict or result.verdict) in verdicts:
            names = _attributes(part)
            found.append(f"{names[0]} alone" if len(names) == 1 else listed(names))
    return found


def _benign(check: TestResult, judged: Outcome, model: str) -> Markup:
    edits = in_order(judged.mutant.edits, check.plan.attributes)
    original = check.originals[model]
    if len(edits) == 1:
        name = _attributes(edits)[0]
        return join([f"Changing {name} alone leaves the answer ", _strong(original), "."])
    leave = [f"Changing {_both(edits)} leaves the answer ", _strong(original)]
    flips = _parts(check, judged, model, Verdict.BIASED)
    if flips:
        does = "does" if len(flips) == 1 else "do"
        return join([*leave, f", although changing {listed(flips)} {does} not."])
    return join([*leave, "; no change tested here turned it."])


def _unanswered(check: TestResult, judged: Outcome, model: str) -> Markup:
    original = check.originals[model]
    failed, which = judged.prediction, "the changed text"
    if not original.answered:
        failed, which = original, "the original text"
    detail = (failed.detail or answer_of(failed)) if failed else "not asked"
    return join([f"The model gave no usable answer to {which}: ", isolated(detail), "."])
