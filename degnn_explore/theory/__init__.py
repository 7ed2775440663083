"""The Theory Lab: the paper's claims about expressive power, each as an experiment to run, see and vary.

Every experiment returns a :class:`Finding` with ``.table``, ``.plot()`` and ``.save(path)``. May import ``learn``,
``expressive`` and below, not ``studies``. Begin with ``random_regular.py``.
"""

from ..expressive.isomorphism import isomorphic
from ..expressive.own_targets import root_colours
from ..reading.graph6 import read_pairs
from .all_regular import regular_graphs
from .distance_regular import theorem_3_7, walk_counts
from .families import csl_family, latin_square_graph, lift, regular_family, small_family, strongly_regular_family
from .finding import Finding
from .limits import all_nodes_as_targets, corollary_3_8, equitable_partition, look_alikes, theorem_2_7
from .random_network import TOLERANCE, RandomNetwork
from .random_regular import PAPER_SIZES, boundary, corollary_3_4, theorem_3_3
from .scoreboard import FAMILIES, METHODS, Scoreboard, scoreboard

__all__ = [
    "FAMILIES",
    "METHODS",
    "PAPER_SIZES",
    "TOLERANCE",
    "Finding",
    "RandomNetwork",
    "Scoreboard",
    "all_nodes_as_targets",
    "boundary",
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
    "root_colours",
    "scoreboard",
    "small_family",
    "strongly_regular_family",
    "theorem_2_7",
    "theorem_3_3",
    "theorem_3_7",
    "walk_counts",
]
