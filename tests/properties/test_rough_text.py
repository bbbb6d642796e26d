"""Whatever is typed, the pipeline answers or refuses with a reason; and its bookkeeping holds."""

from __future__ import annotations

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from hinter_core.data.tables import rows_to_csv
from hinter_core.errors import InputError
from hinter_core.language.parsing import ParseStore
from hinter_core.models.registry import load_model
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.export import check_to_json, check_to_rows
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import Verdict
from tests.conftest import undo
from tests.examples import examples

pieces = st.sampled_from(
    ["The black man", "an old woman", "her", "his", "He's", "Mr. White", "a European", "waiter",
     "don't", "Qur'an", "who is deaf", "was kind", "and", ".", "\n\n", "\u2026", "\u201c", "(",
     "\u200b", "\u202e", "\U0001f600", "\x00", "\r", "<b>", "e\u0301", "\u05d0", "A", "=1+1"]
) | st.text(max_size=6)  # fmt: skip
rough = st.lists(pieces, max_size=12).map(" ".join)


@examples(150, settings(suppress_health_check=[HealthCheck.function_scoped_fixture]))
@given(text=rough, literal=st.booleans(), order=st.integers(1, 3))
def test_the_probe_answers_or_refuses(
    text: str,
    literal: bool,
    order: int,
    shipped: dict[str, Dictionary],
    parses: ParseStore,
) -> None:
    store = PredictionStore(load_model("vader"))
    dictionaries = [shipped[a] for a in ("race", "gender", "age", "disability")]
    chosen = Settings(order=order, limit=5, literal=literal)
    pipeline = Pipeline(dictionaries, parses, [store], chosen)
    try:
        plan = pipeline.plan(text)
        check = pipeline.check(text)
    except InputError:
        event("refused")
        return
    event("checked")
    for occurrence in [*plan.occurrences, *(r.occurrence for r in plan.rejected)]:
        assert plan.text[slice(*occurrence.span)] == occurrence.surface
    for judged in check.outcomes["vader"]:
        assert undo(judged.mutant) == plan.text
        assert judged.verdict is not Verdict.UNANSWERED
        assert judged.conformance.kept is (judged.verdict is not Verdict.DISCARDED)
    made = check_to_json(check, "vader")
    assert sum(made["counts"].values()) == len(made["mutants"])
    if order > 1:
        assert sum(m["order"] > 1 for m in made["mutants"]) <= 5
    assert rows_to_csv(check_to_rows(check)).count("\n") >= len(check.mutants)
