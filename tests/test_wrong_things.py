"""Wrong things that a newcomer does, and what each is told.

A row: what is done, the error it must end in, and a pattern that its message must match. A message says what was
given, what was expected and what to do; it is one of our own errors, never a traceback from inside a library.
"""

from __future__ import annotations

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
from degnn_explore import GraphError, ParameterError, TargetError, theory
from degnn_explore.pyg import AddDistanceEncoding, TargetSetLoader
from degnn_explore.studies.comparison import compare_runs
from degnn_explore.studies.race import Race, RaceSetup
from degnn_explore.studies.runs import Run
from degnn_explore.views.static_html import save as save_page

FOLDER: list[str] = []
KARATE = de.load("karate")
AGED = KARATE.with_attributes(range(34))
LINKS, ROLES = de.link_task(KARATE), de.role_task(KARATE)
FRAME = pd.DataFrame({"a": ["x", "y"], "b": ["y", None]})
FRIENDS = de.Graph.from_edges([("ana", "ben"), ("ben", "cai")])
FROM_1 = de.Graph.from_edges([("1", "2"), ("2", "3")])  # as a file whose ids begin with 1
LONG, LONG_WALKS = de.zoo.cycle(3_000), de.LandingProbability(999_999)
PAPERS = HeteroData(
    {"paper": {"x": torch.ones(2, 1)}, ("paper", "cites", "paper"): {"edge_index": torch.eye(2).long()}}
)
NAN = float("nan")
HALF = '{"nodes": [{"id": "\\ud800"}], "edges": []}'
JPG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01" + bytes(64)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Iterator[None]:
    FOLDER.append(str(tmp_path))
    yield
    FOLDER.pop()


def file(name: str, content: str | bytes = b"") -> Path:
    """A file of this name in a folder of its own, which goes when the test ends."""
    path = Path(tempfile.mkdtemp(dir=FOLDER[-1])) / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def papers() -> Path:
    """A file with PyG's graph of several kinds of nodes."""
    torch.save(PAPERS, path := file("papers.pt"))
    return path


def pairs(content: str) -> object:
    """Pairs of graphs from a file with these lines."""
    return theory.read_pairs(file("pairs.g6", content))


def blocked(sets: Any = ((0, 1),), layers: int = 2, **options: Any) -> object:
    return de.blocks(KARATE, sets, layers=layers, **options)


def egos(sets: Any = ((0, 1),), hops: int = 3, **options: Any) -> object:
    return de.ego_networks(KARATE, sets, hops=hops, **options)


def built(name: str = "GCN", **hyper: object) -> Any:
    return de.build(name, LINKS, **hyper)


def fitted(model: Any = None, **options: object) -> object:
    return list(de.fit(model or built(hidden=4), LINKS, **options))


def own(name: str = "mine", fn: Any = lambda near: near.distance, columns: Any = ("x",), **more: Any) -> None:
    """An encoding of one's own."""
    de.encoding(name, fn, columns=columns, **({"max_dist": 3} | more))


def wide() -> de.Encoding:
    """An encoding of a hundred columns."""
    columns = [f"{k} steps" for k in range(100)]
    return de.encoding("wide", lambda near: near.walks, columns=columns, max_dist=1, walks=99)


def small() -> de.Study:
    """A study of one quick run."""
    return de.study(graphs="karate", models=["Adamic-Adar"], seeds=1, store=tempfile.mkdtemp(dir=FOLDER[-1]))


def raced(graph: str = "karate", task: str = "links", models: Sequence[str] = ("GCN",), **more: Any) -> None:
    """A race of these models."""
    Race(RaceSetup(de.load(graph), task, models, **more), de.Store("runs"))


def two_graphs() -> list[Run]:
    """Finished runs on two graphs of one name."""
    return [Run(digest, "mine", "links", "GCN", digest=digest, test=0.5) for digest in ("1f", "2e")]


def links_of(task: de.Task) -> None:
    """Missing links near node 0, with no model."""
    de.missing_links({}, task, [0])


WRONG: list[tuple[Callable[[], object], type[Exception], str]] = [
    # ---- graphs
    (lambda: KARATE.neighbors(99), TargetError, r"Node 99 is not in the graph"),
    (lambda: de.Graph.from_edges([(0, 5)], 3), GraphError, r"node 5.*are 0..2"),
    (lambda: FROM_1.has_edge(1, 2), TargetError, r"1 could mean a node called '1' .*or"),
    (lambda: FRIENDS.neighbors("anna"), TargetError, r"'anna'. Did you mean 'ana'"),
    (lambda: KARATE.has_edges((0, 1)), TargetError, r"written \[\(u, v\), .*not \(0, 1\)"),
    (lambda: KARATE.target_set(1.5), TargetError, r"a node or several nodes, not 1.5"),
    (lambda: de.Graph.from_edges([(0, 1)], 10**9), GraphError, r"too many: .* at most 20,000,000"),
    (lambda: de.Graph.from_edges([(7, 10**12)]), GraphError, r"too many.*give them as text"),
    (lambda: de.Graph.from_edges([]), GraphError, r"at least one node; give num_nodes"),
    (lambda: de.Graph.from_edges([(0, 1, 5)]), GraphError, r"edge is a pair of nodes, not \(0"),
    (lambda: FRIENDS.with_labels([0, 1]), GraphError, r"one entry for each of the 3 nodes"),
    (lambda: FRIENDS.with_labels(["a", "b", "c"]), GraphError, r"labels must be whole numbers"),
    (lambda: FRIENDS.with_labels([0, 1, 2**64 - 1]), GraphError, r"for none, not 18446744"),
    (lambda: FRIENDS.with_attributes([[0], [1], [NAN]]), GraphError, r"node 2 are .nan.*finite"),
    (lambda: FRIENDS.with_attributes(["age"]), GraphError, r"No column 'age'"),
    (lambda: de.zoo.random_regular(5, 3), ParameterError, r"must be even; try n=6"),
    (lambda: de.zoo.cycle(10**400), ParameterError, r"n must be a whole number .*e\+400"),
    # ---- pyg
    (lambda: de.Graph.from_pyg(PAPERS), GraphError, r"types \['paper'\].*to_homogeneous"),
    (lambda: de.link_task(PAPERS), ParameterError, r"not HeteroData; make one with"),
    (lambda: de.build("GCN", [PAPERS]), ParameterError, r"not list. Several graphs are one task"),
    (lambda: de.PyGModel(torch.nn.Linear(1, 1)), ParameterError, r"Give its task, de.PyG"),
    (lambda: de.Graph.from_networkx(PAPERS), GraphError, r"not HeteroData; use from_pyg for PyG"),
    (lambda: de.Graph.from_pyg([(0, 1)]), GraphError, r"torch_geometric.*, not list"),
    (lambda: AddDistanceEncoding("SPD", 0), ParameterError, r"such as de.SPD\(3\), not 'SPD'"),
    (lambda: TargetSetLoader(KARATE, torch.zeros(2, 9), [1] * 9), TargetError, r"edge_label_index\.t"),
    (lambda: TargetSetLoader(KARATE, [{0}, {1}], [1]), TargetError, r"2 target sets and 1 labels"),
    (lambda: TargetSetLoader(KARATE, [{0}], ["a"]), ParameterError, r"numbers, a row for each set"),
    (lambda: TargetSetLoader(KARATE, [{0}], sampler=[0]), ParameterError, r"makes the 'sampler' itself"),
    (lambda: TargetSetLoader(KARATE, [{0}], batch_size=0), ParameterError, r"batch_size .* least 1"),
    (lambda: TargetSetLoader(KARATE, [{0}], num_workers=-1), ParameterError, r"num_workers .* least 0"),
    # ---- reading
    (lambda: de.read_graph(papers()), GraphError, r"papers\.pt.*to_homogeneous"),
    (lambda: de.read_graph("nowhere.csv"), GraphError, r"nowhere\.csv.*no such file"),
    (lambda: de.read_graph("e.csv", progress="yes"), ParameterError, r"a function of \(what"),
    (lambda: de.read_graph(file("empty.csv")), GraphError, r"empty"),
    (lambda: de.load("celegan"), ParameterError, r"Did you mean 'celegans'"),
    (lambda: de.read_graph("https://x.org/e.csv"), GraphError, r"download the file first"),
    (lambda: de.read_graph(None), ParameterError, r"path must be a file's name, .*not None"),
    (lambda: de.read_graph(FRAME, labels=3), ParameterError, r"a file's name or a DataFrame, not 3"),
    (lambda: de.summary(7), ParameterError, r"a DataFrame of edges, or a graph of .*not 7"),
    (lambda: de.summary("karate", max_dist=0), ParameterError, r"max_dist must be .*0"),
    (lambda: de.read_graph(file("a.txt").parent), GraphError, r"nodes\.csv and edges\.csv"),
    (lambda: de.read_graph("/dev/zero"), GraphError, r"a pipe, a socket or a device; expected a file"),
    (lambda: de.read_graph(file("e.xlsx", b"PK")), GraphError, r"'\.xlsx'; expected one of.*format="),
    (lambda: de.read_graph(file("e", "0 1"), format="text"), ParameterError, r"format='text'"),
    (lambda: de.read_graph(file("e.csv", "0\n1\n")), GraphError, r"line 1: one column.*expected two"),
    (lambda: de.read_graph(file("e.csv", b"a,\xe9\n")), GraphError, r"0xe9 is not UTF-8 text.*saved as"),
    (lambda: de.read_graph(file("e.csv.gz", b"\x1f\x8b\x08")), GraphError, r"cannot be read"),
    (lambda: de.read_graph(file("g.json", HALF)), GraphError, r"surrogate|half"),
    (lambda: de.read_graph(file("g.mat", b"\x89HDF\r\n\x1a\n" + bytes(600))), GraphError, r"is not MATLAB.*-v7"),
    # ---- encodings
    (lambda: de.SPD(3).encode(KARATE, []), TargetError, r"empty"),
    (lambda: de.SPD(3).encode(KARATE, [1, 1]), TargetError, r"twice"),
    (lambda: de.PageRank(alpha=1.0), ParameterError, r"alpha.*1\.0"),
    (lambda: de.SPD(10**9), ParameterError, r"max_dist.*from 0 to 1,000,000, not 1000000000"),
    (lambda: de.LandingProbability(10**9), ParameterError, r"steps.*to 1,000,000"),
    (lambda: de.SPD(10**6).encode(LONG, 0), ParameterError, r"1,000,002 .* 24.0 GB, more"),
    (lambda: de.DRNL(3).encode(KARATE, 0), TargetError, r"defined for pairs; .* 1 node\. Use SPD"),
    (lambda: de.SPD(3).encode([(0, 1)], 0), ParameterError, r"needs a degnn_.*not list"),
    # ---- expressive
    (lambda: de.distinguish(KARATE, KARATE, "3-WL"), ParameterError, r"method='3-WL' is not known; .*mean '[12]-WL'"),
    (lambda: de.distinguish(KARATE, KARATE, 3), ParameterError, r"a name .* or an encoding, not 3"),
    (lambda: de.distinguish(KARATE, KARATE, de.DRNL(2)), TargetError, r"for pairs; .* 1 node. Use SPD"),
    (lambda: de.distinguish(LONG, LONG, wide()), ParameterError, r"'wide'.* takes 28.8 GB .*fewer sets"),
    (lambda: de.distinguish((KARATE, 0), (KARATE, [1, 2])), TargetError, r"1 and 2 nodes"),
    (lambda: de.distinguish((KARATE, 0), KARATE), TargetError, r"whole graph.*on both"),
    (lambda: de.distinguish((KARATE, 0), 7), TargetError, r"\(Graph, target set\), not 7"),
    (lambda: de.distinguish(KARATE, KARATE, layers=-1), ParameterError, r"layers.*-1"),
    (lambda: de.distinguish((KARATE, 0), (KARATE, 1), order=2), ParameterError, r"whole graphs"),
    (lambda: de.distinguish(KARATE, KARATE, "2-WL", order=1), ParameterError, r"with 2-WL"),
    (lambda: de.distinguish(KARATE, KARATE, order="edge"), ParameterError, r"order.*'edge'"),
    (lambda: de.distinguish(KARATE, KARATE, order=35), ParameterError, r"no such set"),
    (lambda: de.distinguish((KARATE, 0), (AGED, 0), attributes=True), GraphError, r"attributes, \[0, 1\]"),
    (lambda: de.colors(KARATE, hops=0), ParameterError, r"hops.*not 0"),
    (lambda: de.unroll(KARATE, 0, 1, cut=True), ParameterError, r"cut=True.*no S was given"),
    (lambda: de.compare(*(de.unroll(KARATE, 0, k) for k in (1, 2))), TargetError, r"1 and 2 lay"),
    (lambda: de.colors(KARATE, 0, "SPD"), ParameterError, r"such as de\.SPD\(3\).*'SPD'"),
    (lambda: de.colors(KARATE, encoding=de.SPD(3)), ParameterError, r"give S as well"),
    (lambda: de.colors(KARATE, layers=10**9), ParameterError, r"layers.*from 0 to 100,000"),
    (lambda: de.colors(LONG, layers=10**5), ParameterError, r"take 2\.4 GB.*fewer layers"),
    (lambda: de.unroll(KARATE, 0, 99), GraphError, r"more than 20,000 nodes.*merge=True"),
    (lambda: de.unroll(KARATE, 0, -1), ParameterError, r"layers.*not -1"),
    (lambda: de.zoo.is_distance_regular(KARATE.to_networkx()), ParameterError, r"needs a .*Graph"),
    (lambda: KARATE.with_info([1] * 34), GraphError, r"info must be a dict of columns"),
    (lambda: de.distinguish(LONG, LONG, "2-WL"), ParameterError, r"3,000 nodes.*about 18 minutes"),
    (lambda: de.distinguish(LONG, LONG, "DE-LP"), ParameterError, r"6,000 steps.*4,096 nodes"),
    (lambda: de.distinguish(LONG, LONG, order=3), ParameterError, r"4,495,501,000 sets.*lower"),
    (lambda: de.distinguish((KARATE, 0), (KARATE, 1), hops=2), ParameterError, r"option of DEA-SPD"),
    # ---- engine
    (lambda: blocked([[0], [1, 2]]), TargetError, r"of one size"),
    (lambda: blocked(7), TargetError, r"a list of target sets"),
    (lambda: blocked([(3, 3)]), TargetError, r"Node 3 .*twice"),
    (lambda: blocked(layers=10**9), ParameterError, r"layers must .* 1 to 100"),
    (lambda: egos(hops=0), ParameterError, r"hops must .* from 1 to 100"),
    (lambda: blocked(num_threads=10**9), ParameterError, r"num_threads must be a whole number from 1 to 1,024"),
    (lambda: blocked(encoding="SPD"), ParameterError, r"encoding must be one such as de.SPD\(3\), or None, not 'SPD'"),
    (lambda: own(name=""), ParameterError, r"name='' cannot name an encoding; use up to 40"),
    (lambda: own(name="DE-x"), ParameterError, r"'DE-x' looks like a model or a"),
    (lambda: own(name="spd"), ParameterError, r"'spd' is an encoding of this library"),
    (lambda: own(columns=None), ParameterError, r"columns must be a list of different"),
    (lambda: own(columns=["a", "a"]), ParameterError, r"columns must .* not \['a', 'a'\]"),
    (lambda: own(columns=["a", "b"]), ParameterError, r"shape \[2\] for 2 pairs and 2 columns"),
    (lambda: own(walks=-1), ParameterError, r"walks must be a whole number from 0 to 1,000"),
    (lambda: own(max_dist=0), ParameterError, r"max_dist must be a whole number from 1 to"),
    (lambda: own(pool=None), ParameterError, r"pool=None is not known; choose one of 'mean'"),
    (lambda: own(fn=3), ParameterError, r"fn must be a function of near, .* not 3"),
    (lambda: own(fn=de.PageRank()), ParameterError, r"PageRank declares its own columns"),
    (lambda: built("DE-GNN"), ParameterError, r"build\('DE-GNN'\) needs encoding=, .* de.SPD\(3\), not None"),
    (lambda: built(encoding=de.SPD(3)), ParameterError, r"'GCN' takes no encoding=; it is for 'DE-GNN' and 'DEA-GNN'"),
    (
        lambda: built("DE-GNN", encoding=de.PageRank()),
        ParameterError,
        r"PageRank.* is not registered .*; give it a name",
    ),
    (lambda: built("DE-GNN-mine"), ParameterError, r"encoding 'mine', and none is registered .*; run"),
    (lambda: egos([(0, 1, 2)], encoding=de.DRNL()), TargetError, r"defined for pairs"),
    (lambda: egos(encoding=LONG_WALKS, budget=10**8), ParameterError, r"target set would take .* than the 100 MB"),
    # ---- learn
    (lambda: de.role_task(de.load("celegans")), GraphError, r"label"),
    (lambda: de.link_task(de.zoo.cycle(3)), TargetError, r"too dense.*Use max_positives="),
    (lambda: de.triangle_task(LONG), TargetError, r"0 triangles, too few .*at least 3"),
    (lambda: de.link_task(KARATE, protocol="papr"), ParameterError, r"mean 'paper'"),
    (lambda: de.link_task(KARATE, protocol=1), ParameterError, r"names from de.leaks\(\), not 1"),
    (lambda: de.role_task(KARATE, protocol="negatives_repeat"), ParameterError, r"for links and triangles"),
    (lambda: de.link_task(KARATE, split=(8, 1, 1)), ParameterError, r"add up to 1"),
    (lambda: de.set_task(KARATE, [(0, 1), (1, 0)], [0, 1]), TargetError, r"is given twice"),
    (lambda: de.set_task(KARATE, [(0,), (0, 1)], [0, 1]), TargetError, r"sizes \[1, 2\]"),
    (lambda: de.set_task(KARATE, [0, 1], ["a", "b"]), TargetError, r"1 sets of class a, too few"),
    (lambda: built("DE-GNN-SDP"), ParameterError, r"Did you mean 'DE-GNN-SPD'"),
    (lambda: de.build("GCN", KARATE), ParameterError, r"needs a task, such as de.link"),
    (lambda: built(max_dist=3), ParameterError, r"hyperparameter of GCN='max_dist'"),
    (lambda: built(layers=0), ParameterError, r"layers must be a whole number from 1 to 100, not 0"),
    (lambda: built(dropout=1), ParameterError, r"dropout must be a number from 0 to below 1"),
    (lambda: built(hidden=10**6), ParameterError, r"takes 64,000.1 GB to train, and this"),
    (lambda: fitted(built("struc2vec", length=10**9)), ParameterError, r"length=10{9}.* takes .* this machine"),
    (lambda: de.build("SEAL", ROLES), ParameterError, r"SEAL takes .* of 2 nodes"),
    (lambda: fitted(epochs=-1), ParameterError, r"epochs.*-1"),
    (lambda: fitted(num_threads=10**9), ParameterError, r"num_threads .*from 1 to 256"),
    (lambda: fitted(device="cuda:99"), ParameterError, r"use 'auto' or 'cpu'"),
    (lambda: fitted(optimizer="adma"), ParameterError, r"Did you mean 'adam'"),
    (lambda: fitted(learning_rate=-1), ParameterError, r"must be a positive number, not -1"),
    (lambda: fitted(checkpoint=FOLDER[-1]), ParameterError, r"is a folder; give the name"),
    (lambda: de.build("Katz", ROLES), ParameterError, r"sets of 2 or 3 nodes"),
    (lambda: built("Katz", damping=1.5), ParameterError, r"damping"),
    (lambda: de.tune(KARATE), ParameterError, r"tune needs a task"),
    (lambda: de.tune(LINKS, ["Katz"], minutes=0), ParameterError, r"minutes must be"),
    (lambda: de.tune(LINKS, ["Kats"]), ParameterError, r"Katz"),
    (lambda: de.fit(de.Graph, LINKS), ParameterError, r"needs a model made by de.build"),
    (lambda: de.predict(built(), KARATE, [{0, 1, 2}]), ParameterError, r"judges sets of 2"),
    (lambda: de.predict(built(), KARATE, []), ParameterError, r"no set was given"),
    (lambda: de.explain("GCN", KARATE, {0, 1}), ParameterError, r"explain needs a model"),
    (lambda: de.explain(built(), KARATE, {0, 1}, most=0), ParameterError, r"most .*0"),
    (lambda: de.predict(built("PGNN"), KARATE, [{0, 1}]), ParameterError, r"run de.fit"),
    (lambda: de.summarize([]), ParameterError, r"no epochs to summarize; run de.fit"),
    (lambda: de.load_model(None), ParameterError, r"is the path of a file, not None"),
    (lambda: de.load_model(file("m", JPG)), ParameterError, r"read as a saved model"),
    (lambda: de.save(built(), "no/such/m"), ParameterError, r"no folder .* make it first"),
    # ---- study
    (lambda: raced(models=[]), ParameterError, r"No model is chosen; choose at least one"),
    (lambda: de.study(models=["GCN"]), ParameterError, r"needs a file, graphs or a task"),
    (lambda: de.study(graphs="karate"), ParameterError, r"models: a list with at least"),
    (lambda: small().run("many"), ParameterError, r"workers='many' .* whole number of processes, the address of a"),
    (lambda: small().run(0.5), ParameterError, r"workers must be a whole number of at least 1, not"),
    (lambda: small().run("http//:x://"), ParameterError, r"No Dask scheduler answ"),
    (lambda: de.study("no.toml"), ParameterError, r"no study 'no.toml' here"),
    (lambda: de.study("tabel1"), ParameterError, r"one of demo, .*leaks, table1\."),
    (lambda: raced(seeds=21), ParameterError, r"seeds must be at most 20, not 21"),
    (lambda: raced("celegans", "roles"), GraphError, r"needs labeled nodes"),
    (lambda: raced("karate", "link"), ParameterError, r"Did you mean 'links'"),
    (lambda: raced(options={"learnin_rate": 1}), ParameterError, r"mean 'learning_rate'"),
    (lambda: raced(options={"seed": 3}), ParameterError, r"options may not name 'seed'"),
    (lambda: raced(settings={"max_dist": 3}), ParameterError, r"'max_dist'"),
    (lambda: de.Store(file("n.txt", "milk")), ParameterError, r"n.txt is a file; name a folder"),
    (lambda: de.Store("s").export("a.xls"), ParameterError, r"choose one of '.jsonl', '.csv'"),
    (lambda: de.Store("s").runs(modle="GCN"), ParameterError, r"Did you mean 'model'"),
    (lambda: compare_runs(two_graphs()), ParameterError, r"answer 2 different questions"),
    (lambda: compare_runs([]), ParameterError, r"no finished run to compare; train at least"),
    (lambda: links_of(ROLES), TargetError, r"of 1; train models on links"),
    (lambda: links_of(LINKS), ParameterError, r"No trained model yet"),
    # ---- explorer
    (lambda: de.Explorer(34), TargetError, r"not 34; a graph is a Graph, one of netw"),
    (lambda: de.Explorer((KARATE, [0], 3)), TargetError, r"a pair \(graph, target set\)"),
    (lambda: de.Explorer(KARATE, preset="fig1"), ParameterError, r"not both"),
    (lambda: de.Explorer(b=KARATE), ParameterError, r"the first graph as well"),
    (lambda: de.Explorer(preset="fig9"), ParameterError, r"'fig9' is not known.*'fig1'"),
    (lambda: de.Explorer(tour="hexagons"), ParameterError, r"Did you mean 'hexagon'"),
    (lambda: de.Explorer(KARATE, color_by="SDP"), ParameterError, r"Did you mean 'SPD'"),
    (lambda: de.Explorer(KARATE, layers=2), ParameterError, r"Did you mean 'layer'"),
    (lambda: de.Explorer(KARATE, layer=99), ParameterError, r"at most 6, not 99"),
    (lambda: de.Explorer(KARATE, layout="geography"), ParameterError, r"'force'"),
    (lambda: setattr(de.Explorer(KARATE), "targets", [[0], [1]]), TargetError, r"There are 1 sides"),
    (lambda: de.Explorer(KARATE).svg("legend"), ParameterError, r"'graph', 'tree'"),
    # ---- board
    (lambda: save_page("lesson.pdf", ""), ParameterError, r"ends in \.html, not 'lesson\.pdf'"),
    (lambda: save_page("no/where.html", ""), ParameterError, r"no folder 'no'.*make it first"),
    (lambda: de.TrainingBoard("karate", models=["GNC"]), ParameterError, r"choose one of 'GCN'"),
    (lambda: de.TrainingBoard("karate", seeds="3"), ParameterError, r"seeds must be .*, not '3'"),
    (lambda: de.TrainingBoard("karate", layer=2), ParameterError, r"Did you mean 'layers'"),
    # ---- theory
    (lambda: pairs(""), GraphError, r"pairs.g6: the file is empty"),
    (lambda: pairs("ElEG\n"), GraphError, r"pairs\.g6, line 1: the last .* has no partner.*two lines make"),
    (lambda: pairs("a,b\nb,c\n"), GraphError, r"line 1: 'a' is not graph6"),
    (lambda: theory.read_pairs(None), ParameterError, r"needs a file's name, not None"),
    (lambda: pairs("ElEG E{CW\nElEG\n"), GraphError, r"line 2: 1 graphs, but line 1 has 2"),
    (lambda: pairs("ElEG E{CW ElEG\n"), GraphError, r"pairs\.g6, line 1: 3 graphs; expected two on every line"),
    (lambda: theory.theorem_3_3(20), ParameterError, r"such as sizes=\[20, 40\], not 20"),
    (lambda: theory.theorem_3_3([4], networks="float16"), ParameterError, r"'float32'"),
    (lambda: theory.RandomNetwork(activation="elu"), ParameterError, r"'relu'"),
    (lambda: theory.theorem_2_7(models=["GINN"]), ParameterError, r"Did you mean 'GIN'"),
    (lambda: theory.brec(categories=["CFY"]), ParameterError, r"Did you mean 'CFI'"),
    (lambda: theory.regular_graphs(4, 4), ParameterError, r"less than n"),
    (lambda: theory.regular_graphs(12, 3), ParameterError, r"up to 10 nodes, not 12"),
    (lambda: theory.small_family(8), ParameterError, r"up to 7 nodes, not 8"),
    (lambda: theory.scoreboard({"mine": [(KARATE,)]}), ParameterError, r"no pair"),
    (lambda: theory.theorem_3_3([10, 11]), ParameterError, r"n·r = 33 must be even; try n=12"),
    (lambda: theory.theorem_3_3(layers=10**9), ParameterError, r"layers.*1 to 1,000, not 10{9}"),
    (lambda: theory.scoreboard(["strong regular"]), ParameterError, r"Did you mean 'strongly regular'"),
    (lambda: theory.scoreboard(KARATE), ParameterError, r"names of families.*not a Graph"),
    (lambda: theory.theorem_2_7({"mine": (KARATE, KARATE)}), ParameterError, r"'mine' needs two \(graph, target set\)"),
    (lambda: theory.walk_counts(KARATE), GraphError, r"not distance-regular: nodes 1 and 2"),
    (lambda: theory.walk_counts("karate"), ParameterError, r"Graph, not str"),
    (lambda: theory.corollary_3_8([1]).save("plot.jpg"), ParameterError, r"ends in '\.jpg'.*\.html, \.png"),
    (lambda: theory.corollary_3_8([1]).save("nowhere/a.html"), ParameterError, r"no folder nowhere; create"),
]


@pytest.mark.parametrize(("do", "error", "message"), WRONG)
def test_wrong_thing_is_answered_in_words(do: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.compile(message, re.DOTALL)):
        do()
