"""What a study may ask for: every file of ours, and what is said of files that are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import degnn_explore as de
from degnn_explore.common.errors import ParameterError
from degnn_explore.studies.comparison import paper_number
from degnn_explore.studies.study import Cell
from degnn_explore.studies.study_file import make_config, read_config

STUDIES = Path(de.__file__).parents[1] / "studies"
COLUMN = '[[columns]]\ngraph = "karate"\ntask = "links"\nmodels = ["GCN"]\n'


@pytest.mark.parametrize("file", sorted(STUDIES.glob("*.toml")), ids=lambda file: file.stem)
def test_every_study_of_ours_can_be_read(file: Path) -> None:
    made = read_config(file)
    assert made.title and made.columns and made.name == file.stem


def test_table1_asks_for_every_cell_of_the_papers_table_and_no_other() -> None:
    cells = {
        (model, column.graph, {"roles": 1, "links": 2, "triangles": 3}[column.task])
        for column in read_config(STUDIES / "table1.toml").columns
        for model in column.models
    }
    in_paper = {
        (model, graph, p)
        for model in de.models().index
        for graph in de.datasets()["name"]
        for p, metric in ((1, "accuracy"), (2, "auc"), (3, "auc"))
        if paper_number(model, graph, p, metric)
    }
    assert len(cells) == 72
    assert cells == in_paper


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "needs columns"),
        ("models = ", "cannot be read as TOML"),
        ("colums = []\n" + COLUMN, "'colums' is not known"),
        (COLUMN + "epoch = 3", "key='epoch' is not known"),
        (COLUMN + 'epochs = "many"', "columns[1].epochs: it must be a whole number"),
        (COLUMN.replace("GCN", "GCNN"), "Did you mean 'GCN'"),
        (COLUMN.replace("links", "roles").replace("GCN", "PGNN"), "PGNN does not take sets of 1"),
        (COLUMN.replace("links", "edges"), "columns[1].task: task='edges' is not known"),
        (COLUMN.replace('graph = "karate"\n', ""), 'columns[1] has no graph; add one, such as "celegans"'),
        (COLUMN.replace('["GCN"]', "[]"), "columns[1].models"),
        (COLUMN + COLUMN, "two columns have the same graph and task"),
        (COLUMN + "search = { trials = 0 }", "columns[1].search.trials: it must be a whole number"),
        (COLUMN + "search = { rungs = [9, 3] }", "must grow, such as [5, 15, 45], not [9, 3]"),
        (COLUMN + "search = { seeds = [3] }", "are reported, too (0 to 4)"),
        (COLUMN + "search = { space = { depht = [1] } }", "setting='depht' is not known"),
        (COLUMN + "search = { space = { GCNN = { hidden = [4] } } }", "Did you mean 'GCN'"),
        (COLUMN + "settings = { GCN = { max_dist = 3 } }", "setting of GCN='max_dist' is not known"),
        (COLUMN + "seeds = { most = 2 }", "columns[1].seeds"),
        (COLUMN + "search = { trails = 3 }", "Did you mean 'trials'"),
        (COLUMN + 'protocol = "honest"\nprotocols = ["honest"]', "keep one of them"),
        (COLUMN + 'protocol = "unfair"', "protocol='unfair' is not known"),
        (COLUMN + "protocols = []", "columns[1].protocols"),
    ],
)
def test_a_wrong_study_is_told_where_and_what_to_write(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError) as told:
        read_config(file)
    assert words in str(told.value) and "wrong.toml" in str(told.value)


@pytest.mark.parametrize("given", [["negatives_repeat", "gradients_not_reset"], "negatives_repeat+gradients_not_reset"])
def test_several_leaks_at_once_are_a_list_or_joined_by_plus(given: Any) -> None:
    study = de.study(graphs="karate", models="GCN", protocol=given)
    assert study.config.columns[0].protocols == ("negatives_repeat + gradients_not_reset",)


def test_arguments_of_study_are_named_without_the_columns_of_a_file() -> None:
    with pytest.raises(ParameterError) as told:
        de.study(graphs="karate", models="GCN", seeds=0)
    assert str(told.value).startswith("seeds: it must be a whole number")
    with pytest.raises(ParameterError) as told:
        de.study(graphs="karate", tasks=["links", "roles"], models="Katz")
    assert str(told.value).startswith("Katz does not take sets of 1 (karate roles)")


def test_a_column_overrides_what_is_said_for_all_key_by_key() -> None:
    common = {"models": ["GCN"], "epochs": 9, "options": {"patience": 4, "batch_size": 32}, "search": {"trials": 7}}
    own = {"graph": "karate", "task": "links", "options": {"patience": 2}, "search": {"rungs": [1, 2]}}
    (column,) = make_config({**common, "columns": [own]}).columns
    assert (column.epochs, column.options) == (9, {"patience": 2, "batch_size": 32})
    assert column.search is not None and (column.search.trials, column.search.rungs) == (7, (1, 2))


def test_the_usual_rungs_end_with_the_epochs_of_a_run() -> None:
    for epochs, rungs in ((4, (4,)), (5, (5,)), (15, (5, 15)), (44, (5, 15)), (45, (5, 15, 45))):
        (cell,) = cells(models="GCN", epochs=epochs, search={"trials": 2})
        assert cell.rungs == rungs


def test_one_model_may_be_named_without_a_list() -> None:
    (column,) = make_config({"models": "GCN", "columns": [{"graph": "karate", "task": "links"}]}).columns
    assert column.models == ("GCN",)
    assert de.study(graphs="karate", models="GCN").progress().left == 5


def test_all_cells_of_table1_have_20_seeds() -> None:
    for name in ("table1", "heuristics", "leaks"):
        assert {column.seeds for column in read_config(STUDIES / f"{name}.toml").columns} == {20}


def cells(**given: Any) -> list[Cell]:
    """The cells of a study of links in karate; none of their runs has ended."""
    (column,) = make_config({**given, "columns": [{"graph": "karate", "task": "links"}]}).columns
    return [Cell(column, model, de.load("karate"), protocol, {})
            for protocol in column.protocols for model in column.models]  # fmt: skip


def test_every_model_is_given_as_many_trials_the_defaults_first_and_one_with_fewer_tries_all() -> None:
    models = ["GCN", "SEAL", "DE-GNN-SPD", "Katz", "Adamic-Adar"]
    found = {cell.model: cell for cell in cells(models=models, epochs=4, search={"trials": 5, "rungs": [1, 2]})}
    assert {model: len(cell.trials) for model, cell in found.items()} == {
        "GCN": 5, "SEAL": 5, "DE-GNN-SPD": 5, "Katz": 4, "Adamic-Adar": 1}  # fmt: skip
    assert all(cell.trials[0] == {} for cell in found.values())
    specs = [spec for _, spec in found["GCN"].trial_specs()]
    assert {(spec.rung, spec.epochs) for spec in specs} == {(1, 1), (2, 2)}
    assert {spec.seed for spec in specs} == {1000, 1001}


def test_a_protocol_is_a_column_of_its_own_and_settings_are_chosen_honestly() -> None:
    search = {"trials": 2, "rungs": [1]}
    honest, leaking = cells(models=["GCN"], search=search, protocols=["honest", "negatives_repeat"])
    assert (honest.protocol, leaking.protocol) == ("honest", "negatives_repeat")
    trials = [[spec.key for _, spec in cell.trial_specs()] for cell in (honest, leaking)]
    assert trials[0] == trials[1] != []
    assert honest.reported(0)[0].key != leaking.reported(0)[0].key
    assert leaking.reported(0)[0].make_task().leaks == ("negatives_repeat",)
