"""A reader's own graph: uploaded files, read here and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ..common.errors import GraphError
from ..graphs.graph import Graph
from ..reading.read import label_graph, read_file, read_labels, spoken_formats

_MOST_BYTES = 50_000_000  # unpacked: what goes through the browser is for looking at
_REMEDY = "Name its path in the Explorer instead, or read it with de.read_graph(path) and pass the graph to the panel."
UPLOAD_HINT = f"{spoken_formats()}; packed or not. Files are read here and go nowhere else."


def is_page() -> bool:
    """Whether the panel is served as a page by Voilà: whoever reads it may not name files of the machine it runs on."""
    return os.environ.get("SERVER_SOFTWARE", "").startswith("voila")


def uploaded(file: Mapping[str, Any]) -> tuple[str, bytes]:
    """Name and content of an entry of a FileUpload; what a page sends may be anything."""
    name, content = file.get("name"), file.get("content")
    if not isinstance(name, str) or not isinstance(content, bytes | bytearray | memoryview):
        raise GraphError("The page sent a file without a name or content; choose the file again.")
    return name, bytes(content)


def read_own(name: str, content: bytes, labels: tuple[str, bytes] | None = None, column: str | None = None) -> Graph:
    """A graph from an uploaded file; labels from a second one (node, label on each line) or from the named column."""
    graph = read_file((name, content), limit=_MOST_BYTES, remedy=_REMEDY)
    graph = graph.with_title(graph.title[:60])
    return label_own(graph, labels, column, name)


def label_own(
    graph: Graph, labels: tuple[str, bytes] | None, column: str | None = None, name: str | None = None
) -> Graph:
    """A graph that is known already with the labels of an uploaded file, or of a column of its own.

    >>> label_own(Graph.from_edges([(0, 1), (1, 2)]), ("kinds.csv", b"0,a\\n1,b\\n2,a\\n")).labels.tolist()
    [0, 1, 0]
    """
    if labels is None:
        return label_graph(graph, name or graph.title, None, column)
    table = read_labels(labels, column, limit=_MOST_BYTES, remedy=_REMEDY)
    return label_graph(graph, labels[0], table, column)
