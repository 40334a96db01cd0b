"""MLflow assessments of an episode: scores, verdicts, ratings, expectations.

Scores come from CODE, verdicts from an LLM_JUDGE, ratings from a HUMAN. The source of a judge without a
language model is named so. No assessment holds data that the persona may not read: of an expected denial only
the status is kept, and a judge's feedback is left out if a denial is expected, if it quotes forbidden data,
or if the task is not at hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from worksmith.evals.lm.prices import dollars
from worksmith.evals.records.entries import Judgement
from worksmith.evals.records.record import RATES, EpisodeRecord

if TYPE_CHECKING:
    from mlflow.entities import Assessment

    from worksmith.evals.tasks.task import Task

_NEUTRAL = frozenset({"unwanted_side_effects", "no_action", "checker_over_refusal", *RATES})
"""Scores whose 1 is not a success: kept as numbers, not as pass and fail."""

_LONGEST = 4_000
"""Characters of a judge's feedback that are kept with a trace."""

_TRUTH = "worksmith.task"


def assessments(record: EpisodeRecord, task: Task | None, binary: frozenset[str]) -> list[Assessment]:
    """All scores and verdicts of an episode, and the expectations of its task, if that is at hand.

    Args:
        binary: scores to show as pass and fail.
    """
    found = [_score(name, value, name in binary) for name, value in record.scores.items()]
    found += [_verdict(judgement, task) for judgement in record.judgements]
    return found + ([] if task is None else _expectations(task))


def rating(name: str, value: float, rater: str, comment: str = "") -> Assessment:
    from mlflow.entities import AssessmentSource, AssessmentSourceType, Feedback

    source = AssessmentSource(AssessmentSourceType.HUMAN, rater)
    return Feedback(name=name, value=value, source=source, rationale=comment or None)


def verdict_name(rubric: str) -> str:
    """The name of a judge's verdict by a rubric; of an unnamed one too."""
    return f"judge_{rubric}" if rubric else "judge_verdict"


def identity(assessment: Assessment) -> tuple[str, str, str]:
    source = assessment.source
    return assessment.name, str(source.source_type), str(source.source_id)


def binary_scores(records: Iterable[EpisodeRecord]) -> frozenset[str]:
    """Scores that are only 0 or 1, where 1 is better; MLflow shows them as pass and fail."""
    values: dict[str, set[float]] = {}
    for record in records:
        for name, value in record.scores.items():
            values.setdefault(name, set()).add(value)
    return frozenset(name for name, found in values.items() if found <= {0.0, 1.0} and name not in _NEUTRAL)


def expectations(task: Task) -> dict[str, Any]:
    """The expectations of a task, by name: answer, tools of its gold plan, changes.

    Of an expected denial only the status is kept: the persona may not have the answer.
    """
    values: dict[str, Any] = {}
    if task.answer is not None:
        values["expected_status"] = task.answer.status
        if task.answer.kind == "entities":
            values["expected_response"] = task.answer.text
    if task.gold_plan is not None:
        values["expected_tools"] = [step.tool for step in task.gold_plan]
    if task.expected and not _denied(task):
        values["expected_changes"] = [
            {"tool": action.tool, "arguments": action.arguments} for action in task.expected
        ]
    return {name: value for name, value in values.items() if value and not _discloses(value, task)}


def _score(name: str, value: float, binary: bool) -> Assessment:
    from mlflow.entities import AssessmentSource, AssessmentSourceType, Feedback

    source = AssessmentSource(AssessmentSourceType.CODE, f"worksmith.{name}")
    return Feedback(name=name, value=value == 1 if binary else value, source=source)


def _verdict(judgement: Judgement, task: Task | None) -> Assessment:
    """A level from 1 to 5, or an error."""
    from mlflow.entities import AssessmentError, AssessmentSource, AssessmentSourceType, Feedback

    local = judgement.judge.startswith("local/")
    name = f"{judgement.judge} (no language model)" if local else judgement.judge
    said = judgement.feedback[:_LONGEST]
    tellable = task is not None and not _denied(task) and not _discloses(said, task)
    shown = said if tellable else None
    error = None
    if judgement.status != "ok":
        error = AssessmentError(error_code=judgement.status.upper(), error_message=shown or judgement.status)
    return Feedback(
        name=verdict_name(judgement.rubric),
        value=judgement.level if error is None else None,
        error=error,
        source=AssessmentSource(AssessmentSourceType.LLM_JUDGE, name),
        rationale=None if error else shown,
        metadata=_cost(judgement),
    )


def _cost(judgement: Judgement) -> Mapping[str, str] | None:
    used = judgement.usage.tokens
    if not (used.prompt or used.completion):
        return None
    prefix = "mlflow.assessment.judge"
    kept = {f"{prefix}InputTokens": str(used.prompt), f"{prefix}OutputTokens": str(used.completion)}
    price = dollars(judgement.judge, *used)
    return kept if price is None else {**kept, f"{prefix}Cost": str(price)}


def _expectations(task: Task) -> list[Assessment]:
    from mlflow.entities import AssessmentSource, AssessmentSourceType, Expectation

    # MLflow's list of traces has ten columns, and one of each expectation before the first score.
    values = expectations(task)
    others = [name for name in values if name != "expected_response"]
    if others:
        values["expected"] = {name.removeprefix("expected_"): values.pop(name) for name in others}
    source = AssessmentSource(AssessmentSourceType.CODE, _TRUTH)
    return [Expectation(name=name, value=value, source=source) for name, value in values.items()]


def _denied(task: Task) -> bool:
    return task.answer is not None and task.answer.kind == "denial"


def _discloses(value: Any, task: Task) -> bool:
    """Whether a text, or any text in data, quotes data that is forbidden to the task's persona."""
    forbidden: Sequence[str] = task.answer.forbidden if task.answer is not None else ()
    text = (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).casefold()
    return any(secret.casefold() in text for secret in forbidden if secret)
