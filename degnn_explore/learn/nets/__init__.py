"""The ten models of the paper's tables: ``build`` one by its name, ``models`` lists them."""

from __future__ import annotations

import importlib
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...common.errors import ParameterError, one_of, whole_number
from ..tasks import Task

if TYPE_CHECKING:
    import pandas

    from .base import SetNet, Shape

__all__ = ["build", "models"]

_seeding = threading.Lock()


@dataclass(frozen=True)
class Entry:
    """Where a model lives, the set sizes it takes, and what it is in a few words."""

    home: str
    about: str
    sizes: tuple[int, ...] | None = None

    def load(self) -> type[SetNet]:
        module, name = self.home.split(":")
        loaded: type[SetNet] = getattr(importlib.import_module(f".{module}", __name__), name)
        return loaded


MODELS = {
    "GCN": Entry("block_nets:WLGNN", "graph convolution, normalised sum"),
    "SAGE": Entry("block_nets:WLGNN", "self and mean of neighbours"),
    "GIN": Entry("block_nets:WLGNN", "sum of neighbours through a perceptron"),
    "struc2vec": Entry("struc2vec:Struc2Vec", "embeddings of structural identity, a linear layer"),
    "PGNN": Entry("pgnn:PGNN", "distances to random anchor sets", sizes=(2, 3)),
    "SEAL": Entry("seal:SEAL", "DRNL labels, DGCNN on enclosing subgraphs", sizes=(2,)),
    "DE-GNN-SPD": Entry("de:DESPD", "shortest-path distances as features"),
    "DE-GNN-LP": Entry("de:DELP", "landing probabilities as features"),
    "DEA-GNN-SPD": Entry("dea:DEASPD", "distances as features and in the aggregation"),
    "DEA-GNN-PR": Entry("pagerank:DEAPR", "distances as features, PageRank-weighted aggregation"),
}


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
    return from_shape(name, shape, whole_number("seed", seed, least=0), hyper)


def from_shape(name: str, shape: Shape, seed: int, hyper: dict[str, Any]) -> SetNet:
    """:func:`build` for a shape, without a task; what a saved model is made from again."""
    import torch

    entry = MODELS[one_of("model", name, MODELS)]
    if entry.sizes is not None and shape.p not in entry.sizes:
        fits = " or ".join(f"{size}" for size in entry.sizes)
        raise ParameterError(
            f"{name} takes target sets of {fits} nodes, and this task has p={shape.p}; use a DE-GNN, which takes any."
        )
    kind = entry.load()
    for key in hyper:
        one_of(f"hyperparameter of {name}", key, kind.HYPER)
    checked = {key: known.checked(key, hyper.get(key, known.default_for(shape.p))) for key, known in kind.HYPER.items()}
    with _seeding, torch.random.fork_rng(devices=[]):  # the caller's random state stays as it was
        torch.manual_seed(seed % 2**63)
        return kind(name, shape, **checked)


def models() -> pandas.DataFrame:
    """The models, with the set sizes they take, their hyperparameters and the paper's ranges.

    Columns: ``about``, ``sizes`` (p that it takes), ``inductive`` (can judge another graph than the
    one it was trained on), ``learning_rate`` (what fit takes by default), ``hyperparameters`` (name to
    default), ``for_nodes`` (defaults that differ for single nodes, p = 1) and ``paper`` (name to the range
    that the paper searched).

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
            "learning_rate": kind.RATE.default,
            "hyperparameters": {key: hyper.default for key, hyper in kind.HYPER.items()},
            "for_nodes": {key: value.for_nodes for key, value in settings.items() if value.for_nodes is not None},
            "paper": {key: value.paper for key, value in settings.items() if value.paper},
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("name")
