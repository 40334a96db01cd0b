"""The figures of an evaluation by task type; the mean of the task types, in which each counts the same."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from evals.kinds.crm.task_types import KNOWLEDGE_QA, TASK_TYPES
from evals.records.record import PRIMARY, REWARD, EpisodeRecord
from evals.records.summary import Summary, by_task, interval_json, summarize
from evals.statistics import Interval, macro_mean, mean

if TYPE_CHECKING:
    from evals.running.runner import EvalResult

_FIGURES = (REWARD, PRIMARY)
_BINARY = "without_knowledge_qa"


def has_task_types(records: Iterable[EpisodeRecord]) -> bool:
    return any(REWARD in record.scores for record in records)


def task_types_of(records: Iterable[EpisodeRecord]) -> list[str]:
    """The task types there are, in the published order."""
    there = {record.intent or "" for record in records}
    return [*(name for name in TASK_TYPES if name in there), *sorted(there - TASK_TYPES.keys())]


def parts(result: EvalResult, score: str, names: Sequence[str]) -> list[Interval]:
    """The mean of a score in each task type, with its interval."""
    return [mean(values) for values in _values(result, score, names)]


def whole(result: EvalResult, score: str) -> Interval:
    return macro_mean(_values(result, score, task_types_of(result.records)))


def _values(result: EvalResult, score: str, names: Sequence[str]) -> list[dict[Hashable, list[float]]]:
    """The values of a score by task, of each task type."""
    return [
        by_task((record for record in result.records if (record.intent or "") == name), score)
        for name in names
    ]


def without_qa(result: EvalResult) -> Summary:
    """The summary of all task types but the one whose published metric is no yes or no."""
    return summarize([r for r in result.records if r.intent != KNOWLEDGE_QA], seed=result.seed)


def task_type_metrics(result: EvalResult, split: str) -> dict[str, float]:
    """Reward and outcome by task type and of all, and the chances of several attempts, for tracking.

    Empty where other questions were asked.
    """
    values: dict[str, float] = {}
    for score, found in _scores(result).items():
        values |= {f"{split}/{score}/{name}": part.value for name, part in found.items()}
        values |= {
            f"{split}/{score}/all_low": found["all"].low,
            f"{split}/{score}/all_high": found["all"].high,
        }
    if values:
        summary = without_qa(result)
        values |= {f"{split}/pass_hat_{k}/{_BINARY}": chance.value for k, chance in summary.pass_hat.items()}
        values |= {f"{split}/pass_at_{k}/{_BINARY}": chance.value for k, chance in summary.pass_at.items()}
    return values


def task_type_json(result: EvalResult) -> dict[str, Any]:
    """Reward and outcome by task type and of all, as JSON-able data; empty for other questions."""
    return {
        f"{score}_by_task_type": {name: interval_json(part) for name, part in found.items()}
        for score, found in _scores(result).items()
    }


def _scores(result: EvalResult) -> dict[str, dict[str, Interval]]:
    if not has_task_types(result.records):
        return {}
    names = task_types_of(result.records)
    return {
        score: {**dict(zip(names, parts(result, score, names), strict=True)), "all": whole(result, score)}
        for score in _FIGURES
    }
