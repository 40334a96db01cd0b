"""What a file says of an agent: what it takes to build it anew. The file may come from a stranger."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, PositiveInt, ValidationError

from programs.parts.checker import Access
from programs.prompting.tool_calling import Calls
from programs.strategies import STRATEGIES, Strategy
from tools.errors import InputError


class AgentConfig(BaseModel):
    """See `programs.agent.Agent.config`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    strategy: Strategy
    toolset: str
    max_steps: PositiveInt
    access: Access
    calls: Calls
    without: tuple[str, ...]

    @classmethod
    def read(cls, config: Mapping[str, Any], *, where: str) -> Self:
        """What `config` says.

        Args:
            where: it stands, for errors.

        Raises:
            InputError: it describes something else, or a strategy under the name of another one.
        """
        try:
            said = cls.model_validate(config)
        except ValidationError as error:
            raise InputError(
                "the compiled program is not one of worksmith's agents",
                where=where,
                hint="build its program yourself and call Artifact.restore",
            ) from error
        _check_name(said.strategy, where)
        return said

    def arguments(self) -> dict[str, Any]:
        """What `Agent` takes."""
        return {name: getattr(self, name) for name in type(self).model_fields}


def _check_name(strategy: Strategy, where: str) -> None:
    """See that tables name what is run: a gold plan under the name of a plain strategy is a made-up score.

    Raises:
        InputError: they would not.
    """
    known = STRATEGIES.get(strategy.name)
    if (known or strategy) != strategy or (known is None and strategy.planner.startswith("gold")):
        raise InputError(
            f"the compiled program calls its strategy {strategy.name!r}, and it is another one",
            where=where,
            hint="give a strategy of your own a name of its own",
        )
