"""Accuracy and F1 of each model on the unchanged texts (HInter, Table 5).

Accuracy is the share of texts whose labels are all right. Micro-F1 and macro-F1 are those of
LexGLUE (Chalkidis et al. 2022), over the classes that occur among the labels or the answers; where
several labels may apply and a text has none, *no label* is a class of its own.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations

from hinter_core.models.base import COREFERENCE
from hinter_core.report.counts import ModelCounts
from hinter_core.report.metric import metric
from hinter_core.report.section import Rows, Section
from hinter_core.statistics.format import rate_in_words
from hinter_core.statistics.rates import Rate, wilson

Labels = frozenset[str]
_NAMED = 4  # labels named in a sentence
_SEPARATOR = re.compile(r"([,;|#])")
_TRUTH = ("false", "true"), ("0", "1")  # tables and models name them differently
_WHOLE = re.compile(r"(-?\d{1,15})\.0+")


@dataclass(frozen=True)
class Accuracy:
    """Accuracy of a model on texts that it was asked, with a label that it knows.

    ``correct``: texts whose labels are all right. ``classes``: number of classes. ``several``:
    several labels may apply. Left out are texts that are ``unlabelled`` or ``unanswered``, or with
    an ``unknown`` label, such as those named in ``strange``. ``known``: the model's labels.
    """

    correct: Rate
    micro_f1: float | None
    macro_f1: float | None
    classes: int
    several: bool
    unlabelled: int
    unknown: int
    unanswered: int
    strange: list[str]
    known: list[str]


def accuracy(tally: ModelCounts) -> Accuracy | None:
    """Compare a model's answers to the unchanged texts with their labels; None without labels."""
    counted = tally.sums(
        "SELECT coalesce(t.label, ''), names, failed, count(*) FROM unchanged JOIN rows t "
        "USING (row) JOIN named_labels USING (labels)"
    )
    if not any(label for label, *_ in counted):
        return None
    noted = tally.noted
    answers = {name for _, labels, *_ in counted for name in labels or ()}
    if noted.get("task") == COREFERENCE:  # any link may be an answer
        answers |= {label for label, *_ in counted if label}
    known = noted["labels"] or sorted(answers)
    read = label_reader(known)
    several, unlabelled, unknown, unanswered = False, 0, 0, 0
    strange: Counter[str] = Counter()
    pairs: Counter[tuple[Labels, Labels]] = Counter()
    for label, labels, failed, texts in counted:
        gold, answer = read(label), frozenset(map(label_key, labels or ()))
        if failed:
            unanswered += texts
        elif gold is None:
            unknown += texts
            strange[label] += texts
        else:
            several = several or len(gold) > 1 or len(answer) != 1
            pairs[gold, answer] += texts
    if not several:  # a text without a label is not one to which no label applies
        unlabelled = sum(texts for (gold, _), texts in pairs.items() if not gold)
        pairs = Counter({pair: texts for pair, texts in pairs.items() if pair[0]})
    hits = sum(texts for (gold, answer), texts in pairs.items() if gold == answer)
    return Accuracy(
        wilson(hits, pairs.total()),
        *f1_scores(pairs),
        several,
        unlabelled,
        unknown,
        unanswered,
        [label for label, _ in strange.most_common(_NAMED)],
        list(known),
    )


def label_key(name: str) -> str:
    """Fold a label; ``1.0``, as tables with blank cells have it, is ``1``."""
    key = " ".join(name.casefold().split())
    whole = _WHOLE.fullmatch(key)
    return whole[1] if whole else key


def _tokens(text: str) -> tuple[str, ...]:
    """Split a cell into labels, or parts of labels, and the separators between them."""
    tokens = _SEPARATOR.split(text)
    return tuple(t if n % 2 else label_key(t.strip(" '\"")) for n, t in enumerate(tokens))


def label_reader(known: Sequence[str]) -> Callable[[str], Labels | None]:
    """Return a function from a cell to its labels; None if one is not known.

    Labels are separated by commas, semicolons, bars or number signs, which a label may contain too;
    then the longest label counts. The time is linear in the cell.
    """
    keys = {label_key(name) for name in known}
    same = (dict(zip(other, own, strict=True)) for own, other in permutations(_TRUTH, 2)
            if keys == set(own))  # fmt: skip
    truth = next(same, {})
    by_tokens = {_tokens(key): key for key in keys}
    lengths = sorted({len(tokens) for tokens in by_tokens}, reverse=True)

    def labels_in(tokens: tuple[str, ...]) -> Labels | None:
        # From the end: which label begins here, so that labels follow up to the end.
        first: dict[int, str] = {}
        for place in range(len(tokens) - 1, -1, -2):
            for length in lengths:
                end, key = place + length, by_tokens.get(tokens[place : place + length])
                if key is not None and (end == len(tokens) or end + 1 in first):
                    first[place] = key
                    break
        labels, place = set[str](), 0
        while place in first:
            labels.add(first[place])
            place += len(_tokens(first[place])) + 1
        return frozenset(labels) or None

    def read(label: str) -> Labels | None:
        text = label_key(label)
        text = truth.get(text, text)
        if not text or text == "[]":
            return frozenset()
        if text in keys:
            return frozenset([text])
        if text.startswith("[") and text.endswith("]"):  # a list as JSON, Python or numpy writes it
            text = text[1:-1].replace("' '", "','")
        return labels_in(_tokens(text))

    return read


def f1_scores(pairs: Counter[tuple[Labels, Labels]]) -> tuple[float | None, float | None, int]:
    """Return micro-F1, macro-F1 and the number of classes.

    ``pairs``: numbers of texts by their labels and the model's answer.
    """
    hits, wrong, missed = Counter[str](), Counter[str](), Counter[str]()
    no_label = any(not gold for gold, _ in pairs)
    for (gold, answer), texts in pairs.items():
        wanted, given = (labels or ({""} if no_label else labels) for labels in (gold, answer))
        hits.update(dict.fromkeys(wanted & given, texts))
        wrong.update(dict.fromkeys(given - wanted, texts))
        missed.update(dict.fromkeys(wanted - given, texts))
    classes = {*hits, *wrong, *missed}
    if not classes:
        return None, None, 0

    def f1(hit: int, faults: int) -> float:
        return 2 * hit / (2 * hit + faults)

    each = [f1(hits[name], wrong[name] + missed[name]) for name in classes]
    micro = f1(hits.total(), wrong.total() + missed.total())
    return micro, sum(each) / len(each), len(classes)


def accuracy_sections(by_model: Iterable[tuple[str, Accuracy | None]]) -> Iterable[Section]:
    """Report all models in one table; nothing where the data has no labels."""
    measured = [(model, one) for model, one in by_model if one is not None]
    if not measured:
        return
    rows: Rows = [
        [model, one.correct.of, one.correct, one.micro_f1, one.macro_f1, one.classes]
        for model, one in measured
        if one.correct.of
    ]
    sentences = [f"{model}: {_in_words(one)}" for model, one in measured]
    if rows:
        sentences.append(
            "Answers to the unchanged texts, against the labels of the data. All texts count that "
            "were put to the models, also those whose mutants were all discarded; one with "
            "nothing to test was not. Micro-F1 adds up all classes, macro-F1 is the mean over the "
            "classes that occur."
        )
    columns = ["Model", "Texts", "Accuracy", "Micro-F1", "Macro-F1", "Classes"]
    yield Section("accuracy", "Accuracy on the unchanged texts", sentences, columns, rows)


def _in_words(one: Accuracy) -> str:
    if not one.correct.of and one.unknown:
        return (
            f"accuracy is not known, as the labels of the data ({_listed(one.strange)}) are not "
            f"those of the model ({_listed(one.known)}). Use the model's names in the data, or "
            "give the model the names of the data (option labels)."
        )
    if not one.correct.of:
        return "accuracy is not known, as no text has both a label and an answer."
    right = "all labels right" if one.several else "the right label"
    words = f"{rate_in_words(one.correct)} texts got {right}"
    left_out = [
        f"{number:,} {what}"
        for number, what in (
            (one.unlabelled, "without a label"),
            (one.unknown, f"with a label that the model does not have ({_listed(one.strange)})"),
            (one.unanswered, "without an answer"),
        )
        if number
    ]
    if left_out:
        words += f". Left out: {', '.join(left_out)}"
    return words + "."


def _listed(names: Sequence[str]) -> str:
    more = ", \u2026" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


metric("accuracy", 0, accuracy)  # one section for all models
