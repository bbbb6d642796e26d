"""Other senses of words for people: names, figures of speech, languages, animals, things.

Each function returns the reason why an occurrence is about no person, or None. Tokens are indices
in the parse; ``head`` is the one that carries the tag and the relation of the term.
"""

from collections.abc import Iterator, Sequence

from hinter_core.terms.matching import fold
from hinter_core.terms.senses.colours import is_shade
from hinter_core.terms.senses.figures import (
    figure_of_noun,
    figure_of_speech,
    is_animal,
    is_cry,
    is_person_noun,
)
from hinter_core.terms.senses.languages import bare, is_language
from hinter_core.terms.senses.lexicon import (
    FINITE,
    NOUN_TAGS,
    PERSON_TAGS,
    capital,
    lexicon,
    names_person,
)
from hinter_core.terms.senses.proper_names import (
    PROPER,
    after_name,
    longer_group,
    name_around,
    opening,
)
from hinter_core.terms.senses.quotations import mentioned, quoted_title
from hinter_core.types import GrammaticalForm, Parse, Term

_FORM = GrammaticalForm
_NOUN_FORMS = frozenset({_FORM.NOUN_SG, _FORM.NOUN_PL})
_PRONOUNS = frozenset(
    {_FORM.PRONOUN_SUBJECT, _FORM.PRONOUN_OBJECT, _FORM.PRONOUN_POSSESSIVE,
     _FORM.PRONOUN_POSSESSIVE_ABSOLUTE, _FORM.PRONOUN_REFLEXIVE}
)  # fmt: skip
_STATUTES = frozenset({"stat", "stat.", "code", "proc"})
_IN_KINDS = (("JJ",), ("NN",), ("HYPH",))
_OF_SUBJECT = frozenset({_FORM.PRONOUN_POSSESSIVE, _FORM.PRONOUN_REFLEXIVE})
_RELATIVE = frozenset({"acl:relcl", "relcl"})
_OF_CLAUSES = frozenset({"obj", "iobj", "obl", "nmod:poss", "nsubj", "pobj", "dobj", "poss"})
_OTHER_PEOPLE = frozenset("he she him her his hers who".split())
_BEFORE_VERBS = frozenset("to did do does will would can could must should may might shall".split())
_AFTER_VERBS = frozenset("RP DT IN PRP$ PRP JJ NNS".split())
_DESCRIBING = frozenset("JJ JJR JJS HYPH VBN CD NNP".split())
_COUNTING = frozenset("a an one another this that two three some his her my your our their".split())
_SPEAKERS = frozenset("my our your".split())  # whose kin are people
_VERSUS = frozenset({"vs.", "vs", "v.s.", "versus"})
COMPOUND = frozenset({"compound", "nmod:desc", "nn"})


def other_sense(parse: Parse, tokens: Sequence[int], head: int, term: Term) -> str | None:
    """Return the reason why an occurrence is about no person, whatever its sense says."""
    return next(filter(None, _other_senses(parse, tokens, head, term)), None)


def _other_senses(
    parse: Parse, tokens: Sequence[int], head: int, term: Term
) -> Iterator[str | None]:
    """Yield the reasons one by one; None where one does not hold."""
    surface = " ".join(parse.words[i] for i in tokens)
    here = f"here \u201c{surface}\u201d"
    yield _told("is part of the expression", _phrase(parse, tokens))
    yield _told(f"{here} is a figure of speech,", figure_of_speech(parse, tokens))
    if term.form in _PRONOUNS:
        yield _told(f"{here} stands for", _stands_for(parse, head, term.form))
    if mentioned(parse, tokens):
        yield f"{here} is mentioned as a word"
    yield _told("part of the title", quoted_title(parse, tokens))
    if _abbreviated(parse, tokens, term):
        yield f"{here} is an abbreviation"
    if _missed(parse, head):
        yield f"{here} is a verb"
    name = longer_group(parse, tokens, term) or name_around(parse, tokens, term)
    yield _told("part of the name", name)
    if _of_case(parse, tokens):
        yield f"\u201c{surface}\u201d is part of a name with \u201cv.\u201d"
    if is_language(parse, tokens, head, term):
        yield f"{here} is a language"
    if is_shade(parse, tokens):
        yield f"{here} is a colour"
    if term.form in _NOUN_FORMS:
        yield _noun_as_thing(parse, tokens, head, term.form)


def _told(reason: str, found: str) -> str | None:
    return f"{reason} \u201c{found}\u201d" if found else None


def _missed(parse: Parse, head: int) -> bool:
    """Whether *miss* is a verb: "I miss it", "Miss it at your peril", "you might miss John"."""
    word, after = parse.words[head], parse.tags[head + 1 : head + 2]
    if fold(word) != "miss":
        return False
    modal = head > 0 and (parse.tags[head - 1] == "MD" or fold(parse.words[head - 1]) == "to")
    following = " ".join(parse.words[head + 1 : head + 2])
    return modal or after in (("PRP",), ("DT",)) or (word == "miss" and not capital(following))


def _abbreviated(parse: Parse, tokens: Sequence[int], term: Term) -> bool:
    """Whether a title is an abbreviation of law: "Neb. Rev. Stat.", "Iowa L. Rev. 93"."""
    if term.form is not _FORM.TITLE or fold(parse.words[tokens[-1]]) not in ("rev.", "miss."):
        return False
    last = tokens[-1]
    after = (*map(fold, parse.words[last + 1 : last + 2]), "")[0]
    return after in _STATUTES or not after[:1].isalpha()


def _noun_as_thing(
    parse: Parse, tokens: Sequence[int], head: int, form: GrammaticalForm
) -> str | None:
    surface = " ".join(parse.words[i] for i in tokens)
    governor = parse.heads[head]
    modifies = (
        parse.labels[head] in COMPOUND
        and governor > tokens[-1]
        and not acts_as_participle(parse, governor, tokens[-1])
    )
    if surface in lexicon().siblings and after_name(parse, tokens[0]):
        return f"part of the name \u201c{parse.words[tokens[0] - 1]} {surface}\u201d"
    kind = _made_for(parse, tokens)
    if kind:
        return f"\u201c{kind}\u201d is a kind of thing"
    here = f"here \u201c{surface}\u201d"
    told = _told(f"{here} is a figure of speech,", figure_of_noun(parse, tokens)) or _told(
        f"{here} may be about", _of_animals(parse, tokens)
    )
    if told:
        return told
    if _acts(parse, tokens, head):
        return f"here \u201c{surface}\u201d is a verb"
    if is_thing_here(parse, head):
        return f"\u201c{surface}\u201d may be no person here"
    verb = _may_be_verb(parse, tokens[-1], governor)
    # "a Scots girl", "the kids favourite", "folk heroes"
    plural = form is _FORM.NOUN_PL and governor == tokens[-1] + 1
    if modifies and not verb and (plural or not is_person_noun(parse, governor)):
        return f"part of \u201c{surface} {parse.words[governor]}\u201d"
    described = tokens[0] > 0 and parse.tags[tokens[0] - 1].startswith("JJ")
    if surface.lower() == "man" and not described and bare(parse, tokens, head):
        return f"\u201c{surface}\u201d without an article may mean mankind"
    if _of_adjective(parse, tokens[-1]) or _in_adjective(parse, tokens, form):
        return f"\u201c{surface}\u201d is part of an adjective"
    if is_cry(parse, tokens):
        return f"here \u201c{surface}\u201d is an interjection"
    others = any(word[:1].isupper() for word in parse.words if word != "I")
    shouted = all(word.isupper() for word in parse.words if word[:1].isalpha())
    if surface.isupper() and len(surface) < 4 and not shouted:
        return f"\u201c{surface}\u201d is an abbreviation here"  # "Lancaster, PA"
    if surface.islower() and surface in lexicon().lower_things and others:
        return f"\u201c{surface}\u201d in lower case is a thing"
    return None


def acts_as_participle(parse: Parse, token: int, noun: int) -> bool:
    """Whether a word in -ing after a noun for people says what they do: "a black woman crying".

    "Man hunting is wrong" and "the child rearing took years" are compounds.
    """
    word, after = fold(parse.words[token]), (*parse.tags[token + 1 : token + 2], ".")[0]
    if token != noun + 1 or not word.endswith("ing") or not names_person(fold(parse.words[noun])):
        return False
    if after in NOUN_TAGS or after in FINITE:
        return False
    start = noun
    while start and parse.tags[start - 1] in _DESCRIBING:
        start -= 1
    counted = start > 0 and fold(parse.words[start - 1]) in _COUNTING
    return counted or parse.tags[noun] in ("NNS", "NNPS")


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


def _made_for(parse: Parse, tokens: Sequence[int]) -> str:
    """Return the kind of work that is made for people: "a children's film"."""
    word, after = fold(parse.words[tokens[-1]]), tokens[-1] + 1
    owned = tokens[0] > 0 and parse.tags[tokens[0] - 1] == "PRP$"
    several = parse.tags[tokens[-1]] in ("NNS", "NNPS") or word in ("child", "kid")
    if parse.tags[after : after + 1] != ("POS",) or owned or not several:
        return ""
    end, known = after + 1, lexicon().made_for
    while parse.tags[end : end + 1] in _IN_KINDS and fold(parse.words[end]) not in known:
        end += 1
    noun = fold(parse.words[end]) if end < len(parse.words) else ""
    return f"{word}'s {noun}" if noun in known else ""


def _of_animals(parse: Parse, tokens: Sequence[int]) -> str:
    """Return the animal of a sentence without people, for nouns that animals have, too."""
    owner = fold(parse.words[tokens[0] - 1]) if tokens[0] else ""
    if fold(parse.words[tokens[-1]]) not in lexicon().animal_roles or owner in _SPEAKERS:
        return ""
    animal = ""
    for i, word in enumerate(map(fold, parse.words)):
        if i in tokens:
            continue
        if is_animal(parse, i):
            animal = animal or word
        elif (
            parse.tags[i] in NOUN_TAGS and word not in lexicon().animal_roles and names_person(word)
        ):
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
    before_noun = parse.tags[last + 2 + hyphen : last + 3 + hyphen] in tuple(
        (t,) for t in NOUN_TAGS
    )
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


def _phrase(parse: Parse, tokens: Sequence[int]) -> str:
    known = lexicon().phrases
    words = [fold(word).partition("(")[0] for word in parse.words]  # "great whites(and"
    for token in tokens:
        for place, phrase in known.get(words[token], ()):
            start = token - place
            if start >= 0 and tuple(words[start : start + len(phrase)]) == phrase:
                return " ".join(phrase).replace(" '", "'")
    return ""


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
    if tag not in NOUN_TAGS or word in known.deities | known.vessels or is_animal(parse, i):
        return False
    if parse.entities[i] in PERSON_TAGS:
        return not _with_article(parse, i)
    return names_person(word) and parse.labels[i] not in COMPOUND


def _is_thing_before(parse: Parse, i: int) -> bool:
    word, tag = fold(parse.words[i]), parse.tags[i]
    if tag not in NOUN_TAGS:
        return False
    if parse.labels[i] in COMPOUND and parse.tags[parse.heads[i]] not in PROPER:
        return False
    known = lexicon()
    if is_animal(parse, i) or word in known.vessels or word in known.deities:
        return True
    if tag not in PROPER or not parse.labels[i].startswith("nsubj"):
        return False
    return parse.entities[i] == "GPE" or _with_article(parse, i)


def _with_article(parse: Parse, i: int) -> bool:
    """Whether a name has an article: "the Titanic"."""
    return i > 0 and fold(parse.words[i - 1]) == "the"
