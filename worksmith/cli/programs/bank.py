"""`worksmith bank`: collect trajectories from models, logs and recorded runs, to compile with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worksmith.cli.options import (
    AccessOption,
    CallsOption,
    JsonFlag,
    LimitOption,
    MaxStepsOption,
    NoCacheFlag,
    SchemeOption,
    SeedOption,
    StrategyOption,
    SuiteArgument,
    ToolsetOption,
    TrackingUriOption,
    WorkersOption,
    leave_out_cache,
)

if TYPE_CHECKING:
    from evals.suite import Suite
    from evals.tasks.task import Task
    from optimizers.demos.bank_building import Attempt
    from optimizers.demos.trace_bank import BankCard, TraceBank
    from programs.agent import Agent

_SOURCES = ["gold", "log:", "mlflow:", "replay:", "local/analogy", "openai/gpt-4o"]
"""What a source can look like."""

app = typer.Typer(help="Build and read trace banks: trajectories that succeeded, to compile with.")


@app.command("build")
def build(
    suite: SuiteArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write.", dir_okay=False)],
    source: Annotated[
        list[str],
        typer.Option(
            "--from",
            help="Where trajectories come from, in the order asked: gold (the gold plans), log:PATH "
            "(episode logs), mlflow:RUN_ID, replay:PATH (recorded runs), or a model that teaches. What one "
            "has no success for the next is asked for. Repeatable.",
            autocompletion=lambda: _SOURCES,
        ),
    ],
    strategy: StrategyOption = "react",
    split: Annotated[
        str,
        typer.Option(
            help="train, dev, test, paired or all. A compile leaves out what its own dev and test ask.",
            autocompletion=lambda: ["train", "dev", "test", "paired", "all"],
        ),
    ] = "train",
    scheme: SchemeOption = "standard",
    limit: LimitOption = None,
    toolset: ToolsetOption = None,
    max_steps: MaxStepsOption = 20,
    access: AccessOption = "policy",
    calls: CallsOption = "auto",
    seed: SeedOption = 0,
    workers: WorkersOption = 8,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be run, run nothing and write nothing.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a build that was interrupted.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there; start anew.")] = False,
    tracking_uri: TrackingUriOption = None,
    no_cache: NoCacheFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Run trajectories through a program on a suite's tasks and keep what truly succeeds, in one file."""
    from evals.suite import Suite
    from optimizers.compiling.journal import discard, journal_beside
    from tools.errors import InputError
    from tools.files.atomic import check_writable
    from worksmith.cli.programs.bank_report import show_bank, show_forecast
    from worksmith.jobs.bank_sources import attempts_of
    from worksmith.jobs.session import choose_tasks, new_agent

    leave_out_cache(no_cache)
    if out.exists() and not (force or dry_run):
        raise InputError("the file is already there", where=str(out), hint="give --force to replace it")
    opened = Suite.open(suite)
    split, tasks = choose_tasks(opened, split, scheme, limit)
    agent = new_agent(opened, strategy, toolset, max_steps, access, calls=calls)
    attempts = attempts_of(source, tasks, uri=tracking_uri)
    if dry_run:
        show_forecast(tasks, attempts, as_json)
        return
    check_writable(out)
    work = journal_beside(out)
    if force and not resume:
        discard(work)
    card = _card(opened, agent, tasks, split=split, scheme=scheme, sources=source, seed=seed)
    bank = _built(opened, agent, tasks, attempts, card, work=work, workers=workers, resume=resume)
    _mind_failures(bank)
    bank.write(out)
    # A bank is made of what its sources still have; only replies that were paid for could be missed.
    if not any(attempt.asks for attempt in attempts):
        discard(work)
    show_bank(bank, str(out), as_json)


@app.command("show")
def show_file(
    file: Annotated[Path, typer.Argument(help="File written by `worksmith bank build`.")],
    as_json: JsonFlag = False,
) -> None:
    """Say what a bank holds, by intent, domain and tool, and why tasks gave no trajectory (--json: each)."""
    from optimizers.demos.trace_bank import TraceBank
    from worksmith.cli.programs.bank_report import show_bank

    show_bank(TraceBank.read(file), str(file), as_json)


def _card(
    suite: Suite,
    agent: Agent,
    tasks: Sequence[Task],
    *,
    split: str,
    scheme: str,
    sources: Sequence[str],
    seed: int,
) -> BankCard:
    import platform

    import dspy

    from optimizers.demos.trace_bank import BankCard, interface_of
    from worksmith import __version__

    return BankCard(
        kind=suite.manifest.kind,
        suite=suite.digest,
        split=split,
        scheme=scheme,
        tasks=len(tasks),
        sources=tuple(sources),
        program=agent.config,
        interface=interface_of(agent),
        seed=seed,
        versions={"worksmith": __version__, "dspy": dspy.__version__, "python": platform.python_version()},
    )


def _built(
    suite: Suite,
    agent: Agent,
    tasks: Sequence[Task],
    attempts: Sequence[Attempt],
    card: BankCard,
    *,
    work: Path,
    workers: int,
    resume: bool,
) -> TraceBank:
    from evals.dspy_programs.digests import model_digest
    from optimizers.compiling.journal import Journal
    from optimizers.demos.bank_building import build_bank
    from optimizers.rollouts import Rollouts
    from tools.seeding import digest
    from worksmith.jobs.session import compile_bar

    fingerprint = {
        "purpose": "bank",
        "card": card.model_dump(mode="json"),
        "tasks": digest([task.digest for task in tasks]),
        "runs": [model_digest(attempt.lm) for attempt in attempts],
    }
    with Journal.open(work, fingerprint, resume=resume) as journal, compile_bar("bank") as on_progress:

        def rollouts(number: int, attempt: Attempt) -> Rollouts:
            def told(_: str, progress: Any) -> None:
                on_progress(attempt.label, progress)

            return Rollouts(
                suite.env,
                journal.remembering(attempt.lm) if attempt.asks else attempt.lm,
                work / f"{number:02}",
                workers=workers,
                seed=card.seed,
                # Whether it may be gone on with was settled when the journal was opened.
                resume=True,
                on_progress=told,
            )

        return build_bank(agent, tasks, attempts, rollouts, card)


def _mind_failures(bank: TraceBank) -> None:
    """Refuse to write a bank of nothing, if it was the infrastructure that failed.

    Raises:
        WorksmithError: so it was.
    """
    from tools.errors import WorksmithError

    lost = [gap for gap in bank.gaps if gap.kind == "infrastructure"]
    if not len(bank) and lost and len(lost) == len(bank.gaps):
        raise WorksmithError(f"no source taught anything: {lost[0].reason.partition(chr(10))[0]}")
