"""The events of the Results tab: a report is opened, filtered, compared and downloaded."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import gradio as gr

from hinter_ui.html import notice
from hinter_ui.inside import get_upload_folder
from hinter_ui.results import html as present
from hinter_ui.results.actions import FOLDS, OpenReport, ResultsActions, ResultsState, opened
from hinter_ui.results.html import say
from hinter_ui.results.layout import ResultsLayout
from hinter_ui.results.updates import ResultsUpdates, attributes_of, order_of, wanted_of
from hinter_ui.shared.events import TabEvents, Told, Updates
from hinter_ui.shared.library import find_kept, known, noted
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from hinter_ui.shared.wiring import (
    Load,
    TabLink,
    after_event,
    attempt,
    parts_of,
    place_in,
    scripted,
)


def build(services: Services) -> None:
    """Build the tab inside the current ``gr.Tab`` and wire it."""
    ResultsEvents(services, ResultsLayout(services)).wire()


class ResultsEvents(TabEvents):
    """From the widgets of the tab to its actions and back."""

    room = "results"
    failure = "errors.title"
    options: ClassVar = {"concurrency_limit": 4}

    def __init__(self, services: Services, ui: ResultsLayout) -> None:
        super().__init__(services, ui.notice)
        self.ui = ui
        self.kept = find_kept()
        self.actions = ResultsActions(services)
        self.updates = ResultsUpdates(ui, self.actions)

    # -- wiring ---------------------------------------------------------------------------------

    def wire(self) -> None:
        """Connect every widget with what it does."""
        ui = self.ui
        linked = self.services.addresses.names("results", "campaign", "section", tab="results")
        shown = self.on(
            linked.change, self.open_page, [linked, self.kept], [self.kept, *ui.everything]
        )
        scripted(shown.then, "results.revealed")
        drawn = {"js": after_event("page.drawn", "results", 1)}
        looked = self.on(self.tab.select, self.look, [self.kept], ui.everything, **drawn)
        # gradio may lose choices that it is told while it draws the tab, and others come meanwhile.
        counted = {"js": after_event("results.counted")}
        self.on(ui.campaign.focus, self.offer, [self.kept, ui.address], [ui.campaign], **counted)
        trigger, named = partial(gr.on, [ui.open.click, ui.path.submit]), [self.kept, ui.campaign]
        opening = {"trigger_mode": "always_last", "js": after_event("results.opening")}
        typed = self.on(trigger, self.open, [*named, ui.path], ui.everything, **opening)
        chosen = self.on(ui.campaign.input, self.open, named, ui.everything, **opening)
        # What the tab itself asked for may be answered after a choice that is still on its way.
        for done, was_chosen in ((looked, ""), (typed, "chosen"), (chosen, "chosen")):
            scripted(done.then, "results.opened", [ui.address], (was_chosen,))
        made = self.on(ui.sample.click, self.example, [self.kept], [ui.sample, *ui.everything])
        scripted(made.then, "results.opened", [ui.address], ("chosen",))
        filtered = [ui.model, ui.attributes]
        changed = partial(gr.on, [widget.input for widget in filtered])
        boxes = [*ui.filled.values(), *ui.of_model]
        self.on(changed, self.choose, filtered, [ui.which, *boxes])
        limited = partial(gr.on, [ui.limit.submit, ui.limit.blur])
        self.on(limited, self.set_limit, [ui.limit], [ui.limit, ui.cards, ui.beside])
        scripted(ui.copy.click, "results.copied")
        self._wire_folds()
        self._wire_findings()
        self._wire_comparison()
        # The mutants that pass the filter become the data of a new campaign.
        made = self.on(ui.hand_over.click, self.hand_over, [], [])
        self.services.links["batch"].follow(made.then)
        for kind, button in ui.downloads.items():
            self.download(button.click, partial(self._write, kind), [], ui.place)

    def _wire_folds(self) -> None:
        """A section is drawn once it is unfolded, and its address opens it."""
        ui = self.ui
        for key, fold in ui.folds.items():
            filled = [ui.filled[key], ui.repair] if key in ui.filled else []
            progress = "minimal" if filled else "hidden"
            drawn = partial(self._unfold, key)
            shown = self.on(fold.expand, drawn, [], filled, show_progress=progress)
            scripted(shown.then, "results.unfolded", first=(key,))
            closed = self.on(fold.collapse, partial(self._fold, key), [], [])
            scripted(closed.then, "results.unfolded", first=("",))

    def _wire_findings(self) -> None:
        ui, explore = self.ui, self.services.links["explore"]
        filters = [ui.verdicts, ui.which, ui.search, ui.validity]
        # gradio tells `input` of a choice of several for what is added, not for what is taken away.
        typed = partial(
            gr.on,
            [ui.verdicts.change, ui.which.input, ui.search.change, ui.validity.input,
             ui.order.input],
        )  # fmt: skip
        self.on(typed, self.filter, [*filters, ui.order], [ui.findings])
        picked = partial(gr.on, [w.select for w in (ui.examples, ui.findings, ui.comparison)])
        explore.follow(self.on(picked, self.pick, [], [ui.findings, self.tabs]).then)

        self.services.lead("repair", self.on(ui.repair.click, self.repair, [], []).success)
        shown = [*filters, ui.findings, ui.folds["findings"]]
        words = self.on(ui.diagnosis.select, self.show_word, [], shown)
        self.services.links["results"] = TabLink(
            self.served(self.show_words),
            [self.tabs, ui.folds["words"], ui.diagnosis, ui.repair, ui.notice],
            (("page.reveal", (), ("results-fold-words",)),),
        )
        scripted(words.success, "page.reveal", first=("results-fold-findings",))

    def _wire_comparison(self) -> None:
        ui = self.ui
        named = partial(gr.on, [ui.other.input, ui.other_path.submit, ui.other_path.blur])
        self.on(named, self.choose_other, [ui.other, ui.other_path], [ui.first, ui.second])
        sides = [ui.other, ui.other_path, ui.first, ui.second]
        self.on(ui.compare.click, self.compare, sides, [ui.comparison], show_progress="minimal")

    # -- opening --------------------------------------------------------------------------------

    def open_page(self, session: Session, linked: Any, kept: Any) -> Updates:
        """Open the campaign of a fresh page's link; one of Batch, if this tab is selected."""
        names, query = known(session, kept), parts_of(linked)
        session.campaign = (query.get("results") or query.get("campaign") or "")[:64]
        if not query.get("results") and not session.of(ResultsState).looked:
            return {self.ui.notice: ""}
        shown = self._opened(session, session.campaign, "", names, query.get("section", ""))
        if session.campaign not in names and not self.services.access.local:
            shown |= {self.kept: noted(session, [session.campaign, *names])}
        return shown

    def look(self, session: Session, kept: Any) -> Updates:
        """Bring what is open up to date, or open a campaign, when the tab is selected.

        Where the tab shows all there is, it stays, and what it has been told meanwhile.
        """
        names = known(session, kept)
        state = session.of(ResultsState)
        state.looked, before = True, state.drawn
        reading, name, path = state.reading, session.campaign, ""
        if reading and reading.name in ("", name):
            name, path = reading.name, "" if reading.name else str(reading.store.folder)
        if not (name or path) or not (reading or self.services.campaigns.exists(name)):
            return self._offered(session, names)
        offered = state.offered
        # The tab may have been drawn for long, and another campaign be opened meanwhile.
        shown = self._opened(
            session, name, path, names, overtaken=lambda: state.reading is not reading
        )
        same = state.reading is reading and (before, offered) == (state.drawn, state.offered)
        return {self.ui.notice: gr.skip()} if same else shown

    def _offered(self, session: Session, names: list[str]) -> Updates:
        """Offer the campaigns, if they are others, so that an unfolded list stays so."""
        choices = self.services.campaigns.offered(names)
        state = session.of(ResultsState)
        if choices == state.offered:
            return {self.ui.notice: gr.skip()}
        state.offered = choices
        # With the value, as gradio may lose choices alone while it draws the tab.
        return {self.ui.campaign: gr.update(choices=choices, value=None)}

    def offer(self, session: Session, kept: Any, drawn: Any) -> Updates:
        """Offer the campaigns anew if the unfolded list has other labels than ``drawn``."""
        names = [*known(session, kept), *filter(None, [session.campaign])]
        choices = self.services.campaigns.offered(names)
        if drawn == [label for label, _ in choices]:
            return {self.ui.campaign: gr.skip()}
        session.of(ResultsState).offered = choices
        return {self.ui.campaign: gr.update(choices=choices)}

    def open(self, session: Session, kept: Any, name: Any, path: Any = "") -> Updates:
        """Open the campaign that was chosen, or the one of a path; or keep what is open."""
        wanted, names = (str(name or ""), str(path or "")), known(session, kept)
        shown, failure = attempt(self._opened, session, *wanted, names, title=self.title)
        if shown and path:
            shown.pop(self.ui.path, None)  # it stands there; the next one may be being typed
        reading = session.of(ResultsState).reading
        return shown or {
            self.ui.notice: failure,
            self.ui.campaign: (reading and reading.name) or None,
        }

    def _opened(
        self,
        session: Session,
        name: str,
        path: str,
        names: list[str],
        section: str = "",
        overtaken: Callable[[], bool] = lambda: False,
    ) -> Updates:
        """Open a campaign; nothing changes if yet another was opened meanwhile."""
        choices = self.services.campaigns.offered([*names, name])
        state = session.of(ResultsState)
        old = state.reading.unfolded if state.reading else set[str]()
        first = set(old)
        reading = self.actions.open(session, name, path, overtaken)
        before = set(old)  # also what was unfolded while the campaign was counted
        reading.unfolded |= {section} & set(FOLDS) | before - first
        # Told of the rest, gradio would close what is unfolded by hand as the campaign arrives.
        turned = {
            self.ui.folds[key]: gr.update(open=key in reading.unfolded)
            for key in before ^ reading.unfolded
        }
        shown = self.updates.opened(reading, choices) | turned | {self.ui.notice: ""}
        if state.reading is not reading:
            return {self.ui.notice: gr.skip()}
        state.offered, state.drawn = choices, (reading, reading.state)
        return shown

    def example(self, session: Session, kept: Any) -> Iterator[Updates]:
        """Run the example campaign, and open it."""
        ui, load = self.ui, Load(self.actions.example)
        yield {ui.notice: notice.working(say("working"), 0), ui.sample: gr.update(visible=False)}
        while not load.done.wait(1.0):
            yield {ui.notice: notice.working(say("working"), load.seconds)}
        again = {ui.sample: gr.update(visible=True)}
        if load.error:
            yield {ui.notice: notice.error(load.error, self.title)} | again
            return
        name = load.result
        names = [*known(session, kept), name]
        shown, failure = attempt(self._opened, session, name, "", names, title=self.title)
        yield (shown or {ui.notice: failure}) | again

    # -- choosing what is shown -----------------------------------------------------------------

    def choose(self, session: Session, model: Any, attributes: Any) -> Updates:
        """Show another model, or other attributes."""
        reading = session.of(ResultsState).reading
        if reading is None:
            return {self.ui.notice: ""}
        if model in reading.models:
            reading.model = str(model)
        reading.attributes = attributes_of(attributes)
        reading.page, reading.diagnosis, reading.pairs = 0, [], []
        return self.updates.of_model(reading) | {self.ui.notice: ""}

    def set_limit(self, session: Session, limit: Any) -> Updates:
        """Decide by another limit, in points."""
        reading = session.of(ResultsState).reading
        usable = isinstance(limit, int | float) and 0 <= limit <= 100
        if reading is None or not usable:
            back = round(100 * reading.limit, 3) if reading else gr.skip()
            return {self.ui.limit: back, self.ui.notice: gr.skip()}
        reading.limit = limit / 100
        return self.updates.decided(reading) | {self.ui.notice: ""}

    def _unfold(self, key: str, session: Session) -> Updates:
        """Draw a section that is unfolded."""
        reading = session.of(ResultsState).reading
        if reading is None:
            return {self.ui.notice: ""}
        reading.unfolded.add(key)
        return self.updates.unfolded(reading, key) | {self.ui.notice: ""}

    def _fold(self, key: str, session: Session) -> Updates:
        """Note that a section is folded: it is not drawn again for another model."""
        reading = session.of(ResultsState).reading
        if reading is not None:
            reading.unfolded.discard(key)
        return {self.ui.notice: gr.skip()}

    def filter(
        self, session: Session, verdicts: Any, which: Any, search: Any, validity: Any, order: Any
    ) -> Updates:
        """Filter and sort the findings."""
        reading = session.of(ResultsState).reading
        wanted = wanted_of(verdicts, which, search, validity), order_of(order)
        if reading is None or wanted == (reading.wanted, reading.order):
            return {self.ui.notice: gr.skip()}  # set by us: there may be a newer notice
        reading.wanted, reading.order = wanted
        reading.page, reading.whole = 0, None
        return self._table(reading)

    def pick(self, data: Told, session: Session) -> Updates:
        """Open a finding in Explore, or show another page of findings."""
        if "page" in data:
            reading = session.of(ResultsState).reading
            if reading is None:
                return {self.ui.notice: ""}
            reading.page, reading.whole = place_in(data, "page", 0), None
            return self._table(reading)
        if "more" in data:
            reading = opened(session)
            names = attributes_of(data["more"])
            reading.whole = place_in(data, "shard"), place_in(data, "row"), names
            return self._table(reading)
        if "example" in data:
            session.wanted = self.actions.form_of_example(session, place_in(data, "example"))
        elif "change" in data:
            session.wanted = self.actions.form_of_change(session, place_in(data, "change"))
        else:
            session.wanted = self.actions.form_of_finding(
                session, place_in(data, "shard"), place_in(data, "place")
            )
        return self.show("explore") | {self.ui.notice: ""}

    def _table(self, reading: OpenReport) -> Updates:
        return {self.ui.findings: self.updates.table(reading), self.ui.notice: ""}

    # -- words ----------------------------------------------------------------------------------

    def repair(self, session: Session) -> Updates:
        """Hand the model and the grammar over to Repair."""
        self.actions.hand_to_repair(session)
        return {self.ui.notice: ""}

    def show_words(self, session: Session) -> Updates:
        """Open the diagnosis of the grammar tested last; selecting the tab shows the rest."""
        session.campaign = session.tested or session.campaign
        if not session.campaign:
            return {self.ui.notice: ""}
        reading, failure = attempt(self.actions.open, session, session.campaign, title=self.title)
        if failure:
            return {self.ui.notice: failure} | self.show("results")
        reading.unfolded.add("words")
        unfolded = {self.ui.folds["words"]: gr.update(open=True), self.ui.notice: ""}
        return self.updates.words(reading) | unfolded | self.show("results")

    def show_word(self, data: Told, session: Session) -> Updates:
        """Show the findings behind a word, or a pair of words."""
        ui = self.ui
        if "pair" in data:
            reading = self.actions.show_pair(session, place_in(data, "pair"))
        else:
            reading = self.actions.show_word(session, place_in(data, "word"))
        shown = self.updates.filters(reading)
        kept = (ui.verdicts, ui.which, ui.search, ui.validity)
        unfolded = {ui.folds["findings"]: gr.update(open=True)}
        return {widget: shown[widget] for widget in kept} | unfolded | self._table(reading)

    # -- comparing and taking along -------------------------------------------------------------

    def choose_other(self, session: Session, name: Any, path: Any) -> Updates:
        """Offer the models of the other campaign."""
        reading = session.of(ResultsState).reading
        name, path = str(name or ""), str(path or "")
        mine = reading.models if reading else []
        other = self.actions.models_of(name, path) if name or path.strip() else mine
        return self.updates.sides(reading, mine, other) | {self.ui.notice: ""}

    def compare(self, session: Session, name: Any, path: Any, first: Any, second: Any) -> Updates:
        """Compare what is open with another campaign, or two of its models."""
        models, title = [str(first or ""), str(second or "")], say("errors.not_compared")
        other = str(name or ""), str(path or "")
        comparison, failure = attempt(self.actions.compare, session, *other, models, title=title)
        return {self.ui.comparison: failure or present.comparison(comparison), self.ui.notice: ""}

    def hand_over(self, session: Session) -> Updates:
        """Write a file of mutants for the Batch tab."""
        session.hand = ""
        made = self.actions.hand_over(session, Path(get_upload_folder()))
        session.hand = str(self.counted(session, made))
        return {self.ui.notice: ""}

    def _write(self, kind: str, session: Session) -> Path:
        """Write a file."""
        return self.actions.write(session, kind, Path(get_upload_folder()))
