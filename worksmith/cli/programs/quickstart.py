"""`worksmith quickstart`: the main job, end to end, on this machine alone."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from worksmith.cli.options import JsonFlag, from_settings
from worksmith.cli.terminal import say
from worksmith.evals.lm.named import DEFAULT
from worksmith.evals.progress.screen import Terminal
from worksmith.jobs.settings.programs import CompareSettings
from worksmith.jobs.settings.suites import IndexSettings, QuickstartSettings

if TYPE_CHECKING:
    from worksmith.evals.running.study import Row, Study
    from worksmith.evals.suite import Suite
    from worksmith.evals.task_kind import Quickstart
    from worksmith.jobs.comparing.compare_plan import ComparePlan
    from worksmith.tools.persona import Persona

_INDENT = " " * 5
_STRATEGY = "act"
_TASKS = 10
"""Test tasks: with more, the whole takes more than three minutes."""

_DEMOS = 2
"""Few, because each task has others, which the model must read."""

_ABOUT_THE_MODEL = (
    f"The model is {DEFAULT}, a language model of 135M parameters in this process: no key, no network. "
    "It was trained to do a task as the demonstrations in its prompt do it, in companies like this one among "
    "others. `worksmith compile` takes any other, --lm."
)


@from_settings(QuickstartSettings)
def quickstart(settings: QuickstartSettings, as_json: JsonFlag = False) -> None:
    """Build a suite, compile an agent for its people, measure before and after."""
    from worksmith.evals.task_kind import quickstart_kind
    from worksmith.jobs.comparing.compare_plan import plan_comparison
    from worksmith.jobs.opening.named_judges import open_judges
    from worksmith.retrievers.extras import check_vectors

    check_vectors()
    open_judges(settings.judge, settings.rubric)  # before anything is built without judges
    started = time.perf_counter()
    kind, world = quickstart_kind()
    suite = _build(settings, kind, world)
    _show_access(suite, world)
    say("\n3/5  Evaluate and compile.")
    say(textwrap.fill(_ABOUT_THE_MODEL, 78, initial_indent=_INDENT, subsequent_indent=_INDENT) + "\n")
    compared = settings.adapted(
        CompareSettings,
        suite=suite.path,
        strategies=(_STRATEGY,),
        optimizers=("none", "knn"),
        demos=_DEMOS,
        limit=_TASKS,
        where=world.where,
        toolset="all",
        split="test",
    )
    program = settings.out / f"{_STRATEGY}-knn.json"
    plan = plan_comparison(compared, progress=Terminal()).begin()
    plan.programs[f"{_STRATEGY} + knn"] = program
    study, run_id = _measure(plan, program)
    seconds = time.perf_counter() - started
    if as_json:
        facts = {
            "suite": str(suite.path),
            "program": str(program),
            "report": str(_page_beside(program)),
            "run": run_id,
            "seconds": round(seconds, 1),
        }
        typer.echo(json.dumps({**facts, "lm": DEFAULT, **study.to_json()}))
        return
    _show(study, suite, program, run_id, seconds)


def _build(settings: QuickstartSettings, kind: str, world: Quickstart) -> Suite:
    from worksmith.evals.authoring.suite_building import build_suite
    from worksmith.jobs.indexing import index

    directory = settings.out / kind
    say(f"1/5  Build a suite: {world.sentence}.")
    suite = build_suite(
        kind,
        directory,
        progress=lambda message: say(f"     {message}"),
        seed=settings.seed,
        **world.options,
    )
    say(*index(IndexSettings(suite=suite.path, embedder="static"), progress=Terminal()).lines)
    counts = ", ".join(f"{count} {split}" for split, count in suite.counts().items())
    say(f"     {len(suite.tasks)} tasks ({counts}) in {directory}")
    return suite


def _show_access(suite: Suite, world: Quickstart) -> None:
    """How many records the same call finds for people of different departments and levels."""
    from rich.console import Console

    from worksmith.evals.table import Grid

    say("\n2/5  Who may read what: an agent finds what the person it works for may read, and nothing else.\n")
    departments = suite.env.kind.departments
    rows = tuple(
        (
            f"{departments[who.department]} {who.level}",
            *(_readable(suite, who, tool) for tool in world.tools.values()),
        )
        for who in _people(suite)
    )
    Console(stderr=True).print(
        Grid("Records to be found, by department and level", ("for", *world.tools), rows).rich()
    )


def _people(suite: Suite) -> list[Persona]:
    """The most junior persona of the test tasks in each department."""
    personas = {task.persona.id: task.persona for task in suite.select(split="test") if task.persona}
    chosen: dict[str, Persona] = {}
    for who in sorted(personas.values(), key=lambda who: (who.level, who.id)):
        chosen.setdefault(who.department, who)
    return list(chosen.values())


def _readable(suite: Suite, who: Persona, tool: str) -> str:
    """The number of records that a tool finds for a person; a dash if they may not use it."""
    seen = suite.env.episode(persona=who).call(tool, {"limit": "1"})
    return f"{seen.value['total']:,}" if seen.status == "ok" else "-"


def _measure(plan: ComparePlan, program: Path) -> tuple[Study, str | None]:
    """The agent, uncompiled and compiled; the report goes beside `program`."""
    from worksmith.jobs.recording.tracking import Tracking
    from worksmith.tools.files.atomic import write_atomically

    settings, suite = plan.settings, plan.measurement.suite
    tracking = Tracking.of(settings, track=settings.track)
    params = {
        "lm": DEFAULT,
        "suite": suite.path.name,
        "seed": settings.seed,
        "judges": " ".join(settings.judge),
    }
    with tracking.start(suite.path, "quickstart", params=params) as tracked:
        study = plan.run(tracked, on_row=_tell)
        report = plan.report(study, title="Quickstart")
        tracked.report(report)
        write_atomically(_page_beside(program), report.html().encode())
        return study, tracked.id


def _page_beside(program: Path) -> Path:
    """Where the report goes."""
    return program.with_name("report.html")


def _tell(row: Row) -> None:
    from worksmith.evals.table import percent

    outcome = percent(row.summary.scores.get("outcome"))
    say(f"     {row.arm.label:14} {outcome} % of {row.summary.tasks} test tasks done right")


def _show(study: Study, suite: Suite, program: Path, run_id: str | None, seconds: float) -> None:
    from rich.console import Console

    from worksmith.evals.reporting.brief import show_brief

    say("\n4/5  Compare, on tasks that no program was compiled on.\n")
    show_brief(Console(), study)
    task = _gained(study)
    say(f"\n5/5  Done in {seconds:.0f} s. Where to look:")
    say(f"     {_page_beside(program)}".ljust(52) + "the report: open it in a browser")
    if run_id:
        say(f"     {_spelled('ui')}".ljust(52) + "the recorded runs in MLflow, here as")
        say(f"                                                    run {run_id}")
    say(f"     {_spelled('run', suite.path, task, '--program', program)}")
    say("                                                    one episode, step by step")
    say(f"     {_spelled('eval', suite.path, '--program', program)}")
    say("                                                    the same scores again, in a new process")
    arms = ("--strategies", "act,react", "--optimizers", "none,knn", "--limit", _TASKS)
    say(f"     {_spelled('compare', suite.path, *arms)}")


def _gained(study: Study) -> str:
    """A task that the compiled program did right and the uncompiled one did not, if there is one."""
    from worksmith.evals.records.record import PRIMARY

    row, base, _ = study.compiled[0]
    right = {record.task_id for record in row.result.records if record.scores.get(PRIMARY) == 1}
    before = {record.task_id for record in base.result.records if record.scores.get(PRIMARY) == 1}
    return min(right - before or {record.task_id for record in row.result.records})


def _spelled(*words: object) -> str:
    """A command as a shell takes it, for any place of installation."""
    script = Path(sys.executable).with_name("worksmith")
    found = shutil.which("worksmith")
    known = found is not None and script.exists() and script.samefile(found)
    return shlex.join(map(str, ("worksmith" if known else _from_here(script), *words)))


def _from_here(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
