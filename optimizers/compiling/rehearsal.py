"""Rehearsing a compile: the optimizer runs as it will, but most of its dev episodes are made up.

Of each program that is measured on dev only a few episodes are run; the others get their outcomes and costs.
The teacher's episodes are all run, for prompts will hold their trajectories. So costs are measured on the
very programs that the compile will measure, and a race ends as it may end.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from worksmith.evals.dspy_programs.digests import program_digest, state_digest
from worksmith.evals.lm.prices import Prices
from worksmith.evals.lm.replies.keeping_engine import RememberingEngine
from worksmith.evals.lm.replies.store import ReplyStore
from worksmith.evals.records.summary import summarize
from worksmith.evals.running.result import EvalResult
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.task_kind import run_program
from worksmith.evals.tasks.transcript import GOLD_PREFIX
from worksmith.optimizers.cost.sampling import Ledger, Sample
from worksmith.optimizers.cost.spending import Spent
from worksmith.optimizers.rollouts import ProgramTasks, Rollouts
from worksmith.tools.episode_result import Tokens
from worksmith.tools.seeding import rng

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.tasks.task import Task
    from worksmith.optimizers.optimizer import CompileContext
    from worksmith.tools.environment import Environment


@dataclass
class Rehearsed(Rollouts):
    """Runs a few episodes of each program and makes up the rest.

    Attributes:
        sample: how many are run.
    """

    ledger: Ledger = field(kw_only=True)
    sample: int = 10
    _pools: dict[str, EvalResult] = field(default_factory=dict)
    _samples: defaultdict[str, Sample] = field(default_factory=lambda: defaultdict(Sample))

    def together(
        self,
        runs: Mapping[str, ProgramTasks],
        *,
        partly: bool = False,
        known: Callable[[EpisodeRecord], bool] | None = None,
    ) -> dict[str, EvalResult]:
        found = {name: self._rehearse(run.program, run.tasks) for name, run in runs.items()}
        together = Sample()
        for result in found.values():
            sample = self._samples[result.program]
            share = len(result.records) / len(sample.seconds)
            seconds = [record.seconds for record in result.records]
            together.add(share * sample.wall, share * sample.busy, seconds)
            for record in result.records:
                self.cost.add(record)
                self.ledger.add(result.program, record)
        self.ledger.expect(together.makespan(len(together.seconds), self.workers))
        return found

    def _rehearse(self, program: Callable[..., Any], tasks: Sequence[Task]) -> EvalResult:
        known = self._pools.get(program_digest(program))
        short = self.sample - (len(known.records) if known else 0)
        # Other programs are tried on other tasks, so that more of them are seen.
        drawn = _spread(tasks, short, len(self._pools)) if short > 0 else []
        if drawn:
            known = self._pools[program_digest(program)] = self._run(program, drawn, known)
        assert known is not None
        fresh = {task.id for task in drawn}
        run = {record.task_id: record for record in known.records if record.task_id in fresh}
        order = rng(self.seed, "rehearsal", state_digest(program)).sample(known.records, len(known.records))
        records = tuple(
            run[task.id]
            if task in drawn
            else order[place % len(order)].model_copy(update={"task_id": task.id})
            for place, task in enumerate(tasks)
        )
        return replace(known, records=records, summary=summarize(records))

    def _run(
        self, program: Callable[..., Any], tasks: Sequence[Task], known: EvalResult | None
    ) -> EvalResult:
        started, busy = time.perf_counter(), time.process_time()
        found = evaluate(
            program,
            tasks,
            EvalSettings(
                env=self.env,
                lm=self.lm,
                workers=min(self.workers, len(tasks)),
                seed=self.seed,
                scorers=self.scorers,
            ),
        )
        wall, busy = time.perf_counter() - started, time.process_time() - busy
        self._samples[found.program].add(wall, busy, (record.seconds for record in found.records))
        self.ledger.ran(len(tasks), wall)
        return replace(found, records=(*(known.records if known else ()), *found.records))


class Performer:
    """As `Rehearsed`, for the optimizers of DSPy's, which run programs themselves. Thread-safe."""

    def __init__(
        self, ledger: Ledger, env: Environment, dev: Sequence[Task], sample: int, workers: int
    ) -> None:
        self._env = env
        self._ledger, self._dev, self._sample, self._workers = ledger, dev, sample, workers
        # Guards everything below.
        self._lock = threading.Lock()
        self._begun: dict[str, tuple[float, float]] = {}
        self._drawn: dict[str, set[str]] = {}
        self._counts: Counter[str] = Counter()
        self._samples: defaultdict[str, Sample] = defaultdict(Sample)
        self._other: dspy.Prediction | None = None

    def __call__(self, program: dspy.Module, task: Task, taught: bool) -> dspy.Prediction:
        """The program's prediction for the task, or for another task where this one was not drawn."""
        if taught:
            return run_program(program, task, self._env)
        name = program_digest(program)
        with self._lock:
            self._counts[name] += 1
            self._begun.setdefault(name, (time.perf_counter(), time.process_time()))
            if name not in self._drawn:
                drawn = _spread(self._dev, self._sample, len(self._drawn))
                self._drawn[name] = {one.id for one in drawn}
            other = None if task.id in self._drawn[name] else self._other
        if other is not None:
            return other
        prediction = run_program(program, task, self._env)
        with self._lock:
            wall, busy = self._begun[name]
            wall, busy = time.perf_counter() - wall, time.process_time() - busy
            self._samples[name].extend(wall, busy, prediction.episode.seconds)
            self._ledger.ran(1)
            self._ledger.add(name, prediction.episode)
            self._other = prediction
        return prediction

    def settle(self) -> None:
        """Count the made-up episodes, and the time of all evaluations; each program is one."""
        for name, sample in self._samples.items():
            known = self._ledger.programs[name]
            missing = self._counts[name] - len(known)
            known.extend([known[place % len(known)] for place in range(missing)])
            self._ledger.ran(0, sample.wall)
            self._ledger.expect(sample.makespan(self._counts[name], self._workers))


class BilledModels(NamedTuple):
    """The names of models, for their prices. Stand-ins may answer for them."""

    student: str
    teacher: str


@dataclass(frozen=True)
class Rehearsal:
    """The result of a rehearsal.

    Attributes:
        student: the ledger of the dev episodes.
        teacher: the ledger of the teacher's episodes, all of which were run.
        seconds: the time that the compile will take.
    """

    student: Ledger
    teacher: Ledger
    seconds: float


def rehearse(
    context: CompileContext,
    optimizer: Callable[[CompileContext], Any],
    *,
    billed: BilledModels,
    sample: int,
    prices: Prices,
) -> Rehearsal:
    """Run `optimizer` on `context` in a rehearsal.

    Args:
        billed: the models that the compile will pay for.
        sample: how many episodes of each program are run on dev.
    """
    measured, taught = Ledger(billed.student, prices), Ledger(billed.teacher, prices)
    student, teacher = context.student, context.teacher
    with tempfile.TemporaryDirectory() as folder:
        store = ReplyStore(Path(folder) / "replies.jsonl")
        rehearsed = Rehearsed(
            student.env,
            _kept(student.lm, store),
            Path(folder) / "student",
            workers=student.workers,
            scorers=student.scorers,
            ledger=measured,
            sample=sample,
        )
        teaching = replace(
            teacher, lm=_kept(teacher.lm, store), folder=Path(folder) / "teacher", cost=type(teacher.cost)()
        )
        perform = Performer(measured, student.env, context.dev, sample, student.workers)
        started = time.perf_counter()
        optimizer(replace(context, student=rehearsed, teacher=teaching, perform=perform, budget=None))
        perform.settle()
        took = time.perf_counter() - started
        store.close()
    cost = teaching.cost
    taught.ran(cost.episodes)
    calls = 0 if billed.teacher.startswith(GOLD_PREFIX) else cost.model_calls
    tokens = Tokens(cost.prompt_tokens, cost.completion_tokens)
    taught.programs["teacher"].append(Spent.on(calls, tokens, model=billed.teacher, prices=prices))
    return Rehearsal(measured, taught, took - measured.sampling + measured.seconds)


def _kept(lm: dspy.LM, store: ReplyStore) -> dspy.LM:
    """The model asked as a compile asks it: that takes as long, and DSPy's cache will know the replies."""
    return RememberingEngine(lm, store).installed()


def _spread(tasks: Sequence[Task], count: int, shift: int) -> list[Task]:
    count = min(count, len(tasks))
    return [tasks[(place * len(tasks) // count + shift) % len(tasks)] for place in range(count)]
