"""The rules of a race: who runs the next tasks, who leaves, and whether the winner is accepted.

Candidates and the incumbent (the program as it is) meet on the same tasks in the same order, in blocks. After
each block two questions are asked of each candidate, with evidence as `evals.sequential` has it:

* Is it better than the incumbent? The candidates' evidence is adjusted for their number. The chance that any
  candidate is accepted that is not better is at most `alpha`, whatever happens in the race.
* Could it still be worth its episodes? It bets that it is not better by `margin` than whoever led before the
  block (the leader itself: than the incumbent). Whom it bets against is settled before the block is seen, so
  one process serves against all rivals: a candidate better than everybody by `margin` leaves with a chance of
  at most `beta`. Leaving can only lose a find, never accept a false one, so `beta` may be generous.

The incumbent leaves once everybody still there is accepted. The race ends when nothing is left to decide or
the tasks are used up. If nobody was accepted, no difference was shown and the incumbent stays.

Candidates may come in rounds, for instance because those of a later one cost more to make. Newcomers first
meet the tasks that the others have met. How many candidates there can be is settled before the first round,
and the evidence of all of them is adjusted for that number, so rounds do not change what may be relied on.
Another round is worth its price while nobody is accepted, or the last one brought whoever leads.

Who cannot keep a bound any more leaves as well, and who does not keep one as things stand cannot win. Where
that is the incumbent, nobody has to beat it: whoever keeps the bounds and does best stands in its place.

What the probabilities are about is the tasks that the dev tasks were drawn from; the order is random.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from evals.sequential import Evidence, adjusted, needed
from optimizers.bounds import Bounds, Unbounded

INCUMBENT = "uncompiled"
"""The name of the program as it is."""

_LARGEST = 40.0
"""Logarithm of the most evidence that is written down; more convinces nobody more."""

_NOTHING = -700.0
"""Logarithm of no evidence whatever."""

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
        block: tasks between two looks, at least.
        fill: episodes between two looks, at least: many workers are to have something to do at a time. Fewer
            looks cost hardly any episodes.
    """

    alpha: float = 0.05
    margin: float = 0.1
    beta: float = 0.2
    block: int = 8
    fill: int = 48


@dataclass
class Arm:
    """A program in the race.

    Attributes:
        scores: on the tasks it met, in order.
        left: why it left; empty if it stayed to the end.
        evidence: that it is better than the incumbent: logarithm, adjusted for the number of candidates.
        accepted: whether the evidence sufficed at the end of some block.
        out: whether it left for a bound that it cannot keep.
    """

    name: str
    scores: list[float | None] = field(default_factory=list)
    left: str = ""
    evidence: float = 0.0
    accepted: bool = False
    out: bool = False

    @property
    def mean(self) -> float:
        """The mean score over the tasks met; 0 without any."""
        known = [score for score in self.scores if score is not None]
        return math.fsum(known) / len(known) if known else 0.0


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

    def report(self, name: str) -> dict[str, Any]:
        """What the race says of an arm beside its scores, JSON-able.

        `evidence` is the factor by which doubting that a candidate is no better has paid off, `needed` the
        one at which it is accepted.
        """
        arm = self.arms[name]
        facts = {"met": len(arm.scores), "left": arm.left}
        if name == INCUMBENT:
            beaten = f"{arm.left}, {self.winner} can" if arm.out else f"beaten by {self.winner}"
            verdict = "no difference shown" if self.winner == INCUMBENT else beaten
            return {**facts, "verdict": verdict, "rules": asdict(self.rules)}
        factor = round(math.exp(min(arm.evidence, _LARGEST)), 3)
        return {**facts, "accepted": arm.accepted, "evidence": factor, "needed": 1 / self.rules.alpha}


def race(
    rounds: Iterable[Sequence[str]],
    tasks: int,
    run: Run,
    rules: Rules,
    *,
    most: int = 0,
    told: Callable[[Outcome], None] = lambda _: None,
    bounds: Bounds | None = None,
) -> Outcome:
    """Race candidates and the incumbent over at most so many tasks.

    Args:
        rounds: the candidates that enter together; the next are asked for once those before have raced.
        most: how many candidates there are in all rounds, at most; needed if there is more than one round.
        told: how the race would end here, whenever scores have come in.
        bounds: what arms must keep; asked after their scores have come in.
    """
    state = _Race(rules, most, bounds or Unbounded())
    for names in rounds:
        state.enter(names)
        while wanted := state.wanted(tasks):
            state.judge(run(wanted))
            told(state.outcome())
        if not state.worth_another:
            break
    return state.outcome()


class _Race:
    def __init__(self, rules: Rules, most: int, bounds: Bounds) -> None:
        self._rules = rules
        self._bounds = bounds
        self._most = most
        self._incumbent = Arm(INCUMBENT)
        self._candidates: list[Arm] = []
        self._better: dict[str, Evidence] = {}
        self._paired: dict[str, int] = {}
        self._no_use: dict[str, Evidence] = {}
        self._latest: frozenset[str] = frozenset()

    def enter(self, names: Sequence[str]) -> None:
        """Let candidates in."""
        self._latest = frozenset(names)
        self._candidates += [Arm(name) for name in names]
        for name in names:
            self._better[name], self._paired[name] = Evidence(), 0
            # About "at least `margin` better than the rival", in terms of the rival's lead.
            self._no_use[name] = Evidence(-self._rules.margin)
        if not self._incumbent.out and any(not arm.accepted for arm in self._candidates if not arm.left):
            self._incumbent.left = ""

    def wanted(self, tasks: int) -> dict[str, range]:
        """The places at which somebody is to run next: what newcomers have to catch up with, or a block."""
        met = max((len(arm.scores) for arm in self.runners), default=tasks)
        if met and (behind := [arm for arm in self.runners if len(arm.scores) < met]):
            return {arm.name: range(len(arm.scores), met) for arm in behind}
        if not self._open or met >= tasks:
            return {}
        block = max(self._rules.block, self._rules.fill // len(self.runners))
        return {arm.name: range(met, min(met + block, tasks)) for arm in self.runners}

    @property
    def winner(self) -> Arm:
        """Who would win as things stand."""
        able = [arm for arm in self._candidates if not arm.out and arm.scores and self._bounds.kept(arm.name)]
        unbeaten = not self._incumbent.out and self._bounds.kept(self._incumbent.name)
        accepted = [arm for arm in able if arm.accepted or not unbeaten]
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
        for arm in runners:
            arm.scores.extend(found.get(arm.name, ()))
        for arm in self._candidates:
            self._pair(arm)
        for name, rival in rivals.items():
            if rival is not None:
                self._no_use[name].add(_differences(found[rival.name], found[name]))
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
        """Take in the tasks that an arm and the incumbent have both met since last time."""
        known, both = self._paired[arm.name], min(len(arm.scores), len(self._incumbent.scores))
        self._better[arm.name].add(_differences(arm.scores[known:both], self._incumbent.scores[known:both]))
        self._paired[arm.name] = both

    def _accept(self) -> None:
        # Whether somebody enters depends on what was seen on the very tasks that they will meet. Counted as
        # nothing until then, they cannot have more than a bet on every task from the first would have given.
        waiting = max(0, self._most - len(self._candidates))
        logs = adjusted([*(evidence.log for evidence in self._better.values()), *[_NOTHING] * waiting])
        for arm, evidence in zip(self._candidates, logs, strict=False):
            # The most that was reached counts: the guarantee is about every look.
            arm.evidence = max(arm.evidence, evidence)
            arm.accepted = arm.evidence >= needed(self._rules.alpha)

    def _let_leave(self, rivals: Mapping[str, Arm | None]) -> None:
        for arm in self.runners:
            if said := self._bounds.lost(arm.name):
                arm.left, arm.out = f"cannot keep {said}", True
        for arm in self._candidates:
            rival = rivals.get(arm.name)
            if rival is not None and not arm.left and self._no_use[arm.name].log >= needed(self._rules.beta):
                arm.left = f"not better than {rival.name} by {100 * self._rules.margin:g} points"
        staying = [arm for arm in self._candidates if not arm.left]
        if staying and all(arm.accepted for arm in staying) and not self._incumbent.left:
            self._incumbent.left = "all who stay are better"


def _differences(ours: Scores, theirs: Scores) -> list[float]:
    """Paired by task; tasks on which the infrastructure failed one of them are no pairs."""
    return [a - b for a, b in zip(ours, theirs, strict=True) if a is not None and b is not None]
