"""Races: candidates and the program as it is run the same tasks, until one is shown to be better.

Candidates and the incumbent (the program as it is) meet on the same tasks in the same order, in blocks of
whole intents. After each block two questions are asked of each candidate, with evidence as
`worksmith.evals.statistics.sequential` has it, one bet for each intent on the mean difference over its tasks:

* Is it better than the incumbent? The candidates' evidence is adjusted for their number. The chance that any
  candidate is accepted that is not better is at most `alpha` in any race.
* Can it still be worth its episodes? It bets that it is not better by `margin` than the arm that led before
  the block (the leader itself: than the incumbent). The rival is settled before the block is seen, so one
  process serves against all rivals: a candidate better than all others by `margin` leaves with a chance of at
  most `beta`. A candidate that leaves is never accepted falsely; at worst a find is missed. So `beta` may be
  larger than `alpha`.

The incumbent leaves once all remaining candidates are accepted. The race ends when nothing is left to decide
or the tasks are used up. If no candidate was accepted, no difference was shown and the incumbent stays. No
candidate wins whose mean score on the tasks that both met is not above the incumbent's. Of candidates with
equal mean scores the one that costs less leads and wins, then the earlier one.

In a thorough race no candidate leaves for its scores, and it ends with the tasks, so that all mean scores are
of the same tasks. The first question alone is asked then.

Candidates may come in rounds, for instance because those of a later one cost more to make. Newcomers first
meet the tasks that the others have met. How many candidates there can be is settled before the first round,
and the evidence of all of them is adjusted for that number, so rounds do not change the guarantee.
A further round starts if no candidate is accepted yet, or if the leader entered in the last round.

**A sealed part.** All of this holds for candidates that were made without dev. Where the episodes of one
round serve to make the candidates of the next, the last intents are sealed, and the others are open. No
evidence counts on the open intents: candidates meet few tasks at a time, and the worse half of a round leaves
each time before its end. No further round follows if `patience` of them brought no new leader, or if the
incumbent solves every open task. Then the best ones meet the sealed intents with the incumbent. Given all
that was seen on the open intents, these finalists are fixed programs, and no arm has met a sealed intent. So
the argument for candidates that are settled beforehand holds for any search and any end of it.

docs/concepts.md, "Acceptance", explains the assumptions, lost episodes, and the role of costs.

An arm that cannot keep a bound any more leaves as well, and one that does not keep it as things stand cannot
win. If the incumbent breaks a bound, no candidate needs to beat it: the best candidate that keeps the bounds
wins.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from worksmith.optimizers.racing.course import Course
from worksmith.optimizers.racing.rules import INCUMBENT, Bounds, RaceOutcome, Rules, Scores

RunBlock = Callable[[Mapping[str, range]], Mapping[str, Scores]]
"""Takes by arm the places of the tasks to run; runs all arms at once and gives the scores of each."""

Table = Sequence[Sequence[Sequence[float | None]]]
"""By intent the scores of all arms, a row a task; None if the infrastructure failed."""


def race(
    rounds: Iterable[Sequence[str]],
    intents: Sequence[int],
    run: RunBlock,
    rules: Rules,
    *,
    most: int = 0,
    sealed: int = 0,
    on_block: Callable[[RaceOutcome], None] = lambda _: None,
    bounds: Bounds | None = None,
    cost: Callable[[str], float] = lambda _: 0.0,
    left: Callable[[], float] = lambda: math.inf,
    without_parts: Callable[[RaceOutcome], Sequence[str]] = lambda _: (),
) -> RaceOutcome:
    """Race candidates against the incumbent.

    Args:
        rounds: the names of the candidates of each round. A round is requested when those before it have
            raced. In an empty first one the incumbent runs alone on the open intents.
        intents: the number of tasks of each intent. Tasks are numbered from 0 in this order.
        run: runs arms on tasks and gives their scores, from 0 to 1, or None for a lost episode.
        rules: the error rates, the margin, and the sizes of blocks.
        most: the most candidates of all rounds; needed if there is more than one round, and no sealed part.
        sealed: how many of the last intents are sealed (`worksmith.optimizers.racing.rules.sealed_intents`);
            0 for candidates that were made without dev.
        on_block: called with the present outcome after each block.
        bounds: the constraints of the arms; checked after each block.
        left: how many more episodes there may be; asked before the sealed part.
        cost: of a mean episode of an arm, on the tasks that it has met.
        without_parts: names of the winner without each of its parts. They cannot win. They, the winner and
            the incumbent run all tasks that are compared in `worksmith.optimizers.racing.worth`.

    Returns:
        The winner, and the state of each arm.

    Raises:
        IncumbentLostError: the incumbent lost too many episodes.
    """
    course = Course(rules, intents, most, sealed, bounds, cost)

    def meet() -> None:
        while wanted := course.wanted():
            course.judge(run(wanted))
            on_block(course.outcome())

    for names in rounds:
        course.enter(names)
        meet()
        if not course.end_round():
            break
    if sealed:
        course.unseal(*final(intents, sealed, rules, left()))
        meet()
    found = course.outcome()
    found.check()
    names = () if found.winner == INCUMBENT else without_parts(found)
    return _complete(found, names, run) if names else found


def _complete(found: RaceOutcome, names: Sequence[str], run: RunBlock) -> RaceOutcome:
    """Run all tasks to the end that are compared, because a race ends when the winner looks best."""
    tasks = range(found.first_compared, sum(found.intents))
    both = [arm for arm in (found.arms[INCUMBENT], found.arms[found.winner]) if not arm.out]
    rest = {arm.name: range(len(arm.scores), tasks.stop) for arm in both if len(arm.scores) < tasks.stop}
    scores = run({**rest, **dict.fromkeys(names, tasks)})
    for name in rest:
        found.arms[name].scores.extend(scores[name])
    return replace(found, without={name: scores[name] for name in names})


def final(intents: Sequence[int], sealed: int, rules: Rules, left: float) -> tuple[int, int]:
    """The numbers of finalists and of sealed intents for `left` episodes.

    If they are too few for all intents and several finalists, there is one finalist.
    """
    ends = [*accumulate(intents[len(intents) - sealed :])]
    finalists = rules.finalists_for(sealed)
    while finalists > 1 and ends[-1] * (1 + finalists) > left:
        finalists -= 1
    return finalists, sum(end * (1 + finalists) <= left for end in ends)


def final_episodes(intents: Sequence[int], sealed: int, rules: Rules, left: float = math.inf) -> int:
    """The episodes that the search leaves to the final."""
    finalists, met = final(intents, sealed, rules, left)
    opened = len(intents) - sealed
    return sum(intents[opened : opened + met]) * (1 + finalists)


def search_episodes(candidates: int, intents: Sequence[int], sealed: int, rules: Rules) -> int:
    """The most episodes of a round of `candidates` candidates before the sealed part."""
    tasks = sum(intents[: len(intents) - sealed])
    if not sealed:
        return candidates * tasks
    met = total = 0
    while met < tasks:
        block = min(max(rules.block, met), tasks - met)
        total, met, candidates = total + candidates * block, met + block, (candidates + 1) // 2
    return total


def race_over(
    table: Table, rules: Rules, rounds: Sequence[Sequence[str]] = (), *, sealed: int = 0
) -> RaceOutcome:
    """Race over known scores.

    Args:
        table: the scores. The first column is the incumbent; the name of a candidate is its column's number.
        rounds: the names of the candidates of each round; default is one round of all.
        sealed: how many of the last intents are sealed.

    Raises:
        IncumbentLostError: the incumbent lost too many episodes.
    """
    names = [str(number) for number in range(1, len(table[0][0]))]
    rows = [row for intent in table for row in intent]
    columns = dict(zip([INCUMBENT, *names], zip(*rows, strict=True), strict=True))

    def run(wanted: Mapping[str, range]) -> dict[str, Scores]:
        return {arm: columns[arm][places.start : places.stop] for arm, places in wanted.items()}

    sizes = [len(intent) for intent in table]
    return race(rounds or [names], sizes, run, rules, most=len(names), sealed=sealed)
