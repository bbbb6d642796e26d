"""The HTML of the Models tab: a table of models, their kinds, and a model's answers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hinter_core.models.base import CLASSIFICATION, Capabilities, Generative
from hinter_core.models.budget import Cost, cost_in_words
from hinter_core.models.registry import Backend
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.settings import TOLERANCE
from hinter_core.relations.base import NoiseFloor, noise_floor
from hinter_core.relations.oracles import oracle_for
from hinter_core.types import Prediction
from hinter_ui.html.glossary import linked
from hinter_ui.html.markup import Markup, escape, tag
from hinter_ui.html.markup import table as grid
from hinter_ui.html.pages import macros_of
from hinter_ui.html.square import bars
from hinter_ui.html.wording import FEW, Words, answer_of, label_count, labels, translated

say = Words("models")


class ModelState(StrEnum):
    """The state of a model."""

    ABSENT = "absent"
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


_ACTS = {  # by the state of a model: acts, and their words
    ModelState.READY: [("try", "try")],
    ModelState.ABSENT: [("load", "load")],
    ModelState.FAILED: [("load", "retry")],
}


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


def _page() -> Any:
    return macros_of("models", say=say, translated=translated)


def _row(model: ModelRow) -> Markup:
    acts = [(act, say(f"acts.{words}")) for act, words in _ACTS.get(model.state, ())]
    if model.added and model.state is not ModelState.LOADING:
        acts.append(("remove", say("acts.remove")))
    able, columns = model.capabilities, say.branch("table.columns")
    contents = _contents(model, able) if able else {}
    named = [(key, columns[key], content) for key, content in contents.items()]
    return escape(_page().row(model, model.state.value, acts, able, named))


def _contents(model: ModelRow, able: Capabilities) -> dict[str, Markup | str]:
    number = "several" if able.multi_label else "one"
    scores = {True: "scores", False: "no_scores", None: "maybe_scores"}[able.scores]
    return {
        "answers": escape(_page().answers(able, number, scores, labels(able.labels))),
        "reads": _reads(able),
        "device": " \u00b7 ".join(x for x in (able.device, able.dtype) if x),
        "costs": say(f"costs.{('disk' if model.on_disk else 'memory') if able.costs else 'free'}"),
    }


def _reads(able: Capabilities) -> str:
    if able.window:
        return say("reads.tokens", n=able.window)
    return say("reads.unknown" if able.device == "remote" else "reads.whole")


def kinds(backends: Mapping[str, Backend]) -> Markup:
    """Describe every kind of model and how one is named."""
    return escape(_page().kinds(backends))


def name_line(name: str, problem: str) -> Markup:
    """Show the name that a form stands for, to be copied, or what is missing from it."""
    return escape(_page().name_line(name, problem))


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


def one(repeated_answer: RepeatedAnswer) -> Markup:
    """Show an answer with its scores, and the reply of models that answer in words."""
    answer = repeated_answer.first
    long = len(answer.labels) > FEW
    words = label_count(answer.labels) if long else answer_of(answer)
    listed = labels(answer.labels) if long else ""
    return escape(_page().one(repeated_answer, words, listed, bars(answer), _foot(repeated_answer)))


def repeated(repeated_answer: RepeatedAnswer) -> Markup:
    """Count the answers to the same question, and say what that means for a flip."""
    answers = (repeated_answer.first, *repeated_answer.more)
    tally = Counter(map(answer_of, answers)).most_common()
    failed = next((answer for answer in answers if answer.failure), None)
    part = _page().repeated
    return escape(
        part(
            repeated_answer,
            tally,
            len(answers),
            failed,
            _floor(repeated_answer),
            _foot(repeated_answer),
        )
    )


def _floor(repeated_answer: RepeatedAnswer) -> Markup:
    floor = repeated_answer.floor
    if not repeated_answer.first.answered or floor.rate is None:
        return linked(say("answer.few"))
    key = "flips" if floor.flips else "steady.one" if floor.answered == 1 else "steady.other"
    words = say(f"answer.{key}", n=floor.answered, flips=floor.flips, rate=floor.rate)
    return linked(words)


def _foot(repeated_answer: RepeatedAnswer) -> str:
    parts = []
    if repeated_answer.seen < repeated_answer.length:
        parts.append(say("answer.cut", seen=repeated_answer.seen, length=repeated_answer.length))
    if repeated_answer.spent is not None:
        parts.append(say("answer.spent", cost=cost_in_words(repeated_answer.spent)))
    return " ".join(parts)


def asked_of(
    store: PredictionStore, name: str, text: str, first: Prediction, more: Sequence[Prediction] = ()
) -> RepeatedAnswer:
    """Return what is shown of a store's answers to ``text``."""
    usage = store.model.usage if isinstance(store.model, Generative) else None
    seen = store.model.visible(text)
    spent, task = usage.spent if usage else None, store.model.capabilities.task
    return RepeatedAnswer(name, first, seen, len(text), spent, tuple(more), task)
