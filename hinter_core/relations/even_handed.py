"""The even-handed invariant: a term's form is what the dictionaries say, not how it is parsed.

A parser knows some terms better than others. It may take *Danish* for an adjective and *Bengali*
for a name in the same place, and Algorithm 3 then keeps the one and discards the other. Here two
terms of one grammatical form may always replace each other where the source is read in this form:

- Words of the shipped dictionaries have the forms that they have there, whatever a file of pairs
  says. The parse of the source chooses among several ("her"). Two words of different forms never
  conform.
- An unknown word has the form that the user's dictionary gives it, unless its tag in the sentence
  contradicts.
- Words have to go together, too (:mod:`hinter_core.relations.wording`).
- For all other words, and for insertions and the like, the parses decide as published: those of the
  source, and of the source with these edits only.

Departure from HInter, Algorithm 3, which parses all words; the setting ``invariant=published``
does, too.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from hinter_core.language.parsing import ParseStore
from hinter_core.language.sentences import sentence_at
from hinter_core.language.trees import dependents, tokens_at
from hinter_core.relations import invariant, wording
from hinter_core.relations.base import Compared, part_of
from hinter_core.terms.matching import fold
from hinter_core.terms.senses.forms import WITHOUT_S, forms_at, known_forms, tag_allows
from hinter_core.terms.unlisted import is_number
from hinter_core.types import (
    KEPT,
    Conformance,
    Edit,
    EditKind,
    GrammaticalForm,
    Layer,
    Mutant,
    Pair,
    Parse,
    Sentence,
    Span,
    Splice,
    Term,
)

_FORM = GrammaticalForm
_IN_WORDS = {
    _FORM.ADJECTIVE: "an adjective", _FORM.COMPARATIVE: "a comparative",
    _FORM.SUPERLATIVE: "a superlative", _FORM.NOUN_SG: "a singular noun",
    _FORM.NOUN_PL: "a plural noun",
    _FORM.COLLECTIVE: "a word for all of them", _FORM.PRONOUN_SUBJECT: "a subject pronoun",
    _FORM.PRONOUN_OBJECT: "an object pronoun", _FORM.PRONOUN_POSSESSIVE: "a possessive",
    _FORM.PRONOUN_POSSESSIVE_ABSOLUTE: "a possessive that stands alone",
    _FORM.PRONOUN_REFLEXIVE: "a reflexive pronoun", _FORM.TITLE: "a title", _FORM.NAME: "a name",
    _FORM.VERB: "a verb", _FORM.ADVERB: "an adverb", _FORM.PREP_PHRASE: "a phrase",
    _FORM.ANY: "a word of another kind",
}  # fmt: skip
_INFLECTED = frozenset({"VBZ", "VBP"})
_OF_ONE_PERSON = frozenset({"was", "were"})
_NOUN_FOLLOWS = frozenset("NN NNS NNP NNPS JJ JJR JJS CD HYPH POS VBG".split())
_OF_ONE = frozenset("a an another each every one this that VBZ is was has".split())
_OF_SEVERAL = frozenset(
    """two three four five six many several some few most both these those all other VBP are were
    have""".split()
)
_DETERMINERS = frozenset(
    "a an another each every one this that the my your his her our their its".split()
)
# Of a noun: what contradicts it beside it; and what has to stand before it, if anything.
_BY_NUMBER = {
    _FORM.NOUN_SG: (_OF_SEVERAL, _DETERMINERS),
    _FORM.NOUN_PL: (_OF_ONE, frozenset[str]()),
}


class _Opinion(NamedTuple):
    """Whether the forms of both terms agree; ``why`` two known forms do not."""

    agree: bool
    why: str = ""


def check_all(pairs: Sequence[Compared], parses: ParseStore) -> list[Conformance]:
    """Judge mutants; most by the entries alone. Other sentences are parsed in two batches."""
    pairs = [_with_spans(pair) for pair in pairs]
    conformances = {}
    edits_by_pair: dict[int, list[Edit]] = {}
    for number, pair in enumerate(pairs):
        if len(pair.source) != len(pair.sentences):
            conformances[number] = invariant.check(pair.source, pair.sentences, {})
        elif edits := [edit for edit in pair.mutant.edits if not _same_form(edit)]:
            edits_by_pair[number] = edits
    of = {(pairs[n].text, edit): pairs[n] for n, edits in edits_by_pair.items() for edit in edits}
    opinions = _opinions(of, parses)
    rest: dict[int, Compared] = {}
    reasons: dict[int, str] = {}
    for number, edits in edits_by_pair.items():
        pair = pairs[number]
        by_edit = {edit: opinions[pair.text, edit] for edit in edits}
        if left := [edit for edit in edits if not by_edit[edit].agree]:
            rest[number] = part_of(pair, left) if len(left) < pair.mutant.order else pair
            reasons[number] = next((by_edit[edit].why for edit in left if by_edit[edit].why), "")
    parsed = parses.parse(
        text for pair in rest.values() for text in invariant.changed(pair.source, pair.sentences)
    )
    for number, pair in rest.items():
        compared = invariant.check(pair.source, pair.sentences, parsed)
        if compared.kept and reasons[number]:
            compared = _discarded(pair, Layer.POS, reasons[number])
        conformances[number] = compared
    return _worded(pairs, [conformances.get(number, KEPT) for number in range(len(pairs))], parses)


def _worded(
    pairs: Sequence[Compared], conformances: Sequence[Conformance], parses: ParseStore
) -> list[Conformance]:
    """Discard what was kept if its words do not go together."""
    kept = [pair for pair, one in zip(pairs, conformances, strict=True) if one.kept]
    reasons = iter(wording.reasons(kept, parses))
    return [
        _discarded(pair, Layer.WORDING, why) if one.kept and (why := next(reasons)) else one
        for pair, one in zip(pairs, conformances, strict=True)
    ]


def _with_spans(pair: Compared) -> Compared:
    """Return a mutant that a person wrote as exchanges, if it is made of these only."""
    if all(edit.spans for edit in pair.mutant.edits):
        return pair
    return aligned(pair) or pair


def _same_form(edit: Edit) -> bool:
    """Whether the entries alone say that both terms have one form; asked of every mutant."""
    change = edit.change
    if not isinstance(change, Pair) or not edit.spans:
        return change.kind is EditKind.SUBSTITUTE and bool(edit.spans)
    if is_number(change.source) and change.source.concept == change.target.concept:
        return True
    form, source_forms = _declared(edit), known_forms(change.source.text)
    if (
        form not in source_forms
        or form not in known_forms(change.target.text)
        or len(source_forms) > 1
    ):
        return False
    return form is not _FORM.PRONOUN_SUBJECT or _persons_agree(edit)


def _declared(edit: Edit) -> GrammaticalForm | None:
    """Return the form that both entries give; ``any`` says something of equal concepts only."""
    source, target = edit.source, edit.target
    if source.form is not target.form:
        return None
    if source.form is _FORM.ANY and not source.concept == target.concept != "":
        return None
    return source.form


def _opinions(
    of: Mapping[tuple[str, Edit], Compared], parses: ParseStore
) -> dict[tuple[str, Edit], _Opinion]:
    """Judge the edits of texts one by one, each in a mutant that has it."""
    places = {key: list(_places(key[1], pair)) for key, pair in of.items()}
    alone = {
        key: part_of(pair, [key[1]])
        for key, pair in of.items()
        if places[key] and not (known_forms(key[1].source.text) and known_forms(key[1].target.text))
    }
    sentences = [
        sentence.text for parsed_places in places.values() for sentence, _ in parsed_places
    ]
    for pair in alone.values():
        sentences += invariant.changed(pair.source, pair.sentences)
    parsed = parses.parse(sentences)
    opinions = {}
    for key in of:
        edit, parsed_places = key[1], [(parsed[s.text], span) for s, span in places[key]]
        tags = list(_tags(alone[key], parsed)) if key in alone else []
        opinions[key] = _opinion(edit, parsed_places, tags) if parsed_places else _Opinion(False)
    return opinions


def _places(edit: Edit, pair: Compared) -> Iterator[tuple[Sentence, Span]]:
    """Yield the sentences of a substitution's source terms, with the spans in them."""
    for start, end in edit.spans if isinstance(edit.change, Pair) else ():
        sentence = sentence_at(pair.source, start)
        if sentence is not None:
            yield sentence, (start - sentence.start, end - sentence.start)


def _opinion(edit: Edit, places: Sequence[tuple[Parse, Span]], tags: Sequence[str]) -> _Opinion:
    source, target = edit.source.text, edit.target.text
    source_forms, other, declared = known_forms(source), known_forms(target), _declared(edit)
    here = _form_at(places, source_forms, other, declared) if source_forms else declared
    if not source_forms or not other:
        known = source_forms or other
        if (
            declared in (None, _FORM.ANY, _FORM.VERB)
            or here is not declared
            or (known and here not in known)
        ):
            return _Opinion(False)
        return _Opinion(all(tag_allows(declared, tag, target) for tag in tags))
    if here in other and (here is not _FORM.ANY or declared is here):
        if here is _FORM.PRONOUN_SUBJECT and not _persons_agree(edit) and _shows_person(places):
            return _Opinion(False, f"\u201c{target}\u201d does not agree with its verb")
        return _Opinion(True)
    if here in (None, _FORM.ANY):
        return _Opinion(False)
    kind, was = _IN_WORDS[min(other)], _IN_WORDS[here]
    return _Opinion(False, f"\u201c{target}\u201d is {kind} where \u201c{source}\u201d is {was}")


def _form_at(
    places: Sequence[tuple[Parse, Span]],
    forms: frozenset[GrammaticalForm],
    wanted: frozenset[GrammaticalForm],
    declared: GrammaticalForm | None,
) -> GrammaticalForm:
    """Return the form of a word in its sentences: the declared or a wanted one, if that fits."""
    for parse, span in places if len(forms) > 1 else ():
        fitting = forms_at(parse, span, sorted(forms))
        if declared in forms and declared not in fitting and _may_be(parse, span, declared):
            fitting = (declared, *fitting)
        if fitting:
            best = declared if declared is not None and declared in fitting else fitting[0]
            return next((form for form in (best, *fitting) if form in wanted), best)
    return declared if declared is not None and declared in forms else min(forms)


def _may_be(parse: Parse, span: Span, declared: GrammaticalForm) -> bool:
    """Whether a word of several forms may be the noun that its entry calls it.

    "The Lakota", "offspring" and "newlywed" are of either number, or nouns and adjectives, and a
    tagger guesses. The determiner and the verb may tell.
    """
    tokens = tokens_at(parse, span)
    if declared not in _BY_NUMBER or not tokens:
        return False
    before = fold(parse.words[tokens[0] - 1]) if tokens[0] else ""
    next_one = slice(tokens[-1] + 1, tokens[-1] + 2)
    following = [*parse.tags[next_one], *map(fold, parse.words[next_one])]
    if _NOUN_FOLLOWS.intersection(following):
        return False
    contradicts, needs = _BY_NUMBER[declared]
    return contradicts.isdisjoint((before, *following)) and (not needs or before in needs)


def _persons_agree(edit: Edit) -> bool:
    return (fold(edit.source.text) in WITHOUT_S) is (fold(edit.target.text) in WITHOUT_S)


def _shows_person(places: Sequence[tuple[Parse, Span]]) -> bool:
    """Whether the verb of a subject shows its person."""
    for parse, span in places:
        token = next(i for i, (a, b) in enumerate(parse.spans) if a <= span[0] < b)
        head = parse.heads[token]
        beside = (i for i in dependents(parse, head) if i > token)
        beside = (i for i in beside if parse.labels[i].startswith(("aux", "cop")))
        if any(
            parse.tags[i] in _INFLECTED or parse.words[i].lower() in _OF_ONE_PERSON
            for i in (head, *beside)
        ):
            return True
    return False


def _tags(pair: Compared, parsed: Mapping[str, Parse]) -> Iterator[str]:
    """Yield the tag of the last word of each exchanged term."""
    for splice in pair.mutant.splices:
        sentence = sentence_at(pair.sentences, splice.at) if splice.attribute else None
        if sentence is not None and sentence.text in parsed:
            parse, end = parsed[sentence.text], splice.at + len(splice.new) - sentence.start
            yield [tag for tag, (a, _) in zip(parse.tags, parse.spans, strict=True) if a < end][-1]


def _discarded(pair: Compared, layer: Layer, why: str) -> Conformance:
    both = zip(pair.source, pair.sentences, strict=True)
    number = next((i for i, (left, right) in enumerate(both) if left.text != right.text), -1)
    return Conformance(False, layer, number, (), why)


_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*|[^\w\s]")
_ARTICLES = frozenset({"a", "an"})
_LONGEST = 4  # words of a term

Words = Sequence[tuple[str, Span]]


def aligned(pair: Compared) -> Compared | None:
    """Return the pair with its mutant as exchanges of words; None if it is not one of these only.

    Articles that are adapted belong to no exchange.
    """
    old, new = list(_words(pair.text)), list(_words(pair.mutant.text))
    matcher = SequenceMatcher(a=[w for w, _ in old], b=[w for w, _ in new], autojunk=False)
    splices: list[Splice] = []
    for kind, a1, a2, b1, b2 in matcher.get_opcodes():
        if kind == "equal":
            continue
        both = _exchanges(pair, old[a1:a2], new[b1:b2]) if kind == "replace" else None
        if both is None:
            return None
        for (before, (start, end)), (after, (at, _)) in both:
            adapted = fold(before) in _ARTICLES and fold(after) in _ARTICLES
            splices.append(Splice(start, end, before, after, at, "" if adapted else "by hand"))
    edits = tuple(
        Edit(Pair("by hand", Term(s.old, s.old), Term(s.new, s.new)), ((s.start, s.end),))
        for s in splices
        if s.attribute
    )
    return pair._replace(mutant=Mutant(edits, pair.mutant.text, tuple(splices)))


def _words(text: str) -> Iterator[tuple[str, Span]]:
    for match in _WORD.finditer(text):
        yield match.group(), match.span()


def _exchanges(
    pair: Compared, old: Words, new: Words
) -> list[tuple[tuple[str, Span], tuple[str, Span]]] | None:
    """Pair the terms of two stretches of words; None if their numbers differ."""
    first, second = _terms(pair.text, old), _terms(pair.mutant.text, new)
    if len(first) != len(second):
        if len(old) != len(new):
            return None
        first, second = list(old), list(new)
    return list(zip(first, second, strict=True))


def _terms(text: str, words: Words) -> list[tuple[str, Span]]:
    """Join words that make up a known term."""
    terms: list[tuple[str, Span]] = []
    at = 0
    while at < len(words):
        start = words[at][1][0]
        ends = [span[1] for _, span in words[at : at + _LONGEST]]
        known = [n for n, end in enumerate(ends, 1) if n > 1 and known_forms(text[start:end])]
        length = known[-1] if known else 1
        end = ends[length - 1]
        terms.append((text[start:end], (start, end)))
        at += length
    return terms
