"""What *he* and *she* mean: earlier sentences say it, and only some things are called so."""

import re
from collections.abc import Sequence
from dataclasses import replace

from hinter_core.language.encoder import KINDS, NEVER, SentenceReading, load_encoder
from hinter_core.language.people import FEMALE, GODS, PRONOUNS, people_words
from hinter_core.terms.senses.lexicon import lexicon
from hinter_core.types import Sentence, Span

_BEFORE = 3  # sentences that are read with that of a pronoun
_WORD = re.compile(r"(?:\b(the|an?|my|our|your|his|her|their|this|that)\s+)?\b([^\W\d_]+)", re.I)
_NO_PERSON = [KINDS.index(kind) for kind in ("animal", "thing", "place")]
_LIKELY = 0.5
_QUOTED = re.compile("[\"'\u2018\u201c]\\w+[\"'\u2019\u201d](?!\\w)")


def read_after(sentences: Sequence[Sentence], sentence: Sentence, pronoun: Span) -> SentenceReading:
    """Return the reading of a sentence together with the sentences before it.

    A pronoun in it is no animal's or ship's if these name none: *she* after "Hemoglobin is low;".
    """
    at = sentences.index(sentence)
    before = "".join(f"{one.text} " for one in sentences[max(0, at - _BEFORE) : at])
    text = before + sentence.text
    reading = load_encoder().read([text])[text]
    start, end = pronoun
    quoted = _QUOTED.match(sentence.text, max(0, start - 1))
    if not quoted and not _names_other(text, reading, sentence.text[start:end]):
        logits = reading.logits.copy()
        logits[:, _NO_PERSON] = NEVER
        reading = replace(reading, logits=logits)
    offsets, names = (
        tuple((start - len(before), end - len(before)) for start, end in spans)
        for spans in (reading.offsets, reading.names)
    )
    return replace(reading, offsets=offsets, names=names)


def _names_other(text: str, reading: SentenceReading, pronoun: str) -> bool:
    """Whether a text names what a pronoun may mean that is no person, or maybe a pet or a god."""
    form = PRONOUNS.get(pronoun.lower())
    if form is None or not form.gender or not {*reading.openers}.issuperset(reading.names):
        return True
    others = lexicon()["animals"] | lexicon()["called_she"]
    for match in _WORD.finditer(text):
        article, word = match.groups()
        if (
            {word.lower(), word.lower().removesuffix("s")} & others
            or word in GODS
            or word in people_words().names
        ):
            return True
        country = form.gender == FEMALE and word.istitle()
        if country and reading.kinds(match.span(2))["place"] > _LIKELY:  # "England and her navy"
            return True
        if not article or word.lower() in PRONOUNS:
            continue
        if reading.kinds(match.span(2))["animal"] > _LIKELY:
            return True
        if form.gender == FEMALE and word.istitle():  # "the Titanic"
            return True
    return False
