"""Zero-shot: labels are judged on the same words, and so as transformers judges them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hinter_core.errors import ModelError
from hinter_core.models.registry import build_model, parse_name
from tests.conformance.tiny import make_classifier, make_head

NLI = ["contradiction", "entailment", "neutral"]
LONG = "the good man served us . a bad waiter is black . " * 9
LABELS = "good,bad and bad and bad,white woman"


def load(path: str, query: str) -> Any:
    return build_model(parse_name(f"hf-zero-shot:{path}?{query}"))


@pytest.fixture(scope="module")
def nli(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_classifier(tmp_path_factory.mktemp("nli") / "bert", NLI, window=40)


@pytest.mark.parametrize("kind", ["bert", "bart"])
def test_all_labels_are_judged_on_the_same_part_of_a_text(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / kind
    path = make_classifier(folder, NLI, window=40) if kind == "bert" else make_head(
        folder, kind, NLI, window=90
    )  # fmt: skip
    model = load(path, f"labels={LABELS}")
    tokenizer = model._checkpoint.tokenizer
    ((*pieces,),) = model._scheme.pieces([LONG])
    assert len(pieces) == 3
    lengths = [len(piece["input_ids"]) for piece in pieces]
    assert max(lengths) == model.capabilities.window
    assert len(set(lengths)) > 1
    end = tokenizer.sep_token_id if kind == "bert" else tokenizer.eos_token_id
    premises = {tuple(p["input_ids"][: p["input_ids"].index(end)]) for p in pieces}
    assert len(premises) == 1
    seen = LONG[: model.visible(LONG)]
    assert list(premises.pop())[1:] == tokenizer(seen, add_special_tokens=False)["input_ids"]


@pytest.mark.parametrize("multi", [0, 1])
def test_scores_compare_entailment(nli: str, multi: int) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    labels = LABELS.split(",")
    (answer,) = load(nli, f"labels={LABELS}&multi={multi}").predict(["the man served us"])
    plain = AutoModelForSequenceClassification.from_pretrained(nli, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(nli)
    pairs = [("the man served us", f"This text is {label}.") for label in labels]
    with torch.inference_mode():
        rows = torch.cat([plain(**tokenizer(*p, return_tensors="pt")).logits for p in pairs])
    if multi:
        expected = (rows[:, 1].exp() / (rows[:, 0].exp() + rows[:, 1].exp())).tolist()
    else:
        expected = rows[:, 1].softmax(0).tolist()
    assert list(answer.scores.values()) == pytest.approx(expected, abs=1e-5)


def test_labels_that_leave_no_room_are_refused(nli: str) -> None:
    with pytest.raises(ModelError, match="leaves no room for a text; shorten them"):
        load(nli, "labels=good," + "bad " * 40)
    with pytest.raises(ModelError, match="name an NLI model"):
        load(str(Path(__file__).parents[4] / "assets/models/sentiment"), "labels=good,bad")
