"""``hinter repair``: a classifier learns from balanced cases, and what changed is measured."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

from tqdm import tqdm
from typer import Option

from hinter_core.cli.options import print_json, say, with_options
from hinter_core.errors import InputError
from hinter_core.generators.grammars.reading import load_grammar
from hinter_core.repair.card import counted, notes_on, sections_of
from hinter_core.repair.examples import divided_in
from hinter_core.repair.figures import Learnt, RepairResult
from hinter_core.repair.progress import Stage
from hinter_core.repair.repair import REPAIR_OPTIONS, Repair, RepairRun
from hinter_core.repair.sweep import Configuration, sweep_section
from hinter_core.repair.sweep import sweep as sweep_of
from hinter_core.report.formats import plain, print_sections

Number = TypeVar("Number", int, float)


@with_options(REPAIR_OPTIONS.values())
def repair(
    *,
    settings: dict[str, Any],
    out: Annotated[
        Path, Option(help="Directory of the repair; an interrupted one goes on there.")
    ] = Path("repair"),
    sweep: Annotated[
        str,
        Option(
            help="Repair once with each of these shares, with commas, such as 0.0025,0.01,0.05; "
            "print one table (Astraea, Table VII)."
        ),
    ] = "",
    tops: Annotated[str, Option(help="With --sweep: numbers of topmost words, such as 5,10.")] = "",
    examples_only: Annotated[
        bool,
        Option(
            "--examples-only",
            help="Train nothing: write the texts to learn from to OUT/examples.csv (text, label). "
            "For any classifier, which you train yourself.",
        ),
    ] = False,
    as_json: Annotated[bool, Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Repair a classifier: train it further on balanced cases, and measure before and after."""
    for name, value in settings.items():
        REPAIR_OPTIONS[name].read(value, "--")
    wanted = Repair(**settings)
    if tops and not sweep:
        raise InputError("--tops belongs to --sweep; name one number with --top, or add --sweep.")
    if examples_only and sweep:
        raise InputError("--sweep trains models; leave it out, or --examples-only.")
    shares, numbers = _numbers("sweep", sweep, float), _numbers("tops", tops, int)
    with _stop_asked() as stop, tqdm(disable=None, dynamic_ncols=True) as bar:

        def on_stage(stage: Stage) -> None:
            bar.set_description(stage.name)
            bar.total, bar.n = stage.of or None, stage.done
            bar.refresh()

        result: RepairResult | dict[Configuration, RepairResult] | tuple[Path, Learnt] | None
        if examples_only:
            result = RepairRun(wanted, out, trains=False).write_examples(on_stage, stop.is_set)
        elif shares:
            result = sweep_of(wanted, out, shares, numbers or [wanted.top], on_stage, stop.is_set)
        else:
            result = RepairRun(wanted, out).run(on_stage, stop.is_set)
    if result is None:
        raise KeyboardInterrupt  # what was done is kept
    if isinstance(result, tuple):
        _say_examples(*result, out / "grammars")
        return
    if isinstance(result, dict):
        shown = [sweep_section(result)]
        cells = plain(shown[0].cells)
        values = [dict(zip(shown[0].columns, row, strict=True)) for row in cells]
    else:
        shown, values = sections_of(result), plain(result)
    if as_json:
        print_json(values)
        return
    print_sections(shown, sys.stdout)
    if isinstance(result, RepairResult):
        say(f"The model is in {out / wanted.name}; test it as {result.model}.")


def _say_examples(path: Path, learnt: Learnt, folder: Path) -> None:
    seen, unseen = (folder / f"{half}.yaml" for half in ("seen", "unseen"))
    attributes = divided_in(load_grammar(str(seen)), load_grammar(str(unseen)))
    for note in notes_on(learnt):
        say(note)
    say(
        f"The texts to learn from are in {path}: {counted(learnt)}. Train your model with them, "
        "then test the old and the new one on the words that were kept for it: hinter run "
        f"--grammar {unseen} --attributes {','.join(attributes)} --model OLD --model NEW"
    )


def _numbers(name: str, given: str, kind: Callable[[str], Number]) -> list[Number]:
    try:
        return [kind(one) for one in given.split(",") if one.strip()]
    except ValueError as error:
        raise InputError(
            f"--{name} takes numbers with commas between them, not '{given}'."
        ) from error


@contextmanager
def _stop_asked() -> Iterator[threading.Event]:
    """Set the event at the first interrupt, so that what was done is kept; a second one ends."""
    stop = threading.Event()

    def ask(*_: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        say("hinter: stopping; what was learnt so far is kept.", err=True)

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = signal.signal(signal.SIGINT, ask)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
