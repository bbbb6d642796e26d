"""The results of a campaign and of a comparison, as tables, reports and figures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from html import escape
from inspect import signature
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from hinter_core.api import frames
from hinter_core.api.checking import Names, verdicts_of
from hinter_core.api.notebook import framed
from hinter_core.campaign.findings import FindingFilter, tested_models
from hinter_core.campaign.frames import mutants_of_campaign, with_nan
from hinter_core.campaign.progress import unanswered, untested_in_words
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.tables import PLACEBO, TIMES, is_placebo
from hinter_core.data.tables import to_json
from hinter_core.errors import InputError, hint
from hinter_core.extensions import METRICS, Extension
from hinter_core.options import listed_names
from hinter_core.report.added import added_sections
from hinter_core.report.compared.comparison import Comparison
from hinter_core.report.compared.sections import comparison_sections
from hinter_core.report.formats import markdown_of, plain, write_report
from hinter_core.report.metrics.priority import asked_in_words
from hinter_core.report.model import ModelReport, Report, make_report
from hinter_core.report.page.html import every_figure, first_screen, style

if TYPE_CHECKING:
    import pandas
    from plotly.graph_objects import Figure


_PLACEBO_ROW = re.compile(rf"{PLACEBO}, order (\d+)")


class CampaignResult:
    """A campaign's results, read from its directory; open it again for later results.

    Attributes:
        models: Names of the models that have answers.
        store: The campaign's files; ``store.folder`` is the directory.
    """

    def __init__(
        self, store: CampaignStore, temporary: TemporaryDirectory[str] | None = None
    ) -> None:
        self.store = store
        self._temporary = temporary  # deleted with this result
        self._metrics: list[Extension] | None = None  # that the content has been computed with
        self.models = tested_models(store, ())

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the campaign by name, as they took effect and stand in its reports."""
        return dict(plain(self.store.campaign()))

    @property
    def texts(self) -> int:
        """Number of texts that were read."""
        return self.content.texts.total()

    @property
    def unanswered(self) -> int:
        """Number of mutants without a usable answer, over all models."""
        return sum(reason.mutants for reason in unanswered(self.store, self.models))

    @property
    def content(self) -> Report:
        """What the reports say, as an object; its fields may change between versions."""
        metrics = METRICS.every()
        if self._metrics is None:
            self._content = make_report(self.store)
        elif metrics != self._metrics:  # one has been added since, or takes another's place
            added = added_sections(self.store, self.models, ())
            self._content = replace(self._content, added=added)
        self._metrics = metrics
        return self._content

    @cached_property
    def rates(self) -> pandas.DataFrame:
        """Error rates with intervals, a row for each model and set of attributes.

        Columns:
            model: name of the model
            attributes: attributes changed; also the sums *atomic*, *intersectional* and *placebo*
            order: number of attributes changed
            mutants: number of mutants
            VERDICT: number of mutants with the verdict *benign*, *biased*, *hidden*, *discarded*
                or *unanswered*
            replacements: number of places changed
            errors_*: kept and answered mutants whose answer changed
            hidden_*: hidden errors, which no smaller change shows, as a share of the errors
            discarded_*: mutants that the invariant discards
            sources_*: texts with an error
            hidden_sources_*: texts with a hidden error
            discarded_asked: discarded mutants that the model answered, with ``discarded=True``
            true_positives: changed answers to kept mutants, where discarded ones were asked
            false_positives: changed answers to discarded mutants
            false_share: share of false positives among both
        """
        return frames.rates_of(self.content)

    @cached_property
    def groups(self) -> pandas.DataFrame:
        """Error rates by the group that mutants were changed to, beside the mean of all groups.

        An error counts whichever way the answer flips, so a high rate may mean that the model
        treats the group of the original text worse.

        Columns:
            model: name of the model
            attributes: attributes changed
            group: group that the text was changed to, one for each attribute
            errors_*: kept and answered mutants whose answer changed
            hidden_*: hidden errors, as a share of the kept and answered mutants and not of the
                errors, as in ``rates``; empty for one attribute
            texts: number of texts
            mean: mean error share of all groups of these attributes
            above: whether the share is above the mean
            p_value: of a one-sided test that it is above, adjusted for the number of groups
        """
        return frames.groups_of(self.content)

    def mutants(
        self,
        *,
        verdict: Names = (),
        attributes: Names = (),
        model: Names = (),
        search: str = "",
        validity: float = 0.0,
    ) -> pandas.DataFrame:
        """Return mutants, a row for each and each model, with the columns of mutants.

        Placebo mutants are left out unless ``attributes`` names them. In a prioritised run, cases
        that were not asked have no verdict.

        Args:
            verdict: Only these verdicts.
            attributes: Only mutants that change exactly these: names, or ``gender × race``. Or a
                row of ``rates``: ``atomic``, ``intersectional``, ``placebo, order 1``; ``placebo``
                means those of all orders.
            model: Only the answers of these models.
            search: Only mutants with this in a changed word, a group, the text or its id.
            validity: Only mutants with this validity score or a higher one.

        Raises:
            HinterError: an unknown verdict, attribute or model, or a damaged table.
        """
        names, orders = self._known(attributes)
        wanted = FindingFilter(verdicts_of(verdict), names, search, validity, orders)
        return mutants_of_campaign(self.store, self.asked(model), wanted)

    def findings(self, verdict: Names = ("hidden", "biased"), **only: Any) -> pandas.DataFrame:
        """Return the mutants of one verdict, or of several; ``only``: as for :meth:`mutants`."""
        require_only("findings", only)
        return self.mutants(verdict=verdict, **only)

    def report(self, format: str = "html") -> str:
        """Return the report as ``html``, ``markdown``, ``csv``, ``json`` or ``latex``.

        Raises:
            InputError: another format.
        """
        return write_report(self.content, format)

    @property
    def figures(self) -> list[str]:
        """Names of the charts, for :meth:`figure`."""
        report = self.content
        return list(dict.fromkeys(n for one in report.models for n in every_figure(report, one)))

    def figure(self, name: str = "errors", model: str = "") -> Figure:
        """Return a chart of the report, of the first model unless another is named.

        Its ``write_html`` writes a file; its ``write_image``, as for a PNG, needs ``kaleido``.

        Raises:
            InputError: an unknown chart or model.
        """
        from plotly.graph_objects import Figure

        report = self.of_model(model)
        drawn = every_figure(self.content, report)
        if name not in drawn:
            raise InputError(f"There is no figure '{name}'; use {', '.join(drawn)}.")
        return Figure(drawn[name])

    def to_fairlearn(
        self, attributes: Names = (), *, model: str = "", truth: str = "answer"
    ) -> dict[str, Any]:
        """Return the arguments of ``fairlearn.metrics.MetricFrame``, but for its ``metrics``.

        Each row is a mutant that was kept and answered, and of a prioritised run belongs to the
        audit: the group that it was changed to by attribute, the model's answer, and what is right.
        ``truth``: ``answer`` (to the unchanged text) or ``label`` (of the data; texts without one
        are left out). ``attributes``: as for :meth:`mutants`.

        Raises:
            InputError: an unknown attribute or model, no such mutant, or no label.
        """
        (chosen, *_) = self.asked(model)
        names, orders = self._known(attributes)
        wanted = FindingFilter(attributes=names, orders=orders)
        mutants = mutants_of_campaign(self.store, [chosen], wanted, rates=True)
        known = tuple(n[:-3] for n in mutants.columns if n.endswith("_to"))
        return frames.for_fairlearn(mutants, [n for n in names if n in known] or known, truth)

    def of_model(self, name: str = "") -> ModelReport:
        """Return what the reports say of one model, of the first unless it is named.

        Raises:
            InputError: an unknown model, or no answers yet.
        """
        (chosen, *_) = self.asked(name)
        for one in self.content.models:
            if one.model == chosen:
                return one
        raise InputError(f"The report has no answers of {chosen} yet; load the campaign again.")

    def asked(self, names: Names) -> list[str]:
        """Return the full names of models that have answers; all without ``names``.

        Raises:
            InputError: an unknown model, or no answers yet.
        """
        given = ([names] if names else []) if isinstance(names, str) else names
        chosen = tested_models(self.store, given)
        if not chosen:
            raise InputError(f"{self.store.folder} has no answers yet; run the campaign first.")
        return chosen

    def _known(self, names: Names) -> tuple[tuple[str, ...], tuple[int, int] | None]:
        """Return attributes, and the least and largest order if a row of rates is named."""
        given = [names] if isinstance(names, str) else names
        wanted = tuple(n for one in given for n in listed_names(one.replace(TIMES.strip(), ",")))
        lines = [line for model in self.content.models for line in model.lines]
        known = {name for line in lines for name in line.attributes}
        if (orders := _orders_of(wanted)) and not known & {*wanted}:
            return tuple(name for name in wanted if name == PLACEBO), orders
        for name in wanted:
            if name not in known and not is_placebo((name,)):
                raise InputError(
                    f"No mutant of this campaign changes '{name}'; it has "
                    f"{', '.join(sorted(known)) or 'none'}. Or name a row of the rates: atomic, "
                    "intersectional, placebo, or placebo, order 1."
                )
        return wanted, None

    def __repr__(self) -> str:
        report = self.content
        lines = [f"Campaign in {self.store.folder}: {report.texts.total():,} texts"]
        lines += filter(None, [report.missing])
        for one in report.models:
            lines.append(one.in_words)
            lines += [asked_in_words(one.priority)] if one.priority else []
        return "\n".join([*lines, *self._lost()])

    def _lost(self) -> list[str]:
        """Say which texts were not tested, and why mutants have no answer."""
        return [
            *untested_in_words(self.store),
            *(
                f"{one.mutants:,} unanswered of {one.model}: {one.in_words}"
                for one in unanswered(self.store, self.models)
            ),
        ]

    def _repr_html_(self) -> str:
        """Show the first screen of the report in a notebook."""
        lost = "".join(f"<p>{escape(line)}</p>" for line in self._lost())
        return framed("Report", f"<main>{first_screen(self.content)}{lost}</main>", style(), 480)


def _orders_of(row: tuple[str, ...]) -> tuple[int, int] | None:
    """Return the least and largest order of a row of rates that sums up sets of attributes."""
    if row == ("atomic",):
        return 1, 1
    if row == ("intersectional",):
        return 2, 99
    order = _PLACEBO_ROW.fullmatch(", ".join(row))
    return (int(order[1]), int(order[1])) if order else None


def require_only(where: str, only: Mapping[str, Any]) -> None:
    """Refuse what :meth:`CampaignResult.mutants` does not take.

    Raises:
        InputError: the message begins with ``where``.
    """
    known = list(signature(CampaignResult.mutants).parameters)[1:]
    if unknown := sorted(set(only) - set(known)):
        meant = hint(unknown, known, f"use {', '.join(known)}.")
        raise InputError(f"{where}: unknown setting {', '.join(unknown)}; {meant}")


class ComparisonResult:
    """Two models, or one model in two campaigns, on the same mutants.

    Attributes:
        first: Name of the first side.
        second: Name of the second side.
        paired: Whether both answered the same mutants; if not, the rates are of different texts.
    """

    def __init__(self, comparison: Comparison) -> None:
        self._found = comparison
        self.first, self.second = comparison.first, comparison.second
        self.paired = comparison.paired

    @cached_property
    def rates(self) -> pandas.DataFrame:
        """Error rates of both sides and their differences, a row for each set of attributes.

        Columns:
            attributes: attributes changed
            errors_first: error share of the first side
            errors_second: error share of the second side
            errors_difference: second minus first
            errors_low: lower end of its 95 % interval
            errors_high: upper end of its 95 % interval
            hidden_first: hidden errors of the first side, as a share of all cases
            hidden_second: hidden errors of the second side, as a share of all cases
            hidden_difference: second minus first
            hidden_low: lower end of its 95 % interval
            hidden_high: upper end of its 95 % interval
            fixed: number of mutants that are errors of the first side alone
            broken: number of mutants that are errors of the second side alone
            p_value: McNemar's exact test of the texts with an error on one side only
            adjusted_p_value: the same, adjusted for the number of rows (Holm)
        """
        import pandas

        rows = []
        for line in self._found.lines:
            row: dict[str, Any] = {"attributes": line.name}
            for name, rates, difference in (
                ("errors", line.errors, line.difference),
                ("hidden", line.hidden, line.hidden_difference),
            ):
                first, second = rates or (None, None)
                row |= {
                    f"{name}_first": first and first.share,
                    f"{name}_second": second and second.share,
                    f"{name}_difference": difference and difference.value,
                    f"{name}_low": difference and difference.low,
                    f"{name}_high": difference and difference.high,
                }
            tests = ("fixed", "broken", "p_value", "adjusted_p_value")
            rows.append(row | {name: getattr(line, name) for name in tests})
        return with_nan(pandas.DataFrame(rows))

    def report(self, format: str = "markdown") -> str:
        """Return the comparison as ``markdown`` or ``json``.

        Raises:
            InputError: another format.
        """
        if format == "json":
            return to_json(plain(self._found), 1)
        if format != "markdown":
            raise InputError(
                f"There is no report of a comparison as '{format}'; use markdown or json."
            )
        return markdown_of("HInter comparison", comparison_sections(self._found))

    def __repr__(self) -> str:
        return f"{self.first} beside {self.second}\n{self.rates.to_string()}"

    def _repr_html_(self) -> str:
        return str(self.rates.to_html())
