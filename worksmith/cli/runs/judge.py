"""`worksmith judge`: have finished episodes judged, and find out whether a judge can be trusted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from worksmith.cli.options import (
    LOCAL_JUDGE,
    JsonFlag,
    JudgedOption,
    NoCacheFlag,
    RubricOption,
    WorkersOption,
    leave_out_cache,
    say,
)
from worksmith.cli.runs.judge_calibrate import calibrate_judges

if TYPE_CHECKING:
    from collections.abc import Callable

    from evals.judging.sidecar import PendingVerdict
    from evals.records.run_card import LoadedRun
    from evals.running.judges import Judge
    from evals.suite import Suite

_RUN = "run"


class _RunByDefault(TyperGroup):
    """What is no command of the group is a run: `worksmith judge RUN` is `worksmith judge run RUN`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "-h", "--help"):
            args = [_RUN, *args]
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed


app = typer.Typer(cls=_RunByDefault, no_args_is_help=True, help="Judge finished runs by a rubric.")
app.command("calibrate")(calibrate_judges)


@app.command(_RUN)
def judge_runs(
    runs: Annotated[list[str], typer.Argument(metavar="RUN", help="Episode logs, or folders of them.")],
    judge: JudgedOption = None,
    rubric: RubricOption = None,
    suite: Annotated[
        Path | None, typer.Option(help="Suite of the runs.", show_default="the one that they name")
    ] = None,
    anew: Annotated[
        bool, typer.Option("--anew", help="Ask also for verdicts that are there already.")
    ] = False,
    workers: WorkersOption = 8,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how many calls and tokens it takes, ask nobody.")
    ] = False,
    no_cache: NoCacheFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Judge the episodes of finished runs; the word `run` can be left out.

    Verdicts go to a file beside each log as they come, and whatever opens the log later sees them. The same
    command goes on where it stopped.
    """
    from evals.judging.sidecar import judge_pending
    from worksmith.jobs.judges import judges_called

    leave_out_cache(no_cache)
    judging = []
    for run, opened in _opened(runs, suite):
        judges = judges_called(judge or [LOCAL_JUDGE], rubric, opened.env.kind.tables)
        judging.append(_Judging.of(run, opened, judges, anew))
    if dry_run:
        _show_plan(judging, as_json)
        return
    failed = []
    for each in judging:
        with verdict_bar(each.run.card.label) as on_progress:
            verdicts = judge_pending(each.pending, each.file, workers=workers, on_progress=on_progress)
        failed += [bool(verdicts) and all(verdict.status != "ok" for verdict in verdicts)]
        _mind_failures(each, [v.feedback for v in verdicts if v.status != "ok"], len(verdicts))
    _show([each.run.path for each in judging], as_json)
    if any(failed):
        raise typer.Exit(1)


@dataclass(frozen=True)
class _Judging:
    """A run, the verdicts that it lacks, and where they go."""

    run: LoadedRun
    file: Path
    pending: list[PendingVerdict]

    @classmethod
    def of(cls, run: LoadedRun, suite: Suite, judges: tuple[Judge, ...], anew: bool) -> _Judging:
        from evals.judging.sidecar import pending_verdicts
        from evals.records.run_card import JUDGEMENTS, beside
        from evals.records.verdicts import read_verdicts

        file = beside(Path(run.path), JUDGEMENTS)
        tasks = {task.id: task for task in suite.tasks}
        known = [] if anew else read_verdicts(file)
        return cls(run, file, pending_verdicts(run.records, tasks, judges, known))

    @property
    def plan(self) -> dict[str, Any]:
        """How many verdicts are pending, and about what they take."""
        from evals.judging.case import tokens_about
        from worksmith.jobs.judges import asked_models

        asked = [each for each in self.pending for _ in range(asked_models([each.judge]))]
        return {
            "run": self.run.card.label,
            "verdicts": len(self.pending),
            "model_calls": len(asked),
            "prompt_tokens_about": sum(tokens_about(each.task, each.record) for each in asked),
            "file": str(self.file),
        }


def _opened(names: list[str], suite: Path | None) -> Iterator[tuple[LoadedRun, Suite]]:
    """The runs, each with its suite."""
    from evals.suite import Suite
    from evals.tracking.run_loading import open_runs
    from tools.errors import InputError

    suites: dict[Path, Suite] = {}
    for run in open_runs(names):
        if not Path(run.path).is_file():
            raise InputError(
                "verdicts are kept beside an episode log, and this run has none here",
                where=run.path,
                hint="name its log",
            )
        path = suite or (Path(run.card.suite) if run.card.suite else None)
        if path is None:
            raise InputError("the run does not say of which suite it is", where=run.path, hint="give --suite")
        if path not in suites:
            suites[path] = Suite.open(path)
        known = run.card.suite_digest
        if known and known != suites[path].digest:
            raise InputError(
                f"the run is of another suite than {path}", where=run.path, hint="name its own with --suite"
            )
        yield run, suites[path]


def _show_plan(judging: list[_Judging], as_json: bool) -> None:
    plans = [each.plan for each in judging]
    if as_json:
        typer.echo(json.dumps(plans))
        return
    for plan in plans:
        typer.echo(
            f"{plan['run']}: {plan['verdicts']} verdicts, {plan['model_calls']} model calls, about "
            f"{plan['prompt_tokens_about']:,} prompt tokens; into {plan['file']}"
        )


def _mind_failures(each: _Judging, why: list[str], asked: int) -> None:
    if why:
        first = why[0].partition("\n")[0]
        say(f"{each.run.card.label}: {len(why)} of {asked} verdicts could not be had, the first: {first}")


def _show(paths: list[str], as_json: bool) -> None:
    """What judges say of the runs, those verdicts included that were there before."""
    from rich.console import Console

    from evals.records.judge_figures import judging_of
    from evals.records.summary import intents_of
    from evals.reporting.tables.judges import judge_grid
    from evals.tracking.run_loading import open_runs

    found = [(run, judging_of(run.records, intents_of(run.records))) for run in open_runs(paths)]
    if as_json:
        judged = [
            {"run": run.card.label, "judging": [f.to_json() for f in figures]} for run, figures in found
        ]
        typer.echo(json.dumps(judged))
        return
    console = Console()
    for run, figures in found:
        grid = judge_grid(figures)
        if grid is not None:
            console.print(run.card.label, style="bold", markup=False, highlight=False)
            console.print(grid.rich())


@contextmanager
def verdict_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar for verdicts, on stderr; silent where nobody watches."""
    from types import SimpleNamespace

    from worksmith.jobs.session import episode_bar

    with episode_bar(label) as tell:
        yield lambda done, total: tell(SimpleNamespace(done=done, total=total))  # type: ignore[arg-type]
