"""Prompts whose replies are one JSON object with the fields asked for, and whose observations are plain.

Compact ones are for models that were trained on the tools. They describe neither tools nor fields; the
opening turn has a calendar, the context, the task and the plan if there is one; observations are shortened.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import dspy
from dspy.lm15 import Message

from worksmith.programs.prompting.prompt import calendar_text
from worksmith.programs.prompting.render import (
    LABELS,
    TOOLS,
    Layout,
    opening_fields,
    shown_in_opening,
    tools_shown,
)
from worksmith.programs.prompting.replies.reply import FieldReader, check_unicode, field_readers, read_object
from worksmith.programs.prompting.shortened import shortened
from worksmith.programs.prompting.steps import Step, as_text, observed

_REPLY = "Reply with one JSON object: {{{fields}}}."
_STEPS = "After it you are given what its call returned, and reply again in the same way."


@dataclass(frozen=True, eq=False)
class JsonLayout(Layout):
    """The turns where a reply is one JSON object.

    Attributes:
        inputs: the input fields of the opening turn, in order.
        outputs: the fields of a reply with the functions that read them.
        compact: the most characters of an observation in compact prompts; None for prompts that are not.
        plain: whether a reply is a text.
    """

    system: str
    inputs: tuple[str, ...]
    outputs: dict[str, FieldReader]
    compact: int | None
    plain: bool

    @classmethod
    def of(cls, signature: type[dspy.Signature], compact: int | None) -> JsonLayout:
        shown = [name for name in opening_fields(signature) if compact is None or name != TOOLS]
        fields, system = signature.output_fields, signature.instructions
        plain = [field.annotation for field in fields.values()] == [str]
        if compact is None and not plain:
            described = (f'"{name}": {field.json_schema_extra["desc"]}' for name, field in fields.items())
            told = [_REPLY.format(fields=", ".join(described)), *([_STEPS] if "tool" in fields else [])]
            system = f"{system}\n\n{' '.join(told)}"
        return cls(system, tuple(shown), field_readers(signature), compact, plain)

    def system_of(self, values: Mapping[str, Any]) -> str:
        tools = tools_shown(self.inputs, values)
        return f"{self.system}\n\n{LABELS[TOOLS]}{tools}" if tools else self.system

    def opening(self, values: Mapping[str, Any], *, running: bool) -> Message:
        shown = shown_in_opening(self.inputs, running=running)
        texts = [(name, as_text(values.get(name))) for name in shown]
        lines = [f"{LABELS.get(name, '')}{text}" for name, text in texts if text]
        calendar = "" if self.compact is None else calendar_text(as_text(values.get("context")))
        gap = "\n\n" if self.compact is None else "\n"
        return Message.user(gap.join([calendar, *lines] if calendar else lines))

    def reply(self, values: Mapping[str, Any]) -> Message:
        said = {name: values[name] for name in self.outputs if values.get(name) not in (None, "")}
        return Message.assistant(as_one_line(said))

    def observed(self, step: Step) -> Message:
        length = self.compact
        shown = observed(step, str if length is None else lambda text: shortened(text, length)) or "(empty)"
        plan = step.get("plan")
        return Message.user(f"{shown}\n{LABELS['plan']}{plan}" if plan else shown)

    def with_offer(self, turn: Message, tools: str) -> Message:
        return turn if self.compact is not None else Message.user(f"{turn.text}\n\n{LABELS[TOOLS]}{tools}")

    def read(self, text: str, kinds: list[str]) -> dict[str, Any]:
        """The values of a reply's fields.

        Args:
            kinds: gets the leniencies by which they were read.

        Raises:
            ValueError: a field is missing or unreadable; the message names it.
        """
        text = text.strip()
        if not text:
            raise ValueError("the reply is empty")
        check_unicode("the reply", text)
        found = {next(iter(self.outputs)): text} if self.plain else read_object("the reply", text, kinds)
        values = {}
        for name, reader in self.outputs.items():
            if found.get(name) is None and reader.default is None:
                raise ValueError(f'there is no "{name}" in the reply')
            given = found.get(name)
            values[name] = reader.default if given is None else reader.read(as_text(given), kinds)
        return values


def as_one_line(values: Mapping[str, Any]) -> str:
    """The fields of a reply as one JSON object; a text that is the only one as it is."""
    only = next(iter(values.values())) if len(values) == 1 else None
    return only if isinstance(only, str) else json.dumps(values, ensure_ascii=False, default=str)
