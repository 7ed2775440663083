"""A reader's own graph: uploaded files, read here and nowhere else."""

from __future__ import annotations

import os

from ..graphs.graph import Graph
from ..reading.read import read_file, spoken_formats

_MOST_BYTES = 50_000_000  # unpacked: what goes through the browser is for looking at
_REMEDY = "Name its path in the Explorer instead, or read it with de.read_graph(path) and pass the graph to the panel."
UPLOAD_HINT = f"{spoken_formats()}; compressed or not. Files go to your kernel and nowhere else."


def is_page() -> bool:
    """Whether Voilà serves the panel: then its readers must not name files of the server."""
    return os.environ.get("SERVER_SOFTWARE", "").startswith("voila")


def read_own(name: str, content: bytes) -> Graph:
    """A graph from an uploaded file."""
    graph = read_file((name, content), limit=_MOST_BYTES, remedy=_REMEDY)
    return graph.with_title(graph.title[:60])
