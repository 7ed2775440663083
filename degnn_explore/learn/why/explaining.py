"""Why a trained model says so: what its score for a set would be without each edge, node, branch or ring of distances.

Everything is left out for real and computed anew: no gradients, no estimates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from ...common.errors import whole_number
from ...encodings.base import Encoding
from ...expressive.subtrees import Subtree, Unrolling
from ...graphs.changed import neighbourhood
from ...graphs.graph import Graph, Targets
from ..devices import torch_threads
from ..leaks import needs_own_degrees
from ..metrics import probabilities
from ..nets.base import SetNet
from ..nets.block_nets import BlockNet
from ..predicting import checked_sets
from .rings import blanked, ring_numbers, to_set
from .unrolled import Unrolled
from .what_if import scores_if

if TYPE_CHECKING:
    import pandas

__all__ = ["Explanation", "explain"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_MOST, _MOST_WHOLE = 2_000, 300  # edges left out one by one: about half a second
_BRANCHES = 600  # of one root; more cannot be looked at


@dataclass(frozen=True, eq=False)
class Along:
    """The unrolled subtrees of S as the model computes along them, on the part of the graph that it sees.

    Attributes
    ----------
    unrolling, encoding
        Arcs and colours of that part, and the model's ζ; None: it has none.
    nodes, S, depth
        The numbers of the part's nodes in the whole graph; S in it; how deep trees are.
    trees, changes
        The tree of each target, in numbers of the whole graph, and the change without each tree node (0 for the root).
    lines, line_changes
        The lines of the folded subtrees: level, a node of the upper class, one of the lower, hop [k, 4], in numbers of
        the part; and the change without each.
    """

    unrolling: Unrolling
    encoding: Encoding | None
    nodes: Ints
    S: Ints
    depth: int
    trees: tuple[Subtree, ...]
    changes: tuple[Floats, ...]
    lines: Ints
    line_changes: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """What moves the score of one target set; every table begins with what moves it most.

    In each, ``score_without`` is the score without it, and ``change`` how much more or less that is: below zero, it
    speaks for the class; above zero, against it.

    Attributes
    ----------
    model, graph, S
        The model's name, the graph, the nodes of the set.
    score, label
        The probability of class 1, of two; else of the class given to S. Which label that is.
    edges
        u, v: each edge that the model can see, left out.
    nodes
        node, distance to S: each node with all its edges left out.
    branches
        root, depth, nodes: each branch of the trees that the network computes along, cut off; ``nodes`` are the equal
        siblings that it stands for.
    rings
        ring, nodes: ζ of so many nodes at that distance from S blanked, which is to say put at their average; first
        "all" of them: how much of the score is the distance encoding.
    along
        The trees of the targets with the change at every branch, for pictures; None where a model has none.
    notes
        What was not asked, and why.

    Examples
    --------
    >>> import degnn_explore as de
    >>> task = de.link_task(de.load("karate"))
    >>> why = de.explain(de.build("DE-GNN-SPD", task), task.graph, {0, 33})
    >>> why.picture().count("<circle") > 2, why.branches.columns.tolist()
    (True, ['root', 'depth', 'nodes', 'score_without', 'change'])
    """

    model: str
    graph: Graph
    S: tuple[int, ...]
    score: float
    label: int
    edges: pandas.DataFrame
    nodes: pandas.DataFrame
    branches: pandas.DataFrame
    rings: pandas.DataFrame
    along: Along | None
    notes: tuple[str, ...]

    @property
    def title(self) -> str:
        """The set, the model and its score in words."""
        names = " — ".join(self.graph.names[v] for v in self.S)
        return f"{self.model} gives {names} a score of {self.score:.3f} for class {self.label}"

    def __repr__(self) -> str:
        found = {"edges": self.edges, "nodes": self.nodes, "branches": self.branches, "rings": self.rings}
        return f"Explanation({self.title}; " + ", ".join(f"{len(t)} {name}" for name, t in found.items()) + ")"

    def picture(self, most: int = 20) -> str:
        """The edges that move the score most, drawn as SVG: the wider the more, dashed where they speak against it."""
        from .picture import svg

        return svg(self, whole_number("most", most, least=1))

    def _repr_html_(self) -> str:
        names, told = self.graph.names, [f"<b>{escape(self.title)}</b>", self.picture()]
        top = self.edges.head(10)
        shown = top.assign(u=[names[u] for u in top.u], v=[names[v] for v in top.v])
        tables = (shown, self.rings)
        told += [table.to_html(index=False, float_format="{:.3f}".format) for table in tables if len(table)]
        return "\n".join([*told, *(f"<p>{escape(note)}</p>" for note in self.notes)])


def explain(model: SetNet, G: Graph, S: Targets, *, most: int | None = None) -> Explanation:
    """What moves a trained model's score for a target set, each thing left out exactly and all else computed anew.

    Parameters
    ----------
    model
        A trained model; struc2vec cannot be asked, its embeddings would have to be trained anew for every edge.
    G, S
        The graph, such as ``task.graph``, and the set; edges inside S are cut in any case.
    most
        So many edges at most, and a third as many nodes, are left out one by one, those nearest to S. None: 2,000; and
        300 for models that read the whole graph, where each takes longer.

    Examples
    --------
    >>> import degnn_explore as de
    >>> G = de.Graph.from_edges([(i, (i + s) % 20) for i in range(20) for s in (1, 2)])
    >>> model = de.build("DE-GNN-SPD", de.link_task(G))
    >>> why = de.explain(model, G, {0, 2})
    >>> list(why.edges.columns), len(why.edges), why.rings.ring.tolist()
    (['u', 'v', 'score_without', 'change'], 24, ['all', 0, 1, 2])
    >>> u, v, without = why.edges.loc[0, ["u", "v", "score_without"]]
    >>> bool(abs(de.predict(model, G.without_edges([(int(u), int(v))]), [{0, 2}])[0] - without) < 1e-6)
    True
    """
    targets = checked_sets("explain", model, G, [S])[0]
    needs_own_degrees("explain", G)
    most = (
        (_MOST if model.horizon is not None else _MOST_WHOLE) if most is None else whole_number("most", most, least=1)
    )
    notes: list[str] = []
    away = to_set(G, targets)
    edges = _nearest(_edges_seen(model, G, targets, away), away, most, "edges", notes)
    nodes = _nearest(_nodes_seen(model, away, targets)[:, None], away, -(-most // 3), "nodes", notes)[:, 0]
    neighbours = [np.stack([np.full(len(G.neighbors(v)), v), G.neighbors(v)], axis=1).astype(np.int64) for v in nodes]
    answers = scores_if(model, G, targets, [edges[:0], *edges[:, None], *neighbours])
    given = int(answers[0].argmax()) if answers.ndim == 2 else None
    scores = answers if given is None else answers[:, given]
    score = float(scores[0])

    def table(columns: dict[str, Any], without: Floats) -> pandas.DataFrame:
        return _table(columns, without, score)

    along = _along(model, G, targets, given, score, notes)
    label = model.shape.classes[1 if given is None else given] if model.shape.classes else given or 1
    return Explanation(
        model.name,
        G,
        tuple(targets.tolist()),
        score,
        label,
        table({"u": edges[:, 0], "v": edges[:, 1]}, scores[1 : len(edges) + 1]),
        table({"node": nodes, "distance": away[nodes]}, scores[len(edges) + 1 :]),
        _branches(along, score),
        _rings(model, G, targets, given, score, notes),
        along,
        tuple(notes),
    )


def _table(columns: dict[str, Any], without: Floats, score: float, ordered: bool = True) -> pandas.DataFrame:
    import pandas as pd

    frame = pd.DataFrame({**columns, "score_without": without, "change": without - score})
    return frame.sort_values("change", key=abs, ascending=False, kind="stable", ignore_index=True) if ordered else frame


def _edges_seen(model: SetNet, G: Graph, S: Ints, away: Ints) -> Ints:
    """The edges that may count for the score; those inside S are cut in any case."""
    near = (away >= 0) if model.horizon is None else (away >= 0) & (away <= model.horizon)
    return G.edges[near[G.edges].any(axis=1) & ~np.isin(G.edges, S).all(axis=1)]


def _nodes_seen(model: SetNet, away: Ints, S: Ints) -> Ints:
    most = away.max() if model.horizon is None else model.horizon
    return np.flatnonzero((away > 0) & (away <= most))


def _nearest(items: Ints, away: Ints, most: int, what: str, notes: list[str]) -> Ints:
    """At most so many of them [k, c], those nearest to S first."""
    order = np.lexsort((items[:, -1], items[:, 0], away[items].max(axis=1), away[items].min(axis=1)))
    if len(items) > most:
        notes.append(f"Of {len(items):,} {what} that count, the {most:,} nearest to S were left out one by one.")
    return items[order[:most]]


def _chosen(logits: torch.Tensor, given: int | None) -> Floats:
    scores = probabilities(logits.numpy())
    return scores if given is None else scores[:, given]


def _part(model: SetNet, G: Graph, S: Ints) -> tuple[Graph, Ints, Ints]:
    """What the model sees of the graph, S in it, and the numbers of its nodes in G."""
    if model.horizon is None:
        return G, S, np.arange(G.num_nodes)
    near = neighbourhood(G, S, model.horizon)
    return near.graph, near.S, near.nodes


def _rings(model: SetNet, G: Graph, S: Ints, given: int | None, score: float, notes: list[str]) -> pandas.DataFrame:
    graph, inside, _ = _part(model, G, S)
    with torch.no_grad(), torch_threads(1):
        found = None if _capped(model) else blanked(model, graph, inside)
    if found is None:
        notes.append(f"Rings: {model.name} has no encoding of distances to S that could be blanked.")
        return _table({"ring": [], "nodes": []}, np.zeros(0), score)
    away, logits = found
    rings = ring_numbers(away)
    numbers = [len(away), *(int((away == ring).sum()) for ring in rings)]
    named = ["all", *("unreachable" if ring < 0 else ring for ring in rings)]
    return _table({"ring": named, "nodes": numbers}, _chosen(logits, given)[1:], score, ordered=False)


def _along(model: SetNet, G: Graph, S: Ints, given: int | None, score: float, notes: list[str]) -> Along | None:
    if not isinstance(model, BlockNet) or _capped(model):
        why = "keeps only some nodes of each hop" if _capped(model) else "does not compute along unrolled subtrees of S"
        notes.append(f"Branches: this {model.name} {why}.")
        return None
    graph, inside, numbers = _part(model, G, S)
    with torch.no_grad(), torch_threads(1):
        network = Unrolled(model, graph, inside)
        unrolling, depth = network.unrolling, network.layers
        while depth > 1 and any(unrolling.size(root, depth, True, _BRANCHES) > _BRANCHES for root in inside.tolist()):
            depth -= 1
        if depth < network.layers:
            notes.append(f"Branches: the trees have too many below depth {depth}; they are shown that far.")
        trees, changes = [], []
        for root in inside.tolist():
            tree = unrolling.tree(root, depth, True, max_nodes=graph.num_nodes**2)
            without = _chosen(network.without_branches(tree), given) if len(tree) > 1 else np.zeros(0)
            changes.append(np.append(0.0, without - score))
            members = tuple(tuple(numbers[list(nodes)].tolist()) for nodes in tree.members)
            trees.append(replace(tree, graph=G, root=int(numbers[root]), node=numbers[tree.node], members=members))
        lines, logits = network.without_lines(depth)
    without = _chosen(logits, given) if len(lines) else np.zeros(0)
    return Along(
        unrolling, model.encoding, numbers, inside, depth, tuple(trees), tuple(changes), lines, without - score
    )


def _branches(along: Along | None, score: float) -> pandas.DataFrame:
    """The branches of all trees in one table."""
    roots, depths, nodes, changes = list[int](), list[int](), list[tuple[int, ...]](), [np.zeros(0)]
    for tree, change in zip(along.trees, along.changes, strict=True) if along is not None else ():
        roots += [tree.root] * (len(tree) - 1)
        depths += tree.depth[1:].tolist()
        nodes += tree.members[1:]
        changes.append(change[1:])
    return _table({"root": roots, "depth": depths, "nodes": nodes}, score + np.concatenate(changes), score)


def _capped(model: SetNet) -> bool:
    return model.hyper.get("max_nodes_per_hop") is not None
