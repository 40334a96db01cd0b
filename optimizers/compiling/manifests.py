"""What is written down of a compile beside the program: how it came about, and what it took."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from evals.dspy_programs.digests import model_name
from evals.lm.prices import prices_in_use
from optimizers.compiling.artifact import Manifest, sources
from optimizers.compiling.description import GOLD, models, versions
from optimizers.compiling.journal import Journal
from optimizers.cost.spending import Spent
from optimizers.job import Compiled, Job
from optimizers.search.front import pareto_front

if TYPE_CHECKING:
    from evals.suite import Suite
    from optimizers.compiling.compile import Plan


def manifest_of(plan: Plan, job: Job, compiled: Compiled) -> Manifest:
    """How `compiled` came about."""
    return Manifest(
        program=dict(plan.describes),
        suite=_suite(plan.suite),
        scheme=plan.scheme,
        where=tuple(map(str, plan.where)),
        train=tuple(task.id for task in job.train),
        dev=tuple(task.id for task in job.dev),
        lm=plan.lm.name,
        teacher=plan.teacher.name,
        models={role: model_name(model.lm) for role, model in models(plan).items()},
        gold=_follows_gold(plan, job, compiled),
        optimizer=plan.optimizer,
        settings=plan.settings.to_json(),
        trials=tuple(trial.to_json() for trial in compiled.trials),
        chosen=compiled.chosen,
        acceptance=dict(compiled.acceptance),
        front=pareto_front(compiled.trials),
        gaps=compiled.gaps,
        cost=_cost(job),
        demonstrations=sources(compiled.demonstrations),
        bank=plan.bank.facts() if plan.bank is not None else {},
        seen_by_proposer=tuple(sorted(job.proposer.seen)) if job.proposer else (),
        versions=versions(plan),
        metric=dict(plan.metric.about) if plan.metric else {},
        **_stopped(plan, job),
    )


def _follows_gold(plan: Plan, job: Job, compiled: Compiled) -> bool:
    by_gold = {job.teacher.model} if plan.teacher.name == GOLD else {GOLD} if plan.bank is not None else set()
    return any(shown.teacher in by_gold for shown in compiled.demonstrations)


def _stopped(plan: Plan, job: Job) -> dict[str, Any]:
    """What a manifest says of a budget that ended the compile."""
    if plan.budget is None or not plan.budget.stopped:
        return {}
    run = job.teacher.cost.episodes + job.student.cost.episodes
    left = max(0, sum(plan.episodes().values()) - run)
    return {"stopped": plan.budget.stopped, "undone": {"episodes_at_most": left}}


def measured(plan: Plan, journal: Journal, started: float) -> dict[str, float]:
    """What differs from run to run: time, and what was paid in all, which depends on what a cache held."""
    prices = plan.budget.prices if plan.budget is not None else prices_in_use()
    paid = Spent.on_replies(journal.paid, prices)
    asked = (plan.lm, plan.teacher, *filter(None, [plan.proposed_by()]))
    priced = all(prices.price(model_name(model.lm)) is not None for model in asked)
    return {
        "seconds": round(time.perf_counter() - started, 3),
        "paid_requests": paid.calls,
        "paid_tokens": paid.tokens,
        **({"paid_usd": round(paid.usd, 6)} if priced else {}),
    }


def _cost(job: Job) -> dict[str, dict[str, int]]:
    cost = {"teacher": asdict(job.teacher.cost), "student": asdict(job.student.cost)}
    if job.proposer is not None:
        cost["proposer"] = {"model_calls": job.proposer.meter.calls}
    return cost


def _suite(suite: Suite) -> dict[str, str]:
    manifest = suite.manifest
    return {"kind": manifest.kind, "origin": manifest.origin, "digest": manifest.digest}
