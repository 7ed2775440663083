"""Settings that no machine can hold, or native code would choke on: refused before anything is allocated."""

from __future__ import annotations

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.common.errors import ParameterError
from degnn_explore.learn.nets import pagerank

from .test_training import TASK, G, small


@pytest.mark.parametrize(
    ("name", "hyper", "message"),
    [
        ("GCN", {"hidden": 10**6}, r"GCN with .*hidden=1000000.* takes [\d.,]+ \wB to train, and this machine has"),
        ("GCN", {"hidden": 10**9}, "(takes .* to train|more weights than can be counted)"),
        ("GCN", {"layers": 10**9}, "layers must be a whole number from 1 to 100, not 1000000000"),
        ("DEA-GNN-SPD", {"hops": 10**9}, "hops must be a whole number from 1 to 100"),
        ("DE-GNN-SPD", {"max_dist": 10**9}, "max_dist|takes .* to train"),
        ("DE-GNN-LP", {"steps": 10**9}, "steps|takes .* to train"),
        ("DE-GNN-LP", {"f3": 10**7}, "takes .* to train"),
        ("PGNN", {"anchor_sets": 10**7}, "takes .* to train"),
        ("SEAL", {"sort_k": 10**9}, "sort_k must be a whole number from 10 to 100,000"),
        ("struc2vec", {"dim": 2**62}, "dim must be a whole number from 1 to 1,000,000,000,000"),
        ("struc2vec", {"window": 10**12}, "window must be"),
        ("GCN", {"hidden": 10**400}, "hidden must be a whole number"),
    ],
)
def test_sizes_that_cannot_fit_are_refused_before_anything_is_allocated(name: str, hyper: dict, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        de.build(name, TASK, **hyper)


@pytest.mark.parametrize("hyper", [{"length": 10**9}, {"walks": 10**10}, {"depth": 10**10}])
def test_struc2vec_says_what_its_walks_would_take(hyper: dict) -> None:
    model = de.build("struc2vec", TASK, **hyper)
    with pytest.raises(ParameterError, match=r"struc2vec with .* takes about .* on 60 nodes, and this machine has"):
        list(de.fit(model, TASK))


def test_a_batch_larger_than_the_task_is_the_whole_task() -> None:
    whole, larger = (list(de.fit(small("GCN"), TASK, epochs=1, batch_size=b)) for b in (len(TASK.train), 2**62))
    assert whole[0].loss == larger[0].loss


def test_pagerank_says_what_a_wide_encoding_would_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pagerank, "memory", lambda: 50_000)
    with pytest.raises(ParameterError, match=r"max_dist=90 takes .* for a batch on 60 nodes, and this machine has"):
        de.build("DEA-GNN-PR", TASK, max_dist=90).prepare(G, TASK.train.sets)


def test_a_star_is_embedded_by_its_three_kinds_of_nodes() -> None:
    star = de.Graph.from_edges([(0, leaf) for leaf in range(1, 20_001)])
    task = de.link_task(star, max_positives=50)
    model = de.build("struc2vec", task)
    assert len(list(de.fit(model, task, epochs=1))) == 1
    # the middle, its leaves, and those whose link is held out
    assert len(np.unique(model.embedding.numpy(), axis=0)) == 3
