"""Your own model: what is tried when it is registered, what it is told, and that it is known everywhere after it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import torch
from torch import nn

import degnn_explore as de
from degnn_explore import ParameterError
from degnn_explore.engine.features import set_features
from degnn_explore.learn.own_models import try_model
from degnn_explore.learn.registry import MODELS, color_of

TASK = de.link_task(de.load("karate"))


@pytest.fixture(autouse=True)
def only_here() -> Iterator[None]:
    """What a test registers is forgotten after it."""
    before = dict(MODELS)
    yield
    for name in [name for name in MODELS if name not in before]:
        del MODELS[name]


class Plain(de.SetNet):
    """A perceptron on the log-degrees of S.

    Nothing more.
    """

    HYPER: ClassVar = {"hidden": de.Hyper(4, least=1)}

    def __init__(self, name: str, shape: de.Shape, **hyper: int) -> None:
        super().__init__(name, shape, hyper)
        self.enter = nn.Linear(1 + shape.num_attributes, hyper["hidden"])
        self.out = nn.Linear(hyper["hidden"], shape.outputs)

    def prepare(self, graph: de.Graph, sets: np.ndarray) -> de.Rows:
        return de.Rows((torch.from_numpy(set_features(graph, sets)),))

    def forward(self, batch: torch.Tensor) -> Any:
        return self.out(torch.relu(self.enter(batch)).sum(dim=1)).squeeze(1)


class Other(Plain):
    def forward(self, batch: torch.Tensor) -> Any:
        return super().forward(batch) * 2


def own(doc: str = "", **members: Any) -> type[Plain]:
    """Plain with other members."""
    return type("Own", (Plain,), {"__doc__": doc, "__module__": __name__, **members})


# ---- the entry -------------------------------------------------------------------------------------------------------


def test_a_registered_model_is_listed_with_what_its_registration_says() -> None:
    before, state = list(MODELS), torch.get_rng_state()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        de.register_model(Plain)
        de.register_model(
            Other, name="other", group="distance encoding", about="twice", sizes=[3, 2, 2], color="#12AB56"
        )
    assert torch.equal(torch.get_rng_state(), state)
    assert list(MODELS) == [*before, "Plain", "other"]
    plain, other = MODELS["Plain"], MODELS["other"]
    assert (plain.home, plain.group, plain.sizes) == (Plain, "baseline", None)
    assert plain.about == "A perceptron on the log-degrees of S"
    assert (other.group, other.about, other.sizes, other.color) == ("distance encoding", "twice", (2, 3), "#12AB56")
    assert re.fullmatch("#[0-9a-f]{6}", plain.color) and [MODELS[name].color for name in MODELS].count(plain.color) == 1
    assert plain.mark and other.mark not in ("", plain.mark) and not plain.usual
    assert de.models().loc["Plain", "hyperparameters"] == {"hidden": 4}
    assert de.build("Plain", TASK, hidden=7).enter.out_features == 7
    de.register_model(own(), name="undescribed")
    assert MODELS["undescribed"].about == "a model of your own"


def test_registering_again_replaces_the_class_and_keeps_the_color() -> None:
    de.register_model(Plain, name="own")
    first = MODELS["own"]
    de.register_model(Other, name="own")
    assert MODELS["own"].home is Other and color_of("own") == first.color and MODELS["own"].mark != first.mark
    de.register_model(Plain, name="own", color="#123456")
    assert color_of("own") == "#123456" and MODELS["own"].mark == first.mark


def test_a_failed_or_interrupted_registration_leaves_what_was_there() -> None:
    de.register_model(Plain, name="own")
    first = MODELS["own"]
    for error, seen in ((RuntimeError("no"), ParameterError), (KeyboardInterrupt(), KeyboardInterrupt)):

        def forward(self: Any, batch: Any, error: BaseException = error) -> None:
            raise error

        for name in ("own", "new"):
            with pytest.raises(seen, match=r"forward.*RuntimeError: no|^$"):
                de.register_model(own(forward=forward), name=name)
    assert MODELS["own"] is first and "new" not in MODELS


def test_a_formula_is_a_heuristic_whatever_its_group() -> None:
    class Degrees(de.SetNet):
        learns = False

        def __init__(self, name: str, shape: de.Shape) -> None:
            super().__init__(name, shape, {})

        def prepare(self, graph: de.Graph, sets: np.ndarray) -> de.Rows:
            return de.Rows((torch.from_numpy(set_features(graph, sets))[..., 0].sum(dim=1),))

        def forward(self, batch: torch.Tensor) -> torch.Tensor:
            return batch if self.shape.outputs == 1 else batch[:, None] * torch.arange(self.shape.outputs)

    for group in ("baseline", "distance encoding"):
        de.register_model(Degrees, name="degrees", group=group)
        assert MODELS["degrees"].group == "heuristic"
    assert len(list(de.fit(de.build("degrees", TASK), TASK, epochs=9))) == 1


def test_built_in_models_pass_the_trial_without_a_note() -> None:
    for name, p in (("DE-GNN-SPD", 1), ("PGNN", 2), ("degree", 1)):
        assert try_model(name, p) == {}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sizes": (11,)}, "sizes must be a whole number from 1 to 10"),
        ({"sizes": (0,)}, "sizes must be a whole number from 1 to 10"),
        ({"sizes": ()}, "sizes must list"),
        ({"sizes": 2}, "sizes must list"),
        ({"color": "red"}, "color must be like"),
        ({"color": "#1234567"}, "color must be like"),
        ({"group": "bases"}, "Did you mean 'baseline'"),
        ({"name": " own"}, "name must be a short text"),
        ({"name": ""}, "name must be a short text"),
        ({"name": 41 * "x"}, "name must be a short text"),
        ({"name": "two\nlines"}, "name must be a short text"),
        ({"name": "GCN"}, "built-in model"),
        ({"name": "DEA-GNN-PR"}, "built-in model"),
        ({"cls": nn.Linear}, r"subclass of de\.SetNet, not Linear"),
        ({"cls": Plain("own", de.Shape(2, 2), hidden=4)}, r"subclass of de\.SetNet, not a Plain"),
    ],
)
def test_wrong_arguments_of_a_registration_are_named(options: dict, words: str) -> None:
    before = dict(MODELS)
    with pytest.raises(ParameterError, match=words):
        de.register_model(**{"cls": Plain, **options})
    assert dict(MODELS) == before


# ---- the trial -------------------------------------------------------------------------------------------------------


def unready(self: Any, name: str, shape: de.Shape, **hyper: int) -> None:
    nn.Module.__init__(self)


def unseeded(self: Any, name: str, shape: de.Shape, **hyper: int) -> None:
    Plain.__init__(self, name, shape, **hyper)
    self.enter.weight = nn.Parameter(
        torch.from_numpy(np.random.default_rng().normal(size=self.enter.weight.shape)).float()
    )


def with_width(self: Any, name: str, shape: de.Shape, **hyper: int) -> None:
    Plain.__init__(self, name, shape, **hyper)
    self.register_buffer("scale", torch.ones(3))


def with_spare(self: Any, name: str, shape: de.Shape, **hyper: int) -> None:
    Plain.__init__(self, name, shape, **hyper)
    self.spare, self.frozen = nn.Linear(2, 2), nn.Parameter(torch.ones(2), requires_grad=False)


def two_columns(self: Any, batch: torch.Tensor) -> torch.Tensor:
    out = Plain.forward(self, batch)
    return torch.stack([out, -out], dim=1) if out.dim() == 1 else out


def forget(self: Any, task: de.Task) -> None:
    self.shift = 3.0


def degrees_of_neighbors(self: Any, graph: de.Graph, sets: np.ndarray) -> de.Rows:
    around = np.array([[graph.cut(S).degrees[graph.cut(S).neighbors(v)].sum() for v in S] for S in sets])
    return de.Rows((torch.tensor(around[..., None] + np.zeros(1 + self.shape.num_attributes)).float(),))


def edges_inside(self: Any, graph: de.Graph, sets: np.ndarray) -> de.Rows:
    inside = [np.isin(graph.edges, S).all(axis=1).sum() for S in sets]
    wide = np.zeros((1, self.shape.p, 1 + self.shape.num_attributes))
    return de.Rows((torch.tensor(np.array(inside)[:, None, None] + wide).float(),))


def only_for(p: int) -> Any:
    return lambda self, batch: Plain.forward(self, batch if self.shape.p in (1, 2, 3)[:p] else batch[:, :0, :0])


def forward(change: Any) -> dict[str, Any]:
    """Plain's logits, changed."""
    return {"forward": lambda self, batch: change(Plain.forward(self, batch))}


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a column of logits": (forward(lambda out: out[..., None]), r"forward.*\[\d+, 1\].*squeeze"),
    "a class too many": ({"forward": two_columns}, r"forward.*\[\d+, 2\]"),
    "whole numbers": (forward(lambda out: out.long()), r"forward.*int64"),
    "no tensor": (forward(lambda out: out.tolist()), r"forward.*list"),
    "log of 0": (forward(lambda out: out + torch.zeros(()).log()), r"forward.*-inf"),
    "not a number": (forward(lambda out: out * torch.tensor(np.nan)), r"forward.*nan"),
    "no gradient": (forward(lambda out: out.detach()), r"No gradient.*learns = False"),
    "torch's own dropout": (forward(lambda out: out + torch.rand(())), r"same twice.*de\.Dropout"),
    "weights from numpy": ({"__init__": unseeded}, r"enter\.weight.*seed"),
    "one data set less": (
        {"prepare": lambda self, graph, sets: Plain.prepare(self, graph, sets[1:])}, r"Rows of \d+ for \d+ sets"
    ),
    "a list of data": ({"prepare": lambda self, graph, sets: list(sets)}, r"prepare.*list for \d+ sets.*de\.Rows"),
    "sets mixed": (
        {"forward": lambda self, batch: Plain.forward(self, batch - batch.mean(dim=0))}, r"mixes the sets.*\{\d+\}"
    ),
    "bound and not saved": (
        {"shift": 0.0, "bind": forget, "forward": lambda self, batch: Plain.forward(self, batch) + self.shift},
        r"saved and loaded.*register_buffer",
    ),
    "not for single nodes": (
        {"forward": lambda self, batch: Plain.forward(self, (batch[:, 0] + batch[:, 1])[:, None])},
        r"p=1: .*sizes=\(2, 3\)",
    ),
    "not for three nodes": ({"forward": only_for(2)}, r"p=3: .*sizes=\(1, 2\)"),
    "a horizon too small": ({"prepare": degrees_of_neighbors, "horizon": 0}, r"horizon is 0, but nodes further away"),
    "no prepare": ({"prepare": de.SetNet.prepare}, r"Own has no prepare\(graph, sets\)"),
    "no super().__init__": ({"__init__": unready}, r"__init__.*super\(\)"),
    "width without features": ({"__init__": with_width}, r"features"),
    "a number as a hyperparameter": ({"HYPER": {"hidden": 4}}, r"Own\.HYPER"),
    "a default out of its range": ({"HYPER": {"hidden": de.Hyper(0, least=1)}}, r"Own\.HYPER\['hidden'\]"),
    "the same for single nodes": (
        {"HYPER": {"hidden": de.Hyper(4, least=1, for_nodes=0)}}, r"Own\.HYPER\['hidden'\]"
    ),
    **{
        f"{taken} as a hyperparameter": (
            {"HYPER": {"hidden": de.Hyper(4, least=1), taken: de.Hyper(0.1)}}, f"Own.HYPER: '{taken}' cannot"
        )
        for taken in ("learning_rate", "name", "task", "seed", "no name")
    },
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_a_model_that_does_something_wrong_is_refused_with_what_to_do(what: str) -> None:
    members, words = WRONG[what]
    with pytest.raises(ParameterError, match=words):
        de.register_model(own(**members), name="own")
    assert "own" not in MODELS


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"forward": lambda self, batch: Plain.forward(self, batch[:, :1])}, "order of a set"),
        ({"prepare": edges_inside}, "edges inside a set"),
        ({"__init__": with_spare}, r"its weights spare\.weight, spare\.bias:"),
    ],
    ids=["order", "inside", "idle"],
)
def test_what_is_seldom_meant_is_one_warning_where_the_model_is_registered(members: dict, words: str) -> None:
    kind = own(**members)
    with pytest.warns(UserWarning, match=words) as seen:
        de.register_model(kind, name="own", sizes=(2,))
    assert len(seen) == 1 and seen[0].filename == __file__ and MODELS["own"].home is kind


def test_a_model_is_tried_with_its_sizes_only_and_at_its_own_horizon() -> None:
    de.register_model(own(**WRONG["not for single nodes"][0]), name="own", sizes=(2, 3))
    for horizon in (1, None):
        de.register_model(own(prepare=degrees_of_neighbors, horizon=horizon), name=40 * "x", sizes=(2, 10))


# ---- after it --------------------------------------------------------------------------------------------------------


def test_a_saved_model_needs_its_class(tmp_path: Path) -> None:
    file = tmp_path / "own.safetensors"
    for name in ("own", "GCN"):
        with pytest.raises(
            ParameterError, match=rf"No Plain is registered as '{name}'.*register_model\(Plain, name='{name}"
        ):
            de.save(Plain(name, de.Shape(2, 2), hidden=4), file)
    de.register_model(Plain, name="own")
    model = de.build("own", TASK, hidden=7)
    list(de.fit(model, TASK, 2))
    again = de.load_model(de.save(model, file))
    assert type(again) is Plain and again.hyper == {"hidden": 7}
    assert np.array_equal(*(de.predict(each, TASK.graph, [{0, 1}]) for each in (model, again)))
    del MODELS["own"]
    with pytest.raises(ParameterError, match=r"holds a model named 'own', which is not known here.*register_model"):
        de.load_model(file)
