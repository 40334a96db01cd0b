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

**A sealed part.** All of this holds for candidates that nobody looked at dev to make. Where the episodes of
one round serve to make the candidates of the next, the last intents are sealed, and the others are open:

* On the open intents no evidence counts. Candidates are searched among: they meet few tasks at a time, and
  the worse half of a round leaves each time before its end. Rounds follow each other until `patience` of
  them brought no new leader.
* The best ones on all open tasks, if they are above the incumbent, meet the sealed intents with it. Their
  evidence is from the sealed intents alone, and adjusted for the number of these finalists.

All of alpha is spent on the finalists. That is valid whatever happened before: given everything that was
seen on the open intents, the finalists are fixed programs, and the sealed intents are independent draws that
no arm has met. So the argument for candidates that are settled beforehand holds with this condition, and the
chance of a false acceptance is at most alpha for each course that the search can take. The number of rounds
and of candidates, the choice among them and the end of the search do not enter.

An episode that was lost to the infrastructure never helps a candidate: it counts 0 for the candidate, and 1
for the arm that the candidate is compared with. An arm that loses more than the share `lost` of its episodes
is set aside. If the incumbent is set aside, nothing is left to compare with, and the race ends with an error.

Costs count among accepted candidates. The cheapest one wins whose mean is less than the margin below that of
the best, unless a bet on the best one's lead over it reaches `needed(beta)`.

An arm that cannot keep a bound any more leaves as well, and one that does not keep it as things stand cannot
win. If the incumbent breaks a bound, no candidate has to beat it: the best candidate that keeps the bounds
wins.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
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
    most: int = 0,
    sealed: int = 0,
    on_block: Callable[[Outcome], None] = lambda _: None,
    bounds: Bounds | None = None,
    cost: Callable[[str], float] = lambda _: 0.0,
    without_parts: Callable[[Outcome], Sequence[str]] = lambda _: (),
) -> Outcome:
    """Race candidates against the incumbent.

    Args:
        rounds: the names of the candidates of each round. A round is requested when those before it have
            raced.
        intents: the number of tasks of each intent. Tasks are numbered from 0 in this order.
        run: runs arms on tasks and gives their scores, from 0 to 1, or None for a lost episode.
        rules: the error rates, the margin, and the sizes of blocks.
        most: the most candidates of all rounds; needed if there is more than one round, and no sealed part.
        sealed: how many of the last intents are sealed (`worksmith.optimizers.racing.rules.sealed_intents`);
            0 for candidates that nobody looked at dev to make.
        on_block: called with the present outcome after each block.
        bounds: the constraints of the arms; checked after each block.
        cost: of a mean episode of an arm, on the tasks that it has met.
        without_parts: names of the winner without each of its parts. They cannot win. They, the winner and
            the incumbent run all tasks that are compared in `worksmith.optimizers.racing.worth`.

    Returns:
        The winner, and the state of each arm.

    Raises:
        IncumbentLostError: the incumbent lost too many episodes.
    """
    state = _Race(rules, intents, most, sealed, bounds, cost)

    def meet() -> None:
        while wanted := state.wanted():
            state.judge(run(wanted))
            on_block(state.outcome())

    for names in rounds:
        state.enter(names)
        meet()
        if not state.end_round():
            break
    if sealed:
        state.unseal()
        meet()
    found = state.outcome()
    found.check()
    names = () if found.winner == INCUMBENT else without_parts(found)
    return _complete(found, names, run) if names else found


def _complete(found: Outcome, names: Sequence[str], run: RunBlock) -> Outcome:
    """Run all tasks to the end that are compared, because a race ends when the winner looks best."""
    tasks = range(found.first_compared, sum(found.intents))
    both = [arm for arm in (found.arms[INCUMBENT], found.arms[found.winner]) if not arm.out]
    rest = {arm.name: range(len(arm.scores), tasks.stop) for arm in both if len(arm.scores) < tasks.stop}
    scores = run({**rest, **dict.fromkeys(names, tasks)})
    for name in rest:
        found.arms[name].scores.extend(scores[name])
    return replace(found, without={name: scores[name] for name in names})


def final_episodes(intents: Sequence[int], sealed: int, rules: Rules) -> int:
    """The most episodes on the sealed intents, to be kept back while candidates are searched among."""
    return sum(intents[len(intents) - sealed :]) * (1 + rules.finalists_for(sealed))


def race_over(
    table: Table, rules: Rules, rounds: Sequence[Sequence[str]] = (), *, sealed: int = 0
) -> Outcome:
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


class _Race:
    def __init__(
        self,
        rules: Rules,
        intents: Sequence[int],
        most: int,
        sealed: int,
        bounds: Bounds | None,
        cost: Callable[[str], float],
    ) -> None:
        self._rules = rules
        self._sizes = intents
        # The number of the task after the last of each intent.
        self._ends = list(accumulate(intents))
        self._sealed = sealed
        self._bounds = bounds
        self._cost = cost
        self._most = most
        self._incumbent = Arm(INCUMBENT)
        self._candidates: list[Arm] = []
        self._better: dict[str, Evidence] = {}
        self._no_use: dict[str, Evidence] = {}
        self._latest: frozenset[str] = frozenset()
        self._finalists: list[str] | None = None
        # Rounds in a row without a new leader.
        self._idle = 0

    def enter(self, names: Sequence[str]) -> None:
        self._latest = frozenset(names)
        self._candidates += [Arm(name) for name in names]
        most = max(self._most, len(self._candidates))
        for name in names:
            if not self._searching:
                self._better[name] = Evidence(len(self._ends), needed(self._rules.alpha / most))
            # A bet against "at least `margin` better than the rival", on the rival's lead.
            self._no_use[name] = Evidence(
                len(self._ends), needed(self._rules.beta), -self._rules.margin, reserve=False
            )
        if not self._incumbent.out and any(not arm.accepted for arm in self._candidates if not arm.left):
            self._incumbent.come_back()

    def unseal(self) -> None:
        """Let the leaders enter the sealed part, and all others leave."""
        most = self._rules.finalists_for(self._sealed)
        able = [
            arm
            for arm in self._able
            if len(arm.scores) == self._until and (not self._unbeaten or arm.above(self._incumbent))
        ]
        leaders = sorted(able, key=self._standing, reverse=True)[:most]
        for arm in self._staying:
            if arm not in leaders:
                arm.leave("not among the best on the open intents")
        self._finalists = [arm.name for arm in leaders]
        need = needed(self._rules.alpha / max(1, len(leaders)))
        self._better = {name: Evidence(self._sealed, need) for name in self._finalists}

    @property
    def _searching(self) -> bool:
        return self._sealed > 0 and self._finalists is None

    @property
    def _until(self) -> int:
        """The number of the first task that is closed to all arms."""
        intents = len(self._ends) - (self._sealed if self._searching else 0)
        return self._ends[intents - 1] if intents else 0

    def wanted(self) -> dict[str, range]:
        """The places at which arms run next: newcomers catch up, or all run a block."""
        runners = self.runners
        met = max((len(arm.scores) for arm in runners), default=0)
        if met and (behind := [arm for arm in runners if len(arm.scores) < met]):
            end = self._block_end(len(behind[0].scores), met, behind) if self._searching else met
            return {arm.name: range(len(arm.scores), end) for arm in behind}
        if not self._open or met >= self._until:
            return {}
        end = self._block_end(met, self._until, runners)
        return {arm.name: range(met, end) for arm in runners}

    def _block_end(self, start: int, most: int, running: Sequence[Arm]) -> int:
        """The end of the block that starts there. Blocks of a search double, and half of a round leaves."""
        least = start if self._searching else self._rules.fill // len(running)
        return self._ends[bisect_left(self._ends, min(start + max(self._rules.block, least), most))]

    @property
    def _unbeaten(self) -> bool:
        """Whether candidates have to beat the incumbent."""
        return not self._incumbent.out and self._kept(self._incumbent)

    @property
    def _staying(self) -> list[Arm]:
        return [arm for arm in self._candidates if not arm.left]

    @property
    def _able(self) -> list[Arm]:
        """The candidates that may win as far as bounds and losses go."""
        return [
            arm
            for arm in self._candidates
            if arm.scores and not arm.out and not arm.loses(self._rules) and self._kept(arm)
        ]

    @property
    def winner(self) -> Arm:
        able = self._able
        if self._unbeaten:
            able = [arm for arm in able if arm.accepted and arm.above(self._incumbent)]
        if not able:
            return self._incumbent
        # Arms that stayed have run the most tasks.
        best = max(able, key=lambda arm: (not arm.left, *self._standing(arm)))
        cheaper = [arm for arm in able if self._as_good(arm, best)]
        return min(cheaper, key=lambda arm: self._cost(arm.name), default=best)

    def _as_good(self, arm: Arm, best: Arm) -> bool:
        """Whether a cheaper arm is less than the margin behind the best one, and not shown to be worse."""
        if self._cost(arm.name) >= self._cost(best.name):
            return False
        both = min(len(arm.scores), len(best.scores))
        told = Evidence(self._intents(both), needed(self._rules.beta), reserve=False)
        told.add(self._leads(best, arm, 0, self._intents(both)))
        behind = best.mean_of(both) - arm.mean_of(both)
        return behind < self._rules.margin and told.log < needed(self._rules.beta)

    def _standing(self, arm: Arm) -> tuple[float, float]:
        return arm.mean, -self._cost(arm.name)

    def end_round(self) -> bool:
        """Whether another round may find a better candidate."""
        if self._searching:
            leader = max(self.runners, key=lambda arm: (len(arm.scores), *self._standing(arm)))
            self._idle = 0 if leader.name in self._latest else self._idle + 1
            return self._idle < self._rules.patience
        return self.winner is self._incumbent or self.winner.name in self._latest

    @property
    def runners(self) -> list[Arm]:
        """The arms that run the next block, the incumbent first."""
        return [arm for arm in (self._incumbent, *self._candidates) if not arm.left]

    @property
    def _open(self) -> bool:
        staying = self._staying
        return len(staying) > 1 or any(not (arm.accepted and self._kept(arm)) for arm in staying)

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
        if self._searching:
            self._halve()

    def _halve(self) -> None:
        """Let the worse half of the newcomers leave, before they have met all open tasks."""
        newcomers = sorted(
            (arm for arm in self._staying if arm.name in self._latest), key=self._standing, reverse=True
        )
        for arm in newcomers[(len(newcomers) + 1) // 2 :]:
            if len(arm.scores) < self._until:
                arm.leave(f"in the worse half of its round on {len(arm.scores)} tasks")

    def outcome(self) -> Outcome:
        arms = {arm.name: arm for arm in (self._incumbent, *self._candidates)}
        return Outcome(self.winner.name, arms, self._rules, self._sizes, self._sealed, self._finalists)

    def _rival(self, arm: Arm, runners: Sequence[Arm]) -> Arm | None:
        """The arm that a candidate bets against in the next block; None where no bet is to be made."""
        leader = max(runners, key=self._standing)
        rival = self._incumbent if arm is leader else leader
        if rival.left or not rival.scores or arm.mean - rival.mean >= self._rules.margin:
            return None
        return rival

    def _pair(self, arm: Arm) -> None:
        """Add the evidence of the intents that an arm and the incumbent have run since the last block."""
        if (better := self._better.get(arm.name)) is not None:
            first = len(self._ends) - self._sealed if self._sealed else 0
            both = self._intents(min(len(arm.scores), len(self._incumbent.scores)))
            better.add(self._leads(arm, self._incumbent, first + arm.intents, both))
            arm.pair(both - first)

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
        waiting = 0 if self._sealed else max(0, self._most - len(self._candidates))
        betting = [arm for arm in self._candidates if arm.name in self._better]
        logs = adjusted([self._better[arm.name].log for arm in betting], waiting)
        for arm, evidence in zip(betting, logs, strict=True):
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
        staying = self._staying
        if staying and all(arm.accepted for arm in staying) and not self._incumbent.left:
            self._incumbent.leave("all who stay are better")
