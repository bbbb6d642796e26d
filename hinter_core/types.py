"""The nouns of HInter: dictionaries, edits, mutants, parses, predictions, verdicts.

Standard library only, immutable, and free of any back-end. A *test case* is a source text of any
origin with follow-ups (mutants) made by edits; a verdict says what an oracle made of it.
Offsets are half-open character spans ``(start, end)`` on the source text unless said otherwise.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import ClassVar

Span = tuple[int, int]


class GrammaticalForm(StrEnum):
    """Grammatical form of a term; terms are exchanged only within one form."""

    ANY = "any"
    ADJECTIVE = "adj"
    COMPARATIVE = "adj-comp"
    SUPERLATIVE = "adj-sup"
    NOUN_SG = "noun-sg"
    NOUN_PL = "noun-pl"
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


class Sense(StrEnum):
    """Whether a term always means a person, or only where the parse shows it."""

    PERSON = "person"
    ASK = "ask"


@dataclass(frozen=True, slots=True)
class Term:
    """A dictionary entry: a surface form with its group, grammatical form and concept."""

    text: str
    group: str
    form: GrammaticalForm = GrammaticalForm.ANY
    concept: str = ""
    sense: Sense = Sense.PERSON


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

    attribute: str
    source: Term
    target: Term


@dataclass(frozen=True, slots=True)
class Change:
    """A change that exchanges no two terms: words inserted, deleted, moved or rewritten.

    ``source`` and ``target`` are the words taken away and brought in, with their groups; a text is
    empty where there are none. ``texts`` is what stands at each span of the edit afterwards, blanks
    included; there are none where a person wrote the mutant.
    """

    kind: EditKind
    attribute: str
    source: Term
    target: Term
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Where terms of one attribute stand in a text.

    ``terms`` holds the readings that the surface admits (``her`` is object or possessive); after
    sense and form have been checked against the parse, the readings that hold.
    """

    attribute: str
    span: Span
    surface: str
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class RejectedOccurrence:
    """An occurrence that does not count, and why, in words a visitor understands."""

    occurrence: Occurrence
    reason: str


@dataclass(frozen=True, slots=True)
class Edit:
    """A change made at all of its ``spans`` in one text: of a :class:`Pair` or of another kind.

    The span of an insertion is empty; a move has one span for the old place and one for the new.
    """

    change: Pair | Change
    spans: tuple[Span, ...]

    @property
    def kind(self) -> EditKind:
        """What the edit does to the words."""
        return self.change.kind

    @property
    def pair(self) -> Pair | None:
        """The word pair of a substitution; None for other kinds."""
        return self.change if isinstance(self.change, Pair) else None

    @property
    def attribute(self) -> str:
        """The sensitive attribute that this edit changes."""
        return self.change.attribute

    @property
    def source(self) -> Term:
        """The words that are taken away; their text is empty for an insertion."""
        return self.change.source

    @property
    def target(self) -> Term:
        """The words that are brought in; their text is empty for a deletion."""
        return self.change.target

    @property
    def in_words(self) -> str:
        """The change in words: ``black → white``, or ``nothing → not`` for an insertion."""
        return f"{self.source.text or 'nothing'} \u2192 {self.target.text or 'nothing'}"

    @property
    def key(self) -> tuple[str, str, str, str, tuple[Span, ...], str, tuple[str, ...]]:
        """A sortable identity."""
        change = self.change
        source = change.source
        return (
            change.attribute, source.text, change.target.text, source.form, self.spans,
            change.kind, change.texts,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Splice:
    """One replacement of ``source[start:end]`` by ``new``.

    ``at`` is where ``new`` stands in the mutant; ``attribute`` is empty for a mended article.
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

    ``tags`` are Penn Treebank tags, ``heads`` indices of head tokens (a root is its own head),
    ``spans`` character offsets within the sentence, ``entities`` entity types or ``""``; they are
    empty where nobody asked for them.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    labels: tuple[str, ...]
    heads: tuple[int, ...]
    spans: tuple[Span, ...]
    entities: tuple[str, ...] = ()

    @property
    def has_entities(self) -> bool:
        """Whether entities were looked for."""
        return len(self.entities) == len(self.words)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and its place in its text; ``text`` is the slice, without outer blanks."""

    text: str
    start: int
    end: int


class OriginKind(StrEnum):
    """Where the source text of a test case comes from."""

    ROW = "row"
    TEMPLATE = "template"
    GRAMMAR = "grammar"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a source text comes from; ``name`` is that of the template or of the grammar's rule."""

    kind: OriginKind = OriginKind.ROW
    name: str = ""


ROW = Origin()  # of nearly all texts


@dataclass(frozen=True, slots=True)
class Slot:
    """A place of a template or grammar that was filled in, as it stands in the source text."""

    name: str
    span: Span


class Layer(StrEnum):
    """The layer of the invariant that a mutant broke (Algorithm 3, lines 6, 16 and 20)."""

    SENTENCES = "sentence count"
    POS = "part of speech"
    DEPENDENCY = "dependency relation"


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

    ``sentence`` is the index of the first sentence that broke it (-1 when kept, or when the
    sentence counts differ), ``layer`` the first layer that broke. ``mismatches`` lists the
    differing tokens of that sentence in both layers.
    """

    kept: bool
    layer: Layer | None = None
    sentence: int = -1
    mismatches: tuple[Mismatch, ...] = ()
    reason: str = ""


KEPT = Conformance(True)


class Failure(StrEnum):
    """Why a model gave no usable answer."""

    REFUSED = "refused"
    UNPARSABLE = "unparsable"
    TIMED_OUT = "timed out"
    TOO_LONG = "too long"
    ERROR = "error"
    OVER_BUDGET = "over budget"


def _no_scores() -> Mapping[str, float]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Prediction:
    """A model's answer, by its task, or a failure.

    Text classification fills ``labels``, and ``scores`` in [0, 1] by label where there are any; an
    empty ``labels`` without ``failure`` is the multi-label answer "no label". Masked language
    modelling fills ``masks``: for each mask of the text, in order, probabilities by word.
    Coreference fills ``clusters``: of each person or thing, the spans of its mentions on the text.

    ``reply`` is what a generative model said, word by word; a raw reply, not yet read, has it alone
    and ``scores`` of its first tokens where the server sent them.
    """

    labels: tuple[str, ...] = ()
    scores: Mapping[str, float] = field(default_factory=_no_scores)
    failure: Failure | None = None
    detail: str = ""
    reply: str = ""
    masks: tuple[Mapping[str, float], ...] = ()
    clusters: tuple[tuple[Span, ...], ...] = ()

    @property
    def answered(self) -> bool:
        """Whether the model gave an answer that the oracle can compare."""
        return self.failure is None


class Verdict(StrEnum):
    """What the oracle says of a mutant; every mutant ends in exactly one."""

    BENIGN = "benign"
    BIASED = "biased"
    HIDDEN = "hidden"
    DISCARDED = "discarded"
    UNANSWERED = "unanswered"


@dataclass(frozen=True, slots=True)
class Effect:
    """How far the scores moved, about one reference label.

    ``shift``: mutant minus original probability of ``label``. ``margin``: distance of the mutant's
    answer from the decision boundary, in probability. ``interaction``: what the set of edits does
    beyond the sum of its parts, in log-odds of ``label`` (None for order 1, or where a part has no
    score).
    """

    label: str
    shift: float | None = None
    margin: float | None = None
    interaction: float | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A mutant with everything known of it for one model under test."""

    mutant: Mutant
    conformance: Conformance
    prediction: Prediction | None
    verdict: Verdict
    effect: Effect | None = None
