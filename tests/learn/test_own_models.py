"""Your own model: what is tried when it is registered, what it is told, and that it is known everywhere after it."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import torch
from torch import nn

import degnn_explore as de
from degnn_explore import ParameterError
from degnn_explore.engine.features import set_features
from degnn_explore.learn.registry import MODELS, color_of

from .small_nets import only_here  # noqa: F401 (a fixture)

TASK = de.link_task(de.load("karate"))


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


def own(doc: str = "", **members: Any) -> type[Plain]:
    """Plain with other members."""
    return type("Own", (Plain,), {"__doc__": doc, "__module__": __name__, **members})


def logits(change: Any) -> type[Plain]:
    """Plain with changed logits."""
    return own(forward=lambda self, batch: change(Plain.forward(self, batch)))


Other = logits(lambda out: out * 2)

# ---- the entry -------------------------------------------------------------------------------------------------------


def test_a_registered_model_is_listed_with_what_its_registration_says(tmp_path: Path) -> None:
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
    with pytest.raises(ParameterError, match=r"No Plain is registered as 'GCN'.*register_model\(Plain, name='GCN"):
        de.save(Plain("GCN", de.Shape(2, 2), hidden=4), tmp_path / "own.safetensors")


def interrupted(out: torch.Tensor) -> None:
    raise KeyboardInterrupt


def test_registering_again_replaces_the_class_and_keeps_the_color() -> None:
    """Unless it fails or is interrupted."""
    de.register_model(Plain, name="own")
    first = MODELS["own"]
    for change, error, words in (
        (lambda out: out @ out[:1], ParameterError, "forward.*RuntimeError"),
        (interrupted, KeyboardInterrupt, None),
    ):
        for name in ("own", "new"):
            with pytest.raises(error, match=words):
                de.register_model(logits(change), name=name)
    assert MODELS["own"] is first and "new" not in MODELS
    de.register_model(Other, name="own")
    assert MODELS["own"].home is Other and color_of("own") == first.color and MODELS["own"].mark != first.mark
    de.register_model(Plain, name="own", color="#123456")
    assert color_of("own") == "#123456" and MODELS["own"].mark == first.mark


@pytest.mark.parametrize("group", ["baseline", "distance encoding"])
def test_a_formula_is_a_heuristic_whatever_its_group(group: str) -> None:
    de.register_model(own(learns=False), name="formula", group=group)
    assert MODELS["formula"].group == "heuristic"
    assert len(list(de.fit(de.build("formula", TASK), TASK, epochs=9))) == 1


# ---- the trial -------------------------------------------------------------------------------------------------------


def unseeded(self: Any, name: str, shape: de.Shape, **hyper: int) -> None:
    Plain.__init__(self, name, shape, **hyper)
    nn.init.constant_(self.out.bias, np.random.default_rng().normal())


def with_width(self: Any, name: str, shape: de.Shape, **hyper: int) -> None:
    Plain.__init__(self, name, shape, **hyper)
    self.register_buffer("scale", torch.ones(3))


def with_spare(self: Any, name: str, shape: de.Shape, **hyper: int) -> None:
    Plain.__init__(self, name, shape, **hyper)
    self.spare, self.frozen = nn.Linear(2, 2), nn.Parameter(torch.ones(2), requires_grad=False)


def degrees_of_neighbors(self: Any, graph: de.Graph, sets: np.ndarray) -> de.Rows:
    around = np.array([[graph.cut(S).degrees[graph.cut(S).neighbors(v)].sum() for v in S] for S in sets])
    return de.Rows((torch.tensor(around[..., None] + np.zeros(1 + self.shape.num_attributes)).float(),))


def edges_inside(self: Any, graph: de.Graph, sets: np.ndarray) -> de.Rows:
    inside = [np.isin(graph.edges, S).all(axis=1).sum() for S in sets]
    wide = np.zeros((1, self.shape.p, 1 + self.shape.num_attributes))
    return de.Rows((torch.tensor(np.array(inside)[:, None, None] + wide).float(),))


def only_for(*sizes: int) -> Any:
    return own(forward=lambda self, batch: Plain.forward(self, batch if self.shape.p in sizes else batch[:, :0, :0]))


def setting(hyper: Any, name: str = "hidden") -> type[Plain]:
    return own(HYPER={"hidden": de.Hyper(4, least=1), name: hyper})


WRONG: list[tuple[Any, str]] = [
    (nn.Linear, r"subclass of de\.SetNet, not Linear"),
    (Plain("own", de.Shape(2, 2), hidden=4), r"subclass of de\.SetNet, not a Plain"),
    *(({"sizes": sizes}, "sizes must be a whole number from 1 to 10") for sizes in ((11,), (0,))),
    *(({"sizes": sizes}, "sizes must list") for sizes in ((), 2)),
    *(({"color": color}, "color must be like") for color in ("red", "#1234567")),
    ({"group": "bases"}, "Did you mean 'baseline'"),
    *(({"name": name}, "name must be a short text") for name in (" own", "", 41 * "x", "two\nlines")),
    *(({"name": name}, "built-in model") for name in ("GCN", "DEA-GNN-PR")),
    (logits(lambda out: out[..., None]), r"forward.*\[\d+, 1\].*squeeze"),
    (logits(lambda out: torch.stack([out, -out], dim=1) if out.dim() == 1 else out), r"forward.*\[\d+, 2\]"),
    (logits(lambda out: out.long()), r"forward.*int64"),
    (logits(lambda out: out.tolist()), r"forward.*list"),
    (logits(lambda out: out + torch.zeros(()).log()), r"forward.*-inf"),
    (logits(lambda out: out * torch.tensor(np.nan)), r"forward.*nan"),
    (logits(lambda out: out.detach()), r"No gradient.*learns = False"),
    (logits(lambda out: out + torch.rand(())), r"same twice.*de\.Dropout"),
    (own(__init__=unseeded), r"out\.bias.*seed"),
    (own(__init__=with_width), "features"),
    (own(__init__=lambda self, name, shape, **hyper: nn.Module.__init__(self)), r"__init__.*super\(\)"),
    (own(prepare=de.SetNet.prepare), r"Own has no prepare\(graph, sets\)"),
    (own(prepare=lambda self, graph, sets: Plain.prepare(self, graph, sets[1:])), r"Rows of \d+ for \d+ sets"),
    (own(prepare=lambda self, graph, sets: list(sets)), r"prepare.*list for \d+ sets.*de\.Rows"),
    (own(prepare=degrees_of_neighbors, horizon=0), "horizon is 0, but nodes further away"),
    (own(forward=lambda self, batch: Plain.forward(self, batch - batch.mean(dim=0))), r"mixes the sets.*\{\d+\}"),
    (
        own(
            shift=0.0,
            bind=lambda self, task: setattr(self, "shift", 3.0),
            forward=lambda self, batch: Plain.forward(self, batch) + self.shift,
        ),
        r"saved and loaded.*register_buffer",
    ),
    (only_for(2, 3), r"p=1: .*sizes=\(2, 3\)"),
    (only_for(1, 2), r"p=3: .*sizes=\(1, 2\)"),
    (setting(4), r"Own\.HYPER"),
    (setting(de.Hyper(0, least=1)), r"Own\.HYPER\['hidden'\]"),
    (setting(de.Hyper(4, least=1, for_nodes=0)), r"Own\.HYPER\['hidden'\]"),
    *(
        (setting(de.Hyper(0.1), name), f"Own.HYPER: '{name}' cannot")
        for name in ("learning_rate", "name", "task", "seed", "no name")
    ),
]


@pytest.mark.parametrize(("what", "words"), WRONG)
def test_what_is_wrong_with_a_model_or_its_registration_is_said_with_what_to_do(what: Any, words: str) -> None:
    before = dict(MODELS)
    with pytest.raises(ParameterError, match=words):
        de.register_model(**{"cls": Plain, "name": "own", **(what if isinstance(what, dict) else {"cls": what})})
    assert dict(MODELS) == before


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (own(forward=lambda self, batch: Plain.forward(self, batch[:, :1])), "order of a set"),
        (own(prepare=edges_inside), "edges inside a set"),
        (own(__init__=with_spare), r"its weights spare\.weight, spare\.bias:"),
    ],
    ids=["order", "inside", "idle"],
)
def test_what_is_seldom_meant_is_one_warning_where_the_model_is_registered(kind: type[Plain], words: str) -> None:
    with pytest.warns(UserWarning, match=words) as seen:
        de.register_model(kind, name="own", sizes=(2,))
    assert len(seen) == 1 and seen[0].filename == __file__ and MODELS["own"].home is kind


def test_a_model_is_tried_with_its_sizes_only_and_at_its_own_horizon() -> None:
    de.register_model(only_for(2), name="own", sizes=(2,))
    for horizon in (1, None):
        de.register_model(own(prepare=degrees_of_neighbors, horizon=horizon), name=40 * "x", sizes=(2, 10))
