"""Start the command line in a process of its own, and stop it with all that it started."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil

from hinter_core.models.huggingface.lent import SETTING as LENT_GPU
from hinter_core.models.server.endpoint import KEYS
from hinter_core.storage import ROOT

WINDOWS = os.name == "nt"
BAD_INPUT = 2  # the exit code of a command with input that it cannot use
INTERRUPTED = 130  # and of one that was asked to stop
ENDED_FROM_OUTSIDE = (INTERRUPTED, -signal.SIGTERM, -signal.SIGINT, -9)
COMMAND = (sys.executable, "-m", "hinter_core.cli")
_LOG_TAIL = 4_000  # bytes
_GRACE = 20.0  # seconds from a polite request to stop to the end; whole files are kept either way
# This machine's key, and a GPU that is lent to checks alone.
_NOT_FOR_PROCESSES = ("OPENAI_API_KEY", LENT_GPU)
_NICE = 10  # how far a process on a shared machine stands back for the app


def launch(
    arguments: Sequence[str], log: Path, keys: Mapping[str, str], cache: Path | None = None
) -> subprocess.Popen[bytes]:
    """Start a command with its output in a file; see :func:`environment`.

    Raises:
        OSError: the file cannot be written, or no process started.
    """
    with log.open("wb") as output:
        return subprocess.Popen(  # noqa: S603 -- ourselves, without a shell
            [*COMMAND, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=environment(keys, cache),
            **_alone(),
        )


def said_last(log: bytes) -> str:
    """Return the last message of the command line in its log."""
    lines = reversed(log.decode("utf-8", "replace").strip().splitlines())
    line_of_hinter = next((line for line in lines if line.startswith("hinter: ")), "")
    return line_of_hinter.removeprefix("hinter: ")


def why_failed(log: Path, code: int | None) -> str:
    """Return the last message in the log of a command that ended itself; "" if there is none."""
    return said_last(end_of(log)) if code in (1, BAD_INPUT) else ""


def end_of(log: Path) -> bytes:
    """Return the end of a log file; b"" if there is none."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _LOG_TAIL))
            return file.read()
    except OSError:
        return b""


def environment(keys: Mapping[str, str], cache: Path | None) -> dict[str, str]:
    """Return the environment of a visitor's process: their keys, and none of this machine's."""
    env = {name: value for name, value in os.environ.items() if name not in _NOT_FOR_PROCESSES}
    paths = [str(ROOT), env.get("PYTHONPATH", "")]
    env["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    env[KEYS] = json.dumps(dict(keys))
    if cache is not None:
        env["HINTER_CACHE"] = str(cache)
    return env


def hear_interrupts() -> None:
    """Restore SIGINT handling in child processes.

    A shell's background process ignores SIGINT, and its children inherit that. A handler that does
    nothing has the same effect here and is not inherited.
    """
    here = threading.current_thread() is threading.main_thread()
    if here and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda *_: None)


def stand_back(pid: int) -> None:
    """Lower the priority of a process, also among Linux's scheduling groups of sessions."""
    with contextlib.suppress(psutil.Error, OSError):
        psutil.Process(pid).nice(_NICE)
        if os.getsid(pid) == pid:
            Path(f"/proc/{pid}/autogroup").write_text(str(_NICE), encoding="ascii")


def _alone() -> dict[str, Any]:
    """Start a process group, so that stopping it reaches its workers and nothing else does."""
    if WINDOWS:
        return {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
    return {"start_new_session": True}


def send(pid: int, which: int) -> None:
    """Send a signal to a group of processes."""
    # It may have ended by itself meanwhile.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if WINDOWS:
            os.kill(pid, getattr(signal, "CTRL_BREAK_EVENT", signal.SIGTERM))
        else:
            os.killpg(pid, which)


def stop(pid: int, alive: Callable[[], bool]) -> None:
    """Ask a group of processes to stop, and end it later if it does not."""
    send(pid, signal.SIGINT)

    def end() -> None:
        if alive():
            send(pid, signal.SIGTERM)

    timer = threading.Timer(_GRACE, end)
    timer.daemon = True
    timer.start()
