"""Questions for annotators: read from a YAML file and validated; answers checked against them.

The default questions follow HInter (RQ3: is a mutant a valid sentence?) and BiasFinder's user study
(does it make sense, and which sentiment has it?).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hinter_core.annotation.project.types import AnnotationError, Answer, Question
from hinter_core.storage import ASSETS, yaml_loader

FOLDER = ASSETS / "annotation"
TAKEN = "zsct?"  # keys of the judging screen: undo, skip, comment, trees, help
LABELS = "labels"  # placeholder of the labels of the project's task
_DIGITS = "123456789"
_MOST_QUESTIONS, _MOST_ANSWERS = 12, 12
_FLAGS = {"true": True, "yes": True, "false": False, "no": False, "": None}


def default_questions(
    language: str = "en", labels: Sequence[str] = ()
) -> tuple[str, tuple[Question, ...]]:
    """Load the default instructions and questions; the label question needs ``labels``."""
    path = FOLDER / f"questions.{language}.yaml"
    path = path if path.exists() else FOLDER / "questions.en.yaml"
    return load_questions(path, labels)


def load_questions(path: Path, labels: Sequence[str] = ()) -> tuple[str, tuple[Question, ...]]:
    """Load instructions and questions from a file.

    Raises:
        AnnotationError: the file cannot be read, or a question is invalid.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise AnnotationError(f"The questions in {path} cannot be read ({error}).") from error
    return read_questions(text, str(path), labels)


def read_questions(
    text: str, name: str, labels: Sequence[str] = ()
) -> tuple[str, tuple[Question, ...]]:
    """Parse instructions and questions from YAML; errors refer to it as ``name``.

    Without labels, a question with ``answers: labels`` is left out.

    Raises:
        AnnotationError: invalid YAML, or an invalid question.
    """
    import yaml

    try:
        # All values as strings: an unquoted yes is a truth value otherwise.
        tree = yaml_loader(text, strings=True).get_single_data()
    except yaml.YAMLError as error:
        raise AnnotationError(f"{name} is no YAML: {error}".replace("\n", " ")) from error
    if not isinstance(tree, Mapping) or not isinstance(tree.get("questions"), list):
        raise AnnotationError(f"{name} has no list of questions; see the default questions.")
    _require_known(tree, {"instructions", "questions"}, name)
    parsed = (
        _question(raw, f"{name}, question {n}", labels)
        for n, raw in enumerate(tree["questions"], 1)
    )
    questions = tuple(question for question in parsed if question is not None)
    if not questions:
        raise AnnotationError(f"{name} asks nothing; a question about labels needs labels.")
    if len(questions) > _MOST_QUESTIONS:
        raise AnnotationError(f"{name} asks {len(questions)} questions; at most {_MOST_QUESTIONS}.")
    ident, number = Counter(question.id for question in questions).most_common(1)[0]
    if number > 1:
        raise AnnotationError(f"{name} has two questions '{ident}'.")
    return str(tree.get("instructions", "")).strip(), questions


def faults(questions: Iterable[Question], answers: Mapping[str, str], *, pair: bool) -> list[str]:
    """List the faults of an annotator's answers; ``pair``: whether the item has a source."""
    applicable = {question.id: question for question in questions if pair or not question.pair}
    wrong = [f"there is no question '{name}'" for name in answers if name not in applicable]
    for name, question in applicable.items():
        value = answers.get(name)
        if value is None:
            wrong.append(f"'{name}' is not answered")
        elif question.answer(value) is None:
            wrong.append(f"'{name}' has no answer '{value[:40]}'")
    return wrong


def _require_known(raw: Mapping[str, Any], known: set[str], where: str) -> None:
    unknown = sorted(set(raw) - known)
    if unknown:
        raise AnnotationError(f"{where} has an unknown field '{unknown[0]}'; remove it.")


def _question(raw: Any, where: str, labels: Sequence[str]) -> Question | None:
    if not isinstance(raw, Mapping):
        raise AnnotationError(f"{where} is no question; it needs id, ask and answers.")
    _require_known(raw, {"id", "ask", "help", "pair", "scale", "labels", "answers"}, where)
    ident, ask = str(raw.get("id") or "").strip(), str(raw.get("ask") or "").strip()
    if not ident.isidentifier() or not ask:
        raise AnnotationError(f"{where} needs an id (letters, digits, _) and a text to ask.")
    answers = raw.get("answers")
    own = answers == LABELS
    if own:
        if not labels:
            return None
        answers = [{"value": label, "label": label} for label in labels]
    if not isinstance(answers, list) or len(answers) < 2:
        raise AnnotationError(f"{where} needs at least two answers, or 'answers: labels'.")
    asks_label = _flag(raw.get("labels"), where)
    question = Question(
        ident, ask, _answers(answers, where), str(raw.get("help") or "").strip(),
        _flag(raw.get("pair"), where) or False, _flag(raw.get("scale"), where) or False,
        own if asks_label is None else asks_label,
    )  # fmt: skip
    if question.labels and question.judges:
        raise AnnotationError(
            f"{where} cannot ask for a label and judge validity; leave out labels or valid."
        )
    return question


def _answers(raws: Sequence[Any], where: str) -> tuple[Answer, ...]:
    if len(raws) > _MOST_ANSWERS:
        raise AnnotationError(
            f"{where} has {len(raws)} answers; at most {_MOST_ANSWERS} have keys."
        )
    spare = iter(_DIGITS + "abdefghijklmnopqrvwxy")
    answers: list[Answer] = []
    for raw in raws:
        if not isinstance(raw, Mapping) or not str(raw.get("value") or "").strip():
            raise AnnotationError(f"{where}: each answer needs a value.")
        value = str(raw["value"]).strip()
        used = {answer.key for answer in answers}
        key = str(raw.get("key") or next(k for k in spare if k not in used)).lower()
        if len(key) != 1 or key in TAKEN or not key.isalnum():
            raise AnnotationError(
                f"{where}: the key '{key}' cannot be used; take a letter or digit other than "
                f"{', '.join(TAKEN)}."
            )
        if key in used or value in {answer.value for answer in answers}:
            raise AnnotationError(f"{where}: '{value}' repeats a value or a key of another answer.")
        label = str(raw.get("label") or value)
        answers.append(Answer(value, label, key, _flag(raw.get("valid"), where)))
    return tuple(answers)


def _flag(raw: Any, where: str) -> bool | None:
    word = str(raw or "").lower()
    if word not in _FLAGS:
        raise AnnotationError(f"{where}: '{raw}' is neither true nor false.")
    return _FLAGS[word]
