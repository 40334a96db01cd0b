"""Broken policies: what comes near one, and that ways to find them read the texts."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.evals.kinds.crm.families.orgs import small_org
from tests.tools.kinds.crm.generate.orgs import full, place_of, small, spoiled
from worksmith.evals.kinds.crm.families.policy_violation_identification import FAMILY, likeness
from worksmith.evals.kinds.crm.generate import Sizes, TruthError, generate
from worksmith.evals.kinds.crm.questions.family import Doubt, Question
from worksmith.evals.kinds.crm.suites import write_org


def asked() -> list[Question]:
    drawn = FAMILY.candidates(small_org(), "clean", "any", Random(1))
    return [each for each in drawn if not isinstance(each, Doubt)]


def test_open_cases_are_not_asked_about() -> None:
    questions = asked()
    cases = {case.id: case for case in small_org().cases}
    assert len(questions) > 10
    assert all(cases[question.slots["case"]].closed for question in questions)


def test_nothing_is_broken_in_some_cases_that_look_like_it() -> None:
    fine = [question.slots["case"] for question in asked() if question.answer is None]
    first = [likeness(small_org(), case) for case in fine[:12]]
    assert first.count("easy") < len(first) / 2
    assert "second" in first
    talks = small().latents_of("conversation")
    assert any(talks[case].facts["1.refused"] for case in fine)


def test_articles_to_read_are_those_of_what_the_customer_brought_up() -> None:
    for question in asked():
        wanted = {f"Knowledge__kav/{entity.value}" for entity in question.answer or ()}
        assert wanted <= set(question.must_read)
        assert question.must_read


@pytest.mark.slow
def test_in_part_of_the_violations_the_article_is_not_that_of_the_issue() -> None:
    article_of = {policy.issue: policy.article for policy in full().policies}
    issues = {str(case["Id"]): str(case["IssueId__c"]) for case in full().records("Case")}
    talks = full().latents_of("conversation").items()
    broken = {case: talk.facts["article"] for case, talk in talks if talk.facts["violation"]}
    other = sum(article_of[issues[case]] != article for case, article in broken.items())
    assert 0.12 < other / len(broken) < 0.22


def test_another_limit_in_an_article_changes_what_functions_and_queries_find(tmp_path: Path) -> None:
    built = small()
    for policy in small().policies:
        place = place_of(built, "Knowledge__kav", Id=policy.article)
        text = str(built.records("Knowledge__kav")[place]["FAQ_Answer__c"])
        for remedy in policy.remedies.values():
            for limit in remedy.values():
                text = text.replace(f" {limit} ", " 1 ")
        built = spoiled(built, "Knowledge__kav", place, FAQ_Answer__c=text)
    with pytest.raises(TruthError, match="find"):
        generate(
            write_org(tmp_path, built, "clean"), small(), "clean", 7, sizes=Sizes(8, 0, 0), only=[FAMILY]
        )


@pytest.mark.parametrize(
    "text", ["Who closed this case fastest?", "Which article says how to wash shoes?", "Was the case closed?"]
)
def test_other_questions_are_not_taken_for_ones_about_policies(text: str) -> None:
    assert FAMILY.parse(text) is None
