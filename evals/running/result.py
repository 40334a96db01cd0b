"""The result of an evaluation, and its progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evals.records.program_records import ProgramRecords
from evals.records.record import EpisodeRecord
from evals.records.summary import Summary, interval_json
from evals.task_kind import kind_of


@dataclass(frozen=True)
class Progress:
    """One more episode is done, or was tried again.

    Attributes:
        part: the place of the program among those that are evaluated together.
    """

    done: int
    total: int
    record: EpisodeRecord
    part: int = 0


@dataclass(frozen=True)
class EvalResult:
    """Every episode of an evaluation, in the order of tasks and trials, and their figures.

    Attributes:
        resumed: the number of episodes from the log that were not run again.
        seconds: wall time of running the episodes.
        unstarted: the number of missing episodes: a budget was spent before they could start.
    """

    records: tuple[EpisodeRecord, ...]
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
        """The episodes as tables of a kind take them."""
        return ProgramRecords(label or self.strategy, self.records, self.summary, self.seed, baseline)

    def figures_json(self) -> dict[str, Any]:
        """The figures as JSON-able data, with those of the kind."""
        figures = kind_of(self.records).report().figures(self.as_program())
        own = {
            title: {name: interval_json(each) for name, each in parts.items()}
            for title, parts in figures.items()
        }
        return {**self.summary.to_json(), **own}
