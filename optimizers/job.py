"""What every optimizer is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from evals.record import PRIMARY, EpisodeRecord
from evals.runner import EvalResult
from evals.statistics import NOTHING, Interval
from evals.summary import interval_json
from optimizers.budget import Budget
from optimizers.demonstration import Demonstration
from optimizers.nearest import EMBEDDINGS
from optimizers.rollouts import Rollouts
from optimizers.selection import Display, Selector, selection_called
from optimizers.selection.showing import Shown, shown
from optimizers.selection.steps import UNITS, Unit, in_units
from optimizers.trace_bank import Gap, TraceBank, collect
from tools.errors import InputError

if TYPE_CHECKING:
    import dspy

    from evals.task import Task
    from optimizers.dspy_optimizers.proposer import Proposer


_CHOICE = ("selection", "demo_unit", "demo_tokens")
"""Settings of how demonstrations are chosen."""


@dataclass(frozen=True)
class Settings:
    """The knobs of an optimizer; each uses those that concern it.

    Attributes:
        demos: how many demonstrations a prompt gets.
        candidates: how many sets of demonstrations meet on the dev tasks.
        embedding: how texts are compared: `lexical`, or `minilm` fused with it.
        alpha: the chance that a race accepts a program that is not better, at most.
        margin: differences in score below it are not worth a race's episodes.
        selection: how demonstrations are chosen, see `optimizers.selection`; None is the optimizer's own way.
        demo_unit: what one demonstration shows.
        demo_tokens: as many as the demonstrations of a prompt may take, see `optimizers.selection.tokens`.
    """

    demos: int = 16
    candidates: int = 4
    seed: int = 0
    embedding: str = "lexical"
    alpha: float = 0.05
    margin: float = 0.1
    selection: str | None = None
    demo_unit: Unit = "trajectory"
    demo_tokens: int | None = None

    def __post_init__(self) -> None:
        """Refuse what makes no sense before anything is paid for."""
        if self.demos < 1 or self.candidates < 1:
            raise InputError("there must be at least one demonstration and one candidate")
        if self.embedding not in EMBEDDINGS:
            raise InputError(
                f"no embedding {self.embedding!r}",
                where="--embedding",
                hint=f"there are {', '.join(EMBEDDINGS)}",
            )
        if not 0 < self.alpha < 1:
            raise InputError("a chance lies between 0 and 1", where="--alpha")
        if not 0 <= self.margin < 1:
            raise InputError("a margin lies between 0 and 1", where="--margin")
        if self.selection is not None:
            selection_called(self.selection)
        if self.demo_unit not in UNITS:
            raise InputError(
                f"no unit {self.demo_unit!r}", where="--demo-unit", hint=f"there are {', '.join(UNITS)}"
            )
        if self.demo_tokens is not None and self.demo_tokens < 1:
            raise InputError("demonstrations take at least one token", where="--demo-tokens")

    def to_json(self) -> dict[str, Any]:
        """As JSON-able data. Without what came later and says nothing, so that digests stay as they were."""
        return {
            name: value for name, value in asdict(self).items() if name not in _CHOICE or self._told(name)
        }

    @property
    def chooses(self) -> bool:
        """Whether somebody said how demonstrations are to be chosen."""
        return any(map(self._told, _CHOICE))

    def _told(self, name: str) -> bool:
        return bool(getattr(self, name) != getattr(type(self), name))

    def pool(self, bank: TraceBank) -> Selector:
        """What is chosen from: the demonstrations of a bank, in the units asked for.

        Raises:
            InputError: steps are asked for, and the program makes all calls at once.
        """
        return Selector(in_units(bank.demonstrations, self.demo_unit))

    def shown(self, program: dspy.Module, display: Display) -> Shown:
        """A copy of `program` that shows `display` as these settings say.

        Raises:
            InputError: something is to be searched, and a predictor has no input that holds the task's text.
        """
        return shown(
            program,
            display,
            embedding=self.embedding,
            tokens=self.demo_tokens,
            by_state=self.demo_unit == "step",
        )


@dataclass(frozen=True)
class Trial:
    """One candidate on the dev tasks.

    Attributes:
        program: the candidate's content address.
        demonstrations: ids of the tasks they solve.
        errors: episodes lost to the infrastructure.
        result: every episode, where our own runner ran them.
        race: how many tasks it met in a race and why it left, see `optimizers.racing.Arm`.
    """

    name: str
    program: str
    demonstrations: tuple[str, ...]
    score: Interval
    errors: int
    result: EvalResult | None = None
    race: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """The trial as JSON-able data."""
        return {
            "name": self.name,
            "program": self.program,
            "demonstrations": list(self.demonstrations),
            "outcome": interval_json(self.score),
            "errors": self.errors,
            **({"race": dict(self.race)} if self.race else {}),
        }


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
    """

    program: dspy.Module
    demonstrations: tuple[Demonstration, ...] = ()
    trials: tuple[Trial, ...] = ()
    chosen: str | None = None
    gaps: dict[str, int] = field(default_factory=dict)
    path: tuple[Milestone, ...] = ()


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

        Nothing in it solves a task that is held back.
        """
        bank = collect(self.program, self.train, self.teacher) if self.given is None else self.given
        bank = bank.without(self.held_back, suite=self.suite)
        self.gaps = bank.gaps
        return bank

    def try_out(self, name: str, program: dspy.Module, demonstrations: Sequence[Demonstration]) -> Trial:
        """Evaluate a candidate on the dev tasks.

        Raises:
            BudgetSpentError: before that was done.
        """
        result = self.student(program, self.dev, name=f"dev-{name}")
        trial = Trial(
            name=name,
            program=result.program,
            demonstrations=tuple(demonstration.task_id for demonstration in demonstrations),
            score=outcome(result),
            errors=result.summary.errors,
            result=result,
        )
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


def outcome(result: EvalResult) -> Interval:
    """The score that candidates are chosen by; of no graded episode at all, nothing."""
    return result.summary.scores.get(PRIMARY, NOTHING)
