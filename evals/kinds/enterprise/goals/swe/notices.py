"""SWE: closing, reopening and deleting issues, and telling reporters and managers of it."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, action
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.messages.chats import find_chat
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from evals.kinds.enterprise.goals.swe.issue_lookup import (
    ISSUE_ID,
    Told,
    chats_about_issues,
    draw_chat_issue,
    draw_named_issue,
    find_chat_issue,
    find_issue,
    reporter_of,
)
from evals.kinds.enterprise.goals.swe.workspace import SUBAREA
from evals.kinds.enterprise.goals.telling import chat, mail, my_manager
from evals.kinds.enterprise.goals.unfit import UnfitError, attempt, need
from evals.tasks.task import Action

GROUP = GoalGroup("SWE", "swe/notices.toml", departments=("EN",))

_SUBJECT = "Issue closed"
_Found = tuple[Record, Told, dict[str, str], Record]


def draw_reported(ctx: DrawContext, status: str) -> _Found:
    """An issue that the persona may change and somebody else reported: issue, facts, slots, reporter."""
    found = draw_named_issue(ctx, status, mine=True)
    author = _others(ctx, found[0])
    return *found, author


def draw_close_tell(ctx: DrawContext) -> Draw:
    issue, _, slots, author = draw_reported(ctx, "open")
    key = issue["issue_id"]
    return _draw(ctx, issue, slots, _turn(key, "closed"), chat(author["emp_id"], _closed(key)))


@GROUP.goal(SUBAREA, steps=3, type="crud", draw=draw_close_tell)
def close_tell(slots: Slots, plan: PlanRecorder) -> Values:
    issue = _close(plan, find_issue(plan, slots))
    return plan.carry_out("I tell the reporter.", chat(issue["emp_id"], _closed(issue["issue_id"])))


def draw_reopen_tell(ctx: DrawContext) -> Draw:
    issue, _, slots, author = draw_reported(ctx, "closed")
    key = issue["issue_id"]
    return _draw(ctx, issue, slots, _turn(key, "open"), mail(author["emp_id"], "Issue reopened", _open(key)))


@GROUP.goal(SUBAREA, steps=3, type="crud", draw=draw_reopen_tell)
def reopen_tell(slots: Slots, plan: PlanRecorder) -> Values:
    issue = find_issue(plan, slots)
    key = issue["issue_id"]
    plan.carry_out("I open that issue again.", _turn(key, "open"))
    return plan.carry_out("I tell the reporter.", mail(issue["emp_id"], "Issue reopened", _open(key)))


def draw_delete_tell(ctx: DrawContext) -> Draw:
    issue, _, slots, author = draw_reported(ctx, "")
    key = issue["issue_id"]
    deletion = action("github_issues.delete", issue_id=key)
    return _draw(ctx, issue, slots, deletion, chat(author["emp_id"], _deleted(key)))


@GROUP.goal(SUBAREA, steps=3, type="crud", draw=draw_delete_tell)
def delete_tell(slots: Slots, plan: PlanRecorder) -> Values:
    issue = find_issue(plan, slots)
    key = issue["issue_id"]
    plan.carry_out("I delete that issue.", action("github_issues.delete", issue_id=key))
    return plan.carry_out("I tell the reporter.", chat(issue["emp_id"], _deleted(key)))


def draw_close_tell_above(ctx: DrawContext) -> Draw:
    issue, _, slots, found_3 = draw_reported(ctx, "open")
    manager = _manager(ctx, found_3)
    key = issue["issue_id"]
    return _draw(ctx, issue, slots, _turn(key, "closed"), mail(manager["emp_id"], _SUBJECT, _closed(key)))


@GROUP.goal(SUBAREA, steps=4, type="crud", draw=draw_close_tell_above)
def close_tell_above(slots: Slots, plan: PlanRecorder) -> Values:
    issue = _close(plan, find_issue(plan, slots))
    manager = reporter_of(plan, issue)["reports_to"]
    return plan.carry_out(
        "I tell the reporter's manager.", mail(manager, _SUBJECT, _closed(issue["issue_id"]))
    )


def draw_close_tell_both(ctx: DrawContext) -> Draw:
    issue, _, slots, author = draw_reported(ctx, "open")
    manager = _manager(ctx, author)
    return _draw(ctx, issue, slots, *_closing(issue["issue_id"], author["emp_id"], manager["emp_id"]))


@GROUP.goal(SUBAREA, steps=5, type="crud", draw=draw_close_tell_both)
def close_tell_both(slots: Slots, plan: PlanRecorder) -> Values:
    _close_and_tell_both(plan, find_issue(plan, slots))
    return ()


def draw_close_tell_mine(ctx: DrawContext) -> Draw:
    found, mine = draw_reported(ctx, "open"), ctx.above(ctx.me)
    if mine["emp_id"] == found[3]["emp_id"]:
        raise UnfitError
    issue, _, slots, author = found
    return _draw(ctx, issue, slots, *_closing(issue["issue_id"], author["emp_id"], mine["emp_id"]))


@GROUP.goal(SUBAREA, steps=5, type="crud", draw=draw_close_tell_mine)
def close_tell_mine(slots: Slots, plan: PlanRecorder) -> Values:
    issue = find_issue(plan, slots)
    key = issue["issue_id"]
    plan.carry_out("I close that issue.", _turn(key, "closed"))
    plan.carry_out("I tell the reporter.", chat(issue["emp_id"], _closed(key)))
    return plan.carry_out("I tell my manager.", mail(my_manager(plan), _SUBJECT, _closed(key)))


def draw_close_tell_three(ctx: DrawContext) -> Draw:
    found, other = attempt(draw_close_tell_both, ctx), ctx.colleague()
    draw = need(found)
    issue = need(ctx.facts.at(draw.about[0]))
    if other["emp_id"] in {act.arguments.get("recipient") for act in draw.actions}:
        raise UnfitError
    message = chat(other["name"], _closed(issue["issue_id"]))
    return _draw(ctx, issue, {**draw.slots, "name": other["name"]}, *draw.actions, message)


@GROUP.goal(SUBAREA, steps=6, type="crud", draw=draw_close_tell_three)
def close_tell_three(slots: Slots, plan: PlanRecorder) -> Values:
    issue = find_issue(plan, slots)
    _close_and_tell_both(plan, issue)
    return plan.carry_out(f"I tell {slots['name']}.", chat(slots["name"], _closed(issue["issue_id"])))


def draw_chat_close(ctx: DrawContext) -> Draw:
    row, issue, _, slots = draw_chat_issue(ctx, "open", mine=True)
    actions = [_turn(issue["issue_id"], "closed")]
    return ctx.draw(slots, actions=actions, about=[("conversations", row), ("issues", issue)])


@GROUP.goal(SUBAREA, steps=2, type="crud", draw=draw_chat_close, who=chats_about_issues)
def chat_close(slots: Slots, plan: PlanRecorder) -> Values:
    key = plan.quoted(find_chat(plan, slots), ISSUE_ID)
    return plan.carry_out(f"The chat names {key}, so I close it.", _turn(key, "closed"))


def draw_chat_close_tell(ctx: DrawContext) -> Draw:
    row, issue, _, slots = draw_chat_issue(ctx, "open", mine=True)
    author = _others(ctx, issue)
    key = issue["issue_id"]
    actions = [_turn(key, "closed"), chat(author["emp_id"], _closed(key))]
    about = [("conversations", row), ("issues", issue)]
    return ctx.draw(slots, actions=actions, mentions=[key], about=about)


@GROUP.goal(SUBAREA, steps=4, type="crud", draw=draw_chat_close_tell, who=chats_about_issues)
def chat_close_tell(slots: Slots, plan: PlanRecorder) -> Values:
    issue = _close(plan, find_chat_issue(plan, slots))
    return plan.carry_out("I tell the reporter.", chat(issue["emp_id"], _closed(issue["issue_id"])))


def draw_chat_close_both(ctx: DrawContext) -> Draw:
    row, issue, _, slots = draw_chat_issue(ctx, "open", mine=True)
    author = _others(ctx, issue)
    manager = _manager(ctx, author)
    key = issue["issue_id"]
    about = [("conversations", row), ("issues", issue)]
    actions = _closing(key, author["emp_id"], manager["emp_id"])
    return ctx.draw(slots, actions=actions, mentions=[key], about=about)


@GROUP.goal(SUBAREA, steps=6, type="crud", draw=draw_chat_close_both, who=chats_about_issues)
def chat_close_both(slots: Slots, plan: PlanRecorder) -> Values:
    _close_and_tell_both(plan, find_chat_issue(plan, slots))
    return ()


def _close(plan: PlanRecorder, issue: Row) -> Row:
    plan.carry_out("I close that issue.", _turn(issue["issue_id"], "closed"))
    return issue


def _close_and_tell_both(plan: PlanRecorder, issue: Row) -> None:
    key = _close(plan, issue)["issue_id"]
    plan.carry_out("I tell the reporter.", chat(issue["emp_id"], _closed(key)))
    manager = reporter_of(plan, issue)["reports_to"]
    plan.carry_out("I tell the reporter's manager.", mail(manager, _SUBJECT, _closed(key)))


def _closing(key: str, reporter: str, manager: str) -> list[Action]:
    return [_turn(key, "closed"), chat(reporter, _closed(key)), mail(manager, _SUBJECT, _closed(key))]


def _draw(ctx: DrawContext, issue: Record, slots: dict[str, str], *actions: Action) -> Draw:
    return ctx.draw(slots, actions=actions, mentions=[issue["issue_id"]], about=[("issues", issue)])


def _others(ctx: DrawContext, issue: Record) -> Record:
    """Who reported an issue, if somebody else who is still here."""
    author = need(ctx.facts.colleague(issue["emp_id"]))
    if author["emp_id"] == ctx.me["emp_id"]:
        raise UnfitError
    return author


def _manager(ctx: DrawContext, author: Record) -> Record:
    """The reporter's manager, if somebody else than the persona."""
    manager = ctx.above(author)
    if manager["emp_id"] == ctx.me["emp_id"]:
        raise UnfitError
    return manager


def _turn(key: str, status: str) -> Action:
    return action("github_issues.update", issue_id=key, status=status)


def _closed(key: str) -> str:
    return f"{key} is closed."


def _open(key: str) -> str:
    return f"I have opened {key} again."


def _deleted(key: str) -> str:
    return f"I have deleted {key}."
