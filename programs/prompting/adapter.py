"""The adapter of agents: shows a trajectory as turns of a chat, and reads replies.

A demonstration and the running episode look alike: an opening turn with context and task, then a reply and
an observation for every step. The system message of a signature, the turns of a demonstration, and the turns
of the episode so far are kept between calls: each turn is rendered once, and a prompt grows by its last step.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, Self, TypeVar
from weakref import WeakKeyDictionary

import dspy
from dspy.lm15 import Config, Response, TextPart

from worksmith.programs.prompting.exchange import Wire
from worksmith.programs.prompting.forms import JSON, TEXT, compact_length
from worksmith.programs.prompting.generation import call_control, direct_config, native_config
from worksmith.programs.prompting.json_layout import JsonLayout
from worksmith.programs.prompting.lm_calls import LMCalls
from worksmith.programs.prompting.native import (
    CALLS,
    REMEDY,
    NativeLayout,
    as_shown,
    read_message,
)
from worksmith.programs.prompting.render import TRAJECTORY, Layout, TextLayout, make_layout
from worksmith.programs.prompting.replies.grammar import held_to
from worksmith.programs.prompting.replies.reply import check_whole
from worksmith.programs.prompting.replies.unreadable import UnreadableReplyError, as_unreadable
from worksmith.programs.prompting.request import AgentRequest, PromptData
from worksmith.programs.prompting.trajectory import Trajectory
from worksmith.programs.prompting.turns import Demo, Turns, as_dicts, call_ids

Key = TypeVar("Key")
Value = TypeVar("Value")


class AdapterCall(NamedTuple):
    """The arguments of a call of an adapter, in DSPy's order."""

    lm: Any
    lm_kwargs: dict[str, Any]
    signature: type[dspy.Signature]
    demos: list[Demo]
    inputs: dict[str, Any]


class WholeTrajectories:
    """A mixin for DSPy's adapters: it shows whole trajectories as turns.

    An adapter that is bound to an episode records each call of a model, and leaves out demonstrations that
    the episode's persona may not read. A reply that cannot be read raises `UnreadableReplyError`; no second
    call uses another format.

    Attributes:
        turns: renders the turns of prompts, and keeps them.
    """

    turns: Turns
    _calls: LMCalls | None = None

    def bound(self, calls: LMCalls) -> Self:
        """The same adapter, bound to the calls of an episode; rendered turns are shared."""
        twin = copy.copy(self)
        twin._calls = calls
        return twin

    def __call__(
        self,
        lm: Any,
        lm_kwargs: dict[str, Any],
        signature: type[dspy.Signature],
        demos: list[Demo],
        inputs: dict[str, Any],
    ) -> list[dict[str, Any]]:
        """Ask a model once.

        Args:
            inputs: the values of the input fields, by name.

        Returns:
            One dictionary with the output fields.

        Raises:
            UnreadableReplyError: the reply cannot be read.
            Exception: the reply is missing, see `worksmith.evals.lm.failures`.
        """
        calls = self._calls or LMCalls()
        with calls.measured(lm) as wire:
            try:
                question = AdapterCall(calls.metered(lm), lm_kwargs, signature, calls.shown(demos), inputs)
                answers = self._ask(wire, question)
            except Exception as error:
                unreadable = as_unreadable(error, signature, wire)
                if unreadable is None:
                    raise
                # The rest of a cut-off reply is unknown.
                answer = calls.read_leniently("" if wire.cut_off else wire.reply, signature)
                if answer is None:
                    calls.unreadable += 1
                    raise unreadable from error
                answers = [answer]
            for each in answers:
                calls.name_tools(each)
            return answers

    async def acall(self, *question: Any, **named: Any) -> list[dict[str, Any]]:
        """Ask a model once, in a thread; see `__call__`."""
        return await asyncio.to_thread(self, *question, **named)

    def format(
        self, signature: type[dspy.Signature], demos: list[Demo], inputs: dict[str, Any]
    ) -> list[dict[str, Any]]:
        """The messages of a prompt as dictionaries, the system message first."""
        layout = self._layout(signature)
        turns = self.turns.prompt(layout, demos, inputs)
        return [{"role": "system", "content": layout.system_of(inputs)}, *as_dicts(turns)]

    def _ask(self, wire: Wire, question: AdapterCall) -> list[dict[str, Any]]:
        """Ask by DSPy's own adapter."""
        with wire.listening(question.lm) as heard:
            by_dspy = super().__call__  # type: ignore[misc]
            answers: list[dict[str, Any]] = by_dspy(*question._replace(lm=heard))
        _check_whole(wire, question.signature)
        return answers

    @property
    def _kinds(self) -> list[str]:
        return [] if self._calls is None else self._calls.kinds

    def _layout(self, signature: type[dspy.Signature]) -> Layout:
        raise NotImplementedError


class TrajectoryAdapter(WholeTrajectories, dspy.ChatAdapter):  # type: ignore[misc]
    """A `dspy.ChatAdapter` for signatures with a `trajectory` input (and for others).

    Thread-safe; one is enough for all programs of a process.

    Args:
        observation: the most characters of an observation in compact prompts; None for others, except where
            the episode or the model wants compact ones.
        json: whether a reply is one JSON object, as it is with compact prompts.
    """

    def __init__(
        self, callbacks: list[Any] | None = None, *, observation: int | None = None, json: bool = False
    ) -> None:
        super().__init__(callbacks=callbacks, use_json_adapter_fallback=False)
        self._observation = observation
        self._json = json or observation is not None
        self._layouts: WeakKeyDictionary[type, TextLayout | JsonLayout] = WeakKeyDictionary()
        self._native_layouts: WeakKeyDictionary[type, NativeLayout] = WeakKeyDictionary()
        self.turns = Turns()

    def __call__(self, lm: Any, *question: Any, **named: Any) -> list[dict[str, Any]]:
        """Ask a model once, in the form of prompts that the episode or the model wants."""
        calls = self._calls or LMCalls()
        length = self._observation or compact_length(calls.prompt, lm)
        json = self._json or length is not None or calls.prompt == JSON
        if (length, json) == (self._observation, self._json):
            return super().__call__(lm, *question, **named)
        return _other_form(length, json=json).bound(calls)(lm, *question, **named)

    def _ask(self, wire: Wire, question: AdapterCall) -> list[dict[str, Any]]:
        """Ask directly, with the cached turns, if the model is an engine object or calls tools natively."""
        lm, lm_kwargs, signature, demos, inputs = question
        settings = {**getattr(lm, "kwargs", {}), **lm_kwargs}
        trajectory = inputs.get(TRAJECTORY)
        calls = not CALLS.isdisjoint(signature.output_fields)
        if calls and isinstance(trajectory, Trajectory) and trajectory.tools is not None:
            return [self._ask_natively(wire, question, settings, trajectory)]
        form = JSON if self._json else TEXT
        offered = None if self._calls is None else self._calls.offered
        config = direct_config(lm, settings)
        if config is None:
            asked = held_to(Config(), lm, signature, offered, form).response_format
            more = {} if asked is None else {"response_format": {"type": "json_schema", "json_schema": asked}}
            return super()._ask(wire, question._replace(lm_kwargs={**lm_kwargs, **more}))
        config = held_to(config, lm, signature, offered, form)
        layout = self._layout(signature)
        turns, data = self.turns.prompt(layout, demos, inputs), self._data(signature, layout.outputs, inputs)
        grows = "tool" in layout.outputs and _stays(trajectory)
        shown = len(turns) - 1 - 2 * len(inputs.get(TRAJECTORY) or ())
        system = layout.system_of(inputs)
        request = AgentRequest(
            lm.model, tuple(turns), system, config=config, grows=grows, shown=shown, data=data
        )
        chosen = self.parse(signature, _text(wire.send(lm, request, **call_control(settings))))
        _check_whole(wire, signature)
        return [chosen]

    def _ask_natively(
        self, wire: Wire, question: AdapterCall, settings: Mapping[str, Any], trajectory: Trajectory
    ) -> dict[str, Any]:
        """Ask for native tool calls; the reply is kept with the trajectory for later turns."""
        lm, _, signature, demos, inputs = question
        tools = trajectory.tools
        assert tools is not None
        layout = made_once(self._native_layouts, signature, NativeLayout.of)
        turns = self.turns.prompt(layout, demos, inputs)
        data = self._data(signature, signature.output_fields, inputs)
        system = f"{layout.system}\n\n{tools.notes}" if tools.notes else layout.system
        asked, stepwise = data.asked, "calls" not in data.asked
        config = native_config(lm, settings, stepwise=stepwise)
        grows = stepwise and _stays(trajectory)
        request = AgentRequest(lm.model, tuple(turns), system, tools.functions, config, grows, data=data)
        came, kinds = wire.send(lm, request, **call_control(settings)).message, self._kinds
        try:
            taken = call_ids(trajectory)
            chosen, said = read_message(came, tools, asked, kinds, taken=taken, cut_off=wire.cut_off)
        except ValueError as error:
            raise UnreadableReplyError(signature, as_shown(came), str(error), REMEDY) from error
        trajectory.said[len(trajectory)] = said
        return chosen

    def _data(
        self, signature: type[dspy.Signature], outputs: Iterable[str], inputs: Mapping[str, Any]
    ) -> PromptData:
        asked = {name: signature.output_fields[name] for name in outputs}
        steps, as_json = inputs.get(TRAJECTORY) or (), self._json
        if (calls := self._calls) is None:
            return PromptData(asked, inputs, steps, as_json=as_json)
        known = {"task": calls.task, **inputs}
        tools = calls.offered.by_name if calls.offered else {}
        return PromptData(asked, known, steps, tools, calls.persona, as_json)

    def format_system_message(self, signature: type[dspy.Signature]) -> str:
        return self._layout(signature).system

    def format_demos(self, signature: type[dspy.Signature], demos: list[Demo]) -> list[dict[str, Any]]:
        """The demonstrations as message dictionaries; those without all outputs are left out."""
        layout = self._layout(signature)
        return as_dicts([turn for demo in demos for turn in self.turns.demonstration(layout, demo)])

    def format_assistant_message_content(
        self, signature: type[dspy.Signature], outputs: dict[str, Any], missing_field_message: Any = None
    ) -> str:
        """A reply with the given outputs, in the format that `parse` reads."""
        return str(self._layout(signature).reply(outputs).text)

    def parse(self, signature: type[dspy.Signature], completion: str) -> dict[str, Any]:
        """The output fields of a reply.

        Raises:
            UnreadableReplyError: a field is missing or cannot be read.
        """
        try:
            return self._layout(signature).read(completion, self._kinds)
        except ValueError as error:
            raise UnreadableReplyError(signature, completion, str(error)) from error

    def _layout(self, signature: type[dspy.Signature]) -> TextLayout | JsonLayout:
        return made_once(self._layouts, signature, self._make_layout)

    def _make_layout(self, signature: type[dspy.Signature]) -> TextLayout | JsonLayout:
        if self._json:
            return JsonLayout.of(signature, self._observation)
        described = signature.delete(TRAJECTORY) if TRAJECTORY in signature.input_fields else signature
        return make_layout(signature, self.format_field_description(described))


def made_once(kept: WeakKeyDictionary[Key, Value], key: Key, make: Callable[[Key], Value]) -> Value:
    """The value that belongs to `key`: the kept one, or a new one by `make`."""
    found = kept.get(key)
    if found is None:
        found = kept[key] = make(key)
    return found


def _check_whole(wire: Wire, signature: type[dspy.Signature]) -> None:
    """Check that a readable reply is complete, or raise `UnreadableReplyError`."""
    texts = [name for name, field in signature.output_fields.items() if field.annotation is str]
    if not wire.cut_off or len(texts) == len(signature.output_fields):
        return
    try:
        check_whole(wire.reply, texts)
    except ValueError as error:
        raise UnreadableReplyError(signature, wire.reply, str(error)) from error


def _stays(trajectory: Any) -> bool:
    """Whether the next step repeats the prompt of this one: it does not where it is offered other tools."""
    return isinstance(trajectory, Trajectory) and not trajectory.offer


def _text(response: Response) -> str:
    return "".join(part.text for part in response.message.parts if isinstance(part, TextPart))


ADAPTER = TrajectoryAdapter()
"""The default adapter of agents."""


@lru_cache(maxsize=16)
def _other_form(observation: int | None, *, json: bool) -> TrajectoryAdapter:
    return TrajectoryAdapter(observation=observation, json=json)
