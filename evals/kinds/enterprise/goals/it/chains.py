"""IT: tickets, and the people and policies around them."""

from __future__ import annotations

from functools import partial

from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.goal import GoalGroup
from evals.kinds.enterprise.goals.it.ticket_lookup import (
    HELPDESK,
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
    told,
)
from evals.kinds.enterprise.goals.it.tickets import SUBAREA
from evals.kinds.enterprise.goals.paths import (
    HERE,
    MANAGER,
    Ask,
    Link,
    Path,
    Question,
    Start,
    email,
    fact,
    ident,
    person,
    text,
)

GROUP = GoalGroup("IT", "it/chains.toml", departments=HELPDESK)

_ANY = Start("tickets", draw_numbered, open_ticket)
_RESOLVED = Start("tickets", partial(draw_numbered, status="resolved"), open_ticket)
_NAMED = Start("tickets", draw_named, find_ticket)
_NAMED_RESOLVED = Start("tickets", partial(draw_named, status="resolved"), find_ticket)

_RAISER, _RESOLVER = Path().to(Link(raiser, raiser_of)), Path().to(Link(resolver, resolver_of))
_RAISERS_MANAGER, _RESOLVERS_MANAGER = _RAISER.to(MANAGER), _RESOLVER.to(MANAGER)
_POLICY = Path().to(
    Link(
        lambda ctx, ticket: policy_page(ctx, told(ctx, ticket, "clause")),
        lambda plan, ticket: policy_of(plan, plan.fact(ticket, "clause")),
    )
)

_NUMBER = ident(HERE, "ticket_id")
_RULE = (fact(HERE, "tickets", "clause"), text(_POLICY, "title"))
_VERDICT = Ask(
    HERE,
    lambda ctx, ticket: entities.yes_or_no(told(ctx, ticket, "clause_result") == "obeyed"),
    lambda plan, ticket: "yes" if plan.understood(ticket, "clause_result") == "obeyed" else "no",
)
_TWO_PEOPLE = (_RAISER, _RESOLVER)
_TWO_MANAGERS = (_RAISERS_MANAGER, _RESOLVERS_MANAGER)

_QUESTIONS = {
    "raiser_contact": (2, Question(_ANY, email(_RAISER), text(_RAISER, "title"))),
    "resolver_contact": (2, Question(_NAMED, _NUMBER, email(_RESOLVER))),
    "policy": (2, Question(_NAMED_RESOLVED, *_RULE)),
    "verdict": (2, Question(_RESOLVED, _VERDICT, text(_POLICY, "title"))),
    "raiser_manager": (3, Question(_ANY, person(_RAISER), email(_RAISERS_MANAGER))),
    "resolver_manager": (3, Question(_NAMED, _NUMBER, email(_RESOLVERS_MANAGER))),
    "policy_resolver": (3, Question(_NAMED_RESOLVED, *_RULE, email(_RESOLVER))),
    "both_contacts": (3, Question(_ANY, email(_RAISER), email(_RESOLVER), apart=[_TWO_PEOPLE])),
    "policy_manager": (4, Question(_NAMED_RESOLVED, *_RULE, email(_RESOLVERS_MANAGER))),
    "raiser_chain": (4, Question(_ANY, person(_RAISER), email(_RAISERS_MANAGER.to(MANAGER)))),
    "both_managers": (5, Question(_ANY, *map(email, _TWO_MANAGERS), apart=[_TWO_PEOPLE, _TWO_MANAGERS])),
    "policy_both": (
        5,
        Question(
            _NAMED_RESOLVED,
            *_RULE,
            email(_RESOLVER),
            email(_RAISERS_MANAGER),
            apart=[_TWO_PEOPLE, (_RAISERS_MANAGER, _RESOLVER)],
        ),
    ),
    "policy_managers": (
        6,
        Question(_NAMED_RESOLVED, *_RULE, *map(email, _TWO_MANAGERS), apart=[_TWO_PEOPLE, _TWO_MANAGERS]),
    ),
}

for _name, (_steps, _question) in _QUESTIONS.items():
    _denials = ("wrong_department",) if _name == "raiser_contact" else ()
    GROUP.add(_name, SUBAREA, _question, steps=_steps, denials=_denials)
