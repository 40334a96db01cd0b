"""Estimated tokens of a request and its reply, for servers that report none."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from worksmith.retrievers.texts.chunks import pieces_in

if TYPE_CHECKING:
    from dspy import lm15


def estimated(request: lm15.Request, response: lm15.Response) -> lm15.Usage:
    """The tokens of both sides by a rule: about those of GPT-4o, and up to a fifth more for JSON."""
    from dspy.lm15 import Usage

    asked = [str(request.system or ""), *map(_text, request.messages), *map(str, request.tools or ())]
    return Usage(sum(map(pieces_in, asked)), pieces_in(_text(response.message)))


def _text(message: lm15.Message) -> str:
    """The texts, calls and results of a message."""
    said = [getattr(part, "text", None) or "" for part in message.parts]
    called = [json.dumps(part.input) for part in message.parts if hasattr(part, "input")]
    returned = [str(part.content) for part in message.parts if hasattr(part, "content")]
    return "\n".join(filter(None, (*said, *called, *returned)))
