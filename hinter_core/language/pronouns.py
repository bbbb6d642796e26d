"""Antecedents of pronouns of the third person: what the tree forbids, and salience.

Reflexives are bound by the subject of their clause. The others take the entity of the highest
salience that agrees with them (Lappin and Leass 1994; the weights are our own and were chosen on
the training part of GUM).
"""

from __future__ import annotations

from collections.abc import Sequence

from hinter_core.language.antecedents import EntitySets
from hinter_core.language.mentions import Phrase
from hinter_core.language.people import (
    EITHER,
    FEMALE,
    MALE,
    NEAR,
    NEUTER,
    PLURAL,
    SINGULAR,
    people_words,
)
from hinter_core.language.trees import SentenceTree, governing
from hinter_core.types import MentionKind

_MOST = 60  # phrases examined before a pronoun, for linear time
_CALLING = frozenset(
    "call calls called calling consider considers considered names named declared deemed".split()
)
_CLAUSES = 6  # nouns that a pronoun is a part of


# Salience of a phrase as antecedent of a pronoun. Losses for each sentence and phrase between them.
_SENTENCE, _PLACE = 22.0, 1.0
# Gains by grammatical role, and for the same role.
_ROLES = {
    "subject": 30.0, "object": 18.0, "possessor": 14.0, "obl": 15.0, "appos": 12.0, "nmod": 12.0,
    "vocative": 0.0, "dislocated": 40.0, "ROOT": 9.0,
}  # fmt: skip
_SAME_ROLE = 6.0
_GENDER = 15.0
# Of the subject of a possessive's own clause, if its gender is known: "the waiter got his money".
_OWN_SUBJECT = 40.0
# Of subject and object of the verb on which a clause depends: "he hates the boy, as he lies".
_BESIDE = 25.0
_TOLD = 12.0  # of the object, if its gender is known: "the doctor told my wife that she was ill"
_PRONOUN, _NAME, _INDEFINITE = 14.0, 8.0, -4.0
_NO_PERSON, _ACROSS_QUOTE = -35.0, -8.0
# What each further mention of the entity adds, and the share of it kept for each sentence.
_MENTION, _DECAY = 6.0, 0.45
# Of what may be several: people, subjects of verbs of thinking, joined phrases, and one person.
_PEOPLE, _THINKING, _JOINED, _SINGULAR_THEY = 21.0, 42.0, 5.0, -24.0
# Of nobody in particular: *he* of another sentence is somebody else.
_ANYBODY = frozenset("everybody everyone nobody anybody anyone".split())
# Sentences back to an antecedent.
_FAR_PERSON, _FAR_THEY, _FAR_THING = 6, 4, 2


def join_pronouns(sets: EntitySets) -> None:
    """Join each pronoun of the third person with its antecedent, in reading order."""
    ordered = sorted(sets.document.phrases, key=lambda p: (p.head_span[0], -p.head_span[1]))
    for place, phrase in enumerate(ordered):
        form = phrase.form
        if form is None or form.person != 3:
            continue
        before = ordered[max(0, place - _MOST) : place]
        chosen = _bound(sets, phrase, before) if form.case == "refl" else None
        if chosen is None:
            chosen = _most_salient(sets, phrase, before)
        if chosen is None:
            chosen = _following(sets, phrase, ordered[place + 1 : place + _MOST])
        if chosen is not None:
            sets.join(chosen, phrase)


def _subject_of(sets: EntitySets, tree: SentenceTree, verb: int) -> Phrase | None:
    return _at(sets, tree, governing(tree, verb, objects=True))


def _relative(tree: SentenceTree, token: int) -> int:
    """Return the noun that a relative pronoun stands for, or the token itself."""
    if tree.parse.tags[token] not in ("WP", "WDT", "WP$"):
        return token
    clause = tree.verb_of[token]
    return tree.parse.heads[clause] if tree.parse.labels[clause] == "acl:relcl" else token


def _at(sets: EntitySets, tree: SentenceTree, token: int | None) -> Phrase | None:
    return None if token is None else sets.at(tree, _relative(tree, token))


def _bound(sets: EntitySets, phrase: Phrase, before: Sequence[Phrase]) -> Phrase | None:
    """Return the antecedent of a reflexive."""
    tree = sets.document.trees[phrase.sentence]
    subject = _subject_of(sets, tree, tree.verb_of[phrase.head])
    if subject is not None and sets.agree(subject, phrase):
        return subject
    near = (p for p in reversed(before) if p.sentence == phrase.sentence)
    return next((p for p in near if sets.agree(p, phrase)), None)


def _around(tree: SentenceTree, token: int) -> list[int]:
    """Return the nouns that a pronoun is a part of: "one of his friends"."""
    heads, labels = tree.parse.heads, tree.parse.labels
    if heads[token] == token:
        return []
    around = [heads[token]]
    while labels[around[-1]] == "nmod" and len(around) < _CLAUSES:
        if "of" not in tree.words_below(around[-1], "case"):
            break
        around.append(heads[around[-1]])
    return around


def _called(tree: SentenceTree, owner: int) -> list[int]:
    """Return who is called somebody's: of "she calls her her friend", the first *her*."""
    noun = tree.parse.heads[owner]
    verb = tree.parse.heads[noun]
    says = tree.parse.labels[owner] == "nmod:poss" and tree.lower[verb] in _CALLING
    objects = tree.children(verb, "obj", "iobj") if says else []
    return [other for other in objects if noun in objects and other != noun]


def _barred(sets: EntitySets, phrase: Phrase) -> set[int]:
    """Return the entities that the tree forbids: "she saw her" is about two people."""
    form = phrase.form
    tree = sets.document.trees[phrase.sentence]
    barred = [_at(sets, tree, token) for token in _around(tree, phrase.head)]
    barred += [_at(sets, tree, token) for token in _called(tree, phrase.head)]
    if form is not None and form.case == "obj" and phrase.role != "subject":
        verb = tree.verb_of[phrase.head]
        barred.append(_subject_of(sets, tree, verb))
        arguments = tree.children(verb, "obj", "iobj", "obl", "obl:agent", "nsubj", "nsubj:pass")
        barred += [_at(sets, tree, c) for c in arguments if c != phrase.head]
    elif phrase.role == "subject":
        verb = tree.verb_of[phrase.head]
        arguments = tree.children(verb, "obj", "iobj", "obl", "nsubj", "nsubj:pass")
        barred += [
            other
            for c in arguments
            if c != phrase.head
            and (other := _at(sets, tree, c))
            and other.form is not None
            and other.form.case == "obj"
        ]
    if phrase.quote >= 0 and (speaker := sets.speakers[phrase.quote]) is not None:
        barred.append(speaker)
    if phrase.role == "subject":
        barred += _of_others(sets, tree, phrase)
    barred += _who_answers(sets, tree, phrase)
    return {sets.key(other) for other in barred if other is not None and other is not phrase}


def _who_answers(sets: EntitySets, tree: SentenceTree, phrase: Phrase) -> list[Phrase]:
    """Return who answers a question, of others: "Who was driving? Mr Hale: He was."."""
    before = sets.document.trees[max(0, phrase.sentence - 1)].lower
    colon = tree.lower.index(":") if ":" in tree.lower[: phrase.head] else 0
    asked = colon and phrase.form is not None and phrase.form.person == 3 and "?" in before[-1:]
    named = (_at(sets, tree, token) for token in range(colon if asked else 0))
    return [one for one in named if one is not None and one.name]


def _of_others(sets: EntitySets, tree: SentenceTree, phrase: Phrase) -> list[Phrase]:
    """Return who a subject is not: of whom its words speak, and the other owner.

    '"The boy did it", she said'; "her coat is red and hers is blue".
    """
    beside = [sets.document.phrases[number] for number in tree.phrase_of.values()]
    if phrase.form is not None and phrase.form.case == "abs":
        subjects = (p.head for p in beside if p.role == "subject")
        owners = {o for one in subjects for o in tree.children(one, "nmod:poss")}
        return [p for p in beside if p.head in owners]
    says = tree.lower[tree.verb_of[phrase.head]] in people_words().saying
    named = (p for p in beside if p.form is None)  # whom a pronoun means is less sure
    return [p for p in named if says and phrase.quote < 0 <= p.quote]


def _most_salient(sets: EntitySets, phrase: Phrase, before: Sequence[Phrase]) -> Phrase | None:
    barred = _barred(sets, phrase)
    # "As a young man, he": who is that?
    own = sets.key(phrase) if phrase.gender in (FEMALE, MALE) else -1
    best: dict[int, tuple[float, Phrase]] = {}
    more: dict[int, float] = {}
    reach = _reach(phrase)
    for place, other in enumerate(reversed(before)):
        far = phrase.sentence - other.sentence
        if far > reach:
            break
        key = sets.key(other)
        if key in barred or key == own or not _possible(sets, phrase, other):
            continue
        score = _salience(sets, phrase, other) - _SENTENCE * far
        score -= _PLACE * place
        if key not in best or score > best[key][0]:
            best[key] = score, other
        more[key] = more.get(key, 0.0) + _MENTION * _DECAY**far
    if not best:
        return None
    top = max(best, key=lambda key: (best[key][0] + more[key], best[key][1].head_span))
    chosen = best[top][1]
    others = [other for key, (_, other) in best.items() if key != top and sets.of(other).person]
    if others and _open(sets, phrase, chosen, others):
        sets.of(chosen).guessed = True
    return chosen


def _open(sets: EntitySets, phrase: Phrase, chosen: Phrase, others: Sequence[Phrase]) -> bool:
    """Whether *he* or *she* may as well mean somebody else, if somebody else is there.

    Nothing else tells the gender of the one chosen, who has no name and is not the subject of the
    pronoun's clause. Such a choice is right for 39 % of 221 pronouns (GUM without its test part,
    two thirds of LitBank); of the subjects, 77 % are. They are open for *his* and *her* where
    somebody near is known to be of the gender: "a man ... the judge knew his past".
    """
    known = sets.of(chosen)
    if phrase.gender not in (FEMALE, MALE) or known.gender or any(known.names):
        return False
    tree = sets.document.trees[phrase.sentence]
    subject = _subject_of(sets, tree, tree.verb_of[phrase.head])
    if subject is None or subject is phrase or sets.key(subject) != sets.key(chosen):
        return True
    near = (one for one in others if phrase.sentence - one.sentence <= NEAR)
    return phrase.role == "possessor" and any(sets.of(n).gender == phrase.gender for n in near)


def _reach(phrase: Phrase) -> int:
    if phrase.gender in (FEMALE, MALE):
        return _FAR_PERSON
    return _FAR_THING if phrase.gender == NEUTER else _FAR_THEY


def _possible(sets: EntitySets, phrase: Phrase, other: Phrase) -> bool:
    form, mine = other.form, phrase.form
    if form is not None and (form.person < 3 or (mine and form.gender != mine.gender)):
        return False
    if not sets.agree(other, phrase):
        return False
    known = sets.of(other)
    if phrase.quote in known.speaks and (not other.name or other.index in sets.own_names):
        return False  # "I am a Sikh man. He was rude." In an interview, each is "I" and a name.
    if phrase.gender in (FEMALE, MALE):
        if other.noun in _ANYBODY and other.sentence != phrase.sentence:
            return False
        return known.person is not None or bool(other.name)
    if mine is not None and mine.number == EITHER and known.number == SINGULAR:
        return bool(known.person) and not known.gender
    return True


def _salience(sets: EntitySets, phrase: Phrase, other: Phrase) -> float:
    known = sets.of(other)
    score = _ROLES.get(other.role, 0.0)
    if other.role == phrase.role:
        score += _SAME_ROLE
    if known.gender and known.gender == phrase.gender:
        score += _GENDER
    if other.form is not None:
        score += _PRONOUN
    elif other.kind is MentionKind.NAME:
        score += _NAME
    elif other.indefinite:
        score += _INDEFINITE
    if (other.quote >= 0) != (phrase.quote >= 0):
        score += _ACROSS_QUOTE
    if phrase.gender in (FEMALE, MALE):
        if phrase.role == "possessor" and known.gender == phrase.gender:
            tree = sets.document.trees[phrase.sentence]
            own = _subject_of(sets, tree, tree.verb_of[phrase.head])
            score += _OWN_SUBJECT * (own is other)
        if phrase.role == "subject" and other.sentence == phrase.sentence:
            beside = _beside(sets.document.trees[phrase.sentence], phrase, other)
            told = other.role == "object" and known.gender == phrase.gender
            score += (_BESIDE + _TOLD * told) * beside
        return score + (_NO_PERSON if known.person is None else 0.0)
    if phrase.form is not None and phrase.form.number == EITHER:
        score += _plurality(sets, phrase, other)
    return score


def _beside(tree: SentenceTree, phrase: Phrase, other: Phrase) -> bool:
    """Whether a phrase is subject or object of the verb on which a pronoun's clause depends."""
    clause = tree.verb_of[phrase.head]
    if tree.parse.labels[clause] not in ("advcl", "ccomp"):
        return False
    return (
        other.role in ("subject", "object") and tree.verb_of[other.head] == tree.parse.heads[clause]
    )


def _plurality(sets: EntitySets, phrase: Phrase, other: Phrase) -> float:
    known = sets.of(other)
    score = _JOINED if other.members else 0.0
    if known.number == SINGULAR:
        score += _SINGULAR_THEY
    if known.person:
        tree, words = sets.document.trees[phrase.sentence], people_words()
        verb = tree.lower[tree.verb_of[phrase.head]]
        thinking = phrase.role == "subject" and verb in words.saying | words.thinking
        score += _PEOPLE + (_THINKING if thinking else 0.0)
    elif known.number != PLURAL and known.person is None:
        score -= _PEOPLE
    return score


def _following(sets: EntitySets, phrase: Phrase, after: Sequence[Phrase]) -> Phrase | None:
    """Return the subject after a pronoun in a clause before it: "When he came, Tom was out"."""
    tree = sets.document.trees[phrase.sentence]
    labels, heads = tree.parse.labels, tree.parse.heads
    verb = tree.verb_of[phrase.head]
    while labels[verb] != "advcl" and heads[verb] != verb:
        verb = tree.verb_of[heads[verb]] if tree.verb_of[heads[verb]] != verb else heads[verb]
        if heads[verb] == verb:
            break
    if labels[verb] != "advcl" or phrase.head > heads[verb]:
        return None
    subject = _subject_of(sets, tree, heads[verb])
    if subject is None or subject not in after or not _possible(sets, phrase, subject):
        return None
    return subject
