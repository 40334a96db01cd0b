"""The facts of policy documents, as their pages show them, and their consequences."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from worksmith.evals.kinds.enterprise.facts import Facts
from worksmith.evals.kinds.enterprise.goals.draw_context import UnfitError
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from worksmith.tools.generating.latent import Latent

LEAVE, HANDBOOK, EXPENSES = "Leave Policy", "Employee Handbook", "Travel and Expenses Policy"
ASSETS, GOVERNANCE, RATINGS = (
    "IT Asset Management Policy",
    "Corporate Governance Policy",
    "Performance Management Policy",
)
COMPLIANCE = "Compliance Policy"

NOTICE = {"new": "EH-4", "settled": "EH-5"}
SIGNATURE = {"10": "CG-1", "12": "CG-2", "14": "CG-3"}
"""The clause on the signature of each level."""

TWO_SIGNATURES = "CG-4"

SOLUTION = {"high": "AM-6", "medium": "AM-7", "low": "AM-8"}
"""The clause on the time to solve tickets of each priority."""

CARRIED, PROBATION, RETURN, TRAINING = "LV-6", "EH-3", "AM-5", "CO-1"
HOTEL, MILEAGE = "TE-2", "TE-5"
PLAN = "PM-6"

_FOOTER = re.compile(r"[^\n:]+: [^\n]+ - page \d+ of \d+\s*$")
_NUMBER = re.compile(r"\d+")
_WEEKEND = 5


@dataclass(frozen=True)
class Rule:
    """A clause as its document's table states it.

    Attributes:
        bound: such as `at least 14 days`.
        exceptions: empty without any.
    """

    id: str
    subject: str
    bound: str
    exceptions: str

    @property
    def value(self) -> int:
        """The number in it."""
        found = _NUMBER.search(self.bound)
        if found is None:
            raise UnfitError(f"{self.id} has no number")
        return int(found[0])

    @property
    def exceptional(self) -> int:
        """The number in its exceptions; the usual one without any."""
        found = _NUMBER.search(self.exceptions)
        return int(found[0]) if found else self.value


def rules(plan: PlanRecorder, title: str, why: str, *wanted: str) -> list[Rule]:
    """Read a document, and these of its clauses.

    Raises:
        UnfitError: the document does not show one of them.
    """
    pages = plan.read("policies", why, title=title)
    texts = [" ".join(_FOOTER.sub("", page["text"]).split()) for page in pages]
    found = []
    for clause in wanted:
        rule = _entry(" ".join(texts), clause)
        for page, text in zip(pages, texts, strict=True):
            if f"{clause} {rule.subject[0].upper()}{rule.subject[1:]}." in text:
                plan.weigh(plan.pick(page))
        found.append(rule)
    return found


def rule(plan: PlanRecorder, title: str, why: str, wanted: str) -> Rule:
    """Read a document, and one of its clauses."""
    return rules(plan, title, why, wanted)[0]


def clause_query(wanted: str) -> str:
    """Words that a page with a clause has in its table: by the id alone other pages may come first."""
    return f"{wanted}: exceptions"


def title_of(plan: PlanRecorder, wanted: str, why: str) -> str:
    """Find the document that has a clause.

    Raises:
        UnfitError: a search for its id does not show it.
    """
    for page in plan.read("policies", why, query=clause_query(wanted)):
        if re.search(rf"\b{wanted}\b", page["text"]):
            plan.weigh(plan.pick(page))
            return page["title"]
    raise UnfitError(f"{wanted} is not found")


def clause(facts: Facts, wanted: str) -> Latent:
    return next(one for one in clauses(facts) if one.facts["clause"] == wanted)


def clauses(facts: Facts) -> list[Latent]:
    return facts.latents("policies", "clause")


def value(facts: Facts, wanted: str) -> int:
    """The number that a clause sets."""
    return int(clause(facts, wanted).facts["value"])


def exceptional(facts: Facts, wanted: str) -> int:
    """The number that the exceptions of a clause set."""
    found = _NUMBER.search(clause(facts, wanted).facts["exceptions"])
    return int(found[0]) if found else value(facts, wanted)


def title(facts: Facts, of: Latent) -> str:
    """The title of the document with a clause."""
    page = facts.at(of.ref)
    return page["title"] if page is not None else ""


def months_later(day: date, months: int) -> date:
    """The same day of a later month; days after the 28th do not occur in tasks."""
    month = day.month - 1 + months
    return day.replace(year=day.year + month // 12, month=month % 12 + 1)


def working_days_later(day: date, days: int) -> date:
    """So many days later, weekends aside."""
    while days:
        day += timedelta(days=1)
        days -= day.weekday() < _WEEKEND
    return day


def _entry(text: str, wanted: str) -> Rule:
    found = re.search(rf"{wanted}: ([^;]+); ([^;]+); exceptions: ([^.]*)\.", text)
    if found is None:
        raise UnfitError(f"{wanted} is not shown")
    subject, bound, exceptions = found.groups()
    return Rule(wanted, subject, bound, "" if exceptions == "none" else exceptions)
