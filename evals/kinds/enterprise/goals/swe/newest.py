"""SWE: longer ways, from a colleague to their newest repository, its newest issue, and who reported it."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.goals.draw_context import DrawContext
from worksmith.evals.kinds.enterprise.goals.goal import Slots
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.kinds.enterprise.goals.swe.forum import ANSWERS, LATEST_QUESTION
from worksmith.evals.kinds.enterprise.goals.swe.issue_lookup import (
    AUTHOR,
    FILE,
    latest_issue,
    newest_issue,
    newest_repository,
    reporter,
)


def draw_way(ctx: DrawContext) -> Found:
    """The newest issue of the newest repository of a colleague, from whom the way is clear."""
    file = ctx.pick("repositories")
    owner = ctx.other(ctx.facts.colleague(file["emp_id"]))
    newest = newest_repository(ctx, owner["emp_id"])
    issue = latest_issue(ctx.facts.where("issues", repo_name=newest["repo_name"]))
    reporter(ctx, issue)
    return Found(issue, {"name": owner["name"]})


def walk(plan: PlanRecorder, slots: Slots) -> Row:
    """The way, through the tools."""
    rows = plan.read(
        "repositories", f"I look for the newest repository of {slots['name']}.",
        owner=slots["name"], limit=1,
    )  # fmt: skip
    return newest_issue(plan, plan.pick(rows[0])["repo_name"])


GROUP = GoalGroup(
    "swe/newest.toml",
    draws=(draw_way,),
    finds=(walk,),
    links={"author": AUTHOR, "file": FILE, "question": LATEST_QUESTION},
    asks={"answers": ANSWERS},
)
