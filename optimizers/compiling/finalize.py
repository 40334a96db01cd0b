"""How a compile ends: within its constraints, and with the best program so far if its budget is spent."""

from __future__ import annotations

from dataclasses import replace

from evals.scoring.constraints import check_measured
from optimizers.job import Compiled, Contender, Job
from optimizers.search.racing import INCUMBENT
from tools.errors import WorksmithError


def best_so_far(job: Job) -> Compiled:
    """The best of the programs that were measured on all dev tasks, among equals the first.

    If none was, the one that an optimizer had made which does not choose by measuring, else the program as
    it is. Both are as good as they may be: nobody has measured it.
    """
    contenders = [*job.contenders, *job.standings()]
    trials = tuple(contender.trial for contender in contenders)
    if contenders:
        best = max(contenders, key=lambda contender: contender.trial.rank)
        return Compiled(best.program, best.demonstrations, trials, best.trial.name, job.reasons)
    if job.offer is not None and job.offer.demonstrations:
        return replace(job.offer, trials=())
    return Compiled(job.program, gaps=job.reasons)


class ConstraintsBrokenError(WorksmithError):
    """No program was found that keeps the constraints, so there is none to write."""


def within_constraints(job: Job, found: Compiled) -> Compiled:
    """What an optimizer found if it keeps the constraints on the dev tasks, else the best one that does.

    A program that nobody has measured is measured first. In the last place stands the program as it is.

    Raises:
        InputError: a constraint is about something that no episode says anything about.
        ConstraintsBrokenError: there is none.
        BudgetSpentError: before that was known.
    """
    constraints = job.settings.constraints
    if not constraints:
        return found
    chosen = next((trial for trial in found.trials if trial.name == found.chosen), None)
    if chosen is None or chosen.result is None:
        chosen = job.try_out("chosen", found.program, found.demonstrations)
        found = replace(found, trials=(*found.trials, chosen), chosen=chosen.name)
    assert chosen.result is not None
    check_measured(constraints, chosen.result.records)
    if not chosen.broken:
        return found
    others = [other for other in job.contenders if other.trial.name != chosen.name]
    if all(other.trial.name != INCUMBENT for other in others) and chosen.name != INCUMBENT:
        plain = job.try_out(INCUMBENT, job.program, ())
        others.append(Contender(job.program, (), plain))
        found = replace(found, trials=(*found.trials, plain))
    keeping = [other for other in others if not other.trial.broken]
    if not keeping:
        raise ConstraintsBrokenError(
            f"no program keeps the constraints: {chosen.name} breaks {', '.join(chosen.broken)}"
        )
    best = max(keeping, key=lambda other: other.trial.rank)
    return replace(found, program=best.program, demonstrations=best.demonstrations, chosen=best.trial.name)
