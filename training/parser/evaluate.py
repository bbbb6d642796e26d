"""Score a parser on the test parts of treebanks, and measure speed and bias.

Each sentence is given as raw text to spaCy's own tokeniser and parsed; the
result is aligned with the gold words and scored by spaCy's ``Scorer``.  Relation
labels are compared with their subtypes, punctuation (``punct``) is left out, and
tokens that do not align one to one count as errors of the F-scores LAS and UAS.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import NumpyOps, set_current_ops

from training.parser.bias import name_recall, swap_bias, template_bias
from training.parser.conllu import read_docs

SCORES = ("dep_las", "dep_uas", "tag_acc", "pos_acc", "token_f")


def load(path: Path, openblas: bool) -> tuple[Language, float]:
    """Load a model and return it with the seconds that it took."""
    if openblas:
        set_current_ops(NumpyOps(use_blis=False))
    start = time.perf_counter()
    nlp = spacy.load(path)
    return nlp, time.perf_counter() - start


def part_files(folder: Path, part: str) -> list[Path]:
    """Return the files of a part in a folder of treebanks."""
    return sorted(p for p in folder.iterdir() if f"-{part}.conllu" in p.name)


def treebank_scores(nlp: Language, docs: Sequence[Doc], entities: bool) -> dict[str, Any]:
    """Return the scores of a treebank as shares of one."""
    examples = [Example(nlp.make_doc(doc.text), doc) for doc in docs]
    scores = nlp.evaluate(examples)
    result: dict[str, Any] = {"sentences": len(docs), "words": sum(len(doc) for doc in docs)}
    has_tags = any(token.tag_ for doc in docs for token in doc)
    for name in SCORES:
        if scores.get(name) is not None and (has_tags or name != "tag_acc"):
            result[name] = round(float(scores[name]), 4)
    if entities and "ents_f" in scores:
        result["entities"] = {
            "all": {key: round(float(scores[f"ents_{key}"]), 4) for key in "prf"},
            **{
                label: {key: round(float(value), 4) for key, value in per.items()}
                for label, per in scores["ents_per_type"].items()
            },
        }
    return result


def words_per_second(nlp: Language, texts: Sequence[str], runs: int = 3) -> float:
    """Return words per second of processor time, the best of some runs over all texts.

    Processor time, so that other work on the machine counts little; meant for one thread
    (``OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1``).
    """
    best = 0.0
    for _ in range(runs):
        start = time.process_time()
        words = sum(len(doc) for doc in nlp.pipe(texts, batch_size=256))
        best = max(best, words / (time.process_time() - start))
    return best


def evaluate(
    model: Path, treebanks: Path, openblas: bool = False, part: str = "test", bias: bool = True
) -> dict[str, Any]:
    """Return all figures of a model."""
    nlp, load_seconds = load(model, openblas)
    golds = {
        path.name.split("-")[0].removeprefix("en_"): read_docs(
            path, nlp.vocab, entities="gum" in path.name
        )
        for path in part_files(treebanks, part)
    }
    figures: dict[str, Any] = {"part": part, "load_seconds": round(load_seconds, 2)}
    figures["treebanks"] = {
        name: treebank_scores(nlp, docs, entities=name == "gum") for name, docs in golds.items()
    }
    texts = [doc.text for doc in golds.get("ewt", next(iter(golds.values())))]
    figures["words_per_second"] = round(words_per_second(nlp, texts))
    figures["openblas"] = openblas
    if bias:
        figures["bias_templates"] = template_bias(nlp)
        figures["name_recall"] = name_recall(nlp)
        figures["bias_swaps"] = swap_bias(nlp, [*golds.get("ewt", []), *golds.get("gum", [])])
    return figures


def main() -> None:
    """Print the figures of a model and write them to a file."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    arguments.add_argument("model", type=Path)
    arguments.add_argument("--treebanks", type=Path, required=True)
    arguments.add_argument("--part", default="test", choices=("dev", "test"))
    arguments.add_argument("--out", type=Path, help="also write the figures to this file")
    arguments.add_argument("--no-bias", action="store_true")
    arguments.add_argument("--openblas", action="store_true", help="use NumPy's BLAS")
    arguments.add_argument("--compared", type=Path, help="figures of a model to compare with")
    arguments.add_argument("--note", default="", help="what the compared model is")
    given = arguments.parse_args()
    figures = evaluate(given.model, given.treebanks, given.openblas, given.part, not given.no_bias)
    if given.compared:
        other = json.loads(given.compared.read_text(encoding="utf-8"))
        kept = {key: other[key] for key in ("treebanks", "bias_templates", "bias_swaps")}
        figures["compared"] = {"note": given.note, **kept}
    text = json.dumps(figures, indent=2)
    if given.out:
        given.out.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
