"""Compiled programs in memory again: agents as a file describes them, with its texts and demonstrations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Self, TypeVar, cast

import dspy
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, PositiveInt, ValidationError

from worksmith.evals.characters import harmless
from worksmith.evals.dspy_programs.copies import copied_program
from worksmith.optimizers.compiling.artifact import Artifact
from worksmith.programs.agent import Agent
from worksmith.programs.parts.checker import Access
from worksmith.programs.prompting.adapter import ADAPTER
from worksmith.programs.prompting.forms import check_prompt
from worksmith.programs.prompting.native import CALLS, NativeLayout
from worksmith.programs.strategies import Strategy, known_strategy
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError
from worksmith.tools.files.secrets import described
from worksmith.tools.sub_modules import named_sub_modules
from worksmith.tools.tool import ToolText

Program = TypeVar("Program", bound=dspy.Module)


@dataclass(frozen=True)
class Loaded:
    """Where a program comes from: the file, and what lies in it."""

    file: Path
    artifact: Artifact

    @property
    def difference(self) -> str:
        """The changes of the compile in the program as it was, for readers; empty if unknown."""
        return harmless(self.artifact.manifest.difference)

    def __deepcopy__(self, memo: dict[int, Any]) -> Loaded:
        return self


_COMPILED: Final = ("strategy", "toolset", "prompt", "descriptions")
"""The settings of an agent that a compile can change."""


def restored(program: Program, artifact: Artifact, *, where: str) -> Program:
    """A copy of a program with its compiled state, and with the file's content as its `compilation`.

    An agent gets the settings that a compile can change; its environment and all else stay its own.

    Args:
        where: the artifact's file, for errors.

    Raises:
        InputError: the artifact is of another program, or damaged.
    """
    told = artifact.manifest.program
    made: Any
    if isinstance(program, Agent) and "strategy" in told and _compiled(told) != _compiled(program.config):
        config = {name: value for name, value in told.items() if name != "components"}
        if config["strategy"] == program.strategy.to_json():  # with its loop, if it has one
            config["strategy"] = program.strategy
        read = AgentConfig.read(config, where=where)
        with _at(where):
            made = program.with_settings(**{name: getattr(read, name) for name in _COMPILED})
    else:
        made = copied_program(program)
    artifact.restore(made, where=where)
    check_demonstrations(made, where=where)
    made.compilation = Loaded(Path(where), artifact)
    return cast(Program, made)


def _compiled(config: Mapping[str, Any]) -> list[Any]:
    return [config.get(name) for name in _COMPILED]


def _with_loop(told: Any) -> Any:
    """A strategy whose loop is code: the one that is installed, or that was named here."""
    known = known_strategy(str(told.get("name"))) if isinstance(told, Mapping) and "loop" in told else None
    return known if known is not None and known.to_json() == told else told


class AgentConfig(BaseModel):
    """The description of an agent in a file, which may come from a stranger; see `Agent.config`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    strategy: Annotated[Strategy, BeforeValidator(_with_loop)]
    toolset: str
    max_steps: PositiveInt
    access: Access
    prompt: Annotated[str, AfterValidator(check_prompt)]
    without: tuple[str, ...]
    descriptions: dict[str, ToolText] = {}

    @classmethod
    def read(cls, config: Mapping[str, Any], *, where: str) -> Self:
        """Check a description.

        Args:
            where: its place, for errors.
        """
        try:
            read = cls.model_validate(config)
        except ValidationError as error:
            if isinstance(told := config.get("strategy"), Mapping) and "loop" in told:
                raise InputError(
                    f"the program has its own loop, {harmless(str(told['loop']))}",
                    where=where,
                    hint="install the package of its strategy, or name it: --strategy package.module:NAME",
                ) from error
            raise InputError(
                "the compiled program is not one of worksmith's agents",
                where=where,
                hint="name the module that makes it, as package.module:factory@FILE",
            ) from error
        _check_name(read.strategy, where)
        return read


def _check_name(strategy: Strategy, where: str) -> None:
    """Check the strategy's name: a gold plan under the name of a plain strategy is a made-up score."""
    known = known_strategy(strategy.name)
    if (known or strategy) != strategy or (known is None and strategy.planner.startswith("gold")):
        raise InputError(
            f"the compiled program calls its strategy {strategy.name!r}, and it is another one",
            where=where,
            hint="give a strategy of your own a name of its own",
        )


def build_agent(config: Mapping[str, Any], env: Environment, *, where: str) -> Agent:
    """The agent that an artifact's manifest describes, not compiled.

    Args:
        where: the place of the description, for errors.
    """
    read = AgentConfig.read(config, where=where)
    with _at(where):
        return Agent(**{name: getattr(read, name) for name in AgentConfig.model_fields}, env=env)


@contextmanager
def _at(where: str) -> Iterator[None]:
    """A block whose bad input came from a file."""
    try:
        yield
    except InputError as error:
        raise InputError(error.message, where=where, hint=error.hint) from error


def check_demonstrations(agent: dspy.Module, *, where: str) -> None:
    """See that every demonstration of `agent` can be shown, before any model is asked.

    Args:
        where: the place they come from, for errors.
    """
    # A stranger's program may have its own output `tool` or input `trajectory`.
    ours = any(isinstance(part, Agent) for _, part in named_sub_modules(agent))
    adapter = ADAPTER if ours else dspy.ChatAdapter()
    for name, predictor in agent.named_predictors():
        for number, demo in enumerate(predictor.demos, start=1):
            try:
                adapter.format_demos(predictor.signature, [demo])
                if ours and not CALLS.isdisjoint(predictor.signature.output_fields):
                    NativeLayout.of(predictor.signature).demonstration(demo)
            except Exception as error:
                raise InputError(
                    f"demonstration {number} of {name} cannot be shown: {described(error)}",
                    where=where,
                    hint="the file was edited or damaged; make it again",
                ) from error
