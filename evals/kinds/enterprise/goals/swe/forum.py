"""SWE: questions and answers on the company's forum, read, written, corrected and passed on."""

from __future__ import annotations

from dataclasses import replace

from evals.kinds.enterprise.facts import Facts, Record
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import (
    Draw,
    DrawContext,
    UnfitError,
    action,
    attempt,
    in_year,
    latest,
    need,
    only,
    span,
)
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.messages.sending import chat_to, mail_to
from evals.kinds.enterprise.goals.paths import HERE, Ask, Found, Link, Path, Question, Start
from evals.kinds.enterprise.goals.plan_recorder import MOST_READ, PlanRecorder, Row
from evals.kinds.enterprise.goals.record_changes import Change, Series, no_words
from evals.kinds.enterprise.goals.telling import chat
from evals.tasks.task import Action
from tools.files.data_files import read_toml
from tools.kinds.enterprise.generate.talk.forum import Problem, problem_of

GROUP = GoalGroup("swe/forum.toml")

_WORDS = read_toml(__package__, "words.toml")
_SHOWN = 3
"""So many records a call shows with their texts in full."""

_YEARS = tuple(str(year) for year in range(2017, 2023))


def asks_questions(facts: Facts, row: Record) -> bool:
    """Whether somebody has asked a question on the forum."""
    return bool(facts.where("overflow", emp_id=row["emp_id"], post_type="question"))


def answers_questions(facts: Facts, row: Record) -> bool:
    """Whether somebody has answered a question."""
    return bool(facts.where("overflow", emp_id=row["emp_id"], post_type="answer"))


def code_of(ctx: DrawContext, question: Record) -> dict[str, str]:
    """The error code that tells a question from all others."""
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


def _find_mine(plan: PlanRecorder, slots: Slots) -> Row:
    return find_question(plan, slots, author="me")


def _draw_question(ctx: DrawContext) -> Found:
    row = ctx.pick("overflow", ctx.facts.where("overflow", post_type="question"))
    return Found(row, code_of(ctx, row))


def _draw_accepted(ctx: DrawContext) -> Found:
    """A question with an accepted answer."""
    found = _draw_question(ctx)
    need(found.row["accepted_answer_id"] or None)
    return found


def _draw_mine(ctx: DrawContext) -> Found:
    row = ctx.pick("overflow", ctx.facts.where("overflow", emp_id=ctx.me["emp_id"], post_type="question"))
    return Found(row, code_of(ctx, row))


def _author(ctx: DrawContext, post: Record) -> Record:
    """Who wrote a post: somebody else than the persona, whom the name tells from all others."""
    person = ctx.other(ctx.facts.person(post["emp_id"]))
    if not ctx.facts.known_by_name(person):
        raise UnfitError
    return person


ACCEPTED = Link(
    lambda ctx, question: need(ctx.facts.get("overflow", question["accepted_answer_id"])),
    lambda plan, question: plan.one(
        "overflow", "I open the accepted answer.", post_id=question["accepted_answer_id"] or "none"
    ),
)
"""From a question to the answer that its author accepted."""

_WRITER = Link(_author, lambda plan, post: plan.one("employees", "Who wrote that?", emp_id=post["emp_id"]))
_AUTHOR_NAME = Ask(
    HERE, lambda ctx, post: entities.person(_author(ctx, post)), lambda _, post: post["author_name"]
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


def answers_to(path: Path) -> Ask:
    """How many answers a question has got."""
    return Ask(
        path,
        lambda ctx, question: entities.number(
            len(ctx.facts.where("overflow", parent_id=question["post_id"]))
        ),
        lambda plan, question: str(
            plan.every("overflow", "How many answers has it?", parent_id=question["post_id"]).total
        ),
    )


_QUESTION = Start("overflow", _draw_question, find_question)
_ANSWERED = Start("overflow", _draw_accepted, find_question)
_ACCEPTED = HERE.to(ACCEPTED)
_ANSWER_BY = replace(_AUTHOR_NAME, path=_ACCEPTED)
_WRITER_OF = _ACCEPTED.to(_WRITER)
_LAST_OF = _WRITER_OF.to(LATEST_QUESTION)
_WRITERS_QUESTION = _LAST_OF.ident("post_id")
_WRITERS_ANSWERS = answers_to(_LAST_OF)

GROUP.add(
    forum_asker=Question(_QUESTION, _AUTHOR_NAME, HERE.date("creation_date")),
    forum_accepted=Question(_ANSWERED, _ANSWER_BY, _ACCEPTED.date("creation_date")),
    forum_quote=Question(_ANSWERED, _ACCEPTED.fact("overflow", "fix")),
    forum_expert=Question(_ANSWERED, _AUTHOR_NAME, _WRITER_OF.person(), _WRITER_OF.text("title")),
    forum_expert_asks=Question(_ANSWERED, _ANSWER_BY, _WRITER_OF.text("title"), _WRITERS_QUESTION),
    forum_expert_answers=Question(
        _ANSWERED, _ANSWER_BY, _WRITER_OF.text("title"), _WRITERS_QUESTION, _WRITERS_ANSWERS
    ),
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
    found = _draw_question(ctx)
    _author(ctx, found.row)
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
    found, other = attempt(_draw_accepted, ctx), ctx.colleague()
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
