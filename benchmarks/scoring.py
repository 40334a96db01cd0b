"""How fast recorded runs are scored, beside the original's way of doing it."""

from __future__ import annotations

import gc
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from worksmith.evals.running.score_tables import score_row
from worksmith.evals.scoring.actions import action_name, format_action, parse_action
from worksmith.evals.scoring.outcomes import OutcomeScorer
from worksmith.evals.scoring.result_tables import TableRow
from worksmith.evals.tasks.task import Action, Task
from worksmith.tools.environment import Environment
from worksmith.tools.kinds.office.generate import DEFAULT_NOW, build
from worksmith.tools.kinds.office.policy import SAM
from worksmith.tools.kinds.office.schema import TABLES
from worksmith.tools.seeding import rng
from worksmith.tools.world import write_world

NAME = "scoring"
DESCRIPTION = "tasks scored a second, against reloading, running and comparing pandas frames"

_TASKS = 690
_Tables = dict[str, list[tuple[str | None, ...]]]


def run(quick: bool) -> dict[str, Any]:
    """Score the same made-up runs three ways, in turns, starting from nothing each time.

    Gives median rates; `ratio` of ours to the original's way (both metrics, each from its own executions),
    `ratio_once` to frames that are loaded and run only once a side (both are medians over turns); and on
    how many of the tasks that all scored the verdicts agree.
    """
    from benchmarks import _frames

    tables = build(seed=7)
    tasks, predictions = _workload(tables)
    sample = range(0, len(tasks), 29 if quick else 11)
    pairs = [
        (
            [parse_action(action) for action in predictions[i].actions],
            [(action.tool, action.arguments) for action in tasks[i].expected],
        )
        for i in sample
    ]
    rates: dict[str, list[float]] = {"ours": [], "pandas": [], "pandas_once": []}
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        env = _env(directory, tables)
        _frames.write_tables(tables, directory)
        initial = _frames.load(directory)
        for _ in range(5 if quick else 9):
            ours, seconds = _timed(lambda: _ours(env, tasks, predictions))
            rates["ours"].append(len(tasks) / seconds)
            theirs, seconds = _timed(lambda: [_frames.judge(directory, *pair) for pair in pairs])
            rates["pandas"].append(len(pairs) / seconds)
            _, seconds = _timed(lambda: [_frames.judge_once(directory, *pair, initial) for pair in pairs])
            rates["pandas_once"].append(len(pairs) / seconds)
    return {
        "ratio": round(_median_ratio(rates["ours"], rates["pandas"])),
        "ratio_once": round(_median_ratio(rates["ours"], rates["pandas_once"])),
        **{f"{name}_per_s": round(statistics.median(values), 1) for name, values in rates.items()},
        "tasks": len(tasks),
        "compared": len(pairs),
        "agreed": sum(ours[i] == theirs[place] for place, i in enumerate(sample)),
    }


def _median_ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))


def _env(directory: Path, tables: _Tables) -> Environment:
    world = write_world(
        directory, TABLES, tables, kind="office", origin="generated", now=DEFAULT_NOW, persona=SAM
    )
    return Environment(world)


def _ours(
    env: Environment, tasks: Sequence[Task], predictions: Sequence[TableRow]
) -> list[tuple[bool, bool]]:
    """Both metrics of all tasks, with nothing cached from before."""
    parse_action.cache_clear()
    action_name.cache_clear()
    scorer = OutcomeScorer(env)
    rows = [score_row(scorer, task, run) for task, run in zip(tasks, predictions, strict=True)]
    return [(row.correct, row.flags["unwanted_side_effects"]) for row in rows]


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    gc.collect()
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def _workload(tables: _Tables) -> tuple[list[Task], list[TableRow]]:
    """As many tasks as the original has, a fifth of them without any change, run with mistakes.

    Runs also read, 1.3 calls each on average, as the published ones do.
    """
    tasks, predictions = [], []
    for number in range(_TASKS):
        draw = rng(7, "scoring", number)
        expected = [_action(tables, number, i) for i in range(draw.choices((0, 1, 2, 4), (18, 60, 14, 8))[0])]
        wrong = [_action(tables, number, -1)] if draw.random() < 0.3 else []
        done = [*expected, *wrong] if draw.random() < 0.7 else wrong
        task = Task(id=f"task-{number}", query=str(number), domains=("email",), expected=tuple(expected))
        reads = [_read(tables, number, i) for i in range(draw.choices((0, 1, 2, 3), (30, 30, 20, 20))[0])]
        actions = tuple(format_action(action.tool, action.arguments) for action in [*reads, *done])
        tasks.append(task)
        predictions.append(TableRow("made up", number, "", task.query, actions, ""))
    return tasks, predictions


def _read(tables: _Tables, number: int, place: int) -> Action:
    draw = rng(7, "read", number, place)
    day = f"2024-10-{draw.randint(1, 28):02}"
    person = str(draw.choice(tables["directory"])[0])
    choices = [
        ("calendar.search_events", {"query": person, "time_min": f"{day} 00:00:00"}),
        ("email.search_emails", {"query": person}),
        ("project_management.search_tasks", {"assigned_to_email": person, "list_name": "Backlog"}),
        ("analytics.total_visits_count", {"time_min": day, "time_max": "2024-10-16"}),
    ]
    tool, arguments = draw.choice(choices)
    return Action(tool=tool, arguments=arguments)


def _action(tables: _Tables, number: int, place: int) -> Action:
    draw = rng(7, "action", number, place)

    def some(table: str, column: int = 0) -> str:
        return str(draw.choice(tables[table])[column])

    day = f"2024-10-{draw.randint(1, 28):02}"
    person, text = some("directory"), f"Note {draw.randrange(10**6)}"
    staff = some("tasks", 2)
    choices = [
        ("calendar.delete_event", (("event_id", some("calendar")),)),
        (
            "calendar.update_event",
            (("event_id", some("calendar")), ("field", "event_name"), ("new_value", text)),
        ),
        (
            "calendar.create_event",
            (
                ("event_name", text),
                ("participant_email", person),
                ("event_start", f"{day} 13:00:00"),
                ("duration", "30"),
            ),
        ),
        ("email.send_email", (("recipient", person), ("subject", text), ("body", "Can we talk?"))),
        ("email.forward_email", (("email_id", some("email")), ("recipient", person))),
        ("email.delete_email", (("email_id", some("email")),)),
        (
            "analytics.create_plot",
            (
                ("time_min", day),
                ("time_max", "2024-10-29"),
                ("value_to_plot", "total_visits"),
                ("plot_type", "bar"),
            ),
        ),
        (
            "project_management.create_task",
            (
                ("task_name", text),
                ("assigned_to_email", staff),
                ("list_name", "Backlog"),
                ("due_date", day),
                ("board", "Design"),
            ),
        ),
        (
            "project_management.update_task",
            (("task_id", some("tasks")), ("field", "list_name"), ("new_value", "In Review")),
        ),
        (
            "customer_relationship_manager.update_customer",
            (("customer_id", some("customers")), ("field", "status"), ("new_value", "Lost")),
        ),
        ("customer_relationship_manager.delete_customer", (("customer_id", some("customers")),)),
    ]
    tool, arguments = draw.choice(choices)
    return Action(tool=tool, arguments=dict(arguments))
