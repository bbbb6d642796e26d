"""Loading a model without making anybody wait: in a thread of its own, watched from outside."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from hinter_core.errors import HinterError

log = logging.getLogger(__name__)


class Load:
    """A model being loaded; ``work`` does it and may answer with a remark.

    Once ``done`` is set, ``error`` is a sentence if it failed, and empty otherwise.
    """

    def __init__(self, work: Callable[[], str]) -> None:
        self.done = threading.Event()
        self.error = ""
        self.remark = ""
        self._started = time.monotonic()
        threading.Thread(target=self._run, args=(work,), name="load", daemon=True).start()

    def _run(self, work: Callable[[], str]) -> None:
        try:
            self.remark = work()
        except HinterError as error:
            self.error = str(error)
        except Exception:
            log.exception("A model could not be loaded.")
            self.error = "Loading failed inside HInter; the log has the details."
        finally:
            self.done.set()

    @property
    def running(self) -> bool:
        """Whether it is still at work."""
        return not self.done.is_set()

    @property
    def seconds(self) -> int:
        """How long it has taken so far."""
        return int(time.monotonic() - self._started)
