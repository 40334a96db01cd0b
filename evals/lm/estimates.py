"""Estimated tokens of a request and its reply, for servers that report none."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dspy import lm15

LONGEST_COUNTED = 200_000
"""Characters of a text that are counted; longer ones have as many tokens in proportion."""


def estimated(request: lm15.Request, response: lm15.Response) -> lm15.Usage:
    """The tokens of both sides by the tokenizer of the packaged MiniLM.

    Its vocabulary is smaller than that of current language models, so it tends to count more tokens.
    """
    from dspy.lm15 import Usage

    asked = [str(request.system or ""), *map(_text, request.messages)]
    return Usage(
        sum(map(tokens_in, (*asked, *map(str, request.tools or ())))), tokens_in(_text(response.message))
    )


def tokens_in(text: str) -> int:
    """The estimated tokens of a text."""
    # Half of a surrogate pair is no text to a tokenizer.
    said = text[:LONGEST_COUNTED].encode(errors="replace").decode()
    tokens = len(_tokenizer().encode(said, add_special_tokens=False).ids) if said else 0
    return math.ceil(tokens * len(text) / LONGEST_COUNTED) if len(text) > LONGEST_COUNTED else tokens


def _text(message: lm15.Message) -> str:
    """The texts, calls and results of a message."""
    said = [getattr(part, "text", None) or "" for part in message.parts]
    called = [json.dumps(part.input) for part in message.parts if hasattr(part, "input")]
    returned = [str(part.content) for part in message.parts if hasattr(part, "content")]
    return "\n".join(filter(None, (*said, *called, *returned)))


@cache
def _tokenizer() -> Any:
    from tokenizers import Tokenizer

    from worksmith.retrievers.embedding.light import packaged

    made = Tokenizer.from_file(str(packaged() / "tokenizer.json"))
    made.no_truncation()
    made.no_padding()
    return made
