"""A store spends no more than it may, and refuses nothing that it could afford."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from hinter_core.models.base import Capabilities
from hinter_core.models.budget import Budget, Cost, Usage, total
from hinter_core.models.store import PredictionStore
from hinter_core.types import Failure, Prediction

ROUNDING = 1 + 1e-9


@dataclass
class Priced:
    """Each text has an estimate and a real cost; some fail, some replies are lost in between."""

    estimates: dict[str, float]
    shares: dict[str, float]
    failing: set[str]
    breaks_after: int
    name: str = "priced"
    identity: str = "priced"
    reply_identity: str = "priced"
    capabilities: Capabilities = field(default_factory=Capabilities)
    usage: Usage = field(default_factory=Usage)
    asked: list[str] = field(default_factory=list)
    paid: list[Cost] = field(default_factory=list)

    def visible(self, text: str) -> int:
        return len(text)

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        raise AssertionError("a generative model is asked for replies")

    def read(self, replies: Sequence[Prediction]) -> list[Prediction]:
        return [r if r.failure else Prediction((r.reply,)) for r in replies]

    def estimate(self, text: str) -> Cost:
        return Cost(1, money=self.estimates[text])

    def reply(self, texts: Sequence[str]) -> Iterator[tuple[int, Prediction, Cost]]:
        for index in reversed(range(len(texts))):
            text = texts[index]
            if len(texts) > 1 and len(self.asked) == self.breaks_after:
                self.breaks_after = -1
                raise RuntimeError("the line broke")
            self.asked.append(text)
            real = Cost(1, money=self.estimates[text] * self.shares[text])
            self.paid.append(real)
            if text in self.failing:
                yield index, Prediction(failure=Failure.ERROR, detail="busy"), real
            else:
                yield index, Prediction(reply=text), real


prices = st.one_of(
    st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0]), st.floats(0, 2, allow_nan=False, width=16)
)


@st.composite
def runs(draw: st.DrawFn) -> tuple[Priced, Budget, int]:
    texts = [f"{'x' * draw(st.integers(0, 3))}{n}" for n in range(draw(st.integers(1, 12)))]
    model = Priced(
        {text: draw(prices) for text in texts},
        {text: draw(st.sampled_from([0.0, 0.3, 1.0])) for text in texts},
        set(draw(st.lists(st.sampled_from(texts), max_size=3))),
        draw(st.integers(-1, 6)),
    )
    limits = st.one_of(st.none(), st.integers(0, 14)), st.one_of(st.none(), prices, st.just(5.0))
    return model, Budget(draw(limits[0]), draw(limits[1])), draw(st.integers(1, 5))


@given(runs())
def test_no_more_is_spent_than_allowed_and_nothing_affordable_is_refused(
    run: tuple[Priced, Budget, int],
) -> None:
    model, budget, chunk = run
    store = PredictionStore(model, budget=budget)
    found = store.predict(model.estimates, chunk=chunk)
    assert set(found) == set(model.estimates)
    assert budget.spent.requests == len(model.asked) == store.predicted
    assert abs(budget.spent.money - total(model.paid).money) < 1e-9
    if budget.requests is not None:
        assert budget.spent.requests <= budget.requests
    if budget.money is not None:
        assert budget.spent.money <= budget.money * ROUNDING
    # Nothing is in flight now, and what was refused does not fit, since more has been spent.
    over = [text for text, p in found.items() if p.failure is Failure.OVER_BUDGET]
    assert not set(over) & set(model.asked)
    for text in over:
        assert not Budget(budget.requests, budget.money, budget.spent).hold(model.estimate(text))
    # And what is left is really free again.
    assert abs(budget._held.money) < 1e-9
    assert budget._held.requests == 0


@given(runs(), st.integers(1, 5))
def test_repeats_keep_to_the_budget_too(run: tuple[Priced, Budget, int], times: int) -> None:
    model, budget, _ = run
    text = next(iter(model.estimates))
    answers = PredictionStore(model, budget=budget).repeat(text, times)
    assert len(answers) == times
    over = sum(p.failure is Failure.OVER_BUDGET for p in answers)
    assert len(model.asked) == times - over
    if budget.money is not None:
        assert total(model.paid).money <= budget.money * ROUNDING
    if over:
        assert not Budget(budget.requests, budget.money, budget.spent).hold(model.estimate(text))
