"""Budgets: limits kept by many threads at once, in every unit, and counted right."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import dspy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chat_server import chat_server, said
from tests.evals.episodes import make_record, make_task
from worksmith.evals.judging.rubric_judge import RubricJudge
from worksmith.evals.lm.prices import Price, Prices
from worksmith.evals.running.asked_judges import ask_judge
from worksmith.optimizers.cost.budget import REQUEST, Account, Budget
from worksmith.optimizers.cost.limits import BudgetSpentError, Limits
from worksmith.optimizers.cost.spending import Spent
from worksmith.tools.episode_result import Tokens
from worksmith.tools.errors import InputError

PRICES = Prices({"paid": Price(1e-3, 2e-3)})


def ask(account: Account, tokens: int, kind: str = "kind") -> bool:
    """Run a thing of one request; whether it was let in."""
    leave = account.admit(kind)
    if leave is None:
        return False
    with leave:
        account.asked(Tokens(tokens))
    return True


def work(budget: Budget, costs: Sequence[int], workers: int) -> tuple[list[int], int]:
    """The costs of what was started, and the most that was in flight at once, with so many threads."""
    account, left, lock = budget.account("paid"), list(costs), threading.Lock()
    started: list[int] = []
    flying, most = [0], [0]
    together = threading.Barrier(workers)

    def loop() -> None:
        together.wait()
        while left:
            leave = account.admit("kind")
            if leave is None:
                return
            with leave:
                with lock:
                    cost = left.pop() if left else 0
                    started.append(cost)
                    flying[0] += 1
                    most[0] = max(most[0], flying[0])
                for _ in range(cost):
                    account.asked(Tokens(1))
            with lock:
                flying[0] -= 1

    threads = [threading.Thread(target=loop) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
        assert not thread.is_alive()
    return started, most[0]


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
    limits: dict[str, Any] = {unit: limit * scale}
    budget = Budget(**{name.removeprefix("max_"): n for name, n in limits.items()}, prices=PRICES)
    started, flying = work(budget, costs, workers)

    assert budget.spent.calls == budget.spent.tokens == sum(started)
    assert budget.spent.usd == pytest.approx(sum(started) * 1e-3)
    assert sum(started) - limit <= flying * max(costs)
    if sum(started) < sum(costs):
        assert budget.stopped == unit
        # What is left would hardly have done for one more.
        assert limit - sum(started) <= 3 * max(costs)
        with pytest.raises(BudgetSpentError, match=unit.replace("_", "-")):
            budget.check()


@settings(max_examples=30)
@given(cost=st.integers(1, 9), limit=st.integers(1, 300), workers=st.integers(1, 32))
def test_where_all_cost_the_same_a_limit_is_kept_exactly(cost: int, limit: int, workers: int) -> None:
    budget = Budget(calls=limit)
    started, _ = work(budget, [cost] * 400, workers)

    # The first has to run for its cost to be known.
    assert sum(started) <= max(limit, cost)
    assert limit - sum(started) < cost


def test_time_is_that_of_the_clock_and_of_what_was_before() -> None:
    now = [100.0]
    budget = Budget(minutes=1, clock=lambda: now[0])
    kept: list[float] = []
    with budget.continued(Spent(), 20, kept.append):
        assert budget.seconds == 20
        account = budget.account("m")
        assert ask(account, 1)
        now[0] += 39
        assert budget.seconds == 59
        assert ask(account, 1)
        now[0] += 1
        assert not ask(account, 1)
    assert budget.stopped == "max_minutes"
    assert kept == [59, 60]


def test_what_a_log_holds_counts_unless_a_journal_does() -> None:
    budget = Budget(calls=3, prices=PRICES)
    paid = {"paid_requests": 3, "paid_prompt_tokens": 1000, "paid_completion_tokens": 100}
    record = make_record(1, model_calls=5, prompt_tokens=2000, completion_tokens=200, **paid)
    budget.account("scripted/gold-1").charge(record)
    budget.account("paid", logged=False).charge(record)
    assert budget.spent.calls == 0
    budget.account("paid").charge(record)
    assert budget.spent.calls == 3
    assert budget.spent.usd == pytest.approx(1.2)
    assert not ask(budget.account("paid"), 1)


def test_tokens_through_a_providers_cache_cost_their_own_price() -> None:
    prices = Prices({"m": Price(1e-3, 2e-3, cached=1e-4, cache_write=2e-3), "plain": Price(1e-3, 2e-3)})
    part = {"paid_cached_tokens": 600, "paid_cache_write_tokens": 100, "paid_requests": 1}
    record = make_record(1, paid_prompt_tokens=1000, paid_completion_tokens=10, **part)
    usd = 300 * 1e-3 + 600 * 1e-4 + 100 * 2e-3 + 10 * 2e-3

    asked, logged = Budget(usd=100, prices=prices), Budget(usd=100, prices=prices)
    asked.account("m").asked(Tokens(1000, 10, cached=600, cache_write=100))
    logged.account("m").charge(record)
    for spent in (asked.spent, logged.spent, Spent.on_replies({"m": record.usage}, prices)):
        assert (spent.calls, spent.tokens) == (1, 1010)
        assert spent.usd == pytest.approx(usd)
    assert Spent.by(record, "plain", prices).usd == pytest.approx(1.02)
    # A forecast expects nothing of the provider's cache.
    used = make_record(1, prompt_tokens=1000, completion_tokens=10, cached_tokens=600)
    assert Spent.without_cache(used, "m", prices).usd == pytest.approx(1.02)


def test_a_kind_that_costs_more_is_tried_out_before_many_start() -> None:
    budget = Budget(tokens=1000)
    account = budget.account("m")
    for _ in range(3):
        assert ask(account, 20, "short")
    # Ten times as much as any other is thought possible: 940 are left, so four may start.
    leaves = [account.admit("long") for _ in range(4)]
    found: list[object] = []
    waiting = threading.Thread(target=lambda: found.append(account.admit("long")))
    waiting.start()
    waiting.join(timeout=0.05)
    assert waiting.is_alive()
    for leave in leaves:
        assert leave is not None
        with leave:
            account.asked(Tokens(230))
    waiting.join(timeout=10)
    assert found == [None]
    assert budget.spent.tokens == 980


def test_dollars_are_not_limited_where_a_price_is_unknown() -> None:
    with pytest.raises(InputError, match="price of openai/nobody-knows is not known") as caught:
        Budget(usd=1).account("openai/nobody-knows")
    assert "--prices" in str(caught.value)
    assert ask(Budget(usd=1).account("local/model@1"), 5)
    assert ask(Budget(calls=1).account("openai/nobody-knows"), 5)


@pytest.mark.parametrize("name", ["max_calls", "max_tokens", "max_usd", "max_minutes"])
@pytest.mark.parametrize("value", [0, -1, float("nan")])
def test_a_limit_that_nothing_keeps_is_refused(name: str, value: Any) -> None:
    with pytest.raises(InputError, match="positive"):
        Limits(**{name: value})


def test_without_limits_everything_may_start() -> None:
    budget = Budget()
    started, _ = work(budget, [5] * 100, 8)
    assert sum(started) == 500
    assert not budget.limits.given
    budget.check()


def test_a_request_waits_for_nobody_since_who_is_in_flight_may_wait_for_it() -> None:
    budget = Budget(calls=10)
    account = budget.account("m")
    assert ask(account, 1)
    leave = account.admit("dear")
    assert leave is not None
    answered: list[object] = []
    with leave:
        # Until it has ended, nobody knows whether there is room for another of its kind beside it.
        thread = threading.Thread(target=lambda: answered.append(account.admit(REQUEST)), daemon=True)
        thread.start()
        thread.join(timeout=10)
    assert len(answered) == 1
    assert answered[0] is not None


def test_a_judge_gives_no_verdict_once_the_budget_is_spent() -> None:
    grade = said("[[ ## feedback ## ]]\nx\n\n[[ ## level ## ]]\n4\n\n[[ ## completed ## ]]")
    account = Budget(calls=1).account("openai/judge")
    with chat_server() as server:
        lm = dspy.LM("openai/judge", api_base=server.url, api_key="none", num_retries=0, cache=False)
        server.say(grade, grade)
        judge = RubricJudge(lm).with_models(account.counted)
        record = make_record(1)
        assert ask_judge(judge, make_task(1), record).level == 4
        with pytest.raises(BudgetSpentError, match="max-calls"):
            ask_judge(judge, make_task(1), record)
        assert len(server.bodies) == 1
