"""What several files of tests about campaigns share."""

from __future__ import annotations

from pathlib import Path

import pytest

from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore


@pytest.fixture(scope="module")
def reference(campaign: Campaign, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole run of a file's ``campaign``, to which other runs of it are equal."""
    folder = tmp_path_factory.mktemp("reference") / "campaign"
    run_campaign(campaign, CampaignStore(folder))
    return folder
