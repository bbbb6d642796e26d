"""A campaign on the shelf as it stands: its state, how far it is, and what can be done with it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from hinter_core.campaign.progress import CampaignProgress
from hinter_core.campaign.spec import Campaign
from hinter_core.types import Failure
from hinter_ui.batch.jobs import JobRecord, JobState


@dataclass(frozen=True)
class CampaignStatus:
    """A campaign as it stands; ``problem`` is why its last run failed, or it cannot be read."""

    id: str
    state: JobState
    record: JobRecord
    campaign: Campaign
    seen: CampaignProgress = field(default_factory=CampaignProgress)
    problem: str = ""
    ahead: int = 0

    @property
    def rate(self) -> float:
        """Texts a second in this run; 0 while that is not known."""
        seconds = (self.record.ended or time.time()) - self.record.started
        return self.seen.since[0] / seconds if self.record.started and seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """How long it may still take; None while that is not known."""
        if self.seen.texts is None or not self.rate:
            return None
        return (self.seen.texts - self.seen.done) / self.rate

    @property
    def can_retry(self) -> bool:
        """Whether asking again may help: what was too long for a model stays so."""
        hopeless = self.seen.failures[Failure.TOO_LONG.value]
        return not self.state.busy and self.seen.failed > hopeless

    @property
    def can_resume(self) -> bool:
        """Whether there is something left to do."""
        return not self.state.busy and self.state is not JobState.DONE
