"""What a repaired model learns from: sentences of a grammar, and texts with their mutants.

Source: Astraea, section 5 (retraining): labelled sentences of a grammar are added to the training
data. Each comes with a variant that has other values of the sensitive attributes and the same
label. Departures: values are balanced and not drawn by their error rate alone, so that no group is
seen more often with one label; mutants of the training texts are variants of these, too; and the
variants have words of the dictionaries besides those of the grammar, so that a model learns that
the place does not matter rather than that ten words do not.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from typing import Any

from hinter_core.data.rows import Row
from hinter_core.errors import InputError
from hinter_core.generators.grammars.cases import fill, label_of, plan_of
from hinter_core.generators.grammars.grammar import Grammar, Value
from hinter_core.generators.grammars.reading import grammar_file
from hinter_core.generators.grammars.sampling import Sentences, Weights
from hinter_core.language.parsing import ParseStore
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.case import FollowUp, TestCase, conform, follow_up_of
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.repair.texts import folded, matcher
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import Edit, GrammaticalForm

_NOTHING = matcher(())
_TRIED = 50  # times as many sentences as wanted, of labels that are wanted no more
_TRIES = 20  # to draw edits that do not touch the same words
Edits = tuple[Edit, ...]

_FEWEST_SPLIT = 4  # values of a concept, so that there are two that were not seen


@dataclass(frozen=True, slots=True)
class Example:
    """A text to learn: its probabilities by label in the model's order, and variants of it.

    ``variants``: the text about others, which is to get the same answer.
    """

    text: str
    targets: tuple[float, ...]
    variants: tuple[str, ...] = ()


@dataclass(frozen=True)
class Variants:
    """How variants of a text are drawn: how many, and what is kept for the test.

    ``kept`` finds words that no variant gets. ``tested``: folded texts that no variant equals.
    """

    number: int = 1
    kept: re.Pattern[str] = _NOTHING
    tested: frozenset[str] = frozenset()

    def of(
        self, plan: Plan, rng: Random, keeps: Callable[[Plan, Edits], bool] = lambda _, __: True
    ) -> tuple[str, ...]:
        """Return different variants of a text that ``keeps`` accepts, perhaps fewer or none."""
        variants: dict[str, None] = {}
        for _ in range(self.number):
            edits = drawn_edits(plan, rng)
            if any(self.kept.search(edit.change.target.text) for edit in edits):
                continue
            if edits and keeps(plan, edits):
                text = plan.mutant(edits).text
                if folded(text) not in self.tested:
                    variants[text] = None
        return tuple(variants)


def split_words(grammar: Mapping[str, Any], seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Divide the values of each sensitive attribute of a grammar's tree into two halves.

    A concept with fewer than four values is not divided, since each half needs two. It stays in
    both halves if no other of its attribute is divided, and in the first one otherwise.

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
        large = any(len(alike) >= _FEWEST_SPLIT for alike in by_concept.values())
        divided |= large
        for alike in by_concept.values():
            if len(alike) < _FEWEST_SPLIT:
                for half in halves[: 1 if large else 2]:
                    half[attribute] += alike
                continue
            mixed = Random(f"{seed} {attribute}").sample(alike, len(alike))
            for half, part in zip(halves, (mixed[::2], mixed[1::2]), strict=True):
                half[attribute] += [value for value in alike if value in part]
    if not divided:
        raise InputError(
            f"No attribute of the grammar has {_FEWEST_SPLIT} values or more, so none can be kept "
            "for the test; add values."
        )
    seen, unseen = ({**grammar, "sensitive": half} for half in halves)
    return seen, unseen


def halves_of(grammar: str, seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read a grammar, by name or file, and divide its words (:func:`split_words`)."""
    import yaml

    return split_words(yaml.safe_load(grammar_file(grammar).read_text(encoding="utf-8")), seed)


def divided_in(seen: Grammar, unseen: Grammar) -> tuple[str, ...]:
    """Return the attributes whose values are not the same in both halves of a grammar."""
    return tuple(
        name for name, values in seen.sensitive.items() if values != unseen.sensitive[name]
    )


def words_of(grammar: Grammar) -> frozenset[str]:
    """Return the words of the sensitive values, in lower case."""
    return frozenset(
        word.lower()
        for values in grammar.sensitive.values()
        for value in values
        for word in value.words.values()
    )


def widened(
    grammar: Grammar, dictionaries: Mapping[str, Dictionary], kept: re.Pattern[str]
) -> Grammar:
    """Add the terms of an attribute's dictionary that have the form of the grammar's values.

    Values of several words that change together stay alone. What ``kept`` finds is left out.
    """
    sensitive = dict(grammar.sensitive)
    for attribute, values in sensitive.items():
        known = dictionaries.get(attribute)
        if known is None or any(len(value.words) > 1 for value in values):
            continue
        forms: dict[str, set[GrammaticalForm]] = {}
        for term in known.terms:
            forms.setdefault(term.text.lower(), set()).add(term.form)
        titles = {value.title.lower() for value in values}
        form_sets = [forms[word] for word in titles if word in forms]
        common = set.intersection(*form_sets) if form_sets else set()
        more = {
            term.text.lower(): Value(term.group, {values[0].name: term.text})
            for term in known.terms
            if common and common <= forms[term.text.lower()]
        }
        added = [
            value for word, value in more.items() if word not in titles and not kept.search(word)
        ]
        concepts = dict.fromkeys(value.concept for value in values)
        sensitive[attribute] = (
            *values,
            *(replace(value, concept=concept) for value in added for concept in concepts),
        )
    return replace(grammar, sensitive=sensitive)


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
    grammar: Grammar,
    store: PredictionStore,
    number: int,
    weights: Weights,
    seed: int,
    variants: Variants,
    dictionaries: Mapping[str, Dictionary],
) -> list[Example]:
    """Draw labelled sentences with their variants, as many of each label.

    The variants have words of the ``dictionaries``, too (see :func:`widened`). A sentence whose
    label the model does not have gets the model's own answers to it and to its variants, averaged:
    what is to be learnt there is to answer them alike.

    Raises:
        InputError: see :func:`labels_of`.
    """
    labels = store.model.capabilities.labels
    labels_of(grammar, labels)
    wide = widened(grammar, dictionaries, variants.kept)
    rng, most = Random(seed), -(-number // len(set(grammar.labels.values())))
    counted: Counter[str] = Counter()
    examples: list[Example] = []
    for one in islice(Sentences(grammar, weights).draw(seed), _TRIED * number):
        label = label_of(grammar, one)
        if not label or counted[label] == most:
            continue
        plan = plan_of(wide, one, Settings(), tuple(grammar.sensitive))
        drawn = variants.of(plan, rng)
        text = fill(one, one.values, grammar.attribute_of).text
        if drawn and folded(text) not in variants.tested:
            targets = tuple(float(name == label) for name in labels)
            if label not in labels:
                targets = _own([text, *drawn], store)
            if targets:
                counted[label] += 1
                examples.append(Example(text, targets, drawn))
        if len(examples) >= number:
            break
    return examples


def _own(texts: Sequence[str], store: PredictionStore) -> tuple[float, ...]:
    """Return the mean of a model's probabilities for these texts; () if it answers none.

    An answer without scores is certain.
    """
    labels = store.model.capabilities.labels
    answers = [one for one in store.predict(texts).values() if one.answered]
    scores = [one.scores or dict.fromkeys(one.labels, 1.0) for one in answers]
    each = [[of_text.get(name, 0.0) for name in labels] for of_text in scores]
    return tuple(sum(column) / len(each) for column in zip(*each, strict=True))


def drawn_edits(plan: Plan, rng: Random) -> tuple[Edit, ...]:
    """Draw one edit of each of one or more attributes; () if the text has none."""
    present = [edits for edits in plan.edits.values() if edits]
    for _ in range(_TRIES if present else 0):
        chosen = rng.sample(present, rng.randint(1, len(present)))
        edits = tuple(sorted((rng.choice(one) for one in chosen), key=lambda edit: edit.key))
        if plan.combines(edits):
            return edits
    return ()


def from_texts(
    rows: Sequence[Row],
    store: PredictionStore,
    dictionaries: Sequence[Dictionary],
    parses: ParseStore,
    seed: int,
    variants: Variants,
) -> Iterator[Example]:
    """Yield each text with its label, and mutants that the invariant keeps if it has any.

    A text without a label that the model knows gets the model's own probabilities, so that it
    forgets nothing.
    """

    def kept(plan: Plan, edits: Edits) -> bool:
        follow_up: FollowUp = follow_up_of(TestCase(plan), edits)
        conform([follow_up], parses)
        return follow_up.conformance.kept

    labels, rng = store.model.capabilities.labels, Random(seed)
    pipeline = Pipeline(dictionaries, parses, [store])
    known = {row.number: row.label for row in rows if row.label in labels}
    for row in rows:
        drawn = variants.of(pipeline.plan(row.text), rng, kept)
        if row.number in known:
            targets = tuple(float(name == known[row.number]) for name in labels)
        else:
            targets = _own([row.text], store)
            if not targets:
                continue
        yield Example(row.text, targets, drawn)
