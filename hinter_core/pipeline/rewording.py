"""Paraphrases by a user's language model of what stands around the sensitive words (MR9).

Source: metamorphic-relation prioritisation, section V-B2. The model says each sentence in other
words; the sensitive words stay, so a paraphrase and an exchange of them combine. A reply is used
only if it keeps these words in their order, has no other ones, denies as often as the sentence, is
about as long, and differs from it. Otherwise the sentence has no follow-up: a text that stayed as
it was is never one.
"""

import re
from collections.abc import Iterator, Sequence

from hinter_core.errors import InputError
from hinter_core.models.prompting import PARAPHRASE
from hinter_core.models.registry import kind_of, open_store
from hinter_core.models.replies.reading import refuses
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.edits import common_ends
from hinter_core.mutation.plan import Plan
from hinter_core.relations.changes.paraphrase import CONTEXT, CONTEXT_ATTRIBUTE
from hinter_core.relations.changes.phrases import Pieces, edit_of
from hinter_core.terms.matching import Matcher
from hinter_core.types import Edit, EditKind, Sentence, Span, Term

_READER = "vader"  # any will do: only the reply itself is read
_LEAST, _MOST = 0.4, 2.5  # length of a reply, relative to its sentence
_MOST_EDITS = 4  # of a text: all its sentences, and single ones
_DENIALS = re.compile(
    r"\b(?:not|no|never|nobody|nothing|none|neither|nor|without|hardly)\b|n['’]t\b"
)
_QUOTES = "\"'“”‘’`"


def open_paraphraser(name: str) -> PredictionStore:
    """Load a language model as a paraphraser, for a user who owns the machine.

    Raises:
        InputError: a model that does not reply in words, or has a prompt or judge of its own.
        ModelError: an unknown or broken model.
    """
    if not kind_of(name).generative:
        raise InputError(
            f"'{name}' cannot say a sentence in other words; name a language model, such as "
            "openai:MODEL?base_url=ADDRESS."
        )
    if re.search(r"[?&](?:prompt|judge|labels)=", name):
        raise InputError("A paraphraser has a prompt of its own; leave out prompt, judge, labels.")
    mark = "&" if "?" in name else "?"
    return open_store(f"{name}{mark}prompt={PARAPHRASE}&judge={_READER}", trusted=True)


def add_rewordings(plan: Plan, matcher: Matcher, paraphraser: PredictionStore) -> None:
    """Add the model's paraphrases to a plan, if its settings have the relation."""
    if CONTEXT not in plan.settings.relations:
        return
    questions = {sentence: _question(plan, sentence) for sentence in plan.sentences}
    answers = paraphraser.predict(questions.values())
    changed = []
    for sentence, question in questions.items():
        reply = answers[question].reply.strip().strip(_QUOTES)
        pieces = reworded(sentence, reply, _kept(plan, sentence), matcher)
        if pieces:
            changed.append(pieces)
    edits = plan.edits.setdefault(CONTEXT_ATTRIBUTE, [])
    edits += [edit for edit in _edits(plan.text, changed) if edit not in edits]
    if edits and CONTEXT_ATTRIBUTE not in plan.attributes:
        plan.attributes = (*plan.attributes, CONTEXT_ATTRIBUTE)
    if not edits:
        del plan.edits[CONTEXT_ATTRIBUTE]


def _question(plan: Plan, sentence: Sentence) -> str:
    words = ", ".join(f'"{plan.text[start:end]}"' for start, end in _kept(plan, sentence))
    text = " ".join(sentence.text.split())
    return f"{text}\nKeep these words: {words}" if words else text


def _kept(plan: Plan, sentence: Sentence) -> list[Span]:
    """Return the spans of the sensitive words of a sentence, in order and without overlaps."""
    every = [occurrence.span for occurrence in plan.occurrences]
    every += [rejected.occurrence.span for rejected in plan.rejected]
    spans: list[Span] = []
    for start, end in sorted(every, key=lambda span: (span[0], -span[1])):
        inside = sentence.start <= start and end <= sentence.end
        if inside and (not spans or start >= spans[-1][1]):
            spans.append((start, end))
    return spans


def reworded(sentence: Sentence, reply: str, kept: Sequence[Span], matcher: Matcher) -> Pieces:
    """Return what replaces the stretches between the kept words; empty if the reply is unusable."""
    length = len(reply) / max(len(sentence.text), 1)
    if not reply or "\n" in reply or not _LEAST <= length <= _MOST or refuses(reply):
        return []
    if len(_DENIALS.findall(reply.lower())) != len(_DENIALS.findall(sentence.text.lower())):
        return []
    if _sensitive(reply, matcher) != _sensitive(sentence.text, matcher):
        return []
    pieces: Pieces = []
    place, before = 0, sentence.start
    for start, end in [*kept, (sentence.end, sentence.end)]:
        word = sentence.text[start - sentence.start : end - sentence.start]
        match = (
            re.compile(rf"(?<!\w){re.escape(word)}(?!\w)").search(reply, place) if word else None
        )
        if word and match is None:
            return []
        till = match.start() if match else len(reply)
        pieces += _piece(sentence, (before, start), reply[place:till])
        place, before = (match.end() if match else till), end
    return pieces


def _sensitive(text: str, matcher: Matcher) -> list[str]:
    occurrences, rejected = matcher.find(text)
    every = [*occurrences, *(one.occurrence for one in rejected)]
    return sorted(text[slice(*one.span)].casefold() for one in every)


def _piece(sentence: Sentence, span: Span, new: str) -> Iterator[tuple[int, int, str]]:
    """Yield the change of a stretch without the words that both ends have in common."""
    old = sentence.text[span[0] - sentence.start : span[1] - sentence.start]
    if " ".join(old.split()) == " ".join(new.split()):
        return
    first, second = (re.findall(r"\s*\S+|\s+$", part) for part in (old, new))
    head, tail = common_ends(first, second)
    removed, added = ("".join(part[head : len(part) - tail]) for part in (first, second))
    start = span[0] + len("".join(first[:head]))
    yield start, start + len(removed), added


def _edits(text: str, changed: Sequence[Pieces]) -> Iterator[Edit]:
    """Yield the edit of all changed sentences, then those of single ones."""
    several = [[piece for pieces in changed for piece in pieces]] if len(changed) > 1 else []
    for pieces in [*several, *changed][:_MOST_EDITS]:
        old = ", ".join(text[start:end].strip() for start, end, _ in pieces)
        new = ", ".join(added.strip() for *_, added in pieces)
        before, after = Term(old, CONTEXT_ATTRIBUTE), Term(new, "said otherwise")
        yield edit_of(CONTEXT, EditKind.REWRITE, (CONTEXT_ATTRIBUTE, before), after, pieces)
