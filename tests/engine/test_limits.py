"""Hubs, wide encodings and senseless sizes: memory follows what occurs, and what cannot fit is refused in words."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore import DRNL, SPD, Graph, LandingProbability, ParameterError, TargetError, blocks, ego_networks
from degnn_explore.engine import store

from .test_blocks import check as check_blocks
from .test_egonets import check as check_egos
from .test_egonets import same


def in_a_child(script: str, **environment: str) -> str:
    """What a process of its own prints; if it dies, that is a finding."""
    command = [sys.executable, "-c", script]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, env=os.environ | environment)
    assert run.returncode == 0, run.stderr
    return run.stdout


def star(leaves: int) -> Graph:
    return Graph.from_edges([(0, v) for v in range(1, leaves + 1)])


HUB = """
import warnings
import numpy as np, degnn_explore as de
from tests.support.memory import peak
star = de.Graph.from_edges(np.stack([np.zeros(100_000, int), np.arange(1, 100_001)], axis=1))
task = de.link_task(star, max_positives=100, seed=0)
for model in ("DE-GNN-SPD", "SEAL"):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        list(de.fit(de.build(model, task), task, epochs=1))
    assert any("nodes are kept at each hop" in str(w.message) for w in said), said
print(peak())
"""


def test_a_hub_of_a_hundred_thousand_leaves_is_trained_on_within_two_gigabytes():
    assert int(in_a_child(HUB)) < 2e9


@pytest.fixture
def two_hubs(monkeypatch):
    """Nodes 0 and 1 with 150 and 60 leaves, joined; more than 100 nodes are too many here."""
    monkeypatch.setattr(store, "MOST_NODES", 100)
    leaves = [(0, v) for v in range(2, 152)] + [(1, v) for v in range(152, 212)]
    return Graph.from_edges([(0, 1), *leaves])


def test_hubs_keep_as_many_nodes_as_make_the_limit_and_say_so(two_hubs):
    sets = np.array([[0], [1], [5]])
    words = r"1 of 3 .* more than 100 nodes, the largest 152; of those, 100 nodes are"
    with pytest.warns(UserWarning, match=words) as warned:
        data = ego_networks(two_hubs, sets, hops=1, progress=False)
    assert warned[0].filename == __file__
    assert data.capping == "1 of 3 ego-networks are seen in part: of the nodes met at a hop at most 100 are kept"
    assert np.diff(data.flat.node_ptr).tolist() == [1 + 100, 1 + 61, 2]
    with pytest.warns(UserWarning, match="of those, 50 nodes are kept at each hop"):
        data = ego_networks(two_hubs, sets, hops=2, progress=False)  # of a hub the other one is not among the fifty
    assert np.diff(data.flat.node_ptr).tolist() == [1 + 50, 1 + 50, 1 + 1 + 50]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = ego_networks(two_hubs, [[0]], hops=1, max_nodes_per_hop=1000, progress=False)
    assert not data.capped and len(data.flat.nodes) == 152


@pytest.mark.filterwarnings("ignore:.*kept at each hop")
def test_what_is_kept_around_a_hub_does_not_depend_on_the_other_sets(two_hubs):
    sets = np.array([[0, 1], [1, 200], [5, 6], [0, 9]])
    options = dict(layers=2, encoding=SPD(), progress=False)
    together = blocks(two_hubs, sets, **options)
    explicit = blocks(two_hubs, sets, max_nodes_per_hop=50, **options)
    for s in range(4):
        assert same(blocks(two_hubs, sets[[s]], **options).batch([0]), together.batch([s]))
        assert same(explicit.batch([s]), together.batch([s])) or s in (1, 2)


@pytest.mark.parametrize("model", ["DE-GNN-SPD", "SEAL"])
def test_large_ego_networks_are_judged_a_few_at_a_time(model):
    task = de.link_task(star(1500), seed=0, max_positives=60)
    net = de.build(model, task)
    sizes = []
    net.register_forward_pre_hook(lambda module, given: sizes.append(given[0].num_sets))
    de.predict(net, star(1500), [(0, v) for v in range(1, 101)])
    assert sizes == [32, 32, 32, 4]


WIDE = [SPD(max_dist=300), SPD(max_dist=70, pool=None), SPD(max_dist=90, pool="sum"), DRNL(max_dist=30)]


@pytest.mark.parametrize("encoding", [*WIDE, LandingProbability(steps=80)])
def test_wide_encodings_are_what_they_promise(encoding):
    """On a path, a cycle and a lonely edge: distances up to 60, and pairs that nothing joins."""
    ring = [(i, i + 1) for i in range(60)] + [(i, 61 + (i - 60) % 40) for i in range(61, 101)] + [(101, 102)]
    G = Graph.from_edges(ring, 103)
    sets = np.array([(0, 60), (3, 4), (61, 62), (0, 70), (101, 102), (10, 101)])
    check_egos(G, sets, 2, encoding)
    data = check_blocks(G, sets, 2, 1, encoding, "gcn", raw=encoding.pool is None)
    assert data.in_dim == 1 + encoding.dim * (2 if encoding.pool is None else 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(sets=[(0, 5000)]), "Node 5000 is not in the graph"),
        (dict(sets=np.array([[0, 1], [5, 5]])), "Node 5 occurs twice in target set 1"),
        (dict(sets=np.array([[0, -1]])), "names node -1"),
        (dict(sets=np.array([[0, 1], [0, 1201]])), "Target set 1 names node 1201"),
        (dict(sets="01"), "Give a list of target sets"),
        (dict(sets=np.empty((2, 0), dtype=int)), "at least one node"),
        (dict(sets=[{0, 1}, set()]), "The target set is empty"),
        (dict(sets=np.array([[0.5, 1.0]])), "A node is a number"),
        (dict(layers=0), "layers must be a whole number from 1 to 100, not 0"),
        (dict(hops=10**9, aggregation="hops"), "hops must be a whole number from 1 to 100"),
        (dict(hops=2), "needs aggregation='hops'"),
        (dict(aggregation="means"), "Did you mean 'mean'"),
        (dict(max_nodes_per_hop=0), "max_nodes_per_hop must be"),
        (dict(max_nodes_per_hop=10**400), "max_nodes_per_hop must be"),
        (dict(seed=-1), "seed must be"),
        (dict(seed=10**400), "seed must be"),
        (dict(degree=False), "no features"),
        (dict(budget=0), "budget must be"),
        (dict(budget=10**400), "budget must be"),
        (dict(budget=50), "single target set would take 19.2 KB, more than the 50 bytes"),
        (dict(encoding=LandingProbability(steps=900_000)), "single target set would take 8.*, more than the 2"),
        (dict(encoding=LandingProbability(steps=900_000), layers=1), "neighbors it reads would take .* GB.*fewer"),
    ],
)
def test_sets_and_options_without_sense_are_refused(options, message):
    with pytest.raises((ParameterError, TargetError), match=message):
        blocks(star(1200), **{"sets": [(0, 1)], "layers": 2, "progress": False, **options})


def test_more_targets_than_distances_fit_are_refused():
    with pytest.raises(ParameterError, match=r"distances from 25,000 targets to 30,001 nodes would take 3.0 GB"):
        blocks(star(30_000), np.arange(25_000)[None, :], layers=1, encoding=SPD(), progress=False)


def test_a_batch_that_does_not_fit_is_refused_with_its_size():
    data = blocks(star(200), star(200).edges, layers=2, encoding=SPD(10_000), budget=20_000_000, progress=False)
    with pytest.raises(ParameterError, match=r"batch of 100 target sets would take 1.6 GB.*smaller batches"):
        data.batch(range(100))
    assert data.batch([0]).x_self.shape == (201, 10_003)


COMPILED = """
import degnn_explore as de
from numba.core import event

compiled = set()

class Listener(event.Listener):
    def on_start(self, event):
        compiled.add(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event):
        pass

event.register("numba:compile", Listener())
de.blocks(de.load("karate"), [(0, 1)], layers=2, encoding=de.SPD(3), progress=False).batch([0])
print(*compiled)
"""


def test_only_the_loops_that_are_called_are_compiled(tmp_path):
    """With an empty cache the first ``fit`` waits for them: for all of them it would be twice as long."""
    compiled = set(in_a_child(COMPILED, NUMBA_CACHE_DIR=str(tmp_path)).split())
    assert {"ball", "_distances", "_fill_neighbors"} <= compiled
    assert not compiled & {"shells_of", "_fill_shells", "dense_shell_means", "_thin", "_walk", "_read_own"}
