"""The code in docs/ does what the pages say."""

from __future__ import annotations

import re
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
import torch

import degnn_explore as de
from degnn_explore.learn.registry import MODELS
from docs import make_glossary

DOCS = Path(__file__).parents[1] / "docs"


@patch.dict(MODELS)  # what the page registers is forgotten after it
def test_a_model_of_your_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the board's store
    here: dict[str, object] = {"__name__": "own_model"}
    page = (DOCS / "own_model.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, flags=re.S | re.M)
    for block in blocks:
        exec(compile(block, "docs/own_model.md", "exec"), here)
    template = next(block for block in blocks if "class Mine" in block)
    assert len([line for line in template.splitlines() if line.strip()]) <= 40
    assert here["scores"].shape == here["elsewhere"].shape == (2,)
    assert [epoch.number for epoch in here["epochs"]] == [1, 2, 3, 4, 5]
    assert here["together"][-1].loss < here["together"][0].loss
    assert set(here["found"].tried) == {"mine", "my SAGE"}
    assert len(here["why"].edges) > 0
    with torch.no_grad():
        assert np.isfinite(float(here["loss"]))
    board = here["board"]
    try:
        board.start()
        board.wait(300)
        assert {run.model for run in board.runs} == {"mine", "my SAGE", "GCN"}
        assert all(run.status == "finished" for run in board.runs), [run.error for run in board.runs]
        assert set(board.results().frame().index) >= {"mine", "my SAGE", "GCN"}
    finally:
        board.close()
    own = [MODELS[name].color for name in ("mine", "my SAGE")]
    assert all([entry.color for entry in MODELS.values()].count(color) == 1 for color in own)
    assert de.models().loc["mine", "about"].startswith("Layers that join a node")


def test_the_glossary_is_the_one_of_the_explorer() -> None:
    assert (DOCS / "glossary.md").read_text(encoding="utf-8") == make_glossary.text(), "run: docs/make_glossary.py"
