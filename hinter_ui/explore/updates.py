"""From a session to updates of the Explore tab's widgets."""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import Any

import gradio as gr

from hinter_core.errors import HinterError
from hinter_core.models.registry import kind_of
from hinter_core.mutation.plan import Plan
from hinter_core.pipeline.case import TestResult
from hinter_core.report.section import short_names
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import Failure
from hinter_ui.explore.actions import ExploreActions
from hinter_ui.explore.html import Filter, group_label, groups_in, say
from hinter_ui.explore.layout import ExploreLayout
from hinter_ui.explore.pairs import lower_score, pairs
from hinter_ui.explore.state import ExploreState, OfferedEdits
from hinter_ui.html import notice
from hinter_ui.html.marked import changed, preview
from hinter_ui.html.markup import Markup, join, model_choices, tag
from hinter_ui.html.wording import address_of_check, name_of
from hinter_ui.shared.events import Updates
from hinter_ui.shared.links import LINKED, ExploreForm, find_edits
from hinter_ui.shared.session import Result, Session
from hinter_ui.shared.templates import is_slotted

# Numbers of answers: the page may be older than the app, which begins them anew.
_ANSWERS = count(time.time_ns() // 1_000)


class ExploreUpdates:
    """Updates of the tab's widgets, by widget."""

    def __init__(self, ui: ExploreLayout, actions: ExploreActions) -> None:
        self.ui = ui
        self.actions = actions

    def controls(self, form: ExploreForm) -> Updates:
        """Fill in the controls from a form."""
        ui = self.ui
        return {
            ui.text: form.text,
            ui.attributes: gr.update(value=list(form.attributes)),
            ui.models: gr.update(value=list(form.models)),
            ui.parser: form.parser,
            **{ui.fields[name]: gr.update(value=_shown(getattr(form, name))) for name in LINKED},
        }

    def looked(
        self, session: Session, form: ExploreForm, seen: Markup, choices: Sequence[OfferedEdits]
    ) -> Updates:
        """Show what follows from text and settings alone: what counts, what can be chosen."""
        asking = any(kind_of(name).generative for name in form.models)
        if not choices:  # empty, or nothing in it can be tested
            session.of(ExploreState).bare = form.source
        return self.people(session, form) | {
            self.ui.preview: seen,
            self.ui.pairs: pairs(choices, session.of(ExploreState).choice),
            self.ui.asking: gr.update(visible=asking),
            self.ui.choosing: gr.update(visible=not is_slotted(form.text, form.template)),
        }

    def marked(self, session: Session, form: ExploreForm, plan: Plan) -> Markup:
        """Mark the terms of a text, and offer attributes of others."""
        return preview(plan, self.actions.elsewhere(session, form, plan))

    def people(self, session: Session, form: ExploreForm) -> Updates:
        """Show who is who, if that part is open and the text is another one."""
        seen = self.actions.people(session, form)
        return {} if seen is None else {self.ui.who: seen}

    def unread(self, session: Session, error: HinterError) -> Updates:
        """Show why the controls cannot be read, and nothing of what they said before."""
        bare = self.people(session, ExploreForm())
        return bare | {self.ui.pairs: "", self.ui.preview: notice.error(error)}

    def refused(self, fault: str | HinterError) -> Updates:
        """Show a notice; a result stays."""
        return {self.ui.notice: notice.error(fault)}

    def unjudged(
        self, session: Session, form: ExploreForm, foreign: Sequence[str] | None = None
    ) -> Updates:
        """Say why a finding or link is not judged yet, and what it changes in the text.

        ``foreign``: of a link, its models that do not come with HInter.
        """
        session.of(ExploreState).bare = form.source
        why = self.actions.refusal(form) if foreign is None else ""
        kind = "unloaded" if foreign is None else "foreign" if foreign else "parser"
        names = ", ".join(short_names(foreign or ()).values())
        said = [tag("p", why or say(f"link.{kind}", models=names))]
        if form.edits:
            with suppress(HinterError):  # the page says what is wrong with the text
                plan = self.actions.plan(session, form)
                change = changed(plan.text, find_edits(plan, form.edits))
                said.append(tag("p", say("link.change"), " ", change))
        choices = self.actions.model_choices(session, form)
        return {
            self.ui.notice: tag("div", *said, role="status", class_="notice info"),
            self.ui.models: gr.update(value=list(form.models), choices=choices),
        }

    def standing(self, session: Session) -> Updates:
        """Count what was made from what the controls say; mark what was not; follow the address.

        This goes with every answer to the page, so that no figure stands beside another text. The
        browser may hand on an older answer after a newer one: the page keeps what has the highest
        number (``explore.newest``).
        """
        with session.of(ExploreState).answering:  # no higher number tells of something older
            number, (stale, progress, address) = next(_ANSWERS), self._standing(session)
        numbered = f"<!--{number}-->"
        return {
            self.ui.stale: Markup(numbered + stale),
            self.ui.progress: Markup(numbered + progress),
            self.ui.address: f"{number} {address}",
        }

    def _standing(self, session: Session) -> tuple[Markup, Markup, str]:
        awaited, result = session.of(ExploreState).awaited, session.result
        if awaited:
            words = "scan" if result and result.form.source != awaited.source else ""
        else:
            words = self.actions.change(session)
        acts = {} if words == "scan" else {"back": say("stale.back")}
        state = session.of(ExploreState)
        if words == "text" and state.controls.source == state.bare:
            words = "gone"
        stale = notice.offer(say(f"stale.{words}"), acts, words) if words else Markup("")
        return stale, self._progress(session), self.actions.address(session)

    def _progress(self, session: Session) -> Markup:
        """Count a scan beside its own text and settings; elsewhere, offer to come back to it."""
        state, scan = session.of(ExploreState), session.scanned
        if state.awaited:
            return notice.progress(0, 0, {}, say("scan.starting"))
        if scan is None or not scan.check.mutants:
            return Markup("")
        shown = session.result is not None and session.result.answered is scan.check
        if shown and state.controls.source == scan.form.source:
            return self._counted(session, scan)
        done, planned = len(scan.check.mutants), scan.check.planned
        if shown and session.running:
            return notice.progress(done, planned, {}, say("scan.elsewhere"))
        if shown:
            return Markup("")  # the mark on the result leads back to it
        acts = {"scan": say("scan.show")}
        if not scan.check.complete:
            acts["resume"] = say("scan.resume")
        words = "scan.kept" if scan.check.complete else "scan.ended"
        return notice.offer(say(words, done=done, planned=planned), acts)

    def _counted(self, session: Session, scan: Result) -> Markup:
        check = session.check or scan.check  # at its threshold
        counts = {m: _counts(check, m) for m in scan.models}
        outcome = say("scan.running") if session.running else self._outcome(scan)
        bar = notice.progress(len(check.mutants), check.planned, counts, outcome)
        if session.running:
            return bar
        lower = lower_score(check)
        acts = {} if lower is None else {"lower": say("scan.lower", score=lower)}
        if not check.complete:
            acts["resume"] = say("scan.resume")
        return join([bar, notice.offer("", acts)]) if acts else bar

    def chosen(self, session: Session) -> Updates:
        """Say in the lists of pairs what the variant shown changes."""
        state, shown = session.of(ExploreState), self.actions.shown_form(session)
        if session.check is None or shown is None or self.actions.change(session):
            return {}
        state.controls = replace(state.controls, edits=shown.edits)
        return {self.ui.pairs: pairs(self.actions.offered(shown, session.check.plan), state.choice)}

    def uploaded(
        self, dictionary: Dictionary, names: Sequence[str], chosen: Sequence[str] | None
    ) -> Updates:
        """Choose a visitor's dictionary beside the attributes that are chosen."""
        words = say(
            "form.uploaded", name=name_of(dictionary.attribute),
            terms=len(dictionary.terms), pairs=dictionary.pair_count,
        )  # fmt: skip
        choices = [(name_of(name), name) for name in names]
        value = [*(chosen or []), dictionary.attribute]
        return {
            self.ui.attributes: gr.update(choices=choices, value=value),
            self.ui.upload_note: notice.info([words]),
        }

    def remarks(self, messages: list[str]) -> Updates:
        """Show remarks that do not stop a check."""
        return {self.ui.notice: notice.info(messages)}

    def partly(self, session: Session) -> Updates:
        """Show what a scan has found so far."""
        listed = self.listed(session)
        return listed | self.shown(session) if self.actions.show_better(session) else listed

    def finished(self, session: Session, result: TestResult | None) -> Updates:
        """Show the most telling mutant after a scan, complete or stopped."""
        if result is None or not result.mutants:
            return self.remarks([say("scan.nothing")])
        self.actions.show_better(session)
        fresh = self.fresh_filter(session) | self.listed(session)
        return fresh | self.chosen(session) | self.shown(session)

    def _outcome(self, scan: Result) -> str:
        check, limit = scan.check, scan.form.limit
        if not check.complete:
            outcome = say("scan.stopped")
        elif limit and check.plan.total > limit:
            outcome = say("scan.sampled", sample=limit, all=check.plan.total)
        else:
            outcome = say("scan.complete")
        return over_budget(check, outcome)

    def shown(self, session: Session) -> Updates:
        """Show everything about the selected mutant."""
        ui, parts, state = self.ui, self.actions.show(session), session.of(ExploreState)
        seen = gr.update(visible=parts is not None)
        if parts is None or session.result is None:
            return {ui.results: seen, ui.details: seen}
        models, judged = session.result.models, self.actions.judged(session)
        return {
            ui.results: seen,
            ui.details: seen,
            ui.banner: parts.banner,
            ui.square: parts.square,
            ui.picture: _picture(state.shown_model),
            ui.link: self._share(session),
            ui.threshold: self._threshold(session, session.result),
            ui.folds["how"]: gr.update(visible=bool(judged and judged.effect)),
            ui.model_switch: gr.update(
                choices=model_choices(models),
                value=state.shown_model,
                visible=len(models) > 1,
            ),
            **self.unfolded(session, "how", "why"),
        }

    def _share(self, session: Session) -> Markup:
        query = self.actions.link(session)
        if not query:
            return tag("span", say("link.long"), class_="quiet")
        return notice.share(
            say("link.open"), address_of_check(query), self.actions.reached(session)
        )

    def listed(self, session: Session) -> Updates:
        """Show the hidden variants, and the table of all if that is open."""
        return {self.ui.found: self.actions.found(session)} | self.unfolded(session, "all")

    def unfolded(self, session: Session, *names: str) -> Updates:
        """Fill those of these parts that are open; what is folded is neither made nor sent."""
        ui, updates = self.ui, Updates()
        opened = session.of(ExploreState).open.intersection(names)
        if "all" in opened:
            updates[ui.table] = self.actions.table(session)
        if "how" in opened and (plot := self.actions.plot(session)):
            updates[ui.plot] = plot
        if "why" in opened:
            updates[ui.trees] = self.actions.trees(session)
        return updates

    def _threshold(self, session: Session, result: Result) -> Any:
        label = self.actions.deciding(session)
        if label is None:
            return gr.update(visible=False)
        words = say("threshold.of", label=label) if label else say("threshold.each")
        value = result.form.threshold or self.actions.threshold(session)
        return gr.update(visible=True, value=value, label=words)

    def fresh_filter(self, session: Session) -> Updates:
        """Reset the filter, offering what the check holds."""
        ui, check = self.ui, session.check
        session.of(ExploreState).filter = Filter()
        present = [a for a in check.plan.attributes if check.plan.edits.get(a)] if check else []
        groups = [(group_label(group), group) for group in (groups_in(check) if check else [])]
        every = (say("form.any"), "")
        attributes = [every, *((name_of(a), a) for a in present)]
        return {
            ui.verdict_filter: gr.update(value=[]),
            ui.attribute_filter: gr.update(choices=attributes, value=""),
            ui.group_filter: gr.update(choices=[every, *groups], value=""),
            ui.row_order: gr.update(value="verdict"),
        }


def _shown(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _counts(check: TestResult, model: str) -> tuple[dict[str, int], dict[str, int]]:
    """Count what changes one person, and what changes two."""
    if not check.plan.settings.across_people:
        return check.counts(model), {}
    return check.counts(model, across_people=False), check.counts(model, across_people=True)


def over_budget(check: TestResult, state: str) -> str:
    """Add to a scan's state how much it left out when its requests were used up."""
    answers = (j.prediction for judged in check.outcomes.values() for j in judged)
    left = sum(a is not None and a.failure is Failure.OVER_BUDGET for a in answers)
    return say.count("scan.over_budget", left, state=state) if left else state


def cancel_button(*, running: bool) -> Any:
    """Show the button that stops a scan while one runs."""
    return gr.update(value=say("widgets.cancel.value"), visible=running, interactive=True)


def _picture(model: str) -> Markup:
    """Offer what is shown as a picture, which names the model."""
    return tag(
        "button", say("picture.save"), type="button", class_="save-picture",
        data_caption=say("picture.caption", model=model),
    )  # fmt: skip
