"""Passes of rules that join the phrases of a text to entities, the surest first."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from hinter_core.language.mentions import Document, Phrase, in_order
from hinter_core.language.people import EITHER, FEMALE, MALE, PLURAL, SINGULAR, people_words
from hinter_core.language.trees import SentenceTree
from hinter_core.types import MentionKind

_CLOSING = 6  # words, at most, before the name under a letter
_NO_APPOSITION = ("obj", "parataxis", "ccomp")
_NO_EQUATION = frozenset("not n't never like as of in about".split())
_BECOMING = frozenset("become becomes became".split())
_REMAINING = frozenset("die died dies born remain remained remains".split())
_SAID = ("obj", "xcomp", "obl", "obl:unmarked")
_SUBJECTS = ("nsubj", "nsubj:outer")
_NOUN_FAR = 40  # sentences back to the same noun


@dataclass(slots=True)
class Known:
    """What the phrases of an entity say of it together.

    ``guessed``: a pronoun that alone tells the gender may mean somebody else. ``speaks``: the
    quotations in which the entity is *I*, *we* or *you*; -1 is the text outside of all.
    """

    members: list[int]
    gender: str = ""
    number: str = EITHER
    person: bool | None = None
    names: set[tuple[str, ...]] = field(default_factory=set)
    mixed: bool = False
    guessed: bool = False
    speaks: set[int] = field(default_factory=set)

    def gender_in_words(self) -> str:
        """The gender as :class:`~hinter_core.types.Entity` has it."""
        return "mixed" if self.mixed else self.gender if self.gender in (FEMALE, MALE) else ""


class EntitySets:
    """The phrases of a document, joined so far."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._of = list(range(len(document.phrases)))
        self._known = {
            p.index: Known([p.index], p.gender, p.number, p.person, {p.name} if p.name else set())
            for p in document.phrases
        }
        for p in document.phrases:
            if p.form is not None and p.form.person < 3:
                self._known[p.index].speaks.add(p.quote)
        self.own_names: set[int] = set()  # "My name is Ann"
        self.speakers: list[Phrase | None] = [None] * len(document.quotations)

    def of(self, phrase: Phrase) -> Known:
        """Return what is known of the entity of a phrase."""
        return self._known[self._of[phrase.index]]

    def at(self, tree: SentenceTree, token: int | None) -> Phrase | None:
        """Return the phrase that a token heads."""
        index = None if token is None else tree.phrase_of.get(token)
        return None if index is None else self.document.phrases[index]

    def key(self, phrase: Phrase) -> int:
        """Return a number of the entity of a phrase; it holds until the next join."""
        return self._of[phrase.index]

    def agree(self, a: Phrase, b: Phrase) -> bool:
        """Whether nothing known of two entities contradicts the other."""
        one, other = self.of(a), self.of(b)
        if one.gender and other.gender and one.gender != other.gender:
            return False
        if one.number and other.number and one.number != other.number:
            return False
        return one.person is None or other.person is None or one.person == other.person

    def join(self, a: Phrase, b: Phrase) -> None:
        """Make one entity of two."""
        kept, gone = sorted((self._of[a.index], self._of[b.index]))
        if kept == gone:
            return
        one, other = self._known[kept], self._known.pop(gone)
        for member in other.members:
            self._of[member] = kept
        one.members += other.members
        one.mixed = one.mixed or other.mixed or {one.gender, other.gender} == {FEMALE, MALE}
        one.gender = one.gender or other.gender
        one.number = one.number or other.number
        one.person = other.person if one.person is None else one.person
        one.names |= other.names
        one.guessed = one.guessed or other.guessed
        one.speaks |= other.speaks

    def groups(self) -> Iterator[list[Phrase]]:
        """Yield the phrases of each entity; unused joined phrases are left out."""
        phrases = self.document.phrases
        for known in self._known.values():
            members = [phrases[i] for i in known.members]
            if len(members) > 1 or not members[0].members:
                yield members


def join_names(sets: EntitySets) -> None:
    """Join equal names, and parts of a person's name with the whole."""
    whole: dict[tuple[str, ...], Phrase] = {}
    parts: dict[str, list[Phrase]] = defaultdict(list)
    named = [p for p in sets.document.phrases if p.name]
    for phrase in in_order(named):
        name = tuple(word.lower() for word in phrase.name)
        earlier = whole.get(name)
        if earlier is None and sets.of(phrase).person is not False:
            earlier = next(
                (
                    p
                    for p in reversed(parts[name[-1]] + (parts[name[0]] if len(name) == 1 else []))
                    if _one_name(sets, p, phrase)
                ),
                None,
            )
        if earlier is not None and _kin(sets, earlier, phrase):
            sets.join(earlier, phrase)
        whole[name] = phrase
        if sets.of(phrase).person is not False:
            for word in {name[0], name[-1]}:
                parts[word].append(phrase)


def _kin(sets: EntitySets, a: Phrase, b: Phrase) -> bool:
    one, other = sets.of(a), sets.of(b)
    return {one.gender, other.gender} != {FEMALE, MALE} and {one.number, other.number} != {
        SINGULAR,
        PLURAL,
    }


def _one_name(sets: EntitySets, earlier: Phrase, phrase: Phrase) -> bool:
    """Whether two names of people may be one person's: "Jane Doe" and "Doe", "Jane", "Ms Doe"."""
    mine = [w.lower() for w in phrase.name]
    shared = False
    for name in sets.of(earlier).names:
        theirs = [w.lower() for w in name]
        whole = len(mine) > 1 and len(theirs) > 1
        if whole and (mine[-1] != theirs[-1] or not _initials(mine[0], theirs[0])):
            return False
        shared = shared or bool({mine[0], mine[-1]} & {theirs[0], theirs[-1]})
    return shared


def _initials(a: str, b: str) -> bool:
    short, long = sorted((a.rstrip("."), b.rstrip(".")), key=len)
    return a == b or (len(short) == 1 and long.startswith(short))


def join_appositions(sets: EntitySets) -> None:
    """Join appositions and what is said to be the same: "Ann, a lawyer", "Ann is a lawyer"."""
    phrases = sets.document.phrases
    for tree in sets.document.trees:
        labels = tree.parse.labels
        for token, index in list(tree.phrase_of.items()):
            phrase = phrases[index]
            for part in {token, *range(phrase.name_at, phrase.name_at + len(phrase.name))}:
                for other in tree.children(part, "appos"):
                    if not (tree.ends_list(other) or _says(tree, part, other)):
                        _join_apposition(sets, tree, phrase, other)
            _join_before(sets, tree, phrase)
            _join_fronted(sets, tree, phrase)
            verb = tree.lower[tree.parse.heads[token]] if labels[token] in _SAID else ""
            # "Became the first woman to": not "became a nurse", who may not be one yet.
            said = verb in _BECOMING if phrase.gender else verb in _REMAINING and phrase.indefinite
            if tree.children(token, "cop") or (said and phrase.person):
                _join_predicate(sets, tree, token)
            elif phrase.person and "as" in tree.words_below(token, "case", "mark"):
                _join_role(sets, tree, token)
            for clause in tree.children(token, "acl"):
                if tree.lower[clause] in ("named", "called", "nicknamed", "known"):
                    for name in _names(tree, clause):
                        _join_if(sets, phrase, sets.at(tree, name))


def _says(tree: SentenceTree, label: int, told: int) -> bool:
    """Whether a name and a colon say who speaks of his or her own: "Mr Hale: My brother"."""
    owners = tree.words_below(told, "nmod:poss")
    return ":" in tree.lower[label:told] and not owners.isdisjoint({"my", "our"})


def _join_before(sets: EntitySets, tree: SentenceTree, phrase: Phrase) -> None:
    """Join an apposition that the parser took for none: "they told my aunt, a cook, that"."""
    labels = tree.parse.labels
    if not phrase.indefinite or labels[phrase.head] not in _NO_APPOSITION:
        return
    if tree.lower[phrase.first - 1] != "," or tree.children(phrase.head, "conj", "cop", "nsubj"):
        return
    for one in [sets.document.phrases[number] for number in tree.phrase_of.values()]:
        right_before = one.last == phrase.first - 2 and one.definite
        if right_before and one.person and one.number == SINGULAR:
            _join_if(sets, one, phrase)


def _join_fronted(sets: EntitySets, tree: SentenceTree, phrase: Phrase) -> None:
    """Join what a sentence begins with to its subject: "A Sikh and a keen golfer, he left"."""
    labels, heads = tree.parse.labels, tree.parse.heads
    if phrase.first or not phrase.indefinite or labels[phrase.head] == "obj":
        return
    conjuncts = (sets.at(tree, n) for n in tree.children(phrase.head, "conj"))
    said = [phrase, *(one for one in conjuncts if one and one.indefinite)]
    subject = max(one.last for one in said) + 2
    if tree.lower[subject - 1 : subject] != [","] or labels[subject] not in _SUBJECTS:
        return
    if labels[phrase.head] in _SUBJECTS and heads[phrase.head] != heads[subject]:
        return
    for one in said if all(one.person for one in said) else ():
        _join_if(sets, sets.at(tree, subject), one)


def _names(tree: SentenceTree, clause: int) -> list[int]:
    """Return what a clause calls somebody; "known for a role as Emma" does not."""
    labels = ("xcomp", "obj") if tree.tells_reason(clause) else ("xcomp", "obj", "obl")
    return tree.children(clause, *labels)


def _join_role(sets: EntitySets, tree: SentenceTree, token: int) -> None:
    """Join somebody with their role: "we valued him as a kind man", "as his wife, I told him"."""
    verb = tree.parse.heads[token]
    if tree.parse.labels[token] != "obl" or tree.lower[verb] in people_words().likening:
        return
    subjects, objects = tree.children(verb, "nsubj", "nsubj:pass"), tree.children(verb, "obj")
    whose = subjects if subjects and token < subjects[0] else objects or subjects
    role = sets.at(tree, token)
    owned = bool(tree.children(token, "nmod:poss")) and (whose is subjects or not objects)
    if whose and role and (role.indefinite or owned):
        _join_if(sets, sets.at(tree, whose[0]), role)


def _join_apposition(sets: EntitySets, tree: SentenceTree, one: Phrase, token: int) -> None:
    """Join somebody with an apposition: "Ann, a lawyer and mother, called"."""
    said = sets.at(tree, token)
    if said is None or said is one:
        return
    for other in (said, *(_added(sets, tree, one, token) if said.indefinite else ())):
        _join_if(sets, one, other)


def _join_predicate(sets: EntitySets, tree: SentenceTree, token: int) -> None:
    beside = (c for c in tree.below[token] if tree.parse.labels[c] != "conj")  # "and I'd like"
    if tree.children(token, "case") or any(tree.lower[c] in _NO_EQUATION for c in beside):
        return  # "he is with her"
    clause, labels = token, tree.parse.labels
    if not tree.children(token, "cop"):
        clause = tree.parse.heads[token]
        if any(tree.lower[c] in _NO_EQUATION for c in tree.children(clause, "advmod")):
            return
    while labels[clause] == "conj" and not tree.children(clause, *_SUBJECTS):
        clause = tree.parse.heads[clause]  # "he lives alone and is a cook"
    for subject in tree.children(clause, *_SUBJECTS):
        one = sets.at(tree, subject)
        if one is not None and labels[token] != "appos":
            for said in (sets.at(tree, token), *_added(sets, tree, one, token)):
                _join_if(sets, one, said)


def _added(sets: EntitySets, tree: SentenceTree, one: Phrase, token: int) -> list[Phrase]:
    """Return the nouns added to what is said of one person: "a widow and a grandmother"."""
    known = sets.of(one)
    if known.number != SINGULAR or not known.person or not (known.gender or one.name):
        return []
    nouns = (n for n in tree.children(token, "conj") if not tree.children(n, "nsubj", "cop"))
    phrases = (sets.at(tree, noun) for noun in nouns)
    return [phrase for phrase in phrases if phrase and phrase.gender == known.gender]


def _join_if(sets: EntitySets, a: Phrase | None, b: Phrase | None) -> None:
    if a is None or b is None:
        return
    known = sets.of(a)
    if a.noun in people_words().yielding and b.indefinite and len(known.members) == 1:
        known.gender = sets.of(b).gender or known.gender  # "the landlord, a widow"
    if not sets.agree(a, b) or (
        a.form and a.form.gender == "neuter" and b.kind is not MentionKind.NOUN
    ):
        return
    if a.name and b.name and sets.of(a).person and a.name != b.name and not _one_name(sets, a, b):
        return
    if a.form and a.form.person == 1 and b.name:
        sets.own_names.add(b.index)
    sets.join(a, b)


def join_speakers(sets: EntitySets) -> None:
    """Join I, we and you of each speaker, and I with the speaker of a quotation."""
    document = sets.document
    speakers = [_speaker(sets, number) for number in range(len(document.quotations))]
    sets.speakers = speakers
    last: dict[tuple[object, ...], Phrase] = {}
    for phrase in document.phrases:
        form = phrase.form
        if form is None or form.person == 3:
            continue
        speaker = speakers[phrase.quote] if phrase.quote >= 0 else None
        who: tuple[object, ...] = ()
        if phrase.quote >= 0:
            who = ("q", phrase.quote) if speaker is None else ("s", sets.of(speaker).members[0])
        if (
            form.person == 1
            and form.number == SINGULAR
            and speaker is not None
            and sets.agree(speaker, phrase)
        ):
            sets.join(speaker, phrase)
            continue
        key = (who, form.person, form.number)
        if key in last:
            sets.join(last[key], phrase)
        last[key] = phrase
    if writer := last.get(((), 1, SINGULAR)):
        for name in _signatures(document):
            _join_if(sets, writer, name)
    for name in (phrase for phrase in document.phrases if phrase.name):
        tree = document.trees[name.sentence]
        for said in tree.children(name.head, "nsubj"):
            owner = tree.children(said, "nmod:poss") if tree.lower[said] == "name" else []
            for one in owner:
                _join_if(sets, sets.at(tree, one), name)  # "my name is Ann"
            if tree.lower[said] in ("this", "that") and tree.children(name.head, "cop"):
                _join_shown(sets, name)


def _join_shown(sets: EntitySets, name: Phrase) -> None:
    """Join a name with the one person of the sentence before: "A boy waved. That's Ben"."""
    before = [p for p in sets.document.phrases if p.sentence == name.sentence - 1]
    shown = [p for p in before if p.indefinite and p.number == SINGULAR and sets.of(p).person]
    if len(shown) == 1 and not any(p.name for p in before):
        _join_if(sets, shown[0], name)


def _signatures(document: Document) -> Iterator[Phrase]:
    """Yield the name under a letter: "Yours sincerely, Ann Hale" at the end of a text."""
    closings = people_words().closings
    names = [phrase for phrase in document.phrases if phrase.name]
    for name in names[-1:]:
        tree, last = document.trees[name.sentence], document.trees[-1]
        before = tree.lower[: name.head] or document.trees[name.sentence - 1].lower
        close = len(before) <= _CLOSING and not closings.isdisjoint(before)
        end = len(last.lower) - 1
        if last.lower[end] == ")" and "(" in last.lower:  # "Ann Hale (Mrs)"
            end = max(0, last.lower.index("(") - 1)
        if close and name.span[1] >= last.start + last.parse.spans[end][0]:
            yield name


def _speaker(sets: EntitySets, number: int) -> Phrase | None:
    """Return who says a quotation: the subject of a verb of saying beside it."""
    document = sets.document
    start, end = document.quotations[number].span
    saying = people_words().saying
    best: tuple[int, Phrase] | None = None
    trees = document.trees
    first = max(0, bisect_right(trees, start, key=lambda tree: tree.start) - 2)
    beyond = bisect_right(trees, end + 3, key=lambda tree: tree.start)
    for tree in trees[first:beyond]:
        spans = tree.parse.spans
        if not spans or tree.start > end + 3 or tree.start + spans[-1][1] < start - 3:
            continue
        for token, (low, high) in enumerate(spans):
            low, high = low + tree.start, high + tree.start
            if tree.lower[token] not in saying or start <= low < end:
                continue
            said = tree.children(token, "nsubj")
            for subject in said or [c for c in tree.children(token, "obj") if c == token + 1]:
                phrase = sets.at(tree, subject)
                if phrase is None or phrase.quote == number:
                    continue
                away = min(abs(low - end), abs(start - high))
                if away < 80 and (best is None or away < best[0]):
                    best = away, phrase
    return best[1] if best else None


def join_same_nouns(sets: EntitySets) -> None:
    """Join definite phrases with the last earlier phrase of the same noun."""
    last: dict[tuple[str, str], Phrase] = {}
    for phrase in in_order(sets.document.phrases):
        if phrase.kind is not MentionKind.NOUN or not phrase.noun or _has_owner(sets, phrase):
            continue
        key = (phrase.noun, phrase.number)
        earlier = last.get(key)
        if (
            earlier is not None
            and phrase.definite
            and phrase.sentence - earlier.sentence <= _NOUN_FAR
            and phrase.modifiers <= earlier.modifiers | {"same"}
            and not _inside(phrase, earlier)
            and sets.agree(earlier, phrase)
        ):
            sets.join(earlier, phrase)
        last[key] = phrase


def _has_owner(sets: EntitySets, phrase: Phrase) -> list[int]:
    tree = sets.document.trees[phrase.sentence]
    return [] if phrase.members else tree.children(phrase.head, "nmod:poss")


def join_possessed(sets: EntitySets) -> None:
    """Join phrases of the same noun and owner: "his mother" and "Tom's mother"."""
    last: dict[tuple[str, int], Phrase] = {}
    for phrase in in_order(sets.document.phrases):
        if phrase.kind is not MentionKind.NOUN or not phrase.noun:
            continue
        tree = sets.document.trees[phrase.sentence]
        owners = (sets.at(tree, owner) for owner in _has_owner(sets, phrase))
        if (owner := next(filter(None, owners), None)) is None:
            continue
        key = (phrase.noun, sets.of(owner).members[0])
        if key in last and sets.agree(last[key], phrase):
            sets.join(last[key], phrase)
        last[key] = phrase


def _inside(a: Phrase, b: Phrase) -> bool:
    """Whether one phrase is a part of the other."""
    return (a.span[0] <= b.span[0] and b.span[1] <= a.span[1]) or (
        b.span[0] <= a.span[0] and a.span[1] <= b.span[1]
    )
