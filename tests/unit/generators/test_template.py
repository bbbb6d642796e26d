"""Templates as they are written: slots, classes, files, and what is wrong with a line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinter_core.errors import InputError
from hinter_core.generators.templates.template import (
    PRONOUNS,
    LetterCase,
    SlotKind,
    Template,
    TemplateRow,
    TemplateSlot,
    open_templates,
    read_template,
    template_from_json,
    template_line,
    template_to_json,
)

SLOTS = [
    *(TemplateSlot(SlotKind.NAME, detail) for detail in ("", "full", "family")),
    *(TemplateSlot(SlotKind.PRONOUN, case, LetterCase.CAPITAL) for case in PRONOUNS),
    TemplateSlot(SlotKind.NOUN, "actress"),
    TemplateSlot(SlotKind.TITLE, "Mrs."),
    TemplateSlot(SlotKind.OCCUPATION, "", LetterCase.UPPER),
    TemplateSlot(SlotKind.ARTICLE, "", LetterCase.CAPITAL),
    TemplateSlot(SlotKind.ARTICLE, "", LetterCase.UPPER),
]
_PIECES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)


@given(st.lists(st.tuples(st.sampled_from(SLOTS), _PIECES), min_size=1, max_size=6), _PIECES)
def test_what_is_written_is_read_back(slots: list[tuple[TemplateSlot, str]], first: str) -> None:
    pieces = (f"x{first}", *(piece for _, piece in slots))
    template = Template("7", pieces, tuple(slot for slot, _ in slots), ())
    assert read_template(template.text) == (template.pieces, template.slots)


def test_a_guillemet_of_the_text_is_doubled() -> None:
    pieces, slots = read_template("««Oui», said «name».")
    assert pieces == ("«Oui», said ", ".")
    assert [slot.name for slot in slots] == ["name"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("«nam» smiled.", "unknown slot «nam»"),
        ("«pronoun:dative» smiled.", "unknown slot «pronoun:dative»"),
        ("«noun:table» smiled.", "'table' is no noun of one gender"),
        ("«name smiled.", "not closed"),
        ("Nobody smiled.", "no slot"),
        ("«a» «name» smiled.", ""),
        ("«a» table.", "no gender, occupation or country"),
        ("", "no 'text'"),
    ],
)
def test_a_wrong_text_is_refused_with_its_reason(text: str, why: str) -> None:
    if not why:
        assert template_from_json({"text": text}).attributes == ("gender", "country")
        return
    with pytest.raises(InputError, match=why):
        template_from_json({"text": text})


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"attributes": ["religion"]}, "unknown class 'religion'"),
        ({"attributes": ["occupation"]}, "'occupation' needs a slot of the kind occupation"),
        ({"attributes": "gender"}, "attributes is a list"),
        ({"gender": "neuter"}, "gender is male or female"),
        ({"words": ["Ann"]}, "each of the 2 slots"),
    ],
)
def test_wrong_values_are_refused_with_their_reason(values: dict[str, object], why: str) -> None:
    with pytest.raises(InputError, match=why):
        template_from_json({"text": "«name» lost «pronoun:possessive» key."} | values)


def test_the_classes_follow_from_the_slots() -> None:
    def of(text: str) -> tuple[str, ...]:
        return template_from_json({"text": text}).attributes

    assert of("«name» smiled.") == ("gender", "country")
    assert of("«Pronoun:subject» smiled.") == ("gender",)
    assert of("We met «a» «occupation».") == ("occupation",)


def test_json_is_read_back() -> None:
    values = {
        "id": "12", "text": "«name» lost «pronoun:possessive» key.", "attributes": ["gender"],
        "gender": "female", "label": "neg", "words": ["Ann", "her"],
    }  # fmt: skip
    template = template_from_json(values)
    assert template_to_json(template) == values
    assert template.original == "Ann lost her key."


def test_a_file_names_its_faulty_lines_and_keeps_the_others(tmp_path: Path) -> None:
    path = tmp_path / "T.jsonl"
    good = template_from_json({"text": "«name» smiled."}, "a")
    path.write_text(
        template_line(good) + "\n{\n" + json.dumps({"text": "«nam» smiled."}) + "\n[1]\n",
        encoding="utf-8",
    )
    rows = list(open_templates(path).rows())
    assert [row.number for row in rows] == [1, 2, 3, 4]
    assert isinstance(rows[0], TemplateRow)
    assert rows[0].template == good
    assert [row.fault[:14] for row in rows[1:]] == [
        "the line is no", "unknown slot «", "a template is ",
    ]  # fmt: skip


def test_a_file_without_a_template_says_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "T.jsonl"
    path.write_text('{"text": "«nam» smiled."}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"holds no template\. Line 1: unknown slot"):
        open_templates(path)
    with pytest.raises(InputError, match="There is no file"):
        open_templates(tmp_path / "none.jsonl")
