"""Collect trajectories from models, logs and recorded runs in a trace bank, to compile with."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import dspy

from worksmith import __version__
from worksmith.evals.dspy_programs.digests import model_digest
from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.suite import Suite
from worksmith.jobs.banks.bank_reading import Bank
from worksmith.jobs.opening.bank_sources import attempts_of
from worksmith.jobs.opening.programs import new_agent
from worksmith.jobs.opening.suites import choose_tasks, leave_out_cache
from worksmith.jobs.settings.groups.tasks import TaskSettings
from worksmith.jobs.showing.printing import Facts
from worksmith.optimizers.compiling.journal import Journal, discard, journal_beside
from worksmith.optimizers.demos.bank_building import TeacherRun, build_bank
from worksmith.optimizers.demos.trace_bank import BankCard, TraceBank, interface_of
from worksmith.optimizers.rollouts import Rollouts
from worksmith.tools.errors import WorksmithError
from worksmith.tools.files.atomic import check_free
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task
    from worksmith.jobs.settings.programs import BankSettings
    from worksmith.programs.agent import Agent


@dataclass(frozen=True)
class BankForecast(Facts):
    """The most that a build would run: every attempt on every task of it, without a success."""

    tasks: Sequence[Task]
    attempts: Sequence[TeacherRun]

    def to_json(self) -> dict[str, Any]:
        return {
            "tasks": len(self.tasks),
            "sources": [
                {
                    "source": attempt.label,
                    "model": attempt.model,
                    "asks_a_model": "yes" if attempt.asks else "no",
                    "episodes_at_most": sum(attempt.covers(task) for task in self.tasks),
                    "failures_on_record": len(attempt.failures),
                }
                for attempt in self.attempts
            ],
        }

    def facts(self) -> dict[str, Any]:
        found = self.to_json()
        return found | {"sources": list(map(_source, found["sources"]))}


def forecast_bank(settings: BankSettings, *, progress: Progress = SILENT) -> BankForecast:
    """Forecast a build; nothing is written."""
    _, _, tasks, attempts = _opened(settings, progress)
    return BankForecast(tasks, attempts)


def build_trace_bank(settings: BankSettings, *, progress: Progress = SILENT) -> Bank:
    """Run trajectories through a program on a suite's tasks and keep those that truly succeed, in one file.

    Raises:
        InputError: a setting is wrong, or a source.
        WorksmithError: all episodes were lost to the infrastructure.
    """
    out = settings.out
    check_free(out, force=settings.force)
    suite, agent, tasks, attempts = _opened(settings, progress)
    work = journal_beside(out)
    if settings.force and not settings.resume:
        discard(work)
    card = _card(suite, agent, tasks, settings)
    bank = _built(suite, agent, tasks, attempts, card, settings, progress)
    lost = [gap for gap in bank.gaps if gap.kind == "infrastructure"]
    if not len(bank) and lost and len(lost) == len(bank.gaps):
        raise WorksmithError(f"no source taught anything: {lost[0].reason.partition(chr(10))[0]}")
    bank.write(out)
    # A bank is made of the remaining records of its sources; only paid replies could be lost.
    if not any(attempt.asks for attempt in attempts):
        discard(work)
    return Bank(bank, out)


def _opened(settings: BankSettings, progress: Progress) -> tuple[Suite, Agent, list[Task], list[TeacherRun]]:
    leave_out_cache(settings)
    suite = Suite.open(settings.suite)
    _, tasks = choose_tasks(suite, settings.adapted(TaskSettings), progress)
    agent = new_agent(suite, settings, settings.strategy)
    return suite, agent, tasks, attempts_of(settings.source, tasks, uri=settings.tracking_uri)


def _card(suite: Suite, agent: Agent, tasks: Sequence[Task], settings: BankSettings) -> BankCard:
    return BankCard(
        kind=suite.manifest.kind,
        suite=suite.digest,
        split=settings.split,
        scheme=settings.scheme,
        tasks=len(tasks),
        sources=settings.source,
        program=agent.config,
        interface=interface_of(agent),
        seed=settings.seed,
        versions={"worksmith": __version__, "dspy": dspy.__version__, "python": platform.python_version()},
    )


def _built(
    suite: Suite,
    agent: Agent,
    tasks: Sequence[Task],
    attempts: Sequence[TeacherRun],
    card: BankCard,
    settings: BankSettings,
    progress: Progress,
) -> TraceBank:
    work = journal_beside(settings.out)
    fingerprint = {
        "purpose": "bank",
        "card": card.model_dump(mode="json"),
        "tasks": digest([task.digest for task in tasks]),
        "runs": [model_digest(attempt.lm) for attempt in attempts],
    }
    with Journal.open(work, fingerprint, resume=settings.resume) as journal, progress.bar("bank") as tick:

        def rollouts(number: int, attempt: TeacherRun) -> Rollouts:
            return Rollouts(
                suite.env,
                journal.remembering(attempt.lm) if attempt.asks else attempt.lm,
                work / f"{number:02}",
                workers=settings.workers,
                seed=settings.seed,
                # Whether it may be gone on with was settled when the journal was opened.
                resume=True,
                on_progress=lambda at: replace(at, name=attempt.label).tell(tick),
            )

        return build_bank(agent, tasks, attempts, rollouts, card)


def _source(source: dict[str, Any]) -> str:
    lost = source["failures_on_record"]
    failed = f"; {lost} failed on record" if lost else ""
    asked = f"asks {source['model']}" if source["asks_a_model"] == "yes" else "asks nobody"
    return f"{source['source']}: at most {source['episodes_at_most']} episodes, {asked}{failed}"
