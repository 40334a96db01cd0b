"""SWE: changing repositories and issues, and telling those whom it concerns."""

from __future__ import annotations

from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, action
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from evals.kinds.enterprise.goals.swe.github import LICENCES, owner_of
from evals.kinds.enterprise.goals.swe.issue_lookup import (
    SENIORS,
    draw_function,
    draw_issue,
    draw_named_issue,
    files,
    find_file,
    find_issue,
    my_files,
    owns_code,
)
from evals.kinds.enterprise.goals.swe.words import complaint, new_repository, requirement
from evals.kinds.enterprise.goals.telling import chat, mail, my_manager
from evals.kinds.enterprise.goals.unfit import UnfitError, attempt, need
from evals.tasks.task import Action

GROUP = GoalGroup("SWE", "swe/workspace.toml", departments=("EN",))
SUBAREA = "workspace DB"


def draw_file_card(ctx: DrawContext) -> Draw:
    row = ctx.pick("repositories", files(ctx))
    answer = [entities.number(int(row["size"])), entities.number(int(row["copies"]))]
    return ctx.draw(
        {"repo": row["repo_name"], "path": row["path"]}, answer=answer, about=[("repositories", row)]
    )


@GROUP.goal(SUBAREA, steps=1, draw=draw_file_card)
def file_card(slots: Slots, plan: PlanRecorder) -> Values:
    row = plan.one("repositories", "I open that file.", repo_name=slots["repo"], path=slots["path"])
    return row["size"], row["copies"]


def draw_file_owner(ctx: DrawContext) -> Draw:
    row = ctx.pick("repositories", files(ctx))
    owner = need(ctx.facts.person(row["emp_id"]))
    if owner["emp_id"] == ctx.me["emp_id"]:
        raise UnfitError
    answer = [entities.number(int(row["size"])), entities.ident("email", owner["email"])]
    return ctx.draw(
        {"repo": row["repo_name"], "path": row["path"]}, answer=answer, about=[("repositories", row)]
    )


@GROUP.goal(SUBAREA, steps=2, draw=draw_file_owner, levels=SENIORS)
def file_owner(slots: Slots, plan: PlanRecorder) -> Values:
    row = plan.one("repositories", "I open that file.", repo_name=slots["repo"], path=slots["path"])
    return row["size"], owner_of(plan, row)["email"]


def draw_new_repository(ctx: DrawContext) -> Draw:
    slots = new_repository(ctx)
    return ctx.draw(slots, actions=[_first_file(slots)])


@GROUP.goal(SUBAREA, steps=1, type="crud", draw=draw_new_repository, denials=("wrong_department",))
def create_repository(slots: Slots, plan: PlanRecorder) -> Values:
    return plan.carry_out("I begin the repository with that file.", _first_file(slots))


def draw_new_repository_mail(ctx: DrawContext) -> Draw:
    slots, manager = new_repository(ctx), ctx.above(ctx.me)
    message = mail(manager["emp_id"], "New repository", _begun(slots))
    return ctx.draw(slots, actions=[_first_file(slots), message], mentions=[slots["repo"]])


@GROUP.goal(SUBAREA, steps=3, type="crud", draw=draw_new_repository_mail, denials=("wrong_department",))
def create_repository_mail(slots: Slots, plan: PlanRecorder) -> Values:
    manager = my_manager(plan)
    plan.carry_out("I begin the repository with that file.", _first_file(slots))
    return plan.carry_out("I write to my manager.", mail(manager, "New repository", _begun(slots)))


def draw_relicense(ctx: DrawContext) -> Draw:
    found, licence = attempt(ctx.pick, "repositories", my_files(ctx)), ctx.rng.choice(LICENCES)
    row = need(found)
    if licence == row["license"]:
        raise UnfitError
    slots = {"repo": row["repo_name"], "licence": licence}
    change = action("github.update", repo_name=row["repo_name"], license=licence)
    return ctx.draw(slots, actions=[change], about=[("repositories", row)])


@GROUP.goal(SUBAREA, steps=1, type="crud", draw=draw_relicense, who=owns_code, denials=("not_owner",))
def relicense(slots: Slots, plan: PlanRecorder) -> Values:
    plan.write(
        "github.update", "I change the licence of the whole repository.",
        repo_name=slots["repo"], license=slots["licence"],
    )  # fmt: skip
    return ()


def draw_delete_file_mail(ctx: DrawContext) -> Draw:
    found, manager = draw_function(ctx, my_files(ctx)), ctx.above(ctx.me)
    row, slots = found
    deletion = action("github.delete", repo_name=row["repo_name"], path=row["path"])
    message = mail(manager["emp_id"], "File deleted", _gone(row["path"], slots["repo"]))
    return ctx.draw(slots, actions=[deletion, message], mentions=[row["path"]], about=[("repositories", row)])


@GROUP.goal(SUBAREA, steps=4, type="crud", draw=draw_delete_file_mail, who=owns_code)
def delete_file_mail(slots: Slots, plan: PlanRecorder) -> Values:
    row = find_file(plan, slots)
    plan.write("github.delete", "I delete that file.", repo_name=slots["repo"], path=row["path"])
    message = mail(my_manager(plan), "File deleted", _gone(row["path"], slots["repo"]))
    return plan.carry_out("I tell my manager which file is gone.", message)


def draw_open_issue(ctx: DrawContext) -> Draw:
    row = ctx.pick("repositories", files(ctx))
    functions = ctx.facts.fact("repositories", row["file_id"], "functions")
    if not functions:
        raise UnfitError
    title, text = complaint(ctx, ctx.rng.choice(functions.split(", ")))
    slots = {"repo": row["repo_name"], "path": row["path"], "title": title, "text": text}
    return ctx.draw(slots, actions=[_issue(slots)], mentions=[title, text], about=[("repositories", row)])


@GROUP.goal(SUBAREA, steps=1, type="crud", draw=draw_open_issue, denials=("not_owner",))
def open_issue(slots: Slots, plan: PlanRecorder) -> Values:
    return plan.carry_out("I open the issue on that file.", _issue(slots))


def draw_open_issue_owner(ctx: DrawContext) -> Draw:
    row, slots = draw_function(ctx)
    owner = need(ctx.facts.colleague(row["emp_id"]))
    if owner["emp_id"] == ctx.me["emp_id"]:
        raise UnfitError
    title, text = complaint(ctx, slots["function"])
    slots = {**slots, "title": title, "text": text}
    message = chat(owner["emp_id"], _opened(title, row["path"]))
    return ctx.draw(
        slots,
        actions=[_issue({**slots, "path": row["path"]}), message],
        mentions=[title, text, row["path"]],
        about=[("repositories", row)],
    )


@GROUP.goal(SUBAREA, steps=3, type="crud", draw=draw_open_issue_owner, levels=SENIORS)
def open_issue_owner(slots: Slots, plan: PlanRecorder) -> Values:
    row = find_file(plan, slots)
    plan.carry_out("I open the issue on that file.", _issue({**slots, "path": row["path"]}))
    return plan.carry_out(
        "I tell the owner of the file.", chat(row["emp_id"], _opened(slots["title"], row["path"]))
    )


def draw_close_issue(ctx: DrawContext) -> Draw:
    found = draw_issue(ctx, "open", mine=True)
    key = found[0]["issue_id"]
    change = action("github_issues.update", issue_id=key, status="closed")
    return ctx.draw({"issue": key}, actions=[change], about=[("issues", found[0])])


@GROUP.goal(SUBAREA, steps=1, type="crud", draw=draw_close_issue, denials=("not_owner",))
def close_issue(slots: Slots, plan: PlanRecorder) -> Values:
    plan.write("github_issues.update", "I close that issue.", issue_id=slots["issue"], status="closed")
    return ()


def draw_describe_issue(ctx: DrawContext) -> Draw:
    row, _, slots = draw_named_issue(ctx, "open", mine=True)
    slots = {**slots, "text": requirement(ctx)}
    change = action("github_issues.update", issue_id=row["issue_id"], description=slots["text"])
    return ctx.draw(slots, actions=[change], mentions=[slots["text"]], about=[("issues", row)])


@GROUP.goal(SUBAREA, steps=2, type="crud", draw=draw_describe_issue, denials=("not_owner",))
def describe_issue(slots: Slots, plan: PlanRecorder) -> Values:
    issue = find_issue(plan, slots)
    plan.write(
        "github_issues.update", "I replace its description.",
        issue_id=issue["issue_id"], description=slots["text"],
    )  # fmt: skip
    return ()


def draw_delete_issue(ctx: DrawContext) -> Draw:
    row, _, slots = draw_named_issue(ctx, mine=True)
    deletion = action("github_issues.delete", issue_id=row["issue_id"])
    return ctx.draw(slots, actions=[deletion], about=[("issues", row)])


@GROUP.goal(SUBAREA, steps=2, type="crud", draw=draw_delete_issue, denials=("not_owner",))
def delete_issue(slots: Slots, plan: PlanRecorder) -> Values:
    issue = find_issue(plan, slots)
    plan.write("github_issues.delete", "I delete that issue.", issue_id=issue["issue_id"])
    return ()


def _first_file(slots: Slots) -> Action:
    return action(
        "github.create",
        repo_name=slots["repo"],
        path=slots["path"],
        code=slots["code"],
        license=slots["licence"],
    )


def _issue(slots: Slots) -> Action:
    return action(
        "github_issues.create",
        repo_name=slots["repo"],
        path=slots["path"],
        title=slots["title"],
        description=slots["text"],
    )


def _begun(slots: Slots) -> str:
    return f"I have begun the repository {slots['repo']}."


def _gone(path: str, repo: str) -> str:
    return f"I have deleted {path} from {repo}."


def _opened(title: str, path: str) -> str:
    return f'I have opened the issue "{title}" on {path}.'
