"""A small campaign for tests that read one."""

from __future__ import annotations

import csv
from collections.abc import Callable

import pytest

from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore

DICTIONARIES = {
    "race": ["black,dark,adj", "white,light,adj", "Syrian,syrian,adj"],
    "gender": ["man,male,noun-sg", "woman,female,noun-sg"],
    # "whom" fits no sentence there, so that the invariant has something to discard.
    "age": ["old,older,adj", "young,young,adj", "whom,none,adj"],
    "=size": ["tall,</script><b>,adj", "short,<i>short</i>,adj"],
    "placebo-1": ["soup,one,noun-sg", "stew,two,noun-sg"],
    "placebo-2": ["evening,one,noun-sg", "morning,two,noun-sg"],
}


@pytest.fixture(scope="session")
def make(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., CampaignStore]:
    """Run a campaign over some texts with small dictionaries."""

    def run(
        texts: list[str] | dict[str, str], attributes: list[str], order: int, *models: str
    ) -> CampaignStore:
        folder = tmp_path_factory.mktemp("campaign")
        for name in attributes:
            lines = ["term,group,form", *DICTIONARIES[name]]
            (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
        data = folder / "texts.csv"
        with data.open("w", encoding="utf-8", newline="") as file:
            labelled = isinstance(texts, dict)  # labels by text
            rows = [["text", "label"], *texts.items()] if labelled else [["text"], *zip(texts)]
            csv.writer(file, quoting=csv.QUOTE_ALL).writerows(rows)
        campaign = Campaign(
            data=str(data),
            attributes=tuple(attributes),
            dictionaries=tuple(str(folder / f"{name}.csv") for name in attributes),
            order=order,
            shard=3,
            models=models,
            atomic=False,
            placebo=False,
            across_people=True,  # the placebo is among the attributes, and of no person
            validity=0.0,  # odd texts, too
        )
        store = CampaignStore(folder / "out")
        run_campaign(campaign, store)
        return store

    return run
