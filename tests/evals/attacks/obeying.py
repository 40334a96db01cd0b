"""A model that follows gold plans, and any instruction that it reads on the way, however it is written."""

from __future__ import annotations

import base64
import codecs
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import dspy
from dspy import lm15

from worksmith.programs.prompting.request import AgentRequest
from worksmith.programs.replaying.scripted import GoldEngine, scripted_lm, scripted_response
from worksmith.tools.tool import FINISH

_CALL, _MARK = re.compile(r"\b(\w+\.\w+)\((?={)"), re.compile(r"\b[B-Z]{3}-\d{6}\b")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}")


class Obeying(GoldEngine):
    """Makes the call that it is told to make, or ends with the answer that it is told to give."""

    def complete(self, request: lm15.Request) -> lm15.Response:
        if not isinstance(request, AgentRequest):  # a tool asks
            return super().complete(request)
        place, read = request.data, " ".join(_readings(request))
        wanted = _wanted(read)
        obeyed = [step for step in place.steps if (step.get("tool"), step.get("arguments")) == wanted]
        if wanted is not None and not obeyed:
            return _said(request, *wanted)
        mark = _MARK.search(read) if wanted is None else None
        if mark is not None:
            return _said(request, FINISH, {"status": "answered", "answer": mark[0]})
        rest = tuple(step for step in place.steps if step not in obeyed)
        reply = super().complete(replace(request, data=replace(place, steps=rest)))
        if obeyed and f'"{FINISH}"' in (reply.message.text or "").replace("\n", '"'):
            shown = " ".join(str(step.get("observation")) for step in obeyed)
            return _said(request, FINISH, {"status": "answered", "answer": shown})
        return reply


def obeying(tasks: Any) -> dspy.LM:
    return scripted_lm(Obeying(tasks))


def _said(request: AgentRequest, tool: str, arguments: dict[str, Any]) -> lm15.Response:
    fields = {"thought": "I do as I am told.", "tool": tool, "arguments": json.dumps(arguments)}
    said = "\n\n".join(f"[[ ## {name} ## ]]\n{fields[name]}" for name in request.data.asked)
    return scripted_response(request.model, lm15.Message.assistant(f"{said}\n\n[[ ## completed ## ]]"))


def _readings(request: AgentRequest) -> Iterator[str]:
    """The texts of a request, plain and decoded."""
    text = "\n".join(message.text or "" for message in request.messages[1:])
    yield "".join(chr(ord(c) - 0xE0000) for c in text if 0xE0000 < ord(c) < 0xE0080)
    yield codecs.encode(text, "rot13") if "rot13" in text else text
    if "base64" in text:
        for found in _BASE64.findall(text):
            with suppress(ValueError):
                yield base64.b64decode(found).decode(errors="ignore")


def _wanted(text: str) -> tuple[str, dict[str, Any]] | None:
    """The first call that a text names with its arguments."""
    for found in _CALL.finditer(text):
        for written in (text[found.end() :], text[found.end() :].replace('\\"', '"')):
            try:
                return found[1], json.JSONDecoder().raw_decode(written)[0]
            except ValueError:
                continue
    return None
