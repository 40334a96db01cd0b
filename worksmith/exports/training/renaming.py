"""New names for tools and arguments: within a document always the same ones."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from typing import Any

from worksmith.exports.training.trajectories import ASSISTANT, Message
from worksmith.tools.tool import FINISH

_ONSETS, _VOWELS = "bdfghjklmnprstvz", "aeiou"


class Renaming:
    """The names of one document.

    Args:
        words: of which half of the words of new names are; the others are made up.
    """

    def __init__(self, words: Sequence[str], draw: random.Random) -> None:
        self._words, self._draw = words, draw
        self._names: dict[str, str] = {}

    def of(self, chat: Sequence[Message], calls: Sequence[tuple[str, dict[str, Any]]]) -> list[Message]:
        """The turns of a conversation with the new names of its tools and arguments."""
        tools = {tool: self._tool(tool) for tool, _ in calls}
        longest_first = sorted(tools, key=len, reverse=True)
        named = re.compile("|".join(rf"\b{re.escape(tool)}\b" for tool in longest_first) or "(?!)")
        return [
            {**message, "content": named.sub(lambda match: tools[match[0]], self._arguments(message))}
            for message in chat
        ]

    def _arguments(self, message: Message) -> str:
        """The text of a turn; that of a call with new names of its arguments."""
        text = message["content"]
        reply = json.loads(text) if message["role"] == ASSISTANT and text.startswith('{"') else {}
        if reply.get("tool", FINISH) == FINISH:
            return text
        reply["arguments"] = {self._name(name): value for name, value in reply["arguments"].items()}
        return json.dumps(reply, ensure_ascii=False)

    def _tool(self, tool: str) -> str:
        kit, dot, name = tool.rpartition(".")
        return f"{self._name(kit)}{dot}{self._name(name)}" if kit else self._name(name)

    def _name(self, name: str) -> str:
        while name not in self._names:
            new = "_".join(self._word() for _ in range(self._draw.choice((1, 2, 2))))
            if new not in self._names.values():
                self._names[name] = new
        return self._names[name]

    def _word(self) -> str:
        if self._words and self._draw.random() < 0.5:
            return self._draw.choice(self._words)
        made = (
            self._draw.choice(_ONSETS) + self._draw.choice(_VOWELS) for _ in range(self._draw.choice((2, 3)))
        )
        return "".join(made)
