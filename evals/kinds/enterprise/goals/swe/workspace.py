"""SWE: changing repositories and issues, and telling those whom it concerns."""

from __future__ import annotations

from dataclasses import replace

from worksmith.evals.kinds.enterprise.goals.draw_context import (
    Draw,
    DrawContext,
    UnfitError,
    action,
    attempt,
    need,
)
from worksmith.evals.kinds.enterprise.goals.goal import Logic, Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.messages.sending import chat_to, mail_to
from worksmith.evals.kinds.enterprise.goals.paths import HERE, Found, Question, Start
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from worksmith.evals.kinds.enterprise.goals.record_changes import Change, Series, no_words
from worksmith.evals.kinds.enterprise.goals.swe.developer_words import (
    draw_complaint,
    draw_first_issue,
    draw_repository,
    draw_requirement,
)
from worksmith.evals.kinds.enterprise.goals.swe.github import LICENCES, OTHER_OWNER
from worksmith.evals.kinds.enterprise.goals.swe.issue_lookup import (
    draw_function,
    draw_issue,
    draw_named_issue,
    files,
    find_file,
    find_issue,
    my_files,
    owns_code,
)
from worksmith.evals.kinds.enterprise.goals.telling import chat, mail, telling_my_manager
from worksmith.evals.tasks.task import Action

GROUP = GoalGroup("swe/workspace.toml")


def draw_new_repository(ctx: DrawContext) -> Draw:
    slots = draw_repository(ctx)
    return ctx.draw(slots, actions=[_first_file(slots)])


@GROUP.goal(draw_new_repository)
def create_repository(slots: Slots, plan: PlanRecorder) -> Values:
    return plan.carry_out("I begin the repository with that file.", _first_file(slots))


def draw_delete_file_mail(ctx: DrawContext) -> Draw:
    found, other = attempt(draw_function, ctx, my_files(ctx)), ctx.colleague()["name"]
    row, slots = need(found)
    deletion = action("github.delete", repo_name=row["repo_name"], path=row["path"])
    message = mail(other, "File deleted", _gone(row["path"], slots["repo"]))
    return ctx.draw(
        {**slots, "name": other},
        actions=[deletion, message],
        mentions=[row["path"]],
        about=[("repositories", row)],
    )


@GROUP.goal(draw_delete_file_mail, who=owns_code)
def delete_file_mail(slots: Slots, plan: PlanRecorder) -> Values:
    row = find_file(plan, slots)
    plan.write("github.delete", "I delete that file.", repo_name=slots["repo"], path=row["path"])
    message = mail(slots["name"], "File deleted", _gone(row["path"], slots["repo"]))
    return plan.carry_out("I say which file is gone.", message)


def draw_open_issue(ctx: DrawContext) -> Draw:
    row = ctx.pick("repositories", files(ctx))
    functions = ctx.facts.fact("repositories", row["file_id"], "functions")
    if not functions:
        raise UnfitError
    title, text = draw_complaint(ctx, ctx.rng.choice(functions.split(", ")))
    slots = {"repo": row["repo_name"], "path": row["path"], "title": title, "text": text}
    return ctx.draw(slots, actions=[_issue(slots)], mentions=[title, text], about=[("repositories", row)])


@GROUP.goal(draw_open_issue)
def open_issue(slots: Slots, plan: PlanRecorder) -> Values:
    return plan.carry_out("I open the issue on that file.", _issue(slots))


def draw_open_issue_owner(ctx: DrawContext) -> Draw:
    row, slots = draw_function(ctx)
    owner = ctx.other(ctx.facts.colleague(row["emp_id"]))
    title, text = draw_complaint(ctx, slots["function"])
    slots = {**slots, "title": title, "text": text}
    message = chat(owner["emp_id"], _opened(title, row["path"]))
    return ctx.draw(
        slots,
        actions=[_issue({**slots, "path": row["path"]}), message],
        mentions=[title, text, row["path"]],
        about=[("repositories", row)],
    )


@GROUP.goal(draw_open_issue_owner)
def open_issue_owner(slots: Slots, plan: PlanRecorder) -> Values:
    row = find_file(plan, slots)
    plan.carry_out("I open the issue on that file.", _issue({**slots, "path": row["path"]}))
    return plan.carry_out(
        "I tell the owner of the file.", chat(row["emp_id"], _opened(slots["title"], row["path"]))
    )


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


def _begun(repo: str) -> str:
    return f"I have begun the repository {repo}."


def _gone(path: str, repo: str) -> str:
    return f"I have deleted {path} from {repo}."


def _opened(title: str, path: str) -> str:
    return f'I have opened the issue "{title}" on {path}.'


def _draw_file(ctx: DrawContext) -> Found:
    row = ctx.pick("repositories", files(ctx))
    return Found(row, {"repo": row["repo_name"], "path": row["path"]})


def _relicensed(ctx: DrawContext) -> Found:
    found, licence = attempt(ctx.pick, "repositories", my_files(ctx)), ctx.rng.choice(LICENCES)
    row = need(found)
    if licence == row["license"]:
        raise UnfitError
    return Found(row, {"repo": row["repo_name"], "licence": licence})


def _own_issue(ctx: DrawContext) -> Found:
    row, _ = draw_issue(ctx, "open", mine=True)
    return Found(row, {"issue": row["issue_id"]})


def _described(ctx: DrawContext) -> Found:
    row, _, slots = draw_named_issue(ctx, "open", mine=True)
    return Found(row, {**slots, "text": draw_requirement(ctx)})


def _named_issue(ctx: DrawContext) -> Found:
    row, _, slots = draw_named_issue(ctx, mine=True)
    return Found(row, slots)


_FILE = Start(
    "repositories",
    _draw_file,
    lambda plan, slots: plan.one(
        "repositories", "I open that file.", repo_name=slots["repo"], path=slots["path"]
    ),
)
_SIZE = HERE.number("size")
GROUP.add(
    file_card=Question(_FILE, _SIZE, HERE.number("copies")),
    file_owner=Question(_FILE, _SIZE, HERE.to(OTHER_OWNER).text("title")),
)

_RELICENSE = Change(
    "repositories",
    _relicensed,
    None,
    "I change the licence of the whole repository.",
    lambda _, slots: action("github.update", repo_name=slots["repo"], license=slots["licence"]),
)
_CLOSE = Change(
    "issues",
    _own_issue,
    None,
    "I close that issue.",
    lambda _, slots: action("github_issues.update", issue_id=slots["issue"], status="closed"),
)
_DESCRIBE = Change(
    "issues",
    _described,
    find_issue,
    "I replace its description.",
    lambda issue, slots: action(
        "github_issues.update", issue_id=issue["issue_id"], description=slots["text"]
    ),
    mentions=("text",),
)
_DELETE = Change(
    "issues",
    _named_issue,
    find_issue,
    "I delete that issue.",
    lambda issue, _: action("github_issues.delete", issue_id=issue["issue_id"]),
)
_CREATE = Change(
    "",
    lambda ctx: Found(ctx.me, draw_repository(ctx)),
    None,
    "I begin the repository with that file.",
    lambda _, slots: _first_file(slots),
)
_DELETE_FILE = Change(
    "repositories",
    lambda ctx: Found(*draw_function(ctx, my_files(ctx))),
    find_file,
    "I delete that file.",
    lambda file, slots: action("github.delete", repo_name=slots["repo"], path=file["path"]),
)


def _deleted_said(slots: Slots) -> str:
    return f"The file with {slots['function']} is no longer in {slots['repo']}."


def _begun_said(slots: Slots) -> str:
    return _begun(slots["repo"])


def _with_task(ctx: DrawContext) -> Found:
    """A new repository and the first issue on its file."""
    slots = draw_repository(ctx)
    title, text = draw_first_issue(ctx)
    return Found(ctx.me, {**slots, "title": title, "text": text})


GROUP.add(
    create_repository_issue=replace(
        _CREATE,
        draw_record=_with_task,
        also=(("I open the issue on its file.", lambda _, slots: _issue(slots)),),
        mentions=("title", "text"),
    ),
    create_repository_told=Series(
        no_words,
        _CREATE,
        replace(chat_to("name", _begun_said), mentions=("repo",)),
        mail_to("other", _begun_said),
    ),
)
GROUP.add(
    owns_code,
    relicense=_RELICENSE,
    delete_file_told=Series(
        no_words,
        _DELETE_FILE,
        replace(chat_to("name", _deleted_said), mentions=("function",)),
        mail_to("other", _deleted_said),
    ),
)
GROUP.add(
    close_issue=_CLOSE,
    describe_issue=_DESCRIBE,
    delete_issue=_DELETE,
    create_repository_mail=telling_my_manager(
        Logic(draw_new_repository, create_repository),
        lambda to, slots: mail(to, "New repository", _begun(slots["repo"])),
        mentions=("repo",),
        why="I write to my manager.",
        look_up_first=True,
    ),
)
