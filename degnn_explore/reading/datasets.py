"""Graphs to load by name: shipped, from networkx, or downloaded; and the files of the BREC benchmark.

Files that we may not ship come from the folders that ``DEGNN_DATA`` names, from the user's cache, or from the internet
(pooch). Each is checked by its SHA-256.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..common.errors import GraphError, check_choice
from ..common.files import shipped
from ..graphs.graph import Graph
from .read import read_folder, read_graph

if TYPE_CHECKING:
    import pandas as pd

STRUC2VEC_URL = "https://raw.githubusercontent.com/leoribeiro/struc2vec/master/graph/"
BREC_URL = (
    "https://raw.githubusercontent.com/GraphPKU/BREC/966b5ed5c27bf6372ea081f90ef8c8b2a3342ebc/customize/Data/raw/"
)
TIMEOUT = 30.0  # seconds without an answer
AIRPORTS = {
    "brazil-airports.edgelist": "896b7bd460ad2da9160888d99bc9099ffe8ed7de3e410833889ea393831bcaa7",
    "europe-airports.edgelist": "bd202178d0d1253c15bd3c9a22cc2a25f630244bbef9060bc30adbf0a5e130f6",
    "usa-airports.edgelist": "c73fec3eef27ed6d6ef4d8dfa7fd1604b959601a38d399eeaa1f87e8d8d58fc0",
    "labels-brazil-airports.txt": "8f9d19f10192fbaeb91dfb46dd7eae0fef28bfe1272d41ab96a4494a0d06785f",
    "labels-europe-airports.txt": "92bace031cc02937ac9629d6c69387458e5d5016a7dab98490fbf33e392cec4e",
    "labels-usa-airports.txt": "d4062ff3b3a67c3ae72b581bb68228433223e35d6f0b2d41844d197ad3772195",
}
BREC = {
    "basic.npy": "adef7f761b803026b515d94172399f5db72fe73859b0e489a1edfaa5874aeec2",
    "regular.npy": "e9e85ff2003f50676e2a2ac7ef70b8ad919598c3042aaf8f5f6f43184bfdc663",
    "str.npy": "6de58d99b80b7ace4529d17cf8fe3d000b496b3c2a7ab7f59fe3f28f61746d6f",
    "extension.npy": "9b76b59842f997a502a83724daba033d793c5fbc9c2aa758834beb78d2309d4a",
    "cfi.npy": "e8d56d7c0a22768da8dfdcaae800bc8dc815fb10b1bf1b52dc7893ed68c4e92f",
    "4vtx.npy": "a9e593c485f3fa08d3db967d7c545a4f5cf7f417f016c9a77a5c1cc646786cea",
    "dr.npy": "11b861e1439ddee4c58fa04b523e874c25fdbb4ba867f3ac9104711cb3739d89",
}


def load(name: str) -> Graph:
    """The graph of this name, one of those in :func:`datasets`.

    The airport networks are looked for in the folders named by the environment variable ``DEGNN_DATA`` (several are
    separated as in ``PATH``), then in the user's cache folder, then downloaded; each file is checked by its SHA-256.
    A graph is read once per process.

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
    check_choice("name", name, _ENTRIES)
    return read_by_name(name, os.environ.get("DEGNN_DATA"))


def brec_file(name: str) -> Path:
    """A file of the BREC benchmark (Wang & Zhang 2024): 400 pairs of non-isomorphic graphs, as graph6 strings.

    Found or downloaded as the airports of :func:`load` are. Read it with ``numpy.load(path, allow_pickle=False)``.

    Parameters
    ----------
    name
        basic, regular, str, extension, cfi, 4vtx or dr, in BREC's order.
    """
    check_choice("name", name, [file.removesuffix(".npy") for file in BREC])
    return _fetch(f"{name}.npy", BREC_URL, BREC)


def as_graph(value: Any) -> Graph:
    """The graph that a user passes: a Graph, a name for :func:`load`, or anything that ``read_graph`` takes.

    Examples
    --------
    >>> import networkx as nx
    >>> as_graph(nx.path_graph(4)), as_graph("lesmis")
    (Graph(4 nodes, 3 edges), Graph('Les Misérables', 77 nodes, 254 edges))
    """
    if isinstance(value, Graph):
        return value
    plain = isinstance(value, str) and (value in _ENTRIES or value.isidentifier())  # else it looks like a file's name
    named = plain and not os.path.exists(value)  # unlike Path.exists, never an OSError
    return load(value) if named else read_graph(value)


def name_of(graph: Graph, *, labels: bool = True) -> str:
    """The name by which :func:`load` gives this very graph, or "": edges, attributes and labels are compared.

    Nothing is downloaded for it. Titles, names and positions do not count, because no model sees them.

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
        One row a graph: name, nodes, edges, labels (number of classes, 0 for none), what (it is), source, license,
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
         "license": _LICENSES[e.license], "available": e.available(name)}
        for name, e in _ENTRIES.items()
    ])  # fmt: skip


def offered() -> dict[str, tuple[str, int]]:
    """Title and number of classes of each graph that can be loaded without the internet; needs no pandas.

    Examples
    --------
    >>> offered()["celegans"]
    ('C. elegans', 0)
    """
    return {name: (entry.title, entry.labels) for name, entry in _ENTRIES.items() if entry.available(name)}


@cache
def read_by_name(name: str, data_folders: str | None) -> Graph:
    """``data_folders`` is DEGNN_DATA's value: when that changes, the files are looked for again."""
    entry = _ENTRIES[name]
    return _KINDS[entry.kind][0](name).with_title(entry.title)


# ---- files that are not ours to ship ------------------------------------------------------------


def data_folders() -> list[Path]:
    """The folders named by the environment variable ``DEGNN_DATA``, separated by ``os.pathsep``."""
    return [Path(name).expanduser() for name in os.environ.get("DEGNN_DATA", "").split(os.pathsep) if name]


def cache_folder() -> Path:
    """The folder in the user's cache directory where downloads are kept; it need not exist yet."""
    import platformdirs

    return platformdirs.user_cache_path("degnn_explore", appauthor=False)


def _fetch(name: str, base_url: str, sha256: dict[str, str]) -> Path:
    """The file of this name, one of those in ``sha256``: from DEGNN_DATA, the cache or the internet."""
    import pooch

    local = next((folder / name for folder in data_folders() if os.path.isfile(folder / name)), None)
    if local is not None:
        if not _is_right(local, sha256):
            raise GraphError(
                f"{local} is not the expected file: its SHA-256 is not {sha256[name]}. Replace it with "
                f"{base_url}{name}, or delete it so that it is downloaded."
            )
        return local
    pooch.get_logger().setLevel("WARNING")
    files = pooch.create(cache_folder(), base_url, registry=sha256)
    try:
        return Path(files.fetch(name, downloader=pooch.HTTPDownloader(timeout=TIMEOUT, progressbar=True)))
    except (OSError, ValueError) as error:  # no internet, a locked folder; a file with another SHA-256
        folder = (data_folders() or [cache_folder()])[0]
        reason = str(error).strip().partition("\n")[0][:300]
        raise GraphError(
            f"{base_url}{name} could not be downloaded ({type(error).__name__}: {reason}). Try again; or get the file "
            f"on a machine with internet and put it into the folder {folder} (or into any folder, named by the "
            "environment variable DEGNN_DATA)."
        ) from error


def _is_right(path: Path, sha256: dict[str, str]) -> bool:
    import pooch

    try:
        return bool(pooch.file_hash(str(path)) == sha256[path.name])
    except OSError:
        return False


def _is_here(name: str, sha256: dict[str, str]) -> bool:
    """Whether :func:`_fetch` would find the right file without the internet."""
    files = [folder / name for folder in (*data_folders(), cache_folder()) if os.path.isfile(folder / name)]
    return bool(files) and _is_right(files[0], sha256)


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
    edges_file, labels_file = (_fetch(file, STRUC2VEC_URL, AIRPORTS) for file in _airport_files(name))
    edges = np.loadtxt(edges_file, dtype=np.int64)  # [m, 2]
    table = np.loadtxt(labels_file, dtype=np.int64, skiprows=1)  # [n, 2]
    ids, labels = table[np.argsort(table[:, 0])].T
    return Graph.from_edges(np.searchsorted(ids, edges), len(ids), names=ids.tolist(), labels=labels)


def _airport_files(name: str) -> tuple[str, str]:
    return f"{name}.edgelist", f"labels-{name}.txt"


# How each kind of source is read, and whether it is there without the internet.
_KINDS: dict[str, tuple[Callable[[str], Graph], Callable[[str], bool]]] = {
    "shipped": (_embedded, lambda name: shipped(name) is not None),
    "networkx": (_from_networkx, lambda name: True),
    "airports": (_airports, lambda name: all(_is_here(file, AIRPORTS) for file in _airport_files(name))),
}


# ---- the entries --------------------------------------------------------------------------------

_LICENSES = {
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
    license: str
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
