"""Results that are shown otherwise than as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Shown:
    """What a tool returns whose result is too long to be read: the agent sees `text` in its place.

    Attributes:
        value: the whole result, as JSON-able data. Later calls can refer to it, see `ToolContext.results`.
        text: what the agent reads; says nothing that is not in the value.
    """

    value: Any
    text: str
