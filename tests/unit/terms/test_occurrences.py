"""Terms in texts as people write them: which are changed, which are not, and how even that is."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest

from hinter_core.errors import InputError
from hinter_core.language.parsing import ParseStore
from hinter_core.language.sentences import split_sentences
from hinter_core.mutation.edits import apply_edits
from hinter_core.mutation.plan import Plan, make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.relations.base import Compared
from hinter_core.relations.wording import broken
from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.matching import matcher_for
from hinter_core.terms.occurrences import find_occurrences
from hinter_core.terms.senses.lexicon import expressions
from hinter_core.types import Edit
from tests.examples import DEEP

ATTRIBUTES = ("gender", "race", "religion", "disability", "sexual-orientation", "nationality")


def plan_of(text: str, shipped: dict[str, Dictionary], parses: ParseStore, **more: bool) -> Plan:
    return make_plan(text, [shipped[a] for a in ATTRIBUTES], Settings(**more), parses)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        # capitals
        ("A Blind pianist and an Agnostic girl met.", "Blind Agnostic girl"),
        ("My neighbour is Gay and his nephew is Disabled.", "Gay his nephew Disabled"),
        ("THAT ASIAN GIRL IS A GENIUS", "ASIAN GIRL"),
        ("Why do they pay WOMEN less?", "WOMEN"),
        # references, apostrophes, emoji, styles
        ("the widow&#8217;s son&apos;s here", "widow son"),
        ("my aunt\u00b4s hat, her niece`s coat", "aunt her niece"),
        ("a black \U0001f3fe woman met a wi\u200ddow", "black woman wi\u200ddow"),
        ("a \uff47\uff49\uff52\uff4c ran", "\uff47\uff49\uff52\uff4c"),
        # insults, animals, idioms
        ("That bitch hates my sister.", "sister"),
        ("Your uncle eats like a pig, said the nephew.", "uncle nephew"),
        ("He called his wife a cow.", "He his wife"),
        ("Ms. Fox and her brother left.", "Ms. her brother"),
        ("We gave it to a man in grey.", "man"),
        ("A lesbian and a straight man sang.", "lesbian man"),
        ("Some angry young men left.", "men"),
        # nouns, participles, compounds
        ("A white kleptomaniac met a black biophysicist.", "white black"),
        ("An Asian boy singing, two white girls laughing.", "Asian boy white girls"),
        ("A Buddhist-American nun met a half-Chinese monk.", "Buddhist nun Chinese Chinese monk"),
        ("An Afro-American poet spoke.", "Afro-American"),
        ("A deaf snowboarder met a female shipbuilder.", "deaf female"),
        # posts
        ("omg lads on my street waved at us today lol", "lads"),
        ("ugh some bros and homies ate my lunch", "bros homies"),
        ("she black and she so funny", "she black"),
        ("my cousin is sick, shes a waitress", "she waitress"),
        ("my abuela sings with the ppl in wheelchairs", "abuela in\u00a0wheelchairs"),
        ("the white lady next door sings", "white lady"),
        ("They hope that gay men laugh at stereotypes of gay men.", "gay men"),
    ],
)  # fmt: skip
def test_what_people_write_is_changed(
    text: str, words: str, shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    plan = plan_of(text, shipped, parses)
    found = {o.surface for o in plan.occurrences}
    assert {word.replace("\u00a0", " ") for word in words.split(" ")} <= found, [
        r.in_words for r in plan.rejected
    ]
    for one in plan.occurrences:
        assert text[slice(*one.span)] == one.surface


@pytest.mark.parametrize(
    ("text", "word", "why"),
    [
        ("He/she must pay.", "He", "two forms"),
        ("(S)he must pay.", "he", "two forms"),
        ("We want (wo)men here.", "men", "two forms"),
        ("The fe/male staff left.", "male", "two forms"),
        ("Each actor(s) bowed.", "actor", "two forms"),
        ("Ask him/herself.", "him", "two forms"),
        ("Mr/Mrs Poe came.", "Mr", "two forms"),
        ("The Latino/a boy.", "Latino", "two forms"),
        ("The waitress/es left.", "waitress", "two forms"),
        ("The husband/wife signs.", "wife", "two forms"),
        ("The policeman/woman left.", "policeman", "two forms"),
        ("Dear Sir or Madam, hello.", "Madam", "any gender"),
        ("Open it in MS Access.", "MS", "abbreviation"),
        ("I use she/they.", "she", "two forms"),
        ("#BlackGirlMagic is great", "Black", "hashtag"),
        ("#women lead", "women", "hashtag"),
        ("see https://a.example/white-man now", "man", "address"),
        ('<p style="color: black">She left.</p>', "black", "markup"),
        ('<img alt="an old man"> fine', "man", "markup"),
        ("Treasurer, Black Lawyers Association", "Black", "organisation"),
        ("President, Society of Women Engineers; Jack White, Member", "White", "name"),
        ("The Muslim-owned shop is open.", "Muslim", "part of the word"),
    ],
)
def test_what_is_not_changed_has_a_reason(
    text: str, word: str, why: str, shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    plan = plan_of(text, shipped, parses)
    assert word not in {o.surface for o in plan.occurrences}
    reasons = [r.reason for r in plan.rejected if r.occurrence.surface == word]
    assert any(why in reason for reason in reasons), reasons
    for one in plan.rejected:
        assert "\u201d \u201c" not in one.in_words
        assert text[slice(*one.occurrence.span)] == one.occurrence.surface


def test_another_language_is_said_once_and_not_in_literal_mode(
    shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    text = "Man sagt, dass der Mann und die Frau nicht da sind."
    with pytest.raises(InputError, match="German"):
        plan_of(text, shipped, parses)
    assert [o.surface for o in plan_of(text, shipped, parses, literal=True).occurrences]


def test_literal_mode_reads_the_text_as_it_stands(
    shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    plan = plan_of("S/he and the m\uff41n.", shipped, parses, literal=True)
    assert [o.surface for o in plan.occurrences] == ["he"]


def _exchanges(text: str, shipped: dict[str, Dictionary]) -> Sequence[tuple[Dictionary, Edit]]:
    found = []
    for dictionary in shipped.values():
        for one in find_occurrences(text, matcher_for([dictionary]))[0]:
            pairs = [p for term in one.terms for p in dictionary.pairs_from.get(term, ())]
            found += [(dictionary, Edit(pair, (one.span,))) for pair in pairs]
    return found


@pytest.mark.slow
def test_expressions_are_alike_for_both_terms_of_every_pair(
    shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    """A term in an expression is not changed, and no other term is changed into one."""
    phrases = {p for found in expressions().values() for _, p in found}
    asked = 0
    for phrase in sorted(phrases)[:: 1 if DEEP else 18]:
        text = "They saw " + " ".join(phrase).replace(" '", "'").replace(" n't", "n't")
        for _, edit in itertools.islice(_exchanges(text, shipped), 3):
            changed = apply_edits(text, [edit])
            back = [
                e
                for d, e in _exchanges(changed.text, shipped)
                if (d.attribute, e.target) == (edit.attribute, edit.source)
                and e.source == edit.target
                and e.spans[0][0] == edit.spans[0][0]
            ]
            for one in back:
                source = split_sentences(changed.text)
                mutant = apply_edits(changed.text, [one])
                pair = Compared(changed.text, source, mutant, split_sentences(mutant.text), False)
                wanted = {s.text for s in source}
                assert broken(pair, parses.parse(wanted, entities=True)), mutant.text
                asked += 1
    assert asked > (150 if DEEP else 25)
