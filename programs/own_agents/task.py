"""The task that an agent of any framework gets, and the answer that it returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from worksmith.programs.own_agents.usage import AgentUsage
from worksmith.tools.tool import FINISH

if TYPE_CHECKING:
    from worksmith.programs.own_agents.tools import AgentTools
    from worksmith.tools.persona import Persona

_DO = "Do the user's task with the tools. Nobody answers questions, so do not ask any."


@dataclass(frozen=True)
class Answer:
    """The answer of an agent.

    Attributes:
        text: the final message.
        status: `answered`, `denied` or `not_found`, where the kind of world asks for it.

    Example:
        >>> ws.Answer("", status="denied").status
        'denied'
    """

    text: str
    status: str = "answered"

    def __post_init__(self) -> None:
        for name, value in (("text", self.text), ("status", self.status)):
            if not isinstance(value, str):
                raise TypeError(f"Answer.{name} is a str, and not {type(value).__name__}")


@dataclass(frozen=True, eq=False)
class AgentTask:
    """A task for an agent: the request, the person behind it, the clock and the tools.

    Attributes:
        id: of the task.
        text: the request.
        context: the clock and the person in a sentence, and the policies of the task, if any.
        persona: the person that the agent works for, without the fields that only rules see.
        now: the clock; it stands still.
        tools: the tools on offer.
        max_steps: the most calls of an agent of worksmith; a loop of yours can keep to it.
        usage: takes reports about requests to models that do not go through DSPy.

    Example:
        >>> def my_agent(task: ws.AgentTask) -> str:
        ...     return task.tools.call("notes.add", {"text": task.text})
    """

    id: str
    text: str
    context: str
    persona: Persona
    now: datetime
    tools: AgentTools
    max_steps: int = 20
    usage: AgentUsage = field(default_factory=AgentUsage)

    @property
    def instructions(self) -> str:
        """A system prompt: the context, and how a task ends."""
        return "\n\n".join([_DO, self.context, self.tools.ending])

    def finish(self, answer: str = "", **fields: Any) -> str:
        """End the task with this answer; later calls of tools are refused.

        Args:
            answer: the final message.
            fields: further fields of an answer in this world, such as `status`.

        Returns:
            A text for the agent.
        """
        return self.tools.call(FINISH, {"answer": answer, **fields})
