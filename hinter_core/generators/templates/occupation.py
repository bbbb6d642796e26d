"""Find the occupation of a text, its article, and the adjectives to leave out.

Source: BiasFinder, Algorithm 2. Departures: an occupation with a complement of its own (*director
of the film*) is refused, as the paper's false positives are of this kind; of several occupations,
that of the text's only person comes first, so that both can change together.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from hinter_core.generators.templates.template import LetterCase, SlotKind, TemplateSlot, case_of
from hinter_core.generators.templates.words import Placed, RefusedText, TextWords
from hinter_core.language.people import people_words
from hinter_core.language.trees import Word, dependents
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.senses.person_sense import read, reading_at
from hinter_core.types import Entity, GrammaticalForm, MentionKind, Term

NO_OCCUPATION = "no occupation"
TITLE = "the occupation is part of a name or title"
MODIFIER = "the occupation describes another noun"
COMPLEMENT = "the occupation has a complement of its own"
ADJECTIVES = "words before the occupation cannot be left out"
TWO_OCCUPATIONS = "the person has another occupation, too"
REPEATED = "the occupation also stands for someone else"
BARE = "the occupation has no determiner"
NO_PERSON_SENSE = "the word is no occupation here"

_BEFORE = ("amod", "compound", "nummod")
# No comparatives and superlatives: "a better lawyer than I", "the best lawyer we had".
_LEFT_OUT_TAGS = frozenset("JJ NN VBN VBG RB HYPH , CC AFX FW".split())
_OTHER_SENSES = {"pilot": frozenset("tv show series season episode network".split())}
_TITLES = {"doctor": "dr", "professor": "prof", "detective": "det", "lieutenant": "lt"}
_KEPT = frozenset({"only", "other", "same", "such"})
_DETERMINERS = frozenset({"det", "nmod:poss", "case", "det:predet"})
_CALLS = frozenset({"vocative", "discourse"})
_NAME_PARTS = frozenset({"compound", "nmod:desc", "flat", "appos"})


@dataclass(frozen=True, slots=True)
class Dropped:
    """The slots of an occupation, and the places of words that are left out (slot None).

    ``person``: the entity that has it; None if it is mentioned nowhere else.
    """

    placed: tuple[Placed, ...]
    person: Entity | None


@lru_cache(maxsize=1)
def _terms() -> dict[str, Term]:
    """Return the occupations of one word, by lower-case word."""
    terms = load_shipped()["occupation"].terms
    return {
        term.text.lower(): term
        for term in terms
        if term.form is GrammaticalForm.NOUN_SG and " " not in term.text
    }


def find_occupation(words: TextWords, entities: Sequence[Entity], first: Entity | None) -> Dropped:
    """Return the slots of the first usable occupation of a text, ``first``'s before others.

    Raises:
        RefusedText: there is none; the message says why not the first one.
    """
    heads = {
        words.place_of(mention.head[0]): entity
        for entity in entities
        for mention in entity.mentions
    }
    owners = {
        place: _owner(words, place, heads, first)
        for place, token in enumerate(words.tokens)
        if token.lower in _terms()
    }
    why = NO_OCCUPATION
    for place, owner in sorted(
        owners.items(), key=lambda one: first is None or one[1] is not first
    ):
        try:
            return _dropped(words, place, owner)
        except RefusedText as refused:
            why = str(refused) if why == NO_OCCUPATION else why
    raise RefusedText(why)


def _owner(
    words: TextWords, place: int, heads: Mapping[int, Entity], first: Entity | None
) -> Entity | None:
    """Return the entity that has an occupation.

    It is mentioned by it, or named after it (*the lawyer Ann*), or is the subject of a verb with
    *as* (*she works as a lawyer*).
    """
    token = words.tokens[place]
    offset = place - token.token
    owner = heads.get(place)
    if first is None or (owner is not None and len(owner.mentions) > 1):
        return owner
    for mention in first.mentions:
        if mention.kind is MentionKind.NAME and mention.span[0] <= token.span[0] < mention.span[1]:
            return first
    parse = token.parse
    cases = [parse.words[i].lower() for i in dependents(parse, token.token, ("case",))]
    if cases == ["as"] and token.label == "obl":
        subjects = dependents(parse, token.head.token, ("nsubj",))
        if any(heads.get(offset + i) is first for i in subjects):
            return first
    return owner


def _dropped(words: TextWords, place: int, person: Entity | None) -> Dropped:
    token = words.tokens[place]
    occupation = token.lower
    _require_usable(words, token)
    if any(t.lower in _OTHER_SENSES.get(occupation, ()) for t in words.tokens):
        raise RefusedText(NO_PERSON_SENSE)  # the first episode
    places = [place]
    for mention in person.mentions if person else ():
        other = words.place_of(mention.head[0])
        head = words.tokens[other]
        if mention.kind is not MentionKind.NOUN or other == place:
            continue
        if head.lower == occupation:
            places.append(other)
        elif head.lower in _terms() or _is_job(head):
            raise RefusedText(TWO_OCCUPATIONS)
    forms = {occupation, f"{occupation}s", _TITLES.get(occupation, occupation)}
    if any(t.lower.rstrip(".") in forms and i not in places for i, t in enumerate(words.tokens)):
        raise RefusedText(REPEATED)
    placed = (_at(words, words.tokens[one], one) for one in sorted(places))
    return Dropped(tuple(chain.from_iterable(placed)), person)


def _is_job(token: Word) -> bool:
    """Whether a noun may be another word for the same job: "the surgeon", later "the medic"."""
    return token.lower.endswith(("ist", "ician", "ologist", "eer"))


def _require_usable(words: TextWords, token: Word) -> None:
    """Refuse an occupation that is a title, a modifier, or no person."""
    parse, index = token.parse, token.token
    opens = index == 0 or all(tag in ("``", "''", '"', "-LRB-") for tag in parse.tags[:index])
    capital = token.text[:1].isupper() and not (opens or token.text.isupper())
    if token.tag.startswith("NNP") or capital or token.label in _CALLS:
        raise RefusedText(TITLE)
    if token.tag != "NN" or not {"-", "/"}.isdisjoint(words.around(token.span)):
        raise RefusedText(NO_PERSON_SENSE)
    if token.label in _NAME_PARTS and token.head.token > index:
        head = parse.tags[token.head.token]
        if not head.startswith("NNP") or opens:
            raise RefusedText(MODIFIER)
    if any(i > index for i in dependents(parse, index, ("compound", "flat"))):
        raise RefusedText(MODIFIER)
    reading = reading_at(words.text, token.span)
    read_so = reading[0] if reading else None
    if not read(parse, parse.spans[index], (_terms()[token.lower],), read_so).terms:
        raise RefusedText(NO_PERSON_SENSE)
    named = token.label in _NAME_PARTS and token.head.token > index
    if words.is_bare(token) and not named:
        raise RefusedText(BARE)
    if _has_complement(token):
        raise RefusedText(COMPLEMENT)


def _has_complement(token: Word) -> bool:
    """Whether a noun after "of" or "to" depends on the occupation, or a clause."""
    parse = token.parse
    if parse.words[token.token + 1 : token.token + 2] == ("of",):
        return True
    behind = (i for i in dependents(parse, token.token, ("nmod", "acl")) if i > token.token)
    marks = (parse.words[j].lower() for i in behind for j in dependents(parse, i, ("case", "mark")))
    return not {"of", "to"}.isdisjoint(marks)


def _at(words: TextWords, token: Word, place: int) -> Iterator[Placed]:
    """Yield the slot of one mention, the words left out before it, and its article."""
    start = _first_left_out(token, place)
    begin = words.tokens[start].span[0]
    yield from words.article_before(begin)
    case = case_of(token.text, token.lower)
    if start < place:
        yield (begin, token.span[0]), None
        if words.tokens[start].text[:1].isupper() and start and words.tokens[start].token == 0:
            case = LetterCase.CAPITAL
    yield token.span, TemplateSlot(SlotKind.OCCUPATION, "", case)


def _first_left_out(token: Word, place: int) -> int:
    """Return the index of the first word that is left out before an occupation, or its own."""
    parse, index = token.parse, token.token
    determiners = [i for i in dependents(parse, index, _DETERMINERS) if i < index]
    adjectives = [i for i in dependents(parse, index, _BEFORE) if i < index]
    low = max(determiners, default=-1) + 1
    if determiners and parse.labels[low - 1] == "nmod:poss":
        while low < index and parse.tags[low] == "POS":
            low += 1
    if not adjectives or max(adjectives) < low:
        if low == 0 or low == index:
            return place
        low = index
    first = low if determiners else min(adjectives, default=index)
    while (
        first > max(low, 1)
        and parse.tags[first - 1] in ("RB", "HYPH")
        and (parse.heads[first - 1] in adjectives)
    ):
        first -= 1
    between = range(first, index)
    dashes = [i for i in range(1, index) if parse.words[i] in ("-", "--")]
    if first - 1 in dashes or any(parse.spans[i - 1][1] < parse.spans[i][0]
                                  for i in dashes if i > first):  # fmt: skip
        raise RefusedText(ADJECTIVES)  # "claim-jumping miner"; "the camera - author Ann Lee"
    if 0 < first < index and parse.tags[first - 1] in ("HYPH", "PRP", "RB", "JJ", "VBN"):
        raise RefusedText(ADJECTIVES)  # "often clumsy barber"; "you[r] dear doctor"
    if any(parse.tags[i] not in _LEFT_OUT_TAGS or parse.words[i].lower() in _KEPT for i in between):
        raise RefusedText(ADJECTIVES)
    if any(people_words().nouns.get(parse.words[i].lower()) for i in between):
        raise RefusedText(ADJECTIVES)
    return place - (index - first)
