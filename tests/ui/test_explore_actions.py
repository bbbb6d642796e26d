"""What the tab does, without a browser: cancelling, links, tables, escaping."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any
from urllib.parse import parse_qsl

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hinter_core.campaign.spec import Campaign
from hinter_core.errors import HinterError
from hinter_core.mutation.settings import Settings
from hinter_core.options import CampaignOption
from hinter_core.pipeline.case import TestResult
from hinter_core.pipeline.export import check_to_json
from hinter_core.relations.changes.phrases import SourceText, edit_of
from hinter_core.relations.family import FAMILY, Changing, FamilyRelation
from hinter_core.relations.registry import RELATIONS
from hinter_core.terms import matching
from hinter_core.terms.dictionary import load_shipped
from hinter_core.types import Edit, EditKind, Mutant, Term, Verdict
from hinter_ui.explore import actions as module
from hinter_ui.explore.actions import ExploreActions
from hinter_ui.explore.examples import load_examples
from hinter_ui.explore.html import Filter, banner, headline, rows_for
from hinter_ui.explore.pairs import smallest_flip
from hinter_ui.explore.state import ExploreState
from hinter_ui.html import notice, wording
from hinter_ui.html.marked import preview
from hinter_ui.html.markup import escape, tag
from hinter_ui.shared.access import Access
from hinter_ui.shared.links import FIELDS, LINK_LIMIT, LINKED, ExploreForm, edit_key, explore_form
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session, Sessions
from hinter_ui.shell import build_app

MODEL = "scripted:hidden-review"
FORM = ExploreForm(text="The young British waiter met her.", attributes=("race", "gender", "age"),
            models=(MODEL,))  # fmt: skip


@pytest.fixture(scope="module")
def services() -> Services:
    return Services()


@pytest.fixture
def actions(services: Services) -> ExploreActions:
    return ExploreActions(services)


def test_cancelled_scan_asks_the_model_no_more(actions: ExploreActions, services: Services) -> None:
    session = Session()
    scan = actions.scan(session, replace(FORM, limit=5000))
    next(scan)
    asked = services.model(MODEL).predicted
    assert session.stop()
    assert list(scan) == []
    assert services.model(MODEL).predicted == asked
    assert session.check is not None
    assert 0 < len(session.check.mutants) < session.check.planned
    assert not session.check.complete


def test_second_scan_stops_the_first(actions: ExploreActions) -> None:
    session = Session()
    first = actions.scan(session, FORM)
    next(first)
    second = actions.scan(session, FORM)
    next(second)
    assert list(first) == []
    assert len(list(second)) > 0


def test_a_scan_on_a_public_host_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LONGEST_SCAN", 0)
    text = "The old black man and the young white woman paid for the soup."
    form = ExploreForm(text=text, attributes=("race", "gender", "age"), models=(MODEL,), limit=500)
    found = {}
    for local in (False, True):
        actions = ExploreActions(Services(Access(local=local)))
        found[local] = list(actions.scan(session := Session(), form))[-1]
        assert session.running is None
    assert not found[False].complete
    assert found[True].complete
    assert 0 < len(found[False].mutants) < len(found[True].mutants)


@pytest.mark.parametrize(
    "text",
    [
        "The black man met the waiter.",
        "An actor greeted the black landlord.",
        "The waiter from Leeds thanked the black landlord.",
    ],
)
def test_what_changes_two_people_is_counted_apart_and_comes_after(
    actions: ExploreActions, text: str
) -> None:
    rules = "scripted:negative if race=white and gender=female; positive otherwise"
    session = Session()
    form = replace(ExploreForm(text=text, models=(rules,)), across_people=True, limit=None)
    *_, check = actions.scan(session, form)
    apart = [check.plan.across_people(mutant.edits) for mutant in check.mutants]
    verdicts = [outcome.verdict for outcome in check.outcomes[rules]]
    two = sum(a and v is Verdict.HIDDEN for a, v in zip(apart, verdicts, strict=True))
    assert two > 0
    assert check.counts(rules, across_people=True)["hidden"] == two
    one = check.counts(rules, across_people=False)["hidden"]
    assert one + two == check.counts(rules)["hidden"]
    assert check_to_json(check, rules)["counts_across_people"]["hidden"] == two
    counts = {rules: [check.counts(rules, across_people=a) for a in (False, True)]}
    shown = notice.progress(9, 9, counts, "")
    own, others = str(shown).split("two people")
    assert f"{one:,} hidden" in own.replace("<", " ").replace(">", " ")
    assert f"{two:,} hidden" in others.replace("<", " ").replace(">", " ")
    ranked = [apart[i] for i in rows_for(check, [rules], Filter(("hidden",)))]
    assert ranked == sorted(ranked)


_PARTS = "positive 0.7 if race=white; positive 0.7 if gender=female; positive 0.9 otherwise"


@pytest.mark.parametrize(
    ("text", "rules", "across", "words"),
    [
        ("The black man was kind.", "negative 0.9 if", False, "{n} hidden: {n} beyond the sum."),
        (
            "The black man was kind.", "negative 0.51 if", False,
            "{n} hidden: {n} where the effects add up; {n} of them within 0.02 of the threshold.",
        ),
        (
            "The black man was kind on Monday.", "negative 0.623 if", False,
            "{n} hidden: {n} where the effects add up; neutral swaps flip 0 of ",
        ),
        (
            "The black man met the waiter.", "negative 0.9 if", True,
            "{n} hidden: {n} beyond the sum.",
        ),
        (
            "The Asian man was kind on Monday.", "positive 0.9 if", False,
            ">Neutral swaps flip 0 of ",
        ),
    ],
)  # fmt: skip
def test_the_headline_says_how_sure_hidden_findings_are(
    actions: ExploreActions, text: str, rules: str, across: bool, words: str
) -> None:
    model, session = f"scripted:{rules} race=white and gender=female; {_PARTS}", Session()
    form = replace(ExploreForm(text=text, models=(model,)), across_people=across, limit=None)
    *_, check = actions.scan(session, form)
    n = check.counts(model, across_people=False)["hidden"]
    assert words.format(n=n) in headline(check, model)
    if across:
        assert n < check.counts(model)["hidden"]


def test_closed_page_stops_its_scan(actions: ExploreActions) -> None:
    sessions = Sessions()
    session = sessions.of("a")
    scan = actions.scan(session, FORM)
    next(scan)
    sessions.forget("a")
    assert list(scan) == []
    assert sessions.of("a") is not session


def test_sessions_do_not_see_each_other(actions: ExploreActions) -> None:
    one, other = Session(), Session()
    actions.check(one, FORM)
    assert other.check is None
    assert actions.csv(other) == ""


def test_check_repeats_no_work(actions: ExploreActions, services: Services) -> None:
    actions.check(Session(), FORM)
    before = services.parses("embedded").parsed, services.model(MODEL).predicted
    actions.check(Session(), FORM)
    assert (services.parses("embedded").parsed, services.model(MODEL).predicted) == before


def test_what_lies_past_the_window_is_said(actions: ExploreActions, services: Services) -> None:
    filler = "The bread was good and the soup was warm, and we stayed until they closed. " * 60
    text = f"The waiter met a British man. {filler} The waitress smiled at an Iranian woman."
    services.model("embedded")
    form = ExploreForm(text=text, attributes=("race", "gender"), models=("embedded",))
    plan = actions.plan(Session(), form)
    late = {r.occurrence.surface: r.reason for r in plan.rejected}
    assert set(late) == {"waitress", "Iranian", "woman"}
    assert "model sees" in late["waitress"]
    assert "past the part of the text that the model sees" in preview(plan)


def test_overlapping_terms_show_both_attributes(actions: ExploreActions) -> None:
    form = ExploreForm(
        text="The British waiter left.", attributes=("race", "nationality", "gender")
    )
    shown = preview(actions.plan(Session(), form))
    assert "race + nationality" in shown
    assert shown.count("<mark") == 2


def test_table_of_many_attributes_has_one_column_of_changes(actions: ExploreActions) -> None:
    session = Session()
    attributes = ("race", "gender", "age", "occupation")
    form = ExploreForm(text="The young British waiter is a nurse.", attributes=attributes,
                models=(MODEL,), limit=60)  # fmt: skip
    for _ in actions.scan(session, form):
        pass
    shown = actions.table(session)
    assert shown.count('scope="col"') == 5
    assert ">change<" in shown


def test_a_model_is_loaded_once_by_many_at_once(services: Services) -> None:
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(id(services.model("scripted:screening"))))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1


@given(
    text=st.text(st.characters(codec="utf-8"), min_size=1, max_size=200),
    order=st.sampled_from([1, 2, 3]),
    literal=st.booleans(),
)
def test_a_link_brings_back_its_form(text: str, order: int, literal: bool) -> None:
    from urllib.parse import parse_qsl

    form = ExploreForm(
        text=text,
        order=order,
        literal=literal,
        edits=("gender|c|d|any", "race|a|b|adj"),
        models=("scripted:negative if gender=female; positive otherwise", "vader"),
    )
    query = dict(parse_qsl(form.query(), keep_blank_values=True))
    assert ExploreForm.from_query(query) == form


def test_a_link_from_before_there_were_soft_variants_keeps_them() -> None:
    old = ExploreForm.from_query({"text": "A man.", "models": "vader"})
    assert old is not None
    assert (old.keep_soft, old.across_people, old.coherent) == (True, True, False)


@pytest.mark.parametrize(
    ("written", "settings"),
    [
        ("text=A+man.&coherent=1&soft=0&across=0", Settings(validity=0.5)),
        ("text=A+man.&coherent=1&soft=0", Settings(across_people=True, validity=0.0)),
        ("text=A+man.&coherent=1&soft=0&across=0&validity=0", Settings(validity=0.0)),
        ("text=A+man.&order=3&literal=1&again=4&coherent=1&soft=0&across=0",
         Settings(order=3, literal=True, repeat=4, validity=0.5)),
        ("text=A+man.&relations=add%2Csubstitute&seed=7&coherent=1&soft=0&across=0",
         Settings(relations=("add", "substitute"), seed=7, validity=0.5)),
        ("text=A+man.&order=9&seed=-1&again=x&relations=none&coherent=1&soft=0&across=0",
         Settings(validity=0.5)),
        ("text=A+man.&validity=nan&window=0&tolerance=2&invariant=odd&coherent=1&soft=0&across=0",
         Settings(validity=0.5)),
    ],
)  # fmt: skip
def test_links_of_earlier_versions_and_damaged_ones_open(written: str, settings: Settings) -> None:
    form = ExploreForm.from_query(dict(parse_qsl(written)))
    assert form is not None
    form = replace(form, models=("openai:x",))  # one that is asked again
    assert form.settings == replace(settings, limit=500)


@pytest.mark.parametrize("option", LINKED.values(), ids=LINKED)
def test_a_link_carries_every_setting_that_decides(option: CampaignOption) -> None:
    others = {
        bool: not option.default, int: 3, float: 0.25, tuple: ("remove-one",),
        str: next((one for one in option.choices if one != option.default), ""),
    }  # fmt: skip
    form = replace(FORM, **{option.name: others[option.type]})
    assert form != FORM
    assert ExploreForm.from_query(dict(parse_qsl(form.query()))) == form


def test_a_text_too_long_has_no_link() -> None:
    assert ExploreForm(text="a" * LINK_LIMIT).query() == ""


def controls(**typed: object) -> list[object]:
    """What the controls of Explore send: their defaults but for those ``typed``."""
    fields = {name: typed.get(name, option.default) for name, option in FIELDS.items()}
    return ["text", ["race"], ["vader"], "embedded", *fields.values()]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        *(("limit", value, "Maximum variants per text: type a whole number from 1 to 5000")
          for value in (0, -1, "x", float("nan"), float("inf"), 5001)),
        ("order", 4, "a whole number from 1 to 3"),
        ("validity", 1.5, "Least validity score: type a number from 0 to 1"),
        ("tolerance", -0.1, "a number from 0 to 1"),
        ("window", 0.5, "a whole number from 1"),
        ("repeat", 101, "a whole number from 0 to 100"),
    ],
)  # fmt: skip
def test_numbers_out_of_range_are_refused(name: str, value: object, words: str) -> None:
    with pytest.raises(HinterError, match=words):
        ExploreForm.of(*controls(**{name: value}))


def test_the_controls_hold_the_defaults_of_the_settings() -> None:
    """An empty field is the default, in this form as in that of a campaign."""
    form = ExploreForm.of(*controls())
    assert form.settings == replace(Settings(), limit=500)
    assert ExploreForm.of(*controls(limit=None, window="", requests=0)) == form


@given(st.text())
def test_escaped_text_holds_no_markup(text: str) -> None:
    written = tag("p", text, title=text)
    inner = written.removeprefix("<p").removesuffix("</p>")
    assert inner.count("<") == 0
    assert inner.count(">") == 1
    assert inner.count('"') == 2
    assert not set("{}$`") & set(inner)
    assert escape(escape(text)) == escape(text)


def test_only_models_that_answer_in_words_are_asked_again() -> None:
    """Their field is hidden for the others, so a value left in it must not count."""
    asked = ExploreForm(models=("openai:x", MODEL), repeat=3)
    assert asked.settings.repeat == 3
    assert replace(asked, models=(MODEL, "embedded")).settings.repeat == 0


@pytest.fixture
def made_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A language that has Explore's texts alone, each in brackets."""

    def bracketed(tree: Any) -> Any:
        if isinstance(tree, dict):
            return {key: bracketed(branch) for key, branch in tree.items()}
        return f"<{tree}>"

    folder = tmp_path / "words"
    copytree(wording.FOLDER, folder)
    (folder / "xx").mkdir()
    texts = yaml.safe_load((folder / "en" / "explore.yaml").read_text(encoding="utf-8"))
    (folder / "xx" / "explore.yaml").write_text(yaml.safe_dump(bracketed(texts)), encoding="utf-8")
    (folder / "xx" / "language.yaml").write_text("name: Made up\n", encoding="utf-8")
    monkeypatch.setattr(wording, "FOLDER", folder)
    caches = (wording._tree, wording.languages)
    for cached in caches:
        cached.cache_clear()
    yield "xx"
    for cached in caches:
        cached.cache_clear()


def test_a_language_for_the_tab_is_data_only(
    made_up: str, actions: ExploreActions, services: Services
) -> None:
    assert wording.chosen(f"{made_up}-YY") == made_up
    page = build_app(services)
    labels = next(labels for labels in services.labels if labels.room == "explore")
    wording.speak(made_up, "explore")
    texts = dict(labels.spoken())
    shown = {w.elem_id: texts[w._id] for w in labels.texts}
    assert shown["text"]["label"] == "<Text about people, in English>"
    assert shown["scan"]["value"] == "<Find hidden bias>"
    assert shown["order"]["choices"][0] == ("<one attribute alone>", 1)
    assert shown["all"]["label"].startswith("<All variants")
    assert {w.elem_id for w in labels.texts} <= {b.elem_id for b in page.blocks.values()}
    session = Session()
    actions.check(session, FORM)
    parts = actions.show(session)
    assert parts is not None
    assert "&lt;The answer " in parts.banner
    assert '<caption class="sr-only">&lt;All variants' in actions.table(session)
    # What this language lacks is in the default one.
    assert wording.Words("models", made_up).language == "en"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The Brazilian waiter was kind.", "nationality (\u201cBrazilian\u201d): add"),
        ("A Welsh nurse came late.", "nationality (\u201cWelsh\u201d): add"),
        ("The Muslim waiter was kind.", "religion (\u201cMuslim\u201d): add"),
        ("The young British waiter met her.", "age (\u201cyoung\u201d): add"),
        ("A black actor and a blind woman.", "disability (\u201cblind\u201d): add"),
        ("Patient is a 45-year-old AA female.", "\u201cAA\u201d is not read"),
        ("The AAM man was kind to her.", "\u201cAA\u201d is not read"),
        ("Der deutsche Vermieter hat die Heizung repariert.", "Only English texts"),
        ("Il cameriere tedesco era gentile.", "Only English texts"),
        ("Tarjoilija auttoi paljon.", "Only English texts"),
        ("De Duitse huisbaas vertrok vroeg.", "Only English texts"),
    ],
)
def test_what_is_not_chosen_is_named(actions: ExploreActions, text: str, words: str) -> None:
    form = ExploreForm(text=text, attributes=("race", "gender"), models=(MODEL,))
    plan = actions.plan(Session(), form)
    assert words in preview(plan, actions.elsewhere(Session(), form, plan))


def test_words_that_are_changed_anyway_are_not_offered_as_others(actions: ExploreActions) -> None:
    assert not actions.elsewhere(Session(), FORM, actions.plan(Session(), FORM))
    form = ExploreForm(text="The German waiter thanked her.", models=(MODEL,))
    assert not actions.elsewhere(Session(), form, actions.plan(Session(), form))
    every = tuple(name for name, one in load_shipped().items() if not one.placebo)
    form = replace(FORM, attributes=every)
    assert not actions.elsewhere(Session(), form, actions.plan(Session(), form))


@pytest.mark.parametrize("text", ["The table is green.", "Nothing of the kind!", "Rain."])
def test_english_without_people_is_not_taken_for_another_language(
    actions: ExploreActions, text: str
) -> None:
    form = ExploreForm(text=text, models=(MODEL,))
    assert "Only English" not in preview(actions.plan(Session(), form))
    with pytest.raises(HinterError, match=r"in this text\.$"):
        actions.check(Session(), form)
    with pytest.raises(HinterError, match="Only English texts can be changed"):
        actions.check(Session(), replace(form, text="Il cameriere tedesco era gentile."))


def test_a_check_compiles_no_dictionary_that_was_used_before(
    actions: ExploreActions, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions.check(Session(), FORM)
    compiled: list[object] = []
    made = matching.Matcher.__init__

    def count(self: matching.Matcher, dictionaries: Any) -> None:
        compiled.append(dictionaries)
        made(self, dictionaries)

    monkeypatch.setattr(matching.Matcher, "__init__", count)
    actions.check(Session(), replace(FORM, text="The old black nurse met him."))
    assert compiled == []


def test_a_scan_on_a_public_host_lets_checks_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_WAY", 60.0)
    shared = ExploreActions(Services(Access(local=False)))
    scan = shared.scan(Session(), replace(FORM, limit=5000))
    assert len(next(scan).mutants) == module._SHARED_CHUNK
    with shared._checking():
        more: list[int] = []
        waiting = threading.Thread(target=lambda: more.append(len(next(scan).mutants)))
        waiting.start()
        waiting.join(0.5)
        assert more == []
    waiting.join(30)
    assert more == [2 * module._SHARED_CHUNK]


def judged(result: TestResult) -> list[tuple[Mutant, Verdict]]:
    return [(one.mutant, one.verdict) for one in result.outcomes["embedded"]]


@pytest.mark.slow
def test_a_scan_on_a_public_host_finds_the_same() -> None:
    text = "The young black waiter praised the old British actress."
    form = replace(FORM, text=text, models=("embedded",), limit=60)
    found = {}
    for local in (True, False):
        services = Services(Access(local=local))
        *_, found[local] = ExploreActions(services).scan(Session(), form)
    # Scores differ in their last digits, as other batches are padded otherwise.
    assert judged(found[True]) == judged(found[False])
    for own, other in zip(
        *(found[local].outcomes["embedded"] for local in (True, False)), strict=True
    ):
        assert (own.effect is None) is (other.effect is None)
        if own.effect and other.effect:
            assert own.effect.shift == pytest.approx(other.effect.shift, abs=1e-5)
    assert found[True].neutral == found[False].neutral


def test_a_model_whose_requests_cost_has_no_neutral_swaps_and_says_so(
    actions: ExploreActions,
) -> None:
    form = replace(FORM, text="The black man was kind on Monday.")
    *_, check = actions.scan(Session(), form)
    (model,) = check.outcomes
    one, untested = check.outcomes[model][-1], "Neutral swaps were not tested, as each is one more"
    assert untested not in banner(check, one, model)
    check.neutral = {}
    assert untested in banner(check, one, model)
    check.complete = False  # of a scan that goes on, it is not known yet
    assert untested not in banner(check, one, model)


def test_people_are_looked_for_while_that_part_is_open(actions: ExploreActions) -> None:
    session, form = Session(), replace(FORM, text="Ann Poe smiled. She had won.")
    assert actions.people(session, form) is None
    session.of(ExploreState).open.add("people")
    assert "Ann Poe" in (actions.people(session, form) or "")
    assert actions.people(session, replace(form, order=3)) is None  # the text is the same
    other = replace(form, text="The man left. He was tired.")
    assert "Ann Poe" not in (actions.people(session, other) or "Ann Poe")
    german = "Die Lehrerin hat den alten Mann und seine Frau in der Stadt gesehen und ist froh."
    assert actions.people(session, replace(form, text=german)) == ""
    session.of(ExploreState).open.discard("people")
    assert actions.people(session, form) == ""
    assert actions.people(session, form) is None


def test_a_closed_part_parses_nothing_and_an_open_one_reads_the_start_of_a_long_text() -> None:
    services = Services(Access(local=True))
    actions, session = ExploreActions(services), Session()
    form = replace(FORM, text="A bus came at noon. " * 400 + "Ann Poe said that she left. " * 400)
    actions.people(session, form)
    parses = services.parses("embedded")
    assert parses.parsed == 0
    session.of(ExploreState).open.add("people")
    shown = actions.people(session, form) or ""
    assert "in the first 11,9" in shown
    assert parses.parsed == 3  # two sentences, and the one that is cut
    assert "no letter" not in shown
    nothing = actions.people(session, replace(form, text="?!")) or ""
    assert "There are no words to check" in nothing


def test_relations_are_offered_checked_and_reopened_by_a_link(actions: ExploreActions) -> None:
    form = ExploreForm(
        text="The waiter was kind.", attributes=("race", "gender"), models=(MODEL,),
        relations=("add", "substitute"), seed=3,
    )  # fmt: skip
    session = Session()
    plan = actions.plan(session, form)
    added = next(edit for edit in plan.edits["race"] if edit.target.group == "black")
    waitress = next(edit for edit in plan.edits["gender"] if edit.target.text == "waitress")
    keys = tuple(edit_key(edit) for edit in (added, waitress))
    assert keys[0] == f"race||{added.target.text}|any|add|4"
    actions.check(session, replace(form, edits=keys))
    shown = actions.shown_form(session)
    assert shown is not None
    query = dict(parse_qsl(shown.query()))
    again = ExploreForm.from_query(query)
    assert again is not None
    assert (again.relations, again.seed) == (form.relations, 3)
    assert set(again.edits) == set(keys)
    made = actions.check(Session(), again)
    assert made.mutants[-1].text == f"The {added.target.text} waitress was kind."


def test_the_preview_names_what_offers_a_change(actions: ExploreActions) -> None:
    form = ExploreForm(
        text="The waiter was kind.", attributes=("race", "gender"), relations=("add",)
    )
    session = Session()
    assert "Only race offers a change here; there is none for gender." in preview(
        actions.plan(session, form)
    )
    rain = replace(form, text="It rained.")
    assert "can be done here to race or gender." in preview(actions.plan(session, rain))
    exchanged = replace(form, relations=("substitute",))
    assert "Only gender has a term that counts here" in preview(actions.plan(session, exchanged))
    both = replace(form, text="An old nun slept.", attributes=("age", "gender"))
    everything = replace(both, relations=("remove-all",))
    assert "No intersection" not in preview(actions.plan(session, everything))


def later(source: SourceText, attribute: str) -> Iterator[Edit]:
    """Let it be another day."""
    start = source.text.index("Monday")
    pieces = [(start, start + len("Monday"), "Friday")]
    old, new = Term("Monday", "day"), Term("Friday", "another day")
    yield edit_of("later", EditKind.REWRITE, (attribute, old), new, pieces)


def test_what_is_about_no_attribute_opens_without_one(
    actions: ExploreActions, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = Changing("", "say another day", "a Monday", later, clause=True, about="day")
    monkeypatch.setitem(FAMILY, "later", new)
    monkeypatch.setitem(RELATIONS, "later", FamilyRelation("later"))
    text, relations = "The waiter was kind on Monday.", ("later", "substitute")
    form = ExploreForm(
        text=text, attributes=("race", "gender"), models=(MODEL,), relations=relations
    )
    plan = actions.plan(Session(), form)
    exchanged = next(edit for edit in plan.edits["gender"] if edit.target.text == "waitress")
    edits = (exchanged, plan.edits["day"][0])
    campaign = Campaign(attributes=("race",), relations=relations)
    found = explore_form(campaign, load_shipped(), 1, text, edits, MODEL)
    assert found.attributes == ("race", "gender")
    made = actions.check(Session(), found)
    assert made.mutants[-1].text == "The waitress was kind on Friday."
    with pytest.raises(HinterError, match="gender"):
        explore_form(campaign, {}, 1, text, edits, MODEL)


@pytest.mark.parametrize("local", [False, True])
def test_on_a_public_host_one_long_text_is_read_at_a_time(
    local: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions = ExploreActions(Services(Access(local=local)))
    most, now, short, lock = [0], [0], threading.Event(), threading.Lock()

    def plan(session: Session, form: ExploreForm) -> None:
        if len(form.text) < 100:
            short.set()
            return
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        short.wait(20)  # a short one is read meanwhile
        with lock:
            now[0] -= 1

    monkeypatch.setattr(actions, "_plan", plan)
    long = ExploreForm(text="A man. " * 1_000)
    threads = [threading.Thread(target=actions.plan, args=(Session(), long)) for _ in range(4)]
    for thread in threads:
        thread.start()
    threads[-1].join(0.3)
    actions.plan(Session(), ExploreForm(text="A man."))
    for thread in threads:
        thread.join(20)
    assert most[0] == (4 if local else 1)


@pytest.mark.parametrize(
    "edits",
    [
        ("race|German|Turkish|adj", "gender|landlord|landlady|noun-sg"),
        ("race|British|Iranian|adj", "gender|landlord|landlady|noun-sg"),
        ("age|old|young|adj",),
    ],
)
def test_a_pair_left_over_from_another_text_gives_way_to_one_of_this(
    actions: ExploreActions, edits: tuple[str, ...]
) -> None:
    session = Session()
    form = ExploreForm(text="The British waiter left.", models=(MODEL,), edits=edits)
    check = actions.check(session, form, strict=False)
    assert check.mutants[-1].order == 2
    shown = actions.shown_form(session)
    assert shown is not None
    assert all("|British|" in key or "|waiter|" in key for key in shown.edits)


def test_the_example_is_judged_once_for_all_visitors(
    actions: ExploreActions, services: Services
) -> None:
    form = load_examples()[0].form
    actions.check(Session(), form)
    store, session = services.model(form.models[0]), Session()
    asked, parsed = store.asked, services.parses("embedded").asked
    actions.check(session, form)
    assert (store.asked, services.parses("embedded").asked) == (asked, parsed)
    assert session.check is not None
    assert session.check.outcomes[form.models[0]][-1].verdict is Verdict.HIDDEN


def test_a_pair_that_a_scan_knows_is_shown_without_reading_or_asking(
    actions: ExploreActions, services: Services
) -> None:
    session, form = Session(), replace(FORM, limit=None)
    *_, check = actions.scan(session, form)
    store, parses = services.model(MODEL), services.parses("embedded")
    for place in (5, len(check.mutants) // 2, len(check.mutants) - 1):
        edits = tuple(map(edit_key, check.mutants[place].edits))
        before = store.asked, parses.asked
        assert actions.check(session, replace(form, edits=edits)) is check
        assert (store.asked, parses.asked) == before
        assert session.of(ExploreState).selected == place


@pytest.mark.parametrize(
    ("rules", "order"),
    [
        ("negative 0.9 if gender=female; positive 0.8 otherwise", 1),
        ("negative 0.9 if race=white and gender=female; positive 0.8 otherwise", 2),
        ("negative 0.9 if race=east-asian; positive 0.8 otherwise", 1),
        ("positive 0.8 otherwise", None),
    ],
)
def test_the_smallest_change_that_flips_has_the_fewest_attributes_and_words(
    actions: ExploreActions, rules: str, order: int | None
) -> None:
    session, model = Session(), f"scripted:{rules}"
    text = "The black waiter was kind, and the guests liked the waiter."
    *_, check = actions.scan(session, ExploreForm(text=text, models=(model,), limit=None))
    place = smallest_flip(check.outcomes[model])
    found = None if place is None else check.mutants[place]
    assert (found and found.order) == order
    if found:
        flips = [one.mutant for one in check.outcomes[model] if one.changed]
        least = min(len(m.splices) for m in flips if m.order == found.order)
        assert len(found.splices) == least


def test_a_threshold_is_read_back_from_a_link_and_shown_at_once(actions: ExploreActions) -> None:
    form = replace(FORM, text="The British waiter left.", attributes=("race", "gender"),
                   edits=("race|British|Iranian", "gender|waiter|waitress"))  # fmt: skip
    seen = {}
    for threshold in (0.0, 0.3, 0.7):
        linked = ExploreForm.from_query(dict(parse_qsl(replace(form, threshold=threshold).query())))
        assert linked is not None
        assert linked.threshold == threshold
        session = Session()
        actions.check(session, linked)
        assert session.check is not None
        seen[threshold] = session.check.outcomes[MODEL][-1].verdict
        shown = actions.shown_form(session)
        assert shown is not None
        assert shown.threshold == threshold
    assert seen == {0.0: Verdict.HIDDEN, 0.3: Verdict.BENIGN, 0.7: Verdict.BIASED}
    for odd in ("nan", "2", "-1", "x", ""):
        read = ExploreForm.from_query({"text": "A man.", "threshold": odd})
        assert read is not None
        assert read.threshold == 0.0
