"""SWE: what the repositories hold, whose they are, and which issues they have."""

from __future__ import annotations

import re

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, attempt, need
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.paths import Found, Link
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.kinds.enterprise.goals.swe.issue_lookup import (
    FILE,
    OTHER_AUTHOR,
    draw_function,
    draw_numbered_issue,
    draw_repository,
    files,
    find_file,
    latest_issue,
    my_files,
    newest_issue,
    newest_repository,
    open_issue,
    owns_code,
)

LICENCES = ("mit", "apache-2.0", "bsd-3-clause", "gpl-3.0", "lgpl-3.0", "mpl-2.0", "unlicense")
_OPEN = re.compile(r"'issue_id': '(ISS-\d+)', 'title': (?:'[^']*'|\"[^\"]*\"), 'status': 'open'")
_MOST = 8


def owner_of(plan: PlanRecorder, row: Row) -> Row:
    """The directory's entry of who owns a file."""
    return plan.one("employees", "Who owns that file?", emp_id=row["emp_id"])


def _open_in(ctx: DrawContext, repo: str) -> list[Record]:
    return ctx.facts.where("issues", repo_name=repo, status="open")


def _owner(ctx: DrawContext, file: Record) -> Record:
    return ctx.other(ctx.facts.person(file["emp_id"]))


def _draw_file(ctx: DrawContext) -> Found:
    row = ctx.pick("repositories", files(ctx))
    return Found(row, {"file": row["file_id"]})


def _draw_function(ctx: DrawContext) -> Found:
    return Found(*draw_function(ctx))


def _draw_newest_issue(ctx: DrawContext) -> Found:
    repo, rows = draw_repository(ctx)
    return Found(latest_issue(rows), {"repo": repo})


def _find_newest_issue(plan: PlanRecorder, slots: Slots) -> Row:
    return newest_issue(plan, slots["repo"])


def _find_newest_repository(plan: PlanRecorder, person: Row) -> Row:
    why = f"Now the newest repository of {person['name']}."
    return plan.pick(plan.read("repositories", why, owner=person["emp_id"], limit=1).first)


OTHER_OWNER = Link(_owner, owner_of)
"""From a file to its owner, if that is not the persona."""

GROUP = GoalGroup(
    "swe/github.toml",
    draws=(_draw_function, _draw_file, _draw_newest_issue, draw_numbered_issue),
    finds=(find_file, open_issue, _find_newest_issue),
    who=(owns_code,),
    links={
        "owner": OTHER_OWNER,
        "author": OTHER_AUTHOR,
        "file": FILE,
        "newest": Link(lambda ctx, person: newest_repository(ctx, person["emp_id"]), _find_newest_repository),
        "issue": Link(
            lambda ctx, file: latest_issue(ctx.facts.where("issues", repo_name=file["repo_name"])),
            lambda plan, file: newest_issue(plan, file["repo_name"]),
        ),
    },
)


def draw_my_newest(ctx: DrawContext) -> Draw:
    row = newest_repository(ctx, ctx.me["emp_id"])
    answer = [entities.text(row["repo_name"]), entities.date(row["creation_date"])]
    return ctx.draw({}, answer=answer, about=[("repositories", row)])


@GROUP.goal(draw_my_newest, who=owns_code)
def my_newest(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.read("repositories", "I look for my newest repository.", owner="me", limit=1)
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


@GROUP.goal(draw_my_licensed, who=owns_code)
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


@GROUP.goal(draw_my_open_issues, who=owns_code)
def my_open_issues(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.every(
        "repositories", "My files are shown with their issues.", owner="me", language=slots["language"]
    )
    return tuple(sorted({key for row in rows for key in _OPEN.findall(row["issues"])}))


def draw_open_issues(ctx: DrawContext) -> Draw:
    repo, _ = draw_repository(ctx)
    rows = _open_in(ctx, repo)
    return ctx.listing({"repo": repo}, rows, "issue_id", [("issues", row) for row in rows])


@GROUP.goal(draw_open_issues)
def open_issues(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.every("issues", "I need its open issues.", repo_name=slots["repo"], status="open")
    return plan.listing(rows, "issue_id")


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


@GROUP.goal(draw_more_issues)
def more_issues(slots: Slots, plan: PlanRecorder) -> Values:
    counts = [
        (plan.every("issues", f"I count the issues of {repo}.", repo_name=repo).total, repo)
        for repo in (slots["repo"], slots["other"])
    ]
    most, name = max(counts)
    return name, str(most)
