"""Why a trained model says so: what its score for a set would be without each edge, node or ring of distances.

Everything is really left out and computed again: no gradients, no estimates. The variants of a graph are put side by
side in one graph, of each only what the model can see around S; encoding, degrees and all else are computed by the same
engine as in training.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..common.errors import check_int
from ..common.progress import progress_bar, report
from ..graphs.distances import distance_to_set
from ..graphs.graph import Graph, Targets
from .devices import torch_threads
from .edge_changes import neighborhood, side_by_side
from .leaks import needs_own_degrees
from .metrics import probabilities
from .nets.base import SetNet
from .predicting import checked_sets, left_as_it_was, logits_of

if TYPE_CHECKING:
    import pandas

__all__ = ["Explanation", "explain"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_MOST, _MOST_WHOLE = 2_000, 300  # edges left out one by one: about half a second
_ENTRIES = 4_000_000  # neighbors in all graphs that stand side by side
_MOST_NODES = 10_000  # of a neighborhood; the engine thins larger ones by a hash of the nodes' numbers


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """What moves the score of one target set; every table begins with what moves it most.

    In each, ``score_without`` is the score without it, and ``change`` the difference: below zero, it speaks
    for the class; above zero, against it.

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
    rings
        ring, nodes: ζ of the nodes at that distance from S replaced by the average; first "all" of them: how much of
        the score is the distance encoding.
    notes
        What was left out of the tables, and why.

    Examples
    --------
    >>> import degnn_explore as de
    >>> task = de.link_task(de.load("karate"))
    >>> why = de.explain(de.build("DE-GNN-SPD", task), task.graph, {0, 33})
    >>> why.picture().count("<circle") > 2, why.nodes.columns.tolist()
    (True, ['node', 'distance', 'score_without', 'change'])
    """

    model: str
    graph: Graph
    S: tuple[int, ...]
    score: float
    label: int
    edges: pandas.DataFrame
    nodes: pandas.DataFrame
    rings: pandas.DataFrame
    notes: tuple[str, ...]

    @property
    def title(self) -> str:
        """The set, the model and its score in words."""
        names = " — ".join(self.graph.names[v] for v in self.S)
        return f"{self.model} gives {names} a score of {self.score:.3f} for class {self.label}"

    def __repr__(self) -> str:
        tables = {"edges": self.edges, "nodes": self.nodes, "rings": self.rings}
        return f"Explanation({self.title}; " + ", ".join(f"{len(t)} {name}" for name, t in tables.items()) + ")"

    def picture(self, most: int = 20) -> str:
        """The edges that move the score most, drawn as SVG: the wider the more, dashed where they speak against it."""
        from .explanation_picture import svg

        return svg(self, check_int("most", most, least=1))

    def _repr_html_(self) -> str:
        names, parts = self.graph.names, [f"<b>{escape(self.title)}</b>", self.picture()]
        top = self.edges.head(10)
        shown = top.assign(u=[names[u] for u in top.u], v=[names[v] for v in top.v])
        tables = (shown, self.rings)
        parts += [table.to_html(index=False, float_format="{:.3f}".format) for table in tables if len(table)]
        return "\n".join([*parts, *(f"<p>{escape(note)}</p>" for note in self.notes)])


def explain(model: SetNet, G: Graph, S: Targets, *, most: int | None = None, progress: bool = True) -> Explanation:
    """What moves a trained model's score for a target set: the score without each edge, node or ring, exactly.

    The model keeps its device, weights and mode.

    Parameters
    ----------
    model
        A trained model; not struc2vec, whose embeddings would have to be trained again for every edge.
    G, S
        The graph, such as ``task.graph``, and the set; edges inside S are cut in any case.
    most
        Leave out at most this many edges, and a third as many nodes, those nearest to S. None: 2,000; and
        300 for models that read the whole graph, where each takes longer.
    progress
        Show a bar if it takes more than two seconds; the first call after installing also compiles.

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
    most = (_MOST if model.horizon is not None else _MOST_WHOLE) if most is None else check_int("most", most, least=1)
    notes: list[str] = []
    away = distance_to_set(G, targets)
    near = (away >= 0) & (away <= (G.num_nodes if model.horizon is None else model.horizon))
    outside = ~np.isin(G.edges, targets).all(axis=1)  # edges inside S are cut in any case
    edges = _nearest(G.edges[near[G.edges].any(axis=1) & outside], away, most, "edges", notes)
    nodes = _nearest(np.flatnonzero(near & (away > 0))[:, None], away, -(-most // 3), "nodes", notes)[:, 0]
    neighbors = [np.stack([np.full(len(G.neighbors(v)), v), G.neighbors(v)], axis=1).astype(np.int64) for v in nodes]
    with progress_bar(progress), left_as_it_was(model):
        answers = scores_if(model, G, targets, [edges[:0], *edges[:, None], *neighbors])
        chosen = int(answers[0].argmax()) if answers.ndim == 2 else None  # the class whose score is explained
        scores = answers if chosen is None else answers[:, chosen]
        score = float(scores[0])
        rings = _rings(model, G, targets, chosen, score, notes)
    number = 1 if chosen is None else chosen
    return Explanation(
        model.name,
        G,
        tuple(targets.tolist()),
        score,
        model.shape.classes[number] if model.shape.classes else number,
        _table({"u": edges[:, 0], "v": edges[:, 1]}, scores[1 : len(edges) + 1], score),
        _table({"node": nodes, "distance": away[nodes]}, scores[len(edges) + 1 :], score),
        rings,
        tuple(notes),
    )


def _table(columns: dict[str, Any], without: Floats, score: float, ordered: bool = True) -> pandas.DataFrame:
    import pandas as pd

    frame = pd.DataFrame({**columns, "score_without": without, "change": without - score})
    return frame.sort_values("change", key=abs, ascending=False, kind="stable", ignore_index=True) if ordered else frame


# ---- edges and nodes -------------------------------------------------------------------------------------------------


def _nearest(items: Ints, away: Ints, most: int, what: str, notes: list[str]) -> Ints:
    """At most ``most`` of them [k, c], those nearest to S first."""
    order = np.lexsort((items[:, -1], items[:, 0], away[items].max(axis=1), away[items].min(axis=1)))
    if len(items) > most:
        notes.append(f"Of {len(items):,} {what} that count, the {most:,} nearest to S were left out one by one.")
    return items[order[:most]]


def scores_if(model: SetNet, G: Graph, S: Ints, changes: Sequence[Ints]) -> Floats:
    """The model's probabilities for S, [k] or [k, C], if these edges were not there, or, where they are not, were.

    Parameters
    ----------
    model, G, S
        A trained model, the graph, a target set in numbers.
    changes
        The pairs of nodes of each variant, [c, 2]; none: the graph as it is.

    Examples
    --------
    >>> import degnn_explore as de
    >>> G = de.Graph.from_edges([(i, (i + s) % 20) for i in range(20) for s in (1, 2)])
    >>> model, S = de.build("DE-GNN-SPD", de.link_task(G)), np.array([0, 1])
    >>> left_out = np.array([(1, 2)])
    >>> both = scores_if(model, G, S, [left_out[:0], left_out])
    >>> bool(abs(both[1] - de.predict(model, G.without_edges(left_out), [S])[0]) < 1e-6)
    True
    """
    model.check(G, S[None, :])
    near = neighborhood(G, S, model.horizon, changes) if model.horizon is not None else None
    parts, done = [], 0
    with torch_threads(1), left_as_it_was(model):
        model.to("cpu")
        if near is not None and len(near.nodes) <= _MOST_NODES:
            inside = [np.searchsorted(near.nodes, pairs).reshape(-1, 2) for pairs in changes]
            size = max(1, _ENTRIES // max(1, len(near.graph.indices) + near.graph.num_nodes))
            for done in range(0, len(inside), size):
                some = inside[done : done + size]
                report("leaving out edges and nodes", done / len(changes))
                sets = near.S + near.graph.num_nodes * np.arange(len(some))[:, None]
                data = model.prepare(side_by_side(near.graph, some), sets)
                parts.append(logits_of(model, data, np.arange(len(some))))
        else:
            for data in model.variants(G, S, changes):
                report("leaving out edges and nodes", done / len(changes))
                parts.append(logits_of(model, data, np.arange(len(data))))
                done += len(data)
    return probabilities(np.concatenate(parts))


# ---- rings -----------------------------------------------------------------------------------------------------------


def _rings(model: SetNet, G: Graph, S: Ints, chosen: int | None, score: float, notes: list[str]) -> pandas.DataFrame:
    """The score with ζ blanked, of all nodes and ring by ring: the same for all, their average."""
    if model.horizon is None:
        graph, inside = G, S
    else:
        near = neighborhood(G, S, model.horizon)
        graph, inside = near.graph, near.S
    with torch.no_grad(), torch_threads(1), left_as_it_was(model):
        model.to("cpu").eval()
        encoded = model.encoded(graph, inside)
        if encoded is None:
            notes.append(f"Rings: {model.name} has no encoding of distances to S that could be blanked.")
            return _table({"ring": [], "nodes": []}, np.zeros(0), score)
        away = encoded.distance
        rings = sorted(np.unique(away).tolist(), key=lambda ring: (ring < 0, ring))  # unreachable (-1) last
        masks = [away > -2, *(away == ring for ring in rings)]
        scores = [probabilities(model(encoded.batch(_blanked(encoded.zeta, mask))).numpy()) for mask in masks]
    without = np.concatenate(scores) if chosen is None else np.concatenate(scores)[:, chosen]
    named = ["all", *("unreachable" if ring < 0 else ring for ring in rings)]
    return _table({"ring": named, "nodes": [int(mask.sum()) for mask in masks]}, without, score, ordered=False)


def _blanked(zeta: Tensor, nodes: NDArray[np.bool_]) -> Tensor:
    """ζ [N, ...], the average of all in place of these nodes'."""
    return torch.where(torch.from_numpy(nodes).view(-1, *[1] * (zeta.ndim - 1)), zeta.mean(dim=0), zeta)
