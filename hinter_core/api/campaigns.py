"""Run a campaign, open one, and compare two."""

from __future__ import annotations

import reprlib
import warnings
from collections.abc import Callable, Sequence
from os import PathLike
from tempfile import TemporaryDirectory
from typing import Any

from hinter_core.api.checking import Names, settings_of
from hinter_core.api.inputs import named_data
from hinter_core.api.models import named_models
from hinter_core.api.results import CampaignResult, ComparisonResult
from hinter_core.campaign.findings import choose_sides
from hinter_core.campaign.parquet import StoreError
from hinter_core.campaign.preview import labels_in_words
from hinter_core.campaign.running.journal import repeating
from hinter_core.campaign.running.on_ray import engine_named
from hinter_core.campaign.running.run import RunProgress, plan_run, run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import InputError
from hinter_core.extensions import RELATIONS
from hinter_core.models.registry import DEFAULT_THRESHOLD, added_model
from hinter_core.places import place_of
from hinter_core.report.compared.comparison import compare as compare_sides

Folder = str | PathLike[str]
OnProgress = Callable[[RunProgress], None]


def run(
    data: Any = None,
    models: Any = "embedded",
    attributes: Names | None = None,
    *,
    out: Folder | None = None,
    identity: str = "",
    labels: Sequence[str] = (),
    multi: bool = False,
    threshold: float = DEFAULT_THRESHOLD,
    resume: bool = False,
    retry_failed: bool = False,
    engine: str = "local",
    gpus: float = 0.0,
    on_progress: OnProgress | None = None,
    **settings: Any,
) -> CampaignResult:
    """Test models on all texts of a data set.

    Args:
        data: A file, ``sample``, a data set of the Hub (``hf:ORG/NAME``), a DataFrame
            (its index gives ids if it has no column of them), a ``datasets.Dataset``, or a list of
            texts or rows.
        models: A model or a list of them, each as for :func:`hinter_core.check`.
        attributes: Sensitive attributes to change; by default race and gender.
        out: The campaign's directory; without it, one that lasts as long as the result.
        identity: Names the version of a model that is an object. A campaign goes on only with
            models whose identity is known.
        labels: Labels in the order of the scores, if the model's answers do not name them.
        multi: Whether several labels may apply to one text.
        threshold: Score from which a label applies, with ``multi``.
        resume: Continue the campaign in the directory.
        retry_failed: Repeat requests without an answer.
        engine: What runs the ``workers``: processes of this machine (``local``), or ``ray``.
        gpus: GPUs of each worker on Ray, also a part of one, such as 0.5.
        on_progress: Called after each unit of work.
        settings: Of the campaign: ``text_column``, ``sample``, ``order``, ``limit``, ``seed``, ...

    Raises:
        HinterError: bad input; the message says what to do.
    """
    opened = engine_named(engine, gpus)
    temporary = TemporaryDirectory(prefix="hinter-") if out is None else None
    folder = place_of(temporary.name if temporary else out or "")
    with (
        named_data(data) as source,
        named_models(
            models, identity=identity, labels=labels, multi=multi, threshold=threshold
        ) as names,
    ):
        given = {**({"data": source} if source else {}), **settings, "models": names}
        campaign = settings_of("hinter.run", attributes, given)
        if opened or campaign.workers > 1:
            _require_shared(campaign)
        store = CampaignStore(folder)
        running = prepare_run(campaign, store, resume=resume, retry_failed=retry_failed)
        work = plan_run(campaign, running)
        for line in labels_in_words(work.table):
            warnings.warn(line, stacklevel=2)
        told = on_progress or (lambda _: None)
        done = run_campaign(campaign, running, work, on_progress=told, engine=opened)
        for name in done.renewed:
            warnings.warn(renewed_in_words(name), stacklevel=2)
    return CampaignResult(store, temporary)


def renewed_in_words(name: str) -> str:
    """Say that a model is another one than in the run before."""
    of_python = name.startswith("python:")
    why = " (its file, or one beside it that it imports, has changed)" * of_python
    return (
        f"{name} is another model than in the run before{why}, so it is asked about all mutants "
        "again. The answers of the former one stay in the directory and do not count."
    )


def prepare_run(
    campaign: Campaign, store: CampaignStore, *, resume: bool, retry_failed: bool
) -> CampaignStore:
    """Refuse to go on with a campaign by accident; return the store for its run.

    Raises:
        HinterError: a campaign is there that is not to be continued, or cannot be.
    """
    mine = any(map(store.owns, store.known()))
    if mine and not (resume or retry_failed):  # without a complete shard, it continues
        raise StoreError(
            f"{store.folder} already holds a campaign; add --resume (in Python, resume=True) to "
            "continue it."
        )
    for name in campaign.models if store.known() else ():
        added = added_model(name)
        if added and not (added.package or added.options.get("identity")):
            raise InputError(
                f"The model '{name}' has no identity, so it cannot be told whether it gave the "
                "answers in this directory; give identity='NAME-AND-VERSION' from the first run "
                "on, or another directory."
            )
    if not (retry_failed or mine):
        return store
    store.open(campaign)
    return repeating(store, campaign.models, over_budget=not retry_failed)


def _require_shared(campaign: Campaign) -> None:
    """Refuse several processes with models or relations that only this one knows."""
    model, package = "name it python:MODULE:NAME", "put it into a package, as its entry point"
    of_models = [(added_model(name), "model", model) for name in campaign.models]
    of_relations = [(RELATIONS.find(name), "relation", package) for name in campaign.relations]
    for added, kind, cure in of_models + of_relations:
        if added and not added.package:
            raise InputError(
                f"The {kind} '{added.name}' is in this process alone; leave out workers and "
                f"engine, or {cure}."
            )


def load(directory: CampaignResult | Folder) -> CampaignResult:
    """Open a campaign's directory; a result stays as it is.

    Raises:
        HinterError: it is no campaign, or damaged.
    """
    if isinstance(directory, CampaignResult):
        return directory
    if not isinstance(directory, str | PathLike):
        raise InputError(
            f"{reprlib.repr(directory)} is no campaign; give its directory, or what hinter.run "
            "returned."
        )
    return CampaignResult(CampaignStore(place_of(directory)))


def compare(
    first: CampaignResult | Folder,
    second: CampaignResult | Folder | None = None,
    models: Names = (),
) -> ComparisonResult:
    """Compare two campaigns, or two models of one, on the mutants that both answered.

    ``models``: one name for both sides, or one for each; needed where there is a choice.

    Raises:
        HinterError: no campaign, an unknown model, or nothing in common.
    """
    one, other = load(first).store, None if second is None else load(second).store
    names = [models] if isinstance(models, str) else list(models)
    return ComparisonResult(compare_sides(*choose_sides(one, other, names)))
