"""What an episode keeps of its questions to models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dspy
import pytest

from tests.programs.office import TASKS, Script, call, finish, reply
from worksmith.evals.records.record import Digests, WorkUnit
from worksmith.evals.records.recording import record_episode
from worksmith.programs.agent import Agent
from worksmith.tools.environment import Environment
from worksmith.tools.episode_result import AskRecord, EpisodeResult

SEARCH = call("calendar.search_events", '{"query": "Budget"}', thought="Look.")
DELETE = call("calendar.delete_event", '{"event_id": "00000000"}', thought="Go.")


def run(agent: Agent, *replies: str | Exception) -> EpisodeResult:
    with dspy.context(lm=Script(*replies).lm()):
        episode: EpisodeResult = agent(task=TASKS[0]).episode
        return episode


def parts(asks: list[AskRecord]) -> list[tuple[str, int]]:
    return [(ask.part, ask.call) for ask in asks]


def test_each_question_says_who_asked_and_after_how_many_calls(env: Environment) -> None:
    planned = run(Agent("plan", env=env), reply(plan="1. Look."), SEARCH, DELETE, finish())
    assert parts(planned.asks) == [("plan", 0), ("select", 0), ("select", 1), ("select", 2)]
    assert planned.plan == "1. Look."

    allowed = reply(reason="It is Sam's.", verdict="Allowed")
    checked = run(Agent("react", access="model", env=env), SEARCH, allowed, DELETE, allowed, finish())
    assert parts(checked.asks) == [
        ("select", 0), ("check", 0), ("select", 1), ("check", 1), ("select", 2),
    ]  # fmt: skip


def test_a_reply_that_cannot_be_read_was_a_question_too(env: Environment) -> None:
    episode = run(Agent("react", env=env), "Hm.", SEARCH, finish())

    assert parts(episode.asks) == [("select", 0), ("select", 0), ("select", 1)]


def test_tokens_of_the_questions_are_those_of_the_episode(env: Environment) -> None:
    episode = run(Agent("react", env=env), SEARCH, DELETE, finish())

    assert episode.model_calls == len(episode.asks) == 3
    assert sum(ask.usage.prompt_tokens for ask in episode.asks) == episode.usage.prompt_tokens > 0
    assert sum(ask.usage.completion_tokens for ask in episode.asks) == episode.usage.completion_tokens > 0
    assert 0 < sum(ask.seconds for ask in episode.asks) < episode.seconds
    assert all(ask.usage.paid_requests == 1 for ask in episode.asks)


def test_a_question_without_a_reply_is_kept_and_came_from_no_cache(env: Environment) -> None:
    episode = run(Agent("react", env=env), SEARCH, ConnectionError("gone"))

    assert episode.status == "model_error"
    assert parts(episode.asks) == [("select", 0), ("select", 1)]
    assert [ask.usage.paid_requests for ask in episode.asks] == [1, 1]


def test_records_keep_plan_and_questions_and_differ_in_seconds_only(env: Environment) -> None:
    digests = Digests(program="p", task="t", world="w", model="m")
    unit = WorkUnit(task_id=TASKS[0].id, strategy="plan", seed=0, trial=0, digests=digests)

    def record() -> dict[str, Any]:
        episode = run(Agent("plan", env=env), reply(plan="Look."), SEARCH, DELETE, finish())
        return record_episode(unit, TASKS[0], episode, scores={}).without_times()

    assert record() == record()
    assert record()["plan"] == "Look."
    assert [ask["part"] for ask in record()["asks"]] == ["plan", "select", "select", "select"]


def test_a_reply_from_a_cache_is_used_and_not_paid(
    env: Environment, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from dspy.clients.cache import Cache

    monkeypatch.setattr(dspy, "cache", Cache(False, True, str(tmp_path), disk_size_limit_bytes=0))
    script = Script(SEARCH, DELETE, finish())
    script.digest = "known"  # an engine without one is never cached
    lm = dspy.LM("scripted/cached", engine=script, cache=True, num_retries=0)
    with dspy.context(lm=lm):
        first, second = (Agent("react", env=env)(task=TASKS[0]).episode for _ in range(2))

    assert len(script.requests) == 3
    assert [ask.usage.paid_requests for ask in first.asks] == [1, 1, 1]
    assert [ask.usage.paid_requests for ask in second.asks] == [0, 0, 0]
    assert second.usage.used_tokens == first.usage.used_tokens == first.usage.paid_tokens > 0
    assert second.usage.paid_tokens == 0
