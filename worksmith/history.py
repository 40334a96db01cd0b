"""How compiled programs came about, as reports show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evals.reporting.curves import CandidateScore, History, interval_of
from evals.tables import number
from tools.errors import InputError

if TYPE_CHECKING:
    from evals.compare import Study
    from evals.runs import LoadedRun
    from optimizers.artifact import Manifest
    from worksmith.study import StudyPlan


def histories(runs: Sequence[LoadedRun]) -> tuple[list[History], list[str]]:
    """The compiles of the runs that name one, and what could not be read, in sentences."""
    from optimizers.artifact import Artifact

    found, missing = [], []
    for run in runs:
        if not run.card.artifact:
            continue
        try:
            manifest = Artifact.read(Path(run.card.artifact)).manifest
        except InputError as error:
            missing.append(f"{run.card.label}: how it was compiled is left out ({error})")
            continue
        found.append(history(run.card.label, manifest))
    return found, missing


def study_histories(plan: StudyPlan, study: Study, keep: Mapping[str, Path] | None = None) -> list[History]:
    """The compiles of a comparison that has just been run; `keep` as for `worksmith.study.run_arms`."""
    from optimizers.artifact import Artifact
    from worksmith.study import program_file

    compiled = (row.arm for row in study.rows if row.arm.optimizer != "none" and not row.arm.baseline)
    kept = keep or {}
    files = ((arm.label, kept.get(arm.label, program_file(plan.for_arm(arm), arm))) for arm in compiled)
    return [history(label, Artifact.read(file).manifest) for label, file in files if file.is_file()]


def history(label: str, manifest: Manifest) -> History:
    """The candidates of one compile."""
    return History(label, manifest.optimizer, tuple(_candidate(trial, manifest) for trial in manifest.trials))


def _candidate(trial: Mapping[str, Any], manifest: Manifest) -> CandidateScore:
    score, race = trial["outcome"], trial.get("race") or {}
    return CandidateScore(
        name=trial["name"],
        score=interval_of(score["value"], score["low"], score["high"], score["n"]),
        met=race.get("met", score["n"]),
        chosen=trial["name"] == manifest.chosen,
        race=_verdict(race),
        tokens=trial.get("costs", {}).get("tokens"),
        efficient=trial["name"] in manifest.front,
    )


def _verdict(race: Mapping[str, Any]) -> str:
    """What a race decided, in a few words."""
    if not race:
        return ""
    if "verdict" in race:
        return str(race["verdict"])
    evidence = f"evidence {number(race['evidence'], 2)} of the {number(race['needed'], 0)} needed"
    if race.get("accepted"):
        return f"accepted, {evidence}"
    return f"left after {race['met']} tasks, {evidence}" if race.get("left") else f"not accepted, {evidence}"
