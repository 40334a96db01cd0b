"""One episode as plain text, for a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator

from evals.characters import harmless
from evals.records.parts import CallEntry, ChangeEntry
from evals.records.record import PRIMARY, EpisodeRecord
from evals.reporting.changes import compare_changes
from evals.reporting.html.episodes import ShownEpisode


def episode_text(episode: ShownEpisode) -> str:
    """All that is on record of an episode, in the order in which it happened."""
    return harmless("\n".join(_lines(episode))) + "\n"


def _lines(episode: ShownEpisode) -> Iterator[str]:
    record = episode.record
    yield f"{episode.verdict}: {record.query}"
    yield f"{episode.arm}, task {record.task_id}, attempt {record.trial + 1}, {record.status}"
    yield f"episode {record.key}"
    yield f"scores: {', '.join(f'{name} {value:g}' for name, value in record.scores.items()) or 'not graded'}"
    yield f"cost: {record.model_calls} model calls, {record.usage}, {record.seconds:.1f} s"
    if record.fault:
        step = f", first wrong call {record.fault.step}" if record.fault.step else ""
        yield f"fault: {record.fault.kind}{step}: {record.fault.detail}"
    if record.error:
        yield f"error: {record.error}"
    if record.traceback:
        yield record.traceback
    if record.attempts > 1:
        yield f"attempts: {record.attempts}"
    if record.plan:
        yield from ("", "plan:", record.plan)
    for number, call in enumerate(record.calls, 1):
        yield ""
        yield from _call(number, call)
    said = ": ".join(part for part in (record.answer_status, record.answer) if part)
    if said:
        yield from ("", f"answer: {said}")
    yield from _changes(record)
    for each in record.judgements:
        level = f"{each.level} of 5" if each.level is not None else each.status
        yield from ("", f"judged by {each.judge} ({each.rubric}): {level}. {each.feedback}")


def _call(number: int, call: CallEntry) -> Iterator[str]:
    if call.thought:
        yield f"{number}. # {call.thought}"
    yield f"{number}. {call.tool}({json.dumps(call.arguments, ensure_ascii=False, default=str)[1:-1]})"
    if call.opinion:
        yield f"   access check: {call.opinion}. {call.opinion_reason}".rstrip()
    if call.rule:
        yield f"   {'allowed' if call.allowed else 'denied'} by {call.rule}"
    if call.status != "ok":
        yield f"   {call.status}"
    yield f"   {call.observation}{'…' if call.truncated else ''}"


def _changes(record: EpisodeRecord) -> Iterator[str]:
    wrong = record.graded and record.scores.get(PRIMARY, 0.0) < 1
    if not wrong:
        for change in record.changes:
            yield f"changed: {_change(change)}"
        return
    for pair in compare_changes(record.changes, record.expected_changes):
        yield ""
        if pair.made and pair.kind != "missing":
            yield f"{pair.kind}: {_change(pair.made)}"
        if pair.expected and pair.kind != "as expected":
            yield f"{'missing' if pair.kind == 'missing' else 'expected'}: {_change(pair.expected)}"


def _change(change: ChangeEntry) -> str:
    row = "" if change.operation == "insert" else f", row {change.row}"
    cells = "; ".join(f"{name}: {cell}" for name, cell in (change.after or change.before).items())
    return f"{change.operation} in {change.table}{row}: {cells}"
