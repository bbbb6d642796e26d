"""Other senses of words for people: names, figures of speech, languages, animals, things.

Each function returns the reason why an occurrence is about no person, or None. Tokens are indices
in the parse; ``head`` is the one that carries the tag and the relation of the term.
"""

from collections.abc import Callable, Sequence

from hinter_core.terms.colours import is_shade
from hinter_core.terms.languages import DETERMINERS, bare, is_language
from hinter_core.terms.lexicon import capitalised, lexicon, names_person, person_nouns
from hinter_core.terms.matching import fold
from hinter_core.terms.quotations import QUOTES, mentioned, quoted_title
from hinter_core.types import GrammaticalForm, Parse, Term

_FORM = GrammaticalForm
_NOUN_FORMS = frozenset({_FORM.NOUN_SG, _FORM.NOUN_PL})
_PRONOUNS = frozenset(
    {_FORM.PRONOUN_SUBJECT, _FORM.PRONOUN_OBJECT, _FORM.PRONOUN_POSSESSIVE,
     _FORM.PRONOUN_POSSESSIVE_ABSOLUTE, _FORM.PRONOUN_REFLEXIVE}
)  # fmt: skip
_PROPER = frozenset({"NNP", "NNPS"})
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
_PERSON = frozenset({"PERSON", "PER"})
_LINKS = frozenset(
    {("of",), ("in",), ("of", "the"), ("in", "the"), ("and", "the"), ("'s",), ("&",)}
)
_SUBJECT = ("nsubj", "nsubj:pass", "nsubjpass")
_BEFORE_NAMES = frozenset({"(", "[", ","})
# Titles that stage names have, too.
_NAMES = frozenset(
    """baron bishop cardinal dame dean duke emperor empress king lady lord major marshal pope prince
    princess queen saint speaker warden""".split()
)
_DIRECTIONS = frozenset("East West North South Central Northern Southern New Old".split())
_MODALS = frozenset("shall will may must can agrees warrants acknowledges covenants".split())
_OTHER_PEOPLE = frozenset("he she him her his hers who".split())
_BEFORE_TITLES = frozenset("young old poor good little big goodbye meet".split())
_BEFORE_VERBS = frozenset("to did do does will would can could must should may might shall".split())
_AFTER_VERBS = frozenset("RP DT IN PRP$ PRP JJ NNS".split())
_BEFORE_RANKS = frozenset(
    "prime vice deputy chief crown grand high lord supreme associate acting former".split()
)
FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
_FOUNDERS = frozenset(
    """father fathers mother mothers godfather godfathers godmother godmothers grandfather
    grandfathers grandmother grandmothers king queen prince princess""".split()
)
_IN_NOUN_PHRASES = frozenset("DT JJ JJS NN NNS NNP NNPS HYPH PRP$".split())
COMPOUND = frozenset({"compound", "nmod:desc", "nn"})
_TITLE_CASE = 0.6  # share of capitalised words from which a sentence is a heading


def other_sense(parse: Parse, tokens: Sequence[int], head: int, term: Term) -> str | None:
    """Return the reason why an occurrence is about no person, whatever its sense says."""
    surface = " ".join(parse.words[i] for i in tokens)
    phrase = _phrase(parse, tokens)
    if phrase:
        return f"is part of the expression \u201c{phrase}\u201d"
    if term.form in _PRONOUNS:
        thing = _stands_for(parse, head, term.form)
        if thing:
            return f"here \u201c{surface}\u201d stands for \u201c{thing}\u201d"
    if mentioned(parse, tokens):
        return f"here \u201c{surface}\u201d is mentioned as a word"
    title = quoted_title(parse, tokens)
    if title:
        return f"part of the title \u201c{title}\u201d"
    if surface == "miss" and not _capital(" ".join(parse.words[head + 1 : head + 2])):
        return f"here \u201c{surface}\u201d is a verb"
    name = _place_name(parse, tokens) if term.form is _FORM.TITLE else _name(parse, tokens, term)
    if name:
        return f"part of the name \u201c{name}\u201d"
    if _of_case(parse, tokens):
        return f"\u201c{surface}\u201d is part of a name with \u201cv.\u201d"
    if is_language(parse, tokens, head, term):
        return f"here \u201c{surface}\u201d is a language"
    if is_shade(parse, tokens):
        return f"here \u201c{surface}\u201d is a colour"
    return _noun_as_thing(parse, tokens, head, surface) if term.form in _NOUN_FORMS else None


def _noun_as_thing(parse: Parse, tokens: Sequence[int], head: int, surface: str) -> str | None:
    governor = parse.heads[head]
    modifies = parse.labels[head] in COMPOUND and governor > tokens[-1]
    if surface in lexicon().siblings and _after_name(parse, tokens[0]):
        return f"part of the name \u201c{parse.words[tokens[0] - 1]} {surface}\u201d"
    founded = _founded(parse, tokens)
    if founded:
        return f"here \u201c{surface}\u201d is a figure of speech, \u201cof {founded}\u201d"
    animal = _of_animals(parse, tokens)
    if animal:
        return f"here \u201c{surface}\u201d may be about \u201c{animal}\u201d"
    if _acts(parse, tokens, head):
        return f"here \u201c{surface}\u201d is a verb"
    if is_thing_here(parse, head):
        return f"\u201c{surface}\u201d may be no person here"
    verb = _may_be_verb(parse, tokens[-1], governor)
    # "a Scots girl", "the kids favourite"
    plural = parse.tags[head] in ("NNS", "NNPS") and governor == tokens[-1] + 1
    if modifies and not verb and (plural or not _is_person_noun(parse, governor)):
        return f"part of \u201c{surface} {parse.words[governor]}\u201d"
    described = tokens[0] > 0 and parse.tags[tokens[0] - 1].startswith("JJ")
    if surface.lower() == "man" and not described and bare(parse, tokens, head):
        return f"\u201c{surface}\u201d without an article may mean mankind"
    if _of_adjective(parse, tokens[-1]):
        return f"\u201c{surface}\u201d is part of an adjective"
    if _interjection(parse, tokens):
        return f"here \u201c{surface}\u201d is an interjection"
    others = any(word[:1].isupper() for word in parse.words if word != "I")
    shouted = all(word.isupper() for word in parse.words if word[:1].isalpha())
    if surface.isupper() and len(surface) < 4 and not shouted:
        return f"\u201c{surface}\u201d is an abbreviation here"  # "Lancaster, PA"
    if surface.islower() and surface in lexicon().lower_things and others:
        return f"\u201c{surface}\u201d in lower case is a thing"
    return None


def _founded(parse: Parse, tokens: Sequence[int]) -> str:
    """Return whose origin or servant a noun is: "the father of chemistry", "a man of God"."""
    after = tokens[-1] + 1
    if parse.words[after : after + 1] != ("of",):
        return ""
    if " ".join(map(fold, parse.words[after + 1 : after + 2])) in lexicon().deities:
        return parse.words[after + 1]  # "the bride of Satan"
    if fold(parse.words[tokens[-1]]) not in _FOUNDERS:
        return ""
    end = after + 1
    while end < len(parse.tags) and parse.tags[end] in _IN_NOUN_PHRASES:
        end += 1
    if end == after + 1 or parse.tags[end : end + 1] == ("POS",):
        return ""
    word = fold(parse.words[end - 1])
    known = lexicon()
    things = known.founded | (known.name_heads if parse.words[end - 1][:1].isupper() else set())
    return parse.words[end - 1] if word in things else ""


def _after_name(parse: Parse, first: int) -> bool:
    """Whether a surname stands right before a word: "the Coen brothers"."""
    before = first - 1
    if before < 0 or before == _opening(parse) or parse.tags[before] not in _PROPER:
        return False
    word = parse.words[before]
    return word[:1].isupper() and fold(word) not in capitalised()


def is_thing_here(parse: Parse, token: int) -> bool:
    """Whether words of the sentence show that an ambiguous noun is a thing: "the text editor"."""
    known, word = lexicon().things, fold(parse.words[token])
    stem = word if word in known or word in lexicon().devices else word.removesuffix("s")
    found = known.get(stem, frozenset())
    if stem in lexicon().devices:
        found |= known["shared"]
    return bool(found) and any(
        fold(other) in found for i, other in enumerate(parse.words) if i != token
    )


def _of_animals(parse: Parse, tokens: Sequence[int]) -> str:
    """Return the animal of a sentence without people, for nouns that animals have, too."""
    if fold(parse.words[tokens[-1]]) not in lexicon().animal_roles:
        return ""
    animal = ""
    for i, word in enumerate(map(fold, parse.words)):
        if i in tokens:
            continue
        if word in lexicon().animals and parse.tags[i] in _NOUNS:
            animal = animal or word
        elif parse.tags[i] in _NOUNS and word not in lexicon().animal_roles and names_person(word):
            return ""
    return animal


def _of_case(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether a word is in a name with "v.": "White v. Ohio", "Avena and other Mexicans (..."."""
    first, last = tokens[0], tokens[-1]
    sides = (parse.words[max(0, first - 2) : first], parse.words[last + 1 : last + 3][::-1])
    for side in sides:
        named = len(side) == 2 and side[0][:1].isupper() and parse.words[first][:1].isupper()
        if side and fold(side[-1]) in (("v.", "vs.", "vs") if named else ("v.",)):
            return True
    near = parse.words[last + 1 : last + 9]
    if "(" not in near[:2]:
        return False
    inside = near[near.index("(") + 1 :]
    return "v." in map(fold, inside[: inside.index(")") if ")" in inside else None])


def _of_adjective(parse: Parse, last: int) -> bool:
    """Whether an adjective is made of a noun: "very kids friendly", "man-sized"."""
    after = [fold(word) for word in parse.words[last + 1 : last + 3] if word != "-"]
    hyphen = parse.words[last + 1 : last + 2] == ("-",)
    return bool(after) and (
        after[0] == "friendly"
        or (hyphen and after[0] in ("sized", "proof", "style", "made", "like"))
    )


def _acts(parse: Parse, tokens: Sequence[int], head: int) -> bool:
    """Whether a word tagged as a noun is a verb: "did author", "Nurse the engine"."""
    first, last = tokens[0], tokens[-1]
    plural = parse.tags[head] in ("NNS", "NNPS") and fold(parse.words[head]) != "people"
    if plural or last + 1 >= len(parse.words):
        return False
    if first and fold(parse.words[first - 1]) in _BEFORE_VERBS:
        return parse.tags[first - 1] in ("TO", "MD", "VB", "VBD", "VBP", "VBZ", "IN") and (
            fold(parse.words[first - 1]) != "to" or parse.tags[last + 1] in _AFTER_VERBS
        )
    starts = first == _opening(parse) and parse.labels[head].casefold() == "root"
    return starts and parse.tags[last + 1] == "DT"


def _may_be_verb(parse: Parse, last: int, governor: int) -> bool:
    """Whether a noun right after a term is the verb of its sentence: "our tutor marks in ink"."""
    after = parse.tags[governor + 1] if governor + 1 < len(parse.tags) else "."
    return (
        governor == last + 1
        and after in ("IN", "RB", "DT", "PRP$", "PRP")
        and not parse.tags[0].startswith("VB")
        and not any(tag in FINITE for tag in parse.tags)
    )


def _is_person_noun(parse: Parse, token: int) -> bool:
    return names_person(fold(parse.words[token])) or parse.entities[token] in _PERSON


def _phrase(parse: Parse, tokens: Sequence[int]) -> str:
    known = lexicon().phrases
    words = [fold(word) for word in parse.words]
    for token in tokens:
        for place, phrase in known.get(words[token], ()):
            start = token - place
            if start >= 0 and tuple(words[start : start + len(phrase)]) == phrase:
                return " ".join(phrase).replace(" '", "'")
    return ""


def _interjection(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether the term opens a sentence as a cry: "Man, that hurts"."""
    words, last = parse.words, tokens[-1]
    starts = all(word in QUOTES for word in words[: tokens[0]])
    if not starts or fold(words[last]) not in lexicon().interjections or last + 2 >= len(words):
        return False
    after, beyond = fold(words[last + 1]), fold(words[last + 2])
    if after == ",":
        return beyond not in ("you", "come", "get")
    return after in ("i", "that", "this", "what", "it", "oh", "the", "these", "those")


# -- names ----------------------------------------------------------------------------------------


def _place_name(parse: Parse, tokens: Sequence[int]) -> str:
    """Return the name of a place or thing that begins like a person's: "Lady Lake"."""
    run = _run(parse, tokens)
    if fold(parse.words[run[-1]]) in lexicon().name_heads and run[-1] > tokens[-1]:
        return " ".join(parse.words[i] for i in range(tokens[0], run[-1] + 1))
    before = parse.words[tokens[0] - 1] if tokens[0] - 1 > _opening(parse) else ""
    if before[:1].isupper() and fold(before) in _BEFORE_TITLES:
        return " ".join(parse.words[i] for i in run)  # "Young Mr. Lincoln"
    return ""


def _name(parse: Parse, tokens: Sequence[int], term: Term) -> str:
    """Return the name that contains the term ("Men in Black", "Jack White"), or ""."""
    words = parse.words
    if not words[tokens[0]][:1].isupper() or _heading(parse):
        return ""
    run = _run(parse, tokens)
    before = [i for i in run if i < tokens[0]]
    after = [i for i in run if i > tokens[-1]]
    whole = " ".join(words[i] for i in range(run[0], run[-1] + 1))
    first = tokens[0]
    if first and words[first - 1] in _DIRECTIONS and term.text[:1].isupper():
        return f"{words[first - 1]} {words[first]}"  # "the East Germans"
    if (before or after) and any(fold(words[i]) in lexicon().name_heads for i in after):
        return whole
    if term.text[:1].isupper():
        noun = term.form in _NOUN_FORMS or _flat(parse, tokens)
        within = noun and _ends_name(parse, first, before)
        return whole if within or _capital_in_name(parse, tokens, before, after) else ""
    if tokens[0] == _opening(parse) and not after:
        # The first word of a sentence; a title has more capitals: "Taxi Driver".
        staged = parse.tags[first] == "NNP" and fold(words[first]) in _NAMES  # "Queen played"
        return whole if staged or any(words[i][:1].isupper() for i in tokens[1:]) else ""
    if not before and not after:
        return "" if term.form in _PRONOUNS or _alone_is_person(parse, tokens) else whole
    if _rank(parse, tokens, before, after):
        return ""
    if tokens[0] == _opening(parse) and parse.tags[after[0]] not in _PROPER:
        return ""
    return whole


def _flat(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether an adjective is a surname: "Archie Punjabi"."""
    return parse.labels[tokens[-1]] == "flat" and parse.tags[tokens[-1]] in _PROPER


def _opening(parse: Parse) -> int:
    return next((i for i, word in enumerate(parse.words) if any(map(str.isalnum, word))), 0)


def _heading(parse: Parse) -> bool:
    verbs = [word for i, word in enumerate(parse.words) if parse.tags[i] in FINITE]
    if any(verb.islower() and verb != "is" for verb in verbs):
        return False  # a heading has capitals in its verbs
    long = [word for word in parse.words[1:] if len(word) > 3 and word[0].isalpha()]
    return len(long) > 3 and sum(word[0].isupper() for word in long) > _TITLE_CASE * len(long)


def _capital(word: str) -> bool:
    return word[:1].isupper() or (word[1:2] in ("'", "\u2019") and word[2:3].isupper())


def _run(parse: Parse, tokens: Sequence[int]) -> list[int]:
    """Return the capitalised words around the term; links ("of the") may join two of them."""
    words, opening = parse.words, _opening(parse)

    def capital(i: int) -> bool:
        inside = 0 <= i < len(words) and words[i] != "I" and _capital(words[i])
        # The first word has a capital anyhow; it belongs to a name if it is tagged so.
        return inside and (i != opening or parse.tags[i] in (*_PROPER, "JJ"))

    found = list(tokens)
    for step in (-1, 1):
        at = tokens[0] if step < 0 else tokens[-1]
        while (following := _next_capital(words, at, step, capital)) is not None:
            at = following
            found.append(at)
    return sorted(found)


def _next_capital(
    words: Sequence[str], at: int, step: int, capital: Callable[[int], bool]
) -> int | None:
    for length in (0, 1, 2):
        further = at + step * (length + 1)
        between = words[min(at, further) + 1 : max(at, further)]
        if (not length or tuple(map(fold, between)) in _LINKS) and capital(further):
            return further
    return None


def _ends_name(parse: Parse, first: int, before: Sequence[int]) -> bool:
    """Whether a capitalised word before a people's noun makes it a name: "Ten Little Indians"."""
    if not before or before[-1] != first - 1 or before[-1] == _opening(parse):
        return False
    word = fold(parse.words[first - 1])
    return word not in capitalised() | lexicon().titles | lexicon().kin | _BEFORE_RANKS


def _capital_in_name(
    parse: Parse, tokens: Sequence[int], before: Sequence[int], after: Sequence[int]
) -> bool:
    """Whether a term that is always capitalised is in a title or in a person's name."""
    words = parse.words
    if any(words[i] == "The" and i != _opening(parse) for i in before):
        return True  # "saw The African Queen"
    if (before or after) and parse.entities[tokens[-1]] in _PERSON:
        return True  # "Christian Dior"
    article = tokens[0] > 1 and words[tokens[0] - 1] == "the" and words[tokens[0] - 2][:1].isupper()
    if article and tokens[0] - 2 != _opening(parse) and not after:
        return True  # "Zorba the Greek"
    if not after or after[0] != tokens[-1] + 1:
        return False
    following = fold(words[after[0]])
    common = following in person_nouns() and following not in capitalised()
    return common and following not in lexicon().titles  # "The English Patient"


def _alone_is_person(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether a capitalised noun between small words is a person: "the Tenant", "Mum"."""
    words, word, known = parse.words, fold(parse.words[tokens[-1]]), lexicon()
    before = words[tokens[0] - 1] if tokens[0] else ""
    after = words[tokens[-1] + 1] if tokens[-1] + 1 < len(words) else ""
    if parse.tags[tokens[-1]] in ("NNS", "NNPS") and before[:1].isalnum():
        return word in known.kin  # "the Kings"
    if word in known.kin or after in _MODALS:
        return True
    if not before[:1].isalnum():
        return before not in _BEFORE_NAMES or (before == "," and word in known.titles)
    if fold(before) == "the" and word not in known.titles | known.parties:
        return False  # "The Child is a dull film"
    if word not in known.titles:
        return fold(before) in DETERMINERS - {"a", "an"} or parse.tags[tokens[0] - 1] == "PRP$"
    determined = fold(before) in DETERMINERS or parse.tags[tokens[0] - 1] in ("PRP$", "POS")
    if word in _NAMES and not determined:
        return False  # "Queen played two songs"
    called = parse.labels[tokens[-1]] in ("vocative", *_SUBJECT) or after == ","
    return called or parse.tags[tokens[0] - 1] in ("JJ", "PRP$", "CD", "DT")


def _rank(parse: Parse, tokens: Sequence[int], before: Sequence[int], after: Sequence[int]) -> bool:
    """Whether the term is a title of a person: "Aunt May", "the Prime Minister"."""
    others = lexicon().titles | _BEFORE_RANKS | capitalised() if before else frozenset()
    for i in before:
        word = fold(parse.words[i])
        if not after and word not in others and i != _opening(parse):
            return False  # "Stephen King"
        if parse.words[i] == "The" and i != _opening(parse):
            return False
    if not after and before and before[0] == _opening(parse) and len(before) == 1:
        first = before[0]
        if parse.tags[first] in _PROPER and fold(parse.words[first]) not in others:
            return False
    return fold(parse.words[tokens[-1]]) in lexicon().titles and not (
        after and parse.tags[after[0]] not in _PROPER
    )


# -- pronouns -------------------------------------------------------------------------------------


def _stands_for(parse: Parse, head: int, form: GrammaticalForm) -> str:
    """Return the animal, ship, country or god that a pronoun stands for, if no person precedes."""
    things = [i for i in range(head) if _is_thing_before(parse, i)]
    for i in range(head):
        # "Bella is a greyhound": the name of an animal is no person.
        named = any(parse.heads[i] == thing or parse.heads[thing] == i for thing in things)
        if _is_person_before(parse, i) and not (named and parse.tags[i] in _PROPER):
            return ""
    if form is _FORM.PRONOUN_OBJECT:
        # An object is not the subject of its own clause.
        things = [i for i in things if parse.heads[i] != parse.heads[head]]
    return parse.words[things[-1]] if things else ""


def _is_person_before(parse: Parse, i: int) -> bool:
    word, tag = fold(parse.words[i]), parse.tags[i]
    if tag in ("PRP", "PRP$"):
        return word in _OTHER_PEOPLE
    known = lexicon()
    if tag not in _NOUNS or word in known.animals | known.deities | known.vessels:
        return False
    if parse.entities[i] in _PERSON:
        return not _with_article(parse, i)
    return names_person(word) and parse.labels[i] not in COMPOUND


def _is_thing_before(parse: Parse, i: int) -> bool:
    word, tag = fold(parse.words[i]), parse.tags[i]
    if tag not in _NOUNS:
        return False
    if parse.labels[i] in COMPOUND and parse.tags[parse.heads[i]] not in _PROPER:
        return False
    known = lexicon()
    if word in known.animals or word in known.vessels or word in known.deities:
        return True
    if tag not in _PROPER or not parse.labels[i].startswith("nsubj"):
        return False
    return parse.entities[i] == "GPE" or _with_article(parse, i)


def _with_article(parse: Parse, i: int) -> bool:
    """Whether a name has an article: "the Titanic"."""
    return i > 0 and fold(parse.words[i - 1]) == "the"
