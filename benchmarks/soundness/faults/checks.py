"""What an evaluation that met faults should have come to, and what it came to."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from benchmarks.soundness.faults.kinds import ENORMOUS, FAULTS, NO_TOOL
from worksmith.evals.records.entries import AskEntry
from worksmith.evals.records.record import EpisodeRecord

UNREADABLE: Mapping[str, Mapping[str, str]] = {
    "empty": {"text": "invalid_reply", "null": "invalid_reply"},
    "enormous": {"babble": "invalid_reply"},
    "refused": {"refusal": "refused", "filter": "filtered"},
    "truncated": {"half": "truncated"},
}
"""The status of an episode whose model meets a form of a fault twice in the same step, by kind and form.

The agent shows the model its first such reply once, with what is wrong. All other forms end no episode: those
that another try mends are tried again, a call of a missing tool is an observation, missing token counts are
estimated.
"""

_OWN = ("finished", "step_limit", "repetition")


def form_met(kind: str, ask: AskEntry) -> str | None:
    """The form of a fault that the reply to a question has, where one can see it; None for no such form."""
    reply = ask.exchange.reply if ask.exchange is not None else ""
    if kind == "refused":
        return {"refusal": "refusal", "content_filter": "filter"}.get(ask.finish_reason)
    if kind == "truncated":
        return "half" if ask.finish_reason == "length" else None
    if kind == "empty":
        return None if reply.strip() else "text"
    if kind == "enormous" and len(reply) > ENORMOUS // 2:
        return "babble" if len(reply.strip()) > ENORMOUS // 2 else "blanks"
    return "missing" if kind == "no_usage" and ask.usage.estimated else None


def wrong_classifications(
    kind: str,
    records: Sequence[EpisodeRecord],
    logged: Sequence[EpisodeRecord],
    counts: Mapping[str, Any],
) -> list[str]:
    """What was taken for something else, in words.

    Args:
        records: the last of each episode.
        logged: all, those of lost attempts as well.
        counts: of the proxy.
    """
    wrong = [
        f"{each.task_id}: {each.status}, {each.error}" for each in records if not _as_expected(kind, each)
    ]
    lost = [each for each in logged if not each.graded]
    wrong += [f"{each.task_id} was lost: {each.error}" for each in lost if not FAULTS[kind].mends]
    wrong += [f"{each.task_id} was lost as {each.status}" for each in lost if each.status != "model_error"]
    met, made = _met(kind, records, logged), sum(counts["faults"].values())
    if met != made:
        wrong.append(f"{met} faults were seen, {made} were made")
    return wrong


def _as_expected(kind: str, record: EpisodeRecord) -> bool:
    """Whether an episode ended as its last replies say."""
    endings = UNREADABLE.get(kind, {})
    last = [(ask.call, endings.get(form_met(kind, ask) or "")) for ask in record.asks[-2:]]
    if len(last) == 2 and last[0][0] == last[1][0] and all(status for _, status in last):
        return record.status == last[1][1]
    return record.status in _OWN


def _met(kind: str, records: Sequence[EpisodeRecord], logged: Sequence[EpisodeRecord]) -> int:
    """The number of faults that the records tell of; of kinds that retries mend, the failed requests."""
    if FAULTS[kind].mends:
        asks = [ask for record in logged for ask in record.asks if ask.paid_requests]
        return sum(ask.paid_requests - bool(ask.finish_reason) for ask in asks)
    if kind == "wrong_tool":
        return sum(call.tool == NO_TOOL for record in records for call in record.calls)
    return sum(form_met(kind, ask) is not None for record in records for ask in record.asks)


def doubled_effects(
    record: EpisodeRecord, undisturbed: EpisodeRecord, writing: Collection[str]
) -> Counter[str]:
    """Calls that changed the world more often than in the same episode without faults."""
    here, there = _writes(record, writing), _writes(undisturbed, writing)
    return Counter({call: count - there[call] for call, count in here.items() if count > max(1, there[call])})


def same_work(record: EpisodeRecord, undisturbed: EpisodeRecord) -> bool:
    """Whether two episodes made the same calls, changed the same and have the same scores."""
    return bool(_work(record) == _work(undisturbed))


def _work(record: EpisodeRecord) -> Any:
    calls = [(call.tool, call.arguments, call.status, call.observation) for call in record.calls]
    return record.status, calls, record.changes, record.answer, record.scores


def _writes(record: EpisodeRecord, writing: Collection[str]) -> Counter[str]:
    return Counter(
        f"{call.tool} {json.dumps(call.arguments, sort_keys=True)}"
        for call in record.calls
        if call.tool in writing and call.status == "ok"
    )
