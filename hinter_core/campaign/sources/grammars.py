"""Sentences drawn from a grammar."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hinter_core.campaign.record import file_content
from hinter_core.campaign.settings import USUAL_MODELS
from hinter_core.campaign.sources.base import CampaignSource
from hinter_core.data.rows import Rows
from hinter_core.generators.base import Generator
from hinter_core.generators.grammars.cases import GrammarTable, load_weights
from hinter_core.generators.grammars.checking import require_sound
from hinter_core.generators.grammars.generator import GrammarMutants, require_answers, usual_model
from hinter_core.generators.grammars.grammar import Grammar
from hinter_core.generators.grammars.reading import grammar_file, load_grammar, shipped_grammars
from hinter_core.language.parsing import ParseStore
from hinter_core.models.base import ModelUnderTest
from hinter_core.models.store import PredictionStore
from hinter_core.options import Unchosen
from hinter_core.terms.dictionary import neutral_words


class GrammarSentences(CampaignSource):
    """A grammar that comes with HInter, or a file."""

    kind = "grammar"
    slotted = True

    @property
    def is_file(self) -> bool:
        """Whether the name is a path."""
        return self.name not in shipped_grammars()

    @property
    def grammar(self) -> Grammar:
        """The grammar, as it is read."""
        return load_grammar(self.name)

    def rows(self) -> Rows:
        """Draw the sentences."""
        self.require_slots("a grammar")
        campaign = self.campaign
        weights = load_weights(Path(campaign.weights)) if campaign.weights else {}
        return GrammarTable(self.grammar, campaign.sentences, campaign.seed, weights)

    def generator(self, _: Sequence[PredictionStore], parses: ParseStore, /) -> Generator:
        """Exchange the values of the sensitive words."""
        campaign = self.campaign
        return GrammarMutants(
            self.grammar,
            campaign.settings,
            campaign.attributes,
            parses,
            atomic=campaign.atomic,
            placebo=neutral_words() if campaign.placebo else None,
            names=campaign.placebo_names,
        )

    def identity(self) -> str:
        """Hash the file."""
        return file_content(grammar_file(self.name))

    def pinned(self) -> dict[str, Any]:
        """Return the attributes and the model that the grammar is for, unless some are chosen."""
        campaign, there = self.campaign, tuple(self.grammar.sensitive)
        if not isinstance(campaign.attributes, Unchosen):
            self.require_attributes(there, f"The grammar {self.title} has")
            there = campaign.attributes
        usual = campaign.models == USUAL_MODELS
        models = (usual_model(self.grammar),) if usual else campaign.models
        return {"attributes": there, "models": models}

    def require_sound(self) -> None:
        """Refuse a sentence that is made in two ways, or has two labels."""
        require_sound(self.grammar, self.name)

    def require_models(self, models: Sequence[ModelUnderTest]) -> None:
        """Refuse models of another task, or without the grammar's labels."""
        require_answers(self.grammar, models)
