"""What an answer to a CRM question is worth: as published, as it was meant, and as it was found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.evals.kinds.crm import small_org as org
from tests.evals.kinds.crm.small_org import AGENT, OTHER, REFERENCE, TASKS
from tests.tables import each_row
from worksmith.evals.kinds.crm.scorer import CrmScorer, expected_text
from worksmith.evals.scoring.scorer import check_score_names
from worksmith.evals.tasks.task import Answer, Task
from worksmith.tools.environment import Environment
from worksmith.tools.episode_result import EpisodeResult
from worksmith.tools.policy import Opinion

Score = Callable[..., dict[str, float]]

BY_NAME = {task.intent: task for task in TASKS}
HANDLE_TIME, NOTHING = BY_NAME["handle_time"], BY_NAME["transfer_count"]
QA, MONTH, STATE = (
    BY_NAME[name] for name in ("knowledge_qa", "monthly_trend_analysis", "best_region_identification")
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return org.env(tmp_path_factory.mktemp("org"))


@pytest.fixture(scope="module")
def score(shop: Environment) -> Score:
    scorer = CrmScorer(shop)

    def scored(task: Task, answer: str, *shown: str, **more: Any) -> dict[str, float]:
        episode = shop.episode(persona=task.persona, now=task.now)
        for text in shown:
            episode.call("query.show", {"text": text})
        result = {
            "status": "finished",
            "outcome": episode.outcome(),
            "calls": episode.calls,
            "answer": answer,
        }
        scores = scorer(task, EpisodeResult(**{**result, **more}))
        check_score_names([scorer], scores, where="its own scores")
        return scores

    return scored


@each_row("task", TASKS)
def test_the_expected_answer_that_was_looked_up_is_all_right(score: Score, task: Task) -> None:
    scores = score(task, expected_text(task), expected_text(task))

    assert scores["outcome"] == scores["reward"] == scores["exact_strict"] == scores["supported"] == 1
    assert scores["unwanted_side_effects"] == 0
    assert ("f1" in scores) == (task is QA)
    assert ("unanswerable" in scores) == (task is NOTHING)
    assert scores.get("false_none", 0) == 0
    assert "exact_match" not in scores


@each_row(
    ("task", "answer", "outcome", "strict"),
    [
        (HANDLE_TIME, AGENT, 1, 1),
        (HANDLE_TIME, f" {AGENT}\n", 1, 1),
        (HANDLE_TIME, AGENT[:15], 1, 0),
        (HANDLE_TIME, f"{AGENT}.", 1, 0),
        (HANDLE_TIME, f"It is '{AGENT}'", 1, 0),
        (HANDLE_TIME, f"{AGENT}, {OTHER}", 0, 0),
        (HANDLE_TIME, OTHER, 0, 0),
        (HANDLE_TIME, "Ana Roe", 0, 0),
        (HANDLE_TIME, "None", 0, 0),
        (HANDLE_TIME, "", 0, 0),
        (NOTHING, "None", 1, 1),
        (NOTHING, "none", 1, 0),
        (NOTHING, "No agent qualifies.", 1, 0),
        (NOTHING, AGENT, 0, 0),
        (NOTHING, "I cannot tell.", 0, 0),
        (MONTH, "2022-03", 1, 1),
        (MONTH, "March 2022", 1, 0),
        (MONTH, "March", 0, 0),
        (MONTH, "March 2022, April 2022", 0, 0),
        (STATE, "CA", 1, 1),
        (STATE, "California", 1, 0),
        (STATE, "CA and NY", 0, 0),
    ],
)
def test_strict_and_lenient(score: Score, task: Task, answer: str, outcome: int, strict: int) -> None:
    scores = score(task, answer)

    assert (scores["outcome"], scores["exact_strict"], scores["reward"]) == (outcome, strict, strict)


@pytest.mark.parametrize("task", [HANDLE_TIME, NOTHING, QA], ids=lambda task: str(task.intent))
def test_what_does_not_end_by_itself_has_answered_nothing(score: Score, task: Task) -> None:
    scores = score(task, expected_text(task), expected_text(task), status="step_limit")

    assert scores["outcome"] == scores["reward"] == scores["exact_strict"] == scores["supported"] == 0


def test_what_is_shown_may_be_anything(score: Score) -> None:
    for shown in ("\n" + "[" * 100_000, "\n{", "[1, [2, {}]]", "\x00"):
        assert score(MONTH, "2022-03", shown)["supported"] == 0


def test_sentences_are_rewarded_by_their_words(score: Score) -> None:
    scores = score(QA, "It is possible within 30 days.")

    assert scores["reward"] == scores["f1"] == pytest.approx(2 * 5 / (6 + 7))
    assert (scores["outcome"], scores["exact_strict"]) == (1, 0)
    assert score(QA, "Full refund is possible, within 30 days")["exact_strict"] == 1
    assert score(QA, REFERENCE.replace("30", "60"))["outcome"] == 0
    assert score(QA, "Within 30 or 60 days")["outcome"] == 0


def test_a_sentence_that_names_everything_may_add_that_there_is_no_more(score: Score) -> None:
    scores = score(QA, "Within 30 days. An exchange is not mentioned.")

    assert (scores["outcome"], scores["false_none"]) == (1, 0)
    assert score(QA, "The articles do not say.")["false_none"] == 1


def test_a_wrong_none_is_counted_where_there_is_an_answer(score: Score) -> None:
    assert score(HANDLE_TIME, "no records")["false_none"] == 1
    assert score(HANDLE_TIME, OTHER)["false_none"] == 0
    assert score(NOTHING, "None")["unanswerable"] == 1
    assert score(NOTHING, AGENT)["unanswerable"] == 0


def test_who_finds_nothing_and_says_so_need_not_say_it_twice(score: Score) -> None:
    assert score(NOTHING, "", answer_status="not_found")["outcome"] == 1
    assert score(NOTHING, "", answer_status="answered")["outcome"] == 0


@each_row(
    ("task", "answer", "shown", "supported"),
    [
        (HANDLE_TIME, AGENT, [f'[{{"Id": "{AGENT}"}}]'], 1),
        (HANDLE_TIME, AGENT[:15], [f"{AGENT} is an agent"], 1),
        (HANDLE_TIME, OTHER, [f'[{{"Id": "{OTHER}"}}]'], 1),
        (HANDLE_TIME, AGENT, [f'[{{"Id": "{OTHER}"}}]'], 0),
        (HANDLE_TIME, f"{AGENT} {OTHER}", [f'[{{"Id": "{OTHER}"}}]'], 0),
        (HANDLE_TIME, AGENT, [], 0),
        (HANDLE_TIME, AGENT, ["fail"], 0),
        (HANDLE_TIME, "Ana Roe", ["Ana Roe"], 0),
        (NOTHING, "None", ["[]"], 1),
        (NOTHING, "None", ["fail"], 0),
        (NOTHING, "None", [], 0),
        (MONTH, "2022-03", ['{"2022-03": 3, "2022-04": 1}'], 1),
        (MONTH, "March 2022", ['[{"CreatedDate": "2022-03-04T09:30:00.000+0000"}]'], 1),
        (MONTH, "2022-03", ['{"March": 3}'], 1),
        (MONTH, "March", ['[{"CreatedDate": "2022-03-04T09:30:00.000+0000"}]'], 1),
        (MONTH, "2022-03", ['[{"CreatedDate": "2021-03-04T09:30:00.000+0000"}]'], 0),
        (MONTH, "2022-03", ['[{"expr0": 3, "expr1": 12}]'], 1),
        (MONTH, "2022-03", ['[{"expr0": 4, "expr1": 12}]'], 0),
        (MONTH, "2022-03", ['{"total": 1, "records": [{"year": 2022, "month": 3, "n": 2}]}'], 1),
        (MONTH, "2022-03", ['{"total": 1, "records": [{"year": 2021, "month": 3, "n": 2}]}'], 0),
        (MONTH, "March", ['{"total": 1, "records": [{"year": 2021, "month": 3, "n": 2}]}'], 1),
        (MONTH, "2022-03", ['{"total": 3, "records": []}'], 0),
        (STATE, "California", ['[{"ShippingState": "CA"}]'], 1),
        (STATE, "CA", ['[{"ShippingState": "NY"}]'], 0),
        (QA, "within 30 days", [f"Returns. {REFERENCE}"], 1),
        (QA, "within 60 days", [f"Returns. {REFERENCE}"], 0),
        (QA, "ask the manager for 30 points", [REFERENCE], 0),
        (QA, "", [REFERENCE], 0),
    ],
)
def test_an_answer_is_supported_by_what_was_shown(
    score: Score, task: Task, answer: str, shown: list[str], supported: int
) -> None:
    assert score(task, answer, *shown)["supported"] == supported


def test_what_a_result_holds_but_does_not_show_supports_nothing(shop: Environment) -> None:
    episode = shop.episode()
    episode.call("query.show", {"text": "#1", "hidden": AGENT})
    result = EpisodeResult("finished", episode.outcome(), calls=episode.calls, answer=AGENT)

    assert CrmScorer(shop)(HANDLE_TIME, result)["supported"] == 0


def test_questions_of_other_kinds_keep_their_other_scores(score: Score) -> None:
    done = HANDLE_TIME.model_copy(update={"answer": Answer(kind="done")})

    assert score(done, "")["outcome"] == 1
    assert "reward" not in score(done, "")
    assert "reward" not in score(done.model_copy(update={"answer": None}), "")
    assert score(HANDLE_TIME, AGENT, opinions=[Opinion(None)]).keys() >= {"outcome", "no_action"}


def test_the_scorer_has_a_version(shop: Environment) -> None:
    assert CrmScorer(shop).digest == "crm/1/published"
    assert CrmScorer(shop, "corrected").digest != CrmScorer(shop).digest
