"""Finished runs as one study, so that a report of them is the same as that of a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from worksmith.evals.records.logs.lines import LogRecords, TableRecords
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.records.run_card import LoadedRun
from worksmith.evals.records.summary import summarize
from worksmith.evals.reporting.episodes import ShownEpisode
from worksmith.evals.running.result import EvalResult
from worksmith.evals.running.study import Study, StudyArm, run_study


def study_of(runs: Sequence[LoadedRun]) -> Study:
    """The runs as arms, the first as reference. Programs with different tasks are compared on shared ones.

    Raises:
        InputError: `runs` is empty.
    """
    by_label = {run.card.label: run for run in runs}
    arms = [_arm(run) for run in runs]
    return run_study(arms, lambda arm: result_of(by_label[arm.label]), same_tasks=False)


def result_of(run: LoadedRun) -> EvalResult:
    card = run.card
    records: Sequence[EpisodeRecord] = run.records
    if isinstance(records, LogRecords):
        records = TableRecords.of(records)
    return EvalResult(
        records=records,
        summary=summarize(records, seed=card.seed),
        program=card.program,
        model=card.lm or "unknown",
        strategy=card.strategy,
        seed=card.seed,
        trials=card.trials,
        resumed=len(records),
    )


def episodes_of(runs: Sequence[LoadedRun]) -> Iterator[ShownEpisode]:
    for run in runs:
        yield from (ShownEpisode(run.card.label, record) for record in run.records)


def setting_of(runs: Sequence[LoadedRun]) -> dict[str, str]:
    """Facts of a report: suite, split, date, version and command, and whether tasks differ."""
    cards = [run.card for run in runs]
    facts = {
        "suite": _each(Path(card.suite).name for card in cards),
        "split": _each(card.split for card in cards),
        "date": min(filter(None, (card.date for card in cards)), default=""),
        "worksmith": _each(card.versions.get("worksmith", "") for card in cards),
        "command": _each(card.command for card in cards if not card.baseline),
    }
    tasks = {frozenset(record.task_id for record in run.records) for run in runs}
    if len(tasks) > 1:
        facts["tasks differ"] = "programs are compared on the tasks that both have"
    return {name: value for name, value in facts.items() if value}


def _each(values: Iterable[str]) -> str:
    """The different values, in their order."""
    return ", ".join(filter(None, dict.fromkeys(values)))


def _arm(run: LoadedRun) -> StudyArm:
    card = run.card
    return StudyArm(
        card.label,
        strategy=card.strategy,
        optimizer=card.optimizer,
        model=card.lm,
        planner=str(card.settings.get("planner_lm") or ""),
        without=card.without,
        baseline=card.baseline,
        settings={"toolset": card.settings["toolset"]} if "toolset" in card.settings else {},
        rerun=card.rerun,
    )
