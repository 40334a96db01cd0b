from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
from worksmith.evals.reporting.curves import front_plots

from tests.evals.reporting.studies import full_study
from worksmith.evals.reporting.histories import CandidateScore, History, history_blocks
from worksmith.evals.reporting.html.charts import HeatMap, Intervals
from worksmith.evals.reporting.html.page import block_html
from worksmith.evals.reporting.html.plots import Plot, Point, Series, efficient
from worksmith.evals.reporting.report import study_report
from worksmith.evals.statistics import Interval

points = st.dictionaries(st.text(max_size=3), st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=8)


@given(points)
def test_the_front_is_what_nothing_beats(places: dict[str, tuple[int, int]]) -> None:
    best = efficient({name: (float(cost), float(score)) for name, (cost, score) in places.items()})

    for name, (cost, score) in places.items():
        better = [o for o in places.values() if o != (cost, score) and o[0] <= cost and o[1] >= score]
        assert (name in best) == (not better)


def test_baselines_are_on_no_front() -> None:
    plots = front_plots(full_study())

    assert [plot.title for plot in plots] == ["Outcome against used tokens", "Outcome against model calls"]
    notes = {series.name: series.note for series in plots[0].series}
    assert notes == {"act": "on the front", "react + knn": "on the front", "nothing": "baseline"}


def test_every_chart_says_in_words_what_it_shows() -> None:
    plot = Plot("Title", "What it shows.", "cost", (Series("a", (Point(1, 0.5, 0.4, 0.6),)),))
    page = block_html(plot)

    assert "<title" in page
    assert "<desc" in page
    assert "50.0 [40.0, 60.0]" in page


def test_a_heat_map_has_its_figures_in_words() -> None:
    cells = (Interval(0.25, 0.1, 0.5, 8), None)
    page = block_html(HeatMap("T", "program", ("a_b", "c"), (("x", cells),), "domain"))

    assert ">25.0</a>" in page
    assert "10.0 to 50.0, n 8" in page
    assert "<td>-</td>" in page
    assert 'scope="col">a b<' in page


def test_what_has_no_data_is_left_out() -> None:
    nothing = Interval(math.nan, math.nan, math.nan, 0)
    assert block_html(Intervals("T", (("a", nothing, False),))) == ""
    assert block_html(Plot("T", "", "x", ())) == ""
    assert "nothing at all" not in study_report(full_study(trials=1)).html()


def test_a_race_says_what_became_of_each_candidate() -> None:
    score = Interval(0.5, 0.4, 0.6, 40)
    candidates = (
        CandidateScore("uncompiled", score, 40, race="beaten by knn-4"),
        CandidateScore("knn-4", score, 40, chosen=True, race="accepted"),
        CandidateScore("random-4", score, 8, race="left after 8 tasks"),
    )
    chart, table = history_blocks([History("react + race", "race", candidates)])

    assert "knn-4 (chosen)" in block_html(chart)
    assert "left after 8 tasks" in block_html(table)
