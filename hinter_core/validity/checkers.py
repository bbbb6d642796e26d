"""Grammar checkers by name, ``KIND`` or ``KIND:ADDRESS``: what they judge acceptable."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from hinter_core.errors import HinterError
from hinter_core.models.huggingface.checkpoint import open_checkpoint
from hinter_core.models.huggingface.inputs import Batches
from hinter_core.models.server.http import NoAnswerError, request, request_loop
from hinter_core.storage import ASSETS

if TYPE_CHECKING:
    import torch
    from transformers import BatchEncoding

DEFAULT = "acceptability"
FOLDER = ASSETS / "models" / "acceptability"


class CheckerError(HinterError):
    """A checker is unknown, not installed, or cannot be reached."""


@dataclass(frozen=True, slots=True)
class Acceptability:
    """A checker's judgement of one sentence.

    ``acceptable``: None without a judgement. ``score``: from 0 (unacceptable) to 1, if the checker
    has scores. ``reason``: what is wrong, or why there is no judgement.
    """

    acceptable: bool | None
    score: float | None = None
    reason: str = ""


class AcceptabilityClassifier:
    """The embedded token classifier; its one label is the logit of an error.

    The score of a sentence is the probability that no token is an error (noisy or). Trained by
    ``training/acceptability`` on CoLA (Warstadt et al. 2019) and on corrupted treebank sentences;
    its quality is in ``assets/models/acceptability/README.md``.

    Raises:
        ModelError: torch or transformers are missing.
    """

    name = "acceptability"

    def __init__(self) -> None:
        self._checkpoint = open_checkpoint(
            self.name, str(FOLDER), "AutoModelForTokenClassification"
        )
        self.identity = f"acceptability-1-{self._checkpoint.identity}"
        self._batches = Batches.on(self._checkpoint.device)

    def check(self, texts: Sequence[str]) -> list[Acceptability]:
        """Judge each sentence; tokens beyond the window of 512 are not read."""
        tokenizer = self._checkpoint.tokenizer
        inputs = [tokenizer(text, truncation=True) for text in texts]
        rows = self._batches.run(
            [len(one["input_ids"]) for one in inputs],
            lambda chosen: self._logits([texts[i] for i in chosen]),
        )
        return [
            Acceptability(None, reason="it does not fit into memory")
            if row is None
            else _from_logits(text, one, row)
            for text, one, row in zip(texts, inputs, rows, strict=True)
        ]

    def _logits(self, texts: Sequence[str]) -> torch.Tensor:
        """Compute logits (sentences x tokens); those of padding are meaningless."""
        import torch

        tokenizer, model = self._checkpoint.tokenizer, self._checkpoint.model
        inputs = tokenizer(list(texts), truncation=True, padding=True, return_tensors="pt")
        with torch.inference_mode():
            logits: torch.Tensor = model(**inputs.to(self._checkpoint.device)).logits
        return logits.squeeze(-1)


def _from_logits(text: str, inputs: BatchEncoding, logits: torch.Tensor) -> Acceptability:
    from torch.nn import functional

    logits = logits[: len(inputs["input_ids"])]
    score = float(functional.logsigmoid(-logits).sum().exp())
    if score >= 0.5:
        return Acceptability(True, score)
    span = inputs.token_to_chars(int(logits.argmax()))  # None for special tokens
    where = f"around \u201c{text[span.start : span.end]}\u201d" if span else "as a whole"
    return Acceptability(False, score, f"unusual {where}")


_LANGUAGE = "en-US"
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}
# The server's categories of rules that do not concern grammar.
_NO_GRAMMAR = {
    "TYPOS", "TYPOGRAPHY", "STYLE", "CASING", "PUNCTUATION", "REDUNDANCY", "PLAIN_ENGLISH",
    "REPETITIONS_STYLE", "WIKIPEDIA", "COLLOQUIALISMS", "GENDER_NEUTRALITY",
}  # fmt: skip


class LanguageTool:
    """A LanguageTool server (https://languagetool.org, HTTP interface v2), one request a sentence.

    Rules about spelling, typography and style are ignored; a sentence with any other match is not
    acceptable.

    Raises:
        CheckerError: an invalid address, or no LanguageTool server there.
    """

    def __init__(self, address: str) -> None:
        self._address = address.rstrip("/").removesuffix("/v2/check").removesuffix("/v2")
        parts = urlsplit(self._address)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise CheckerError("Name a server: languagetool:http://localhost:8081")
        if parts.username or parts.password:
            raise CheckerError(
                "Leave name and password out of the address; it is written to files."
            )
        self.name = f"languagetool:{self._address}"
        software = self._ask("This is a sentence.").get("software")
        version = software.get("version") if isinstance(software, dict) else None
        self.identity = f"languagetool-1-{version or 'unknown'}-{_LANGUAGE}"

    def check(self, texts: Sequence[str]) -> list[Acceptability]:
        """Judge each sentence."""
        return [_from_matches(self._ask(text)["matches"]) for text in texts]

    def _ask(self, text: str) -> dict[str, Any]:
        url = f"{self._address}/v2/check"
        form = urlencode({"text": text, "language": _LANGUAGE}).encode()
        try:
            answer = asyncio.run_coroutine_threadsafe(
                request("POST", url, _FORM, form, timeout=60.0, redirects=True), request_loop()
            ).result()
        except NoAnswerError as error:
            raise CheckerError(
                f"No LanguageTool server answers at {self._address} ({error}); "
                "start one, or check the address."
            ) from error
        if answer.status != 200:
            reason = " ".join(answer.content.decode(errors="replace").split())[:200]
            raise CheckerError(
                f"The server at {self._address} refused a sentence with status "
                f"{answer.status}: {reason or 'no reason given'}."
            )
        try:
            values: dict[str, Any] = json.loads(answer.content)
            if not isinstance(values["matches"], list):
                raise TypeError
        except (ValueError, TypeError, KeyError) as error:
            raise CheckerError(
                f"The server at {self._address} is no LanguageTool server; name its address "
                "without a path, such as languagetool:http://localhost:8081."
            ) from error
        return values


def _from_matches(matches: Sequence[dict[str, Any]]) -> Acceptability:
    for match in matches:
        rule = match.get("rule") or {}
        category = (rule.get("category") or {}).get("id", "")
        if category not in _NO_GRAMMAR:
            return Acceptability(False, reason=f"{rule.get('id', '')}: {match.get('message', '')}")
    return Acceptability(True)


_AT_ONCE = 50  # sentences per process
_EACH = 10  # seconds that a sentence may take
# No drawings, no skipped words, no guesses at misspelt words.
_OPTIONS = ("en", "-graphics=0", "-null=0", "-spell=0", "-panic=0", "-echo=1", f"-timeout={_EACH}")
# If there are many linkages, a random sample is tried; those that violate a rule do not count.
_LINKAGES = re.compile(
    r"^Found \d+ linkages? \((\d+)(?: of \d+ random linkages)? had no P\.P\. violations", re.M
)


class LinkGrammar:
    """Link Grammar's ``link-parser`` (Sleator and Temperley 1991).

    A sentence with a complete linkage is acceptable. That is strict: headlines, fragments and
    unusual words have none, so shares are meaningful only in comparison with one another.

    Raises:
        CheckerError: it is not installed.
    """

    name = "link-grammar"

    def __init__(self) -> None:
        command = shutil.which("link-parser")
        if command is None:
            raise CheckerError(
                "Link Grammar is not installed: apt install link-grammar (Debian, Ubuntu) or "
                "brew install link-grammar; or use the checker acceptability."
            )
        self._command = command
        done = self._run(["--version"], "", _EACH)
        version = re.search(r"link-grammar-(\S+)", done.stdout + done.stderr)
        self.identity = f"link-grammar-1-{version[1].rstrip('.') if version else 'unknown'}"

    def check(self, texts: Sequence[str]) -> list[Acceptability]:
        """Judge each sentence; one that takes too long has no judgement."""
        judgements: list[Acceptability] = []
        for start in range(0, len(texts), _AT_ONCE):
            judgements += self._check_batch(texts[start : start + _AT_ONCE])
        return judgements

    def _check_batch(self, texts: Sequence[str]) -> list[Acceptability]:
        # A line must be neither empty nor a command of the parser.
        lines = [" ".join(text.split()).lstrip("!%*") or "." for text in texts]
        sentences = "".join(f"{line}\n" for line in lines)
        output = self._run(_OPTIONS, sentences, _EACH * len(lines) + 30).stdout
        # The output repeats each sentence before its result; a result may have two lines.
        starts, place = [], 0
        for line in lines:
            start = output.find(f"\n{line}\n", place)
            starts.append(start)
            place = place if start < 0 else start + len(line) + 1
        judgements, end = [], len(output)
        for line, start in zip(reversed(lines), reversed(starts), strict=True):
            found = output[start + len(line) + 1 : end] if start >= 0 else ""
            judgements.append(_from_linkages(found))
            end = start if start >= 0 else end
        return judgements[::-1]

    def _run(
        self, options: Sequence[str], text: str, seconds: float
    ) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(  # noqa: S603 -- sentences go in as input, not as arguments
                [self._command, *options], input=text, capture_output=True, encoding="utf-8",
                errors="replace", timeout=seconds, check=False,
                env={**os.environ, "LC_ALL": "C.UTF-8"},
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CheckerError(f"link-parser cannot be run ({error}).") from error


def _from_linkages(output: str) -> Acceptability:
    sound = [int(number) for number in _LINKAGES.findall(output)]
    if any(sound):
        return Acceptability(True)
    if sound or "No complete linkages found" in output:
        return Acceptability(False, reason="no complete linkage")
    return Acceptability(None, reason="the parser gave no verdict in time")


# Each judges single sentences; ``identity`` names everything that determines a judgement.
Checker = AcceptabilityClassifier | LanguageTool | LinkGrammar
_LOADERS: dict[str, tuple[str, Callable[..., Checker]]] = {
    "acceptability": ("the embedded classifier of acceptable sentences", AcceptabilityClassifier),
    "languagetool": ("a LanguageTool server: languagetool:http://localhost:8081", LanguageTool),
    "link-grammar": ("Link Grammar's parser, if its command link-parser is installed", LinkGrammar),
}
CHECKERS = {kind: about for kind, (about, _) in _LOADERS.items()}


def load_checker(name: str) -> Checker:
    """Load a checker by its name.

    Raises:
        HinterError: the checker is unknown, not installed, or not reachable.
    """
    kind, _, address = name.strip().partition(":")
    if kind not in _LOADERS:
        raise CheckerError(f"There is no checker '{kind}'; use {', '.join(CHECKERS)}.")
    load = _LOADERS[kind][1]
    if kind == "languagetool":
        return load(address)
    if address:
        raise CheckerError(f"The checker {kind} takes no address; leave out what follows it.")
    return load()
