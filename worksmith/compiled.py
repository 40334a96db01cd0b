"""Compiled programs: from the file that `worksmith compile` writes to an agent that runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tools.errors import InputError

if TYPE_CHECKING:
    from evals.suite import Suite
    from optimizers.artifact import Artifact
    from programs.agent import Agent


class CompiledAgent(NamedTuple):
    """An agent with its demonstrations in place, and the artifact it comes from."""

    agent: Agent
    artifact: Artifact


def load_program(file: Path | str, suite: Suite) -> Agent:
    """The agent in a compiled program's file, at work in the world of `suite`.

    Raises:
        InputError: the file is missing, damaged, no compiled program, or one for another kind of world.
    """
    return load_compiled(file, suite).agent


def load_compiled(file: Path | str, suite: Suite) -> CompiledAgent:
    """As `load_program`, with the artifact and its manifest."""
    from optimizers.artifact import Artifact

    artifact = Artifact.read(file)
    kind = artifact.manifest.suite.get("kind", suite.manifest.kind)
    if kind != suite.manifest.kind:
        raise InputError(
            f"the program was compiled for a world of the kind {kind}",
            where=str(file),
            hint=f"{suite.path} is of the kind {suite.manifest.kind}",
        )
    agent = build_agent(artifact.manifest.program, suite, where=str(file))
    artifact.restore(agent)
    return CompiledAgent(agent, artifact)


def build_agent(config: dict[str, Any], suite: Suite, *, where: str) -> Agent:
    """The agent that an artifact's manifest describes, not compiled.

    Args:
        where: the description stands, for errors.

    Raises:
        InputError: it describes something else.
    """
    from programs.agent import Agent
    from programs.strategies import Strategy

    try:
        return Agent(
            Strategy(**config["strategy"]),
            toolset=config["toolset"],
            max_steps=config["max_steps"],
            access=config.get("access", "policy"),
            calls=config.get("calls", "auto"),
            without=config.get("without", ()),
            workshop=suite.workshop,
        )
    except (KeyError, TypeError) as error:
        raise InputError(
            "the compiled program is not one of worksmith's agents",
            where=where,
            hint="build its program yourself and call Artifact.restore",
        ) from error
