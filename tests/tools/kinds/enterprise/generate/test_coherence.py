"""The verifier notices records whose parts do not belong together; the tables give each part its words."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from tests.tools.kinds.enterprise.generate.checks.coherence.registry import CHECKS, verify_coherence
from tests.tools.kinds.enterprise.generate.checks.coherence.resumes import incoherent_resume
from tests.tools.kinds.enterprise.generate.worlds import small
from worksmith.evals.kinds.enterprise.facts import Facts
from worksmith.tools.kinds.enterprise.generate.business.product_problems import problems_of, product_problems
from worksmith.tools.kinds.enterprise.generate.business.reviews import BANDS, kind_reviews
from worksmith.tools.kinds.enterprise.generate.business.support_chats import PROMISES
from worksmith.tools.kinds.enterprise.generate.company import DEFAULT_NOW
from worksmith.tools.kinds.enterprise.generate.industry import packaged
from worksmith.tools.kinds.enterprise.generate.latent import Built
from worksmith.tools.kinds.enterprise.generate.problems import problems
from worksmith.tools.kinds.enterprise.generate.talk.forum import Problem as ForumProblem
from worksmith.tools.kinds.enterprise.generate.talk.forum import filled, forum_problems, problem_of
from worksmith.tools.kinds.enterprise.schema import TABLES

_KINDS = {kind["name"]: kind for kind in packaged().catalogue["kinds"]}


@cache
def small_facts() -> Facts:
    return Facts(small(), DEFAULT_NOW)


def other_text(mine: str, other: str) -> str:
    return other


def other_sentence(mine: str, other: str) -> str:
    foreign = (one for one in re.split(r"(?<=[.?!])\s+", other) if one not in mine)
    return f"{mine} {max(foreign, key=len, default='')}"


@pytest.mark.parametrize(
    ("source", "column", "planted", "share"),
    [
        ("clients", "engagement_description", other_text, 1),
        ("conversations", "text", other_sentence, 0.9),
        ("overflow", "body", other_sentence, 0.9),
        ("sentiments", "review_content", other_text, 0.9),
        ("sentiments", "review_content", other_sentence, 0.6),
        ("support_chats", "text", other_text, 0.8),
        ("tickets", "issue", other_text, 1),
        ("tickets", "issue", other_sentence, 0.7),
        ("tickets", "resolution", other_text, 1),
        ("tickets", "resolution", other_sentence, 0.5),
        ("vendors", "relationship_description", other_text, 1),
    ],
)
def test_words_of_another_record_are_found(
    source: str, column: str, planted: Callable[[str, str], str], share: float
) -> None:
    pairs = [*pairwise(small_facts().all(source)[:40])]
    found = [
        any(CHECKS[source]({**one, column: planted(one[column], other[column])}, small_facts()))
        for one, other in pairs
    ]
    assert sum(found) >= share * len(pairs)


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


def test_a_problem_is_about_parts_that_its_products_have() -> None:
    for problem in product_problems(packaged()).values():
        assert all(problem.part in _KINDS[kind]["parts"] for kind in problem.kinds), problem.key
        assert set(problem.fits) <= {*PROMISES, "unresolved"}, problem.key
        assert ("unresolved" in problem.fits) == bool(problem.no), problem.key
        assert len(problem.says) == 3, problem.key
        assert all(len(ask) >= 2 for ask in problem.ask), problem.key
        advice = problem.fits == ("advice",)
        assert advice or "advice" not in problem.fits, problem.key
        assert {len(step) for step in problem.steps} == ({2} if advice else {3}), problem.key
        assert len(problem.ask) >= (2 if advice else 3), problem.key


def test_every_kind_of_product_has_problems_for_ordinary_outcomes() -> None:
    said = [said for one in product_problems(packaged()).values() for said in one.says]
    assert len(set(said)) == len(said)
    for kind in _KINDS:
        for wait in (2, 30, 75):
            able = [
                one
                for one in problems_of(packaged(), kind, "replacement")
                if one.days[0] <= wait <= one.days[1]
            ]
            assert able, (kind, wait)


def test_each_part_of_each_product_has_words_for_all_stars() -> None:
    for entry in packaged().catalogue["kinds"]:
        known = kind_reviews(packaged(), entry["name"])
        assert known.parts.keys() == set(entry["parts"])
        assert all(known.phrases(part, band) for part in known.parts for band in BANDS.values())
        assert known.scenes


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


@each_row(
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
