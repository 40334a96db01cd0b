"""The gate: whether a judge agrees with labels well enough to drive a compile.

A verdict of the gate is a file that names the judge by the digest of its model, settings and rubrics, and
itself by the digest of its content; after a change of one of them, the judge has not passed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from worksmith.evals.judging.calibration.calibrate import Calibration
from worksmith.evals.running.asked_judges import Judge
from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.files.data_files import read_toml
from worksmith.tools.files.json_files import read_model
from worksmith.tools.seeding import digest

_MOST = "_most"
"""Ends the names of thresholds that are upper bounds."""

_NEEDED = ("cases", "kappa_low", "spearman", "kappa_above_always_5")
"""Measures without which nothing passes; the others count where they apply, pairs where requests have several
responses."""

_HINT = "make one with `worksmith judge calibrate --judge NAME --labels FILE`"


class GateVerdict(BaseModel):
    """The verdict of the gate on one judge.

    Attributes:
        judge_digest: see `worksmith.evals.running.asked_judges.Judge.digest`.
        labels: digest of the cases it was measured by.
        failed: the measures that missed their threshold, each in a sentence; empty if it passed.
        digest: of all the rest.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["worksmith-judge-gate/1"] = "worksmith-judge-gate/1"
    judge: str
    judge_digest: str
    labels: str
    thresholds: dict[str, float]
    measured: dict[str, Any]
    failed: tuple[str, ...]
    digest: str = ""

    @property
    def passed(self) -> bool:
        """Whether the judge may drive a compile."""
        return not self.failed

    def address(self) -> str:
        """The digest that the verdict should have."""
        return digest(self.model_dump(mode="json", exclude={"digest"}))


@cache
def thresholds() -> Mapping[str, float]:
    found = read_toml("worksmith.evals.judging.calibration", "gate.toml")
    return {name: float(value) for name, value in found.items()}


def gate(judge: Judge, calibration: Calibration, labels: str) -> GateVerdict:
    verdict = GateVerdict(
        judge=judge.name,
        judge_digest=judge.digest,
        labels=labels,
        thresholds=dict(thresholds()),
        measured=calibration.to_json(),
        failed=tuple(_failed(calibration)),
    )
    return verdict.model_copy(update={"digest": verdict.address()})


def read_gate(file: Path) -> GateVerdict:
    """The verdict in a file.

    Raises:
        InputError: the file is missing, or was changed.
    """
    verdict = read_model(file, GateVerdict, "a verdict on a judge", hint=_HINT)
    if verdict.digest != verdict.address():
        raise InputError("the verdict on the judge was changed", where=str(file), hint=_HINT)
    return verdict


def write_gate(file: Path, verdict: GateVerdict) -> None:
    write_atomically(file, verdict.model_dump_json(indent=2).encode() + b"\n")


def check_gate(judges: Sequence[Judge], found: Sequence[GateVerdict]) -> None:
    """See that every judge has passed, with the rubrics it has now.

    Raises:
        InputError: one has not.
    """
    for judge in judges:
        own = [verdict for verdict in found if verdict.judge_digest == judge.digest]
        if not own:
            raise InputError(
                f"the judge {judge.name} with these rubrics has not been measured",
                where="--judge",
                hint=f"{_HINT}, or give --force-judge",
            )
        if not any(verdict.passed for verdict in own):
            raise InputError(
                f"the judge {judge.name} did not pass: {'; '.join(own[-1].failed)}",
                where="--judge",
                hint="it may report, but not drive a compile; --force-judge lets it",
            )


def gate_verdicts(judges: Sequence[Judge], files: Sequence[Path], *, forced: bool) -> list[GateVerdict]:
    """The verdicts in files on judges with the rubrics that they have now.

    Args:
        forced: whether a judge need not have passed.

    Raises:
        InputError: a file cannot be read, or a judge has not passed.
    """
    found = [read_gate(file) for file in files]
    if not forced:
        check_gate(judges, found)
    digests = {judge.digest for judge in judges}
    return [verdict for verdict in found if verdict.judge_digest in digests]


def bound_of(measure: str, bounds: Mapping[str, float]) -> str:
    """The threshold of a measure in words; empty without one."""
    if measure in bounds:
        return f"at least {bounds[measure]:g}"
    most = bounds.get(measure + _MOST)
    return "" if most is None else f"at most {most:g}"


def _failed(calibration: Calibration) -> list[str]:
    measures = {"cases": float(calibration.cases), **calibration.measures}
    failed = []
    for name, bound in thresholds().items():
        most = name.endswith(_MOST)
        measure = name.removesuffix(_MOST)
        value = measures.get(measure)
        if value is None or math.isnan(value):
            if name in _NEEDED:
                failed.append(f"{measure} could not be measured: all labels or all verdicts have one level")
        elif value > bound if most else value < bound:
            failed.append(f"{measure} is {value:.3g}, not {'at most' if most else 'at least'} {bound:g}")
    return failed
