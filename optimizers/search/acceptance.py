"""Whether what an optimizer found takes the place of the program as it is.

An optimizer that measures candidates on dev and takes the best one will sooner or later find one that looks
better and is not. So the program as it is stays, unless the winner beats it by a paired test at `alpha`: the
exchange test over intents (`evals.statistics.exchange_test`, one-sided), adjusted by Holm for all candidates
that were measured, since the winner is the luckiest of them. The test assumes that a candidate which is no
better is as likely to be ahead by any amount on an intent as behind by it. The bets of a race assume no such
thing, and can show less with few intents. With `best` as `Settings.accept` the winner is taken all the same.

A lost episode never helps: it counts 0 for a candidate and 1 for the program as it is. A program that loses
more than the share `LOST` of its episodes is set aside, whatever `Settings.accept` says.

The winner's dev score is the best of several and flatters it; by how much is estimated as
`evals.statistics.optimism` has it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from evals.records.record import PRIMARY, EpisodeRecord
from evals.records.summary import intent_or_task
from evals.statistics import exchange_test, holm
from evals.statistics.optimism import corrected_maximum
from evals.statistics.paired import fewest_groups
from optimizers.job import Compiled, Contender, Job
from optimizers.search.racing import INCUMBENT, IncumbentLostError, Rules

LOST = Rules.lost
"""The share of its episodes that a program may lose to the infrastructure."""

_UNTESTED = "no test was made; what the optimizer returned is taken as it is"


def accepted(job: Job, found: Compiled, *, differs: str = "", best_on_dev: bool = False) -> Compiled:
    """What an optimizer found, or the program as it is where nothing is shown to be better.

    A race has settled that by itself. Where our own runner has not measured the program as it is, as under
    most of DSPy's optimizers, there is nothing to test, and what was found is taken as it is.

    Args:
        differs: in what an optimizer of DSPy's did not run as DSPy has it, see `optimizers.registry.differs`.
        best_on_dev: whether such an optimizer has chosen among several by their dev scores.

    Raises:
        IncumbentLostError: the program as it is lost too many episodes to compare anything with it.
    """
    if not found.trials or any(trial.race for trial in found.trials):
        return found
    names = {trial.name for trial in found.trials if trial.result is not None}
    measured = {one.trial.name: one for one in job.contenders if one.trial.name in names}
    plain = measured.pop(INCUMBENT, None)
    if plain is None:
        flattered = [_flattered(len(found.trials))] if best_on_dev else []
        said = "; ".join([_UNTESTED, *flattered, *([f"in this run {differs}"] if differs else [])])
        return replace(found, acceptance={"rule": "none", "said": said})
    others = list(measured.values())
    if not others or not any(one.trial.errors < len(_records(one)) for one in (plain, *others)):
        return found  # there is nothing to choose from, or nothing to choose by
    if _lost(plain):
        raise IncumbentLostError(
            f"the program as it is {_lost(plain)} on dev, so nothing can be compared with it "
            "(--resume runs them again)"
        )
    return _decided(job, found, plain, others)


def _flattered(measured: int) -> str:
    """What to say of a dev score that was chosen by, where the scores of the others are not all known."""
    number = f"{measured} programs" if measured > 1 else "those that the optimizer measured there"
    return f"its dev score is the best of {number}, and not corrected for that"


def _decided(job: Job, found: Compiled, plain: Contender, others: Sequence[Contender]) -> Compiled:
    settings = job.settings
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
    if taken.trial.name == found.chosen:
        return found
    return replace(found, program=taken.program, demonstrations=taken.demonstrations, chosen=taken.trial.name)


class _Test(NamedTuple):
    """How a candidate compares with the program as it is.

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
            record.task_id: _worth(record, lost=0.0) - _worth(theirs[record.task_id], lost=1.0)
            for record in _records(one)
        }
        for one in candidates
    ]
    adjusted = holm([exchange_test(lead, groups, one_sided=True, seed=seed) for lead in leads])
    place = candidates.index(best)
    difference = math.fsum(leads[place].values()) / len(leads[place])
    return _Test(round(difference, 6), round(adjusted[place], 6), len(candidates), len(set(groups.values())))


def _optimism(measured: Sequence[Contender], best: Contender, seed: int) -> dict[str, float]:
    """The best dev score, and what choosing so comes to on intents that it was not chosen on."""
    scores = [{record.task_id: _worth(record, lost=0.0) for record in _records(one)} for one in measured]
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
    said = f"{shown} the program as it is on {facts['intents']} intents (p {facts['p']:.2g}{number})"
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


def _worth(record: EpisodeRecord, *, lost: float) -> float:
    return record.scores.get(PRIMARY, 0.0) if record.graded else lost


def _lost(one: Contender) -> str:
    """What a program lost, in words; empty if that is no more than it may."""
    lost, count = one.trial.errors, len(_records(one))
    said = f"lost {lost} of {count} episodes to the infrastructure, more than {LOST:.0%}"
    return said if lost > LOST * count else ""
