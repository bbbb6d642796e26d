"""An app that can be killed and started again at the same address, with its projects."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path
from types import TracebackType

from tests.forked import Commands

ROOT = Path(__file__).resolve().parent.parent.parent
# No model is loaded: annotators need none.
START = "import sys; from hinter_ui.shell import serve; serve(port=int(sys.argv[1]), warm=False)"


class Server:
    """The app as a process of its own; ``folder`` holds its projects."""

    def __init__(self, place: Path, commands: Commands) -> None:
        self._python = commands.app
        self.folder = place / "projects"
        self.log = place / "app.log"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._environment = {
            **os.environ,
            "HINTER_ANNOTATIONS": str(self.folder),
            "HINTER_CAMPAIGNS": str(place / "campaigns"),
            "HINTER_CACHE": str(place / "cache.sqlite"),
        }
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with self.log.open("a") as output:
            self._process = subprocess.Popen(
                [*self._python, "-c", START, str(self.port)],
                cwd=ROOT, stdout=output, stderr=output, env=self._environment,
            )  # fmt: skip
        for _ in range(600):
            assert self._process.poll() is None, self.log.read_text()
            if self._answers():
                return
            time.sleep(0.1)
        raise AssertionError(f"The app did not come up:\n{self.log.read_text()}")

    def _answers(self) -> bool:
        try:
            urllib.request.urlopen(self.url, timeout=2).close()
        except OSError:
            return False
        return True

    def kill(self) -> None:
        """End it as a power cut would: it gets no chance to tidy up."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait(10)
            self._process = None
            while self._answers():  # the process itself ends when the one that stands for it has
                time.sleep(0.01)

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()
        if kind is None:
            assert "Traceback" not in self.log.read_text(), self.log.read_text()
