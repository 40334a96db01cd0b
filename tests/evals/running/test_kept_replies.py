"""Replies are kept beside a log, so that a lost or killed episode does not pay for its first steps again."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy.lm15 import Message, Request, Response, Usage
from dspy.utils.exceptions import LMServerError

from tests.evals.episodes import make_episode, make_task
from worksmith.evals.judging.rubric_judge import RubricJudge
from worksmith.evals.records.logs.log import EpisodeLog, read_log
from worksmith.evals.records.run_card import replies_beside
from worksmith.evals.running.result import EvalResult
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.tasks.task import Task
from worksmith.optimizers.cost.budget import Budget
from worksmith.tools.episode_result import EpisodeResult
from worksmith.tools.errors import InputError

STEPS = 3


class KilledError(BaseException):
    """Ends a worker as a kill does: nothing is recorded."""


class Paid:
    """A model behind an engine: says the number of its answer.

    Attributes:
        asked: the texts of all requests.
        kill, fail: numbers of requests, from 1, that do not get a reply.
    """

    def __init__(self, *, kill: int = 0, fail: Sequence[int] = ()) -> None:
        self.digest = "paid"
        self.asked: list[str] = []
        self.kill, self.fail = kill, fail
        self._lock = threading.Lock()

    def complete(self, request: Request) -> Response:
        with self._lock:
            self.asked.append(request.messages[-1].text or "")
            number = len(self.asked)
        if number == self.kill:
            raise KilledError
        if number in self.fail:
            raise LMServerError("overloaded", model="paid/model")
        usage = Usage(input_tokens=10, output_tokens=3)
        said = self.reply(number)
        return Response(
            id=None, model="paid/model", message=Message.assistant(said), finish_reason="stop", usage=usage
        )

    def reply(self, number: int) -> str:
        return str(number)

    def __deepcopy__(self, memo: dict[int, Any]) -> Paid:
        return self


def lm(engine: Paid, name: str = "paid/model", **options: Any) -> dspy.LM:
    return dspy.LM(name, engine=engine, cache=False, num_retries=0, **options)


class Steps(dspy.Module):  # type: ignore[misc]
    """Asks so often, each time with the replies so far; the answer is all replies."""

    def __init__(self, question: Callable[[Task, list[str]], str] | None = None) -> None:
        super().__init__()
        self.question = question or (lambda task, said: f"{task.id}: {', '.join(said)}")

    def forward(self, task: Task) -> dspy.Prediction:
        said: list[str] = []
        for _ in range(STEPS):
            said += dspy.settings.lm(self.question(task, said))
        return dspy.Prediction(answer="", episode=make_episode(answer=", ".join(said)))


def right(task: Task, episode: EpisodeResult) -> dict[str, float]:
    return {"outcome": 1.0}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


@pytest.fixture
def run(env: Any, path: Path) -> Callable[..., EvalResult]:
    def run(model: dspy.LM, program: Any = None, **options: Any) -> EvalResult:
        tasks = options.pop("tasks", 2)
        if isinstance(tasks, int):
            tasks = [make_task(number) for number in range(tasks)]
        settings = EvalSettings(env=env, lm=model, scorers=[right], **{"workers": 1, **options})
        with EpisodeLog.open(path, resume=path.exists(), replies=True) as log:
            return evaluate(program or Steps(), tasks, settings, log=log)

    return run


Run = Callable[..., EvalResult]


def paid(path: Path) -> int:
    """The paid requests of the last record of each episode, with its judges'."""
    records = {record.key: record for record in read_log(path)}.values()
    return sum(each.paid_requests for record in records for each in (record, *record.judgements))


@pytest.mark.parametrize("kill", range(1, 2 * STEPS + 1))
def test_a_killed_evaluation_asks_only_for_the_reply_that_was_under_way(
    run: Run, path: Path, kill: int
) -> None:
    first = Paid(kill=kill)
    with pytest.raises(KilledError):
        run(lm(first))
    assert replies_beside(path).exists() == ((kill - 1) % STEPS > 0)
    second = Paid()
    second.reply = lambda number: str(number + kill - 1)  # type: ignore[method-assign]
    result = run(lm(second))

    assert len(first.asked) + len(second.asked) == 2 * STEPS + 1
    assert first.asked[-1] == second.asked[0]
    assert [record.answer for record in result.records] == ["1, 2, 3", "4, 5, 6"]
    # The request under way at the kill has no reply, so nobody knows that it was paid.
    assert paid(path) == 2 * STEPS
    assert [record.usage.used_tokens for record in result.records] == [STEPS * 13] * 2
    assert not replies_beside(path).exists()


def test_killed_again_and_again_each_reply_is_paid_once(run: Run, path: Path) -> None:
    asked: list[int] = []
    while not asked or asked[-1] == 2:
        engine = Paid(kill=2)
        engine.reply = lambda number: "a"  # type: ignore[method-assign]
        with suppress(KilledError):
            run(lm(engine))
        asked.append(len(engine.asked))

    assert asked == [2] * (2 * STEPS - 1) + [1]
    assert paid(path) == 2 * STEPS


def test_a_lost_episode_is_tried_again_from_where_it_was(run: Run, path: Path) -> None:
    engine = Paid(fail=[3])
    result = run(lm(engine), tasks=1)

    assert engine.asked == ["task-000: ", "task-000: 1", *["task-000: 1, 2"] * 2]
    record = result.records[0]
    assert (record.status, record.attempts, record.answer) == ("finished", 2, "1, 2, 4")
    assert (record.paid_requests, record.usage.used_tokens) == (4, STEPS * 13)


def test_what_lost_and_killed_attempts_paid_is_counted_once(run: Run, path: Path) -> None:
    # Lost at its second request, killed in the third of the next attempt, lost there, and done.
    first = Paid(fail=[2], kill=4)
    with pytest.raises(KilledError):
        run(lm(first), tasks=1)
    second = Paid(fail=[1])
    result = run(lm(second), tasks=1)

    assert (len(first.asked), len(second.asked)) == (4, 2)
    assert (result.records[0].attempts, paid(path)) == (3, 5)


def test_no_episode_gets_the_reply_of_another(run: Run) -> None:
    everybody = Steps(lambda task, said: "the same")
    engine = Paid()
    result = run(lm(engine, temperature=0), everybody, trials=2)

    assert len(engine.asked) == 4 * STEPS
    assert len({record.answer for record in result.records}) == 4


def test_equal_requests_of_one_episode_get_their_own_replies_again(run: Run) -> None:
    everybody = Steps(lambda task, said: "the same")
    with pytest.raises(KilledError):
        run(lm(Paid(kill=3)), everybody, tasks=1)

    assert run(lm(Paid()), everybody, tasks=1).records[0].answer == "1, 2, 1"


class AtOnce(dspy.Module):  # type: ignore[misc]
    """Asks the same in several threads."""

    def forward(self, task: Task) -> dspy.Prediction:
        def ask() -> str:
            return str(dspy.settings.lm("the same")[0])

        with ThreadPoolExecutor(STEPS) as threads:
            asked = [threads.submit(copy_context().run, ask) for _ in range(STEPS)]
        said = sorted(each.result() for each in asked)
        return dspy.Prediction(answer="", episode=make_episode(answer=", ".join(said)))


def test_equal_requests_at_once_get_a_reply_each(run: Run) -> None:
    engine = Paid()
    answers = [record.answer for record in run(lm(engine), AtOnce()).records]

    assert len(engine.asked) == 2 * STEPS
    assert sorted(", ".join(answers).split(", ")) == ["1", "2", "3", "4", "5", "6"]


class Stubborn(dspy.Module):  # type: ignore[misc]
    """Asks again where a model fails."""

    def forward(self, task: Task) -> dspy.Prediction:
        said: list[str] = []
        while len(said) < STEPS:
            with suppress(LMServerError):
                said += dspy.settings.lm("the same")
        return dspy.Prediction(answer="", episode=make_episode(answer=", ".join(said)))


def test_a_failure_is_forgotten_where_the_reply_to_the_next_try_is_kept(run: Run, path: Path) -> None:
    with pytest.raises(KilledError):
        run(lm(Paid(fail=[1, 3], kill=5)), Stubborn(), tasks=1)
    engine = Paid()
    result = run(lm(engine), Stubborn(), tasks=1)

    assert len(engine.asked) == 1
    assert result.records[0].answer == "2, 4, 1"
    assert paid(path) == 5


class OwnModel(Steps):
    """Holds its model itself."""

    def __init__(self, model: dspy.LM) -> None:
        super().__init__()
        self.predict = dspy.Predict("question -> answer")
        self.predict.lm = model

    def forward(self, task: Task) -> dspy.Prediction:
        with dspy.context(lm=self.predict.lm):
            return super().forward(task)


def test_models_of_the_program_are_kept_too_and_models_that_run_here_are_not(run: Run, path: Path) -> None:
    with pytest.raises(KilledError):
        run(lm(Paid(), "local/idle"), OwnModel(lm(Paid(kill=3))), tasks=1)
    engine = Paid()
    assert run(lm(Paid(), "local/idle"), OwnModel(lm(engine)), tasks=1).records[0].answer == "1, 2, 1"
    assert len(engine.asked) == 1

    with pytest.raises(KilledError):
        run(lm(Paid(kill=2), "local/model"), tasks=1)
    assert not replies_beside(path).exists()


def test_programs_in_one_log_keep_their_replies_until_all_have_ended(run: Run, path: Path) -> None:
    with pytest.raises(KilledError):
        run(lm(Paid(kill=3)), tasks=1)
    run(lm(Paid()), Steps(lambda task, said: "other"), tasks=1, strategy="other")
    assert replies_beside(path).exists()
    engine = Paid()
    run(lm(engine), tasks=1)

    assert len(engine.asked) == 1
    assert not replies_beside(path).exists()


def test_a_new_run_does_not_find_old_replies(run: Run, path: Path) -> None:
    with pytest.raises(KilledError):
        run(lm(Paid(kill=3)), tasks=1)
    assert path.read_bytes() == b""

    with pytest.raises(InputError, match=r"log.jsonl.replies: replies .* stopped run are there .*--resume"):
        EpisodeLog.open(path)
    with EpisodeLog.open(path, resume=True):  # the refused one holds no lock
        pass


def test_a_budget_is_charged_with_what_a_killed_process_paid(run: Run, path: Path) -> None:
    with pytest.raises(KilledError):
        run(lm(Paid(kill=3)), tasks=1)
    budget = Budget(calls=3)
    model = lm(Paid())
    run(model, tasks=1, admission=budget.account("paid/model"))

    assert budget.spent.calls == 3
    assert budget.stopped == ""


class Grades(Paid):
    """Gives the highest level in DSPy's format."""

    def reply(self, number: int) -> str:
        return "[[ ## feedback ## ]]\nGood.\n\n[[ ## level ## ]]\n5\n\n[[ ## completed ## ]]"


@pytest.mark.parametrize("kill", [1, 2])
def test_verdicts_are_kept_and_their_payments_stay_theirs(run: Run, path: Path, kill: int) -> None:
    def judges(engine: Paid) -> list[RubricJudge]:
        return [RubricJudge(lm(engine, "paid/judge"), name=name) for name in ("first", "second")]

    agent, judging = Paid(), Grades(kill=kill)
    with pytest.raises(KilledError):
        run(lm(agent), tasks=1, judges=judges(judging))
    again = Grades()
    record = run(lm(agent), tasks=1, judges=judges(again)).records[0]

    assert len(agent.asked) == STEPS
    assert len(judging.asked) + len(again.asked) == 3
    assert (record.paid_requests, [verdict.paid_requests for verdict in record.judgements]) == (STEPS, [1, 1])
    assert not replies_beside(path).exists()


class Judged(Task):
    """A task whose outcome is a judge's."""

    @property
    def judged(self) -> bool:
        return True


def test_a_judge_that_failed_is_asked_again_and_the_agent_is_not(run: Run, path: Path) -> None:
    task = Judged(**make_task(0).model_dump())
    agent, mumbling, clear = Paid(), Grades(), Grades()
    mumbling.reply = lambda number: "Well."  # type: ignore[method-assign]
    for engine in (mumbling, clear):
        judges = [RubricJudge(lm(engine, "paid/judge"), name="judge")]
        result = run(lm(agent), tasks=[task], judges=judges)

    assert (len(agent.asked), len(mumbling.asked), len(clear.asked)) == (STEPS, 3, 1)
    assert (result.records[0].status, result.records[0].attempts) == ("finished", 2)
    assert not replies_beside(path).exists()


def test_replies_of_a_stranger_are_read_strictly(run: Run, path: Path) -> None:
    with pytest.raises(KilledError):
        run(lm(Paid(kill=3)), tasks=1)
    file = replies_beside(path)
    line = json.loads(file.read_bytes().splitlines()[0])
    assert "task-000" not in json.dumps(line)
    file.write_bytes(file.read_bytes().replace(b'"paid_requests": 1', b'"paid_requests": 0', 1))

    with pytest.raises(InputError, match=r"log.jsonl.replies:1.*checksum"):
        run(lm(Paid()), tasks=1)
