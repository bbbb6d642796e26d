"""Whether a text is English, guessed from its small words; in doubt, it is.

Terms of the dictionaries are words of other languages, too: Spanish *he*, German *man*. A text is
of another language only if many of its words are small words of that language and nearly none are
small words of English, or if most of its letters are of another script. Words with a capital, such
as names, are of no language. Dialects, short texts and texts with words of two languages stay
English.
"""

import re
import unicodedata
from collections import Counter
from functools import lru_cache

from hinter_core.storage import shipped_words

_WORD = re.compile(r"(?<![^\W_])(?<!\d\s)[^\W\d_]+")  # "28 yo" is years
_LOOKED_AT = 400  # words
_PARTICLES = frozenset(
    "al da de del della der di do dos du el la las le les los san van von".split()
)
_FEWEST = 3  # different small words of the other language
_CLEAR = 2  # of its words that are none of English
_SHARE = 0.4  # of all words without names
_MORE = 6  # times as many as English ones
_LATIN = "LATIN"


def other_language(text: str) -> str:
    """Return the language of a text that is not English, or ""."""
    written = _WORD.findall(text)[:_LOOKED_AT]
    words = [word.lower() for word in written]
    if not words:
        return ""
    if script := _script(words):
        return script
    counted = Counter(words)
    best, most = "", 0
    small_words = shipped_words("small_words")
    english_words = small_words["English"]
    with_capital = Counter(word.lower() for word in written if word.istitle())
    for language, small in small_words.items():
        known = counted.keys() & small
        if len(known) < _FEWEST:
            continue
        hits = sum(counted[word] for word in known)
        english = sum(counted[word] for word in counted.keys() & english_words - small)
        enough = len(known - _PARTICLES) >= _FEWEST
        of = len(words) - sum(with_capital[word] for word in with_capital.keys() - known)
        shared = hits >= _SHARE * of and hits >= _MORE * english
        clear = sum(counted[word] for word in known - english_words) >= _CLEAR
        if enough and shared and clear and hits > most:
            best, most = language, hits
    return best


def has_english(text: str) -> bool:
    """Whether a text has a small word of English, or is too short to need one."""
    words = [word.lower() for word in _WORD.findall(text)[:_LOOKED_AT]]
    return len(words) < _FEWEST or not shipped_words("small_words")["English"].isdisjoint(words)


def _script(words: list[str]) -> str:
    """Return the name of a script that is not Latin and that most letters are of."""
    scripts = Counter(map(_script_of, "".join(words)[: _LOOKED_AT * 4]))
    name, most = scripts.most_common(1)[0]
    return "" if name == _LATIN or 2 * most <= scripts.total() else f"{name.capitalize()} script"


@lru_cache(maxsize=4096)
def _script_of(letter: str) -> str:
    name = unicodedata.name(letter, _LATIN).partition(" ")[0]
    return _LATIN if name in ("FULLWIDTH", "MATHEMATICAL", "MODIFIER", "COMBINING") else name
