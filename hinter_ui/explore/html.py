"""The HTML of Explore: the verdict of a mutant in one sentence, and the table of all mutants.

The table is HTML of ours and no data grid: the verdict is a real button (Tab and Enter reach it), a
page is small whatever the scan's size, and every cell is escaped like the rest.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from hinter_core.models.cache import KeptAnswers
from hinter_core.mutation.edits import as_written
from hinter_core.mutation.lattice import proper_subsets
from hinter_core.mutation.plan import Plan
from hinter_core.pipeline.case import TestResult
from hinter_core.pipeline.export import reason
from hinter_core.pipeline.words import NO_TEST
from hinter_core.relations.base import NeutralFlips, NoiseFloor
from hinter_core.report.section import short_names
from hinter_core.types import NO_INTERACTION, Edit, HiddenGrade, Outcome, Prediction, Verdict
from hinter_ui.html import glossary, markup
from hinter_ui.html.markup import Markup, isolated, join, model_name, tag
from hinter_ui.html.sections import pager
from hinter_ui.html.square import by_score, shift_of
from hinter_ui.html.wording import (
    SEVERITY,
    SIGNS,
    Words,
    answer_of,
    badge,
    capital,
    decimals,
    formatted,
    group_name,
    in_order,
    listed,
    name_of,
    signed,
    translated,
    two_people,
)
from hinter_ui.html.wording import say as words

say = Words("explore")

_NEAR = 0.02  # of the threshold, in probability: noise may flip the answer
_KINDS = ("more", "threshold", "unknown")  # of hidden findings


def banner(
    check: TestResult, judged: Outcome, model: str, models: Sequence[str] = (), note: str = ""
) -> Markup:
    """Write the banner of one mutant for one of the models, which is named if they are several.

    ``note`` is a remark on the model.
    """
    verdict = judged.verdict
    alone = judged.mutant.order == 1 and (
        verdict is Verdict.BIASED
        or (verdict is Verdict.BENIGN and check.complete and untested(check))
    )
    kind = f"_{judged.grade.name.lower()}" if judged.grade else "_alone" if alone else ""
    title = say(f"titles.{verdict.value}{kind}")
    about = (
        glossary.sentence(say, "banner.about", note=isolated(translated(note))) if note else None
    )
    neutral = check.neutral.get(model)
    flips = verdict in (Verdict.HIDDEN, Verdict.BIASED)
    perhaps_noise = flips and neutral is not None and neutral.flips > 0
    return tag(
        "div",
        tag("span", SIGNS[verdict], aria_hidden="true", class_="sign"),
        " ",
        _who(model, models),
        tag("strong", glossary.link(verdict.value, title)),
        " ",
        tag("strong", say("titles.noise"), " ") if perhaps_noise else None,
        _apart(check, judged, said=True),
        _sentence(check, judged, model),
        _grade(judged, scored=by_score(judged, check.originals[model], check.plan.settings)),
        _noise(check.noise.get(model)),
        _kept(check.kept.get(model)),
        _neutral(check, neutral),
        tag("span", about, class_="model-note") if about else None,
        class_=f"banner {verdict.value}" + (" unsure" if perhaps_noise else ""),
    )


def combined(check: TestResult) -> list[Outcome]:
    """Return what each model made of the combinations."""
    return [one for of in check.outcomes.values() for one in of if one.mutant.order > 1]


def untested(check: TestResult) -> bool:
    """Whether no combination was tested."""
    return all(one.verdict in NO_TEST for one in combined(check))


def _apart(check: TestResult, judged: Outcome, *, said: bool = False) -> Markup | None:
    """Label a mutant whose changes are of different people."""
    if not check.plan.across_people(judged.mutant.edits):
        return None
    if not said:
        return join([" ", two_people()])
    return join([words("apart_why"), " "])


def _grade(judged: Outcome, *, scored: bool) -> Markup | None:
    """Say whether hidden bias exceeds its parts, and how far it lies beyond the threshold.

    ``scored``: beyond the score tolerance.
    """
    if judged.verdict is not Verdict.HIDDEN:
        return None
    if judged.grade is None or judged.effect is None:
        return join([" ", glossary.sentence(say, "grade.unknown")])
    interaction = judged.effect.interaction or 0.0
    less = judged.grade is HiddenGrade.THRESHOLD and abs(interaction) > NO_INTERACTION
    kind = "less" if less else judged.grade.name.lower()
    if scored and judged.grade is HiddenGrade.THRESHOLD:
        kind = "tolerance"
    sentence = glossary.sentence(say, f"grade.{kind}", interaction=signed(interaction))
    far = judged.effect.distance
    key = "grade.beyond" if scored else "grade.distance"
    beyond = "" if far is None else glossary.sentence(say, key, distance=decimals(far))
    return tag("span", " ", sentence, " ", beyond, class_="in-numbers")


def _noise(floor: NoiseFloor | None) -> Markup | None:
    """Say how often the answer to the original changed when it was repeated."""
    if floor is None:
        return None
    kind = "silent" if not floor.answered else "flips" if floor.flips else "steady"
    words = say.count(f"noise.{kind}", floor.answered or floor.asked, flips=floor.flips)
    return tag("span", words, class_="noise loud" if floor.flips else "noise")


def _kept(kept: KeptAnswers | None) -> Markup | None:
    """Say how many answers are from earlier checks: the model may have changed since."""
    if not kept or not kept.number:
        return None
    return tag("span", say.count("kept", kept.number, day=kept.day), class_="noise")


def _neutral(check: TestResult, neutral: NeutralFlips | None) -> Markup | None:
    """Say how often neutral swaps flip the text, or that a model whose answers cost has none."""
    if neutral is None:
        return tag("span", say("neutral.untested"), class_="noise") if check.complete else None
    kind = "none" if not neutral.order else "flips" if neutral.flips else "steady"
    words = say.count(f"neutral.{kind}", neutral.answered, flips=neutral.flips)
    return tag("span", words, class_="noise loud" if neutral.flips else "noise")


def _who(model: str, models: Sequence[str]) -> Markup | None:
    """Name one of several models."""
    return model_name(model, models, class_="who") if len(models) > 1 else None


def headline(check: TestResult, model: str, models: Sequence[str] = ()) -> Markup:
    """Say how many findings of one person are hidden, and how sure that is."""
    hidden = [one for one in check.outcomes[model] if one.verdict is Verdict.HIDDEN]
    if check.plan.settings.across_people:
        hidden = [one for one in hidden if not check.plan.across_people(one.mutant.edits)]
    kinds = Counter(one.grade.name.lower() if one.grade else "unknown" for one in hidden)
    parts = [say(f"headline.{k}", n=kinds[k]) for k in _KINDS if kinds[k]]
    said = [f"{say('headline.hidden', n=len(hidden))}: {', '.join(parts)}"] if hidden else []
    far = [one.effect.distance for one in hidden if one.effect]
    if near := sum(one is not None and one <= _NEAR for one in far):
        said[0] += say("headline.near", n=near, near=_NEAR)
    neutral = check.neutral.get(model)
    if neutral and neutral.answered:
        said.append(say("headline.neutral", flips=neutral.flips, n=neutral.answered))
    return tag("p", _who(model, models), f"{capital('; '.join(said))}.") if said else Markup("")


def originals(check: TestResult, models: Sequence[str]) -> Markup:
    """Show the models' answers to the original text side by side."""
    items = [
        tag("li", model_name(m, models, class_="who"), _strong(check.originals[m]), _top(check, m))
        for m in models
    ]
    return tag("div", say("banner.originals"), " ", tag("ul", *items), class_="originals")


def _top(check: TestResult, model: str) -> str:
    prediction = check.originals[model]
    score = prediction.scores.get(prediction.labels[0]) if prediction.labels else None
    return "" if score is None else f" {decimals(score)}"


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
            values = {"reason": isolated(translated(judged.conformance.reason))}
        case Verdict.UNANSWERED:
            failed = judged.prediction if original.answered else original
            key = "unanswered" if original.answered else "unanswered_original"
            detail = failed.detail.removesuffix(".") if failed else ""  # a model's own words
            values = {"reason": isolated(translated(detail) or answer_of(failed))}
    kind = "masks" if original.masks else "clusters" if original.clusters else ""
    if by_score(judged, original, check.plan.settings) and judged.effect:
        kind, effect = "scores", judged.effect
        values["difference"] = glossary.sentence(
            say, "changed.scores", original=_strong(original), label=isolated(effect.label),
            shift=signed(effect.shift),
            tolerance=formatted(check.plan.settings.score_tolerance, "g"),
        )  # fmt: skip
    elif kind and judged.verdict not in (Verdict.DISCARDED, Verdict.UNANSWERED):
        tolerance = formatted(check.plan.settings.tolerance, "g")
        values["difference"] = say(f"changed.{kind}", tolerance=tolerance)
    else:
        kind = ""
    return glossary.sentence(
        say,
        f"{'changed' if kind else 'verdict'}.{key}",
        original=_strong(original),
        answer=_strong(judged.prediction),
        names=listed(names),
        parts=listed(parts),
        **values,
    )


def _parts(check: TestResult, edits: Sequence[Edit], model: str, *verdicts: Verdict) -> list[str]:
    """Name the proper sub-mutants with one of these verdicts: ``race alone``, ``race and body``."""
    lines = []
    for part in proper_subsets(edits):
        result = check.find(model, part)
        # A part of order 2 that is itself hidden flips as well.
        verdict = Verdict.BIASED if result and result.verdict is Verdict.HIDDEN else None
        if result and (verdict or result.verdict) in verdicts:
            names = listed([name_of(edit.attribute) for edit in part])
            lines.append(say("parts.alone", name=names) if len(part) == 1 else names)
    return lines


PAGE = 25
_MOST_COLUMNS = 3  # attributes that have a column each


@dataclass(frozen=True)
class Filter:
    """The rows that the table shows; empty means all."""

    verdicts: tuple[str, ...] = ()
    attribute: str = ""
    group: str = ""
    order: str = "verdict"
    page: int = 0


def groups_in(check: TestResult) -> list[str]:
    """List the groups that any mutant leaves or enters, as ``attribute: group``."""
    groups = {
        f"{e.attribute}: {group}"
        for mutant in check.mutants
        for e in mutant.edits
        for group in (e.source.group, e.target.group)
    }
    return sorted(groups)


def group_label(group: str) -> str:
    """Name an ``attribute: group`` as the filter shows it."""
    attribute, _, own = group.partition(": ")
    return f"{name_of(attribute)}: {group_name(own)}"


def rows_for(check: TestResult, models: Sequence[str], wanted: Filter) -> list[int]:
    """Return the indices of the mutants that pass the filter, in its order."""
    results = [check.outcomes[m] for m in models]
    chosen = [i for i in range(len(check.mutants)) if _passes(results, i, wanted)]
    if wanted.order == "verdict":
        chosen.sort(key=lambda i: min(_severity(check.plan, r[i]) for r in results))
    elif wanted.order in ("interaction", "shift"):
        chosen.sort(key=lambda i: -max(_size(r[i], wanted.order) for r in results))
    return chosen


def _severity(plan: Plan, judged: Outcome) -> tuple[int, bool, bool, float, float]:
    apart = plan.settings.across_people and bool(plan.across_people(judged.mutant.edits))
    at_threshold = judged.grade is HiddenGrade.THRESHOLD
    sizes = -_size(judged, "interaction"), -_size(judged, "shift")
    return SEVERITY.index(judged.verdict), apart, at_threshold, *sizes


def _size(judged: Outcome, measure: str) -> float:
    value = getattr(judged.effect, measure) if judged.effect else None
    return abs(value) if value is not None else -1.0


def _passes(results: Sequence[Sequence[Outcome]], i: int, wanted: Filter) -> bool:
    if wanted.verdicts and not any(r[i].verdict.value in wanted.verdicts for r in results):
        return False
    edits = results[0][i].mutant.edits
    if wanted.attribute and all(e.attribute != wanted.attribute for e in edits):
        return False
    if wanted.group:
        attribute, _, group = wanted.group.partition(": ")
        return any(
            e.attribute == attribute and group in (e.source.group, e.target.group) for e in edits
        )
    return True


def table(
    check: TestResult, models: Sequence[str], rows: Sequence[int], page: int, selected: int | None
) -> Markup:
    """Write one page of the table with its pager."""
    if not check.mutants:
        return tag("p", say("table.empty"), class_="quiet")
    if not rows:
        return tag("p", say("table.none"), class_="quiet", role="status")
    page = min(max(page, 0), (len(rows) - 1) // PAGE)
    shown = rows[page * PAGE : (page + 1) * PAGE]
    changed = {e.attribute for mutant in check.mutants for e in mutant.edits}
    attributes = [a for a in check.plan.attributes if a in changed]
    if len(attributes) > _MOST_COLUMNS:
        attributes = []  # one column for all changes
    body = [_row(check, attributes, models, i, i == selected) for i in shown]
    grid = markup.table(say("table.title"), _heads(attributes, models), body)
    scroll = tag("div", grid, class_="table-scroll", role="region", tabindex="0",
                 aria_label=say("table.region"))  # fmt: skip
    turning = pager(len(rows), page, PAGE, len(check.mutants))
    return tag("div", scroll, turning, class_="mutants")


def _heads(attributes: Sequence[str], models: Sequence[str]) -> list[object]:
    changes: list[object] = [name_of(a) for a in attributes] or [say("table.change")]
    if len(models) == 1:
        return [
            glossary.link("verdict", say("table.verdict")),
            *changes,
            say("table.answer"),
            glossary.link("shift", say("table.shift")),
            glossary.link("interaction", say("table.last")),
        ]
    short = short_names(models).values()
    first, *others = (say("table.verdict_of", model=model) for model in short)
    return [first, *changes, *others]


def _row(
    check: TestResult, attributes: Sequence[str], models: Sequence[str], i: int, selected: bool
) -> Markup:
    results = [check.outcomes[m][i] for m in models]
    changes = {e.attribute: e.in_words for e in as_written(results[0].mutant.edits)}
    named = "; ".join(f"{name_of(a)} {c}" for a, c in changes.items())
    button = tag(
        "button",
        badge(results[0].verdict, results[0].grade),
        tag("span", ": ", say("table.show", changes=named), class_="sr-only"),
        type="button",
        class_="pick",
        data_row=i,
        data_model=models[0],
        aria_pressed="true" if selected else "false",
    )
    first: list[Markup | None] = [button, _apart(check, results[0])]
    if len(models) > 1:
        first.append(_answer_cell(results[0]))
    cells = [tag("td", *first)]
    if attributes:
        cells += [
            _cell(name_of(a), isolated(changes.get(a, "")), "change-cell") for a in attributes
        ]
    else:
        together = join((_change(name_of(a), c) for a, c in changes.items()), "; ")
        cells.append(_cell(say("table.change"), together, "change-cell"))
    if len(models) == 1:
        cells += _single(results[0])
    else:
        cells += [
            tag(
                "td",
                badge(r.verdict, r.grade),
                _answer_cell(r),
                data_row=i,
                data_model=m,
                data_column=m,
            )
            for m, r in zip(models[1:], results[1:], strict=True)
        ]
    return tag("tr", *cells, class_="selected" if selected else None, data_row=i)


def _change(attribute: str, change: str) -> Markup:
    return join([tag("span", f"{attribute} ", class_="quiet-inline"), isolated(change)])


def _single(judged: Outcome) -> list[Markup]:
    answered = judged.prediction is not None
    effect = judged.effect
    last = translated(reason(judged))
    if judged.verdict is not Verdict.DISCARDED and not last:
        last = signed(effect.interaction) if effect and judged.mutant.order > 1 else "\u2013"
    return [
        _cell(
            say("table.answer"), isolated(answer_of(judged.prediction)) if answered else "\u2013"
        ),
        _cell(say("table.shift"), signed(effect.shift if effect else None), "number"),
        _cell(say("table.last"), isolated(last), "last"),
    ]


def _cell(column: str, value: object, kind: str | None = None) -> Markup:
    """Write a cell that names its column, which a narrow page shows beside it."""
    return tag("td", value, class_=kind, data_column=column)


def _answer_cell(judged: Outcome) -> Markup:
    words = isolated(answer_of(judged.prediction))
    return tag("span", " ", words, shift_of(judged), class_="quiet")
