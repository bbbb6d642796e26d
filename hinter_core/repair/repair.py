"""Repair a classifier: find what is unfair, learn from balanced cases, measure what changed.

Source: Astraea, section 5 and RQ5. Nothing that is measured was learnt from: the words of the
grammar are divided in two, the texts in training and test, and other grammars are measured, too.
Texts with words that are kept for the test are not learnt from. Where these are most of the texts,
they are, and the figures say so.
"""

import csv
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from shutil import rmtree
from typing import Any, TypeVar

from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.settings import CAMPAIGN_ATTRIBUTES, SAMPLE
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.data.rows import Row
from hinter_core.errors import HinterError, InputError
from hinter_core.generators.grammars.checking import require_sound
from hinter_core.generators.grammars.reading import load_grammar
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.models.base import CLASSIFICATION, ModelUnderTest
from hinter_core.models.huggingface.checkpoint import Checkpoint, HasCheckpoint
from hinter_core.models.registry import load_model
from hinter_core.models.store import PredictionStore
from hinter_core.options import Option, listed_names, options_of, setting
from hinter_core.repair.card import licence_in, write_card
from hinter_core.repair.examples import (
    Example,
    Variants,
    divided_in,
    from_grammar,
    from_texts,
    halves_of,
    labels_of,
    words_of,
)
from hinter_core.repair.figures import (
    KEPT_WORDS,
    UNSEEN_WORDS,
    Learnt,
    Measured,
    RepairResult,
    accuracy_of,
    errors_in,
    measured_in,
)
from hinter_core.repair.progress import Notes, Stage, write_figures
from hinter_core.repair.texts import folded, matcher, split_rows, usable_rows, without_kept
from hinter_core.repair.training import Recipe, Training
from hinter_core.report.metrics.diagnosis import diagnose, weights_of
from hinter_core.storage import write_text, write_whole
from hinter_core.terms.dictionary import choose, load_shipped

_PARSES = 2_000_000  # characters of sentences whose parses are kept
_VARIANTS = 5  # of a text at most
_MOST = 0.75  # of the sentences wanted, that there are beside those of the test
_SETTINGS = "repair.json"
_NAME = re.compile(r"(?!diagnosis$|grammars$|measured$|training$)[A-Za-z0-9][\w-]*", re.ASCII)


@dataclass(frozen=True)
class Repair:
    """What to repair, with what."""

    model: str = setting("embedded", "Classifier to repair: embedded, or hf:ORG/NAME.")
    grammar: str = setting(
        "feelings", "Grammar that gives the cases to learn from: its name, or a YAML file."
    )
    data: str = setting(
        SAMPLE, "Texts that keep the model what it is: a file with a column label, or sample. Of a "
        "text without a label, the model's own answer counts."
    )  # fmt: skip
    unseen: str = setting(
        "", "Grammars to measure that are not learnt from, with commas; by default none."
    )
    attributes: str = setting(
        ",".join(CAMPAIGN_ATTRIBUTES), "Attributes changed in the texts, with commas."
    )
    texts: int = setting(
        2_000,
        "Maximum number of texts to learn from.",
        label="Maximum texts",
        low=40,
        high=1_000_000,
    )
    share: float = setting(
        0.1, "Sentences of the grammar to learn from, as a share of the texts.", low=0.001, high=1.0
    )
    top: int = setting(
        0,
        "Draw the sentences from this number of the words that change the answer most often; 0: "
        "from all words, by how often they change it.",
        label="Topmost words",
        low=0,
        high=10_000,
        advanced=True,
    )
    sentences: int = setting(
        200,
        "Sentences of each grammar, and texts, to measure.",
        label="Sentences and texts to measure",
        low=10,
        high=100_000,
        advanced=True,
    )
    epochs: int = setting(3, "Times that each text is learnt from.", low=1, high=100)
    rate: float = setting(
        1e-4, "Learning rate.", label="Learning rate", low=1e-7, high=1.0, advanced=True
    )
    pairing: float = setting(
        1.0, "Weight of equal answers to a text and its variant, beside right ones.",
        label="Weight of equal answers", low=0.0, high=100.0, advanced=True,
    )  # fmt: skip
    seed: int = setting(0, "Seed of all that is drawn.", low=0, high=2**31 - 1, advanced=True)
    name: str = setting(
        "model", "Name of the repaired model: its folder in the directory.", advanced=True
    )


REPAIR_OPTIONS: dict[str, Option] = options_of(Repair)


OnStage = Callable[[Stage], None]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Material:
    """What a repair is made of.

    ``seen`` and ``unseen``: files of the grammar with either half of its words, of which ``kept``
    finds those of the second half alone. ``divided``: attributes whose words differ. ``rows``: all
    texts; ``repeats``: how many were left out. ``train``: texts to learn from, of which
    ``held_out`` were left out for words of the test.
    """

    seen: Path
    unseen: Path
    kept: re.Pattern[str]
    divided: tuple[str, ...]
    rows: Sequence[Row]
    repeats: int
    train: Sequence[Row]
    held_out: int
    test: Sequence[Row]


class _Cancelled(Exception):  # noqa: N818 -- no error
    """The run is to stop; what was done is kept."""


class RepairRun:
    """A repair in a folder, where every stage leaves its files; a second run continues.

    ``trains``: False to write the examples alone, of any classifier.
    """

    def __init__(self, repair: Repair, folder: Path, *, trains: bool = True) -> None:
        self._repair, self._folder = repair, folder
        if not _NAME.fullmatch(repair.name):
            raise InputError(f"--name takes letters, digits, - and _, not '{repair.name}'.")
        self._model = load_model(repair.model, trusted=True)
        self._checkpoint = _checkpoint_of(self._model) if trains else None
        if not trains:
            _require_labels(self._model)
        self._asked = PredictionStore(self._model)
        self._open()

    @property
    def repaired(self) -> str:
        """Name of the repaired model."""
        return f"hf:{self._folder / self._repair.name}"

    def run(
        self, on_stage: OnStage = lambda _: None, cancelled: Callable[[], bool] = lambda: False
    ) -> RepairResult | None:
        """Do what is left; None if ``cancelled``.

        Raises:
            InputError: the model cannot be trained, or grammar or data do not fit it.
        """
        return self._guarded(self._run, on_stage, cancelled)

    def write_examples(
        self, on_stage: OnStage = lambda _: None, cancelled: Callable[[], bool] = lambda: False
    ) -> tuple[Path, Learnt] | None:
        """Write the texts to learn from and their variants with their labels; None if cancelled.

        The file has the columns text and label. It is for training that is done elsewhere.
        """
        return self._guarded(self._written, on_stage, cancelled)

    def _guarded(
        self, work: Callable[[], Result], on_stage: OnStage, cancelled: Callable[[], bool]
    ) -> Result | None:
        notes = Notes(self._folder)

        def note(stage: Stage) -> None:
            notes.note(stage)
            on_stage(stage)

        self._note, self._cancelled = note, cancelled
        try:
            return work()
        except _Cancelled:
            return None
        except HinterError:
            if [path.name for path in self._folder.iterdir()] == [_SETTINGS]:
                rmtree(self._folder)  # nothing was made yet, and its name is free again
            raise

    def _go_on(self) -> None:
        if self._cancelled():
            raise _Cancelled

    def _run(self) -> RepairResult:
        material = self._material()
        examples, learnt = self._learnt(material)
        self._train(examples)
        texts = {folded(text) for one in examples for text in (one.text, *one.variants)}
        # Examples of an earlier version may have texts of the test.
        test = [row for row in material.test if folded(row.text) not in texts]
        measured = []
        sets = self._sets(material, learnt, test)
        for number, (name, settings) in enumerate(sets.items()):
            self._note(Stage("measurement", number, len(sets)))
            measured.append(self._measured(name, settings))
        both = self._model, load_model(self.repaired, trusted=True)
        accuracy, change = accuracy_of(test, both)
        result = RepairResult(self.repaired, learnt, accuracy, measured, change)
        assert self._checkpoint is not None
        licence = licence_in(Path(self._checkpoint.model.config.name_or_path))
        write_card(self._folder / self._repair.name, asdict(self._repair), result, licence)
        write_figures(self._folder, result)
        return result

    def _learnt(self, material: Material) -> tuple[list[Example], Learnt]:
        self._note(Stage("diagnosis"))
        weights, (errors, mutants), tested = self._diagnosed(material.seen)
        examples = self._examples(material, weights, tested)
        texts = {folded(one.text) for one in examples}
        known = sum(folded(row.text) in texts for row in material.rows)
        return examples, Learnt(
            texts=known,
            sentences=len(examples) - known,
            variants=sum(len(one.variants) for one in examples),
            repeats=material.repeats,
            held_out=material.held_out,
            with_kept=sum(
                any(map(material.kept.search, (one.text, *one.variants))) for one in examples
            ),
            errors=errors,
            mutants=mutants,
            in_test=sum(
                folded(text) in tested for one in examples for text in (one.text, *one.variants)
            ),
        )

    def _written(self) -> tuple[Path, Learnt]:
        path = self._folder / "examples.csv"
        examples, learnt = self._learnt(self._material())
        labels = self._labels(examples)
        with write_whole(path) as part, part.open("w", encoding="utf-8", newline="") as stream:
            lines = csv.writer(stream)
            lines.writerow(("text", "label"))
            for one, label in zip(examples, labels, strict=True):
                lines.writerows((text, label) for text in (one.text, *one.variants) if label)
        return path, replace(learnt, unanswered=labels.count(""))

    def _labels(self, examples: Sequence[Example]) -> list[str]:
        """Return the label of each example, or the model's answer to it; "" without an answer."""
        names = self._model.capabilities.labels
        given = [names[one.targets.index(1.0)] if 1.0 in one.targets else "" for one in examples]
        left = (one.text for one, label in zip(examples, given, strict=True) if not label)
        own = {
            text: "".join(answer.labels[:1]) for text, answer in self._asked.predict(left).items()
        }
        return [label or own[one.text] for one, label in zip(examples, given, strict=True)]

    def _open(self) -> None:
        path, settings = self._folder / _SETTINGS, asdict(self._repair)
        if path.exists():
            # A setting that a repair from before does not name has its default.
            if asdict(Repair()) | json.loads(path.read_text(encoding="utf-8")) != settings:
                raise InputError(
                    f"{self._folder} holds another repair; name another directory, or repeat its "
                    f"settings (see {_SETTINGS} there)."
                )
            return
        if self._folder.is_dir() and any(self._folder.iterdir()):
            raise InputError(f"{self._folder} is not empty and no repair; name a new directory.")
        require_sound(load_grammar(self._repair.grammar), self._repair.grammar)
        self._folder.mkdir(parents=True, exist_ok=True)
        write_text(path, json.dumps(settings, indent=1))

    def _material(self) -> Material:
        """Read the texts, and divide them and the words of the grammar."""
        repair = self._repair
        rows, repeats = usable_rows(repair.data, self._model.capabilities.labels)
        seen, unseen = self._grammars()
        halves = [load_grammar(str(path)) for path in (seen, unseen)]
        kept = matcher(words_of(halves[1]) - words_of(halves[0]))
        drawn, test = split_rows(rows, repair.texts, repair.seed)
        train = without_kept(drawn, kept)
        held_out = len(drawn) - len(train)
        divided = divided_in(*halves)
        return Material(seen, unseen, kept, divided, rows, repeats, train, held_out, test)

    def _grammars(self) -> tuple[Path, Path]:
        """Write the grammar with each half of the values of its attributes."""
        import yaml

        folder, grammars = self._folder / "grammars", []
        labels_of(load_grammar(self._repair.grammar), self._model.capabilities.labels)
        halves = halves_of(self._repair.grammar, self._repair.seed)
        folder.mkdir(exist_ok=True)
        for name, half in zip(("seen", "unseen"), halves, strict=True):
            path = folder / f"{name}.yaml"
            write_text(path, yaml.safe_dump(half, sort_keys=False))
            grammars.append(path)
        return grammars[0], grammars[1]

    def _tested(self, folder: str, **settings: Any) -> CampaignStore:
        """Run a campaign in a folder of the repair."""
        store = CampaignStore(self._folder / folder)
        campaign = Campaign(limit=20, seed=self._repair.seed, **settings)
        run_campaign(campaign, store, cancelled=self._cancelled)
        self._go_on()
        return store

    def _diagnosed(
        self, grammar: Path
    ) -> tuple[Mapping[str, Mapping[str, float]], tuple[int, int], frozenset[str]]:
        """Test the model with words that it learns from.

        Return how often each word changes its answer; errors and mutants; and the texts, folded.
        They are measured after the training, too.
        """
        repair = self._repair
        store = self._tested(
            "diagnosis", grammar=str(grammar), sentences=repair.sentences, models=(repair.model,)
        )
        with CampaignReader(store) as reader:
            weights = weights_of(diagnose(reader, repair.model), smooth=1)
            both = ((one.text, one.mutant) for one in reader.records())
            texts = frozenset(map(folded, chain.from_iterable(both)))
        found = errors_in(store)[repair.model].all
        return topmost(weights, repair.top) if repair.top else weights, found, texts

    def _examples(
        self,
        material: Material,
        weights: Mapping[str, Mapping[str, float]],
        tested: frozenset[str],
    ) -> list[Example]:
        """Return the examples, from their file if it is there.

        ``tested``: folded texts of the grammar that are not learnt from if there are others enough.
        """
        path = self._folder / "examples.jsonl"
        if path.exists():
            lines = path.read_text(encoding="utf-8").splitlines()
            return [_example(json.loads(line)) for line in lines]
        repair, known = self._repair, load_shipped()
        rows = material.train
        number = max(2, round(repair.share * len(rows)))
        of_texts = frozenset(folded(row.text) for row in material.test)
        variants = Variants(min(repair.epochs, _VARIANTS), material.kept, of_texts)
        grammar, examples = load_grammar(str(material.seen)), list[Example]()
        for without in (of_texts | tested, of_texts):
            if len(examples) < _MOST * number:
                examples = from_grammar(
                    grammar, self._asked, number, weights, repair.seed,
                    replace(variants, tested=without), known,
                )  # fmt: skip
        parses = ParseStore(load_parser(), _PARSES)
        words = choose(listed_names(repair.attributes), known)
        drawn = from_texts(rows, self._asked, words, parses, repair.seed, variants)
        for done, example in enumerate(drawn):
            self._go_on()
            self._note(Stage("examples", done, len(rows)))
            examples.append(example)
        with write_whole(path) as part, part.open("w", encoding="utf-8") as stream:
            for example in examples:
                stream.write(json.dumps(asdict(example), ensure_ascii=False) + "\n")
        return examples

    def _train(self, examples: Sequence[Example]) -> None:
        repair = self._repair
        folder = self._folder / repair.name
        assert self._checkpoint is not None
        if (folder / "config.json").exists():
            return
        recipe = Recipe(
            epochs=repair.epochs, rate=repair.rate, pairing=repair.pairing, seed=repair.seed
        )
        training = Training(self._checkpoint, examples, recipe, self._folder / "training")
        if not training.run(
            lambda done, _: self._note(Stage("training", done, training.steps)), self._cancelled
        ):
            raise _Cancelled
        labels = dict(enumerate(self._model.capabilities.labels))
        training.model.config.id2label = labels
        training.model.config.label2id = {name: number for number, name in labels.items()}
        self._checkpoint.tokenizer.save_pretrained(folder)
        training.model.save_pretrained(folder)

    def _sets(
        self, material: Material, learnt: Learnt, test: Sequence[Row]
    ) -> dict[str, dict[str, Any]]:
        """Return the settings of each test by its name."""
        others = KEPT_WORDS if learnt.with_kept else UNSEEN_WORDS
        grammars = {
            "seen words": (str(material.seen), {}),
            # Words of other attributes are not kept for the test, so they are not changed in it.
            others: (str(material.unseen), {"attributes": material.divided}),
            **{f"grammar {Path(name).stem}": (name, {})
               for name in listed_names(self._repair.unseen)},
        }  # fmt: skip
        sets: dict[str, dict[str, Any]] = {
            name: {"grammar": grammar, "sentences": self._repair.sentences, **more}
            for name, (grammar, more) in grammars.items()
        }
        names = listed_names(self._repair.attributes)
        return sets | {"texts": {"data": str(self._test_file(test)), "attributes": names}}

    def _measured(self, name: str, settings: Mapping[str, Any]) -> Measured:
        models = (self._repair.model, self.repaired)
        # Earlier versions changed all attributes in the test of the words that were kept for it.
        folder = f"{name} alone" if name in (KEPT_WORDS, UNSEEN_WORDS) else name
        store = self._tested(f"measured/{folder.replace(' ', '-')}", models=models, **settings)
        return measured_in(name, store, models)

    def _test_file(self, test: Sequence[Row]) -> Path:
        path = self._folder / "test.jsonl"
        if not path.exists():
            rows = ({"id": row.id, "text": row.text} for row in test[: self._repair.sentences])
            write_text(path, "".join(f"{json.dumps(row)}\n" for row in rows))
        return path


def topmost(weights: Mapping[str, Mapping[str, float]], number: int) -> dict[str, dict[str, float]]:
    """Keep the words of the highest weights over all lists; a list without one is left to chance.

    Source: Astraea, RQ4 (the five or ten topmost error-inducing tokens).
    """
    every = (
        (weight, name, word)
        for name, by_word in weights.items()
        for word, weight in by_word.items()
    )
    top: dict[str, dict[str, float]] = {}
    for weight, name, word in sorted(every, key=lambda one: (-one[0], one[1:]))[:number]:
        top.setdefault(name, {})[word] = weight
    return top


def _example(record: Mapping[str, Any]) -> Example:
    """Read an example; those written before a text had several variants have one or none."""
    variants = record["variants"] if "variants" in record else [record["variant"]]
    return Example(record["text"], tuple(record["targets"]), tuple(filter(None, variants)))


def _require_labels(model: ModelUnderTest) -> None:
    able = model.capabilities
    if able.task != CLASSIFICATION or able.multi_label or len(able.labels) < 2:
        raise InputError(
            f"{model.name} has no labels of which a text has one; name a classifier, with its "
            "labels if it does not say them: python:MODULE:FUNCTION?labels=NAME,NAME."
        )


def _checkpoint_of(model: ModelUnderTest) -> Checkpoint:
    able = model.capabilities
    if not isinstance(model, HasCheckpoint) or able.task != CLASSIFICATION or able.multi_label:
        raise InputError(
            f"{model.name} cannot be trained here; name embedded, or a Hugging Face classifier "
            "with one label a text: hf:ORG/NAME or hf:FOLDER. For training elsewhere, "
            "hinter repair --examples-only writes the texts."
        )
    if hasattr(model.checkpoint.model, "body"):
        raise InputError(f"{model.name} is hierarchical, which cannot be trained here.")
    return model.checkpoint
