"""Transcripts: the calls of an agent on a task, as a script that can be run again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

GOLD = "gold"
"""The name of the model that follows gold plans."""

GOLD_PREFIX = f"scripted/{GOLD}-"
"""The start of the name under which DSPy knows it; a digest of the plans follows."""


@dataclass(frozen=True)
class TranscriptStep:
    """One call.

    Attributes:
        tool: as the agent wrote it.
        arguments: as the agent gave them; a bare text stands for the first one.
        thought: what the agent wrote before the call; may be empty.
    """

    tool: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    thought: str = ""


@dataclass(frozen=True)
class Transcript:
    """A run on one task.

    Attributes:
        query: the text of the task.
        final: the agent's last message.
        error: what ended the run; None if it ended by itself.
        status: the status that the agent gave with its answer; empty where only the world's state is judged.
        who: id of the persona, where several may ask the same.
        told: what else tells the request from others of the same text: its clock and its own context.
        denied: whether the last call is one that the persona may not make.
    """

    query: str
    steps: tuple[TranscriptStep, ...] = ()
    final: str = ""
    error: str | None = None
    status: str = ""
    who: str = ""
    told: tuple[str, ...] = ()
    denied: bool = False
