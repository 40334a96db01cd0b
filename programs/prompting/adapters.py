"""Adapters of DSPy's that a user sets: whole trajectories in their format.

Fields, demonstrations, replies and observations look as the adapter makes them, and it reads the replies. The
turns are those of `worksmith.programs.prompting.adapter`: an opening turn, then a reply and an observation
for every step.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import dspy
from dspy.lm15 import Message
from dspy.utils.exceptions import AdapterParseError

from worksmith.programs.prompting.adapter import ADAPTER, AdapterCall, WholeTrajectories, made_once
from worksmith.programs.prompting.exchange import Wire
from worksmith.programs.prompting.render import (
    RUNNING_ONLY,
    TRAJECTORY,
    Layout,
    offered_before,
    opening_fields,
)
from worksmith.programs.prompting.replies.reply import check_values
from worksmith.programs.prompting.replies.unreadable import UnreadableReplyError
from worksmith.programs.prompting.steps import Step, as_text, observed
from worksmith.programs.prompting.tool_calling import itself
from worksmith.programs.prompting.turns import Turns
from worksmith.tools.errors import InputError

_TAKEN = "dspy.ChatAdapter, JSONAdapter, XMLAdapter and BAMLAdapter"
_LONGEST = 300
"""The most characters of an adapter's remark on a reply in the prompt of the model."""

_LONGEST_READ = 100_000
"""Characters of a reply that an adapter of DSPy's reads; to mend a longer one could take minutes."""

_NESTED = "it is nested too deeply"
_STEPS = (
    "After a reply with a tool you are given what the call returned, as `observation`, and reply again in "
    "the same way."
)
_OBSERVED = dspy.Signature(
    {
        "observation": (str, dspy.InputField()),
        "plan": (str, dspy.InputField()),
        "tools": (str, dspy.InputField()),
    }
)
"""The fields of the turns that follow a reply."""


def adapter_in_use(lm: Any) -> WholeTrajectories:
    """The adapter that DSPy's settings name, for whole trajectories; worksmith's by default.

    Args:
        lm: that is asked. One that answers from a script, such as gold plans, has its own format.

    Raises:
        InputError: programs of this package cannot be asked through the adapter.
    """
    chosen = dspy.settings.adapter
    if chosen is None:
        return ADAPTER
    if isinstance(chosen, WholeTrajectories):
        return chosen
    engine, kind = getattr(itself(lm), "engine", None), type(chosen)
    if getattr(engine, "own_format", False):
        return ADAPTER
    if not isinstance(chosen, dspy.ChatAdapter) or _format(kind) is not _format(dspy.ChatAdapter):
        raise InputError(
            f"{kind.__name__} cannot render whole trajectories",
            where="dspy.settings.adapter",
            hint=f"use one of {_TAKEN}, or none",
        )
    return made_once(_MADE, chosen, _whole)


def refuse_user_format(adapter: WholeTrajectories, what: str, remedy: str) -> None:
    """Mind that something goes through no adapter of a user's.

    Raises:
        InputError: one was set.
    """
    if isinstance(adapter, _UserFormat):
        name = type(adapter).__bases__[-1].__name__
        raise InputError(
            f"{what} do not go through {name}",
            where="dspy.settings.adapter",
            hint=f"{remedy}, or set no adapter",
        )


class _UserFormat(WholeTrajectories):
    """Whole trajectories in the format of an adapter of DSPy's."""

    _layouts: WeakKeyDictionary[type, AdapterLayout]

    def _ask(self, wire: Wire, question: AdapterCall) -> list[dict[str, Any]]:
        signature = question.signature
        try:
            answers = super()._ask(wire, question)
        except AdapterParseError as error:
            problem = _problem(error, signature)
            raise UnreadableReplyError(signature, str(error.lm_response), problem) from error
        for values in answers:
            try:
                check_values(values)
            except ValueError as error:
                raise UnreadableReplyError(signature, as_text(values), str(error)) from error
        return answers

    def _layout(self, signature: type[dspy.Signature]) -> AdapterLayout:
        return made_once(self._layouts, signature, partial(AdapterLayout.of, self))

    def parse(self, signature: type[dspy.Signature], completion: str) -> dict[str, Any]:
        """The output fields of a reply, as the adapter reads them.

        Raises:
            AdapterParseError: it cannot.
        """
        try:
            if len(completion) > _LONGEST_READ:
                raise ValueError("it is too long")
            values: dict[str, Any] = super().parse(signature, completion)  # type: ignore[misc]
        except (RecursionError, ValueError) as error:
            message = _NESTED if isinstance(error, RecursionError) else str(error)
            raise AdapterParseError(type(self).__name__, signature, completion, message) from error
        return values


@dataclass(frozen=True, eq=False)
class AdapterLayout(Layout):
    """The turns in the format of an adapter of DSPy's.

    Attributes:
        signature: without the trajectory.
        reminder: the adapter's ending of the opening turn of the running episode.
    """

    adapter: Any
    signature: type[dspy.Signature]
    system: str
    reminder: str
    outputs: tuple[str, ...]

    @classmethod
    def of(cls, adapter: Any, signature: type[dspy.Signature]) -> AdapterLayout:
        shown = signature.delete(TRAJECTORY) if TRAJECTORY in signature.input_fields else signature
        stepwise = "tool" in shown.output_fields
        told = shown.with_instructions(f"{shown.instructions}\n\n{_STEPS}") if stepwise else shown
        reminder = adapter.user_message_output_requirements(shown)
        system = adapter.format_system_message(told)
        return cls(adapter, shown, system, reminder or "", tuple(shown.output_fields))

    def opening(self, values: Mapping[str, Any], *, running: bool) -> Message:
        names = [name for name in opening_fields(self.signature) if running or name not in RUNNING_ONLY]
        given = {name: values[name] for name in names if as_text(values.get(name))}
        return self._user(self.signature, given, running=running)

    def reply(self, values: Mapping[str, Any]) -> Message:
        fields = {name: values[name] for name in self.outputs if values.get(name) is not None}
        made = self.adapter.format_assistant_message_content(self.signature, fields, missing_field_message="")
        return Message.assistant(made.strip())

    def observed(self, step: Step) -> Message:
        plan = {"plan": step["plan"]} if step.get("plan") else {}
        return self._user(_OBSERVED, {"observation": observed(step), **plan})

    def with_offer(self, turn: Message, tools: str) -> Message:
        offer = str(self._user(_OBSERVED, {"tools": tools}).text)
        return offered_before(turn, offer, f"\n\n{self.reminder}")

    def _user(
        self, signature: type[dspy.Signature], given: Mapping[str, Any], *, running: bool = False
    ) -> Message:
        return Message.user(
            self.adapter.format_user_message_content(signature, dict(given), main_request=running)
        )


_MADE: WeakKeyDictionary[dspy.ChatAdapter, _UserFormat] = WeakKeyDictionary()


def _whole(chosen: dspy.ChatAdapter) -> _UserFormat:
    """A twin of an adapter, with its settings, that renders whole trajectories."""
    kind = type(chosen)
    made: Any = type(kind.__name__, (_UserFormat, kind), {})
    # DSPy calls callbacks for `parse` in each class; the adapter's own already does.
    made.parse = _UserFormat.parse
    twin: Any = copy.copy(chosen)
    twin.__class__ = made
    twin._layouts, twin.turns = WeakKeyDictionary(), Turns()
    # The model sees an unreadable reply; DSPy would ask again in another format.
    twin.use_json_adapter_fallback = False
    whole: _UserFormat = twin
    return whole


def _format(kind: type) -> Any:
    return inspect.unwrap(kind.format)  # type: ignore[attr-defined]


def _problem(error: AdapterParseError, signature: type[dspy.Signature]) -> str:
    """The fault of a reply, in words for the model."""
    if isinstance(error.parsed_result, Mapping):
        missing = [name for name in signature.output_fields if name not in error.parsed_result]
        if missing:
            return f"there is no field {missing[0]}"
    said = str(error).partition("Adapter ")[0].strip().rstrip(".")
    return said[:_LONGEST] or "it does not have the fields asked for"
