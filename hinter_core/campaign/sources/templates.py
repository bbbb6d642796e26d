"""Templates, filled with names, occupations and countries."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hinter_core.campaign.sources.base import CampaignSource
from hinter_core.data.rows import Rows
from hinter_core.errors import InputError
from hinter_core.generators.base import Generator
from hinter_core.generators.templates.filling import TemplateValues
from hinter_core.generators.templates.generator import TemplateMutants
from hinter_core.generators.templates.template import ATTRIBUTES, COUNTRY, open_templates
from hinter_core.language.parsing import ParseStore
from hinter_core.models.store import PredictionStore
from hinter_core.terms.dictionary import neutral_words
from hinter_core.terms.names import NameList, load_names

_OTHER_BASES = 3  # identities whose templates were filled with a base name of any country
_FEWEST_COUNTRIES = 2  # to compare


class FilledTemplates(CampaignSource):
    """A file of templates."""

    kind = "templates"
    usual = ATTRIBUTES
    slotted = True

    def rows(self) -> Rows:
        """Open the templates."""
        self.require_slots("templates")
        self.require_attributes(ATTRIBUTES, "Templates have")
        table, chosen = open_templates(Path(self.name)), self.campaign.attributes
        if table.classes().isdisjoint(chosen):
            raise InputError(
                f"No template of {self.name} is for {' or '.join(chosen)}, so there "
                f"is no mutant; it has templates for {' and '.join(sorted(table.classes()))}. "
                "Choose other attributes."
            )
        return table

    def generator(self, _: Sequence[PredictionStore], parses: ParseStore, /) -> Generator:
        """Fill the slots."""
        campaign = self.campaign
        return TemplateMutants(
            TemplateValues(self.names(), campaign.names_per_class),
            campaign.settings,
            campaign.attributes,
            parses,
            atomic=campaign.atomic,
            placebo=neutral_words() if campaign.placebo else None,
        )

    def names(self) -> NameList:
        """Load the names that fill templates.

        Raises:
            HinterError: a file with a fault, or without the countries that are to be compared.
        """
        names = load_names(Path(self.campaign.names)) if self.campaign.names else load_names()
        if COUNTRY in self.campaign.attributes and len(names.countries) < _FEWEST_COUNTRIES:
            raise InputError(
                f"{self.campaign.names} has no two countries with male and female names, so no "
                "country can be exchanged; add names with a country, or leave out the attribute "
                "country."
            )
        return names

    def tested(self) -> Sequence[object]:
        """Return the attributes, whose names can be read."""
        self.names()
        return self.campaign.attributes

    def require_same_mutants(self, version: int, folder: Path) -> None:
        """Refuse to continue a directory whose templates had other base names."""
        if version <= _OTHER_BASES:
            raise InputError(
                f"{folder} was begun by an earlier version, whose templates had other base names, "
                "and is not complete; run the campaign anew in another directory."
            )
