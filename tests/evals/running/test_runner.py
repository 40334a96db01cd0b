from __future__ import annotations

import errno
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dspy
import httpx
import openai
import pytest
from dspy.utils.exceptions import (
    ContextWindowExceededError,
    LMInvalidRequestError,
    LMServerError,
)

from tests.chat_server import ChatServer, said
from tests.evals.episodes import make_episode, make_task
from worksmith.evals.dspy_programs.digests import model_digest, program_digest
from worksmith.evals.records.logs.log import EpisodeLog, read_log
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.running.outage import IN_VAIN, ModelDownError
from worksmith.evals.running.program_run import RunPlan
from worksmith.evals.running.result import EvalResult, EvaluationProgress, failed_scorers
from worksmith.evals.running.runner import EvaluationInterrupted, evaluate, evaluate_together
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.tasks.task import Task
from worksmith.tools.dispatch import Observation
from worksmith.tools.episode_result import CallRecord, EpisodeResult
from worksmith.tools.errors import InfrastructureError, InputError


class Scripted(dspy.Module):  # type: ignore[misc]
    """Solves tasks whose number is odd; counts its calls; can fail, wait or be interrupted at will."""

    digest = "scripted"

    def __init__(self, **behaviour: Any) -> None:
        super().__init__()
        self.behaviour = behaviour
        self.calls: list[str] = []

    def forward(self, task: Task) -> dspy.Prediction:
        self.calls.append(task.id)
        act = self.behaviour.get(task.id.replace("-", "_"))
        if isinstance(act, BaseException):
            raise act
        if callable(act):
            act()
        episode = act if isinstance(act, EpisodeResult) else make_episode()
        return dspy.Prediction(answer="done", episode=episode)


def odd(task: Task, episode: EpisodeResult) -> dict[str, float]:
    return {"outcome": int(task.id[-3:]) % 2, "third": 1 / 3}


def run(program: Any, tasks: list[Task], env: Any, **options: Any) -> EvalResult:
    called = {name: options.pop(name) for name in ("log", "on_progress", "on_resume") if name in options}
    settings = EvalSettings(env=env, **{"scorers": [odd], "workers": 4, **options})
    return evaluate(program, tasks, settings, **called)


@pytest.fixture
def lm(server: ChatServer) -> dspy.LM:
    """A model on a server, whose replies take 13 tokens each."""
    server.say(*[said("a")] * 9)
    return dspy.LM("openai/m", api_base=server.url, api_key="none", engine="lm15", cache=False)


def comparable(result: EvalResult) -> list[dict[str, Any]]:
    return [record.without_times() for record in result.records]


def test_records_follow_the_order_of_tasks_and_say_everything(tasks: list[Task], env: Any) -> None:
    result = run(Scripted(), tasks, env, strategy="react")

    assert [record.task_id for record in result.records] == [task.id for task in tasks]
    record = result.records[1]
    assert record.scores == {"outcome": 1.0, "third": 1 / 3}
    assert (record.status, record.strategy, record.split, record.intent) == (
        "finished",
        "react",
        "test",
        "intent-1",
    )
    assert (record.steps, record.model_calls, record.usage.used_tokens) == (1, 2, 110)
    assert record.calls[0].tool == "calendar.search_events"
    assert record.calls[0].thought == "Look for it."
    assert record.calls[0].rule == "office.read"
    assert record.digests.world == "world"


def test_programs_that_share_workers_get_the_records_they_get_alone(
    tasks: list[Task], env: Any, tmp_path: Path
) -> None:
    left, right = tasks[:3], tasks[2:]
    told: list[tuple[int, str]] = []
    with EpisodeLog.open(tmp_path / "left") as one, EpisodeLog.open(tmp_path / "right") as two:
        found = evaluate_together(
            [RunPlan(Scripted(), left, one), RunPlan(Scripted(), right, two)],
            EvalSettings(env=env, workers=3, scorers=[odd]),
            on_progress=lambda progress: told.append((progress.program, progress.task)),
        )

    assert [comparable(result) for result in found] == [
        comparable(run(Scripted(), part, env)) for part in (left, right)
    ]
    assert sorted(told) == [*((0, task.id) for task in left), *((1, task.id) for task in right)]
    with EpisodeLog.open(tmp_path / "right", resume=True) as two:
        again = evaluate_together([RunPlan(Scripted(), right, two)], EvalSettings(env=env, scorers=[odd]))
    assert again[0].resumed == len(right)


def test_programs_that_share_workers_run_at_the_same_time(tasks: list[Task], env: Any) -> None:
    meeting = threading.Barrier(2)
    first, second = (Scripted(**{tasks[0].id.replace("-", "_"): lambda: meeting.wait(10)}) for _ in range(2))
    found = evaluate_together(
        [RunPlan(first, tasks[:1]), RunPlan(second, tasks[:1])],
        EvalSettings(env=env, workers=2, scorers=[odd]),
    )

    assert [result.records[0].status for result in found] == ["finished", "finished"]


def test_infrastructure_failures_leave_the_score_and_are_counted(tasks: list[Task], env: Any) -> None:
    program = Scripted(
        task_001=make_episode(status="model_error", error="503"),
        task_003=OSError(errno.EHOSTUNREACH, "no route"),
        task_005=OSError(28, "no space left on device"),
    )
    summary = run(program, tasks, env).summary

    assert summary.statuses == {"finished": 9, "harness_error": 1, "model_error": 2}
    assert (summary.graded, summary.errors, summary.error_rate) == (9, 3, 0.25)
    assert summary.scores["outcome"].value == pytest.approx(3 / 9)
    assert summary.scores["outcome_strict"].value == pytest.approx(3 / 12)


def flaky(times: int, then: Any = None) -> Callable[[], None]:
    """What raises so many times, and then does nothing more."""
    left = iter(range(times))

    def fail() -> None:
        time.sleep(random.random() / 100)
        if next(left, None) is not None:
            raise then or OSError(errno.EHOSTUNREACH, "no route")

    return fail


def test_a_lost_episode_is_tried_again_at_the_end(tasks: list[Task], env: Any, tmp_path: Path) -> None:
    program = Scripted(task_001=flaky(1), task_003=flaky(2), task_005=flaky(9), task_007=flaky(9, KeyError()))
    with EpisodeLog.open(tmp_path / "log") as log:
        result = run(program, tasks, env, workers=1, log=log)

    assert program.calls[len(tasks) :] == ["task-001", "task-003", "task-005", "task-003", "task-005"]
    assert [result.records[number].attempts for number in (0, 1, 3, 5, 7)] == [1, 2, 3, 3, 1]
    assert result.summary.statuses == {"finished": 10, "model_error": 1, "program_error": 1}
    written = [(record.task_id, record.attempts) for record in read_log(tmp_path / "log")]
    assert written[len(tasks) :] == [(f"task-00{n}", k) for n, k in ((1, 2), (3, 2), (5, 2), (3, 3), (5, 3))]


def test_attempts_are_counted_across_a_resume(tasks: list[Task], env: Any, tmp_path: Path) -> None:
    for attempts in (3, 6):
        with EpisodeLog.open(tmp_path / "log", resume=True) as log:
            result = run(Scripted(task_001=flaky(9)), tasks, env, log=log)
        assert result.records[1].attempts == attempts


def test_worker_count_changes_neither_a_digit_nor_what_is_tried_again(tasks: list[Task], env: Any) -> None:
    def one() -> Scripted:
        return Scripted(**{task.id.replace("-", "_"): flaky(number % 4) for number, task in enumerate(tasks)})

    alone, together = (run(one(), tasks, env, workers=number) for number in (1, 8))
    assert comparable(alone) == comparable(together)
    assert alone.summary.scores == together.summary.scores
    assert [r.attempts for r in alone.records] == [r.attempts for r in together.records]


@pytest.mark.parametrize("lm", [dspy.LM("scripted/gold-1"), dspy.LM("replay/1"), dspy.LM("local/model@1")])
def test_what_has_no_other_reply_is_not_asked_again(lm: Any, tasks: list[Task], env: Any) -> None:
    program = Scripted(task_001=OSError(errno.EHOSTUNREACH, "no route"))
    run(program, tasks, env, lm=lm)

    assert len(program.calls) == len(tasks)


def test_further_attempts_are_no_reason_to_give_the_model_up(tasks: list[Task], env: Any) -> None:
    down = {task.id.replace("-", "_"): OSError(errno.EHOSTUNREACH, "no route") for task in tasks}
    result = run(Scripted(**down), tasks, env, lm=dspy.LM("openai/x"))

    assert {record.attempts for record in result.records} == {3}
    assert result.summary.errors == len(tasks)


def test_a_resume_gives_a_model_up_that_is_still_down(env: Any, tmp_path: Path) -> None:
    tasks = [make_task(number) for number in range(100)]
    down = Scripted(**{task.id.replace("-", "_"): OSError(errno.EHOSTUNREACH, "no route") for task in tasks})
    for _ in range(2):
        with (
            EpisodeLog.open(tmp_path / "log", resume=True) as log,
            pytest.raises(ModelDownError, match=f"the first {IN_VAIN} episodes were lost"),
        ):
            run(down, tasks, env, workers=1, log=log, lm=dspy.LM("openai/x"))


def test_an_outage_that_goes_on_ends_the_further_attempts(env: Any) -> None:
    tasks = [make_task(number) for number in range(100)]
    down = {task.id.replace("-", "_"): OSError(errno.EHOSTUNREACH, "no route") for task in tasks[10:]}
    program = Scripted(**down)
    result = run(program, tasks, env, workers=1)

    assert len(program.calls) == len(tasks) + IN_VAIN
    assert result.summary.errors == 90


class Leave(nullcontext[None]):
    cut_short = False


class Leaves:
    """Admits so many episodes."""

    def __init__(self, left: int) -> None:
        self.left = left
        self.charged: list[EpisodeRecord] = []

    def admit(self, kind: str) -> Leave | None:
        self.left -= 1
        return Leave() if self.left >= 0 else None

    def counted(self, lm: Any) -> Any:
        return lm

    def charge(self, record: EpisodeRecord) -> None:
        self.charged.append(record)


def test_the_budget_lets_further_attempts_start(tasks: list[Task], env: Any) -> None:
    program = Scripted(task_001=flaky(9), task_003=flaky(9))
    result = run(program, tasks, env, workers=1, admission=Leaves(len(tasks) + 1))

    assert len(program.calls) == len(tasks) + 1
    assert (result.records[1].attempts, result.records[3].attempts, result.unstarted) == (2, 1, 0)


def test_a_program_that_raises_is_a_wrong_answer(tasks: list[Task], env: Any) -> None:
    result = run(Scripted(task_001=KeyError("tool")), tasks, env)

    assert result.records[1].status == "program_error"
    assert str(result.records[1].error).startswith("KeyError: 'tool' (test_runner.py:")
    assert "in __call__" in result.records[1].traceback
    # It gets every score, so that no mean of another one leaves its crashes out.
    assert result.records[1].scores == {"outcome": 0, "third": 1 / 3}
    assert (result.summary.graded, result.summary.scores["third"].n) == (12, len(tasks))
    assert result.summary.scores["outcome"].value == pytest.approx(5 / 12)


def test_a_program_that_exits_ends_its_episode_alone(tasks: list[Task], env: Any) -> None:
    result = run(Scripted(task_003=SystemExit(0)), tasks[:5], env)

    assert [record.status for record in result.records].count("program_error") == 1
    assert str(result.records[3].error).startswith("SystemExit: 0 (test_runner.py:")


def test_what_was_counted_counts_and_not_what_a_program_says(
    tasks: list[Task], env: Any, lm: dspy.LM
) -> None:
    """`make_episode` says 110 tokens; the model took 13."""
    result = run(Scripted(task_001=lambda: dspy.settings.lm("question")), tasks, env, lm=lm)

    assert result.records[1].usage.used_tokens == 13
    assert result.records[0].usage.used_tokens == 110


@pytest.mark.parametrize(
    "parts",
    [
        {"answer": "\ud800"},
        {"thoughts": ["\ud800"]},
        {"plan": "\ud800"},
        {"status": "program_error", "error": "\ud800"},
        {"calls": [CallRecord("t", {"\ud800": ["\ud800"]}, Observation("ok", "", "\ud800"), None, 0.0)]},
    ],
)
def test_half_a_surrogate_pair_in_what_a_program_gives_back_is_written(
    parts: dict[str, Any], tasks: list[Task], env: Any, tmp_path: Path
) -> None:
    with EpisodeLog.open(tmp_path / "log") as log:
        result = run(Scripted(task_001=make_episode(**parts)), tasks, env, log=log)

    assert result.summary.graded == len(tasks)
    assert next(r for r in read_log(tmp_path / "log") if r.task_id == "task-001") == result.records[1]


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no expectation"),
        OSError("no such file"),
        TimeoutError("slow"),
        ConnectionError("no route"),
        OSError(errno.ENOSPC, "full"),
        openai.APIConnectionError(request=httpx.Request("POST", "http://x")),
        AssertionError(),
        StopIteration(),
        SystemExit(3),
        RecursionError("deep"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_leaves_a_scorer_is_the_scorer_s_and_makes_the_answer_wrong(
    tasks: list[Task], env: Any, error: BaseException
) -> None:
    def broken(task: Task, episode: EpisodeResult) -> dict[str, float]:
        if task.id == "task-002":
            raise error
        return {"outcome": 1.0}

    result = run(Scripted(), tasks, env, scorers=[lambda *_: {"leak": 1.0}, broken])

    wrong = next(record for record in result.records if record.scorer_failed)
    assert (wrong.task_id, wrong.status, wrong.attempts) == ("task-002", "finished", 1)
    assert wrong.scores == {"leak": 1.0, "outcome": 0.0}
    said = failed_scorers(result.records)
    assert re.match(
        rf"the scorer broken raised {type(error).__name__}.* \(test_runner.py:\d+\), so 1 of", said
    )
    assert result.summary.errors == 0


def test_a_model_that_a_scorer_asks_in_vain_is_infrastructure(tasks: list[Task], env: Any) -> None:
    def judged(task: Task, episode: EpisodeResult) -> dict[str, float]:
        raise LMServerError("503")

    record = run(Scripted(), tasks[:1], env, scorers=[judged]).records[0]
    assert (record.status, record.scorer_failed, record.attempts) == ("harness_error", True, 1)
    assert record.calls


def test_a_scorer_that_breaks_on_every_answer_ends_the_evaluation(tasks: list[Task], env: Any) -> None:
    def broken(task: Task, episode: EpisodeResult) -> dict[str, float]:
        raise KeyError("expected")

    with (
        dspy.context(max_errors=4),
        pytest.raises(
            InputError, match=r"the scorer broken raised KeyError: 'expected' \(test_runner.py:\d+\)"
        ),
    ):
        run(Scripted(), tasks, env, scorers=[broken])


def test_no_message_says_whether_an_episode_runs_again(tasks: list[Task], env: Any) -> None:
    lost = make_episode(status="harness_error", error="scorer: the index is damaged")
    result = run(Scripted(task_000=lost), tasks[:1], env)

    assert (result.records[0].scorer_failed, result.records[0].attempts) == (False, 3)


def test_input_errors_end_the_evaluation(tasks: list[Task], env: Any) -> None:
    with pytest.raises(InputError, match="no such toolkit"):
        run(Scripted(task_004=InputError("no such toolkit")), tasks, env)


def test_a_program_without_episodes_is_refused(tasks: list[Task], env: Any) -> None:
    with pytest.raises(InputError, match="has no episode"):
        run(lambda task: dspy.Prediction(answer="x"), tasks, env)


@pytest.mark.parametrize(
    "options", [{"workers": 0}, {"trials": 0}, {"time_limit": 0}, {"tasks": []}, {"tasks": "twice"}]
)
def test_senseless_arguments_are_refused(options: dict[str, Any], tasks: list[Task], env: Any) -> None:
    chosen = options.pop("tasks", tasks)
    with pytest.raises(InputError):
        run(Scripted(), [tasks[0], tasks[0]] if chosen == "twice" else chosen, env, **options)


def test_a_slow_episode_times_out_once_and_is_not_started_again(tasks: list[Task], env: Any) -> None:
    release = threading.Event()
    program = Scripted(task_002=lambda: release.wait(5), task_006=lambda: release.wait(5))

    result = run(program, tasks, env, workers=2, time_limit=0.2)
    release.set()

    assert [record.task_id for record in result.records if record.status == "timeout"] == [
        "task-002",
        "task-006",
    ]
    assert sorted(program.calls) == sorted(task.id for task in tasks)
    assert result.summary.errors == 2


def test_an_overdue_episode_asks_no_more_and_its_end_disturbs_nobody(
    tasks: list[Task], env: Any, lm: dspy.LM
) -> None:
    overdue, ends = threading.Event(), []

    def slow() -> None:
        overdue.wait(5)
        try:
            dspy.settings.lm("question")
        except Exception as error:
            ends.append(str(error))
        raise InputError("nobody waits for this")

    def meanwhile() -> None:
        overdue.set()
        time.sleep(0.1)

    program = Scripted(task_001=slow, task_002=meanwhile)
    result = run(program, tasks, env, lm=lm, workers=1, time_limit=0.3)

    assert [record.task_id for record in result.records if record.status == "timeout"] == ["task-001"]
    assert "time limit" in ends[0]


@pytest.mark.slow
def test_what_an_overdue_episode_asked_was_paid(tasks: list[Task], env: Any, lm: dspy.LM) -> None:
    release = threading.Event()

    def slow() -> None:
        dspy.settings.lm("question")
        release.wait(10)

    result = run(Scripted(task_002=slow), tasks, env, lm=lm, time_limit=2)
    release.set()

    assert result.records[2].status == "timeout"
    assert (result.records[2].usage.used_tokens, result.records[2].paid_requests) == (13, 1)


def test_what_lost_episodes_paid_counts_against_the_budget_of_a_resume(
    tasks: list[Task], env: Any, tmp_path: Path
) -> None:
    leaves, path = Leaves(len(tasks)), tmp_path / "episodes.jsonl"
    with EpisodeLog.open(path) as log:
        run(Scripted(task_001=InfrastructureError("down")), tasks, env, log=log)
    with EpisodeLog.open(path, resume=True) as log:
        run(Scripted(), tasks, env, log=log, admission=leaves)

    assert [record.task_id for record in leaves.charged] == [task.id for task in tasks]
    assert not leaves.charged[1].graded


def test_every_episode_is_logged_and_resume_runs_only_what_is_owed(
    tasks: list[Task], env: Any, tmp_path: Path
) -> None:
    path = tmp_path / "episodes.jsonl"
    whole = run(Scripted(), tasks, env)
    with EpisodeLog.open(path) as log:
        run(Scripted(task_007=OSError(errno.EHOSTUNREACH, "down")), tasks[:8], env, log=log)

    rest = Scripted()
    with EpisodeLog.open(path, resume=True) as log:
        resumed = run(rest, tasks, env, log=log)

    assert sorted(rest.calls) == ["task-007", "task-008", "task-009", "task-010", "task-011"]
    assert resumed.resumed == 7
    assert comparable(resumed) == comparable(whole)


@pytest.mark.parametrize(
    "error", [KeyError("tool"), ContextWindowExceededError(), LMInvalidRequestError("top_k", status=400)]
)
def test_what_the_program_did_wrong_is_not_owed_again(
    error: Exception, tasks: list[Task], env: Any, tmp_path: Path
) -> None:
    path, again = tmp_path / "episodes.jsonl", Scripted()
    with EpisodeLog.open(path) as log:
        run(Scripted(task_001=error), tasks, env, log=log)
    with EpisodeLog.open(path, resume=True) as log:
        resumed = run(again, tasks, env, log=log)

    assert again.calls == []
    assert (resumed.summary.graded, resumed.records[1].scores) == (
        len(tasks),
        {"outcome": 0.0, "third": 1 / 3},
    )


def test_another_program_seed_or_model_owes_everything_again(
    tasks: list[Task], env: Any, tmp_path: Path
) -> None:
    path = tmp_path / "episodes.jsonl"
    with EpisodeLog.open(path) as log:
        run(Scripted(), tasks, env, log=log)

    for change in ({"seed": 1}, {"lm": dspy.LM("openai/other")}, {"strategy": "plan"}):
        program = Scripted()
        with EpisodeLog.open(path, resume=True) as log:
            run(program, tasks, env, log=log, **change)
        assert len(program.calls) == len(tasks)


def test_interruption_keeps_what_is_finished(tasks: list[Task], env: Any, tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    program = Scripted(**{task.id.replace("-", "_"): lambda: time.sleep(0.02) for task in tasks})

    def stop_at_four(progress: EvaluationProgress) -> None:
        if progress.done == 4:
            raise KeyboardInterrupt

    with EpisodeLog.open(path) as log, pytest.raises(EvaluationInterrupted, match="--resume") as stopped:
        run(program, tasks, env, workers=1, log=log, on_progress=stop_at_four)

    assert 4 <= stopped.value.done < 12
    with EpisodeLog.open(path, resume=True) as log:
        assert len(log) == stopped.value.done


def test_threads_see_the_settings_of_their_caller_and_leave_none(tasks: list[Task], env: Any) -> None:
    seen: list[tuple[Any, ...]] = []

    def curious(task: Task) -> Any:
        seen.append((dspy.settings.lm.model, dspy.settings.branch_idx, len(dspy.settings.trace)))
        dspy.settings.trace.append(task.id)
        return dspy.Prediction(episode=make_episode())

    with dspy.context(lm=dspy.LM("openai/outer"), branch_idx=7, trace=[]):
        run(curious, tasks, env, lm=dspy.LM("openai/inner"))
        run(curious, tasks, env)
        assert dspy.settings.trace == []

    assert set(seen) == {("openai/inner", 7, 0), ("openai/outer", 7, 0)}


def test_later_trials_are_not_answered_from_the_cache_of_the_first(env: Any) -> None:
    rollouts: list[Any] = []

    def curious(task: Task) -> Any:
        rollouts.append(dspy.settings.lm.kwargs.get("rollout_id"))
        return dspy.Prediction(episode=make_episode())

    run(curious, [make_task(1)], env, trials=3, lm=dspy.LM("openai/x", temperature=0.7))

    assert len(set(rollouts)) == 3
    assert None in rollouts


def test_digests_leave_credentials_out_and_keep_settings_in() -> None:
    plain = model_digest(dspy.LM("openai/x", temperature=0.5))

    assert model_digest(dspy.LM("openai/x", temperature=0.5, api_key="s3cret")) == plain
    assert model_digest(dspy.LM("openai/x", temperature=0.6)) != plain
    assert model_digest(dspy.LM("openai/x", temperature=0.5, max_tokens=9)) != plain


def test_a_program_is_known_by_its_demonstrations() -> None:
    bare, taught = dspy.Predict("q -> a"), dspy.Predict("q -> a")
    taught.demos = [dspy.Example(q="1", a="2")]

    assert program_digest(bare) == program_digest(dspy.Predict("q -> a"))
    assert program_digest(bare) != program_digest(taught)


_CHILD = """
import signal, sys
from pathlib import Path
from tests.evals.running.test_runner import hundred

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
hundred(Path(sys.argv[1]))
"""


def hundred(path: Path) -> EvalResult:
    """An evaluation of a hundred episodes, gone on with where there is a log."""

    def program(task: Task) -> Any:
        time.sleep(float(os.environ.get("SECONDS_AN_EPISODE", "0")))
        return SimpleNamespace(episode=make_episode())

    def odd(task: Task, episode: EpisodeResult) -> dict[str, float]:
        return {"outcome": int(task.id[-3:]) % 2}

    world: Any = SimpleNamespace(digest="world", code_digest="", kind=SimpleNamespace(name=""))
    with EpisodeLog.open(path, resume=True) as log:
        tasks = [make_task(number) for number in range(100)]
        return evaluate(program, tasks, EvalSettings(env=world, workers=2, scorers=[odd]), log=log)


@pytest.mark.slow
def test_an_interrupted_run_continues_to_the_same_scores(tmp_path: Path) -> None:
    log = tmp_path / "episodes.jsonl"
    # The victim's episodes take so long that it is not done before it is hit.
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3]), "SECONDS_AN_EPISODE": "0.1"}
    victim = subprocess.Popen([sys.executable, "-c", _CHILD, str(log)], env=environment)
    while not log.exists() or log.read_bytes().count(b"\n") < 5:
        time.sleep(0.01)
    victim.send_signal(signal.SIGINT)
    victim.wait()
    resumed = hundred(log)

    assert victim.returncode != 0
    assert 5 <= resumed.resumed < 100
    assert resumed.summary.scores == hundred(tmp_path / "whole.jsonl").summary.scores
    assert len(log.read_text().splitlines()) == 100


def test_as_many_episodes_wait_at_once_as_there_are_workers(env: Any) -> None:
    together = threading.Barrier(32)

    def waiting(task: Task) -> Any:
        for _ in range(3):
            together.wait(timeout=60)
        return dspy.Prediction(episode=make_episode())

    found = run(waiting, [make_task(number) for number in range(64)], env, workers=32)
    assert {record.error for record in found.records} == {None}
