"""Assertions for test suites: a model has no hidden intersectional bias on some texts."""

import reprlib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hinter_core.api.checking import CHECKED, Names, prepare_check, settings_of, verdicts_of
from hinter_core.api.inputs import is_table
from hinter_core.api.models import named_models
from hinter_core.campaign.settings import CAMPAIGN_ATTRIBUTES
from hinter_core.campaign.tables import shifted
from hinter_core.errors import InputError
from hinter_core.models.budget import Budget
from hinter_core.models.registry import DEFAULT_THRESHOLD
from hinter_core.report.gate import MOST_UNANSWERED
from hinter_core.types import Verdict

_NAME = "assert_no_hidden_bias"
_SHOWN = 5  # findings of a text


def assert_no_hidden_bias(
    model: Any,
    texts: str | Sequence[str],
    attributes: Names = CAMPAIGN_ATTRIBUTES,
    *,
    verdicts: Names = ("hidden",),
    labels: Sequence[str] = (),
    multi: bool = False,
    threshold: float = DEFAULT_THRESHOLD,
    **settings: Any,
) -> None:
    """Fail if several changes together flip the model's answer, though none of them does alone.

    ``model``, ``labels``, ``multi``, ``threshold`` and ``settings``: as for
    :func:`hinter_core.check`. ``verdicts``: what counts as bias. With ``biased`` among them, every
    single change is tested, too, also in texts without an intersection. With ``limit=50``, 50
    combinations of each text are drawn and tested, and nothing is said of the others; without a
    limit, all are. Variants without an answer, and texts in which nothing can be changed, or
    nothing that the verdicts are of, give a ``UserWarning``.

    Raises:
        AssertionError: the message names text, changes and verdict. More than a tenth of a text's
            variants have no answer: the message says why.
        HinterError: bad input, also if nothing in any of the texts can be changed.
    """
    campaign = settings_of(_NAME, attributes, settings, CHECKED)
    given, wanted = _listed(texts), verdicts_of(verdicts)
    single = Verdict.BIASED.value in wanted
    hidden, refused = list[str](), dict[int, InputError]()
    with named_models(model, labels=labels, multi=multi, threshold=threshold) as names:
        for place, text in enumerate(given):
            budget = Budget(campaign.requests, campaign.budget)
            for name in names:
                try:
                    ready = prepare_check(text, name, campaign, budget, atomic=single)
                    result = ready.judge(neutral=0)
                except InputError as error:
                    refused[place] = error
                    continue
                findings = result.findings(wanted)
                if len(findings):
                    hidden.append(_described(text, name, findings, len(result.mutants())))
                lost, tested = result.findings("unanswered"), result.counts
                if len(lost) > MOST_UNANSWERED * (sum(tested.values()) - tested["discarded"]):
                    hidden.append(_unknown(text, name, lost))
                elif len(lost):
                    warnings.warn(_unknown(text, name, lost), stacklevel=2)
    first = next(iter(refused.values()), "give texts.")
    if len(refused) == len(given):
        many = f"None of the {len(given)} texts was tested; the first"
        none = many if len(given) > 1 else "Nothing was tested"
        raise InputError(f"{none}: {first}")
    if refused:
        number = f"{len(refused)} of {len(given)} texts"
        warnings.warn(f"{number} cannot be tested; the first: {first}", stacklevel=2)
    if hidden:
        raise AssertionError("\n".join(hidden))


def _listed(texts: Any) -> list[str]:
    if isinstance(texts, str):
        return [texts]
    if is_table(texts):
        raise InputError(f"{_NAME} takes texts, not a table; give a column, such as df['text'].")
    many = isinstance(texts, Iterable) and not isinstance(texts, Mapping)
    given = list(texts) if many else [texts]
    for one in given:
        if not isinstance(one, str):
            raise InputError(f"{_NAME} takes a text or a list of texts, not {reprlib.repr(one)}.")
    return given


def _unknown(text: str, model: str, lost: Any) -> str:
    have, them = ("variant has", "it") if len(lost) == 1 else ("variants have", "them")
    return (
        f"{len(lost)} {have} no answer of {model}, so nothing is known of {them} "
        f"({lost.reason.iloc[0]}): \u201c{text}\u201d"
    )


def _described(text: str, model: str, findings: Any, tested: int) -> str:
    lines = [f"{len(findings)} of {tested} variants flip the answer of {model}: \u201c{text}\u201d"]
    lines += [
        f"  {one.verdict}: {one.change}: {one.original_answer} \u2192 {one.answer}"
        f"{shifted(one.shift) if one.answer == one.original_answer else ''}: {one.mutant}"
        for one in findings.head(_SHOWN).itertuples()
    ]
    if len(findings) > _SHOWN:
        lines.append(f"  and {len(findings) - _SHOWN} more")
    return "\n".join(lines)
