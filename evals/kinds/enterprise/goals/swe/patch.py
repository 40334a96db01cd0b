"""SWE: faults and how they were mended: functions, lines, days, and who reported them."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.facts import Record, day
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, need
from worksmith.evals.kinds.enterprise.goals.goal import Logic, Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.messages.chats import manager_of
from worksmith.evals.kinds.enterprise.goals.paths import HERE, Ask, Found
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from worksmith.evals.kinds.enterprise.goals.swe.github import owner_of
from worksmith.evals.kinds.enterprise.goals.swe.issue_lookup import (
    AUTHOR,
    FAULT_LINE,
    OTHER_AUTHOR,
    chats_about_issues,
    draw_chat_issue,
    draw_fault,
    draw_issue,
    draw_named_issue,
    draw_numbered_issue,
    fault_line,
    file_of,
    files,
    find_chat_issue,
    find_issue,
    on_one_line,
    open_issue,
    reporter_of,
)

_CONTEXT = 3


def _days(issue: Record) -> int:
    return (day(issue["closed_at"]) - day(issue["created_at"])).days


def _with_owner(ctx: DrawContext, levels: int) -> Draw:
    """An open fault: its line, the owner of its file, and the person `levels` levels above its reporter."""
    issue, slots, _ = draw_fault(ctx)
    line = int(need(ctx.facts.fact("issues", issue["issue_id"], "line")))
    file = need(ctx.facts.get("repositories", f"{issue['repo_name']}:{issue['path']}"))
    owner = need(ctx.facts.person(file["emp_id"]))
    above = ctx.above(issue, levels)
    if owner["emp_id"] == issue["emp_id"]:
        raise UnfitError
    answer = [
        entities.number(line),
        entities.ident("email", owner["email"]),
        entities.ident("email", above["email"]),
    ]
    return ctx.draw(slots, answer=answer, about=[("issues", issue)])


def _line_and_people(slots: Slots, plan: PlanRecorder, levels: int) -> Values:
    issue = find_issue(plan, slots)
    file = file_of(plan, issue)
    line, owner, above = fault_line(plan, issue, file), owner_of(plan, file), reporter_of(plan, issue)
    for _ in range(levels):
        above = manager_of(plan, above)
    return line, owner["email"], above["email"]


def _draw_named(ctx: DrawContext, status: str = "") -> Found:
    row, _, slots = draw_named_issue(ctx, status)
    return Found(row, slots)


def _draw_told(ctx: DrawContext, *, fault: bool = False, levels: int = 0) -> Found:
    """An issue that a chat names.

    Args:
        fault: whether the issue is open and its fault on one line.
        levels: so far above the reporter somebody is asked for, who must not be the partner of the chat.
    """
    chat, issue, told, slots = draw_chat_issue(ctx, "open" if fault else "")
    if fault and not on_one_line(told):
        raise UnfitError
    if levels and ctx.above(issue, levels)["name"] == slots["name"]:
        raise UnfitError
    return Found(issue, slots, [("conversations", chat)])


GROUP = GoalGroup(
    "swe/patch.toml",
    draws=(draw_numbered_issue, _draw_named, draw_fault, _draw_told),
    finds=(open_issue, find_issue, find_chat_issue),
    who=(chats_about_issues,),
    links={"author": AUTHOR, "other_author": OTHER_AUTHOR},
    asks={
        "line": FAULT_LINE,
        "days": Ask(HERE, lambda _, issue: entities.number(_days(issue)), lambda _, issue: str(_days(issue))),
    },
)
GROUP.add(
    line_owner_manager=Logic.given(_with_owner, _line_and_people, levels=1),
    line_chain=Logic.given(_with_owner, _line_and_people, levels=2),
)


def draw_open_on_file(ctx: DrawContext) -> Draw:
    row = ctx.pick("repositories", files(ctx))
    slots = {"repo": row["repo_name"], "path": row["path"]}
    found = ctx.facts.where("issues", repo_name=row["repo_name"], path=row["path"], status="open")
    if not found:
        return ctx.draw(slots, nothing=True)
    told = need(ctx.facts.latent("issues", found[0]["issue_id"]))
    if len(found) > 1:
        raise UnfitError
    answer = [entities.ident("issue_id", found[0]["issue_id"]), entities.text(told.facts["function"])]
    return ctx.draw(slots, answer=answer, about=[("issues", found[0])])


@GROUP.goal(draw_open_on_file)
def open_on_file(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.read(
        "issues", "I look for what is open on that file.",
        repo_name=slots["repo"], path=slots["path"], status="open",
    )  # fmt: skip
    return (rows[0]["issue_id"], plan.fact(rows[0], "function")) if rows else plan.none(rows)


def draw_mended_line(ctx: DrawContext) -> Draw:
    row, told = draw_issue(ctx, "closed")
    if not on_one_line(told):
        raise UnfitError
    answer = [entities.number(int(told["line"])), entities.date(row["closed_at"])]
    return ctx.draw({"issue": row["issue_id"]}, answer=answer, about=[("issues", row)])


@GROUP.goal(draw_mended_line)
def mended_line(slots: Slots, plan: PlanRecorder) -> Values:
    issue = plan.one("issues", "I open that issue with its patch.", issue_id=slots["issue"])
    return plan.understood(issue, "line"), issue["closed_at"]


def draw_of_severity(ctx: DrawContext) -> Draw:
    row, told = draw_issue(ctx, "open")
    others = ctx.facts.where("issues", repo_name=row["repo_name"], status="open")
    severities = [ctx.facts.fact("issues", other["issue_id"], "severity") for other in others]
    if len(others) > _CONTEXT or severities.count(told["severity"]) > 1:
        raise UnfitError
    slots = {"repo": row["repo_name"], "severity": told["severity"]}
    answer = [entities.ident("issue_id", row["issue_id"]), entities.text(told["function"])]
    return ctx.draw(slots, answer=answer, about=[("issues", row)])


@GROUP.goal(draw_of_severity)
def of_severity(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.every("issues", "I read what is open there.", repo_name=slots["repo"], status="open")
    wanted = next(row for row in rows if plan.fact(row, "severity") == slots["severity"])
    return wanted["issue_id"], plan.fact(wanted, "function")
