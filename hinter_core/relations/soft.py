"""Soft mutants: they read well, but other words of the text contradict the change.

The text still says *Japan* where the Japanese man is Irish now, or *pregnant* where the woman is a
man. The source is read once, and a mutant is soft by what its edits have replaced. A word that fits
the new group, too, contradicts nothing (*Spanish*, of a Mexican who becomes Colombian). Words for a
people, a faith and their places count anywhere in the text, words for an age, a gender or a trade
in every sentence that its person is in, others only beside the change.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from hinter_core.language.people import FEMALE, MALE, PRONOUNS, RELATIVES, people_words
from hinter_core.language.sentences import sentence_at, sentences_of
from hinter_core.mutation.ages import UNDER_AGE, conceded
from hinter_core.mutation.edits import own_places
from hinter_core.mutation.people import People
from hinter_core.mutation.unresolved import GENERAL
from hinter_core.relations.names import (
    left_behind,
    names_against,
    names_of_no_list,
    people_said,
)
from hinter_core.terms.ages import Years, agree, said_states, said_years, stated, years_of
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.hashtags import tags_against
from hinter_core.terms.matching import overlap
from hinter_core.terms.related import Related, related_words, rows_of, says_faith
from hinter_core.terms.senses.fields import field_at
from hinter_core.terms.unlisted import is_number
from hinter_core.types import (
    Edit,
    EditKind,
    GrammaticalForm,
    Mutant,
    Span,
    Term,
)

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_COMPOUND = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_PRONOUNS = {
    gender: frozenset(word for word, form in PRONOUNS.items() if form.gender == gender)
    for gender in (MALE, FEMALE)
}
_SHOWN = 3
_PARENTS = frozenset({"father", "dad", "daddy", "papa"})  # concepts: one has one of each sex
_BARE = ("my", "our", "the")  # "Mum said so" is the speaker's
# Words of whole sentences; without them, a note speaks of whom it is about ("Hx hysterectomy").
_WHOLE = frozenset(
    """a an the this that my our your his her their its i we you he she they it who is was are were
    family familial fh fhx""".split()
)
_ITEM = re.compile(r"^[ \t]*[-*\u2022\u2013\u2014\u25aa\u25cf\u2023\u00b7]\s+\S", re.MULTILINE)
_DECADE = 10  # years
_LOOSE = 6
# A year of birth, in a form or of somebody: "DOB: 1.2.1950", "born in Kent in 1950".
_BORN = re.compile(
    r"(\b(?:DOB|D\.O\.B\.?|date of birth|year of birth)\b)?(?(1)|\bborn\b)"
    r"(?:[^.!?\n]|\.(?=\d)){0,24}?[ .:/-](?:19|20)\d\d\b",
    re.IGNORECASE,
)
_BIRTHS = re.compile(r"\bG\d{1,2}\s?P\d{1,2}\b")  # pregnancies and births in a note
_OWNERS = ("his", "her", "their")
_OWN_WORDS = ("age", "gender", "sexual-orientation")  # which more than listed words say
_PARTNERS = frozenset({"husband", "boyfriend", "fiance", "bridegroom"})  # concepts
_COUPLES = {"straight": False, "gay-lesbian": True}  # whether both are of one gender
# What is said of somebody in any sentence.
_OF_ONE_PERSON = ("age", "gender", "occupation", "disability")
_MOTHERS = (14, 130)  # years
_ITEMS = 2  # of a list
_PART = re.compile(r"[\n.,;:\u2022*]|(?<=\s)[-\u2013\u2014]\s")
_BEFORE_OTHERS = frozenset("of with for to by at in from under as like".split())
_TEAM = re.compile(
    r"\b(women|men|girls|boys|ladies)(?:['\u2019]s?)? (?:\w+ )?"
    r"(?:team|side|club|squad|league|choir|school|college)\b",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"\b(?:any|every|the|all|most|like|as|than) other (?:[\w-]+ ){0,2}?"
    rf"({'|'.join(sorted(GENERAL))}|men|women|ladies|gentlemen|girls|boys)\b",
    re.IGNORECASE,
)
_CHILDREN = "children"
_ANYONE = frozenset({"person", "individual"})
_EVERYBODY = frozenset("people persons individuals humans folks folk".split())
_PARENT = re.compile(
    r"\s(?:[\w-]+\s)?((?:grand|step)?(?:mother|father|parents?)|mum|mom|dad|granny|grandma)\b",
    re.IGNORECASE,
)
_HOLY = frozenset({"Friday", "Saturday", "Sunday"})
_BIRTH = 40  # characters
_UNBORN = re.compile(
    r"\b(?:pregnant with|expecting|birth (?:to|of)|newborn|baby)\b[^.!?;]{0,20}$", re.IGNORECASE
)
_AS_A = re.compile(r"\bas an?\s$", re.IGNORECASE)
_SETTLED = "settled"  # of migration
_FROM = re.compile(r"\s(from\s(?:the\s)?[A-Z]\w+)")
_OWNER = re.compile(r"\b(my|our|your|his|her|their|[A-Z]\w+['\u2019]s?)\s+(?:\w+\s+)?$")


def contradictions(text: str, mutant: Mutant, people: People | None = None) -> tuple[str, ...]:
    """Return words of the text, outside of the changed ones, that still say the replaced group.

    So do words in hashtags. With the ``people`` of the text, also their names that tell the
    replaced people.
    """
    contradicting = dict(_partners(text, mutant, people)) if people else {}
    own_words = any(
        edit.attribute in _OWN_WORDS or edit.target.group == _SETTLED for edit in mutant.edits
    )
    named = [one for edit in mutant.edits if people for one in names_against(text, people, edit)]
    if not own_words and not named and not related_words(text) and "#" not in text:
        return ()
    for edit in mutant.edits:
        if edit.change.kind is EditKind.SUBSTITUTE and edit.source.text and edit.target.text:
            source, target = edit.source, edit.target
            old, new = map(people_said, (source, target))
            terms = (edit.attribute, old, source.group, new, target.group)
            contradicting |= {
                one.span: one.words
                for one in _against(text, *terms)
                if not one.near or _beside(text, edit, one.span, people) or _noted(text, one.span)
            }
            contradicting |= dict(_other_parent(text, edit))
            contradicting |= dict(conceded(text, edit))
            contradicting |= dict(_said_of_them(text, edit, people) if people else ())
            contradicting |= dict(_from_elsewhere(text, edit))
            contradicting |= dict(tags_against(text, edit))
            if edit.attribute == "gender":
                if people and {_said(source), _said(target)} == {FEMALE, MALE}:
                    contradicting |= dict(names_of_no_list(text, people, edit))
                fellows = (one for one in _fellows(text) if _beside(text, edit, one[0], people))
                contradicting |= {
                    at: word
                    for at, word, says in (*_listed(text), *fellows)
                    if says == _said(source) and _said(target) not in (says, "")
                }
                contradicting |= dict(left_behind(text, edit, people) if people else ())
    left = [one for one in contradicting.items() if not _changed(mutant, *one[0])]
    return tuple(dict.fromkeys(words for _, words in sorted([*left, *named])))


def clashes(text: str, mutant: Mutant) -> tuple[str, ...]:
    """Return pronouns of the text, in order, of a gender that an edit has replaced.

    They may speak of the same person, and then the mutant contradicts itself.
    """
    replaced = {
        pronouns
        for edit in mutant.edits
        if edit.attribute == "gender" and edit.source.group != edit.target.group
        for pronouns in [_PRONOUNS.get(edit.source.group, frozenset())]
    }
    wanted = frozenset().union(*replaced)
    words = (
        match.group().lower()
        for match in _WORD.finditer(text if wanted else "")
        if match.group().lower() in wanted
        and not _changed(mutant, match.start(), match.start() + 1)
    )
    return tuple(dict.fromkeys(words))


def _changed(mutant: Mutant, start: int, end: int) -> bool:
    return any(splice.start < end and start < splice.end for splice in mutant.splices)


def why_soft(text: str, mutant: Mutant, people: People | None = None) -> str:
    """Return why a mutant is discarded as soft, or ""; ``people``: those of the text, if known.

    A pronoun of the replaced gender that stays is no reason: it is somebody else's as often as not
    (of 307 such single changes of 18 kinds of text, a reader called 55 % fair), and the validity
    score knows of it.
    """
    words = contradictions(text, mutant, people)
    shown = ", ".join(f"\u201c{word}\u201d" for word in words[:_SHOWN])
    named = any(people and names_against(text, people, edit) for edit in mutant.edits)
    names = ", and names do not change with origin" if named else ""
    if words:
        return f"the text also says {shown}{names}"
    return next((why for edit in mutant.edits if (why := _unlikely(text, edit, people))), "")


def _unlikely(text: str, edit: Edit, people: People | None) -> str:
    """Return why a text would not say the new word, whatever else it says, or ""."""
    source, target, places = edit.source, edit.target, own_places(text, edit)
    new = f"\u201c{target.text}\u201d"
    number = edit.attribute == "age" and is_number(source)
    if (
        number
        and len(sentences_of(text)) > 1
        and (source.group == _CHILDREN) is not (target.group == _CHILDREN)
    ):
        return f"one of \u201c{source.text}\u201d and {new} is a child\u2019s age"
    if edit.attribute == "age" and source.group == "older" and target.group in UNDER_AGE:
        owned = (_PARENT.match(text, end) for _, end in places)
        if parent := next(filter(None, owned), None):
            return f"{new} is said of somebody\u2019s {parent[1]}"
    days = {source.text.removesuffix("s"), target.text.removesuffix("s")}
    if not days.isdisjoint(_HOLY) and any(map(says_faith, related_words(text))):
        return f"\u201c{source.text}\u201d may be a day of worship"
    if edit.attribute != "gender":
        return ""
    of_child = source.concept in ("young", "son")
    unborn = (_UNBORN.search(text[max(0, start - _BIRTH) : start]) for start, _ in places)
    if of_child and target.group == "trans-and-non-binary" and any(unborn):
        return f"{new} is not said of a baby"
    if target.group == "neutral" and target.form is GrammaticalForm.NOUN_SG:
        fields = (field_at(text, span) for span in places)
        if label := next((label for label, said in fields if said == "gender"), ""):
            return f"{new} is no value of \u201c{label}\u201d"
        before = (text[max(0, start - 8) : start] for start, _ in places)
        if target.text in _ANYONE and any(map(_AS_A.search, before)):
            return f"{new} says nothing after \u201cas\u201d"
    everybody = source.text.lower() in _EVERYBODY and target.group != source.group
    if people and everybody and any(map(people.unlimited, places)):
        return f"\u201c{source.text}\u201d means anybody"
    return ""


@lru_cache(maxsize=4096)
def _against(
    text: str, attribute: str, source: str, group: str, target: str, wanted: str
) -> tuple[Related, ...]:
    """Return the words that say the source term's group and not the target's."""
    source_rows, other = rows_of(attribute, source, group), rows_of(attribute, target, wanted)
    against = source_rows - other
    mentions = []
    for one in related_words(text) if against else ():
        # What a group's bodies do contradicts only groups that have a row, too.
        near = one.near if other else frozenset()
        if (one.rows | near).isdisjoint(other) and not against.isdisjoint(one.rows | near):
            mentions.append(one._replace(near=frozenset() if against & one.rows else near))
    if attribute == "age":
        mentions += _years(text, (source, group), (target, wanted))
    if (group, wanted) == (FEMALE, MALE):
        births = map(re.Match.span, _BIRTHS.finditer(text))
        mentions += [Related(at, text[slice(*at)], frozenset(), frozenset({-1})) for at in births]
    return tuple(mentions)


def _years(text: str, source: tuple[str, str], target: tuple[str, str]) -> Iterator[Related]:
    """Yield the ages that the text says which are those of a term, and not of the new one.

    What disagrees with the old term, too, is somebody else's. An age in a form is of the whole
    text. Beside a bare number ("Ann, 24, ..."), words for ages count, too.
    """
    was, years = years_of(*source), years_of(*target)
    if years is None:
        return
    numbers = list(stated(text))
    in_form = {span: one.words.lower() for span, one in numbers if one.surely}
    bare = {one.words.lower() for span, one in numbers if one.surely or span == one.number}
    said = [*said_years(text), *said_states(text)]
    said += [(match.span(), _MOTHERS) for match in _BIRTHS.finditer(text)]
    words = ((match.span(), _said_age(match[0])) for match in _COMPOUND.finditer(text))
    beside = source[0].lower() in bare
    said += [(at, one) for at, one in words if one and (beside or (_exact(one) and one != was))]
    whole = source[0].lower() in in_form.values()
    row, none = frozenset({-1}), frozenset[int]()
    for span, one in said:
        if not agree(one, years) and (was is None or agree(one, was)):
            both = was is not None and _exact(was) and _exact(one)
            rows = (row, none) if whole or both or span in in_form else (none, row)
            yield Related(span, text[slice(*span)], *rows)
    for match in _BORN.finditer(text):
        yield Related(match.span(), match[0].strip(), *((row, none) if match[1] else (none, row)))


def _said_age(word: str) -> Years | None:
    return years_of(word.removeprefix("ex-"))


def _exact(years: Years) -> bool:
    """Whether a text says years of one person: a number or a decade, "44", "fortysomething"."""
    return years[1] - years[0] in (1, _DECADE)


def _said_of_them(text: str, edit: Edit, people: People) -> Iterator[tuple[Span, str]]:
    """Yield words that say an age of whom an edit changes: "He is 45 and an electrician"."""
    source, target = edit.source, edit.target
    was, years = years_of(source.text, source.group), years_of(target.text, target.group)
    if edit.attribute != "age" or years is None:
        return
    changed = people.of_edit(edit)
    for match in _COMPOUND.finditer(text):
        one = _said_age(match[0])
        against = one and not agree(one, years) and (was is None or agree(_loosely(one), was))
        if against and not changed.isdisjoint(people.of_span(match.span())):
            yield match.span(), match[0]


def _loosely(years: Years) -> Years:
    """Return the years that a word is also used for: "a girl of twenty"."""
    return years[0], years[1] + _LOOSE


def _other_parent(text: str, edit: Edit) -> Iterator[tuple[Span, str]]:
    """Yield the other parent of the same, whose gender a parent takes: "my mom's, my dad's"."""
    parent = edit.attribute == "gender" and edit.source.concept in _PARENTS
    if not parent or edit.target.group not in _PRONOUNS:
        return
    owners = {_owner(text, start) for start, _ in own_places(text, edit)}
    # "Pops" beside dad may be another one's; the same word may not.
    for match in re.finditer(rf"\b{re.escape(edit.target.text)}\b", text, re.IGNORECASE):
        if _owner(text, match.start()) in owners:
            yield match.span(), match.group()


def _from_elsewhere(text: str, edit: Edit) -> Iterator[tuple[Span, str]]:
    """Yield where somebody comes from who has settled now: "the refugees from Syria"."""
    for _, end in own_places(text, edit) if edit.target.group == _SETTLED else ():
        if match := _FROM.match(text, end):
            yield match.span(1), match[1]


def _partners(text: str, mutant: Mutant, people: People) -> Iterator[tuple[Span, str]]:
    """Yield a partner, and what says the orientation, where one fits the other no longer.

    "The gay clerk and his husband": neither "straight" nor "wife" nor "her husband" fits.
    """
    of_couples = any(e.attribute in ("gender", "sexual-orientation") for e in mutant.edits)
    words, groups = _orientations()
    for match in _couples(text) if of_couples else ():
        owners = set(people.of_span(match.span(1)))
        old, new = _genders(mutant, match, owners, people)
        for word in words.finditer(text):
            at, group = word.span(), groups.get(word[0].lower(), "")
            edited = (e.target.group for e in mutant.edits if any(overlap(at, s) for s in e.spans))
            now = next(edited, "")
            says = now or people.said_of_somebody(at)  # not "they went straight home"
            theirs = says and not owners.isdisjoint(people.of_span(at))
            if theirs and _goes_with(group, *old) and not _goes_with(now or group, *new):
                yield from ((match.span(), match[0]), (at, word[0]))


def _genders(
    mutant: Mutant, match: re.Match[str], owners: set[int], people: People
) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return the genders of an owner and a partner in the text, and those in the mutant."""
    said = PRONOUNS[match[1].lower()].gender if match[1].lower() in PRONOUNS else ""
    known = (one.gender for n in owners for one in people.entities[n : n + 1])
    owner, partner = said or next(known, ""), people_words().nouns.get(match[2].lower(), "")
    changed = [e for e in mutant.edits if e.attribute == "gender"]
    new = [_said(e.target) for e in changed if not owners.isdisjoint(people.of_edit(e))]
    others = [_said(e.target) for e in changed if any(overlap(match.span(2), s) for s in e.spans)]
    return (owner, partner), (next(iter(new), owner), next(iter(others), partner))


def _goes_with(orientation: str, owner: str, partner: str) -> bool:
    """Whether somebody of an orientation has such a partner; others than two have any."""
    known = {owner, partner} <= {FEMALE, MALE} and orientation in _COUPLES
    return not known or (owner == partner) is _COUPLES[orientation]


@lru_cache(maxsize=8)
def _couples(text: str) -> tuple[re.Match[str], ...]:
    """Return where a text says somebody's partner: "his late husband", "the clerk's wife"."""
    return tuple(_partner().finditer(text))


@lru_cache(maxsize=1)
def _partner() -> re.Pattern[str]:
    terms = (t for t in load_shipped()["gender"].terms if t.concept in _PARTNERS)
    nouns = "|".join(term.text for term in terms if term.group in (FEMALE, MALE))
    owner = r"\b(his|her|their|my|your|our|\w+(?=['\u2019]s\s))(?:['\u2019]s)?\s+"
    return re.compile(rf"{owner}(?:(?!(?:former|ex)\b)[\w-]+\s+)?({nouns})\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _orientations() -> tuple[re.Pattern[str], dict[str, str]]:
    """Return what finds a word for somebody's orientation, and the groups of these words."""
    terms = (t for t in load_shipped()["sexual-orientation"].terms if t.text.isalpha())
    groups = {t.text.lower(): t.group for t in terms if t.form is not GrammaticalForm.ANY}
    return re.compile(rf"\b(?:{'|'.join(groups)})\b", re.IGNORECASE), groups


@lru_cache(maxsize=8)
def _listed(text: str) -> tuple[tuple[Span, str, str], ...]:
    """Return the words of a list about one person that say a gender: "- Head girl".

    Each with its place and gender; none if the text is no list, as a CV is one.
    """
    if len(_ITEM.findall(text)) < _ITEMS:
        return ()
    teams = [(match.span(1), match[1]) for match in _TEAM.finditer(text)]
    nouns = [
        (match.span(), match.group())
        for match in _WORD.finditer(text)
        if _of_one(match.group().lower())
        and _WHOLE.union(_BEFORE_OTHERS).isdisjoint(_before(text, match.start()))
        and (match.group().lower() not in RELATIVES or text.startswith(" of", match.end()))
    ]
    says = {word: people_words().nouns.get(word.lower(), "") for _, word in teams + nouns}
    return tuple((at, word, says[word]) for at, word in teams + nouns if says[word])


def _fellows(text: str) -> Iterator[tuple[Span, str, str]]:
    """Yield the words for others of one's gender: "than any other young man"."""
    for match in _OTHER.finditer(text):
        if says := people_words().nouns.get(match[1].lower()):
            yield match.span(1), match[0], says


def _of_one(word: str) -> bool:
    """Whether a noun says the gender of one person."""
    return (word in people_words().nouns and not word.endswith(("s", "men"))) or word == "actress"


def _before(text: str, place: int) -> list[str]:
    """Return the words before a place in its part of a line: "- Cook, [later head] girl"."""
    return _PART.split(text[max(0, place - 60) : place])[-1].lower().split()


def _said(term: Term) -> str:
    """Return the gender that a noun or a pronoun says, or "neutral"; "" of an adjective."""
    if term.form is GrammaticalForm.ADJECTIVE and term.group not in (FEMALE, MALE):
        return ""
    noun = people_words().nouns.get(term.text.lower().rpartition(" ")[2])
    return noun or (term.group if term.group in (FEMALE, MALE) else "neutral")


def _owner(text: str, start: int) -> str:
    """Return whose parent stands at a place."""
    before = _OWNER.search(text[max(0, start - 40) : start])
    word = before.group(1).lower() if before else ""
    return "" if word in _BARE else word


def _beside(text: str, edit: Edit, span: Span, people: People | None) -> bool:
    """Whether words stand in a sentence that the edit changes, or that its person is in.

    The latter of an age and a gender: "My wife is 30. She is pregnant".
    """
    sentence = sentence_at(sentences_of(text), span[0])
    places = [start for start, _ in own_places(text, edit)]
    if people is not None and edit.attribute in _OF_ONE_PERSON:
        # "Her sister was pregnant" is of the sister, "her patients" are of a doctor.
        owners = () if edit.attribute == "age" else _OWNERS
        changed = people.of_edit(edit)
        mentions = (mention for person in changed for mention in people.mentions(person))
        for at, end in (mention.head for mention in mentions):
            beside = edit.attribute == "occupation" and text[end : span[0]].isspace()
            if beside or text[at:end].lower() not in owners:
                places.append(at)
    return sentence is not None and any(sentence.start <= at < sentence.end for at in places)


def _noted(text: str, span: Span) -> bool:
    """Whether words stand in a note without a subject: "Hx hysterectomy 1998."."""
    sentence = sentence_at(sentences_of(text), span[0])
    words = {word.lower() for word in _WORD.findall(sentence.text)} if sentence else _WHOLE
    return _WHOLE.isdisjoint(words) and not any(map(people_words().nouns.get, words))
