from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from tests.evals.reporting.studies import full_study
from worksmith.evals.reporting.histories import CandidateScore, History, history_grids
from worksmith.evals.reporting.html.charts import Change, Changes
from worksmith.evals.reporting.html.page import block_html
from worksmith.evals.reporting.html.plots import CostPoint, Plot, efficient
from worksmith.evals.reporting.study_charts import front_plots
from worksmith.evals.statistics import NOTHING, Interval

points = st.dictionaries(st.text(max_size=3), st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=8)


@given(points)
def test_the_front_is_what_nothing_beats(places: dict[str, tuple[int, int]]) -> None:
    best = efficient({name: (float(cost), float(score)) for name, (cost, score) in places.items()})

    for name, (cost, score) in places.items():
        better = [o for o in places.values() if o != (cost, score) and o[0] <= cost and o[1] >= score]
        assert (name in best) == (not better)


def test_baselines_are_on_no_front() -> None:
    (tokens,) = front_plots(full_study())

    assert tokens.title == "Outcome against used tokens"
    assert {point.name for point in tokens.points if point.on_front} == {"act", "react + knn"}


@given(st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1)), min_size=1, max_size=20))
def test_no_mark_of_a_plot_lies_on_a_figure_of_its_axes(places: list[tuple[float, float]]) -> None:
    found = (CostPoint("a", cost, Interval(y, y, y, 1), "after", False) for cost, y in places)
    plot = Plot("Title", "", "cost", tuple(found))

    assert all(5 < at < 95 for mark in plot.marks for at in (mark.left, mark.bottom))
    assert 2 <= len(plot.across_ticks) <= 8
    assert all(0 <= at <= 100 for at, _ in plot.across_ticks)


def test_every_chart_says_in_words_what_it_shows() -> None:
    old, new = Interval(0.25, 0.1, 0.5, 8), Interval(0.5, 0.4, 0.6, 8)
    plot = block_html(Plot("T", "What it shows.", "cost", (CostPoint("a", 1, new, "after", True),)))
    changes = block_html(Changes("T", (Change("x", new, old, "8 tasks"), Change("y", old))))

    assert all(said in plot for said in ("<title", "<desc", "What it shows.", "50.0"))
    assert all(said in changes for said in ("25.0 → 50.0", "8 tasks", "25.0 [10.0, 50.0]"))


def test_what_has_no_data_is_left_out() -> None:
    assert math.isnan(NOTHING.value)
    assert Change("a", NOTHING).drawn == []
    assert block_html(Changes("T", ())) == block_html(Plot("T", "", "x", ())) == ""


def test_a_race_says_what_became_of_each_candidate() -> None:
    score = Interval(0.5, 0.4, 0.6, 40)
    candidates = (
        CandidateScore("uncompiled", score, 40, race="beaten by knn-4"),
        CandidateScore("knn-4", score, 40, chosen=True, race="accepted"),
        CandidateScore("random-4", score, 8, race="left after 8 tasks"),
    )
    (table,) = history_grids([History("react + race", "race", candidates)])

    assert "knn-4 (chosen)" in block_html(table)
    assert "left after 8 tasks" in block_html(table)
