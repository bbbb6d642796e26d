"""Whatever a model says is read as declared labels or ends in a named failure."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hinter_core.models.prompting import load_prompt, shipped_prompts
from hinter_core.models.replies.reading import parse_answer
from hinter_core.types import Failure

ARTICLES = ("Article 1", "Article 10", "Article 14", "Article 1 of Protocol 1")
SEVERAL = [load_prompt(x) for x in shipped_prompts() if x != "own-labels-several"]
SEVERAL = [prompt for prompt in SEVERAL if prompt.multi_label]


@given(st.data())
def test_any_list_of_labels_is_read_as_those(data: st.DataObject) -> None:
    prompt = data.draw(st.sampled_from(SEVERAL))
    chosen = data.draw(st.lists(st.sampled_from(prompt.labels), unique=True, max_size=6))
    between = data.draw(st.sampled_from([", ", "\n- ", "; ", '", "']))
    said = between.join(chosen) or prompt.none_label
    answered = parse_answer(said, prompt.labels, multi_label=True, none_label=prompt.none_label)
    assert answered.answered
    assert set(answered.labels) == set(chosen)


SPOKEN = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from([*ARTICLES, "not", "no", "None", "<think>", "</think>", "Answer:", "\n"]),
        max_size=8,
    ).map(" ".join),
)


@given(SPOKEN, st.booleans())
def test_any_answer_ends_in_declared_labels_or_a_named_failure(said: str, several: bool) -> None:
    answered = parse_answer(said, ARTICLES, multi_label=several, none_label="None")
    assert set(answered.labels) <= set(ARTICLES)
    if answered.failure:
        assert answered.failure in (Failure.UNPARSABLE, Failure.REFUSED)
        assert answered.detail
        assert not answered.labels
    elif not several:
        assert len(answered.labels) == 1
