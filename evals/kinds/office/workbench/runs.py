"""The original's recorded runs as runs of ours: the calls are made again, to have observations to read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from evals.failure_modes.diagnosis import diagnose
from evals.kinds.office.workbench.results import RecordedRun, read_results
from evals.records.record import PRIMARY, Digests, EpisodeRecord, WorkUnit, change_entries, record_episode
from evals.records.run_card import LoadedRun, RunCard, versions
from evals.running.score_files import ScoredRow, domain_of, score_files
from evals.scoring.outcomes import GroundTruth, OutcomeScorer
from evals.scoring.predictions import ended_by
from evals.suite import Suite
from evals.task_kind import task_kind
from tools.episode_result import EpisodeResult

TOOLS = {"all": "all tools", "domains": "required tools"}
"""The tools that a run was supplied with, by what its file's name says."""

_FLAGS = ("wrong_email", "end_date_minor_error", "meeting_start_time_error")


def recorded_runs(
    suite: Suite, paths: Iterable[Path], *, ground_truth: GroundTruth = "published"
) -> list[LoadedRun]:
    """The runs in result files, in the order of their names.

    Verdicts are those of `evals.running.score_files.score_files`. A row whose run died counts as a wrong
    answer, as it does there; what it died of is its error.

    Raises:
        InputError: a file cannot be read, or is about other tasks.
    """
    rows: dict[str, list[ScoredRow]] = defaultdict(list)
    for row in score_files(suite, paths, ground_truth=ground_truth).rows:
        rows[row.run].append(row)
    replay = _Replay(suite, ground_truth)
    return [replay.run(name, rows[name], place) for place, name in enumerate(sorted(rows))]


class _Replay:
    """Makes the calls of recorded runs again."""

    def __init__(self, suite: Suite, ground_truth: GroundTruth) -> None:
        self._suite = suite
        self._ground_truth = ground_truth
        self._outcomes = OutcomeScorer(suite.env, ground_truth)
        self._transcripts = cache(read_results)

    def run(self, name: str, rows: Sequence[ScoredRow], place: int) -> LoadedRun:
        model, _, supplied = name.rpartition(" ")
        tools = TOOLS.get(supplied, supplied)
        card = RunCard(
            label=f"{model}, {tools}",
            command="report",
            suite=str(self._suite.path),
            suite_digest=self._suite.digest,
            kind=self._suite.manifest.kind,
            split="all",
            lm=model,
            strategy="react",
            place=place,
            settings={"toolset": tools, "ground_truth": self._ground_truth},
            versions=versions(),
        )
        files = ", ".join(sorted({row.prediction.file for row in rows}))
        return LoadedRun(card, tuple(self._record(row, name) for row in rows), files)

    def _record(self, row: ScoredRow, run: str) -> EpisodeRecord:
        task, died = row.task, row.status == "error"
        digests = Digests(
            program=run, task=task.digest, world=self._suite.env.digest, model=row.prediction.file
        )
        unit = WorkUnit(task_id=task.id, strategy="react", seed=0, trial=0, digests=digests)
        episode = self._episode(row)
        flags = {name: float(row.flags[name]) for name in _FLAGS}
        scores = {
            PRIMARY: float(row.correct),
            "unwanted_side_effects": float(row.flags["unwanted_side_effects"]),
            "exact_match": float(row.flags["exact_match"]),
            "no_action": float(row.flags["no_actions"]),
            **flags,
        }
        known = {"domains": (domain_of(task),), "expected_actions": row.actions_expected}
        labels = task_kind("office").labels(task)
        record = record_episode(unit, task, episode, scores=scores, labels=labels).model_copy(update=known)
        if row.correct:
            return record
        expected = change_entries(self._outcomes.nearest(task, episode.outcome))
        fault = diagnose(task, record, None if died else episode, writing=self._outcomes.writing_tools)
        return record.model_copy(update={"expected_changes": expected, "fault": fault})

    def _episode(self, row: ScoredRow) -> EpisodeResult:
        transcript: RecordedRun = self._transcripts(Path(row.prediction.file))[row.prediction.row - 1]
        task = row.task
        episode = self._suite.env.episode(persona=task.persona, now=task.now)
        for step in transcript.steps:
            episode.call(step.tool, step.arguments)
        return EpisodeResult(
            status=ended_by(row.prediction.error) if row.status == "error" else "finished",
            error=row.prediction.error or None,
            outcome=episode.outcome(),
            calls=episode.calls,
            thoughts=[step.thought for step in transcript.steps],
            answer=transcript.final,
        )
