"""What `worksmith eval` says: before, what it would take; after, what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

from worksmith.cli.options import say

if TYPE_CHECKING:
    from evals.records.record import EpisodeRecord
    from evals.running.runner import EvalResult
    from worksmith.cli.programs.eval import Evaluation


def show_plan(run: Evaluation, as_json: bool) -> None:
    """Print what an evaluation would take at most."""
    from worksmith.jobs.judges import asked_models

    episodes = len(run.tasks) * run.trials
    plan = {
        "tasks": len(run.tasks),
        "episodes": episodes,
        "model_calls_at_most": episodes * (run.program.max_steps + 1),
        **({"judge_calls": episodes * asked_models(run.judges)} if run.judges else {}),
    }
    if as_json:
        typer.echo(json.dumps(plan))
    else:
        judging = f", {plan['judge_calls']} calls of judges" if run.judges else ""
        typer.echo(
            f"{plan['tasks']} tasks, {episodes} episodes, at most {plan['model_calls_at_most']} model calls"
            f"{judging}"
        )


def show(results: Mapping[str, EvalResult], ground_truth: str) -> None:
    """Print the report on each run."""
    from rich.console import Console

    from evals.reporting.report import evaluation_report

    console = Console()
    for label, result in results.items():
        evaluation_report(result, title=f"{label}, {ground_truth} ground truth").show(console)


def mind_failures(results: Mapping[str, EvalResult]) -> None:
    """Say what was lost to the infrastructure, and to mistakes; where all is lost, the run has failed."""
    from worksmith.jobs.session import losses, lost_verdicts, mistakes

    for label, result in results.items():
        for lost in filter(None, (losses(result), lost_verdicts(result), *mistakes(result))):
            say(f"{label}: {lost}")
    summaries = [result.summary for result in results.values()]
    silent = any(judge.failed == judge.verdicts for each in summaries for judge in each.judging)
    if silent or any(each.graded == 0 for each in summaries):
        raise typer.Exit(1)


def results_json(settings: Mapping[str, Any], results: Mapping[str, EvalResult]) -> dict[str, Any]:
    """Settings, figures and episodes as JSON-able data; `unstarted` where a budget was spent too soon."""
    return {
        **settings,
        "runs": [
            {
                "run": label,
                "summary": result.figures_json(),
                **({"unstarted": result.unstarted} if result.unstarted else {}),
            }
            for label, result in results.items()
        ],
        "rows": [_row(label, record) for label, result in results.items() for record in result.records],
    }


def _row(label: str, record: EpisodeRecord) -> dict[str, Any]:
    from evals.task_kind import kind_of

    scores = record.scores
    kind = kind_of([record])
    return {
        "run": label,
        "task_id": record.task_id,
        "trial": record.trial,
        "domain": record.domains[0] if len(record.domains) == 1 else "multi_domain",
        "intent": record.intent,
        "query": record.query,
        "status": record.status,
        "correct": bool(scores.get("outcome", 0.0)),
        "unwanted_side_effects": bool(scores.get("unwanted_side_effects", 0.0)),
        # Of the calls; where answers are compared with a text, of the answer.
        "exact_match": bool(scores.get("exact_match", scores.get("exact_strict", 0.0))),
        **{name: scores[name] for name in (kind.published_score, *kind.further_scores) if name in scores},
        "steps": record.steps,
        "model_calls": record.model_calls,
        "used_tokens": record.used_tokens,
        "paid_tokens": record.paid_tokens,
        "paid_requests": record.paid_requests,
        "estimated": record.estimated,
        "seconds": round(record.seconds, 4),
        "error": record.error,
        "fault": record.fault.kind if record.fault else None,
    }
