"""Faults of changes: writing calls beside those that the task expects."""

from __future__ import annotations

from collections.abc import Sequence

from worksmith.evals.failure_modes.moves import Difference, Evidence, Move, align, differing
from worksmith.evals.records.changes import compare_changes, place_text
from worksmith.evals.records.entries import FaultEntry
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.tasks.task import Action, Task

_LONGEST = 200
"""Characters of a fault's detail."""


def expected_sets(task: Task) -> list[tuple[Action, ...]]:
    """The sets of writing calls that count as right, under either ground truth."""
    corrected = () if task.corrected is None else (task.corrected,)
    return [task.expected, *corrected, *task.alternatives]


def acting_fault(evidence: Evidence) -> FaultEntry | None:
    """The first wrong change; None if all calls are expected.

    Calls of a corrected answer are right: the published answer is the fault then.
    """
    task = evidence.task
    writes = [move for move in evidence.moves if move.tool in evidence.writing and not move.refused]
    found = max(
        (align(expected, writes, evidence.free) for expected in expected_sets(task)),
        key=lambda alignment: (len(alignment.met), -len(alignment.plan)),
    )
    failed = next((move for move in writes if move.number in found.met.values() and not move.done), None)
    missing = [step for index, step in enumerate(found.plan) if index not in found.met]
    if failed:
        return failed_call(failed)
    if found.left and missing:
        return _wrong_change(evidence, found.left, missing)
    if found.left:
        # A call that failed changed nothing, so it is the fault only if no other is left.
        extra = next((move for move in found.left if move.done), None)
        asked = "more than the task asks for" if found.plan else "though the task asks for no change"
        return _fault("side_effect", f"{extra.tool} was called, {asked}", extra) if extra else None
    if missing:
        return _too_few(evidence, missing, len(found.met))
    if found.plan != task.expected:
        return _fault("published_answer", (task.correction_reason or "another reading of the task")[:200])
    return None


def changes_fault(record: EpisodeRecord) -> FaultEntry | None:
    """The first wrong change of a record with expected changes; None if all are expected."""
    pairs = compare_changes(record.changes, record.expected_changes)
    wrong = next((pair for pair in pairs if pair.kind != "as expected"), None)
    if wrong is None:
        return None
    place = place_text(wrong.either)
    match wrong.kind:
        case "differs":
            cells = (f"{cell.name} is {cell.made!r}, not {cell.expected!r}" for cell in wrong.differing)
            message = ", ".join(cells)
            return _fault("wrong_argument", f"{place}: {message}"[:_LONGEST])
        case "missing" if not record.changes:
            return _fault("no_action", f"nothing was changed; expected is {place}")
        case "missing" if len(record.changes) >= len(record.expected_changes):
            return _fault("wrong_record", f"expected is {place}, and something else was changed")
        case "missing":
            return _fault("incomplete", f"missing: {place}")
    return _fault("side_effect", f"{place}, more than the task asks for")


def failed_call(move: Move) -> FaultEntry:
    """The fault of a right call that failed."""
    return _fault("failed_call", f"{move.tool} is the right call, and it failed: {move.status}", move)


def _wrong_change(evidence: Evidence, extra: Sequence[Move], missing: Sequence[Action]) -> FaultEntry:
    pairs = [
        (len(wrong), move.number, move, wrong)
        for move in extra
        for step in missing
        if move.tool == step.tool and (wrong := differing(move, step, evidence.free))
    ]
    first = extra[0]
    own = [pair for pair in pairs if pair[2] is first]
    if not own and (first.done or not pairs):
        wanted = ", ".join(dict.fromkeys(step.tool for step in missing))
        return _fault("wrong_tool", f"{first.tool} was called where {wanted} is needed", first)
    _, _, move, wrong = min(own or pairs, key=lambda pair: pair[:2])
    return _wrong_arguments(evidence, move, wrong)


def _wrong_arguments(evidence: Evidence, move: Move, wrong: Sequence[Difference]) -> FaultEntry:
    """The fault of a changing call's worst argument, or of the search that did not find it."""
    rank = ("wrong_address", "wrong_record", "wrong_date", "wrong_argument", "wrong_date_end")
    worst = min(wrong, key=lambda each: rank.index(each.kind))
    unseen = worst.wanted and not evidence.shows(worst.wanted, before=move.number)
    if worst.kind == "wrong_record" and unseen and evidence.reading is not None:
        return evidence.reading
    made_up = (
        worst.given and worst.kind != "wrong_date" and not evidence.shows(worst.given, before=move.number)
    )
    return _fault(worst.kind, f"{move.tool}: {worst.said}{'; no call had shown it' if made_up else ''}", move)


def _too_few(evidence: Evidence, missing: Sequence[Action], met: int) -> FaultEntry:
    tools = ", ".join(dict.fromkeys(step.tool for step in missing))
    if met:
        return _fault("incomplete", f"{met} of {met + len(missing)} changes; missing: {tools}")
    reading = evidence.reading
    if reading is not None and evidence.moves and reading.kind != "missing_step":
        return reading
    return _fault("no_action", f"{tools} was never called")


def _fault(kind: str, detail: str, move: Move | None = None) -> FaultEntry:
    return FaultEntry(kind=kind, step=move.number if move else None, detail=detail)
