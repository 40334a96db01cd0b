"""A candidate: the settings in which a program is to differ from the program as it is, as plain data."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from worksmith.evals.dspy_programs.own_code import is_address
from worksmith.evals.dspy_programs.program_state import Temperature
from worksmith.tools.errors import unknown
from worksmith.tools.files.json_files import validated
from worksmith.tools.seeding import digest
from worksmith.tools.tool import Text, ToolText

DEMONSTRATIONS, INSTRUCTIONS, TOOLS = "demonstrations", "instructions", "tools"
SETTINGS: Final = ("strategy", "toolset", "prompt")
"""Those that only agents have, besides the descriptions of tools."""

MODELS_OWN: Final = "model"
"""The temperature that the model has itself."""


class Demos(BaseModel):
    """The demonstrations of a bank that a predictor shows.

    Attributes:
        show: the same in every prompt, or the nearest to each task.
        tasks: `Demonstration.name` of those that are shown, or from which the nearest are chosen; empty for
            all of the bank.
        count: how many of the nearest a prompt shows.
        always: names of those that every prompt shows besides the nearest.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    show: Literal["none", "fixed", "nearest"]
    tasks: tuple[str, ...] = ()
    count: Annotated[int, Field(ge=0, strict=True)] = 0
    always: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        nearest = self.show == "nearest"
        if nearest != (self.count > 0):
            raise ValueError("`nearest` needs a `count` of at least 1, and nothing else has one")
        if self.always and not nearest:
            raise ValueError("`always` goes with `nearest`")
        if self.show != "nearest" and bool(self.tasks) != (self.show == "fixed"):
            raise ValueError("`fixed` needs `tasks`, and `none` has none")
        return self


class Candidate(BaseModel):
    """Changes to a program; absent settings do not change.

    Attributes:
        instructions: by predictor, e.g. `selector.predict`.
        demonstrations: by predictor.
        tools: texts that replace a tool's own in prompts, by tool.
        toolset, prompt, strategy: of an agent, see `worksmith.programs.agent.Agent`.
        temperature: of the model in every predictor; `model` for the model's own.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    instructions: dict[str, Text] = {}
    demonstrations: dict[str, Demos] = {}
    tools: dict[str, ToolText] = {}
    toolset: Text | None = None
    prompt: Text | None = None
    strategy: Text | None = None
    temperature: Temperature | Literal["model"] | None = None

    @field_validator("strategy")
    @classmethod
    def _check_strategy(cls, strategy: str | None) -> str | None:
        """A candidate may come from a stranger's file, and an address would import code."""
        if strategy is not None and is_address(strategy):
            raise ValueError("a strategy is named here, and its code is not")
        return strategy

    @classmethod
    def from_json(cls, data: Any, *, where: str = "a candidate") -> Self:
        """The candidate in JSON-able data.

        Raises:
            InputError: the data are something else.
        """
        return validated(data, cls, "a candidate", where=where)

    def to_json(self) -> dict[str, Any]:
        """As JSON-able data, without what stays as it is."""
        return self.model_dump(mode="json", exclude_defaults=True)

    @property
    def digest(self) -> str:
        return digest(self.to_json())

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the changes; the demonstrations of all predictors are one of them."""
        return tuple(self._places())

    def without(self, part: str) -> Self:
        """The candidate without one of its `parts`."""
        places = self._places()
        if part not in places:
            raise unknown("the candidate has no part", part, places)
        data = self.to_json()
        _remove(data, places[part])
        return self.from_json(data)

    def joined(self, other: Candidate) -> Self:
        """The candidate with the parts of another one, which wins where both change the same."""
        tools = {
            name: self.tools[name].joined(text) if name in self.tools else text
            for name, text in other.tools.items()
        }
        plain = {
            name: getattr(other, name)
            for name in (*SETTINGS, "temperature")
            if getattr(other, name) is not None
        }
        return self.model_copy(
            update={
                **plain,
                "instructions": self.instructions | other.instructions,
                "demonstrations": self.demonstrations | other.demonstrations,
                "tools": self.tools | tools,
            }
        )

    def _places(self) -> dict[str, tuple[str, ...]]:
        """The keys that lead to each part in the candidate's data."""
        places: dict[str, tuple[str, ...]] = {
            f"instructions of {name}": ("instructions", name) for name in self.instructions
        }
        if self.demonstrations:
            places[DEMONSTRATIONS] = (DEMONSTRATIONS,)
        for name, text in self.tools.items():
            if text.description is not None:
                places[f"description of {name}"] = ("tools", name, "description")
            for argument in text.arguments:
                places[f"argument {argument} of {name}"] = ("tools", name, "arguments", argument)
        for name in (*SETTINGS, "temperature"):
            if getattr(self, name) is not None:
                places[name] = (name,)
        return places


AS_IT_IS: Final = Candidate()


def _remove(data: dict[str, Any], place: tuple[str, ...]) -> None:
    """Take out a value, and each object that has become empty by that."""
    key, *rest = place
    if rest:
        _remove(data[key], tuple(rest))
    if not rest or not data[key]:
        del data[key]
