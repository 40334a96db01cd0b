"""One episode as plain text, for a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator

from worksmith.evals.characters import harmless
from worksmith.evals.records.changes import cells_text, compare_changes, place_text
from worksmith.evals.records.entries import CallEntry, ChangeEntry
from worksmith.evals.reporting.episodes import ShownEpisode


def episode_text(episode: ShownEpisode) -> str:
    """The whole record of an episode, in the order in which it happened."""
    return harmless("\n".join(_lines(episode))) + "\n"


def _lines(episode: ShownEpisode) -> Iterator[str]:
    record = episode.record
    yield f"{episode.verdict}: {record.query}"
    yield f"{episode.arm}, task {record.task_id}, attempt {record.trial + 1}, {record.status}"
    yield f"episode {record.key}"
    yield f"scores: {episode.scores}"
    yield f"cost: {episode.cost}"
    if record.fault:
        step = f", first wrong call {record.fault.step}" if record.fault.step else ""
        yield f"fault: {record.fault.kind}{step}: {record.fault.detail}"
    for broken in record.broken_rules:
        yield f"procedure broken by call {broken.step}: {broken.detail}"
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
    answer = ": ".join(filter(None, (record.answer_status, record.answer)))
    if answer:
        yield from ("", f"answer: {answer}")
    yield from _changes(episode)
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


def _changes(episode: ShownEpisode) -> Iterator[str]:
    record = episode.record
    if episode.verdict != "wrong":
        for change in record.changes:
            yield f"changed: {_change(change)}"
        return
    for pair in compare_changes(record.changes, record.expected_changes):
        yield ""
        if pair.made:
            yield f"{pair.kind}: {_change(pair.made)}"
        if pair.expected and pair.kind != "as expected":
            yield f"{'missing' if pair.kind == 'missing' else 'expected'}: {_change(pair.expected)}"


def _change(change: ChangeEntry) -> str:
    return f"{place_text(change)}: {cells_text(change)}"
