"""What a study may ask for: every file of ours, and what is said of files that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

import degnn_explore as de
from degnn_explore.common.errors import ParameterError
from degnn_explore.studies.comparison import paper_number
from degnn_explore.studies.whole.asked import asked, read
from degnn_explore.studies.whole.cells import Cell, Work

STUDIES = Path(de.__file__).parents[1] / "studies"
COLUMN = '[[columns]]\ngraph = "karate"\ntask = "links"\nmodels = ["GCN"]\n'


@pytest.mark.parametrize("file", sorted(STUDIES.glob("*.toml")), ids=lambda file: file.stem)
def test_every_study_of_ours_can_be_read(file: Path) -> None:
    made = read(file)
    assert made.title and made.columns and made.name == file.stem


def test_table1_asks_for_every_cell_of_the_papers_table_and_no_other() -> None:
    cells = {
        (model, column.graph, {"roles": 1, "links": 2, "triangles": 3}[column.task])
        for column in read(STUDIES / "table1.toml").columns
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
        (COLUMN + "epoch = 3", "columns[1]: key='epoch' is not known"),
        (COLUMN + 'epochs = "many"', "columns[1].epochs must be a whole number of at least 1, not 'many'"),
        (COLUMN.replace("GCN", "GCNN"), "Did you mean 'GCN'"),
        (COLUMN.replace("links", "roles").replace("GCN", "PGNN"), "PGNN does not take sets of 1 (roles)"),
        (COLUMN.replace("links", "edges"), "columns[1].task='edges' is not known"),
        (COLUMN.replace('graph = "karate"\n', ""), 'columns[1] has no graph; add one, such as "celegans"'),
        (COLUMN.replace('["GCN"]', '"GCN"'), "columns[1].models must be a list of names"),
        (COLUMN + COLUMN, "two columns have the same graph and task"),
        (COLUMN + "search = { trials = 0 }", "columns[1].search.trials must be a whole number"),
        (COLUMN + "search = { rungs = [9, 3] }", "must grow, such as [5, 15, 45], not [9, 3]"),
        (COLUMN + "search = { seeds = [3] }", "are reported, too (0 to 4)"),
        (COLUMN + "search = { space = { depht = [1] } }", "setting='depht' is not known"),
        (COLUMN + "settings = { GCN = { max_dist = 3 } }", "setting='max_dist' is not known"),
        (COLUMN + "seeds = { most = 2 }", "columns[1].seeds.most must be a whole number of at least 5"),
        (COLUMN + 'protocol = "honest"\nprotocols = ["honest"]', "keep one of them"),
        (COLUMN + 'protocol = "unfair"', "columns[1].protocols: protocol='unfair' is not known"),
        (COLUMN + "protocols = []", "columns[1].protocols must be a list with at least one value"),
    ],
)
def test_a_wrong_study_is_told_where_and_what_to_write(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(text)
    with pytest.raises(ParameterError) as told:
        read(file)
    assert words in str(told.value) and "wrong.toml" in str(told.value)


def test_a_column_overrides_what_is_said_for_all_key_by_key() -> None:
    common = {"models": ["GCN"], "epochs": 9, "options": {"patience": 4, "batch_size": 32}, "search": {"trials": 7}}
    own = {"graph": "karate", "task": "links", "options": {"patience": 2}, "search": {"rungs": [1, 2]}}
    (column,) = asked({**common, "columns": [own]}).columns
    assert (column.epochs, column.options) == (9, {"patience": 2, "batch_size": 32})
    assert column.search is not None and (column.search.trials, column.search.rungs) == (7, (1, 2))


def _cells(models: list[str], **search: object) -> list[Cell]:
    made = de.study(graphs="karate", models=models, search={"trials": 5, "rungs": [1, 2], **search}, epochs=4)
    return made._prepared()


def test_every_model_is_given_as_many_trials_the_defaults_first_and_one_with_fewer_tries_all() -> None:
    cells = {cell.model: cell for cell in _cells(["GCN", "SEAL", "DE-GNN-SPD", "Katz", "Adamic-Adar"])}
    assert {model: len(cell.trials) for model, cell in cells.items()} == {
        "GCN": 5, "SEAL": 5, "DE-GNN-SPD": 5, "Katz": 4, "Adamic-Adar": 1}  # fmt: skip
    assert all(cell.trials[0] == {} for cell in cells.values())
    works: list[Work] = [work for _, work in cells["GCN"].trial_works()]
    assert {(work.job.rung, work.plan.epochs) for work in works} == {(1, 1), (2, 2)}
    assert {work.job.seed for work in works} == {1000, 1001}


def test_a_protocol_is_a_column_of_its_own_and_settings_are_chosen_honestly() -> None:
    given = {"models": ["GCN"], "search": {"trials": 2, "rungs": [1]}, "protocols": ["honest", ["negatives_repeat"]]}
    study = de.Study(asked({**given, "columns": [{"graph": "karate", "task": "links"}]}), de.Store("unused"))
    honest, leaking = study._prepared()
    assert (honest.protocol, leaking.protocol) == ("honest", "negatives_repeat")
    assert [work for _, work in honest.trial_works()] != []
    assert [work.key for _, work in honest.trial_works()] == [work.key for _, work in leaking.trial_works()]
    assert honest.reported(0)[0].key != leaking.reported(0)[0].key
    assert leaking.reported(0)[0].plan.leaks == ("negatives_repeat",)
