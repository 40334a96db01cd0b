"""SWE: faults that a chat mentions: the chat, the issue, the code, and who reported it."""

from __future__ import annotations

from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.messages.chats import manager_of
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from evals.kinds.enterprise.goals.swe.issue_lookup import (
    SENIORS,
    chats_about_issues,
    draw_chat_issue,
    fault_line,
    file_of,
    find_chat_issue,
    on_one_line,
    reporter,
    reporter_of,
)
from evals.kinds.enterprise.goals.unfit import UnfitError
from evals.tasks.task import Entity

GROUP = GoalGroup("SWE", "swe/patch_chats.toml", departments=("EN",))
SUBAREA = "patch"


class Mention:
    """A chat that names an issue.

    Attributes:
        slots: what tells the chat from others.
        function: what the issue is about.
        line: where the fault is; 0 where the code does not show it in one line.
    """

    def __init__(self, ctx: DrawContext, status: str = "") -> None:
        self.chat, self.issue, told, self.slots = draw_chat_issue(ctx, status)
        self.function = told["function"]
        self.line = int(told["line"]) if on_one_line(told) else 0
        self._ctx = ctx

    def draw(self, *answer: Entity) -> Draw:
        """A draw about chat and issue."""
        about = [("conversations", self.chat), ("issues", self.issue)]
        return self._ctx.draw(self.slots, answer=answer, about=about)


def draw_function(ctx: DrawContext) -> Draw:
    mention = Mention(ctx)
    return mention.draw(
        entities.ident("issue_id", mention.issue["issue_id"]), entities.text(mention.function)
    )


@GROUP.goal(SUBAREA, steps=2, draw=draw_function, who=chats_about_issues)
def chat_function(slots: Slots, plan: PlanRecorder) -> Values:
    issue = find_chat_issue(plan, slots)
    return issue["issue_id"], plan.fact(issue, "function")


def draw_line(ctx: DrawContext) -> Draw:
    mention = Mention(ctx, "open")
    if not mention.line:
        raise UnfitError
    return mention.draw(entities.text(mention.issue["path"]), entities.number(mention.line))


@GROUP.goal(SUBAREA, steps=3, draw=draw_line, who=chats_about_issues, levels=SENIORS)
def chat_line(slots: Slots, plan: PlanRecorder) -> Values:
    issue = find_chat_issue(plan, slots)
    return issue["path"], fault_line(plan, issue, file_of(plan, issue))


def draw_reporter(ctx: DrawContext) -> Draw:
    mention = Mention(ctx)
    author = reporter(ctx, mention.issue)
    return mention.draw(entities.text(mention.function), entities.ident("email", author["email"]))


@GROUP.goal(SUBAREA, steps=3, draw=draw_reporter, who=chats_about_issues)
def chat_reporter(slots: Slots, plan: PlanRecorder) -> Values:
    issue = find_chat_issue(plan, slots)
    return plan.fact(issue, "function"), reporter_of(plan, issue)["email"]


def draw_manager(ctx: DrawContext) -> Draw:
    mention = Mention(ctx)
    manager = ctx.above(mention.issue)
    if manager["name"] == mention.slots["name"]:
        raise UnfitError
    return mention.draw(entities.text(mention.function), entities.ident("email", manager["email"]))


@GROUP.goal(SUBAREA, steps=4, draw=draw_manager, who=chats_about_issues)
def chat_manager(slots: Slots, plan: PlanRecorder) -> Values:
    issue = find_chat_issue(plan, slots)
    return plan.fact(issue, "function"), manager_of(plan, reporter_of(plan, issue))["email"]


def draw_line_manager(ctx: DrawContext) -> Draw:
    mention = Mention(ctx, "open")
    manager = ctx.above(mention.issue)
    if not mention.line or manager["name"] == mention.slots["name"]:
        raise UnfitError
    return mention.draw(
        entities.text(mention.function),
        entities.number(mention.line),
        entities.ident("email", manager["email"]),
    )


@GROUP.goal(SUBAREA, steps=5, draw=draw_line_manager, who=chats_about_issues, levels=SENIORS)
def chat_line_manager(slots: Slots, plan: PlanRecorder) -> Values:
    issue = find_chat_issue(plan, slots)
    line = fault_line(plan, issue, file_of(plan, issue))
    return plan.fact(issue, "function"), line, manager_of(plan, reporter_of(plan, issue))["email"]


def draw_line_chain(ctx: DrawContext) -> Draw:
    mention = Mention(ctx, "open")
    second = ctx.above(mention.issue, 2)
    if not mention.line or second["name"] == mention.slots["name"]:
        raise UnfitError
    return mention.draw(
        entities.text(mention.function),
        entities.number(mention.line),
        entities.ident("email", second["email"]),
    )


@GROUP.goal(SUBAREA, steps=6, draw=draw_line_chain, who=chats_about_issues, levels=SENIORS)
def chat_line_chain(slots: Slots, plan: PlanRecorder) -> Values:
    issue = find_chat_issue(plan, slots)
    line = fault_line(plan, issue, file_of(plan, issue))
    second = manager_of(plan, manager_of(plan, reporter_of(plan, issue)))
    return plan.fact(issue, "function"), line, second["email"]
