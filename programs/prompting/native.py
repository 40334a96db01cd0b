"""Native tool calls: tools as part of the request, calls and results as parts of the chat.

Of several calls in one reply only the first is made, as in the published agents of this kind, and the model
is told so: the others may depend on the result of the first. Providers that know a setting for it are asked
for one call a reply.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import dspy
from dspy.lm15 import FunctionTool, Message, TextPart, ToolCallPart, ToolResultPart

from evals.lm.lm_proxy import valid_unicode
from programs.prompting.render import (
    LONGEST_SHOWN,
    RUNNING_ONLY,
    TRAJECTORY,
    as_text,
    opening_fields,
    shown_in_part,
    unreadable_turn,
)
from programs.prompting.reply import read_object
from programs.prompting.steps import Said, Step
from tools.files.unicode import writable
from tools.seeding import digest
from tools.tool import FINISH, FinishCall

if TYPE_CHECKING:
    from tools.tool import Tool

REMEDY = f"Reply with one tool call; `{FINISH}` is a tool as well."
"""The remedy for a reply that is no call."""

_UNPARSED = "partial_json"
"""The only argument of a call whose arguments were no JSON, as DSPy's client hands them over."""

_LABELS = {"task": "Task: ", "plan": "Plan:\n", "progress": "Progress:\n"}
_ENDED = "The task has ended."
_LONGEST = 1024
"""Characters of a tool's description that all providers take."""

_ID_LENGTH = 9
"""Some providers take call ids of nine letters and digits and no others."""


@dataclass(frozen=True)
class NativeTools:
    """The tools on offer, as chat APIs take them.

    Attributes:
        functions: with names in which there are no dots.
        names: the tools' own names by those.
        notes: descriptions that are too long to go along with the functions, for the system message.
    """

    functions: tuple[FunctionTool, ...]
    names: Mapping[str, str]
    notes: str = ""


@lru_cache(maxsize=256)
def native_tools(tools: tuple[Tool, ...], finish: FinishCall) -> NativeTools:
    """The given tools and `finish`."""
    functions = [FunctionTool(native_name(tool.name), tool.summary, tool.parameters) for tool in tools]
    names = {native_name(tool.name): tool.name for tool in tools}
    long = [f"{f.name}: {f.description}" for f in functions if len(f.description or "") > _LONGEST]
    short = (replace(f, description=_shortened(f.description or "")) for f in functions)
    return NativeTools((*short, _finish(finish)), {**names, FINISH: FINISH}, "\n\n".join(long))


def native_name(tool: str) -> str:
    """The name of a tool in a chat API, which takes letters, digits, `_` and `-` only."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", tool.replace(".", "__")) or "_"


def read_message(message: Message, tools: NativeTools, *, cut_off: bool = False) -> dict[str, Any]:
    """The first call of a reply: `tool` and `arguments`, and as `thought` the text beside it, if any.

    Args:
        cut_off: whether the reply reached the limit of output tokens; half of a value is not mended.

    Raises:
        ValueError: there is none, or its arguments cannot be read; says what is wrong.
    """
    parts = message.parts_of(ToolCallPart)
    calls = dspy.ToolCalls.from_dict_list([{"id": p.id, "name": p.name, "args": p.input} for p in parts])
    said = "".join(part.text for part in message.parts_of(TextPart)).strip()
    if not valid_unicode(message):
        raise ValueError("it has text that is not valid Unicode")
    if not calls.tool_calls:
        raise ValueError("it calls no tool" if said else "it is empty")
    first = calls.tool_calls[0]
    tool = tools.names.get(first.name) or _own_name(first.name, tools.names.values())
    thought = {"thought": said} if said else {}
    return {**thought, "tool": tool, "arguments": _arguments(first.args, mended=not cut_off)}


def first_call_only(message: Message, taken: Collection[str]) -> Said:
    """The reply without calls after the first, with everything else that the provider sent along.

    Of long texts the middle is left out.

    Args:
        taken: ids of earlier calls; servers that give none or always the same get another one.
    """
    calls = message.parts_of(ToolCallPart)
    first = calls[0]
    kept = replace(first, id=_id(len(taken))) if first.id in taken else first
    parts = [kept if part is first else _in_part(part) for part in message.parts if part not in calls[1:]]
    return Said(Message("assistant", tuple(parts), message.continuation), len(calls) - 1)


def as_shown(message: Message) -> str:
    """A reply that cannot be used, as text: its own text, and the call as far as it can be read."""
    call = message.first(ToolCallPart)
    said = "".join(part.text for part in message.parts_of(TextPart))
    if call is None:
        return said
    shown = f"{said}\n{call.name} {call.input.get(_UNPARSED) or as_text(call.input)}".strip()
    return writable(shown)


@dataclass(frozen=True, eq=False)
class NativeLayout:
    """The turns of one signature where calls are native; see `programs.prompting.render.Layout`."""

    system: str
    inputs: tuple[str, ...]

    @classmethod
    def of(cls, signature: type[dspy.Signature]) -> NativeLayout:
        shown = (name for name in opening_fields(signature) if name not in RUNNING_ONLY)
        return cls(signature.instructions, tuple(shown))

    def opening(self, values: Mapping[str, Any], *, running: bool) -> Message:
        """The same for demonstrations and the running episode: tools are no part of it."""
        shown = [(name, as_text(values.get(name))) for name in self.inputs]
        return Message.user("\n\n".join(f"{_LABELS.get(name, '')}{text}" for name, text in shown if text))

    def steps(
        self, steps: Iterable[Step], said: Sequence[Said | None] = (), prefix: str = ""
    ) -> list[Message]:
        """A call and its result for each step; what could not be read is text, and so is the complaint.

        Args:
            prefix: keeps the ids of calls apart from those of other trajectories.
        """
        turns = []
        for number, step in enumerate(steps):
            came = said[number] if number < len(said) else None
            if "reply" in step:
                turns += [unreadable_turn(step["reply"]), Message.user(step["observation"])]
                continue
            said_so = came or Said(_called(step, digest([prefix, number])[:_ID_LENGTH]))
            turns += [said_so.message, _returned(said_so, step)]
        return turns

    def demonstration(self, values: Mapping[str, Any]) -> list[Message]:
        """A whole trajectory; the closing call has a result too, since chats may not leave one without."""
        if values.get("tool") is None or values.get("arguments") is None:
            return []
        closing: Step = {**values, "observation": _ENDED, "plan": None}
        steps = [*(values.get(TRAJECTORY) or ()), closing]
        prefix = digest([as_text(values.get(name)) for name in self.inputs])
        return [self.opening(values, running=False), *self.steps(steps, prefix=prefix)]

    def with_offer(self, turn: Message, tools: str) -> Message:
        """The turn as it is: tools are part of the request."""
        return turn


def _in_part(part: Any) -> Any:
    long = isinstance(part, TextPart) and len(part.text) > LONGEST_SHOWN
    return replace(part, text=shown_in_part(part.text)) if long else part


def _called(step: Step, call_id: str) -> Message:
    call = ToolCallPart(call_id, native_name(str(step["tool"])), dict(step["arguments"]))
    thought = as_text(step.get("thought")).strip()
    return Message.assistant([TextPart(thought), call] if thought else [call])


def _returned(said: Said, step: Step) -> Message:
    call = said.message.first(ToolCallPart)
    assert call is not None
    paragraphs = [as_text(step.get("observation")) or "(empty)"]
    if said.unmade:
        paragraphs.append(
            f"(Only the first of your {said.unmade + 1} calls was made. Make one call a reply.)"
        )
    if step.get("plan"):
        paragraphs.append(f"{_LABELS['plan']}{step['plan']}")
    return Message.tool(ToolResultPart(call.id, (TextPart("\n\n".join(paragraphs)),), call.name))


def _id(number: int) -> str:
    return f"call{number:0{_ID_LENGTH - 4}}"


def _own_name(name: str, known: Collection[str]) -> str:
    """The tool behind a name that was not offered: perhaps it is the tool's own name."""
    return name if name in known else name.replace("__", ".", 1)


def _arguments(given: dict[str, Any], *, mended: bool) -> dict[str, Any]:
    text = given.get(_UNPARSED)
    if not mended and (not given or given == {_UNPARSED: ""}):
        raise ValueError("its arguments are not whole")
    if len(given) == 1 and isinstance(text, str):
        return read_object("arguments", text, mended=mended)
    return given


def _shortened(description: str) -> str:
    """A description, or its first sentence if it is too long."""
    return (
        description if len(description) <= _LONGEST else f"{description.partition('. ')[0][: _LONGEST - 1]}."
    )


def _finish(call: FinishCall) -> FunctionTool:
    properties = {name: {"type": "string", "description": note} for name, note in call.arguments.items()}
    parameters = {"type": "object", "properties": properties, "required": list(call.arguments)}
    return FunctionTool(FINISH, call.summary, parameters)
