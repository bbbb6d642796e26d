"""What *he* and *she* mean in short notes, beside animals and beside what is called *she*."""

from __future__ import annotations

import pytest

from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.plan import make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.terms.dictionary import Dictionary

PEOPLE = [
    ("Haemoglobin fell; she was started on iron.", "she"),
    ("WBC is high; he was given antibiotics.", "he"),
    ("Glucose was high; she was started on insulin.", "she"),
    ("The catheter came out, and he went home.", "he"),
    ("A CT scan showed a mass; she was referred.", "she"),
    ("The drain fell out; she was taken back to theatre.", "she"),
    ("Oxygen saturation was low; he's on a ventilator.", "he"),
    ("Potassium is normal now. She feels well.", "She"),
]
NOBODY = [
    ("The axolotl was ill, so she was given antibiotics.", "she"),
    ("My hamster died; he was two.", "he"),
    ("The yacht was launched in May; she was sold later.", "she"),
    ("The tractor is old, but she runs.", "she"),
    ("The robot broke; he was repaired.", "he"),
    ("The steamers sank; she was raised.", "she"),
    ("The Wasa sank; she was raised in 1961.", "she"),
    ("Rex chewed the sofa, so I put him in the kitchen.", "him"),
    ("England expects much of her navy.", "her"),
    ("God created the heavens, and he saw that it was good.", "he"),
    ('The editor underlined "hers" in red.', "hers"),
]


@pytest.mark.parametrize(("text", "word", "counts"), [
    *((*one, True) for one in PEOPLE), *((*one, False) for one in NOBODY),
])  # fmt: skip
def test_a_pronoun_is_a_persons_where_no_animal_and_no_ship_is_named(
    text: str, word: str, counts: bool, shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    plan = make_plan(text, [shipped["gender"]], Settings(order=1), parses)
    assert (word in [one.surface for one in plan.occurrences]) is counts
