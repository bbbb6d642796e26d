"""``hinter run`` tests a data set; ``hinter verify`` checks a campaign's directory."""

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from itertools import islice
from math import ceil
from multiprocessing import active_children
from pathlib import Path
from typing import Annotated, Any

import typer
from tqdm import tqdm
from typer import Argument, Option

from hinter_core.api.campaigns import prepare_run, renewed_in_words
from hinter_core.campaign.listing import campaigns_in
from hinter_core.campaign.preview import Forecast, forecast, labels_in_words
from hinter_core.campaign.progress import (
    ANSWERED,
    Reason,
    missing_in_words,
    missing_shards,
    unanswered,
    untested_in_words,
)
from hinter_core.campaign.running.on_ray import EngineName, engine_named
from hinter_core.campaign.running.parts import read_part
from hinter_core.campaign.running.rejudged import contradictions
from hinter_core.campaign.running.run import RunProgress, plan_run, run_campaign
from hinter_core.campaign.running.workers import OpenEngine
from hinter_core.campaign.settings import CAMPAIGN_OPTIONS
from hinter_core.campaign.spec import Campaign, from_mapping, load_campaign
from hinter_core.campaign.store import SPEC, CampaignStore
from hinter_core.cli.options import (
    Folder,
    exit_for,
    print_json,
    require_writable,
    say,
    with_options,
)
from hinter_core.cli.report import FailOver, Gate, JUnitFile, SarifFile, gate_faults
from hinter_core.errors import INTERRUPTED, UNANSWERED, InputError
from hinter_core.models.budget import Budget, cost_in_words
from hinter_core.models.cache import LASTING
from hinter_core.places import place_of
from hinter_core.report.formats import print_sections
from hinter_core.report.gate import GateOn, require_share
from hinter_core.report.metrics.excess import FEWEST_PLACEBO
from hinter_core.report.metrics.priority import priority_in_words
from hinter_core.report.model import make_report
from hinter_core.report.section import Rows as Cells
from hinter_core.report.section import Section, short_names
from hinter_core.types import MASKED_PLACE, Failure
from hinter_core.validity.survey import faults as validity_faults

_REASONS = 5  # that are printed
_FAULTS = 5  # that are named
_EVERY = 30.0  # seconds between two lines if there is no terminal
_MEASURED = 20.0  # seconds after which the time left is known roughly
_LONG = 3.0  # minutes left for which more workers are worth their start
_STOPPING = (
    "stopping. Requests and shards under way are waited for, and finished work is kept. "
    "Press Ctrl-C again to end now."
)
_ENDS = (signal.SIGINT, signal.SIGTERM)
_ASK_ANEW = "To ask it about all texts, add --fresh and another directory (--out)."
_LARGE = 1_000_000  # mutants of a campaign whose report is made at once


@with_options(CAMPAIGN_OPTIONS.values())
def run(
    *,
    settings: dict[str, Any],
    campaign: Annotated[
        Path | None, Argument(help="Campaign file (YAML); options override it.")
    ] = None,
    out: Annotated[
        Path,
        Option(
            parser=place_of, metavar="PATH", help="The campaign's directory, or s3://BUCKET/FOLDER."
        ),
    ] = Path("campaign"),
    fail_over: FailOver = None,
    gate_on: Gate = GateOn.EXCESS,
    junit_file: JUnitFile = None,
    sarif_file: SarifFile = None,
    part: Annotated[
        str, Option(metavar="K/N", help="Run part K of N, beside the others or one after another.")
    ] = "",
    engine: Annotated[
        EngineName, Option(help="What runs the workers: processes of this machine, or Ray.")
    ] = EngineName.LOCAL,
    gpus: Annotated[
        float, Option(help="GPUs of each worker on Ray, also a part of one, such as 0.5.")
    ] = 0.0,
    estimate: Annotated[
        bool, Option("--estimate", help="Estimate work and cost without testing.")
    ] = False,
    as_json: Annotated[bool, Option("--json", help="Print the estimate as JSON.")] = False,
    resume: Annotated[
        bool,
        Option(
            "--resume",
            help="Continue the campaign in the directory; what is not given is as it was, but for "
            "budgets.",
        ),
    ] = False,
    retry_failed: Annotated[
        bool,
        Option(
            "--retry-failed",
            help="Repeat requests without an answer; with --ask-again, also those "
            "whose reply holds no label.",
        ),
    ] = False,
) -> None:
    """Test every text of a data set; continue an interrupted run with --resume.

    Exit codes: 0 all mutants have a verdict, or a prioritised run ended by its rule or budget;
    1 --fail-over is exceeded; 2 bad input, or a model that cannot be used; 3 mutants are
    unanswered, see --retry-failed; 130 stopped.
    """
    _require_limit(fail_over, gate_on)
    run_part = read_part(part) if part else None
    store = CampaignStore(out, run_part)
    begun = _begun(store) if resume or retry_failed else Campaign()
    base = load_campaign(campaign) if campaign else begun
    read = from_mapping(settings, "the options")
    chosen = replace(base, **{name: getattr(read, name) for name in settings})
    _require_used(chosen, settings)
    require_writable(junit_file, sarif_file)
    opened = engine_named(engine, gpus)
    if chosen.replaced:
        say(chosen.replaced, err=True)
    if estimate:
        seen = forecast(plan_run(chosen), elsewhere=opened is not None)
        say(json.dumps(asdict(seen)) if as_json else _forecast(seen))
        if run_part:
            share = f"this run{run_part.in_words}, does about {100 / run_part.of:.0f} % of it"
            say(f"The estimate is of the whole campaign; {share}.", err=as_json)
        return
    running = prepare_run(chosen, store, resume=resume, retry_failed=retry_failed)
    if retry_failed:
        say(f"{len(running.repeated)} tables with failures are repeated.", err=True)
    elif running.repeated:
        number = len(running.repeated)
        say(f"{number} tables that the budget left with gaps are continued.", err=True)
    done = _run_with_progress(chosen, running, opened)
    if part:
        say(missing_in_words(store) or "The campaign is complete with all its parts.")
    lost = unanswered(store, chosen.models)
    for line in (*untested_in_words(store), *_unanswered(lost, chosen)):
        say(line)
    if any(value is not None for value in (fail_over, junit_file, sarif_file)):
        made = make_report(store)
        exit_for(gate_faults(store, made, fail_over, gate_on, junit_file, sarif_file))
    whole = CampaignStore(out)
    if done.mutants >= _LARGE and not missing_shards(whole):
        say("The report is made, so that it opens at once.", err=True)
        make_report(whole)
    if lost:
        raise typer.Exit(UNANSWERED)


def _begun(store: CampaignStore) -> Campaign:
    """Return the campaign of a directory with all models that it was run with, if it has one.

    Budgets and a fresh start are of one run.
    """
    if not (store.folder / SPEC).exists():
        return Campaign()
    campaign, models = store.campaign(), store.read()["models"]
    usual = {name: CAMPAIGN_OPTIONS[name].default for name in ("requests", "budget", "fresh")}
    return replace(campaign, models=tuple(models) or campaign.models, **usual)


def _require_limit(fail_over: float | None, gate_on: GateOn) -> None:
    if fail_over is not None:
        require_share(fail_over)
    elif gate_on is not GateOn.EXCESS:
        raise InputError("--gate-on says what --fail-over limits; add --fail-over SHARE.")


def _require_used(chosen: Campaign, given: dict[str, Any]) -> None:
    """Refuse options that would have no effect."""
    if chosen.mutants and "attributes" in given:
        raise InputError("A file of mutants names their attributes itself; leave out --attributes.")
    if not (chosen.grammar and "models" in given):
        return
    if (usual := chosen.pinned().models) != chosen.models:
        raise InputError(
            f"The grammar {chosen.title} is for another task than {', '.join(chosen.models)}; "
            f"leave out --model, or name a model such as {', '.join(usual)}."
        )


def _unanswered(lost: Sequence[Reason], campaign: Campaign) -> list[str]:
    """Say how many mutants have no answer, why, and how to ask again."""
    if not lost:
        return []
    number = sum(reason.mutants for reason in lost)
    lines = [f"{number:,} mutants are unanswered and count in no rate:"]
    if number == 1:
        lines = ["1 mutant is unanswered and counts in no rate:"]
    lines += [f"  {one.mutants:,} of {one.model}: {one.in_words}" for one in lost[:_REASONS]]
    if len(lost) > _REASONS:
        lines.append(f"  and {len(lost) - _REASONS:,} further reasons, in hinter report")
    kinds = {reason.failure for reason in lost}
    passing = kinds - LASTING
    again = "--resume" if passing <= {Failure.OVER_BUDGET} else "--retry-failed"
    if kinds & {Failure.UNPARSABLE, Failure.REFUSED} and not campaign.ask_again:
        again += " (and --ask-again for replies that hold no label)"
    if Failure.UNPARSABLE in kinds:
        lines.append("Where no label could be read, let the question ask for the label alone.")
    if passing:
        lines.append(f"To ask only these again, repeat the command with {again}.")
    if Failure.NO_MASK in kinds:
        lines.append(f"A text without {MASKED_PLACE} stays without an answer of a masked model.")
    if Failure.TOO_LONG in kinds:
        lines.append("What is too long for a model stays so: --window N changes the first N only.")
    return lines


def _forecast(seen: Forecast) -> str:
    share = seen.tested / seen.looked_at if seen.looked_at else 0.0
    orders = ", ".join(f"{number:,} of order {order}" for order, number in seen.mutants.items())
    looked = (
        f"the {seen.looked_at}{' others' if seen.unusable else ''}"
        if seen.whole
        else f"{seen.looked_at} drawn ones"
    )
    bound = "at most" if seen.whole else "at most about"
    unusable = f"{'' if seen.counted else 'about '}{seen.unusable:,} cannot be used; "
    lines = [
        f"{seen.texts:,} texts; {unusable if seen.unusable else ''}{seen.tested} of {looked} "
        f"({100 * share:.0f} %) have something to test",
        f"about {sum(seen.mutants.values()):,} mutants: {orders or 'none'}",
        f"about {seen.parses:,} sentences to parse, {bound} {seen.predictions:,} predictions",
        f"about {timedelta(seconds=round(seen.seconds))} for parsing and local models",
        *filter(None, [seen.power]),
    ]
    if seen.compared:
        most = f"; most of the others because {seen.discard}" if seen.discard else ""
        order = min(2, max(seen.mutants))
        shares = [f"{name} {100 * share:.0f} %" for name, share in seen.by_attributes.items()]
        lines[2:2] = [
            f"about {100 * seen.kept / seen.compared:.0f} % of the {seen.compared} mutants of "
            f"order {order} that were compared with their texts are kept and tested{most}",
            f"kept of the changes of {', '.join(shares)}",
        ]
    if max(seen.mutants, default=0) > 1 and seen.placebo < FEWEST_PLACEBO:
        # So many texts, if the others are like these.
        needed = ceil(seen.usable * FEWEST_PLACEBO / seen.placebo) if seen.placebo else 0
        more = f"(roughly {needed:,} texts like these make {FEWEST_PLACEBO}) " if needed else ""
        lines.append(
            f"--fail-over may fail: it needs {FEWEST_PLACEBO} placebo mutants of order 2 in texts "
            f"with kept mutants, and about {seen.placebo:,} are made; add texts {more}with neutral "
            "words of two kinds, such as a day and a meal, or --gate-on rate"
        )
    lines += [f"{name}: {bound} {cost_in_words(cost)}" for name, cost in seen.costs.items()]
    lines += [
        f"{name} does not read the change in {100 * share:.0f} % of the mutants; --window N "
        "changes only the first N characters of a text"
        for name, share in seen.unseen.items()
        if share
    ]
    return "\n".join(lines)


def _run_with_progress(
    settings: Campaign, store: CampaignStore, engine: OpenEngine | None
) -> RunProgress:
    started = time.monotonic()
    work = plan_run(settings, store)
    drawn = min(settings.sentences, settings.sample or settings.sentences)
    if settings.grammar and work.texts < drawn:
        say(f"{settings.title} has {work.texts:,} different sentences; all are tested.", err=True)
    for line in labels_in_words(work.table):
        say(line, err=True)
    shards = store.part.shards(work.shards) if store.part else work.shards
    state = RunProgress(0, shards)
    budget = Budget(settings.requests, settings.budget)
    pace = _Pace(os.cpu_count() or 1)
    where = f"{store.folder}{store.part.in_words if store.part else ''}"
    alone = settings.workers == 1 and not (engine or store.part or settings.prioritised)
    with tqdm(
        total=shards * work.size if store.part else work.texts,
        unit=" texts",
        disable=None,
        dynamic_ncols=True,
    ) as bar:

        def on_progress(progress: RunProgress) -> None:
            nonlocal state
            for name in () if state.shards else progress.renewed:
                bar.write(renewed_in_words(name), file=sys.stderr)
            state = progress
            if alone and (words := pace.advice(progress)):
                bar.write(words, file=sys.stderr)
            bar.update(progress.texts - bar.n)
            bar.set_postfix_str(
                _asked(progress) or f"{progress.mutants:,} mutants, {progress.hidden:,} hidden"
            )

        def show() -> None:
            answers = "" if state.predictions else answers_in_words(budget.spent.requests)
            if bar.disable:
                line = _line(state, time.monotonic() - started, len(settings.models))
                say(f"{time.strftime('%H:%M:%S')} {where}: {line}{answers}", err=True)
            elif answers:  # no shard has ended yet
                bar.set_postfix_str(answers.removeprefix("; "))
            else:
                bar.refresh()  # for its clock

        with _ended_by_second_interrupt(), _repeated(show, _EVERY if bar.disable else 1.0):
            done = run_campaign(
                settings, store, work, on_progress=on_progress, engine=engine, budget=budget
            )
    say(_line(done, time.monotonic() - started, len(settings.models)))
    for name, short in short_names(done.kept).items():
        say(f"{short}: {done.kept[name].in_words}. {_ASK_ANEW}")
    for name, asked in done.priority.items():
        say(f"{name}: {priority_in_words(asked)}")
    return done


@dataclass
class _Pace:
    """How fast one worker is on a machine of so many cores."""

    cores: int
    since: tuple[float, int] | None = None  # seconds, and shards by then
    told: bool = False

    def advice(self, progress: RunProgress) -> str:
        """Say once, of a run that will take long, that several workers may be faster."""
        now = time.monotonic()
        if self.since is None or not (progress.parses or progress.predictions):
            self.since = now, progress.shards  # those of earlier runs take no time
        seconds, shards = now - self.since[0], progress.shards - self.since[1]
        if self.told or self.cores < 2 or seconds < _MEASURED or not shards:
            return ""
        self.told = True
        minutes = seconds / shards * (progress.of - progress.shards) / 60
        if minutes < _LONG:
            return ""
        return (
            f"About {minutes:,.0f} minutes are left with one worker; this machine has {self.cores} "
            "cores. With several it may be faster, and each holds its models: stop with Ctrl-C, "
            "then add --resume --workers 2."
        )


@contextmanager
def _repeated(call: Callable[[], None], seconds: float) -> Iterator[None]:
    """Call something every so many seconds, also while nothing else happens."""
    ended = threading.Event()

    def repeat() -> None:
        while not ended.wait(seconds):
            call()

    threading.Thread(target=repeat, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


@contextmanager
def _ended_by_second_interrupt() -> Iterator[None]:
    """Say at the first interrupt what is waited for; end the process at the second one.

    A scheduler's request to end (SIGTERM) is an interrupt, too. Tables are renamed when they are
    whole, and workers end with the process that started them.
    """

    def end(*_: object) -> None:
        workers = active_children()
        if not workers:  # or pressed once more
            os._exit(INTERRUPTED)
        for worker in workers:  # without them nothing is waited for, and their locks are removed
            worker.kill()

    def stop(*_: object) -> None:
        for one in _ENDS:
            signal.signal(one, end)  # stays, as threads are waited for until the very end
        # Not by print, which may have been interrupted.
        os.write(2, f"\nhinter: {_STOPPING}\n".encode())
        raise KeyboardInterrupt

    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not heard or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {one: signal.signal(one, stop) for one in _ENDS}
    try:
        yield
    finally:
        for one, handler in before.items():
            if signal.getsignal(one) is stop:
                signal.signal(one, handler)


def _asked(progress: RunProgress) -> str:
    """Describe how far a prioritised run is with each model."""
    return "; ".join(
        f"{name}: {state.asked:,} of {state.cases:,} cases, {state.faults:,} changed the answer"
        for name, state in progress.priority.items()
    )


def answers_in_words(requests: int) -> str:
    """Say how many requests were answered before the first shard of a run has ended."""
    return f"; {ANSWERED}{requests:,}" if requests else ""


def _line(progress: RunProgress, seconds: float, models: int) -> str:
    repaired = f"; {progress.repaired} damaged tables made again" if progress.repaired else ""
    hidden = f", {progress.hidden:,} hidden" if not progress.priority else ""
    hidden += f" (of {models} models together)" if hidden and models > 1 else ""
    asked_part = f"; {_asked(progress)}" if progress.priority else ""
    return (
        f"{progress.shards} of {progress.of} shards, {progress.texts:,} texts, "
        f"{progress.mutants:,} mutants{hidden}; {progress.parses:,} parses and "
        f"{progress.predictions:,} predictions in {seconds:.0f} s{repaired}{asked_part}"
    )


def list_campaigns(
    folder: Annotated[
        Path, Argument(parser=place_of, help="A folder that holds campaigns.")
    ] = Path(),
    as_json: Annotated[bool, Option("--json", help="All values as JSON.")] = False,
) -> None:
    """List the campaigns in a folder: data, models, texts, state and last run."""
    campaigns = list(campaigns_in(folder))
    if as_json:
        print_json([asdict(one) for one in campaigns], indent=1)
        return
    rows: Cells = [
        [one.path, one.state_in_words, one.title, ", ".join(one.attributes),
         ", ".join(short_names(one.models).values()),
         f"{one.done:,} of {'?' if one.texts is None else f'{one.texts:,}'}", one.mutants,
         one.last_run[:16].replace("T", " "), one.identity]
        for one in campaigns
    ]  # fmt: skip
    words = [f"{one.path}: {one.fault}" for one in campaigns if one.fault]
    words += [
        f"{one.path}: {one.state_in_words}; hinter report says why." for one in campaigns
        if one.unanswered
    ]  # fmt: skip
    if not campaigns:
        words = ["There is none, here or in the folders below; hinter run makes one."]
    columns = ["Directory", "State", "Data", "Attributes", "Models", "Texts", "Mutants",
               "Last run (UTC)", "Identity"]  # fmt: skip
    title = f"Campaigns in {folder.resolve()}"
    print_sections([Section("list", title, words, columns, rows)], sys.stdout)


def verify(folder: Folder) -> None:
    """Check that a campaign's tables are intact, fit together, and say what their answers say.

    Every checksum is read. Every mutant is judged again by the stored answers: whether the answer
    changed, and the verdict, which is hidden if all its parts are kept and benign, and discarded if
    the mutant is. Answers are not asked again, and texts not changed again: an exchanged answer
    does not show if all that follows from it was exchanged, too.
    """
    store = CampaignStore(folder)
    if faults := store.verify():
        cure = "Continue with hinter run --resume, which makes these tables again."
        raise InputError(f"{folder}: {'; '.join(faults[:_FAULTS])}. {cure}")
    if faults := [*islice(contradictions(store), _FAULTS), *validity_faults(store)]:
        raise InputError(f"{folder}: {'; '.join(faults[:_FAULTS])}. Delete these files and resume.")
    say(f"{folder}: no fault. {missing_in_words(store)}".rstrip())
