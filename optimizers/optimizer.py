"""The contract of optimizers: a `CompileContext` in, a `Compiled` out.

Most optimizers only propose candidates. They extend `worksmith.optimizers.search.race_optimizer.Race`,
which tests them:

    class FirstSuccesses(Race):
        def candidates(self, context: CompileContext) -> Iterator[dict[str, Built]]:
            first = context.bank().demonstrations[: context.settings.demos]
            yield {"first": Built(*show(context.program, Display(first), context.settings))}

A compile makes the optimizer by name (`worksmith.optimizers.registry`), asks for `max_episodes` before it
pays for anything, and calls `search` once. An optimizer that searches in its own way implements these two
methods. Budget, journal and log are behind the context: it needs no code for them.
docs/how-to/add-an-optimizer.md has examples.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from worksmith.evals.lm.prices import Prices
from worksmith.optimizers.candidates.candidate import AS_IT_IS, Candidate
from worksmith.optimizers.cost.budget import Budget
from worksmith.optimizers.cost.limits import Limits
from worksmith.optimizers.demos.collection import collect
from worksmith.optimizers.demos.demonstration import Demonstration
from worksmith.optimizers.demos.trace_bank import (
    HELD_BACK,
    Gap,
    TraceBank,
    apart_from,
    count_reasons,
    nothing_taught,
)
from worksmith.optimizers.rollouts import Rollouts
from worksmith.optimizers.settings import Settings
from worksmith.optimizers.trial import Contender, Trial
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.tasks.task import Task
    from worksmith.optimizers.proposer import Proposer


@dataclass(frozen=True)
class Milestone:
    """A point of a compile from which on `program` would have been its result.

    Attributes:
        chosen: the name of the program's trial.
        model_calls: of teacher and student so far.
        seconds: since the compile began; they differ from run to run.
    """

    chosen: str
    program: dspy.Module
    model_calls: int
    seconds: float


@dataclass(frozen=True)
class Compiled:
    """The result of an optimizer.

    Attributes:
        program: ready to run.
        demonstrations: those it can show, for provenance.
        trials: the candidates' dev scores in the order tried.
        chosen: name of the trial that `program` comes from; None if nothing was tried.
        gaps: reasons why training tasks gave no demonstration, with counts.
        path: the best programs on the way, from optimizers that always have a best so far.
        lm: the name of the model whose weights were trained for the program; empty without any.
        candidate: the changes in the program as it is, if the optimizer reports them.
        limits: of the budget, if they decided the tried candidates.
        acceptance: the remark on a program that was not tested; the results of a race are in its trials.
    """

    program: dspy.Module
    demonstrations: tuple[Demonstration, ...] = ()
    trials: tuple[Trial, ...] = ()
    chosen: str | None = None
    gaps: dict[str, int] = field(default_factory=dict)
    path: tuple[Milestone, ...] = ()
    acceptance: Mapping[str, Any] = field(default_factory=dict)
    lm: str = ""
    candidate: Candidate = AS_IT_IS
    limits: Limits = field(default_factory=Limits)


@dataclass
class CompileContext:
    """One compile: a program, the tasks it learns from and is chosen on, and the means to run it.

    Attributes:
        held_back: tasks whose own solutions must never become demonstrations, in any split says:
            the dev and test tasks.
        teacher: runs programs with the teacher's model.
        student: runs programs with the model that the program is compiled for.
        undo: takes the parts off that the program was compiled with before; None if it was not.
        proposer: the language model that proposes instructions; None if no instructions are proposed.
        teaching_program: runs the training tasks in the program's place, to make demonstrations.
        prebuilt_bank: takes the teacher's place.
        suite: digest of the tasks' suite.
        budget: of everything that is run; None for no limit.
        limits, prices: those of the budget; where a compile is derived again, those that it had.
        say: takes a sentence about what is tried, and why.
        metered: a model that takes the place of the student's, by the leave of budget and journal.
        perform: runs a program on a task for an optimizer that runs episodes itself; its last argument is
            whether the teacher does. None just runs it.
        gaps: the tasks that gave the bank no demonstration.
        contenders: the programs measured so far by `try_out`.
        measured_elsewhere: gives further contenders, from optimizers that measure programs themselves.
        fallback: the result if the budget ends before any program is measured.
    """

    program: dspy.Module
    train: Sequence[Task]
    dev: Sequence[Task]
    held_back: Sequence[Task]
    teacher: Rollouts
    student: Rollouts
    settings: Settings
    undo: Candidate | None = None
    proposer: Proposer | None = None
    teaching_program: dspy.Module | None = None
    prebuilt_bank: TraceBank | None = None
    suite: str = ""
    budget: Budget | None = None
    limits: Limits = field(default_factory=Limits)
    prices: Prices = field(default_factory=Prices)
    say: Callable[[str], None] = lambda _: None
    metered: Callable[[dspy.LM], dspy.LM] = lambda lm: lm
    perform: Callable[[dspy.Module, Task, bool], dspy.Prediction] | None = None
    gaps: tuple[Gap, ...] = field(default=(), init=False)
    contenders: list[Contender] = field(default_factory=list, init=False)
    measured_elsewhere: Callable[[], list[Contender]] = field(default=list, init=False)
    fallback: Compiled | None = field(default=None, init=False)

    def bank(self) -> TraceBank:
        """The prebuilt bank, or else the teacher's successful trajectories over the training tasks.

        Returns:
            The usable part of it, which is not empty.

        Raises:
            NothingTaughtError: it is empty.
            InfrastructureError: it is empty, since every episode of the teacher was lost.
            BudgetSpentError: it is empty, since the budget ended the teacher's work.
        """
        if self.prebuilt_bank is not None:
            return self.drawn_from(self.usable(self.prebuilt_bank))
        return self.drawn_from(self.taught(self.train, self.teacher))

    def taught(self, tasks: Sequence[Task], teacher: Rollouts) -> TraceBank:
        """The usable demonstrations of the teacher's episodes on `tasks`; may be empty.

        A task that repeats one held back is not run: it could not be shown.
        """
        fresh = apart_from(tasks, self.held_back)
        known = {task.id for task in fresh}
        program = self.teaching_program or self.program
        bank = collect(program, fresh, teacher, threshold=self.settings.threshold) if fresh else TraceBank(())
        gaps = (Gap(task_id=t.id, reason=HELD_BACK, intent=t.intent) for t in tasks if t.id not in known)
        return self.usable(replace(bank, gaps=(*bank.gaps, *gaps)))

    def usable(self, bank: TraceBank) -> TraceBank:
        """The bank without solutions of tasks held back and without trajectories that break a constraint."""
        return bank.usable(self.held_back, self.settings.constraints, suite=self.suite)

    def drawn_from(self, bank: TraceBank, *, complete: bool = True) -> TraceBank:
        """Note a bank as the one in use; raises as `bank` does if it is `complete` and empty."""
        self.gaps = bank.gaps
        if complete and not len(bank):
            if self.budget is not None:
                self.budget.check()
            raise nothing_taught(self.teacher.model, self.reasons, prebuilt=self.prebuilt_bank is not None)
        return bank

    @property
    def reasons(self) -> dict[str, int]:
        return count_reasons(self.gaps)

    def try_out(self, name: str, program: dspy.Module, demonstrations: Sequence[Demonstration]) -> Trial:
        """Evaluate a candidate on the dev tasks.

        Args:
            name: of the trial and, with a prefix, of its episode log.

        Raises:
            BudgetSpentError: the budget was spent before all episodes were run.
        """
        result = self.student(program, self.dev, name=f"dev-{name}")
        trial = Trial.of(name, result, demonstrations, self.settings)
        self.contenders.append(Contender(program, tuple(demonstrations), trial))
        return trial

    def best(self, further: Sequence[Contender] = ()) -> Compiled:
        """The best of the programs measured so far, and of `further` ones; among equals the first."""
        measured = [*self.contenders, *further]
        best = max(measured, key=lambda one: one.trial.rank)
        trials = tuple(one.trial for one in measured)
        return Compiled(best.program, best.demonstrations, trials, best.trial.name, self.reasons)

    def fall_back_to(self, compiled: Compiled) -> None:
        """Note a program that was made without measuring, for a budget that ends before it is measured."""
        self.fallback = compiled

    def taken(self, name: str, made: Compiled) -> Compiled:
        """A program that was made without measuring, with its dev score; should the budget end, without."""
        self.fall_back_to(made)
        return replace(made, trials=(self.try_out(name, made.program, made.demonstrations),), chosen=name)

    def also_measured(self, contenders: Callable[[], list[Contender]]) -> None:
        """Note where to find programs that an optimizer measures itself."""
        self.measured_elsewhere = contenders


class Optimizer(ABC):
    """A way to compile. `worksmith.optimizers.teleprompter.Teleprompter` makes one an optimizer of DSPy's.

    Attributes:
        name: its name in the registry, in journals and in manifests.
        takes_bank: whether it draws from a trace bank; others run a teacher themselves, or do not need one.
        labels: whether plain examples teach by their labels where no teacher is named.
        selects: whether the user can choose how it selects demonstrations.
        races: whether it tests its candidates, in a race.
        best_on_dev: whether it takes the best of several programs by dev scores that it measures itself.
        proposes: whether a language model proposes instructions for it.
        may_propose: whether one does so where the user names it.
        trains: whether it trains the weights of the model.
        logged: whether all of its episodes are in logs, so that a stopped compile can be verified.
        differs: the differences from the defaults of DSPy's optimizer of that name; empty without any.
    """

    name: ClassVar[str] = ""
    takes_bank: ClassVar[bool] = False
    labels: ClassVar[bool] = False
    selects: ClassVar[bool] = False
    races: ClassVar[bool] = False
    best_on_dev: ClassVar[bool] = False
    proposes: ClassVar[bool] = False
    may_propose: ClassVar[bool] = False
    trains: ClassVar[bool] = False
    logged: ClassVar[bool] = True
    differs: ClassVar[str] = ""

    settings: Settings

    @property
    def foretold(self) -> bool:
        """Whether a rehearsal shows its work: no model proposes anything or learns."""
        return not (self.proposes or self.trains)

    @property
    def adaptive(self) -> bool:
        """Whether scores on dev decide which candidates are measured there next."""
        return False

    def settled(self, settings: Settings) -> Settings:
        """The settings with those that the optimizer itself determines."""
        return settings

    def check(self, context: CompileContext) -> None:
        """Check that the settings suit the optimizer and the program.

        Raises:
            InputError: one does not.
        """
        if self.settings.bounds_changes:
            raise InputError(
                f"{self.name} settles itself what it changes",
                where="--over, --pinned, --forbidden",
                hint="use race",
            )

    @abstractmethod
    def search(self, context: CompileContext) -> Compiled:
        """Search for a better program.

        Returns:
            The best program found.

        Raises:
            InputError: the tasks, the settings or the program do not suit the optimizer.
            NothingTaughtError: no training task gave a demonstration.
            BudgetSpentError: the budget was spent before the end; `context` holds the programs so far.
        """

    @abstractmethod
    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        """The most episodes it will run, by role: `teacher`, `train`, `dev`."""

    def max_proposals(self, context: CompileContext) -> int:
        """How often it asks the proposer at most, unreadable replies not counted."""
        return 0
