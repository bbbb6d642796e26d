"""Settings of mutants and predictions, each declared once.

A campaign (:class:`hinter_core.campaign.spec.Campaign`) and the form of Explore are these settings
and more, so that command line, files, both forms, links and documents tell the same with the same
rules. What decides a verdict belongs here: a link to a finding carries all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from hinter_core.errors import InputError, IntersectionError
from hinter_core.options import CampaignOption, options_of, setting
from hinter_core.types import SUBSTITUTE

EVEN_HANDED, PUBLISHED = INVARIANTS = ("even-handed", "published")
TOLERANCE = 0.1  # of a masked word's probability; Astraea reports 0.05 to 0.3
_MAX_REPEAT = 100
LEAST_FAIR = 0.6  # least validity score, by default (``python -m benchmarks --validity``)


@dataclass(frozen=True)
class Settings:
    """What decides the mutants of a text and their verdicts; see :class:`CampaignOption`."""

    order: int = setting(
        2, "Change up to this number of attributes at once; with 1 there is no intersection.",
        part="mutants", label="Change up to \u2026 attributes at once", low=1, high=4,
    )  # fmt: skip
    limit: int | None = setting(
        None, "Maximum number of intersectional mutants per text, drawn with the seed.",
        part="mutants", label="Maximum variants per text", low=1, high=10_000_000, unset="all",
    )  # fmt: skip
    balanced: bool = setting(
        True, "With a limit, draw each group equally often. Without it, each pair of words is "
        "drawn equally often, and groups of many words prevail.",
        part="mutants", label="Each group equally often", advanced=True, before=False,
    )  # fmt: skip
    literal: bool = setting(
        False, "Change every occurrence of a term, as the paper does, not only those about people.",
        part="mutants", label="Every occurrence of a term", advanced=True,
    )  # fmt: skip
    seed: int = setting(
        0, "Seed of the sample of texts and of the sample of mutants.",
        low=0, high=2**31 - 1, advanced=True,
    )  # fmt: skip
    repeat: int = setting(
        0, "Repeat every unchanged text this number of times, to see whether a model contradicts "
        "itself.",
        label="Repetitions of unchanged texts", low=0, high=100, advanced=True,
    )  # fmt: skip
    relations: tuple[str, ...] = setting(
        (SUBSTITUTE,), "Metamorphic relations to test, with commas: their changes combine. "
        "hinter relations explains them; MR1 to MR11 are names, too.",
        part="mutants", label="What is done to the words", before=(SUBSTITUTE,),
    )  # fmt: skip
    invariant: str = setting(
        EVEN_HANDED, "even-handed: words of one form in the dictionaries may always replace each "
        "other; published: the parses decide, as in the paper.",
        part="mutants", choices=INVARIANTS, advanced=True, before=PUBLISHED,
    )  # fmt: skip
    window: int | None = setting(
        None, "Change only terms in the first so many characters of a text, such as those that a "
        "model reads. Without it, a model has no answer to changes past what it reads.",
        part="mutants", label="Only the first \u2026 characters of a text", low=1,
        high=10_000_000, unset="all", advanced=True, before=None,
    )  # fmt: skip
    coherent: bool = setting(
        True, "Change all words about one person together, given names too (the man ... his to the "
        "woman ... her), not one word alone. Other people stay as they are.",
        part="mutants", label="All words about one person together", advanced=True, before=False,
    )  # fmt: skip
    tolerance: float = setting(
        TOLERANCE, "How far a masked word's probability may move and count as the same answer. For "
        "a label's, set the score tolerance.",
        part="mutants", low=0.0, high=1.0, advanced=True, before=TOLERANCE,
    )  # fmt: skip
    score_tolerance: float | None = setting(
        None, "How far the probability of a text's label may move and count as the same answer; if "
        "it moves further, the answer counts as changed, although the label stays. Of several "
        "labels, each counts. Without it, labels alone are compared.",
        part="mutants", low=0.001, high=1.0, advanced=True, unset="labels alone", before=None,
    )  # fmt: skip
    validity: float = setting(
        LEAST_FAIR, "Least validity score of a mutant that counts: how probably people call it a "
        "fair test. Those below are discarded. In the paper's modes none is, by default.",
        part="mutants", label="Least validity score", low=0.0, high=1.0, advanced=True, before=0.0,
    )  # fmt: skip
    verbatim: bool = setting(
        True, "With literal: change nothing but the terms, also in hyphenated words, as published. "
        "Without it, a/an and possessives follow the new word.",
        part="mutants", label="With every occurrence: the terms alone", advanced=True,
        before=False,
    )  # fmt: skip
    keep_soft: bool = setting(
        False, "Test soft mutants, too: those that other words of the text contradict (a Japanese "
        "man made Irish, where the text also says Japan).",
        part="mutants", label="Soft variants, too", advanced=True, before=True,
    )  # fmt: skip
    across_people: bool = setting(
        False, "Combine changes of different people, too (the man's race and his wife's gender); "
        "such mutants are labelled and counted apart. Without it, an intersection is of one "
        "person. Changes of every occurrence of a term (literal) always combine.",
        part="mutants", label="Pairs across people, too", advanced=True, before=True,
    )  # fmt: skip
    origin_names: bool = setting(
        False, "Change names with race and nationality, too (Anna Keller, German, to Aiko Kato, "
        "Japanese); without names of a people in the lists, nobody who is named becomes one of it. "
        "Where only a name tells race, nationality or gender, change the name alone (Anna Keller "
        "to Aiko Kato). For race, a surname tells the people beside an English given name (Emily "
        "Chen); English names count as those of the British.",
        part="mutants", label="Names change with origin, too", advanced=True, before=False,
    )  # fmt: skip

    @property
    def settings(self) -> Settings:
        """These settings, without what a subclass adds."""
        return Settings(**{name: getattr(self, name) for name in SETTINGS})

    @property
    def as_published(self) -> bool:
        """Whether terms are found and replaced as the published script does, and no more."""
        return self.literal and self.verbatim

    @property
    def published(self) -> bool:
        """Whether the parser is asked about every edit, as in the paper."""
        return self.literal or self.invariant == PUBLISHED

    @property
    def least_fair(self) -> float:
        """The least validity score; the paper has none, unless one is chosen."""
        return 0.0 if self.published and self.validity == LEAST_FAIR else self.validity

    @property
    def applied(self) -> Self:
        """These settings with the values that take effect; they make the same mutants."""
        coherent = self.coherent and not self.literal
        return replace(
            self,
            invariant=PUBLISHED if self.published else self.invariant,
            coherent=coherent,
            validity=self.least_fair,
            keep_soft=self.keep_soft or self.published,
            across_people=self.across_people or self.literal,
            origin_names=self.origin_names and coherent,
        )


SETTINGS: dict[str, CampaignOption] = options_of(Settings, CampaignOption)


def require_testable(
    attributes: Sequence[object], models: Sequence[object], settings: Settings
) -> None:
    """Refuse settings that no text can satisfy; ``attributes``: those to change, of any type.

    Raises:
        InputError: no model, too few attributes, or an order, limit or repeat out of range.
    """
    if not models:
        raise InputError("No model chosen; name at least one model under test.")
    if settings.order < 1:
        raise InputError("The order is at least 1 (1: atomic, 2: two attributes at once).")
    if settings.limit is not None and settings.limit < 1:
        raise InputError("The limit is at least 1 mutant.")
    if not 0 <= settings.repeat <= _MAX_REPEAT:
        raise InputError(f"Ask the original again from 0 to {_MAX_REPEAT} times.")
    if len(attributes) < min(settings.order, 2):
        raise IntersectionError(
            "Choose at least two attributes to test an intersection",
            ", or change one attribute alone (order 1).",
        )
