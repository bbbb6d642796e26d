"""What of a campaign Explore can open, and as which form."""

from __future__ import annotations

from collections.abc import Mapping

from hinter_core.campaign import Campaign
from hinter_core.dictionary import Dictionary
from hinter_core.errors import InputError
from hinter_core.types import Edit
from hinter_ui.forms import Form, edit_key

_HIGHEST = 3  # changes that Explore shows at once


def explore_form(
    campaign: Campaign,
    known: Mapping[str, Dictionary],
    text: str,
    edits: tuple[Edit, ...],
    *models: str,
) -> Form:
    """The Explore form that shows one mutant of a campaign; ``known`` are the dictionaries there.

    Raises:
        InputError: Explore cannot make this mutant.
    """
    if campaign.mutants:
        raise InputError(
            "This mutant was given by hand, and Explore makes its own; Export mutants writes it "
            "to a file with what was answered."
        )
    if len(edits) > _HIGHEST:
        raise InputError(
            f"This mutant changes {len(edits)} attributes at once and Explore shows up to "
            f"{_HIGHEST}; Export mutants writes it to a file with all of its parts."
        )
    for edit in edits:
        if edit.attribute not in known:
            raise InputError(
                f"This mutant changes \u201c{edit.attribute}\u201d, which is not among the "
                "dictionaries here. Add yours in Explore, under More settings, and open the "
                "mutant again."
            )
    attributes = tuple(a for a in campaign.attributes if a in known)
    own = tuple(edit.attribute for edit in edits if edit.attribute not in attributes)
    form = Form(
        text=text,
        attributes=(*attributes, *own),
        models=tuple(models),
        parser=campaign.parser,
        literal=campaign.literal,
    )
    return form.for_edits(tuple(edit_key(edit) for edit in edits))
