"""A model of one's own: tried when it is registered, then known everywhere, in worker processes too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
import torch
from torch import nn

import degnn_explore as de
from degnn_explore import ParameterError
from degnn_explore.engine.features import set_features
from degnn_explore.learn.fingerprint import fingerprint
from degnn_explore.learn.own_models import try_model
from degnn_explore.learn.registry import MODELS, Entry, color_of

KARATE = de.load("karate")


@pytest.fixture(autouse=True)
def only_here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test registers is forgotten after it."""
    before = dict(MODELS)
    yield
    for name in [name for name in MODELS if name not in before]:
        del MODELS[name]


class Plain(de.SetNet):
    """A perceptron on the log-degrees of S."""

    HYPER: ClassVar = {"hidden": de.Hyper(4, least=1)}

    def __init__(self, name: str, shape: de.Shape, **hyper: int) -> None:
        super().__init__(name, shape, hyper)
        width = 1 + shape.num_attributes
        self.enter, self.out = nn.Linear(width, hyper["hidden"]), nn.Linear(hyper["hidden"], shape.outputs)

    def prepare(self, graph, sets):
        return de.Rows((torch.from_numpy(set_features(graph, sets)),))

    def forward(self, batch):
        return self.out(torch.relu(self.enter(batch)).sum(dim=1)).squeeze(1)


def test_a_registered_model_is_in_every_list() -> None:
    before = list(MODELS)
    de.register_model(Plain, name="plain")
    assert list(MODELS) == [*before, "plain"]
    entry = MODELS["plain"]
    assert (entry.group, entry.about, entry.sizes) == ("baseline", "A perceptron on the log-degrees of S", None)
    assert de.models().loc["plain", "hyperparameters"] == {"hidden": 4}
    others = {known.color for name, known in MODELS.items() if name != "plain"}
    assert re.fullmatch("#[0-9a-f]{6}", entry.color)
    assert entry.color not in others
    de.register_model(Plain, group="distance encoding", about="the same", sizes=[2], color="#123456")
    assert MODELS["Plain"] == Entry(Plain, "distance encoding", "#123456", "the same", (2,), mark=fingerprint(Plain))


def test_registering_again_replaces_and_keeps_the_color() -> None:
    de.register_model(Plain, name="plain")
    first = MODELS["plain"]

    class Other(Plain):
        def forward(self, batch):
            return super().forward(batch) * 2

    de.register_model(Other, name="plain")
    assert MODELS["plain"].home is Other
    assert MODELS["plain"].color == first.color == color_of("plain")
    assert MODELS["plain"].mark != first.mark


def test_a_failed_attempt_leaves_what_was_there() -> None:
    de.register_model(Plain, name="plain")

    class Broken(Plain):
        def forward(self, batch):
            raise RuntimeError("no")

    with pytest.raises(ParameterError, match=r"plain.forward.*RuntimeError: no"):
        de.register_model(Broken, name="plain")
    assert MODELS["plain"].home is Plain
    with pytest.raises(ParameterError):
        de.register_model(Broken, name="broken")
    assert "broken" not in MODELS


# ---- what is tried --------------------------------------------------------------------------------


class Column(Plain):
    """Logits [k, 1]."""

    def forward(self, batch):
        return super().forward(batch)[..., None]


class Probabilities(Plain):
    """A class too many."""

    def forward(self, batch):
        out = super().forward(batch)
        return torch.stack([out, -out], dim=1) if out.dim() == 1 else out


class Whole(Plain):
    """Whole numbers."""

    def forward(self, batch):
        return super().forward(batch).long()


class Infinite(Plain):
    """log 0."""

    def forward(self, batch):
        return super().forward(batch) + torch.zeros(()).log()


class Detached(Plain):
    """Without a gradient."""

    def forward(self, batch):
        return super().forward(batch).detach()


class Noisy(Plain):
    """Draws from torch's own generator."""

    def forward(self, batch):
        return super().forward(nn.functional.dropout(batch, 0.5, self.training))


class Unseeded(Plain):
    """Weights from numpy."""

    def __init__(self, name, shape, **hyper):
        super().__init__(name, shape, **hyper)
        self.enter.weight = nn.Parameter(torch.from_numpy(np.random.default_rng().normal(size=self.enter.weight.shape)))
        self.double()


class Mixing(Plain):
    """The mean of the batch is taken away."""

    def forward(self, batch):
        return super().forward(batch - batch.mean(dim=0))


class Few(Plain):
    """Data of one set less."""

    def prepare(self, graph, sets):
        return super().prepare(graph, sets[1:])


class Listed(Plain):
    """A list."""

    def prepare(self, graph, sets):
        return list(sets)


class Forgetful(Plain):
    """What it binds is not saved."""

    shift = 0.0

    def bind(self, task):
        self.shift = 3.0

    def forward(self, batch):
        return super().forward(batch) + self.shift


class Pairs(Plain):
    """For two nodes."""

    def forward(self, batch):
        return super().forward((batch[:, 0] + batch[:, 1])[:, None])


class Short(Plain):
    """Says that it looks no further than S."""

    horizon = 0

    def prepare(self, graph, sets):
        far = [[graph.degrees[graph.neighbors(v)].sum() for v in S] for S in sets]
        return de.Rows((torch.tensor(np.array(far)[..., None] + np.zeros(1 + self.shape.num_attributes)).float(),))


class Unready(Plain):
    """Does not tell its base class."""

    def __init__(self, name, shape):
        nn.Module.__init__(self)


class Unnamed(Plain):
    """Asks for factors of features that it does not name."""

    def __init__(self, name, shape, **hyper):
        super().__init__(name, shape, **hyper)
        self.register_buffer("scale", torch.ones(3))


class Settings(Plain):
    """A hyperparameter that is a number."""

    HYPER: ClassVar = {"hidden": 4}


class Outside(Plain):
    """A default that its own range does not have."""

    HYPER: ClassVar = {"hidden": de.Hyper(0, least=1)}


class Taken(Plain):
    """A hyperparameter that fit has."""

    HYPER: ClassVar = {"hidden": de.Hyper(4, least=1), "learning_rate": de.Hyper(0.1)}


WRONG = [
    (Column, r"forward.*\[\d+, 1\].*squeeze"),
    (Probabilities, r"forward.*\[\d+, 2\]"),
    (Whole, "forward.*int64"),
    (Infinite, "forward.*-inf"),
    (Unnamed, "features"),
    (Detached, "gradient"),
    (Noisy, r"de\.Dropout"),
    (Unseeded, "enter.weight.*seed"),
    (Mixing, r"batch.*\{\d+\}"),
    (Few, r"prepare.*de\.Rows"),
    (Listed, "prepare.*list"),
    (Forgetful, "saved.*register_buffer"),
    (Pairs, r"p=1: .*sizes=\(2, 3\)"),
    (Short, "horizon is 0"),
    (Unready, r"__init__.*TypeError"),
    (Settings, "Settings.HYPER"),
    (Outside, r"Outside.HYPER\['hidden'\]"),
    (Taken, "Taken.HYPER.*'learning_rate'"),
]


@pytest.mark.parametrize(("kind", "words"), WRONG, ids=[kind.__name__ for kind, _ in WRONG])
def test_what_a_model_does_wrong_is_said_with_what_to_do(kind: type[de.SetNet], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        de.register_model(kind, name="own")
    assert "own" not in MODELS


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sizes": (11,)}, "sizes must be a whole number from 1 to 10"),
        ({"sizes": ()}, "sizes must list"),
        ({"color": "red"}, "color must be like"),
        ({"group": "bases"}, "Did you mean 'baseline'"),
        ({"name": " own"}, "name must be a short text"),
        ({"name": 41 * "x"}, "name must be a short text"),
        ({"name": "GCN"}, "built-in model"),
    ],
)
def test_wrong_options_of_a_registration_are_named(options: dict, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        de.register_model(Plain, **options)


class Ordered(Plain):
    """The first node counts."""

    def forward(self, batch):
        return super().forward(batch[:, :1])


class Peeking(Plain):
    """Counts the edges inside S."""

    def prepare(self, graph, sets):
        inside = [np.isin(graph.edges, S).all(axis=1).sum() for S in sets]
        wide = np.zeros((1, self.shape.p, 1 + self.shape.num_attributes))
        return de.Rows((torch.tensor(np.array(inside)[:, None, None] + wide).float(),))


class Idle(Plain):
    """Has a layer that it does not use."""

    def __init__(self, name, shape, **hyper):
        super().__init__(name, shape, **hyper)
        self.spare = nn.Linear(2, 2)


@pytest.mark.parametrize(
    ("kind", "words"),
    [(Ordered, "order of a set"), (Peeking, "edges inside a set"), (Idle, "spare.weight, spare.bias")],
)
def test_what_is_seldom_meant_is_a_warning(kind: type[de.SetNet], words: str) -> None:
    with pytest.warns(UserWarning, match=words):
        de.register_model(kind, name="own", sizes=(2,))
    assert MODELS["own"].home is kind


def test_our_own_models_pass_the_trial() -> None:
    for name, p in (("DE-GNN-SPD", 2), ("DEA-GNN-PR", 3), ("degree", 1)):
        assert try_model(name, p) == {}


def test_a_formula_is_a_heuristic() -> None:
    class Edges(de.SetNet):
        """Degrees."""

        learns = False

        def __init__(self, name, shape, **hyper):
            super().__init__(name, shape, hyper)

        def prepare(self, graph, sets):
            return de.Rows((torch.from_numpy(set_features(graph, sets))[..., 0].sum(dim=1),))

        def forward(self, batch):
            return batch if self.shape.outputs == 1 else batch[:, None] * torch.arange(self.shape.outputs)

    de.register_model(Edges, name="edges")
    assert MODELS["edges"].group == "heuristic"
    task = de.role_task(KARATE)
    assert len(list(de.fit(de.build("edges", task), task))) == 1
    de.register_model(Edges, name="edges", group="distance encoding")
    assert MODELS["edges"].group == "heuristic"


# ---- used everywhere ------------------------------------------------------------------------------


def test_a_saved_model_of_ones_own_needs_its_class(tmp_path: Path) -> None:
    task = de.link_task(KARATE)
    stranger = Plain("plain", de.Shape(2, 2), hidden=4)
    with pytest.raises(
        ParameterError, match=r"No Plain is registered as 'plain'.*de.register_model\(Plain, name='plai"
    ):
        de.save(stranger, tmp_path / "m.safetensors")
    de.register_model(Plain, name="plain")
    model = de.build("plain", task, hidden=7)
    list(de.fit(model, task, 2))
    file = de.save(model, tmp_path / "m.safetensors")
    again = de.load_model(file)
    assert type(again) is Plain
    assert again.hyper == {"hidden": 7}
    assert np.array_equal(de.predict(again, KARATE, [{0, 1}]), de.predict(model, KARATE, [{0, 1}]))
    with pytest.raises(ParameterError, match="No Plain is registered as 'GCN'"):
        de.save(Plain("GCN", de.Shape(2, 2), hidden=4), tmp_path / "m.safetensors")
    del MODELS["plain"]
    with pytest.raises(ParameterError, match=r"holds a model named 'plain', which is not known here.*register_model"):
        de.load_model(file)
