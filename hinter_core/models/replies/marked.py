"""Find answers that a reply marks as such: by tags, boxes, headings, or a line of their own."""

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from hinter_core.models.replies.naming import NamedLabel, Names, scored, undecorated
from hinter_core.models.replies.reasoning import tags
from hinter_core.models.replies.structured import structured

_NOUN = (
    r"answer|labels?|classification|class|classes|category|categories|sentiment|emotions?|"
    r"prediction|verdict|result|output|response|conclusion|decision|choice|rating|polarity|tone|"
    r"stance|intent|topics?|judge?ment|assessment|determination|tags?|solution|option|grade|score|overall"
)
_EDGE = r"[\"'*_`)\]]{0,4}"
_HEADING = re.compile(
    rf"(?<![\w-])(?P<noun>{_NOUN}){_EDGE}[ ]?(?:is|are)?[ ]?(?::|=(?!=)|\u2192|->|=>|\u2014){_EDGE}"
    rf"|^[ #>*_]{{0,8}}(?:final |predicted |my |the ){{0,2}}(?P<alone>{_NOUN})[ *_#]{{0,4}}$"
    rf"|\b(?:the|my|final|therefore,?|correct|overall)[ ](?:\w{{1,15}}[ ]){{0,2}}(?P<said>{_NOUN})"
    r"(?:[ ](?:of|for|in|to)(?:[ ]\w{1,15}){1,4})?[ ](?:is|are|would be|should be|must be)[ ]",
    re.I | re.M,
)
# Before a heading: an enumeration of what may be answered, and what makes an answer the last word.
_OPTIONS = re.compile(
    r"\b(?:possible|available|candidate|allowed|valid|given|following|these|other|alternative|"
    r"initial|first|tentative)[ ]$",
    re.I,
)
_FINAL = re.compile(
    r"\b(?:final|finally|therefore|thus|hence|so|conclusion|overall|ultimately|conclude)\b"
    r"[^\n]{0,40}$",
    re.I,
)
_BOX = re.compile(
    r"\\[bf]?boxed?\s?\{(?:\\(?:text|mathrm|textbf|mathbf)\w{0,4}\s?\{)?([^{}]{0,200})\}"
)
_DOUBLE = re.compile(r"\[\[([^\[\]\n]{1,200})\]\]")
_SAID_LAST = re.compile(r"[ #>*_]{0,8}(?:final|therefore|overall)\b", re.I)
_DECORATION = " *_`#\"'"
_LINE = re.compile(r"[^\n]+")
_SENTENCE = re.compile(r"[.!](?=\s)")
# What takes back or doubts an answer that came before.
_REVISED = re.compile(
    r"\b(?:wait|actually|however|correction|on second thoughts?|rather|sorry|i mean|instead|hmm+|"
    r"reconsider\w*|scratch that|mistake|changed? my mind|alternatively|or maybe|or perhaps|"
    r"could also|might also|let me (?:re|check|think|look|correct|see))\b",
    re.I,
)
_TAKEN_BACK = re.compile(
    r"[\W_]{0,6}(?:not\b|just kidding|no, wait|scratch that|or\b|i(?:'m| am) (?:not sure|joking))",
    re.I,
)
_HALF = 0.5
_MOST = 500  # characters of what stands behind a mark
_MARKS = 60  # marks that are read, the last ones


class Mark(NamedTuple):
    """What a reply marks as its answer.

    ``final``: as its last word. ``closed``: something behind it shows that it is complete.
    """

    content: str
    start: int
    end: int
    final: bool
    closed: bool


class MarkedAnswer(NamedTuple):
    """The labels of a marked answer, or a ``fault``."""

    labels: frozenset[str] = frozenset()
    fault: str = ""


def marked_answer(text: str, names: Names, *, cut: bool) -> MarkedAnswer | None:
    """Return the answer that a reply marks; None if it marks none.

    Marks must agree, but one that is the last word overrules those before it. ``cut``: a mark at
    the end of the reply may be incomplete.
    """
    objects, rest = structured(text, names)
    read: list[tuple[int, int, bool, MarkedAnswer]] = [
        (one.start, one.end, False, MarkedAnswer(one.labels, one.fault)) for one in objects
    ]
    for mark in list(_marks(rest, text, names))[-_MARKS:]:
        if cut and not mark.closed:
            continue
        answer = _content(mark.content, names)
        if answer is not None:
            read.append((mark.start, mark.end, mark.final, answer))
    if not read:
        read = [(at, end, False, answer) for at, end, answer in _alone(rest, names, cut=cut)]
    read.sort(key=lambda one: one[:2])
    return _agreed(read, rest, names)


def _agreed(
    read: list[tuple[int, int, bool, MarkedAnswer]], rest: str, names: Names
) -> MarkedAnswer | None:
    valid = [one for one in read if not one[3].fault]
    if not valid:
        return read[-1][3] if read else None
    final = [one for one in valid if one[2]]
    decisive = [one for one in valid if not final or one[2] or one[0] > final[-1][0]]
    if len({one[3].labels for one in decisive}) > 1:
        return MarkedAnswer(fault="it gives two answers")
    last = max(one[1] for one in decisive)
    if late := next((one for one in read if one[3].fault and one[0] >= last), None):
        return late[3]
    labels = decisive[0][3].labels
    after = rest[last:]
    others = [m for m in names.mentions(after[:20_000]) if not m.fault and m.label not in labels]
    if _TAKEN_BACK.match(after) or (others and _REVISED.search(after)):
        return MarkedAnswer(fault="it takes its answer back")
    return MarkedAnswer(labels)


def _marks(rest: str, text: str, names: Names) -> Iterator[Mark]:
    """Yield marks in ``rest``, which is ``text`` without its objects."""
    opened = None
    for tag in tags(rest):
        if tag.thought:
            continue
        if opened is not None:
            closed = tag.closing and tag.name == opened.name
            yield Mark(text[opened.end : tag.start][:_MOST], opened.start, tag.end, True, closed)
        opened = None if tag.closing else tag
    if opened is not None:
        yield Mark(text[opened.end :][:_MOST], opened.start, len(text), True, False)
    for pattern in (_BOX, _DOUBLE):
        for match in pattern.finditer(rest):
            yield Mark(match[1], match.start(), match.end(), True, True)
    headings = [
        match
        for match in _HEADING.finditer(rest)
        if not _OPTIONS.search(rest, max(0, match.start() - 20), match.start())
    ]
    for match, following in zip_longest(headings, headings[1:]):
        yield _headed(rest, match, following, names)


def _headed(rest: str, match: re.Match[str], following: re.Match[str] | None, names: Names) -> Mark:
    """Return what stands behind a heading: the rest of its line, or the next line.

    If several labels may be given, lines that are a label belong to it.
    """
    start = match.end()
    ahead = rest[start : start + _MOST]
    if not ahead.split("\n", 1)[0].strip(_DECORATION):
        start += len(ahead) - len(ahead.lstrip(_DECORATION + "\n"))
    end = rest.find("\n", start, start + _MOST)
    while names.multi and end >= 0:
        line = rest[end + 1 : end + _MOST].split("\n", 1)[0]
        if names.exact(line) is None:
            break
        end = rest.find("\n", end + 1, end + _MOST)
    closed, end = end >= 0, min(len(rest), start + _MOST) if end < 0 else end
    if following is not None and following.start() < end:
        end, closed = max(start, following.start()), True
    content = rest[start:end][:_MOST]
    closed |= end < len(rest)
    closed |= content.rstrip()[-1:] in {*".!;)*\"'`"}
    noun = (match["noun"] or match["alone"] or match["said"]).casefold()
    final = (
        noun in ("conclusion", "verdict")
        or _FINAL.search(rest, max(0, match.start() - 60), match.start()) is not None
        or _SAID_LAST.match(match.group()) is not None
    )
    return Mark(content, match.start(), end, final, closed)


def _content(content: str, names: Names) -> MarkedAnswer | None:
    """Read what stands behind a mark; None if it is no label at all."""
    exact = names.exact(content)
    if exact is not None:
        return MarkedAnswer(frozenset({exact} - {names.none, ""}))
    objects, rest = structured(content, names)
    if objects:
        faults = [one.fault for one in objects if one.fault]
        if faults or len({one.labels for one in objects}) > 1:
            return MarkedAnswer(fault=faults[0] if faults else "it gives two answers")
        return MarkedAnswer(objects[0].labels)
    if not names.multi and (lead := _leading(rest, names)):
        return MarkedAnswer(frozenset({lead}))
    return spoken(rest, names)


def _leading(content: str, names: Names) -> str:
    """Return the label that content begins with, if all other labels in it are denied; or ""."""
    mentions = names.mentions(content)
    if not mentions or mentions[0].fault or undecorated(content[: mentions[0].start]):
        return ""
    first = mentions[0]
    rest = content[first.end :]
    if any(not m.fault for m in mentions[1:] if m.label != first.label) or _TAKEN_BACK.match(rest):
        return ""
    return first.label


def spoken(body: str, names: Names) -> MarkedAnswer | None:
    """Read labels that are named in words; None if none is named."""
    mentions = names.mentions(body)
    faults = {m.fault for m in mentions} - {"", "it asks"}
    named = {m.label for m in mentions if m.fault != "it asks"}
    if faults:
        return MarkedAnswer(fault=min(faults))
    if not named:
        return MarkedAnswer(fault="it asks") if mentions else None
    if len(named) > 1 and (names.none in named or not names.multi):
        return MarkedAnswer(fault=f"it names {len(named)} labels")
    return _unscored(mentions, named, body, names)


def _unscored(mentions: list[NamedLabel], named: set[str], body: str, names: Names) -> MarkedAnswer:
    for mention in mentions:
        score = scored(body[mention.end : mention.end + 30])
        if score is not None and (names.multi or score < _HALF):
            return MarkedAnswer(fault="it scores a label")
    return MarkedAnswer(frozenset(named - {names.none}))


def _alone(rest: str, names: Names, *, cut: bool) -> Iterator[tuple[int, int, MarkedAnswer]]:
    """Yield labels that are the first or the last line or sentence."""
    lines = [(m.start(), m.group()) for m in _LINE.finditer(rest) if m.group().strip()]
    if not lines:
        return
    if names.multi:
        yield from _block(lines, names, rest, cut=cut)
        return
    (begin, first), (end, last) = lines[0], lines[-1]
    parts = [(begin, sentence) for sentence in _SENTENCE.split(first, 1)[:-1]]
    if not (cut and len(lines) == 1):
        parts.append((begin, first))
    if not cut:
        tail = _SENTENCE.split(last)[-1]
        parts += [(end, last), (end + len(last) - len(tail), tail)]
    for start, part in parts:
        label = names.exact(part)
        # A lone number begins a list, or ends a sentence.
        worded = part in (first, last) or not undecorated(part).isdigit()
        if label is not None and worded:
            yield start, start + len(part), MarkedAnswer(frozenset({label}))


def _block(
    lines: list[tuple[int, str]], names: Names, rest: str, *, cut: bool
) -> Iterator[tuple[int, int, MarkedAnswer]]:
    """Yield the labels of lines of their own, if no other label is named elsewhere."""
    alone = [(start, line, label) for start, line in lines
             if (label := names.exact(line)) is not None]  # fmt: skip
    if not alone or (cut and alone[-1][0] == lines[-1][0]):
        return
    labels = frozenset(label for _, _, label in alone) - {names.none, ""}
    own = {start for start, _, _ in alone}
    others = [line for start, line in lines if start not in own]
    elsewhere = [m for line in others for m in names.mentions(line[:20_000])]
    if any(not m.fault and m.label not in labels for m in elsewhere):
        yield alone[0][0], len(rest), MarkedAnswer(fault="it names labels in two ways")
        return
    if any(m.fault and m.label in labels for m in elsewhere):
        yield alone[0][0], len(rest), MarkedAnswer(fault="it denies a label")
        return
    yield alone[0][0], alone[-1][0] + len(alone[-1][1]), MarkedAnswer(labels)
