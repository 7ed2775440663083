"""The models again, slowly and plainly: one set at a time, dense matrices over the whole cut graph."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import torch
from torch import Tensor

import degnn_explore as de
from degnn_explore.graphs.distances import distances
from degnn_explore.learn.nets.base import SetNet


def features(G: de.Graph, S: np.ndarray, encoding) -> Tensor:
    cut = G.cut(S.tolist())
    columns = [np.log(1 + cut.degrees)[:, None]]
    if G.attributes is not None:
        columns.append(G.attributes)
    if encoding is not None:
        columns.append(encoding.encode(G, S.tolist(), cut=True))
    return torch.tensor(np.concatenate(columns, axis=1), dtype=torch.float64)


def adjacency(G: de.Graph, S: np.ndarray) -> Tensor:
    return torch.tensor(G.cut(S.tolist()).to_scipy().toarray())


def shells(G: de.Graph, S: np.ndarray, hops: int) -> list[Tensor]:
    """For each k the matrix whose row v averages v and the nodes at distance exactly k."""
    cut = G.cut(S.tolist())
    away = np.concatenate([distances(cut, [v]) for v in range(G.num_nodes)])
    out = []
    for k in range(1, hops + 1):
        M = (away == k).astype(float) + np.eye(G.num_nodes)
        out.append(torch.tensor(M / M.sum(axis=1, keepdims=True)))
    return out


def readout(model: SetNet, h: Tensor) -> Tensor:
    """h [p, hidden], the nodes of one set."""
    if len(h) == 1:
        z = h[0]
    else:
        z = sum((h[i] - h[j]).abs() for i, j in combinations(range(len(h)), 2))
        if model.hyper["readout"] == "joined":
            z = torch.relu(model.readout.join(torch.cat([z, h.mean(0), h.max(0).values])))
    return model.readout.out(z)


def convolution(conv, kind: str, G: de.Graph, S: np.ndarray, h: Tensor, hops: int) -> Tensor:
    A = adjacency(G, S)
    degree = A.sum(1)
    if kind == "GCN":
        D = torch.diag((degree + 1) ** -0.5)
        return torch.relu(conv.linear(D @ (A + torch.eye(len(A))) @ D @ h))
    if kind == "SAGE":
        mean = A @ h / degree.clamp(min=1)[:, None]
        return torch.relu(conv.linear(torch.cat([h, mean], dim=1)))
    if kind == "GIN":
        return conv.mlp((1 + conv.epsilon) * h + A @ h)
    return sum(torch.relu(linear(M @ h)) for linear, M in zip(conv.linears, shells(G, S, hops), strict=True))


def block_logits(model: SetNet, G: de.Graph, S: np.ndarray) -> Tensor:
    kind = model.hyper.get("base", "hops" if "hops" in model.hyper else model.name)
    f3 = getattr(model, "f3", None)
    if f3 is None:
        h = features(G, S, model.encoding) * getattr(model, "scale", 1.0)
    else:
        zeta = type(model.encoding)(steps=model.hyper["steps"], pool=None).encode(G, S.tolist(), cut=True)  # [n, p, d]
        base = features(G, S, None)
        first, rest = model.scale[: base.shape[1]], model.scale[base.shape[1] :]
        h = torch.cat([base * first, f3(torch.tensor(zeta) * rest).mean(dim=1)], dim=1)
    for conv in model.convs:
        h = convolution(conv, kind, G, S, h, model.hyper.get("hops", 1))
    return readout(model, h[S])


def pagerank_logits(model: SetNet, G: de.Graph, S: np.ndarray) -> Tensor:
    A = adjacency(G, S)
    alpha = model.hyper["alpha"]
    P = torch.linalg.inv(torch.eye(len(A)) - alpha * A / A.sum(0).clamp(min=1)[None, :])
    h = features(G, S, model.encoding) * getattr(model, "scale", 1.0)
    for linear in (conv.linear for conv in model.convs):
        h = torch.relu(linear((1 - alpha) * P.T @ h))
    return readout(model, h[S])


def seal_logits(model: SetNet, G: de.Graph, S: np.ndarray) -> Tensor:
    cut = G.cut(S.tolist())
    away = distances(cut, S.tolist())
    near = np.flatnonzero(((away >= 0) & (away <= model.hyper["hops"])).any(axis=0))
    A = torch.tensor(cut.to_scipy().toarray()[np.ix_(near, near)])
    h, channels = features(G, S, model.encoding)[near], []
    for conv in model.convs:
        h = torch.tanh((conv(h) + A @ conv(h)) / (A.sum(1, keepdim=True) + 1))
        channels.append(h)
    # nodes that no channel tells apart may come in any order
    order = sorted(range(len(near)), key=lambda i: -float(h[i, 0]))[: model.hyper["sort_k"]]
    rows = torch.relu(model.by_node(torch.cat(channels, dim=1)[order]))
    rows = torch.cat([rows, torch.zeros(model.hyper["sort_k"] - len(rows), 16)])
    z = torch.nn.functional.max_pool1d(rows.T[None], 2)
    z = torch.relu(model.along(z)).flatten()
    return model.out(torch.relu(model.dense(z)))


def pgnn_logits(model: SetNet, G: de.Graph, S: np.ndarray) -> Tensor:
    x = features(G, S, None)
    away = distances(G, S.tolist(), cut=True)
    anchors, ptr = model.anchors.numpy(), model.anchor_ptr.numpy()
    h = torch.relu(model.enter(x[S]))
    for own, message in zip(model.own, model.message, strict=True):
        m = []
        for j in range(len(S)):
            row = []
            for a, b in pairwise(ptr):
                nearest = min(anchors[a:b], key=lambda u: np.inf if away[j, u] < 0 else away[j, u])
                s = 0.0 if away[j, nearest] < 0 else 1 / (1 + away[j, nearest])
                row.append(torch.relu(own(h[j]) + s * message(x[nearest])))
            m.append(torch.stack(row))
        m = torch.stack(m)  # [p, a, hidden]
        h = m.mean(dim=1)
    return readout(model, model.position(m)[..., 0])


def logits(model: SetNet, G: de.Graph, sets: np.ndarray) -> np.ndarray:
    """Logits of each set in float64; the model is left in float64."""
    model.double().eval()
    one = {"DEA-GNN-PR": pagerank_logits, "SEAL": seal_logits, "PGNN": pgnn_logits}.get(model.name, block_logits)
    with torch.no_grad():
        out = torch.stack([one(model, G, S) for S in sets])
    return (out[:, 0] if model.shape.outputs == 1 else out).numpy()
