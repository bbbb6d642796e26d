"""``hinter repair``: a classifier learns from balanced cases, and what changed is measured."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from tqdm import tqdm

from hinter_core.cli.options import print_json, say, with_options
from hinter_core.errors import InputError
from hinter_core.repair.card import sections_of
from hinter_core.repair.progress import Stage
from hinter_core.repair.repair import REPAIR_OPTIONS, Repair, RepairRun
from hinter_core.report.formats import plain, print_sections


@with_options(list(REPAIR_OPTIONS.values()))
def repair(
    *,
    settings: dict[str, Any],
    out: Annotated[
        Path, typer.Option(help="Directory of the repair; an interrupted one goes on there.")
    ] = Path("repair"),
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Repair a classifier: train it further on balanced cases, and measure before and after."""
    for name, value in settings.items():
        option = REPAIR_OPTIONS[name]
        if isinstance(value, int | float) and not option.holds(value):
            raise InputError(f"--{name} is {option.range}, not {value}.")
    run = RepairRun(Repair(**settings), out)
    with _stop_asked() as stop, tqdm(disable=not sys.stderr.isatty(), dynamic_ncols=True) as bar:

        def on_stage(stage: Stage) -> None:
            bar.set_description(stage.name)
            bar.total, bar.n = stage.of or None, stage.done
            bar.refresh()

        result = run.run(on_stage, stop.is_set)
    if result is None:
        raise KeyboardInterrupt  # what was done is kept
    if as_json:
        print_json(plain(result))
        return
    print_sections(sections_of(result), sys.stdout)
    say(f"The model is in {out / 'model'}; test it as {result.model}.")


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
