"""What a server does to an evaluation: what is lost is tried again, what is refused is wrong and said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import dspy
import pytest

from tests.chat_server import ChatServer, chat_server, said
from tests.e2e.conftest import invoke
from tests.programs.office import finish
from worksmith.evals.records.logs.log import read_log

MODEL = ("--lm", "openai/gpt-4o-mini", "--strategy", "act", "--workers", 1, "--no-track")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    # Not DSPy's own cache, which outlives the test.
    cache = dspy.clients.Cache(enable_disk_cache=False, enable_memory_cache=False, disk_cache_dir=None)
    monkeypatch.setattr(dspy, "cache", cache)
    with chat_server() as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none-at-all")
        yield running


@pytest.mark.slow
def test_what_was_lost_is_tried_again_at_the_end(office: Path, server: ChatServer, here: Path) -> None:
    server.say(said(finish()), {"error": 401, "said": "no such key"}, said(finish()), said(finish("Late.")))
    result = invoke("eval", office, *MODEL, "--limit", 3, "--log", "log.jsonl", "--json")

    records = list(read_log("log.jsonl"))
    assert result.exit_code == 0, result.output
    assert [(record.status, record.attempts) for record in records] == [
        ("finished", 1),
        ("model_error", 1),
        ("finished", 1),
        ("finished", 2),
    ]
    assert (records[3].task_id, records[3].answer) == (records[1].task_id, "Late.")
    # All attempts were paid, and the last one is what was used.
    assert [record.paid_requests for record in records] == [1, 1, 1, 2]
    assert (records[3].model_calls, records[3].prompt_tokens) == (1, 10)
    summary = json.loads(result.stdout)["runs"][0]["summary"]
    assert (summary["graded"], summary["errors"]) == (3, 0)


@pytest.mark.slow
def test_what_the_model_refuses_is_wrong_and_said(office: Path, server: ChatServer, here: Path) -> None:
    server.say(*[{"error": 400, "said": "temperature is not supported"}] * 2)
    options = ("--limit", 2, "--log", "log.jsonl")
    result = invoke("eval", office, *MODEL, *options)
    again = invoke("eval", office, *MODEL, *options, "--resume")

    assert (result.exit_code, again.exit_code, len(server.bodies)) == (0, 0, 2)
    assert "2 of 2 episodes ended as invalid_request" in result.output
    assert "temperature is not supported" in " ".join(result.output.split())
