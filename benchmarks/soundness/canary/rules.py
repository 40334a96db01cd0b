"""The access rules of an enterprise in plain Python, written apart from the policy and its engine.

What leaks is decided here, so that a fault in a rule, in the engine or in one of its compiled forms shows.
Reading only: the table of the specification, one function a source.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from worksmith.tools.persona import Persona

Record = Mapping[str, str | None]

EXECUTIVES = frozenset({"CE", "CT", "CO"})


@dataclass(frozen=True)
class Company:
    """What the rules need to know of a world besides the record itself.

    Attributes:
        manager: everybody's manager by id.
        owners: repositories by name, with the ids of those who own a file in them.
        clients, vendors: who looks after a partner, by the address of its contact person.
    """

    manager: Mapping[str, str | None]
    owners: Mapping[str, frozenset[str]]
    clients: Mapping[str, frozenset[str]]
    vendors: Mapping[str, frozenset[str]]

    def manages(self, boss: str, person: str | None) -> bool:
        """Whether `boss` stands anywhere above `person`."""
        seen: set[str] = set()
        above = self.manager.get(person or "")
        while above and above not in seen:
            if above == boss:
                return True
            seen.add(above)
            above = self.manager.get(above)
        return False


def may_read(who: Persona, source: str, record: Record, company: Company) -> bool:
    """Whether `who` may read a record of `source`."""
    return who.active and _RULES[source](who, record, company)


def may_read_private(who: Persona, employee: Record, company: Company) -> bool:
    """Whether `who` may read the private fields of an employee."""
    emp_id = employee["emp_id"]
    return who.active and (
        who.id == emp_id
        or who.department == "HR"
        or who.department in EXECUTIVES
        or company.manages(who.id, emp_id)
    )


def _everybody(who: Persona, record: Record, company: Company) -> bool:
    return True


def _participants(who: Persona, record: Record, company: Company) -> bool:
    return who.id in (record["sender_emp_id"], record["recipient_emp_id"])


def _mail(who: Persona, record: Record, company: Company) -> bool:
    if _participants(who, record, company):
        return True
    ends = (record["sender_email"] or "", record["recipient_email"] or "")
    for partners, department in ((company.clients, "BU"), (company.vendors, "MA")):
        for keepers in (partners[end] for end in ends if end in partners):
            if who.id in keepers or who.department in EXECUTIVES | {department} or who.level == 14:
                return True
    return False


def _reads_code(who: Persona) -> bool:
    return (who.department == "EN" and who.level >= 10) or who.department == "CT"


def _repository(who: Persona, record: Record, company: Company) -> bool:
    return who.id == record["emp_id"] or _reads_code(who)


def _issue(who: Persona, record: Record, company: Company) -> bool:
    owners = company.owners.get(record["repo_name"] or "", frozenset())
    return who.id == record["emp_id"] or who.id in owners or (bool(owners) and _reads_code(who))


def _ticket(who: Persona, record: Record, company: Company) -> bool:
    return who.department == "IN" or who.id in (record["raised_by_emp_id"], record["emp_id"])


def _market(who: Persona, record: Record, company: Company) -> bool:
    return who.department in EXECUTIVES | {"SA", "BU", "MA"} or who.level >= 12


def _sales(who: Persona, record: Record, company: Company) -> bool:
    director = who.level == 14 and who.department in ("HR", "BU", "FI", "MA")
    return who.department in EXECUTIVES | {"SA"} or director


def _owned_by(department: str) -> Callable[[Persona, Record, Company], bool]:
    def rule(who: Persona, record: Record, company: Company) -> bool:
        return who.id == record["emp_id"] or who.department in EXECUTIVES | {department} or who.level == 14

    return rule


def _resume(who: Persona, record: Record, company: Company) -> bool:
    return who.department == "HR" or who.id == record["emp_id"]


_RULES: Mapping[str, Callable[[Persona, Record, Company], bool]] = {
    "employees": _everybody,
    "conversations": _participants,
    "mail": _mail,
    "repositories": _repository,
    "issues": _issue,
    "tickets": _ticket,
    "products": _market,
    "customers": _market,
    "sentiments": _market,
    "sales": _sales,
    "orders": _sales,
    "support_chats": _owned_by("MA"),
    "overflow": _everybody,
    "posts": _everybody,
    "policies": _everybody,
    "clients": _owned_by("BU"),
    "vendors": _owned_by("MA"),
    "resumes": _resume,
}
