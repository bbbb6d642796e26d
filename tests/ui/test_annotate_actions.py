"""The owner's side: projects of campaigns, of a check and of files, and who may what."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest
from markupsafe import escape

from hinter_core.annotation.evaluation.answers import Consensus
from hinter_core.annotation.files.exporting import FORMATS
from hinter_core.annotation.files.importing import import_file
from hinter_core.annotation.project.judging import Judging, Submission
from hinter_core.annotation.project.questions import default_questions
from hinter_core.annotation.project.store import AnnotationStore
from hinter_core.annotation.project.types import (
    AccessError,
    AnnotationError,
    AnnotationItem,
    Annotator,
    Project,
    Status,
)
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import HinterError
from hinter_core.mutation.settings import Settings
from hinter_core.statistics.rates import Rate
from hinter_ui.annotate import html as present
from hinter_ui.annotate.actions import AnnotateActions, ProjectForm, attribute_choices
from hinter_ui.shared.access import Access
from hinter_ui.shared.library import Annotations
from hinter_ui.shared.links import ExploreForm
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Result, Session

HIDDEN = "scripted:negative if race=white and gender=female; positive otherwise"
FORM = ProjectForm(name="Trial", share=100.0, repeats=0.0)


@pytest.fixture(scope="session")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> CampaignStore:
    folder = tmp_path_factory.mktemp("annotate")
    data = folder / "people.csv"
    texts = ["The black man was kind.", "A white man left his soup."]
    with data.open("w", newline="") as file:
        csv.writer(file).writerows([["text"], *([text] for text in texts)])
    store = CampaignStore(folder / "out")
    run_campaign(Campaign(data=str(data), limit=100, models=(HIDDEN,)), store)
    return store


def judging(folder: Path, *, local: bool = True) -> AnnotateActions:
    services = Services(Access(local=local))
    return AnnotateActions(
        services, Annotations(folder / "projects", lambda: services.access.local)
    )


def test_projects_are_one_file_each_when_the_app_ends(tmp_path: Path) -> None:
    own = judging(tmp_path)
    own.projects.new(Project("Trial", default_questions()[1]))
    assert len(list(own.projects.folder.iterdir())) > 1
    own.projects.close()
    assert [path.suffix for path in own.projects.folder.iterdir()] == [".sqlite"]


def test_a_campaigns_directory_becomes_a_project(tmp_path: Path, campaign: CampaignStore) -> None:
    own = judging(tmp_path)
    sets = [value for _, value in attribute_choices(campaign)]
    assert sets == ["gender", "race", "gender\nrace"]
    form = replace(FORM, source="directory", directory=str(campaign.folder), many=12)
    made = own.make(Session(), form)
    assert made.done.items == 12
    hidden = replace(form, outcomes=("hidden",), attributes=("gender\nrace",))
    some = own.make(Session(), hidden)
    items = list(own.projects.judging(some.id).store.items())
    assert items
    assert {item.verdicts[HIDDEN] for item in items} == {"hidden"}
    assert {item.attributes for item in items} == {("gender", "race")}
    assert [one.id for one in own.projects.listed()] != []
    # A path is for the owner of the machine only, and leaves no project behind.
    public = judging(tmp_path / "public", local=False)
    with pytest.raises(HinterError, match="own machine only"):
        public.make(Session(), form)
    assert list(tmp_path.glob("public/projects/*")) == []


@pytest.mark.parametrize(
    ("page", "local", "machine", "link", "warned"),
    [
        # Started with --host 0.0.0.0 and opened on the machine itself.
        ("http://127.0.0.1:7861/", False, "192.168.0.7", "http://192.168.0.7:7861/", False),
        ("http://localhost:7861/", False, "", "http://localhost:7861/", True),  # in no network
        ("http://127.0.0.1:7860/", True, "192.168.0.7", "http://127.0.0.1:7860/", True),
        ("https://some.hf.space/", False, "10.1.2.3", "https://some.hf.space/", False),
        ("http://192.168.0.7:7860/", False, "192.168.0.7", "http://192.168.0.7:7860/", False),
    ],
)
def test_a_link_leads_where_others_can_go_or_warns(
    monkeypatch: pytest.MonkeyPatch, page: str, local: bool, machine: str, link: str, warned: bool
) -> None:
    monkeypatch.setattr("hinter_core.annotation.invitation.machine_address", lambda: machine)
    shown = present.links("a-project", "", at=page, local=local)
    assert re.findall('href="(.*?)"', shown) == [f"{link}?annotate=a-project"]
    assert ("Only your own machine opens this link" in shown) is warned
    assert ("<svg" in shown) is not warned
    # Without knowing the page, the link is the page's own.
    assert 'href="/?annotate=a-project"' in present.links("a-project", at="", local=local)


def test_strangers_do_not_fill_the_disk_with_projects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hinter_ui.shared.library._MOST", 2)
    project = Project("Trial", default_questions()[1])
    public = judging(tmp_path, local=False).projects
    made = [public.new(project) for _ in range(2)]
    with pytest.raises(HinterError, match="as many projects as it can"):
        public.new(project)
    public.delete(*made[0])
    public.new(project)
    judging(tmp_path).projects.new(project)  # the owner of the machine knows what they do


def test_a_project_made_by_hand_is_for_this_machine(tmp_path: Path) -> None:
    own = judging(tmp_path)
    AnnotationStore.create(own.projects.folder / "cafes.sqlite", FORM.project())[0].close()
    assert [one.id for one in own.projects.listed()] == ["cafes"]
    assert own.view("cafes", "").project.name == "Trial"
    own.services.access = Access(local=False)
    with pytest.raises(AnnotationError, match="no such project"):
        own.projects.judging("cafes")
    with pytest.raises(AnnotationError, match="no such project"):
        own.projects.judging("../projects/cafes")


def test_the_check_of_explore_becomes_a_project(tmp_path: Path) -> None:
    own, session = judging(tmp_path), Session()
    form = replace(FORM, source="check", many=5)
    with pytest.raises(AnnotationError, match="Run one there first"):
        own.make(session, form)
    services = own.services
    shipped = services.dictionaries()
    pipeline = services.pipeline(
        [shipped["race"], shipped["gender"]], "embedded", [HIDDEN], Settings(limit=20)
    )
    *_, check = pipeline.run(pipeline.plan("The black man was kind."))
    session.result = Result(check, ExploreForm(text=check.plan.text))
    made = own.make(session, form)
    assert made.done.items == 5


@pytest.mark.parametrize(
    ("content", "why"),
    [("", "no row"), ("a,b\n1,2\n", "text"), ('mutant\n\n""\n', "no text|no row")],
)
def test_a_file_that_cannot_be_used_leaves_nothing(tmp_path: Path, content: str, why: str) -> None:
    own, file = judging(tmp_path, local=False), tmp_path / "pairs.csv"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(HinterError, match=why) as told:
        own.make(Session(), replace(FORM, source="file", file=str(file)))
    assert str(tmp_path) not in str(told.value)
    assert list((tmp_path / "projects").glob("*.sqlite*")) == []


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"name": ""}, "name of 1 to"), ({"name": "x" * 500}, "name of 1 to"),
        ({"questions": "a: ["}, "no YAML"), ({"questions": "questions: []"}, "asks nothing"),
        ({"source": "campaign"}, "Choose a campaign"), ({"source": "file"}, "Choose a file"),
        ({"source": "campaign", "campaign": "../../etc"}, "no such campaign"),
        ({"source": "nowhere"}, "Choose a campaign"),
    ],
)  # fmt: skip
def test_what_cannot_be_made_is_told(tmp_path: Path, changes: dict[str, str], why: str) -> None:
    with pytest.raises(HinterError, match=why):
        judging(tmp_path).make(Session(), replace(FORM, **changes))  # type: ignore[arg-type]


def test_numbers_from_a_browser_are_checked() -> None:
    values = [getattr(FORM, name) for name in ProjectForm.__dataclass_fields__]
    assert ProjectForm.of(*values) == FORM
    for name, wrong in (("many", 0), ("many", None), ("share", 101), ("copies", "x"),
                        ("repeats", float("nan"))):  # fmt: skip
        place = list(ProjectForm.__dataclass_fields__).index(name)
        with pytest.raises(AnnotationError, match="type a number from"):
            ProjectForm.of(*values[:place], wrong, *values[place + 1 :])


def test_the_owner_sees_what_was_said_and_decides(tmp_path: Path, campaign: CampaignStore) -> None:
    own = judging(tmp_path, local=False)
    own.services.access = Access(local=True)
    form = replace(FORM, source="directory", directory=str(campaign.folder), many=4)
    made = own.make(Session(), form)
    own.services.access = Access(local=False)  # as when a tunnel lets strangers in
    with pytest.raises(AccessError):
        own.view(made.id, "")
    store = own.projects.judging(made.id).store
    work = Judging(store)
    for name, answer in (("Ann", "yes"), ("Bo", "no")):
        key = store.join(name, "a long enough phrase")[1]
        while given := work.upcoming(key, 1):
            answers = {question.id: answer for question in store.project().questions}
            said = Submission(given[0].item.id, 1, Status.JUDGED, answers,
                        f"{name}{given[0].item.id}",
                        f"{name} says")  # fmt: skip
            work.judge(key, said)
    view = own.view(made.id, made.key)
    assert [one.judged for one in view.people] == [4, 4]
    assert len(view.found.disputed) == 12
    assert len(view.comments) == 8
    before = own.stamp(made.id, made.key)
    first = view.found.disputed[0]
    asked = view.project.questions
    told = present.disputes(asked, view.found.disputed, view.items, view.answers, 2)
    assert told.count("Yes: Ann; No: Bo") == 12
    listed = present.texts(own.view(made.id, made.key).texts)
    assert listed.count("Yes: Ann; No: Bo") == 12
    found = view.found
    alone = [replace(one, others=Rate(0, one.others.of)) for one in found.qualities]
    assert "No interval" in present.numbers(replace(found, qualities=alone))
    assert "No interval" not in present.numbers(found)
    for item in view.items.values():
        assert (str(escape(item.reason)) or "HInter kept the variant") in listed
    own.decide(made.id, made.key, first.item, first.question, "yes")
    assert own.stamp(made.id, made.key) != before
    own.remove(made.id, made.key, view.found.disputed[-1].item)
    assert own.view(made.id, made.key).size == 3
    own.switch(made.id, made.key)
    assert own.view(made.id, made.key).project.closed
    session = Session()
    for kind in FORMATS:
        path = own.write(session, made.id, made.key, kind, tmp_path / "out")
        if path.suffix == ".zip":
            with ZipFile(path) as archive:
                assert len(archive.namelist()) > 1
                archive.extractall(tmp_path / kind)
            path = tmp_path / kind / path.stem
        project = Project("Again", own.view(made.id, made.key).project.questions)
        again = AnnotationStore.create(tmp_path / f"{kind}.sqlite", project)[0]
        done = import_file(again, str(path))
        assert (done.items, done.judgements, done.problems) == (3, 6, []), kind
        again.close()
    path = own.write(session, made.id, made.key, "consensus", tmp_path / "out")
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3
    assert {row["annotator"] for row in rows} <= {"consensus", ""}
    (row,) = [row for row in rows if row["item"] == first.item]
    assert row[f"answer.{first.question}"] == "yes"
    assert "decided by the owner" in row["comment"]
    whole = own.write(session, made.id, made.key, "project", tmp_path / "out")
    again_ = own.make(session, replace(FORM, source="file", file=str(whole), name=""))
    assert again_.key != made.key
    copy, first_one = own.view(again_.id, again_.key), own.view(made.id, made.key)
    assert (copy.project, copy.found) == (first_one.project, first_one.found)
    assert [item.id for item in copy.removed] == [item.id for item in first_one.removed]
    session.close()
    own.delete(made.id, made.key)
    with pytest.raises(AnnotationError, match="no such project"):
        own.view(made.id, made.key)


def test_an_owner_changes_all_but_the_questions(tmp_path: Path) -> None:
    own = judging(tmp_path)
    name, key = own.projects.new(FORM.project())
    given = {"name": " Caf\u00e9  1", "opening": "# Read", "quota": "20", "gold": "yes"}
    given |= {"consent": "I agree.", "instructions": ""}
    own.edit(name, key, given | {"more": "x", "together": "yes"})
    project = own.view(name, key).project
    assert (project.name, project.opening, project.quota) == ("Caf\u00e9 1", "# Read", 20)
    assert (project.consent, project.gold, project.instructions) == ("I agree.", True, "")
    assert project.alone is False
    assert own.write(Session(), name, key, "csv", tmp_path / "out").name == "Caf\u00e9-1.csv"
    for wrong in ({"name": " "}, {"quota": "-1"}, {"quota": "many"}, {"opening": "x" * 20_001}):
        with pytest.raises(AnnotationError):
            own.edit(name, key, given | wrong)
    assert own.view(name, key).project == project
    # Another window, filled before, changes another text, and then the same one.
    own.edit(name, key, {"instructions": "Be quick.", "was-instructions": ""})
    assert own.view(name, key).project == replace(project, instructions="Be quick.")
    with pytest.raises(AnnotationError, match="Somebody else has changed this meanwhile: The task"):
        own.edit(name, key, {"opening": "Look.", "was-opening": ""})
    shown = present.editor(name, key, project)
    assert f"annotate={name}&amp;preview=#{key}" in shown
    assert "Does this text make sense?" in shown


def test_an_owner_finds_and_adds_texts(tmp_path: Path) -> None:
    own = judging(tmp_path)
    name, key = own.projects.new(FORM.project())
    lines = "\n".join(f"Text <{n}>." for n in range(12))
    assert own.add(name, key, lines=f"{lines}\n\nText <3>.").items == 12
    assert own.add(name, key, lines="He left. => She left.\nText <3>.").items_known == 1
    file = tmp_path / "more.csv"
    file.write_text("text\nA further one.\n", encoding="utf-8")
    assert own.add(name, key, file=str(file)).items == 1
    found = own.view(name, key, "TEXT", 1).texts
    assert (found.number, found.of, [one.mutant for one in found.items]) == (
        12, 14, ["Text <10>.", "Text <11>."],
    )  # fmt: skip
    assert own.view(name, key, "TEXT", 99).texts == found
    (pair,) = own.view(name, key, "he left").texts.items
    assert (pair.source, pair.mutant, pair.kept) == ("He left.", "She left.", True)
    assert "Text &lt;10&gt;." in present.texts(found)
    for wrong in ("", " \n", "x\n" * 501):
        with pytest.raises(AnnotationError, match="1 to 500"):
            own.add(name, key, lines=wrong)


def test_all_disagreements_are_in_reach_eight_at_a_time() -> None:
    items = {f"i{n}": AnnotationItem(f"i{n}", f"Text {n}.") for n in range(19)}
    sense = default_questions()[1][:1]
    disputed = [Consensus(name, "sense", {"yes": 1, "no": 1}, None) for name in items]
    shown = present.disputes(sense, disputed, items, {}, 2)
    assert shown.count('data-value="yes"') == 19
    assert re.findall("<summary>(.*?)</summary>", shown) == ["Texts 9 to 16", "Texts 17 to 19"]
    assert "Shown:" not in shown
    for judges, said in enumerate(("Nobody has judged", "One person has judged so far", "agree")):
        assert said in present.disputes(sense, [], {}, {}, judges)


@pytest.mark.parametrize("name", ["\u00e9" * 40, "\U0001f642" * 40, "from a file " * 20])
def test_every_name_can_be_typed_to_confirm(name: str) -> None:
    """Browsers count UTF-16, and names that come in a file may be longer than new ones."""
    shown = present.page().managing([Annotator(1, name)])
    (field,) = re.findall('<input name="confirm"[^>]*>', shown)
    most = re.findall(r'maxlength="(\d+)"', field)
    assert not most or int(most[0]) >= len(name.encode("utf-16-le")) // 2
