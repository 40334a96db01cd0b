"""How a signature, a demonstration and an episode look as turns of a chat."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import dspy
from dspy.lm15 import Message

from programs.prompting.reply import FieldReader, field_readers
from programs.prompting.steps import Said, Step

TRAJECTORY = "trajectory"
RUNNING_ONLY = ("tools", "rules")
"""Inputs that a demonstration leaves out: they are long, and the running episode has its own."""

_COMPLETED = "[[ ## completed ## ]]"
_FIELDS = "Every message is made of fields, each under its marker. You are given:"
_STEPS = (
    "After a reply you are given what its call returned, and reply again in the same way:\n\n"
    "[[ ## observation ## ]]\n{observation}"
)
_OBJECTIVE = "Your objective:"


class TurnMaker(Protocol):
    """Makes the turns of a chat out of values, in the form in which calls are made."""

    @property
    def system(self) -> str:
        """The system message."""
        ...

    def opening(self, values: Mapping[str, Any], *, running: bool) -> Message:
        """The first turn of a demonstration or of the running episode."""
        ...

    def steps(self, steps: Iterable[Step], said: Sequence[Said | None] = ()) -> list[Message]:
        """Two turns for each step: the reply, and what came of it.

        Args:
            said: for each step the reply as it came, where it has more than the step says.
        """
        ...

    def demonstration(self, values: Mapping[str, Any]) -> list[Message]:
        """A whole trajectory, from the opening turn to the last reply; nothing if it has no reply to show."""
        ...

    def with_offer(self, turn: Message, tools: str) -> Message:
        """The last turn of the running episode with the tools on offer, where these are part of turns."""
        ...


@dataclass(frozen=True)
class Layout:
    """What the turns of one signature have in common where calls are text, made once.

    Attributes:
        system: the system message.
        inputs: the input fields of the opening turn, in order.
        outputs: the fields of a reply with the functions that read them.
        reminder: the last paragraph of the opening turn of the running episode.
    """

    system: str
    inputs: tuple[str, ...]
    outputs: dict[str, FieldReader]
    reminder: str

    def opening(self, values: Mapping[str, Any], *, running: bool) -> Message:
        """See `TurnMaker`; that of the running episode has tools, rules and reminder."""
        shown = [name for name in self.inputs if running or name not in RUNNING_ONLY]
        parts = [_field(name, text) for name in shown if (text := as_text(values.get(name)))]
        if running:
            parts.append(self.reminder)
        return Message.user("\n\n".join(parts))

    def reply(self, values: Mapping[str, Any]) -> Message:
        """A reply with the given fields."""
        parts = [_field(name, text) for name in self.outputs if (text := as_text(values.get(name)))]
        return Message.assistant("\n\n".join([*parts, _COMPLETED]))

    def steps(self, steps: Iterable[Step], said: Sequence[Said | None] = ()) -> list[Message]:
        """See `TurnMaker`."""
        turns = []
        for step in steps:
            raw = step.get("reply")
            turns.append(self.reply(step) if raw is None else unreadable_turn(raw))
            observed = _field("observation", as_text(step.get("observation")))
            revised = step.get("plan")
            turns.append(Message.user(f"{observed}\n\n{_field('plan', revised)}" if revised else observed))
        return turns

    def demonstration(self, values: Mapping[str, Any]) -> list[Message]:
        """See `TurnMaker`."""
        # Optimizers also hand over plain training examples: they have a task and nothing to show for it.
        if any(values.get(name) is None for name in self.outputs):
            return []
        steps = values.get(TRAJECTORY) or ()
        return [self.opening(values, running=False), *self.steps(steps), self.reply(values)]

    def with_offer(self, turn: Message, tools: str) -> Message:
        """See `TurnMaker`; the reminder stays at the end."""
        text, offer = str(turn.text), _field("tools", tools)
        ending = f"\n\n{self.reminder}"
        if text.endswith(ending):
            return Message.user(f"{text.removesuffix(ending)}\n\n{offer}{ending}")
        return Message.user(f"{text}\n\n{offer}")


def make_layout(signature: type[dspy.Signature], field_description: str) -> Layout:
    """The layout of `signature`, whose fields (other than the trajectory) are described by the given text."""
    inputs = opening_fields(signature)
    outputs = field_readers(signature)
    stepwise = "tool" in outputs
    structure = [_FIELDS, *map(_slot, inputs), "You reply with:", *map(_slot, outputs), _COMPLETED]
    parts = [
        field_description,
        *structure,
        *([_STEPS] if stepwise else []),
        f"{_OBJECTIVE}\n{signature.instructions}",
    ]
    return Layout("\n\n".join(parts), inputs, outputs, _reminder(signature))


def opening_fields(signature: type[dspy.Signature]) -> tuple[str, ...]:
    """The input fields that an opening turn shows, in order."""
    return tuple(name for name in signature.input_fields if name != TRAJECTORY)


def unreadable_turn(reply: str) -> Message:
    """A reply that could not be read, as it came."""
    # An empty reply cannot be a turn of a chat.
    return Message.assistant(reply.strip() or "(empty)")


def as_text(value: Any) -> str:
    """A field's value: text as it is, plain data as JSON on one line."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)


def _field(name: str, text: str) -> str:
    return f"[[ ## {name} ## ]]\n{text}"


def _slot(name: str) -> str:
    return _field(name, f"{{{name}}}")


def _reminder(signature: type[dspy.Signature]) -> str:
    markers = []
    for name, field in signature.output_fields.items():
        note = "" if field.annotation is str else " (JSON)"
        markers.append(f"`[[ ## {name} ## ]]`{note}")
    return (
        f"Respond with the corresponding output fields, starting with the field {', then '.join(markers)}, "
        f"and end with the marker `{_COMPLETED}`."
    )
