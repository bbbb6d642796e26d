"""Phrases of a parsed text that stand for people or things, with what they say of them.

Spans follow GUM: a phrase has its determiner, modifiers and relative clauses, but no preposition,
possessive ending or apposition behind a comma. Relative pronouns are no phrases.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hinter_core.language.encoder import SentenceReading, read_text
from hinter_core.language.people import (
    EITHER,
    FEMALE,
    MALE,
    NEUTER,
    PLURAL,
    PRONOUNS,
    SINGULAR,
    UNKNOWN,
    PeopleWords,
    PronounForm,
    people_words,
)
from hinter_core.language.trees import (
    ParsedSentence,
    SentenceTree,
    said_of_somebody,
    shown,
    tree_of,
)
from hinter_core.types import MentionKind, Span

_PROPER = ("NNP", "NNPS")
_NOUNS = (*_PROPER, "NN", "NNS")
_PLURAL_TAGS = ("NNS", "NNPS")
_NAME_ENTITIES = ("PERSON", "ORG", "GPE", "LOC")
# Relations of words that head no phrase of their own, but belong to another one.
_PARTS = frozenset(
    "flat fixed goeswith nmod:desc reparandum discourse case mark cc det amod advmod expl".split()
)
_NOMINAL = frozenset(
    """nsubj nsubj:pass nsubj:outer obj iobj obl obl:agent obl:unmarked nmod nmod:poss conj appos
    ROOT xcomp ccomp dislocated vocative parataxis nmod:unmarked""".split()
)
# Relations of words below a noun that are outside its phrase.
_OUTSIDE = frozenset(
    """case cc conj appos cop nsubj nsubj:pass nsubj:outer aux aux:pass mark parataxis discourse
    vocative advcl ccomp csubj expl dislocated reparandum orphan list punct""".split()
)
_OUTSIDE_PREDICATE = _OUTSIDE | {"advmod", "obl", "obl:unmarked", "obl:tmod"}
_GENDER_WORDS = {
    "female": FEMALE, "male": MALE, "woman": FEMALE, "women": FEMALE, "lady": FEMALE,
    "girl": FEMALE, "boy": MALE, "feminine": FEMALE, "masculine": MALE,
}  # fmt: skip
_DEFINITE = frozenset("the this that these those".split())
_SEVERAL = frozenset("these those both many few several".split())
_COUNTING = frozenset(
    "lot lots plenty couple bunch number handful dozens kind hundreds thousands millions".split()
)
_ONE_OR_MORE = frozenset("one each either neither kind sort type".split())
_INDEFINITE = frozenset("a an some any every each no another".split())
_PARAGRAPH = re.compile(r"\n\s*\n|(?:<br\s*/?>\s*){2,}|<p\b[^<>]{0,80}>", re.IGNORECASE)
_SAID = re.compile(r"[,:]\s*$|\b(?:say|says|said|like|ask|asks|asked)\W*$")
_LONGEST_TITLE = 6  # words
# Chances of a person: enough alone, enough for a word that is listed, too high to rule a person
# out. Chosen on the training part of GUM.
_CERTAIN, _LIKELY, _OPEN = 0.8, 0.3, 0.5
_QUOTED = re.compile(  # in single marks, what is surely said: 'I am well,' she said
    r'"[^"]{1,2000}"|\u201c[^\u201c\u201d]{1,2000}\u201d|``[^`]{1,2000}?\'\''
    r"|(?<![\w'])['\u2018](?=[A-Z])(?:[^\"'\u2018\u2019\u201c]|(?<=\w)['\u2019](?=\w)){1,2000}?"
    r"(?<=[,.!?])['\u2019](?!\w)"
)


@dataclass(slots=True)
class Phrase:
    """A phrase before it is resolved.

    ``sentence``, ``first``, ``last``, ``head``: indices of the sentence and of its tokens.
    ``name``: the words of a name without titles, from the token ``name_at``. ``person``: None if
    unknown. ``members``: indices of the phrases that are joined in this one, "Ann and her brother".
    """

    index: int
    sentence: int
    head: int
    first: int
    last: int
    kind: MentionKind
    noun: str = ""
    name: tuple[str, ...] = ()
    name_at: int = 0
    form: PronounForm | None = None
    gender: str = UNKNOWN
    number: str = EITHER
    person: bool | None = None
    definite: bool = False
    indefinite: bool = False
    role: str = ""
    quote: int = -1
    members: tuple[int, ...] = ()
    modifiers: frozenset[str] = frozenset()
    span: Span = (0, 0)
    head_span: Span = (0, 0)


@dataclass(slots=True)
class Quotation:
    """Quoted words: their characters in the text, and whether they are a title, not speech."""

    span: Span
    title: bool


@dataclass(slots=True)
class Document:
    """All phrases of a text in the order of their heads, with the trees and quotations."""

    trees: list[SentenceTree]
    phrases: list[Phrase]
    quotations: list[Quotation]


def read_document(text: str, sentences: Sequence[ParsedSentence]) -> Document:
    """Find the phrases of all sentences."""
    words = people_words()
    readings = read_text(one.sentence.text for one in sentences)
    document = Document([tree_of(one) for one in sentences], [], read_quotations(text))
    for number, (tree, one) in enumerate(zip(document.trees, sentences, strict=True)):
        _Finder(document, number, tree, words, readings[one.sentence.text]).find()
    return document


def read_quotations(text: str) -> list[Quotation]:
    """Find the words between double quotation marks, in order."""
    breaks = [m.start() for m in _PARAGRAPH.finditer(text)]
    quotations = []
    for match in _QUOTED.finditer(text):
        if bisect_right(breaks, match.start()) != bisect_right(breaks, match.end()):
            continue  # a mark that opens or closes nothing
        inside = re.findall(r"[^\W\d_][\w'\u2019]*", match.group())
        small = sum(1 for word in inside if word[0].islower() and len(word) > 3)
        said = _SAID.search(text[max(0, match.start() - 30) : match.start()]) is not None
        few = len(inside) <= _LONGEST_TITLE and not said
        end = match.group().rstrip("\"'\u2019\u201d ")[-1:]
        title = (small == 0 or few) and end not in (",", ".", "!", "?", ";", "-", "\u2014")
        quotations.append(Quotation(match.span(), title))
    return quotations


class _Finder:
    """Finds the phrases of one sentence."""

    def __init__(
        self, document: Document, number: int, tree: SentenceTree, words: PeopleWords,
        reading: SentenceReading,
    ) -> None:  # fmt: skip
        self.document = document
        self.number = number
        self.tree = tree
        self.parse = tree.parse
        self.words = words
        self.reading = reading
        self.names = self._whole_names()

    def find(self) -> None:
        for token in range(len(self.parse.words)):
            run = self.names.get(token)
            if run is not None and run[2] != token:
                continue  # a part of a name
            if (phrase := self._phrase(token)) is not None:
                self._place(phrase)
        for token in list(self.tree.phrase_of):
            self._join(token)

    def _whole_names(self) -> dict[int, tuple[int, int, int]]:
        """Return the first, last and head word of names of people, by each of their words.

        The parser may take a first name for a compound, or the name after a noun for a part of it
        ("director Jane Doe", "Miss Doe"); then the noun or title is the head.
        """
        parse = self.parse
        entities = parse.entities
        names: dict[int, tuple[int, int, int]] = {}
        first = 0
        while first < len(entities):
            last = first
            named = entities[first]
            if named == "PERSON" or (named not in ("", "NORP") and self._given(first)):
                while last + 1 < len(entities) and entities[last + 1] == named:
                    if not parse.words[last + 1][0].isalnum() or parse.tags[last + 1] == "POS":
                        break
                    last += 1
                inside = range(first, last + 1)
                heads = [n for n in inside if parse.heads[n] not in inside or parse.heads[n] == n]
                if len(heads) == 1 and parse.words[first][:1].isupper():
                    head = heads[0]
                    above = parse.heads[head]
                    if parse.labels[head] == "flat" and self._describes(self.tree.lower[above]):
                        head = above
                    names.update(dict.fromkeys((*inside, head), (first, last, head)))
            first = last + 1
        for token, label in enumerate(parse.labels):  # "Aunt Polly", read as an adverb
            before = self.tree.lower[token - 1].rstrip(".") if token else ""
            if label == "advmod" and self._given(token) and before in self.words.titles:
                names[token - 1] = names[token] = (token, token, token - 1)
        return names

    def _describes(self, word: str) -> bool:
        """Whether a word before a name is of its person: "director Jane Doe", "Miss Doe"."""
        return word in self.words.nouns or word.rstrip(".") in self.words.titles

    def _place(self, phrase: Phrase) -> None:
        phrase.index = len(self.document.phrases)
        parse, start = self.parse, self.tree.start
        spans = parse.spans
        phrase.span = (start + spans[phrase.first][0], start + spans[phrase.last][1])
        if not phrase.members:
            at = phrase.name_at if phrase.name else phrase.head
            end = at + max(1, len(phrase.name)) - 1
            phrase.head_span = (start + spans[at][0], start + spans[end][1])
            self.tree.phrase_of[phrase.head] = phrase.index
        else:
            phrase.head_span = phrase.span
        phrase.quote = self._quote(phrase.head_span[0])
        if phrase.quote >= 0 and self.document.quotations[phrase.quote].title and phrase.form:
            self.tree.phrase_of.pop(phrase.head, None)
            return  # "You've Got Mail" speaks of nobody
        phrase.role = self._role(phrase.head)
        self.document.phrases.append(phrase)

    def _quote(self, place: int) -> int:
        quotations = self.document.quotations
        number = bisect_right(quotations, place, key=lambda quotation: quotation.span[0]) - 1
        return number if number >= 0 and place < quotations[number].span[1] else -1

    def _role(self, token: int) -> str:
        labels, heads = self.parse.labels, self.parse.heads
        while labels[token] == "conj" and heads[token] != token:
            token = heads[token]
        label = labels[token]
        if label.startswith("nsubj"):
            return "subject"
        if label in ("obj", "iobj"):
            return "object"
        return label.split(":")[0] if label != "nmod:poss" else "possessor"

    def _phrase(self, token: int) -> Phrase | None:
        tag, label = self.parse.tags[token], self.parse.labels[token]
        lower = self.tree.lower[token]
        if tag in ("PRP", "PRP$") or (
            lower in PRONOUNS and tag not in _NOUNS and lower not in ("'s", "one")
        ):
            form = PRONOUNS.get(lower.replace("\u2019", "'"))
            none = label in ("expl", "reparandum", "discourse") or self._in_title(token)
            if form is None or none or self.tree.of_either(token):
                return None
            return self._pronoun(token, form, tag)
        if token in self.names and label not in ("nmod:desc", "reparandum"):
            return self._name(token)
        called = label == "discourse" and self.words.person_noun(lower)  # "too, mom"
        if (label in _PARTS and not called) or (label == "compound" and not self._named(token)):
            return None
        if label == "nmod" and self._counted(token):
            return None  # "a lot of people" is one phrase
        if tag in _PROPER or (tag in _NOUNS and (self._named(token) or self._given(token))):
            return self._noun(token) if self._capital_noun(token) else self._name(token)
        if (tag in _NOUNS or self._stands_alone(token)) and not self._ends_word(token):
            return self._noun(token)
        return None

    def _ends_word(self, token: int) -> bool:
        """Whether a noun is only part of a word: of "sister-in-law", or the years of "56 yo"."""
        words, spans, head = self.parse.words, self.parse.spans, self.parse.heads[token]
        whole = all(spans[at][1] == spans[at + 1][0] for at in range(head, token))
        end = head < token and whole and words[token - 1] == "-"
        return end or (head != token and spans[head] == spans[token])

    def _in_title(self, token: int) -> bool:
        """Whether a pronoun is written as in a title: "Kill Me Again"."""
        words, word = self.parse.words, self.parse.words[token]
        if not (0 < token < len(words) - 1) or not word[:1].isupper() or word.lower() == "i":
            return False
        near = words[token - 1], words[token + 1]
        return all(w[:1].isupper() and w[1:2].islower() and w not in PRONOUNS for w in near)

    def _named(self, token: int) -> bool:
        named = self.parse.entities[token] if self.parse.entities else ""
        return named in _NAME_ENTITIES and self.parse.words[token][:1].isupper()

    def _given(self, token: int) -> bool:
        word = self.parse.words[token]
        return word in self.words.names and word not in self.words.places

    def _capital_noun(self, token: int) -> bool:
        """Whether a noun for a person is only written as a name: "Mom", "the President"."""
        lower, entities = self.tree.lower[token], self.parse.entities
        if lower not in self.words.nouns and lower not in self.words.titles:
            return False
        before = self.tree.lower[token - 1].rstrip(".") if token else ""
        surname = before in self.words.surname_titles and self.words.nouns.get(lower)  # "Ms. King"
        if surname or lower in ("st", "will", "mark") or self.tree.children(token, "flat"):
            return False
        return not (entities and entities[token] == "PERSON" and lower not in self.words.nouns)

    def _stands_alone(self, token: int) -> bool:
        """Whether a word that is no noun heads a phrase: "the poor", "one of them", "both"."""
        parse = self.parse
        if parse.labels[token] not in _NOMINAL:
            return False
        tag = parse.tags[token]
        if any(parse.labels[c] in ("cop", "nsubj") for c in self.tree.below[token]):
            return tag == "CD" and self._quantified(token) is not None  # "he was one of them"
        determined = not _DEFINITE.isdisjoint(self.tree.words_below(token, "det"))
        return tag in ("CD", "DT") or (tag[:2] == "JJ" and determined)

    def _pronoun(self, token: int, form: PronounForm, tag: str) -> Phrase:
        case = form.case
        if form.case in ("obj", "poss") and self.tree.lower[token] in ("her", "his", "hir"):
            case = "poss" if tag == "PRP$" and self.parse.labels[token] == "nmod:poss" else "obj"
            above = self.parse.tags[self.parse.heads[token]]
            finite = self.parse.labels[token] == "nsubj" and above in ("VBZ", "VBD", "VBP")
            if self.tree.lower[token] == "his" or finite:
                case = "poss"  # "her looks", parsed as "she looks"
        form = PronounForm(form.person, form.number, form.gender, case)
        person = True if form.person < 3 or form.gender in (FEMALE, MALE) else None
        if form.gender == NEUTER:
            person = False
        if self.tree.lower[token] in ("one", "themself") or (
            form.person == 3 and case == "refl" and not form.gender
        ):
            person = None
        return Phrase(
            -1, self.number, token, token, token, MentionKind.PRONOUN,
            form=form, gender=form.gender, number=form.number, person=person,
        )  # fmt: skip

    def _bounds(self, token: int) -> Span:
        parse, tree = self.parse, self.tree
        predicate = any(parse.labels[c] == "cop" for c in tree.below[token])
        outside = _OUTSIDE_PREDICATE if predicate else _OUTSIDE
        first = last = token
        for child in tree.below[token]:
            if parse.labels[child] not in outside:
                first = min(first, tree.reach[child][0])
                last = max(last, tree.reach[child][1])
        while last > token and parse.tags[last] in (",", ".", ":", "POS", "''"):
            last -= 1
        while first < token and parse.tags[first] in (",", ".", ":", "``", "IN"):
            first += 1
        return first, last

    def _name(self, token: int) -> Phrase:
        parse, tree = self.parse, self.tree
        first, last = self._bounds(token)
        at, end, _ = self.names.get(token, (token, token, token))
        while end + 1 < len(parse.words) and self._continues(end + 1, token):
            end += 1
        entities = parse.entities or ("",) * len(parse.words)
        named = {entities[i] for i in range(at, end + 1)} - {""}
        name = tuple(parse.words[at : end + 1])
        own = sorted(c for t in {token, *range(at, end + 1)} for c in tree.below[t] if c < at)
        before = [tree.lower[c].rstrip(".") for c in own if parse.labels[c] not in _OUTSIDE]
        if token < at:
            before.append(tree.lower[token])
        titles = [w for w in before if w in self.words.titles]
        nouns = [w for w in before if w in self.words.nouns]
        given = self.words.names.get(name[0], UNKNOWN)
        if len(name) == 1 and name[0] in self.words.places:
            given = UNKNOWN
        while (word := name[0].lower().rstrip(".")) in self.words.titles and len(name) > 1:
            titles.append(word)  # "Mr Justice Black"
            name = name[1:]
            given = self.words.names.get(name[0], UNKNOWN) if len(name) > 1 else UNKNOWN
        person = self._is_person(name, named, given, titles[-1] if titles else None, nouns)
        said = (*map(self.words.titles.get, titles), *(self.words.nouns[noun] for noun in nouns))
        gender = next(filter(None, said), UNKNOWN)
        plural = parse.tags[token] == "NNPS"
        if person is None and tree.parse.labels[token] == "nsubj":
            verb = tree.lower[parse.heads[token]]
            person = True if verb in self.words.saying | self.words.thinking else None
        person = self._judged(token, person)
        return Phrase(
            -1, self.number, token, min(first, at), max(last, end), MentionKind.NAME,
            name=name, name_at=end + 1 - len(name), gender=(gender or given) if person else UNKNOWN,
            number=PLURAL if plural else SINGULAR if person else EITHER,
            person=person, definite=True,
        )  # fmt: skip

    def _continues(self, token: int, head: int) -> bool:
        parse = self.parse
        if parse.labels[token] != "flat" or parse.heads[token] != head:
            return False
        return parse.words[token][:1].isalnum()

    def _is_person(
        self, name: tuple[str, ...], named: set[str], given: str, title: str | None,
        nouns: list[str],
    ) -> bool | None:  # fmt: skip
        if "PERSON" in named or (title is not None and title != "st"):
            return True
        if len(name) == 1 and name[0].lower() in self.words.things:
            return False
        place = name[0] in self.words.places
        if (given and (len(name) > 1 or not place)) or (nouns and not named):
            return True
        if named & {"ORG", "GPE", "LOC"}:
            return False
        return True if len(name) == 1 and self.words.person_noun(name[0].lower()) else None

    def _noun(self, token: int) -> Phrase:
        parse, tree, words = self.parse, self.tree, self.words
        first, last = self._bounds(token)
        noun, tag = tree.lower[token], parse.tags[token]
        before = {tree.lower[c] for c in tree.below[token] if c < token}
        person: bool | None = words.person_noun(noun) and noun not in words.things
        gender = words.nouns.get(noun, UNKNOWN)
        for word in before & _GENDER_WORDS.keys():
            gender = gender or (_GENDER_WORDS[word] if person else UNKNOWN)
        number = EITHER if noun in words.collectives else SINGULAR
        number = PLURAL if tag in _PLURAL_TAGS and noun not in words.singular else number
        inner = self._quantified(token)
        if inner is not None:
            inside = tree.lower[inner]
            person = words.person_noun(inside) or (True if inside in ("us", "you") else None)
            gender = words.nouns.get(inside, UNKNOWN)
            number = EITHER if noun in _ONE_OR_MORE else PLURAL
        elif tag in ("CD", "DT") or tag[:2] == "JJ":
            number = PLURAL if noun in _SEVERAL else EITHER
            person = None
        if any("who" in tree.words_below(v, "nsubj") for v in tree.children(token, "acl:relcl")):
            person = True
        person = self._judged(token, person)
        if tag in _PROPER and tree.children(token, "conj"):  # "Mr and Mrs Khan"
            gender = gender or words.titles.get(noun.rstrip("."), UNKNOWN)
            person = person or bool(gender)
        possessed = bool(tree.children(token, "nmod:poss"))
        capital = tag in _PROPER and not before & _INDEFINITE
        modifiers = tree.words_below(token, "amod", "compound", "nummod", "nmod:poss", "nmod")
        return Phrase(
            -1, self.number, token, first, last, MentionKind.NOUN, noun=noun, number=number,
            gender=UNKNOWN if person is False else gender, person=person,
            definite=possessed or bool(before & _DEFINITE) or capital,
            indefinite=bool(before & _INDEFINITE), modifiers=frozenset(modifiers),
        )  # fmt: skip

    def _judged(self, token: int, person: bool | None) -> bool | None:
        """Whether a phrase is about people, by the word lists and the encoder together."""
        kinds = self.reading.kinds(self.parse.spans[token])
        share = kinds["person"] + kinds["name"]
        sure = share > _CERTAIN or (person and share + kinds["animal"] > _LIKELY)
        if sure or (person and said_of_somebody(self.parse, token, self.reading.names)):
            return True
        if shown(self.parse, token):
            return True
        return None if share > _OPEN else False

    def _counted(self, token: int) -> bool:
        head = self.parse.heads[token]
        noun = self.parse.tags[head] in ("NN", "NNS") and self.tree.lower[head] in _COUNTING
        return noun and self._quantified(head) == token

    def _quantified(self, token: int) -> int | None:
        """Return the noun of "a lot of people", "all of us", "one of the girls"."""
        parse, tree = self.parse, self.tree
        if parse.tags[token][:2] == "NN" and tree.lower[token] not in self.words.quantities:
            return None
        for inner in tree.children(token, "nmod", "obl"):
            if "of" in tree.words_below(inner, "case"):
                return inner
        return None

    def _join(self, token: int) -> None:
        """Add the phrase of joined nouns: "Ann and her brother"."""
        parse, tree = self.parse, self.tree
        conjuncts = [c for c in tree.children(token, "conj") if c in tree.phrase_of]
        joined = any(tree.words_below(c, "cc") & {"and", "&"} for c in conjuncts)
        if not joined or any(parse.labels[c] in ("cop", "nsubj") for c in tree.below[token]):
            return
        members = [self.document.phrases[tree.phrase_of[c]] for c in (token, *conjuncts)]
        people = [m.person for m in members]
        genders = {m.gender for m in members}
        self._place(
            Phrase(
                -1, self.number, token, members[0].first, max(m.last for m in members),
                MentionKind.NOUN, gender=genders.pop() if len(genders) == 1 else UNKNOWN,
                number=PLURAL, person=None if None in people else all(people),
                definite=all(m.definite for m in members),
                members=tuple(m.index for m in members),
            )
        )  # fmt: skip


def in_order(phrases: Sequence[Phrase]) -> Iterator[Phrase]:
    """Yield phrases as they begin in the text, the longer one first."""
    yield from sorted(phrases, key=lambda p: (p.span[0], -p.span[1]))
