"""Native agents send back what providers ask for: each call with its result, and marks of thoughts."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.evals.lm.provider_fixtures import Case, ProviderServer, provider_server
from tests.programs.office import run_agent
from worksmith.models.named import use_models
from worksmith.programs.agent import Agent
from worksmith.tools.environment import Environment

IDS = ["openai", "openai_responses", "anthropic", "vllm", "ollama", "openrouter"]
"""APIs that name calls by ids and that DSPy's own client asks."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProviderServer]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("STUDENT", "q7Zr93kLm20aXw")
    with provider_server() as running:
        yield running
    use_models({})


def second_request(server: ProviderServer, env: Environment, case: Case) -> str:
    agent = Agent("function_calling", env=env, max_steps=4)
    episode = run_agent(agent, server.open(case, tool_calls=True)).episode

    assert episode.status in ("step_limit", "repetition")
    return json.dumps(server.bodies[1])


@pytest.mark.parametrize("api", IDS)
def test_each_call_of_a_reply_goes_back_with_its_result(
    api: str, env: Environment, server: ProviderServer
) -> None:
    case = Case(api, "replies", "parallel_calls")
    sent = second_request(server, env, case)

    assert [sent.count(f'"{each}"') for each in case.expected["ids"]] == [2, 2]


def test_gemini_gets_a_result_for_each_call(env: Environment, server: ProviderServer) -> None:
    sent = second_request(server, env, Case("gemini", "replies", "parallel_calls"))

    assert sent.count('"functionCall"') == sent.count('"functionResponse"') == 2


@pytest.mark.parametrize(
    ("api", "name"),
    [
        ("anthropic", "reasoning_and_call"),
        ("gemini", "tool_call_signed"),
        ("openai_responses", "reasoning_and_call"),
    ],
)
def test_the_mark_of_a_thought_goes_back(
    api: str, name: str, env: Environment, server: ProviderServer
) -> None:
    case = Case(api, "replies", name)
    sent = second_request(server, env, case)

    assert [mark for mark in case.expected["returned"] if mark not in sent] == []
