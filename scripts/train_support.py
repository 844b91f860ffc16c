"""Fit the scorer of the support test: prints what belongs into `gossamer/steps/support/weights.py`.

    python scripts/train_support.py claims.jsonl

A line is `{"label": "supported" | …, "gathered", "numbers", "names"}`: the features of a claim that people judged, as
`gossamer.steps.support.verdict` makes them. Also printed: the bar that lets 85 % of the supported claims through, and
the AUC of ten-fold cross-validation, shuffled by a fixed seed.
"""

import json
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
NAMES = ("gathered", "numbers", "names")
_PENALTY, _ROUNDS, _FOLDS, _SEED, _THROUGH = 0.1, 50, 10, 7, 0.15


def fit(rows: Floats, labels: Floats) -> Floats:
    """The weights, the bias last: logistic regression by Newton's method, with a small penalty on the weights."""
    wide = np.c_[rows, np.ones(len(rows))]
    weights = np.zeros(wide.shape[1])
    penalty = np.diag([*[_PENALTY] * rows.shape[1], 1e-6])
    for _ in range(_ROUNDS):
        likely = 1 / (1 + np.exp(-wide @ weights))
        slope = wide.T @ (likely - labels) + penalty @ weights
        bend = (wide * (likely * (1 - likely))[:, None]).T @ wide + penalty
        weights -= np.linalg.solve(bend, slope)
    return weights


def score(rows: Floats, weights: Floats) -> Floats:
    """How likely each is supported."""
    return 1 / (1 + np.exp(-(rows @ weights[:-1] + weights[-1])))


def auc(scores: Floats, labels: Floats) -> float:
    """How often a supported claim scores above another."""
    good, bad = scores[labels == 1], scores[labels == 0]
    return float(np.mean((good[:, None] > bad) + 0.5 * (good[:, None] == bad)))


def main() -> None:
    """Fit, cross-validate and print."""
    lines = [json.loads(line) for line in Path(sys.argv[1]).read_text("utf-8").splitlines()]
    rows = np.array([[float(line[name]) for name in NAMES] for line in lines])
    labels = np.array([float(line["label"] == "supported") for line in lines])
    folds = np.random.default_rng(_SEED).permutation(len(rows)) % _FOLDS
    tried = np.zeros(len(rows))
    for fold in range(_FOLDS):
        tried[folds == fold] = score(rows[folds == fold], fit(rows[folds != fold], labels[folds != fold]))
    weights = fit(rows, labels)
    supported = np.sort(score(rows, weights)[labels == 1])
    print("WEIGHTS =", dict(zip(NAMES, weights[:-1].round(2).tolist(), strict=True)))
    print("BIAS =", round(float(weights[-1]), 2))
    print("PARTLY_BELOW =", round(float(supported[int(_THROUGH * len(supported))]), 2))
    print("cross-validated AUC", round(auc(tried, labels), 3))


if __name__ == "__main__":
    main()
