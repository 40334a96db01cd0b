"""Budgets: limits kept by many threads at once, in every unit, and counted right."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.prices import Price, Prices
from optimizers.budget import Budget, BudgetSpentError, Limits
from tests.evals.episodes import make_episode
from tools.episode import AskRecord, EpisodeResult
from tools.errors import InputError

PRICES = Prices({"paid": Price(1e-3, 2e-3)})


def episode(calls: int = 1, tokens: int = 0, seconds: float = 0.0, cached: int = 0) -> EpisodeResult:
    asks = [AskRecord("select", 0, 0, 0, number < cached, 0.0) for number in range(calls)]
    return make_episode(
        model_calls=calls, asks=asks, prompt_tokens=tokens, completion_tokens=0, seconds=seconds
    )


def work(
    budget: Budget, costs: Sequence[int], workers: int, make: Callable[[int], EpisodeResult]
) -> tuple[list[int], int]:
    """The costs of what was started, and the most that was in flight at once, with so many threads."""
    account, left, lock = budget.account("paid"), list(costs), threading.Lock()
    started: list[int] = []
    flying, most = [0], [0]
    together = threading.Barrier(workers)

    def loop() -> None:
        together.wait()
        while True:
            slot = account.admit("kind")
            if slot is None:
                return
            with lock:
                if not left:
                    slot.settle(None)
                    return
                cost = left.pop()
                started.append(cost)
                flying[0] += 1
                most[0] = max(most[0], flying[0])
            slot.settle(make(cost))
            with lock:
                flying[0] -= 1

    threads = [threading.Thread(target=loop) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
        assert not thread.is_alive()
    return started, most[0]


@settings(max_examples=60, deadline=None)
@given(
    costs=st.lists(st.integers(1, 9), min_size=1, max_size=120),
    limit=st.integers(1, 300),
    workers=st.integers(1, 32),
    unit=st.sampled_from(["max_calls", "max_tokens", "max_usd"]),
)
def test_no_limit_is_overstepped_by_more_than_what_was_in_flight(
    costs: list[int], limit: int, workers: int, unit: str
) -> None:
    scale = 1e-3 if unit == "max_usd" else 1
    budget = Budget(Limits(**{unit: limit * scale}), prices=PRICES)
    started, flying = work(budget, costs, workers, lambda cost: episode(calls=cost, tokens=cost))

    assert budget.spent.calls == budget.spent.tokens == sum(started)
    assert budget.spent.usd == pytest.approx(sum(started) * 1e-3)
    assert sum(started) - limit <= max(1, flying) * max(costs)
    if len(started) < len(costs):
        assert budget.stopped == unit
        # What is left would hardly have done for one more.
        assert limit - sum(started) <= 3 * max(costs)
        with pytest.raises(BudgetSpentError, match=unit.replace("_", "-")):
            budget.check()
    else:
        assert sum(started) == sum(costs)


@settings(max_examples=30, deadline=None)
@given(cost=st.integers(1, 9), limit=st.integers(1, 300), workers=st.integers(1, 32))
def test_where_all_cost_the_same_a_limit_is_kept_exactly(cost: int, limit: int, workers: int) -> None:
    budget = Budget(Limits(max_calls=limit))
    started, _ = work(budget, [cost] * 400, workers, lambda cost: episode(calls=cost))

    # The first has to run for its cost to be known.
    assert sum(started) <= max(limit, cost)
    assert limit - sum(started) < 2 * cost


def test_time_is_kept_by_the_clock_with_what_one_more_takes_and_what_was_before() -> None:
    now = [100.0]
    budget = Budget(Limits(max_minutes=1), before=20, clock=lambda: now[0])
    account = budget.account("m")
    for _ in range(3):
        slot = account.admit("kind")
        assert slot is not None
        now[0] += 10
        slot.settle(episode(seconds=10))
    assert budget.seconds == 50
    slot = account.admit("kind")
    assert slot is not None
    now[0] += 1
    assert account.admit("kind") is None
    slot.settle(episode(seconds=1))
    assert budget.stopped == "max_minutes"


def test_what_came_out_of_a_cache_or_from_a_gold_plan_is_no_call() -> None:
    budget = Budget(Limits(max_calls=3), prices=PRICES)
    gold, paid = budget.account("scripted/gold-1"), budget.account("paid")
    for account, took in (
        (gold, episode(calls=9)),
        (paid, episode(calls=5, cached=5)),
        (paid, episode(calls=2, cached=1)),
    ):
        slot = account.admit("kind")
        assert slot is not None
        slot.settle(took)
    assert budget.spent.calls == 1
    assert budget.spent.usd == 0


def test_requests_count_and_what_a_log_holds_counts_without_asking() -> None:
    budget = Budget(Limits(max_tokens=1000), prices=PRICES)
    account = budget.account("paid")
    slot = account.admit("proposal")
    assert slot is not None
    slot.settle_request({"prompt_tokens": 100, "completion_tokens": 10})
    assert (budget.spent.calls, budget.spent.tokens) == (1, 110)
    assert budget.spent.usd == pytest.approx(0.12)

    account.charge("kind", episode(calls=4, tokens=5000))  # type: ignore[arg-type]
    assert (budget.spent.calls, budget.spent.tokens) == (5, 5110)
    assert account.admit("kind") is None


def test_a_kind_that_costs_more_is_tried_out_before_many_start() -> None:
    budget = Budget(Limits(max_tokens=1000))
    account = budget.account("m")
    for _ in range(3):
        slot = account.admit("short")
        assert slot is not None
        slot.settle(episode(tokens=50))
    in_flight = []
    while budget.spent.tokens + 200 * (len(in_flight) + 1) <= 1000:
        slot = account.admit("long")
        assert slot is not None
        in_flight.append(slot)
    # A further one has to wait for those.
    found: list[object] = []
    waiting = threading.Thread(target=lambda: found.append(account.admit("long")))
    waiting.start()
    waiting.join(timeout=0.05)
    assert waiting.is_alive()
    for slot in in_flight:
        slot.settle(episode(tokens=300))
    waiting.join(timeout=10)
    assert found == [None]
    assert budget.stopped == "max_tokens"


def test_dollars_are_not_limited_where_a_price_is_unknown() -> None:
    with pytest.raises(InputError, match="price of openai/nobody-knows is not known") as caught:
        Budget(Limits(max_usd=1)).account("openai/nobody-knows")
    assert "--prices" in str(caught.value)
    assert Budget(Limits(max_usd=1)).account("local/analogy@1").admit("kind")
    assert Budget(Limits(max_calls=1)).account("openai/nobody-knows").admit("kind")


@pytest.mark.parametrize("name", ["max_calls", "max_tokens", "max_usd", "max_minutes"])
@pytest.mark.parametrize("value", [0, -1, float("nan")])
def test_a_limit_that_nothing_keeps_is_refused(name: str, value: float) -> None:
    with pytest.raises(InputError, match="positive"):
        Limits(**{name: value})


def test_without_limits_everything_may_start() -> None:
    budget = Budget()
    started, _ = work(budget, [5] * 100, 8, lambda cost: episode(calls=cost))
    assert sum(started) == 500
    assert not budget.limited
    budget.check()
