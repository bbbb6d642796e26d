"""The lesson: what its steps promise is what the pipeline gives, in every language."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import gradio as gr
import pytest

from hinter_core.errors import InputError
from hinter_core.types import HiddenGrade, Verdict
from hinter_ui.html import glossary
from hinter_ui.html.square import chart, log_odds, probability
from hinter_ui.html.wording import Words, languages, speak
from hinter_ui.learn import html
from hinter_ui.learn.actions import LessonActions
from hinter_ui.learn.classroom import Classroom
from hinter_ui.learn.events import LearnEvents, guess_counter
from hinter_ui.learn.html import query_of
from hinter_ui.learn.layout import LearnLayout
from hinter_ui.learn.lesson import Journey, Scene, load_lesson, number_of, questions
from hinter_ui.learn.updates import LearnUpdates, first_page
from hinter_ui.shared.events import Updates
from hinter_ui.shared.services import Services
from scripts.render_handouts import markdown

STEPS = {step.key: step for step in load_lesson()}
SCENES = {scene.key: scene for step in load_lesson() for scene in step.scenes}
LANGUAGES = list(languages("learn"))
ROOMS = ("learn", "teach", "glossary")


@pytest.fixture(scope="module")
def actions() -> LessonActions:
    return LessonActions(Services())


def verdicts(actions: LessonActions, scene: Scene) -> dict[tuple[str, ...], str]:
    """The verdict of every choice of words but the text's own, for the first model."""
    found = {}
    for words in product(*(menu.words for menu in scene.menus)):
        judged = actions.judge(scene, words).judged()
        if judged:
            found[words] = judged.verdict.value
    return found


@pytest.mark.parametrize("key", [key for key, scene in SCENES.items() if scene.shows])
def test_a_scene_shows_what_it_promises(actions: LessonActions, key: str) -> None:
    scene = SCENES[key]
    trying = actions.judge(scene)
    judged = [trying.judged(model) for model in scene.models]
    assert tuple(one.verdict.value for one in judged if one) == scene.shows


@pytest.mark.parametrize("key", [scene.key for scene in STEPS["hunt"].scenes])
def test_a_hunt_has_one_solution_on_its_menus(actions: LessonActions, key: str) -> None:
    found = verdicts(actions, SCENES[key])
    assert SCENES[key].solution in found
    for words, verdict in found.items():
        assert verdict == ("hidden" if words == SCENES[key].solution else "benign"), words


def test_the_hunt_ends_on_a_model_that_nobody_planted_anything_in() -> None:
    models = [scene.models[0] for scene in STEPS["hunt"].scenes]
    assert "embedded" in models
    assert sum(model.startswith("scripted:") for model in models) == 2


def test_one_change_alone_is_benign(actions: LessonActions) -> None:
    assert set(verdicts(actions, SCENES["one"]).values()) == {"benign"}


def test_not_every_origin_gives_the_same_square(actions: LessonActions) -> None:
    found = verdicts(actions, SCENES["square"])
    hidden = {words for words, verdict in found.items() if verdict == "hidden"}
    assert hidden == {("Iranian", "waitress"), ("Lebanese", "waitress")}
    assert found["Mexican", "waitress"] == "benign"


def test_the_broken_sentence_breaks_where_the_lesson_says(actions: LessonActions) -> None:
    judged = actions.judge(SCENES["broken"]).judged()
    assert judged is not None
    assert judged.verdict is Verdict.DISCARDED
    assert judged.prediction is None
    broken = {(m.source_value, m.mutant_value) for m in judged.conformance.mismatches}
    assert ("PRP$", "PRP") in broken
    shown = html.broken(actions.judge(SCENES["broken"]), actions)
    assert shown.count("<svg") == 1  # both sentences in one drawing


def test_one_hidden_case_is_beyond_the_sum_and_one_at_the_threshold(
    actions: LessonActions,
) -> None:
    """The table by hand shows the scores that the pipeline gives."""
    tried = [actions.judge(scene) for scene in STEPS["plot"].scenes]
    assert [one.changed.verdict for one in tried] == [Verdict.HIDDEN] * 2
    assert [one.changed.grade for one in tried] == [HiddenGrade.MORE, HiddenGrade.THRESHOLD]
    shown = html.thresholds(tried)
    scores = re.findall(r'data-score="([\d.]+)"', shown)
    assert len(scores) == 8
    for place, one in enumerate(tried):
        said = [one.original, *(part.prediction for part in one.parts())]
        wanted = [f"{answer.scores['positive']:.4f}" for answer in said if answer]
        assert scores[place::2] == wanted
    # Words and figures stand apart, and the verdicts in their columns.
    assert '</span> <span class="quiet-inline">0.81' in shown
    assert "kinds" not in re.findall(r'class="([^"]*)"', shown)


def test_the_fourth_point_lies_below_the_sum(actions: LessonActions) -> None:
    trying = actions.judge(SCENES["both"])
    judged = trying.judged()
    assert judged is not None
    assert judged.effect is not None
    assert judged.effect.interaction is not None
    assert judged.effect.interaction < 0
    # The sum of the effects does not flip the answer; the model does.
    one, two, both = (part.prediction for part in trying.parts())
    assert one is not None
    assert two is not None
    assert both is not None
    label = trying.original.labels[0]
    start, first, second = (log_odds(p.scores[label]) for p in (trying.original, one, two))
    assert probability(first + second - start) > 0.5 > both.scores[label]
    assert STEPS["plot"].right == ("stays",)
    # Each figure is rounded by itself, and the interaction is that of the square.
    told = html.sums(trying).replace("\u2212", "-")
    at = [float(found) for found in re.findall(r"[+-]\d\.\d\d", told)]
    begin, by_one, by_two, total, end, interaction = at
    assert begin + by_one + by_two == pytest.approx(total, abs=0.02)
    assert interaction == round(judged.effect.interaction, 2)
    assert end - total == pytest.approx(interaction, abs=0.02)
    speak("de")
    drawn = chart(trying.check, judged, trying.model)
    assert drawn is not None
    _, changed, added = drawn["data"]
    assert added["name"] == "wenn sich die Wirkungen bloß addierten"
    assert changed["y"][1] < added["y"][0]


def test_no_answer_to_a_question_stands_on_the_page_before_the_guess(
    actions: LessonActions,
) -> None:
    for step in STEPS.values():
        if step.choices:
            shown = LearnUpdates(None, actions).evidence(step)  # type: ignore[arg-type]
            if step.key in ("guess", "hidden", "plot"):
                assert shown.count("open-answer") == len(step.scene.models)
            else:
                assert step.scene.text.split()[0] in shown  # what is asked of is there to read
            assert "judgements" not in shown
    # What is asked of in the first step is another sentence than the one explained there.
    say = Words("learn", "en")
    asked = say("steps.attribute.question")
    assert SCENES["comedy"].text in asked
    assert SCENES["review"].text not in asked


def test_a_grammar_shows_what_the_review_does_not(actions: LessonActions) -> None:
    step = STEPS["grammar"]
    assert set(verdicts(actions, step.scene).values()) == {"benign"}
    words = actions.words_of(step)
    assert {one.word for one in words} == set(step.scene.menus[0].words)
    assert [one.word for one in words if one.flips] == ["cleaner"]
    assert words[0].flips == words[0].of == 24
    assert step.right == ("one",)
    tried = [actions.judge(step.scene, (word,)) for word in step.scene.menus[0].words]
    for language in LANGUAGES:
        speak(language, "learn")
        shown = html.by_word(tried, words)
        assert shown.count("answer flipped") == 2  # the count of one word, and one example
        assert ("24 of 24" in shown) is (language == "en")


def test_words_about_things_are_left_alone(actions: LessonActions) -> None:
    first, second = (actions.plan(scene) for scene in STEPS["attribute"].scenes)
    assert [o.surface for o in first.occurrences] == ["British", "waiter"]
    assert [o.surface for o in second.occurrences] == ["white", "waiter"]
    assert [r.occurrence.surface for r in second.rejected] == ["black", "old", "white"]


def test_some_neutral_swaps_turn_a_trained_model_and_some_do_not(actions: LessonActions) -> None:
    scene = SCENES["weekday"]
    assert scene.text == SCENES["landlord"].text  # the sentence of the finding itself
    found = list(verdicts(actions, scene).values())
    assert set(found) == {"biased", "benign"}
    assert found.count("biased") >= 3
    assert STEPS["limits"].right == ("half",)
    tried = [actions.judge(scene, (word,)) for word in scene.menus[0].words]
    landlord = SCENES["landlord"]
    combined = list(product(*(menu.words for menu in landlord.menus)))[1:]
    shown = html.swaps(tried, [actions.judge(landlord, words) for words in combined])
    assert "Of the 9 swaps of words for the landlord that the hunt offers, 1 flips it" in shown
    assert f"{found.count('biased')} of {len(found)} neutral swaps" in shown


def test_what_was_judged_is_not_judged_again(actions: LessonActions) -> None:
    assert actions.judge(SCENES["both"]) is actions.judge(SCENES["both"], ("Iranian", "waitress"))


def test_words_that_are_on_no_menu_are_refused(actions: LessonActions) -> None:
    for words in (("Iranian",), ("Iranian", "waitress", "x"), ("<b>", "waitress")):
        with pytest.raises(InputError, match="from each menu"):
            actions.judge(SCENES["both"], words)


def test_a_menu_never_breaks_an_article() -> None:
    """The word before a menu is no a or an, which would have to change with it."""
    for scene in SCENES.values():
        for menu in scene.menus:
            before = re.search(rf"(\w+) {menu.source}\b", scene.text)
            vowels = {word[0].lower() in "aeiou" for word in menu.words}
            assert before is None or before[1] not in ("a", "an") or len(vowels) == 1


def test_steps_are_found_by_key_and_by_number() -> None:
    assert number_of("guess") == number_of("3") == number_of(" GUESS ") == 2
    for wrong in ("", None, "0", "11", "nowhere", "²", "-1", "x" * 1000):
        assert number_of(wrong) == 0


def test_a_question_says_whether_a_model_is_asked() -> None:
    speak("en")
    for step in STEPS.values():
        if step.choices:
            alone, joined = Journey(number=number_of(step.key)), Journey(code="ABCDEF")
            joined.number = alone.number
            model = "what the model does" in html.page().opening(alone, html.Markup(""))
            assert model is (step.key not in ("attribute", "broken"))
            told = html.page().opening(joined, html.Markup(""))
            assert "when your teacher shows it" in told
            assert ("what the model does" in told) is model


def test_a_second_guess_is_told_to_be_in() -> None:
    speak("en")
    journey = Journey(number=number_of("guess"), code="ABCDEF", guesses={"guess": "stays"})
    journey.again = frozenset({"guess"})
    assert "press your choice once more" in html.page().reply(journey)
    journey.choose({"question": "guess", "choice": "turns"})
    later = Journey(number=journey.number, code="ABCDEF", again=journey.again)
    later.resume(journey.progress())
    for one in (journey, later):
        assert "Your second guess is in" in html.page().reply(one)
    journey.start_again()
    assert not journey.second


def test_an_address_is_turned_to_with_the_class_that_the_browser_knows() -> None:
    journey = Journey(own="ABCDEF.secret", code="GHJKMN")
    for query, section, number in (
        ("?lesson=square&class=GHJKMN", "lesson", 3),
        ("?glossary=hidden", "glossary", 0),
        ("?tab=learn", "lesson", 0),
        ("?teach=#ZZZZZZ", "teach", 0),
    ):
        journey.turn(query)
        assert (journey.section, journey.number, journey.key) == (section, number, "")
        assert journey.code == "GHJKMN"
    journey.turn("?teach=#ABCDEF")
    assert journey.key == "ABCDEF.secret"


def test_every_question_has_its_words() -> None:
    for language in LANGUAGES:
        say = Words("learn", language)
        for step in load_lesson():
            texts = say.branch(f"steps.{step.key}")
            assert texts["name"]
            assert texts["title"]
            if step.choices:
                assert step.right
                assert set(step.right) < set(step.choices)
                assert set(texts["choices"]) == set(texts["replies"]) == set(step.choices)
    assert list(questions()) == [
        "attribute", "guess", "hidden", "broken", "plot", "grammar", "limits",
    ]  # fmt: skip


def test_a_journey_is_read_from_a_link() -> None:
    journey = Journey.from_query({"lesson": "hidden", "lang": "de-AT"})
    assert (journey.number, journey.language, journey.section) == (4, "de", "lesson")
    assert query_of(journey.step, language="de") == "?lesson=hidden&lang=de"
    assert Journey.from_query({"glossary": "<script>"}).entry == ""
    assert Journey.from_query({"glossary": "Hidden"}).entry == "hidden"
    assert len(Journey.from_query({"teach": "x" * 1000}).key) <= 80
    assert not Journey.wanted({"text": "x", "lang": "de"})


def test_a_link_to_what_the_page_begins_with_leaves_what_a_visitor_has_done_already(
    tmp_path: Path,
) -> None:
    services, classes = Services(), Classroom(tmp_path, questions())
    with gr.Blocks(), gr.Tabs(), gr.Tab():
        ui = LearnLayout(Journey(), first_page(), guess_counter(classes))
        events = LearnEvents(services, ui, classes)
    begun, first = events.updates.moved(Journey()), first_page()
    assert all(begun[getattr(ui, name)] == first[name] for name in first)

    def opened(progress: object = None, **query: str) -> Updates:
        request = cast(gr.Request, SimpleNamespace(query_params=query, headers={}))
        return events.open_page(request, "", progress, Journey())

    assert set(opened(lesson="1")) == set(opened()) == {ui.notice}
    assert all(getattr(ui, name) in opened(lesson="2") for name in first)
    assert ui.step in opened(lesson="1", lang="de")
    kept = Journey(guesses={"attribute": "two"}, found={"flat"}).progress()
    again = opened(kept, lesson="1")[ui.state]
    assert isinstance(again, Journey)
    assert (again.guesses, again.found) == ({"attribute": "two"}, {"flat"})


def test_a_guess_is_taken_only_for_the_step_that_asks() -> None:
    journey = Journey(number=2)
    journey.choose({"question": "hidden", "choice": "c"})
    journey.choose({"question": "guess", "choice": "c"})
    journey.choose({"question": ["guess"], "choice": None})
    assert not journey.open
    journey.choose({"question": "guess", "choice": "stays"})
    assert journey.open
    assert journey.done == {"guess"}


def test_progress_comes_back_whole_and_only_in_its_class() -> None:
    reached = Journey(
        code="ABC234", guesses={"guess": "stays"}, words={"one": ("server",)}, found={"flat"}
    )
    kept = json.loads(json.dumps(reached.progress()))
    again, other = Journey(code="ABC234"), Journey(code="XYZ234")
    for journey in (again, other):
        journey.resume(kept)
    assert again == reached
    assert other == Journey(code="XYZ234")  # a device that somebody else used before
    strange = Journey()
    for progress in (
        None, 7, [], {"code": ""}, {"code": "", "guesses": ["guess"], "words": 1, "found": {}},
        {"code": "", "guesses": {"guess": ["stays"], "nosuch": "a"}, "words": {"one": "server"}},
        {"code": "", "words": {"one": ["nobody"], "both": ["Iranian"]}, "found": ["one", 3]},
    ):  # fmt: skip
        strange.resume(progress)
    assert strange == Journey()


def test_a_step_is_done_once_its_words_were_changed() -> None:
    journey = Journey(number=number_of("atomic"))
    assert journey.open
    assert not journey.tried  # what it leads to is not told yet
    assert not journey.done
    journey.words["one"] = ("server",)
    assert journey.tried
    assert journey.done == {"atomic"}
    assert Journey(number=number_of("guess")).tried


def test_a_class_sees_no_answer_before_its_teacher_shows_it() -> None:
    journey = Journey(code="ABC234", number=number_of("guess"), guesses={"guess": "stays"})
    assert journey.held
    assert not journey.open
    told = html.page().reply(journey)
    assert "teacher" in told
    assert "It does not" not in told
    journey.again = frozenset({"guess"})
    assert "second time" in html.page().reply(journey)
    journey.revealed = frozenset({"guess"})
    assert journey.open
    assert "It does not" in html.page().reply(journey)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_link_into_the_glossary_leads_somewhere(language: str) -> None:
    speak(language)
    known = glossary.entries()
    for room in ROOMS:
        for key, text in Words(room, language).texts():
            for found in re.finditer(r"\[\[([a-z-]+)", text):
                assert found[1] in known, f"{room}: {key}"
            if ".see." in key:
                assert text in known, key
    page = glossary.glossary("hidden")
    assert page.count("<dt") == len(known) >= 30
    assert page.count("gloss-entry chosen") == 1


def test_a_link_into_the_glossary_is_a_link_and_is_escaped() -> None:
    speak("de")
    link = glossary.link("hidden", "<b>hidden</b>")
    assert "&lt;b&gt;" in link
    assert 'href="?glossary=hidden&amp;lang=de"' in link
    assert glossary.entries()["hidden"]["short"] in link
    with pytest.raises(KeyError):
        glossary.link("nothing")
    assert glossary.linked("<i> *so* [[flip|flips]]").startswith("&lt;i&gt; <em>so</em> <a ")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_handout_holds_the_sentences_of_the_lesson(language: str) -> None:
    text = markdown(language)
    assert "The Iranian waitress who served us remembered every order." in text
    assert all(scene.text in text for scene in STEPS["hunt"].scenes)
    assert "[[" not in text
    # It gives nothing away that a step asks for.
    assert "him guests" not in text
    for word in ("Friday", "Invariant", "invariant", "no evidence", "kein Beleg"):
        assert word not in text, word


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_answers_to_the_handout_are_those_of_the_pipeline(
    actions: LessonActions, language: str
) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "howto" / "teach.md").read_text(encoding="utf-8")
    answers = "\n".join(Words("teach", language).branch("sheet.answers"))
    trying = actions.judge(SCENES["both"])
    said = [trying.original, *(part.prediction for part in trying.parts())]
    assert ", ".join(f"*{one.labels[0]}*" for one in said if one) in answers
    for scene in STEPS["hunt"].scenes:
        assert f"*{' '.join(scene.solution)}*" in answers
    guesses = sum(bool(step.choices) for step in STEPS.values())
    assert guesses == 7
    assert "Seven of the steps ask for a guess" in guide
