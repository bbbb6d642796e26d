"""Break gold sentences in ways that a replaced word can break them, and say where.

Each rule looks for places by Penn tags, so that what it makes is wrong in nearly all cases; a rule
that finds no place leaves the sentence alone.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping

from training.acceptability.corpus import Gold

Rule = Callable[[Gold, random.Random], bool]

_OBJECT = {"him": ("his", "he"), "them": ("their", "they"), "me": ("my", "I"), "us": ("our", "we"),
           "her": ("hers", "she")}  # fmt: skip
_SUBJECT = {"he": ("him", "his"), "she": ("her", "hers"), "they": ("them", "their"),
            "we": ("us", "our"), "i": ("me", "my")}  # fmt: skip
_OWNER = {"his": ("him", "he"), "her": ("hers", "she"), "their": ("them", "they", "theirs"),
          "my": ("me", "I", "mine"), "our": ("us", "we", "ours"), "your": ("yours",)}  # fmt: skip
_SELF = {"himself": ("hisself", "themselves"), "herself": ("himself", "sheself"),
         "themselves": ("himself", "theirselves"), "itself": ("themselves",),
         "myself": ("himself", "meself"), "yourself": ("myself",)}  # fmt: skip
_AGREE = {"is": "are", "are": "is", "was": "were", "were": "was", "has": "have", "have": "has",
          "does": "do", "do": "does", "am": "is", "isn't": "aren't"}  # fmt: skip
_ONE = {"a", "an", "this", "that", "each", "every", "another", "one"}
_MANY = {"these", "those", "many", "several", "few", "two", "three", "four", "both"}
_KINDS = {"NN": ("JJ", "VBZ", "PRP", "RB"), "NNS": ("JJ", "VBZ", "PRP"), "JJ": ("VBZ", "NNS", "IN"),
          "VBD": ("NN", "JJ", "IN"), "VBZ": ("JJ", "NN", "IN"), "IN": ("VBD", "PRP")}  # fmt: skip
_SWAPS = {("DT", "NN"), ("DT", "NNS"), ("JJ", "NN"), ("JJ", "NNS"), ("PRP$", "NN"), ("TO", "VB"),
          ("MD", "VB"), ("IN", "DT"), ("PRP", "VBD"), ("PRP", "VBZ"), ("PRP", "VBP"),
          ("PRP", "MD"), ("VBZ", "DT"), ("VBD", "DT"), ("IN", "PRP$"), ("DT", "JJ")}  # fmt: skip


def _change(gold: Gold, i: int, word: str) -> bool:
    gold.words[i] = word
    gold.wrong.add(i)
    return True


def _of_table(tag: str, table: Mapping[str, tuple[str, ...]]) -> Rule:
    def rule(gold: Gold, rng: random.Random) -> bool:
        at = [
            i for i, w in enumerate(gold.words) if gold.tags[i] == tag and w.lower() in table
        ]  # fmt: skip
        if not at:
            return False
        i = rng.choice(at)
        return _change(gold, i, rng.choice(table[gold.words[i].lower()]))

    return rule


def singular(word: str) -> str:
    """A plural noun, or a verb in the third person, without its ending."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if re.search("(sh|ch|x|ss|zz|o)es$", word):
        return word[:-2]
    return word[:-1]


def plural(word: str) -> str:
    """A singular noun, or a plain verb, with the ending -s."""
    if re.search("[^aeiou]y$", word):
        return word[:-1] + "ies"
    return word + ("es" if re.search("(sh|ch|x|s|z|o)$", word) else "s")


def verb(gold: Gold, rng: random.Random) -> bool:
    """A verb that does not agree with its subject."""
    at = [
        i for i, tag in enumerate(gold.tags)
        if (gold.words[i].lower() in _AGREE and tag in ("VBZ", "VBP", "VBD"))
        or (tag == "VBZ" and re.fullmatch("[a-z]{2,}s", gold.words[i]))
        or (tag == "VBP" and re.fullmatch("[a-z]{3,}", gold.words[i]))
    ]  # fmt: skip
    if not at:
        return False
    i = rng.choice(at)
    word = gold.words[i].lower()
    if word in _AGREE:
        return _change(gold, i, _AGREE[word])
    return _change(gold, i, singular(word) if gold.tags[i] == "VBZ" else plural(word))


def number(gold: Gold, rng: random.Random) -> bool:
    """A determiner or number that does not go with its noun."""
    at = []
    for i in range(1, len(gold.words)):
        before, word = gold.words[i - 1].lower(), gold.words[i]
        last = i + 1 == len(gold.words) or gold.tags[i + 1] not in ("NN", "NNS", "NNP")
        one = before in _ONE and gold.tags[i] == "NN"
        many = before in _MANY and gold.tags[i] == "NNS" and word.endswith("s")
        if last and (one or many):
            at.append(i)
    if not at:
        return False
    i = rng.choice(at)
    return _change(gold, i, (plural if gold.tags[i] == "NN" else singular)(gold.words[i]))


def article(gold: Gold, rng: random.Random) -> bool:
    """*a* for *an*, or an article left out before a singular noun."""
    at = [i for i, w in enumerate(gold.words[:-1]) if w.lower() in ("a", "an", "the")
          and gold.tags[i] == "DT" and gold.tags[i + 1] in ("NN", "JJ")]  # fmt: skip
    if not at:
        return False
    i = rng.choice(at)
    word = gold.words[i].lower()
    if word == "the" or rng.random() < 0.4:
        if word == "the":  # mostly fine without
            i = rng.choice(at)
            return _change(gold, i, "an" if gold.words[i + 1][0].lower() not in "aeiouh" else "a")
        return _drop(gold, i)
    return _change(gold, i, "an" if word == "a" else "a")


def _drop(gold: Gold, i: int) -> bool:
    for part in (gold.words, gold.tags, gold.spaces):
        part.pop(i)
    gold.wrong.add(min(i, len(gold.words) - 1))
    return True


def missing(gold: Gold, rng: random.Random) -> bool:
    """A word left out that its place needs."""
    pairs = {("DT", "NN"): 1, ("PRP$", "NN"): 1, ("TO", "VB"): 1, ("IN", "DT"): 0, ("MD", "VB"): 1,
             ("PRP", "VBD"): 1, ("PRP", "VBZ"): 1, ("PRP", "VBP"): 1}  # fmt: skip
    at = []
    for i in range(len(gold.words) - 2):
        place = pairs.get((gold.tags[i], gold.tags[i + 1]))
        after = gold.tags[i + 2]
        if place is not None and after not in (
            "NN",
            "NNS",
            "NNP",
            "VBG",
            "VBN",
            "VB",
            ".",
            ",",
            "CC",
        ):
            at.append(i + place)
    return bool(at) and _drop(gold, rng.choice(at))


def order(gold: Gold, rng: random.Random) -> bool:
    """Two neighbours that changed places."""
    at = [i for i in range(len(gold.words) - 1)
          if (gold.tags[i], gold.tags[i + 1]) in _SWAPS and gold.spaces[i]]  # fmt: skip
    if not at:
        return False
    i = rng.choice(at)
    for part in (gold.words, gold.tags):
        part[i], part[i + 1] = part[i + 1], part[i]
    if i == 0 and gold.words[0] != "I":
        gold.words[1] = gold.words[1].lower() if gold.words[1] != "I" else "I"
    gold.wrong |= {i, i + 1}
    return True


def form(gold: Gold, rng: random.Random) -> bool:
    """A verb in a form that its helper does not take: *to goes*, *will going*."""
    at = [i for i in range(1, len(gold.words)) if gold.tags[i] == "VB"
          and gold.tags[i - 1] in ("TO", "MD")
          and re.fullmatch("[a-z]{2,}", gold.words[i])]  # fmt: skip
    if not at:
        return False
    i = rng.choice(at)
    word = gold.words[i]
    wrong = (
        ("is", "being", "are") if word == "be" else (plural(word), word.removesuffix("e") + "ing")
    )
    return _change(gold, i, rng.choice(wrong))


def repeated(gold: Gold, rng: random.Random) -> bool:
    """A small word said twice in another shape: *the a man*, *his the house*."""
    at = [i for i, tag in enumerate(gold.tags) if tag in ("DT", "PRP$") and i + 1 < len(gold.words)
          and gold.tags[i + 1] in ("NN", "NNS", "JJ")]  # fmt: skip
    if not at:
        return False
    i = rng.choice(at)
    gold.words.insert(i + 1, rng.choice(["the", "a", "his", "her", "their", "my"]))
    gold.tags.insert(i + 1, "DT")
    gold.spaces.insert(i + 1, True)
    gold.wrong |= {i, i + 1}
    return True


def misplaced(words: dict[str, list[str]]) -> Rule:
    """A word of another part of speech, out of ``words`` by tag, in the place of one."""

    def rule(gold: Gold, rng: random.Random) -> bool:
        at = [i for i, tag in enumerate(gold.tags) if tag in _KINDS and gold.words[i].isalpha()
              and i + 1 < len(gold.words)]  # fmt: skip
        if not at:
            return False
        i = rng.choice(at)
        return _change(gold, i, rng.choice(words[rng.choice(_KINDS[gold.tags[i]])]))

    return rule


def vocabulary(golds: list[Gold]) -> dict[str, list[str]]:
    """Words of each tag that occur with no other tag."""
    tags: dict[str, set[str]] = {}
    for gold in golds:
        for word, tag in zip(gold.words, gold.tags, strict=True):
            tags.setdefault(word.lower(), set()).add(tag)
    found: dict[str, list[str]] = {}
    for word, of in sorted(tags.items()):
        if len(of) == 1 and word.isalpha():
            found.setdefault(next(iter(of)), []).append(word)
    found.setdefault("PRP", ["he", "they", "him"])
    return found


def rules(words: dict[str, list[str]]) -> dict[str, Rule]:
    """All rules by name."""
    return {
        "object pronoun": _of_table("PRP", _OBJECT),
        "subject pronoun": _of_table("PRP", _SUBJECT),
        "possessive pronoun": _of_table("PRP$", _OWNER),
        "reflexive pronoun": _of_table("PRP", _SELF),
        "verb agreement": verb,
        "noun number": number,
        "article": article,
        "missing word": missing,
        "word order": order,
        "verb form": form,
        "two determiners": repeated,
        "other part of speech": misplaced(words),
    }


def broken(gold: Gold, own: dict[str, Rule], rng: random.Random) -> Gold | None:
    """A copy with one error by a rule drawn at random; None where no rule fits."""
    names = list(own)
    # Pronoun rules first, more often: few sentences have a place for them.
    rng.shuffle(names)
    if rng.random() < 0.4:
        names.sort(key=lambda name: not name.endswith("pronoun"))
    for name in names:
        copy = gold.copy()
        if own[name](copy, rng):
            return copy
    return None
