"""Training on every device of this machine, against its CPU in the same run; a table to paste into an issue.

    python benchmarks/device.py                        # C. elegans, three models; writes results/device.csv
    python benchmarks/device.py --graph pb --epochs 4  # another graph; writes nothing

Seconds are of the epochs after the first, by the clock, the fastest of them. Transfers and bytes are counted on the
pretend device of the tests, which computes with the CPU: they are the same on a real one, its seconds mean nothing.
"streamed" are the same data sent batch by batch, as where they do not fit a device.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch
from _record import Row, write

import degnn_explore as de
from degnn_explore.engine import placing
from degnn_explore.learn.devices import best_device

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests import pretend_device as pretend

MODELS = ("DE-GNN-SPD", "DEA-GNN-SPD", "SEAL")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", default="celegans")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=64)
    arguments = parser.parse_args()
    task = de.link_task(de.load(arguments.graph))
    devices = ["cpu", "pretend"] if best_device() == "cpu" else ["cpu", best_device(), "pretend"]
    rows = [
        trained(task, model, device, where, arguments)
        for model in MODELS
        for device in devices
        for where in (("resident",) if device == "cpu" else ("resident", "streamed"))
    ]
    for row in rows:
        here = next(r for r in rows if r["model"] == row["model"] and r["device"] == "cpu")
        row["against_cpu"] = (
            "" if row["device"] == "pretend" else round(here["epoch_seconds"] / row["epoch_seconds"], 2)
        )
    print(f"\ntorch {torch.__version__}, {name_of(devices[-2])}, {arguments.graph}\n")
    print(table(rows))
    if arguments == parser.parse_args([]):
        write("device", rows)


def trained(task: de.Task, name: str, device: str, where: str, arguments: argparse.Namespace) -> Row:
    """One row: a model on a device, its data in one of two places."""
    share, placing.SHARE = placing.SHARE, 0 if where == "streamed" else placing.SHARE
    model = de.build(name, task)
    run = []
    how = {"device": device, "batch_size": arguments.batch_size, "patience": None}
    for epoch in de.fit(model, task, epochs=arguments.epochs, **how):
        run.append(epoch)
        counted = dict(pretend.counts)
        pretend.reset()
    placing.SHARE = share
    seconds, batches = min(epoch.seconds for epoch in run[1:]), -(-len(task.train) // arguments.batch_size)
    placement = model.placement
    assert placement is not None
    row: Row = {"model": name, "device": device, "data": where, "batches": batches, "epoch_seconds": round(seconds, 4)}
    row["sets_per_second"] = round(len(task.train) / seconds)
    row["data_megabytes"] = round(placement.nbytes / 1e6, 1)
    for column, key in (("to_device", "to_device"), ("back", "to_host"), ("bytes_to_device", "bytes_to_device")):
        row[f"{column}_an_epoch"] = counted[key] if device == "pretend" else ""
    row["bytes_to_device_a_batch"] = round(counted["bytes_to_device"] / batches) if device == "pretend" else ""
    row["loss"] = round(run[-1].loss, 6)
    print(f"{name} on {placement}: {seconds:.3f} s an epoch", flush=True)
    return row


def table(rows: list[Row]) -> str:
    """In Markdown."""
    lines = [list(rows[0]), ["---"] * len(rows[0]), *([str(value) for value in row.values()] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def name_of(device: str) -> str:
    return torch.cuda.get_device_name() if device == "cuda" else device


if __name__ == "__main__":
    main()
