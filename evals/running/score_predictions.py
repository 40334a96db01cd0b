"""Scoring predictions: their calls are made in an episode, and scored as if an agent had made them now."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.evals.records.predictions import PlacedPrediction, Prediction, read_predictions
from worksmith.evals.running.rollout_job import RolloutJob
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.task_kind import task_kind
from worksmith.tools.episode_result import CallRecord, EpisodeResult, ShownRecord, Usage
from worksmith.tools.errors import InputError
from worksmith.tools.policy import Decision, Opinion, parted
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    import apsw

    from worksmith.evals.records.entries import CallEntry
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.running.asked_judges import Judge
    from worksmith.evals.scoring.scorer import Scorer
    from worksmith.evals.suite import Suite
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.environment import Environment
    from worksmith.tools.episode import Episode

PUBLISHED = ".json"
"""The ending of a file with runs of a published system."""

_VERDICTS = {"Allowed": True, "Denied": False, "unreadable": None}


@dataclass(frozen=True)
class ScoredPredictions:
    """The predictions of a file, scored.

    Attributes:
        records: in the order of tasks and trials.
        unmatched: the number of predictions for tasks that the suite does not have.
        program: digest of the predictions.
    """

    file: Path
    name: str
    records: tuple[EpisodeRecord, ...]
    unmatched: int
    program: str


def score_predictions(
    suite: Suite, file: Path, *, scorers: Sequence[Scorer], judges: Sequence[Judge] = ()
) -> ScoredPredictions:
    """Score the predictions in a file.

    Args:
        file: JSON lines, see `worksmith.evals.records.predictions.Prediction`; an episode log; or runs of a
            published system in a `.json` file.
        judges: asked about each graded prediction.

    Raises:
        InputError: the file is unreadable or damaged, has two predictions for one attempt, or none of its
            tasks is in the suite.
    """
    tasks = {task.id: task for task in suite.tasks}
    read = list(_read(suite, file))
    matched = [each for each in read if each.prediction.task_id in tasks]
    if not matched:
        raise InputError("none of its tasks is in the suite", where=str(file), hint=str(suite.path))
    _check_single(matched)
    recorded = _Recorded(file.stem, [each.prediction for each in matched])
    trials = 1 + max(each.prediction.trial for each in matched)
    settings = EvalSettings(env=suite.env, scorers=scorers, judges=judges, trials=trials)
    job = RolloutJob(recorded, settings)
    records = []
    for each in matched:
        task, trial = tasks[each.prediction.task_id], each.prediction.trial
        records.append(job.record(job.unit(task, trial), task, replayed(suite.env, task, each)))
    records.sort(key=lambda record: (record.task_id, record.trial))
    unmatched = len(read) - len(matched)
    return ScoredPredictions(file, file.stem, tuple(records), unmatched, job.program_digest)


def _read(suite: Suite, file: Path) -> Iterable[PlacedPrediction]:
    if file.suffix != PUBLISHED:
        return read_predictions(file)
    kind = task_kind(suite.env.kind.name)
    if kind.published_runs is None:
        raise InputError(
            f"suites of kind {kind.name} have no published runs in JSON",
            where=str(file),
            hint="write predictions as JSON lines (.jsonl)",
        )
    return kind.published_runs(suite.tasks, file)


def replayed(env: Environment, task: Task, placed: PlacedPrediction) -> EpisodeResult:
    """The episode of a prediction: its calls are made again, by the task's persona at the task's time.

    Raises:
        InputError: a shown record is of no table of the world.
    """
    predicted, record = placed.prediction, placed.record
    episode = env.episode(persona=task.persona, now=task.now, user=task.user)
    offered = episode.toolset
    for call in predicted.actions:
        name = call.name if call.name in offered else call.name.replace("__", ".", 1)
        if call.status == "refused":
            episode.refuse(name, call.arguments, "")
            continue
        episode.ask = _answering(call.observation) if call.status in (None, "ok") else None
        episode.offer({} if call.status == "unknown_tool" else offered)
        episode.call(name, call.arguments)
    result = EpisodeResult(
        predicted.ended,
        episode.outcome(),
        list(episode.calls),
        answer=predicted.answer,
        answer_status=predicted.status if "status" in env.kind.finish.arguments else "",
        usage=Usage(uncounted=True),
        error=predicted.error or None,
        shown=_shown(env, episode, predicted.shown, placed.where),
    )
    return result if record is None else _with_record(result, record)


def _answering(observation: str) -> Callable[[str], str] | None:
    """Answers for the agent's own model, if a tool asked it; None if its reply is unknown."""
    return (lambda _: observation) if observation else None


def _with_record(result: EpisodeResult, record: EpisodeRecord) -> EpisodeResult:
    """The result with the facts that a log has besides calls and answer."""
    opinions = [_opinion(entry, call) for entry, call in zip(record.calls, result.calls, strict=True)]
    return replace(
        result,
        thoughts=[entry.thought for entry in record.calls],
        opinions=opinions if any(opinions) else [],
        plan=record.plan,
        model_calls=record.model_calls,
        usage=record.usage,
        seconds=record.seconds,
        traceback=record.traceback,
    )


def _opinion(entry: CallEntry, call: CallRecord) -> Opinion | None:
    """The opinion of the agent's checker; the policy's decision is that of the call, if it was made now."""
    if not entry.opinion:
        return None
    truth = call.decision
    if entry.status == "refused" and entry.rule:
        truth = Decision(entry.allowed, entry.rule)
    return Opinion(_VERDICTS.get(entry.opinion), entry.opinion_reason, truth)


def _shown(env: Environment, episode: Episode, references: Sequence[str], where: str) -> list[ShownRecord]:
    """The records that were shown, as they are after the calls.

    Raises:
        InputError: a reference names no table.
    """
    keys = {table.name: table.columns[0] for table in env.kind.tables}
    known = [_parted(reference, keys, where) for reference in references]
    closed = env.unreadable(episode.persona, frozenset(references)) if references else frozenset()

    def body(connection: apsw.Connection) -> list[dict[str, Any]]:
        context = episode.context(connection)
        found = (
            context.rows(f'SELECT * FROM "{table}" WHERE "{keys[table]}" = ?', [key]) for table, key in known
        )
        return [next(iter(rows), {}) for rows in found]

    rows = episode.copy().edit(body) if known else []
    return [
        ShownRecord(reference, json.dumps(row, ensure_ascii=False), reference not in closed)
        for reference, row in zip(references, rows, strict=True)
    ]


def _parted(reference: str, tables: Collection[str], where: str) -> tuple[str, str]:
    table, key, _ = parted(reference)
    if table not in tables or not key:
        raise InputError(
            f"shown: {reference[:80]!r} is not a record",
            where=where,
            hint=f"write TABLE/KEY; there are {', '.join(sorted(tables))}",
        )
    return table, key


def _check_single(predictions: Sequence[PlacedPrediction]) -> None:
    """Check that no attempt is there twice, or raise `InputError`."""
    seen: dict[tuple[str, int], str] = {}
    for where, prediction, _ in predictions:
        attempt = (prediction.task_id, prediction.trial)
        if attempt in seen:
            raise InputError(
                f"there are two predictions for trial {prediction.trial} of task {prediction.task_id}",
                where=where,
                hint=f"the first is at {seen[attempt]}; number further attempts with trial",
            )
        seen[attempt] = where


class _Recorded:
    """Stands for the agent that made predictions."""

    def __init__(self, name: str, predictions: Sequence[Prediction]) -> None:
        self.strategy = name
        self.digest = digest([each.model_dump(mode="json") for each in predictions])

    def __call__(self, task: Task) -> EpisodeResult:
        raise AssertionError(f"the agent of task {task.id} ran elsewhere")
