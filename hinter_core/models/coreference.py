"""Coreference resolvers as models under test: which words stand for the same person or thing.

Source: Astraea, Table I. An answer has the clusters of mentions, and for people to read a label for
each cluster with a pronoun: its head words, such as ``farmer = he``.
"""

from collections.abc import Sequence

from hinter_core.errors import ModelError
from hinter_core.language.coreference import Resolver, SieveResolver, load_resolver, parse_text
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.models.base import COREFERENCE, Capabilities, ModelUnderTest
from hinter_core.models.registry import ModelName
from hinter_core.models.scripted import OTHER, ScriptedModel
from hinter_core.types import Entity, MentionKind, Prediction, link

_PRONOUN = MentionKind.PRONOUN
_LINKS = ("together", "apart")
_PARSES = 200_000  # characters of sentences whose parses are kept


class CoreferenceModel(ModelUnderTest):
    """A resolver, over the embedded parser."""

    def __init__(self, name: str, resolver: Resolver) -> None:
        self.name = name
        self._resolver = resolver
        self._parses = ParseStore(load_parser(), _PARSES)
        self.identity = f"coreference-1-{resolver.identity}-{self._parses.parser.identity}"
        self.capabilities = Capabilities(task=COREFERENCE, scores=False, multi_label=True)

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        """Return the mentions of each text that stand for the same person or thing."""
        return [self._answer(text) for text in texts]

    def _answer(self, text: str) -> Prediction:
        entities = self._resolver.resolve(text, parse_text(text, self._parses))
        several = [entity for entity in entities if len(entity.mentions) > 1]
        named = [one for one in several if any(m.kind is _PRONOUN for m in one.mentions)]
        return Prediction(
            tuple(dict.fromkeys(label_of(text, one) for one in named)),
            clusters=tuple(tuple(m.span for m in one.mentions) for one in several),
        )


def label_of(text: str, entity: Entity) -> str:
    """Return the last words of the heads of an entity's mentions, each once: ``farmer = he``."""
    return link(text[slice(*mention.head)] for mention in entity.mentions)


class ScriptedResolver(ScriptedModel):
    """The rules for coreference, except where a rule says ``apart``."""

    def __init__(self, name: str, rules: str) -> None:
        super().__init__(name, rules)
        if not set(self.capabilities.labels) <= {*_LINKS, OTHER}:
            raise ModelError(f"Rules of coreference give {' or '.join(_LINKS)}, nothing else.")
        self._resolver = CoreferenceModel(name, SieveResolver())
        self.capabilities = self._resolver.capabilities

    def _answer(self, text: str) -> Prediction:
        resolves = self._rule_for(text).label == _LINKS[0]
        return self._resolver.predict([text])[0] if resolves else Prediction()


def load(name: ModelName) -> CoreferenceModel:
    """Load ``resolver:rules``, ``resolver:fastcoref`` or ``resolver:maverick``.

    Raises:
        ModelError: an unknown resolver, or a package that is not installed.
    """
    return CoreferenceModel(name.text, load_resolver(name.source))
