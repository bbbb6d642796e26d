"""The HTML of the Batch tab: an estimate, the open campaign, and the list of all."""

import os
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from shlex import quote

from hinter_core.annotation.invitation import Reached
from hinter_core.campaign.preview import Forecast
from hinter_core.campaign.progress import APART, ATOMIC, KINDS, PLACEBO, TOGETHER
from hinter_core.campaign.reader import MutantRecord
from hinter_core.campaign.record import PriorityState
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import NOTHING, UNUSABLE
from hinter_core.models.budget import cost_in_words
from hinter_core.report.metrics.priority import rate_of
from hinter_core.report.section import short_names
from hinter_core.statistics.format import percent
from hinter_core.types import Verdict
from hinter_ui.batch.form import say
from hinter_ui.batch.jobs import CampaignStatus
from hinter_ui.html import glossary, notice
from hinter_ui.html.marked import answers, changed
from hinter_ui.html.markup import Markup, join, model_name, table, tag
from hinter_ui.html.pages import Macros, macros_of
from hinter_ui.html.wording import (
    SEVERITY,
    SIGNS,
    Words,
    address,
    grouped,
    in_visitors_words,
    listed,
    name_of,
    numeral,
    translated,
    two_people,
    verdict_name,
    where,
)
from hinter_ui.processes.record import RunState

# Kinds of variants as charts show them: their texts, and their entries in the glossary.
_KINDS = {
    TOGETHER: ("verdicts.together", "intersectional"),
    APART: ("verdicts.apart", "intersectional"),
    ATOMIC: ("verdicts.atomic", "atomic"),
    PLACEBO: ("verdicts.placebo", "placebo"),
}
_ENTRIES = {"variants": "mutant", "predictions": "prediction", "hidden": "hidden"}


def _page() -> Macros:
    return macros_of(
        "batch", say=say, link=glossary.link, head=_head, translated=translated,
        model_name=model_name, answers=answers,
    )  # fmt: skip


def _head(title: str, key: str) -> Markup:
    return glossary.head(title, _ENTRIES, key)


# -- before the start ---------------------------------------------------------------------------


def estimate(seen: Forecast) -> Markup:
    """Show the figures of an estimate."""
    tested = round(seen.tested * seen.usable / seen.looked_at) if seen.looked_at else 0
    about = "estimate.exact" if seen.whole else "estimate.about"
    bound = "estimate.at_most" if seen.whole else "estimate.at_most_about"
    cost_bound = "estimate.cost_at_most" if seen.whole else "estimate.cost_at_most_about"
    orders = [say.count("estimate.order", order, number=n) for order, n in seen.mutants.items()]
    of_texts = [say.count("estimate.tested", tested, number=say(about, n=tested))]
    if seen.unusable:
        number = say("estimate.exact" if seen.counted else "estimate.about", n=seen.unusable)
        of_texts.append(say("estimate.unusable", number=number))
    short = short_names([*seen.costs, *seen.unseen])
    figures = [
        ("texts", numeral(seen.texts), ", ".join(of_texts)),
        ("variants", say(about, n=sum(seen.mutants.values())),
         ", ".join(orders) or say("estimate.none")),
        *([("kept", f"{100 * seen.kept / seen.compared:.0f}\u00a0%", _kept(seen))]
          if seen.compared else []),
        ("parses", say("estimate.about", n=seen.parses), say("estimate.parses_more")),
        ("predictions", say(bound, n=seen.predictions),
         say("estimate.predictions_more")),
        ("time", duration(seen.seconds), say("estimate.time_more")),
        *(("cost", say(cost_bound, cost=cost_in_words(cost)), short[name])
          for name, cost in seen.costs.items()),
        *(("unseen", f"{100 * share:.0f}\u00a0%", say("estimate.unseen_more", model=short[name]))
          for name, share in seen.unseen.items() if share),
    ]  # fmt: skip
    looked = [say.count("estimate.looked", seen.looked_at)]
    if seen.power:
        # What stands in parentheses is for who plans a study on the command line.
        power = in_visitors_words(translated(re.sub(r" \(.*?\)", "", seen.power)))
        looked.append(f"{power[:1].upper()}{power[1:]}.")
    return _page().estimate(figures, looked)


def _kept(seen: Forecast) -> str:
    why = say("estimate.discarded", why=translated(seen.discard)) if seen.discard else ""
    return say.count("estimate.kept_more", seen.compared) + why


# -- a campaign at work -------------------------------------------------------------------------


def state_badge(status: CampaignStatus) -> Markup:
    """Write a campaign's state as a word on its colour, with the variants that have no verdict."""
    kind = status.state.name.lower()
    if status.seen.unanswered and status.state is RunState.DONE:
        kind = "stopped"  # its colour: not all is well
    return _page().badge(_state(status), kind)


def _state(status: CampaignStatus) -> str:
    lost = status.seen.unanswered
    if lost and status.state is RunState.DONE:
        return say("states.unanswered", n=lost)
    return say(f"states.{status.state.name.lower()}")


def title(status: CampaignStatus, there: Reached, *, mine: bool = True) -> Markup:
    """Write what is tested on what, the link that leads back here, and whether one may only read.

    ``there``: the app's address for others; ``mine``: whether the visitor may change the campaign.
    """
    what = _what(status.campaign)
    share = notice.share(say("campaign.link"), address(f"campaign={status.id}"), there)
    asks_server = any(model.startswith("openai:") for model in status.campaign.models)
    space = os.environ.get("SPACE_ID")
    jobs = on_jobs(space, status.id, asks_server=asks_server) if space else ""
    copies = notice.copy_button(say("jobs.copy"))
    return _page().title(status, state_badge(status), what, share, mine, jobs, copies)


def on_jobs(space: str, name: str, *, asks_server: bool = False) -> str:
    """Write the command that runs a campaign file of the folder at hand on HF Jobs.

    The image is the Space's own. The campaign is copied to a bucket at the end, since a mounted
    bucket keeps no files that change.
    """
    run = f"cd ~/app; python -m hinter_core.cli run /in/campaign.yaml --out /tmp/{name}"
    key = " --secrets OPENAI_API_KEY" if asks_server else ""
    return (
        f"hf jobs run{key} --flavor cpu-upgrade --timeout 6h"
        " -v .:/in -v hf://buckets/YOU/hinter:/out "
        f"hf.co/spaces/{quote(space)} bash -c '{run}; cp -r /tmp/{name} /out/'"
    )


def _what(campaign: Campaign) -> str:
    if campaign.mutants:
        return say("campaign.handwritten")
    return listed([name_of(attribute) for attribute in campaign.attributes])


def progress(status: CampaignStatus) -> Markup:
    """Show a bar with figures, what to know of the state, and the verdicts so far."""
    seen, bar = status.seen, None
    if status.state is not RunState.WAITING and (seen.texts is not None or status.state.busy):
        texts = seen.made if status.campaign.prioritised else seen.done
        done, of = texts if seen.texts else None, seen.texts or 1
        if seen.priority:
            done = sum(state.asked for state in seen.priority.values())
            of = sum(state.cases for state in seen.priority.values())
        bar = done, max(of, 1)
    priority = [(model, _in_words(state)) for model, state in seen.priority.items()]
    share = 100 * (bar[0] or 0) // bar[1] if bar and status.state is RunState.RUNNING else None
    words = _how_far(status), bar, priority, status.problem, _remark(status)
    head = _page().progress(*words, _told(status, share), share)
    return join(part for part in (head, _chart(status), _outcomes(status)) if part)


def _told(status: CampaignStatus, share: int | None) -> str:
    """Say what is read out: the state, each quarter that is done, at the end what is found."""
    name = translated(status.record.title)
    if share and share >= 25:
        return say("told.part", name=name, share=min(75, 25 * (share // 25)))
    words = say("told.state", name=name, state=_state(status))
    if status.state.busy or not status.seen.verdicts:
        return words
    found = say("verdicts.count", n=status.seen.hidden(), verdict=verdict_name(Verdict.HIDDEN))
    return f"{words} {found}."


def _in_words(state: PriorityState) -> str:
    """Say how far a prioritised run is with a model, and why it stopped."""
    sentences = [
        say.count("priority.asked", state.faults, asked=state.asked, cases=state.cases),
        say("priority.rate", rate=grouped(percent(rate_of(state)))) if state.audited else "",
        translated(state.reason),
    ]
    return " ".join(filter(None, sentences))


def _how_far(status: CampaignStatus) -> str:
    seen, state, record = status.seen, status.state, status.record
    if state is RunState.WAITING:
        return say.count("progress.ahead", status.ahead)
    if seen.texts is None:
        return say("progress.preparing") if state.busy else ""
    facts = [
        say.count("progress.texts", seen.texts, done=seen.done),
        say.count("progress.variants", seen.mutants),
    ]
    if status.campaign.prioritised and state is RunState.RUNNING:
        step = "running" if seen.priority else "making"
        return say.count(f"priority.{step}", seen.texts, made=seen.made)
    if state is RunState.RUNNING:
        rate, left = status.rate, status.seconds_left
        if rate and left is not None:
            unit = "second" if rate >= 1 else "minute"
            facts += [
                say(f"progress.per_{unit}", rate=rate if rate >= 1 else 60 * rate),
                say("progress.left", time=duration(left)),
            ]
        else:
            facts.append(say("progress.next" if seen.done else "progress.first"))
            if status.answers:
                facts.append(say.count("progress.answers", status.answers))
    elif state is RunState.DONE and record.ended > record.started:
        took = "progress.last_took" if seen.runs > 1 else "progress.took"
        facts.append(say(took, time=duration(record.ended - record.started)))
    return " \u00b7 ".join(facts)


def _remark(status: CampaignStatus) -> str:
    """Say what to do where something is not as it should be."""
    state = status.state
    if state in (RunState.STOPPED, RunState.INTERRUPTED, RunState.STOPPING):
        return say(f"remarks.{state.name.lower()}")
    return _unanswered(status) if status.seen.failed else ""


def _unanswered(status: CampaignStatus) -> str:
    seen = status.seen
    most = [(lost[0], n, seen.said[lost]) for lost, n in seen.lost.most_common(4)]
    why = listed(
        [f"{translated(name)} ({numeral(n)}{said and f': {said}'})" for name, n, said in most]
    )
    remarks = [
        say.count("remarks.missing", seen.failed, reasons=why),
        say.count("remarks.no_verdict", seen.unanswered),
    ]
    if status.can_retry:
        remarks.append(say("remarks.retry", button=say("widgets.job-retry.value")))
    return " ".join(remarks)


def _chart(status: CampaignStatus) -> Markup | None:
    verdicts = {model: counts for model, counts in status.seen.verdicts.items() if counts}
    if not verdicts:
        return None
    every = sum(verdicts.values(), Counter())
    legend = [
        (verdict.value, verdict_name(verdict)) for verdict in SEVERITY
        if verdict is Verdict.HIDDEN or any(every[kind, verdict.value] for kind in KINDS)
    ]  # fmt: skip
    models = [(model, list(_bars(counts))) for model, counts in verdicts.items()]
    title = "verdicts.so_far" if status.state.busy else "verdicts.title"
    lost = any(every[kind, Verdict.DISCARDED.value] for kind in KINDS)
    why = say("verdicts.why", fold=Words("results")("folds.rest")) if lost else ""
    return _page().chart(say(title), legend, models, why)


def _bars(
    counts: Counter[tuple[str, str]],
) -> Iterator[tuple[Markup, list[tuple[str, str, str, str]]]]:
    """Yield the name of each kind of mutants, and verdict, number, share and words of its parts."""
    for kind, (text, entry) in _KINDS.items():
        total = sum(counts[kind, verdict.value] for verdict in SEVERITY)
        parts = []
        for verdict in SEVERITY:
            if n := counts[kind, verdict.value]:
                name = verdict_name(verdict, neutral=kind == PLACEBO)
                share = say("verdicts.share", verdict=name, n=n, total=total)
                words = say("verdicts.count", n=n, verdict=name)
                parts.append((verdict.value, str(n), share, words))
        if parts:
            yield glossary.link(entry, say(text)), parts


def _outcomes(status: CampaignStatus) -> Markup | None:
    outcomes = status.seen.outcomes
    lines = [
        say.count(f"outcomes.{key}", outcomes[outcome])
        for key, outcome in (("nothing", NOTHING), ("unusable", UNUSABLE))
        if outcomes[outcome]
    ]
    if kept := status.seen.kept.number:
        lines.append(say.count("outcomes.kept", kept, day=status.seen.kept.day))
    return tag("p", " ".join(lines), class_="quiet") if lines else None


def duration(seconds: float) -> str:
    """Write seconds as ``40 s``, ``12 min`` or ``3 h 5 min``."""
    whole = max(1, round(seconds))
    if whole < 90:
        return say("duration.seconds", n=whole)
    minutes = round(whole / 60)
    if minutes < 90:
        return say("duration.minutes", n=minutes)
    return say("duration.hours", n=minutes // 60, minutes=minutes % 60)


# -- the list -----------------------------------------------------------------------------------


def campaigns(
    statuses: Sequence[CampaignStatus], chosen: str, kept_days: int | None, *, lost: bool
) -> Markup:
    """List the visitor's campaigns; they are deleted after ``kept_days`` without activity.

    ``lost``: they go when the server restarts.
    """
    warning = tag("p", say("list.lost"), class_="notice info") if lost else ""
    kept = say("list.stay") if kept_days is None else say.count("list.kept", kept_days)
    if not statuses:
        return join([warning, tag("p", f"{say('list.none')} {kept}", class_="quiet")])
    columns = say.branch("list.columns")
    heads = [_head(title, key) for key, title in columns.items()]
    rows = [_campaign_row(status, chosen, columns) for status in statuses]
    grid = table(say("list.title"), heads, rows)
    box = tag("div", grid, class_="model-table campaign-table")
    if kept_days is None:
        return join([warning, box])
    return join([warning, box, tag("p", kept, class_="quiet")])


def _campaign_row(status: CampaignStatus, chosen: str, columns: Mapping[str, str]) -> Markup:
    seen, record = status.seen, status.record
    done = "\u2013" if seen.texts is None else say("list.done", done=seen.done, n=seen.texts)
    begun = time.strftime("%Y-%m-%d %H:%M", time.localtime(record.created))
    sign = SIGNS[Verdict.HIDDEN] if seen.hidden() else ""
    apart = seen.hidden(APART)
    more = tag("span", say("list.apart", n=apart), class_="quiet-inline") if apart else ""
    hidden = join([f"{sign} {numeral(seen.hidden())}".strip(), more], " " if more else "")
    values = {"state": state_badge(status), "texts": done, "hidden": hidden, "begun": begun}
    cells = [(columns[key], value) for key, value in values.items()]
    what = _what(status.campaign)
    return _page().campaign(status, what, begun, cells, status.id == chosen)


def findings(records: Sequence[MutantRecord], campaign: Campaign, *, busy: bool) -> Markup:
    """List findings, each with a button that opens it in Explore if that can make it.

    A button names a model by its place among those of the campaign.
    """
    if not records:
        return Markup("")
    columns = say.branch("findings.columns")
    rows = [_row(one, campaign, columns) for one in records]
    grid = table(say("findings.caption"), (*columns.values(), ""), rows)
    title = say("findings.latest" if busy else "findings.some")
    return _page().findings(title, grid)


def _row(finding: MutantRecord, campaign: Campaign, columns: Mapping[str, str]) -> Markup:
    # Explore makes mutants of its own.
    made = finding.handwritten is None and not campaign.grammar
    place = campaign.models.index(finding.model) if made else None
    text = changed(finding.text, finding.edits, finding.handwritten)
    parts = finding, where(finding.row, finding.id), text, place
    across = two_people() if finding.across_people else ""
    return _page().finding(*parts, columns, across, campaign.models)
