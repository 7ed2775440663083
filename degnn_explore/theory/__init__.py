"""The Theory Lab: the paper's claims about expressive power, each as an experiment to run and vary.

Every experiment returns a :class:`Result` with ``.table``, ``.plot()`` and ``.save(path)``. May import ``learn``,
``expressive`` and below, not ``studies``. Start with ``random_regular.py``.
"""

from ..expressive.self_targets import root_colors
from ..expressive.symmetry import isomorphic
from ..reading.read import read_pairs
from .brec import BREC_METHODS, Brec, brec, brec_pairs, brec_published
from .distance_regular import theorem_3_7, walk_counts
from .families import (
    csl_family,
    latin_square_graph,
    lift,
    regular_family,
    regular_graphs,
    small_family,
    strongly_regular_family,
)
from .random_network import TOLERANCE, RandomNetwork
from .random_regular import PAPER_SIZES, boundary, corollary_3_4, theorem_3_3
from .result import Result
from .scoreboard import FAMILIES, METHODS, Scoreboard, scoreboard
from .wl_limits import all_nodes_as_targets, corollary_3_8, equitable_partition, look_alikes, theorem_2_7

__all__ = [
    "BREC_METHODS",
    "FAMILIES",
    "METHODS",
    "PAPER_SIZES",
    "TOLERANCE",
    "Brec",
    "RandomNetwork",
    "Result",
    "Scoreboard",
    "all_nodes_as_targets",
    "boundary",
    "brec",
    "brec_pairs",
    "brec_published",
    "corollary_3_4",
    "corollary_3_8",
    "csl_family",
    "equitable_partition",
    "isomorphic",
    "latin_square_graph",
    "lift",
    "look_alikes",
    "read_pairs",
    "regular_family",
    "regular_graphs",
    "root_colors",
    "scoreboard",
    "small_family",
    "strongly_regular_family",
    "theorem_2_7",
    "theorem_3_3",
    "theorem_3_7",
    "walk_counts",
]
