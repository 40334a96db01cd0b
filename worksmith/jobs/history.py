"""How compiled programs came about, as reports show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evals.reporting.histories import CandidateScore, History, interval_of
from evals.table import number

if TYPE_CHECKING:
    from evals.records.compile_facts import CompileFacts
    from evals.records.run_card import LoadedRun
    from evals.running.study import Study
    from worksmith.jobs.study import StudyPlan


def histories(runs: Sequence[LoadedRun]) -> list[History]:
    """The compiles that the cards of runs tell of."""
    return [history(run.card.label, run.card.compiled) for run in runs if run.card.compiled is not None]


def study_histories(plan: StudyPlan, study: Study, keep: Mapping[str, Path] | None = None) -> list[History]:
    """The compiles of a comparison that has just been run; `keep` as for `worksmith.jobs.study.run_arms`."""
    from optimizers.compiling.artifact import Artifact
    from worksmith.jobs.study import program_file

    compiled = (row.arm for row in study.rows if row.arm.optimizer != "none" and not row.arm.baseline)
    kept = keep or {}
    files = ((arm.label, kept.get(arm.label, program_file(plan.for_arm(arm), arm))) for arm in compiled)
    return [history(label, Artifact.read(file).manifest.tried) for label, file in files if file.is_file()]


def history(label: str, tried: CompileFacts) -> History:
    """The candidates of one compile."""
    return History(label, tried.optimizer, tuple(_candidate(trial, tried) for trial in tried.trials))


def _candidate(trial: Mapping[str, Any], tried: CompileFacts) -> CandidateScore:
    score, race = trial["outcome"], trial.get("race") or {}
    return CandidateScore(
        name=trial["name"],
        score=interval_of(score["value"], score["low"], score["high"], score["n"]),
        met=race.get("met", score["n"]),
        chosen=trial["name"] == tried.chosen,
        race=_verdict(race),
        tokens=trial.get("costs", {}).get("used_tokens"),
        efficient=trial["name"] in tried.front,
    )


def _verdict(race: Mapping[str, Any]) -> str:
    """What a race decided, in a few words."""
    if not race:
        return ""
    if "verdict" in race:
        return str(race["verdict"])
    had, needed = race.get("evidence", 0.0), race.get("needed", 0.0)
    evidence = f"evidence {number(had, 2)} of the {number(needed, 0)} needed"
    if race.get("accepted"):
        return f"accepted, {evidence}"
    return f"left after {race['met']} tasks, {evidence}" if race.get("left") else f"not accepted, {evidence}"
