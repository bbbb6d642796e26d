"""What must hold of the grammars that come with HInter: ``python -m benchmarks --grammars``.

1. The share of their sentences that the embedded checker takes for English, and, as a control, of
   the same sentences with two neighbouring words exchanged. Alternatives were chosen with this
   checker's objections in view, so a reader has to look as well.
2. Sentences a second of processor time, and the memory of the command that writes a million.
3. Which sensitive words the diagnosis names on VADER and TextBlob, beside those to which the
   analyser's own lexicon gives a value.
4. Violations among single changes, RAND against PROB: a run, its diagnosis, and a second run of the
   same size with the weights that the diagnosis wrote (Astraea, Algorithm 2).
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from io import StringIO
from itertools import islice
from pathlib import Path
from statistics import mean

from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.running.run import plan_run, run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.cli.analysis.diagnose import diagnosis
from hinter_core.generators.grammars.cases import GrammarTable
from hinter_core.generators.grammars.grammar import Grammar
from hinter_core.generators.grammars.reading import load_grammar, shipped_grammars
from hinter_core.generators.grammars.sampling import coverage_of
from hinter_core.language.sentences import split_sentences
from hinter_core.report.metrics.diagnosis import diagnose
from hinter_core.statistics.format import percent
from hinter_core.statistics.rates import wilson
from hinter_core.types import MASKED_PLACE
from hinter_core.validity.checkers import Checker, load_checker

LEXICONS = ("vader", "textblob")
SENTIMENT = tuple(n for n in shipped_grammars() if n.startswith(("feelings", "sentiment")))
LARGEST, BIASED = "sentiment-gender-direct", "sentiment-gender-occupation"
_SPEED = 100_000
_MILLION = 1_000_000
_TEXTS = 60  # of each run of 4.
# A process counts the memory of the one that started it as its own, so a small one starts it.
_PEAK = """import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
"""


def report(sentences: int, seeds: int) -> Iterator[str]:
    """Yield all tables as lines; ``sentences`` of each grammar are judged."""
    yield from acceptability(sentences)
    yield ""
    yield from speed()
    yield ""
    yield from lexicon_words()
    yield ""
    for smooth in (0.0, 1.0):
        yield random_against_weighted("vader", BIASED, seeds, smooth)


def acceptability(sentences: int) -> Iterator[str]:
    """Yield the share of acceptable sentences of each grammar, with its control."""
    checker, rng = load_checker("acceptability"), random.Random(1)
    yield f"{'':30}{'acceptable':28}two words exchanged"
    for name in shipped_grammars():
        grammar = load_grammar(name)
        table = GrammarTable(grammar, sentences, seed=16)
        texts = [one.text for row in table.rows() for one in split_sentences(row.text)]
        good, bad = (_accepted(checker, grammar, t) for t in (texts, exchanged(texts, rng)))
        shares = (percent(wilson(sum(hits), len(hits))) for hits in (good, bad))
        yield f"{name:30}{next(shares):28}{next(shares)}"


def _accepted(checker: Checker, grammar: Grammar, texts: Sequence[str]) -> list[bool]:
    """A masked sentence is acceptable with one of the words that may stand in it."""
    words = [word for answer in grammar.answers.values() for word in answer] or [""]
    filled = [text.replace(MASKED_PLACE, word) for text in texts for word in words]
    judged = [bool(one.acceptable) for one in checker.check(filled)]
    return [any(judged[at : at + len(words)]) for at in range(0, len(judged), len(words))]


def exchanged(texts: Sequence[str], rng: random.Random) -> list[str]:
    """Exchange two neighbouring words of each text, drawn with ``rng``."""
    found = []
    for text in texts:
        words = re.findall(r"\S+", text)
        at = rng.randrange(len(words) - 1)
        words[at], words[at + 1] = words[at + 1], words[at]
        found.append(" ".join(words))
    return found


def speed() -> Iterator[str]:
    """Yield sentences a second of each grammar, and the memory of writing a million."""
    for name in shipped_grammars():
        grammar = load_grammar(name)
        table = GrammarTable(grammar, 1)
        number = min(_SPEED, table.source.count)
        table = GrammarTable(grammar, number)
        started = time.process_time()
        different = len({row.text for row in table.rows()})
        took = time.process_time() - started
        covered = coverage_of(table.source, islice(table.source.draw(0), 1000))
        rules, terminals = grammar.size
        yield (
            f"{name:30}{rules:3} rules {terminals:4} terminals {table.source.count:10,} sentences; "
            f"{different / took:7,.0f} different a second; 1,000 cover "
            f"{covered.terminals / covered.all_terminals:.1%} of terminals, "
            f"{covered.pairs / covered.all_pairs:.1%} of pairs"
        )
    yield f"hinter grammar sample {LARGEST} --sentences {_MILLION}: {million()}"


def million() -> str:
    """Write a million sentences with the command line; return its time and peak of memory."""
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "sentences").open("w+") as out:
        command = [sys.executable, "-m", "hinter_core.cli", "grammar", "sample", LARGEST]
        started = time.perf_counter()
        measured = subprocess.run(
            [sys.executable, "-c", _PEAK, *command, "--sentences", str(_MILLION)],
            stdout=out, stderr=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        took = time.perf_counter() - started
        out.seek(0)
        different = len({hash(line) for line in out})
    return f"{different:,} different lines in {took:.0f} s, {int(measured.stderr) / 1024:.0f} MB"


def valued(grammar: Grammar, model: str) -> set[str]:
    """Return the sensitive values with a word that an analyser's lexicon gives a value."""
    from textblob import TextBlob
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    lexicon = SentimentIntensityAnalyzer().lexicon

    def has_value(text: str) -> bool:
        if model == "vader":
            return any(word in lexicon for word in text.lower().split())
        return bool(TextBlob(text).polarity)

    return {
        value.title
        for values in grammar.sensitive.values()
        for value in values
        if any(map(has_value, value.words.values()))
    }


def lexicon_words(sentences: int = 300, seed: int = 0) -> Iterator[str]:
    """Yield what the diagnosis names on both analysers, beside the truth."""
    for name in SENTIMENT:
        grammar = load_grammar(name)
        with tempfile.TemporaryDirectory() as folder:
            store = CampaignStore(Path(folder) / "campaign")
            _run(store, grammar=name, sentences=sentences, models=LEXICONS, seed=seed)
            for model in LEXICONS:
                with CampaignReader(store) as reader:
                    found = diagnose(reader, model)
                named = {
                    one.word
                    for one in found
                    if one.stands_out and one.attribute in grammar.sensitive
                }
                truth = valued(grammar, model)
                says = "as its lexicon" if named == truth else f"LEXICON {sorted(truth)}"
                yield f"{name:30}{model:9} {', '.join(sorted(named)) or 'none'}: {says}"


def random_against_weighted(model: str, name: str, seeds: int, smooth: float) -> str:
    """Return the shares of violations of RAND and PROB over seeds, and their mean difference."""
    from scipy.stats import bootstrap

    plain, weighted = [], []
    for seed in range(seeds):
        with tempfile.TemporaryDirectory() as folder:
            first, second = (CampaignStore(Path(folder) / which) for which in ("rand", "prob"))
            weights = Path(folder) / "weights.json"
            _run(first, grammar=name, sentences=_TEXTS, models=(model,), seed=2 * seed)
            plain.append(_violations(first, model))
            if not plain[-1] and not smooth:  # nothing to weigh
                weighted.append(0.0)
                continue
            with redirect_stdout(StringIO()):
                diagnosis(first.folder, weights=weights, smooth=smooth, as_json=False)
            _run(
                second, grammar=name, sentences=_TEXTS, models=(model,), seed=2 * seed + 1,
                weights=str(weights),
            )  # fmt: skip
            weighted.append(_violations(second, model))
    gains = [after - before for before, after in zip(plain, weighted, strict=True)]
    low, high = bootstrap((gains,), mean, vectorized=False, rng=1).confidence_interval
    return (
        f"{model} on {name}, {seeds} seeds of {_TEXTS} texts, smooth {smooth:g}: RAND "
        f"{mean(plain):.3f}, PROB {mean(weighted):.3f}, more by {mean(gains):.3f} "
        f"[{low:.3f}, {high:.3f}], in {sum(gain > 0 for gain in gains)} of {seeds}"
    )


def _run(store: CampaignStore, **settings: object) -> None:
    campaign = Campaign(order=1, placebo=False, **settings)  # type: ignore[arg-type]
    run_campaign(campaign, store, plan_run(campaign, store))


def _violations(store: CampaignStore, model: str) -> float:
    with CampaignReader(store) as reader:
        tables = reader.tables(models=(model,))
        ((share,),) = reader.run(
            f"SELECT avg(changed::INT) FROM ({tables.answers}) WHERE changed IS NOT NULL"
        )
    return float(share)
