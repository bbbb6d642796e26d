"""Separate the answer of a reply from the model's reasoning and from its control tokens.

Reasoning comes in many forms: tags of any brackets (``<think>``, ``[THINK]``, ``<seed:think>``,
``<|begin_of_thought|>``), the channels of harmony, also after a server has dropped their special
tokens (``analysis...assistantfinal...``), and fixed sentences. Every pass is linear in the length
of the reply.
"""

import re
from functools import lru_cache
from typing import NamedTuple

_WORDS = (
    r"think(?:ing)?|thoughts?|reason(?:ing)?|reflect(?:ion)?|rationale|scratch_?pad|analysis|"
    r"working_out|monologue|deliberation|cot|chain_of_thought|introspection|critique"
)
_THOUGHT = re.compile(rf"(?:\w{{1,20}}_)?(?:{_WORDS})(?:_process|_trace|_steps|_\w{{0,6}}fast)?")
_ANSWER = re.compile(
    r"(?:final_|my_|the_)?(?:answer|solution|response|reply|output|result|labels?|classification|"
    r"class|category|sentiment|emotion|prediction|verdict|conclusion|decision|judge?ment|box)"
)
_MARK = re.compile(
    r"(?P<left><\|?|\[|\u25c1)(?P<slash>/?)(?P<name>[A-Za-z][\w:.-]{0,39})"
    r"(?:\s[^<>\[\]\n]{0,60})?(?P<right>\|?>|\]|\u25b7)"
)
_BEGIN = re.compile(r"(?:begin|start)(?:_of)?_(\w+)|(\w+)_(?:begin|start|prefix)")
_END = re.compile(r"(?:end|stop|close)(?:_of)?_(\w+)|(\w+)_(?:end|stop|suffix)")
# Marks whose names do not say what they are (MedGemma, Gemma 4, Apertus, Solar).
_NAMED = {
    "<unused94>": "<think>",
    "<unused95>": "</think>",
    "<|channel>": "<think>",
    "<channel|>": "</think>",
    "<|inner_prefix|>": "<think>",
    "<|inner_suffix|>": "</think>",
    "<|begin|>": "<|start|>",
    "<|content|>": "<|message|>",
}
_RENAMED = re.compile("|".join(map(re.escape, _NAMED)))

_HARMONY = re.compile(r"<\|(start|channel|message|end|return|call|constrain)\|>")
_STUCK_FINAL = re.compile(r"assistantfinal")
_LOOSE_FINAL = re.compile(r"assistant\s{0,4}final")
_STUCK_ANALYSIS = re.compile(r"\s{0,9}(?:analysis|commentary)(?=[^\W_]|\n)")
_OPENED_IN_WORDS = re.compile(
    r"\s{0,9}(?:here(?:'s| is) my thought process:|thinking(?: process)?\.\.\.)", re.I
)
_CLOSED_IN_WORDS = re.compile(
    r"here(?:'s| is) my (?:response|answer):|\.\.\.done thinking\.?", re.I
)

_TURN = (
    r"im_end|eot_id|eom_id|endoftext|end_of_text|end_of_turn|end_of_turn_token|end|return|user|"
    r"end_of_assistant|eos|im_sep"
)
_END_OF_TURN = re.compile(
    rf"<\|(?:{_TURN})\|>|<(?:end_of_turn|eos|/s)>|\[/INST\]|"
    r"<\uff5cend\u2581of\u2581sentence\uff5c>",
    re.I,
)
_START_OF_TURN = re.compile(
    r"\s{0,9}(?:<\|(?:im_start|start_header_id|start)\|>|<start_of_turn>)"
    r"\s{0,9}(?:assistant|model)?\s{0,9}(?:<\|(?:end_header_id|message)\|>)?",
    re.I,
)
_TOKEN = re.compile(r"<\|[\w/ -]{1,40}\|>|</?(?:s|bos|eos|pad)>|<(?:start|end)_of_turn>", re.I)


class Said(NamedTuple):
    """A reply without its reasoning; ``reasoned``: there was some. ``unfinished``: no answer."""

    text: str
    reasoned: bool = False
    unfinished: bool = False


class Tag(NamedTuple):
    """A mark around reasoning or around an answer."""

    name: str
    thought: bool
    closing: bool
    start: int
    end: int


@lru_cache(maxsize=512)
def _kind(name: str) -> tuple[str, bool, bool] | None:
    """Return the core of a mark's name, whether it marks a thought, and whether it closes one."""
    core, closing = name.casefold().replace("-", "_").rpartition(":")[2], False
    for pattern, closes in ((_BEGIN, False), (_END, True)):
        if match := pattern.fullmatch(core):
            inner = match.group(1) or match.group(2)
            if _THOUGHT.fullmatch(inner) or _ANSWER.fullmatch(inner):
                core, closing = inner, closes
    if _THOUGHT.fullmatch(core):
        return core, True, closing
    return (core, False, closing) if _ANSWER.fullmatch(core) else None


def tags(text: str) -> list[Tag]:
    """List the marks around reasoning and answers, in order."""
    marks = []
    for match in _MARK.finditer(text):
        if kind := _kind(match["name"]):
            core, thought, closing = kind
            marks.append(Tag(core, thought, closing or bool(match["slash"]), *match.span()))
    return marks


def without_reasoning(reply: str) -> Said:
    """Return what a reply says after its reasoning, without control tokens."""
    text = _RENAMED.sub(lambda match: _NAMED[match.group()], reply)
    said = _harmony(text) or _in_words(text) or _tagged(text)
    return said._replace(text=_one_turn(said.text))


def _harmony(text: str) -> Said | None:
    """Read the last final channel; None if the reply has no channels."""
    if "<|message|>" in text or "<|channel|>" in text:
        parts = _HARMONY.split(text)
        name, final = parts[0].strip() or "final", None
        for kind, content in zip(parts[1::2], parts[2::2], strict=True):
            if kind == "start":  # without a channel, only the assistant's message is an answer
                name = "final" if content.strip() == "assistant" else ""
            elif kind == "channel":
                name = content.strip()
            elif kind == "message" and name.startswith("final"):
                final = content
        return Said(final or "", reasoned=True, unfinished=final is None)
    analysis = _STUCK_ANALYSIS.match(text)
    finals = list((_LOOSE_FINAL if analysis else _STUCK_FINAL).finditer(text))
    if finals:
        return Said(text[finals[-1].end() :], reasoned=True)
    return Said("", reasoned=True, unfinished=True) if analysis else None


def _in_words(text: str) -> Said | None:
    if not _OPENED_IN_WORDS.match(text):
        return None
    closed = list(_CLOSED_IN_WORDS.finditer(text))
    if not closed:
        return Said("", reasoned=True, unfinished=True)
    return Said(text[closed[-1].end() :], reasoned=True)


def _tagged(text: str) -> Said:
    """Leave out what stands between marks of reasoning.

    The opening mark may be missing, as some chat templates put it into the prompt. A mark without
    its end is an unfinished thought, and the reply no answer, unless an answer is marked after it.
    """
    kept: list[str] = []
    opened: list[str] = []  # names of the thoughts that are open
    place = 0
    marks = tags(text)
    thoughts = [mark for mark in marks if mark.thought]
    for mark in thoughts:
        if not mark.closing:
            if not opened:
                kept.append(text[place : mark.start])
            opened.append(mark.name)
        elif not opened:
            kept, place = [], mark.end
        elif mark.name in opened:
            del opened[opened.index(mark.name) :]
            place = mark.end
    if not opened:
        return Said("".join([*kept, text[place:]]), reasoned=bool(thoughts))
    last = thoughts[-1].end
    answer = next((m for m in marks if not m.thought and not m.closing and m.start >= last), None)
    if answer is None:
        return Said("", reasoned=True, unfinished=True)
    return Said(text[answer.start :], reasoned=True)


def _one_turn(text: str) -> str:
    """Cut control tokens, and what a model says in further turns."""
    if "<" not in text and "[" not in text:
        return text
    text = text[start.end() :] if (start := _START_OF_TURN.match(text)) else text
    place = 0
    for match in _END_OF_TURN.finditer(text):
        if text[place : match.start()].strip():
            text = text[: match.start()]
            break
        place = match.end()
    if "<" not in text:
        return text
    # Marks of an answer stay.
    return _TOKEN.sub(lambda m: m.group() if _kind(m.group().strip("<|/>")) else "", text)
