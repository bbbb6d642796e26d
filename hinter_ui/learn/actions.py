"""Judge a text of the lesson, with the words chosen, by the pipeline."""

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from hinter_core.annotation.invitation import Reached, reach
from hinter_core.errors import InputError
from hinter_core.generators.grammars.cases import GrammarTable, plan_of
from hinter_core.generators.grammars.reading import read_grammar
from hinter_core.mutation.lattice import subsets
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.case import TestResult
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.terms.dictionary import Dictionary, choose, load_file
from hinter_core.types import Edit, Outcome, Parse, Prediction, Verdict
from hinter_ui.html.trees import changed_sentences
from hinter_ui.learn.lesson import FOLDER, Journey, Scene, Step, say
from hinter_ui.shared.links import DEFAULT_PARSER
from hinter_ui.shared.services import Services

_SENTENCES = 24  # of a step's grammar

Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass(frozen=True)
class Trying:
    """Results of the pipeline for a scene with the chosen words.

    ``edits`` are in the order of the menus, and empty if no word was changed.
    """

    scene: Scene
    words: tuple[str, ...]
    check: TestResult
    edits: tuple[Edit, ...]

    @property
    def model(self) -> str:
        """The first model."""
        return self.scene.models[0]

    @property
    def original(self) -> Prediction:
        """The first model's answer to the unchanged text."""
        return self.check.originals[self.model]

    def judged(self, model: str = "") -> Outcome | None:
        """Return the mutant with all edits; None where nothing was changed."""
        return self.check.find(model or self.model, self.edits) if self.edits else None

    @property
    def changed(self) -> Outcome:
        """The mutant of a scene whose words are always changed."""
        judged = self.judged()
        assert judged is not None
        return judged

    def parts(self) -> list[Outcome]:
        """Return the mutant's parts and itself, smaller ones first."""
        outcomes = (self.check.find(self.model, part) for part in subsets(self.edits))
        return [judged for judged in outcomes if judged]

    @property
    def found(self) -> bool:
        """Whether hidden bias shows here."""
        judged = self.judged()
        return judged is not None and judged.verdict is Verdict.HIDDEN


@dataclass(frozen=True)
class WordFlips:
    """In how many sentences of a grammar a word flips the answer in place of every other word.

    ``example``: one such sentence before and after, with both answers; None if there is none.
    """

    word: str
    flips: int
    of: int
    example: tuple[Outcome, Prediction, str] | None = None


class LessonActions:
    """Run scenes through the app's parser, models and pipeline.

    Results are cached: the menus allow few combinations, and a class requests the same ones.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._probes: dict[str, tuple[Pipeline, Plan]] = {}
        self._judged: dict[tuple[str, tuple[str, ...]], Trying] = {}
        self._words: dict[str, list[WordFlips]] = {}
        self._lock = threading.Lock()

    def reached(self, journey: Journey) -> Reached:
        """Return the address of the app for others than this visitor."""
        return reach(journey.page, local=self._services.access.local)

    def plan(self, scene: Scene) -> Plan:
        """Return what can be changed in a scene's text."""
        return self._ready(scene)[1]

    def judge(self, scene: Scene, words: tuple[str, ...] = ()) -> Trying:
        """Judge the text with these words, one from each menu, or with those shown at first.

        Raises:
            InputError: a word is not on its menu.
            HinterError: the parser or a model cannot be had.
        """
        words = scene.checked(words or scene.start)
        return self._kept(self._judged, (scene.key, words), lambda: self._tried(scene, words))

    def _tried(self, scene: Scene, words: tuple[str, ...]) -> Trying:
        pipeline, plan = self._ready(scene)
        edits = tuple(
            find_edit(plan, menu.attribute, menu.source, word)
            for menu, word in zip(scene.menus, words, strict=True)
            if word != menu.source
        )
        *_, check = pipeline.run(plan, chosen=[edits] if edits else [])
        return Trying(scene, words, check, edits)

    def words_of(self, step: Step) -> list[WordFlips]:
        """Judge sentences of a step's grammar with each of its words, the worst word first.

        A word flips a sentence if it does so in place of every other word, or if every other word
        does in its place: what one word brings in, the others take away.
        """
        return self._kept(self._words, step.key, lambda: self._count(step))

    def _count(self, step: Step) -> list[WordFlips]:
        scene = step.scene
        (attribute,), model = scene.attributes, scene.models[0]
        pipeline = self._ready(scene)[0]
        grammar = read_grammar((FOLDER / step.grammar).read_text(encoding="utf-8"), step.key)
        flips, cases = Counter[str](), Counter[str]()
        examples: dict[str, tuple[Outcome, Prediction, str]] = {}
        for row in GrammarTable(grammar, _SENTENCES).rows():
            plan = plan_of(grammar, row.derivation, Settings(1), (attribute,))
            *_, check = pipeline.run(plan)
            outcomes = check.outcomes[model]
            source = row.derivation.values[attribute].title
            flipped = [one.verdict is Verdict.BIASED for one in outcomes]
            cases.update([source, *(one.mutant.edits[0].target.text for one in outcomes)])
            flips[source] += all(flipped)
            for one, flip in zip(outcomes, flipped, strict=True):
                target = one.mutant.edits[0].target.text
                if flip and not all(flipped):
                    flips[target] += 1
                    examples.setdefault(target, (one, check.originals[model], row.text))
        counted = [WordFlips(w, flips[w], of, examples.get(w)) for w, of in cases.items()]
        return sorted(counted, key=lambda one: (-one.flips, one.word))

    def parses(self, trying: Trying) -> dict[str, Parse]:
        """Parse the sentences that changed."""
        pairs = changed_sentences(trying.check, trying.changed)
        store = self._services.parses(DEFAULT_PARSER)
        return dict(store.parse(s.text for pair in pairs for s in pair))

    def _ready(self, scene: Scene) -> tuple[Pipeline, Plan]:
        return self._kept(self._probes, scene.key, lambda: self._prepared(scene))

    def _prepared(self, scene: Scene) -> tuple[Pipeline, Plan]:
        settings = Settings(scene.order, literal=scene.literal)
        pipeline = self._services.pipeline(
            self._dictionaries(scene), DEFAULT_PARSER, scene.models, settings
        )
        return pipeline, pipeline.plan(scene.text)

    def _kept(self, kept: dict[Key, Value], key: Key, make: Callable[[], Value]) -> Value:
        """Return what is kept under a key, made without the lock if need be; the first counts."""
        with self._lock:
            there = kept.get(key)
        if there is None:
            made = make()
            with self._lock:
                there = kept.setdefault(key, made)
        return there

    def _dictionaries(self, scene: Scene) -> list[Dictionary]:
        if scene.dictionary:
            return [load_file(FOLDER / scene.dictionary, attribute=scene.attributes[0])]
        return choose(scene.attributes, self._services.dictionaries())


def find_edit(plan: Plan, attribute: str, source: str, target: str) -> Edit:
    """Return the edit that turns one word of a text into another.

    Raises:
        InputError: the text offers none.
    """
    for edit in plan.edits.get(attribute, ()):
        if (edit.source.text, edit.target.text) == (source, target):
            return edit
    raise InputError(say("errors.edit", source=source, target=target))
