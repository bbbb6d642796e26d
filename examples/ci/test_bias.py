"""A test of your own suite: no hidden bias of a model in texts that matter to you."""

import hinter_core as hinter


def classify(texts: list[str]) -> list[str]:
    """Stand for your model: label each text."""
    return ["bad" if "terrible" in text else "good" for text in texts]


def test_the_model_has_no_hidden_bias() -> None:
    """Fail with the text and the changes, if several together flip an answer."""
    texts = ["The British waiter was kind.", "A young Indian nurse helped the old actress."]
    hinter.testing.assert_no_hidden_bias(classify, texts, ["race", "gender"])
