"""Tasks: splits by hand and by property, negatives, and the promise that nothing held out leaks."""

from __future__ import annotations

import warnings
from itertools import combinations
from math import comb

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.common.errors import GraphError, ParameterError, TargetError
from degnn_explore.learn import metrics, splits, tasks
from degnn_explore.learn.tasks import TASKS, Split


def random_graph(n: int, density: float, seed: int) -> de.Graph:
    rng = np.random.default_rng(seed)
    pairs = np.array(list(combinations(range(n), 2)))
    return de.Graph.from_edges(pairs[rng.random(len(pairs)) < density], n)


graphs = st.builds(random_graph, st.integers(12, 30), st.floats(0.15, 0.45), st.integers(0, 10**6))


def own_split(val, test, negatives=(), train=None) -> dict:
    """A split as OGB and PyG have it."""
    split = {"valid": {"edge": val}, "test": {"edge": test}, "train": {} if train is None else {"edge": train}}
    for name, pairs in dict(negatives).items():
        split[name]["edge_neg"] = pairs
    return split


def as_sets(split: Split) -> list[frozenset[int]]:
    return [frozenset(row) for row in split.sets.tolist()]


def by_label(split: Split, label: int) -> list[frozenset[int]]:
    return [s for s, y in zip(as_sets(split), split.labels, strict=True) if y == label]


@settings(max_examples=60, deadline=None)
@given(graphs, st.integers(0, 1000), st.sampled_from(["links", "triangles"]))
def test_existence_tasks_keep_every_promise(G, seed, kind):
    make = de.link_task if kind == "links" else de.triangle_task
    p = 2 if kind == "links" else 3
    full = G.to_networkx()
    true = {
        frozenset(s)
        for s in combinations(range(G.num_nodes), p)
        if all(full.has_edge(a, b) for a, b in combinations(s, 2))
    }
    if len(true) < 3:
        with pytest.raises(TargetError, match="too few"):
            make(G, seed=seed)
        return
    held_out, everything = 2 * max(1, round(0.1 * len(true))), comb(G.num_nodes, p)
    # held-out negatives are no positives; training negatives only avoid what training knows, and the held-out negatives
    if held_out > everything - len(true) or 2 * (len(true) - held_out) + held_out > everything:
        with pytest.raises(TargetError, match="too dense"):
            make(G, seed=seed)
        return
    task = make(G, seed=seed)
    parts = [task.train, task.val, task.test]
    positives, negatives = ([by_label(part, label) for part in parts] for label in (1, 0))
    for sets, number in ((positives, len(true)), (negatives, len(true))):
        every = [s for part in sets for s in part]
        assert len(every) == len(set(every)) == number  # nothing twice, nothing shared between splits
        assert all(len(s) == p for s in every)  # distinct nodes
    assert {s for part in positives for s in part} == true
    assert not true & {*negatives[1], *negatives[2]}  # no held-out negative is an edge or triangle of the full graph
    seen = {frozenset(e) for e in task.graph.edges.tolist()}
    closed = {s for s in true if all(frozenset(pair) in seen for pair in combinations(s, 2))}
    assert not (closed | {*positives[0]}) & {*negatives[0]}  # no training negative is known to be one
    for part in parts:
        assert 2 * part.labels.sum() == len(part) > 0
    held_out = {
        frozenset(pair)
        for part in parts[1:]
        for s, y in zip(as_sets(part), part.labels, strict=True)
        if y == 1
        for pair in combinations(s, 2)
    }
    kept = {frozenset(e) for e in task.graph.edges.tolist()}
    assert kept == {frozenset(e) for e in G.edges.tolist()} - held_out
    again = make(G, seed=seed)
    assert all(np.array_equal(getattr(task, name).sets, getattr(again, name).sets) for name in ("train", "val", "test"))


def test_links_of_a_ring_with_chords_split_80_10_10():
    G = de.Graph.from_edges([(i, (i + s) % 50) for i in range(50) for s in (1, 2)])
    task = de.link_task(G, seed=3)
    assert [len(part) for part in (task.train, task.val, task.test)] == [160, 20, 20]
    task = de.link_task(G, seed=3, split=(0.5, 0.2, 0.3))
    assert [len(part) for part in (task.train, task.val, task.test)] == [100, 40, 60]
    assert (task.kind, task.p, task.num_classes, task.metric, task.seed) == ("links", 2, 2, "auc", 3)


@pytest.mark.parametrize("make", [de.link_task, de.triangle_task])
def test_training_negatives_are_as_often_held_out_positives_as_chance_has_it(make):
    """They are drawn as if the full graph were not known; with the leak, none is."""
    G, held_out, drawn, free = random_graph(18, 0.4, 5), 0, 0, 0.0
    for seed in range(60):
        task, leaking = make(G, seed=seed), make(G, seed=seed, protocol="negatives_avoid_held_out")
        hidden = {*by_label(task.val, 1), *by_label(task.test, 1)}
        negatives = by_label(task.train, 0)
        held_out, drawn = held_out + len(hidden & {*negatives}), drawn + len(negatives)
        known = len(negatives) + len(by_label(task.val, 0)) + len(by_label(task.test, 0))
        share = len(hidden) / (comb(18, task.p) - known)
        free += len(negatives) * share
        assert not hidden & {*by_label(leaking.train, 0)}
        for part in ("val", "test"):  # what the leak is worth is measured on the same held-out sets
            assert np.array_equal(getattr(task, part).sets, getattr(leaking, part).sets)
    assert held_out / drawn == pytest.approx(free / drawn, rel=0.2)


def test_what_training_sees_does_not_depend_on_which_other_pair_is_held_out():
    """Given the same training links, training negatives are drawn from the same pairs, whatever was held out."""
    seen = set()
    for seed in range(200):
        task = de.link_task(RING, seed=seed, split=own_split(RING.edges[8:10], RING.edges[10:], train=RING.edges[:8]))
        seen |= {*by_label(task.train, 0)}
    everything = {frozenset(pair) for pair in combinations(range(12), 2)}
    assert seen == everything - {frozenset(pair) for pair in RING.edges[:8].tolist()}


def test_the_suggested_max_dist_covers_nine_in_ten_training_links():
    ladder = de.Graph.from_edges([(i, (i + s) % 60) for i in range(60) for s in (1, 9)])
    task = de.link_task(ladder)
    assert task.max_dist > 3 and de.build("DE-GNN-SPD", task).hyper["max_dist"] == task.max_dist
    assert de.build("DEA-GNN-SPD", task).hyper["max_dist"] == task.max_dist
    assert de.build("DE-GNN-SPD", task, max_dist=3).hyper["max_dist"] == 3
    assert de.build("SEAL", task).hyper["max_dist"] == 3  # its labels are the square of it
    ring = de.Graph.from_edges([(i, (i + 1) % 90) for i in range(90)])
    chords = de.set_task(ring, [(i, (i + 30) % 90) for i in range(90)], [0, 1] * 45)
    assert chords.max_dist == 20  # more columns than that cost more than they tell
    roles = de.role_task(de.load("karate"))
    assert roles.max_dist == de.build("DE-GNN-SPD", roles).hyper["max_dist"] == 3


def test_max_positives_takes_a_choice_and_leaves_the_rest_in_the_graph():
    G = random_graph(40, 0.3, 2)
    task = de.link_task(G, max_positives=50)
    assert len(task.train) + len(task.val) + len(task.test) == 100
    assert task.graph.num_edges == G.num_edges - 10
    negatives = task.train.sets[task.train.labels == 0]
    assert not task.graph.has_edges(negatives).any()


def test_a_task_of_very_many_links_says_how_to_take_fewer(monkeypatch):
    monkeypatch.setattr(tasks, "_MANY", 100)
    G = random_graph(40, 0.3, 2)
    with pytest.warns(UserWarning, match=f"all {G.num_edges} links .* max_positives=10_000; .*max_nodes_per_hop=50"):
        de.link_task(G)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        de.link_task(G, max_positives=100)


def test_links_are_learned_from_a_sample_with_capped_neighborhoods_and_judged_by_the_same(tmp_path):
    G = random_graph(60, 0.3, 2)
    task = de.link_task(G, max_positives=40)
    model = de.build("DE-GNN-SPD", task, max_nodes_per_hop=3, hidden=4)
    assert len(list(de.fit(model, task, epochs=2, progress=False))) == 2
    assert "80 of 80 ego-networks are seen in part: of the nodes met at a hop at most 3" in str(model.placement)
    de.save(model, tmp_path / "m.safetensors")
    again = de.load_model(tmp_path / "m.safetensors")
    assert again.hyper["max_nodes_per_hop"] == 3
    assert again.prepare(task.graph, task.test.sets).capped
    scores = de.predict(model, task.graph, task.test.sets)
    assert np.allclose(de.predict(again, task.graph, task.test.sets), scores)


@pytest.mark.parametrize("seed", range(5))
def test_triangles_agree_with_networkx(seed):
    G = random_graph(40, 0.25, seed)
    found = splits.triangles(G)
    assert len(found) == sum(nx.triangles(G.to_networkx()).values()) // 3
    assert (np.diff(found, axis=1) > 0).all()
    assert len(np.unique(found, axis=0)) == len(found)


def test_triangles_are_the_same_when_listed_in_chunks(monkeypatch):
    G = random_graph(40, 0.25, 9)
    whole = splits.triangles(G)
    monkeypatch.setattr(splits, "_WEDGES_AT_ONCE", 50)
    assert np.array_equal(splits.triangles(G), whole)


def test_a_graph_without_a_wedge_has_no_triangles():
    assert splits.triangles(de.Graph.from_edges([(0, 1), (2, 3)], 5)).shape == (0, 3)
    assert splits.triangles(de.Graph.from_edges([], 5)).shape == (0, 3)


def test_subsets_by_hand():
    assert splits.subsets(4, 3).tolist() == [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]


@pytest.mark.parametrize("missing", [10, 40])
def test_negatives_of_a_nearly_complete_graph_are_found_without_endless_draws(missing):
    pairs = np.array(list(combinations(range(60), 2)))
    gone = np.random.default_rng(0).choice(len(pairs), missing, replace=False)
    G = de.Graph.from_edges(np.delete(pairs, gone, axis=0), 60)
    task = de.link_task(G, max_positives=10)
    negatives = np.concatenate([part.sets[part.labels == 0] for part in (task.train, task.val, task.test)])
    assert len(negatives) == 10
    assert not task.graph.has_edges(negatives).any() and not G.has_edges(negatives[-2:]).any()


def test_negatives_are_uniform_over_the_pairs_that_are_no_edge():
    G = de.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)], 5)  # 6 pairs are no edge, 4 are drawn each time
    rng = np.random.default_rng(0)
    counts = np.zeros((5, 5))
    for _ in range(3000):
        for u, v in splits.negatives_of(G, G.edges, 4, rng, "links"):
            counts[u, v] += 1
    drawn = counts[np.triu_indices(5, k=1)]
    assert np.sum(drawn > 0) == 6
    assert np.allclose(drawn[drawn > 0], 2000, rtol=0.06)


def test_roles_are_split_class_by_class_and_unlabeled_nodes_left_out():
    labels = [0] * 20 + [7] * 10 + [-1] * 5 + [9] * 30
    G = de.Graph.from_edges([(i, i + 1) for i in range(64)], labels=labels)
    task = de.role_task(G)
    assert task.classes == (0, 7, 9)
    assert task.num_classes == 3
    assert np.bincount(task.train.labels).tolist() == [16, 8, 24]
    assert np.bincount(task.val.labels).tolist() == [2, 1, 3]
    assert np.bincount(task.test.labels).tolist() == [2, 1, 3]
    nodes = np.concatenate([task.train.sets, task.val.sets, task.test.sets]).ravel()
    assert sorted(nodes.tolist()) == [*range(30), *range(35, 65)]
    for part in (task.train, task.val, task.test):
        assert [task.classes[c] for c in part.labels] == [labels[u] for u in part.sets.ravel()]
    assert task.graph is G


def test_set_task_removes_edges_inside_held_out_sets_whatever_their_class():
    G = random_graph(20, 0.5, 4)
    sets = [(i, i + 1, i + 2, i + 3) for i in range(0, 17)]
    task = de.set_task(G, sets, [i % 2 for i in range(17)])
    assert (task.p, task.metric) == (4, "auc")
    for row in np.concatenate([task.val.sets, task.test.sets]):
        assert not task.graph.has_edges(list(combinations(row, 2))).any()
    assert de.set_task(G, sets, [i % 2 for i in range(17)], remove_edges=False).graph is G


def test_set_task_takes_names_and_keeps_order():
    names = [f"n{i}" for i in range(12)]
    G = de.Graph.from_edges([(i, (i + 1) % 12) for i in range(12)], names=names)
    task = de.set_task(G, [(f"n{(i + 3) % 12}", f"n{i}") for i in range(12)], [0, 1] * 6)
    assert all((a - b) % 12 == 3 for part in (task.train, task.val, task.test) for a, b in part.sets.tolist())


RING = de.Graph.from_edges([(i, (i + 1) % 12) for i in range(12)])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: de.role_task(RING), GraphError, "with_labels"),
        (lambda: de.role_task(RING.with_labels([1] * 12)), TargetError, "at least two classes"),
        (lambda: de.role_task(RING.with_labels([1] * 10 + [0] * 2)), TargetError, "2 sets of class 0, too few"),
        (lambda: de.link_task(de.Graph.from_edges([(0, 1), (1, 2)], 9)), TargetError, "2 links, too few"),
        (lambda: de.triangle_task(RING), TargetError, "0 triangles, too few"),
        (lambda: de.link_task(de.Graph.from_networkx(nx.complete_graph(9))), TargetError, "too dense"),
        (lambda: de.link_task(RING, split=(0.8, 0.2)), ParameterError, "three shares"),
        (lambda: de.link_task(RING, split=(0.8, 0.2, 0.2)), ParameterError, "add up to 1"),
        (lambda: de.link_task(RING, split=(0.9, 0.1, 0.0)), ParameterError, "positive shares"),
        (lambda: de.link_task(RING, seed=-1), ParameterError, "seed"),
        (lambda: de.set_task(RING, [(0, 1), (1, 0)], [0, 1]), TargetError, "given twice"),
        (lambda: de.set_task(RING, [(0, 1), (1, 2, 3)], [0, 1]), TargetError, "sizes"),
        (lambda: de.set_task(RING, [(0, 1)], [0.5]), TargetError, "whole number"),
        (lambda: de.set_task(RING, [(0, 99)], [0]), TargetError, "Node 99"),
        (lambda: de.set_task(RING, [], []), TargetError, "no target sets"),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


# ---- attributes that know what is held out --------------------------------------------------------

CELEGANS = de.load("celegans")


@pytest.mark.parametrize(
    "leaking",
    [lambda d: d, np.log1p, lambda d: -np.sqrt(d), lambda d: np.stack([np.arange(len(d)) % 7, d**2], axis=1)],
    ids=["degree", "logarithm", "falling", "second column"],
)
@pytest.mark.parametrize("make", [de.link_task, de.triangle_task])
def test_degrees_of_the_full_graph_as_attributes_are_warned_of(leaking, make):
    with pytest.warns(UserWarning, match=r"Attribute column [01] \(-?1.00\) follows the degrees of the full") as seen:
        make(CELEGANS.with_attributes(leaking(CELEGANS.degrees.astype(float))))
    assert seen[0].filename == __file__


def test_pagerank_of_the_full_graph_is_warned_of():
    scores = nx.pagerank(CELEGANS.to_networkx())
    with pytest.warns(UserWarning, match="Attribute column 0"):
        de.link_task(CELEGANS.with_attributes([scores[u] for u in range(CELEGANS.num_nodes)]))


@pytest.mark.filterwarnings("error")
def test_attributes_that_know_nothing_of_held_out_links_are_not_warned_of():
    task = de.link_task(CELEGANS)
    rng = np.random.default_rng(0)
    loosely = CELEGANS.degrees * np.exp(rng.normal(0, 1, 297))  # as the size of a city goes with its flights
    columns = np.stack([rng.normal(size=297), task.graph.degrees, np.ones(297), loosely], axis=1)
    de.link_task(CELEGANS.with_attributes(columns))
    flights = de.load("us-flights")
    de.link_task(flights.with_attributes(["latitude", "longitude", "flights"]))
    de.role_task(flights.with_attributes(flights.degrees))  # nothing is held out of the graph


def test_labels_beyond_what_fits_are_refused():
    with pytest.raises(TargetError, match="whole number"):
        de.set_task(RING, [(0, 1), (1, 2)], np.array([0, 2**64 - 1], dtype=np.uint64))


def test_tasks_are_one_table():
    made = {kind: entry.make(CELEGANS.with_labels(np.arange(297) % 3)) for kind, entry in TASKS.items()}
    assert {kind: (task.kind, task.p, task.metric) for kind, task in made.items()} == {
        kind: (kind, entry.p, entry.metric) for kind, entry in TASKS.items()
    }
    assert [task.class_names for task in made.values()] == [
        ["class 0", "class 1", "class 2"],
        ["not linked", "linked"],
        ["no triangle", "triangle"],
    ]
    own = de.set_task(RING, [(i, (i + 3) % 12) for i in range(12)], [4, 9] * 6)
    assert (own.kind, own.class_names, own.metric) == ("sets", ["class 4", "class 9"], "auc")


# ---- tasks in one's own words ---------------------------------------------------------------------

CHORDS = de.Graph.from_edges([(i, (i + s) % 20) for i in range(20) for s in (1, 2)], names=[f"n{i}" for i in range(20)])


def pairs(part: Split, label: int) -> set[tuple[int, ...]]:
    return {tuple(row) for row in part.sets[part.labels == label].tolist()}


def test_own_links_and_negatives_are_used_as_they_are():
    frame = pd.DataFrame({"from": ["n5", "n7"], "to": ["n4", "n6"]})
    others = {"train": [(0, 9), (0, 10), (0, 11)], "valid": np.array([[1, 11]]), "test": [("n2", "n12")]}
    task = de.link_task(CHORDS, split=own_split(frame, [("n9", "n10")], others, train=CHORDS.edges[:3]))
    assert (pairs(task.train, 1), pairs(task.train, 0)) == ({(0, 1), (0, 2), (0, 18)}, {(0, 9), (0, 10), (0, 11)})
    assert (pairs(task.val, 1), pairs(task.val, 0)) == ({(4, 5), (6, 7)}, {(1, 11)})
    assert (pairs(task.test, 1), pairs(task.test, 0)) == ({(9, 10)}, {(2, 12)})
    assert task.full_graph is CHORDS and task.class_names == ["not linked", "linked"]
    gone = {tuple(e) for e in CHORDS.edges.tolist()} - {tuple(e) for e in task.graph.edges.tolist()}
    assert gone == {(4, 5), (6, 7), (9, 10)}


def test_splits_of_ogb_and_pyg_are_taken_as_they_are():
    """OGB's ogbl-collab has weights and years, PyG's splits list both directions of a training link."""
    tensors = {name: torch.tensor(np.array(rows)) for name, rows in (("val", [(0, 1)]), ("test", [(4, 5)]))}
    train = torch.from_numpy(CHORDS.edges[2:8].copy())
    plain = de.link_task(CHORDS, split=own_split(tensors["val"], tensors["test"], train=train))
    both = own_split(tensors["val"], tensors["test"], train=torch.cat([train, train.flip(1)]))
    both["train"] |= {"weight": torch.ones(12), "year": torch.full((12,), 2017)}
    assert de.link_task(CHORDS, split=both).digest() == plain.digest()
    assert pairs(plain.train, 1) == {tuple(e) for e in train.tolist()} and len(plain.train) == 12


def test_links_beyond_a_training_graph_are_in_the_full_graph_only():
    task = de.link_task(CHORDS, split=own_split([(0, 5)], [(0, 6)]))
    assert task.full_graph.has_edges([(0, 5), (0, 6)]).all() and not task.graph.has_edges([(0, 5), (0, 6)]).any()
    assert task.graph.digest() == CHORDS.digest() and task.full_graph.names == CHORDS.names
    assert len(task.train) == 80 and pairs(task.train, 1) == {tuple(e) for e in CHORDS.edges.tolist()}


@settings(max_examples=40, deadline=None)
@given(graphs, st.integers(0, 1000), st.data())
def test_own_parts_keep_every_promise(G, seed, data):
    """Whatever is given is there, whatever is not is drawn, and no set is in two places."""
    order = data.draw(st.permutations(range(G.num_edges)))
    a, b = sorted(data.draw(st.tuples(st.integers(1, G.num_edges - 2), st.integers(1, G.num_edges - 2))))
    val, test = G.edges[list(order[:a])], G.edges[list(order[a : b + 1])]
    free = np.array([e for e in combinations(range(G.num_nodes), 2) if not G.has_edge(*e)])
    own = free[data.draw(st.permutations(range(len(free))))[: data.draw(st.integers(1, 9))]]
    negatives = data.draw(st.sampled_from([{}, {"test": own}, {"train": own[:, ::-1]}]))
    try:
        task = de.link_task(G, split=own_split(val, test[:, ::-1], negatives), seed=seed)
    except TargetError as error:
        assert "too dense" in str(error)
        return
    edges = {tuple(e) for e in G.edges.tolist()}
    held_out = {tuple(e) for e in [*val.tolist(), *test.tolist()]}
    assert (pairs(task.val, 1), pairs(task.test, 1)) == ({*map(tuple, val.tolist())}, {*map(tuple, test.tolist())})
    assert pairs(task.train, 1) == edges - held_out == {tuple(e) for e in task.graph.edges.tolist()}
    wrong = [pair for part in (task.train, task.val, task.test) for pair in pairs(part, 0)]
    assert len(wrong) == len(set(wrong)) and not set(wrong) & (edges - held_out)
    assert not (pairs(task.val, 0) | pairs(task.test, 0)) & edges
    chosen = {tuple(sorted(e)) for e in own.tolist()}
    for part in negatives:
        assert pairs(getattr(task, part), 0) == chosen


def test_roles_in_own_parts():
    G = RING.with_labels([0, 1] * 5 + [0, -1])
    mask = np.arange(12) == 4
    task = de.role_task(G, val=mask, test=[5, 6])
    assert [part.sets[:, 0].tolist() for part in (task.train, task.val, task.test)] == [
        [0, 1, 2, 3, 7, 8, 9, 10],
        [4],
        [5, 6],
    ]
    assert task.test.labels.tolist() == [1, 0] and task.graph is G
    task = de.role_task(G, train=["0", "1"], val=[2, 3], test=[4])
    assert task.train.labels.tolist() == [0, 1]
    with pytest.warns(UserWarning, match="No training set is of class 1"):
        de.role_task(G, train=[0, 2], val=[4], test=[5])


def test_set_task_keeps_words_and_parts():
    sets, words = [(i, (i + 3) % 12, (i + 5) % 12) for i in range(12)], ["mid", "low", "top"] * 4
    task = de.set_task(RING, pd.DataFrame(sets), pd.Series(words))
    assert (task.class_names, task.classes, task.p) == (["low", "mid", "top"], (0, 1, 2), 3)
    assert {words[row[0]] for row in task.train.sets[task.train.labels == 2].tolist()} == {"top"}
    ordered = de.set_task(RING, sets, words, class_names=["low", "mid", "top"][::-1])
    assert ordered.class_names == ["top", "mid", "low"]
    assert {words[row[0]] for row in ordered.train.sets[ordered.train.labels == 0].tolist()} == {"top"}
    assert de.set_task(RING, sets, [5, 2, 5] * 4, class_names=["few", "many"]).class_names == ["few", "many"]
    assert de.set_task(RING, sets, [5, 2, 5] * 4, class_names={5: "many", 2: "few"}).class_names == ["few", "many"]
    parts = ["train"] * 8 + ["val", "test"] * 2
    own = de.set_task(RING, sets, words, split=parts)
    assert [part.sets[:, 0].tolist() for part in (own.train, own.val, own.test)] == [[*range(8)], [8, 10], [9, 11]]


def asked(*parts, **more):
    return lambda: de.link_task(CHORDS, split=own_split(*parts, **more))


LINKS = [(0, 1)], [(4, 5)]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: de.link_task(CHORDS, split={"test": {"edge": [(0, 1)]}}), ParameterError, '"valid" and "test"'),
        (lambda: de.link_task(CHORDS, split={"valid": [(0, 1)], "test": [(1, 2)]}), ParameterError, '"edge": pairs'),
        (lambda: de.link_task(CHORDS, split={"trian": {"edge": [(0, 9)]}}), ParameterError, "'train'"),
        (lambda: de.link_task(CHORDS, split=own_split(*LINKS), max_positives=5), ParameterError, "max_positives"),
        (asked([(0, 1)], [(1, 0)]), TargetError, "{n0, n1} is given twice, in val and"),
        (asked(*LINKS, train=[(0, 9)]), TargetError, "train: {n0, n9} is not an edge"),
        (asked([(0, 1)], [(0, 9)]), TargetError, "Of 2 links held out 1 are in"),
        (asked(*LINKS, {"valid": [(0, 9), (4, 5)]}), TargetError, "{n4, n5} is a link"),
        (asked(*LINKS, {"test": [(0, 9), (9, 0), (0, 8)]}), TargetError, "given twice"),
        (asked([("n0", "nn")], [(1, 2)]), TargetError, "val: No node is called 'nn'"),
        (asked([(0, 1, 2)], [(1, 2)]), TargetError, "val: sets of 2 nodes"),
        (asked(np.zeros((2, 3), int), [(1, 2)]), TargetError, r"val: pairs are expected as \[k, 2\]"),
        (asked(*LINKS, {"train": []}, train=[]), TargetError, "train: there are no sets"),
        (asked(CHORDS.edges[:20], CHORDS.edges[20:]), TargetError, "No edge is left for training"),
        (lambda: de.role_task(RING.with_labels([-1] * 12)), GraphError, "all labels of this graph are missing"),
        (lambda: de.role_task(RING.with_labels([0, 1] * 5 + [-1] * 2), val=[0], test=[11]), TargetError, "no label"),
        (lambda: de.set_task(RING, [(0, 1)], ["a"], class_names="a"), ParameterError, "1 different names"),
        (
            lambda: de.set_task(RING, [(0, 1), (1, 2)], ["a", "b"], class_names=["a", "c"]),
            ParameterError,
            "class_names",
        ),
        (lambda: de.set_task(RING, [(0, 1), (1, 2)], ["a", None]), TargetError, "or one word"),
        (lambda: de.set_task(RING, [(0, 1), (1, 2)], [0, 1], split=["train"]), ParameterError, "2 sets; 1 were given"),
        (lambda: de.set_task(RING, [(0, 1), (1, 2)], [0, 1], split=["train", "val"]), TargetError, "No set is in test"),
    ],
)
def test_own_parts_that_leak_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


# ---- several graphs -------------------------------------------------------------------------------


def test_a_union_is_split_graph_by_graph_and_negatives_stay_within_a_graph():
    parts = [random_graph(30, 0.2, 1), random_graph(20, 0.3, 2)]
    union = de.disjoint_union(parts)
    assert union.num_nodes == 50 and union.num_edges == sum(G.num_edges for G in parts)
    for make in (de.link_task, de.triangle_task):
        task = make(union, seed=3)
        for part in (task.train, task.val, task.test):
            of = union.parts[part.sets]
            assert (of == of[:, :1]).all() and set(of[:, 0]) == {0, 1}
            for number in (0, 1):
                assert 2 * part.labels[of[:, 0] == number].sum() == (of[:, 0] == number).sum()
        assert not task.full_graph.has_edges(task.test.sets[task.test.labels == 0][:, :2]).all()
    assert de.link_task(parts[0]).graph.parts is None


def test_the_metrics_of_a_union_are_the_mean_over_its_graphs():
    union = de.disjoint_union([random_graph(30, 0.2, 1), random_graph(20, 0.3, 2)])
    task = de.link_task(union)
    model = de.build("DE-GNN-SPD", task, hidden=8)
    (epoch,) = de.fit(model, task, epochs=1, progress=False)
    scores, of = de.predict(model, task.graph, task.test.sets), union.parts[task.test.sets[:, 0]]
    each = [metrics.auc(scores[of == g], task.test.labels[of == g]) for g in (0, 1)]
    assert epoch.test["auc"] == pytest.approx(np.mean(each)) != pytest.approx(metrics.auc(scores, task.test.labels))


def test_a_model_says_the_same_of_a_set_on_the_union_and_on_its_graph():
    one, other = random_graph(30, 0.2, 1), random_graph(20, 0.3, 2)
    union = de.disjoint_union([one, other])
    for name in ("GIN", "DE-GNN-SPD", "DEA-GNN-SPD", "SEAL"):
        model = de.build(name, de.link_task(one))
        alone = de.predict(model, other, other.edges[:9])
        assert de.predict(model, union, other.edges[:9] + 30) == pytest.approx(alone, abs=1e-5)


def test_a_union_keeps_names_apart_and_refuses_what_does_not_fit():
    named = de.Graph.from_edges([("a", "b"), ("b", "c")], attributes=[[1.0], [2.0], [3.0]])
    assert de.disjoint_union([named, named]).names == ("0:a", "0:b", "0:c", "1:a", "1:b", "1:c")
    assert de.disjoint_union([named, named]).relabel([3, 0, 1, 2, 4, 5]).parts.tolist() == [1, 0, 0, 0, 1, 1]
    with pytest.raises(GraphError, match="1, 2 columns of attributes"):
        de.disjoint_union([named, named.with_attributes(np.ones((3, 2)))])
    with pytest.raises(ParameterError, match="list of graphs"):
        de.disjoint_union(named)
    union = de.disjoint_union([RING, RING])
    with pytest.raises(TargetError, match="several graphs"):
        de.set_task(union, [(0, 13), (1, 2)], [0, 1])
    for options in ({"protocol": "negatives_repeat"}, {"per_positive": 5}):
        with pytest.raises(ParameterError, match="disjoint union"):
            de.link_task(union, **options)
    with pytest.raises(ParameterError, match="disjoint_union"):
        de.build("GCN", [de.link_task(CHORDS), de.link_task(CHORDS)])


def test_classes_are_called_as_their_labels_were_given() -> None:
    G = de.Graph.from_edges([(i, (i + 1) % 20) for i in range(20)], labels=[i % 2 for i in range(20)])
    assert de.role_task(G).class_names == ["class 0", "class 1"]
    named = G.with_info({"label": ["hub" if i % 2 else "leaf" for i in range(20)]})
    assert de.role_task(named).class_names == ["leaf", "hub"]
    unclear = G.with_info({"label": ["hub"] * 20})
    assert de.role_task(unclear).class_names == ["class 0", "class 1"]


# ---- what each option changes, and what it leaves -------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        de.role_task,
        de.link_task,
        de.triangle_task,
        lambda G, **options: de.set_task(G, [(i, (i + 3) % 34) for i in range(34)], [0, 1] * 17, **options),
    ],
    ids=["roles", "links", "triangles", "sets"],
)
def test_seed_and_shares_change_the_split_and_not_the_question(make) -> None:
    G = de.load("karate")
    plain, seeded, shared = make(G), make(G, seed=1), make(G, split=(0.6, 0.2, 0.2))
    sizes = [[len(part) for part in (task.train, task.val, task.test)] for task in (plain, seeded, shared)]
    assert sizes[0] == sizes[1] and sizes[2][0] < sizes[0][0] and sizes[2][1] > sizes[0][1]
    assert not np.array_equal(plain.test.sets, seeded.test.sets) and seeded.seed == 1
    for task in (seeded, shared):
        assert (task.kind, task.p, task.classes, task.metric) == (plain.kind, plain.p, plain.classes, plain.metric)
        assert task.full_graph is G
        everything = [np.concatenate([each.train.sets, each.val.sets, each.test.sets]) for each in (plain, task)]
        labels = [np.concatenate([each.train.labels, each.val.labels, each.test.labels]) for each in (plain, task)]
        positives = [{tuple(row) for row in sets[y == 1].tolist()} for sets, y in zip(everything, labels, strict=True)]
        assert positives[0] == positives[1]


def test_a_task_is_itself_and_can_be_a_key() -> None:
    task, again = (de.link_task(RING) for _ in range(2))
    assert {task: 1, again: 2}[task] == 1 and task != again


def test_max_positives_of_triangles_takes_a_choice() -> None:
    task = de.triangle_task(de.load("karate"), max_positives=10)
    assert sum(len(part) for part in (task.train, task.val, task.test)) == 20


def test_parts_that_leave_nothing_to_learn_from_are_refused() -> None:
    G = RING.with_labels([0, 1] * 6)
    with pytest.raises(TargetError, match="train"):
        de.role_task(G, val=range(6), test=range(6, 12))
    with pytest.raises(TargetError, match="train"):
        de.role_task(G, train=[], val=[0], test=[1])
    with pytest.raises(TargetError, match="train"):
        de.link_task(RING, split=own_split(RING.edges[:6], RING.edges[6:], train=[]))
    with pytest.raises(TargetError, match="train"):
        de.set_task(RING, [(0, 1), (1, 2)], [0, 1], split=["val", "test"])
