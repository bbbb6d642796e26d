"""Settings other than the default that decide mutants or their verdicts, in words."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from hinter_core.campaign.settings import CAMPAIGN_OPTIONS
from hinter_core.campaign.spec import Campaign

# What a value other than the default means; ``{}`` is the value.
_WORDS = {
    "literal": "literal mode, every occurrence of a term",
    "verbatim": "articles and possessives follow the new word",
    "coherent": "one word about a person changed alone",
    "across_people": "changes of different people combine",
    "origin_names": "names change with origin",
    "relations": "metamorphic relations {}",
    "window": "only the first {:,} characters of a text",
    "invariant": "published invariant",
    "validity": "least validity score {:g}",
    "balanced": "pairs of words drawn, not groups",
    "keep_soft": "soft mutants kept",
    "tolerance": "tolerance of masked words {:g}",
    "score_tolerance": "an answer counts as changed if the probability of its label moves by more "
    "than {:g}",
    "dictionaries": "dictionaries from files {}",
    "names": "names from the file {}",
    "names_per_class": "{:,} names per class",
    "weights": "weights from the file {}",
    "stratify": "the same number of texts per label",
    "paraphraser": "context paraphrased by {}",
    "guide": "mutants searched by {}",
    "atomic": "atomic mutants only as parts",
    "placebo": "no placebo mutants",
    "placebo_names": "placebo mutants change no names",
}
_OF_TEXTS = ("literal", "verbatim", "coherent", "across_people", "origin_names")
_OF_GIVEN = ("invariant", "tolerance", "score_tolerance")  # whatever makes the mutants


def unusual_in_words(campaign: Campaign) -> list[str]:
    """Return a sentence that names the unusual settings; none if there is none."""
    named = "; ".join(unusual(campaign))
    return [f"Settings other than the default ({named})."] if named else []


def unusual(campaign: Campaign) -> Iterator[str]:
    """Name each setting that took effect, decides mutants or verdicts and is not the default."""
    applied = campaign.applied
    for name, words in _WORDS.items():
        value, option = getattr(applied, name), CAMPAIGN_OPTIONS[name]
        if value == option.default or not _means(name, applied):
            continue
        if name == "validity" and not value:
            words = "no least validity score"
        if option.file:
            files = value if isinstance(value, tuple) else (value,)
            value = tuple(Path(file).name for file in files)
        yield words.format(", ".join(value) if isinstance(value, tuple) else value)


def differences(settings: Iterable[Iterable[str]]) -> list[list[str]]:
    """Return the settings of each campaign that not all of them have."""
    every = [list(one) for one in settings]
    common = set.intersection(*map(set, every))
    return [[words for words in one if words not in common] for one in every]


def size_of(campaign: Campaign) -> Iterator[str]:
    """Name the settings that decide how many mutants there are."""
    if campaign.source.makes:
        yield f"{', '.join(sorted(campaign.attributes))}, up to order {campaign.order}"
    else:
        yield "handwritten mutants"
    if campaign.limit is not None:
        yield f"at most {campaign.limit:,} intersectional mutants per text, seed {campaign.seed}"
    if campaign.sample is not None:
        yield f"a sample of {campaign.sample:,} texts, seed {campaign.seed}"


def _means(name: str, applied: Campaign) -> bool:
    """Whether a setting means something, given the source and the other settings."""
    source = applied.source
    if not source.makes:
        return name in _OF_GIVEN
    if source.slotted and name in _OF_TEXTS:
        return False
    needs = {
        "coherent": not applied.literal,
        "verbatim": applied.literal,
        "placebo_names": applied.placebo,
        "balanced": applied.limit is not None,
    }
    return needs.get(name, True)
