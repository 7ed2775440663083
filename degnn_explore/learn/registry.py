"""The models, one entry each: ``build`` one by its name, ``models`` lists them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from ..common.errors import (
    MOST_SEED,
    ParameterError,
    check_choice,
    check_int,
    check_machine_memory,
    did_you_mean,
    short_repr,
)
from ..common.extras import needs_extra
from ..common.files import readable_size
from ..common.progress import memory
from ..common.style import distinct
from ..encodings.base import Encoding
from ..encodings.custom import REGISTRY, name_of
from ..encodings.paths import SPD
from ..encodings.positional import LaplacianPE, RandomWalkSE, ZeroOne
from ..encodings.walks import LandingProbability
from .fingerprint import fingerprint
from .tasks import Task, needs_task

if TYPE_CHECKING:
    import pandas

    from .nets.base import SetNet, Shape

__all__ = ["build", "models"]


@dataclass(frozen=True)
class Entry:
    """A model before it is built; tables, charts and menus read it here."""

    home: str | type[SetNet]  # "module:Class" of nets/, loaded when it is first needed, or the class itself
    group: Literal["baseline", "heuristic", "distance encoding"]
    color: str  # the same in every chart and table, always with the model's name
    about: str
    sizes: tuple[int, ...] | None = None  # the set sizes that it takes; None: any
    bound: str = ""  # the method of ``de.distinguish`` that it never tells more apart than
    usual: bool = False  # chosen on a board where nothing was chosen
    own: tuple[str, ...] = ()  # hyperparameters that mean something else than in the other models
    mark: str = ""  # a digest of the code of a user's own model: results of other code are other results

    def load(self) -> type[SetNet]:
        if not isinstance(self.home, str):
            return self.home
        module, name = self.home.split(":")
        with needs_extra(f"the model {name}"):
            loaded: type[SetNet] = getattr(importlib.import_module(f".nets.{module}", __package__), name)
        return loaded

    def takes(self, p: int) -> bool:
        """Whether it is for sets of p nodes."""
        return self.sizes is None or p in self.sizes


BASELINE: Final = "baseline"
DE: Final = "distance encoding"
HEURISTIC: Final = "heuristic"
_OLIVE = "#6f7d1f"
_ENTRIES = {
    "GCN": Entry(
        "block_nets:WLGNN", BASELINE, "#8a8f98", "graph convolution, normalized sum", bound="1-WL", usual=True
    ),
    "SAGE": Entry("block_nets:WLGNN", BASELINE, "#cc79a7", "self and mean of neighbors", bound="1-WL"),
    "GIN": Entry("block_nets:WLGNN", BASELINE, "#56b4e9", "sum of neighbors through a perceptron", bound="1-WL"),
    "struc2vec": Entry("struc2vec:Struc2Vec", BASELINE, "#a0764a", "embeddings of structural identity, a linear layer"),
    "PGNN": Entry("pgnn:PGNN", BASELINE, "#009e73", "distances to random anchor sets", sizes=(2, 3)),
    "SEAL": Entry(
        "seal:SEAL", BASELINE, "#e69f00", "DRNL labels, DGCNN on enclosing subgraphs", sizes=(2,), own=("hops",)
    ),  # hops of its subgraph, not of its aggregation
    "BUDDY": Entry("descendants:BUDDY", BASELINE, "#1f9d8b", "counts of nodes by both distances", sizes=(2,)),
    "NCN": Entry("descendants:NCN", BASELINE, "#c44e52", "a GNN, pooled over common neighbors", sizes=(2,)),
    "DE-GNN-ZeroOne": Entry("block_nets:ZeroOneNet", BASELINE, "#3b8686", "targets marked: the least labeling trick"),
    "DE-GNN-RWSE": Entry("block_nets:RWSENet", BASELINE, "#7a5195", "return probabilities of walks as features"),
    "DE-GNN-LapPE": Entry("block_nets:LapPENet", BASELINE, "#b5651d", "Laplacian eigenvectors as features, any sign"),
    "DE-GNN-SPD": Entry("block_nets:DESPD", DE, "#0072b2", "shortest-path distances as features", usual=True),
    "DE-GNN-LP": Entry("block_nets:DELP", DE, "#8b6fd1", "landing probabilities as features"),
    "DEA-GNN-SPD": Entry("block_nets:DEASPD", DE, "#d55e00", "distances as features and in the aggregation"),
    "DEA-GNN-PR": Entry("pagerank:DEAPR", DE, "#b03a5b", "distances as features, PageRank-weighted aggregation"),
    **{
        name: Entry(f"heuristics:{home}", HEURISTIC, _OLIVE, about, sizes, usual=name in ("Adamic-Adar", "degree"))
        for name, home, sizes, about in (
            ("common neighbors", "SetScore", (2, 3), "how many neighbors the nodes share"),
            ("Adamic-Adar", "SetScore", (2, 3), "shared neighbors, each by 1 / log of its degree"),
            ("resource allocation", "SetScore", (2, 3), "shared neighbors, each by 1 / its degree"),
            ("preferential attachment", "SetScore", (2, 3), "product of the degrees"),
            ("Katz", "Katz", (2, 3), "walks from one to the other, long ones damped"),
            ("personalized PageRank", "PageRankScore", (2, 3), "where random walks from one node end"),
            ("shortest path", "SetScore", (2, 3), "1 / distance, own edges cut"),
            ("walk profiles", "WalkProfile", (2,), "logistic regression on random walks, own link cut and put in"),
            ("degree", "Degree", (1,), "logistic regression on the degree"),
            ("centralities", "Centralities", (1,), "logistic regression on seven centralities"),
        )
    },
}


_OF_ENCODINGS = {  # the kinds of model that take a user's encoding: class, and what it does with the encoding
    "DE-GNN": ("block_nets:DEOwn", "as features"),
    "DEA-GNN": ("block_nets:DEAOwn", "as features, with messages from K hops"),
}


_AS_FEATURES: dict[type[Encoding], tuple[str, dict[str, str]]] = {  # the model of an encoding, and its settings
    LandingProbability: ("DE-GNN-LP", {"steps": "steps"}),
    ZeroOne: ("DE-GNN-ZeroOne", {}),
    RandomWalkSE: ("DE-GNN-RWSE", {"steps": "steps"}),
    LaplacianPE: ("DE-GNN-LapPE", {"eigenvectors": "k"}),
}


class _Models(MutableMapping[str, Entry]):
    """The entries above, those that are put in, and two for each own encoding that is registered at the time."""

    def __init__(self, entries: dict[str, Entry]) -> None:
        self._entries = entries
        self._made: dict[str, tuple[Encoding, Entry]] = {}  # as long as the encoding is the same; a color stays

    def _now(self) -> dict[str, Entry]:
        return self._entries | {f"{kind}-{name}": self._own(kind, name) for name in REGISTRY for kind in _OF_ENCODINGS}

    def _own(self, kind: str, name: str) -> Entry:
        zeta, model, (home, how) = REGISTRY[name], f"{kind}-{name}", _OF_ENCODINGS[kind]
        former = self._made.get(model)
        if former is not None and former[0] is zeta:
            return former[1]
        used = [entry.color for entry in (*self._entries.values(), *(entry for _, entry in self._made.values()))]
        color = distinct(used) if former is None else former[1].color
        sizes = None if zeta.num_targets is None else (zeta.num_targets,)
        entry = Entry(home, DE, color, f"your encoding {name!r} {how}", sizes, mark=fingerprint(zeta))
        self._made[model] = zeta, entry
        return entry

    def __getitem__(self, name: str) -> Entry:
        return self._now()[name]

    def __setitem__(self, name: str, entry: Entry) -> None:
        self._entries[name] = entry

    def __delitem__(self, name: str) -> None:
        del self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._now())

    def __len__(self) -> int:
        return len(self._now())


MODELS = _Models(_ENTRIES)
"""The models in the order in which they are listed everywhere. A model is added by one entry, an encoding adds two."""


def is_baseline(name: str) -> bool:
    """Whether distance encoding is compared with it; heuristics are baselines, too."""
    return name in MODELS and MODELS[name].group != DE


def is_heuristic(name: str) -> bool:
    """Whether it is a formula, with nothing to train."""
    return name in MODELS and MODELS[name].group == HEURISTIC


def color_of(name: str) -> str:
    return MODELS[name].color if name in MODELS else "#888888"


def mark_of(name: str) -> str:
    return MODELS[name].mark if name in MODELS else ""


def own_encoding(name: str) -> str:
    """The name of the registered encoding that a model is made of; "" if it has none.

    >>> own_encoding("DE-GNN-SPD")
    ''
    """
    kind, _, encoding = name.partition("-GNN-")
    return encoding if f"{kind}-GNN" in _OF_ENCODINGS and encoding in REGISTRY else ""


def build(name: str, task: Task, *, seed: int = 0, encoding: Encoding | None = None, **hyper: Any) -> SetNet:
    """A model for a task, its weights drawn by the seed.

    Parameters
    ----------
    name
        One of the names in :func:`models`; or ``"DE-GNN"`` or ``"DEA-GNN"``, with an encoding.
    task
        What it is for: set size, classes and attribute columns are taken from it.
    encoding
        The ζ of a DE-GNN or DEA-GNN: one made by :func:`degnn_explore.encoding`, or SPD; of a DE-GNN also
        LandingProbability, ZeroOne, RandomWalkSE or LaplacianPE. The model ``DE-GNN-name`` has the encoding that is
        registered by that name.
    seed
        Seed of the weights.
    **hyper
        Hyperparameters that differ from the defaults in :func:`models`. The default of ``max_dist`` in DE-GNN-SPD,
        DEA-GNN-SPD and DEA-GNN-PR is ``task.max_dist``: at least 3, more where linked nodes are further apart.

    Examples
    --------
    >>> from degnn_explore import Graph, build, link_task
    >>> task = link_task(Graph.from_edges([(i, (i + s) % 20) for i in range(20) for s in (1, 2)]))
    >>> model = build("DE-GNN-SPD", task, layers=1, hidden=16)
    >>> model.name, model.hyper["layers"], model.hyper["max_dist"]
    ('DE-GNN-SPD', 1, 3)
    """
    from .nets.base import Shape

    if encoding is not None or name in _OF_ENCODINGS:
        name, hyper = _with_encoding(name, encoding, hyper)

    needs_task("build", task)
    if name in MODELS:
        of_task = {key: getattr(task, key) for key, known in MODELS[name].load().HYPER.items() if known.from_task}
        hyper = {**of_task, **hyper}
    return from_shape(name, Shape.of(task), check_int("seed", seed, least=0, most=MOST_SEED), hyper)


def _with_encoding(name: str, encoding: Encoding | None, hyper: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The name of the model that has this encoding, and its hyperparameters."""
    if name not in _OF_ENCODINGS:
        raise ParameterError(f"{short_repr(name)} takes no encoding=; it is for 'DE-GNN' and 'DEA-GNN'.")
    if not isinstance(encoding, Encoding):
        raise ParameterError(
            f"build({name!r}) needs encoding=, one made by de.encoding(...), or e.g. de.SPD(3), not "
            f"{short_repr(encoding)}."
        )
    if (own := name_of(encoding)) is not None:
        return f"{name}-{own}", hyper
    if type(encoding) is SPD and encoding.pool == "mean":
        return f"{name}-SPD", {"max_dist": encoding.max_dist, **hyper}
    if encoding.pool == "mean" and name == "DE-GNN" and type(encoding) in _AS_FEATURES:
        model, settings = _AS_FEATURES[type(encoding)]
        return model, {key: getattr(encoding, column) for key, column in settings.items()} | hyper
    raise ParameterError(
        f"{encoding!r} is not registered (or another encoding is, under its name, by now); give it a name first: "
        'z = de.encoding("name", ...).'
    )


def from_shape(name: str, shape: Shape, seed: int, hyper: Any) -> SetNet:
    """:func:`build` for a shape, without a task."""
    from .devices import seeded

    planned = on_meta(name, shape, hyper)
    size = 4 * sum(weight.nbytes for weight in planned.parameters())  # with its gradient and what Adam keeps of it
    takes = f"{name} with {_listed(planned.hyper)} takes {readable_size(size)} to train"
    check_machine_memory(takes, size, memory(), "make it smaller")
    with seeded(seed):  # the caller's random state does not change
        return type(planned)(name, shape, **planned.hyper)


def on_meta(name: Any, shape: Shape, hyper: Any) -> SetNet:
    """The model with everything checked and no memory for its weights; a saved one is loaded into it."""
    import torch

    kind_of, _, own = str(name).partition("-GNN-")
    if own and f"{kind_of}-GNN" in _OF_ENCODINGS and name not in MODELS:
        raise ParameterError(
            f"{name} needs the encoding {own!r}, and none is registered under this name here; run the cell with "
            f"de.encoding({own!r}, ...) first. Models without one of yours: {', '.join(MODELS)}."
            f"{did_you_mean(name, MODELS)}"
        )
    entry = MODELS[check_choice("model", name, MODELS)]
    if not entry.takes(shape.p):
        fits = " or ".join(f"{size}" for size in entry.sizes or ())
        raise ParameterError(
            f"{name} takes target sets of {fits} nodes, and this task has p={shape.p}; use a DE-GNN, which takes any."
        )
    kind = entry.load()
    for key in hyper:
        check_choice(f"hyperparameter of {name}", key, kind.HYPER)
    checked = {key: known.checked(key, hyper.get(key, known.default_for(shape.p))) for key, known in kind.HYPER.items()}
    try:
        with torch.device("meta"):
            return kind(name, shape, **checked)
    except (RuntimeError, OverflowError) as error:
        if entry.mark:  # a user's code, which may fail for other reasons
            raise ParameterError(
                f"{name} cannot be made ({type(error).__name__}: {error}). It is made once without memory (on torch's "
                "device 'meta'), so nothing may look at the values of its weights while it is, and they must fit."
            ) from error
        many = f"{name} with {_listed(checked)} has more weights than can be counted"
        raise ParameterError(f"{many}; make it smaller.") from None


def _listed(hyper: dict[str, Any]) -> str:
    return ", ".join(f"{key}={short_repr(value)}" for key, value in hyper.items())


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
        settings = {**kind.HYPER, **({"learning_rate": kind.RATE} if kind.learns else {})}
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
