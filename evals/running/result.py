"""The result of an evaluation, and its progress."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from worksmith.evals.records.attacks import attacks_json
from worksmith.evals.records.program_records import ProgramRecords
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.records.summary import Summary, interval_json
from worksmith.evals.task_kind import kind_of

if TYPE_CHECKING:
    from worksmith.evals.progress.progress import Tick


@dataclass(frozen=True)
class EvaluationProgress:
    """The progress of an evaluation after an episode.

    Attributes:
        done, total: numbers of episodes, of all programs that are evaluated together.
        in_flight: episodes that have begun and not ended.
        program: the place of the episode's program among them.
        name: of its evaluation, such as a candidate's; empty where there is only one program.
        task: the id of its task.
        score: the mean outcome of the program's episodes that were graded since the start; None without any.
        tokens: that those episodes used.
        dollars: that were paid for them; None if a price is unknown.

    Example:
        >>> told = []
        >>> optimizer = ws.Bootstrap(candidates=1, lm="gold", on_progress=told.append)
        >>> better = optimizer.compile(ws.Agent("react", env), trainset=suite.train, valset=suite.dev)
        >>> told[-1].done == told[-1].total, told[-1].score
        (True, 1.0)
    """

    done: int
    total: int
    in_flight: int
    program: int
    task: str
    name: str = ""
    score: float | None = None
    tokens: int = 0
    dollars: float | None = None

    def tell(self, tick: Tick) -> None:
        tick(self.done, self.total, self.name, self.in_flight, str(self))

    def __str__(self) -> str:
        """Score and cost in a few words."""
        score = "" if self.score is None else f"outcome {100 * self.score:.1f} %"
        dollars = f"${self.dollars:.2g}" if self.dollars else ""
        return ", ".join(filter(None, (score, f"{self.tokens:,} tokens" if self.tokens else "", dollars)))


@dataclass(frozen=True)
class EvalResult:
    """The episodes of an evaluation and their figures.

    Attributes:
        records: every episode, in the order of tasks and trials.
        strategy: the name under which the records go.
        trials: the number of episodes of each task.
        resumed: the number of episodes from the log that were not run again.
        unstarted: the number of episodes that a spent budget kept from starting.
    """

    records: Sequence[EpisodeRecord]
    summary: Summary
    program: str
    model: str
    strategy: str
    seed: int
    trials: int
    resumed: int = 0
    seconds: float = 0.0
    unstarted: int = 0

    def as_program(self, label: str = "", *, baseline: bool = False) -> ProgramRecords:
        """The episodes and figures in the form that tables of a kind take."""
        return ProgramRecords(label or self.strategy, self.records, self.summary, self.seed, baseline)

    def figures_json(self) -> dict[str, Any]:
        """The figures as JSON-able data, with those of attacks and of the kind."""
        figures = kind_of(self.records).report().figures(self.as_program())
        own = {
            title: {name: interval_json(each) for name, each in parts.items()}
            for title, parts in figures.items()
        }
        attacks = attacks_json(self.records, self.seed)
        return {**self.summary.to_json(), **({"attacks": attacks} if attacks else {}), **own}


def failed_scorers(records: Iterable[EpisodeRecord]) -> str:
    """The answers at which a user's metric or scorer raised, in one sentence; empty without any."""
    answers = [record for record in records if record.graded]
    failed = [record for record in answers if record.scorer_failed]
    if not failed:
        return ""
    return f"{failed[0].error}, so {len(failed)} of {len(answers)} answers count as wrong"
