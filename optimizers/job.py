"""What every optimizer is given, and what it gives back."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from evals.records.record import PRIMARY, STRICT, EpisodeRecord
from evals.records.summary import interval_json
from evals.running.runner import EvalResult
from evals.scoring.constraints import broken
from evals.statistics import NOTHING, Interval
from optimizers.compiling.teaching import nothing_taught
from optimizers.cost.budget import Budget
from optimizers.demos.demonstration import Demonstration
from optimizers.demos.trace_bank import Gap, TraceBank, collect
from optimizers.rollouts import Rollouts
from optimizers.settings import Settings

if TYPE_CHECKING:
    import dspy

    from evals.tasks.task import Task
    from optimizers.dspy_optimizers.proposer import Proposer


@dataclass(frozen=True)
class Trial:
    """One candidate on the dev tasks.

    Attributes:
        program: the candidate's content address.
        demonstrations: ids of the tasks they solve.
        score: over the graded episodes.
        strict: over all of them, lost ones counted as 0; what trials are compared by.
        errors: episodes lost to the infrastructure.
        broken: the constraints that it does not keep, each with what was measured.
        result: every episode, where our own runner ran them.
        race: how many tasks it met in a race and why it left, see `optimizers.search.racing.Arm`.
    """

    name: str
    program: str
    demonstrations: tuple[str, ...]
    score: Interval
    strict: Interval
    errors: int
    broken: tuple[str, ...] = ()
    result: EvalResult | None = None
    race: Mapping[str, Any] | None = None

    @classmethod
    def of(
        cls,
        name: str,
        result: EvalResult,
        demonstrations: Sequence[Demonstration],
        settings: Settings,
        race: Mapping[str, Any] | None = None,
    ) -> Trial:
        """The trial that an evaluation is."""
        return cls(
            name=name,
            program=result.program,
            demonstrations=tuple(demonstration.task_id for demonstration in demonstrations),
            score=result.summary.scores.get(PRIMARY, NOTHING),
            strict=result.summary.scores.get(STRICT, NOTHING),
            errors=result.summary.errors,
            broken=broken(settings.constraints, result.records),
            result=result,
            race=race,
        )

    @property
    def rank(self) -> float:
        """By what trials are compared: the strict score, less without a graded episode, least if broken."""
        if self.broken:
            return -2.0
        return -1.0 if math.isnan(self.score.value) else self.strict.value

    @property
    def cost(self) -> float | None:
        """Tokens an episode, where that is known."""
        return self.result.summary.means.get("used_tokens") if self.result else None

    def to_json(self) -> dict[str, Any]:
        """The trial as JSON-able data; costs are means over episodes."""
        summary = self.result.summary if self.result else None
        told = {
            "scores": {name: found.value for name, found in summary.scores.items()} if summary else {},
            "costs": {name: summary.means[name] for name in _COSTS} if summary and summary.means else {},
            "broken": list(self.broken),
            "race": dict(self.race) if self.race else {},
        }
        return {
            "name": self.name,
            "program": self.program,
            "demonstrations": list(self.demonstrations),
            "outcome": interval_json(self.score),
            "errors": self.errors,
            **{name: value for name, value in told.items() if value},
        }


_COSTS = ("steps", "model_calls", "prompt_tokens", "completion_tokens", "used_tokens")
"""What episodes cost that does not depend on a clock."""


@dataclass(frozen=True)
class Milestone:
    """From here on a compile that was stopped would have given `program`.

    Attributes:
        chosen: the name of the program's trial.
        model_calls: of teacher and student so far.
        seconds: since the compile began; the only thing about it that differs from run to run.
    """

    chosen: str
    program: dspy.Module
    model_calls: int
    seconds: float


@dataclass(frozen=True)
class Compiled:
    """What a compile found.

    Attributes:
        program: ready to run.
        demonstrations: those it can show, for provenance.
        trials: the candidates' dev scores in the order tried.
        chosen: name of the trial that `program` comes from; None if nothing was tried.
        gaps: reasons why training tasks gave no demonstration, with counts.
        path: what was found on the way, by optimizers that always have a best so far.
        acceptance: whether it was shown to be better than the program as it is, see
        `optimizers.search.acceptance`.
    """

    program: dspy.Module
    demonstrations: tuple[Demonstration, ...] = ()
    trials: tuple[Trial, ...] = ()
    chosen: str | None = None
    gaps: dict[str, int] = field(default_factory=dict)
    path: tuple[Milestone, ...] = ()
    acceptance: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Contender:
    """A program that was measured on all dev tasks, so that it may win."""

    program: dspy.Module
    demonstrations: tuple[Demonstration, ...]
    trial: Trial


@dataclass
class Job:
    """One compile: a program, the tasks it learns from and is chosen on, and who runs it.

    Attributes:
        held_back: tasks whose own solutions must never become demonstrations, whatever their split says:
            the dev and test tasks.
        teacher: runs programs with the teacher's model.
        student: runs programs with the model that the program is compiled for.
        proposer: the language model that proposes instructions; None if nobody does.
        given: a bank that was built before, which takes the teacher's place.
        suite: digest of the suite that the tasks are of.
        gaps: the tasks that gave the bank no demonstration, once `bank` was called.
        budget: of everything that is run; None is no limit.
        contenders: the programs that were measured so far.
        standings: gives further ones, where an optimizer measures programs by itself.
        offer: the program that an optimizer which does not choose by measuring has made.
        perform: runs a program on a task for an optimizer that runs them itself, and is told whether the
            teacher does; None just runs it.
    """

    program: dspy.Module
    train: Sequence[Task]
    dev: Sequence[Task]
    held_back: Sequence[Task]
    teacher: Rollouts
    student: Rollouts
    settings: Settings
    proposer: Proposer | None = None
    given: TraceBank | None = None
    suite: str = ""
    gaps: tuple[Gap, ...] = ()
    budget: Budget | None = None
    contenders: list[Contender] = field(default_factory=list)
    standings: Callable[[], list[Contender]] = list
    offer: Compiled | None = None
    perform: Callable[[dspy.Module, Task, bool], dspy.Prediction] | None = None

    def bank(self) -> TraceBank:
        """The bank that was given, or else the teacher's successful trajectories over the training tasks.

        See `usable`.

        Raises:
            NothingTaughtError: it is empty.
            InfrastructureError: it is, since every episode of the teacher was lost.
            BudgetSpentError: it is, since the budget ended the teacher's work.
        """
        return self.taught(
            self.usable(collect(self.program, self.train, self.teacher) if self.given is None else self.given)
        )

    def taught(self, bank: TraceBank) -> TraceBank:
        """A bank that is to be drawn from; raises as `bank` does if it is empty."""
        self.gaps = bank.gaps
        if not len(bank):
            if self.budget is not None:
                self.budget.check()
            raise nothing_taught(self.teacher.model, self.reasons, given=self.given is not None)
        return bank

    @property
    def reasons(self) -> dict[str, int]:
        """Why training tasks gave no demonstration, with counts."""
        return dict(Counter(gap.reason for gap in self.gaps).most_common())

    def usable(self, bank: TraceBank) -> TraceBank:
        """What of a bank may be shown: nothing that solves a task held back or breaks a constraint."""
        return bank.without(self.held_back, suite=self.suite).keeping(self.settings.constraints)

    def try_out(self, name: str, program: dspy.Module, demonstrations: Sequence[Demonstration]) -> Trial:
        """Evaluate a candidate on the dev tasks.

        Raises:
            BudgetSpentError: before that was done.
        """
        result = self.student(program, self.dev, name=f"dev-{name}")
        trial = Trial.of(name, result, demonstrations, self.settings)
        self.contenders.append(Contender(program, tuple(demonstrations), trial))
        return trial


class Optimizer(Protocol):
    """A way to compile."""

    def __call__(self, job: Job) -> Compiled:
        """The best program it finds for `job`."""
        ...

    def plan(self, job: Job) -> dict[str, int]:
        """How many episodes it will run at most, by what for."""
        ...


def worth(record: EpisodeRecord) -> float | None:
    """What one episode counts when candidates are compared; None where the infrastructure failed."""
    return record.scores.get(PRIMARY) if record.graded else None
