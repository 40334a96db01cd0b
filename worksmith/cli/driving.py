"""Options by which judges take part in a compile, and the gate that they have to pass to drive one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from worksmith.cli.options import say

if TYPE_CHECKING:
    from evals.judging.calibration.gate import GateVerdict
    from evals.running.judges import Judge
    from evals.scoring.constraints import Constraint
    from optimizers.compiling.plan import Plan
    from tools.environment import Environment

SCORES = ["outcome", "judge", "reward", "f1", "exact_match"]

MaximizeOption = Annotated[
    str,
    typer.Option(
        help="Score that programs are chosen by: outcome, any other that episodes have, or judge: the share "
        "of them that the judges pass (level 4 or 5). Judges that are not maximized only report.",
        autocompletion=lambda: SCORES,
    ),
]
GateOption = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="Verdict of `worksmith judge calibrate` on a judge that is to drive the compile; repeat for "
        "several.",
        show_default="mlruns/judges/DIGEST.json",
        dir_okay=False,
    ),
]
ForceJudgeOption = Annotated[
    bool, typer.Option("--force-judge", help="Let a judge drive the compile that did not pass the gate.")
]


def check_scores(env: Environment, maximize: str, constraints: Iterable[Constraint], *, judged: bool) -> None:
    """See that episodes have what is to be maximized and bounded, before anybody is paid for some.

    Raises:
        InputError: they do not.
    """
    from evals.records.record import PRIMARY
    from evals.records.summary import COSTS
    from evals.records.verdicts import JUDGE
    from evals.scoring.objective import CHECKED
    from evals.scoring.scorer import check_score_names
    from evals.task_kind import scorers_for

    scorers = scorers_for(env)
    check_score_names(scorers, {maximize} - {JUDGE}, where="--maximize")
    others = {*COSTS, *([JUDGE] if judged else []), *([CHECKED] if maximize != PRIMARY else [])}
    bounded = [each.metric for each in constraints if each.metric not in others]
    check_score_names(scorers, bounded, where="--constraint")


@dataclass(frozen=True)
class Judging:
    """What was said of judges on the command line of a compile."""

    judge: list[str] | None
    rubric: Path | None
    maximize: str
    gate: list[Path] | None
    force: bool

    def take_part(self, plan: Plan, *, rehearsed: bool = False) -> Plan:
        """The plan with its judges, if there are any.

        Args:
            rehearsed: nothing is to be paid for, so no judge is asked.

        Raises:
            InputError: nobody is there to judge, or a judge that may not drive a compile.
        """
        from evals.judging.metric import JudgedScorer
        from evals.records.verdicts import JUDGE
        from evals.task_kind import scorers_for
        from optimizers.compiling.plan import Metric
        from tools.errors import InputError
        from worksmith.jobs.judges import judge_setting, judges_called

        drives = self.maximize == JUDGE
        judges = judges_called(self.judge, self.rubric, plan.suite.env.kind.tables)
        if drives and not judges:
            raise InputError("there is no judge", where="--maximize judge", hint="name one with --judge")
        if (self.gate or self.force) and not drives:
            raise InputError("judges only report", where="--gate", hint="give --maximize judge")
        verdicts = self._checked(judges) if drives else []
        if judges and not rehearsed:
            scorer = JudgedScorer(scorers_for(plan.suite.env), judges, drives=drives)
            about = {
                **judge_setting(judges),
                **({"gates": " ".join(verdict.digest for verdict in verdicts)} if verdicts else {}),
                **({"forced": "yes"} if self.force else {}),
                "maximize": self.maximize,
                "digest": scorer.digest,
            }
            plan = replace(plan, metric=Metric((scorer,), about))
        elif judges:
            say("judges are no part of the forecast: each is asked about every graded episode")
        return plan if drives else maximizing(plan, self.maximize)

    def _checked(self, judges: tuple[Judge, ...]) -> list[GateVerdict]:
        """The gate's verdicts on the judges; without force all have passed."""
        from evals.judging.calibration.gate import check_gate, read_gate
        from worksmith.jobs.judges import GATES

        files = self.gate or [file for j in judges if (file := GATES / f"{j.digest}.json").is_file()]
        verdicts = [read_gate(file) for file in files]
        if not self.force:
            check_gate(judges, verdicts)
        digests = {judge.digest for judge in judges}
        return [verdict for verdict in verdicts if verdict.judge_digest in digests]


def maximizing(plan: Plan, score: str) -> Plan:
    """The plan with the score called so in the place of the outcome."""
    from evals.records.record import PRIMARY
    from evals.scoring.objective import ObjectiveScorer
    from evals.task_kind import scorers_for
    from optimizers.compiling.plan import Metric

    if score == PRIMARY:
        return plan
    metric = plan.metric or Metric(scorers_for(plan.suite.env), {})
    scorer = ObjectiveScorer(metric.scorers, score)
    return replace(
        plan, metric=Metric((scorer,), {**metric.about, "maximize": score, "digest": scorer.digest})
    )
