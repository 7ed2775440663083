"""Every way in for bytes that a stranger wrote, as functions of bytes: what the fuzz knocks at, in a child process.

``SEEDS`` has good content for each door, to be damaged; ``DOORS`` takes any.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import io
import itertools
import json
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx

import degnn_explore as de
from degnn_explore.reading import read
from degnn_explore.reading.read import FORMATS, label_graph, read_file

GRAPH = nx.convert_node_labels_to_integers(nx.florentine_families_graph(), label_attribute="family")
ENDINGS = [entry.endings.split()[0] for entry in FORMATS if not entry.risky]  # those: test_isolate.py
PACKED = [".csv.gz", ".txt.bz2", ".csv.xz", ".csv.zip"]
FOLDER = Path(tempfile.mkdtemp())
warnings.simplefilter("ignore")


# ---- the doors -----------------------------------------------------------------------------------------


def read_as(ending: str, content: bytes) -> None:
    graph = read_file((f"fuzz{ending}", content))
    assert len(graph.names) == graph.num_nodes >= 1
    json.dumps([graph.names, graph.title], ensure_ascii=False).encode()  # what a page is sent
    assert graph.num_edges == len(graph.edges)


def read_labels(content: bytes) -> None:
    table = read.read_labels(("labels.csv", content))
    graph = label_graph(read_file(("g.csv", b"0,1\n1,a\n")), "labels.csv", table, None)
    assert graph.labels.min() >= -1


def read_folder(content: bytes) -> None:
    nodes, _, edges = content.partition(b"\n\n")
    (FOLDER / "nodes.csv").write_bytes(nodes)
    (FOLDER / "edges.csv").write_bytes(edges)
    de.read_graph(FOLDER)


def read_pairs(content: bytes) -> None:
    (FOLDER / "pairs.g6").write_bytes(content)
    de.theory.read_pairs(FOLDER / "pairs.g6")


def load_model(content: bytes) -> None:
    (FOLDER / "m.safetensors").write_bytes(content)
    de.predict(de.load_model(FOLDER / "m.safetensors"), task().graph, task().test.sets[:2])


def resume(content: bytes) -> None:
    (FOLDER / "c.safetensors").write_bytes(content)
    list(de.fit(de.build("GCN", task(), hidden=4), task(), epochs=2, checkpoint=FOLDER / "c.safetensors"))


@functools.cache
def task() -> de.Task:
    return de.link_task(de.Graph.from_edges([(i, (i + step) % 20) for i in range(20) for step in (1, 2)]))


DOORS: dict[str, Callable[[bytes], None]] = {
    **{
        ending: functools.partial(read_as, ending)
        for ending in [*ENDINGS, ".csv.gz", ".txt.bz2", ".csv.xz", ".csv.zip"]
    },
    "labels": read_labels,
    "folder": read_folder,
    "pairs": read_pairs,
    "model": load_model,
    "checkpoint": resume,
}


# ---- good content ---------------------------------------------------------------------------------------


def _written(write: Callable[..., Any], *arguments: Any) -> bytes:
    stream = io.BytesIO()
    write(*(stream if argument is None else argument for argument in arguments))
    return stream.getvalue()


def _zipped(name: str, content: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(name, content)
    return stream.getvalue()


def seeds(door: str) -> list[bytes]:
    """Files, codes or records that this door takes."""
    import bz2
    import lzma

    graph = de.Graph.from_networkx(GRAPH)
    csv = b"source,target,weight\n" + b"".join(b"%d,%d,1.5\n" % edge for edge in GRAPH.edges)
    words = b"".join(f"{graph.names[u]} {graph.names[v]} {{}}\n".encode() for u, v in GRAPH.edges)
    if door == ".json":
        return [json.dumps(nx.node_link_data(GRAPH, edges=key)).encode() for key in ("edges", "links")]
    if door in (".g6", "pairs"):
        return [b">>graph6<<ElEG\n"] if door == ".g6" else [b"ElEG E{CW\n", b"ElEG\nE{CW\n"]
    if door == "labels":
        return [b"node,label\n0,red\n1,blue\na,red\n", b"0,1\n1,2\n"]
    if door == "folder":
        return [b"id,name,label,x\n0,a,red,1.5\n1,b,blue,2\n\nsource,target\n0,1\n"]
    if door in ("model", "checkpoint"):
        return [_saved(door)]
    packing = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}.get(Path(door).suffix)
    if packing is not None:
        return [packing(csv)]
    return [_zipped("edges.csv", csv)] if door.endswith(".zip") else [words, csv.replace(b",", b"\t")]


def prepare() -> None:
    """All that the doors import and compile, before the memory is bounded."""
    for door in ("model", "checkpoint"):
        DOORS[door](seeds(door)[0])


def _saved(door: str) -> bytes:
    path = FOLDER / "good.safetensors"
    path.unlink(missing_ok=True)
    if door == "model":
        de.save(de.build("DE-GNN-SPD", task(), hidden=4), path)
    else:
        model = de.build("GCN", task(), hidden=4)
        list(itertools.islice(de.fit(model, task(), epochs=1, checkpoint=path, checkpoint_every=0), 1))
    return path.read_bytes()


def checked_again(content: bytes, how: str | None = None) -> bytes:
    """A saved model or checkpoint with another text of how it was built, and a checksum that fits."""
    from safetensors.torch import load, save

    size = int.from_bytes(content[:8], "little")
    meta = json.loads(content[8 : 8 + size])["__metadata__"]
    tensors = load(content)
    text = meta["how"] if how is None else how
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass"))
    for name in sorted(tensors):
        array = tensors[name].numpy()
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(array.tobytes())
    return save(tensors, meta | {"how": text, "sha256": digest.hexdigest()})
