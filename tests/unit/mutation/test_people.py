"""Who is in a text, and of whom a word speaks."""

from __future__ import annotations

import re

import pytest

from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.people import People
from hinter_core.types import Edit, Pair, Span, Term


def place(text: str, word: str) -> Span:
    start = text.index(word)
    return start, start + len(word)


@pytest.mark.parametrize(
    ("text", "word", "other"),
    [
        ("The German landlord kept the deposit.", "German", "landlord"),
        ("The Black tenant, a young woman, paid.", "Black", "woman"),
        ("She is German, and she knows the town.", "German", "She"),
        ("She is not a Muslim.", "Muslim", "She"),
        ("He looks Asian in this light.", "Asian", "He"),
        ("The nurse, who is Jewish, smiled.", "Jewish", "nurse"),
        ("He is a man of Muslim faith.", "Muslim", "man"),
        ("My neighbor is of Irish descent.", "Irish", "neighbor"),
        ("Her Indian accent made the old man smile.", "Indian", "Her"),
        ("As a Muslim woman, she prayed at noon.", "Muslim", "she"),
        ("Being Black, he knew the street.", "Black", "he"),
        ("My friend lives with a disability.", "with a disability", "friend"),
        ("The woman in her forties sang.", "in her forties", "woman"),
        ("We paid the old clerk with a limp.", "with a limp", "clerk"),
        ("Mrs. Lund is an older teacher.", "Mrs.", "teacher"),
        ("The white woman's son met the Black nurse.", "white", "woman"),
        ("The women were Asian.", "Asian", "women"),
        ("The Black artists sold their paintings.", "Black", "their"),
        ("Young men and women danced.", "Young", "women"),
        ("Peter Low is an Irish actor known as Piet Lowell.", "Irish", "Piet"),
        # Nobody else could be meant, or the pronoun stands in the clause of its subject.
        ("The Indian cook was tired. She went home.", "Indian", "She"),
        (
            "The guest met the Indian cook. The Indian cook lost her hat.",
            "Indian",
            "her",
        ),
        ("The tall waitress greeted the Black man before she sat.", "tall", "she"),
        ("The nurse helped a blind man. He was grateful.", "blind", "He"),
        # What the parse takes for a part of something else
        ("This wheelchair-using Hispanic man has a fever.", "wheelchair-using", "Hispanic"),
        ("Mr. Lund is 60. He uses a wheelchair.", "wheelchair", "Mr."),
        ("The Black man has dementia.", "dementia", "Black"),
        # Fields of whom no word stands for
        ("Religion: Muslim\nSex: female", "Muslim", "female"),
        ("Sex: female\nReligion: Sikh\nMarital status: single", "Sikh", "single"),
        # Shorthand of notes
        ("56 yo white male with chest pain.", "56", "white"),
        ("Pt is a 45 y/o Black woman with fever.", "45", "Black"),
        ("60 y.o. Hispanic woman with fever.", "60", "woman"),
        ("34 yo M smoker, Hispanic.", "34", "Hispanic"),
        ("72 y/o F with chest pain.", "72", "F"),
        ("72 y/o male, white, no pain.", "white", "72"),
        ("My son is 5 yo and my daughter is 3 yo.", "daughter", "3"),
        ("Pt is 61yoF, Hispanic.", "F", "Hispanic"),
        ("Patient: John Smith, 45 y/o M, Black.", "M", "John"),
        ("A 70F, Hispanic, c/o dizziness.", "Hispanic", "70"),
        ("45yo M with fever, Hispanic.", "M", "Hispanic"),
        ("Bed 4, 70M, Pakistani gentleman, no pain.", "M", "Pakistani"),
        ("Bed 2: 90 y/o Polish lady, hard of hearing, is calm.", "hard of hearing", "Polish"),
    ],
)
def test_words_of_one_person(text: str, word: str, other: str, parses: ParseStore) -> None:
    people = People(text, parses)
    assert set(people.of_span(place(text, word))) & set(people.of_span(place(text, other)))


@pytest.mark.parametrize(
    ("text", "word", "other"),
    [
        ("The German landlord met a young woman.", "German", "woman"),
        ("The man and his Black wife left.", "man", "Black"),
        ("Her German landlord was rude.", "Her", "German"),
        ("The Black man's daughter sang.", "Black", "daughter"),
        ("The women met two Asian men.", "women", "Asian"),
        ("A young man and an old woman danced.", "young", "woman"),
        ("The Japanese were rude to the old man.", "Japanese", "old"),
        ("She married a Korean.", "She", "Korean"),
        ("The waitress waited with a local.", "waitress", "local"),
        ("She works with the blind.", "She", "blind"),
        ("He sings like a Black woman.", "He", "Black"),
        ("Young men and old women danced.", "Young", "women"),
        ("Women, Muslims, Blacks, gays, the disabled: all are welcome.", "Women", "disabled"),
        ("Mia Low is an Irish actress best known for her role as Ada Reed.", "Irish", "Ada"),
        ("Sam Low is a dancer known for his parts as Piet in two films.", "dancer", "Piet"),
        ("Tom Low starred as Peter Reed, and he sang.", "Tom", "Peter"),
        # The pronoun alone tells a gender, and may mean the other.
        ("The Indian cook quarrelled with the guest until she left.", "Indian", "she"),
        ("The Black lawyer met the judge. Later, she lost.", "Black", "she"),
    ],
)
def test_words_of_two_people(text: str, word: str, other: str, parses: ParseStore) -> None:
    people = People(text, parses)
    one, two = people.of_span(place(text, word)), people.of_span(place(text, other))
    assert one
    assert two
    assert not set(one) & set(two)


def test_where_somebody_is_from_is_no_name_of_theirs(parses: ParseStore) -> None:
    text = "Ahmed Mohamed, a 14-year-old boy from Irving, was at school."
    people = People(text, parses)
    (boy,) = people.of_span(place(text, "boy"))
    assert boy in people.of_span(place(text, "Mohamed"))
    assert all(mention.head != place(text, "Irving") for mention in people.mentions(boy))


def test_an_edit_is_of_everybody_whose_words_it_changes(parses: ParseStore) -> None:
    text = "A Black man and a Black woman came."
    people = People(text, parses)
    first = place(text, "Black")
    second = text.rindex("Black"), text.rindex("Black") + 5
    pair = Pair("race", Term("Black", "b"), Term("white", "w"))
    man, woman = people.of_span(place(text, "man")), people.of_span(place(text, "woman"))
    assert people.of_edit(Edit(pair, (first, second))) == {*man, *woman}
    assert people.of_edit(Edit(pair, (first,))) == set(man)


def test_what_stands_outside_the_text_is_of_nobody(parses: ParseStore) -> None:
    text = "The man left."
    pair = Pair("race", Term("", ""), Term("Black", "b"))
    assert People(text, parses).of_edit(Edit(pair, ((len(text), len(text)),))) == frozenset()
    assert People("", parses).of_span((0, 0)) == ()


def test_a_text_is_resolved_once_and_only_if_asked(parses: ParseStore) -> None:
    before = parses.asked
    people = People("A clerk whom nobody asked about waited. She sat.", parses)
    assert parses.asked == before
    entities = people.entities
    assert people.entities is entities
    asked = parses.asked
    assert asked > before
    assert people.of_span((2, 7)) == people.of_span((2, 7))
    assert parses.asked == asked


@pytest.mark.parametrize(
    ("text", "word", "parts"),
    [
        ("A Black man came, and another Black man left. The Black man who left sang.", "Black",
         [1, 2]),
        ("White people met the Black kids and a Black woman.", "Black", [1, 1]),
        ("Two German nurses helped. A German doctor watched.", "German", [1, 1]),
        ("An old man sat down. The old man smiled.", "old", [2]),
        ("He is a good man, a man of honour.", "man", [2]),
        # Nothing but coreference says that they are two.
        ("The woman at the desk was kind. The woman upstairs was rude.", "woman", [2]),
        ("Every old woman knows the old women.", "old", [2]),
    ],
)  # fmt: skip
def test_an_edit_is_parted_where_its_word_is_surely_of_others(
    text: str, word: str, parts: list[int], parses: ParseStore
) -> None:
    spans = tuple(match.span() for match in re.finditer(rf"\b{word}\b", text))
    edit = Edit(Pair("any", Term(word, "one"), Term("other", "two")), spans)
    parted = list(People(text, parses).parted([edit]))
    assert [len(one.spans) for one in parted] == parts
    assert sorted(span for one in parted for span in one.spans) == list(spans)
