"""A source: what gives a campaign its texts, and the generator of their mutants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from hinter_core.campaign.record import file_content
from hinter_core.campaign.settings import CampaignSettings
from hinter_core.data.rows import Rows
from hinter_core.errors import InputError
from hinter_core.generators.base import Generator
from hinter_core.language.parsing import ParseStore
from hinter_core.models.base import MASKED, ModelUnderTest
from hinter_core.models.store import PredictionStore
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import MASKED_PLACE, SUBSTITUTE

PREDICTIONS = 4_000_000  # characters of texts with answers in memory; a campaign rarely repeats one


@dataclass(frozen=True)
class CampaignSource:
    """The texts of a campaign, by what is named in the setting ``kind``.

    ``usual``: the attributes that are tested unless some are chosen. ``makes``: mutants are made;
    else they are given. ``slotted``: what is changed are slots of the texts, whatever the
    dictionaries.
    """

    campaign: CampaignSettings
    name: str
    kind = ""
    usual: ClassVar[tuple[str, ...]] = ()
    makes = True
    slotted = False

    @property
    def title(self) -> str:
        """Short name."""
        return Path(self.name).name

    @property
    def is_file(self) -> bool:
        """Whether the name is a path."""
        return True

    def rows(self) -> Rows:
        """Open the rows to test.

        Raises:
            InputError: they cannot be read, or a setting does not apply to them.
        """
        raise NotImplementedError

    def generator(self, models: Sequence[PredictionStore], parses: ParseStore, /) -> Generator:
        """Return what makes the mutants of the rows."""
        raise NotImplementedError

    def identity(self) -> str:
        """Hash the content of the texts, so that they may move but not change.

        Raises:
            InputError: they cannot be read.
        """
        return file_content(Path(self.name))

    def pinned(self) -> dict[str, Any]:
        """Return the settings that follow from the source as it is now."""
        return {}

    def vocabulary(self) -> list[Dictionary]:
        """Load the dictionaries whose terms are changed."""
        return []

    def tested(self) -> Sequence[object]:
        """Return what is changed, of any type, before a directory is created.

        Raises:
            HinterError: what the generator needs cannot be read.
        """
        return self.campaign.attributes

    def require_sound(self) -> None:
        """Refuse texts with which no campaign should begin.

        Raises:
            InputError: their faults.
        """

    def require_models(self, models: Sequence[ModelUnderTest]) -> None:
        """Refuse models that cannot answer these texts: masked ones, if no text has a mask."""
        masked = [model.name for model in models if model.capabilities.task == MASKED]
        if masked and not any(MASKED_PLACE in row.text for row in self.rows().rows()):
            raise InputError(
                f"{masked[0]} says which word fits {MASKED_PLACE}, and no text has it. Write "
                f"{MASKED_PLACE} in the texts where a word is missing, or name a model that "
                "answers whole texts, such as embedded."
            )

    def require_same_mutants(self, version: int, folder: Path) -> None:
        """Refuse to continue a directory of an earlier version whose mutants would differ."""

    def require_exchanges(self, what: str) -> None:
        """Refuse relations that change texts."""
        if self.campaign.relations != (SUBSTITUTE,):
            raise InputError(
                f"Relations other than {SUBSTITUTE} change texts, not {what}; leave them out."
            )

    def require_slots(self, what: str) -> None:
        """Refuse settings of changes in texts, where slots change."""
        campaign = self.campaign
        self.require_exchanges(what)
        if campaign.guide or campaign.dictionaries or campaign.window is not None:
            raise InputError(
                f"A guide, dictionaries of your own and a window do not apply to {what}; leave "
                "them out."
            )

    def require_attributes(self, offered: Sequence[str], what: str) -> None:
        """Refuse attributes that the source does not have."""
        for name in self.campaign.attributes:
            if name not in offered:
                raise InputError(
                    f"{what} the attributes {', '.join(offered)}, not '{name}'; choose among these."
                )
