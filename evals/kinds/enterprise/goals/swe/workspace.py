"""SWE: changing repositories and issues, and telling those whom it concerns."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.goals.draw_context import (
    DrawContext,
    UnfitError,
    attempt,
    need,
)
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.paths import Found
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


def _with_task(ctx: DrawContext) -> Found:
    """A new repository and the first issue on its file."""
    slots = draw_repository(ctx)
    title, text = draw_first_issue(ctx)
    return Found(ctx.me, {**slots, "title": title, "text": text})


def _new_repository(ctx: DrawContext) -> Found:
    return Found(ctx.me, draw_repository(ctx))


def _my_function(ctx: DrawContext) -> Found:
    return Found(*draw_function(ctx, my_files(ctx)))


def _faulty_file(ctx: DrawContext) -> Found:
    """A file, and an issue on one of its functions to be opened."""
    row = ctx.pick("repositories", files(ctx))
    functions = ctx.facts.fact("repositories", row["file_id"], "functions")
    if not functions:
        raise UnfitError
    title, text = draw_complaint(ctx, ctx.rng.choice(functions.split(", ")))
    return Found(row, {"repo": row["repo_name"], "path": row["path"], "title": title, "text": text})


def _faulty_function(ctx: DrawContext) -> Found:
    """A function in another person's file, and an issue on it to be opened."""
    row, slots = draw_function(ctx)
    ctx.other(ctx.facts.colleague(row["emp_id"]))
    title, text = draw_complaint(ctx, slots["function"])
    return Found(row, {**slots, "title": title, "text": text})


GROUP = GoalGroup(
    "swe/workspace.toml",
    draws=(
        _relicensed, _own_issue, _described, _named_issue, _with_task, _new_repository, _my_function,
        _faulty_file, _faulty_function, _draw_file,
    ),
    links={"owner": OTHER_OWNER},
    finds=(find_file, find_issue),
    who=(owns_code,),
)  # fmt: skip
