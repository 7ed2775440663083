"""The networks again, from their papers' equations: one set at a time, dense matrices over the whole cut graph."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, combinations_with_replacement, pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

import degnn_explore as de
from degnn_explore.graphs.distances import distances


def logits(model: Any, G: de.Graph, sets: np.ndarray) -> Tensor:
    """The logits of each set; give a model in float64."""
    special = {"DEA-GNN-PR": pagerank, "SEAL": seal, "PGNN": pgnn, "BUDDY": buddy, "struc2vec": struc2vec}
    if model.name == "NCN":  # in training every link of the batch is removed, else the pair's own
        links = [G.has_edge(*S) for S in sets.tolist()]
        graphs = [G.without_edges(sets[links]) if model.training else G.cut(S) for S in sets]
        out = torch.stack([ncn(model, H, S) for H, S in zip(graphs, sets, strict=True)])
    else:
        network = special.get(model.name, message_passing)
        out = torch.stack([network(model, G, S) for S in sets])
    return out[:, 0] if model.shape.outputs == 1 else out


# ---- parts -----------------------------------------------------------------------------------------------------------


def features(G: de.Graph, S: np.ndarray, encoding: Any, cut: bool = True) -> Tensor:
    """log(1 + degree), attributes, ζ(u|S) of every node. [n, d]"""
    columns = [np.log(1 + (G.cut(S) if cut else G).degrees)[:, None]]
    if G.attributes is not None:
        columns.append(G.attributes)
    if encoding is not None:
        columns.append(encoding.encode(G, S, cut=True))
    return torch.tensor(np.concatenate(columns, axis=1))


def scaled(model: Any, x: Tensor) -> Tensor:
    """In the model's units; while it trains, columns of no sign have the signs that this epoch drew."""
    x = x * model.scale
    signs = getattr(model, "signs", None)
    return x if signs is None or not model.training else x * signs.drawn


def adjacency(G: de.Graph, S: np.ndarray) -> Tensor:
    return torch.tensor(G.cut(S).to_scipy().toarray(), dtype=torch.float64)


def with_loops(A: Tensor) -> Tensor:
    """D^-1/2 (A + I) D^-1/2, D the degrees with loops."""
    root = torch.diag((A.sum(1) + 1) ** -0.5)
    return root @ (A + torch.eye(len(A))) @ root


def readout(model: Any, h: Tensor) -> Tensor:
    """h [p, hidden], the nodes of one set."""
    if len(h) == 1:
        return model.readout.out(h[0])
    z = sum((u - v).abs() for u, v in combinations(h, 2))
    if model.hyper["readout"] == "joined":
        z = torch.relu(model.readout.join(torch.cat([z, h.mean(0), h.max(0).values])))
    return model.readout.out(z)


# ---- networks --------------------------------------------------------------------------------------------------------


def message_passing(model: Any, G: de.Graph, S: np.ndarray) -> Tensor:
    """GCN, SAGE, GIN, DE-GNN and DEA-GNN-SPD."""
    f3 = getattr(model, "f3", None)
    if f3 is None:
        h = scaled(model, features(G, S, model.encoding))
    else:  # learned before the mean over S
        zeta = de.LandingProbability(steps=model.hyper["steps"], pool=None).encode(G, S, cut=True)  # [n, p, d]
        base = features(G, S, None)
        first, rest = model.scale.split([base.shape[1], zeta.shape[2]])
        h = torch.cat([base * first, f3(torch.tensor(zeta) * rest).mean(dim=1)], dim=1)
    kind = model.hyper.get("base", "hops" if "hops" in model.hyper else model.name)
    for conv in model.convs:
        h = model.dropout(convolution(conv, kind, G, S, h))
    return readout(model, h[S])


def convolution(conv: Any, kind: str, G: de.Graph, S: np.ndarray, h: Tensor) -> Tensor:
    A = adjacency(G, S)
    if kind == "GCN":
        return torch.relu(conv.linear(with_loops(A) @ h))
    if kind == "SAGE":
        return torch.relu(conv.linear(torch.cat([h, A @ h / A.sum(1, keepdim=True).clamp(min=1)], dim=1)))
    if kind == "GIN":
        return conv.mlp((1 + conv.epsilon) * h + A @ h)
    away = torch.tensor(distances(G.cut(S), np.arange(G.num_nodes)))
    total = torch.zeros(())
    for k, linear in enumerate(conv.linears, start=1):  # the mean of v and of the nodes k from it
        M = (away == k).double() + torch.eye(len(A))
        total = total + torch.relu(linear(M / M.sum(1, keepdim=True) @ h))
    return total


def pagerank(model: Any, G: de.Graph, S: np.ndarray) -> Tensor:
    A, alpha = adjacency(G, S), model.hyper["alpha"]
    P = (1 - alpha) * torch.linalg.inv(torch.eye(len(A)) - alpha * A / A.sum(0).clamp(min=1))
    h = P.T @ features(G, S, model.encoding) * model.scale
    for number, conv in enumerate(model.convs):
        h = model.dropout(torch.relu(conv.linear(h if number == 0 else P.T @ h)))
    return readout(model, h[S])


def seal(model: Any, G: de.Graph, S: np.ndarray) -> Tensor:
    near = np.flatnonzero(np.isin(nearest(G.cut(S), S), np.arange(model.hyper["hops"] + 1)))
    A = adjacency(G, S)[near][:, near]
    h, channels = scaled(model, features(G, S, model.encoding))[near], []
    for conv in model.convs:
        h = torch.tanh((A + torch.eye(len(A))) @ conv(h) / (A.sum(1, keepdim=True) + 1))
        channels.append(h)
    k = model.hyper["sort_k"]
    order = sorted(range(len(near)), key=lambda i: -h[i, 0].item())[:k]
    rows = torch.relu(model.by_node(torch.cat(channels, dim=1)[order]))
    rows = torch.cat([rows, torch.zeros(k - len(rows), 16)])
    z = torch.nn.functional.max_pool1d(rows.T[None], 2)
    z = torch.relu(model.dense(torch.relu(model.along(z)).flatten()))
    return model.out(model.dropout(z))


def pgnn(model: Any, G: de.Graph, S: np.ndarray) -> Tensor:
    x = scaled(model, features(G, S, None))
    away = distances(G, S, cut=True)
    anchors, ptr = model.anchors.numpy(), model.anchor_ptr.numpy()
    h = torch.relu(model.enter(x[S]))
    for own, message in zip(model.own, model.message, strict=True):
        m = []
        for j in range(len(S)):
            near = [min(anchors[a:b], key=lambda u: np.inf if away[j, u] < 0 else away[j, u]) for a, b in pairwise(ptr)]
            closeness = [0.0 if away[j, u] < 0 else 1 / (1 + away[j, u]) for u in near]
            m.append([torch.relu(own(h[j]) + s * message(x[u])) for s, u in zip(closeness, near, strict=True)])
        messages = model.dropout(torch.stack([torch.stack(row) for row in m]))  # [p, a, hidden]
        h = messages.mean(dim=1)
    return readout(model, model.position(messages)[..., 0])


def buddy(model: Any, G: de.Graph, S: np.ndarray) -> Tensor:
    """Log counts of the nodes by their two distances, in any order; then the product and the sum of the features."""
    far = model.hyper["distances"] + 1
    away = distances(G, S, cut=True)
    kinds = Counter(
        tuple(sorted(min(d, far) if d >= 0 else far for d in away[:, u])) for u in set(range(G.num_nodes)) - {*S}
    )
    counts = [kinds[pair] for pair in combinations_with_replacement(range(1, far + 1), 2)][:-1]
    a, b = features(G, S, None)[S]
    h = torch.cat([torch.tensor(counts).double().log1p(), a * b, a + b]) * model.scale
    for linear in model.hidden:
        h = model.dropout(torch.relu(linear(h)))
    return model.out(h)


def ncn(model: Any, G: de.Graph, S: np.ndarray) -> Tensor:
    """On a graph from which links were removed."""
    A = torch.tensor(G.to_scipy().toarray(), dtype=torch.float64)
    h = scaled(model, features(G, S, None, cut=False))
    for conv in model.convs:
        h = model.dropout(torch.relu(with_loops(A) @ conv(h)))
    a, b = S
    return model.mlp(torch.cat([h[a] * h[b], (A[a] * A[b]) @ h]))


def struc2vec(model: Any, G: de.Graph, S: np.ndarray) -> Tensor:
    return model.out(model.embedding[np.sort(S)].flatten())


def nearest(G: de.Graph, S: np.ndarray) -> np.ndarray:
    """How far each node is from S; inf without a path. [n]"""
    away = distances(G, S).astype(float)
    return np.where(away < 0, np.inf, away).min(axis=0)
