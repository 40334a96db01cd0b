"""The view of failed episodes for a model that proposes.

With access rules, its words may get into prompts of personas who may not read the records of an episode. A
task with known slots is then shown made up, see `worksmith.optimizers.demos.redaction`; of any other one only
the tools, the names of arguments and the words that authors of tools wrote.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from worksmith.evals.dspy_programs.demo_format import calls_in, public_form, without_notes
from worksmith.evals.dspy_programs.field_texts import texts_of
from worksmith.evals.failure_modes.catalogue import failure_modes
from worksmith.evals.records.changes import ChangedPair, compare_changes
from worksmith.optimizers.demos.redaction import redacted
from worksmith.optimizers.proposals.feedback import feedback
from worksmith.retrievers.ranking.lexical import LexicalIndex
from worksmith.tools.access.access_policy import AccessPolicy
from worksmith.tools.tool import FINISH

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.tasks.task import Task
    from worksmith.optimizers.demos.trace_bank import TraceBank
    from worksmith.tools.environment import Environment

_LONGEST = 300
"""Characters of an observation or an argument that are shown."""


def keeps_secrets(env: Environment) -> bool:
    """Whether not everybody may read everything in an environment."""
    policy = env.policy
    return not policy.open if isinstance(policy, AccessPolicy) else bool(policy.digest)


def described(record: EpisodeRecord, task: Task, env: Environment, bank: TraceBank) -> str:
    """The calls of a failed episode, its fault, the right result, and a right run of a similar task."""
    closed = keeps_secrets(env)
    pairs = compare_changes(record.changes, record.expected_changes)
    lines = [
        *_run(record, task, env, closed=closed),
        "What was wrong:",
        _fault(record, closed=closed),
        feedback(task, record, record.calls, record.scores),
        *(f"Change {each.kind}: {_change(each)}" for each in pairs if each.kind != "as expected"),
        *(() if closed else _right(task)),
        *_success(task, bank, closed=closed),
    ]
    return "\n".join(filter(None, lines))


def _run(record: EpisodeRecord, task: Task, env: Environment, *, closed: bool) -> Iterator[str]:
    """The task, and the steps with what came of them; the last one is the answer."""
    statuses = [*(call.status for call in record.calls), "ok"]
    steps = [call.model_dump(include={"tool", "arguments", "observation"}) for call in record.calls]
    if record.status == "finished" and env.kind.toolkits:
        said = {"status": record.answer_status, "answer": record.answer}
        steps.append({"tool": FINISH, "arguments": {name: text for name, text in said.items() if text}})
    request = task.query
    if closed:
        request, steps = redacted(task, env, [(step["tool"], step["arguments"]) for step in steps])
    yield f"Task: {request}"
    for number, (step, status) in enumerate(zip(steps, statuses, strict=False), start=1):
        failed = "" if status == "ok" else f"[{status.replace('_', ' ')}]"
        seen = "" if failed and closed else _cut(step.get("observation", ""))
        came = " ".join(filter(None, (failed, seen)))
        yield f"{_call(number, step['tool'], step['arguments'])}{' -> ' if came else ''}{came}"
    if not steps:
        yield f"Output: {record.answer}"


def _fault(record: EpisodeRecord, *, closed: bool) -> str:
    fault = record.fault
    if fault is None:
        return "" if closed else record.error or ""
    mode = failure_modes().get(fault.kind)
    where = f"First wrong at step {fault.step}. " if fault.step else ""
    # A detail may quote records, except the words of the user's own metric.
    detail = fault.detail if not closed or fault.kind == "low_metric" else ""
    return f"{where}{mode.meaning if mode else fault.kind} {detail}"


def _change(pair: ChangedPair) -> str:
    columns = ", ".join(cell.name for cell in pair.differing or pair.cells)
    return f"{pair.either.operation} in {pair.either.table} ({columns})"


def _right(task: Task) -> Iterator[str]:
    example = getattr(task, "example", None)
    if example is not None and (labels := dict(example.labels())):
        yield f"Right is: {texts_of(labels)}"
    if task.answer and task.answer.text:
        yield f"The right answer is: {task.answer.text}"
    yield from (f"The right call is: {each.tool} {_written(each.arguments)}" for each in task.expected)


def _success(task: Task, bank: TraceBank, *, closed: bool) -> Iterator[str]:
    others = {each.name: each for each in bank.demonstrations if each.task_id != task.id}
    alike = {name: each for name, each in others.items() if task.intent and each.intent == task.intent}
    queries = {name: each.query for name, each in (alike or others).items()}
    form = public_form if closed else without_notes
    for hit in LexicalIndex(queries).search(task.query, 1):
        parts = [without_notes(shown) for each in others[hit.key].parts.values() if (shown := form(each))]
        calls = max(map(calls_in, parts), key=len, default=[])
        if parts:
            yield "A run that was right, of a similar task:"
        yield from (f"Task: {part['task']}" for part in parts[-1:] if "task" in part)
        yield from (_call(number, *call) for number, call in enumerate(calls, start=1))
        yield from (texts_of(part) for part in parts if not calls)


def _call(number: int, tool: str, arguments: Any) -> str:
    return f"{number}. {tool} {_written(arguments)}"


def _written(value: Any) -> str:
    return _cut(json.dumps(value, ensure_ascii=False, default=str))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
