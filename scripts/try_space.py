"""Build and start this repository as a Space does, and let it check one text; ``make space``.

The files are those that git knows, the packages those of the builder's own line, and nothing comes
from constraints.txt. A Space differs in its base image, its hardware and its proxy.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "space"
PATIENCE = 180  # seconds until the first page
TEXT = "The British waiter who served us remembered every order."
# Run by the Space's own Python, as a program of a visitor would.
CLIENT = """
import json, sys
from gradio_client import Client
values = json.loads(sys.argv[2])
print(json.dumps(Client(sys.argv[1], verbose=False).predict(**values, api_name="/check")))
"""


def builders_line(sdk: str) -> list[str]:
    """Return what the builder asks pip for."""
    also = [f"gradio[oauth,mcp]=={sdk}", "uvicorn", "websockets", "spaces"]
    return ["-r", str(BUILD / "app" / "requirements.txt"), *also]


def unpack() -> None:
    """Put the files that git knows, as they are now, where the Space would have them."""
    app = BUILD / "app"
    shutil.rmtree(app, ignore_errors=True)
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True).stdout.decode()
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (app / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, app / name)


def install(python: Path, sdk: str) -> None:
    """Install the builder's packages in an environment of their own; a later run changes little."""
    if not python.exists():
        venv.create(BUILD / "venv", with_pip=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--upgrade", *builders_line(sdk)], check=True)


def environment(port: int) -> dict[str, str]:
    """Return the environment of a Space on CPU."""
    home = BUILD / "home"
    home.mkdir(exist_ok=True)
    given = {name: value for name, value in os.environ.items() if not name.startswith("HINTER_")}
    given.pop("PYTHONPATH", None)
    return given | {
        "SPACE_ID": "hinter/rehearsal", "SYSTEM": "spaces", "HOME": str(home),
        "GRADIO_SERVER_NAME": "0.0.0.0", "GRADIO_SERVER_PORT": str(port),
    }  # fmt: skip


def first_page(url: str, process: subprocess.Popen[bytes]) -> None:
    """Wait until the app answers.

    Raises:
        SystemExit: it ended, or takes too long.
    """
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=20) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.5)
    sys.exit(f"The app does not answer at {url}.")


def main() -> None:
    """Build, start and check; exit 1 if any of it fails."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    sdk = next(line.split(": ")[1] for line in readme if line.startswith("sdk_version"))
    python = BUILD / "venv" / "bin" / "python"
    unpack()
    began = time.monotonic()
    install(python, sdk)
    print(f"Installed in {time.monotonic() - began:.0f} s.", flush=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url, began = f"http://127.0.0.1:{port}", time.monotonic()
    process = subprocess.Popen(
        [str(python), "app.py"], cwd=BUILD / "app", env=environment(port), start_new_session=True
    )
    try:
        first_page(url, process)
        print(f"First page after {time.monotonic() - began:.0f} s.", flush=True)
        values = {"text": TEXT, "attributes": ["race", "gender"], "model": "embedded"}
        asked = [str(python), "-c", CLIENT, url, json.dumps(values)]
        found = subprocess.run(asked, check=True, capture_output=True, timeout=PATIENCE)
        counts = json.loads(found.stdout)["counts"]
        print(f"First check after {time.monotonic() - began:.0f} s: {counts}.", flush=True)
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(30)


if __name__ == "__main__":
    main()
