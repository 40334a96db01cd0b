"""Verdicts of judges: in records, and in the file beside a log for those given later."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worksmith.evals.records.entries import Judgement
from worksmith.evals.records.record import PRIMARY, EpisodeRecord
from worksmith.tools.errors import InputError
from worksmith.tools.files.json_files import read_lines, validated

JUDGE = "judge"
"""The score that judges give an episode: the mean of their verdicts, from 0 to 1."""

JUDGED = "judged"
"""The same on tasks whose truth is known in words only; never mixed with that of checked tasks."""

PASSED = 0.75
"""The least mean score that counts as a pass: that of level 4."""

_WHAT, _HINT = "a verdict", "remove the line"


@dataclass(frozen=True)
class VerdictLine:
    """A line of the file.

    Attributes:
        key: the episode's.
        judge: digest of the judge; of a verdict that was given when the episode ran, empty.
    """

    key: str
    judge: str
    judgement: Judgement


def judged(record: EpisodeRecord, judgements: Sequence[Judgement]) -> EpisodeRecord:
    """The record with these verdicts; the last one of each judge counts."""
    by_judge = {each.judge: each for each in (*record.judgements, *judgements)}
    levels = [each.score for each in by_judge.values() if each.status == "ok" and each.score is not None]
    scores = {name: value for name, value in record.scores.items() if name not in (JUDGE, JUDGED)}
    if levels:
        scores[JUDGED if record.labels.words_only else JUDGE] = math.fsum(levels) / len(levels)
    return record.model_copy(update={"judgements": tuple(by_judge.values()), "scores": scores})


def with_verdict(scores: Mapping[str, float]) -> dict[str, float]:
    """The scores with the judges' pass as a part of the outcome."""
    passed = float(scores[JUDGE] >= PASSED)
    return {**scores, PRIMARY: min(scores.get(PRIMARY, 1.0), passed)}


def read_verdicts(file: Path) -> list[VerdictLine]:
    """The verdicts in a file, none without a file; a line that a crash cut off is left out.

    Raises:
        InputError: a whole line is not a verdict.
    """
    if not os.path.lexists(file):
        return []
    lines = read_lines(file, _WHAT, hint=_HINT, appended=True)
    return [_verdict(value, where) for where, value in lines]


def _verdict(value: Any, where: str) -> VerdictLine:
    if not isinstance(value, dict) or "key" not in value:
        raise InputError(f"not {_WHAT}: it names no episode", where=where, hint=_HINT)
    judgement = validated(value.get("judgement"), Judgement, _WHAT, where=where, hint=_HINT)
    return VerdictLine(str(value["key"]), str(value.get("judge", "")), judgement)
