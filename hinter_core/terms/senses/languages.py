"""Words for a people that are a language where they stand: "dubbed in Italian", "native Thai"."""

from collections.abc import Sequence

from hinter_core.terms.matching import fold
from hinter_core.terms.senses.lexicon import capitalised, lexicon
from hinter_core.types import GrammaticalForm, Parse, Term

_SPEAKING = frozenset("speak speaks speaking spoke spoken".split())
_OF_LANGUAGES = frozenset(
    """speaker speakers language languages tongue subtitle subtitles dub dubs dubbing class classes
    lesson lessons course courses translation translations dictionary grammar vocabulary voice
    voices audio version versions track tracks""".split()
)
_AFTER_SPEAKERS = frozenset("IN TO RB RP DT PRP PRP$ NNP WRB".split())
_KNOWN_WELL = frozenset(
    "native fluent broken perfect flawless spoken halting plain heavy thick".split()
)
_HEARD = frozenset(
    """language languages subtitled subtitles dubbed dub dubbing fluent translated translates
    translation""".split()
)
_VOICED = _HEARD | frozenset("voice voices voiced voiceover voiceovers".split())
_ACTS = frozenset({"VBP", "VBD", "MD", "RB"})
_BEFORE_WORDS = frozenset({"is", "was", ",", "(", "means"})
_COPULAS = frozenset("is are was were am 'm 's 're be been not also".split())
_MODIFIED = frozenset({"NN", "NNS", "NNP", "NNPS", "JJ", "JJR", "JJS", "HYPH", "CD"})
_NAMES = ("vocative", "appos", "conj", "flat", "ROOT", "compound", "nmod:desc", "nn")
DETERMINERS = frozenset(
    """a an the this that these those another each every any some no my your his her its our their
    whose which what one two three several many few both all either neither such said""".split()
)


def is_language(parse: Parse, tokens: Sequence[int], head: int, term: Term) -> bool:
    """Whether the word for a people at ``tokens`` is its language there."""
    form = term.form
    if _of_speakers(parse, tokens):
        return True
    before = fold(parse.words[tokens[0] - 1]) if tokens[0] else ""
    if before == "/" and tokens[0] > 1 and _word(parse, tokens) in lexicon().languages:
        return fold(parse.words[tokens[0] - 2]) not in capitalised()  # "arts/English students"
    in_it = before in ("in", "into")
    if form in (GrammaticalForm.NOUN_SG, GrammaticalForm.NOUN_PL):
        if not term.text[:1].isupper():
            return False
        if before in _SPEAKING or (in_it and parse.labels[head] in ("obl", "nmod")):
            return True
        if form is GrammaticalForm.NOUN_SG and bare(parse, tokens, head):
            return True
    if _word(parse, tokens) not in lexicon().languages or _next_tag(parse, tokens) in _MODIFIED:
        return False
    if before in _KNOWN_WELL and not _has_article(parse, tokens[0] - 1):
        return True
    if _is_owned(parse, tokens):
        return True
    return in_it or _alone_is_language(parse, tokens, before, form)


def _alone_is_language(
    parse: Parse, tokens: Sequence[int], before: str, form: GrammaticalForm
) -> bool:
    """Whether a word without a noun is a language: "the English seems right", "dubbed (German)"."""
    if before in _SPEAKING:
        return True
    heard = any(fold(word) in _HEARD for word in parse.words)
    if before in DETERMINERS:
        adjective = form is GrammaticalForm.ADJECTIVE
        first = fold(parse.words[tokens[0] - 2]) if tokens[0] > 1 else ""
        if before == "the" and first in ("from", "into") and heard:
            return True  # "translated from the Italian"
        if before == "the" and adjective and any(fold(word) in _VOICED for word in parse.words):
            return _next_tag(parse, tokens) not in _ACTS  # "better than the Japanese"
        named = parse.words[tokens[-1] + 1 : tokens[-1] + 2] == ("for",)
        if before == "the" and first in _BEFORE_WORDS and named:
            return True  # "it is the German for a healer"
        return adjective and before == "the" and _next_tag(parse, tokens) == "VBZ"
    return heard and before not in _COPULAS


def _is_owned(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether a language is somebody's: "her terrible English"; a person is seldom."""
    at = tokens[0] - 1
    while at > 0 and parse.tags[at] == "JJ":
        at -= 1
    return at >= 0 and parse.tags[at] in ("PRP$", "POS")


def _of_speakers(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether a word for a language follows: "English speakers", "Spanish-speaking guests"."""
    after = tokens[-1] + 1
    if _word(parse, tokens) not in lexicon().languages:
        return False
    if parse.words[after : after + 1] == ("-",):
        after += 1
    following = fold(parse.words[after]) if after < len(parse.words) else ""
    if following in ("speaking", "spoken"):
        # "a German speaking at the meeting" is a person
        beyond = parse.tags[after + 1] if after + 1 < len(parse.tags) else "."
        return beyond not in _AFTER_SPEAKERS
    return following in _OF_LANGUAGES


def bare(parse: Parse, tokens: Sequence[int], head: int) -> bool:
    """Whether a singular noun has no determiner, as only names and languages may."""
    label = parse.labels[head]
    if label == "conj" and parse.tags[parse.heads[head]] == "NNP":
        return bare(parse, [parse.heads[head]], parse.heads[head])  # "Ann and Desi"
    if label in _NAMES:
        return False
    children = [i for i, h in enumerate(parse.heads) if h == head and i != head]
    if any(parse.labels[i] in ("cop", "nsubj") for i in children):
        return False
    own = [i for i in children if i < tokens[0] and parse.labels[i] not in ("case", "mark")]
    start = min([*own, tokens[0]])
    first = max(0, start - 1)
    return not any(
        fold(word) in DETERMINERS or parse.tags[i] in ("POS", "PRP$", "CD")
        for i, word in enumerate(parse.words[first : tokens[0]], first)
    )


def _word(parse: Parse, tokens: Sequence[int]) -> str:
    return fold(parse.words[tokens[-1]]).rstrip("-")


def _next_tag(parse: Parse, tokens: Sequence[int]) -> str:
    after = tokens[-1] + 1
    return parse.tags[after] if after < len(parse.tags) else "."


def _has_article(parse: Parse, token: int) -> bool:
    """Whether an article is before a token, and a person may follow: "a native Dane"."""
    return token > 0 and fold(parse.words[token - 1]) in ("a", "an")
