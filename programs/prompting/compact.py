"""Compact prompts, for models that were trained on the tools: no descriptions, one line of JSON for a call.

The opening turn has a calendar, the context, the task and the plan if there is one. A reply is one JSON
object with the fields asked for. The turn after it is the observation, shortened.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import dspy
from dspy.lm15 import Message

from worksmith.programs.prompting.prompt import calendar_text
from worksmith.programs.prompting.render import LABELS, TRAJECTORY, Layout, opening_fields
from worksmith.programs.prompting.reply import FieldReader, check_unicode, field_readers, read_object
from worksmith.programs.prompting.shortened import shortened
from worksmith.programs.prompting.steps import Step, as_text, observed
from worksmith.programs.prompting.tool_calling import itself
from worksmith.tools.errors import InputError

OBSERVATION = 1_000
"""Characters of an observation, unless the setting or the model says otherwise."""

SHORTEST, LONGEST = 50, 100_000

AUTO, FULL, COMPACT = "auto", "full", "compact"

_SETTING = re.compile(rf"{AUTO}|{FULL}|{COMPACT}(:[1-9]\d{{1,5}})?")

_LEFT_OUT = ("tools", TRAJECTORY)


def check_prompt(setting: str) -> str:
    """The setting of a prompt's format, if there is such a one: `auto`, `full`, `compact` or `compact:N`.

    Raises:
        InputError: there is none.
    """
    if not _SETTING.fullmatch(setting) or not SHORTEST <= _length(setting, OBSERVATION) <= LONGEST:
        raise InputError(
            f"no format of prompts {setting!r}",
            where="--prompt",
            hint=f"there are {AUTO}, {FULL}, {COMPACT} and {COMPACT}:N, with {SHORTEST} to {LONGEST:,} "
            "characters of each observation",
        )
    return setting


def compact_length(setting: str, lm: Any) -> int | None:
    """The most characters of an observation in compact prompts to a model; None if its prompts are full.

    Args:
        setting: see `check_prompt`; `auto` is compact for a model that was trained so.
    """
    if setting == FULL:
        return None
    trained: int | None = getattr(getattr(itself(lm), "engine", None), "compact_prompts", None)
    return trained if setting == AUTO else _length(setting, trained or OBSERVATION)


def check_compact(setting: str, lm: Any) -> None:
    """Check that a model can read the prompts that a setting asks for.

    Raises:
        InputError: it reads prompts by their form, and knows other forms.
    """
    formats = getattr(getattr(itself(lm), "engine", None), "formats", None)
    if setting.startswith(COMPACT) and formats is not None:
        name = itself(lm).model.partition("@")[0]
        raise InputError(
            f"{name} cannot read compact prompts", where=f"--prompt {setting}", hint=f"use --prompt {FULL}"
        )


def _length(setting: str, otherwise: int) -> int:
    number = setting.partition(":")[2]
    return int(number) if number else otherwise


@dataclass(frozen=True, eq=False)
class CompactLayout(Layout):
    """The turns of compact prompts.

    Attributes:
        inputs: the input fields of the opening turn, in order.
        outputs: the fields of a reply with the functions that read them.
        observation: the most characters of an observation.
        plain: whether a reply is a text.
    """

    system: str
    inputs: tuple[str, ...]
    outputs: dict[str, FieldReader]
    observation: int
    plain: bool

    @classmethod
    def of(cls, signature: type[dspy.Signature], observation: int) -> CompactLayout:
        shown = (name for name in opening_fields(signature) if name not in _LEFT_OUT)
        fields = signature.output_fields
        plain = [field.annotation for field in fields.values()] == [str]
        return cls(signature.instructions, tuple(shown), field_readers(signature), observation, plain)

    def opening(self, values: Mapping[str, Any], *, running: bool) -> Message:
        """The same for demonstrations and the running episode."""
        shown = [(name, as_text(values.get(name))) for name in self.inputs]
        lines = [f"{LABELS.get(name, '')}{text}" for name, text in shown if text]
        calendar = calendar_text(as_text(values.get("context")))
        return Message.user("\n".join([calendar, *lines] if calendar else lines))

    def reply(self, values: Mapping[str, Any]) -> Message:
        said = {name: values[name] for name in self.outputs if values.get(name) not in (None, "")}
        return Message.assistant(as_one_line(said))

    def observed(self, step: Step) -> Message:
        shown = observed(step, lambda text: shortened(text, self.observation)) or "(empty)"
        plan = step.get("plan")
        return Message.user(f"{shown}\n{LABELS['plan']}{plan}" if plan else shown)

    def with_offer(self, turn: Message, tools: str) -> Message:
        return turn

    def shared(self, values: Mapping[str, Any]) -> int:
        """As of `TextLayout`: nothing."""
        return 0

    def read(self, text: str) -> dict[str, Any]:
        """The values of a reply's fields.

        Raises:
            ValueError: a field is missing or cannot be read; says which.
        """
        text = text.strip()
        if not text:
            raise ValueError("the reply is empty")
        check_unicode("the reply", text)
        found = {next(iter(self.outputs)): text} if self.plain else read_object("the reply", text)
        values = {}
        for name, reader in self.outputs.items():
            if found.get(name) is None and reader.default is None:
                raise ValueError(f'there is no "{name}" in the reply')
            given = found.get(name)
            values[name] = reader.default if given is None else reader.read(as_text(given))
        return values


def as_one_line(values: Mapping[str, Any]) -> str:
    """The fields of a reply as one JSON object; a text that is the only one as it is."""
    only = next(iter(values.values())) if len(values) == 1 else None
    return only if isinstance(only, str) else json.dumps(values, ensure_ascii=False, default=str)
