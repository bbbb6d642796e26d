"""The stages of the recipe: convert, vectors, pretraining, training."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from spacy import util
from spacy.language import Language
from spacy.tokens import DocBin
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from spacy.training.pretrain import pretrain
from thinc.api import NumpyOps, set_current_ops

from training.parser import corpus, names, silver, tokenizer
from training.parser.conllu import read_docs
from training.parser.vectors import build_vectors, review_texts, token_lists

CONFIG = Path(__file__).with_name("config.cfg")
NER_CONFIG = Path(__file__).with_name("ner.cfg")
#: Treebanks whose development part selects the model.
SELECTION = ("ewt", "gum")
#: Treebanks in which people's names are marked by their relations.
SILVER = ("ewt",)
#: Label smoothing of the taggers in the second round.
SMOOTHING = 0.05
#: Imported for the function that it registers.
REGISTERED = (corpus.swapped_corpus, names.named_corpus, tokenizer.make_tokenizer_rules)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


def use_openblas() -> None:
    """Multiply matrices with NumPy's own library.

    It is about three times as fast as the default of spaCy on processors with
    AVX-512.
    """
    set_current_ops(NumpyOps(use_blis=False))


def treebank_files(folder: Path, part: str) -> list[Path]:
    """Return the files of a part (train, dev, test) in a folder of treebanks."""
    return sorted(p for p in folder.iterdir() if f"-{part}.conllu" in p.name)


def convert(folder: Path, work: Path) -> None:
    """Write the training and development parts as gold documents under ``work``."""
    nlp = corpus.blank()
    for part in ("train", "dev"):
        (work / part).mkdir(parents=True, exist_ok=True)
        for path in treebank_files(folder, part):
            name = path.name.split(".")[0]
            if part == "dev" and not name.startswith(SELECTION):
                continue
            docs = read_docs(path, nlp.vocab, entities="gum" in name)
            DocBin(docs=docs).to_disk(work / part / f"{name}.spacy")


def make_vectors(
    reviews: Iterable[Path], treebanks: Path, work: Path, seed: int, share_norms: bool = True
) -> None:
    """Build word vectors and write them as an empty pipeline."""
    nlp = corpus.blank(share_norms)
    texts = token_lists(nlp, reviews, treebank_files(treebanks, "train"))
    nlp.vocab.vectors = build_vectors(nlp, texts, seed)
    nlp.to_disk(work / "vectors")


def write_raw_text(reviews: Iterable[Path], work: Path, limit: int) -> None:
    """Write the first ``limit`` sentences for pretraining, one JSON object per line."""
    pieces = (
        piece.strip() for text in review_texts(reviews) for piece in _SENTENCE_END.split(text)
    )
    sentences = (piece for piece in pieces if piece)
    with (work / "raw.jsonl").open("w", encoding="utf-8") as stream:
        for sentence in islice(sentences, limit):
            stream.write(json.dumps({"text": sentence}) + "\n")


def load_config(work: Path, overrides: dict[str, Any], config: Path = CONFIG) -> Any:
    """Read the configuration with the paths of this run."""
    paths = {
        "paths.train": str(work / "train"),
        "paths.dev": str(work / "dev"),
        "paths.vectors": str(work / "vectors"),
        "paths.raw_text": str(work / "raw.jsonl"),
    }
    return util.load_config(config, overrides={**paths, **overrides}, interpolate=False)


def run_pretraining(work: Path, overrides: dict[str, Any]) -> Path:
    """Pretrain the shared layers and return the file of weights."""
    use_openblas()
    out = work / "pretrain"
    out.mkdir(exist_ok=True)
    plain: dict[str, Any] = {"initialize.before_init": None}
    nlp = util.load_model_from_config(load_config(work, {**plain, **overrides}), auto_fill=True)
    pretrain(nlp.config.interpolate(), out, silent=False)
    return out / "model-last.bin"


def _go_on_from(config: Any, start: Path) -> None:
    """Take the components from a trained pipeline, labels and all."""
    config["components"] = {name: {"source": str(start)} for name in config["nlp"]["pipeline"]}


def _smooth(nlp: Language) -> None:
    """Smooth the labels of the taggers."""
    for name in nlp.pipe_names:
        component: Any = nlp.get_pipe(name)
        if "label_smoothing" in getattr(component, "cfg", {}):
            component.cfg["label_smoothing"] = SMOOTHING


def write_silver(
    parser: Path, treebanks: Path, reviews: Sequence[Path], first_names: Path, work: Path
) -> None:
    """Mark names in treebanks without entities and in reviews, for the entity recogniser."""
    use_openblas()
    nlp = util.load_model(parser)
    files = [p for p in treebank_files(treebanks, "train") if p.name.startswith(SILVER)]
    silver.write_silver(nlp, files, reviews, first_names, work)


def run_entities(work: Path, out: Path, overrides: dict[str, Any], parser: Path) -> Language:
    """Train the entity recogniser on the shared layers of a finished parser."""
    paths = {
        "paths.parser": str(parser),
        "paths.silver": str(work / "silver"),
        "paths.names": str(work / "silver" / "names.txt"),
    }
    kept = {key: value for key, value in overrides.items() if not key.startswith("initialize")}
    return run_training(work, out, {**kept, **paths}, NER_CONFIG)


def run_training(
    work: Path,
    out: Path,
    overrides: dict[str, Any],
    config: Path = CONFIG,
    start: Path | None = None,
) -> Language:
    """Train the pipeline; the best and the last state are kept under ``out``.

    With ``start`` the components begin with the weights of a trained pipeline.
    """
    use_openblas()
    out.mkdir(parents=True, exist_ok=True)
    # Initialise on the whole corpus, for all labels; then read it anew per epoch.
    loaded = load_config(work, {**overrides, "training.max_epochs": 0}, config)
    if start:
        _go_on_from(loaded, start)
    nlp = init_nlp(loaded)
    if start:
        _smooth(nlp)
    nlp.config["training"]["max_epochs"] = -1
    best, _ = train(nlp, out)
    return best
