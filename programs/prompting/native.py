"""Native tool calls: tools as part of the request, calls and results as parts of the chat.

A reply may have several calls. They go back as they came, each with its own result, and all results in one
turn: providers refuse a chat with a call without one. Where a strategy makes one call at a time, providers
that have a setting for it are asked for one call a reply.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import dspy
from dspy.lm15 import Message, TextPart, ToolCallPart, ToolResultPart

from worksmith.evals.lm.lm_proxy import valid_unicode
from worksmith.programs.prompting.native_tools import NativeTools, native_name
from worksmith.programs.prompting.render import (
    LABELS,
    LONGEST_SHOWN,
    RUNNING_ONLY,
    TRAJECTORY,
    opening_fields,
    shown_in_part,
    unreadable_turn,
)
from worksmith.programs.prompting.replies.lenient import OTHER_FORM, found_calls
from worksmith.programs.prompting.replies.reply import read_object
from worksmith.programs.prompting.steps import Said, Step, as_text
from worksmith.tools.files.unicode import writable
from worksmith.tools.seeding import digest
from worksmith.tools.tool import FINISH

REMEDY = f"Reply with a tool call; `{FINISH}` is a tool as well."
"""The remedy for a reply without a call."""

CALLS = frozenset(("tool", "arguments", "calls"))
"""The output fields that a native call stands for; any other one is the text beside it."""

_UNPARSED = "partial_json"
"""The only argument of a call whose arguments were not JSON, from DSPy's client."""

_NO_OBJECT = "value"
"""The same of arguments that were JSON and no object: a text with an object in it, or null."""

_ENDED = "The task has ended."
_ID_LENGTH = 9
"""Some providers take call ids of nine letters and digits and no others."""


def read_message(
    message: Message,
    tools: NativeTools,
    asked: Collection[str],
    kinds: list[str],
    *,
    taken: Collection[str] = (),
    cut_off: bool = False,
) -> tuple[dict[str, Any], Said]:
    """The calls of a reply, and the reply as later turns show it.

    Calls that are written as text count as calls.

    Args:
        kinds: gets the leniencies by which the calls were read.
        asked: the output fields that the calls are to give: `tool` and `arguments`, or `calls`.
        taken: ids of earlier calls; missing or repeated ones of servers are replaced.
        cut_off: whether the reply reached the limit of output tokens; half of a value is not mended.

    Returns:
        The output fields. Where one call is asked for, further ones are in `further`.

    Raises:
        ValueError: a call is missing, or has unreadable arguments; the message has the fault.
    """
    said = _said(message)
    if not valid_unicode(message):
        raise ValueError("it has text that is not valid Unicode")
    if cut_off and "calls" in asked:
        raise ValueError("its calls may not be all")
    if not message.parts_of(ToolCallPart):
        found = None if cut_off else found_calls(said, (*tools.names.values(), *tools.names))
        if found is None:
            raise ValueError("it calls no tool" if said else "it is empty")
        kinds += [OTHER_FORM, *found.kinds]
        said = found.beside.get("thought", "")
        message = Message.assistant(
            [ToolCallPart("-", native_name(call["tool"]), call["arguments"]) for call in found.calls]
        )
    came = _with_ids(message, taken)
    calls = [
        {
            "tool": _own_name(part.name, tools.names),
            "arguments": _arguments(part.name, part.input, tools, kinds, mended=not cut_off),
        }
        for part in came.parts_of(ToolCallPart)
    ]
    beside = {_text_field(asked): said} if said else {}
    kept = Said(came, len(calls))
    if "calls" in asked:
        return {**beside, "calls": calls}, kept
    further = {"further": calls[1:]} if calls[1:] else {}
    return {**beside, **calls[0], **further}, kept


def as_shown(message: Message) -> str:
    """A reply that cannot be used, as text: its own text, and the calls as far as they can be read."""
    calls = [
        f"{call.name} {call.input.get(_UNPARSED) or as_text(call.input)}"
        for call in message.parts_of(ToolCallPart)
    ]
    return writable("\n".join(filter(None, (_said(message), *calls))))


@dataclass(frozen=True, eq=False)
class NativeLayout:
    """The turns of one signature where calls are native; see `worksmith.programs.prompting.render.Layout`."""

    system: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @classmethod
    def of(cls, signature: type[dspy.Signature]) -> NativeLayout:
        shown = (name for name in opening_fields(signature) if name not in RUNNING_ONLY)
        fields = signature.output_fields
        calls = "calls" if "calls" in fields else "call"
        beside = [
            f"Put your {name} as text before the {calls}: {field.json_schema_extra['desc']}."
            for name, field in fields.items()
            if name not in CALLS
        ]
        return cls(" ".join([signature.instructions, *beside]), tuple(shown), tuple(fields))

    def opening(self, values: Mapping[str, Any], *, running: bool) -> Message:
        """The same for demonstrations and the running episode: tools are not part of it."""
        shown = [(name, as_text(values.get(name))) for name in self.inputs]
        return Message.user("\n\n".join(f"{LABELS.get(name, '')}{text}" for name, text in shown if text))

    def steps(
        self, steps: Sequence[Step], said: Sequence[Said | None] = (), prefix: str = ""
    ) -> list[Message]:
        """Two turns for each reply: its calls, and their results. A reply that could not be read is text.

        Args:
            said: for each step the reply that its call came with, if it was the first of that reply.
            prefix: keeps the ids of calls apart from those of other trajectories.
        """
        turns: list[Message] = []
        number = 0
        while number < len(steps):
            step, came = steps[number], said[number] if number < len(said) else None
            if "reply" in step:
                turns += [unreadable_turn(step["reply"]), Message.user(step["observation"])]
                number += 1
                continue
            message = came.message if came else _called(step, digest([prefix, number])[:_ID_LENGTH])
            of_reply = steps[number : number + (1 if "calls" in step or came is None else came.calls)]
            turns += [message, _returned(message, of_reply)]
            number += len(of_reply)
        return turns

    def demonstration(self, values: Mapping[str, Any]) -> list[Message]:
        """A whole trajectory; the closing call has a result too, since chats may not leave one without."""
        if any(values.get(name) is None for name in self.outputs if name in CALLS):
            return []
        closing: Step = {name: values.get(name) for name in self.outputs} | {"observation": _ENDED}
        if "calls" in closing:
            closing["observations"] = [_ENDED] * len(closing["calls"])
            if not closing["calls"]:
                return []
        steps = [*(values.get(TRAJECTORY) or ()), closing]
        prefix = digest([as_text(values.get(name)) for name in self.inputs])
        return [self.opening(values, running=False), *self.steps(steps, prefix=prefix)]

    def with_offer(self, turn: Message, tools: str) -> Message:
        """The turn as it is: tools are part of the request."""
        return turn


def _said(message: Message) -> str:
    return "".join(part.text for part in message.parts_of(TextPart)).strip()


def _text_field(asked: Iterable[str]) -> str:
    """The field that the text beside calls goes to."""
    own = next((name for name in asked if name not in CALLS), None)
    return own or ("reasoning" if "calls" in asked else "thought")


def _with_ids(message: Message, taken: Collection[str]) -> Message:
    """The reply with ids that no other call has, and everything else that the provider sent along.

    Of long texts the middle is left out.
    """
    used, parts = set(taken), []
    for part in message.parts:
        if isinstance(part, ToolCallPart):
            if part.id in used or part.id == "-":
                free = (f"call{number:0{_ID_LENGTH - 4}}" for number in count(len(used)))
                part = replace(part, id=next(each for each in free if each not in used))
            used.add(part.id)
        long = isinstance(part, TextPart) and len(part.text) > LONGEST_SHOWN
        parts.append(replace(part, text=shown_in_part(part.text)) if long else part)
    return Message("assistant", tuple(parts), message.continuation)


def _called(step: Step, call_id: str) -> Message:
    """The reply of a step that is shown as if it had come natively."""
    calls = step.get("calls") or [step]
    parts = [
        ToolCallPart(
            call_id if number == 0 else digest([call_id, number])[:_ID_LENGTH],
            native_name(str(call["tool"])),
            dict(call["arguments"]),
        )
        for number, call in enumerate(calls)
    ]
    thought = as_text(step.get("thought") or step.get("reasoning")).strip()
    return Message.assistant([TextPart(thought), *parts] if thought else parts)


def _returned(message: Message, steps: Sequence[Step]) -> Message:
    """The results of a reply's calls, in one turn."""
    if "calls" in steps[0]:
        texts = [as_text(text) for text in steps[0]["observations"]]
    else:
        texts = [as_text(step.get("observation")) for step in steps]
    plan = steps[-1].get("plan")
    calls = message.parts_of(ToolCallPart)
    texts += [_ENDED] * (len(calls) - len(texts))
    shown = [text or "(empty)" for text in texts]
    if plan:
        shown[-1] += f"\n\n{LABELS['plan']}{plan}"
    results = (
        ToolResultPart(call.id, (TextPart(text),), call.name) for call, text in zip(calls, shown, strict=True)
    )
    return Message.tool(list(results))


def _own_name(name: str, known: Mapping[str, str]) -> str:
    """The tool behind a name; one that was not offered is perhaps the tool's own name."""
    own = known.get(name)
    return own or (name if name in known.values() else name.replace("__", ".", 1))


def _arguments(
    name: str, given: dict[str, Any], tools: NativeTools, kinds: list[str], *, mended: bool
) -> dict[str, Any]:
    text = given.get(_UNPARSED)
    what = f"the input of {name}"
    if not mended and (not given or given == {_UNPARSED: ""}):
        raise ValueError(f"{what} is not whole")
    if len(given) == 1 and isinstance(text, str):
        return read_object(what, text, kinds, mended=mended)
    if [*given] != [_NO_OBJECT] or _NO_OBJECT in tools.arguments(name):
        return dict(given)
    value = given[_NO_OBJECT]
    if value is None:
        return {}
    if isinstance(value, str) or name == FINISH:
        return read_object(what, value if isinstance(value, str) else as_text(value), kinds, mended=mended)
    return dict(given)
