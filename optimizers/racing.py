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

What the probabilities are about is the tasks that the dev tasks were drawn from; the order is random.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from evals.sequential import Evidence, adjusted, needed

INCUMBENT = "uncompiled"
"""The name of the program as it is."""

_LARGEST = 40.0
"""Logarithm of the most evidence that is written down; more convinces nobody more."""

Scores = Sequence[float | None]
"""Scores on a block of tasks in order; None where the infrastructure failed."""

Run = Callable[[Sequence[str], int, int], Mapping[str, Scores]]
"""Runs arms, all at once, on the tasks from one place up to another, and gives each one's scores."""


@dataclass(frozen=True)
class Rules:
    """What a race is run by.

    Attributes:
        alpha: the chance of accepting a candidate that is not better than the incumbent, at most.
        margin: differences below it are not worth telling apart.
        beta: the chance that a candidate leaves although it is better than all others by `margin`, at most.
        block: tasks between two looks.
    """

    alpha: float = 0.05
    margin: float = 0.1
    beta: float = 0.2
    block: int = 8


@dataclass
class Arm:
    """A program in the race.

    Attributes:
        scores: on the tasks it met, in order.
        left: why it left; empty if it stayed to the end.
        evidence: that it is better than the incumbent: logarithm, adjusted for the number of candidates.
        accepted: whether the evidence sufficed at the end of some block.
    """

    name: str
    scores: list[float | None] = field(default_factory=list)
    left: str = ""
    evidence: float = 0.0
    accepted: bool = False

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
            verdict = "no difference shown" if self.winner == INCUMBENT else f"beaten by {self.winner}"
            return {**facts, "verdict": verdict, "rules": asdict(self.rules)}
        factor = round(math.exp(min(arm.evidence, _LARGEST)), 3)
        return {**facts, "accepted": arm.accepted, "evidence": factor, "needed": 1 / self.rules.alpha}


def race(candidates: Sequence[str], tasks: int, run: Run, rules: Rules) -> Outcome:
    """Race `candidates` and the incumbent over at most so many tasks."""
    state = _Race(candidates, rules)
    for start in range(0, tasks, rules.block):
        if not state.open:
            break
        stop = min(start + rules.block, tasks)
        state.judge(run([arm.name for arm in state.runners], start, stop))
    return state.outcome()


class _Race:
    def __init__(self, candidates: Sequence[str], rules: Rules) -> None:
        self._rules = rules
        self._incumbent = Arm(INCUMBENT)
        self._candidates = [Arm(name) for name in candidates]
        self._better = {name: Evidence() for name in candidates}
        # About "at least `margin` better than the rival", in terms of the rival's lead.
        self._no_use = {name: Evidence(-rules.margin) for name in candidates}

    @property
    def runners(self) -> list[Arm]:
        """Who runs the next block, the incumbent first."""
        return [arm for arm in (self._incumbent, *self._candidates) if not arm.left]

    @property
    def open(self) -> bool:
        """Whether there is something left to find out."""
        staying = [arm for arm in self._candidates if not arm.left]
        return len(staying) > 1 or any(not arm.accepted for arm in staying)

    def judge(self, block: Mapping[str, Scores]) -> None:
        """Take in a block's scores: accept, then let leave."""
        runners = self.runners
        rivals = {arm.name: self._rival(arm, runners) for arm in runners if arm is not self._incumbent}
        for arm in runners:
            arm.scores.extend(block[arm.name])
        for name, rival in rivals.items():
            if not self._incumbent.left:
                self._better[name].add(_differences(block[name], block[INCUMBENT]))
            if rival is not None:
                self._no_use[name].add(_differences(block[rival.name], block[name]))
        self._accept()
        self._let_leave(rivals)

    def outcome(self) -> Outcome:
        """The end of the race as it stands."""
        # Who stayed has met the most tasks and was not found wanting; among equals the earlier one.
        accepted = [arm for arm in self._candidates if arm.accepted]
        winner = max(accepted, key=lambda arm: (not arm.left, arm.mean), default=self._incumbent)
        arms = {arm.name: arm for arm in (self._incumbent, *self._candidates)}
        return Outcome(winner.name, arms, self._rules)

    def _rival(self, arm: Arm, runners: Sequence[Arm]) -> Arm | None:
        """Whom a candidate bets against in the next block; None if it had better not bet."""
        leader = max(runners, key=lambda other: other.mean)
        rival = self._incumbent if arm is leader else leader
        if rival.left or not rival.scores or arm.mean - rival.mean >= self._rules.margin:
            return None
        return rival

    def _accept(self) -> None:
        logs = adjusted([evidence.log for evidence in self._better.values()])
        for arm, evidence in zip(self._candidates, logs, strict=True):
            # The most that was reached counts: the guarantee is about every look.
            arm.evidence = max(arm.evidence, evidence)
            arm.accepted = arm.evidence >= needed(self._rules.alpha)

    def _let_leave(self, rivals: Mapping[str, Arm | None]) -> None:
        for arm in self._candidates:
            rival = rivals.get(arm.name)
            if rival is not None and self._no_use[arm.name].log >= needed(self._rules.beta):
                arm.left = f"not better than {rival.name} by {100 * self._rules.margin:g} points"
        staying = [arm for arm in self._candidates if not arm.left]
        if staying and all(arm.accepted for arm in staying) and not self._incumbent.left:
            self._incumbent.left = "all who stay are better"


def _differences(ours: Scores, theirs: Scores) -> list[float]:
    """Paired by task; tasks on which the infrastructure failed one of them are no pairs."""
    return [a - b for a, b in zip(ours, theirs, strict=True) if a is not None and b is not None]
