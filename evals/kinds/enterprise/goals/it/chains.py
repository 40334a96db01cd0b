"""IT: tickets, and the people and policies around them."""

from __future__ import annotations

from functools import partial

from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.goal import GoalGroup
from evals.kinds.enterprise.goals.it.ticket_lookup import (
    draw_named,
    draw_numbered,
    find_ticket,
    open_ticket,
    policy_of,
    policy_page,
    raiser,
    raiser_of,
    resolver,
    resolver_of,
    ticket_fact,
)
from evals.kinds.enterprise.goals.paths import HERE, MANAGER, Ask, Link, Question, Start

GROUP = GoalGroup("it/chains.toml")

_ANY = Start("tickets", draw_numbered, open_ticket)
_RESOLVED = Start("tickets", partial(draw_numbered, status="resolved"), open_ticket)
_NAMED = Start("tickets", draw_named, find_ticket)
_NAMED_RESOLVED = Start("tickets", partial(draw_named, status="resolved"), find_ticket)

_RAISER, _RESOLVER = HERE.to(Link(raiser, raiser_of)), HERE.to(Link(resolver, resolver_of))
_RAISERS_MANAGER, _RESOLVERS_MANAGER = _RAISER.to(MANAGER), _RESOLVER.to(MANAGER)
_POLICY = HERE.to(
    Link(
        lambda ctx, ticket: policy_page(ctx, ticket_fact(ctx, ticket, "clause")),
        lambda plan, ticket: policy_of(plan, plan.fact(ticket, "clause")),
    )
)

_NUMBER = HERE.ident("ticket_id")
_RULE = (HERE.fact("tickets", "clause"), _POLICY.text("title"))
_VERDICT = Ask(
    HERE,
    lambda ctx, ticket: entities.yes_or_no(ticket_fact(ctx, ticket, "clause_result") == "obeyed"),
    lambda plan, ticket: "yes" if plan.understood(ticket, "clause_result") == "obeyed" else "no",
)
_TWO_PEOPLE = (_RAISER, _RESOLVER)
_TWO_MANAGERS = (_RAISERS_MANAGER, _RESOLVERS_MANAGER)

GROUP.add(
    raiser_contact=Question(_ANY, _RAISER.email(), _RAISER.text("title")),
    resolver_contact=Question(_NAMED, _NUMBER, _RESOLVER.email()),
    policy=Question(_NAMED_RESOLVED, *_RULE),
    verdict=Question(_RESOLVED, _VERDICT, _POLICY.text("title")),
    raiser_manager=Question(_ANY, _RAISER.person(), _RAISERS_MANAGER.email()),
    resolver_manager=Question(_NAMED, _NUMBER, _RESOLVERS_MANAGER.email()),
    policy_resolver=Question(_NAMED_RESOLVED, *_RULE, _RESOLVER.email()),
    both_contacts=Question(_ANY, _RAISER.email(), _RESOLVER.email(), apart=[_TWO_PEOPLE]),
    policy_manager=Question(_NAMED_RESOLVED, *_RULE, _RESOLVERS_MANAGER.email()),
    raiser_chain=Question(_ANY, _RAISER.person(), _RAISERS_MANAGER.to(MANAGER).email()),
    both_managers=Question(
        _ANY, *(path.email() for path in _TWO_MANAGERS), apart=[_TWO_PEOPLE, _TWO_MANAGERS]
    ),
    policy_both=Question(
        _NAMED_RESOLVED,
        *_RULE,
        _RESOLVER.email(),
        _RAISERS_MANAGER.email(),
        apart=[_TWO_PEOPLE, (_RAISERS_MANAGER, _RESOLVER)],
    ),
    policy_managers=Question(
        _NAMED_RESOLVED, *_RULE, *(path.email() for path in _TWO_MANAGERS), apart=[_TWO_PEOPLE, _TWO_MANAGERS]
    ),
)
