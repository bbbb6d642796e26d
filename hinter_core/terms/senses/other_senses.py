"""Other senses of words for people: names, figures of speech, languages, animals, things.

Each function returns the reason why an occurrence is about no person, or None. Tokens are indices
in the parse; ``head`` is the one that carries the tag and the relation of the term.
"""

from collections.abc import Sequence

from hinter_core.terms.matching import fold
from hinter_core.terms.senses.colours import is_shade
from hinter_core.terms.senses.languages import bare, is_language
from hinter_core.terms.senses.lexicon import FINITE, lexicon, names_person
from hinter_core.terms.senses.proper_names import PROPER, after_name, capital, name_around, opening
from hinter_core.terms.senses.quotations import QUOTES, mentioned, quoted_title
from hinter_core.types import GrammaticalForm, Parse, Term

_FORM = GrammaticalForm
_NOUN_FORMS = frozenset({_FORM.NOUN_SG, _FORM.NOUN_PL})
_PRONOUNS = frozenset(
    {_FORM.PRONOUN_SUBJECT, _FORM.PRONOUN_OBJECT, _FORM.PRONOUN_POSSESSIVE,
     _FORM.PRONOUN_POSSESSIVE_ABSOLUTE, _FORM.PRONOUN_REFLEXIVE}
)  # fmt: skip
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
_PERSON = frozenset({"PERSON", "PER"})
_OF_SUBJECT = frozenset({_FORM.PRONOUN_POSSESSIVE, _FORM.PRONOUN_REFLEXIVE})
_RELATIVE = frozenset({"acl:relcl", "relcl"})
_OF_CLAUSES = frozenset({"obj", "iobj", "obl", "nmod:poss", "nsubj", "pobj", "dobj", "poss"})
_OTHER_PEOPLE = frozenset("he she him her his hers who".split())
_AUXILIARIES = frozenset("do does did is was are were has have had can could will would".split())
_BEFORE_VERBS = frozenset("to did do does will would can could must should may might shall".split())
_AFTER_VERBS = frozenset("RP DT IN PRP$ PRP JJ NNS".split())
_VERSUS = frozenset({"vs.", "vs", "v.s.", "versus"})
_MANY = frozenset({"host", "hosts"})
_FOUNDERS = frozenset(
    """father fathers mother mothers godfather godfathers godmother godmothers grandfather
    grandfathers grandmother grandmothers king queen prince princess""".split()
)
_IN_NOUN_PHRASES = frozenset("DT JJ JJS NN NNS NNP NNPS HYPH PRP$".split())
COMPOUND = frozenset({"compound", "nmod:desc", "nn"})


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
    if surface == "miss" and not capital(" ".join(parse.words[head + 1 : head + 2])):
        return f"here \u201c{surface}\u201d is a verb"
    name = name_around(parse, tokens, term)
    if name:
        return f"part of the name \u201c{name}\u201d"
    if _of_case(parse, tokens):
        return f"\u201c{surface}\u201d is part of a name with \u201cv.\u201d"
    if is_language(parse, tokens, head, term):
        return f"here \u201c{surface}\u201d is a language"
    if is_shade(parse, tokens):
        return f"here \u201c{surface}\u201d is a colour"
    return _noun_as_thing(parse, tokens, head, term.form) if term.form in _NOUN_FORMS else None


def _noun_as_thing(
    parse: Parse, tokens: Sequence[int], head: int, form: GrammaticalForm
) -> str | None:
    surface = " ".join(parse.words[i] for i in tokens)
    governor = parse.heads[head]
    modifies = parse.labels[head] in COMPOUND and governor > tokens[-1]
    if surface in lexicon().siblings and after_name(parse, tokens[0]):
        return f"part of the name \u201c{parse.words[tokens[0] - 1]} {surface}\u201d"
    figure = _figure_of_speech(parse, tokens)
    if figure:
        return f"here \u201c{surface}\u201d is a figure of speech, \u201c{figure}\u201d"
    animal = _of_animals(parse, tokens)
    if animal:
        return f"here \u201c{surface}\u201d may be about \u201c{animal}\u201d"
    if _acts(parse, tokens, head):
        return f"here \u201c{surface}\u201d is a verb"
    if is_thing_here(parse, head):
        return f"\u201c{surface}\u201d may be no person here"
    verb = _may_be_verb(parse, tokens[-1], governor)
    # "a Scots girl", "the kids favourite", "folk heroes"
    plural = form is _FORM.NOUN_PL and governor == tokens[-1] + 1
    if modifies and not verb and (plural or not _is_person_noun(parse, governor)):
        return f"part of \u201c{surface} {parse.words[governor]}\u201d"
    described = tokens[0] > 0 and parse.tags[tokens[0] - 1].startswith("JJ")
    if surface.lower() == "man" and not described and bare(parse, tokens, head):
        return f"\u201c{surface}\u201d without an article may mean mankind"
    if _of_adjective(parse, tokens[-1]) or _in_adjective(parse, tokens, form):
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


def _figure_of_speech(parse: Parse, tokens: Sequence[int]) -> str:
    """Return the words by which a noun is one: "a host of ideas", "a man's man"."""
    founded = _founded(parse, tokens)
    if founded or _of_many(parse, tokens):
        return f"of {founded}".rstrip()
    word = parse.words[tokens[-1]]
    return f"{word}'s {word}" if _of_its_kind(parse, tokens) else ""


def _of_many(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether a noun is a number of things: "a host of ideas", but "a host of the show"."""
    after = tokens[-1] + 1
    if fold(parse.words[tokens[-1]]) not in _MANY or parse.words[after : after + 1] != ("of",):
        return False
    end = after + 1
    while end < len(parse.tags) and parse.tags[end].startswith(("JJ", "RB", "VBG", "VBN")):
        end += 1
    return parse.tags[end : end + 1] in (("NNS",), ("NN",))


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
        if side and fold(side[-1]) in _VERSUS and parse.tags[first] == "JJ":
            return True  # "white vs. black", of no person in particular
    near = parse.words[last + 1 : last + 9]
    if "(" not in near[:2]:
        return False
    inside = near[near.index("(") + 1 :]
    return "v." in map(fold, inside[: inside.index(")") if ")" in inside else None])


def _in_adjective(parse: Parse, tokens: Sequence[int], form: GrammaticalForm) -> bool:
    """Whether the article before a plural is that of a later noun: "a women in prison film"."""
    if form is not _FORM.NOUN_PL:
        return False
    article = tokens[0] > 0 and fold(parse.words[tokens[0] - 1]) in ("a", "an")
    return article and parse.tags[tokens[-1] + 1 : tokens[-1] + 2] == ("IN",)


def _of_adjective(parse: Parse, last: int) -> bool:
    """Whether an adjective is made of a noun: "very kids friendly", "cowboy dressed"."""
    after = [fold(word) for word in parse.words[last + 1 : last + 3] if word != "-"]
    hyphen = parse.words[last + 1 : last + 2] == ("-",)
    dressed = after[0:1] in (["dressed"], ["clad"])
    before_noun = parse.tags[last + 2 + hyphen : last + 3 + hyphen] in tuple((t,) for t in _NOUNS)
    return bool(after) and (
        after[0] in ("friendly", "favourite", "favorite")
        or (dressed and before_noun)
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
    starts = first == opening(parse) and parse.labels[head].casefold() == "root"
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
    """Whether the term is a cry: "Man, that hurts", "and boy was it dull"."""
    words, first, last = tuple(map(fold, parse.words)), tokens[0], tokens[-1]
    if words[last] not in lexicon().interjections or last + 1 >= len(words):
        return False
    joined = first > 0 and parse.tags[first - 1] == "CC"
    start = first - joined  # of the clause
    starts = all(word in QUOTES for word in words[:start])
    if not starts and not joined and words[first - 1] not in (",", "oh"):
        return False
    after, beyond = (*words[last + 1 : last + 3], "")[:2]
    listed = _names_person_at(parse, start - 1 - (words[start - 1] == ",")) and not starts
    if listed or _names_person_at(parse, last + 2):
        return False  # "the girl and boy", "man, woman and child"
    if after in _AUXILIARIES and parse.tags[last + 2 : last + 3] in (("PRP",), ("EX",), ("DT",)):
        return True
    if last + 2 == len(words):
        return not starts and not joined and parse.tags[last + 1] == "."  # "so slow, man!"
    if not starts and words[start - 1] not in (",", "oh"):
        return False
    if after == ",":
        return beyond not in ("you", "come", "get")
    return after in ("i", "that", "this", "what", "it", "oh", "the", "these", "those")


def _names_person_at(parse: Parse, token: int) -> bool:
    inside = 0 <= token < len(parse.words)
    return inside and parse.tags[token] in _NOUNS and _is_person_noun(parse, token)


def _of_its_kind(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether a noun stands beside its own possessive: "a man's man"."""
    words, first, last = tuple(map(fold, parse.words)), tokens[0], tokens[-1]
    own = words[first : last + 1]
    size = len(own) + 1
    tags = parse.tags
    return (tags[last + 1 : last + 2] == ("POS",) and words[last + 2 : last + 1 + size] == own) or (
        tags[first - 1 : first] == ("POS",) and words[max(0, first - size) : first - 1] == own
    )


# -- pronouns -------------------------------------------------------------------------------------


def _stands_for(parse: Parse, head: int, form: GrammaticalForm) -> str:
    """Return the animal, ship, country or god that a pronoun stands for, if no person precedes."""
    # A subject or object of a relative clause is not its "who", but for "who had with him a gun".
    same = form in _OF_SUBJECT or (head > 0 and fold(parse.words[head - 1]) == "with")
    owner = _relative_of(parse, head) if same else None
    if owner is not None and fold(parse.words[owner]) in lexicon().animals:
        return parse.words[owner]  # "his horse named Star, who carried with him a bag"
    things = [i for i in range(head) if _is_thing_before(parse, i)]
    for i in range(head):
        # "Bella is a greyhound": the name of an animal is no person.
        named = any(parse.heads[i] == thing or parse.heads[thing] == i for thing in things)
        if _is_person_before(parse, i) and not (named and parse.tags[i] in PROPER):
            return ""
    if form is _FORM.PRONOUN_OBJECT:
        # An object is not the subject of its own clause.
        things = [i for i in things if parse.heads[i] != parse.heads[head]]
    return parse.words[things[-1]] if things else ""


def _relative_of(parse: Parse, token: int) -> int | None:
    """Return the noun that the relative clause around a token is about."""
    while parse.labels[token] not in _RELATIVE:
        if parse.heads[token] == token or parse.labels[token] not in _OF_CLAUSES:
            return None
        token = parse.heads[token]
    token = parse.heads[token]
    while parse.labels[token] in ("xcomp", "acl", "flat"):  # "named Star"
        token = parse.heads[token]
    return token


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
    if parse.labels[i] in COMPOUND and parse.tags[parse.heads[i]] not in PROPER:
        return False
    known = lexicon()
    if word in known.animals or word in known.vessels or word in known.deities:
        return True
    if tag not in PROPER or not parse.labels[i].startswith("nsubj"):
        return False
    return parse.entities[i] == "GPE" or _with_article(parse, i)


def _with_article(parse: Parse, i: int) -> bool:
    """Whether a name has an article: "the Titanic"."""
    return i > 0 and fold(parse.words[i - 1]) == "the"
