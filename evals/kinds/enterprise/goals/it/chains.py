"""IT: tickets, and the people and policies around them."""

from __future__ import annotations

from functools import partial

from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.it.ticket_lookup import (
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
from worksmith.evals.kinds.enterprise.goals.paths import HERE, MANAGER, Ask, Link, Question, Start

GROUP = GoalGroup("it/chains.toml")

_ANY = Start("tickets", draw_numbered, open_ticket)
_RESOLVED = Start("tickets", partial(draw_numbered, status="resolved"), open_ticket)
_NAMED = Start("tickets", draw_named, find_ticket)
_NAMED_RESOLVED = Start("tickets", partial(draw_named, status="resolved"), find_ticket)

_RAISER, _RESOLVER = HERE.to(Link(raiser, raiser_of)), HERE.to(Link(resolver, resolver_of))
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
_CITY = _RAISER.fact("employees", "location")
_TITLE = _RESOLVER.text("title")
_OPEN = HERE.count("tickets", "How many tickets are open there?", "emp_id", "resolver", status="open")
_RAISED = HERE.count("tickets", "How many are there of that raiser?", "raised_by_emp_id", "raised_by")
_APART = [(_RAISER, _RESOLVER)]

GROUP.add(
    raiser_contact=Question(_ANY, _RAISER.text("title"), _CITY),
    resolver_contact=Question(_NAMED, _NUMBER, _RESOLVER.email()),
    policy=Question(_NAMED_RESOLVED, *_RULE),
    verdict=Question(_RESOLVED, _VERDICT, _POLICY.text("title")),
    raiser_manager=Question(
        _ANY, _RAISER.person(), _RAISER.to(MANAGER).person(), _RAISER.to(MANAGER).text("title")
    ),
    resolver_load=Question(_NAMED, _NUMBER, _TITLE, _OPEN),
    policy_resolver=Question(_NAMED_RESOLVED, *_RULE, _TITLE),
    both_contacts=Question(_ANY, _CITY, _TITLE, apart=_APART),
    policy_load=Question(_NAMED_RESOLVED, *_RULE, _TITLE, _OPEN),
    both_load=Question(_ANY, _RAISER.person(), _CITY, _TITLE, _OPEN, apart=_APART),
    verdict_load=Question(_RESOLVED, _VERDICT, _POLICY.text("title"), _CITY, _TITLE, _OPEN, apart=_APART),
    policy_both=Question(_NAMED_RESOLVED, *_RULE, _CITY, _TITLE, _OPEN, apart=_APART),
    policy_all=Question(_NAMED_RESOLVED, *_RULE, _CITY, _TITLE, _OPEN, _RAISED, apart=_APART),
)
