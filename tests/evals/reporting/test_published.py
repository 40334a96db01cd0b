from __future__ import annotations

import math
from pathlib import Path

import pytest

from worksmith.evals.authoring.suite_building import import_suite
from worksmith.evals.kinds.office.workbench.tables import paper_grids
from worksmith.evals.reporting.published import beside_published, published_tables
from worksmith.evals.reporting.study import study_of
from worksmith.evals.table import Grid
from worksmith.evals.tracking.run_loading import open_runs

WORKBENCH = Path(__file__).parents[3].parent / "shared" / "data" / "workbench"


def test_means_that_papers_print_are_those_of_their_columns() -> None:
    table = published_tables("crm")[0]

    assert len(table.rows) == 25
    for name, (*figures, mean) in table.rows:
        assert math.isclose(math.fsum(figures) / 9, mean, abs_tol=0.16), name


def test_every_table_has_a_figure_for_each_column_and_says_its_source() -> None:
    tables = [table for kind in ("office", "enterprise", "crm") for table in published_tables(kind)]

    assert len(tables) == 12
    for table in tables:
        assert all(len(figures) == len(table.columns) for _, figures in table.rows)
        assert f"table {table.number}" in table.source


def test_published_rows_stand_below_ours_where_columns_are_the_same() -> None:
    table = published_tables("crm")[0]
    ours = Grid("Reward by task type, %", ("program", *table.columns), (("react", *["1.0"] * 10),))
    first = beside_published("crm", [ours])[0]

    assert first.rows[0][0] == "react"
    assert first.rows[1][0] == "paper: act, gpt-4o"


@pytest.mark.slow
@pytest.mark.skipif(not WORKBENCH.is_dir(), reason="needs the published files in ../shared/data/workbench")
def test_recorded_runs_give_the_papers_tables(tmp_path: Path) -> None:
    suite = import_suite("workbench", WORKBENCH, tmp_path / "real")
    runs = open_runs([str(WORKBENCH / "results")], suite=suite)
    study = study_of(runs)
    by_tools, by_domain, by_actions, by_template, errors = paper_grids(
        [row.result.as_program(row.arm.label) for row in study.ordered]
    )

    assert [run.card.label for run in runs] == ["gpt-4, all tools", "gpt-4, required tools"]
    assert ("gpt-4, required tools", "48.7") in {(row[0], row[1].split()[0]) for row in by_tools.rows}
    assert ("paper: GPT-4, all tools", "43", "-") in by_tools.rows
    assert ("paper: accuracy", "39", "65", "23", "48", "39", "40") in by_domain.rows
    assert by_actions.headings == ("model", "all actions", "0 actions", "1+ actions", "2+ actions")
    assert len(by_template.rows) == 69
    assert by_template.rows[0][1:] == ("0.0", "0.0")
    assert "paper: GPT-4: 15 of 69" in by_template.notes[0]
    assert errors.rows[0][1:] == tuple(
        str(sum(record.scores["outcome"] < 1 for record in run.records)) for run in runs
    )
    wrong = [record for run in runs for record in run.records if record.scores["outcome"] < 1]
    assert all(record.fault for record in wrong)
    assert any(call.observation for record in wrong for call in record.calls)
