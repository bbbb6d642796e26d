"""Define a campaign: all settings of a test of a data set.

YAML files, command-line options, forms and the documentation follow from each field. *Identity*
settings change the mutants; *runtime* settings do not, so that more models can be tested later.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from hinter_core.campaign.record import file_content, parser_content, words_content
from hinter_core.data.handwritten import open_handwritten
from hinter_core.data.hub import on_hub, open_hub, pin, read_hub_name
from hinter_core.data.rows import Rows, open_table
from hinter_core.data.sources import content_of_source, from_source, open_given
from hinter_core.errors import InputError
from hinter_core.generators.grammars.answers import usual_model
from hinter_core.generators.grammars.cases import GrammarTable, load_weights
from hinter_core.generators.grammars.reading import grammar_file, load_grammar
from hinter_core.generators.templates.table import open_templates
from hinter_core.generators.templates.template import ATTRIBUTES as TEMPLATE_ATTRIBUTES
from hinter_core.generators.templates.template import COUNTRY
from hinter_core.mutation.plan import (
    EVEN_HANDED,
    INVARIANTS,
    LEAST_FAIR,
    PUBLISHED,
    TOLERANCE,
    Settings,
)
from hinter_core.options import CampaignOption, Unchosen, options_of
from hinter_core.prioritisation.strategies import STRATEGIES
from hinter_core.relations.changes.words import WORDS
from hinter_core.relations.registry import RELATIONS, relation_names
from hinter_core.storage import ASSETS
from hinter_core.terms.dictionary import Dictionary, choose, load_file, load_shipped
from hinter_core.terms.names import NameList, load_names
from hinter_core.types import SUBSTITUTE

VERSION = 3  # of stored tables; version 2 had only substitutions
READABLE = (2, VERSION)
IDENTITY_VERSION = 4  # changes only when the same settings give other mutants
_WITHOUT_CONTENT = 2  # identities that do not know what is in word lists and parsers
_OTHER_BASES = 3  # templates were filled with a base name of any country until then
CAMPAIGN_ATTRIBUTES = Unchosen(("race", "gender"))  # default
_MODELS = ("embedded",)  # default
IN_TURN = "in turn"  # value of ``prioritise``: all mutants, as they come
SAMPLE = "sample"  # value of ``data`` for the shipped texts
SAMPLE_FILE = ASSETS / "samples" / "people.csv"


def _setting(default: Any, help: str, **more: Any) -> Any:
    return field(default=default, metadata={"help": help, "identity": True, **more})


@dataclass(frozen=True)
class Campaign:
    """What to test, and on what data; see :class:`CampaignOption`."""

    data: str = _setting(
        "", "Texts to test: a file (CSV and its kin, JSON, Excel, Parquet, Arrow, or a text a "
        "line), also packed; a folder that datasets saved; a data set of the Hugging Face Hub as "
        "hf:ORG/NAME; or a name that hinter data list shows.",
        part="data",
    )  # fmt: skip
    mutants: str = _setting(
        "", "A file of handwritten mutants, tested in place of new ones.",
        part="data", unset="none",
    )  # fmt: skip
    columns: tuple[str, ...] = _setting(
        (), "Column of a file of mutants, as mutant=rewritten; parts are id, label, source, "
        "mutant, edits, groups and ask.",
        part="data", advanced=True, unset="detected", each="map", before=(),
    )  # fmt: skip
    templates: str = _setting(
        "", "A file of templates (hinter templates mine), filled and tested in place of texts.",
        part="data", unset="none", before="",
    )  # fmt: skip
    grammar: str = _setting(
        "", "A grammar that makes the texts: its name (hinter grammar show), or a YAML file.",
        part="data", unset="none", before="",
    )  # fmt: skip
    sentences: int = _setting(
        300, "Sentences that are drawn from a grammar, each once.",
        part="data", low=1, high=10_000_000, before=300,
    )  # fmt: skip
    weights: str = _setting(
        "", "File of weights for words of a grammar (JSON: by list or attribute, then by word); a "
        "word without one is not drawn.",
        part="data", advanced=True, unset="none", before="",
    )  # fmt: skip
    text_column: str = _setting(
        "", "Column of the texts; by default one with a usual name (text, review, facts, ...), or "
        "else the one with the longest sentences.",
        part="data", unset="detected",
    )  # fmt: skip
    label_column: str = _setting(
        "", "Column of the labels, if there are any, or with commas the columns of 0 and 1, one "
        "for each label; a report compares them with the answers to the unchanged texts.",
        part="data", unset="detected",
    )  # fmt: skip
    id_column: str = _setting(
        "", "Column of ids; without one, a row's number is its id.",
        part="data", unset="detected", advanced=True,
    )  # fmt: skip
    sample: int | None = _setting(
        None, "Maximum number of texts, drawn at random with the seed.",
        part="mutants", label="Maximum texts", low=1, high=10_000_000, unset="all",
    )  # fmt: skip
    stratify: bool = _setting(
        False, "Draw the same number of texts from every label.",
        part="mutants", label="Same number of texts per label", advanced=True,
    )  # fmt: skip
    seed: int = _setting(
        0, "Seed of the sample of texts and of the sample of mutants.",
        high=2**31 - 1, advanced=True,
    )  # fmt: skip
    attributes: tuple[str, ...] = _setting(
        CAMPAIGN_ATTRIBUTES, "Sensitive attributes to change, with commas; hinter dictionary list "
        "names them. Of templates: gender, occupation and country, by default all. Of a grammar: "
        "those it has, by default all.",
        part="mutants",
    )  # fmt: skip
    dictionaries: tuple[str, ...] = _setting(
        (), "Dictionary file; its name is added to the attributes.",
        part="mutants", label="Your own dictionaries", advanced=True, unset="none",
        each="dictionary",
    )  # fmt: skip
    names: str = _setting(
        "", "File of names that fill templates, in place of the shipped ones: "
        "name,part,gender,country.",
        part="data", label="Your own names", advanced=True, unset="none", before="",
    )  # fmt: skip
    names_per_class: int = _setting(
        30, "Names of each gender that fill a template.",
        part="mutants", label="Names per class", low=1, high=1_000, advanced=True, before=30,
    )  # fmt: skip
    order: int = _setting(
        2, "Change up to this number of attributes at once; with 1 there is no intersection.",
        part="mutants", label="Change up to \u2026 attributes at once", low=1, high=4,
    )  # fmt: skip
    limit: int | None = _setting(
        None, "Maximum number of intersectional mutants per text, drawn with the seed.",
        part="mutants", label="Maximum variants per text", low=1, high=100_000, unset="all",
    )  # fmt: skip
    window: int | None = _setting(
        None, "Change only terms in the first so many characters of a text, such as those that a "
        "model reads. Without it, a model has no answer to changes past what it reads.",
        part="mutants", label="Only the first \u2026 characters of a text", low=1,
        high=10_000_000, unset="all", advanced=True, before=None,
    )  # fmt: skip
    literal: bool = _setting(
        False, "Change every occurrence of a term, as the paper does, not only those about people.",
        part="mutants", label="Every occurrence of a term", advanced=True,
    )  # fmt: skip
    verbatim: bool = _setting(
        True, "With literal: change nothing but the terms, also in hyphenated words, as published. "
        "Without it, a/an and possessives follow the new word.",
        part="mutants", label="Of literal changes, nothing but the terms", advanced=True,
        before=False,
    )  # fmt: skip
    coherent: bool = _setting(
        True, "Change all words about one person together, given names too (the man ... his to the "
        "woman ... her), not one word alone. Other people stay as they are.",
        part="mutants", label="All words about one person together", advanced=True, before=False,
    )  # fmt: skip
    origin_names: bool = _setting(
        False, "Change names with race and nationality, too (Anna Keller, German, to Aiko Kato, "
        "Japanese); without names of a people in the lists, nobody who is named becomes one of it.",
        part="mutants", label="Names change with origin, too", advanced=True, before=False,
    )  # fmt: skip
    across_people: bool = _setting(
        False, "Combine changes of different people, too (the man's race and his wife's gender); "
        "such mutants are labelled and counted apart. Without it, an intersection is of one "
        "person. Changes of every occurrence of a term (literal) always combine.",
        part="mutants", label="Pairs across people, too", advanced=True, before=True,
    )  # fmt: skip
    tolerance: float = _setting(
        TOLERANCE, "How far a masked word's probability may move and count as the same answer.",
        part="mutants", low=0.0, high=1.0, advanced=True, before=TOLERANCE,
    )  # fmt: skip
    relations: tuple[str, ...] = _setting(
        (SUBSTITUTE,), "Metamorphic relations to test, with commas: their changes combine. "
        "hinter relations explains them; MR1 to MR11 are names, too.",
        part="mutants", label="What is done to the words", before=(SUBSTITUTE,),
        among=tuple(RELATIONS),
    )  # fmt: skip
    paraphraser: str = _setting(
        "", "A language model (openai:MODEL?base_url=...) that says what stands around the "
        "sensitive words otherwise, for the relation paraphrase-context, beside the rules.",
        part="mutants", advanced=True, unset="rules alone", before="",
    )  # fmt: skip
    invariant: str = _setting(
        EVEN_HANDED, "even-handed: words of one form in the dictionaries may always replace each "
        "other; published: the parses decide, as in the paper.",
        part="mutants", choices=INVARIANTS, advanced=True, before=PUBLISHED,
    )  # fmt: skip
    validity: float = _setting(
        LEAST_FAIR, "Least validity score of a mutant that counts: how probably people call it a "
        "fair test. Those below are discarded. In the paper's modes none is, by default.",
        part="mutants", label="Least validity score", low=0.0, high=1.0, advanced=True, before=0.0,
    )  # fmt: skip
    keep_soft: bool = _setting(
        False, "Test soft mutants, too: those that other words of the text contradict (a Japanese "
        "man made Irish, where the text also says Japan).",
        part="mutants", label="Soft variants, too", advanced=True, before=True,
    )  # fmt: skip
    atomic: bool = _setting(
        True, "Test every atomic mutant, not only those that are part of an intersectional one.",
        part="mutants", label="All single changes, too", advanced=True,
    )  # fmt: skip
    placebo: bool = _setting(
        True, "Test as many neutral mutants (Tuesday for Wednesday), a baseline for brittleness.",
        part="mutants", label="Neutral swaps, too", advanced=True,
    )  # fmt: skip
    placebo_names: bool = _setting(
        True, "Neutral swaps change as many names, too, to others of the same gender and origin.",
        part="mutants", label="Neutral swaps of names, too", advanced=True, before=False,
    )  # fmt: skip
    repeat: int = _setting(
        0, "Repeat every unchanged text this number of times, to see whether a model contradicts "
        "itself.",
        label="Repetitions of unchanged texts", high=100, advanced=True,
    )  # fmt: skip
    guide: str = _setting(
        "", "A model that gives scores: mutants of order 3 and higher are searched by its answers.",
        part="mutants", advanced=True, unset="none",
    )  # fmt: skip
    parser: str = _setting(
        "embedded", "embedded, an installed spaCy pipeline, or a path to one.",
        advanced=True,
    )  # fmt: skip
    shard: int = _setting(
        16, "Texts in a unit of work; a resumed run repeats no finished unit.",
        label="Texts in a unit of work", low=1, high=1_000, advanced=True,
    )  # fmt: skip
    discarded: bool = _setting(
        False, "Test discarded mutants too, to count false positives.",
        label="Test discarded variants, too", advanced=True,
    )  # fmt: skip
    prioritise: str = _setting(
        IN_TURN, "What models are asked first. adaptive: what is likeliest to change the answer, "
        "learnt from the answers so far; adaptive-texts: the same, soonest one change of each "
        "text; levenshtein: the longest changes; random. A fifth of the requests stays random, "
        "and rates are of these alone. The run can be stopped by its results.",
        label="What is asked first", choices=(IN_TURN, *STRATEGIES), advanced=True, before=IN_TURN,
    )  # fmt: skip
    stop_at_first: bool = _setting(
        False, "Stop a prioritised run at the first changed answer.",
        label="Stop at the first changed answer", identity=False, advanced=True,
    )  # fmt: skip
    stop_below: float | None = _setting(
        None, "Stop a prioritised run when the rate of changed answers lies below (or above) this, "
        "such as 0.02, with 95 % confidence.",
        label="Stop when the rate is certain to lie below", identity=False, high=1.0,
        advanced=True, unset="do not",
    )  # fmt: skip
    models: tuple[str, ...] = _setting(
        _MODELS, "Model under test, or several with commas; hinter models explains the names.",
        label="Models under test", identity=False, each="model",
    )  # fmt: skip
    ask_again: bool = _setting(
        False, "Request anew what a language model answered without a usable label; otherwise its "
        "stored reply counts.",
        label="Request unusable replies anew", identity=False, advanced=True,
    )  # fmt: skip
    workers: int = _setting(
        1, "Processes; each loads the parser and the models.",
        identity=False, low=1, high=64, advanced=True,
    )  # fmt: skip
    requests: int | None = _setting(
        None, "Maximum number of texts sent to the models.",
        label="Maximum requests", identity=False, low=1, high=100_000_000,
        advanced=True, unset="no bound",
    )  # fmt: skip
    budget: float | None = _setting(
        None, "Maximum cost, for models with price_in and price_out.",
        identity=False, high=1e9, advanced=True, unset="no bound",
    )  # fmt: skip

    def __post_init__(self) -> None:
        """Test all attributes of templates, unless some are chosen; name relations by their names.

        Raises:
            InputError: an unknown relation.
        """
        object.__setattr__(self, "relations", relation_names(self.relations))
        if self.templates and isinstance(self.attributes, Unchosen):
            object.__setattr__(self, "attributes", TEMPLATE_ATTRIBUTES)

    @property
    def title(self) -> str:
        """Short name of the data."""
        return self.source if on_hub(self.source) else Path(self.source).name

    @property
    def source(self) -> str:
        """What the texts come from: handwritten mutants, templates, a grammar, or data."""
        return self.mutants or self.templates or self.grammar or self.data

    @property
    def prioritised(self) -> bool:
        """Whether models are asked by priority."""
        return self.prioritise != IN_TURN

    @property
    def settings(self) -> Settings:
        """The settings that determine the mutants of a text."""
        return Settings(
            self.order, self.limit, self.literal, self.seed, self.repeat, self.relations,
            self.invariant, self.window, self.coherent, self.tolerance, self.validity,
            self.verbatim, self.keep_soft, self.across_people, self.origin_names,
        )  # fmt: skip

    def table(self) -> Rows:
        """Open the rows to test.

        Raises:
            InputError: the message says what is wrong with the data.
        """
        columns = (self.text_column, self.label_column, self.id_column)
        if self.templates:
            return self._templates()
        if self.grammar:
            return self._sentences()
        if self.mutants:
            self._require_exchanges("mutants by hand")
            if self.data:
                raise InputError("Name either data or a file of mutants; its sources are the data.")
            if self.guide:
                raise InputError(
                    "A guide searches among mutants that HInter makes; these are by hand, and all "
                    "of them are tested. Leave out the guide."
                )
            return open_handwritten(Path(self.mutants), self.columns)
        if not self.data:
            raise InputError(
                "Name the data: a file (CSV, JSON, Excel, Parquet, text), a data set of the "
                "Hugging Face Hub (--data hf:ORG/NAME), or the texts that come with HInter "
                f"(--data {SAMPLE})."
            )
        if on_hub(self.data):
            return open_hub(read_hub_name(self.data), *columns)
        if from_source(self.data):
            return open_given(self.data, *columns)
        return open_table(_data_file(self.data), *columns)

    def _require_alone(self, what: str, *others: str) -> None:
        if any(others):
            raise InputError(
                f"Name either {what}, or other data; the texts that come of {what} are the data."
            )
        self._require_exchanges(what)
        if self.guide or self.dictionaries or self.window is not None:
            raise InputError(
                f"A guide, dictionaries of your own and a window do not apply to {what}; leave "
                "them out."
            )

    def _require_exchanges(self, what: str) -> None:
        if self.relations != (SUBSTITUTE,):
            raise InputError(
                f"Relations other than {SUBSTITUTE} change texts, not {what}; leave them out."
            )

    def _require_among(self, own: tuple[str, ...], what: str) -> None:
        for name in self.attributes:
            if name not in own:
                raise InputError(
                    f"{what} the attributes {', '.join(own)}, not '{name}'; choose among these."
                )

    def _attributes_of_grammar(self) -> tuple[str, ...]:
        own = tuple(load_grammar(self.grammar).sensitive)
        if isinstance(self.attributes, Unchosen):
            return own
        self._require_among(own, f"The grammar {self.title} has")
        return self.attributes

    def _sentences(self) -> Rows:
        self._require_alone("a grammar", self.data, self.mutants)
        weights = load_weights(Path(self.weights)) if self.weights else {}
        return GrammarTable(load_grammar(self.grammar), self.sentences, self.seed, weights)

    def _templates(self) -> Rows:
        self._require_alone("templates", self.data, self.mutants, self.grammar)
        self._require_among(TEMPLATE_ATTRIBUTES, "Templates have")
        table = open_templates(Path(self.templates))
        if table.classes().isdisjoint(self.attributes):
            raise InputError(
                f"No template of {self.templates} is for {' or '.join(self.attributes)}, so there "
                f"is no mutant; it has templates for {' and '.join(sorted(table.classes()))}. "
                "Choose other attributes."
            )
        return table

    def name_list(self) -> NameList:
        """Load the names that fill templates.

        Raises:
            HinterError: a file with a fault, or without the countries that are to be compared.
        """
        names = load_names(Path(self.names)) if self.names else load_names()
        if COUNTRY in self.attributes and len(names.countries) < 2:
            raise InputError(
                f"{self.names} has no two countries with male and female names, so no country can "
                "be exchanged; add names with a country, or leave out the attribute country."
            )
        return names

    def pinned(self) -> Campaign:
        """Return this campaign with a data set of the Hub at its current commit.

        The attributes of a grammar are all that it has, unless some are chosen; so is the embedded
        model of its task.

        Raises:
            InputError: see :func:`hinter_core.data.hub.pin`; or a grammar cannot be read or has no
                such attribute.
        """
        if self.grammar:
            usual = (usual_model(load_grammar(self.grammar)),)
            models = usual if self.models == _MODELS else self.models
            return replace(self, attributes=self._attributes_of_grammar(), models=models)
        if not on_hub(self.data):
            return self
        name = read_hub_name(self.data)
        return replace(self, data=str(name if name.pinned else pin(name)))

    def vocabulary(self) -> list[Dictionary]:
        """Load the dictionaries of the attributes; none for mutants by hand, templates, grammars.

        Raises:
            DictionaryError: an unknown attribute, or a file with a fault.
        """
        if self.mutants or self.templates or self.grammar:
            return []
        own = {loaded.attribute: loaded for loaded in map(load_file, map(Path, self.dictionaries))}
        return choose([*self.attributes, *own], {**load_shipped(), **own})

    def identity(self, version: int = IDENTITY_VERSION) -> str:
        """Return a hash of the settings and files that determine the mutants."""
        digest = hashlib.sha256(f"hinter-campaign-{version}\n".encode())
        if version > _WITHOUT_CONTENT:
            words = "" if self.mutants else words_content()
            digest.update(f"words={words} parser={parser_content(self.parser)}\n".encode())
        for item in fields(self):
            as_before = getattr(self, item.name) == item.metadata.get("before", MISSING)
            if item.metadata["identity"] and not as_before:
                digest.update(self._written(item).encode() + b"\n")
        return digest.hexdigest()[:16]

    def require_same_mutants(self, version: int, folder: Path) -> None:
        """Refuse new mutants beside those of a directory of an earlier identity, if they differ.

        Raises:
            InputError: a directory of templates that had other base names.
        """
        if self.templates and version <= _OTHER_BASES:
            raise InputError(
                f"{folder} was begun by an earlier version, whose templates had other base names, "
                "and is not complete; run the campaign anew in another directory."
            )

    def _written(self, item: Field[Any]) -> str:
        value = getattr(self, item.name)
        if item.name == "data" and on_hub(value):
            value = self.pinned().data
        elif item.name == "grammar" and value:
            value = file_content(grammar_file(value))
        elif item.name in ("data", "mutants", "templates", "names", "weights") and value:
            value = content_of(value)
        elif item.name == "relations":  # never the default, which is left out
            value = [*value, file_content(WORDS)]
        elif item.name == "dictionaries":
            value = [file_content(Path(path)) for path in value]
        return f"{item.name}={json.dumps(value, ensure_ascii=False)}"


def content_of(data: str) -> str:
    """Hash the content of a file or source; raises InputError if it cannot be read."""
    return content_of_source(data) if from_source(data) else file_content(_data_file(data))


def _data_file(name: str) -> Path:
    return SAMPLE_FILE if name == SAMPLE else Path(name)


CAMPAIGN_OPTIONS: dict[str, CampaignOption] = options_of(Campaign, CampaignOption)


def settings_before(noted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that a stored campaign does not have yet, with their values then."""
    options = CAMPAIGN_OPTIONS.items()
    return {n: one.before for n, one in options if one.before is not None and n not in noted}
