"""SWE: questions and answers on the company's forum, written, accepted, corrected and passed on."""

from __future__ import annotations

from dataclasses import replace

from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.evals.kinds.enterprise.goals.draw_context import (
    Draw,
    DrawContext,
    UnfitError,
    action,
    attempt,
    need,
    only,
)
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.messages.sending import chat_to, mail_to
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.kinds.enterprise.goals.record_changes import Change, Series, no_words
from worksmith.evals.kinds.enterprise.goals.swe.forum import (
    ACCEPTED,
    author_of,
    code_of,
    draw_accepted,
    draw_question,
    find_question,
)
from worksmith.evals.kinds.enterprise.goals.telling import chat
from worksmith.evals.tasks.task import Action
from worksmith.tools.files.data_files import read_toml
from worksmith.tools.kinds.enterprise.generate.talk.forum import Problem, problem_of

GROUP = GoalGroup("swe/forum.toml")

_WORDS = read_toml(__package__, "words.toml")


def asks_questions(facts: Facts, row: Record) -> bool:
    """Whether somebody has asked a question on the forum."""
    return bool(facts.where("overflow", emp_id=row["emp_id"], post_type="question"))


def answers_questions(facts: Facts, row: Record) -> bool:
    """Whether somebody has answered a question."""
    return bool(facts.where("overflow", emp_id=row["emp_id"], post_type="answer"))


def _find_mine(plan: PlanRecorder, slots: Slots) -> Row:
    return find_question(plan, slots, author="me")


def _draw_mine(ctx: DrawContext) -> Found:
    row = ctx.pick("overflow", ctx.facts.where("overflow", emp_id=ctx.me["emp_id"], post_type="question"))
    return Found(row, code_of(ctx, row))


def _asked(ctx: DrawContext) -> Found:
    title, text, tag = ctx.rng.choice(_WORDS["questions"])
    count = str(ctx.rng.randint(3, 90) * 10)
    return Found(ctx.me, {"title": title.format(count=count), "text": text.format(count=count), "tag": tag})


def _question(slots: Slots) -> Action:
    return action("overflow.create", title=slots["title"], body=slots["text"], tags=slots["tag"])


def _advised(found: Found, ctx: DrawContext) -> Found:
    """The same with an answer that helps to write."""
    problem = _problem(ctx, found)
    fixes = [fix for fix, _ in problem.fixes if "{" not in fix]
    fix, why = ctx.rng.choice(fixes), ctx.rng.choice([one for one in problem.why if "{" not in one])
    return Found(found.row, {**found.slots, "text": f"{fix[0].upper()}{fix[1:]}. {why}"})


def _asked_again(found: Found, ctx: DrawContext) -> Found:
    """The same with another text of the question to write."""
    tried = [one for one in _problem(ctx, found).tried if "{" not in one]
    text = " ".join([ctx.rng.choice(_WORDS["asides"]), *ctx.rng.sample(tried, len(tried))])
    return Found(found.row, {**found.slots, "text": text})


def _problem(ctx: DrawContext, found: Found) -> Problem:
    return problem_of(need(ctx.facts.fact("overflow", found.row["post_id"], "problem")))


def _others_question(ctx: DrawContext) -> Found:
    found = draw_question(ctx)
    author_of(ctx, found.row)
    return found


def _answerable(ctx: DrawContext) -> Found:
    """Such a question by somebody who is still here."""
    found = _advised(_others_question(ctx), ctx)
    need(ctx.facts.colleague(found.row["emp_id"]))
    return found


_ASK = Change(
    "", _asked, None, "I ask the question.", lambda _, slots: _question(slots), mentions=("title", "text")
)
_ANSWER = Change(
    "overflow",
    lambda ctx: _advised(_others_question(ctx), ctx),
    find_question,
    "I answer it.",
    lambda question, slots: action("overflow.create", parent_id=question["post_id"], body=slots["text"]),
    mentions=("text",),
)
_REWRITE = Change(
    "overflow",
    lambda ctx: _asked_again(_draw_mine(ctx), ctx),
    _find_mine,
    "I replace its text.",
    lambda question, slots: action("overflow.update", post_id=question["post_id"], body=slots["text"]),
    mentions=("text",),
)
_WITHDRAW = Change(
    "overflow",
    _draw_mine,
    _find_mine,
    "I delete my question.",
    lambda question, _: action("overflow.delete", post_id=question["post_id"]),
)


def _answered_said(slots: Slots) -> str:
    return f"On {slots['code']}: {slots['text']}"


def _asked_said(slots: Slots) -> str:
    return f"I have asked on the forum: {slots['title']}"


def _withdrawn_said(slots: Slots) -> str:
    return f"I have withdrawn my question about {slots['code']}."


GROUP.add(
    forum_ask=_ASK,
    forum_ask_tell=Series(no_words, _ASK, chat_to("name", _asked_said)),
    forum_ask_both=Series(no_words, _ASK, chat_to("name", _asked_said), mail_to("other", _asked_said)),
    forum_answer=_ANSWER,
    forum_answer_both=Series(
        no_words,
        _ANSWER,
        replace(chat_to("name", _answered_said), mentions=("code",)),
        mail_to("other", _answered_said),
    ),
    forum_answer_tell=replace(
        _ANSWER,
        draw_record=_answerable,
        also=(
            (
                "I tell who asked.",
                lambda question, slots: chat(question["emp_id"], _answered_said(slots)),
            ),
        ),
        mentions=("text", "code"),
    ),
)
GROUP.add(
    asks_questions,
    forum_rewrite=_REWRITE,
    forum_withdraw=_WITHDRAW,
    forum_replace=Series(no_words, _WITHDRAW, _ASK),
    forum_replace_told=Series(no_words, _WITHDRAW, _ASK, chat_to("name", _asked_said)),
    forum_replace_both=Series(
        no_words, _WITHDRAW, _ASK, chat_to("name", _asked_said), mail_to("other", _asked_said)
    ),
    forum_withdraw_tell=Series(
        no_words, _WITHDRAW, replace(chat_to("name", _withdrawn_said), mentions=("code",))
    ),
)


def draw_forum_accept(ctx: DrawContext) -> Draw:
    question, slots, _ = _draw_mine(ctx)
    answers = ctx.facts.where("overflow", parent_id=question["post_id"])
    answer = ctx.pick("overflow", answers)
    name = need(ctx.facts.colleague(answer["emp_id"]))["name"]
    only([row for row in answers if row["emp_id"] == answer["emp_id"]])
    helps = ctx.facts.fact("overflow", answer["post_id"], "helps") == "yes"
    if question["accepted_answer_id"] == answer["post_id"] or not helps:
        raise UnfitError
    change = _acceptance(question["post_id"], answer["post_id"])
    about = [("overflow", question), ("overflow", answer)]
    return ctx.draw({**slots, "name": name}, actions=[change], about=about)


@GROUP.goal(draw_forum_accept, who=asks_questions)
def forum_accept(slots: Slots, plan: PlanRecorder) -> Values:
    question = _find_mine(plan, slots)
    answer = plan.one(
        "overflow", f"I look for the answer by {slots['name']}.",
        parent_id=question["post_id"], author=slots["name"],
    )  # fmt: skip
    return plan.carry_out("I accept it.", _acceptance(question["post_id"], answer["post_id"]))


def draw_forum_accept_tell(ctx: DrawContext) -> Draw:
    drawn = draw_forum_accept(ctx)
    message = chat(drawn.slots["name"], _accepted_said(drawn.slots))
    return drawn.adding(message, mentions=[drawn.slots["code"]])


@GROUP.goal(draw_forum_accept_tell, who=asks_questions)
def forum_accept_tell(slots: Slots, plan: PlanRecorder) -> Values:
    forum_accept(slots, plan)
    return plan.carry_out(f"I tell {slots['name']}.", chat(slots["name"], _accepted_said(slots)))


def _acceptance(question: str, answer: str) -> Action:
    return action("overflow.update", post_id=question, accepted_answer_id=answer)


def _accepted_said(slots: Slots) -> str:
    return f"Thank you, your answer to my question about {slots['code']} solved it."


def draw_forum_answer_gone(ctx: DrawContext) -> Draw:
    answer = ctx.pick("overflow", ctx.facts.where("overflow", emp_id=ctx.me["emp_id"], post_type="answer"))
    question = need(ctx.facts.get("overflow", answer["parent_id"]))
    only(ctx.facts.where("overflow", parent_id=question["post_id"], emp_id=ctx.me["emp_id"]))
    deletion = action("overflow.delete", post_id=answer["post_id"])
    about = [("overflow", question), ("overflow", answer)]
    return ctx.draw(code_of(ctx, question), actions=[deletion], about=about)


@GROUP.goal(draw_forum_answer_gone, who=answers_questions)
def forum_answer_gone(slots: Slots, plan: PlanRecorder) -> Values:
    question = find_question(plan, slots)
    answer = plan.one("overflow", "I look for my answer to it.", parent_id=question["post_id"], author="me")
    return plan.carry_out("I delete my answer.", action("overflow.delete", post_id=answer["post_id"]))


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
