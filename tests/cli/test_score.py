"""``degnn-explore score``: a file of target sets, read and written in chunks."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tqdm.auto
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.cli import command

from .conftest import Done, Shell, write

KARATE = de.load("karate")
ALL = np.array([(u, v) for u in range(34) for v in range(u + 1, 34)])  # 561 pairs


def scored(shell: Shell, model: str, text: str, *options: str, graph: str = "karate") -> tuple[pd.DataFrame, Done]:
    done = shell("score", model, graph, write("sets.csv", text), "--out", "scores.csv", *options)
    assert (done.code, done.out) == (0, ""), done.err
    return pd.read_csv("scores.csv", dtype={"u": str, "v": str}, keep_default_na=False), done


def test_scores_are_what_predict_says(shell: Shell, model_file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bar = tqdm.auto.tqdm
    monkeypatch.setattr(tqdm.auto, "tqdm", lambda **options: bar(**options | {"delay": 0}))  # even a short one shows
    monkeypatch.setattr(command, "CHUNK", 100)
    text = "u,v\n" + "".join(f"{u},{v}\n" for u, v in ALL)
    for options in ((), ("--quiet",)):
        write("scores.csv", "an old file is replaced")
        table, done = scored(shell, model_file, text, *options)
        assert list(table.columns) == ["u", "v", "score"]
        np.testing.assert_array_equal(table[["u", "v"]].astype(int), ALL)
        expected = de.predict(de.load_model(model_file), KARATE, ALL, progress=False)
        np.testing.assert_allclose(table["score"], expected, rtol=1e-6)
        progress, _, message = done.err.rpartition("degnn-explore: ")
        assert message == "561 sets scored, written to scores.csv\n"
        size = f"{len(text) / 1000:.2f}k"
        assert re.search(rf"scoring: 100%.* {size}/{size} .*B/s", progress) if not options else progress == ""
        assert sorted(os.listdir()) == ["scores.csv", "sets.csv"]


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cells=st.lists(st.lists(st.sampled_from(["0", "1", "33", "99", "x", ""]), min_size=1, max_size=3), max_size=12),
    chunk=st.integers(1, 5),
)
def test_chunks_of_any_size_give_the_sets_of_a_slow_reader(
    shell: Shell, model_file: str, monkeypatch: pytest.MonkeyPatch, cells: list[list[str]], chunk: int
) -> None:
    monkeypatch.setattr(command, "CHUNK", chunk)
    rows = [*cells, ["0", "5"]]
    known = {str(v) for v in range(34)}
    valid = [len(row) > 1 and {*row[:2]} <= known and row[0] != row[1] for row in rows]
    filled = [row != [""] for row in rows]  # an empty line is no row
    table, done = scored(shell, model_file, "u,v\n" + "".join(",".join(row) + "\n" for row in rows), "--quiet")
    assert table[["u", "v"]].values.tolist() == [row[:2] for row, good in zip(rows, valid, strict=True) if good]
    skipped = [row for row, good, line in zip(rows, valid, filled, strict=True) if line and not good]
    said = re.search(r"Skipped (\d+) lines? without a valid target set, the first: '(.*)'", done.err)
    assert said.groups() == (str(len(skipped)), ", ".join([*skipped[0], ""][:2])) if skipped else said is None


@pytest.mark.parametrize(
    ("text", "options", "columns"),
    [
        ("ann bob\n", "", "node 1,node 2"),
        ("\ufefffrom\tto\tweight\nann\tbob\t0.5\n", "", "from,to"),
        ("weight;to;from\n5;bob;ann\n", "--columns from,to", "from,to"),
        ("5\tbob\tann\n", "--columns 3,2", "node 1,node 2"),
        ('"ann", "bob"\n', "", "node 1,node 2"),
        ("0,1\n", "", "node 1,node 2"),
        ("\n\nann,1,extra\nann\n", "", "node 1,node 2"),
        ("\nwho,whom\n\nann\nann,bob,extra\n", "", "who,whom"),
        ("who,score\nann,bob\n", "", "node 1,node 2"),  # the scores need that name
        ("who,whom\nx,caf\xe9\nann,bob\n", "", "who,whom"),
        ("NA,dan\n", "", "node 1,node 2"),
    ],
)
def test_ways_to_write_a_set(shell: Shell, model_file: str, text: str, options: str, columns: str) -> None:
    write("graph.csv", "ann,bob\nbob,cai\ncai,dan\ndan,NA\n")
    Path("sets.csv").write_bytes(text.encode("latin-1" if "\xe9" in text else "utf-8"))
    done = shell("score", model_file, "graph.csv", "sets.csv", "--out", "out.csv", *options.split(), "--quiet")
    table = pd.read_csv("out.csv")
    assert done.code == 0 and list(table.columns) == [*columns.split(","), "score"]
    pair = ["NA", "dan"] if "NA" in text else ["ann", "bob"]
    expected = de.predict(de.load_model(model_file), de.read_graph("graph.csv"), [pair])
    np.testing.assert_allclose(table["score"], expected, rtol=1e-6)


def test_a_node_is_its_name_or_else_its_number(shell: Shell, model_file: str) -> None:
    """Ids that are other numbers than 0..n-1 are never taken for positions, and a name may be a number."""
    table, done = scored(shell, model_file, "1,2\n0,1\n", graph=write("graph.csv", "1,2\n2,3\n"))
    assert len(table) == 1 and "Skipped 1 line" in done.err
    nodes, edges = '[{"id": "2"}, {"id": " x "}, {"id": "y"}]', '[{"source": "y", "target": "2"}]'
    graph = write("graph.json", f'{{"nodes": {nodes}, "edges": {edges}}}')
    table, _ = scored(shell, model_file, "u,v\n2,x\ny,0\n", graph=graph)
    expected = de.predict(de.load_model(model_file), de.read_graph(graph), [["2", " x "], ["y", "2"]])
    np.testing.assert_allclose(table["score"], expected, rtol=1e-6)


def test_each_class_of_roles_has_a_column(shell: Shell) -> None:
    arguments = "train us-flights --task roles --model GCN --epochs 1 --set hidden=4 --out m.safetensors --quiet"
    assert shell(*arguments.split()).code == 0
    table, _ = scored(shell, "m.safetensors", "ABQ\nATL\n", graph="us-flights")
    assert list(table.columns) == ["node 1", *(f"score of {quartile}" for quartile in range(4))]
    expected = de.predict(de.load_model("m.safetensors"), de.load("us-flights"), [["ABQ"], ["ATL"]])
    np.testing.assert_allclose(table.to_numpy()[:, 1:].astype(float), expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("77,78\n79,80\n", "sets.csv --out scores.csv", "names 2 different nodes"),
        ("", "sets.csv --out scores.csv", "not a table"),
        ('0,"1\n2,3\n', "sets.csv --out scores.csv", "not a table"),
        ("u,v\n0,1\n", "none.csv --out scores.csv", "no file 'none.csv'"),
        ("u,v\n0,1\n", "sets.csv --out sets.csv", "names the file that is read"),
        ("u,v\n0,1\n", "sets.csv --out nowhere/scores.csv", "no folder 'nowhere'"),
        ("u,v\n0,1\n", "sets.csv --out scores.csv --columns u", "sets of 2 nodes"),
        ("u,v\n0,1\n", "sets.csv --out scores.csv --columns u,w", "'w'"),
        ("0,1\n", "sets.csv --out scores.csv --columns 0,1", "column='0'"),
        ("u,v\n0,1\n", "sets.csv --out scores.csv --device tpu", "tpu"),
    ],
)
def test_errors_of_score_leave_no_file(shell: Shell, model_file: str, text: str, arguments: str, message: str) -> None:
    write("sets.csv", text)
    done = shell("score", model_file, "karate", *arguments.split(), "--quiet")
    assert (done.code, done.out) == (2, "") and message in done.err
    assert os.listdir() == ["sets.csv"] and Path("sets.csv").read_text(encoding="utf-8") == text
