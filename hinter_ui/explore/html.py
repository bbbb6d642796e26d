"""The verdict of a mutant in one sentence."""

from collections.abc import Sequence

from hinter_core.mutation.lattice import proper_subsets
from hinter_core.pipeline.case import TestResult
from hinter_core.relations.base import NoiseFloor
from hinter_core.types import Edit, Outcome, Prediction, Verdict
from hinter_ui.html import glossary
from hinter_ui.html.markup import Markup, isolated, tag
from hinter_ui.html.wording import SIGNS, Words, answer_of, in_order, listed, name_of

say = Words("explore")


def banner(
    check: TestResult, judged: Outcome, model: str, *, named: bool, note: str = ""
) -> Markup:
    """Write the banner of one mutant for one model, ``named`` where several are shown.

    ``note`` is a remark on the model.
    """
    verdict = judged.verdict
    alone = verdict is Verdict.BIASED and judged.mutant.order == 1
    title = say(f"titles.{verdict.value}{'_alone' if alone else ''}")
    about = glossary.sentence(say, "banner.about", note=isolated(note)) if note else None
    return tag(
        "div",
        tag("span", SIGNS[verdict], aria_hidden="true", class_="sign"),
        " ",
        tag("span", model, class_="who") if named else None,
        tag("strong", glossary.link(verdict.value, title)),
        " ",
        _sentence(check, judged, model),
        _noise(check.noise.get(model)),
        tag("span", about, class_="model-note") if about else None,
        class_=f"banner {verdict.value}",
    )


def _noise(floor: NoiseFloor | None) -> Markup | None:
    """Say how often the answer to the original changed when it was repeated."""
    if floor is None:
        return None
    kind = "silent" if not floor.answered else "flips" if floor.flips else "steady"
    words = say.count(f"noise.{kind}", floor.answered or floor.asked, flips=floor.flips)
    return tag("span", words, class_="noise loud" if floor.flips else "noise")


def originals(check: TestResult, models: Sequence[str]) -> Markup:
    """Show the models' answers to the original text side by side."""
    items = [
        tag("li", tag("span", m, class_="who"), _strong(check.originals[m]), _top(check, m))
        for m in models
    ]
    return tag("div", say("banner.originals"), " ", tag("ul", *items), class_="originals")


def _top(check: TestResult, model: str) -> str:
    prediction = check.originals[model]
    score = prediction.scores.get(prediction.labels[0]) if prediction.labels else None
    return "" if score is None else f" {score:.2f}"


def _strong(prediction: Prediction | None) -> Markup:
    return tag("strong", isolated(answer_of(prediction)))


def _sentence(check: TestResult, judged: Outcome, model: str) -> Markup:
    original = check.originals[model]
    edits = in_order(judged.mutant.edits, check.plan.attributes)
    names = [name_of(edit.attribute) for edit in edits]
    key, parts = judged.verdict.value, list[str]()
    values: dict[str, object] = {}
    match judged.verdict:
        case Verdict.HIDDEN if len(names) == 2:
            values = {"first": names[0], "second": names[1]}
        case Verdict.HIDDEN:
            key, values = "hidden_many", {"n": len(names)}
        case Verdict.BIASED | Verdict.BENIGN if len(names) == 1:
            key += "_alone"
        case Verdict.BIASED:
            parts = _parts(check, edits, model, Verdict.BIASED)
            key = "biased_parts" if parts else "biased_unknown"
            parts = parts or _parts(check, edits, model, Verdict.DISCARDED, Verdict.UNANSWERED)
        case Verdict.BENIGN:
            parts = _parts(check, edits, model, Verdict.BIASED)
            key = "benign_parts" if parts else "benign"
        case Verdict.DISCARDED:
            values = {"reason": isolated(judged.conformance.reason)}
        case Verdict.UNANSWERED:
            failed = judged.prediction if original.answered else original
            key = "unanswered" if original.answered else "unanswered_original"
            detail = failed.detail if failed else ""
            values = {"reason": isolated(detail or answer_of(failed))}
    return glossary.sentence(
        say,
        f"verdict.{key}",
        original=_strong(original),
        answer=_strong(judged.prediction),
        names=listed(names),
        parts=listed(parts),
        **values,
    )


def _parts(check: TestResult, edits: Sequence[Edit], model: str, *verdicts: Verdict) -> list[str]:
    """Name the proper sub-mutants with one of these verdicts: ``race alone``, ``race and body``."""
    found = []
    for part in proper_subsets(edits):
        result = check.find(model, part)
        # A part of order 2 that is itself hidden flips as well.
        verdict = Verdict.BIASED if result and result.verdict is Verdict.HIDDEN else None
        if result and (verdict or result.verdict) in verdicts:
            names = listed([name_of(edit.attribute) for edit in part])
            found.append(say("parts.alone", name=names) if len(part) == 1 else names)
    return found
