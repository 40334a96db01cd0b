"""Judging episodes of a finished run, with the verdicts in a file beside its log.

Each line has the episode, the judge's digest and the verdict, and is written at once: a judging that was
stopped goes on where it was. Failed verdicts are asked for again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from worksmith.evals.records.entries import Judgement
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.records.verdicts import VerdictLine
from worksmith.evals.running.asked_judges import Judge, ask_judge
from worksmith.evals.running.workers import Workers
from worksmith.evals.tasks.task import Task
from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import append
from worksmith.tools.files.json_files import cut_torn_line
from worksmith.tools.files.locking import Lock


@dataclass(frozen=True)
class PendingVerdict:
    judge: Judge
    task: Task
    record: EpisodeRecord


def pending_verdicts(
    records: Iterable[EpisodeRecord],
    tasks: Mapping[str, Task],
    judges: Sequence[Judge],
    known: Iterable[VerdictLine],
) -> list[PendingVerdict]:
    """The verdicts to be asked for: of every judge on every graded episode, without a level yet.

    Raises:
        InputError: an episode is of no task among `tasks`.
    """
    done = {(verdict.key, verdict.judge) for verdict in known if verdict.judgement.status == "ok"}
    pending = []
    for record in records:
        task = tasks.get(record.task_id)
        if task is None:
            raise InputError(
                f"the suite has no task {record.task_id!r}", where="--suite", hint="name the run's own suite"
            )
        if record.graded:
            pending += [
                PendingVerdict(judge, task, record)
                for judge in judges
                if (record.key, judge.digest) not in done
            ]
    return pending


def judge_pending(
    pending: Sequence[PendingVerdict],
    file: Path,
    *,
    workers: int = 8,
    on_progress: Callable[[int, int], None] | None = None,
) -> list[Judgement]:
    """Ask for verdicts and append each to `file` as it comes.

    Raises:
        InputError: the file cannot be written.
        InUseError: another process writes to it.
    """
    with Lock(file.with_name(file.name + ".lock"), file):
        if file.is_file():
            cut_torn_line(file)
        try:
            handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        except OSError as error:
            raise InputError("cannot write the verdicts", where=str(file), hint=str(error)) from error
        given: dict[int, Judgement] = {}

        def keep(asked: tuple[int, PendingVerdict], judgement: Judgement) -> None:
            place, each = asked
            append(handle, _line(each, judgement), file)
            given[place] = judgement
            if on_progress:
                on_progress(len(given), len(pending))

        def ask(asked: tuple[int, PendingVerdict]) -> Judgement:
            return ask_judge(asked[1].judge, asked[1].task, asked[1].record)

        pool: Workers[tuple[int, PendingVerdict], Judgement] = Workers(ask, workers=workers, on_result=keep)
        try:
            pool.run(enumerate(pending), len(pending))
        finally:
            os.close(handle)
    return [given[place] for place in range(len(pending))]


def _line(pending: PendingVerdict, judgement: Judgement) -> bytes:
    verdict = {
        "key": pending.record.key,
        "judge": pending.judge.digest,
        "judgement": judgement.model_dump(mode="json", exclude_defaults=True),
    }
    return json.dumps(verdict, ensure_ascii=False).encode() + b"\n"
