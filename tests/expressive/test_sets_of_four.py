"""Four targets whose distances to each other are the same six numbers, and still lie differently."""

from __future__ import annotations

import degnn_explore as de

# All four nodes of a star; and a triangle with a node two steps from each of its corners.
STAR = de.Graph.from_edges([(0, 1), (0, 2), (0, 3)])
TRIANGLE = de.Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 0), (4, 1), (4, 2)])
FOUR = [0, 1, 2, 3]


def test_the_reason_lists_what_each_target_is_told() -> None:
    inside = [sorted(de.SPD(3).encode(G, FOUR)[FOUR].tolist()) for G in (STAR, TRIANGLE)]
    assert inside[0] != inside[1]
    one = de.distinguish((STAR, FOUR), (TRIANGLE, FOUR), "DE-SPD", progress=False)
    other = de.distinguish((TRIANGLE, FOUR), (STAR, FOUR), "DE-SPD", progress=False)
    assert (one.layer, other.layer) == (0, 0)
    star, triangle = ("0,1,1,1", "0,1,2,2 (×3)"), ("0,1,1,2 (×3)", "0,2,2,2")
    for verdict, first, second in ((one, star, triangle), (other, triangle, star)):
        left, _, right = verdict.why.partition("B")
        assert all(words in left for words in first) and all(words in right for words in second)
