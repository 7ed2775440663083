"""Tasks: what every split promises, checked set by set against slow versions; each option; what is refused."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.common.errors import GraphError, ParameterError, TargetError
from degnn_explore.learn import splits, tasks
from degnn_explore.learn.hints import distance_hint, suggested_max_dist
from degnn_explore.learn.tasks import Split

from .small_nets import random_graph

Pair = tuple[int, ...]
RING = de.Graph.from_edges([(i, (i + 1) % 12) for i in range(12)])
CHORDS = de.Graph.from_edges([(i, (i + s) % 20) for i in range(20) for s in (1, 2)], names=[f"n{i}" for i in range(20)])
CELEGANS, KARATE = de.load("celegans"), de.load("karate")
graphs = st.builds(random_graph, st.integers(12, 30), st.floats(0.15, 0.45), st.integers(0, 10**6))


def edges_of(G: de.Graph) -> set[Pair]:
    return {tuple(edge) for edge in G.edges.tolist()}


def closed_sets(G: de.Graph, p: int) -> set[Pair]:
    """All sets of p nodes that are linked to each other, one by one."""
    edges = edges_of(G)
    return {S for S in combinations(range(G.num_nodes), p) if edges.issuperset(combinations(S, 2))}


def parts_of(task: de.Task) -> list[Split]:
    return [task.train, task.val, task.test]


def sets(split: Split, label: int) -> list[Pair]:
    return [tuple(sorted(row)) for row in split.sets[split.labels == label].tolist()]


def inner_pairs(rows: Any) -> set[Pair]:
    return {pair for S in rows for pair in combinations(sorted(S), 2)}


def check(task: de.Task, G: de.Graph) -> None:
    """What a task of links or triangles promises."""
    true = closed_sets(G, task.p)
    yes, no = ([sets(part, label) for part in parts_of(task)] for label in (1, 0))
    for lists in (yes, no):
        every = [S for listed in lists for S in listed]
        assert len(every) == len(set(every))  # none twice, none in two parts
        assert all(len(set(S)) == task.p for S in every)
    assert true.issuperset(yes[0] + yes[1] + yes[2]) and not true.intersection(no[1] + no[2])
    assert edges_of(task.graph) == edges_of(G) - inner_pairs(yes[1] + yes[2])
    assert edges_of(task.full_graph) == edges_of(G)
    assert not closed_sets(task.graph, task.p).union(yes[0]).intersection(no[0])  # what training knows
    assert task.graph.names == task.full_graph.names == G.names
    if G.parts is not None:
        assert all(len({G.parts[v] for v in S}) == 1 for lists in (yes, no) for listed in lists for S in listed)


# ---- links and triangles --------------------------------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(
    graphs,
    st.integers(0, 1000),
    st.sampled_from([de.link_task, de.triangle_task]),
    st.sampled_from([(0.8, 0.1, 0.1), (0.5, 0.2, 0.3), (0.02, 0.08, 0.9), (0.02, 0.49, 0.49), (0.98, 0.01, 0.01)]),
    st.sampled_from([None, 3, 20]),
)
def test_drawn_links_and_triangles_keep_every_promise(
    G: de.Graph, seed: int, make: Any, shares: tuple[float, float, float], most: int | None
) -> None:
    p = 2 if make is de.link_task else 3
    true = len(closed_sets(G, p))
    count = true if most is None else min(true, most)
    sizes = [len(rows) for rows in splits.split_rows(np.arange(count), shares, "sets")] if count > 2 else []
    held_out, everything = sum(sizes[1:]), comb(G.num_nodes, p)
    options = {"seed": seed, "split": shares, "max_positives": most}
    # held-out negatives avoid all positives; those of training what training knows, and the held-out negatives
    if not sizes or everything - true < held_out or everything - (true - held_out) - held_out < sizes[0]:
        with pytest.raises(TargetError, match="too dense" if sizes else "too few"):
            make(G, **options)
        return
    task = make(G, **options)
    check(task, G)
    assert [len(sets(part, label)) for label in (1, 0) for part in parts_of(task)] == sizes * 2
    assert sum(sizes) == count and min(sizes) >= 1
    assert np.allclose(sizes, count * np.array(shares), atol=1) or min(shares) * count < 1
    assert make(G, **options).digest() == task.digest()


@pytest.mark.parametrize("make", [de.link_task, de.triangle_task])
def test_training_negatives_are_held_out_positives_as_often_as_chance_has_it(make: Any) -> None:
    """They are drawn as if the full graph were unknown; with the leak, none is held out."""
    G, hits, wanted = random_graph(18, 0.4, 5), 0, 0.0
    for seed in range(60):
        task, leaking = make(G, seed=seed), make(G, seed=seed, protocol="negatives_avoid_held_out")
        hidden, negatives = {*sets(task.val, 1), *sets(task.test, 1)}, sets(task.train, 0)
        hits += len(hidden.intersection(negatives))
        unknown = comb(18, task.p) - len(sets(task.train, 1)) - len(sets(task.val, 0)) - len(sets(task.test, 0))
        wanted += len(negatives) * len(hidden) / unknown
        assert not hidden.intersection(sets(leaking.train, 0))
        for part in ("val", "test"):  # the leak is measured on the same held-out sets
            assert np.array_equal(getattr(task, part).sets, getattr(leaking, part).sets)
    assert hits == pytest.approx(wanted, rel=0.2)


@settings(max_examples=40, deadline=None)
@given(st.builds(random_graph, st.integers(2, 14), st.floats(0, 0.8), st.integers(0, 10**6)))
def test_triangles_are_those_of_a_slow_search_also_when_listed_in_chunks(G: de.Graph) -> None:
    for at_once in (splits.WEDGES_AT_ONCE, 3):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(splits, "WEDGES_AT_ONCE", at_once)
            assert splits.triangles(G).tolist() == [list(S) for S in sorted(closed_sets(G, 3))]


def test_max_positives_takes_a_sample_and_leaves_the_rest_in_the_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    G = random_graph(40, 0.3, 2)
    monkeypatch.setattr(tasks, "MANY_POSITIVES", G.num_edges - 1)
    with pytest.warns(UserWarning, match="max_positives=") as seen:
        de.link_task(G)
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        task, other = (de.link_task(G, max_positives=50, seed=seed) for seed in (0, 1))
        monkeypatch.setattr(tasks, "MANY_POSITIVES", G.num_edges)
        de.link_task(G)
    check(task, G)
    assert task.graph.num_edges == G.num_edges - 10
    assert {*sets(task.train, 1)} != {*sets(other.train, 1)} and len(de.link_task(G, max_positives=10**9).train) > 300


# ---- labeled sets ---------------------------------------------------------------------------------------------------


def test_roles_are_split_class_by_class_and_unlabeled_nodes_are_left_out() -> None:
    labels = [0] * 20 + [7] * 10 + [-1] * 5 + [9] * 30
    G = de.Graph.from_edges([(i, i + 1) for i in range(64)], labels=labels)
    for split in ((0.8, 0.1, 0.1), (0.5, 0.3, 0.2)):
        task = de.role_task(G, split=split)
        assert (task.classes, task.num_classes, task.metric) == ((0, 7, 9), 3, "accuracy") and task.graph is G
        assert sorted(np.concatenate([part.sets for part in parts_of(task)]).ravel()) == [*range(30), *range(35, 65)]
        for part, share in zip(parts_of(task), split, strict=True):
            assert np.bincount(part.labels).tolist() == [round(share * k) for k in (20, 10, 30)]
            assert [task.classes[c] for c in part.labels] == [labels[u] for u in part.sets.ravel()]


@pytest.mark.parametrize(
    ("labels", "class_names", "codes", "classes", "names"),
    [
        ([True, False, True], None, [1, 0, 1], (0, 1), ()),
        (np.array([2, 9, 2], dtype=np.uint8), None, [0, 1, 0], (2, 9), ()),
        ([7, 3, 7], {7: "high", 3: "low"}, [1, 0, 1], (3, 7), ("low", "high")),
        (pd.Series(["b", "a", "b"]), None, [1, 0, 1], (0, 1), ("a", "b")),
        (np.array(["b", "a", "b"], dtype=object), ["b", "a"], [0, 1, 0], (0, 1), ("b", "a")),
        (["b", "a", "b"], {"b": "bad", "a": "good"}, [1, 0, 1], (0, 1), ("good", "bad")),
        (["x", "z", "y"], ["z", "x", "y"], [1, 0, 2], (0, 1, 2), ("z", "x", "y")),
    ],
)
def test_labels_and_names_become_classes(
    labels: Any, class_names: Any, codes: list[int], classes: Pair, names: tuple[str, ...]
) -> None:
    found = tasks.coded(labels, 3, class_names)
    assert (found[0].tolist(), found[1], found[2]) == (codes, classes, names)


def test_set_task_keeps_words_parts_and_the_order_of_nodes() -> None:
    rows, words = [(f"n{(i + 3) % 20}", f"n{i}") for i in range(20)], ["far", "near"] * 10
    task = de.set_task(CHORDS, pd.DataFrame(rows), pd.Series(words))
    assert (task.kind, task.p, task.metric, task.class_names) == ("sets", 2, "auc", ["far", "near"])
    for part in parts_of(task):
        assert all((a - b) % 20 == 3 and label == b % 2 for (a, b), label in zip(part.sets, part.labels, strict=True))
    assert de.set_task(CHORDS, rows, words, seed=1).digest() != task.digest()
    turned = de.set_task(CHORDS, rows, words, class_names=["near", "far"])
    assert turned.class_names == ["near", "far"] and np.array_equal(turned.test.labels, turned.test.sets[:, 0] % 2)
    task = de.set_task(CHORDS, rows, [4, 2, 9, 9] * 5, split=["train"] * 16 + ["val", "test"] * 2)
    assert [part.sets[:, 1].tolist() for part in parts_of(task)] == [[*range(16)], [16, 18], [17, 19]]
    assert task.class_names == ["class 2", "class 4", "class 9"]
    assert task.metric == "accuracy" and task.test.labels.tolist() == [0, 2]


def test_set_task_removes_edges_inside_held_out_sets_whatever_their_class() -> None:
    G, rows = random_graph(20, 0.5, 4), [(i, i + 1, i + 2, i + 3) for i in range(17)]
    task = de.set_task(G, rows, [i % 2 for i in range(17)])
    inside = inner_pairs([*task.val.sets.tolist(), *task.test.sets.tolist()])
    assert edges_of(task.graph) == edges_of(G) - inside < edges_of(G)
    assert de.set_task(G, rows, [i % 2 for i in range(17)], remove_edges=False).graph is G


@given(st.lists(st.integers(0, 6), max_size=5), st.lists(st.integers(0, 6), max_size=5))
def test_keys_are_looked_up_as_numpy_looks_them_up(keys: list[int], known: list[int]) -> None:
    found = splits.is_among(np.array(keys, dtype=np.int64), np.array(sorted(known), dtype=np.int64))
    assert found.tolist() == np.isin(keys, known).tolist()


def test_roles_in_given_parts() -> None:
    G, mask = RING.with_labels([0, 1] * 5 + [0, -1]), np.arange(12) == 4
    for val in (mask, torch.from_numpy(mask), [4], ["4"], pd.DataFrame({"node": ["4"]})):
        task = de.role_task(G, val=val, test=[6, 5])
        nodes = [part.sets[:, 0].tolist() for part in parts_of(task)]
        assert nodes == [[0, 1, 2, 3, 7, 8, 9, 10], [4], [6, 5]]
        assert task.test.labels.tolist() == [0, 1] and task.graph is G
    assert de.role_task(G, train=["0", "1"], val=[2, 3], test=[4]).train.sets.tolist() == [[0], [1]]
    with pytest.warns(UserWarning, match="class 1") as seen:
        de.role_task(G, train=[0, 2], val=[4], test=[5])
    assert seen[0].filename == __file__


def test_classes_are_called_by_the_words_of_the_file_if_each_has_one() -> None:
    G = de.Graph.from_edges([(i, (i + 1) % 20) for i in range(20)], labels=[i % 2 for i in range(20)])
    for words, names in (
        (["hub" if i % 2 else "leaf" for i in range(20)], ["leaf", "hub"]),
        (["hub"] * 20, ["class 0", "class 1"]),
        (["hub" if i % 2 else f"leaf {i}" for i in range(20)], ["class 0", "class 1"]),
    ):
        assert de.role_task(G.with_info({"label": words, "type": ["a", "b"] * 10})).class_names == names
    assert de.role_task(G).class_names == ["class 0", "class 1"]


# ---- links in given parts -------------------------------------------------------------------------------------------


def own_split(val: Any, test: Any, negatives: Any = (), train: Any = None) -> dict[str, Any]:
    """A split as OGB and PyG have it."""
    split = {"valid": {"edge": val}, "test": {"edge": test}, "train": {} if train is None else {"edge": train}}
    for name, pairs in dict(negatives).items():
        split[name]["edge_neg"] = pairs
    return split


@settings(max_examples=40, deadline=None)
@given(graphs, st.integers(0, 1000), st.data())
def test_given_links_and_negatives_stay_and_the_others_keep_every_promise(G: de.Graph, seed: int, data: Any) -> None:
    order = data.draw(st.permutations(range(G.num_edges)))
    a, b = sorted(data.draw(st.tuples(st.integers(1, G.num_edges - 2), st.integers(1, G.num_edges - 2))))
    val, test, train = np.split(G.edges[list(order)], [a, b + 1])
    free = np.array([pair for pair in combinations(range(G.num_nodes), 2) if not G.has_edge(*pair)])
    own = free[data.draw(st.permutations(range(len(free))))[: data.draw(st.integers(1, 9))]]
    given = data.draw(
        st.sampled_from([{}, {"test": own}, {"train": own[:, ::-1]}, {"valid": own[:1], "test": own[1:]}])
    )
    negatives = {name: rows for name, rows in given.items() if len(rows)}
    inside = data.draw(st.booleans())  # the whole graph, or the training graph
    try:
        from_graph = G if inside else G.without_edges(np.concatenate([val, test]))
        task = de.link_task(from_graph, split=own_split(val, test[:, ::-1], negatives), seed=seed)
    except TargetError as error:
        assert "too dense" in str(error)
        return
    check(task, G)
    for name, part, rows in zip(("train", "valid", "test"), parts_of(task), (train, val, test), strict=True):
        assert {*sets(part, 1)} == {*map(tuple, rows.tolist())}
        if name in negatives:
            assert sets(part, 0) == [tuple(sorted(row)) for row in negatives[name].tolist()]
        else:
            assert len(sets(part, 0)) == len(sets(part, 1))


def test_a_split_may_be_in_any_form_and_as_ogb_and_pyg_write_it() -> None:
    val, test, train = [[5, 4], [6, 7]], [[9, 10]], CHORDS.edges[2:8]
    plain = de.link_task(CHORDS, split=own_split(val, test, train=train))
    assert sets(plain.val, 1) == [(4, 5), (6, 7)] and {*sets(plain.train, 1)} == {*map(tuple, train.tolist())}
    for form in (
        np.array,
        torch.tensor,
        lambda rows: [{*row} for row in rows],
        lambda rows: pd.DataFrame([(f"n{u}", f"n{v}") for u, v in rows], columns=["from", "to"]),
    ):
        assert de.link_task(CHORDS, split=own_split(form(val), form(test), train=train)).digest() == plain.digest()
    both = own_split(val, test, train=np.concatenate([train, train[:, ::-1]]))  # PyG lists both directions
    both["val"] = both.pop("valid")
    both["train"] |= {"weight": torch.ones(12), "year": torch.full((12,), 2017)}  # as ogbl-collab
    assert de.link_task(CHORDS, split=both).digest() == plain.digest()


def test_numbers_in_a_table_are_ids_and_in_an_array_positions() -> None:
    G = de.Graph.from_edges(RING.edges, names=[str(number + 5) for number in range(12)])
    assert sets(de.link_task(G, split=own_split(np.array([[0, 1]]), [("6", "7")])).val, 1) == [(0, 1)]
    with pytest.raises(TargetError, match=r"^val: "):  # 6 is the second node and the name of another
        de.link_task(G, split=own_split(pd.DataFrame([[5, 6]]), [("6", "7")]))


LINKS = [(0, 1)], [(4, 5)]
LABELED = RING.with_labels([0, 1] * 5 + [-1] * 2)
UNION = de.disjoint_union([RING, RING])


def links(*parts: Any, **more: Any) -> Callable[[], de.Task]:
    return lambda: de.link_task(CHORDS, split=own_split(*parts, **more))


def two(labels: Any, **options: Any) -> Callable[[], de.Task]:
    return lambda: de.set_task(RING, [(0, 1), (1, 2)], labels, **options)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: de.role_task(RING.with_labels([-1] * 12)), GraphError, "missing"),
        (lambda: de.role_task(RING.with_labels([1] * 12)), TargetError, "two classes"),
        (lambda: de.role_task(LABELED, val=range(5), test=range(5, 10)), TargetError, "train"),
        (lambda: de.role_task(LABELED, val=[0], test=[11]), TargetError, "Node 11 has no label"),
        (lambda: de.role_task(LABELED, val=[0], test=[0]), TargetError, "in val and in test"),
        (lambda: de.role_task(LABELED, val=[0], test=[1], split=(0.6, 0.2, 0.2)), ParameterError, "split="),
        (lambda: de.link_task(RING, split=(float("nan"), 0.5, 0.5)), ParameterError, "positive shares"),
        (lambda: de.link_task(UNION, protocol="negatives_repeat"), ParameterError, "disjoint union"),
        (lambda: de.link_task(UNION, protocol="negatives_avoid_held_out"), ParameterError, "disjoint union"),
        (lambda: de.link_task(UNION, per_positive=5), ParameterError, "disjoint union"),
        (lambda: de.link_task(RING, split=(0.8, 0.2)), ParameterError, "three shares"),
        (lambda: de.link_task(RING, split=(0.8, 0.2, 0.0)), ParameterError, "positive shares"),
        (lambda: de.set_task(RING, [], []), TargetError, "no target sets"),
        (lambda: de.set_task(UNION, [(0, 1), (1, UNION.num_nodes - 1)], [0, 1]), TargetError, "several graphs"),
        (two([0.5, 1]), TargetError, "whole number"),
        (two([0, 1, 1]), TargetError, "2 sets"),
        (two(np.array([0, 2**64 - 1], dtype=np.uint64)), TargetError, "whole number"),
        (two(np.array(["a", 1], dtype=object)), TargetError, "word"),
        (two(["a", "b"], class_names="ab"), ParameterError, "2 different names"),
        (two([0, 1], split=["train"]), ParameterError, "2 sets; 1"),
        (two(["a", "b"], class_names=["a", "c"]), ParameterError, "class_names"),
        (two([0, 1], split=["train", "vall"]), ParameterError, "'val'"),
        (two([0, 1], split=["train", "val"]), TargetError, "No set is in test"),
        (lambda: de.link_task(CHORDS, split={"test": {"edge": [(0, 1)]}}), ParameterError, '"valid"'),
        (lambda: de.link_task(CHORDS, split={"valid": [(0, 1)], "test": [(1, 2)]}), ParameterError, '"edge"'),
        (lambda: de.link_task(CHORDS, split={"valid": {"egde": [(0, 1)]}}), ParameterError, "'egde'"),
        (lambda: de.link_task(CHORDS, split={"trian": {"edge": [(0, 9)]}}), ParameterError, "'train'"),
        (lambda: de.link_task(CHORDS, split=own_split(*LINKS), max_positives=5), ParameterError, "max_positives"),
        (links([(0, 1)], [(1, 0)]), TargetError, "{n0, n1} .* in val and in test"),
        (links([(0, 1), (1, 0)], [(4, 5)]), TargetError, "{n0, n1} .* twice in val"),
        (links(*LINKS, train=[(0, 1), (1, 2)]), TargetError, "{n0, n1} .* in train and in val"),
        (links(*LINKS, train=[(0, 9)]), TargetError, "{n0, n9} is not an edge"),
        (links([(0, 1)], [(0, 9)]), TargetError, "Of 2 links held out 1 .*{n0, n1}.*{n0, n9}"),
        (links(*LINKS, {"valid": [(0, 9), (4, 5)]}), TargetError, "{n4, n5} is a link; 1 of 2"),
        (links(*LINKS, {"test": [(0, 9), (9, 0), (0, 8)]}), TargetError, "twice in negatives of test"),
        (links([(0, 1, 2)], [(1, 2)]), TargetError, "val: sets of 2 nodes"),
        (links(*LINKS, {"train": []}, train=[]), TargetError, "train: there are no sets"),
        (links(np.zeros((2, 3), int), [(1, 2)]), TargetError, r"val: .*\[k, 2\]"),
        (links(CHORDS.edges[:20], CHORDS.edges[20:]), TargetError, "training"),
    ],
)
def test_what_cannot_be_a_task_is_refused(call: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("make", [de.link_task, de.triangle_task])
def test_a_union_is_split_graph_by_graph(make: Any) -> None:
    parts = [random_graph(30, 0.2, 1), random_graph(20, 0.3, 2), random_graph(24, 0.3, 3)]
    task = make(union := de.disjoint_union(parts), seed=3)
    check(task, union)
    for number, G in enumerate(parts):
        for part, alone in zip(parts_of(task), parts_of(make(G, seed=3)), strict=True):
            labels = part.labels[union.parts[part.sets[:, 0]] == number]
            assert np.bincount(labels).tolist() == np.bincount(alone.labels).tolist()
    order = np.random.default_rng(0).permutation(74)
    check(make(union.relabel(order), seed=3), union.relabel(order))  # graphs need not be one after the other
    with pytest.raises(TargetError, match="graph 1 of the union"):
        make(de.disjoint_union([parts[0], de.Graph.from_edges([(0, 1)])]))


# ---- what a task says of itself -------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [de.role_task, de.link_task])
def test_the_seed_changes_the_split_and_not_the_question(make: Any) -> None:
    plain, seeded = make(KARATE), make(KARATE, seed=1)
    assert seeded.seed == 1 and plain.digest() == make(KARATE, seed=0).digest() != seeded.digest()
    assert plain != make(KARATE) and {plain: 1}[plain] == 1 and plain.classes == (0, 1)
    assert plain.metric == ("accuracy" if make is de.role_task else "auc") and plain.full_graph is KARATE
    every = [sorted(S for part in parts_of(task) for S in sets(part, 1)) for task in (plain, seeded)]
    assert every[0] == every[1]


def test_the_digest_follows_everything_that_is_learned_from_or_tested_on() -> None:
    G = KARATE.with_attributes(np.eye(34)[:, :2])
    task, one = de.link_task(G, per_positive=3), de.set_task(UNION, RING.edges, [0, 1] * 6)
    changed = [
        replace(task, graph=task.graph.without_edges(task.graph.edges[:1])),
        replace(task, graph=task.graph.with_attributes(np.eye(34)[:, 1:3])),
        replace(task, leaks=("gradients_not_reset",)),
        replace(task, leaks=("epoch_chosen_on_test",)),
        de.link_task(G, per_positive=3, protocol="degrees_of_the_full_graph"),
        one,
        replace(one, graph=replace(one.graph, parts=None)),
        *(
            replace(task, **{name: replace(part, **{column: getattr(part, column)[::-1]})})
            for name, part in zip(("train", "val", "test"), parts_of(task), strict=True)
            for column in ("sets", "labels", "ranked")
            if getattr(part, column) is not None
        ),
    ]
    digests = {each.digest() for each in [task, *changed]}
    assert len(digests) == 1 + len(changed) == 16
    renamed = replace(task, graph=task.graph.with_title("else").with_info({"x": range(34)}), names=("no", "yes"))
    assert renamed.digest() == task.digest()


def slow_apart(G: de.Graph, S: Pair) -> float:
    """The largest distance inside S, its own edges cut; infinite without a path."""
    left = G.to_networkx()
    left.remove_edges_from(list(combinations(S, 2)))
    return max(dict(nx.shortest_path_length(left, a)).get(b, np.inf) for a, b in combinations(S, 2))


@settings(max_examples=40, deadline=None)
@given(st.builds(random_graph, st.integers(8, 30), st.floats(0.05, 0.2), st.integers(0, 10**6)), st.integers(2, 3))
def test_hints_cover_nine_in_ten_of_the_sets_that_have_paths(G: de.Graph, p: int) -> None:
    rows = splits.subsets(G.num_nodes, p)[::7][:60]
    far = sorted(d for d in (slow_apart(G, tuple(S)) for S in rows.tolist()) if d < np.inf)
    enough = next((int(d) for d in far if sum(x <= d for x in far) > 0.9 * len(far)), 0)
    assert suggested_max_dist(G, rows) == min(max(3, enough), 20)
    for max_dist in (1, 3, 5):
        beyond = sum(d > max_dist for d in far) / max(len(far), 1)
        hint = distance_hint(G, rows, max_dist)
        assert bool(hint) == (beyond > 0.1)
        assert not hint or (f"{100 * beyond:.0f} %" in hint and f"max_dist={enough}" in hint)


def test_hints_of_many_sets_come_from_all_of_them_and_are_bounded() -> None:
    path = de.Graph.from_edges([(i, i + 1) for i in range(80)])
    near, far = np.array([[0, 2]]), np.array([[0, 70]])
    for share, wanted in ((0.25, 20), (0.05, 3)):
        rows = np.concatenate([near.repeat(2000 - int(2000 * share), 0), far.repeat(int(2000 * share), 0)])
        assert suggested_max_dist(path, rows) == suggested_max_dist(path, rows[::-1]) == wanted
    assert suggested_max_dist(path, near[:0]) == suggested_max_dist(path, near[:, :1]) == 3


def test_max_dist_is_counted_on_the_training_graph_for_training_positives() -> None:
    G = de.Graph.from_edges([(i, (i + s) % 60) for i in range(60) for s in (1, 9)])
    task = de.link_task(G)
    assert task.max_dist == suggested_max_dist(task.graph, task.train.sets[task.train.labels == 1]) > 3
    assert task.max_dist not in (suggested_max_dist(task.graph, task.train.sets), suggested_max_dist(G, G.edges))
    for options, wanted in (({}, task.max_dist), ({"max_dist": 3}, 3)):
        assert de.build("DE-GNN-SPD", task, **options).hyper["max_dist"] == wanted


@pytest.mark.parametrize(("seed", "density"), [(0, 0.03), (1, 0.05), (2, 0.3)])
def test_the_summary_counts_sets_negatives_and_pairs_without_a_path(seed: int, density: float) -> None:
    task = de.link_task(random_graph(60, density, seed), seed=seed, per_positive=7, negatives="hard")
    held_out = ([S for part in (task.val, task.test) for S in sets(part, label)] for label in (1, 0))
    apart = [np.mean([slow_apart(task.graph, S) == np.inf for S in some]) for some in held_out]
    assert task.unreachable() == pytest.approx(tuple(apart))
    counts, ranked, paths = task.summary().splitlines()
    assert all(f"{len(part)} " in counts for part in parts_of(task)) and "60 nodes" in counts
    assert f"{len(task.val.ranked) + len(task.test.ranked)} held-out" in ranked and "7 hard negatives" in ranked
    assert all(f"{100 * share:.0f} %" in paths for share in apart)
    assert ("reachability" in paths) == (max(apart) > 0.05)
    assert len(de.role_task(KARATE).summary().splitlines()) == 1


def test_attributes_that_follow_the_degrees_of_the_full_graph_are_warned_of() -> None:
    d, rows = CELEGANS.degrees.astype(float), CELEGANS.edges
    pagerank = list(nx.pagerank(CELEGANS.to_networkx()).values())
    tasks: list[tuple[Any, Any]] = [
        (d, de.triangle_task),
        (d, lambda G: de.set_task(G, rows, np.arange(len(rows)) % 2)),
    ]
    others = (d, np.log1p(d), -np.sqrt(d), np.stack([np.arange(297) % 7, d**2], axis=1), pagerank)
    for column, make in [*tasks, *((other, de.link_task) for other in others)]:
        with pytest.warns(UserWarning, match=r"column [01] \(-?(1.00|0.[6-9])") as seen:
            make(CELEGANS.with_attributes(column))
        assert seen[0].filename == __file__


@pytest.mark.filterwarnings("error")
def test_attributes_that_know_nothing_of_held_out_links_are_not_warned_of() -> None:
    rng = np.random.default_rng(0)
    loosely = CELEGANS.degrees * np.exp(rng.normal(0, 1, 297))  # as the size of a city goes with its flights
    columns = np.stack([rng.normal(size=297), de.link_task(CELEGANS).graph.degrees, np.ones(297), loosely], axis=1)
    de.link_task(CELEGANS.with_attributes(columns))
    flights = de.load("us-flights")
    de.link_task(flights.with_attributes(["latitude", "longitude", "flights"]))
    de.role_task(flights.with_attributes(flights.degrees))  # nothing is held out of the graph
