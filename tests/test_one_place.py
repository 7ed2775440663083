"""Adding an encoding touches one place: it is added here in ten lines, and works everywhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import degnn_explore as de
from degnn_explore.encodings.base import Encoding, Ints
from degnn_explore.graphs.distances import set_distances
from degnn_explore.graphs.graph import Graph
from degnn_explore.views.explorer.seen import labels_of

PATH = Graph.from_edges([(0, 1), (1, 2), (2, 3)], num_nodes=5)  # 0-1-2-3 and the isolated node 4


@dataclass(frozen=True)
class Parity(Encoding):
    """Whether the distance is even, odd or infinite."""

    columns = ("even", "odd", "none")

    def pairwise(self, G: Graph, S: Ints, cut: bool) -> np.ndarray:
        far = set_distances(G, S[None], cut)[0]
        return np.eye(3)[np.where(far < 0, 2, far % 2)]


@dataclass(frozen=True)
class Named(Parity):
    """It may say more of itself: how a node is labeled in pictures."""

    def shown(self, G: Graph, S: Ints, cut: bool) -> Ints:
        return self.encode(G, S, cut).argmax(axis=1)[:, None]

    def label(self, row) -> str:
        return self.columns[row[0]]


def test_an_encoding_of_ten_lines_works_everywhere() -> None:
    zeta = Parity()
    rows = [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert np.array_equal(zeta.encode(PATH, {0}), rows) and zeta.dim == 3
    assert np.array_equal(zeta.encode(PATH, {0, 1})[0], [0.5, 0.5, 0])
    assert [len(set(colors)) for colors in de.colors(PATH, {0}, zeta, layers=1)] == [3, 5]
    assert str(de.unroll(PATH, 1, 1, encoding=zeta, S={0}, merge=True)) == "1 [0, 1, 0]\n└─ 0 [1, 0, 0] ×2"
    assert de.unroll(PATH, 1, 1, encoding=Named(), S={0}, merge=True).label == ("odd", "even")
    shown = labels_of([(PATH, np.array([0]))], zeta, column=1)
    assert (shown.title, shown.codes[0].tolist()) == ("odd", [1, 0, 1, 0, 1])
    named = labels_of([(PATH, np.array([0]))], Named())
    assert [named.table[code].text for code in named.codes[0]] == ["even", "odd", "even", "odd", "none"]
    egos = de.ego_networks(PATH, [{0}, {3}], hops=3, encoding=zeta, degree=False).flat
    assert egos.nodes.tolist() == [0, 1, 2, 3, 3, 2, 1, 0] and egos.x.tolist() == [*rows[:4], *rows[:4]]
