"""Names are never half changed: for any person's name in any of its forms."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.plan import make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.terms.dictionary import choose, load_shipped
from tests.examples import examples

WOMEN = ["Anna", "Mary Ann", "Ann-Kathrin", "Eva-Maria", "Betty Lou", "Zoe", "Frances"]
MEN = ["Sean", "Jean-Pierre", "Hans-Peter", "John Paul", "Billy Bob", "James", "Mohammed"]
FAMILIES = ["Keller", "O'Brien", "Lind-Holm", "Dupont", "van Dyke", "de la Cruz", "Jones"]
FIRST = [
    "{given} {family} is {noun}.",
    "{noun_the} {given} {family} sang.",
    "Dr. {given} {family}, {noun}, left.",
    "On Monday we met {given} {family}, {noun}.",
]
LATER = [
    " {given}'s hat is red.",
    " {family} was late.",
    " The friends of {given} laughed.",
    " {given} {family} came home.",
    " Dr. {family} wrote to {namesake} {other}.",
    " Tom Brown met {given} {family} in Rome.",
]
NOUNS = {"female": "an actress", "male": "an actor"}


def render(parts: list[str], gender: str, **names: str) -> str:
    noun = NOUNS[gender]
    words = {"noun": noun, "noun_the": noun.replace("an", "The", 1), **names}
    return "".join(parts).format(**words)


@examples(80)
@given(
    gender=st.sampled_from(list(NOUNS)),
    family=st.permutations(FAMILIES),
    first=st.sampled_from(FIRST),
    later=st.lists(st.sampled_from(LATER), max_size=3, unique=True),
    data=st.data(),
)
def test_names_are_never_half_changed(
    gender: str, family: list[str], first: str, later: list[str], data: st.DataObject,
    parses: ParseStore,
) -> None:  # fmt: skip
    old = data.draw(st.sampled_from(WOMEN if gender == "female" else MEN))
    later.sort(key=lambda part: "namesake" in part)  # after a namesake, the given name is open
    parts, names = [first, *later], {"family": family[0], "other": family[1], "namesake": old}
    text = render(parts, gender, given=old, **names)
    plan = make_plan(text, choose(["gender"], load_shipped()), Settings(1), parses)
    wanted = "male" if gender == "female" else "female"
    own = [
        edit
        for edit in plan.edits.get("gender", ())
        if edit.target.text == NOUNS[wanted].split()[1]
    ]
    if not own:
        assert plan.refused
        return
    (edit,) = own
    mutant = plan.mutant([edit]).text
    pattern = re.escape(render(parts, wanted, given="NEW", **names))
    pattern = pattern.replace("NEW", r"(?P<new>[^\W\d_]+(?: [^\W\d_]+)?)", 1)
    match = re.fullmatch(pattern.replace("NEW", "(?P=new)"), mutant)
    assert match, mutant
    assert not {*match["new"].split()} & {*old.split()}
