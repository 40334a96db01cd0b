"""SWE: faults and how they were mended: functions, lines, days, and who reported them."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record, day
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.messages.chats import manager_of
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from evals.kinds.enterprise.goals.swe.github import owner_of
from evals.kinds.enterprise.goals.swe.issue_lookup import (
    SENIORS,
    draw_issue,
    draw_named_issue,
    fault_line,
    file_of,
    files,
    find_issue,
    on_one_line,
    reporter,
    reporter_of,
)
from evals.kinds.enterprise.goals.unfit import UnfitError, need

GROUP = GoalGroup("SWE", "swe/patch.toml", departments=("EN",))
SUBAREA = "patch"
_CONTEXT = 3


def draw_faulty_function(ctx: DrawContext) -> Draw:
    row, told = draw_issue(ctx)
    answer = [entities.text(told["function"]), entities.text(told["severity"])]
    return ctx.draw({"issue": row["issue_id"]}, answer=answer, about=[("issues", row)])


@GROUP.goal(SUBAREA, steps=1, draw=draw_faulty_function)
def faulty_function(slots: Slots, plan: PlanRecorder) -> Values:
    issue = plan.one("issues", "I open that issue.", issue_id=slots["issue"])
    return plan.fact(issue, "function"), plan.fact(issue, "severity")


def draw_issue_of(ctx: DrawContext) -> Draw:
    row, told, slots = draw_named_issue(ctx)
    answer = [entities.ident("issue_id", row["issue_id"]), entities.text(told["severity"])]
    return ctx.draw(slots, answer=answer, about=[("issues", row)])


@GROUP.goal(SUBAREA, steps=1, draw=draw_issue_of)
def issue_of(slots: Slots, plan: PlanRecorder) -> Values:
    issue = find_issue(plan, slots)
    return issue["issue_id"], plan.fact(issue, "severity")


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


@GROUP.goal(SUBAREA, steps=1, draw=draw_open_on_file, empty=True)
def open_on_file(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.read(
        "issues", "I look for what is open on that file.",
        repo_name=slots["repo"], path=slots["path"], status="open",
    )  # fmt: skip
    return (rows[0]["issue_id"], plan.fact(rows[0], "function")) if rows else plan.none(rows)


def draw_days_to_mend(ctx: DrawContext) -> Draw:
    row, _, slots = draw_named_issue(ctx, "closed")
    answer = [entities.number(_days(row)), entities.date(row["closed_at"])]
    return ctx.draw(slots, answer=answer, about=[("issues", row)])


@GROUP.goal(SUBAREA, steps=1, draw=draw_days_to_mend)
def days_to_mend(slots: Slots, plan: PlanRecorder) -> Values:
    issue = find_issue(plan, slots)
    return str(_days(issue)), issue["closed_at"]


def draw_mended_line(ctx: DrawContext) -> Draw:
    row, told = draw_issue(ctx, "closed")
    if not on_one_line(told):
        raise UnfitError
    answer = [entities.number(int(told["line"])), entities.date(row["closed_at"])]
    return ctx.draw({"issue": row["issue_id"]}, answer=answer, about=[("issues", row)])


@GROUP.goal(SUBAREA, steps=1, draw=draw_mended_line)
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


@GROUP.goal(SUBAREA, steps=1, draw=draw_of_severity)
def of_severity(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.every("issues", "I read what is open there.", repo_name=slots["repo"], status="open")
    wanted = next(row for row in rows if plan.fact(row, "severity") == slots["severity"])
    return wanted["issue_id"], plan.fact(wanted, "function")


def draw_faulty_line(ctx: DrawContext) -> Draw:
    row, line, _ = _open_fault(ctx)
    answer = [entities.text(row["path"]), entities.number(line)]
    return ctx.draw({"issue": row["issue_id"]}, answer=answer, about=[("issues", row)])


@GROUP.goal(SUBAREA, steps=2, draw=draw_faulty_line, levels=SENIORS)
def faulty_line(slots: Slots, plan: PlanRecorder) -> Values:
    issue = plan.one("issues", "I open that issue.", issue_id=slots["issue"])
    return issue["path"], fault_line(plan, issue, file_of(plan, issue))


def draw_faulty_line_of(ctx: DrawContext) -> Draw:
    row, line, slots = _open_fault(ctx)
    answer = [entities.ident("issue_id", row["issue_id"]), entities.number(line)]
    return ctx.draw(slots, answer=answer, about=[("issues", row)])


@GROUP.goal(SUBAREA, steps=2, draw=draw_faulty_line_of, levels=SENIORS)
def faulty_line_of(slots: Slots, plan: PlanRecorder) -> Values:
    issue = find_issue(plan, slots)
    return issue["issue_id"], fault_line(plan, issue, file_of(plan, issue))


def draw_reporter(ctx: DrawContext) -> Draw:
    row, _, slots = draw_named_issue(ctx)
    author = reporter(ctx, row)
    answer = [entities.ident("issue_id", row["issue_id"]), entities.ident("email", author["email"])]
    return ctx.draw(slots, answer=answer, about=[("issues", row)])


@GROUP.goal(SUBAREA, steps=2, draw=draw_reporter)
def issue_reporter(slots: Slots, plan: PlanRecorder) -> Values:
    issue = find_issue(plan, slots)
    return issue["issue_id"], reporter_of(plan, issue)["email"]


def draw_line_reporter(ctx: DrawContext) -> Draw:
    row, line, _ = _open_fault(ctx)
    author = reporter(ctx, row)
    answer = [entities.number(line), entities.ident("email", author["email"])]
    return ctx.draw({"issue": row["issue_id"]}, answer=answer, about=[("issues", row)])


@GROUP.goal(SUBAREA, steps=3, draw=draw_line_reporter, levels=SENIORS)
def line_reporter(slots: Slots, plan: PlanRecorder) -> Values:
    issue = plan.one("issues", "I open that issue.", issue_id=slots["issue"])
    return fault_line(plan, issue, file_of(plan, issue)), reporter_of(plan, issue)["email"]


def draw_line_manager(ctx: DrawContext) -> Draw:
    row, line, slots = _open_fault(ctx)
    manager = ctx.above(row)
    answer = [entities.number(line), entities.ident("email", manager["email"])]
    return ctx.draw(slots, answer=answer, about=[("issues", row)])


@GROUP.goal(SUBAREA, steps=4, draw=draw_line_manager, levels=SENIORS)
def line_manager(slots: Slots, plan: PlanRecorder) -> Values:
    issue = find_issue(plan, slots)
    line = fault_line(plan, issue, file_of(plan, issue))
    return line, manager_of(plan, reporter_of(plan, issue))["email"]


def draw_line_owner_manager(ctx: DrawContext) -> Draw:
    return _with_owner(ctx, levels=1)


@GROUP.goal(SUBAREA, steps=5, draw=draw_line_owner_manager, levels=SENIORS)
def line_owner_manager(slots: Slots, plan: PlanRecorder) -> Values:
    line, owner, author = _line_owner_reporter(slots, plan)
    return line, owner["email"], manager_of(plan, author)["email"]


def draw_line_chain(ctx: DrawContext) -> Draw:
    return _with_owner(ctx, levels=2)


@GROUP.goal(SUBAREA, steps=6, draw=draw_line_chain, levels=SENIORS)
def line_chain(slots: Slots, plan: PlanRecorder) -> Values:
    line, owner, author = _line_owner_reporter(slots, plan)
    return line, owner["email"], manager_of(plan, manager_of(plan, author))["email"]


def _open_fault(ctx: DrawContext) -> tuple[Record, int, dict[str, str]]:
    """An open issue, the line at fault, and slots."""
    found = draw_named_issue(ctx, "open")
    if not on_one_line(found[1]):
        raise UnfitError
    return found[0], int(found[1]["line"]), found[2]


def _days(issue: Record) -> int:
    return (day(issue["closed_at"]) - day(issue["created_at"])).days


def _with_owner(ctx: DrawContext, levels: int) -> Draw:
    """An open fault: its line, the owner of its file, and who is so many levels above its reporter."""
    issue, line, slots = _open_fault(ctx)
    file = need(ctx.facts.get("repositories", f"{issue['repo_name']}:{issue['path']}"))
    owner = need(ctx.facts.person(file["emp_id"]))
    above = issue
    for _ in range(levels):
        above = ctx.above(above)
    if owner["emp_id"] == issue["emp_id"]:
        raise UnfitError
    answer = [
        entities.number(line),
        entities.ident("email", owner["email"]),
        entities.ident("email", above["email"]),
    ]
    return ctx.draw(slots, answer=answer, about=[("issues", issue)])


def _line_owner_reporter(slots: Slots, plan: PlanRecorder) -> tuple[str, Row, Row]:
    issue = find_issue(plan, slots)
    file = file_of(plan, issue)
    line = fault_line(plan, issue, file)
    return line, owner_of(plan, file), reporter_of(plan, issue)
