"""The reasons to deny a task: the persona to put in the place of a permitted one."""

from __future__ import annotations

from collections.abc import Callable

from worksmith.evals.kinds.enterprise.facts import Facts, Record

_HIGHEST = "10"
"""Seniors may do much across departments; who is to be denied comes from below."""

_PERSONNEL = "HR"


def to_deny(reason: str, facts: Facts, allowed: Record, subject: str) -> list[Record]:
    """The employees whom a plan that `allowed` may carry out could be denied for this reason.

    Args:
        subject: the employee acted upon, if any.
    """
    return REASONS[reason](facts, allowed, subject)


def _others(facts: Facts, allowed: Record, _subject: str) -> list[Record]:
    """Colleagues of the same department: what is denied is somebody else's."""
    staff = facts.staff((allowed["department"],))
    return [row for row in staff if row["emp_id"] != allowed["emp_id"] and row["level"] <= _HIGHEST]


def _elsewhere(facts: Facts, allowed: Record, _subject: str) -> list[Record]:
    staff = facts.staff()
    return [row for row in staff if row["department"] != allowed["department"] and row["level"] <= _HIGHEST]


def _lower(facts: Facts, allowed: Record, _subject: str) -> list[Record]:
    return [row for row in facts.staff((allowed["department"],)) if row["level"] < allowed["level"]]


def _oneself(facts: Facts, _allowed: Record, subject: str) -> list[Record]:
    return [row for row in facts.active if row["emp_id"] == subject]


def _gone(facts: Facts, allowed: Record, _subject: str) -> list[Record]:
    """Former employees, those of the same department first if there are any."""
    same = [row for row in facts.left if row["department"] == allowed["department"]]
    return same + [row for row in facts.left if row["department"] != allowed["department"]]


def _outsiders(facts: Facts, _allowed: Record, subject: str) -> list[Record]:
    """Who is neither in the personnel department nor above the subject."""
    above = facts.above(subject)
    return [
        row
        for row in facts.staff()
        if row["department"] != _PERSONNEL and row["emp_id"] not in above and row["emp_id"] != subject
    ]


REASONS: dict[str, Callable[[Facts, Record, str], list[Record]]] = {
    "not_participant": _others,  # of a chat, mail or ticket
    "not_owner": _others,  # nor senior enough
    "wrong_department": _elsewhere,
    "level_too_low": _lower,
    "self_protection": _oneself,
    "left_company": _gone,
    "private_field": _outsiders,  # not the employee, a manager above or the personnel department
}
"""The reasons for a denial, each with a function that gives the employees who are denied for it."""
