"""Acceptance: whether the result of a compile is the optimizer's program or the program as it is.

An optimizer that measures candidates on dev and takes the best one will sooner or later find one that looks
better and is not. So the program as it is stays, unless a candidate is shown to be better at `alpha` by the
test of races (`worksmith.evals.statistics.sequential`), adjusted for all candidates that were measured. If
scores decided which ones were (`Optimizer.adaptive`), it is adjusted for all that could have been. Of those
that are shown to be better the best is taken, of equals the one with the fewest tokens, then the first. With
`best` as `Settings.accept` the winner is taken untested.

A lost episode never helps: it counts 0 for a candidate and 1 for the program as it is. A program that loses
more than the share `Rules.lost` of its episodes is set aside, also with `best` as `Settings.accept`.

The winner's dev score is the best of several and flatters it; the excess is estimated by
`worksmith.evals.statistics.optimism`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from worksmith.evals.records.groups import dealt, intent_or_task
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.scoring.constraints import check_measured
from worksmith.evals.statistics.optimism import corrected_maximum
from worksmith.evals.statistics.sequential import evidence_of, fewest_intents, needed
from worksmith.optimizers.candidates.candidate import AS_IT_IS
from worksmith.optimizers.optimizer import CompileContext, Compiled, Optimizer
from worksmith.optimizers.racing.rules import INCUMBENT, IncumbentLostError, Rules
from worksmith.optimizers.trial import Contender, Rank, Trial, episode_score
from worksmith.tools.errors import WorksmithError

_UNTESTED = "no test was made; what the optimizer returned is taken as it is"


class ConstraintsBrokenError(WorksmithError):
    """No program was found that keeps the constraints, so there is none to write."""


def finalize(context: CompileContext, optimizer: Optimizer, found: Compiled | None) -> Compiled:
    """The program of a compile: accepted, and within the constraints.

    Args:
        found: the optimizer's result; None where the budget ended its work.

    Raises:
        IncumbentLostError: the program as it is lost too many episodes to compare anything with it.
        InputError: a constraint is about a value that no episode has.
        ConstraintsBrokenError: no program keeps the constraints.
        BudgetSpentError: the budget ended before that was known.
    """
    found = accepted(context, optimizer, found or _best_so_far(context))
    return within_constraints(context, found)


def _best_so_far(context: CompileContext) -> Compiled:
    """The best of the programs that were measured on all dev tasks.

    If there is none, the optimizer's fallback, else the program as it is.
    """
    elsewhere = context.measured_elsewhere()
    if context.contenders or elsewhere:
        return context.best(elsewhere)
    if context.fallback is not None and context.fallback.demonstrations:
        return context.fallback
    return Compiled(context.program, gaps=context.reasons)


def accepted(context: CompileContext, optimizer: Optimizer, found: Compiled) -> Compiled:
    """The optimizer's result, or the program as it is where nothing is shown to be better.

    A race has settled that itself. Where our own runner has not measured the program as it is, as under most
    of DSPy's optimizers, there is nothing to test, and the result is accepted untested.
    """
    if not found.trials or any(trial.race for trial in found.trials):
        return found
    names = {trial.name for trial in found.trials if trial.result is not None}
    measured = {one.trial.name: one for one in context.contenders if one.trial.name in names}
    plain = measured.pop(INCUMBENT, None)
    if plain is None:
        flattered = [_flattered(len(found.trials))] if optimizer.best_on_dev else []
        differs = [f"in this run {optimizer.differs}"] if optimizer.differs else []
        return replace(
            found, acceptance={"rule": "none", "said": "; ".join([_UNTESTED, *flattered, *differs])}
        )
    others = list(measured.values())
    if not others or not any(one.trial.errors < len(_records(one)) for one in (plain, *others)):
        return found  # there is nothing to choose from, or nothing to choose by
    if _lost(plain):
        raise IncumbentLostError(_lost(plain), " on dev")
    return _decided(context, found, plain, others, optimizer.compared if optimizer.adaptive else len(others))


def _flattered(measured: int) -> str:
    """The remark on a dev score that was chosen by, where the scores of the others are not all known."""
    number = f"{measured} programs" if measured > 1 else "those that the optimizer measured there"
    return f"its dev score is the best of {number}, and not corrected for that"


def _decided(
    context: CompileContext, found: Compiled, plain: Contender, others: Sequence[Contender], compared: int
) -> Compiled:
    """The program that the rule of acceptance takes, with the facts of the decision.

    Args:
        compared: how many candidates the evidence is adjusted for.
    """
    settings = context.settings
    candidates = [one for one in others if not _lost(one)]
    best = max((plain, *candidates), key=_rank)
    leads = [_leads(one, plain, settings.seed) for one in others]
    logs = evidence_of(leads, settings.alpha, compared)
    shown = [
        one
        for one, log in zip(others, logs, strict=True)
        if log >= needed(settings.alpha)
        and one in candidates
        and not one.trial.broken
        and one.trial.rank.score > plain.trial.rank.score
    ]
    if settings.accept == "tested" and not plain.trial.broken:
        best = max(shown, key=_rank, default=best)
    facts: dict[str, Any] = {"rule": settings.accept, "best": best.trial.name}
    if best is not plain:
        place = others.index(best)
        facts |= {
            "difference": round(fmean(leads[place]), 6),
            "evidence": round(math.exp(logs[place]), 3),
            "needed": round(1 / settings.alpha, 6),
            "alpha": settings.alpha,
            "candidates": compared,
            "intents": len(leads[place]),
        }
        if len(candidates) > 1:
            facts["optimism"] = _optimism((plain, *candidates), best, settings.seed)
    theirs = next((one for one in (plain, *candidates) if one.trial.name == found.chosen), best)
    taken = best if best in shown or plain.trial.broken else plain
    if settings.accept == "best":
        taken = theirs
    facts["taken"] = taken.trial.name
    facts["said"] = "; ".join(
        [
            _said(
                facts, plain, shown=best in shown, optional=taken is not theirs and not theirs.trial.broken
            ),
            *(f"{one.trial.name} was set aside, it {_lost(one)}" for one in others if _lost(one)),
        ]
    )
    found = replace(found, acceptance=facts)
    return found if taken.trial.name == found.chosen else _choosing(found, taken)


def _rank(one: Contender) -> Rank:
    return one.trial.rank


def _leads(one: Contender, plain: Contender, seed: int) -> list[float]:
    """The mean lead of a candidate in each intent; lost episodes count against it."""
    ours = {record.task_id: _score(record, lost=0.0) for record in _records(one)}
    theirs = {record.task_id: _score(record, lost=1.0) for record in _records(plain)}
    intents = dealt(((record.task_id, record.intent) for record in _records(plain)), seed)
    return [fmean(ours[task] - theirs[task] for task in tasks) for tasks in intents]


def _optimism(measured: Sequence[Contender], best: Contender, seed: int) -> dict[str, float]:
    """The best dev score, and the expected score of such a choice on other intents."""
    scores = [{record.task_id: _score(record, lost=0.0) for record in _records(one)} for one in measured]
    groups = {record.task_id: intent_or_task(record.intent, record.task_id) for record in _records(best)}
    corrected = corrected_maximum(scores, groups, seed=seed)
    dev = best.trial.strict.value
    return {} if math.isnan(corrected) else {"dev": round(dev, 6), "corrected": round(corrected, 4)}


def _said(facts: dict[str, Any], plain: Contender, *, shown: bool, optional: bool) -> str:
    """The decision in words.

    Args:
        shown: whether the best candidate is shown to be better.
        optional: whether `--accept best` would take something else.
    """
    best, taken = facts["best"], facts["taken"]
    otherwise = "; --accept best takes it all the same" if optional else ""
    if "evidence" not in facts:
        said = "no candidate that may be chosen did better on dev than the program as it is"
        return f"{said}{otherwise}" if taken == INCUMBENT else f"took {taken} by --accept best: {said}"
    better = "better than" if shown else "not shown to be better than"
    number = f" for {facts['candidates']} candidates" if facts["candidates"] > 1 else ""
    evidence = f"evidence {facts['evidence']:.3g} of {facts['needed']:g} needed{number}"
    said = f"{better} the program as it is on {facts['intents']} intents ({evidence})"
    if not shown:
        fewest = fewest_intents(facts["alpha"], facts["candidates"])
        said += f", and with fewer than {fewest} nothing can be" if facts["intents"] < fewest else ""
    if taken == INCUMBENT:
        return f"kept the program as it is: {best} is {said}{otherwise}"
    if facts["rule"] == "best":
        return f"took {taken} by --accept best: {best} is {said}"
    if plain.trial.broken:
        return f"took {best}: the program as it is breaks {', '.join(plain.trial.broken)}"
    return f"took {best}: it is {said}"


def _records(one: Contender) -> Sequence[EpisodeRecord]:
    assert one.trial.result is not None
    return one.trial.result.records


def _score(record: EpisodeRecord, *, lost: float) -> float:
    return (episode_score(record) or 0.0) if record.graded else lost


def _lost(one: Contender) -> str:
    """The message for a program that lost more episodes than it may; empty if it did not."""
    lost, count = one.trial.errors, len(_records(one))
    return "" if Rules().allow_loss(lost, count) else Rules().loss(lost, count)


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
