"""What strangers may name and upload on a public host, and what the machine's owner may."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hinter_core.errors import DictionaryError, InputError, ModelError, ParserError
from hinter_core.language.parsing import load_parser
from hinter_core.models.registry import BACKENDS, Reads
from hinter_ui.explore.actions import ExploreActions
from hinter_ui.shared.access import PARSERS, Access, attribute_of
from hinter_ui.shared.links import ExploreForm
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session

PUBLIC, LOCAL = Access(), Access(local=True)
ELSEWHERE = (
    "..",
    ".",
    "/etc",
    "torch",
    "os",
    "assets/models/parser",
    "en_core_web_sm/..",
    "",
    "x y",
)


def dictionary(folder: Path, name: str, terms: int = 2) -> Path:
    lines = ["term,group", *(f"craft{n},group{n}" for n in range(terms))]
    path = folder / name
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_public_host_loads_no_folder_and_no_package(name: str) -> None:
    with pytest.raises(ParserError, match="This page loads the parser embedded, en_core_web_sm"):
        PUBLIC.admit_parser(name)
    assert LOCAL.admit_parser(name) == name
    form = ExploreForm(text="The black man was kind.", attributes=("race",), parser=name)
    actions = ExploreActions(Services(PUBLIC))
    for act in (actions.plan, lambda session, form: next(actions.scan(session, form))):
        with pytest.raises(ParserError, match="This page loads"):
            act(Session(), form)


def test_what_is_no_pipeline_is_not_imported() -> None:
    for name in ("antigravity", "this", ".", "..", "/etc"):
        with pytest.raises(ParserError, match="is no spaCy pipeline; use 'embedded'"):
            load_parser(name)
        assert name not in sys.modules
    with pytest.raises(ParserError, match="is not installed"):
        load_parser("en_core_web_none")
    assert {PUBLIC.admit_parser(name) for name in PARSERS} == set(PARSERS)


@pytest.mark.parametrize(
    ("file", "name"),
    [("Seat class.csv", "seat-class"), ("a..b  c.csv", "a-b-c"), ("%%.csv", "own"),
     ("Größe & Höhe.csv", "grösse-höhe"), ("x" * 90 + ".csv", "x" * 40)],
)  # fmt: skip
def test_an_attribute_is_named_like_a_file(file: str, name: str) -> None:
    assert attribute_of(Path(file)) == name


def test_uploads_are_dictionaries_of_a_modest_size(tmp_path: Path) -> None:
    large = dictionary(tmp_path, "large.csv", 2500)
    with pytest.raises(
        DictionaryError, match="has 2,500 terms, and a dictionary may have up to 600"
    ):
        PUBLIC.read_dictionary(large)
    assert LOCAL.read_dictionary(large).pair_count == 2500 * 2499
    with pytest.raises(
        DictionaryError, match=r"is a table \(CSV, TSV, Excel, …\); config\.cfg is none"
    ):
        LOCAL.read_dictionary(dictionary(tmp_path, "config.cfg"))


def test_a_page_keeps_a_few_dictionaries(tmp_path: Path) -> None:
    actions, session = ExploreActions(Services(PUBLIC)), Session()
    for number in range(6):
        actions.add_dictionary(session, str(dictionary(tmp_path, f"own {number}.csv")))
    with pytest.raises(InputError, match="You have added 6 dictionaries"):
        actions.add_dictionary(session, str(dictionary(tmp_path, "one more.csv")))
    actions.add_dictionary(session, str(dictionary(tmp_path, "own 3.csv", 4)))
    assert len(session.dictionaries["own-3"].terms) == 4
    assert list(session.dictionaries) == [f"own-{number}" for number in range(6)]


@pytest.mark.parametrize("kind", [kind for kind, one in BACKENDS.items() if one.source])
def test_no_kind_of_model_reads_a_file_of_a_public_host(kind: str, tmp_path: Path) -> None:
    """Neither what stands in a file nor whether it is there is told, whatever it ends in."""
    services = Services(PUBLIC)
    for name in ("canary.rules", "canary.toml", "canary.json", "canary.py", "canary"):
        file = tmp_path / name
        file.write_text("password hunter2\n")
        for source in (file, tmp_path / f"missing-{name}"):
            with pytest.raises(ModelError) as refused:
                services.open_store(f"{kind}:{source}")
            assert "hunter2" not in str(refused.value)
        if BACKENDS[kind].reads is Reads.RULES and name.endswith(".rules"):
            with pytest.raises(ModelError, match="Rule files cannot be named here"):
                services.open_store(f"{kind}:{file}")
