"""An org whose only tools show what they are asked to show; and one question of each kind about it."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from worksmith.evals.tasks.task import Answer, Entity, Step, Task
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError, ToolError
from worksmith.tools.kinds.crm.ids import make_id
from worksmith.tools.persona import Persona
from worksmith.tools.policy import Unrestricted
from worksmith.tools.sqlite.schema import Table
from worksmith.tools.tool import FinishCall, Toolkit, tool
from worksmith.tools.tool_context import Shown, ToolContext
from worksmith.tools.world import World, write_world
from worksmith.tools.world_kind import WORLD_KINDS, WorldKind

AGENT, OTHER = make_id("005", 4711), make_id("005", 815)
PRODUCT, ARTICLE, ISSUE, CASE = (make_id(prefix, 7) for prefix in ("01t", "ka0", "a1M", "500"))
ASKING = Persona(id="service_agent", name="Service agent")
FINISH = FinishCall("End the task.", {"answer": "The value asked for, or None."})


@tool()
def show(ctx: ToolContext, text: str, hidden: str = "") -> Any:
    """Show a text.

    Args:
        text: what is shown.
        hidden: what belongs to the result, but is not shown.
    """
    if text == "fail":
        raise ToolError("MALFORMED_QUERY: unexpected token")
    return Shown([text, hidden], text) if hidden else json.loads(text) if text[0] in "[{" else text


@tool()
def total(ctx: ToolContext, text: str) -> int:
    """Count the characters of a text."""
    return len(text)


def find(_world: World, persona_id: str) -> Persona:
    raise InputError(f"nobody has the id {persona_id!r}")


KIND = WorldKind(
    "small_org",
    (Table("User", ("Id", "Name"), writable=False),),
    (Toolkit.of("functions", "Functions", (show, total)), Toolkit.of("query", "Queries", (show,))),
    (),
    lambda _: Unrestricted(),
    find,
    "Be brief.",
    finish=FINISH,
    toolset_for={"function_calling": "functions"},
    categories={"showing": ("show",), "counting": ("total",)},
    stand_ins=("query",),
)
WORLD_KINDS.register(KIND)


def env(directory: Path) -> Environment:
    rows: dict[str, list[tuple[str | None, ...]]] = {"User": [(AGENT, "Ana Roe"), (OTHER, "Bo Ek")]}
    now = datetime(2024, 6, 1)
    return Environment(
        write_world(directory, KIND.tables, rows, kind=KIND.name, origin="generated", now=now, persona=ASKING)
    )


def task(intent: str, value: str | None, query: str = "", *, number: int = 0, **changes: Any) -> Task:
    """A question of a kind with its value; None where there is none."""
    answer = (
        Answer(kind="none") if value is None else Answer(kind="entities", required=_entity(intent, value))
    )
    shown = value or "[]"
    fields: dict[str, Any] = {
        "id": f"{intent}-{number}",
        "intent": intent,
        "query": query or f"A question of the kind {intent}?",
        "domains": ("functions",),
        "gold_plan": (Step(tool="functions.show", arguments={"text": shown}, why="Look."),),
        "other_plans": ((Step(tool="query.show", arguments={"text": shown}, why="Look."),),),
        "answer": answer,
    }
    return Task(**{**fields, **changes})


def _entity(intent: str, value: str) -> tuple[Entity, ...]:
    types = {
        "monthly_trend_analysis": "month",
        "best_region_identification": "state",
        "knowledge_qa": "number",
    }
    return (Entity(type=types.get(intent, "id"), value=value),)


REFERENCE = "A full refund is possible within 30 days."
TASKS = (
    task("case_routing", AGENT),
    task("handle_time", AGENT),
    task("transfer_count", None),
    task("named_entity_disambiguation", PRODUCT),
    task("policy_violation_identification", ARTICLE),
    task(
        "knowledge_qa",
        "30",
        "Within how many days is a full refund possible?",
        answer=Answer(kind="entities", required=_entity("knowledge_qa", "30"), reference=REFERENCE),
    ),
    task("top_issue_identification", ISSUE),
    task("monthly_trend_analysis", "2022-03"),
    task("best_region_identification", "CA"),
)
