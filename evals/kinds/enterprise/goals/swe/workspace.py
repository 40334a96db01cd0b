"""SWE: changing repositories and issues, and telling those whom it concerns."""

from __future__ import annotations

from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, action
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.messages.changes import chat, mail, my_manager
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
from evals.tasks.task import Action

GROUP = GoalGroup("SWE", "swe/workspace.toml", departments=("EN",))
SUBAREA = "workspace DB"


# --- looking up -----------------------------------------------------------------------------------------


def draw_file_card(ctx: DrawContext) -> Draw | None:
    """A file and what is recorded of it."""
    row = ctx.pick("repositories", files(ctx))
    if row is None:
        return None
    answer = [entities.number(int(row["size"])), entities.number(int(row["copies"]))]
    return ctx.draw(
        {"repo": row["repo_name"], "path": row["path"]}, answer=answer, about=[("repositories", row)]
    )


@GROUP.goal(SUBAREA, steps=1, draw=draw_file_card)
def file_card(slots: Slots, plan: PlanRecorder) -> Values:
    """One look at the file."""
    row = plan.one("repositories", "I open that file.", repo_name=slots["repo"], path=slots["path"])
    return row["size"], row["copies"]


def draw_file_owner(ctx: DrawContext) -> Draw | None:
    """A file and its owner's mail address."""
    row = ctx.pick("repositories", files(ctx))
    owner = ctx.facts.person(row["emp_id"]) if row else None
    if row is None or owner is None or owner["emp_id"] == ctx.me["emp_id"]:
        return None
    answer = [entities.number(int(row["size"])), entities.ident("email", owner["email"])]
    return ctx.draw(
        {"repo": row["repo_name"], "path": row["path"]}, answer=answer, about=[("repositories", row)]
    )


@GROUP.goal(SUBAREA, steps=2, draw=draw_file_owner, levels=SENIORS)
def file_owner(slots: Slots, plan: PlanRecorder) -> Values:
    """The file, then the directory."""
    row = plan.one("repositories", "I open that file.", repo_name=slots["repo"], path=slots["path"])
    return row["size"], owner_of(plan, row)["email"]


# --- repositories ---------------------------------------------------------------------------------------


def draw_new_repository(ctx: DrawContext) -> Draw | None:
    """A name, a first file, and a licence."""
    slots = new_repository(ctx)
    return ctx.draw(slots, actions=[_first_file(slots)]) if slots else None


@GROUP.goal(SUBAREA, steps=1, type="crud", draw=draw_new_repository, denials=("wrong_department",))
def create_repository(slots: Slots, plan: PlanRecorder) -> Values:
    """Add the first file."""
    return plan.carry_out("I begin the repository with that file.", _first_file(slots))


def draw_new_repository_mail(ctx: DrawContext) -> Draw | None:
    """The same, and the persona's manager."""
    slots, manager = new_repository(ctx), ctx.facts.manager(ctx.me["emp_id"])
    if slots is None or manager is None:
        return None
    message = mail(manager["emp_id"], "New repository", _begun(slots))
    return ctx.draw(slots, actions=[_first_file(slots), message], mentions=[slots["repo"]])


@GROUP.goal(SUBAREA, steps=3, type="crud", draw=draw_new_repository_mail, denials=("wrong_department",))
def create_repository_mail(slots: Slots, plan: PlanRecorder) -> Values:
    """Look up oneself, add the first file, send."""
    manager = my_manager(plan)
    plan.carry_out("I begin the repository with that file.", _first_file(slots))
    return plan.carry_out("I write to my manager.", mail(manager, "New repository", _begun(slots)))


def draw_relicense(ctx: DrawContext) -> Draw | None:
    """A repository of the persona and another licence."""
    row = ctx.pick("repositories", my_files(ctx))
    licence = ctx.rng.choice(LICENCES)
    if row is None or licence == row["license"]:
        return None
    slots = {"repo": row["repo_name"], "licence": licence}
    change = action("github.update", repo_name=row["repo_name"], license=licence)
    return ctx.draw(slots, actions=[change], about=[("repositories", row)])


@GROUP.goal(SUBAREA, steps=1, type="crud", draw=draw_relicense, who=owns_code, denials=("not_owner",))
def relicense(slots: Slots, plan: PlanRecorder) -> Values:
    """Change all its files."""
    plan.write(
        "github.update", "I change the licence of the whole repository.",
        repo_name=slots["repo"], license=slots["licence"],
    )  # fmt: skip
    return ()


def draw_delete_file_mail(ctx: DrawContext) -> Draw | None:
    """A file of the persona, by one of its functions; and their manager."""
    found, manager = draw_function(ctx, my_files(ctx)), ctx.facts.manager(ctx.me["emp_id"])
    if found is None or manager is None:
        return None
    row, slots = found
    deletion = action("github.delete", repo_name=row["repo_name"], path=row["path"])
    message = mail(manager["emp_id"], "File deleted", _gone(row["path"], slots["repo"]))
    return ctx.draw(slots, actions=[deletion, message], mentions=[row["path"]], about=[("repositories", row)])


@GROUP.goal(SUBAREA, steps=4, type="crud", draw=draw_delete_file_mail, who=owns_code)
def delete_file_mail(slots: Slots, plan: PlanRecorder) -> Values:
    """Find it, delete it, look up oneself, send."""
    row = find_file(plan, slots)
    plan.write("github.delete", "I delete that file.", repo_name=slots["repo"], path=row["path"])
    message = mail(my_manager(plan), "File deleted", _gone(row["path"], slots["repo"]))
    return plan.carry_out("I tell my manager which file is gone.", message)


# --- issues ---------------------------------------------------------------------------------------------


def draw_open_issue(ctx: DrawContext) -> Draw | None:
    """A file, and something to complain about."""
    row = ctx.pick("repositories", files(ctx))
    functions = ctx.facts.fact("repositories", row["file_id"], "functions") if row else None
    if row is None or not functions:
        return None
    title, text = complaint(ctx, ctx.rng.choice(functions.split(", ")))
    slots = {"repo": row["repo_name"], "path": row["path"], "title": title, "text": text}
    return ctx.draw(slots, actions=[_issue(slots)], mentions=[title, text], about=[("repositories", row)])


@GROUP.goal(SUBAREA, steps=1, type="crud", draw=draw_open_issue, denials=("not_owner",))
def open_issue(slots: Slots, plan: PlanRecorder) -> Values:
    """Open it."""
    return plan.carry_out("I open the issue on that file.", _issue(slots))


def draw_open_issue_owner(ctx: DrawContext) -> Draw | None:
    """A function, something to complain about, and the owner of its file."""
    found = draw_function(ctx)
    owner = ctx.facts.colleague(found[0]["emp_id"]) if found else None
    if found is None or owner is None or owner["emp_id"] == ctx.me["emp_id"]:
        return None
    row, slots = found
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
    """Find the file, open the issue, tell the owner."""
    row = find_file(plan, slots)
    plan.carry_out("I open the issue on that file.", _issue({**slots, "path": row["path"]}))
    return plan.carry_out(
        "I tell the owner of the file.", chat(row["emp_id"], _opened(slots["title"], row["path"]))
    )


def draw_close_issue(ctx: DrawContext) -> Draw | None:
    """An open issue that the persona may close, by id."""
    found = draw_issue(ctx, "open", mine=True)
    if found is None:
        return None
    key = found[0]["issue_id"]
    change = action("github_issues.update", issue_id=key, status="closed")
    return ctx.draw({"issue": key}, actions=[change], about=[("issues", found[0])])


@GROUP.goal(SUBAREA, steps=1, type="crud", draw=draw_close_issue, denials=("not_owner",))
def close_issue(slots: Slots, plan: PlanRecorder) -> Values:
    """Close it."""
    plan.write("github_issues.update", "I close that issue.", issue_id=slots["issue"], status="closed")
    return ()


def draw_describe_issue(ctx: DrawContext) -> Draw | None:
    """An issue of the persona's by repository and function, and what is to be added to the description."""
    found = draw_named_issue(ctx, "open", mine=True)
    if found is None:
        return None
    row, _, slots = found
    slots = {**slots, "text": requirement(ctx)}
    change = action("github_issues.update", issue_id=row["issue_id"], description=slots["text"])
    return ctx.draw(slots, actions=[change], mentions=[slots["text"]], about=[("issues", row)])


@GROUP.goal(SUBAREA, steps=2, type="crud", draw=draw_describe_issue, denials=("not_owner",))
def describe_issue(slots: Slots, plan: PlanRecorder) -> Values:
    """Find it, describe it anew."""
    issue = find_issue(plan, slots)
    plan.write(
        "github_issues.update", "I replace its description.",
        issue_id=issue["issue_id"], description=slots["text"],
    )  # fmt: skip
    return ()


def draw_delete_issue(ctx: DrawContext) -> Draw | None:
    """An issue that the persona may delete, by repository and function."""
    found = draw_named_issue(ctx, mine=True)
    if found is None:
        return None
    row, _, slots = found
    deletion = action("github_issues.delete", issue_id=row["issue_id"])
    return ctx.draw(slots, actions=[deletion], about=[("issues", row)])


@GROUP.goal(SUBAREA, steps=2, type="crud", draw=draw_delete_issue, denials=("not_owner",))
def delete_issue(slots: Slots, plan: PlanRecorder) -> Values:
    """Find it, delete it."""
    issue = find_issue(plan, slots)
    plan.write("github_issues.delete", "I delete that issue.", issue_id=issue["issue_id"])
    return ()


# --- parts ----------------------------------------------------------------------------------------------


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
