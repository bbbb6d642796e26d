"""Repair with several shares of sentences and numbers of topmost words (Astraea, Table VII)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median

from hinter_core.repair.figures import Errors, RepairResult
from hinter_core.repair.repair import REPAIR_OPTIONS, OnStage, Repair, RepairRun
from hinter_core.report.section import Cell, Section
from hinter_core.statistics.rates import Estimate

Configuration = tuple[int, float]  # topmost words (0: all), and share
_ALL = "all"


def sweep(
    repair: Repair,
    folder: Path,
    shares: Sequence[float],
    tops: Sequence[int],
    on_stage: OnStage = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> dict[Configuration, RepairResult] | None:
    """Repair once for each pair of settings, in a folder each; None if ``cancelled``.

    A second run continues with what is left.

    Raises:
        InputError: a share or a number of words is out of range, or see :class:`RepairRun`.
    """
    for name, values in (("share", shares), ("top", tops)):
        for value in values:
            REPAIR_OPTIONS[name].read(value, "--")
    results = {}
    for top in dict.fromkeys(tops):
        for share in dict.fromkeys(shares):
            one = replace(repair, top=top, share=share)
            run = RepairRun(one, folder / f"top-{top or _ALL}-share-{share:g}")
            result = run.run(on_stage, cancelled)
            if result is None:
                return None
            results[top, share] = result
    return results


def sweep_section(results: Mapping[Configuration, RepairResult]) -> Section:
    """Report errors and improvements by share and topmost words, with their mean and median."""
    rows: list[list[Cell]] = []
    names = [one.name for one in next(iter(results.values())).measured]
    for place, name in enumerate(names):
        for top in dict.fromkeys(top for top, _ in results):
            by_share = {share: result for (t, share), result in results.items() if t == top}
            measured = [result.measured[place] for result in by_share.values()]
            before = next(iter(by_share.values())).accuracy[0]
            start: list[Cell] = [name, top or _ALL]
            rows.append([*start, "0 (before)", *_errors(measured[0].before), "", before, before.of])
            for (share, result), one in zip(by_share.items(), measured, strict=True):
                less = Estimate(one.less, why="no error before")
                accuracy = result.accuracy[1]
                said = f"{100 * share:g}\u00a0%"
                rows.append([*start, said, *_errors(one.after), less, accuracy, accuracy.of])
            gains = [one.less for one in measured if one.less is not None]
            rates = [one.after.share for one in measured if one.after.share is not None]
            for word, figure in (("mean", fmean), ("median", median)) if gains else ():
                values = (Estimate(figure(rates)), Estimate(figure(gains)))
                rows.append([*start, word, "", *values, "", ""])
    sentences = [
        "Top: how many of the words that change the answer most often the sentences were drawn "
        "from. Share: sentences learnt from, as a share of the texts. Improvement: by what share "
        "of the error rate before it fell (Astraea, Table VII). One training each: differences of "
        "a few points are chance."
    ]
    columns = ["Measured on", "Top", "Share", "Errors", "Error rate", "Improvement", "Accuracy",
               "Texts of accuracy"]  # fmt: skip
    return Section("sweep", "Errors by what was learnt from", sentences, columns, rows)


def _errors(errors: Errors) -> list[Cell]:
    return [errors.all[0], Estimate(errors.share)]
