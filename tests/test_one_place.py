"""Adding an encoding or a model touches one place: each is added here in ten lines, and works everywhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.encodings.base import Encoding, Ints
from degnn_explore.graphs.distances import set_distances
from degnn_explore.graphs.graph import Graph
from degnn_explore.views.explorer.colouring import by_encoding

PATH = Graph.from_edges([(0, 1), (1, 2), (2, 3)], num_nodes=5)  # 0-1-2-3 and the isolated node 4


@dataclass(frozen=True)
class Parity(Encoding):
    """Whether the distance is even, odd or infinite."""

    columns = ("even", "odd", "none")

    def pairwise(self, G: Graph, S: Ints, cut: bool) -> np.ndarray:
        far = set_distances(G, S[None], cut)[0]
        return np.eye(3)[np.where(far < 0, 2, far % 2)]


def test_an_encoding_of_ten_lines_works_everywhere() -> None:
    zeta = Parity()
    rows = [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert np.array_equal(zeta.encode(PATH, {0}), rows)
    assert np.array_equal(zeta.encode(PATH, {0, 1})[0], [0.5, 0.5, 0])
    assert zeta.dim == 3
    first, second = de.colours(PATH, {0}, zeta, layers=1)
    assert [first.tolist().index(c) for c in first] == [0, 1, 0, 1, 4]
    assert [second.tolist().index(c) for c in second] == [0, 1, 2, 3, 4]
    tree = de.unroll(PATH, 1, 1, encoding=zeta, S={0}, merge=True)
    assert str(tree) == "1 [0, 1, 0]\n└─ 0 [1, 0, 0] ×2"
    shown = by_encoding([(PATH, [0])], zeta, column=1)
    assert (shown.title, shown.codes[0].tolist()) == ("odd", [0, 1, 0, 1, 0])
    with pytest.raises(de.ParameterError, match="not known to the ego-network engine"):
        de.blocks(PATH, [{0}], encoding=zeta, layers=1)


def test_an_encoding_may_say_more_of_itself() -> None:
    @dataclass(frozen=True)
    class Named(Parity):
        def shown(self, G: Graph, S: Ints, cut: bool) -> Ints:
            return self.encode(G, S, cut).argmax(axis=1)[:, None]

        def label(self, row) -> str:
            return self.columns[row[0]]

    assert de.unroll(PATH, 1, 1, encoding=Named(), S={0}, merge=True).label == ("odd", "even")
    legend = by_encoding([(PATH, [0])], Named()).entries
    assert [(entry.label, entry.counts) for entry in legend[:-1]] == [("even", (2,)), ("odd", (2,)), ("none", (1,))]
