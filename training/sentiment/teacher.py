"""A second opinion on every training review, by a model that has not seen that review.

A logistic regression on word n-grams, weighted by how much more often they occur in
positive than in negative reviews, is cross-fitted: each fold gets the probabilities of
a model trained on the other folds. Mixed into the labels these soft targets keep a tiny
network from learning odd reviews by heart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

Probabilities = NDArray[np.float32]


def _log_ratio(counts: sparse.csr_matrix, labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Smoothed log ratio of n-gram presence in positive and negative texts."""
    positive = 1.0 + np.asarray(counts[labels == 1].sum(axis=0)).ravel()
    negative = 1.0 + np.asarray(counts[labels == 0].sum(axis=0)).ravel()
    ratio: NDArray[np.float64] = np.log(positive / positive.sum()) - np.log(
        negative / negative.sum()
    )
    return ratio


def _scaled(counts: sparse.csr_matrix, ratio: NDArray[np.float64]) -> sparse.csr_matrix:
    """Presence of each n-gram times its log ratio, each text scaled to the same length."""
    rows = counts.multiply(ratio).tocsr()
    norms = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return sparse.diags(1.0 / np.maximum(norms, 1e-9)) @ rows


def cross_fitted(texts: list[str], labels: list[int], folds: int, seed: int) -> Probabilities:
    """Probability of the positive label for each text, from models that did not see it."""
    vectorizer = CountVectorizer(
        ngram_range=(1, 3), min_df=4, max_df=0.9, binary=True, token_pattern=r"\w+|[!?]"
    )
    counts = vectorizer.fit_transform(texts).tocsr().astype(np.float32)
    answers = np.asarray(labels, dtype=np.int64)
    result = np.zeros(len(texts), dtype=np.float32)
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    for number, (train, rest) in enumerate(splitter.split(counts, answers)):
        ratio = _log_ratio(counts[train], answers[train])
        model = LogisticRegression(C=30.0, solver="liblinear", max_iter=200, tol=1e-2)
        model.fit(_scaled(counts[train], ratio), answers[train])
        result[rest] = model.predict_proba(_scaled(counts[rest], ratio))[:, 1]
        right = float(np.mean((result[rest] > 0.5) == (answers[rest] == 1)))
        print(f"teacher fold {number + 1}/{folds} accuracy {right:.4f}", flush=True)
    return result
