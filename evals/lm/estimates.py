"""Estimated tokens of a request and its reply, for servers without usage reports."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from worksmith.evals.lm.failures import chain
from worksmith.evals.lm.wire.replies import is_refusal, reported
from worksmith.retrievers.texts.chunks import pieces_in
from worksmith.tools.episode_result import Tokens

if TYPE_CHECKING:
    from dspy import lm15

_LONGEST = 1_000_000
"""Bytes of an answer that are looked at."""


def estimated(request: lm15.Request, response: lm15.Response) -> lm15.Usage:
    """The tokens of both sides by a rule: about those of GPT-4o, and up to a fifth more for JSON."""
    from dspy.lm15 import Usage

    return Usage(_asked(request), pieces_in(_text(response.message)))


def unread(request: lm15.Request, error: BaseException) -> tuple[Tokens, bool]:
    """The tokens of a request whose answer could not be read, and whether they are estimated.

    Those that the answer reports, else those of the request and of what has arrived. A request that was
    refused or got no answer has no usage.
    """
    answer: bytes | None = next((each.answer for each in chain(error) if hasattr(each, "answer")), None)
    if answer is None or is_refusal(answer):
        return Tokens(), False
    if (said := reported(answer)) is not None:
        return Tokens(*said), False
    return Tokens(_asked(request), pieces_in(answer[:_LONGEST].decode(errors="replace"))), True


def _asked(request: lm15.Request) -> int:
    asked = [str(request.system or ""), *map(_text, request.messages), *map(str, request.tools or ())]
    return sum(map(pieces_in, asked))


def _text(message: lm15.Message) -> str:
    """The texts, calls and results of a message."""
    said = [getattr(part, "text", None) or "" for part in message.parts]
    called = [json.dumps(part.input) for part in message.parts if hasattr(part, "input")]
    returned = [str(part.content) for part in message.parts if hasattr(part, "content")]
    return "\n".join(filter(None, (*said, *called, *returned)))
