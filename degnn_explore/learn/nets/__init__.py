"""The models, one entry each: ``build`` one by its name, ``models`` lists them."""

from __future__ import annotations

import importlib
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from ...common.errors import MOST_SEED, ParameterError, one_of, shown, whole_number
from ...common.files import readable_size
from ...common.limits import fits_machine
from ...common.parallel import memory
from ..tasks import Task

if TYPE_CHECKING:
    import pandas

    from .base import SetNet, Shape

__all__ = ["build", "models"]

_seeding = threading.Lock()


@dataclass(frozen=True)
class Entry:
    """All there is to know of a model before it is built; tables, charts and menus read it here."""

    home: str | type[SetNet]  # "module:Class" of this folder, loaded when it is first needed, or the class itself
    group: Literal["baseline", "heuristic", "distance encoding"]
    colour: str  # the same in every chart and table; the model's name always stands beside it
    about: str
    sizes: tuple[int, ...] | None = None  # the set sizes that it takes; None: any
    bound: str = ""  # the method of ``de.distinguish`` that it never tells more apart than
    usual: bool = False  # chosen on a board where nothing was chosen
    own: tuple[str, ...] = ()  # hyperparameters that mean something else than in the other models
    mark: str = ""  # names the code of a user's own model: what other code has reached is another result

    def load(self) -> type[SetNet]:
        if not isinstance(self.home, str):
            return self.home
        module, name = self.home.split(":")
        loaded: type[SetNet] = getattr(importlib.import_module(f".{module}", __name__), name)
        return loaded

    def takes(self, p: int) -> bool:
        """Whether it is for sets of p nodes."""
        return self.sizes is None or p in self.sizes


BASELINE: Final = "baseline"
DE: Final = "distance encoding"
HEURISTIC: Final = "heuristic"
_OLIVE = "#6f7d1f"
MODELS = {
    "GCN": Entry(
        "block_nets:WLGNN", BASELINE, "#8a8f98", "graph convolution, normalised sum", bound="1-WL", usual=True
    ),
    "SAGE": Entry("block_nets:WLGNN", BASELINE, "#cc79a7", "self and mean of neighbours", bound="1-WL"),
    "GIN": Entry("block_nets:WLGNN", BASELINE, "#56b4e9", "sum of neighbours through a perceptron", bound="1-WL"),
    "struc2vec": Entry("struc2vec:Struc2Vec", BASELINE, "#a0764a", "embeddings of structural identity, a linear layer"),
    "PGNN": Entry("pgnn:PGNN", BASELINE, "#009e73", "distances to random anchor sets", sizes=(2, 3)),
    "SEAL": Entry(
        "seal:SEAL", BASELINE, "#e69f00", "DRNL labels, DGCNN on enclosing subgraphs", sizes=(2,), own=("hops",)
    ),  # hops of its subgraph, not of its aggregation
    "DE-GNN-SPD": Entry("block_nets:DESPD", DE, "#0072b2", "shortest-path distances as features", usual=True),
    "DE-GNN-LP": Entry("block_nets:DELP", DE, "#8b6fd1", "landing probabilities as features"),
    "DEA-GNN-SPD": Entry("block_nets:DEASPD", DE, "#d55e00", "distances as features and in the aggregation"),
    "DEA-GNN-PR": Entry("pagerank:DEAPR", DE, "#b03a5b", "distances as features, PageRank-weighted aggregation"),
    **{
        name: Entry(f"heuristics:{home}", HEURISTIC, _OLIVE, about, sizes, usual=name in ("Adamic-Adar", "degree"))
        for name, home, sizes, about in (
            ("common neighbours", "SetScore", (2, 3), "how many neighbours the nodes share"),
            ("Adamic-Adar", "SetScore", (2, 3), "shared neighbours, each by 1 / log of its degree"),
            ("resource allocation", "SetScore", (2, 3), "shared neighbours, each by 1 / its degree"),
            ("preferential attachment", "SetScore", (2, 3), "product of the degrees"),
            ("Katz", "Katz", (2, 3), "walks from one to the other, long ones damped"),
            ("personalised PageRank", "PageRankScore", (2, 3), "where random walks from one node end"),
            ("shortest path", "SetScore", (2, 3), "1 / distance, own edges cut"),
            ("degree", "Degree", (1,), "logistic regression on the degree"),
            ("centralities", "Centralities", (1,), "logistic regression on seven centralities"),
        )
    },
}
"""The models in the order in which they are listed everywhere. A model is added by one entry."""


def is_baseline(name: str) -> bool:
    """Whether distance encoding is to be compared with it; heuristics are baselines, too."""
    return name in MODELS and MODELS[name].group != DE


def is_heuristic(name: str) -> bool:
    """Whether it is a formula, with nothing to train."""
    return name in MODELS and MODELS[name].group == HEURISTIC


def colour_of(name: str) -> str:
    return MODELS[name].colour if name in MODELS else "#888888"


def mark_of(name: str) -> str:
    return MODELS[name].mark if name in MODELS else ""


def build(name: str, task: Task, *, seed: int = 0, **hyper: Any) -> SetNet:
    """A model for a task, its weights drawn by the seed.

    Parameters
    ----------
    name
        One of the names in :func:`models`.
    task
        What it is for: set size, classes and attribute columns are taken from it.
    seed
        Seed of the weights.
    **hyper
        Hyperparameters that differ from the defaults in :func:`models`.

    Examples
    --------
    >>> from degnn_explore import Graph, build, link_task
    >>> task = link_task(Graph.from_edges([(i, (i + s) % 20) for i in range(20) for s in (1, 2)]))
    >>> model = build("DE-GNN-SPD", task, layers=1, hidden=16)
    >>> model.name, model.hyper["layers"], model.hyper["max_dist"]
    ('DE-GNN-SPD', 1, 3)
    """
    from .base import Shape

    if not isinstance(task, Task):
        raise ParameterError(f"build needs a task, such as de.link_task(G), not {type(task).__name__}.")
    attributes = task.graph.attributes
    shape = Shape(task.p, task.num_classes, 0 if attributes is None else attributes.shape[1], task.classes)
    return from_shape(name, shape, whole_number("seed", seed, least=0, most=MOST_SEED), hyper)


def from_shape(name: str, shape: Shape, seed: int, hyper: Any) -> SetNet:
    """:func:`build` for a shape, without a task."""
    import torch

    planned = on_meta(name, shape, hyper)
    size = 4 * sum(weight.nbytes for weight in planned.parameters())  # with its gradient and what Adam keeps of it
    takes = f"{name} with {_listed(planned.hyper)} takes {readable_size(size)} to train"
    fits_machine(takes, size, memory(), "make it smaller")
    with _seeding, torch.random.fork_rng(devices=[]):  # the caller's random state stays as it was
        torch.manual_seed(seed % 2**63)
        return type(planned)(name, shape, **planned.hyper)


def on_meta(name: Any, shape: Shape, hyper: Any) -> SetNet:
    """The model with everything checked and no memory for its weights: what a saved one is put into."""
    import torch

    entry = MODELS[one_of("model", name, MODELS)]
    if not entry.takes(shape.p):
        fits = " or ".join(f"{size}" for size in entry.sizes or ())
        raise ParameterError(
            f"{name} takes target sets of {fits} nodes, and this task has p={shape.p}; use a DE-GNN, which takes any."
        )
    kind = entry.load()
    if not isinstance(hyper, dict):
        raise ParameterError(f"The hyperparameters of {name} are names with values, not {shown(hyper)}.")
    for key in hyper:
        one_of(f"hyperparameter of {name}", key, kind.HYPER)
    checked = {key: known.checked(key, hyper.get(key, known.default_for(shape.p))) for key, known in kind.HYPER.items()}
    try:
        with torch.device("meta"):
            return kind(name, shape, **checked)
    except (RuntimeError, OverflowError):
        many = f"{name} with {_listed(checked)} has more weights than can be counted"
        raise ParameterError(f"{many}; make it smaller.") from None


def _listed(hyper: dict[str, Any]) -> str:
    return ", ".join(f"{key}={shown(value)}" for key, value in hyper.items())


def models() -> pandas.DataFrame:
    """The models, with the set sizes they take, their hyperparameters and the paper's ranges.

    Columns: ``about``, ``sizes`` (p that it takes), ``inductive`` (can judge another graph than the
    one it was trained on), ``learning_rate`` (what fit takes by default; a heuristic has none),
    ``hyperparameters`` (name to default), ``for_nodes`` (defaults that differ for single nodes, p = 1)
    and ``paper`` (name to the range that the paper searched).

    Examples
    --------
    >>> table = models()
    >>> table.loc["DE-GNN-SPD", "hyperparameters"]["max_dist"], table.loc["DE-GNN-SPD", "paper"]["max_dist"]
    (3, '3, 4')
    """
    import pandas as pd

    rows = {}
    for name, entry in MODELS.items():
        kind = entry.load()
        settings = {**kind.HYPER, "learning_rate": kind.RATE}
        rows[name] = {
            "about": entry.about,
            "sizes": "any" if entry.sizes is None else ", ".join(map(str, entry.sizes)),
            "inductive": kind.inductive,
            "learning_rate": kind.RATE.default if kind.learns else None,
            "hyperparameters": {key: hyper.default for key, hyper in kind.HYPER.items()},
            "for_nodes": {key: value.for_nodes for key, value in settings.items() if value.for_nodes is not None},
            "paper": {key: value.paper for key, value in settings.items() if value.paper},
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("name")
