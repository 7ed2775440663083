"""The record of a run, and the file of records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from degnn_explore.errors import ParameterError
from degnn_explore.runs import Run, append, read, set_aside


def record(key: str, **more: object) -> Run:
    return Run(key, "karate", "links", "GCN", **more)  # type: ignore[arg-type]


def test_what_is_appended_is_read_back_in_order(tmp_path: Path) -> None:
    file = tmp_path / "runs" / "karate.jsonl"
    runs = [record("a", seed=1, test=0.5, sizes={"test": 8}), record("b", epochs=[{"number": 1, "loss": 0.7}])]
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
        file.write_bytes(whole[:-cut - 1])
        assert [run.key for run in read(file)] == ["a"]
    append(file, record("c"))  # closes the torn line first
    assert [run.key for run in read(file)] == ["a", "c"]


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
    with pytest.raises(ParameterError, match="not a file of results"):
        read(file)


def test_unknown_fields_of_a_later_version_are_left_out() -> None:
    assert Run.from_json('{"key":"a","graph":"g","task":"links","model":"GCN","mood":"good"}') == Run(
        "a", "g", "links", "GCN")


def test_set_aside_keeps_the_old_records(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    names = []
    for _ in range(2):
        append(file, record("a"))
        old = set_aside(file)
        assert old is not None
        names.append(old.name)
    assert names == ["r.1.jsonl", "r.2.jsonl"]
    assert not file.exists()
    assert [run.key for run in read(tmp_path / "r.1.jsonl")] == ["a"]
