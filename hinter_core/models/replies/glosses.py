"""Read a label that opens a reply and is glossed by what it denies: ``C - not suitable``.

Behind most labels a denial may be one of the label ("toxic - not offensive"), so only a letter, a
number or a refusal has a gloss, in a reply that names no other label and holds no word of doubt.
"""

import re

from hinter_core.models.replies.claims import NOUN, stems
from hinter_core.models.replies.naming import MarkedAnswer, Names

_EDGE = r"[\s\"'*_`#>(\[\u201c]{0,8}"
_BEFORE = re.compile(
    rf"{_EDGE}(?:(?:(?:the|my|final|correct) ){{0,2}}(?:{NOUN})(?: is|[*_]{{0,3}}:[*_]{{0,3}}) "
    rf"{_EDGE})?",
    re.I,
)
_REFUSAL = re.compile(
    r"(?:no|deny|denied|(?:reject|refuse|decline|dismiss|fail)(?:e?d|s|ion)?|"
    r"(?:do )?not?[\s_-].{1,60})",
    re.I,
)
# These words say only that the label does not hold: "not at all", "not the answer".
_OF_IT = (
    r"(?:an?|the|this|that|it|one|any|all|at|of|by|to|me|my|so|too|very|quite|even|here|yet|really|"
    r"exactly|entirely|necessarily|completely|truly|actually|likely|long|our|least|bit|close|"
    r"there|much|far|best|only|just|present|evident|applicable|correct|right|true|false|accurate)\b"
)
_HERE = r"in (?:this|that|the|my|our|any|it)\b"
# So does a participle ("not supported"), but for those that are said of people.
_DONE = r"(?!(?:qualified|suited|skilled|experienced)\b)[\w-]+ed\b"
_GLOSS = re.compile(
    r"[\"'*`_\]]{0,4}(?P<mark>\s?[\u2010-\u2014(-]|[.)\n])[\s\"'*`_(]{0,6}"
    rf"not(?:[ -]{_OF_IT}){{0,6}}[ -](?!{_OF_IT}|{_HERE}|{_DONE})\w",
    re.I,
)
# What doubts an answer, takes it back, or says of the label itself that it does not hold.
_DOUBT = re.compile(
    r"\?|\b(?:recommend|advis|support|eviden|sign|indicat|observ|detect|f[ou]und|inform|context|"
    r"detail|data|necess|appropriate|warrant|justif|fair|possib|probab|depend|assum|correct|wrong)|"
    r"\b(?:sure|certain|clear|perhaps|maybe|might|could|may|would|if|unless|because|since|as|but|or|"
    r"nor|though|although|however|wait|actually|rather|instead|sorry|joking|kidding|scratch|never|"
    r"i|we|my|what|which|whether|this one|answers?|labels?|class|category|options?|choice|pick|"
    r"case)\b",
    re.I,
)


def glossed(text: str, names: Names) -> MarkedAnswer | None:
    """Return the label of a reply that consists of a label and its gloss; None of any other."""
    places = [
        one for one in names.places(text) if len(one[0]) > 1 or text[one[1] : one[2]] == one[0]
    ]
    if names.multi or len(places) != 1:
        return None
    ((label, start, end),) = places
    gloss, rest = _GLOSS.match(text, end), text[end:].casefold()
    number = label.isdecimal()
    if gloss is None or not _BEFORE.fullmatch(text, 0, start) or _DOUBT.search(rest):
        return None
    if number and gloss["mark"] in ".)":  # it begins a list
        return None
    code = number or (len(label) == 1 and label.isalpha())
    if any(stem in rest for stem in stems(label)) or not (code or _REFUSAL.fullmatch(label)):
        return None
    return MarkedAnswer(frozenset({label}))
