"""One people in several forms: *Danish*, *a Dane* and *the Danes* of a text change together.

Each place gets the target's word of its form. Where the target has none, as English has no noun for
one of the French, the edit is not made, and a notice says so.
"""

from collections.abc import Iterator, Mapping, Sequence

from hinter_core.language.people import FEMALE, MALE, people_words
from hinter_core.language.spelling import spelling
from hinter_core.language.trees import SentenceTree
from hinter_core.mutation.edits import splices_of, splices_overlap, texts_of, with_texts
from hinter_core.mutation.people import People
from hinter_core.terms.ages import age_words
from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.related import people_of
from hinter_core.types import Edit, GrammaticalForm, Pair, Span, Term

_FORM = GrammaticalForm
_FORMS = (_FORM.ADJECTIVE, _FORM.NOUN_SG, _FORM.NOUN_PL, _FORM.COLLECTIVE)
_IN_WORDS = {
    _FORM.NOUN_SG: "no noun for one of them that is free of gender",
    _FORM.NOUN_PL: "no noun for several of them that is free of gender",
    _FORM.COLLECTIVE: "no word for all of them",
}
_BE = frozenset("be am is are was were been being 'm 's 're \u2019m \u2019s \u2019re".split())
_SEATS = frozenset({"wheelchair", "mobility scooter"})
_NEEDING = ("depend", "rel")  # "depend on", "reliant on": no place
_WHERE = frozenset("in from off into onto out on".split())
_NAMED = 6
_EVERYBODY = frozenset("people persons individuals".split())

Forms = Mapping[Term, list[Edit]]


def in_all_forms(
    text: str, dictionaries: Sequence[Dictionary], edits: dict[str, list[Edit]]
) -> list[str]:
    """Join the edits that change several forms of one people; return what is not made, and why."""
    notices: list[str] = []
    for dictionary in dictionaries:
        of_attribute = edits.get(dictionary.attribute, [])
        if of_attribute and not dictionary.placebo:
            edits[dictionary.attribute], why = _joined(text, dictionary, of_attribute)
            notices += why
    return notices


def _joined(
    text: str, dictionary: Dictionary, edits: Sequence[Edit]
) -> tuple[list[Edit], list[str]]:
    """Join the edits of an attribute that change forms of one people, and say what is not made."""
    peoples: dict[tuple[str, str, str], dict[Term, list[Edit]]] = {}
    for edit in edits:
        source = edit.source
        if source.form in _FORMS and isinstance(edit.change, Pair):
            key = (_named(source), source.concept, source.group)
            peoples.setdefault(key, {}).setdefault(source, []).append(edit)
    joined: dict[Term, Sequence[Edit]] = {}
    notices: list[str] = []
    for forms in peoples.values():
        if len(forms) > 1:
            first = min(forms, key=lambda term: forms[term][0].spans)
            joined |= dict.fromkeys(forms, ())
            joined[first] = list(_together(text, forms, first))
        notices += _not_made(dictionary, forms)
    whole_edits: list[Edit] = []
    for edit in edits:
        if edit.source not in joined:
            whole_edits.append(edit)
        elif made := joined[edit.source]:
            whole_edits += made
            joined[edit.source] = ()
    return whole_edits, notices


def _named(term: Term) -> str:
    """Return what all forms and spellings of a people share: "African-American" is one, too."""
    return spelling(people_of(term.text))


def _together(text: str, forms: Forms, first: Term) -> Iterator[Edit]:
    """Yield an edit of all forms for each people that has them."""
    by_people = [{_named(edit.target): edit for edit in reversed(forms[term])} for term in forms]
    for people, edit in list(by_people[list(forms).index(first)].items())[::-1]:
        parts = [by_group[people] for by_group in by_people if people in by_group]
        if len(parts) < len(by_people):
            continue
        splices = [splice for part in parts for splice in splices_of(text, part)]
        if not splices_overlap(splices):
            yield with_texts(edit, texts_of(splices))


def _not_made(dictionary: Dictionary, forms: Forms) -> Iterator[str]:
    """Yield which peoples have no word of a form that the text has."""
    for term in forms:
        lacking = _lacking(dictionary, term) if term.form in _IN_WORDS else ()
        if lacking:
            names = ", ".join(lacking[:_NAMED]) + (", ..." if len(lacking) > _NAMED else "")
            yield (
                f"\u201c{term.text}\u201d is not changed to {names}: English has "
                f"{_IN_WORDS[term.form]}"
            )


def _lacking(dictionary: Dictionary, term: Term) -> tuple[str, ...]:
    """Return the peoples of other groups that have an adjective, but no word of a term's form."""
    by_form = dictionary.by_form
    words = (t for t in by_form.get((term.concept, term.form), ()) if t.group != term.group)
    having = {of for t in words for of in (people_of(t.text), t.text.removesuffix("s"))}
    adjectives = (
        t.text
        for t in by_form.get((term.concept, _FORM.ADJECTIVE), ())
        if t.group != term.group and t.text[:1].isupper()
    )
    return tuple(dict.fromkeys(t for t in adjectives if people_of(t) not in having))


def of_other_sex(edit: Edit, people: People) -> str:
    """Return why an edit does not suit whom it changes: no man is a lesbian, no woman an imam.

    A word with a capital is of a people (*Latino*), and changes of gender change the pronouns, too:
    an attribute of any name changes it if its words are of the two sexes.
    """
    said_before, says = (
        people_words().nouns.get(term.text.rpartition(" ")[2])
        for term in (edit.source, edit.target)
    )
    entities, said = people.entities, f"\u201c{edit.target.text}\u201d"
    one = {entities[n].gender for n in people.of_edit(edit) if n < len(entities)}
    if edit.attribute == "gender":
        return _said_beside(edit, people)
    if {said_before, says} == {FEMALE, MALE}:
        return ""
    if says == MALE and FEMALE in one:
        return f"{said} is said of men alone"
    return f"{said} is said of women alone" if says == FEMALE and MALE in one else ""


def _said_beside(edit: Edit, people: People) -> str:
    """Return why nobody becomes a *lesbian man*: an adjective of women stays."""
    nouns = people_words().nouns
    new = nouns.get(edit.target.text.lower().rpartition(" ")[2]) or edit.target.group
    mentions = (m for n in people.of_edit(edit) for m in people.mentions(n) if new == MALE)
    for mention in mentions:
        tree = people.tree_at(mention.head[0])
        noun = tree.word_at(mention.head) if tree is not None else None
        if tree is None or noun is None:
            continue
        for one in tree.children(noun, "amod"):
            if nouns.get(tree.lower[one]) == FEMALE and tree.place(one) not in edit.spans:
                return f"the text also says \u201c{tree.parse.words[one]}\u201d of the same person"
    return ""


def misplaced(edit: Edit, people: People) -> str:
    """Return why an aid cannot stand there: "he is with a dog", "she rose from her white cane"."""
    if why := _of_no_degree(edit, people) or _of_everybody(edit, people):
        return why
    predicate = edit.source.form is _FORM.PREP_PHRASE and edit.target.text.startswith("with ")
    seat = edit.source.text.removesuffix("s") in _SEATS and edit.target.text not in _SEATS
    for start, end in edit.spans if predicate or seat else ():
        tree = people.tree_at(start)
        before = _be if predicate else _of_place
        if tree is not None and (word := before(tree, (start, end))):
            return f"\u201c{edit.target.text}\u201d does not fit after \u201c{word}\u201d"
    return ""


def _of_no_degree(edit: Edit, people: People) -> str:
    """Return why a compound has no degrees: "too plus-sized", but "so good-looking"."""
    word = edit.target.text
    graded = not word.islower() or word.startswith("well-") or word.endswith("-looking")
    compound = "-" in word and edit.target.form is _FORM.ADJECTIVE and not graded
    for start, end in edit.spans if compound and "-" not in edit.source.text else ():
        tree = people.tree_at(start)
        tokens = tree.tokens_at((start, end)) if tree is not None else []
        if tree is None or not tokens or tree.parse.tags[tokens[0] - 1] == "DT":
            continue
        before = tree.lower[tokens[0] - 1] if tokens[0] else ""
        if before in age_words()["degrees"]:
            return f"\u201c{before}\u201d needs an adjective that has degrees"
    return ""


def _of_everybody(edit: Edit, people: People) -> str:
    """Return why nobody is left of whom a text speaks in general: "people can't drive".

    Nor is "a job for people" one for some of them.
    """
    general = edit.attribute == "gender" and edit.target.group == "neutral" != edit.source.group
    for start, end in edit.spans if general and edit.source.form is _FORM.NOUN_PL else ():
        tree = people.tree_at(start)
        noun = tree.word_at((start, end)) if tree is not None else None
        if tree is None or noun is None:
            continue
        verb, label = tree.parse.heads[noun], tree.parse.labels[noun]
        tags = {tree.parse.tags[one] for one in (verb, *tree.children(verb, "aux", "cop"))}
        acts = tags & {"VBP", "MD"} and not tags & {"VBD", "VBG"} and not tree.below[noun]
        suits = [tree.lower[one] for one in tree.below[noun]] == ["for"]
        if (label == "nsubj" and acts) or (
            label == "nmod" and suits and edit.target.text in _EVERYBODY
        ):
            said = f"\u201c{tree.parse.words[noun]}\u201d speaks of a gender in general"
            return f"{said}, \u201c{edit.target.text}\u201d of everybody"
    return ""


def _of_place(tree: SentenceTree, span: Span) -> str:
    """Return the preposition that says where somebody sits: "from her wheelchair"."""
    head = tree.word_at(span)
    cases = tree.children(head, "case") if head is not None else []
    if head is not None and tree.lower[tree.parse.heads[head]].startswith(_NEEDING):
        return ""
    return next((tree.parse.words[c] for c in cases if tree.lower[c] in _WHERE), "")


def _be(tree: SentenceTree, span: Span) -> str:
    """Return the form of *be* of which a phrase is the predicate: "is often ill or on crutches"."""
    head = tree.word_at(span)
    if head is None:
        return ""
    before = tree.tokens_at(span)[0] - 1
    while before > 0 and tree.parse.tags[before] == "RB":
        before -= 1
    if before >= 0 and tree.lower[before] in _BE:
        return tree.parse.words[before]
    joined = tree.parse.labels[head] == "conj" and not tree.children(head, "nsubj")
    cop = tree.children(tree.parse.heads[head] if joined else head, "cop")
    return tree.parse.words[cop[0]] if cop else ""
