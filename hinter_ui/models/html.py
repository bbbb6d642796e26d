"""The HTML of the Models tab: a table of models, their kinds, and a model's answers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from hinter_core.models.base import CLASSIFICATION, Capabilities, Generative
from hinter_core.models.budget import Cost, cost_in_words
from hinter_core.models.registry import Backend
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.settings import TOLERANCE
from hinter_core.relations.base import NoiseFloor, noise_floor
from hinter_core.relations.oracles import oracle_for
from hinter_core.types import Prediction
from hinter_ui.html.glossary import linked
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.markup import table as grid
from hinter_ui.html.square import bars
from hinter_ui.html.wording import FEW, Words, answer_of, label_count, labels

say = Words("models")


class ModelState(StrEnum):
    """The state of a model."""

    ABSENT = "absent"
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True)
class ModelRow:
    """An available model; what it can do is known once it is loaded."""

    name: str
    label: str
    state: ModelState
    capabilities: Capabilities | None = None
    on_disk: bool = False  # answers that cost are kept there
    error: str = ""
    added: bool = False


def table(models: Sequence[ModelRow]) -> Markup:
    """List the models, each with what it can do and what can be done with it."""
    columns: dict[str, str] = say.branch("table.columns")
    rows = [_row(model) for model in models]
    return tag("div", grid(say("table.title"), columns.values(), rows), class_="model-table")


def _row(model: ModelRow) -> Markup:
    code = tag("code", isolated(model.name))
    label = tag("span", model.label, class_="model-label") if model.name != model.label else None
    cells = [tag("th", label, code, scope="row"), tag("td", _state(model))]
    able = model.capabilities
    if able is None:
        hint = tag("span", say("table.unknown"), class_="quiet-inline")
        return tag("tr", *cells, tag("td", hint, colspan=4, class_="unknown"))
    contents = {
        "answers": _answers(able),
        "reads": _reads(able),
        "device": " \u00b7 ".join(x for x in (able.device, able.dtype) if x),
        "costs": say(f"costs.{('disk' if model.on_disk else 'memory') if able.costs else 'free'}"),
    }
    # On a narrow page the table becomes a list, and each cell says what it is.
    columns = say.branch("table.columns")
    cells += [
        tag("td", tag("div", content), class_=f"about-{key}", data_column=columns[key])
        for key, content in contents.items()
    ]
    return tag("tr", *cells)


def _state(model: ModelRow) -> Markup:
    state = model.state.value
    parts = [tag("span", say(f"states.{state}"), class_=f"badge state {state}")]
    match model.state:
        case ModelState.READY:
            parts.append(_act("try", say("acts.try"), model.name))
        case ModelState.ABSENT:
            parts.append(_act("load", say("acts.load"), model.name))
        case ModelState.FAILED:
            parts.append(_act("load", say("acts.retry"), model.name))
    if model.added and model.state is not ModelState.LOADING:
        parts.append(_act("remove", say("acts.remove"), model.name))
    row = tag("div", *parts, class_="acts")
    if not model.error:
        return row
    return join([row, tag("p", isolated(model.error), class_="why", role="alert")])


def _act(act: str, words: str, name: str) -> Markup:
    whose = tag("span", f": {name}", class_="sr-only")
    return tag("button", words, whose, type="button", class_="act", data_act=act, data_model=name)


def _answers(able: Capabilities) -> Markup:
    number = "several" if able.multi_label else "one"
    scores = {True: "scores", False: "no_scores", None: "maybe_scores"}[able.scores]
    words = tag("div", say(f"answers.{number}", task=able.task, n=len(able.labels)),
                say(f"answers.{scores}"))  # fmt: skip
    varies = Markup("") if able.steady else tag("div", say("answers.unsteady"))
    note = tag("div", isolated(able.note), class_="quiet-inline") if able.note else Markup("")
    return join([words, varies, labels(able.labels), note])


def _reads(able: Capabilities) -> str:
    if able.window:
        return say("reads.tokens", n=able.window)
    return say("reads.unknown" if able.device == "remote" else "reads.whole")


def kinds(backends: Mapping[str, Backend]) -> Markup:
    """Describe every kind of model and how one is named."""
    items = [
        tag(
            "div",
            tag("dt", backend.label, " ", tag("code", isolated(backend.usage(kind)))),
            tag("dd", backend.about),
        )
        for kind, backend in backends.items()
    ]
    return tag("dl", *items, class_="kinds")


def name_line(name: str, problem: str) -> Markup:
    """Show the name that a form stands for, to be copied, or what is missing from it."""
    code = tag("code", isolated(name), class_="model-name")
    copy = tag("button", say("form.copy"), tag("span", say("form.copy_what"), class_="sr-only"),
               type="button", class_="copy-name act", data_copied=say("form.copied"),
               data_uncopied=say("form.uncopied"))  # fmt: skip
    told = tag("p", isolated(problem), class_="why") if problem else None
    return tag("div", tag("div", code, None if problem else copy, class_="name-line"), told)


@dataclass(frozen=True)
class RepeatedAnswer:
    """A model's answer to a text, and those to repetitions."""

    name: str
    first: Prediction
    seen: int  # leading characters that the model saw
    length: int
    spent: Cost | None = None  # since the model was loaded, for those that answer in words
    more: tuple[Prediction, ...] = ()
    task: str = CLASSIFICATION

    @property
    def floor(self) -> NoiseFloor:
        """How often a repetition differs from the first answer."""
        return noise_floor(oracle_for(self.task, TOLERANCE), self.first, self.more)


def one(asked: RepeatedAnswer) -> Markup:
    """Show an answer with its scores, and the reply of models that answer in words."""
    answer = asked.first
    many = len(answer.labels) > FEW
    words = label_count(answer.labels) if many else answer_of(answer)
    scores = bars(answer)
    if answer.answered and scores is None:
        scores = tag("p", say("answer.unscored"), class_="quiet")
    shown = tag("span", isolated(words), class_="answer")
    return tag("div", _head(asked, shown), _failure(answer), _said(answer),
               labels(answer.labels) if many else None, scores, _foot(asked),
               class_="card cell", role="status")  # fmt: skip


def repeated(asked: RepeatedAnswer) -> Markup:
    """Count the answers to the same question, and say what that means for a flip."""
    answers = (asked.first, *asked.more)
    tally = Counter(answer_of(answer) for answer in answers)
    items = [
        tag("li", tag("strong", isolated(words)), ": ",
            say("answer.tally", count=count, all=len(answers)))
        for words, count in tally.most_common()
    ]  # fmt: skip
    failed = next((answer for answer in answers if answer.failure), None)
    return tag("div", _head(asked), tag("ul", *items, class_="tally"),
               _failure(failed) if failed else None,
               tag("p", _floor(asked), class_="floor"), _foot(asked),
               class_="card cell", role="status")  # fmt: skip


def _head(asked: RepeatedAnswer, answer: Markup | None = None) -> Markup:
    return tag("header", tag("h3", tag("code", isolated(asked.name))), answer)


def _floor(asked: RepeatedAnswer) -> Markup:
    floor = asked.floor
    if not asked.first.answered or floor.rate is None:
        return linked(say("answer.few"))
    key = "flips" if floor.flips else "steady.one" if floor.answered == 1 else "steady.other"
    words = say(f"answer.{key}", n=floor.answered, flips=floor.flips, rate=floor.rate)
    return linked(words)


def _failure(answer: Prediction) -> Markup | None:
    if not answer.failure:
        return None
    head = tag("strong", say("answer.failed", reason=answer.failure.value))
    return tag("p", head, " ", isolated(answer.detail), class_="notice error")


def _said(answer: Prediction) -> Markup | None:
    if not answer.reply:
        return None
    quote = tag("blockquote", answer.reply, dir="auto")
    return tag("figure", tag("figcaption", say("answer.reply"), class_="quiet"), quote,
               class_="said")  # fmt: skip


def _foot(asked: RepeatedAnswer) -> Markup | None:
    parts = []
    if asked.seen < asked.length:
        parts.append(say("answer.cut", seen=asked.seen, length=asked.length))
    if asked.spent is not None:
        parts.append(say("answer.spent", cost=cost_in_words(asked.spent)))
    return tag("p", " ".join(parts), class_="foot") if parts else None


def asked_of(
    store: PredictionStore, name: str, text: str, first: Prediction, more: Sequence[Prediction] = ()
) -> RepeatedAnswer:
    """Return what is shown of a store's answers to ``text``."""
    usage = store.model.usage if isinstance(store.model, Generative) else None
    seen = store.model.visible(text)
    spent, task = usage.spent if usage else None, store.model.capabilities.task
    return RepeatedAnswer(name, first, seen, len(text), spent, tuple(more), task)
