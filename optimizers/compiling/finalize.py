"""The end of a compile: the optimizer's program, the best one that a budget left, and the constraints."""

from __future__ import annotations

from dataclasses import replace

from worksmith.evals.scoring.constraints import check_measured
from worksmith.optimizers.candidates.candidate import AS_IT_IS
from worksmith.optimizers.optimizer import CompileContext, Compiled, Optimizer
from worksmith.optimizers.racing.rules import INCUMBENT
from worksmith.optimizers.trial import Contender, Trial
from worksmith.tools.errors import WorksmithError

_UNTESTED = "no test was made; what the optimizer returned is taken as it is"


class ConstraintsBrokenError(WorksmithError):
    """No program keeps the constraints, so no program is written."""


def finalize(context: CompileContext, optimizer: Optimizer, found: Compiled | None) -> Compiled:
    """The program of a compile: accepted, and within the constraints.

    Args:
        found: the optimizer's result; None if the budget ended its work.

    Raises:
        InputError: a constraint is about a value that no episode has.
        ConstraintsBrokenError: no program keeps the constraints.
        BudgetSpentError: the budget ended before that was known.
    """
    return within_constraints(context, accepted(optimizer, found or _best_so_far(context)))


def _best_so_far(context: CompileContext) -> Compiled:
    """The best of the programs that were measured on all dev tasks.

    Without one, the optimizer's fallback, else the program as it is.
    """
    elsewhere = context.measured_elsewhere()
    if context.contenders or elsewhere:
        return context.best(elsewhere)
    if context.fallback is not None and context.fallback.demonstrations:
        return context.fallback
    return Compiled(context.program, gaps=context.reasons)


def accepted(optimizer: Optimizer, found: Compiled) -> Compiled:
    """The optimizer's result, with the remark that it was not tested; a race has tested it itself."""
    if {trial.name for trial in found.trials} <= {INCUMBENT} or any(trial.race for trial in found.trials):
        return found
    flattered = [_flattered(len(found.trials))] if optimizer.best_on_dev else []
    differs = [f"in this run {optimizer.differs}"] if optimizer.differs else []
    return replace(found, acceptance={"rule": "none", "said": "; ".join([_UNTESTED, *flattered, *differs])})


def _flattered(measured: int) -> str:
    """The remark on a dev score that was chosen by, where the scores of the others are not all known."""
    number = f"{measured} programs" if measured > 1 else "those that the optimizer measured there"
    return f"its dev score is the best of {number}, and not corrected for that"


def _choosing(found: Compiled, one: Contender) -> Compiled:
    return replace(
        found,
        program=one.program,
        demonstrations=one.demonstrations,
        chosen=one.trial.name,
        candidate=AS_IT_IS,
    )


def within_constraints(context: CompileContext, found: Compiled) -> Compiled:
    """The result if it keeps the constraints on the dev tasks, else the best program that does.

    A program that was not measured is measured first. In the last place stands the program as it is.
    """
    constraints = context.settings.constraints
    if not constraints:
        return found
    chosen: Trial | None = next((trial for trial in found.trials if trial.name == found.chosen), None)
    if chosen is None or chosen.result is None:
        chosen = context.try_out("chosen", found.program, found.demonstrations)
        found = replace(found, trials=(*found.trials, chosen), chosen=chosen.name)
    assert chosen.result is not None
    check_measured(constraints, chosen.result.records)
    if not chosen.broken:
        return found
    if INCUMBENT not in {chosen.name, *(one.trial.name for one in context.contenders)}:
        found = replace(found, trials=(*found.trials, context.try_out(INCUMBENT, context.program, ())))
    keeping = [one for one in context.contenders if not one.trial.broken]
    if not keeping:
        raise ConstraintsBrokenError(
            f"no program keeps the constraints: {chosen.name} breaks {', '.join(chosen.broken)}"
        )
    return _choosing(found, max(keeping, key=lambda one: one.trial.rank))
