"""Ages that fit: words for an age change only where they say one, and nothing said contradicts it.

"An old friend" need not be old, nor is "an elderly girl" one. A word for an age that says none is
no occurrence; an edit that other words of its person, or their number of years, contradict is not
made and says why. Comparatives that rank siblings or say that somebody changes are not turned
round, and somebody's children become no retirees.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property

from hinter_core.language.sentences import sentence_at, sentences_of
from hinter_core.language.trees import SentenceTree, head_of
from hinter_core.mutation.edits import own_places
from hinter_core.mutation.people import People
from hinter_core.terms.ages import (
    AT_WORK,
    YEAR_OLD,
    Years,
    age_words,
    agree,
    said_years,
    stated,
    years_of,
)
from hinter_core.terms.senses.lexicon import FINITE, NOUN_TAGS, NOUNS, lexicon, person_nouns
from hinter_core.terms.unlisted import AGE, is_number
from hinter_core.types import Edit, GrammaticalForm, MentionKind, Occurrence, RejectedEdit, Span

_FORM = GrammaticalForm
_COMPARED = (_FORM.COMPARATIVE, _FORM.SUPERLATIVE)
_OLD = frozenset({"old", "young"})
_TITLES = frozenset({"mr", "mrs", "miss"})
# What may follow whom somebody speaks to, and how the sentence then goes on.
_AFTER_CALLED = frozenset({",", ".", "!", "?", ""})
_SPOKEN = frozenset({"PRP", "PRP$", "VB", "MD", "WP", "WRB", "''"})
_MODIFIERS = ("amod", "compound", "nmod:desc", "flat")
_GROWN = 18  # years
_SMALL = 7
_YOUNG = 21
_GRAND: Years = (36, 130)  # who has grandchildren
_WITH_PARENTS: Years = (0, 55)
# Relations and words of what denies a predicate; "not only" adds to it.
_DENYING = ("advmod", "neg", "cc", "cc:preconj")
_NOT = ("no longer", *"not n't n\u2019t never neither nor hardly scarcely no".split())
_ADDING = frozenset({"only", "just", "merely", "simply"})
_PATIENT = frozenset({"f", "m"})  # "F, 60, ex-nurse"
_FIGURE = "here \u201cold\u201d is a figure of speech"
_HAS = frozenset("have has had having adopt adopted raise raised bear bore expect".split())

# "Although she is only" before an age, and ", but he already" behind it.
_CONCEDED = re.compile(
    r"\b(although|(?:even )?though|even if|despite|in spite of)\b[^.,;:!?]*?"
    r"(?:\b(?:is|was|are|were|am|be|being|at|aged|turned)|['\u2019](?:s|re|m))\s"
    r"(?:(?:an?|about|almost|already|just|nearly|only|over|so|still|very)\s)*$",
    re.IGNORECASE,
)
_NEVERTHELESS = re.compile(
    r"(?:\syears?\s(?:old|of\sage))?,?\s(?:and|but|who|yet)\s"
    r"(?:(?:he|she|they|is|was|are|were|has|have|had|can)\s){0,2}(already|still)\b",
    re.IGNORECASE,
)
UNDER_AGE = frozenset({"children", "young"})


class Ages:
    """The words for ages in a text, and what else it says of these people's ages."""

    def __init__(self, text: str, people: People) -> None:
        self._text, self._people, self._words = text, people, age_words()
        self._said_at: dict[Span, list[tuple[Span, Years]]] = {}
        self._beside: dict[tuple[Span, ...], dict[Span, list[tuple[Span, Years]]]] = {}

    def figurative(self, one: Occurrence) -> str:
        """Return why an occurrence only seems to say an age, or ""."""
        if one.attribute == AGE and is_number(one.terms[0]):
            return self._of_nobody(one.span)
        if one.attribute != AGE:
            return ""
        old = one.surface.lower() in _OLD
        return self._denied(one.span) or (self._figure(one.span) if old else "")

    def _denied(self, span: Span) -> str:
        """Return why a word says what somebody is not, as "not a minor" does, or ""."""
        tree, token = self._word(span)
        if tree is None:
            return ""
        noun = self._noun(tree, token)
        words = {token, token if noun is None else noun}
        words |= {tree.parse.heads[one] for one in words if tree.parse.labels[one] == "xcomp"}
        said = set[str]().union(*(tree.words_below(one, *_DENYING) for one in words))
        if "longer" in said and "no" in tree.lower:
            said.add("no longer")
        if token and tree.lower[token - 1] == "no" and tree.children(token, "cop"):
            said.add("no")  # "no child", but not "no common youth"
        denying = next((one for one in _NOT if one in said), "")
        definite = any("the" in tree.words_below(one, "det") for one in words)
        if not denying or not _ADDING.isdisjoint(said) or definite:
            return ""
        denied = self._text[slice(*span)]
        return f"here \u201c{denying}\u201d denies \u201c{denied}\u201d"

    def _of_nobody(self, span: Span) -> str:
        """Return why a number is not the years of somebody: "a house, 34 years old"."""
        surely = any(one.surely for _, one in stated(self._text) if one.number == span)
        people, known = self._people.of_span(span), self._people.entities
        if surely or any(known[n].person for n in people if n < len(known)):
            return ""
        tree = self._people.tree_at(span[0])
        words = set(tree.lower) if tree and FINITE.isdisjoint(tree.parse.tags) else set[str]()
        if not words.isdisjoint(_PATIENT) or not words.isdisjoint(person_nouns()):
            return ""
        return f"HInter does not see whose age \u201c{self._text[slice(*span)]}\u201d is"

    def fitting(self, edits: Sequence[Edit]) -> tuple[list[Edit], list[RejectedEdit]]:
        """Part the edits of ages that nothing contradicts from the others."""
        reasons = [
            (edit, next(filter(None, (self._against(edit, span) for span in edit.spans)), ""))
            for edit in edits
        ]
        refused = [RejectedEdit(edit, why) for edit, why in reasons if why]
        return [edit for edit, why in reasons if not why], refused

    def grown(self, span: Span) -> bool:
        """Whether nothing says that somebody called a girl or a boy is a child."""
        ages = [years for _, years in self._ages_at(span)]
        if any(low >= _GROWN for low, _ in ages):
            return True
        tree, token = self._word(span)
        if tree is None or any(high <= _GROWN for _, high in ages):
            return False
        beside = tree.words_below(token, *_MODIFIERS)
        alone = self._words["childhood"].isdisjoint(tree.lower)
        return alone and beside.isdisjoint(self._words["small"])

    # -- words that say no age ------------------------------------------------------------------

    def _figure(self, span: Span) -> str:
        """Return why "old" or "young" says no age here, or ""."""
        tree, token = self._word(span)
        noun = self._noun(tree, token) if tree else None
        if tree is None or noun is None:
            return ""
        said = tree.lower[noun]
        if self._called(tree, noun):
            word = self._text[slice(*span)]
            return f"here \u201c{word}\u201d is how somebody is spoken to"
        if tree.lower[token] != "old":
            return ""
        if token and tree.lower[token - 1] in self._words["stressing"]:
            return _FIGURE
        following = tree.lower[token + 1 : token + 2]
        owned = bool(tree.children(noun, "nmod:poss"))
        if said in self._words["longstanding"] or (owned and said in self._words["former"]):
            return "here \u201cold\u201d says for how long, not of what age"
        if said in self._words["fond"]:
            return _FIGURE
        title = following and following[0].rstrip(".") in lexicon()["titles"] | _TITLES
        if noun == token + 1 and tree.parse.tags[noun] == "NNP" and not title:
            return _FIGURE if self._given(span[1]) else ""
        return ""

    def called(self, span: Span) -> bool:
        """Whether a noun at a place speaks to somebody young or old: "Thank you, young lady"."""
        tree, noun = self._word(span)
        return tree is not None and noun > 0 and self._called(tree, noun)

    def _called(self, tree: SentenceTree, noun: int) -> bool:
        """Whether somebody is spoken to: "Listen, old man, ...", "Young lady, you are late"."""
        parse, lower = tree.parse, (*tree.lower, "", "")
        first = noun - 1
        if lower[noun] not in self._words["called"] or lower[first] not in _OLD:
            return False
        while first > 0 and lower[first - 1] in ("my", "dear"):
            first -= 1
        if parse.labels[noun] == "vocative" or (first and parse.tags[first - 1] == "UH"):
            return True
        after, beyond = lower[noun + 1], (*parse.tags[noun + 2 :], ".")[0]
        apposed = parse.labels[noun] == "appos" and parse.tags[parse.heads[noun]] in NOUN_TAGS
        apposed = apposed or beyond in FINITE  # "The clerk, young man, fell."
        if first and lower[first - 1] == ",":
            return after in _AFTER_CALLED and not apposed and lower[noun + 2] not in ("and", "or")
        return after == "," and beyond in _SPOKEN and (not first or parse.tags[first - 1] == "``")

    def _given(self, end: int) -> bool:
        """Whether a name follows that stands for a person."""
        return any(
            mention.kind is MentionKind.NAME and mention.head[0] == end + 1
            for entity in self._people.entities
            for mention in entity.mentions
        )

    # -- edits that something contradicts -------------------------------------------------------

    def _against(self, edit: Edit, span: Span) -> str:
        """Return what contradicts an edit at a place, or ""."""
        tree, token = self._word(span)
        if tree is None:
            return ""
        form, noun = edit.source.form, self._noun(tree, token)
        if form in _COMPARED:
            return self._ranks(tree, token, noun)
        target = years_of(edit.target.text, edit.target.group)
        if target is None:
            return ""
        why = self._grammar(edit, tree, token, noun) if form is _FORM.ADJECTIVE else ""
        if form in (*NOUNS, _FORM.COLLECTIVE):
            why = self._of_a_child(edit, tree, token, target)
        return why or self._said(edit, span, target)

    def _ranks(self, tree: SentenceTree, token: int, noun: int | None) -> str:
        """Return why a comparative is no age of one person alone, or ""."""
        word = tree.lower[token]
        beside = noun if noun is not None else token
        below = [c for n in (token, beside) for c in tree.below[n]]
        cases = {tree.lower[c] for b in below for c in (b, *tree.below[b])}
        compares = noun is None or "than" in cases
        of_some = "of" in cases and tree.children(token, "obl", "nmod")
        if compares or of_some:
            return f"\u201c{word}\u201d compares here"
        if noun is not None and tree.lower[noun] in self._words["ranked"]:
            others = (w for w in self._ranking if w != word)
            return next((f"the text also says \u201c{other}\u201d" for other in others), "")
        return ""

    @cached_property
    def _ranking(self) -> list[str]:
        """Words of the text that say who is older, and ages in numbers."""
        words = [word.lower() for one in self._people.parsed for word in one.parse.words]
        numbers = [self._text[slice(*span)] for span, _ in self._numbers]
        return [word for word in words if word in self._words["ranks"]] + numbers

    def _grammar(self, edit: Edit, tree: SentenceTree, token: int, noun: int | None) -> str:
        """Return why an adjective cannot stand in this place, or ""."""
        new = edit.target.text.lower()
        before = tree.lower[token - 1] if token and tree.parse.tags[token - 1] != "DT" else ""
        if before in self._words["degrees"] and new not in self._words["graded"]:
            return f"\u201c{before}\u201d needs an adjective that has degrees"
        if noun is None and new in self._words["attributive"]:
            return f"\u201c{new}\u201d stands before a noun only"
        if noun is not None and not _is_number(edit):
            said, source = years_of(tree.lower[noun]), years_of(edit.source.text, edit.source.group)
            if said is not None and source is not None and not agree(said, source):
                beside, word = self._text[slice(*edit.spans[0])], tree.lower[noun]
                return f"beside \u201c{beside}\u201d, \u201c{word}\u201d says no age"
        return ""

    def _of_a_child(self, edit: Edit, tree: SentenceTree, token: int, target: Years) -> str:
        """Return what keeps a child from another age, or ""."""
        source = years_of(edit.source.text, edit.source.group)
        word = tree.lower[token]
        for one in (edit.source.text, edit.target.text):
            if one.lower() in self._words["babies"]:
                return f"\u201c{one}\u201d is said of small children alone"
        fits = edit.target.text.lower() in self._words["before_nouns"]
        if tree.parse.labels[token] == "compound" and not fits:
            return f"\u201c{word}\u201d is part of a compound"
        if source is None or source[1] > _YOUNG:
            return ""
        whose = f"\u201c{word}\u201d says whose child this is"
        if not self._words["of_children"].isdisjoint(tree.words_below(token, "amod")):
            return whose
        grows = target[0] >= _GROWN or source[1] <= _SMALL <= target[0]
        if not grows and edit.target.text not in self._words["unowned"]:
            return ""
        above = tree.lower[tree.parse.heads[token]]
        had = above in _HAS and tree.parse.labels[token] == "obj"
        of = ("of" in tree.words_below(c, "case") for c in tree.children(token, "nmod"))
        if had or any(of) or tree.children(token, "nmod:poss"):
            return whose
        if not grows:
            return ""
        return f"the text also says \u201c{said}\u201d" if (said := self._childhood) else ""

    @cached_property
    def _childhood(self) -> str:
        """Return a word of the text that says that its children grow up in it."""
        words = (word for one in self._people.parsed for word in one.parse.words)
        return next((word for word in words if word.lower() in self._words["childhood"]), "")

    def _said(self, edit: Edit, span: Span, target: Years) -> str:
        """Return the word or number that says another age of these people, or ""."""
        # Many edits replace the same words; what others say is looked up once for all of them.
        known = self._beside.setdefault(edit.spans, {})
        if span not in known:
            spans = sorted(edit.spans)
            of = self._text.startswith(" of ", span[1])  # "[girl] of ten": the number is apart
            known[span] = [
                one
                for one in self._ages_at(span)
                if not _meets(one[0], spans) or (of and one[0] != span)
            ]
        source = years_of(edit.source.text, edit.source.group)
        period = edit.source.form in (_FORM.ANY, _FORM.PREP_PHRASE) and not _is_number(edit)
        for place, said in known[span]:
            # Who is grown up was a child once, and who is old may have parents, as the text has it.
            as_before = source is not None and _side(source, said) == _side(target, said)
            if agree(said, target) or (period and said[0] >= target[1]) or as_before:
                continue
            return f"the text also says \u201c{self._text[slice(*place)]}\u201d of the same person"
        return ""

    def _ages_at(self, span: Span) -> list[tuple[Span, Years]]:
        """Return what the text says of the ages of those of whom a word speaks, and where."""
        if span not in self._said_at:
            self._said_at[span] = list(self._ages_of(span))
        return self._said_at[span]

    def _ages_of(self, span: Span) -> Iterator[tuple[Span, Years]]:
        people = self._people.of_span(span)
        for person in people:
            for mention in self._people.mentions(person):
                tree, token = self._word(mention.head)
                if tree is None:
                    continue
                if mention.kind is not MentionKind.PRONOUN:
                    yield from self._of_noun(tree, token)
                for owner in _owners(tree, token):
                    yield from self._of_owner(tree, tree.parse.heads[owner])
        tree, token = self._word(span)
        noun = self._noun(tree, token) if tree is not None else None
        if tree is not None and noun is not None:
            yield from self._of_noun(tree, noun)
        for place, years in self._numbers:
            if not {*people}.isdisjoint(self._people.of_span(place)):
                yield place, years

    def _of_noun(self, tree: SentenceTree, noun: int) -> Iterator[tuple[Span, Years]]:
        for token in (noun, *tree.children(noun, *_MODIFIERS)):
            years, place = years_of(tree.lower[token]), tree.place(token)
            # The "old" of "34 years old" is part of the number, the "girl" of "girl of ten" is not.
            inside = any(_meets(place, [said]) for said, _ in self._numbers)
            if years is not None and (not inside or self._text.startswith(" of ", place[1])):
                yield place, years

    def _of_owner(self, tree: SentenceTree, owned: int) -> Iterator[tuple[Span, Years]]:
        """Yield what only somebody who is no child or not old has: "her colleagues"."""
        place = tree.place(owned)
        if tree.lower[owned] in self._words["of_grown"]:
            yield place, _GRAND if tree.lower[owned].startswith("grand") else AT_WORK
        alive = "survived" in tree.lower or self._words["gone"].isdisjoint(tree.lower)
        elders = self._words["elders"] if alive else ()
        if tree.lower[owned] in elders:
            yield place, _WITH_PARENTS

    @cached_property
    def _numbers(self) -> list[tuple[Span, Years]]:
        return list(said_years(self._text))

    # -- words and their nouns ------------------------------------------------------------------

    def _word(self, span: Span) -> tuple[SentenceTree | None, int]:
        """Return the topmost word of a span in its sentence."""
        tree = self._people.tree_at(span[0])
        ends = [tree.start + end for _, end in tree.parse.spans] if tree else []
        inside = [n for n, end in enumerate(ends) if span[0] < end <= span[1]]
        return (tree, head_of(tree.parse, inside)) if tree and inside else (None, 0)

    def _noun(self, tree: SentenceTree, token: int) -> int | None:
        """Return the noun that an adjective modifies, also where the parse has it wrong."""
        above, tags = tree.parse.heads[token], tree.parse.tags
        if above != token and tree.parse.labels[token] in _MODIFIERS:
            while tree.parse.labels[above] in ("amod", "compound") and tags[above] not in NOUN_TAGS:
                above = tree.parse.heads[above]
            return above
        if token + 1 < len(tags) and tags[token + 1] in NOUN_TAGS and tags[token][:2] == "JJ":
            return token + 1
        return None


def _is_number(edit: Edit) -> bool:
    """Whether an edit changes a number of years."""
    return is_number(edit.source) or YEAR_OLD.match(edit.source.text.lower()) is not None


def _owners(tree: SentenceTree, token: int) -> Iterator[int]:
    """Yield the words that make somebody an owner: "her" car, a clerk "whose" wife sings."""
    if tree.parse.labels[token] == "nmod:poss":
        yield token
    for owned in (word for one in tree.children(token, "acl:relcl") for word in tree.below[one]):
        yield from (word for word in tree.below[owned] if tree.lower[word] == "whose")


def _side(years: Years, said: Years) -> int:
    """Return whether years lie before (-1), after (1) or within (0) what is said."""
    return (years[0] >= said[1]) - (years[1] <= said[0])


def _meets(place: Span, spans: Sequence[Span]) -> bool:
    """Whether a place shares a character with one of several, which stand in order."""
    before = bisect_left(spans, (place[1],))
    return before > 0 and spans[before - 1][1] > place[0]


def conceded(text: str, edit: Edit) -> Iterator[tuple[Span, str]]:
    """Yield what shows that an age is too high or too low: "although she is", "but he already".

    The other age would not be, unless both are of young people.
    """
    if edit.attribute != "age" or {edit.source.group, edit.target.group} <= UNDER_AGE:
        return
    for start, end in own_places(text, edit):
        if sentence := sentence_at(sentences_of(text), start):
            before = _CONCEDED.search(text, sentence.start, start)
            for match in filter(None, (before, _NEVERTHELESS.match(text, end))):
                yield match.span(1), match[1]
