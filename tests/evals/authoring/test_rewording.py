"""Asking a model for other wordings of texts: what is asked, what is kept, what ends a build."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.chat_server import ChatServer, chat_server, said
from tests.tables import each_row
from worksmith.evals.authoring.rewriting.asking import signature_of
from worksmith.evals.authoring.rewriting.texts import Reply, Text, forecast, reword
from worksmith.tools.errors import WorksmithError

TEA, SALT = Text("All about tea.", ("tea",)), Text("All about salt.")
FORM = "[[ ## reworded ## ]]\n{}\n\n[[ ## completed ## ]]"


def writer(server: ChatServer, **settings: Any) -> Any:
    import dspy

    given = {"api_base": server.url, "api_key": "x", "cache": False, "num_retries": 0, **settings}
    return dspy.LM("openai/writer", **given)


@pytest.mark.slow
def test_equal_texts_are_asked_once_and_replies_are_kept(tmp_path: Path) -> None:
    with chat_server() as server:
        server.say(said(FORM.format("Tea it is.")), said(FORM.format("Salt it is.")))
        replies = reword([TEA, SALT, TEA], writer(server), tmp_path, workers=1)
        assert replies == [Reply("Tea it is."), Reply("Salt it is."), Reply("Tea it is.")]
        assert reword([SALT, TEA], writer(server), tmp_path) == [replies[1], replies[0]]
        assert len(server.bodies) == 2
        server.say(said(FORM.format("Tea at another temperature.")))
        assert reword([TEA], writer(server, temperature=0.9), tmp_path) == [
            Reply("Tea at another temperature.")
        ]


@pytest.mark.slow
@each_row(
    ("reply", "why"),
    [
        (said("No form at all."), "the reply to reword is unreadable"),
        (said('{"reworded": "As JSON."}'), "the reply to reword is unreadable"),
        (said(None), "the reply to reword is unreadable"),
        ({"error": 400, "said": "content_filter: the prompt was blocked"}, "held back"),
        ({"error": 400, "said": "maximum context length is 10 tokens"}, "longer prompts"),
    ],
)
def test_a_reply_that_is_no_text_costs_one_request(reply: dict[str, Any], why: str) -> None:
    with chat_server() as server:
        server.say(reply, reply)
        [found] = reword([TEA], writer(server), None)
        assert found.text == ""
        assert why in found.failed
        assert len(server.bodies) == forecast(10)[0] == 1


@pytest.mark.slow
def test_a_failing_server_ends_it_and_the_next_run_goes_on(tmp_path: Path) -> None:
    with chat_server() as server:
        server.say(said(FORM.format("Tea it is.")), {"error": 500, "said": "down"})
        with pytest.raises(WorksmithError, match=r"gave no reply.*kept for another run"):
            reword([TEA, SALT], writer(server), tmp_path, workers=1)
        server.say(said(FORM.format("Salt it is.")))
        assert reword([TEA, SALT], writer(server), tmp_path) == [Reply("Tea it is."), Reply("Salt it is.")]
        assert len(server.bodies) == 3


@pytest.mark.slow
def test_the_model_is_told_the_text_and_nothing_else() -> None:
    with chat_server() as server:
        server.say(said(FORM.format("Tea it is.")))
        reword([TEA], writer(server), None)
        asked = server.messages[-1]["content"]
    assert TEA.text in json.dumps(asked)


def test_settings_are_in_the_signature_of_a_writer() -> None:
    import dspy

    one, other = (signature_of(dspy.LM("openai/writer", temperature=heat)) for heat in (0.1, 0.2))
    assert one.startswith("openai/writer@")
    assert one != other
