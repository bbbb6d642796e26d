"""Metrics of a model: each registers itself, so that a module is all that a new one needs.

A module of ``report/metrics`` or ``report/papers`` is imported by the first report. Each metric it
registers is computed for every model, is an attribute of its
:class:`hinter_core.report.model.ModelReport`, and has its sections in every format.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Generic, TypeVar, cast

from hinter_core.report.counts import ModelCounts
from hinter_core.report.section import Section

T = TypeVar("T")


@dataclass(frozen=True)
class Metric(Generic[T]):
    """A metric of a model; its sections stand in a report in the order of ``place``."""

    name: str
    place: int
    compute: Callable[[ModelCounts], T]
    sections: Callable[[T], Iterable[Section]]

    def of(self, tally: ModelCounts) -> T:
        """Return the value for a model, which is computed once."""
        if self.name not in tally.metrics:
            tally.metrics[self.name] = self.compute(tally)
        return cast(T, tally.metrics[self.name])


_REGISTERED: dict[str, Metric[Any]] = {}


def metric(
    name: str,
    place: int,
    compute: Callable[[ModelCounts], T],
    *sections: Callable[[T], Section | Iterable[Section]],
) -> Metric[T]:
    """Register a metric, in place of an earlier one of that name."""

    def written(value: T) -> Iterable[Section]:
        for section in sections:
            made = section(value)
            yield from [made] if isinstance(made, Section) else made

    made = _REGISTERED[name] = Metric(name, place, compute, written)
    return made


def every_metric() -> list[Metric[Any]]:
    """Return all metrics in the order of their places."""
    _import_all()
    return sorted(_REGISTERED.values(), key=lambda one: one.place)


@cache
def _import_all() -> None:
    for name in ("metrics", "papers"):
        package = import_module(f"hinter_core.report.{name}")
        for module in iter_modules(package.__path__, f"{package.__name__}."):
            import_module(module.name)
