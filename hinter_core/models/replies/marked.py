"""Find answers that a reply marks as such: by tags, boxes, headings, or a line of their own."""

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from hinter_core.models.replies.claims import COURTESY, NOUN, claimed, taken_back
from hinter_core.models.replies.naming import MarkedAnswer, Names, undecorated
from hinter_core.models.replies.reasoning import tags
from hinter_core.models.replies.structured import structured

_EDGE = r"[\"'*_`)\]]{0,4}"
_HEADING = re.compile(
    rf"(?<![\w-])(?P<noun>{NOUN}){_EDGE}[ ]?(?:is|are)?[ ]?(?::|=(?!=)|\u2192|->|=>|\u2014){_EDGE}"
    rf"|^[ #>*_]{{0,8}}(?:final |predicted |my |the ){{0,2}}(?P<alone>{NOUN})[ *_#]{{0,4}}$"
    rf"|\b(?:the|my|final|therefore,?|correct|overall)[ ](?:\w{{1,15}}[ ]){{0,2}}(?P<said>{NOUN})"
    r"(?:[ ](?:of|for|in|to)(?:[ ]\w{1,15}){1,4})?[ ](?:is|are|would be|should be|must be)[ ]",
    re.I | re.M,
)
# Before a heading: an enumeration of what may be answered, and what makes an answer the last word.
_OPTIONS = re.compile(
    r"\b(?:possible|available|candidate|allowed|valid|given|following|these|other|alternative|"
    r"initial|first|tentative)[ ]$",
    re.I,
)
# A sentence that says what the answer is begins so, or after a comma: not "I doubt that the ...".
_CLAUSE = re.compile(
    r"(?:[^\n]{0,200}[,;:!)*] ?)?[ #>*_-]{0,8}(?:(?:and|but|so|then|thus|hence|therefore|overall|"
    r"finally|i (?:would )?(?:think|believe|say|conclude)(?: that)?|the|my|this|its|final|correct|"
    r"best|predicted|most|likely|appropriate|main|primary|text's|\d{1,2}\.),? ){0,5}",
    re.I,
)
_CONDITION = re.compile(r"\b(?:if|unless|whether|were|suppose|assuming|example)\b", re.I)
_STOP = re.compile(r"[.!?](?= )|\n")
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
_NEAR = 20_000  # characters beside a lone label that may say another one
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


def marked_answer(text: str, names: Names, *, cut: bool) -> MarkedAnswer | None:
    """Return the answer that a reply marks; None if it marks none.

    Marks must agree, but one that is the last word overrules those before it. ``cut``: a mark at
    the end of the reply may be incomplete.
    """
    read, rest = structured(text, names)
    for mark in list(_marks(rest, text, names))[-_MARKS:]:
        if cut and not mark.closed:
            continue
        answer = _content(mark.content, names)
        if answer is not None:
            read.append(answer._replace(start=mark.start, end=mark.end, final=mark.final))
    read = read or list(_alone(rest, names, cut=cut))
    read.sort(key=lambda one: (one.start, one.end))
    return _agreed(read, rest, names)


def _agreed(read: list[MarkedAnswer], rest: str, names: Names) -> MarkedAnswer | None:
    valid = [one for one in read if not one.fault]
    if not valid:
        return read[-1] if read else None
    final = [one for one in valid if one.final]
    decisive = [one for one in valid if not final or one.final or one.start > final[-1].start]
    if len({one.labels for one in decisive}) > 1:
        return MarkedAnswer(fault="it gives two answers")
    last = max(one.end for one in decisive)
    if late := next((one for one in read if one.fault and one.start >= last), None):
        return late
    labels = decisive[0].labels
    after = rest[last:]
    others = [m for m in names.mentions(after[:20_000]) if not m.fault and m.label not in labels]
    if taken_back(after, labels) or (others and _REVISED.search(after)):
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
        and _claims(rest, match)
    ]
    for match, following in zip_longest(headings, headings[1:]):
        yield _headed(rest, match, following, names)


def _claims(rest: str, match: re.Match[str]) -> bool:
    """Whether a heading that is part of a sentence is its main clause."""
    if not re.search(r" (?:is|are|be)\b", match.group()):
        return True
    before = rest[max(0, match.start() - 160) : match.start()]
    clause = _STOP.split(before)[-1].lstrip()
    return bool(_CLAUSE.fullmatch(clause)) and not _CONDITION.search(clause)


def _headed(rest: str, match: re.Match[str], following: re.Match[str] | None, names: Names) -> Mark:
    """Return what stands behind a heading: the rest of its line, or the next line.

    Further lines that are a label belong to it.
    """
    start = match.end()
    ahead = rest[start : start + _MOST]
    if not ahead.split("\n", 1)[0].strip(_DECORATION):
        start += len(ahead) - len(ahead.lstrip(_DECORATION + "\n"))
    end = rest.find("\n", start, start + _MOST)
    while end >= 0:
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
    return claimed(rest, names)


def _alone(rest: str, names: Names, *, cut: bool) -> Iterator[MarkedAnswer]:
    """Yield labels that are the first or the last line or sentence."""
    lines = [(m.start(), m.group()) for m in _LINE.finditer(rest) if m.group().strip()]
    if not lines:
        return
    if names.multi:
        yield from _block(lines, names, rest, cut=cut)
        return
    (begin, first), (end, last) = lines[0], lines[-1]
    parts = [(begin, sentence, rest[begin:]) for sentence in _SENTENCE.split(first, 1)[:-1]]
    if not (cut and len(lines) == 1):
        parts.append((begin, first, rest[begin:]))
    if not cut:
        tail = _SENTENCE.split(last)[-1]
        parts += [(end, last, ""), (end + len(last) - len(tail), tail, last)]
    if len(lines) > 1 and not cut and names.exact(last) is not None:  # the last word
        parts = [(start, part, "") for start, part, _ in parts]
    read = []
    for start, part, beside in parts:
        label = names.exact(part)
        # A lone number begins a list, or ends a sentence.
        worded = part in (first, last) or not undecorated(part).isdigit()
        if label is not None and worded:
            read.append(MarkedAnswer(frozenset({label}), "", start, start + len(part)))
            other = _other_claim(part, label, beside.replace(part, "", 1), names)
            read += [other._replace(start=start, end=start)] if other else []
    between = {label for _, line in lines[1:-1] if (label := names.exact(line)) is not None}
    yield from read
    if read:  # a list of labels is no answer
        yield from (read[0]._replace(labels=frozenset({one})) for one in between)


def _other_claim(part: str, label: str, beside: str, names: Names) -> MarkedAnswer | None:
    """Return what the text beside a lone label says instead: "OK! This is toxic."."""
    claim = claimed(beside[:_NEAR], names)
    if claim is not None and not claim.fault and claim.labels != {label}:
        return claim
    others = [m for m in names.mentions(beside[:_NEAR]) if not m.fault and m.label != label]
    if others and COURTESY.fullmatch(undecorated(part)):
        return MarkedAnswer(frozenset({others[0].label}))
    return None


def _block(
    lines: list[tuple[int, str]], names: Names, rest: str, *, cut: bool
) -> Iterator[MarkedAnswer]:
    """Yield the labels of lines of their own, if no other label is named elsewhere."""
    alone = [(start, line, label) for start, line in lines
             if (label := names.exact(line)) is not None]  # fmt: skip
    if not alone or (cut and alone[-1][0] == lines[-1][0]):
        return
    labels = frozenset(label for _, _, label in alone) - {names.none, ""}
    starts = {start for start, _, _ in alone}
    others = [line for start, line in lines if start not in starts]
    elsewhere = [m for line in others for m in names.mentions(line[:20_000])]
    # Signs that differ from line to line may say yes and no.
    signs = {"".join(c for c in line if c >= "\u2190" and not c.isalnum()) for _, line, _ in alone}
    if len(signs) > 1 or any(not m.fault and m.label not in labels for m in elsewhere):
        fault = "it names labels in two ways"
    else:
        fault = "it denies a label" if any(m.fault and m.label in labels for m in elsewhere) else ""
    end = len(rest) if fault else alone[-1][0] + len(alone[-1][1])
    yield MarkedAnswer(frozenset() if fault else labels, fault, alone[0][0], end)
