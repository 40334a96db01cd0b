"""Tables of CRM questions: by task type in the published layout, of questions without an answer, of attempts.

Programs stand below each other, task types side by side.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import median

from worksmith.evals.kinds.crm.by_type import (
    figures,
    is_binary,
    metrics,
    parts,
    task_types_of,
    whole,
    without_qa,
)
from worksmith.evals.kinds.crm.scorer import FALSE_NONE, REWARD, SUPPORTED, UNANSWERABLE
from worksmith.evals.kinds.crm.task_types import KNOWLEDGE_QA, TASK_TYPES
from worksmith.evals.records.program_records import ProgramRecords
from worksmith.evals.records.record import PRIMARY, EpisodeRecord
from worksmith.evals.records.summary import Summary
from worksmith.evals.statistics import NOTHING, Interval
from worksmith.evals.table import NO_DATA, Grid, percent, share
from worksmith.evals.task_kind import KindReport

ALL = "ALL"

_REWARD_NOTE = "Reward, the published metric: the answer is the expected text"
_F1_NOTE = "; for KQA the F1 of its words"
_OUTCOME_NOTE = (
    "Outcome: the answer says what is expected, however it is written. Supported: what it says, right or "
    "wrong, was in something that a call had shown."
)
_ALL_NOTE = f"{ALL} is the mean of the task types."


def task_type_grids(rows: Sequence[ProgramRecords]) -> tuple[Grid, ...]:
    """The tables of a comparison."""
    names = task_types_of(record for row in rows for record in row.records)
    return (
        reward_grid(rows, names),
        outcome_grid(rows, names),
        *unanswerable_grids(rows, names),
        *attempt_grids([row for row in rows if not row.baseline]),
        *turn_grids([row for row in rows if not row.baseline]),
    )


def reward_grid(rows: Sequence[ProgramRecords], names: Sequence[str]) -> Grid:
    """The layout of the published comparison."""
    cells = tuple((row.label, *_values(row, REWARD, names), _value(whole(row, REWARD))) for row in rows)
    legend = ", ".join(f"{_code(name)} {name.replace('_', ' ')}" for name in names)
    notes = (_reward_note(names), f"{legend}.")
    return Grid("Reward by task type, %", ("program", *map(_code, names), ALL), cells, notes)


def outcome_grid(rows: Sequence[ProgramRecords], names: Sequence[str]) -> Grid:
    """The same of the outcome, with what is known of it, and how much of it rests on something."""
    cells = tuple(
        (
            row.label,
            *_values(row, PRIMARY, names),
            percent(whole(row, PRIMARY)),
            _value(whole(row, SUPPORTED)),
        )
        for row in rows
    )
    headings = ("program", *map(_code, names), f"{ALL}, 95 % interval", SUPPORTED)
    return Grid("Outcome by task type, %", headings, cells, (_OUTCOME_NOTE,))


def unanswerable_grids(rows: Sequence[ProgramRecords], names: Sequence[str]) -> tuple[Grid, ...]:
    """How programs do where there is no answer; none if every question has one."""
    records = [record for row in rows for record in row.records]
    empty = {record.task_id: record.intent for record in records if UNANSWERABLE in record.scores}
    if not empty:
        return ()
    asked = [name for name in names if name in empty.values()]
    cells = tuple(
        (
            row.label,
            *_values(row, UNANSWERABLE, asked),
            percent(row.summary.scores.get(UNANSWERABLE)),
            percent(row.summary.scores.get(FALSE_NONE)),
        )
        for row in rows
    )
    of = len({record.task_id for record in records})
    notes = (
        f"{len(empty)} of {of} questions have no answer, and to say so is right. Wrong None: of the others, "
        "how many a program says that of.",
    )
    headings = ("program", *map(_code, asked), "all", "wrong None")
    return (Grid("Questions without an answer: right, %", headings, cells, notes),)


def attempt_grids(rows: Sequence[ProgramRecords]) -> tuple[Grid, ...]:
    """The chances of all, and of any, of k attempts, with several trials; without KQA, as published."""
    summaries = [(row.label, without_qa(row)) for row in rows]
    counts = sorted({k for _, summary in summaries for k in summary.pass_hat})
    if not counts:
        return ()

    def grid(title: str, chances: Callable[[Summary], Mapping[int, Interval]]) -> Grid:
        cells = tuple(
            (label, *(percent(chances(summary).get(k)) for k in counts)) for label, summary in summaries
        )
        return Grid(title, ("program", *(f"k={k}" for k in counts)), cells, ("All task types but KQA.",))

    return (
        grid("pass^k: the chance that all of k attempts at a question succeed, %", lambda s: s.pass_hat),
        grid("pass@k: the chance that at least one of k attempts succeeds, %", lambda s: s.pass_at),
    )


_TURNS = ((1, 2), (3, 4), (5, 6), (7, 9), (10, 14), (15, 20), (21, math.inf))


def turn_grids(rows: Sequence[ProgramRecords]) -> tuple[Grid, ...]:
    """How many turns right answers took: the published figure 6, as shares of the right episodes."""
    cells = []
    for row in rows:
        turns = [r.model_calls for r in row.records if r.scores.get(PRIMARY) == 1 and r.model_calls]
        if turns:
            shares = (sum(low <= n <= high for n in turns) / len(turns) for low, high in _TURNS)
            cells.append((row.label, *map(share, shares), f"{median(turns):g}", str(len(turns))))
    if not cells:
        return ()
    spans = (f"{low}-{high}" if high < math.inf else f"{low}+" for low, high in _TURNS)
    note = (
        "A turn is one reply of the model. Episodes with the right answer only, as in figure 6 of the paper."
    )
    headings = ("program", *spans, "median", "episodes")
    return (Grid("Turns to the right answer, % of episodes", headings, tuple(cells), (note,)),)


def task_type_grid(result: ProgramRecords) -> Grid:
    """What one program achieved, by task type."""
    names = task_types_of(result.records)
    rows = [
        (
            name,
            reward,
            percent(outcome),
            supported,
            *_size([record for record in result.records if (record.intent or "") == name]),
        )
        for name, reward, outcome, supported in zip(
            names,
            _values(result, REWARD, names),
            parts(result, PRIMARY, names),
            _values(result, SUPPORTED, names),
            strict=True,
        )
    ]
    last = (
        ALL,
        _value(whole(result, REWARD)),
        percent(whole(result, PRIMARY)),
        _value(whole(result, SUPPORTED)),
        *_size(result.records),
    )
    headings = ("task type", "reward, %", "outcome, %", SUPPORTED, "errors", "tasks")
    return Grid("By task type", headings, (*rows, last), (_reward_note(names), _OUTCOME_NOTE))


def _reward_note(names: Sequence[str]) -> str:
    return f"{_REWARD_NOTE}{_F1_NOTE if KNOWLEDGE_QA in names else ''}. {_ALL_NOTE}"


def _values(result: ProgramRecords, score: str, names: Sequence[str]) -> list[str]:
    return [_value(part) for part in parts(result, score, names)]


def _value(part: Interval | None) -> str:
    return share((part or NOTHING).value)


def _code(name: str) -> str:
    return TASK_TYPES[name].code if name in TASK_TYPES else name


def _size(records: Sequence[EpisodeRecord]) -> tuple[str, str]:
    lost = sum(not record.graded for record in records)
    return (share(lost / len(records)) if records else NO_DATA, str(len({r.task_id for r in records})))


REPORT = KindReport(
    breakdown=(),
    comparison=task_type_grids,
    program=lambda program: (task_type_grid(program),),
    figures=figures,
    metrics=metrics,
    counted_attempts=is_binary,
    attempts_note="All task types but knowledge_qa.",
)
