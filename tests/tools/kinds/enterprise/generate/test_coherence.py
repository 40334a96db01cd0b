"""The verifier notices records whose parts do not belong together."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.kinds.enterprise.generate.checks.coherence.overflow import incoherent_thread
from tests.tools.kinds.enterprise.generate.checks.coherence.registry import verify_coherence
from tests.tools.kinds.enterprise.generate.checks.coherence.resumes import incoherent_resume
from tests.tools.kinds.enterprise.generate.checks.coherence.tickets import incoherent_ticket
from tests.tools.kinds.enterprise.generate.worlds import small
from worksmith.evals.kinds.enterprise.facts import Facts
from worksmith.tools.kinds.enterprise.generate.company import DEFAULT_NOW
from worksmith.tools.kinds.enterprise.generate.latent import Built
from worksmith.tools.kinds.enterprise.generate.problems import Problem, problems
from worksmith.tools.kinds.enterprise.generate.talk.forum import Problem as ForumProblem
from worksmith.tools.kinds.enterprise.generate.talk.forum import filled, forum_problems, problem_of
from worksmith.tools.kinds.enterprise.schema import TABLES

_NOWHERE = Facts(Built({}, []), DEFAULT_NOW)


_MINE, _OTHER = problems()["VPN"][:2]
_FOREIGN = problems()["Mobile phone"][0]
_WORK = "It keeps me from working on the floor plan for Amber Heron."


def ticket(about: Problem, **cells: str) -> dict[str, str]:
    cause, done = about.remedies[0]
    resolution = f"It was caused by {cause}. {done} {about.advice[0]} "
    resolution += f"As clause {about.clauses[0].id} demands, {about.clauses[0].obeyed}."
    issue = f"Hi, {about.symptoms[0]} {about.details[0]} {_WORK}"
    written = {"ticket_id": "1", "category": about.category, "status": "resolved"}
    return {**written, "issue": issue, "resolution": resolution, **cells}


def test_a_ticket_about_one_problem_is_fine() -> None:
    assert list(incoherent_ticket(ticket(_MINE), _NOWHERE)) == []
    waits = ticket(_MINE, status="open", resolution=_MINE.waiting[0])
    assert list(incoherent_ticket(waits, _NOWHERE)) == []


def _swapped(part: str, mine: str, other: str) -> dict[str, str]:
    return ticket(_MINE, **{part: ticket(_MINE)[part].replace(mine, other)})


@pytest.mark.parametrize(
    ("planted", "reason"),
    [
        (ticket(_MINE, category="E-mail"), "no problem of the category E-mail"),
        (_swapped("issue", _MINE.symptoms[0], "It does not work."), "it states 0 symptoms"),
        (_swapped("issue", _WORK, _OTHER.symptoms[0] + _WORK), "it states 2 symptoms"),
        (_swapped("issue", _MINE.details[0], _FOREIGN.details[0]), "does not belong"),
        (_swapped("issue", _MINE.details[0], "It rains."), "it has no detail"),
        (_swapped("issue", _WORK, "I need it for the floor plan in Amber Heron."), "the user is needed"),
        (ticket(_MINE, resolution=ticket(_OTHER)["resolution"]), "does not belong"),
        (_swapped("resolution", _MINE.remedies[0][0], _OTHER.remedies[0][0]), "cause and deed"),
        (_swapped("resolution", _MINE.remedies[0][1], _MINE.remedies[1][1]), "cause and deed"),
        (_swapped("resolution", _MINE.advice[0], _FOREIGN.advice[0]), "does not belong"),
        (_swapped("resolution", _MINE.clauses[0].obeyed, "the loss was reported"), "no clause"),
        (ticket(_MINE, status="open", resolution=_OTHER.waiting[0]), "waits for that"),
    ],
)
def test_a_ticket_of_two_problems_is_found(planted: dict[str, str], reason: str) -> None:
    assert any(reason in one for one in incoherent_ticket(planted, _NOWHERE))


@pytest.mark.slow
def test_the_record_is_named() -> None:
    built = small()
    record = built.records("tickets")[3]
    wrong = next(name for name in problems() if name != record["category"])
    cells = tuple(wrong if column == "category" else cell for column, cell in record.items())
    rows = [*built.rows["tickets"][:3], cells, *built.rows["tickets"][4:]]

    found = list(verify_coherence(Built({**built.rows, "tickets": rows}, built.latents)))

    assert len(found) == 1
    assert found[0].startswith(f"tickets/{record['ticket_id']}: ")


def test_problems_are_many_and_told_apart() -> None:
    known = [one for group in problems().values() for one in group]
    symptoms = [symptom for one in known for symptom in one.symptoms]

    assert len(problems()) == 12
    assert len(known) >= 150
    assert len(set(symptoms)) == len(symptoms)
    assert all(len(one.symptoms) >= 2 and one.remedies and one.clauses for one in known)


def thread(body: str, answer: str, **cells: str) -> Facts:
    """A question about the first problem of the forum, with an accepted answer."""
    asked = {
        "post_id": "Q-1",
        "post_type": "question",
        "accepted_answer_id": "A-2",
        "title": "PYX-1: Import works in the shell but not in the service",
        "tags": "python, how-to",
    }
    posts = [
        {**asked, "body": body, **cells},
        {"post_id": "A-2", "post_type": "answer", "parent_id": "Q-1", "body": answer},
    ]
    columns = next(table.columns for table in TABLES if table.name == "overflow")
    return Facts(
        Built({"overflow": [tuple(map(post.get, columns)) for post in posts]}, []),
        DEFAULT_NOW,
    )


def _faults(facts: Facts) -> list[str]:
    return [reason for post in facts.all("overflow") for reason in incoherent_thread(post, facts)]


_HAPPENS = "The same import runs in my shell and fails as soon as billing starts it."
_TRIED = "Reinstalling the package changed nothing."
_FIX = "My advice: start the service with the interpreter of the virtual environment."
_FAILED = "pip was new already, and the module is in the environment; the service still does not see it."
_UPGRADE = "My advice: upgrade pip to release 4.2 and install again."


def test_a_thread_about_one_problem_is_fine() -> None:
    assert _faults(thread(f"{_HAPPENS} It ends with PYX-1.\n\n{_TRIED}", _FIX)) == []
    failed = f"{_UPGRADE}\n\nAsker in reply: No luck: {_FAILED}"
    assert _faults(thread(_HAPPENS, failed, accepted_answer_id="")) == []


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        (thread(_HAPPENS, _FIX, title="PYX-1: Something is wrong"), "names no known problem"),
        (thread(_HAPPENS, _FIX, tags="sql, how-to"), "is one of Python"),
        (thread("Each click sends two requests.", _FIX), "what happens is not"),
        (thread(f"{_HAPPENS} The link lamp is on.", _FIX), "'The link lamp is on.' does not belong"),
        (thread(_HAPPENS, f"{_UPGRADE}\n\nAsker in reply: No luck: {_FAILED}"), "does not solve"),
        (thread(_HAPPENS, _UPGRADE, accepted_answer_id=""), "nor fails in a way that can be seen"),
        (thread(_HAPPENS, "My advice: rotate the logs.", accepted_answer_id=""), "neither solves"),
        (thread(_HAPPENS, f"{_FIX} Prune the images.", accepted_answer_id=""), "neither solves"),
        (thread(_HAPPENS, f"{_FIX}\n\nAsker in reply: No luck: {_FAILED}"), "does not solve"),
    ],
)
def test_a_thread_that_mixes_problems_is_found(facts: Facts, reason: str) -> None:
    assert any(reason in one for one in _faults(facts))


def test_the_forum_has_many_problems() -> None:
    titles = [title for one in forum_problems() for title in one.titles]

    assert len(forum_problems()) >= 200
    assert len(set(titles)) == len(titles)
    assert all(len(one.wrong) >= 2 and one.fixes and one.why for one in forum_problems())


@given(st.sampled_from(forum_problems()), st.randoms(use_true_random=False))
def test_all_slots_of_a_problem_get_values(problem: ForumProblem, numbers: Random) -> None:
    slots = problem.slots(numbers)
    fixes = [fix for fix, _ in (*problem.fixes, *problem.wrong)]

    for text in (*problem.titles, *problem.happens, *problem.tried, *problem.why, *fixes):
        assert "{" not in filled(text, slots)
    assert all("\n" not in filled(fix, slots) and len(filled(fix, slots)) <= 120 for fix in fixes)
    assert all(problem_of(filled(title, slots)) is problem for title in problem.titles)


_POSITION = "I apply as Recruiter, because Payroll is what I do best."
_YEARS = "I look back on 5 years of work, and on Payroll in each of them."
_SENT = f"{_POSITION} My last position was with Sahyadri Foods, mainly for Payroll. {_YEARS}"
_FRESH = "This would be my first position, after three months as an intern in which I met Payroll."


def _resume(*sentences: str, department: str = "HR") -> list[str]:
    columns = next(table.columns for table in TABLES if table.name == "employees")
    person = {"emp_id": "emp_0001", "department": department}
    facts = Facts(Built({"employees": [tuple(map(person.get, columns))]}, []), DEFAULT_NOW)
    return list(incoherent_resume({"emp_id": "emp_0001", "content": " ".join(sentences)}, facts))


_HIRED = "Hired 12 people in one season, of whom nearly all stayed."


def test_a_resume_of_one_career_is_fine() -> None:
    assert _resume(_SENT, _HIRED) == []
    assert _resume(_POSITION, _FRESH, "As an intern I took part in 12 interviews.") == []


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        (_resume(_SENT), "nothing that was done"),
        (_resume(_SENT, "Planned the fit-out of three floors."), "does not belong to HR"),
        (_resume(_SENT, "As an intern I took part in 12 interviews."), "with experience"),
        (_resume(_SENT, _HIRED, _FRESH), "contradict"),
        (_resume(_POSITION, _FRESH, "After some years in a small firm I look for a larger house."), "leave"),
        (_resume(_SENT, _HIRED, department="IN"), "no position 'Recruiter'"),
    ],
)
def test_a_resume_of_two_careers_is_found(told: list[str], reason: str) -> None:
    assert any(reason in one for one in told)
