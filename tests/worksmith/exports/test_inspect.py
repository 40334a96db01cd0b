"""A suite in inspect_ai: its samples, episodes, tools and scores."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dspy
import pytest
from dspy import lm15

from tests import standin
from tests.e2e.conftest import invoke
from worksmith.evals.suite import Suite
from worksmith.evals.tasks.task import Task
from worksmith.programs.prompting.native_tools import native_name
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.own_data.context import Context
from worksmith.tools.kinds.own_data.environment import Environment
from worksmith.tools.lazy import function_at
from worksmith.tools.tool import FINISH

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog
    from inspect_ai.model import ModelOutput

pytestmark = pytest.mark.slow

# inspect_ai takes seconds to load: those who only collect this file do without.
evaluated = function_at("inspect_ai:eval")
read_eval_log = function_at("inspect_ai.log:read_eval_log")
get_model = function_at("inspect_ai.model:get_model")
episode_tools = function_at("worksmith.exports.inspect:episode_tools")
inspect_model = function_at("worksmith.exports.inspect:inspect_model")
inspect_task = function_at("worksmith.exports.inspect:inspect_task")
running_session = function_at("worksmith.exports.inspect.tools:running_session")

Reply = Callable[[Task, int], tuple[str, dict[str, Any]] | str]
"""The next call of a tool, or the last words; takes the task and the number of results so far."""


@pytest.fixture(scope="module")
def suite(folder: Path) -> Suite:
    return Suite.open(folder)


def ran(
    suite: Suite,
    reply: Reply,
    tmp_path: Path,
    *,
    epochs: int = 1,
    retry_on_error: int = 0,
    task: Any = None,
    **more: Any,
) -> EvalLog:
    """The log of a run whose model replies so."""
    from inspect_ai.model import ModelOutput, ModelUsage

    def replied(messages: list[Any], *_: Any) -> ModelOutput:
        said = "\n".join(message.text for message in messages[:4])
        asked = next(each for each in suite.tasks if each.query in said and _card(each) in said)
        found = reply(asked, sum(message.role == "tool" for message in messages))
        if isinstance(found, str):
            output = ModelOutput.from_content("mockllm/model", found)
        else:
            output = ModelOutput.for_tool_call("mockllm/model", native_name(found[0]), found[1])
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    made = task or inspect_task(suite, split="test", limit=6, **more)
    model = get_model("mockllm/model", custom_outputs=replied, memoize=False)
    how: dict[str, Any] = {"epochs": epochs, "retry_on_error": retry_on_error, "fail_on_error": False}
    logs = evaluated(made, model, display="none", log_dir=str(tmp_path), **how)
    read: EvalLog = read_eval_log(logs[0].location)
    return read


def _card(task: Task) -> str:
    return task.persona.name if task.persona else ""


def gold(task: Task, made: int) -> tuple[str, dict[str, Any]] | str:
    plan = task.gold_plan or ()
    if made < len(plan):
        return plan[made].tool, plan[made].arguments
    answer = task.answer
    return FINISH, {
        "answer": answer.text if answer else "",
        "status": answer.status if answer else "answered",
    }


def scores(log: EvalLog) -> list[float]:
    return [sample.scores["outcome"].value for sample in log.samples or [] if sample.scores]  # type: ignore[misc]


def test_gold_plans_are_right_in_every_epoch_and_each_has_an_episode_of_its_own(
    suite: Suite, tmp_path: Path
) -> None:
    log = ran(suite, gold, tmp_path, epochs=2)

    assert log.status == "success"
    assert scores(log) == [1.0] * 12
    assert log.results is not None
    assert {name: each.value for name, each in log.results.scores[0].metrics.items()} == {
        "mean": 1.0,
        "stderr": 0.0,
    }
    assert log.eval.task_version == suite.digest


def test_samples_hold_no_truth(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    for sample in inspect_task(suite, split="all").dataset:
        assert sample.input == suite.task(str(sample.id)).query
        assert sample.target == ""
        assert sample.metadata is not None
        assert sample.metadata.keys() == {"persona", "now", "domains", "intent"}
        assert "attributes" not in sample.metadata["persona"]
    with monkeypatch.context() as here:
        here.chdir(suite.path)
        assert inspect_task(".").name == "helpdesk", "named by its folder"
    assert str(inspect_model(standin.NAME)) == f"worksmith/{standin.NAME}"


def test_arguments_that_the_tools_take_reach_them_although_the_schema_is_stricter(tmp_path: Path) -> None:
    env = Environment.from_tables(
        {"rooms": [{"id": "R-1", "seats": 4, "floor": "2"}]}, now="2026-01-05 09:00"
    )

    @env.tool
    def furnish(ctx: Context, room: str, seats: int, floor: str = "", note: str = "") -> None:
        """Set the seats of a room, and its floor."""
        ctx["rooms"].update(room, seats=seats, floor=floor)

    plan = [{"tool": "furnish", "arguments": {"room": "R-1", "seats": 6, "floor": "3"}}]
    suite = Suite(env, [{"id": "six", "query": "Six seats in R-1, floor 3.", "split": "test", "plan": plan}])

    def said(task: Task, made: int) -> tuple[str, dict[str, Any]] | str:
        arguments = {"room": "R-1", "seats": 6.0, "floor": "3", "note": None}
        return "Done." if made else ("tools.furnish", arguments)

    assert scores(ran(suite, said, tmp_path)) == [1.0]


def test_mistakes_of_a_model_come_back_to_it(suite: Suite, tmp_path: Path) -> None:
    def learning(task: Task, made: int) -> tuple[str, dict[str, Any]] | str:
        first: list[tuple[str, dict[str, Any]]] = [
            ("no_such.tool", {}),
            ((task.gold_plan or ())[0].tool, {"x": 1}),
        ]
        return first[made] if made < len(first) else gold(task, made - len(first))

    log = ran(suite, learning, tmp_path)

    assert log.status == "success"
    assert scores(log) == [1.0] * 6


def test_words_are_an_answer_and_words_beside_a_call_are_none(suite: Suite, tmp_path: Path) -> None:
    said = ran(suite, lambda task, made: "I do not know.", tmp_path)
    endless = ran(suite, lambda task, made: ((task.gold_plan or ())[0].tool, {}), tmp_path, max_steps=3)

    assert {sample.scores["outcome"].answer for sample in said.samples or [] if sample.scores} == {
        "I do not know."
    }
    for sample in endless.samples or []:
        assert sample.limit is not None
        assert sample.limit.type == "turn"
        assert sample.scores is not None
        assert sample.scores["outcome"].answer == ""


def test_a_solver_of_the_users_gets_the_tools(suite: Suite, tmp_path: Path) -> None:
    from inspect_ai.agent import react
    from inspect_ai.solver import basic_agent

    for solver in (basic_agent(), react(tools=[episode_tools()], submit=False)):
        log = ran(suite, gold, tmp_path, solver=solver, max_steps=8)
        assert scores(log) == [1.0] * 6


def test_a_failing_model_leaves_no_episode_open(suite: Suite, tmp_path: Path) -> None:
    def failing(task: Task, made: int) -> str:
        sessions.append(running_session())
        raise RuntimeError("no model")

    sessions: list[Any] = []
    log = ran(suite, failing, tmp_path)

    assert [sample.error is not None for sample in log.samples or []] == [True] * 6
    assert len(sessions) == 6
    for session in sessions:
        assert session.task.tools.call(session.task.tools[0].name, {}).startswith("The task has ended")


def test_a_sample_that_is_tried_again_begins_anew(suite: Suite, tmp_path: Path) -> None:
    def failing_once(task: Task, made: int) -> tuple[str, dict[str, Any]] | str:
        if made and task.id not in failed:
            failed.add(task.id)
            raise RuntimeError("no model")
        return gold(task, made)

    failed: set[str] = set()
    log = ran(suite, failing_once, tmp_path, retry_on_error=1)

    assert len(failed) == 6
    assert scores(log) == [1.0] * 6


def test_an_exported_file_runs_unchanged(
    folder: Path, suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written = invoke(
        "export", "inspect", os.path.relpath(folder), "--split", "dev", "--limit", 2, "--out", "exported"
    )
    assert written.exit_code == 0, written.output

    log = ran(suite, gold, tmp_path, task="exported/task.py")

    assert scores(log) == [1.0] * 2
    assert {suite.task(str(sample.id)).split for sample in log.samples or []} == {"dev"}


def test_a_model_reads_the_conversation_and_its_calls_come_back(suite: Suite, tmp_path: Path) -> None:
    class Engine:
        version = "1"

        def complete(self, request: lm15.Request) -> lm15.Response:
            asked.append(request)
            parts: tuple[Any, ...] = (lm15.ThinkingPart("Well."), lm15.ToolCallPart("c1", tool, {"x": 1}))
            said = lm15.Message.assistant("No.") if len(asked) > 1 else lm15.Message("assistant", parts)
            return lm15.Response(None, "own", said, "stop", lm15.Usage(10, 2, 12, cache_read_tokens=4))

    asked: list[lm15.Request] = []
    made = inspect_task(suite, split="test", limit=1)
    task = suite.task(str(made.dataset[0].id))
    tool = native_name((task.gold_plan or ())[0].tool)
    model = inspect_model(dspy.LM("own", engine=Engine()))
    (log,) = evaluated(made, model=model, display="none", log_dir=str(tmp_path), temperature=0.5)

    assert asked[0].config.temperature == 0.5
    assert tool in {each.name for each in asked[0].tools}
    result = asked[1].messages[-1].parts_of(lm15.ToolResultPart)[0]
    assert "'x' was unexpected" in str(result)
    (usage,) = log.stats.model_usage.values()
    assert (usage.input_tokens, usage.input_tokens_cache_read, usage.output_tokens) == (12, 8, 4)


def test_tasks_that_a_judge_decides_are_refused_before_anything_runs(suite: Suite) -> None:
    line = {"query": "Why?", "split": "test", "answer": "So.", "judge": "It is kind."}
    with pytest.raises(InputError, match="worksmith eval --judge"):
        inspect_task(Suite(suite.env, [line]))
