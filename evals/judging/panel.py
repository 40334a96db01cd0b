"""Several judges that vote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from worksmith.evals.dspy_programs.own_models import with_models
from worksmith.evals.records.entries import Judgement
from worksmith.evals.running.asked_judges import Judge, ask_judge
from worksmith.tools.episode_result import Usage
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.tasks.task import Task


class Panel:
    """Several judges that vote: the median of their levels, the lower one of two.

    The vote counts if more than half of the judges gave a level.

    Args:
        judges: at least two.
    """

    def __init__(self, judges: Sequence[Judge]) -> None:
        self.judges = tuple(judges)
        self.name = f"median:{','.join(judge.name for judge in self.judges)}"
        self.digest = digest(["median", *(judge.digest for judge in self.judges)])

    def with_models(self, change: Callable[[Any], Any]) -> Panel:
        return Panel([with_models(judge, change) for judge in self.judges])

    def __call__(self, task: Task, record: EpisodeRecord) -> Judgement:
        """The verdict of the majority, with the feedback of each judge."""
        verdicts = [ask_judge(judge, task, record) for judge in self.judges]
        levels = sorted(verdict.level for verdict in verdicts if verdict.level is not None)
        enough = 2 * len(levels) > len(verdicts)
        failed = [verdict.status for verdict in verdicts if verdict.level is None]
        return Judgement(
            judge=self.name,
            rubric=next((verdict.rubric for verdict in verdicts if verdict.rubric), ""),
            status="ok" if enough else failed[0],
            level=levels[(len(levels) - 1) // 2] if enough else None,
            feedback="\n".join(f"{v.judge}: {v.level or v.status}. {v.feedback}" for v in verdicts),
            **asdict(sum((verdict.usage for verdict in verdicts), start=Usage())),
            seconds=sum(verdict.seconds for verdict in verdicts),
        )
