"""SWE: what else there is, if anything: of the same reporter, in the same file, in the newest repository."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, need
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.kinds.enterprise.goals.swe.issue_lookup import (
    chats_about_issues,
    draw_chat_issue,
    draw_named_issue,
    draw_repository,
    files,
    find_chat_issue,
    find_issue,
    latest_issue,
    newest_issue,
    newest_repository,
    reporter,
)
from worksmith.evals.kinds.enterprise.goals.swe.newest import draw_way, walk


def _newest_of(ctx: DrawContext) -> Found:
    """The newest repository of some colleague."""
    file = ctx.pick("repositories")
    owner = need(ctx.facts.colleague(file["emp_id"]))
    newest = newest_repository(ctx, owner["emp_id"])
    if owner["emp_id"] == ctx.me["emp_id"]:
        raise UnfitError
    return Found(newest, {"name": owner["name"]})


def _closed(ctx: DrawContext) -> Found:
    """A closed issue of another reporter."""
    issue, _, slots = draw_named_issue(ctx, "closed")
    if issue["emp_id"] == ctx.me["emp_id"]:
        raise UnfitError
    return Found(issue, slots)


def _closed_in_chat(ctx: DrawContext) -> Found:
    chat, issue, _, slots = draw_chat_issue(ctx, "closed")
    return Found(issue, slots, [("conversations", chat)])


GROUP = GoalGroup(
    "swe/others.toml",
    draws=(_newest_of, _closed, _closed_in_chat),
    finds=(find_issue, find_chat_issue),
    who=(chats_about_issues,),
)


def draw_newest_author_repos(ctx: DrawContext) -> Draw:
    found = draw_repository(ctx)
    issue = latest_issue(found[1])
    author = reporter(ctx, issue)
    return _repositories(ctx, {"repo": found[0]}, author, issue)


@GROUP.goal(draw_newest_author_repos)
def newest_author_repos(slots: Slots, plan: PlanRecorder) -> Values:
    return _owned(plan, newest_issue(plan, slots["repo"]))


def draw_way_author_repos(ctx: DrawContext) -> Draw:
    issue, slots, _ = draw_way(ctx)
    return _repositories(ctx, slots, reporter(ctx, issue), issue)


@GROUP.goal(draw_way_author_repos)
def newest_repo_author_repos(slots: Slots, plan: PlanRecorder) -> Values:
    return _owned(plan, walk(plan, slots))


def draw_file_for_colleague(ctx: DrawContext) -> Draw:
    row = ctx.pick("repositories", files(ctx))
    other = ctx.colleague()
    if row["emp_id"] == other["emp_id"]:
        raise UnfitError
    slots = {"name": other["name"], "file": row["file_id"]}
    answer = [entities.text(other["title"]), entities.date(row["creation_date"])]
    return ctx.draw(slots, answer=answer, about=[("repositories", row)])


@GROUP.goal(draw_file_for_colleague)
def file_for_colleague(slots: Slots, plan: PlanRecorder) -> Values:
    other = plan.one("employees", f"I look {slots['name']} up.", name=slots["name"])
    file = plan.one("repositories", "Now the file.", file_id=slots["file"])
    return other["title"], file["creation_date"]


def _repositories(ctx: DrawContext, slots: Slots, author: Record, issue: Record) -> Draw:
    names = sorted({row["repo_name"] for row in ctx.facts.where("repositories", emp_id=author["emp_id"])})
    if not names:
        return ctx.draw(slots, nothing=True, about=[("issues", issue)])
    return ctx.draw(slots, answer=[entities.text(name) for name in names], about=[("issues", issue)])


def _owned(plan: PlanRecorder, issue: Row) -> Values:
    rows = plan.every("repositories", "What does the reporter own?", owner=issue["emp_id"])
    return tuple(sorted({row["repo_name"] for row in rows})) if rows else plan.none(rows)
