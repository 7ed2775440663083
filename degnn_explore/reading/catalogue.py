"""The graphs one can load by name: embedded, from networkx, or downloaded with a checksum."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..common.errors import GraphError, one_of
from ..common.files import shipped
from ..graphs.graph import Graph
from .downloads import checked_file, is_here
from .read import read_folder, read_graph

if TYPE_CHECKING:
    import pandas as pd


def load(name: str) -> Graph:
    """The graph of this name, one of those in :func:`datasets`.

    The airport networks are looked for in the folder named by the environment variable ``DEGNN_DATA``, then in the
    user's cache directory, then downloaded; each file is checked by its SHA-256. A graph is read once per process.

    Parameters
    ----------
    name
        celegans, ns, pb, us-flights, karate, lesmis, florentine, brazil-airports, europe-airports or usa-airports.

    Examples
    --------
    >>> load("celegans")
    Graph('C. elegans', 297 nodes, 2,148 edges)
    >>> G = load("florentine")
    >>> [G.names[v] for v in G.neighbors("Pazzi")]
    ['Salviati']
    """
    one_of("name", name, _ENTRIES)
    return _read(name, os.environ.get("DEGNN_DATA"))


def as_graph(given: Any) -> Graph:
    """The graph that a person hands over: a Graph, a name for :func:`load`, or anything that ``read_graph`` takes.

    Examples
    --------
    >>> import networkx as nx
    >>> as_graph(nx.path_graph(4)), as_graph("lesmis")
    (Graph(4 nodes, 3 edges), Graph('Les Misérables', 77 nodes, 254 edges))
    """
    if isinstance(given, Graph):
        return given
    named = isinstance(given, str) and given in _ENTRIES and not Path(given).exists()
    return load(given) if named else read_graph(given)


def name_of(graph: Graph, *, labels: bool = True) -> str:
    """The name by which :func:`load` gives this very graph, or "": edges, attributes and labels are compared.

    Nothing is downloaded for it. Titles, names and positions do not count: no model sees them; labels only if asked.

    Examples
    --------
    >>> G = load("karate")
    >>> name_of(G.with_title("mine")), name_of(G.without_edges([(0, 1)]))
    ('karate', '')
    """
    for name, entry in _ENTRIES.items():
        same_size = (entry.nodes, entry.edges) == (graph.num_nodes, graph.num_edges)
        if same_size and entry.available(name) and load(name).digest(labels=labels) == graph.digest(labels=labels):
            return name
    return ""


def datasets() -> pd.DataFrame:
    """A table of the graphs that :func:`load` knows.

    Returns
    -------
    DataFrame
        One row a graph: name, nodes, edges, labels (number of classes, 0 for none), what (it is), source, licence,
        available (whether it can be loaded without the internet).

    Examples
    --------
    >>> print(datasets()[["name", "nodes", "edges", "labels"]].head(3).to_string(index=False))
        name  nodes  edges  labels
    celegans    297   2148       0
          ns   1461   2742       0
          pb   1222  16714       2
    """
    import pandas as pd

    return pd.DataFrame([
        {"name": name, "nodes": e.nodes, "edges": e.edges, "labels": e.labels, "what": e.what, "source": e.source,
         "licence": _LICENCES[e.licence], "available": e.available(name)}
        for name, e in _ENTRIES.items()
    ])  # fmt: skip


@cache
def _read(name: str, data_folder: str | None) -> Graph:
    """``data_folder`` is DEGNN_DATA's value: when that changes, the files are looked for again."""
    entry = _ENTRIES[name]
    return _KINDS[entry.kind][0](name).with_title(entry.title)


# ---- where the graphs come from -----------------------------------------------------------------


def _embedded(name: str) -> Graph:
    folder = shipped(name)
    if folder is None:
        raise GraphError(f"The files of {name!r} are missing from this installation; install degnn_explore again.")
    graph = read_folder(folder)
    return graph.with_labels(graph.info["leaning"] == "right") if name == "pb" else graph


def _from_networkx(name: str) -> Graph:
    import networkx as nx

    made = {
        "karate": nx.karate_club_graph,
        "lesmis": nx.les_miserables_graph,
        "florentine": nx.florentine_families_graph,
    }
    graph = Graph.from_networkx(made[name]())
    return graph.with_labels(graph.info["club"] == "Officer") if name == "karate" else graph


def _airports(name: str) -> Graph:
    """The edge list and the labels; nodes in ascending order of the original ids, which become the names."""
    edges = np.loadtxt(BytesIO(checked_file(f"{name}.edgelist")), dtype=np.int64)  # [m, 2]
    table = np.loadtxt(BytesIO(checked_file(f"labels-{name}.txt")), dtype=np.int64, skiprows=1)  # [n, 2]
    ids, labels = table[np.argsort(table[:, 0])].T
    return Graph.from_edges(np.searchsorted(ids, edges), len(ids), names=ids.tolist(), labels=labels)


# How each kind of source is read, and whether it is there without the internet.
_KINDS: dict[str, tuple[Callable[[str], Graph], Callable[[str], bool]]] = {
    "shipped": (_embedded, lambda name: shipped(name) is not None),
    "networkx": (_from_networkx, lambda name: True),
    "airports": (_airports, lambda name: is_here(f"{name}.edgelist") and is_here(f"labels-{name}.txt")),
}


# ---- the entries --------------------------------------------------------------------------------

_LICENCES = {
    "networkx": "BSD-3-Clause (networkx)",
    "public": "public domain",
    "vega": "BSD-3-Clause (vega-datasets)",
    "none": "none stated: downloaded, not shipped",
}
_GRAPH_TOOL = "graph-tool's data collection (Debian); "
_STRUC2VEC = "struc2vec repository; Ribeiro, Saverese & Figueiredo 2017"
_LEVEL = "label: level of activity"


class _Entry(NamedTuple):
    """A row of the table. The counts are stated, so that the table needs no loading; a test checks each."""

    title: str
    nodes: int
    edges: int
    labels: int
    kind: str
    licence: str
    what: str
    source: str

    def available(self, name: str) -> bool:
        return _KINDS[self.kind][1](name)


_ENTRIES = {
    "celegans": _Entry("C. elegans", 297, 2_148, 0, "shipped", "public", "neurons of a worm and their synapses",
                       _GRAPH_TOOL + "Watts & Strogatz 1998, White et al. 1986"),
    "ns": _Entry("network scientists", 1_461, 2_742, 0, "shipped", "public", "scientists who wrote a paper together",
                 _GRAPH_TOOL + "Newman 2006"),
    "pb": _Entry("political blogs", 1_222, 16_714, 2, "shipped", "public",
                 "US political blogs and their links; label: 0 left, 1 right", _GRAPH_TOOL + "Adamic & Glance 2005"),
    "us-flights": _Entry("US flights 2008", 305, 2_834, 4, "shipped", "vega",
                         "US airports and air routes in 2008; label: quartile of flights",
                         "US Bureau of Transportation Statistics, by way of vega-datasets"),
    "karate": _Entry("karate club", 34, 78, 2, "networkx", "networkx",
                     "friendships in a karate club; label: 0 Mr. Hi's, 1 the officer's faction",
                     "networkx; Zachary 1977"),
    "lesmis": _Entry("Les Misérables", 77, 254, 0, "networkx", "networkx",
                     "characters who appear together in the novel", "networkx; Knuth 1993"),
    "florentine": _Entry("Florentine families", 15, 20, 0, "networkx", "networkx",
                         "marriages between families of Renaissance Florence", "networkx; Breiger & Pattison 1986"),
    "brazil-airports": _Entry("Brazil airports", 131, 1_003, 4, "airports", "none",
                              f"airports of Brazil and air routes; {_LEVEL}", _STRUC2VEC),
    "europe-airports": _Entry("Europe airports", 399, 5_993, 4, "airports", "none",
                              f"airports of Europe and air routes; {_LEVEL}", _STRUC2VEC),
    "usa-airports": _Entry("USA airports", 1_190, 13_599, 4, "airports", "none",
                           f"airports of the USA and air routes; {_LEVEL}", _STRUC2VEC),
}  # fmt: skip
