"""The settings of a campaign, each declared once; those of a check are in ``mutation/settings.py``.

YAML files, command-line options, forms and the documentation follow from the declaration of each
field. *Identity* settings change the mutants; *runtime* settings do not, so that more models can be
tested on the same mutants later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hinter_core.mutation.settings import Settings
from hinter_core.options import ALWAYS, CampaignOption, Unchosen, options_of, setting
from hinter_core.prioritisation.strategies import STRATEGIES
from hinter_core.storage import ASSETS

CAMPAIGN_ATTRIBUTES = Unchosen(("race", "gender"))  # default
USUAL_MODELS = ("embedded",)  # default
IN_TURN = "in turn"  # value of ``prioritise``: all mutants, as they come
SAMPLE = "sample"  # value of ``data`` for the shipped texts
SAMPLE_FILE = ASSETS / "samples" / "people.csv"


@dataclass(frozen=True)
class CampaignSettings(Settings):
    """Settings of a campaign: data, mutants, models; see :class:`CampaignOption`."""

    data: str = setting(
        "", "Texts to test: a file (CSV and its kin, JSON, Excel, Parquet, Arrow, or a text a "
        "line), also packed; a folder that datasets saved; a data set of the Hugging Face Hub as "
        "hf:ORG/NAME; or a name that hinter data list shows.",
        part="data", file=True, source="texts:Texts",
    )  # fmt: skip
    mutants: str = setting(
        "", "A file of handwritten mutants, tested in place of new ones.",
        part="data", file=True, source="handwritten:HandwrittenMutants", unset="none",
    )  # fmt: skip
    columns: tuple[str, ...] = setting(
        (), "Column of a file of mutants, as mutant=rewritten; parts are id, label, source, "
        "mutant, edits, groups and ask.",
        part="data", advanced=True, unset="detected", each="map", before=(),
    )  # fmt: skip
    templates: str = setting(
        "", "A file of templates (hinter templates mine), filled and tested in place of texts.",
        part="data", file=True, source="templates:FilledTemplates", unset="none", before="",
    )  # fmt: skip
    grammar: str = setting(
        "", "A grammar that makes the texts: its name (hinter grammar show), or a YAML file.",
        part="data", file=True, source="grammars:GrammarSentences", unset="none", before="",
    )  # fmt: skip
    sentences: int = setting(
        300, "Maximum number of sentences that are drawn from a grammar, each once.",
        part="data", low=1, high=10_000_000, before=300,
    )  # fmt: skip
    weights: str = setting(
        "", "File of weights for words of a grammar (JSON: by list or attribute, then by word); a "
        "word without one is not drawn.",
        part="data", file=True, advanced=True, unset="none", before="",
    )  # fmt: skip
    text_column: str = setting(
        "", "Column of the texts; by default one with a usual name (text, review, facts, ...), or "
        "else the one with the longest sentences.",
        part="data", unset="detected",
    )  # fmt: skip
    label_column: str = setting(
        "", "Column of the labels, if there are any, or with commas the columns of 0 and 1, one "
        "for each label; a report compares them with the answers to the unchanged texts.",
        part="data", unset="detected",
    )  # fmt: skip
    id_column: str = setting(
        "", "Column of ids; without one, a row's number is its id.",
        part="data", unset="detected", advanced=True,
    )  # fmt: skip
    sample: int | None = setting(
        None, "Maximum number of texts, drawn at random with the seed.",
        part="mutants", label="Maximum texts", low=1, high=10_000_000, unset="all",
    )  # fmt: skip
    stratify: bool = setting(
        False, "Draw the same number of texts from every label.",
        part="mutants", label="Same number of texts per label", advanced=True,
    )  # fmt: skip
    attributes: tuple[str, ...] = setting(
        CAMPAIGN_ATTRIBUTES, "Sensitive attributes to change, with commas; hinter dictionary list "
        "names them. Of templates: gender, occupation and country, by default all. Of a grammar: "
        "those it has, by default all.",
        part="mutants",
    )  # fmt: skip
    dictionaries: tuple[str, ...] = setting(
        (), "Dictionary file; its name is added to the attributes.",
        part="mutants", label="Your own dictionaries", advanced=True, unset="none",
        each="dictionary", file=True,
    )  # fmt: skip
    names: str = setting(
        "", "File of names that fill templates, in place of the shipped ones: "
        "name,part,gender,country.",
        part="data", file=True, label="Your own names", advanced=True, unset="none", before="",
    )  # fmt: skip
    names_per_class: int = setting(
        30, "Names of each gender that fill a template.",
        part="mutants", label="Names per class", low=1, high=1_000, advanced=True, before=30,
    )  # fmt: skip
    paraphraser: str = setting(
        "", "A language model (openai:MODEL?base_url=...) that says what stands around the "
        "sensitive words otherwise, for the relation paraphrase-context, beside the rules.",
        part="mutants", advanced=True, unset="rules alone", before="",
    )  # fmt: skip
    atomic: bool = setting(
        True, "Test every atomic mutant, not only those that are part of an intersectional one.",
        part="mutants", label="All single changes, too", advanced=True,
    )  # fmt: skip
    placebo: bool = setting(
        True, "Test neutral mutants, too (Tuesday for Wednesday), a baseline for brittleness: for "
        "each text as many as it has others, or as many as its neutral words make. A combination "
        "takes neutral words of two kinds, such as a day and a meal.",
        part="mutants", label="Neutral swaps, too", advanced=True,
    )  # fmt: skip
    placebo_names: bool = setting(
        True, "Neutral swaps change as many names, too, to others of the same gender and origin.",
        part="mutants", label="Neutral swaps of names, too", advanced=True, before=False,
    )  # fmt: skip
    guide: str = setting(
        "", "A model that gives scores: mutants of order 3 and higher are searched by its answers.",
        part="mutants", advanced=True, unset="none",
    )  # fmt: skip
    parser: str = setting(
        "embedded", "embedded, an installed spaCy pipeline, or a path to one.",
        advanced=True,
    )  # fmt: skip
    shard: int | None = setting(
        None, "Texts in a unit of work; a resumed run repeats no finished unit.",
        label="Texts in a unit of work", low=1, high=100_000, advanced=True,
        unset="from 4 to 64, by their number",
    )  # fmt: skip
    discarded: bool = setting(
        False, "Test discarded mutants too, to count false positives.",
        label="Test discarded variants, too", advanced=True,
    )  # fmt: skip
    prioritise: str = setting(
        IN_TURN, "What models are asked first. adaptive: what is likeliest to change the answer, "
        "learnt from the answers so far; adaptive-texts: the same, soonest one change of each "
        "text; levenshtein: the longest changes; random. A fifth of the requests stays random, "
        "and rates are of these alone. The run can be stopped by its results.",
        label="What is asked first", choices=(IN_TURN, *STRATEGIES), advanced=True, before=IN_TURN,
    )  # fmt: skip
    stop_at_first: bool = setting(
        False, "Stop a prioritised run at the first changed answer.",
        label="Stop at the first changed answer", identity=False, advanced=True,
    )  # fmt: skip
    stop_below: float | None = setting(
        None, "Stop a prioritised run when the rate of changed answers lies below (or above) this, "
        "such as 0.02, with 95 % confidence.",
        label="Stop when the rate is certain to lie below", identity=False, low=0.0, high=1.0,
        advanced=True, unset="do not",
    )  # fmt: skip
    models: tuple[str, ...] = setting(
        USUAL_MODELS, "Model under test, or several with commas; hinter models explains the names.",
        label="Models under test", identity=False, each="model",
    )  # fmt: skip
    ask_again: bool = setting(
        False, "Request anew what a language model answered without a usable label; otherwise its "
        "stored reply counts.",
        label="Request unusable replies anew", identity=False, advanced=True,
    )  # fmt: skip
    fresh: bool = setting(
        False, "Ask models anew, also about what they answered in earlier checks and runs, such as "
        "when a server has another model under the same name.",
        label="Ask anew, without kept answers", identity=False, advanced=True,
    )  # fmt: skip
    workers: int = setting(
        1, "Processes; each loads the parser and the models.",
        identity=False, low=1, high=1_024, advanced=True,
    )  # fmt: skip
    requests: int | None = setting(
        None, "Maximum number of texts sent to the models.",
        label="Maximum requests", identity=False, low=1, high=100_000_000,
        advanced=True, unset="no bound",
    )  # fmt: skip
    budget: float | None = setting(
        None, "Maximum cost, for models with price_in and price_out.",
        identity=False, low=0.0, high=1e9, advanced=True, unset="no bound",
    )  # fmt: skip


# Identities hash the settings in this order, and documents and forms follow; others come after.
_FIRST = (
    "data", "mutants", "columns", "templates", "grammar", "sentences", "weights", "text_column",
    "label_column", "id_column", "sample", "stratify", "seed", "attributes", "dictionaries",
    "names", "names_per_class", "order", "limit", "balanced", "window", "literal", "verbatim",
    "coherent", "origin_names", "across_people", "tolerance", "score_tolerance",
    "relations", "paraphraser", "invariant",
    "validity", "keep_soft", "atomic", "placebo", "placebo_names", "repeat", "guide", "parser",
    "shard", "discarded", "prioritise",
)  # fmt: skip
_declared = options_of(CampaignSettings, CampaignOption)
CAMPAIGN_OPTIONS: dict[str, CampaignOption] = {
    name: _declared[name] for name in dict.fromkeys((*_FIRST, *_declared))
}
# The settings that name a source of texts; of several, the last is meant.
SOURCES = {name: option for name, option in CAMPAIGN_OPTIONS.items() if option.source}


def settings_before(noted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that a stored campaign does not have yet, with their values then."""
    known = CAMPAIGN_OPTIONS.items()
    return {name: o.before for name, o in known if o.before is not ALWAYS and name not in noted}
