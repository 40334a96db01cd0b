"""The figures of a program by task type; the mean of the task types, in which each counts the same."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from worksmith.evals.kinds.crm.scorer import REWARD
from worksmith.evals.kinds.crm.task_types import KNOWLEDGE_QA, TASK_TYPES
from worksmith.evals.records.groups import by_task
from worksmith.evals.records.program_records import ProgramRecords
from worksmith.evals.records.record import PRIMARY, EpisodeRecord
from worksmith.evals.records.summary import Summary, summarize
from worksmith.evals.statistics import Interval, macro_mean, mean

_FIGURES = (REWARD, PRIMARY)
_BINARY = "without_knowledge_qa"


def task_types_of(records: Iterable[EpisodeRecord]) -> list[str]:
    """The task types of the episodes, in the published order."""
    there = {record.intent or "" for record in records}
    return [*(name for name in TASK_TYPES if name in there), *sorted(there - TASK_TYPES.keys())]


def parts(program: ProgramRecords, score: str, names: Sequence[str]) -> list[Interval]:
    """The mean of a score in each task type, with its interval."""
    return [mean(values) for values in _values(program, score, names)]


def whole(program: ProgramRecords, score: str) -> Interval:
    """The mean of the task types."""
    return macro_mean(_values(program, score, task_types_of(program.records)))


def _values(program: ProgramRecords, score: str, names: Sequence[str]) -> list[dict[Hashable, list[float]]]:
    """The values of a score by task, of each task type."""
    return [
        by_task((record for record in program.records if (record.intent or "") == name), score)
        for name in names
    ]


def is_binary(record: EpisodeRecord) -> bool:
    """Whether the published metric of an episode is yes or no."""
    return record.intent != KNOWLEDGE_QA


def without_qa(program: ProgramRecords) -> Summary:
    """The summary of all task types whose published metric is yes or no."""
    return summarize([record for record in program.records if is_binary(record)], seed=program.seed)


def metrics(program: ProgramRecords) -> dict[str, float]:
    """Reward and outcome by task type and of all, and the chances of several attempts, for tracking."""
    values: dict[str, float] = {}
    for score in _FIGURES:
        found = _by_type(program, score)
        values |= {f"{score}/{name}": part.value for name, part in found.items()}
        values |= {f"{score}/all_low": found["all"].low, f"{score}/all_high": found["all"].high}
    summary = without_qa(program)
    values |= {f"pass_hat_{k}/{_BINARY}": chance.value for k, chance in summary.pass_hat.items()}
    values |= {f"pass_at_{k}/{_BINARY}": chance.value for k, chance in summary.pass_at.items()}
    return values


def figures(program: ProgramRecords) -> dict[str, dict[str, Interval]]:
    """Reward and outcome by task type and of all."""
    return {f"{score}_by_task_type": _by_type(program, score) for score in _FIGURES}


def _by_type(program: ProgramRecords, score: str) -> dict[str, Interval]:
    names = task_types_of(program.records)
    return {**dict(zip(names, parts(program, score, names), strict=True)), "all": whole(program, score)}
