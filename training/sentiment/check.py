"""Measure a finished folder as an application would use it.

`python -m training.sentiment.check --model DIR --imdb DIR --sst2 DIR` loads the folder with
the plain Auto classes in fp32 and prints accuracies and speed as JSON.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from training.sentiment.corpus import Example, find, read

_SENTENCE = (
    "The food at the small place near the station was good but "
    "the service could have been a bit faster."
)


class Classifier:
    """A folder with a classifier, answering batches of texts."""

    def __init__(self, folder: Path) -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
        self.model = AutoModelForSequenceClassification.from_pretrained(
            folder, trust_remote_code=False
        )
        self.model.float().eval()

    def predict(self, texts: list[str]) -> list[int]:
        """Label numbers of one batch."""
        inputs = self.tokenizer(texts, truncation=True, padding=True, return_tensors="pt")
        with torch.inference_mode():
            labels: list[int] = self.model(**inputs).logits.argmax(dim=1).tolist()
        return labels


def accuracy(classifier: Classifier, examples: list[Example], size: int = 32) -> float:
    """Share of right answers."""
    ordered = sorted(examples, key=lambda example: len(example.text))
    right = 0
    for start in range(0, len(ordered), size):
        group = ordered[start : start + size]
        labels = classifier.predict([example.text for example in group])
        right += sum(a == example.label for a, example in zip(labels, group, strict=True))
    return round(right / len(examples), 4)


def texts_per_second(classifier: Classifier, text: str, size: int, seconds: float = 5.0) -> float:
    """Speed in batches of one size, tokenising included."""
    texts = [text] * size
    classifier.predict(texts)
    done, started = 0, time.perf_counter()
    while time.perf_counter() - started < seconds:
        classifier.predict(texts)
        done += size
    return round(done / (time.perf_counter() - started), 1)


def speeds(classifier: Classifier) -> dict[str, float]:
    """Texts per second for a sentence of 20 words and a text of 300 words."""
    texts = {"20_words": _SENTENCE, "300_words": " ".join([_SENTENCE] * 15)}
    return {
        f"{name}_batch_{size}": texts_per_second(classifier, text, size)
        for name, text in texts.items()
        for size in (1, 32)
    }


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--imdb", type=Path)
    parser.add_argument("--sst2", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    classifier = Classifier(options.model)
    result: dict[str, Any] = {"texts_per_second": speeds(classifier)}
    if options.sst2 is not None:
        for part in ("dev", "test"):
            result[f"sst2_{part}"] = accuracy(classifier, read(find(options.sst2, part)))
    if options.imdb is not None:
        result["imdb_test"] = accuracy(classifier, read(find(options.imdb, "test")))
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
