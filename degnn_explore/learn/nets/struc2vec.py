"""struc2vec (Ribeiro et al., 2017): embeddings of structural identity, then a linear layer."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, e, log2
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ...common.errors import MOST_SEED, ParameterError, check_machine_memory
from ...common.files import readable_size
from ...common.progress import check_cancelled, memory
from ...graphs.graph import Graph
from ..tasks import Task
from .base import Hyper, Ints, Rows, Shape, TransductiveNet, digest_bytes

_STAY = 0.3  # chance that a walk steps within its layer, the authors' value
_WORDS = 12_000_000  # words to learn from, about a minute and a half; beyond, nodes with the same neighbors share them


@dataclass(frozen=True)
class Layers:
    """The multilayer graph: candidate neighbors of u at ``ptr[u]:ptr[u+1]``, their distances in each layer."""

    ptr: Ints  # the pairs compared, as CSR: the same in each layer, each in both directions [n + 1]
    neighbor: Ints  # [E]
    distance: NDArray[np.float64]  # f_k, infinite where the pair does not reach layer k; exp(-f_k) may be 0 [depth, E]

    @property
    def source(self) -> Ints:
        """The node that each pair is listed under. [E]"""
        return np.repeat(np.arange(len(self.ptr) - 1), np.diff(self.ptr))

    @property
    def reach(self) -> Ints:
        """The highest layer that a node has a neighbor in; layer 0 holds every node. [n]"""
        reach = np.zeros(len(self.ptr) - 1, dtype=np.int64)
        for k, distance in enumerate(self.distance):
            reach[self.source[np.isfinite(distance)]] = k
        return reach

    @property
    def upward(self) -> NDArray[np.float64]:
        """Chance of going up when leaving the layer, log(Γ_k(u) + e) against 1 for going down. [depth, n]

        Γ_k(u) counts the neighbors of u in layer k whose weight is above the mean of the pairs compared in the layer.
        """
        strong = np.zeros((len(self.distance), len(self.ptr) - 1))
        for k, distance in enumerate(self.distance):
            there = np.isfinite(distance)
            if not there.any():
                break
            # one factor for the whole layer leaves the comparison as it is, and not all weights can round to 0
            weight = np.exp(distance[there].min() - distance)
            above = weight > weight.sum() / there.sum()
            strong[k] = np.bincount(self.source[above], minlength=strong.shape[1])
        up = np.log(strong + e)
        return np.asarray(up / (up + 1))


def structural_layers(graph: Graph, depth: int, nodes: Ints | None = None) -> Layers:
    """Structural distances of candidate pairs of ``nodes`` (all by default), with the paper's three optimizations.

    OPT1: degree sequences are compressed (an upper bound, see ``_struc2vec.warped``). OPT2: each node is compared with
    the 2 log2 n nodes closest to it in degree only. OPT3: there are at most ``depth`` layers.
    """
    from . import _struc2vec as kernels

    nodes = np.arange(graph.num_nodes) if nodes is None else nodes
    n = len(nodes)
    places, degrees = np.arange(n), graph.degrees[nodes]
    first, which = twins(graph, nodes)  # rings around a hub's many leaves are walked once, not once a leaf
    start = np.zeros((len(first), depth + 1), dtype=np.int64)
    nothing = np.empty(0, dtype=np.int64)
    kernels.rings(graph.indptr, graph.indices, nodes[first], depth, start, nothing, nothing)
    bounds = np.concatenate([[0], np.cumsum(start[:, 1:].ravel())])
    start = np.column_stack([bounds[:-1].reshape(-1, depth), bounds[depth::depth]])
    degree, count = np.empty(bounds[-1], dtype=np.int64), np.empty(bounds[-1], dtype=np.int64)
    kernels.rings(graph.indptr, graph.indices, nodes[first], depth, start, degree, count)

    order = np.lexsort((places, degrees))
    position = np.empty(n, dtype=np.int64)
    position[order] = places
    wanted = min(n - 1, 2 * ceil(log2(max(n, 2))))
    close = np.empty((n, wanted), dtype=np.int64)
    kernels.closest_in_degree(order, degrees, position, places, wanted, close)
    both = np.stack([np.repeat(places, wanted), close.ravel()], axis=1)
    pairs = np.unique(np.sort(both, axis=1), axis=0)
    apart = np.empty((len(pairs), depth))
    kernels.distances(which[pairs], start, degree, count, apart)

    source, target = np.concatenate([pairs, pairs[:, ::-1]]).T
    by_source = np.lexsort((target, source))
    distance = np.concatenate([apart, apart])[by_source].T  # [depth, E]
    ptr = np.concatenate([[0], np.cumsum(np.bincount(source, minlength=n))])
    return Layers(ptr, target[by_source], np.ascontiguousarray(distance))


def twins(graph: Graph, nodes: Ints) -> tuple[Ints, Ints]:
    """Nodes with the same neighbors look alike from everywhere: the place of the first of each kind, and kinds. [n]

    >>> twins(Graph.from_edges([(0, 1), (0, 2), (0, 3), (3, 4)]), np.arange(5))
    (array([0, 1, 3, 4]), array([0, 1, 1, 2, 3]))
    """
    kinds: dict[bytes, int] = {}
    neighbors = (graph.indices[graph.indptr[u] : graph.indptr[u + 1]].tobytes() for u in nodes)
    which = [kinds.setdefault(alike, len(kinds)) for alike in neighbors]
    return np.unique(which, return_index=True)[1], np.array(which)


def random_walks(layers: Layers, starts: Ints, length: int, rng: np.random.Generator) -> Ints:
    """Walks over the layers from these nodes in layer 0, ``length`` nodes each. [len(starts), length]"""
    from . import _struc2vec as kernels

    cumulative = np.empty_like(layers.distance)
    kernels.running_weights(layers.ptr, layers.distance, cumulative)
    paths = np.empty((len(starts), length), dtype=np.int64)
    kernels.walks(layers.ptr, layers.neighbor, cumulative, layers.upward, layers.reach, starts, _STAY, rng, paths)
    return paths


def embed(
    G: Graph, *, dim: int, walks: int, length: int, window: int, depth: int, passes: int, seed: int
) -> NDArray[np.float32]:
    """struc2vec embeddings of all nodes, every column with mean 0 and variance 1. [n, dim]"""
    n, pairs = G.num_nodes, 4 * G.num_nodes * ceil(log2(max(G.num_nodes, 2)))
    size = 8 * n * dim + 100 * n * walks * length + 8 * depth * (n + 3 * pairs)  # vectors, words, layers
    given = f"struc2vec with dim={dim}, walks={walks}, length={length}, depth={depth}"
    check_machine_memory(
        f"{given} takes about {readable_size(size)} on {n:,} nodes", size, memory(), "take less of them"
    )
    nodes, which = np.arange(n), np.arange(n)
    if n * walks * length * passes > _WORDS:  # minutes: twins are embedded once
        nodes, which = twins(G, nodes)
    if len(nodes) == 1:  # no other kind of node
        return np.zeros((n, dim), dtype=np.float32)
    layers = structural_layers(G, depth, nodes)
    check_cancelled("struc2vec")
    for_walks, for_words = np.random.SeedSequence(seed).spawn(2)
    rng = np.random.default_rng(for_walks)
    starts = np.concatenate([rng.permutation(len(nodes)) for _ in range(walks)])
    paths = random_walks(layers, starts, length, rng)
    check_cancelled("struc2vec")
    words = int(for_words.generate_state(1)[0])  # 32 bits, all that gensim takes
    vectors = _skip_gram(paths, dim, window, passes, words)[which]
    return np.asarray((vectors - vectors.mean(axis=0)) / (vectors.std(axis=0) + 1e-8), dtype=np.float32)


def _skip_gram(paths: Ints, dim: int, window: int, passes: int, seed: int) -> NDArray[np.float32]:
    """A vector for each node of the walks; every node 0, 1, ... occurs in some. [n, dim]"""
    from gensim.models import Word2Vec

    sentences = [[str(u) for u in path] for path in paths.tolist()]
    model = Word2Vec(
        vector_size=dim, window=window, min_count=0, sg=1, hs=1, negative=0, workers=1, seed=seed, hashfxn=_stable_hash
    )
    model.build_vocab(sentences)
    rates = np.linspace(0.025, 0.0001, passes + 1)
    for i in range(passes):  # one at a time, so that it can be cancelled in between
        check_cancelled("struc2vec")
        model.train(sentences, total_examples=len(sentences), epochs=1, start_alpha=rates[i], end_alpha=rates[i + 1])
    return np.asarray(model.wv[[str(u) for u in range(paths.max() + 1)]])


def _stable_hash(text: str) -> int:
    """Python's own hash of a text differs from process to process."""
    return zlib.crc32(text.encode())


class Struc2Vec(TransductiveNet):
    """struc2vec embeddings of the training graph, and a linear layer on those of S side by side, in ascending order.

    f_k(u, v) adds up warped distances of degree sequences of rings (Section 3.1 of struc2vec), exp(-f_k) weighs layer k
    of a multilayer graph (3.2), and skip-gram embeds the nodes by walks over it (3.3, 3.4), before the first epoch.

    One embedding serves all sets, so no edge inside S is cut: a training link's own edge is part of what its nodes are
    embedded by, and a held-out link's is not. Training and test sets do not look quite alike, inherent to the method.
    """

    HYPER: ClassVar = {
        "dim": Hyper(128, least=1),
        "walks": Hyper(10, least=1),
        "length": Hyper(80, least=2),
        "window": Hyper(10, least=1, most=10**6),
        "depth": Hyper(4, least=1),
        "passes": Hyper(3, least=1, most=10**6),
        "walk_seed": Hyper(0, least=0, most=MOST_SEED),
    }
    embedding: Tensor

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        super().__init__(name, shape, hyper)
        self.register_buffer("embedding", torch.zeros((0, hyper["dim"])))
        self.out = nn.Linear(shape.p * hyper["dim"], shape.outputs)

    def bind(self, task: Task) -> None:
        embedding = self.embedding
        known = self.known_graphs[:1].cpu()  # the training graph's digest, or none yet
        if not torch.equal(known, digest_bytes(task.graph)[None]):
            hyper = {key: value for key, value in self.hyper.items() if key != "walk_seed"}
            vectors = embed(task.graph, **hyper, seed=self.hyper["walk_seed"])
            embedding = torch.from_numpy(vectors).to(embedding.device)
        # both or neither: a cancelled embed must not leave one graph's digest with another's vectors
        super().bind(task)
        self.embedding = embedding

    def prepare(self, graph: Graph, sets: Ints) -> Rows:
        self.check(graph, sets)
        embedded = self.embedding.cpu()[torch.from_numpy(np.sort(sets, axis=1))]  # [k, p, dim]
        return Rows((embedded.flatten(1),), lambda x: x)

    def variants(self, graph: Graph, S: Ints, changes: Sequence[Ints]) -> Iterator[Rows]:
        raise ParameterError(
            "struc2vec embeds all nodes before it is trained, once, by random walks over the whole graph; with another "
            "edge they would change, and the trained layer would not fit. Use another model, such as SEAL."
        )

    def forward(self, batch: Tensor) -> Tensor:
        return self.out(batch).squeeze(1)  # [k, 1] -> [k] for two classes, [k, C] as it is for more
