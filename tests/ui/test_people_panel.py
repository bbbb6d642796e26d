"""Who is in a text, as Explore lists it: people alone, with the gender that their words say."""

from __future__ import annotations

import re

import pytest

from hinter_core.language.coreference import resolve
from hinter_core.language.parsing import ParseStore
from hinter_ui.explore.examples import load_examples
from hinter_ui.html.people import people

_ITEM = re.compile(r"<li>.*?<bdi[^>]*>(.*?)</bdi>: <span[^>]*>(.*?)</span></li>")


def listed(text: str, parses: ParseStore) -> dict[str, str]:
    """Return what the panel says of each person, by name."""
    found = _ITEM.findall(str(people(text, resolve(text, parses))))
    return {name: said.partition(", ")[2] for name, said in found}


def test_the_first_example_has_one_person_with_a_gender(parses: ParseStore) -> None:
    text = next(e.form.text for e in load_examples() if "German landlord" in e.form.text)
    assert listed(text, parses) == {"landlord": "male"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("That dude is funny.", {"dude": "male"}),
        ("The dude said that she would come, and he waited.", {"dude": "male", "she": "female"}),
        ("The bro next door lost his bike.", {"bro": "male"}),
        ("The old chap smiled at the maid.", {"chap": "male", "maid": "female"}),
        ("The German nurse met a Christian teacher.", {}),
        ("The Israeli judge said that he was tired.", {"judge": "male"}),
        ("The landlady is Italian and her tenant is Turkish.", {"landlady": "female"}),
        ("A Catholic priest helped the homeless man.", {"man": "male"}),
        ("My aunt, a Jewish doctor, met two Black men.",
         {"aunt": "female", "men": "several people, male"}),
        ("German Lopez lost his keys.", {"German Lopez": "male"}),
        ("Some Asian students helped an elderly lady with her bags.", {"lady": "female"}),
        ("The Japanese were polite, and they thanked the woman.",
         {"Japanese": "", "woman": "female"}),
        ("These Danes love their bread.", {"Danes": "several people"}),
        ("Her Swiss watch was a gift from her father.", {"Her": "female", "father": "male"}),
    ],
)  # fmt: skip
def test_modifiers_are_no_people_and_nouns_keep_their_gender(
    text: str, expected: dict[str, str], parses: ParseStore
) -> None:
    assert listed(text, parses) == expected
