"""Posts, and what belongs to them in chats and mails, in every area: announcing, correcting, withdrawing."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import DrawContext, UnfitError, need
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.messages.edits import latest
from worksmith.evals.kinds.enterprise.goals.paths import HERE, Ask, Found


def posts(facts: Facts, row: Record) -> bool:
    """Whether somebody has published a post."""
    return bool(facts.where("posts", emp_id=row["emp_id"]))


def _post(ctx: DrawContext) -> Found:
    """A post of the persona's, the only one of theirs with this title in it."""
    mine = ctx.facts.where("posts", emp_id=ctx.me["emp_id"])
    row = ctx.pick("posts", mine)
    if sum(row["title"].lower() in post["title"].lower() for post in mine) > 1:
        raise UnfitError
    return Found(row, {"title": row["title"]})


def _dated(ctx: DrawContext) -> Found:
    """Such a post that names a day."""
    found = _post(ctx)
    need(ctx.facts.fact("posts", found.row["post_id"], "day"))
    return found


def _draw_anybodys(ctx: DrawContext) -> Found:
    """A post that its title identifies."""
    row = ctx.pick("posts")
    if sum(row["title"].lower() in post["title"].lower() for post in ctx.facts.all("posts")) > 1:
        raise UnfitError
    return Found(row, {"title": row["title"]})


_AUTHOR = Ask(
    HERE, lambda ctx, post: entities.person(ctx.other(ctx.facts.colleague(post["emp_id"]))),
    lambda _, post: post["author"],
)  # fmt: skip
GROUP = GoalGroup(
    "messages/posts.toml",
    draws=(_post, _dated, latest, _draw_anybodys),
    who=(posts,),
    asks={"author": _AUTHOR},
)
