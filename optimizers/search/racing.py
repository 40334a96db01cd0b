"""The rules of a race: which arms run the next tasks, which leave, and whether the winner is accepted.

Candidates and the incumbent (the program as it is) meet on the same tasks in the same order, in blocks of
whole intents. After each block two questions are asked of each candidate, with evidence as
`evals.statistics.sequential` has it, one bet for each intent on the mean difference over its tasks:

* Is it better than the incumbent? The candidates' evidence is adjusted for their number. The chance that any
  candidate is accepted that is not better is at most `alpha`, whatever happens in the race.
* Could it still be worth its episodes? It bets that it is not better by `margin` than the arm that led before
  the block (the leader itself: than the incumbent). The rival is settled before the block is seen, so one
  process serves against all rivals: a candidate better than all others by `margin` leaves with a chance of at
  most `beta`. A candidate that leaves is never accepted falsely; at worst a find is missed. So `beta` may be
  larger than `alpha`.

"Better" is about the intents that the dev intents were drawn from, each counted the same: the expected mean
difference over the tasks of a new intent is above zero. The order of the intents is random. What happens
inside an intent, how alike its tasks are or how many it has, does not matter.

The incumbent leaves once all remaining candidates are accepted. The race ends when nothing is left to decide
or the tasks are used up. If no candidate was accepted, no difference was shown and the incumbent stays. No
candidate wins whose mean score on the tasks that both met is not above the incumbent's.

Candidates may come in rounds, for instance because those of a later one cost more to make. Newcomers first
meet the tasks that the others have met. How many candidates there can be is settled before the first round,
and the evidence of all of them is adjusted for that number, so rounds do not change what may be relied on.
A further round starts if no candidate is accepted yet, or if the leader entered in the last round.

An episode that was lost to the infrastructure never helps a candidate: it counts 0 for the candidate, and 1
for the arm that the candidate is compared with. An arm that loses more than the share `lost` of its episodes
is set aside. If the incumbent is set aside, nothing is left to compare with, and the race ends with an error.

An arm that cannot keep a bound any more leaves as well, and one that does not keep it as things stand cannot
win. If the incumbent breaks a bound, no candidate has to beat it: the best candidate that keeps the bounds
takes its place.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import accumulate
from typing import Any

from evals.statistics.sequential import NOTHING, Evidence, adjusted, needed, stakes
from optimizers.search.bounds import Bounds, Unbounded
from tools.errors import InfrastructureError

INCUMBENT = "uncompiled"
"""The name of the program as it is."""

_LARGEST = 40.0
"""Logarithm of the most evidence that is written down; more convinces nobody more."""

Scores = Sequence[float | None]
"""Scores on a block of tasks in order; None where the infrastructure failed."""

Run = Callable[[Mapping[str, range]], Mapping[str, Scores]]
"""Runs arms, all at once, each on the tasks at the given places, and gives their scores."""


@dataclass(frozen=True)
class Rules:
    """What a race is run by.

    Attributes:
        alpha: the chance of accepting a candidate that is not better than the incumbent, at most.
        margin: differences below it are not worth telling apart.
        beta: the chance that a candidate leaves although it is better than all others by `margin`, at most.
        lost: the share of its episodes that an arm may lose to the infrastructure, after all further tries.
        block: tasks between two looks, at least; an intent is never divided.
        fill: episodes between two looks, at least: many workers are to have something to do at a time. Fewer
            looks cost hardly any episodes.
    """

    alpha: float = 0.05
    margin: float = 0.1
    beta: float = 0.2
    lost: float = 0.1
    block: int = 8
    fill: int = 48


class IncumbentLostError(InfrastructureError):
    """Too many episodes of the program as it is were lost to compare anything with it."""


@dataclass
class Arm:
    """A program in the race.

    Attributes:
        scores: on the tasks it met, in order.
        left: why it left; empty if it stayed to the end.
        evidence: that it is better than the incumbent: logarithm, adjusted for the number of candidates.
        intents: how many intents that evidence is from.
        accepted: whether the evidence sufficed at the end of some block.
        out: whether it left for a bound that it cannot keep.
    """

    name: str
    scores: list[float | None] = field(default_factory=list)
    left: str = ""
    evidence: float = 0.0
    intents: int = 0
    accepted: bool = False
    out: bool = False

    @property
    def mean(self) -> float:
        """The mean score over the tasks met, lost ones counted as 0; 0 without any."""
        return self.mean_of(len(self.scores))

    def mean_of(self, count: int) -> float:
        """The mean score over the first `count` tasks."""
        return math.fsum(filter(None, self.scores[:count])) / count if count else 0.0

    @property
    def lost(self) -> int:
        """How many of its episodes were lost to the infrastructure."""
        return self.scores.count(None)

    def above(self, other: Arm) -> bool:
        """Whether its mean is higher on the tasks that both have met."""
        both = min(len(self.scores), len(other.scores))
        return self.mean_of(both) > other.mean_of(both)


@dataclass(frozen=True)
class Outcome:
    """How a race ended.

    Attributes:
        winner: the accepted candidate that did best, or the incumbent if no difference was shown.
        arms: the incumbent and the candidates by name, in the order given.
    """

    winner: str
    arms: Mapping[str, Arm]
    rules: Rules

    @property
    def episodes(self) -> int:
        """How many episodes it took."""
        return sum(len(arm.scores) for arm in self.arms.values())

    def check(self) -> None:
        """See that there was something to compare with.

        Raises:
            IncumbentLostError: the incumbent lost too many episodes, and it was not out for anything else.
        """
        incumbent = self.arms[INCUMBENT]
        if not incumbent.out and _loses(incumbent, self.rules):
            raise IncumbentLostError(
                f"the program as it is {_lost(incumbent, self.rules)}, so nothing can be compared with it "
                "(--resume runs them again)"
            )

    def report(self, name: str) -> dict[str, Any]:
        """What the race says of an arm beside its scores, JSON-able.

        `evidence`: the e-value against "the candidate is no better"; it is accepted when this reaches
        `needed`. `intents`: the number of intents that the e-value is from; the intent is its unit.
        """
        arm = self.arms[name]
        left = _lost(arm, self.rules) if _loses(arm, self.rules) else arm.left
        facts = {"met": len(arm.scores), "left": left}
        if name == INCUMBENT:
            beaten = f"{arm.left}, {self.winner} can" if arm.out else f"beaten by {self.winner}"
            verdict = "no difference shown" if self.winner == INCUMBENT else beaten
            return {**facts, "verdict": verdict, "claim": _claim(self.rules), "rules": asdict(self.rules)}
        factor = round(math.exp(min(arm.evidence, _LARGEST)), 3)
        told = {"evidence": factor, "needed": 1 / self.rules.alpha, "intents": arm.intents}
        return {**facts, "accepted": arm.accepted, **told}


def _claim(rules: Rules) -> str:
    return (
        "accepted are programs that do better on new intents, each intent counted the same; "
        f"the chance that any of them does not is at most {rules.alpha:g}"
    )


def race(
    rounds: Iterable[Sequence[str]],
    intents: Sequence[int],
    run: Run,
    rules: Rules,
    *,
    most: int = 0,
    told: Callable[[Outcome], None] = lambda _: None,
    bounds: Bounds | None = None,
) -> Outcome:
    """Race candidates and the incumbent over the tasks of some intents, at most.

    Args:
        intents: how many tasks each has, in the order in which they are dealt: first all tasks of the first.
        rounds: the candidates that enter together; the next are asked for once those before have raced.
        most: how many candidates there are in all rounds, at most; needed if there is more than one round.
        told: how the race would end here, whenever scores have come in.
        bounds: what arms must keep; asked after their scores have come in.

    Raises:
        IncumbentLostError: the incumbent lost too many episodes.
    """
    state = _Race(rules, intents, most, bounds or Unbounded())
    for names in rounds:
        state.enter(names)
        while wanted := state.wanted():
            state.judge(run(wanted))
            told(state.outcome())
        if not state.worth_another:
            break
    found = state.outcome()
    found.check()
    return found


class _Race:
    def __init__(self, rules: Rules, intents: Sequence[int], most: int, bounds: Bounds) -> None:
        self._rules = rules
        # Where each intent ends.
        self._ends = list(accumulate(intents))
        self._bounds = bounds
        self._most = most
        self._incumbent = Arm(INCUMBENT)
        self._candidates: list[Arm] = []
        self._better: dict[str, Evidence] = {}
        self._no_use: dict[str, Evidence] = {}
        self._latest: frozenset[str] = frozenset()

    def enter(self, names: Sequence[str]) -> None:
        """Let candidates in."""
        self._latest = frozenset(names)
        self._candidates += [Arm(name) for name in names]
        most = max(self._most, len(self._candidates))
        for name in names:
            self._better[name] = self._evidence(self._rules.alpha / most)
            # About "at least `margin` better than the rival", in terms of the rival's lead.
            self._no_use[name] = self._evidence(self._rules.beta, -self._rules.margin)
        if not self._incumbent.out and any(not arm.accepted for arm in self._candidates if not arm.left):
            self._incumbent.left = ""

    def _evidence(self, chance: float, bound: float = 0.0) -> Evidence:
        return Evidence(bound, stakes(len(self._ends), needed(chance)))

    def wanted(self) -> dict[str, range]:
        """The places at which somebody is to run next: what newcomers have to catch up with, or a block."""
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
        """Who would win as things stand."""
        able = [
            arm
            for arm in self._candidates
            if arm.scores and not arm.out and not _loses(arm, self._rules) and self._bounds.kept(arm.name)
        ]
        unbeaten = not self._incumbent.out and self._bounds.kept(self._incumbent.name)
        accepted = [arm for arm in able if not unbeaten or (arm.accepted and arm.above(self._incumbent))]
        # Who stayed has met the most tasks and was not found wanting; among equals the earlier one.
        return max(accepted, key=lambda arm: (not arm.left, arm.mean), default=self._incumbent)

    @property
    def worth_another(self) -> bool:
        """Whether another round may bring what this one has not."""
        return self.winner is self._incumbent or self.winner.name in self._latest

    @property
    def runners(self) -> list[Arm]:
        """Who runs the next block, the incumbent first."""
        return [arm for arm in (self._incumbent, *self._candidates) if not arm.left]

    @property
    def _open(self) -> bool:
        """Whether there is something left to find out."""
        staying = [arm for arm in self._candidates if not arm.left]
        if len(staying) > 1:
            return True
        return any(not (arm.accepted and self._bounds.kept(arm.name)) for arm in staying)

    def judge(self, found: Mapping[str, Scores]) -> None:
        """Take in scores: accept, then let leave."""
        runners = self.runners
        # Newcomers meet tasks on which it is known who did well: nobody bets against a rival chosen so.
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
        """The end of the race as it stands."""
        arms = {arm.name: arm for arm in (self._incumbent, *self._candidates)}
        return Outcome(self.winner.name, arms, self._rules)

    def _rival(self, arm: Arm, runners: Sequence[Arm]) -> Arm | None:
        """Whom a candidate bets against in the next block; None if it had better not bet."""
        leader = max(runners, key=lambda other: other.mean)
        rival = self._incumbent if arm is leader else leader
        if rival.left or not rival.scores or arm.mean - rival.mean >= self._rules.margin:
            return None
        return rival

    def _pair(self, arm: Arm) -> None:
        """Take in the intents that an arm and the incumbent have both met since last time."""
        both = self._intents(min(len(arm.scores), len(self._incumbent.scores)))
        self._better[arm.name].add(self._leads(arm, self._incumbent, arm.intents, both))
        arm.intents = max(arm.intents, both)

    def _intents(self, tasks: int) -> int:
        """How many whole intents the first tasks make."""
        return bisect_right(self._ends, tasks)

    def _leads(self, arm: Arm, other: Arm, first: int, last: int) -> list[float]:
        """By how much an arm is ahead of another in each intent, from the one to before the other.

        What was lost counts 0 for the arm and 1 for the other one.
        """
        leads = []
        for number in range(first, last):
            start, stop = self._ends[number - 1] if number else 0, self._ends[number]
            ours = math.fsum(filter(None, arm.scores[start:stop]))
            theirs = math.fsum(1.0 if score is None else score for score in other.scores[start:stop])
            leads.append((ours - theirs) / (stop - start))
        return leads

    def _accept(self) -> None:
        # Whether somebody enters depends on what was seen on the very tasks that they will meet. Counted as
        # nothing until then, they cannot have more than a bet on every task from the first would have given.
        waiting = max(0, self._most - len(self._candidates))
        logs = adjusted([*(evidence.log for evidence in self._better.values()), *[NOTHING] * waiting])
        for arm, evidence in zip(self._candidates, logs, strict=False):
            # The most that was reached counts: the guarantee is about every look.
            arm.evidence = max(arm.evidence, evidence)
            arm.accepted = arm.evidence >= needed(self._rules.alpha)

    def _let_leave(self, rivals: Mapping[str, Arm | None]) -> None:
        for arm in self.runners:
            if said := self._bounds.lost(arm.name):
                arm.left, arm.out = f"cannot keep {said}", True
            elif arm.lost > self._rules.lost * self._ends[-1]:
                # However the rest goes.
                arm.left = _lost(arm, self._rules)
                if arm is self._incumbent:
                    self.outcome().check()
        for arm in self._candidates:
            rival = rivals.get(arm.name)
            if rival is not None and not arm.left and self._no_use[arm.name].log >= needed(self._rules.beta):
                arm.left = f"not better than {rival.name} by {100 * self._rules.margin:g} points"
        staying = [arm for arm in self._candidates if not arm.left]
        if staying and all(arm.accepted for arm in staying) and not self._incumbent.left:
            self._incumbent.left = "all who stay are better"


def _loses(arm: Arm, rules: Rules) -> bool:
    """Whether an arm has lost more of its episodes than it may."""
    return arm.lost > rules.lost * len(arm.scores)


def _lost(arm: Arm, rules: Rules) -> str:
    return f"lost {arm.lost} of {len(arm.scores)} episodes to the infrastructure, more than {rules.lost:.0%}"
