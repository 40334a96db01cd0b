"""The lines of training data, in the conversational forms of TRL."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from worksmith.tools.errors import InputError
from worksmith.tools.files.json_files import read_lines, validated

ASSISTANT = "assistant"


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Message(_Strict):
    """A turn of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str


class _Line(_Strict):
    """A line.

    Attributes:
        origin: where it comes from, as `worksmith export` says it; no part of the training.
    """

    origin: dict[str, str] = {}


class Conversation(_Line):
    """A whole conversation: each turn of the assistant is taught."""

    messages: list[Message] = Field(min_length=1)

    @model_validator(mode="after")
    def _taught(self) -> Self:
        if not any(message.role == ASSISTANT and message.content for message in self.messages):
            raise ValueError("no turn of the assistant has a text")
        return self


class Completion(_Line):
    """A prompt and its continuation: only the assistant's turns of the latter are taught."""

    prompt: list[Message] = Field(min_length=1)
    completion: list[Message] = Field(min_length=1)

    @model_validator(mode="after")
    def _replies(self) -> Self:
        _check_reply(self.prompt, completion=self.completion)
        return self


class Preference(_Line):
    """A prompt with a better and a worse continuation."""

    prompt: list[Message] = Field(min_length=1)
    chosen: list[Message] = Field(min_length=1)
    rejected: list[Message] = Field(min_length=1)

    @model_validator(mode="after")
    def _differ(self) -> Self:
        _check_reply(self.prompt, chosen=self.chosen, rejected=self.rejected)
        if self.chosen == self.rejected:
            raise ValueError("chosen and rejected are the same")
        return self


def _check_reply(prompt: Sequence[Message], **replies: Sequence[Message]) -> None:
    if prompt[-1].role == ASSISTANT:
        raise ValueError("the prompt ends with a turn of the assistant")
    for name, turns in replies.items():
        if turns[0].role != ASSISTANT or not turns[0].content:
            raise ValueError(f"{name} does not begin with a text of the assistant")


Row = Conversation | Completion | Preference


class Data(NamedTuple):
    """Lines, the number of each in the file, and the SHA-256 of the file."""

    rows: list[Row]
    lines: list[int]
    digest: str


def read_data(file: Path, *, preferences: bool) -> Data:
    """The lines of a file.

    Each has `messages`, or `prompt` and `completion`; those of preferences `prompt`, `chosen` and `rejected`.

    Raises:
        InputError: a line is something else, with its number; or has no line.
    """
    method, other = ("dpo", "sft") if preferences else ("sft", "dpo")
    what, hint = f"a line for {method.upper()}", f"worksmith export {method} writes such files"
    rows: list[Row] = []
    lines: list[int] = []
    for where, value in read_lines(file, what, hint=hint):
        keys = set(value) if isinstance(value, dict) else set()
        if keys & {"chosen", "messages", "completion"} and ("chosen" in keys) is not preferences:
            raise InputError(f"not {what}", where=where, hint=f"give this file to worksmith train {other}")
        model: type[Row] = Preference if preferences else Completion if "prompt" in keys else Conversation
        rows.append(validated(value, model, what, where=where, hint=hint))
        lines.append(int(where.rpartition(":")[2]))
    if not rows:
        raise InputError("the file has no line", where=str(file), hint=hint)
    with file.open("rb") as opened:
        return Data(rows, lines, hashlib.file_digest(opened, "sha256").hexdigest())
