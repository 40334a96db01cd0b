"""Prompts and replies as they go over the line, and as texts."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import dspy
from dspy.lm15 import Message as Turn
from dspy.lm15 import RefusalPart, Request, Response, TextPart, ToolCallPart, ToolResultPart
from dspy.utils.callback import BaseCallback

from worksmith.evals.lm.finish_reasons import finish_reason
from worksmith.evals.lm.lm_proxy import ProxyLM
from worksmith.tools.episode_result import TOOLS, Exchange, Message
from worksmith.tools.files.unicode import writable

_SHARED = 4096
"""Messages that are held once for all prompts: demonstrations, and descriptions of formats."""


@dataclass
class Wire:
    """The last request of one call of a model and the reply to it.

    Requests that are made here go out with `send`; if DSPy makes the messages, they come from a model of
    `listening`.

    Attributes:
        sent: the messages as they were handed over: turns, dictionaries, or texts of the system.
        reply: as text; empty if none came.
        finish_reason: why the model stopped; see `worksmith.evals.records.entries.AskEntry`.
    """

    sent: Sequence[Any] = ()
    reply: str = ""
    finish_reason: str = ""

    @property
    def cut_off(self) -> bool:
        """Whether the reply reached the limit of output tokens."""
        return self.finish_reason == "length"

    def send(self, lm: ProxyLM, request: Request, **control: Any) -> Response:
        self.sent, self.reply, self.finish_reason = _sent(request), "", ""
        response = lm.ask(request, **control)
        self.reply, self.finish_reason = _text(response.message), finish_reason(response)
        return response

    @contextmanager
    def listening(self, lm: Any) -> Iterator[Any]:
        """A block in which DSPy makes the messages and sends them to the model given."""
        overheard, quiet = copy.copy(lm), dspy.settings.disable_history

        # DSPy hands over what came back as the entry of a history, and nowhere else.
        def update_history(entry: dict[str, Any]) -> None:
            self.finish_reason = finish_reason(entry.get("response"))
            if not quiet:
                lm.update_history(entry)

        overheard.update_history = update_history
        callbacks = [*dspy.settings.callbacks, _Listener(self)]
        with dspy.context(callbacks=callbacks, disable_history=False):
            yield overheard

    def exchange(self, before: Sequence[Any]) -> Exchange:
        """Prompt and reply, where the same part had sent `before` with its last question."""
        same = 0
        for one, other in zip(self.sent, before, strict=False):
            if one is not other and one != other:
                break
            same += 1
        return Exchange(same, tuple(_message(sent) for sent in self.sent[same:]), writable(self.reply))


@dataclass
class _Listener(BaseCallback):  # type: ignore[misc]
    """DSPy calls it for each call of a model; of calls within a call the outermost counts."""

    wire: Wire
    _calls: list[str] = field(default_factory=list)

    def on_lm_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
        self._calls.append(call_id)
        if len(self._calls) == 1:
            prompt = inputs.get("prompt")
            asked = [{"role": "user", "content": prompt}]
            self.wire.sent = _sent(prompt) if isinstance(prompt, Request) else inputs.get("messages") or asked
            self.wire.reply = self.wire.finish_reason = ""

    def on_lm_end(self, call_id: str, outputs: Any, exception: BaseException | None = None) -> None:
        self._calls.remove(call_id)
        if not self._calls and outputs is not None:
            self.wire.reply = _said(outputs)


def _sent(request: Request) -> list[Any]:
    offered = [request.tools] if request.tools else []
    system = [request.system] if request.system else []
    return [*offered, *system, *request.messages]


def _message(sent: Any) -> Message:
    """A message as it was handed over, as text."""
    if isinstance(sent, Turn):
        return _shared(sent.role, _text(sent))
    if isinstance(sent, Mapping):
        return _shared(str(sent["role"]), _plain(sent.get("content")))
    if isinstance(sent, str):
        return _shared("system", sent)
    if all(hasattr(part, "parameters") for part in sent):
        offered = [
            {"name": each.name, "description": each.description, "parameters": each.parameters}
            for each in sent
        ]
        return _shared(TOOLS, _plain(offered))
    return _shared("system", _parts(sent))


_shared = lru_cache(maxsize=_SHARED)(Message)


def _text(turn: Turn) -> str:
    return turn.text if turn.text is not None else _parts(turn.parts)


def _parts(parts: Sequence[Any]) -> str:
    """The parts of a turn, one under the other: texts, calls and results."""
    return "\n".join(text for part in parts if (text := _part(part)))


def _part(part: Any) -> str:
    if isinstance(part, TextPart):
        return str(part.text)
    if isinstance(part, ToolCallPart):
        return f"{part.name} {_plain(part.input)}"
    if isinstance(part, ToolResultPart):
        return _parts(part.content)
    return str(part.text) if isinstance(part, RefusalPart) else f"({part.type})"


def _plain(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, default=str)


def _said(outputs: Any) -> str:
    if isinstance(outputs, Response):
        return _text(outputs.message)
    first = outputs[0] if isinstance(outputs, list) and outputs else outputs
    if isinstance(first, Mapping) and set(first) == {"text"}:
        first = first["text"]
    return _plain(first or "")
