"""Programs of jobs: agents that are not compiled, and compiled ones from their files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from worksmith.evals.dspy_programs.own_code import checked_address, is_address, own_object
from worksmith.jobs.opening.own_programs import own_name, own_program
from worksmith.jobs.opening.restoring import build_agent, restored
from worksmith.jobs.settings.groups.programs import OwnAgentSettings, PlannerSettings
from worksmith.models.resolve import resolve
from worksmith.optimizers.compiling.artifact import Artifact
from worksmith.programs.agent import Agent
from worksmith.programs.own_agents.program import OwnAgent
from worksmith.programs.parts.tool_retrieval import ALL, default_toolset
from worksmith.programs.replaying.recording import RecordingEngine
from worksmith.programs.strategies import STRATEGIES
from worksmith.programs.strategies import strategy as named_strategy
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.records.compile_facts import CompileFacts
    from worksmith.evals.suite import Suite
    from worksmith.jobs.settings.groups.programs import ProgramSettings, ToolSettings
    from worksmith.tools.environment import Environment


def new_agent(suite: Suite, settings: ToolSettings, strategy: str, *, without: Sequence[str] = ()) -> Agent:
    """An agent over a suite's world that is not compiled.

    Args:
        without: categories of tools that it does without.
    """
    access: Any = settings.access
    chosen = named_strategy(strategy, project=suite.env.folder)
    toolset = toolset_of(suite, settings, chosen.name)
    return Agent(
        chosen,
        toolset=toolset,
        max_steps=settings.max_steps,
        access=access,
        prompt=settings.prompt,
        without=without,
        env=suite.env,
    )


def toolset_of(suite: Suite, settings: ToolSettings, strategy: str) -> str:
    """The toolset that settings name, or else the world's for a strategy."""
    if settings.toolset is not None:
        return settings.toolset
    return default_toolset(suite.env, strategy, otherwise=ALL)


class OpenedProgram(NamedTuple):
    """A program that is ready to run: an agent, any other DSPy program, or any callable.

    Attributes:
        compiled: the facts of its compile; None if it is not compiled.
        file: the compiled program's; None without a file.
        address: of the user's module that makes it; empty for worksmith's own agents.
    """

    program: Any
    compiled: CompileFacts | None = None
    file: Path | None = None
    address: str = ""

    @property
    def config(self) -> dict[str, Any]:
        """The settings that it was built with, as far as it has them."""
        if isinstance(self.program, Agent | OwnAgent):
            return dict(self.program.config)
        return {"own": self.address} if self.address else {}

    @property
    def reopens(self) -> bool:
        """Whether a command can open it again."""
        if self.named or self.compiled is not None or not isinstance(self.program, Agent):
            return bool(self.named)
        own = self.program.components or self.program.descriptions
        return self.program.strategy.name in STRATEGIES and not own

    @property
    def named(self) -> str:
        """The name by which a command takes it; empty for an agent that is not compiled."""
        return "@".join(filter(None, (self.address, str(self.file or ""))))

    @property
    def said(self) -> str:
        """The file's name, or whether it is compiled."""
        if self.file is not None:
            return self.file.name
        return "compiled" if self.compiled else "uncompiled"


def open_program(suite: Suite, settings: ProgramSettings) -> OpenedProgram:
    """The program that settings name, or else an agent as they describe it; with the planner's model."""
    opened = _open(suite, settings)
    if isinstance(settings, PlannerSettings) and settings.planner_lm is not None:
        give_planner(opened.program, resolve(settings.planner_lm, tasks=suite.tasks))
    return opened


def give_planner(program: Any, lm: dspy.BaseLM) -> None:
    """Let a model plan for a program.

    Raises:
        InputError: the program asks no model for a plan.
    """
    if not isinstance(program, Agent):
        raise InputError("only worksmith's agents have a planner", where="--planner-lm", hint="leave it out")
    program.planner_lm = lm


def record_planner(program: Any, record: Path) -> None:
    """Keep the replies of a planner with another model: in `a.planner.jsonl` for `a.jsonl`."""
    if isinstance(program, Agent) and program.planner_lm is not None:
        beside = record.with_name(f"{record.stem}.planner{record.suffix}")
        program.planner_lm = RecordingEngine.around(program.planner_lm, beside)


def _open(suite: Suite, settings: ProgramSettings) -> OpenedProgram:
    if isinstance(settings, OwnAgentSettings) and settings.agent is not None:
        if settings.program is not None:
            raise InputError("an agent and a program", where="--agent", hint="give one of them")
        return named_agent(suite, settings, settings.agent)
    if settings.program is not None:
        if is_address(settings.strategy):  # the loop of the program in the file
            named_strategy(settings.strategy, project=suite.env.folder)
        return named_program(settings.program, suite.env)
    return OpenedProgram(new_agent(suite, settings, settings.strategy))


def named_agent(suite: Suite, settings: ToolSettings, address: str) -> OpenedProgram:
    """The agent at an address, see `worksmith.programs.own_agents`.

    Raises:
        InputError: it is missing.
    """
    function = own_object(
        checked_address(address, where="--agent"), where="--agent", project=suite.env.folder
    )
    toolset = toolset_of(suite, settings, "react")
    if isinstance(function, OwnAgent):
        return OpenedProgram(function.bound(suite.env))
    agent = OwnAgent(function, suite.env, name=address, toolset=toolset, max_steps=settings.max_steps)
    return OpenedProgram(agent)


def named_program(named: str, env: Environment) -> OpenedProgram:
    """The program in a file, or of the user's module; see `worksmith.jobs.opening.own_programs`.

    Raises:
        InputError: it is missing, or does not suit the environment.
    """
    own = own_name(named)
    if own is None and Path(named.partition(":")[0]).suffix == ".py":
        hint = "name what makes it by module, package.module:factory, such as mine:make_agent"
        raise InputError("Python code is not a compiled program", where=named, hint=hint)
    if own is None:
        return compiled_program(named, env)
    program, artifact = own_program(own, env)
    return OpenedProgram(program, artifact.manifest.tried if artifact else None, own.file, own.address)


def load_program(file: Path | str, env: Environment) -> Agent:
    """The agent in a compiled program's file, over the world of `env`.

    Raises:
        InputError: the file is missing, damaged, no compiled program, or one for another kind of world.
    """
    agent: Agent = compiled_program(file, env).program
    return agent


def compiled_program(file: Path | str, env: Environment) -> OpenedProgram:
    """The agent in a compiled program's file with the facts of its compile; errors as in `load_program`."""
    artifact, kind = Artifact.read(file), env.world.manifest.kind
    made_for = artifact.manifest.suite.get("kind", kind)
    if made_for != kind:
        raise InputError(
            f"the program was compiled for a world of the kind {made_for}",
            where=str(file),
            hint=f"{env.folder} is of the kind {kind}",
        )
    agent = build_agent(artifact.manifest.program, env, where=str(file))
    return OpenedProgram(restored(agent, artifact, where=str(file)), artifact.manifest.tried, Path(file))
