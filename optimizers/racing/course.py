"""The course of a race; its rules are explained in `worksmith.optimizers.racing.race`."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

from worksmith.evals.statistics.sequential import Evidence, adjusted, needed
from worksmith.optimizers.racing.rules import INCUMBENT, Arm, Bounds, RaceOutcome, Rules, Scores


class Course:
    """A race between its blocks: who runs which tasks next, who is accepted, and who leaves."""

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
        # The number of the intent after the last that arms may meet.
        self._last = len(intents) - sealed
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

    def unseal(self, finalists: int, intents: int) -> None:
        """Let `finalists` leaders meet `intents` of the sealed intents, and all others leave."""
        able = [
            arm
            for arm in self._able
            if len(arm.scores) == self._until and (not self._unbeaten or arm.above(self._incumbent))
        ]
        leaders = sorted(able, key=self._standing, reverse=True)[:finalists]
        for arm in self._staying:
            if arm not in leaders:
                arm.leave("not among the best on the open intents")
        self._finalists = [arm.name for arm in leaders]
        self._last = len(self._ends) - self._sealed + intents
        need = needed(self._rules.alpha / max(1, len(leaders)))
        self._better = {name: Evidence(intents, need) for name in self._finalists}

    @property
    def _searching(self) -> bool:
        return self._sealed > 0 and self._finalists is None

    @property
    def _until(self) -> int:
        """The number of the first task that is closed to all arms."""
        return self._ends[self._last - 1] if self._last else 0

    def wanted(self) -> dict[str, range]:
        """The places at which arms run next: newcomers catch up, or all run a block."""
        runners = self.runners
        met = max((len(arm.scores) for arm in runners), default=0)
        if met and (behind := [arm for arm in runners if len(arm.scores) < met]):
            end = self._block_end(len(behind[0].scores), met, behind) if self._searching else met
            return {arm.name: range(len(arm.scores), end) for arm in behind}
        if (self._candidates and not self._open) or met >= self._until:
            return {}
        end = self._block_end(met, self._until, runners)
        return {arm.name: range(met, end) for arm in runners}

    def _block_end(self, start: int, most: int, running: Sequence[Arm]) -> int:
        """The end of the block that starts there. Blocks of a search double, and half of a round leaves."""
        least = start if self._searching else self._rules.fill // len(running)
        return self._ends[bisect_left(self._ends, min(start + max(self._rules.block, least), most))]

    @property
    def _unbeaten(self) -> bool:
        """Whether candidates must beat the incumbent."""
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
            best = max(self.runners, key=lambda arm: (len(arm.scores), *self._standing(arm)), default=None)
            leads = not self._latest or (best is not None and best.name in self._latest)
            self._idle = 0 if leads else self._idle + 1
            beatable = self._incumbent.mean_of(self._until) < 1 or not self._unbeaten
            return beatable and self._idle < self._rules.patience
        return self.winner is self._incumbent or self.winner.name in self._latest

    @property
    def runners(self) -> list[Arm]:
        """The arms that run the next block, the incumbent first."""
        return [arm for arm in (self._incumbent, *self._candidates) if not arm.left]

    @property
    def _open(self) -> bool:
        staying = self._staying
        settled = not self._rules.thorough and all(arm.accepted and self._kept(arm) for arm in staying)
        return len(staying) > 1 or (len(staying) == 1 and not settled)

    def _kept(self, arm: Arm) -> bool:
        return self._bounds is None or self._bounds.kept(arm.name)

    def judge(self, found: Mapping[str, Scores]) -> None:
        """Add the scores of a block, accept candidates, and remove losing arms."""
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

    def outcome(self) -> RaceOutcome:
        arms = {arm.name: arm for arm in (self._incumbent, *self._candidates)}
        return RaceOutcome(self.winner.name, arms, self._rules, self._sizes, self._sealed, self._finalists)

    def _rival(self, arm: Arm, runners: Sequence[Arm]) -> Arm | None:
        """The arm that a candidate bets against in the next block; None without a bet."""
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
        if self._rules.thorough:
            return
        for arm in self._candidates:
            rival = rivals.get(arm.name)
            if rival is not None and not arm.left and self._no_use[arm.name].log >= needed(self._rules.beta):
                arm.leave(f"not better than {rival.name} by {100 * self._rules.margin:g} points")
        staying = self._staying
        if staying and all(arm.accepted for arm in staying) and not self._incumbent.left:
            self._incumbent.leave("all who stay are better")
