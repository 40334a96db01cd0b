"""Kinds of world: tables, tools, access rules, tasks, and what functions of yours are given.

Keep what it imports light: `worksmith --help` imports each kind, for its commands.
"""

from worksmith.evals.scoring.baselines import Baseline
from worksmith.evals.scoring.scorer import Scorer
from worksmith.evals.task_kind import TASK_KINDS, KindReport, TaskKind
from worksmith.evals.tasks.building import BuildContext, BuildOptions, Made, SuiteBuilder
from worksmith.evals.tasks.task import Action, Split, Step
from worksmith.retrievers.index.library import Library
from worksmith.retrievers.texts.documents import Document
from worksmith.tools.change_set import ChangeSet, ConflictError, ProposedChange
from worksmith.tools.policy import AccessDeniedError, Decision, Policy, Unrestricted
from worksmith.tools.seeding import rng
from worksmith.tools.sqlite.schema import Table
from worksmith.tools.tool import FinishCall, Toolkit, tool
from worksmith.tools.tool_context import ToolContext
from worksmith.tools.world import World, write_world
from worksmith.tools.world_kind import WORLD_KINDS, Explanation, WorldKind

__all__ = [
    "TASK_KINDS",
    "WORLD_KINDS",
    "AccessDeniedError",
    "Action",
    "Baseline",
    "BuildContext",
    "BuildOptions",
    "ChangeSet",
    "ConflictError",
    "Decision",
    "Document",
    "Explanation",
    "FinishCall",
    "KindReport",
    "Library",
    "Made",
    "Policy",
    "ProposedChange",
    "Scorer",
    "Split",
    "Step",
    "SuiteBuilder",
    "Table",
    "TaskKind",
    "ToolContext",
    "Toolkit",
    "Unrestricted",
    "World",
    "WorldKind",
    "rng",
    "tool",
    "write_world",
]
