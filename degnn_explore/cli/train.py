"""``degnn-explore train``: a model from a graph, in a file; what was interrupted goes on where it was."""

from __future__ import annotations

import argparse
import ast
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

import degnn_explore as de
from degnn_explore.common.errors import ParameterError, one_of
from degnn_explore.graphs.graph import Graph

from .asking import INTERRUPTED, Bar, add_command, add_graph, graph_of, is_file, say

_EXAMPLES = """
celegans --out spd.safetensors
my.csv --task roles --labels labels.csv --model GCN --epochs 200 --out roles.safetensors
pb --model DEA-GNN-SPD --set layers=1 --set learning_rate=0.003 --seed 7 --out dea.safetensors
"""


def add(commands: Any) -> None:
    """The options of ``train``."""
    about = "Train a model and save it. Ctrl-C keeps a checkpoint beside OUT; the same command goes on from it."
    parser = add_command(commands, "train", _train, about, _EXAMPLES)
    add_graph(parser)
    parser.add_argument("--out", required=True, metavar="OUT", help="the file of the model, such as model.safetensors")
    parser.add_argument("--task", default="links", help="links (the default), roles or triangles")
    parser.add_argument("--model", default="DE-GNN-SPD", help="a name of de.models() (default: DE-GNN-SPD)")
    parser.add_argument("--labels", metavar="FILE", help="labels of the nodes, for roles: a file of two columns")
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a hyperparameter of the model (layers, hidden, max_dist, …) or of the training (learning_rate, "
        "batch_size, patience, …); may be given often",
    )
    parser.add_argument("--epochs", type=int, default=100, help="at most so many (default: 100)")
    parser.add_argument("--seed", type=int, default=0, help="of split, weights and order (default: 0)")
    parser.add_argument("--max-positives", type=int, metavar="K", help="learn from K of the links or triangles only")
    parser.add_argument("--device", default="auto", help="auto (the default), cpu, cuda or mps")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def _train(options: argparse.Namespace) -> int | None:
    from degnn_explore.learn.saving import check_place

    out = Path(options.out)
    check_place(out)
    task = _task(options, _labelled(options))
    settings = dict(_setting(text) for text in options.settings)
    learning = _learning(options.model, settings)
    model = de.build(options.model, task, seed=options.seed, **settings)
    kept = out.with_name(f"{out.name}.checkpoint")
    if resumed := kept.exists():
        say(f"going on from {kept}")
    run: list[de.Epoch] = []
    said = {"seed": options.seed, "device": options.device, "progress": not options.quiet, **learning}
    epochs: Any = de.fit(model, task, options.epochs, checkpoint=kept, **said)
    try:
        with closing(epochs), Bar(model.name, options.epochs, options.quiet) as bar:
            for epoch in epochs:
                run.append(epoch)
                bar.show(epoch.number, f"epoch {epoch.number}, validation {epoch.val[epoch.metric]:.4f}")
    except KeyboardInterrupt:  # closing wrote the checkpoint
        rest = f"{kept} keeps {len(run)} epochs; the same command goes on from there"
        say(f"stopped: {rest if kept.exists() else 'no epoch was finished, so nothing is kept'}.")
        return INTERRUPTED
    de.save(model, out)
    kept.unlink(missing_ok=True)
    found = de.summarise(run)
    began = f", {len(run)} epochs in all" if resumed else f" of {len(run)}"
    print(
        f"{model.name} on {task.full_graph.title or options.graph}, {task.kind}, seed {options.seed}: epoch "
        f"{found.epoch}{began} is best on validation; test {found.metric} {found.test:.4f}"
    )
    if model.placement is not None and model.placement.note:
        say(model.placement.note)
    print(f"saved as {out}")
    return None


def _labelled(options: argparse.Namespace) -> Graph:
    if options.labels is None:
        return graph_of(options.graph)
    if not is_file(options.graph):
        raise ParameterError("--labels goes with a graph from a file; the graphs loaded by name bring their own.")
    return de.read_graph(options.graph, labels=options.labels)


def _task(options: argparse.Namespace, G: Graph) -> de.Task:
    from degnn_explore.learn.tasks import TASKS

    kind = TASKS[one_of("task", options.task, TASKS)]
    if options.max_positives is None:
        return kind.make(G, seed=options.seed)
    if options.task == "roles":
        raise ParameterError("--max-positives is for links and triangles; roles are learnt from every labelled node.")
    return kind.make(G, seed=options.seed, max_positives=options.max_positives)


def _setting(text: str) -> tuple[str, Any]:
    """A name and its value, a word where it is not a number.

    >>> _setting("layers=3"), _setting("patience=None"), _setting("optimizer=sgd")
    (('layers', 3), ('patience', None), ('optimizer', 'sgd'))
    """
    name, given, value = text.partition("=")
    if not given or not name:
        raise ParameterError(f"--set takes NAME=VALUE, such as layers=3, not {text!r}.")
    try:
        return name.strip().replace("-", "_"), ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name.strip().replace("-", "_"), value


def _learning(name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """What of the settings is for the training; the model's own stay."""
    from degnn_explore.learn.nets import MODELS
    from degnn_explore.learn.stepping import Learning

    own = MODELS[one_of("model", name, MODELS)].load().HYPER
    options = [option.name for option in fields(Learning)]
    for key in settings:
        one_of(f"setting of {name}", key, [*own, *options])
    return {key: settings.pop(key) for key in options if key in settings and key not in own}
