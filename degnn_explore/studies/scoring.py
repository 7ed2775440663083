"""``predict``: the scores that a trained model gives target sets, computed here, by processes or on a cluster."""

from __future__ import annotations

import hashlib
import pickle
import tempfile
import threading
from collections.abc import Sequence
from concurrent.futures import as_completed
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.progress import limit_cores, progress_bar, report
from ..graphs.graph import Graph
from ..learn.nets.base import SetNet
from ..learn.predicting import checked_sets
from ..learn.predicting import predict as predict_here

_AT_ONCE = 16_384  # sets of one task


def predict(
    model: SetNet,
    G: Graph,
    sets: Sequence[Any] | NDArray[np.int64],
    *,
    device: str = "auto",
    workers: Any = None,
    progress: bool = True,
) -> NDArray[np.float64]:
    """Probabilities for target sets that you name, on the training graph or, if inductive, another one.

    The model stays as it was: its device, its weights, and whether it is in training mode.

    Parameters
    ----------
    model
        A trained model.
    G
        The graph; edges inside a set are cut before it is scored, as in training.
    sets
        Target sets, as numbers or names, each of the size that the model was built for. For a million of them use an
        integer array [k, p].
    device
        "auto" (cuda, then mps, then cpu) or the name of a torch device.
    workers
        The number of processes, or a Dask cluster (the address of its scheduler, or a ``Client``); graph and model are
        sent once. None: in this process.
    progress
        Show a bar if it takes more than two seconds.

    Returns
    -------
    float64 [k], the probability of class 1, for two classes; [k, C] for more. Which labels the classes stand for is
    ``model.shape.classes``.

    Examples
    --------
    >>> import degnn_explore as de
    >>> G = de.Graph.from_edges([(i, (i + s) % 20) for i in range(20) for s in (1, 2)])
    >>> de.predict(de.build("GCN", de.link_task(G)), G, [{0, 1}, {0, 9}]).shape
    (2,)
    """
    if workers is None:
        return predict_here(model, G, sets, device=device, progress=progress)
    from .executors import executor_for

    array = checked_sets("predict", model, G, sets)
    bundle = _bundle(model, G)
    name = hashlib.sha256(bundle).hexdigest()[:20]
    slabs = [array[begin : begin + _AT_ONCE] for begin in range(0, len(array), _AT_ONCE)]
    scores: dict[int, NDArray[np.float64]] = {}
    with tempfile.TemporaryDirectory() as scratch, executor_for(workers) as executor, progress_bar(progress):
        shared = executor.share(name, bundle, Path(scratch))
        numbers = {executor.submit(_score, shared, name, slab, device): i for i, slab in enumerate(slabs)}
        for future in as_completed(numbers):
            scores[numbers[future]] = future.result()
            report(f"{model.name}, scoring", len(scores) / len(slabs))
    return np.concatenate([scores[i] for i in range(len(slabs))])


def _bundle(model: SetNet, G: Graph) -> bytes:
    """Graph and model as bytes, for the workers."""
    from ..learn.ensemble import Ensemble
    from ..learn.saving import save
    from .executors import pack_model

    nets = model.nets if isinstance(model, Ensemble) else [model]
    with tempfile.TemporaryDirectory() as folder:
        file = save(model, Path(folder) / "model.safetensors")
        return pickle.dumps((G, [pack_model(net.name) for net in nets], file.read_bytes()))


# ---- in a worker ------------------------------------------------------------------------------------

_LATEST: dict[str, tuple[Graph, SetNet]] = {}
_LOADING = threading.Lock()


def _score(bundle: bytes | Path, name: str, sets: NDArray[np.int64], device: str) -> NDArray[np.float64]:
    """Scores these sets. ``bundle`` is the content or a file with it; the latest one stays loaded."""
    with _LOADING:
        if name not in _LATEST:
            _LATEST.clear()
            _LATEST[name] = _loaded(bundle)
        graph, model = _LATEST[name]
    with limit_cores(1):
        return predict_here(model, graph, sets, device=device, progress=False)


def _loaded(bundle: bytes | Path) -> tuple[Graph, SetNet]:
    from ..learn.saving import load_model
    from .executors import unpack_model

    graph, packed, saved = pickle.loads(bundle if isinstance(bundle, bytes) else bundle.read_bytes())
    for own in packed:
        unpack_model(own)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.safetensors"
        file.write_bytes(saved)
        return graph, load_model(file)
