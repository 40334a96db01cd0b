"""The first fault of an episode, by rules from its calls, the gold plans and its scores.

A fault that ended the run comes first, then access, then the changes, then the answer; a wrong change
or answer is attributed to an earlier search that missed the needed record. No model is asked,
and the same episode has the same fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from worksmith.evals.failure_modes.acting import acting_fault, changes_fault
from worksmith.evals.failure_modes.answering import answering_fault
from worksmith.evals.failure_modes.catalogue import UNEXPLAINED
from worksmith.evals.failure_modes.moves import Evidence, Move, moves_of
from worksmith.evals.failure_modes.reading import reading_fault
from worksmith.evals.records.entries import FaultEntry
from worksmith.evals.records.record import PRIMARY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.episode_result import EpisodeResult


def diagnose(
    task: Task, record: EpisodeRecord, episode: EpisodeResult | None, *, writing: frozenset[str]
) -> FaultEntry | None:
    """The fault of a scored episode; None if it is right or was not graded.

    Args:
        episode: None if the program returned none.
        writing: the tools that change something.
    """
    if not record.graded or record.scores.get(PRIMARY, 1.0) >= 1:
        return None
    moves = moves_of(episode.calls) if episode is not None else []
    if episode is None or record.status != "finished":
        return _not_finished(record, moves)
    return _finished(task, record, episode, moves, writing) or FaultEntry(
        kind=UNEXPLAINED, detail="no rule tells what went wrong"
    )


def _not_finished(record: EpisodeRecord, moves: Sequence[Move]) -> FaultEntry:
    """The fault of an episode that did not end by itself, called as its status."""
    if record.status != "step_limit":
        return FaultEntry(kind=record.status, detail=(record.error or "")[:200])
    seen: set[tuple[str, str]] = set()
    for move in moves:
        call = (move.tool, repr(sorted(move.arguments.items())))
        if call in seen:
            detail = f"from call {move.number} on it repeats itself"
            return FaultEntry(kind="step_limit", step=move.number, detail=detail)
        seen.add(call)
    return FaultEntry(kind="step_limit", detail=f"{len(moves)} calls, none of them twice")


def _finished(
    task: Task, record: EpisodeRecord, episode: EpisodeResult, moves: Sequence[Move], writing: frozenset[str]
) -> FaultEntry | None:
    free = frozenset(name for table in episode.outcome.tables for name in table.free)
    scores = record.scores
    reading = reading_fault(task, moves, writing)
    evidence = Evidence(task, moves, writing, free, reading)
    # Of a kind without answers the outcome is the state; with answers the state has a score of its own.
    answer = task.answer
    unchanged = episode.outcome.empty and not task.expected
    state_right = scores.get("state", 1.0 if unchanged else 0.0) >= 1
    if answer is None or not state_right:
        # Some tasks know the changes that they expect, and no calls that make them.
        known = bool(record.expected_changes) and not state_right
        found = acting_fault(evidence) if task.expected or not known else None
        found = found or (_unsaid(task) if not state_right else None)
        found = found or (changes_fault(record) if known else None)
        if found is not None or answer is None:
            return found or _unsaid(task) or (reading if unchanged else None)
    return answering_fault(evidence, answer, episode, scores)


def _unsaid(task: Task) -> FaultEntry | None:
    if not task.mentions:
        return None
    return FaultEntry(
        kind="missing_mention", detail=f"what was written has to say {', '.join(task.mentions)}"[:200]
    )
