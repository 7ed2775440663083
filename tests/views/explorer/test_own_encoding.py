"""The Explorer with an encoding of one's own: menu, legend, subtrees, verdicts, and all that is shared of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.encodings.own import OWN
from degnn_explore.views.explorer.colouring import by_encoding

FIG1 = de.zoo.figure1()


def sums() -> de.Encoding:
    return de.encoding("sums", lambda near: near.walks[:, 1:].sum(axis=1), columns=["Σ"], walks=3)


def both() -> de.Encoding:
    return de.encoding("both", lambda n: np.stack([n.distance, n.degree], axis=1), columns=["far", "degree"])


def legend(explorer: de.Explorer) -> list[tuple[str, list[int]]]:
    return [(entry["label"], entry["counts"]) for entry in explorer.graph_canvas.legend[:-1]]


def test_menu_legend_subtrees_and_verdict() -> None:
    z = sums()
    explorer = de.Explorer((FIG1, 2), (FIG1, 3), colour_by=z)
    menu = explorer._settings.bar["colour_by"]
    assert menu["value"] == "sums"
    assert menu["title"] == "Your encoding: Σ"
    assert [tuple(option) for option in menu["options"]][-2:] == [
        ("sums (yours)", "sums"),
        ("classes: DE-sums (yours)", "DE-sums"),
    ]
    assert explorer._settings.bar["column"]["hidden"]
    assert explorer.graph_canvas.legend_title == "sums: Σ"
    assert ("11/27", [1, 0]) in legend(explorer)  # v2 itself
    assert ("1/3", [0, 1]) in legend(explorer)  # v3 itself
    tree = explorer.tree_view
    assert (tree.encoding, tree.legend_title, tree.listed) == ("sums", "sums: Σ", False)
    explorer.wait()
    assert explorer.verdicts["DE-sums"] == de.distinguish((FIG1, 2), (FIG1, 3), z)
    assert explorer.strip.pills[-1]["title"] == "DE-1 sums"
    assert "DE-sums from layer 0" in explorer.still()[0]
    explorer.state.update(colour_by="SPD")
    explorer.wait()
    assert "DE-sums" not in explorer.verdicts


def test_classes_by_it_and_columns() -> None:
    z = both()
    explorer = de.Explorer((FIG1, 2), (FIG1, 3), colour_by="DE-both", layer=2)
    assert explorer.graph_canvas.legend_title == "classes by DE-both after 2 layers"
    tree = explorer.tree_view
    assert (tree.legend_title, tree.listed) == ("both: far", True)
    assert tree.note == "discs say both: far; subtrees compare all columns"
    classes = np.frombuffer(explorer.graph_canvas.codes, "<u2")
    colour = np.concatenate([de.colours(FIG1, {v}, z, layers=2)[2] for v in (2, 3)])
    assert np.array_equal(classes[:, None] == classes, colour[:, None] == colour)
    explorer.state.update(colour_by=z, column=1)
    column = explorer._settings.bar["column"]
    assert (column["value"], column["hidden"]) == (1, False)
    assert [tuple(option) for option in column["options"]] == [("far", 0), ("degree", 1)]
    assert (explorer.graph_canvas.legend_title, legend(explorer)) == ("both: degree", [("3", [8, 8])])
    assert explorer._settings.bar["colour_by"]["title"] == "Your encoding: far, degree"


def test_pictures_codes_and_python_know_it(tmp_path: Path) -> None:
    both()
    explorer = de.Explorer((FIG1, 2), (FIG1, 3), colour_by="both", column=1)
    assert "both: degree" in explorer.svg()
    assert "<svg" in explorer.svg("tree")
    assert "made with degnn_explore" in explorer.html()
    again = de.Explorer.restore(explorer.share())
    assert (again.state.colour_by, again.state.column) == ("both", 1)
    lines = explorer.code().splitlines()
    assert lines[1] == "# run the cell with your de.encoding('both', ...) first"
    assert lines[-2] == 'print(de.distinguish(A, B, method="DE-both"))'
    assert "colour_by='both', column=1" in lines[-1]
    assert explorer.page(tmp_path / "lesson.html").stat().st_size < 400_000
    code = explorer.share()
    OWN.clear()
    with pytest.raises(
        de.ParameterError, match=r"coloured by 'both', .* run the cell with de.encoding\('both', ...\) f"
    ):
        de.Explorer.restore(code)


def test_what_cannot_be_is_said() -> None:
    z = sums()
    sums()  # another one of that name
    with pytest.raises(de.ParameterError, match=r"<encoding 'sums': Σ> is not registered .* give it a name first"):
        de.Explorer(FIG1, colour_by=z)
    de.encoding("seal", de.DRNL(2))
    explorer = de.Explorer((FIG1, [2]), colour_by="seal")
    assert "seal: label 5 is defined for pairs: pick two" not in explorer.graph_canvas.legend_note
    assert explorer.graph_canvas.legend_note == "seal: unreachable is defined for pairs: pick two targets (now 1)"
    with pytest.raises(de.ParameterError, match="seal takes target sets of 2 nodes alone, and the reader of a page"):
        explorer.page("lesson.html")


def test_a_function_that_fails_on_this_graph_is_shown_as_such() -> None:
    de.encoding("log", lambda near: np.log(np.maximum(10 - near.degree, 0)), columns=["log"])
    G = de.load("karate")
    explorer = de.Explorer((G, 0), (G, 33), colour_by="SPD")
    explorer._from_control("colour_by", "log")
    assert "gives -inf in column &#x27;log&#x27; for node 0" in explorer._error.value


def test_many_values_are_binned_also_below_zero() -> None:
    G = de.load("celegans")
    z = de.encoding("below", lambda n: n.walks[:, 3] - n.distance, columns=["x"], walks=3)
    coloured = by_encoding([(G, [0])], z)
    values = coloured.values[0]
    for code, entry in enumerate(coloured.entries[:-1]):
        inside = values[coloured.codes[0] == code]
        low, high = map(float, entry.label.split(" – "))
        assert len(inside) == entry.counts[0]
        assert ((inside >= low - 0.01) & (inside <= high + 0.01)).all()
    assert sum(entry.counts[0] for entry in coloured.entries[:-1]) == G.num_nodes
