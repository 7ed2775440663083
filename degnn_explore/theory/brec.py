"""BREC: 400 hard pairs of graphs, and how many of them each method tells apart.

Wang & Zhang, "An Empirical Study of Realized GNN Expressiveness" (ICML 2024). Their models are trained to tell each
pair apart; the methods here are exact, so the counts say what the best network of a kind could do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..common.errors import check_choice
from ..graphs.graph import Graph
from ..reading.datasets import brec_file
from ..reading.documents import decode_graph6
from .scoreboard import Scoreboard, scoreboard

if TYPE_CHECKING:
    import pandas

__all__ = ["BREC_METHODS", "Brec", "brec"]

MAX_ARCS = 100_000_000  # enough for all pairs of nodes in the largest graphs, of 198 nodes
CATEGORIES = {  # name: file
    "basic": "basic",
    "simple regular": "regular",
    "strongly regular": "str",
    "extension": "extension",
    "CFI": "cfi",
    "4-vertex condition": "4vtx",
    "distance-regular": "dr",
}
BREC_METHODS = ("1-WL", "zero-one", "RWSE", "DE-1 SPD", "DE-1 LP", "2-WL", "DE-2 edges", "DE-2 pairs")
"""What :func:`brec` compares by default, of ``theory.METHODS``."""

# As reported in the paper's Table 2, of 60, 140, 100 and 100 pairs.
PUBLISHED = {
    "3-WL": (60, 50, 100, 60),
    "SPD-WL": (16, 14, 41, 12),
    "NGNN": (59, 48, 59, 0),
    "PPGN": (60, 50, 100, 23),
    "SUN": (60, 50, 100, 13),
    "δ-k-LGNN": (60, 50, 100, 6),
    "GSN": (60, 99, 95, 0),
    "KP-GNN": (60, 106, 98, 11),
    "I²-GNN": (60, 100, 100, 21),
    "Graphormer": (16, 12, 41, 10),
}


@dataclass(frozen=True, repr=False)
class Brec(Scoreboard):
    """The scoreboard of BREC; ``published`` has the counts that its authors report for other methods."""

    published: pandas.DataFrame = field(kw_only=True)


def brec(
    methods: Sequence[str] | None = None, *, categories: Sequence[str] | None = None, progress: bool = True
) -> Brec:
    """How many of the 400 pairs of BREC each method tells apart, by category.

    The data are downloaded once and checked, or read from a folder that ``DEGNN_DATA`` names.

    Parameters
    ----------
    methods
        Names in ``theory.METHODS``; ``theory.BREC_METHODS`` by default.
    categories
        basic, simple regular, strongly regular, extension, CFI, 4-vertex condition, distance-regular; all by default.
    progress
        Show a bar when it takes more than two seconds.
    """
    chosen = [check_choice("category", name, CATEGORIES) for name in categories or CATEGORIES]
    families = {name: brec_pairs(name) for name in chosen}
    board = scoreboard(families, methods or BREC_METHODS, max_arcs=MAX_ARCS, progress=progress)
    table = board.table
    table.loc["together"] = table.sum()
    parts = {field: getattr(board, field) for field in ("notes", "draw", "pairs", "_graphs")}
    return Brec("BREC: pairs of graphs told apart", table, **parts, published=brec_published())


def brec_pairs(category: str) -> list[tuple[Graph, Graph]]:
    """The pairs of a category, in BREC's order."""

    def decode(code: bytes | str) -> Graph:
        return decode_graph6(code.decode("ascii") if isinstance(code, bytes) else code)

    codes = np.load(brec_file(CATEGORIES[category])).reshape(-1, 2).tolist()
    return [
        (decode(first).with_title(f"{category} {i}a"), decode(second).with_title(f"{category} {i}b"))
        for i, (first, second) in enumerate(codes)
    ]


def brec_published() -> pandas.DataFrame:
    """Counts that the authors of BREC report for other methods, of 60, 140, 100 and 100 pairs."""
    import pandas as pd

    columns = ["basic (60)", "regular (140)", "extension (100)", "CFI (100)"]
    table = pd.DataFrame.from_dict(PUBLISHED, orient="index", columns=columns).rename_axis("method")
    return table.assign(together=table.sum(axis=1))
