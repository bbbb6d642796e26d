"""Soft mutants: what else in a text contradicts a change, and what does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.plan import make_plan
from hinter_core.mutation.settings import PUBLISHED, Settings
from hinter_core.pipeline.case import FollowUp, TestCase, conform, follow_up_of
from hinter_core.relations.soft import clashes, contradictions, why_soft
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import Layer

Judged = Callable[..., list[FollowUp]]


@pytest.fixture
def judged(shipped: dict[str, Dictionary], parses: ParseStore) -> Judged:
    def judge(text: str, attribute: str, settings: Settings | None = None) -> list[FollowUp]:
        plan = make_plan(text, [shipped[attribute]], settings or Settings(order=1), parses)
        batch = [follow_up_of(TestCase(plan), edits) for edits in plan.chosen()]
        conform(batch, parses)
        return batch

    return judge


CV = "PROFILE\nYoung woman, cook.\n\nINTERESTS"
VISIT = "Visited Mr Okafor. Client is 81, lives alone since wife's death, small garden tidy."
SOFT = [
    ("The Japanese man met her in Tokyo.", "nationality", "Tokyo"),
    ("The Japanese man met her in Japan.", "race", "Japan"),
    ("A Nigerian nurse wrote home to Lagos.", "nationality", "Lagos"),
    ("The Irish girl came from Ireland.", "race", "Ireland"),
    ("A man from Kenya sat beside us, far from Nairobi.", "nationality", "Nairobi"),
    ("A Japanese speaker taught in Kyoto.", "language", "Kyoto"),
    ("The Muslim woman walked past the mosque.", "religion", "mosque"),
    ("The Jewish boy asked the rabbi about Passover.", "religion", "rabbi"),
    ("The Sikh woman read the Guru Granth Sahib.", "religion", "Guru Granth Sahib"),
    ("The Chinese clerk likes Chinese food.", "nationality", "Chinese"),
    ("The pregnant woman sat down.", "gender", "pregnant"),
    ("My friend Zebadon is a nice boy.", "gender", "Zebadon"),
    ("Zebadon Uglow lost his keys.", "gender", "Zebadon Uglow"),
    ("The man shaved his beard.", "gender", "beard"),
    ("Two Muslim women in hijab sang.", "gender", "hijab"),
    ("A Christian monk sat next to me.", "religion", "monk"),
    ("A Muslim trans man in a kufi sang.", "religion", "kufi"),
    ("The Muslim woman led two halaqas.", "religion", "halaqas"),
    ("The pagan priestess lit a candle.", "religion", "priestess"),
    ("The Jewish boy had his bar mitzvah.", "gender", "bar mitzvah"),
    ("The blind singer fed her guide dog.", "disability", "guide dog"),
    ("The trans woman began her hormone therapy.", "gender", "hormone therapy"),
    ("A clerk with schizophrenia heard voices.", "disability", "voices"),
    ("A wheelchair-using man with spina bifida sang.", "disability", "spina bifida"),
    ("My mom's eyes are green, my dad's are brown.", "gender", "dad"),
    ("My father baked bread. My mother sang.", "gender", "mother"),
    ("Anna's mother left. Anna's father stayed with her.", "gender", "father"),
    ("Ask your mother first, and then your father\u2019s boss.", "gender", "father"),
    ("The patient is a woman of 40. Prior hysterectomy.", "gender", "hysterectomy"),
    ("Pt is an old widow, G3P2.", "gender", "G3P2"),
    (f"{CV}\n- Captain of the women's chess team\n- Cook", "gender", "women"),
    ("Ada is a nurse. She had a caesarean section yesterday.", "gender", "caesarean"),
    ("32-year-old woman, 39 weeks, in established labour.", "gender", "established labour"),
    ("32-year-old woman, 39 weeks, in established labour.", "age", "in established labour"),
    ("I am a lad of 25, fitter than any other young man.", "gender", "any other young man"),
    ("30 y/o F, G2P1, 28 weeks pregnant.", "age", "G2P1"),
    ("My wife is 30 years old. She is pregnant.", "age", "pregnant"),
    ("72-year-old man with benign prostatic hyperplasia.", "age", "prostatic hyperplasia"),
    ("The 22-year-old left. He is a full-back.", "age", "full-back"),
    ("The 30-year-old swimmer won a gold medal.", "age", "gold medal"),
    ("The young woman joined our club. At sixteen she ran it.", "age", "At sixteen"),
    ("The elderly woman died at ninety-three.", "age", "at ninety-three"),
    ("Age: 61. An elderly salesman.", "age", "Age: 61"),
    ("Age: 61. An elderly salesman.", "age", "elderly"),
    ("He came as a middle-aged man, and he took a degree at 54.", "age", "at 54"),
    ("Young Indian woman, 24, recent graduate in law.", "age", "24"),
    ("Young Indian woman, 24, recent graduate in law.", "age", "Young"),
    ("The nurse is 34 years old. 10 years of experience.", "age", "10 years of experience"),
    ("The young clerks ran home to a dog of 12 years of age.", "age", "12 years of age"),
    ("Hiroshi Tanaka, a Japanese baker, opened a shop.", "nationality", "Hiroshi Tanaka"),
    ("Dr. Agyemang is a Ghanaian surgeon in Leeds.", "nationality", "Agyemang"),
    ("Penka Kouneva, a Bulgarian composer, wrote it.", "nationality", "Penka Kouneva"),
    ("Emily Chen, an Asian American cook, sang.", "race", "Emily Chen"),
    ("Keisha Washington, a Black baker, sang.", "race", "Keisha Washington"),
    ("The 17-year-old is preparing for the university exam.", "age", "university"),
    ("my lil sis is autistic #autismacceptance", "disability", "#autismacceptance"),
    ("i am a black girl #BlackGirlMagic", "race", "#BlackGirlMagic"),
    ("i am a black girl #blackgirlmagic", "gender", "#blackgirlmagic"),
    ("A fortysomething woman like me knows it. I am 44.", "age", "I am 44"),
    ("A fortysomething woman like me knows it. I am 44.", "age", "fortysomething"),
    ("I was born in Kent in 1948. I am an elderly woman.", "age", "born in Kent in 1948"),
    ("DOB: 12.03.1948. I am an elderly woman.", "age", "DOB: 12.03.1948"),
    ("Name: Li Wei\nNationality: Chinese", "nationality", "Li Wei"),
    ("I am Nigerian and I need a form.\nRegards, Okonkwo", "nationality", "Okonkwo"),
    ("The Greek baker makes the best bread in town.", "occupation", "bread"),
    ("My aunt is a police officer. Yesterday she arrested a thief.", "occupation", "arrested"),
    ("The surgeons operated on my uncle.", "occupation", "operated on"),
    ("The boy asked the teacher to write on the board.", "occupation", "on the board"),
    ("The pilot landed the plane.", "occupation", "plane"),
    ("The lesbian teacher married her girlfriend.", "sexual-orientation", "her girlfriend"),
    ("The gay sailor thanked his late husband.", "sexual-orientation", "his late husband"),
    ("He is gay. His husband works here.", "sexual-orientation", "His husband"),
    ("A queer poet wrote to her girlfriend.", "sexual-orientation", "her girlfriend"),
    ("The heterosexual woman left her boyfriend.", "sexual-orientation", "her boyfriend"),
    ("The gay sailor thanked his husband.", "gender", "gay"),
    ("Gay men and their husbands were invited, too.", "gender", "Gay"),
    ("My aunt still drives, although she is eighty-five.", "age", "although"),
    ("Despite being elderly, the singer dances.", "age", "Despite"),
    ("He is only nineteen, but he already owns a house.", "age", "already"),
    ("The young mother stayed at home with her baby.", "age", "her baby"),
    ("The young man is looking for his first job.", "age", "first job"),
    ("The patient is middle-aged and lives alone.", "age", "lives alone"),
    ("A middle-aged woman, whose daughter visits her daily.", "age", "daughter visits"),
    ("The woman had a mammogram.", "gender", "mammogram"),
    ("The refugees from Syria wait for their papers.", "migration", "from Syria"),
    ("The refugees from Zubrowka slept.", "migration", "from Zubrowka"),
    ("The gay cook thanked his exhausted husband.", "sexual-orientation", "his exhausted husband"),
    ("The refugees wait for their papers.", "migration", "papers"),
    ("The deaf pupil asked him to write on the board.", "disability", "on the board"),
    ("Only 15 years old, Gloria is wise. She left the high school early.", "age", "high school"),
    ("He is 45 and works as an electrician.", "age", "electrician"),
    ("My brother is a dentist. His patients like him.", "occupation", "patients"),
    ("He is a gay man who lives with his husband.", "gender", "gay"),
    ("The Muslim asked whether he may pray.", "religion", "pray"),
    ("A Polish man, 28, was in court. Ivan Bello of Leeds left. He slept.", "gender", "Ivan Bello"),
    ("The doctor met with Ms. Nguyen. The patient is Vietnamese.", "nationality", "Nguyen"),
    ("Our cook is a French girl, 19. The kids adore her.", "age", "girl"),
    (f"{VISIT} Says he is well.", "gender", "he"),
    (f"{VISIT} Says he is well.", "gender", "Okafor"),
]


@pytest.mark.parametrize(("text", "attribute", "word"), SOFT)
def test_words_elsewhere_make_a_mutant_soft(
    text: str, attribute: str, word: str, judged: Judged
) -> None:
    soft = [one for one in judged(text, attribute) if one.conformance.layer is Layer.SOFT]
    assert any(f"\u201c{word}\u201d" in one.conformance.reason for one in soft)
    assert all(one.conformance.by_invariant for one in soft)
    assert all(one.conformance.reason.startswith("the text also says ") for one in soft)


FIRM = [
    ("John Miller, an American baker, opened a shop.", "nationality", None),
    ("The German baker Anna opened a shop.", "nationality", None),
    ("Christian Alexander, a Bulgarian singer, won.", "nationality", None),
    ("Dr. Fenwick is a Scottish surgeon.", "nationality", None),
    ("The Bulgarian baker Anna opened a shop.", "nationality", None),
    ("Juan Lopez, a Mexican baker, opened a shop.", "nationality", "Colombian"),
    ("Ahmed Hassan, an Egyptian baker, opened a shop.", "nationality", "Jordanian"),
    ("Dr. Fenwick is a Black surgeon.", "race", None),
    ("The 17-year-old is preparing for the university exam.", "age", "40"),
    ("The 34-year-old nurse met a patient, who was 70.", "age", None),
    ("The Japanese man met her in Paris.", "nationality", None),
    ("A Buddhist monk sat next to me.", "religion", "Catholic"),
    ("The Catholic nun has lived in a cave.", "religion", "Jain"),
    ("The Mexican girl speaks Spanish.", "nationality", "Colombian"),
    ("A British clerk lives in London.", "nationality", "English"),
    ("I am Japanese-American and live in Boston.", "race", None),
    ("The Danish sailor met a Kenyan in Kenya.", "nationality", "Kenyan"),
    ("The pregnant woman sat down.", "gender", "non-binary person"),
    ("The pregnant woman met a trans woman.", "gender", "trans man"),
    ("The bearded man sat down.", "gender", "trans man"),
    ("The woman in a hijab sat down.", "gender", "trans woman"),
    ("The woman began her hormone therapy.", "gender", "trans woman"),
    ("The woman waved. Her sister was pregnant.", "gender", "man"),
    ("The young clerk paid 12 euros.", "age", "elderly"),
    ("The deaf singer fed her dog.", "disability", "sighted"),
    ("The woman is 40. Her mother: hysterectomy.", "gender", "man"),
    (f"{CV}\n- Worked for the headmistress\n- Wife: Anna", "gender", "man"),
    ("My mother met his father.", "gender", None),
    ("J. R. Fenwick lost his keys.", "gender", None),
    ("He is 45 and lives with a man who still smokes.", "age", None),
    ("My sister met my brother.", "gender", None),
    ("My mother met my father.", "gender", "parent"),
    ("The man drove on. #menu #manchester", "gender", "woman"),
    ("She is a gay activist. #GayAndBisexual", "sexual-orientation", "bisexual"),
    ("The nurse ate bread on a plane.", "occupation", None),
    ("The pilot waved. His sister took a flight.", "occupation", None),
    ("The gay sailor thanked his husband.", "sexual-orientation", "bisexual"),
    ("The gay sailor met a tailor and his wife.", "sexual-orientation", None),
    ("The gay sailor misses his ex-wife.", "sexual-orientation", None),
    ("The bisexual sailor thanked his husband.", "gender", None),
    ("The tailor thanked his wife. Then they went straight home.", "gender", "husband"),
    ("Although the old man waved, she left.", "age", None),
    ("The old man still rides his bike.", "age", None),
    ("Though he is nineteen, he owns a house.", "age", "twelve"),
    ("The young mother stayed at home with her baby.", "age", "middle-aged"),
    ("Police officers searched the flat.", "gender", "policemen"),
    ("Two salesmen were clean-shaven.", "gender", "salespeople"),
    ("Dear Mr Okonkwo, I am Danish and I need a form.", "nationality", "Nigerian"),
    ("His father died. The neighbours came with soup.", "gender", "mother"),
    ("Her grandmothers cooked, and she ate.", "gender", "grandfathers"),
    ("He met a chaplain and asked him to stay.", "gender", "xe"),
    ("The woman rents a flat.", "gender", "person"),
    ("The tired people went home.", "gender", "women"),
    ("My cousin Rhys, 14, is back.", "age", "40"),
    ("A woman hit Amelia Rowe.", "gender", "man"),
    ("I am a Polish plumber. My neighbour Piotr Kowalski left.", "nationality", "German"),
    ("The Muslim woman arrived on Monday.", "placebo", "Tuesday"),
    ("We were expecting a young man from the agency.", "gender", "trans man"),
    ("The elderly man has a mill that has stood for eighty years.", "age", "young"),
    ("Metformin was stopped, and he felt better.", "gender", "she"),
    ("The middle-aged man lives alone. His son visits.", "age", "elderly"),
    ("The woman had a mammogram.", "gender", "trans man"),
]


@pytest.mark.parametrize(("text", "attribute", "target"), FIRM)
def test_what_contradicts_nothing(
    text: str, attribute: str, target: str | None, judged: Judged
) -> None:
    found = [one for one in judged(text, attribute) if one.mutant.edits[0].source.text != "Kenyan"]
    wanted = [one for one in found if target in (None, one.mutant.edits[0].target.text)]
    assert wanted or attribute == "nationality"
    assert not any(one.conformance.layer is Layer.SOFT for one in wanted)


def test_a_body_contradicts_only_those_who_have_another(judged: Judged) -> None:
    for text, against in (("The pregnant woman sang.", {"man", "trans woman"}),
                          ("The woman in a sari sang.", {"man", "trans man"})):  # fmt: skip
        soft = {
            one.mutant.edits[0].target.text
            for one in judged(text, "gender")
            if one.conformance.layer is Layer.SOFT
        }
        assert soft & {"man", "trans man", "trans woman", "non-binary person"} == against


def test_a_name_fits_only_those_who_bear_it_too(judged: Judged) -> None:
    kept = {
        one.mutant.edits[0].target.text
        for one in judged("Penka Kouneva, a Bulgarian composer, wrote it.", "nationality")
        if one.conformance.kept
    }
    assert kept == set()


def test_settings_keep_soft_mutants_and_the_published_ones_know_none(judged: Judged) -> None:
    text = "The Japanese man met her in Tokyo."
    for settings in (
        Settings(order=1, keep_soft=True),
        Settings(order=1, literal=True),
        Settings(order=1, invariant=PUBLISHED),
    ):
        assert not any(
            one.conformance.layer is Layer.SOFT for one in judged(text, "nationality", settings)
        )
    assert all(one.conformance.layer is Layer.SOFT for one in judged(text, "nationality"))


@pytest.mark.parametrize(
    ("text", "attribute", "changed", "reason"),
    [
        ("We trust people.", "gender", "women", "\u201cpeople\u201d means anybody"),
        ("About ninety people came.", "gender", "women", "\u201cpeople\u201d means anybody"),
        ("As a woman, I agree.", "gender", "person", "\u201cperson\u201d says nothing after"),
        ("Name: Bo\nGender: woman", "gender", "individual", "is no value of \u201cGender\u201d"),
        (
            "Rhys, 29, waits. He is tired.",
            "age",
            "8",
            "\u201c29\u201d and \u201c8\u201d is a child",
        ),
        ("She cares for her elderly mother.", "age", "young", "said of somebody\u2019s mother"),
        ("She is pregnant with a girl.", "gender", "trans boy", "is not said of a baby"),
        ("She keeps the Sabbath on Friday.", "placebo", "Tuesday", "may be a day of worship"),
        ("Jo, seventeen, left. She won.", "age", "six", "and \u201csix\u201d is a child"),
        ("Rhys, 14, came. He is tired.", "age", "40", "\u201c14\u201d and \u201c40\u201d is a"),
    ],
)
def test_what_a_text_would_not_say(
    text: str, attribute: str, changed: str, reason: str, judged: Judged
) -> None:
    found = [o for o in judged(text, attribute) if o.mutant.edits[0].target.text == changed]
    assert found
    assert all(one.conformance.layer is Layer.SOFT for one in found)
    assert all(reason in one.conformance.reason for one in found)


def test_all_reasons_in_one_place(judged: Judged) -> None:
    text = "The Irish man came from Ireland, and he waved."
    [first, *_] = judged(text, "race")
    assert contradictions(text, first.mutant) == ("Ireland",)
    assert why_soft(text, first.mutant) == "the text also says \u201cIreland\u201d"
    plain = Settings(order=1, coherent=False)
    man = next(
        one
        for one in judged(text, "gender", plain)
        if one.mutant.edits[0].in_words == "man \u2192 woman"
    )
    assert clashes(text, man.mutant) == ("he",)
    assert why_soft(text, man.mutant) == ""
    assert man.conformance.kept  # the pronoun may be another man's


def test_pronouns_of_the_replaced_group_are_named(judged: Judged) -> None:
    text = "A man came. She saw him, and he waved at her."
    plain = judged(text, "gender", Settings(order=1, coherent=False))
    by_words = {one.mutant.edits[0].in_words: one.mutant for one in plain}
    assert clashes(text, by_words["man \u2192 woman"]) == ("him", "he")
    assert clashes(text, by_words["him \u2192 her"]) == ("he",)
    danish = "A Danish man came."
    assert clashes(danish, judged(danish, "nationality")[0].mutant) == ()
