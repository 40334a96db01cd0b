"""worksmith: compile, compare and track workplace-agent programs.

    import worksmith as ws

    env = ws.Environment.from_tables({"tickets": "tickets.csv"}, now="2026-01-05 09:00")
    ...                                                     # tools: functions under @env.tool
    suite = ws.Suite(env, "tasks.jsonl")
    agent = ws.Agent("react", env)                          # or any DSPy program, or any callable
    better = ws.Race().compile(agent, trainset=suite.train, valset=suite.dev)
    print(ws.compare([agent, better], suite.test))

Names are loaded when they are used. The command `worksmith` does the same on files.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from worksmith.namespace import check_packages

if TYPE_CHECKING:
    from evals.suite import Suite as Suite
    from evals.tasks.task import Task as Task
    from optimizers.cost.budget import Budget as Budget
    from optimizers.search.few_shot import Bootstrap as Bootstrap
    from optimizers.search.few_shot import Nearest as Nearest
    from optimizers.search.few_shot import Tpe as Tpe
    from optimizers.search.race import Race as Race
    from programs.agent import Agent as Agent
    from programs.own_agents.program import OwnAgent as OwnAgent
    from programs.own_agents.task import AgentTask as AgentTask
    from programs.own_agents.task import Answer as Answer
    from programs.own_agents.tools import AgentTools as AgentTools
    from tools.errors import InputError as InputError
    from tools.errors import ToolError as ToolError
    from tools.errors import WorksmithError as WorksmithError
    from tools.kinds.own_data.context import Context as Context
    from tools.kinds.own_data.environment import Environment as Environment
    from tools.persona import Persona as Persona
    from worksmith.api.judging import judge as judge
    from worksmith.api.loading import load as load
    from worksmith.api.measuring import compare as compare
    from worksmith.api.measuring import evaluate as evaluate
    from worksmith.jobs.comparison import Comparison as Comparison
    from worksmith.jobs.evaluation import Evaluation as Evaluation

__version__ = "0.1.0"

_PLACES = {
    "Agent": "programs.agent",
    "AgentTask": "programs.own_agents.task",
    "AgentTools": "programs.own_agents.tools",
    "Answer": "programs.own_agents.task",
    "Bootstrap": "optimizers.search.few_shot",
    "Budget": "optimizers.cost.budget",
    "Comparison": "worksmith.jobs.comparison",
    "Context": "tools.kinds.own_data.context",
    "Environment": "tools.kinds.own_data.environment",
    "Evaluation": "worksmith.jobs.evaluation",
    "InputError": "tools.errors",
    "Nearest": "optimizers.search.few_shot",
    "OwnAgent": "programs.own_agents.program",
    "Persona": "tools.persona",
    "Race": "optimizers.search.race",
    "Suite": "evals.suite",
    "Task": "evals.tasks.task",
    "ToolError": "tools.errors",
    "Tpe": "optimizers.search.few_shot",
    "WorksmithError": "tools.errors",
    "compare": "worksmith.api.measuring",
    "evaluate": "worksmith.api.measuring",
    "judge": "worksmith.api.judging",
    "load": "worksmith.api.loading",
}
"""The public names, each with its module, which is loaded when the name is used."""

__all__ = ["__version__", *_PLACES]


check_packages()


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'worksmith' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_PLACES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
