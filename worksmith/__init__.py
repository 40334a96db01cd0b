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

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

# Threads of torch that spin while they wait stop each other on a busy machine. torch reads it when it loads.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

if TYPE_CHECKING:
    from worksmith.api.judging import judge as judge
    from worksmith.api.loading import load as load
    from worksmith.api.measuring import compare as compare
    from worksmith.api.measuring import evaluate as evaluate
    from worksmith.api.models import lm as lm
    from worksmith.evals.running.result import EvaluationProgress as EvaluationProgress
    from worksmith.evals.suite import Suite as Suite
    from worksmith.evals.tasks.task import Task as Task
    from worksmith.jobs.comparing.comparison import Comparison as Comparison
    from worksmith.jobs.evaluation import Evaluation as Evaluation
    from worksmith.optimizers.cost.budget import Budget as Budget
    from worksmith.optimizers.search.few_shot import KNN as KNN
    from worksmith.optimizers.search.few_shot import Bootstrap as Bootstrap
    from worksmith.optimizers.search.race_optimizer import Race as Race
    from worksmith.programs.agent import Agent as Agent
    from worksmith.programs.own_agents.program import OwnAgent as OwnAgent
    from worksmith.programs.own_agents.task import AgentTask as AgentTask
    from worksmith.programs.own_agents.task import Answer as Answer
    from worksmith.programs.own_agents.tools import AgentTools as AgentTools
    from worksmith.tools.errors import InputError as InputError
    from worksmith.tools.errors import ToolError as ToolError
    from worksmith.tools.errors import WorksmithError as WorksmithError
    from worksmith.tools.kinds.own_data.context import Context as Context
    from worksmith.tools.kinds.own_data.environment import Environment as Environment
    from worksmith.tools.kinds.own_data.sources.database import Database as Database
    from worksmith.tools.kinds.own_data.sources.live import Table as Table
    from worksmith.tools.persona import Persona as Persona

__version__ = "0.1.0"

_PLACES = {
    "Agent": "worksmith.programs.agent",
    "AgentTask": "worksmith.programs.own_agents.task",
    "AgentTools": "worksmith.programs.own_agents.tools",
    "Answer": "worksmith.programs.own_agents.task",
    "Bootstrap": "worksmith.optimizers.search.few_shot",
    "Budget": "worksmith.optimizers.cost.budget",
    "Comparison": "worksmith.jobs.comparing.comparison",
    "Context": "worksmith.tools.kinds.own_data.context",
    "Database": "worksmith.tools.kinds.own_data.sources.database",
    "Environment": "worksmith.tools.kinds.own_data.environment",
    "Evaluation": "worksmith.jobs.evaluation",
    "EvaluationProgress": "worksmith.evals.running.result",
    "InputError": "worksmith.tools.errors",
    "KNN": "worksmith.optimizers.search.few_shot",
    "OwnAgent": "worksmith.programs.own_agents.program",
    "Persona": "worksmith.tools.persona",
    "Race": "worksmith.optimizers.search.race_optimizer",
    "Suite": "worksmith.evals.suite",
    "Table": "worksmith.tools.kinds.own_data.sources.live",
    "Task": "worksmith.evals.tasks.task",
    "ToolError": "worksmith.tools.errors",
    "WorksmithError": "worksmith.tools.errors",
    "compare": "worksmith.api.measuring",
    "evaluate": "worksmith.api.measuring",
    "judge": "worksmith.api.judging",
    "lm": "worksmith.api.models",
    "load": "worksmith.api.loading",
}
"""The public names, each with its module, which is loaded when the name is used."""

__all__ = ["__version__", *_PLACES]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'worksmith' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_PLACES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
