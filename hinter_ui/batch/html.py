"""The Batch tab's pages: an estimate, a campaign at work, the list of them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from hinter_core.campaign.estimate import Forecast
from hinter_core.campaign.preview import Preview
from hinter_core.campaign.progress import ATOMIC, KINDS, PLACEBO, TOGETHER, HiddenFinding
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import NOTHING, UNUSABLE
from hinter_core.models.budget import cost_in_words
from hinter_core.types import Edit, Verdict
from hinter_ui.batch.jobs import CampaignStatus, JobState
from hinter_ui.html import glossary
from hinter_ui.html.difference import changed
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.words import ARROW, SEVERITY, SIGNS, change_of, listed, name_of, term

_KIND_WORDS = {
    TOGETHER: "Changed together",
    ATOMIC: "Changed alone",
    PLACEBO: "Neutral swaps",
}
_KIND_ENTRIES = {TOGETHER: "intersectional", ATOMIC: "atomic", PLACEBO: "placebo"}
_ENTRIES = {"mutants": "mutant", "predictions": "prediction", "hidden": "hidden"}
_STATE_WORDS = {
    JobState.NEW: "not started",
    JobState.WAITING: "waiting",
    JobState.RUNNING: "running",
    JobState.STOPPING: "stopping \u2026",
    JobState.STOPPED: "stopped",
    JobState.INTERRUPTED: "interrupted",
    JobState.FAILED: "failed",
    JobState.DONE: "done",
}


# -- before the start ---------------------------------------------------------------------------


def estimate(seen: Forecast) -> Markup:
    """What a campaign would do, figure by figure."""
    share = seen.tested / seen.looked_at if seen.looked_at else 0.0
    tested = round(share * seen.texts)
    orders = [f"{number:,} of order {order}" for order, number in seen.mutants.items()]
    about = "" if seen.looked_at == seen.texts else "about "
    figures = [
        ("texts", f"{seen.texts:,}", f"{about}{tested:,} with terms to change"),
        ("mutants", f"{about}{sum(seen.mutants.values()):,}", ", ".join(orders) or "none"),
        ("parses", f"about {seen.parses:,}", "distinct sentences"),
        ("predictions", f"up to {seen.predictions:,}", "distinct texts, all models together"),
        ("time", duration(seen.seconds), "for parsing, and models that run here"),
        *(("cost", f"up to {cost_in_words(cost)}", name) for name, cost in seen.costs.items()),
    ]
    cells = [
        tag(
            "div",
            tag("dt", glossary.head(title, _ENTRIES)),
            tag("dd", tag("strong", value), tag("span", isolated(more))),
        )
        for title, value, more in figures
    ]
    looked = f"From a look at the first {seen.looked_at:,} texts; nothing has been started."
    return tag(
        "div",
        tag("dl", *cells, class_="figures"),
        tag("p", looked, class_="quiet"),
        role="status",
        class_="estimate card",
    )


# -- a campaign at work -------------------------------------------------------------------------


def state_badge(state: JobState) -> Markup:
    """Where a campaign stands, as a word on its colour."""
    kind = state.name.lower()
    return tag("span", _STATE_WORDS[state], class_=f"badge state job-{kind}")


def title(status: CampaignStatus) -> Markup:
    """What is tested on what, and the link that leads back here."""
    campaign = status.campaign
    link = tag("a", "Link to this campaign", href=f"?campaign={status.id}", class_="share")
    copy = tag("button", "Copy link", type="button", class_="copy-link")
    head = tag("h2", isolated(status.record.title), " ", state_badge(status.state))
    models = join([tag("code", isolated(model)) for model in campaign.models], ", ")
    what = tag("p", f"{_what(campaign)} \u00b7 asked: ", models, class_="quiet")
    return tag("div", head, what, tag("p", link, copy, class_="share-line"), class_="job-title")


def _what(campaign: Campaign) -> str:
    """What was changed."""
    if campaign.mutants:
        return "mutants by hand"
    return listed([name_of(attribute) for attribute in campaign.attributes])


def progress(status: CampaignStatus) -> Markup:
    """A bar with figures, what to know of the state, and the verdicts so far."""
    seen = status.seen
    words = _how_far(status)
    bar = tag(
        "progress",
        value=seen.done if seen.texts else None,
        max=max(seen.texts or 1, 1),
        aria_label=words,
    )
    waits = status.state is JobState.WAITING
    shown = None if waits or (seen.texts is None and not status.state.busy) else bar
    line = tag("div", tag("span", words, class_="progress-words"), shown)
    head = tag("div", line, _remark(status), class_="progress job-progress")
    parts = (head, _chart(status), _outcomes(status))
    return join([part for part in parts if part is not None])


def _how_far(status: CampaignStatus) -> str:
    seen, state = status.seen, status.state
    if state is JobState.WAITING:
        others = "campaign" if status.ahead == 1 else "campaigns"
        return f"It starts by itself after {status.ahead} other {others}."
    if seen.texts is None:
        return "Getting ready: parser and models are loaded \u2026" if state.busy else ""
    words = f"{seen.done:,} of {seen.texts:,} texts, {seen.mutants:,} mutants"
    if state is JobState.RUNNING:
        rate, left = status.rate, status.seconds_left
        if rate and left is not None:
            words += f" \u00b7 {_rate(rate)} \u00b7 {duration(left)} left"
        else:
            words += " \u00b7 the first ones are at work"
    elif state is JobState.DONE and status.record.ended > status.record.started:
        words += f" \u00b7 took {duration(status.record.ended - status.record.started)}"
    return words


def _rate(rate: float) -> str:
    if rate >= 1:
        return f"{rate:.1f} texts a second"
    return f"{60 * rate:.1f} texts a minute"


def _remark(status: CampaignStatus) -> Markup | None:
    """What to do where something is not as it should be."""
    if status.problem:
        words = tag("strong", "It did not come to its end. "), isolated(status.problem)
        return tag("div", *words, role="alert", class_="notice error")
    match status.state:
        case JobState.STOPPED:
            told = "Stopped. What was done is kept; Resume goes on with the rest."
        case JobState.INTERRUPTED:
            told = "Interrupted: HInter or this machine stopped. Resume goes on with the rest."
        case JobState.STOPPING:
            told = "It stops after what is at work; what was done is kept."
        case _ if status.seen.failed:
            told = _unanswered(status)
        case _:
            return None
    return tag("div", tag("p", told), role="status", class_="notice info")


def _unanswered(status: CampaignStatus) -> str:
    seen = status.seen
    why = listed([f"{name} ({number:,})" for name, number in seen.failures.most_common(4)])
    answers = "answer is" if seen.failed == 1 else "answers are"
    words = f"{seen.failed:,} {answers} missing: {why}."
    words += f" {seen.unanswered:,} mutants have no verdict for that."
    if status.can_retry:
        words += " Once the cause is mended, ask again only for what has none."
    return words


def _chart(status: CampaignStatus) -> Markup | None:
    """The verdicts so far: a bar for each model and kind of mutant, with its counts as text."""
    verdicts = {model: c for model, c in status.seen.verdicts.items() if c}
    if not verdicts:
        return None
    legend = tag(
        "ul",
        *(tag("li", tag("span", class_=f"key {v.value}", aria_hidden="true"), v.value)
          for v in SEVERITY if any(c[k, v.value] for c in verdicts.values() for k in KINDS)
          or v is Verdict.HIDDEN),
        class_="legend",
        aria_hidden="true",
    )  # fmt: skip
    models = [_model_bars(model, counts) for model, counts in verdicts.items()]
    title = "Verdicts so far" if status.state.busy else "Verdicts"
    head = tag("h3", glossary.link("verdict", title))
    return tag("section", tag("div", head, legend, class_="chart-head"), *models,
               class_="card verdict-chart")  # fmt: skip


def _model_bars(model: str, counts: Counter[tuple[str, str]]) -> Markup:
    rows = []
    for kind in (TOGETHER, ATOMIC, PLACEBO):
        total = sum(counts[kind, v.value] for v in SEVERITY)
        if not total:
            continue
        present = [v for v in SEVERITY if counts[kind, v.value]]
        parts = [
            tag("span", class_=f"part {v.value}",
                style=f"flex-grow:{counts[kind, v.value]}", title=f"{v.value}: "
                f"{counts[kind, v.value]:,} of {total:,}")
            for v in present
        ]  # fmt: skip
        words = ", ".join(f"{counts[kind, v.value]:,} {v.value}" for v in present)
        rows += [
            tag("dt", glossary.link(_KIND_ENTRIES[kind], _KIND_WORDS[kind])),
            tag(
                "dd",
                tag("div", *parts, class_="stack", aria_hidden="true"),
                tag("span", words, class_="stack-words"),
            ),
        ]
    name = tag("p", tag("code", isolated(model)), class_="chart-model")
    return tag("div", name, tag("dl", *rows, class_="stacks"))


def _outcomes(status: CampaignStatus) -> Markup | None:
    outcomes = status.seen.outcomes
    told = [
        f"{outcomes[NOTHING]:,} texts hold nothing to test" if outcomes[NOTHING] else "",
        f"{outcomes[UNUSABLE]:,} rows could not be used" if outcomes[UNUSABLE] else "",
    ]
    told = [words for words in told if words]
    return tag("p", "; ".join(told), ".", class_="quiet") if told else None


def duration(seconds: float) -> str:
    """``40 s``, ``12 min``, ``3 h 5 min``."""
    whole = max(1, round(seconds))
    if whole < 90:
        return f"{whole} s"
    minutes = round(whole / 60)
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes // 60:,} h {minutes % 60} min"


# -- the list -----------------------------------------------------------------------------------


def campaigns(statuses: Sequence[CampaignStatus], chosen: str, kept_days: float | None) -> Markup:
    """The campaigns that a visitor has; ``kept_days``: after so many idle ones they are deleted."""
    if not statuses:
        return tag("p", "None yet. A campaign stays here when you close the page.", class_="quiet")
    columns = ("data", "state", "texts", "hidden", "begun")
    head = tag("tr", *(tag("th", glossary.head(c, _ENTRIES), scope="col") for c in columns))
    rows = [_campaign_row(status, chosen) for status in statuses]
    grid = tag(
        "table",
        tag("caption", "Campaigns", class_="sr-only"),
        tag("thead", head),
        tag("tbody", *rows),
    )
    note = None
    if kept_days is not None:
        words = (
            f"Only this browser, and whoever has a campaign\u2019s link, sees it. It is deleted "
            f"after {kept_days:g} days in which nothing happens to it."
        )
        note = tag("p", words, class_="quiet")
    return join([tag("div", grid, class_="model-table campaign-table"), note or Markup("")])


def _campaign_row(status: CampaignStatus, chosen: str) -> Markup:
    seen, record = status.seen, status.record
    done = f"{seen.done:,} of {seen.texts:,}" if seen.texts is not None else "\u2013"
    begun = time.strftime("%Y-%m-%d %H:%M", time.localtime(record.created))
    open_it = tag(
        "button",
        isolated(record.title),
        tag("span", f", begun {begun}", class_="sr-only"),
        type="button",
        class_="act open-campaign",
        data_campaign=status.id,
        aria_current="true" if status.id == chosen else None,
    )
    sign = SIGNS[Verdict.HIDDEN] if seen.hidden() else ""
    cells: list[tuple[str, object]] = [
        ("state", state_badge(status.state)),
        ("texts", done),
        ("hidden", f"{sign} {seen.hidden():,}".strip()),
        ("begun", begun),
    ]
    what = tag("span", _what(status.campaign), class_="quiet-inline what")
    return tag(
        "tr",
        tag("th", open_it, what, scope="row"),
        *(tag("td", tag("div", value), data_column=column) for column, value in cells),
        class_="selected" if status.id == chosen else None,
    )


_SHORT = 160  # characters of a text in a table
_ROWS, _FAULTS, _LABELS = 5, 5, 8  # shown


def preview(seen: Preview) -> Markup:
    """How many rows, which columns and labels, the first texts, and rows that cannot be used."""
    columns, by_hand = seen.chosen, seen.mutants is not None
    usable = [row for row in seen.rows if not row.fault][:_ROWS]
    head = tag("p", tag("strong", _count(seen)), *(f" \u00b7 {fact}" for fact in _facts(seen)))
    with_label = bool(columns.label) and any(row.label for row in usable)
    titles = ["row", "source" if by_hand else "text", *(["label"] if with_label else [])]
    lines = [
        tag(
            "tr",
            tag("td", f"{row.number:,}", class_="number"),
            tag("td", isolated(_short(row.text))),
            tag("td", isolated(_short(row.label, 40)), class_="row-label") if with_label else None,
        )
        for row in usable
    ]
    table = tag(
        "table",
        tag("caption", "The first rows", class_="sr-only"),
        tag("thead", tag("tr", *(tag("th", title, scope="col") for title in titles))),
        tag("tbody", *lines),
    )
    box = tag("div", table, class_="rows-table") if lines else None
    parts = (head, _labels(seen), box, _faults(seen))
    return tag("div", *parts, class_="data-preview", role="status")


def _count(seen: Preview) -> str:
    usable = seen.looked_at - seen.unusable
    if seen.mutants is not None:
        sources = "source" if usable == 1 else "sources"
        return f"{seen.mutants:,} mutants by hand of {usable:,} {sources}"
    words = f"{usable:,} usable {'text' if usable == 1 else 'texts'}"
    if seen.complete:
        return words
    of = f" of {seen.count:,}" if seen.count is not None else ""
    return f"{words} among the first {seen.looked_at:,}{of} rows"


def _facts(seen: Preview) -> list[str]:
    """What else is to be known before these rows are tested."""
    columns, facts = seen.chosen, []
    if len(seen.names) > 1 and seen.mutants is None:
        facts.append(f"text column \u201c{columns.text}\u201d")
        facts += [f"label column \u201c{columns.label}\u201d"] if columns.label else []
        facts += [f"id column \u201c{columns.id}\u201d"] if columns.id else []
    if seen.encoding not in ("", "utf-8"):
        facts.append(f"written in {seen.encoding.upper()}")
    if seen.mended:
        rows = "row that is" if seen.mended == 1 else "rows that are"
        facts.append(f"{seen.mended:,} {rows} not UTF-8, read as Windows-1252")
    if seen.repeated:
        rows = "row repeats" if seen.repeated == 1 else "rows repeat"
        facts.append(f"{seen.repeated:,} {rows} an id; row numbers tell them apart")
    return facts


def _labels(seen: Preview) -> Markup | None:
    if not seen.labels:
        return None
    common = [
        tag("li", isolated(_short(label, 40)), f" {many:,}")
        for label, many in seen.labels.most_common(_LABELS)
    ]
    if len(seen.labels) > _LABELS:
        common.append(tag("li", f"and {len(seen.labels) - _LABELS:,} more"))
    return tag("ul", *common, class_="label-counts", aria_label="Labels, and how often")


def _faults(seen: Preview) -> Markup | None:
    if not seen.unusable:
        return None
    rows = "row" if seen.unusable == 1 else "rows"
    shown = seen.faults[:_FAULTS]
    items = [tag("li", f"Row {row.number:,}: ", isolated(row.fault)) for row in shown]
    if seen.unusable > len(items):
        items.append(tag("li", f"\u2026 and {seen.unusable - len(items):,} more"))
    head = tag("p", tag("strong", f"{seen.unusable:,} {rows} cannot be used"), " and will be "
               "listed as such; the others are tested.")  # fmt: skip
    return tag("div", head, tag("ul", *items), class_="notice info")


def _short(text: str, most: int = _SHORT) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}\u2026"


_AROUND = 70  # characters beside the first and the last change
_GAP = 160  # characters between two changes, from which the middle is left out


def findings(found: Sequence[HiddenFinding], models: Sequence[str], *, busy: bool) -> Markup:
    """A table of findings, each with a button that opens it in Explore; empty where there is none.

    ``models``: all of the campaign, by whose places a button names one.
    """
    if not found:
        return Markup("")
    columns = ("text", "changed together", "answer", "")
    head = tag("tr", *(tag("th", c, scope="col") for c in columns))
    grid = tag(
        "table",
        tag("caption", "The latest hidden findings", class_="sr-only"),
        tag("thead", head),
        tag("tbody", *(_row(one, models.index(one.model)) for one in found)),
    )
    words = "Latest hidden findings" if busy else "Some hidden findings"
    remark = tag("span", "each change alone leaves the answer as it was", class_="quiet")
    return join([tag("h3", words, " ", remark), tag("div", grid, class_="model-table found-table")])


def _row(finding: HiddenFinding, model: int) -> Markup:
    changes = [tag("li", isolated(change_of(edit))) for edit in finding.edits]
    answer = tag(
        "div",
        tag("span", isolated(finding.before), f" {ARROW} "),
        tag("strong", isolated(finding.after)),
        tag("code", isolated(finding.model)),
    )
    return tag(
        "tr",
        tag("th", tag("p", _words(finding)), scope="row"),
        tag("td", tag("ul", *changes, class_="plain"), data_column="changed"),
        tag("td", answer, data_column="answer"),
        tag("td", _button(finding, model), data_column=""),
    )


def _words(finding: HiddenFinding) -> Markup:
    if finding.by_hand is not None:
        return changed(finding.text, finding.edits, finding.by_hand)
    return excerpt(finding.text, finding.edits)


def _button(finding: HiddenFinding, model: int) -> Markup | None:
    if finding.by_hand is not None:
        return None  # Explore makes mutants of its own
    return tag(
        "button",
        "Open in Explore",
        type="button",
        class_="act open",
        data_model=model,
        data_shard=finding.shard,
        data_place=finding.place,
    )


def excerpt(text: str, edits: Sequence[Edit]) -> Markup:
    """The words that were changed, with what stands around them."""
    spans = ((start, end, edit) for edit in edits for start, end in edit.spans)
    places = sorted(spans, key=lambda place: place[:2])
    if not places:
        return isolated(text[: 2 * _AROUND])
    at = max(0, places[0][0] - _AROUND)
    if at:
        blank = text.find(" ", at, places[0][0])
        at = blank + 1 if blank >= 0 else at
    parts: list[object] = ["\u2026 "] if at else []
    for start, end, edit in places:
        between = text[at:start]
        if len(between) > _GAP:
            between = f"{between[: _GAP // 2]} \u2026 {between[-_GAP // 2 :]}"
        parts += [between, term(text[start:end], edit.attribute)]
        at = end
    rest = text[at : at + _AROUND]
    if at + _AROUND < len(text):
        rest = f"{rest.rpartition(' ')[0] or rest} \u2026"
    parts.append(rest)
    return tag("bdi", *parts)
