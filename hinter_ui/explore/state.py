"""What Explore keeps of a page, and the parts of what it shows."""

import threading
from dataclasses import dataclass, field

from hinter_ui.explore.html import Filter
from hinter_ui.html.markup import Markup
from hinter_ui.shared.links import ExploreForm


@dataclass
class ExploreState:
    """What Explore keeps of a page: what its controls say, and what of a result is looked at.

    ``controls`` may be more recent than the result; ``opened`` is what they said on the fresh page,
    if its address did not; ``seen`` is what the marks and lists on the page were made from;
    ``coming`` is what they are about to say; ``awaited`` is the form of a scan that has found
    nothing yet; ``bare`` is that of a text without a verdict of its own, beside which none of
    another text is shown; ``choice`` is the page's number of the last pair that somebody chose in
    its lists. ``selected`` is the place of the variant shown, ``chosen``
    whether somebody chose it. ``open``: names of the parts that are unfolded; ``people_of``: the
    text and the parser that the part with people shows them for. ``answering`` is held while an
    answer is numbered.
    """

    controls: ExploreForm = field(default_factory=ExploreForm)
    opened: ExploreForm | None = None
    seen: ExploreForm | None = None
    coming: ExploreForm | None = None
    awaited: ExploreForm | None = None
    bare: ExploreForm | None = None
    choice: int = 0
    shown_model: str = ""
    selected: int | None = None
    chosen: bool = False
    filter: Filter = field(default_factory=Filter)
    open: set[str] = field(default_factory=set)
    people_of: tuple[str, str, str] | None = None
    answering: threading.Lock = field(default_factory=threading.Lock)


@dataclass(frozen=True)
class OfferedEdits:
    """The replacements (key, words, group) that a text offers for an attribute; the one chosen."""

    attribute: str
    offered: list[tuple[str, str, str]]
    chosen: str


@dataclass(frozen=True)
class Shown:
    """The rendered parts of one mutant."""

    banner: Markup
    square: Markup
