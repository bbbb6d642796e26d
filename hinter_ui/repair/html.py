"""The HTML of the Repair tab: how far a repair is, and what it changed."""

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from hinter_core.repair.figures import Measured, RepairResult
from hinter_core.repair.progress import STAGES, Stage
from hinter_core.repair.repair import Repair
from hinter_core.statistics.format import points
from hinter_core.statistics.rates import Rate
from hinter_ui.html import notice
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.sections import rate_cell, report_table, row_of
from hinter_ui.html.wording import grouped, numeral
from hinter_ui.processes.record import RunState
from hinter_ui.repair.actions import RepairStatus, say


def badge(state: RunState) -> Markup:
    """Write the state of a repair as a word on its colour."""
    kind = state.name.lower()
    return tag("span", say(f"states.{kind}"), class_=f"badge state job-{kind}")


def title(status: RepairStatus) -> Markup:
    """Write what is repaired with what, and the state."""
    repair = status.repair
    head = tag("h2", say("title", model=repair.model), " ", badge(status.state))
    grammar, data, share = _made_of(repair)
    what = say("what", grammar=grammar, data=data, share=share, seed=repair.seed)
    return tag("div", head, tag("p", isolated(what), class_="quiet"), class_="job-title")


def _made_of(repair: Repair) -> tuple[str, str, int]:
    """Return grammar, texts and share of sentences in per cent."""
    data = say("sample") if repair.data == "sample" else Path(repair.data).name
    return Path(repair.grammar).stem, data, round(100 * repair.share)


def progress(status: RepairStatus) -> Markup:
    """Show the stages, how far the current one is, and what to do if it did not end."""
    stage, state = status.stage or Stage(STAGES[0]), status.state
    number = STAGES.index(stage.name) if stage.name in STAGES else 0
    if state is RunState.DONE:
        return Markup("")
    items = []
    for place, name in enumerate(STAGES):
        now = place == number and not status.stale  # the stage noted before it went on
        here = "now" if state.busy else "stopped"
        kind = "done" if place < number else here if now else "next"
        items.append(tag("li", tag("span", say(f"stages.{name}")), " ",
                         tag("span", say(f"marks.{kind}"), class_="quiet-inline"),
                         class_=f"stage {kind}"))  # fmt: skip
    words = say(f"stages.{stage.name}") if stage.name in STAGES else stage.name
    counted = bool(stage.of) and not status.stale
    if status.stale:
        words = say("goes_on")
    elif counted:
        words = say("how_far", stage=words, done=stage.done, of=stage.of)
    if counted:
        bar = tag("progress", value=stage.done, max=stage.of, aria_label=words)
        line = tag("div", tag("span", words, class_="progress-words"), bar)
    else:  # how much there is to do is not known yet
        since = int(time.time() - status.record.started) if state.busy else 0
        line = notice.working(words, since) if state.busy else tag("div")
    parts = [tag("ol", *items, class_="stages"), tag("div", line, class_="progress", role="status")]
    if state in (RunState.STOPPED, RunState.INTERRUPTED):
        early = "_early" * (number < STAGES.index("training"))
        parts.append(notice.info([say(f"remarks.{state.name.lower()}{early}")]))
    if state is RunState.FAILED:
        parts.append(notice.error(status.problem, say("remarks.failed")))
    return join(parts)


def figures(status: RepairStatus) -> Markup:
    """Show errors and accuracy before and after, with their intervals, and the model's name."""
    result = status.figures
    if result is None:
        return Markup("")
    learnt = asdict(result.examples)
    left = ("repeats", "held_out", "with_kept", "in_test")
    noted = {name: learnt[name] for name in left if learnt[name]}
    if learnt["errors"] is not None:
        noted = {"errors" if learnt["errors"] else "no_error": learnt["errors"]} | noted
    notes = [say(f"notes.{name}", n=n, of=learnt["mutants"]) for name, n in noted.items()]
    card = Path(status.model.removeprefix("hf:")) / "README.md"
    name = tag("p", say("model"), " ", tag("code", isolated(status.model)))
    where = tag("p", say("card"), " ", tag("code", isolated(str(card))), class_="quiet")
    return tag(
        "div", tag("p", say("learnt", **learnt)), *(tag("p", note) for note in notes),
        _accuracy(result), *(_measured(one) for one in result.measured),
        tag("h3", say("model_title")), name, where, class_="before-after",
    )  # fmt: skip


def _accuracy(result: RepairResult) -> Markup:
    heads = [say("columns.model"), say("columns.accuracy")]
    rows = [
        row_of(heads, (say(f"columns.{when}"), _rate(rate, bad=False)))
        for when, rate in zip(("before", "after"), result.accuracy, strict=True)
    ]
    words = say("accuracy", of=result.accuracy[0].of)
    if result.accuracy_change is not None:
        apart = grouped(points(result.accuracy_change))
        words += " " + say(f"accuracy_change.{result.accuracy_said}", apart=apart)
    return tag("section", tag("h3", say("accuracy_title")), tag("p", words, class_="quiet"),
               report_table(say("columns.accuracy"), heads, rows))  # fmt: skip


def _measured(one: Measured) -> Markup:
    known = say.branch("sets")
    name = known.get(one.name) or say("sets.grammar", name=one.name.removeprefix("grammar "))
    keys = ["model", "single", "combined", "hidden", "neutral"]
    labelled = one.before.accuracy and one.before.accuracy.correct.of
    heads = [say(f"columns.{key}") for key in (*keys, *["accuracy"][: bool(labelled)])]
    rows = []
    for when, errors in (("before", one.before), ("after", one.after)):
        hits, of = errors.neutral
        bad = when == "before"
        rows.append(row_of(heads, (
            say(f"columns.{when}"), _rate(errors.single, bad=bad), _rate(errors.combined, bad=bad),
            numeral(errors.hidden), say("of", n=hits, of=of) if of else say("none"),
            *([_rate(errors.accuracy.correct, bad=False)] if labelled and errors.accuracy else []),
        )))  # fmt: skip
    return tag("section", tag("h3", isolated(name)), tag("p", _fall(one)),
               report_table(name, heads, rows))  # fmt: skip


def _fall(one: Measured) -> str:
    before, after = (100 * (errors.share or 0.0) for errors in (one.before, one.after))
    apart = grouped(points(one.difference)) if one.difference else ""
    share = 100 * abs(one.less or 0.0)
    words = say(f"fall.{one.change}", share=share, before=before, after=after, apart=apart)
    if one.more_hidden:
        words = words.removesuffix(".")
        words += say("hidden_rose", before=one.before.hidden, after=one.after.hidden)
    return words


def _rate(rate: Rate, *, bad: bool) -> Markup:
    return rate_cell(rate, bad=bad and bool(rate.hits))


def repairs(statuses: Sequence[RepairStatus], *, opened: str = "", local: bool) -> Markup:
    """List the repairs, each with a button that opens it; ``opened`` is the one that is shown."""
    if not statuses:
        return tag("p", say("no_repair" if local else "no_repair_here"), class_="quiet")
    heads = [say(f"columns.{key}") for key in ("model", "grammar", "data", "share", "begun",
                                               "state")]  # fmt: skip
    rows = []
    for one in statuses:
        button = tag("button", isolated(one.repair.model), type="button", class_="act open",
                     data_repair=one.id)  # fmt: skip
        grammar, data, share = _made_of(one.repair)
        begun = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.record.created))
        cells = (isolated(grammar), isolated(data), f"{share}\u00a0%", begun, badge(one.state))
        rows.append(row_of(heads, (button, *cells)))
    listed = report_table(say("headings.repairs.title"), heads, rows)
    return tag("div", listed, data_opened=opened)
