"""Races: candidates and the program as it is run the same tasks, until one is shown to be better.

Candidates and the incumbent (the program as it is) meet on the same tasks in the same order, in blocks of
whole intents. After each block two questions are asked of each candidate, with evidence as
`worksmith.evals.statistics.sequential` has it, one bet for each intent on the mean difference over its tasks:

* Is it better than the incumbent? The candidates' evidence is adjusted for their number. The chance that any
  candidate is accepted that is not better is at most `alpha`, whatever happens in the race.
* Can it still be worth its episodes? It bets that it is not better by `margin` than the arm that led before
  the block (the leader itself: than the incumbent). The rival is settled before the block is seen, so one
  process serves against all rivals: a candidate better than all others by `margin` leaves with a chance of at
  most `beta`. A candidate that leaves is never accepted falsely; at worst a find is missed. So `beta` may be
  larger than `alpha`.

"Better" is about the intents that the dev intents were drawn from, each counted the same: the expected mean
difference over the tasks of a new intent is above zero. The order of the intents is random. The
similarity and the number of tasks inside an intent do not matter.

The incumbent leaves once all remaining candidates are accepted. The race ends when nothing is left to decide
or the tasks are used up. If no candidate was accepted, no difference was shown and the incumbent stays. No
candidate wins whose mean score on the tasks that both met is not above the incumbent's. Of candidates with
equal mean scores the one that costs less leads and wins, then the earlier one.

Candidates may come in rounds, for instance because those of a later one cost more to make. Newcomers first
meet the tasks that the others have met. How many candidates there can be is settled before the first round,
and the evidence of all of them is adjusted for that number, so rounds do not change the guarantee.
A further round starts if no candidate is accepted yet, or if the leader entered in the last round.

An episode that was lost to the infrastructure never helps a candidate: it counts 0 for the candidate, and 1
for the arm that the candidate is compared with. An arm that loses more than the share `lost` of its episodes
is set aside. If the incumbent is set aside, nothing is left to compare with, and the race ends with an error.

An arm that cannot keep a bound any more leaves as well, and one that does not keep it as things stand cannot
win. If the incumbent breaks a bound, no candidate has to beat it: the best candidate that keeps the bounds
wins.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate

from worksmith.evals.statistics.sequential import Evidence, adjusted, needed
from worksmith.optimizers.racing.rules import INCUMBENT, Arm, Bounds, Outcome, Rules, Scores

RunBlock = Callable[[Mapping[str, range]], Mapping[str, Scores]]
"""Takes by arm the places of the tasks to run; runs all arms at once and gives the scores of each."""

Table = Sequence[Sequence[Sequence[float | None]]]
"""By intent the scores of all arms, a row a task; None where the infrastructure failed."""


def race(
    rounds: Iterable[Sequence[str]],
    intents: Sequence[int],
    run: RunBlock,
    rules: Rules,
    *,
    most: int | None = None,
    on_block: Callable[[Outcome], None] = lambda _: None,
    bounds: Bounds | None = None,
    cost: Callable[[str], float] = lambda _: 0.0,
) -> Outcome:
    """Race candidates against the incumbent.

    Args:
        rounds: the names of the candidates of each round. A round is requested when those before it have
            raced.
        intents: the number of tasks of each intent. Tasks are numbered from 0 in this order.
        run: runs arms on tasks and gives their scores, from 0 to 1, or None for a lost episode.
        rules: the error rates, the margin, and the sizes of blocks.
        most: the most candidates of all rounds; needed if there is more than one round.
        on_block: called with the present outcome after each block.
        bounds: the constraints of the arms; checked after each block.
        cost: of a mean episode of an arm, on the tasks that it has met.

    Returns:
        The winner, and the state of each arm.

    Raises:
        IncumbentLostError: the incumbent lost too many episodes.
    """
    state = _Race(rules, intents, most or 0, bounds, cost)
    for names in rounds:
        state.enter(names)
        while wanted := state.wanted():
            state.judge(run(wanted))
            on_block(state.outcome())
        if not state.worth_another:
            break
    found = state.outcome()
    found.check()
    return found


def race_over(table: Table, rules: Rules, rounds: Sequence[Sequence[str]] = ()) -> Outcome:
    """Race over known scores.

    Args:
        table: the scores. The first column is the incumbent; the name of a candidate is its column's number.
        rounds: the names of the candidates of each round; default is one round of all.

    Raises:
        IncumbentLostError: the incumbent lost too many episodes.
    """
    names = [str(number) for number in range(1, len(table[0][0]))]
    rows = [row for intent in table for row in intent]
    columns = dict(zip([INCUMBENT, *names], zip(*rows, strict=True), strict=True))

    def run(wanted: Mapping[str, range]) -> dict[str, Scores]:
        return {arm: columns[arm][places.start : places.stop] for arm, places in wanted.items()}

    return race(rounds or [names], [len(intent) for intent in table], run, rules, most=len(names))


class _Race:
    def __init__(
        self,
        rules: Rules,
        intents: Sequence[int],
        most: int,
        bounds: Bounds | None,
        cost: Callable[[str], float],
    ) -> None:
        self._rules = rules
        # The number of the task after the last of each intent.
        self._ends = list(accumulate(intents))
        self._bounds = bounds
        self._cost = cost
        self._most = most
        self._incumbent = Arm(INCUMBENT)
        self._candidates: list[Arm] = []
        self._better: dict[str, Evidence] = {}
        self._no_use: dict[str, Evidence] = {}
        self._latest: frozenset[str] = frozenset()

    def enter(self, names: Sequence[str]) -> None:
        self._latest = frozenset(names)
        self._candidates += [Arm(name) for name in names]
        most = max(self._most, len(self._candidates))
        for name in names:
            self._better[name] = Evidence(len(self._ends), needed(self._rules.alpha / most))
            # A bet against "at least `margin` better than the rival", on the rival's lead.
            self._no_use[name] = Evidence(
                len(self._ends), needed(self._rules.beta), -self._rules.margin, reserve=False
            )
        if not self._incumbent.out and any(not arm.accepted for arm in self._candidates if not arm.left):
            self._incumbent.come_back()

    def wanted(self) -> dict[str, range]:
        """The places at which arms run next: newcomers catch up, or all run a block."""
        tasks = self._ends[-1] if self._ends else 0
        met = max((len(arm.scores) for arm in self.runners), default=tasks)
        if met and (behind := [arm for arm in self.runners if len(arm.scores) < met]):
            return {arm.name: range(len(arm.scores), met) for arm in behind}
        if not self._open or met >= tasks:
            return {}
        block = max(self._rules.block, self._rules.fill // len(self.runners))
        end = self._ends[bisect_left(self._ends, min(met + block, tasks))]
        return {arm.name: range(met, end) for arm in self.runners}

    @property
    def winner(self) -> Arm:
        able = [
            arm
            for arm in self._candidates
            if arm.scores and not arm.out and not arm.loses(self._rules) and self._kept(arm)
        ]
        unbeaten = not self._incumbent.out and self._kept(self._incumbent)
        accepted = [arm for arm in able if not unbeaten or (arm.accepted and arm.above(self._incumbent))]
        # Arms that stayed have run the most tasks.
        return max(accepted, key=lambda arm: (not arm.left, *self._standing(arm)), default=self._incumbent)

    def _standing(self, arm: Arm) -> tuple[float, float]:
        return arm.mean, -self._cost(arm.name)

    @property
    def worth_another(self) -> bool:
        """Whether another round may find a better candidate."""
        return self.winner is self._incumbent or self.winner.name in self._latest

    @property
    def runners(self) -> list[Arm]:
        """The arms that run the next block, the incumbent first."""
        return [arm for arm in (self._incumbent, *self._candidates) if not arm.left]

    @property
    def _open(self) -> bool:
        staying = [arm for arm in self._candidates if not arm.left]
        if len(staying) > 1:
            return True
        return any(not (arm.accepted and self._kept(arm)) for arm in staying)

    def _kept(self, arm: Arm) -> bool:
        return self._bounds is None or self._bounds.kept(arm.name)

    def judge(self, found: Mapping[str, Scores]) -> None:
        """Add the scores of a block, accept candidates, and remove arms that have to leave."""
        runners = self.runners
        # Newcomers meet tasks with known scores: a rival chosen by those would bias the bet.
        together = len(found) == len(runners)
        rivals = {
            arm.name: self._rival(arm, runners) if together else None
            for arm in self._candidates
            if not arm.left
        }
        met = len(runners[0].scores)
        for arm in runners:
            arm.scores.extend(found.get(arm.name, ()))
        for arm in self._candidates:
            self._pair(arm)
            rival = rivals.get(arm.name)
            if rival is not None:
                first, last = self._intents(met), self._intents(len(rival.scores))
                self._no_use[arm.name].add(-lead for lead in self._leads(arm, rival, first, last))
        self._accept()
        self._let_leave(rivals)

    def outcome(self) -> Outcome:
        arms = {arm.name: arm for arm in (self._incumbent, *self._candidates)}
        return Outcome(self.winner.name, arms, self._rules)

    def _rival(self, arm: Arm, runners: Sequence[Arm]) -> Arm | None:
        """The arm that a candidate bets against in the next block; None where no bet is to be made."""
        leader = max(runners, key=self._standing)
        rival = self._incumbent if arm is leader else leader
        if rival.left or not rival.scores or arm.mean - rival.mean >= self._rules.margin:
            return None
        return rival

    def _pair(self, arm: Arm) -> None:
        """Add the evidence of the intents that an arm and the incumbent have run since the last block."""
        both = self._intents(min(len(arm.scores), len(self._incumbent.scores)))
        self._better[arm.name].add(self._leads(arm, self._incumbent, arm.intents, both))
        arm.pair(both)

    def _intents(self, tasks: int) -> int:
        """The number of whole intents among the first tasks."""
        return bisect_right(self._ends, tasks)

    def _leads(self, arm: Arm, other: Arm, first: int, last: int) -> list[float]:
        """The lead of an arm over another in each intent from `first` to before `last`.

        A lost episode counts 0 for the arm and 1 for the other one.
        """
        leads = []
        for number in range(first, last):
            start, stop = self._ends[number - 1] if number else 0, self._ends[number]
            ours = math.fsum(filter(None, arm.scores[start:stop]))
            theirs = math.fsum(1.0 if score is None else score for score in other.scores[start:stop])
            leads.append((ours - theirs) / (stop - start))
        return leads

    def _accept(self) -> None:
        # Whether a candidate enters depends on scores on the very tasks that it will meet. Counted as nothing
        # until then, its evidence cannot exceed that of bets on every task from the first.
        waiting = max(0, self._most - len(self._candidates))
        logs = adjusted([evidence.log for evidence in self._better.values()], waiting)
        for arm, evidence in zip(self._candidates, logs, strict=True):
            arm.judge(evidence, needed(self._rules.alpha))

    def _let_leave(self, rivals: Mapping[str, Arm | None]) -> None:
        for arm in self.runners:
            if self._bounds is not None and (bound := self._bounds.lost(arm.name)):
                arm.leave(f"cannot keep {bound}", out=True)
            elif not self._rules.allow_loss(arm.lost, self._ends[-1]):
                # Even if it loses no further episode.
                arm.leave(self._rules.loss(arm.lost, len(arm.scores)))
                if arm is self._incumbent:
                    self.outcome().check()
        for arm in self._candidates:
            rival = rivals.get(arm.name)
            if rival is not None and not arm.left and self._no_use[arm.name].log >= needed(self._rules.beta):
                arm.leave(f"not better than {rival.name} by {100 * self._rules.margin:g} points")
        staying = [arm for arm in self._candidates if not arm.left]
        if staying and all(arm.accepted for arm in staying) and not self._incumbent.left:
            self._incumbent.leave("all who stay are better")
