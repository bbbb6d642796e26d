"""Texts with mutants by hand; none are made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hinter_core.campaign.sources.base import CampaignSource
from hinter_core.data.handwritten import open_handwritten
from hinter_core.data.rows import Rows
from hinter_core.errors import InputError
from hinter_core.generators.base import Generator
from hinter_core.generators.handwritten import Handwritten
from hinter_core.language.parsing import ParseStore
from hinter_core.models.store import PredictionStore


class HandwrittenMutants(CampaignSource):
    """A file of texts and their mutants."""

    kind = "mutants"
    makes = False

    def rows(self) -> Rows:
        """Open the texts with their mutants."""
        self.require_exchanges("mutants by hand")
        if self.campaign.guide:
            raise InputError(
                "A guide searches among mutants that HInter makes; these are by hand, and all "
                "of them are tested. Leave out the guide."
            )
        return open_handwritten(Path(self.name), self.campaign.columns)

    def generator(self, _: Sequence[PredictionStore], __: ParseStore, /) -> Generator:
        """Take the mutants as they are."""
        return Handwritten(self.campaign.settings)

    def tested(self) -> Sequence[object]:
        """Return what there is to change: whatever the file says."""
        return range(self.campaign.order)
