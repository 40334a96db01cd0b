"""Acceptance: whether the result of a compile is the optimizer's program or the program as it is.

An optimizer that measures candidates on dev and takes the best one will sooner or later find one that looks
better and is not. So the program as it is stays, unless the winner beats it by a paired test at `alpha`: the
exchange test over intents (`worksmith.evals.statistics.exchange_test`, one-sided), adjusted by Holm for all
candidates that were measured, since the winner is the luckiest of them. The test assumes that a candidate
which is no better is as likely to be ahead by any amount on an intent as behind by it. The bets of a race
assume no such thing, and can show less with few intents. With `best` as `Settings.accept` the winner is taken
untested.

A lost episode never helps: it counts 0 for a candidate and 1 for the program as it is. A program that loses
more than the share `Rules.lost` of its episodes is set aside, also with `best` as `Settings.accept`.

The winner's dev score is the best of several and flatters it; the excess is estimated by
`worksmith.evals.statistics.optimism`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from worksmith.evals.records.groups import intent_or_task
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.scoring.constraints import check_measured
from worksmith.evals.statistics import exchange_test, holm
from worksmith.evals.statistics.optimism import corrected_maximum
from worksmith.evals.statistics.paired import fewest_groups
from worksmith.optimizers.optimizer import CompileContext, Compiled, Optimizer
from worksmith.optimizers.racing.rules import INCUMBENT, IncumbentLostError, Rules
from worksmith.optimizers.trial import Contender, Trial, episode_score
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
    return _decided(context, found, plain, others)


def _flattered(measured: int) -> str:
    """The remark on a dev score that was chosen by, where the scores of the others are not all known."""
    number = f"{measured} programs" if measured > 1 else "those that the optimizer measured there"
    return f"its dev score is the best of {number}, and not corrected for that"


def _decided(
    context: CompileContext, found: Compiled, plain: Contender, others: Sequence[Contender]
) -> Compiled:
    """The program that the rule of acceptance takes, with the facts of the decision."""
    settings = context.settings
    candidates = [one for one in others if not _lost(one)]
    best = max((plain, *candidates), key=lambda one: one.trial.rank)
    facts: dict[str, Any] = {"rule": settings.accept, "best": best.trial.name}
    test = None
    if best is not plain:
        test = _test(plain, candidates, best, settings.seed)
        facts |= {**test._asdict(), "alpha": settings.alpha}
        if len(candidates) > 1:
            facts["optimism"] = _optimism((plain, *candidates), best, settings.seed)
    theirs = next((one for one in (plain, *candidates) if one.trial.name == found.chosen), best)
    if settings.accept == "best":
        taken = theirs
    elif test is None or plain.trial.broken or test.p <= settings.alpha:
        taken = best
    else:
        taken = plain
    facts["taken"] = taken.trial.name
    facts["said"] = "; ".join(
        [
            _said(facts, plain, optional=taken is not theirs and not theirs.trial.broken),
            *(f"{one.trial.name} was set aside, it {_lost(one)}" for one in others if _lost(one)),
        ]
    )
    found = replace(found, acceptance=facts)
    return found if taken.trial.name == found.chosen else _choosing(found, taken)


class _Test(NamedTuple):
    """The comparison of a candidate with the program as it is.

    Attributes:
        difference: of the mean scores over tasks, lost episodes counted against the candidate.
        p: adjusted for all candidates.
    """

    difference: float
    p: float
    candidates: int
    intents: int


def _test(plain: Contender, candidates: Sequence[Contender], best: Contender, seed: int) -> _Test:
    theirs = {record.task_id: record for record in _records(plain)}
    groups = {name: intent_or_task(record.intent, name) for name, record in theirs.items()}
    leads = [
        {
            record.task_id: _score(record, lost=0.0) - _score(theirs[record.task_id], lost=1.0)
            for record in _records(one)
        }
        for one in candidates
    ]
    adjusted = holm([exchange_test(lead, groups, one_sided=True, seed=seed) for lead in leads])
    place = candidates.index(best)
    difference = math.fsum(leads[place].values()) / len(leads[place])
    return _Test(round(difference, 6), round(adjusted[place], 6), len(candidates), len(set(groups.values())))


def _optimism(measured: Sequence[Contender], best: Contender, seed: int) -> dict[str, float]:
    """The best dev score, and the expected score of such a choice on other intents."""
    scores = [{record.task_id: _score(record, lost=0.0) for record in _records(one)} for one in measured]
    groups = {record.task_id: intent_or_task(record.intent, record.task_id) for record in _records(best)}
    corrected = corrected_maximum(scores, groups, seed=seed)
    dev = best.trial.strict.value
    return {} if math.isnan(corrected) else {"dev": round(dev, 6), "corrected": round(corrected, 4)}


def _said(facts: dict[str, Any], plain: Contender, *, optional: bool) -> str:
    """The decision in words.

    Args:
        optional: whether `--accept best` would take something else.
    """
    best, taken = facts["best"], facts["taken"]
    otherwise = "; --accept best takes it all the same" if optional else ""
    if "p" not in facts:
        said = "no candidate that may be chosen did better on dev than the program as it is"
        return f"{said}{otherwise}" if taken == INCUMBENT else f"took {taken} by --accept best: {said}"
    shown = "better than" if facts["p"] <= facts["alpha"] else "not shown to be better than"
    number = f" for {facts['candidates']} candidates" if facts["candidates"] > 1 else ""
    p_value = f"p {facts['p']:.2g}" if facts["p"] else "p < 0.000001"
    said = f"{shown} the program as it is on {facts['intents']} intents ({p_value}{number})"
    if facts["p"] > facts["alpha"]:
        fewest = fewest_groups(facts["alpha"], facts["candidates"])
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
    return replace(found, program=one.program, demonstrations=one.demonstrations, chosen=one.trial.name)


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
