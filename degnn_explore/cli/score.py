"""``degnn-explore score``: what a saved model says of a file of target sets, however long."""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import degnn_explore as de

from .asking import add_command, add_graph, graph_of
from .set_files import Chunk
from .streaming import Stream, add_streaming, identity, set_file

if TYPE_CHECKING:
    import pandas

_ROWS = 20_000  # lines that are judged together
_EXAMPLES = """
spd.safetensors celegans pairs.csv --out scores.csv
spd.safetensors my.csv candidates.tsv --columns from,to --out scores.parquet
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
    model, G = de.load_model(options.model), graph_of(options.graph)
    source = set_file(options, options.sets, G, model.shape.p)
    run = {"command": "score", "model": hashlib.sha256(Path(options.model).read_bytes()).hexdigest(), **identity(G)}
    columns = ["score"]
    if model.shape.num_classes > 2:
        columns = [f"score of {label}" for label in model.shape.classes or range(model.shape.num_classes)]

    def scores(chunk: Chunk) -> pandas.DataFrame:
        values = np.empty((0, len(columns)))
        if len(chunk.sets):
            values = de.predict(model, G, chunk.sets, device=options.device).reshape(-1, len(columns))
        return table_of(chunk, source.names).assign(**dict(zip(columns, values.T, strict=True)))

    return Stream(options, source, run).answer(scores, _ROWS)


def table_of(chunk: Chunk, names: list[str]) -> pandas.DataFrame:
    """The lines and the nodes of each set, as they were written."""
    import pandas as pd

    nodes = np.array(chunk.written, dtype=object).reshape(-1, len(names))
    table = pd.DataFrame(dict(zip(names, nodes.T, strict=True)), dtype="str")
    table.insert(0, "line", np.array(chunk.lines, dtype=np.int64))
    return table
