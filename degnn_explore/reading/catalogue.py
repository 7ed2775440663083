"""The graphs one can load by name: embedded, from networkx, or downloaded with a checksum."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from ..common.errors import GraphError, one_of
from ..common.files import shipped
from ..graphs.graph import Graph
from .downloads import checked_file, is_here
from .read import read_folder

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["datasets", "load", "name_of"]


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


def name_of(graph: Graph, *, labels: bool = True) -> str:
    """The name by which :func:`load` gives this very graph, or "": edges, attributes and labels are compared.

    Nothing is downloaded for it. Titles, names and positions do not count: no model sees them.

    Parameters
    ----------
    graph
        Any graph.
    labels
        Whether its labels count.

    Examples
    --------
    >>> G = load("karate")
    >>> name_of(G.with_title("mine")), name_of(G.without_edges([(0, 1)]))
    ('karate', '')
    >>> other = G.with_labels([0] * 34)
    >>> name_of(other), name_of(other, labels=False)
    ('', 'karate')
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
         "licence": e.licence, "available": e.available(name)}
        for name, e in _ENTRIES.items()
    ])  # fmt: skip


@cache
def _read(name: str, data_folder: str | None) -> Graph:
    """``data_folder`` is DEGNN_DATA's value: when that changes, the files are looked for again."""
    entry = _ENTRIES[name]
    return entry.read(name).with_title(entry.title)


# ---- where the graphs come from -----------------------------------------------------------------


def _embedded(name: str) -> Graph:
    folder = shipped(name)
    if folder is None:
        raise GraphError(f"The files of {name!r} are missing from this installation; install degnn_explore again.")
    return read_folder(folder)


def _political_blogs(name: str) -> Graph:
    graph = _embedded(name)
    return graph.with_labels(graph.info["leaning"] == "right")


def _karate(name: str) -> Graph:
    import networkx as nx

    graph = Graph.from_networkx(nx.karate_club_graph())
    return graph.with_labels(graph.info["club"] == "Officer")


def _lesmis(name: str) -> Graph:
    import networkx as nx

    return Graph.from_networkx(nx.les_miserables_graph())


def _florentine(name: str) -> Graph:
    import networkx as nx

    return Graph.from_networkx(nx.florentine_families_graph())


def _airports(name: str) -> Graph:
    """The edge list and the labels; nodes in ascending order of the original ids, which become the names."""
    edges = np.loadtxt(BytesIO(checked_file(f"{name}.edgelist")), dtype=np.int64)  # [m, 2]
    table = np.loadtxt(BytesIO(checked_file(f"labels-{name}.txt")), dtype=np.int64, skiprows=1)  # [n, 2]
    ids, labels = table[np.argsort(table[:, 0])].T
    return Graph.from_edges(np.searchsorted(ids, edges), len(ids), names=ids.tolist(), labels=labels)


def _always(name: str) -> bool:
    return True


def _embedded_here(name: str) -> bool:
    return shipped(name) is not None


def _airports_here(name: str) -> bool:
    return is_here(f"{name}.edgelist") and is_here(f"labels-{name}.txt")


# ---- the entries --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Entry:
    """A row of the table. The counts are stated, so that the table needs no loading; a test checks each."""

    title: str
    nodes: int
    edges: int
    labels: int
    what: str
    source: str
    licence: str
    read: Callable[[str], Graph]
    available: Callable[[str], bool]


_GRAPH_TOOL = "graph-tool's data collection (Debian); "
_PUBLIC = "public domain"
_STRUC2VEC = "struc2vec repository; Ribeiro, Saverese & Figueiredo 2017"
_NOT_OURS = "none stated: downloaded, not shipped"
_NETWORKX = "BSD-3-Clause (networkx)"

_ENTRIES = {
    "celegans": _Entry(
        "C. elegans", 297, 2_148, 0, "neurons of a worm and their synapses",
        _GRAPH_TOOL + "Watts & Strogatz 1998, White et al. 1986", _PUBLIC, _embedded, _embedded_here),
    "ns": _Entry(
        "network scientists", 1_461, 2_742, 0, "scientists who wrote a paper together",
        _GRAPH_TOOL + "Newman 2006", _PUBLIC, _embedded, _embedded_here),
    "pb": _Entry(
        "political blogs", 1_222, 16_714, 2, "US political blogs and their links; label: 0 left, 1 right",
        _GRAPH_TOOL + "Adamic & Glance 2005", _PUBLIC, _political_blogs, _embedded_here),
    "us-flights": _Entry(
        "US flights 2008", 305, 2_834, 4, "US airports and air routes in 2008; label: quartile of flights",
        "US Bureau of Transportation Statistics, by way of vega-datasets", "BSD-3-Clause (vega-datasets)",
        _embedded, _embedded_here),
    "karate": _Entry(
        "karate club", 34, 78, 2, "friendships in a karate club; label: 0 Mr. Hi's, 1 the officer's faction",
        "networkx; Zachary 1977", _NETWORKX, _karate, _always),
    "lesmis": _Entry(
        "Les Misérables", 77, 254, 0, "characters who appear together in the novel",
        "networkx; Knuth 1993", _NETWORKX, _lesmis, _always),
    "florentine": _Entry(
        "Florentine families", 15, 20, 0, "marriages between families of Renaissance Florence",
        "networkx; Breiger & Pattison 1986", _NETWORKX, _florentine, _always),
    "brazil-airports": _Entry(
        "Brazil airports", 131, 1_003, 4, "airports of Brazil and air routes; label: level of activity",
        _STRUC2VEC, _NOT_OURS, _airports, _airports_here),
    "europe-airports": _Entry(
        "Europe airports", 399, 5_993, 4, "airports of Europe and air routes; label: level of activity",
        _STRUC2VEC, _NOT_OURS, _airports, _airports_here),
    "usa-airports": _Entry(
        "USA airports", 1_190, 13_599, 4, "airports of the USA and air routes; label: level of activity",
        _STRUC2VEC, _NOT_OURS, _airports, _airports_here),
}  # fmt: skip
