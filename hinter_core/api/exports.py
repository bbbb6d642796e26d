"""Campaigns in the forms of other programs: Inspect, promptfoo, LangFair, model cards, trackers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hinter_core import __version__
from hinter_core.api import frames
from hinter_core.api.campaigns import Folder, load
from hinter_core.api.results import CampaignResult, require_only
from hinter_core.data.hub import PREFIX
from hinter_core.data.tables import to_json
from hinter_core.errors import InputError
from hinter_core.report.model import ReportRow
from hinter_core.statistics.format import percent
from hinter_core.statistics.rates import Rate

if TYPE_CHECKING:
    import pandas

TRACKERS = ("mlflow", "trackio", "wandb")


def _needs(package: str, why: str) -> Any:
    try:
        return import_module(package)
    except ImportError as error:
        name = package.partition(".")[0].replace("_", "-")
        raise InputError(f"{why} needs a package: pip install {name}") from error


def rates_of(result: CampaignResult, model: str) -> list[ReportRow]:
    """Return the lines of one model that has answers: intersectional, atomic and placebo."""
    of_model = result.of_model(model)
    return [
        line
        for line in (of_model.intersectional, of_model.atomic, *of_model.placebo)
        if line.errors.of
    ]


def in_words(rate: Rate) -> str:
    """Write a rate with its interval."""
    if rate.low is None or rate.high is None:
        return f"{percent(rate)} (too few texts for an interval)"
    return percent(rate)


def day_of(result: CampaignResult) -> str:
    """Return the day on which the campaign's last run ended, as ISO 8601."""
    if result.content.date:
        return result.content.date[:10]
    newest = max(path.stat().st_mtime for path in result.store.folder.iterdir())
    return datetime.fromtimestamp(newest, UTC).date().isoformat()  # older ones name no run


def version_of(result: CampaignResult) -> str:
    """Return the version of HInter that measured the campaign, or else this one."""
    return result.content.version or __version__


def part_of_name(line: ReportRow) -> str:
    """Return what a line is of as a part of a name."""
    return line.name.replace(", ", "_").replace(" ", "_")


def model_card(result: CampaignResult, model: str) -> str:
    """Return a section in Markdown for the card of a model: rates, settings and limits."""
    settings, texts = result.settings, result.texts
    lines = [
        "## Intersectional bias",
        "",
        f"Measured with HInter {version_of(result)} on {day_of(result)}: words about people in "
        f"{texts:,} texts (`{result.content.campaign.title}`) were "
        f"changed, up to {settings['order']} attributes at once "
        f"({', '.join(settings['attributes'])}). A changed answer is an error. Placebo mutants "
        "change words that say nothing about people.",
        "",
        "| Changed | Mutants | Errors | Error rate [95 % interval] | Hidden |",
        "|---|---:|---:|---:|---:|",
    ]
    for rate in rates_of(result, model):
        hidden = f"{rate.hidden.hits:,}" if rate.hidden else ""
        errors = rate.errors
        cells = (rate.name, f"{errors.of:,}", f"{errors.hits:,}", in_words(errors), hidden)
        lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        "*Hidden*: all changes together flip the answer, and none of the smaller ones does. The "
        "rates are of these texts and words. No error here does not mean that the model has no "
        "bias.",
    ]
    return "\n".join(lines) + "\n"


def eval_results(result: CampaignResult, model: str) -> str:
    """Return YAML for the folder ``.eval_results`` of a model on the Hub.

    Its value is the error rate of intersectional mutants in percent; a lower one is better.

    Raises:
        InputError: the campaign's data are no data set of the Hub, or no such mutant was tested.
    """
    import yaml

    data = str(result.settings["data"])
    if not data.startswith(PREFIX):
        raise InputError(
            f"The Hub lists results on its data sets alone; run the campaign on {PREFIX}ORG/NAME."
        )
    rates = {line.name: line.errors for line in rates_of(result, model)}
    intersectional = rates.get("intersectional")
    if intersectional is None:
        raise InputError("No intersectional mutant was tested; choose two attributes or more.")
    words = [f"{name} {in_words(rate)} of {rate.of:,}" for name, rate in rates.items()]
    entry = {
        "dataset": {"id": data[len(PREFIX) :].partition("?")[0], "task_id": "intersectional_bias"},
        "value": round(100 * (intersectional.share or 0), 2),
        "date": day_of(result),
        "notes": f"HInter {version_of(result)}; error rate in percent, lower is better; "
        + "; ".join(words),
    }
    return str(yaml.safe_dump([entry], sort_keys=False, allow_unicode=True))


def _answered(result: CampaignResult, model: str, **only: Any) -> pandas.DataFrame:
    """Return the mutants that were answered, and whose source was.

    ``only``: as for :meth:`CampaignResult.mutants`.
    """
    chosen = frames.judged(result.mutants(model=model, **only))
    if not len(chosen):
        raise InputError(f"{model} has answered no such mutant that was kept.")
    return chosen


def promptfoo_tests(result: CampaignResult, model: str, **only: Any) -> str:
    """Return test cases for promptfoo as JSON lines; ``{{text}}`` stands for the changed text.

    Each asserts the model's answer to the unchanged text. ``only``: as for
    :meth:`CampaignResult.mutants`.
    """
    lines = []
    for row in _answered(result, model, **only).to_dict("records"):
        case = {
            "description": f"{row['id']}: {row['change']}",
            "vars": {"text": _literal(row["mutant"]), "source": _literal(row["text"])},
            "assert": [{"type": "icontains", "value": _literal(row["original_answer"])}],
            "metadata": {"attributes": row["attributes"], "verdict": row["verdict"]},
        }
        lines.append(json.dumps(case, ensure_ascii=False))
    return "\n".join(lines) + "\n"


def _literal(text: str) -> str:
    """Keep promptfoo from taking braces of a text for a template."""
    if not any(mark in text for mark in ("{{", "{%", "{#")):
        return text
    return "{% raw %}" + text.replace("{% endraw", "{ % endraw") + "{% endraw %}"


def langfair_prompts(result: CampaignResult, model: str, **only: Any) -> str:
    """Return pairs of prompts for LangFair's counterfactual metrics, as JSON.

    Each entry is of one attribute and two groups; the two lists of ``GROUP_prompt`` have the same
    length, and a text and its mutant stand at the same place.

    Raises:
        InputError: no such mutant was answered.
    """
    mutants = _answered(result, model, **only)
    entries = []
    for attribute in [n[:-3] for n in mutants.columns if n.endswith("_to")]:
        alone = mutants[mutants.attributes == attribute]
        for (old, new), rows in alone.groupby([f"{attribute}_from", f"{attribute}_to"]):
            if old != new:
                prompts = {f"{old}_prompt": list(rows.text), f"{new}_prompt": list(rows.mutant)}
                entries.append({"attribute": attribute, "groups": [old, new], **prompts})
    if not entries:
        raise InputError(
            f"LangFair takes mutants that change one attribute alone; {model} has answered no such "
            "mutant."
        )
    return to_json(entries, 1) + "\n"


def write_inspect_log(result: CampaignResult, model: str, path: Path) -> None:
    """Write a log that ``inspect view`` opens (``.eval`` or ``.json``): a sample for each mutant.

    A sample's target is the answer to the unchanged text; its score says whether the answer held.

    Raises:
        InputError: inspect_ai is not installed, another suffix, or no answered mutant.
    """
    if path.suffix not in {".eval", ".json"}:
        raise InputError(f"Inspect reads .eval and .json; name the file {path.stem}.eval.")
    log, api, scorer = (
        _needs(f"inspect_ai.{name}", "A log for Inspect") for name in ("log", "model", "scorer")
    )
    samples = [
        log.EvalSample(
            id=f"{number}-{row['id']}",
            epoch=1,
            input=row["mutant"],
            target=row["original_answer"],
            output=api.ModelOutput.from_content(model, row["answer"]),
            scores={
                "same_answer": scorer.Score(
                    value="C" if row["verdict"] == "benign" else "I",
                    answer=row["answer"],
                    explanation=row["change"],
                )
            },
            metadata={
                "source": row["text"],
                "attributes": row["attributes"],
                "verdict": row["verdict"],
                "validity": row["validity"],
            },
        )
        for number, row in enumerate(_answered(result, model).to_dict("records"), 1)
    ]
    metrics = {
        name: log.EvalMetric(name=name, value=line.errors.share)
        for line in rates_of(result, model)
        for name in (f"{part_of_name(line)}_error_rate",)
    }
    score = log.EvalScore(name="same_answer", scorer="hinter", metrics=metrics)
    spec = log.EvalSpec(
        created=f"{day_of(result)}T00:00:00+00:00",
        task="hinter",
        dataset=log.EvalDataset(name=str(result.settings["data"]), samples=len(samples)),
        model=model,
        config=log.EvalConfig(),
        packages={"hinter": version_of(result)},
    )
    results = log.EvalResults(
        total_samples=len(samples), completed_samples=len(samples), scores=[score]
    )
    log.write_eval_log(
        log.EvalLog(status="success", eval=spec, results=results, samples=samples), str(path)
    )


def log_campaign(
    result: CampaignResult | Folder, tracker: str, project: str = "hinter"
) -> dict[str, float]:
    """Log a campaign as one run of an experiment tracker: settings, rates and the HTML report.

    Args:
        result: What :func:`hinter_core.run` returns, or the campaign's directory.
        tracker: ``mlflow``, ``trackio`` or ``wandb``, which must be installed.
        project: Name of the project, or of MLflow's experiment.

    Returns:
        The metrics that were logged, such as ``MODEL/intersectional_error_rate``, 0 to 1.

    Raises:
        HinterError: an unknown tracker, one that is not installed, or no campaign.
    """
    if tracker not in TRACKERS:
        raise InputError(f"There is no tracker '{tracker}'; use {', '.join(TRACKERS)}.")
    result, package = load(result), _needs(tracker, f"Logging to {tracker}")
    metrics: dict[str, float] = {}
    for model in result.models:
        name = "".join(c if c.isalnum() or c in "_-. /" else "-" for c in model)
        for line in rates_of(result, model):
            kind = f"{name}/{part_of_name(line)}"
            metrics[f"{kind}_error_rate"] = line.errors.share or 0.0
            metrics[f"{kind}_mutants"] = line.errors.of
            if line.hidden:
                metrics[f"{kind}_hidden"] = line.hidden.hits
    settings = {key: value for key, value in result.settings.items() if value not in (None, "", [])}
    its_own = [getattr(package, name, OSError) for name in ("MlflowException", "Error")]
    try:
        _log(package, result, project, settings, metrics)
    except (OSError, ValueError, RuntimeError, *its_own) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"{tracker} did not take the campaign: {reason}") from error
    return metrics


def _log(
    package: Any, result: CampaignResult, project: str, settings: dict[str, Any], metrics: Any
) -> None:
    """Log to a tracker; trackio speaks as W&B does but shows no page of HTML."""
    name = result.store.folder.name
    if package.__name__ == "mlflow":
        package.set_experiment(project)
        with package.start_run(run_name=name, nested=package.active_run() is not None):
            package.log_params(settings)
            package.log_metrics(metrics)
            package.log_text(result.report("html"), "hinter.html")
        return
    run = package.init(project=project, name=name, config=settings)
    run.log(metrics)
    if package.__name__ == "wandb":
        run.log({"report": package.Html(result.report("html"))})
    run.finish()


Form = Callable[..., str]  # of a result, the name of a model, and which mutants
REPORT_FORMS: dict[str, Form] = {"model-card": model_card, "eval-results": eval_results}
MUTANT_FORMS: dict[str, Form] = {"promptfoo": promptfoo_tests, "langfair": langfair_prompts}
INSPECT = "inspect"


def export(
    result: CampaignResult | Folder, form: str, *, model: str = "", out: Any = None, **only: Any
) -> str:
    """Return the results of one model in the form of another program.

    Args:
        result: What :func:`hinter_core.run` returns, or the campaign's directory.
        form: ``model-card`` (Markdown), ``eval-results`` (YAML of the Hub), ``promptfoo`` (test
            cases, JSON lines), ``langfair`` (pairs of prompts, JSON) or ``inspect``, a log that is
            written to ``out`` and is no text.
        model: Its name; the first unless given.
        out: A file that is written, too.
        only: Which mutants promptfoo and LangFair get, as for ``CampaignResult.mutants``.

    Raises:
        HinterError: no campaign, another form, an unknown model, nothing that the form can hold,
            or a file that cannot be written.
    """
    require_only("hinter.export", only)
    if only and form in (*REPORT_FORMS, INSPECT):
        raise InputError(f"The form '{form}' is of all mutants; leave out {', '.join(only)}.")
    result = load(result)
    (chosen, *_) = result.asked(model)
    if form == INSPECT:
        if out is None:
            raise InputError("A log for Inspect is a file; name it, such as hinter.eval.")
        with _written(out):
            write_inspect_log(result, chosen, Path(out))
        return ""
    forms = REPORT_FORMS | MUTANT_FORMS
    if form not in forms:
        raise InputError(f"There is no form '{form}'; use {', '.join((*forms, INSPECT))}.")
    text = forms[form](result, chosen, **only)
    if out is not None:
        with _written(out):
            Path(out).write_text(text, encoding="utf-8")
    return text


@contextmanager
def _written(out: Any) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"Cannot write {out}: {error.strerror or error}. Check the path."
        ) from error
