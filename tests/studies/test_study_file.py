"""What a study may contain: every file that comes with the project, and what is wrong with others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import degnn_explore as de
from degnn_explore.studies.comparison import paper_number
from degnn_explore.studies.search import candidates
from degnn_explore.studies.study import Cell
from degnn_explore.studies.study_file import SearchConfig, make_config, read_config

STUDIES = Path(de.__file__).parents[1] / "studies"
COLUMN = '[[columns]]\ngraph = "karate"\ntask = "links"\nmodels = ["GCN"]\n'


@pytest.mark.parametrize("file", sorted(STUDIES.glob("*.toml")), ids=lambda file: file.stem)
def test_every_study_of_the_project_can_be_read(file: Path) -> None:
    made = read_config(file)
    assert made.title and made.columns and (made.name, made.place) == (file.stem, STUDIES)
    assert read_config(Path(file.stem)) == made  # by its name, from anywhere
    if file.stem in ("table1", "heuristics", "leaks"):
        assert {column.seeds for column in made.columns} == {20}


def test_table1_has_every_cell_of_the_papers_table_and_no_other() -> None:
    cells = {
        (model, column.graph, column.p)
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
    assert len(cells) == 72 and cells == in_paper


def test_settings_may_be_chosen_on_the_first_seed_that_is_not_reported(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(COLUMN + f"seeds = 3\nsearch = {{ seeds = [3, {2**64}] }}", encoding="utf-8")
    [column] = read_config(file).columns
    assert column.search is not None and tuple(column.search.seeds) == (3, 2**64)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "needs columns"),
        ("columns = [3]", "columns[1] must be a table"),
        ("models = ", "TOML"),
        ("colums = []\n" + COLUMN, "'colums'"),
        (COLUMN + "place = 3", "'place'"),
        (COLUMN + 'epochs = "many"', "columns[1].epochs: "),
        (COLUMN + COLUMN.replace("karate", "lesmis") + "epochs = 0", "columns[2].epochs: "),
        (COLUMN.replace("GCN", "GCNN"), "mean 'GCN'"),
        (COLUMN.replace("links", "roles").replace("GCN", "PGNN"), "PGNN does not take sets of 1"),
        (COLUMN.replace("links", "edges"), "columns[1].task: "),
        (COLUMN.replace('graph = "karate"\n', ""), 'no graph; add one, such as "celegans"'),
        (COLUMN.replace('["GCN"]', "[]"), "columns[1].models"),
        (COLUMN + COLUMN, "same graph and task"),
        (COLUMN + "split = [0.8, -0.1, 0.3]", "columns[1].split"),
        (COLUMN + 'metric = "f1"', "metric='f1'"),
        (COLUMN + 'metric = "mrr"', "needs per_positive"),
        (COLUMN.replace("links", "roles") + "per_positive = 5", "only for links"),
        (COLUMN + 'negatives = "easy"', "negatives='easy'"),
        (COLUMN + "search = 3", "columns[1].search"),
        (COLUMN + "search = { trials = 0 }", "columns[1].search.trials: "),
        (COLUMN + "search = { trials = 1001 }", "columns[1].search.trials: "),
        (COLUMN + "search = { reduce = 1 }", "search.reduce: "),
        (COLUMN + "search = { rungs = [3, 3] }", "not [3, 3]"),
        (COLUMN + "search = { rungs = [3, 41] }", "beyond the 40 epochs"),
        (COLUMN + "search = { seeds = [4] }", "reported, too (0 to 4)"),
        (COLUMN + f"search = {{ seeds = [{2**256}] }}", "seeds"),
        (COLUMN + "search = { space = { depht = [1] } }", "'depht'"),
        (COLUMN + "search = { space = { hidden = [] } }", "search.space"),
        (COLUMN + "search = { space = { GCNN = { hidden = [4] } } }", "mean 'GCN'"),
        (COLUMN + "settings = { GCN = { max_dist = 3 } }", "setting of GCN='max_dist'"),
        (COLUMN + "settings = { GCNN = { hidden = 3 } }", "mean 'GCN'"),
        (COLUMN + 'protocol = "honest"\nprotocols = ["honest"]', "keep one of them"),
        (COLUMN + 'protocol = "unfair"', "protocol='unfair'"),
        (COLUMN + "protocols = []", "columns[1].protocols"),
    ],
)
def test_the_error_of_a_wrong_study_says_where_it_is(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(de.ParameterError) as raised:
        read_config(file)
    assert words in str(raised.value) and "wrong.toml" in str(raised.value) and str(raised.value)[-1] in ".?"


def test_arguments_of_study_are_named_without_the_columns_of_a_file() -> None:
    with pytest.raises(de.ParameterError, match=r"^seeds: "):
        de.study(graphs="karate", models="GCN", seeds=0)
    with pytest.raises(de.ParameterError, match=r"^Katz does not take sets of 1 \(karate roles\)"):
        de.study(graphs="karate", tasks=["links", "roles"], models="Katz")


def test_arguments_of_study_have_the_defaults_of_a_file(tmp_path: Path) -> None:
    made = make_config({"models": "GCN", "columns": [{"graph": "karate", "task": "links"}]})
    assert de.study(graphs="karate", models="GCN", store=tmp_path).config.columns == made.columns
    assert (made.columns[0].seeds, made.columns[0].epochs, SearchConfig().reduce) == (5, 40, 3)


def cells(**given: Any) -> list[Cell]:
    """The cells of a study of links in karate; none of their runs has ended."""
    (column,) = make_config({**given, "columns": [{"graph": "karate", "task": "links"}]}).columns
    return [Cell(column, model, de.load("karate"), protocol, {})
            for protocol in column.protocols for model in column.models]  # fmt: skip


def test_a_column_overrides_what_all_have_in_common_key_by_key() -> None:
    common = {"models": ["GCN"], "epochs": 9, "options": {"patience": 4, "batch_size": 32}, "search": {"trials": 7}}
    column = {"graph": "karate", "task": "links", "options": {"patience": 2}, "search": {"rungs": [1, 2]}}
    other = {"graph": "lesmis", "task": "links", "models": "GIN", "search": False}
    first, second = make_config({**common, "columns": [column, other]}).columns
    assert (first.epochs, first.options, first.models) == (9, {"patience": 2, "batch_size": 32}, ("GCN",))
    assert first.search is not None and (first.search.trials, first.search.rungs) == (7, (1, 2))
    assert (second.options, second.models, second.search) == (common["options"], ("GIN",), None)
    usual = make_config({"models": ["GCN", "GCN"], "columns": [{"graph": "karate", "task": "links"}]})
    assert (usual.title, usual.columns[0].models) == ("study", ("GCN",))


def test_the_usual_rungs_end_with_the_epochs_of_a_run() -> None:
    for epochs, rungs in ((4, (4,)), (5, (5,)), (44, (5, 15)), (45, (5, 15, 45))):
        (cell,) = cells(models="GCN", epochs=epochs, search={"trials": 2})
        assert cell.rungs == rungs


def test_every_model_gets_as_many_trials_and_one_with_fewer_settings_tries_all() -> None:
    sizes = {"GCN": 5, "DE-GNN-SPD": 5, "Katz": 4, "Adamic-Adar": 1}
    found = {cell.model: cell for cell in cells(models=[*sizes], epochs=4, search={"trials": 5, "rungs": [1, 2]})}
    assert all(cell.trials == candidates(model, 2, most=5) for model, cell in found.items())
    assert {model: len(cell.trials) for model, cell in found.items()} == sizes
    trials = {(spec.rung, spec.epochs, spec.seed) for _, spec in found["GCN"].trial_specs()}
    assert trials == {(1, 1, 1000), (1, 1, 1001), (2, 2, 1000), (2, 2, 1001)}
    assert found["Katz"].rungs == (1,) and found["Adamic-Adar"].rungs == ()  # nothing to train, nothing to choose


def test_a_space_may_be_that_of_a_model_and_settings_of_the_study_are_fixed() -> None:
    space = {"hidden": [4, 6], "GIN": {"hidden": [9]}, "layers": [1]}
    given = {"models": ["GCN", "GIN", "SAGE"], "settings": {"SAGE": {"hidden": 3}}}
    found = {cell.model: cell for cell in cells(**given, search={"trials": 9, "space": space})}
    tried = {model: {(name, v) for trial in cell.trials for name, v in trial.items()} for model, cell in found.items()}
    assert tried == {"GCN": {("hidden", 4), ("hidden", 6), ("layers", 1)}, "GIN": {("hidden", 9), ("layers", 1)},
                     "SAGE": {("layers", 1)}}  # fmt: skip
    assert [found["SAGE"].settings(trial) for trial in range(2)] == [{"hidden": 3}, {"hidden": 3, "layers": 1}]
    (usual,) = cells(models="GCN", search={"trials": 30})
    assert usual.trials == candidates("GCN", 2)  # from the whole space


def test_a_protocol_is_a_column_and_settings_are_chosen_honestly() -> None:
    search = {"trials": 2, "rungs": [1]}
    given = ["honest", ["negatives_repeat", "gradients_not_reset"], "gradients_not_reset+negatives_repeat"]
    honest, leaking = cells(models=["GCN"], search=search, protocols=given)
    assert (honest.protocol, leaking.protocol) == ("honest", "negatives_repeat + gradients_not_reset")
    trials = [[spec.key for _, spec in cell.trial_specs()] for cell in (honest, leaking)]
    assert trials[0] == trials[1] != []
    assert honest.reported(0)[0].key != leaking.reported(0)[0].key
    assert leaking.reported(0)[0].make_task().leaks == ("negatives_repeat", "gradients_not_reset")
