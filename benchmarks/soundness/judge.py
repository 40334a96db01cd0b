"""How well the judge without a model orders answers with planted faults, and whether the gate holds."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from worksmith.evals.authoring.suite_building import build_suite
from worksmith.evals.judging.calibration.calibrate import calibrate
from worksmith.evals.judging.calibration.gate import gate
from worksmith.evals.judging.calibration.labels import Case, case_of, labels_digest
from worksmith.evals.judging.calibration.planted import planted
from worksmith.evals.judging.local import LocalRubric
from worksmith.evals.records.entries import Judgement
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.running.asked_judges import Judge
from worksmith.evals.suite import Suite
from worksmith.evals.tasks.task import Task
from worksmith.tools.seeding import digest, rng

DESCRIPTION = "answers with planted faults in the right order by local/rubric, and broken judges at the gate"

_SIZES: dict[str, dict[str, Any]] = {
    "enterprise": {"scale": 0.02},
    "office": {"scale": 0.5, "per_intent": 4},
    "crm": {"scale": 0.1},
}


def run(quick: bool) -> dict[str, Any]:
    """Plant faults in the answers of three generated suites and have them judged.

    Gives `ordered`, the share of pairs of answers to one request that have the order of the rubrics (equally
    good ones must be equal), over 300 answers and over more of another seed; kappa with the planted levels;
    and for each judge whether it passes the gate.
    """
    with tempfile.TemporaryDirectory() as folder:
        suites = [build_suite(kind, Path(folder) / kind, **options) for kind, options in _SIZES.items()]
        return _figures(suites, 600 if quick else 1200)


def _figures(suites: list[Suite], more: int) -> dict[str, Any]:
    cases, others = (_cases(suites, count, seed) for count, seed in ((300, 0), (more, 1)))
    found = calibrate(LocalRubric(), cases)
    pairs = found.intervals["pairs"]
    judges = {"local/rubric": LocalRubric(), **_broken()}
    key = labels_digest(cases)
    return {
        "cases": len(cases),
        "pairs": pairs.n,
        "ordered": round(pairs.value, 4),
        "ordered_low": round(pairs.low, 4),
        "kappa": round(found.measures["kappa"], 4),
        "by_fault": {name: round(mean, 2) for name, (mean, _) in found.by_fault.items()},
        "more_cases": len(others),
        "more_ordered": round(calibrate(LocalRubric(), others).measures["pairs"], 4),
        "passes": {name: gate(judge, calibrate(judge, cases), key).passed for name, judge in judges.items()},
    }


def _cases(suites: list[Suite], count: int, seed: int) -> list[Case]:
    return [case_of(label) for label in planted(suites, count=count, seed=seed)]


class _Broken:
    """A judge that says what a function says."""

    def __init__(self, name: str, level: Callable[[Task, EpisodeRecord], int]) -> None:
        self.name, self.digest, self._level = name, digest(name), level

    def __call__(self, task: Task, record: EpisodeRecord) -> Judgement:
        return Judgement(judge=self.name, rubric="none", level=self._level(task, record))


def _broken() -> dict[str, Judge]:
    draw, right = rng(0, "random judge"), LocalRubric()
    judges = (
        _Broken("random", lambda task, record: draw.randint(1, 5)),
        _Broken("always 5", lambda task, record: 5),
        _Broken("inverted", lambda task, record: 6 - (right.find(task, record).level or 0)),
    )
    return {judge.name: judge for judge in judges}
