"""Evaluating and comparing open programs: agents, DSPy programs, functions, files."""

from __future__ import annotations

import io
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import dspy
import numpy as np
import pytest
from dspy.lm15 import Request, Response
from dspy.utils.exceptions import LMServerError
from rich.console import Console

import worksmith as ws
from tests import standin
from tests.optimizers import mailroom
from tests.optimizers.shop import make_suite
from tests.programs.office import answer
from worksmith.jobs.evaluation import evaluate as evaluate_settings
from worksmith.jobs.settings.programs import EvaluateSettings
from worksmith.models.resolve import resolve


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> ws.Suite:
    return make_suite(tmp_path_factory.mktemp("office"))


def outcome(result: ws.Evaluation) -> float:
    return result.summary.scores["outcome"].value


def gold(suite: ws.Suite, **settings: Any) -> ws.Evaluation:
    return ws.evaluate(ws.Agent("react", suite.env), suite.test, lm="gold", progress=False, **settings)


def test_an_agent_is_evaluated_on_a_part_of_a_suite(suite: ws.Suite) -> None:
    result = gold(suite)
    assert outcome(result) == 1.0
    assert [record.task_id for record in result.records] == [task.id for task in suite.test.tasks]
    assert result.settings["split"] == "test"


def test_a_suite_stands_for_its_test_tasks_and_a_part_for_itself(suite: ws.Suite) -> None:
    agent = ws.Agent("gold")  # the environment is that of the tasks
    assert len(ws.evaluate(agent, suite, progress=False).records) == 16
    assert len(ws.evaluate(agent, suite.test[:3], progress=False).records) == 3
    assert agent.env is None


def test_the_model_is_dspys_or_the_local_one_and_that_is_said(suite: ws.Suite) -> None:
    one = suite.test[:1]
    said = ws.evaluate(ws.Agent(), one, progress=False)
    assert f"The model is {standin.NAME}, as none was given." in str(said)
    with dspy.context(lm=resolve("gold", tasks=suite.tasks)):
        said = ws.evaluate(ws.Agent(), one, progress=False)
    assert outcome(said) == 1.0
    assert said.notes == (f"The model is {said.settings['lm']}, as none was given.",)
    assert ws.evaluate(ws.Agent(), one, lm=standin.NAME, progress=False).notes == ()


@pytest.mark.parametrize("kind", [np.int64, Decimal, lambda n: np.full(2, n)])
def test_a_corrected_label_runs_again_and_no_other(kind: Any, tmp_path: Path) -> None:
    def found(*labels: int) -> list[float]:
        examples = [
            dspy.Example(question=f"number {number}", label=kind(label)).with_inputs("question")
            for number, label in enumerate(labels)
        ]
        result = ws.evaluate(
            lambda question: dspy.Prediction(answer="1"),
            examples,
            metric=lambda example, prediction: bool(np.all(example.label == kind(1))),
            lm=standin.NAME,
            log=tmp_path / "log.jsonl",
            resume=True,
            progress=False,
        )
        return [record.scores["outcome"] for record in result.records]

    assert found(1, 1, 2) == [1, 1, 0]
    lines = (tmp_path / "log.jsonl").read_text().count("\n")
    assert found(1, 2, 2) == [1, 0, 0]
    assert (tmp_path / "log.jsonl").read_text().count("\n") == lines + 1


def test_any_function_is_a_program(suite: ws.Suite) -> None:
    agent = ws.Agent("react", suite.env)
    seen = []

    def wrapped(task: Any) -> Any:
        seen.append(task)
        return agent(task=task)

    with dspy.context(lm=resolve("gold", tasks=suite.tasks)):
        result = ws.evaluate(wrapped, suite.test[:2], progress=False)
    assert len(seen) == len(result.records) == 2
    assert not hasattr(seen[0], "gold_plan")


def test_a_result_is_a_table_a_page_and_data(suite: ws.Suite, here: Path) -> None:
    result = gold(suite)
    assert "Outcome of react, gold" in str(result)
    page = result.report("report.html")
    assert page == Path("report.html")
    with pytest.raises(ws.InputError, match="this is a directory"):
        result.report(here)
    assert "close-3" in page.read_text()
    data = json.loads(json.dumps(result.to_json()))
    assert len(data["rows"]) == 16
    console = Console(file=io.StringIO(), width=60)
    result.print(console)


def test_the_command_gives_the_same_figures(suite: ws.Suite, office: ws.Suite) -> None:
    agent = ws.Agent("react", office.env, toolset="all")
    mine = ws.evaluate(agent, office.examples("test", limit=4), progress=False)
    theirs = evaluate_settings(EvaluateSettings(suite=office.path, toolset="all", limit=4, track=False))
    assert [each.scores for each in mine.records] == [each.scores for each in theirs.records]
    assert [each.digests for each in mine.records] == [each.digests for each in theirs.records]


def test_plain_examples_are_evaluated_by_a_metric(here: Path) -> None:
    examples, program = mailroom.mails(6, seed=1), mailroom.Mailroom()
    result = ws.evaluate(
        program, examples, metric=mailroom.metric, lm=mailroom.lm(knows=True), progress=False
    )
    assert len(result.records) == 6
    assert outcome(result) == 1.0
    assert min(record.seconds for record in result.records) > 0
    compared = ws.compare(
        [program, mailroom.Mailroom()],
        examples,
        metric=mailroom.metric,
        lm=mailroom.lm(knows=True),
        progress=False,
    )
    assert list(compared.summary) == ["Mailroom", "Mailroom 2"]
    apart = ws.evaluate(
        program,
        examples,
        metric=mailroom.metric,
        lm=mailroom.lm(knows=True),
        engine="processes",
        processes=1,
        progress=False,
    )
    assert [record.scores for record in apart.records] == [record.scores for record in result.records]
    with pytest.raises(ws.InputError, match="plain examples need a metric"):
        ws.evaluate(program, examples, progress=False)


def test_a_metric_of_ones_own_may_grade_a_suite(suite: ws.Suite) -> None:
    result = gold(suite, metric=lambda example, prediction, trace=None: 0.25)
    assert outcome(result) == 0.25


def test_a_budget_ends_an_evaluation(suite: ws.Suite) -> None:
    result = ws.evaluate(ws.Agent(), suite.test, budget=ws.Budget(calls=3), workers=1, progress=False)
    assert result.stopped == "max_calls"
    assert len(result.records) + result.unstarted == 16
    assert result.unstarted


def test_a_copy_of_a_part_does_not_know_its_suite(suite: ws.Suite) -> None:
    with pytest.raises(ws.InputError, match="do not know the suite any more"):
        ws.evaluate(ws.Agent(), list(suite.test), progress=False)


@pytest.mark.parametrize("programs", [[], {}, "agent.json", ws.Agent()])
def test_programs_to_compare_come_in_a_list_or_a_dict(suite: ws.Suite, programs: Any) -> None:
    with pytest.raises(ws.InputError, match="no programs to compare"):
        ws.compare(programs, suite.test, progress=False)


def test_an_agent_of_another_environment_is_refused(suite: ws.Suite, office: ws.Suite) -> None:
    with pytest.raises(ws.InputError, match="another environment"):
        ws.evaluate(ws.Agent("react", office.env), suite.test, progress=False)


def test_programs_are_compared_with_the_first(suite: ws.Suite, here: Path) -> None:
    def idle(task: Any) -> dspy.Prediction:
        return ws.Agent("react", suite.env, max_steps=1)(task=task)

    agent = ws.Agent("react", suite.env)
    result = ws.compare([idle, agent, agent], suite.test, lm="gold", progress=False)
    assert list(result.summary) == ["idle", "react", "react 2"]
    first, second, _ = result.study.rows
    assert first.against_first is None
    assert second.against_first is not None
    assert second.against_first.difference.low > 0
    assert "react 2" in result.report("report.html").read_text()
    assert len(result.records["react"]) == 16


@pytest.mark.slow
def test_compiled_programs_are_named_and_compared_with_what_they_came_from(suite: ws.Suite) -> None:
    agent = ws.Agent("react", suite.env)
    better = ws.Bootstrap(accept="best", demos=128).compile(agent, trainset=suite.train, valset=suite.dev)
    better.compilation.save("better.json")
    result = ws.compare([agent, better], suite.test, progress=False)
    assert list(result.summary) == ["react", "react + bootstrap"]
    assert "Compiling with bootstrap lifted react from 0.0" in str(result)
    again = ws.compare({"as it is": agent, "from its file": "better.json"}, suite.test, progress=False)
    assert again.summary["from its file"].scores == result.summary["react + bootstrap"].scores
    assert again.study.compiled


def test_judges_are_asked_about_results_and_logs(suite: ws.Suite) -> None:
    result = gold(suite)
    judged = ws.judge(result, progress=False)
    ((run, figures),) = judged.runs
    assert figures[0].judge == "local/rubric"
    assert figures[0].verdicts == 16
    again = ws.judge(run.path, suite=suite, progress=False)
    assert again.to_json() == judged.to_json()
    with pytest.raises(ws.InputError, match="does not say of which suite"):
        ws.judge(run.path, progress=False)


def test_programs_come_back_from_their_files(suite: ws.Suite) -> None:
    agent = ws.Agent("react", suite.env)
    better = ws.Bootstrap(accept="best").compile(agent, trainset=suite.train, valset=suite.dev)
    better.compilation.save("better.json")
    assert ws.load("better.json", suite.env).digest == better.digest
    into = ws.load("better.json", agent)
    assert into.digest == better.digest != agent.digest
    with pytest.raises(ws.InputError, match=r"missing\.json"):
        ws.load("missing.json", suite.env)
    with pytest.raises(ws.InputError, match="Suite takes no program"):
        ws.load("better.json", suite)


def test_calls_outside_are_made_only_where_asked_for(here: Path) -> None:
    rows = [{"id": "R-1", "name": "blue room"}]
    env, sent = ws.Environment.from_tables({"rooms": rows}, now="2026-01-05 09:00"), []

    @env.tool(outside=True, twin=lambda ctx, room: "booked")
    def book(ctx: ws.Context, room: str) -> str:
        """Book a room."""
        sent.append(room)
        return "booked"

    plan = [{"tool": "book", "arguments": {"room": "R-1"}}]
    suite = ws.Suite(env, [{"query": "Book room R-1.", "plan": plan, "split": "test"}])
    agent = ws.Agent("react", env)
    ws.evaluate(agent, suite.test, lm="gold", progress=False)
    assert sent == []
    ws.evaluate(agent, suite.test, lm="gold", live=True, progress=False)
    assert sent == ["R-1"]
    ws.compare([agent], suite.test, lm="gold", progress=False)
    assert sent == ["R-1"]


def test_a_plain_function_ends_with_what_its_episode_did(suite: ws.Suite) -> None:
    def by_plan(task: Any) -> Any:
        episode = suite.env.episode(task.domains, persona=task.persona, now=task.now)
        for step in suite.task(task.id).gold_plan or ():
            episode.call(step.tool, step.arguments)
        denied = any(call.observation.status == "denied" for call in episode.calls)
        return episode.finished(by_id[task.id], status="denied" if denied else "answered")

    by_id = {record.task_id: record.answer for record in gold(suite).records}
    result = ws.evaluate(by_plan, suite.test, progress=False)

    assert outcome(result) == 1.0
    assert all(record.calls for record in result.records)


class Down:
    """A model that breaks down before its second reply, until it is mended."""

    digest = "down"

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.mended = False

    def complete(self, request: Request) -> Response:
        self.asked.append(request.messages[-1].text or "")
        if len(self.asked) > 1 and not self.mended:
            raise LMServerError("overloaded", model="paid/model")
        return answer(request, f"reply {len(self.asked)}")

    def __deepcopy__(self, memo: dict[int, Any]) -> Down:
        return self


def test_a_resumed_evaluation_asks_only_for_the_replies_that_it_lacks(here: Path) -> None:
    def program(question: str) -> dspy.Prediction:
        first = dspy.settings.lm(question)[0]
        return dspy.Prediction(answer=dspy.settings.lm(first)[0])

    engine = Down()
    tasks = [dspy.Example(question="why", answer="reply 5").with_inputs("question")]
    given: dict[str, Any] = {
        "metric": lambda example, prediction, trace=None: example.answer == prediction.answer,
        "lm": dspy.LM("paid/model", engine=engine, cache=False, num_retries=0),
        "log": "log.jsonl",
        "progress": False,
    }
    assert ws.evaluate(program, tasks, **given).summary.graded == 0
    engine.mended = True
    result = ws.evaluate(program, tasks, **given, resume=True)

    assert engine.asked == ["why", *["reply 1"] * 4]
    assert (outcome(result), result.summary.graded, result.records[0].paid_requests) == (1.0, 1, 5)
