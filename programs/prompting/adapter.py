"""The adapter of agents: whole trajectories as turns of a chat, rendered once.

A demonstration and the running episode look alike: an opening turn with context and task, then a reply and
an observation for every step. What does not change between two calls is kept: the system message of a
signature, the turns of a demonstration, the turns of the episode so far. A prompt therefore grows by its
last step only, and what it costs to make does not depend on how often it was made before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import dspy
from dspy.clients.backend_selection import CLIENT_KEYS
from dspy.lm15 import (
    Config,
    LM15Error,
    Request,
    TextPart,
    ToolChoice,
    request_from_openai_chat,
)
from dspy.utils.exceptions import AdapterParseError

from evals.lm.lm_proxy import ProxyLM
from programs.prompting.exchange import listening, send
from programs.prompting.native import (
    REMEDY,
    NativeLayout,
    NativeTools,
    as_shown,
    first_call_only,
    read_message,
)
from programs.prompting.render import TRAJECTORY, Layout, make_layout
from programs.prompting.reply import read_reply
from programs.prompting.tool_calling import engine_settings
from programs.prompting.trajectory import Trajectory
from programs.prompting.turns import Demo, Turns, as_dicts, call_ids
from tools.errors import InputError
from tools.files.unicode import writable
from tools.statuses import EpisodeStatus

Made = TypeVar("Made")
Of = TypeVar("Of")

IN_FORMAT = "Reply again in the given format."
"""What a model is told whose reply could not be read."""

_CALL_CONTROL = ("rollout_id", "cache")
_SEVERAL_ANSWERS = ("n", "num_generations", "prompt_cache")


class UnreadableReplyError(AdapterParseError):  # type: ignore[misc]
    """A reply that does not have the fields it should have.

    Attributes:
        episode_status: how an episode ends that it ends.
        reply: the reply as it came.
        problem: what is wrong with it, in words for the model.
        remedy: what the model is to do instead.
    """

    def __init__(
        self,
        signature: type[dspy.Signature],
        reply: str,
        problem: str,
        remedy: str = IN_FORMAT,
        episode_status: EpisodeStatus = "invalid_reply",
    ) -> None:
        super().__init__("TrajectoryAdapter", signature, writable(reply), writable(problem))
        self.reply = writable(reply)
        self.problem = writable(problem)
        self.remedy = remedy
        self.episode_status = episode_status

    def __str__(self) -> str:
        return self.problem


class TrajectoryAdapter(dspy.ChatAdapter):  # type: ignore[misc]
    """A `dspy.ChatAdapter` for signatures with a `trajectory` input (and for others).

    A reply that cannot be read raises `UnreadableReplyError`; there is no second call with another format.
    Thread-safe; one is enough for all programs of a process.

    Attributes:
        turns: makes the turns of prompts.
    """

    def __init__(self, callbacks: list[Any] | None = None) -> None:
        super().__init__(callbacks=callbacks, use_json_adapter_fallback=False)
        self._layouts: WeakKeyDictionary[type, Layout] = WeakKeyDictionary()
        self._native_layouts: WeakKeyDictionary[type, NativeLayout] = WeakKeyDictionary()
        self.turns = Turns()

    def __call__(
        self,
        lm: Any,
        lm_kwargs: dict[str, Any],
        signature: type[dspy.Signature],
        demos: list[Demo],
        inputs: dict[str, Any],
    ) -> list[dict[str, Any]]:
        """Ask `lm`; one behind an engine object, or with native calls, gets the cached turns as they are."""
        settings = {**getattr(lm, "kwargs", {}), **lm_kwargs}
        trajectory = inputs.get(TRAJECTORY)
        if isinstance(trajectory, Trajectory) and trajectory.tools is not None:
            return [self._call_natively(lm, settings, signature, demos, inputs)]
        config = _config(lm, settings)
        if config is None:
            with listening(lm) as heard:
                answers: list[dict[str, Any]] = super().__call__(heard, lm_kwargs, signature, demos, inputs)
            return answers
        plan = self._layout(signature)
        request = Request(lm.model, tuple(self.turns.prompt(plan, demos, inputs)), plan.system, config=config)
        response = send(lm, request, **_control(settings))
        text = "".join(part.text for part in response.message.parts if isinstance(part, TextPart))
        return [self.parse(signature, text)]

    def _call_natively(
        self,
        lm: Any,
        settings: Mapping[str, Any],
        signature: type[dspy.Signature],
        demos: Sequence[Demo],
        inputs: Mapping[str, Any],
    ) -> dict[str, Any]:
        """Ask for a call of a tool; the reply stays with the trajectory, for the turns to come."""
        trajectory = inputs[TRAJECTORY]
        tools: NativeTools = trajectory.tools
        layout = made_once(self._native_layouts, signature, NativeLayout.of)
        turns = self.turns.prompt(layout, demos, inputs)
        system = f"{layout.system}\n\n{tools.notes}" if tools.notes else layout.system
        request = Request(lm.model, tuple(turns), system, tools.functions, _native_config(lm, settings))
        said = send(lm, request, **_control(settings)).message
        try:
            chosen = read_message(said, tools)
        except ValueError as error:
            raise UnreadableReplyError(signature, as_shown(said), str(error), REMEDY) from error
        trajectory.said[len(trajectory)] = first_call_only(said, call_ids(trajectory))
        return chosen

    def format(
        self, signature: type[dspy.Signature], demos: list[Demo], inputs: dict[str, Any]
    ) -> list[dict[str, Any]]:
        """The prompt as message dictionaries."""
        plan = self._layout(signature)
        turns = self.turns.prompt(plan, demos, inputs)
        return [{"role": "system", "content": plan.system}, *as_dicts(turns)]

    def format_system_message(self, signature: type[dspy.Signature]) -> str:
        """The system message: fields, their markers, and the instructions."""
        return self._layout(signature).system

    def format_demos(self, signature: type[dspy.Signature], demos: list[Demo]) -> list[dict[str, Any]]:
        """The demonstrations as message dictionaries; those without all outputs are left out."""
        plan = self._layout(signature)
        return as_dicts([turn for demo in demos for turn in self.turns.demonstration(plan, demo)])

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
            return read_reply(completion, self._layout(signature).outputs)
        except ValueError as error:
            raise UnreadableReplyError(signature, completion, str(error)) from error

    def _layout(self, signature: type[dspy.Signature]) -> Layout:
        return made_once(self._layouts, signature, self._make_layout)

    def _make_layout(self, signature: type[dspy.Signature]) -> Layout:
        described = signature.delete(TRAJECTORY) if TRAJECTORY in signature.input_fields else signature
        return make_layout(signature, self.format_field_description(described))


def made_once(made: WeakKeyDictionary[Of, Made], of: Of, make: Callable[[Of], Made]) -> Made:
    """What was made of something, by now or before."""
    found = made.get(of)
    if found is None:
        found = made[of] = make(of)
    return found


def _config(lm: Any, settings: Mapping[str, Any]) -> Config | None:
    """The generation settings for a direct request, or None where DSPy's own way has to be taken.

    Direct requests are for engine objects. A hosted model's time is spent elsewhere, and callbacks and
    streams expect the messages of DSPy's way.
    """
    if type(lm) not in (dspy.LM, ProxyLM) or isinstance(lm.engine, str):
        return None
    if hasattr(lm.engine, "complete_legacy"):
        return None
    if lm.callbacks or dspy.settings.callbacks or dspy.settings.send_stream is not None:
        return None
    if any(settings.get(name) not in (None, 1) for name in _SEVERAL_ANSWERS):
        return None
    try:
        return _converted(lm.model, _options(settings))
    except TypeError:  # a setting that is not hashable
        return None


def _native_config(lm: Any, settings: Mapping[str, Any]) -> Config:
    """The generation settings for a request with tools; one call a reply, where one can ask for that.

    Raises:
        InputError: there is a setting that such requests cannot carry.
    """
    try:
        config = _converted(lm.model, _options(settings))
    except (LM15Error, TypeError, ValueError) as error:
        raise InputError(
            f"a setting of {lm.model} does not go with native tool calls",
            where=str(error),
            hint="leave it out, or have calls made in text (--calls text)",
        ) from error
    one = False if "parallel_tool_calls" in getattr(lm, "supported_params", ()) else None
    more = {**(config.extensions or {}), **engine_settings(lm)}
    return replace(config, tool_choice=ToolChoice("auto", parallel=one), extensions=more or None)


def _options(settings: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """What is neither about the connection nor about the call as a whole."""
    left_out = {*_CALL_CONTROL, *_SEVERAL_ANSWERS, *CLIENT_KEYS}
    given = {name: value for name, value in settings.items() if value is not None and name not in left_out}
    return tuple(sorted(given.items()))


def _control(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: settings[name] for name in _CALL_CONTROL if settings.get(name) is not None}


@lru_cache(maxsize=256)
def _converted(model: str, options: tuple[tuple[str, Any], ...]) -> Config:
    # DSPy's own conversion, so that a setting means the same on both ways.
    body = {"model": model, "messages": [{"role": "user", "content": "-"}], **dict(options)}
    return request_from_openai_chat(body).config


ADAPTER = TrajectoryAdapter()
"""The adapter that agents use where DSPy's settings name none."""
