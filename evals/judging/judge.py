"""What a judge is: something that gives an episode a level by a rubric, and never raises for a bad reply.

A verdict that could not be had has a status that says why. It is never a level, so it is no part of any
mean; how many there were stands beside every mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

from evals.lm.failures import chain, failure_of
from evals.records.parts import Judgement, VerdictStatus
from evals.running.admission import AdmissionError
from evals.scoring.objective import asking
from tools.errors import InputError
from tools.files.secrets import described
from tools.seeding import digest
from tools.usage import Usage

if TYPE_CHECKING:
    from evals.records.record import EpisodeRecord
    from evals.tasks.task import Task

JUDGE = "judge"
"""The score of an episode that judges give: the mean of their verdicts, from 0 to 1."""


class Judge(Protocol):
    """Gives verdicts on episodes; called from many threads. Works from the record, so on logs as well."""

    @property
    def name(self) -> str:
        """What tables call it."""
        ...

    @property
    def digest(self) -> str:
        """Content address of all that its verdicts depend on, the rubric included."""
        ...

    def __call__(self, task: Task, record: EpisodeRecord) -> Judgement:
        """The verdict; a failure of the judge is one as well."""
        ...


def mean_score(judgements: Sequence[Judgement]) -> float | None:
    """The mean of the scores of those verdicts that there are; None without any."""
    scores = [verdict.score for verdict in judgements if verdict.status == "ok" and verdict.score is not None]
    return math.fsum(scores) / len(scores) if scores else None


def judged(record: EpisodeRecord, judgements: Sequence[Judgement]) -> EpisodeRecord:
    """The record with these verdicts; the last of each judge counts."""
    together = {v.judge: v for v in (*record.judgements, *judgements)}
    score = mean_score(tuple(together.values()))
    scores = {name: value for name, value in record.scores.items() if name != JUDGE}
    if score is not None:
        scores[JUDGE] = score
    return record.model_copy(update={"judgements": tuple(together.values()), "scores": scores})


def ask_judges(judges: Sequence[Judge], task: Task, record: EpisodeRecord) -> EpisodeRecord:
    """The record of a graded episode with the verdicts of `judges`; others stay as they are."""
    if not judges or not record.graded:
        return record
    return judged(record, [ask_judge(judge, task, record) for judge in judges])


def ask_judge(judge: Judge, task: Task, record: EpisodeRecord) -> Judgement:
    """One verdict; a judge that breaks has failed, not the agent.

    Raises:
        InputError: there is no rubric for the task, or the judge's model has no key.
        AdmissionError: the judge may not ask its model any more.
    """
    try:
        return judge(task, record)
    except Exception as error:
        return Judgement(judge=judge.name, rubric="", status=no_verdict(error), feedback=described(error))


def no_verdict(error: Exception) -> VerdictStatus:
    """Why a judge that raised `error` gave no verdict.

    Raises:
        InputError, AdmissionError: the error, or what it was raised from, is no failure of the judge.
    """
    for each in chain(error):
        if isinstance(each, InputError | AdmissionError):
            raise each
    status = failure_of(error).status
    return "unreadable" if status == "invalid_reply" else status


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

    def asking(self, change: Callable[[Any], Any]) -> Panel:
        """The same with changed models, see `evals.scoring.objective.asking`."""
        return Panel([asking(judge, change) for judge in self.judges])

    def __call__(self, task: Task, record: EpisodeRecord) -> Judgement:
        """The verdict of the majority, with what each of them said."""
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
