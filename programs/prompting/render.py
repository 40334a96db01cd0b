"""How a signature, a demonstration and an episode look as turns of a chat."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dspy
from dspy.lm15 import Message

from worksmith.programs.prompting.replies.reply import FieldReader, field_readers, read_reply
from worksmith.programs.prompting.steps import Said, Step, as_text, observed

TRAJECTORY = "trajectory"
TOOLS = "tools"
RUNNING_ONLY = (TOOLS, "rules")
"""Inputs that a demonstration leaves out: they are long, and the running episode has its own."""

LABELS = {TOOLS: "Tools:\n", "task": "Task: ", "plan": "Plan:\n", "progress": "Progress:\n"}
"""Words before inputs in prompts without markers."""

LONGEST_SHOWN = 8_000
"""Characters of a reply that could not be read, or of a text beside a native call, in later prompts."""

_COMPLETED = "[[ ## completed ## ]]"
_FIELDS = "Every message is made of fields, each under its marker. You are given:"
_STEPS = (
    "After a reply you are given what its call returned, and reply again in the same way:\n\n"
    "[[ ## observation ## ]]\n{observation}"
)
_OBJECTIVE = "Your objective:"


class Layout(ABC):
    """Makes the turns of a chat for one signature, made once.

    Attributes:
        outputs: names of the fields that a demonstration needs.
    """

    system: str
    outputs: Collection[str]

    def system_of(self, values: Mapping[str, Any]) -> str:
        """The system message of the running episode."""
        return self.system

    @abstractmethod
    def opening(self, values: Mapping[str, Any], *, running: bool) -> Message:
        """The first turn of a demonstration or of the running episode."""

    @abstractmethod
    def reply(self, values: Mapping[str, Any]) -> Message:
        """A reply with the given fields."""

    @abstractmethod
    def observed(self, step: Step) -> Message:
        """The turn after a reply: the observation, with the plan that was revised upon it."""

    @abstractmethod
    def with_offer(self, turn: Message, tools: str) -> Message:
        """The last turn of the running episode with the tools on offer, where these are part of turns."""

    def steps(self, steps: Sequence[Step], said: Sequence[Said | None] = ()) -> list[Message]:
        """Two turns for each step: the reply, and its observation.

        Args:
            said: for each step the reply as it came, if it has more than the step.
        """
        turns = []
        for step in steps:
            raw = step.get("reply")
            turns.append(self.reply(step) if raw is None else unreadable_turn(raw))
            turns.append(self.observed(step))
        return turns

    def demonstration(self, values: Mapping[str, Any]) -> list[Message]:
        """A whole trajectory, from the opening turn to the last reply; nothing if it has no reply to show."""
        # Optimizers also hand over plain training examples: they have a task and nothing to show for it.
        if any(values.get(name) is None for name in self.outputs):
            return []
        steps = values.get(TRAJECTORY) or ()
        return [self.opening(values, running=False), *self.steps(steps), self.reply(values)]


@dataclass(frozen=True, eq=False)
class TextLayout(Layout):
    """The turns where calls are text under markers. The tools stand in the system message.

    Attributes:
        inputs: the input fields of the opening turn, in order.
        outputs: the fields of a reply with the functions that read them.
        reminder: the last paragraph of the opening turn of the running episode.
    """

    system: str
    inputs: tuple[str, ...]
    outputs: dict[str, FieldReader]
    reminder: str

    def system_of(self, values: Mapping[str, Any]) -> str:
        tools = tools_shown(self.inputs, values)
        return f"{self.system}\n\n{_field(TOOLS, tools)}" if tools else self.system

    def opening(self, values: Mapping[str, Any], *, running: bool) -> Message:
        shown = shown_in_opening(self.inputs, running=running)
        parts = [_field(name, text) for name in shown if (text := as_text(values.get(name)))]
        if running:
            parts.append(self.reminder)
        return Message.user("\n\n".join(parts))

    def reply(self, values: Mapping[str, Any]) -> Message:
        said = {name: text for name in self.outputs if (text := as_text(values.get(name)))}
        return Message.assistant(as_fields(said))

    def observed(self, step: Step) -> Message:
        text, plan = _field("observation", observed(step)), step.get("plan")
        return Message.user(f"{text}\n\n{_field('plan', plan)}" if plan else text)

    def with_offer(self, turn: Message, tools: str) -> Message:
        return offered_before(turn, _field(TOOLS, tools), f"\n\n{self.reminder}")

    def read(self, text: str, kinds: list[str]) -> dict[str, Any]:
        return read_reply(text, self.outputs, kinds)


def offered_before(turn: Message, offer: str, ending: str) -> Message:
    """A turn with an offer of tools as its last paragraph, before the ending that it may have."""
    text = str(turn.text)
    if ending.strip() and text.endswith(ending):
        return Message.user(f"{text.removesuffix(ending)}\n\n{offer}{ending}")
    return Message.user(f"{text}\n\n{offer}")


def make_layout(signature: type[dspy.Signature], field_description: str) -> TextLayout:
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
    return TextLayout("\n\n".join(parts), inputs, outputs, _reminder(signature))


def opening_fields(signature: type[dspy.Signature]) -> tuple[str, ...]:
    """The input fields that an opening turn shows, in order."""
    return tuple(name for name in signature.input_fields if name != TRAJECTORY)


def tools_shown(inputs: Collection[str], values: Mapping[str, Any]) -> str:
    """The tools of a prompt whose tools stay the same; empty without any."""
    return as_text(values.get(TOOLS)) if TOOLS in inputs else ""


def shown_in_opening(inputs: Sequence[str], *, running: bool) -> list[str]:
    """The inputs of an opening turn where the tools stand in the system message."""
    return [name for name in inputs if name != TOOLS and (running or name not in RUNNING_ONLY)]


def unreadable_turn(reply: str) -> Message:
    """A reply that could not be read, as it came; a long one without its middle."""
    # An empty reply cannot be a turn of a chat.
    return Message.assistant(shown_in_part(reply) or "(empty)")


def shown_in_part(text: str) -> str:
    """A text without blanks around it; a long one without its middle."""
    text, half = text.strip(), LONGEST_SHOWN // 2
    if len(text) <= LONGEST_SHOWN:
        return text
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"


def as_fields(texts: Mapping[str, str]) -> str:
    """A reply of fields, each under its marker."""
    return "\n\n".join([*(_field(name, text) for name, text in texts.items()), _COMPLETED])


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
