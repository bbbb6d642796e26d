"""Each case of the corpus at its door: a clear error or harmless, and no file beside its own."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from html.parser import HTMLParser
from itertools import islice
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from hinter_core.annotation.files.exporting import Exported, export_file
from hinter_core.annotation.files.importing import import_file
from hinter_core.annotation.project.questions import default_questions, read_questions
from hinter_core.annotation.project.store import AnnotationStore
from hinter_core.annotation.project.types import AnnotationItem, Project
from hinter_core.campaign.spec import load_campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.cli import main
from hinter_core.data.handwritten import open_handwritten
from hinter_core.data.tables import row_writer, rows_to_csv
from hinter_core.errors import HinterError
from hinter_core.generators.grammars.reading import load_grammar
from hinter_core.generators.grammars.sampling import Sentences
from hinter_core.generators.templates.template import open_templates
from hinter_core.models.registry import build_model
from hinter_ui.annotate import annotator
from hinter_ui.annotate.endpoints import AnnotatorEndpoints
from hinter_ui.batch.actions import BatchActions
from hinter_ui.batch.form import BatchForm
from hinter_ui.batch.preview import preview
from hinter_ui.explore.actions import ExploreActions
from hinter_ui.html import notice
from hinter_ui.models.actions import ModelsActions
from hinter_ui.shared.access import Access
from hinter_ui.shared.gate import network_of
from hinter_ui.shared.library import Annotations, Campaigns
from hinter_ui.shared.links import FIELDS, ExploreForm
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from hinter_ui.shared.wiring import place_in
from hinter_ui.shell import build_app
from tests.examples import within
from tests.hostile import corpus
from tests.unit.conftest import make

__all__ = ["make"]  # a fixture


@cache
def build_app_once() -> dict[str, Callable[..., object]]:
    """The functions of all events of a public app, by their names."""
    page = build_app(Services(Access()))
    return {fn.fn.__qualname__: fn.fn for fn in page.fns.values() if fn.fn}


PUBLIC, LOCAL = Access(), Access(local=True)
_LONGEST = 6_000  # characters of an error


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to work in; nothing may be written beside it, nor anything be asked for."""
    folder = tmp_path / "in"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def no_way(_: object, address: object) -> None:
        pytest.fail(f"It asks {address}.")

    monkeypatch.setattr(socket.socket, "connect", no_way)
    yield folder
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
    assert not list(tmp_path.rglob("*pwned*"))
    assert "antigravity" not in sys.modules


def knock(act: Callable[[], object]) -> str:
    """What it says: nothing, or a clear error."""
    try:
        act()
    except HinterError as error:
        words = str(error)
        assert words.strip()
        assert "Traceback" not in words
        assert len(words) <= _LONGEST, words[:200]
        return words
    return ""


class Elements(HTMLParser):
    """The names and attributes of the elements of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]


def harmless(page: object) -> None:
    """No markup of a stranger has become an element or an attribute."""
    found = Elements(str(page))
    assert not found.names & {"script", "img", "iframe", "svg", "link", "object"}, page
    for name, value in found.attributes:
        assert not name.startswith("on"), page
        assert name not in ("href", "src") or not re.match(r"\s*(javascript|data|//)", value), page


def printable_only(words: str) -> None:
    """No control of a terminal, and nothing that turns the direction of letters."""
    odd = {c for c in words if c not in "\n\t\r" and not c.isprintable()}
    assert not odd, (odd, words[:200])


def command(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """The command line: exit code, and all that it says."""
    before, sys.argv = sys.argv, ["hinter", *arguments]
    try:
        main()
        code: Any = 0
    except SystemExit as stopped:
        code = stopped.code
    finally:
        sys.argv = before
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err, err
    assert code in (None, 0, 1, 2), (code, err)
    return code or 0, out + err


TABLES = corpus.tables()


@pytest.mark.parametrize("case", TABLES)
def test_a_file_of_texts(case: str, inside: Path) -> None:
    name, content = TABLES[case]
    path = inside / name
    path.write_bytes(content)
    form = BatchForm(source="upload", upload=str(path))
    for access in (PUBLIC, LOCAL):
        actions = BatchActions(Services(access))

        def look(actions: BatchActions = actions) -> None:
            harmless(preview(actions.preview(form), form))

        words = knock(look)
        harmless(notice.error(words))


@pytest.mark.parametrize("case", [case for case in TABLES if case.startswith(("csv-", "parquet-"))])
def test_a_file_of_texts_on_the_command_line(
    case: str, inside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, content = TABLES[case]
    (inside / name).write_bytes(content)
    _, said = command(capsys, "data", "preview", name)
    assert said.strip()
    assert "\x1b]" not in said


DICTIONARIES = corpus.dictionaries()


@pytest.mark.parametrize("case", DICTIONARIES)
def test_a_dictionary(case: str, inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = inside / "own.csv"
    path.write_bytes(DICTIONARIES[case])
    for access in (PUBLIC, LOCAL):
        words = knock(lambda access=access: access.read_dictionary(path))  # type: ignore[misc]
        assert str(inside) not in words
        harmless(notice.error(words))
    command(capsys, "dictionary", "check", "own.csv")


QUESTIONS = corpus.questions()


@pytest.mark.parametrize("case", QUESTIONS)
def test_questions(case: str) -> None:
    def read() -> None:
        instructions, asked = read_questions(QUESTIONS[case], "questions.yaml")
        harmless(annotator.screen(Project("Trial", asked, instructions=instructions), "Ann"))

    knock(read)


CAMPAIGNS = corpus.campaigns()


@pytest.mark.parametrize("case", CAMPAIGNS)
def test_a_campaign_file(case: str, inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = inside / "campaign.yaml"
    path.write_text(CAMPAIGNS[case], encoding="utf-8", errors="surrogatepass")
    knock(lambda: load_campaign(path))
    if "data-" not in case:
        command(capsys, "run", "campaign.yaml", "--estimate", "--data", "none.csv", "--out", "out")
        assert not (inside / "out").exists()


NOTES = corpus.notes()


@pytest.fixture(scope="module")
def sound(make: Callable[..., CampaignStore]) -> Path:
    rules = 'scripted:=bad if "white" and "woman"; good otherwise'
    return make(["The black man was kind."], ["race", "gender"], 2, rules).folder


@pytest.mark.parametrize("case", NOTES)
def test_notes_of_a_campaign(
    case: str, sound: Path, inside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(sound, inside / "kept")
    told, path = NOTES[case], inside / "kept" / "campaign.json"
    if not isinstance(told, bytes):
        told = json.dumps(json.loads(path.read_text()) | told).encode()
    path.write_bytes(told)
    knock(CampaignStore(inside / "kept").campaign)
    command(capsys, "list", ".")
    if isinstance(NOTES[case], bytes) or case in ("version-9", "models-0", "scope-7"):
        command(capsys, "report", "kept")


JUDGEMENTS = corpus.judgements()


@pytest.mark.parametrize("case", JUDGEMENTS)
def test_a_file_of_judgements(case: str, inside: Path) -> None:
    name, content = JUDGEMENTS[case]
    (inside / name).write_bytes(content)
    asked = default_questions()[1]
    store, _ = AnnotationStore.create(inside / "project.sqlite", Project("Trial", asked))
    try:
        words = knock(lambda: import_file(store, name))
        harmless(notice.error(words))
        knock(lambda: export_file(Exported(store), inside / "out.csv"))
        if (inside / "out.csv").exists():
            safe_cells((inside / "out.csv").read_text(encoding="utf-8-sig"))
    finally:
        store.close()


def safe_cells(text: str) -> None:
    """No cell is a formula."""
    for row in csv.reader(io.StringIO(text, newline="")):
        for cell in row:
            assert not cell.startswith(("=", "+", "@", "\t", "\r")), cell
            assert not re.match(r"-(?![\d.]+$)", cell), cell


@pytest.mark.parametrize("case", corpus.FORMULAS)
@pytest.mark.parametrize("kind", ["csv", "tsv", "column"])
def test_a_formula_in_an_export(case: str, kind: str) -> None:
    cell = corpus.FORMULAS[case]
    if kind == "column":
        safe_cells(rows_to_csv([{cell: "A man."}]))
        return
    buffer = io.StringIO()
    row_writer(buffer, kind, ["text"])({"text": cell})
    value = buffer.getvalue().split("\n", 1)[1].strip('"')
    assert value.startswith("'")


HANDWRITTEN = corpus.handwritten()


@pytest.mark.parametrize("case", HANDWRITTEN)
def test_mutants_by_hand(case: str, inside: Path) -> None:
    path = inside / "hand.csv"
    path.write_bytes(HANDWRITTEN[case])
    knock(lambda: list(islice(open_handwritten(path).rows(), 100)))
    actions = BatchActions(Services(PUBLIC))

    def look() -> None:
        form = BatchForm(source="hand", hand=str(path))
        harmless(preview(actions.preview(form), form))

    harmless(notice.error(knock(look)))


GRAMMARS = corpus.grammars()


@pytest.mark.parametrize("case", GRAMMARS)
def test_a_grammar(case: str, inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = inside / "mine.yaml"
    path.write_bytes(GRAMMARS[case].encode("utf-8", "surrogatepass"))
    with within(30):
        words = knock(lambda: list(islice(Sentences(load_grammar(str(path))).draw(1), 5)))
    harmless(notice.error(words))
    printable_only(command(capsys, "grammar", "check", str(path))[1])
    printable_only(command(capsys, "grammar", "sample", str(path), "--sentences", "3")[1])


TEMPLATES = corpus.templates()


@pytest.mark.parametrize("case", TEMPLATES)
def test_a_file_of_templates(case: str, inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = inside / "mine.jsonl"
    path.write_bytes(TEMPLATES[case])
    with within(30):
        words = knock(lambda: [row.text.encode() for row in open_templates(path).rows()])
    harmless(notice.error(words))
    printable_only(command(capsys, "templates", "show", str(path))[1])


SERVERS = corpus.servers()


@pytest.mark.parametrize("case", SERVERS)
def test_an_address_that_a_public_host_must_not_ask(case: str) -> None:
    name = f"openai:x?base_url={SERVERS[case]}"
    words = knock(lambda: PUBLIC.admit(name, key="sk-of-a-visitor"))
    assert words
    assert "sk-of-a-visitor" not in words
    harmless(notice.error(words))


MODELS = corpus.models()


@pytest.mark.parametrize("case", MODELS)
def test_a_model_that_a_public_host_must_not_load(case: str) -> None:
    words = knock(lambda: build_model(PUBLIC.admit(MODELS[case])))
    assert words
    assert "root:" not in words
    harmless(notice.error(words))


@pytest.mark.parametrize("case", corpus.TRAVERSAL)
class TestNames:
    """Names in links and calls, which are no paths."""

    def test_a_campaign(self, case: str, inside: Path) -> None:
        name = corpus.TRAVERSAL[case]
        assert knock(lambda: Campaigns(inside, shared=True).get(name))
        assert knock(lambda: Campaigns(inside, shared=False).store("", name))

    def test_a_project(self, case: str, inside: Path) -> None:
        assert knock(lambda: Annotations(inside, lambda: True).judging(corpus.TRAVERSAL[case]))

    def test_a_file_of_the_server(self, case: str) -> None:
        actions, path = BatchActions(Services(PUBLIC)), corpus.TRAVERSAL[case]
        assert knock(lambda: actions.preview(BatchForm(source="path", path=path)))
        assert knock(lambda: actions.preview(BatchForm(source="hub", hub=path)))

    def test_a_parser(self, case: str) -> None:
        assert knock(lambda: PUBLIC.admit_parser(corpus.TRAVERSAL[case]))


@pytest.mark.parametrize("case", corpus.MARKUP)
def test_markup_in_a_link(case: str) -> None:
    words = corpus.MARKUP[case]
    every: Mapping[str, str] = dict.fromkeys(
        (
            "text",
            "attributes",
            "models",
            "edits",
            "order",
            "literal",
            "again",
            "parser",
            "relations",
            "seed",
        ),
        words,
    )
    form = ExploreForm.from_query(every)
    assert form is not None
    assert (form.text, form.order, form.repeat) == (words, 2, 0)
    harmless(notice.error(knock(lambda: ExploreForm.of(*[words] * (4 + len(FIELDS))))))


@pytest.mark.parametrize("case", corpus.NUMBERS)
class TestNumbers:
    """Numbers among the values of events: a bounded one, or a clear error, and no trace."""

    def test_places_in_what_is_shown(self, case: str) -> None:
        number = corpus.NUMBERS[case]
        assert place_in({"row": number}, "row") == -1
        assert place_in(None, "row", 0) == place_in({}, "row", 0) == 0
        page = build_app_once()
        for name, key in (
            ("ExploreEvents.select", "page"), ("ExploreEvents.select", "row"),
            ("JobEvents.pick", "shard"), ("ResultsEvents.pick", "page"),
            ("ResultsEvents.pick", "example"), ("ResultsEvents.pick", "change"),
            ("ResultsEvents.pick", "place"), ("ResultsEvents.show_word", "word"),
            ("ResultsEvents.show_word", "pair"),
        ):  # fmt: skip
            event = gr.EventData(None, {key: number})
            inputs = ["none"] if name.startswith("Job") else []
            request = gr.Request(session_hash=case, query_params={}, headers={}, client=None)
            said = str(page[name](event, request, *inputs))
            assert "inside HInter" not in said, (name, said)

    def test_a_judgement(self, case: str, inside: Path, caplog: pytest.LogCaptureFixture) -> None:
        number = corpus.NUMBERS[case]
        projects = Annotations(inside, lambda: False)
        name, _ = projects.new(Project("Trial", default_questions()[1]))
        counter = AnnotatorEndpoints(Services(), projects)
        projects.judging(name).store.add([AnnotationItem("i", "A man.", "A woman.")])
        _, key = projects.judging(name).store.join("Ann", "a long enough phrase")
        for kind in ("judged", "skipped", "undo"):
            for field in ("showing", "seconds"):
                told = {"project": name, "key": key}
                one = {"kind": kind, "id": f"{kind}-{field}", "item": "i", field: number}
                sent = {**told, "sent": [one], "held": number}
                said = counter.answer("work", sent, None, "")
                assert said.get("error", {}).get("code") != "failed", said
        assert not caplog.records
        projects.judging(name).store.close()

    def test_the_form_of_explore(self, case: str) -> None:
        number = corpus.NUMBERS[case]
        values: list[Any] = ["A man.", [], [], "", *(one.default for one in FIELDS.values())]
        numbers = (
            one for one, field in enumerate(FIELDS.values(), 4) if field.type in (int, float)
        )
        for place in (3, *numbers):
            knock(lambda place=place: ExploreForm.of(*values[:place], number, *values[place + 1 :]))  # type: ignore[misc]


@pytest.mark.parametrize("case", corpus.LONG)
def test_a_long_text_is_refused_before_it_is_read(case: str) -> None:
    word = corpus.LONG[case]
    services = Services(PUBLIC)
    explore, models = ExploreActions(services), ModelsActions(services)
    for size in (12_001, 100_000):
        text = (word * size)[:size]
        form = ExploreForm(text=text)
        for act in (
            lambda form=form: explore.plan(Session(), form),
            lambda form=form: explore.check(Session(), form),
            lambda form=form: next(explore.scan(Session(), form)),
            lambda text=text: models.ask(Session(), "embedded", text),
            lambda text=text: models.again(Session(), "embedded", text, 2),
        ):
            assert "characters, and this page reads up to 12,000" in knock(act)
        assert "reads up to 12,000" in str(explore._people(form))
        assert "up to 4,000" in knock(lambda text=text: PUBLIC.admit(f"scripted:{text}"))  # type: ignore[misc]
    assert services._parses.peek("embedded") is None  # nothing was loaded for it


def test_many_models_are_refused() -> None:
    form = ExploreForm(text="The black man was kind.", models=tuple(f"m{n}" for n in range(7)))
    for act in (ExploreActions(Services(PUBLIC)).plan, ExploreActions(Services(PUBLIC)).check):
        assert "asks up to 6" in knock(lambda act=act: act(Session(), form))  # type: ignore[misc]


def test_a_large_dictionary_is_refused_before_it_is_read(inside: Path) -> None:
    path = inside / "own.csv"
    path.write_text("term,group\n" + "".join(f"t{n},g{n}\n" for n in range(30_000)))
    assert "more than 200 kB" in knock(lambda: PUBLIC.read_dictionary(path))


@pytest.mark.parametrize("case", corpus.SPOOFED)
def test_a_spoofed_address_is_not_believed(case: str) -> None:
    found = set()
    for n in range(16):
        told = [(name.encode(), value.format(n=n).encode()) for name, value in
                corpus.SPOOFED[case].items()]  # fmt: skip
        scope = {"type": "http", "headers": told, "client": ("192.0.2.1", 1)}
        found.add(network_of(scope, 0))
        # The last proxy adds whom it was asked by.
        scope["headers"] = [*told, (b"x-forwarded-for", b"192.0.2.1")]
        found.add(network_of(scope, 1))
    assert found == {"192.0.2.1"}


SIZES = {
    "numbers": len(corpus.NUMBERS), "long": len(corpus.LONG), "spoofed": len(corpus.SPOOFED),
    "tables": len(TABLES), "dictionaries": len(DICTIONARIES), "questions": len(QUESTIONS),
    "campaigns": len(CAMPAIGNS), "notes": len(NOTES), "judgements": len(JUDGEMENTS),
    "handwritten": len(HANDWRITTEN), "servers": len(SERVERS), "models": len(MODELS),
    "grammars": len(GRAMMARS), "templates": len(TEMPLATES),
    "names": len(corpus.TRAVERSAL), "markup": len(corpus.MARKUP), "formulas": len(corpus.FORMULAS),
}  # fmt: skip


def test_no_case_is_lost() -> None:
    assert SIZES == {
        "tables": 313, "dictionaries": 44, "questions": 57, "campaigns": 74, "notes": 98,
        "judgements": 57, "handwritten": 45, "servers": 39, "models": 79, "names": 19,
        "markup": 12, "formulas": 8, "grammars": 47, "templates": 35,
        "numbers": 14, "long": 10, "spoofed": 7,
    }  # fmt: skip
    assert sum(SIZES.values()) >= 400
