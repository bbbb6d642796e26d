"""Texts of a file, an added source or the Hub, changed by dictionaries and relations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hinter_core.campaign.record import file_content
from hinter_core.campaign.settings import SAMPLE, SAMPLE_FILE
from hinter_core.campaign.sources.base import PREDICTIONS, CampaignSource
from hinter_core.data.hub import on_hub, open_hub, pin, read_hub_name
from hinter_core.data.rows import (
    MEMORY,
    Rows,
    content_of_source,
    from_source,
    open_given,
    open_table,
)
from hinter_core.errors import InputError, hint
from hinter_core.extensions import SOURCES
from hinter_core.generators.base import Generator
from hinter_core.generators.substitution import Substitution
from hinter_core.language.parsing import ParseStore
from hinter_core.models.registry import open_store
from hinter_core.models.store import PredictionStore
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.pipeline.prioritise import Search
from hinter_core.pipeline.rewording import open_paraphraser
from hinter_core.terms.dictionary import Dictionary, choose, load_file, load_shipped, neutral_words


class Texts(CampaignSource):
    """Texts of a file or source, the shipped ones, or a data set of the Hub."""

    kind = "data"

    @property
    def title(self) -> str:
        """Short name."""
        if self.name.startswith(f"{MEMORY}-") and not self._path.suffix:
            return "texts from Python"
        return self.name if on_hub(self.name) else super().title

    @property
    def is_file(self) -> bool:
        """Whether the name is a path."""
        return self.name != SAMPLE and not on_hub(self.name) and not from_source(self.name)

    def rows(self) -> Rows:
        """Open the rows."""
        campaign = self.campaign
        columns = (campaign.text_column, campaign.label_column, campaign.id_column)
        if not self.name:
            raise InputError(
                "Name the data (--data; in Python, data): a file (CSV, JSON, Excel, Parquet, "
                "text), a data set of the Hugging Face Hub (hf:ORG/NAME), or the texts that come "
                f"with HInter ({SAMPLE})."
            )
        if on_hub(self.name):
            return open_hub(read_hub_name(self.name), *columns)
        if from_source(self.name):
            return open_given(self.name, *columns)
        kind = self._path.name.partition(":")[0]
        if SOURCES.names() and "." not in kind and not self._path.exists():
            known = SOURCES.names()
            meant = hint([kind], known, f"sources that were added are {', '.join(known)}.")
            raise InputError(f"There is no file {self.name}; {meant}")
        return open_table(self._path, *columns)

    def generator(self, models: Sequence[PredictionStore], parses: ParseStore, /) -> Generator:
        """Exchange terms, or what the relations do; search among mutants if a guide says so."""
        spec, settings, search, placebo = self.campaign, self.campaign.settings, None, None
        vocabulary = self.vocabulary()
        if spec.guide:
            named = (store for store in models if store.model.name == spec.guide)
            guide = next(named, None) or open_store(
                spec.guide, trusted=True, characters=PREDICTIONS
            )
            search = Search(parses, guide, settings)
        paraphraser = open_paraphraser(spec.paraphraser) if spec.paraphraser else None
        pipeline = Pipeline(vocabulary, parses, models, settings, paraphraser)
        if spec.placebo:
            placebo = Pipeline(neutral_words(), parses, models, settings)
        return Substitution(
            pipeline, atomic=spec.atomic, placebo=placebo, names=spec.placebo_names, search=search
        )

    def identity(self) -> str:
        """Hash the content, or name the commit."""
        if on_hub(self.name):
            return str(self._pinned)
        return content_of_source(self.name) if from_source(self.name) else file_content(self._path)

    def pinned(self) -> dict[str, Any]:
        """Return a data set of the Hub at its current commit."""
        return {"data": str(self._pinned)} if on_hub(self.name) else {}

    def vocabulary(self) -> list[Dictionary]:
        """Load the dictionaries of the attributes."""
        from_files = {
            one.attribute: one for one in map(load_file, map(Path, self.campaign.dictionaries))
        }
        return choose([*self.campaign.attributes, *from_files], {**load_shipped(), **from_files})

    def tested(self) -> Sequence[object]:
        """Return the dictionaries."""
        return self.vocabulary()

    @property
    def _path(self) -> Path:
        return SAMPLE_FILE if self.name == SAMPLE else Path(self.name)

    @property
    def _pinned(self) -> Any:
        name = read_hub_name(self.name)
        return name if name.pinned else pin(name)
