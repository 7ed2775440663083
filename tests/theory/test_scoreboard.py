"""Files of pairs, and the scoreboard: pair by pair the verdicts of ``distinguish``."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import pytest
from hypothesis import given, settings

import degnn_explore as de
from degnn_explore import theory, zoo

from ..strategies import graphs, shuffled

# ---- files of pairs -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["ElEG E{CW\n", "ElEG\nE{CW\n", ">>graph6<<ElEG\n\n# a comment\nE{CW", "ElEG,E{CW\r\n"]
)
def test_pairs_are_read_two_on_a_line_or_on_two_lines(text: str, tmp_path) -> None:
    (tmp_path / "pairs.g6").write_text(text, encoding="utf-8")
    ((first, second),) = theory.read_pairs(tmp_path / "pairs.g6")
    assert first.edges.tolist() == zoo.domino().edges.tolist()
    assert second.edges.tolist() == zoo.bridged_triangles().edges.tolist()


# ---- the scoreboard -----------------------------------------------------------------------------


def check_against_verdicts(board: theory.Scoreboard) -> None:
    """Every row of pairs has its graphs, and the first layer at which they differ; the table counts them."""
    methods = [column for column in board.pairs if column in theory.METHODS]
    for i, row in board.pairs.iterrows():
        G, H = board.graphs(i)
        assert (row["first"], row["second"], row["nodes"]) == (G.title, H.title, G.num_nodes)
        for method in methods:
            verdict = de.distinguish(G, H, **theory.METHODS[method].options)
            assert row[method] == (f"layer {verdict.layer}" if verdict.different else "same"), (i, method)
    counts = (board.pairs[methods] != "same").groupby(board.pairs["family"]).sum()
    assert board.table[methods].astype(int).sort_index().equals(counts.rename_axis("family").sort_index())
    assert board.table["pairs"].to_dict() == board.pairs["family"].value_counts().to_dict()
    kept = board.pairs[(board.pairs[methods] == "same").all(axis=1)]
    assert board.unseparated.index.tolist() == kept.index.tolist()
    alike = [nx.is_isomorphic(*(G.to_networkx() for G in board.graphs(i))) for i in kept.index]
    assert board.unseparated["isomorphic"].tolist() == alike


def test_scores_are_the_verdicts_pair_by_pair() -> None:
    """Groups of different sizes, so that the longest do not come first; one of a single graph, which has no pair."""
    path, square = de.Graph.from_edges([(0, 1), (1, 2), (2, 3)]), zoo.cycle(4)
    families = {
        "small": [(path, square, de.Graph.from_edges([(0, 1), (0, 2), (0, 3)])), (zoo.petersen(),)],
        "large": [
            (zoo.desargues(), zoo.dodecahedron()),
            (zoo.shrikhande(), zoo.rook(4), shuffled(zoo.rook(4), 1)[0]),
            tuple(theory.regular_graphs(8, 3)[:3]),
        ],
        "rings": [(zoo.csl(11, 2), zoo.csl(11, 3)), *theory.small_family(6)],
    }
    board = theory.scoreboard(families, progress=False)
    assert board.table.index.tolist() == list(families) and board.table["pairs"].tolist() == [3, 7, 4]
    titles = [(G.title, H.title) for groups in families.values() for each in groups for G, H in combinations(each, 2)]
    assert list(zip(board.pairs["first"], board.pairs["second"], strict=True)) == titles
    assert tuple(board.table.columns[1:]) == tuple(theory.METHODS)
    check_against_verdicts(board)
    methods = ["DE-2 pairs", "2-WL", "DEA-1, K=2"]
    part = theory.scoreboard(families, methods, max_arcs=31_000, progress=False)  # pairs one by one
    assert part.pairs[methods].equals(board.pairs[methods]) and list(part.table.columns[1:]) == methods


@settings(max_examples=25)
@given(*[graphs(max_nodes=6).filter(lambda G: G.num_nodes >= 3 and G.num_edges)] * 2)
def test_scores_are_the_verdicts_on_any_pair(G: de.Graph, H: de.Graph) -> None:
    check_against_verdicts(theory.scoreboard({"any": [(G, H)]}, progress=False))


def test_graphs_without_edges_or_with_few_nodes_have_a_score() -> None:
    none, one, two = (de.Graph.from_edges(edges, 2 if edges else 3) for edges in ([], [(0, 1)], [(0, 1)]))
    board = theory.scoreboard({"tiny": [(none, one), (one, two), (none, none)]}, progress=False)
    assert board.pairs["DE-2 edges"].tolist() == board.pairs["DE-3"].tolist() == ["layer 0", "same", "same"]
    assert board.unseparated["isomorphic"].tolist() == [True, True]


def test_families_of_the_library() -> None:
    board = theory.scoreboard(["regular, up to 10 nodes"], ["1-WL", "DE-1 SPD"], progress=False)
    assert board.table.iloc[0].tolist() == [4152, 0, 4152]
    board = theory.scoreboard("strongly regular", "DE-3", progress=False)
    assert board.table.to_dict() == {"pairs": {"strongly regular": 8}, "DE-3": {"strongly regular": 8}}
    few = theory.scoreboard(methods=["1-WL"], max_arcs=1, progress=False)
    assert few.table["pairs"].tolist() == [20, 4152, 8, 45] and list(few.table.index) == list(theory.FAMILIES)
    assert few.table["1-WL"].isna().all()


def test_pairs_of_a_file_are_compared_and_opened(tmp_path) -> None:
    made = (zoo.shrikhande(), zoo.rook(4), zoo.rook(4), shuffled(zoo.rook(4), 3)[0])
    lines = [nx.to_graph6_bytes(G.to_networkx(), header=False).decode().strip() for G in made]
    (tmp_path / "pairs.g6").write_text("\n".join(lines), encoding="utf-8")
    for path in (tmp_path / "pairs.g6", str(tmp_path / "pairs.g6")):
        board = theory.scoreboard(path, ["2-WL", "DE-1 SPD"], progress=False)
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
        assert (
            len(board.unseparated) == 8 - judged and f"{8 - judged} of 8" in board.notes[0] and "DE-3" in board.notes[0]
        )
        assert ("1 of 1" in board.plot().to_json()) == bool(judged)
        assert board.table["DE-3"].isna().all() == (not judged)
    rings = theory.scoreboard({"f": [(zoo.cycle(3000), zoo.cycle(3000))]}, ["2-WL"], progress=False)
    assert rings.pairs["2-WL"].tolist() == ["too large"] and "max_arcs" not in rings.notes[0]
    assert "max_arcs" in board.notes[0] and "too large" in rings.plot().to_json()
