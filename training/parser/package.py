"""Put the trained parts together and write the pipeline that is shipped."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language

#: No file of the shipped model may reach this size.
MAX_FILE_BYTES = 10 * 1024 * 1024
#: Taken off the score of beginning a person's name: fewer names are found, and more of them right.
CAUTION = 1.0
#: What the tag of an address (``ADD``) and of the name of a file is known by.
ADDRESSES = (r"(?i)^(?:https?://|www\.)\S+", r"(?i)^[\w.-]+\.(?:com|org|net|edu|gov)(?:/\S*)?$")
FILES = r"(?i)^\S+\.(?:docx?|xlsx?|pptx?|pdf|html?|txt|csv|zip|exe|gif|jpe?g|png|tiff?|url|mp3)$"
META = {
    "lang": "en",
    "name": "hinter_parser",
    "version": "1.2.0",
    "description": "Tagger, parser and entity recogniser, made even over identity terms.",
    "author": "The HInter developers",
    "license": "CC BY-SA 4.0",
    "url": "",
    "email": "",
}
_KEPT_SECTIONS = ("nlp", "components", "system")
_COMPANIONS = ("README.md", "metrics.json")


def averaged(parsers: Sequence[Path]) -> Language:
    """Return a pipeline whose weights are the mean of those of pipelines of the same shape."""
    first, *others = [spacy.load(path, exclude=["ner"]) for path in parsers]
    for name in first.pipe_names:
        parts: Any = [nlp.get_pipe(name) for nlp in (first, *others)]
        for node, *nodes in zip(*(part.model.walk() for part in parts), strict=True):
            for key in node.param_names:
                if node.has_param(key):
                    values = [one.get_param(key) for one in (node, *nodes)]
                    node.set_param(key, sum(values) / len(values))
    return first


def assemble(parser: Path, ner: Path, *, cautious: bool = True) -> Language:
    """Load the trained pipeline and add the entity recogniser, which shares its layers.

    ``cautious``: make it find fewer names, as a finished one does already.
    """
    nlp = spacy.load(parser, exclude=["ner"])
    name_addresses(nlp)
    nlp.add_pipe("ner", source=spacy.load(ner))
    if cautious:
        make_cautious(nlp, CAUTION)
    return nlp


def name_addresses(nlp: Language) -> None:
    """Tag addresses and names of files by what they look like, as EWT does."""
    ruler: Any = nlp.add_pipe("attribute_ruler", name="addresses", after="tagger")
    ruler.add([[{"ORTH": {"REGEX": FILES}}]], {"TAG": "NN"})
    looks = [{"ORTH": {"REGEX": pattern}} for pattern in ADDRESSES]
    ruler.add([[one] for one in (*looks, {"LIKE_EMAIL": True})], {"TAG": "ADD"})


def make_cautious(nlp: Language, caution: float, label: str = "PERSON") -> None:
    """Lower the score of the actions that begin an entity of a label."""
    ner: Any = nlp.get_pipe("ner")
    last = ner.model.get_ref("upper")
    scores = last.get_param("b").copy()
    for action in range(ner.moves.n_moves):
        if ner.moves.get_class_name(action) in (f"B-{label}", f"U-{label}"):
            scores[action] -= caution
    last.set_param("b", scores)


def _clean_config(path: Path) -> None:
    """Drop from a stored configuration what only training needs, paths included."""
    config: Any = spacy.util.load_config(path, interpolate=False)
    for section in list(config):
        if section not in _KEPT_SECTIONS:
            del config[section]
    config.to_disk(path)


def _clean_meta(path: Path) -> None:
    """Keep the facts about the pipeline; the figures live in ``metrics.json``."""
    meta: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    meta.update(META)
    meta["performance"] = {}
    meta["spacy_version"] = ">=3.8.2,<3.9.0"
    path.write_text(json.dumps(meta, indent=2) + "\n", encoding="utf-8")


def _prune_strings(path: Path, nlp: Language) -> None:
    """Keep the strings that the model needs, and none that training happened to meet.

    Vectors are found by the hash of a word, so that they need no strings.
    """
    stored = set(json.loads(path.read_text(encoding="utf-8")))
    kept = set(spacy.blank("en").vocab.strings)
    kept.update(str(norm) for norm in nlp.vocab.lookups.get_table("lexeme_norm").values())
    for labels in nlp.pipe_labels.values():
        kept.update(labels)
        kept.update(part for label in labels for part in str(label).replace("-", "=").split("="))
    path.write_text(json.dumps(sorted(stored & kept), indent=0) + "\n", encoding="utf-8")


def write(nlp: Language, out: Path) -> None:
    """Write the pipeline to ``out`` in one move, keeping the card that lies there."""
    fresh = out.with_name(out.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    nlp.to_disk(fresh)
    _clean_config(fresh / "config.cfg")
    _clean_meta(fresh / "meta.json")
    _prune_strings(fresh / "vocab" / "strings.json", nlp)
    too_large = [p for p in fresh.rglob("*") if p.is_file() and p.stat().st_size >= MAX_FILE_BYTES]
    if too_large:
        raise ValueError(f"files of 10 MiB or more: {too_large}")
    for name in _COMPANIONS:
        if (out / name).exists():
            shutil.copy2(out / name, fresh / name)
    old = out.with_name(out.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if out.exists():
        out.rename(old)
    fresh.rename(out)
    shutil.rmtree(old, ignore_errors=True)
