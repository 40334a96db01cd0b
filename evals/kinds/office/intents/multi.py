"""M1-M21: tasks that need several toolkits."""

from __future__ import annotations

from evals.kinds.office.intents import multi_contacts, multi_metrics, multi_overdue

INTENTS = tuple(
    sorted(
        (*multi_contacts.INTENTS, *multi_overdue.INTENTS, *multi_metrics.INTENTS),
        key=lambda intent: int(intent.code.removeprefix("M")),
    )
)
