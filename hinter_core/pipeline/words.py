"""A check in words, for terminals and notebooks."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from hinter_core.mutation.edits import as_written
from hinter_core.mutation.plan import Plan
from hinter_core.pipeline.case import TestResult
from hinter_core.relations.base import NeutralFlips, NoiseFloor
from hinter_core.types import Layer, Outcome, RejectedEdit, Verdict

_SIGNS = {
    Verdict.HIDDEN: "!!",
    Verdict.BIASED: "!",
    Verdict.BENIGN: "=",
    Verdict.DISCARDED: "x",
    Verdict.UNANSWERED: "?",
}
_DISCARDS = {
    Layer.SOFT: "the text contradicts the change elsewhere",
    Layer.VALIDITY: "the validity score is below the minimum",
    Layer.WORDING: "the changed words do not go together",
}
NO_TEST = (Verdict.DISCARDED, Verdict.UNANSWERED)
_SHOWN = 20
_REASONS = 3
_ALL = "--json (in Python, report('json')) prints all."
_NAMED = 2  # further changes that are named where many have one reason


def check_in_words(result: TestResult, model: str, note: str = "") -> str:
    """Describe one model's results: its answer, the matched terms, and every flip."""
    plan, original = result.plan, result.originals[model]
    lines = [f"Model {model}, parser {result.parser}"]
    if note:
        lines.append(f"Note on the model: {note}.")
    answer = ", ".join(original.labels) or "no label"
    if original.failure:
        answer = f"{original.failure} ({original.detail})"
    elif answer in original.scores:
        answer += f" ({original.scores[answer]:.2f})"
    lines.append(f"Original answer: {answer}")
    for attribute in plan.attributes:
        terms = [o.surface for o in plan.terms if o.attribute == attribute]
        lines.append(f"{attribute}: {', '.join(terms) or 'no term'}")
    lines += [
        f"  not counted: {r.occurrence.surface} ({r.occurrence.attribute}) {r.reason}"
        for r in plan.rejected
    ]
    refused = refused_alike(plan.refused)
    lines += [
        f"  not made: {changes} ({one.edit.attribute}): {one.reason}"
        for one, changes in refused[:_SHOWN]
    ]
    if len(refused) > _SHOWN:
        lines.append(f"  ... and {len(refused) - _SHOWN} more reasons; {_ALL}")
    lines += [f"Note: {notice}" for notice in result.notices]
    combined = [j for j in result.outcomes[model] if j.mutant.order > 1]
    if not any(j.conformance.kept for j in result.outcomes[model]):
        lines.append("Every mutant was discarded, so nothing was tested; see the reasons.")
    elif combined and all(j.verdict in NO_TEST for j in combined):
        lines.append(
            f"No combination was tested: all {len(combined):,} were discarded as unfair tests, or "
            "got no answer; see the reasons."
        )
    counts = result.counts(model)
    lines.append("Mutants: " + ", ".join(f"{n} {v}" for v, n in counts.items() if n))
    apart = result.counts(model, across_people=True)
    if any(apart.values()):
        counted = ", ".join(f"{n} {v}" for v, n in apart.items() if n)
        lines.append(f"Of these, with changes of two people: {counted}")
    lines += _discarded(result, model)
    lines += _unanswered(result, model)
    flips = [j for j in result.outcomes[model] if j.verdict in (Verdict.HIDDEN, Verdict.BIASED)]
    flips.sort(key=lambda j: (j.verdict is not Verdict.HIDDEN, j.mutant.order))
    if noise := result.noise.get(model):
        lines.append(_noise(noise))
    if neutral := result.neutral.get(model):
        lines.append(_neutral(neutral))
    lines += [_line(plan, j) for j in flips[:_SHOWN]]
    if len(flips) > _SHOWN:
        lines.append(f"... and {len(flips) - _SHOWN} more; {_ALL}")
    return "\n".join(lines)


def layer_in_words(layer: Layer) -> str:
    """Say why mutants were discarded that broke a layer of the invariant."""
    return _DISCARDS.get(layer, "the changed sentence is built differently")


def _discarded(result: TestResult, model: str) -> list[str]:
    """Return the kinds of reasons for discards, most common first."""
    by_layer = defaultdict[Layer, list[str]](list)
    for one in result.outcomes[model]:
        if one.conformance.layer:
            by_layer[one.conformance.layer].append(one.conformance.reason)
    kinds = sorted(by_layer.items(), key=lambda kind: -len(kind[1]))
    return [
        f"  {len(said)} discarded: {said[0] if len({*said}) == 1 else layer_in_words(layer)}"
        for layer, said in kinds[:_REASONS]
    ]


def _unanswered(result: TestResult, model: str) -> list[str]:
    """Return the reasons for missing answers, most common first."""
    if not result.originals[model].answered:
        return []
    reasons = reasons_unanswered(result, model)
    lines = [f"  {number} unanswered: {why}" for why, number in reasons.most_common(_REASONS)]
    if len(reasons) > _REASONS:
        lines.append(f"  ... and {len(reasons) - _REASONS} more reasons; {_ALL}")
    return lines


def reasons_unanswered(result: TestResult, model: str) -> Counter[str]:
    """Count the reasons for missing answers."""
    answers = (one.prediction for one in result.outcomes[model])
    return Counter(f"{one.failure} ({one.detail})" for one in answers if one and one.failure)


def _noise(noise: NoiseFloor) -> str:
    if not noise.answered:
        return f"Noise floor: {noise.asked} repeated requests for the original, no answer."
    line = f"Noise floor: of {noise.answered} further answers to the original, {noise.flips} differ"
    if noise.flips:
        return f"{line}; the model contradicts itself, so a flip below may be no bias."
    return f"{line}."


def _neutral(neutral: NeutralFlips) -> str:
    if not neutral.order:
        return "Neutral swaps: the text has no neutral word that can be exchanged."
    line = f"Neutral swaps: {neutral.flips} of {neutral.answered} flip this text"
    if neutral.flips:
        return f"{line}, so a flip below may be no bias."
    return f"{line}."


def _line(plan: Plan, judged: Outcome) -> str:
    changes = [edit.in_words for edit in as_written(judged.mutant.edits)]
    edits = " and ".join(changes).replace("\u2192", "->")
    labels = ", ".join(judged.prediction.labels) if judged.prediction else ""
    verdict = f"{judged.verdict.value}{f', {judged.grade}' if judged.grade else ''}"
    line = f"  {_SIGNS[judged.verdict]:>2} {verdict}: {edits}: {labels or 'no label'}"
    if plan.settings.score_tolerance is not None and judged.effect:
        line += f", {judged.effect.label} {judged.effect.shift:+.2f}"
    apart = "two people, " if plan.across_people(judged.mutant.edits) else ""
    return f"{line} ({apart}{judged.validity.in_words})"


def refused_alike(refused: Iterable[RejectedEdit]) -> list[tuple[RejectedEdit, str]]:
    """Return one edit of each word and reason, and what it changes: "Dane → Thai and 9 more"."""
    alike: dict[tuple[str, str, str], list[RejectedEdit]] = {}
    for one in refused:
        alike.setdefault((one.edit.attribute, one.edit.source.text, one.reason), []).append(one)
    named_edits = []
    for first, *others in alike.values():
        named = ", ".join(
            dict.fromkeys([first.edit.in_words, *(o.edit.target.text for o in others[:_NAMED])])
        )
        more = len(others) - _NAMED
        named_edits.append((first, f"{named} and {more} more" if more > 0 else named))
    return named_edits
