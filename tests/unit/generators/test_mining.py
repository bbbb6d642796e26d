"""Hard cases of mining: what becomes a slot of which kind, and what is refused, and why."""

from __future__ import annotations

import pytest

from hinter_core.generators.templates.mining import TAKEN, MinedText, mine
from hinter_core.generators.templates.occupation import ADJECTIVES, NO_PERSON_SENSE, REPEATED
from hinter_core.generators.templates.template import ATTRIBUTES
from hinter_core.language.coreference import parse_text
from hinter_core.language.parsing import ParseStore

# A text, then the first letters of the template's attributes, and the template.
_TAKEN = """
Tom lost his wallet, and nobody gave it back to him.
gc «name» lost «pronoun:possessive» wallet, and nobody gave it back to «pronoun:object».

Ruth lost her wallet, and nobody gave it back to her.
gc «name» lost «pronoun:possessive» wallet, and nobody gave it back to «pronoun:object».

We like Ruth because her cakes are famous. Everybody likes her.
gc We like «name» because «pronoun:possessive» cakes are famous. Everybody likes «pronoun:object».

Paul is a widower and a father.
g «name» is «a» «noun:widower» and «a» «noun:father».

Ruth baked it herself.
gc «name» baked it «pronoun:reflexive».

They praised Ruth and her work, and they paid her well.
gc They praised «name» and «pronoun:possessive» work, and they paid «pronoun:object» well.

Mrs. Keller's garden is lovely. She waters it every evening.
gc «title:Mrs.» «name:family»'s garden is lovely. «Pronoun:subject» waters it every evening.

Mr. Keller sold it, and Keller missed it all his life.
gc «title:Mr.» «name:family» sold it, and «name:family» missed it all «pronoun:possessive» life.

Miss Keller teaches chess. Her pupils adore her.
gc «title:Miss» «name:family» teaches chess. «Pronoun:possessive» pupils adore «pronoun:object».

Sir Henry rode home. He was tired.
gc «title:Sir» «name:family» rode home. «Pronoun:subject» was tired.

The actress Jane Holt, 34, said she was thrilled.
gc The «noun:actress» «name:full», 34, said «pronoun:subject» was thrilled.

Jane Holt, an actress, said she was thrilled.
gc «name:full», «a» «noun:actress», said «pronoun:subject» was thrilled.

My sister-in-law painted the fence herself.
g My «noun:sister-in-law» painted the fence «pronoun:reflexive».

An actress forgot her lines.
g «A» «noun:actress» forgot «pronoun:possessive» lines.

A waiter spilled the soup. He apologised.
g «A» «noun:waiter» spilled the soup. «Pronoun:subject» apologised.

Jane Holt sings. Holt wrote the songs herself, and Jane plays piano.
gc «name:full» sings. «name:family» wrote the songs «pronoun:reflexive», and «name» plays piano.

"I never liked rain," said Peter. He opened his umbrella.
gc "I never liked rain," said «name». «Pronoun:subject» opened «pronoun:possessive» umbrella.

Michael flew to Jordan. He sent us a card.
gc «name» flew to Jordan. «Pronoun:subject» sent us a card.

My uncle grows roses. He sells them.
g My «noun:uncle» grows roses. «Pronoun:subject» sells them.

A man entered the shop. The man wanted a lamp, but he had no money.
g «A» «noun:man» entered the shop. The «noun:man» wanted a lamp, but «pronoun:subject» had no money.

That girl can dance, and she knows it.
g That «noun:girl» can dance, and «pronoun:subject» knows it.

The king lost his crown.
g The «noun:king» lost «pronoun:possessive» crown.

My brother-in-law fixed the roof himself.
g My «noun:brother-in-law» fixed the roof «pronoun:reflexive».

The leading lady forgot her text twice.
g The «noun:leading lady» forgot «pronoun:possessive» text twice.

She was the first woman who climbed it.
g «Pronoun:subject» was the first «noun:woman» who climbed it.

Clara is an engineer. She builds bridges.
goc «name» is «a» «occupation». «Pronoun:subject» builds bridges.

Clara is a brilliant young engineer. The engineer loves her job.
goc «name» is «a» «occupation». The «occupation» loves «pronoun:possessive» job.

An honest accountant found the error.
o «A» «occupation» found the error.

We asked an electrician about the lamp.
o We asked «a» «occupation» about the lamp.

A very experienced nurse helped us.
o «A» «occupation» helped us.

The doctor was kind, although the doctor had no time.
o The «occupation» was kind, although the «occupation» had no time.

My dentist is a nice person.
o My «occupation» is a nice person.

The race car driver won again.
o The «occupation» won again.

He works as a teacher. His pupils like him.
go «Pronoun:subject» works as «a» «occupation». «Pronoun:possessive» pupils like «pronoun:object».

Doctor Miller called. She was worried.
gc Doctor «name:family» called. «Pronoun:subject» was worried.

The lawyer's office was closed.
o The «occupation»'s office was closed.

Two doctors and a nurse came.
o Two doctors and «a» «occupation» came.

The journalist Ann Weber asked the question, and she got no answer.
goc The «occupation» «name:full» asked the question, and «pronoun:subject» got no answer.

Ann Weber, a journalist, asked the question. She got no answer.
goc «name:full», «a» «occupation», asked the question. «Pronoun:subject» got no answer.

She is a famous Italian singer named Carla.
go «Pronoun:subject» is «a» «occupation» named «name».

Carla is Italian. She sings.
g «name» is Italian. «Pronoun:subject» sings.

Robert sold his car. Robert's car was old.
gc «name» sold «pronoun:possessive» car. «name»'s car was old.

I saw Robert yesterday; he was with Mary Stone.
gc I saw «name» yesterday; «pronoun:subject» was with Mary Stone.

Emma is pregnant, and she is happy.
c «name» is pregnant, and she is happy.

Emma Stone plays a teacher. She is great, and Stone knows it.
gc «name:full» plays a teacher. «Pronoun:subject» is great, and «name:family» knows it.

Emma Stone plays a teacher. She is great, and Stone knows it.
o Emma Stone plays «a» «occupation». She is great, and Stone knows it.

Daniel hit himself. Nobody helped him.
gc «name» hit «pronoun:reflexive». Nobody helped «pronoun:object».

Daniel's the best. He's always on time, and I've told him so.
gc «name»'s the best. «Pronoun:subject»'s always on time, and I've told «pronoun:object» so.

Did you see Laura? I saw her with her bike.
gc Did you see «name»? I saw «pronoun:object» with «pronoun:possessive» bike.

Laura, who lost her bike, bought herself a new one.
gc «name», who lost «pronoun:possessive» bike, bought «pronoun:reflexive» a new one.

The pilot landed the plane safely. He was calm.
go The «occupation» landed the plane safely. «Pronoun:subject» was calm.

Ruth knew that the mistake was hers.
gc «name» knew that the mistake was «pronoun:absolute».

Paul knew that the mistake was his.
gc «name» knew that the mistake was «pronoun:absolute».

"You know," Nora told us, "that I hate it." She left.
gc "You know," «name» told us, "that I hate it." «Pronoun:subject» left.

My aunt is a retired pharmacist and sings in her choir.
go My «noun:aunt» is «a» «occupation» and sings in «pronoun:possessive» choir.

A waitress showed us her room.
g «A» «noun:waitress» showed us «pronoun:possessive» room.

The heiress sold her yacht.
g The «noun:heiress» sold «pronoun:possessive» yacht.

An uncle of mine lost his hat.
g «A» «noun:uncle» of mine lost «pronoun:possessive» hat.

Our boss fired himself.
g Our boss fired «pronoun:reflexive».

He was the best lawyer we ever had.
g «Pronoun:subject» was the best lawyer we ever had.

Paul Weber met Anna Stein before he left.
c «name:full» met Anna Stein before he left.

Sarah and Paul argued all evening, and she left early.
c «name» and Paul argued all evening, and she left early.

Paul came. Sarah hurt herself.
gc Paul came. «name» hurt «pronoun:reflexive».

She said that Paul left.
g «Pronoun:subject» said that Paul left.

I am a Nora Klein fan, and I saw her twice.
gc I am «a» «name:full» fan, and I saw «pronoun:object» twice.

Laura certainly holds her own.
gc «name» certainly holds «pronoun:possessive» own.
"""
_WHOSE = "a pronoun whose person is not known"
_DOUBTFUL = "a changed pronoun could mean another person"
_NO_NAME = "the name is part of a longer one, or is no name"
_REFUSED = [
    ("The mistake was hers, and Ruth knew it.", "several people"),
    ("That idea of his made Tom rich.", "several people"),
    ("I told her the news before Ruth left.", "several people"),
    ('"He is late again," Peter said. "He always was," his wife answered.', "several people"),
    ("Anna met Peter, and he smiled at her.", "several people"),
    ("Anna met Julia, and she smiled.", "several people"),
    ("Jordan is a small country with friendly people.", "nobody is named or has a gender"),
    ("He or she must sign the form.", "nobody is named or has a gender"),
    ("Sarah and Paul argued all evening, and she left early.", _DOUBTFUL),
    ("Sarah told Paul about herself.", _DOUBTFUL),
    ("When she came, Paul left.", _DOUBTFUL),
    ("The patient may bring his/her own food.", "several people"),
    ("It snowed all night.", "nobody is named or has a gender"),
    ("Nobody came to the party.", "nobody is named or has a gender"),
    ("The dog wagged its tail.", "nobody is named or has a gender"),
    ("His brother called Paul.", "several people"),
    ("An honest accountant found the error.", "nobody is named or has a gender"),
    ("We asked an electrician about the lamp.", "nobody is named or has a gender"),
    ("A very experienced nurse helped us.", "nobody is named or has a gender"),
    ("The doctor was kind, although the doctor had no time.", "nobody is named or has a gender"),
    ("My dentist is a nice person.", "nobody is named or has a gender"),
    ("The race car driver won again.", "nobody is named or has a gender"),
    ("She was the teacher of my son.", "several people"),
    ("The lawyer's office was closed.", "nobody is named or has a gender"),
    ("Two doctors and a nurse came.", "nobody is named or has a gender"),
    ("I read it on the doctor blog.", "nobody is named or has a gender"),
    ("Emma is pregnant, and she is happy.", "another word tells the gender"),
    (
        "Nina fed the cat, and then Nina's neighbour fed it.",
        "no pronoun, noun or title tells the gender",
    ),
    ("Princess Diana opened her school.", "a gendered noun is part of another word or name"),
    ("Dear Murder, She Wrote is on tonight.", "a pronoun whose person is not known"),
    ("Sunrise begins when she waits.", "a pronoun whose person is not known"),
    ("Quorlan closed the door when she left.", "a single name that is not known as a given name"),
    ("Man has always loved the sea.", "a noun that stands for people in general"),
    ("They put man on the moon.", "a noun that stands for people in general"),
    ("It was late, and boy was I glad.", "a noun that stands for people in general"),
    ("Neither Mr. or Mrs. Weber was there.", "several people"),
    ("Our aunt met Brexton, and then she left.", "several people"),
    ("Only laura was good, and we came to see her.", _NO_NAME),
    ("An aunt of mine hid her letters in a box(her own).", _WHOSE),
    ('We rented "The Restless Mr. Weber" again.', _NO_NAME),
    ("We rented The Restless Mr. Weber again.", _NO_NAME),
    ("The lesbian aunt stole the show.", "another word tells the gender"),
    ("Laura is a skater vixen, and she knows it.", "another word tells the gender"),
]
_NO_OCCUPATION = [
    ("She is a better dentist than most.", ADJECTIVES),
    ("He is a more careful lawyer than most.", ADJECTIVES),
    ("Stone is an evil, claim-jumping and far more tireless miner.", ADJECTIVES),
    ("We follow two people, one young photographer and one cook.", ADJECTIVES),
    ("We wrote to Dr. Weber, and the doctor answered.", REPEATED),
    ("The channel ordered a pilot, and the series began.", NO_PERSON_SENSE),
]


def cases() -> list[tuple[str, str, str]]:
    found = []
    for case in _TAKEN.strip().split("\n\n"):
        text, template = case.strip().split("\n")
        letters, _, template = template.partition(" ")
        found.append((text, letters, template))
    return found


def mined(text: str, parses: ParseStore) -> MinedText:
    return mine("1", text, parse_text(text, parses))


@pytest.mark.parametrize(("text", "letters", "expected"), cases())
def test_slots_agree(text: str, letters: str, expected: str, parses: ParseStore) -> None:
    found = mined(text, parses)
    of = {"".join(a[0] for a in one.attributes): one for one in found.templates}
    assert of[letters].text == expected
    assert all(found.reasons[name] == TAKEN for name in of[letters].attributes)


@pytest.mark.parametrize(("text", "why"), _REFUSED)
def test_a_refused_text_says_why(text: str, why: str, parses: ParseStore) -> None:
    found = mined(text, parses)
    assert found.reasons["gender"] == why
    assert not any("gender" in one.attributes for one in found.templates)


@pytest.mark.parametrize(("text", "why"), _NO_OCCUPATION)
def test_a_refused_occupation_says_why(text: str, why: str, parses: ParseStore) -> None:
    assert mined(text, parses).reasons["occupation"] == why


def test_there_are_enough_hard_cases() -> None:
    assert len({text for text, _, _ in cases()} | {text for text, _ in _REFUSED}) >= 60


def test_the_words_of_a_text_fill_its_template_again(parses: ParseStore) -> None:
    for text, letters, _ in cases():
        (first, *_) = mined(text, parses).templates
        if "o" not in letters:  # adjectives of an occupation are left out
            assert first.original == text


@pytest.mark.slow
def test_a_sentence_of_thousands_of_words_is_refused_at_once(parses: ParseStore) -> None:
    text = "Paul likes " + "very " * 5_000 + "old houses."
    found = mined(text, parses)
    assert found.templates == ()
    assert set(found.reasons) == set(ATTRIBUTES)
    assert "words" in found.reasons["gender"]
