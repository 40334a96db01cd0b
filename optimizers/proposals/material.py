"""What a model that proposes is shown of failed episodes.

Where an environment has access rules, its words may end up in prompts of personas that may not read what an
episode has read. A task with known slots is then shown made up, see `worksmith.optimizers.demos.redaction`;
of any other one only the tools, the names of arguments and the words that authors of tools wrote.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from worksmith.evals.dspy_programs.demo_format import calls_in, public_form, without_notes
from worksmith.evals.dspy_programs.field_texts import texts_of
from worksmith.evals.failure_modes.catalogue import failure_modes
from worksmith.evals.records.changes import Pair, cells_text, compare_changes
from worksmith.optimizers.demos.redaction import made_up, masked
from worksmith.optimizers.dspy_optimizers.feedback import feedback_on
from worksmith.optimizers.proposals.checks import keeps_secrets
from worksmith.retrievers.ranking.lexical import LexicalIndex
from worksmith.tools.tool import FINISH

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.tasks.task import Task
    from worksmith.optimizers.demos.demonstration import Demonstration
    from worksmith.optimizers.demos.trace_bank import TraceBank
    from worksmith.tools.environment import Environment

_LONGEST = 300
"""Characters of an observation or an argument that are shown."""


class Failure(NamedTuple):
    """A failed episode in words.

    Attributes:
        request: the task.
        run: the calls and the answer.
        feedback: what was wrong, and what would have been right.
        success: a successful run of the most similar task; empty without any.
    """

    request: str
    run: str
    feedback: str
    success: str

    @property
    def text(self) -> str:
        solved = f"\nA run that was right, of a similar task:\n{self.success}" if self.success else ""
        return f"Task: {self.request}\n{self.run}\nWhat was wrong:\n{self.feedback}{solved}"


class Material:
    """Describes failed episodes.

    Args:
        env: the environment of the tasks.
        bank: holds the successful runs.
    """

    def __init__(self, env: Environment, bank: TraceBank) -> None:
        self._env = env
        self._closed = keeps_secrets(env)
        self._bank = {each.name: each for each in bank.demonstrations}

    def of(self, task: Task, record: EpisodeRecord) -> Failure:
        request, run = self._told(task, record)
        wrong = (self._fault(record), feedback_on(record, task), *self._changes(record), *self._right(task))
        return Failure(request, "\n".join(run), "\n".join(filter(None, wrong)), self._success(task))

    def _told(self, task: Task, record: EpisodeRecord) -> tuple[str, list[str]]:
        """The task, and the steps with what came of them; the last one is the answer."""
        steps = [(call.tool, call.arguments, call.status, call.observation) for call in record.calls]
        if record.status == "finished" and self._env.kind.toolkits:
            steps.append((FINISH, {"status": record.answer_status, "answer": record.answer}, "ok", ""))
        request = task.query
        if self._closed:
            twin = made_up(task, self._env, [step[:2] for step in steps])
            request = twin["task"] if twin else masked(task.query, self._env)
            shown = twin["steps"] if twin else [{"arguments": _names(step[1])} for step in steps]
            steps = [
                (tool, told["arguments"], status, told.get("observation", ""))
                for told, (tool, _, status, _) in zip(shown, steps, strict=True)
            ]
        run = [_step(number, *step) for number, step in enumerate(steps, start=1)]
        return request, run or [f"Output: {record.answer}"]

    def _fault(self, record: EpisodeRecord) -> str:
        fault = record.fault
        if fault is None:
            return "" if self._closed else record.error or ""
        mode = failure_modes().get(fault.kind)
        where = f"First wrong at step {fault.step}. " if fault.step else ""
        # A detail may quote records, unless it is what the user's own metric said.
        detail = fault.detail if not self._closed or fault.kind == "low_metric" else ""
        return f"{where}{mode.meaning if mode else fault.kind} {detail}".strip()

    def _changes(self, record: EpisodeRecord) -> Iterator[str]:
        """The changes that differ from the expected ones; of secret records the tables and columns only."""
        for pair in compare_changes(record.changes, record.expected_changes):
            if pair.kind != "as expected":
                yield f"Change {pair.kind}: {self._change(pair)}"

    def _change(self, pair: Pair) -> str:
        either = pair.either
        if self._closed:
            columns = [cell.name for cell in pair.differing] or list(either.after)
            return f"{either.operation} in {either.table} ({', '.join(columns)})"
        sides = (("made", pair.made), ("expected", pair.expected))
        told = "; ".join(f"{name} {cells_text(side)}" for name, side in sides if side)
        return f"{either.operation} in {either.table}: {told}"

    def _right(self, task: Task) -> Iterator[str]:
        """The right answer or the labels, where nobody may not know them."""
        if self._closed:
            return
        example = getattr(task, "example", None)
        if example is not None and (labels := dict(example.labels())):
            yield f"Right is: {texts_of(labels)}"
        if task.answer and task.answer.text:
            yield f"The right answer is: {task.answer.text}"
        for action in task.expected:
            yield f"The right call is: {action.tool} {_written(action.arguments)}"

    def _success(self, task: Task) -> str:
        others = {name: each for name, each in self._bank.items() if each.task_id != task.id}
        alike = {name: each for name, each in others.items() if task.intent and each.intent == task.intent}
        among = alike or others
        found = LexicalIndex({name: each.query for name, each in among.items()}).search(task.query, 1)
        return "\n".join(self._solved(among[found[0].key])) if found else ""

    def _solved(self, demonstration: Demonstration) -> Iterable[str]:
        form = public_form if self._closed else without_notes
        parts = [shown for each in demonstration.parts.values() if (shown := form(each))]
        calls = max(map(calls_in, parts), key=len, default=[])
        if not calls:
            return [texts_of(without_notes(part)) for part in parts] or [", ".join(demonstration.tools)]
        request = next((str(part["task"]) for part in parts if "task" in part), "")
        return [f"Task: {request}", *(_step(number, *call) for number, call in enumerate(calls, start=1))]


def _step(number: int, tool: str, arguments: Any, status: str = "ok", observation: str = "") -> str:
    seen = observation if status == "ok" else f"[{status.replace('_', ' ')}]"
    return f"{number}. {tool} {_written(arguments)}{' -> ' if seen else ''}{_cut(seen)}"


def _names(arguments: Any) -> list[str]:
    return [*arguments] if isinstance(arguments, Mapping) else []


def _written(value: Any) -> str:
    return _cut(json.dumps(value, ensure_ascii=False, default=str))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
