"""What a repaired model learns from: sentences of a grammar, and texts with their mutants.

Source: Astraea, section 5 (retraining): labelled sentences of a grammar are added to the training
data. Each comes with a variant that has other values of the sensitive attributes and the same
label. Departures: values are balanced and not drawn by their error rate alone, so that no group is
seen more often with one label; and mutants of the training texts are variants of these, too.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

from hinter_core.data.rows import Row
from hinter_core.errors import InputError
from hinter_core.generators.grammars.cases import fill, label_of, plan_of
from hinter_core.generators.grammars.grammar import Grammar
from hinter_core.generators.grammars.sampling import Sentences, Weights
from hinter_core.language.parsing import ParseStore
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.plan import Plan, Settings
from hinter_core.pipeline.case import FollowUp, TestCase, conform, follow_up_of
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import Edit

_TRIED = 50  # times as many sentences as wanted, of labels that are wanted no more
_TRIES = 20  # to draw edits that do not touch the same words
_FEWEST_SPLIT = 4  # values of a concept, so that there are two that were not seen


@dataclass(frozen=True, slots=True)
class Example:
    """A text to learn: its probabilities by label in the model's order, and a variant of it.

    ``variant``: the text about somebody else, which is to get the same answer; "" if there is none.
    """

    text: str
    targets: tuple[float, ...]
    variant: str = ""


def split_words(grammar: Mapping[str, Any], seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Divide the values of each sensitive attribute of a grammar's tree into two halves.

    Values of a concept that has fewer than four stay in both, since each half needs two.

    Raises:
        InputError: no attribute can be divided.
    """
    halves: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    divided = False
    for attribute, values in grammar["sensitive"].items():
        by_concept: dict[str, list[Any]] = {}
        for value in values:
            concept = value.get("concept", "") if isinstance(value, dict) else ""
            by_concept.setdefault(concept, []).append(value)
        for half in halves:
            half[attribute] = []
        for own in by_concept.values():
            if len(own) < _FEWEST_SPLIT:
                for half in halves:
                    half[attribute] += own
                continue
            divided = True
            mixed = Random(f"{seed} {attribute}").sample(own, len(own))
            for half, part in zip(halves, (mixed[::2], mixed[1::2]), strict=True):
                half[attribute] += [value for value in own if value in part]
    if not divided:
        raise InputError(
            f"No attribute of the grammar has {_FEWEST_SPLIT} values or more, so none can be kept "
            "for the test; add values."
        )
    seen, unseen = ({**grammar, "sensitive": half} for half in halves)
    return seen, unseen


def labels_of(grammar: Grammar, labels: Sequence[str]) -> list[str]:
    """Return the labels of a grammar that the model has; sentences with another are left out.

    Raises:
        InputError: they are fewer than two.
    """
    given = sorted(set(grammar.labels.values()))
    wanted = [label for label in given if label in labels]
    if len(wanted) < 2:
        raise InputError(
            f"The grammar {grammar.name} gives {', '.join(given) or 'no labels'}, and the model "
            f"has the labels {', '.join(labels)}; a model learns from two or more of its own. "
            "Rename them, in the grammar or with the model's setting labels=, or choose another "
            "grammar."
        )
    return wanted


def from_grammar(
    grammar: Grammar, labels: Sequence[str], number: int, weights: Weights, seed: int
) -> list[Example]:
    """Draw labelled sentences with their variants, as many of each label.

    Raises:
        InputError: see :func:`labels_of`.
    """
    wanted = labels_of(grammar, labels)
    rng, most = Random(seed), -(-number // len(wanted))
    counted: Counter[str] = Counter()
    found: list[Example] = []
    for one in islice(Sentences(grammar, weights).draw(seed), _TRIED * number):
        label = label_of(grammar, one)
        if label not in wanted or counted[label] == most:
            continue
        plan = plan_of(grammar, one, Settings(), tuple(grammar.sensitive))
        edits = drawn_edits(plan, rng)
        if edits:
            counted[label] += 1
            text = fill(one, one.values, grammar.attribute_of).text
            targets = tuple(float(name == label) for name in labels)
            found.append(Example(text, targets, plan.mutant(edits).text))
        if len(found) >= number:
            break
    return found


def drawn_edits(plan: Plan, rng: Random) -> tuple[Edit, ...]:
    """Draw one edit of each of one or more attributes; () if the text has none."""
    present = [edits for edits in plan.edits.values() if edits]
    for _ in range(_TRIES if present else 0):
        chosen = rng.sample(present, rng.randint(1, len(present)))
        edits = tuple(sorted((rng.choice(one) for one in chosen), key=lambda edit: edit.key))
        if plan.possible(edits):
            return edits
    return ()


def from_texts(
    rows: Sequence[Row],
    asked: PredictionStore,
    dictionaries: Sequence[Dictionary],
    parses: ParseStore,
    seed: int,
) -> Iterator[Example]:
    """Yield each text with its label, and a mutant that the invariant keeps if it has one.

    A text without a label that the model knows gets the model's own probabilities, so that it
    forgets nothing.
    """
    labels, rng = asked.model.capabilities.labels, Random(seed)
    pipeline = Pipeline(dictionaries, parses, [asked])
    known = {row.number: row.label for row in rows if row.label in labels}
    for row in rows:
        plan = pipeline.plan(row.text)
        edits = drawn_edits(plan, rng)
        variant = ""
        if edits:
            follow_up: FollowUp = follow_up_of(TestCase(plan), edits)
            conform([follow_up], parses)
            variant = follow_up.mutant.text if follow_up.conformance.kept else ""
        if row.number in known:
            targets = tuple(float(name == known[row.number]) for name in labels)
        else:
            answer = asked.predict([row.text])[row.text]
            if not answer.answered:
                continue
            targets = tuple(answer.scores.get(name, 0.0) for name in labels)
        yield Example(row.text, targets, variant)
