"""Faults of reading: reading calls beside those of the gold plans."""

from __future__ import annotations

from collections.abc import Sequence

from worksmith.evals.failure_modes.acting import failed_call
from worksmith.evals.failure_modes.moves import Alignment, Difference, Move, align, differing
from worksmith.evals.records.entries import FaultEntry
from worksmith.evals.tasks.task import Action, Task


def reading_fault(task: Task, moves: Sequence[Move], writing: frozenset[str]) -> FaultEntry | None:
    """The first reading step of the plan that was not taken right; None without such a step or a plan.

    Of several gold plans that one counts of which most was done. Reads in another order and further reads are
    no fault. Steps that change something are left out.
    """
    plans = [plan for plan in (task.gold_plan, *task.other_plans) if plan]
    if not plans:
        return None
    found = max(
        (align(plan, moves, frozenset()) for plan in plans),
        key=lambda alignment: len(alignment.met) / len(alignment.plan),
    )
    for index, step in enumerate(found.plan):
        number = found.met.get(index)
        if number is not None and not moves[number - 1].done:
            return _not_done(moves[number - 1])
        if number is None and step.tool not in writing:
            return _gap(step, found, moves, writing)
    return None


def _not_done(move: Move) -> FaultEntry:
    if move.refused:
        return FaultEntry(
            kind="over_refusal", step=move.number, detail=f"kept itself from {move.tool}, which is needed"
        )
    return failed_call(move)


def _gap(step: Action, found: Alignment, moves: Sequence[Move], writing: frozenset[str]) -> FaultEntry:
    near = [
        (len(wrong), move.number, move, wrong)
        for move in found.left
        if move.tool == step.tool and (wrong := differing(move, step, frozenset(), found.plan, moves))
    ]
    if near:
        _, _, move, wrong = min(near, key=lambda pair: pair[:2])
        return _searched_wrong(move, wrong)
    planned = {each.tool for each in found.plan}
    others = [move for move in found.left if move.tool not in planned and move.tool not in writing]
    if others:
        move = next((each for each in others if each.status == "unknown_tool"), others[0])
        known = move.status != "unknown_tool"
        what = f"was called where {step.tool} is needed" if known else "does not exist"
        return FaultEntry(kind="wrong_tool", step=move.number, detail=f"{move.tool} {what}")
    return FaultEntry(kind="missing_step", detail=f"{step.tool} was never called")


def _searched_wrong(move: Move, wrong: Sequence[Difference]) -> FaultEntry:
    if move.refused:
        return _not_done(move)
    worst = next((each for each in wrong if each.is_date), wrong[0])
    kind = "wrong_search_date" if worst.is_date else "retrieval_miss"
    if not move.done and move.status in ("bad_arguments", "tool_crash"):
        kind = "failed_call"
    return FaultEntry(kind=kind, step=move.number, detail=f"{move.tool}: {worst.said}")
