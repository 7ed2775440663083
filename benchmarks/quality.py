"""How good the models are: test metrics chosen on validation, seed by seed, appended to a CSV.

    python benchmarks/quality.py                        # every model on every task, 5 seeds
    python benchmarks/quality.py -m DE-GNN-SPD -d celegans:links --seeds 2
    python benchmarks/quality.py --search               # defaults: a small grid, judged on validation alone
    python benchmarks/quality.py --report               # means over seeds; with --search, of the search

Search and report use different seeds (different splits, orders and weights): the defaults are chosen by the mean
validation metric of seeds 10, 11, 12 and measured on seeds 5 to 9; `val` alone decides.

Rows already in the file are not run again, so a run that was killed goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

import numpy as np
from _record import add, read
from scipy import stats

import degnn_explore as de
from degnn_explore.learn.tasks import TASKS
from degnn_explore.studies.comparison import paper_number

EVERY = ["GCN", "SAGE", "GIN", "struc2vec", "PGNN", "SEAL", "DE-GNN-SPD", "DE-GNN-LP", "DEA-GNN-SPD", "DEA-GNN-PR"]
DATA = [
    "celegans:links",
    "ns:links",
    "celegans:triangles",
    "ns:triangles",
    "us-flights:roles",
    "usa-airports:roles",
    "pb:links",
]
TRAINING = {"learning_rate", "batch_size", "weight_decay", "patience", "optimizer", "clip"}
UNSCALED = "unscaled"  # a search option: features as they come, to see what scaling them brings

RATES = (1e-3, 3e-3, 1e-2)
SEARCH: dict[str, list[dict[str, Any]]] = {
    "DE-GNN-SPD": [
        {},
        {"layers": 1},
        {"layers": 3},
        {"hidden": 50},
        {"dropout": 0.2},
        {"readout": "difference"},
        {"base": "SAGE"},
        {"base": "GIN"},
        {"max_dist": 4},
        {"learning_rate": 3e-3},
        {UNSCALED: True},
    ],
    "DE-GNN-LP": [
        {},
        {"layers": 1},
        {"layers": 3},
        {"dropout": 0.2},
        {"steps": 4},
        {"f3": 20},
        {"base": "SAGE"},
        {"learning_rate": 3e-3},
        {UNSCALED: True},
    ],
    "DEA-GNN-SPD": [{"dropout": dropout, "learning_rate": rate} for dropout in (0.0, 0.2) for rate in (1e-3, 3e-3)]
    + [{"layers": 1}, {"layers": 1, "hops": 3}, {"max_dist": 4}, {UNSCALED: True}],
    "DEA-GNN-PR": [{"learning_rate": rate} for rate in RATES] + [{"layers": 1}, {"alpha": 0.5}],
    "SEAL": [{}, {"dropout": 0.2}, {"sort_k": 60}, {"hops": 2}, {"learning_rate": 3e-3}],
    "PGNN": [{}, {"layers": 2}, {"dropout": 0.2}, {"anchor_sets": 32}, {"learning_rate": 3e-3}],
    "struc2vec": [{"learning_rate": rate} for rate in RATES],
    "GCN": [{}, {"layers": 1}, {"layers": 3}, {"dropout": 0.2}, {"learning_rate": 3e-3}, {UNSCALED: True}],
    "SAGE": [{}, {"layers": 1}, {"layers": 3}, {"dropout": 0.2}, {"learning_rate": 3e-3}],
    "GIN": [{}, {"layers": 1}, {"dropout": 0.2}, {"learning_rate": 3e-3}],
}
# single nodes: few training sets, so few steps an epoch
SEARCH_ROLES = (
    {
        model: [*({"layers": 2, "learning_rate": rate} for rate in RATES), {"layers": 3, "learning_rate": 1e-3}]
        for model in ("GCN", "SAGE", "GIN")
    }
    | {
        model: [{"layers": layers, "learning_rate": rate} for layers in (2, 3) for rate in RATES]
        for model in ("DE-GNN-SPD", "DE-GNN-LP")
    }
    | {
        model: [{"layers": layers, "learning_rate": rate} for layers in (1, 2) for rate in RATES]
        for model in ("DEA-GNN-SPD", "DEA-GNN-PR")
    }
    | {"struc2vec": [{"learning_rate": rate} for rate in RATES]}
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-m", "--models", nargs="*", default=None)
    parser.add_argument("-d", "--data", nargs="*", default=None, help="dataset:task, such as celegans:links")
    parser.add_argument("--seeds", type=int, default=None, help="how many; 5, or 3 in a search")
    parser.add_argument("--first-seed", type=int, default=None, help="5, or 10 in a search")
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--options", default=None, help="hyperparameters and training options as JSON")
    parser.add_argument("--search", action="store_true")
    parser.add_argument("--report", action="store_true")
    arguments = parser.parse_args()
    file = "search" if arguments.search else "quality"
    if arguments.report:
        report(file)
        return
    seeds = arguments.seeds or (3 if arguments.search else 5)
    first = arguments.first_seed if arguments.first_seed is not None else 10 if arguments.search else 5
    for data in arguments.data or (["celegans:links"] if arguments.search else DATA):
        for model in arguments.models or (list(SEARCH) if arguments.search else EVERY):
            grids = SEARCH_ROLES if data.endswith(":roles") else SEARCH
            grid = (
                grids.get(model, [{}])
                if arguments.search and arguments.options is None
                else [json.loads(arguments.options or "{}")]
            )
            for options in grid:
                for seed in range(first, first + seeds):
                    measure(file, model, data, options, seed, arguments.epochs)


def measure(file: str, model: str, data: str, options: dict[str, Any], seed: int, epochs: int) -> None:
    """One run, one row; nothing if the row is there or the model does not take the task."""
    dataset, kind = data.split(":")
    try:
        task = TASKS[kind].make(de.load(dataset), seed=seed)
        hyper = {name: value for name, value in options.items() if name not in TRAINING and name != UNSCALED}
        built = de.build(model, task, seed=seed, **hyper)
        if UNSCALED in options:
            built.calibrate = lambda data, index: None  # type: ignore[method-assign]
    except (de.ParameterError, de.GraphError) as error:
        print(f"{model} on {data}: left out, {error}", file=sys.stderr)
        return
    training = {name: value for name, value in options.items() if name in TRAINING}
    training.setdefault("learning_rate", built.learning_rate)
    text = json.dumps({**built.hyper, **training, **({UNSCALED: True} if UNSCALED in options else {})}, sort_keys=True)
    key = [model, dataset, kind, str(seed), text]
    if any([row["model"], row["dataset"], row["task"], row["seed"], row["settings"]] == key for row in read(file)):
        return
    start = time.process_time()
    run = list(de.fit(built, task, epochs=epochs, seed=seed, **training))
    seconds = time.process_time() - start
    outcome = de.summarize(run)
    row = {
        "model": model,
        "dataset": dataset,
        "task": kind,
        "metric": outcome.metric,
        "seed": seed,
        "epochs": len(run),
        "test": f"{outcome.test:.5f}",
        "optimistic": f"{outcome.optimistic:.5f}",
        "val": f"{run[outcome.epoch - 1].val[outcome.metric]:.5f}",
        "best_epoch": outcome.epoch,
        "cpu_seconds": f"{seconds:.1f}",
        "settings": text,
    }
    add(file, row)
    print(
        f"{model:12} {data:20} seed {seed} {json.dumps(options)}: val {row['val']}, test {outcome.test:.4f} "
        f"(epoch {outcome.epoch} of {len(run)}), "
        f"optimistic {outcome.optimistic:.4f}, {seconds:.0f} CPU s",
        flush=True,
    )


def report(file: str) -> None:
    """Means over seeds in percent, with half the 95 % interval, as a Markdown table beside the paper's numbers."""
    groups: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in read(file):
        groups.setdefault((row["dataset"], row["task"], row["model"], row["settings"]), []).append(row)
    print("| graph | task | model | seeds | test, chosen on validation | paper | validation | settings |")
    print("|---|---|---|---|---|---|---|---|")
    for (dataset, task, model, settings), members in sorted(groups.items()):
        test, val = (np.array([100 * float(row[name]) for row in members]) for name in ("test", "val"))
        paper = paper_number(model, dataset, TASKS[task].p, members[0]["metric"])
        spread = test.std(ddof=1) / len(test) ** 0.5 if len(test) > 1 else float("nan")
        half = stats.t.ppf(0.975, len(test) - 1) * spread
        print(
            f"| {dataset} | {task} | {model} | {len(test)} | {test.mean():.2f} ± {half:.2f} | "
            f"{'' if paper is None else f'{paper[0]:.2f} ± {paper[1]:.2f}'} | {val.mean():.2f} | {settings} |"
        )


if __name__ == "__main__":
    main()
