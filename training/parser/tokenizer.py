"""A few more rules for spaCy's English tokeniser, after the treebanks' practice.

They are plain patterns of spaCy's ``Tokenizer`` and are stored with the model:
runs of one mark stay together (``!!!``, ``====``), prefixes that are no words stay
with their word (``non-binary``, ``co-worker``), telephone numbers are one token,
hyphens between letters and digits and dashes between digits split, abbreviations that
seldom end a sentence keep their full stop (``Lt.``).

Patterns carry their own flags: spaCy stores a pattern, not the flags that it was compiled with.
"""

from __future__ import annotations

import re

from spacy import util
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.util import compile_infix_regex, compile_prefix_regex, compile_suffix_regex

_PREFIXES = (
    "anti|bi|co|cross|counter|cyber|de|e|ex|extra|hyper|inter|intra|macro|mega|meta|micro|mid|mini|"
    "multi|non|poly|post|pre|pro|pseudo|re|semi|sub|super|trans|tri|ultra|un|uni"
)
_KEPT = (
    rf"(?i:{_PREFIXES})-[^\W\d_]+",
    r"(?:\+?1-)?\d{3}-\d{3}-\d{4}",
    r"\d{3}-\d{4}",
    r"\d-\d{4}",
    r"\d{1,2}-\d{1,2}-(?:\d{2}|\d{4})",
    r"[!?][!?.]+",
    r"\.[!?][!?.]*",
    r"([=_*~#<>$])\1+",
    r"[-=]{3,}",
    r"(?:1\d|20)?\d0'?s",
    r"#[^\W\d_]\w+",
)
_RUNS = (
    r"(?<!\.)\.[!?][!?.]*",
    r"[!?][!?.]+",
    r"[-=]{3,}",
    r"={2,}",
    r"\${2,}",
    r"_{2,}",
    r"\*{2,}",
    r"~{2,}",
    r"<{2,}",
    r">{2,}",
)
_INFIXES = (r"(?<=[0-9])[–—](?=[0-9])", r"(?<=[A-Za-z.])-(?=[0-9])", r"\"(?=<)", r"(?<=\")<")
_SUFFIXES = (r"(?<=:[0-9][0-9])[AaPp]\.?[Mm]\.?", r"(?<=[0-9])k", r"(?<=\b[ABDF])\++")
_STARTS = (r"-(?=[^\W\d_])",)
_NO_EXCEPTION = ("and/or", "):", "id", "Id", "wed", "Wed")
_WHOLE = (
    "Ft. al. Lt. Capt. Col. Sgt. Maj. Cpl. Pvt. Hon. Sr. Mme. Mlle. Drs. Reps. Sens. Sts. "
    "Mon. Tue. Tues. Wed. Thur. Thurs. Fri. Attn. Ave. Blvd. Dept. Vol. approx. b/c"
).split()
_SPLIT = {"wanna": ("wan", "na"), "Wanna": ("Wan", "na")}


@util.registry.callbacks("hinter.tokenizer_rules.v1")  # type: ignore[untyped-decorator]
def make_tokenizer_rules() -> object:
    """Return the function that adds the rules to a pipeline's tokeniser."""
    return add_tokenizer_rules


def add_tokenizer_rules(nlp: Language) -> Language:
    """Add the rules to the tokeniser of a pipeline."""
    tokenizer = nlp.tokenizer
    assert isinstance(tokenizer, Tokenizer)
    defaults = nlp.Defaults
    prefixes = [*_RUNS, *(defaults.prefixes or ()), *_STARTS]
    suffixes = [*_RUNS, *_SUFFIXES, *(defaults.suffixes or ())]
    infixes = [*(defaults.infixes or ()), *_INFIXES]
    tokenizer.prefix_search = compile_prefix_regex(prefixes).search
    tokenizer.suffix_search = compile_suffix_regex(suffixes).search
    tokenizer.infix_finditer = compile_infix_regex(infixes).finditer
    pattern = "|".join(f"(?:{part})" for part in _KEPT)
    tokenizer.token_match = re.compile(rf"^(?:{pattern})$").match
    rules = {key: value for key, value in tokenizer.rules.items() if key not in _NO_EXCEPTION}
    tokenizer.rules = rules
    for word in _WHOLE:
        tokenizer.add_special_case(word, [{"ORTH": word}])
    for word, parts in _SPLIT.items():
        tokenizer.add_special_case(word, [{"ORTH": part} for part in parts])
    return nlp
