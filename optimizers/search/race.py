"""Few-shot by racing: demonstrations in several sizes and of several kinds, judged with few episodes.

How a race runs is in `worksmith.optimizers.racing.race`. The bank grows from round to round while that pays,
see `worksmith.optimizers.search.candidates`; in each block all arms run at once. Each block of a candidate
has an episode log of its own, named after the candidate and the block's number. An interrupted race goes on
with the first missing episode: finished ones lead to the same decisions again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from worksmith.evals.records.groups import dealt
from worksmith.evals.records.summary import summarize
from worksmith.evals.running.result import EvalResult
from worksmith.evals.scoring.constraints import broken, lost
from worksmith.optimizers.candidates.building import Built
from worksmith.optimizers.cost.limits import BudgetSpentError
from worksmith.optimizers.optimizer import CompileContext, Compiled, Milestone
from worksmith.optimizers.racing.race import race
from worksmith.optimizers.racing.rules import INCUMBENT, Outcome, Rules, Scores
from worksmith.optimizers.rollouts import Run
from worksmith.optimizers.search.candidates import rounds
from worksmith.optimizers.search.few_shot import BankOptimizer
from worksmith.optimizers.settings import Settings
from worksmith.optimizers.trial import Trial, episode_score, mean_tokens

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.tasks.task import Task


class Race(BankOptimizer):
    """Candidates and the program as it is meet on dev in blocks; the winner has to beat the latter.

    Example:
        >>> race = ws.Race(budget=ws.Budget(minutes=5))
        >>> better = race.compile(ws.Agent("react", env), trainset=suite.train, valset=suite.dev)
        >>> better.compilation.chosen != "uncompiled"
        True
    """

    name = "race"
    races = True

    def search(self, context: CompileContext) -> Compiled:
        """Compile.

        Raises:
            InputError: the runner refuses, or the teacher taught nothing.
            IncumbentLostError: the program as it is lost too many episodes to compare anything with it.
        """
        track = _Track(context)
        try:
            race(
                track.rounds(),
                track.intents,
                track.run,
                rules(context.settings),
                most=context.settings.candidates,
                on_block=track.note,
                bounds=track,
                cost=track.cost,
            )
        except BudgetSpentError:
            # An accepted arm holds at any time. Before the first block there is none.
            if track.standing is None:
                raise
            track.standing.check()
        assert track.standing is not None, "a bank without candidates"
        return track.compiled(track.standing)


def rules(settings: Settings) -> Rules:
    return Rules(alpha=settings.alpha, margin=settings.margin)


def dev_order(tasks: Sequence[Task], seed: int) -> list[list[Task]]:
    """The intents in the order in which all arms meet them, each with all its dev tasks."""
    by_id = {task.id: task for task in tasks}
    return [[by_id[name] for name in names] for names in dealt(((t.id, t.intent) for t in tasks), seed)]


class _Track:
    """Makes the candidates, runs the blocks and keeps their episodes.

    Attributes:
        intents: how many dev tasks each intent has, in the order in which they are dealt.
        standing: the race as it stands; None before the first block.
    """

    def __init__(self, context: CompileContext) -> None:
        self._context = context
        self._started = time.perf_counter()
        dealt = dev_order(context.dev, context.settings.seed)
        self.intents = [len(tasks) for tasks in dealt]
        self._tasks = [task for tasks in dealt for task in tasks]
        self._results: dict[str, list[EvalResult]] = {INCUMBENT: []}
        self._entries = {INCUMBENT: Built(context.program)}
        self._path: list[Milestone] = []
        self.standing: Outcome | None = None

    def rounds(self) -> Iterator[Sequence[str]]:
        """Names of candidates that enter together; see `worksmith.optimizers.search.candidates.rounds`."""
        for entering in rounds(self._context):
            self._entries |= entering
            self._results |= {name: [] for name in entering}
            yield list(entering)

    def run(self, wanted: Mapping[str, range]) -> dict[str, Scores]:
        logs = {name: f"race-{name}-{len(self._results[name]):03}" for name in wanted}
        results = self._context.student.together(
            {
                logs[name]: Run(self._entries[name].program, self._tasks[places.start : places.stop])
                for name, places in wanted.items()
            }
        )
        for name in wanted:
            self._results[name].append(results[logs[name]])
        return {name: [episode_score(record) for record in results[logs[name]].records] for name in wanted}

    def lost(self, name: str) -> str:
        met = self._met(name)
        return lost(self._context.settings.constraints, met, len(self._tasks) - len(met))

    def kept(self, name: str) -> bool:
        return not broken(self._context.settings.constraints, self._met(name))

    def cost(self, name: str) -> float:
        return mean_tokens(self._met(name))

    def _met(self, name: str) -> list[EpisodeRecord]:
        return [record for block in self._results[name] for record in block.records]

    def note(self, standing: Outcome) -> None:
        self.standing, name = standing, standing.winner
        if not self._path or self._path[-1].chosen != name:
            calls = self._context.teacher.cost.model_calls + self._context.student.cost.model_calls
            seconds = time.perf_counter() - self._started
            self._path.append(Milestone(name, self._entries[name].program, calls, seconds))

    def compiled(self, found: Outcome) -> Compiled:
        ran = [name for name, blocks in self._results.items() if blocks]
        trials = tuple(self._trial(name, found.report(name)) for name in ran)
        winner = self._entries[found.winner]
        path = tuple(self._path)
        return Compiled(
            winner.program,
            winner.demonstrations,
            trials,
            found.winner,
            self._context.reasons,
            path,
            candidate=winner.candidate,
        )

    def _trial(self, name: str, report: dict[str, Any]) -> Trial:
        blocks = self._results[name]
        records = tuple(self._met(name))
        result = replace(
            blocks[0],
            records=records,
            summary=summarize(records, seed=blocks[0].seed),
            resumed=sum(block.resumed for block in blocks),
            seconds=sum(block.seconds for block in blocks),
        )
        return Trial.of(name, result, self._entries[name].demonstrations, self._context.settings, report)
