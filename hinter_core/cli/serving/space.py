"""``hinter space check``: whether the platform would build and start this repository as a Space."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from typer import Argument

from hinter_core.cli.options import command_group, exit_for, say
from hinter_core.errors import InputError
from hinter_core.storage import yaml_loader

space = command_group("The Hugging Face Space that serves this app.")

_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_COLOURS = ("red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray")
_LARGEST = 10_000_000  # bytes of a file; the platform's own limit for files outside of LFS
_SHORT = 60  # characters of a short description, of which more is refused
_OLDEST_PYTHON = (3, 11)
_NEWEST_TORCH = "2.14"  # the first one that no GPU of the platform has
_NEEDED = ("title", "sdk", "sdk_version", "python_version", "app_file")
# The builder installs them itself, in versions of its own choice.
_OF_THE_BUILDER = ("pydantic", "spaces", "uvicorn", "websockets")


@space.command("check")
def check(
    folder: Annotated[
        Path, Argument(help="The repository.  [default: the current folder]", show_default=False)
    ] = Path(),
) -> None:
    """Check that a Space can be built of this repository; exit 1 if not."""
    exit_for(list(space_faults(folder)))
    say("A Space can be built of this repository. make space tries it here.")


def space_faults(folder: Path) -> Iterator[str]:
    """Yield a sentence for each reason for which a Space would not be built or not start.

    Raises:
        InputError: there is no such folder, or it has no README.md or requirements.txt.
    """
    front = _front_matter(_read(folder / "README.md"))
    yield from _faults_of_front(folder, front)
    yield from _faults_of_requirements(
        _read(folder / "requirements.txt"), str(front.get("sdk_version", ""))
    )
    yield from _faults_of_files(folder)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"Cannot read {path}, which a Space needs; name the folder of the repository."
        ) from error


def _front_matter(readme: str) -> dict[str, Any]:
    import yaml

    match = _FRONT.match(readme)
    try:
        loader = yaml_loader(match[1] if match else "", strings=True)
        values = loader.get_single_data()
    except yaml.YAMLError:
        values = None
    return values if isinstance(values, dict) else {}


def _faults_of_front(folder: Path, front: dict[str, Any]) -> Iterator[str]:
    if not front:
        yield "README.md has no front matter; run python scripts/render_readme.py."
        return
    for name in _NEEDED:
        if not front.get(name):
            yield f"The front matter of README.md has no {name}; add it to space.yaml."
    if front.get("sdk", "gradio") != "gradio":
        yield f"The front matter asks for the SDK '{front['sdk']}'; this app needs gradio."
    python = str(front.get("python_version", "")).split(".")
    numbers = tuple(int(part) for part in python if part.isdecimal())
    if front.get("python_version") and (
        len(numbers) != len(python) or numbers[:2] < _OLDEST_PYTHON or numbers[0] != 3
    ):
        oldest = ".".join(map(str, _OLDEST_PYTHON))
        yield f"python_version is {front['python_version']}; HInter needs {oldest} or newer."
    if front.get("sdk_version") and not re.fullmatch(r"\d+\.\d+\.\d+", str(front["sdk_version"])):
        yield f"sdk_version is {front['sdk_version']}; write a whole version, such as 6.31.0."
    app = str(front.get("app_file") or "")
    if app and not (folder / app).is_file():
        yield f"app_file is {app}, which is not in the repository."
    for name in ("colorFrom", "colorTo"):
        if front.get(name) and front[name] not in _COLOURS:
            yield f"{name} is {front[name]}; the platform knows {', '.join(_COLOURS)}."
    if len(short := str(front.get("short_description", ""))) > _SHORT:
        yield f"short_description has {len(short)} characters; the platform takes {_SHORT}."


def _faults_of_requirements(text: str, sdk: str) -> Iterator[str]:
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.version import InvalidVersion

    for line in text.splitlines():
        if not (stated := line.partition("#")[0].strip()):
            continue
        try:
            one = Requirement(stated)
        except InvalidRequirement:
            yield f"requirements.txt has a line that is no requirement: {stated}."
            continue
        name = one.name.lower()
        if name in _OF_THE_BUILDER:
            yield f"requirements.txt names {name}, which the builder chooses; leave it out."
        try:
            if name == "gradio" and sdk and not one.specifier.contains(sdk):
                yield f"requirements.txt asks for {one}, but sdk_version is {sdk}; make them agree."
        except InvalidVersion:
            continue  # said of the front matter
        if name == "torch" and one.specifier.contains(_NEWEST_TORCH):
            yield (
                f"requirements.txt allows torch {_NEWEST_TORCH}, which the platform's GPUs do not "
                f"have; add <{_NEWEST_TORCH}."
            )


def _faults_of_files(folder: Path) -> Iterator[str]:
    for path in _files(folder):
        if path.is_file() and (size := path.stat().st_size) > _LARGEST:
            yield (
                f"{path.relative_to(folder)} has {size / 1e6:.1f} MB, and a Space takes "
                f"{_LARGEST / 1e6:.0f} MB outside of LFS; split it, as the pieces of "
                "assets/models/encoder are."
            )


def _files(folder: Path) -> list[Path]:
    """Return the files that git knows; all of them where it knows none."""
    try:
        known = subprocess.run(  # noqa: S603 -- git, without a shell
            ["git", "-C", str(folder), "ls-files", "-z"],  # noqa: S607 -- the user's own
            capture_output=True,
            check=True,
        )
        names = [name for name in known.stdout.decode().split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = []
    return [folder / name for name in names] or sorted(folder.rglob("*"))
