"""Faults of predictions that only list calls, such as published ones."""

from __future__ import annotations

from collections.abc import Sequence

from worksmith.evals.failure_modes.acting import acting_fault
from worksmith.evals.failure_modes.catalogue import UNEXPLAINED
from worksmith.evals.failure_modes.moves import Evidence, Move, plain
from worksmith.evals.records.entries import FaultEntry
from worksmith.evals.scoring.actions import UnreadableActionError, parse_action
from worksmith.evals.scoring.result_tables import ended_by
from worksmith.evals.tasks.task import Task


def prediction_fault(
    task: Task, actions: Sequence[str], mistake: str, error: str, writing: frozenset[str]
) -> FaultEntry:
    """The fault of a prediction that is not correct.

    Args:
        mistake: the kind of fault that the published system found; empty without one.
        error: the text with which the run ended, if it died.
        writing: the tools that change something.

    A prediction without calls stays unexplained: a reply may have been unreadable, or nothing found.
    """
    if error:
        return FaultEntry(kind=ended_by(error), detail=error[:200])
    found = acting_fault(Evidence(task, _moves(actions), writing))
    if mistake:
        return FaultEntry(
            kind=mistake, step=found.step if found else None, detail=found.detail if found else ""
        )
    return found or FaultEntry(kind=UNEXPLAINED, detail="no rule tells what went wrong")


def _moves(actions: Sequence[str]) -> list[Move]:
    moves = []
    for number, action in enumerate(actions, start=1):
        try:
            tool, arguments = parse_action(action)
        except UnreadableActionError:
            continue
        moves.append(Move(number, tool, plain(arguments)))
    return moves
