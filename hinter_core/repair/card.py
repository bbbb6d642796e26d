"""What a repair changed, as a table, and as the model card of the repaired model."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hinter_core import __version__
from hinter_core.repair.figures import Learnt, Measured, RepairResult
from hinter_core.report.formats import markdown_of
from hinter_core.report.section import Cell, Section
from hinter_core.statistics.format import difference_in_words, rate_in_words, share_in_words
from hinter_core.storage import write_text


def sections_of(result: RepairResult) -> list[Section]:
    """Return the figures before and after, for people to read."""
    before, after = result.accuracy
    learnt = result.examples
    sentences = [
        f"The model learnt from {counted(learnt)}.",
        *notes_on(learnt),
        f"Accuracy on texts that it did not learn from: {rate_in_words(before)} before, "
        f"{rate_in_words(after)} after{_accuracy(result)}.",
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


def counted(learnt: Learnt) -> str:
    """Format ``240 texts, 24 sentences, 496 variants``."""
    names = ("texts", "sentences", "variants")
    return ", ".join(f"{getattr(learnt, name):,} {name}" for name in names)


def notes_on(learnt: Learnt) -> list[str]:
    """Say what the diagnosis found, which texts were left out, and what the test has in common."""
    notes = {
        f"The diagnosis found {learnt.errors or 0:,} errors among {learnt.mutants:,} mutants with "
        "the words that it learns from.": learnt.errors is not None,
        "No word changed an answer in the half that it learns from, so the sentences were drawn "
        "from all words alike. Words that change answers may be in the half kept for the test: "
        "try another --seed.": learnt.errors == 0,
        f"Rows left out that repeat another text: {learnt.repeats:,}.": learnt.repeats,
        f"Texts left out that have words kept for the test: {learnt.held_out:,}.": learnt.held_out,
        f"Of the texts and sentences that it learnt from, {learnt.with_kept:,} have words that "
        "were kept for the test, so these words are not new to it.": learnt.with_kept,
        f"Of the sentences and variants that it learnt from, {learnt.in_test:,} stand in the test "
        "with the words that it learnt from, so they are not new to it.": learnt.in_test,
        "Texts and sentences left out of the file, as they have no label and the model did not "
        f"answer them: {learnt.unanswered:,}.": learnt.unanswered,
    }
    return [note for note, applies in notes.items() if applies]


def _accuracy(result: RepairResult) -> str:
    if result.accuracy_change is None:
        return ""
    tells = {"too_few": ", too few texts to tell", "holds": ", no clear change"}
    words = difference_in_words(result.accuracy_change)
    return f": {words}{tells.get(result.accuracy_said, '')}"


def _fall(one: Measured) -> str:
    before, after = share_in_words(one.before.share), share_in_words(one.after.share)
    apart = difference_in_words(one.difference) if one.difference else ""
    by = f"{100 * abs(one.less or 0):.0f}\u00a0%"
    said = {
        "untested": "nothing was tested, as no mutant was made and answered.",
        "none": "there was no error, before or after.",
        "unsaid": f"errors of {before} of the mutants before and {after} after.",
        "unclear": f"errors of {before} of the mutants before and {after} after: {apart}, no clear "
        "change.",
        "new": f"there was no error before, and {after} of the mutants have one after: {apart}.",
        "less": f"errors fell by {by}, from {before} to {after} of the mutants: {apart}.",
        "more": f"errors rose by {by}, from {before} to {after} of the mutants: {apart}.",
    }
    words = said[one.change]
    if one.more_hidden:
        hidden = f"; hidden errors rose from {one.before.hidden:,} to {one.after.hidden:,}."
        words = words.removesuffix(".") + hidden
    return f"{one.name}: {words}"


def write_card(
    folder: Path, settings: Mapping[str, Any], result: RepairResult, licence: str
) -> None:
    """Write README.md beside the weights: what was learnt, with which settings, and the figures.

    Files are named without their folders. ``licence``: that of the model; "" if it is not known.
    """
    named = {name: _without_folders(str(value)) for name, value in settings.items()}
    applies = f"The licence of {named['model']} applies to these weights, too"
    listed = Section(
        "settings", "Settings",
        [f"Made with HInter {__version__}: hinter repair.",
         f"{applies}: {licence}." if licence else f"{applies}; its card names it."],
        ["Setting", "Value"], [[name, value] for name, value in named.items()],
    )  # fmt: skip
    text = markdown_of(f"{named['model']}, repaired", [*sections_of(result), listed])
    head = f"---\nlicense: {licence}\n---\n\n" if licence else ""
    write_text(folder / "README.md", head + text)


def licence_in(folder: Path) -> str:
    """Return the licence that the card of a model in a folder names; "" if it names none."""
    try:
        card = (folder / "README.md").read_text(encoding="utf-8")
    except OSError:
        return ""
    found = re.match(r"---\n(?:.*\n)*?license: *(.+)\n", card.partition("\n---")[0] + "\n")
    return found[1].strip() if found else ""


def _without_folders(names: str) -> str:
    parts = []
    for name in names.split(","):
        kind, path = name[:3] * name.startswith("hf:"), name.removeprefix("hf:")
        path, query, options = path.partition("?")
        parts.append(kind + (Path(path).name if Path(path).exists() else path) + query + options)
    return ",".join(parts)
