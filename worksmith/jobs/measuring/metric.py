"""The score by which a compile chooses programs, and the judges that may be part of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from worksmith.evals.judging.calibration.gate import gate_verdicts
from worksmith.evals.judging.metric import JudgedScorer
from worksmith.evals.progress.progress import Progress
from worksmith.evals.records.record import PRIMARY
from worksmith.evals.records.record_numbers import COSTS
from worksmith.evals.records.verdicts import JUDGE
from worksmith.evals.scoring.expression import is_expression
from worksmith.evals.scoring.objective import CHECKED, ObjectiveScorer
from worksmith.evals.scoring.scorer import check_score_names
from worksmith.evals.task_kind import scorers_for
from worksmith.jobs.opening.named_judges import GATES, check_judged, open_judges
from worksmith.optimizers.compiling.plan import Metric
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.evals.scoring.constraints import Constraint
    from worksmith.jobs.settings.compiling import CompileSettings
    from worksmith.optimizers.compiling.plan import Plan
    from worksmith.tools.environment import Environment


def check_scores(env: Environment, maximize: str, constraints: Iterable[Constraint], *, judged: bool) -> None:
    """See that episodes have the scores that are maximized and bounded, before any is paid for."""
    scorers = scorers_for(env)
    check_score_names(scorers, {maximize} - {JUDGE}, where="--maximize")
    others = {*COSTS, *([JUDGE] if judged else []), *([CHECKED] if maximize != PRIMARY else [])}
    bounded = [each.metric for each in constraints if each.metric not in others]
    check_score_names(scorers, bounded, where="--constraint")


def with_metric(plan: Plan, settings: CompileSettings, *, forecast: bool, progress: Progress) -> Plan:
    """The plan with the metric that settings name.

    Args:
        forecast: whether the plan is only forecast, so that no judge is asked.
    """
    # The optimizer itself has an expression.
    maximize = PRIMARY if is_expression(settings.maximize) else settings.maximize
    check_scores(plan.suite.env, maximize, plan.settings.constraints, judged=bool(settings.judge))
    drives = maximize == JUDGE
    judges = open_judges(settings.judge, settings.rubric, plan.suite.env.kind.tables)
    learnt = [task for task in plan.suite.tasks if task.in_split(plan.scheme) in ("train", "dev")]
    check_judged(learnt, judges)
    if forecast and any(task.judged for task in learnt):
        raise InputError("what judges decide cannot be forecast", hint="compile without --dry-run")
    if drives and not judges:
        raise InputError("there is no judge", where="--maximize judge", hint="name one with --judge")
    if (settings.gate or settings.force_judge) and not drives:
        raise InputError("judges only report", where="--gate", hint="give --maximize judge")
    verdicts = []
    if drives:
        files = settings.gate or [file for j in judges if (file := GATES / f"{j.digest}.json").is_file()]
        verdicts = gate_verdicts(judges, files, forced=settings.force_judge)
    if judges and forecast:
        progress.say("judges are not part of the forecast: each is asked about every graded episode")
    elif judges:
        scorer = JudgedScorer(scorers_for(plan.suite.env), judges, drives=drives)
        about = {
            "judges": " ".join(judge.name for judge in judges),
            **({"gates": " ".join(verdict.digest for verdict in verdicts)} if verdicts else {}),
            **({"forced": "yes"} if settings.force_judge else {}),
            "maximize": maximize,
            "digest": scorer.digest,
        }
        plan = replace(plan, metric=Metric((scorer,), about))
    return plan if drives else maximizing(plan, maximize)


def maximizing(plan: Plan, score: str) -> Plan:
    """The plan with the score called so in the place of the outcome."""
    if score == PRIMARY:
        return plan
    metric = plan.metric or Metric(scorers_for(plan.suite.env), {})
    scorer = ObjectiveScorer(metric.scorers, score)
    return replace(
        plan, metric=Metric((scorer,), {**metric.about, "maximize": score, "digest": scorer.digest})
    )
