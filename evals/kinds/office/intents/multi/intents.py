"""M1-M21: tasks that need several toolkits."""

from __future__ import annotations

from worksmith.evals.kinds.office.intents.multi import conditional, contacts

INTENTS = tuple(
    sorted(
        (*contacts.INTENTS, *conditional.INTENTS),
        key=lambda intent: int(intent.code.removeprefix("M")),
    )
)
