"""A reader's own graph: uploaded files, read here and nowhere else."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...common.errors import GraphError
from ...graphs.graph import Graph
from ...reading.read import read_graph

__all__ = ["read_own", "uploaded"]

_MOST_BYTES = 50_000_000


def uploaded(file: Mapping[str, Any]) -> tuple[str, bytes]:
    """Name and content of an entry of a FileUpload; what a page sends may be anything."""
    name, content = file.get("name"), file.get("content")
    if not isinstance(name, str) or not isinstance(content, bytes | bytearray | memoryview):
        raise GraphError("The page sent a file without a name or content; choose the file again.")
    return name, bytes(content)


def read_own(name: str, content: bytes, labels: tuple[str, bytes] | None = None, column: str | None = None) -> Graph:
    """A graph from uploaded files, with its labels from a second file or a column.

    Parameters
    ----------
    name, content
        The graph file.
    labels
        Name and content of a file with a node and its label on each line, or None.
    column
        The column of the labels, if there are several, or None.

    Examples
    --------
    >>> G = read_own("g.csv", b"a,b\\nb,c\\n", ("roles.csv", b"a,0\\nb,1\\nc,0\\n"))
    >>> G.labels.tolist()
    [0, 1, 0]
    """
    given = {"graph": (name, content)} | ({} if labels is None else {"labels": labels})
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for what, (file, data) in given.items():
            if len(data) > _MOST_BYTES:
                raise GraphError(
                    f"{file} has {len(data) / 1e6:,.0f} MB; a file opened here may have {_MOST_BYTES // 1_000_000} MB. "
                    "Read it with de.read_graph(path) and pass the graph to the panel."
                )
            # only the endings of the reader's file names are used: they tell the format
            paths[what] = Path(folder) / f"{what}{_ending(file)}"
            paths[what].write_bytes(data)
        try:
            graph = read_graph(paths["graph"], labels=paths.get("labels"), label_column=column)
        except ValueError as error:
            words = str(error)
            for what, path in paths.items():
                words = words.replace(str(path), given[what][0])  # the file as the reader knows it
            raise GraphError(words) from None
    return graph.with_title(Path(name).stem[:60])


def _ending(name: str) -> str:
    return "".join(c for c in "".join(Path(name).suffixes[-2:]).lower() if c.isalnum() or c == ".")[:16]
