"""What a board is told when it is made, the cell it is made in, and the file that its results go to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ...common.errors import ParameterError, one_of
from ...graphs.graph import Graph
from ...learn.nets import MODELS
from ...reading.catalogue import load
from ...study.plan import TASKS, Plan
from ...study.records import Run, finished, read
from .controls import OWN, Controls, offer

__all__ = ["cell", "choose", "free_file", "on_deleted_cells", "slug", "trained_in"]


def choose(
    one: Controls,
    graph: str | Graph,
    task: str | None,
    models: Iterable[str] | None,
    numbers: dict[str, Any],
    settings: dict[str, Any],
) -> None:
    """Sets the controls from a board's arguments; ``numbers`` are seeds, epochs, device and workers."""
    if isinstance(graph, Graph):
        one.use(graph)
        known: Graph = graph
    else:
        known = load(graph)
        if graph not in [value for _, value in one.graph.options]:
            one.graph.options = [*one.graph.options, (graph, graph)]
        one.graph.value = graph
    usual = "links" if known.labels is None else "roles"
    one.task.value = one_of("task", task, TASKS) if task else usual
    for model in [name for name, entry in MODELS.items() if entry.usual] if models is None else models:
        one.models[one_of("model", model, MODELS)].value = True
    for name, field in (("seeds", one.seeds), ("epochs", one.epochs)):
        value = numbers[name]
        if isinstance(value, bool) or not isinstance(value, int) or not field.min <= value <= field.max:
            raise ParameterError(f"{name} must be a whole number from {field.min} to {field.max}, not {value!r}.")
        field.value = value
    offer(one.device, f"{numbers['device']}: not found here", numbers["device"])
    offer(one.workers, f"{numbers['workers']} at a time, in processes", numbers["workers"])
    for name, setting in settings.items():
        one.set_hyper(name, setting)


def free_file(file: Path, taken: set[Path]) -> Path:
    """The file, or one with a number if another board of this notebook has it.

    Examples
    --------
    >>> free_file(Path("links-pb.jsonl"), {Path("links-pb.jsonl").resolve()}).name
    'links-pb-2.jsonl'
    """
    number, free = 2, file
    while free.resolve() in taken:
        free = file.with_name(f"{file.stem}-{number}{file.suffix}")
        number += 1
    return free


def trained_in(file: Path, plan: Plan) -> Run:
    """A finished run of a results file: one of the plan's task and graph if there is one, else the latest.

    Examples
    --------
    >>> import degnn_explore as de
    >>> trained_in(Path("no-such-file.jsonl"), Plan(de.load("karate"), "links", ["GCN"]))
    Traceback (most recent call last):
    degnn_explore.common.errors.ParameterError: There is no file no-such-file.jsonl; name one...
    """
    if not file.exists():
        raise ParameterError(
            f"There is no file {file}; name one that a board has written, such as runs/links-celegans.jsonl, as seen "
            f"from {Path.cwd()}."
        )
    runs = finished(read(file))
    if not runs:
        raise ParameterError(f"{file} holds no finished run; choose another file, or press Start to train some.")
    here = [run for run in runs if (run.task, run.digest) == (plan.task, plan.digest)]
    return (here or runs)[-1]


def slug(name: str) -> str:
    """A name as part of a file's name.

    Examples
    --------
    >>> slug("../My graph!")
    'my-graph'
    """
    return "".join(c if c.isalnum() else "-" for c in name.lower()).strip("-")[:60] or OWN.replace(" ", "-")


def cell() -> tuple[str, int] | None:
    """The notebook cell that is being run, and the number of its run; None where there is no such thing."""
    from IPython import get_ipython

    name = _asked().get("cellId")
    return None if name is None else (str(name), int(get_ipython().execution_count))


def on_deleted_cells(act: Callable[[set[str]], None]) -> None:
    """Calls ``act`` with the cells that were deleted from the notebook, whenever one of the others is run.

    JupyterLab and Notebook 7 name them when they ask for a cell to be run; other front ends do not, and nothing
    happens there. A deletion that was undone is named all the same.
    """
    from IPython import get_ipython

    def before_a_cell(_info: Any) -> None:
        act({str(name) for name in _asked().get("deletedCells", [])})

    shell = get_ipython()
    if shell is not None:
        shell.events.register("pre_run_cell", before_a_cell)


def _asked() -> dict[str, Any]:
    """What the front end said of the cell that is being run."""
    from IPython import get_ipython

    shell = get_ipython()
    parent = shell.get_parent() if shell is not None and hasattr(shell, "get_parent") else {}
    return dict((parent or {}).get("metadata") or {})
