"""How far a repair is, and what it changed, as files in its folder: for those who look on."""

import contextlib
import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hinter_core.repair.figures import Errors, Learnt, Measured, RepairResult
from hinter_core.report.metrics.accuracy import Accuracy
from hinter_core.statistics.rates import Difference, Rate
from hinter_core.storage import write_text

STAGES = ("diagnosis", "examples", "training", "measurement")  # in their order
_PROGRESS, _FIGURES = "progress.json", "figures.json"
_EVERY = 0.5  # seconds between two notes of one stage


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of a repair, and how much of it is done."""

    name: str
    done: int = 0
    of: int = 0


class Notes:
    """Write down how far the repair of a folder is."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._last = ("", 0.0)

    def note(self, stage: Stage) -> None:
        """Write the stage, unless it was written a moment ago."""
        name, when = self._last
        if stage.name == name and time.monotonic() - when < _EVERY:
            return
        self._last = stage.name, time.monotonic()
        write_text(self._folder / _PROGRESS, json.dumps(asdict(stage), ensure_ascii=False))


def noted_at(folder: Path) -> float | None:
    """Return when a stage was last noted in a folder, in seconds since 1970; None: never."""
    with contextlib.suppress(OSError):
        return (folder / _PROGRESS).stat().st_mtime
    return None


def stage_in(folder: Path) -> Stage | None:
    """Return the stage that the repair of a folder was in last; None before the first."""
    stage = _read(folder / _PROGRESS)
    return Stage(**stage) if stage else None


def write_figures(folder: Path, result: RepairResult) -> None:
    """Write what a repair changed."""
    write_text(folder / _FIGURES, json.dumps(asdict(result), ensure_ascii=False))


def figures_in(folder: Path) -> RepairResult | None:
    """Return what the repair of a folder changed; None before its end."""
    figures = _read(folder / _FIGURES)
    if figures is None:
        return None
    before, after = (Rate(**rate) for rate in figures["accuracy"])
    measured = [
        Measured(
            one["name"],
            _errors(one["before"]),
            _errors(one["after"]),
            _difference(one.get("difference")),
        )
        for one in figures["measured"]
    ]
    learnt, change = Learnt(**figures["examples"]), _difference(figures.get("accuracy_change"))
    return RepairResult(figures["model"], learnt, (before, after), measured, change)


def _difference(figures: Mapping[str, Any] | None) -> Difference | None:
    return Difference(**figures) if figures else None


def _errors(figures: Mapping[str, Any]) -> Errors:
    hits, of = figures["neutral"]
    correct = figures["accuracy"]
    accuracy = Accuracy(**{**correct, "correct": Rate(**correct["correct"])}) if correct else None
    return Errors(
        Rate(**figures["single"]),
        Rate(**figures["combined"]),
        figures["hidden"],
        (hits, of),
        accuracy,
    )


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
