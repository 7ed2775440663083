"""Average precision against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

from degnn_explore.learn.metrics import average_precision


@pytest.mark.parametrize("seed", range(4))
def test_average_precision_is_that_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels, scores = rng.integers(0, 2, 40), rng.random(40).round(1)
    assert average_precision(scores, labels) == pytest.approx(metrics.average_precision_score(labels, scores))
    assert np.isnan(average_precision(scores, np.zeros(40)))
