"""``degnn-explore score``: what a saved model says of a file of target sets, however long."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import degnn_explore as de
from degnn_explore.graphs.graph import Graph

from .asking import add_command, add_graph, graph_of
from .set_files import Chunk
from .streaming import Stream, add_streaming, identity, set_file

if TYPE_CHECKING:
    import pandas

    from degnn_explore.learn.nets.base import SetNet

_ROWS = 20_000  # lines that are judged together
_EXAMPLES = """
spd.safetensors celegans pairs.csv --out scores.csv
spd.safetensors my.csv candidates.tsv --columns from,to --out scores.parquet
spd.safetensors my.csv millions.csv --out scores.parquet --workers tcp://10.0.0.7:8786
"""


def add(commands: Any) -> None:
    """The options of ``score``."""
    about = (
        "Judge a file of target sets by a saved model. A set a line, its nodes by name or number, as many as the model "
        "takes; edges\ninside a set are cut, as in training. Lines that name no set are counted and listed. A run that "
        "was interrupted, or\nkilled, goes on where it was when the same command is given again."
    )
    parser = add_command(commands, "score", _score, about, _EXAMPLES)
    parser.add_argument("model", metavar="MODEL", help="a file that 'train' or de.save wrote")
    add_graph(parser)
    parser.add_argument("sets", metavar="SETS", help="the file of target sets: .csv, .tsv or text parted by blanks")
    parser.add_argument("--out", required=True, metavar="OUT", help="where the scores go: a .csv or .parquet file")
    parser.add_argument("--device", default="auto", help="auto (the default), cpu, cuda or mps")
    add_streaming(parser)


def _score(options: argparse.Namespace) -> int:
    from degnn_explore.learn.choosing.ensemble import Ensemble

    model, G = de.load_model(options.model), graph_of(options.graph)
    source = set_file(options, options.sets, G, model.shape.p)
    run = {"command": "score", "model": hashlib.sha256(Path(options.model).read_bytes()).hexdigest(), **identity(G)}
    columns = ["score"]
    if model.shape.num_classes > 2:
        columns = [f"score of {label}" for label in model.shape.classes or range(model.shape.num_classes)]

    answer = Scores(model, G, options.device, tuple(source.names), tuple(columns))
    nets = model.nets if isinstance(model, Ensemble) else [model]
    return Stream(options, source, run).answer(answer, _ROWS, {net.name for net in nets})


@dataclass(frozen=True)
class Scores:
    """What a model says of the sets of a chunk, as a table; another process can be given it."""

    model: SetNet
    graph: Graph
    device: str
    names: tuple[str, ...]  # of the columns of nodes
    columns: tuple[str, ...]  # of scores

    def __call__(self, chunk: Chunk) -> pandas.DataFrame:
        values = np.empty((0, len(self.columns)))
        if len(chunk.sets):
            said = de.predict(self.model, self.graph, chunk.sets, device=self.device)
            values = said.reshape(-1, len(self.columns))
        return table_of(chunk, self.names).assign(**dict(zip(self.columns, values.T, strict=True)))


def table_of(chunk: Chunk, names: Sequence[str]) -> pandas.DataFrame:
    """The lines and the nodes of each set, as they were written."""
    import pandas as pd

    nodes = np.array(chunk.written, dtype=object).reshape(-1, len(names))
    table = pd.DataFrame(dict(zip(names, nodes.T, strict=True)), dtype="str")
    table.insert(0, "line", np.array(chunk.lines, dtype=np.int64))
    return table
