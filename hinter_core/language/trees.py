"""Questions about parses: what depends on a word, what governs it, whose subject it is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from hinter_core.language.people import RELATIVES, people_words
from hinter_core.types import Parse, Sentence, Span

_SOMEBODY = frozenset({"he", "she", "i", "who"})
_HALVES = frozenset(map(frozenset, ("he she".split(), "him her".split(), "his her".split(),
                                    "his hers".split(), "himself herself".split())))  # fmt: skip
_ALIASES = frozenset("known born billed called credited named listed signed".split())  # "known as"
SUBJECTS = ("nsubj", "nsubj:pass", "nsubj:outer")
_GOES_ON = frozenset("xcomp conj advcl".split())  # clauses that share the subject of another one
_CLIMBED = 16  # clauses up to one with a subject
_SPEAKER = 6  # words, at most, of who speaks before a colon
_GREETINGS = frozenset({"dear", "hello", "hi"})
_GROWN = frozenset("man men woman women".split())
_THAT = frozenset("this that these those".split())


@dataclass(slots=True)
class SentenceTree:
    """The tree of a sentence: ``below``: children by token; ``reach``: the ends of each subtree."""

    parse: Parse
    start: int
    below: list[list[int]] = field(default_factory=list)
    reach: list[Span] = field(default_factory=list)
    lower: list[str] = field(default_factory=list)
    phrase_of: dict[int, int] = field(default_factory=dict)
    verb_of: list[int] = field(default_factory=list)

    def children(self, token: int, *labels: str) -> list[int]:
        """Return the children of a token with one of these relations."""
        return [c for c in self.below[token] if self.parse.labels[c] in labels]

    def words_below(self, token: int, *labels: str) -> set[str]:
        """Return the children of a token with one of these relations, as words in lower case."""
        return {self.lower[c] for c in self.children(token, *labels)}

    def place(self, token: int) -> Span:
        """Return the place of a token in the text."""
        start, end = self.parse.spans[token]
        return self.start + start, self.start + end

    def tokens_at(self, span: Span) -> list[int]:
        """Return the tokens that share a character with a span of the text."""
        return tokens_at(self.parse, (span[0] - self.start, span[1] - self.start))

    def word_at(self, span: Span) -> int | None:
        """Return the topmost of these tokens."""
        tokens = self.tokens_at(span)
        return head_of(self.parse, tokens) if tokens else None

    def ends_list(self, token: int) -> bool:
        """Whether an apposition is the last of a list without "and": "gays, women, the poor"."""
        before = [c for c in self.children(self.parse.heads[token], "conj") if c < token]
        joined = bool(before) and not any(self.children(c, "cc") for c in before)
        return joined and self.parse.labels[token] == "appos"

    def of_either(self, token: int) -> bool:
        """Whether a pronoun is half of "he or she", which says no gender."""
        return any(
            frozenset(self.lower[at : at + 3 : 2]) in _HALVES
            for at in (token - 2, token)
            if at >= 0 and self.lower[at + 1 : at + 2] == ["or"]
        )

    def tells_reason(self, clause: int) -> bool:
        """Whether a clause says what somebody is known for: "known for a role as Emma"."""
        return any("for" in self.words_below(one, "case") for one in self.children(clause, "obl"))


@dataclass(frozen=True)
class ParsedSentence:
    """A sentence of a text with its parse."""

    sentence: Sentence
    parse: Parse

    @cached_property
    def tree(self) -> SentenceTree:
        """The tree of the sentence, for all who only read it."""
        return tree_of(self)


def tree_of(one: ParsedSentence) -> SentenceTree:
    """Return the tree of a sentence, in linear time."""
    parse = one.parse
    count = len(parse.words)
    below: list[list[int]] = [[] for _ in range(count)]
    roots: list[int] = []
    for token, head in enumerate(parse.heads):
        (roots if head == token else below[head]).append(token)
    order: list[int] = []
    stack = roots
    while stack:
        token = stack.pop()
        order.append(token)
        stack.extend(below[token])
    low, high = list(range(count)), list(range(count))
    for token in reversed(order):
        head = parse.heads[token]
        low[head] = min(low[head], low[token])
        high[head] = max(high[head], high[token])
    verb_of = list(range(count))
    for token in order:
        tag = parse.tags[token]
        verb = tag[:2] == "VB" or any(parse.labels[c] == "cop" for c in below[token])
        verb_of[token] = token if verb else verb_of[parse.heads[token]]
    reach = list(zip(low, high, strict=True))
    lower = [word.lower() for word in parse.words]
    return SentenceTree(parse, one.sentence.start, below, reach, lower, {}, verb_of)


def tokens_at(parse: Parse, span: Span) -> list[int]:
    """Return the tokens that share a character with a span of the sentence."""
    return [i for i, (a, b) in enumerate(parse.spans) if a < span[1] and b > span[0]]


def head_of(parse: Parse, tokens: Sequence[int]) -> int:
    """Return the last token whose head lies outside, or that is the root."""
    heads = [i for i in tokens if parse.heads[i] not in tokens or parse.heads[i] == i]
    return heads[-1] if heads else tokens[-1]


def dependents(parse: Parse, token: int, labels: Collection[str] = ()) -> Iterator[int]:
    """Yield the dependents of a token, or those with one of these relations."""
    for n, head in enumerate(parse.heads):
        if head == token != n and (not labels or parse.labels[n] in labels):
            yield n


def dependent(parse: Parse, token: int, labels: Collection[str]) -> int | None:
    """Return the first dependent of a token with one of these relations."""
    return next(dependents(parse, token, labels), None)


def shown(parse: Parse, noun: int) -> bool:
    """Whether *man* or *woman* stands for somebody known: "dump that man"."""
    before = parse.words[noun - 1].lower() if noun else ""
    return parse.words[noun].lower() in _GROWN and before in _THAT


def said_of_somebody(parse: Parse, noun: int, names: Iterable[Span]) -> bool:
    """Whether a noun says what somebody is: "He is a good man"; ``names``: those of people."""
    if dependent(parse, noun, ("cop",)) is None:
        return False
    subjects = list(dependents(parse, noun, ("nsubj",)))
    inside = (a <= parse.spans[one][0] < b for one in subjects for a, b in names)
    return any(parse.words[one].lower() in _SOMEBODY for one in subjects) or any(inside)


def is_role(tree: SentenceTree, token: int) -> bool:
    """Whether a name after "as" is another's: "starred as Emma", "known for a part as Emma"."""
    if not tree.parse.tags[token].startswith("NNP"):
        return False
    above = tree.parse.heads[token]
    return tree.lower[above] not in _ALIASES or tree.tells_reason(above)


def subject_of(tree: SentenceTree, token: int) -> int | None:
    """Return the subject of a clause, or the noun that the clause belongs to."""
    subjects = tree.children(token, *SUBJECTS)
    if not subjects:
        return None
    if tree.parse.tags[subjects[0]] in ("WP", "WDT", "WP$"):
        while tree.parse.labels[token] == "conj":
            token = tree.parse.heads[token]
        if tree.parse.labels[token] == "acl:relcl":
            return tree.parse.heads[token]
    return subjects[0]


def governing(tree: SentenceTree, verb: int, *, objects: bool = False) -> int | None:
    """Return the subject of a verb, looked for up the clauses that have none of their own.

    ``objects``: of an infinitive, the object of the verb above: "I told her to wash herself".
    """
    for _ in range(_CLIMBED):
        subject = subject_of(tree, verb)
        if subject is not None:
            return subject
        label, above = tree.parse.labels[verb], tree.parse.heads[verb]
        if label in ("acl", "acl:relcl"):
            return above
        if label not in _GOES_ON:
            return None
        if objects and label == "xcomp" and (found := tree.children(above, "obj", "iobj")):
            return found[0]
        verb = above
    return None


def _named(parse: Parse, token: int) -> bool:
    return parse.entities[token : token + 1] == ("PERSON",)


def _greeted(parse: Parse) -> Parse:
    """Return the parse in which who is greeted does nothing: "Dear Ms Hale, as a man I ..."."""
    if not parse.words or parse.words[0].lower() not in _GREETINGS or "," not in parse.words:
        return parse
    comma, subjects = parse.words.index(","), ("nsubj", "nsubj:pass")
    later = {h for n, h in enumerate(parse.heads) if n > comma and parse.labels[n] in subjects}
    labels = (
        "vocative" if n < comma and label in subjects and parse.heads[n] in later else label
        for n, label in enumerate(parse.labels)
    )
    return replace(parse, labels=tuple(labels))


def _what_one_was(parse: Parse) -> Parse:
    """Return the parse in which "Pym, churchwarden and lifelong bachelor, ..." is one person.

    The parser joins such nouns as if they were other people, who would have an article.
    """
    if "PERSON" not in parse.entities or "conj" not in parse.labels:
        return parse
    labels, words = list(parse.labels), people_words()
    for name in (n for n in range(len(labels)) if _named(parse, n)):
        below = [n for n in dependents(parse, name) if labels[n] == "conj"]
        said = [n for n in below if parse.words[n] not in RELATIVES or parse.tags[n - 1] == "JJ"]
        person = any(words.person_noun(parse.words[n]) for n in said)  # not "Anna, mother and I"
        if person and below[0] > name and all(_bare(parse, n) for n in below):
            for noun in below if parse.words[below[0] - 1] != "and" else ():
                labels[noun] = "appos"
    return replace(parse, labels=tuple(labels))


def _bare(parse: Parse, noun: int) -> bool:
    """Whether a singular noun in lower case has no article, owner or number."""
    singular = parse.words[noun].islower() and parse.tags[noun] in ("NN", "NNP")
    return singular and dependent(parse, noun, ("det", "nmod:poss", "nummod")) is None


def _as_whom(parse: Parse) -> Parse:
    """Return the parse in which "as his" of "as his wife, I ..." is no fixed expression.

    And "man" is no subject of *is* in "as a man in a town where nobody is old, he ...".
    """
    if all(word.lower() != "as" for word in parse.words):
        return parse
    heads, labels = list(parse.heads), list(parse.labels)
    for noun, label in enumerate(parse.labels):
        first = parse.heads[noun]
        owned = label == "fixed" and parse.labels[noun - 1] == "nmod:poss"
        if owned and parse.words[first].lower() == "as" and parse.heads[first] != first:
            heads[noun], labels[noun] = parse.heads[first], "obl"
            heads[first], labels[first] = noun, "case"
        cases = dependents(parse, noun, ("case",)) if label in SUBJECTS else ()
        if any(parse.words[n].lower() == "as" for n in cases):
            verb = next(_verbs_after(parse, noun), None)
            if verb is not None:
                heads[noun], labels[noun] = verb, "obl"
    return replace(parse, heads=tuple(heads), labels=tuple(labels))


def _verbs_after(parse: Parse, noun: int) -> Iterator[int]:
    """Yield the verbs of the subjects right behind a comma, if they are no part of a noun."""
    for n in range(noun + 2, len(parse.words)):
        verb, above = parse.heads[n], {n}
        while verb not in above:
            above.add(verb)
            verb = parse.heads[verb]
        other = parse.labels[n] in SUBJECTS and parse.heads[n] != parse.heads[noun]
        if other and parse.words[n - 1] == "," and noun not in above:
            yield parse.heads[n]


def _spoken(parse: Parse) -> Parse:
    """Return the parse in which who speaks is nobody after the colon: "Lady Hale: The man lied".

    The parser may take the first noun of what is said for an apposition.
    """
    colon = parse.words.index(":") if ":" in parse.words[: _SPEAKER + 1] else 0
    name, said = range(colon), range(colon + 1, len(parse.words))
    if not name or not _speaks(parse, colon) or not any(_tells(parse, n, colon) for n in said):
        return parse
    heads, labels = list(parse.heads), list(parse.labels)
    top = next(n for n in name if heads[n] == n or heads[n] > colon)
    outer = [n for n in said if heads[n] < colon and labels[n] != "punct"]
    subjects = {heads[n] for n in said if labels[n].startswith("nsubj")}
    verbs = [n for n in outer if _tells(parse, n, colon, alone=True)]
    if heads[top] > colon:  # "Dr Smith: the patient, a man, said ..."
        verbs, labels[top] = [heads[top]], "vocative"
    elif outer and not verbs:  # "Lady Hale: The defendant, a man, lied", with "lied" joined to it
        joined = (n for n in said if heads[n] == outer[0] and labels[n] == "conj")
        verbs = [n for n in joined if _tells(parse, n, colon)][:1]
    for n in verbs:
        if labels[n] in ("appos", "conj") and heads[top] == top:
            heads[n], labels[n] = top, "parataxis"
    nouns = [n for n in outer if n not in verbs]
    for n in nouns:
        free = n == nouns[0] and verbs and verbs[0] not in subjects
        if free:
            heads[n], labels[n] = verbs[0], "nsubj"
        elif labels[n] == "appos" and n != nouns[0]:
            heads[n] = nouns[0]
        elif labels[n] == "appos":
            labels[n] = "parataxis"
    return replace(parse, heads=tuple(heads), labels=tuple(labels))


def _speaks(parse: Parse, colon: int) -> bool:
    """Whether a sentence begins with somebody and a colon: "Mr Justice Black:", "Judge:"."""
    words = [word for word in parse.words[:colon] if word != "."]
    titles = people_words().titles.keys() & {word.lower().rstrip(".") for word in words}
    named = "PERSON" in parse.entities[:colon]
    return bool(titles or named) and all(word[:1].isupper() for word in words)


def _tells(parse: Parse, token: int, colon: int, alone: bool = False) -> bool:
    """Whether a word behind a colon is the verb of a clause, or what something is said to be.

    ``alone``: a predicate itself, and not the copula below it.
    """
    if alone and dependent(parse, token, ("cop",)) is not None:
        return True
    tag, at = parse.tags[token], token
    if tag not in ("VBD", "VBZ", "VBP", "MD") and not (
        tag == "VBN" and parse.labels[token] in ("conj", "parataxis", "ROOT")
    ):
        return False
    while parse.heads[at] != at and at > colon:
        if parse.labels[at] in ("acl", "acl:relcl"):
            return False
        at = parse.heads[at]
    return True


def with_names_apart(parse: Parse) -> Parse:
    """Return the parse of a sentence in which a name does not go on behind *and*.

    The parser may make *Walsh* a part of *Jamal* in "Jamal and Emily Walsh", or *Jamal* of *Walsh*;
    and *Sir* a title of Ann in "Dear Sir, my name is Ann".
    """
    parse = _spoken(_greeted(_as_whom(_what_one_was(parse))))
    if "CC" not in parse.tags and "nmod:desc" not in parse.labels:
        return parse
    heads, labels = list(parse.heads), list(parse.labels)
    last_subject = {h: n for n, (h, label) in enumerate(zip(heads, labels, strict=True))
                    if label == "nsubj"}  # fmt: skip
    for n, label in enumerate(parse.labels):
        if label == "nmod:desc" and n < last_subject.get(heads[n], n):
            labels[n] = "vocative"
    parts = (n for n, label in enumerate(parse.labels) if label in ("flat", "compound"))
    for token in parts:
        head, label = parse.heads[token], parse.labels[token]
        first, last = sorted((token, head))
        between = [n for n in range(first + 1, last) if parse.tags[n] == "CC"]
        joined = [n for n in range(first + 1, last) if between and n > between[-1]]
        if not between or _named(parse, first) != _named(parse, last):
            continue
        if label == "flat" and first == head:
            conj = [n for n in joined if parse.labels[n] == "conj"]
            heads[token] = conj[-1] if conj else head
            labels[token] = label if conj else "conj"
        elif label == "compound" and first == token and _named(parse, first):
            above = parse.heads[head]
            heads[token], labels[token] = token if above == head else above, parse.labels[head]
            heads[head], labels[head] = token, "conj"
            for n in joined:
                if parse.heads[n] == token:
                    heads[n], labels[n] = head, "compound"
    return replace(parse, heads=tuple(heads), labels=tuple(labels))


@dataclass(frozen=True, slots=True)
class Word:
    """A token of a sentence of a text."""

    parse: Parse
    sentence: Sentence
    token: int

    @property
    def text(self) -> str:
        """As the text writes it."""
        return self.parse.words[self.token]

    @property
    def lower(self) -> str:
        """The word in lower case, with a straight apostrophe."""
        return self.text.lower().replace("\u2019", "'")

    @property
    def tag(self) -> str:
        """The Penn tag."""
        return self.parse.tags[self.token]

    @property
    def label(self) -> str:
        """The relation to the head."""
        return self.parse.labels[self.token]

    @property
    def span(self) -> Span:
        """The span in the text."""
        start, end = self.parse.spans[self.token]
        return start + self.sentence.start, end + self.sentence.start

    @property
    def head(self) -> Word:
        """The head; of a root itself."""
        return Word(self.parse, self.sentence, self.parse.heads[self.token])

    def beside(self, step: int) -> Word | None:
        """Return the word at an offset from this one in its sentence."""
        place = self.token + step
        inside = 0 <= place < len(self.parse.words)
        return Word(self.parse, self.sentence, place) if inside else None

    def dependents(self) -> Iterator[Word]:
        """Yield the dependents of the word."""
        for token in dependents(self.parse, self.token):
            yield Word(self.parse, self.sentence, token)


def sayers_of(tree: SentenceTree, token: int) -> Sequence[int]:
    """Return who says the clause that a word is the subject of."""
    clause = tree.parse.heads[token]
    said = tree.parse.labels[clause] == "ccomp"
    return tree.children(tree.parse.heads[clause], "nsubj") if said else []


def said_of_either(sentences: Sequence[ParsedSentence]) -> Iterator[tuple[Span, tuple[int, int]]]:
    """Yield pronouns that mean who says it or whose relative that is: "her son says he fell".

    With the ends of the words for both.
    """
    for one in sentences:
        tree = one.tree
        for token in (n for n, word in enumerate(tree.lower) if word in ("he", "she")):
            for sayer in sayers_of(tree, token)[:1]:
                for owner in tree.children(sayer, "nmod:poss")[:1]:
                    yield tree.place(token), (tree.place(sayer)[1], tree.place(owner)[1])
