"""What is wrong with the changes of an episode: its writing calls beside those that the task expects."""

from __future__ import annotations

from collections.abc import Sequence

from evals.failure_modes.moves import Difference, Move, align, differing, shown
from evals.records.parts import FaultEntry
from evals.tasks.task import Action, Task


def expected_sets(task: Task) -> list[tuple[Action, ...]]:
    """The sets of writing calls that count as right, under either ground truth."""
    corrected = () if task.corrected is None else (task.corrected,)
    return [task.expected, *corrected, *task.alternatives]


def acting_fault(
    task: Task,
    moves: Sequence[Move],
    writing: frozenset[str],
    free: frozenset[str],
    reading: FaultEntry | None,
) -> FaultEntry | None:
    """The first wrong change; None where all calls are those that are expected.

    Where they are those of a corrected answer, it was the published one that they were measured by.

    Args:
        writing: the tools that change something.
        free: see `align`.
        reading: what was wrong before with how the agent informed itself, if anything.
    """
    writes = [move for move in moves if move.tool in writing and not move.refused]
    found = max(
        (align(expected, writes, free) for expected in expected_sets(task)),
        key=lambda alignment: (len(alignment.met), -len(alignment.plan)),
    )
    failed = [move for move in writes if move.number in found.met.values() and not move.done]
    missing = [step for index, step in enumerate(found.plan) if index not in found.met]
    if failed:
        return _failed(failed[0])
    if found.left and missing:
        return _wrong_change(task, found.left, missing, moves, free, reading)
    if found.left:
        # A call that failed changed nothing; where no other is left, what it did is not the fault.
        extra = next((move for move in found.left if move.done), None)
        return _extra(extra, bool(found.plan)) if extra else None
    if missing:
        return _too_few(missing, found.met, moves, reading)
    if found.plan != task.expected:
        reason = task.correction_reason or "another reading of the task"
        return FaultEntry(kind="published_answer", detail=reason[:200])
    return None


def _wrong_change(
    task: Task,
    extra: Sequence[Move],
    missing: Sequence[Action],
    moves: Sequence[Move],
    free: frozenset[str],
    reading: FaultEntry | None,
) -> FaultEntry:
    pairs = [
        (len(wrong), move.number, move, step, wrong)
        for move in extra
        for step in missing
        if move.tool == step.tool and (wrong := differing(move, step, free))
    ]
    first = extra[0]
    own = [pair for pair in pairs if pair[2] is first]
    if not own:
        if pairs and not first.done:
            own = pairs
        else:
            return _other_tool(first, missing)
    _, _, move, _, wrong = min(own, key=lambda pair: pair[:2])
    return _wrong_arguments(task, move, wrong, moves, reading)


def _other_tool(move: Move, missing: Sequence[Action]) -> FaultEntry:
    wanted = ", ".join(dict.fromkeys(step.tool for step in missing))
    return FaultEntry(
        kind="wrong_tool", step=move.number, detail=f"{move.tool} was called where {wanted} is needed"
    )


def _wrong_arguments(
    task: Task,
    move: Move,
    wrong: Sequence[Difference],
    moves: Sequence[Move],
    reading: FaultEntry | None,
) -> FaultEntry:
    """The fault of a changing call's worst argument, or of the search that did not find it."""
    rank = ("wrong_address", "wrong_record", "wrong_date", "wrong_argument", "wrong_date_end")
    worst = min(wrong, key=lambda each: rank.index(each.kind))
    before = [other for other in moves if other.number < move.number]
    unseen = worst.wanted and not shown(worst.wanted, before, task.query)
    if worst.kind == "wrong_record" and unseen and reading is not None:
        return reading
    made_up = worst.given and not shown(worst.given, before, task.query) and worst.kind != "wrong_date"
    detail = f"{move.tool}: {worst.said}" + ("; no call had shown it" if made_up else "")
    return FaultEntry(kind=worst.kind, step=move.number, detail=detail)


def _extra(move: Move, expected: bool) -> FaultEntry:
    asked = "more than the task asks for" if expected else "though the task asks for no change"
    return FaultEntry(kind="side_effect", step=move.number, detail=f"{move.tool} was called, {asked}")


def _too_few(
    missing: Sequence[Action], met: dict[int, int], moves: Sequence[Move], reading: FaultEntry | None
) -> FaultEntry:
    tools = ", ".join(dict.fromkeys(step.tool for step in missing))
    if met:
        return FaultEntry(
            kind="incomplete", detail=f"{len(met)} of {len(met) + len(missing)} changes; missing: {tools}"
        )
    if reading is not None and moves and reading.kind != "missing_step":
        return reading
    return FaultEntry(kind="no_action", detail=f"{tools} was never called")


def _failed(move: Move) -> FaultEntry:
    detail = f"{move.tool} is the right call, and it failed: {move.status}"
    return FaultEntry(kind="failed_call", step=move.number, detail=detail)
