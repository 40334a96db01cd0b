"""Forecast a compile: the most that it takes, and its probable cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console

from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.jobs.compiling.compile_plan import plan_compile
from worksmith.jobs.measuring.cost_forecast import forecast_facts
from worksmith.jobs.showing.printing import Facts, facts_table
from worksmith.optimizers.compiling.claims import intents_in, too_few_intents
from worksmith.optimizers.search.aa import max_episodes as max_aa_episodes
from worksmith.programs.strategies import strategy as strategy_called

if TYPE_CHECKING:
    from worksmith.jobs.settings.compiling import CompileSettings


@dataclass(frozen=True)
class CompileForecast(Facts):
    """The forecast of a compile, or of an A/A check in its place, as facts by name."""

    found: Mapping[str, Any]

    def facts(self) -> dict[str, Any]:
        return dict(self.found)

    def print(self, console: Console) -> None:
        # A rehearsal has more information than the model calls of gold plans.
        hidden = "model_calls_about" if self.found.get("forecast") else ""
        console.print(facts_table({name: value for name, value in self.found.items() if name != hidden}))


def forecast_compile(
    settings: CompileSettings, *, sample: int | None = None, aa: bool = False, progress: Progress = SILENT
) -> CompileForecast:
    """Forecast a compile: its maximal cost, and the result of a rehearsal. Nothing is written.

    Args:
        sample: episodes of each program in which paid models are asked; None asks them nothing.
        aa: whether a race is checked and nothing compiled.
    """
    plan = plan_compile(settings, progress=progress, forecast=True, aa=aa)
    job = plan.context()
    episodes = max_aa_episodes(job) if aa else plan.max_episodes()
    lengths = [len(task.gold_plan) + 1 for task in (*job.train, *job.dev) if task.gold_plan is not None]
    steps = sum(lengths) / len(lengths) if lengths else None
    stepwise = strategy_called(settings.strategy).stepwise
    calls = {
        role: None if steps is None else round(count * (steps if stepwise else 1))
        for role, count in episodes.items()
    }
    proposals = 0 if aa else plan.optimizer.max_proposals(job)
    proposer = plan.proposing_model() if proposals else None
    few = too_few_intents(plan.optimizer, job.dev, race=aa)
    return CompileForecast(
        {
            "optimizer": "A/A check" if aa else plan.optimizer.name,
            "lm": plan.lm.name,
            "teacher": plan.teacher.name,
            **({"proposer": proposer.name} if proposer else {}),
            "train_tasks": len(job.train),
            "dev_tasks": len(job.dev),
            "dev_intents": intents_in(job.dev),
            "episodes_at_most": episodes,
            **({"too_few_intents": few} if few else {}),
            # An agent that does a task in other steps than its gold plan needs other calls.
            "model_calls_about": calls,
            **({"proposer_calls_at_most": proposals} if proposer else {}),
            **({} if aa else {"forecast": forecast_facts(plan, sample, progress)}),
        }
    )
