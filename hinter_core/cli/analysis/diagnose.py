"""``hinter diagnose``: which words change answers, alone and in pairs, and beside which others."""

import sys
from itertools import groupby
from math import isinf
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from hinter_core.campaign.findings import one_model
from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.store import CampaignStore
from hinter_core.cli.options import Folder, Json, OneModel, output, print_json
from hinter_core.errors import InputError
from hinter_core.report.formats import print_sections
from hinter_core.report.metrics.diagnosis import WordRate, diagnose, weights_of
from hinter_core.report.metrics.interactions import (
    FEWEST_TEXTS,
    Interactions,
    WordPair,
    interactions,
)
from hinter_core.report.section import PValue, Rows, Section, short_names

_MOST = 20  # words of an attribute that are shown
_NOTES = (
    "Answer with it: what was answered with the word where the answer changed. A word that stands "
    "out may have the better answer: then the other words are treated worse.",
    "Remaining index: without the pairs of words that stand out more. Above 2, a word stands out "
    "if it does so in 5 texts or more and beyond chance; else it may be chance.",
    "A bias that changes no answer does not show here. The report of a grammar compares scores, "
    "too (hinter report, Group fairness).",
)


def diagnosis(
    folder: Folder,
    model: OneModel = "",
    weights: Annotated[
        Path | None,
        Option(help="Write the rates of all words to this file, for hinter run --weights.")
    ] = None,
    smooth: Annotated[
        float,
        Option(min=0, help="Add this number of changed and of unchanged answers to each "
                     "word, so that none has a weight of 0.")
    ] = 0.0,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Diagnose a campaign: which words change a model's answer, alone and in pairs."""
    store = CampaignStore(folder)
    model_name = one_model(store, model)
    with CampaignReader(store, rates=True) as reader:
        word_rates, pairs = diagnose(reader, model_name), interactions(reader, model_name)
    if not word_rates:
        raise InputError(
            f"{folder} has no single change with an answer of {model_name}; run it with all single "
            "changes."
        )
    if weights is not None:
        rates = weights_of(word_rates, smooth)
        if not rates:
            raise InputError("No answer changed, so there are no weights; add --smooth 1.")
        with output(weights) as stream:
            print_json(rates, file=stream)
    if as_json:
        of_pairs = [_values_of(pair) for one in pairs for pair in one.pairs]
        words = [_values(one) for one in word_rates if not one.context]
        context = [_values(one) for one in word_rates if one.context]
        print_json({"words": words, "pairs": of_pairs, "context": context})
        return
    names = [
        list(of_attribute)
        for _, of_attribute in groupby(word_rates, key=lambda one: (one.context, one.attribute))
    ]
    others = [name for name in store.read()["models"] if name != model_name]
    short = short_names([model_name, *others])[model_name]
    changed = [_section(words, short) for words in names if not words[0].context]
    changed[-1].sentences.extend(_NOTES)
    if short != model_name:
        changed[0].sentences.append(f"{short} is {model_name}.")
    if others and not model:
        changed[0].sentences.append(
            f"These are the answers of {short}; for those of {' or '.join(others)}, add --model."
        )
    beside = [_section_of_context(words, short) for words in names if words[0].context]
    print_sections(
        [*changed, *(_section_of_pairs(one, short) for one in pairs), *beside], sys.stdout
    )


def _section(words: list[WordRate], model: str) -> Section:
    attribute, odd = words[0].attribute, [one.word for one in words if one.stands_out]
    clause = f"{', '.join(odd)} stand out" if len(odd) > 1 else f"{', '.join(odd)} stands out"
    sentence = (
        f"{attribute}: of {len(words):,} words, {clause if odd else 'none stands out'} by changing "
        f"the answer of {model}."
    )
    rows: Rows = [
        [one.word, one.rate, one.rate.of, _answer(one), _index(one.index), _index(one.remaining),
         "yes" if one.stands_out else "may be chance" if one.too_few else ""]
        for one in words[:_MOST]
    ]  # fmt: skip
    return Section(
        f"diagnosis-{attribute}", f"Words of {attribute}", [sentence],
        ["Word", "Changed answers", "Cases", "Answer with it", "Anomaly index", "Remaining index",
         "Stands out"], rows, model,
    )  # fmt: skip


def _section_of_context(words: list[WordRate], model: str) -> Section:
    name, odd = words[0].attribute, [one.word for one in words if one.stands_out]
    more = f"answers of {model} change more often where {', '.join(odd)}"
    if odd:
        clause = f"{more} {'stand' if len(odd) > 1 else 'stands'}"
    else:
        clause = f"none goes with more changed answers of {model} than chance gives"
    sentence = f"{name}: of {len(words):,} words beside the changed ones, {clause}."
    rows: Rows = [
        [one.word, one.rate, one.rate.of, _index(one.index), "yes" if one.stands_out else ""]
        for one in words[:_MOST]
    ]
    return Section(
        f"context-{name}", f"Around the changed words: {name}",
        [sentence, "No mutant exchanges these words. Shares are of all single changes; combined "
         "changes are not counted. The test leaves out the changes of the words that stand out."],
        ["Where it stands", "Changed answers", "Cases", "Anomaly index", "More often"], rows, model,
    )  # fmt: skip


def _section_of_pairs(pairs: Interactions, model: str) -> Section:
    first, second = pairs.attributes
    odd = dict.fromkeys(" + ".join(pair.words) for pair in pairs.pairs if pair.stands_out)
    clause = "they change" if len(odd) > 1 else "it changes"
    needs = (
        f"this takes {FEWEST_TEXTS} texts in which both words change the answer more or less often "
        "than the two alone do in sum"
    )
    tested = f"of {pairs.of:,} pairs of new words, {pairs.tested:,} could be tested ({needs})"
    if not pairs.tested:
        sentence = f"too few texts to test any of {pairs.of:,} pairs of new words: {needs}."
    elif odd:
        sentence = (
            f"{tested}; {', '.join(odd)}: {clause} the answer of {model} more often than each word "
            "alone."
        )
    else:
        sentence = (
            f"{tested}; none of these changes the answer of {model} more often than each word "
            "alone, beyond chance."
        )
    sentence = f"{first} and {second}: {sentence}"
    rows: Rows = [
        [" + ".join(pair.words), pair.answer, pair.texts, pair.both, *pair.alone, pair.contrast,
         PValue(pair.contrast.p_value or 0.0), "yes" if pair.stands_out else ""]
        for pair in pairs.pairs[:_MOST]
    ]  # fmt: skip
    columns = ["New words", "Answer before", "Texts", "Changed by both", f"{first} alone",
               f"{second} alone", "Both less each", "p, adjusted", "Stands out"]  # fmt: skip
    return Section(
        f"pairs-{first}-{second}", f"Pairs of {first} and {second}", [sentence], columns, rows,
        model,
    )  # fmt: skip


def _values_of(pair: WordPair) -> dict[str, Any]:
    one, two = pair.alone
    return {
        "words": pair.words, "answer": pair.answer, "texts": pair.texts, "cases": pair.both.of,
        "both": pair.both.hits, "first": one.hits, "second": two.hits,
        "contrast": pair.contrast.value, "low": pair.contrast.low, "high": pair.contrast.high,
        "p": pair.contrast.p_value, "stands_out": pair.stands_out,
    }  # fmt: skip


def _answer(one: WordRate) -> str:
    return f"{one.answers[0][0]}, {one.answers[0][1]:,} of {one.rate.hits:,}" if one.answers else ""


def _index(index: float) -> str:
    if isinf(index):
        return "above the others" if index > 0 else "below the others"
    return f"{index:.1f}"


def _values(one: WordRate) -> dict[str, Any]:
    return {
        "attribute": one.attribute, "word": one.word, "changed": one.rate.hits,
        "cases": one.rate.of, "low": one.rate.low, "high": one.rate.high,
        "index": None if isinf(one.index) else one.index,
        "remaining": None if isinf(one.remaining) else one.remaining,
        "stands_out": one.stands_out, "too_few": one.too_few, "answers": dict(one.answers),
    }  # fmt: skip
