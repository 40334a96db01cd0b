"""SWE: questions and answers on the company's forum, and who wrote them."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import (
    Draw,
    DrawContext,
    UnfitError,
    in_year,
    latest,
    need,
    span,
)
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.paths import HERE, Ask, Found, Link
from worksmith.evals.kinds.enterprise.goals.plan_recorder import MOST_READ, PlanRecorder, Row
from worksmith.tools.files.data_files import read_toml

_WORDS = read_toml(__package__, "words.toml")
_SHOWN = 3
"""So many records a call shows with their texts in full."""

_YEARS = tuple(str(year) for year in range(2017, 2023))


def code_of(ctx: DrawContext, question: Record) -> dict[str, str]:
    """The error code that identifies a question."""
    code = need(ctx.facts.fact("overflow", question["post_id"], "error_code"))
    latents = ctx.facts.latents("overflow", "question")
    if sum(latent.facts.get("error_code") == code for latent in latents) > 1:
        raise UnfitError
    return {"code": code}


def find_question(plan: PlanRecorder, slots: Slots, **arguments: str) -> Row:
    """The question about an error code."""
    rows = plan.read(
        "overflow", f"I look for the question about {slots['code']}.",
        query=slots["code"], post_type="question", limit=_SHOWN, **arguments,
    )  # fmt: skip
    for row in rows:
        if slots["code"] in f"{row['title']} {row['body']}":
            return plan.pick(row)
    raise UnfitError("no such question")


def draw_question(ctx: DrawContext) -> Found:
    """A question, by its error code."""
    row = ctx.pick("overflow", ctx.facts.where("overflow", post_type="question"))
    return Found(row, code_of(ctx, row))


def draw_accepted(ctx: DrawContext) -> Found:
    """A question with an accepted answer."""
    found = draw_question(ctx)
    need(found.row["accepted_answer_id"] or None)
    return found


def author_of(ctx: DrawContext, post: Record) -> Record:
    """The author of a post: another person than the persona, with a unique name."""
    person = ctx.other(ctx.facts.person(post["emp_id"]))
    if not ctx.facts.known_by_name(person):
        raise UnfitError
    return person


ACCEPTED = Link(
    lambda ctx, question: need(ctx.facts.get("overflow", question["accepted_answer_id"])),
    lambda plan, question: plan.one(
        "overflow", "I open the accepted answer.", post_id=question["accepted_answer_id"] or "none"
    ),
    "overflow",
)
"""From a question to the answer that its author accepted."""

_AUTHOR_NAME = Ask(
    HERE, lambda ctx, post: entities.person(author_of(ctx, post)), lambda _, post: post["author_name"]
)


def _latest_question(ctx: DrawContext, person: Record) -> Record:
    return latest(ctx.facts.where("overflow", emp_id=person["emp_id"], post_type="question"), "creation_date")


def _find_latest_question(plan: PlanRecorder, person: Row) -> Row:
    rows = plan.read(
        "overflow", "I look for the last question of that colleague.",
        author=person["emp_id"], post_type="question", limit=1,
    )  # fmt: skip
    return plan.pick(rows.first)


LATEST_QUESTION = Link(_latest_question, _find_latest_question)
"""From an employee to the question that they asked last."""


ANSWERS = Ask(
    HERE,
    lambda ctx, question: entities.number(len(ctx.facts.where("overflow", parent_id=question["post_id"]))),
    lambda plan, question: str(
        plan.every("overflow", "How many answers has it?", parent_id=question["post_id"]).total
    ),
)
"""How many answers a question has got."""

GROUP = GoalGroup(
    "swe/forum.toml",
    draws=(draw_question, draw_accepted),
    finds=(find_question,),
    links={
        "accepted": ACCEPTED,
        "writer": Link(
            author_of, lambda plan, post: plan.one("employees", "Who wrote that?", emp_id=post["emp_id"])
        ),
        "question": LATEST_QUESTION,
    },
    asks={"author": _AUTHOR_NAME, "answers": ANSWERS},
)


def draw_forum_count(ctx: DrawContext) -> Draw:
    tag, wanted = ctx.rng.choice(_WORDS["tags"]), ctx.rng.choice(_YEARS)
    asked = in_year(ctx.facts.where("overflow", post_type="question"), "creation_date", wanted)
    rows = [row for row in asked if tag in row["tags"].split(", ")]
    if not 0 < len(rows) <= MOST_READ:
        raise UnfitError
    solved = sum(bool(row["accepted_answer_id"]) for row in rows)
    answer = [entities.number(len(rows)), entities.number(solved)]
    return ctx.draw({"tag": tag, "year": wanted}, answer=answer)


@GROUP.goal(draw_forum_count)
def forum_count(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.every(
        "overflow", f"I need all questions of {slots['year']} with that tag.",
        post_type="question", tag=slots["tag"], **span(slots["year"]),
    )  # fmt: skip
    return str(rows.total), str(sum(bool(row["accepted_answer_id"]) for row in rows))


def draw_forum_unsolved(ctx: DrawContext) -> Draw:
    row = ctx.pick("overflow", ctx.facts.where("overflow", post_type="question"))
    author = ctx.other(ctx.facts.colleague(row["emp_id"]))
    asked = ctx.facts.where("overflow", emp_id=author["emp_id"], post_type="question")
    open_ones = [row for row in asked if not row["accepted_answer_id"]]
    return ctx.listing({"name": author["name"]}, open_ones, "post_id", [("overflow", row)])


@GROUP.goal(draw_forum_unsolved)
def forum_unsolved(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.every(
        "overflow", f"I need all questions of {slots['name']}.", author=slots["name"], post_type="question"
    )
    found = [row for row in rows if not row["accepted_answer_id"]]
    return tuple(row["post_id"] for row in found)
