"""IT: from tickets to those who raised or solved them, to those above, and to the policies that they name."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.goal import Book, Slots, Values
from evals.kinds.enterprise.goals.it import (
    HELPDESK,
    Named,
    draw_named,
    draw_ticket,
    find_ticket,
    open_ticket,
    policy_of,
    raiser,
    raiser_of,
    resolver,
    resolver_of,
    title_of_clause,
    told,
)
from evals.kinds.enterprise.goals.it_tickets import SUBAREA
from evals.kinds.enterprise.goals.messages import manager_of
from evals.kinds.enterprise.goals.scene import Draw, Scene
from evals.kinds.enterprise.goals.script import Row, Script
from evals.tasks.task import Entity

BOOK = Book("IT", "it_chains.toml", departments=HELPDESK)


# --- two steps ------------------------------------------------------------------------------------------


def draw_raiser_contact(scene: Scene) -> Draw | None:
    """Who raised a ticket."""
    row = draw_ticket(scene)
    person = raiser(scene, row) if row else None
    if row is None or person is None:
        return None
    answer = [_address(person), entities.text(person["title"])]
    return scene.draw({"ticket": row["ticket_id"]}, answer=answer, about=[("tickets", row)])


@BOOK.goal(SUBAREA, steps=2, draw=draw_raiser_contact, denials=("wrong_department",))
def raiser_contact(slots: Slots, call: Script) -> Values:
    """Ticket, directory."""
    person = raiser_of(call, open_ticket(call, slots))
    return person["email"], person["title"]


def draw_resolver_contact(scene: Scene) -> Draw | None:
    """Who works on a ticket."""
    found = draw_named(scene)
    person = resolver(scene, found[0]) if found else None
    return _draw(scene, found, _number(found), _address(person)) if found and person else None


@BOOK.goal(SUBAREA, steps=2, draw=draw_resolver_contact)
def resolver_contact(slots: Slots, call: Script) -> Values:
    """Ticket, directory."""
    ticket = find_ticket(call, slots)
    return ticket["ticket_id"], resolver_of(call, ticket)["email"]


def draw_policy(scene: Scene) -> Draw | None:
    """The policy that a solved ticket names."""
    found = draw_named(scene, status="resolved")
    return _draw(scene, found, *_policy(scene, found)) if found else None


@BOOK.goal(SUBAREA, steps=2, draw=draw_policy)
def policy(slots: Slots, call: Script) -> Values:
    """Ticket, policy."""
    return _look_up_policy(call, find_ticket(call, slots))


def draw_verdict(scene: Scene) -> Draw | None:
    """Whether a solved ticket followed the policy that it names."""
    row = draw_ticket(scene, status="resolved")
    if row is None:
        return None
    clause = told(scene, row, "clause")
    answer = [
        entities.yes_or_no(told(scene, row, "clause_result") == "obeyed"),
        entities.text(title_of_clause(scene, clause)),
    ]
    return scene.draw({"ticket": row["ticket_id"]}, answer=answer, about=[("tickets", row)])


@BOOK.goal(SUBAREA, steps=2, draw=draw_verdict)
def verdict(slots: Slots, call: Script) -> Values:
    """Ticket, policy."""
    ticket = open_ticket(call, slots)
    obeyed = call.understood(ticket, "clause_result") == "obeyed"
    return "yes" if obeyed else "no", policy_of(call, call.fact(ticket, "clause"))["title"]


# --- three and more -------------------------------------------------------------------------------------


def draw_raiser_manager(scene: Scene) -> Draw | None:
    """The manager of who raised a ticket, by number."""
    row = draw_ticket(scene)
    person = raiser(scene, row) if row else None
    manager = scene.facts.manager(person["emp_id"]) if person else None
    if row is None or person is None or manager is None:
        return None
    answer = [entities.person(person), _address(manager)]
    return scene.draw({"ticket": row["ticket_id"]}, answer=answer, about=[("tickets", row)])


@BOOK.goal(SUBAREA, steps=3, draw=draw_raiser_manager)
def raiser_manager(slots: Slots, call: Script) -> Values:
    """Ticket, raiser, manager."""
    person = raiser_of(call, open_ticket(call, slots))
    return person["name"], manager_of(call, person)["email"]


def draw_resolver_manager(scene: Scene) -> Draw | None:
    """The manager of who works on a ticket."""
    found = draw_named(scene)
    person = resolver(scene, found[0]) if found else None
    manager = scene.facts.manager(person["emp_id"]) if person else None
    return _draw(scene, found, _number(found), _address(manager)) if found and manager else None


@BOOK.goal(SUBAREA, steps=3, draw=draw_resolver_manager)
def resolver_manager(slots: Slots, call: Script) -> Values:
    """Ticket, resolver, manager."""
    ticket = find_ticket(call, slots)
    return ticket["ticket_id"], manager_of(call, resolver_of(call, ticket))["email"]


def draw_policy_resolver(scene: Scene) -> Draw | None:
    """The policy, and who solved the ticket."""
    found = draw_named(scene, status="resolved")
    person = resolver(scene, found[0]) if found else None
    return _draw(scene, found, *_policy(scene, found), _address(person)) if found and person else None


@BOOK.goal(SUBAREA, steps=3, draw=draw_policy_resolver)
def policy_resolver(slots: Slots, call: Script) -> Values:
    """Ticket, policy, resolver."""
    ticket = find_ticket(call, slots)
    return *_look_up_policy(call, ticket), resolver_of(call, ticket)["email"]


def draw_both_contacts(scene: Scene) -> Draw | None:
    """Who raised a ticket, and who works on it."""
    row = draw_ticket(scene)
    people = _both(scene, row) if row else None
    if row is None or people is None:
        return None
    answer = [_address(person) for person in people]
    return scene.draw({"ticket": row["ticket_id"]}, answer=answer, about=[("tickets", row)])


@BOOK.goal(SUBAREA, steps=3, draw=draw_both_contacts)
def both_contacts(slots: Slots, call: Script) -> Values:
    """Ticket, raiser, resolver."""
    ticket = open_ticket(call, slots)
    return raiser_of(call, ticket)["email"], resolver_of(call, ticket)["email"]


def draw_policy_manager(scene: Scene) -> Draw | None:
    """The policy, and the manager of who solved the ticket."""
    found = draw_named(scene, status="resolved")
    person = resolver(scene, found[0]) if found else None
    manager = scene.facts.manager(person["emp_id"]) if person else None
    return _draw(scene, found, *_policy(scene, found), _address(manager)) if found and manager else None


@BOOK.goal(SUBAREA, steps=4, draw=draw_policy_manager)
def policy_manager(slots: Slots, call: Script) -> Values:
    """Ticket, policy, resolver, manager."""
    ticket = find_ticket(call, slots)
    return *_look_up_policy(call, ticket), manager_of(call, resolver_of(call, ticket))["email"]


def draw_raiser_chain(scene: Scene) -> Draw | None:
    """Two levels above who raised a ticket."""
    row = draw_ticket(scene)
    person = raiser(scene, row) if row else None
    first = scene.facts.manager(person["emp_id"]) if person else None
    second = scene.facts.manager(first["emp_id"]) if first else None
    if row is None or person is None or second is None:
        return None
    answer = [entities.person(person), _address(second)]
    return scene.draw({"ticket": row["ticket_id"]}, answer=answer, about=[("tickets", row)])


@BOOK.goal(SUBAREA, steps=4, draw=draw_raiser_chain)
def raiser_chain(slots: Slots, call: Script) -> Values:
    """Ticket, raiser, two levels above."""
    person = raiser_of(call, open_ticket(call, slots))
    return person["name"], manager_of(call, manager_of(call, person))["email"]


def draw_both_managers(scene: Scene) -> Draw | None:
    """The managers of both."""
    row = draw_ticket(scene)
    above = _managers(scene, row) if row else None
    if row is None or above is None:
        return None
    answer = [_address(manager) for manager in above]
    return scene.draw({"ticket": row["ticket_id"]}, answer=answer, about=[("tickets", row)])


@BOOK.goal(SUBAREA, steps=5, draw=draw_both_managers)
def both_managers(slots: Slots, call: Script) -> Values:
    """Ticket, raiser, manager, resolver, manager."""
    ticket = open_ticket(call, slots)
    above = manager_of(call, raiser_of(call, ticket))
    return above["email"], manager_of(call, resolver_of(call, ticket))["email"]


def draw_policy_both(scene: Scene) -> Draw | None:
    """The policy, who solved the ticket, and the manager of who raised it."""
    found = draw_named(scene, status="resolved")
    people = _both(scene, found[0]) if found else None
    manager = scene.facts.manager(people[0]["emp_id"]) if people else None
    if found is None or people is None or manager is None or manager is people[1]:
        return None
    return _draw(scene, found, *_policy(scene, found), _address(people[1]), _address(manager))


@BOOK.goal(SUBAREA, steps=5, draw=draw_policy_both)
def policy_both(slots: Slots, call: Script) -> Values:
    """Ticket, policy, resolver, raiser, manager."""
    ticket = find_ticket(call, slots)
    about = _look_up_policy(call, ticket)
    helper = resolver_of(call, ticket)
    return *about, helper["email"], manager_of(call, raiser_of(call, ticket))["email"]


def draw_policy_managers(scene: Scene) -> Draw | None:
    """The policy and the managers of both."""
    found = draw_named(scene, status="resolved")
    above = _managers(scene, found[0]) if found else None
    if found is None or above is None:
        return None
    return _draw(scene, found, *_policy(scene, found), *(_address(manager) for manager in above))


@BOOK.goal(SUBAREA, steps=6, draw=draw_policy_managers)
def policy_managers(slots: Slots, call: Script) -> Values:
    """Ticket, policy, raiser, manager, resolver, manager."""
    ticket = find_ticket(call, slots)
    about = _look_up_policy(call, ticket)
    above = manager_of(call, raiser_of(call, ticket))
    return *about, above["email"], manager_of(call, resolver_of(call, ticket))["email"]


# --- parts ----------------------------------------------------------------------------------------------


def _draw(scene: Scene, found: Named, *answer: Entity) -> Draw | None:
    row, slots = found
    return scene.draw(slots, answer=answer, about=[("tickets", row)])


def _number(found: Named) -> Entity:
    return entities.ident("ticket_id", found[0]["ticket_id"])


def _address(person: Record) -> Entity:
    return entities.ident("email", person["email"])


def _policy(scene: Scene, found: Named) -> tuple[Entity, Entity]:
    clause = told(scene, found[0], "clause")
    return entities.text(clause), entities.text(title_of_clause(scene, clause))


def _look_up_policy(call: Script, ticket: Row) -> tuple[str, str]:
    clause = call.fact(ticket, "clause")
    return clause, policy_of(call, clause)["title"]


def _both(scene: Scene, ticket: Record) -> tuple[Record, Record] | None:
    """Raiser and resolver, two different people and neither the persona."""
    pair = raiser(scene, ticket), resolver(scene, ticket)
    return (pair[0], pair[1]) if pair[0] and pair[1] and pair[0] is not pair[1] else None


def _managers(scene: Scene, ticket: Record) -> tuple[Record, Record] | None:
    """Their managers, two different people."""
    people = _both(scene, ticket)
    first, second = (scene.facts.manager(p["emp_id"]) for p in people) if people else (None, None)
    return (first, second) if first and second and first is not second else None
