"""``degnn-explore explain``."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import degnn_explore as de
from degnn_explore.cli import main


def test_the_answer_is_that_of_the_library(model_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    why = de.explain(de.load_model(model_file), de.load("karate"), [0, 33])
    picture = tmp_path / "why.svg"
    assert main(["explain", model_file, "karate", "0", "33", "--picture", str(picture)]) == 0
    out = capsys.readouterr().out
    assert out.startswith(why.title)
    assert "rings that are left out" in out
    assert picture.read_text() == why.picture()
    assert main(["explain", model_file, "karate", "0", "33", "--table", "edges"]) == 0
    table = pd.read_csv(io.StringIO(capsys.readouterr().out))
    np.testing.assert_array_equal(table[["u", "v"]], why.edges[["u", "v"]])
    np.testing.assert_allclose(table["change"], why.edges["change"], rtol=1e-4, atol=1e-6)


def test_branches_name_their_nodes(model_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", model_file, "lesmis", "Valjean", "Javert", "--table", "branches"]) == 0
    table = pd.read_csv(io.StringIO(capsys.readouterr().out))
    assert set(table["root"]) == {"Valjean", "Javert"}
    assert all(isinstance(nodes, str) for nodes in table["nodes"])
