"""Read labels from sentences of a few shapes, such as "It is positive, because ..."; else nothing.

A sentence that names a label in any other way, as in a doubt, a condition or a longer noun phrase,
is no answer, so that hedges need no list.
"""

import re
from collections.abc import Iterable, Sequence

from hinter_core.models.replies.naming import MarkedAnswer, NamedLabel, Names, scored

NOUN = (
    r"answer|labels?|classification|class|classes|category|categories|sentiment|emotions?|"
    r"prediction|verdict|result|output|response|conclusion|decision|choice|rating|polarity|tone|"
    r"stance|intent|topics?|judge?ment|assessment|determination|tags?|solution|option|grade|score|overall"
)
_EDGE = r"[\s\"'*_`()\[\]{}$<>#|\u201c\u201d\u2018\u2019\u00ab\u00bb~-]{0,8}"
# A noun phrase, in the languages in which replies often frame English labels.
_WORD = (
    r"(?!(?:that|this|it|is|who|which|if|not|no|opposite|contrary|wrong|least|other)\b)[\w-]{1,20}"
)
_THING = (
    r"(?:(?:it|this|that|(?:the|this|that|these|my|its|an?|die|der|das|le|la|les|el|il)"
    rf"(?: {_WORD}){{1,3}}?(?: (?:of|in|for) (?:(?:the|this|that|a) )?{_WORD}){{0,2}}))"
)
_IS = (
    r"(?:['\u2019]s| (?:is|are|was|would be|should be|must be|seems?(?: to be)?|"
    r"appears?(?: to be)?|sounds|reads|looks|comes across|ist|sind|est|sont|es|\u00e8|\u00e9))"
)
_HAS = (
    r" (?:conveys?|express(?:es)?|shows?|contains?|has|have|reflects?|displays?|"
    r"feels?|is expressing|is about|belongs to|falls (?:under|into))"
)
_I_SAY = (
    r"i(?:['\u2019](?:d|ll)| would| will)? (?:say|think|believe|call|rate|classify|label|choose|"
    r"pick|select|answer|go with|consider|judge|give|conclude)(?: that)?"
)
_OPENING = (
    r"(?:(?:yes|no|sure|okay|ok|well|so|thus|hence|therefore|overall|certainly|finally|and|but|"
    r"in (?:conclusion|summary|short)|(?:based on|given|considering) [^,.;\n]{1,80})[,!]? )?"
)
_DEGREE = (
    r"(?: ?(?:an?|the|very|quite|both|clearly|definitely|certainly|overall|mostly|"
    r"mainly|labell?ed|classified|as)\b){0,3}"
)
_BEFORE = re.compile(
    rf"{_EDGE}(?:\\\w{{1,10}}\{{|[a-z][).] )?"
    rf"(?:{_OPENING}(?:{_THING}(?:{_IS}|{_HAS})|there (?:is|are)|{_I_SAY}(?: {_THING})?"
    rf"(?:{_IS}| to be)?|(?:(?:the|my|final|correct) ){{0,2}}(?:{NOUN}))?{_DEGREE}"
    rf"|(?:both|so|thus|hence|therefore|overall),?)?{_EDGE}",
    re.I,
)
# A mark in any language, and a cell of a table.
_MARKED = re.compile(
    r"(?!.*(?:\b(?:not?|never|none|wrong|unlikely|if|absent|false|example)\b|n['\u2019]t\b))[^,;?!]{0,80}"
    rf"[:=\uff1a\u2192>|]{_EDGE}",
    re.I,
)
_TONE = (
    rf"(?: (?:in )?(?:{NOUN}|mood|nature|stars?|feelings?|text|article|"
    r"comment|review|sentence|message|statement))?"
)
_PRESENT = (
    r"(?: (?:is|are|was|were) (?:present|expressed|shown|conveyed|evident|violated|breached))?"
)
_AFTER = re.compile(
    rf"[\"'*_`\])\u201d\u2019\u00bb~]{{0,6}}{_TONE}{_PRESENT}(?:,? to me)?"
    r"[\"'*_`\])\u201d\u2019\u00bb~]{0,4}"
    r"(?:</\w{1,10}>)?"
    r"(?:(?:,? ?[(\[]|,? (?:because|since|as|for|due to|given|based on|with)\b|"
    r", (?:it|this|that|there|the)\b)|"
    r"(?P<aside>[):\u2014]| [|\u2013\u2014-])|[^\w,]*$)",
    re.I,
)
_NONE_OF = re.compile(rf" of (?:them|these|those|the(?: \w{{1,15}})? (?:{NOUN}|above|options))\b")
_AND = re.compile(r"[\s\"'*`,;/|&+-]{1,6}(?:(?:and|as well as)\s(?:an?\s)?)?[\"'*`]{0,3}", re.I)
_SENTENCE = re.compile(r"[^\n]+?(?:[.!?\u3002](?=\s|$)|\n|$)")
_TAKEN_BACK = re.compile(
    r"[\W_]{0,6}(?:not\b|just kidding|no, wait|scratch that|or\b|i(?:'m| am) (?:not sure|joking)|"
    r"(?:depending|assuming|provided that|unless|if (?!you)|never mind|"
    r"(?:could|might|may) (?:be|not)|(?:is|are) (?:not|ruled out)|can(?:not| not|['\u2019]t) be|"
    r"said (?:nobody|no one))\b|"
    r"(?:unable|not able) to (?:assess|determine|judge|evaluate|decide|classify|say|tell|answer|"
    r"(?:provide|give|make) (?:an?|any|the) (?:assessment|answer|judge?ment|decision))\b)",
    re.I,
)
# "toxic. No toxicity detected." denies what it names; "reject. No experience." does not.
_NOTHING = re.compile(r"[\W_]{0,6}no\b[^.!?\n]{0,80}", re.I)
_FOUND = re.compile(
    r"\bno\W*$|"
    r"\b(?:evidence|signs?|indications?|traces?|hints?|detected|observed|found|seen|present)\b",
    re.I,
)
# What opens a reply whatever its answer is; a label may be such a word.
COURTESY = re.compile(
    r"ok(?:ay)?|yes|no|sure|fine|good|great|right|all ?right|well|certainly|absolutely|of course",
    re.I,
)
_HALF = 0.5
_BESIDE = 200  # characters beside a label that are read


def claimed(body: str, names: Names) -> MarkedAnswer | None:
    """Read labels that sentences of a text claim; None if no label is named."""
    mentions = names.mentions(body)
    left = [one for one in mentions if one.fault != "it asks"]
    if not left:
        return MarkedAnswer(fault="it asks") if mentions else None
    said: set[str] = set()
    denied: set[str] = set()
    marks: set[str] = set()
    for sentence in _SENTENCE.finditer(body):
        inside = [one for one in left if sentence.start() <= one.start < sentence.end()]
        left = left[len(inside) :]
        if all(one.fault for one in inside):
            denied |= {one.label for one in inside}
            continue
        claim = _claim(body, sentence, inside, names)
        if claim.fault:
            return claim
        said |= claim.labels
        denied |= claim.labels & {one.label for one in inside if one.fault}
        before = body[sentence.start() : inside[0].start].strip()
        marks |= {before} if before.endswith((":", "=", "\uff1a")) else set()
        rest = body[inside[-1].end : inside[-1].end + _BESIDE]
        if taken_back(rest, claim.labels):
            return MarkedAnswer(fault="it takes its answer back")
        if not left:
            break
    if not said or said & denied or (denied and names.multi):
        return MarkedAnswer(fault="it denies a label")
    if len(marks) > 1:  # "Found: joy" and "Lacking: fear"
        return MarkedAnswer(fault="it names labels in two ways")
    if len(said) > 1 and (names.none in said or not names.multi):
        return MarkedAnswer(fault=f"it names {len(said)} labels")
    return MarkedAnswer(frozenset(said - {names.none}))


def taken_back(after: str, labels: Iterable[str]) -> bool:
    """Whether a text behind an answer with these labels takes it back or makes it depend."""
    if _TAKEN_BACK.match(after):
        return True
    nothing = _NOTHING.match(after)
    if nothing is None:
        return False
    said = nothing.group().casefold()
    return bool(_FOUND.search(said)) or any(stem in said for one in labels for stem in stems(one))


def stems(label: str) -> list[str]:
    """Return the beginnings of the longer words of a label, in small letters."""
    return [word[:4] for word in re.findall(r"[^\W_]{4,}", label.casefold())]


def _claim(
    body: str, sentence: re.Match[str], inside: Sequence[NamedLabel], names: Names
) -> MarkedAnswer:
    first = last = inside[0]
    said, place = {first.label}, 1
    while names.multi and place < len(inside):
        if inside[place].fault or not _AND.fullmatch(body, last.end, inside[place].start):
            break
        last, place = inside[place], place + 1
        said.add(last.label)
    before = body[max(sentence.start(), first.start - _BESIDE) : first.start]
    shaped = _BEFORE.fullmatch(before) or _MARKED.fullmatch(before)
    after = _AFTER.match(body[last.end : min(sentence.end(), last.end + _BESIDE)].rstrip())
    if first.label == names.none and _NONE_OF.match(body, last.end):
        after = after or _AFTER.match("")
    others = {one.label for one in inside[place:] if not one.fault} - said
    if others:
        return MarkedAnswer(fault=f"it names {len(said | others)} labels")
    clear = shaped and after and not (names.multi and after["aside"])
    if first.fault or (not clear and any(one.fault for one in inside)):
        return MarkedAnswer(fault="it denies a label")
    if not clear:
        return MarkedAnswer(fault="it names a label without a clear claim")
    score = scored(body[last.end : last.end + 30])
    if score is not None and (names.multi or score < _HALF):
        return MarkedAnswer(fault="it scores a label")
    return MarkedAnswer(frozenset(said))
