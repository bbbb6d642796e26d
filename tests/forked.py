"""The command line as processes of its own, forked from one that has imported it all.

Such a process is as real as any: it has its own memory, files and end, is killed and refused like
one. It only starts at once instead of importing for seconds, and ends without clearing its memory:
what it shares with others would be copied for that.

Tests start them with :class:`Commands`; the app starts its campaigns so when it runs
``Commands.program`` for a command line: a program that hands its arguments and files over, passes
signals on, and ends as the process ends. If that program is killed, so is the process. Its
arguments are those of ``hinter``, or ``-c``, a Python script and the script's arguments.
``Commands.app`` is another such program, forked from a process that has imported the app as well.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
APP = ".app"  # what the address of the second source ends in
READY = [b"ready\n"] * 2
# Signals that are passed on, and what a new interpreter does with them.
HANDLERS = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}


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
        self._running: dict[int, _Forked] = {}
        self._address = str(folder / "source")
        self._source = subprocess.Popen(
            [sys.executable, __file__, "serve", self._address],
            cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        self._ready = False

    @property
    def program(self) -> tuple[str, ...]:
        """A command line that takes the arguments of ``hinter``, or a script."""
        self._wait_until_ready()
        return (sys.executable, "-I", "-S", __file__, "start", self._address)

    @property
    def app(self) -> tuple[str, ...]:
        """The same where the app is imported, and the client of the Hub with its settings."""
        return (*self.program[:-1], self._address + APP)

    def start(
        self,
        *arguments: str,
        out: Path | None = None,
        err: Path | None = None,
        room: int | None = None,
    ) -> int:
        """Start one in a session of its own; its process number, which is also its group.

        Args:
            arguments: Those of the command.
            out: A file or named pipe for what it writes to standard output.
            err: A file for what it writes to standard error.
            room: As large as a file of it may become, in bytes.
        """
        self._wait_until_ready()
        self._number += 1
        files = (os.devnull, str(out or self._file("out")), str(err or self._file("err")))
        process = _Forked(self._address, arguments, files=files, room=room)
        self._running[process.number] = process
        return process.number

    def wait(self, process: int) -> Done:
        """Wait for the end of the process that was started last."""
        code = self._running.pop(process).wait()
        out, err = (
            path.read_text() if (path := self._file(kind)).exists() else ""
            for kind in ("out", "err")
        )
        return Done(code, out, err)

    def kill(self, process: int) -> None:
        """End a process and all that it started, without a chance to tidy up."""
        os.killpg(process, signal.SIGKILL)
        self.wait(process)

    def run(self, *arguments: str, room: int | None = None) -> Done:
        """Run one to its end."""
        return self.wait(self.start(*arguments, room=room))

    def close(self) -> None:
        assert self._source.stdin
        self._source.stdin.close()
        self._source.wait(30)

    def _file(self, kind: str) -> Path:
        return self._folder / f"{self._number}.{kind}"

    def _wait_until_ready(self) -> None:
        assert self._source.stdout
        self._ready = self._ready or [self._source.stdout.readline() for _ in "12"] == READY
        assert self._ready


class _Forked:
    """A process asked for at ``address``; files by name, or this process's own."""

    def __init__(
        self,
        address: str,
        arguments: tuple[str, ...],
        *,
        files: tuple[str, ...] = (),
        room: int | None = None,
    ) -> None:
        wanted = {
            "arguments": arguments, "files": files, "room": room, "cwd": os.getcwd(),
            "environment": dict(os.environ),
            "ignored": [s for s in HANDLERS if signal.getsignal(s) is signal.SIG_IGN],
        }  # fmt: skip
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.connect(address)
        socket.send_fds(self._connection, [b"\n"], [0, 1, 2])
        self._connection.sendall(json.dumps(wanted).encode() + b"\n")
        self._said = self._connection.makefile("r")
        self.number = int(self._said.readline())

    def signal(self, number: int) -> None:
        self._connection.send(bytes([number]))

    def wait(self) -> int:
        code = int(self._said.readline())
        self._said.close()
        self._connection.close()
        return code


def _start(address: str, *arguments: str) -> None:
    """Be the process that is asked for: its signals, its files, its end."""
    process = _Forked(address, arguments)
    for number in HANDLERS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda received, _: process.signal(received))
    code = process.wait()
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)


def _serve(address: str) -> None:
    """Fork what is asked for until standard input is closed."""
    import aiohttp  # noqa: F401  # what the commands import when they need it
    import duckdb  # noqa: F401
    import onnxruntime  # noqa: F401
    import pandas  # noqa: F401
    import pyarrow.compute
    import pyarrow.parquet  # noqa: F401
    import scipy.stats  # noqa: F401
    import vaderSentiment.vaderSentiment  # noqa: F401

    from hinter_core.cli import main
    from hinter_core.language.parsing import load_parser
    from hinter_core.terms.dictionary import load_shipped

    load_parser("embedded")
    load_shipped()
    if os.fork() == 0:
        from hinter_ui.__main__ import import_gradio

        import_gradio()
        import hinter_ui.shell  # noqa: F401

        address += APP
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen()
        os.write(1, READY[0])
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no keeper is waited for
        gc.collect()
        gc.freeze()  # so that a fork shares the memory of what was imported
        threading.Thread(target=_end_with_input, daemon=True).start()
        while True:
            connection, _ = door.accept()
            if os.fork() == 0:
                door.close()
                _keep(connection)
                random.seed()
                _run(main)
                return
            connection.close()


def _run(main: Callable[[], None]) -> None:
    """Run what the arguments ask for, and end as an interpreter does, but for clearing memory."""
    code: Any = None
    try:
        if sys.argv[1:2] == ["-c"]:
            sys.argv[:] = sys.argv[1:]
            exec(sys.argv.pop(1), {"__name__": "__main__"})
        else:
            main()
    except SystemExit as ended:
        code = ended.code
    if code is not None and not isinstance(code, int):
        sys.exit(code)
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # nobody reads it any more: an interpreter says so, unless that was seen to
        sys.exit(code)
    os._exit(code or 0)


def _end_with_input() -> None:
    os.read(0, 1)  # not sys.stdin, whose lock a fork would keep
    os._exit(0)


def _keep(connection: socket.socket) -> None:
    """Fork the process that is asked for and report on it; only the new process returns."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, files, _, _ = socket.recv_fds(connection, 1, 3)
    with connection.makefile("r") as lines:
        wanted = json.loads(lines.readline())
    ready, told = os.pipe()
    child = os.fork()
    if not child:
        os.setsid()
        connection.close()
        os.close(told)
        os.close(ready)
        _become(wanted, files)  # a named pipe waits for its reader
        return
    os.close(told)
    os.read(ready, 1)  # until it has a session of its own

    def tell(number: int) -> None:
        with contextlib.suppress(ConnectionError):  # whoever asked for it has gone
            connection.sendall(f"{number}\n".encode())

    def wait() -> None:
        tell(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        os._exit(0)

    tell(child)
    threading.Thread(target=wait, daemon=True).start()
    while True:
        received = b""
        with contextlib.suppress(ConnectionResetError):  # it was killed before it heard of us
            received = connection.recv(1)
        with contextlib.suppress(ProcessLookupError):  # it has just ended
            os.killpg(child, received[0] if received else signal.SIGKILL)
        if not received:
            os._exit(0)


def _become(wanted: dict[str, Any], files: list[int]) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    for place, name in enumerate(wanted["files"]):
        files[place] = os.open(name, flags if place else os.O_RDONLY, 0o600)
    for place, opened in enumerate(files):
        os.dup2(opened, place)
        os.close(opened)
    os.environ.clear()
    os.environ.update(wanted["environment"])
    os.chdir(wanted["cwd"])
    for number in HANDLERS:
        signal.signal(number, signal.SIG_IGN if number in wanted["ignored"] else HANDLERS[number])
    if wanted["room"]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (wanted["room"],) * 2)
    sys.argv = ["hinter", *wanted["arguments"]]


if __name__ == "__main__":
    {"serve": _serve, "start": _start}[sys.argv[1]](*sys.argv[2:])
