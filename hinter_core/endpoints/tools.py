"""The endpoints: what programs may call, wherever HInter runs.

The docstrings are what programs and agents read of them; each argument has one line. The place
that serves them says what may be named there and where campaigns lie.
"""

import inspect
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from cachetools import LRUCache

from hinter_core.api.checking import WORST, CheckResult, verdicts_of
from hinter_core.campaign.findings import FindingFilter, Side, page_of_findings
from hinter_core.campaign.progress import KINDS, CampaignProgress
from hinter_core.campaign.tables import shifted
from hinter_core.endpoints.answers import (
    around_change,
    first_row,
    names_of,
    number_of,
    page,
    plain,
    short,
    text_of,
)
from hinter_core.errors import HinterError, InputError
from hinter_core.mutation.edits import changes_in_words
from hinter_core.types import Verdict

if TYPE_CHECKING:
    import pandas

    from hinter_core.api.results import CampaignResult

MOST_TEXTS = 20  # of a scan
MOST_MUTANTS = 500  # of one text
MOST_SAMPLE = 10_000  # texts of a campaign
_REMEMBERED = 16  # results whose other pages may be asked for
_SHOWN = ("verdict", "change", "attributes", "answer", "shift", "validity", "reason")
_RATES = (
    "model", "attributes", "mutants", "errors_hits", "errors_of", "errors_share", "errors_low",
    "errors_high", "hidden_hits", "hidden_share",
)  # fmt: skip
_SENTENCE = 600  # characters of a refusal
_ORDER = re.compile(r", or change one (attribute )?alone \(order 1\)")  # no tool has an order
_REASONS = 3  # for missing answers
_PAGE = 40  # rows that are read for one answer

Table = list[dict[str, Any]]


@dataclass(frozen=True)
class NewCampaign:
    """A campaign that a program starts; ``texts`` are tested in place of ``data``."""

    models: tuple[str, ...]
    attributes: tuple[str, ...]
    data: str
    texts: tuple[str, ...]
    sample: int
    limit: int

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of a campaign, without its data."""
        return {
            "models": self.models, "attributes": self.attributes, "sample": self.sample,
            "order": min(2, len(self.attributes) or 2), "limit": self.limit,
        }  # fmt: skip

    def write_texts(self, folder: Path) -> Path:
        """Write the texts to a file in a folder."""
        path = folder / "texts.jsonl"
        rows = (json.dumps({"text": text}) for text in self.texts)
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")
        return path


@dataclass(frozen=True)
class CampaignState:
    """The state of a campaign in a word, how far it is, and why it failed, if it did."""

    state: str
    seen: CampaignProgress
    problem: str = ""
    seconds_left: float | None = None


class Place(Protocol):
    """Where a call is served, and for whom.

    ``remembers`` is whether the answers of this call may be kept for its other pages.
    """

    remembers: bool

    def check(self, text: str, attributes: tuple[str, ...], model: str, limit: int) -> CheckResult:
        """Judge all mutants of a text, up to the limit."""

    def mutants(self, text: str, attributes: tuple[str, ...], limit: int) -> "pandas.DataFrame":
        """Return all mutants of a text, up to the limit."""

    def models(self) -> Table:
        """Return the names of models that can be given here, each with what it is."""

    def start(self, wanted: NewCampaign) -> str:
        """Start a campaign; return its name."""

    def state(self, campaign: str) -> CampaignState:
        """Return how far a campaign is."""

    def open(self, campaign: str) -> "CampaignResult":
        """Open the results of a campaign."""

    def progress(self, done: int, of: int, what: str) -> None:
        """Tell the caller how far a call is."""


_kept: LRUCache[tuple[Any, ...], tuple[dict[str, Any], Table]] = LRUCache(_REMEMBERED)
_lock = Lock()


def check(
    place: Place,
    text: str,
    attributes: list[str] = ["race", "gender"],
    model: str = "embedded",
    limit: int = 200,
    verdict: list[str] = ["hidden", "biased"],
    cursor: str = "",
) -> dict[str, Any]:
    """Change the words about a person in a text, and see whether a model's answer flips.

    Hidden means that only several changes together flip it. Counts are of all changed texts.
    Unanswered, if there, says why the model gave how many of them no answer.

    Args:
        text: One English text about a person.
        attributes: Sensitive attributes to change, such as race, gender, body, age, religion.
        model: Name of the model under test; the tool `models` lists names.
        limit: Maximum number of intersectional mutants, at most 500.
        verdict: Which mutants to return: hidden, biased, benign, discarded, unanswered.
        cursor: Value `next` of the answer before, for more mutants of the same call.
    """
    first, wanted = first_row(cursor), verdicts(verdict)
    head, rows = _checked(
        place, text, names_of(attributes, "attributes"), model, limit, more=first > 0
    )
    shown = [row for row in rows if row["verdict"] in wanted]
    return page(head, "mutants", shown, first)


def scan(
    place: Place,
    texts: list[str],
    attributes: list[str] = ["race", "gender"],
    model: str = "embedded",
    limit: int = 50,
    cursor: str = "",
) -> dict[str, Any]:
    """Check several texts, and say for each how many changes flip a model's answer.

    Args:
        texts: At most 20 English texts about people.
        attributes: Sensitive attributes to change, such as race, gender, body, age, religion.
        model: Name of the model under test; the tool `models` lists names.
        limit: Maximum number of intersectional mutants of a text, at most 500.
        cursor: Value `next` of the answer before, for the rest of the same texts.
    """
    if not isinstance(texts, list) or not 1 <= len(texts) <= MOST_TEXTS:
        raise InputError(f"texts is a list of 1 to {MOST_TEXTS} texts; use run for more.")
    named, first = names_of(attributes, "attributes"), first_row(cursor)
    model, limit = text_of(model, "model"), number_of(limit, "limit", MOST_MUTANTS)
    rows: Table = []
    for number, text in enumerate(texts, 1):
        place.progress(number - 1, len(texts), "texts")
        try:
            head, changes = _checked(place, text, named, model, limit, more=first > 0)
        except InputError as error:  # one bad text never ends a scan
            said = text if isinstance(text, str) else ""
            rows.append({"number": number, "text": short(said, 80), "error": str(error)})
            continue
        row = {"number": number, "text": short(head["text"], 80), "answer": head["answer"],
               "counts": head["counts"]}  # fmt: skip
        if changes and changes[0]["verdict"] in ("hidden", "biased"):
            row["flips"] = f"{changes[0]['change']}: {changes[0]['answer']}"
        if "unanswered" in head:
            row["unanswered"] = head["unanswered"]
        rows.append(row)
    hidden = sum(row.get("counts", {}).get("hidden", 0) > 0 for row in rows)
    return page({"model": short(model), "texts_with_hidden_bias": hidden}, "texts", rows, first)


def mutants(
    place: Place,
    text: str,
    attributes: list[str] = ["race", "gender"],
    limit: int = 200,
    cursor: str = "",
) -> dict[str, Any]:
    """Change the words about a person in an English text in all ways, without asking a model.

    Args:
        text: One English text about a person.
        attributes: Sensitive attributes to change, such as race, gender, body, age, religion.
        limit: Maximum number of intersectional mutants, at most 500.
        cursor: Value `next` of the answer before, for more mutants of the same text.
    """
    first, most = first_row(cursor), number_of(limit, "limit", MOST_MUTANTS)
    frame = place.mutants(text_of(text, "text"), names_of(attributes, "attributes"), most)
    rows = [
        {"change": one["change"], "attributes": one["attributes"], "kept": one["kept"],
         "validity": one["validity"], **({"reason": one["reason"]} if one["reason"] else {}),
         "mutant": around_change(one["text"], one["mutant"])}
        for one in frame.iloc[first : first + _PAGE].to_dict("records")
    ]  # fmt: skip
    head = {"text": short(text), "kept": int(frame["kept"].sum())}
    return page(head, "mutants", rows, first, len(frame))


def models(place: Place, cursor: str = "") -> dict[str, Any]:
    """List the models that can be tested here, by the names that the other tools take.

    Args:
        cursor: Value `next` of the answer before, for more models.
    """
    first = first_row(cursor)
    return page({}, "models", place.models(), first)


def run(
    place: Place,
    models: list[str] = ["embedded"],
    attributes: list[str] = ["race", "gender"],
    data: str = "sample",
    texts: list[str] = [],
    sample: int = 20,
    limit: int = 20,
) -> dict[str, Any]:
    """Start a campaign: test models on a whole data set, in the background.

    It goes on when the call has returned; ask `status` for its progress.

    Args:
        models: Names of the models under test; the tool `models` lists names.
        attributes: Sensitive attributes to change, such as race, gender, body, age, religion.
        data: The texts: sample, or a data set of the Hugging Face Hub as hf:ORG/NAME.
        texts: Your own texts in place of data, at most 500.
        sample: Maximum number of texts, drawn at random; at most 500 on a public host.
        limit: Maximum number of intersectional mutants of a text (500; on a public host 100).
    """
    if not isinstance(texts, list | tuple) or len(texts) > MOST_MUTANTS:
        raise InputError(f"texts is a list of at most {MOST_MUTANTS} texts.")
    given = tuple(text_of(one, "Each of texts") for one in texts)
    wanted = NewCampaign(
        names_of(models, "models"),
        names_of(attributes, "attributes"),
        text_of(data, "data"),
        given,
        number_of(sample, "sample", MOST_SAMPLE),
        number_of(limit, "limit", MOST_MUTANTS),
    )
    name = place.start(wanted)
    return {"campaign": name, "then": "Ask status with this campaign until its state is done."}


def status(place: Place, campaign: str) -> dict[str, Any]:
    """Say how far a campaign is, and what it has found so far.

    Mutants are all; counts are by model, without its neutral swaps, of which `neutral_swaps` is
    the number.

    Args:
        campaign: Name of the campaign, as `run` returned it.
    """
    state = place.state(text_of(campaign, "campaign"))
    seen = state.seen
    counts = {
        short(model, 80): {
            verdict.value: sum(counts[kind, verdict.value] for kind in KINDS[:3])
            for verdict in Verdict
        }
        for model, counts in list(seen.verdicts.items())[:8]
    }
    swaps = {
        short(model, 80): sum(n for (kind, _), n in verdicts.items() if kind not in KINDS[:3])
        for model, verdicts in list(seen.verdicts.items())[:8]
    }
    left = state.seconds_left
    return plain(
        {"campaign": campaign, "state": state.state, "texts_done": seen.done, "texts": seen.texts,
         "mutants": seen.mutants, "counts": counts, "neutral_swaps": swaps,
         "seconds_left": left if left is None else int(left), "problem": state.problem}
    )  # fmt: skip


def findings(
    place: Place,
    campaign: str,
    verdict: list[str] = ["hidden"],
    model: str = "",
    attributes: list[str] = [],
    search: str = "",
    cursor: str = "",
) -> dict[str, Any]:
    """Return the mutants of a campaign that changed a model's answer, or those of other verdicts.

    Args:
        campaign: Name of the campaign, as `run` returned it.
        verdict: Which mutants to return: hidden, biased, benign, discarded, unanswered.
        model: Name of one of its models; default: its first.
        attributes: Only mutants that change exactly these attributes.
        search: Only mutants with this in a changed word, a group, or the text.
        cursor: Value `next` of the answer before, for more.
    """
    result = place.open(text_of(campaign, "campaign"))
    chosen = text_of(model, "model") or next(iter(result.models), "")
    if chosen not in result.models:
        names = ", ".join(result.models)
        raise InputError(
            f"The campaign has no answers of the model '{short(chosen, 80)}'; it has {names}."
            if names
            else "The campaign has no answers yet; ask status until it is done."
        )
    wanted = FindingFilter(
        verdicts(verdict), names_of(attributes, "attributes"), text_of(search, "search")[:200]
    )
    side, first = Side(result.store, chosen), first_row(cursor)
    records, total = page_of_findings(side, wanted, first, _PAGE)
    rows = [
        {"row": one.row, "verdict": one.verdict,
         "change": changes_in_words(one.edits),
         "original_answer": ", ".join(one.original),
         "answer": ", ".join(one.labels or ()) + shifted(one.answer.moved),
         "mutant": around_change(one.text, one.mutant)}
        for one in records
    ]  # fmt: skip
    return page({"campaign": campaign, "model": short(chosen, 80)}, "findings", rows, first, total)


def report(place: Place, campaign: str, cursor: str = "") -> dict[str, Any]:
    """Return the error rates of a campaign with 95 % intervals, by model and attributes.

    Args:
        campaign: Name of the campaign, as `run` returned it.
        cursor: Value `next` of the answer before, for more rows.
    """
    first, result = first_row(cursor), place.open(text_of(campaign, "campaign"))
    rates = result.rates
    if rates.empty:
        raise InputError("The campaign has no answers yet; ask status until it is done.")
    rows = [{name: row[name] for name in _RATES} for row in rates.to_dict("records")]
    head = {"campaign": campaign, "unanswered": result.unanswered}
    return page(head, "rates", rows, first)


TOOLS: tuple[Callable[..., dict[str, Any]], ...] = (
    check, scan, mutants, models, run, status, findings, report,
)  # fmt: skip


def described(tool: Callable[..., Any]) -> str:
    """Return what a tool does, without its arguments."""
    about = inspect.getdoc(tool) or ""
    return " ".join(about.partition("Args:")[0].split())


def schema_of(tool: Callable[..., Any]) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments, with what its docstring says of them."""
    lines = (inspect.getdoc(tool) or "").partition("Args:")[2].splitlines()
    said = dict(line.strip().split(": ", 1) for line in lines if ": " in line)
    kinds: dict[Any, dict[str, Any]] = {
        str: {"type": "string"}, int: {"type": "integer"},
        list[str]: {"type": "array", "items": {"type": "string"}},
    }  # fmt: skip
    _, *parameters = inspect.signature(tool).parameters.values()
    properties: dict[str, Any] = {}
    for one in parameters:
        properties[one.name] = {**kinds[one.annotation], "description": said[one.name]}
        if one.default is not one.empty:
            properties[one.name]["default"] = one.default
    required = [one.name for one in parameters if one.default is one.empty]
    return {"type": "object", "properties": properties, "required": required}


def called(tool: Callable[..., dict[str, Any]], place: Place, given: Any) -> dict[str, Any]:
    """Call a tool with what a program sent.

    Raises:
        HinterError: an argument is missing, unknown or wrong, or the tool refuses.
    """
    schema = schema_of(tool)
    known, needed = schema["properties"], schema["required"]
    for name in given:
        if name not in known:
            raise InputError(
                f"{tool.__name__} has no argument '{short(name, 40)}'; it has {', '.join(known)}."
            )
    for name in needed:
        if name not in given:
            raise InputError(f"{tool.__name__} needs the argument {name}.")
    try:
        return tool(place, **given)
    except HinterError as error:
        said = _ORDER.sub("", " ".join(str(error).split()))
        raise InputError(short(said, _SENTENCE)) from error


def verdicts(given: object) -> tuple[str, ...]:
    """Read the names of verdicts.

    Raises:
        InputError: one of them is none.
    """
    names = [short(name, 40) for name in names_of(given, "verdict")]
    return verdicts_of(names) or tuple(one.value for one in Verdict)


def _checked(
    place: Place,
    text: object,
    attributes: tuple[str, ...],
    model: object,
    limit: object,
    *,
    more: bool,
) -> tuple[dict[str, Any], Table]:
    """Return what is said of a checked text, and the rows of its mutants, the worst first.

    ``more``: the call asks for further rows of one before, whose result is kept.
    """
    words, name = text_of(text, "text"), text_of(model, "model").strip()
    most = number_of(limit, "limit", MOST_MUTANTS)
    key = (words, attributes, name, most)
    with _lock:
        kept = _kept.get(key) if place.remembers and more else None
    if kept:
        return kept
    result = place.check(words, attributes, name, most)
    records = result.mutants().to_dict("records")
    records.sort(key=lambda row: (WORST.index(row["verdict"]), -abs(row["shift"] or 0.0)))
    rows = [
        {name: row[name] for name in _SHOWN if row[name] not in ("", None)}
        | {"mutant": around_change(row["text"], row["mutant"])}
        for row in records
    ]
    head = plain(
        {"text": short(result.text), "model": name, "answer": ", ".join(result.answer),
         "counts": result.counts}
    )  # fmt: skip
    if reasons := list(result.unanswered.items())[:_REASONS]:
        head["unanswered"] = {short(why, 200): number for why, number in reasons}
    if notices := result.notices[:2]:
        head["notices"] = [short(notice, 200) for notice in notices]
    if place.remembers:
        with _lock:
            _kept[key] = head, rows
    return head, rows
