"""All checks of the tasks of a suite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from worksmith.evals.authoring.checking.findings import Finding, finding
from worksmith.evals.authoring.checking.plans import plan_findings
from worksmith.evals.authoring.checking.reach import reach_findings
from worksmith.evals.records.record import PRIMARY
from worksmith.evals.scoring.answers.values import says
from worksmith.evals.scoring.objective import expected_outcome
from worksmith.evals.scoring.scorer import scores_of
from worksmith.evals.tasks.repeats import Request, request
from worksmith.evals.tasks.task import Task
from worksmith.tools.episode_result import EpisodeResult
from worksmith.tools.errors import InputError
from worksmith.tools.sqlite.outcome import Outcome

if TYPE_CHECKING:
    from worksmith.evals.scoring.scorer import Scorer
    from worksmith.tools.environment import Environment


def task_findings(env: Environment, scorers: Sequence[Scorer], task: Task) -> Iterator[Finding]:
    """The findings about one task: its plans and expectations are executed as its persona."""
    try:
        yield from plan_findings(env, scorers, task)
        nothing = Outcome(b"", env.kind.tables)
        expected = expected_outcome(scorers, task, nothing)
        if task.gold_plan is None:
            yield from _calls(env, task)
            if task.changing:
                yield from reach_findings(env, task, expected)
        if task.changing and expected.empty:
            yield finding("wrong", task, "changes", "the expected changes change nothing")
        elif task.gold_plan != () and _fulfilled(scorers, task, nothing):
            yield finding("note" if task.gold_plan else "wrong", task, "", "doing nothing fulfils it")
        yield from _answer_in_query(task)
    except InputError as error:
        yield finding("wrong", task, "", str(error))
    except Exception as error:
        # A metric of the user's is called here for the first time.
        yield finding("wrong", task, "", f"it cannot be scored: {type(error).__name__}: {error}")


def repeated(tasks: Sequence[Task]) -> Iterator[Finding]:
    """Tasks with the request of an earlier one: in another split, or with another expectation or user."""
    first: dict[Request, Task] = {}
    users: dict[Request, Task] = {}
    for task in tasks:
        alike = users.setdefault(request(task.model_copy(update={"user": None})), task)
        if task.user != alike.user:
            text = f"the same text as {alike.id}, with another user: a teacher takes one gold plan for both"
            yield finding("note", task, "query", text)
        other = first.setdefault(request(task), task)
        if other is not task:
            across = other.split != task.split
            message = f"the same request as {other.id}" + (f", of the split {other.split}" if across else "")
            yield finding("wrong" if across else "note", task, "query", message)


def _calls(env: Environment, task: Task) -> Iterator[Finding]:
    """The faults of the expected calls of a task without a gold plan."""
    episode = env.episode(persona=task.persona, now=task.now, user=task.user, rehearsal=True)
    for number, call in enumerate(task.expected):
        seen = episode.call(call.tool, dict(call.arguments))
        if seen.status != "ok":
            message = f"{call.tool} ends as {seen.status.replace('_', ' ')}: {seen.text}"
            yield finding("wrong", task, f"calls.{number}", message)


def _fulfilled(scorers: Sequence[Scorer], task: Task, nothing: Outcome) -> bool:
    """Whether an agent that makes no call and gives no answer is right."""
    status = "" if task.answer is None else "answered"
    result = EpisodeResult("finished", nothing, answer="", answer_status=status)
    return not task.judged and scores_of(scorers, task, result).get(PRIMARY, 0.0) >= 1


def _answer_in_query(task: Task) -> Iterator[Finding]:
    required = task.answer.required if task.answer is not None else ()
    if required and all(says(task.query, entity.value) for entity in required):
        message = f"the answer stands in the query: {'; '.join(entity.value for entity in required)}"
        yield finding("note", task, "answer", message)
