"""Coreference: which words stand for the same person."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hinter_core.errors import ModelError
from hinter_core.language.coreference import ModelResolver, load_resolver, parse_text, resolve
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.types import Entity, MentionKind

PARSES = ParseStore(load_parser())

# A text, and the heads of the mentions of each person, in any order.
CASES = [
    # Who speaks before a colon is nobody after it.
    (
        "Lady Hale: The defendant, a man of means, pleaded guilty. I see his youth.",
        ["Hale", "defendant, man, his", "I"],
    ),
    (
        "Lord Justice Smith: The appellant, a young woman, lost her case.",
        ["Smith", "appellant, woman, her"],
    ),
    ("Dr Smith: The patient, a man from Leeds, said he was ill.", ["Smith", "patient, man, he"]),
    ("Judge Brown: The accused is a man who lost his job.", ["Brown", "man, his"]),
    ("Mr Hale: My brother.", ["Hale", "My", "brother"]),
    (
        "Judge: Who came?\nMr Hale: My son and a cook.\nJudge: Who drove?\nMr Hale: He did.",
        ["Hale, Hale", "My", "son, He", "cook"],
    ),
    ("Anna Weber: a German woman who lost her job.", ["Anna Weber, woman, her"]),
    ("Mr Justice Black said that the man had lied. He left.", ["Black, He", "man"]),
    (
        "The landlord, a widow, told the tenant that she did not want people like him.",
        ["landlord, widow, she", "tenant, him", "people"],
    ),
    ("The only guy there slept. I woke up to a fireman. He was fit.", ["guy", "I", "fireman, He"]),
    ("The user confirms that he or she has read her terms.", ["user, her"]),
    (
        "Jane Roe wrote the script. Roe also directed it, and Jane is proud.",
        ["Jane Roe, Roe, Jane"],
    ),
    ("Mrs. Keller called Mr. Keller because she missed him.", ["Keller, she", "Keller, him"]),
    ("Tom Reed met Ann Reed. Tom thanked her.", ["Tom Reed, Tom", "Ann Reed, her"]),
    ("J. Marsh arrived late. John Marsh had missed his train.", ["J. Marsh, John Marsh, his"]),
    ("Dr. Osei said that her patients trust her.", ["Osei, her, her", "patients"]),
    ("Maria met Peter. He gave her a book.", ["Maria, her", "Peter, He"]),
    ("Captain Holt lost his ship, and Holt never sailed again.", ["Holt, his, Holt"]),
    ("Paul knows that George admires himself.", ["Paul", "George, himself"]),
    ("Alice asked Beth to introduce herself.", ["Alice", "Beth, herself"]),
    ("The man who shaved himself was late.", ["man, himself"]),
    ("Nora wants to see herself on the stage.", ["Nora, herself"]),
    ("Helen saw her.", ["Helen", "her"]),
    ("Helen lost her keys.", ["Helen, her"]),
    ("The nurse helped the patient and thanked him.", ["nurse", "patient, him"]),
    ("She hates her.", ["She", "her"]),
    ("My brother Tom, a lawyer from Boston, hates opera.", ["My", "brother, Tom, lawyer"]),
    ("The old woman was a good mother and wife.", ["woman, mother, wife"]),
    ("He is a good man.", ["He, man"]),
    ("We valued him as a helpful man.", ["We", "him, man"]),
    ("She worked as a nurse.", ["She, nurse"]),
    ("They treated him as a boy.", ["They", "him", "boy"]),
    ("Jamal and Emily Walsh applied for it. Ms Walsh waits.", ["Jamal", "Emily Walsh, Walsh"]),
    ("Jamal and Emily Walsh applied. Ms Walsh waits.", ["Jamal", "Emily Walsh, Walsh"]),
    (
        "I am a single mother and I would like it. Yours, Ada Bell",
        ["I, mother, I, Ada Bell", "Yours"],
    ),
    ("I wept.\n\nKind regards\nMaria Lopez", ["I, Maria Lopez"]),
    ("I saw him with regard to Tom.", ["I", "him", "Tom"]),
    ("The suspect is a man or a woman of thirty.", ["suspect, man", "woman"]),
    ("Ruth, the mother of three boys, lost her job.", ["Ruth, mother, her", "boys"]),
    ("Susan is a plumber. She likes her work.", ["Susan, plumber, She, her"]),
    ("Omar was the best cook in town, and he knew it.", ["Omar, cook, he"]),
    ("The director, Lena Voss, thanked her crew.", ["director, Lena Voss, her", "crew"]),
    ("A boy named Felix lost his dog.", ["boy, Felix, his"]),
    ("Mary is not the teacher.", ["Mary", "teacher"]),
    ("The actress forgot her lines. The actor remembered his.", ["actress, her", "actor, his"]),
    ("The woman left the man because he drank.", ["woman", "man, he"]),
    ("A man and a woman came in. She sat down.", ["man", "woman, She"]),
    ("The surgeon said she was tired.", ["surgeon, she"]),
    ("The surgeon said he was tired.", ["surgeon, he"]),
    ("The nurse lost his coat.", ["nurse, his"]),
    ("The secretary lost her coat.", ["secretary, her"]),
    ("A widow lives upstairs. The widow feeds my cat.", ["widow, widow", "my"]),
    ("The old man smiled. The young man did not.", ["man", "man"]),
    ("My aunt called. My aunt was angry.", ["My, My", "aunt, aunt"]),
    ("Tom's sister is tall. His sister plays chess.", ["Tom, His", "sister, sister"]),
    ('"I am tired," said Clara. "My feet hurt."', ["I, Clara, My"]),
    ('Victor said, "I lost my hat."', ["Victor, I, my"]),
    (
        '"I love you," said Rita to her husband. "I love you too," he said.',
        ["I, Rita, her", "you", "husband, I, he", "you"],
    ),
    (
        "Anna and Bruno came. They brought their dog.",
        ["Anna and Bruno, They, their", "Anna", "Bruno"],
    ),
    ("The boys lost their ball because they were careless.", ["boys, their, they"]),
    ("The couple sold their house. They moved away.", ["couple, their, They"]),
    ("Someone left their umbrella.", ["Someone, their"]),
    ("One of the girls forgot her bag.", ["One, her", "girls"]),
    ("All of the teachers said they were tired.", ["All, they", "teachers"]),
    ("The girl who lost her phone cried.", ["girl, her"]),
    ("When he arrived, Walter sat down.", ["he, Walter"]),
    ("Before she left, Irene locked her door.", ["she, Irene, her"]),
    ("The woman whom Peter loves left him.", ["woman", "Peter, him"]),
    ("The film lost its way. It bored me.", ["me"]),
    ("It rained all day.", []),
    ("Paris is a city. It is old.", []),
    ('I saw "You Have My Word" twice.', ["I"]),
    (
        "Emma met Lucy at the station. She was late. Her train had broken down.",
        ["Emma, She, Her", "Lucy"],
    ),
    ("Grandma baked. Then she slept.", ["Grandma, she"]),
    ("Mom called Dad. She was worried about him.", ["Mom, She", "Dad, him"]),
    ("The prince kissed the princess, and she woke.", ["prince", "princess, she"]),
    ("Jake, with all his knowledge of boats, sank. He swam home.", ["Jake, his, He"]),
    # Who has something in a clause is its subject first; nobody in particular is no *he*.
    (
        "A man called. He was cold to me, though the waiter before him got his money.",
        ["man, He, him", "me", "waiter, his"],
    ),
    ("The cook joined us, and everybody liked it. He sang.", ["cook, He", "us", "everybody"]),
    (
        "Mr and Mrs Khan called. He is a cook and she is a nurse.",
        ["Mr, He, cook", "Khan, she, nurse"],
    ),
    ("Ms Ada Hale, a nurse and single mother, called.", ["Ms, Ada Hale, nurse, mother"]),
    # Who is addressed is not who writes.
    (
        "Dear Sir, my name is Ada Hale and I am well. I have no pets. Yours faithfully, Ada Hale",
        ["Sir", "my, Ada Hale, I, I, Ada Hale", "Yours"],
    ),
    (
        "Dear Ms. Hall,\nAs a young man from Mali, I taught. I was the first man here.",
        ["Hall", "man, I, I, man"],
    ),
    (
        "I am a mother of two.\n\nYours sincerely,\nAda Hale (Mrs)",
        ["I, mother, Ada Hale, Mrs", "Yours"],
    ),
    # What is said of an object, and with whom somebody is.
    (
        "My mum is here, and the nurse calls her her friend.",
        ["My", "mum, her", "nurse, her", "friend"],
    ),
    ("The woman came, and her wife is with her.", ["woman, her, her", "wife"]),
    ("Dad is 79, he lives alone and is a lonely man.", ["Dad, he, man"]),
    ("They ignored my aunt, a deaf woman in bed.", ["They", "my", "aunt, woman"]),
    ("As her son, I am worried.", ["her", "son, I"]),
    ("As a Sikh man I told him to go.", ["man, I", "him"]),
    ("The GP told my wife that she was late.", ["GP", "my", "wife, she"]),
    # What somebody is said to be in front of a clause, behind a name, and in the end.
    ("A Sikh and a keen golfer, he left.", ["Sikh, golfer, he"]),
    ("We met Tom Hill. As a young man, he sang.", ["We", "Tom Hill, man, he"]),
    ("Tom Hill, cook and lifelong bachelor, died.", ["Tom Hill, cook, bachelor"]),
    ("Ann Lee became the first woman to win.", ["Ann Lee, woman"]),
    ("My brother left. He died a proud Sikh.", ["My", "brother, He, Sikh"]),
    # Who says "I" is nobody's "he" or "she" outside of quotation marks.
    ("I am a Sikh man, and the orderly rang. He was rude.", ["I, man", "orderly, He"]),
    ("My name is Ann Lee. I am a nurse. She was rude.", ["My, Ann Lee, I, nurse", "She"]),
    ("A teenager sat on a wall. That's Elijah. He's fine.", ["teenager, Elijah, He"]),
    ("A nurse met a cook. This is Tom.", ["nurse", "cook", "Tom"]),
    ("\u2018I am a deaf woman,\u2019 she said. She left.", ["I, woman, she, She"]),
    ('"I am a deaf woman," she said. She left.', ["I, woman, she, She"]),
]


def people(text: str) -> list[Entity]:
    return [entity for entity in resolve(text, PARSES) if entity.person]


def heads(text: str, entity: Entity) -> str:
    return ", ".join(text[slice(*mention.head)] for mention in entity.mentions)


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text[:40] for text, _ in CASES])
def test_hard_sentences(text: str, expected: list[str]) -> None:
    assert sorted(heads(text, entity) for entity in people(text)) == sorted(expected)


def test_what_is_known_of_an_entity() -> None:
    text = "Ms. Doe met the actress Jane Roe and two boys. They laughed. A doctor came."
    known = {heads(text, e): (e.gender, e.plural, e.mentions[0].kind) for e in people(text)}
    assert known["Doe"] == ("female", False, MentionKind.NAME)
    assert known["doctor"] == ("", False, MentionKind.NOUN)
    assert any(kind is MentionKind.NOUN and plural for _, plural, kind in known.values())


def test_the_head_of_a_name_has_no_title_and_the_span_has_all() -> None:
    text = "Yesterday the late Dr. Ada Byrne, 34, spoke."
    (entity,) = (e for e in people(text) if e.mentions[0].kind is MentionKind.NAME)
    assert text[slice(*entity.mentions[0].head)] == "Ada Byrne"
    assert text[slice(*entity.mentions[0].span)].startswith("the late Dr. Ada Byrne")


def test_occupations_have_no_gender() -> None:
    for noun in ("nurse", "surgeon", "secretary", "mechanic", "librarian", "carpenter"):
        for pronoun in ("he", "she"):
            text = f"The {noun} said that {pronoun} was tired."
            assert [heads(text, e) for e in people(text)] == [f"{noun}, {pronoun}"]


def test_a_capital_noun_in_a_title_is_nobody() -> None:
    text = "My uncle is kind, and he hated The Man with Three Hats. He left."
    (uncle,) = [e for e in people(text) if e.gender]
    assert heads(text, uncle) == "uncle, he, He"


@pytest.mark.parametrize(
    "text",
    [
        "Omar rose to the rank of captain of the guard. He was twenty.",
        "Omar had no power in September 1959, and those around him knew it.",
    ],
)
def test_offices_and_months_are_nobody(text: str) -> None:
    (omar,) = [e for e in people(text) if e.gender]
    assert heads(text, omar).lower().startswith("omar, h")
    assert not any(head in heads(text, omar) for head in ("captain", "September"))


@pytest.mark.parametrize(
    ("text", "noun"),
    [
        ("The server stopped after the update.", "server"),
        ("The conductor of the cable was copper.", "conductor"),
        ("The walker has four rubber wheels.", "walker"),
    ],
)
def test_a_listed_noun_in_another_sense_is_nobody(text: str, noun: str) -> None:
    assert noun not in [heads(text, e) for e in people(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The heartthrob signed his photograph.", "heartthrob, his"),
        ("Some evacuees slept in the school.", "evacuees"),
        ("Several mourners came to the church.", "mourners"),
        ("The vandals broke the window.", "vandals"),
        ("The widow feeds my cat.", "widow"),
    ],
)
def test_people_need_not_be_listed(text: str, expected: str) -> None:
    assert expected in [heads(text, e) for e in people(text)]


def test_things_are_entities_too() -> None:
    text = "The film lost its way."
    (entity,) = (e for e in resolve(text, PARSES) if len(e.mentions) > 1)
    assert (heads(text, entity), entity.person) == ("film, its", False)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\U0001f642",
        "\U0001f642 he \U0001f469\u200d\U0001f680 her",
        "his " * 3,
        '"' * 9,
        "." * 50,
    ],
)
def test_any_text_has_an_answer(text: str) -> None:
    holds(text)


@pytest.mark.slow
def test_a_sentence_of_five_thousand_words() -> None:
    text = "she said that Tom told " * 1000 + "her."
    entities = holds(text)
    assert sum(len(entity.mentions) for entity in entities) > 1500


def holds(text: str) -> tuple[Entity, ...]:
    """Assert what holds for all texts."""
    entities = resolve(text, PARSES)
    mentions = [mention for entity in entities for mention in entity.mentions]
    assert len(set(mentions)) == len(mentions)
    for entity in entities:
        assert entity.mentions
        for one, two in pairwise(entity.mentions):
            assert (one.span[0], -one.span[1]) <= (two.span[0], -two.span[1])
        for mention in entity.mentions:
            assert 0 <= mention.span[0] <= mention.head[0] < mention.head[1] <= mention.span[1]
            assert mention.span[1] <= len(text)
            assert text[slice(*mention.head)].strip()
    assert resolve(text, PARSES) == entities
    return entities


_WORDS = st.sampled_from(
    """Mary Tom he she him her his hers herself they them it I you "I said , . ! ? \n\n the a man
    woman doctor doctors and who named told saw Mr. Doe 's mother not is was all of one people
    \U0001f642 <br />""".split(" ")
)


@settings(max_examples=60, deadline=None)
@given(st.lists(_WORDS, max_size=40).map(" ".join))
def test_every_mention_is_in_one_entity(text: str) -> None:
    holds(text)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=120))
def test_no_text_fails(text: str) -> None:
    holds(text)


def test_a_model_says_which_phrases_belong_together() -> None:
    text = "Ann met Eve. She waved."
    resolver = ModelResolver("own", "own-1", lambda _: [[(8, 11), (13, 16)], [(17, 22)]])
    entities = resolver.resolve(text, parse_text(text, PARSES))
    assert [heads(text, entity) for entity in entities] == ["Ann", "Eve, She"]


@pytest.mark.parametrize(("name", "says"), [("fastcoref", "pip install"), ("best", "Unknown")])
def test_a_resolver_that_is_not_there_is_a_clear_error(name: str, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        load_resolver(name)
