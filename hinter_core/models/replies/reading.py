"""Read the labels of a reply in stages; nothing is guessed.

1. Reasoning and control tokens are left out. A reply that is only reasoning has no answer.
2. An answer that is marked counts: the whole reply, an object, a tag, a heading, a last line.
3. Else sentences of a few shapes must claim one label (or, of several, any number).

What contradicts itself, was cut off before its answer, asks, or declines to answer is a failure
with a name. All passes are linear, and their lengths bounded.
"""

import re
from collections.abc import Sequence

from hinter_core.models.replies.claims import COURTESY, claimed
from hinter_core.models.replies.glosses import glossed
from hinter_core.models.replies.marked import marked_answer
from hinter_core.models.replies.naming import MarkedAnswer, Names, names_of
from hinter_core.models.replies.reasoning import Said, without_reasoning
from hinter_core.models.replies.structured import structured
from hinter_core.types import Failure, Prediction

_I = r"i(?:'m| am|['\u2019]d)?"
_VERBS = (
    r"help|assist|comply|answer|respond|provide|fulfil\w*|engage|classify|judge|label|rate|evaluate|"
    r"assess|determine|complete|process|participate|continue|offer|give|analy[sz]e|categori[sz]e|"
    r"support|discuss|generate|do (?:that|this|so)|make (?:that|this|a)"
)
_REFUSES = re.compile(
    rf"\b(?:i (?:(?:must|have to|need to|will|would|'ll) )?(?:respectfully |politely )?"
    rf"(?:decline|refuse|abstain)\b|"
    rf"(?:i |we )(?:can(?:no|['\u2019])t|cannot|can not|won['\u2019]t|will not|am not able to|"
    rf"am unable to)(?: \w{{1,12}}){{0,2}} (?:{_VERBS})\b|"
    rf"(?:can(?:no|['\u2019])t|cannot|can not) (?:say|tell|decide) (?:whether|if|which)\b|"
    rf"(?:unable|not able|not willing|unwilling|not allowed|not permitted) to (?:{_VERBS})\b|"
    rf"(?:not (?:feel )?comfortable|n['\u2019]t feel comfortable|uncomfortable) (?:with )?"
    rf"\w{{1,12}}ing\b|"
    rf"(?:rather|prefer) not (?:to )?(?:{_VERBS}|say)\b|"
    rf"against my (?:guidelines|polic\w+|programming|values)|"
    rf"violates? (?:\w{{1,12}} ){{0,3}}(?:guidelines|polic\w+))",
    re.I,
)
_DECLINES = re.compile(
    rf"\b(?:{_I} (?:sorry|afraid)|i apologi[sz]e|"
    r"i (?:can(?:no|['\u2019])t|cannot|can not|won['\u2019]t|will not)|"
    r"unable to|as an ai|not able to (?:help|assist|answer))",
    re.I,
)
_ASIDE = re.compile(
    r"^[ *_#>-]{0,8}(?:explanation|reasons?|reasoning|rationale|justification|note|confidence|"
    r"evidence|analysis)[*_]{0,3} ?:[^\n]{0,5000}$",
    re.I | re.M,
)
# "OK! I can help with that." and "Sure, let me look:" say nothing of the text.
_OFFER = re.compile(
    rf"\W{{0,8}}(?:{COURTESY.pattern})[!.,]{{0,3}} (?:i can|i(?:['\u2019]ll| will)|let me|"
    r"(?:i(?:['\u2019]m| am|['\u2019]d be) )?(?:happy|glad) to) (?:help|assist|look|think|check|"
    r"do (?:that|this|so)|(?:take|have) a look)\b[^.!?:,;\n]{0,80}[.!:]{1,3}(?=\s|$)",
    re.I,
)
_FENCE = re.compile(r"```\w{0,20}")
_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\n ?(?:\n ?)+")
_UNSEEN = re.compile(
    r"[\u200b-\u200f\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069\x00-\x08\x0e-\x1f]"
)
_LONGEST = 100_000  # characters of a reply without its reasoning
_SPOKEN = 20_000  # characters of a reply without a mark that are read
_DETAIL = 200  # characters of a reply in a message
EMPTY = Prediction(failure=Failure.UNPARSABLE, detail="the answer is empty")
ONLY_REASONING = Prediction(
    failure=Failure.UNPARSABLE, detail="it holds only reasoning and no answer"
)


def refuses(reply: str) -> bool:
    """Whether a reply declines to answer."""
    return bool(_DECLINES.search(reply) or _REFUSES.search(reply))


def answer_of(reply: str) -> Said:
    """Return what a reply says after its reasoning."""
    return without_reasoning(_UNSEEN.sub("", reply))


def parse_answer(
    answer: str,
    labels: Sequence[str],
    *,
    multi_label: bool = False,
    none_label: str = "",
    cut: bool = False,
) -> Prediction:
    """Return the labels in ``answer``, in the order of ``labels``, or a failure.

    In multi-label tasks ``none_label`` ("None") means the empty set of labels. ``cut``: the reply
    ended because it was too long, so that only a complete, marked answer counts.
    """
    names = names_of(tuple(labels), multi_label, none_label)
    whole = names.exact(answer)  # a label may look like a mark: "[Reasoning]"
    said = Said(answer) if whole is not None else answer_of(answer)
    text = _LINES.sub("\n", _BLANKS.sub(" ", _FENCE.sub("\n", said.text))).strip()
    if not text or said.unfinished:
        return ONLY_REASONING if said.reasoned else EMPTY
    read = _read(text, names, cut=cut)
    if not read.fault:
        return Prediction(tuple(label for label in labels if label in read.labels))
    short = " ".join(said.text[: 4 * _DETAIL].split())
    short = short if len(short) <= _DETAIL else short[:_DETAIL] + "\u2026"
    if read.fault == _REFUSED:
        return Prediction(failure=Failure.REFUSED, detail=short)
    return Prediction(failure=Failure.UNPARSABLE, detail=f"{read.fault}: {short}")


_REFUSED = "it refuses"


def _read(text: str, names: Names, *, cut: bool) -> MarkedAnswer:
    if len(text) > _LONGEST:
        return MarkedAnswer(fault="it is too long for an answer")
    if offer := _OFFER.match(text):
        text = text[offer.end() :].strip()
    exact = names.exact(text)
    if exact is not None and not (cut and names.begins_another(exact)):
        return MarkedAnswer(frozenset({exact} - {names.none, ""}))
    if (marked := marked_answer(text, names, cut=cut)) is not None and not marked.fault:
        return marked
    if _REFUSES.search(text[:_SPOKEN]):
        return MarkedAnswer(fault=_REFUSED)
    if not cut and not refuses(text[:_SPOKEN]) and (gloss := glossed(text[:_SPOKEN], names)):
        return gloss
    if marked is not None:
        return marked
    if cut:
        return MarkedAnswer(fault="it was cut off before an answer")
    if len(text) > _SPOKEN:
        return MarkedAnswer(fault="it marks no answer in a long text")
    named = claimed(structured(_ASIDE.sub("", text), names)[1], names)
    if named is not None:
        return named
    if refuses(text):
        return MarkedAnswer(fault=_REFUSED)
    unclear = "it names a label without a clear claim"
    return MarkedAnswer(fault=unclear if names.has_word(text) else "it names no label")
