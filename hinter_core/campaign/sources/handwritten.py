"""Texts with mutants by hand; none are made."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from hinter_core.campaign.settings import CAMPAIGN_OPTIONS
from hinter_core.campaign.sources.base import CampaignSource
from hinter_core.campaign.spec import Campaign
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


# They decide the verdicts of handwritten mutants.
_DECIDING = ("invariant", "parser", "tolerance", "score_tolerance")


def how_to_test(campaign: Campaign, path: Path) -> str:
    """Say which command tests a file of a campaign's mutants, and whether verdicts may differ."""
    applied = campaign.applied
    options = [
        f"--{name.replace('_', '-')} {shlex.quote(str(value))} "
        for name in _DECIDING
        if (value := getattr(applied, name)) != CAMPAIGN_OPTIONS[name].default
    ]
    command = f"hinter run --mutants {shlex.quote(str(path))} {''.join(options)}--model NAME"
    if applied.published or not applied.source.makes:
        return f"To test these: {command}"
    return (
        f"To test these: {command}\nVerdicts may differ from the campaign's: handwritten mutants "
        "need no validity score, and a file does not say which verbs were adapted to a new word."
    )
