"""Prompts and replies of an episode for people to read: cut to a size, without credentials."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from worksmith.tools.episode_result import AskRecord, Exchange, Message
from worksmith.tools.files.secrets import without_secrets

if TYPE_CHECKING:
    from worksmith.evals.records.entries import AskEntry

LONGEST_PROMPT = 40_000
"""Characters of a prompt that are shown; the middle of a longer one is left out."""

LONGEST_MESSAGE = 10_000
"""Characters of a message or reply that are shown."""

NOTE = "system"
"""The role of worksmith's remarks in square brackets, which no model got."""


def shown_messages(exchange: Exchange) -> list[Message]:
    """The new messages of a question, with remarks about those left out."""
    messages = _cut([Message(role, shown_text(text)) for role, text in exchange.messages])
    if exchange.repeated:
        messages.insert(0, _note(f"{exchange.repeated} messages as in the question before"))
    return messages


def whole_prompts(asks: Iterable[AskRecord | AskEntry]) -> list[list[Message]]:
    """The prompt of each question, uncut; empty if it is not kept."""
    before: dict[str, list[Message]] = {}
    whole = []
    for ask in asks:
        prompt = []
        if ask.exchange is not None:
            new = [Message(role, without_secrets(text)) for role, text in ask.exchange.messages]
            prompt = before[ask.part] = [*before.get(ask.part, [])[: ask.exchange.repeated], *new]
        whole.append(prompt)
    return whole


def shown_text(text: str) -> str:
    """A message or a reply, cut to `LONGEST_MESSAGE`."""
    text = without_secrets(text)
    rest = len(text) - LONGEST_MESSAGE
    return text if rest <= 0 else f"{text[:LONGEST_MESSAGE]}… [{rest:,} characters more]"


def _cut(messages: list[Message]) -> list[Message]:
    """The first and the last of the messages, as many as `LONGEST_PROMPT` takes."""
    if _size(messages) <= LONGEST_PROMPT:
        return messages
    head = _within(messages, LONGEST_PROMPT // 2)
    tail = _within(reversed(messages), LONGEST_PROMPT // 2)[::-1]
    left_out = messages[len(head) : len(messages) - len(tail)]
    words = f"{len(left_out)} messages of {_size(left_out):,} characters are left out here"
    return [*head, _note(words), *tail]


def _within(messages: Iterable[Message], room: int) -> list[Message]:
    kept = []
    for message in messages:
        room -= len(message.text)
        if room < 0:
            break
        kept.append(message)
    return kept


def _size(messages: Sequence[Message]) -> int:
    return sum(len(message.text) for message in messages)


def _note(text: str) -> Message:
    return Message(NOTE, f"[{text}]")
