"""Judges: they give an episode a level by a rubric, and never raise for a bad reply.

A failed verdict has a status with the reason and no level, so it is part of no mean. Every mean stands beside
the number of failed verdicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from worksmith.evals.lm.failures import chain, failure_of
from worksmith.evals.lm.payer import AdmissionError
from worksmith.evals.lm.users_code import placed
from worksmith.evals.records.entries import Judgement, VerdictStatus
from worksmith.evals.records.verdicts import judged
from worksmith.tools.errors import InputError
from worksmith.tools.statuses import PROGRAM_ERROR

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.tasks.task import Task


class Judge(Protocol):
    """Gives verdicts on episodes; called from many threads. Works from the record, so on logs as well."""

    @property
    def name(self) -> str: ...

    @property
    def digest(self) -> str:
        """Content address of everything its verdicts depend on, the rubric included."""
        ...

    def __call__(self, task: Task, record: EpisodeRecord) -> Judgement:
        """The verdict; its status shows a failure of the judge."""
        ...


def ask_judges(judges: Sequence[Judge], task: Task, record: EpisodeRecord) -> EpisodeRecord:
    """The record of a graded episode with the verdicts of `judges`; others stay as they are."""
    if not judges or not record.graded:
        return record
    return judged(record, [ask_judge(judge, task, record) for judge in judges])


def ask_judge(judge: Judge, task: Task, record: EpisodeRecord) -> Judgement:
    """One verdict; a judge that breaks has failed, not the agent.

    Raises:
        InputError: no rubric fits the task, or the judge's model has no key.
        AdmissionError: the judge may not ask its model any more.
    """
    from worksmith.evals.lm.replies.episodes import (
        asking_for,  # imports DSPy, for which wrong settings do not wait
    )

    try:
        with asking_for(judge.name) as owed:
            return judge(task, record).with_paid(owed)
    except Exception as error:
        return Judgement(judge=judge.name, rubric="", status=no_verdict(error), feedback=placed(error))


def judge_raised(record: EpisodeRecord) -> str:
    """The exception of a user's judge on an episode; empty without one."""
    said = (
        f"the judge {each.judge} raised {each.feedback}"
        for each in record.judgements
        if each.status == PROGRAM_ERROR
    )
    return next(said, "")


def no_verdict(error: Exception) -> VerdictStatus:
    """Why a judge that raised `error` gave no verdict.

    Raises:
        InputError, AdmissionError: the error, or its cause, is not a failure of the judge.
    """
    for each in chain(error):
        if isinstance(each, InputError | AdmissionError):
            raise each
    status = failure_of(error).status
    return "unreadable" if status == "invalid_reply" else status
