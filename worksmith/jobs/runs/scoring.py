"""Score recorded predictions as if their agents had run now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from worksmith.evals.characters import harmless
from worksmith.evals.dspy_programs.digests import scorers_digest
from worksmith.evals.records.logs.log import EpisodeLog
from worksmith.evals.records.run_card import (
    CARD,
    JUDGEMENTS,
    RATINGS,
    LoadedRun,
    RunCard,
    versions,
    write_card,
)
from worksmith.evals.records.summary import interval_json
from worksmith.evals.reporting.episode_row import episode_row
from worksmith.evals.reporting.report import console_grids, evaluation_report
from worksmith.evals.reporting.study import result_of, study_of
from worksmith.evals.reporting.suite_facts import policy_note
from worksmith.evals.running.baseline_program import BaselineProgram, baselines_for
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.score_predictions import PUBLISHED, score_predictions
from worksmith.evals.running.score_tables import score_tables
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.scoring.result_tables import files_in
from worksmith.evals.suite import Suite
from worksmith.evals.task_kind import scorers_for
from worksmith.jobs.opening.named_judges import check_judged, open_judges
from worksmith.jobs.runs.table_scores import TableScores
from worksmith.jobs.showing.printing import Printable
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.evals.running.score_predictions import ScoredPredictions
    from worksmith.evals.scoring.scorer import Scorer
    from worksmith.jobs.settings.runs import ScoreSettings

_TABLE, _LINES = ".csv", ".jsonl"


@dataclass(frozen=True)
class PredictionScores(Printable):
    """The scores of predictions.

    Attributes:
        settings: the settings, as JSON-able data.
        runs: one for each file, then one for each baseline.
        scored: the files.
        missing: the number of tasks that a file has no prediction for, by label: of the splits that it has
            predictions for.
    """

    settings: dict[str, Any]
    runs: Sequence[LoadedRun]
    scored: Sequence[ScoredPredictions]
    missing: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        results = {run.card.label: result_of(run) for run in self.runs}
        runs = [
            {
                "run": run.card.label,
                "file": str(each.file),
                "summary": results[run.card.label].figures_json(),
                "unmatched": each.unmatched,
                "missing": self.missing[run.card.label],
            }
            for each, run in zip(self.scored, self.runs, strict=False)
        ]
        baselines = {
            run.card.label: {
                name: interval_json(score) for name, score in results[run.card.label].summary.scores.items()
            }
            for run in self.runs
            if run.card.baseline
        }
        rows = [
            {**episode_row(run.card.label, record), "scores": record.scores}
            for run in self.runs
            for record in run.records
            if not run.card.baseline
        ]
        return {**self.settings, "runs": runs, "baselines": baselines, "rows": rows}

    def print(self, console: Console) -> None:
        for grid in console_grids(study_of(self.runs), title="Predictions"):
            console.print(grid.rich())
        if len(self.scored) == 1:
            evaluation_report(result_of(self.runs[0]), title=self.runs[0].card.label).show(console)
        for each, run in zip(self.scored, self.runs, strict=False):
            if each.unmatched:
                console.out(f"{run.card.label}: {each.unmatched} predictions are for no task of the suite")
            if missing := self.missing[run.card.label]:
                console.out(f"{run.card.label}: {missing} tasks of its splits have no prediction")


def score(settings: ScoreSettings) -> TableScores | PredictionScores:
    """Make the calls of recorded runs, and score changes and answers.

    Raises:
        InputError: a setting is wrong, or a file.
    """
    named = [*settings.predictions, *settings.more]
    if not named:
        raise InputError("nothing to score", where="--predictions", hint="give at least one file")
    sidecars = (CARD, JUDGEMENTS, RATINGS)
    files = [
        file for file in files_in(named, (_TABLE, _LINES, PUBLISHED)) if not file.name.endswith(sidecars)
    ]
    tables = [file for file in files if file.suffix == _TABLE]
    suite = Suite.open(settings.suite)
    if not tables:
        return _score_predictions(suite, files, settings)
    if len(tables) < len(files):
        raise InputError(
            "result tables and JSON lines are scored apart", where=str(tables[0]), hint="name one kind"
        )
    if suite.env.kind.judges_answers:
        raise InputError(
            "result tables hold no answers, and in this kind of world answers are judged",
            where=str(tables[0]),
            hint="write JSON lines, which have them",
        )
    return TableScores(score_tables(suite, tables, ground_truth=settings.ground_truth))


def _score_predictions(suite: Suite, files: Sequence[Path], settings: ScoreSettings) -> PredictionScores:
    scorers = scorers_for(suite.env, settings.ground_truth)
    judges = open_judges(settings.judge, settings.rubric, suite.env.kind.tables)
    check_judged(suite.tasks, judges)
    scored = [score_predictions(suite, file, scorers=scorers, judges=judges) for file in files]
    labels = [harmless(each.name) for each in scored]
    names = Counter(labels)
    digest = scorers_digest([*scorers, *judges])
    runs = [
        _run(suite, each, name if names[name] == 1 else harmless(str(each.file)), place, digest, settings)
        for place, (each, name) in enumerate(zip(scored, labels, strict=True))
    ]
    if settings.logs is not None:
        for run in runs:
            _write(run, settings.logs / f"{run.card.place + 1:02}-{Path(run.card.label).stem}.jsonl")
    missing = {run.card.label: _missing(suite, run) for run in runs}
    described = {**settings.described(), "suite": suite.path.name}
    return PredictionScores(described, [*runs, *_baselines(suite, runs, scorers)], scored, missing)


def _run(
    suite: Suite, scored: ScoredPredictions, label: str, place: int, scorers: str, settings: ScoreSettings
) -> LoadedRun:
    splits = {record.split for record in scored.records}
    card = RunCard(
        label=label,
        command="score",
        suite=str(suite.path) if suite.reopens else "",
        suite_digest=suite.digest,
        kind=suite.manifest.kind,
        access=policy_note(suite.env),
        split=splits.pop() if len(splits) == 1 else "all",
        lm="own",
        strategy=scored.name,
        program=scored.program,
        reopens=False,
        place=place,
        trials=1 + max(record.trial for record in scored.records),
        scorers=scorers,
        settings=settings.described(),
        versions=versions(),
    )
    return LoadedRun(card, scored.records, str(scored.file))


def _write(run: LoadedRun, file: Path) -> None:
    with EpisodeLog.open(file) as log:
        write_card(file, run.card)
        for record in run.records:
            log.append(record)


def _missing(suite: Suite, run: LoadedRun) -> int:
    splits = {record.split for record in run.records}
    there = {record.task_id for record in run.records}
    return sum(task.split in splits and task.id not in there for task in suite.tasks)


def _baselines(suite: Suite, runs: Sequence[LoadedRun], scorers: Sequence[Scorer]) -> list[LoadedRun]:
    """The baselines without training, on all tasks that have a prediction."""
    predicted = {record.task_id for run in runs for record in run.records}
    tasks = [task for task in suite.tasks if task.id in predicted and not task.judged]
    found: list[LoadedRun] = []
    for name in baselines_for(suite.env, learning=False) if tasks else ():
        program = BaselineProgram(name, suite.env)
        result = evaluate(program, tasks, EvalSettings(env=suite.env, scorers=scorers, workers=1))
        card = RunCard(label=name, baseline=True, lm="none", strategy=name, place=len(runs) + len(found))
        found.append(LoadedRun(card, result.records, ""))
    return found
