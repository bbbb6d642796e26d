"""A table of models with what each can do, the kinds of them, and a model's answers to a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from hinter_core.models.base import Capabilities, Generative
from hinter_core.models.budget import Cost, cost_in_words
from hinter_core.models.registry import Backend
from hinter_core.models.store import PredictionStore
from hinter_core.relations.noise import NoiseFloor, noise_floor
from hinter_core.types import Prediction
from hinter_ui.html.charts import bars
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.words import FEW, answer_of, labels, times

_COLUMNS = ("model", "state", "answers with", "reads", "runs on", "an answer costs")


class ModelState(StrEnum):
    """Where a model stands."""

    ABSENT = "not loaded"
    LOADING = "loading \u2026"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True)
class ModelRow:
    """A model at hand; what it can do is known once it is loaded."""

    name: str
    label: str
    state: ModelState
    capabilities: Capabilities | None = None
    on_disk: bool = False  # answers that cost are kept there
    error: str = ""
    added: bool = False


def table(models: Sequence[ModelRow]) -> Markup:
    """All models at hand, each with what can be done with it."""
    head = tag("tr", *(tag("th", c, scope="col") for c in _COLUMNS))
    grid = tag(
        "table",
        tag("caption", "Models at hand", class_="sr-only"),
        tag("thead", head),
        tag("tbody", *(_row(model) for model in models)),
    )
    return tag("div", grid, class_="model-table")


def _row(model: ModelRow) -> Markup:
    name = tag("code", isolated(model.name)) if model.name != model.label else None
    cells: list[Markup] = [
        tag("th", tag("span", model.label, class_="model-label") if name else None,
            name or tag("code", isolated(model.name)), scope="row"),
        tag("td", _state(model)),
    ]  # fmt: skip
    able = model.capabilities
    if able is None:
        hint = tag("span", "known once it is loaded", class_="quiet-inline")
        cells.append(tag("td", hint, colspan=4, class_="unknown"))
    else:
        cells += [
            _cell("answers with", _answers(able)),
            _cell("reads", _reads(able)),
            _cell("runs on", " \u00b7 ".join(x for x in (able.device, able.dtype) if x)),
            _cell("an answer costs", _costs(able, model.on_disk)),
        ]
    return tag("tr", *cells)


def _cell(column: str, content: object) -> Markup:
    # On a narrow page the table becomes a list, and each cell says what it is.
    return tag("td", tag("div", content), data_column=column)


def _state(model: ModelRow) -> Markup:
    badge = tag("span", model.state.value, class_=f"badge state {model.state.name.lower()}")
    parts: list[Markup] = [badge]
    match model.state:
        case ModelState.READY:
            parts.append(_act("try", "Try it", model.name))
        case ModelState.ABSENT:
            parts.append(_act("load", "Load", model.name))
        case ModelState.FAILED:
            parts.append(_act("load", "Try again", model.name))
    if model.added and model.state is not ModelState.LOADING:
        parts.append(_act("remove", "Remove", model.name))
    row = tag("div", *parts, class_="acts")
    if not model.error:
        return row
    return join([row, tag("p", isolated(model.error), class_="why", role="alert")])


def _act(act: str, words: str, name: str) -> Markup:
    spoken = tag("span", f": {name}", class_="sr-only")
    return tag("button", words, spoken, type="button", class_="act", data_act=act, data_model=name)


def _answers(able: Capabilities) -> Markup:
    how = "any number of" if able.multi_label else "one of"
    scores = "with scores" if able.scores else "without scores"
    words = f"{able.task}: {how} {len(able.labels)} labels, {scores}"
    more = "" if able.steady else "; it may answer differently when asked again"
    note = tag("div", isolated(able.note), class_="quiet-inline") if able.note else None
    return join([tag("div", words, more), labels(able.labels), note or Markup("")])


def _reads(able: Capabilities) -> str:
    if able.window:
        return f"{able.window:,} tokens"
    return "not told by the server" if able.device == "remote" else "the whole text"


def _costs(able: Capabilities, on_disk: bool) -> str:
    if not able.costs:
        return "nothing"
    where = "on disk, so it is paid once" if on_disk else "in memory only"
    return f"money or minutes; kept {where}"


def kinds(backends: Mapping[str, Backend]) -> Markup:
    """Every kind of model: what it is and how one is named."""
    items = [
        tag(
            "div",
            tag("dt", backend.label, " ", tag("code", isolated(backend.usage(kind)))),
            tag("dd", backend.about),
        )
        for kind, backend in backends.items()
    ]
    return tag("dl", *items, class_="kinds")


def name_line(name: str, problem: str = "") -> Markup:
    """The name that a form stands for, to be copied, or what is missing from it."""
    code = tag("code", isolated(name), class_="model-name")
    copy = tag("button", "Copy", tag("span", " the name", class_="sr-only"), type="button",
               class_="copy-name act")  # fmt: skip
    told = tag("p", isolated(problem), class_="why") if problem else None
    return tag("div", tag("div", code, None if problem else copy, class_="name-line"), told)


@dataclass(frozen=True)
class RepeatedAnswer:
    """A model's answer to one text, and further ones to the same question."""

    name: str
    first: Prediction
    seen: int  # leading characters that the model saw
    length: int
    spent: Cost | None = None  # since the model was loaded, for those that answer in words
    more: tuple[Prediction, ...] = ()

    @property
    def floor(self) -> NoiseFloor:
        """How often a further answer differs from the first."""
        return noise_floor(self.first, self.more)


def one(asked: RepeatedAnswer) -> Markup:
    """One answer with its scores and, of models that answer in words, what it said."""
    answer = asked.first
    many = len(answer.labels) > FEW
    words = f"{len(answer.labels)} labels" if many else answer_of(answer)
    head = tag(
        "header",
        tag("h3", tag("code", isolated(asked.name))),
        tag("span", isolated(words), class_="answer"),
    )
    scores = bars(answer)
    if answer.answered and scores is None:
        scores = tag("p", "This answer has no scores.", class_="quiet")
    return tag("div", head, _failure(answer), _said(answer),
               labels(answer.labels) if many else None, scores, _foot(asked),
               class_="card cell", role="status")  # fmt: skip


def repeated(asked: RepeatedAnswer) -> Markup:
    """How often the same question got which answer, and what that means for a flip."""
    answers = (asked.first, *asked.more)
    tally = Counter(answer_of(answer) for answer in answers)
    items = [
        tag("li", tag("strong", isolated(words)), f" {times(count)}")
        for words, count in tally.most_common()
    ]
    failed = next((answer for answer in answers if answer.failure), None)
    return tag(
        "div",
        tag("header", tag("h3", tag("code", isolated(asked.name)))),
        tag("ul", *items, class_="tally"),
        _failure(failed) if failed else None,
        tag("p", _floor(asked), class_="floor"),
        _foot(asked),
        class_="card cell",
        role="status",
    )


def _floor(asked: RepeatedAnswer) -> Markup:
    floor = asked.floor
    if not asked.first.answered or floor.rate is None:
        return Markup("Too few usable answers to compare.")
    again = f"Asked {times(floor.answered)} again, "
    if not floor.flips:
        return join([again, "it ", tag("strong", "never changed its mind"), " about this text."])
    return join(
        [
            again,
            tag("strong", f"it contradicted itself {times(floor.flips)}"),
            f": noise floor {floor.rate:.2f}. A single flip of this model proves nothing; look for "
            "flips that are more frequent than that.",
        ]
    )


def _failure(answer: Prediction) -> Markup | None:
    if not answer.failure:
        return None
    head = tag("strong", f"No usable answer ({answer.failure.value}). ")
    return tag("p", head, isolated(answer.detail), class_="notice error")


def _said(answer: Prediction) -> Markup | None:
    if not answer.reply:
        return None
    quote = tag("blockquote", answer.reply, dir="auto")
    return tag("figure", tag("figcaption", "It said", class_="quiet"), quote, class_="said")


def _foot(asked: RepeatedAnswer) -> Markup | None:
    parts = []
    if asked.seen < asked.length:
        parts.append(f"It saw the first {asked.seen:,} of {asked.length:,} characters.")
    if asked.spent is not None:
        parts.append(f"Used since it was loaded: {cost_in_words(asked.spent)}.")
    return tag("p", " ".join(parts), class_="foot") if parts else None


def asked_of(
    store: PredictionStore,
    name: str,
    text: str,
    first: Prediction,
    more: Sequence[Prediction] = (),
) -> RepeatedAnswer:
    """What is shown of a store's answers to ``text``."""
    usage = store.model.usage if isinstance(store.model, Generative) else None
    seen = store.model.visible(text)
    return RepeatedAnswer(name, first, seen, len(text), usage.spent if usage else None, tuple(more))
