"""The Batch tab's pages: an estimate, a campaign at work, the list of them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from hinter_core.campaign import Campaign
from hinter_core.forecast import Forecast
from hinter_core.models.budget import cost_in_words
from hinter_core.shards import NOTHING, UNUSABLE
from hinter_core.types import Verdict
from hinter_ui.batch_standing import Standing
from hinter_ui.batch_watch import ATOMIC, KINDS, PLACEBO, TOGETHER
from hinter_ui.jobs import State
from hinter_ui.present import glossary
from hinter_ui.present.markup import Markup, isolated, join, tag
from hinter_ui.present.words import SEVERITY, SIGNS, listed, name_of

_KIND_WORDS = {
    TOGETHER: "Changed together",
    ATOMIC: "Changed alone",
    PLACEBO: "Neutral swaps",
}
_KIND_ENTRIES = {TOGETHER: "intersectional", ATOMIC: "atomic", PLACEBO: "placebo"}
_ENTRIES = {"mutants": "mutant", "predictions": "prediction", "hidden": "hidden"}
_STATE_WORDS = {
    State.NEW: "not started",
    State.WAITING: "waiting",
    State.RUNNING: "running",
    State.STOPPING: "stopping \u2026",
    State.STOPPED: "stopped",
    State.INTERRUPTED: "interrupted",
    State.FAILED: "failed",
    State.DONE: "done",
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


def state_badge(state: State) -> Markup:
    """Where a campaign stands, as a word on its colour."""
    kind = state.name.lower()
    return tag("span", _STATE_WORDS[state], class_=f"badge state job-{kind}")


def title(standing: Standing) -> Markup:
    """What is tested on what, and the link that leads back here."""
    campaign = standing.campaign
    link = tag("a", "Link to this campaign", href=f"?campaign={standing.id}", class_="share")
    copy = tag("button", "Copy link", type="button", class_="copy-link")
    head = tag("h2", isolated(standing.record.title), " ", state_badge(standing.state))
    models = join([tag("code", isolated(model)) for model in campaign.models], ", ")
    what = tag("p", f"{_what(campaign)} \u00b7 asked: ", models, class_="quiet")
    return tag("div", head, what, tag("p", link, copy, class_="share-line"), class_="job-title")


def _what(campaign: Campaign) -> str:
    """What was changed."""
    if campaign.mutants:
        return "mutants by hand"
    return listed([name_of(attribute) for attribute in campaign.attributes])


def progress(standing: Standing) -> Markup:
    """A bar with figures, what to know of the state, and the verdicts so far."""
    seen = standing.seen
    words = _how_far(standing)
    bar = tag(
        "progress",
        value=seen.done if seen.texts else None,
        max=max(seen.texts or 1, 1),
        aria_label=words,
    )
    waits = standing.state is State.WAITING
    shown = None if waits or (seen.texts is None and not standing.state.busy) else bar
    line = tag("div", tag("span", words, class_="progress-words"), shown)
    head = tag("div", line, _remark(standing), class_="progress job-progress")
    parts = (head, _chart(standing), _outcomes(standing))
    return join([part for part in parts if part is not None])


def _how_far(standing: Standing) -> str:
    seen, state = standing.seen, standing.state
    if state is State.WAITING:
        others = "campaign" if standing.ahead == 1 else "campaigns"
        return f"It starts by itself after {standing.ahead} other {others}."
    if seen.texts is None:
        return "Getting ready: parser and models are loaded \u2026" if state.busy else ""
    words = f"{seen.done:,} of {seen.texts:,} texts, {seen.mutants:,} mutants"
    if state is State.RUNNING:
        rate, left = standing.rate, standing.seconds_left
        if rate and left is not None:
            words += f" \u00b7 {_rate(rate)} \u00b7 {duration(left)} left"
        else:
            words += " \u00b7 the first ones are at work"
    elif state is State.DONE and standing.record.ended > standing.record.started:
        words += f" \u00b7 took {duration(standing.record.ended - standing.record.started)}"
    return words


def _rate(rate: float) -> str:
    if rate >= 1:
        return f"{rate:.1f} texts a second"
    return f"{60 * rate:.1f} texts a minute"


def _remark(standing: Standing) -> Markup | None:
    """What to do where something is not as it should be."""
    if standing.problem:
        words = tag("strong", "It did not come to its end. "), isolated(standing.problem)
        return tag("div", *words, role="alert", class_="notice error")
    match standing.state:
        case State.STOPPED:
            told = "Stopped. What was done is kept; Resume goes on with the rest."
        case State.INTERRUPTED:
            told = "Interrupted: HInter or this machine stopped. Resume goes on with the rest."
        case State.STOPPING:
            told = "It stops after what is at work; what was done is kept."
        case _ if standing.seen.failed:
            told = _unanswered(standing)
        case _:
            return None
    return tag("div", tag("p", told), role="status", class_="notice info")


def _unanswered(standing: Standing) -> str:
    seen = standing.seen
    why = listed([f"{name} ({number:,})" for name, number in seen.failures.most_common(4)])
    answers = "answer is" if seen.failed == 1 else "answers are"
    words = f"{seen.failed:,} {answers} missing: {why}."
    words += f" {seen.unanswered:,} mutants have no verdict for that."
    if standing.can_retry:
        words += " Once the cause is mended, ask again only for what has none."
    return words


def _chart(standing: Standing) -> Markup | None:
    """The verdicts so far: a bar for each model and kind of mutant, with its counts as text."""
    verdicts = {model: c for model, c in standing.seen.verdicts.items() if c}
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
    title = "Verdicts so far" if standing.state.busy else "Verdicts"
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


def _outcomes(standing: Standing) -> Markup | None:
    outcomes = standing.seen.outcomes
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


def campaigns(standings: Sequence[Standing], chosen: str, kept_days: float | None) -> Markup:
    """The campaigns that a visitor has; ``kept_days``: after so many idle ones they are deleted."""
    if not standings:
        return tag("p", "None yet. A campaign stays here when you close the page.", class_="quiet")
    columns = ("data", "state", "texts", "hidden", "begun")
    head = tag("tr", *(tag("th", glossary.head(c, _ENTRIES), scope="col") for c in columns))
    rows = [_campaign_row(standing, chosen) for standing in standings]
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


def _campaign_row(standing: Standing, chosen: str) -> Markup:
    seen, record = standing.seen, standing.record
    done = f"{seen.done:,} of {seen.texts:,}" if seen.texts is not None else "\u2013"
    begun = time.strftime("%Y-%m-%d %H:%M", time.localtime(record.created))
    open_it = tag(
        "button",
        isolated(record.title),
        tag("span", f", begun {begun}", class_="sr-only"),
        type="button",
        class_="act open-campaign",
        data_campaign=standing.id,
        aria_current="true" if standing.id == chosen else None,
    )
    sign = SIGNS[Verdict.HIDDEN] if seen.hidden() else ""
    cells: list[tuple[str, object]] = [
        ("state", state_badge(standing.state)),
        ("texts", done),
        ("hidden", f"{sign} {seen.hidden():,}".strip()),
        ("begun", begun),
    ]
    what = tag("span", _what(standing.campaign), class_="quiet-inline what")
    return tag(
        "tr",
        tag("th", open_it, what, scope="row"),
        *(tag("td", tag("div", value), data_column=column) for column, value in cells),
        class_="selected" if standing.id == chosen else None,
    )
