"""The call by which an agent ends a task. It belongs to no toolkit: programs read it as the last one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

FINISH = "finish"
"""The name of the call."""


@dataclass(frozen=True)
class FinishCall:
    """What prompts and tool schemas say of the call.

    Attributes:
        summary: what the call does, in one sentence.
        arguments: for each argument, which is a text, what is to be written there.
    """

    summary: str
    arguments: Mapping[str, str] = field(hash=False)

    @cached_property
    def text(self) -> str:
        """The call as prompts show tools: signature, summary, arguments."""
        signature = ", ".join(f"{name}: str" for name in self.arguments)
        notes = (f"  {name}: {note}" for name, note in self.arguments.items())
        return "\n".join([f"{FINISH}({signature}): {self.summary}", *notes])


WITHOUT_ANSWER = FinishCall(
    "End the task, once everything asked for is done or turned out not to apply.",
    {"answer": "One or two sentences on what was done or found."},
)
"""For worlds in which nothing but their state is judged."""
