"""The example texts of Explore, each of which teaches one thing."""

import tomllib
from dataclasses import dataclass
from functools import cache

from hinter_core.storage import ASSETS
from hinter_ui.shared.links import ExploreForm

EXAMPLES = ASSETS / "examples" / "examples.toml"


@dataclass(frozen=True)
class ExampleText:
    """A text to try; ``shows`` is the verdict it promises, or empty."""

    title: str
    domain: str
    form: ExploreForm
    shows: str = ""


@cache
def load_examples() -> tuple[ExampleText, ...]:
    """Read all examples, in the file's order."""
    tables = tomllib.loads(EXAMPLES.read_text(encoding="utf-8"))["example"]
    examples = []
    for fields in tables:
        title, domain, shows = fields.pop("title"), fields.pop("domain"), fields.pop("shows", "")
        lists = {name: tuple(one) for name, one in fields.items() if isinstance(one, list)}
        examples.append(ExampleText(title, domain, ExploreForm(**fields | lists), shows))
    return tuple(examples)
