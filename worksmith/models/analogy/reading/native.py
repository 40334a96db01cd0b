"""Reading a request with native tools: its chat becomes the same chat with calls as text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dspy.lm15 import FunctionTool, Message

_TASK, _PLAN = "Task: ", "Plan:\n"
_PARAGRAPH = "\n\n"

Turn = tuple[str, str]
"""Role and text."""


def text_turns(messages: Sequence[Message]) -> tuple[list[Turn], Mapping[str, str]]:
    """The turns with calls as text, and the fields of a reply with their types.

    The results of the last calls before a new request close an example, and are left out.
    """
    together = any(len(_calls(message)) > 1 for message in messages)
    planned = any(_PARAGRAPH + _PLAN in (each.text or "") for each in messages if each.role == "user")
    turns: list[Turn] = []
    spoken, thinks = False, False
    told: tuple[str, ...] = ()
    for message, after in zip(messages, [*messages[1:], None], strict=True):
        calls = _calls(message)
        if message.role == "user":
            text = message.text or ""
            turns.append(("user", _fields(observation=text) if spoken else _opening(text)))
        elif calls:
            beside = "".join(part.text for part in message.parts if hasattr(part, "text")).strip()
            thinks = thinks or bool(beside)
            turns.append(("assistant", _reply(beside, calls, together=together)))
        elif message.role == "assistant":
            turns.append(("assistant", message.text or ""))
        elif message.role == "tool" and (after is None or after.role != "user"):
            turns.append(("user", _results(message, told, planned=planned)))
        spoken = message.role == "assistant" and not calls
        told = tuple(str(call.name) for call in calls)
    said = {("reasoning" if together else "thought"): "str"} if thinks else {}
    return turns, {**said, **({"calls": "list"} if together else {"tool": "str", "arguments": "dict"})}


def described(tool: FunctionTool) -> tuple[str, tuple[str, ...], str]:
    """A tool's name, the names of its arguments, and its description with a line for each argument."""
    properties: Mapping[str, Any] = tool.parameters.get("properties", {})
    lines = [f"  {name}: {each['description']}" for name, each in properties.items() if "description" in each]
    return tool.name, tuple(properties), "\n".join([tool.description or "", *lines, ""])


def _opening(text: str) -> str:
    before, found, rest = f"{_PARAGRAPH}{text}".partition(_PARAGRAPH + _TASK)
    if not found:
        return text
    before = before.removeprefix(_PARAGRAPH)
    task, _, plan = rest.partition(_PARAGRAPH + _PLAN)
    return _fields(context=before, task=task, plan=plan)


def _reply(beside: str, calls: Sequence[Any], *, together: bool) -> str:
    if not together:
        return _fields(thought=beside, tool=calls[0].name, arguments=_json(calls[0].input))
    made = [{"tool": call.name, "arguments": call.input} for call in calls]
    return _fields(reasoning=beside, calls=_json(made))


def _results(message: Message, names: Sequence[str], *, planned: bool) -> str:
    contents = (result.content for result in message.parts)
    texts = ["".join(part.text for part in content if hasattr(part, "text")) for content in contents]
    plan = ""
    if planned and texts:
        texts[-1], _, plan = texts[-1].partition(_PARAGRAPH + _PLAN)
    if len(texts) == 1:
        return _fields(observation=texts[0], plan=plan)
    numbered = enumerate(zip(names, texts, strict=False), start=1)
    return _fields(observation="\n".join(f"{number}. {name}: {text}" for number, (name, text) in numbered))


def _calls(message: Message) -> list[Any]:
    return [part for part in message.parts if part.type == "tool_call"]


def _fields(**values: str) -> str:
    return _PARAGRAPH.join(f"[[ ## {name} ## ]]\n{text}" for name, text in values.items() if text)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
