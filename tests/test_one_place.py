"""Adding an encoding or a model touches one place: each is added here in ten lines, and works everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
import torch
from torch import nn

import degnn_explore as de
from degnn_explore.encodings.base import Encoding, Ints
from degnn_explore.engine.features import set_features
from degnn_explore.graphs.distances import set_distances
from degnn_explore.graphs.graph import Graph
from degnn_explore.learn import registry
from degnn_explore.learn.nets.base import Hyper, Rows, SetNet, Shape
from degnn_explore.learn.registry import color_of
from degnn_explore.studies.comparison import compare_runs
from degnn_explore.studies.race import RaceSetup
from degnn_explore.studies.runs import Run
from degnn_explore.views.explorer.seen import labels_of

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
    first, second = de.colors(PATH, {0}, zeta, layers=1)
    assert [first.tolist().index(c) for c in first] == [0, 1, 0, 1, 4]
    assert [second.tolist().index(c) for c in second] == [0, 1, 2, 3, 4]
    tree = de.unroll(PATH, 1, 1, encoding=zeta, S={0}, merge=True)
    assert str(tree) == "1 [0, 1, 0]\n└─ 0 [1, 0, 0] ×2"
    shown = labels_of([(PATH, np.array([0]))], zeta, column=1)
    assert (shown.title, shown.codes[0].tolist()) == ("odd", [1, 0, 1, 0, 1])
    egos = de.ego_networks(PATH, [{0}, {3}], hops=3, encoding=zeta, degree=False).flat
    assert egos.nodes.tolist() == [0, 1, 2, 3, 3, 2, 1, 0]
    assert egos.x.tolist() == [*rows[:4], *rows[:4]]


def test_an_encoding_may_say_more_of_itself() -> None:
    @dataclass(frozen=True)
    class Named(Parity):
        def shown(self, G: Graph, S: Ints, cut: bool) -> Ints:
            return self.encode(G, S, cut).argmax(axis=1)[:, None]

        def label(self, row) -> str:
            return self.columns[row[0]]

    assert de.unroll(PATH, 1, 1, encoding=Named(), S={0}, merge=True).label == ("odd", "even")
    labels = labels_of([(PATH, np.array([0]))], Named())
    assert [labels.table[code].text for code in labels.codes[0]] == ["even", "odd", "even", "odd", "none"]


class DegreesNet(SetNet):
    """A perceptron on the log-degrees of S."""

    HYPER: ClassVar = {"hidden": Hyper(4, least=1)}

    def __init__(self, name: str, shape: Shape, **hyper: int) -> None:
        super().__init__(name, shape, hyper)
        self.enter, self.out = nn.Linear(1, hyper["hidden"]), nn.Linear(hyper["hidden"], shape.outputs)

    def prepare(self, graph, sets, *, stop=None, progress=True):
        return Rows((torch.from_numpy(set_features(graph, sets)),), lambda rows: rows)

    def forward(self, batch):
        return self.out(torch.relu(self.enter(batch)).sum(dim=1)).squeeze(1)


def test_a_model_of_ten_lines_works_everywhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(registry.MODELS, "degrees", registry.Entry(DegreesNet, "baseline", "#123456", "a perceptron"))
    assert list(de.models().index)[-2:] == ["centralities", "degrees"]
    assert de.models().loc["degrees", "hyperparameters"] == {"hidden": 4}
    task = de.link_task(de.load("karate"))
    model = de.build("degrees", task, hidden=6)
    assert [epoch.number for epoch in de.fit(model, task, epochs=2)] == [1, 2]
    again = de.load_model(de.save(model, tmp_path / "degrees.safetensors"))
    assert again.hyper == {"hidden": 6}
    assert np.array_equal(de.predict(again, task.graph, [{0, 1}]), de.predict(model, task.graph, [{0, 1}]))
    setup = RaceSetup(de.load("karate"), "links", ["GCN", "degrees"], settings={"hidden": 3, "layers": 1})
    assert setup.spec("degrees").settings == {"hidden": 3}
    run = Run("k", "karate", "links", "degrees", digest="1f", test=0.7)
    assert Run.from_json(run.to_json()).model == "degrees"
    assert compare_runs([run]).rows[0].verdict == "the baseline"
    board = de.TrainingBoard("karate", "links", ["degrees"], seeds=1, epochs=1, results=tmp_path)
    assert [one["name"] for one in board.form["models"]][-1] == "degrees"
    assert color_of("degrees") == "#123456"
    board.close()
