"""Data sets of the Hugging Face Hub by name: ``hf:ORG/NAME?config=...&split=...&revision=...``.

A name is pinned to one commit before a campaign begins, so that a resumed run meets the same rows.
Some well-known data sets have a short name of their own (:data:`PRESETS`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from hinter_core.errors import InputError, ModelError
from hinter_core.models.naming import Option, read_name, write_name

PREFIX = "hf:"
_OPTIONS = (
    Option("config", "", "The part of the data set, where it has several."),
    Option("split", "", "train, test, ...; not given: test, or the only one there is."),
    Option("revision", "", "A commit, tag or branch; not given: what is there now."),
)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SECONDS = 10.0  # to wait for the Hub before one is told that it does not answer


@dataclass(frozen=True, slots=True)
class HubName:
    """A data set of the Hub, one of its configurations and splits, at one revision."""

    repo: str
    config: str = ""
    split: str = ""
    revision: str = ""

    @property
    def pinned(self) -> bool:
        """Whether the revision is a commit, which cannot change."""
        return bool(_COMMIT.fullmatch(self.revision))

    def __str__(self) -> str:
        values = {"config": self.config, "split": self.split, "revision": self.revision}
        return write_name("hf", self.repo, values, _OPTIONS)


@dataclass(frozen=True, slots=True)
class Preset:
    """A data set of the papers under a short name.

    ``text`` and ``label`` are its columns; ``labels`` gives better names to labels.
    """

    name: str
    of: HubName
    text: str
    label: str
    about: str
    labels: Mapping[str, str] = field(default_factory=dict)


def _lex_glue(
    config: str, label: str, about: str, labels: Mapping[str, str] | None = None
) -> Preset:
    of = HubName("coastalcph/lex_glue", config, "test")
    return Preset(f"lex_glue/{config}", of, "text", label, about, labels or {})


# The Hub names articles of the Convention by number only ...
_ARTICLES = {a: f"Article {a}" for a in ("2", "3", "5", "6", "8", "9", "10", "11", "14")}
_ARTICLES["P1-1"] = "Protocol 1, Article 1"
# ... and the Supreme Court's issue areas as its database numbers them.
_ISSUES = (
    "Criminal Procedure", "Civil Rights", "First Amendment", "Due Process", "Privacy", "Attorneys",
    "Unions", "Economic Activity", "Judicial Power", "Federalism", "Interstate Relations",
    "Federal Taxation", "Miscellaneous", "Private Action",
)  # fmt: skip
_AREAS = {str(number): issue for number, issue in enumerate(_ISSUES, start=1)}

PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            "imdb", HubName("stanfordnlp/imdb", "", "test"), "text", "label",
            "film reviews, positive or negative", {"neg": "negative", "pos": "positive"},
        ),
        _lex_glue("ecthr_a", "labels", "European human rights cases: articles violated", _ARTICLES),
        _lex_glue("ecthr_b", "labels", "the same cases: articles that were claimed", _ARTICLES),
        _lex_glue("scotus", "label", "US Supreme Court opinions: issue area", _AREAS),
        _lex_glue("eurlex", "labels", "EU laws: EuroVoc concepts, by their numbers"),
        _lex_glue("ledgar", "label", "contract provisions: their subject"),
    )
}  # fmt: skip


def on_hub(data: str) -> bool:
    """Whether a campaign's ``data`` names a data set of the Hub."""
    return data.startswith(PREFIX) or data.partition("?")[0] in PRESETS


def read_hub_name(data: str) -> HubName:
    """The data set that ``data`` names: ``hf:...``, or a preset, which may have options too.

    Raises:
        InputError: no name, or an option that there is not.
    """
    short, _, options = data.partition("?")
    preset = PRESETS.get(short)
    try:
        name = read_name(data if preset is None else f"hf:x?{options}", _OPTIONS)
    except ModelError as error:
        raise InputError(str(error)) from error
    given = HubName(name.source, *(name.string(option.name) for option in _OPTIONS))
    if preset is not None:
        given = replace(
            preset.of,
            config=given.config or preset.of.config,
            split=given.split or preset.of.split,
            revision=given.revision,
        )
    if not given.repo:
        raise InputError(f"Name the data set in '{data}': hf:ORG/NAME, as on its page of the Hub.")
    return given


def preset_of(name: HubName) -> Preset | None:
    """What is known of a data set beforehand: its columns and the names of its labels."""
    same = (p for p in PRESETS.values() if (p.of.repo, p.of.config) == (name.repo, name.config))
    return next(same, None)


def pin(name: HubName) -> HubName:
    """The same name at the commit that its revision stands for now.

    Raises:
        InputError: the Hub has no such data set, or not for you, or cannot be reached; or a folder
            of that name lies here.
    """
    if Path(name.repo).exists():  # datasets would read it in place of the Hub's
        raise InputError(
            f"'{name.repo}' is on this machine, too, and would be read in place of the data set of "
            "the Hub; start from another directory, or give the path of a file in it as data."
        )
    from huggingface_hub import HfApi
    from huggingface_hub.errors import GatedRepoError, HFValidationError, RepositoryNotFoundError
    from huggingface_hub.errors import RevisionNotFoundError as NoRevisionError

    try:
        found = HfApi().dataset_info(name.repo, revision=name.revision or None, timeout=_SECONDS)
    except GatedRepoError as error:
        raise gated(name) from error
    except NoRevisionError as error:
        raise InputError(
            f"The data set '{name.repo}' has no revision '{name.revision}' (any more); its page on "
            "the Hub lists those there are. What a campaign has done stays; it cannot go on with "
            "other rows, so start another directory."
        ) from error
    except (RepositoryNotFoundError, HFValidationError) as error:
        raise InputError(
            f"There is no data set '{name.repo}' that you may read; check the name (hf:ORG/NAME) "
            "and, for a private or gated one, log in with: hf auth login"
        ) from error
    except Exception as error:  # whatever keeps us from the Hub
        raise unreachable(name, error) from error
    return replace(name, revision=str(found.sha))


def as_before(data: str, noted: str) -> str:
    """``data``, if it names no revision, at the commit where ``noted`` had the same data set."""
    if on_hub(data) and on_hub(noted):
        given, before = read_hub_name(data), read_hub_name(noted)
        if not given.revision and replace(given, revision=before.revision) == before:
            return str(before)
    return data


def moved(noted: str, data: str) -> str:
    """In words, that ``data`` is ``noted`` at another commit; empty where it is not."""
    if not (on_hub(noted) and on_hub(data)):
        return ""
    before, now = read_hub_name(noted), read_hub_name(data)
    if before == now or replace(now, revision=before.revision) != before:
        return ""
    return (
        f"the data set has changed since: it was at {before.revision} and now is at "
        f"{now.revision}; add &revision={before.revision} to go on with the rows there were"
    )


def gated(name: HubName) -> InputError:
    """The error for a data set that asks for terms to be accepted."""
    return InputError(
        f"The data set '{name.repo}' is gated: accept its terms on its page of the Hugging Face "
        "Hub, and log in with: hf auth login"
    )


def unreachable(name: HubName, error: Exception) -> InputError:
    """The error for a Hub that does not answer."""
    why = type(error).__name__
    return InputError(
        f"The Hugging Face Hub cannot be reached for the data set '{name.repo}' ({why}); check "
        "your network, or download the data set and give its file as data."
    )
