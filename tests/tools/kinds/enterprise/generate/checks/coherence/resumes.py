"""A resume tells of the work of the department that it was sent to; a graduate tells of studies instead."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.tools.kinds.enterprise.generate.grammar import grammar
from worksmith.tools.kinds.enterprise.generate.wording import texts
from worksmith.tools.kinds.enterprise.stated.phrases import Phrases
from worksmith.tools.kinds.enterprise.stated.sentences import read


def incoherent_resume(resume: Record, facts: Facts) -> Iterator[str]:
    """What does not belong to the department, or to somebody with or without experience."""
    text, employee = resume["content"], facts.person(resume["emp_id"])
    department = employee["department"] if employee else ""
    years = read(grammar("resumes"), "years_before", text)
    told = [(phrase, owner) for phrase, owners in _told().found(text) for owner in owners]
    kind = "done" if years else "learned"
    if not told:
        yield "it tells of nothing that was done or learned"
    for phrase, owner in told:
        if owner != (kind, department):
            yield f"{phrase!r} does not belong to {department} {'with' if years else 'without'} experience"
    if any(_fresh().found(text)) == bool(years):
        yield "experience and graduation contradict each other"
    if not years and any(beginning in text for beginning in _moving()):
        yield "somebody without a position wants to leave it"
    for position in read(grammar("resumes"), "applied_for", text):
        if position not in texts("employees")["departments"].get(department, {}).get("associate", ()):
            yield f"{department} has no position {position!r}"


@cache
def _fresh() -> Phrases[str]:
    """What only those say who have just graduated."""
    return Phrases((line, "fresh") for line in texts("resumes")["other"]["fresh"])


@cache
def _moving() -> tuple[str, ...]:
    """How sentences begin that only those say who have a position."""
    return tuple(line.partition("[")[0] for line in texts("resumes")["other"]["moving"])


@cache
def _told() -> Phrases[tuple[str, str]]:
    return Phrases(
        (phrase, (kind, department))
        for kind in ("done", "learned")
        for department, phrases in texts("resumes")[kind].items()
        for phrase in phrases
    )
