"""Compiled programs: from the file that `worksmith compile` writes to an agent that runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.errors import InputError
from tools.files.secrets import described

if TYPE_CHECKING:
    import dspy

    from evals.suite import Suite
    from programs.agent import Agent


def load_program(file: Path | str, suite: Suite) -> Agent:
    """The agent in a compiled program's file, at work in the world of `suite`.

    Raises:
        InputError: the file is missing, damaged, no compiled program, or one for another kind of world.
    """
    from optimizers.compiling.artifact import Artifact

    artifact = Artifact.read(file)
    kind = artifact.manifest.suite.get("kind", suite.manifest.kind)
    if kind != suite.manifest.kind:
        raise InputError(
            f"the program was compiled for a world of the kind {kind}",
            where=str(file),
            hint=f"{suite.path} is of the kind {suite.manifest.kind}",
        )
    agent = build_agent(artifact.manifest.program, suite, where=str(file))
    artifact.restore(agent, where=str(file))
    check_shown(agent, where=str(file))
    return agent


def build_agent(config: dict[str, Any], suite: Suite, *, where: str) -> Agent:
    """The agent that an artifact's manifest describes, not compiled.

    Args:
        where: the description stands, for errors.

    Raises:
        InputError: it describes something else, or a strategy under the name of another one.
    """
    from programs.agent import Agent
    from worksmith.jobs.agent_config import AgentConfig

    said = AgentConfig.read(config, where=where)
    return Agent(**said.arguments(), env=suite.env)


def check_shown(agent: dspy.Module, *, where: str) -> None:
    """See that every demonstration of `agent` can be shown, before anything is asked.

    Args:
        where: they come from, for errors.

    Raises:
        InputError: one cannot.
    """
    from programs.prompting.adapter import ADAPTER

    for name, predictor in agent.named_predictors():
        for number, demo in enumerate(predictor.demos, start=1):
            try:
                ADAPTER.format_demos(predictor.signature, [demo])
            except Exception as error:
                raise InputError(
                    f"demonstration {number} of {name} cannot be shown: {described(error)}",
                    where=where,
                    hint="the file was edited or damaged; make it again",
                ) from error
