"""The reading view: what a text says, its capitals and its language, and the way back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinter_core.language.clean import whole_values
from hinter_core.language.parsing import ParseStore
from hinter_core.language.reading.capitals import calm
from hinter_core.language.reading.english import other_language
from hinter_core.language.reading.notes import spelled_out
from hinter_core.language.reading.view import reading, restyled, with_layer, without_runs
from tests.examples import examples

PIECES = [
    *"&#39; &amp;amp; &quot; &nbsp; &#x2019; <b> </p> <!-- --> <style> </style> & < `".split(),
    *"\u00b4 \u200d \ufe0f \u2764\ufe0f \U0001f469\u200d\U0001f680 \U0001d41a \uff21".split(),
    *"\u0336 e\u0301 \ufb01 man she .".split(),
]
PIECES += [" ", "  ", "\n"]
rough = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=14).map("".join)


@pytest.mark.parametrize(
    ("text", "view"),
    [
        ("the girl&#39;s &amp;quot;hat&amp;quot;", "the girl's \"hat\""),
        ("the girl&rsquo;s&nbsp;hat &amp; coat", "the girl\u2019s\xa0hat & coat"),
        ("AT&T, R&D &unknown; 3 &lt; 4", "AT&T, R&D &unknown; 3 < 4"),
        ("the nun`s, the monk\u00b4s, the son\u02bcs", "the nun's, the monk's, the son's"),
        ("the nun\u2018s hat, \u2018so she said\u2019", "the nun's hat, \u2018so she said\u2019"),
        ("a `word` and 6\u2032 tall", "a `word` and 6\u2032 tall"),
        ("a de\u00adaf wi\u200bdow", "a deaf widow"),
        ("gay\U0001f469\u200d\u2764\ufe0f\u200d\U0001f469 men", "gay men"),
        ("\U0001d4f6\U0001d4ea\U0001d4f7, \uff4d\uff41\uff4e", "man, man"),
        ("\u1d0d\u1d00\u0274, \u24dc\u24d0\u24dd", "man, man"),
        ('an <i class="old">old</i> nun<!-- a man -->', "an  old  nun "),
        ("<style>p {color: white}</style>She left", " She left"),
        ("the manâ€™s hat", "the man's hat"),
    ],
)  # fmt: skip
def test_a_text_is_read_as_it_is_meant(text: str, view: str) -> None:
    assert reading(text).text == view


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("56yo white male", "56-year-old white male"),
        ("34 y/o F c/o pain", "34-year-old female with pain"),
        ("A 70M, calm", "A 70-year-old male, calm"),
        ("Pt is 61yoF", "Pt is 61-year-old female"),
        ("61 yo f with cough", "61-year-old female with cough"),
        ("Sales: 40M, 50M and 60M", "Sales: 40M, 50M and 60M"),
        ("It was 70F outside, c/o Ms Lee", "It was 70F outside, c/o Ms Lee"),
    ],
)
def test_shorthand_is_spelled_out_for_the_parser(text: str, words: str) -> None:
    assert with_layer(reading(text), spelled_out).text == words


@examples(800)
@given(rough)
def test_every_span_of_a_view_leads_back_in_order(text: str) -> None:
    view = without_runs(reading(text))
    last = 0
    for place, character in enumerate(view.text):
        start, end = view.span(place, place + 1)
        assert last <= start <= end <= len(text)
        assert start < end
        if character.isascii() and character.isalnum() and text[start:end].isascii():
            assert character in text[start:end] or "&" in text[start:end]
        last = start


@pytest.mark.parametrize(
    "piece",
    [
        "&amp;",
        "<a ",
        "<!--",
        "<script>",
        "`a",
        "&",
        "<",
        "\u200d",
        "\U0001f468\u200d",
        "&#",
        "<p a=",
        "<style><!--",
    ],
)
def test_the_view_takes_linear_time(piece: str) -> None:
    reading(piece * (100_000 // len(piece)) + "--></style>")  # quadratic: minutes


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Two Blind students met a Queer poet.", "Two blind students met a queer poet."),
        ("My aunt is Bisexual and my uncle is Rich.", "My aunt is bisexual and my uncle is rich."),
        ("We hired Deaf and Autistic people.", "We hired deaf and autistic people."),
        ("i saw OLD LADIES there", "i saw old ladies there"),
        ("MY SISTER IS DEAF!", "My sister is deaf!"),
        ("She said HE was SO kind", "She said he was so kind"),
        ("Meg White sang for the Deaf Arts Council.", "Meg White sang for the Deaf Arts Council."),
        ("The White House and NASA, Lancaster, PA", "The White House and NASA, Lancaster, PA"),
        ("His name is Rich. The US and the UN met.", "His name is Rich. The US and the UN met."),
        ("The Old Man and the Sea", "The Old Man and the Sea"),
        ("There a Boy met a Female pilot.", "There a boy met a female pilot."),
        ("They saw the Queen and a Duchess.", "They saw the Queen and a duchess."),
    ],
)
def test_capitals_that_say_nothing_are_read_as_small_letters(text: str, read: str) -> None:
    assert calm(text) == read


@given(st.text(max_size=80))
def test_calm_keeps_the_length(text: str) -> None:
    assert len(calm(text)) == len(text)
    assert calm(text).casefold() == text.casefold()


def test_a_parse_reads_the_view_and_points_to_the_text(fresh_parses: ParseStore) -> None:
    sentence = "\u2764\ufe0f the nun&#39;s  <b>OLD</b> h\u00adat"
    parse = fresh_parses.parse([sentence])[sentence]
    assert parse.words == ("the", "nun", "'s", "old", "hat")
    assert [sentence[a:b] for a, b in parse.spans] == ["the", "nun", "&#39;s", "OLD", "h\u00adat"]


@pytest.mark.parametrize("sentence", ["<br>", "\U0001f600", "\u200d", "\u2764\ufe0f\u2764\ufe0f"])
def test_a_sentence_without_words_is_one_token(sentence: str, fresh_parses: ParseStore) -> None:
    parse = fresh_parses.parse([sentence])[sentence]
    assert len(parse.words) == 1
    assert parse.spans == ((0, len(sentence)),)


def test_a_replacement_has_the_alphabet_of_what_it_replaces() -> None:
    bold = "".join(chr(0x1D41A + ord(c) - 97) for c in "man")
    assert reading(restyled(bold, "man", "woman")).text == "woman"
    assert restyled(bold, "man", "woman") != "woman"
    assert restyled("man", "man", "woman") == "woman"


@pytest.mark.parametrize(
    "text",
    [
        "El hombre que vino no es mi padre.",
        "No he dicho la verdad a tu hermano.",
        "Das Kind gab es her, und er war froh.",
        "Ma perché non mi ha detto niente?",
        "Her gün bizim eve gelir ve çay içer.",
        "Der alte Mann hat die Frau nicht gesehen.",
        "Il n'est pas venu avec sa femme et son fils.",
        "Madame Claire Dupont a pos\u00e9 sa candidature. Elle est tr\u00e8s fiable et son ancien "
        "patron, Monsieur Jean Martin, la recommande.",
        "La donna che vive qui non \u00e8 mia madre.",
        "\u041e\u043d\u0430 \u043f\u0440\u0438\u0448\u043b\u0430.",
        "\u5979\u662f\u4e00\u4f4d\u62a4\u58eb\u3002",
    ],
)
def test_another_language_is_named(text: str) -> None:
    assert other_language(text)


@pytest.mark.parametrize(
    "text",
    [
        "She told me que no, because mi abuela is sick.",
        "Mi madda deh a yard wid di pickney dem.",
        "Abeg, di oga no dey for house, na im wife dey.",
        "Ah cannae see yer maw, hen.",
        "he man woman",
        "Carlos de la Vega and Maria del Mar of Los Angeles",
        "que sera, sera",
        "Finna go, lol, she be wildin",
        "No me, no you, no man.",
        "",
    ],
)
def test_no_english_is_another_language(text: str) -> None:
    assert other_language(text) == ""


def test_half_characters_are_replaced_wherever_they_stand() -> None:
    given_ = {"a\ud800": ["\udfff b", {"c": 1, "d": None}], "e": "fine"}
    assert whole_values(given_) == {"a\ufffd": ["\ufffd b", {"c": 1, "d": None}], "e": "fine"}
