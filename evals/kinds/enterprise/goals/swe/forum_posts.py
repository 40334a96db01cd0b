"""SWE: questions and answers on the company's forum, written, accepted, corrected and passed on."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.evals.kinds.enterprise.goals.draw_context import (
    Draw,
    DrawContext,
    UnfitError,
    attempt,
    need,
    only,
)
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.notifications import chat
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.kinds.enterprise.goals.swe.forum import (
    ACCEPTED,
    author_of,
    code_of,
    draw_accepted,
    draw_question,
    find_question,
)
from worksmith.tools.files.data_files import read_toml
from worksmith.tools.kinds.enterprise.generate.talk.forum import Problem, problem_of

_WORDS = read_toml(__package__, "words.toml")


def asks_questions(facts: Facts, row: Record) -> bool:
    """Whether somebody has asked a question on the forum."""
    return bool(facts.where("overflow", emp_id=row["emp_id"], post_type="question"))


def answers_questions(facts: Facts, row: Record) -> bool:
    """Whether somebody has answered a question."""
    return bool(facts.where("overflow", emp_id=row["emp_id"], post_type="answer"))


def _find_mine(plan: PlanRecorder, slots: Slots) -> Row:
    return find_question(plan, slots, author="me")


def _mine(ctx: DrawContext) -> Found:
    row = ctx.pick("overflow", ctx.facts.where("overflow", emp_id=ctx.me["emp_id"], post_type="question"))
    return Found(row, code_of(ctx, row))


def _asked(ctx: DrawContext) -> Found:
    title, text, tag = ctx.rng.choice(_WORDS["questions"])
    count = str(ctx.rng.randint(3, 90) * 10)
    return Found(ctx.me, {"title": title.format(count=count), "text": text.format(count=count), "tag": tag})


def _advice(ctx: DrawContext) -> Found:
    """An answer that helps, to be written."""
    problem = _problem(ctx)
    fixes = [fix for fix, _ in problem.fixes if "{" not in fix]
    fix, why = ctx.rng.choice(fixes), ctx.rng.choice([one for one in problem.why if "{" not in one])
    return Found(ctx.me, {"text": f"{fix[0].upper()}{fix[1:]}. {why}"})


def _new_text(ctx: DrawContext) -> Found:
    """Another text of the question."""
    tried = [one for one in _problem(ctx).tried if "{" not in one]
    text = " ".join([ctx.rng.choice(_WORDS["asides"]), *ctx.rng.sample(tried, len(tried))])
    return Found(ctx.me, {"text": text})


def _problem(ctx: DrawContext) -> Problem:
    """That of the question that was drawn."""
    return problem_of(need(ctx.facts.fact("overflow", ctx.drawn["overflow"]["post_id"], "problem")))


def _others_question(ctx: DrawContext) -> Found:
    found = draw_question(ctx)
    author_of(ctx, found.row)
    return found


def _asker(ctx: DrawContext) -> Found:
    """Who asked the question, if still here."""
    need(ctx.facts.colleague(ctx.drawn["overflow"]["emp_id"]))
    return Found(ctx.me, {})


def _helpful(ctx: DrawContext) -> Found:
    """An answer to the question that helps and is not accepted yet, by a current employee."""
    question = ctx.drawn["overflow"]
    answers = ctx.facts.where("overflow", parent_id=question["post_id"])
    answer = ctx.pick("overflow", answers)
    name = need(ctx.facts.colleague(answer["emp_id"]))["name"]
    only([row for row in answers if row["emp_id"] == answer["emp_id"]])
    helps = ctx.facts.fact("overflow", answer["post_id"], "helps") == "yes"
    if question["accepted_answer_id"] == answer["post_id"] or not helps:
        raise UnfitError
    return Found(answer, {"name": name})


def _my_answer(ctx: DrawContext) -> Found:
    """An answer of the persona's, the only one of theirs to its question."""
    answer = ctx.pick("overflow", ctx.facts.where("overflow", emp_id=ctx.me["emp_id"], post_type="answer"))
    question = need(ctx.facts.get("overflow", answer["parent_id"]))
    only(ctx.facts.where("overflow", parent_id=question["post_id"], emp_id=ctx.me["emp_id"]))
    return Found(answer, code_of(ctx, question), [("overflow", question)])


GROUP = GoalGroup(
    "swe/forum_posts.toml",
    draws=(_mine, _asked, _advice, _new_text, _others_question, _asker, _helpful, _my_answer),
    finds=(find_question, _find_mine),
    who=(asks_questions, answers_questions),
)


def draw_forum_pass_on(ctx: DrawContext) -> Draw:
    found, other = attempt(draw_accepted, ctx), ctx.colleague()
    question, slots, _ = need(found)
    fix = need(ctx.facts.fact("overflow", question["accepted_answer_id"], "fix"))
    message = chat(other["name"], _quoted(slots, fix))
    return ctx.draw(
        {**slots, "name": other["name"]},
        actions=[message],
        mentions=[fix],
        about=[("overflow", question)],
    )


@GROUP.goal(draw_forum_pass_on)
def forum_pass_on(slots: Slots, plan: PlanRecorder) -> Values:
    answer = ACCEPTED.lookup(plan, find_question(plan, slots))
    message = chat(slots["name"], _quoted(slots, plan.fact(answer, "fix")))
    return plan.carry_out("I quote its advice in the chat.", message)


def _quoted(slots: Slots, fix: str) -> str:
    return f"The accepted answer to the question about {slots['code']}: {fix}."
