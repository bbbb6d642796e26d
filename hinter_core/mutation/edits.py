"""Mutation: edits as spans on the source, applied at once.

A substitution adapts case, a/an and possessive plurals. Edits of other kinds give their texts
verbatim; a/an before them and capitals after a deletion follow from the whole mutant. Overlapping
edits make no mutant, nor do two insertions of one attribute at one place; those of several stand in
the order of English adjectives.

Departure: Algorithm 1 (lines 13-17) replaces text twice, so the second replacement may touch words
of the first ("British waiter" -> "Pakistani waiter" -> ...). Spans on the source cannot. The effect
of an edit on the text never depends on other edits, so the sub-mutants of a mutant are exactly the
subsets of its edits. Where one word says two attributes (a name: gender and origin), the edit of
one knows the word for both (``Change.joint``).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from hinter_core.errors import HinterError
from hinter_core.language.reading.view import ODD_APOSTROPHES, reading, restyled
from hinter_core.language.sentences import sentence_at, sentences_of
from hinter_core.terms.senses.lexicon import capitalised
from hinter_core.types import (
    Change,
    Edit,
    EditKind,
    GrammaticalForm,
    Mutant,
    Occurrence,
    Pair,
    Span,
    Splice,
    Term,
)

_BLANK = r"(?:\s|&(?:nbsp|\#160|\#xa0);|</?[a-z]{1,6}>)"
_LOUD = re.compile(r"[A-Z]{2,}\s$")  # "HE IS A", not "the BBC. A"
_ARTICLE = re.compile(rf"\b([Aa][Nn]?|AN)({_BLANK}+)$", re.IGNORECASE)
# A lone apostrophe after a plural; one that closes a quotation is followed by no word.
# People type other signs for it, too, and HTML has references.
_MARK = rf"(?:['\u2019{ODD_APOSTROPHES}]|&(?:amp;)*+(?:\#0*39|\#x0*27|\#8217|\#x2019|apos|rsquo);)"
_POSSESSIVE = re.compile(rf"({_MARK})([sS]\b|(?=\s+\w))", re.IGNORECASE)
_FIRST_WORD = re.compile(r"\w+")
_CAPITAL = re.compile(r"\b[A-Z]\w+")
# Spelt with a vowel, spoken with a consonant, and the other way round.
_CONSONANT_SOUND = re.compile(
    r"(?:uni(?!n|m|dentif)|u[bkt][aeiou]|us[aeiu]|ukr|ugand|uro|urug|eu|ewe|one\b|once|ouija|u\b)",
    re.IGNORECASE,
)
_VOWEL_SOUND = re.compile(r"(?:hour|honest|hono[u]?r|heir)", re.IGNORECASE)
_VOWEL_NUMBER = re.compile(r"8|1[18](?!\d)")  # eight, eleven, eighteen
COLOURS = frozenset({"black", "white", "brown"})
# Adjectives before a noun, by attribute: "a tall young deaf Black Muslim male nurse". Gender stands
# last: so it does in 41 of 49 such pairs ("American female ...") of IMDB's 50,000 reviews.
ADJECTIVE_ORDER = (
    "body", "socio-economic-status", "age", "disability", "marital-status", "sexual-orientation",
    "political-views", "migration", "language", "race", "nationality", "religion", "gender",
)  # fmt: skip
_RANKS = {attribute: rank for rank, attribute in enumerate(ADJECTIVE_ORDER)}
OVERLAP = "two of its words overlap"  # why an edit is not made
_ALONG = 12  # pairs of words that change with others, as they are listed
_BEFORE = 24  # characters in which an article stands before a word
_NEAR = 40  # characters in which the next word begins
_LETTERS_SPOKEN_WITH_VOWEL = frozenset("AEFHILMNORSX")


class OverlapError(HinterError):
    """Two edits touch the same characters."""


def article_for(word: str) -> str:
    """Return ``"an"`` or ``"a"``, by the sound that ``word`` begins with."""
    if len(word) > 1 and word.isupper() and len(word) <= 5 and not word.isdigit():
        return "an" if word[0] in _LETTERS_SPOKEN_WITH_VOWEL else "a"
    if word[:1].isdigit():
        return "an" if _VOWEL_NUMBER.match(word) else "a"
    if _CONSONANT_SOUND.match(word):
        return "a"
    if _VOWEL_SOUND.match(word):
        return "an"
    return "an" if word[:1].lower() in tuple("aeiou") else "a"


def carry_case(
    surface: str, source: str, target: str, starts_sentence: bool, all_lower: bool = False
) -> str:
    """Write ``target`` in the case in which the text wrote ``source`` as ``surface``.

    A proper adjective is written in lower case where the text so wrote the one before ("a chinese
    man"), or ``all_lower``: it has no capital at all. Colours have a small letter in any text ("a
    black man" in running text becomes "an Asian man").
    """
    if surface.isupper() and sum(c.isalpha() for c in surface) > 1 and not source.isupper():
        return target.upper()
    words = surface.split()
    if len(words) > 1 and all(w[:1].isupper() for w in words) and not source[:1].isupper():
        return " ".join(w[:1].upper() + w[1:] for w in target.split(" "))
    if surface[:1].isupper() and (starts_sentence or source[:1].islower()):
        return target[:1].upper() + target[1:]
    lower = surface.islower() and source[:1].isupper() and surface not in COLOURS
    return target.lower() if all_lower or lower else target


def splices_of(text: str, edit: Edit) -> tuple[Splice, ...]:
    """Return the replacements of ``edit`` in ``text``, adapted articles included.

    ``at`` is not yet known (0); :func:`assemble` sets it.
    """
    change = edit.change
    if isinstance(change, Change):
        return tuple(
            Splice(start, end, text[start:end], new, 0, change.attribute)
            for (start, end), new in zip(edit.spans, change.texts, strict=True)
        )
    splices: list[Splice] = []
    source, target = change.source.text, change.target.text
    all_lower, sentences = _in_small_letters(text), sentences_of(text)
    for start, end in edit.spans:
        surface, sentence = text[start:end], sentence_at(sentences, start)
        first = not _FIRST_WORD.search(text, sentence.start if sentence else 0, start)
        plain = surface if surface.isascii() else reading(surface).text
        new = restyled(surface, plain, carry_case(plain, source, target, first, all_lower))
        # As the dictionary writes the terms, so that "WOMAN" is no acronym.
        article = _adapted_article(text, start, source, target)
        if article:
            splices.append(article)
        splices.append(Splice(start, end, surface, new, 0, edit.attribute))
        if edit.source.form is GrammaticalForm.NOUN_PL:
            splices += _adapted_possessive(text, end, surface, new)
    return tuple(splices)


@lru_cache(maxsize=64)
def _in_small_letters(text: str) -> bool:
    """Whether a text begins its sentences in lower case and writes no people with a capital."""
    if text.islower():
        return True
    first = (_FIRST_WORD.search(sentence.text) for sentence in sentences_of(text))
    small = all(word is None or word[0][0].islower() for word in first)
    words = (word.casefold() for word in _CAPITAL.findall(text))
    return small and capitalised().isdisjoint(words)


def verbatim(text: str, edit: Edit) -> Edit:
    """Return an exchange of the terms alone: articles and possessives beside them stay.

    So do line 5 of Algorithm 2 and lines 13-17 of Algorithm 1. Departure: the published script
    works on a text in lower case; a term is written here as the text wrote the one before.
    """
    return with_texts(edit, texts_of(s for s in splices_of(text, edit) if s.attribute))


def texts_of(splices: Iterable[Splice]) -> dict[Span, str]:
    """Return what splices put in which places."""
    return {(splice.start, splice.end): splice.new for splice in splices}


def rewritten(text: str, edit: Edit, new: Mapping[Span, str]) -> Edit | None:
    """Return an edit of the same terms with these texts; None if what it changes overlaps."""
    made = with_texts(edit, new)
    return None if splices_overlap(splices_of(text, made)) else made


def with_texts(edit: Edit, new: Mapping[Span, str]) -> Edit:
    """Return an edit of the same terms that puts these texts in these places, and no more."""
    return substitution(edit.attribute, edit.source, edit.target, new)


def substitution(attribute: str, source: Term, target: Term, new: Mapping[Span, str]) -> Edit:
    """Return an exchange of two terms that puts these texts in these places, and no more."""
    spans = tuple(sorted(new))
    texts = tuple(new[span] for span in spans)
    return Edit(Change(EditKind.SUBSTITUTE, attribute, source, target, texts), spans)


def _adapted_possessive(text: str, end: int, old: str, new: str) -> Iterator[Splice]:
    """Yield the change of a possessive plural: the boys' coats, the men's coats."""
    match = _POSSESSIVE.match(text, end)
    if match is None or old[-1:].lower() == "s" == new[-1:].lower():
        return
    mark, after = match.groups()
    if new[-1:].lower() == "s" and after:
        yield Splice(end, match.end(), mark + after, mark, 0)
    elif old[-1:].lower() == "s" and not after:
        yield Splice(end, match.end(), mark, mark + ("S" if new.isupper() else "s"), 0)


def _adapted_article(text: str, start: int, old: str, new: str) -> Splice | None:
    match = _ARTICLE.search(text, max(0, start - _BEFORE), start)
    old_word, new_word = _FIRST_WORD.search(old), _FIRST_WORD.search(new)
    if not (match and old_word and new_word):
        return None
    return _article(text, match.span(1), old_word.group(), new_word.group())


def own_places(text: str, edit: Edit) -> tuple[Span, ...]:
    """Return where an edit changes its own term, not other words of the same person."""
    source = edit.source.text.lower()
    if len(edit.spans) == 1:
        return edit.spans
    return tuple(s for s in edit.spans if reading(text[slice(*s)]).text.lower() == source)


def splices_together(edits: Sequence[Edit], of: Callable[[Edit], Sequence[Splice]]) -> list[Splice]:
    """Return the splices of several edits; ``of`` gives those of each alone.

    Where two edits change one place and one of them knows the text for both, that text stands.
    """
    joint = [edit for edit in edits if isinstance(edit.change, Change) and edit.change.joint]
    if not joint or len(edits) < 2:
        return [splice for edit in edits for splice in of(edit)]
    by_edit = {edit: {(s.start, s.end): s for s in of(edit)} for edit in edits}
    for edit in joint:
        texts = dict(edit.change.joint) if isinstance(edit.change, Change) else {}
        for other in edits:
            if (
                other is edit
                or other.target.text not in texts
                or by_edit[other].keys().isdisjoint(edit.spans)
            ):
                continue
            for span, new in zip(edit.spans, texts[other.target.text], strict=True):
                by_edit[other].pop(span, None)
                by_edit[edit][span] = replace(by_edit[edit][span], new=new)
    return [splice for splices in by_edit.values() for splice in splices.values()]


def as_written(edits: Sequence[Edit]) -> list[Edit]:
    """Return the edits of a mutant, each with the name that stands there if it says two of them."""
    shown = list(edits)
    for number, edit in enumerate(edits):
        joint = dict(edit.change.joint) if isinstance(edit.change, Change) else {}
        for other in edits:
            if other is not edit and other.target.text in joint:
                both = dict(zip(edit.spans, joint[other.target.text], strict=True))
                shown = [_with_name(one, both) for one in shown]
                whole = shown[number].target.text
                shown = [
                    _named(one, whole) if one.source.text == edit.source.text else one
                    for one in shown
                ]
    return shown


def changes_in_words(edits: Sequence[Edit]) -> str:
    """Name the words that name each edit: ``black \u2192 white, man \u2192 woman``."""
    return ", ".join(edit.in_words for edit in as_written(edits))


def along_in_words(mutant: Mutant) -> str:
    """Name the words that change along with those that name the edits: ``he \u2192 she``.

    Each pair once, and no more than :data:`_ALONG`; no articles. A person's mutant has none.
    """
    known = {
        (edit.source.text.casefold(), edit.target.text.casefold())
        for edit in (*mutant.edits, *as_written(mutant.edits))
    }
    pairs: dict[tuple[str, str], str] = {}
    for splice in mutant.splices if all(edit.spans for edit in mutant.edits) else ():
        old, new = splice.old.strip(), splice.new.strip()
        key = (old.casefold(), new.casefold())
        if old and new and key not in known and not {*key} <= {"a", "an"}:
            pairs.setdefault(key, f"{old} \u2192 {new}")
    listed = list(pairs.values())
    return ", ".join(listed[:_ALONG] + ["\u2026"] * (len(listed) > _ALONG))


def _with_name(edit: Edit, names: Mapping[Span, str]) -> Edit:
    """Return an edit whose target has the names that stand in these places."""
    texts = edit.change.texts if isinstance(edit.change, Change) else ()
    new: dict[str, str] = {}
    for span, text in zip(edit.spans, texts, strict=False):  # a person's mutant has no texts
        new |= zip(text.lower().split(), names.get(span, "").split(), strict=False)
    said = re.sub(r"[^\s,]+", lambda word: new.get(word[0].lower(), word[0]), edit.target.text)
    return _named(edit, said)


def _named(edit: Edit, name: str) -> Edit:
    if edit.target.text == name:
        return edit
    return replace(edit, change=replace(edit.change, target=replace(edit.target, text=name)))


def splices_overlap(splices: Iterable[Splice]) -> bool:
    """Whether two of the splices share a character, or insert at one place for one attribute."""
    ordered = sorted(map(_place, splices))
    return any(right[0] < left[1] or right == left for left, right in pairwise(ordered))


def _place(splice: Splice) -> tuple[int, int, int, str]:
    attribute = splice.attribute if splice.start == splice.end else ""
    return splice.start, splice.end, adjective_rank(attribute), attribute


def adjective_rank(attribute: str) -> int:
    """Return where an attribute's adjective stands before a noun; an unknown one before gender."""
    return _RANKS.get(attribute, len(_RANKS) - 2)


def combined(
    text: str, edits: Sequence[Edit], of: Callable[[Edit], Sequence[Splice]]
) -> list[Splice]:
    """Return the splices of several edits, with articles and capitals that suit all of them."""
    together = splices_together(edits, of)
    if all(edit.change.kind is EditKind.SUBSTITUTE for edit in edits):
        return together  # each word has its place, so each edit adapts its own
    together = [s for s in together if s.attribute or not _ARTICLE.match(f"{s.old} ")]
    together = _stopped_once(_deleted_once(text, sorted(together, key=_place)))
    together = _capitals(text, together)
    return together + list(_articles(text, together))


def _deleted_once(text: str, splices: Sequence[Splice]) -> list[Splice]:
    """Drop deletions of the same comma by two edits, and one of two blanks that meet."""
    splices_left: list[Splice] = []
    start = -1  # of the words deleted in a row
    for splice in splices:
        last = splices_left[-1] if splices_left else None
        if (
            last is not None
            and not (last.new or splice.new)
            and ((last.start, last.end) == (splice.start, splice.end) != (splice.end, splice.end))
            and not any(map(str.isalpha, splice.old))  # a word has one edit: they overlap
        ):
            continue
        row = last is not None and last.end == splice.start and not last.new
        start = start if row else splice.start
        splices_left.append(splice)
        rest = text[splice.end : splice.end + 1]
        if not splice.new and start and text[start - 1].isspace() and rest == " ":
            splices_left.append(Splice(splice.end, splice.end + 1, rest, "", 0))
    return splices_left


def _stopped_once(splices: Sequence[Splice]) -> list[Splice]:
    """Let one of several sentences that are appended bring the full stop before them."""
    once = list(splices)
    for number, (one, other) in enumerate(pairwise(splices), 1):
        if one.start == other.start == other.end and one.new.startswith(". "):
            once[number] = replace(other, new=other.new.removeprefix("."))
    return once


def _capitals(text: str, splices: Sequence[Splice]) -> list[Splice]:
    """Begin a sentence with a capital again if its first word is deleted."""
    capitalised = list(splices)
    for number, splice in enumerate(splices):
        before = text[: splice.start].rstrip()[-1:]
        if (
            splice.new
            or splice.start == splice.end
            or before not in ("", *".!?")
            or (not splice.old[:1].isupper())
        ):
            continue
        following = next((s for s in splices[number + 1 :] if s.start == splice.end), None)
        if following is not None and following.new:
            new = following.new[:1].upper() + following.new[1:]
            capitalised[number + 1] = replace(following, new=new)
        elif text[splice.end : splice.end + 1].islower():
            first = text[splice.end]
            capitalised.append(Splice(splice.end, splice.end + 1, first, first.upper(), 0))
    return capitalised


def _articles(text: str, splices: Sequence[Splice]) -> Iterator[Splice]:
    """Yield the articles before splices that no longer suit the next word."""
    ordered = sorted(splices, key=_place)
    seen: set[int] = set()
    for number, splice in enumerate(ordered):
        match = _ARTICLE.search(text, max(0, splice.start - _BEFORE), splice.start)
        if match is None or match.start() in seen:
            continue
        seen.add(match.start())
        begin, end = match.span(1)
        if any(s.start < end and s.end > begin for s in ordered):
            continue
        new, at = "", splice.start
        for later in ordered[number:]:
            if _FIRST_WORD.search(new):
                break
            new, at = new + text[at : later.start] + later.new, later.end
        old_word = _FIRST_WORD.search(text, splice.start)
        new_word = _FIRST_WORD.search(new + text[at : at + _NEAR])
        if old_word is None or new_word is None:
            continue
        if change := _article(text, (begin, end), old_word.group(), new_word.group()):
            yield change


def _article(text: str, span: Span, old_word: str, new_word: str) -> Splice | None:
    """Return the change of an article, in the case of the one there; None if that may stay.

    Only if the sound changes: an article that was wrong before stays.
    """
    article, needed = text[slice(*span)], article_for(new_word)
    if article_for(old_word) == needed or article.lower() == needed:
        return None
    if article.isupper() and (len(article) > 1 or _LOUD.search(text[: span[0]])):
        needed = needed.upper()
    elif article[0].isupper():
        needed = needed.capitalize()
    return Splice(*span, article, needed, 0)


def assemble(text: str, edits: Sequence[Edit], splices: Iterable[Splice]) -> Mutant:
    """Make the mutant of ``text`` with the splices of its edits (see :func:`splices_of`).

    Raises:
        OverlapError: two splices touch the same characters, or insert at one place for one
            attribute.
    """
    pieces: list[str] = []
    placed: list[Splice] = []
    position = length = 0
    previous = None
    for splice in sorted(splices, key=_place):
        if splice.start < position or _place(splice) == previous:
            raise OverlapError(f"Two edits overlap at character {splice.start}.")
        previous = _place(splice)
        kept = text[position : splice.start]
        at = length + len(kept)
        pieces += (kept, splice.new)
        old, new, attribute = splice.old, splice.new, splice.attribute
        placed.append(Splice(splice.start, splice.end, old, new, at, attribute))
        length = at + len(splice.new)
        position = splice.end
    pieces.append(text[position:])
    edits = tuple(sorted(edits, key=lambda e: e.key))
    return Mutant(edits, "".join(pieces), tuple(placed))


def apply_edits(text: str, edits: Sequence[Edit]) -> Mutant:
    """Apply ``edits`` to ``text`` at once.

    Raises:
        OverlapError: two edits touch the same characters.
    """
    return assemble(text, edits, combined(text, edits, lambda e: splices_of(text, e)))


def difference(source: str, mutant: str) -> Splice:
    """Return everything that differs between two texts, as one replacement of whole words."""
    begin, end = common_ends(source, mutant)
    while _inside_word(source, begin) or _inside_word(mutant, begin):
        begin -= 1
    while _inside_word(source, len(source) - end) or _inside_word(mutant, len(mutant) - end):
        end -= 1
    stop = len(source) - end
    return Splice(begin, stop, source[begin:stop], mutant[begin : len(mutant) - end], begin)


def common_ends(first: Sequence[str], second: Sequence[str]) -> tuple[int, int]:
    """Count the letters, or words, that both begin with, and that both end with after these."""
    begin = _common_prefix(first, second)
    return begin, _common_prefix(first[begin:][::-1], second[begin:][::-1])


def _common_prefix(first: Sequence[str], second: Sequence[str]) -> int:
    pairs = enumerate(zip(first, second, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(first), len(second)))


def _inside_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and not any(map(str.isspace, text[place - 1 : place + 1]))


def handwritten_mutant(source: str, text: str, edits: Sequence[Edit]) -> Mutant:
    """Make the mutant of a text that a person wrote; its edits have no spans."""
    return Mutant(tuple(edits), text, (difference(source, text),))


def mutant_of(source: str, edits: Sequence[Edit], text: str | None = None) -> Mutant:
    """Make a mutant as a campaign stores it: with a ``text`` by hand, or by its edits."""
    if text is not None:
        return handwritten_mutant(source, text, edits)
    return apply_edits(source, edits)


def edits_for(
    occurrences: Iterable[Occurrence], pairs_of: Mapping[str, Mapping[Term, tuple[Pair, ...]]]
) -> dict[str, list[Edit]]:
    """Return all edits by attribute: each pair, applied to all occurrences of its source term."""
    spans: dict[tuple[str, Term], list[Span]] = {}
    for occurrence in occurrences:
        for term in occurrence.terms:
            spans.setdefault((occurrence.attribute, term), []).append(occurrence.span)
    edits: dict[str, list[Edit]] = {}
    seen: set[tuple[str, str, tuple[Span, ...]]] = set()
    for (attribute, term), where in spans.items():
        for pair in pairs_of[attribute].get(term, ()):
            # Two readings of one word ("her") may give the same replacement: it is one edit.
            key = (attribute, pair.target.text, tuple(where))
            if key not in seen:
                seen.add(key)
                edits.setdefault(attribute, []).append(Edit(pair, tuple(where)))
    return edits
