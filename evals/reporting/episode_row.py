"""An episode as one row of data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from worksmith.evals.task_kind import kind_of

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord


def episode_row(label: str, record: EpisodeRecord) -> dict[str, Any]:
    """The row of an episode of the run `label`, as JSON-able data."""
    scores, kind = record.scores, kind_of([record])
    return {
        "run": label,
        "task_id": record.task_id,
        "trial": record.trial,
        "domain": record.domains[0] if len(record.domains) == 1 else "multi_domain",
        "intent": record.intent,
        "query": record.query,
        "status": record.status,
        "correct": bool(scores.get("outcome", 0.0)),
        "unwanted_side_effects": bool(scores.get("unwanted_side_effects", 0.0)),
        # Of the calls; where answers are compared with a text, of the answer.
        "exact_match": bool(scores.get("exact_match", scores.get("exact_strict", 0.0))),
        **{name: scores[name] for name in (kind.published_score, *kind.further_scores) if name in scores},
        "steps": record.steps,
        "model_calls": record.model_calls,
        "used_tokens": record.usage.used_tokens,
        "paid_tokens": record.usage.paid_tokens,
        "cached_tokens": record.cached_tokens,
        "paid_requests": record.paid_requests,
        "estimated": record.estimated,
        "seconds": round(record.seconds, 4),
        "error": record.error,
        "fault": record.fault.kind if record.fault else None,
    }
