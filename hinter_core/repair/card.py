"""What a repair changed, as a table, and as the model card of the repaired model."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hinter_core import __version__
from hinter_core.repair.figures import Measured, RepairResult
from hinter_core.report.formats import markdown_of
from hinter_core.report.section import Cell, Section
from hinter_core.statistics.format import rate_in_words, share_in_words
from hinter_core.storage import write_whole


def sections_of(result: RepairResult) -> list[Section]:
    """Return the figures before and after, for people to read."""
    before, after = result.accuracy
    learnt = ", ".join(f"{number:,} {name}" for name, number in result.examples.items())
    sentences = [
        f"The model learnt from {learnt}.",
        f"Accuracy on texts that it did not learn from: {rate_in_words(before)} before, "
        f"{rate_in_words(after)} after.",
        *(_fall(one) for one in result.measured),
    ]
    columns = ["Measured on", "Model", "Single changes", "Combined changes", "Hidden",
               "Neutral changes", "Accuracy"]  # fmt: skip
    rows: list[list[Cell]] = []
    for one in result.measured:
        for name, errors in (("before", one.before), ("after", one.after)):
            hits, of = errors.neutral
            right = errors.accuracy.correct if errors.accuracy else ""
            rows.append(
                [one.name, name, errors.single, errors.combined, errors.hidden,
                 f"{hits:,} of {of:,}", right]
            )  # fmt: skip
    return [Section("repair", "Before and after", sentences, columns, rows)]


def _fall(one: Measured) -> str:
    if one.less is None:
        return f"{one.name}: there was no error before."
    if not one.clear:
        return (
            f"{one.name}: errors of {share_in_words(one.before.share)} of the mutants before and "
            f"{share_in_words(one.after.share)} after, no change beyond the intervals below."
        )
    verb = "fell" if one.less >= 0 else "rose"
    return (
        f"{one.name}: errors {verb} by {100 * abs(one.less):.0f}\u00a0%, from "
        f"{share_in_words(one.before.share)} to {share_in_words(one.after.share)} of the mutants."
    )


def write_card(folder: Path, settings: Mapping[str, Any], result: RepairResult) -> None:
    """Write README.md beside the weights: what was learnt, with which settings, and the figures."""
    listed = Section(
        "settings", "Settings", [f"Made with HInter {__version__}: hinter repair."],
        ["Setting", "Value"], [[name, str(value)] for name, value in settings.items()],
    )  # fmt: skip
    text = markdown_of(f"{settings['model']}, repaired", [*sections_of(result), listed])
    with write_whole(folder / "README.md") as part:
        part.write_text(text, encoding="utf-8")
