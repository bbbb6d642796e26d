"""Questions for annotators: read from a YAML file and validated; answers checked against them.

The default questions follow HInter (RQ3: is a mutant a valid sentence?) and BiasFinder's user study
(does it make sense, and which sentiment has it?).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hinter_core.annotation.project.types import AnnotationError, Answer, Practice, Question
from hinter_core.storage import ASSETS, yaml_loader

FOLDER = ASSETS / "annotation"
TAKEN = "zsct?"  # keys of the judging screen: undo, skip, comment, trees, help
LABELS = "labels"  # placeholder of the labels of the project's task
LONGEST = 20_000  # characters of a text that people read
_DIGITS = "123456789"
_MOST_QUESTIONS, _MOST_ANSWERS, _MOST_PRACTICE = 12, 12, 12
OPENING = ("opening", "consent", "contact", "note", "completion")  # texts before and after judging
_FIELDS = {"id", "ask", "help", "pair", "scale", "labels", "answers", "ask_if"}
_FLAGS = {"true": True, "yes": True, "false": False, "no": False, "": None}


def default_questions(
    language: str = "en", labels: Sequence[str] = ()
) -> tuple[str, tuple[Question, ...]]:
    """Load the default instructions and questions; the label question needs ``labels``."""
    path = FOLDER / f"questions.{language}.yaml"
    path = path if path.exists() else FOLDER / "questions.en.yaml"
    return read_questions(text_of(path), str(path), labels)


def text_of(path: Path) -> str:
    """Return the text of a file of questions.

    Raises:
        AnnotationError: the file cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise AnnotationError(f"The questions in {path} cannot be read ({error}).") from error


def read_questions(
    text: str, name: str, labels: Sequence[str] = ()
) -> tuple[str, tuple[Question, ...]]:
    """Parse instructions and questions from YAML; errors refer to it as ``name``.

    Without labels, a question whose answers are ``labels`` is left out.

    Raises:
        AnnotationError: invalid YAML, or an invalid question.
    """
    tree = _tree(text, name)
    instructions = _words(tree, "instructions", name)
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
    _require_earlier(questions, _left_out(tree, questions), name)
    return instructions, questions


def read_opening(text: str, name: str, questions: Sequence[Question]) -> dict[str, Any]:
    """Parse from the same YAML what people see before they judge: settings of a project by field.

    Raises:
        AnnotationError: invalid YAML, what is no text or too long, or practice that does not answer
            the questions.
    """
    tree = _tree(text, name)
    opening: dict[str, Any] = {key: _words(tree, key, name) for key in OPENING}
    raws = tree.get("practice") or []
    if not isinstance(raws, list) or len(raws) > _MOST_PRACTICE:
        raise AnnotationError(f"{name}: practice is a list of at most {_MOST_PRACTICE} texts.")
    opening["practice"] = tuple(
        _practice(raw, f"{name}, practice {n}", questions, _left_out(tree, questions))
        for n, raw in enumerate(raws, 1)
    )
    return opening


def _practice(raw: Any, where: str, questions: Sequence[Question], left_out: set[str]) -> Practice:
    if not isinstance(raw, Mapping) or not isinstance(raw.get("answers"), Mapping):
        raise AnnotationError(f"{where} needs a text, and answers by question.")
    _require_known(raw, {"text", "source", "answers", "why"}, where)
    words = {key: _words(raw, key, where) for key in ("text", "source", "why")}
    answers = {str(key): str(value) for key, value in raw["answers"].items()}
    for other in left_out & set(answers):
        raise AnnotationError(f"{where} answers {_needs_labels(other)}")
    wrong = faults(questions, answers, pair=bool(words["source"]))
    if wrong or not words["text"]:
        raise AnnotationError(f"{where}: {'; '.join(wrong) or 'there is no text'}.")
    return Practice(words["text"], tuple(answers.items()), words["source"], words["why"])


def _tree(text: str, name: str) -> Mapping[str, Any]:
    import yaml

    try:
        # All values as strings: an unquoted yes is a truth value otherwise.
        tree = yaml_loader(text, strings=True).get_single_data()
    except yaml.YAMLError as error:
        raise AnnotationError(f"{name} is no YAML: {error}".replace("\n", " ")) from error
    if not isinstance(tree, Mapping) or not isinstance(tree.get("questions"), list):
        raise AnnotationError(f"{name} has no list of questions; see the default questions.")
    _require_known(tree, {"instructions", "questions", "practice", *OPENING}, name)
    return tree


def faults(questions: Iterable[Question], answers: Mapping[str, str], *, pair: bool) -> list[str]:
    """List the faults of an annotator's answers; ``pair``: whether the item has a source."""
    applicable = {question.id: question for question in questions if pair or not question.pair}
    wrong = [f"there is no question '{name}'" for name in answers if name not in applicable]
    for name, question in applicable.items():
        value = answers.get(name)
        if value is None and question.asked(answers, pair=pair):
            wrong.append(f"'{name}' is not answered")
        elif value is not None and question.answer(value) is None:
            wrong.append(f"'{name}' has no answer '{value[:40]}'")
    return wrong


def _left_out(tree: Mapping[str, Any], questions: Sequence[Question]) -> set[str]:
    """Return the ids of questions in a file that are not asked, as there are no labels."""
    named = {str(raw.get("id") or "").strip() for raw in tree["questions"]}
    return named - {question.id for question in questions}


def _needs_labels(other: str) -> str:
    return (
        f"the question '{other}', which is left out without labels; give those of the task "
        "(--labels)."
    )


def _require_earlier(questions: Sequence[Question], left_out: set[str], name: str) -> None:
    """Check that each condition names an earlier question and some of its answers."""
    before: dict[str, Question] = {}
    for question in questions:
        for other, values in question.ask_if:
            if other in left_out:
                raise AnnotationError(
                    f"{name}: ask_if of '{question.id}' needs {_needs_labels(other)}"
                )
            known = before[other].values if other in before else ()
            if not values or not set(values) <= set(known):
                raise AnnotationError(
                    f"{name}: ask_if of '{question.id}' needs an earlier question and answers of "
                    f"it, not '{other}: {', '.join(values)}'."
                )
        before[question.id] = question


def _words(raw: Mapping[str, Any], key: str, where: str) -> str:
    """Return a text of a file, or "" if it has none."""
    words = raw.get(key, "")
    if not isinstance(words, str):
        raise AnnotationError(f"{where}: {key} is a text; quote it, or begin it with |.")
    if len(words) > LONGEST:
        raise AnnotationError(
            f"{where}: {key} has {len(words):,} characters; shorten it to {LONGEST:,} or less."
        )
    return words.strip()


def _require_known(raw: Mapping[str, Any], known: set[str], where: str) -> None:
    unknown = sorted(set(raw) - known)
    if unknown:
        raise AnnotationError(f"{where} has an unknown field '{unknown[0]}'; remove it.")


def _question(raw: Any, where: str, labels: Sequence[str]) -> Question | None:
    if not isinstance(raw, Mapping):
        raise AnnotationError(f"{where} is no question; it needs id, ask and answers.")
    _require_known(raw, _FIELDS, where)
    ident, ask = _words(raw, "id", where), _words(raw, "ask", where)
    if not ident.isidentifier() or not ask:
        raise AnnotationError(f"{where} needs an id (letters, digits, _) and a text to ask.")
    answers = raw.get("answers")
    answers = [LABELS] if answers == LABELS else answers
    of_labels = isinstance(answers, list) and LABELS in answers
    if isinstance(answers, list) and of_labels:
        if not labels:
            return None
        at = answers.index(LABELS)
        answers[at : at + 1] = [{"value": label, "label": label} for label in labels]
    if not isinstance(answers, list) or len(answers) < 2:
        raise AnnotationError(f"{where} needs at least two answers, or 'answers: labels'.")
    asks_label = _flag(raw.get("labels"), where)
    question = Question(
        ident, ask, _answers(answers, where), _words(raw, "help", where),
        _flag(raw.get("pair"), where) or False, _flag(raw.get("scale"), where) or False,
        of_labels if asks_label is None else asks_label, _conditions(raw.get("ask_if"), where),
    )  # fmt: skip
    if question.labels and question.judges:
        raise AnnotationError(
            f"{where} cannot ask for a label and judge validity; leave out labels or valid."
        )
    return question


def _conditions(raw: Any, where: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Read ``{question: answer}`` or ``{question: [answer, ...]}``."""
    if raw in (None, ""):
        return ()
    if not isinstance(raw, Mapping):
        raise AnnotationError(f"{where}: ask_if is a question with answers, as {{sense: [yes]}}.")
    listed = ((n, v if isinstance(v, list) else [v]) for n, v in raw.items())
    return tuple((str(name), tuple(map(str, values))) for name, values in listed)


def _answers(raws: Sequence[Any], where: str) -> tuple[Answer, ...]:
    if len(raws) > _MOST_ANSWERS:
        raise AnnotationError(
            f"{where} has {len(raws)} answers; at most {_MOST_ANSWERS} have keys."
        )
    spare = iter(_DIGITS + "abdefghijklmnopqrvwxy")
    answers: list[Answer] = []
    for raw in raws:
        value = _words(raw, "value", where) if isinstance(raw, Mapping) else ""
        if not value:
            raise AnnotationError(f"{where}: each answer needs a value.")
        used = {answer.key for answer in answers}
        key = str(raw.get("key") or next(k for k in spare if k not in used)).lower()
        if len(key) != 1 or key in TAKEN or not key.isalnum():
            raise AnnotationError(
                f"{where}: the key '{key}' cannot be used; take a letter or digit other than "
                f"{', '.join(TAKEN)}."
            )
        if key in used or value in {answer.value for answer in answers}:
            raise AnnotationError(f"{where}: '{value}' repeats a value or a key of another answer.")
        label = _words(raw, "label", where) or value
        answers.append(Answer(value, label, key, _flag(raw.get("valid"), where)))
    return tuple(answers)


def _flag(raw: Any, where: str) -> bool | None:
    word = str(raw or "").lower()
    if word not in _FLAGS:
        raise AnnotationError(f"{where}: '{raw}' is neither true nor false.")
    return _FLAGS[word]
