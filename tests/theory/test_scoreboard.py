"""Graph families, files of pairs, and the scoreboard against the verdicts."""

from __future__ import annotations

from itertools import combinations
from threading import Event

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore import theory
from degnn_explore.common import errors
from degnn_explore.common.progress import Cancelled, watching
from degnn_explore.graphs import zoo

from ..strategies import graphs, shuffled

VERDICTS = {
    "1-WL": {"method": "1-WL"},
    "2-WL": {"method": "2-WL"},
    "DE-1 SPD": {"method": "DE-SPD"},
    "DE-1 LP": {"method": "DE-LP"},
    "DEA-1, K=2": {"method": "DEA-SPD", "hops": 2},
    "DE-2 edges": {"method": "DE-SPD", "order": "edges"},
    "DE-2 pairs": {"method": "DE-SPD", "order": 2},
    "DE-3": {"method": "DE-SPD", "order": 3},
}


# ---- families -----------------------------------------------------------------------------------


def test_the_file_of_regular_graphs_is_complete() -> None:
    """As many as OEIS A005176 says, each regular, and no two of one n and r isomorphic."""
    every = {(n, r): theory.regular_graphs(n, r) for n in range(1, 11) for r in range(n) if n * r % 2 == 0}
    counts = [sum(len(group) for (m, _), group in every.items() if m == n) for n in range(1, 11)]
    assert counts == [1, 2, 2, 4, 3, 8, 6, 22, 26, 176]
    for (n, r), group in every.items():
        assert all(G.degrees.tolist() == [r] * n for G in group)
        assert len({G.title for G in group}) == len(group)
    for group in theory.regular_family(10):
        assert not any(theory.isomorphic(a, b) for a, b in combinations(group, 2))


def test_regular_graphs_refuse_impossible_ones() -> None:
    with pytest.raises(errors.ParameterError, match="must be even"):
        theory.regular_graphs(7, 3)
    with pytest.raises(errors.ParameterError, match="less than n"):
        theory.regular_graphs(4, 4)
    with pytest.raises(errors.ParameterError, match="up to 10"):
        theory.regular_graphs(14, 3)


@settings(max_examples=60)
@given(graphs(max_nodes=7), graphs(max_nodes=7))
def test_isomorphic_agrees_with_networkx(G: de.Graph, H: de.Graph) -> None:
    assert theory.isomorphic(G, H) == nx.is_isomorphic(G.to_networkx(), H.to_networkx())


@given(graphs(max_nodes=9), st.integers(0, 1000))
def test_a_graph_is_isomorphic_to_itself_renumbered(G: de.Graph, seed: int) -> None:
    assert theory.isomorphic(G, shuffled(G, seed)[0]) is True


def test_isomorphic_gives_up_after_its_budget_and_refuses_what_does_not_fit_in_memory() -> None:
    assert theory.isomorphic(zoo.shrikhande(), zoo.rook(4), budget=3) is None
    ring = zoo.cycle(40_000)
    with pytest.raises(de.ParameterError, match=r"Matching two graphs of 40,000 nodes would take 3\.2 GB"):
        theory.isomorphic(ring, ring)


@pytest.mark.filterwarnings("ignore:The hashes produced:UserWarning")
def test_small_family_is_all_pairs_that_1wl_confuses() -> None:
    groups = theory.small_family(6)
    assert [len(group) for group in groups] == [2, 2, 2]
    atlas = [A for A in nx.graph_atlas_g() if len(A) == 6 and nx.is_connected(A)]
    looks: dict[str, int] = {}
    for A in atlas:
        look = nx.weisfeiler_lehman_graph_hash(A, iterations=6, digest_size=16)
        looks[look] = looks.get(look, 0) + 1
    assert sum(count > 1 for count in looks.values()) == 3
    with pytest.raises(errors.ParameterError, match="7 nodes"):
        theory.small_family(8)


def test_strongly_regular_family_shares_parameters_but_not_graphs() -> None:
    for group in theory.strongly_regular_family():
        assert len({zoo.intersection_array(G) for G in group}) == 1
        assert all(theory.isomorphic(a, b) is False for a, b in combinations(group, 2))
    cyclic = theory.latin_square_graph(np.add.outer(np.arange(5), np.arange(5)) % 5)
    assert theory.isomorphic(cyclic, zoo.paley(25)) is True
    for square in ([[0, 1], [0, 1]], [[0, 0], [0, 0]], [[0, 1]], [[0, 1], [1, 2]]):
        with pytest.raises(errors.ParameterError, match="Latin square"):
            theory.latin_square_graph(square)


# ---- files of pairs -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["ElEG E{CW\n", "ElEG\nE{CW\n", ">>graph6<<ElEG\n\n# a comment\nE{CW", "ElEG,E{CW\r\n"]
)
def test_pairs_are_read_two_on_a_line_or_on_two_lines(text: str, tmp_path) -> None:
    (tmp_path / "pairs.g6").write_text(text, encoding="utf-8")
    ((first, second),) = theory.read_pairs(tmp_path / "pairs.g6")
    assert first.edges.tolist() == zoo.domino().edges.tolist()
    assert second.edges.tolist() == zoo.bridged_triangles().edges.tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ElEG E{CW\nElE E{CW\n", "pairs.g6, line 2: 'ElE' is not graph6"),
        ("ElEG E{CW\nElEG\n", "pairs.g6, line 2: 1 graphs, but line 1 has 2"),
        ("ElEG\nE{CW\n\nElEG\n", "pairs.g6, line 4: the last of the 3 graphs has no partner"),
        ("ElEG E CW\n", "pairs.g6, line 1: 3 graphs"),
        ("ElEG El!G\n", "pairs.g6, line 1: '!' is not a graph6 character"),
        (":ElEG ElEG\n", "pairs.g6, line 1: .* is sparse6"),
        ("~~ ElEG\n", "pairs.g6, line 1: '~~' is not graph6"),
        ("? ?\n", "pairs.g6, line 1: the graph has no nodes"),
        ("ElEG \u00e9\n", "pairs.g6, line 1: graph6 is plain ASCII"),
        ("\n# nothing\n", "pairs.g6 holds no graph"),
    ],
)
def test_malformed_files_are_named_with_their_line(text: str, message: str, tmp_path) -> None:
    (tmp_path / "pairs.g6").write_text(text, encoding="utf-8")
    with pytest.raises(errors.GraphError, match=message):
        theory.read_pairs(tmp_path / "pairs.g6")


def test_a_missing_file_is_named(tmp_path) -> None:
    with pytest.raises(errors.GraphError, match=r"nowhere\.g6"):
        theory.scoreboard(tmp_path / "nowhere.g6")


def test_graph6_of_more_than_62_nodes(tmp_path) -> None:
    G = zoo.random_regular(100, 3)
    (tmp_path / "big.g6").write_bytes(nx.to_graph6_bytes(G.to_networkx(), header=False) * 2)
    assert theory.read_pairs(tmp_path / "big.g6")[0][1].edges.tolist() == G.edges.tolist()


# ---- the scoreboard -----------------------------------------------------------------------------


def check_against_verdicts(board: theory.Scoreboard) -> None:
    for i, row in board.pairs.iterrows():
        G, H = board.graphs(i)
        for method, how in VERDICTS.items():
            verdict = de.distinguish(G, H, **how)
            assert row[method] == (f"layer {verdict.layer}" if verdict.different else "same"), (i, method)


def test_scores_agree_with_the_verdicts_pair_by_pair() -> None:
    groups = [
        (zoo.shrikhande(), zoo.rook(4)),
        tuple(theory.regular_graphs(8, 3)[:4]),
        (zoo.csl(11, 2), zoo.csl(11, 3)),
        (zoo.desargues(), zoo.dodecahedron()),
        *theory.small_family(6),
    ]
    check_against_verdicts(theory.scoreboard({"mixed": groups}, progress=False))


@settings(max_examples=15)
@given(*[graphs(max_nodes=6).filter(lambda G: G.num_nodes >= 3 and G.num_edges)] * 2)
def test_scores_agree_with_the_verdicts_on_any_pair(G: de.Graph, H: de.Graph) -> None:
    check_against_verdicts(theory.scoreboard({"any": [(G, H)]}, progress=False))


def test_graphs_without_edges_or_with_few_nodes_have_a_score() -> None:
    none, one, two = (de.Graph.from_edges(edges, 2 if edges else 3) for edges in ([], [(0, 1)], [(0, 1)]))
    board = theory.scoreboard({"tiny": [(none, one), (one, two), (none, none)]}, progress=False)
    assert board.pairs["DE-2 edges"].tolist() == ["layer 0", "same", "same"]
    assert board.pairs["DE-3"].tolist() == ["layer 0", "same", "same"]
    assert board.unseparated["isomorphic"].tolist() == [True, True]


def test_a_difference_at_layer_0_counts_as_told_apart() -> None:
    """A path and a star of 4 nodes: distances from a target differ before any aggregation, and so do pairs in 2-WL."""
    path, star = de.Graph.from_edges([(0, 1), (1, 2), (2, 3)]), de.Graph.from_edges([(0, 1), (0, 2), (0, 3)])
    square = de.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])
    board = theory.scoreboard({"small": [(path, star, square)]}, ["1-WL", "2-WL", "DE-2 pairs"], progress=False)
    assert board.pairs["2-WL"].tolist() == ["layer 1", "layer 0", "layer 0"]
    assert board.pairs["DE-2 pairs"].tolist() == ["layer 0", "layer 0", "layer 0"]
    assert board.table.loc["small"].tolist() == [3, 3, 3, 3]
    assert len(board.unseparated) == 0


def test_scoreboard_of_the_paper_s_families() -> None:
    board = theory.scoreboard(["connected, up to 7 nodes", "strongly regular"], progress=False)
    assert board.table["pairs"].tolist() == [20, 8]
    assert board.table["1-WL"].tolist() == [0, 0]
    assert board.table.loc["strongly regular", ["2-WL", "DE-1 SPD", "DE-1 LP", "DEA-1, K=2"]].tolist() == [0, 0, 0, 0]
    assert board.table.loc["strongly regular", ["DE-2 edges", "DE-2 pairs", "DE-3"]].tolist() == [8, 8, 8]
    assert board.table.loc["connected, up to 7 nodes", "DE-1 SPD"] == 20
    assert len(board.unseparated) == 0
    assert board.plot().data


def test_all_regular_graphs_up_to_10_nodes() -> None:
    board = theory.scoreboard(["regular, up to 10 nodes"], ["1-WL", "2-WL", "DE-1 SPD", "DE-2 edges"], progress=False)
    assert board.table.iloc[0].tolist() == [4152, 0, 4152, 4152, 4152]


def test_unseparated_pairs_are_listed_and_opened(tmp_path) -> None:
    renumbered = shuffled(zoo.rook(4), 3)[0]
    lines = [
        nx.to_graph6_bytes(G.to_networkx(), header=False).decode().strip()
        for G in (zoo.shrikhande(), zoo.rook(4), zoo.rook(4), renumbered)
    ]
    (tmp_path / "pairs.g6").write_text("\n".join(lines), encoding="utf-8")
    board = theory.scoreboard(tmp_path / "pairs.g6", ["2-WL", "DE-1 SPD"], progress=False)
    assert board.table.loc["pairs.g6"].tolist() == [2, 0, 0]
    assert board.unseparated["isomorphic"].tolist() == [False, True]
    explorer = board.open(0)
    assert [side.graph.num_edges for side in explorer.state.sides] == [48, 48]
    with pytest.raises(errors.ParameterError, match="pair=2"):
        board.open(2)


def test_pairs_too_large_are_marked() -> None:
    board = theory.scoreboard(["strongly regular"], ["DE-1 SPD", "DE-3"], max_arcs=900_000, progress=False)
    assert set(board.pairs["DE-3"]) == {"layer 1", "too large"}
    assert "DE-3: 7 of 8 pairs are too large" in board.notes[0]
    assert "1 of 1" in board.plot().to_json()
    none = theory.scoreboard(["strongly regular"], ["DE-3"], max_arcs=1000, progress=False)
    assert none.table["DE-3"].isna().all() and "too large" in none.plot().to_json()


def test_a_large_group_split_into_pairs_scores_the_same() -> None:
    family, methods = {"g": [theory.regular_graphs(8, 3)]}, ["DE-2 pairs", "DEA-1, K=2"]
    whole = theory.scoreboard(family, methods, progress=False)
    parts = theory.scoreboard(family, methods, max_arcs=3000, progress=False)
    assert whole.pairs.equals(parts.pairs)


def test_a_stop_event_ends_the_scoreboard() -> None:
    stop = Event()
    stop.set()
    with pytest.raises(Cancelled), watching(stop=stop):
        theory.scoreboard(progress=False)


def test_a_group_of_one_graph_has_no_pair_and_takes_nothing_from_the_others() -> None:
    board = theory.scoreboard({"f": [(zoo.petersen(),), (zoo.hexagon(), zoo.two_triangles())]}, progress=False)
    assert len(board.pairs) == 1 and board.table.loc["f", "pairs"] == 1


def test_the_note_on_2wl_names_its_limit() -> None:
    rings = (zoo.cycle(3000), zoo.cycle(3000))
    board = theory.scoreboard({"f": [rings]}, ["2-WL"], progress=False)
    assert board.pairs["2-WL"].tolist() == ["too large"] and "max_arcs" not in board.notes[0]


def test_the_bar_counts_verdicts() -> None:
    shares: list[tuple[str, float]] = []
    with watching(lambda what, share: shares.append((what, share))):
        theory.scoreboard({"f": [(zoo.hexagon(), zoo.two_triangles())]}, ["1-WL"], progress=False)
    assert shares[0] == ("Scoreboard", 0.0)


def test_unknown_names_are_answered() -> None:
    with pytest.raises(errors.ParameterError, match="Did you mean 'strongly regular'"):
        theory.scoreboard(["strong regular"])
    with pytest.raises(errors.ParameterError, match="method"):
        theory.scoreboard(["strongly regular"], ["3-WL"])
    with pytest.raises(errors.ParameterError, match="no pair"):
        theory.scoreboard({"empty": []})
