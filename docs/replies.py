"""Recorded replies of models in the process, so that the programs of the pages take seconds in tests.

A request that is not recorded goes to the model, and its reply is appended to the file that `RECORD_REPLIES`
names. `make replies` records all anew.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

from dspy import lm15
from dspy._vendor.lm15.serde import request_to_dict

from worksmith.evals.lm.lm_proxy import current_sample
from worksmith.models.transformer.transformer_engine import TransformerEngine
from worksmith.tools.files.atomic import append
from worksmith.tools.seeding import digest

FILE = Path(__file__).with_name("replies.jsonl")

RECORD = "RECORD_REPLIES"
"""The environment variable with the file for new replies."""


def answer_from_records() -> None:
    """Have the models of this process answer from the file where they can."""
    ask = TransformerEngine.complete

    def complete(engine: TransformerEngine, request: lm15.Request) -> lm15.Response:
        key = _key(request)
        known = _recorded().get(key)
        if known is None:
            response = ask(engine, request)
            _record(key, response)
            return response
        read, written = known["tokens"]
        return lm15.Response(
            id=None,
            model=request.model,
            message=lm15.Message.assistant([lm15.TextPart(known["reply"])]),
            finish_reason=known["finish"],
            usage=lm15.Usage(input_tokens=read, output_tokens=written, total_tokens=read + written),
        )

    TransformerEngine.complete = complete  # type: ignore[assignment]


def _key(request: lm15.Request) -> str:
    """The content address of a request; the model's name in it has the digest of the weights."""
    sample = current_sample()
    return digest([request_to_dict(request), str(sample.rollout), sample.number], length=16)


@cache
def _recorded() -> dict[str, dict[str, Any]]:
    lines = FILE.read_text(encoding="utf-8").splitlines() if FILE.exists() else []
    return {entry["request"]: entry for entry in map(json.loads, lines)}


def _record(key: str, response: lm15.Response) -> None:
    (part,) = response.message.parts
    entry = {
        "request": key,
        "reply": part.text,
        "finish": response.finish_reason,
        "tokens": [response.usage.input_tokens, response.usage.output_tokens],
    }
    path = Path(os.environ[RECORD])
    with path.open("ab") as file:
        append(file.fileno(), json.dumps(entry, ensure_ascii=False).encode() + b"\n", path)
