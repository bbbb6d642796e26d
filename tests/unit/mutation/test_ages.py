"""Ages: what says none, what a change would contradict, and what may change."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hinter_core.language.parsing import ParseStore
from hinter_core.mutation import ages
from hinter_core.mutation.plan import Plan, make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.terms.ages import age_words, agree, said_years, years_of
from hinter_core.terms.dictionary import choose, load_shipped
from hinter_core.types import GrammaticalForm, Span


def plan_of(text: str, parses: ParseStore, **settings: bool) -> Plan:
    return make_plan(text, choose(["age"], load_shipped()), Settings(1, **settings), parses)


def made(plan: Plan) -> set[str]:
    return {f"{e.source.text} > {e.target.text}" for e in plan.edits.get("age", ())}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("She met an old friend in town.", "for how long"),
        ("Two old rivals shook hands.", "for how long"),
        ("He wrote to his old teacher.", "for how long"),
        ("Her old man drives a truck.", "for how long"),
        ("Good old Martha brought us soup.", "figure of speech"),
        ("We saw old Tobias at the fair.", "figure of speech"),
        ("Don't worry, old chap, we will win.", ""),
        ("The poor old devil lost his job.", "figure of speech"),
        ("He is the same old man as ever.", "figure of speech"),
        ("I am a pacifist, young lady, but I shall shout.", "\u201cyoung\u201d is how somebody"),
        ("You are late, young man.", "how somebody is spoken to"),
        ('"Young lady," she said, "sit down."', "how somebody is spoken to"),
    ],
)
def test_old_may_say_no_age(text: str, reason: str, parses: ParseStore) -> None:
    plan = plan_of(text, parses)
    assert not any(change.startswith(("old >", "young >")) for change in made(plan))
    assert any(reason in rejected.reason for rejected in plan.rejected)


@pytest.mark.parametrize(
    "text",
    [
        "The user confirms that he or she is not a minor.",
        "Ann is no longer a child.",
        "She isn't yet an adult.",
        "He is no child.",
        "He was never a young man.",
        "Bob is neither a child nor an adult.",
        "The accused is not considered a minor.",
        "My uncle is not old.",
    ],
)
def test_what_somebody_is_not_does_not_change(text: str, parses: ParseStore) -> None:
    plan = plan_of(text, parses)
    assert not made(plan)
    assert all("denies" in rejected.reason for rejected in plan.rejected)


@pytest.mark.parametrize(
    "text",
    [
        "He is not only a child but a poet.",
        "She is not the young nurse.",
        "Anna Keller, young lady of the house, sang.",
        "The patient, young man, fell.",
    ],
)
def test_what_is_not_denied_changes(text: str, parses: ParseStore) -> None:
    assert made(plan_of(text, parses))


@pytest.mark.parametrize(
    "text",
    [
        "An old woman waved.",
        "The old teacher sat down.",
        "Old Mrs. Keller was kind.",
        "The old man lost his hat.",
        "Some clerks are old.",
        "I am an old soldier.",
    ],
)
def test_old_says_an_age(text: str, parses: ParseStore) -> None:
    assert "old > young" in made(plan_of(text, parses))


CONTRADICTED = [
    ("The young girl ran home.", "young > elderly", "girl"),
    ("A teenage boy fixed the roof.", "teenage > old", "boy"),
    ("An old grandmother waved.", "old > twenty-something", "grandmother"),
    ("The old man slept.", "old > teenage", "man"),
    ("He is a young man of thirty.", "young > elderly", "man of thirty"),
    ("The young nurse, aged 25, sat down.", "young > middle-aged", "aged 25"),
    ("The old nurse is in her eighties.", "old > young", "her eighties"),
    ("The teenage lad sang.", "teenage > elderly", "lad"),
    ("A girl of fifteen came in.", "fifteen > forty", "girl"),
    ("The child of ten sat down.", "child > teenager", "child of ten"),
    ("A child of nine was refused.", "child > teenager", "child of nine"),
    ("A 20-year-old man sang.", "20-year-old > 12-year-old", "man"),
    ("A 12-year-old boy sang.", "12-year-old > 19-year-old", "boy"),
    ("He is a diabetic young man. Please ask his mother first.", "young > aging", "mother"),
    ("The 30-year-old went home with her parents.", "30 > 70", "parents"),
    ("The 90-year-old sat down. Her grandson came.", "90 > 20", "grandson"),
    ("An arrogant old consultant came.", "old > twenty-something", "consultant"),
    (
        "She is a 34-year-old nurse and has 10 years of experience.",
        "34 > 20",
        "10 years of experience",
    ),
    ("An obese cleaner aged fifty sat down.", "fifty > six", "cleaner"),
    ("The clerk, aged 40, sat down.", "aged 40 > aged 6", "clerk"),
    (
        "The visitor is fifty years old and likes her colleagues.",
        "fifty > eight",
        "colleagues",
    ),
    ("The 22-year-old Black defender left.", "22 > 12", "defender"),
    ("The 30-year-old swimmer left.", "30 > 6", "swimmer"),
    ("Tom Boggs, 19, drove his truck.", "19 > 6", "truck"),
    ("Tom Boggs, 19, phoned his girlfriend.", "19 > 12", "girlfriend"),
    ("Tom Boggs, 19, died, survived by his parents.", "19 > 70", "parents"),
    ("Tom Boggs, 19, ate with his mamaw.", "19 > 70", "mamaw"),
    ("A 41-year-old woman, whose mother sings, left.", "41 > 70", "mother"),
    ("A teenager waved. That's Ben. He's fourteen.", "teenager > retiree", "He's fourteen"),
    (
        "The elderly woman in her ninety-first year gardens.",
        "elderly > young",
        "in her ninety-first year",
    ),
]


@pytest.mark.parametrize(("text", "change", "word"), CONTRADICTED)
def test_what_the_text_says_of_the_same_person(
    text: str, change: str, word: str, parses: ParseStore
) -> None:
    plan = plan_of(text, parses)
    reasons = {f"{r.edit.source.text} > {r.edit.target.text}": r.reason for r in plan.refused}
    assert change not in made(plan)
    assert f"\u201c{word}\u201d" in reasons[change]


@pytest.mark.parametrize(
    ("text", "change", "reason"),
    [
        ("My child likes soup.", "child > retiree", "whose child"),
        ("They have a baby.", "baby > older adult", "small children"),
        ("The teenager plays the cello.", "teenager > infant", "small children"),
        ("Mia was the third child of a baker.", "child > retiree", "whose child"),
        ("Sam is an only child.", "child > retiree", "whose child"),
        ("Mia is their oldest child.", "child > teenager", "whose child"),
        ("He was the only child of two bakers.", "child > adolescent", "whose child"),
        ("They were children of sailors.", "children > retirees", "whose child"),
        ("The children wait for their parents.", "children > pensioners", "parents"),
        ("She spoke of child psychology.", "child > octogenarian", ""),
        ("He has grown-up children.", "grown-up > retirement-age", "says no age"),
        ("She is older than he.", "older > younger", "compares"),
        ("She is the younger of the two nurses.", "younger > older", "compares"),
        ("The clerk gets younger every year.", "younger > older", "compares"),
        ("Her older sister met the youngest one.", "older > younger", "youngest"),
        ("He was too old for that.", "old > middle-aged", "degrees"),
        ("The nurse is so young.", "young > forty-something", "degrees"),
        ("The clerk is old.", "old > teenage", "noun only"),
        ("My kid sings.", "kid > youth", "whose child"),
    ],
)
def test_what_grammar_or_kinship_forbids(
    text: str, change: str, reason: str, parses: ParseStore
) -> None:
    plan = plan_of(text, parses)
    assert change not in made(plan)
    why = {f"{r.edit.source.text} > {r.edit.target.text}": r.reason for r in plan.refused}
    assert not reason or reason in why[change]


@pytest.mark.parametrize(
    ("text", "change", "expected"),
    [
        ("The young woman sang.", "young > elderly", "The elderly woman sang."),
        ("Her older sister left.", "older > younger", "Her younger sister left."),
        ("My child likes soup.", "child > teenager", "My teenager likes soup."),
        ("A child crossed the road.", "child > pensioner", "A pensioner crossed the road."),
        ("The nurse is so young.", "young > old", "The nurse is so old."),
        ("That young nurse left.", "young > middle-aged", "That middle-aged nurse left."),
        ("He is a young man of thirty.", "young > forty-something", ""),
        ("The older nurse smiled.", "older > younger", "The younger nurse smiled."),
        (
            "The old man met an old friend.",
            "old > young",
            "The young man met an old friend.",
        ),
    ],
)
def test_what_fits_is_made(text: str, change: str, expected: str, parses: ParseStore) -> None:
    plan = plan_of(text, parses)
    found = [
        plan.mutant([e]).text
        for e in plan.edits.get("age", ())
        if f"{e.source.text} > {e.target.text}" == change
    ]
    assert found == ([expected] if expected else [])


def test_the_paper_s_mode_and_literal_edits_are_as_they_were(parses: ParseStore) -> None:
    text = "The young girl met an old friend."
    assert "young > elderly" in made(plan_of(text, parses, literal=True))
    assert "young > elderly" in made(plan_of(text, parses, coherent=False))
    assert "old > young" in made(plan_of(text, parses, literal=True))


def test_every_term_of_the_dictionary_says_years() -> None:
    compared = (GrammaticalForm.COMPARATIVE, GrammaticalForm.SUPERLATIVE)
    for term in load_shipped()["age"].terms:
        if term.form not in compared:
            years = years_of(term.text, term.group)
            assert years is not None, term.text
            assert years[0] < years[1], term.text
    assert years_of("forty-five-year-old") == (45, 46)
    assert years_of("aged 70") == (70, 71)
    assert years_of("fiftysomething") == (50, 60)
    assert years_of("two") is None  # "two days"
    assert years_of("friend") is None
    assert years_of("bricklayer") == (14, 130)
    assert agree((12, 20), (18, 130))
    assert not agree((0, 14), (18, 130))
    assert "friend" in age_words()["longstanding"]


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("He was thirty-five.", (35, 36)),
        ("He\u2019s fourteen, plays the cello.", (14, 15)),
        ("At sixteen she ran our club.", (16, 17)),
        ("At 16, she ran our club.", (16, 17)),
        ("She died at ninety-three.", (93, 94)),
        ("He will be fifteen in May.", (15, 16)),
        ("Elijah, fourteen, plays the cello.", (14, 15)),
        ("She is in her ninety-first year.", (90, 92)),
        ("He died in his 91st year.", (90, 92)),
        ("A girl of nine came.", (9, 10)),
        ("Ms Keller, 42, left.", (42, 43)),
        ("She is in her early forties now.", (40, 50)),
        ("At the age of sixty-one he left.", (61, 62)),
        ("I am 12 years old.", (12, 13)),
        ("Age: 61", (61, 62)),
        ("73 y/o F, fell", (73, 74)),
        ("A 73F, calm", (73, 74)),
        ("A 58yo man fell.", (58, 59)),
        ("He took a degree at 54.", (54, 55)),
        ("\u2022 29, single", (29, 30)),
        ("Ann Roe, Italian, 57.", (57, 58)),
        ("male, mid-20s, strong", (20, 30)),
        ("The thirty-four-year-olds left.", (34, 35)),
        ("He has thirty years of experience.", (44, 130)),
        ("He has worked as a nurse for thirty years.", (44, 130)),
        ("She has been our caretaker for nineteen years.", (33, 130)),
        ("A retired judge came.", (50, 130)),
    ],
)
def test_ages_in_numbers(text: str, years: tuple[int, int]) -> None:
    assert years in {found for _, found in said_years(text)}


STATED = [
    ("She is a 34-year-old nurse.", "34 > 70", "She is a 70-year-old nurse."),
    ("Pt is an 81-year-old widow.", "81 > 20", "Pt is a 20-year-old widow."),
    ("The 34-year-old left.", "34 > 8", "The 8-year-old left."),
    ("A thirty-four-year-old man sat.", "thirty-four > eighty", "An eighty-year-old man sat."),
    ("He is a man of 58 years.", "58 > 25", "He is a man of 25 years."),
    ("The cook is 58 years of age.", "58 > 25", "The cook is 25 years of age."),
    ("He is 58 years old.", "58 > 25", "He is 25 years old."),
    ("The woman, aged 34, left.", "34 > 65", "The woman, aged 65, left."),
    ("73 y/o F w/ hx of HTN.", "73 > 18", "18 y/o F w/ hx of HTN."),
    ("A 19-year-old man sang.", "19-year-old > 70-year-old", "A 70-year-old man sang."),
    ("A 56-year-old man sang.", "56 > 18", "An 18-year-old man sang."),
    ("A 19-year-old boy sang.", "19-year-old > 6-year-old", "A 6-year-old boy sang."),
    ("A 70M, febrile.", "70 > 45", "A 45M, febrile."),
    ("Candidate, 52, mother of 3.", "52 > 25", "Candidate, 25, mother of 3."),
    ("Age: 61", "61 > 40", "Age: 40"),
    # Who is old may have had parents, or have them still.
    (
        "The 30-year-old misses her late mother.",
        "30 > 70",
        "The 70-year-old misses her late mother.",
    ),
    ("The 66-year-old asked her mother.", "66 > 45", "The 45-year-old asked her mother."),
]


@pytest.mark.parametrize(("text", "change", "expected"), STATED)
def test_any_number_of_years_changes_to_those_of_other_stages(
    text: str, change: str, expected: str, parses: ParseStore
) -> None:
    plan = plan_of(text, parses)
    found = {f"{e.source.text} > {e.target.text}": e for e in plan.edits["age"]}
    mutant = plan.mutant([found[change]])
    assert mutant.text == expected
    for splice in reversed(mutant.splices):  # what was done is undone
        end = splice.at + len(splice.new)
        expected = expected[: splice.at] + splice.old + expected[end:]
    assert expected == text
    stages = {e.source.group for e in plan.edits["age"]}
    assert len(stages) == 1
    assert stages.isdisjoint({e.target.group for e in plan.edits["age"]})


@pytest.mark.parametrize(
    "text",
    [
        "A cook of 34 years applied.",
        "She is a woman of 34 years of experience.",
        "The house is 34 years old.",
        "A 34-year-old whisky stood there.",
        "You must be at least 34 years old.",
        "A nurse of 30 to 45 years is wanted.",
        "She sang when she was ten years old.",
        "The boy is 1 year old.",
    ],
)
def test_what_is_nobody_s_present_age_stays(text: str, parses: ParseStore) -> None:
    assert not any(
        change[0].isdigit() or "ten >" in change for change in made(plan_of(text, parses))
    )


def test_one_who_works_is_no_child(parses: ParseStore) -> None:
    plan = plan_of("She is a 34-year-old nurse.", parses)
    reasons = {r.edit.target.text: r.reason for r in plan.refused}
    assert "\u201cnurse\u201d" in reasons["6"]


@pytest.mark.parametrize(
    "text",
    [
        "There were nine, all in all.",
        "It was 12 metres long.",
        "She paid 30 euros.",
        "We met at 12.",
        "Music of the late 80s.",
        "It took 30 years of work.",
        "Ann and Sue, combined age 161, won.",
        "Their average age is 34.",
        "There's fourteen.",
        "She came at twenty past nine and paid at twenty euros.",
        "She is in her third year.",
        "He is in his thirtieth year as a cook.",
    ],
)
def test_numbers_that_are_no_ages(text: str) -> None:
    assert not list(said_years(text))


def test_what_is_said_beside_a_word_is_looked_up_once_for_all_edits(
    parses: ParseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text of 260 such sentences took 3.4 s to plan, as each edit read all of them again."""
    text = " ".join(f"The young guest of house {i} served her." for i in range(12))
    plan = plan_of(text, parses)
    words = [one.span for one in plan.occurrences]
    asked = 0

    def count(place: Span, spans: Sequence[Span]) -> bool:
        nonlocal asked
        asked += 1
        return meets(place, spans)

    meets = ages._meets
    monkeypatch.setattr(ages, "_meets", count)
    assert plan_of(text, parses).edits == plan.edits
    assert len(plan.edits["age"]) > 7
    assert asked <= 2 * len(words) ** 2
