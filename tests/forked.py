"""The command line as processes of its own, forked from one that has imported it all.

Such a process is as real as any: it has its own memory, files and end, is killed and refused like
one, and ends as an interpreter ends. It only starts at once instead of importing for seconds.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Done:
    """How a process ended: its exit code, or less than 0 the signal; and what it wrote."""

    code: int
    out: str
    err: str


class Commands:
    """Starts ``hinter`` with arguments; ``folder`` takes what the processes write."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._number = 0
        self._source = subprocess.Popen(
            [sys.executable, __file__],
            cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def start(self, *arguments: str, out: Path | None = None, room: int | None = None) -> int:
        """Start one in a session of its own; its process number, which is also its group.

        Args:
            arguments: Those of the command.
            out: A file or named pipe for what it writes to standard output.
            room: As large as a file of it may become, in bytes.
        """
        self._number += 1
        wanted = {
            "arguments": arguments, "out": str(out or self._file("out")), "room": room,
            "err": str(self._file("err")), "environment": dict(os.environ), "cwd": os.getcwd(),
        }  # fmt: skip
        return self._ask(wanted)

    def wait(self, process: int) -> Done:
        """Wait for the end of the process that was started last."""
        code = self._ask({"wait": process})
        out = self._file("out")
        return Done(code, out.read_text() if out.exists() else "", self._file("err").read_text())

    def kill(self, process: int) -> None:
        """End a process and all that it started, without a chance to tidy up."""
        os.killpg(process, signal.SIGKILL)
        self.wait(process)

    def run(self, *arguments: str, room: int | None = None) -> Done:
        """Run one to its end."""
        return self.wait(self.start(*arguments, room=room))

    def close(self) -> None:
        assert self._source.stdin
        assert self._source.stdout
        self._source.stdin.close()
        self._source.stdout.close()
        self._source.wait(30)

    def _file(self, kind: str) -> Path:
        return self._folder / f"{self._number}.{kind}"

    def _ask(self, wanted: dict[str, Any]) -> int:
        assert self._source.stdin
        assert self._source.stdout
        self._source.stdin.write(json.dumps(wanted) + "\n")
        self._source.stdin.flush()
        return int(self._source.stdout.readline())


def _answer(wanted: dict[str, Any]) -> int | None:
    """In the process that forks: the number or the code asked for; None in a new process."""
    if "wait" in wanted:
        return os.waitstatus_to_exitcode(os.waitpid(wanted["wait"], 0)[1])
    ready, told = os.pipe()
    child = os.fork()
    if child:
        os.close(told)
        os.read(ready, 1)  # until it has a session of its own
        os.close(ready)
        return child
    os.setsid()
    os.close(told)
    os.close(ready)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    for place, name in ((0, os.devnull), (1, wanted["out"]), (2, wanted["err"])):
        opened = os.open(name, flags if place else os.O_RDONLY, 0o600)
        os.dup2(opened, place)
        os.close(opened)
    os.environ.clear()
    os.environ.update(wanted["environment"])
    os.chdir(wanted["cwd"])
    if wanted["room"]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (wanted["room"],) * 2)
    sys.argv = ["hinter", *wanted["arguments"]]
    return None


def _serve() -> None:
    import pyarrow.parquet  # noqa: F401  # what the commands import when they need it
    import spacy  # noqa: F401

    from hinter_core.cli import main

    for line in iter(sys.stdin.readline, ""):
        answer = _answer(json.loads(line))
        if answer is None:
            main()
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _serve()
