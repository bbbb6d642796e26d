"""A Python object of the user as a model under test.

It is a function that takes a list of texts and returns one answer per text, or anything with
``predict_proba`` or ``predict``, or a pipeline of transformers. An answer is a label, a list of
labels (with ``multi``), scores in [0, 1] as a dict by label or in the order of the labels, or what
pipelines of transformers return. It runs arbitrary code, so the app does not accept it.

By name it is ``python:MODULE:NAME``, whose module may lie in the working directory, or the name
under which somebody added it.
"""

import ast
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from importlib import import_module
from inspect import getsourcefile, isclass
from numbers import Integral, Real
from pathlib import Path
from typing import Any
from uuid import uuid4

from hinter_core.errors import ModelError
from hinter_core.extensions import MODELS
from hinter_core.models.base import Capabilities, ModelUnderTest, answer_from
from hinter_core.models.registry import DEFAULT_THRESHOLD, THRESHOLD, ModelName
from hinter_core.types import Prediction

_PROBE = (
    "A person reads a book.", "People talk.", "The kind old nurse was a great help to my friend.",
    "That rude young man is a terrible, stupid driver, and I hate him.",
)  # fmt: skip
_HINT = "it takes a list of texts and gives one label, list of labels or dict of scores for each"
_NUMBER = (
    "a number, of no label: return a label for it, such as 'high'; or bring it to 0 to 1 and "
    "return {'high': x, 'low': 1 - x}, whose shifts a score tolerance counts"
)
_FROM_0_TO_1 = (
    ", from 0 to 1; of logits, return the softmax, or the sigmoid where several labels may apply"
)
_NETWORK = (
    "in place of a network that takes no texts, give transformers.pipeline('text-classification', "
    "model=MODEL, tokenizer=TOKENIZER), or a function of a list of texts"
)
_OTHER_TASK = (
    "a pipeline of another task than text-classification is no model: name a zero-shot one "
    "hf-zero-shot:ORG/NAME?labels=A,B, or give a function of a list of texts that calls it"
)
_ABOUT = 0.1  # how far rounded scores of labels that exclude each other may add up from 1
_ROUNDED = 1e-6  # by which a probability in single precision may pass 1
_UNNAMED = "without identity "

Function = Callable[[list[str]], Sequence[Any]]


class PythonModel(ModelUnderTest):
    """A model that calls a Python function.

    ``probed``: labels and scores of a few sentences. ``probe``: the same if a campaign compares
    them, as nobody named the version of the model.
    """

    def __init__(
        self,
        name: str,
        function: Function,
        wanted: Capabilities,
        identity: str,
        tokenizer: Any = None,
    ) -> None:
        self.name = name
        self.identity = identity
        self._function = function
        self._tokenizer = tokenizer  # of a pipeline that cuts what is too long for it
        self._open = not wanted.labels  # any label is accepted
        self.capabilities = replace(wanted, steady=False)
        answers = [self._answer(value) for value in self._call(list(_PROBE))]
        self.capabilities = replace(self.capabilities, scores=bool(answers[0].scores))
        self.probed = [[list(one.labels), dict(one.scores or {})] for one in answers]
        self.probe: list[Any] | None = None

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        """Return one answer per text, in order.

        Raises:
            ValueError: an answer of a wrong type, or a wrong number of answers.
        """
        return [self._answer(value) for value in self._call(list(texts))] if texts else []

    def visible(self, text: str) -> int:
        """Return how many leading characters of ``text`` the model reads."""
        if not getattr(self._tokenizer, "is_fast", False):
            return len(text)
        read = self._tokenizer(text, truncation=True, return_offsets_mapping=True)
        last = max((end for _, end in read["offset_mapping"]), default=0)
        return last if text[last:].strip() else len(text)

    def _call(self, texts: list[str]) -> list[Any]:
        try:
            given = self._function(texts)
            if isinstance(given, str):
                raise TypeError(f"it returns one text, {given!r:.60}, not a list of answers")
            values = list(_plain(_rows(given)))
        except SystemExit as error:  # one text must not end a run over thousands
            raise RuntimeError(f"it exits: {error}") from error
        if len(values) != len(texts):
            raise ValueError(f"{len(values)} answers to {len(texts)} texts")
        return values

    def _answer(self, value: Any) -> Prediction:
        labels = self.capabilities.labels
        value = self._scores_of(_plain(value))
        if isinstance(value, Mapping):
            try:
                scores = {str(label): float(score) for label, score in value.items()}
            except (TypeError, ValueError):  # no numbers, such as the columns of a table of texts
                scores = {}
            if not scores or not all(0 <= s <= 1 + _ROUNDED for s in scores.values()):
                raise ValueError(f"scores {value!r} are not probabilities of labels{_FROM_0_TO_1}")
            self._check(scores)
            declared = replace(self.capabilities, labels=labels or tuple(scores))
            if not declared.multi_label and abs(sum(scores.values()) - 1) > _ABOUT:
                raise ValueError(
                    f"the scores of a text add up to {sum(scores.values()):.2g}, not 1; if several "
                    "labels may apply, set multi=1 (in Python, multi=True), else return the scores "
                    "of all labels, or the best label alone"
                )
            known = {label: min(scores.get(label, 0.0), 1.0) for label in declared.labels}
            return answer_from(known, declared)
        several = isinstance(value, list | tuple | set)
        named = tuple(map(_label, value if several else (value,)))
        if len(named) != 1 and not self.capabilities.multi_label:
            raise ValueError(
                f"{len(named)} labels where one is expected; set multi=1 (in Python, multi=True)"
            )
        self._check(named)
        return Prediction(named)

    def _scores_of(self, value: Any) -> Any:
        """Return scores by label, if an answer has scores in another shape."""
        labels = self.capabilities.labels
        if _scored(value):  # a pipeline of transformers says the likeliest label alone
            return value["label"]
        if isinstance(value, Mapping) and isinstance(value.get("scores"), list | tuple):
            return dict(zip(value["labels"], value["scores"], strict=True))
        if not isinstance(value, list | tuple) or not value:
            return value
        if all(map(_scored, value)):
            if len(value) == 1 and not self.capabilities.multi_label:
                return value[0]["label"]
            return {one["label"]: one["score"] for one in value}
        if any(isinstance(one, float) for one in value):
            if len(labels) != len(value):
                raise ValueError(
                    f"{len(value)} scores and {len(labels)} labels; name the labels in the order "
                    "of the scores, as labels"
                )
            return dict(zip(labels, value, strict=True))
        return value

    def _check(self, given: Sequence[str] | Mapping[str, float]) -> None:
        unknown = [x for x in given if x not in self.capabilities.labels]
        if unknown and not self._open:
            raise ValueError(f"the answer has labels that were not declared: {unknown}")


def _rows(value: Any) -> Any:
    """Return the rows of a table of pandas, by label if its columns are names."""
    if not (hasattr(value, "to_dict") and hasattr(value, "columns")):
        return value
    named = all(isinstance(column, str) for column in value.columns)
    return value.to_dict("records") if named else value.to_numpy()


def _plain(value: Any) -> Any:
    """Return an array, series or scalar of numpy and its like as plain values."""
    plain = getattr(value, "tolist", None)
    return value if plain is None or isinstance(value, str) else plain()


def _label(value: Any) -> str:
    value = _plain(value)
    if isinstance(value, str | Integral):
        return str(value)
    what = _NUMBER if isinstance(value, Real) else "no label"
    raise ValueError(f"the answer {value!r} is {what}")


def _scored(value: Any) -> bool:
    return isinstance(value, Mapping) and set(value) == {"label", "score"}


def adapt(
    value: Any, name: str, identity: str = "", labels: Sequence[str] = (), *,
    multi: bool = False, threshold: float = DEFAULT_THRESHOLD,
) -> ModelUnderTest:  # fmt: skip
    """Return an object of the user as a model under test.

    ``identity``: names everything that determines an answer; without it, the model is a new one
    each time. ``labels``: in the order of the scores, if the answers do not name them. ``multi``:
    several labels may apply, each from ``threshold`` on.

    Raises:
        ModelError: no model, one that fails on plain sentences, or labels or a threshold that
            contradict it.
    """
    if all(hasattr(value, part) for part in ("predict", "capabilities", "identity", "name")):
        return value  # type: ignore[no-any-return]  # it follows the protocol itself
    declared = getattr(value, "labels", None)
    known = tuple(labels) or tuple(map(str, declared if isinstance(declared, list | tuple) else ()))
    function, of_scores = _function_of(value)
    classes = tuple(map(str, _plain(of_scores)))
    if known != classes and set(known) & set(classes):
        raise ModelError(
            f"The labels of {name} are {', '.join(known)}, but its scores are of "
            f"{', '.join(classes)} (classes_), in this order; leave out labels."
        )
    known = known or classes
    own = threshold != DEFAULT_THRESHOLD
    decides = f"{multi} from {THRESHOLD.read(threshold)}" if own else multi
    identity = f"{identity}-{known}-{decides}" if identity else f"{_UNNAMED}{uuid4().hex}"
    wanted = Capabilities(labels=known, multi_label=multi, threshold=threshold)
    try:
        model = PythonModel(name, function, wanted, identity, _tokenizer_of(value))
    except Exception as error:
        raise ModelError(
            f"{name} failed on a plain sentence ({type(error).__name__}: {error}); {_cure(value)}."
        ) from error
    if own and not (multi and model.capabilities.scores):
        why = "returns labels, no scores" if multi else "names exactly one label"
        raise ModelError(
            f"{name} {why}, so there is no threshold; leave it out, or return scores and say "
            "multi=1 (in Python, multi=True)."
        )
    return model


def _cure(value: Any) -> str:
    """Say what a model is that an object is not."""
    if _tokenizer_of(value) is not None:  # it has a method forward, too
        return _HINT if value.task == "text-classification" else _OTHER_TASK
    return _NETWORK if hasattr(value, "forward") else _HINT


def _function_of(value: Any) -> tuple[Function, Sequence[Any]]:
    """Return the function of an object, and the labels of its scores."""
    if _tokenizer_of(value) is not None:
        return lambda texts: value(texts, top_k=None, truncation=True), ()
    if hasattr(value, "predict_proba"):
        return value.predict_proba, getattr(value, "classes_", ())
    if hasattr(value, "predict"):
        return value.predict, ()
    if callable(value) and not isclass(value):
        return value, ()
    raise ModelError(
        f"{value!r:.60} is no model; give a model's name, a function of a list of texts, or an "
        "object with predict or predict_proba."
    )


def _tokenizer_of(value: Any) -> Any:
    """Return the tokenizer of a pipeline of transformers; None for anything else."""
    ours = type(value).__module__.startswith("transformers.") and hasattr(value, "task")
    return getattr(value, "tokenizer", None) if ours else None


def load_added(name: ModelName) -> ModelUnderTest:
    """Load a model that was added; a class is called with what follows the colon in the name.

    Raises:
        ModelError: it cannot be made, or fails on a plain sentence.
    """
    added = MODELS.find(name.kind)
    assert added is not None
    value: Any = added.value
    if isclass(value):
        try:
            value = added.value(name.source) if name.source else added.value()
        except Exception as error:  # code of somebody else may raise anything
            raise ModelError(
                f"The model '{name.text}' cannot be made ({type(error).__name__}: {error}); write "
                f"{name.kind} or {name.kind}:SOURCE, as its package says."
            ) from error
    elif name.source:
        raise ModelError(f"The model '{name.kind}' takes no source; leave out ':{name.source}'.")
    said = added.options.get("identity")
    identity = f"{name.text}@{said}" if said else added.package and f"{added.package} {name.text}"
    described = {key: value for key, value in added.options.items() if key != "identity"}
    return adapt(value, name.text, identity, **described)


def load(name: ModelName) -> ModelUnderTest:
    """Load ``python:MODULE:NAME[?labels=A,B][&multi=1][&threshold=0.5][&identity=V]``.

    Without ``labels``, the object's attribute ``labels`` is used if it has one. Without an
    identity, the code of the module and of those beside it that it imports is the model's.

    Raises:
        ModelError: no such module or model, one that fails on a plain sentence, or a caller who
            does not own the machine.
    """
    if not name.trusted:
        raise ModelError("A function of your own can be used on the command line only.")
    module_name, _, attribute = name.source.partition(":")
    if not module_name or not attribute:
        raise ModelError(f"'{name.text}' is not python:MODULE:FUNCTION.")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = import_module(module_name)
    except (Exception, SystemExit) as error:  # the user's module may raise anything
        raise ModelError(
            f"Module '{module_name}' cannot be imported ({type(error).__name__}: {error}); check "
            "its name and the folder you are in."
        ) from error
    value = getattr(module, attribute, None)
    if not (callable(value) or hasattr(value, "predict")):
        raise ModelError(f"Module '{module_name}' has no function '{attribute}'.")
    named = name.settings["identity"]
    identity = f"python-3-{name.source}@{named or _version(module, value)}"
    chosen = {key: name.settings[key] for key in ("multi", "threshold")}
    model = adapt(value, name.text, identity, name.listed("labels"), **chosen)
    if isinstance(model, PythonModel) and not named:
        model.probe = model.probed
    return model


def _version(module: Any, function: Any) -> str:
    """Return a hash of the file of a function, and of those in its folder that it imports."""
    try:
        file = getsourcefile(function)
    except TypeError:
        file = getattr(module, "__file__", None)
    if not file or not Path(file).is_file():  # of Python itself, such as <frozen posixpath>
        return "unknown"
    digest, todo, seen = sha256(), [Path(file).resolve()], set[Path]()
    folder = todo[0].parent
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        digest.update(path.read_bytes())
        todo += _imported(path, folder)
    return digest.hexdigest()[:12]


def _imported(path: Path, folder: Path) -> list[Path]:
    """Return the modules in a folder that a file imports, in their order there."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):  # no source code
        return []
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            parents = [node.module] if node.module else []
            names += [".".join([*parents, one.name]) for one in node.names] + parents
    places = [folder / name.replace(".", "/") for name in names]
    files = [file for place in places for file in (place.with_suffix(".py"), place / "__init__.py")]
    return [file for file in files if file.is_file()]
