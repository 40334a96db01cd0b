"""SWE: longer ways, from a colleague to their newest repository, its newest issue, and who reported it."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.goals.draw_context import DrawContext
from worksmith.evals.kinds.enterprise.goals.goal import Slots
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.paths import HERE, Found, Question, Start
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.kinds.enterprise.goals.swe.forum import LATEST_QUESTION, answers_to
from worksmith.evals.kinds.enterprise.goals.swe.issue_lookup import (
    AUTHOR,
    FILE,
    latest_issue,
    newest_issue,
    newest_repository,
    reporter,
)

GROUP = GoalGroup("swe/newest.toml")


def draw_way(ctx: DrawContext) -> Found:
    """The newest issue of the newest repository of a colleague, from whom the way is clear."""
    file = ctx.pick("repositories")
    owner = ctx.other(ctx.facts.colleague(file["emp_id"]))
    newest = newest_repository(ctx, owner["emp_id"])
    issue = latest_issue(ctx.facts.where("issues", repo_name=newest["repo_name"]))
    reporter(ctx, issue)
    return Found(issue, {"name": owner["name"]})


def walk(plan: PlanRecorder, slots: Slots) -> Row:
    """The way, through the tools."""
    rows = plan.read(
        "repositories", f"I look for the newest repository of {slots['name']}.",
        owner=slots["name"], limit=1,
    )  # fmt: skip
    return newest_issue(plan, plan.pick(rows[0])["repo_name"])


_WAY = Start("issues", draw_way, walk)
_REPOSITORY, _SIZE = HERE.text("repo_name"), HERE.to(FILE).number("size")
_AUTHOR = HERE.to(AUTHOR)
_TITLE = _AUTHOR.text("title")
_ASKED = _AUTHOR.to(LATEST_QUESTION)
_AUTHORS_QUESTION = _ASKED.ident("post_id")
_ANSWERS = answers_to(_ASKED)

GROUP.add(
    newest_repo_issue=Question(_WAY, _REPOSITORY, HERE.ident("issue_id")),
    newest_repo_author=Question(_WAY, _REPOSITORY, _AUTHOR.person(), _AUTHOR.text("title")),
    newest_repo_file=Question(_WAY, _REPOSITORY, _SIZE, _TITLE),
    newest_repo_question=Question(_WAY, _REPOSITORY, _SIZE, _TITLE, _AUTHORS_QUESTION),
    newest_repo_answer=Question(
        _WAY,
        _REPOSITORY,
        _SIZE,
        _TITLE,
        _AUTHORS_QUESTION,
        _ANSWERS,
    ),
)
