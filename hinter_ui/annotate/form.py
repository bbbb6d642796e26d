"""What the form of a new annotation project says, and the project and items it asks for."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

from hinter_core.annotation.items import OUTCOMES, Draw
from hinter_core.annotation.project.questions import default_questions, read_questions
from hinter_core.annotation.project.types import AnnotationError, Project
from hinter_core.campaign.store import CampaignStore
from hinter_ui.html.wording import Words, chosen

ROOM = "projects"
SOURCES = ("campaign", "directory", "file", "check")
HERE_ONLY = frozenset({"directory"})
_JOINED = "\n"  # between the attributes of a choice
_MOST, _MOST_COPIES = 5_000, 100
_LONGEST_NAME = 120


@dataclass(frozen=True)
class ProjectForm:
    """The controls of the form, in their order, whatever a browser sent."""

    source: str = "campaign"
    campaign: str = ""
    directory: str = ""
    file: str = ""
    many: int = 200
    outcomes: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    name: str = ""
    language: str = "en"
    labels: str = ""
    questions: str = ""
    share: float = 20.0
    copies: int = 1
    repeats: float = 5.0
    blind: bool = True

    @classmethod
    def of(cls, say: Words, *values: Any) -> ProjectForm:
        """The form of the widgets' values, in their order.

        Raises:
            AnnotationError: a number that is none.
        """
        raw = dict(zip(cls.__dataclass_fields__, values, strict=True))

        def number(name: str, least: float, most: float) -> float:
            label = say(f"fields.{name}.label")
            return _number(raw[name], least, most, say, label)

        given: dict[str, Any] = {
            name: str(raw[name] or "").strip()
            for name in ("source", "campaign", "directory", "file", "name", "labels", "questions")
        }
        for name in ("outcomes", "attributes"):
            given[name] = tuple(str(one) for one in raw[name] or ())
        return cls(
            **given, language=chosen(raw["language"]), blind=bool(raw["blind"]),
            many=int(number("many", 1, _MOST)), share=number("share", 0, 100),
            copies=int(number("copies", 1, _MOST_COPIES)), repeats=number("repeats", 0, 100),
        )  # fmt: skip

    def project(self, say: Words) -> Project:
        """The project's settings.

        Raises:
            AnnotationError: no name, or questions that cannot be asked.
        """
        if not self.name or len(self.name) > _LONGEST_NAME:
            raise AnnotationError(say("errors.name", most=_LONGEST_NAME))
        labels = [label.strip() for label in self.labels.split(",") if label.strip()]
        if self.questions:
            instructions, asked = read_questions(
                self.questions, say("fields.questions.label"), labels
            )
        else:
            instructions, asked = default_questions(self.language, labels)
        return Project(
            " ".join(self.name.split()), asked, instructions, self.language, self.blind,
            self.share / 100, self.copies, self.repeats / 100,
        )  # fmt: skip

    def draw(self) -> Draw:
        """What to draw from a campaign."""
        wanted = tuple(tuple(one.split(_JOINED)) for one in self.attributes)
        known = tuple(one for one in self.outcomes if one in OUTCOMES)
        return Draw(self.many, attributes=wanted, outcomes=known)


def attribute_choices(store: CampaignStore) -> list[tuple[str, str]]:
    """(words, value) of the sets of attributes that a campaign changes.

    Raises:
        HinterError: no campaign.
    """
    campaign = store.campaign()
    names = sorted(campaign.attributes)
    sets = [found for order in range(1, campaign.order + 1)
            for found in combinations(names, order)]  # fmt: skip
    return [(" \u00d7 ".join(found), _JOINED.join(found)) for found in sets]


def _number(value: Any, least: float, most: float, say: Words, label: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not least <= number <= most:
        raise AnnotationError(say("errors.number", label=label, least=least, most=most))
    return number
