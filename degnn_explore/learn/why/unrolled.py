"""A network on blocks, run along the unrolled subtrees of S, with one branch after the other cut off."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...engine.features import base_features
from ...expressive.subtrees import Subtree, Unrolling
from ...graphs.graph import Graph
from ..nets.block_nets import BlockNet

Ints = NDArray[np.int64]


class Unrolled:
    """What a network computes around S, node by node and layer by layer, on a graph that holds all it sees.

    A tree node t that stands for node u has the states h_t of u after 0, 1, ..., L - depth layers, each from its own
    state before and from those of the tree nodes below it. Cutting a branch off takes its messages away in every layer;
    means are then taken over what is left, GCN's weights and all features stay those of the graph.
    """

    def __init__(self, model: BlockNet, G: Graph, S: Ints) -> None:
        self.model, self.S = model, S
        self.layers, hops, encoding = model.hyper["layers"], model.hyper.get("hops", 1), model.encoding
        graph = G.cut(S)
        if encoding is None:
            self.unrolling = Unrolling(graph, self.layers, attributes=G.attributes is not None)
        else:
            self.unrolling = Unrolling(G, self.layers, encoding, S, True, hops, G.attributes is not None)
        arcs = self.unrolling.arcs
        self.child, self.hop = torch.from_numpy(arcs.indices), torch.from_numpy(arcs.tags - 1)
        self.parent = torch.from_numpy(np.repeat(np.arange(G.num_nodes), np.diff(arcs.indptr)))
        self.ptr = arcs.indptr
        self.heads = hops if model.aggregation == "hops" else 1
        self.count = torch.zeros(G.num_nodes, self.heads)  # of what each node hears, at each hop
        self.count.index_put_((self.parent, self.hop), torch.ones(len(self.child)), accumulate=True)
        self.factor = torch.from_numpy(1 / np.sqrt(graph.degrees + 1.0)).float()[:, None]
        if model.aggregation != "gcn":
            self.factor = torch.ones_like(self.factor)
        self.base = torch.from_numpy(base_features(graph))
        zeta = np.zeros((G.num_nodes, len(S), 0))
        if encoding is not None:
            zeta = encoding.pairwise(G, S, cut=True).transpose(1, 0, 2)
        self.zeta = torch.from_numpy(zeta).float()  # [n, p, dim]

    # ---- layers -----------------------------------------------------------------------------------

    def heard(self, h: Tensor) -> Tensor:
        """What each node hears from those below it, summed at each hop. [n, c] -> [n, heads, c]"""
        sums = torch.zeros(len(h), self.heads, h.shape[1])
        return sums.index_put_((self.parent, self.hop), (self.factor * h)[self.child], accumulate=True)

    def layer(self, number: int, nodes: Ints, own: Tensor, heard: Tensor, count: Tensor) -> Tensor:
        """The state of tree nodes after one more layer. own [B, N, c], heard [B, N, heads, c] -> [B, N, hidden]"""
        kind = self.model.aggregation
        if kind == "gcn":
            factor = self.factor[nodes]  # [N, 1]
            heard = (heard + (factor * own)[:, :, None]) * factor[:, :, None]
        elif kind == "mean":
            heard = heard / count[..., None].clamp(min=1)
        elif kind == "hops":
            heard = (heard + own[:, :, None]) / (count[..., None] + 1)
        conv = self.model.convs[number]
        return conv(own.flatten(0, 1), heard.flatten(0, 1)).view(*own.shape[:2], -1)

    def run(self, entered: Tensor) -> list[Tensor]:
        """The states of all nodes after 0, 1, ..., L layers; near S only, they are those of the whole graph. [n, c]"""
        states, everyone = [entered], np.arange(len(entered))
        for number in range(self.layers):
            h = states[-1]
            states.append(self.layer(number, everyone, h[None], self.heard(h)[None], self.count[None])[0])
        return states

    def logits(self, states: list[Tensor]) -> Tensor:
        """[1] or [1, C]"""
        return self.model.readout(states[-1][self.S][None])

    @cached_property
    def states(self) -> list[Tensor]:
        """As the network computes them."""
        return self.run(self.model.enter(self.base, self.zeta))

    @cached_property
    def _sums(self) -> list[Tensor]:
        return [self.heard(h) for h in self.states[:-1]]

    # ---- branches ---------------------------------------------------------------------------------

    def without_branches(self, tree: Subtree) -> Tensor:
        """The logits with the branch at each tree node but the root cut off, all the equal siblings that it stands for.

        [t - 1] or [t - 1, C]
        """
        roots = torch.zeros(len(tree), self.states[-1].shape[1])
        for t, below in self._inner(tree):
            roots[below] = self._root_without(tree, t, below)
        h = self.states[-1][self.S].repeat(len(tree) - 1, 1, 1)  # [t - 1, p, hidden]
        h[:, int(np.flatnonzero(tree.root == self.S)[0])] = roots[1:]
        return self.model.readout(h)

    def _inner(self, tree: Subtree) -> Iterator[tuple[int, Ints]]:
        for t in range(len(tree)):
            if len(below := tree.children(t)):
                yield t, below

    def without_lines(self, depth: int) -> tuple[Ints, Tensor]:
        """The logits without each line of the folded subtrees: wherever the one class stands at its level, without the
        other below it.

        Rows of level, a node of the upper class, one of the lower, hop [k, 4]; and [k] or [k, C].
        """
        levels, arcs = [np.unique(self.S)], self.unrolling.arcs
        for _ in range(depth - 1):
            levels.append(np.unique(self._arcs(levels[-1])[1]))
        lines, readings = list[tuple[int, int, int, int]](), [self.states[-1][self.S][None][:0]]
        for level, here in enumerate(levels):
            colour = self.unrolling.colour[depth - level, here]
            for one in np.unique(colour):
                upper = here[colour == one]
                child, hop = arcs.row(int(upper[0]))
                keys = np.stack([hop, self.unrolling.colour[depth - level - 1, child]], axis=1)
                kinds, first = np.unique(keys, axis=0, return_index=True)
                lines += [(level, int(upper[0]), int(child[i]), int(hop[i])) for i in first]
                gone = [self._entries(upper, value, depth - level - 1, steps) for steps, value in kinds]
                if gone:
                    readings.append(self._readings(levels[:level], upper, self._cut_off(upper, gone, level)))
        return np.array(lines, dtype=np.int64).reshape(-1, 4), self.model.readout(torch.cat(readings))

    def _readings(self, levels: list[Ints], changed: Ints, states: list[Tensor]) -> Tensor:
        """What is read of S when these nodes, where they stand right below ``levels``, have these states. [B, p, c]"""
        for depth in range(len(levels) - 1, -1, -1):
            rows, children, arcs = self._arcs(levels[depth])
            heard = np.isin(children, changed)
            upper, row = np.unique(levels[depth][rows[heard]], return_inverse=True)
            states = self._passed_on(upper, changed, arcs[heard], row, states, depth)
            changed = upper
        h = self.states[-1][self.S].repeat(len(states[0]), 1, 1)
        place, row = np.nonzero(self.S[:, None] == changed)
        h[:, place] = states[-1][:, row]
        return h

    def _arcs(self, nodes: Ints) -> tuple[Ints, Ints, Ints]:
        """The arcs below these nodes: from which of them, to whom, their places."""
        rows = np.repeat(np.arange(len(nodes)), self.ptr[nodes + 1] - self.ptr[nodes])
        arcs = np.concatenate([nodes[:0], *(np.arange(self.ptr[u], self.ptr[u + 1]) for u in nodes)])
        return rows, self.unrolling.arcs.indices[arcs], arcs

    def _entries(self, nodes: Ints, colour: int, layer: int, hop: int) -> tuple[Ints, Ints]:
        """The arcs from these nodes to those of a colour after ``layer`` layers, so many hops away; from which."""
        rows, children, arcs = self._arcs(nodes)
        alike = self.unrolling.colour[layer, children] == colour
        wanted = alike & (self.unrolling.arcs.tags[arcs] == hop)
        return arcs[wanted], rows[wanted]

    def _to(self, tree: Subtree, t: int, nodes: Ints) -> tuple[Ints, Ints]:
        """The arcs from these nodes, which stand where t's parent does, to what t stands for; from which of them."""
        return self._entries(nodes, tree.colour[t], tree.layers - tree.depth[t], tree.hop[t])

    def _root_without(self, tree: Subtree, t: int, below: Ints) -> Tensor:
        """The root's last state without each of the children ``below`` of tree node t. [B, hidden]"""
        path = [t]  # from t up to the root
        while tree.parent[path[-1]] >= 0:
            path.append(int(tree.parent[path[-1]]))
        places = [np.array([tree.root])]  # the nodes that stand where each of them does, from the root down
        links = []
        for step in path[-2::-1]:
            arcs, rows = self._to(tree, step, places[-1])
            places.append(np.unique(self.unrolling.arcs.indices[arcs]))
            links.append((arcs, rows))
        gone = [self._to(tree, child, places[-1]) for child in below.tolist()]
        states = self._cut_off(places[-1], gone, len(path) - 1)
        for depth in range(len(path) - 2, -1, -1):
            states = self._passed_on(places[depth], places[depth + 1], *links[depth], states, depth)
        return states[-1][:, 0]

    def _cut_off(self, nodes: Ints, gone: list[tuple[Ints, Ints]], depth: int) -> list[Tensor]:
        """The states of these nodes, each time without the arcs of one of ``gone``. [B, N, c] each"""
        arcs = np.concatenate([each for each, _ in gone])
        branch, row = (
            np.repeat(np.arange(len(gone)), [len(each) for each, _ in gone]),
            np.concatenate([r for _, r in gone]),
        )
        place = (torch.from_numpy(branch), torch.from_numpy(row), self.hop[arcs])
        count = self.count[nodes].repeat(len(gone), 1, 1)
        count.index_put_(place, -torch.ones(len(arcs)), accumulate=True)
        states = [self.states[0][nodes].repeat(len(gone), 1, 1)]
        for number in range(self.layers - depth):
            lost = -(self.factor * self.states[number])[self.child[arcs]]
            heard = self._sums[number][nodes].repeat(len(gone), 1, 1, 1).index_put_(place, lost, accumulate=True)
            states.append(self.layer(number, nodes, states[-1], heard, count))
        return states

    def _passed_on(
        self, nodes: Ints, lower: Ints, arcs: Ints, row: Ints, below: list[Tensor], depth: int
    ) -> list[Tensor]:
        """The states of these nodes when those of ``lower``, which they hear along ``arcs``, are as in ``below``."""
        number_of = len(below[0])
        here, child, hop = torch.from_numpy(row), self.child[arcs], self.hop[arcs]
        at = torch.from_numpy(np.searchsorted(lower, child.numpy()))
        count = self.count[nodes].repeat(number_of, 1, 1)
        states = [self.states[0][nodes].repeat(number_of, 1, 1)]
        for number in range(self.layers - depth):
            heard = self._sums[number][nodes].repeat(number_of, 1, 1, 1)  # [B, N, heads, c]
            change = (below[number][:, at] - self.states[number][child]) * self.factor[child]  # [B, arcs, c]
            heard = heard.permute(1, 2, 0, 3).index_put((here, hop), change.transpose(0, 1), accumulate=True)
            states.append(self.layer(number, nodes, states[-1], heard.permute(2, 0, 1, 3), count))
        return states
