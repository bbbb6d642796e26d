"""Given names change everywhere or nowhere: compounds, initials, capitals, namesakes."""

from __future__ import annotations

import re

import pytest

from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.given_names import GivenNames
from hinter_core.mutation.plan import make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.mutation.whole_names import with_whole_names
from hinter_core.terms.dictionary import choose, load_shipped
from hinter_core.terms.names import BOTH, name_usage
from hinter_core.types import Entity, Mention, MentionKind

_NEW = r"(?P<new>[^\W\d_]+)"
_AGAIN = "(?P=new)"


def variants(text: str, change: str, parses: ParseStore) -> list[str]:
    source, target = change.split(" > ")
    plan = make_plan(text, choose(["gender"], load_shipped()), Settings(1), parses)
    return [
        plan.mutant([edit]).text
        for edit in plan.edits.get("gender", ())
        if (edit.source.text, edit.target.text) == (source, target)
    ]


@pytest.mark.parametrize(
    ("text", "change", "expected"),
    [
        # A longer name than a person's stays; a day is no name.
        (
            "Anna Keller is an actress. The Anna Keller Middle School is new.",
            "actress > actor",
            "NEW Keller is an actor. The Anna Keller Middle School is new.",
        ),
        (
            "Anna Keller Wins Prize. She thanked us, and Anna smiled.",
            "she > he",
            "NEW Keller Wins Prize. He thanked us, and AGAIN smiled.",
        ),
        # Firms, prizes and figures of speech have names of people, and are none.
        (
            "John Baker Motors let John, an actor, drive a Tom Hill Holdings van.",
            "actor > actress",
            "John Baker Motors let NEW, an actress, drive a Tom Hill Holdings van.",
        ),
        (
            "Thomas, a waiter of Hill & Thomas, is a doubting Thomas.",
            "waiter > waitress",
            "NEW, a waitress of Hill & Thomas, is a doubting Thomas.",
        ),
        (
            "Anna & Tom wrote to Miller & Sons. Tom is an actor.",
            "actor > actress",
            "Anna & NEW wrote to Miller & Sons. AGAIN is an actress.",
        ),
        (
            "On Monday Anna Keller, an actress, left.",
            "actress > actor",
            "On Monday NEW Keller, an actor, left.",
        ),
        # A single name behind a title is a surname, also where many bear it as a given one.
        (
            "Mr. Omar is a teacher. He likes tea, and Omar smiled.",
            "Mr. > Ms.",
            "Ms. Omar is a teacher. She likes tea, and Omar smiled.",
        ),
        (
            "Uncle Omar is a teacher. He likes tea, and Omar smiled.",
            "uncle > aunt",
            "Aunt NEW is a teacher. She likes tea, and AGAIN smiled.",
        ),
        # Names with a hyphen, also where the parts say another gender alone.
        (
            "Jean-Luc Petit is an actor. Jean-Luc lives in Lyon with his dog.",
            "actor > actress",
            "NEW Petit is an actress. AGAIN lives in Lyon with her dog.",
        ),
        (
            "Hans-Peter Moser was a tall man. His wife loved Hans-Peter.",
            "man > woman",
            "NEW Moser was a tall woman. Her wife loved AGAIN.",
        ),
        (
            "Ann-Kathrin Moss, an actress, left. Ann-Kathrin's hat is red.",
            "actress > actor",
            "NEW Moss, an actor, left. AGAIN's hat is red.",
        ),
        (
            "Eva-Maria Roth is an actress. Eva loves her hat.",
            "actress > actor",
            "NEW Roth is an actor. AGAIN loves his hat.",
        ),
        (
            "JEAN-MARC DUVAL, AN ACTOR, SAID THAT HE WAS TIRED.",
            "actor > actress",
            "NEW DUVAL, AN ACTRESS, SAID THAT SHE WAS TIRED.",
        ),
        # Two given names, with and without the surname.
        (
            "Betty Sue Marsh is a woman from Ohio. Betty Sue loves her dog.",
            "woman > man",
            r"NEW (?P<two>\w+) Marsh is a man from Ohio. AGAIN (?P=two) loves his dog.",
        ),
        (
            "Dr. Karl Otto Berg was a tall man. Karl Otto was glad. He left.",
            "man > woman",
            r"Dr. NEW (?P<two>\w+) Berg was a tall woman. AGAIN (?P=two) was glad. She left.",
        ),
        (
            "Mary Ann is a woman who sings.",
            "woman > man",
            r"(?!Mary)NEW (?!Ann)\w+ is a man who sings.",
        ),
        (
            "The actor Jean Michel Roux left. He laughed.",
            "actor > actress",
            r"The actress NEW (?!Michel)\w+ Roux left. She laughed.",
        ),
        # Surnames and initials stay.
        (
            "J. R. Hale is an actor. J.R. loves his hat.",
            "actor > actress",
            "J. R. Hale is an actress. J.R. loves her hat.",
        ),
        (
            "Owen D'Arcy was a tall man. D'Arcy loved his dog.",
            "man > woman",
            "NEW D'Arcy was a tall woman. D'Arcy loved her dog.",
        ),
        (
            "Mohammed al-Amin is an actor. Al-Amin said he was glad.",
            "actor > actress",
            "NEW al-Amin is an actress. Al-Amin said she was glad.",
        ),
        (
            'Walter "Slim" Benton was a tall man. Slim loved his dog.',
            "man > woman",
            'NEW "Slim" Benton was a tall woman. Slim loved her dog.',
        ),
        # Possessives of names in -s.
        (
            "Lewis' wife left. Lewis is an actor.",
            "actor > actress",
            r"NEW'(s|(?<=s')) wife left. AGAIN is an actress.",
        ),
        (
            "Anna Moss met Anna Reed. Moss, who laughed, is an actress.",
            "actress > actor",
            "NEW Moss met Anna Reed. Moss, who laughed, is an actor.",
        ),
    ],
)
def test_a_name_changes_in_all_its_forms(
    text: str, change: str, expected: str, parses: ParseStore
) -> None:
    (mutant,) = variants(text, change, parses)
    pattern = expected.replace("NEW", _NEW).replace("AGAIN", _AGAIN)
    match = re.fullmatch(pattern, mutant)
    assert match, mutant
    assert match.groupdict().get("new") not in text.split()


@pytest.mark.parametrize(
    ("name", "says"),
    [("Murat", "female"), ("Aylin", "male"), ("Goran", "female"), ("J\u00fcrgen", "female"),
     ("Thandiwe", "male"), ("Ngozi", "male"), ("Priyanka", "male"), ("Siobhan", "male")],
)  # fmt: skip
def test_a_name_changes_to_one_of_its_origin(name: str, says: str, parses: ParseStore) -> None:
    usage, change = name_usage(), "man > woman" if says == "female" else "woman > man"
    (mutant,) = variants(f"{name} is a kind {change.split()[0]}.", change, parses)
    new = mutant.split()[0]
    assert new != name
    assert (usage.country(new), usage.gender(new)) == (usage.country(name), says)


def test_a_name_of_no_list_stays_if_no_surname_tells_its_origin(parses: ParseStore) -> None:
    text = "Zebadon Pugh, a man from Barry, sang."
    for change in ("man > non-binary person", "man > woman", "man > trans man"):
        assert all("Zebadon" in mutant for mutant in variants(text, change, parses))
    (mutant,) = variants("Zebadon Yilmaz is a man.", "man > woman", parses)
    assert name_usage().country(mutant.split()[0]) == "turkey"


def test_namesakes_with_a_hyphen_are_two(parses: ParseStore) -> None:
    text = "Jean-Luc Roux is an actor. Roux wrote to Jean-Luc Petit."
    (mutant,) = variants(text, "actor > actress", parses)
    assert re.fullmatch(r"\w+ Roux is an actress. Roux wrote to Jean-Luc Petit.", mutant)


def named(*spans: tuple[str, str], text: str) -> Entity:
    """Return a person whose mentions are phrases of a text, each with its head."""
    mentions = []
    for phrase, head in spans:
        at = text.rindex(phrase)
        start = at + phrase.index(head)
        mention = Mention((at, at + len(phrase)), (start, start + len(head)), MentionKind.NAME)
        mentions.append(mention)
    return Entity(tuple(mentions), person=True, gender="female", plural=False)


@pytest.mark.parametrize(
    ("text", "own", "other"),
    [
        ("Anna Moss met Anna Reed.", "Anna Moss", "Anna Reed"),
        ("Eva Lind-Holm met Eva Lind.", "Eva Lind-Holm", "Eva Lind"),
        ("EVA LIND MET EVA BERG.", "EVA LIND", "EVA BERG"),
    ],
)
def test_a_namesake_with_the_surname_as_head_stays(text: str, own: str, other: str) -> None:
    surname = other.split()[-1]
    head = own.split()[-1].split("-")[-1]
    people = [named((own, head), text=text), named((other, surname), text=text)]
    whole = with_whole_names(text, people)
    renaming = GivenNames(text, whole).renamed([0], "male")
    assert not renaming.reason
    start = text.index(own)
    assert list(renaming.texts) == [(start, start + len(own.split()[0]))]


def test_a_junior_becomes_no_woman(parses: ParseStore) -> None:
    text = "Frank Miller Jr. is an actor. He sings."
    plan = make_plan(text, choose(["gender"], load_shipped()), Settings(1), parses)
    assert "gender" not in plan.edits
    assert {rejected.reason for rejected in plan.refused} == {"a name with Jr or Sr is a man's"}


def test_it_is_open_who_is_meant() -> None:
    text = "Anna Moss met Anna Reed. Anna laughed."
    people = [named((name, name), text=text) for name in ("Anna Moss", "Anna Reed")]
    renaming = GivenNames(text, people).renamed([0], "male")
    assert renaming.reason == "it is open who is meant by \u201cAnna\u201d"


@pytest.mark.parametrize(
    ("name", "gender"),
    [("Jean-Luc", "male"), ("JEAN-PIERRE", "male"), ("Marie-Luise", "female"), ("al-Amin", ""),
     ("Mary-Kate", "female"), ("Jean", "female"), ("Alex", BOTH), ("Xyzzy-Plugh", "")],
)  # fmt: skip
def test_names_of_two_parts_have_a_gender(name: str, gender: str) -> None:
    assert name_usage().gender(name) == gender


def test_a_name_without_a_word_is_left_alone() -> None:
    text = "Agent 007 and Anna left."
    spans = [(text.index(name), text.index(name) + len(name)) for name in ("007", "Anna")]
    people = [Entity((Mention(s, s, MentionKind.NAME),), True, "", False) for s in spans]
    assert [one.mentions[0].head for one in with_whole_names(text, people)] == spans
