"""The types that all rooms share: terms, edits, mutants, parses, predictions, verdicts.

Immutable, standard library only. Offsets are half-open spans of characters on the source text.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import ClassVar, NamedTuple

Span = tuple[int, int]
SUBSTITUTE = "substitute"  # the relation of most changes: words of equal form exchanged
MASKED_PLACE = "[MASK]"  # where a text lacks a word; each model has its own token for it


class GrammaticalForm(StrEnum):
    """Grammatical form of a term; terms are exchanged only within one form.

    ``COLLECTIVE``: a word for people after "the", be it a plural noun or not (*the Danes*, *the
    French*, *the poor*).
    """

    ANY = "any"
    ADJECTIVE = "adj"
    COMPARATIVE = "adj-comp"
    SUPERLATIVE = "adj-sup"
    NOUN_SG = "noun-sg"
    NOUN_PL = "noun-pl"
    COLLECTIVE = "collective"
    PRONOUN_SUBJECT = "pron-subj"
    PRONOUN_OBJECT = "pron-obj"
    PRONOUN_POSSESSIVE = "pron-poss"
    PRONOUN_POSSESSIVE_ABSOLUTE = "pron-poss-abs"
    PRONOUN_REFLEXIVE = "pron-refl"
    TITLE = "title"
    NAME = "name"
    VERB = "verb"
    ADVERB = "adv"
    PREP_PHRASE = "prep-phrase"

    @property
    def is_pronoun(self) -> bool:
        """Whether it is a form of pronouns."""
        return self.startswith("pron-")


class Sense(StrEnum):
    """Whether a term always means a person, or only if the parse shows it."""

    PERSON = "person"
    ASK = "ask"


@dataclass(frozen=True, slots=True)
class Term:
    """A dictionary entry; ``source_only``: it is changed in a text and never put into one."""

    text: str
    group: str
    form: GrammaticalForm = GrammaticalForm.ANY
    concept: str = ""
    sense: Sense = Sense.PERSON
    source_only: bool = False


class EditKind(StrEnum):
    """What an edit does to the words of a text."""

    SUBSTITUTE = "substitute"
    INSERT = "insert"
    DELETE = "delete"
    MOVE = "move"
    REWRITE = "rewrite"


@dataclass(frozen=True, slots=True)
class Pair:
    """A directed replacement: source term, target term and their groups, within one attribute."""

    kind: ClassVar[EditKind] = EditKind.SUBSTITUTE
    texts: ClassVar[tuple[str, ...]] = ()
    relation: ClassVar[str] = SUBSTITUTE

    attribute: str
    source: Term
    target: Term


@dataclass(frozen=True, slots=True)
class Change:
    """A change other than one pair: words inserted, deleted, moved, rewritten; or several pairs.

    ``source`` and ``target``: the words removed and added, with their groups; their text is "" if
    there are none. ``texts``: the new text at each span of the edit, blanks included; empty if a
    person wrote the mutant. A ``substitute`` exchanges words for others of the same forms.

    ``joint``: by the target of another change of the same places, the ``texts`` of both together: a
    name says gender and origin at once. ``relation``: the relation that the change belongs to.
    """

    kind: EditKind
    attribute: str
    source: Term
    target: Term
    texts: tuple[str, ...] = ()
    joint: tuple[tuple[str, tuple[str, ...]], ...] = field(default=(), compare=False)
    relation: str = SUBSTITUTE


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A term of one attribute in a text.

    ``terms``: the possible readings of the surface (``her`` is object or possessive); after the
    check of sense and form against the parse, the valid readings.
    """

    attribute: str
    span: Span
    surface: str
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class RejectedOccurrence:
    """An occurrence that is not used, with a reason that a visitor understands."""

    occurrence: Occurrence
    reason: str

    @property
    def in_words(self) -> str:
        """The reason, with the words that it is about."""
        named, first = self.occurrence.surface, self.reason.partition("\u201d")[0]
        said = f"\u201c{named}\u201d" in self.reason or (first[:1] == "\u201c" and named in first)
        return self.reason if said else f"\u201c{named}\u201d {self.reason}"


@dataclass(frozen=True, slots=True)
class Edit:
    """A change at all of its ``spans`` in one text.

    The span of an insertion is empty; a move has one span for the old place and one for the new.
    """

    change: Pair | Change
    spans: tuple[Span, ...]

    @property
    def attribute(self) -> str:
        """The sensitive attribute that is changed."""
        return self.change.attribute

    @property
    def source(self) -> Term:
        """The words that are removed; their text is "" for an insertion."""
        return self.change.source

    @property
    def target(self) -> Term:
        """The words that are added; their text is "" for a deletion."""
        return self.change.target

    @property
    def in_words(self) -> str:
        """``black → white``, or ``nothing → not`` for an insertion."""
        return f"{self.source.text or 'nothing'} \u2192 {self.target.text or 'nothing'}"

    @property
    def key(self) -> tuple[str, str, str, str, tuple[Span, ...], str, tuple[str, ...]]:
        """A sortable identity."""
        source, target, change = self.source, self.target, self.change
        what = (self.attribute, source.text, target.text, source.form)
        return (*what, self.spans, change.kind, change.texts)


@dataclass(frozen=True, slots=True)
class RejectedEdit:
    """An edit that is not made, as it would leave a text that contradicts itself."""

    edit: Edit
    reason: str

    @property
    def in_words(self) -> str:
        """The reason, with the change that it is about."""
        return f"{self.edit.in_words} is not made: {self.reason}"


@dataclass(frozen=True, slots=True)
class Splice:
    """One replacement of ``source[start:end]`` by ``new``.

    ``at``: offset of ``new`` in the mutant. ``attribute``: "" for an adapted article (a, an).
    """

    start: int
    end: int
    old: str
    new: str
    at: int
    attribute: str = ""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A source text with a set of edits applied at once.

    Equality is by edits; ``order`` is their number: 1 is atomic, 2 and more intersectional.
    """

    edits: tuple[Edit, ...]
    text: str = field(compare=False)
    splices: tuple[Splice, ...] = field(compare=False)

    @property
    def order(self) -> int:
        """Number of edits (1: atomic, >= 2: intersectional)."""
        return len(self.edits)


@dataclass(frozen=True, slots=True)
class Parse:
    """The parse of one sentence; all tuples have one item per token.

    ``tags``: Penn Treebank tags. ``heads``: indices of head tokens (a root is its own head).
    ``spans``: character offsets within the sentence. ``entities``: entity types or ``""``; empty if
    they were not requested.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    labels: tuple[str, ...]
    heads: tuple[int, ...]
    spans: tuple[Span, ...]
    entities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and its place in its text; ``text`` is the slice, without outer blanks."""

    text: str
    start: int
    end: int


class MentionKind(StrEnum):
    """The words of a mention: a name, a noun phrase, or a pronoun."""

    NAME = "name"
    NOUN = "noun"
    PRONOUN = "pronoun"


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of a text that stand for a person or thing.

    ``span``: the whole phrase, "the actress Jane Doe". ``head``: its head word, of a name all words
    of the name without titles: "Jane Doe".
    """

    span: Span
    head: Span
    kind: MentionKind


@dataclass(frozen=True, slots=True)
class Entity:
    """A person, several people or a thing, with all mentions in the order of the text.

    ``person``: people, also several. ``gender``: ``female``, ``male``, ``mixed`` if the words of
    its mentions contradict each other, "" if none tells. ``guessed``: only pronouns tell it, and
    they may mean somebody else.
    """

    mentions: tuple[Mention, ...]
    person: bool
    gender: str
    plural: bool
    guessed: bool = False


def link(mentions: Iterable[str]) -> str:
    """Return the last words of mentions of one person or thing, each once: ``farmer = he``."""
    return " = ".join(dict.fromkeys(words.split()[-1].lower() for words in mentions))


class OriginKind(StrEnum):
    """Where the source text of a test case comes from."""

    ROW = "row"
    TEMPLATE = "template"
    GRAMMAR = "grammar"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a source text comes from; ``name``: of the template or of the grammar's rule."""

    kind: OriginKind = OriginKind.ROW
    name: str = ""


ROW = Origin()  # of nearly all texts


@dataclass(frozen=True, slots=True)
class Slot:
    """A filled slot of a template or grammar, with its span in the source text."""

    name: str
    span: Span


class Layer(StrEnum):
    """The layer of the invariant that a mutant broke (Algorithm 3, lines 6, 16 and 20).

    Three are HInter's own. ``WORDING``: words that do not go together, such as *mum and mum*.
    ``SOFT``: words elsewhere in the text that contradict the change. ``VALIDITY``: a validity score
    below the one that is asked for.
    """

    SENTENCES = "sentence count"
    POS = "part of speech"
    DEPENDENCY = "dependency relation"
    WORDING = "wording"
    SOFT = "soft"
    VALIDITY = "validity score"


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Tokens (indices) that differ in one layer; -1 where one side has no token there."""

    layer: Layer
    source_index: int
    mutant_index: int
    source_value: str
    mutant_value: str


@dataclass(frozen=True, slots=True)
class Conformance:
    """Answer of the invariant: kept, or discarded with sentence, layer and positions.

    ``sentence``: index of the first sentence that differs (-1 if kept, or if the sentence counts
    differ). ``layer``: the first layer that differs. ``mismatches``: the differing tokens of that
    sentence in both layers.
    """

    kept: bool
    layer: Layer | None = None
    sentence: int = -1
    mismatches: tuple[Mismatch, ...] = ()
    reason: str = ""

    @property
    def by_invariant(self) -> bool:
        """Whether the invariant keeps it, be it soft, and whatever its validity score."""
        return self.kept or self.layer in (Layer.SOFT, Layer.VALIDITY)


KEPT = Conformance(True)


class Failure(StrEnum):
    """Why a model gave no usable answer."""

    REFUSED = "refused"
    UNPARSABLE = "unparsable"
    TIMED_OUT = "timed out"
    TOO_LONG = "too long"
    ERROR = "error"
    OVER_BUDGET = "over budget"
    NOT_ASKED = "not asked"  # a prioritised run stopped before
    NO_MASK = "no mask"


@dataclass(frozen=True, slots=True)
class Prediction:
    """A model's answer, by its task, or a failure.

    Text classification fills ``labels``, and ``scores`` in [0, 1] by label if there are any; empty
    ``labels`` without ``failure`` are the multi-label answer "no label". Masked language modelling
    fills ``masks``: probabilities by word, for each mask of the text; ``labels`` and ``scores`` are
    those of the first. Coreference fills ``clusters``: the spans of the mentions of each person or
    thing; ``labels`` name them, for people to read.

    ``reply``: the verbatim reply of a generative model. A raw reply that is not yet read has only
    this, ``scores`` of its first tokens if the server sent them, and ``cut``: whether it ended at
    the longest length allowed.
    """

    labels: tuple[str, ...] = ()
    scores: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    failure: Failure | None = None
    detail: str = ""
    reply: str = ""
    masks: tuple[Mapping[str, float], ...] = ()
    clusters: tuple[tuple[Span, ...], ...] = ()
    cut: bool = False

    @property
    def answered(self) -> bool:
        """Whether there is an answer that the oracle can compare."""
        return self.failure is None


class Verdict(StrEnum):
    """The oracle's verdict on a mutant; every mutant has exactly one in the end."""

    BENIGN = "benign"
    BIASED = "biased"
    HIDDEN = "hidden"
    DISCARDED = "discarded"
    UNANSWERED = "unanswered"


class HiddenGrade(StrEnum):
    """Whether the effect of a hidden finding exceeds its parts."""

    MORE = "more than the sum"
    THRESHOLD = "at the threshold"


# An interaction up to it, in log-odds, is as good as none: of 320 pairs of neutral changes to 65
# texts of the sample, 95 % have a smaller one on the embedded model.
NO_INTERACTION = 0.1


def hidden_grade(
    verdict: str | None, shift: float | None, interaction: float | None
) -> HiddenGrade | None:
    """Grade a hidden finding by its interaction; None for others and without scores.

    *More than the sum*: the edits move the score beyond the sum of their parts, in the direction of
    the flip. *At the threshold*: they move it as far as that sum or less, and it crosses the
    threshold; a test of one edit that reads the scores would have come near. The papers count both.
    """
    if verdict != Verdict.HIDDEN or shift is None or interaction is None:
        return None
    beyond = interaction if shift > 0 else -interaction
    return HiddenGrade.MORE if beyond > NO_INTERACTION else HiddenGrade.THRESHOLD


@dataclass(frozen=True, slots=True)
class Effect:
    """How far the scores moved, for one reference label.

    ``shift``: mutant minus original probability of ``label``. ``distance``: probability
    that must move before the mutant's answer changes. ``interaction``: effect of the edits beyond
    the sum of their parts, in log-odds of ``label`` (None for order 1, or if a part has no score).
    """

    label: str
    shift: float | None = None
    distance: float | None = None
    interaction: float | None = None


class Grades(NamedTuple):
    """The probabilities that people call a mutant fair, soft and unfair; they add up to 1."""

    fair: float
    soft: float
    unfair: float

    @property
    def in_words(self) -> str:
        """``fair 82 % · soft 11 % · unfair 7 %``; fair is rounded down: 0.597 is no 60 %."""
        parts = {name: round(100 * part) for name, part in self._asdict().items()}
        parts["fair"] = int(100 * self.fair + 1e-9)
        return " \u00b7 ".join(f"{name} {part} %" for name, part in parts.items())


@dataclass(frozen=True, slots=True)
class Outcome:
    """A mutant with its results for one model under test.

    ``changed``: whether the answer differs from that to the source; None unless both are usable.
    """

    mutant: Mutant
    conformance: Conformance
    validity: Grades
    prediction: Prediction | None = None
    verdict: Verdict = Verdict.UNANSWERED
    changed: bool | None = None
    effect: Effect | None = None

    @property
    def grade(self) -> HiddenGrade | None:
        """Whether hidden bias exceeds its parts (:func:`hidden_grade`)."""
        effect = self.effect or Effect("")
        return hidden_grade(self.verdict, effect.shift, effect.interaction)
