"""What episodes cost, in dollars where the price of a model is known."""

from __future__ import annotations

from typing import Any

import pytest

from tests.evals.episodes import make_record, make_result
from worksmith.evals.lm.prices import dollars, price_list
from worksmith.evals.reporting.tables.costs import cost_grid, result_cost_grid
from worksmith.evals.running.result import EvalResult
from worksmith.evals.running.study import StudyArm, run_study


def result(model: str, **changes: Any) -> EvalResult:
    tokens = {"prompt_tokens": 1_000_000, "completion_tokens": 10_000, **changes}
    return make_result([make_record(number, **tokens) for number in range(4)], model=model)


def test_prices_are_those_of_the_list_by_either_name() -> None:
    entry = price_list()["gpt-4o-mini"]
    expected = 1e6 * entry["input_cost_per_token"] + 1e4 * entry["output_cost_per_token"]

    assert (
        dollars("openai/gpt-4o-mini", 1e6, 1e4) == dollars("gpt-4o-mini", 1e6, 1e4) == pytest.approx(expected)
    )
    assert 0 < expected < 10


@pytest.mark.parametrize("model", ["gold", "none", "ollama_chat/llama3.2", "openai/x"])
def test_what_has_no_price_costs_nothing_that_is_known_and_is_named(model: str) -> None:
    assert dollars(model, 1e6, 1e6) is None
    shown = result_cost_grid(result(model)).markdown()
    assert "dollars" not in shown
    assert f"The price of {model} is not known" in shown


@pytest.mark.parametrize("model", ["local/model@9", "replay/9", "scripted/gold-9"])
def test_what_runs_here_costs_nothing(model: str) -> None:
    assert dollars(model, 1e6, 1e6) == 0
    shown = result_cost_grid(result(model)).markdown()
    assert "dollars" not in shown
    assert "not known" not in shown


def test_dollars_stand_beside_the_tokens() -> None:
    results = {"a": result("openai/gpt-4o-mini"), "b": result("local/model@9")}
    study = run_study([StudyArm("a"), StudyArm("b")], lambda arm: results[arm.label])
    grid = cost_grid(study)
    price = f"{dollars('gpt-4o-mini', 1e6, 1e4):,.4f}"

    assert grid.headings[-1] == "dollars"
    assert [cells[-1] for cells in grid.rows] == [price, "0.0000"]
    assert f"| dollars | {price} |" in result_cost_grid(results["a"]).markdown()


def test_dollars_stand_with_and_without_the_providers_cache() -> None:
    results = {"a": result("openai/gpt-4o-mini", cached_tokens=500_000), "b": result("openai/gpt-4o-mini")}
    grid = cost_grid(run_study([StudyArm("a"), StudyArm("b")], lambda arm: results[arm.label]))
    full = dollars("gpt-4o-mini", 1e6, 1e4)
    less = dollars("gpt-4o-mini", 1e6, 1e4, 5e5)
    assert full is not None
    assert less == pytest.approx(full - 5e5 * 7.5e-8)

    assert grid.headings[-3:] == ("cached %", "dollars", "dollars without cache")
    assert [cells[-3:] for cells in grid.rows] == [
        ("50.0", f"{less:.4f}", f"{full:.4f}"),
        ("0.0", f"{full:.4f}", f"{full:.4f}"),
    ]
    shown = result_cost_grid(results["a"]).markdown()
    assert f"| dollars without cache | {full:.4f} | {4 * full:.2f} |" in shown
    assert "| used cached tokens | 500,000.00 |" in shown
    assert "cache" not in result_cost_grid(results["b"]).markdown().replace("a cache answers", "")
    assert results["a"].summary.to_json()["cached_share"] == 0.5
    assert "cached_share" not in results["b"].summary.to_json()
    assert "cached_tokens" not in results["b"].records[0].model_dump_json()


def test_means_are_of_graded_episodes_and_totals_of_all() -> None:
    dear = [make_record(number, prompt_tokens=1_000) for number in range(5)]
    lost = [make_record(5, status="timeout", scores={}), make_record(6, status="timeout", prompt_tokens=100)]
    summary = make_result([*dear, *lost]).summary

    assert summary.means["used_tokens"] == 1_000
    assert summary.totals["used_tokens"] == 5_100
    shown = result_cost_grid(make_result([*dear, *lost])).markdown()
    assert "Means are of graded episodes, totals of all." in shown
    assert "Means are of graded" not in result_cost_grid(make_result(dear)).markdown()


def test_costs_of_lost_episodes_have_no_mean() -> None:
    result = make_result([make_record(0, status="timeout", scores={}, seconds=3.0)])
    assert result.summary.means == {}
    assert "| seconds | - | 3 |" in result_cost_grid(result).markdown()
