from __future__ import annotations

import csv
import io
import math
import shlex

import pytest

from tests.evals.reporting.studies import full_study
from worksmith.evals.reporting.episodes import FIELDS, Selection, ShownEpisode, find_episode
from worksmith.evals.reporting.figures import DIFFERENCE, Figure, metric_mean, metric_values
from worksmith.evals.reporting.report import study_report
from worksmith.evals.tasks.task_filter import conditions
from worksmith.tools.errors import InputError

STUDY = full_study()
REPORT = study_report(STUDY)
EPISODES = [ShownEpisode(row.arm.label, record) for row in STUDY.rows for record in row.result.records]


def selected(figure: Figure) -> list[ShownEpisode]:
    """What the command of a figure selects."""
    words = shlex.split(figure.command())
    options = list(zip(words[3::2], words[4::2], strict=True))
    arms = tuple(value for name, value in options if name == "--arm")
    wanted = [value for name, value in options if name == "--where"]
    return Selection(arms, conditions(wanted))(EPISODES)


def test_every_figure_is_the_mean_of_the_episodes_that_its_command_selects() -> None:
    for figure in REPORT.figures:
        records = [episode.record for episode in selected(figure)]
        if figure.metric == DIFFERENCE:
            ours, theirs = (
                {
                    r.task_id
                    for r, _ in metric_values(
                        [e.record for e in selected(figure) if e.arm == arm], "outcome_strict"
                    )
                }
                for arm in (figure.arm, figure.reference)
            )
            assert ours == theirs, figure.command()
        else:
            found = metric_mean(records, figure.metric)
            assert found is not None
            assert math.isclose(found, figure.interval.value, abs_tol=1e-9), figure.command()
            counted = len(metric_values(records, figure.metric))
            assert counted == figure.episodes or figure.metric in {"error_rate"}


def test_figures_cover_scores_costs_faults_reliability_and_their_parts() -> None:
    found = {(figure.arm, figure.metric, *figure.where) for figure in REPORT.figures}

    assert ("act", "outcome") in found
    assert ("act", "outcome", "domain") in found
    assert ("act", "pass_hat_2") in found
    assert ("act", "used_tokens") in found
    assert ("act", "fault/wrong_argument", "domain") in found
    assert ("act", "status/timeout") in found
    assert ("react + knn", DIFFERENCE) in found


def test_data_has_intervals_and_a_command_for_each_figure() -> None:
    data = REPORT.to_json("'mlruns/logs/a b' c.jsonl")

    assert len(data["figures"]) == len(REPORT.figures)
    first = next(f for f in data["figures"] if f["metric"] == "outcome" and f["arm"] == "react + knn")
    assert first["low"] < first["value"] < first["high"]
    assert first["trace"] == (
        "worksmith episodes 'mlruns/logs/a b' c.jsonl --arm 'react + knn' --metric outcome"
    )


def test_rows_are_tidy() -> None:
    rows = list(csv.DictReader(io.StringIO(REPORT.csv("RUN"))))

    assert set(rows[0]) == {"run", "arm", "metric", "where", "split", "value", "low", "high", "n"}
    assert len(rows) == len(REPORT.figures)
    assert {row["where"] for row in rows} >= {"", "domain=calendar"}
    assert all(float(row["value"]) is not None for row in rows if row["metric"] == "outcome")


def test_tables_for_papers_are_escaped() -> None:
    text = REPORT.latex()

    assert r"outcome, \%" in text
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == len(REPORT.grids)


def test_names_that_make_no_sense_are_said() -> None:
    with pytest.raises(InputError, match="not chosen by 'colour'"):
        conditions(["colour=red"])[0].check(FIELDS)
    with pytest.raises(InputError, match="no episode 'zz'"):
        find_episode(EPISODES, "zz")
    with pytest.raises(InputError, match="are called ''"):
        find_episode(EPISODES, "")


def test_episodes_are_found_by_text_and_verdict() -> None:
    assert {episode.verdict for episode in Selection(verdict="lost")(EPISODES)} == {"lost"}
    found = Selection(text="LUNCH 3 7")(EPISODES)
    assert {episode.record.task_id for episode in found} == {"task-003"}
