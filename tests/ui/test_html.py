"""What values become on the page, without a browser: answers, differences, links, languages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextvars import copy_context
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinter_core.annotation.invitation import reach
from hinter_core.errors import (
    DictionaryError,
    HinterError,
    InputError,
    ModelError,
    ParserError,
)
from hinter_core.language.coreference import resolve
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.models.base import Capabilities, ModelUnderTest
from hinter_core.models.budget import Cost
from hinter_core.models.cache import KeptAnswers
from hinter_core.models.registry import load_model
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.plan import make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.case import TestResult
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.relations.base import NeutralFlips
from hinter_core.relations.family import SubstitutionRelation
from hinter_core.relations.registry import RELATIONS
from hinter_core.report.gate import decide
from hinter_core.report.metrics.excess import PlaceboExcess
from hinter_core.report.model import ModelReport, ReportRow
from hinter_core.report.page.opening import Opening, card
from hinter_core.report.section import Section
from hinter_core.statistics.rates import Difference, Rate
from hinter_core.terms.dictionary import choose, load_shipped
from hinter_core.types import Failure, Prediction, Splice, Verdict
from hinter_ui.explore import html
from hinter_ui.explore.html import banner
from hinter_ui.html import glossary, sections, trees
from hinter_ui.html.marked import Piece, cut_around, differences, preview, spliced
from hinter_ui.html.markup import model_name, tag
from hinter_ui.html.notice import costs, error, in_app_words, progress, share
from hinter_ui.html.people import people
from hinter_ui.html.sections import folded
from hinter_ui.html.square import figure, square
from hinter_ui.html.wording import Words, beside, relation_choices, speak, verdict_name, where
from hinter_ui.results import html as results
from hinter_ui.shared.services import Services
from hinter_ui.shared.wiring import _in_one_context
from tests.examples import examples

TEXT = "The black man was kind."
SAID = "I would say <b>yes</b>, on the whole."


class Talker:
    """Says more than a label, and changes its mind about the original when asked again."""

    name = identity = "talker"
    capabilities = Capabilities(labels=("no", "yes"), scores=False, steady=False)

    def __init__(self) -> None:
        self.asked = 0

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        first, self.asked = self.asked + 1, self.asked + len(texts)
        turns = range(first, self.asked + 1)
        return [Prediction(("no" if turn == 3 else "yes",), reply=SAID) for turn in turns]

    def visible(self, text: str) -> int:
        return len(text)


def checked(repeat: int, model: ModelUnderTest | None = None) -> TestResult:
    shipped = load_shipped()
    parses = ParseStore(load_parser("embedded"))
    settings = Settings(limit=1, repeat=repeat, balanced=False)
    stores = [PredictionStore(model or Talker())]
    return Pipeline([shipped["race"], shipped["gender"]], parses, stores, settings).check(TEXT)


@pytest.mark.parametrize(
    ("repeat", "words"),
    [
        (0, ""),
        (1, "The original text was repeated 1 time; the answer never changed."),
        (3, "repeated 3 times, and 1 of these answers differed: a flip may be noise."),
    ],
)
def test_the_noise_floor_stands_beside_the_verdict(repeat: int, words: str) -> None:
    check = checked(repeat)
    shown = str(banner(check, check.outcomes["talker"][-1], "talker"))
    assert words in shown
    assert ("The original text was repeated" in shown) is bool(words)


def test_answers_of_earlier_checks_are_told_beside_the_verdict() -> None:
    check = checked(0)
    judged = check.outcomes["talker"][-1]
    assert "from earlier checks" not in banner(check, judged, "talker")
    check.kept["talker"] = KeptAnswers(3, 0.0)
    told = "3 answers are from earlier checks, the oldest of 1970-01-01 00:00 UTC. The model was"
    assert told in banner(check, judged, "talker")


def test_what_a_model_said_can_be_read_and_is_escaped() -> None:
    check = checked(0)
    shown = str(square(check, check.outcomes["talker"][-1], "talker"))
    assert "the model’s reply" in shown
    assert "&lt;b&gt;yes&lt;/b&gt;, on the whole." in shown
    assert "<b>" not in shown


def test_what_there_is_to_say_of_a_model_stands_beside_the_verdict() -> None:
    check = checked(0)
    judged = check.outcomes["talker"][-1]
    shown = str(banner(check, judged, "talker", note="labels <without> names"))
    assert "About this model: " in shown
    assert "labels &lt;without&gt; names" in shown
    assert "About this model" not in str(banner(check, judged, "talker"))


def test_an_interaction_is_explained_where_there_is_one() -> None:
    check = checked(0)
    assert "Interaction:" not in str(square(check, check.outcomes["talker"][-1], "talker"))
    check = checked(0, load_model("vader"))
    judged = next(j for j in check.outcomes["vader"] if j.mutant.order == 2 and j.effect)
    assert "Interaction:" in str(square(check, judged, "vader"))
    plot = figure(check, judged, "vader")
    assert plot is not None
    config = json.loads(plot.plot)["config"]
    assert config["toImageButtonOptions"]["filename"] == "hinter-interaction"
    assert config["modeBarButtonsToRemove"] == ["select2d", "lasso2d"]


def test_the_banner_says_how_far_an_answer_lies_beyond_the_threshold() -> None:
    rules = 'no 0.59 if "Eastern transgender"; yes 0.8 otherwise'
    check = checked(0, load_model(f"scripted:{rules}"))
    judged = next(j for j in check.outcomes[f"scripted:{rules}"] if j.verdict is Verdict.HIDDEN)
    shown = str(banner(check, judged, f"scripted:{rules}"))
    assert "The answer lies 0.09 beyond the threshold." in shown


def test_effects_that_weaken_each_other_do_not_add_up() -> None:
    name = 'scripted:no 0.59 if "Eastern transgender"; yes 0.8 otherwise'
    check = checked(0, load_model(name))
    hidden = next(j for j in check.outcomes[name] if j.verdict is Verdict.HIDDEN)
    assert hidden.effect is not None
    for interaction, said in ((0.02, "add up"), (0.47, "less than the sum of each alone")):
        effect = replace(hidden.effect, shift=-0.3, interaction=interaction)
        assert said in str(banner(check, replace(hidden, effect=effect), name))


def test_a_refusal_in_a_models_own_words_ends_with_one_stop() -> None:
    check = checked(0)
    judged = check.outcomes["talker"][-1]
    failed = Prediction(failure=Failure.REFUSED, detail="I can't help with that.")
    refused = replace(judged, verdict=Verdict.UNANSWERED, prediction=failed)
    shown = str(banner(check, refused, "talker"))
    assert "help with that" in shown
    assert ".." not in shown


def test_the_banner_says_that_a_flip_may_be_noise_where_neutral_swaps_flip_too() -> None:
    name = 'scripted:no 0.59 if "Eastern transgender"; yes 0.8 otherwise'
    check = checked(0, load_model(name))
    hidden = next(j for j in check.outcomes[name] if j.verdict is Verdict.HIDDEN)
    benign = next(j for j in check.outcomes[name] if j.verdict is Verdict.BENIGN)
    for flips, unsure in ((0, False), (9, True)):
        check.neutral[name] = NeutralFlips(2, 12, flips)
        shown = str(banner(check, hidden, name))
        assert ("It may be noise." in shown) is ('class="banner hidden unsure"' in shown) is unsure
        assert "It may be noise." not in str(banner(check, benign, name))


@pytest.mark.parametrize(
    ("fault", "title"),
    [
        (ModelError("Unknown model 'x'."), "This model cannot be asked."),
        (ParserError("No parser 'x'."), "This parser cannot be used."),
        (InputError("The text is empty."), "This cannot be checked."),
        (InputError("No model is selected."), "This cannot be checked."),
        (DictionaryError("No attribute given."), "This cannot be checked."),
    ],
)
def test_a_fault_blames_what_is_at_fault(fault: HinterError, title: str) -> None:
    assert title in error(fault)


def test_a_scan_that_gets_ready_counts_nothing() -> None:
    assert "0 of 0" not in progress(0, 0, {}, "preparing")
    assert "1 of 2 variants done \u00b7 scanning" in progress(1, 2, {}, "scanning")


def test_only_words_that_are_replaced_are_called_ambiguous(services: Services) -> None:
    shipped = load_shipped()
    parses = services.parses("embedded")
    pipeline = Pipeline(
        [shipped["age"], shipped["gender"]], parses, [PredictionStore(Talker())], Settings(limit=1)
    )
    check = pipeline.check("The young man met us.")
    judged = next(j for j in check.outcomes["talker"] if j.mutant.edits[0].attribute == "age")
    pairs = trees.changed_sentences(check, judged)
    shown = trees.trees(check, judged, parses.parse(s.text for pair in pairs for s in pair))
    assert "\u201cyoung\u201d is not always about people" in shown
    assert "white" not in shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("To combine them, choose --across-people (in Python, across_people=True).",
         "To combine them, choose \u201cPairs across people, too\u201d (under More settings)."),
        ("Name it with --text-column (in Python, text_column) if there is one.",
         "Name it with \u201cText column\u201d if there is one."),
        ("name it with --map text=COLUMN", "name it with \u201cmap\u201d text=COLUMN"),
        ("... and 3 more reasons; --names-per-class prints all.",
         "... and 3 more reasons; \u201cNames per class\u201d (under More settings) prints all."),
        ("A well-known -- and odd -- word: x--y.", "A well-known -- and odd -- word: x--y."),
        (
            "/tmp/hinter-uploads-ab/0c9d/pic.png is not UTF-8; save it as UTF-8.",
            "pic.png is not UTF-8; save it as UTF-8.",
        ),
        ("Change one attribute alone (order 1).", "Change one attribute alone."),
    ],
)  # fmt: skip
def test_messages_of_the_app_name_no_options_of_the_command_line(said: str, shown: str) -> None:
    assert f">{shown}<" in error(HinterError(said))
    assert in_app_words(said) == shown


def test_costs_are_said_before_a_scan() -> None:
    shown = str(costs({"openai:<x>": Cost(1200, 50_000, 9_000, 1.25)}))
    assert "openai:&lt;x&gt;" in shown
    assert "1,200 requests, 50,000 tokens asked and 9,000 answered, 1.2500 in money" in shown
    assert str(costs({})) == ""


def test_many_tables_of_one_kind_fold_into_one_card() -> None:
    rows = [["Ann: yes", "1"]]
    alike = [Section("confusion", f"q, {n}", ["Words."], ["", "Bo: yes"], rows) for n in range(3)]
    shown = str(folded([Section("agreement", "Agreement", ["Said."]), *alike]))
    assert shown.count("<section") == 2
    assert shown.count("<table") == 3
    assert "3 tables" in shown


def entries_in(markup: str) -> list[str]:
    found = re.findall(r'class="gloss" href="\?glossary=([a-z-]+)"', markup)
    assert set(found) <= set(glossary.entries())
    return found


@pytest.fixture(scope="module")
def services() -> Services:
    return Services()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("The kids are loud.", "are the same here"),
        ("The man saw old nurses.", "are about different people"),
    ],
)
def test_explore_says_why_words_do_not_change_together(text: str, why: str) -> None:
    words = choose(["age", "gender"], load_shipped())
    assert why in preview(make_plan(text, words, Settings(), ParseStore(load_parser())))


def test_explore_explains_its_terms(services: Services) -> None:
    from hinter_ui.learn.actions import LessonActions
    from hinter_ui.learn.lesson import load_lesson

    actions = LessonActions(services)
    scenes = {scene.key: scene for step in load_lesson() for scene in step.scenes}
    trying, lost = actions.judge(scenes["both"]), actions.judge(scenes["broken"])
    check, judged, broken = trying.check, trying.judged(), lost.judged()
    assert judged is not None
    assert broken is not None
    shown = html.banner(check, judged, trying.model)
    assert entries_in(shown) == [Verdict.HIDDEN.value, "interaction"]
    assert "<strong><a" in shown
    assert entries_in(square(check, judged, trying.model)) == ["interaction"]
    assert entries_in(preview(check.plan)) == ["atomic", "intersectional", "mutant"]
    rows = html.table(check, [trying.model], [0, 1, 2], 0, None)
    assert entries_in(rows) == ["verdict", "shift", "interaction"]
    assert entries_in(trees.trees(check, judged, actions.parses(trying))) == ["kept", "validity"]
    why = entries_in(trees.trees(lost.check, broken, actions.parses(lost)))
    assert why == ["discarded", "validity"]


def test_words_that_are_put_after_a_text_are_shown() -> None:
    added = Splice(7, 7, "", ". Still.", 7, "race")
    shown = spliced("It rang", [added], lambda splice: tag("ins", splice.new))
    assert shown == "It rang<ins>. Still.</ins>"


def test_an_excerpt_ends_before_a_change_that_it_leaves_out() -> None:
    text, place = "The man lost his hat, and his keys. " * 9, (4, 7, tag("b", "woman"))
    whole, cut = (str(cut_around(text, [place], stop)) for stop in (None, text.index("his keys")))
    assert whole.startswith("<bdi>The <b>woman</b> lost his hat, and his keys.")
    assert cut == "<bdi>The <b>woman</b> lost his hat, and \u2026</bdi>"


def test_results_explain_figures_and_columns() -> None:
    none, verdicts = Rate(0, 9), dict.fromkeys(Verdict, 0)
    line = ReportRow("all", (), None, 9, verdicts, Rate(1, 9), none, none, Rate(1, 2), none)
    excess = PlaceboExcess("order 2", (), 2, Rate(1, 9), Rate(0, 200), Difference(0.1, 0.0, 0.2))
    metrics = {
        "answers": [], "excess": [excess], "by_people": [], "examples": [], "groups": [],
        "priority": None,
    }  # fmt: skip
    model = ModelReport("m", [], [], line, line, metrics)
    first = Opening([card(model, decide(model, 0.05), 0.05, 0.2)], "m", [], "", [], [], "")
    assert entries_in(results.cards(first)) == ["excess"]
    assert entries_in(results.examples(first)) == ["hidden"]
    assert glossary.head("row <b>", {}) == "row &lt;b&gt;"
    for keys in (sections.ENTRIES, sections.SECTION_ENTRIES):
        assert set(keys.values()) <= set(glossary.entries())


def changed(pieces: list[Piece]) -> list[str]:
    return [piece.text for piece in pieces if piece.changed]


def test_words_that_differ_are_marked_whole() -> None:
    old, new = differences("He is a waiter, isn't he?", "She is an old waiter, isn't she?")
    assert changed(old) == ["He", "a", "he"]
    assert changed(new) == ["She", "an old", "she"]


def test_equal_texts_have_no_mark_and_new_ones_are_one() -> None:
    assert differences("The same.", "The same.") == ([Piece("The same.")], [Piece("The same.")])
    assert differences("", "All new.")[1] == [Piece("All new.", changed=True)]


def test_long_texts_are_compared_by_what_surrounds_the_change() -> None:
    middle = [f"w{n}" for n in range(2000)]
    old, new = differences(" ".join(["a", *middle, "z"]), " ".join(["a", *reversed(middle), "z"]))
    assert len(changed(old)) == len(changed(new)) == 1


@examples(60)
@given(st.text("ab ,.'\n", max_size=40), st.text("ab ,.'\n", max_size=40))
def test_pieces_make_up_the_texts(source: str, mutant: str) -> None:
    old, new = differences(source, mutant)
    assert "".join(piece.text for piece in old) == source
    assert "".join(piece.text for piece in new) == mutant
    if source == mutant:
        assert changed(old) == changed(new) == []


def plain(markup: str) -> str:
    return re.sub(r"<[^>]+>", "", markup)


def test_each_mention_has_the_number_of_its_person() -> None:
    text = "Jane Lund met her editor. He praised Ms. Lund. A <b>dog</b> barked."
    shown = people(text, resolve(text, ParseStore(load_parser("embedded"))))
    box, _, about = shown.partition('<ul class="people-list"')
    assert "Jane Lund (1) met her (1) editor (2). He (2) praised" in plain(box)
    assert "A &lt;b&gt;dog&lt;/b&gt; barked." in box
    colours = re.findall(r'style="(--h:\d+)">(?:[^<]+)<span class="term-label">.*?(\d)', box)
    assert len(colours) >= 4
    assert len(set(colours)) == 2  # one colour for each number
    assert "1 Jane Lund: 3 mentions, female" in plain(about)
    assert "2 editor: 2 mentions, male" in plain(about)


def test_texts_without_people_and_people_without_a_mark() -> None:
    parses = ParseStore(load_parser("embedded"))
    for text in ("The train was late.", "A person slept."):
        shown = people(text, resolve(text, parses), left=7)
        assert "No person is mentioned twice" in shown
        assert f"first {len(text)} characters" in shown
        assert "<mark" not in shown


def test_many_people_are_listed_in_part() -> None:
    text = " ".join(f"The waiter of room {n} sat beside the waitress." for n in range(20))
    entities = [
        replace(entity, gender="male", mentions=(mention,))
        for entity in resolve(text, ParseStore(load_parser("embedded")))
        for mention in entity.mentions
        if entity.person
    ]
    shown = people(text, entities)
    assert shown.count("<li>") == 12
    assert f"and {len(entities) - 12} more" in shown
    assert beside(len(entities)) in shown


def test_a_generator_keeps_the_language_of_its_event() -> None:
    def act() -> Iterator[str]:
        speak("de")
        yield ""
        yield verdict_name(Verdict.HIDDEN)

    steps = _in_one_context(act)()
    found = [copy_context().run(next, steps) for _ in range(2)]  # as gradio runs each step
    assert found == ["", Words("check", "de")("verdicts.hidden")]
    assert verdict_name(Verdict.HIDDEN) == "hidden"


def test_errors_are_in_the_language_spoken(services: Services) -> None:
    with pytest.raises(InputError, match="There is no such campaign"):
        services.campaigns.get("none")
    speak("de")
    with pytest.raises(InputError, match="Diese Kampagne gibt es nicht"):
        services.campaigns.get("none")


class Scores(SubstitutionRelation):
    """A relation that no paper has and no language has words for."""

    number = ""
    title = "compare scores"


def test_a_relation_without_words_is_offered_by_its_own_title(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(RELATIONS, "scores", Scores())
    monkeypatch.setitem(RELATIONS, "eighth", SubstitutionRelation())
    offered = relation_choices()
    assert {name for _, name in offered} == set(RELATIONS)
    assert offered[0] == ("exchange a word", "substitute")
    assert offered[-2:] == [
        ("compare scores", "scores"), ("exchange a sensitive word (MR8)", "eighth"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("page", "local", "link", "told"),
    [
        ("http://localhost:7860/", False, "http://192.0.2.7:7860/?a", "address of this machine"),
        ("http://localhost:7860/", True, "http://localhost:7860/?a", "Only your own machine"),
        ("https://some.hf.space/", False, "https://some.hf.space/?a", ""),
        ("", False, "", ""),
    ],
)
def test_a_link_to_be_handed_on_leads_where_others_can_go_or_says_so(
    monkeypatch: pytest.MonkeyPatch, page: str, local: bool, link: str, told: str
) -> None:
    monkeypatch.setattr("hinter_core.annotation.invitation.machine_address", lambda: "192.0.2.7")
    shown = share("Here", "?a", reach(page, local=local))
    assert 'href="?a"' in shown  # a click stays where one is
    assert (f'data-link="{link}"' in shown) is bool(page)
    assert (told in shown) if told else ("quiet-inline" not in shown)


def test_a_long_name_of_a_model_is_short_and_whole_in_its_title() -> None:
    name = "openai:hirebot?base_url=http://127.0.0.1:7913/v1&labels=invite,reject"
    assert model_name(name) == tag("bdi", "hirebot", title=name)
    assert model_name("embedded", [name]) == "<bdi>embedded</bdi>"


def test_a_row_is_named_with_its_id_if_it_has_one() -> None:
    assert [where(20, "Z-001"), where(20, "20"), where(20, "")] == [
        "row 20, id Z-001",
        *["row 20"] * 2,
    ]
