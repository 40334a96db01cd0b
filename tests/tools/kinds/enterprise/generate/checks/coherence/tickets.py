"""A ticket is about one problem: what the user sees and adds, the cause, the deed and the advice."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.tools.kinds.enterprise.generate.problems import Problem, problems
from worksmith.tools.kinds.enterprise.generate.wording import texts
from worksmith.tools.kinds.enterprise.stated.phrases import Phrases


def incoherent_ticket(ticket: Record, _: Facts) -> Iterator[str]:
    """What does not belong to the problem that the ticket states."""
    issue, resolution = ticket["issue"], ticket["resolution"]
    stated = [one for one in _all() if any(symptom in issue for symptom in one.symptoms)]
    if len(stated) != 1:
        yield f"it states {len(stated)} symptoms"
        return
    problem = stated[0]
    if problem.category != ticket["category"]:
        yield f"{problem.name!r} is no problem of the category {ticket['category']}"
    for part, text in (("issue", issue), ("resolution", resolution)):
        for phrase, owners in _phrases(part).found(text):
            if problem not in owners:
                yield f"{phrase!r} does not belong to the problem {problem.name!r}"
    if not any(detail in issue for detail in problem.details):
        yield f"it has no detail of the problem {problem.name!r}"
    yield from _work(issue, problem)
    yield from _outcome(ticket, problem)


def _outcome(ticket: Record, problem: Problem) -> Iterator[str]:
    """An open ticket waits for something; a resolved one has a cause with its deed."""
    text = ticket["resolution"]
    if ticket["status"] == "open":
        if text not in problem.waiting:
            yield f"nothing of the problem {problem.name!r} waits for that"
    elif not any(cause in text and done in text for cause, done in problem.remedies):
        yield f"cause and deed are not those of the problem {problem.name!r}"
    elif not any(one.id in text and (one.obeyed in text or one.broken in text) for one in problem.clauses):
        yield f"no clause that the work on {problem.name!r} can obey or break"


def _work(issue: str, problem: Problem) -> Iterator[str]:
    kinds = {kind for _, owners in _works().found(issue) for kind in owners}
    if kinds != {problem.work}:
        stated = ", ".join(sorted(kinds)) or "silent"
        yield f"the user is {stated}, the problem {problem.name!r} is {problem.work}"


@cache
def _all() -> tuple[Problem, ...]:
    return tuple(one for known in problems().values() for one in known)


@cache
def _phrases(part: str) -> Phrases[Problem]:
    return Phrases((phrase, one) for one in _all() for phrase in _said(one, part))


def _said(one: Problem, part: str) -> tuple[str, ...]:
    if part == "issue":
        return one.symptoms + one.details
    return one.advice + one.waiting + tuple(phrase for pair in one.remedies for phrase in pair)


@cache
def _works() -> Phrases[str]:
    return Phrases((line, kind) for kind, lines in texts("tickets/words")["work"].items() for line in lines)
