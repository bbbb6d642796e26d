"""Render the chat template of a checkpoint in a process of its own, against a deadline.

A template is a program that came with the checkpoint. ``transformers`` runs it in a sandbox that
lets nothing out, and yet it may run for ever or fill the memory, with the interpreter of everybody
else. So it renders elsewhere: with little memory, for a few seconds, and with a bounded result.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

SECONDS = 10  # of a rendering, which takes a thousandth of one second
_START_SECONDS = 120  # until the process has imported what it needs, on a busy machine
_MOST_CHARACTERS = 2_000_000  # of a rendered conversation
_BYTES = 512 * 2**20  # that a rendering may take
_ENVIRONMENT = ("PATH", "HOME", "SYSTEMROOT", "TMPDIR")  # no keys
_MOST_TIMEOUTS = 3  # then the template is not tried any more


class ChatTemplate:
    """The chat template of a tokenizer, rendered by a process that ends with this object."""

    def __init__(self, tokenizer: Any, settings: Mapping[str, Any]) -> None:
        """Take over the template and the special tokens; ``settings``: its further variables."""
        variables = {**tokenizer.special_tokens_map, **settings, "add_generation_prompt": True}
        self._template = {"template": tokenizer.get_chat_template(), "variables": variables}
        self._process: subprocess.Popen[str] | None = None
        self._timeouts = 0
        self._end: Any = None

    def render(self, messages: Sequence[Mapping[str, str]]) -> str:
        """Return a conversation as the model reads it, up to where its answer begins.

        Raises:
            TimeoutError: it takes too long.
            ValueError: the template refuses the messages, fails, or writes too much.
        """
        if self._timeouts >= _MOST_TIMEOUTS:
            raise TimeoutError(f"it took longer than {SECONDS} s several times")
        if self._process is None:
            self._start()
        answer = self._ask(messages, SECONDS)
        if answer is None:
            self._timeouts += 1
            raise TimeoutError(f"it took longer than {SECONDS} s, or ended its process")
        if "error" in answer:
            raise ValueError(answer["error"])
        return str(answer["text"])

    def _start(self) -> None:
        code = f"from {__name__} import serve; serve()"
        self._process = subprocess.Popen(  # noqa: S603 -- our own code
            [sys.executable, "-c", code],
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
            | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        self._end = weakref.finalize(self, _stop, self._process)
        if self._ask(self._template, _START_SECONDS) is None:
            raise ValueError("the process that renders it did not start")

    def _ask(self, question: Any, seconds: float) -> dict[str, Any] | None:
        """Return the answer to a line; None, and no process, if none comes in time."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(seconds, process.kill)
        timer.start()
        line = ""
        try:
            process.stdin.write(json.dumps(question) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:  # it has ended
            pass
        finally:
            timer.cancel()
        if not line.endswith("\n"):
            self._end()
            self._process = None
            return None
        answer: dict[str, Any] = json.loads(line)
        return answer


def _stop(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()


def serve() -> None:
    """Answer lines of JSON: first the template, then conversations; runs in the other process."""
    render_jinja_template = _renderer()
    request = json.loads(sys.stdin.readline())
    _limit_memory()
    _write({})
    for line in sys.stdin:
        _end_within(SECONDS + 1)  # also if the process that asks has ended
        try:
            (text,), _ = render_jinja_template(
                conversations=[json.loads(line)], chat_template=request["template"],
                **request["variables"],
            )  # fmt: skip
            if len(text) > _MOST_CHARACTERS:
                raise ValueError(f"it writes over {_MOST_CHARACTERS:,} characters")
            answer = {"text": text}
        except MemoryError:
            answer = {"error": "it takes too much memory"}
        except Exception as error:  # noqa: BLE001 -- a template raises what it likes
            answer = {"error": f"{type(error).__name__}: {error}"[:300]}
        _end_within(0)
        _write(answer)


def _renderer() -> Any:
    """Return what renders a template, without the rest of ``transformers``, if that can be.

    Importing the whole library takes three times as long.
    """
    whole: Any = find_spec("transformers")
    for name in ("transformers", "transformers.utils"):  # packages without their own imports
        package, inner = ModuleType(name), name.split(".")[1:]
        package.__path__ = [str(Path(place, *inner)) for place in whole.submodule_search_locations]
        package.__dict__["__version__"] = version("transformers")
        sys.modules[name] = package
    try:
        from transformers.utils.chat_template_utils import render_jinja_template
    except (ImportError, AttributeError):  # another version of it
        for name in [one for one in sys.modules if one.partition(".")[0] == "transformers"]:
            del sys.modules[name]
        from transformers.utils.chat_template_utils import render_jinja_template
    return render_jinja_template


def _write(answer: Mapping[str, str]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def _end_within(seconds: int) -> None:
    if hasattr(signal, "alarm"):  # its default ends the process, whatever it does
        signal.alarm(seconds)


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    import psutil

    most = psutil.Process().memory_info().vms + _BYTES
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
