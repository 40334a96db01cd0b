"""A scripted language model that proposes instructions, to whichever of DSPy's optimizers asks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import dspy
from dspy.lm15 import Message, Request, Response, Usage

Chat = list[dict[str, str]]

_FIELD = re.compile(r"^\d+\. `(\w+)`", re.MULTILINE)
_MODULE = re.compile(r"Module ([\w.\[\]]+)\\?\n")


def propose(messages: Chat, number: int) -> str:
    """A reply with every output field that a prompt of DSPy's asks for; `number` keeps replies apart."""
    system, prompt = messages[0]["content"], messages[-1]["content"]
    outputs = system.partition("Your output fields are:")[2].partition("All interactions")[0]
    fields: dict[str, Any] = dict.fromkeys(_FIELD.findall(outputs), f"Proposal {number}.")
    if "module_advice" in fields:
        fields["module_advice"] = dict.fromkeys(_MODULE.findall(prompt), f"Advice {number}.")
    if "JSON object" in prompt:
        return json.dumps(fields)
    said = {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in {**fields, "completed": ""}.items()
    }
    return "\n\n".join(f"[[ ## {name} ## ]]\n{value}" for name, value in said.items())


class Proposals:
    """An engine that proposes; what it was asked is in `asked`."""

    digest = "proposals"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def complete(self, request: Request) -> Response:
        """The next proposal."""
        turns = [(message.role, "".join(part.text for part in message.parts)) for message in request.messages]
        system = request.system if isinstance(request.system, str) else str(request.system or "")
        messages = [{"role": "system", "content": system}] if system else []
        messages += [{"role": role, "content": text} for role, text in turns]
        self.asked.append("\n".join(message["content"] for message in messages))
        return reply(request.model, propose(messages, len(self.asked)))


class Silent:
    """An engine that never answers."""

    digest = "silent"

    def complete(self, request: Request) -> Response:
        """Fail."""
        raise RuntimeError("no more credit")


def proposing_lm(engine: Callable[[], Any] = Proposals) -> dspy.LM:
    """A model whose engine is at `.engine`."""
    return dspy.LM("scripted/proposals", engine=engine(), cache=False, num_retries=0)


def reply(model: str, text: str) -> Response:
    """A reply that says `text`."""
    return Response("reply", model, Message.assistant(text), "stop", Usage(10, 1, 11))
