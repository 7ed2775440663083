"""The scoreboard: pair by pair the verdicts of ``distinguish``."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import pytest

import degnn_explore as de
from degnn_explore import theory, zoo

from ..strategies import shuffled


def test_scores_are_the_verdicts_pair_by_pair() -> None:
    """Groups of different sizes, so that the longest do not come first; one of a single graph, which has no pair."""
    path, square = de.Graph.from_edges([(0, 1), (1, 2), (2, 3)]), zoo.cycle(4)
    families = {
        "small": [(path, square, zoo.domino(), zoo.figure1()), (zoo.petersen(),)],
        "large": [
            (zoo.desargues(), zoo.dodecahedron()),
            (zoo.shrikhande(), zoo.rook(4), shuffled(zoo.rook(4), 1)[0]),
            tuple(theory.regular_graphs(8, 3)[:3]),
        ],
        "rings": [(zoo.csl(11, 2), zoo.csl(11, 3)), *theory.small_family(6)],
    }
    pairs = [(family, *pair) for family in families for group in families[family] for pair in combinations(group, 2)]
    board = theory.scoreboard(families, progress=False)
    same = []
    for (i, row), (family, G, H) in zip(board.pairs.iterrows(), pairs, strict=True):
        assert board.graphs(i) == (G, H)
        assert (row["family"], row["first"], row["second"], row["nodes"]) == (family, G.title, H.title, G.num_nodes)
        verdicts = {title: de.distinguish(G, H, **how.options) for title, how in theory.METHODS.items()}
        assert row.iloc[4:].to_dict() == {
            title: f"layer {verdict.layer}" if verdict.different else "same" for title, verdict in verdicts.items()
        }
        if not any(verdict.different for verdict in verdicts.values()):
            same.append([i, nx.is_isomorphic(G.to_networkx(), H.to_networkx())])
    assert board.unseparated["isomorphic"].reset_index().to_numpy().tolist() == same
    assert list(board.table.columns) == ["pairs", *theory.METHODS] and board.table.index.tolist() == list(families)
    for family, row in board.table.iterrows():
        judged = board.pairs[board.pairs["family"] == family]
        assert row.tolist() == [len(judged), *(judged.iloc[:, 4:] != "same").sum()]
    methods = ["DE-2 pairs", "2-WL", "DEA-1, K=2"]
    part = theory.scoreboard(families, methods, max_arcs=31_000, progress=False)  # pairs one by one
    assert part.pairs[methods].equals(board.pairs[methods]) and list(part.table.columns[1:]) == methods


def test_graphs_without_edges_or_with_few_nodes_have_a_score() -> None:
    none, one, two = (de.Graph.from_edges(edges, 2 if edges else 3) for edges in ([], [(0, 1)], [(0, 1)]))
    board = theory.scoreboard({"tiny": [(none, one), (one, two), (none, none)]}, progress=False)
    assert board.pairs["DE-2 edges"].tolist() == board.pairs["DE-3"].tolist() == ["layer 0", "same", "same"]
    assert board.unseparated["isomorphic"].tolist() == [True, True]


def test_families_of_the_library() -> None:
    board = theory.scoreboard("strongly regular", "DE-3", progress=False)
    assert board.table.to_dict() == {"pairs": {"strongly regular": 8}, "DE-3": {"strongly regular": 8}}
    few = theory.scoreboard(methods=["1-WL"], max_arcs=1, progress=False)
    assert few.table["pairs"].tolist() == [20, 4152, 8, 45] and list(few.table.index) == list(theory.FAMILIES)
    assert few.table["1-WL"].isna().all()


def test_pairs_of_a_file_are_compared_and_opened(tmp_path) -> None:
    made = (zoo.shrikhande(), zoo.rook(4), zoo.rook(4), shuffled(zoo.rook(4), 3)[0])
    lines = [nx.to_graph6_bytes(G.to_networkx(), header=False).decode().strip() for G in made]
    (tmp_path / "pairs.g6").write_text("\n".join(lines), encoding="utf-8")
    board = theory.scoreboard(tmp_path / "pairs.g6", ["2-WL", "DE-1 SPD"], progress=False)
    assert theory.scoreboard(str(tmp_path / "pairs.g6"), ["1-WL"], progress=False).table.iloc[0].tolist() == [2, 0]
    assert board.table.loc["pairs.g6"].tolist() == [2, 0, 0]
    assert board.unseparated["isomorphic"].tolist() == [False, True]
    explorer = board.open(1)
    assert [side.graph.edges.tolist() for side in explorer.state.sides] == [G.edges.tolist() for G in board.graphs(1)]
    assert explorer.targets == [[0], [0]]
    for pair in (2, -1):
        with pytest.raises(de.ParameterError, match="pair"):
            board.graphs(pair)


def test_pairs_too_large_are_marked_and_do_not_count() -> None:
    """To DE-3, C(16, 3) sets of 112 arcs, twice, are 125,440 arcs; those of 25 and 28 nodes are many more."""
    arcs = 2 * 560 * (16 + 96)
    for most, judged in ((arcs, 1), (arcs - 1, 0)):
        board = theory.scoreboard(["strongly regular"], ["DE-1 SPD", "DE-3"], max_arcs=most, progress=False)
        assert board.pairs["DE-3"].tolist() == ["layer 1"] * judged + ["too large"] * (8 - judged)
        assert len(board.unseparated) == 8 - judged
        assert f"{8 - judged} of 8" in board.notes[0] and "DE-3" in board.notes[0]
        assert ("1 of 1" in board.plot().to_json()) == bool(judged)
        assert board.table["DE-3"].isna().all() == (not judged)
    rings = theory.scoreboard({"f": [[zoo.cycle(3000)] * 2]}, ["2-WL"], progress=False)
    assert rings.pairs["2-WL"].tolist() == ["too large"] and "max_arcs" not in rings.notes[0]
    assert "max_arcs" in board.notes[0] and "too large" in rings.plot().to_json()
