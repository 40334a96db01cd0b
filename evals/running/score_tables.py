"""Scoring the result tables of a published benchmark against a suite."""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from worksmith.evals.failure_modes.published import prediction_fault
from worksmith.evals.records.groups import grouped
from worksmith.evals.records.summary import interval_json
from worksmith.evals.scoring.outcomes import GroundTruth, OutcomeScorer
from worksmith.evals.scoring.result_tables import TableRow, files_in, read_table
from worksmith.evals.statistics import wilson
from worksmith.evals.suite import Suite
from worksmith.evals.task_kind import baselines_of, task_kind
from worksmith.evals.tasks.task import Task
from worksmith.tools.errors import InputError

_RUN = re.compile(r"(.+)_(all|domains)_\d{4}-\d\d-\d\d_[\d-]+")
"""Names of the original's result files: model, tools supplied, time."""


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """One prediction with its verdict.

    Attributes:
        run: model and tools supplied, by the file's name.
        status: `error` if the run died; such a row is never correct.
        actions_expected: the number of calls of the right answer.
        fault: a kind of `worksmith.evals.failure_modes`; empty if nothing is wrong.
    """

    prediction: TableRow
    task: Task
    run: str
    status: str
    correct: bool
    flags: Mapping[str, bool]
    actions_expected: int
    fault: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "file": self.prediction.file,
            "row": self.prediction.row,
            "run": self.run,
            "domain": domain_of(self.task),
            "task_id": self.task.id,
            "query": self.task.query,
            "status": self.status,
            "error": self.prediction.error,
            "actions_expected": self.actions_expected,
            "correct": self.correct,
            "fault": self.fault or None,
            **self.flags,
        }


@dataclass(frozen=True)
class ScoreReport:
    rows: Sequence[ScoredRow]
    summary: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        return {"rows": [row.to_json() for row in self.rows], "summary": dict(self.summary)}


def score_tables(
    suite: Suite, paths: Iterable[Path], *, ground_truth: GroundTruth = "published"
) -> ScoreReport:
    """Score every row of result tables (files, or directories searched for them).

    Raises:
        InputError: if a file cannot be read or none of its tasks is in the suite.
    """
    scorer = OutcomeScorer(suite.env, ground_truth)
    tasks = _TaskIndex(suite.tasks)
    started = time.perf_counter()
    rows: list[ScoredRow] = []
    unmatched: dict[str, int] = {}
    for file in files_in(paths):
        read = read_table(file)
        found = [score_row(scorer, task, row) for row in read if (task := tasks.find(row)) is not None]
        if not found:
            raise InputError("none of its tasks is in the suite", where=str(file), hint=str(suite.path))
        if len(found) < len(read):
            unmatched[str(file)] = len(read) - len(found)
        rows.extend(found)
    seconds = time.perf_counter() - started
    rates = tuple(rows[0].flags)
    summary = {
        "ground_truth": ground_truth,
        **_summary(rows, rates),
        "by_run": _grouped(rows, rates, lambda row: row.run),
        "by_file": _grouped(rows, rates, lambda row: row.prediction.file),
        "by_domain": _grouped(rows, rates, lambda row: domain_of(row.task)),
        "by_actions": {
            name: _summary([row for row in rows if lowest <= row.actions_expected <= highest], rates)
            for name, lowest, highest in (("0", 0, 0), ("1+", 1, math.inf), ("2+", 2, math.inf))
        },
        "faults": dict(Counter(row.fault for row in rows if row.fault).most_common()),
        "unmatched": unmatched,
        "baselines": score_baselines(suite, scorer, {row.task.id: row.task for row in rows}.values()),
        "seconds": seconds,
        "rows_per_second": len(rows) / seconds,
    }
    return ScoreReport(rows, summary)


def score_row(scorer: OutcomeScorer, task: Task, prediction: TableRow) -> ScoredRow:
    execution = scorer.execute(prediction.actions, task)
    verdict = scorer.judge(
        task, execution.outcome, failed=bool(prediction.error), malformed=execution.malformed
    )
    mistakes = task_kind(scorer.env.kind.name).mistakes()
    made = mistakes.find(prediction.actions, scorer.expectation(task).texts, verdict.correct)
    flags = {
        "unwanted_side_effects": verdict.unwanted_side_effects,
        "exact_match": scorer.exact_match(task, prediction.actions),
        "no_actions": not prediction.actions,
        **made,
    }
    fault = ""
    if not verdict.correct:
        mistake = next((kind for name, kind in mistakes.faults.items() if made.get(name)), "")
        actions, writing = prediction.actions, scorer.writing_tools
        fault = prediction_fault(task, actions, mistake, prediction.error, writing).kind
    return ScoredRow(
        prediction=prediction,
        task=task,
        run=_run(prediction.file),
        status="error" if prediction.error else "ok",
        correct=verdict.correct,
        flags=flags,
        actions_expected=scorer.expectation(task).actions,
        fault=fault,
    )


def score_baselines(suite: Suite, scorer: OutcomeScorer, tasks: Iterable[Task]) -> dict[str, Any]:
    tasks = list(tasks)
    results = {}
    for name, baseline in baselines_of(suite.env).items():
        attempt = baseline.make(())
        verdicts = []
        for task in tasks:
            episode = suite.env.episode(persona=task.persona, now=task.now, user=task.user, rehearsal=True)
            attempt(task, episode)
            verdicts.append(scorer.judge(task, episode.outcome()))
        results[name] = {
            "n": len(tasks),
            "accuracy": _share(verdict.correct for verdict in verdicts),
            "unwanted_side_effects": _share(verdict.unwanted_side_effects for verdict in verdicts),
        }
    return results


def _summary(rows: Sequence[ScoredRow], rates: Iterable[str]) -> dict[str, Any]:
    """Accuracy and the other `rates` over `rows`, each with Wilson's 95 % interval."""
    return {
        "n": len(rows),
        "accuracy": _share(row.correct for row in rows),
        **{name: _share(row.flags[name] for row in rows) for name in rates},
        "errors": _share(row.status == "error" for row in rows),
    }


def domain_of(task: Task) -> str:
    """The domain of a task in reports: the original's file, its only toolkit, or `multi_domain`."""
    domain = task.origin.get("domain")
    if isinstance(domain, str):
        return domain
    return task.domains[0] if len(task.domains) == 1 else "multi_domain"


class _TaskIndex:
    def __init__(self, tasks: Iterable[Task]) -> None:
        self._by_query = grouped((task.query, task) for task in tasks)

    def find(self, prediction: TableRow) -> Task | None:
        """The task of a prediction; of several with the same text, the one of the file's domain."""
        found = self._by_query.get(prediction.query, [])
        same_domain = [task for task in found if domain_of(task) == prediction.folder]
        return next(iter(same_domain or found), None)


def _grouped(
    rows: Sequence[ScoredRow], rates: Sequence[str], key: Callable[[ScoredRow], str]
) -> dict[str, Any]:
    groups = grouped((key(row), row) for row in rows)
    return {name: _summary(groups[name], rates) for name in sorted(groups)}


@cache
def _run(file: str) -> str:
    found = _RUN.fullmatch(Path(file).stem)
    return f"{found[1]} {found[2]}" if found else Path(file).stem


def _share(flags: Iterable[bool]) -> dict[str, Any]:
    flags = list(flags)
    return interval_json(wilson(sum(flags), len(flags)))
