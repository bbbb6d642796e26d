"""Several campaigns in one table, with totals: data sets by models (HInter, Table 9).

Campaigns of one identity have the same mutants, so their models share a row.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hinter_core.errors import InputError
from hinter_core.report.formats import plain
from hinter_core.report.model import ModelReport, Report
from hinter_core.report.mutants.unusual import differences, size_of, unusual
from hinter_core.report.section import Cell, Section, names_section, short_names
from hinter_core.statistics.format import hidden_in_words, rate_in_words
from hinter_core.statistics.rates import Rate

ALL = ""  # stands for all campaigns, or all models
_METRICS: dict[str, tuple[str, Callable[[ModelReport], Rate]]] = {
    "A": ("errors of atomic mutants, of cases", lambda one: one.atomic.errors),
    "I": ("errors of intersectional mutants, of cases", lambda one: one.intersectional.errors),
    "H": (
        "hidden errors, of intersectional errors",
        lambda one: one.intersectional.hidden or Rate(0, 0),
    ),
}


@dataclass(frozen=True)
class CampaignTotals:
    """The reports of several campaigns by their names, and the models of all of them.

    Campaigns of one identity are one report, with the models of each.
    """

    reports: dict[str, Report]
    models: list[str]

    def rate(self, metric: str, data: str, model: str) -> Rate:
        """Return a rate of a campaign and a model; ``ALL`` adds up the cases of all.

        Sums have no interval, as models answer the same texts. Without cases, ``of`` is 0.
        """
        rates = [
            _METRICS[metric][1](report_of)
            for name, report in self.reports.items()
            for report_of in report.models
            if data in (name, ALL) and model in (report_of.model, ALL)
        ]
        if data and model and rates:
            return rates[0]
        return Rate(sum(rate.hits for rate in rates), sum(rate.of for rate in rates))


def total(given: Sequence[tuple[Path, Report]]) -> CampaignTotals:
    """Join the reports of several directories.

    Raises:
        InputError: two directories hold answers of one model to the same mutants.
    """
    folders: dict[str, Path] = {}
    joined: dict[str, Report] = {}
    for folder, report in given:
        before = joined.get(report.identity)
        if before is None:
            folders[report.identity], joined[report.identity] = folder, report
            continue
        known = {model.model for model in before.models}
        for model in report.models:
            if model.model in known:
                raise InputError(
                    f"{folders[report.identity]} and {folder} hold answers of {model.model} to the "
                    "same mutants, which would count twice; give one of them."
                )
        joined[report.identity] = replace(before, models=[*before.models, *report.models])
    titles = [report.campaign.title for report in joined.values()]
    reports = {
        report.campaign.title
        if titles.count(report.campaign.title) == 1
        else f"{report.campaign.title} ({folders[identity]})": report
        for identity, report in joined.items()
    }
    models = dict.fromkeys(model.model for report in reports.values() for model in report.models)
    return CampaignTotals(reports, list(models))


def campaigns_sections(totals: CampaignTotals) -> list[Section]:
    """Report the rates of all campaigns and models in one table, and what was tested in another."""
    every = [*totals.models, ALL]
    rows: list[list[Cell]] = [
        [
            data or "All data",
            metric,
            *(rate if rate.of or model == ALL else None for model, rate in rates),
        ]
        for data in (*totals.reports, ALL)
        for metric in _METRICS
        for rates in [[(model, totals.rate(metric, data, model)) for model in every]]
    ]
    words = [f"{metric}: {what}." for metric, (what, _) in _METRICS.items()]
    words.append(
        "Totals add up the cases of a row or column. They have no interval, as the models answer "
        "the same texts; a campaign counts by the number of its cases."
    )
    words += _different_settings(totals)
    errors, hidden = (totals.rate(metric, ALL, ALL) for metric in "IH")
    hides = f"; {hidden_in_words(hidden)}" if hidden.of else ""
    words.append(
        f"All data and models: {rate_in_words(errors)} intersectional mutants changed the answer"
        f"{hides}."
    )
    short = short_names(totals.models)
    columns = ["Data", "Metric", *short.values(), "All models"]
    title = "Error rates of all campaigns"
    full = {new: name for name, new in short.items() if new != name}
    main = Section("campaigns", title, words, columns, rows)
    return [main, *names_section(full), _tested(totals)]


def _different_settings(totals: CampaignTotals) -> Iterator[str]:
    """Warn that a sum is over different tests, and say in which settings each campaign differs."""
    campaigns = [report.campaign for report in totals.reports.values()]
    own = differences([*size_of(one), *unusual(one)] for one in campaigns)
    if any(own):
        named = zip(totals.reports, own, strict=True)
        each = (f"{name}: {'; '.join(words) or 'these at their default'}." for name, words in named)
        yield f"Totals mix different tests, as these settings differ. {' '.join(each)}"


def _tested(totals: CampaignTotals) -> Section:
    rows: list[list[Cell]] = []
    for name, report in totals.reports.items():
        first = report.models[0] if report.models else None
        kinds = [first.atomic.mutants, first.intersectional.mutants] if first else [None, None]
        attributes = ", ".join(report.campaign.attributes)
        rows.append([name, report.labels, report.texts.total(), attributes, *kinds])
    columns = ["Data", "Labels", "Texts", "Attributes", "Atomic mutants", "Intersectional mutants"]
    return Section("campaigns-tested", "What was tested", [], columns, rows)


def campaigns_rows(totals: CampaignTotals) -> Iterator[dict[str, Any]]:
    """Yield each rate as a flat row, totals under the name ``(all)``."""
    for data in (*totals.reports, ALL):
        for model in (*totals.models, ALL):
            for metric in _METRICS:
                rate = totals.rate(metric, data, model)
                if rate.of:
                    yield {
                        "data": data or "(all)", "model": model or "(all)", "metric": metric,
                        **plain(rate),
                    }  # fmt: skip


def campaigns_values(totals: CampaignTotals) -> dict[str, Any]:
    """Return the totals and all reports as plain values."""
    return {
        "totals": list(campaigns_rows(totals)),
        "reports": [{"data": name, **plain(report)} for name, report in totals.reports.items()],
    }
