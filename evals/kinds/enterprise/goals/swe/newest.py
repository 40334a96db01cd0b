"""SWE: longer ways, from a colleague to their newest repository, its newest issue, and who reported it."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.messages.chats import manager_of
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from evals.kinds.enterprise.goals.swe.issue_lookup import (
    SENIORS,
    file_of,
    latest_issue,
    newest_issue,
    newest_repository,
    reporter,
    reporter_of,
)
from evals.kinds.enterprise.goals.unfit import UnfitError, need
from evals.tasks.task import Entity

GROUP = GoalGroup("SWE", "swe/newest.toml", departments=("EN",))
SUBAREA = "GitHub"


class Way:
    """From a colleague to the newest issue of their newest repository.

    Attributes:
        slots: the colleague's name.
        issue: where the way ends.
        author: who reported it.
        answer: the repository and what was found on the way.
    """

    def __init__(self, slots: dict[str, str], issue: Record, author: Record) -> None:
        self.slots = slots
        self.issue = issue
        self.author = author
        self.answer = [entities.text(issue["repo_name"])]


def draw_way(ctx: DrawContext) -> Way:
    """A colleague with several repositories, from whom the way is clear."""
    file = ctx.pick("repositories")
    owner = need(ctx.facts.colleague(file["emp_id"]))
    if owner["emp_id"] == ctx.me["emp_id"]:
        raise UnfitError
    newest = newest_repository(ctx, owner["emp_id"])
    rows = ctx.facts.where("issues", repo_name=newest["repo_name"])
    issue = latest_issue(rows)
    author = reporter(ctx, issue)
    return Way({"name": owner["name"]}, issue, author)


def walk(plan: PlanRecorder, slots: Slots) -> Row:
    """The way, through the tools."""
    rows = plan.read(
        "repositories", f"I look for the newest repository of {slots['name']}.",
        owner=slots["name"], limit="1",
    )  # fmt: skip
    return newest_issue(plan, plan.pick(rows[0])["repo_name"])


def draw_issue(ctx: DrawContext) -> Draw:
    way = draw_way(ctx)
    return _draw(ctx, way, entities.ident("issue_id", way.issue["issue_id"]))


@GROUP.goal(SUBAREA, steps=2, draw=draw_issue, levels=SENIORS)
def newest_repo_issue(slots: Slots, plan: PlanRecorder) -> Values:
    issue = walk(plan, slots)
    return issue["repo_name"], issue["issue_id"]


def draw_author(ctx: DrawContext) -> Draw:
    way = draw_way(ctx)
    return _draw(ctx, way, entities.ident("email", way.author["email"]))


@GROUP.goal(SUBAREA, steps=3, draw=draw_author, levels=SENIORS)
def newest_repo_author(slots: Slots, plan: PlanRecorder) -> Values:
    issue = walk(plan, slots)
    return issue["repo_name"], reporter_of(plan, issue)["email"]


def draw_file_author(ctx: DrawContext) -> Draw:
    way = draw_way(ctx)
    return _draw(ctx, way, _size(ctx, way), entities.ident("email", way.author["email"]))


@GROUP.goal(SUBAREA, steps=4, draw=draw_file_author, levels=SENIORS)
def newest_repo_file_author(slots: Slots, plan: PlanRecorder) -> Values:
    issue = walk(plan, slots)
    size = file_of(plan, issue)["size"]
    return issue["repo_name"], size, reporter_of(plan, issue)["email"]


def draw_file_manager(ctx: DrawContext) -> Draw:
    way = draw_way(ctx)
    manager = ctx.above(way.author)
    return _draw(ctx, way, _size(ctx, way), entities.ident("email", manager["email"]))


@GROUP.goal(SUBAREA, steps=5, draw=draw_file_manager, levels=SENIORS)
def newest_repo_file_manager(slots: Slots, plan: PlanRecorder) -> Values:
    issue = walk(plan, slots)
    size = file_of(plan, issue)["size"]
    return issue["repo_name"], size, manager_of(plan, reporter_of(plan, issue))["email"]


def draw_file_chain(ctx: DrawContext) -> Draw:
    way = draw_way(ctx)
    second = ctx.above(way.author, 2)
    return _draw(ctx, way, _size(ctx, way), entities.ident("email", second["email"]))


@GROUP.goal(SUBAREA, steps=6, draw=draw_file_chain, levels=SENIORS)
def newest_repo_file_chain(slots: Slots, plan: PlanRecorder) -> Values:
    issue = walk(plan, slots)
    size = file_of(plan, issue)["size"]
    second = manager_of(plan, manager_of(plan, reporter_of(plan, issue)))
    return issue["repo_name"], size, second["email"]


def _draw(ctx: DrawContext, way: Way, *more: Entity) -> Draw:
    return ctx.draw(way.slots, answer=[*way.answer, *more], about=[("issues", way.issue)])


def _size(ctx: DrawContext, way: Way) -> Entity:
    file = ctx.facts.get("repositories", f"{way.issue['repo_name']}:{way.issue['path']}")
    assert file is not None
    return entities.number(int(file["size"]))
