"""Every setting of every model changes what the model says, and its default, spelled out, does not."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import degnn_explore as de

OTHER: dict[str, Any] = {  # for each setting a value that is no model's default
    "alpha": 0.6, "anchor_seed": 3, "anchor_sets": 9, "base": "GIN", "damping": 0.02, "depth": 1, "dim": 6,
    "distances": 1, "dropout": 0.3, "eigenvectors": 2, "f3": 1, "hidden": 6, "hops": 3, "layers": 4, "length": 9,
    "max_dist": 1, "max_nodes_per_hop": 2, "passes": 1, "readout": "difference", "sort_k": 10, "steps": 2,
    "walk_seed": 5, "walks": 3, "window": 2,
}  # fmt: skip
SMALL = {"hidden": 8, "dim": 8, "walks": 2, "length": 12, "sort_k": 12, "anchor_sets": 12}
SETTINGS = {name: dict(defaults) for name, defaults in de.models()["hyperparameters"].items()}
CASES = [(name, setting) for name, defaults in SETTINGS.items() for setting in defaults]


@cache
def task() -> de.Task:
    return de.link_task(de.load("karate"), seed=3)


def said(name: str, **settings: Any) -> np.ndarray:
    """What the model says of the test sets after one epoch of one step."""
    small = {key: value for key, value in SMALL.items() if key in SETTINGS[name]}
    model = de.build(name, task(), seed=1, **{**small, **settings})
    list(de.fit(model, task(), epochs=1, batch_size=200, device="cpu", progress=False))
    return de.predict(model, task().graph, task().test.sets, device="cpu", progress=False)


@cache
def usual(name: str) -> np.ndarray:
    return said(name)


@pytest.mark.filterwarnings("ignore:With max_dist")
@pytest.mark.parametrize(("name", "setting"), CASES)
def test_a_setting_changes_what_the_model_says(name: str, setting: str) -> None:
    changed = said(name, **{setting: 2 if (name, setting) == ("SEAL", "hops") else OTHER[setting]})
    assert changed.shape == usual(name).shape and np.isfinite(changed).all()
    assert not np.array_equal(changed, usual(name))


@pytest.mark.parametrize("name", [name for name, defaults in SETTINGS.items() if defaults])
def test_defaults_spelled_out_change_nothing(name: str) -> None:
    defaults = {key: value for key, value in SETTINGS[name].items() if key not in SMALL}
    defaults.pop("max_dist", None)  # the task's own, where it has one
    assert np.array_equal(said(name, **defaults), usual(name))
