"""Questions about articles: every fact, in every wording, with answers that the articles' texts give."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from tests.evals.kinds.crm.families.orgs import small_org
from tests.tools.kinds.crm.generate.orgs import place_of, small, spoiled
from worksmith.evals.kinds.crm.families.article_facts import (
    entity,
    facts,
    read_value,
    subjects,
    true_article,
    true_value,
)
from worksmith.evals.kinds.crm.families.knowledge_qa import FAMILY
from worksmith.evals.kinds.crm.generate import Sizes, TruthError, generate
from worksmith.evals.kinds.crm.questions.family import Doubt, Question
from worksmith.evals.kinds.crm.suites import write_org
from worksmith.evals.scoring.answers.matching import find_values
from worksmith.tools.kinds.crm.generate.industry import industry_names, packaged

SHOES = packaged()
STRATA = ("rules", "advice", "pair", "across")


def draws(stratum: str, count: int = 200) -> list[Question]:
    found = islice(FAMILY.candidates(small_org(), "clean", stratum, Random(6)), count)
    return [each for each in found if not isinstance(each, Doubt)]


def test_what_is_true_stands_in_one_article_and_nowhere_else() -> None:
    articles = small_org().articles
    stated = 0
    for key, fact in facts(SHOES).items():
        for subject in subjects(fact, SHOES):
            wanted = true_value(small_org(), key, subject)
            found = {
                article: read_value(key, subject, str(row["Title"]), str(row["FAQ_Answer__c"]), SHOES)
                for article, row in articles.items()
            }
            said = {article: value for article, value in found.items() if value is not None}
            article = true_article(small_org(), key, subject)
            assert said == ({article: wanted} if wanted is not None else {})
            stated += wanted is not None
    assert stated > 170


def test_every_wording_of_a_fact_is_told_from_those_of_others() -> None:
    for industry, key in [(name, key) for name in industry_names() for key in facts(packaged(name))]:
        family = replace(FAMILY, industry=packaged(industry))
        for subject in subjects(facts(family.industry)[key], family.industry):
            question = Question({"facts": key, "about": subject}, small_org().snapshot, None, "rules")
            for number in range(6):
                assert family.parse(family.phrase(question, Random(number))) == question.slots, key


@pytest.mark.parametrize("stratum", STRATA)
def test_reference_sentences_say_what_is_asked_for_and_nothing_else(stratum: str) -> None:
    answered = [question for question in draws(stratum) if question.answer]
    assert answered
    for question in answered:
        assert question.answer is not None
        assert find_values(question.reference, question.answer).exact, question.reference
        assert len(question.reference.split()) <= 40


@pytest.mark.parametrize("stratum", STRATA)
def test_where_there_is_no_answer_something_like_it_has_one(stratum: str) -> None:
    empty = [question for question in draws(stratum) if question.answer is None]
    assert empty
    for question in empty:
        for key in question.slots["facts"].split("; "):
            assert any(true_value(small_org(), key, each) for each in subjects(facts(SHOES)[key], SHOES))
            for about in question.slots["about"].split("; "):
                assert true_value(small_org(), key, about) is None


def test_faithful_questions_all_have_an_answer() -> None:
    for stratum in STRATA:
        for each in islice(FAMILY.candidates(small_org(), "faithful", stratum, Random(6)), 100):
            assert isinstance(each, Doubt) or each.answer


@pytest.mark.parametrize(
    ("value", "answers"),
    [
        ("14 days", ["14 days", "up to 14 days", "14"]),
        ("10 percent", ["10 %", "At most 10 percent."]),
        ("1 day", ["24 hours", "one day"]),
    ],
)
def test_values_may_be_written_in_other_ways(value: str, answers: list[str]) -> None:
    key = "discount.percent" if "percent" in value else "refund.within"
    for answer in answers:
        assert find_values(answer, [entity(key, value, SHOES)]).exact, answer
    assert not find_values("99 days", [entity(key, value, SHOES)]).exact


def test_another_article_text_changes_what_functions_and_queries_find(tmp_path: Path) -> None:
    built = small()
    for policy in small().policies:
        place = place_of(built, "Knowledge__kav", Id=policy.article)
        text = str(built.records("Knowledge__kav")[place]["FAQ_Answer__c"]).replace("0 days", "1 days")
        built = spoiled(built, "Knowledge__kav", place, FAQ_Answer__c=text)
    with pytest.raises(TruthError, match="find"):
        generate(
            write_org(tmp_path, built, "clean"), small(), "clean", 7, sizes=Sizes(30, 0, 0), only=[FAMILY]
        )
