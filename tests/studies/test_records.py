"""The record of a run, and the file of records."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.common.errors import ParameterError
from degnn_explore.common.files import csv_text
from degnn_explore.studies.plan import Plan
from degnn_explore.studies.records import Run
from degnn_explore.studies.repeat import code_of, settings_note
from degnn_explore.studies.storage.files import read_runs

EPOCH = {"number": 1, "loss": 0.7, "val": {"auc": 0.6}, "test": {"auc": None}, "seconds": 0.1}


KARATE = de.load("karate")


def append(file: Path, run: Run) -> None:
    with file.open("a") as out:
        out.write(run.to_json() + "\n")


def read(file: Path) -> list[Run]:
    return read_runs(file)[0]


def record(key: str, **more: object) -> Run:
    return Run(key, "karate", "links", "GCN", **more)  # type: ignore[arg-type]


def test_what_is_appended_is_read_back_in_order(tmp_path: Path) -> None:
    file = tmp_path / "karate.jsonl"
    runs = [record("a", seed=1, test=0.5, sizes={"test": 8}), record("b", epochs=[EPOCH])]
    for run in runs:
        append(file, run)
    assert read(file) == runs
    assert all(json.loads(line)["graph"] == "karate" for line in file.read_text().splitlines())


def test_a_last_line_cut_short_loses_only_itself(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    append(file, record("a"))
    append(file, record("b"))
    whole = file.read_bytes()
    for cut in range(1, len(whole.splitlines()[1])):
        file.write_bytes(whole[: -cut - 1])
        assert [run.key for run in read(file)] == ["a"]


def test_a_line_cut_inside_a_letter_of_two_bytes(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    append(file, record("a"))
    file.write_bytes(file.read_bytes() + '{"key":"b","graph":"é'.encode()[:-1])
    assert [run.key for run in read(file)] == ["a"]


def test_the_later_of_two_records_of_a_key_counts(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    for run in (record("a", status="failed", error="no"), record("b"), record("a", test=0.9)):
        append(file, run)
    assert [(run.key, run.status) for run in read(file)] == [("b", "finished"), ("a", "finished")]


def test_numbers_that_json_cannot_say_become_null() -> None:
    line = record("a", test=float("nan"), epochs=[{"val": {"auc": float("inf")}}]).to_json()
    assert json.loads(line)["test"] is None
    assert json.loads(line)["epochs"] == [{"val": {"auc": None}}]


def test_another_file_is_refused_in_words(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("buy milk\ncall home\n")
    with pytest.raises(ParameterError, match="not a file of runs"):
        read(file)


@pytest.mark.parametrize("content", ['{"nodes":[1,2]}', '{"nodes":[1,2]}\n', "[]", "buy milk", '{"keys":1', "{}"])
def test_a_file_of_one_foreign_line_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "graph.json"
    file.write_text(content)
    with pytest.raises(ParameterError, match="not a file of runs"):
        read(file)


def test_a_first_record_cut_short_anywhere_is_no_foreign_file(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    append(file, record("a"))
    whole = file.read_bytes().rstrip()
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        assert read(file) == []


def test_a_folder_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="is a folder; name a file of runs"):
        read(tmp_path)


@pytest.mark.parametrize(
    "edit",
    [
        {"model": "GNC"},
        {"model": None},
        {"model": ["GCN"]},
        {"task": "colours"},
        {"metric": "f1"},
        {"options": None},
        {"options": {"epochs": None}},
        {"sizes": None},
        {"sizes": {"test": "many"}},
        {"hyper": []},
        {"epochs": None},
        {"epochs": [7]},
        {"epochs": [{"loss": 1.0}]},
        {"epochs": [{**EPOCH, "val": {"auc": 95.0}}]},
        {"epochs": [{**EPOCH, "loss": "low"}]},
        {"test": 95.0},
        {"test": -0.1},
        {"test": "0.9"},
        {"test": True},
        {"optimistic": 1.01},
        {"seed": 1.5},
        {"seed": -1},
        {"seconds": None},
        {"seconds": "8"},
        {"parameters": None},
        {"nodes": 10**30},
        {"digest": 7},
        {"key": None},
        {"model_file": None},
        {"status": "well"},
        {"when": 3},
        {"p": "2"},
        {"hyper": {"layers": [2]}},
        {"hyper": {"layers": {"deep": 2}}},
        {"hyper": {"hidden": 10**400}},
        {"hyper": {"\ud800": 2}},
        {"options": {"clip": -(10**400)}},
        {"options": {"optimizer": "\udfff"}},
        {"graph": "half \ud800"},
        {"error": "\udfff"},
        {"seconds": 10**400},
        {"sizes": {"test": 10**400}},
        {"epochs": [{**EPOCH, "loss": 10**400}]},
    ],
)
def test_a_record_edited_into_what_cannot_be_is_skipped_and_counted(tmp_path: Path, edit: dict[str, object]) -> None:
    file = tmp_path / "r.jsonl"
    good = record("good", digest="1f", test=0.8, optimistic=0.8, epochs=[EPOCH])
    append(file, good)
    bad = {**json.loads(record("bad", digest="1f", test=0.7).to_json()), **edit}
    file.write_text(file.read_text() + json.dumps(bad) + "\n")
    assert read(file) == [good]
    assert read_runs(file) == ([good], 1)


def test_nan_and_endless_nesting_are_skipped(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    append(file, record("good"))
    start = '{"key":"a","graph":"g","task":"links","model":"GCN",'
    file.write_text(file.read_text() + start + '"test":NaN}\n' + start + '"hyper":' + "[" * 100_000 + "\n")
    assert [run.key for run in read(file)] == ["good"]


def test_unknown_fields_of_a_later_version_are_left_out() -> None:
    assert Run.from_json('{"key":"a","graph":"g","task":"links","model":"GCN","mood":"good"}') == Run(
        "a", "g", "links", "GCN"
    )


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.integers(10**399, 10**400) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from([column.name for column in fields(Run)])


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(FIELDS, ANYTHING, max_size=4))
def test_whatever_is_in_a_record_it_is_read_or_refused_in_our_words(edit: dict[str, Any]) -> None:
    values = {**json.loads(record("a", digest="1f", test=0.5, epochs=[EPOCH]).to_json()), **edit}
    try:
        run = Run.from_json(json.dumps(values))
    except ParameterError:
        return
    assert Run.from_json(run.to_json()) == run  # what was accepted can be written, and is the same again
    run.to_json().encode()
    settings_note([run], Plan(KARATE, "links", ["GCN"]))  # and shown
    compile(code_of(Plan(KARATE, "links", ["GCN"]), [run]), "code", "exec")


@settings(max_examples=300, deadline=None)
@given(st.binary() | st.text().map(str.encode) | ANYTHING.map(lambda value: json.dumps(value).encode()))
def test_any_file_is_records_or_refused_in_our_words(tmp_path_factory: Any, content: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "any.jsonl"
    file.write_bytes(content)
    with contextlib.suppress(ParameterError):
        read(file)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), min_size=1))
def test_no_cell_of_a_csv_is_a_formula_and_no_name_is_lost(names: list[str]) -> None:
    text = csv_text(pd.DataFrame({"name": names, "change": [-1.0] * len(names)}, index=names))
    _, *rows = csv.reader(io.StringIO(text, newline=""))
    assert [row[2] for row in rows] == ["-1.0"] * len(names)
    for row, name in zip(rows, names, strict=True):
        for cell in row[:2]:
            assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
            assert cell in (name, f"'{name}")
