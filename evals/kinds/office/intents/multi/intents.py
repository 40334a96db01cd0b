"""M1-M21: tasks that need several toolkits."""

from __future__ import annotations

from worksmith.evals.kinds.office.intents.multi import contacts, metrics, overdue

INTENTS = tuple(
    sorted(
        (*contacts.INTENTS, *overdue.INTENTS, *metrics.INTENTS),
        key=lambda intent: int(intent.code.removeprefix("M")),
    )
)
