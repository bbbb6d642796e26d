"""No word of a stranger controls the terminal: one door for all that commands print."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from hinter_core.cli.options import output, print_json, say
from hinter_core.language.clean import printable

from .conftest import Run

pytestmark = pytest.mark.slow

CLI = Path(__file__).resolve().parents[3] / "hinter_core" / "cli"
# Colours, the title of the window, a C1 control, what is written backwards, half a character.
ODD = "\x1b[31m\x1b]2pwned\x07\x9b2J\u202e\u2066\ud800\x7f\r"


def plain(words: str) -> None:
    assert {c for c in words if c not in "\n\t" and not c.isprintable()} <= {"\u200d"}, words


def test_what_controls_a_terminal_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    say(f"a{ODD}b\n\tc")
    say(f"a{ODD}b", err=True)
    with output(None) as stream:
        stream.write(f"x,{ODD}y\r\nz")
    out, err = capsys.readouterr()
    assert out.count("\r") == 1
    plain(out.replace("\r\n", "\n") + err)
    assert out.startswith("a [31m")
    assert "\n\tc" in out
    assert printable("\U0001f469\u200d\U0001f4bb") == "\U0001f469\u200d\U0001f4bb"


def test_an_older_file_stays_if_its_writer_fails(tmp_path: Path) -> None:
    file, link = tmp_path / "report", tmp_path / "link"
    file.write_text("older")
    link.symlink_to(file)
    with pytest.raises(ZeroDivisionError), output(file) as stream:
        stream.write(str(1 / 0))
    assert [*tmp_path.iterdir()] in ([file, link], [link, file])
    assert file.read_text() == "older"
    with output(link) as stream:
        stream.write("newer")
    assert link.is_symlink()
    assert file.read_text() == "newer"


def test_json_says_the_same_in_plain_letters(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({ODD: [ODD, "Z\u00fcrich"]})
    out = capsys.readouterr().out
    plain(out)
    assert "Z\u00fcrich" in out
    assert json.loads(out) == {ODD: [ODD, "Z\u00fcrich"]}


def test_commands_print_through_it_only() -> None:
    for path in CLI.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            assert called not in ("print", "sys.stdout.write", "sys.stderr.write") or (
                path.name == "options.py"
            ), f"{path.name}:{node.lineno}"
            if called in ("typer.echo", "click.echo") and path.name != "options.py":
                assert ast.unparse(node) == "typer.echo(context.get_help())", path.name


@pytest.mark.parametrize(
    "arguments",
    [
        ["predict", "--model", f"scripted:{ODD}good otherwise", "--text", "A man."],
        ["predict", "--model", f"scripted:{ODD}", "--text", "A man."],
        ["check", "--model", f"scripted:{ODD}x if race; y otherwise", "--attributes", "race",
         "--text", "The black man smiled."],
        ["predict", "--model", f"{ODD}:x", "--text", "A man."],
        ["check", "--text", "The black man smiled.", "--attributes", ODD],
        ["run", f"{ODD}.yaml"],
        ["grammar", "show", f"no{ODD}"],
        ["templates", "show", f"no{ODD}"],
        ["report", f"no{ODD}"],
        ["dictionary", "check", f"no{ODD}"],
        ["data", "preview", f"no{ODD}"],
        ["annotate", "status", f"no{ODD}"],
        [f"no{ODD}"],
        ["check", f"--no{ODD}"],
    ],
)  # fmt: skip
def test_words_of_others_in_arguments(arguments: list[str], run: Run) -> None:
    code, out, err = run(*arguments)
    plain(out + err)
    assert out + err
    assert code in (0, 2)


def test_words_of_others_in_a_campaign(run: Run, tmp_path: Path) -> None:
    odd = ODD.replace("\r", "").replace("\ud800", "")
    data, folder = tmp_path / f"data{odd}.csv", tmp_path / f"c{odd.replace('/', '')}"
    data.write_text(f"text,label{odd},id\n" + "".join(
        f"The black man {n} smiled {odd} today.,bad{odd},{n}{odd}\n" for n in range(3)
    ))  # fmt: skip
    model = f"scripted:bad{odd} if race=white; good{odd} otherwise"
    settings = ["--data", str(data), "--attributes", "race,gender", "--text-column", "text",
                "--label-column", f"label{odd}", "--id-column", "id", "--model", model,
                "--limit", "5"]  # fmt: skip
    assert run("run", *settings, "--estimate")[::2] == (0, "")
    said = [run("run", *settings, "--out", str(folder))]
    at = str(folder)
    asked = [
        ["report", at], ["report", at, "--markdown"], ["report", at, "--csv"],
        ["report", at, "--json"], ["report", at, "--latex"],
        ["mutants", at], ["sql", at, "SELECT * FROM findings"], ["sql", "--csv", at,
         "SELECT * FROM findings"], ["sql", "--json", at, "SELECT * FROM findings"],
        ["sql", at, f"SELECT 1 AS \"{odd}\", '{odd}' AS b"], ["sql", at, f"SELECT {odd}"],
        ["diagnose", at], ["diagnose", at, "--json"], ["list", str(tmp_path)],
        ["list", str(tmp_path), "--json"], ["verify", at], ["compare", at, at],
        ["compare", at, at, "--json"], ["report", at, "--model", f"no{odd}"],
        ["prioritise", at], ["data", "preview", str(data)],
    ]  # fmt: skip
    said += [run(*arguments) for arguments in asked]
    for arguments, (code, out, err) in zip([["run"], *asked], said, strict=True):
        assert code in (0, 2), (arguments, err)
        plain(out.replace("\r\n", "\n") + err)
        assert "Traceback" not in err
    assert [code for code, *_ in said[:11]] == [0] * 11
