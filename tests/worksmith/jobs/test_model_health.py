"""The doctor says what to do about the documented refusals of providers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.evals.lm.provider_fixtures import Case, ProviderServer, provider_server
from worksmith.jobs.health.models import asked, opened
from worksmith.models.named import use_models


@pytest.fixture(scope="module")
def running() -> Iterator[ProviderServer]:
    with provider_server() as server:
        yield server


@pytest.fixture
def server(running: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProviderServer]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("STUDENT", "q7Zr93kLm20aXw")
    yield running
    use_models({})


@pytest.mark.parametrize(
    ("api", "name", "check", "remedy"),
    [
        ("openai", "unauthorized", "key", "put a right one in its place"),
        ("anthropic", "unauthorized", "key", "put a right one in its place"),
        ("gemini", "wrong_key", "key", "put a right one in its place"),
        ("anthropic", "no_credit", "key", "pay the provider"),
        ("openrouter", "no_credit", "key", "pay the provider"),
        ("openai", "quota", "key", "pay the provider"),
        ("openrouter", "unknown_model", "connection", "check the model's name"),
        ("vllm", "unknown_model", "connection", "check the model's name"),
        ("ollama", "unknown_model", "connection", "check the model's name"),
        ("anthropic", "rate_limit", "connection", "wait"),
        ("gemini", "overloaded", "connection", "the server fails"),
        ("openai", "bad_parameter", "settings", "change the setting temperature"),
        ("ollama", "bad_parameter", "settings", "change the setting reasoning_effort"),
        ("openai", "login_page_in_200", "connection", "check the network"),
    ],
)
def test_a_refusal_is_told_with_what_to_do(
    api: str, name: str, check: str, remedy: str, server: ProviderServer
) -> None:
    server.open(Case(api, "errors", name))
    model, key = opened("student")
    assert model is not None
    found = next(asked(model, wait=5))

    assert key.status == "ok"
    assert (found.name, found.status) == (check, "failure")
    assert remedy in found.remedy


def test_a_model_that_answers_is_sound(server: ProviderServer) -> None:
    server.open(Case("anthropic", "replies", "text"))
    model, _ = opened("student")
    assert model is not None

    assert [(found.name, found.status) for found in asked(model, wait=5)] == [
        ("connection", "ok"),
        ("usage", "ok"),
    ]
