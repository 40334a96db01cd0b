"""Reading tasks that people write: names are looked up, short ones completed, splits dealt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.evals.judging.rubric import Levels, Rubric, read_rubrics
from worksmith.evals.kinds.own_data.changes import check_changes
from worksmith.evals.kinds.own_data.lines import CallLine, TaskLine, parse_line
from worksmith.evals.kinds.own_data.metrics import OwnMetric, named_metric
from worksmith.evals.kinds.own_data.names import Names
from worksmith.evals.kinds.own_data.splits import deal, deal_intents
from worksmith.evals.kinds.own_data.task import OwnTask, generic_answer
from worksmith.evals.kinds.own_data.values import Status
from worksmith.evals.tasks.repeats import of_one_intent
from worksmith.evals.tasks.task import Action, Step
from worksmith.tools.errors import InputError
from worksmith.tools.files.json_files import read_lines
from worksmith.tools.procedure import procedure

if TYPE_CHECKING:
    from worksmith.tools.environment import Environment

_WHAT = "a task"
_RUBRIC_FILES = (".yaml", ".yml")

_LEVELS = Levels.model_validate(
    {
        "1": "Nothing of the criterion is met, or the opposite of it is done.",
        "2": "A small part of the criterion is met.",
        "3": "About half of the criterion is met, or it is met with a serious mistake.",
        "4": "The criterion is met, but for a detail.",
        "5": "The criterion is met in full.",
    }
)
"""Of a rubric that is a criterion alone."""


def read_own_tasks(env: Environment, source: Path | Iterable[Mapping[str, Any]]) -> tuple[OwnTask, ...]:
    """The tasks in a file of JSON lines, or in dicts with the same fields.

    Args:
        env: over the tables that the tasks are about, with its tools.
    """
    if isinstance(source, Path):
        folder, lines = source.absolute().parent, list(read_lines(source, _WHAT))
    else:
        folder, lines = Path.cwd(), [(f"task {n}", value) for n, value in enumerate(source, start=1)]
    if not lines:
        raise InputError("there are no tasks", where=str(source) if isinstance(source, Path) else None)
    names = Names(env)
    found: list[OwnTask] = []
    wrong: list[InputError] = []
    seen: dict[str, str] = {}
    for number, (where, value) in enumerate(lines, start=1):
        try:
            task = _task(parse_line(value, where), number, where, names, folder)
            if task.id in seen:
                raise InputError(f"the id {task.id!r} is that of {seen[task.id]}", where=f"{where}: id")
            seen[task.id] = where
            found.append(task)
        except InputError as error:
            wrong.append(error)
    if wrong:
        raise _together(wrong)
    return _with_splits(of_one_intent(found))


def _task(line: TaskLine, number: int, where: str, names: Names, folder: Path) -> OwnTask:
    names = names.beside(line.user)
    plan = tuple(
        Step(**_call(step, f"{where}: plan.{place}", names), why=step.why, after=step.after)
        for place, step in enumerate(line.plan or ())
    )
    calls = tuple(
        Action(**_call(call, f"{where}: calls.{place}", names)) for place, call in enumerate(line.calls or ())
    )
    decides = line.metric is not None or bool(line.judge)
    free = decides and line.changes is None and line.calls is None
    if line.calls is None and not free and not isinstance(line.answer, Status):
        calls = plan  # a plan alone is its own expectation
    toolkits = names.toolkits if line.toolkits is None else line.toolkits
    changes = None
    if line.changes is not None:
        changes = check_changes(names, line.changes, f"{where}: changes")
    return OwnTask(
        id=line.id or f"t{number}",
        query=line.query,
        context=line.context,
        domains=tuple(names.toolkit(name, f"{where}: toolkits") for name in toolkits),
        persona=names.persona(line.persona, f"{where}: persona") if line.persona else None,
        now=line.now,
        intent=line.intent or None,
        slots=line.slots,
        user=line.user,
        split=line.split or "test",
        held_out_split=line.split or "test",
        gold_plan=None if line.plan is None else plan,
        expected=_writing(calls, names),
        answer=generic_answer(line.answer, line.reference, changed=not free, partial=line.partial),
        wanted=line.answer,
        changes=changes,
        free_state=free,
        procedure=procedure(line.procedure, names.arguments, f"{where}: procedure"),
        metric=_metric(line.metric, folder, _home(names.env), f"{where}: metric"),
        rubric=_rubric(line.judge, folder, f"{where}: judge"),
        origin={"place": where, **({} if line.split else {"split": "dealt"})},
    )


def _call(call: CallLine, where: str, names: Names) -> dict[str, Any]:
    return {"tool": names.tool(call.tool, f"{where}.tool"), "arguments": call.arguments}


def _writing(calls: Sequence[Action], names: Names) -> tuple[Action, ...]:
    """The calls that may change something."""
    return tuple(
        Action(tool=call.tool, arguments=call.arguments) for call in calls if names.tools[call.tool].writes
    )


def _home(env: Environment) -> Path | None:
    """The folder in which an environment was made; None if it was opened from that of its world."""
    return None if env.folder == env.world.path else env.folder


def _metric(metric: Any, folder: Path, home: Path | None, where: str) -> OwnMetric | None:
    if metric is None:
        return None
    return (
        named_metric(metric, folder, home=home, where=where)
        if isinstance(metric, str)
        else OwnMetric.of(metric)
    )


def _rubric(text: str, folder: Path, where: str) -> Rubric | None:
    if not text:
        return None
    if not text.endswith(_RUBRIC_FILES):
        return Rubric(name="criterion", criterion=text, levels=_LEVELS)
    if Path(text).is_absolute() or ".." in Path(text).parts:
        raise InputError(f"{text} is not beside the tasks", where=where, hint="put the rubric file there")
    rubrics = read_rubrics(folder / text).rubrics
    if len(rubrics) > 1:
        raise InputError(f"{text} has {len(rubrics)} rubrics, need one", where=where)
    return rubrics[0]


def _with_splits(tasks: Sequence[OwnTask]) -> tuple[OwnTask, ...]:
    """The tasks with splits for those without one."""
    intents = {task.id: task.intent or task.id for task in tasks if "split" in task.origin}
    dealt, held_out = deal(intents), deal_intents(intents)
    return tuple(
        task.model_copy(update={"split": dealt[task.id], "held_out_split": held_out[task.id]})
        if task.id in dealt
        else task
        for task in tasks
    )


def _together(wrong: Sequence[InputError]) -> InputError:
    """The first fault, with the number and places of the others."""
    first = wrong[0]
    if len(wrong) == 1:
        return first
    places = ", ".join((error.where or "").partition(": ")[0].rpartition(":")[2] for error in wrong[1:6])
    more = ", ..." if len(wrong) > 6 else ""
    return InputError(f"{first.message}; wrong are also {places}{more}", where=first.where, hint=first.hint)
