"""Install packages with uv, which takes a fraction of pip's time, or with pip where uv cannot.

Run as ``python scripts/install.py ARGUMENTS OF PIP INSTALL`` by the Python to install for. uv reads
none of pip's settings, so that it is given those that say where packages come from.
"""

import os
import subprocess
import sys
from typing import Any

PIP = (sys.executable, "-m", "pip")
PLACES = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "no-index": "UV_NO_INDEX",
    "constraint": "UV_CONSTRAINT",
    "cert": "SSL_CERT_FILE",
    "trusted-host": "UV_INSECURE_HOST",
}


def environment() -> dict[str, str]:
    """Return the environment for uv; a setting of uv's own stands."""
    found = {"UV_INDEX_STRATEGY": "unsafe-best-match"}  # the newest of all indexes, as pip has it
    listed = _run(*PIP, "config", "list", capture_output=True, text=True)
    for line in listed.stdout.splitlines():
        name, _, value = line.partition("=")
        words = value.strip("'\"").replace("\\n", " ").split()
        if words and (place := PLACES.get(name.rpartition(".")[2])):
            found[place] = ("," if place == "UV_FIND_LINKS" else " ").join(words)
    return found | os.environ


def main(arguments: list[str]) -> int:
    """Install by uv, else by pip; return the exit status."""
    by_pip = (*PIP, "install", "--quiet", "--disable-pip-version-check", "--no-compile")
    by_uv = (sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", sys.executable)
    if not _run(*by_pip, "-c", "constraints.txt", "uv", capture_output=True).returncode:
        if not _run(*by_uv, *arguments, env=environment()).returncode:
            return 0
        sys.stderr.write("uv could not install this; pip does.\n")
    return _run(*by_pip, *arguments).returncode


def _run(*command: str, **options: Any) -> subprocess.CompletedProcess[Any]:
    return subprocess.run(command, check=False, **options)  # noqa: S603 -- the arguments are make's


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
