"""The rules of a race, its arms, and its outcome."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import count
from typing import Any, Protocol

from worksmith.evals.statistics.sequential import fewest_intents
from worksmith.tools.errors import InfrastructureError

INCUMBENT = "uncompiled"
"""The name of the program as it is."""

_OPEN = 0.3
"""The share of the intents on which candidates are searched among, where there is a sealed part."""

_PER_FINALIST = 8
"""The sealed intents for each finalist."""

_LARGEST = 40.0
"""The largest log-evidence that is written down."""

Scores = Sequence[float | None]
"""Scores on a block of tasks in order; None if the infrastructure failed."""


@dataclass(frozen=True)
class Rules:
    """The parameters of a race.

    Attributes:
        alpha: the most chance of accepting a candidate that is not better than the incumbent.
        margin: differences below it are not worth telling apart.
        beta: the most chance that a candidate leaves although it is better than all others by `margin`.
        lost: the share of its episodes that an arm may lose to the infrastructure, after all further tries.
        block: the fewest tasks between two looks; an intent is never divided.
        fill: the fewest episodes between two looks, so that many workers are busy. Fewer looks cost hardly
            any episodes.
        finalists: the most candidates that meet the sealed intents.
        patience: after this number of consecutive rounds without a new leader the search on the open intents
            ends.
        thorough: every candidate meets all tasks, unless it cannot keep a bound or loses too many episodes.
    """

    alpha: float = 0.05
    margin: float = 0.1
    beta: float = 0.2
    lost: float = 0.1
    block: int = 8
    fill: int = 48
    finalists: int = 2
    patience: int = 5
    thorough: bool = False

    def finalists_for(self, sealed: int) -> int:
        """The most candidates that meet `sealed` intents; a single one if they are few."""
        return max(1, min(self.finalists, sealed // _PER_FINALIST))

    def allow_loss(self, lost: int, episodes: int) -> bool:
        """Whether `lost` of `episodes` are within the allowed share."""
        return lost <= self.lost * episodes

    def loss(self, lost: int, episodes: int) -> str:
        """The message for a program that lost more."""
        return f"lost {lost} of {episodes} episodes to the infrastructure, more than {self.lost:.0%}"


def sealed_intents(intents: int, alpha: float) -> int:
    """How many of the dev intents are sealed where candidates are made from dev episodes.

    0 if a candidate that wins every sealed task could not be accepted.
    """
    sealed = intents - max(1, int(_OPEN * intents))
    return sealed if sealed >= fewest_intents(alpha, 1) else 0


def fewest_to_seal(alpha: float) -> int:
    """The fewest dev intents of which a part is sealed."""
    return next(intents for intents in count(1) if sealed_intents(intents, alpha))


class IncumbentLostError(InfrastructureError):
    """Too many episodes of the program as it is were lost for a comparison.

    Args:
        why: the error of one of them.
    """

    def __init__(self, loss: str, why: str = "") -> None:
        self.loss = loss
        super().__init__(
            f"the program as it is {loss}, so nothing can be compared with it "
            f"(--resume runs them again){f': {why}' if why else ''}"
        )


class Bounds(Protocol):
    """Constraints that arms must keep beside their scores."""

    def lost(self, name: str) -> str:
        """The constraint that an arm cannot keep any more with any scores; empty without one."""
        ...

    def kept(self, name: str) -> bool:
        """Whether it keeps all constraints on the tasks that it has met."""
        ...


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
        return math.fsum(filter(None, self.scores[:count])) / count if count else 0.0

    @property
    def lost(self) -> int:
        """How many of its episodes were lost to the infrastructure."""
        return self.scores.count(None)

    def loses(self, rules: Rules) -> bool:
        """Whether it has lost more of its episodes than it may."""
        return not rules.allow_loss(self.lost, len(self.scores))

    def pair(self, intents: int) -> None:
        """Count the intents that it and the incumbent have both met."""
        self.intents = max(self.intents, intents)

    def judge(self, evidence: float, needed: float) -> None:
        """Take in evidence. The most that was reached counts: the guarantee is about every look."""
        self.evidence = max(self.evidence, evidence)
        self.accepted = self.evidence >= needed

    def leave(self, reason: str, *, out: bool = False) -> None:
        """Leave the race."""
        self.left, self.out = reason, out

    def come_back(self) -> None:
        """Run again."""
        self.left = ""

    def above(self, other: Arm) -> bool:
        """Whether its mean is higher on the tasks that both have met."""
        both = min(len(self.scores), len(other.scores))
        return self.mean_of(both) > other.mean_of(both)


@dataclass(frozen=True)
class RaceOutcome:
    """The end of a race.

    Attributes:
        winner: the accepted candidate that did best, or the incumbent if no difference was shown.
        arms: the incumbent and the candidates by name, in the order given.
        intents: the number of tasks of each intent.
        sealed: how many of the last intents are sealed.
        finalists: the candidates that met them; None before the sealed part, or without one.
        without: scores of the winner without each of its parts, see `worksmith.optimizers.racing.worth`.
    """

    winner: str
    arms: Mapping[str, Arm]
    rules: Rules
    intents: Sequence[int] = ()
    sealed: int = 0
    finalists: Sequence[str] | None = None
    without: Mapping[str, Scores] = field(default_factory=dict)

    @property
    def episodes(self) -> int:
        return sum(len(arm.scores) for arm in self.arms.values())

    def check(self) -> None:
        """Check that the incumbent can be compared with."""
        incumbent = self.arms[INCUMBENT]
        if not incumbent.out and incumbent.loses(self.rules):
            raise IncumbentLostError(self.rules.loss(incumbent.lost, len(incumbent.scores)))

    @property
    def first_compared(self) -> int:
        """The number of the first task on which the winner is compared with others, once it has won.

        The first sealed one, whose scores chose no candidate.
        """
        return sum(self.intents[: len(self.intents) - self.sealed]) if self.sealed else 0

    @property
    def said(self) -> str:
        """Why the race ended as it did, in a sentence."""
        incumbent, winner = self.arms[INCUMBENT], self.arms[self.winner]
        if winner.accepted:
            return f"{winner.name} is better than the program as it is {self._evidence(winner)}"
        if winner is not incumbent:
            return f"{winner.name} keeps the constraints, and the program as it is does not"
        opened = len(self.intents) - self.sealed
        if len(self.arms) == 1:
            solved = incumbent.mean == 1
            return "the program as it is solves every open task" if solved else "there was no candidate"
        if self.sealed and self.finalists is None:
            return f"no candidate met the sealed intents, only the {opened} open ones"
        if self.sealed and not self.finalists:
            return f"no candidate did better than the program as it is on the {opened} open intents"
        tested = [arm for arm in self.arms.values() if arm.name in (self.finalists or self.arms)]
        best = max(tested, key=lambda arm: (arm is not incumbent, arm.evidence))
        who = "candidate that may win" if best.accepted else "candidate"
        return f"no {who} is shown to be better; {best.name} comes closest, {self._evidence(best)}"

    def _evidence(self, arm: Arm) -> str:
        found, what = self.report(arm.name), "sealed intents" if self.sealed else "intents"
        evidence = f"evidence {found['evidence']:.3g} of {found['needed']:g} needed"
        return f"on {found['intents']} {what} ({evidence})"

    def report(self, name: str) -> dict[str, Any]:
        """The race's findings on an arm beside its scores, JSON-able.

        `evidence`: the e-value against "the candidate is no better"; it is accepted when this reaches
        `needed`. `intents`: the number of intents that the e-value is from; the intent is its unit.
        """
        arm, rules = self.arms[name], self.rules
        left = rules.loss(arm.lost, len(arm.scores)) if arm.loses(rules) else arm.left
        facts = {"met": len(arm.scores), "left": left}
        if name == INCUMBENT:
            beaten = f"{arm.left}, {self.winner} can" if arm.out else f"beaten by {self.winner}"
            verdict = "no difference shown" if self.winner == INCUMBENT else beaten
            claim = (
                "accepted are programs that do better on new intents, each intent counted the same; "
                f"the chance that any of them does not is at most {rules.alpha:g}"
            )
            told = {"verdict": verdict, "claim": claim, "rules": asdict(rules), "said": self.said}
            return {**facts, **told, "sealed": self.sealed}
        return {
            **facts,
            "accepted": arm.accepted,
            "evidence": round(math.exp(min(arm.evidence, _LARGEST)), 3),
            "needed": 1 / rules.alpha,
            "intents": arm.intents,
        }
