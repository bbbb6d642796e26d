"""Reasoning is no answer: marks of every known form are left out, unfinished thoughts fail."""

from __future__ import annotations

import pytest

from tests.unit.models.replies.reader import (
    NO_LABEL,
    POSITIVE,
    Answer,
    read,
)

MARKS = ["think", "THINK", "thinking", "thought", "reasoning", "reflection", "seed:think",
         "longcat_think", "analysis", "scratchpad", "inner_thoughts"]  # fmt: skip
BRACKETS = ["<>", "[]", "\u25c1\u25b7"]


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize(("left", "right"), [*BRACKETS, ("<|", "|>")])
def test_what_stands_between_marks_of_reasoning_is_no_answer(
    mark: str, left: str, right: str
) -> None:
    opened, closed = f"{left}{mark}{right}", f"{left}/{mark}{right}"
    assert read(f"{opened}negative? maybe.{closed}positive") == POSITIVE
    assert read(f"negative? maybe.{closed}\npositive") == POSITIVE
    assert read(f"{opened}negative? maybe positive") == NO_LABEL
    assert read(f"positive{opened}hm, negative") == NO_LABEL
    assert read(f"{opened}It is positive.{closed}") == NO_LABEL


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (
            "<|begin_of_thought|>negative<|end_of_thought|>\n<|begin_of_solution|>positive<|end_of_solution|>",
            POSITIVE,
        ),
        (
            "<|START_THINKING|>negative<|END_THINKING|><|START_RESPONSE|>positive<|END_RESPONSE|>",
            POSITIVE,
        ),
        ("<start_working_out>negative<end_working_out><SOLUTION>positive</SOLUTION>", POSITIVE),
        ("<unused94>thought\nnegative<unused95>positive", POSITIVE),
        ("<|channel>thought\nnegative<channel|>positive", POSITIVE),
        ("<|inner_prefix|>negative<|inner_suffix|>positive<|assistant_end|>", POSITIVE),
        ("analysisThe tone could be negative.assistantfinalpositive", POSITIVE),
        ("analysisCould be negative, I doubt it.assistantfinal\n\npositive", POSITIVE),
        ("analysiswe need to label. It may be positive", NO_LABEL),
        ("analysis\nnegative?\nassistant\nfinal\npositive", POSITIVE),
        ("commentaryhm negativeassistantfinalpositive", POSITIVE),
        ("<|channel|>analysis<|message|>negative", NO_LABEL),
        (
            "<|channel|>analysis<|message|>negative<|end|><|start|>assistant<|channel|>commentary<|message|>positive<|end|>",
            NO_LABEL,
        ),
        (
            "analysis<|message|>x negative<|end|><|start|>assistant<|channel|>"
            'final <|constrain|>json<|message|>{"label":"positive"}<|return|>',
            POSITIVE,
        ),
        ("<think>a</think><answer>positive</answer>", POSITIVE),
        ("<think>negative <answer>positive</answer>", POSITIVE),
        ("Here is my thought process: maybe negative. Here is my response: positive", POSITIVE),
        ("Here's my thought process: maybe negative.", NO_LABEL),
        ("Thinking...\nnegative maybe\n...done thinking.\n\npositive", POSITIVE),
        ("positive<think>hm negative", NO_LABEL),
        (
            "<thinking>x<reflection>negative</reflection></thinking><output>positive</output>",
            POSITIVE,
        ),
        ("<think></think>\n\npositive", POSITIVE),
        ("[Reasoning] could be negative [Answer] positive", POSITIVE),
    ],
)
def test_other_marks_and_channels(reply: str, answer: Answer) -> None:
    assert read(reply) == answer
