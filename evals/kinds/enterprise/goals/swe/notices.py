"""SWE: closing, reopening and deleting issues, and telling reporters and others of it."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, action
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.messages.chats import find_chat
from worksmith.evals.kinds.enterprise.goals.news import draw_subject
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from worksmith.evals.kinds.enterprise.goals.swe.issue_lookup import (
    ISSUE_ID,
    chats_about_issues,
    draw_chat_issue,
    draw_named_issue,
    find_chat_issue,
    find_issue,
)
from worksmith.evals.tasks.task import Action


def _author(ctx: DrawContext, issue: Record) -> Record:
    """The reporter of an issue: another current employee."""
    return ctx.other(ctx.facts.colleague(issue["emp_id"]))


def _my_issue(ctx: DrawContext, status: str) -> Found:
    issue, _, slots = draw_named_issue(ctx, status, mine=True)
    _author(ctx, issue)
    return Found(issue, slots)


def _any_issue(ctx: DrawContext) -> Found:
    return _my_issue(ctx, "")


def _open_issue(ctx: DrawContext) -> Found:
    return _my_issue(ctx, "open")


def _closed_issue(ctx: DrawContext) -> Found:
    return _my_issue(ctx, "closed")


def _chat_issue(ctx: DrawContext) -> Found:
    row, issue, _, slots = draw_chat_issue(ctx, "open", mine=True)
    _author(ctx, issue)
    return Found(issue, slots, [("conversations", row)])


def _other(ctx: DrawContext) -> Found:
    return _people(ctx, "other")


def _other_and_third(ctx: DrawContext) -> Found:
    return _people(ctx, "other", "third")


def _people(ctx: DrawContext, *slots: str) -> Found:
    """Colleagues who get a message beside the reporter, and a subject."""
    names = [_author(ctx, ctx.drawn["issues"])["name"], *(ctx.colleague()["name"] for _ in slots)]
    if len(set(names)) < len(names):
        raise UnfitError
    return Found(ctx.me, {**dict(zip(slots, names[1:], strict=True)), "subject": draw_subject(ctx.rng)})


GROUP = GoalGroup(
    "swe/notices.toml",
    draws=(_any_issue, _open_issue, _closed_issue, _chat_issue, _other, _other_and_third),
    finds=(find_issue, find_chat_issue),
    who=(chats_about_issues,),
)


def draw_chat_close(ctx: DrawContext) -> Draw:
    row, issue, _, slots = draw_chat_issue(ctx, "open", mine=True)
    actions = [_closed(issue["issue_id"])]
    return ctx.draw(slots, actions=actions, about=[("conversations", row), ("issues", issue)])


@GROUP.goal(draw_chat_close, who=chats_about_issues)
def chat_close(slots: Slots, plan: PlanRecorder) -> Values:
    key = plan.quoted(find_chat(plan, slots), ISSUE_ID)
    return plan.carry_out(f"The chat names {key}, so I close it.", _closed(key))


def _closed(key: str) -> Action:
    return action("github_issues.update", issue_id=key, status="closed")
