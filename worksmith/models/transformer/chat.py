"""Requests and replies in the form of a model's chat template: turns, tools, and calls of tools."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, NamedTuple

from dspy import lm15

from worksmith.programs.prompting.replies.lenient import TAGGED_CALL
from worksmith.tools.seeding import digest

_HONOURED = ("max_tokens", "temperature", "top_p", "stop", "seed")
_OF_TOOLS = ("tool_choice",)
_OF_REPLIES, _HELD = ("response_format", "extensions"), {"schema", "grammar"}
"""Settings to which a reply can be held, and the keys by which it is."""

_HARMLESS = ("cache", "user_id", "store", "service_tier")
"""Settings without an effect on a model in this process."""

SETTINGS = frozenset(_HONOURED)
"""The settings of a request that a model heeds."""

_DEFAULTS = lm15.Config()

_THOUGHTS = re.compile(r"\A\s*<think>(.*?)(?:</think>|\Z)\s*", re.DOTALL)


class CallForm(NamedTuple):
    """How the models of a family write calls of tools.

    Attributes:
        mark: a part of the chat templates of the family.
        call: the JSON of a call, or of a list of calls, in a reply.
    """

    mark: str
    call: re.Pattern[str]


TAGGED = CallForm("<tool_call>", TAGGED_CALL)
_FORMS = (
    TAGGED,
    CallForm("[TOOL_CALLS]", re.compile(r"\[TOOL_CALLS\]\s*(\[.*\])", re.DOTALL)),
    CallForm('"parameters"', re.compile(r"\A\s*(?:<\|python_tag\|>)?\s*(\{.*\})\s*\Z", re.DOTALL)),
)
"""Of Qwen and Hermes, of Mistral, and of Llama 3."""


def call_form(template: str) -> CallForm | None:
    """The form of calls in a chat template; None if it has no tools, or an unknown form.

    Raises:
        jinja2.TemplateSyntaxError: it is not a template.
    """
    from jinja2 import meta
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(extensions=["jinja2.ext.loopcontrols"])
    takes = "tools" in meta.find_undeclared_variables(environment.parse(_plain(template)))
    return next((form for form in _FORMS if takes and form.mark in template), None)


def _plain(template: str) -> str:
    """A template without the marks of transformers' own extension, which delimits the trained part."""
    return re.sub(r"\{%-?\s*(?:end)?generation\s*-?%\}", "", template)


def chat(request: lm15.Request, form: CallForm | None = None) -> list[dict[str, Any]]:
    """The turns of a request as a chat template takes them.

    Args:
        form: how the model writes calls of tools; None if it has no native ones.

    Raises:
        lm15.UnsupportedFeatureError: it has tools, settings or parts that the model lacks.
    """
    _check_supported(request, form)
    turns = [{"role": "system", "content": _text(request.system)}] if request.system else []
    for message in request.messages:
        turns += _turns(message)
    return turns


def offered(request: lm15.Request) -> list[dict[str, Any]] | None:
    """The tools of a request as a chat template takes them; None if it may not call any."""
    choice = request.config.tool_choice
    if not request.tools or (choice is not None and choice.mode == "none"):
        return None
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description or "",
                "parameters": tool.parameters,
            },
        }
        for tool in request.tools
        if choice is None or not choice.allowed or tool.name in choice.allowed
    ]


def read_reply(text: str, form: CallForm | None) -> lm15.Message:
    """A reply with its thoughts, its text and its calls.

    Args:
        form: None if no calls are to be read. Where a call cannot be read, the reply is text.
    """
    thoughts = _THOUGHTS.match(text)
    said = text[thoughts.end() :] if thoughts else text
    parts: list[Any] = [lm15.ThinkingPart(thoughts[1].strip())] if thoughts and thoughts[1].strip() else []
    calls: list[lm15.ToolCallPart] = []
    if form is not None:
        try:
            found = [call for each in form.call.finditer(said) for call in _calls(json.loads(each[1]))]
            calls = [
                lm15.ToolCallPart(digest([text, number], length=9), name, arguments)
                for number, (name, arguments) in enumerate(found)
            ]
        except (ValueError, TypeError, KeyError):
            calls = []
        said = form.call.sub("", said).strip() if calls else said
    if said or not (parts or calls):
        parts.append(lm15.TextPart(said))
    return lm15.Message.assistant([*parts, *calls])


def _calls(value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Names and arguments.

    Raises:
        TypeError, KeyError, ValueError: it is not a call.
    """
    for call in value if isinstance(value, list) else [value]:
        given = call["arguments"] if "arguments" in call else call["parameters"]
        given = json.loads(given) if isinstance(given, str) else given
        if not isinstance(call["name"], str) or not isinstance(given, dict):
            raise TypeError("a call is a name and arguments")
        yield call["name"], given


def _turns(message: lm15.Message) -> Iterator[dict[str, Any]]:
    results = message.parts_of(lm15.ToolResultPart)
    for part in results:
        named = {"name": part.name} if part.name else {}
        yield {"role": "tool", "tool_call_id": part.id, **named, "content": _text(part.content)}
    calls = message.parts_of(lm15.ToolCallPart)
    others = tuple(part for part in message.parts if part not in results and part not in calls)
    if others or calls:
        turn: dict[str, Any] = {
            "role": "system" if message.role == "developer" else message.role,
            "content": _text(others),
        }
        if calls:
            turn["tool_calls"] = [
                {"id": part.id, "type": "function", "function": {"name": part.name, "arguments": part.input}}
                for part in calls
            ]
        yield turn


def _check_supported(request: lm15.Request, form: CallForm | None) -> None:
    if request.tools and form is None:
        raise lm15.UnsupportedFeatureError("the model has no native tool calls", feature="tools")
    if not all(isinstance(tool, lm15.FunctionTool) for tool in request.tools):
        raise lm15.UnsupportedFeatureError("the model has no built-in tools", feature="tools")
    choice = request.config.tool_choice
    if choice is not None and choice.mode == "required" and form is not TAGGED:
        raise lm15.UnsupportedFeatureError("the model cannot be made to call a tool", feature="tool_choice")
    known = {*_HONOURED, *_HARMLESS, *(_OF_TOOLS if form else ())}
    for field in fields(lm15.Config):
        value = getattr(request.config, field.name)
        held = field.name in _OF_REPLIES and value is not None and value.keys() & _HELD
        if field.name not in known and not held and value != getattr(_DEFAULTS, field.name):
            raise lm15.UnsupportedFeatureError(
                f"the model has no setting {field.name}", feature=f"config.{field.name}"
            )


def _text(parts: str | tuple[Any, ...]) -> str:
    if isinstance(parts, str):
        return parts
    texts = []
    for part in parts:
        if isinstance(part, lm15.TextPart | lm15.RefusalPart):
            texts.append(part.text)
        elif not isinstance(part, lm15.ThinkingPart):
            raise lm15.UnsupportedFeatureError(
                f"the model reads texts only, no {part.type}", feature=part.type
            )
    return "\n".join(texts)
