"""The address of a user's function is its own: no log or journal of one is taken for that of another."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import dspy
import numpy as np
import pytest
from dspy.evaluate import answer_exact_match, answer_passage_match

from tests.tables import each_row
from worksmith.evals.dspy_programs.digests import callable_digest, program_digest

Maker = Callable[[float], Any]


class AtLeast:
    """A metric with a setting, which also counts its calls."""

    def __init__(self, least: float) -> None:
        self.least = least
        self.calls = 0

    def __call__(self, example: Any, prediction: Any) -> bool:
        self.calls += 1
        return bool(prediction.score >= self.least)


class Judge(dspy.Module):  # type: ignore[misc]
    def __init__(self, least: float) -> None:
        super().__init__()
        self.least = least

    def forward(self, example: Any, prediction: Any) -> bool:
        return bool(prediction.score >= self.least)


def closed_over(least: float) -> Callable[..., Any]:
    def metric(example: Any, prediction: Any) -> bool:
        return bool(prediction.score >= least)

    return metric


def through_another(least: float) -> Callable[..., Any]:
    inner = closed_over(least)
    return lambda example, prediction: not inner(example, prediction)


def by_default(least: float) -> Callable[..., Any]:
    def metric(example: Any, prediction: Any, *, least: float = least) -> bool:
        return bool(prediction.score >= least)

    return metric


def by_partial(least: float) -> Callable[..., Any]:
    return partial(by_default(0.0), least=least)


def by_method(least: float) -> Callable[..., Any]:
    return AtLeast(least).__call__


@each_row("made", [AtLeast, Judge, closed_over, through_another, by_default, by_partial, by_method])
def test_functions_with_other_settings_have_other_addresses(made: Maker) -> None:
    assert callable_digest(made(0.5)) == callable_digest(made(0.5))
    assert callable_digest(made(0.5)) != callable_digest(made(0.6))


class Held:
    __slots__ = ("least",)

    def __init__(self, least: float) -> None:
        self.least = least


@pytest.mark.parametrize("made", [AtLeast, closed_over, by_default, by_partial])
@pytest.mark.parametrize(
    "held",
    [
        np.float32,
        lambda least: Decimal(str(least)),
        lambda least: [least],
        lambda least: {"least": {"of": least}},
        lambda least: np.full(3, least),
        lambda least: timedelta(least),
        Held,
        lambda least: dspy.LM(f"openai/m{least}"),
    ],
)
def test_whatever_a_setting_is_it_counts(made: Maker, held: Callable[[float], Any]) -> None:
    assert callable_digest(made(held(0.5))) == callable_digest(made(held(0.5)))
    assert callable_digest(made(held(0.5))) != callable_digest(made(held(0.6)))


class Passages(dspy.Module):  # type: ignore[misc]
    def __init__(
        self, count: Any = 3, keywords: tuple[str, ...] = (), api_key: str = "", **config: Any
    ) -> None:
        super().__init__()
        self.count, self.keywords, self.api_key = count, keywords, api_key
        self.parts = [dspy.Predict("question -> answer", **config)]


def lookup(question: str) -> str:
    """Look it up."""
    return question


def test_all_settings_of_a_program_count_but_secrets_and_what_dspy_notes() -> None:
    made: list[Callable[[], Any]] = [
        Passages,
        lambda: Passages(5),
        lambda: Passages(np.float32(0.5)),
        lambda: Passages(keywords=("a",)),
        lambda: Passages(temperature=0.7),
        lambda: dspy.ReAct("question -> answer", tools=[lookup]),
        lambda: dspy.ReAct("question -> answer", tools=[lookup], max_iters=3),
        lambda: dspy.ReAct("question -> answer", tools=[]),
        lambda: AtLeast(0.5),
        lambda: AtLeast(0.6),
    ]
    found = [program_digest(make()) for make in made]
    assert found == [program_digest(make()) for make in made]
    assert len(set(found)) == len(found)

    asked = Passages(api_key="sk-1")
    asked.history.append({"prompt": "x"})
    asked._compiled = True
    assert program_digest(asked) == program_digest(Passages(api_key="sk-2")) == found[0]
    assert program_digest(asked.deepcopy()) == found[0]


def test_dspys_own_metrics_have_addresses_of_their_own() -> None:
    assert callable_digest(answer_exact_match) != callable_digest(answer_passage_match)


def test_an_object_that_counts_its_calls_keeps_its_address() -> None:
    metric = AtLeast(0.5)
    before = callable_digest(metric)
    metric(None, dspy.Prediction(score=1))
    assert callable_digest(metric) == before


def test_a_function_that_calls_itself_has_an_address() -> None:
    def metric(example: Any, prediction: Any, depth: int = 1) -> bool:
        return depth == 0 or metric(example, prediction, depth - 1)

    assert callable_digest(metric) == callable_digest(metric)
