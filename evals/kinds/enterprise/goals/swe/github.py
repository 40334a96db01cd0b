"""SWE: what the repositories hold, whose they are, and which issues they have."""

from __future__ import annotations

import re

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.messages.chats import manager_of
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from evals.kinds.enterprise.goals.swe.issue_lookup import (
    SENIORS,
    draw_function,
    draw_issue,
    draw_repository,
    files,
    find_file,
    latest_issue,
    my_files,
    newest_issue,
    newest_repository,
    owns_code,
    reporter,
    reporter_of,
)
from evals.kinds.enterprise.goals.unfit import UnfitError, attempt, need

GROUP = GoalGroup("SWE", "swe/github.toml", departments=("EN",))
SUBAREA = "GitHub"
LICENCES = ("mit", "apache-2.0", "bsd-3-clause", "gpl-3.0", "lgpl-3.0", "mpl-2.0", "unlicense")
_OPEN = re.compile(r"'issue_id': '(ISS-\d+)', 'title': (?:'[^']*'|\"[^\"]*\"), 'status': 'open'")
_MOST = 8


def draw_my_newest(ctx: DrawContext) -> Draw:
    row = newest_repository(ctx, ctx.me["emp_id"])
    answer = [entities.text(row["repo_name"]), entities.date(row["creation_date"])]
    return ctx.draw({}, answer=answer, about=[("repositories", row)])


@GROUP.goal(SUBAREA, steps=1, draw=draw_my_newest, who=owns_code)
def my_newest(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.read("repositories", "I look for my newest repository.", owner="me", limit="1")
    row = plan.pick(rows[0])
    return row["repo_name"], row["creation_date"]


def draw_my_licensed(ctx: DrawContext) -> Draw:
    mine = my_files(ctx)
    if not mine:
        raise UnfitError
    licence = ctx.rng.choice(LICENCES) if ctx.empty else ctx.rng.choice(mine)["license"]
    found = [row for row in mine if row["license"] == licence]
    if not found:
        return ctx.draw({"licence": licence}, nothing=True)
    names = sorted({row["repo_name"] for row in found})
    answer = [entities.text(name) for name in names]
    return ctx.draw({"licence": licence}, answer=answer, about=[("repositories", found[0])])


@GROUP.goal(SUBAREA, steps=1, draw=draw_my_licensed, who=owns_code, empty=True)
def my_licensed(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.every(
        "repositories", f"I look for what I own under {slots['licence']}.",
        owner="me", license=slots["licence"],
    )  # fmt: skip
    return tuple(sorted({row["repo_name"] for row in rows})) if rows else plan.none(rows)


def draw_my_open_issues(ctx: DrawContext) -> Draw:
    mine = [row for row in my_files(ctx) if row["language"] == "Python"]
    found = {issue["issue_id"] for row in mine for issue in _open_in(ctx, row["repo_name"])}
    if not 0 < len(found) <= _MOST:
        raise UnfitError
    answer = [entities.ident("issue_id", key) for key in sorted(found)]
    return ctx.draw({"language": "Python"}, answer=answer, about=[("repositories", mine[0])])


@GROUP.goal(SUBAREA, steps=1, draw=draw_my_open_issues, who=owns_code)
def my_open_issues(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.every(
        "repositories", "My files are shown with their issues.", owner="me", language=slots["language"]
    )
    return tuple(sorted({key for row in rows for key in _OPEN.findall(row["issues"])}))


def draw_function_path(ctx: DrawContext) -> Draw:
    row, slots = draw_function(ctx)
    answer = [entities.text(row["path"]), entities.number(int(row["size"]))]
    return ctx.draw(slots, answer=answer, about=[("repositories", row)])


@GROUP.goal(SUBAREA, steps=1, draw=draw_function_path)
def function_path(slots: Slots, plan: PlanRecorder) -> Values:
    row = find_file(plan, slots)
    return row["path"], row["size"]


def draw_file_record(ctx: DrawContext) -> Draw:
    row = ctx.pick("repositories", files(ctx))
    answer = [entities.date(row["creation_date"]), entities.text(row["license"])]
    return ctx.draw({"file": row["file_id"]}, answer=answer, about=[("repositories", row)])


@GROUP.goal(SUBAREA, steps=1, draw=draw_file_record, denials=("not_owner", "level_too_low"))
def file_record(slots: Slots, plan: PlanRecorder) -> Values:
    row = plan.one("repositories", "I open that file.", file_id=slots["file"])
    return row["creation_date"], row["license"]


def draw_function_owner(ctx: DrawContext) -> Draw:
    found = draw_function(ctx)
    owner = need(ctx.facts.person(found[0]["emp_id"]))
    if owner["emp_id"] == ctx.me["emp_id"]:
        raise UnfitError
    answer = [entities.ident("email", owner["email"]), entities.text(owner["title"])]
    return ctx.draw(found[1], answer=answer, about=[("repositories", found[0])])


@GROUP.goal(SUBAREA, steps=2, draw=draw_function_owner, levels=SENIORS)
def function_owner(slots: Slots, plan: PlanRecorder) -> Values:
    owner = owner_of(plan, find_file(plan, slots))
    return owner["email"], owner["title"]


def draw_owner_manager(ctx: DrawContext) -> Draw:
    found = draw_function(ctx)
    manager = ctx.above(found[0])
    answer = [entities.text(found[0]["path"]), entities.ident("email", manager["email"])]
    return ctx.draw(found[1], answer=answer, about=[("repositories", found[0])])


@GROUP.goal(SUBAREA, steps=3, draw=draw_owner_manager, levels=SENIORS)
def owner_manager(slots: Slots, plan: PlanRecorder) -> Values:
    row = find_file(plan, slots)
    return row["path"], manager_of(plan, owner_of(plan, row))["email"]


def draw_owner_chain(ctx: DrawContext) -> Draw:
    found = draw_function(ctx)
    second = ctx.above(found[0], 2)
    answer = [entities.text(found[0]["path"]), entities.ident("email", second["email"])]
    return ctx.draw(found[1], answer=answer, about=[("repositories", found[0])])


@GROUP.goal(SUBAREA, steps=4, draw=draw_owner_chain, levels=SENIORS)
def owner_chain(slots: Slots, plan: PlanRecorder) -> Values:
    row = find_file(plan, slots)
    second = manager_of(plan, manager_of(plan, owner_of(plan, row)))
    return row["path"], second["email"]


def draw_issue_file(ctx: DrawContext) -> Draw:
    found = draw_issue(ctx)
    answer = [entities.text(found[0]["path"]), entities.date(found[0]["created_at"])]
    return ctx.draw({"issue": found[0]["issue_id"]}, answer=answer, about=[("issues", found[0])])


@GROUP.goal(SUBAREA, steps=1, draw=draw_issue_file, denials=("not_owner", "level_too_low"))
def issue_file(slots: Slots, plan: PlanRecorder) -> Values:
    row = plan.one("issues", "I open that issue.", issue_id=slots["issue"])
    return row["path"], row["created_at"]


def draw_open_issues(ctx: DrawContext) -> Draw:
    repo, _ = draw_repository(ctx)
    rows = _open_in(ctx, repo)
    if not rows:
        return ctx.draw({"repo": repo}, nothing=True)
    if len(rows) > _MOST:
        raise UnfitError
    answer = [entities.ident("issue_id", row["issue_id"]) for row in rows]
    return ctx.draw({"repo": repo}, answer=answer, about=[("issues", row) for row in rows])


@GROUP.goal(SUBAREA, steps=1, draw=draw_open_issues, empty=True)
def open_issues(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.every("issues", "I need its open issues.", repo_name=slots["repo"], status="open")
    return tuple(row["issue_id"] for row in rows) if rows else plan.none(rows)


def draw_newest_author(ctx: DrawContext) -> Draw:
    found = draw_repository(ctx)
    issue = latest_issue(found[1])
    author = reporter(ctx, issue)
    answer = [entities.ident("issue_id", issue["issue_id"]), entities.ident("email", author["email"])]
    return ctx.draw({"repo": found[0]}, answer=answer, about=[("issues", issue)])


@GROUP.goal(SUBAREA, steps=2, draw=draw_newest_author)
def newest_author(slots: Slots, plan: PlanRecorder) -> Values:
    issue = newest_issue(plan, slots["repo"])
    return issue["issue_id"], reporter_of(plan, issue)["email"]


def draw_newest_author_manager(ctx: DrawContext) -> Draw:
    found = draw_repository(ctx)
    issue = latest_issue(found[1])
    manager = ctx.above(issue)
    answer = [entities.ident("issue_id", issue["issue_id"]), entities.ident("email", manager["email"])]
    return ctx.draw({"repo": found[0]}, answer=answer, about=[("issues", issue)])


@GROUP.goal(SUBAREA, steps=3, draw=draw_newest_author_manager)
def newest_author_manager(slots: Slots, plan: PlanRecorder) -> Values:
    issue = newest_issue(plan, slots["repo"])
    return issue["issue_id"], manager_of(plan, reporter_of(plan, issue))["email"]


def draw_more_issues(ctx: DrawContext) -> Draw:
    found, second = attempt(draw_repository, ctx), draw_repository(ctx)
    first = need(found)
    if first[0] == second[0]:
        raise UnfitError
    most, least = max(len(first[1]), len(second[1])), min(len(first[1]), len(second[1]))
    if most == least:
        raise UnfitError
    name, rows = first if len(first[1]) == most else second
    return ctx.draw(
        {"repo": first[0], "other": second[0]},
        answer=[entities.text(name), entities.number(most)],
        about=[("issues", row) for row in rows[:1]],
    )


@GROUP.goal(SUBAREA, steps=2, draw=draw_more_issues, levels=SENIORS)
def more_issues(slots: Slots, plan: PlanRecorder) -> Values:
    counts = [
        (plan.every("issues", f"I count the issues of {repo}.", repo_name=repo).total, repo)
        for repo in (slots["repo"], slots["other"])
    ]
    most, name = max(counts)
    return name, str(most)


def owner_of(plan: PlanRecorder, row: Row) -> Row:
    """The directory's entry of who owns a file."""
    return plan.one("employees", "Who owns that file?", emp_id=row["emp_id"])


def _open_in(ctx: DrawContext, repo: str) -> list[Record]:
    return ctx.facts.where("issues", repo_name=repo, status="open")
