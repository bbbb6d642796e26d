"""A text with its people marked: who is who, as coreference resolution reads it."""

from collections.abc import Sequence

from hinter_core.types import Entity, MentionKind
from hinter_ui.html.markup import Markup, isolated, join, tag, with_marks
from hinter_ui.html.wording import Words, beside

say = Words("check")

_HUES = (215, 35, 150, 280, 60, 185, 315, 100)  # none is red, which says that an answer flips
_MOST_LISTED = 12
_LONGEST_NAME = 40  # characters
_BEST = (MentionKind.NAME, MentionKind.NOUN, MentionKind.PRONOUN)  # to name a person by


def people_of(entities: Sequence[Entity]) -> list[Entity]:
    """Return the people to mark: those with two mentions or more, or with a gender."""
    return [e for e in entities if e.person and (len(e.mentions) > 1 or e.gender)]


def people(text: str, entities: Sequence[Entity], *, left: int = 0) -> Markup:
    """Mark the mentions of each person with a number and a colour, and list the people.

    ``left``: characters after ``text`` that were not read.
    """
    persons = people_of(entities)
    cut = tag("p", say("people.cut", n=len(text)), class_="quiet") if left else None
    if not persons:
        return join([tag("p", say("people.none"), class_="quiet"), cut or ""])
    box = tag(
        "div",
        _marked(text, persons),
        *([" \u2026"] if left else []),
        class_="marked",
        dir="auto",
        tabindex="0",
        role="region",
        aria_label=say("people.marked"),
    )
    note = tag("p", say("people.note"), class_="quiet")
    return tag("div", box, _list(text, persons), note, cut, class_="card people")


def _marked(text: str, entities: Sequence[Entity]) -> Markup:
    heads = sorted(
        (mention.head, number)
        for number, entity in enumerate(entities, 1)
        for mention in entity.mentions
    )
    # A word that is in two mentions is marked once.
    return with_marks(
        text,
        (
            (a, b, tag("mark", text[a:b], beside(number), class_="term", style=_colour(number)))
            for (a, b), number in heads
        ),
    )


def _colour(number: int) -> str:
    return f"--h:{_HUES[(number - 1) % len(_HUES)]}"


def _list(text: str, entities: Sequence[Entity]) -> Markup:
    items = [_item(text, entity, number) for number, entity in enumerate(entities, 1)]
    if len(items) > _MOST_LISTED:
        more = tag("li", say("people.more", n=len(items) - _MOST_LISTED), class_="quiet-inline")
        items = [*items[:_MOST_LISTED], more]
    return tag("ul", *items, class_="people-list", aria_label=say("people.listed"))


def _item(text: str, entity: Entity, number: int) -> Markup:
    facts = [say.count("people.mentions", len(entity.mentions))]
    if entity.plural:
        facts.append(say("people.several"))
    if entity.gender:
        facts.append(say(f"people.genders.{entity.gender}"))
    name = tag("mark", number, class_="term", style=_colour(number))
    about = tag("span", ", ".join(facts), class_="quiet-inline")
    return tag("li", name, " ", isolated(_name(text, entity)), ": ", about)


def _name(text: str, entity: Entity) -> str:
    """Name a person by the longest name, else by the first noun, else by the first pronoun."""
    kind = next(kind for kind in _BEST if any(m.kind is kind for m in entity.mentions))
    mentions = [text[slice(*m.head)] for m in entity.mentions if m.kind is kind]
    name = " ".join((max(mentions, key=len) if kind is MentionKind.NAME else mentions[0]).split())
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}\u2026"
