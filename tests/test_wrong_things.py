"""Wrong things that a newcomer does, and what each is told: the table reads like documentation.

A row: what is done, how, the error it must end in, and a pattern that its message must match. A message says what
was given, what was expected and what to do; it is one of our own errors, never a traceback from inside a library.
"""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch
from torch_geometric.data import HeteroData

import degnn_explore as de
from degnn_explore import GraphError, ParameterError, TargetError
from degnn_explore.cli import main
from degnn_explore.pyg import AddDistanceEncoding, TargetSetLoader
from degnn_explore.studies.comparison import compare_runs
from degnn_explore.studies.race import Race, RaceSetup
from degnn_explore.studies.runs import Run
from degnn_explore.views.static_html import save as save_page

Row = tuple[str, Callable[[], object], type[Exception], str]


class Exit(Exception):
    """What the command says on stderr when it ends with an exit code other than 0."""


def file(name: str, content: str | bytes = b"") -> Path:
    """A file of this name in a folder of its own, which goes when the test ends."""
    path = Path(tempfile.mkdtemp(dir=FOLDER[-1])) / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def papers() -> Path:
    """A file with PyG's graph of several kinds of nodes."""
    torch.save(PAPERS, path := file("papers.pt"))
    return path


def lesson(G: de.Graph | None = None, S: Sequence[int] = (), preset: str | None = None, **options: Any) -> Path:
    """The Explorer as a page."""
    return de.Explorer(None if G is None else (G, S), preset=preset).page(file("lesson.html"), **options)


def small() -> de.Study:
    """A study of one quick run."""
    return de.study(graphs="karate", models=["Adamic-Adar"], seeds=1, store=tempfile.mkdtemp(dir=FOLDER[-1]))


def shell(*arguments: object) -> None:
    """``degnn-explore`` with these arguments."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as end:  # from argparse
            code = end.code
    if code:
        raise Exit(said.getvalue())


def raced(graph: str = "karate", task: str = "links", models: Sequence[str] = ("GCN",), **more: Any) -> None:
    """A race of these models."""
    Race(RaceSetup(de.load(graph), task, models, **more), de.Store("runs"))


def two_graphs() -> list[Run]:
    """Finished runs on two graphs of one name."""
    return [Run(digest, "mine", "links", "GCN", digest=digest, test=0.5) for digest in ("1f", "2e")]


def own(name: str = "mine", fn: Any = lambda near: near.distance, columns: Any = ("x",), **more: Any) -> None:
    """An encoding of one's own."""
    de.encoding(name, fn, columns=columns, **({"max_dist": 3} | more))


def wide() -> de.Encoding:
    """An encoding of a hundred columns."""
    return de.encoding(
        "wide", lambda near: near.walks, columns=[f"{k} steps" for k in range(100)], max_dist=1, walks=99
    )


def links_of(task: de.Task) -> None:
    """Missing links near node 0, with no model."""
    de.missing_links({}, task, [0])


FOLDER: list[str] = []
KARATE = de.load("karate")
FRAME = pd.DataFrame({"a": ["x", "y"], "b": ["y", None]})
FRIENDS = de.Graph.from_edges([("ana", "ben"), ("ben", "cai")])
FROM_1 = de.Graph.from_edges([("1", "2"), ("2", "3")])  # as a file whose ids begin with 1
LONG = de.zoo.cycle(3_000)
PAPERS = HeteroData(
    {"paper": {"x": torch.ones(2, 1)}, ("paper", "cites", "paper"): {"edge_index": torch.eye(2).long()}}
)
NAN = float("nan")
HALF = '{"nodes": [{"id": "\\ud800"}], "edges": []}'
JPG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01" + bytes(64)

GRAPHS: list[Row] = [
    ("a node beyond the last", lambda: KARATE.neighbors(99), TargetError, r"Node 99 is not in the graph"),
    ("an edge to a node beyond the last", lambda: de.Graph.from_edges([(0, 5)], 3), GraphError, r"node 5.*are 0..2"),
    ("an id in place of a number", lambda: FROM_1.has_edge(1, 2), TargetError, r"1 could mean a node called '1' .*or"),
    ("a typo in a node's name", lambda: FRIENDS.neighbors("anna"), TargetError, r"'anna'. Did you mean 'ana'"),
    ("pairs without brackets", lambda: KARATE.has_edges((0, 1)), TargetError, r"written \[\(u, v\), .*not \(0, 1\)"),
    ("a fraction as a node", lambda: KARATE.target_set(1.5), TargetError, r"a node or several nodes, not 1.5"),
    ("a billion nodes", lambda: de.Graph.from_edges([(0, 1)], 10**9), GraphError, r"too many: .* at most 20,000,000"),
    ("large ids as numbers", lambda: de.Graph.from_edges([(7, 10**12)]), GraphError, r"too many.*give them as text"),
    ("neither edges nor nodes", lambda: de.Graph.from_edges([]), GraphError, r"at least one node; give num_nodes"),
    ("triples as edges", lambda: de.Graph.from_edges([(0, 1, 5)]), GraphError, r"edge is a pair of nodes, not \(0"),
    ("a label too few", lambda: FRIENDS.with_labels([0, 1]), GraphError, r"one entry for each of the 3 nodes"),
    ("words as labels", lambda: FRIENDS.with_labels(["a", "b", "c"]), GraphError, r"labels must be whole numbers"),
    ("a label of 2^64 - 1", lambda: FRIENDS.with_labels([0, 1, 2**64 - 1]), GraphError, r"for none, not 18446744"),
    (
        "nan among attributes",
        lambda: FRIENDS.with_attributes([[0], [1], [NAN]]),
        GraphError,
        r"node 2 are .nan.*finite",
    ),
    ("a column that is not there", lambda: FRIENDS.with_attributes(["age"]), GraphError, r"No column 'age'"),
    ("a regular graph that cannot be", lambda: de.zoo.random_regular(5, 3), ParameterError, r"must be even; try n=6"),
    ("a graph of 10^400 nodes", lambda: de.zoo.cycle(10**400), ParameterError, r"n must be a whole number .*e\+400"),
]
PYG: list[Row] = [
    ("nodes of several kinds", lambda: de.Graph.from_pyg(PAPERS), GraphError, r"types \['paper'\].*to_homogeneous"),
    ("several kinds, explored", lambda: de.Explorer(PAPERS), GraphError, r"HeteroData.*one type. Take one relation"),
    ("several kinds in a task", lambda: de.link_task(PAPERS), ParameterError, r"not HeteroData; make one with"),
    (
        "several kinds in a list of tasks",
        lambda: de.build("GCN", [PAPERS]),
        ParameterError,
        r"not list. Several graphs are one task",
    ),
    (
        "a network without its task",
        lambda: de.PyGModel(torch.nn.Linear(1, 1)),
        ParameterError,
        r"Give its task, de.PyG",
    ),
    ("several kinds in a loader", lambda: TargetSetLoader(PAPERS, [{0}]), GraphError, r"HeteroData.*one type"),
    (
        "several kinds in a transform",
        lambda: AddDistanceEncoding(de.SPD(), 0)(PAPERS),
        GraphError,
        r"HeteroData.*one type",
    ),
    ("several kinds to the engine", lambda: de.blocks(PAPERS, [{0}], layers=1), ParameterError, r"not HeteroData; ma"),
    ("several kinds, asked how far", lambda: de.set_distance(PAPERS, [{0}]), ParameterError, r"not HeteroData; make"),
    (
        "PyG's data to networkx",
        lambda: de.Graph.from_networkx(PAPERS),
        GraphError,
        r"not HeteroData; use from_pyg for PyG",
    ),
    ("a list in place of PyG's data", lambda: de.Graph.from_pyg([(0, 1)]), GraphError, r"torch_geometric.*, not list"),
    ("no encoding to add", lambda: AddDistanceEncoding("SPD", 0), ParameterError, r"such as de.SPD\(3\), not 'SPD'"),
    (
        "pairs as columns",
        lambda: TargetSetLoader(KARATE, torch.zeros(2, 9), [1] * 9),
        TargetError,
        r"edge_label_index\.t",
    ),
    ("a label too few", lambda: TargetSetLoader(KARATE, [{0}, {1}], [1]), TargetError, r"2 target sets and 1 labels"),
    ("words as labels", lambda: TargetSetLoader(KARATE, [{0}], ["a"]), ParameterError, r"numbers, a row for each set"),
    ("a sampler", lambda: TargetSetLoader(KARATE, [{0}], sampler=[0]), ParameterError, r"makes the 'sampler' itself"),
    ("batches of none", lambda: TargetSetLoader(KARATE, [{0}], batch_size=0), ParameterError, r"batch_size .* least 1"),
]
READING: list[Row] = [
    ("nodes of several kinds in a file", lambda: de.read_graph(papers()), GraphError, r"papers\.pt.*to_homogeneous"),
    ("a file that is not there", lambda: de.read_graph("nowhere.csv"), GraphError, r"nowhere\.csv.*no such file"),
    ("a word for progress", lambda: de.read_graph("e.csv", progress="yes"), ParameterError, r"a function of \(what"),
    ("an empty CSV", lambda: de.read_graph(file("empty.csv")), GraphError, r"empty"),
    ("a picture", lambda: de.read_graph(file("cat.jpg", JPG)), GraphError, r"cat\.jpg"),
    ("a typo in the name of a graph", lambda: de.load("celegan"), ParameterError, r"Did you mean 'celegans'"),
    ("an address on the web", lambda: de.read_graph("https://x.org/e.csv"), GraphError, r"download the file first"),
    ("no name of a file", lambda: de.read_graph(None), ParameterError, r"path must be a file's name, .*not None"),
    (
        "labels of no file",
        lambda: de.read_graph(FRAME, labels=3),
        ParameterError,
        r"a file's name or a DataFrame, not 3",
    ),
    ("a summary of nothing", lambda: de.summary(7), ParameterError, r"a DataFrame of edges, or a graph of .*not 7"),
    ("a summary up to no distance", lambda: de.summary("karate", max_dist=0), ParameterError, r"max_dist must be .*0"),
    ("a folder without a graph", lambda: de.read_graph(file("a.txt").parent), GraphError, r"nodes\.csv and edges\.csv"),
    ("a device", lambda: de.read_graph("/dev/zero"), GraphError, r"a pipe, a socket or a device; expected a file"),
    ("a spreadsheet", lambda: de.read_graph(file("e.xlsx", b"PK")), GraphError, r"'\.xlsx'; expected one of.*format="),
    ("a format of no name", lambda: de.read_graph(file("e", "0 1"), format="text"), ParameterError, r"format='text'"),
    ("one column", lambda: de.read_graph(file("e.csv", "0\n1\n")), GraphError, r"line 1: one column.*expected two"),
    ("Latin-1", lambda: de.read_graph(file("e.csv", b"a,\xe9\n")), GraphError, r"0xe9 is not UTF-8 text.*saved as"),
    ("a file cut off", lambda: de.read_graph(file("e.csv.gz", b"\x1f\x8b\x08")), GraphError, r"cannot be read"),
    ("half a letter", lambda: de.read_graph(file("g.json", HALF)), GraphError, r"surrogate|half"),
    (
        "a MATLAB file of the newest kind",
        lambda: de.read_graph(file("g.mat", b"\x89HDF\r\n\x1a\n" + bytes(600))),
        GraphError,
        r"is not MATLAB.*saved with -v7",
    ),
]
ENCODINGS: list[Row] = [
    ("a negative distance", lambda: de.SPD(-1), ParameterError, r"max_dist.*-1"),
    ("no target at all", lambda: de.SPD(3).encode(KARATE, []), TargetError, r"empty"),
    ("the same target twice", lambda: de.SPD(3).encode(KARATE, [1, 1]), TargetError, r"twice"),
    ("a teleport of 1", lambda: de.PageRank(alpha=1.0), ParameterError, r"alpha.*1\.0"),
    ("a billion distances", lambda: de.SPD(10**9), ParameterError, r"max_dist.*from 0 to 1,000,000, not 1000000000"),
    ("a billion steps", lambda: de.LandingProbability(10**9), ParameterError, r"steps.*to 1,000,000"),
    ("columns past all memory", lambda: de.SPD(10**6).encode(LONG, 0), ParameterError, r"1,000,002 .* 24.0 GB, more"),
    ("DRNL of one node", lambda: de.DRNL(3).encode(KARATE, 0), TargetError, r"defined for pairs; .* 1 node\. Use SPD"),
    ("a list in place of a graph", lambda: de.SPD(3).encode([(0, 1)], 0), ParameterError, r"needs a degnn_.*not list"),
]
EXPRESSIVE: list[Row] = [
    (
        "a method that is not there",
        lambda: de.distinguish((KARATE, 0), (KARATE, 1), method="3-WL"),
        ParameterError,
        r"method='3-WL' is not known; choose one of.*Did you mean '[12]-WL'",
    ),
    (
        "a number as a method",
        lambda: de.distinguish(KARATE, KARATE, 3),
        ParameterError,
        r"a name .* or an encoding, not 3",
    ),
    (
        "DRNL of one node",
        lambda: de.distinguish(KARATE, KARATE, de.DRNL(2)),
        TargetError,
        r"for pairs; .* 1 node. Use SPD",
    ),
    (
        "numbers by the billion",
        lambda: de.distinguish(LONG, LONG, wide()),
        ParameterError,
        r"'wide'.* of 3,000 target sets on 3,000 nodes takes 28.8 GB to compare, more than 2.0 GB. Take fewer sets",
    ),
    ("sets of different sizes", lambda: de.distinguish((KARATE, 0), (KARATE, [1, 2])), TargetError, r"1 and 2 nodes"),
    ("a set and a graph", lambda: de.distinguish((KARATE, 0), KARATE), TargetError, r"whole graph.*on both"),
    ("a graph and a set", lambda: de.distinguish((KARATE, None), (KARATE, 0)), TargetError, r"whole graph.*on both"),
    ("no target at all", lambda: de.distinguish((KARATE, []), (KARATE, [])), TargetError, r"empty"),
    ("a number as a side", lambda: de.distinguish((KARATE, 0), 7), TargetError, r"\(Graph, target set\), not 7"),
    ("fewer layers than none", lambda: de.distinguish(KARATE, KARATE, layers=-1), ParameterError, r"layers.*-1"),
    ("the order of sets", lambda: de.distinguish((KARATE, 0), (KARATE, 1), order=2), ParameterError, r"whole graphs"),
    ("the order of 2-WL", lambda: de.distinguish(KARATE, KARATE, "2-WL", order=1), ParameterError, r"with 2-WL"),
    ("an order of nothing", lambda: de.distinguish(KARATE, KARATE, order=0), ParameterError, r"order.*not 0"),
    ("a typo in an order", lambda: de.distinguish(KARATE, KARATE, order="edge"), ParameterError, r"order.*'edge'"),
    ("larger sets than graphs", lambda: de.distinguish(KARATE, KARATE, order=35), ParameterError, r"no such set"),
    (
        "more attributes on one side",
        lambda: de.distinguish((KARATE, 0), (KARATE.with_attributes(range(34)), 0), attributes=True),
        GraphError,
        r"different numbers of attributes, \[0, 1\]",
    ),
    ("no hop at all", lambda: de.colors(KARATE, hops=0), ParameterError, r"hops.*not 0"),
    ("cut without a set", lambda: de.unroll(KARATE, 0, 1, cut=True), ParameterError, r"cut=True.*no S was given"),
    (
        "trees of two depths",
        lambda: de.compare(*(de.unroll(KARATE, 0, k) for k in (1, 2))),
        TargetError,
        r"1 and 2 lay",
    ),
    ("a name for an encoding", lambda: de.colors(KARATE, 0, "SPD"), ParameterError, r"such as de\.SPD\(3\).*'SPD'"),
    ("an encoding without targets", lambda: de.colors(KARATE, encoding=de.SPD(3)), ParameterError, r"give S as well"),
    ("a billion layers", lambda: de.colors(KARATE, layers=10**9), ParameterError, r"layers.*from 0 to 100,000"),
    ("layers past all memory", lambda: de.colors(LONG, layers=10**5), ParameterError, r"take 2\.4 GB.*fewer layers"),
    ("a tree past all memory", lambda: de.unroll(KARATE, 0, 99), GraphError, r"more than 20,000 nodes.*merge=True"),
    ("a tree of no depth", lambda: de.unroll(KARATE, 0, -1), ParameterError, r"layers.*not -1"),
    ("a tree of any depth", lambda: de.unroll(KARATE, 0, None), ParameterError, r"layers.*not None"),
    ("another library's", lambda: de.zoo.is_distance_regular(KARATE.to_networkx()), ParameterError, r"needs a .*Graph"),
    ("a list of info", lambda: KARATE.with_info([1] * 34), GraphError, r"info must be a dict of columns"),
    (
        "2-WL of long paths",
        lambda: de.distinguish(LONG, LONG, "2-WL"),
        ParameterError,
        r"3,000 nodes.*about 18 minutes",
    ),
    ("walks on long paths", lambda: de.distinguish(LONG, LONG, "DE-LP"), ParameterError, r"6,000 steps.*4,096 nodes"),
    ("sets by the million", lambda: de.distinguish(LONG, LONG, order=3), ParameterError, r"4,495,501,000 sets.*lower"),
    (
        "hops without DEA",
        lambda: de.distinguish((KARATE, 0), (KARATE, 1), hops=2),
        ParameterError,
        r"option of DEA-SPD",
    ),
]
ENGINE: list[Row] = [
    ("sets of one node and of two", lambda: de.blocks(KARATE, [[0], [1, 2]], layers=2), TargetError, r"of one size"),
    (
        "one set instead of a list of sets",
        lambda: de.blocks(KARATE, 7, layers=2),
        TargetError,
        r"a list of target sets",
    ),
    ("a set that names a node twice", lambda: de.blocks(KARATE, [(3, 3)], layers=2), TargetError, r"Node 3 .*twice"),
    ("a billion layers", lambda: de.blocks(KARATE, [(0, 1)], layers=10**9), ParameterError, r"layers must .* 1 to 100"),
    ("no hops", lambda: de.ego_networks(KARATE, [(0, 1)], hops=0), ParameterError, r"hops must .* from 1 to 100"),
    (
        "a billion threads",
        lambda: de.blocks(KARATE, [(0, 1)], layers=2, num_threads=10**9),
        ParameterError,
        r"num_threads must be a whole number from 1 to 1,024",
    ),
    (
        "the name of an encoding for the encoding",
        lambda: de.blocks(KARATE, [(0, 1)], layers=2, encoding="SPD"),
        ParameterError,
        r"encoding must be one such as de.SPD\(3\), or None, not 'SPD'",
    ),
    (
        "an encoding without name",
        lambda: own(name=""),
        ParameterError,
        r"name='' cannot name an encoding; use up to 40",
    ),
    ("an encoding called DE-x", lambda: own(name="DE-x"), ParameterError, r"'DE-x' looks like a model or a"),
    ("an encoding called SPD", lambda: own(name="spd"), ParameterError, r"'spd' is an encoding of this library"),
    ("an encoding without columns", lambda: own(columns=None), ParameterError, r"columns must be a list of different"),
    ("two columns of one name", lambda: own(columns=["a", "a"]), ParameterError, r"columns must .* not \['a', 'a'\]"),
    ("a column too many", lambda: own(columns=["a", "b"]), ParameterError, r"shape \[2\] for 2 pairs and 2 columns"),
    ("walks of -1 steps", lambda: own(walks=-1), ParameterError, r"walks must be a whole number from 0 to 1,000"),
    ("a distance of 0", lambda: own(max_dist=0), ParameterError, r"max_dist must be a whole number from 1 to"),
    ("ζ that is not pooled", lambda: own(pool=None), ParameterError, r"pool=None is not known; choose one of 'mean'"),
    ("ζ that is a number", lambda: own(fn=3), ParameterError, r"fn must be a function of near, .* not 3"),
    ("columns of the long form", lambda: own(fn=de.PageRank()), ParameterError, r"PageRank declares its own columns"),
    (
        "DE-GNN without ζ",
        lambda: de.build("DE-GNN", de.link_task(KARATE)),
        ParameterError,
        r"build\('DE-GNN'\) needs encoding=, one made by de.encoding\(...\), or e.g. de.SPD\(3\), not None",
    ),
    (
        "GCN with ζ",
        lambda: de.build("GCN", de.link_task(KARATE), encoding=de.SPD(3)),
        ParameterError,
        r"'GCN' takes no encoding=; it is for 'DE-GNN' and 'DEA-GNN'",
    ),
    (
        "DE-GNN with ζ that has no name",
        lambda: de.build("DE-GNN", de.link_task(KARATE), encoding=de.PageRank()),
        ParameterError,
        r"PageRank\(.*\) is not registered .*; give it a name first: z = de.encoding\(\"name\", ...\)",
    ),
    (
        "a model whose ζ is not registered",
        lambda: de.build("DE-GNN-mine", de.link_task(KARATE)),
        ParameterError,
        r"DE-GNN-mine needs the encoding 'mine', and none is registered under this name here; run the cell with",
    ),
    (
        "labels of pairs for triples",
        lambda: de.ego_networks(KARATE, [(0, 1, 2)], hops=1, encoding=de.DRNL()),
        TargetError,
        r"defined for pairs",
    ),
    (
        "walks so long that one ego-network fills the memory",
        lambda: de.ego_networks(KARATE, [(0, 1)], hops=3, encoding=de.LandingProbability(999_999), budget=10**8),
        ParameterError,
        r"single target set would take .* MB, more than the 100 MB",
    ),
]
LINKS = de.link_task(KARATE)


def built(name: str = "GCN", **hyper: object) -> object:
    return de.build(name, LINKS, **hyper)


def fitted(**options: object) -> object:
    return list(de.fit(built(hidden=4), LINKS, **options))


LEARN: list[Row] = [
    ("roles of a graph without labels", lambda: de.role_task(de.load("celegans")), GraphError, r"label"),
    ("links of a triangle", lambda: de.link_task(de.zoo.cycle(3)), TargetError, r"too dense.*Use max_positives="),
    ("triangles of a ring", lambda: de.triangle_task(LONG), TargetError, r"0 triangles, too few .*at least 3"),
    ("a protocol of another name", lambda: de.link_task(KARATE, protocol="papr"), ParameterError, r"mean 'paper'"),
    (
        "a number as protocol",
        lambda: de.link_task(KARATE, protocol=1),
        ParameterError,
        r"names from de.leaks\(\), not 1",
    ),  # type: ignore[arg-type]
    (
        "links held out of roles",
        lambda: de.role_task(KARATE, protocol="negatives_repeat"),
        ParameterError,
        r"is for links and triangles, and this task is of roles",
    ),
    ("shares that are not 1", lambda: de.link_task(KARATE, split=(8, 1, 1)), ParameterError, r"add up to 1"),
    ("a set asked twice", lambda: de.set_task(KARATE, [(0, 1), (1, 0)], [0, 1]), TargetError, r"is given twice"),
    ("sets of two sizes", lambda: de.set_task(KARATE, [(0,), (0, 1)], [0, 1]), TargetError, r"sizes \[1, 2\]"),
    ("classes of one set", lambda: de.set_task(KARATE, [0, 1], ["a", "b"]), TargetError, r"1 sets of class a, too few"),
    ("a typo in the name of a model", lambda: built("DE-GNN-SDP"), ParameterError, r"Did you mean 'DE-GNN-SPD'"),
    ("a graph in place of a task", lambda: de.build("GCN", KARATE), ParameterError, r"needs a task, such as de.link"),
    ("a setting of another model", lambda: built(max_dist=3), ParameterError, r"hyperparameter of GCN='max_dist'"),
    ("no layers", lambda: built(layers=0), ParameterError, r"layers must be a whole number from 1 to 100, not 0"),
    ("all of it dropped", lambda: built(dropout=1), ParameterError, r"dropout must be a number from 0 to below 1"),
    ("a million channels", lambda: built(hidden=10**6), ParameterError, r"takes 64,000.1 GB to train, and this"),
    (
        "walks that no memory holds",
        lambda: list(de.fit(built("struc2vec", length=10**9), LINKS)),
        ParameterError,
        r"struc2vec with .*length=1000000000.* takes about .* this machine has",
    ),
    ("SEAL for roles", lambda: de.build("SEAL", de.role_task(KARATE)), ParameterError, r"SEAL takes .* of 2 nodes"),
    ("no epochs", lambda: fitted(epochs=-1), ParameterError, r"epochs.*-1"),
    ("half an epoch", lambda: fitted(epochs=0.5), ParameterError, r"epochs must be a whole number .*not 0.5"),
    ("a billion threads", lambda: fitted(num_threads=10**9), ParameterError, r"num_threads .*from 1 to 256"),
    (
        "a rate in words",
        lambda: fitted(learning_rate="large"),
        ParameterError,
        r"learning_rate must be a positive number",
    ),
    ("a device of another machine", lambda: fitted(device="cuda:99"), ParameterError, r"use 'auto' or 'cpu'"),
    ("an optimizer with a typo", lambda: fitted(optimizer="adma"), ParameterError, r"Did you mean 'adam'"),
    ("a rate below zero", lambda: fitted(learning_rate=-1), ParameterError, r"must be a positive number, not -1"),
    ("a folder as a checkpoint", lambda: fitted(checkpoint=FOLDER[-1]), ParameterError, r"is a folder; give the name"),
    (
        "a link formula for nodes",
        lambda: de.build("Katz", de.role_task(KARATE)),
        ParameterError,
        r"sets of 2 or 3 nodes",
    ),
    ("a damping that diverges", lambda: de.build("Katz", LINKS, damping=1.5), ParameterError, r"damping"),
    ("tuning a graph", lambda: de.tune(KARATE), ParameterError, r"tune needs a task"),
    ("tuning no time", lambda: de.tune(LINKS, ["Katz"], minutes=0), ParameterError, r"minutes must be"),
    ("tuning no model", lambda: de.tune(LINKS, []), ParameterError, r"No model is chosen"),
    ("tuning what there is not", lambda: de.tune(LINKS, ["Kats"]), ParameterError, r"Katz"),
    ("a class in place of a model", lambda: de.fit(de.Graph, LINKS), ParameterError, r"needs a model made by de.build"),
    ("sets of another size", lambda: de.predict(built(), KARATE, [{0, 1, 2}]), ParameterError, r"judges sets of 2"),
    ("no sets", lambda: de.predict(built(), KARATE, []), ParameterError, r"no set was given"),
    (
        "explaining what is no model",
        lambda: de.explain("GCN", KARATE, {0, 1}),
        ParameterError,
        r"explain needs a model",
    ),
    ("explaining no edges", lambda: de.explain(built(), KARATE, {0, 1}, most=0), ParameterError, r"most .*0"),
    ("explaining three nodes of two", lambda: de.explain(built(), KARATE, {0, 1, 2}), ParameterError, r"sets of 2"),
    ("PGNN before it is trained", lambda: de.predict(built("PGNN"), KARATE, [{0, 1}]), ParameterError, r"run de.fit"),
    ("nothing to summarize", lambda: de.summarize([]), ParameterError, r"no epochs to summarize; run de.fit"),
    ("no file of a model", lambda: de.load_model(None), ParameterError, r"is the path of a file, not None"),
    ("a model file that is none", lambda: de.load_model(file("m", JPG)), ParameterError, r"read as a saved model"),
    (
        "a model saved into nowhere",
        lambda: de.save(built(), "no/such/m"),
        ParameterError,
        r"no folder .* make it first",
    ),
]
STUDY: list[Row] = [
    ("a race of no model", lambda: raced(models=[]), ParameterError, r"No model is chosen; choose at least one"),
    ("a study of nothing", lambda: de.study(models=["GCN"]), ParameterError, r"needs a file, graphs or a task"),
    ("a study without models", lambda: de.study(graphs="karate"), ParameterError, r"models: a list with at least"),
    (
        "a word for workers",
        lambda: small().run("many"),
        ParameterError,
        r"workers='many' cannot be used: expected a whole number of processes, the address of a Dask scheduler",
    ),
    ("a list of workers", lambda: small().run(["tcp://a:1"]), ParameterError, r"or a dask.distributed.Client"),
    ("half a worker", lambda: small().run(0.5), ParameterError, r"workers must be a whole number of at least 1, not"),
    (
        "a protocol that no cluster speaks",
        lambda: small().run("http//:x://"),
        ParameterError,
        r"No Dask scheduler answ",
    ),
    ("a study that is not there", lambda: de.study("no.toml"), ParameterError, r"no study 'no.toml' here"),
    ("a study of no name", lambda: de.study("tabel1"), ParameterError, r"one of demo, .*leaks, table1\."),
    ("more seeds than 20", lambda: raced(seeds=21), ParameterError, r"seeds must be at most 20, not 21"),
    ("roles without labels", lambda: raced("celegans", "roles"), GraphError, r"needs labeled nodes"),
    ("a task that is not there", lambda: raced("karate", "link"), ParameterError, r"Did you mean 'links'"),
    ("a typo in an option", lambda: raced(options={"learnin_rate": 1}), ParameterError, r"mean 'learning_rate'"),
    ("a seed among the options", lambda: raced(options={"seed": 3}), ParameterError, r"options may not name 'seed'"),
    ("a setting no model has", lambda: raced(settings={"max_dist": 3}), ParameterError, r"'max_dist'"),
    ("a file for a store", lambda: de.Store(file("n.txt", "milk")), ParameterError, r"n.txt is a file; name a folder"),
    ("runs as a spreadsheet", lambda: de.Store("s").export("a.xls"), ParameterError, r"choose one of '.jsonl', '.csv'"),
    ("a typo in a column", lambda: de.Store("s").runs(modle="GCN"), ParameterError, r"Did you mean 'model'"),
    ("runs of two graphs", lambda: compare_runs(two_graphs()), ParameterError, r"answer 2 different questions"),
    ("nothing to compare", lambda: compare_runs([]), ParameterError, r"no finished run to compare; train at least"),
    ("missing links of roles", lambda: links_of(de.role_task(KARATE)), TargetError, r"of 1; train models on links"),
    ("missing links by nobody", lambda: links_of(de.link_task(KARATE)), ParameterError, r"No trained model yet"),
]
EXPLORER: list[Row] = [
    ("a file that is not there", lambda: de.Explorer("karat.csv"), GraphError, r"karat.csv: there is no such file"),
    ("a number in place of a graph", lambda: de.Explorer(34), TargetError, r"not 34; a graph is a Graph, one of netw"),
    ("a list in place of a pair", lambda: de.Explorer([KARATE, [0]]), TargetError, r"a pair \(graph, target set\)"),
    ("three things in a pair", lambda: de.Explorer((KARATE, [0], 3)), TargetError, r"a pair \(graph, target set\)"),
    ("a number that is no node", lambda: de.Explorer((KARATE, 5.0)), TargetError, r"a node or several nodes, not 5\.0"),
    ("a target that is not there", lambda: de.Explorer((KARATE, [99])), TargetError, r"Node 99.*0\.\.33"),
    ("a target twice", lambda: de.Explorer((KARATE, [0, 0])), TargetError, r"Node 0 occurs twice"),
    ("a graph and an example", lambda: de.Explorer(KARATE, preset="fig1"), ParameterError, r"not both"),
    ("a second graph alone", lambda: de.Explorer(b=KARATE), ParameterError, r"the first graph as well"),
    (
        "an example that is not there",
        lambda: de.Explorer(preset="fig9"),
        ParameterError,
        r"'fig9' is not known.*'fig1'",
    ),
    ("a tour that is not there", lambda: de.Explorer(tour="hexagons"), ParameterError, r"Did you mean 'hexagon'"),
    ("a typo in a coloring", lambda: de.Explorer(KARATE, color_by="SDP"), ParameterError, r"Did you mean 'SPD'"),
    ("a setting of another name", lambda: de.Explorer(KARATE, layers=2), ParameterError, r"Did you mean 'layer'"),
    ("more layers than are shown", lambda: de.Explorer(KARATE, layer=99), ParameterError, r"at most 6, not 99"),
    ("a map without coordinates", lambda: de.Explorer(KARATE, layout="geography"), ParameterError, r"'force'"),
    (
        "a side that is not there",
        lambda: setattr(de.Explorer(KARATE), "targets", [[0], [1]]),
        TargetError,
        r"There are 1 sides",
    ),
    ("a picture of nothing", lambda: de.Explorer(KARATE).svg("legend"), ParameterError, r"'graph', 'tree'"),
]
BOARD: list[Row] = [
    (
        "a page of another kind",
        lambda: save_page("lesson.pdf", ""),
        ParameterError,
        r"ends in \.html, not 'lesson\.pdf'",
    ),
    ("a page in no folder", lambda: save_page("no/where.html", ""), ParameterError, r"no folder 'no'.*make it first"),
    ("a typo in the name of a graph", lambda: de.TrainingBoard("karat"), ParameterError, r"Did you mean 'karate'"),
    ("a typo in a task", lambda: de.TrainingBoard("karate", "role"), ParameterError, r"Did you mean 'roles'"),
    ("a typo in a model", lambda: de.TrainingBoard("karate", models=["GNC"]), ParameterError, r"choose one of 'GCN'"),
    ("seeds as a text", lambda: de.TrainingBoard("karate", seeds="3"), ParameterError, r"seeds must be .*, not '3'"),
    ("a typo in a setting", lambda: de.TrainingBoard("karate", layer=2), ParameterError, r"Did you mean 'layers'"),
]
THEORY: list[Row] = [
    (
        "an empty file of pairs",
        lambda: de.theory.read_pairs(file("pairs.g6")),
        GraphError,
        r"pairs.g6: the file is empty",
    ),
    (
        "a pair without its partner",
        lambda: de.theory.read_pairs(file("pairs.g6", "ElEG\n")),
        GraphError,
        r"pairs\.g6, line 1: the last of the 1 graphs has no partner.*two lines make a pair",
    ),
    (
        "an edge list read as graph6",
        lambda: de.theory.read_pairs(file("edges.csv", "a,b\nb,c\n")),
        GraphError,
        r"edges\.csv, line 1: 'a' is not graph6",
    ),
    ("None in place of a file", lambda: de.theory.read_pairs(None), ParameterError, r"needs a file's name, not None"),
    (
        "a line of two and a line of one",
        lambda: de.theory.read_pairs(file("pairs.g6", "ElEG E{CW\nElEG\n")),
        GraphError,
        r"line 2: 1 graphs, but line 1 has 2",
    ),
    (
        "three graphs on a line",
        lambda: de.theory.read_pairs(file("pairs.g6", "ElEG E{CW ElEG\n")),
        GraphError,
        r"pairs\.g6, line 1: 3 graphs; expected two on every line",
    ),
    (
        "one size in place of several",
        lambda: de.theory.theorem_3_3(20),
        ParameterError,
        r"such as sizes=\[20, 40\], not 20",
    ),
    ("a typo in a precision", lambda: de.theory.theorem_3_3([4], networks="float16"), ParameterError, r"'float32'"),
    ("a typo in an activation", lambda: de.theory.RandomNetwork(activation="elu"), ParameterError, r"'relu'"),
    ("a typo in a model", lambda: de.theory.theorem_2_7(models=["GINN"]), ParameterError, r"Did you mean 'GIN'"),
    ("a typo in a category", lambda: de.theory.brec(categories=["CFY"]), ParameterError, r"Did you mean 'CFI'"),
    ("more regular than complete", lambda: de.theory.regular_graphs(4, 4), ParameterError, r"less than n"),
    ("more graphs than are known", lambda: de.theory.regular_graphs(12, 3), ParameterError, r"up to 10 nodes, not 12"),
    ("more nodes than the atlas", lambda: de.theory.small_family(8), ParameterError, r"up to 7 nodes, not 8"),
    ("no pair to compare", lambda: de.theory.scoreboard({"mine": [(KARATE,)]}), ParameterError, r"no pair"),
    (
        "a cubic graph of 11 nodes",
        lambda: de.theory.theorem_3_3([10, 11]),
        ParameterError,
        r"n·r = 33 must be even; try n=12",
    ),
    ("a billion layers", lambda: de.theory.theorem_3_3(layers=10**9), ParameterError, r"layers.*1 to 1,000, not 10{9}"),
    (
        "a typo in the name of a family",
        lambda: de.theory.scoreboard(["strong regular"]),
        ParameterError,
        r"Did you mean 'strongly regular'",
    ),
    (
        "a graph in place of families",
        lambda: de.theory.scoreboard(KARATE),
        ParameterError,
        r"names of families.*not a Graph",
    ),
    (
        "a pair of graphs without target sets",
        lambda: de.theory.theorem_2_7({"mine": (KARATE, KARATE)}),
        ParameterError,
        r"'mine' needs two \(graph, target set\), not",
    ),
    (
        "walks in a graph that is not distance-regular",
        lambda: de.theory.walk_counts(KARATE),
        GraphError,
        r"not distance-regular: nodes 1 and 2",
    ),
    ("the name of a graph in place of it", lambda: de.theory.walk_counts("karate"), ParameterError, r"Graph, not str"),
    (
        "a plot saved as a photograph",
        lambda: de.theory.corollary_3_8([1]).save("plot.jpg"),
        ParameterError,
        r"ends in '\.jpg'.*\.html, \.png, \.svg or \.pdf",
    ),
    (
        "a plot saved into a folder that is not there",
        lambda: de.theory.corollary_3_8([1]).save("nowhere/plot.html"),
        ParameterError,
        r"no folder nowhere; create it first",
    ),
]
CLI: list[Row] = [
    ("a typo in the name of a graph", lambda: shell("distinguish", "celegan", 0, 1), Exit, r"^degnn-expl.*celegans"),
    ("a node that is not there", lambda: shell("distinguish", "karate", 99, 0), Exit, r"99"),
    ("a command that is not there", lambda: shell("encod"), Exit, r"invalid choice: 'encod'"),
    (
        "a number where the file's ids are other numbers",
        lambda: shell("distinguish", file("edges.txt", "118 201\n201 305\n"), 0, 118),
        Exit,
        r"No node is called '0'",
    ),
    ("a file that is not there", lambda: shell("distinguish", "nowhere/g.csv", 0, 1), Exit, r"nowhere/g\.csv.*no such"),
    ("sets of different sizes", lambda: shell("distinguish", "karate", 0, "1,2"), Exit, r"1 and 2 nodes"),
    ("a method that is not there", lambda: shell("distinguish", "karate", 0, 1, "--method", "3-WL"), Exit, r"[12]-WL"),
]
ROOMS = {
    room: rows for room, rows in globals().items() if room.isupper() and isinstance(rows, list) and room != "FOLDER"
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Iterator[None]:
    FOLDER.append(str(tmp_path))
    yield
    FOLDER.pop()


@pytest.mark.parametrize(
    ("do", "error", "message"),
    [pytest.param(*row[1:], id=f"{room.lower()}: {row[0]}") for room, rows in ROOMS.items() for row in rows],
)
def test_wrong_thing_is_answered_in_words(do: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        do()
    assert re.search(message, str(raised.value), re.DOTALL), f"{message!r} is not in: {raised.value}"
