"""Models inside programs are counted, journalled and budgeted as those that programs are run with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy.lm15 import request_from_openai_chat

from tests.optimizers.shop import PHRASINGS, Clerk, lm, make_suite
from tests.optimizers.shop import Model as Engine
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite
from worksmith.optimizers import registry
from worksmith.optimizers.compiling.compile import compile_program
from worksmith.optimizers.compiling.models import Model
from worksmith.optimizers.compiling.plan import Plan
from worksmith.optimizers.cost.budget import Budget
from worksmith.optimizers.settings import Settings
from worksmith.tools.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


class Own(dspy.LM):  # type: ignore[misc]
    """Answers in a `forward` of its own, and counts."""

    asked: list[str] = []  # noqa: RUF012 (copies share it)

    def forward(self, prompt: Any = None, messages: Any = None, **kwargs: Any) -> Any:
        self.asked.append(self.model)
        request = request_from_openai_chat({"model": self.model, "messages": messages})
        said = Engine(*PHRASINGS).complete(request)
        message = {"role": "assistant", "content": said.message.text}
        usage = {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return {"id": "1", "model": self.model, "choices": [choice], "usage": usage}


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return make_suite(tmp_path_factory.mktemp("suite"))


@pytest.fixture(autouse=True)
def nothing_asked() -> None:
    Own.asked.clear()


def clerk(suite: Suite, model: Any) -> Clerk:
    program = Clerk(suite.env)
    program.step.lm = model
    return program


def test_a_budget_covers_the_model_inside_a_program(suite: Suite) -> None:
    program, budget = clerk(suite, Own("own/model", cache=False)), Budget(calls=10)
    result = evaluate(
        program,
        suite.select(split="test"),
        EvalSettings(env=suite.env, lm=lm(), workers=1, admission=budget.account("scripted/none")),
    )
    assert len(Own.asked) == budget.spent.calls <= 10
    assert result.unstarted > 0
    assert {
        (record.model_calls, record.usage.used_tokens, record.usage.paid_tokens) for record in result.records
    } == {(3, 33, 33)}
    assert type(program.step.lm) is Own


def test_dollars_are_not_limited_where_the_price_of_a_model_inside_is_unknown(suite: Suite) -> None:
    budget = Budget(usd=1.0)
    with pytest.raises(InputError, match="price of own/model is not known"):
        evaluate(
            clerk(suite, Own("own/model")),
            suite.select(split="test"),
            EvalSettings(env=suite.env, lm=lm(), admission=budget.account("scripted/gold-1")),
        )
    assert not Own.asked


class Round(dspy.LM):  # type: ignore[misc]
    """Goes round every engine."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("it was asked")


def test_a_model_inside_that_cannot_be_counted_is_refused_by_name(suite: Suite) -> None:
    with pytest.raises(InputError, match="mine/round has a __call__ of its own"):
        evaluate(
            clerk(suite, Round("mine/round")),
            suite.select(split="test"),
            EvalSettings(env=suite.env, lm=lm()),
        )


class Making(Clerk):
    """Makes its model while it runs."""

    def forward(self, task: Any) -> dspy.Prediction:
        with dspy.context(lm=Own("own/made", cache=False)):
            return super().forward(task)


def test_a_model_that_is_made_on_the_way_is_refused_when_it_was_asked_once(suite: Suite) -> None:
    with pytest.raises(InputError, match="own/made was asked, but not through the engine"):
        evaluate(
            Making(suite.env), suite.select(split="test"), EvalSettings(env=suite.env, lm=lm(), workers=1)
        )
    assert len(Own.asked) == 1


def compiled(suite: Suite, folder: Path, budget: Budget | None, *, resume: bool = False) -> Any:
    plan = Plan(
        program=clerk(suite, Own("own/model", cache=False)),
        describes={},
        suite=suite,
        lm=Model("paid/student", Own("paid/student", cache=False)),
        teacher=Model("paid/teacher", Own("paid/teacher", cache=False)),
        optimizer=registry.optimizer("bootstrap", Settings(demos=2, candidates=1)),
        folder=folder,
        budget=budget,
        resume=resume,
        workers=2,
    )
    return compile_program(plan)


@pytest.mark.slow
def test_a_compile_keeps_and_counts_what_the_model_inside_says(suite: Suite, tmp_path: Path) -> None:
    whole = compiled(suite, tmp_path / "whole", None)
    asked = len(Own.asked)
    assert set(Own.asked) == {"own/model"}
    assert whole.artifact.measured["paid_requests"] == asked > 30
    assert type(whole.compiled.program.step.lm) is Own

    again = compiled(suite, tmp_path / "whole", None, resume=True)
    assert again.artifact.digest == whole.artifact.digest
    assert len(Own.asked) == asked

    budget = Budget(calls=20)
    cut = compiled(suite, tmp_path / "cut", budget)
    assert cut.artifact.manifest.stopped == "max_calls"
    assert len(Own.asked) - asked == budget.spent.calls <= 20
