"""The candidates of compiles, as reports show them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from worksmith.evals.reporting.histories import CandidateScore, History, interval_of
from worksmith.evals.table import number

if TYPE_CHECKING:
    from worksmith.evals.records.compile_facts import CompileFacts


def histories(compiled: Mapping[str, CompileFacts]) -> list[History]:
    """The compiles of programs, by the labels of the programs."""
    return [history(label, tried) for label, tried in compiled.items()]


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
    """The decision of a race in a few words."""
    if not race:
        return ""
    if "evidence" not in race:
        return str(race.get("verdict", ""))
    had, needed = race["evidence"], race["needed"]
    evidence = f"evidence {number(had, 2)} of the {number(needed, 0)} needed"
    if race.get("accepted"):
        return f"accepted, {evidence}"
    return f"left after {race['met']} tasks, {evidence}" if race.get("left") else f"not accepted, {evidence}"
