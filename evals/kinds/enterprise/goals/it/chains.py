"""IT: tickets, and the people and policies around them."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.it.ticket_lookup import (
    draw_named,
    draw_numbered,
    find_ticket,
    open_ticket,
    policy_of,
    policy_page,
    ticket_fact,
)
from worksmith.evals.kinds.enterprise.goals.paths import HERE, Ask, Link

_POLICY = Link(
    lambda ctx, ticket: policy_page(ctx, ticket_fact(ctx, ticket, "clause")),
    lambda plan, ticket: policy_of(plan, plan.fact(ticket, "clause")),
)
_VERDICT = Ask(
    HERE,
    lambda ctx, ticket: entities.yes_or_no(ticket_fact(ctx, ticket, "clause_result") == "obeyed"),
    lambda plan, ticket: "yes" if plan.understood(ticket, "clause_result") == "obeyed" else "no",
)

GROUP = GoalGroup(
    "it/chains.toml",
    draws=(draw_numbered, draw_named),
    finds=(open_ticket, find_ticket),
    links={"policy": _POLICY},
    asks={"verdict": _VERDICT},
)
